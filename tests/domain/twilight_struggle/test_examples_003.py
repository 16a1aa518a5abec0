"""The printed examples of book 003 (Deluxe edition), each played out; the name tells the section.

The annotated tournament game of this book stands in `test_examples_003_game`.
"""

from __future__ import annotations

import pytest

from domain.twilight_struggle.facts.board import CoupRolled, InfluenceSet, RealignmentRolled
from domain.twilight_struggle.facts.cards import CardPlayed, CardPutAway, ChinaPassed
from domain.twilight_struggle.facts.flow import EffectBegan, EventBarred, EventBegan
from domain.twilight_struggle.facts.tracks import (
    DefconSet,
    MilitaryChecked,
    MilitarySet,
    RegionScored,
    ScoreMoved,
    SpaceRolled,
    SpaceSet,
    Tally,
)
from domain.twilight_struggle.rules.board import controls
from domain.twilight_struggle.rules.operations import cost
from domain.twilight_struggle.steps.flow import CheckMilitary, Headlines, Round
from domain.twilight_struggle.steps.hands import TakeCard
from domain.twilight_struggle.steps.operations import RollRealignment, RollSpace
from domain.twilight_struggle.steps.play import Event, PlayCard
from domain.twilight_struggle.steps.setup import PlaceExtra
from tests.domain.twilight_struggle.table import US, USSR, nuclear_war, resolving, table
from tests.scenario import given


@pytest.mark.parametrize(("own", "enemy", "expected"), [(4, 0, True), (4, 1, False), (5, 1, True)])
def test_book_003_2_1_7_control_of_israel(own: int, enemy: int, expected: bool) -> None:
    """Stability 4: not less than 4 influence, and at least 4 more than the opponent."""
    s = table(us={"israel": enemy}, ussr={"israel": own})
    assert controls(s, USSR, "israel") is expected


# --------------------------------------------------------------------------- 5: playing cards


def test_book_003_5_2_1_nato_without_alliance_is_discarded() -> None:
    """The USSR uses the 4 points; NATO does not happen and is not removed."""
    s = table(phasing=USSR, us={"iran": 1}, ussr_hand=("nato",))
    play = given(s, do=PlayCard(USSR)).when(USSR, "coup:nato").when(USSR, "iran").when("chance", "6")
    play.includes(
        InfluenceSet(USSR, "iran", 5, 5),
        EventBarred("nato", "needs_alliance"),
        CardPutAway("nato", "discards"),
    ).has(removed=(), beside=())


@pytest.mark.parametrize("alliance", ["marshall_plan", "warsaw_pact_formed"])
def test_book_003_5_2_1_either_alliance_opens_nato(alliance: str) -> None:
    """One of the two cards is enough."""
    s = resolving(table(phasing=USSR, beside=(alliance,)), "nato", USSR)
    given(s, do=Event(US, "nato")).then(EventBegan("nato", US), CardPutAway("nato", "beside"))


def test_book_003_5_2_2_war_forbidden_by_camp_david() -> None:
    """The US, which played Camp David in its previous round, uses the 2 points; the card is discarded."""
    s = table(ussr={"iran": 1}, us_hand=("arab_israeli_war",), beside=("camp_david_accords",))
    play = (
        given(s, do=PlayCard(US))
        .when(US, "event_first:arab_israeli_war")
        .then(
            CardPlayed(US, "arab_israeli_war", "event_first", US),
            EventBarred("arab_israeli_war", "camp_david_accords"),
            CardPutAway("arab_israeli_war", "discards"),
        )
    )
    play.when(US, "coup").when(US, "iran").includes(MilitarySet(US, 2))


def test_book_003_5_2_3_alliance_for_progress_without_effect_is_removed() -> None:
    """The US controls no battleground of Central or South America: no points, but the event has happened."""
    s = table(phasing=USSR, us={"panama": 1, "haiti": 1}, ussr_hand=("alliance_for_progress",))
    play = given(s, do=PlayCard(USSR)).when(USSR, "influence:alliance_for_progress")
    play.when(USSR, "finland").when(USSR, "finland").when(USSR, "finland").then(
        InfluenceSet(USSR, "finland", 1, 3),
        EventBegan("alliance_for_progress", US),
        CardPutAway("alliance_for_progress", "removed"),
    ).has(vp=0)


def test_book_003_5_2_4_star_wars_needs_the_lead() -> None:
    """The US is behind on the Space Race: no event, and the card goes to the discards."""
    s = table(phasing=USSR, turn=8, space={US: 2, USSR: 4}, ussr_hand=("star_wars",), discards=("fidel",))
    play = given(s, do=PlayCard(USSR)).when(USSR, "influence:star_wars").when(USSR, "finland")
    play.when(USSR, "finland").has(
        discards=("fidel", "star_wars"), removed=(), influence={US: {}, USSR: {"finland": 2}}
    )
    assert [type(fact) for fact in play.facts] == [InfluenceSet, EventBarred, CardPutAway]


def test_book_003_5_3_any_card_of_more_than_2_satisfies_quagmire() -> None:
    """A card of 4 and one of 3 will do; a scoring card and a card of 1 will not."""
    s = table(us_hand=("nato", "comecon", "asia_scoring", "nasser"), beside=("quagmire",))
    play = given(s, do=PlayCard(US)).asks(US, "discard:nato", "discard:comecon")
    play.when(US, "discard:nato").includes(CardPutAway("nato", "discards")).asks("chance")
    play.when("chance", "4").has(beside=())


# --------------------------------------------------------------------------- 6: Operations


def test_book_003_6_1_2_four_points_against_turkey() -> None:
    """Turkey with 2 US influence takes 2 points for the first marker and 1 for each of the others."""
    s = table(
        phasing=USSR, us={"turkey": 2}, ussr={"syria": 1}, ussr_hand=("un_intervention", "red_scare_purge")
    )
    play = given(s, do=PlayCard(USSR)).when(USSR, "influence:red_scare_purge").when(USSR, "turkey")
    assert cost(play.table, USSR, "turkey") == 1
    play.when(USSR, "turkey").when(USSR, "turkey").includes(CardPutAway("red_scare_purge", "discards"))
    play.has(influence={US: {"turkey": 2}, USSR: {"syria": 1, "turkey": 3}})


@pytest.mark.parametrize(
    ("side", "country", "points"),
    [
        (USSR, "turkey", 2),
        (USSR, "greece", 2),
        (US, "syria", 2),
        (US, "lebanon", 2),
        (US, "turkey", 1),
        (USSR, "syria", 1),
        (US, "romania", 1),
        (USSR, "bulgaria", 1),
    ],
)
def test_book_003_6_1_2_the_picture_of_six_countries(side: str, country: str, points: int) -> None:
    """The US controls Turkey and Greece, the USSR Syria and Lebanon, no side Romania and Bulgaria."""
    s = table(
        us={"turkey": 2, "greece": 2, "romania": 1},
        ussr={"syria": 2, "lebanon": 1, "bulgaria": 2, "romania": 1},
    )
    assert cost(s, side, country) == points


def test_book_003_6_1_3_new_markers_open_no_further_country() -> None:
    """From Panama and South Korea: Costa Rica and Colombia, not Nicaragua after Costa Rica."""
    s = table(us={"panama": 1, "south_korea": 1}, us_hand=("containment",))
    play = given(s, do=PlayCard(US)).when(US, "influence:containment").when(US, "costa_rica")
    play.refuses(US, "nicaragua").when(US, "taiwan").refuses(US, "nicaragua")
    play.when(US, "north_korea").includes(InfluenceSet(US, "north_korea", 1, 1))


def test_book_003_6_2_2_realignment_of_north_korea() -> None:
    """The USSR rolls 2, with +2 a 4; the US rolls 5: the USSR loses 1."""
    given(table(ussr={"north_korea": 3}), do=RollRealignment(US, "north_korea")).when("chance", "52").then(
        RealignmentRolled(US, "north_korea", {US: 5, USSR: 2}, {US: 0, USSR: 2}),
        InfluenceSet(USSR, "north_korea", -1, 2),
    )


def test_book_003_6_3_3_coup_in_mexico() -> None:
    """First 3 Military Operations; then 4 + 3 - 2 x 2 = 3: two markers go, one comes."""
    s = table(ussr={"mexico": 2}, us_hand=("suez_crisis",))
    play = given(s, do=PlayCard(US)).when(US, "coup:suez_crisis").when(US, "mexico")
    play.then(MilitarySet(US, 3), DefconSet(5, 4)).when("chance", "4").includes(
        CoupRolled(US, "mexico", 4, 3, 0, 2, 3),
        InfluenceSet(USSR, "mexico", -2, 0),
        InfluenceSet(US, "mexico", 1, 1),
    )


def test_book_003_6_4_3_a_box_with_3_1() -> None:
    """The fifth: 3 points for the first who comes there, 1 for the second."""
    first = given(table(space={US: 4, USSR: 4}), do=RollSpace(USSR, "comecon")).when("chance", "3")
    first.then(SpaceRolled(USSR, "comecon", 5, 3, 3), SpaceSet(USSR, 5), ScoreMoved(USSR, 3, -3, "space"))
    given(first.table, do=RollSpace(US, "nato")).when("chance", "3").includes(ScoreMoved(US, 1, -2, "space"))


def test_book_003_6_4_4_box_2_then_box_4() -> None:
    """In box 2 two cards a turn; in box 4, before the US is in box 2, the US chooses its headline first."""
    s = table(
        phasing=USSR,
        space={US: 1, USSR: 3},
        spaced={US: 0, USSR: 1},
        us_hand=("nasser",),
        ussr_hand=("comecon", "fidel", "blockade"),
    )
    turn = given(s, do=(PlayCard(USSR), PlayCard(USSR))).when(USSR, "space:comecon")
    turn.when("chance", "4").has(space={US: 1, USSR: 4}, spaced={US: 0, USSR: 2}).refuses(USSR, "space:fidel")
    headline = given(turn.table, do=Headlines()).asks(US, "nasser").refuses(USSR, "blockade")
    headline.when(US, "nasser").asks(USSR, "fidel", "blockade")


# --------------------------------------------------------------------------- 7: events


def test_book_003_7_4_purge_and_vietnam_revolts_cancel_out_in_southeast_asia() -> None:
    """The China Card is worth 5 there: the bonus of 1 and the loss of 1 leave its own 4 + 1."""
    s = table(phase="headline", us_hand=("red_scare_purge",), ussr_hand=("vietnam_revolts", "nasser"))
    turn = given(s, do=(Headlines(), Round(1))).when(US, "red_scare_purge").when(USSR, "vietnam_revolts")
    turn.includes(EffectBegan("red_scare_purge", USSR), EffectBegan("vietnam_revolts", USSR))
    turn.when(USSR, "influence:china_card")
    for country in ("vietnam", "laos_cambodia", "thailand", "laos_cambodia"):
        turn.when(USSR, country)
    turn.when(USSR, "thailand").includes(InfluenceSet(USSR, "thailand", 1, 2), ChinaPassed(US, False))


def test_book_003_7_4_1_brezhnev_does_not_go_with_the_card() -> None:
    """Grain Sales: the card taken from the USSR is worth no more than is printed on it."""
    s = table(us={"canada": 1}, ussr_hand=("nasser",), effects=(("brezhnev_doctrine", USSR),))
    taken = given(s, do=TakeCard(USSR, "grain_sales_to_soviets")).when("chance", "nasser")
    taken.when(US, "influence:nasser").when(US, "canada").includes(
        InfluenceSet(US, "canada", 1, 2), EventBegan("nasser", USSR)
    )


def test_book_003_7_4_2_1_purge_weakens_a_coup_and_its_military_operations() -> None:
    """A card of 2: 1 on the die, and 1 Military Operation."""
    s = table(ussr={"iran": 1}, us_hand=("fidel",), effects=(("red_scare_purge", US),))
    play = given(s, do=PlayCard(US)).when(US, "coup:fidel").when(US, "iran")
    play.then(MilitarySet(US, 1), DefconSet(5, 4))
    play.when("chance", "3").includes(CoupRolled(US, "iran", 3, 1, 0, 2, 0))


def test_book_003_7_4_2_2_brezhnev_lets_a_card_of_1_answer_the_bear_trap() -> None:
    """2 points are demanded; without Brezhnev Doctrine the card of 1 would not do."""
    plain = table(phasing=USSR, ussr_hand=("nasser",), beside=("bear_trap",))
    given(plain, do=PlayCard(USSR)).asks(USSR, "pass")
    raised = table(
        phasing=USSR, ussr_hand=("nasser",), beside=("bear_trap",), effects=(("brezhnev_doctrine", USSR),)
    )
    given(raised, do=PlayCard(USSR)).asks(USSR, "discard:nasser")


def test_book_003_7_4_2_3_containment_makes_cia_created_worth_2() -> None:
    """2 points instead of 1, here for a Coup."""
    s = table(ussr={"iran": 1}, effects=(("containment", US),))
    event = given(resolving(s, "cia_created", US), do=Event(US, "cia_created")).when(US, "coup")
    event.when(US, "iran").then(MilitarySet(US, 2), DefconSet(5, 4))


# --------------------------------------------------------------------------- 8: DEFCON, Military Operations


def test_book_003_8_1_3_olympic_boycott_at_defcon_2() -> None:
    """It happened in the round of the US, so the US loses."""
    s = resolving(table(defcon=2), "olympic_games", US)
    given(s, do=Event(US, "olympic_games")).when(USSR, "boycott").includes(DefconSet(2, 1), nuclear_war(USSR))


def test_book_003_8_2_1_two_military_operations_at_defcon_4() -> None:
    """The US lacks 2, the USSR nothing: 2 points for the USSR."""
    given(table(defcon=4, military={US: 2, USSR: 5}), do=CheckMilitary()).then(
        MilitaryChecked(4, {US: 2, USSR: 0}), ScoreMoved(USSR, 2, -2, "military_operations")
    )


def test_book_003_8_2_4_the_arab_israeli_war_played_by_the_us() -> None:
    """The event happens, and the USSR has 2 Military Operations, win or lose."""
    s = table(us_hand=("arab_israeli_war",))
    play = given(s, do=PlayCard(US)).when(US, "event_first:arab_israeli_war")
    play.includes(EventBegan("arab_israeli_war", USSR), MilitarySet(USSR, 2))
    play.when("chance", "1").has(military={US: 0, USSR: 2}).asks(US)


# --------------------------------------------------------------------------- 10: points


def test_book_003_10_1_2_central_america() -> None:
    """Domination, Cuba as battleground and as neighbour of the US: 5, less 1 for Presence."""
    s = table(
        phasing=USSR,
        us={"guatemala": 1, "panama": 1},
        ussr={"cuba": 3, "haiti": 1, "dominican_republic": 1},
        ussr_hand=("central_america_scoring",),
    )
    given(s, do=PlayCard(USSR)).when(USSR, "event:central_america_scoring").includes(
        RegionScored(
            "central_america",
            Tally("presence", 1, ("guatemala",)),
            Tally("domination", 5, ("cuba", "haiti", "dominican_republic"), ("cuba",), ("cuba",)),
            -4,
        ),
        ScoreMoved(USSR, 4, -4, "central_america"),
    )


def test_book_003_10_2_1_zero_is_a_box() -> None:
    """USSR 1, and 2 points for the US: US 1."""
    s = resolving(table(vp=-1, defcon=4), "duck_and_cover", US)
    given(s, do=Event(US, "duck_and_cover")).includes(ScoreMoved(US, 2, 1, "duck_and_cover"))


def test_book_003_10_2_2_points_of_the_other_side_move_the_marker_back() -> None:
    """US 10, and 2 points for the USSR: US 8."""
    s = table(phasing=USSR, vp=10, defcon=4, ussr_hand=("nuclear_test_ban",))
    given(s, do=PlayCard(USSR)).when(USSR, "event:nuclear_test_ban").has(vp=8)


# --------------------------------------------------------------------------- 11: bids


def test_book_003_11_4_1_extra_influence_up_to_2_more_than_control() -> None:
    """Stability 3, US 3, USSR 1: control takes 4, so the US may have 6 there and not more."""
    s = table(us={"south_korea": 3, "japan": 1}, ussr={"south_korea": 1})
    extra = given(s, do=PlaceExtra(US, "bid", 5, 5))
    extra.when(US, "south_korea").when(US, "south_korea").when(US, "south_korea")
    extra.has(influence={US: {"south_korea": 6, "japan": 1}, USSR: {"south_korea": 1}})
    extra.asks(US, "japan").refuses(US, "south_korea")
