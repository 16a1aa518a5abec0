"""The faces of the Late War cards, which edition has which, and what they bar."""

from __future__ import annotations

import pytest

from domain.twilight_struggle.facts.flow import EffectsLapsed, EventBarred
from domain.twilight_struggle.rules.periods import cards_of
from domain.twilight_struggle.rules.registry import CARDS
from domain.twilight_struggle.steps.flow import EndTurn
from domain.twilight_struggle.steps.play import Event
from tests.domain.twilight_struggle.table import US, USSR, resolving, table
from tests.scenario import given

STAYS = ("terrorism", "latin_american_debt_crisis")  # the two without an asterisk
BESIDE = (
    "iranian_hostage_crisis",
    "the_iron_lady",
    "north_sea_oil",
    "the_reformer",
    "tear_down_this_wall",
    "an_evil_empire",
    "awacs_sale_to_saudis",
)


@pytest.mark.parametrize(
    ("card", "number", "number_2nd", "side", "ops"),
    [
        ("iranian_hostage_crisis", 82, 82, USSR, 3),
        ("the_iron_lady", 83, 83, US, 3),
        ("reagan_bombs_libya", 84, 84, US, 2),
        ("star_wars", 85, 85, US, 2),
        ("north_sea_oil", 86, 86, US, 3),
        ("the_reformer", 87, 87, USSR, 3),
        ("marine_barracks_bombing", 88, 88, USSR, 2),
        ("soviets_shoot_down_kal_007", 89, 89, US, 4),
        ("glasnost", 90, 90, USSR, 4),
        ("ortega_elected_in_nicaragua", 91, 91, USSR, 2),
        ("terrorism", 92, 92, "neutral", 2),
        ("iran_contra_scandal", 93, 93, USSR, 2),
        ("chernobyl", 94, 94, US, 3),
        ("latin_american_debt_crisis", 95, 95, USSR, 2),
        ("tear_down_this_wall", 96, 96, US, 3),
        ("an_evil_empire", 97, 97, US, 3),
        ("aldrich_ames_remix", 98, None, USSR, 3),
        ("aldrich_ames_2nd", 98, 98, USSR, 4),
        ("pershing_ii_deployed", 99, 99, USSR, 3),
        ("wargames", 100, 100, "neutral", 4),
        ("solidarity", 101, 81, US, 2),
        ("iran_iraq_war", 102, 102, "neutral", 2),
        ("yuri_and_samantha", 109, None, USSR, 2),
        ("awacs_sale_to_saudis", 110, None, US, 3),
    ],
)
def test_face(card: str, number: int, number_2nd: int | None, side: str, ops: int) -> None:
    face = CARDS[card]
    assert (face.number, face.number_2nd, face.side, face.ops) == (number, number_2nd, side, ops)
    assert (face.starred, face.lasting) == (card not in STAYS, card in BESIDE)
    assert (face.period, face.war, face.scores) == ("late", card == "iran_iraq_war", "")


def test_late_war_has_21_cards_in_the_2nd_edition_and_up_to_23_in_the_deluxe_edition() -> None:
    second = cards_of("second", "late", optional=False)
    deluxe = cards_of("deluxe", "late", optional=True)
    assert (len(second), len(deluxe)) == (21, 23)
    assert set(second) - set(deluxe) == {"aldrich_ames_2nd"}
    assert set(deluxe) - set(second) == {"aldrich_ames_remix", "yuri_and_samantha", "awacs_sale_to_saudis"}


def test_without_the_optional_cards_the_deluxe_edition_has_21_too() -> None:
    assert len(cards_of("deluxe", "late", optional=False)) == 21


@pytest.mark.parametrize(
    ("bars", "barred"),
    [
        ("the_iron_lady", "socialist_governments"),
        ("north_sea_oil", "opec"),
        ("tear_down_this_wall", "willy_brandt"),
        ("an_evil_empire", "flower_power"),
        ("awacs_sale_to_saudis", "muslim_revolution"),
    ],
)
def test_a_late_card_beside_the_board_bars_an_earlier_event(bars: str, barred: str) -> None:
    s = resolving(table(beside=(bars,), us={"france": 2, "egypt": 2}, ussr={"egypt": 2}), barred, USSR)
    given(s, do=Event(USSR, barred)).includes(EventBarred(barred, bars)).has(discards=(barred,), vp=0)


@pytest.mark.parametrize(
    ("card", "seat"),
    [
        ("north_sea_oil", US),
        ("iran_contra_scandal", US),
        ("chernobyl", USSR),
        ("aldrich_ames_remix", US),
        ("aldrich_ames_2nd", US),
        ("yuri_and_samantha", USSR),
    ],
)
def test_a_late_effect_ends_with_the_turn(card: str, seat: str) -> None:
    s = table(turn=10, round=7, effects=((card, seat),), order=("fidel",), us_hand=("fidel",))
    given(s, do=EndTurn()).includes(EffectsLapsed((card,))).has(effects=(), order=())
