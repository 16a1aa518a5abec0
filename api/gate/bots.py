"""The bots of the server: they answer their prompts, and each answer is a move of its own.

In a match with a person, a bot that needs no search answers at once, while the match's lock is still held, so
that the person sees the next own prompt in the response.  A match between bots, and what takes longer,
continues in the background, one move at a time, so that it blocks no other request.

A bot that searches does so in a process of the pool, without the lock.  Where the match has moved on
meanwhile (a takeback, a ruling, a resignation), its answer is dropped.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct

from api.bots.action import LatestAction
from api.bots.agent_bot import AgentBot, observation_of
from api.bots.levels import LEVELS, RANDOM
from api.bots.workers import BotWorkers
from api.gate.clocks import Clocks
from api.gate.commit import Commits
from api.gate.match_cache import CachedMatch, MatchCache
from api.store.interface import Conflict
from domain.drafts import Draft
from domain.events import Seated
from domain.kernel import AnyFact, Picks, Prompt, Refused, Seat
from domain.match import Match

# ── The bots.  A bot receives the question of its seat, as any client does, and nothing else ──


class Bot(Protocol):
    """A player that is a program: it answers prompts."""

    def answer(self, question: Prompt) -> Picks:
        """Return a legal answer."""


Bots = Mapping[str, Bot | AgentBot]


class RandomBot:
    """Picks at random: first how many, then which.

    Args:
        source: the source of randomness; by default the system's, a seeded one for a match to be repeated.
    """

    def __init__(self, source: random.Random | None = None) -> None:
        self._source = source or random.SystemRandom()

    def answer(self, question: Prompt) -> Picks:
        """See `Bot.answer`."""
        count = self._source.randint(question.least, question.most)
        return tuple(self._source.sample(question.options, count))


def builtin_bots(workers: BotWorkers) -> dict[str, Bot | AgentBot]:
    """Return the bots that a player may invite, by name; those that search do so in `workers`."""
    searching = {level: AgentBot(level, workers) for level in LEVELS if level != RANDOM}
    return {RANDOM: RandomBot(), **searching}


def must_know(bot: Bot | AgentBot, game: str) -> None:
    """Check that a bot can play a game here.  Raises Refused: unknown-bot."""
    if isinstance(bot, AgentBot):
        bot.must_play(game)


def knows(bot: Bot | AgentBot, game: str) -> bool:
    """Can a bot play a game here?"""
    try:
        must_know(bot, game)
    except Refused:
        return False
    return True


def searches(bot: Bot | AgentBot, game: str) -> bool:
    """Does a bot need a process of its own for its answers?"""
    return isinstance(bot, AgentBot) and not bot.is_instant(game)


def agent_of(bot: Bot | AgentBot | None, game: str) -> str:
    """The version of a bot's code and its playouts, as they enter the log; "" for a bot without them."""
    return bot.agent(game) if isinstance(bot, AgentBot) else ""


CLIENT = "client"
"""What `seated.bot` says of a seat that a player with the role `bot` takes: a program plays, but not ours."""


def is_ours(seated: Seated[AnyFact]) -> bool:
    """Does a bot of this server play the seat?"""
    return bool(seated.bot) and seated.player == player_of(seated.bot)


def player_of(bot: str) -> str:
    """Return the player id of a bot; no person's id has this form."""
    return f"bot:{bot}"


# ── The bots in matches: each answer is a move of its own ──


IN_A_ROW = 200  # answers of bots before a person gets their own answer
_AGAIN_SECONDS = 1.0  # until a bot tries again when the store was not available

_log = logging.getLogger("glasnost.bots")


class Thought(Struct, frozen=True):
    """What a bot found for a question, while the match could go on."""

    seat: Seat
    asked: tuple[int, Prompt]
    picks: Picks

    def fits(self, match: Match) -> bool:
        """Does the question still stand?"""
        return match.status == "running" and match.prompt(self.seat) == self.asked


class BotRunner:
    """The bots and the matches in which they are asked.

    Args:
        bots: the bots, by name.
        commits: makes their answers durable.
        cache: the matches in memory.
        clocks: are settled before each answer.
    """

    def __init__(self, bots: Bots, commits: Commits, cache: MatchCache, clocks: Clocks) -> None:
        self.bots, self._clocks = bots, clocks
        self._commits, self._cache = commits, cache
        self._playing: dict[str, asyncio.Task[None]] = {}
        self._minded: set[str] = set()
        self._invited: dict[str, str] = {}  # the player who let a searching bot into a match
        self._stopping = False

    async def answer(self, cached: CachedMatch) -> None:
        """Let the bots answer; the caller holds the match's lock.  The rest continues in the background."""
        try:
            for _ in range(IN_A_ROW if _has_a_person(cached.match) else 0):
                if self._thinker(cached.match) is not None:
                    break
                if not await self._answered(cached):
                    return
        except (Conflict, Refused) as error:
            _log.warning("a bot could not answer", extra=_log_fields(cached, error))
        except Exception as error:  # even if a bot fails, the person's own move is stored and answered
            _log.error("a bot failed", exc_info=True, extra=_log_fields(cached, error))
            return
        self.wake(cached)

    def invited(self, match: str, player: str) -> None:
        """Note that a player lets a bot that searches into a match."""
        self._invited[match] = player

    def searching_for(self, player: str, match: str) -> int:
        """How many matches in memory, besides this one, have a searching bot that a player invited."""
        for name in list(self._invited):
            cached = self._cache.peek(name)
            if cached is None or cached.match.status == "over":
                del self._invited[name]
        return sum(by == player and name != match for name, by in self._invited.items())

    def mind(self, cached: CachedMatch) -> None:
        """Continue a match that waits for its bots, after a pause: another process may be continuing it."""
        match, move = cached.match.id, cached.match.move
        if match not in self._minded and match not in self._playing and self._turn(cached.match):
            self._minded.add(match)
            asyncio.get_running_loop().call_later(_AGAIN_SECONDS, self._wake_if_still_at, cached, move)

    def _wake_if_still_at(self, cached: CachedMatch, move: int) -> None:
        self._minded.discard(cached.match.id)
        if cached.match.move == move:
            self.wake(cached)

    def wake(self, cached: CachedMatch) -> None:
        """Let the bots of a match answer in the background, if they have a prompt."""
        match = cached.match.id
        if match not in self._playing and not self._stopping and self._turn(cached.match):
            self._playing[match] = task = asyncio.create_task(self._go_on(cached))
            task.add_done_callback(lambda _: self._playing.pop(match))

    async def settled(self, match: str) -> None:
        """Wait until no bot of a match has a prompt."""
        while match in self._playing:
            await asyncio.wait((self._playing[match],))

    async def stop(self) -> None:
        """Stop after the moves under way; the bots continue when a client reads the current match again."""
        self._stopping = True
        while self._playing:
            await asyncio.wait(self._playing.values())

    async def _go_on(self, cached: CachedMatch) -> None:
        action = LatestAction()
        with cached.used():
            while not self._stopping and await self._one_move(cached, action):
                pass

    async def _one_move(self, cached: CachedMatch, action: LatestAction) -> bool:
        thought = await self._thought(cached, action)
        async with cached.lock:
            try:
                return await self._answered(cached, thought)
            except Conflict:
                await self._cache.refresh(cached)
                return True
            except Refused as error:
                _log.warning("a bot waits", extra=_log_fields(cached, error))
            except Exception as error:
                _log.error("a bot failed", exc_info=True, extra=_log_fields(cached, error))
                return False
        await asyncio.sleep(_AGAIN_SECONDS)
        return True

    async def _thought(self, cached: CachedMatch, action: LatestAction) -> Thought | None:
        """What the bot that must search now finds; None if none must.  The match's lock is not held."""
        turn = self._thinker(cached.match)
        if turn is None:
            return None
        (seat, bot), match = turn, cached.match
        asked = match.prompt(seat)
        assert asked is not None, "a seat that is asked has a question"
        picks = await bot.think(observation_of(match, seat), action.of(match, seat))
        return None if self._stopping else Thought(seat, asked, picks)

    def _thinker(self, match: Match) -> tuple[Seat, AgentBot] | None:
        """The bot that must answer now, if it has to search for that."""
        turn = self._turn(match)
        if turn is None or match.request is not None:
            return None
        seat, bot = turn
        return (seat, bot) if isinstance(bot, AgentBot) and not bot.is_instant(match.game.name) else None

    async def _answered(self, cached: CachedMatch, thought: Thought | None = None) -> bool:
        """Commit one answer of one bot; False if no bot has a prompt.

        A bot that must search for its answer answers only with a `thought` that still fits.
        """
        if self._turn(cached.match) is None:
            return False
        await self._clocks.settle(cached)
        turn = self._turn(cached.match)
        if turn is None:
            return False
        if self._thinker(cached.match) is None:
            await self._commits.commit(cached, self._draft(cached, *turn))
        elif thought is not None and thought.fits(cached.match):
            await self._commits.commit(cached, self._played(cached, thought))
        return True

    def _played(self, cached: CachedMatch, thought: Thought) -> Draft:
        context = self._commits.context(cached)
        return cached.match.play(context, thought.seat, [thought.picks], expect=thought.asked[0])

    def _turn(self, match: Match) -> tuple[Seat, Bot | AgentBot] | None:
        """The bot that must answer now: a takeback request, else the current prompt; None if no bot must."""
        if not match.has_bots or match.frozen:
            return None
        if match.request is not None:
            return self._bot_among(match, tuple(seat for seat in match.seats if seat != match.request.seat))
        return self._bot_among(match, tuple(match.asked.seats)) if match.asked else None

    def _bot_among(self, match: Match, seats: tuple[Seat, ...]) -> tuple[Seat, Bot | AgentBot] | None:
        for seat in seats:
            seated = match.player_of(seat)
            if seated and is_ours(seated) and seated.bot in self.bots:
                return seat, self.bots[seated.bot]
        return None

    def _draft(self, cached: CachedMatch, seat: Seat, bot: Bot | AgentBot) -> Draft:
        match, context = cached.match, self._commits.context(cached)
        if match.request is not None:
            return match.answer_takeback(context, seat, match.request.move, agree=True)
        standing = match.prompt(seat)
        assert standing is not None, "a seat that is asked has a question"
        return match.play(context, seat, [_picks(match, seat, bot, standing[1])], expect=standing[0])


def _picks(match: Match, seat: Seat, bot: Bot | AgentBot, question: Prompt) -> Picks:
    """The answer of a bot that gives it at once."""
    return bot.act(observation_of(match, seat)) if isinstance(bot, AgentBot) else bot.answer(question)


def _log_fields(cached: CachedMatch, error: Exception) -> dict[str, str]:
    return {"match": cached.match.id, "reason": type(error).__name__}


def _has_a_person(match: Match) -> bool:
    return any(seated and not seated.bot for seated in match.seats.values())
