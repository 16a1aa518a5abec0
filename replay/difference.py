"""What differs between the tables after two moves: fields, counts and lists, as data and as sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from domain.kernel import Seat
from domain.match import Match
from domain.piles import Pile
from replay.positions import plain, table_at
from replay.words import Words


class Change(Struct, frozen=True, omit_defaults=True):
    """One place on the table that differs.

    `path` leads to it: the field, then keys.  For a list of ids `gained` and `lost` say which, and `before`
    and `after` how many there are; with neither, only their order differs.  Of a pile only the size is given.
    """

    path: tuple[str, ...]
    before: Any
    after: Any
    gained: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    listed: bool = False


def difference(match: Match, first: int, second: int, viewer: Seat | None = None) -> list[Change]:
    """Return the changes from the table after move `first` to the table after move `second`, for a viewer.

    Raises:
        NoView: see `replay.positions`.
    """
    before, after = table_at(match, first, viewer), table_at(match, second, viewer)
    return list(_changes((), before, after))


def sentences(changes: Iterable[Change], words: Words) -> list[str]:
    """Return a sentence for each change that is shown."""
    shown = [change for change in changes if change.path[0] not in words.backstage]
    return [_sentence(change, words) for change in shown] or [words.shown("no_difference")]


def _changes(path: tuple[str, ...], before: Any, after: Any) -> Iterator[Change]:
    if before is after or before == after:
        return
    if isinstance(before, Pile) and isinstance(after, Pile):
        yield from _pile_changes(path, before, after)
    elif isinstance(before, Struct) and type(before) is type(after):
        for name in before.__struct_fields__:
            if name != "agenda":
                yield from _changes((*path, name), getattr(before, name), getattr(after, name))
    elif isinstance(before, dict) and isinstance(after, dict):
        for key in dict.fromkeys((*before, *after)):
            yield from _changes((*path, str(key)), before.get(key), after.get(key))
    elif _is_list(before) and _is_list(after):
        yield _list_change(path, before or (), after or ())
    else:
        yield Change(path, plain(before), plain(after))


def _pile_changes(path: tuple[str, ...], before: Pile, after: Pile) -> Iterator[Change]:
    """A viewer cannot see which cards a pile holds; only its size and its fixed parts are compared."""
    if before.size != after.size:
        yield Change(path, before.size, after.size)
    yield from _changes((*path, "top"), before.top, after.top)
    yield from _changes((*path, "bottom"), before.bottom, after.bottom)


def _is_list(value: Any) -> bool:
    return value is None or (
        isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value)
    )


def _list_change(path: tuple[str, ...], before: tuple[str, ...], after: tuple[str, ...]) -> Change:
    had, has = Counter(before), Counter(after)
    gained, lost = tuple((has - had).elements()), tuple((had - has).elements())
    return Change(path, len(before), len(after), gained, lost, listed=True)


def _sentence(change: Change, words: Words) -> str:
    place = " · ".join(words.field(name) for name in change.path)
    if not change.listed:
        return f"{place}: {_value(change.before, words)} → {_value(change.after, words)}"
    if not change.gained and not change.lost:
        return f"{place}: {words.shown('order')}"
    signed = [f"+ {words.name(card)}" for card in change.gained]
    signed += [f"− {words.name(card)}" for card in change.lost]
    return f"{place}: {', '.join(signed)} ({change.before} → {change.after})"


def _value(value: Any, words: Words) -> str:
    if isinstance(value, bool):
        return words.shown("yes" if value else "no")
    if value is None or value in ("", [], {}):
        return words.shown("nothing")
    if isinstance(value, dict):
        shown = {name: item for name, item in value.items() if item not in (None, "", [], {})}
        return ", ".join(f"{words.field(name)}: {_value(item, words)}" for name, item in shown.items())
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return "; ".join(_value(item, words) for item in value)
    return words.name(value)
