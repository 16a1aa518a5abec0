"""The events 36 to 41 of the Revolution era, in both versions, with and without their bonus."""

from __future__ import annotations

from typing import Any

import pytest

from domain.imperial_struggle.components import (
    BR,
    ECONOMIC,
    FR,
    GONE,
    MILITARY,
    NAVY_BOX,
    UNBUILT,
    Where,
)
from domain.imperial_struggle.events import EVENTS
from domain.imperial_struggle.facts.board import ConflictPlaced, FlagRemoved, SquadronMoved
from domain.imperial_struggle.facts.flow import PointsGranted, SidesCounted
from domain.imperial_struggle.facts.tracks import DebtSet, ScoreMoved
from domain.imperial_struggle.facts.wars import BonusDrawn, BonusPlaced
from domain.imperial_struggle.points import UNFLAG, Limit
from tests.domain.imperial_struggle.playing import acting, happening, played, plays, points
from tests.domain.imperial_struggle.printed import COLONIES, SPAIN

UPPER, PRESTIGE_2, LOWER, PRESTIGE_3 = SPAIN


# ── 36 Wealth of Nations ──

WEALTH = "wealth_of_nations"


@pytest.mark.parametrize("side", [BR, FR])
def test_wealth_of_nations_reduces_own_debt_by_2(side: str) -> None:
    game = played(WEALTH, side, debt={BR: 3, FR: 3}).then(plays(WEALTH, side), DebtSet(side, -2, 1, WEALTH))
    acting(game, side)


def test_wealth_of_nations_with_scholarship_brings_3_economic_points() -> None:
    game = played(WEALTH, BR, keyword="scholarship")
    game.then(plays(WEALTH, BR, bonus=True), PointsGranted(BR, points(WEALTH, ECONOMIC, 3)))


# ── 37 Debt Crisis ──

CRISIS = "debt_crisis"
MARKET_FLAGS = Limit(verbs=(UNFLAG,), where=Where(kinds=("market",)))


def test_debt_crisis_with_more_available_debt_brings_3_points_against_opposing_markets() -> None:
    game = played(CRISIS, FR, debt={BR: 2, FR: 0})
    game.then(plays(CRISIS, FR), PointsGranted(FR, points(CRISIS, ECONOMIC, 3, MARKET_FLAGS)))


def test_points_of_the_debt_crisis_place_no_flags() -> None:
    board = {"br": ("barbados", "st_lucia"), "fr": ("martinique",), "debt": {BR: 0, FR: 1}}
    options = acting(happening(CRISIS, BR, "base", **board), BR)
    assert "unflag:martinique" in options
    assert "flag:antigua" not in options


def test_debt_crisis_brings_nothing_with_as_much_available_debt() -> None:
    acting(played(CRISIS, BR).then(plays(CRISIS, BR)), BR)


def test_debt_crisis_with_3_more_available_debt_scores_2() -> None:
    game = played(CRISIS, BR, debt={BR: 0, FR: 3})
    game.includes(plays(CRISIS, BR, bonus=True), ScoreMoved(BR, 2, 13, CRISIS))


# ── 38 East Asia Piracy ──

PIRACY = "east_asia_piracy"


def test_east_asia_piracy_scores_3_with_more_squadrons_forts_and_alliances_in_india() -> None:
    """Markets and Territories there, and Squadrons elsewhere, count nothing."""
    game = played(
        PIRACY,
        BR,
        br=("hooghly_river", "vandavasi", "nizam"),
        fr=("malabar_coast", "mysore", "plassey", "pondicherry", "biscay"),
    )
    game.then(plays(PIRACY, BR), SidesCounted(PIRACY, 3, 2, BR), ScoreMoved(BR, 3, 12, PIRACY))


def test_east_asia_piracy_scores_nothing_in_a_tie_or_for_the_other_side() -> None:
    game = played(PIRACY, FR, br=("nizam",), fr=("mysore",))
    game.then(plays(PIRACY, FR), SidesCounted(PIRACY, 1, 1, None))
    game = played(PIRACY, FR, br=("nizam",)).then(plays(PIRACY, FR), SidesCounted(PIRACY, 1, 0, BR))
    acting(game.has(vp=15), FR)


@pytest.mark.parametrize("reading", ["ignored", "counted"])
def test_east_asia_piracy_counts_damaged_forts_but_no_alliance_in_conflict(reading: str) -> None:
    game = played(
        PIRACY,
        FR,
        br=("nizam",),
        fr=("arcot", "maratha"),
        damaged=("arcot",),
        conflicts={"nizam": 0, "maratha": 0},
        options={"conflicted_flags": reading},
    )
    game.includes(SidesCounted(PIRACY, 0, 1, FR), ScoreMoved(FR, 3, 18, PIRACY))


def test_east_asia_piracy_never_has_a_bonus() -> None:
    assert EVENTS[PIRACY].effect("bonus", BR) is None


# ── 39 Stamp Act ──

STAMP = "stamp_act"


def test_deters_smuggling_reduces_british_debt_by_2() -> None:
    game = played(STAMP, BR, debt={BR: 4, FR: 0}).then(plays(STAMP, BR), DebtSet(BR, -2, 2, STAMP))
    acting(game, BR)


def test_deters_smuggling_with_mercantilism_brings_2_economic_points() -> None:
    game = played(STAMP, BR, keyword="mercantilism")
    game.then(plays(STAMP, BR, bonus=True), PointsGranted(BR, points(STAMP, ECONOMIC, 2)))


def test_enrages_colonists_marks_a_space_of_the_northern_colonies() -> None:
    game = played(STAMP, FR).asks(FR, *COLONIES).when(FR, "sons_of_liberty")
    game.then(ConflictPlaced("sons_of_liberty", 0, STAMP))
    acting(game, FR)


def test_enrages_colonists_with_mercantilism_marks_three_in_all() -> None:
    game = played(STAMP, FR, keyword="mercantilism").when(FR, "albany")
    game.refuses(FR, "oswego").refuses(FR, "albany", "oswego").when(FR, "oswego", "niagara")
    assert game.table.conflicts == {"albany": 0, "oswego": 0, "niagara": 0}
    acting(game, FR)


# ── 40 Falklands Crisis ──

FALKLANDS = "falklands_crisis"
INTRIGUE = ("savoy", PRESTIGE_3)


def test_spain_concedes_egmont_scores_1_with_a_british_flag_in_spain() -> None:
    game = played(FALKLANDS, BR, br=(UPPER, LOWER))
    acting(game.then(plays(FALKLANDS, BR), ScoreMoved(BR, 1, 14, FALKLANDS)), BR)


def test_spain_concedes_egmont_scores_nothing_without_one() -> None:
    acting(played(FALKLANDS, BR, fr=(UPPER,)).then(plays(FALKLANDS, BR)), BR)


@pytest.mark.parametrize(("reading", "vp"), [("ignored", 15), ("counted", 14)])
def test_a_british_flag_in_conflict_feeds_the_falklands_as_conflicted_flags_says(
    reading: str, vp: int
) -> None:
    options = {"conflicted_flags": reading}
    played(FALKLANDS, BR, br=(UPPER,), conflicts={UPPER: 0}, options=options).has(vp=vp)


def test_spain_concedes_egmont_with_the_intrigue_removes_a_french_flag_from_spain() -> None:
    game = played(FALKLANDS, BR, br=INTRIGUE, fr=(UPPER, LOWER, "austria_alliance_2"))
    game.includes(plays(FALKLANDS, BR, bonus=True)).asks(BR, UPPER, LOWER)
    game.when(BR, LOWER).then(FlagRemoved(FR, LOWER))


def test_the_intrigue_need_not_be_ready() -> None:
    exhausted = ("mediterranean_intrigue",)
    played(FALKLANDS, BR, br=INTRIGUE, exhausted=exhausted).includes(plays(FALKLANDS, BR, bonus=True))


def test_the_intrigue_of_the_other_side_is_no_condition() -> None:
    played(FALKLANDS, BR, fr=INTRIGUE).then(plays(FALKLANDS, BR))


@pytest.mark.parametrize(("reading", "met"), [("ignored", False), ("counted", True)])
@pytest.mark.parametrize("space", INTRIGUE)
def test_a_conflict_at_the_intrigue_is_read_as_conflicted_flags_says(
    space: str, reading: str, met: bool
) -> None:
    options = {"conflicted_flags": reading}
    game = played(FALKLANDS, FR, fr=INTRIGUE, conflicts={space: 0}, options=options)
    game.includes(plays(FALKLANDS, FR, bonus=met))


def test_france_tips_balance_with_a_military_point_for_each_french_flag_in_spain() -> None:
    game = played(FALKLANDS, FR, fr=(UPPER, LOWER, "savoy"), br=(PRESTIGE_2,))
    game.then(plays(FALKLANDS, FR), PointsGranted(FR, points(FALKLANDS, MILITARY, 2)))


@pytest.mark.parametrize(("reading", "count"), [("ignored", 1), ("counted", 2)])
def test_a_french_flag_in_conflict_tips_the_balance_as_conflicted_flags_says(
    reading: str, count: int
) -> None:
    options = {"conflicted_flags": reading}
    game = played(FALKLANDS, FR, fr=(UPPER, LOWER), conflicts={UPPER: 0}, options=options)
    game.includes(PointsGranted(FR, points(FALKLANDS, MILITARY, count)))


def test_france_tips_balance_brings_nothing_without_one() -> None:
    acting(played(FALKLANDS, FR).then(plays(FALKLANDS, FR)), FR)


def test_france_tips_balance_with_the_intrigue_removes_a_british_squadron_for_good() -> None:
    game = played(FALKLANDS, FR, fr=INTRIGUE, br=("biscay",)).asks(FR, "biscay", NAVY_BOX)
    game.when(FR, NAVY_BOX).then(SquadronMoved(BR, NAVY_BOX, GONE))
    game.has(navy={BR: 1, FR: 1}, unbuilt={BR: 6, FR: 7}, away={BR: 0, FR: 0})


def test_france_tips_balance_removes_nothing_without_a_british_squadron() -> None:
    game = played(FALKLANDS, FR, fr=INTRIGUE, navy={BR: 0, FR: 1})
    game.then(plays(FALKLANDS, FR, bonus=True), PointsGranted(FR, points(FALKLANDS, MILITARY, 1)))


# ── 41 Cook and Bougainville ──

COOK = "cook_and_bougainville"


@pytest.mark.parametrize(("navy", "count"), [(2, 2), (1, 1), (3, 2)])
def test_cook_brings_an_economic_point_for_two_squadrons_rounded_down(navy: int, count: int) -> None:
    """Two Squadrons are on the map; those on the Turn Track do not count."""
    fleet: dict[str, Any] = {"navy": {BR: navy, FR: 1}, "away": {BR: 2, FR: 0}}
    game = played(COOK, BR, br=("biscay", "cabot_strait"), **fleet)
    game.then(plays(COOK, BR), PointsGranted(BR, points(COOK, ECONOMIC, count)))


def test_cook_brings_nothing_for_a_single_squadron() -> None:
    acting(played(COOK, BR, navy={BR: 1, FR: 0}).then(plays(COOK, BR)), BR)


def test_cook_with_mercantilism_draws_a_bonus_tile_and_places_it() -> None:
    game = played(COOK, BR, keyword="mercantilism").when("chance", "awi_howe")
    game.then(BonusDrawn(BR, "awi_howe", False)).when(BR, "mysore_war")
    game.then(BonusPlaced(BR, "awi_howe", "mysore_war"))
    acting(game, BR)


def test_the_tile_of_cook_is_not_one_of_the_two_that_may_be_bought() -> None:
    game = played(COOK, BR, keyword="mercantilism").when("chance", "awi_howe").when(BR, "mysore_war")
    assert game.table.round is not None
    assert game.table.round.bought == 0


def test_cook_draws_nothing_on_turn_6() -> None:
    game = played(COOK, BR, keyword="mercantilism", turn=6)
    game.then(plays(COOK, BR, bonus=True), PointsGranted(BR, points(COOK, ECONOMIC, 1)))
    acting(game, BR)


def test_cook_draws_nothing_where_no_theatre_has_room() -> None:
    full = dict.fromkeys(("american_revolution", "mysore_war", "antilles_war"), ("awi_howe", "awi_coote"))
    game = played(COOK, BR, keyword="mercantilism", reinforcements={BR: full, FR: {}})
    acting(game, BR)


def test_bougainville_builds_a_squadron() -> None:
    game = played(COOK, FR).then(plays(COOK, FR), SquadronMoved(FR, UNBUILT, NAVY_BOX))
    acting(game, FR)


def test_bougainville_builds_none_without_an_unbuilt_one() -> None:
    acting(played(COOK, FR, unbuilt={BR: 6, FR: 0}).then(plays(COOK, FR)), FR)


def test_bougainville_with_mercantilism_reduces_french_debt_by_2() -> None:
    game = played(COOK, FR, keyword="mercantilism", debt={BR: 0, FR: 3})
    game.includes(DebtSet(FR, -2, 1, COOK))
