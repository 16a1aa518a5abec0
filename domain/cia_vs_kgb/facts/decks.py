"""How places of cards change, and the facts of the two decks.

This game uses both ends of a deck and its uppermost cards, for which `domain.piles` has no functions.  As
there, every function serves the true table and a viewer's, where a face may be hidden and the loose cards are
candidates.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from domain.cia_vs_kgb.state import State
from domain.kernel import HIDDEN, Fact, Seat
from domain.piles import Cards, Pile, without


def less(by_key: dict[str, str], key: str) -> dict[str, str]:
    """The same without one key."""
    return {other: value for other, value in by_key.items() if other != key}


def added(places: dict[Seat, Cards], seat: Seat, *cards: str) -> dict[Seat, Cards]:
    """`cards` come to the place of a seat."""
    return {**places, seat: places[seat] + cards}


def taken(places: dict[Seat, Cards], seat: Seat, card: str) -> dict[Seat, Cards]:
    """`card` leaves the place of a seat."""
    return {**places, seat: without(places[seat], card)}


def took_top(pile: Pile, card: str) -> Pile:
    """The uppermost card, which is `card`, leaves."""
    if pile.top:
        return pile.without_top(card)
    if pile.loose:
        return pile.drawn((card,))
    return replace(pile, size=pile.size - 1, bottom=pile.bottom[1:]).located(card)


def took_bottom(pile: Pile, card: str) -> Pile:
    """The undermost card, which is `card`, leaves."""
    if pile.bottom:
        return pile.without_bottom(card)
    if pile.loose:
        return pile.drawn((card,))
    return replace(pile, size=pile.size - 1, top=pile.top[:-1]).located(card)


def looked_at(pile: Pile, cards: Cards) -> Pile:
    """The uppermost cards, which are `cards` (faces known or not), were seen: their positions are fixed."""
    count = len(cards)
    reached = max(0, count - len(pile.top) - pile.loose)  # so many of them lay in the fixed part below
    before = (pile.top + (HIDDEN,) * pile.loose + pile.bottom)[:count]
    faces = tuple(old if new == HIDDEN else new for old, new in zip(before, cards, strict=True))
    left = tuple(card for card in pile.cards if card not in faces)
    return Pile(left, pile.size, faces + pile.top[count:], pile.bottom[reached:])


def arranged(pile: Pile, cards: Cards) -> Pile:
    """The uppermost cards, all in fixed positions, now lie in this order.

    A viewer who does not see the order no longer knows the positions of those whose faces they knew.
    """
    lost = {card for card in pile.top[: len(cards)] if card != HIDDEN}
    left = tuple(sorted({*pile.cards, *lost} - {*cards}))
    return replace(pile, cards=left, top=cards + pile.top[len(cards) :])


# ── the objective deck ──


class ObjectiveTurnedUp(Fact[State], frozen=True):
    """The next objective lies face up on its deck: it is contested now."""

    reveals: ClassVar[bool] = True
    objective: str

    def apply(self, s: State) -> State:
        return replace(s, objective=self.objective, objectives=took_top(s.objectives, self.objective))


class ObjectiveBuried(Fact[State], frozen=True):
    """The contested objective goes face down under its deck.  `why`: disorder, complete_tie or assassin."""

    objective: str
    why: str

    def apply(self, s: State) -> State:
        return replace(s, objective=None, objectives=s.objectives.put_under((self.objective,)))


class BottomClaimed(Fact[State], frozen=True):
    """The Director's side wins the objective from the bottom of the deck."""

    reveals: ClassVar[bool] = True
    seat: Seat
    objective: str
    points: int
    total: int

    def apply(self, s: State) -> State:
        left = took_bottom(s.objectives, self.objective)
        return replace(s, objectives=left, won=added(s.won, self.seat, self.objective))


class ObjectivesSeen(Fact[State], frozen=True):
    """Space Race: a player looked at the next objectives, from the top card down."""

    reveals: ClassVar[bool] = True
    conceals = ("objectives",)
    seat: Seat
    objectives: Cards

    def apply(self, s: State) -> State:
        return replace(s, objectives=looked_at(s.objectives, self.objectives))


class ObjectivesArranged(Fact[State], frozen=True):
    """Space Race: the player put them back, the first uppermost."""

    conceals = ("objectives",)
    seat: Seat
    objectives: Cards

    def apply(self, s: State) -> State:
        return replace(s, objectives=arranged(s.objectives, self.objectives))


# ── the group deck ──


class GroupsReshuffled(Fact[State], frozen=True):
    """All groups are in their deck again, in no known order."""

    def apply(self, s: State) -> State:
        used = s.discards + s.recruited["cia"] + s.recruited["kgb"]
        back = s.groups.put_under(used).loosened()
        return replace(s, groups=back, discards=(), recruited={"cia": (), "kgb": ()}, mobilized=())


class GroupsSeen(Fact[State], frozen=True):
    """A player looked at the top of the group deck, from the top card down.  `why`: analyst or media."""

    reveals: ClassVar[bool] = True
    conceals = ("groups",)
    seat: Seat
    groups: Cards
    why: str

    def apply(self, s: State) -> State:
        return replace(s, groups=looked_at(s.groups, self.groups))


class GroupsArranged(Fact[State], frozen=True):
    """The Analyst put the top groups back, the first uppermost."""

    conceals = ("groups",)
    seat: Seat
    groups: Cards

    def apply(self, s: State) -> State:
        return replace(s, groups=arranged(s.groups, self.groups))


# ── planning ──


class GroupRecruited(Fact[State], frozen=True):
    """The top group of the deck joins a player, face up and ready."""

    reveals: ClassVar[bool] = True
    seat: Seat
    group: str

    def apply(self, s: State) -> State:
        recruited = added(s.recruited, self.seat, self.group)
        return replace(s, groups=took_top(s.groups, self.group), recruited=recruited)


class TopDiscarded(Fact[State], frozen=True):
    """The media power sent the top group to the discard pile, face up."""

    reveals: ClassVar[bool] = True
    seat: Seat
    group: str

    def apply(self, s: State) -> State:
        return replace(s, groups=took_top(s.groups, self.group), discards=(*s.discards, self.group))
