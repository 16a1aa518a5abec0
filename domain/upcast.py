"""Old tags for ever: how bytes written under a tag that is no longer in use are read today.

A tag is a stable name, and a field may be added with a default: such bytes need nothing.  Any other change of
a fact or a step is a new tag, and the game lists an upcaster for the old one: plain data in, plain data of a
newer tag out.  It is called only when the bytes do not decode as they stand, so it costs nothing otherwise;
and only what is read changes, never what is stored: roots and proofs are over the bytes first written.

Stored examples of old bytes lie in `tests/stored`; they are never written anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

Plain = dict[str, Any]
Upcaster = Callable[[Plain], Plain]
Upcasters = Mapping[tuple[str, str], Upcaster]
"""Upcasters by tag field ("fact" for facts, "do" for steps) and old tag."""

NO_OLD_TAGS: Upcasters = {}
_FIELDS = ("fact", "do")


def decoder(kind: Any, upcasters: Upcasters) -> Callable[[bytes | msgspec.Raw], Any]:
    """A function that decodes `kind` from JSON, old tags included.

    It raises `msgspec.DecodeError` (see there) where the bytes are of no tag, old or new.
    """
    strict = msgspec.json.Decoder(kind).decode
    if not upcasters:
        return strict

    def decode(data: bytes | msgspec.Raw) -> Any:
        try:
            return strict(data)
        except msgspec.ValidationError:
            plain = msgspec.json.decode(data)
            newer = upcast(plain, upcasters)
            if newer == plain:
                raise
            return strict(msgspec.json.encode(newer))

    return decode


def upcast(value: Any, upcasters: Upcasters) -> Any:
    """Plain data with every old tag in it, however deep, replaced by the newest; the rest stays as it is."""
    if isinstance(value, list):
        return [upcast(item, upcasters) for item in value]
    if not isinstance(value, dict):
        return value
    for _ in upcasters:  # an old tag may lead to one that is old, too
        old = next((tag for tag in _tags(value) if tag in upcasters), None)
        if old is None:
            break
        value = upcasters[old](value)
    return {name: upcast(item, upcasters) for name, item in value.items()}


def _tags(value: Plain) -> list[tuple[str, str]]:
    return [(field, value[field]) for field in _FIELDS if isinstance(value.get(field), str)]
