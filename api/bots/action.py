"""The time of an action in a live match: all answers of a seat in a row, with nothing else between them."""

from __future__ import annotations

from api.bots.levels import SECONDS, method_of
from domain.events import Played
from domain.kernel import Seat
from domain.match import Match


class Action:
    """One action; `left` are the seconds that its next decisions may take together."""

    def __init__(self) -> None:
        self.left = SECONDS

    def allows(self, level: str, game: str) -> float:
        """The seconds that the next decision of a level may take; 0: its policy answers without a search."""
        return min(method_of(level, game).seconds, self.left)

    def spend(self, seconds: float) -> None:
        """Count a decision."""
        self.left = max(0.0, self.left - seconds)


class LatestAction:
    """The action that is under way in one match."""

    def __init__(self) -> None:
        self._action, self._since = Action(), ("", -1)

    def of(self, match: Match, seat: Seat) -> Action:
        """The action to which the next answer of a seat belongs."""
        since = seat, _before_own_answers(match, seat)
        if since != self._since:
            self._action, self._since = Action(), since
        return self._action


def _before_own_answers(match: Match, seat: Seat) -> int:
    """The number of the last record that is no answer of a seat."""
    for place in range(len(match.records) - 1, -1, -1):
        entry = match.records[place].entry
        if not (isinstance(entry, Played) and entry.seat == seat):
            return place
    return -1
