"""Idempotency keys: the header, the owner of a key, and the hash of the request that came with it."""

from __future__ import annotations

import hashlib
from typing import Annotated

from fastapi import Header
from msgspec import Struct

from api.gate import Key
from api.http.routing import Caller, encode

IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=200,
        description="The same request with the same key gets the same answer again.",
    ),
]


def key_of(call: Caller, key: str | None, body: Struct, *, match: str = "", what: str = "") -> Key | None:
    """Return the key of a command; None if none was sent.

    Of its body counts what it says, not how that was written or by which door.

    Args:
        match: to which it is said; none where the match is to be opened.
        what: what it asks for, besides the body; none for moves.
    """
    if key is None:
        return None
    said = f"{what} ".encode() if what else b""
    owner = call.visitor.owner
    scope = f"{owner} {match}" if match else owner
    return Key(scope, key, hashlib.sha256(said + encode(body)).digest(), call.language)
