"""Measures of officials that reach into matches: each match's own gate first, then the tournament's entry.

A match that its gate stopped before a crash is found stopped; the entry is then written by the next try.
"""

from __future__ import annotations

from api.gate.command_handler import Key
from api.gate.tournament_clocks import move_dates, pause_match
from api.gate.tournament_commands import Accepted
from api.gate.tournaments import TournamentGate
from domain.clocks import SECOND
from domain.events import ClockSet
from domain.tournaments import commands as c
from domain.tournaments.judging import Actor, Given
from domain.tournaments.measures import running_boards
from domain.tournaments.outcomes import sides_of, sitting
from domain.tournaments.rules import judged
from domain.tournaments.state import Board, Tournament

MOST_WHY = 2_000  # characters of a reason in a match


async def carry_out(
    gate: TournamentGate,
    tournament: str,
    command: c.Measure,
    actor: Actor,
    expect: int | None,
    key: Key | None = None,
) -> Accepted:
    """Carry out a measure: it is judged, then the matches take it, then it is an entry.

    Raises:
        Refused: see `domain.tournaments.measures`; and what the gate of a match refuses.
    """

    async def gather(s: Tournament, known: Given) -> Given:
        judged(s, (await gate.commands.log(tournament)).tree, command, actor, known, expect)
        if isinstance(command, c.FreezeMatch | c.ReleaseMatch):
            await _freeze(gate, command, actor)
        elif isinstance(command, c.Adjourn | c.Pause | c.Resume):
            for board in _boards(s, command):
                await _pause(gate, board.match, actor, command)
        return known

    accepted = await gate.commands.command(tournament, command, actor, expect=expect, key=key, gather=gather)
    if isinstance(command, c.Extend):
        await move_dates(gate, tournament)
    return accepted


async def penalise(
    gate: TournamentGate,
    tournament: str,
    command: c.Penalise,
    actor: Actor,
    expect: int | None,
    key: Key | None = None,
) -> Accepted:
    """Penalise an entrant; time is taken from the clock of the match that they play, by its own gate first.

    The reason in the match names the entry, so that a try after a crash takes no time twice.

    Raises:
        Refused: see `domain.tournaments.arbiters.penalise`; clock: so much time is not left.
    """

    async def gather(s: Tournament, known: Given) -> Given:
        judged(s, (await gate.commands.log(tournament)).tree, command, actor, known, expect)
        if command.penalty == "time":
            for board in running_boards(s, command.entrant):
                await _take_time(gate, s, board, command, actor)
        return known

    return await gate.commands.command(tournament, command, actor, expect=expect, key=key, gather=gather)


async def _take_time(
    gate: TournamentGate, s: Tournament, board: Board, command: c.Penalise, actor: Actor
) -> None:
    match = await gate.gate.match(board.match)
    seat = next(seat for seat, name in sides_of(s, board, sitting(match)).items() if name == command.entrant)
    why = f"tournament {s.id}, entry {s.entry + 1}: {command.text}"[:MOST_WHY]
    if any(isinstance(one.entry, ClockSet) and one.entry.why == why for one in match.records[-8:]):
        return
    taken = -command.amount * SECOND
    await gate.gate.officials.set_clock(board.match, actor.person, seat, why, more=taken)


def _boards(s: Tournament, command: c.Adjourn | c.Pause | c.Resume) -> list[Board]:
    boards = s.rounds[command.round - 1].boards
    return [one for one in boards if one.opened and (not command.boards or one.number in command.boards)]


async def _freeze(gate: TournamentGate, command: c.FreezeMatch | c.ReleaseMatch, actor: Actor) -> None:
    wanted, match = isinstance(command, c.FreezeMatch), await gate.gate.match(command.match)
    if bool(match.frozen) != wanted:
        await gate.gate.officials.freeze(match.id, actor.person, command.reason, frozen=wanted)


async def _pause(
    gate: TournamentGate, match: str, actor: Actor, command: c.Adjourn | c.Pause | c.Resume
) -> None:
    wanted = not isinstance(command, c.Resume)
    await pause_match(gate, match, actor.person, command.reason, paused=wanted)
