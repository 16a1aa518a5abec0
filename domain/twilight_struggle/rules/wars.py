"""The five war cards: what the roll needs, and what victory brings."""

from __future__ import annotations

from msgspec import Struct

from domain.kernel import Seat
from domain.twilight_struggle.components import OTHER
from domain.twilight_struggle.rules.board import controlled_neighbours, controls, touches
from domain.twilight_struggle.rules.operations import civil_war
from domain.twilight_struggle.state import State


class War(Struct, frozen=True):
    """A war card: a roll of at least `need` wins `points`; `military` Operations count in any case.

    `target_counts`: the target itself counts against the attacker if the enemy controls it.
    """

    need: int
    points: int
    military: int
    target_counts: bool = False


WARS = {
    "korean_war": War(4, 2, 2),
    "arab_israeli_war": War(4, 2, 2, target_counts=True),
    "indo_pakistani_war": War(4, 2, 2),
    "brush_war": War(3, 1, 3),
    "iran_iraq_war": War(4, 2, 2),
}


def minus(s: State, attacker: Seat, card: str, country: str) -> int:
    """What is subtracted from the roll: enemy-controlled neighbours of the target, and what the card adds.

    An adjacent enemy superpower counts as such a neighbour (2.1.5, FAQ 4.2 on Brush War); before the Chinese
    Civil War is complete the Korean War has one more (book 003, 12.4.2).
    """
    enemy = OTHER[attacker]
    against = controlled_neighbours(s, enemy, country) + touches(enemy, country)
    if WARS[card].target_counts:
        against += controls(s, enemy, country)
    if card == "korean_war":
        against += civil_war(s)
    return against
