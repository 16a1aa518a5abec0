"""What an option is about: the things of the game that its pick names, and what would be done with them.

Nothing is searched in sentences.  A step says how its picks are spelt (`Step.spelling`), so each part of a
pick is known to be an id, a number, a seat, or a word of the step.  Such a word is a thing as well where it
is a place on the table ("cuba").  Of a step that says nothing of its picks, those parts are things that the
game lists or that the asked seat sees on its table.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from msgspec import Struct

from domain.game import Game
from domain.kernel import Pick, Seat, Table
from domain.piles import Pile

MANY = 20  # options; more are shown in groups

_NUMBER, _SEAT = "number", "seat"
_WORD = ""  # the kind of a part that is a word of the step
_UNKNOWN = "?"  # the kind of a part of which the step says nothing
_MOST_READ = 20_000  # picks that are kept as they were read

Part = tuple[str, str]  # what kind of part it is, and the part


class _Read(Struct, frozen=True):
    """A pick in parts; those that are words of the step; and: does the step say nothing of some?"""

    parts: tuple[Part, ...]
    words: tuple[str, ...]
    is_unknown: bool


class Subject(Struct, frozen=True):
    """The things that an option is about; the word for what is done with them ("": none is needed).

    `seat`: the seat that its pick names, if any.
    """

    about: tuple[str, ...] = ()
    verb: str = ""
    seat: Seat = ""


def subjects(
    game: Game, ask: str, picks: Sequence[Pick], table: Table, own: Callable[[], Table]
) -> list[Subject]:
    """What each of these options is about.

    Args:
        ask: the name of the step that asks.
        table: the table on which it asks.
        own: returns that table as the asked seat sees it.
    """
    read = [_read(game, ask, pick) for pick in picks]
    places = _places(table, {word for one in read for word in one.words})
    seen = own() if any(one.is_unknown for one in read) else None
    return [
        _subject(game, one.parts, places, seen) if one.is_unknown else _known(game, one.parts, places)
        for one in read
    ]


def groups(game: Game, found: Sequence[Subject]) -> list[str]:
    """The id under which each option stands in a long list; "" for those that belong to no group.

    That is the region of what it is about; else the thing itself, or the seat, where it has several options.
    A list of at most `MANY` options has no groups.
    """
    if len(found) <= MANY:
        return [""] * len(found)
    regions = _regions(game)
    heads = [subject.about[0] if subject.about else subject.seat for subject in found]
    return [regions.get(head) or (head if heads.count(head) > 1 else "") for head in heads]


@lru_cache(_MOST_READ)
def _known(game: Game, parts: tuple[Part, ...], places: frozenset[str]) -> Subject:
    """What an option is about whose step says how its picks are spelt."""
    return _subject(game, parts, places, None)


def _subject(game: Game, parts: tuple[Part, ...], places: Collection[str], seen: Table | None) -> Subject:
    about, verb, seat = list[str](), "", ""
    for kind, part in parts:
        if kind == _SEAT or (kind == _UNKNOWN and part in game.seats):
            seat = part
        elif _is_thing(game, kind, part, places, seen):
            about.append(_owner(game, part))
        elif kind != _NUMBER and not part.isdecimal():
            verb = verb or part
    return Subject(tuple(about), verb if about else "", seat)


def _is_thing(game: Game, kind: str, part: str, places: Collection[str], seen: Table | None) -> bool:
    if kind == _WORD:
        return part in places
    if kind == _UNKNOWN:
        return part in _all_ids(game) or (not part.isdecimal() and _holds(seen, part))
    return kind != _NUMBER


def _owner(game: Game, id: str) -> str:
    """The thing to which one of its several abilities belongs ("choiseul.construct"); else the id itself."""
    owner, dot, _ = id.partition(".")
    return owner if dot and owner in _all_ids(game) else id


# ── reading picks ──


@lru_cache(_MOST_READ)
def _read(game: Game, ask: str, pick: Pick) -> _Read:
    parts = _parts(game, ask, pick)
    words = tuple(part for kind, part in parts if kind == _WORD)
    return _Read(parts, words, any(kind == _UNKNOWN for kind, _ in parts))


def _parts(game: Game, ask: str, pick: Pick) -> tuple[Part, ...]:
    """The parts of a pick.  The ids of a match's own cards are not those of the game, so they count last."""
    parts = tuple(pick.split(":"))
    for fits in (_fits, _fits_loosely):
        for form in _forms(game).get(ask, ()):
            if len(form) == len(parts) and all(map(fits, [game] * len(parts), form, parts)):
                return tuple((_kind(word), part) for word, part in zip(form, parts, strict=True))
    return tuple((_UNKNOWN, part) for part in parts)


@cache
def _forms(game: Game) -> dict[str, list[tuple[str, ...]]]:
    """How the picks of each step are spelt, in parts."""
    kinds = getattr(game.steps, "__args__", (game.steps,))
    return {kind.__name__: [tuple(form.split(":")) for form in kind.spelling] for kind in kinds}


def _kind(word: str) -> str:
    return word[1:-1] if word.startswith("{") else _WORD


def _fits(game: Game, word: str, part: str) -> bool:
    kind = _kind(word)
    if kind == _WORD:
        return word == part
    if kind == _NUMBER:
        return part.isdecimal()
    return part in (game.seats if kind == _SEAT else _ids(game)[kind])


def _fits_loosely(game: Game, word: str, part: str) -> bool:
    """The same, but for an id of any kind."""
    return _kind(word) not in (_WORD, _NUMBER, _SEAT) or _fits(game, word, part)


@cache
def _ids(game: Game) -> dict[str, frozenset[str]]:
    return {word: frozenset(ids) for word, ids in game.ids.items()}


@cache
def _all_ids(game: Game) -> frozenset[str]:
    return frozenset[str]().union(*game.ids.values())


# ── places and regions ──


def _places(table: Table, words: Collection[str]) -> frozenset[str]:
    """Those of these words that are keys of a table's fields.

    Keys are no secret: what is hidden are values (`Fact.outside`).
    """
    if not words:
        return frozenset()
    values = [getattr(table, name) for name in table.__struct_fields__]
    held = [value for value in values if isinstance(value, dict) and value]
    return frozenset([word for word in words if any(word in value for value in held)])


def _holds(value: Any, id: str) -> bool:
    """Does an id stand in this part of a table?"""
    if isinstance(value, str):
        return value == id
    if isinstance(value, Pile):
        return id in (*value.cards, *value.top, *value.bottom)
    if isinstance(value, Mapping):
        return id in value or any(_holds(item, id) for item in value.values())
    if isinstance(value, (tuple, list)):
        return any(_holds(item, id) for item in value)
    untold = ("agenda", "result", "options", "edition")
    names = value.__struct_fields__ if isinstance(value, Struct) else ()
    return any(_holds(getattr(value, name), id) for name in names if name not in untold)


@cache
def _regions(game: Game) -> dict[str, str]:
    """The region of each thing for which the game's components name one."""
    return dict(_with_region(game.components()))


def _with_region(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        if isinstance(value.get("id"), str) and isinstance(value.get("region"), str):
            yield value["id"], value["region"]
        value = list(value.values())
    for item in value if isinstance(value, (list, tuple)) else ():
        yield from _with_region(item)
