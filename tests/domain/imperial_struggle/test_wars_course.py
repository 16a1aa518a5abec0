"""After the theatres of a war: the victory check, the reset, the layout of the next one (7.4 to 7.6)."""

from __future__ import annotations

from typing import Any

import pytest

from domain.imperial_struggle.components import (
    BR,
    FR,
    SIDES,
    WAR_TILES,
)
from domain.imperial_struggle.facts.board import ConflictRemoved
from domain.imperial_struggle.facts.tracks import ScoreMoved
from domain.imperial_struggle.facts.wars import (
    BasicsDrawn,
    BasicsLaid,
    BonusDrawn,
    BonusPlaced,
    TheatreFought,
    WarBegan,
    WarEnded,
    WarSet,
)
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.wars import CheckWar, Layout, ResetWar, War
from domain.kernel import CHANCE, HIDDEN, Ended
from tests.domain.imperial_struggle.battles import Display, war_table
from tests.domain.imperial_struggle.table import table
from tests.scenario import Scenario, given


def kinds(game: Scenario[State]) -> list[str]:
    return [type(fact).__name__ for fact in game.facts]


# ── 7.4 the victory check ──


def check(war: str, fought: dict[str, tuple[str, int]], **fields: Any) -> Scenario[State]:
    winners = {theatre: side for theatre, (side, _) in fought.items()}
    margins = {theatre: margin for theatre, (_, margin) in fought.items()}
    return given(war_table(war, fought=winners, margins=margins, **fields), do=CheckWar())


SWEPT = {"atlantic_dominance": 5, "third_carnatic_war": 5, "french_and_indian_war": 5, "prussias_wars": 5}


@pytest.mark.parametrize("side", SIDES)
def test_7_4_who_wins_every_theatre_in_its_top_row_wins_at_once(side: str) -> None:
    game = check("syw", {theatre: (side, margin) for theatre, margin in SWEPT.items()}, vp=12)
    game.then(Ended(side, "war_sweep", {BR: 18, FR: 12}))


def test_7_4_the_sweep_comes_before_the_marker() -> None:
    game = check("syw", {theatre: (BR, margin) for theatre, margin in SWEPT.items()}, vp=31)
    game.then(Ended(BR, "war_sweep", {BR: -1, FR: 31}))


@pytest.mark.parametrize("theatre", SWEPT)
def test_7_4_a_theatre_below_its_top_row_is_no_sweep(theatre: str) -> None:
    fought = {name: (FR, margin - (name == theatre)) for name, margin in SWEPT.items()}
    check("syw", fought).then()


def test_7_4_a_theatre_of_the_other_side_or_a_tie_is_no_sweep() -> None:
    for loss in ((BR, 5), ("", 0)):
        check("syw", {**{name: (FR, margin) for name, margin in SWEPT.items()}, "prussias_wars": loss}).then()


def test_7_4_the_top_row_is_that_of_the_winners_own_table() -> None:
    margins = {"central_europe": 3, "king_georges_war": 3, "first_carnatic_war": 4, "jacobite_rebellion": 3}
    assert kinds(check("was", {name: (BR, margin) for name, margin in margins.items()})) == ["Ended"]
    assert kinds(check("was", {name: (FR, margin) for name, margin in margins.items()})) == []


@pytest.mark.parametrize(("vp", "winner"), [(30, FR), (33, FR), (0, BR), (-2, BR)])
def test_7_4_the_marker_wins_after_a_war(vp: int, winner: str) -> None:
    fought = dict.fromkeys(SWEPT, ("", 0))
    check("syw", fought, vp=vp).then(Ended(winner, "victory_points", {BR: 30 - vp, FR: vp}))


@pytest.mark.parametrize("vp", [1, 15, 29])
def test_7_4_no_side_wins_in_between(vp: int) -> None:
    check("syw", dict.fromkeys(SWEPT, ("", 0)), vp=vp).then()


def test_2_4_the_marker_is_not_looked_at_before_the_last_theatre() -> None:
    tiles = {BR: {"central_europe": ("br_two_1",)}}
    game = given(war_table("wss", tiles, vp=1), do=War("wss"))
    assert [fact.theatre for fact in game.facts if isinstance(fact, TheatreFought)][
        -1
    ] == "jacobite_rebellion"
    game.includes(ScoreMoved(BR, 2, -1, "central_europe"), Ended(BR, "victory_points", {BR: 31, FR: -1}))
    assert isinstance(game.facts[-1], Ended)


# ── 7.5 the reset ──


def test_7_5_markers_that_gave_strength_leave_and_those_in_empty_spaces_or_elsewhere_stay() -> None:
    conflicts = {"cataraqui": 0, "ireland_prestige": 1, "oswego": 0, "martinique": 0, "karaikal": 0}
    flags = ("cataraqui", "ireland_prestige", "martinique", "karaikal")
    game = given(war_table("wss", fr=flags, conflicts=conflicts), do=ResetWar())
    game.then(
        ConflictRemoved("cataraqui"), ConflictRemoved("ireland_prestige"), WarEnded("wss", {BR: 0, FR: 0})
    )
    game.has(conflicts={"oswego": 0, "martinique": 0, "karaikal": 0})


def test_7_5_basic_tiles_return_and_the_bonus_tiles_of_the_war_byng_and_dominance_leave() -> None:
    tiles = {BR: {"prussias_wars": ("br_two_1", "syw_clive")}}
    game = given(war_table("syw", tiles, byng="prussias_wars", dominance=FR), do=ResetWar())
    game.has(byng="", dominance="", war="", front={BR: {}, FR: {}}, reinforcements={BR: {}, FR: {}})
    assert game.table.basics[BR].size == len(game.table.basics[BR].cards) == 16
    assert game.table.basics[FR].size == len(game.table.basics[FR].cards) == 16
    assert set(game.table.gone) == {tile.id for tile in WAR_TILES.values() if tile.war == "syw"}


def test_7_6_bonus_tiles_on_the_display_of_the_austrian_succession_are_carried_over_up_to_3() -> None:
    british = {
        "central_europe": ("br_one_1", "was_clive", "was_stair"),
        "first_carnatic_war": ("br_one_2", "was_warren", "was_lawrence"),
    }
    tiles: Display = {BR: british, FR: {"jacobite_rebellion": ("fr_one_1", "was_saxe")}}
    given(war_table("was", tiles), do=ResetWar()).then(WarEnded("was", {BR: 3, FR: 1})).has(
        carried={BR: 3, FR: 1}
    )


def test_7_6_no_other_war_carries_tiles_over() -> None:
    tiles = {BR: {"central_europe": ("br_one_1", "wss_church")}}
    given(war_table("wss", tiles, carried={BR: 2, FR: 2}), do=ResetWar()).has(carried={BR: 0, FR: 0})


# ── 7.6 the layout ──


def test_7_6_each_side_lays_a_random_basic_tile_face_down_in_each_theatre() -> None:
    game = given(table(round=None), do=Layout("was"))
    assert isinstance(game.facts[0], WarSet)
    british = ("br_two_1", "br_debt_1", "br_debt_2", "br_strike_1")
    game.when(CHANCE, *british).asks(CHANCE)
    names = ("central_europe", "king_georges_war", "first_carnatic_war", "jacobite_rebellion")
    game.then(BasicsLaid(BR, dict(zip(names, british, strict=True))))
    assert game.facts[0].seen_by(FR) == BasicsLaid(BR, dict.fromkeys(names, HIDDEN))
    game.when(CHANCE, "fr_two_1", "fr_two_2", "fr_two_3", "fr_unflag_1").asks_nobody().has(war="was")


def test_7_6_a_layout_brings_the_bonus_tiles_of_its_own_war() -> None:
    game = given(war_table("wss"), do=Layout("awi"))
    for side in SIDES:
        tiles = game.table.bonuses[side].cards
        assert len(tiles) == 12
        assert {(WAR_TILES[tile].war, WAR_TILES[tile].side) for tile in tiles} == {("awi", side)}


def test_set_up_france_has_a_random_bonus_tile_in_central_europe_before_the_first_war() -> None:
    game = given(table(round=None, war=""), do=Layout("wss")).when(CHANCE, "wss_vendome")
    game.then(BonusDrawn(FR, "wss_vendome", False), BonusPlaced(FR, "wss_vendome", "central_europe"))
    assert [fact.seen_by(BR) for fact in game.facts] == [
        BonusDrawn(FR, HIDDEN, False),
        BonusPlaced(FR, HIDDEN, "central_europe"),
    ]


def test_12_2_each_side_draws_its_basic_tiles_and_lays_them_out_itself_in_secret() -> None:
    game = given(table(round=None, options={"planned_layout": True}), do=Layout("awi"))
    british, french = ("br_debt_1", "br_two_1", "br_two_2"), ("fr_debt_1", "fr_two_1", "fr_two_2")
    game.when(CHANCE, *reversed(british)).then(BasicsDrawn(BR, british)).when(CHANCE, *french).asks(
        FR, *french
    )
    game.refuses(BR, *british[:2]).when(BR, "br_debt_1", "br_two_2", "br_two_1")
    theatres = ("american_revolution", "mysore_war", "antilles_war")
    game.then(BasicsLaid(BR, dict(zip(theatres, ("br_debt_1", "br_two_2", "br_two_1"), strict=True))))
    game.when(FR, *french).asks_nobody()
    assert game.table.front[FR] == dict(zip(theatres, french, strict=True))


def test_7_0_a_war_goes_through_its_theatres_check_reset_and_layout() -> None:
    game = given(war_table("syw"), do=War("syw")).asks(CHANCE)
    assert game.facts[0] == WarBegan("syw")
    fought = [fact.theatre for fact in game.facts if isinstance(fact, TheatreFought)]
    assert fought == ["atlantic_dominance", "third_carnatic_war", "french_and_indian_war", "prussias_wars"]
    assert kinds(game)[-2:] == ["WarEnded", "WarSet"]
    game.has(war="awi")


def test_7_6_no_layout_follows_the_american_war() -> None:
    game = given(war_table("awi"), do=War("awi")).asks_nobody().has(war="", result=None)
    assert game.facts[-1] == WarEnded("awi", {BR: 0, FR: 0})
