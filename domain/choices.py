"""Questions that cards ask: the options, and what follows, stand beside the card and are found by name.

A step that is stored cannot hold a function, so it holds the name of a question, and the game's `Choices`
know the rest.  Each game has its own; the step that asks is the game's, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from domain.kernel import Detail, Pick, Picks, Resolution, Seat

Options = Callable[[Any, Seat], Picks]
Details = Callable[[Any, Seat], dict[Pick, Detail]]
Then = Callable[[Any, Seat, Picks], Resolution]


class Choice(Struct, frozen=True):
    """A question to one side: `least`...`most` of the options, and what follows.

    `details` tells more of the options, as `Step.details` does.
    """

    options: Options
    then: Then
    least: int = 1
    most: int = 1
    details: Details | None = None

    def bounds(self, s: Any, seat: Seat) -> tuple[int, int]:
        """How many options form an answer: never more than there are."""
        most = min(self.most, len(self.options(s, seat)))
        return min(self.least, most), most


class Choices(dict[str, Choice]):
    """The questions of one game, by name: the card, or the card, a dot and a word."""

    def follow(
        self, name: str, options: Options, *, least: int = 1, most: int = 1, details: Details | None = None
    ) -> Callable[[Then], Then]:
        """The decorator over what follows a question."""

        def register(then: Then) -> Then:
            self[name] = Choice(options, then, least, most, details)
            return then

        return register
