"""The core tables equal a naive fold of the match files, for matches of every game and kind (AN1, AN6)."""

from __future__ import annotations

import ast
import hashlib
import json
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from domain.chance import Secret
from domain.drafts import Context
from domain.events import BoardOf
from domain.game import Game
from domain.games import GAMES
from domain.match import Match, open_match
from projections.boards import BOARDS
from projections.ratings import RatingRow
from replay import matchfile
from replay.dataset.manifest import Manifest
from replay.dataset.parts import PartWriter, batch_of
from replay.tables import core
from tests.matches import finished
from tests.projections import support
from tests.replay.dataset import oracle
from tests.replay.dataset.conftest import Club
from tests.replay.dataset.stores import built, opened, put
from tests.replay.tables.test_twilight_struggle import match_of

Folded = dict[str, dict[str, list[tuple[Any, ...]]]]
_OF_A_FILE = ("matches", "moves", "facts", "draws", "decisions", "takebacks", "rulings")


def rows_of(folder: Path, manifest: Manifest, table: str) -> list[dict[str, Any]]:
    """The rows of a table, in the order of its parts; times in microseconds, `fields` decoded."""
    found: list[dict[str, Any]] = []
    for part in manifest.parts:
        if part.table == table:
            read = pq.read_table(folder / part.path, partitioning=None)
            for place, field in enumerate(read.schema):
                if str(field.type) == "timestamp[us]":
                    read = read.set_column(place, field.name, read[field.name].cast("int64"))
            found += read.to_pylist()
    for row in found:
        if table == "facts":
            row["fields"] = json.loads(row["fields"])
    return found


def tied(folder: Path, manifest: Manifest, expected: Folded) -> Counter[str]:
    """Compare each table with the oracle, match by match; count the rows that were compared."""
    compared: Counter[str] = Counter()
    for table in _OF_A_FILE:
        by_match: dict[str, list[tuple[Any, ...]]] = {name: [] for name in expected}
        for row in rows_of(folder, manifest, table):
            by_match[row["match"]].append(tuple(row.values()))
        for name in expected:
            assert by_match[name] == expected[name][table], (table, name)
            compared[table] += len(by_match[name])
    return compared


def test_each_table_equals_a_naive_fold_of_the_match_files(club: Club, folded: Folded) -> None:
    compared = tied(club.folder, club.manifest, folded)
    assert compared["matches"] == len(club.matches) == 15
    assert all(compared[table] > 2 for table in _OF_A_FILE), compared


@pytest.mark.long
def test_each_table_equals_a_naive_fold_of_200_match_files(tmp_path: Path) -> None:
    with opened(tmp_path / "games") as store:
        matches = [
            put(store, finished(game, seed, name=f"{game.name}-{seed}"))
            for game in GAMES.values()
            for seed in range(50)
        ]
        files = {match.id: matchfile.write(match.records, store.note(match.id) or "") for match in matches}
        made = built(store, tmp_path / "club", cut=10_000)
    expected = {name: oracle.expected(data) for name, data in files.items()}
    assert tied(tmp_path / "club", made.manifest, expected)["matches"] == 200


def test_the_oracle_shares_nothing_with_the_tables() -> None:
    tree = ast.parse(Path(oracle.__file__).read_text("utf-8"))
    names = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    names |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    own = {
        name for name in names if name.split(".")[0] in ("domain", "replay", "projections", "api", "tests")
    }
    assert own == {"domain", "domain.games", "domain.log", "domain.match"}


def test_seats_name_the_players_with_their_ratings(club: Club) -> None:
    seats = {(row["match"], row["seat"]): row for row in rows_of(club.folder, club.manifest, "seats")}
    assert len(seats) == 2 * len(club.matches)
    ratings = support.folded(
        BOARDS, support.items(record for match in club.matches for record in match.records)
    ).all(RatingRow)
    rated = {(row.match, row.player): (row.before, row.after) for row in ratings}
    assert len(rated) == 2 * 5  # four matches of the pool live that were played, and the one with rulings
    for match in club.matches:
        salts = oracle.salts(oracle.Read(club.files[match.id]))
        for seat, seated in match.players.items():
            assert seated is not None
            row = seats[match.id, seat]
            assert (row["player"], row["bot"]) == (seated.player, seated.bot or None)
            before, after = rated.get((match.id, seated.player), (None, None))
            assert (row["rating_before"], row["rating_after"]) == (before, after)
            assert row["salt_given"] == salts[row["sat_down_on"]]
    table = rows_of(club.folder, club.manifest, "ratings")
    assert {(row["match"], row["player"]): (row["before"], row["after"]) for row in table} == rated


def test_a_result_by_ruling_is_in_the_row_of_its_match(club: Club) -> None:
    rows = {row["match"]: row for row in rows_of(club.folder, club.manifest, "matches")}
    ruled, void = rows["m-ruled"], rows["m-void"]
    assert (ruled["winner"], ruled["reason"], ruled["by"]) == ("ussr", "agreed", "ruling")
    assert (ruled["score_a"], ruled["score_b"]) == (3, 7)
    assert (void["winner"], void["reason"], void["by"], void["score_a"]) == (None, None, "ruling", None)


def test_rules_versions_cover_every_move_once(club: Club) -> None:
    rows = rows_of(club.folder, club.manifest, "rules_versions")
    for match in club.matches:
        (row,) = (row for row in rows if row["match"] == match.id)
        assert (row["move"], row["last"], row["rules"]) == (1, match.move, match.rules)


def test_moves_without_proofs_are_small(tmp_path: Path) -> None:
    """AN6: under 2 kB for a match of 331 moves, in a part with as many matches as a few slices have."""
    (table,) = (table for table in core.TABLES if table.name == "moves")
    long = [match_of(name) for name in ("final_scoring", "second", "held_scoring_card", "sealed_bid")]
    made = PartWriter(tmp_path, table, "live", 1, 100_000)
    for match in long:
        made.add(batch_of(table, core.rows(match, core.Beside(), decisions=False)["moves"]))
    part = made.complete()
    assert part.rows == sum(match.move for match in long)
    size = part.bytes / part.rows * 331
    assert size < 2_000, size


def test_each_match_leads_to_its_file(club: Club) -> None:
    """AN6."""
    matches = rows_of(club.folder, club.manifest, "matches")
    assert {row["match"]: row["file_sha256"] for row in matches} == {
        name: hashlib.sha256(data).hexdigest() for name, data in club.files.items()
    }


def test_components_name_what_the_tables_hold(club: Club) -> None:
    rows = {(row["game"], row["id"]): row for row in rows_of(club.folder, club.manifest, "components")}
    iran = rows["twilight_struggle", "iran"]
    assert (iran["kind"], iran["name_en"], iran["name_ru"]) == ("country", "Iran", "Иран")
    assert (iran["region"], iran["stability"], iran["battleground"]) == ("middle_east", 2, True)
    assert rows["twilight_struggle", "nato"]["ops"] == 4
    known = {(game.name, id) for game in GAMES.values() for ids in game.ids.values() for id in ids}
    assert set(rows) == known


def test_each_row_has_as_many_values_as_its_table_has_columns(club: Club) -> None:
    for match in club.matches:
        rows = core.rows(match, core.Beside())
        assert list(rows) == [table.name for table in core.TABLES]
        for table in core.TABLES:
            assert {len(row) for row in rows[table.name]} <= {len(table.columns)}, table.name


_RARE = {  # columns that are null in the small store, with what fills them
    "matches.tournament": "a match of a tournament",
    "matches.round": "a match of a tournament",
    "matches.board": "a match of a tournament",
    "ts_scorings.left_out": "Shuttle Diplomacy in force at a scoring",
    "ts_effects.region": "an effect for which a region is named",
    "ts_effects.ended_by": "a card that ends an effect early",
}


def test_every_column_has_a_value_in_some_row(club: Club) -> None:
    known, filled = set[str](), set[str]()
    for part in club.manifest.parts:
        metadata = pq.read_metadata(club.folder / part.path)
        groups = [metadata.row_group(place) for place in range(metadata.num_row_groups)]
        for group, place in product(groups, range(metadata.num_columns)):
            column = group.column(place)
            name = f"{part.table}.{column.path_in_schema.partition('.')[0]}"
            known.add(name)
            if column.statistics.null_count < column.num_values:
                filled.add(name)
    assert known - filled == {*_RARE}


def test_a_match_of_a_tournament_has_its_tournament_round_and_board(toy_game: Game) -> None:
    draft = open_match(
        Context(Secret(bytes(32), "m1"), 1, "1.0"),
        toy_game,
        *toy_game.settle(None, {}),
        match="m1",
        origin="live",
        opener=None,
        tournament=BoardOf("tabc", 2, 7),
    )
    match = Match.project(None, draft.records)
    assert match is not None
    row = core.rows(match, core.Beside())["matches"][0]
    named = dict(zip((column.name for column in core.TABLES[0].columns), row, strict=True))
    assert (named["tournament"], named["round"], named["board"]) == ("tabc", 2, 7)
