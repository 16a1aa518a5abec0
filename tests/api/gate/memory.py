"""A store in memory, for tests of the gate: it commits and fails on demand."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from api.store.accounts import Cursor
from api.store.interface import (
    Act,
    Append,
    AuditEntry,
    Conflict,
    Exists,
    Figures,
    Found,
    Known,
    Lag,
    Lately,
    NewSession,
    Outbox,
    People,
    Person,
    Quota,
    Remembered,
    ReportedFile,
    ReportedFiles,
    Reservations,
    Session,
    SessionBounds,
    Stop,
    Stored,
    StoreError,
    Uploads,
    Uptime,
    Withdrawal,
)
from api.store.log_guard import LogGuard
from api.store.outbox import SqlOutbox
from api.store.transparency import SqlTransparency
from api.store.uptime import Kept, beaten
from domain.games import GAMES
from domain.kernel import Refused
from domain.log import TOURNAMENT, Record, codec
from domain.match import Match
from domain.partial_match import PartialMatch
from domain.signed_notes import Note, Signed, SigningKey, VerifyingKey
from domain.tournaments.history import TournamentLog
from tests.briefs import brief
from tests.partial_matches import Reader

T = TypeVar("T")


class Keys:
    """One key, the same in every test."""

    retired: tuple[VerifyingKey, ...] = ()
    rotations: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.signing = SigningKey("test.example", Ed25519PrivateKey.from_private_bytes(b"k" * 32))

    @property
    def present(self) -> VerifyingKey:
        """Its public part."""
        return self.signing.verifying

    def derived(self, purpose: str) -> bytes:
        """See `KeyRing.derived`."""
        return hashlib.sha256(purpose.encode()).digest()


class MemoryPeople:
    """People with ids and tokens that are the same in every run: p1, p2, ... and token-p1, ..."""

    def __init__(self) -> None:
        self._people: dict[str, Person] = {}

    def add(self, name: str, role: str) -> tuple[Person, str]:
        """See `People.add`."""
        person = Person(f"p{len(self._people) + 1}", name, role)
        token = f"token-{person.id}"
        self._people[token] = person
        return person, token

    def by_token(self, token: str) -> Person | None:
        """See `People.by_token`."""
        return self._people.get(token)

    def by_holder(self, holder: str) -> Person | None:
        """See `People.by_holder`."""
        hashes = {hashlib.sha256(token.encode()).hexdigest()[:32]: token for token in self._people}
        return self._people.get(hashes.get(holder, ""))

    def bots(self, ids: Sequence[str]) -> set[str]:
        """See `People.bots`."""
        return {person.id for person in self._people.values() if person.id in ids and person.role == "bot"}

    def names(self, ids: Sequence[str]) -> dict[str, str | None]:
        """See `People.names`."""
        return {person.id: person.name for person in self._people.values() if person.id in ids}

    def known(self, player: str) -> Known | None:
        """See `People.known`."""
        found = [person for person in self._people.values() if person.id == player]
        return Known(player, found[0].name, found[0].role, len(found)) if found else None

    def find(self, name: str, *, whole: bool, after: Sequence[str], limit: int) -> list[Found]:
        """No player is found in memory."""
        return []

    def forgotten(self) -> dict[str, int | None]:
        """No player is remembered as forgotten in memory."""
        return {}

    def forget(self, player: str, act: Act) -> bool:
        """See `People.forget`."""
        return self.revoke(player, act)

    def rename(self, player: str, name: str, act: Act) -> bool:
        """No player is renamed in memory."""
        return False

    def revoke(self, player: str, act: Act) -> bool:
        """See `People.revoke`."""
        found = [token for token, person in self._people.items() if person.id == player]
        return [self._people.pop(token) for token in found] != []

    def new_token(self, player: str, act: Act) -> str:
        """No player gets another token in memory."""
        raise Refused("unknown-player", "no-such-player", {"player": repr(player)})

    def sign_in(
        self, token: str, device: str, at: int, bounds: SessionBounds, replaced: str = ""
    ) -> NewSession | None:
        """There are no sessions in memory."""
        return None

    def sign_in_by_link(
        self, code: str, device: str, at: int, bounds: SessionBounds, replaced: str = ""
    ) -> NewSession | None:
        """There are no sessions in memory."""
        return None

    def by_session(self, secret: str, at: int, bounds: SessionBounds) -> tuple[Person, str] | None:
        """There are no sessions in memory."""
        return None

    def by_session_holder(self, holder: str, at: int, bounds: SessionBounds) -> tuple[Person, str] | None:
        """There are no sessions in memory."""
        return None

    def sessions(self, player: str, at: int, bounds: SessionBounds) -> list[Session]:
        """There are no sessions in memory."""
        return []

    def end_session(self, player: str, session: str) -> bool:
        """There are no sessions in memory."""
        return False

    def new_link(self, player: str, act: Act, bounds: SessionBounds) -> str:
        """There are no links in memory."""
        raise Refused("unknown-player", "no-such-player", {"player": repr(player)})

    def audit_log(self, before: Sequence[int | str], limit: int) -> list[AuditEntry]:
        """Nothing is kept of it."""
        return []

    def watch(self, told: Callable[[str], None]) -> None:
        """No change is reported."""


class MemoryUploads:
    """No uploads, and no limit of uploads."""

    def __init__(self) -> None:
        self._withdrawn: dict[str, Withdrawal] = {}

    def take(self, visitors: Sequence[str], day: int, size: int, most: Quota) -> None:
        """See `Uploads.take`."""

    def withdraw(self, withdrawal: Withdrawal) -> Withdrawal:
        """See `Uploads.withdraw`."""
        return self._withdrawn.setdefault(withdrawal.match, withdrawal)

    def withdrawal(self, match: str) -> Withdrawal | None:
        """See `Uploads.withdrawal`."""
        return self._withdrawn.get(match)

    def withdrawn(self) -> frozenset[str]:
        """See `Uploads.withdrawn`."""
        return frozenset(self._withdrawn)


class MemoryReportedFiles:
    """See `api.store.interface.ReportedFiles`; files that no ruling names stay, too."""

    def __init__(self) -> None:
        self._files: dict[str, ReportedFile] = {}
        self._named: set[str] = set()

    def keep(self, file: ReportedFile, waiting: int, most: Quota) -> None:
        """See `ReportedFiles.keep`."""
        known = self._files.get(file.match)
        same = known is not None and (known.tournament, known.sha256) == (file.tournament, file.sha256)
        if file.match in self._named and not same:
            raise Conflict(file.match)
        self._files[file.match] = file

    def name(self, tournament: str, sha256: str) -> bool:
        """See `ReportedFiles.name`."""
        found = self._found(tournament, sha256)
        self._named |= {found.match} if found else set()
        return found is not None

    def about(self, tournament: str, sha256: str) -> str | None:
        """See `ReportedFiles.about`."""
        found = self._found(tournament, sha256)
        return found.about if found else None

    def content(self, tournament: str, sha256: str) -> bytes | None:
        """See `ReportedFiles.content`."""
        found = self._found(tournament, sha256)
        return found.content if found else None

    def _found(self, tournament: str, sha256: str) -> ReportedFile | None:
        ours = [one for one in self._files.values() if (one.tournament, one.sha256) == (tournament, sha256)]
        return ours[0] if ours else None


class NoRows:
    """No rows: in memory no player has an address."""

    def rows(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        """See `Rows`."""
        return []


def _is_only_read(work: Callable[[Cursor], T]) -> T:
    raise StoreError("there is no outbox in memory")


class MemoryUptime:
    """See `Uptime`; it fails as the appends of its store do."""

    def __init__(self, store: MemoryStore) -> None:
        self._store, self._kept = store, Kept()

    def beat(self, at: int) -> tuple[Stop, ...]:
        """See `Uptime.beat`."""
        if self._store.failing:
            raise self._store.failing
        self._kept = beaten(self._kept, at)
        return self._kept.stops


class NoLog(SqlTransparency):
    """The transparency log of a store that has none."""

    def __init__(self) -> None:
        super().__init__(NoRows(), _is_only_read)

    def position(self) -> int | None:
        """See `SqlTransparency.position`."""
        raise StoreError("there is no log")

    def size(self) -> int:
        """See `SqlTransparency.size`."""
        return 0


class MemoryStore:
    """See `api.store.interface.Store`.

    `held`: appends wait in `waiting` until `release`.  `failing`: the error that the next appends meet.
    """

    def __init__(self) -> None:
        self.people: People = MemoryPeople()
        self.uploads: Uploads = MemoryUploads()
        self.reported_files: ReportedFiles = MemoryReportedFiles()
        self.outbox: Outbox = SqlOutbox(NoRows(), _is_only_read)
        self.uptime: Uptime = MemoryUptime(self)
        self.transparency = NoLog()
        self.log_guard = LogGuard(self.transparency, lambda: Path("no keys"))
        self.keys = Keys()
        self.shared = False
        self.held = False
        self.failing: Exception | None = None
        self.waiting: list[tuple[Append, Future[int]]] = []
        self.loads = 0
        self.kept: dict[tuple[str, str], Remembered] = {}
        self._log: list[Record] = []
        self._streams: dict[str, list[bytes]] = {}
        self._games: dict[str, str] = {}
        self._secrets: dict[str, bytes] = {}
        self._notes: dict[str, str] = {}
        self._signers: dict[str, str] = {}
        self._reserved: dict[str, Reservations] = {}
        self._watchers: list[Callable[[str, int], None]] = []

    def submit(self, append: Append) -> Future[int]:
        """See `Store.submit`."""
        future: Future[int] = Future()
        self.waiting.append((append, future))
        if not self.held:
            self.release()
        return future

    def release(self) -> None:
        """Commit what waits."""
        while self.waiting:
            append, future = self.waiting.pop(0)
            try:
                self._commit(append)
                future.set_result(len(self._log))
            except Exception as error:
                future.set_exception(error)

    def _commit(self, append: Append) -> None:
        if self.failing:
            raise self.failing
        first = append.records[0]
        stream = self._streams.get(first.match, [])
        if stream and first.move == 1:
            raise Exists(first.match)
        moves = [len(stream), *(record.move for record in append.records)]
        if any(after != before + 1 for before, after in pairwise(moves)) or self._is_taken(append.remembered):
            raise Conflict(first.match)
        if append.reservations not in (None, self.reservations(first.match).version):
            raise Conflict(first.match)
        if append.reserved is not None:
            self._reserved[first.match] = append.reserved
        self._games.setdefault(first.match, first.topic)
        self._streams[first.match] = stream + [record.stored for record in append.records]
        self._log += append.records
        if append.secret is not None:
            self._secrets[first.match] = append.secret
        if append.remembered is not None:
            self.kept[append.remembered.scope, append.remembered.key] = append.remembered
        if append.note:
            self._notes[first.match] = append.note
        if append.signer is not None:
            self._signers[first.match] = append.signer
        for told in self._watchers:
            told(first.match, len(self._log))

    def _is_taken(self, kept: Remembered | None) -> bool:
        return kept is not None and (kept.scope, kept.key) in self.kept

    def match(self, match: str) -> Match | None:
        """See `Store.match`."""
        self.loads += 1
        if match not in self._streams or self._games[match] == TOURNAMENT:
            return None
        read = codec(GAMES[self._games[match]]).read
        found = Match.project(None, [read(match, stored) for stored in self._streams[match]])
        assert found is not None
        found.proof = self.proof(match)
        return found

    def partial_match(self, match: str, move: int) -> PartialMatch | None:
        """See `Store.partial_match`."""
        stored = self._streams.get(match, [])
        if not 1 <= move < len(stored):
            return None
        partial_match = Reader(GAMES[self._games[match]], match, stored).partial_match(move)
        partial_match.proof = self.proof(match)
        return partial_match

    def since(self, match: str, move: int) -> list[Record]:
        """See `Store.since`."""
        if self._games[match] == TOURNAMENT:
            return [record for record in self._log if record.match == match and record.move > move]
        read = codec(GAMES[self._games[match]]).read
        return [read(match, stored) for stored in self._streams[match][move:]]

    def tournament(self, tournament: str) -> TournamentLog | None:
        """See `Store.tournament`."""
        if self._games.get(tournament) != TOURNAMENT:
            return None
        return TournamentLog.project(self.since(tournament, 0))

    def tournaments(self) -> Iterator[str]:
        """See `Store.tournaments`."""
        return iter([name for name, topic in self._games.items() if topic == TOURNAMENT])

    def closed_at(self, matches: Sequence[str]) -> dict[str, int]:
        """See `Store.closed_at`."""
        closed = [(n, one) for n, one in enumerate(self._log, 1) if one.kind == "closed"]
        return {one.match: number for number, one in closed if one.match in matches}

    def since_each(self, moves: Mapping[str, int]) -> Mapping[str, list[Record]]:
        """See `Log.since_each`."""
        return {match: self.since(match, move) for match, move in moves.items()}

    def secret(self, match: str) -> bytes | None:
        """See `Store.secret`."""
        return self._secrets.get(match)

    def remembered(self, scope: str, key: str) -> Remembered | None:
        """See `Store.remembered`."""
        return self.kept.get((scope, key))

    def reservations(self, match: str) -> Reservations:
        """See `Store.reservations`."""
        return self._reserved.get(match, Reservations())

    def reservations_of(self, matches: Sequence[str]) -> Mapping[str, Reservations]:
        """See `Store.reservations_of`."""
        return {match: self._reserved[match] for match in matches if match in self._reserved}

    def reserve(self, match: str, move: int, reservations: Reservations) -> None:
        """See `Store.reserve`."""
        same = self.reservations(match).version == reservations.version - 1
        if not same or len(self._streams.get(match, [])) != move:
            raise Conflict(match)
        self._reserved[match] = reservations

    @property
    def figures(self) -> list[Figures]:
        """See `Store.figures`."""
        return []

    def probe(self) -> None:
        """See `Store.probe`."""
        if self.failing:
            raise self.failing

    def size(self) -> int:
        """See `Store.size`."""
        return 0

    def note(self, match: str) -> str | None:
        """See `Store.note`."""
        return self._notes.get(match)

    def signer(self, match: str) -> str | None:
        """See `Store.signer`."""
        return self._signers.get(match)

    def proof(self, match: str) -> Signed | None:
        """See `Store.proof`."""
        if match not in self._signers:
            return None
        return Note.parse(self._notes[match]).checked([self.keys.present])

    def matches(self) -> Iterator[str]:
        """See `Store.matches`."""
        return iter([name for name, topic in self._games.items() if topic != TOURNAMENT])

    def _is_claimed(self, match: str) -> bool:
        proof = self.proof(match)
        return proof is not None and not proof.by

    def after(self, position: int, limit: int) -> list[Stored]:
        """See `Store.after`."""
        some = self._log[position : position + limit]
        return [
            Stored(number, record, record.match in self._signers, self._is_claimed(record.match))
            for number, record in enumerate(some, position + 1)
        ]

    def brief(self, position: int, limit: int) -> list[Stored]:
        """See `Store.brief`."""
        return brief(self.after(position, limit))

    def news(self, position: int, limit: int) -> list[tuple[str, int]]:
        """See `Log.news`."""
        return [(stored.record.match, stored.position) for stored in self.after(position, limit)]

    def last(self) -> int:
        """See `Store.last`."""
        return len(self._log)

    def watch(self, told: Callable[[str, int], None]) -> None:
        """See `Store.watch`."""
        self._watchers.append(told)

    def lately(self, match: str, move: int) -> Lately | None:
        """See `Store.lately`."""
        return None

    def lag(self) -> Lag | None:
        """See `Store.lag`."""
        return None

    def close(self) -> None:
        """See `Store.close`."""

    def digest(self) -> str:
        """A hash of everything that is stored."""
        return hashlib.sha256(repr((self._streams, self.kept, self._notes)).encode()).hexdigest()
