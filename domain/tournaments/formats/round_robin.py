"""Round robin: everybody meets everybody once, or twice, by the Berger tables (FIDE C.05, annex 1).

An entrant is its number in the table, from 1.  With an odd number of entrants one is free in each round.
"""

from __future__ import annotations

from msgspec import Struct

LEAST, MOST = 2, 64  # entrants of one table


class Round(Struct, frozen=True):
    """A round: its boards as pairs (w, b), and who is free."""

    boards: tuple[tuple[int, int], ...]
    free: int | None = None


def berger(count: int) -> tuple[Round, ...]:
    """Return the rounds of a single round robin.

    Raises:
        ValueError: there are fewer than `LEAST` or more than `MOST` entrants.
    """
    if not LEAST <= count <= MOST:
        raise ValueError(f"a table has {LEAST} to {MOST} entrants, not {count}")
    return tuple(_round(count, number) for number in range(1, count + count % 2))


def double_berger(count: int) -> tuple[Round, ...]:
    """Return the rounds of a double round robin: the second half has the sides exchanged.

    The last two rounds of the first half are exchanged, too, so that no entrant has one side three times in
    a row where the halves meet.

    Raises:
        ValueError: see `berger`.
    """
    once = berger(count)
    first = (*once[:-2], *reversed(once[-2:]))
    return first + tuple(Round(tuple((b, w) for w, b in one.boards), one.free) for one in once)


def _round(count: int, number: int) -> Round:
    """One round: the last number sits, and the others move around a circle.

    The numbers of each board but the first add up to the same, modulo the size of the circle.
    """
    last = count + count % 2
    circle = last - 1
    pivot = _on_circle(
        (number + 1) * last // 2, circle
    )  # half of it, since 2 * (last // 2) = 1 on the circle
    first = (last, pivot) if number % 2 == 0 else (pivot, last)
    others = tuple(
        (_on_circle(pivot + step, circle), _on_circle(pivot - step, circle)) for step in range(1, last // 2)
    )
    if last > count:
        return Round(others, pivot)
    return Round((first, *others))


def _on_circle(number: int, circle: int) -> int:
    """The number from 1 to `circle` that is the same on the circle."""
    return (number - 1) % circle + 1
