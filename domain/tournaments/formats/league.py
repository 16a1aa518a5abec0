"""A league: divisions by rating or by the last season, and who moves up and down between them.

The first division is the highest.  Inside a division the entrants play a round robin, or meet freely within
windows; games across divisions are paired as a Swiss round.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from domain.tournaments.formats.cut import Cut, Ranked, cut, settled

MOST_DIVISIONS = 64


class Moves(Struct, frozen=True):
    """The lines through the standings of one division.

    `up`: above it are those who are promoted; `down`: below it are those who are relegated.
    """

    up: Cut
    down: Cut

    @property
    def play_offs(self) -> tuple[tuple[str, ...], ...]:
        """The entrants who have to play off places, for each line that is contested."""
        return tuple(line.contested for line in (self.up, self.down) if line.contested)


def divided(entrants: Sequence[str], sizes: Sequence[int]) -> tuple[tuple[str, ...], ...]:
    """Divide entrants, the strongest first, into divisions of these sizes; the last takes all that remain.

    Raises:
        ValueError: there is no division, there are too many, or one would have fewer than two entrants.
    """
    if not 0 < len(sizes) <= MOST_DIVISIONS:
        raise ValueError(f"a league has 1 to {MOST_DIVISIONS} divisions")
    starts = [sum(sizes[:index]) for index in range(len(sizes))]
    ends = [*starts[1:], len(entrants)]
    divisions = tuple(tuple(entrants[start:end]) for start, end in zip(starts, ends, strict=True))
    if min(*sizes, *map(len, divisions)) < 2:
        raise ValueError("each division needs two entrants")
    return divisions


def moves(divisions: Sequence[Sequence[Ranked]], up: int, down: int) -> tuple[Moves, ...]:
    """Return the lines through the standings of each division, the highest first.

    Nobody is promoted from the first division, nor relegated from the last.

    Raises:
        ValueError: a division has fewer entrants than move.
    """
    last = len(divisions) - 1
    found = []
    for index, ranked in enumerate(divisions):
        rising, falling = up if index > 0 else 0, down if index < last else 0
        if rising + falling > len(ranked):
            raise ValueError(f"division {index + 1} has only {len(ranked)} entrants")
        found.append(Moves(cut(ranked, rising), cut(ranked, len(ranked) - falling)))
    return tuple(found)


def next_season(
    divisions: Sequence[Sequence[Ranked]], lines: Sequence[Moves], play_offs: Mapping[str, int]
) -> tuple[tuple[str, ...], ...]:
    """Return the divisions of the next season: those who came down, those who stayed, those who came up.

    `play_offs`: the order, from 1, in which those who played off a place came out.

    Raises:
        ValueError: a place is contested, and no play-off decides it.
    """
    settled_lines = [Moves(_decided(one.up, play_offs), _decided(one.down, play_offs)) for one in lines]
    return tuple(tuple(_members(index, ranked, settled_lines)) for index, ranked in enumerate(divisions))


def _decided(line: Cut, play_offs: Mapping[str, int]) -> Cut:
    if not line.contested:
        return line
    known = [one for one in line.contested if one in play_offs]
    return settled(line, sorted(known, key=lambda one: play_offs[one])[: line.left])


def _members(index: int, ranked: Sequence[Ranked], lines: Sequence[Moves]) -> Iterator[str]:
    if index > 0:
        yield from lines[index - 1].down.others
    leaving = {*lines[index].up.certain, *lines[index].down.others}
    yield from (one.entrant for one in ranked if one.entrant not in leaving)
    if index + 1 < len(lines):
        yield from lines[index + 1].up.certain
