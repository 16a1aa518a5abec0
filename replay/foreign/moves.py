"""Moves of cards, and facts about hands: what `following` finds in a foreign log, and `stays` counts."""

from __future__ import annotations

from msgspec import Struct

from domain.kernel import Seat

DISCARDS, REMOVED, BESIDE = "discards", "removed", "beside"


class Move(Struct, frozen=True, gc=False):
    """Something that happens to cards, in a turn, at a line of the log."""

    turn: int
    line: int


class TurnBegins(Move, frozen=True):
    """Both hands are filled.  `told`: the log goes on after that."""

    told: bool


class TurnEnds(Move, frozen=True):
    """Whoever holds a scoring card now loses: nobody does, for the game goes on."""


class Leaves(Move, frozen=True):
    """A card leaves a hand."""

    side: Seat
    card: str


class Arrives(Move, frozen=True):
    """A card comes into a hand, but not from the draw pile (SALT, Missile Envy)."""

    side: Seat
    card: str


class PutAway(Move, frozen=True):
    """A card that was played goes to the discards, is removed, or lies beside the board."""

    card: str
    to: str


class TakenBack(Move, frozen=True):
    """A card is taken out of the discards (SALT, Star Wars)."""

    card: str


class Shows(Move, frozen=True):
    """These cards are in a hand now; `whole`: and no others."""

    side: Seat
    cards: tuple[str, ...]
    whole: bool = False


class Lacks(Move, frozen=True):
    """None of these cards is in a hand now."""

    side: Seat
    cards: frozenset[str]


class Skips(Move, frozen=True):
    """A round of this side is in no line: it held no card, or played one that nobody knows."""

    side: Seat


class Draws(Move, frozen=True):
    """So many cards are drawn in mid-turn."""

    side: Seat
    count: int


class Looks(Move, frozen=True):
    """Our Man in Tehran: the top cards of the draw pile are looked at, and these of them discarded."""

    cards: tuple[str, ...]


class Reshuffled(Move, frozen=True):
    """The log says that the discards were reshuffled."""


class Doubtful(Move, frozen=True):
    """Something that the rules cannot explain."""

    text: str
