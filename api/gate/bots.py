"""The bots of the server: they answer their prompts, and each answer is a move of its own.

In a match with a person, they answer at once, while the match's lock is still held, so that the person sees
the next own prompt in the response.  A match between bots, and what takes longer, continues in the
background, one move at a time, so that it blocks no other request.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Mapping
from typing import Protocol

from api.gate.clocks import Clocks
from api.gate.commit import Commits
from api.gate.match_cache import CachedMatch, MatchCache
from api.store.interface import Conflict
from domain.drafts import Draft
from domain.kernel import Picks, Prompt, Refused, Seat
from domain.match import Match

# ── The bots.  A bot receives the question of its seat, as any client does, and nothing else ──


class Bot(Protocol):
    """A player that is a program: it answers prompts."""

    def answer(self, question: Prompt) -> Picks:
        """Return a legal answer."""


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


def builtin_bots() -> dict[str, Bot]:
    """Return the bots that a player may invite, by name."""
    return {"random": RandomBot()}


def player_of(bot: str) -> str:
    """Return the player id of a bot; no person's id has this form."""
    return f"bot:{bot}"


# ── The bots in matches: each answer is a move of its own ──


IN_A_ROW = 200  # answers of bots before a person gets their own answer
_AGAIN_SECONDS = 1.0  # until a bot tries again when the store was not available

_log = logging.getLogger("glasnost.bots")


class BotRunner:
    """The bots and the matches in which they are asked.

    Args:
        bots: the bots, by name.
        commits: makes their answers durable.
        cache: the matches in memory.
        clocks: are settled before each answer.
    """

    def __init__(self, bots: Mapping[str, Bot], commits: Commits, cache: MatchCache, clocks: Clocks) -> None:
        self.bots, self._clocks = bots, clocks
        self._commits, self._cache = commits, cache
        self._playing: dict[str, asyncio.Task[None]] = {}
        self._minded: set[str] = set()
        self._stopping = False

    async def answer(self, cached: CachedMatch) -> None:
        """Let the bots answer; the caller holds the match's lock.  The rest continues in the background."""
        try:
            for _ in range(IN_A_ROW if _has_a_person(cached.match) else 0):
                if not await self._answered(cached):
                    return
        except (Conflict, Refused) as error:
            _log.warning("a bot could not answer", extra=_log_fields(cached, error))
        except Exception as error:  # even if a bot fails, the person's own move is stored and answered
            _log.error("a bot failed", exc_info=True, extra=_log_fields(cached, error))
            return
        self.wake(cached)

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
        with cached.used():
            while not self._stopping and await self._one_move(cached):
                pass

    async def _one_move(self, cached: CachedMatch) -> bool:
        async with cached.lock:
            try:
                return await self._answered(cached)
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

    async def _answered(self, cached: CachedMatch) -> bool:
        """Commit one answer of one bot; False if no bot has a prompt."""
        if self._turn(cached.match) is None:
            return False
        await self._clocks.settle(cached)
        turn = self._turn(cached.match)
        if turn is None:
            return False
        await self._commits.commit(cached, self._draft(cached, *turn))
        return True

    def _turn(self, match: Match) -> tuple[Seat, Bot] | None:
        """The bot that must answer now: a takeback request, else the current prompt; None if no bot must."""
        if not match.has_bots or match.frozen:
            return None
        if match.request is not None:
            return self._bot_among(match, tuple(seat for seat in match.seats if seat != match.request.seat))
        return self._bot_among(match, tuple(match.asked.seats)) if match.asked else None

    def _bot_among(self, match: Match, seats: tuple[Seat, ...]) -> tuple[Seat, Bot] | None:
        for seat in seats:
            seated = match.player_of(seat)
            if seated and seated.bot in self.bots:
                return seat, self.bots[seated.bot]
        return None

    def _draft(self, cached: CachedMatch, seat: Seat, bot: Bot) -> Draft:
        match, context = cached.match, self._commits.context(cached)
        if match.request is not None:
            return match.answer_takeback(context, seat, match.request.move, agree=True)
        standing = match.prompt(seat)
        assert standing is not None, "a seat that is asked has a question"
        return match.play(context, seat, [bot.answer(standing[1])], expect=standing[0])


def _log_fields(cached: CachedMatch, error: Exception) -> dict[str, str]:
    return {"match": cached.match.id, "reason": type(error).__name__}


def _has_a_person(match: Match) -> bool:
    return any(seated and not seated.bot for seated in match.seats.values())
