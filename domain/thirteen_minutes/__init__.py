"""13 Minutes: The Cuban Missile Crisis, 1962 (book 002)."""

from __future__ import annotations

from domain.game import Game, closed_union
from domain.kernel import Ended, Fact, Step
from domain.thirteen_minutes.board import SIDES
from domain.thirteen_minutes.components import RECONSTRUCTION, describe_components
from domain.thirteen_minutes.editions import EDITIONS, OPTIONS, first, names, table
from domain.thirteen_minutes.rules import score
from domain.thirteen_minutes.state import State

GAME = Game(
    name="thirteen_minutes",
    seats=SIDES,
    editions=EDITIONS,
    options=OPTIONS,
    table=table,
    first=first,
    state=State,
    facts=closed_union(Fact, __name__) | Ended,
    steps=closed_union(Step, __name__),
    score=score,
    components=describe_components,
    ids={"card": [card.id for card in RECONSTRUCTION.cards]},
    names=names,
)
