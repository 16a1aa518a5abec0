"""Sorts the sections of a log into turns; what fits no turn is left out, and reported.

The turns of a log only go forward.  A head that does not fit between its neighbours has a wrong number, or
lines were lost or exchanged: the longest run of turns that never goes back decides which.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from domain.twilight_struggle.rules.hand import rounds
from replay.importers.twilight_struggle.sections import CLEANUP, HEADLINE, ROUND, Line, Section
from replay.importers.twilight_struggle.structure import Unread

MOST_LINES = 400  # of one section; a real one has fewer than a hundred
EXTRA_ROUNDS = 2  # more rounds than a turn can have


class TurnSections(Struct):
    """One turn: its sections, in order."""

    number: int
    headline: Section | None = None
    rounds: list[Section] = []
    cleanups: list[Section] = []


class Sorted(Struct):
    """The turns, the lines that belong to none, and heads with a wrong number: line, stated, fitting."""

    turns: list[TurnSections] = []
    left_out: list[Unread] = []
    misnumbered: list[tuple[int, int, int]] = []


def in_turns(found: Sequence[Section]) -> Sorted:
    """The sections of a log, turn by turn."""
    made = Sorted([], [], [])
    turns, left_out = made.turns, made.left_out
    for section in _in_order(found, made):
        if section.kind != CLEANUP and (not turns or section.turn > turns[-1].number):
            turns.append(TurnSections(section.turn, rounds=[], cleanups=[]))
        if not turns or not _taken(turns[-1], section):
            left_out += _unread(section.lines)
    return made


def _in_order(found: Sequence[Section], made: Sorted) -> Iterator[Section]:
    """Headline phases, rounds and ends of turns, none before the one that it follows."""
    left_out = made.left_out
    among = [_shortened(one, left_out) for one in found if one.kind in (HEADLINE, ROUND, CLEANUP)]
    fitting = _longest([(i, one.turn) for i, one in enumerate(among) if one.kind != CLEANUP])
    now, coming = 0, sorted(fitting, reverse=True)
    for i, section in enumerate(among):
        if section.kind == CLEANUP:
            yield section
        elif i in fitting:
            now = section.turn
            coming.pop()
            yield section
        elif section.kind == ROUND and coming and among[coming[-1]].turn == now:
            made.misnumbered.append((section.line, section.turn, now))  # it stands within a turn
            yield replace(section, turn=now)
        else:
            left_out += _unread(section.lines)


def _longest(turns: list[tuple[int, int]]) -> set[int]:
    """The places of the longest run that never goes back."""
    ends: list[int] = []  # the least turn that ends a run of each length
    at: list[int] = []
    before: dict[int, int] = {}
    for i, turn in turns:
        length = bisect_right(ends, turn)
        before[i] = at[length - 1] if length else -1
        ends[length : length + 1], at[length : length + 1] = [turn], [i]
    run, i = set[int](), at[-1] if at else -1
    while i >= 0:
        run.add(i)
        i = before[i]
    return run


def _shortened(section: Section, left_out: list[Unread]) -> Section:
    if len(section.lines) <= MOST_LINES:
        return section
    left_out += _unread(section.lines[MOST_LINES:])
    return replace(section, lines=section.lines[:MOST_LINES])


def _taken(turn: TurnSections, section: Section) -> bool:
    """Put a section into its turn; a head that is printed twice goes on with what it headed."""
    if section.kind == CLEANUP:
        turn.cleanups.append(section)
    elif section.kind == ROUND:
        last = turn.rounds[-1] if turn.rounds else None
        if last and (last.side, last.number, last.names) == (section.side, section.number, section.names):
            turn.rounds[-1] = _joined(last, section)
        elif len(turn.rounds) >= 2 * (rounds(turn.number) + EXTRA_ROUNDS):
            return False
        else:
            turn.rounds.append(section)
    elif turn.headline is None and not turn.rounds:
        turn.headline = section
    elif turn.headline is not None and not turn.rounds:
        turn.headline = _joined(turn.headline, section)
    else:
        return False
    return True


def _joined(one: Section, other: Section) -> Section:
    lines = other.lines
    if lines and lines[0][1] and lines[0][1] in (text for _, text in one.lines):
        lines = lines[1:]  # the first line of a head that is printed twice
    return replace(one, lines=(*one.lines, *lines)[:MOST_LINES], column=one.column or other.column)


def _unread(lines: Iterable[Line]) -> list[Unread]:
    return [Unread(line, text) for line, text in lines if text]
