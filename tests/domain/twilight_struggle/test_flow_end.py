"""The end of a turn and of a match: Military Operations, box 6, 20 points, final scoring (8.2, 10.3)."""

from __future__ import annotations

from typing import Any

import pytest

from domain.kernel import Ended
from domain.twilight_struggle.facts.cards import CardDiscarded
from domain.twilight_struggle.facts.flow import EffectsLapsed, HeldCardsShown, TurnBegan
from domain.twilight_struggle.facts.tracks import MilitaryChecked, RegionScored, ScoreMoved
from domain.twilight_struggle.rules.operations import Ops
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.flow import Act, CheckMilitary, CloseTurn, EndTurn, FinalScoring
from domain.twilight_struggle.steps.operations import Coup
from domain.twilight_struggle.steps.play import Event, PassChina, PlayCard
from tests.domain.twilight_struggle.table import US, USSR, resolving, table
from tests.scenario import given


def won(winner: str | None, reason: str, us: int) -> Ended[State]:
    """The end, with this many points of the US."""
    return Ended(winner, reason, {US: us, USSR: -us})


# --------------------------------------------------------------------------- 8.2: Military Operations


@pytest.mark.parametrize(
    ("defcon", "us", "ussr", "vp"),
    [
        (5, 5, 5, 0),
        (5, 5, 0, 5),
        (3, 0, 3, -3),
        (4, 2, 1, 1),
        (4, 1, 3, -2),
        (2, 0, 0, 0),
        (2, 5, 2, 0),
    ],
)
def test_8_2_1_the_difference_of_what_is_missing(defcon: int, us: int, ussr: int, vp: int) -> None:
    """Each lacks DEFCON less its Military Operations; more than required brings nothing."""
    given(table(defcon=defcon, military={US: us, USSR: ussr}), do=CheckMilitary()).has(vp=vp)


def test_8_2_1_defcon_at_the_end_of_the_turn_counts() -> None:
    """Before it improves for the next turn."""
    s = table(defcon=2, turn=1, military={US: 2, USSR: 2}, us_hand=("nato",))
    given(s, do=EndTurn()).includes(MilitaryChecked(2, {US: 0, USSR: 0}), TurnBegan(2)).has(vp=0, defcon=3)


def test_4_5_e_the_markers_go_back_to_zero() -> None:
    s = table(defcon=3, military={US: 5, USSR: 3})
    given(s, do=CheckMilitary()).has(military={US: 0, USSR: 0})


# --------------------------------------------------------------------------- 6.4.4: box 6


def test_6_4_4_box_6_discards_one_held_card_at_the_end_of_the_turn() -> None:
    """One of them only, and no scoring card (FAQ 4.2); after the effects of the turn have lapsed."""
    s = table(
        space={US: 6, USSR: 5},
        us_hand=("nato", "fidel"),
        ussr_hand=("nasser",),
        effects=(("containment", US),),
        military={US: 5, USSR: 5},
    )
    end = given(s, do=EndTurn()).then(EffectsLapsed(("containment",))).asks(US, "nato", "fidel", "none")
    end.when(US, "fidel").includes(CardDiscarded(US, "fidel", "space"), MilitaryChecked(5, {US: 0, USSR: 0}))
    end.has(hands={US: ("nato",), USSR: ("nasser",)}, turn=2)


def test_6_4_4_box_6_does_not_save_from_a_held_scoring_card() -> None:
    s = table(space={US: 6, USSR: 5}, us_hand=("asia_scoring",), military={US: 5, USSR: 5})
    end = given(s, do=EndTurn()).asks(US, "none").when(US, "none")
    end.includes(won(USSR, "held_scoring_card", 0))


@pytest.mark.parametrize("us", [5, 6])
def test_6_4_4_box_6_moves_when_the_other_side_arrives(us: int) -> None:
    """Below the box there is no ability, and none when both are there."""
    s = table(space={US: us, USSR: us}, us_hand=("nato",), military={US: 5, USSR: 5})
    given(s, do=EndTurn()).includes(MilitaryChecked(5, {US: 0, USSR: 0}))


# --------------------------------------------------------------------------- 10.3.1: automatic victory


def test_10_3_1_twenty_points_end_the_game_after_the_event() -> None:
    s = resolving(table(vp=18, defcon=4), "nuclear_test_ban", US)
    given(s, do=Event(US, "nuclear_test_ban")).includes(won(US, "victory_points", 20)).asks_nobody()


def test_10_3_1_nineteen_do_not() -> None:
    s = resolving(table(vp=17, defcon=4), "nuclear_test_ban", US)
    assert given(s, do=Event(US, "nuclear_test_ban")).has(vp=19).table.result is None


def test_10_3_1_all_points_of_a_scoring_card_are_applied_first() -> None:
    """19 of the US; both sides score, and only the difference, 6 less 2, moves the marker."""
    s = table(
        vp=19,
        us={"guatemala": 1, "mexico": 2},
        ussr={"cuba": 3, "haiti": 1, "honduras": 2, "panama": 2},
        us_hand=("central_america_scoring",),
    )
    play = given(s, do=PlayCard(US)).when(US, "event:central_america_scoring")
    play.includes(ScoreMoved(USSR, 4, 15, "central_america")).asks_nobody()
    assert play.table.result is None


def test_10_3_1_points_of_the_space_race_end_the_game() -> None:
    s = table(vp=19, us_hand=("nato",))
    play = given(s, do=PlayCard(US)).when(US, "space:nato")
    play.when("chance", "1").includes(won(US, "victory_points", 20))


def test_10_3_1_the_check_of_military_operations_ends_the_game() -> None:
    """The US has 18, and the USSR lacks 2."""
    s = table(vp=18, defcon=2, military={US: 2, USSR: 0})
    given(s, do=EndTurn()).includes(won(US, "victory_points", 20))


@pytest.mark.parametrize(
    ("held", "winner", "reason"),
    [("nato", US, "victory_points"), ("asia_scoring", USSR, "held_scoring_card")],
)
def test_book_003_10_3_1_who_reaches_20_there_shows_the_held_card(
    held: str, winner: str, reason: str
) -> None:
    """A scoring card loses; any other card wins."""
    s = table(vp=18, defcon=2, military={US: 2, USSR: 0}, us_hand=(held,))
    given(s, do=CheckMilitary()).includes(HeldCardsShown(US, (held,)), won(winner, reason, 20))


def test_book_003_10_3_1_the_other_side_shows_nothing() -> None:
    """The USSR holds the scoring card, and the US wins by its points."""
    s = table(vp=18, defcon=2, military={US: 2, USSR: 0}, ussr_hand=("asia_scoring",))
    given(s, do=CheckMilitary()).includes(won(US, "victory_points", 20))


def test_book_000_10_3_1_knows_no_such_exception() -> None:
    """In the 2nd edition 20 points in the check win at once."""
    s = table(edition="second", vp=-18, defcon=2, military={US: 0, USSR: 2}, ussr_hand=("asia_scoring",))
    given(s, do=CheckMilitary()).includes(won(USSR, "victory_points", -20))


def yuri(**fields: Any) -> Any:
    """Under Yuri and Samantha the next US Coup gives the USSR its twentieth point."""
    return table(vp=-19, ussr={"colombia": 1}, effects=(("yuri_and_samantha", USSR),), **fields)


def test_10_3_1_points_for_a_coup_with_the_china_card_end_the_game() -> None:
    s = yuri(china=US, us_hand=("nato",))
    play = given(s, do=PlayCard(US)).when(US, "coup:china_card").when(US, "colombia")
    play.when("chance", "1").includes(won(USSR, "victory_points", -20))


def test_10_3_1_points_for_a_coup_before_a_barred_event_end_the_game() -> None:
    """The Cambridge Five cannot happen in the Late War; the points of its Coup stand."""
    s = yuri(turn=8, us_hand=("the_cambridge_five",))
    play = given(s, do=PlayCard(US)).when(US, "coup:the_cambridge_five").when(US, "colombia")
    play.when("chance", "1").includes(won(USSR, "victory_points", -20))


def test_8_1_3_nuclear_war_comes_before_the_points_of_an_event() -> None:
    """Duck and Cover of the US at DEFCON 2: it loses, though 19 points and more are in reach."""
    s = resolving(table(vp=19, defcon=2), "duck_and_cover", US)
    given(s, do=Event(US, "duck_and_cover")).includes(won(USSR, "nuclear_war", 19))


def test_8_1_3_the_phasing_player_loses_even_if_the_other_lowers_defcon() -> None:
    """The USSR conducts the Operations of Lone Gunman in a US round: the US loses."""
    s = table(defcon=2, us={"nigeria": 1}, phasing=US)
    coup = given(s, do=Coup(USSR, Ops("lone_gunman", 1, granted=True)))
    coup.when(USSR, "nigeria").includes(won(USSR, "nuclear_war", 0))


# --------------------------------------------------------------------------- 10.3.2: final scoring


def test_10_3_2_every_region_scores_europe_first_and_southeast_asia_not_apart() -> None:
    end = given(table(turn=10, china=None), do=FinalScoring())
    regions = [fact.region for fact in end.facts if isinstance(fact, RegionScored)]
    assert regions[0] == "europe"
    assert sorted(regions) == ["africa", "asia", "central_america", "europe", "middle_east", "south_america"]


def test_10_3_2_twenty_points_do_not_stop_it() -> None:
    """The US passes 20 in Europe, and the USSR takes 4 back in Central America."""
    s = table(
        turn=10,
        vp=18,
        china=None,
        us={"france": 3, "turkey": 2, "guatemala": 1},
        ussr={"cuba": 3, "haiti": 1, "honduras": 2},
    )
    end = given(s, do=FinalScoring()).includes(
        ScoreMoved(US, 8, 26, "europe"), ScoreMoved(USSR, 4, 22, "central_america")
    )
    end.includes(won(US, "final_scoring", 22))


def test_10_3_2_control_of_europe_wins_whatever_the_points_say() -> None:
    s = table(
        turn=10,
        vp=-19,
        us={"france": 3, "italy": 2, "west_germany": 4, "east_germany": 3, "poland": 3, "turkey": 2},
        ussr={"cuba": 3},
    )
    end = given(s, do=FinalScoring()).includes(won(US, "europe_controlled", -19)).asks_nobody()
    assert len([fact for fact in end.facts if isinstance(fact, RegionScored)]) == 1


@pytest.mark.parametrize(("vp", "winner"), [(3, US), (-3, USSR), (0, None)])
def test_10_3_2_the_points_decide_and_zero_is_a_draw(vp: int, winner: str | None) -> None:
    given(table(turn=10, vp=vp, china=None), do=FinalScoring()).includes(won(winner, "final_scoring", vp))


@pytest.mark.parametrize(("china", "ready", "vp"), [(US, True, 1), (USSR, False, -1)])
def test_10_3_2_the_china_card_is_worth_a_point(china: str, ready: bool, vp: int) -> None:
    """Face up or face down."""
    s = table(turn=10, china=china, china_ready=ready)
    given(s, do=FinalScoring()).includes(won(china, "final_scoring", vp))


def test_10_3_2_comes_after_the_check_of_military_operations_in_turn_10() -> None:
    """The USSR lacks 2 Military Operations: 2 points for the US decide."""
    s = table(turn=10, defcon=2, china=None, military={US: 2, USSR: 0})
    given(s, do=EndTurn()).includes(ScoreMoved(US, 2, 2, "military_operations"), won(US, "final_scoring", 2))


def test_10_3_2_is_not_reached_before_turn_10_is_over() -> None:
    match = given(table(turn=9, us_hand=("nato",)), do=CloseTurn()).includes(TurnBegan(10))
    assert match.table.result is None
    given(match.table, do=Act(1, US)).asks(US)


def test_passing_the_china_card_alone_ends_nothing() -> None:
    passed = given(table(vp=19, china=US), do=PassChina(US)).has(china=USSR, china_ready=False)
    assert passed.table.result is None
