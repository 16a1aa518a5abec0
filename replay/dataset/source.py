"""What a builder of data sets reads of a store."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

from msgspec import Struct

from domain.match import Match
from replay.tables.core import Beside


class Change(Struct, frozen=True):
    """A match that was withdrawn or rated again, or a player who was forgotten (by the new id), at a time."""

    at: int | None
    what: str
    match: str | None = None
    player: str | None = None


class Source(Protocol):
    """What is read of a store."""

    def identity(self) -> str:
        """Return a hash of the first record of the log; "" if there is none."""

    def last(self) -> int:
        """Return the position of the last record; 0 if there is none."""

    def closings(self, after: int, upto: int) -> list[tuple[int, str]]:
        """Return the matches that closed at these positions, each with its position, in their order."""

    def closed_at(self, matches: Collection[str]) -> dict[str, int]:
        """Return the position where each of these matches closed, if it did."""

    def running(self) -> list[str]:
        """Return the matches that are not over, oldest first."""

    def match(self, match: str) -> Match | None:
        """Return a match.  Raises Damaged: its log is not as it was written."""

    def beside(self, match: Match) -> Beside:
        """Return what the store knows of a match beside its log."""

    def ratings_changed(self, cut: int) -> Mapping[int, int]:
        """Return where ratings of matches that were over were changed last, by the slice of these matches.

        Bring the ratings up to the log first; until the next call all ratings are those of that moment.

        Args:
            cut: how many positions a slice covers; the key is its first position, the value a position.
        """

    def changed_ratings(self, first: int, last: int) -> Mapping[str, Mapping[str, tuple[int, int]]]:
        """Return the ratings of the matches that closed from `first` to `last` and got others since.

        By match and player: the rating before the match, and after it.
        """

    def hidden(self) -> frozenset[str]:
        """Return the matches that were withdrawn: no user may see them now, whatever their logs say."""

    def forgotten(self) -> Mapping[str, str]:
        """Return the id that stands for each forgotten player, by the player's own id."""

    def changes(self) -> list[Change]:
        """Return what was withdrawn, forgotten or rated again."""


def publishable(match: Match, hidden: Collection[str]) -> bool:
    """May everybody look at this match now?  Only such a match is in a data set; a private one is not.

    Args:
        hidden: matches that were withdrawn (see `Source.hidden`).
    """
    return match.id not in hidden and not match.private
