"""How a command to a tournament is carried out: judged once, wherever it comes from, and made durable.

As with matches, a command is judged on the committed tournament while it holds its lock; its records go to
the store's writer; only when they are durable are they added, and only then is the caller answered.  What a
command needs from outside (an engine's pairing, the latest moves of matches, standings) is gathered before.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from api.gate.command_handler import Key
from api.gate.commit import Commits
from api.store.interface import Append, Conflict, Remembered, Store, StoreError
from domain.chance import Secret
from domain.events import BoardOf
from domain.kernel import Refused
from domain.log import b64
from domain.signed_notes import checkpoint
from domain.tournaments.commands import ChangeTerms
from domain.tournaments.history import TournamentLog
from domain.tournaments.judging import Actor, Given, must_not_be_interested
from domain.tournaments.log import Draft
from domain.tournaments.people import players_of
from domain.tournaments.rules import judged, opened
from domain.tournaments.state import Tournament
from domain.tournaments.terms import Terms, Zone
from replay.local_time import must_be_zone

KIND = "tournament"  # in the origin of checkpoints
MOST_AT_HAND = 64  # tournaments in memory; those in use stay beyond that
_LETTERS = 20
_CREATED = 201
Gather = Callable[[Tournament, Given], Awaitable[Given]]
_Work = Callable[[TournamentLog, Given], Awaitable[Draft]]


def new_id() -> str:
    """Return the id of a new tournament: "t" and 100 random bits in lower case."""
    return _id(os.urandom(13))


def id_of(key: Key) -> str:
    """Return the id of the tournament that is announced with a key: the same for the same key of an owner."""
    return _id(hashlib.sha256(f"announce {key.scope} {key.key}".encode()).digest())


def _id(data: bytes) -> str:
    return "t" + base64.b32encode(data).decode().lower()[:_LETTERS]


def _must_be_zones(command: ChangeTerms) -> None:
    """Check the time zone that a command names, if any.  Raises Refused: terms."""
    named = {command.path: command.value, **{one.path: one.value for one in command.also}}
    if "time_zone" in named:
        with suppress(msgspec.DecodeError):  # what is no text is refused by the rule
            must_be_zone(msgspec.json.decode(named["time_zone"], type=Zone))


class Accepted(Struct, frozen=True):
    """A committed command: its entries are `first`...`last` (none if last < first); the log may be longer."""

    log: TournamentLog
    first: int
    last: int
    form: str = ""

    @property
    def root(self) -> bytes:
        """The root after the last entry of the command."""
        return self.log.roots[max(self.last, 1) - 1]


class _Kept(Struct, frozen=True):
    first: int
    last: int
    form: str


class CachedTournament:
    """One tournament as committed, its secret, and the lock for commands."""

    def __init__(self, log: TournamentLog, secret: Secret | None) -> None:
        self.log, self.secret = log, secret
        self.lock = asyncio.Lock()
        self.users = 0
        self._waiting: list[asyncio.Future[None]] = []

    @contextmanager
    def used(self) -> Iterator[CachedTournament]:
        """Keep the tournament in memory while the context lasts."""
        self.users += 1
        try:
            yield self
        finally:
            self.users -= 1

    def tell(self) -> None:
        """Wake the callers that wait for an entry."""
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    async def news(self, seconds: float) -> None:
        """Wait for the next entry, for at most these seconds."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        await asyncio.wait((future,), timeout=seconds)


class TournamentCommands:
    """Announces tournaments, and carries out commands to them.

    Args:
        store: where tournaments are kept.
        commits: makes records durable, and holds the keys and the clock.
    """

    def __init__(self, store: Store, commits: Commits) -> None:
        self._store, self._commits = store, commits
        self._cached: OrderedDict[str, CachedTournament] = OrderedDict()
        self._loading: dict[str, asyncio.Task[CachedTournament | None]] = {}
        self._tasks: set[asyncio.Task[Accepted]] = set()

    # ── reading ──

    async def cached(self, tournament: str) -> CachedTournament:
        """Return a tournament with all entries that any process committed before this call.

        Raises:
            Refused: unknown-tournament, unavailable.
        """
        found = self._cached.get(tournament)
        if found is None:
            found = await self._loaded(tournament)
            if found is None:
                raise Refused("unknown-tournament", "no-such-tournament")
        elif self._store.shared:
            async with found.lock:
                await self._read_on(found)
        self._cached.move_to_end(tournament)
        return found

    async def log(self, tournament: str) -> TournamentLog:
        """Return the log of a tournament; see `cached`."""
        return (await self.cached(tournament)).log

    async def must_judge(self, place: BoardOf, person: str) -> None:
        """Check that a person is an official of a tournament who may judge this board.

        Raises:
            Refused: unknown-tournament, forbidden, interest.
        """
        s = (await self.log(place.tournament)).state
        one = s.at_round(place.round)
        board = one.board(place.board) if one else None
        if one is None or board is None or not s.is_official(person):
            raise Refused("forbidden", "only-officials")
        must_not_be_interested(s, one, board, Actor(person, ""))

    def peek(self, tournament: str) -> TournamentLog | None:
        """Return a tournament if it is in memory."""
        found = self._cached.get(tournament)
        return found.log if found else None

    def checkpoint(self, log: TournamentLog, entry: int) -> str:
        """Return the signed checkpoint over the first entries of a tournament."""
        return checkpoint(self._commits.keys.signing, log, entry, log.roots[entry - 1], KIND)

    async def _loaded(self, tournament: str) -> CachedTournament | None:
        task = self._loading.get(tournament)
        if task is None:
            task = self._loading[tournament] = asyncio.create_task(asyncio.to_thread(self._load, tournament))
            task.add_done_callback(lambda _: self._loading.pop(tournament, None))
        try:
            found = await asyncio.shield(task)
        except StoreError as error:
            raise error.refusal() from error
        return None if found is None else self._kept(found)

    def _load(self, tournament: str) -> CachedTournament | None:
        log = self._store.tournament(tournament)
        if log is None:
            return None
        secret = self._store.secret(tournament)
        return CachedTournament(log, Secret(secret, tournament) if secret else None)

    def _kept(self, found: CachedTournament) -> CachedTournament:
        kept = self._cached.setdefault(found.log.id, found)
        for name in list(self._cached):
            if len(self._cached) <= MOST_AT_HAND:
                break
            if not self._cached[name].users and name != found.log.id:
                del self._cached[name]
        return kept

    async def _read_on(self, cached: CachedTournament) -> bool:
        """Add what other processes have stored; needs the lock.  Return whether there was anything."""
        try:
            found = await asyncio.to_thread(self._store.since, cached.log.id, cached.log.entry)
        except StoreError as error:
            raise error.refusal() from error
        for record in found:
            cached.log.accept(record)
        if found:
            cached.tell()
        return bool(found)

    # ── commands ──

    async def announce(self, actor: Actor, title: str, terms: Terms, key: Key | None = None) -> Accepted:
        """Announce a tournament; the caller is its director.

        Raises:
            Refused: forbidden, invalid, terms, unknown-game, bad-option, key-reused, unavailable, in-doubt.
        """
        name = new_id() if key is None else id_of(key)
        scoped = None if key is None else replace(key, scope=f"{key.scope} {name}")
        return await self._carried(self._announced(name, actor, title, terms, scoped))

    async def _announced(
        self, name: str, actor: Actor, title: str, terms: Terms, key: Key | None
    ) -> Accepted:
        must_be_zone(terms.time_zone)
        secret = Secret(os.urandom(32), name)
        if key is not None and (before := await self._loaded(name)) is not None:
            known = await self._before(before, key)
            if known is not None:
                return known
        given = self.for_first_records(secret)
        draft = opened(name, title, terms, actor, given, self._commits.product)
        return await self._begun(draft, secret, key)

    async def _begun(self, draft: Draft, secret: Secret, key: Key | None) -> Accepted:
        """Commit the first records of a tournament."""
        last = len(draft.records)
        append = Append(draft.records, secret.bytes, _remembered(key, 1, last))
        try:
            await self._commits.durable(append)
        except Conflict as error:
            raise Refused("conflict", "somebody-was-faster") from error
        log = await asyncio.to_thread(TournamentLog.project, draft.records)
        assert log is not None, "a draft holds a record"
        return Accepted(self._kept(CachedTournament(log, secret)).log, 1, last, key.form if key else "")

    def for_first_records(self, secret: Secret) -> Given:
        """Return what is given for the first records of a tournament with this secret."""
        return Given(now=self._commits.clock(), secret=secret)

    async def announce_begun(self, make: Callable[[Given, str], Draft]) -> Accepted:
        """Announce a tournament with more records than the first one.

        Args:
            make: returns them, from what is given and the name of the product; it runs in a thread.

        Raises:
            Refused: unavailable, in-doubt, and what `make` refuses.
        """
        secret = Secret(os.urandom(32), new_id())
        given = self.for_first_records(secret)
        draft = await asyncio.to_thread(make, given, self._commits.product)
        return await self._carried(self._begun(draft, secret, None))

    async def command(
        self,
        tournament: str,
        command: Struct,
        actor: Actor,
        *,
        expect: int | None = None,
        key: Key | None = None,
        gather: Gather | None = None,
    ) -> Accepted:
        """Carry out a command of `domain.tournaments.commands`.

        Args:
            gather: is awaited under the tournament's lock, and returns how to complete what is given.

        Raises:
            Refused: unknown-tournament, key-reused, unavailable, in-doubt, and what the rules refuse.
        """

        if isinstance(command, ChangeTerms):
            _must_be_zones(command)

        async def work(log: TournamentLog, known: Given) -> Draft:
            known = await self.with_bots(command, actor, known)
            complete = known if gather is None else (await gather(log.state, known))
            return judged(log.state, log.tree, command, actor, complete, expect)

        return await self._carried(self._commanded(tournament, work, key))

    async def with_bots(self, command: Struct, actor: Actor, known: Given) -> Given:
        """Return what is given for a command: with those of the players it gives a place who are programs.

        Raises:
            Refused: unavailable.
        """
        players = players_of(command, actor)
        if not players:
            return known
        try:
            bots = await asyncio.to_thread(self._store.people.bots, players)
        except StoreError as error:
            raise error.refusal() from error
        return replace(known, bots=frozenset(bots))

    async def answered(self, tournament: str, key: Key) -> Accepted | None:
        """Return the answer that a key got before, if any.  Raises Refused: key-reused, unavailable."""
        return await self._before(await self.cached(tournament), key)

    async def _carried(self, work: Awaitable[Accepted]) -> Accepted:
        """Do the work to its end even if the caller is cancelled."""
        task = asyncio.ensure_future(work)
        assert isinstance(task, asyncio.Task)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda done: None if done.cancelled() else done.exception() and None)
        return await asyncio.shield(task)

    async def finish(self) -> None:
        """Wait until all commands under way are answered."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def _commanded(self, tournament: str, work: _Work, key: Key | None) -> Accepted:
        cached = await self.cached(tournament)
        with cached.used():
            async with cached.lock:
                if key is not None and (before := await self._before(cached, key)) is not None:
                    return before
                for is_last in (False, True):
                    try:
                        return await self._committed(cached, work, key)
                    except Conflict as conflict:
                        await self._read_on(cached)
                        if is_last:
                            raise Refused("conflict", "somebody-was-faster") from conflict
        raise AssertionError("unreachable: the second try returns or raises")

    async def _committed(self, cached: CachedTournament, work: _Work, key: Key | None) -> Accepted:
        """Judge and commit.  Raises Conflict, Refused."""
        if cached.secret is None:
            raise Refused("unavailable", "secret-not-here")
        log, now = cached.log, self._commits.clock()
        latest = log.state.at or 0
        known = Given(
            now=None if now is None else max(now, latest), secret=cached.secret, random=b64(os.urandom(16))
        )
        draft = await work(log, known)
        first, last = log.entry + 1, log.entry + len(draft.records)
        if draft.records:
            await self._commits.durable(Append(draft.records, remembered=_remembered(key, first, last)))
            for record in draft.records:
                log.accept(record)
            cached.tell()
        return Accepted(log, first, last, key.form if key else "")

    async def _before(self, cached: CachedTournament, key: Key) -> Accepted | None:
        """The answer that this key got before, if any.  Raises Refused: key-reused, unavailable."""
        try:
            known = await asyncio.to_thread(self._store.remembered, key.scope, key.key)
        except StoreError as error:
            raise error.refusal() from error
        if known is None:
            return None
        if known.body != key.body:
            raise Refused("key-reused", "key-reused")
        kept = msgspec.json.decode(known.answer, type=_Kept)
        if kept.last > cached.log.entry:
            await self._read_on(cached)
        return Accepted(cached.log, kept.first, kept.last, kept.form)


def _remembered(key: Key | None, first: int, last: int) -> Remembered | None:
    if key is None:
        return None
    kept = _Kept(first, last, key.form)
    return Remembered(key.scope, key.key, key.body, _CREATED, msgspec.json.encode(kept))


def state_at(log: TournamentLog, entry: int | None) -> Tournament:
    """Return the state after an entry (None: the latest).

    Raises:
        Refused: unknown-move.
    """
    if entry is None:
        return log.state
    if not 1 <= entry <= log.entry:
        raise Refused("unknown-move", "beyond-latest-entry", {"last": log.entry})
    return log.state_at(entry)
