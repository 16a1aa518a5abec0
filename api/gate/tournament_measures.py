"""Measures of officials that reach into matches: each match's own gate first, then the tournament's entry.

A match that its gate stopped before a crash is found stopped; the entry is then written by the next try.
"""

from __future__ import annotations

from api.gate.command_handler import Key
from api.gate.tournament_commands import Accepted
from api.gate.tournaments import TournamentGate
from domain.kernel import Refused
from domain.tournaments import commands as c
from domain.tournaments.judging import Actor, Given
from domain.tournaments.rules import judged
from domain.tournaments.state import Board, Tournament

_SO_ALREADY = frozenset({"clock", "over", "not-running"})  # kinds: nothing to be paused or resumed


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
        elif isinstance(command, c.Pause | c.Resume):
            for board in _boards(s, command):
                await _pause(gate, board.match, actor, command)
        return known

    return await gate.commands.command(tournament, command, actor, expect=expect, key=key, gather=gather)


def _boards(s: Tournament, command: c.Pause | c.Resume) -> list[Board]:
    boards = s.rounds[command.round - 1].boards
    return [one for one in boards if one.opened and (not command.boards or one.number in command.boards)]


async def _freeze(gate: TournamentGate, command: c.FreezeMatch | c.ReleaseMatch, actor: Actor) -> None:
    wanted, match = isinstance(command, c.FreezeMatch), await gate.gate.match(command.match)
    if bool(match.frozen) != wanted:
        await gate.gate.officials.freeze(match.id, actor.person, command.reason, frozen=wanted)


async def _pause(gate: TournamentGate, match: str, actor: Actor, command: c.Pause | c.Resume) -> None:
    wanted = isinstance(command, c.Pause)
    try:
        await gate.gate.officials.pause(match, actor.person, command.reason, paused=wanted)
    except Refused as error:
        if error.kind not in _SO_ALREADY:
            raise
