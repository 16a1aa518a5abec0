"""The odds of the rolls of Twilight Struggle: those of every throw that the rules carry out (AN22)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from domain.kernel import CHANCE, Answer, AnyStep, decide, prompt
from domain.match import Match
from domain.twilight_struggle.components import OTHER, US
from domain.twilight_struggle.facts.board import CoupRolled, InfluenceSet, RealignmentRolled, WarRolled
from domain.twilight_struggle.facts.flow import TrapRolled
from domain.twilight_struggle.facts.tracks import ScoreMoved, SpaceRolled, SpaceSet
from domain.twilight_struggle.rules.operations import Ops
from domain.twilight_struggle.steps.hands import Contest
from domain.twilight_struggle.steps.operations import RollCoup, RollRealignment, RollSpace
from domain.twilight_struggle.steps.play import RollTrap
from domain.twilight_struggle.steps.wars import RollWar
from replay.tables.twilight_struggle import CHANCES, chances, rows
from replay.tables.twilight_struggle.walk import At, walk
from tests.matches import finished
from tests.replay.tables.test_twilight_struggle import GAME, VARIANTS, as_dicts, match_of, rows_of

LUCK_IS_FAIR = 1e-12


def rolling(at: At) -> AnyStep:
    """The step that asked chance for a roll."""
    fact = at.fact
    if isinstance(fact, CoupRolled):
        return RollCoup(fact.seat, fact.country, fact.ops, Ops("nato", fact.ops))
    if isinstance(fact, RealignmentRolled):
        return RollRealignment(fact.seat, fact.country)
    if isinstance(fact, WarRolled):
        return RollWar(fact.seat, fact.card, fact.country)
    if isinstance(fact, SpaceRolled):
        return RollSpace(fact.seat, fact.card)
    if isinstance(fact, TrapRolled):
        return RollTrap(fact.seat, fact.trap)
    return Contest(next(play.seat for play in at.before.playing if play.card == fact.card), fact.card)


def thrown(at: At, row: dict[str, Any]) -> Iterator[tuple[bool, int]]:
    """For every throw at that place: does it succeed, and what does it bring the side that rolls?"""
    table = replace(at.before, agenda=(rolling(at),))
    question = prompt(table, CHANCE)
    assert question is not None
    for face in question.options:
        rolled, *facts = decide(table, Answer(CHANCE, (face,))).facts
        yield read(row, rolled, facts)


def read(row: dict[str, Any], rolled: Any, facts: list[Any]) -> tuple[bool, int]:
    """Success and value of one throw, by the facts that the rules made of it."""
    seat, kind = row["seat"], row["kind"]
    if kind in ("coup", "realign"):
        changes = [
            fact for fact in facts if isinstance(fact, InfluenceSet) and fact.country == row["country"]
        ]
        own = sum(fact.by for fact in changes if fact.side == seat)
        enemy = sum(fact.by for fact in changes if fact.side == OTHER[seat])
        return enemy < 0, own - enemy
    if kind == "trap":
        assert isinstance(rolled, TrapRolled)
        return rolled.escaped, int(rolled.escaped)
    gains = [fact for fact in facts if isinstance(fact, ScoreMoved) and fact.why in (row["card"], "space")][
        :1
    ]
    points = sum(fact.points if fact.seat == seat else -fact.points for fact in gains)
    reached = any(isinstance(fact, SpaceSet) for fact in facts)
    return (reached if kind == "space" else points > 0), points


def check(match: Match, found: list[dict[str, Any]]) -> None:
    """Odds, mean and luck of all rolls of a match, against all throws."""
    places = {(at.move, at.place): at for at in walk(match)}
    for row in found:
        every = list(thrown(places[row["move"], row["place"]], row))
        assert (row["ways"], row["of"]) == (sum(success for success, _ in every), len(every)), row
        mean = sum(value for _, value in every) / len(every)
        assert row["value_expected"] == pytest.approx(mean, abs=LUCK_IS_FAIR)
        faces = [str(face) for face in (row["face_us"], row["face_ussr"]) if face]
        assert (row["success"], row["value"]) in every
        assert len(faces) == (2 if len(every) == 36 else 1)
        luck = sum(value - row["value_expected"] for _, value in every) / len(every)
        assert abs(luck) < LUCK_IS_FAIR
        if row["kind"] == "trap":
            assert row["luck_vp"] is None
        else:
            assert row["luck_vp"] == row["value"] - row["value_expected"]


LONG = "final_scoring"  # its rolls are of the kinds of the others, and as many as those of five of them


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long if name == LONG else ()) for name in VARIANTS]
)
def test_the_odds_of_each_roll_are_those_of_all_throws(name: str) -> None:
    """6.2.2, 6.3.2, 6.4.2, 7.6 and the cards: `ways` of `of`, and the weighted luck of all throws is 0."""
    check(match_of(name), as_dicts(rows_of(name), "ts_rolls"))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100))
def test_the_odds_of_many_rolls_are_those_of_all_throws(seed: int) -> None:
    variant = list(VARIANTS.values())[seed % len(VARIANTS)]
    match = finished(GAME, **{**variant, "seed": 2000 + seed}).match
    check(match, as_dicts(rows(match), "ts_rolls"))


def test_the_chances_of_a_pick_are_those_of_its_roll() -> None:
    """The odds that the question showed are the odds of the roll that followed."""
    match = match_of("sealed_bid")
    columns = [column.name for column in CHANCES.columns]
    shown = [dict(zip(columns, row, strict=True)) for row in chances(match)]
    rolls = {
        row["move"]: row
        for row in as_dicts(rows_of("sealed_bid"), "ts_rolls")
        if row["kind"] in ("coup", "realign")
    }
    compared = 0
    for move, roll in rolls.items():
        picked = [row for row in shown if row["move"] == move and row["picked"]]
        assert {row["option"] for row in picked} == {roll["country"]}
        enemy = OTHER[roll["seat"]]
        assert sum(row["ways"] for row in picked if f'"{enemy}":-' in row["outcome"]) == roll["ways"]
        assert sum(row["ways"] for row in picked) == roll["of"] == picked[0]["of"]
        compared += 1
    assert compared > 20
    assert {row["seat"] for row in shown} == {US, OTHER[US]}
    assert {row["rules"] for row in shown} == {GAME.rules}


def test_rolls_that_todays_rules_cannot_read_keep_what_happened(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*values: object) -> None:
        raise KeyError("a country that is gone")

    monkeypatch.setattr("domain.twilight_struggle.rules.odds.coup_odds", fails)
    before = as_dicts(rows_of("victory_points"), "ts_rolls")
    after = as_dicts(rows(match_of("victory_points")), "ts_rolls")
    for old, new in zip(before, after, strict=True):
        by_odds = ("ways", "of", "value_expected", "luck_vp")
        assert {name: new[name] for name in new if name not in by_odds} == {
            name: old[name] for name in old if name not in by_odds
        }
        assert (new["ways"] is None) == (new["kind"] == "coup")
