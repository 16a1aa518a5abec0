"""One position of a stored match, from the records that it needs, not from the whole log.

The table after a move is the fold of the moves that led to it, and these are never more than one game has,
even if takebacks made the log much longer.  A partial match answers what `domain.history` answers about that
move, byte for byte; it takes no commands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

from domain.clocks import ClockState
from domain.events import Asked, FactEntry, Opened, TakenBack
from domain.folding import folded
from domain.kernel import Seat, SeatsSettled
from domain.log import Damaged, Record, unb64
from domain.match_base import expect, parts_of
from domain.match_clock import Timed, clock_after


class PartialMatch(Timed):
    """A stored match as far as one earlier move of it needs.

    It can be asked about this move only; of the latest one it knows who plays which seat, and what is asked.

    Args:
        milestones: the records of the match that are not of the kind `PLAYED`, in order.
        last: the number of the latest move.
        at: the move in question; it is not the latest, because the next one holds the root.
        read: reads the records of some moves.

    Raises:
        Damaged: these are not the records of a match.
    """

    def __init__(
        self,
        milestones: Sequence[Record],
        last: int,
        at: int,
        read: Callable[[Sequence[range]], Iterable[Record]],
    ) -> None:
        super().__init__(expect(milestones[0].entry, Opened))
        for record in milestones:
            if record.entry.move != record.move:
                raise Damaged(f"match {self.id}: move {record.move} calls itself {record.entry.move}")
            self._note(record)
        self.move = last
        self._records = {record.move: record for record in milestones}
        line = (
            [range(1, at + 1)] if self.opened.clock else self.line_to(at)
        )  # time runs in what went back, too
        wanted = {at + 1, self._asking(last)}.union(*line) - set(self._records)
        self._records |= {record.move: record for record in read(_ranges(sorted(wanted)))}
        if missing := wanted - set(self._records):
            raise Damaged(f"match {self.id}: move {min(missing)} is missing")
        for record in self._records.values():
            if record.stored.count(b"\n") != len(record.audiences):
                raise Damaged(f"match {self.id}: move {record.move} has not all its private parts")
        self._exchanged = {move: _are_exchanged(milestones, self.line_to(move)) for move in (at, last)}

    def entry_at(self, move: int) -> Any:
        """See `Outline.entry_at`."""
        return self._records[move].entry

    def root_at(self, move: int) -> bytes:
        """See `Outline.root_at`: the next move holds it."""
        return unb64(self.entry_at(move + 1).prev)

    def asked_at(self, move: int) -> Asked | None:
        """See `Outline.asked_at`."""
        asked: Asked | None = getattr(self.entry_at(self._asking(move)), "asked", None)
        return asked

    def table_at(self, move: int, viewer: Seat | None) -> Any:
        """See `Outline.table_at`."""
        stored = [(at, self._records[at].stored) for at in chain(*self.line_to(move))]
        parts = parts_of(self.effective_viewer(viewer), self._records[1].audiences)
        *_, table = folded(self.game, None, stored, parts)
        return table

    def clock_at(self, move: int) -> ClockState | None:
        """See `Timed.clock_at`."""
        if not self.opened.clock:
            return None
        state, exchanged = None, list[bool]()
        for number in range(1, move + 1):
            record = self._records[number]
            exchanged.append(_exchanged_after(record, exchanged))
            asked = self.asked_at(number)
            across = self.game.across if exchanged[-1] else {}
            state = clock_after(self.opened.clock, state, record.entry, asked, across, self.seats)
        return state

    def _asking(self, move: int) -> int:
        """The latest move up to this one that says what is asked: it brought facts, or went back."""
        while move > 1 and move in self._records:
            if isinstance(self.entry_at(move), (FactEntry, TakenBack)):
                break
            move -= 1
        return move

    def _exchanged_at(self, move: int) -> bool:
        return self._exchanged[move]


def _are_exchanged(milestones: Sequence[Record], line: Sequence[range]) -> bool:
    """Are the seats exchanged at the end of a line?  The facts that say so are public."""
    stand = (record for record in reversed(milestones) if any(record.move in moves for moves in line))
    facts = chain.from_iterable(reversed(record.facts_for(None)) for record in stand)
    return next((fact.exchanged for fact in facts if isinstance(fact, SeatsSettled)), False)


def _exchanged_after(record: Record, before: Sequence[bool]) -> bool:
    """Are the seats exchanged after a move, if `before` says it of each move before it?"""
    entry, stood = record.entry, before[-1] if before else False
    if isinstance(entry, TakenBack):
        return before[entry.to - 1]
    if not isinstance(entry, FactEntry):
        return stood
    facts = (fact for fact in reversed(record.facts_for(None)) if isinstance(fact, SeatsSettled))
    return next((fact.exchanged for fact in facts), stood)


def _ranges(moves: Iterable[int]) -> list[range]:
    """Ascending numbers as ranges."""
    found = list[range]()
    for move in moves:
        if found and found[-1].stop == move:
            found[-1] = range(found[-1].start, move + 1)
        else:
            found.append(range(move, move + 1))
    return found
