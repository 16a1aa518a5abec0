"""What may be played in an action round: scoring cards under pressure, traps, debts, the eighth round."""

from __future__ import annotations

import pytest

from domain.twilight_struggle.facts.board import InfluenceSet
from domain.twilight_struggle.facts.cards import CardPlayed, CardPutAway
from domain.twilight_struggle.facts.flow import (
    EventBegan,
    HandsChecked,
    HeldCardsShown,
    RoundBegan,
    RoundPassed,
    TrapRolled,
)
from domain.twilight_struggle.facts.tracks import SpaceRolled
from domain.twilight_struggle.rules.hand import plays, rounds_left
from domain.twilight_struggle.steps.flow import Act, CheckHands, Round
from domain.twilight_struggle.steps.play import PlayCard
from tests.domain.twilight_struggle.table import US, USSR, table
from tests.scenario import given

# --------------------------------------------------------------------------- own and enemy events


def test_5_2_a_card_of_the_opponent_is_never_the_event_alone() -> None:
    """Operations first or event first, or the Space Race; nothing else."""
    s = table(phasing=USSR, china=US, us={"iran": 1}, ussr_hand=("containment",))
    given(s, do=PlayCard(USSR)).asks(
        USSR,
        "event_first:containment",
        "influence:containment",
        "coup:containment",
        "realign:containment",
        "space:containment",
    )


def test_5_2_event_first_then_the_operations_of_the_same_card() -> None:
    """Fidel played by the US: the USSR has Cuba, and then the US places 2 influence."""
    s = table(us={"canada": 1}, us_hand=("fidel",))
    play = (
        given(s, do=PlayCard(US))
        .when(US, "event_first:fidel")
        .then(
            CardPlayed(US, "fidel", "event_first", US),
            EventBegan("fidel", USSR),
            InfluenceSet(USSR, "cuba", 3, 3),
            CardPutAway("fidel", "removed"),
        )
    )
    play.when(US, "influence").when(US, "canada").when(US, "canada").asks_nobody()
    play.has(removed=("fidel",), discards=(), playing=())


def test_5_2_with_operations_first_the_condition_is_checked_afterwards() -> None:
    """Special Relationship: the USSR breaks the control of the United Kingdom first: no event."""
    s = table(phasing=USSR, us={"united_kingdom": 5}, ussr={"france": 1}, ussr_hand=("special_relationship",))
    play = given(s, do=PlayCard(USSR)).when(USSR, "influence:special_relationship")
    play.when(USSR, "united_kingdom").has(removed=(), discards=("special_relationship",), vp=0)


def test_5_2_a_neutral_card_is_event_or_operations() -> None:
    """For Operations its event does not happen."""
    s = table(us={"canada": 1}, us_hand=("captured_nazi_scientist",))
    play = given(s, do=PlayCard(US)).when(US, "influence:captured_nazi_scientist").when(US, "canada")
    play.has(space={US: 0, USSR: 0}, discards=("captured_nazi_scientist",))


def test_un_intervention_has_no_event_of_its_own() -> None:
    """Alone it is a card of 1; with a card of the opponent it cancels the event."""
    s = table(us={"canada": 1}, us_hand=("un_intervention", "comecon"))
    play = given(s, do=PlayCard(US)).refuses(US, "event:un_intervention")
    play.when(US, "cancel:comecon").when(US, "influence")
    play.when(US, "canada").when(US, "canada").when(US, "canada").has(
        discards=("un_intervention", "comecon"), influence={US: {"canada": 4}, USSR: {}}
    )


# --------------------------------------------------------------------------- scoring cards


@pytest.mark.parametrize(("turn", "round_", "left"), [(1, 1, 6), (1, 6, 1), (4, 1, 7), (4, 7, 1)])
def test_rounds_left_this_one_included(turn: int, round_: int, left: int) -> None:
    assert rounds_left(table(turn=turn, round=round_), US) == left


def test_a_scoring_card_may_be_played_in_any_round() -> None:
    s = table(round=2, us_hand=("asia_scoring", "nato"))
    given(s, do=PlayCard(US)).when(US, "event:asia_scoring")


def test_a_scoring_card_has_no_operations() -> None:
    assert plays(table(us_hand=("asia_scoring",)), US) == ("event:asia_scoring",)


@pytest.mark.parametrize(("round_", "free"), [(4, True), (5, False), (6, False)])
def test_two_scoring_cards_take_the_last_two_rounds(round_: int, free: bool) -> None:
    """With two of them in hand the fifth of six rounds leaves no choice but between the two."""
    s = table(turn=1, round=round_, us_hand=("asia_scoring", "europe_scoring", "nato"))
    assert ("influence:nato" in plays(s, US)) is free
    assert {"event:asia_scoring", "event:europe_scoring"} <= set(plays(s, US))


def test_in_the_last_round_the_scoring_card_must_be_played() -> None:
    s = table(turn=4, round=7, china=US, us_hand=("asia_scoring", "nato", "un_intervention", "fidel"))
    given(s, do=PlayCard(US)).asks(US, "event:asia_scoring")


def test_10_1_5_a_trap_does_not_make_a_player_hold_a_scoring_card() -> None:
    """Quagmire asks for NATO; the last round belongs to the scoring card."""
    s = table(turn=1, round=6, us_hand=("asia_scoring", "nato"), beside=("quagmire",))
    given(s, do=PlayCard(US)).asks(US, "event:asia_scoring")


def test_10_1_5_a_debt_does_not_make_a_player_hold_a_scoring_card() -> None:
    """Missile Envy waits for the next turn (FAQ 4.2)."""
    s = table(turn=4, round=7, us_hand=("asia_scoring", "missile_envy"), envy=US)
    play = given(s, do=PlayCard(US)).asks(US, "event:asia_scoring").when(US, "event:asia_scoring")
    play.has(envy=US, hands={US: ("missile_envy",), USSR: ()})


def test_10_1_5_an_ordered_hand_does_not_make_a_player_hold_a_scoring_card() -> None:
    """Aldrich Ames of the 2nd edition put NATO first."""
    s = table(
        edition="second", turn=8, round=7, us_hand=("nato", "asia_scoring"), order=("nato", "asia_scoring")
    )
    given(s, do=PlayCard(US)).asks(US, "event:asia_scoring")


def test_five_year_plan_may_get_rid_of_the_last_scoring_card() -> None:
    """The USSR plays it with no other card in hand: the scoring card is drawn for certain."""
    s = table(turn=1, round=6, phasing=USSR, ussr_hand=("asia_scoring", "five_year_plan"))
    play = given(s, do=PlayCard(USSR)).asks(
        USSR, "event:asia_scoring", "event_first:five_year_plan", "influence:five_year_plan"
    )
    play.when(USSR, "event_first:five_year_plan").when("chance", "asia_scoring")
    play.has(discards=("asia_scoring", "five_year_plan"), hands={US: (), USSR: ()})


def test_five_year_plan_may_be_played_where_it_could_miss() -> None:
    """No rule forbids a card that may take the scoring card away; who still holds it then has lost (11.2)."""
    s = table(turn=1, round=6, phasing=USSR, ussr_hand=("asia_scoring", "five_year_plan", "nasser"))
    play = given(s, do=PlayCard(USSR)).asks(
        USSR, "event:asia_scoring", "event_first:five_year_plan", "influence:five_year_plan"
    )
    play.when(USSR, "event_first:five_year_plan").when("chance", "nasser")


def test_aldrich_ames_may_be_played_in_the_last_round_though_a_scoring_card_is_due() -> None:
    """Its event lets the USSR discard a card of the US hand: perhaps the scoring card."""
    s = table(turn=8, round=7, us_hand=("asia_scoring", "aldrich_ames_remix", "nato"))
    options = plays(s, US)
    assert "event_first:aldrich_ames_remix" in options
    assert "event:asia_scoring" in options
    assert not [option for option in options if option.startswith("space:") or option.endswith(":nato")]


@pytest.mark.parametrize(("holder", "winner"), [(US, USSR), (USSR, US)])
def test_a_held_scoring_card_loses(holder: str, winner: str) -> None:
    """4.5 D: it may never be held; shown, it loses, in a tournament or not."""
    hands = {**table().hands, holder: ("asia_scoring", "nato")}
    check = given(table(hands=hands), do=CheckHands())
    check.includes(HandsChecked((holder,)), HeldCardsShown(holder, ("asia_scoring", "nato")))
    result = check.table.result
    assert result is not None
    assert (result.winner, result.reason) == (winner, "held_scoring_card")


def test_11_held_cards_are_shown_in_a_tournament_only() -> None:
    s = table(us_hand=("nato",), ussr_hand=("fidel",))
    given(s, do=CheckHands()).then(HandsChecked(()))
    contested = table(us_hand=("nato",), ussr_hand=("fidel",), options={"tournament": True})
    shown = (HeldCardsShown(USSR, ("fidel",)), HeldCardsShown(US, ("nato",)))
    given(contested, do=CheckHands()).then(HandsChecked(()), *shown)


# --------------------------------------------------------------------------- traps


def test_a_trap_takes_the_whole_round() -> None:
    """The card goes without its event or Operations, whether the roll escapes or not."""
    s = table(us_hand=("fidel", "nasser"), beside=("quagmire",))
    play = given(s, do=PlayCard(US)).when(US, "discard:fidel").when("chance", "4")
    play.includes(TrapRolled(US, "quagmire", 4, True)).asks_nobody()
    play.has(beside=(), influence={US: {}, USSR: {}}, discards=("fidel",))


def test_a_trapped_player_without_a_fitting_card_plays_scoring_cards_or_passes() -> None:
    s = table(phasing=USSR, ussr_hand=("nasser", "asia_scoring"), beside=("bear_trap",), china=USSR)
    play = given(s, do=PlayCard(USSR)).asks(USSR, "event:asia_scoring", "pass")
    play.when(USSR, "pass").then(RoundPassed(USSR)).has(beside=("bear_trap",))


def test_the_trap_of_one_side_does_not_hold_the_other() -> None:
    s = table(phasing=USSR, ussr_hand=("fidel",), beside=("quagmire",))
    given(s, do=PlayCard(USSR)).when(USSR, "event:fidel")


# --------------------------------------------------------------------------- the eighth round


def test_6_4_4_box_8_brings_an_eighth_round() -> None:
    """After the seventh of both sides; it may be passed with cards in hand."""
    s = table(turn=8, space={US: 8, USSR: 7}, us_hand=("nato",), ussr_hand=("fidel",))
    act = given(s, do=Round(8)).includes(RoundBegan(8, US)).asks(US)
    act.when(US, "pass").includes(RoundPassed(US))


def test_the_eighth_round_is_lost_when_the_opponent_reaches_box_8() -> None:
    s = table(turn=8, space={US: 8, USSR: 8}, us_hand=("nato",))
    given(s, do=Act(8, US, extra=True)).then()


def test_north_sea_oil_brings_an_eighth_round_this_turn() -> None:
    s = table(turn=8, us_hand=("nato",), effects=(("north_sea_oil", US),))
    given(s, do=Act(8, US, extra=True)).then(RoundBegan(8, US)).asks(US)


def test_with_an_eighth_round_a_scoring_card_may_wait_for_it() -> None:
    """In the seventh round anything goes; in the eighth only the scoring card."""
    s = table(turn=8, round=7, space={US: 8, USSR: 0}, us_hand=("asia_scoring", "nato"))
    assert "influence:nato" in plays(s, US)
    last = table(turn=8, round=8, space={US: 8, USSR: 0}, us_hand=("asia_scoring", "nato"))
    given(last, do=PlayCard(US)).asks(US, "event:asia_scoring")


def test_the_last_box_needs_cards_of_4_and_ends_the_race() -> None:
    """6.4.6: after box 8 no more cards go there."""
    s = table(us_hand=("nato", "nuclear_test_ban", "comecon"), space={US: 7, USSR: 0})
    play = given(s, do=(PlayCard(US), PlayCard(US))).refuses(US, "space:comecon")
    play.when(US, "space:nato").when("chance", "2").includes(SpaceRolled(US, "nato", 8, 2, 2))
    play.has(space={US: 8, USSR: 0}).refuses(US, "space:nuclear_test_ban")
