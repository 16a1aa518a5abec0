"""UN Intervention: an opponent's event is cancelled, and its card used for Operations."""

from __future__ import annotations

from typing import Any

import pytest

from domain.kernel import Ended
from domain.twilight_struggle.facts.board import InfluenceSet
from domain.twilight_struggle.facts.cards import CardPlayed, CardPutAway, CardSeen
from domain.twilight_struggle.facts.flow import BurialEnded, EventBegan
from domain.twilight_struggle.facts.tracks import MilitarySet, ScoreMoved, SpaceRolled
from domain.twilight_struggle.rules.hand import headlines, plays
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.flow import Act, EndRound
from domain.twilight_struggle.steps.play import Event, PlayCard
from tests.domain.twilight_struggle.table import US, USSR, resolving, table
from tests.scenario import Scenario, given

UN = "un_intervention"
INCIDENT = ("u2_incident", USSR)


def american_round(*hand: str, **fields: Any) -> Scenario[State]:
    """An action round of the US with UN Intervention and these cards in hand."""
    s = table(us={"jordan": 1}, us_hand=(UN, *hand), china=None, **fields)
    return given(s, do=PlayCard(US))


def test_un_intervention_cancels_the_event_and_both_cards_are_discarded() -> None:
    """Even one with an asterisk: Fidel stays in the game."""
    game = (
        american_round("fidel")
        .when(US, "cancel:fidel")
        .then(
            CardPlayed(US, UN, "event", US),
            CardPutAway(UN, "discards"),
            CardPlayed(US, "fidel", "cancelled", US),
        )
    )
    game.asks(US, "influence", "space").when(US, "influence").when(US, "jordan").when(US, "jordan")
    game.then(InfluenceSet(US, "jordan", 1, 3), CardPutAway("fidel", "discards"))
    game.asks_nobody().has(discards=(UN, "fidel"), removed=())


def test_un_intervention_works_for_the_ussr_as_well() -> None:
    s = table(phasing=USSR, ussr={"cuba": 1}, ussr_hand=(UN, "nato"), beside=("marshall_plan",))
    game = given(s, do=PlayCard(USSR)).when(USSR, "cancel:nato").when(USSR, "influence")
    for _ in range(4):
        game.when(USSR, "cuba")
    game.includes(CardPutAway("nato", "discards")).asks_nobody().has(beside=("marshall_plan",))


def test_un_intervention_gives_the_modified_value_of_the_cancelled_card() -> None:
    """Book 003, example of play, turn 1: a Coup with the 2 of Fidel; here Containment adds 1."""
    s = table(ussr={"haiti": 1}, us_hand=(UN, "fidel"), effects=(("containment", US),))
    game = given(s, do=PlayCard(US)).when(US, "cancel:fidel").when(US, "coup").when(US, "haiti")
    game.then(MilitarySet(US, 3))


def test_un_intervention_is_no_headline() -> None:
    """Ruling."""
    assert headlines(table(us_hand=(UN, "fidel")), US) == ("fidel",)


def test_un_intervention_does_not_cancel_neutral_own_or_scoring_cards() -> None:
    """Ruling."""
    s = table(us={"japan": 1}, us_hand=(UN, "olympic_games", "nato", "asia_scoring", "fidel"))
    assert [play for play in plays(s, US) if play.startswith("cancel")] == ["cancel:fidel"]


def test_un_intervention_alone_is_a_card_with_1_operation_and_no_event() -> None:
    """Ruling."""
    american_round().asks(US, f"influence:{UN}").when(US, f"influence:{UN}").when(US, "jordan").then(
        InfluenceSet(US, "jordan", 1, 2), CardPutAway(UN, "discards")
    )


def test_un_intervention_uses_two_cards_so_the_player_may_run_out() -> None:
    """Ruling: in the next round the US, without cards, sits out."""
    s = table(us={"jordan": 1}, us_hand=(UN, "nasser"), china=None)
    game = given(s, do=(PlayCard(US), EndRound(US), Act(2, US))).when(US, "cancel:nasser")
    game.when(US, "influence").when(US, "jordan").asks_nobody().has(round=2)


def test_un_intervention_with_a_card_just_taken_through_grain_sales() -> None:
    """Ruling."""
    grain = "grain_sales_to_soviets"
    s = table(us={"jordan": 1}, us_hand=(UN,), ussr_hand=("fidel",))
    game = given(resolving(s, grain, US), do=Event(US, grain)).when("chance", "fidel")
    game.then(CardSeen(USSR, "fidel")).when(US, "cancel:fidel").then(
        CardPlayed(US, UN, "event", US),
        CardPutAway(UN, "discards"),
        CardPlayed(US, "fidel", "cancelled", USSR),
    )
    game.when(US, "influence").when(US, "jordan").when(US, "jordan")
    game.asks_nobody().has(discards=(UN, "fidel", grain), hands={US: (), USSR: ()})


# ── U2 Incident ──


def test_un_intervention_after_u2_incident_scores_1_for_the_ussr() -> None:
    american_round("fidel", effects=(INCIDENT,)).when(US, "cancel:fidel").includes(
        CardPlayed(US, "fidel", "cancelled", US), ScoreMoved(USSR, 1, -1, "u2_incident")
    )


def test_un_intervention_of_the_ussr_after_u2_incident_scores_1_as_well() -> None:
    s = table(phasing=USSR, ussr={"cuba": 1}, ussr_hand=(UN, "nato"), effects=(INCIDENT,))
    given(s, do=PlayCard(USSR)).when(USSR, "cancel:nato").includes(ScoreMoved(USSR, 1, -1, "u2_incident"))


def test_un_intervention_for_its_operations_does_not_score_for_u2_incident() -> None:
    """Ruling: then it is not played as an event."""
    game = american_round(effects=(INCIDENT,)).when(US, f"influence:{UN}").when(US, "jordan")
    game.asks_nobody().has(vp=0)


def test_un_intervention_after_u2_incident_may_win_the_game_for_the_ussr() -> None:
    game = american_round("fidel", effects=(INCIDENT,), vp=-19).when(US, "cancel:fidel")
    assert game.facts[-1] == Ended(USSR, "victory_points", {US: -20, USSR: 20})


# ── We Will Bury You ──


def test_un_intervention_averts_we_will_bury_you() -> None:
    """Ruling."""
    game = american_round("fidel", buries=True).when(US, "cancel:fidel")
    game.includes(BurialEnded(averted=True)).has(vp=0, buries=False)


def test_we_will_bury_you_scores_3_before_any_other_play() -> None:
    american_round("fidel", buries=True).when(US, "event_first:fidel").includes(
        BurialEnded(averted=False),
        ScoreMoved(USSR, 3, -3, "we_will_bury_you"),
        CardPlayed(US, "fidel", "event_first", US),
        EventBegan("fidel", USSR),
    )


def test_un_intervention_for_its_operations_does_not_avert_we_will_bury_you() -> None:
    american_round(buries=True).when(US, f"influence:{UN}").includes(
        BurialEnded(averted=False), ScoreMoved(USSR, 3, -3, "we_will_bury_you")
    )


def test_un_intervention_averts_we_will_bury_you_and_still_scores_for_u2_incident() -> None:
    game = american_round("fidel", buries=True, effects=(INCIDENT,)).when(US, "cancel:fidel")
    game.includes(BurialEnded(averted=True), ScoreMoved(USSR, 1, -1, "u2_incident")).has(vp=-1)


# ── readings ──


def test_un_intervention_with_a_us_war_card_scores_for_flower_power() -> None:
    """The recommended reading: the card is still played for Operations."""
    game = american_round("korean_war", beside=("flower_power",)).when(US, "cancel:korean_war")
    game.includes(ScoreMoved(USSR, 2, -2, "flower_power"))


def test_un_intervention_the_cancelled_card_may_be_spaced() -> None:
    """The default of `un_intervention_space`: it takes the space play of the turn."""
    game = american_round("fidel").when(US, "cancel:fidel").when(US, "space").when("chance", "6")
    game.then(SpaceRolled(US, "fidel", 1, 6, 3), CardPutAway("fidel", "discards"))
    game.has(spaced={US: 1, USSR: 0}, discards=(UN, "fidel"))


def test_un_intervention_the_cancelled_card_may_not_be_spaced_in_the_other_reading() -> None:
    game = american_round("fidel", options={"un_intervention_space": False})
    game.when(US, "cancel:fidel").asks(US, "influence")


@pytest.mark.parametrize(("order", "offered"), [((UN, "fidel"), UN), (("fidel", UN), "fidel")])
def test_un_intervention_under_aldrich_ames_stays_in_its_place(order: tuple[str, ...], offered: str) -> None:
    """Ruling (2nd edition): played in its turn for 1 Operation, never beside another card."""
    game = american_round("fidel", edition="second", order=order)
    uses = plays(game.table, US)
    assert {use.partition(":")[2] for use in uses} == {offered}
    assert not any(use.startswith("cancel") for use in uses)
