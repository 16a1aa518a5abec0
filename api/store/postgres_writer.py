"""The writing thread of one process on a PostgreSQL store: a group of appends is one call, one transaction.

Other processes write, too; the database checks under its order lock which appends follow, and one that does
not follow does not affect the others.  If the database refuses a group as a whole, its appends are sent one
by one.

If the connection breaks in the middle of a call, it is not known whether the call was committed.  Then the
session is ended, if it still lives, and the log is read: what is in it was stored, and the rest is sent once
more.  Only if the database stays away for too long, the appends end in doubt.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import accumulate
from typing import Any

import msgspec
import psycopg
from msgspec import Struct
from msgspec.structs import asdict, replace

from api.store import postgres_schema
from api.store.accounts import encode_reservations as written
from api.store.events import StoredMove
from api.store.group_commit import Job, Queue
from api.store.interface import Append, Conflict, Exists, InDoubt, StoreError, Unavailable
from api.store.postgres_connection import AWAY, DOUBTFUL, Address, Connection, Unreachable, hung_up

DOUBT = 10.0  # seconds to wait for the database to come back, to ask whether an append was stored
_PAUSE = 0.1  # seconds between two attempts
_ENDING = 5_000  # milliseconds that an old session has to end
_TRIES = 3  # times that an append is sent

_APPEND = b"SELECT * FROM append(%t::json, %b)"
_STORED = b"SELECT id, state FROM stored_events WHERE originator_id = %s AND originator_version = %s"
_END = b"SELECT pg_terminate_backend(pid, %s) FROM pg_stat_activity WHERE application_name = %s"
_SETTINGS = (  # a call is planned once for all arguments; a commit is durable before it is reported
    "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off;"
    " SELECT set_config('synchronous_commit', 'on', false)"
    " WHERE current_setting('synchronous_commit') = 'off'"
)


class Entry(Struct, frozen=True):
    """An append for sending: its moves as rows, its secret wrapped."""

    append: Append
    moves: list[StoredMove]
    wrapped: bytes | None

    @property
    def match(self) -> str:
        """The match."""
        return self.append.records[0].match


class _Sent(Struct, frozen=True, omit_defaults=True):
    """An append as an argument of `append` in `api.store.postgres_schema`."""

    match: str
    first: int
    game: str
    ats: list[int]
    sizes: list[int]
    kinds: list[str]
    scope: str | None = None
    key: str | None = None
    body: bytes | None = None
    status: int | None = None
    answer: bytes | None = None
    wrapped: bytes | None = None
    note: str | None = None
    signer: str | None = None
    reserved: str | None = None
    reservations: int | None = None


class PostgresWriter(Queue[Entry]):
    """Sends appends to the database.

    Args:
        address: the database.
    """

    def __init__(self, address: Address) -> None:
        self._address, self._session = address, _Session(address)
        super().__init__()

    def close(self) -> None:
        """Finish the submitted appends, then close the connection."""
        super().close()
        self._session.close()

    def _carry_out(self, group: list[Job[Entry]]) -> None:
        for jobs in _rounds(group):
            self._store(jobs)

    def _store(self, jobs: list[Job[Entry]]) -> None:
        """Store the appends that follow, in one transaction; if the database refuses that, one by one."""
        try:
            self._send(jobs)
            return
        except Unreachable as error:
            refusal: Exception = self._address.away(error)
        except Exception as error:  # any error goes to the caller whose job it is
            refusal = error
        rest = [job for job in jobs if job.result is None]
        if len(rest) > 1 and not isinstance(refusal, StoreError):
            for job in rest:
                self._store([job])
            return
        for job in rest:
            job.error = self._translated(refusal)

    def _translated(self, error: Exception) -> Exception:
        if isinstance(error, psycopg.IntegrityError):
            return Conflict(f"not stored: {self._address.said(error)}")
        if isinstance(error, psycopg.DataError):
            return StoreError(f"this cannot be stored: {self._address.said(error)}")
        return self._address.away(error) if isinstance(error, psycopg.Error) else error

    def _send(self, jobs: list[Job[Entry]]) -> None:
        """Send appends; send them again if the connection was lost and they were not stored."""
        for _ in range(_TRIES):
            try:
                _judged(jobs, self._session.call(jobs))
                return
            except psycopg.OperationalError:
                if not self._session.is_lost:
                    raise
            jobs = self._not_stored(jobs)
            if not jobs:
                return
        raise Unavailable(AWAY)

    def _not_stored(self, jobs: list[Job[Entry]]) -> list[Job[Entry]]:
        """After a lost connection, return the jobs whose moves are not in the log."""
        end = time.monotonic() + DOUBT
        while True:
            try:
                for job in jobs:
                    job.result = self._session.position(job.work.moves[-1])
                return [job for job in jobs if job.result is None]
            except (psycopg.Error, StoreError) as error:
                if time.monotonic() > end or self._address.is_over:
                    self._address.away(error)
                    raise InDoubt(DOUBTFUL) from error
                time.sleep(_PAUSE)


class _Session:
    """The writing connection, made anew when it is lost.

    Each connection has its own name, by which its session is ended before the log is read: a statement that
    still runs there must not be executed later.
    """

    def __init__(self, address: Address) -> None:
        self._address = address
        self._connection: Connection | None = None
        self._name, self._is_current = "", False

    @property
    def is_lost(self) -> bool:
        """Is there no connection, or a broken one?"""
        return self._connection is None or self._connection.closed

    def call(self, jobs: list[Job[Entry]]) -> list[Any]:
        """Call `append`; return a row for each job."""
        packed, connection = _packed([job.work for job in jobs]), self._connected()
        if not self._is_current:  # checked only here: whether moves were stored can be read with any schema
            postgres_schema.must_be_current(connection)
            self._is_current = True
        return connection.execute(_APPEND, packed, binary=True).fetchall()

    def position(self, move: StoredMove) -> int | None:
        """Return the position of exactly this move, or None if it is not stored."""
        key = (move.originator_id, move.originator_version)
        row = self._connected().execute(_STORED, key, binary=True).fetchone()
        return row[0] if row and row[1] == move.state else None

    def close(self) -> None:
        """Let go."""
        if self._connection is not None:
            self._connection.close()

    def _connected(self) -> Connection:
        if self._connection is not None and not self._connection.closed and hung_up(self._connection):
            self._connection.close()  # no call was running on it, so nothing is in doubt
        if self._connection is None or self._connection.closed:
            name = f"glasnost writer {secrets.token_hex(8)}"
            connection = self._address.connect(name, _SETTINGS)
            with ExitStack() as unfit:
                unfit.callback(connection.close)
                self._end(self._name, connection)
                unfit.pop_all()
            self._connection, self._name, self._is_current = connection, name, False
        return self._connection

    def _end(self, name: str, connection: Connection) -> None:
        """End the session with this name, if it still lives."""
        if name and any(row == (False,) for row in connection.execute(_END, (_ENDING, name))):
            raise Unreachable(f"the database {self._address} does not end a session that was lost")


def _rounds(group: list[Job[Entry]]) -> Iterator[list[Job[Entry]]]:
    """Split a group into parts in which no match and no key occurs twice; each match stays in order."""
    while group:
        now: list[Job[Entry]] = []
        later: list[Job[Entry]] = []
        taken: set[Any] = set()
        for job in group:
            names = _names(job.work)
            (later if taken & names else now).append(job)
            taken |= names
        yield now
        group = later


def _names(entry: Entry) -> set[Any]:
    kept = entry.append.remembered
    return {entry.match, (kept.scope, kept.key)} if kept else {entry.match}


def _packed(entries: list[Entry]) -> tuple[str, bytes]:
    """The arguments of `append`."""
    sent: list[_Sent] = []
    states: list[bytes] = []
    at = 0
    for entry in entries:
        sizes = [len(move.state) for move in entry.moves]
        *ats, end = accumulate(sizes, initial=at)
        sent.append(_sent(entry, ats, sizes, [move.kind for move in entry.moves]))
        states += [move.state for move in entry.moves]
        at = end
    return msgspec.json.encode(sent).decode(), b"".join(states)


def _sent(entry: Entry, ats: list[int], sizes: list[int], kinds: list[str]) -> _Sent:
    first, append = entry.moves[0], entry.append
    sent = _Sent(
        entry.match,
        first.originator_version,
        first.topic,
        ats,
        sizes,
        kinds,
        wrapped=entry.wrapped,
        note=append.note or None,
        signer=append.signer,
        reserved=written(append.reserved) if append.reserved else None,
        reservations=append.reservations,
    )
    return replace(sent, **asdict(append.remembered)) if append.remembered else sent


def _judged(jobs: list[Job[Entry]], rows: Iterable[tuple[int, bool, int | None]]) -> None:
    """Set the position or the error of each job."""
    for job, (length, bound, position) in zip(jobs, rows, strict=True):
        job.result, job.error = position, None
        if position is None:
            job.error = _refused(job.work.moves[0], length, bound)


def _refused(first: StoredMove, length: int, bound: bool) -> StoreError:
    if length and first.originator_version == 1:
        return Exists(f"a match {first.originator_id} is already stored")
    if bound and first.originator_version == length + 1:
        return Conflict(f"not stored: the key of a request to match {first.originator_id} is taken")
    return Conflict(
        f"move {first.originator_version} does not follow move {length} of match {first.originator_id}"
    )
