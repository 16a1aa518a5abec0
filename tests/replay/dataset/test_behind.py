"""AN16: the matches behind a row of an answer are as many as it counts, and such cases when replayed.

That is every saved query of every game, over the small store; `test_many_matches.py` has many more matches.
"""

from __future__ import annotations

import ast
import pickle
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import replay.dataset as glasnost
from domain.games import GAMES
from replay.dataset.queries import queries
from tests.made_once import made_once
from tests.replay.dataset import answers, cases, cases_of_games
from tests.replay.dataset.cases import (
    CASES,
    OF_ALL_GAMES,
    PREFIXES,
    TS,
    Replayed,
    given_for,
    replayed,
    tables_in,
)
from tests.replay.dataset.conftest import Club
from tests.replay.dataset.second_way import Rows, compare_answer, count, names_of


def compare(data: glasnost.DataSet, game: str, name: str, files: Iterable[Replayed]) -> int:
    """Compare an answer with the replayed matches of its game; return how many rows it has."""
    wanted = Rows()
    for match in files:
        if match.game == game:
            count(wanted, match, name)
    return compare_answer(data, game, name, wanted, 1, pool="live,bots,seeded")


def of_file(data: bytes, found: Mapping[str, Sequence[tuple[Any, ...]]]) -> Replayed:
    """A match as the oracles replay its file, of which the core tables are `found`."""
    return replayed(data, found, tables_in(found["matches"][0][1], data))


@pytest.fixture(scope="module")
def files(
    club: Club, folded: dict[str, dict[str, list[tuple[Any, ...]]]], tmp_path_factory: pytest.TempPathFactory
) -> list[Replayed]:
    """The matches of the small store that count in answers: with a result, and not imported."""

    def make(home: Path) -> None:
        known = [match for match in club.matches if match.result and not match.imported]
        (home / "matches").write_bytes(
            pickle.dumps([of_file(club.files[one.id], folded[one.id]) for one in known])
        )

    found: list[Replayed] = pickle.loads(
        (made_once(tmp_path_factory, "replayed", make) / "matches").read_bytes()
    )
    return found


def test_each_query_of_each_game_is_counted_here() -> None:
    counted = {(TS, name) for name in CASES}
    for game, own in cases_of_games.OF_GAMES.items():
        counted |= {(game, PREFIXES[game] + name) for name in (*own, *OF_ALL_GAMES)}
    assert counted == {(one.game, one.name) for one in queries().values()}


@pytest.mark.parametrize("module", [answers, cases, cases_of_games])
def test_the_second_way_shares_nothing_with_the_tables(module: ModuleType) -> None:
    names = {
        f"{node.module}.{name.name}"
        for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    ours = {
        name for name in names if name.split(".")[0] in ("api", "domain", "projections", "replay", "tests")
    }
    oracles = {name for name in ours if name.startswith("tests.replay.tables.oracles.")}
    assert ours - oracles <= {
        "domain.games.GAMES",  # the names of the seats
        "tests.replay.dataset.cases_of_games",
        "tests.replay.dataset.oracle",
        "tests.replay.tables.twilight_struggle_oracle",
    }


def test_each_column_of_each_answer_is_computed_here_or_follows_from_rules() -> None:
    for game, prefix in PREFIXES.items():
        for name in names_of(game):
            columns = set(queries()[prefix + name].answer)
            here = set(answers.ANSWERS[game][name]) | {*answers.SHARES.get(prefix + name, ())[:2]}
            assert columns - here == answers.BY_RULES.get(name, set()), name
            assert here <= columns


@pytest.mark.parametrize("game", cases_of_games.OF_GAMES)
def test_a_row_of_a_game_of_its_own_and_what_is_behind_it_are_those_of_the_replayed_matches(
    game: str, opened_club: glasnost.DataSet, files: list[Replayed]
) -> None:
    empty = {name for name in cases_of_games.OF_GAMES[game] if not compare(opened_club, game, name, files)}
    assert empty <= {"comebacks", "conquests", "win_rate"}


@pytest.mark.parametrize("name", CASES)
def test_a_row_and_what_is_behind_it_are_those_of_the_replayed_matches(
    name: str, opened_club: glasnost.DataSet, files: list[Replayed]
) -> None:
    games = GAMES if name in OF_ALL_GAMES else (TS,)
    assert sum(compare(opened_club, game, name, files) for game in games) > 0


def test_imported_matches_are_in_no_default_answer_and_hold_nothing_hidden(
    club: Club, opened_club: glasnost.DataSet
) -> None:
    """AN9: over the data set; `test_build.py` has what the parts hold."""
    data, came = opened_club, club.matches[-1].id
    for name in CASES:
        behind = data.query(name, **given_for(name, TS)).matches().fetchall()
        assert not [match for pool, match, _ in behind if match == came or pool == "imported"], name
    assert came not in {row[1] for row in data.find("turn >= 0", TS, limit=10_000)}
    shown = data.find("turn >= 0", TS, pool="imported", unproven=True)
    assert {row[1] for row in shown} == {came}
    hands = "SELECT DISTINCT hand_us, hand_ussr FROM ts_positions WHERE match = $match"
    assert data.sql(hands, {"match": came}).fetchall() == [(None, None)]
    marks = "SELECT unverified, proof, pool FROM matches WHERE match = $match"
    assert data.sql(marks, {"match": came}).fetchall() == [(True, "unproven", "imported")]
    for table in ("decisions", "ts_holdings"):
        found = data.sql(f"SELECT count(*) FROM {table} WHERE match = $match", {"match": came})
        assert found.fetchall() == [(0,)]
