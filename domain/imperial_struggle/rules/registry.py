"""Events, abilities of ministries, and their choices by id, as `events` and `ministries` declare them.

A card is a few functions under the decorators of its `Event`: what it does, and what its bonus does, for
both sides or for one.  Registered here, so that steps can run a card without knowing it.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from domain.choices import Choices
from domain.imperial_struggle.components import OTHER
from domain.imperial_struggle.rules.board import available_debt, keywords
from domain.imperial_struggle.state import State
from domain.kernel import Resolution, Seat

Happens = Callable[[State, Seat], Resolution[State]]
Predicate = Callable[[State, Seat], bool]
SUCCESSION, EMPIRE, REVOLUTION = "succession", "empire", "revolution"
BOTH = ""


class Condition(Struct, frozen=True):
    """What the bonus of an event needs; `id` names it in texts."""

    id: str
    met: Predicate


class Event:
    """An event card: its face, and what it does for each side."""

    def __init__(
        self, number: int, id: str, era: str, requires: str = "", bonus_if: Condition | None = None
    ) -> None:
        self.number, self.id, self.era = number, id, era
        self.requires, self.bonus_if = requires, bonus_if
        self._base: dict[str, Happens] = {}
        self._bonus: dict[str, Happens] = {}
        EVENTS[id] = self

    def base(self, side: Seat = BOTH) -> Callable[[Happens], Happens]:
        """The decorator over what the event does for a side."""
        return _into(self._base, side)

    def bonus(self, side: Seat = BOTH) -> Callable[[Happens], Happens]:
        """The decorator over what its bonus does for a side."""
        return _into(self._bonus, side)

    def effect(self, part: str, side: Seat) -> Happens | None:
        """What the "base" or the "bonus" does for a side."""
        effects = self._base if part == "base" else self._bonus
        return effects.get(side) or effects.get(BOTH)


def _into(effects: dict[str, Happens], side: Seat) -> Callable[[Happens], Happens]:
    def register(happens: Happens) -> Happens:
        effects[side] = happens
        return happens

    return register


class Ability(Struct, frozen=True):
    """What a ministry lets its side do in an action round, on its own decision.

    `early`: even before a tile is taken.  `exhausts`: once in a turn.  `usable` says whether it does anything
    now; being open and not Exhausted is looked at besides.  `lasting`: its ministry need not be open.
    """

    id: str
    ministry: str
    usable: Predicate
    then: Happens
    early: bool
    exhausts: bool
    lasting: bool


EVENTS: dict[str, Event] = {}
ABILITIES: dict[str, Ability] = {}
REVEALED: dict[str, Happens] = {}
"""What happens when a ministry is revealed, by ministry."""
ACTING: dict[str, Happens] = {}
"""What an open ministry adds to the actions of its side's round, by ministry; see `when_acting`."""
CHOICES = Choices[State]()


def event(number: int, id: str, era: str, requires: str = "", bonus_if: Condition | None = None) -> Event:
    """An event card: its number, id and era, the Major action it asks for, the condition of its bonus."""
    return Event(number, id, era, requires, bonus_if)


def ability(
    id: str, usable: Predicate, *, early: bool = False, exhausts: bool = True, lasting: bool = False
) -> Callable[[Happens], Happens]:
    """The decorator over an ability; `id` is the ministry, or the ministry, a dot and a word."""

    def register(then: Happens) -> Happens:
        ABILITIES[id] = Ability(id, id.partition(".")[0], usable, then, early, exhausts, lasting)
        return then

    return register


def when_revealed(ministry: str) -> Callable[[Happens], Happens]:
    """The decorator over what revealing a ministry brings about."""

    def register(then: Happens) -> Happens:
        REVEALED[ministry] = then
        return then

    return register


def when_acting(ministry: str) -> Callable[[Happens], Happens]:
    """The decorator over what an open ministry adds to the actions of its side's round by itself.

    It runs whenever that may have become due (a tile was taken, a ministry revealed, an event played) and has
    to see for itself that it does so only once.
    """

    def register(then: Happens) -> Happens:
        ACTING[ministry] = then
        return then

    return register


choice = CHOICES.follow
"""The decorator over what follows a question; its name is the card, or the card, a dot and a word."""


# --------------------------------------------------------------------------- conditions of bonuses


def keyword(word: str) -> Condition:
    """3.5.3: an open ministry with a keyword."""
    return Condition(f"keyword_{word}", lambda s, me: keywords(s, me, word) > 0)


MORE_AVAILABLE_DEBT = Condition(
    "more_available_debt", lambda s, me: available_debt(s, me) > available_debt(s, OTHER[me])
)
MUCH_MORE_AVAILABLE_DEBT = Condition(
    "available_debt_by_3", lambda s, me: available_debt(s, me) >= available_debt(s, OTHER[me]) + 3
)
MORE_BONUS_TILES = Condition("more_bonus_tiles", lambda s, me: bonus_tiles(s, me) > bonus_tiles(s, OTHER[me]))


def bonus_tiles(s: State, me: Seat) -> int:
    """How many Bonus tiles of a side lie on the display of the next war."""
    return sum(len(tiles) for tiles in s.reinforcements[me].values())
