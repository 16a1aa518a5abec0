"""The 22 advantages: their targets and prices, and the limits of using them (8.0)."""

from __future__ import annotations

from typing import Any

import pytest

from domain.imperial_struggle.components import (
    ADVANTAGES,
    BOARD,
    BR,
    COUNTRIES,
    DIPLOMATIC,
    ECONOMIC,
    FR,
    MARKETS_OF,
    MEMBERS,
    MILITARY,
    NAVY_BOX,
)
from domain.imperial_struggle.facts.board import (
    AdvantageReturned,
    AdvantageTaken,
    AdvantageUsed,
    ConflictPlaced,
    FlagRemoved,
    SquadronMoved,
)
from domain.imperial_struggle.facts.flow import MarkersReset, PointsPaid
from domain.imperial_struggle.facts.tracks import DebtSet
from domain.imperial_struggle.points import CONSTRUCT, EXPEL, UNFLAG, Limit, Pool
from domain.imperial_struggle.state import State
from tests.domain.imperial_struggle.governing import acting, offered
from tests.domain.imperial_struggle.refusing import refusal, shown
from tests.domain.imperial_struggle.table import major, minor
from tests.scenario import Scenario, given

ALL_SORTS = (
    Pool("major", ECONOMIC, "major", 9),
    Pool("acts_of_union", DIPLOMATIC, "event", 9),
    Pool("hyder_ali", MILITARY, "event", 9),
)
ALL_SPACES = {
    id for id, face in BOARD.items() if face.kind in ("market", "political") and face.country != "usa"
}
AMERICAN = {id for id in MEMBERS["north_america"] if id in ALL_SPACES}
ALLIANCES = {id for id in MEMBERS["europe"] if BOARD[id].alliance}
COTTON, FURS = set(MARKETS_OF["cotton"]), set(MARKETS_OF["furs"])


def markets(region: str, subregion: str = "") -> set[str]:
    """The markets of a Region, or of a part of it."""
    found = (BOARD[id] for id in MEMBERS[region] if BOARD[id].kind == "market")
    return {face.id for face in found if not subregion or face.subregion == subregion}


CONFLICTS: dict[str, set[str]] = {
    "mediterranean_intrigue": {*COUNTRIES["spain"], *COUNTRIES["austria"], "sardinia"},
    "central_europe_conflict": ALLIANCES,
    "algonquin_raids": FURS,
    "iroquois_raids": FURS,
    "patriot_agitation": AMERICAN,
    "letters_of_marque": markets("caribbean"),
    "pirate_havens": markets("caribbean"),
    "separatist_wars": COTTON,
    "raids_and_incursions": markets("india"),
    "power_struggle": markets("india", "carnatic_coast"),
}
REMOVALS: dict[str, set[str]] = {
    "german_diplomacy": {"russia", "sweden", "bavaria"},
    "silesia_negotiations": {*COUNTRIES["prussia"], *COUNTRIES["german_states"]},
    "italy_influence": {*COUNTRIES["spain"], *COUNTRIES["austria"]},
    "fur_trade": markets("north_america"),
    "wheat": markets("north_america"),
    "fruit": markets("caribbean"),
    "rum": markets("caribbean"),
    "silk": markets("india"),
    "textiles": markets("india"),
}
OTHERS = {"baltic_trade", "naval_bastion", "slaving_contracts"}


def holding(tile: str, seat: str = BR, **fields: Any) -> Scenario[State]:
    """A side holds an advantage, with 9 points of every type and all its linked spaces."""
    fields.setdefault("pools", ALL_SORTS)
    fields.setdefault("turn", 5)
    return acting(seat, **{seat: (*ADVANTAGES[tile].spaces, *fields.pop("own", ()))}, **fields)


def test_these_are_all_22() -> None:
    assert {*CONFLICTS, *REMOVALS, *OTHERS} == set(ADVANTAGES)
    assert len(ADVANTAGES) == 22


# ── what each does ──


@pytest.mark.parametrize("tile", CONFLICTS)
def test_a_conflict_advantage_marks_one_of_its_spaces_under_any_flag(tile: str) -> None:
    own, spaces = ADVANTAGES[tile].spaces, sorted(CONFLICTS[tile])
    theirs = tuple(space for space in spaces[:3] if space not in own)
    game = holding(tile, fr=theirs).when(BR, f"advantage:{tile}").asks(BR, *spaces)
    game.when(BR, theirs[0]).then(AdvantageUsed(BR, tile, True), ConflictPlaced(theirs[0], 0, tile))
    assert refusal(game, BR, f"advantage:{tile}") == "book 001, 8.2"


@pytest.mark.parametrize("tile", CONFLICTS)
def test_no_space_gets_a_second_marker(tile: str) -> None:
    spaces = CONFLICTS[tile] - set(ADVANTAGES[tile].spaces)
    marked, free = min(spaces), CONFLICTS[tile] - {min(spaces)}
    game = holding(tile, conflicts={marked: 0}).when(BR, f"advantage:{tile}").asks(BR, *free)
    game.refuses(BR, marked)


@pytest.mark.parametrize("tile", ["letters_of_marque", "pirate_havens"])
def test_privateers_and_buccaneers_leave_protected_markets_alone(tile: str) -> None:
    """Only a Squadron or Fort of the flag's owner protects, and an empty market is not protected."""
    game = holding(tile, own=("bahamas_run",), fr=("antigua", "antilles_channel", "caicos"))
    game.when(BR, f"advantage:{tile}").asks(BR, *(markets("caribbean") - {"antigua"}))


@pytest.mark.parametrize("tile", REMOVALS)
def test_a_removal_advantage_is_for_opposing_flags_of_its_spaces_only(tile: str) -> None:
    """Every market may be reached here: Britain has a Squadron, Territory or Fort beside it."""
    targets = tuple(sorted(REMOVALS[tile] - set(ADVANTAGES[tile].spaces)))
    bases = tuple(id for id, face in BOARD.items() if face.kind in ("naval", "territory", "fort"))
    near = {line for id in bases for line in BOARD[id].lines}
    outside = ("hudson_valley", "antigua", "karaikal", "denmark_norway")
    game = holding(tile, own=bases, fr=(*targets, *outside), in_round={"isolated": ()})
    game.when(BR, f"advantage:{tile}")
    reached = {space for space in targets if BOARD[space].kind == "political" or space in near}
    game.asks(BR, *reached)


@pytest.mark.parametrize(
    ("tile", "target", "base", "cost"),
    [
        ("german_diplomacy", "russia", (), 1),
        ("silesia_negotiations", "prussia_prestige_1", (), 1),
        ("italy_influence", "spain_prestige_3", (), 1),
        ("fur_trade", "ile_aux_noix", ("champlain_valley",), 1),
        ("wheat", "ile_aux_noix", ("champlain_valley",), 2),
        ("fruit", "port_de_paix", ("st_domingue",), 2),
        ("rum", "port_de_paix", ("st_domingue",), 2),
        ("silk", "karaikal", ("vandavasi",), 2),
        ("textiles", "karaikal", ("vandavasi",), 2),
    ],
)
def test_a_fixed_price_is_1_and_a_discount_1_less(
    tile: str, target: str, base: tuple[str, ...], cost: int
) -> None:
    game = holding(tile, own=base, fr=(target,), in_round={"isolated": ()}).when(BR, f"advantage:{tile}")
    game.includes(AdvantageUsed(BR, tile, True), FlagRemoved(FR, target))
    assert sum(fact.cost for fact in game.facts if isinstance(fact, PointsPaid)) == cost


def test_baltic_trade_reduces_debt_by_2() -> None:
    game = holding("baltic_trade", debt={BR: 3, FR: 0}).when(BR, "advantage:baltic_trade")
    game.then(AdvantageUsed(BR, "baltic_trade", True), DebtSet(BR, -2, 1, "baltic_trade"))
    less = holding("baltic_trade", FR, debt={BR: 0, FR: 1}).when(FR, "advantage:baltic_trade")
    less.then(AdvantageUsed(FR, "baltic_trade", True), DebtSet(FR, -1, 0, "baltic_trade"))


def test_naval_bastion_sends_any_opposing_squadron_home_for_1() -> None:
    game = holding("naval_bastion", fr=("biscay", "malabar_coast")).when(BR, "advantage:naval_bastion")
    game.asks(BR, "biscay", "malabar_coast")
    assert shown(game, BR, "biscay").cost == 1
    game.when(BR, "malabar_coast").then(
        PointsPaid(BR, EXPEL, "malabar_coast", MILITARY, 1, {"hyder_ali": 1}, False, "india", 0),
        AdvantageUsed(BR, "naval_bastion", True),
        SquadronMoved(FR, "malabar_coast", NAVY_BOX),
    )


def test_slaving_contracts_construct_a_squadron_for_2() -> None:
    game = holding("slaving_contracts").when(BR, "advantage:slaving_contracts")
    game.then(
        PointsPaid(BR, CONSTRUCT, "", MILITARY, 2, {"hyder_ali": 2}, False, "", 0),
        AdvantageUsed(BR, "slaving_contracts", True),
        SquadronMoved(BR, "unbuilt", NAVY_BOX),
    )
    full = holding("slaving_contracts", unbuilt={BR: 0, FR: 0})
    assert refusal(full, BR, "advantage:slaving_contracts") == "book 001, 8.2"


# ── paying for them ──


@pytest.mark.parametrize(("reading", "cost"), [("with_increases", 3), ("exact", 1)])
def test_option_fixed_price_says_whether_increases_come_on_top(reading: str, cost: int) -> None:
    """Protection, and the surcharge of a further Region."""
    game = holding(
        "fur_trade",
        own=("cumberland", "northern_colonies", "antilles_channel"),
        fr=("allegheny", "ohio_forks", "martinique", "guadeloupe"),
        options={"fixed_price": reading},
    )
    game.when(BR, "unflag:martinique").when(BR, "advantage:fur_trade")
    assert [fact.cost for fact in game.facts if isinstance(fact, PointsPaid)] == [cost]


def test_a_paid_advantage_needs_points_of_its_type() -> None:
    game = holding("silesia_negotiations", fr=("german_states_2",), pools=(major(ECONOMIC, 4),))
    assert refusal(game, BR, "advantage:silesia_negotiations") == "book 001, 5.3.1"


def test_a_minor_action_pays_for_a_removal_only_under_a_conflict_marker() -> None:
    points = (major(ECONOMIC, 4), minor(DIPLOMATIC))
    game = holding("silesia_negotiations", fr=("german_states_2",), pools=points)
    assert refusal(game, BR, "advantage:silesia_negotiations") == "book 001, 5.3.2"
    marked = holding(
        "silesia_negotiations", fr=("german_states_2",), pools=points, conflicts={"german_states_2": 0}
    )
    marked.when(BR, "advantage:silesia_negotiations").includes(FlagRemoved(FR, "german_states_2"))


def test_naval_bastion_needs_major_military_points() -> None:
    """A Squadron is never removed by a Minor action (5.3.2)."""
    points = (major(ECONOMIC, 4), minor(MILITARY))
    game = holding("naval_bastion", fr=("biscay",), pools=points)
    assert refusal(game, BR, "advantage:naval_bastion") == "book 001, 5.3.2"


def test_a_market_must_be_connected_for_an_advantage_too() -> None:
    game = holding("fur_trade", fr=("cumberland", "allegheny", "ohio_forks"))
    assert refusal(game, BR, "advantage:fur_trade") == "book 001, 8.2"


def test_debt_and_restricted_points_pay_for_an_advantage() -> None:
    limit = Limit(verbs=(UNFLAG,))
    points = (Pool("acts_of_union", DIPLOMATIC, "event", 0, limit),)
    game = holding("italy_influence", fr=("spain_prestige_2",), pools=points)
    game.when(BR, "advantage:italy_influence").includes(DebtSet(BR, 1, 1, UNFLAG))


# ── coming and going (8.1) ──


def test_who_flags_every_linked_space_takes_the_tile_and_who_loses_one_returns_it() -> None:
    points = (major(DIPLOMATIC, 9),)
    game = acting(FR, pools=points, fr=("denmark_norway",)).when(FR, "flag:prussia_alliance_1")
    game.includes(AdvantageTaken(FR, "baltic_trade")).has(advantages={"baltic_trade": FR})
    game = acting(BR, pools=points, fr=("denmark_norway", "prussia_alliance_1"))
    game.when(BR, "unflag:denmark_norway").includes(AdvantageReturned(FR, "baltic_trade")).has(advantages={})


def test_an_advantage_is_not_used_in_the_round_in_which_it_was_taken() -> None:
    game = acting(FR, pools=(major(DIPLOMATIC, 4),)).when(FR, "flag:algonquin")
    assert refusal(game, FR, "advantage:algonquin_raids") == "book 001, 8.2"


def test_the_tile_stays_exhausted_when_it_changes_hands() -> None:
    points = (major(DIPLOMATIC, 9),)
    game = acting(BR, pools=points, fr=("algonquin",), exhausted=("algonquin_raids",))
    game.when(BR, "unflag:algonquin").when(BR, "flag:algonquin")
    game.includes(AdvantageTaken(BR, "algonquin_raids")).has(exhausted=("algonquin_raids",))
    later = acting(BR, br=("algonquin",), exhausted=("algonquin_raids",))
    assert refusal(later, BR, "advantage:algonquin_raids") == "book 001, 8.2"
    fresh = given(later.table, MarkersReset({BR: 0, FR: 0}), do=later.table.agenda)
    assert "advantage:algonquin_raids" in offered(fresh, BR)


def test_a_conflict_marker_bars_the_use_but_does_not_return_the_tile() -> None:
    game = acting(BR, br=("denmark_norway", "prussia_alliance_1"), conflicts={"denmark_norway": 0})
    assert refusal(game, BR, "advantage:baltic_trade") == "book 001, 8.1"
    game.has(advantages={"baltic_trade": BR})


def test_a_side_cannot_use_what_the_other_side_or_no_side_holds() -> None:
    game = acting(BR, fr=("algonquin",))
    assert refusal(game, BR, "advantage:algonquin_raids") == "book 001, 8.1"
    assert refusal(game, BR, "advantage:wheat") == "book 001, 8.1"


# ── two in a round, never two in a Region (8.2) ──


def test_a_third_advantage_is_refused() -> None:
    game = acting(FR, fr=("algonquin", "mysore", "privateers"))
    game.when(FR, "advantage:algonquin_raids").when(FR, "york_factory")
    game.when(FR, "advantage:power_struggle").when(FR, "kurpa")
    assert refusal(game, FR, "advantage:letters_of_marque") == "book 001, 8.2"


def test_two_advantages_of_a_region_are_refused() -> None:
    game = acting(FR, fr=("algonquin", "iroquois", "mysore"))
    game.when(FR, "advantage:algonquin_raids").when(FR, "york_factory")
    assert refusal(game, FR, "advantage:iroquois_raids") == "book 001, 8.2"
    assert "advantage:power_struggle" in offered(game, FR)


def test_an_advantage_is_used_at_any_time_of_the_round() -> None:
    game = acting(FR, fr=("algonquin", "antilles_channel"), pools=(major(ECONOMIC, 2),)).when(
        FR, "flag:antigua"
    )
    assert "advantage:algonquin_raids" in offered(game, FR)
