"""The course of a turn: DEFCON, dealing, action rounds, what ends with the turn (sections 4, 8.1 and 9)."""

from __future__ import annotations

import pytest

from domain.kernel import Ended, Fact
from domain.piles import Pile, sorted_cards
from domain.twilight_struggle.facts.cards import CardsAdded, CardsDealt, ChinaPassed, DiscardsReshuffled
from domain.twilight_struggle.facts.flow import (
    EffectsLapsed,
    HeadlinesBegan,
    RoundBegan,
    RoundPassed,
    TurnBegan,
    TurnEnded,
)
from domain.twilight_struggle.facts.tracks import DefconSet
from domain.twilight_struggle.rules.hand import hand_size, rounds
from domain.twilight_struggle.rules.periods import cards_of
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.flow import Act, CloseTurn, EndTurn, Round, Turn
from domain.twilight_struggle.steps.hands import Deal, Replenish
from domain.twilight_struggle.steps.play import Event, PlayCard
from tests.domain.twilight_struggle.table import US, USSR, resolving, table
from tests.scenario import Scenario, given

EIGHT = ("fidel", "nasser", "comecon", "nato", "containment", "blockade", "suez_crisis", "decolonization")
FIVE = ("duck_and_cover", "five_year_plan", "korean_war", "olympic_games", "red_scare_purge")


def of_kind(scenario: Scenario[State], kind: type[Fact[State]]) -> list[Fact[State]]:
    """The latest facts of one kind."""
    return [fact for fact in scenario.facts if isinstance(fact, kind)]


# --------------------------------------------------------------------------- turns and rounds


def test_4_1_turn_10_follows_turn_9() -> None:
    given(table(turn=9, us_hand=("nato",)), do=CloseTurn()).includes(TurnBegan(10)).asks(US)


def test_4_1_no_turn_follows_turn_10() -> None:
    """No side controls anything or has the China Card: final scoring, and a draw."""
    end = given(table(turn=10, china=None), do=CloseTurn()).asks_nobody()
    end.includes(TurnEnded(10, 0, 5), Ended(None, "final_scoring", {US: 0, USSR: 0}))


@pytest.mark.parametrize(("turn", "cards", "played"), [(1, 8, 6), (3, 8, 6), (4, 9, 7), (10, 9, 7)])
def test_4_5_hand_size_and_number_of_rounds(turn: int, cards: int, played: int) -> None:
    assert (hand_size(turn), rounds(turn)) == (cards, played)


def test_4_5_d_rounds_alternate_the_ussr_first() -> None:
    end = given(table(turn=3, china_ready=False), do=Round(5))
    assert of_kind(end, RoundBegan)[:4] == [
        RoundBegan(5, USSR),
        RoundBegan(5, US),
        RoundBegan(6, USSR),
        RoundBegan(6, US),
    ]


def test_4_5_d_a_card_is_done_before_the_next_round_begins() -> None:
    """The Coup of the USSR is rolled, and its card lies in the discards, when the US round begins."""
    s = table(phasing=USSR, us={"colombia": 1}, us_hand=("nato",), ussr_hand=("comecon",))
    rounds_ = given(s, do=(Act(1, USSR), Act(1, US))).when(USSR, "coup:comecon").when(USSR, "colombia")
    rounds_.asks("chance").when("chance", "1").includes(RoundBegan(1, US)).has(discards=("comecon",))
    rounds_.asks(US)


def test_4_5_d_a_player_without_cards_sits_out() -> None:
    act = given(table(china=USSR), do=Act(3, US))
    act.then(RoundBegan(3, US), RoundPassed(US)).asks_nobody()


def test_5_1_no_side_passes_with_cards_in_hand() -> None:
    given(table(us_hand=("nato",)), do=PlayCard(US)).refuses(US, "pass").refuses(US)


def test_5_1_a_card_is_event_or_operations() -> None:
    """An own card: the event, or one kind of Operations; no other way to be rid of it."""
    s = table(us_hand=("containment",), ussr={"iran": 1})
    given(s, do=PlayCard(US)).asks(
        US,
        "event:containment",
        "influence:containment",
        "coup:containment",
        "realign:containment",
        "space:containment",
    )


# --------------------------------------------------------------------------- A: DEFCON


@pytest.mark.parametrize(("before", "after"), [(2, 3), (4, 5)])
def test_4_5_a_defcon_improves_by_1_each_turn(before: int, after: int) -> None:
    turn = given(table(defcon=before, us_hand=("nato",)), do=Turn(2))
    turn.includes(TurnBegan(2), DefconSet(before, after), HeadlinesBegan())


def test_8_1_2_defcon_never_exceeds_5() -> None:
    turn = given(table(defcon=5, us_hand=("nato",)), do=Turn(2))
    turn.has(turn=2, defcon=5)
    assert not of_kind(turn, DefconSet)


# --------------------------------------------------------------------------- B: dealing


def test_4_5_b_both_are_dealt_8_cards_the_ussr_first() -> None:
    deal = given(table(deck=(*EIGHT, *FIVE, "nuclear_test_ban", "marshall_plan", "defectors")), do=Deal())
    deal.when("chance", *EIGHT).then(CardsDealt(USSR, sorted_cards(EIGHT))).asks("chance")
    deal.when("chance", *FIVE, "nuclear_test_ban", "marshall_plan", "defectors").asks_nobody()
    assert {side: len(hand) for side, hand in deal.table.hands.items()} == {US: 8, USSR: 8}


def test_4_5_b_the_china_card_does_not_count() -> None:
    """The USSR holds 7 cards and the China Card: it gets one more."""
    s = table(
        china=USSR, ussr_hand=EIGHT[:7], us_hand=(*FIVE, "nato", "defectors", "norad"), deck=(EIGHT[7],)
    )
    given(s, do=Deal()).when("chance", EIGHT[7]).then(CardsDealt(USSR, (EIGHT[7],)))


def test_4_5_b_held_cards_count() -> None:
    s = table(turn=4, us_hand=EIGHT, ussr_hand=EIGHT, deck=FIVE)
    deal = given(s, do=Deal()).when("chance", "korean_war").when("chance", "duck_and_cover")
    deal.then(CardsDealt(US, ("duck_and_cover",))).asks_nobody()


def test_4_3_1_the_old_deck_is_dealt_out_before_the_discards_are_shuffled() -> None:
    """Five cards, dealt in turn: three to the USSR, two to the US; then the discards become the deck."""
    s = table(deck=FIVE, discards=(*EIGHT, "nuclear_test_ban", "marshall_plan", "defectors"))
    deal = given(s, do=Deal()).when("chance", *FIVE[:3]).then(CardsDealt(USSR, sorted_cards(FIVE[:3])))
    deal.when("chance", *FIVE[3:]).then(CardsDealt(US, sorted_cards(FIVE[3:])), DiscardsReshuffled(11))
    deal.when("chance", *EIGHT[:5]).then(CardsDealt(USSR, sorted_cards(EIGHT[:5]))).has(discards=())
    deal.when("chance", *EIGHT[5:], "nuclear_test_ban", "marshall_plan", "defectors").asks_nobody()
    assert deal.table.deck == Pile()


def test_4_3_nothing_is_reshuffled_while_the_deck_lasts() -> None:
    """The last card of the deck is dealt; the discards stay where they are."""
    s = table(us_hand=EIGHT, ussr_hand=EIGHT[:7], deck=("nato",), discards=FIVE)
    given(s, do=Deal()).when("chance", "nato").then(CardsDealt(USSR, ("nato",))).has(discards=FIVE)


def test_4_3_drawing_in_mid_turn_reshuffles_as_well() -> None:
    s = table(deck=("nato",), discards=("fidel", "nasser"))
    draw = given(s, do=Replenish(US, 2)).when("chance", "nato")
    draw.then(CardsDealt(US, ("nato",)), DiscardsReshuffled(2)).when("chance", "fidel").asks_nobody()


@pytest.mark.parametrize(("turn", "period"), [(4, "mid"), (8, "late")])
def test_4_4_a_new_period_joins_the_deck_without_the_discards(turn: int, period: str) -> None:
    s = table(turn=turn - 1, deck=FIVE, discards=EIGHT, options={"optional_cards": False})
    begun = given(s, do=Turn(turn)).asks("chance").has(discards=EIGHT)
    joined = cards_of("deluxe", period, optional=False)
    begun.includes(CardsAdded(period, joined))
    assert set(begun.table.deck.cards) == {*FIVE, *joined}


@pytest.mark.parametrize("turn", [2, 3, 5, 7, 9])
def test_4_4_no_cards_join_in_other_turns(turn: int) -> None:
    begun = given(table(turn=turn - 1, deck=FIVE), do=Turn(turn))
    assert not of_kind(begun, CardsAdded)


# --------------------------------------------------------------------------- the end of a turn


def test_effects_of_the_turn_lapse_at_its_end() -> None:
    s = table(effects=(("containment", US), ("red_scare_purge", USSR)), military={US: 5, USSR: 5})
    end = given(s, do=EndTurn()).includes(EffectsLapsed(("containment", "red_scare_purge")))
    end.has(effects=())


def test_4_5_g_the_china_card_is_turned_up() -> None:
    closed = given(table(turn=2, china=US, china_ready=False, us_hand=("nato",)), do=CloseTurn())
    closed.includes(TurnEnded(2, 0, 5)).has(china=US, china_ready=True, turn=3)


def test_6_4_2_a_new_turn_brings_a_new_card_for_the_space_race() -> None:
    given(table(spaced={US: 1, USSR: 2}, us_hand=("nato",)), do=CloseTurn()).has(spaced={US: 0, USSR: 0})


# --------------------------------------------------------------------------- 9: China


def test_9_2_the_china_card_takes_an_action_round() -> None:
    """The US plays it instead of a card, which stays in its hand."""
    s = table(china=US, us_hand=("nato",))
    acted = given(s, do=(Act(1, US), Act(2, US))).when(US, "influence:china_card")
    for _ in range(4):
        acted.when(US, "canada")
    acted.includes(ChinaPassed(USSR, False), RoundBegan(2, US)).asks(US)


def test_9_3_it_passes_face_down_and_waits_for_the_next_turn() -> None:
    s = table(phasing=USSR, china=USSR, ussr_hand=("fidel",), us_hand=("nato",), us={"colombia": 1})
    play = given(s, do=(PlayCard(USSR), Act(1, US))).when(USSR, "coup:china_card").when(USSR, "colombia")
    play.when("chance", "1").has(china=US, china_ready=False).refuses(US, "influence:china_card")


def test_9_4_after_an_event_it_may_be_played_in_the_same_turn() -> None:
    """Ussuri River Skirmish in the headline phase: the US may play the card in its first round."""
    s = resolving(table(phase="headline", us_hand=("nato",)), "ussuri_river_skirmish", US)
    event = given(s, do=(Event(US, "ussuri_river_skirmish"), Act(1, US)))
    event.includes(ChinaPassed(US, True)).when(US, "influence:china_card")


@pytest.mark.parametrize(("china", "ready"), [(USSR, True), (US, False)])
def test_9_1_only_the_holder_plays_it_and_face_up(china: str, ready: bool) -> None:
    s = table(china=china, china_ready=ready, us_hand=("nato",))
    given(s, do=PlayCard(US)).refuses(US, "influence:china_card").refuses(US, "space:china_card")


def test_9_5_not_where_it_would_hold_up_a_scoring_card() -> None:
    s = table(turn=1, round=6, china=US, us_hand=("asia_scoring", "nato"))
    given(s, do=PlayCard(US)).asks(US, "event:asia_scoring")


def test_9_5_it_is_no_discard() -> None:
    """Quagmire asks for a card worth 2: only cards of the hand will do."""
    s = table(china=US, us_hand=("fidel",), beside=("quagmire",))
    given(s, do=PlayCard(US)).asks(US, "discard:fidel")


def test_9_8_no_side_must_play_it() -> None:
    """Without other cards the holder may pass."""
    passed = given(table(china=US, us_hand=()), do=PlayCard(US)).when(US, "pass")
    passed.then(RoundPassed(US)).has(china=US, china_ready=True)


def test_the_us_playing_it_ends_formosan_resolution() -> None:
    """On the Space Race too (FAQ 4.2)."""
    s = table(china=US, us_hand=("nato",), beside=("formosan_resolution",))
    given(s, do=PlayCard(US)).when(US, "space:china_card").has(beside=(), removed=("formosan_resolution",))
