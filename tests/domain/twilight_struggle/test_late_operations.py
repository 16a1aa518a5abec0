"""Late War cards that grant Operations, or change them for the rest of the turn."""

from __future__ import annotations

from typing import Any

import pytest

from domain.kernel import Ended, prompt
from domain.twilight_struggle.components import AROUND
from domain.twilight_struggle.facts.board import CoupRolled, InfluenceSet, RealignmentRolled, WarRolled
from domain.twilight_struggle.facts.cards import CardPutAway, MarkerEnded
from domain.twilight_struggle.facts.flow import EffectBegan, EffectEnded, EventBegan
from domain.twilight_struggle.facts.tracks import DefconSet, MilitarySet, ScoreMoved
from domain.twilight_struggle.rules.hand import ops_of
from domain.twilight_struggle.rules.operations import Ops
from domain.twilight_struggle.steps.operations import Coup, PlaceInfluence, Realign, RollCoup, RollRealignment
from domain.twilight_struggle.steps.play import Event, PlayCard
from tests.domain.twilight_struggle.table import US, USSR, nuclear_war, resolving, table
from tests.scenario import Scenario, given

NEAR_USSR = ("afghanistan", "finland", "north_korea", "poland", "romania")
KAL, WALL, ORTEGA = "soviets_shoot_down_kal_007", "tear_down_this_wall", "ortega_elected_in_nicaragua"


def points(scenario: Scenario[Any], seat: str) -> str | int:
    """The value of the Operations that `seat` is asked about."""
    question = prompt(scenario.table, seat)
    assert question is not None
    return question.why["points"]


# --------------------------------------------------------------------------- Soviets Shoot Down KAL-007


def test_kal_007_lowers_defcon_scores_and_with_south_korea_grants_influence_or_realignments() -> None:
    s = resolving(table(us={"south_korea": 3}, ussr={"nigeria": 1}), KAL, US)
    given(s, do=Event(US, KAL)).then(EventBegan(KAL, US), DefconSet(5, 4), ScoreMoved(US, 2, 2, KAL)).asks(
        US, "influence", "realign", "none"
    ).when(US, "influence").when(US, "japan").then(InfluenceSet(US, "japan", 1, 1)).when(US, "done").then(
        CardPutAway(KAL, "removed")
    )


def test_kal_007_grants_nothing_without_control_of_south_korea() -> None:
    s = resolving(table(us={"south_korea": 2}, ussr={"nigeria": 1}), KAL, US)
    given(s, do=Event(US, KAL)).asks_nobody().has(defcon=4, vp=2, removed=(KAL,))


def test_kal_007_at_defcon_2_loses_for_the_phasing_player_before_the_points() -> None:
    s = resolving(table(phasing=USSR, defcon=2, vp=19, us={"south_korea": 3}), KAL, USSR)
    given(s, do=Event(US, KAL)).then(EventBegan(KAL, US), DefconSet(2, 1), nuclear_war(US, 19))


def test_kal_007_realignments_obey_the_new_defcon() -> None:
    ussr = {"poland": 1, "thailand": 1, "israel": 1, "nigeria": 1}
    s = resolving(table(defcon=4, us={"south_korea": 3}, ussr=ussr), KAL, US)
    given(s, do=Event(US, KAL)).when(US, "realign").asks(US, "israel", "nigeria")


def test_kal_007_is_defused_by_operations_that_break_south_korea_first() -> None:
    """5.2: with the Operations first the condition is looked at after them."""
    us, ussr = {"south_korea": 3}, {"north_korea": 3}
    s = table(phasing=USSR, turn=8, us=us, ussr=ussr, ussr_hand=(KAL,))
    played = given(s, do=PlayCard(USSR)).when(USSR, f"influence:{KAL}").when(USSR, "south_korea")
    played.when(USSR, "done").includes(ScoreMoved(US, 2, 2, KAL), CardPutAway(KAL, "removed")).asks_nobody()


def test_kal_007_operations_are_modified() -> None:
    """7.4.3; tables of granted Operations: the card's own value."""
    s = resolving(table(us={"south_korea": 3}, effects=(("red_scare_purge", US),)), KAL, US)
    assert points(given(s, do=Event(US, KAL)), US) == 3


# --------------------------------------------------------------------------- Glasnost


def test_glasnost_scores_and_raises_defcon() -> None:
    s = resolving(table(phasing=USSR, defcon=3, us={"nigeria": 1}), "glasnost", USSR)
    given(s, do=Event(USSR, "glasnost")).then(
        EventBegan("glasnost", USSR),
        ScoreMoved(USSR, 2, -2, "glasnost"),
        DefconSet(3, 4),
        CardPutAway("glasnost", "removed"),
    )


def test_glasnost_after_the_reformer_grants_influence_or_realignments_but_no_coup() -> None:
    s = resolving(table(phasing=USSR, us={"nigeria": 1}, beside=("the_reformer",)), "glasnost", USSR)
    reform = given(s, do=Event(USSR, "glasnost")).asks(USSR, "influence", "realign", "none")
    assert points(reform, USSR) == 4
    reform.when(USSR, "none").then(CardPutAway("glasnost", "removed"))


def test_glasnost_places_only_where_operations_reach() -> None:
    s = resolving(table(phasing=USSR, ussr={"angola": 1}, beside=("the_reformer",)), "glasnost", USSR)
    reform = given(s, do=Event(USSR, "glasnost")).when(USSR, "influence")
    reform.asks(USSR, *NEAR_USSR, *AROUND["angola"])


def test_glasnost_obeys_chernobyl() -> None:
    s = resolving(table(phasing=USSR, ussr={"angola": 1}, beside=("the_reformer",)), "glasnost", USSR)
    closed = EffectBegan("chernobyl", USSR, "africa")
    given(s, closed, do=Event(USSR, "glasnost")).when(USSR, "influence").asks(USSR, *NEAR_USSR)


def test_glasnost_realignments_obey_defcon() -> None:
    us = {"italy": 1, "thailand": 1, "israel": 1, "nigeria": 1}
    s = resolving(table(phasing=USSR, defcon=2, us=us, beside=("the_reformer",)), "glasnost", USSR)
    given(s, do=Event(USSR, "glasnost")).when(USSR, "realign").asks(USSR, "israel", "nigeria")


# --------------------------------------------------------------------------- Ortega Elected in Nicaragua


def test_ortega_clears_nicaragua_and_grants_a_free_coup_next_to_it() -> None:
    """6.3.5, 8.2.5: no Military Operations, but DEFCON falls for Cuba, which DEFCON 2 does not lock."""
    us = {"nicaragua": 2, "cuba": 1, "honduras": 1, "mexico": 1}
    s = resolving(table(phasing=USSR, defcon=3, us=us), ORTEGA, USSR)
    ortega = given(s, do=Event(USSR, ORTEGA)).then(
        EventBegan(ORTEGA, USSR), InfluenceSet(US, "nicaragua", -2, 0)
    )
    ortega.asks(USSR, "coup", "none").when(USSR, "coup").asks(USSR, "cuba", "honduras")
    ortega.when(USSR, "cuba").then(DefconSet(3, 2)).when("chance", "6").then(
        CoupRolled(USSR, "cuba", 6, 2, 0, 3, 2),
        InfluenceSet(US, "cuba", -1, 0),
        InfluenceSet(USSR, "cuba", 1, 1),
        CardPutAway(ORTEGA, "removed"),
    ).has(military={US: 0, USSR: 0})


def test_ortega_coup_in_cuba_at_defcon_2_loses_for_the_phasing_player() -> None:
    s = resolving(table(phasing=US, defcon=2, us={"cuba": 1}), ORTEGA, US)
    given(s, do=Event(USSR, ORTEGA)).when(USSR, "coup").when(USSR, "cuba").then(
        DefconSet(2, 1), nuclear_war(USSR)
    )


def test_ortega_needs_us_influence_in_the_target() -> None:
    s = resolving(table(phasing=USSR, us={"nicaragua": 1, "mexico": 1}, ussr={"cuba": 3}), ORTEGA, USSR)
    given(s, do=Event(USSR, ORTEGA)).asks_nobody().has(removed=(ORTEGA,))


def test_ortega_coup_may_be_declined() -> None:
    s = resolving(table(phasing=USSR, us={"costa_rica": 1}), ORTEGA, USSR)
    given(s, do=Event(USSR, ORTEGA)).when(USSR, "none").then(CardPutAway(ORTEGA, "removed"))


# --------------------------------------------------------------------------- "Tear Down This Wall"


def test_tear_down_this_wall_ends_willy_brandt_and_adds_3_in_east_germany() -> None:
    s = resolving(table(beside=("willy_brandt",), ussr={"poland": 1, "nigeria": 1}), WALL, US)
    given(s, do=Event(US, WALL)).then(
        EventBegan(WALL, US), MarkerEnded("willy_brandt", "removed"), InfluenceSet(US, "east_germany", 3, 3)
    ).asks(US, "coup", "realign", "none").when(US, "none").then(CardPutAway(WALL, "beside"))


def test_tear_down_this_wall_coup_ignores_the_geography_of_defcon_and_counts_for_nothing() -> None:
    """The battleground still lowers DEFCON."""
    ussr = {"italy": 1, "poland": 1, "nigeria": 1}
    s = resolving(table(defcon=3, ussr=ussr), WALL, US)
    coup = given(s, do=Event(US, WALL)).when(US, "coup").asks(US, "italy", "poland")
    coup.when(US, "italy").then(DefconSet(3, 2)).when("chance", "4").then(
        CoupRolled(US, "italy", 4, 3, 0, 2, 3),
        InfluenceSet(USSR, "italy", -1, 0),
        InfluenceSet(US, "italy", 2, 2),
        CardPutAway(WALL, "beside"),
    ).has(military={US: 0, USSR: 0})


def test_tear_down_this_wall_realignments_ignore_the_geography_of_defcon() -> None:
    s = resolving(table(defcon=2, ussr={"italy": 1, "poland": 1, "nigeria": 1}), WALL, US)
    given(s, do=Event(US, WALL)).when(US, "realign").asks(US, "italy", "poland")


def test_tear_down_this_wall_at_defcon_2_loses_for_the_ussr_that_played_it() -> None:
    s = resolving(table(phasing=USSR, defcon=2, ussr={"italy": 1}), WALL, USSR)
    given(s, do=Event(US, WALL)).when(US, "coup").when(US, "italy").then(DefconSet(2, 1), nuclear_war(US))


def test_tear_down_this_wall_coup_under_the_cuban_missile_crisis_loses_for_the_us() -> None:
    """Even in a round of the USSR."""
    crisis = (("cuban_missile_crisis", US),)
    s = resolving(table(phasing=USSR, defcon=2, effects=crisis, ussr={"poland": 1}), WALL, USSR)
    given(s, do=Event(US, WALL)).when(US, "coup").when(US, "poland").then(
        Ended(USSR, "cuban_missile_crisis", {US: 0, USSR: 0})
    )


def test_tear_down_this_wall_lets_the_us_buy_the_cuban_missile_crisis_off_first() -> None:
    crisis = (("cuban_missile_crisis", US),)
    s = resolving(table(defcon=2, effects=crisis, us={"turkey": 2}, ussr={"hungary": 1}), WALL, US)
    wall = given(s, do=Event(US, WALL)).when(US, "coup").when(US, "ransom:turkey")
    wall.then(InfluenceSet(US, "turkey", -2, 0), EffectEnded("cuban_missile_crisis", US, "turkey")).when(
        US, "hungary"
    ).asks("chance")


@pytest.mark.parametrize(
    ("edition", "options", "value"),
    [("deluxe", {}, 4), ("second", {}, 4), ("second", {"event_ops_modified": False}, 3)],
)
def test_tear_down_this_wall_operations_are_modified(
    edition: str, options: dict[str, Any], value: int
) -> None:
    """7.4.2 in both books; the option gives FAQ 4.2."""
    effects = (("containment", US),)
    s = resolving(table(edition=edition, options=options, effects=effects, ussr={"poland": 1}), WALL, US)
    assert points(given(s, do=Event(US, WALL)), US) == value


# --------------------------------------------------------------------------- for the rest of the turn


def test_iran_contra_scandal_begins() -> None:
    s = resolving(table(), "iran_contra_scandal", USSR)
    given(s, do=Event(USSR, "iran_contra_scandal")).then(
        EventBegan("iran_contra_scandal", USSR),
        EffectBegan("iran_contra_scandal", US),
        CardPutAway("iran_contra_scandal", "removed"),
    )


@pytest.mark.parametrize("attacker", [US, USSR])
def test_iran_contra_scandal_weakens_the_us_roll_in_realignments_of_both_sides(attacker: str) -> None:
    s = table(us={"italy": 2}, ussr={"italy": 2}, effects=(("iran_contra_scandal", US),))
    given(s, do=RollRealignment(attacker, "italy")).when("chance", "33").then(
        RealignmentRolled(attacker, "italy", {US: 3, USSR: 3}, {US: -1, USSR: 0}),
        InfluenceSet(US, "italy", -1, 1),
    )


@pytest.mark.parametrize("player", [US, USSR])
def test_chernobyl_lets_the_us_name_a_region_if_either_side_plays_it(player: str) -> None:
    s = table(phasing=player, turn=8, hands={US: (), USSR: (), player: ("chernobyl",)})
    how = "event" if player == US else "event_first"
    regions = ("europe", "asia", "middle_east", "central_america", "south_america", "africa")
    played = given(s, do=PlayCard(player)).when(player, f"{how}:chernobyl").asks(US, *regions)
    played.when(US, "africa").includes(
        EffectBegan("chernobyl", USSR, "africa"), CardPutAway("chernobyl", "removed")
    )


def test_chernobyl_in_asia_closes_southeast_asia_too_for_operations_of_the_ussr() -> None:
    s = table(phasing=USSR, ussr={"vietnam": 1, "angola": 1})
    closed = EffectBegan("chernobyl", USSR, "asia")
    given(s, closed, do=PlaceInfluence(USSR, ops_of("fidel"))).asks(
        USSR, "finland", "poland", "romania", *AROUND["angola"]
    )


def test_chernobyl_does_not_hinder_the_us() -> None:
    closed = EffectBegan("chernobyl", USSR, "asia")
    given(table(us={"japan": 1}), closed, do=PlaceInfluence(US, ops_of("nato"))).when(US, "japan").then(
        InfluenceSet(US, "japan", 1, 2)
    )


def test_chernobyl_spares_coups_and_the_influence_they_add() -> None:
    s = table(phasing=USSR, us={"thailand": 1})
    coup = RollCoup(USSR, "thailand", 3, ops_of("comecon"))
    given(s, EffectBegan("chernobyl", USSR, "asia"), do=coup).when("chance", "4").includes(
        InfluenceSet(US, "thailand", -1, 0), InfluenceSet(USSR, "thailand", 2, 2)
    )


def test_chernobyl_spares_realignments() -> None:
    closed = EffectBegan("chernobyl", USSR, "asia")
    given(table(us={"thailand": 1}), closed, do=Realign(USSR, ops_of("fidel"))).asks(USSR, "thailand")


def test_chernobyl_spares_events() -> None:
    s = resolving(table(), "vietnam_revolts", USSR)
    given(s, EffectBegan("chernobyl", USSR, "asia"), do=Event(USSR, "vietnam_revolts")).includes(
        InfluenceSet(USSR, "vietnam", 2, 2)
    )


def test_yuri_and_samantha_begin() -> None:
    s = resolving(table(), "yuri_and_samantha", USSR)
    given(s, do=Event(USSR, "yuri_and_samantha")).then(
        EventBegan("yuri_and_samantha", USSR),
        EffectBegan("yuri_and_samantha", USSR),
        CardPutAway("yuri_and_samantha", "removed"),
    )


def test_yuri_and_samantha_score_a_us_coup_even_one_that_fails() -> None:
    s = table(ussr={"iran": 1}, effects=(("yuri_and_samantha", USSR),))
    given(s, do=Coup(US, ops_of("fidel"))).when(US, "iran").then(
        MilitarySet(US, 2), ScoreMoved(USSR, 1, -1, "yuri_and_samantha"), DefconSet(5, 4)
    ).when("chance", "1").then(CoupRolled(US, "iran", 1, 2, 0, 2, -1))


def test_yuri_and_samantha_score_a_free_coup_of_an_event() -> None:
    s = table(ussr={"hungary": 1}, effects=(("yuri_and_samantha", USSR),))
    free = Ops(WALL, 3, free=True, granted=True)
    given(s, do=Coup(US, free)).when(US, "hungary").then(ScoreMoved(USSR, 1, -1, "yuri_and_samantha"))


def test_yuri_and_samantha_do_not_score_coups_of_the_ussr() -> None:
    s = table(phasing=USSR, us={"angola": 1}, effects=(("yuri_and_samantha", USSR),))
    given(s, do=Coup(USSR, ops_of("fidel"))).when(USSR, "angola").then(MilitarySet(USSR, 2), DefconSet(5, 4))


# --------------------------------------------------------------------------- Iran-Iraq War


def test_iran_iraq_war_is_won_with_4_after_what_enemy_neighbours_take_off() -> None:
    us = {"iraq": 1, "saudi_arabia": 3}
    s = resolving(table(phasing=USSR, us=us), "iran_iraq_war", USSR)
    given(s, do=Event(USSR, "iran_iraq_war")).asks(USSR, "iran", "iraq").when(USSR, "iraq").then(
        MilitarySet(USSR, 2)
    ).when("chance", "5").then(
        WarRolled(USSR, "iran_iraq_war", "iraq", 5, 1, 4, True),
        InfluenceSet(US, "iraq", -1, 0),
        InfluenceSet(USSR, "iraq", 1, 1),
        ScoreMoved(USSR, 2, -2, "iran_iraq_war"),
        CardPutAway("iran_iraq_war", "removed"),
    )


def test_iran_iraq_war_is_lost_with_less_and_leaves_the_game_all_the_same() -> None:
    s = resolving(table(ussr={"iran": 1}), "iran_iraq_war", US)
    given(s, do=Event(US, "iran_iraq_war")).when(US, "iran").then(MilitarySet(US, 2)).when(
        "chance", "3"
    ).then(WarRolled(US, "iran_iraq_war", "iran", 3, 0, 4, False), CardPutAway("iran_iraq_war", "removed"))


def test_iran_iraq_war_may_be_fought_between_two_own_countries() -> None:
    s = resolving(table(us={"iran": 2, "iraq": 3}), "iran_iraq_war", US)
    given(s, do=Event(US, "iran_iraq_war")).when(US, "iran").when("chance", "4").then(
        WarRolled(US, "iran_iraq_war", "iran", 4, 0, 4, True),
        ScoreMoved(US, 2, 2, "iran_iraq_war"),
        CardPutAway("iran_iraq_war", "removed"),
    )
