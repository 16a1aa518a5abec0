"""The printed examples of book 000 (2nd edition), each played out; the name tells the section."""

from __future__ import annotations

from typing import Any

import pytest

from domain.kernel import Ended
from domain.twilight_struggle.components import SPACE
from domain.twilight_struggle.facts.board import CoupRolled, InfluenceSet, RealignmentRolled
from domain.twilight_struggle.facts.cards import CardPlayed, CardPutAway, ChinaPassed
from domain.twilight_struggle.facts.flow import EventBarred, EventBegan, TrapRolled
from domain.twilight_struggle.facts.tracks import DefconSet, MilitarySet, ScoreMoved
from domain.twilight_struggle.rules.board import controls
from domain.twilight_struggle.rules.operations import LOCKED
from domain.twilight_struggle.rules.scoring import scored
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.flow import Act, CheckMilitary, Headlines
from domain.twilight_struggle.steps.operations import RollSpace
from domain.twilight_struggle.steps.play import Event, PlayCard, PlayTaken
from tests.domain.twilight_struggle.table import US, USSR, nuclear_war, resolving, table
from tests.scenario import given


def second(**fields: Any) -> State:
    """A table of the 2nd edition."""
    return table(edition="second", **fields)


@pytest.mark.parametrize(
    ("own", "enemy", "expected"), [(4, 0, True), (3, 0, False), (5, 1, True), (5, 2, False), (6, 2, True)]
)
def test_book_000_2_1_7_control_of_israel(own: int, enemy: int, expected: bool) -> None:
    """Stability 4: at least 4 influence, and at least 4 more than the opponent."""
    assert controls(second(us={"israel": own}, ussr={"israel": enemy}), US, "israel") is expected


# --------------------------------------------------------------------------- 5: playing cards


def test_book_000_5_2_1_nato_without_alliance_is_discarded() -> None:
    """The USSR has the 4 points, the US no event; the starred card stays in the game."""
    s = second(phasing=USSR, ussr={"finland": 1}, ussr_hand=("nato",))
    play = given(s, do=PlayCard(USSR)).when(USSR, "influence:nato")
    for country in ("finland", "finland", "poland"):
        play.when(USSR, country)
    play.when(USSR, "romania").then(
        InfluenceSet(USSR, "romania", 1, 1),
        EventBarred("nato", "needs_alliance"),
        CardPutAway("nato", "discards"),
    )


def test_book_000_5_2_2_war_forbidden_by_camp_david() -> None:
    """The US has its 2 points; the war is not fought, and the card stays in the game."""
    s = second(us={"egypt": 1}, us_hand=("arab_israeli_war",), beside=("camp_david_accords",))
    play = given(s, do=PlayCard(US)).when(US, "influence:arab_israeli_war").when(US, "egypt")
    play.when(US, "israel").then(
        InfluenceSet(US, "israel", 1, 1),
        EventBarred("arab_israeli_war", "camp_david_accords"),
        CardPutAway("arab_israeli_war", "discards"),
    ).has(military={US: 0, USSR: 0})


def test_book_000_5_2_3_alliance_for_progress_without_effect_is_removed() -> None:
    """Without a US battleground in America nothing is gained; the event has happened all the same."""
    s = second(phasing=USSR, us={"panama": 1}, ussr_hand=("alliance_for_progress",))
    play = given(s, do=PlayCard(USSR)).when(USSR, "event_first:alliance_for_progress")
    play.then(
        CardPlayed(USSR, "alliance_for_progress", "event_first", USSR),
        EventBegan("alliance_for_progress", US),
        CardPutAway("alliance_for_progress", "removed"),
    ).asks(USSR)


def test_book_000_5_2_4_star_wars_needs_the_lead() -> None:
    """The book prints that the US is ahead, which is a misprint: it is not, and nothing happens."""
    s = second(
        phasing=USSR,
        turn=8,
        ussr_hand=("star_wars",),
        space={US: 3, USSR: 3},
        spaced={US: 0, USSR: 1},
        discards=("asia_scoring", "fidel"),
    )
    play = given(s, do=PlayCard(USSR)).when(USSR, "event_first:star_wars")
    play.has(discards=("asia_scoring", "fidel", "star_wars"), removed=()).asks(USSR)
    assert [type(fact) for fact in play.facts] == [CardPlayed, EventBarred, CardPutAway]


def test_book_000_5_3_a_card_of_3_satisfies_quagmire() -> None:
    """2 are demanded; a card of 3 will do, a card of 1 will not."""
    s = second(us_hand=("containment", "fidel", "truman_doctrine"), beside=("quagmire",))
    play = given(s, do=PlayCard(US)).asks(US, "discard:containment", "discard:fidel")
    play.when(US, "discard:containment").then(
        CardPlayed(US, "containment", "discard", US), CardPutAway("containment", "discards")
    )
    play.when("chance", "5").then(TrapRolled(US, "quagmire", 5, False)).asks_nobody()


# --------------------------------------------------------------------------- 6: Operations


def test_book_000_6_1_2_cost_of_enemy_control() -> None:
    """Turkey with 2 US influence: the first marker costs 2 of the 4 points, the next two 1 each."""
    s = second(phasing=USSR, us={"turkey": 2}, ussr={"bulgaria": 1}, ussr_hand=("red_scare_purge",))
    play = given(s, do=PlayCard(USSR)).when(USSR, "influence:red_scare_purge")
    play.when(USSR, "turkey").when(USSR, "turkey").when(USSR, "turkey").then(
        InfluenceSet(USSR, "turkey", 1, 3), CardPutAway("red_scare_purge", "discards")
    )


def test_book_000_6_1_2_no_control_no_extra_cost() -> None:
    """Turkey with 1 US influence: all four markers cost 1."""
    s = second(phasing=USSR, us={"turkey": 1}, ussr={"bulgaria": 1}, ussr_hand=("red_scare_purge",))
    play = given(s, do=PlayCard(USSR)).when(USSR, "influence:red_scare_purge")
    for _ in range(3):
        play.when(USSR, "turkey")
    play.when(USSR, "turkey").then(
        InfluenceSet(USSR, "turkey", 1, 4), CardPutAway("red_scare_purge", "discards")
    )


def test_book_000_6_1_3_new_markers_open_no_further_country() -> None:
    """From Panama: Costa Rica and Colombia, but not on to Nicaragua; the last point goes to South Korea."""
    s = second(us={"panama": 1, "south_korea": 1}, us_hand=("containment",))
    play = given(s, do=PlayCard(US)).when(US, "influence:containment").when(US, "costa_rica")
    play.refuses(US, "nicaragua").when(US, "colombia").refuses(US, "nicaragua")
    play.when(US, "south_korea").then(
        InfluenceSet(US, "south_korea", 1, 2), CardPutAway("containment", "discards")
    )


def test_book_000_6_2_2_realignment_of_north_korea() -> None:
    """5 against 2, with +2 for the USSR (its superpower adjacent, more influence): it loses 1 of 3."""
    s = second(ussr={"north_korea": 3}, us_hand=("truman_doctrine",))
    play = given(s, do=PlayCard(US)).when(US, "realign:truman_doctrine").when(US, "north_korea")
    play.when("chance", "52").then(
        RealignmentRolled(US, "north_korea", {US: 5, USSR: 2}, {US: 0, USSR: 2}),
        InfluenceSet(USSR, "north_korea", -1, 2),
        CardPutAway("truman_doctrine", "discards"),
    )


def test_book_000_6_3_3_coup_in_mexico() -> None:
    """4 + 3 - 4 = 3: the USSR loses 2, the US places 1; 3 Military Operations."""
    s = second(ussr={"mexico": 2}, us_hand=("containment",))
    play = given(s, do=PlayCard(US)).when(US, "coup:containment")
    play.when(US, "mexico").then(MilitarySet(US, 3), DefconSet(5, 4))
    play.when("chance", "4").then(
        CoupRolled(US, "mexico", 4, 3, 0, 2, 3),
        InfluenceSet(USSR, "mexico", -2, 0),
        InfluenceSet(US, "mexico", 1, 1),
        CardPutAway("containment", "discards"),
    )


def test_book_000_6_4_3_lunar_orbit_gives_4_to_the_first_and_2_to_the_second() -> None:
    """The box with 4/2 is the seventh."""
    s = second(space={US: 6, USSR: 6})
    first = given(s, do=RollSpace(US, "containment")).when("chance", "1")
    first.includes(ScoreMoved(US, 4, 4, "space"))
    given(first.table, do=RollSpace(USSR, "fidel")).when("chance", "1").includes(
        ScoreMoved(USSR, 2, 2, "space")
    )
    assert (SPACE[7].vp_first, SPACE[7].vp_second) == (4, 2)


def test_book_000_6_4_4_box_2_allows_a_second_card_in_the_next_round() -> None:
    """The card that reached the box counts as the first of the two."""
    s = second(
        phasing=USSR, space={US: 0, USSR: 1}, ussr_hand=("fidel", "nasser", "comecon", "decolonization")
    )
    turn = given(s, do=(PlayCard(USSR), PlayCard(USSR), PlayCard(USSR)))
    turn.when(USSR, "space:fidel").when("chance", "4").has(space={US: 0, USSR: 2})
    turn.when(USSR, "space:comecon").when("chance", "6").has(spaced={US: 0, USSR: 2})
    turn.refuses(USSR, "space:decolonization")


def test_book_000_6_4_4_box_4_before_box_2_of_the_opponent_gives_both() -> None:
    """The USSR in box 4, the US in box 1: two cards a turn, and the US shows its headline first."""
    s = second(
        phasing=USSR,
        space={US: 1, USSR: 4},
        spaced={US: 0, USSR: 1},
        us_hand=("fidel",),
        ussr_hand=("comecon", "nasser"),
    )
    given(s, do=PlayCard(USSR)).when(USSR, "space:comecon")
    headline = given(s, do=Headlines()).asks(US, "fidel").refuses(USSR, "nasser")
    headline.when(US, "fidel").has(headlines={US: "fidel"}).asks(USSR, "comecon", "nasser")


# --------------------------------------------------------------------------- 7: events


def test_book_000_7_4_china_card_with_vietnam_revolts_and_purge() -> None:
    """4, and 1 for Asia, and 1 for Vietnam Revolts, less 1 for the Purge: 5 in Southeast Asia."""
    s = second(
        phase="headline",
        phasing=None,
        us_hand=("red_scare_purge",),
        ussr_hand=("vietnam_revolts", "nasser"),
    )
    turn = given(s, do=(Headlines(), Act(1, USSR)))
    turn.when(US, "red_scare_purge").when(USSR, "vietnam_revolts").when(USSR, "influence:china_card")
    for _ in range(4):
        turn.when(USSR, "vietnam")
    turn.when(USSR, "vietnam").then(InfluenceSet(USSR, "vietnam", 1, 7), ChinaPassed(US, False))


def test_book_000_7_4_1_brezhnev_does_not_go_with_the_card() -> None:
    """Grain Sales: the US plays a card of the USSR at its printed value."""
    s = second(us={"canada": 1}, ussr_hand=("decolonization",), effects=(("brezhnev_doctrine", USSR),))
    taken = given(s, do=PlayTaken(US, "decolonization", USSR)).when(US, "influence:decolonization")
    taken.when(US, "canada").when(US, "canada").includes(EventBegan("decolonization", USSR))


def test_book_000_7_4_2_1_purge_weakens_a_coup_and_its_military_operations() -> None:
    """A card of 2 adds 1 to the die, and brings 1 Military Operation."""
    s = second(ussr={"colombia": 1}, us_hand=("independent_reds",), effects=(("red_scare_purge", US),))
    play = given(s, do=PlayCard(US)).when(US, "coup:independent_reds")
    play.when(US, "colombia").then(MilitarySet(US, 1))
    play.when("chance", "2").includes(CoupRolled(US, "colombia", 2, 1, 0, 1, 1))


def test_book_000_7_4_2_2_brezhnev_lets_a_card_of_1_answer_the_bear_trap() -> None:
    """A card of 1 is worth 2."""
    s = second(
        phasing=USSR,
        ussr_hand=("captured_nazi_scientist", "blockade"),
        beside=("bear_trap",),
        effects=(("brezhnev_doctrine", USSR),),
    )
    play = given(s, do=PlayCard(USSR)).asks(USSR, "discard:captured_nazi_scientist", "discard:blockade")
    play.when(USSR, "discard:blockade").when("chance", "6").then(TrapRolled(USSR, "bear_trap", 6, False))


def test_book_000_7_4_2_3_containment_makes_cia_created_worth_2() -> None:
    """The Operations of the event are worth what the card is worth now."""
    s = second(us={"canada": 1}, effects=(("containment", US),))
    event = given(resolving(s, "cia_created", US), do=Event(US, "cia_created")).when(US, "influence")
    event.when(US, "canada").when(US, "canada").then(
        InfluenceSet(US, "canada", 1, 3), CardPutAway("cia_created", "removed")
    )


# --------------------------------------------------------------------------- 8: DEFCON, Military Operations


def test_book_000_8_1_3_olympic_boycott_at_defcon_2() -> None:
    """The USSR boycotts, DEFCON falls to 1, and the US, whose round it is, has lost."""
    play = given(second(us_hand=("olympic_games",), defcon=2), do=PlayCard(US))
    play.when(US, "event:olympic_games").when(USSR, "boycott").includes(DefconSet(2, 1), nuclear_war(USSR))
    assert isinstance(play.facts[-1], Ended)


def test_book_000_8_1_5_what_defcon_forbids() -> None:
    """The book prints this list upside down (level 1 without effect, level 5 the end of the game)."""
    assert LOCKED == {
        5: (),
        4: ("europe",),
        3: ("europe", "asia"),
        2: ("europe", "asia", "middle_east"),
        1: (),
    }


def test_book_000_8_2_1_two_military_operations_at_defcon_4() -> None:
    """The US falls 2 short: 2 points for the USSR, which has done enough."""
    s = second(turn=1, defcon=4, military={US: 2, USSR: 4})
    given(s, do=CheckMilitary()).has(vp=-2, military={US: 0, USSR: 0})


def test_book_000_8_2_4_the_arab_israeli_war_played_by_the_us() -> None:
    """The US uses the Operations; the USSR has its event and 2 Military Operations."""
    s = second(us={"egypt": 1}, us_hand=("arab_israeli_war",))
    play = given(s, do=PlayCard(US)).when(US, "influence:arab_israeli_war").when(US, "egypt")
    play.when(US, "egypt").then(
        InfluenceSet(US, "egypt", 1, 3),
        EventBegan("arab_israeli_war", USSR),
        MilitarySet(USSR, 2),
    ).asks("chance")


# --------------------------------------------------------------------------- 10: points


def test_book_000_10_1_2_central_america() -> None:
    """Domination 3, Cuba 1, Cuba next to the US 1: 5 against Presence 1, so 4 for the USSR."""
    s = second(
        phasing=USSR,
        us={"guatemala": 1, "panama": 1},
        ussr={"cuba": 3, "haiti": 1, "dominican_republic": 1},
    )
    working = scored(s, "central_america")
    assert (working.us.status, working.us.points) == ("presence", 1)
    assert (working.ussr.status, working.ussr.points) == ("domination", 5)
    assert (working.ussr.battlegrounds, working.ussr.adjacent) == (("cuba",), ("cuba",))
    assert working.net == -4


def test_book_000_10_2_1_zero_is_a_box() -> None:
    """From 1 of the USSR, 2 points of the US lead to 1 of the US."""
    s = resolving(second(vp=-1, defcon=4), "nuclear_test_ban", US)
    given(s, do=Event(US, "nuclear_test_ban")).includes(ScoreMoved(US, 2, 1, "nuclear_test_ban"))


def test_book_000_10_2_2_points_of_the_other_side_move_the_marker_back() -> None:
    """From 10 of the US, 2 points of the USSR lead to 8."""
    s = resolving(second(vp=10, defcon=4), "nuclear_test_ban", USSR)
    given(s, do=Event(USSR, "nuclear_test_ban")).includes(ScoreMoved(USSR, 2, 8, "nuclear_test_ban"))
