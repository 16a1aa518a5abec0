"""Where a store is: the words of GLASNOST_STORE and of `--store`.

DIR, sqlite:DIR          the embedded store in a directory
postgresql://...         the shared store in a database; libpq's variables and ~/.pgpass count, too
shards:FILE              several of these, which an older version divided: for `glasnost migrate --from` alone
"""

from __future__ import annotations

import re
from pathlib import Path

from msgspec import Struct

from api.store.schema import FILE
from api.store.seam import StoreError

SQLITE, SHARDS = "sqlite:", "shards:"
_DATABASE = re.compile("postgres(ql)?://")
_SCHEME = re.compile("[a-z][a-z0-9+.-]+://", re.IGNORECASE)
# What is no directory that anybody means, but a slip: a file of variables may keep the quotes around a value.
_SLIP = re.compile(
    r"""\Z | ["'\s] | .*\s\Z | .*:// | (sqlite|shards|postgres(ql)?):""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_KNOWN = "DIR, sqlite:DIR or postgresql://USER@HOST:PORT/DATABASE"


class ShardsFile(Struct, frozen=True):
    """The map of the shards into which an older version divided a store (`api.store.shards`)."""

    path: Path

    def __str__(self) -> str:
        return f"{SHARDS}{self.path}"


Place = Path | str  # a directory, or the URL of a database
Location = Place | ShardsFile


def located(words: str) -> Location:
    """What these words mean.

    Raises:
        StoreError: nothing that this version knows; the text does not show them: they may hold a password.
    """
    if _DATABASE.match(words) and words == words.strip():
        return words
    if words.startswith(SHARDS):
        return ShardsFile(Path(words.removeprefix(SHARDS)))
    if words.startswith(SQLITE):
        return Path(words.removeprefix(SQLITE) or ".")
    scheme = _SCHEME.match(words)
    if scheme and not _DATABASE.match(words):
        raise StoreError(f"{scheme[0]} is no store that this version knows: it is {_KNOWN}")
    if _SLIP.match(words):
        raise StoreError(
            f"this names no store: it is {_KNOWN}, in small letters, without quotes or blanks around it"
        )
    return Path(words)


def is_there(location: Location) -> bool:
    """Is there a store, or a database that may hold one?"""
    return not isinstance(location, Path) or (location / FILE).exists()


def shown(location: Location) -> str:
    """The location without what is secret in it."""
    if isinstance(location, str):
        from api.store.postgres_address import Address

        return str(Address(location))
    return str(location)
