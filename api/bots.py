"""The players of the house.  A bot is told what its seat is asked, as any client is, and nothing else."""

from __future__ import annotations

import random
from typing import Protocol

from domain.kernel import Picks, Prompt


class Bot(Protocol):
    """Somebody of the house who answers questions."""

    def answer(self, question: Prompt) -> Picks:
        """A legal answer."""


class RandomBot:
    """Picks at random: first how many, then which.

    Args:
        source: where the luck comes from; by default the system's, a seeded one for a match to be repeated.
    """

    def __init__(self, source: random.Random | None = None) -> None:
        self._source = source or random.SystemRandom()

    def answer(self, question: Prompt) -> Picks:
        """See `Bot.answer`."""
        count = self._source.randint(question.least, question.most)
        return tuple(self._source.sample(question.options, count))


def house() -> dict[str, Bot]:
    """The bots that a player may ask for, by name."""
    return {"random": RandomBot()}


def player_of(bot: str) -> str:
    """The id under which a bot sits at a table; no person's id looks like it."""
    return f"bot:{bot}"
