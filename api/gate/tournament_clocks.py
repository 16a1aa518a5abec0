"""What the house does to the clocks of a tournament's matches: extended dates, and boards that go on.

Each step may come late or twice: it looks at what the match has, and does what is missing.
"""

from __future__ import annotations

from api.gate.tournaments import HOUSE_RULES, TournamentGate
from domain.clocks import MOST_LEFT, date_of
from domain.events import ClockSet
from domain.kernel import Refused
from domain.tournaments import commands as c
from domain.tournaments.judging import THE_HOUSE
from domain.tournaments.state import Board, Tournament

_SO_ALREADY = frozenset({"clock", "over", "not-running"})  # kinds: nothing to be paused or resumed
_TOO_LATE = frozenset({"over", "not-running", "time", "stale"})  # kinds: no date to be moved now


async def pause_match(gate: TournamentGate, match: str, by: str, why: str, *, paused: bool) -> None:
    """Pause the clocks of a match, or let them run; one without clocks, or in which it is so, stays.

    Raises:
        Refused: foreign: `by` plays in it; unavailable.
    """
    try:
        await gate.gate.officials.pause(match, by, why, paused=paused)
    except Refused as error:
        if error.kind not in _SO_ALREADY:
            raise


async def move_dates(gate: TournamentGate, tournament: str) -> int:
    """Move the dates of the clocks of boards that were extended, for both players; return how many matches.

    Each extension moves a date once, so that later penalties of time stand.  Banks and days stay as they are,
    so a clock without a date is left alone.
    """
    s, done = (await gate.commands.log(tournament)).state, 0
    if s.ended or date_of(s.terms.clock) is None:
        return 0
    for one in s.rounds:
        for board in one.boards:
            if board.opened and board.extended is not None and not board.outcome and not board.ruling:
                done += await _moved(gate, s, board, board.extended)
    return done


async def _moved(gate: TournamentGate, s: Tournament, board: Board, until: int) -> bool:
    """Move the date of both seats of a match that runs, if it is earlier and was not moved before."""
    match = await gate.gate.match(board.match)
    if (match.id, until) in gate.moved or match.closed or not match.begun:
        return False
    moved, why = False, f"tournament {s.id}, board {board.number}: extended until {until}"
    for seat in match.seats:
        match, now = await gate.gate.match(board.match), gate.gate.commits.clock()
        before = (record.entry for record in match.records if isinstance(record.entry, ClockSet))
        if any((entry.seat, entry.why) == (seat, why) for entry in before):
            continue
        if now is None or not now < until <= now + MOST_LEFT:
            continue
        date = match.date_of(seat, now)
        if date is None or date >= until:
            continue
        try:
            await gate.gate.officials.set_clock(
                match.id, HOUSE_RULES, seat, why, until=until, expect=match.move
            )
        except Refused as error:
            if error.kind not in _TOO_LATE:
                raise
            return moved  # the next look tries again, if the match still runs
        moved = True
    gate.moved[match.id, until] = True
    return moved


async def reconvene(gate: TournamentGate, tournament: str) -> int:
    """Let the adjourned boards go on whose time has come; return how many.

    The clocks run first, then the tournament has its entry.
    """
    s, now, done = (await gate.commands.log(tournament)).state, gate.gate.commits.clock(), 0
    for one in s.rounds if now is not None and not s.ended else ():
        for board in one.boards:
            if board.adjourned is None or now is None or now < board.adjourned:
                continue
            why = f"tournament {s.id}, round {one.number}, board {board.number}: adjourned until now"
            await pause_match(gate, board.match, HOUSE_RULES, why, paused=False)
            command = c.Reconvene(round=one.number, board=board.number)
            accepted = await gate.commands.command(tournament, command, THE_HOUSE)
            done += accepted.last >= accepted.first
    return done
