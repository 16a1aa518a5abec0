"""Matches of the toy game behind a gate, for tests: a gate over a store in memory, two players at a table."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from api.gate import CommandResult, Gate, Key
from api.settings import Settings
from domain.match import Match
from tests.api.gate.memory import Keys, MemoryStore

NOW = 1_790_000_000_000_000
SECRET = bytes(range(32))
T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end."""
    return asyncio.run(work)


def gate_over(store: MemoryStore) -> Gate:
    """A gate over a store in memory, at a time that stands still."""
    return Gate(store, Keys(), lambda: NOW, "test")


class Table:
    """A gate, and one match behind it."""

    def __init__(self, **settings: Any) -> None:
        self.store, self.now = MemoryStore(), NOW
        self.gate = Gate(self.store, Keys(), lambda: self.now, "test", Settings(**settings))
        self.match = "m1"

    async def seated(self, left: str = "ann", right: str = "ben", **options: Any) -> Table:
        """Open the match and let both sit down; a name that begins with "bot:" is a bot's."""
        await self.gate.open("ann", "toy", None, options, secret=SECRET, match=self.match)
        for seat, player in (("left", left), ("right", right)):
            bot = player.removeprefix("bot:") if player.startswith("bot:") else ""
            await self.gate.sit(self.match, seat, None if bot else player, bot=bot)
        return self

    async def state(self) -> Match:
        """The match as committed."""
        return await self.gate.match(self.match)

    async def play(self, player: str, *picks: str, key: Key | None = None) -> CommandResult:
        """`player` answers the question that stands."""
        match = await self.state()
        seat = next(name for name, seated in match.seats.items() if seated and seated.player == player)
        standing = match.prompt(seat)
        return await self.gate.play(
            self.match, [picks], player=player, expect=standing[0] if standing else 1, key=key
        )

    async def bid(self, left: str = "2", right: str = "1") -> None:
        """Both bid."""
        await self.play("ann", left)
        await self.play("ben", right)
