"""Events played in earnest: from the hand, with a fitting tile, and with the keyword that the test wants."""

from __future__ import annotations

from typing import Any

from domain.imperial_struggle.components import (
    BR,
    DIPLOMATIC,
    ECONOMIC,
    ERAS,
    FR,
    INVESTMENTS,
    MILITARY,
    Where,
)
from domain.imperial_struggle.events import EVENTS
from domain.imperial_struggle.facts.cards import EventPlayed
from domain.imperial_struggle.points import Limit, Pool, Purchase
from domain.imperial_struggle.rules.paying import allows
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.rounds import Act, Happen
from domain.kernel import prompt
from tests.domain.imperial_struggle.governing import pool
from tests.domain.imperial_struggle.table import major, minor, table
from tests.scenario import Scenario, given

TILES = {"": "e3_d2_1", ECONOMIC: "e3_d2_1", DIPLOMATIC: "d3_e2_1", MILITARY: "m3_e2_1"}
TURNS = {era: turn for turn, era in reversed(ERAS.items())}  # the first of each era
PLAIN = {  # ministries that do nothing by themselves while an event is played
    (BR, "style"): "jonathan_swift",
    (BR, "mercantilism"): "east_india_company",
    (BR, "governance"): "robert_walpole",
    (BR, "finance"): "merchant_banks",
    (BR, "scholarship"): "samuel_johnson",
    (FR, "style"): "pompadour_and_du_barry",
    (FR, "mercantilism"): "dupleix",
    (FR, "governance"): "marquis_de_condorcet",
    (FR, "finance"): "john_law",
    (FR, "scholarship"): "voltaire",
}


def played(card: str, side: str = BR, *, keyword: str = "", tile: str = "", **fields: Any) -> Scenario[State]:
    """`side` has taken a tile of the kind that the event asks for, and plays the event from its hand."""
    start = holding(card, side, keyword=keyword, tile=tile, **fields)
    return given(start, do=Act(side)).when(side, f"event:{card}")


def holding(card: str, side: str, *, keyword: str = "", tile: str = "", **fields: Any) -> State:
    """The table on which `side` may play the event."""
    tile = tile or TILES[EVENTS[card].requires]
    face = INVESTMENTS[tile]
    fields.setdefault("pools", (major(face.major, face.points), minor(face.minor)))
    fields.setdefault("turn", TURNS[EVENTS[card].era])
    revealed = (PLAIN[side, keyword],) if keyword else ()
    hands = {BR: (card,) if side == BR else (), FR: (card,) if side == FR else ()}
    in_round = {"tile": tile, **fields.pop("in_round", {})}
    return table(seat=side, revealed=revealed, hands=hands, in_round=in_round, **fields)


def happening(card: str, side: str, part: str, **fields: Any) -> Scenario[State]:
    """The "base" or the "bonus" of an event alone, in a round without points of its tile."""
    fields.setdefault("turn", TURNS[EVENTS[card].era])
    fields.setdefault("pools", ())
    return given(table(seat=side, **fields), do=(Happen(side, card, part), Act(side)))


def plays(card: str, side: str, *, bonus: bool = False) -> EventPlayed:
    """The fact that opens every event."""
    return EventPlayed(side, card, bonus)


def points(card: str, type: str, count: int, limit: Limit | None = None) -> Pool:
    """The points that an event grants."""
    return Pool(card, type, "event", count, limit)


def within(region: str) -> Limit:
    """Points that have to be used in a Region, where alone something happens."""
    return Limit(where=Where(regions=(region,)), placed=True)


def may_buy(game: Scenario[State], name: str, verb: str, space: str = "") -> bool:
    """Whether the restriction of the points of this name allows a purchase."""
    assert game.table.round is not None
    return allows(game.table, game.table.round.seat, pool(game, name).limit, Purchase(verb, space))


def acting(game: Scenario[State], side: str) -> tuple[str, ...]:
    """The event is over, and `side` goes on with its round: what it may do."""
    question = prompt(game.table, side)
    assert question is not None
    assert question.ask == "Act", question
    return question.options
