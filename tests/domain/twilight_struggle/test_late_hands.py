"""Late War cards that reach into a hand: Terrorism, the Debt Crisis, and both cards named Aldrich Ames."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from domain.kernel import Fact, fold, prompt
from domain.twilight_struggle.facts.board import InfluenceSet
from domain.twilight_struggle.facts.cards import (
    CardDiscarded,
    CardPutAway,
    CardsDealt,
    HandOrdered,
    HandShown,
)
from domain.twilight_struggle.facts.flow import (
    EffectBegan,
    EventBegan,
    HeadlineBegan,
    RoundBegan,
    RoundPassed,
)
from domain.twilight_struggle.rules.hand import plays
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.flow import Act, OrderHeadlines
from domain.twilight_struggle.steps.hands import DealTo, Replenish
from domain.twilight_struggle.steps.play import Event, PlayCard
from tests.domain.twilight_struggle.table import US, USSR, resolving, table
from tests.scenario import given

REMIX, AMES, DEBT = "aldrich_ames_remix", "aldrich_ames_2nd", "latin_american_debt_crisis"


def folded(s: State, viewer: str | None, facts: list[Fact[State]], **hands: tuple[str, ...]) -> State:
    """What a viewer, who began with these hands, sees after the facts."""
    return fold(replace(s, hands=hands), [fact.seen_by(viewer) for fact in facts])


# --------------------------------------------------------------------------- Terrorism


def test_terrorism_costs_the_opponent_a_random_card_without_its_event() -> None:
    s = resolving(table(ussr_hand=("fidel", "duck_and_cover")), "terrorism", US)
    given(s, do=Event(US, "terrorism")).asks("chance", "fidel", "duck_and_cover").when(
        "chance", "duck_and_cover"
    ).then(CardDiscarded(USSR, "duck_and_cover", "terrorism"), CardPutAway("terrorism", "discards")).has(
        defcon=5, vp=0
    )


def test_terrorism_costs_the_us_two_random_cards_after_the_iranian_hostage_crisis() -> None:
    hand = ("nato", "fidel", "nasser")
    s = resolving(table(us_hand=hand, beside=("iranian_hostage_crisis",)), "terrorism", USSR)
    given(s, do=Event(USSR, "terrorism")).asks("chance", *hand).when("chance", "fidel").then(
        CardDiscarded(US, "fidel", "terrorism")
    ).asks("chance", "nato", "nasser").when("chance", "nasser").then(
        CardDiscarded(US, "nasser", "terrorism"), CardPutAway("terrorism", "discards")
    )


def test_terrorism_costs_the_us_one_card_without_the_hostages() -> None:
    s = resolving(table(us_hand=("nato", "fidel")), "terrorism", USSR)
    given(s, do=Event(USSR, "terrorism")).when("chance", "nato").asks_nobody()


def test_terrorism_of_the_us_costs_the_ussr_one_card_in_any_case() -> None:
    s = table(us_hand=("nato",), ussr_hand=("fidel", "nasser"), beside=("iranian_hostage_crisis",))
    terror = given(resolving(s, "terrorism", US), do=Event(US, "terrorism")).when("chance", "fidel")
    terror.asks_nobody().has(hands={US: ("nato",), USSR: ("nasser",)})


def test_terrorism_takes_the_only_card_and_no_second() -> None:
    s = resolving(table(us_hand=("nato",), beside=("iranian_hostage_crisis",)), "terrorism", USSR)
    given(s, do=Event(USSR, "terrorism")).when("chance", "nato").then(
        CardDiscarded(US, "nato", "terrorism"), CardPutAway("terrorism", "discards")
    )


def test_terrorism_against_an_empty_hand_costs_nothing() -> None:
    s = resolving(table(beside=("iranian_hostage_crisis",)), "terrorism", USSR)
    given(s, do=Event(USSR, "terrorism")).then(
        EventBegan("terrorism", USSR), CardPutAway("terrorism", "discards")
    )


def test_terrorism_may_hit_a_scoring_card_but_not_the_china_card() -> None:
    s = resolving(table(ussr_hand=("asia_scoring", "fidel"), china=USSR), "terrorism", US)
    given(s, do=Event(US, "terrorism")).asks("chance", "asia_scoring", "fidel").when(
        "chance", "asia_scoring"
    ).includes(CardDiscarded(USSR, "asia_scoring", "terrorism")).has(china=USSR)


# --------------------------------------------------------------------------- Latin American Debt Crisis


def test_latin_american_debt_crisis_is_settled_with_a_card_worth_3() -> None:
    s = resolving(table(us_hand=("nato", "containment", "fidel"), ussr={"brazil": 2}), DEBT, USSR)
    given(s, do=Event(USSR, DEBT)).asks(US, "nato", "containment", "decline").when(US, "containment").then(
        CardDiscarded(US, "containment", DEBT), CardPutAway(DEBT, "discards")
    )


def test_latin_american_debt_crisis_counts_the_modified_value() -> None:
    hand = ("nato", "containment", "fidel")
    raised = table(us_hand=hand, effects=(("containment", US),))
    lowered = table(us_hand=hand, effects=(("red_scare_purge", US),))
    given(resolving(raised, DEBT, USSR), do=Event(USSR, DEBT)).asks(US, *hand, "decline")
    given(resolving(lowered, DEBT, USSR), do=Event(USSR, DEBT)).asks(US, "nato", "decline")


def test_latin_american_debt_crisis_takes_neither_the_china_card_nor_a_scoring_card() -> None:
    s = resolving(table(us_hand=("asia_scoring",), china=US), DEBT, USSR)
    given(s, do=Event(USSR, DEBT)).asks(US, "decline")


def test_latin_american_debt_crisis_else_doubles_in_two_south_american_countries() -> None:
    ussr = {"brazil": 2, "chile": 1, "peru": 3, "cuba": 3}
    s = resolving(table(us_hand=("nato",), ussr=ussr), DEBT, USSR)
    crisis = given(s, do=Event(USSR, DEBT)).when(US, "decline").asks(USSR, "brazil", "chile", "peru")
    crisis.refuses(USSR, "brazil").when(USSR, "brazil", "chile").then(
        InfluenceSet(USSR, "brazil", 2, 4),
        InfluenceSet(USSR, "chile", 1, 2),
        CardPutAway(DEBT, "discards"),
    )


def test_latin_american_debt_crisis_doubles_in_the_only_country_there_is() -> None:
    s = resolving(table(ussr={"brazil": 2}), DEBT, USSR)
    crisis = given(s, do=Event(USSR, DEBT)).when(US, "decline").when(USSR, "brazil")
    crisis.asks_nobody().has(influence={US: {}, USSR: {"brazil": 4}})


def test_latin_american_debt_crisis_without_influence_to_double_just_ends() -> None:
    s = resolving(table(ussr={"cuba": 3}), DEBT, USSR)
    given(s, do=Event(USSR, DEBT)).when(US, "decline").then(CardPutAway(DEBT, "discards"))


# --------------------------------------------------------------------------- Aldrich Ames Remix


def test_aldrich_ames_remix_opens_the_us_hand_and_discards_a_card_of_it() -> None:
    hand = ("nato", "fidel")
    s = resolving(table(us_hand=hand), REMIX, USSR)
    given(s, do=Event(USSR, REMIX)).then(
        EventBegan(REMIX, USSR), HandShown(US, hand, REMIX), EffectBegan(REMIX, US)
    ).asks(USSR, *hand).when(USSR, "nato").then(
        CardDiscarded(US, "nato", REMIX), CardPutAway(REMIX, "removed")
    )


def test_aldrich_ames_remix_may_pick_a_scoring_card_but_not_the_china_card() -> None:
    s = resolving(table(us_hand=("asia_scoring", "nato"), china=US), REMIX, USSR)
    given(s, do=Event(USSR, REMIX)).asks(USSR, "asia_scoring", "nato").when(USSR, "asia_scoring").includes(
        CardDiscarded(US, "asia_scoring", REMIX)
    )


def test_aldrich_ames_remix_against_an_empty_hand_discards_nothing() -> None:
    s = resolving(table(), REMIX, USSR)
    given(s, do=Event(USSR, REMIX)).then(
        EventBegan(REMIX, USSR),
        HandShown(US, (), REMIX),
        EffectBegan(REMIX, US),
        CardPutAway(REMIX, "removed"),
    )


def test_aldrich_ames_remix_shows_the_ussr_what_the_us_gets_later_in_the_turn() -> None:
    s = table(deck=("nato", "fidel"), effects=((REMIX, US),))
    drawn = given(s, do=Replenish(US, 1)).when("chance", "nato").then(CardsDealt(US, ("nato",), True))
    assert drawn.facts[0].seen_by(USSR) == drawn.facts[0]
    assert drawn.facts[0].seen_by(None) == CardsDealt(US, ("?",), True)


def test_aldrich_ames_remix_does_not_show_the_hand_of_the_ussr() -> None:
    s = table(deck=("nato", "fidel"), effects=((REMIX, US),))
    given(s, do=DealTo(USSR, 1)).when("chance", "nato").then(CardsDealt(USSR, ("nato",)))


def test_aldrich_ames_remix_is_seen_by_every_viewer() -> None:
    s = resolving(table(us_hand=("nato", "fidel")), REMIX, USSR)
    shown = given(s, do=Event(USSR, REMIX)).facts
    picked = given(s, do=Event(USSR, REMIX)).when(USSR, "nato").facts
    assert folded(s, USSR, shown, us=("?", "?"), ussr=()).hands[US] == ("fidel", "nato")
    assert folded(s, USSR, shown + picked, us=("?", "?"), ussr=()).hands[US] == ("fidel",)
    assert folded(s, None, shown + picked, us=("?", "?"), ussr=()).hands[US] == ("?",)


# --------------------------------------------------------------------------- Aldrich Ames (2nd edition)


def second(hand: tuple[str, ...], order: tuple[str, ...], **fields: Any) -> State:
    """A US round of turn 8 under Aldrich Ames, with the influence that all uses of a card need."""
    effects = ((AMES, US),)
    board = {"us": {"nigeria": 1}, "ussr": {"nigeria": 1}}
    return table(
        **{**board, "turn": 8, **fields}, edition="second", us_hand=hand, order=order, effects=effects
    )


def cards(s: State) -> set[str]:
    """The cards among what the US may do."""
    return {play.partition(":")[2] for play in plays(s, US)}


def test_aldrich_ames_2nd_shows_the_hand_and_puts_it_in_order() -> None:
    hand = ("nato", "fidel", "asia_scoring")
    s = resolving(table(edition="second", us_hand=hand), AMES, USSR)
    ames = given(s, do=Event(USSR, AMES)).then(
        EventBegan(AMES, USSR), HandShown(US, hand, AMES), EffectBegan(AMES, US)
    )
    question = prompt(ames.asks(USSR, *hand).refuses(USSR, "nato", "fidel").table, USSR)
    assert question is not None
    assert question.ordered
    ames.when(USSR, "fidel", "asia_scoring", "nato").then(
        HandOrdered(("fidel", "asia_scoring", "nato")), CardPutAway(AMES, "removed")
    ).has(order=("fidel", "asia_scoring", "nato"))


def test_aldrich_ames_2nd_against_an_empty_hand_orders_nothing() -> None:
    s = resolving(table(edition="second"), AMES, USSR)
    given(s, do=Event(USSR, AMES)).then(
        EventBegan(AMES, USSR), HandShown(US, (), AMES), EffectBegan(AMES, US), CardPutAway(AMES, "removed")
    )


def test_aldrich_ames_2nd_lets_the_us_play_the_cards_in_the_order_only() -> None:
    hand = ("nasser", "duck_and_cover", "containment")
    s = second(hand, ("duck_and_cover", "nasser", "containment"))
    uses = ("event", "influence", "coup", "realign", "space")
    game = given(s, do=(PlayCard(US), PlayCard(US)))
    game.asks(US, *(f"{use}:duck_and_cover" for use in uses)).when(US, "event:duck_and_cover")
    game.asks(US, *(f"{use}:nasser" for use in ("event_first", "influence", "coup", "realign")))


def test_aldrich_ames_2nd_moves_on_when_a_card_is_lost() -> None:
    s = second(("nato", "fidel", "nasser"), ("nato", "fidel", "nasser"))
    lost = CardDiscarded(US, "nato", "terrorism")
    assert cards(fold(s, [lost])) == {"fidel"}


def test_aldrich_ames_2nd_forbids_the_china_card_while_cards_are_in_order() -> None:
    assert cards(second(("nato",), ("nato",), china=US)) == {"nato"}


def test_aldrich_ames_2nd_forbids_the_china_card_after_the_last_card_too() -> None:
    s = second((), (), china=US, round=7)
    given(s, do=Act(7, US)).then(RoundBegan(7, US), RoundPassed(US))


def test_aldrich_ames_2nd_does_not_bind_the_ussr() -> None:
    s = second(("nato",), ("nato",), china=USSR, ussr_hand=("fidel", "nasser"))
    assert {play.partition(":")[2] for play in plays(s, USSR)} == {"fidel", "nasser", "china_card"}


def test_aldrich_ames_2nd_lets_un_intervention_be_played_in_its_place_for_its_operations() -> None:
    s = second(("fidel", "un_intervention"), ("un_intervention", "fidel"))
    uses = ("influence", "coup", "realign")
    given(s, do=PlayCard(US)).asks(US, *(f"{use}:un_intervention" for use in uses))


def test_aldrich_ames_2nd_keeps_un_intervention_from_moving_beside_another_card() -> None:
    hand = ("fidel", "un_intervention")
    assert "cancel:fidel" in plays(second(hand, ()), US)
    assert "cancel:fidel" not in plays(second(hand, hand), US)


def test_aldrich_ames_2nd_under_quagmire_discards_the_first_card_worth_2() -> None:
    order = ("captured_nazi_scientist", "fidel", "nato")
    s = second(("nato", "fidel", "captured_nazi_scientist"), order, beside=("quagmire",))
    given(s, do=PlayCard(US)).asks(US, "discard:fidel")


@pytest.mark.parametrize(("round", "playable"), [(6, "nato"), (7, "asia_scoring")])
def test_aldrich_ames_2nd_cannot_make_the_us_hold_a_scoring_card(round: int, playable: str) -> None:
    """In the last round the scoring card must be played, wherever it stands in the order."""
    s = second(("nato", "asia_scoring"), ("nato", "asia_scoring"), round=round)
    assert cards(s) == {playable}


def test_aldrich_ames_2nd_has_several_scoring_cards_played_in_the_order() -> None:
    order = ("nato", "europe_scoring", "asia_scoring")
    s = second(("asia_scoring", "europe_scoring", "nato"), order, round=6)
    given(s, do=PlayCard(US)).asks(US, "event:europe_scoring")


def test_aldrich_ames_2nd_resolves_before_ask_not_in_the_headline_phase() -> None:
    headlines = {US: "ask_not_what_your_country", USSR: AMES}
    s = table(edition="second", phase="headline", round=0, us_hand=("nato", "fidel"), headlines=headlines)
    given(s, do=OrderHeadlines()).includes(HeadlineBegan(USSR, AMES), EventBegan(AMES, USSR)).asks(
        USSR, "nato", "fidel"
    )


def test_aldrich_ames_2nd_has_the_cards_that_ask_not_keeps_played_before_the_new_ones() -> None:
    s = second(("nato", "fidel"), ("nato", "fidel"), deck=("comecon",))
    exchanged = [CardDiscarded(US, "nato", "ask_not_what_your_country"), CardsDealt(US, ("comecon",))]
    assert cards(fold(s, exchanged)) == {"fidel"}


def test_aldrich_ames_2nd_leaves_the_us_free_when_ask_not_replaced_every_card() -> None:
    s = second(("nato",), ("nato",), deck=("comecon", "fidel"))
    exchanged = [CardDiscarded(US, "nato", "ask_not_what_your_country"), CardsDealt(US, ("comecon", "fidel"))]
    assert cards(fold(s, exchanged)) == {"comecon", "fidel"}


def test_aldrich_ames_2nd_is_followed_by_the_ussr() -> None:
    s = resolving(table(edition="second", us_hand=("nato", "fidel")), AMES, USSR)
    game = given(s, do=Event(USSR, AMES))
    facts = [*game.facts, *game.when(USSR, "fidel", "nato").facts]
    seen = folded(s, USSR, facts, us=("?", "?"), ussr=())
    assert (seen.hands[US], seen.order) == (("fidel", "nato"), ("fidel", "nato"))
