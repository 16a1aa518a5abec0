"""A bot of the server that plays by a level: at once, or in a process of its own."""

from __future__ import annotations

import random
from collections.abc import Callable

from api.bots.action import Action
from api.bots.levels import act, agent_of, by_policy, method_of, names
from api.bots.workers import BotWorkers
from domain.agents.observation import Observation, observe
from domain.kernel import Picks, Refused, Seat
from domain.match import Match


class AgentBot:
    """A bot that answers from what its seat observes.

    Args:
        level: the level by which it plays.
        workers: where it searches; None: here, and the caller waits (a match without clients).
        source: gives the random numbers of one answer that is found here.
    """

    def __init__(
        self,
        level: str,
        workers: BotWorkers | None,
        source: Callable[[], random.Random] = random.SystemRandom,
    ) -> None:
        self.level, self._workers, self._source = level, workers, source

    def is_instant(self, game: str) -> bool:
        """Does it answer a question of this game at once, so that a caller may wait for it?"""
        return self._workers is None or method_of(self.level, game).is_instant

    def agent(self, game: str) -> str:
        """What plays a game, as it enters the log: see `agent_of`."""
        return agent_of(self.level, game)

    def must_play(self, game: str) -> None:
        """Check that it can play a game.

        Raises:
            Refused: unknown-bot; there is no such level for the game, or no process for its search.
        """
        method = method_of(self.level, game)
        if self._workers is not None and not self._workers.count and not method.is_instant:
            possible = [name for name in names(game) if method_of(name, game).is_instant]
            raise Refused("unknown-bot", "bot-without-process", {"bot": self.level, "bots": possible})

    def act(self, observation: Observation) -> Picks:
        """The answer, at once."""
        return act(self.level, observation, self._source())

    async def think(self, observation: Observation, action: Action | None = None) -> Picks:
        """The answer, from a process of the pool; if none can give it, that of the policy.

        Args:
            action: the action to which it belongs; None: it is one by itself.
        """
        found = await self._workers.search(self.level, observation, action) if self._workers else None
        return by_policy(observation, self._source()) if found is None else found


def observation_of(match: Match, seat: Seat) -> Observation:
    """What a seat that is asked observes now."""
    standing = match.prompt(seat)
    assert standing is not None, "a seat that is asked has a question"
    return observe(match.game, match.table_at(match.move, seat), match.live.agenda, standing[1])
