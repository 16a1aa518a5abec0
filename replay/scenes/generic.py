"""The scene of any table, without a word of its game: every field but those that it keeps backstage.

*   one number for each seat is a pair; one id for each seat, and single values, are lines of status;
*   ids, and piles, are cards: those that the viewer does not know are only counted;
*   whatever else has keys is a table, a row for each key; what a seat has of each is a column of it.

What is empty is left out, and so is a field that the game says to be idle, while it is 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from msgspec import Struct

from domain.game import Game
from domain.kernel import HIDDEN, Seat, Table
from domain.piles import Pile
from replay.positions import fields
from replay.scenes.vocabulary import Cards, Pair, Panel, Rows, Scene, Status, Value

YES = "yes"  # a value that is true; one that is not is absent
SEALED = "sealed"  # a number that the viewer may not see
Path = tuple[str, ...]


def generic_scene(table: Table, game: Game) -> Scene:
    """The scene of a table as one viewer saw it."""
    single: dict[str, Value] = {}
    panels: dict[str, Panel] = {}
    shown = [(name, value) for name, value in fields(table) if name not in ("options", *game.backstage)]
    for name, value in shown:
        if name in game.idle and not _counts(value):
            continue
        if isinstance(value, (str, int)) or value is None:
            single.update(_single(name, value))
        else:
            panels.update(_panels(name, value, game.seats))
    if single:
        panels["status"] = Status(single)
    return Scene({}, panels, ("status", *(name for name, _ in shown)))


def cards_of(cards: tuple[str, ...], seat: Seat = "", folded: bool = False) -> Cards:
    """Cards of one place.  Those that stand by their ids have no other order, so all are at place 0."""
    unordered = all(one <= two for one, two in pairwise(cards))
    known = {card: 0 if unordered else place for place, card in enumerate(cards) if card != HIDDEN}
    return Cards(known, cards.count(HIDDEN), seat, folded)


def pile_of(pile: Pile, seat: Seat = "", folded: bool = False) -> Cards:
    """A face-down pile: how many cards, and those whose place is known, counted from the top.

    What else may lie in it stays in the table: the viewer knows no place of it.
    """
    placed = [*enumerate(pile.top), *enumerate(pile.bottom, pile.size - len(pile.bottom))]
    known = {card: place for place, card in placed if card != HIDDEN}
    return Cards(known, pile.size - len(known), seat, folded)


def bids_of(bids: Mapping[Seat, Value]) -> Status:
    """What each seat bid; what the viewer does not know of it is that it was done."""
    return Status({seat: SEALED if bid == HIDDEN else bid for seat, bid in bids.items()})


def _counts(value: Any) -> bool:
    return any(value.values()) if isinstance(value, dict) else bool(value)


def _single(name: str, value: str | int | None) -> dict[str, Value]:
    if value is None or value is False or value == "":
        return {}
    return {name: YES if value is True else value}


def _panels(name: str, value: Any, seats: tuple[Seat, ...]) -> Iterator[tuple[str, Panel]]:
    """The panels of one field whose value has parts."""
    by_seat = isinstance(value, dict) and set(value) <= set(seats)
    if by_seat and value and all(type(item) is int for item in value.values()):
        yield name, Pair(value)
        return
    if by_seat and value and all(isinstance(item, str) for item in value.values()):
        yield name, Status(value)
        return
    rows: dict[str, dict[str, Value]] = {}
    for path, leaf in _leaves((), value):
        if isinstance(leaf, (Pile, tuple)):
            yield from _cards((name, *path), leaf, seats)
        elif leaf is not None and leaf is not False and leaf != "":
            row, column = _cell(path, name, by_seat)
            rows.setdefault(row, {})[column] = YES if leaf is True else leaf
    if rows:
        columns = tuple(dict.fromkeys(column for row in rows.values() for column in row))
        yield name, Rows(columns, rows)


def _cell(path: Path, name: str, by_seat: bool) -> tuple[str, str]:
    """The row and the column of a value: what each seat has of one thing stands beside each other."""
    if by_seat and len(path) > 1:
        seat, row, *rest = path
        return row, ".".join((seat, *rest))
    row, *rest = path
    return row, ".".join(rest) or name


def _leaves(path: Path, value: Any) -> Iterator[tuple[Path, Any]]:
    """The values below one, each with the way to it; ids that lie together are one value."""
    if isinstance(value, Pile) or (isinstance(value, tuple) and all(isinstance(id, str) for id in value)):
        yield path, value
    elif isinstance(value, (Struct, Mapping, tuple)):
        for key, item in _parts(value):
            yield from _leaves((*path, key), item)
    else:
        yield path, value


def _parts(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, Struct):
        return [(name, getattr(value, name)) for name in value.__struct_fields__]
    if isinstance(value, tuple):
        return [(str(number), item) for number, item in enumerate(value, 1)]
    return list(value.items())


def _cards(path: Path, value: Pile | tuple[str, ...], seats: tuple[Seat, ...]) -> Iterator[tuple[str, Panel]]:
    """The panel of cards, if any lie there."""
    seat = next((part for part in path if part in seats), "")
    panel = pile_of(value, seat) if isinstance(value, Pile) else cards_of(value, seat)
    if panel.cards or panel.hidden:
        yield ".".join(path), panel
