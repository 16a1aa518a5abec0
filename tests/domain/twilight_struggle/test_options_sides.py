"""Bids for the superpowers, and a handicap (book 003, 11.4; book 000, 11.1.3).

A seat that bids is a player's chair; once the sides are settled a seat is the superpower (see `test_places`).
"""

from __future__ import annotations

from typing import Any

import pytest

from domain.kernel import CHANCE, prompt
from domain.twilight_struggle import GAME
from domain.twilight_struggle.components import OTHER, SIDES, US, USSR
from domain.twilight_struggle.facts.board import InfluenceSet
from domain.twilight_struggle.facts.flow import (
    BidMade,
    BidPassed,
    BidRaised,
    BidsOpened,
    SidesSettled,
    TurnBegan,
)
from domain.twilight_struggle.facts.tracks import ScoreMoved
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.setup import Bid, PlaceExtra
from tests.domain.twilight_struggle.optional import dealt, opened, placed, under
from tests.scenario import Scenario, given

EXCHANGED, AS_SEATED = True, False


def set_up(match: Scenario[State]) -> Scenario[State]:
    """The deal, and the free influence: Poland and Romania; West Germany and France."""
    soviet = placed(placed(dealt(match), USSR, "poland", 3), USSR, "romania", 3)
    return placed(placed(soviet, US, "west_germany", 4), US, "france", 3)


def test_without_a_bid_each_player_plays_the_side_of_their_seat() -> None:
    opened(bid="none").asks(CHANCE).has(exchanged=False, gift=0, vp=0)
    assert set_up(opened(bid="none")).table.phase == "headline"


# --------------------------------------------------------------------------- the auction of book 000


def auction(first: str, edition: str = "second") -> Scenario[State]:
    """An auction in which chance lets this chair begin."""
    return opened(edition, bid="victory_points").asks(CHANCE, US, USSR).when(CHANCE, first)


@pytest.mark.parametrize("edition", GAME.editions)
@pytest.mark.parametrize("first", SIDES)
def test_auction_chance_says_who_bids_first(edition: str, first: str) -> None:
    match = auction(first, edition).asks(first)
    assert prompt(match.table, OTHER[first]) is None


def test_auction_the_first_bid_names_a_superpower_and_points() -> None:
    """0 to 19 points, for either side, or nothing: 20 would be the opponent's victory."""
    question = prompt(auction(US).table, US)
    assert question is not None
    assert set(question.options) == {f"{side}:{points}" for side in SIDES for points in range(20)} | {"pass"}


def test_auction_a_bid_can_be_raised_for_the_same_superpower_only() -> None:
    raised = auction(USSR).when(USSR, "us:3").then(BidRaised(USSR, "us", 3))
    raised.asks(US, *(f"us:{points}" for points in range(4, 20)), "pass").refuses(US, "us:3")
    raised.refuses(US, "ussr:5").when(US, "us:5").then(BidRaised(US, "us", 5))
    raised.refuses(USSR, "us:5").asks(USSR, *(f"us:{points}" for points in range(6, 20)), "pass")


def test_auction_the_highest_bid_cannot_be_raised() -> None:
    auction(USSR).when(USSR, "us:19").asks(US, "pass")


@pytest.mark.parametrize(
    ("bidder", "side", "exchanged", "vp"),
    [
        (US, US, AS_SEATED, -4),
        (US, USSR, EXCHANGED, 4),
        (USSR, USSR, AS_SEATED, 4),
        (USSR, US, EXCHANGED, -4),
    ],
)
def test_auction_the_winner_pays_the_other_side(bidder: str, side: str, exchanged: bool, vp: int) -> None:
    """4 points for the superpower that the player did not want; no influence."""
    match = auction(bidder).when(bidder, f"{side}:4").when(OTHER[bidder], "pass")
    match.then(
        BidPassed(OTHER[bidder]),
        SidesSettled(exchanged, OTHER[side], 0),
        ScoreMoved(OTHER[side], 4, vp, "bid"),
    ).has(exchanged=exchanged, vp=vp, gift=0, bids={}).asks(CHANCE)


def test_auction_only_the_winning_bid_is_paid() -> None:
    match = auction(US).when(US, "ussr:1").when(USSR, "ussr:2").when(US, "ussr:6").when(USSR, "pass")
    match.then(BidPassed(USSR), SidesSettled(EXCHANGED, US, 0), ScoreMoved(US, 6, 6, "bid")).has(vp=6)


def test_auction_a_bid_of_nothing_wins_for_nothing() -> None:
    match = auction(US).when(US, "ussr:0").when(USSR, "pass")
    match.then(BidPassed(USSR), SidesSettled(EXCHANGED, US, 0)).has(vp=0)


def test_auction_who_passes_first_may_be_followed_by_a_bid() -> None:
    match = auction(US).when(US, "pass").then(BidPassed(US)).when(USSR, "us:2").asks(US, *later(3), "pass")
    match.when(US, "pass").then(
        BidPassed(US), SidesSettled(EXCHANGED, USSR, 0), ScoreMoved(USSR, 2, -2, "bid")
    )


def later(least: int) -> tuple[str, ...]:
    """The bids for the US from so many points on."""
    return tuple(f"us:{points}" for points in range(least, 20))


def test_auction_both_pass_at_once_and_no_player_pays() -> None:
    match = auction(USSR).when(USSR, "pass").when(US, "pass")
    match.then(BidPassed(US), SidesSettled(AS_SEATED, US, 0)).has(vp=0, exchanged=False)
    assert set_up(match).table.phase == "headline"


def test_auction_comes_before_the_deal() -> None:
    """Nothing that one player hides from the other lies on the table when they change places."""
    match = auction(US).has(hands={US: (), USSR: ()}).when(US, "ussr:3").has(hands={US: (), USSR: ()})
    match.when(USSR, "pass").asks(CHANCE).has(hands={US: (), USSR: ()})


# --------------------------------------------------------------------------- sealed bids of book 003


def sealed(us: str, ussr: str, **options: Any) -> Scenario[State]:
    """Both chairs have made their bids."""
    return opened(bid="influence", **options).when(US, us).when(USSR, ussr)


def test_sealed_bids_are_made_in_secret_and_at_once() -> None:
    match = opened(bid="influence").asks(US).asks(USSR)
    match.when(USSR, "us:4").then(BidMade(USSR, "us:4")).asks(US)
    (made,) = match.facts
    assert made.seen_by(US) == made.seen_by(None) == BidMade(USSR, "?")
    match.refuses(USSR, "us:5").when(US, "us:2").includes(BidMade(US, "us:2"), BidsOpened("us:2", "us:4"))


def test_sealed_bids_name_a_superpower_and_0_to_20() -> None:
    options = {f"{side}:{points}" for side in SIDES for points in range(21)}
    opened(bid="influence").asks(US, *options).asks(USSR, *options).refuses(US, "us:21").refuses(US, "pass")


@pytest.mark.parametrize(
    ("us", "ussr", "exchanged"), [("us:9", "ussr:1", AS_SEATED), ("ussr:9", "us:1", EXCHANGED)]
)
def test_sealed_bids_for_different_superpowers_give_each_player_their_own(
    us: str, ussr: str, exchanged: bool
) -> None:
    """And no influence to any side."""
    match = sealed(us, ussr).includes(SidesSettled(exchanged, US, 0)).has(gift=0)
    assert set_up(match).table.phase == "headline"


@pytest.mark.parametrize(
    ("us", "ussr", "exchanged", "to", "gift"),
    [
        ("us:3", "us:2", AS_SEATED, USSR, 3),
        ("us:2", "us:3", EXCHANGED, USSR, 3),
        ("ussr:2", "ussr:5", AS_SEATED, US, 5),
        ("ussr:5", "ussr:2", EXCHANGED, US, 5),
    ],
)
def test_sealed_bids_for_one_superpower_go_to_the_higher(
    us: str, ussr: str, exchanged: bool, to: str, gift: int
) -> None:
    """The opponent gets the number of the winner as influence."""
    sealed(us, ussr).includes(SidesSettled(exchanged, to, gift)).has(gift=gift, gift_to=to, bids={})


@pytest.mark.parametrize(("chair", "exchanged"), [(US, EXCHANGED), (USSR, AS_SEATED)])
def test_sealed_bids_that_are_equal_are_settled_by_chance(chair: str, exchanged: bool) -> None:
    tie = sealed("ussr:5", "ussr:5").asks(CHANCE, US, USSR)
    tie.when(CHANCE, chair).then(SidesSettled(exchanged, US, 5)).has(gift=5)


def test_sealed_bids_of_nothing_give_nothing() -> None:
    match = sealed("us:0", "us:0").when(CHANCE, US).then(SidesSettled(AS_SEATED, USSR, 0))
    assert set_up(match).table.phase == "headline"


# --------------------------------------------------------------------------- 11.4.1: the influence of a bid


def test_11_4_1_the_influence_is_placed_after_the_whole_set_up() -> None:
    """5 for the US after its 7; the match goes on with turn 1 when they are placed."""
    match = set_up(sealed("ussr:5", "ussr:1"))
    match.asks(US, *at_the_start(US), "west_germany", "france")
    placed(match, US, "france", 2).when(US, "iran").when(US, "iran").when(US, "japan").includes(
        InfluenceSet(US, "japan", 1, 2), TurnBegan(1)
    )


def test_11_4_1_it_goes_only_where_the_side_has_influence() -> None:
    match = set_up(sealed("us:2", "us:1")).asks(USSR, *at_the_start(USSR), "poland", "romania")
    match.refuses(USSR, "hungary").refuses(USSR, "italy").when(USSR, "finland").when(USSR, "iraq")
    match.includes(InfluenceSet(USSR, "iraq", 1, 2), TurnBegan(1))


def at_the_start(side: str) -> tuple[str, ...]:
    """Where a side of the Deluxe edition stands at the beginning."""
    return tuple(opened().table.influence[side])


@pytest.mark.parametrize(
    ("own", "enemy", "most"),
    [
        (3, 1, 6),  # the printed example: control takes 4
        (1, 0, 5),
        (4, 4, 9),
    ],
)
def test_11_4_1_at_most_2_more_than_control_needs(own: int, enemy: int, most: int) -> None:
    """South Korea has stability 3."""
    s = under({"bid": "influence"}, us={"south_korea": own, "australia": 1}, ussr={"south_korea": enemy})
    match = given(s, do=PlaceExtra(US, "bid", 20, 20))
    placed(match, US, "south_korea", most - own).refuses(US, "south_korea").asks(US, "australia")


def test_11_4_1_what_finds_no_place_is_lost() -> None:
    """Lebanon, stability 1, takes 3 of 20."""
    s = under({"bid": "influence"}, us={"lebanon": 1})
    match = given(s, do=PlaceExtra(US, "bid", 20, 20)).when(US, "lebanon").when(US, "lebanon")
    match.asks_nobody().has(influence={US: {"lebanon": 3}, USSR: {}})


def test_11_4_1_in_the_late_war_scenario_it_is_placed_as_well() -> None:
    """The scenario prints where everything lies; then the influence of the bid, then turn 8."""
    match = sealed("us:2", "us:1", scenario="late_war").asks(USSR).when(USSR, "cuba")
    match.then(InfluenceSet(USSR, "cuba", 1, 4)).when(USSR, "cuba").includes(TurnBegan(8))


# --------------------------------------------------------------------------- a handicap


@pytest.mark.parametrize(("handicap", "seat", "country"), [(2, US, "iran"), (-2, USSR, "iraq")])
@pytest.mark.parametrize("edition", GAME.editions)
def test_handicap_is_extra_influence_of_a_side(edition: str, handicap: int, seat: str, country: str) -> None:
    """Above 0 for the US, below for the USSR; placed as the influence of a bid is, after the set-up."""
    match = set_up(opened(edition, handicap=handicap)).asks(seat).refuses(seat, "brazil")
    match.when(seat, country).when(seat, country)
    match.includes(InfluenceSet(seat, country, 1, 3), TurnBegan(1))


def test_a_handicap_of_0_asks_no_seat() -> None:
    set_up(opened(handicap=0)).includes(TurnBegan(1))


def test_handicap_keeps_to_2_more_than_control_needs() -> None:
    """The first 3 in Iran, which has stability 2, make 4."""
    match = set_up(opened(handicap=20))
    placed(match, US, "iran", 3).refuses(US, "iran").asks(US)


def test_handicap_comes_with_a_bid_as_well() -> None:
    """First the influence of the bid, then that of the handicap, for whichever side it is."""
    match = set_up(sealed("us:1", "us:0", handicap=-1))
    match.when(USSR, "finland").asks(USSR)
    assert isinstance(match.table.agenda[-1], PlaceExtra)
    match.when(USSR, "iraq").includes(InfluenceSet(USSR, "iraq", 1, 2), TurnBegan(1))


@pytest.mark.parametrize(("handicap", "seat", "country"), [(1, US, "iran"), (-1, USSR, "cuba")])
def test_handicap_in_the_late_war_scenario(handicap: int, seat: str, country: str) -> None:
    match = opened(scenario="late_war", handicap=handicap).asks(seat)
    match.when(seat, country).includes(TurnBegan(8))


def test_an_auction_may_be_held_for_any_edition_and_scenario() -> None:
    match = opened(scenario="late_war", bid="victory_points").when(CHANCE, US)
    assert isinstance(match.table.agenda[-1], Bid)
    match.when(US, "ussr:3").when(USSR, "pass").includes(ScoreMoved(US, 3, -1, "bid"), TurnBegan(8))
