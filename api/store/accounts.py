"""What is stored beside the log: people, tokens, invitations of administrators, upload quotas, reserved
seats.

Of a token only the SHA-256 is stored: it has 256 random bits, so no slower hash is needed.  Every change of a
person makes an entry in the audit log, which holds only ids.  The id of a forgotten person is never used
again.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import secrets
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec

from api.store.events import Rows
from api.store.interface import (
    Act,
    AuditEntry,
    Conflict,
    Found,
    Known,
    Person,
    Quota,
    Reservation,
    Reservations,
    Spent,
    StoreError,
    Withdrawal,
)
from domain.kernel import Refused
from domain.log import canonical

# Invitations of administrators: how the owner of a store adds an administrator while a server holds the
# store.
#
# A user who may write into the key folder may invite.  An invitation is a file named by the hash of the new
# token; when the token is used for the first time, the server finds the file, enters the person in the store,
# and deletes the file.

FOLDER = "appointments"
_NAME = re.compile("[0-9a-f]{64}")


def write_invitation(keys: Path, person: Person, token_hash: bytes) -> None:
    """Write an invitation for the owner of the token with this hash.

    Raises:
        StoreError: the key folder is missing or cannot be written.
    """
    try:
        (keys / FOLDER).mkdir(mode=0o700, exist_ok=True)
        letter = os.open(_path(keys, token_hash), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(letter, "wb") as file:
            file.write(canonical(person) + b"\n")
    except OSError as error:
        raise StoreError(f"no invitation can be written into {keys}: {error.strerror}") from error


def read_invitation(keys: Path, token_hash: bytes) -> Person | None:
    """Return the person whom the invitation for this token names; None if there is no invitation."""
    try:
        return msgspec.json.decode(_path(keys, token_hash).read_bytes(), type=Person)
    except (OSError, msgspec.DecodeError):
        return None


def burn_invitation(keys: Path, token_hash: bytes) -> None:
    """Delete the invitation for this token, because the person is in the store."""
    with suppress(OSError):
        _path(keys, token_hash).unlink()


def burn_those_of(keys: Path, player: str) -> None:
    """Delete all invitations for this id."""
    for path in (keys / FOLDER).glob("*"):
        if _NAME.fullmatch(path.name):
            token_hash = bytes.fromhex(path.name)
            person = read_invitation(keys, token_hash)
            if person is not None and person.id == player:
                burn_invitation(keys, token_hash)


def copy(source: Path, target: Path) -> int:
    """Copy the unused invitations of one key folder to another; return how many there are.

    Raises:
        StoreError: the other folder cannot be written.
    """
    folder = source / FOLDER
    hashes = [bytes.fromhex(path.name) for path in sorted(folder.glob("*")) if _NAME.fullmatch(path.name)]
    letters = [
        (token_hash, person) for token_hash in hashes if (person := read_invitation(source, token_hash))
    ]
    for token_hash, person in letters:
        if read_invitation(target, token_hash) is None:
            write_invitation(target, person, token_hash)
    return len(letters)


def _path(keys: Path, token_hash: bytes) -> Path:
    return keys / FOLDER / token_hash.hex()


# ── How names are compared, and who has one ──
#
# A name is looked up by its folded form: letters that Unicode treats as the same are equal, capital or small,
# and invisible marks do not count.

MOST = 64  # letters of a folded name that are stored
LAST = "\U0010ffff"  # sorts after every continuation of a name


def folded(name: str) -> str:
    """Return the form by which a name is looked up."""
    seen = "".join(letter for letter in name.strip() if unicodedata.category(letter) != "Cf")
    plain = unicodedata.normalize("NFKC", seen)
    return unicodedata.normalize("NFKC", plain.casefold())[:MOST]


def is_in(name: str, text: str) -> bool:
    """Does a text contain a name?  A short name in Latin letters counts only as separate words."""
    words, sought = _words(text), _words(name)
    if sought.isascii() and len(sought) < 4:
        return bool(sought) and f" {sought} " in f" {words} "
    return sought in words


def _words(text: str) -> str:
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join("".join(letter if letter.isalnum() else " " for letter in plain).split())


# ── Names and tokens, beside the log: the log knows players by random ids only ──


ROLES = ("player", "organizer", "observer", "admin", "bot")
_MOST = 500  # ids in one look-up
_ONE_BY_ONE = "people"  # the name in `meta` of the row that every change of people changes first
_OLD_NAMES = "old names"  # the value of that row while bytes of old names may be left in the store
TRACES = f"WHERE name = '{_ONE_BY_ONE}' AND value = '{_OLD_NAMES}'"


T = TypeVar("T")


class Cursor(Protocol):
    """Executes statements within a transaction; `?` marks each value."""

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> Any:
        """Execute a statement."""

    def fetchone(self) -> Any:
        """Return the next row, or None after the last one."""


class Writing(Protocol):
    """Does work in one durable transaction, and returns its result."""

    def __call__(self, work: Callable[[Cursor], T], /) -> T:
        """Do the work.  Raises Unavailable: nothing of the work was stored."""


class SqlPeople:
    """The people of one store; see `api.store.interface.People`.

    Args:
        reading: runs queries.
        writing: runs transactions; None if the store is only read.
        keys: the folder with the invitations of administrators.
    """

    def __init__(self, reading: Rows, writing: Writing | None, keys: Path | None) -> None:
        self._reading, self._writing, self._keys = reading, writing, keys
        self._callbacks: list[Callable[[str], None]] = []

    def add(self, name: str, role: str) -> tuple[Person, str]:
        """Add a person; return them and a new 256-bit token, of which only the hash is stored.

        Raises:
            StoreError: there is no such role, or the store is only read.
            Unavailable: the disk is full.
        """
        if role not in ROLES:
            raise StoreError(f"there is no role {role!r}; the roles are {', '.join(ROLES)}")
        person, token = Person(new_id(), name, role), secrets.token_urlsafe(32)
        self._enter(person, hash_of(token))
        return person, token

    def by_token(self, token: str) -> Person | None:
        """Return the person with this token, or None."""
        token_hash = hash_of(token)
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

    def bots(self, ids: Sequence[str]) -> set[str]:
        """See `People.bots`."""
        found: set[str] = set()
        for start in range(0, len(ids), _MOST):
            some = ids[start : start + _MOST]
            marks = ", ".join("?" * len(some))
            which = f"SELECT id FROM people WHERE role = 'bot' AND id IN ({marks})"
            found.update(row[0] for row in self._reading.rows(which, tuple(some)))
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

    def forgotten(self) -> dict[str, int | None]:
        """See `People.forgotten`."""
        at = "SELECT min(at) FROM audit_log WHERE person = people.id AND action = 'forget'"
        return dict(self._reading.rows(f"SELECT id, ({at}) FROM people WHERE name IS NULL"))

    # ── what is done with a person ──

    def forget(self, player: str, act: Act) -> bool:
        """See `People.forget`.  Backups made before still hold the name."""

        def work(cursor: Cursor) -> bool:
            found = _found(cursor, player)
            if found.forgotten:
                return False
            _must_not_be_last(cursor, found)
            must_not_name(found, act)
            _lock_out(cursor, player)
            _forget_address(cursor, player)
            cursor.execute("UPDATE people SET name = NULL, folded = NULL WHERE id = ?", (player,))
            cursor.execute("UPDATE audit_log SET reason = '' WHERE person = ?", (player,))
            _leave_traces(cursor)
            enter_action(cursor, "forget", player, act)
            return True

        forgotten = self._change(player, work)
        if self._keys is not None:
            burn_those_of(self._keys, player)
        return forgotten

    def rename(self, player: str, name: str, act: Act) -> bool:
        """See `People.rename`."""

        def work(cursor: Cursor) -> bool:
            found = remembered(cursor, player)
            if found.name == name:
                return False
            must_not_name(found, act)
            cursor.execute(
                "UPDATE people SET name = ?, folded = ? WHERE id = ?", (name, folded(name), player)
            )
            _leave_traces(cursor)
            enter_action(cursor, "rename", player, act)
            return True

        return self._change(player, work)

    def revoke(self, player: str, act: Act) -> bool:
        """See `People.revoke`."""

        def work(cursor: Cursor) -> bool:
            found = _found(cursor, player)
            _must_not_be_last(cursor, found)
            must_not_name(found, act)
            if not _lock_out(cursor, player):
                return False
            enter_action(cursor, "revoke", player, act)
            return True

        return self._change(player, work)

    def new_token(self, player: str, act: Act) -> str:
        """See `People.new_token`."""
        token = secrets.token_urlsafe(32)

        def work(cursor: Cursor) -> None:
            must_not_name(remembered(cursor, player), act)
            _lock_out(cursor, player)
            cursor.execute("INSERT INTO tokens (hash, person) VALUES (?, ?)", (hash_of(token), player))
            enter_action(cursor, "new-token", player, act)

        self._change(player, work)
        return token

    def watch(self, callback: Callable[[str], None]) -> None:
        """See `People.watch`."""
        self._callbacks.append(callback)

    def _change(self, player: str, work: Callable[[Cursor], T]) -> T:
        """Change a person, after all other changes of people, and announce the change."""

        def announced(cursor: Cursor) -> T:
            done = work(cursor)
            self._announce(cursor, player)
            return done

        done = self._in_turn(announced)
        self._tell(player)
        return done

    def _in_turn(self, work: Callable[[Cursor], T]) -> T:
        """Do work after all other changes of people."""

        def in_turn(cursor: Cursor) -> T:
            wait_for_people(cursor)
            return work(cursor)

        return self._write()(in_turn)

    def _announce(self, cursor: Cursor, player: str) -> None:
        """Announce the change to other processes, with the commit."""

    def _tell(self, player: str) -> None:
        for callback in self._callbacks:
            callback(player)

    # ── who comes ──

    def _appointed(self, token_hash: bytes) -> bool:
        """Enter the person whom an invitation names, if there is one for this token; return whether there
        was.

        If the person is in the store already, or was forgotten, the invitation is void.
        """
        if self._writing is None or self._keys is None:
            return False
        person = read_invitation(self._keys, token_hash)
        if person is None:
            return False
        self._enter(person, token_hash)
        burn_invitation(self._keys, token_hash)
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


def wait_for_people(cursor: Cursor) -> None:
    """Let this transaction come after all other changes of people."""
    cursor.execute(
        "INSERT INTO meta (name, value) VALUES (?, '') ON CONFLICT (name) DO UPDATE SET value = meta.value",
        (_ONE_BY_ONE,),
    )


def _found(cursor: Cursor, player: str) -> Known:
    """Return the person.  Raises Refused: unknown-player."""
    cursor.execute(
        "SELECT id, name, role, (SELECT count(*) FROM tokens WHERE person = people.id) FROM people"
        " WHERE id = ?",
        (player,),
    )
    row = cursor.fetchone()
    if row is None:
        raise Refused("unknown-player", "no-such-player", {"player": repr(player[:64])})
    return Known(*row)


def remembered(cursor: Cursor, player: str) -> Known:
    """Return a person whose name was not forgotten.  Raises Refused: unknown-player, forgotten."""
    found = _found(cursor, player)
    if found.forgotten:
        raise Refused("forgotten", "player-forgotten", {"player": player})
    return found


def _must_not_be_last(cursor: Cursor, person: Known) -> None:
    """Check that another administrator remains.  Raises Refused: last-admin."""
    if person.role != "admin" or not person.tokens:
        return
    cursor.execute(
        "SELECT 1 FROM people JOIN tokens ON tokens.person = people.id"
        " WHERE role = 'admin' AND id <> ? LIMIT 1",
        (person.id,),
    )
    if cursor.fetchone() is None:
        raise Refused("last-admin", "last-admin", {"player": person.id})


def _lock_out(cursor: Cursor, player: str) -> bool:
    """Delete tokens, sessions, links and the feed of a player; return whether there was one of the first."""
    found = False
    cursor.execute("UPDATE subscriptions SET feed = '' WHERE person = ?", (player,))
    for table in ("tokens", "sessions", "links"):
        cursor.execute(f"DELETE FROM {table} WHERE person = ? RETURNING person", (player,))
        while cursor.fetchone() is not None:
            found = True
    return found


def _forget_address(cursor: Cursor, player: str) -> None:
    """Delete the mail address and what a player wanted; what waits in the outbox goes with it."""
    cursor.execute("DELETE FROM subscriptions WHERE person = ? RETURNING address", (player,))
    row = cursor.fetchone()
    if row is not None:
        cursor.execute("DELETE FROM mail_quota WHERE address IN (?, ?)", quota_keys(row[0]))


def quota_keys(address: str) -> tuple[bytes, bytes]:
    """Return what stands for an address in the counts of messages, and of messages to confirm it."""
    return hash_of(address.lower()), hash_of(f"confirm {address.lower()}")


def must_not_name(person: Known, act: Act) -> None:
    """Check that the reason does not contain the name, for the audit log.  Raises Refused: invalid."""
    if is_in(person.name or "", act.reason):
        raise Refused("invalid", "reason-names-player")


def _leave_traces(cursor: Cursor) -> None:
    cursor.execute("UPDATE meta SET value = ? WHERE name = ?", (_OLD_NAMES, _ONE_BY_ONE))


def enter_action(cursor: Cursor, action: str, player: str, act: Act) -> None:
    """Make an entry in the audit log."""
    row = (new_id("a"), act.at, action, player, act.by, act.reason)
    cursor.execute(
        "INSERT INTO audit_log (id, at, action, person, doer, reason) VALUES (?, ?, ?, ?, ?, ?)", row
    )


def appoint(keys: Path, name: str) -> tuple[Person, str]:
    """Invite an administrator to a store that another process holds, by a file in its key folder.

    Raises:
        StoreError: the key folder is missing or cannot be written.
    """
    person, token = Person(new_id(), name, "admin"), secrets.token_urlsafe(32)
    write_invitation(keys, person, hash_of(token))
    return person, token


def new_id(kind: str = "p") -> str:
    """Return a letter and 80 random bits in lower case: short enough for a URL, and never made twice."""
    return kind + base64.b32encode(secrets.token_bytes(10)).decode().lower()


def hash_of(token: str) -> bytes:
    """Return what is stored of a token, a session or a link."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


# Beside the log: how much each visitor has uploaded today, and which uploads an administrator withdrew.
#
# A withdrawn match stays in the log, which never loses a move, and its id is not used again; it is not shown.


_ADD = (
    "INSERT INTO upload_quota (visitor, day, number, bytes) VALUES (?, ?, 1, ?)"
    " ON CONFLICT (visitor, day) DO UPDATE"
    " SET number = upload_quota.number + 1, bytes = upload_quota.bytes + excluded.bytes"
    " RETURNING number, bytes"
)
_COLUMNS = "match, at, by_whom, reason"


class SqlUploads:
    """The uploads of one store; see `api.store.interface.Uploads`.

    Args:
        reading: runs queries.
        kept: reads the row of a match that never changes, also from a replica if only that is available.
        writing: does work in one durable transaction.
    """

    def __init__(self, reading: Rows, kept: Callable[[str, str], Any], writing: Writing) -> None:
        self._reading, self._kept, self._writing = reading, kept, writing

    def take(self, visitors: Sequence[str], day: int, size: int, most: Quota) -> None:
        """See `Uploads.take`."""

        def work(cursor: Cursor) -> None:
            cursor.execute("DELETE FROM upload_quota WHERE day < ?", (day,))
            for visitor in sorted(visitors):  # in one order: two transactions never wait for each other
                cursor.execute(_ADD, (visitor, day, size))
                number, whole = cursor.fetchone()
                if number > most.number or whole > most.bytes:
                    raise Spent(visitor)

        self._writing(work)

    def withdraw(self, withdrawal: Withdrawal) -> Withdrawal:
        """See `Uploads.withdraw`."""
        row = (withdrawal.match, withdrawal.at, withdrawal.by, withdrawal.reason)

        def work(cursor: Cursor) -> None:
            cursor.execute(
                f"INSERT INTO withdrawals ({_COLUMNS}) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", row
            )

        self._writing(work)
        return self.withdrawal(withdrawal.match) or withdrawal

    def withdrawal(self, match: str) -> Withdrawal | None:
        """See `Uploads.withdrawal`."""
        row = self._kept(f"SELECT {_COLUMNS} FROM withdrawals WHERE match = ?", match)
        return Withdrawal(*row) if row else None

    def withdrawn(self) -> frozenset[str]:
        """See `Uploads.withdrawn`."""
        return frozenset(row[0] for row in self._reading.rows("SELECT match FROM withdrawals"))


# ── The reserved seats of a match as they are stored: one row beside the log, which each change replaces ──
#
# All processes change the row and the log one after the other, and each change names the version of the row
# that it was checked against.  So a seat is never taken against a confirmed reservation, nor reserved after
# it is taken.


SELECT = "SELECT version, seats FROM reservations WHERE match = ?"
SELECT_SEVERAL = "SELECT match, version, seats FROM reservations WHERE match IN ({marks})"
_VERSION = "SELECT version FROM reservations WHERE match = ?"
_MOVE = "SELECT coalesce(max(originator_version), 0) FROM stored_events WHERE originator_id = ?"
_REPLACE = (
    "INSERT INTO reservations (match, version, seats) VALUES (?, ?, ?) ON CONFLICT (match)"
    " DO UPDATE SET version = excluded.version, seats = excluded.seats"
)
_seats = msgspec.json.Decoder(Mapping[str, Reservation]).decode


def encode_reservations(reservations: Reservations) -> str:
    """Return the reservations as they are stored."""
    return msgspec.json.encode(reservations.seats).decode()


def decode_reservations(row: tuple[int, str] | None) -> Reservations:
    """Return the reservations of a row; `row` is None if the match has none."""
    return Reservations(row[0], _seats(row[1])) if row else Reservations()


def must_be_at(cursor: Cursor, match: str, version: int) -> None:
    """Check the version of a match's reservations.  Raises Conflict: it is another one."""
    cursor.execute(_VERSION, (match,))
    row = cursor.fetchone()
    if (row[0] if row else 0) != version:
        raise Conflict(f"the seats of match {match} were reserved otherwise meanwhile")


def replace_reservations(cursor: Cursor, match: str, move: int, reservations: Reservations) -> None:
    """See `Store.reserve`.  Raises Conflict."""
    cursor.execute(_MOVE, (match,))
    if cursor.fetchone()[0] != move:
        raise Conflict(f"match {match} has gone on since move {move}")
    must_be_at(cursor, match, reservations.version - 1)
    insert_reservations(cursor, match, reservations)


def insert_reservations(cursor: Cursor, match: str, reservations: Reservations) -> None:
    """Store the reservations in place of earlier ones."""
    cursor.execute(_REPLACE, (match, reservations.version, encode_reservations(reservations)))
