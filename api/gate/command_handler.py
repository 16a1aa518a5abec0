"""The command handler: it judges a command on the committed match, commits it, and only then answers.

A command is carried out to its end even if its caller goes away.  A refusal changes nothing and is kept
(`Refusals`).
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import logging
import os
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from api.gate.bots import BotRunner, is_ours
from api.gate.clocks import Clocks
from api.gate.commit import UNTOLD, Commits
from api.gate.match_cache import CachedMatch, MatchCache
from api.store.interface import Conflict, Remembered, StoreError
from domain.drafts import Context, Draft
from domain.events import Closed, Played, SecretOpened, TakebackAnswered, TakenBack
from domain.kernel import Refused, Seat
from domain.match import Match
from domain.match_base import Chair, Outline

# ── What a command is before and after the gate, and what an idempotency key keeps of it ──

Judge = Callable[[Match, Context, Seat | None], Draft]
"""Judges a command: returns the draft to commit.  Takes the seat of the command, if it is for a seat."""

_LAST_SECOND = 253_402_300_799  # of the year 9999, with which the calendar ends
_CREATED = 201  # what is remembered is always the answer to a command that was carried out


def new_id() -> str:
    """Return the id of a new match: "m" and 80 random bits in lower case, which never repeat."""
    return "m" + base64.b32encode(os.urandom(10)).decode().lower()


def id_of(key: Key) -> str:
    """Return the id of the match that is opened with a key: the same for the same key of the same token."""
    digest = hashlib.sha256(f"open {key.scope} {key.key}".encode()).digest()
    return "m" + base64.b32encode(digest[:10]).decode().lower()


class Key(Struct, frozen=True):
    """An idempotency key.

    `scope`: whose key it is (a token, a match).  `body`: the hash of the request.  `form`: the form of the
    answer (a language), which a repetition gets again even if it asks for another.
    """

    scope: str
    key: str
    body: bytes
    form: str = ""


class CommandResult(Struct, frozen=True):
    """A committed command: its own moves are `first`...`last`; after `settled` no bot had to answer.

    `seat`: the seat of the command.
    """

    cached: CachedMatch
    seat: Seat | None
    first: int
    last: int
    settled: int
    form: str = ""

    @property
    def chair(self) -> Chair | None:
        """The seat that the player took first: the command itself may have swapped the seats."""
        return self.cached.match.chair_of(self.seat, self.first - 1) if self.seat else None


class Command(Struct, frozen=True):
    """One command: its player, its match, and how it is judged.

    `look`: called before each judging; reads what it needs besides the match, and returns the version of the
    reservations by which it is judged (None: it needs none).
    """

    command: str
    match: str
    judge: Judge
    player: str | None = None
    seat: Seat | None = None
    expect: int | None = None
    key: Key | None = None
    look: Callable[[], Awaitable[int | None]] | None = None


class _Kept(Struct, frozen=True):
    """What is stored with a key: enough to repeat the same answer from the log alone."""

    seat: Seat | None
    first: int
    last: int
    form: str


def remembered(key: Key | None, accepted: CommandResult) -> Remembered | None:
    """Return what is stored together with the moves of a command with a key; None without a key."""
    if key is None:
        return None
    kept = _Kept(accepted.seat, accepted.first, accepted.last, key.form)
    return Remembered(key.scope, key.key, key.body, _CREATED, msgspec.json.encode(kept))


def never(match: Match, context: Context, own: Seat | None) -> Draft:
    """The `judge` of a command that comes with its records: it is never called."""
    raise AssertionError("this command has nothing to judge")


def last_own(draft: Draft) -> int:
    """Return the last move of a draft, except those that close the match."""
    own = [record.move for record in draft.records if not isinstance(record.entry, (SecretOpened, Closed))]
    return own[-1] if own else draft.records[-1].move


def recalled(known: Remembered, cached: CachedMatch) -> CommandResult:
    """Return the result of the command that came with a key before."""
    kept = msgspec.json.decode(known.answer, type=_Kept)
    return CommandResult(
        cached, kept.seat, kept.first, kept.last, settled(cached.match, kept.last), kept.form
    )


def settled(match: Match, last: int) -> int:
    """Return the move from `last` on after which no bot had to answer: after bot moves and the match's end.

    It depends on the log alone, so that an answer can be repeated byte for byte.
    """
    move = last
    while move < match.move and _follows_at_once(match, move):
        move += 1
    return move


def must_play(own: Seat | None) -> Seat:
    """Return the seat of a player of the match.  Raises Refused: foreign."""
    if own is None:
        raise Refused("foreign", "not-your-match")
    return own


def must_have_waited(match: Outline, context: Context, hours: int) -> None:
    """Check that these hours have passed since the last seat was taken.  Raises Refused: salt."""
    since = match.full_since
    if since is None or context.now is None:
        raise Refused("salt", "time-unknown")
    due = since + hours * 3600 * 1_000_000
    if context.now < due:
        moment = datetime.fromtimestamp(min(due // 1_000_000, _LAST_SECOND), UTC)
        raise Refused("salt", "close-from", {"moment": f"{moment:%Y-%m-%d %H:%M:%S} UTC"})


def seat_if_any(match: Outline, player: str | None) -> Seat | None:
    """Return the seat that a player plays now; None if the player does not play in the match.

    If one player has several seats, one with a prompt.
    """
    own = seats_of(match, player)
    if len(own) < 2:
        return own[0] if own else None
    asked = match.asked.seats if match.asked else {}
    return next((seat for seat in own if seat in asked), own[0])


def seats_of(match: Outline, player: str | None, move: int | None = None) -> list[Seat]:
    """Return the seats that a player plays after `move` (None: the latest); none if ids are only claimed."""
    if player is None or match.claimed:
        return []
    own = [
        match.seat_of(Chair(seat), move)
        for seat, seated in match.seats.items()
        if seated and seated.player == player
    ]
    return own if len(own) < 2 else [seat for seat in match.seats if seat in own]


def answering_seat(match: Match, player: str | None, own: Seat | None) -> Seat:
    """Return the seat for which a player answers a takeback request; `own`: the seat for other commands.

    Raises:
        Refused: foreign.
    """
    waiting = match.request.seat if match.request else None
    others = [seat for seat in seats_of(match, player) if seat != waiting]
    return others[0] if others else must_play(own)


def _follows_at_once(match: Match, move: int) -> bool:
    entry, before = match.records[move].entry, match.records[move - 1].entry
    if isinstance(entry, (Played, TakebackAnswered)):
        seated = match.player_of(entry.seat, move)
        return seated is not None and is_ours(seated)
    if isinstance(entry, TakenBack):
        return isinstance(before, TakebackAnswered)
    return isinstance(entry, (SecretOpened, Closed))


# ── The latest commands that were refused ──
#
# The record is kept in memory.  It holds no picks and no text of a refusal, so its readers learn nothing of a
# hidden card.


class Refusal(Struct, frozen=True):
    """One recorded refusal of a command: `at` in microseconds UTC, `move` the latest move at that time."""

    at: int | None
    kind: str
    command: str
    match: str | None
    player: str | None
    seat: Seat | None
    move: int | None


class Refusals:
    """The latest refusals, and how many of each kind there were.

    Args:
        most: how many are kept.
    """

    def __init__(self, most: int) -> None:
        self._kept: deque[Refusal] = deque(maxlen=most)
        self.counts: Counter[str] = Counter()

    def keep(self, refusal: Refusal) -> None:
        """Record one; the oldest is dropped if there are too many."""
        self._kept.append(refusal)
        self.counts[refusal.kind] += 1

    def latest(self, limit: int, match: str | None = None) -> list[Refusal]:
        """Return the latest `limit` refusals (of one match), the newest first."""
        found: list[Refusal] = []
        for refusal in reversed(self._kept):
            if len(found) == limit:
                break
            if match is None or refusal.match == match:
                found.append(refusal)
        return found


# ── How a command is carried out: judged on the committed match, made durable, and only then answered ──


_log = logging.getLogger("glasnost.gate")


class CommandHandler:
    """Carries out commands, one at a time for each match.

    Args:
        commits: makes the drafts of commands durable.
        cache: the cached matches.
        bots: they answer after each command.
        refusals: the record of refused commands.
        clocks: are settled before each command.
    """

    def __init__(
        self, commits: Commits, cache: MatchCache, bots: BotRunner, refusals: Refusals, clocks: Clocks
    ) -> None:
        self._commits, self._cache, self._bots, self._refusals = commits, cache, bots, refusals
        self._clocks = clocks
        self._store = commits.store
        self._tasks: set[asyncio.Future[CommandResult]] = set()

    async def cached(self, match: str) -> CachedMatch:
        """Return the cached match, with the state as this process knows it.

        Raises:
            Refused: unknown-match, withdrawn.
        """
        cached = self._cache.at_hand(match)
        if cached is None:
            cached = await self._cache.get(match)
            if cached is None:
                raise Refused("unknown-match", "no-such-match")
            if not self._store.shared:
                self._bots.wake(cached)
        if cached.match.proof is not None:
            await self.must_be_shown(cached.match)
        return cached

    async def must_be_shown(self, match: Outline) -> None:
        """Check that an uploaded match was not withdrawn at any worker.  Raises Refused: withdrawn."""
        if match.proof is None:
            return
        found = await asyncio.to_thread(self._store.uploads.withdrawal, match.id)
        if found is not None:
            day = datetime.fromtimestamp(found.at / 1_000_000, UTC)
            raise Refused("withdrawn", "withdrawn", {"day": f"{day:%Y-%m-%d}", "reason": found.reason})

    async def settled(self, match: str) -> CachedMatch:
        """Return the cached match after its clocks were settled (see `Clocks.settle`).

        Raises:
            Refused: unknown-match, withdrawn, unavailable, in-doubt.
        """
        cached = await self.cached(match)
        with cached.used():
            async with cached.lock:
                for is_last in (False, True):
                    try:
                        if self._store.shared:
                            await self._cache.read_on(cached)
                        await self._clocks.settle(cached)
                        break
                    except Conflict as conflict:
                        if is_last:
                            raise Refused("conflict", "somebody-was-faster") from conflict
                        await self._cache.refresh(cached)
        return cached

    async def command(
        self, order: Command, admit: Callable[[], Awaitable[None]] | None = None
    ) -> CommandResult:
        """Carry out a command to a stored match, and return its result.  Raises Refused.

        `admit`: is awaited before the match is locked, and refuses what depends on more than the match.
        """
        return await self.carry(order, self._carried_out(order, admit))

    async def carry(self, order: Command, work: Coroutine[Any, Any, CommandResult]) -> CommandResult:
        """Do the work to its end even if the caller is cancelled; record a refusal."""
        task = asyncio.create_task(self._recorded(order, work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.add_done_callback(_unheard)
            raise

    async def _carried_out(
        self, order: Command, admit: Callable[[], Awaitable[None]] | None
    ) -> CommandResult:
        """Find the match, take its lock, judge and commit (again if this process was behind), answer."""
        if admit is not None:
            await admit()
        cached = await self.cached(order.match)
        cached.users += 1
        try:
            async with cached.lock:
                for is_last in (False, True):
                    try:
                        accepted = await self._judged_and_committed(cached, order)
                        break
                    except (Conflict, Refused) as refusal:
                        # A key is looked up only now: most are new, and one that is taken is a conflict.
                        if (before := await self._answered_before(cached, order, refusal)) is not None:
                            return before
                        if not is_last and await self._was_behind(cached, refusal):
                            continue
                        if isinstance(refusal, Conflict):
                            raise Refused("conflict", "somebody-was-faster") from refusal
                        raise
                if cached.match.has_bots:
                    await self._bots.answer(cached)
                return replace(accepted, settled=settled(cached.match, accepted.last))
        finally:
            cached.users -= 1

    async def _judged_and_committed(self, cached: CachedMatch, order: Command) -> CommandResult:
        await self._clocks.settle(cached)
        seat = order.seat or seat_if_any(cached.match, order.player)
        reservations = await order.look() if order.look else None
        try:
            draft = order.judge(cached.match, self._commits.context(cached), seat)
        except Refused as error:
            error.seat, error.chair = seat, cached.match.chair_of(seat) if seat else None
            error.expect = order.expect
            raise
        form = order.key.form if order.key else ""
        accepted = CommandResult(cached, seat, draft.records[0].move, last_own(draft), 0, form)
        kept = remembered(order.key, accepted) if order.key else None
        await self._commits.commit(cached, draft, kept, reservations)
        return accepted

    async def _answered_before(
        self, cached: CachedMatch, order: Command, refusal: Conflict | Refused
    ) -> CommandResult | None:
        """The answer that the key of a refused command got before, if any; None while that is in doubt."""
        is_in_doubt = isinstance(refusal, Refused) and refusal.kind == "in-doubt"
        return None if is_in_doubt else await self._known(cached, order)

    async def _was_behind(self, cached: CachedMatch, refusal: Conflict | Refused) -> bool:
        """Whether a command was judged without moves of another process; they are added now."""
        if isinstance(refusal, Conflict):
            await self._cache.refresh(cached)
            return True
        return self._store.shared and refusal.kind not in UNTOLD and await self._cache.read_on(cached)

    async def _recorded(self, order: Command, work: Coroutine[Any, Any, CommandResult]) -> CommandResult:
        """Do the work, count it, and record its refusal."""
        try:
            accepted = await work
        except Refused as error:
            error.match = order.match
            if (
                order.player is not None or error.kind != "exists"
            ):  # servers that start together open the same first matches
                self._refusals.keep(refusal := self._refusal(order, error))
                _log.info("refused", extra=asdict(refusal))
            raise
        self._commits.counts.commands[order.command] += 1
        if _log.isEnabledFor(logging.INFO):
            who = {"match": accepted.cached.match.id, "player": order.player, "seat": accepted.seat}
            _log.info(order.command, extra={**who, "first": accepted.first, "last": accepted.last})
        return accepted

    async def opened_before(self, order: Command) -> CommandResult | None:
        """Return the result of the opening with this key before, if any."""
        cached = await self._cache.get(order.match) if order.key else None
        if cached is None:
            return None
        with cached.used():
            async with cached.lock:  # a running command adds its own moves to the match
                return await self._known(cached, order)

    async def finish(self) -> None:
        """Wait until all commands under way are answered."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def _known(self, cached: CachedMatch, order: Command) -> CommandResult | None:
        """The answer that this key got before, if any.  Raises Refused: key-reused, unavailable."""
        if order.key is None:
            return None
        try:
            known = await asyncio.to_thread(self._store.remembered, order.key.scope, order.key.key)
        except StoreError as error:
            raise error.refusal() from error
        if known is None:
            return None
        if known.body != order.key.body:
            raise Refused("key-reused", "key-reused")
        if self._store.shared:
            await self._cache.read_on(cached)
        return recalled(known, cached)

    def _refusal(self, order: Command, error: Refused) -> Refusal:
        cached = self._cache.at_hand(order.match)
        where, move = (cached.match.id, cached.match.move) if cached else (None, None)
        return Refusal(
            self._commits.clock() or 0, error.kind, order.command, where, order.player, error.seat, move
        )


def _unheard(task: asyncio.Future[CommandResult]) -> None:
    """Drop the outcome of a task whose caller was cancelled."""
    with suppress(Refused, StoreError, asyncio.CancelledError):
        task.result()
