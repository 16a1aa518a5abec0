"""Filling in what a seat does not know: what all games share.

In a seat's own fold an unknown face is `HIDDEN`, and `Pile.cards` are the candidates: every id that the seat
cannot place elsewhere.  So the candidates of a pile, in an order drawn by chance, fill its own fixed
positions and the other places to which its cards went; those that are left are its loose cards.  Each unseen
card lies in each unseen place equally often.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import TypeVar

from msgspec.structs import replace

from domain.agents.spec import Rng
from domain.kernel import HIDDEN
from domain.piles import Cards, Pile, sorted_cards

V = TypeVar("V")


def below(count: int, rng: Rng) -> int:
    """A random number from 0 up to, and without, `count`."""
    return int(rng.random() * count)


def choose(values: Sequence[V], rng: Rng) -> V:
    """One of these values, each as likely as another."""
    return values[below(len(values), rng)]


def shuffle(values: MutableSequence[V], rng: Rng) -> None:
    """Put the values in a random order, in place; every order is equally likely."""
    for last in range(len(values) - 1, 0, -1):
        other = below(last + 1, rng)
        values[last], values[other] = values[other], values[last]


def sample(values: Sequence[V], count: int, rng: Rng) -> tuple[V, ...]:
    """`count` different places of these values, in a random order."""
    rest = list(values)
    for place in range(count):
        other = place + below(len(rest) - place, rng)
        rest[place], rest[other] = rest[other], rest[place]
    return tuple(rest[:count])


class Unseen:
    """The cards that belong to one pile and that the seat cannot place, in an order drawn by chance.

    Args:
        pile: the pile in the seat's own fold; its cards are the candidates.
        rng: draws the order.
    """

    def __init__(self, pile: Pile, rng: Rng) -> None:
        self._pile, self._cards = pile, list(pile.cards)
        shuffle(self._cards, rng)

    @property
    def elsewhere(self) -> int:
        """How many of the cards that are left lie neither loose nor in a fixed position of the pile."""
        fixed = self._pile.top + self._pile.bottom
        return len(self._cards) - self._pile.loose - fixed.count(HIDDEN)

    def card(self, face: str) -> str:
        """The face of a card in one place: as it is known, else one that is drawn."""
        return self._cards.pop() if face == HIDDEN else face

    def cards(self, faces: Cards) -> Cards:
        """The same for a hand, or any other place in which the order has no meaning."""
        return sorted_cards(map(self.card, faces)) if HIDDEN in faces else faces

    def pile(self) -> Pile:
        """The pile itself, with what is left; call this last."""
        top = tuple(map(self.card, self._pile.top))
        bottom = tuple(map(self.card, self._pile.bottom))
        return replace(self._pile, cards=tuple(sorted(self._cards)), top=top, bottom=bottom)
