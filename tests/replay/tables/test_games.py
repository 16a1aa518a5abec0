"""The tables of three games: each equals a naive fold of the match files (AN1), and the sums tie."""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from domain.games import GAMES
from domain.match import Match
from replay.tables import cia_vs_kgb, imperial_struggle, thirteen_minutes
from replay.tables.line import RowBuilder
from replay.tables.schema import Rows, Table
from tests.matches import Branching, Sitting, finished, resigned
from tests.replay.files import file_of
from tests.replay.tables import oracles
from tests.replay.tables.oracles.cia_vs_kgb import cia_vs_kgb as fold_cia_vs_kgb
from tests.replay.tables.oracles.imperial_struggle import imperial_struggle as fold_imperial_struggle
from tests.replay.tables.oracles.reading import Found, drawn
from tests.replay.tables.oracles.thirteen_minutes import thirteen_minutes as fold_thirteen_minutes

TABLES: dict[str, ModuleType] = {
    "imperial_struggle": imperial_struggle,
    "cia_vs_kgb": cia_vs_kgb,
    "thirteen_minutes": thirteen_minutes,
}
PREFIX = {"imperial_struggle": "is_", "cia_vs_kgb": "cvk_", "thirteen_minutes": "tm_"}
FOLDS: dict[str, Callable[[bytes], Found]] = {
    "imperial_struggle": fold_imperial_struggle,
    "cia_vs_kgb": fold_cia_vs_kgb,
    "thirteen_minutes": fold_thirteen_minutes,
}
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "imperial_struggle": [{}, {}, {"bid": "fr", "spanish_empire": True, "planned_layout": True}],
    "cia_vs_kgb": [{}, {"first_balance": "draw", "idle_activation": "allowed"}, {"score_limit": 300}],
    "thirteen_minutes": [{}, {"campaign": True, "campaign_sides": "swapped"}, {"equal_bids": 1}],
}
WAR = 4  # the seed of a campaign of 13 Minutes that ends in a nuclear war
SEEDS = {"imperial_struggle": (1, 2, 3), "cia_vs_kgb": (1, 2, 3), "thirteen_minutes": (1, 2, 3, WAR)}
FEW = [(game, seed) for game, seeds in SEEDS.items() for seed in seeds]
MANY = [(game, seed) for game in TABLES for seed in range(WAR + 1, 71)]


@cache
def played(game: str, seed: int) -> Match:
    """A whole random match; the options change with the seed."""
    options = VARIANTS[game][seed % len(VARIANTS[game])]
    return finished(GAMES[game], seed, options=options).match


@cache
def rows(game: str, seed: int) -> Rows:
    """Its tables."""
    made: Rows = TABLES[game].rows(played(game, seed))
    return made


@cache
def folded(game: str, data: bytes) -> Found:
    """What the oracle of a game reads in a match file."""
    return FOLDS[game](data)


def columns(game: str, table: str) -> dict[str, int]:
    """The place of each column of a table in its rows."""
    found: Table = next(one for one in TABLES[game].TABLES if one.name == PREFIX[game] + table)
    return {column.name: place for place, column in enumerate(found.columns)}


def told(made: Rows, game: str, table: str) -> list[dict[str, Any]]:
    """The rows of a table as dictionaries."""
    names = columns(game, table)
    return [dict(zip(names, row, strict=True)) for row in made[PREFIX[game] + table]]


def in_order(table: list[dict[str, Any]]) -> list[str]:
    """Rows as texts, in one order whatever the order of rows of one fact was."""
    return sorted(repr(sorted(row.items())) for row in table)


def check(match: Match, made: Rows) -> None:
    """Compare every table with the oracle of the game, which reads the match file."""
    data = file_of(match)
    check_rows(match.game.name, data, folded(match.game.name, data), made)


def check_rows(game: str, data: bytes, expected: Found, made: Rows) -> None:
    """Compare every table with what the oracle expects, column by column, and draws with the draws."""
    names = {name.removeprefix(PREFIX[game]) for name in made} - {"draws"}
    assert set(expected) <= names
    for name in names:
        found, wanted = told(made, game, name), expected.get(name, [])
        absent = {"turn", "war", "round"} - columns(game, name).keys()
        wanted = [{key: value for key, value in row.items() if key not in absent} for row in wanted]
        known = [{key: row[key] for key in wanted[0]} for row in found] if wanted else found
        if name in ("flags", "awards", "battles"):  # some rows have fewer columns in the oracle
            known = [{key: row[key] for key in one} for row, one in zip(found, wanted, strict=True)]
        assert in_order(known) == in_order(wanted), name
    draws = sorted((row["move"], row["item"]) for row in told(made, game, "draws"))
    assert draws == drawn(data)


@pytest.mark.parametrize(("game", "seed"), FEW)
def test_each_table_equals_a_naive_fold_of_the_match_file(game: str, seed: int) -> None:
    check(played(game, seed), rows(game, seed))


@pytest.mark.long
@pytest.mark.parametrize(("game", "seed"), MANY)
def test_each_table_of_many_matches_equals_a_naive_fold(game: str, seed: int) -> None:
    check(played(game, seed), rows(game, seed))


def test_the_oracles_share_nothing_with_the_tables() -> None:
    own = "tests.replay.tables.oracles.reading"
    for path in Path(oracles.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                assert {name.name.partition(".")[0] for name in node.names} <= sys.stdlib_module_names
            elif isinstance(node, ast.ImportFrom):
                assert node.module == own or str(node.module).partition(".")[0] in sys.stdlib_module_names


# ── sums that tie ──


def last_by(table: list[dict[str, Any]], *keys: str) -> dict[Any, dict[str, Any]]:
    """The last row for each value of `keys`."""
    return {tuple(row[key] for key in keys): row for row in table}


@pytest.mark.parametrize("seed", SEEDS["imperial_struggle"])
def test_changes_of_flags_debt_and_points_add_up_to_the_last_position(seed: int) -> None:
    game, made = "imperial_struggle", rows("imperial_struggle", seed)
    end = told(made, game, "positions")[-1]
    owners = [None, "br", "fr", "spain", "usa"]
    flags = last_by(told(made, game, "flags"), "space")
    assert {space: row["after"] for (space,), row in flags.items() if row["after"]} == {
        name.removeprefix("at_"): owners[value]
        for name, value in end.items()
        if name.startswith("at_") and value
    }
    sums: dict[tuple[str, str], int] = defaultdict(int)
    for row in told(made, game, "tracks"):
        sums[row["track"], row["side"]] += row["by"]
    assert end["vp"] == 15 + sums["vp", "fr"] - sums["vp", "br"]
    for side in ("br", "fr"):
        found = [end[f"{track}_{side}"] for track in ("debt", "limit", "treaty")]
        assert found == [sums["debt", side], 6 + sums["limit", side], sums["treaty", side]]
        parts = [row for row in told(made, game, "turns") if row["side"] == side]
        assert sum(row["vp"] for row in parts) == sums["vp", side]
        for before, after in pairwise(parts):
            assert [before["debt_after"], before["treaty_after"], before["spaces_after"]] == [
                after["debt_before"],
                after["treaty_before"],
                after["spaces_before"],
            ]
    paid = [
        sum(row[kind] for row in told(made, game, "rounds"))
        for kind in ("economic", "diplomatic", "military")
    ]
    assert sum(paid) == sum(row["cost"] for row in told(made, game, "payments"))


@pytest.mark.parametrize("seed", SEEDS["cia_vs_kgb"])
def test_groups_and_objectives_add_up_to_the_last_position(seed: int) -> None:
    game, made = "cia_vs_kgb", rows("cia_vs_kgb", seed)
    end, match = told(made, game, "positions")[-1], played(game, seed)
    moved = last_by(told(made, game, "groups"), "group")
    for side in ("cia", "kgb"):
        mine = [row for row in moved.values() if row["destination"] == side]
        assert (len(mine), sum(row["influence"] for row in mine)) == (
            end[f"groups_{side}"],
            end[f"influence_{side}"],
        )
        points = [row["points"] for row in told(made, game, "cards") if row["seat"] == side and row["points"]]
        assert match.result is not None
        assert sum(points) == end[f"score_{side}"] == match.result.score[side]
        turns = told(made, game, "objectives")
        assert sum(row[f"gained_{side}"] for row in turns) == sum(points)
    assert sum(row["actions"] for row in turns) == len(made["cvk_actions"])


@pytest.mark.parametrize("seed", SEEDS["thirteen_minutes"])
def test_cubes_add_up_to_thirteen_in_every_position(seed: int) -> None:
    game, made = "thirteen_minutes", rows("thirteen_minutes", seed)
    spent: dict[Any, dict[str, Any]] = {}
    for row in told(made, game, "battles"):
        spent[row["battle"]] = row
    for row in told(made, game, "positions"):
        for side in ("us", "ussr"):
            lost = spent[row["battle"]][f"spent_{side}"]
            assert row[f"cubes_{side}"] + row[f"supply_{side}"] + lost == 13
    end = told(made, game, "positions")[-1]
    here = [row for row in told(made, game, "influence") if row["battle"] == end["battle"] and row["side"]]
    cubes = last_by(here, "territory", "side")
    for side in ("us", "ussr"):
        assert sum(row["after"] for (_, of), row in cubes.items() if of == side) == end[f"cubes_{side}"]
        won = [row for row in told(made, game, "battles") if row["seat_us"] == side]
        lost = [row for row in told(made, game, "battles") if row["seat_ussr"] == side]
        total = sum(row["vp_us"] for row in won) + sum(row["vp_ussr"] for row in lost)
        assert total == end[f"total_{side}"]


# ── what does not stand, what is hidden, what rules would change ──


@pytest.mark.parametrize("game", TABLES)
def test_a_move_that_was_taken_back_leaves_no_row(game: str) -> None:
    sitting = Sitting(GAMES[game], 5).seat_all().play_on(20)
    match = sitting.match
    sitting.accept(match.rule(sitting.context, "p9", "a cat on the keyboard", back_to=match.move - 8))
    resigned(sitting, 30)
    gone = {move for move in range(1, match.move + 1) if not match.stands(move)}
    assert len(gone) >= 8
    made: Rows = TABLES[game].rows(match)
    assert not gone & {row[1] for table in made.values() for row in table}
    check(match, made)


@pytest.mark.parametrize("game", TABLES)
def test_a_match_that_was_resigned_or_voided_has_rows_to_its_last_move(game: str) -> None:
    over = resigned(Sitting(GAMES[game], 6).seat_all(), 25)
    voided = Sitting(GAMES[game], 7).seat_all().play_on(25)
    voided.accept(voided.match.rule(voided.context, "p9", "both asked for it", void=True))
    for match in (over.match, voided.match):
        made: Rows = TABLES[game].rows(match)
        check(match, made)
        assert [row["kind"] for row in told(made, game, "positions")].count("end") == 1


@pytest.mark.parametrize("game", TABLES)
def test_a_branch_has_the_rows_of_the_moves_from_which_it_goes_on(game: str) -> None:
    parent = played(game, 1)
    at = max(move for move in range(1, 20) if parent.is_table(move) and parent.asked_at(move))
    branch = resigned(Branching(parent, at).seat_all(), 50).match
    made: Rows = TABLES[game].rows(branch)
    assert len(made[f"{PREFIX[game]}draws"]) > len(GAMES[game].seats)
    check(branch, made)


@pytest.mark.parametrize("game", TABLES)
def test_the_rows_of_a_running_match_are_those_that_a_spectator_can_know(game: str) -> None:
    sitting = Sitting(GAMES[game], 8).seat_all().play_on(24)
    running: Rows = TABLES[game].rows(sitting.match)
    hidden = {fact for record in sitting.match.records for fact in _secrets(record)}
    assert hidden
    shown = {
        (name, row[1], row[2]): str(row) for name, table in running.items() for row in table if row[1] > 2
    }
    for move, place, secret in hidden:
        for (name, at, where), row in shown.items():
            if (at, where) == (move, place):
                assert repr(secret) not in row, (name, row)
    assert not any("'?'" in row for row in shown.values())
    assert "end" not in {row["kind"] for row in told(running, game, "positions")}


def _secrets(record: Any) -> set[tuple[int, int, str]]:
    """The values that the facts of a record conceal from a spectator, with their places."""
    found: set[tuple[int, int, str]] = set()
    for place, fact in enumerate(getattr(record.entry, "facts", ())):
        full = record.facts[place]
        for name in fact.conceals:
            value = getattr(full, name)
            values = value if isinstance(value, tuple) else (value,)
            if isinstance(value, dict):
                values = tuple(value.values())
            found |= {(record.move, place, one) for one in values if isinstance(one, str)}
    return found


@pytest.mark.parametrize("game", TABLES)
def test_no_rule_is_asked(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    match, before = played(game, 1), rows(game, 1)

    def refuse(*arguments: object, **more: object) -> None:
        raise AssertionError("a rule was asked")

    for name in ("decide", "prompt", "begin", "asked"):
        monkeypatch.setattr(f"domain.kernel.{name}", refuse)
    assert TABLES[game].rows(match) == before


@pytest.mark.parametrize("game", TABLES)
def test_equal_positions_have_equal_hashes_and_others_do_not(game: str) -> None:
    name = f"{PREFIX[game]}positions"
    at = columns(game, "positions")["state_sha256"]
    first, match = rows(game, 1), Match.project(None, played(game, 1).records)
    assert match is not None
    assert first == TABLES[game].rows(match)
    hashes = [row[at] for row in first[name]]
    others = {row[at] for row in rows(game, 2)[name]}
    assert len(set(hashes)) > len(hashes) // 2
    assert len(others & set(hashes)) < len(others) // 4


# ── descriptions ──

RANGES = {
    "UTINYINT": (0, 255),
    "TINYINT": (-128, 127),
    "SMALLINT": (-(2**15), 2**15 - 1),
    "INTEGER": (-(2**31), 2**31 - 1),
}


@pytest.mark.parametrize("game", TABLES)
def test_every_value_has_the_type_of_its_column(game: str) -> None:
    for table in TABLES[game].TABLES:
        for seed in SEEDS[game]:
            for row in rows(game, seed)[table.name]:
                assert len(row) == len(table.columns)
                for column, value in zip(table.columns, row, strict=True):
                    assert value is None or _fits(column.type, value), (table.name, column, value)


def _fits(type: str, value: object) -> bool:
    if type in RANGES:
        least, most = RANGES[type]
        return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
    if type == "VARCHAR[]":
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    return isinstance(value, {"VARCHAR": str, "BOOLEAN": bool, "DOUBLE": float}[type])


@pytest.mark.parametrize("game", TABLES)
def test_every_table_and_column_is_described_in_one_sentence(game: str) -> None:
    for table in TABLES[game].TABLES:
        names = [column.name for column in table.columns]
        assert table.game == game
        assert table.name.startswith(PREFIX[game])
        assert names[:3] == ["match", "move", "place"]
        assert len(set(names)) == len(names)
        for column in table.columns:
            assert column.name.isidentifier()
            assert column.name == column.name.lower()
            assert column.meaning[-1] in ".…"
            assert ". " not in column.meaning.replace("St. ", "")
        assert table.meaning.endswith(".")


@pytest.mark.parametrize("game", TABLES)
def test_every_column_has_a_value_in_some_match(game: str) -> None:
    found: dict[str, set[str]] = defaultdict(set)
    for seed in SEEDS[game]:
        for table in TABLES[game].TABLES:
            for row in rows(game, seed)[table.name]:
                named = zip(table.columns, row, strict=True)
                found[table.name] |= {column.name for column, value in named if value is not None}
    for table in TABLES[game].TABLES:
        empty = {column.name for column in table.columns} - found[table.name]
        assert not empty, (table.name, empty)


def test_a_row_of_an_unknown_column_is_an_error() -> None:
    build = RowBuilder(played("cia_vs_kgb", 1), cia_vs_kgb.TABLES)
    with pytest.raises(ValueError, match="cvk_cards has no column colour"):
        build.add("cvk_cards", 1, 0, {"colour": "red"})
