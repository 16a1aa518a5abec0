"""Set-up and the struggle for the initiative (book 002)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from domain.kernel import Answer, asked, begin, decide, prompt
from domain.piles import Pile
from domain.thirteen_minutes import GAME
from domain.thirteen_minutes.battle import BeginBattle, Bid, ChooseFirst, Deal, DealCuba
from domain.thirteen_minutes.board import SIDES, US, USSR, Territory
from domain.thirteen_minutes.components import RECONSTRUCTION
from domain.thirteen_minutes.facts import (
    BattleBegan,
    BidMade,
    BidsLost,
    BidsOpened,
    CubaDealt,
    FirstPlayerChosen,
    FirstPlayerDrawn,
    HandDealt,
)
from domain.thirteen_minutes.state import Settings, State
from tests.domain.thirteen_minutes.tables import empty, table
from tests.scenario import given

ALL_CARDS = tuple(card.id for card in RECONSTRUCTION.cards)
BIDS = tuple(str(cubes) for cubes in range(14))


def bidding() -> State:
    """Before the bids: all cubes are there, and no side is first yet."""
    return table(supply={US: 13, USSR: 13}, first="")


def test_set_up_gives_each_side_13_cubes_and_collects_all_13_cards() -> None:
    """Book 002, Set-up: 13 blue cubes, 13 red cubes, the whole deck is shuffled."""
    opening = begin(empty(), (BeginBattle(),))
    began = BattleBegan(1, {US: US, USSR: USSR}, ALL_CARDS, "reconstruction")
    assert opening.facts == [began]
    assert opening.table.supply == {US: 13, USSR: 13}
    assert opening.table.deck == Pile.of(ALL_CARDS)


def test_set_up_deals_two_cards_to_each_then_cuba_and_leaves_eight() -> None:
    """Book 002, Set-up: two cards each, one face down to the middle."""
    start = given(empty(), do=BeginBattle())
    start.asks("chance", *ALL_CARDS).when("chance", "us-1", "un-2").then(HandDealt(US, US, ("un-2", "us-1")))
    start.when("chance", "ussr-1", "us-2").then(HandDealt(USSR, USSR, ("us-2", "ussr-1")))
    start.when("chance", "un-3").then(CubaDealt("un-3"))
    start.has(cuba="un-3", territories={"cuba": Territory("neutral")})
    assert start.table.deck.size == 8
    assert asked(start.table) == SIDES


def test_set_up_draws_have_labels_of_their_own() -> None:
    """Coordinates of the secret draws: battle, then the seat or Cuba."""
    s = table()
    assert Deal(US).label(s) == "deal/b1/us"
    assert Deal(USSR).label(s) == "deal/b1/ussr"
    assert DealCuba().label(s) == "deal/b1/cuba"
    assert not any(step.face_up(s) for step in (Deal(US), DealCuba()))


def test_t_cuba_is_known_to_no_player() -> None:
    """T-CUBA: face down, unseen by both; also spectators see that a card was dealt, not which."""
    dealt = CubaDealt("un-3")
    assert [dealt.seen_by(viewer) for viewer in (US, USSR, None)] == [CubaDealt("?")] * 3


def test_t_bid_offers_0_to_13_cubes_to_both_at_once() -> None:
    """T-BID: secret and simultaneous, zero allowed."""
    given(bidding(), do=Bid(1, SIDES)).asks(US, *BIDS).asks(USSR, *BIDS)


def test_t_bid_is_known_to_the_bidder_only_until_both_are_made() -> None:
    """T-BID: the first fist stays closed."""
    made = given(bidding(), do=Bid(1, SIDES)).when(USSR, "7").then(BidMade(USSR, USSR, 1, 7))
    assert asked(made.table) == (US,)
    assert BidMade(USSR, USSR, 1, 7).seen_by(US) == BidMade(USSR, USSR, 1, "?")
    assert Bid.secret


def test_t_bid_may_come_in_any_order() -> None:
    """T-BID: which player bids first says nothing about the result."""
    for order in (SIDES, (USSR, US)):
        bids = given(bidding(), do=Bid(1, SIDES))
        for seat in order:
            bids.when(seat, "4" if seat == US else "3")
        bids.includes(BidsOpened(1, 4, 3, US), BidsLost(9, 10)).asks(US, *SIDES)


def test_t_bid_equal_bids_are_repeated_and_cost_nothing() -> None:
    """T-BID: a tie is bid again; the failed round is shown with both numbers."""
    tied = given(bidding(), do=Bid(1, SIDES)).when(US, "5").when(USSR, "5")
    tied.then(BidMade(USSR, USSR, 1, 5), BidsOpened(1, 5, 5, None))
    tied.has(supply={US: 13, USSR: 13}, bids={}).asks(US, *BIDS).asks(USSR, *BIDS)
    question = prompt(tied.table, US)
    assert question is not None
    assert question.why["round"] == 2


@pytest.mark.parametrize("first", SIDES)
def test_t_bid_after_ten_equal_bids_in_a_row_chance_says_who_goes_first(first: str) -> None:
    """A reading of the house (option equal_bids): the book repeats a tie without end."""
    tied = given(bidding(), do=Bid(1, SIDES))
    for round in range(1, 10):
        tied.when(US, "0").when(USSR, "0").includes(BidsOpened(round, 0, 0, None)).asks(US, *BIDS)
    tied.when(US, "7").when(USSR, "7").then(BidMade(USSR, USSR, 10, 7), BidsOpened(10, 7, 7, None))
    tied.asks("chance", *SIDES).when("chance", first).then(FirstPlayerDrawn(first))
    tied.has(first=first, supply={US: 13, USSR: 13}, bids={})


def test_t_bid_as_many_equal_bids_as_the_option_says() -> None:
    """Option equal_bids: with 1 the first tie is the last."""
    s = replace(bidding(), options=Settings(equal_bids=1))
    given(s, do=Bid(1, SIDES)).when(US, "3").when(USSR, "3").asks("chance", *SIDES)


def test_a_match_without_the_option_has_the_limit_too() -> None:
    """Matches that were opened before equal_bids and campaign_battles existed end as the others do."""
    s = GAME.table("standard", {"campaign": True})
    assert isinstance(s, State)
    assert (s.options.equal_bids, s.options.campaign_battles) == (10, 13)


def test_t_bid_removes_both_final_bids_for_good() -> None:
    """Book 002, Initiative: afterwards both bids leave the game, the loser's too."""
    won = given(bidding(), do=Bid(3, SIDES)).when(US, "2").when(USSR, "6")
    won.includes(BidsOpened(3, 2, 6, USSR), BidsLost(11, 7)).has(supply={US: 11, USSR: 7})


def test_t_bid_higher_bidder_says_who_goes_first() -> None:
    """Book 002, Initiative: the higher bidder decides who goes first."""
    for first in SIDES:
        chosen = given(bidding(), do=ChooseFirst(USSR)).asks(USSR, US, USSR).when(USSR, first)
        chosen.then(FirstPlayerChosen(USSR, first)).has(first=first)


def test_t_bid_with_hands_already_dealt() -> None:
    """T-BID: the players know their two cards while they bid."""
    s = begin(empty(), (BeginBattle(),)).table
    for picks in (("us-1", "us-2"), ("us-3", "us-4"), ("un-1",)):
        s = decide(s, Answer("chance", picks)).table
    assert isinstance(s.agenda[-1], Bid)
    assert s.hands == {US: ("us-1", "us-2"), USSR: ("us-3", "us-4")}
