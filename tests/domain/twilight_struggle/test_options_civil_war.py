"""The Chinese Civil War, a variant of the Deluxe edition (book 003, 12).

What it does to single cards of the Early War stands in `test_early_civil_war`.
"""

from __future__ import annotations

from typing import Any

import pytest

from domain.twilight_struggle.components import MAP, US, USSR
from domain.twilight_struggle.facts.board import CivilWarEnded, InfluenceSet, WarRolled
from domain.twilight_struggle.facts.cards import CardPutAway, ChinaPassed
from domain.twilight_struggle.facts.flow import EventBarred, EventBegan
from domain.twilight_struggle.facts.tracks import RegionScored, ScoreMoved
from domain.twilight_struggle.rules.board import Where, matching
from domain.twilight_struggle.rules.hand import plays
from domain.twilight_struggle.rules.operations import COUP, REALIGN, Ops, placeable, targets
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.flow import FinalScoring
from domain.twilight_struggle.steps.operations import Coup, PlaceInfluence, Realign
from domain.twilight_struggle.steps.play import Event, PlayCard
from tests.domain.twilight_struggle.optional import opened, under
from tests.domain.twilight_struggle.table import resolving
from tests.scenario import Scenario, given

BOX = "chinese_civil_war"
FOUR = Ops("comecon", 4)


def contested(**fields: Any) -> State:
    """A round of the variant; no side has the China Card yet."""
    return under({BOX: True}, **{"china": None, "phasing": USSR, **fields})


def happens(s: State, card: str, seat: str) -> Scenario[State]:
    """The event of a card that its own side plays."""
    return given(resolving(s, card, seat), do=Event(seat, card))


# --------------------------------------------------------------------------- the option


@pytest.mark.parametrize(("variant", "holder"), [(True, None), (False, USSR)])
def test_with_the_variant_no_side_has_the_china_card(variant: bool, holder: str | None) -> None:
    opened(chinese_civil_war=variant).has(china=holder, china_ready=True)


def test_without_the_variant_there_is_no_such_box() -> None:
    """Not even if no side had the China Card in the end."""
    s = under({}, phasing=USSR, ussr={"india": 1}, china=None)
    assert BOX not in placeable(s, USSR, FOUR)
    assert BOX in placeable(contested(ussr={"india": 1}), USSR, FOUR)


# --------------------------------------------------------------------------- 12.1: placing


def test_12_1_the_box_is_next_to_the_ussr_and_always_in_reach() -> None:
    """1 point for 1 influence, even with nothing on the map."""
    match = given(contested(), do=PlaceInfluence(USSR, FOUR)).when(USSR, BOX)
    match.then(InfluenceSet(USSR, BOX, 1, 1)).asks(USSR)
    assert match.table.agenda[-1].why(match.table, USSR)["left"] == 3


def test_12_1_the_box_opens_no_other_country() -> None:
    s = contested(ussr={BOX: 2})
    assert set(placeable(s, USSR, FOUR)) == set(placeable(contested(), USSR, FOUR))


def test_12_1_the_us_has_nothing_to_do_there() -> None:
    """Neither influence nor a Coup nor a realignment, wherever the USSR stands."""
    s = contested(us={"japan": 4, "taiwan": 3, "south_korea": 3}, ussr={BOX: 2, "india": 1}, phasing=US)
    assert BOX not in placeable(s, US, FOUR)
    assert targets(s, US, FOUR, COUP) == targets(s, US, FOUR, REALIGN) == ("india",)
    given(s, do=Coup(US, FOUR)).refuses(US, BOX)
    given(s, do=Realign(US, FOUR)).refuses(US, BOX)


@pytest.mark.parametrize("where", [Where(), Where(holding=USSR), Where(regions=("asia",)), Where(empty=True)])
def test_12_1_no_event_finds_the_box(where: Where) -> None:
    """Every event looks for countries, and the box is none."""
    assert BOX not in matching(contested(ussr={BOX: 2, "india": 1}), where)
    assert BOX not in MAP


def test_12_1_the_influence_of_a_handicap_does_not_go_there() -> None:
    """It goes where the side has influence, and no side has any there at the beginning."""
    assert BOX not in opened(chinese_civil_war=True, handicap=-5).table.influence[USSR]


def test_12_1_the_box_may_be_filled_over_several_rounds() -> None:
    s = contested(ussr={BOX: 1}, ussr_hand=("fidel", "nasser"))
    round_ = given(s, do=PlayCard(USSR)).when(USSR, "influence:fidel").when(USSR, BOX)
    round_.when(USSR, "poland").has(china=None, influence={US: {}, USSR: {BOX: 2, "poland": 1}})


# --------------------------------------------------------------------------- 12.2, 12.3: the third influence


def test_12_3_the_third_influence_brings_the_china_card_at_once() -> None:
    match = given(contested(ussr={BOX: 2}, ussr_hand=("fidel",)), do=PlayCard(USSR))
    match.when(USSR, "influence:fidel").when(USSR, BOX)
    match.then(InfluenceSet(USSR, BOX, 1, 3), CivilWarEnded(USSR)).has(china=USSR, china_ready=True)
    match.has(influence={US: {}, USSR: {}}).refuses(USSR, BOX).when(USSR, "poland").asks_nobody()


def test_12_3_it_may_be_played_in_the_next_round() -> None:
    assert "influence:china_card" in plays(contested(china=USSR, ussr_hand=("fidel",)), USSR)
    assert not any(play.endswith("china_card") for play in plays(contested(ussr_hand=("fidel",)), USSR))


def test_12_3_afterwards_the_box_is_out_of_the_game() -> None:
    """Also when the US has the China Card by then."""
    for holder in (US, USSR):
        assert BOX not in placeable(contested(china=holder), USSR, FOUR)


def test_12_2_an_incomplete_box_gives_no_side_the_last_point() -> None:
    end = given(contested(turn=10, ussr={BOX: 2}), do=FinalScoring())
    assert not any(isinstance(fact, ScoreMoved) for fact in end.facts)
    complete = given(contested(turn=10, china=USSR), do=FinalScoring())
    complete.includes(ScoreMoved(USSR, 1, -1, "china_card"))


def test_12_1_the_box_does_not_score() -> None:
    """2 influence there are neither a country nor a battleground of Asia."""
    match = happens(contested(us={"thailand": 2}, ussr={BOX: 2}), "asia_scoring", US)
    (scored,) = [fact for fact in match.facts if isinstance(fact, RegionScored)]
    assert (scored.ussr.status, scored.ussr.points, scored.net) == ("none", 0, 4)


# --------------------------------------------------------------------------- 12.4: events


@pytest.mark.parametrize(
    ("card", "side"), [("red_scare_purge", USSR), ("cultural_revolution", USSR), ("formosan_resolution", US)]
)
@pytest.mark.parametrize("complete", [False, True])
def test_12_4_three_events_wait_for_the_box(card: str, side: str, complete: bool) -> None:
    """Before it is complete they are barred for that side, and their cards stay in the game."""
    s = contested(china=USSR if complete else None, turn=5)
    match = happens(s, card, side)
    if complete:
        match.includes(EventBegan(card, side))
    else:
        match.then(EventBarred(card, BOX), CardPutAway(card, "discards"))


def test_12_4_red_scare_purge_is_open_to_the_us() -> None:
    happens(contested(), "red_scare_purge", US).includes(EventBegan("red_scare_purge", US))


@pytest.mark.parametrize("card", ["red_scare_purge", "cultural_revolution"])
def test_12_4_3_a_barred_card_is_played_for_operations(card: str) -> None:
    s = contested(turn=5, ussr={"india": 1}, us={"nigeria": 1}, ussr_hand=(card,))
    assert plays(s, USSR) == tuple(f"{how}:{card}" for how in ("influence", "coup", "realign", "space"))


def test_12_4_1_the_us_counts_as_holder_for_ussuri_river_skirmish() -> None:
    """4 influence in Asia, at most 2 in one country, instead of the China Card."""
    match = happens(contested(phasing=US), "ussuri_river_skirmish", US).asks(US).refuses(US, BOX)
    match.when(US, "india").when(US, "india").refuses(US, "india").when(US, "japan").when(US, "japan")
    match.has(influence={US: {"india": 2, "japan": 2}, USSR: {}}, china=None)


def test_12_4_1_the_us_counts_as_holder_for_nixon_plays_the_china_card() -> None:
    match = happens(contested(phasing=US), "nixon_plays_the_china_card", US)
    match.includes(ScoreMoved(US, 2, 2, "nixon_plays_the_china_card")).has(china=None)


@pytest.mark.parametrize(
    ("card", "ready"), [("ussuri_river_skirmish", True), ("nixon_plays_the_china_card", False)]
)
def test_12_4_1_afterwards_the_us_takes_the_china_card(card: str, ready: bool) -> None:
    happens(contested(phasing=US, china=USSR), card, US).includes(ChinaPassed(US, ready))


@pytest.mark.parametrize(("china", "minus", "won"), [(None, 1, False), (USSR, 0, True)])
def test_12_4_2_the_korean_war_has_1_less_before(china: str | None, minus: int, won: bool) -> None:
    match = happens(contested(china=china), "korean_war", USSR).when("chance", "4")
    match.includes(WarRolled(USSR, "korean_war", "south_korea", 4, minus, 4, won))


@pytest.mark.parametrize(("region", "is_open"), [("asia", False), ("europe", True), ("middle_east", True)])
def test_chernobyl_on_asia_closes_the_box(region: str, is_open: bool) -> None:
    """The books say nothing of the two together: the box belongs to Asia (12.1)."""
    match = happens(contested(phasing=US, ussr={BOX: 1}), "chernobyl", US).when(US, region)
    assert (BOX in placeable(match.table, USSR, FOUR)) is is_open
