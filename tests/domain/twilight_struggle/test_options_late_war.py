"""The Late War scenario of the Deluxe edition: set-up, deck, DEFCON and victory (book 003).

Where book 003 and its English original differ (4 points of whom, Spain, Taiwan), the numbers are those that
the rules notes settle.
"""

from __future__ import annotations

from typing import Any

import pytest

from domain.kernel import CHANCE, Ended, prompt
from domain.twilight_struggle.components import SIDES, US, USSR
from domain.twilight_struggle.facts.cards import CardsAdded, CardsDealt
from domain.twilight_struggle.facts.flow import HeadlinesBegan, TurnBegan
from domain.twilight_struggle.facts.tracks import DefconSet
from domain.twilight_struggle.rules.registry import CARDS
from domain.twilight_struggle.rules.scoring import status_of
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.flow import CloseTurn, FinalScoring, Turn
from domain.twilight_struggle.steps.play import Event
from tests.domain.twilight_struggle.optional import dealt, opened, under
from tests.domain.twilight_struggle.table import resolving
from tests.scenario import Scenario, given

# Each country as the scenario's list has it: US/USSR.
INFLUENCE = """
    united_kingdom 5/0, norway 4/0, denmark 3/0, benelux 3/0, france 3/1, spain_portugal 1/0, italy 2/0,
    turkey 2/0, west_germany 5/1, finland 1/2, east_germany 0/3, poland 0/3, czechoslovakia 0/3, hungary 0/3,
    yugoslavia 1/2, romania 1/3, bulgaria 0/3, libya 0/2, egypt 1/0, israel 4/0, syria 0/3, iraq 0/3,
    iran 2/0, jordan 2/2, saudi_arabia 2/0, afghanistan 0/2, pakistan 2/0, india 0/3, australia 4/0,
    taiwan 3/0, japan 4/0, south_korea 3/0, north_korea 0/3, burma 0/1, laos_cambodia 0/2, thailand 2/0,
    vietnam 0/5, malaysia 3/1, indonesia 1/0, philippines 3/1, honduras 2/0, nicaragua 1/0, panama 2/0,
    cuba 0/3, haiti 1/0, dominican_republic 1/0, colombia 2/1, venezuela 2/0, peru 2/1, chile 3/0,
    argentina 2/0, algeria 0/2, nigeria 1/0, zaire 1/0, angola 1/3, ethiopia 0/1, somalia 2/0, kenya 2/0,
    se_african_states 0/2, zimbabwe 0/1, south_africa 2/1
"""
IN_FORCE = (
    "us_japan_mutual_defense_pact",
    "marshall_plan",
    "nato",
    "warsaw_pact_formed",
    "de_gaulle_leads_france",
    "flower_power",
)
DECK = (
    {1, 2, 3, 4, 5, 7, 13, 20, 24, 29, 30, 31, 32, 34, 36, 37, 39, 44, 45, 47, 49, 53, 56, 57, 61, 63, 64, 65}
    | {67, 68, 69, 73, 74, 75, 79, 80, 81}
    | set(range(82, 104))
)
OPTIONAL = {104, 105, 107, 109, 110}
STARRED_IN_THE_DECK = {44, 64, 65, 68}  # Bear Trap, Panama Canal Returned, Camp David Accords, John Paul II


def scenario(**options: Any) -> Scenario[State]:
    """The scenario with these options, up to its first question."""
    return opened(scenario="late_war", **options)


def late(**fields: Any) -> State:
    """A table in the scenario."""
    return under({"scenario": "late_war"}, **{"turn": 10, "phase": "end", "phasing": None, **fields})


# --------------------------------------------------------------------------- set-up


def test_the_tracks() -> None:
    """Turn 8, DEFCON 4, 4 points of the USSR, box 4 of the USSR and box 6 of the US."""
    scenario().has(turn=8, defcon=4, vp=-4, space={US: 6, USSR: 4}, military={US: 0, USSR: 0})


def test_the_influence() -> None:
    printed = dict(entry.split() for entry in INFLUENCE.split(","))
    influence = scenario().table.influence
    for place, side in enumerate(SIDES):
        held = {country: int(both.split("/")[place]) for country, both in printed.items()}
        assert influence[side] == {country: count for country, count in held.items() if count}


@pytest.mark.parametrize(
    ("region", "us", "ussr"),
    [
        ("europe", "presence", "presence"),
        ("asia", "domination", "presence"),
        ("middle_east", "presence", "presence"),
        ("central_america", "presence", "presence"),
        ("south_america", "domination", "none"),
        ("africa", "presence", "presence"),
    ],
)
def test_what_the_sides_have_in_the_regions(region: str, us: str, ussr: str) -> None:
    """As the scenario says, save the Middle East, where its own influence gives no Domination."""
    s = scenario().table
    assert (status_of(s, region, US), status_of(s, region, USSR)) == (us, ussr)


def test_six_cards_are_in_force_and_the_ussr_has_the_china_card() -> None:
    scenario().has(beside=IN_FORCE, china=USSR, china_ready=True)


@pytest.mark.parametrize(("optional", "numbers"), [(True, DECK | OPTIONAL), (False, DECK)])
def test_the_deck_lacks_the_starred_cards_of_earlier_periods_but_four(
    optional: bool, numbers: set[int]
) -> None:
    """The Cambridge Five and Che stay; NORAD and Our Man in Tehran are starred."""
    s = scenario(optional_cards=optional).table
    assert {CARDS[card].number for card in s.deck.cards} == numbers
    earlier = {
        CARDS[card].number for card in s.deck.cards if CARDS[card].period != "late" and CARDS[card].starred
    }
    assert earlier == STARRED_IN_THE_DECK


@pytest.mark.parametrize(("optional", "count"), [(True, 45), (False, 43)])
def test_the_other_starred_cards_are_out_of_the_game(optional: bool, count: int) -> None:
    """Those in force count among them, but lie beside the board."""
    s = scenario(optional_cards=optional).table
    gone = {*s.removed, *s.beside}
    assert len(gone) == count
    assert all(CARDS[card].starred and CARDS[card].period != "late" for card in gone)
    assert not gone & {*s.deck.cards}


def test_no_side_places_influence_and_nine_cards_are_dealt() -> None:
    match = scenario()
    deal = prompt(match.table, CHANCE)
    assert deal is not None
    assert (deal.least, deal.most) == (9, 9)
    dealt(match)
    assert [len(fact.cards) for fact in match.facts if isinstance(fact, CardsDealt)] == [9]
    assert isinstance(match.facts[-1], HeadlinesBegan)
    assert [len(match.table.hands[side]) for side in SIDES] == [9, 9]


def test_both_choose_their_headlines_in_secret() -> None:
    """Both are in box 4 or beyond, so no side has its ability."""
    dealt(scenario()).asks(US).asks(USSR)


def test_no_card_joins_in_turn_8_or_later() -> None:
    for turn in (8, 9, 10):
        s = under({"scenario": "late_war"}, turn=turn - 1 if turn > 8 else 0, us_hand=("nato",))
        assert not any(isinstance(fact, CardsAdded) for fact in given(s, do=Turn(turn)).facts)


def test_the_scenario_ends_with_turn_10() -> None:
    given(late(turn=9), do=CloseTurn()).includes(TurnBegan(10))
    assert given(late(turn=10), do=CloseTurn()).table.result is not None


# --------------------------------------------------------------------------- DEFCON at the beginning


@pytest.mark.parametrize(("reading", "defcon"), [("kept", 4), ("improved", 5)])
def test_late_war_defcon_at_the_beginning_of_turn_8(reading: str, defcon: int) -> None:
    match = scenario(late_war_defcon=reading).has(defcon=defcon, turn=8)
    assert (DefconSet(4, 5) in match.facts) is (reading == "improved")


@pytest.mark.parametrize("reading", ["kept", "improved"])
def test_late_war_defcon_rises_in_turn_9_in_any_case(reading: str) -> None:
    s = under({"scenario": "late_war", "late_war_defcon": reading}, turn=8, defcon=2, us_hand=("nato",))
    given(s, do=Turn(9)).includes(DefconSet(2, 3))


@pytest.mark.parametrize("reading", ["kept", "improved"])
def test_late_war_defcon_says_nothing_about_other_matches(reading: str) -> None:
    opened(late_war_defcon=reading).has(defcon=5)
    s = under({"late_war_defcon": reading}, turn=7, defcon=3, us_hand=("nato",))
    given(s, do=Turn(8)).includes(DefconSet(3, 4))


# --------------------------------------------------------------------------- victory


@pytest.mark.parametrize(("vp", "winner"), [(19, USSR), (20, US), (26, US), (0, USSR), (-3, USSR)])
def test_after_final_scoring_the_us_needs_20_points(vp: int, winner: str) -> None:
    end = given(late(vp=vp, china=None), do=FinalScoring())
    end.includes(Ended(winner, "final_scoring", {US: vp, USSR: -vp}))


@pytest.mark.parametrize(("vp", "winner"), [(19, US), (0, None)])
def test_without_the_scenario_who_leads_wins(vp: int, winner: str | None) -> None:
    end = given(under({}, turn=10, vp=vp, china=None), do=FinalScoring())
    end.includes(Ended(winner, "final_scoring", {US: vp, USSR: -vp}))


def test_final_scoring_can_bring_the_points_that_are_missing() -> None:
    """16, and 4 for Thailand alone: Presence in Asia, and a battleground."""
    end = given(late(vp=16, china=None, us={"thailand": 2}), do=FinalScoring())
    end.includes(Ended(US, "final_scoring", {US: 20, USSR: -20}))


@pytest.mark.parametrize(("vp", "winner"), [(18, USSR), (-5, USSR)])
def test_wargames_of_the_us_is_no_way_to_win_below_20(vp: int, winner: str) -> None:
    """The USSR gets 6 points first, so the US, below 20 anyhow, has lost."""
    s = late(turn=9, phase="rounds", defcon=2, vp=vp, phasing=US)
    end = given(resolving(s, "wargames", US), do=Event(US, "wargames")).when(US, "end")
    end.includes(Ended(winner, "wargames", {US: vp - 6, USSR: 6 - vp}))


def test_wargames_of_the_us_wins_for_who_leads_in_other_matches() -> None:
    s = under({}, turn=9, defcon=2, vp=18)
    end = given(resolving(s, "wargames", US), do=Event(US, "wargames")).when(US, "end")
    end.includes(Ended(US, "wargames", {US: 12, USSR: -12}))


def test_wargames_of_the_ussr_asks_for_no_20_points() -> None:
    s = late(turn=9, phase="rounds", defcon=2, vp=1, phasing=USSR)
    end = given(resolving(s, "wargames", USSR), do=Event(USSR, "wargames")).when(USSR, "end")
    end.includes(Ended(US, "wargames", {US: 7, USSR: -7}))


def test_automatic_victories_are_the_ordinary_ones() -> None:
    """20 points of either side win at once."""
    for side, vp in ((US, 18), (USSR, -18)):
        s = late(turn=8, phase="rounds", defcon=4, vp=vp, phasing=side)
        match = given(resolving(s, "nuclear_test_ban", side), do=Event(side, "nuclear_test_ban"))
        assert match.table.result is not None
        assert (match.table.result.winner, match.table.result.reason) == (side, "victory_points")
