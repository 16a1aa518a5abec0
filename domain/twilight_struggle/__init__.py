"""Twilight Struggle, for two players: book 000 (2nd edition) and book 003 (Deluxe edition)."""

from __future__ import annotations

from collections.abc import Mapping

from domain.game import Game, Options, closed_union
from domain.kernel import Ended, Fact, Step
from domain.twilight_struggle.cards import describe_components
from domain.twilight_struggle.components import MAP, REGIONS, SIDES
from domain.twilight_struggle.editions import EDITIONS, OPTIONS, adapt, first, table
from domain.twilight_struggle.rules.registry import CARDS
from domain.twilight_struggle.rules.scoring import score
from domain.twilight_struggle.state import State


def names(edition: str, options: Options, language: str) -> Mapping[str, str]:
    """The names of cards, boxes and countries that differ in an edition; `options` change no name."""
    return GAME.texts[language].edition(edition)


GAME = Game(
    name="twilight_struggle",
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
    ids={"card": CARDS, "country": MAP, "region": REGIONS},
    adapt=adapt,
    names=names,
    backstage=("at_start", "gift", "gift_to"),
)
