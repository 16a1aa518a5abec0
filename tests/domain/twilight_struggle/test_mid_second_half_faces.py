"""The faces of the Mid War cards 59 to 81, 107 and 108, and which edition has them."""

from __future__ import annotations

import pytest

from domain.twilight_struggle.rules.periods import cards_of
from domain.twilight_struggle.rules.registry import CARDS
from tests.domain.twilight_struggle.table import US, USSR

STAYS = (
    "opec",
    "colonial_rear_guards",
    "grain_sales_to_soviets",
    "latin_american_death_squads",
    "shuttle_diplomacy",
    "the_voice_of_america",
    "liberation_theology",
    "africa_scoring",
    "one_small_step",
    "south_america_scoring",
    "che",
)  # those without an asterisk
BESIDE = ("flower_power", "camp_david_accords", "john_paul_ii_elected_pope", "shuttle_diplomacy")
SCORES = {"africa_scoring": "africa", "south_america_scoring": "south_america"}


@pytest.mark.parametrize(
    ("card", "number", "number_2nd", "side", "ops"),
    [
        ("flower_power", 59, 59, USSR, 4),
        ("u2_incident", 60, 60, USSR, 3),
        ("opec", 61, 61, USSR, 3),
        ("lone_gunman", 62, 62, USSR, 1),
        ("colonial_rear_guards", 63, 63, US, 2),
        ("panama_canal_returned", 64, 64, US, 1),
        ("camp_david_accords", 65, 65, US, 2),
        ("puppet_governments", 66, 66, US, 2),
        ("grain_sales_to_soviets", 67, 67, US, 2),
        ("john_paul_ii_elected_pope", 68, 68, US, 2),
        ("latin_american_death_squads", 69, 69, "neutral", 2),
        ("oas_founded", 70, 70, US, 1),
        ("nixon_plays_the_china_card", 71, 71, US, 2),
        ("sadat_expels_soviets", 72, 72, US, 1),
        ("shuttle_diplomacy", 73, 73, US, 3),
        ("the_voice_of_america", 74, 74, US, 2),
        ("liberation_theology", 75, 75, USSR, 2),
        ("ussuri_river_skirmish", 76, 76, US, 3),
        ("ask_not_what_your_country", 77, 77, US, 3),
        ("alliance_for_progress", 78, 78, US, 3),
        ("africa_scoring", 79, 79, "scoring", 0),
        ("one_small_step", 80, 80, "neutral", 2),
        ("south_america_scoring", 81, 35, "scoring", 0),
        ("che", 107, None, USSR, 3),
        ("our_man_in_tehran", 108, None, US, 2),
    ],
)
def test_face(card: str, number: int, number_2nd: int | None, side: str, ops: int) -> None:
    """What is printed on the card."""
    face = CARDS[card]
    assert (face.number, face.number_2nd, face.side, face.ops) == (number, number_2nd, side, ops)
    assert (face.starred, face.lasting) == (card not in STAYS, card in BESIDE)
    assert (face.period, face.war, face.scores) == ("mid", False, SCORES.get(card, ""))


def test_che_and_our_man_in_tehran_are_optional_cards_of_the_deluxe_edition() -> None:
    """Che, Our Man in Tehran: neither in the 2nd edition nor without the optional cards."""
    added = {"che", "our_man_in_tehran"}
    assert added <= set(cards_of("deluxe", "mid", optional=True))
    assert not added & set(cards_of("deluxe", "mid", optional=False))
    assert not added & set(cards_of("second", "mid", optional=True))
