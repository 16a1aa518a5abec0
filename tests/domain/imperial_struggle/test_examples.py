"""The printed examples of action rounds, each by its section, and those of the reference book (PB)."""

from __future__ import annotations

from typing import Any

from domain.imperial_struggle.components import BOARD, BR, DIPLOMATIC, ECONOMIC, FR, MILITARY, NAVY_BOX
from domain.imperial_struggle.facts.board import (
    AdvantageReturned,
    AdvantageUsed,
    ConflictPlaced,
    ConflictRemoved,
    FlagPlaced,
    FlagRemoved,
    FortRepaired,
    SquadronMoved,
)
from domain.imperial_struggle.facts.cards import EventPlayed
from domain.imperial_struggle.facts.flow import PointsGranted, PointsPaid, RoundEnded
from domain.imperial_struggle.facts.tracks import DebtSet, TreatySet
from domain.imperial_struggle.facts.wars import BasicRemoved, BonusPlaced
from domain.imperial_struggle.points import BUILD, CLEAR, DEPLOY, FLAG, SHIFT, UNFLAG, Pool
from domain.imperial_struggle.rules.board import isolated
from domain.imperial_struggle.state import State
from domain.kernel import CHANCE
from tests.domain.imperial_struggle.governing import choosing, offered, pools, total
from tests.domain.imperial_struggle.refusing import refusal, shown
from tests.scenario import Scenario

NO_DEBT = {BR: 6, FR: 6}


def paid(seat: str, verb: str, space: str, used: dict[str, int], cost: int, **how: Any) -> PointsPaid:
    """A payment; by a Major action and without Debt, where `how` does not say otherwise."""
    kinds = {"market": ECONOMIC, "political": DIPLOMATIC}
    type = kinds[BOARD[space].kind] if verb in SHIFT else MILITARY
    return PointsPaid(
        seat, verb, space, type, cost, used, how.get("minor", False), BOARD[space].region, how.get("debts", 0)
    )


# ── 5.4.2 ──


def cumberland(**fields: Any) -> Scenario[State]:
    """Britain takes 3 economic points and flags Antigua; France has a chain of furs up to Cumberland."""
    british = ("st_lucia", "barbados", "northern_colonies")
    french = ("cumberland", "allegheny", "niagara", "cataraqui", "quebec_and_montreal")
    game = choosing(BR, shown=("e3_m2_1",), br=british, fr=french, **fields).when(BR, "e3_m2_1")
    return game.when(BR, "flag:antigua").includes(FlagPlaced(BR, "antigua"))


def test_5_4_2_another_region_under_a_marker_costs_2() -> None:
    game = cumberland(conflicts={"cumberland": 0})
    assert pools(game) == {"major": 1, "minor": 2}
    game.when(BR, "unflag:cumberland").then(
        paid(BR, UNFLAG, "cumberland", {"major": 1}, 2, debts=1),
        DebtSet(BR, 1, 1, UNFLAG),
        ConflictRemoved("cumberland"),
        FlagRemoved(FR, "cumberland"),
    )


def test_5_4_2_without_the_marker_it_would_be_3() -> None:
    assert shown(cumberland(), BR, "unflag:cumberland").working == {"printed": 2, "region": 1}


# ── 5.5.2 ──


def test_5_5_2_example_1_denmark_norway_twice_then_sardinia_with_treaty_points() -> None:
    game = choosing(FR, shown=("d4_e2_1",), br=("denmark_norway",), treaty={BR: 0, FR: 2}, debt=NO_DEBT)
    game.when(FR, "d4_e2_1").when(FR, "unflag:denmark_norway").includes(FlagRemoved(BR, "denmark_norway"))
    game.when(FR, "flag:denmark_norway").includes(FlagPlaced(FR, "denmark_norway"))
    game.when(FR, "flag:sardinia").then(
        paid(FR, FLAG, "sardinia", {}, 2),
        TreatySet(FR, -2, 0, FLAG),
        FlagPlaced(FR, "sardinia"),
    )


def test_5_5_2_example_2_the_british_in_india() -> None:
    """The order of the book: the event, Vellore, Power Struggle, Nizam, Tiruchirappalli."""
    event = "west_african_gold_mining"
    game = choosing(
        BR,
        turn=3,
        shown=("d3_e2_1",),
        br=("mysore", "kanchipuram", "madras"),
        fr=("vellore", "tiruchirappalli", "vandavasi", "karaikal", "pondicherry", "nizam"),
        treaty={BR: 2, FR: 0},
        br_hand=(event,),
    )
    game.when(BR, "d3_e2_1").when(BR, f"event:{event}")
    game.then(EventPlayed(BR, event, False), PointsGranted(BR, Pool(event, ECONOMIC, "event", 1)))
    game.when(BR, "unflag:vellore").asks(BR, "major:0", "major:1").when(BR, "major:1").then(
        paid(BR, UNFLAG, "vellore", {event: 1}, 2),
        TreatySet(BR, -1, 1, UNFLAG),
        FlagRemoved(FR, "vellore"),
    )
    game.when(BR, "advantage:power_struggle").when(BR, "tiruchirappalli")
    game.then(
        AdvantageUsed(BR, "power_struggle", True), ConflictPlaced("tiruchirappalli", 0, "power_struggle")
    )
    game.when(BR, "unflag:nizam").when(BR, "flag:nizam").when(BR, "major:1")
    game.includes(TreatySet(BR, -1, 0, FLAG), FlagPlaced(BR, "nizam"))
    assert shown(game, BR, "unflag:tiruchirappalli").working == {"printed": 2, "conflict": -1, "protected": 1}
    game.when(BR, "unflag:tiruchirappalli").when(BR, "minor:0").then(
        paid(BR, UNFLAG, "tiruchirappalli", {"minor": 2}, 2, minor=True),
        ConflictRemoved("tiruchirappalli"),
        FlagRemoved(FR, "tiruchirappalli"),
        AdvantageReturned(FR, "textiles"),
    )
    game.has(debt={BR: 0, FR: 0}, treaty={BR: 0, FR: 0})


# ── 5.6.6 ──


def test_5_6_6_example_1_two_protected_markers_a_squadron_and_the_algonquin() -> None:
    game = choosing(
        FR,
        shown=("m3_d2_1",),
        fr=("karaikal", "vandavasi", "malacca_route", "hooghly_river"),
        conflicts={"karaikal": 0, "malacca_route": 0},
        debt=NO_DEBT,
    )
    game.when(FR, "m3_d2_1")
    for market in ("karaikal", "malacca_route"):
        game.when(FR, f"clear:{market}")
        game.then(paid(FR, CLEAR, market, {"major": 1}, 1), ConflictRemoved(market))
    game.when(FR, "deploy:malabar_coast").when(FR, NAVY_BOX).then(
        paid(FR, DEPLOY, "malabar_coast", {"major": 1}, 1),
        SquadronMoved(FR, NAVY_BOX, "malabar_coast", True),
    )
    game.when(FR, "flag:algonquin").includes(paid(FR, FLAG, "algonquin", {"minor": 2}, 2, minor=True))
    assert pools(game) == {"major": 0}


def test_5_6_6_example_2_an_upgrade_a_bonus_tile_and_a_squadron_for_3_debt() -> None:
    theatres = ("central_europe", "spain", "queen_annes_war", "jacobite_rebellion")
    tiles = ("br_unflag_1", "br_one_1", "br_one_2", "br_debt_1")
    front = {BR: dict(zip(theatres, tiles, strict=True)), FR: {}}
    game = choosing(BR, shown=("m2_e2_1",), fr=("biscay",), front=front).when(BR, "m2_e2_1")
    game.when(BR, "upgrade").when(BR, "central_europe").when(CHANCE, "br_two_1")
    game.when(BR, "br_two_1:remove").then(BasicRemoved(BR, "central_europe", "br_two_1", "br_unflag_1"))
    game.when(BR, "buy").when(CHANCE, "wss_savoy_defects").when(BR, "central_europe")
    game.then(BonusPlaced(BR, "wss_savoy_defects", "central_europe"))
    game.when(BR, "deploy:biscay").then(
        paid(BR, DEPLOY, "biscay", {}, 3, debts=3),
        DebtSet(BR, 3, 3, DEPLOY),
        SquadronMoved(FR, "biscay", NAVY_BOX),
        SquadronMoved(BR, NAVY_BOX, "biscay", True),
    )
    game.has(navy={BR: 1, FR: 2})


# ── 8.2, 5.6.1 ──


def test_8_2_rum_against_a_protected_market_under_a_marker_costs_1() -> None:
    game = choosing(
        BR,
        shown=("e2_d2_1",),
        br=("puerto_rico", "st_lucia", "barbados"),
        fr=("antigua", "antilles_channel"),
        conflicts={"antigua": 0},
    )
    game.when(BR, "e2_d2_1").when(BR, "advantage:rum").then(
        paid(BR, UNFLAG, "antigua", {"major": 1}, 1),
        AdvantageUsed(BR, "rum", True),
        ConflictRemoved("antigua"),
        FlagRemoved(FR, "antigua"),
    )


def test_5_6_1_four_military_points_become_two_economic_or_two_diplomatic_ones() -> None:
    for kind, other in ((ECONOMIC, DIPLOMATIC), (DIPLOMATIC, ECONOMIC)):
        game = choosing(BR, turn=6, war="", shown=("m4_e2_1",)).when(BR, "m4_e2_1")
        game.when(BR, f"exchange:{kind}").when(BR, f"exchange:{kind}")
        assert pools(game)[f"exchange_{kind}"] == 2
        assert refusal(game, BR, f"exchange:{other}") == "book 001, 5.6.1"


# ── the reference book ──


def test_pb_a_fort_of_3_for_the_minor_action_and_1_debt() -> None:
    game = choosing(FR, shown=("e4_m2_1",), fr=("cumberland", "allegheny")).when(FR, "e4_m2_1")
    game.when(FR, "build:ohio_forks").then(
        paid(FR, BUILD, "ohio_forks", {"minor": 2}, 3, minor=True, debts=1),
        DebtSet(FR, 1, 1, BUILD),
        FlagPlaced(FR, "ohio_forks"),
    )


def test_pb_an_austrian_space_of_3_for_the_minor_action_and_1_debt() -> None:
    game = choosing(FR, shown=("e4_d2_1",)).when(FR, "e4_d2_1").when(FR, "flag:austria_alliance_3")
    game.includes(DebtSet(FR, 1, 1, FLAG), FlagPlaced(FR, "austria_alliance_3"))


def test_pb_louisbourg_is_seized_from_the_cabot_strait_and_opens_georges_bank() -> None:
    """4 points, not from Acadia; then the Minor action goes through the new Fort."""
    damaged: dict[str, Any] = {"fr": ("louisbourg",), "damaged": ("louisbourg",), "shown": ("m4_e2_1",)}
    alone = choosing(BR, br=("acadia",), **damaged).when(BR, "m4_e2_1")
    assert refusal(alone, BR, "seize:louisbourg") == "book 001, 5.6.4"
    game = choosing(BR, br=("cabot_strait",), **damaged).when(BR, "m4_e2_1")
    assert "flag:georges_bank" not in offered(game, BR)
    game.when(BR, "seize:louisbourg").then(
        paid(BR, "seize", "louisbourg", {"major": 4}, 4),
        FortRepaired("louisbourg"),
        FlagRemoved(FR, "louisbourg"),
        FlagPlaced(BR, "louisbourg"),
    )
    game.when(BR, "flag:georges_bank").includes(paid(BR, FLAG, "georges_bank", {"minor": 2}, 2, minor=True))


def test_pb_a_marker_on_an_empty_market_makes_it_cheap_to_flag() -> None:
    game = choosing(FR, shown=("e2_d2_1",), fr=("algonquin", "hudson_bay")).when(FR, "e2_d2_1")
    game.when(FR, "advantage:algonquin_raids").when(FR, "york_factory").when(FR, "flag:york_factory")
    game.then(
        paid(FR, FLAG, "york_factory", {"major": 1}, 1),
        ConflictRemoved("york_factory"),
        FlagPlaced(FR, "york_factory"),
    )


def complex_round() -> Scenario[State]:
    """France on turn 6, with Lavoisier open: Wealth of Nations, and all points of the round."""
    game = choosing(
        FR,
        "lavoisier",
        turn=6,
        war="",
        shown=("d3_m2_1",),
        fr=("st_domingue", "puerto_principe", "bahamas_run", "privateers", "buccaneers"),
        br=("puerto_rico", "bahamas_run_west", "bahamas_run_north", "carolinas"),
        conflicts={"puerto_principe": 0},
        fr_hand=("wealth_of_nations",),
        debt={BR: 0, FR: 3},
    )
    game.when(FR, "d3_m2_1").when(FR, "event:wealth_of_nations")
    return game.includes(EventPlayed(FR, "wealth_of_nations", True), DebtSet(FR, -2, 1, "wealth_of_nations"))


def test_pb_the_complex_round_has_three_kinds_of_points() -> None:
    assert pools(complex_round()) == {"major": 4, "minor": 3, "wealth_of_nations": 3}


def test_pb_the_complex_round_move_by_move() -> None:
    event = "wealth_of_nations"
    game = complex_round()
    assert refusal(game, FR, "unflag:puerto_rico") == "book 001, 5.4.1"
    game.when(FR, "clear:puerto_principe").includes(
        paid(FR, CLEAR, "puerto_principe", {"minor": 2}, 2, minor=True)
    )
    game.when(FR, "unflag:puerto_rico").includes(paid(FR, UNFLAG, "puerto_rico", {event: 1}, 1))
    game.when(FR, "advantage:letters_of_marque").when(FR, "bahamas_run_west")
    assert refusal(game, FR, "advantage:pirate_havens") == "book 001, 8.2"
    game.when(FR, "unflag:bahamas_run_west").includes(
        paid(FR, UNFLAG, "bahamas_run_west", {event: 1}, 1),
        ConflictRemoved("bahamas_run_west"),
    )
    assert total(game.table, FR, UNFLAG, "bahamas_run_north") == 3
    game.when(FR, "flag:bahamas_run_west").includes(
        paid(FR, FLAG, "bahamas_run_west", {event: 1}, 2, debts=1),
        DebtSet(FR, 1, 2, FLAG),
    )
    game.when(FR, "flag:sweden").when(FR, "flag:spain_prestige_2")
    assert pools(game) == {"major": 0, event: 0}
    game.when(FR, "end").then(RoundEnded(FR))
    assert "bahamas_run_north" in isolated(game.table.flags, game.table.conflicts)
