"""Checks a pairing, whatever an engine says of it: what is forbidden, and what an arbiter should see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from domain.tournaments.crosstable import Colour, Crosstable, Line, cell_of, points_of

MOST_DIFFERENCE = 2  # games with one colour more than with the other
MOST_IN_A_ROW = 2  # games with the same colour
_ASKED = ("half_bye", "zero_bye", "full_bye", "absent")

Breach = Literal["unknown", "twice", "missing", "absent", "rematch", "forbidden", "byes", "second-bye"]


class Found(Struct, frozen=True):
    """A rule that a pairing breaks, and by whom (numbers of entrants)."""

    breach: Breach
    numbers: tuple[int, ...]


class ColourFlag(Struct, frozen=True):
    """An entrant whose colours get out of balance: `difference` of games, or so many `in_a_row`."""

    number: int
    difference: int
    in_a_row: int


def expected(table: Crosstable, round_number: int) -> set[int]:
    """Return the entrants who are to be paired in a round: all but those with a bye or withdrawn."""
    return {
        line.number
        for line in table.lines
        if not line.withdrawn and cell_of(line, round_number).kind not in _ASKED
    }


def breaches(
    table: Crosstable, round_number: int, pairs: Sequence[tuple[int, int]], byes: Sequence[int]
) -> list[Found]:
    """Return what is wrong with the pairs (w, b) and byes of a round, in a fixed order; empty: nothing."""
    named = [number for pair in pairs for number in pair] + [*byes]
    known = {line.number for line in table.lines}
    if unknown := sorted(set(named) - known):
        return [Found("unknown", tuple(unknown))]
    due = expected(table, round_number)
    found = [
        *_group("twice", (number for number, count in Counter(named).items() if count > 1)),
        *_group("missing", due - set(named)),
        *_group("absent", set(named) - due),
    ]
    for pair in pairs:
        found += _of_pair(table, round_number, pair)
    if len(byes) > len(due) % 2:
        found.append(Found("byes", tuple(byes)))
    return found + _group("second-bye", (number for number in byes if _had_bye(table, number, round_number)))


def _group(breach: Breach, numbers: Iterable[int]) -> list[Found]:
    """One finding with these entrants, if there are any."""
    found = tuple(sorted(numbers))
    return [Found(breach, found)] if found else []


def _of_pair(table: Crosstable, round_number: int, pair: tuple[int, int]) -> Iterator[Found]:
    w, b = pair
    earlier = table.lines[w - 1].cells[: round_number - 1]
    if any(cell.kind == "played" and cell.opponent == b for cell in earlier):
        yield Found("rematch", pair)
    for rule in table.forbidden:
        if rule.first <= round_number <= rule.last and w in rule.numbers and b in rule.numbers:
            yield Found("forbidden", pair)


def _had_bye(table: Crosstable, number: int, round_number: int) -> bool:
    """Has the entrant had as many points as a win gives, in one round and without playing?"""
    return any(
        cell.kind == "pairing_bye"
        or (cell.kind in ("full_bye", "forfeit") and points_of(table.points, cell) >= table.points.win)
        for cell in table.lines[number - 1].cells[: round_number - 1]
    )


def colour_flags(table: Crosstable, round_number: int, pairs: Sequence[tuple[int, int]]) -> list[ColourFlag]:
    """Return the entrants of a round whose colours get further out of balance than usual.

    That is legal for the leaders of the last round, so an arbiter sees it, and it is not refused.
    """
    sides: list[tuple[int, Colour]] = [(w, "w") for w, _ in pairs]
    sides += [(b, "b") for _, b in pairs]
    found = [_colours(table.lines[number - 1], round_number, colour) for number, colour in sorted(sides)]
    return [flag for flag in found if flag.difference > MOST_DIFFERENCE or flag.in_a_row > MOST_IN_A_ROW]


def _colours(line: Line, round_number: int, last: Colour) -> ColourFlag:
    earlier = line.cells[: round_number - 1]
    had = [cell.colour for cell in earlier if cell.kind == "played"] + [last]
    in_a_row = next((back for back, one in enumerate(reversed(had)) if one != last), len(had))
    return ColourFlag(line.number, abs(2 * had.count("w") - len(had)), in_a_row)
