"""A played match, and how the checks of `properties` and `viewers` look through its tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.game import Game, Options
from domain.kernel import HIDDEN, Answer, AnyFact, Decision, Table
from domain.piles import Pile

# Fields of a table that never say where a card lies: what a card brought about may outlast its place.
NOT_PLACES = ("agenda", "result", "options", "edition", "effects")


def table_of(game: Game, plain: dict[str, Any]) -> Any:
    """The table that plain data holds, its agenda too: what stands there are steps of the game."""
    agenda = tuple(msgspec.convert(step, game.steps) for step in plain.get("agenda", ()))
    return replace(msgspec.convert({**plain, "agenda": []}, game.state), agenda=agenda)


class Played(list[tuple[Answer, Decision[Any]]]):
    """A match: each answer with what followed from it; the first entry is the opening (`OPENING`).

    `start` is the empty table, before the first fact; `edition` and `options` are those it was made for.
    """

    start: Table
    edition: str
    options: Options

    @property
    def facts(self) -> list[AnyFact]:
        """All facts, in order."""
        return [fact for _, decision in self for fact in decision.facts]

    @property
    def end(self) -> Any:
        """The last table."""
        return self[-1][1].table


def walk(value: Any, skip: tuple[str, ...] = ()) -> Iterator[str | Pile]:
    """Every text (keys too) and every pile in a table, except in the fields of `skip`."""
    if isinstance(value, (str, Pile)):
        yield value
    elif isinstance(value, Struct):
        for name in value.__struct_fields__:
            if name not in skip:
                yield from walk(getattr(value, name), skip)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from walk(key)
            yield from walk(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from walk(item)


def piles(table: Any) -> list[Pile]:
    """All piles of a table."""
    return [item for item in walk(table, NOT_PLACES) if isinstance(item, Pile)]


def pile_ids(table: Any) -> set[str]:
    """All ids that lie, or may lie, in its piles."""
    return {card for pile in piles(table) for card in pile.cards + pile.top + pile.bottom} - {HIDDEN}


def placed(table: Any, universe: set[str]) -> list[str]:
    """Which of these cards lie where on a table, apart from the loose cards of piles."""
    found: list[str] = []
    for item in walk(table, NOT_PLACES):
        found += item.top + item.bottom if isinstance(item, Pile) else (item,)
    return [card for card in found if card in universe]
