"""What conquest points take, resistance, the Spanish Empire, tougher Forts (7.2.1, 7.2.2, 12.1, 12.3)."""

from __future__ import annotations

from typing import Any

import pytest

from domain.imperial_struggle.components import BOARD, BR, FR
from domain.imperial_struggle.facts.board import (
    AdvantageTaken,
    ConflictRemoved,
    FlagPlaced,
    FlagRemoved,
    FortRepaired,
    HuguenotsRemoved,
    SquadronMoved,
)
from domain.imperial_struggle.facts.tracks import ScoreMoved
from domain.imperial_struggle.facts.wars import (
    CaptureResisted,
    ConquestDeclined,
    ShiftOwed,
    ShiftSettled,
    SpaceConquered,
)
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.conquest import Conquer, SettleSpain
from domain.kernel import Detail, detailed
from tests.domain.imperial_struggle.battles import battle, question, war_table
from tests.scenario import Scenario, given

INDIA = "third_carnatic_war"
AMERICA = "french_and_indian_war"


def conquest(war: str, theatre: str, points: int = 1, seat: str = BR, **fields: Any) -> Scenario[State]:
    """A side has conquest points in a theatre."""
    return given(war_table(war, **fields), do=(Conquer(seat, theatre, points), SettleSpain(theatre)))


def offered(game: Scenario[State], seat: str = BR) -> set[str]:
    return set(question(game, seat).options)


# ── 7.2.1 what can be taken ──


def test_7_2_1_example_points_of_the_spanish_theatre_take_territories_in_europe_and_the_additional_ones() -> (
    None
):
    game = conquest("wss", "spain", br=("carolinas",))
    game.asks(BR, "gibraltar", "minorca", "san_agustin", "asiento", "done").refuses(BR, "arcot").refuses(BR)
    assert question(game, BR).why == {"theatre": "spain", "points": 1}


@pytest.mark.parametrize(
    ("war", "theatre", "additional"),
    [
        ("wss", "central_europe", {"san_agustin", "asiento", "hudson_bay", "acadia"}),
        ("wss", "spain", {"san_agustin", "asiento"}),
        ("wss", "queen_annes_war", set()),
        ("was", "central_europe", {"hudson_bay", "san_agustin", "acadia", "asiento"}),
        ("was", "king_georges_war", {"san_agustin"}),
        ("was", "first_carnatic_war", set()),
        ("syw", INDIA, set()),
        ("syw", AMERICA, {"minorca", "gibraltar"}),
        ("awi", "american_revolution", {"san_agustin"}),
        ("awi", "mysore_war", set()),
        ("awi", "antilles_war", {"hudson_bay", "acadia"}),
    ],
)
def test_7_2_1_spaces_of_the_regions_and_the_additional_territories(
    war: str, theatre: str, additional: set[str]
) -> None:
    """Own Forts and Squadrons lead to every Territory, and so do own Territories."""
    bases = [space for space in BOARD if BOARD[space].kind in ("fort", "naval")]
    game = conquest(war, theatre, br=(*bases, "carolinas"))
    found = {space for space in offered(game) if space != "done"}
    inside = {
        "central_europe": {"europe"},
        "spain": {"europe"},
        "queen_annes_war": {"north_america"},
        "king_georges_war": {"north_america"},
        "american_revolution": {"north_america"},
        AMERICA: {"north_america", "caribbean"},
        "antilles_war": {"caribbean"},
    }.get(theatre, {"india"})
    listed = {
        space
        for space in BOARD
        if BOARD[space].region in inside and BOARD[space].kind in ("market", "territory")
    }
    assert found == (listed | additional) - {"carolinas"}


def test_7_2_1_1_forts_and_markets_need_no_route_own_ones_and_political_spaces_are_no_targets() -> None:
    game = conquest("syw", INDIA, br=("arcot", "kurpa"), fr=("vandavasi", "calicut", "nizam"))
    assert {"vandavasi", "calicut", "vellore"} <= offered(game)
    assert not {"arcot", "kurpa", "nizam", "mysore", "madras", "halifax", "albany"} & (
        offered(game) - {"madras"}
    )


def test_7_2_1_1_a_market_of_the_opponent_changes_hands_and_its_marker_leaves() -> None:
    game = conquest("syw", INDIA, fr=("plassey",), conflicts={"plassey": 0}).when(BR, "plassey")
    game.then(
        SpaceConquered(BR, "plassey", 1, FR),
        ConflictRemoved("plassey"),
        FlagRemoved(FR, "plassey"),
        FlagPlaced(BR, "plassey"),
    ).asks_nobody()


def test_7_2_1_1_an_empty_market_is_flagged_and_brings_its_advantage() -> None:
    game = conquest("syw", INDIA).when(BR, "west_bengal")
    game.then(SpaceConquered(BR, "west_bengal", 1), FlagPlaced(BR, "west_bengal"), AdvantageTaken(BR, "silk"))


def test_7_2_1_points_are_spent_one_at_a_time_and_each_capture_may_open_a_route() -> None:
    game = conquest("syw", INDIA, 2, fr=("pondicherry", "vandavasi"))
    assert "pondicherry" not in offered(game)
    game.when(BR, "vandavasi").asks(BR)
    assert question(game, BR).why == {"theatre": INDIA, "points": 1}
    game.when(BR, "pondicherry").then(SpaceConquered(BR, "pondicherry", 1, FR))
    game.asks(FR, "resist", "give_up")
    game.when(FR, "give_up").then(FlagRemoved(FR, "pondicherry"), FlagPlaced(BR, "pondicherry")).asks_nobody()


def test_7_2_1_points_may_be_left_unspent() -> None:
    conquest("syw", INDIA, 2).when(BR, "done").then(ConquestDeclined(BR, 2)).asks_nobody()


def test_7_2_1_points_without_a_target_are_lost_without_a_question() -> None:
    game = conquest("wss", "spain", br=("gibraltar", "minorca", "asiento"))
    game.then(ConquestDeclined(BR, 1)).asks_nobody()


def test_details_tell_the_cost_of_each_target() -> None:
    game = conquest("syw", AMERICA, 2, br=("louisbourg",), fr=("acadia",), huguenots={"acadia": False})
    found = detailed(game.table, question(game, BR)).details
    assert (found["acadia"], found["albany"]) == (Detail(cost=2), Detail(cost=1))
    assert "done" not in found


# ── naval spaces ──


def test_7_2_1_1_a_naval_space_needs_a_squadron_in_the_navy_box_or_elsewhere_in_the_theatre() -> None:
    assert "malabar_coast" not in offered(conquest("syw", INDIA, br=("biscay",)))
    assert "malabar_coast" in offered(conquest("syw", INDIA, navy={BR: 1, FR: 0}))
    assert "malabar_coast" in offered(conquest("syw", INDIA, br=("hooghly_river",)))


def test_7_2_1_1_the_opposing_squadron_goes_to_the_navy_box() -> None:
    game = conquest("syw", INDIA, br=("hooghly_river",), fr=("malabar_coast",)).when(BR, "malabar_coast")
    game.then(
        SpaceConquered(BR, "malabar_coast", 1, FR),
        SquadronMoved(FR, "malabar_coast", "navy_box"),
        SquadronMoved(BR, "hooghly_river", "malabar_coast", sails=True),
    ).has(flags={"malabar_coast": BR}, navy={BR: 0, FR: 1})


def test_7_2_1_1_where_several_squadrons_could_go_the_conqueror_says_which() -> None:
    game = conquest("syw", AMERICA, br=("bahamas_run", "gulf_of_maine", "biscay"), navy={BR: 2, FR: 0})
    game.when(BR, "cabot_strait").then(SpaceConquered(BR, "cabot_strait", 1))
    game.asks(BR, "navy_box", "bahamas_run", "gulf_of_maine").refuses(BR, "biscay")
    assert question(game, BR).why == {"theatre": AMERICA, "space": "cabot_strait"}
    game.when(BR, "gulf_of_maine").then(SquadronMoved(BR, "gulf_of_maine", "cabot_strait", sails=True))


def test_7_2_1_1_each_squadron_takes_one_naval_space_in_a_war() -> None:
    game = conquest("syw", AMERICA, 3, br=("bahamas_run",)).when(BR, "cabot_strait")
    assert not {"gulf_of_maine", "bahamas_run"} & offered(game)


def test_7_2_1_1_a_squadron_that_has_taken_a_space_and_was_sent_home_does_not_go_again() -> None:
    game = conquest("syw", INDIA, navy={BR: 1, FR: 1}).when(BR, "malabar_coast")
    home = SquadronMoved(BR, "malabar_coast", "navy_box")
    again = given(home.apply(game.table), do=Conquer(BR, INDIA, 1))
    assert "malabar_coast" not in offered(again)
    with_another = given(
        home.apply(game.table), SquadronMoved(BR, "unbuilt", "navy_box"), do=Conquer(BR, INDIA, 1)
    )
    assert "malabar_coast" in offered(with_another)


def test_a_squadron_that_has_sailed_and_left_the_navy_box_for_good_does_not_hold_another_back() -> None:
    game = conquest("syw", INDIA, navy={BR: 1, FR: 1}).when(BR, "malabar_coast")
    facts = (
        SquadronMoved(BR, "malabar_coast", "navy_box"),
        SquadronMoved(BR, "navy_box", "unbuilt"),
        SquadronMoved(BR, "unbuilt", "navy_box"),
    )
    assert "malabar_coast" in offered(given(game.table, *facts, do=Conquer(BR, INDIA, 1)))


# ── Territories ──


@pytest.mark.parametrize(
    ("theatre", "base", "territory"),
    [
        (INDIA, "vandavasi", "pondicherry"),
        (INDIA, "hooghly_river", "chandernagore"),
        (AMERICA, "louisbourg", "acadia"),
        (AMERICA, "san_agustin", "st_domingue"),
        (AMERICA, "antilles_channel", "guadeloupe"),
        (AMERICA, "ohio_forks", "quebec_and_montreal"),
    ],
)
def test_7_2_1_2_a_fort_a_squadron_or_a_territory_leads_to_a_territory(
    theatre: str, base: str, territory: str
) -> None:
    assert territory in offered(conquest("syw", theatre, br=(base,), fr=(territory,)))
    assert territory not in offered(conquest("syw", theatre, fr=(territory, base)))
    assert territory in offered(conquest("syw", theatre, br=(base,), fr=(territory,), damaged=(base,)))


def test_7_2_1_2_territories_without_routes_need_none() -> None:
    game = conquest("wss", "central_europe", fr=("gibraltar", "hudson_bay", "acadia"))
    assert {"gibraltar", "minorca", "hudson_bay", "asiento"} <= offered(game)
    assert "acadia" not in offered(game)


def test_7_2_1_2_example_of_acadia_and_ile_aux_noix() -> None:
    flags = {"br": ("louisbourg",), "fr": ("acadia", "ile_aux_noix", "niagara")}
    game = battle("syw", AMERICA, BR, 1, **flags).asks(BR).when(BR, "acadia").asks(FR)
    game.when(FR, "give_up").then(FlagRemoved(FR, "acadia"), FlagPlaced(BR, "acadia"))
    game.asks(BR, "ile_aux_noix", "niagara").when(BR, "ile_aux_noix")
    game.then(FlagRemoved(FR, "ile_aux_noix")).has(treaty={BR: 0, FR: 1}, margins={AMERICA: 2}).asks_nobody()


def test_huguenots_make_their_territory_cost_2_turned_or_not_and_leave_with_it() -> None:
    for ready in (True, False):
        fields: dict[str, Any] = {"br": ("louisbourg",), "fr": ("acadia",), "huguenots": {"acadia": ready}}
        assert "acadia" not in offered(conquest("syw", AMERICA, 1, **fields))
        game = conquest("syw", AMERICA, 3, **fields).when(BR, "acadia")
        game.then(SpaceConquered(BR, "acadia", 2, FR))
        game.when(FR, "give_up").includes(FlagPlaced(BR, "acadia"), HuguenotsRemoved("acadia")).asks(BR)
        assert question(game, BR).why["points"] == 1


def test_7_3_a_territory_with_a_usa_flag_is_never_taken_and_leads_nowhere() -> None:
    game = conquest("awi", "american_revolution", flags={"northern_colonies": "usa", "carolinas": "usa"})
    assert not {"northern_colonies", "san_agustin"} & offered(game)


# ── Forts ──


@pytest.mark.parametrize(("reading", "repaired"), [("kept", False), ("repaired", True)])
def test_open_the_damage_of_a_conquered_fort_stays_or_goes_with_the_flag(
    reading: str, repaired: bool
) -> None:
    options = {"conquered_damage": reading}
    game = conquest("syw", INDIA, fr=("arcot",), damaged=("arcot",), options=options).when(BR, "arcot")
    taken = [SpaceConquered(BR, "arcot", 1, FR), FlagRemoved(FR, "arcot"), FlagPlaced(BR, "arcot")]
    assert game.facts == taken + [FortRepaired("arcot")] * repaired
    game.has(damaged=() if repaired else ("arcot",))


def test_7_2_1_1_an_undamaged_or_unbuilt_fort_is_taken_whole() -> None:
    conquest("syw", INDIA, fr=("arcot",)).when(BR, "arcot").has(damaged=(), flags={"arcot": BR})
    conquest("syw", INDIA).when(BR, "vandavasi").has(damaged=(), flags={"vandavasi": BR})


def test_12_3_a_fort_needs_a_route_from_an_own_space() -> None:
    tough = {"tougher_forts": True}
    assert not {"arcot", "vandavasi"} & offered(conquest("syw", INDIA, fr=("madras",), options=tough))
    assert {"arcot", "vandavasi"} <= offered(conquest("syw", INDIA, br=("madras",), options=tough))
    british = conquest("syw", AMERICA, br=("halifax",), fr=("louisbourg",), options=tough)
    assert "louisbourg" in offered(british)
    assert "ohio_forks" not in offered(british)


def test_12_3_the_route_between_louisbourg_and_halifax_leads_to_no_territory() -> None:
    assert "acadia" not in offered(conquest("syw", AMERICA, br=("halifax",), options={"tougher_forts": True}))


# ── 7.2.2 resistance ──


def test_7_2_2_example_of_the_third_carnatic_war() -> None:
    flags = {"br": ("vandavasi",), "fr": ("pondicherry", "karaikal")}
    game = battle("syw", INDIA, BR, 4, **flags).asks(BR).when(BR, "pondicherry").asks(FR, "resist", "give_up")
    assert question(game, FR).why == {"theatre": INDIA, "space": "pondicherry", "points": 3}
    game.when(FR, "resist").then(CaptureResisted(FR, "pondicherry"), ScoreMoved(BR, 3, 12, "resistance"))
    game.has(refused={BR: 0, FR: 1}, margins={INDIA: 5}).refuses(BR, "pondicherry")
    game.when(BR, "karaikal").includes(FlagRemoved(FR, "karaikal"), FlagPlaced(BR, "karaikal")).asks_nobody()
    assert game.table.flags["pondicherry"] == FR


def test_7_2_2_the_second_resistance_costs_5_and_there_is_no_third() -> None:
    fields: dict[str, Any] = {"br": ("hooghly_river", "vandavasi"), "fr": ("chandernagore", "pondicherry")}
    game = conquest("syw", INDIA, 2, refused={BR: 0, FR: 1}, **fields).when(BR, "chandernagore")
    game.when(FR, "resist").includes(ScoreMoved(BR, 5, 10, "resistance")).when(BR, "pondicherry")
    game.includes(FlagPlaced(BR, "pondicherry")).asks_nobody()


def test_7_2_2_a_territory_that_held_out_cannot_be_taken_in_a_later_theatre_of_the_war() -> None:
    game = conquest("wss", "spain", fr=("gibraltar",), resisted=("gibraltar",), refused={BR: 0, FR: 1})
    assert "gibraltar" not in offered(game)


def test_7_2_2_only_territories_of_its_own_are_held_by_a_side() -> None:
    conquest("syw", INDIA, fr=("vandavasi",)).when(BR, "vandavasi").asks_nobody()
    conquest("wss", "spain").when(BR, "minorca").asks_nobody()


def test_7_2_2_britain_resists_france() -> None:
    game = conquest("wss", "spain", seat=FR, br=("minorca",)).when(FR, "minorca").asks(BR)
    game.when(BR, "resist").includes(ScoreMoved(FR, 3, 18, "resistance")).has(refused={BR: 1, FR: 0})


# ── 12.1 the Spanish Empire ──


@pytest.mark.parametrize("territory", ["gibraltar", "minorca", "asiento", "san_agustin"])
def test_12_1_who_takes_an_empty_spanish_territory_lets_the_opponent_shift_in_spain(territory: str) -> None:
    fields: dict[str, Any] = {"br": ("carolinas", "spain_prestige_2"), "options": {"spanish_empire": True}}
    game = conquest("wss", "spain", 1, **fields).when(BR, territory).includes(ShiftOwed(FR))
    game.asks(
        FR, "spain_alliance_upper", "spain_prestige_2", "spain_alliance_lower", "spain_prestige_3", "decline"
    )
    game.when(FR, "spain_prestige_2").then(
        ShiftSettled(FR, "spain_prestige_2"), FlagRemoved(BR, "spain_prestige_2")
    )
    game.has(owed={BR: 0, FR: 0}).asks_nobody()


def test_12_1_the_shift_waits_for_the_end_of_the_theatre_and_there_are_as_many_as_territories() -> None:
    game = battle("wss", "spain", BR, 4, options={"spanish_empire": True}).when(BR, "gibraltar").asks(BR)
    game.when(BR, "minorca").asks(FR).when(FR, "spain_alliance_upper")
    game.then(ShiftSettled(FR, "spain_alliance_upper"), FlagPlaced(FR, "spain_alliance_upper"))
    game.asks(FR).when(FR, "decline").then(ShiftSettled(FR, "")).asks_nobody()


def test_12_1_a_shift_that_changes_nothing_is_not_asked() -> None:
    spain = ("spain_alliance_upper", "spain_prestige_2", "spain_alliance_lower", "spain_prestige_3")
    game = conquest("was", "central_europe", fr=spain, options={"spanish_empire": True})
    game.when(BR, "gibraltar").includes(ShiftSettled(FR, "")).asks_nobody()


def test_12_1_a_flagged_spanish_territory_and_play_without_the_rule_owe_nothing() -> None:
    taken = conquest("wss", "spain", fr=("gibraltar",), options={"spanish_empire": True})
    taken.when(BR, "gibraltar").when(FR, "give_up").includes(FlagPlaced(BR, "gibraltar")).asks_nobody()
    taken.has(owed={BR: 0, FR: 0})
    conquest("wss", "spain").when(BR, "gibraltar").asks_nobody().has(owed={BR: 0, FR: 0})


def test_12_1_a_spanish_market_is_taken_like_any_other_and_its_flag_leaves() -> None:
    game = conquest("syw", AMERICA, flags={"havana": "spain"}, options={"spanish_empire": True})
    game.when(BR, "havana").includes(FlagRemoved("spain", "havana"), FlagPlaced(BR, "havana")).asks_nobody()
