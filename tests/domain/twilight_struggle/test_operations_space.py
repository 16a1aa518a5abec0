"""The Space Race: which cards, how many, points, abilities that move (6.4)."""

from __future__ import annotations

import pytest

from domain.kernel import fold
from domain.twilight_struggle.facts.cards import CardPlayed, CardPutAway
from domain.twilight_struggle.facts.tracks import ScoreMoved, SpaceDeclined, SpaceRolled, SpaceSet
from domain.twilight_struggle.rules.hand import has_eighth
from domain.twilight_struggle.rules.operations import Ops, holds_box, may_space
from domain.twilight_struggle.steps.operations import RollSpace
from domain.twilight_struggle.steps.play import PlayCard
from tests.domain.twilight_struggle.table import US, USSR, table
from tests.scenario import given


def test_6_4_5_the_event_does_not_happen_and_the_card_is_discarded() -> None:
    """Fidel, starred and of the opponent: no Cuba, and it is not removed."""
    play = given(table(us_hand=("fidel",)), do=PlayCard(US)).when(US, "space:fidel")
    play.then(CardPlayed(US, "fidel", "space", US)).when("chance", "6").then(
        SpaceRolled(US, "fidel", 1, 6, 3), CardPutAway("fidel", "discards")
    )
    play.has(influence={US: {}, USSR: {}}, space={US: 0, USSR: 0}, removed=())


@pytest.mark.parametrize(("roll", "reached"), [("3", 1), ("4", 0)])
def test_6_4_1_a_roll_within_the_range_advances(roll: str, reached: int) -> None:
    """Box 1 asks for 1 to 3."""
    given(table(), do=RollSpace(US, "fidel")).when("chance", roll).has(space={US: reached, USSR: 0})


@pytest.mark.parametrize(
    ("box", "needed", "best"),
    [(1, 2, 3), (2, 2, 4), (3, 2, 3), (4, 2, 4), (5, 3, 3), (6, 3, 4), (7, 3, 3), (8, 4, 2)],
)
def test_6_4_1_what_each_box_asks(box: int, needed: int, best: int) -> None:
    """The value of the card, and the highest roll that succeeds."""
    s = table(space={US: box - 1, USSR: 0})
    assert not may_space(s, US, Ops("any", needed - 1))
    assert may_space(s, US, Ops("any", needed))
    given(s, do=RollSpace(US, "any")).when("chance", str(best)).has(space={US: box, USSR: 0})
    given(s, do=RollSpace(US, "any")).when("chance", str(best + 1)).has(space={US: box - 1, USSR: 0})


def test_7_4_2_the_modified_value_counts() -> None:
    """Purge keeps a card of 2 from box 1; Containment lets a card of 1 go there."""
    purged = table(us_hand=("independent_reds",), effects=(("red_scare_purge", US),))
    given(purged, do=PlayCard(US)).refuses(US, "space:independent_reds")
    raised = table(us_hand=("truman_doctrine",), effects=(("containment", US),))
    given(raised, do=PlayCard(US)).when(US, "space:truman_doctrine")


def test_the_bonus_of_a_region_does_not_reach_into_space() -> None:
    """Vietnam Revolts is for Southeast Asia, the fifth point of the China Card, here a fourth, for Asia."""
    s = table(effects=(("vietnam_revolts", USSR),))
    assert not may_space(s, USSR, Ops("nasser", 1))
    purged = table(space={US: 0, USSR: 7}, effects=(("red_scare_purge", USSR),))
    assert not may_space(purged, USSR, Ops("china_card", 4))


def test_scoring_cards_do_not_go_into_space() -> None:
    given(table(us_hand=("asia_scoring",)), do=PlayCard(US)).refuses(US, "space:asia_scoring")


# --------------------------------------------------------------------------- 6.4.2: how many


def test_6_4_2_one_card_a_turn_successful_or_not() -> None:
    s = table(us_hand=("fidel", "comecon"))
    turn = given(s, do=(PlayCard(US), PlayCard(US))).when(US, "space:fidel").when("chance", "6")
    turn.has(spaced={US: 1, USSR: 0}).refuses(US, "space:comecon")


def test_6_4_2_each_side_has_its_own_count() -> None:
    s = table(phasing=USSR, spaced={US: 1, USSR: 0}, ussr_hand=("fidel",))
    given(s, do=PlayCard(USSR)).when(USSR, "space:fidel")


def test_6_4_2_an_advance_by_an_event_is_no_card_of_the_turn() -> None:
    """Captured Nazi Scientist and then the Space Race."""
    s = table(us_hand=("captured_nazi_scientist", "fidel"))
    turn = given(s, do=(PlayCard(US), PlayCard(US))).when(US, "event:captured_nazi_scientist")
    turn.includes(SpaceSet(US, 1), ScoreMoved(US, 2, 2, "captured_nazi_scientist"))
    turn.when(US, "space:fidel")


@pytest.mark.parametrize(("us", "ussr", "second"), [(2, 1, True), (2, 2, False), (3, 0, True), (1, 0, False)])
def test_6_4_4_box_2_allows_a_second_card_while_the_other_is_not_there(
    us: int, ussr: int, second: bool
) -> None:
    s = table(space={US: us, USSR: ussr}, spaced={US: 1, USSR: 0})
    assert may_space(s, US, Ops("nato", 4)) is second
    third = table(space={US: us, USSR: ussr}, spaced={US: 2, USSR: 0})
    assert not may_space(third, US, Ops("nato", 4))


# --------------------------------------------------------------------------- 6.4.3: points


@pytest.mark.parametrize(
    ("box", "first", "second"), [(1, 2, 1), (3, 2, 0), (5, 3, 1), (7, 4, 2), (8, 2, 0), (2, 0, 0), (6, 0, 0)]
)
def test_6_4_3_points_for_the_first_and_the_second(box: int, first: int, second: int) -> None:
    """Scored at once; where there are none no marker moves."""
    s = table(space={US: box - 1, USSR: box - 1})
    race = given(s, do=RollSpace(US, "any")).when("chance", "1").has(vp=first)
    given(race.table, do=RollSpace(USSR, "any")).when("chance", "1").has(vp=first - second)


# --------------------------------------------------------------------------- 6.4.4: abilities


@pytest.mark.parametrize("box", [2, 4, 6, 8])
def test_6_4_4_an_ability_is_with_the_first_until_the_other_arrives(box: int) -> None:
    """It does not go over to the second, nor come back."""
    alone = table(space={US: box, USSR: box - 1})
    assert (holds_box(alone, US, box), holds_box(alone, USSR, box)) == (True, False)
    both = fold(alone, [SpaceSet(USSR, box)])
    assert (holds_box(both, US, box), holds_box(both, USSR, box)) == (False, False)
    passed = fold(both, [SpaceSet(US, min(8, box + 1))])
    assert not holds_box(passed, US, box)


def test_6_4_4_abilities_add_up() -> None:
    s = table(turn=8, space={US: 8, USSR: 1})
    assert [box for box in (2, 4, 6, 8) if holds_box(s, US, box)] == [2, 4, 6, 8]
    assert (has_eighth(s, US), has_eighth(s, USSR)) == (True, False)


def test_optional_a_card_goes_into_space_without_a_roll() -> None:
    """An optional rule of both books: it counts as the card of the turn."""
    s = table(us_hand=("fidel",), options={"space_without_roll": True})
    play = given(s, do=PlayCard(US)).when(US, "space:fidel").asks(US, "roll", "none").when(US, "none")
    play.then(SpaceDeclined(US, "fidel"), CardPutAway("fidel", "discards")).has(spaced={US: 1, USSR: 0})
    roll = given(s, do=PlayCard(US)).when(US, "space:fidel").when(US, "roll").asks("chance")
    roll.when("chance", "1").has(space={US: 1, USSR: 0})
