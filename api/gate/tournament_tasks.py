"""What the officials of a tournament have to do: calls, times that are up, and results that nothing confirms.

All of it is recomputed from the stores whenever it is asked for, so it is the same in every process and after
a restart, and gone once it is done.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from api.gate.tournaments import TournamentGate
from domain.clocks import only_reports
from domain.kernel import Refused, Seat
from domain.log import Damaged, unb64
from domain.match import Match
from domain.signed_notes import Checkpoint, Note
from domain.tournaments.outcomes import ended
from domain.tournaments.state import Board, Outcome, Tournament

TaskKind = Literal["answer", "time", "conflict", "verify"]


class OpenTask(Struct, frozen=True, omit_defaults=True):
    """Something that an official has to do.

    kind: "answer" a call; a "time" is up, and the result is to be ruled, or more time given; a "conflict":
        the log of a match does not end as the tournament recorded it; "verify" could not be run on a match.
    call: the entry of a call, which may be about no board.
    flagged: since when (microseconds UTC) the time of each flagged seat is up.
    error: why `verify` could not be run.
    """

    kind: TaskKind
    round: int | UnsetType = UNSET
    board: int | UnsetType = UNSET
    match: str | UnsetType = UNSET
    call: int | UnsetType = UNSET
    flagged: dict[Seat, int] | UnsetType = UNSET
    error: str | UnsetType = UNSET


class OpenTasks(Struct, frozen=True):
    """What the officials of a tournament have to do, after its latest entry."""

    tournament: str
    entry: int
    root: str
    tasks: tuple[OpenTask, ...]


async def open_tasks(gate: TournamentGate, s: Tournament) -> tuple[OpenTask, ...]:
    """Return what the officials of a tournament have to do, in the order of its boards, calls first.

    Raises:
        Refused: unavailable.
    """
    if s.ended:
        return ()
    found = [
        OpenTask("answer", one.round or UNSET, one.board or UNSET, call=one.entry) for one in s.standing_calls
    ]
    for one in s.rounds:
        for board in one.boards if one.status != "paired" else ():
            if board.opened and board.ruling is None:
                found += [task async for task in _of_board(gate, s, one.number, board)]
    return tuple(found)


async def _of_board(
    gate: TournamentGate, s: Tournament, number: int, board: Board
) -> AsyncIterator[OpenTask]:
    if board.outcome is None:
        match = await _read(gate, board) if only_reports(s.terms.clock) else None
        flagged = match.flagged(gate.gate.commits.clock() or 0) if match else {}
        if flagged:
            yield OpenTask("time", number, board.number, board.match, flagged=flagged)
        return
    if board.not_verified:
        yield OpenTask("verify", number, board.number, board.match, error=board.outcome.not_run)
    if not await _agrees(gate, board, board.outcome):
        yield OpenTask("conflict", number, board.number, board.match)


async def _read(gate: TournamentGate, board: Board) -> Match | None:
    """The match of a board; None if its log cannot be read."""
    try:
        return await gate.gate.match(board.match)
    except Damaged:
        return None
    except Refused as error:
        if error.kind == "unavailable":
            raise
        return None


async def _agrees(gate: TournamentGate, board: Board, outcome: Outcome) -> bool:
    """Does the log of a match end as it was recorded?  What agreed once does, as long as a process lives."""
    if board.match in gate.agreeing:
        return True
    note = await asyncio.to_thread(gate.gate.store.note, board.match)
    agrees = note is not None and _states(note, outcome)
    if not agrees:  # no note, or another one: the log itself decides
        match = await _read(gate, board)
        found = ended(match) if match is not None else None
        agrees = found is not None and (found.moves, found.root) == (outcome.closed_move, outcome.root)
    if agrees:
        gate.agreeing[board.match] = True
    return agrees


def _states(note: str, outcome: Outcome) -> bool:
    """Is a checkpoint one over the moves that were recorded?"""
    try:
        found = Checkpoint.parse(Note.parse(note).text)
        return (found.size, found.root) == (outcome.closed_move, unb64(outcome.root))
    except Damaged:
        return False
