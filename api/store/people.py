"""Names and tokens, beside the log: the log knows players by random ids only.

Of a token only the SHA-256 is stored: it has 256 random bits, so nothing slower is needed.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from api.store import appointments
from api.store.log import Rows
from api.store.seam import Person, StoreError

ROLES = ("player", "organizer", "observer", "admin")
_MOST = 500  # ids in one look-up


T = TypeVar("T")


class Cursor(Protocol):
    """Where statements are carried out, within a transaction; each value is marked by `?`."""

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> Any:
        """Carry out a statement."""

    def fetchone(self) -> Any:
        """The next row; None where there is no more."""


class Writing(Protocol):
    """What does work in one durable transaction, and gives its result."""

    def __call__(self, work: Callable[[Cursor], T], /) -> T:
        """Raises Unavailable: nothing of the work was stored."""


class SqlPeople:
    """The people of one store; see `api.store.seam.People`.

    Args:
        reading: answers questions.
        writing: None where the store is only read.
        keys: where letters of appointment lie.
    """

    def __init__(self, reading: Rows, writing: Writing | None, keys: Path | None) -> None:
        self._reading, self._writing, self._keys = reading, writing, keys

    def add(self, name: str, role: str) -> tuple[Person, str]:
        """A new person, and a 256-bit token of which only the hash is kept.

        Raises:
            StoreError: no such role, or the store is only read.
            Unavailable: the disk is full.
        """
        if role not in ROLES:
            raise StoreError(f"there is no role {role!r}; the roles are {', '.join(ROLES)}")
        person, token = Person(_new_id(), name, role), secrets.token_urlsafe(32)
        self._enter(person, _hash(token))
        return person, token

    def by_token(self, token: str) -> Person | None:
        """Whose token this is."""
        people = "SELECT id, name, role FROM people JOIN tokens ON tokens.person = people.id WHERE hash = ?"
        rows = self._reading.rows(people, (_hash(token),))
        return Person(*rows[0]) if rows else self._appointed(_hash(token))

    def names(self, ids: Sequence[str]) -> dict[str, str | None]:
        """The names of players; forgotten and unknown ones are missing."""
        found: dict[str, str | None] = {}
        for start in range(0, len(ids), _MOST):
            some = ids[start : start + _MOST]
            marks = ", ".join("?" * len(some))
            named = f"SELECT id, name FROM people WHERE name IS NOT NULL AND id IN ({marks})"
            found.update(self._reading.rows(named, tuple(some)))
        return found

    def forget(self, player: str) -> bool:
        """Delete a name and revoke its tokens; whether there was one.

        The id stays taken.  Backups made before still hold the name.
        """

        def delete(cursor: Cursor) -> bool:
            cursor.execute("DELETE FROM tokens WHERE person = ?", (player,))
            cursor.execute(
                "UPDATE people SET name = NULL WHERE id = ? AND name IS NOT NULL RETURNING id", (player,)
            )
            return cursor.fetchone() is not None

        return self._write()(delete)

    def _appointed(self, token_hash: bytes) -> Person | None:
        """Enter the person whom a letter appoints, if there is one for this token."""
        if self._writing is None or self._keys is None:
            return None
        person = appointments.read(self._keys, token_hash)
        if person is not None:
            self._enter(person, token_hash)
            appointments.burn(self._keys, token_hash)
        return person

    def _enter(self, person: Person, token_hash: bytes) -> None:
        row = (person.id, person.name, person.role)
        into_people = "INSERT INTO people (id, name, role) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        into_tokens = "INSERT INTO tokens (hash, person) VALUES (?, ?) ON CONFLICT DO NOTHING"

        def insert(cursor: Cursor) -> None:
            cursor.execute(into_people, row)
            cursor.execute(into_tokens, (token_hash, person.id))

        self._write()(insert)

    def _write(self) -> Writing:
        if self._writing is None:
            raise StoreError("this store is open for reading only")
        return self._writing


def appoint(keys: Path, name: str) -> tuple[Person, str]:
    """A new administrator for a store that another process holds, by a letter in its key folder.

    Raises:
        StoreError: the key folder is missing or cannot be written.
    """
    person, token = Person(_new_id(), name, "admin"), secrets.token_urlsafe(32)
    appointments.write(keys, person, _hash(token))
    return person, token


def _new_id() -> str:
    """ "p" and 80 random bits, lower-case: short enough for an address, never met twice."""
    return "p" + base64.b32encode(secrets.token_bytes(10)).decode().lower()


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
