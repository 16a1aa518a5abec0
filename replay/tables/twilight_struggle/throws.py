"""Every throw that was possible where one was made, carried out by today's rules.

The odds of `rolls` say what a throw changes directly.  Here the rules carry out each throw, so that the whole
table behind it is known: a war moves influence, and a coup may end the game.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from domain.kernel import CHANCE, Answer, AnyFact, AnyStep, decide, prompt
from domain.twilight_struggle.components import BATTLEGROUNDS, REGIONS, SIDES
from domain.twilight_struggle.facts.board import CoupRolled, RealignmentRolled, WarRolled
from domain.twilight_struggle.facts.flow import TrapRolled
from domain.twilight_struggle.facts.tracks import ContestRolled, SpaceRolled
from domain.twilight_struggle.rules.board import controller
from domain.twilight_struggle.rules.operations import Ops
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.hands import Contest
from domain.twilight_struggle.steps.operations import RollCoup, RollRealignment, RollSpace
from domain.twilight_struggle.steps.play import RollTrap
from domain.twilight_struggle.steps.wars import RollWar
from replay.tables.twilight_struggle.rolls import READ
from replay.tables.twilight_struggle.walk import At


class Throw(Struct, frozen=True):
    """A possible throw: the table behind it, and whether it is the one that was thrown."""

    table: State
    happened: bool


_REGIONS = tuple((region, BATTLEGROUNDS[region]) for region in REGIONS)
_GROUNDS = {(region, side): f"bg_{region}_{side}" for region in REGIONS for side in SIDES}
STEPS: dict[type, Callable[[Any, At], AnyStep]] = {
    CoupRolled: lambda fact, at: RollCoup(
        fact.seat, fact.country, fact.ops, Ops(at.card or "", fact.ops, plain=True)
    ),
    RealignmentRolled: lambda fact, at: RollRealignment(fact.seat, fact.country),
    WarRolled: lambda fact, at: RollWar(fact.seat, fact.card, fact.country),
    SpaceRolled: lambda fact, at: RollSpace(fact.seat, fact.card),
    TrapRolled: lambda fact, at: RollTrap(fact.seat, fact.trap),
    ContestRolled: lambda fact, at: Contest(READ[ContestRolled](at).seat, fact.card),
}
"""The question to chance that each throw answered."""


def is_throw(fact: AnyFact) -> bool:
    """Is a fact the throw of a die, or of a pair?"""
    return type(fact) in STEPS


def throws(at: At) -> list[Throw]:
    """Every throw that was possible at the fact of one, each as likely as the others.

    [] if today's rules cannot carry it out, or would read the recorded throw in another way.
    """
    try:
        table = replace(at.before, agenda=(STEPS[type(at.fact)](at.fact, at),))
        question = prompt(table, CHANCE)
        found = [_carried_out(table, face, at.fact) for face in (question.options if question else ())]
    except Exception:  # rules may raise anything on a table that other rules made
        return []
    return found if sum(throw.happened for throw in found) == 1 else []


def _carried_out(table: State, face: str, thrown: AnyFact) -> Throw:
    facts = decide(table, Answer(CHANCE, (face,))).facts
    s = table
    for fact in facts:
        s = fact.apply(s)
    return Throw(s, facts[0] == thrown)


def values(s: State) -> dict[str, int | str | None]:
    """The columns of `ts_positions` from which a win probability is computed, of any table."""
    grounds = dict.fromkeys(_GROUNDS.values(), 0)
    for region, countries in _REGIONS:
        for country in countries:
            if (side := controller(s, country)) is not None:
                grounds[_GROUNDS[region, side]] += 1
    space = {f"space_{side}": s.space[side] for side in SIDES}
    return {"turn": s.turn, "vp": s.vp, "defcon": s.defcon, "china": s.china, **space, **grounds}
