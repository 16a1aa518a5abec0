"""Hidden cards: a pile is a set plus the positions that are fixed; a hand may hold unknown faces.

The same functions serve the true table and a viewer's.  On a viewer's table a card whose face the viewer does
not know is `HIDDEN`, and `Pile.cards` are the candidates: every id that the viewer cannot place elsewhere.
On the true table `Pile.cards` are exactly the cards without a fixed position, so no order that chance has yet
to decide is stored anywhere.

Two rules keep it sound.  Whenever a face becomes known somewhere, `located` takes it out of the candidates.
And several cards of a hidden place stand in the order of their ids (`sorted_cards`), on the table and in
every fact, so that their order does not show which came first; only fixed positions have an order of their
own.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from domain.kernel import HIDDEN

Cards = tuple[str, ...]


class Pile(Struct, frozen=True, gc=False, omit_defaults=True):
    """A face-down pile.

    `cards`: ids without a fixed position, sorted (for a viewer: the candidates).  `size`: how many cards lie
    here in all.  `top` and `bottom`: the cards in fixed positions, from the top card downwards.
    """

    cards: Cards = ()
    size: int = 0
    top: Cards = ()
    bottom: Cards = ()

    @classmethod
    def of(cls, cards: Iterable[str]) -> Pile:
        """A freshly shuffled pile."""
        ids = tuple(sorted(cards))
        return cls(ids, len(ids))

    @property
    def loose(self) -> int:
        """How many cards lie here without a fixed position."""
        return self.size - len(self.top) - len(self.bottom)

    def located(self, card: str) -> Pile:
        """The face of `card` was seen outside the loose part: it is no longer a candidate."""
        return replace(self, cards=tuple(c for c in self.cards if c != card)) if card in self.cards else self

    def drawn(self, cards: Cards) -> Pile:
        """`cards` (faces known or not) leave the loose part."""
        gone = set(cards)  # faster: a whole hand is drawn at once, from a long pile
        left = tuple([c for c in self.cards if c not in gone])
        return replace(self, cards=left, size=self.size - len(cards))

    def put_on_top(self, cards: Cards) -> Pile:
        """`cards`, the first uppermost, come from outside onto the top."""
        left = tuple(c for c in self.cards if c not in cards)
        return replace(self, cards=left, size=self.size + len(cards), top=cards + self.top)

    def put_under(self, cards: Cards) -> Pile:
        """`cards`, the last undermost, come from outside under the pile."""
        left = tuple(c for c in self.cards if c not in cards)
        return replace(self, cards=left, size=self.size + len(cards), bottom=self.bottom + cards)

    def without_top(self, card: str) -> Pile:
        """The top card, whose position was fixed, leaves; `card` is its face or HIDDEN."""
        return replace(self, size=self.size - 1, top=self.top[1:]).located(card)

    def without_bottom(self, card: str) -> Pile:
        """The bottom card, whose position was fixed, leaves; `card` is its face or HIDDEN."""
        return replace(self, size=self.size - 1, bottom=self.bottom[:-1]).located(card)

    def shuffled_in(self, cards: Cards) -> Pile:
        """`cards` (faces known or not) come from outside among the loose ones."""
        known = (c for c in cards if c != HIDDEN)
        return replace(self, cards=tuple(sorted({*self.cards, *known})), size=self.size + len(cards))

    def loosened(self) -> Pile:
        """Reshuffled: no position is fixed any more."""
        known = (c for c in self.top + self.bottom if c != HIDDEN)
        return replace(self, cards=tuple(sorted({*self.cards, *known})), top=(), bottom=())


def without(hand: Cards, card: str) -> Cards:
    """`hand` without one card; if this viewer did not know its face, a hidden card leaves instead."""
    i = hand.index(card if card in hand else HIDDEN)
    return hand[:i] + hand[i + 1 :]


def sorted_cards(*cards: Iterable[str]) -> Cards:
    """All these cards of a hidden place, in the order of their ids, which does not show when each came."""
    return tuple(sorted(chain.from_iterable(cards)))
