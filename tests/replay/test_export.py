"""Exported tables: complete, in a fixed order, and without the secrets of running matches."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from domain.game import Game
from domain.games import GAMES
from domain.kernel import HIDDEN
from domain.log import HOUSE, b64
from domain.match import Match
from replay import export as exporting
from replay.export import TABLES, export
from tests.matches import Sitting, finished
from tests.replay.files import with_everything


def ndjson(folder: Path, table: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{table}.ndjson").read_text("utf-8").splitlines()]


@pytest.fixture
def matches(toy_game: Game) -> list[Match]:
    whole = [finished(GAMES[name], 2).match for name in ("thirteen_minutes", "cia_vs_kgb")]
    return [*whole, with_everything(toy_game), Sitting(toy_game, 8).seat_all().play_on(4).match]


def test_both_formats_hold_the_same_rows(matches: list[Match], tmp_path: Path) -> None:
    rows = export(matches, tmp_path, "ndjson")
    assert export(matches, tmp_path, "parquet") == rows
    assert rows["moves"] == sum(match.move for match in matches)
    for table, columns in TABLES.items():
        parquet = pq.read_table(tmp_path / f"{table}.parquet")
        kinds = {str: "string", int: "int64", bool: "bool", list: "list<element: string>"}
        assert {field.name: str(field.type) for field in parquet.schema} == {
            name: kinds[kind] for name, kind in columns.items()
        }
        assert parquet.schema.names == list(columns)
        assert parquet.to_pylist() == ndjson(tmp_path, table)
        assert parquet.num_rows == rows[table] > 0
    assert {path.suffix for path in tmp_path.iterdir()} == {".ndjson", ".parquet"}


@pytest.mark.parametrize("format", ["ndjson", "parquet"])
def test_exporting_twice_gives_identical_bytes(matches: list[Match], tmp_path: Path, format: str) -> None:
    for folder in ("one", "two"):
        export(matches, tmp_path / folder, format)
    for table in TABLES:
        one, two = (tmp_path / folder / f"{table}.{format}" for folder in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()


def test_small_batches_give_the_same_rows(
    matches: list[Match], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(matches, tmp_path / "one", "ndjson")
    monkeypatch.setattr(exporting, "_BATCH", 7)
    export(matches, tmp_path / "two", "ndjson")
    assert ndjson(tmp_path / "one", "facts") == ndjson(tmp_path / "two", "facts")


def test_moves_name_roots_rules_and_what_stands(matches: list[Match], tmp_path: Path) -> None:
    match = matches[2]
    export([match], tmp_path, "ndjson")
    rows = ndjson(tmp_path, "moves")
    assert [row["move"] for row in rows] == list(range(1, match.move + 1))
    assert [row["root"] for row in rows] == [b64(root) for root in match.roots]
    assert {row["move"] for row in rows if row["stands"]} == set(match.line())
    assert {row["rules"] for row in rows} == {"toy-rules"}
    assert rows[0]["kind"] == "opened"
    assert json.loads(rows[-1]["entry"])["kind"] == "closed"


def test_facts_and_draws_of_a_match_that_is_over_are_exported_in_full(
    matches: list[Match], tmp_path: Path
) -> None:
    match = matches[1]
    export([match], tmp_path, "ndjson")
    facts = ndjson(tmp_path, "facts")
    assert len(facts) == sum(len(record.facts) for record in match.records)
    assert any(row["known_to"] == ["cia"] for row in facts)
    draws = ndjson(tmp_path, "draws")
    hidden = sum(len(record.parts[HOUSE].draws) for record in match.records)
    assert [row["open"] for row in draws].count(False) == hidden > 0


def test_of_a_running_match_only_what_a_spectator_sees_is_exported(toy_game: Game, tmp_path: Path) -> None:
    sitting = Sitting(toy_game).seat_all()
    sitting.answer("left", "3")
    export([sitting.match], tmp_path, "ndjson")
    assert ndjson(tmp_path, "options") == []
    assert ndjson(tmp_path, "draws") == []
    assert ndjson(tmp_path, "moves")[-1]["picks"] is None
    dealt = [json.loads(row["fields"]) for row in ndjson(tmp_path, "facts") if row["fact"] == "Dealt"]
    assert [fields["card"] for fields in dealt] == [HIDDEN, HIDDEN]
    everything = "".join(path.read_text("utf-8") for path in tmp_path.iterdir())
    assert "card-" not in everything


def test_options_say_what_else_could_have_been_picked(matches: list[Match], tmp_path: Path) -> None:
    match = matches[0]
    export([match], tmp_path, "ndjson")
    rows = ndjson(tmp_path, "options")
    bid = [row for row in rows if row["move"] == 4]
    assert [row["option"] for row in bid] == [str(cubes) for cubes in range(14)]
    assert [row["option"] for row in bid if row["picked"]] == list(match.records[3].picks or ())
    assert {(row["least"], row["most"]) for row in bid} == {(1, 1)}


def test_progress_is_reported_and_nothing_half_written_stays(matches: list[Match], tmp_path: Path) -> None:
    told: list[str] = []
    export(matches, tmp_path, "ndjson", told.append)
    assert told == [match.id for match in matches]
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def interrupted(match: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export(matches[:1], tmp_path, "ndjson", interrupted)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no format 'csv'; there are: ndjson, parquet"):
        export([], tmp_path, "csv")


def test_the_documented_columns_are_the_columns() -> None:
    page = (Path(__file__).parents[2] / "docs" / "export.md").read_text("utf-8")
    for table, columns in TABLES.items():
        section = page.split(f"## `{table}`")[1].split("\n## ")[0]
        names = [
            name
            for cell in re.findall(r"^\| ([a-z_, ]+) \|", section, re.MULTILINE)
            for name in cell.split(", ")
        ]
        assert sorted(names[1:]) == sorted(columns)
