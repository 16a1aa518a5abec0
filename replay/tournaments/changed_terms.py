"""Reads changed terms from TOML, a line each, as the file of terms has them."""

from __future__ import annotations

import tomllib

import msgspec

from domain.kernel import Refused
from domain.tournaments.commands import ChangedTerm, ChangeTerms

MOST_BYTES = 64 * 1024
TITLE = "title"  # which a file of terms has, too; it stays


def read_changes(content: bytes, reason: str) -> ChangeTerms:
    """Return the command that gives these values to fields of the terms; a title is passed over.

    Args:
        content: TOML, in UTF-8; every field that is not named stays.

    Raises:
        Refused: too-large; invalid: it is no TOML, or names no field.
    """
    if len(content) > MOST_BYTES:
        raise Refused("too-large", "body-too-large", {"most": MOST_BYTES})
    try:
        values = tomllib.loads(content.decode("utf-8-sig").replace("\r\n", "\n"))
        values.pop(TITLE, None)
        found = [
            msgspec.convert({"path": path, "value": msgspec.json.encode(value).decode()}, ChangedTerm)
            for path, value in values.items()
        ]
        plain = {"path": found[0].path, "value": found[0].value} if found else {}
        return msgspec.convert(
            {"do": "change_terms", **plain, "also": msgspec.to_builtins(found[1:]), "reason": reason},
            ChangeTerms,
        )
    except (ValueError, RecursionError, msgspec.MsgspecError) as error:  # of TOML, UTF-8 and bounds
        raise Refused("invalid", "quoted", {"said": str(error)[:200]}) from error
