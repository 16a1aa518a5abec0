"""Positions of a log in memory, each read by itself as a store reads it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from domain.game import Game
from domain.log import PLAYED, Record, codec
from domain.partial_match import PartialMatch


class Reader:
    """Reads the moves of a match from their stored bytes, and counts those that are asked for by number."""

    def __init__(self, game: Game, match: str, stored: Sequence[bytes]) -> None:
        self.game, self.match, self.stored, self.read = game, match, stored, 0

    def partial_match(self, at: int) -> PartialMatch:
        """The match up to move `at`."""
        records = self.records(range(1, len(self.stored) + 1))
        milestones = [record for record in records if record.kind != PLAYED]
        return PartialMatch(milestones, len(self.stored), at, self.ranges)

    def ranges(self, ranges: Sequence[range]) -> list[Record]:
        """The moves in these ranges."""
        moves = [*chain(*ranges)]
        self.read += len(moves)
        return self.records(moves)

    def records(self, moves: Sequence[int]) -> list[Record]:
        """These moves, each decoded when it is used."""
        known = codec(self.game)
        return [Record(known, self.match, move, self.stored[move - 1], known.audiences) for move in moves]
