"""Defectors in every situation: either headline, the rounds of either side, drawn by another card."""

from __future__ import annotations

from typing import Any

import pytest

from domain.twilight_struggle.facts.board import InfluenceSet
from domain.twilight_struggle.facts.cards import CardDiscarded, CardPlayed, CardPutAway, CardRevived
from domain.twilight_struggle.facts.flow import EventBegan, HeadlineBegan, HeadlineCancelled
from domain.twilight_struggle.facts.tracks import ScoreMoved, SpaceRolled
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.flow import OrderHeadlines
from domain.twilight_struggle.steps.play import PlayCard
from tests.domain.twilight_struggle.table import US, USSR, table
from tests.scenario import Scenario, given

CARD, PLAN = "defectors", "five_year_plan"


def headline(american: str, soviet: str, **fields: Any) -> Scenario[State]:
    """Both headlines have been shown."""
    shown = {US: american, USSR: soviet}
    s = table(phase="headline", round=0, phasing=None, headlines=shown, **fields)
    return given(s, do=OrderHeadlines())


def soviet_round(*hand: str, **fields: Any) -> Scenario[State]:
    """An action round of the USSR."""
    s = table(phasing=USSR, ussr={"cuba": 1}, ussr_hand=hand, **fields)
    return given(s, do=PlayCard(USSR))


# ── headlines ──


def test_defectors_as_us_headline_cancels_a_soviet_headline_of_more_operations() -> None:
    """Ruling: whatever the values are, before both."""
    headline(CARD, "red_scare_purge").then(
        HeadlineCancelled(USSR, "red_scare_purge"),
        HeadlineBegan(US, CARD),
        EventBegan(CARD, US),
        CardPutAway(CARD, "discards"),
    ).has(discards=("red_scare_purge", CARD), headlines={}, effects=(), vp=0)


def test_defectors_as_us_headline_cancels_a_scoring_card() -> None:
    headline(CARD, "asia_scoring", us={"japan": 4}).has(discards=("asia_scoring", CARD), vp=0)


def test_defectors_as_us_headline_keeps_a_card_with_asterisk_in_the_game() -> None:
    headline(CARD, "fidel").has(removed=(), discards=("fidel", CARD))


def test_defectors_as_soviet_headline_does_nothing() -> None:
    """Ruling: no point for the US, and the US headline happens."""
    headline("containment", CARD).has(vp=0, removed=("containment",), discards=(CARD,))


def test_defectors_as_soviet_headline_before_the_us_headline_does_not_cancel_it() -> None:
    """Printed value 2 against 1: Defectors comes first."""
    game = headline("truman_doctrine", CARD)
    assert [fact.card for fact in game.facts if isinstance(fact, HeadlineBegan)] == [
        CARD,
        "truman_doctrine",
    ]
    game.has(vp=0, removed=("truman_doctrine",))


def test_defectors_drawn_by_a_headline_cancels_the_soviet_headline_still_to_come() -> None:
    """Ruling: Five-Year Plan, 3, before Fidel, 2."""
    game = headline(PLAN, "fidel", ussr_hand=(CARD,)).when("chance", CARD)
    game.then(
        CardDiscarded(USSR, CARD, PLAN),
        CardRevived(US, CARD),
        EventBegan(CARD, US),
        HeadlineCancelled(USSR, "fidel"),
        CardPutAway(CARD, "discards"),
        CardPutAway(PLAN, "discards"),
    )
    game.asks_nobody().has(influence={US: {}, USSR: {}}, removed=(), headlines={})


def test_defectors_drawn_after_the_soviet_headline_does_nothing() -> None:
    """Ruling: Red Scare/Purge, 4, has happened already."""
    game = headline(PLAN, "red_scare_purge", ussr_hand=(CARD,)).when("chance", CARD)
    game.then(
        CardDiscarded(USSR, CARD, PLAN),
        CardRevived(US, CARD),
        EventBegan(CARD, US),
        CardPutAway(CARD, "discards"),
        CardPutAway(PLAN, "discards"),
    )
    game.has(vp=0)


def test_defectors_drawn_by_the_soviet_headline_itself_does_nothing() -> None:
    game = headline("nuclear_test_ban", PLAN, ussr_hand=(CARD,)).when("chance", CARD)
    game.includes(EventBegan(CARD, US), CardPutAway(CARD, "discards"))
    assert not any(isinstance(fact, HeadlineCancelled | ScoreMoved) for fact in game.facts)


def test_defectors_taken_by_grain_sales_in_the_headline_phase_cancels_the_soviet_headline() -> None:
    """Ruling: the US may play it as an event, before the headline of 2 that follows on a tie."""
    game = headline("grain_sales_to_soviets", "fidel", ussr_hand=(CARD,)).when("chance", CARD)
    game.when(US, f"event:{CARD}").then(
        CardPlayed(US, CARD, "event", USSR),
        EventBegan(CARD, US),
        HeadlineCancelled(USSR, "fidel"),
        CardPutAway(CARD, "discards"),
        CardPutAway("grain_sales_to_soviets", "discards"),
    )


def test_defectors_given_for_missile_envy_in_the_headline_phase_cancels_the_soviet_headline() -> None:
    """Ruling: the USSR gives its highest card, Defectors; Fidel, 2, would follow on a tie."""
    game = headline("missile_envy", "fidel", ussr_hand=(CARD,)).when(USSR, CARD)
    game.includes(EventBegan(CARD, US), HeadlineCancelled(USSR, "fidel"))


# ── action rounds ──


def test_defectors_played_by_the_ussr_in_its_round_scores_1_for_the_us() -> None:
    soviet_round(CARD).when(USSR, f"event_first:{CARD}").then(
        CardPlayed(USSR, CARD, "event_first", USSR),
        EventBegan(CARD, US),
        ScoreMoved(US, 1, 1, CARD),
        CardPutAway(CARD, "discards"),
    )


def test_defectors_scores_after_the_operations_as_well() -> None:
    """Book 003, example of play, turn 3."""
    game = soviet_round(CARD).when(USSR, f"influence:{CARD}").when(USSR, "cuba").when(USSR, "cuba")
    game.then(
        InfluenceSet(USSR, "cuba", 1, 3),
        EventBegan(CARD, US),
        ScoreMoved(US, 1, 1, CARD),
        CardPutAway(CARD, "discards"),
    )


def test_defectors_spaced_by_the_ussr_scores_nothing() -> None:
    """Ruling, 6.4.5."""
    game = soviet_round(CARD).when(USSR, f"space:{CARD}").when("chance", "6")
    game.then(SpaceRolled(USSR, CARD, 1, 6, 3), CardPutAway(CARD, "discards")).has(vp=0)


def test_defectors_cancelled_by_the_ussr_scores_nothing() -> None:
    game = soviet_round(CARD, "un_intervention").when(USSR, f"cancel:{CARD}").when(USSR, "influence")
    game.when(USSR, "cuba").when(USSR, "cuba").asks_nobody().has(vp=0)


def test_defectors_played_by_the_us_in_its_round_has_no_effect() -> None:
    """Ruling."""
    given(table(us_hand=(CARD,)), do=PlayCard(US)).when(US, f"event:{CARD}").then(
        CardPlayed(US, CARD, "event", US), EventBegan(CARD, US), CardPutAway(CARD, "discards")
    )


@pytest.mark.parametrize(("reading", "points"), [("nothing", 0), ("score", 1)])
def test_defectors_drawn_by_five_year_plan_in_a_soviet_round(reading: str, points: int) -> None:
    """Ruling (default): the USSR did not play it; the licensed digital edition scores."""
    game = soviet_round(PLAN, CARD, options={"drawn_defectors": reading})
    game.when(USSR, f"event_first:{PLAN}").when("chance", CARD)
    game.includes(EventBegan(CARD, US), CardPutAway(CARD, "discards")).has(vp=points)


@pytest.mark.parametrize("reading", ["nothing", "score"])
def test_defectors_drawn_by_five_year_plan_in_a_us_round_scores_nothing(reading: str) -> None:
    s = table(us_hand=(PLAN,), ussr_hand=(CARD,), options={"drawn_defectors": reading})
    given(s, do=PlayCard(US)).when(US, f"event:{PLAN}").when("chance", CARD).has(vp=0)
