"""Which cards are in the game, and when they join the deck (2.2.1, 4.4)."""

from __future__ import annotations

from domain.piles import Cards
from domain.twilight_struggle.rules.operations import CHINA
from domain.twilight_struggle.rules.registry import CARDS
from domain.twilight_struggle.state import State

PERIODS = {"early": 1, "mid": 4, "late": 8}
KEPT_FOR_LATE_WAR = (
    "bear_trap",
    "camp_david_accords",
    "john_paul_ii_elected_pope",
    "panama_canal_returned",
)


def cards_of(edition: str, period: str, *, optional: bool) -> Cards:
    """The cards of a period, without the China Card."""
    return tuple(
        sorted(
            card.id
            for card in CARDS.values()
            if edition in card.editions
            and card.period == period
            and card.id != CHINA
            and (optional or not card.optional)
        )
    )


def joining(s: State, turn: int) -> Cards:
    """The cards that are shuffled into the deck at the beginning of a turn."""
    period = next((name for name, first in PERIODS.items() if first == turn), None)
    return cards_of(s.edition, period, optional=s.options.optional_cards) if period else ()


def late_war_deck(optional: bool) -> tuple[Cards, Cards]:
    """The Late War scenario: the deck, and the cards that are out of the game."""
    earlier = cards_of("deluxe", "early", optional=optional) + cards_of("deluxe", "mid", optional=optional)
    gone = {card for card in earlier if CARDS[card].starred and card not in KEPT_FOR_LATE_WAR}
    deck = [card for card in earlier if card not in gone] + list(
        cards_of("deluxe", "late", optional=optional)
    )
    return tuple(sorted(deck)), tuple(sorted(gone))
