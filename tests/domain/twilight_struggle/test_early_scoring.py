"""Asia, Europe and Middle East Scoring (cards 1 to 3; section 10)."""

from __future__ import annotations

import pytest

from domain.kernel import Ended
from domain.twilight_struggle.facts.cards import CardPutAway, MarkerEnded
from domain.twilight_struggle.facts.flow import EventBegan
from domain.twilight_struggle.facts.tracks import CountryLeftOut, RegionScored, ScoreMoved, Tally
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.flow import FinalScoring
from domain.twilight_struggle.steps.play import Event, PlayCard
from tests.domain.twilight_struggle.table import US, USSR, resolving, table
from tests.scenario import Scenario, given

NOTHING = Tally("none", 0)
EUROPE_FOR_THE_US = {"france": 3, "italy": 2, "west_germany": 4, "east_germany": 3, "poland": 3}


def scoring(s: State, region: str, player: str = US) -> Scenario[State]:
    """The scoring card of a region is played."""
    card = f"{region}_scoring"
    return given(resolving(s, card, player), do=Event(player, card))


def test_10_1_2_printed_example_domination_of_central_america() -> None:
    """USSR: Cuba, Haiti, Dominican Republic; US: Guatemala, and 1 in Panama, which does not control it."""
    s = table(us={"guatemala": 1, "panama": 1}, ussr={"cuba": 3, "haiti": 1, "dominican_republic": 1})
    soviet = ("cuba", "haiti", "dominican_republic")
    scoring(s, "central_america", USSR).then(
        EventBegan("central_america_scoring", USSR),
        RegionScored(
            "central_america",
            Tally("presence", 1, ("guatemala",)),
            Tally("domination", 5, soviet, ("cuba",), ("cuba",)),
            -4,
        ),
        ScoreMoved(USSR, 4, -4, "central_america"),
        CardPutAway("central_america_scoring", "discards"),
    )


# ── Asia ──


def test_asia_scoring_counts_southeast_asia_normally() -> None:
    """Thailand is a battleground and Vietnam is not: Domination, 7 + 1."""
    scoring(table(us={"thailand": 2, "vietnam": 1}), "asia").then(
        EventBegan("asia_scoring", US),
        RegionScored("asia", Tally("domination", 8, ("thailand", "vietnam"), ("thailand",)), NOTHING, 8),
        ScoreMoved(US, 8, 8, "asia"),
        CardPutAway("asia_scoring", "discards"),
    )


def test_asia_scoring_japan_touches_the_us() -> None:
    working = Tally("presence", 5, ("japan",), ("japan",), ("japan",))
    scoring(table(ussr={"japan": 4}), "asia", USSR).includes(
        RegionScored("asia", NOTHING, working, -5), ScoreMoved(USSR, 5, -5, "asia")
    )


def test_asia_scoring_afghanistan_and_north_korea_touch_the_ussr() -> None:
    held = ("afghanistan", "north_korea")
    working = Tally("domination", 10, held, ("north_korea",), held)
    scoring(table(us={"afghanistan": 2, "north_korea": 3}), "asia").includes(
        RegionScored("asia", working, NOTHING, 10)
    )


def test_asia_scoring_control_is_worth_9() -> None:
    """All six battlegrounds, and more countries: 9 + 6, and 1 for Japan."""
    held = ("pakistan", "india", "japan", "south_korea", "north_korea", "thailand")
    soviet = {"pakistan": 2, "india": 3, "japan": 4, "south_korea": 3, "north_korea": 3, "thailand": 2}
    working = Tally("control", 16, held, held, ("japan",))
    scoring(table(ussr=soviet), "asia", USSR).includes(RegionScored("asia", NOTHING, working, -16))


def test_asia_scoring_only_the_difference_decides_about_20_points() -> None:
    """10.2.3, 10.3.1: from 18, Presence 4 for the US and 3 for the USSR make 19, and no side has won."""
    s = table(us={"india": 3}, ussr={"burma": 2}, vp=18)
    scoring(s, "asia").includes(ScoreMoved(US, 1, 19, "asia")).has(result=None)


def test_asia_scoring_20_points_win() -> None:
    s = table(us={"india": 3}, ussr={"burma": 2}, vp=19)
    scoring(s, "asia").includes(Ended(US, "victory_points", {US: 20, USSR: -20}))


def test_asia_scoring_shuttle_diplomacy_takes_a_battleground_away_and_is_discarded() -> None:
    s = table(ussr={"india": 3, "pakistan": 2}, beside=("shuttle_diplomacy",))
    game = scoring(s, "asia", USSR).asks(US, "india", "pakistan").when(US, "india")
    game.then(
        CountryLeftOut("india"),
        RegionScored("asia", NOTHING, Tally("presence", 4, ("pakistan",), ("pakistan",)), -4),
        ScoreMoved(USSR, 4, -4, "asia"),
        MarkerEnded("shuttle_diplomacy", "discards"),
        CardPutAway("asia_scoring", "discards"),
    )


def test_asia_scoring_formosan_resolution_makes_taiwan_a_battleground() -> None:
    """3 for Presence and 1 for the battleground; the marker stays beside the board."""
    s = table(us={"taiwan": 3}, beside=("formosan_resolution",))
    game = scoring(s, "asia").includes(
        RegionScored("asia", Tally("presence", 4, ("taiwan",), ("taiwan",)), NOTHING, 4)
    )
    game.has(beside=("formosan_resolution",))


# ── Europe ──


def test_europe_scoring_canada_touches_the_us() -> None:
    scoring(table(ussr={"canada": 4}), "europe", USSR).includes(
        RegionScored("europe", NOTHING, Tally("presence", 4, ("canada",), (), ("canada",)), -4)
    )


def test_europe_scoring_finland_poland_and_romania_touch_the_ussr() -> None:
    """Domination: 7, the battleground Poland, and three neighbours of the USSR."""
    held = ("finland", "poland", "romania")
    scoring(table(us={"finland": 4, "poland": 3, "romania": 3}), "europe").includes(
        RegionScored("europe", Tally("domination", 11, held, ("poland",), held), NOTHING, 11)
    )


def test_europe_scoring_domination_needs_a_country_that_is_no_battleground() -> None:
    scoring(table(us={"france": 3, "italy": 2}), "europe").includes(ScoreMoved(US, 5, 5, "europe"))


def test_europe_scoring_control_wins_whatever_the_points() -> None:
    game = scoring(table(us=EUROPE_FOR_THE_US, vp=-15), "europe", USSR)
    assert game.facts[-1] == Ended(US, "europe_controlled", {US: -15, USSR: 15})


def test_europe_scoring_all_battlegrounds_without_more_countries_is_no_control() -> None:
    """Five countries each: the US has every battleground, yet only Presence."""
    soviet = {"hungary": 3, "bulgaria": 3, "yugoslavia": 3, "greece": 2, "turkey": 2}
    scoring(table(us=EUROPE_FOR_THE_US, ussr=soviet), "europe").has(result=None, vp=6)


def test_europe_scoring_control_wins_in_final_scoring_as_well() -> None:
    """10.3.2: whatever the points."""
    s = table(us=EUROPE_FOR_THE_US, vp=-15, turn=10, phase="end", round=0)
    game = given(s, do=FinalScoring())
    assert game.facts[-1] == Ended(US, "europe_controlled", {US: -15, USSR: 15})


# ── the Middle East ──


def test_middle_east_scoring_domination_is_worth_5() -> None:
    """Iran is a battleground, Lebanon is not; no country touches a superpower."""
    held = ("lebanon", "iran")
    scoring(table(ussr={"iran": 2, "lebanon": 1}), "middle_east", USSR).then(
        EventBegan("middle_east_scoring", USSR),
        RegionScored("middle_east", NOTHING, Tally("domination", 6, held, ("iran",)), -6),
        ScoreMoved(USSR, 6, -6, "middle_east"),
        CardPutAway("middle_east_scoring", "discards"),
    )


def test_middle_east_scoring_control_is_worth_7() -> None:
    """All six battlegrounds: 7 + 6."""
    held = {"libya": 2, "egypt": 2, "israel": 4, "iraq": 3, "iran": 2, "saudi_arabia": 3}
    scoring(table(us=held), "middle_east").includes(ScoreMoved(US, 13, 13, "middle_east"))


def test_middle_east_scoring_without_any_control_moves_nothing() -> None:
    scoring(table(us={"israel": 3}), "middle_east").then(
        EventBegan("middle_east_scoring", US),
        RegionScored("middle_east", NOTHING, NOTHING, 0),
        CardPutAway("middle_east_scoring", "discards"),
    )


def test_middle_east_scoring_shuttle_diplomacy_takes_a_battleground_away_and_is_discarded() -> None:
    """Without Iran the USSR has Presence only: 3 instead of 5 + 1."""
    s = table(ussr={"iran": 2, "lebanon": 1}, beside=("shuttle_diplomacy",))
    game = scoring(s, "middle_east", USSR).asks(US, "iran").when(US, "iran")
    game.includes(
        ScoreMoved(USSR, 3, -3, "middle_east"),
        MarkerEnded("shuttle_diplomacy", "discards"),
    )


# ── how a scoring card may be used ──


@pytest.mark.parametrize("card", ["asia_scoring", "europe_scoring", "middle_east_scoring"])
def test_scoring_cards_are_never_operations(card: str) -> None:
    s = table(us={"japan": 1}, us_hand=(card, "fidel"), china=None)
    game = given(s, do=PlayCard(US))
    game.asks(US, f"event:{card}", "event_first:fidel", "influence:fidel", "space:fidel")


def test_scoring_cards_must_leave_the_hand_before_the_turn_ends() -> None:
    """In the sixth of six rounds nothing else may be played, nor the China Card (9.5)."""
    s = table(us={"japan": 1}, us_hand=("asia_scoring", "nato"), china=US, round=6)
    given(s, do=PlayCard(US)).asks(US, "event:asia_scoring")
