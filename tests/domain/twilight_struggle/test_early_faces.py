"""What is printed on the Early War cards, and which of them an edition has (2.2.1)."""

from __future__ import annotations

import pytest

from domain.twilight_struggle.rules.periods import cards_of
from domain.twilight_struggle.rules.registry import CARDS

# id: number, side, Operations, marks (* removed after the event, _ stays beside the board, w a war)
FACES = {
    "asia_scoring": (1, "scoring", 0, ""),
    "europe_scoring": (2, "scoring", 0, ""),
    "middle_east_scoring": (3, "scoring", 0, ""),
    "duck_and_cover": (4, "us", 3, ""),
    "five_year_plan": (5, "us", 3, ""),
    "china_card": (6, "neutral", 4, ""),
    "socialist_governments": (7, "ussr", 3, ""),
    "fidel": (8, "ussr", 2, "*"),
    "vietnam_revolts": (9, "ussr", 2, "*"),
    "blockade": (10, "ussr", 1, "*"),
    "korean_war": (11, "ussr", 2, "*w"),
    "romanian_abdication": (12, "ussr", 1, "*"),
    "arab_israeli_war": (13, "ussr", 2, "w"),
    "comecon": (14, "ussr", 3, "*"),
    "nasser": (15, "ussr", 1, "*"),
    "warsaw_pact_formed": (16, "ussr", 3, "*_"),
    "de_gaulle_leads_france": (17, "ussr", 3, "*_"),
    "captured_nazi_scientist": (18, "neutral", 1, "*"),
    "truman_doctrine": (19, "us", 1, "*"),
    "olympic_games": (20, "neutral", 2, ""),
    "nato": (21, "us", 4, "*_"),
    "independent_reds": (22, "us", 2, "*"),
    "marshall_plan": (23, "us", 4, "*_"),
    "indo_pakistani_war": (24, "neutral", 2, "w"),
    "containment": (25, "us", 3, "*"),
    "cia_created": (26, "us", 1, "*"),
    "us_japan_mutual_defense_pact": (27, "us", 4, "*_"),
    "suez_crisis": (28, "ussr", 3, "*"),
    "east_european_unrest": (29, "us", 3, ""),
    "decolonization": (30, "ussr", 2, ""),
    "red_scare_purge": (31, "neutral", 4, ""),
    "un_intervention": (32, "neutral", 1, ""),
    "de_stalinization": (33, "ussr", 3, "*"),
    "nuclear_test_ban": (34, "neutral", 4, ""),
    "formosan_resolution": (35, "us", 2, "*_"),
    "defectors": (103, "us", 2, ""),
    "the_cambridge_five": (104, "ussr", 2, ""),
    "special_relationship": (105, "us", 2, ""),
    "norad": (106, "us", 3, "*_"),
}
OPTIONAL = {"the_cambridge_five", "special_relationship", "norad"}


@pytest.mark.parametrize("card", FACES)
def test_face_as_printed(card: str) -> None:
    face = CARDS[card]
    marks = "*" * face.starred + "_" * face.lasting + "w" * face.war
    assert (face.number, face.side, face.ops, marks) == FACES[card]


def test_early_war_has_these_cards_and_no_others() -> None:
    assert {card for card, face in CARDS.items() if face.period == "early"} == set(FACES)


def test_second_edition_lacks_the_optional_cards_and_numbers_formosan_resolution_101() -> None:
    second = {card: CARDS[card].number_2nd for card in FACES if "second" in CARDS[card].editions}
    assert set(FACES) - set(second) == OPTIONAL
    assert {card: number for card, number in second.items() if number != FACES[card][0]} == {
        "formosan_resolution": 101
    }


@pytest.mark.parametrize(
    ("edition", "optional", "count"), [("second", False, 35), ("deluxe", False, 35), ("deluxe", True, 38)]
)
def test_first_deck_holds_every_early_card_but_the_china_card(
    edition: str, optional: bool, count: int
) -> None:
    deck = cards_of(edition, "early", optional=optional)
    assert len(deck) == count
    assert "china_card" not in deck
