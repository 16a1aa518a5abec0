"""To which turn each move of a match belongs."""

from __future__ import annotations

from domain.events import Played, TakenBack
from domain.kernel import Seat
from domain.match import Match

Names = dict[int, tuple[str, int]]


def turns(match: Match, viewer: Seat | None) -> tuple[list[int], Names]:
    """The number of each move's turn, and the turns that the game calls by a name, as `viewer` saw it.

    A move that is not a play (a takeback, the end) belongs to the turn before it.
    """
    counted = TurnCount(viewer)
    counted.go_on(match)
    return counted.numbers, counted.names


class TurnCount:
    """The turns of the moves of one match, counted as far as it has moves; see `turns`."""

    def __init__(self, viewer: Seat | None) -> None:
        self.numbers: list[int] = []
        self.names = Names()
        self._viewer = viewer
        self._after = [1]  # the turn that goes on after each move; before the first one it is turn 1

    @property
    def current(self) -> int:
        """The number of the turn that the next play belongs to."""
        return self._after[-1]

    def go_on(self, match: Match) -> None:
        """Count the moves that came since."""
        for record in match.records[len(self.numbers) :]:
            entry, last = record.entry, self.numbers[-1] if self.numbers else 1
            now = self._after[entry.to if isinstance(entry, TakenBack) else -1]
            self.numbers.append(now if isinstance(entry, Played) else last)
            for fact in match.facts_for(record, self._viewer):
                name = fact.opens()
                if name is not None:
                    self.names[now] = name
                now += fact.ends_period
            self._after.append(now)
