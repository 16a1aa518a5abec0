"""Imperial Struggle, for two players: book 001 (2nd printing)."""

from __future__ import annotations

from domain.game import Game, closed_union
from domain.imperial_struggle.components import SIDES
from domain.imperial_struggle.editions import EDITIONS, OPTIONS, first, table
from domain.imperial_struggle.faces import describe_components
from domain.imperial_struggle.rules.scoring import score
from domain.imperial_struggle.state import State
from domain.kernel import Ended, Fact, Step

GAME = Game(
    name="imperial_struggle",
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
    backstage=("round", "swept", "owed"),
    idle=("carried", "merchants", "refused", "victories"),
)
