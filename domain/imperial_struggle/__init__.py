"""Imperial Struggle, for two players: book 001 (2nd printing)."""

from __future__ import annotations

from domain.game import Game
from domain.imperial_struggle.components import SIDES
from domain.imperial_struggle.editions import EDITIONS, OPTIONS, first, table
from domain.imperial_struggle.faces import components
from domain.imperial_struggle.facts import AnyFact
from domain.imperial_struggle.rules.scoring import score
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps import AnyStep

GAME = Game(
    name="imperial_struggle",
    seats=SIDES,
    editions=EDITIONS,
    options=OPTIONS,
    table=table,
    first=first,
    state=State,
    facts=AnyFact,
    steps=AnyStep,
    score=score,
    components=components,
    backstage=("round", "swept", "owed"),
    idle=("carried", "merchants", "refused", "victories"),
)
