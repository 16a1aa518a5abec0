"""Five-Year Plan: the random card, the US event on it, and chains of such events."""

from __future__ import annotations

from typing import Any

import pytest

from domain.twilight_struggle.facts.board import InfluenceSet
from domain.twilight_struggle.facts.cards import CardDiscarded, CardPlayed, CardPutAway, CardRevived, CardSeen
from domain.twilight_struggle.facts.flow import EventBarred, EventBegan
from domain.twilight_struggle.facts.tracks import DefconSet, ScoreMoved
from domain.twilight_struggle.rules.hand import plays
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.play import Event, PlayCard
from tests.domain.twilight_struggle.table import US, USSR, nuclear_war, resolving, table
from tests.scenario import Scenario, given

PLAN, GRAIN, DUCK = "five_year_plan", "grain_sales_to_soviets", "duck_and_cover"


def plan(*hand: str, player: str = US, **fields: Any) -> Scenario[State]:
    """The event, played by `player`, against this hand of the USSR."""
    s = table(ussr_hand=hand, phasing=player, **fields)
    return given(resolving(s, PLAN, player), do=Event(US, PLAN))


# ── one card ──


def test_five_year_plan_a_us_event_happens_as_if_the_us_had_played_it() -> None:
    plan("fidel", DUCK).asks("chance", "fidel", DUCK).when("chance", DUCK).then(
        CardDiscarded(USSR, DUCK, PLAN),
        CardRevived(US, DUCK),
        EventBegan(DUCK, US),
        DefconSet(5, 4),
        ScoreMoved(US, 1, 1, DUCK),
        CardPutAway(DUCK, "discards"),
        CardPutAway(PLAN, "discards"),
    )


def test_five_year_plan_a_soviet_event_is_discarded_without_effect() -> None:
    game = plan("fidel", us={"cuba": 1}).when("chance", "fidel")
    game.then(CardDiscarded(USSR, "fidel", PLAN), CardPutAway(PLAN, "discards"))


def test_five_year_plan_a_neutral_event_is_discarded_without_effect() -> None:
    game = plan("nuclear_test_ban").when("chance", "nuclear_test_ban")
    game.then(CardDiscarded(USSR, "nuclear_test_ban", PLAN), CardPutAway(PLAN, "discards"))


def test_five_year_plan_a_scoring_card_is_discarded_without_effect() -> None:
    game = plan("asia_scoring", us={"japan": 4}).when("chance", "asia_scoring")
    game.then(CardDiscarded(USSR, "asia_scoring", PLAN), CardPutAway(PLAN, "discards"))


def test_five_year_plan_the_china_card_is_not_in_the_hand() -> None:
    plan("fidel", china=USSR).asks("chance", "fidel")


@pytest.mark.parametrize("how", ["event_first", "influence"])
def test_five_year_plan_in_the_last_round_gets_rid_of_the_last_scoring_card(how: str) -> None:
    """Ruling: legal, though a scoring card is due; the Operations may come first."""
    s = table(phasing=USSR, round=6, ussr={"cuba": 1}, ussr_hand=("asia_scoring", PLAN))
    game = given(s, do=PlayCard(USSR))
    game.asks(USSR, "event:asia_scoring", f"event_first:{PLAN}", f"influence:{PLAN}")
    game.when(USSR, f"{how}:{PLAN}")
    for _ in range(3 if how == "influence" else 0):
        game.when(USSR, "cuba")
    game.when("chance", "asia_scoring").includes(CardDiscarded(USSR, "asia_scoring", PLAN))


def test_five_year_plan_may_be_a_way_out_where_another_card_could_be_drawn() -> None:
    hand = ("asia_scoring", PLAN, "fidel")
    s = table(phasing=USSR, round=6, ussr={"cuba": 1}, ussr_hand=hand)
    assert plays(s, USSR) == ("event:asia_scoring", f"event_first:{PLAN}", f"influence:{PLAN}")


def test_five_year_plan_a_us_event_with_asterisk_that_happens_is_removed() -> None:
    """Ruling, 5.2."""
    game = plan("truman_doctrine").when("chance", "truman_doctrine")
    game.includes(CardPutAway("truman_doctrine", "removed"))


def test_five_year_plan_a_us_event_without_its_prerequisite_is_discarded() -> None:
    """Ruling, 5.2."""
    plan("nato").when("chance", "nato").then(
        CardDiscarded(USSR, "nato", PLAN),
        CardRevived(US, "nato"),
        EventBarred("nato", "needs_alliance"),
        CardPutAway("nato", "discards"),
        CardPutAway(PLAN, "discards"),
    )


def test_five_year_plan_with_an_empty_soviet_hand_counts_as_played() -> None:
    """Ruling."""
    plan().then(EventBegan(PLAN, US), CardPutAway(PLAN, "discards"))


def test_five_year_plan_defcon_1_loses_for_who_played_it() -> None:
    """Ruling: the phasing player stays the same, whose event ever it is."""
    for player, winner in ((US, USSR), (USSR, US)):
        game = plan(DUCK, player=player, defcon=2).when("chance", DUCK)
        assert game.facts[-1] == nuclear_war(winner)


def test_five_year_plan_the_us_chooses_for_its_event() -> None:
    game = plan("independent_reds", player=USSR, ussr={"hungary": 2}).when("chance", "independent_reds")
    game.when(US, "hungary").includes(InfluenceSet(US, "hungary", 2, 2))


def test_five_year_plan_the_ussr_conducts_its_operations_before_or_after() -> None:
    s = table(phasing=USSR, ussr={"cuba": 1}, ussr_hand=(PLAN, "fidel"))
    game = given(s, do=PlayCard(USSR)).when(USSR, f"influence:{PLAN}")
    game.when(USSR, "cuba").when(USSR, "cuba").when(USSR, "cuba")
    game.then(InfluenceSet(USSR, "cuba", 1, 4), EventBegan(PLAN, US)).asks("chance", "fidel")
    game = given(s, do=PlayCard(USSR)).when(USSR, f"event_first:{PLAN}").when("chance", "fidel")
    game.includes(CardPutAway(PLAN, "discards")).asks(USSR, "influence")


# ── three cards deep ──


def test_five_year_plan_drawn_by_grain_sales_draws_duck_and_cover() -> None:
    """US round: Grain Sales takes Five-Year Plan out of the hand, its event draws the last card."""
    s = table(ussr_hand=(PLAN, DUCK), us_hand=(GRAIN,))
    game = given(s, do=PlayCard(US)).when(US, f"event:{GRAIN}").when("chance", PLAN)
    game.then(CardSeen(USSR, PLAN)).when(US, f"event:{PLAN}")
    game.then(CardPlayed(US, PLAN, "event", USSR), EventBegan(PLAN, US)).asks("chance", DUCK)
    game.when("chance", DUCK).then(
        CardDiscarded(USSR, DUCK, PLAN),
        CardRevived(US, DUCK),
        EventBegan(DUCK, US),
        DefconSet(5, 4),
        ScoreMoved(US, 1, 1, DUCK),
        CardPutAway(DUCK, "discards"),
        CardPutAway(PLAN, "discards"),
        CardPutAway(GRAIN, "discards"),
    )
    game.asks_nobody().has(discards=(DUCK, PLAN, GRAIN), playing=(), hands={US: (), USSR: ()})


def test_five_year_plan_draws_grain_sales_which_takes_a_third_card() -> None:
    """USSR round: its own Five-Year Plan lets the US play Fidel for Operations, Fidel happening first."""
    s = table(phasing=USSR, us={"jordan": 1}, ussr={"iraq": 1}, ussr_hand=(PLAN, GRAIN, "fidel"))
    game = given(s, do=PlayCard(USSR)).when(USSR, f"event_first:{PLAN}").when("chance", GRAIN)
    game.includes(CardRevived(US, GRAIN), EventBegan(GRAIN, US)).when("chance", "fidel")
    game.when(US, "event_first:fidel").then(
        CardPlayed(US, "fidel", "event_first", USSR),
        EventBegan("fidel", USSR),
        InfluenceSet(USSR, "cuba", 3, 3),
        CardPutAway("fidel", "removed"),
    )
    game.when(US, "influence").when(US, "jordan").when(US, "jordan").then(
        InfluenceSet(US, "jordan", 1, 3), CardPutAway(GRAIN, "discards"), CardPutAway(PLAN, "discards")
    )
    game.asks(USSR, "influence", "coup", "realign").has(phasing=USSR)


def test_five_year_plan_chain_at_defcon_2_loses_for_the_phasing_player() -> None:
    """The USSR spends Star Wars for Operations; the US revives Five-Year Plan, which draws Duck and Cover."""
    s = table(
        phasing=USSR,
        defcon=2,
        space={US: 1, USSR: 0},
        ussr={"cuba": 1},
        ussr_hand=("star_wars", DUCK),
        discards=(PLAN,),
    )
    game = given(s, do=PlayCard(USSR)).when(USSR, "event_first:star_wars").when(US, PLAN)
    game.when("chance", DUCK)
    assert game.facts[-2:] == [DefconSet(2, 1), nuclear_war(US)]
