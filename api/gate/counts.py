"""What a gate has done since it was made, for metrics: numbers only, of no match and no person."""

from __future__ import annotations

from collections import Counter

from api.tally import SECONDS, Tally


class Counts:
    """Counted on the way.

    `moves`: stored from here, by game.  `commands`: carried out, by name.  `doubts`: appends that ended in
    doubt.  `delays`: the seconds from the time in a move of another process to its being at hand here.
    """

    def __init__(self) -> None:
        self.moves, self.commands = Counter[str](), Counter[str]()
        self.doubts = 0
        self.delays = Tally(SECONDS)
