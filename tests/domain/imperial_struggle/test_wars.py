"""A theatre of a war: tiles and their symbols, spoils, special awards (7.1 to 7.3)."""

from __future__ import annotations

from typing import Any

import pytest

from domain.imperial_struggle.components import (
    BR,
    FR,
)
from domain.imperial_struggle.facts.board import (
    AdvantageReturned,
    ConflictRemoved,
    FlagRemoved,
    FortDamaged,
    SquadronMoved,
)
from domain.imperial_struggle.facts.cards import JacobitesDefeated, JacobiteVictory, UprisingsAllowed
from domain.imperial_struggle.facts.tracks import DebtSet, ScoreMoved, TreatySet
from domain.imperial_struggle.facts.wars import DominanceWon, SpoilsTaken, TheatreFought, TilesRevealed
from domain.imperial_struggle.rules.board import isolated
from domain.imperial_struggle.state import State
from tests.domain.imperial_struggle.battles import battle, duel, question
from tests.scenario import Scenario

QUEEN_ANNE = "queen_annes_war"


def kinds(game: Scenario[State]) -> list[str]:
    return [type(fact).__name__ for fact in game.facts]


# ── 7.1.1 and 7.1.2 tiles and symbols ──


def test_7_1_4_example_of_queen_annes_war_a_squadron_sent_home_leaves_a_margin_of_2() -> None:
    game = duel(
        "wss",
        QUEEN_ANNE,
        ("br_two_1", "wss_prize_hunting"),
        ("fr_strike_1",),
        br=("massachusetts_bay", "gulf_of_maine"),
        conflicts={"massachusetts_bay": 0},
    )
    game.then(
        TilesRevealed(QUEEN_ANNE, ("br_two_1", "wss_prize_hunting"), ("fr_strike_1",)),
        SquadronMoved(BR, "gulf_of_maine", "navy_box"),
        DebtSet(FR, 1, 1, "wss_prize_hunting"),
        TheatreFought(QUEEN_ANNE, 3, 1, BR, 2, {BR: {"tiles": 3}, FR: {"tiles": 0, "conflicts": 1}}),
        SpoilsTaken(QUEEN_ANNE, BR, 1, 0, 0),
        ScoreMoved(BR, 1, 14, QUEEN_ANNE),
    ).asks_nobody()


def test_7_1_1_tiles_are_revealed_even_if_no_side_has_a_bonus_tile() -> None:
    game = battle("wss", QUEEN_ANNE)
    assert game.facts[0] == TilesRevealed(QUEEN_ANNE, ("br_one_1",), ("fr_one_1",))


@pytest.mark.parametrize(
    ("vp", "first", "order"), [(16, BR, "fr br"), (14, FR, "br fr"), (15, BR, "br fr"), (15, FR, "fr br")]
)
def test_7_1_2_the_side_closer_to_an_instant_win_applies_its_symbols_first(
    vp: int, first: str, order: str
) -> None:
    game = duel("wss", QUEEN_ANNE, ("br_debt_1",), ("fr_debt_1",), vp=vp, first=first)
    debts = [fact.why[:2] for fact in game.facts if isinstance(fact, DebtSet)]
    assert debts == order.split()


def test_7_1_2_the_order_is_that_of_the_moment_when_tiles_are_revealed() -> None:
    full = {BR: 6, FR: 6}
    game = duel("wss", QUEEN_ANNE, ("br_debt_1",), ("fr_debt_1",), first=BR, debt=full)
    game.includes(ScoreMoved(BR, 1, 14, "debt_limit"), ScoreMoved(FR, 1, 15, "debt_limit"))


def test_6_3_the_debt_symbol_beyond_the_limit_is_a_point_for_its_owner() -> None:
    game = duel("wss", QUEEN_ANNE, ("br_debt_1", "wss_huguenot_rebels"), ("fr_one_1",), debt={BR: 0, FR: 5})
    game.includes(DebtSet(FR, 1, 6, "br_debt_1"), ScoreMoved(BR, 1, 14, "debt_limit"))


def test_7_1_2_strike_damages_an_undamaged_fort_or_sends_a_squadron_of_the_theatre_home() -> None:
    game = duel(
        "wss",
        QUEEN_ANNE,
        ("br_strike_1",),
        ("fr_one_1",),
        fr=("louisbourg", "ohio_forks", "cabot_strait", "biscay", "arcot"),
        br=("halifax",),
        damaged=("ohio_forks",),
    )
    game.asks(BR, "louisbourg", "cabot_strait").refuses(BR, "ohio_forks").refuses(BR, "biscay").refuses(
        BR, "arcot"
    )
    assert question(game, BR).why == {"theatre": QUEEN_ANNE, "tile": "br_strike_1"}
    game.when(BR, "louisbourg").includes(FortDamaged(FR, "louisbourg"))
    fought = next(fact for fact in game.facts if isinstance(fact, TheatreFought))
    assert fought.working == {BR: {"tiles": 0, "forts": 1}, FR: {"tiles": 1, "squadrons": 1}}


def test_7_1_2_two_strikes_of_a_side_are_two_questions() -> None:
    tiles = ("br_strike_1", "wss_leopold")
    game = duel("wss", QUEEN_ANNE, tiles, ("fr_one_1",), fr=("louisbourg", "cabot_strait", "halifax"))
    game.when(BR, "halifax").asks(BR, "louisbourg", "cabot_strait").when(BR, "cabot_strait")
    game.includes(SquadronMoved(FR, "cabot_strait", "navy_box"))


def test_7_1_2_strike_without_a_target_has_no_effect() -> None:
    game = duel("wss", "central_europe", ("br_strike_1",), ("fr_one_1",), fr=("cabot_strait", "louisbourg"))
    assert kinds(game)[:2] == ["TilesRevealed", "TheatreFought"]


def test_open_strike_in_atlantic_dominance_reaches_squadrons_in_europe_only() -> None:
    game = duel("syw", "atlantic_dominance", ("br_strike_1",), ("fr_one_1",), fr=("biscay", "cabot_strait"))
    game.includes(SquadronMoved(FR, "biscay", "navy_box"))
    assert game.table.flags["cabot_strait"] == FR


def test_7_1_2_the_flag_symbol_takes_a_market_or_political_space_of_the_region_without_a_marker() -> None:
    flags = (
        "nizam",
        "karaikal",
        "calicut",
        "pondicherry",
        "malabar_coast",
        "mysore",
        "cataraqui",
        "vandavasi",
    )
    game = duel(
        "was",
        "first_carnatic_war",
        ("br_unflag_1",),
        ("fr_one_1",),
        fr=flags,
        conflicts={"calicut": 0, "mysore": 0},
    )
    game.asks(BR, "nizam", "karaikal").refuses(BR, "calicut").refuses(BR, "mysore").refuses(BR, "pondicherry")
    game.refuses(BR, "cataraqui").refuses(BR).when(BR, "nizam")
    game.includes(FlagRemoved(FR, "nizam"), AdvantageReturned(FR, "separatist_wars"))


def test_7_1_2_the_flag_symbol_prefers_markets_that_isolate_no_other() -> None:
    fields: dict[str, Any] = {"fr": ("pondicherry", "karaikal", "tiruchirappalli", "mysore")}
    game = duel("was", "first_carnatic_war", ("br_unflag_1",), ("fr_one_1",), **fields)
    game.asks(BR, "tiruchirappalli", "mysore").refuses(BR, "karaikal")


def test_7_1_2_where_every_market_isolates_another_any_of_them_may_go() -> None:
    flags = ("pondicherry", "karaikal", "tiruchirappalli", "chandernagore", "plassey", "malacca_route")
    ends = {"tiruchirappalli": 0, "malacca_route": 0}
    game = duel("was", "first_carnatic_war", ("br_unflag_1",), ("fr_one_1",), fr=flags, conflicts=ends)
    game.asks(BR, "karaikal", "plassey").when(BR, "plassey")
    assert isolated(game.table.flags, game.table.conflicts) == ("malacca_route",)


def test_7_1_2_the_flag_symbol_without_a_target_has_no_effect() -> None:
    game = duel("was", "king_georges_war", ("br_unflag_1",), ("fr_one_1",), fr=("acadia", "karaikal"))
    assert kinds(game)[:2] == ["TilesRevealed", "TheatreFought"]


def test_7_1_3_strength_is_counted_on_the_board_that_the_symbols_left() -> None:
    game = duel("wss", "central_europe", ("br_unflag_1",), ("fr_one_1",), fr=("bavaria",))
    game.includes(FlagRemoved(FR, "bavaria"))
    game.includes(TheatreFought("central_europe", -1, 1, FR, 2, {BR: {"tiles": -1}, FR: {"tiles": 1}}))


# ── 7.2 spoils ──


def test_7_2_the_losers_squadrons_leave_first_and_the_loser_chooses_them() -> None:
    game = battle(
        "awi", "antilles_war", BR, 2, fr=("cuba_passage", "biscay"), br=("bahamas_run",), navy={BR: 0, FR: 1}
    )
    game.asks(FR, "cuba_passage", "biscay", "navy_box").refuses(FR, "bahamas_run")
    assert question(game, FR).why == {"theatre": "antilles_war", "to": "removed", "count": 2}
    assert "ScoreMoved" not in kinds(game)
    game.when(FR, "navy_box").then(SquadronMoved(FR, "navy_box", "removed")).asks(
        FR, "cuba_passage", "biscay"
    )
    game.when(FR, "biscay").then(
        SquadronMoved(FR, "biscay", "removed"),
        SpoilsTaken("antilles_war", BR, 0, 1, 1),
        TreatySet(FR, 1, 1, "antilles_war"),
    ).has(navy={BR: 0, FR: 0})


def test_7_2_squadrons_lost_in_atlantic_dominance_may_be_built_again() -> None:
    game = battle("syw", "atlantic_dominance", BR, 5, fr=("malabar_coast",), unbuilt={BR: 8, FR: 7})
    game.includes(SquadronMoved(FR, "malabar_coast", "unbuilt"), DominanceWon(BR)).has(unbuilt={BR: 8, FR: 8})


def test_7_2_a_loser_without_squadrons_loses_none() -> None:
    game = battle("awi", "antilles_war", BR, 2, navy={BR: 1, FR: 0}).asks(BR)
    assert "SquadronMoved" not in kinds(game)


def test_a_win_of_atlantic_dominance_by_1_brings_nothing() -> None:
    game = battle("syw", "atlantic_dominance", FR, 1, navy={BR: 2, FR: 0}).asks_nobody()
    assert kinds(game) == ["TilesRevealed", "TheatreFought"]


def test_7_2_the_flag_that_a_row_removes_is_the_winners_choice_markers_and_isolation_do_not_matter() -> None:
    flags = ("quebec_and_montreal", "cataraqui", "niagara", "martinique", "algonquin")
    game = battle("was", "king_georges_war", BR, 4, fr=flags, conflicts={"niagara": 0})
    game.asks(BR).when(BR, "done").asks(BR, "cataraqui", "niagara").when(BR, "niagara")
    game.then(ConflictRemoved("niagara"), FlagRemoved(FR, "niagara")).asks_nobody()


def test_7_2_the_only_flag_goes_without_a_question() -> None:
    game = battle("was", "jacobite_rebellion", BR, 2, fr=("russia",))
    game.includes(TreatySet(FR, 1, 1, "jacobite_rebellion"), FlagRemoved(FR, "russia"))


def test_7_2_the_order_of_spoils_squadrons_points_conquest_flag() -> None:
    game = battle("awi", "antilles_war", BR, 4, fr=("bahamas_run", "biscay", "martinique", "havana"))
    game.asks(FR).when(FR, "biscay").includes(SquadronMoved(FR, "bahamas_run", "removed"))
    game.includes(TreatySet(FR, 1, 1, "antilles_war")).asks(BR).when(BR, "done").asks(
        BR, "martinique", "havana"
    )


# ── 7.3 special awards ──


def test_jacobite_victory_there_are_only_two_markers() -> None:
    game = battle("was", "jacobite_rebellion", FR, 1, victories=2)
    assert "JacobiteVictory" not in kinds(game)
    battle("was", "jacobite_rebellion", FR, 1, victories=1).includes(JacobiteVictory(2), UprisingsAllowed())


def test_jacobite_victory_allows_nothing_to_a_card_that_has_left_the_game() -> None:
    game = battle("was", "jacobite_rebellion", FR, 1, defeated=True)
    game.includes(JacobiteVictory(1)).has(uprisings=False)


def test_jacobite_victory_in_the_first_war_asks_for_a_margin_of_3_and_allows_no_third_ministry() -> None:
    assert "JacobiteVictory" not in kinds(battle("wss", "jacobite_rebellion", FR, 2))
    battle("wss", "jacobite_rebellion", FR, 3).includes(JacobiteVictory(1)).has(uprisings=False)


@pytest.mark.parametrize("ministries", [("jacobite_uprisings", "voltaire"), ("voltaire", "choiseul")])
def test_jacobite_defeat_takes_the_card_from_the_french_ministries_open_or_not(
    ministries: tuple[str, ...],
) -> None:
    game = battle("was", "jacobite_rebellion", BR, 2, ministries={BR: (), FR: ministries}, third=True)
    game.includes(JacobitesDefeated("jacobite_uprisings" in ministries)).has(defeated=True, third=False)
    assert "jacobite_uprisings" not in game.table.ministries[FR]


def test_jacobite_defeat_happens_once() -> None:
    assert "JacobitesDefeated" not in kinds(battle("was", "jacobite_rebellion", BR, 2, defeated=True))
