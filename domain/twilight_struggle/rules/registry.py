"""The cards by id, as `cards` declares them: face, condition, and what the event does.

A card is a function; its decorator says what is printed on the face.  Cards are registered here, so that
steps can run an event without importing the cards.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from domain.choices import Choices
from domain.kernel import Resolution, Seat
from domain.twilight_struggle.components import CIVIL_WAR, USSR
from domain.twilight_struggle.rules.operations import civil_war
from domain.twilight_struggle.state import State

Happens = Callable[[State, Seat], Resolution[State]]
Condition = Callable[[State, Seat], bool]
Contested = Callable[[State, Seat, dict[Seat, int]], Resolution[State]]
SCORING, NEUTRAL = "scoring", "neutral"
FIRST_OPTIONAL = 104  # the cards that the Deluxe edition added
EVERY = 99  # more than any number of options: all of them


class Card(Struct, frozen=True):
    """A card's face, and its event.

    `starred`: removed when its event has happened; `lasting`: it stays beside the board while in force.
    `barred_by`: cards that, in force, forbid the event.  `needs`: the id of a condition, and its predicate.
    `scores`: the region of a scoring card.  `war`: a war card.  `deluxe_only`: not in the 2nd edition;
    `optional`: one of the cards 104 to 110.
    """

    id: str
    number: int
    number_2nd: int | None
    side: str
    ops: int
    period: str
    event: Happens
    starred: bool = False
    lasting: bool = False
    war: bool = False
    scores: str = ""
    barred_by: tuple[str, ...] = ()
    needs: tuple[str, Condition] | None = None
    optional: bool = False
    editions: tuple[str, ...] = ("second", "deluxe")


CARDS: dict[str, Card] = {}
CHOICES = Choices[State]()
CONTESTS: dict[str, Contested] = {}


def card(
    number: int,
    side: str,
    ops: int,
    period: str,
    *,
    number_2nd: int | None = None,
    starred: bool = False,
    lasting: bool = False,
    war: bool = False,
    scores: str = "",
    barred_by: tuple[str, ...] = (),
    needs: tuple[str, Condition] | None = None,
    editions: tuple[str, ...] = (),
) -> Callable[[Happens], Happens]:
    """The decorator of an event: what is printed on the card.  The function's name is the card's id."""
    optional = number >= FIRST_OPTIONAL
    found_in = editions or (("deluxe",) if optional else ("second", "deluxe"))

    def register(event: Happens) -> Happens:
        CARDS[event.__name__] = Card(
            event.__name__,
            number,
            (number_2nd or number) if "second" in found_in else None,
            side,
            ops,
            period,
            event,
            starred,
            lasting,
            war,
            scores,
            barred_by,
            needs,
            optional,
            found_in,
        )
        return event

    return register


choice = CHOICES.follow
"""The decorator of what follows a question; the question's name is the card, or the card and a word."""


def contest(card: str) -> Callable[[Contested], Contested]:
    """The decorator of what a pair of dice decides for a card."""

    def register(then: Contested) -> Contested:
        CONTESTS[card] = then
        return then

    return register


def barred(s: State, card: str, player: Seat) -> str:
    """Why an event cannot happen now: a card that forbids it, or an unmet condition; "" if it can."""
    face = CARDS[card]
    if civil_war_bars(s, card, player):
        return CIVIL_WAR
    for other in face.barred_by:
        if other in s.beside:
            return other
    if face.needs is not None and not face.needs[1](s, player):
        return face.needs[0]
    return ""


def civil_war_bars(s: State, card: str, player: Seat) -> bool:
    """Book 003, 12.3: what may not happen before the box of the Chinese Civil War is complete."""
    if not civil_war(s):
        return False
    if card == "red_scare_purge":
        return player == USSR
    return card in ("cultural_revolution", "formosan_resolution")
