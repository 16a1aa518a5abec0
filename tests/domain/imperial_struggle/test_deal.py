"""What is dealt: event cards of the eras, investment tiles, awards, demand (book 001, 4.1.1 to 4.1.6)."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from domain.imperial_struggle import GAME
from domain.imperial_struggle.components import AWARDS, BR, FR, GOODS, INVESTMENTS, REGIONS, SIDES
from domain.imperial_struggle.facts.cards import (
    AwardsLaid,
    AwardsShuffled,
    CardsDealt,
    CardsDropped,
    DemandSet,
    DiscardsReshuffled,
    DropsShown,
    EventsAdded,
    EventsRetired,
    InvestmentsReshuffled,
    InvestmentsShown,
)
from domain.imperial_struggle.steps.flow import DropCards, events_of
from domain.imperial_struggle.steps.tiles import DrawDemand, LayAwards, ShowInvestments
from domain.kernel import CHANCE, prompt
from domain.piles import Pile
from tests.domain import properties
from tests.domain.imperial_struggle.course import LATER, NO_ROUND, begun, by_chance, laid_out, passed, turns
from tests.domain.imperial_struggle.places import events, investments, tables
from tests.domain.imperial_struggle.table import table
from tests.scenario import given

SUCCESSION, EMPIRE, REVOLUTION = (events_of(era) for era in ("succession", "empire", "revolution"))


# --------------------------------------------------------------------------- 4.1.1: the deck


def test_the_eras_have_15_15_and_11_events() -> None:
    assert [len(cards) for cards in (SUCCESSION, EMPIRE, REVOLUTION)] == [15, 15, 11]


def test_turn_1_is_dealt_from_the_events_of_the_succession_era() -> None:
    dealt = [fact for fact in passed() if isinstance(fact, CardsDealt)][:2]
    assert {card for fact in dealt for card in fact.cards} <= set(SUCCESSION)


def test_4_1_1_turn_3_shuffles_in_16_to_30_and_leaves_the_discards_alone() -> None:
    hands = {BR: SUCCESSION[:3], FR: SUCCESSION[3:6]}
    game = begun(3, deck=SUCCESSION[6:10], discards=SUCCESSION[10:], hands=hands)
    assert EventsAdded("empire", EMPIRE) in by_chance(game)
    game.has(discards=SUCCESSION[10:], removed=())
    assert sorted(events(game.table)) == sorted((*SUCCESSION, *EMPIRE))


def test_4_1_1_turn_3_removes_nothing() -> None:
    assert not [fact for fact in laid_out(3)[1] if isinstance(fact, EventsRetired)]


def test_4_1_1_turn_5_removes_the_succession_events_wherever_they_are() -> None:
    """From the draw pile, the discards and the hands; events of the Empire era stay there."""
    hands = {BR: (SUCCESSION[0], EMPIRE[0], EMPIRE[1]), FR: (SUCCESSION[1], SUCCESSION[2], EMPIRE[2])}
    deck = (*SUCCESSION[3:6], *EMPIRE[3:8])
    discards = (SUCCESSION[6], EMPIRE[8], SUCCESSION[7])
    game = begun(5, deck=deck, discards=discards, hands=hands, removed=SUCCESSION[8:])
    retired = EventsRetired(
        tuple(sorted(SUCCESSION[3:6])),
        (SUCCESSION[6], SUCCESSION[7]),
        {BR: SUCCESSION[:1], FR: SUCCESSION[1:3]},
    )
    game.includes(retired, EventsAdded("revolution", REVOLUTION)).has(
        removed=(*SUCCESSION[8:], *sorted(SUCCESSION[:8])),
        hands={BR: EMPIRE[:2], FR: EMPIRE[2:3]},
        discards=EMPIRE[8:9],
        deck=Pile.of((*EMPIRE[3:8], *REVOLUTION)),
    )


def test_4_1_1_cards_removed_from_a_hand_are_not_replaced() -> None:
    """Three cards are drawn as always; who has no more than three then drops none."""
    hands = {BR: SUCCESSION[:3], FR: EMPIRE[:3]}
    game, facts = laid_out(5, deck=(*SUCCESSION[3:], *EMPIRE[3:]), hands=hands)
    assert [len(fact.cards) for fact in facts if isinstance(fact, CardsDealt)] == [3, 3]
    assert [len(game.table.hands[side]) for side in SIDES] == [3, 6]
    assert prompt(game.table, BR) is None
    game.asks(FR)


@pytest.mark.parametrize("seed", range(6))
def test_4_1_1_from_turn_5_on_no_succession_event_is_about(seed: int) -> None:
    for _, s in tables(properties.random_match(GAME, Random(seed))):
        if s.turn >= 5 and s.hands[BR] and set(REVOLUTION) & set(events(s)):
            about = {*s.deck.cards, *s.hands[BR], *s.hands[FR], *s.discards}
            assert not about & set(SUCCESSION)


# --------------------------------------------------------------------------- 4.1.6: event cards


def test_4_1_6_on_turn_1_no_side_drops_a_card() -> None:
    game, facts = laid_out(1)
    assert [(fact.seat, len(fact.cards)) for fact in facts if isinstance(fact, CardsDealt)] == [
        (BR, 3),
        (FR, 3),
    ]
    game.asks(BR)
    question = prompt(game.table, BR)
    assert question is not None
    assert question.ask == "ChooseMinistries"


@pytest.mark.parametrize(("held", "dropped"), [(1, 1), (2, 2), (3, 3), (5, 5)])
def test_4_1_6_each_drops_down_to_three(held: int, dropped: int) -> None:
    game, _ = laid_out(2, deck=SUCCESSION[held:], hands={BR: SUCCESSION[:held], FR: ()})
    assert len(game.table.hands[BR]) == held + 3
    hand = game.table.hands[BR]
    game.asks(BR, *hand).refuses(BR, *hand[: dropped - 1]).refuses(BR, *hand[: dropped + 1])
    game.when(BR, *hand[:dropped])
    game.includes(CardsDropped(BR, hand[:dropped]), DropsShown({BR: hand[:dropped], FR: ()}))
    game.has(discards=hand[:dropped], dropped={BR: (), FR: ()})
    assert game.table.hands[BR] == hand[dropped:]


def four_each() -> Any:
    """Both have to drop a card."""
    hands = {BR: SUCCESSION[:4], FR: SUCCESSION[4:8]}
    return given(table(turn=2, hands=hands, deck=SUCCESSION[8:], **NO_ROUND), do=DropCards(SIDES))


@pytest.mark.parametrize("side", SIDES)
def test_4_1_6_nothing_is_shown_until_both_have_dropped(side: str) -> None:
    game = four_each().asks(BR).asks(FR)
    card = game.table.hands[side][0]
    game.when(side, card).then(CardsDropped(side, (card,))).has(discards=())
    assert game.facts[0].seen_by(side) == game.facts[0]
    other = FR if side == BR else BR
    for viewer in (other, None):
        assert game.facts[0].seen_by(viewer) == CardsDropped(side, ("?",))
    theirs = game.table.hands[other][1]
    game.when(other, theirs).then(
        CardsDropped(other, (theirs,)),
        DropsShown({side: (card,), other: (theirs,)}),
    )
    assert set(game.table.discards) == {card, theirs}


def test_4_1_6_both_dropped_cards_are_shown_at_once() -> None:
    assert DropsShown({BR: ("x",), FR: ("y",)}).known_to() is None
    assert DropsShown.reveals


def test_4_1_6_where_the_pile_runs_out_the_discards_are_reshuffled() -> None:
    """Two cards are left of six that are needed; the six discards become the new pile."""
    game = begun(2, deck=SUCCESSION[:2], discards=SUCCESSION[2:8])
    facts = [fact for fact in by_chance(game) if isinstance(fact, CardsDealt | DiscardsReshuffled)]
    assert [len(fact.cards) if isinstance(fact, CardsDealt) else "shuffled" for fact in facts] == [
        2,
        "shuffled",
        1,
        3,
    ]
    assert game.table.deck.size == 2
    game.has(discards=())


def test_4_1_6_the_rest_of_the_pile_is_dealt_before_the_discards_are_touched() -> None:
    game = begun(2, deck=SUCCESSION[:6], discards=SUCCESSION[6:9])
    assert not [fact for fact in by_chance(game) if isinstance(fact, DiscardsReshuffled)]
    game.has(discards=SUCCESSION[6:9], deck=Pile())


def test_4_1_6_without_pile_and_discards_there_is_nothing_to_deal() -> None:
    game = begun(2, deck=SUCCESSION[:4])
    dealt = [fact for fact in by_chance(game) if isinstance(fact, CardsDealt)]
    assert [(fact.seat, len(fact.cards)) for fact in dealt] == [(BR, 3), (FR, 1)]


# --------------------------------------------------------------------------- 4.1.6: investment tiles


def test_4_1_6_nine_tiles_lie_open_every_turn() -> None:
    for facts in turns(passed()):
        shown = [tile for fact in facts if isinstance(fact, InvestmentsShown) for tile in fact.tiles]
        assert len(shown) == 9
        assert len(set(shown)) == 9


def test_4_1_6_the_used_tiles_are_reshuffled_on_turns_3_and_5() -> None:
    """9, 9 and the last 6; after them 3, 9 and the last 6 of 18, then 3 and 9."""
    counts = []
    for facts in turns(passed()):
        kinds = [fact for fact in facts if isinstance(fact, InvestmentsShown | InvestmentsReshuffled)]
        counts.append(
            [len(fact.tiles) if isinstance(fact, InvestmentsShown) else -fact.count for fact in kinds]
        )
    assert counts == [[9], [9], [6, -18, 3], [9], [6, -18, 3], [9]]


def test_4_1_6_every_tile_is_seen_before_one_returns() -> None:
    first, second, third, *_ = (
        [tile for fact in facts if isinstance(fact, InvestmentsShown) for tile in fact.tiles]
        for facts in turns(passed())
    )
    assert {*first, *second, *third[:6]} == set(INVESTMENTS)


def test_4_1_6_the_tiles_already_open_stay_when_the_stack_is_made_anew() -> None:
    stack, used = tuple(INVESTMENTS)[:6], tuple(INVESTMENTS)[6:]
    start = table(turn=3, stack=Pile.of(stack), used=used, **NO_ROUND)
    game = given(start, do=ShowInvestments()).asks(CHANCE, *stack).when(CHANCE, *stack)
    game.then(InvestmentsShown(stack), InvestmentsReshuffled(18)).asks(CHANCE, *used)
    game.when(CHANCE, *used[:3]).then(InvestmentsShown(used[:3])).has(shown=(*stack, *used[:3]), used=())
    assert sorted(investments(game.table)) == sorted(INVESTMENTS)


# --------------------------------------------------------------------------- 4.1.3: awards


@pytest.mark.parametrize("turn", [1, 3, 5])
def test_4_1_3_the_first_turn_of_an_era_shuffles_all_eight(turn: int) -> None:
    laid = {"given": tuple(AWARDS)} if turn > 1 else {}
    game = begun(turn, **laid).includes(AwardsShuffled(tuple(AWARDS))).asks(CHANCE, *AWARDS)
    picks = ("award_3", "award_1a", "award_0t_a", "award_2")
    game.when(CHANCE, *picks).includes(AwardsLaid(dict(zip(REGIONS, picks, strict=True))))
    game.has(laid=dict(zip(REGIONS, picks, strict=True)), given=())
    assert game.table.awards.size == 4


@pytest.mark.parametrize("turn", [2, 4, 6])
def test_4_1_3_the_second_turn_lays_the_other_four(turn: int) -> None:
    game = begun(turn).asks(CHANCE, *LATER).when(CHANCE, *reversed(LATER))
    assert [game.table.laid[region] for region in REGIONS] == [*reversed(LATER)]
    assert game.table.awards == Pile()


def test_4_1_3_chance_says_which_award_lies_where() -> None:
    """The order of the draw is that of the Regions."""
    game = given(table(turn=2, awards=Pile.of(LATER), **NO_ROUND), do=LayAwards())
    game.when(CHANCE, "award_0t_b", "award_3", "award_0t_a", "award_2").has(
        laid={
            "north_america": "award_0t_b",
            "europe": "award_3",
            "caribbean": "award_0t_a",
            "india": "award_2",
        }
    )


def test_4_1_3_in_an_era_each_award_is_laid_once() -> None:
    laid = [tuple(fact.awards.values()) for fact in passed() if isinstance(fact, AwardsLaid)]
    assert len(laid) == 6
    for first, second in (laid[:2], laid[2:4], laid[4:]):
        assert sorted((*first, *second)) == sorted(AWARDS)


# --------------------------------------------------------------------------- 4.1.4: Global Demand


def test_4_1_4_three_of_the_six_goods_are_drawn_every_turn() -> None:
    game = given(table(turn=2, demand=("furs", "fish", "sugar"), **NO_ROUND), do=DrawDemand())
    game.asks(CHANCE, *GOODS).refuses(CHANCE, "furs", "fish").when(CHANCE, "cotton", "fish", "furs")
    game.then(DemandSet(("furs", "fish", "cotton"))).has(demand=("furs", "fish", "cotton"))


def test_4_1_4_any_good_may_be_in_demand_again() -> None:
    counts = Counter(len(fact.goods) for fact in passed() if isinstance(fact, DemandSet))
    assert counts == {3: 6}
