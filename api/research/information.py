"""What a seat was told: the moves of an episode, and a seat's own fold of them.

The moves form a chain from the latest backwards, so that states share what they have in common, and a clone
costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar, cast

from msgspec import Struct

from domain.kernel import CHANCE, AnyFact, Picks, Seat

T = TypeVar("T")


class Node(Struct, frozen=True):
    """One answer and the facts that followed, after those of `before`.

    `seat` "": what happened before the first question.  `secret`: other seats do not see the picks.
    `public`: every viewer sees the facts in full.
    """

    before: Node | None
    seat: Seat
    ask: str
    picks: Picks
    secret: bool
    facts: Sequence[AnyFact]
    public: bool


class SeenNode(Struct, frozen=True, omit_defaults=True):
    """The same as one seat was told it; `picks` is None if they are another seat's secret."""

    facts: tuple[AnyFact, ...]
    seat: Seat = ""
    ask: str = ""
    picks: Picks | None = None


def since(last: Node, known: Node) -> list[Node]:
    """The moves after `known`, up to `last`, in order."""
    found: list[Node] = []
    move: Node | None = last
    while move is not None and move is not known:
        found.append(move)
        move = move.before
    found.reverse()
    return found


def folded(view: T, seat: Seat, moves: list[Node]) -> T:
    """A seat's own table after these moves."""
    s: Any = view
    for move in moves:
        if move.public:
            for fact in move.facts:
                s = fact.apply(s)
        else:
            for fact in move.facts:
                s = fact.seen_by(seat).apply(s)
    return cast(T, s)


def as_seen(seat: Seat, moves: list[Node]) -> Iterator[SeenNode]:
    """These moves as a seat was told them; what chance picked is in the facts."""
    for move in moves:
        facts = tuple(fact.seen_by(seat) for fact in move.facts)
        if move.seat in ("", CHANCE):
            yield SeenNode(facts)
        else:
            picks = None if move.secret and move.seat != seat else move.picks
            yield SeenNode(facts, move.seat, move.ask, picks)
