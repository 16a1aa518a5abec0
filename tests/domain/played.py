"""A played match, and how the checks of `properties` and `viewers` look through its tables."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.game import Game, Options
from domain.kernel import HIDDEN, Answer, AnyFact, Decision, Seat, Table
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

    def __init__(self) -> None:
        super().__init__()
        self._told: dict[Seat | None, list[Any]] = {}

    @property
    def facts(self) -> list[AnyFact]:
        """All facts, in order."""
        return [fact for _, decision in self for fact in decision.facts]

    @property
    def end(self) -> Any:
        """The last table."""
        return self[-1][1].table

    def told(self, viewer: Seat | None) -> list[Any]:
        """The table after each fact, as this viewer knows it from what he is told."""
        if viewer not in self._told:
            table: Any = self.start
            self._told[viewer] = [table := fact.seen_by(viewer).apply(table) for fact in self.facts]
        return self._told[viewer]

    def told_between(self, viewer: Seat | None) -> list[Any]:
        """The same after each answer."""
        after, number = [self.start, *self.told(viewer)], 0
        return [after[number := number + len(decision.facts)] for _, decision in self]


def walk(value: Any, skip: tuple[str, ...] = ()) -> list[str | Pile]:
    """Every text (keys too) and every pile in a table, except in the fields of `skip`."""
    found: list[str | Pile] = []
    _walk(value, skip, found)
    return found


def _walk(value: Any, skip: tuple[str, ...], found: list[str | Pile]) -> None:
    if isinstance(value, (str, Pile)):
        found.append(value)
    elif isinstance(value, Struct):
        for name in value.__struct_fields__:
            if name not in skip:
                _walk(getattr(value, name), skip, found)
    elif isinstance(value, dict):
        for key, item in value.items():
            _walk(key, (), found)
            _walk(item, (), found)
    elif isinstance(value, (list, tuple)):
        for item in value:
            _walk(item, (), found)


class Found(Struct, frozen=True):
    """What lies on a table, or in a part of it: the piles, their ids, and all but their loose cards."""

    piles: tuple[Pile, ...]
    ids: frozenset[str]
    placed: tuple[str, ...]


# What was found is kept with where it was: the tables of a match share the parts that did not change.
_KEPT: dict[int, tuple[Any, Found]] = {}
_MOST_KEPT = 20_000


def _found(place: Any) -> Found:
    kept = _KEPT.get(id(place))
    if kept is not None:  # the place is kept, too, so its id is no other's
        return kept[1]
    found = _in_struct(place) if isinstance(place, Struct) and not isinstance(place, Pile) else _in(place)
    if len(_KEPT) >= _MOST_KEPT:
        _KEPT.clear()
    _KEPT[id(place)] = (place, found)
    return found


def _in_struct(value: Any) -> Found:
    parts = [_found(getattr(value, name)) for name in value.__struct_fields__ if name not in NOT_PLACES]
    piles = tuple(pile for part in parts for pile in part.piles)
    ids = frozenset[str]().union(*(part.ids for part in parts))
    return Found(piles, ids, tuple(text for part in parts for text in part.placed))


def _in(value: Any) -> Found:
    items = walk(value, NOT_PLACES)
    piles = tuple(item for item in items if isinstance(item, Pile))
    ids = {card for pile in piles for card in pile.cards + pile.top + pile.bottom} - {HIDDEN}
    placed: list[str] = []
    for item in items:
        placed += item.top + item.bottom if isinstance(item, Pile) else (item,)
    return Found(piles, frozenset(ids), tuple(placed))


def piles(table: Any) -> tuple[Pile, ...]:
    """All piles of a table."""
    return _found(table).piles


def pile_ids(table: Any) -> frozenset[str]:
    """All ids that lie, or may lie, in its piles."""
    return _found(table).ids


def placed(table: Any, universe: Set[str]) -> list[str]:
    """Which of these cards lie where on a table, apart from the loose cards of piles."""
    return [text for text in _found(table).placed if text in universe]
