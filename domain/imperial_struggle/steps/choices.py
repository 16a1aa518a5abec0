"""The questions that cards share: which spaces are affected, and any other choice of a card."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from domain.imperial_struggle.components import BOARD, FORTS, NAVY_BOX, OTHER, Where
from domain.imperial_struggle.facts.flow import ChoiceMade
from domain.imperial_struggle.rules.board import (
    fits,
    matching,
    squadrons,
    to_shift,
    to_trouble,
    to_unflag,
)
from domain.imperial_struggle.rules.registry import CHOICES
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.deeds import (
    Deed,
    conflict,
    damage,
    lose_squadron,
    send_home,
    shift,
    suspend_squadron,
    take_control,
    unflag,
)
from domain.kernel import Picks, Resolution, Seat, Step

CARD_TEXT = "book 001, 5.2: the text of the card rules"


class Choosing(Step[State], frozen=True):
    """`seat` chooses for `card`."""

    rule: ClassVar[str] = CARD_TEXT
    seat: Seat
    card: str

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,)


class Affect(Choosing, frozen=True):
    """`how` (see `HOWS`) happens to `count` different spaces: all that there are, or at least `least`.

    What leaves no choice happens without a question.
    """

    spelling = ("navy_box", "{space}")
    how: str
    where: Where = Where()
    count: int = 1
    least: int | None = None

    def asks(self, s: State) -> tuple[Seat, ...]:
        choice = self.least is not None or len(self.options(s, self.seat)) > self.count
        return (self.seat,) if choice else ()

    def options(self, s: State, seat: Seat) -> Picks:
        return HOWS[self.how][0](s, self.seat, self.where)

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        most = min(self.count, len(self.options(s, seat)))
        return most if self.least is None else min(self.least, most), most

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"card": self.card, "how": f"how.{self.how}", "count": self.count}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        spaces = picks if self.asks(s) else self.options(s, self.seat)
        for space in spaces:
            s = yield from HOWS[self.how][1](s, self.seat, space, self.card)


class Choose(Choosing, frozen=True):
    """Any other choice of a card: the options, and what follows, are defined beside the card (`@choice`).

    `name` is that of the question: the card, or the card, a dot and a word.  `told`: a fact says what was
    chosen, because the facts that follow do not show it.
    """

    spelling = (
        "alliance",
        "conflicts",
        "decline",
        "diplomatic",
        "economic",
        "score",
        "{advantage}",
        "{event}",
        "{good}",
        "{space}",
        "{theatre}",
    )
    name: str = ""
    told: bool = False

    def options(self, s: State, seat: Seat) -> Picks:
        return CHOICES[self.name or self.card].options(s, seat)

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        return CHOICES[self.name or self.card].bounds(s, seat)

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"card": self.card, "question": f"ask.{self.name or self.card}"}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if self.told and picks:
            s = yield ChoiceMade(self.seat, self.card, picks[0])
        yield from CHOICES[self.name or self.card].then(s, self.seat, picks)


# --------------------------------------------------------------------------- what can happen to a space

Targets = Callable[["State", Seat, Where], Picks]
Doing = Callable[["State", Seat, str, str], Deed]


def _own_flags(s: State, me: Seat, where: Where) -> Picks:
    """Own flags on markets and political spaces."""
    return tuple(
        space
        for space in matching(s, me, where)
        if s.flags.get(space) == me and BOARD[space].kind in ("political", "market")
    )


def _whole_forts(side_of: Callable[[Seat], Seat]) -> Targets:
    def targets(s: State, me: Seat, where: Where) -> Picks:
        owner = side_of(me)
        return tuple(
            space
            for space in FORTS
            if s.flags.get(space) == owner and space not in s.damaged and fits(s, me, where, space)
        )

    return targets


def _their_squadrons(s: State, me: Seat, where: Where) -> Picks:
    return tuple(space for space in squadrons(s, OTHER[me]) if fits(s, me, where, space))


def _any_squadron(side_of: Callable[[Seat], Seat]) -> Targets:
    """Those of a side, on the map or in the Navy Box."""

    def targets(s: State, me: Seat, where: Where) -> Picks:
        side = side_of(me)
        return (*squadrons(s, side), *((NAVY_BOX,) if s.navy[side] else ()))

    return targets


def _mine(me: Seat) -> Seat:
    return me


def _theirs(me: Seat) -> Seat:
    return OTHER[me]


HOWS: dict[str, tuple[Targets, Doing]] = {
    "shift": (to_shift, lambda s, me, space, card: shift(s, me, space)),
    "unflag": (to_unflag, lambda s, me, space, card: unflag(s, space)),
    "own_unflag": (_own_flags, lambda s, me, space, card: unflag(s, space)),
    "control": (to_shift, lambda s, me, space, card: take_control(s, me, space)),
    "conflict": (to_trouble, lambda s, me, space, card: conflict(s, space, card)),
    "lasting_conflict": (to_trouble, lambda s, me, space, card: conflict(s, space, card, 1)),
    "damage": (_whole_forts(_theirs), lambda s, me, space, card: damage(s, space)),
    "send_home": (_their_squadrons, lambda s, me, space, card: send_home(s, space)),
    "suspend_own": (_any_squadron(_mine), lambda s, me, space, card: suspend_squadron(s, me, space)),
    "suspend": (_any_squadron(_theirs), lambda s, me, space, card: suspend_squadron(s, OTHER[me], space)),
    "destroy": (_any_squadron(_theirs), lambda s, me, space, card: lose_squadron(s, OTHER[me], space)),
    "destroy_own": (_any_squadron(_mine), lambda s, me, space, card: lose_squadron(s, me, space)),
}
