"""What things cost: printed, set to 1, reductions, increases, surcharge of Regions (5.3.4 to 5.5.2, 8.2)."""

from __future__ import annotations

from typing import Any

import pytest

from domain.imperial_struggle import GAME
from domain.imperial_struggle.components import (
    ADVANTAGES,
    BOARD,
    BR,
    DIPLOMATIC,
    ECONOMIC,
    FR,
    MARKETS,
    MILITARY,
    MINISTRIES,
    POLITICAL,
)
from domain.imperial_struggle.events import EVENTS
from domain.imperial_struggle.points import DRAW, FLAG, UNFLAG, Payment, Pool, Purchase
from domain.imperial_struggle.rules.prices import price
from domain.texts import LANGUAGES
from tests.domain.imperial_struggle.governing import acting, offered, total
from tests.domain.imperial_struggle.refusing import refusal, shown
from tests.domain.imperial_struggle.table import major, minor, table

EUROPE_FIRST = {"payments": (Payment(DIPLOMATIC, "europe", False),)}

# ── printed, set to 1 ──


@pytest.mark.parametrize("space", [*MARKETS, *POLITICAL])
def test_flagging_an_empty_space_costs_what_is_printed(space: str) -> None:
    cost = price(table(), BR, Purchase(FLAG, space))
    assert (cost.total, cost.working) == (BOARD[space].cost, (("printed", BOARD[space].cost),))
    assert cost.type == (ECONOMIC if BOARD[space].kind == "market" else DIPLOMATIC)


def test_a_conflict_marker_sets_the_cost_to_1_of_empty_and_of_flagged_spaces() -> None:
    s = table(fr=("bavaria", "karaikal"), conflicts={"bavaria": 0, "karaikal": 1, "kurpa": 0})
    for verb, space in ((UNFLAG, "bavaria"), (UNFLAG, "karaikal"), (FLAG, "kurpa")):
        assert total(s, BR, verb, space) == 1
    assert price(s, BR, Purchase(UNFLAG, "bavaria")).working == (("printed", 3), ("conflict", -2))


def test_isolation_sets_the_cost_to_1() -> None:
    s = table(fr=("karaikal", "plassey", "chandernagore"))
    assert price(s, BR, Purchase(UNFLAG, "karaikal")).working == (("printed", 3), ("isolated", -2))
    assert total(s, BR, UNFLAG, "plassey") == 3


def test_a_market_that_changed_hands_is_not_isolated_in_this_round() -> None:
    game = acting(BR, br=("madras", "kanchipuram"), fr=("karaikal",)).when(BR, "unflag:karaikal")
    assert total(game.table, BR, FLAG, "karaikal") == 3


def test_isolated_and_conflicted_is_still_1() -> None:
    s = table(fr=("karaikal",), conflicts={"karaikal": 0})
    assert total(s, BR, UNFLAG, "karaikal") == 1


# ── protection ──


def test_protection_costs_1_more_only_while_an_opposing_flag_is_there() -> None:
    s = table(fr=("karaikal", "vandavasi", "pondicherry"), br=("arcot",))
    assert price(s, BR, Purchase(UNFLAG, "karaikal")).working == (("printed", 3), ("protected", 1))
    assert total(s, BR, FLAG, "tiruchirappalli") == 2
    assert total(s, FR, FLAG, "kurpa") == 2


@pytest.mark.parametrize(
    ("fields", "cost"),
    [
        ({"fr": ("antigua", "antilles_channel")}, 3),
        ({"fr": ("antigua",), "br": ("antilles_channel",)}, 2),
        ({"fr": ("kurpa", "arcot", "midnapore", "chandernagore", "plassey", "west_bengal")}, 3),
        ({"fr": ("kurpa", "arcot"), "damaged": ("arcot",)}, 2),
        ({"fr": ("georgia",)}, 2),
    ],
)
def test_an_own_squadron_or_undamaged_fort_protects(fields: dict[str, Any], cost: int) -> None:
    """3.2.8; the market is not isolated (a Fort, damaged too, is a base)."""
    market = fields["fr"][0]
    s = table(in_round={"isolated": ()}, **fields)
    assert total(s, BR, UNFLAG, market) == cost


def test_political_spaces_are_never_protected() -> None:
    assert all(not BOARD[space].lines for space in POLITICAL)


@pytest.mark.parametrize(
    "marker", [{"conflicts": {"karaikal": 0}}, {"in_round": {"isolated": ("karaikal",)}}]
)
def test_5_4_2_a_protected_market_that_is_conflicted_or_isolated_costs_2(marker: dict[str, Any]) -> None:
    s = table(fr=("karaikal", "vandavasi", "pondicherry"), **marker)
    assert total(s, BR, UNFLAG, "karaikal") == 2


# ── reductions below 1, and the minimum ──


def test_8_2_rum_on_a_protected_and_conflicted_market_of_2_costs_1() -> None:
    """Set to 1, 1 less with Rum, 1 more for protection."""
    s = table(fr=("antigua", "antilles_channel"), conflicts={"antigua": 0})
    cost = price(s, BR, Purchase(UNFLAG, "antigua", "rum"))
    assert cost.working == (("printed", 2), ("conflict", -1), ("rum", -1), ("protected", 1))
    assert cost.total == 1


def test_nothing_costs_less_than_1() -> None:
    s = table(fr=("martinique",), conflicts={"martinique": 0})
    cost = price(s, BR, Purchase(UNFLAG, "martinique", "rum"))
    assert (cost.total, cost.working[-1]) == (1, ("least", 1))


def test_the_parts_of_a_working_add_up() -> None:
    s = table(fr=("antigua", "antilles_channel"), conflicts={"antigua": 0}, in_round=EUROPE_FIRST)
    for bought in (
        Purchase(UNFLAG, "antigua"),
        Purchase(UNFLAG, "antigua", "rum"),
        Purchase(FLAG, "algonquin"),
        Purchase(DRAW),
    ):
        cost = price(s, BR, bought)
        assert sum(points for _, points in cost.working) == cost.total


# ── the surcharge of Regions ──


def test_the_first_purchase_in_another_region_costs_1_more() -> None:
    s = table(in_round=EUROPE_FIRST)
    assert price(s, BR, Purchase(FLAG, "algonquin")).working == (("printed", 2), ("region", 1))
    assert total(s, BR, FLAG, "sweden") == 2


def test_the_surcharge_comes_after_the_marker_set_the_cost_to_1() -> None:
    s = table(in_round=EUROPE_FIRST, conflicts={"algonquin": 0})
    assert total(s, BR, FLAG, "algonquin") == 2


def test_subregions_are_no_regions() -> None:
    s = table(in_round={"payments": (Payment(DIPLOMATIC, "india", False),)})
    assert (total(s, BR, FLAG, "maratha"), total(s, BR, FLAG, "mysore")) == (2, 2)


@pytest.mark.parametrize(("reading", "back"), [("beyond_first", 2), ("per_change", 3)])
def test_option_region_switch_says_what_a_return_costs(reading: str, back: int) -> None:
    """14: each Region beyond the first costs once, or each change does."""
    options = {"region_switch": reading}
    game = acting(BR, pools=(major(DIPLOMATIC, 4),), options=options, limit={BR: 20, FR: 6})
    game.when(BR, "flag:sweden").when(BR, "flag:algonquin")
    assert shown(game, BR, "flag:savoy").cost == back
    assert shown(game, BR, "flag:iroquois").cost == 2
    assert shown(game, BR, "flag:mysore").cost == 3


def test_each_type_travels_on_its_own() -> None:
    s = table(in_round=EUROPE_FIRST, br=("antilles_channel",))
    assert total(s, BR, FLAG, "antigua") == 2


def test_military_points_travel_freely() -> None:
    s = table(conflicts={"antigua": 0}, in_round={"payments": (Payment(MILITARY, "europe", False),)})
    assert total(s, BR, "deploy", "malabar_coast", origin="navy_box") == 1
    assert total(s, BR, "clear", "antigua") == 2
    india_first = table(in_round={"payments": (Payment(MILITARY, "india", False),)})
    assert total(india_first, FR, FLAG, "scotland_alliance", with_military=True) == 2


def test_a_card_is_in_no_region() -> None:
    """It neither costs the surcharge nor makes a first Region."""
    game = acting(BR, pools=(major(DIPLOMATIC, 4),), deck=("hyder_ali",), limit={BR: 20, FR: 6})
    assert total(table(in_round=EUROPE_FIRST), BR, DRAW) == 3
    game.when(BR, "draw").when("chance", "hyder_ali")
    assert total(game.table, BR, FLAG, "algonquin") == 2


def test_the_minor_action_and_an_event_of_its_type_travel_together() -> None:
    """5.3.4 counts what is spent of a type in the round, by whichever action."""
    event = Pool("acts_of_union", DIPLOMATIC, "event", 2)
    game = acting(BR, pools=(major(MILITARY, 3), minor(DIPLOMATIC), event), debt={BR: 5, FR: 0})
    game.when(BR, "flag:sweden").when(BR, "minor:0")
    assert total(game.table, BR, FLAG, "algonquin") == 3


def test_a_space_that_was_removed_by_an_effect_is_no_visit() -> None:
    game = acting(FR, fr=("algonquin",), pools=(major(ECONOMIC, 4),)).when(FR, "advantage:algonquin_raids")
    game.when(FR, "york_factory")
    assert total(game.table, FR, FLAG, "karaikal") == 3


# ── what the prompt shows ──


def test_a_prompt_shows_the_cost_with_its_working() -> None:
    french = ("karaikal", "vandavasi", "pondicherry")
    game = acting(BR, br=("madras", "kanchipuram"), fr=french, conflicts={"karaikal": 0})
    seen = shown(game, BR, "unflag:karaikal")
    assert (seen.cost, seen.working) == (2, {"printed": 3, "conflict": -2, "protected": 1})


def test_a_prompt_shows_how_a_cost_is_paid() -> None:
    game = acting(BR, pools=(major(DIPLOMATIC, 1),), treaty={BR: 1, FR: 0}).when(BR, "flag:savoy")
    assert shown(game, BR, "major:1").working == {"major": 1, "treaty_points": 1}
    assert shown(game, BR, "major:0").working == {"major": 1, "debt": 1}


def test_what_cannot_be_paid_is_refused_with_the_price() -> None:
    game = acting(BR, br=("antilles_channel",), pools=(major(ECONOMIC, 1),), debt={BR: 6, FR: 0})
    assert "flag:antigua" not in offered(game, BR)
    assert refusal(game, BR, "flag:antigua") == "book 001, 6.3"


def test_a_turn_shows_which_spaces_are_open() -> None:
    pools = (major(DIPLOMATIC, 4),)
    for turn, space in ((2, "prussia_prestige_2"), (4, "sons_of_liberty"), (5, "usa_prestige_2")):
        assert refusal(acting(BR, pools=pools, turn=turn), BR, f"flag:{space}") == "book 001, 3.2.1"
        later = acting(BR, pools=pools, turn=turn + 1, flags={"massachusetts_bay": "usa"})
        assert f"flag:{space}" in offered(later, BR)
    assert refusal(acting(BR, pools=pools, turn=6), BR, "flag:usa_prestige_2") == "book 001, 3.2.1"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_part_of_a_working_has_a_name(language: str) -> None:
    """What a price is made of, and what pays it: reasons, advantages, events, ministries."""
    reasons = (
        "printed",
        "conflict",
        "isolated",
        "protected",
        "region",
        "least",
        "displace",
        "repair",
        "seize",
    )
    sources = ("protected_marker", "plus_one", "major", "minor", "treaty_points", "debt")
    exchanged = ("exchange_economic", "exchange_diplomatic")
    parts = (*reasons, *sources, *exchanged, *ADVANTAGES, *EVENTS, *MINISTRIES)
    names = GAME.texts[language].names
    assert [part for part in parts if part not in names] == []
