"""The gate: every command to a match passes here, from HTTP, the command line or a bot.

A command is judged on the committed match while it holds the match's lock; its records go to the store's
writer; only when they are durable are they added to the match, and only then are followers notified and is
the caller answered.  A refusal changes nothing and is recorded (`Refusals`).

After each commit the bots of the server answer their prompts (`api.gate.bots`).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import asdict, replace

from api.bots.workers import BotWorkers
from api.gate.bots import (
    CLIENT,
    BotRunner,
    Bots,
    agent_of,
    builtin_bots,
    knows,
    must_know,
    player_of,
    searches,
)
from api.gate.cache_sync import Feed, Following
from api.gate.clocks import Clocks, Timekeeper
from api.gate.command_handler import (
    Command,
    CommandHandler,
    CommandResult,
    Key,
    Refusals,
    answering_seat,
    id_of,
    must_have_waited,
    must_play,
    never,
    new_id,
    remembered,
)
from api.gate.commit import Commits
from api.gate.match_cache import CachedMatch, CoalescedReads, MatchCache, UncachedMatch, read_uncached
from api.gate.officials import Officials
from api.gate.reservations import must_be_admitted, must_have, must_reserve
from api.settings import Settings
from api.store.interface import Conflict, Reservation, Reservations, Store, Withdrawal
from api.store.keys import Keys
from domain import branches
from domain.chance import Secret, Source
from domain.clocks import Clock
from domain.drafts import Context, Draft
from domain.events import BoardOf
from domain.games import GAMES
from domain.kernel import Decision, Picks, Refused, Result, Seat, Table
from domain.match import Match, open_match
from domain.signed_notes import NotSignedHere, Signed


def new_match(
    context: Context,
    game: str,
    edition: str | None,
    options: Mapping[str, Any],
    *,
    match: str,
    origin: str,
    opener: str | None,
    recorded: bool,
    private: bool = False,
    clock: Clock = (),
    tournament: BoardOf | None = None,
) -> Match:
    """Settle a new match, which is not stored yet: the match after its first move; see `open_match`.

    Raises:
        Refused: unknown-game, bad-option.
    """
    if game not in GAMES:
        raise Refused("unknown-game", "unknown-game", {"game": repr(game), "games": list(GAMES)})
    known = GAMES[game]
    chosen, complete = known.settle(edition, options)
    draft = open_match(
        context,
        known,
        chosen,
        complete,
        match=match,
        origin=origin,
        opener=opener,
        recorded=recorded,
        private=private,
        clock=clock,
        tournament=tournament,
    )
    opened = Match.project(None, draft.records)
    assert opened is not None, "a draft holds records"
    return opened


class Gate:
    """Accepts all commands to all matches of a store.

    Args:
        store: where matches are kept.
        keys: sign the checkpoint of a match that ends.
        clock: returns the time in microseconds UTC; None if the log must hold no time (a seeded match).
        product: the version of this program, for the log.
        settings: the limits.
        bots: the bots of the server, by name; None: those of `builtin_bots`.
    """

    def __init__(
        self,
        store: Store,
        keys: Keys,
        clock: Callable[[], int | None],
        product: str,
        settings: Settings | None = None,
        bots: Bots | None = None,
    ) -> None:
        settings = settings or Settings()
        self.store, self.keys = store, keys
        self.refusals = Refusals(settings.kept_refusals)
        self.stopping = False
        self.must_judge: Callable[[BoardOf, str], Awaitable[None]] = _refused_to_all
        self._commits = Commits(store, keys, clock, product)
        self.counts = self._commits.counts
        self._cache = MatchCache(
            settings.cached_matches, settings.cached_bytes, self._commits.load, CoalescedReads(store).since
        )
        self.clocks = Clocks(self._commits)
        self.workers = BotWorkers(settings.bot_workers)
        known = builtin_bots(self.workers) if bots is None else bots
        self._bots = BotRunner(known, self._commits, self._cache, self.clocks)
        self._salt_hours, self._bot_matches = settings.salt_hours, settings.bot_matches
        self._handler = CommandHandler(self._commits, self._cache, self._bots, self.refusals, self.clocks)
        self.officials = Officials(self._handler, lambda board, by: self.must_judge(board, by))
        self._following = Following(store, self._cache, self._bots, clock, self.counts.delays)

    # ── reading ──

    async def cached(self, match: str) -> CachedMatch:
        """Return the cached match with all moves that any process committed before this call.

        If the store is not available but a replica is, `cached.lag` is the age in seconds that it may have.

        Raises:
            Refused: unknown-match, withdrawn.
        """
        cached = await self._handler.cached(match)
        if self.store.shared:
            await self._following.look(cached)
        return cached

    async def uncached(self, match: str, move: int) -> UncachedMatch | None:
        """Return a match as far as an earlier move shows it; None if cached; see `read_uncached`."""
        if self._cache.peek(match) is not None:
            return None
        found = await asyncio.to_thread(read_uncached, self.store, match, move)
        if found is not None:
            await self._handler.must_be_shown(found.match)
        return found

    async def match(self, match: str) -> Match:
        """Return the match as committed; see `cached`."""
        return (await self.cached(match)).match

    def at_hand_match(self, match: str) -> Match | None:
        """Return a match if it is in memory, as this process knows it; without counting as a use."""
        cached = self._cache.peek(match)
        return cached.match if cached else None

    @property
    def at_hand(self) -> int:
        """The number of matches in memory."""
        return len(self._cache)

    @property
    def weight(self) -> int:
        """The bytes of memory that these take, approximately."""
        return self._cache.weight

    def may_follow(self, cached: CachedMatch) -> bool:
        """Return whether there is room for one more match that stays cached as long as it is followed."""
        return cached.users > 0 or (self._cache.peek(cached.match.id) is cached and not self._cache.is_full)

    def checkpoint(self, match: Match, move: int) -> str:
        """Return the signed checkpoint over the first `move` moves.

        Raises:
            Refused: not-signed-here.
        """
        try:
            return self._commits.note(match, move, match.roots[move - 1])
        except NotSignedHere as error:
            raise Refused("not-signed-here", "log-from-elsewhere", {"moves": match.move}) from error

    @property
    def commits(self) -> Commits:
        """Makes what is judged durable; the gate of tournaments uses it, too."""
        return self._commits

    def follow(self, bus: Feed | None = None) -> None:
        """From now on notify followers of what other processes commit, as the store and `bus` announce it.

        Commits of this process are announced on `bus`.
        """
        if bus is not None:
            self._commits.announce = bus.announce
        self._following.start(bus)

    # ── commands ──

    async def open(
        self,
        player: str | None,
        game: str,
        edition: str | None,
        options: Mapping[str, Any],
        *,
        origin: str = "live",
        secret: bytes | None = None,
        match: str | None = None,
        recorded: bool = False,
        key: Key | None = None,
        reserved: Mapping[Seat, Reservation] = {},
        private: bool = False,
        clock: Clock = (),
        tournament: BoardOf | None = None,
    ) -> CommandResult:
        """Open a new match; opening does not seat the player.  `reserved`: the reservations by seat.

        `private`, `clock`, `tournament`: see `domain.events.Opened`.

        The id of a match that is opened with a key is derived from the key, so it is opened once.  The scope
        of that key names its owner, without a match.

        Raises:
            Refused: unknown-game, bad-option, unknown-seat, exists, key-reused, unavailable, in-doubt.
        """

        async def make(context: Context, name: str) -> Match:
            if clock:
                await self.clocks.beat_in_time()
            return new_match(
                context,
                game,
                edition,
                options,
                match=name,
                origin=origin,
                opener=player,
                recorded=recorded,
                private=private,
                clock=clock,
                tournament=tournament,
            )

        return await self._opened(
            "open", player, make, secret=secret, match=match, key=key, reserved=reserved
        )

    async def open_branch(
        self, player: str, parent: str, at: int, *, key: Key | None = None
    ) -> CommandResult:
        """Open a match of its own that goes on from move `at` of another one, which is over.

        Raises:
            Refused: unknown-match, withdrawn, key-reused, unavailable, in-doubt, and what
                `domain.branches.open_branch` refuses.
        """

        async def make(context: Context, name: str) -> Match:
            found = await self.match(parent)
            draft = branches.open_branch(context, found, at, match=name, opener=player)
            opened = Match.project(None, draft.records)
            assert opened is not None, "a draft holds records"
            return opened

        return await self._opened("open_branch", player, make, key=key)

    async def _opened(
        self,
        command: str,
        player: str | None,
        make: Callable[[Context, str], Awaitable[Match]],
        *,
        secret: bytes | None = None,
        match: str | None = None,
        key: Key | None = None,
        reserved: Mapping[Seat, Reservation] = {},
    ) -> CommandResult:
        """Store the new match that `make` returns for its context and id; see `open`."""
        name = match or (new_id() if key is None else id_of(key))
        if key is not None:
            key = replace(key, scope=f"{key.scope} {name}")
        order = Command(command, name, never, player, key=key)
        own = Secret(os.urandom(32) if secret is None else secret, name)

        async def work() -> CommandResult:
            if before := await self._handler.opened_before(order):
                return before
            opened = await make(Context(own, self._commits.clock(), self._commits.product), name)
            for seat in reserved:
                must_have(opened, seat)
            accepted = CommandResult(CachedMatch(opened, own), None, 1, 1, 1, key.form if key else "")
            held = Reservations(1, reserved) if reserved else None
            try:
                cached = await self._commits.first(opened, own, remembered(key, accepted), held)
            except Refused as error:
                before = await self._handler.opened_before(order) if error.kind == "exists" else None
                if before is None:
                    raise
                return before
            return replace(accepted, cached=self._cache.put(cached))

        return await self._handler.carry(order, work())

    async def sit(
        self,
        match: str,
        seat: Seat,
        player: str | None,
        *,
        salt: str | None = None,
        salt_hash: str | None = None,
        bot: str = "",
        invitation: str | None = None,
        key: Key | None = None,
        source: Source | None = None,
        is_program: bool = False,
    ) -> CommandResult:
        """`player` takes a seat, or lets a bot play it (None: a caller who may do so in any match).

        With the hash of a salt, play waits until the salt is opened.  `is_program`: the player has the role
        `bot`, which the log says for ever.

        Raises:
            Refused: unknown-match, unknown-bot, foreign, limit, reserved, unavailable, and what `Match.sit`
                refuses.
        """
        reserved, line = Reservations(), None

        async def look() -> int:
            nonlocal reserved, line
            line = await self._line_of(match)
            reserved = await asyncio.to_thread(self.store.reservations, match)
            return reserved.version

        def judge(stored: Match, context: Context, own: Seat | None) -> Draft:
            if bot:
                self._must_be_invited(stored, bot, player)
            must_be_admitted(stored, reserved, seat, None if bot else player, invitation)
            name = player_of(bot) if bot else player or ""
            return stored.sit(
                context,
                seat,
                name,
                salt=salt,
                bot=CLIENT if is_program else bot,
                source=source,
                hashed=salt_hash,
                line=line,
                agent=agent_of(self._bots.bots.get(bot), stored.game.name),
            )

        return await self._handler.command(Command("sit", match, judge, player, seat, key=key, look=look))

    async def reserve(
        self, match: str, seat: Seat, reservation: Reservation | None, player: str | None
    ) -> None:
        """Reserve a free seat, replacing an earlier reservation, or withdraw the reservation (None).

        `player` opened the match (None: a caller who may do so in any match).

        Raises:
            Refused: unknown-match, unknown-seat, foreign, seat-taken, over, conflict.
            StoreError: the store is not available.
        """

        async def once(cached: CachedMatch) -> None:
            must_reserve(cached.match, seat, player)
            before = await asyncio.to_thread(self.store.reservations, match)
            others = {name: held for name, held in before.seats.items() if name != seat}
            now = Reservations(before.version + 1, others | ({seat: reservation} if reservation else {}))
            await asyncio.to_thread(self.store.reserve, match, cached.match.move, now)

        async def work() -> CommandResult:
            cached = await self._handler.cached(match)
            with cached.used():
                async with cached.lock:
                    try:
                        await once(cached)
                    except Conflict:
                        await self._cache.refresh(cached)
                        await once(cached)
            return CommandResult(cached, seat, cached.match.move, cached.match.move, cached.match.move)

        try:
            await self._handler.carry(Command("reserve", match, never, player, seat), work())
        except Conflict as error:
            raise Refused("conflict", "somebody-was-faster") from error

    async def open_salt(
        self, match: str, seat: Seat, player: str, salt: str, *, key: Key | None = None
    ) -> CommandResult:
        """`player` opens the salt whose hash was sent when the seat was taken.

        Raises:
            Refused: unknown-match, foreign, key-reused, unavailable, and what `Match.open_salt` refuses.
        """
        line = None

        async def look() -> None:
            nonlocal line
            line = await self._line_of(match)

        def judge(stored: Match, context: Context, own: Seat | None) -> Draft:
            seated = stored.seats.get(seat)
            if seat in stored.seats and (seated is None or seated.player != player):
                raise Refused("foreign", "not-your-seat", {"seat": seat})
            return stored.open_salt(context, seat, salt, line=line)

        order = Command("open_salt", match, judge, player, seat, key=key, look=look)
        return await self._handler.command(order)

    async def parent_of(self, match: Match) -> Match | None:
        """Return the match from which a branch goes on; None of any other match, or if that is not here."""
        if match.opened.branch is None:
            return None
        try:
            return await self.match(match.opened.branch.match)
        except Refused as error:
            if error.kind in ("unknown-match", "withdrawn"):
                return None
            raise

    async def _line_of(self, match: str) -> Decision[Table] | None:
        """The facts and the table with which a branch begins, if the match is a branch that has not begun.

        Raises:
            Refused: unknown-match, withdrawn, unavailable; the match or its parent cannot be read.
        """
        found = (await self._handler.cached(match)).match
        if found.opened.branch is None or found.begun or found.closed:
            return None
        parent = await self.match(found.opened.branch.match)
        return await asyncio.to_thread(branches.line_of, parent, found.opened.branch.move)

    async def close_unopened(
        self, match: str, player: str | None, *, key: Key | None = None
    ) -> CommandResult:
        """Close a match that waits too long for a salt (`player` None: a caller who may do so anywhere).

        Raises:
            Refused: unknown-match, foreign, key-reused, unavailable, and what `Match.close_unopened` refuses.
        """

        def judge(stored: Match, context: Context, own: Seat | None) -> Draft:
            if player is not None and player not in _concerned(stored):
                raise Refused("foreign", "who-closes-for-a-salt")
            draft = stored.close_unopened(context)
            must_have_waited(stored, context, self._salt_hours)
            return draft

        return await self._handler.command(Command("close_unopened", match, judge, player, key=key))

    async def play(
        self,
        match: str,
        answers: Sequence[Picks],
        *,
        player: str | None = None,
        seat: Seat | None = None,
        expect: int | None = None,
        key: Key | None = None,
        source: Source | None = None,
    ) -> CommandResult:
        """The player of a seat (or a caller who may name the `seat` itself) answers, once or several times.

        Raises:
            Refused: unknown-match, foreign, key-reused, unavailable, conflict, and what `Match.play` refuses.
        """

        def judge(stored: Match, context: Context, own: Seat | None) -> Draft:
            return stored.play(context, must_play(own), answers, expect=expect, source=source)

        return await self._handler.command(Command("play", match, judge, player, seat, expect, key))

    async def resign(
        self, match: str, *, player: str | None = None, seat: Seat | None = None, key: Key | None = None
    ) -> CommandResult:
        """A seat resigns.  Raises Refused: see `Match.resign`."""

        def judge(stored: Match, context: Context, own: Seat | None) -> Draft:
            return stored.resign(context, must_play(own))

        return await self._handler.command(Command("resign", match, judge, player, seat, key=key))

    async def ask_takeback(
        self,
        match: str,
        *,
        player: str | None = None,
        seat: Seat | None = None,
        to: int | None = None,
        key: Key | None = None,
    ) -> CommandResult:
        """A seat asks for a takeback; a bot agrees at once.  Raises Refused: see `Match.ask_takeback`."""

        def judge(stored: Match, context: Context, own: Seat | None) -> Draft:
            return stored.ask_takeback(context, must_play(own), to)

        return await self._handler.command(Command("ask_takeback", match, judge, player, seat, key=key))

    async def answer_takeback(
        self,
        match: str,
        request: int,
        agree: bool,
        *,
        player: str | None = None,
        seat: Seat | None = None,
        key: Key | None = None,
    ) -> CommandResult:
        """A seat answers a takeback request.  Raises Refused: see `Match.answer_takeback`."""

        def judge(stored: Match, context: Context, own: Seat | None) -> Draft:
            acting = seat or answering_seat(stored, player, own)
            return stored.answer_takeback(context, acting, request, agree)

        return await self._handler.command(Command("answer_takeback", match, judge, player, seat, key=key))

    async def rule(
        self,
        match: str,
        by: str,
        reason: str,
        *,
        expect: int | None = None,
        back_to: int | None = None,
        result: Result | None = None,
        void: bool = False,
        key: Key | None = None,
        by_tournament: bool = False,
    ) -> CommandResult:
        """An organizer who does not play in the match rules on it.

        A match of a tournament is ruled on through its board alone (`TournamentGate.rule`), so that the
        tournament's log has each ruling.

        Args:
            by_tournament: the rules of the match's tournament have allowed this already.

        Raises:
            Refused: forbidden, interest, foreign; ruling: the board is to be ruled; see also `Match.rule`.
        """

        async def admit() -> None:
            board = None if by_tournament else (await self._handler.cached(match)).match.opened.tournament
            if board is None:
                return
            await self.must_judge(board, by)
            raise Refused("ruling", "rule-on-its-board", asdict(board))

        def judge(stored: Match, context: Context, own: Seat | None) -> Draft:
            if own is not None:
                raise Refused("foreign", "player-rules")
            if result is not None and not set(result.score) <= set(stored.seats):
                raise Refused("ruling", "score-is-for-seats", {"known": list(stored.seats)})
            return stored.rule(context, by, reason, expect=expect, back_to=back_to, result=result, void=void)

        return await self._handler.command(Command("rule", match, judge, by, None, expect, key), admit)

    async def close_record(self, match: str, result: Result | None) -> CommandResult:
        """A recorded match stops where its record ends.  Raises Refused: see `Match.close_record`."""

        def judge(stored: Match, context: Context, own: Seat | None) -> Draft:
            return stored.close_record(context, result)

        return await self._handler.command(Command("close_record", match, judge))

    def timekeeper(
        self, running: Callable[[], Awaitable[Sequence[str]]], leads: Callable[[], bool]
    ) -> Timekeeper:
        """Return what notes time-outs in matches to which no command comes; see `Timekeeper`."""
        return Timekeeper(
            self.store,
            self.clocks,
            self._handler.settled,
            self._cache.peek,
            running,
            leads,
            self._commits.clock,
        )

    async def upload(
        self, match: Match, note: str, proof: Signed, player: str | None = None
    ) -> CommandResult:
        """Store a whole verified match from elsewhere, with its checkpoint and the signers of that.

        Raises:
            Refused: exists (nothing is ever replaced), unavailable.
        """

        async def work() -> CommandResult:
            cached = self._cache.put(await self._commits.whole(match, note, proof))
            return CommandResult(cached, None, 1, match.move, match.move)

        return await self._handler.carry(Command("upload", match.id, never, player), work())

    async def withdraw(self, match: str, by: str, reason: str) -> Withdrawal:
        """Withdraw an uploaded match; if it is withdrawn already, return the recorded withdrawal.

        Raises:
            Refused: unknown-match, not-uploaded, unavailable.
        """
        try:
            uploaded = (await self._handler.cached(match)).match.proof is not None
        except Refused as error:
            if error.kind != "withdrawn":
                raise
            uploaded = True
        if not uploaded:
            raise Refused("not-uploaded", "not-uploaded")
        withdrawal = Withdrawal(match, self._commits.clock() or 0, by, reason)
        return await asyncio.to_thread(self.store.uploads.withdraw, withdrawal)

    def bots_of(self, game: str) -> list[str]:
        """The bots that can play a game here, the weakest first."""
        return [name for name, bot in self._bots.bots.items() if knows(bot, game)]

    async def settled(self, match: str) -> None:
        """Wait until no bot of a match has a prompt."""
        await self.cached(match)
        await self._bots.settled(match)

    def stop(self) -> None:
        """Notify all followers that the server stops; commands are still carried out."""
        self.stopping = True
        self._cache.wake()

    async def close(self) -> None:
        """Answer all waiting callers and stop the bots; the store stays open."""
        self.stop()
        await self._handler.finish()
        await self._following.stop()
        await asyncio.gather(self._bots.stop(), self.workers.stop())

    def _must_be_invited(self, match: Match, bot: str, player: str | None) -> None:
        if bot not in self._bots.bots:
            about = {"bot": repr(bot), "bots": self.bots_of(match.game.name)}
            raise Refused("unknown-bot", "no-such-bot", about)
        must_know(self._bots.bots[bot], match.game.name)
        if player is None:
            return
        if player not in _concerned(match):
            raise Refused("foreign", "who-seats-a-bot")
        if searches(self._bots.bots[bot], match.game.name):
            if self._bots.searching_for(player, match.id) >= self._bot_matches:
                raise Refused("limit", "bot-matches", {"most": self._bot_matches})
            self._bots.invited(match.id, player)


async def _refused_to_all(board: BoardOf, person: str) -> None:
    """Without the gate of tournaments, none of their officials is known.  Raises Refused: forbidden."""
    raise Refused("forbidden", "only-officials")


def _concerned(match: Match) -> set[str | None]:
    """The player who opened the match, and the seated players."""
    return {match.opened.opener, *(seated.player for seated in match.seats.values() if seated)}
