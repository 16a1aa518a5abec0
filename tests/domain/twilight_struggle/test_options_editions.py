"""What the 2nd edition (book 000) and the Deluxe edition (book 003) do differently, one test each.

What only one of them has is refused to the other: see `test_options`.
"""

from __future__ import annotations

import pytest

from domain.kernel import Ended
from domain.twilight_struggle import GAME
from domain.twilight_struggle.components import SIDES, US, USSR
from domain.twilight_struggle.facts.cards import CardsAdded, HandOrdered
from domain.twilight_struggle.facts.flow import HeldCardsShown
from domain.twilight_struggle.rules.periods import cards_of
from domain.twilight_struggle.rules.registry import CARDS
from domain.twilight_struggle.steps.flow import CheckMilitary, Turn
from domain.twilight_struggle.steps.play import Event
from tests.domain.twilight_struggle.optional import opened, under
from tests.domain.twilight_struggle.table import resolving
from tests.scenario import given


@pytest.mark.parametrize(("edition", "canada", "total"), [("second", 0, 16), ("deluxe", 2, 18)])
def test_3_3_the_us_begins_with_2_in_canada_in_the_deluxe_edition(
    edition: str, canada: int, total: int
) -> None:
    """Before the 7 of its choice: 23 and 25 in all.  The USSR has 9, and 6 of its choice, in both."""
    influence = opened(edition).table.influence
    assert influence[US].get("canada", 0) == canada
    assert [sum(influence[side].values()) for side in SIDES] == [total, 9]


@pytest.mark.parametrize(
    ("edition", "early", "mid", "late"), [("second", 36, 46, 21), ("deluxe", 39, 48, 23)]
)
def test_2_2_1_number_of_cards(edition: str, early: int, mid: int, late: int) -> None:
    """103 and 110 cards, the China Card among those of the Early War."""
    counts = [len(cards_of(edition, period, optional=True)) for period in ("early", "mid", "late")]
    assert counts == [early - 1, mid, late]


def test_number_on_three_cards() -> None:
    changed = {card.id: (card.number_2nd, card.number) for card in CARDS.values() if card.number_2nd}
    assert {card: numbers for card, numbers in changed.items() if numbers[0] != numbers[1]} == {
        "formosan_resolution": (101, 35),
        "south_america_scoring": (35, 81),
        "solidarity": (81, 101),
    }


@pytest.mark.parametrize(
    ("edition", "card", "ops"), [("second", "aldrich_ames_2nd", 4), ("deluxe", "aldrich_ames_remix", 3)]
)
def test_card_98_is_another_aldrich_ames(edition: str, card: str, ops: int) -> None:
    s = under({}, edition, turn=7, phase="end", us_hand=("nato",))
    (added,) = [fact for fact in given(s, do=Turn(8)).facts if isinstance(fact, CardsAdded)]
    assert [each for each in added.cards if CARDS[each].number == 98] == [card]
    assert CARDS[card].ops == ops


def test_card_98_orders_the_us_hand_in_the_2nd_edition_and_takes_a_card_in_the_other() -> None:
    hand = ("nato", "fidel")
    second = resolving(under({}, "second", us_hand=hand), "aldrich_ames_2nd", USSR)
    ordered = given(second, do=Event(USSR, "aldrich_ames_2nd")).when(USSR, "fidel", "nato")
    ordered.includes(HandOrdered(("fidel", "nato"))).has(order=("fidel", "nato"))
    deluxe = resolving(under({}, "deluxe", us_hand=hand), "aldrich_ames_remix", USSR)
    taken = given(deluxe, do=Event(USSR, "aldrich_ames_remix")).when(USSR, "fidel")
    taken.has(order=(), hands={US: ("nato",), USSR: ()})


@pytest.mark.parametrize(
    ("edition", "shown", "winner", "reason"),
    [("second", False, US, "victory_points"), ("deluxe", True, USSR, "held_scoring_card")],
)
def test_10_3_1_a_side_that_reaches_20_in_the_check_shows_its_hand_in_the_deluxe_edition(
    edition: str, shown: bool, winner: str, reason: str
) -> None:
    """In the 2nd edition 20 points win, whatever is held."""
    s = under({}, edition, vp=18, defcon=2, military={US: 2, USSR: 0}, us_hand=("asia_scoring",))
    check = given(s, do=CheckMilitary()).includes(Ended(winner, reason, {US: 20, USSR: -20}))
    assert (HeldCardsShown(US, ("asia_scoring",)) in check.facts) is shown


@pytest.mark.parametrize(("edition", "points"), [("second", 4), ("deluxe", 3)])
def test_7_4_3_a_fixed_number_of_operations_is_modified_in_the_deluxe_edition(
    edition: str, points: int
) -> None:
    """The 4 Operations after an Olympic boycott, under Red Scare/Purge."""
    s = under({}, edition, ussr={"angola": 1}, effects=(("red_scare_purge", US),), phasing=US)
    boycott = given(resolving(s, "olympic_games", US), do=Event(US, "olympic_games")).when(USSR, "boycott")
    assert boycott.asks(US).table.agenda[-1].why(boycott.table, US)["points"] == points


@pytest.mark.parametrize("edition", GAME.editions)
def test_7_4_2_the_value_of_the_card_itself_is_modified_in_both(edition: str) -> None:
    """CIA Created after Containment: 2 Operations."""
    s = under({}, edition, effects=(("containment", US),))
    created = given(resolving(s, "cia_created", US), do=Event(US, "cia_created"))
    assert created.asks(US).table.agenda[-1].why(created.table, US)["points"] == 2


@pytest.mark.parametrize(
    ("box", "second", "deluxe"),
    [
        (4, "Man in Space", "Man in Earth Orbit"),
        (6, "Space Walk", "Eagle/Bear has Landed"),
        (7, "Lunar Orbit", "Space Shuttle"),
        (8, "Eagle/Bear has Landed", "Space Station"),
    ],
)
def test_6_4_boxes_of_the_space_race_have_other_names(box: int, second: str, deluxe: str) -> None:
    """The abilities stand on the same numbers."""
    told = {edition: GAME.words("en", GAME.settle(edition, {})[1], edition) for edition in GAME.editions}
    assert told["second"].name(f"space.{box}") == second
    assert told["deluxe"].name(f"space.{box}") == deluxe


def test_the_books_give_some_cards_other_russian_names() -> None:
    told = {edition: GAME.words("ru", GAME.settle(edition, {})[1], edition) for edition in GAME.editions}
    for card in ("quagmire", "bear_trap", "brush_war"):
        assert told["second"].name(card) != told["deluxe"].name(card), card
    assert told["second"].name("arms_race") == told["deluxe"].name("arms_race")
