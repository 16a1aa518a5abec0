"""Hidden cards: a pile is a set plus the positions that somebody fixed; a hand may hold unknown faces.

The same functions serve the truth and a viewer's fold.  In a viewer's table a card whose face he does not
know is `HIDDEN`, and `Pile.cards` are the candidates: every id that he cannot place elsewhere.  In the truth
`Pile.cards` are exactly the cards without a fixed position, so no order of the future is stored anywhere.

Two rules keep it sound.  Whenever a face becomes known somewhere, `located` takes it out of the candidates.
And several cards of a hidden place stand in the order of their ids (`sorted_cards`), on the table and in
every fact, so that nothing tells which of them came first; only fixed positions have an order of their own.
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

    `cards`: ids without a fixed position, sorted (a viewer's: the candidates).  `size`: how many cards lie
    here in all.  `top` and `bottom`: the fixed positions, from the top card downwards.
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
        """The face of `card` was seen outside the loose part: it is no candidate any more."""
        return replace(self, cards=tuple(c for c in self.cards if c != card)) if card in self.cards else self

    def drawn(self, cards: Cards) -> Pile:
        """`cards` (faces known or not) leave the loose part."""
        gone = set(cards)  # a whole hand is drawn at once, from a long pile
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
    """`hand` less one card; where its face was unknown to this viewer, a hidden one leaves instead."""
    i = hand.index(card if card in hand else HIDDEN)
    return hand[:i] + hand[i + 1 :]


def sorted_cards(*cards: Iterable[str]) -> Cards:
    """All these cards of a hidden place, in the order of their ids: none tells when it came there."""
    return tuple(sorted(chain.from_iterable(cards)))
