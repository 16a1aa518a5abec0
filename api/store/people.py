"""Names and tokens, beside the log: the log knows players by random ids only.

Of a token only the SHA-256 is stored: it has 256 random bits, so nothing slower is needed.  What is done with
a person leaves an entry in the audit log, which holds ids only.  The id of a forgotten person stays taken for
ever.
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
from api.store.names import LAST, folded, is_in
from api.store.seam import Act, AuditEntry, Barred, Found, Known, Person, StoreError

ROLES = ("player", "organizer", "observer", "admin")
_MOST = 500  # ids in one look-up
_ONE_BY_ONE = "people"  # the name in `meta` of the row that whoever changes people changes first
_OLD_NAMES = "old names"  # what stands in that row while bytes of old names may be left in the store
TRACES = f"WHERE name = '{_ONE_BY_ONE}' AND value = '{_OLD_NAMES}'"


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
        self._watchers: list[Callable[[str], None]] = []

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
        token_hash = _hash(token)
        found = self._whose("hash = ?", token_hash)
        if found is None and self._appointed(token_hash):
            found = self._whose("hash = ?", token_hash)
        return found

    def by_holder(self, holder: str) -> Person | None:
        """See `People.by_holder`."""
        begin = bytes.fromhex(holder)
        return self._whose("hash BETWEEN ? AND ?", begin + bytes(16), begin + b"\xff" * 16)

    def _whose(self, which: str, *values: bytes) -> Person | None:
        people = f"SELECT id, name, role FROM people JOIN tokens ON tokens.person = people.id WHERE {which}"
        rows = self._reading.rows(people, values)
        return Person(*rows[0]) if rows else None

    def names(self, ids: Sequence[str]) -> dict[str, str | None]:
        """See `People.names`."""
        found: dict[str, str | None] = {}
        for start in range(0, len(ids), _MOST):
            some = ids[start : start + _MOST]
            marks = ", ".join("?" * len(some))
            found.update(
                self._reading.rows(f"SELECT id, name FROM people WHERE id IN ({marks})", tuple(some))
            )
        return found

    def known(self, player: str) -> Known | None:
        """See `People.known`."""
        tokens = "SELECT count(*) FROM tokens WHERE person = people.id"
        rows = self._reading.rows(f"SELECT id, name, role, ({tokens}) FROM people WHERE id = ?", (player,))
        return Known(*rows[0]) if rows else None

    def find(self, name: str, *, whole: bool, after: Sequence[str], limit: int) -> list[Found]:
        """See `People.find`."""
        sought = folded(name)
        which = "folded = ?" if whole else "folded >= ? AND folded < ?"
        values = [sought] if whole else [sought, sought + LAST]
        if after:
            which += " AND (folded, id) > (?, ?)"
        select = f"SELECT folded, id, name FROM people WHERE folded IS NOT NULL AND {which}"
        rows = self._reading.rows(f"{select} ORDER BY folded, id LIMIT ?", (*values, *after, limit))
        return [Found(*row) for row in rows]

    def audit_log(self, before: Sequence[int | str], limit: int) -> list[AuditEntry]:
        """See `People.audit_log`."""
        which = "WHERE (at, id) < (?, ?)" if before else ""
        select = f"SELECT id, at, action, person, doer, reason FROM audit_log {which}"
        rows = self._reading.rows(f"{select} ORDER BY at DESC, id DESC LIMIT ?", (*before, limit))
        return [AuditEntry(*row) for row in rows]

    # ── what is done with a person ──

    def forget(self, player: str, act: Act) -> bool:
        """See `People.forget`.  Backups made before still hold the name."""

        def work(cursor: Cursor) -> bool:
            found = _found(cursor, player)
            if found.forgotten:
                return False
            _must_not_be_last(cursor, found)
            _must_not_name(found, act)
            cursor.execute("DELETE FROM tokens WHERE person = ?", (player,))
            cursor.execute("UPDATE people SET name = NULL, folded = NULL WHERE id = ?", (player,))
            cursor.execute("UPDATE audit_log SET reason = '' WHERE person = ?", (player,))
            _leave_traces(cursor)
            _enter_action(cursor, "forget", player, act)
            return True

        forgotten = self._change(player, work)
        if self._keys is not None:
            appointments.burn_those_of(self._keys, player)
        return forgotten

    def rename(self, player: str, name: str, act: Act) -> bool:
        """See `People.rename`."""

        def work(cursor: Cursor) -> bool:
            found = _remembered(cursor, player)
            if found.name == name:
                return False
            _must_not_name(found, act)
            cursor.execute(
                "UPDATE people SET name = ?, folded = ? WHERE id = ?", (name, folded(name), player)
            )
            _leave_traces(cursor)
            _enter_action(cursor, "rename", player, act)
            return True

        return self._change(player, work)

    def revoke(self, player: str, act: Act) -> bool:
        """See `People.revoke`."""

        def work(cursor: Cursor) -> bool:
            found = _found(cursor, player)
            if not found.tokens:
                return False
            _must_not_be_last(cursor, found)
            _must_not_name(found, act)
            cursor.execute("DELETE FROM tokens WHERE person = ?", (player,))
            _enter_action(cursor, "revoke", player, act)
            return True

        return self._change(player, work)

    def new_token(self, player: str, act: Act) -> str:
        """See `People.new_token`."""
        token = secrets.token_urlsafe(32)

        def work(cursor: Cursor) -> None:
            _must_not_name(_remembered(cursor, player), act)
            cursor.execute("DELETE FROM tokens WHERE person = ?", (player,))
            cursor.execute("INSERT INTO tokens (hash, person) VALUES (?, ?)", (_hash(token), player))
            _enter_action(cursor, "new-token", player, act)

        self._change(player, work)
        return token

    def watch(self, told: Callable[[str], None]) -> None:
        """See `People.watch`."""
        self._watchers.append(told)

    def _change(self, player: str, work: Callable[[Cursor], T]) -> T:
        """Do work on a person, one after the other whoever writes, and tell of it."""

        def in_turn(cursor: Cursor) -> T:
            cursor.execute(
                "INSERT INTO meta (name, value) VALUES (?, '')"
                " ON CONFLICT (name) DO UPDATE SET value = meta.value",
                (_ONE_BY_ONE,),
            )
            done = work(cursor)
            self._announce(cursor, player)
            return done

        done = self._write()(in_turn)
        self._tell(player)
        return done

    def _announce(self, cursor: Cursor, player: str) -> None:
        """Tell other processes, with the commit."""

    def _tell(self, player: str) -> None:
        for told in self._watchers:
            told(player)

    # ── who comes ──

    def _appointed(self, token_hash: bytes) -> bool:
        """Enter the person whom a letter appoints, if there is one for this token.

        A person who stands in the store already has come before, or was forgotten: then the letter is void.
        """
        if self._writing is None or self._keys is None:
            return False
        person = appointments.read(self._keys, token_hash)
        if person is None:
            return False
        self._enter(person, token_hash)
        appointments.burn(self._keys, token_hash)
        return True

    def _enter(self, person: Person, token_hash: bytes) -> None:
        row = (person.id, person.name, person.role, folded(person.name or ""))

        def insert(cursor: Cursor) -> None:
            cursor.execute(
                "INSERT INTO people (id, name, role, folded) VALUES (?, ?, ?, ?)"
                " ON CONFLICT DO NOTHING RETURNING id",
                row,
            )
            if cursor.fetchone() is not None:
                cursor.execute("INSERT INTO tokens (hash, person) VALUES (?, ?)", (token_hash, person.id))

        self._write()(insert)

    def _write(self) -> Writing:
        if self._writing is None:
            raise StoreError("this store is open for reading only")
        return self._writing


def _found(cursor: Cursor, player: str) -> Known:
    """The person.  Raises Barred: unknown-player."""
    cursor.execute(
        "SELECT id, name, role, (SELECT count(*) FROM tokens WHERE person = people.id) FROM people"
        " WHERE id = ?",
        (player,),
    )
    row = cursor.fetchone()
    if row is None:
        raise Barred("unknown-player", f"there is no player {player[:64]!r} here")
    return Known(*row)


def _remembered(cursor: Cursor, player: str) -> Known:
    """The person, who was not forgotten.  Raises Barred: unknown-player, forgotten."""
    found = _found(cursor, player)
    if found.forgotten:
        raise Barred("forgotten", f"player {player} was forgotten, and does not come back")
    return found


def _must_not_be_last(cursor: Cursor, person: Known) -> None:
    """Raises Barred: last-admin."""
    if person.role != "admin" or not person.tokens:
        return
    cursor.execute(
        "SELECT 1 FROM people JOIN tokens ON tokens.person = people.id"
        " WHERE role = 'admin' AND id <> ? LIMIT 1",
        (person.id,),
    )
    if cursor.fetchone() is None:
        raise Barred(
            "last-admin",
            f"{person.id} is the last administrator with a token:"
            " make another one first (glasnost admin-token)",
        )


def _must_not_name(person: Known, act: Act) -> None:
    """The audit log holds no name.  Raises Barred: reason."""
    if is_in(person.name or "", act.reason):
        raise Barred("reason", "the reason holds the name of the player: say it without the name")


def _leave_traces(cursor: Cursor) -> None:
    cursor.execute("UPDATE meta SET value = ? WHERE name = ?", (_OLD_NAMES, _ONE_BY_ONE))


def _enter_action(cursor: Cursor, action: str, player: str, act: Act) -> None:
    row = (_new_id("a"), act.at, action, player, act.by, act.reason)
    cursor.execute(
        "INSERT INTO audit_log (id, at, action, person, doer, reason) VALUES (?, ?, ?, ?, ?, ?)", row
    )


def appoint(keys: Path, name: str) -> tuple[Person, str]:
    """A new administrator for a store that another process holds, by a letter in its key folder.

    Raises:
        StoreError: the key folder is missing or cannot be written.
    """
    person, token = Person(_new_id(), name, "admin"), secrets.token_urlsafe(32)
    appointments.write(keys, person, _hash(token))
    return person, token


def _new_id(kind: str = "p") -> str:
    """A letter and 80 random bits, lower-case: short enough for an address, never met twice."""
    return kind + base64.b32encode(secrets.token_bytes(10)).decode().lower()


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
