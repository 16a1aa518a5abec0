"""The tables of Twilight Struggle: each equals a naive fold of the log (AN1), and the sums tie.

The odds of rolls are in `test_rolls.py`.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from domain.games import GAMES
from domain.log import codec
from domain.match import Match
from domain.twilight_struggle.components import MAP, SIDES
from domain.twilight_struggle.rules import board as rules_of_control
from replay.importers.twilight_struggle.report import imported
from replay.tables.schema import Rows
from replay.tables.twilight_struggle import CHANCES, TABLES, chances, rows
from tests.matches import PRODUCT, Branching, Sitting, finished
from tests.replay.importers.short_games import STOPS, WHOLE
from tests.replay.tables import twilight_struggle_oracle as oracle

GAME = GAMES["twilight_struggle"]
NOT_FOLDED = {"rules", "state_sha256", "ways", "of", "value_expected", "luck_vp"}
UNORDERED = {"ts_holdings": ("card", "seat", "dealt_move"), "ts_cards": ("move", "place", "card")}
VARIANTS: dict[str, dict[str, Any]] = {
    "final_scoring": {"seed": 9},
    "victory_points": {"seed": 19},
    "held_scoring_card": {"seed": 59},
    "second": {"seed": 1, "edition": "second"},
    "late_war": {"seed": 10, "options": {"scenario": "late_war", "optional_cards": False}},
    "wargames": {"seed": 250, "options": {"scenario": "late_war"}},
    "civil_war": {"seed": 3, "options": {"chinese_civil_war": True}},
    "sealed_bid": {"seed": 15, "options": {"bid": "influence", "handicap": -2}},
    "auction": {"seed": 5, "options": {"bid": "victory_points", "tournament": True}},
    "mixed": {
        "seed": 6,
        "options": {"realignment_mixed": True, "space_without_roll": True, "optional_cards": False},
    },
    "safe": {"seed": 7, "options": {"realignment_phasing_player_safe": True, "missile_envy": "modified"}},
}


def with_takebacks(seed: int) -> Match:
    """A match with an agreed takeback, one that a ruling goes back from, and a resignation."""
    sitting = Sitting(GAME, seed).seat_all().play_on(30)
    match = sitting.match
    while not (match.asked and match.takeback_refused(match.move - 1) is None):
        sitting.play_on(1)
    sitting.accept(match.ask_takeback(sitting.context, "us", match.move - 1))
    sitting.accept(match.answer_takeback(sitting.context, "ussr", match.move, True))
    sitting.play_on(40)
    sitting.accept(match.rule(sitting.context, "p9", "a clerical error", back_to=match.move - 25))
    sitting.play_on(30)
    sitting.accept(match.resign(sitting.context, "ussr"))
    return match


def of_log(text: str) -> Match:
    """The match that an imported log becomes."""
    return imported(text.encode(), PRODUCT).match


def special(name: str) -> Match:
    """A match that did not simply run from its opening to its end."""
    if name == "takebacks":
        return with_takebacks(2)
    if name == "branch":
        return Branching(match_of("final_scoring"), 300).seat_all().play_on().match
    return of_log(WHOLE if name == "imported" else STOPS)


SPECIAL = ("takebacks", "branch", "imported", "stops")
ALL_OF_THEM = (*VARIANTS, *SPECIAL)


@cache
def match_of(name: str) -> Match:
    """One of the matches, which all tests share."""
    return finished(GAME, **VARIANTS[name]).match if name in VARIANTS else special(name)


@cache
def rows_of(name: str) -> Rows:
    """Its tables."""
    return rows(match_of(name))


def as_dicts(found: Rows, table: str) -> list[dict[str, Any]]:
    """The rows of a table by column."""
    columns = next(one.columns for one in TABLES if one.name == table)
    return [dict(zip([column.name for column in columns], row, strict=True)) for row in found[table]]


def stored(match: Match) -> list[bytes]:
    """What the log of a match holds."""
    return [record.stored for record in match.records]


def compare(match: Match, found: Rows) -> None:
    """Every table against the oracle, in every column that a fold can give."""
    compare_rows(oracle.Fold(stored(match)).rows, found)


def compare_rows(expected: Mapping[str, list[dict[str, Any]]], found: Rows) -> None:
    """The same with the rows that the oracle expects."""
    for table in TABLES:
        ours = [
            {name: value for name, value in row.items() if name not in NOT_FOLDED}
            for row in as_dicts(found, table.name)
        ]
        key = UNORDERED.get(table.name, ())
        theirs = expected[table.name]
        if key:
            ours, theirs = (
                sorted(some, key=lambda row: [str(row[name]) for name in key]) for some in (ours, theirs)
            )
        for one, two in zip(ours, theirs, strict=False):
            assert one == two, table.name
        assert len(ours) == len(theirs), table.name


def test_the_oracle_shares_nothing_with_the_tables() -> None:
    tree = ast.parse(Path(oracle.__file__).read_text("utf-8"))
    names = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    modules = {
        name
        for node in names
        for name in (
            [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
        )
    }
    assert len(modules) >= 3
    assert {module.split(".")[0] for module in modules} <= set(sys.stdlib_module_names)


@pytest.mark.parametrize("name", ALL_OF_THEM)
def test_each_table_equals_a_naive_fold_of_the_log(name: str) -> None:
    compare(match_of(name), rows_of(name))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(200))
def test_the_tables_of_many_matches_equal_a_naive_fold(seed: int) -> None:
    variant = list(VARIANTS.values())[seed % len(VARIANTS)]
    match = finished(GAME, **{**variant, "seed": 1000 + seed}).match
    compare(match, rows(match))


def test_the_matches_fill_every_table_and_end_in_many_ways() -> None:
    filled = Counter({table.name: 0 for table in TABLES})
    for name in ALL_OF_THEM:
        filled.update({table: len(found) for table, found in rows_of(name).items()})
    assert min(filled.values()) > 5, filled
    results = {match.result.reason for name in VARIANTS if (match := match_of(name)).result}
    assert {"nuclear_war", "final_scoring", "victory_points", "held_scoring_card", "wargames"} <= results
    kinds = {row["kind"] for name in ALL_OF_THEM for row in as_dicts(rows_of(name), "ts_rolls")}
    assert kinds == {"coup", "realign", "war", "space", "trap", "contest"}
    causes = {row["cause"] for name in ALL_OF_THEM for row in as_dicts(rows_of(name), "ts_influence")}
    assert causes >= {"ops", "event", "coup", "realign", "setup", "bid", "handicap", "printed"}


@pytest.mark.parametrize("name", ALL_OF_THEM)
def test_changes_of_influence_add_up_to_every_position(name: str) -> None:
    """Also in SQL: the rows of `ts_influence` up to a position give its 168 columns."""
    held: Counter[tuple[str, str]] = Counter()
    changes = as_dicts(rows_of(name), "ts_influence")
    for position in as_dicts(rows_of(name), "ts_positions"):
        here = position["move"], position["place"]
        while changes and (changes[0]["move"], changes[0]["place"]) <= here:
            change = changes.pop(0)
            assert held[change["side"], change["country"]] == change["before"]
            held[change["side"], change["country"]] = change["after"]
        assert {(side, country): position[f"{side}_{country}"] for side in SIDES for country in MAP} == {
            (side, country): held[side, country] for side in SIDES for country in MAP
        }


@pytest.mark.parametrize("name", VARIANTS)
def test_every_die_that_was_drawn_is_in_one_roll(name: str) -> None:
    match, faces = match_of(name), list[str]()
    for row in as_dicts(rows_of(name), "ts_rolls"):
        faces.append("".join(str(face) for face in (row["face_us"], row["face_ussr"]) if face))
    draws = [
        draw.pick for at in sorted(match.line()) for draw in getattr(match.records[at - 1].entry, "draws", ())
    ]
    assert faces == [pick for pick in draws if pick.isdecimal()]


@pytest.mark.parametrize("name", VARIANTS)
def test_a_card_leaves_a_hand_as_often_as_it_came(name: str) -> None:
    """Cards in hand at a position are the holdings that are open there."""
    holdings = as_dicts(rows_of(name), "ts_holdings")
    last = as_dicts(rows_of(name), "ts_positions")[-1]
    for side in SIDES:
        kept = [row for row in holdings if row["seat"] == side and row["gone_move"] is None]
        assert len(kept) == last[f"hand_{side}"]
    assert all(row["turns_held"] >= 0 for row in holdings if row["gone_move"])


def test_moves_that_were_taken_back_leave_no_rows() -> None:
    match, found = match_of("takebacks"), rows_of("takebacks")
    gone = {record.move for record in match.records} - set(match.line())
    assert len(gone) > 20
    for table in TABLES:
        column = [one.name for one in table.columns].index("dealt_move" if "hold" in table.name else "move")
        assert not gone & {row[column] for row in found[table.name]}, table.name


def test_an_imported_match_shows_no_hidden_card() -> None:
    for name in ("imported", "stops"):
        found = rows_of(name)
        assert found["ts_holdings"] == []
        assert {row["what"] for row in as_dicts(found, "ts_cards")}.isdisjoint({"dealt"})
        for row in as_dicts(found, "ts_positions"):
            assert (row["hand_us"], row["hand_ussr"]) == (None, None)
        assert list(chances(match_of(name))) == []


def test_a_running_match_and_a_log_without_private_parts_show_no_hidden_card() -> None:
    running = Sitting(GAME, 8).seat_all().play_on(60).match
    leaves = codec(GAME)
    whole = match_of("victory_points")
    public = Match.project(None, [leaves.join(whole.id, record.leaf, {}) for record in whole.records])
    assert public is not None
    for match in (running, public):
        found = rows(match)
        assert found["ts_positions"]
        assert found["ts_holdings"] == [] == list(chances(match))
        assert {row["what"] for row in as_dicts(found, "ts_cards")}.isdisjoint({"dealt"})
        assert {row["hand_us"] for row in as_dicts(found, "ts_positions")} == {None}


def test_equal_positions_have_equal_hashes_and_others_do_not() -> None:
    whole = as_dicts(rows_of("final_scoring"), "ts_positions")
    branch = as_dicts(rows_of("branch"), "ts_positions")
    same = [row for row in branch if row["move"] == branch[0]["move"]]
    assert len(same) > 50
    hashes = [row["state_sha256"] for row in same if row["kind"] != "end"]
    assert hashes == [row["state_sha256"] for row in whole][: len(hashes)]
    assert len({row["state_sha256"] for row in whole[:-1]}) == len(whole) - 1


def test_a_rules_fix_leaves_what_was_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """AN7: control by other rules changes `ctl_` alone; influence and dice stay, and so do the tracks."""
    match, before = match_of("final_scoring"), rows_of("final_scoring")
    monkeypatch.setattr("replay.tables.twilight_struggle.positions.controller", lambda s, country: "us")
    monkeypatch.setattr(rules_of_control, "controls", lambda s, side, country: side == "us")
    monkeypatch.setattr("domain.twilight_struggle.rules.operations.controls", rules_of_control.controls)
    monkeypatch.setitem(GAME.__dict__, "rules", "another")
    after = rows(match)
    assert after["ts_influence"] == before["ts_influence"]
    by_rules = {"ways", "of", "value_expected", "luck_vp", "rules"}
    changed = set[str]()
    for table in ("ts_positions", "ts_rolls"):
        for old, new in zip(as_dicts(before, table), as_dicts(after, table), strict=True):
            changed |= {name for name in old if old[name] != new[name]}
    assert {name for name in changed if not name.startswith(("ctl_", "bg_"))} <= by_rules
    assert {"rules", "ctl_iran", "value_expected"} <= changed
    assert {row["rules"] for row in as_dicts(after, "ts_positions")} == {"another"}


def test_each_column_is_described_and_every_value_fits_its_type() -> None:
    ranges = {"UTINYINT": (0, 255), "TINYINT": (-128, 127), "SMALLINT": (-(2**15), 2**15 - 1)}
    for table in (*TABLES, CHANCES):
        assert (table.name[:3], table.game) == ("ts_", GAME.name)
        names = [column.name for column in table.columns]
        assert len(set(names)) == len(names)
        assert all(len(column.meaning) > 5 for column in table.columns)
        made = [row for name in ALL_OF_THEM for row in rows_of(name).get(table.name, ())]
        made = made or list(chances(match_of("held_scoring_card")))
        for column, values in zip(table.columns, zip(*made, strict=True), strict=True):
            known = {value for value in values if value is not None}
            if column.type in ranges:
                least, most = ranges[column.type]
                assert all(type(value) is int and least <= value <= most for value in known), column.name
            kinds = {"VARCHAR": str, "BOOLEAN": bool, "INTEGER": int}
            assert {type(value) for value in known} <= {kinds.get(column.type, int), float}, column.name
