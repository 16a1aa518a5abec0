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
    found, after, names = [1], [1], Names()
    for record in match.records:
        entry = record.entry
        now = after[entry.to if isinstance(entry, TakenBack) else -1]
        found.append(now if isinstance(entry, Played) else found[-1])
        for fact in match.facts_for(record, viewer):
            name = fact.opens()
            if name is not None:
                names[now] = name
            now += fact.ends_period
        after.append(now)
    return found[1:], names
