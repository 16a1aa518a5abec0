"""Upcasters: how bytes that were written under an old tag are read today.

A tag is a stable name, and a field may be added with a default: then old bytes decode as they are.  Any other
change of a fact or a step needs a new tag, and the game lists an upcaster for the old one: plain data in,
plain data of a newer tag out.  It is called only if the bytes do not decode as they are, so it costs nothing
otherwise.  Only what is read changes, never what is stored: roots and proofs cover the bytes first written.

Examples of old bytes are in `tests/stored`; they are never regenerated.
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

    It raises `msgspec.DecodeError` if the bytes have no known tag, old or new.
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
