"""Rounds with open ministries: what is offered, what things cost, how they are paid."""

from __future__ import annotations

from typing import Any

from domain.imperial_struggle.components import OTHER, REGIONS
from domain.imperial_struggle.facts.cards import EventPlayed
from domain.imperial_struggle.facts.tracks import ScoreMoved, TreatySet
from domain.imperial_struggle.points import Pool, Purchase
from domain.imperial_struggle.rules.prices import price
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.rounds import Act, TakeTile
from domain.imperial_struggle.steps.scoring import ScoreTurn
from domain.kernel import prompt
from tests.domain.imperial_struggle.table import table
from tests.scenario import Scenario, given

PLAIN_AWARDS = dict(zip(REGIONS, ("award_1a", "award_0t_a", "award_1b", "award_0t_b"), strict=True))


def acting(seat: str, *ministries: str, **fields: Any) -> Scenario[State]:
    """A side with these ministries open has taken a tile and may act."""
    return given(table(seat=seat, revealed=ministries, **fields), do=Act(seat))


def choosing(seat: str, *ministries: str, **fields: Any) -> Scenario[State]:
    """A side with these ministries open is about to take a tile."""
    fields.setdefault("shown", ("e4_d2_1", "m4_d2_1"))
    in_round = {"tile": "", **fields.pop("in_round", {})}
    start = table(seat=seat, revealed=ministries, pools=(), in_round=in_round, **fields)
    return given(start, do=TakeTile(seat))


def scoring(*ministries: str, **fields: Any) -> Scenario[State]:
    """The scoring phase of a turn; Europe's award is worth 0 victory points and a Treaty Point."""
    fields.setdefault("laid", PLAIN_AWARDS)
    return given(table(revealed=ministries, **fields), do=ScoreTurn())


def hidden(seat: str, *ministries: str) -> dict[str, Any]:
    """The field of a table on which a side's ministries lie face down."""
    return {"ministries": {seat: ministries, OTHER[seat]: ()}}


def offered(game: Scenario[State], seat: str) -> tuple[str, ...]:
    """What a side may answer now."""
    question = prompt(game.table, seat)
    assert question is not None
    return question.options


def abilities(game: Scenario[State], seat: str) -> set[str]:
    """The abilities that a side may use now."""
    found = (pick.partition(":") for pick in offered(game, seat))
    return {id for verb, _, id in found if verb == "ability"}


def total(s: State, seat: str, verb: str, space: str = "", **bought: Any) -> int:
    """What a purchase costs a side now."""
    return price(s, seat, Purchase(verb, space, **bought)).total


def pools(game: Scenario[State]) -> dict[str, int]:
    """What is left of the points of the round."""
    assert game.table.round is not None
    return {pool.name: pool.points for pool in game.table.round.pools}


def pool(game: Scenario[State], name: str) -> Pool:
    """One pool of the round."""
    assert game.table.round is not None
    return next(pool for pool in game.table.round.pools if pool.name == name)


def scored(game: Scenario[State], why: str) -> dict[str, int]:
    """The victory points that the latest answer brought for a reason, by side."""
    return {fact.side: fact.points for fact in game.facts if isinstance(fact, ScoreMoved) and fact.why == why}


def treaties(game: Scenario[State], why: str) -> dict[str, int]:
    """The Treaty Points that the latest answer brought for a reason, by side."""
    return {fact.side: fact.by for fact in game.facts if isinstance(fact, TreatySet) and fact.why == why}


def event_bonus(game: Scenario[State]) -> bool:
    """Whether the event that was just played met the condition of its bonus."""
    return next(fact.bonus for fact in game.facts if isinstance(fact, EventPlayed))
