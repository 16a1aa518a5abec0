"""Shuttle Diplomacy: what it takes away from the USSR, and when."""

from __future__ import annotations

from domain.twilight_struggle.facts.cards import CardPutAway, MarkerEnded
from domain.twilight_struggle.facts.flow import EventBegan
from domain.twilight_struggle.facts.tracks import CountryLeftOut, RegionScored, ScoreMoved, Tally
from domain.twilight_struggle.steps.flow import FinalScoring
from domain.twilight_struggle.steps.hands import Reshuffle
from domain.twilight_struggle.steps.play import Event
from tests.domain.twilight_struggle.table import US, USSR, resolving, table
from tests.scenario import given

SHUTTLE = "shuttle_diplomacy"
NOBODY = Tally("none", 0)
USED_UP = MarkerEnded(SHUTTLE, "discards")
ALL_BUT_LIBYA = ("egypt", "israel", "iraq", "iran", "saudi_arabia")


def test_shuttle_diplomacy_waits_in_front_of_the_us() -> None:
    """Shuttle Diplomacy, ruling: meanwhile it lies in no pile, so no reshuffle brings it back."""
    s = resolving(table(discards=("fidel",)), SHUTTLE, US)
    given(s, do=(Event(US, SHUTTLE), Reshuffle())).includes(
        EventBegan(SHUTTLE, US), CardPutAway(SHUTTLE, "beside")
    ).has(beside=(SHUTTLE,), discards=())


def test_shuttle_diplomacy_leaves_a_battleground_of_the_middle_east_out() -> None:
    """Shuttle Diplomacy: the US chooses among the battlegrounds that the USSR controls; once."""
    s = table(us={"israel": 4}, ussr={"libya": 2, "egypt": 2, "syria": 2}, beside=(SHUTTLE,))
    asked = given(resolving(s, "middle_east_scoring", USSR), do=Event(USSR, "middle_east_scoring"))
    asked.then(EventBegan("middle_east_scoring", USSR)).asks(US, "libya", "egypt").refuses(US)
    asked.when(US, "egypt").then(
        CountryLeftOut("egypt"),
        RegionScored(
            "middle_east",
            Tally("presence", 3 + 1, ("israel",), ("israel",)),
            Tally("presence", 3 + 1, ("libya", "syria"), ("libya",)),
            0,
        ),
        USED_UP,
        CardPutAway("middle_east_scoring", "discards"),
    )


def test_shuttle_diplomacy_leaves_a_battleground_of_asia_out() -> None:
    """Shuttle Diplomacy: a battleground of Southeast Asia is one of Asia."""
    s = table(ussr={"thailand": 2, "india": 3, "burma": 2}, beside=(SHUTTLE,))
    asked = given(resolving(s, "asia_scoring", US), do=Event(US, "asia_scoring")).asks(
        US, "thailand", "india"
    )
    asked.when(US, "thailand").then(
        CountryLeftOut("thailand"),
        RegionScored("asia", NOBODY, Tally("domination", 7 + 1, ("india", "burma"), ("india",)), -8),
        ScoreMoved(USSR, 8, -8, "asia"),
        USED_UP,
        CardPutAway("asia_scoring", "discards"),
    )


def test_shuttle_diplomacy_serves_once() -> None:
    """Shuttle Diplomacy: the scoring that comes first uses it up; the next one is counted in full."""
    s = table(ussr={"egypt": 2}, beside=(SHUTTLE,))
    both = given(s, do=(Event(US, "middle_east_scoring"), Event(US, "middle_east_scoring"))).when(US, "egypt")
    both.then(
        CountryLeftOut("egypt"),
        RegionScored("middle_east", NOBODY, NOBODY, 0),
        USED_UP,
        EventBegan("middle_east_scoring", US),
        RegionScored("middle_east", NOBODY, Tally("presence", 3 + 1, ("egypt",), ("egypt",)), -4),
        ScoreMoved(USSR, 4, -4, "middle_east"),
    )


def test_shuttle_diplomacy_takes_the_adjacency_point_of_japan() -> None:
    """Shuttle Diplomacy, ruling: neither battleground nor country nor the point beside the US remains."""
    s = table(ussr={"japan": 4, "burma": 2}, beside=(SHUTTLE,))
    given(s, do=Event(US, "asia_scoring")).when(US, "japan").then(
        CountryLeftOut("japan"),
        RegionScored("asia", NOBODY, Tally("presence", 3, ("burma",)), -3),
        ScoreMoved(USSR, 3, -3, "asia"),
        USED_UP,
    )


def test_shuttle_diplomacy_takes_presence() -> None:
    """Shuttle Diplomacy, ruling: the only country of the USSR gone, it has no Presence."""
    s = table(ussr={"libya": 2}, beside=(SHUTTLE,))
    given(s, do=Event(US, "middle_east_scoring")).when(US, "libya").then(
        CountryLeftOut("libya"), RegionScored("middle_east", NOBODY, NOBODY, 0), USED_UP
    )


def test_shuttle_diplomacy_counts_for_the_domination_of_the_us() -> None:
    """Shuttle Diplomacy, ruling: the country count of the USSR falls as well."""
    s = table(us={"israel": 4, "jordan": 2}, ussr={"libya": 2, "egypt": 2, "syria": 2}, beside=(SHUTTLE,))
    given(s, do=Event(US, "middle_east_scoring")).when(US, "libya").includes(
        RegionScored(
            "middle_east",
            Tally("presence", 3 + 1, ("israel", "jordan"), ("israel",)),
            Tally("presence", 3 + 1, ("egypt", "syria"), ("egypt",)),
            0,
        )
    )
    s = table(us={"israel": 4, "jordan": 2}, ussr={"libya": 2, "syria": 2}, beside=(SHUTTLE,))
    given(s, do=Event(US, "middle_east_scoring")).when(US, "libya").includes(
        RegionScored(
            "middle_east",
            Tally("domination", 5 + 1, ("israel", "jordan"), ("israel",)),
            Tally("presence", 3, ("syria",)),
            3,
        )
    )


def test_shuttle_diplomacy_denies_control_to_the_ussr() -> None:
    """Shuttle Diplomacy, ruling: one battleground short, the USSR has Domination only."""
    held = {**dict.fromkeys(("libya", *ALL_BUT_LIBYA), 4), "lebanon": 1}
    s = table(ussr=held, beside=(SHUTTLE,))
    countries = ("egypt", "israel", "lebanon", "iraq", "iran", "saudi_arabia")
    given(s, do=Event(US, "middle_east_scoring")).when(US, "libya").includes(
        RegionScored("middle_east", NOBODY, Tally("domination", 5 + 5, countries, ALL_BUT_LIBYA), -10)
    )


def test_shuttle_diplomacy_gives_no_control_to_the_us() -> None:
    """Shuttle Diplomacy, ruling: the battleground that is left out is still one that the US lacks."""
    held = {**dict.fromkeys(ALL_BUT_LIBYA, 4), "lebanon": 1}
    s = table(us=held, ussr={"libya": 2}, beside=(SHUTTLE,))
    countries = ("egypt", "israel", "lebanon", "iraq", "iran", "saudi_arabia")
    given(s, do=Event(US, "middle_east_scoring")).when(US, "libya").includes(
        RegionScored("middle_east", Tally("domination", 5 + 5, countries, ALL_BUT_LIBYA), NOBODY, 10)
    )


def test_shuttle_diplomacy_is_used_up_where_the_ussr_controls_no_battleground() -> None:
    """Shuttle Diplomacy, ruling: no seat is asked, and the card is removed all the same."""
    s = table(ussr={"syria": 2, "egypt": 1}, beside=(SHUTTLE,))
    given(s, do=Event(US, "middle_east_scoring")).then(
        EventBegan("middle_east_scoring", US),
        CountryLeftOut(""),
        RegionScored("middle_east", NOBODY, Tally("presence", 3, ("syria",)), -3),
        ScoreMoved(USSR, 3, -3, "middle_east"),
        USED_UP,
    )


def test_shuttle_diplomacy_does_not_touch_other_regions() -> None:
    """Shuttle Diplomacy: Europe is counted in full, and the card waits on."""
    s = table(ussr={"poland": 3}, beside=(SHUTTLE,))
    given(s, do=Event(US, "europe_scoring")).then(
        EventBegan("europe_scoring", US),
        RegionScored("europe", NOBODY, Tally("presence", 3 + 1, ("poland",), ("poland",)), -4),
        ScoreMoved(USSR, 4, -4, "europe"),
    ).has(beside=(SHUTTLE,))


def test_shuttle_diplomacy_does_not_touch_southeast_asia_scoring() -> None:
    """Shuttle Diplomacy, ruling: Thailand counts double for the USSR as ever, and the card waits on."""
    s = table(ussr={"thailand": 2}, beside=(SHUTTLE,))
    given(s, do=Event(US, "southeast_asia_scoring")).then(
        EventBegan("southeast_asia_scoring", US),
        RegionScored("southeast_asia", NOBODY, Tally("none", 2, ("thailand",)), -2),
        ScoreMoved(USSR, 2, -2, "southeast_asia"),
    ).has(beside=(SHUTTLE,))


def test_shuttle_diplomacy_does_not_touch_final_scoring() -> None:
    """Shuttle Diplomacy, ruling: at the end of turn 10 no seat is asked, and Egypt counts."""
    s = table(turn=10, ussr={"egypt": 2}, beside=(SHUTTLE,))
    given(s, do=FinalScoring()).includes(
        RegionScored("middle_east", NOBODY, Tally("presence", 3 + 1, ("egypt",), ("egypt",)), -4)
    ).asks_nobody().has(beside=(SHUTTLE,))
