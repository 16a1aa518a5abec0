"""Questions that cards ask: their options, and what follows, are defined beside the card and found by name.

A step that is stored cannot hold a function, so it holds the name of a question, and the game's `Choices`
know the rest.  Each game has its own `Choices` and its own step that asks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic

from msgspec import Struct

from domain.kernel import Detail, Pick, Picks, Resolution, Seat, T

Options = Callable[[T, Seat], Picks]
Details = Callable[[T, Seat], dict[Pick, Detail]]
Then = Callable[[T, Seat, Picks], Resolution[T]]


class Choice(Struct, Generic[T], frozen=True):
    """A question to one side: `least`...`most` of the options, and what follows.

    `details` says more about the options, as `Step.details` does.
    """

    options: Options[T]
    then: Then[T]
    least: int = 1
    most: int = 1
    details: Details[T] | None = None

    def bounds(self, s: T, seat: Seat) -> tuple[int, int]:
        """How many options form an answer, at least and at most; never more than there are."""
        most = min(self.most, len(self.options(s, seat)))
        return min(self.least, most), most


class Choices(dict[str, Choice[T]]):
    """The questions of one game, by name: the card, or the card, a dot and a word."""

    def follow(
        self,
        name: str,
        options: Options[T],
        *,
        least: int = 1,
        most: int = 1,
        details: Details[T] | None = None,
    ) -> Callable[[Then[T]], Then[T]]:
        """The decorator that registers what follows a question, with the question itself."""

        def register(then: Then[T]) -> Then[T]:
            self[name] = Choice(options, then, least, most, details)
            return then

        return register
