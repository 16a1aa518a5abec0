"""The campaign (book 002, Campaign; ruling T-CAMPAIGN)."""

from __future__ import annotations

from random import Random

import pytest

from domain.kernel import Ended, asked
from domain.piles import Pile
from domain.thirteen_minutes import GAME
from domain.thirteen_minutes.battle import BeginBattle, Bid, Deal, EndBattle
from domain.thirteen_minutes.board import SIDES, US, USSR
from domain.thirteen_minutes.facts import BattleBegan, BidMade, HandDealt
from domain.thirteen_minutes.rules import card_ids
from domain.thirteen_minutes.scoring_facts import BattleEnded, WarChecked
from domain.thirteen_minutes.state import State
from tests.domain.properties import random_match
from tests.domain.thirteen_minutes.tables import empty, lying, table
from tests.scenario import given

CAMPAIGN = {"campaign": True}
SWAPPED = {US: USSR, USSR: US}


def ending(us: int, ussr: int, options: dict[str, object] | None = None, **changes: object) -> State:
    """The end of a battle with so many VP."""
    return table({**CAMPAIGN, **(options or {})}, vp={US: us, USSR: ussr}, **changes)


def test_t_campaign_adds_vp_over_battles() -> None:
    """T-CAMPAIGN: the sum decides, not the battles."""
    ended = given(ending(5, 2, totals={US: 3, USSR: 6}), do=EndBattle())
    ended.includes(BattleEnded(1, US, 5, 2, {US: 8, USSR: 8})).has(totals={US: 8, USSR: 8}, result=None)


def test_t_campaign_goes_on_below_13() -> None:
    """Book 002, Campaign: until one player has 13 VP; the next battle is dealt anew."""
    s = ending(7, 4, totals={US: 5, USSR: 4}, territories=lying(cuba=("us", 1, 0)), plays=10, war="")
    ended = given(s, do=EndBattle())
    began = BattleBegan(2, {US: US, USSR: USSR}, card_ids(s), "reconstruction")
    ended.then(BattleEnded(1, US, 7, 4, {US: 12, USSR: 8}), began).asks("chance")
    ended.has(
        battle=2,
        deck=Pile.of(card_ids(s)),
        hands={US: (), USSR: ()},
        supply={US: 13, USSR: 13},
        territories={},
        plays=0,
        vp={},
        first="",
        cuba="",
        over=False,
    )
    assert isinstance(ended.table.agenda[-1], Deal)
    assert Deal(US).label(ended.table) == "deal/b2/us"


def test_t_campaign_ends_at_13() -> None:
    """Book 002, Campaign: 13 VP."""
    ended = given(ending(4, 5, totals={US: 9, USSR: 2}), do=EndBattle())
    ended.includes(Ended(US, "campaign_points", {US: 13, USSR: 7})).asks_nobody()


def test_t_campaign_both_past_13_higher_sum_wins() -> None:
    """T-CAMPAIGN: both in the same battle: the higher sum."""
    ended = given(ending(4, 6, totals={US: 10, USSR: 9}), do=EndBattle())
    ended.includes(Ended(USSR, "campaign_points", {US: 14, USSR: 15}))


def test_t_campaign_equal_at_13_plays_on() -> None:
    """T-CAMPAIGN, campaign_equal = play_on (recommended): one more battle."""
    ended = given(ending(4, 5, totals={US: 10, USSR: 9}), do=EndBattle()).has(result=None, battle=2)
    ended.asks("chance")


def test_t_campaign_equal_at_13_is_a_draw_in_the_other_reading() -> None:
    """T-CAMPAIGN, campaign_equal = draw."""
    s = ending(4, 5, {"campaign_equal": "draw"}, totals={US: 10, USSR: 9})
    given(s, do=EndBattle()).includes(Ended(None, "campaign_equal", {US: 14, USSR: 14}))


def test_t_campaign_ends_with_its_last_battle_below_13() -> None:
    """A reading of the house (option campaign_battles): in the book a campaign may go on for ever."""
    last: dict[str, object] = {"campaign_battles": 1}
    ended = given(ending(4, 2, last, totals={US: 3, USSR: 4}), do=EndBattle())
    ended.includes(Ended(US, "campaign_over", {US: 7, USSR: 6})).asks_nobody()
    given(ending(1, 1, last), do=EndBattle()).includes(Ended(None, "campaign_equal", {US: 1, USSR: 1}))


def test_t_campaign_equal_at_13_in_the_last_battle_is_a_draw() -> None:
    """Options campaign_battles and campaign_equal: there is no battle left to play on."""
    s = ending(4, 5, {"campaign_battles": 1}, totals={US: 10, USSR: 9})
    given(s, do=EndBattle()).includes(Ended(None, "campaign_equal", {US: 14, USSR: 14}))


def test_t_campaign_is_lost_at_once_by_a_nuclear_war() -> None:
    """Book 002, Campaign: whatever the score, also in the first battle."""
    ended = given(ending(9, 0, totals={US: 12, USSR: 0}, war=US), do=EndBattle())
    ended.includes(Ended(USSR, "nuclear_war", {US: 21, USSR: 0})).asks_nobody()


def test_t_campaign_ends_without_a_winner_when_both_start_the_war() -> None:
    """T-CAMPAIGN: both: the campaign ends, and no side wins."""
    ended = given(ending(3, 4, war="both"), do=EndBattle())
    ended.includes(Ended(None, "nuclear_war_both", {US: 3, USSR: 4}))


def test_single_battle_is_the_default_and_ends_below_13() -> None:
    """Book 002, Campaign: play a single battle, or sum up."""
    given(table(vp={US: 3, USSR: 2}), do=EndBattle()).includes(Ended(US, "more_points", {US: 3, USSR: 2}))


def test_campaign_sides_fixed_keeps_superpowers() -> None:
    """Notes A6, campaign_sides = fixed: the default."""
    given(ending(1, 2), do=EndBattle()).has(seats={US: US, USSR: USSR})


def test_campaign_sides_swapped_changes_superpowers_after_each_battle() -> None:
    """Notes A6, campaign_sides = swapped: the seat is the player; the player's side changes."""
    s = ending(1, 2, {"campaign_sides": "swapped"})
    second = given(s, do=EndBattle()).has(seats=SWAPPED, battle=2)
    third = table(
        {**CAMPAIGN, "campaign_sides": "swapped"}, seats=second.table.seats, vp={US: 1, USSR: 1}, battle=2
    )
    given(third, do=EndBattle()).has(seats={US: US, USSR: USSR}, battle=3)


def test_campaign_sides_swapped_deals_and_asks_the_player_of_the_side() -> None:
    """The US cards go to the player of the US now, who alone sees them, and who bids for the US."""
    s = table(CAMPAIGN, seats=SWAPPED, supply={US: 13, USSR: 13})
    dealt = given(s, do=Deal(US)).when("chance", "us-4", "us-5").then(HandDealt(USSR, US, ("us-4", "us-5")))
    assert Deal(US).label(dealt.table) == "deal/b1/ussr"
    assert HandDealt(USSR, US, ("us-4", "us-5")).known_to() == (USSR,)
    bids = given(s, do=Bid(1, SIDES))
    assert asked(bids.table) == (USSR, US)
    bids.when(USSR, "3").then(BidMade(USSR, US, 1, 3))


def test_campaign_sides_swapped_counts_vp_for_the_seat() -> None:
    """Campaign VP belong to the player, who won them with either superpower."""
    s = ending(6, 2, {"campaign_sides": "swapped"}, seats=SWAPPED, totals={US: 4, USSR: 7})
    ended = given(s, do=EndBattle())
    ended.includes(
        BattleEnded(1, US, 6, 2, {US: 6, USSR: 13}),
        Ended(USSR, "campaign_points", {US: 6, USSR: 13}),
    )
    assert GAME.score(s) == {US: 6, USSR: 13}


def test_campaign_sides_swapped_both_past_13_the_higher_sum_of_a_seat_wins() -> None:
    """T-CAMPAIGN: sums belong to the players, not to the superpowers of this battle."""
    s = ending(8, 7, {"campaign_sides": "swapped"}, seats=SWAPPED, totals={US: 6, USSR: 7})
    given(s, do=EndBattle()).includes(
        BattleEnded(1, US, 8, 7, {US: 13, USSR: 15}), Ended(USSR, "campaign_points", {US: 13, USSR: 15})
    )
    level = ending(6, 7, {"campaign_sides": "swapped"}, seats=SWAPPED, totals={US: 6, USSR: 7})
    given(level, do=EndBattle()).has(result=None, battle=2, seats={US: US, USSR: USSR})


def test_campaign_sides_swapped_war_loses_for_the_seat() -> None:
    """The player of the side that starts the war loses."""
    s = ending(6, 2, {"campaign_sides": "swapped"}, seats=SWAPPED, war=US)
    given(s, do=EndBattle()).includes(Ended(US, "nuclear_war", {US: 2, USSR: 6}))


@pytest.mark.parametrize("seed", range(25))
def test_campaign_ends_with_13_or_a_war(seed: int) -> None:
    """Book 002, Campaign, over whole random campaigns."""
    facts = random_match(GAME, Random(seed), options=CAMPAIGN).facts
    battles = [fact for fact in facts if isinstance(fact, BattleEnded)]
    wars = [fact.started for fact in facts if isinstance(fact, WarChecked)]
    assert not any(wars[:-1])
    assert all(max(fact.totals.values()) < 13 for fact in battles[:-1] if len(set(fact.totals.values())) > 1)
    assert wars[-1] or max(battles[-1].totals.values()) >= 13
    assert [fact.battle for fact in facts if isinstance(fact, BattleBegan)] == list(
        range(1, len(battles) + 1)
    )


def test_begin_battle_names_the_card_set() -> None:
    """The reconstruction is called so from the first fact on."""
    given(empty(), do=BeginBattle()).has(battle=1)
    began = given(empty(), do=BeginBattle()).facts[0]
    assert isinstance(began, BattleBegan)
    edition, options = GAME.settle(None, {})
    words = GAME.words("en", options, edition)
    assert words.sentence(began) == "Battle 1 begins. Card set: reconstruction, not the published cards."
