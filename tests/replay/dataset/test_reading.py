"""Reading a data set: every part opens everywhere, and Python gives rows, positions and match files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import duckdb
import polars
import pyarrow.parquet as pq
import pytest

import replay.dataset as glasnost
from api.settings import ANALYSIS
from domain.games import GAMES
from domain.kernel import Chance, prompt
from replay.dataset import manifest as manifests
from replay.dataset.parts import arrow_schema
from replay.tables import registry
from tests.matches import finished
from tests.replay.dataset.conftest import Club
from tests.replay.dataset.crowd import crowd, write_data_set
from tests.replay.dataset.stores import built, opened, put
from tests.test_extras import HIDING
from tests.test_imports import ROOT

_POLARS = {
    "VARCHAR": polars.String,
    "BOOLEAN": polars.Boolean,
    "UTINYINT": polars.UInt8,
    "TINYINT": polars.Int8,
    "SMALLINT": polars.Int16,
    "INTEGER": polars.Int32,
    "BIGINT": polars.Int64,
    "DOUBLE": polars.Float64,
    "TIMESTAMP": polars.Datetime("us"),
    "VARCHAR[]": polars.List(polars.String),
}


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_part_of_every_table_opens_everywhere_with_the_types_of_the_schema(club: Club, every: bool) -> None:
    """AN2: the largest part of each table; if `every`, all of them."""
    described = {
        table["name"]: table for table in json.loads((club.folder / "schema.json").read_bytes())["tables"]
    }
    tables = {table.name: table for table in registry.tables()}
    chosen = {part.table: part for part in sorted(club.manifest.parts, key=lambda part: part.rows)}
    assert len(chosen) > 40
    connection = duckdb.connect(config={"threads": 1})
    for part in club.manifest.parts if every else chosen.values():
        path = club.folder / part.path
        columns = {column["name"]: column["type"] for column in described[part.table]["columns"]}
        sql = f"SELECT * FROM read_parquet('{path}', hive_partitioning = false)"
        described_by = connection.execute(f"DESCRIBE {sql}").fetchall()
        assert {row[0]: row[1] for row in described_by} == columns, part.table
        assert dict(polars.read_parquet(path, hive_partitioning=False).schema) == {
            name: _POLARS[type] for name, type in columns.items()
        }
        arrow = pq.read_table(path, partitioning=None)
        assert arrow.schema.equals(arrow_schema(tables[part.table]))
        assert arrow.num_rows == part.rows > 0
        assert path.stat().st_size == part.bytes


def test_the_dictionary_has_every_column_and_no_other(club: Club) -> None:
    lines = (club.folder / "DICTIONARY.md").read_text("utf-8").splitlines()
    found: dict[str, list[str]] = {}
    for line in lines:
        if line.startswith("## "):
            table = line.split("`")[1]
            found[table] = []
        elif line.startswith("| `"):
            found[table].append(line.split("`")[1])
    described = json.loads((club.folder / "schema.json").read_bytes())["tables"]
    assert found == {table["name"]: [column["name"] for column in table["columns"]] for table in described}
    assert all(len(line.split(" | ")) == 7 for line in lines if line.startswith("| `"))


def test_sql_sees_every_table_with_its_pool(club: Club) -> None:
    data = glasnost.open(club.folder)
    assert len(data.matches) == len(club.matches)
    assert data.snapshot == club.manifest.snapshot
    pools = dict(data.sql("SELECT pool, count(*) FROM matches GROUP BY pool").fetchall())
    assert pools == {"live": 6, "bots": 4, "seeded": 4, "imported": 1}
    for table in data.tables:
        rows = sum(part.rows for part in club.manifest.parts if part.table == table)
        assert data.fetch(f'SELECT count(*) FROM "{table}"') == [(rows,)], table
    bots = data.sql("SELECT DISTINCT match FROM moves WHERE pool = $pool", {"pool": "bots"}).fetchall()
    assert {match for (match,) in bots} == {match.id for match in club.matches if match.pool == "bots"}


def test_matches_and_their_rows_come_as_frozen_objects(club: Club) -> None:
    data = glasnost.open(club.folder)
    ruled = data.match("m-ruled")
    assert (ruled.row.winner, ruled.row.by, ruled.row.pool) == ("ussr", "ruling", "live")
    assert [row.move for row in ruled.rows("moves")] == list(range(1, ruled.row.moves + 1))
    assert {row.match for row in data.matches} == {match.id for match in club.matches}
    for name in ("winner", "pool"):
        with pytest.raises(AttributeError):
            setattr(ruled.row, name, "us")
    with pytest.raises(KeyError, match="no match 'x'"):
        data.match("x")
    with pytest.raises(KeyError):
        next(data.rows("x"))


def test_positions_of_a_match_follow_one_another(club: Club) -> None:
    match = glasnost.open(club.folder).match("thirteen_minutes-live")
    positions = list(match.positions())
    assert len(positions) > 3
    assert [one.move for one in positions] == sorted(one.move for one in positions)
    assert all(one.match == match.id for one in positions)
    with pytest.raises(AttributeError, match="no column 'x'"):
        _ = positions[0].x


def test_a_position_names_influence_and_control_by_country() -> None:
    values = {
        "move": 3,
        "us_iran": 2,
        "ussr_iran": 5,
        "ctl_iran": 2,
        "us_italy": 1,
        "ussr_italy": 0,
        "ctl_italy": 0,
    }
    position = glasnost.Position(values, ("us", "ussr"))
    assert position.influence == {"us": {"iran": 2, "italy": 1}, "ussr": {"iran": 5, "italy": 0}}
    assert position.controls("ussr", "iran")
    assert not position.controls("us", "iran")
    assert not position.controls("us", "italy")


def test_a_match_file_is_checked_and_shows_what_was_asked(club: Club, tmp_path: Path) -> None:
    source = next(match for match in club.matches if match.id == "cia_vs_kgb-live")
    path = tmp_path / f"{source.id}.glasnost"
    data = glasnost.open(club.folder, files=tmp_path)
    with pytest.raises(glasnost.BadDataSet, match="glasnost export cia_vs_kgb-live"):
        data.match(source.id).at(9)
    path.write_bytes(club.files[source.id])
    moment = data.match(source.id).at(9)
    seat = source.records[9].entry.seat
    assert moment.prompt(seat) == prompt(source.table_with_agenda(9), seat)
    assert moment.view("all") == source.table_at(9, "all")
    with pytest.raises(ValueError, match="there is no move 0"):
        data.match(source.id).at(0)
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(glasnost.BadDataSet, match="not the match file"):
        data.match(source.id).at(9)
    with pytest.raises(glasnost.BadDataSet, match="no folder of match files"):
        glasnost.open(club.folder).match(source.id).at(9)


def test_a_match_file_shows_the_odds_of_an_option_and_what_a_seat_saw(club: Club, tmp_path: Path) -> None:
    source = next(match for match in club.matches if match.id == "twilight_struggle-live")
    (tmp_path / f"{source.id}.glasnost").write_bytes(club.files[source.id])
    match = glasnost.open(club.folder, files=tmp_path).match(source.id)
    row = next(row for row in match.chances() if row.option.startswith("space:"))
    odds = match.at(row.move - 1).chances(row.option)
    assert Chance(row.ways, row.of, json.loads(row.outcome)) in odds
    assert sum(chance.ways for chance in odds) == row.of
    assert match.view(row.seat, row.move) == source.table_at(row.move, row.seat)
    with pytest.raises(LookupError, match="no seat is offered 'space:atlantis'"):
        match.at(row.move - 1).chances("space:atlantis")
    other = next(one for one in club.matches if one.id == "cia_vs_kgb-live")
    (tmp_path / f"{other.id}.glasnost").write_bytes(club.files[other.id])
    with pytest.raises(LookupError, match="cia_vs_kgb has no table of chances"):
        glasnost.open(club.folder, files=tmp_path).match(other.id).chances()


def test_names_in_rows_and_folders_cannot_change_a_query(tmp_path: Path) -> None:
    hostile = "m'; DROP VIEW matches; --"
    folder = tmp_path / "a'b=c"
    with opened(tmp_path / "games") as store:
        put(store, finished(GAMES["thirteen_minutes"], 1, name=hostile))
        built(store, folder)
    data = glasnost.open(folder, files=tmp_path)
    assert [row.match for row in data.matches] == [hostile]
    assert list(data.match(hostile).rows("seats"))
    assert data.sql("SELECT * FROM matches").columns[-1] == "pool"
    with pytest.raises(glasnost.BadDataSet, match="cannot be the name of a file"):
        data.match(hostile).at(1)


def test_a_folder_that_is_no_data_set_is_refused(club: Club, tmp_path: Path) -> None:
    with pytest.raises(glasnost.BadDataSet, match="glasnost data build"):
        glasnost.open(tmp_path)
    (tmp_path / "manifest.json").write_bytes(club.manifest.data)
    with pytest.raises(glasnost.BadDataSet, match="missing"):
        glasnost.open(tmp_path)
    (tmp_path / "schema.json").write_text("{}")
    with pytest.raises(glasnost.BadDataSet, match="not the schema"):
        glasnost.open(tmp_path)


def test_without_the_extra_a_data_set_opens_and_sql_says_what_to_install(club: Club) -> None:
    """AN30 for the Python interface; `tests/test_extras.py` has the program."""
    code = f"""
import replay.dataset as glasnost
data = glasnost.open({str(club.folder)!r})
print(len(data.matches))
try:
    data.sql("SELECT 1")
except ImportError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", HIDING + code], capture_output=True, text=True, env={"PYTHONPATH": str(ROOT)}
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        str(len(club.matches)),
        f"reading a data set needs the extra `{ANALYSIS}`, which is not installed:"
        f" `GLASNOST_EXTRAS={ANALYSIS} ./ops/run` installs it",
    ]


def test_the_manifest_reads_back_as_it_was_written(club: Club) -> None:
    assert manifests.read(club.folder) == club.manifest
    assert (club.folder / "manifest.json").read_bytes() == club.manifest.data


def test_the_rows_of_a_match_come_in_the_order_of_its_moves(tmp_path: Path) -> None:
    """A part may hold them in another order, and DuckDB reads its row groups in any order."""
    found = crowd(2)
    write_data_set(tmp_path / "crowd", {table: rows[::-1] for table, rows in found.items()})
    match = next(row["match"] for _, row in found["matches"])
    rows = list(glasnost.open(tmp_path / "crowd").match(match).rows("ts_cards"))
    assert len(rows) == 3
    assert rows == sorted(rows, key=lambda row: (row.move, row.place))
