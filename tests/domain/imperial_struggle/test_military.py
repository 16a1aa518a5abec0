"""Military actions: Bonus War tiles, Conflict markers, Forts, Squadrons (5.6, 3.6)."""

from __future__ import annotations

from typing import Any

import pytest

from domain.imperial_struggle.components import BOARD, BR, ECONOMIC, FORTS, FR, MILITARY, NAVAL, NAVY_BOX
from domain.imperial_struggle.facts.board import (
    ConflictRemoved,
    FlagPlaced,
    FlagRemoved,
    FortRepaired,
    SquadronMoved,
)
from domain.imperial_struggle.facts.flow import PointsPaid
from domain.imperial_struggle.facts.tracks import DebtSet
from domain.imperial_struggle.facts.wars import BonusDrawn, BonusMoved, BonusPlaced
from domain.imperial_struggle.points import BUILD, CLEAR, DEPLOY
from domain.imperial_struggle.state import State
from domain.kernel import CHANCE, HIDDEN
from tests.domain.imperial_struggle.governing import acting, offered, total
from tests.domain.imperial_struggle.refusing import refusal, shown
from tests.domain.imperial_struggle.table import major, minor
from tests.scenario import Scenario

NO_DEBT = {BR: 6, FR: 6}


def military(seat: str = BR, points: int = 4, **fields: Any) -> Scenario[State]:
    """A Major military action."""
    return acting(seat, pools=(major(MILITARY, points), minor(ECONOMIC)), **fields)


# ── Bonus War tiles (5.6.1) ──


def test_a_bonus_tile_costs_2_is_drawn_and_placed_face_down() -> None:
    game = military().when(BR, "buy").then(PointsPaid(BR, "buy", "", MILITARY, 2, {"major": 2}, False, "", 0))
    game.when(CHANCE, "wss_rooke").then(BonusDrawn(BR, "wss_rooke", True))
    game.asks(BR, "central_europe", "spain", "queen_annes_war", "jacobite_rebellion").when(BR, "spain")
    game.then(BonusPlaced(BR, "wss_rooke", "spain"))
    assert game.table.reinforcements[BR] == {"spain": ("wss_rooke",)}


def test_two_bonus_tiles_are_bought_in_a_round() -> None:
    game = military(points=9)
    for tile in ("wss_rooke", "wss_church"):
        game.when(BR, "buy").when(CHANCE, tile).when(BR, "spain")
    assert refusal(game, BR, "buy") == "book 001, 5.6.1"
    assert game.table.reinforcements[BR] == {"spain": ("wss_church", "wss_rooke")}


def test_a_tile_that_an_event_gives_is_none_of_the_two() -> None:
    game = (
        military(points=9, in_round={"bought": 1}).when(BR, "buy").when(CHANCE, "wss_rooke").when(BR, "spain")
    )
    assert game.table.round is not None
    assert game.table.round.bought == 2
    assert BonusDrawn(BR, "wss_church", False).apply(game.table).round == game.table.round


def crowded(full: tuple[str, ...]) -> dict[str, dict[str, tuple[str, ...]]]:
    """Two British tiles in each of these theatres."""
    names = iter(
        ("wss_rooke", "wss_church", "wss_galway", "wss_leopold", "wss_foot_guards", "wss_prize_hunting")
    )
    return {BR: {theatre: (next(names), next(names)) for theatre in full}, FR: {}}


def test_where_two_tiles_lie_one_makes_room_first() -> None:
    game = military(reinforcements=crowded(("spain", "central_europe")))
    game.when(BR, "buy").when(CHANCE, "wss_savoy_defects").when(BR, "spain")
    game.asks(
        BR,
        *(
            f"{tile}:{to}"
            for tile in ("wss_rooke", "wss_church")
            for to in ("queen_annes_war", "jacobite_rebellion")
        ),
    )
    assert refusal(game, BR, "wss_rooke:central_europe").startswith("book 001, 5.6.1")
    game.when(BR, "wss_church:queen_annes_war").then(
        BonusMoved(BR, "wss_church", "spain", "queen_annes_war"),
        BonusPlaced(BR, "wss_savoy_defects", "spain"),
    )
    assert game.table.reinforcements[BR]["spain"] == ("wss_rooke", "wss_savoy_defects")


def test_with_two_tiles_in_every_theatre_none_is_bought() -> None:
    six = ("awi_coote", "awi_rodney", "awi_howe", "awi_stuart", "awi_andre", "awi_hessians")
    theatres = ("american_revolution", "mysore_war", "antilles_war")
    full = {BR: dict(zip(theatres, zip(six[::2], six[1::2], strict=True), strict=True)), FR: {}}
    game = military(turn=5, reinforcements=full)
    assert refusal(game, BR, "buy") == "book 001, 5.6.1"
    assert "buy" in offered(military(FR, turn=5, reinforcements=full), FR)


def test_only_its_owner_sees_which_tile_it_is_and_which_one_moves() -> None:
    for fact in (
        BonusDrawn(BR, "wss_rooke", True),
        BonusPlaced(BR, "wss_rooke", "spain"),
        BonusMoved(BR, "wss_rooke", "spain", "central_europe"),
    ):
        told = fact.seen_by(FR)
        assert isinstance(told, type(fact))
        assert (told.tile, fact.seen_by(BR)) == (HIDDEN, fact)


# ── Conflict markers (5.6.2) ──


@pytest.mark.parametrize(
    ("flags", "extra", "cost"),
    [
        ({}, 0, 2),
        ({}, 1, 3),
        ({"fr": ("karaikal",)}, 0, 2),
        ({"fr": ("karaikal", "vandavasi")}, 0, 1),
        ({"br": ("karaikal", "vandavasi")}, 0, 1),
        ({"fr": ("karaikal", "vandavasi")}, 1, 2),
        ({"fr": ("karaikal",), "br": ("vandavasi",)}, 0, 2),
        ({"fr": ("karaikal", "vandavasi"), "damaged": ("vandavasi",)}, 0, 2),
        ({"fr": ("vandavasi",)}, 0, 2),
    ],
)
def test_a_marker_costs_2_or_1_where_the_space_is_protected(
    flags: dict[str, Any], extra: int, cost: int
) -> None:
    """A flag of either side; a damaged Fort protects nothing, and an empty space is never protected."""
    game = military(conflicts={"karaikal": extra}, **flags)
    assert shown(game, BR, "clear:karaikal").cost == cost
    game.when(BR, "clear:karaikal").includes(ConflictRemoved("karaikal")).has(conflicts={})


def test_a_minor_action_removes_one_marker() -> None:
    game = acting(
        BR, pools=(major(ECONOMIC, 4), minor(MILITARY)), conflicts={"sweden": 0, "kurpa": 0}, debt=NO_DEBT
    )
    game.when(BR, "clear:sweden").includes(
        PointsPaid(BR, CLEAR, "sweden", MILITARY, 2, {"minor": 2}, True, "europe", 0)
    )
    assert refusal(game, BR, "clear:kurpa") == "book 001, 5.3.1"
    assert refusal(military(), BR, "clear:kurpa") == "book 001, 5.6.2"


# ── Forts (5.6.3, 5.6.4) ──


@pytest.mark.parametrize("fort", FORTS)
def test_building_a_fort_costs_what_is_printed(fort: str) -> None:
    beside = next(line for line in BOARD[fort].lines if BOARD[line].kind == "market")
    game = military(br=(beside,)).when(BR, f"build:{fort}")
    cost = BOARD[fort].cost
    game.then(
        PointsPaid(BR, BUILD, fort, MILITARY, cost, {"major": cost}, False, BOARD[fort].region, 0),
        FlagPlaced(BR, fort),
    )


@pytest.mark.parametrize(
    ("flags", "builds"),
    [
        ({"br": ("georges_bank",)}, True),
        ({"br": ("acadia",)}, True),
        ({"br": ("cabot_strait",)}, True),
        ({"br": ("halifax",)}, False),
        ({"fr": ("acadia",)}, False),
        ({"br": ("quebec_and_montreal",)}, False),
    ],
)
def test_a_fort_needs_an_own_market_territory_or_squadron_beside_it(
    flags: dict[str, Any], builds: bool
) -> None:
    game = military(**flags)
    assert ("build:louisbourg" in offered(game, BR)) == builds
    if not builds:
        assert refusal(game, BR, "build:louisbourg") == "book 001, 5.6.3"


def test_a_market_under_a_conflict_marker_still_allows_a_fort() -> None:
    """Ruling: it is controlled; 3.8 takes only the connection between markets away."""
    game = military(br=("georges_bank",), conflicts={"georges_bank": 0})
    assert "build:louisbourg" in offered(game, BR)


def test_what_came_in_this_round_does_not_allow_a_fort() -> None:
    game = military(points=9).when(BR, "deploy:cabot_strait")
    assert refusal(game, BR, "build:louisbourg") == "book 001, 5.6.3"


def test_what_was_lost_in_this_round_does_not_allow_a_fort() -> None:
    game = military(points=9, br=("cabot_strait",), navy={BR: 0, FR: 0})
    assert "build:louisbourg" in offered(game, BR)
    game.when(BR, "deploy:biscay")
    assert refusal(game, BR, "build:louisbourg") == "book 001, 5.6.3"


def test_no_side_builds_where_a_fort_stands() -> None:
    game = military(br=("georges_bank",), fr=("louisbourg",))
    assert refusal(game, BR, "build:louisbourg") == "book 001, 5.6.3"
    assert refusal(game, BR, "seize:louisbourg") == "book 001, 5.6.4"


def test_an_own_fort_is_repaired_for_1_less_without_connection() -> None:
    game = military(br=("louisbourg",), damaged=("louisbourg",))
    assert shown(game, BR, "repair:louisbourg").working == {"printed": 3, "repair": -1}
    game.when(BR, "repair:louisbourg").includes(FortRepaired("louisbourg")).has(damaged=())
    assert refusal(game, BR, "repair:louisbourg") == "book 001, 5.6.4"


def test_a_damaged_opposing_fort_is_seized_for_1_more() -> None:
    game = military(br=("karaikal",), fr=("vandavasi",), damaged=("vandavasi",), debt={BR: 0, FR: 0})
    game.when(BR, "seize:vandavasi").then(
        PointsPaid(BR, "seize", "vandavasi", MILITARY, 5, {"major": 4}, False, "india", 1),
        DebtSet(BR, 1, 1, "seize"),
        FortRepaired("vandavasi"),
        FlagRemoved(FR, "vandavasi"),
        FlagPlaced(BR, "vandavasi"),
    )


@pytest.mark.parametrize(
    ("beside", "seizes"),
    [("georges_bank", True), ("cabot_strait", True), ("acadia", False), ("halifax", False)],
)
def test_seizing_needs_an_own_market_or_squadron_beside_the_fort(beside: str, seizes: bool) -> None:
    game = military(br=(beside,), fr=("louisbourg",), damaged=("louisbourg",))
    assert ("seize:louisbourg" in offered(game, BR)) == seizes
    if not seizes:
        assert refusal(game, BR, "seize:louisbourg") == "book 001, 5.6.4"


def test_a_squadron_of_this_round_is_enough_to_seize() -> None:
    game = military(points=9, fr=("louisbourg",), damaged=("louisbourg",)).when(BR, "deploy:cabot_strait")
    assert "seize:louisbourg" in offered(game, BR)


# ── Squadrons (5.6.5, 5.6.6, 3.6) ──


def test_a_squadron_is_constructed_for_4_into_the_navy_box() -> None:
    game = military().when(BR, "construct").includes(SquadronMoved(BR, "unbuilt", NAVY_BOX))
    game.has(navy={BR: 3, FR: 1}, unbuilt={BR: 5, FR: 7})


def test_no_side_constructs_a_ninth_squadron() -> None:
    game = military(unbuilt={BR: 0, FR: 7}, navy={BR: 8, FR: 1})
    assert refusal(game, BR, "construct") == "book 001, 3.6"


@pytest.mark.parametrize("space", NAVAL)
def test_a_squadron_is_deployed_anywhere_for_1(space: str) -> None:
    game = military().when(BR, f"deploy:{space}")
    game.then(
        PointsPaid(BR, DEPLOY, space, MILITARY, 1, {"major": 1}, False, BOARD[space].region, 0),
        SquadronMoved(BR, NAVY_BOX, space, True),
    )
    game.has(navy={BR: 1, FR: 1}, sailed=(space,))


def test_an_opposing_squadron_is_displaced_for_3_from_the_navy_box_and_2_from_the_map() -> None:
    game = military(br=("balearic",), fr=("biscay",)).when(BR, "deploy:biscay")
    game.asks(BR, NAVY_BOX, "balearic")
    assert {pick: shown(game, BR, pick).cost for pick in (NAVY_BOX, "balearic")} == {
        NAVY_BOX: 3,
        "balearic": 2,
    }
    game.when(BR, "balearic").then(
        PointsPaid(BR, DEPLOY, "biscay", MILITARY, 2, {"major": 2}, False, "europe", 0),
        SquadronMoved(FR, "biscay", NAVY_BOX),
        SquadronMoved(BR, "balearic", "biscay", True),
    )
    game.has(flags={"biscay": BR}, navy={BR: 2, FR: 2})


def test_an_origin_that_is_too_dear_is_not_asked_for() -> None:
    game = military(points=2, br=("balearic",), fr=("biscay",), debt=NO_DEBT).when(BR, "deploy:biscay")
    game.includes(SquadronMoved(BR, "balearic", "biscay", True))


def test_each_squadron_is_deployed_once_in_a_round() -> None:
    game = military(navy={BR: 1, FR: 0}).when(BR, "deploy:biscay")
    assert refusal(game, BR, "deploy:balearic") == "book 001, 5.6.6"
    two = (
        military(navy={BR: 1, FR: 0}, br=("cuba_passage",)).when(BR, "deploy:biscay").when(BR, "cuba_passage")
    )
    two.when(BR, "deploy:balearic").includes(SquadronMoved(BR, NAVY_BOX, "balearic", True))
    assert refusal(two, BR, "deploy:cuba_passage") == "book 001, 5.6.6"


def test_a_squadron_that_was_deployed_and_came_home_waits_for_the_next_round() -> None:
    game = military(navy={BR: 1, FR: 0}, sailed=("navy_box/br",))
    assert refusal(game, BR, "deploy:biscay") == "book 001, 5.6.6"


def test_a_squadron_that_was_constructed_in_this_round_may_be_deployed() -> None:
    game = military(points=5, navy={BR: 0, FR: 0}).when(BR, "construct").when(BR, "deploy:biscay")
    game.includes(SquadronMoved(BR, NAVY_BOX, "biscay", True))


def test_no_squadron_is_deployed_to_an_own_one_or_to_land() -> None:
    game = military(br=("biscay",))
    assert refusal(game, BR, "deploy:biscay") == "book 001, 3.2.7"
    assert refusal(game, BR, "deploy:gibraltar") == "book 001, 3.6"


def test_deploying_costs_no_surcharge_for_regions() -> None:
    game = military(navy={BR: 3, FR: 0}).when(BR, "deploy:biscay").when(BR, "deploy:malabar_coast")
    assert total(game.table, BR, DEPLOY, "cuba_passage", origin=NAVY_BOX) == 1
