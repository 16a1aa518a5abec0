"""The events 31 to 35 of the Revolution era, in both versions, with and without their bonus."""

from __future__ import annotations

from typing import Any

import pytest

from domain.imperial_struggle.components import (
    ADVANTAGES,
    BOARD,
    BR,
    DIPLOMATIC,
    ECONOMIC,
    FR,
    MILITARY,
    NAVY_BOX,
    UNBUILT,
)
from domain.imperial_struggle.events import EVENTS
from domain.imperial_struggle.facts.board import (
    AdvantageExhausted,
    AdvantageUsed,
    ConflictPlaced,
    FlagRemoved,
    SquadronMoved,
)
from domain.imperial_struggle.facts.flow import PointsGranted, SidesCounted
from domain.imperial_struggle.facts.tracks import DebtSet, ScoreMoved
from domain.imperial_struggle.points import CLEAR, UNFLAG, Purchase
from domain.imperial_struggle.rules.menu import events
from domain.imperial_struggle.rules.prices import price
from domain.imperial_struggle.state import State
from tests.domain.imperial_struggle.playing import acting, happening, holding, played, plays, points, within
from tests.domain.imperial_struggle.printed import COLONIES, SPAIN
from tests.scenario import Scenario

UPPER, PRESTIGE_2, LOWER, PRESTIGE_3 = SPAIN
SUGAR = tuple(space for space in BOARD if BOARD[space].good == "sugar")


def test_the_revolution_era_has_the_events_31_to_41() -> None:
    assert sorted(item.number for item in EVENTS.values() if item.era == "revolution") == list(range(31, 42))


# ── 31 Nootka Incident ──

NOOTKA = "nootka_incident"


@pytest.mark.parametrize("kind", [DIPLOMATIC, ECONOMIC])
def test_crisis_resolved_brings_2_points_of_one_of_two_kinds(kind: str) -> None:
    game = played(NOOTKA, BR).asks(BR, DIPLOMATIC, ECONOMIC).refuses(BR, MILITARY).refuses(BR)
    game.when(BR, kind).then(PointsGranted(BR, points(NOOTKA, kind, 2)))
    acting(game, BR)


def resolved(**fields: Any) -> Scenario[State]:
    """The crisis is resolved with Mercantilism."""
    return played(NOOTKA, BR, keyword="mercantilism", **fields).when(BR, ECONOMIC)


def test_crisis_resolved_with_mercantilism_scores_2_for_each_alliance_space_and_removes_the_flags() -> None:
    game = resolved(br=SPAIN)
    game.then(
        PointsGranted(BR, points(NOOTKA, ECONOMIC, 2)),
        ScoreMoved(BR, 4, 11, NOOTKA),
        FlagRemoved(BR, UPPER),
        FlagRemoved(BR, LOWER),
    )
    game.has(flags={PRESTIGE_2: BR, PRESTIGE_3: BR})


def test_crisis_resolved_scores_nothing_for_french_and_prestige_spaces() -> None:
    resolved(br=(PRESTIGE_2,), fr=(UPPER,)).then(PointsGranted(BR, points(NOOTKA, ECONOMIC, 2)))


@pytest.mark.parametrize(("reading", "vp", "left"), [("ignored", 13, {UPPER: BR}), ("counted", 11, {})])
def test_an_alliance_space_in_conflict_is_read_as_conflicted_flags_says(
    reading: str, vp: int, left: dict[str, str]
) -> None:
    game = resolved(br=(UPPER, LOWER), conflicts={UPPER: 0}, options={"conflicted_flags": reading})
    game.has(vp=vp, flags=left)


def test_dispute_with_spain_sends_a_british_squadron_of_the_map_home() -> None:
    game = played(NOOTKA, FR, br=("biscay", "hooghly_river"), fr=("balearic",))
    game.asks(FR, "biscay", "hooghly_river").refuses(FR, NAVY_BOX)
    game.when(FR, "biscay").then(SquadronMoved(BR, "biscay", NAVY_BOX))
    acting(game, FR)


def test_dispute_with_spain_does_nothing_without_a_british_squadron_on_the_map() -> None:
    acting(played(NOOTKA, FR).then(plays(NOOTKA, FR)), FR)


def test_dispute_with_spain_with_mercantilism_builds_a_squadron() -> None:
    game = played(NOOTKA, FR, keyword="mercantilism")
    game.then(plays(NOOTKA, FR, bonus=True), SquadronMoved(FR, UNBUILT, NAVY_BOX))


def test_dispute_with_spain_builds_nothing_without_an_unbuilt_squadron() -> None:
    game = played(NOOTKA, FR, keyword="mercantilism", unbuilt={BR: 6, FR: 0})
    game.then(plays(NOOTKA, FR, bonus=True))


# ── 32 Haitian Revolution ──

HAITI = "haitian_revolution"
ONE_TILE = {BR: {"mysore_war": ("awi_howe",)}, FR: {}}


def test_haitian_revolution_marks_a_sugar_market_of_the_caribbean() -> None:
    game = played(HAITI, FR, br=("antigua",)).asks(FR, *SUGAR).refuses(FR, "caicos")
    game.when(FR, "antigua").then(ConflictPlaced("antigua", 1, HAITI))
    acting(game, FR)


def test_haitian_markers_cost_a_military_point_more_to_remove_but_not_to_shift() -> None:
    """3, or 2 where the space is protected; shifting it costs 1, as with any marker."""
    game = played(HAITI, FR, br=("antigua", "barbados", "st_lucia")).when(FR, "antigua")
    assert price(game.table, FR, Purchase(CLEAR, "antigua")).total == 3
    assert price(game.table, FR, Purchase(UNFLAG, "antigua")).total == 1
    game = played(HAITI, FR, br=("antigua", "antilles_channel")).when(FR, "antigua")
    assert price(game.table, BR, Purchase(CLEAR, "antigua")).total == 2


def test_haitian_revolution_marks_two_more_with_more_bonus_tiles() -> None:
    game = played(HAITI, BR, reinforcements=ONE_TILE).then(plays(HAITI, BR, bonus=True)).when(BR, "antigua")
    game.refuses(BR, "martinique").refuses(BR, "antigua", "martinique").when(BR, "martinique", "havana")
    game.then(ConflictPlaced("martinique", 1, HAITI), ConflictPlaced("havana", 1, HAITI))
    acting(game, BR)


def test_haitian_revolution_has_no_bonus_with_fewer_tiles_or_on_turn_6() -> None:
    played(HAITI, FR, reinforcements=ONE_TILE).then(plays(HAITI, FR))
    played(HAITI, BR, turn=6).then(plays(HAITI, BR))


def test_haitian_revolution_marks_what_is_left_without_a_question() -> None:
    others = dict.fromkeys((space for space in SUGAR if space != "antigua"), 0)
    played(HAITI, BR, conflicts=others).then(plays(HAITI, BR), ConflictPlaced("antigua", 1, HAITI))


# ── 33 Loge des Neuf Soeurs ──

LOGE = "loge_des_neuf_soeurs"


def test_debate_societies_mark_a_space_of_the_northern_colonies() -> None:
    game = played(LOGE, BR).asks(BR, *COLONIES).refuses(BR, "york_factory")
    game.when(BR, "albany").then(ConflictPlaced("albany", 0, LOGE))
    acting(game, BR)


def test_debate_societies_with_style_score_3_with_more_flags_in_north_america() -> None:
    """Squadrons and Forts count, flags elsewhere do not."""
    game = played(
        LOGE, BR, keyword="style", br=("gulf_of_maine", "halifax"), fr=("acadia", "nizam", "antigua")
    )
    game.when(BR, "albany")
    game.then(ConflictPlaced("albany", 0, LOGE), SidesCounted(LOGE, 2, 1, BR), ScoreMoved(BR, 3, 12, LOGE))


def test_debate_societies_score_nothing_with_as_many_flags_or_fewer() -> None:
    game = played(LOGE, BR, keyword="style", br=("halifax",), fr=("acadia",)).when(BR, "albany")
    game.then(ConflictPlaced("albany", 0, LOGE), SidesCounted(LOGE, 1, 1, None)).has(vp=15)
    game = played(LOGE, BR, keyword="style", fr=("acadia",)).when(BR, "albany")
    game.then(ConflictPlaced("albany", 0, LOGE), SidesCounted(LOGE, 0, 1, FR)).has(vp=15)


@pytest.mark.parametrize("reading", ["ignored", "counted"])
def test_debate_societies_count_after_the_marker_and_as_for_the_award_without_conflicts(reading: str) -> None:
    """French Albany lies in conflict now, so Britain leads; an own marked flag would not have counted."""
    game = played(
        LOGE,
        BR,
        keyword="style",
        br=("halifax",),
        fr=("albany",),
        options={"conflicted_flags": reading},
    )
    game.when(BR, "albany").includes(SidesCounted(LOGE, 1, 0, BR))


ENERGY = ("algonquin", "privateers", "savoy", PRESTIGE_3)  # Algonquin Raids, Letters of Marque, Intrigue


def test_loges_energize_one_advantage_outside_europe_even_an_exhausted_one() -> None:
    game = played(LOGE, FR, fr=ENERGY, exhausted=("algonquin_raids",))
    game.asks(FR, "algonquin_raids", "letters_of_marque").refuses(FR, "mediterranean_intrigue")
    game.when(FR, "algonquin_raids").when(FR, "albany")
    game.then(AdvantageUsed(FR, "algonquin_raids", False), ConflictPlaced("albany", 0, "algonquin_raids"))
    acting(game, FR)


def test_loges_energize_leave_the_advantage_as_it_was() -> None:
    game = played(LOGE, FR, fr=ENERGY).when(FR, "letters_of_marque").when(FR, "antigua")
    game.has(exhausted=())


def test_loges_energize_exhausts_the_advantage_where_immediate_advantage_is_limited() -> None:
    game = played(LOGE, FR, fr=ENERGY, options={"immediate_advantage": "limited"})
    game.when(FR, "letters_of_marque").when(FR, "antigua").has(exhausted=("letters_of_marque",))


def test_loges_energize_no_advantage_that_came_in_this_round() -> None:
    game = played(LOGE, FR, fr=ENERGY, in_round={"taken": ("algonquin_raids",)})
    game.asks(FR, "letters_of_marque").refuses(FR, "algonquin_raids")


def test_loges_energize_no_advantage_with_a_conflict_on_its_space() -> None:
    game = played(LOGE, FR, fr=ENERGY, conflicts={"algonquin": 0})
    game.asks(FR, "letters_of_marque")


def test_loges_energize_nothing_without_an_advantage_overseas() -> None:
    acting(played(LOGE, FR, fr=("savoy", PRESTIGE_3)).then(plays(LOGE, FR)), FR)


PAID: dict[str, Any] = {
    "fr": ("chesapeake", "northern_colonies"),
    "br": ("hudson_valley",),
}  # Wheat, and its target


def test_loges_energize_an_advantage_that_costs_points_only_by_choice() -> None:
    game = played(LOGE, FR, **PAID).asks(FR, "wheat", "decline")
    acting(game.when(FR, "decline").then(), FR)


def test_loges_energize_an_advantage_that_costs_points_of_the_tile() -> None:
    game = played(LOGE, FR, **PAID).when(FR, "wheat")
    game.includes(AdvantageUsed(FR, "wheat", False), FlagRemoved(BR, "hudson_valley"))


def test_loges_energize_no_advantage_whose_points_the_round_lacks() -> None:
    game = played(LOGE, FR, tile="d3_m2_1", **PAID).then(plays(LOGE, FR))
    acting(game, FR)


def test_loges_energize_with_style_bring_2_diplomatic_points() -> None:
    game = played(LOGE, FR, keyword="style")
    game.then(plays(LOGE, FR, bonus=True), PointsGranted(FR, points(LOGE, DIPLOMATIC, 2)))


# ── 34 La Gabelle ──

GABELLE = "la_gabelle"


def test_salt_tax_unrest_exhausts_up_to_two_advantages_of_any_side_without_their_effects() -> None:
    game = played(GABELLE, BR, fr=ENERGY, br=("iroquois",), debt={BR: 0, FR: 0}).asks(BR, *ADVANTAGES)
    game.refuses(BR, "wheat", "rum", "silk").when(BR, "algonquin_raids", "wheat")
    game.then(AdvantageExhausted("algonquin_raids"), AdvantageExhausted("wheat"))
    game.has(exhausted=("algonquin_raids", "wheat"), conflicts={})
    acting(game, BR)


def test_salt_tax_unrest_may_exhaust_none_and_never_an_exhausted_one() -> None:
    game = played(GABELLE, BR, exhausted=("wheat",)).refuses(BR, "wheat")
    acting(game.when(BR).then(), BR)


def test_salt_tax_unrest_pays_neither_pompadour_nor_watt() -> None:
    both = ("pompadour_and_du_barry", "james_watt")
    game = happening(GABELLE, BR, "base", fr=ENERGY, revealed=both)
    game.when(BR, "mediterranean_intrigue", "algonquin_raids").has(treaty={BR: 0, FR: 0})


def test_salt_tax_unrest_with_more_available_debt_brings_2_economic_points() -> None:
    game = played(GABELLE, BR, debt={BR: 0, FR: 1}).then(plays(GABELLE, BR, bonus=True)).when(BR)
    game.then(PointsGranted(BR, points(GABELLE, ECONOMIC, 2)))


def test_salt_tax_reformed_brings_2_economic_points() -> None:
    game = played(GABELLE, FR)
    game.then(plays(GABELLE, FR), PointsGranted(FR, points(GABELLE, ECONOMIC, 2)))


@pytest.mark.parametrize(("keyword", "vp"), [("", 2), ("style", 2), ("governance", 3)])
def test_salt_tax_reformed_with_more_available_debt_scores_2_or_3_with_governance(
    keyword: str, vp: int
) -> None:
    game = played(GABELLE, FR, keyword=keyword, debt={BR: 1, FR: 0})
    game.then(
        plays(GABELLE, FR, bonus=True),
        PointsGranted(FR, points(GABELLE, ECONOMIC, 2)),
        ScoreMoved(FR, vp, 15 + vp, GABELLE),
    )


def test_governance_without_more_available_debt_scores_nothing() -> None:
    played(GABELLE, FR, keyword="governance").then(
        plays(GABELLE, FR), PointsGranted(FR, points(GABELLE, ECONOMIC, 2))
    )


# ── 35 Jesuit Abolition ──

JESUITS = "jesuit_abolition"


def test_haciendas_dissolve_removes_a_french_flag_from_a_sugar_market() -> None:
    game = played(JESUITS, BR, fr=("antigua", "martinique", "caicos"), br=("st_lucia",))
    game.asks(BR, "antigua", "martinique").when(BR, "antigua").then(FlagRemoved(FR, "antigua"))
    acting(game, BR)


def test_haciendas_dissolve_removes_a_spanish_flag_too() -> None:
    played(JESUITS, BR, flags={"havana": "spain"}).includes(FlagRemoved("spain", "havana"))


def test_haciendas_dissolve_does_nothing_without_a_target() -> None:
    acting(played(JESUITS, BR, fr=("caicos",)).then(plays(JESUITS, BR)), BR)


def test_haciendas_dissolve_with_governance_brings_3_economic_points_for_the_caribbean() -> None:
    game = played(JESUITS, BR, keyword="governance")
    game.then(
        plays(JESUITS, BR, bonus=True),
        PointsGranted(BR, points(JESUITS, ECONOMIC, 3, within("caribbean"))),
    )


def test_liabilities_made_good_reduces_french_debt_by_2() -> None:
    game = played(JESUITS, FR, debt={BR: 0, FR: 3}).then(plays(JESUITS, FR), DebtSet(FR, -2, 1, JESUITS))
    acting(game, FR)


def test_liabilities_made_good_stops_at_a_debt_of_0() -> None:
    played(JESUITS, FR, debt={BR: 0, FR: 1}).then(plays(JESUITS, FR), DebtSet(FR, -1, 0, JESUITS))


def test_liabilities_made_good_with_governance_scores_2() -> None:
    game = played(JESUITS, FR, keyword="governance")
    game.then(plays(JESUITS, FR, bonus=True), ScoreMoved(FR, 2, 17, JESUITS))


# ── what all of them share ──


@pytest.mark.parametrize(
    ("card", "kind"),
    [
        ("nootka_incident", MILITARY),
        ("la_gabelle", DIPLOMATIC),
        ("debt_crisis", ECONOMIC),
        ("east_asia_piracy", MILITARY),
        ("falklands_crisis", DIPLOMATIC),
        ("haitian_revolution", ""),
        ("loge_des_neuf_soeurs", ""),
        ("jesuit_abolition", ""),
        ("wealth_of_nations", ""),
        ("stamp_act", ""),
        ("cook_and_bougainville", ""),
    ],
)
def test_an_event_is_played_with_the_major_action_that_its_card_asks_for(card: str, kind: str) -> None:
    for tile, major in (("e3_d2_1", ECONOMIC), ("d3_e2_1", DIPLOMATIC), ("m3_e2_1", MILITARY)):
        playable = events(holding(card, BR, tile=tile), BR)
        assert (f"event:{card}" in playable) == (kind in ("", major))
