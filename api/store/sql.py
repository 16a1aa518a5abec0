"""The part of a store that SQLite and PostgreSQL share: it reads the log and the tables beside it, and the
keys.

`api.store.sqlite` and `api.store.postgres` add how a store is written, and by which processes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar

from eventsourcing.application import AggregateNotFoundError
from eventsourcing.persistence import StoredEvent

from api.store import accounts
from api.store.accounts import Cursor, SqlUploads
from api.store.events import (
    AT_ONCE,
    CLOSED,
    CLOSINGS,
    FIRST,
    FIRST_MATCHES,
    FIRST_TOURNAMENTS,
    NEWS,
    UNCLOSED,
    Envelope,
    Loaded,
    Matches,
    Reading,
    Rows,
    projected,
    unread,
)
from api.store.interface import (
    Append,
    Figures,
    Lag,
    Lately,
    OnCommit,
    Outbox,
    People,
    Remembered,
    ReportedFiles,
    Reservations,
    Stored,
    StoreError,
    Unavailable,
    Uploads,
    Uptime,
)
from api.store.keys import KeyRing, Vault, wrap_key
from api.store.log_guard import LogGuard
from api.store.outbox import SqlOutbox
from api.store.reported_files import SqlReportedFiles
from api.store.transparency import SqlTransparency
from api.store.uptime import SqlUptime
from domain.log import TOURNAMENT, Damaged, Record
from domain.match import Match
from domain.partial_match import PartialMatch
from domain.signed_notes import Note, Signed, VerifyingKey
from domain.tournaments.history import TournamentLog

T = TypeVar("T")
NAME = "glasnost.local"  # the server's name, under which it signs
HEARTBEAT = "heartbeat"  # the name in `meta` of the time of the last probe
WRAP_KEY = "wrap_key"  # the name in `meta` of the fingerprint of the key that wraps the secrets
SIGNING = "signing_key"  # the name in `meta` of the key that signs: its NAME+ID
READ_ONLY = "this store is open for reading only"
_ENTER = "INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"


class SqlStore(ABC):
    """A store over tables; see `api.store.interface.Store`.

    Args:
        matches: the library's application over the log.
        rows: runs queries.
        keys: the key folder; None if none was named.
        name: the server's name.
    """

    people: People
    uploads: Uploads
    reported_files: ReportedFiles
    outbox: Outbox
    uptime: Uptime
    shared = False

    def __init__(self, matches: Matches, rows: Rows, keys: Path | None, name: str) -> None:
        assert isinstance(matches.recorder, Reading)
        self._matches, self._reading, self._rows = matches, matches.recorder, rows
        self._keys, self.name = keys, name
        self.uploads = SqlUploads(rows, self._kept, self.write)
        self.reported_files = SqlReportedFiles(rows, self.write)
        self.outbox = SqlOutbox(rows, self.write)
        self.uptime = SqlUptime(self.write)
        self.transparency = SqlTransparency(rows, self.write)
        self.log_guard = LogGuard(self.transparency, lambda: self.key_folder)

    def lately(self, match: str, move: int) -> Lately | None:
        """See `Store.lately`."""
        return None

    def lag(self) -> Lag | None:
        """See `Store.lag`."""
        return None

    @property
    def home(self) -> Path | None:
        """The folder for files that belong to the store; None if it has none."""
        return None

    @abstractmethod
    def announce(self, address: str) -> None:
        """Write down the HTTP address of this store, for processes that find it locked."""

    # ── keys ──

    @property
    def key_folder(self) -> Path:
        """The folder of the keys.

        Raises:
            StoreError: no folder was named.
        """
        if self._keys is None:
            raise StoreError("the key folder of this store is not known: name it with GLASNOST_KEYS")
        return self._keys

    @cached_property
    def keys(self) -> KeyRing:
        """The ring of keys that sign checkpoints, under the server's name.

        Raises:
            StoreError: the keys sign under another name; see also `own_keys`.
        """
        return self.own_keys(self.name)

    def own_keys(self, name: str | None = None) -> KeyRing:
        """Open the ring in the key folder, which must sign under `name` if one is given.

        Raises:
            StoreError: there are no keys, they are those of another store, or an older copy of this store's.
        """
        ring = KeyRing.open(self.key_folder, name)
        if self._meta(WRAP_KEY) not in (None, self._vault.fingerprint):
            raise StoreError(
                f"the keys in {self.key_folder} are those of another store (they sign as"
                f" {ring.present.label}): name this store's own key folder with GLASNOST_KEYS"
            )
        latest = self._meta(SIGNING)
        if latest not in (None, *ring.labels):
            raise StoreError(
                f"the keys in {self.key_folder} are older than the store: {latest} signed in it, and is not"
                " among them; put the latest copy of the key folder back, or name it with GLASNOST_KEYS"
            )
        ring.must_sign = self.log_guard.check
        return ring

    @cached_property
    def _vault(self) -> Vault:
        return Vault(wrap_key(self.key_folder))

    def _bind_keys(self) -> None:
        """Check that the keys exist and are this store's own: the first ones that it was opened with.

        On a full disk the name of the signing key is not stored now but at another start; reading goes on.
        """
        self.own_keys(self.name)  # first: keys that are refused are not bound
        if self._meta(WRAP_KEY) is None:
            self._enter(WRAP_KEY, self._vault.fingerprint)
        with suppress(Unavailable):
            self.note_signing()

    def note_signing(self) -> None:
        """Store which key signs now, so that an older copy of the key folder is recognized.

        Raises:
            StoreError: see `keys`, and `write`.
        """
        if self._meta(SIGNING) != (latest := self.keys.present.label):
            self._enter(SIGNING, latest)

    def _meta(self, name: str) -> str | None:
        """The value of this name in the table `meta`."""
        row = self._one("SELECT value FROM meta WHERE name = ?", name)
        return str(row[0]) if row else None

    def _enter(self, name: str, value: str) -> None:
        self.write(lambda cursor: cursor.execute(_ENTER, (name, value)))

    # ── writing ──

    def submit(self, append: Append) -> Future[int]:
        """See `Store.submit`."""
        match = append.records[0].match
        if len(append.records) > 1 and any(record.match != match for record in append.records):
            raise ValueError("an append holds records of one match")
        wrapped = None if append.secret is None else self.wrapped(match, append.secret)
        return self._hand_over(append, wrapped)

    def wrapped(self, match: str, secret: bytes) -> bytes:
        """Return the secret of a match as this store keeps it."""
        return self._vault.wrap(match, secret)

    @abstractmethod
    def write(self, work: Callable[[Cursor], T]) -> T:
        """Do work that is not an append in one durable transaction, as a whole or not at all.

        Raises:
            StoreError: the store is only read, or cannot be written.
        """

    @abstractmethod
    def _hand_over(self, append: Append, wrapped: bytes | None) -> Future[int]:
        """Give an append and the wrapped secret to the writer."""

    @abstractmethod
    def watch(self, callback: OnCommit) -> None:
        """See `Store.watch`."""

    def hang_up(self) -> None:
        """Stop waiting for a database that does not answer: its callers are refused from now on."""

    @abstractmethod
    def close(self) -> None:
        """See `Store.close`."""

    # ── reading ──

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """The rows of one statement, all of one moment."""
        return self._rows.rows(statement, values)

    def match(self, match: str) -> Match | None:
        """See `Store.match`.

        Raises:
            Damaged: its log is not as it was written.
        """
        try:
            loaded: Loaded = self._matches.repository.get(match, projector_func=projected)
        except AggregateNotFoundError:
            return None
        loaded.match.proof = self.proof(match)
        return loaded.match

    def partial_match(self, match: str, move: int) -> PartialMatch | None:
        """See `Store.partial_match`.

        Raises:
            Damaged: the moves that are read are not as they were written.
        """
        found = self._reading.select_milestones(match)
        if not found or found[0][0].topic == TOURNAMENT or not 1 <= move < found[0][1]:
            return None
        milestones = [_unread(event) for event, _ in found]
        partial_match = PartialMatch(milestones, found[0][1], move, partial(self._moves, match))
        partial_match.proof = self.proof(match)
        return partial_match

    def _moves(self, match: str, ranges: Sequence[range]) -> list[Record]:
        """The stored moves of a match that are in one of these ranges, in order."""
        return [_unread(event) for event in self._reading.select_ranges(match, ranges)]

    def since(self, match: str, move: int) -> list[Record]:
        """See `Store.since`.

        Raises:
            Damaged: the stored bytes are not moves.
        """
        return [self._record(event) for event in self._reading.select_events(match, gt=move)]

    def first(self, match: str) -> Record:
        """Return the first record of a match or tournament, which must be there."""
        return _unread(self._reading.select_events(match, lte=1)[0])

    def since_each(self, moves: Mapping[str, int]) -> Mapping[str, list[Record]]:
        """See `Log.since_each`."""
        found: dict[str, list[Record]] = {match: [] for match in moves}
        for event in self._reading.select_each(moves):
            found[str(event.originator_id)].append(self._record(event))
        return found

    def secret(self, match: str) -> bytes | None:
        """See `Store.secret`."""
        row = self._kept("SELECT wrapped FROM vault WHERE match = ?", match)
        return self._vault.unwrap(match, row[0]) if row else None

    def remembered(self, scope: str, key: str) -> Remembered | None:
        """See `Store.remembered`."""
        columns = "scope, key, body, status, answer"
        row = self._one(f"SELECT {columns} FROM requests WHERE scope = ? AND key = ?", scope, key)
        return Remembered(*row) if row else None

    def note(self, match: str) -> str | None:
        """See `Store.note`."""
        row = self._kept("SELECT note FROM notes WHERE match = ?", match)
        return row[0] if row else None

    def signer(self, match: str) -> str | None:
        """See `Store.signer`."""
        row = self._kept("SELECT signer FROM uploads WHERE match = ?", match)
        return row[0] if row else None

    def proof(self, match: str) -> Signed | None:
        """See `Store.proof`: the signatures are checked with the known keys."""
        return None if self.signer(match) is None else self._checked(self.note(match) or "")

    def _checked(self, note: str) -> Signed:
        """The signers of a checkpoint; a damaged one has none."""
        try:
            return Note.parse(note).checked(self._known)
        except Damaged:
            return Signed()

    @property
    def _known(self) -> Sequence[VerifyingKey]:
        """The public keys of this store; none if its key folder is not available.

        Raises:
            Unavailable: the store cannot be reached, so it is not known whether these keys are its own.
        """
        try:
            return self._own.known
        except Unavailable:
            raise
        except StoreError:
            return ()

    @cached_property
    def _own(self) -> KeyRing:
        known: KeyRing | None = vars(self).get("keys")
        return known or self.own_keys()

    def reservations(self, match: str) -> Reservations:
        """See `Store.reservations`."""
        return accounts.decode_reservations(self._kept(accounts.SELECT, match))

    def reservations_of(self, matches: Sequence[str]) -> dict[str, Reservations]:
        """See `Store.reservations_of`."""
        if not matches:
            return {}
        query = accounts.SELECT_SEVERAL.format(marks=", ".join("?" * len(matches)))
        found = self._rows.rows(query, tuple(matches))
        return {match: accounts.decode_reservations((version, seats)) for match, version, seats in found}

    def reserve(self, match: str, move: int, reservations: Reservations) -> None:
        """See `Store.reserve`."""

        def work(cursor: Cursor) -> None:
            self._wait_for_order(cursor)
            accounts.replace_reservations(cursor, match, move, reservations)

        self.write(work)

    def _wait_for_order(self, cursor: Cursor) -> None:
        """Make appends wait until the transaction ends."""

    def matches(self) -> Iterator[str]:
        """See `Store.matches`."""
        return (row[0] for row in self._rows.rows(FIRST_MATCHES))

    def tournaments(self) -> Iterator[str]:
        """See `Store.tournaments`."""
        return (row[0] for row in self._rows.rows(FIRST_TOURNAMENTS))

    def tournament(self, tournament: str) -> TournamentLog | None:
        """See `Store.tournament`.

        Raises:
            Damaged: its log is not as it was written.
        """
        found = self._reading.select_events(tournament)
        if not found or found[0].topic != TOURNAMENT:
            return None
        return TournamentLog.project(map(_unread, found))

    def closings(self, after: int, upto: int) -> list[tuple[int, str]]:
        """Return the matches that closed at these positions, each with its position, in their order."""
        return self._rows.rows(CLOSINGS, (after, upto))

    def closed_at(self, matches: Sequence[str]) -> dict[str, int]:
        """Return the position where each of these matches closed, if it did."""
        found: dict[str, int] = {}
        for first in range(0, len(matches), AT_ONCE):
            some = matches[first : first + AT_ONCE]
            marks = ", ".join("?" * len(some))
            where = f"originator_id IN ({marks}) AND {CLOSED} GROUP BY originator_id"
            found |= dict(
                self._rows.rows(f"SELECT originator_id, min(id) FROM stored_events WHERE {where}", some)
            )
        return found

    def unclosed(self) -> list[str]:
        """Return the ids of all matches that are not over, oldest first."""
        return [row[0] for row in self._rows.rows(UNCLOSED)]

    def after(self, position: int, limit: int) -> list[Stored]:
        """See `Store.after`."""
        found = self._reading.select_notifications(position, limit, inclusive_of_start=False)
        return self._delivered(
            [(one.id, one.originator_id, one.originator_version, one.topic, one.state) for one in found]
        )

    def brief(self, position: int, limit: int) -> list[Stored]:
        """See `Store.brief`."""
        rows = self._reading.select_brief(position, position + limit)
        if not rows and (first := self._one(FIRST, position)[0]) is not None:
            rows = self._reading.select_brief(first - 1, first - 1 + limit)
        return self._delivered(rows)

    def _delivered(self, rows: Sequence[Any]) -> list[Stored]:
        """Rows as records whose bytes are decoded only when they are used."""
        uploaded = self._uploaded(sorted({move[0] for _, *move in rows}))
        return [
            Stored(place, unread(*move), move[0] in uploaded, uploaded.get(move[0], False))
            for place, *move in rows
        ]

    def news(self, position: int, limit: int) -> list[tuple[str, int]]:
        """See `Log.news`."""
        return self._rows.rows(NEWS, (position, limit))

    def _record(self, event: StoredEvent) -> Record:
        envelope = self._matches.mapper.to_domain_event(event)
        assert isinstance(envelope, Envelope)
        return envelope.record

    def _uploaded(self, matches: Sequence[str]) -> dict[str, bool]:
        """The uploaded ones among some matches, and whether their players are only claimed."""
        return {
            match: not self._checked(note or "").by
            for first in range(0, len(matches), AT_ONCE)
            for match, note in self._uploads(matches[first : first + AT_ONCE])
        }

    def _uploads(self, matches: Sequence[str]) -> list[Any]:
        marks = ", ".join("?" * len(matches))
        found = "SELECT uploads.match, note FROM uploads LEFT JOIN notes ON notes.match = uploads.match"
        return self._rows.rows(f"{found} WHERE uploads.match IN ({marks})", matches)

    def last(self) -> int:
        """See `Store.last`."""
        last: int | None = self._one("SELECT max(id) FROM stored_events")[0]
        return last or 0

    # ── how it is ──

    @property
    @abstractmethod
    def figures(self) -> list[Figures]:
        """See `Store.figures`."""

    @abstractmethod
    def probe(self) -> None:
        """See `Store.probe`."""

    @abstractmethod
    def size(self) -> int:
        """See `Store.size`."""

    def _kept(self, statement: str, match: str) -> Any:
        """The row of a match that never changes once it is written."""
        return self._one(statement, match)

    def _one(self, statement: str, *values: Any) -> Any:
        return next(iter(self._rows.rows(statement, values)), None)


def _unread(event: StoredEvent) -> Record:
    return unread(str(event.originator_id), event.originator_version, event.topic, event.state)
