"""The faces of dice that players threw, with the exact probability of each count, adjusted for all of them.

A die is a draw among the faces 1 to 6; who threw it is the seat that its label names.  Dice of a match are
proved by its key: a count tells whose luck it was, and never that someone cheated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import comb

from msgspec import Struct

from domain.events import FactEntry
from domain.kernel import Seat
from domain.match import Match
from replay.dataset.rates import holm

FACES = ("1", "2", "3", "4", "5", "6")


class Faces(Struct, frozen=True):
    """How often each face fell, from 1 to 6; `p`: for each, the exact two-sided p value, adjusted (Holm)."""

    counts: tuple[int, ...]
    p: tuple[float, ...]


def thrown(match: Match) -> Iterator[tuple[Seat, str]]:
    """Yield the seat and the face of each open throw of a match, in order, also of those taken back."""
    for record in match.records:
        for draw in record.entry.draws if isinstance(record.entry, FactEntry) else ():
            seats = [part for part in draw.label.split("/") if part in match.seats]
            if draw.n == len(FACES) and draw.pick in FACES and len(seats) == 1:
                yield seats[0], draw.pick


def exact(count: int, n: int) -> float:
    """Return the probability of a count of one face in `n` fair throws, or a rarer one: twice a tail."""
    ways = [comb(n, k) * 5 ** (n - k) for k in range(n + 1)]
    tail = min(sum(ways[: count + 1]), sum(ways[count:]))
    return min(1.0, float(Fraction(2 * tail, 6**n)))


def faces_of(counted: Mapping[str, Counter[str]]) -> dict[str, Faces]:
    """Return the faces of each player's dice; all p values are adjusted together."""
    found = {
        (who, face): exact(counts[face], counts.total()) for who, counts in counted.items() for face in FACES
    }
    adjusted = holm(found)
    return {
        who: Faces(tuple(counts[face] for face in FACES), tuple(adjusted[who, face] for face in FACES))
        for who, counts in counted.items()
    }
