"""13 Minutes: The Cuban Missile Crisis, 1962 (book 002)."""

from __future__ import annotations

from domain.game import Game
from domain.thirteen_minutes.board import SIDES
from domain.thirteen_minutes.components import components
from domain.thirteen_minutes.editions import EDITIONS, OPTIONS, first, names, table
from domain.thirteen_minutes.facts import AnyFact
from domain.thirteen_minutes.rules import score
from domain.thirteen_minutes.state import State
from domain.thirteen_minutes.steps import AnyStep

GAME = Game(
    name="thirteen_minutes",
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
    names=names,
)
