"""Twilight Struggle, for two players: book 000 (2nd edition) and book 003 (Deluxe edition)."""

from __future__ import annotations

from collections.abc import Mapping

from domain.game import Game, Options
from domain.twilight_struggle.cards import components
from domain.twilight_struggle.components import SIDES
from domain.twilight_struggle.editions import EDITIONS, OPTIONS, adapt, first, table
from domain.twilight_struggle.facts import AnyFact
from domain.twilight_struggle.rules.scoring import score
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps import AnyStep


def names(edition: str, options: Options, language: str) -> Mapping[str, str]:
    """Cards, boxes and countries that the book of an edition calls otherwise; `options` change no name."""
    return GAME.texts[language].edition(edition)


GAME = Game(
    name="twilight_struggle",
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
    adapt=adapt,
    names=names,
    backstage=("at_start", "gift", "gift_to"),
)
