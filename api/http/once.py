"""A name that stands twice in one JSON object: JSON leaves open which of the two counts, so neither does.

msgspec takes the last one.  It is asked first, and what it takes is looked through here: one look for each
name that the shape knows, which costs a move half a microsecond.  Only where a name occurs more often is the
text read a second time, and always where objects may hold names of their own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec import inspect

from api.http.problems import Failed

Look = Callable[[bytes | str], None]


def look(shape: Any, watched: Sequence[str] = ()) -> Look:
    """What looks through JSON that was read as this shape; it raises Failed: invalid.

    `watched`: looks for these names only, where the shape has too many.
    """
    names = watched or (None if _is_open(shape) else sorted(set(_names(shape))))
    in_bytes = [f'"{name}"'.encode() for name in names or ()]
    in_text = [f'"{name}"' for name in names or ()]

    def must_stand_once(content: bytes | str) -> None:
        if names is None or (
            _any_twice(content, in_bytes) if isinstance(content, bytes) else _any_twice(content, in_text)
        ):
            _read_again(content)

    return must_stand_once


def _any_twice(content: Any, names: Sequence[bytes | str]) -> bool:
    count = content.count
    return bool([name for name in names if count(name) > 1])  # with `any` it takes twice the time


def _read_again(content: bytes | str) -> None:
    """Numbers are left as they stand: they may be longer than Python likes to read."""
    json.loads(content, object_pairs_hook=_must_differ, parse_int=str, parse_float=str)


def _must_differ(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict[str, Any]()
    for name, value in pairs:
        if name in found:
            raise Failed("invalid", f"the name {name[:40]!r} stands twice in one object; say it once")
        found[name] = value
    return found


def _parts(shape: Any) -> Iterator[inspect.Type]:
    """A shape and all that it is made of."""
    waiting = [inspect.type_info(shape)]
    while waiting:
        kind = waiting.pop(0)
        yield kind
        if isinstance(kind, inspect.StructType):
            waiting += [field.type for field in kind.fields]
        elif isinstance(kind, inspect.UnionType):
            waiting += kind.types
        elif isinstance(kind, inspect.VarTupleType | inspect.ListType):
            waiting.append(kind.item_type)
        elif isinstance(kind, inspect.Metadata):
            waiting.append(kind.type)


def _is_open(shape: Any) -> bool:
    """May objects stand in it that have names of their own?"""
    return any(isinstance(kind, inspect.AnyType | inspect.DictType) for kind in _parts(shape))


def _names(shape: Any) -> Iterator[str]:
    for kind in _parts(shape):
        if isinstance(kind, inspect.StructType):
            yield from (field.encode_name for field in kind.fields)
            if kind.tag_field is not None:
                yield kind.tag_field


def words_of(shape: Any, name: str) -> list[str]:
    """What a field of this name may hold, where the shape lists it: words, or the tags of its kinds."""
    found = list[str]()
    for kind in _parts(shape):
        if isinstance(kind, inspect.StructType):
            if kind.tag_field == name and isinstance(kind.tag, str):
                found.append(kind.tag)
            for field in kind.fields:
                if field.encode_name == name and isinstance(field.type, inspect.LiteralType):
                    found += [str(value) for value in field.type.values]
    return found
