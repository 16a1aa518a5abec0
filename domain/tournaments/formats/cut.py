"""Who is above a line in standings: who goes on to the next stage, and who is promoted or relegated."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct


class Ranked(Struct, frozen=True):
    """An entrant and its place; equal entrants share a place, and the next place after them is counted on."""

    place: int
    entrant: str


class Cut(Struct, frozen=True):
    """A line through standings.

    `certain`: those above it, in order.  `contested`: those who share a place across the line, and `left`:
    how many of them may still come above it; a play-off or a lot decides.  `others`: those below.
    """

    certain: tuple[str, ...]
    contested: tuple[str, ...]
    left: int
    others: tuple[str, ...]


def cut(ranked: Sequence[Ranked], count: int) -> Cut:
    """Draw the line below the first `count` entrants; all of them, if there are fewer.

    `ranked`: by place.
    """
    count = max(0, min(count, len(ranked)))
    if count in (0, len(ranked)) or ranked[count - 1].place != ranked[count].place:
        names = tuple(one.entrant for one in ranked)
        return Cut(names[:count], (), 0, names[count:])
    shared = ranked[count].place
    certain = tuple(one.entrant for one in ranked if one.place < shared)
    contested = tuple(one.entrant for one in ranked if one.place == shared)
    others = tuple(one.entrant for one in ranked if one.place > shared)
    return Cut(certain, contested, count - len(certain), others)


def settled(line: Cut, winners: Sequence[str]) -> Cut:
    """Return the line after its contested places were decided for `winners`, in this order.

    Raises:
        ValueError: these are not as many of the contested entrants as places were left.
    """
    won = tuple(winners)
    if len(won) != line.left or len(set(won)) != len(won) or not set(won) <= set(line.contested):
        raise ValueError(f"{line.left} of {', '.join(line.contested) or 'none'} come above the line")
    lost = tuple(one for one in line.contested if one not in won)
    return Cut(line.certain + won, (), 0, lost + line.others)
