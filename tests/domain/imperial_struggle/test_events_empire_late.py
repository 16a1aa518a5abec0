"""The events 22 to 30 of the Empire era, in both versions, with and without their bonus."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from domain.imperial_struggle.components import (
    BOARD,
    BR,
    DIPLOMATIC,
    ECONOMIC,
    FR,
    MEMBERS,
    MILITARY,
    NAVY_BOX,
    TURN_TRACK,
    UNBUILT,
)
from domain.imperial_struggle.events import EVENTS
from domain.imperial_struggle.facts.board import ConflictPlaced, FlagPlaced, FlagRemoved, SquadronMoved
from domain.imperial_struggle.facts.flow import PointsGranted
from domain.imperial_struggle.facts.tracks import DebtSet, ScoreMoved, TreatySet
from domain.imperial_struggle.points import UNFLAG
from domain.imperial_struggle.state import State
from tests.domain.imperial_struggle.playing import acting, happening, played, plays, points, within
from tests.scenario import Scenario

# ── 22 Corsican Crisis ──

CORSICA = "corsican_crisis"


def test_british_intervene_shifts_sardinia_or_savoy() -> None:
    game = played(CORSICA, BR, fr=("savoy",)).asks(BR, "sardinia", "savoy")
    game.when(BR, "savoy").then(FlagRemoved(FR, "savoy"))
    assert acting(game, BR)


def test_british_intervene_takes_the_only_space_left_without_a_question() -> None:
    played(CORSICA, BR, br=("savoy",)).then(plays(CORSICA, BR), FlagPlaced(BR, "sardinia"))


def test_british_intervene_does_nothing_where_both_are_british() -> None:
    acting(played(CORSICA, BR, br=("savoy", "sardinia")).then(plays(CORSICA, BR)), BR)


def test_british_intervene_with_governance_scores_1_without_a_french_squadron_in_europe() -> None:
    game = played(CORSICA, BR, keyword="governance", br=("savoy",), fr=("cabot_strait",))
    game.includes(ScoreMoved(BR, 1, 14, CORSICA))


def test_british_intervene_scores_nothing_with_a_french_squadron_in_europe() -> None:
    game = played(CORSICA, BR, keyword="governance", br=("savoy",), fr=("balearic",))
    game.then(plays(CORSICA, BR, bonus=True), FlagPlaced(BR, "sardinia"))


def test_british_vacillate_removes_a_british_flag_from_european_politics() -> None:
    """Neither own flags, nor Territories, nor spaces elsewhere."""
    flags = ("sweden", "russia", "gibraltar", "algonquin", "antigua")
    game = played(CORSICA, FR, br=flags, fr=("savoy",)).asks(FR, "sweden", "russia")
    game.when(FR, "sweden").then(FlagRemoved(BR, "sweden"))


def test_british_vacillate_does_nothing_without_a_british_flag() -> None:
    acting(played(CORSICA, FR, fr=("savoy",)).then(plays(CORSICA, FR)), FR)


def test_british_vacillate_scores_1_where_it_took_the_last_british_flag_of_spain() -> None:
    game = played(CORSICA, FR, keyword="governance", br=("spain_prestige_2",))
    game.includes(FlagRemoved(BR, "spain_prestige_2"), ScoreMoved(FR, 1, 16, CORSICA))


def test_british_vacillate_scores_nothing_with_a_british_flag_left_in_spain() -> None:
    game = played(CORSICA, FR, keyword="governance", br=("spain_prestige_2", "sweden")).when(FR, "sweden")
    game.then(FlagRemoved(BR, "sweden")).has(vp=15)


@pytest.mark.parametrize(("reading", "vp"), [("ignored", 16), ("counted", 15)])
def test_a_british_flag_in_conflict_in_spain_is_read_as_conflicted_flags_says(reading: str, vp: int) -> None:
    game = played(
        CORSICA,
        FR,
        keyword="governance",
        br=("spain_prestige_2", "sweden"),
        conflicts={"spain_prestige_2": 0},
        options={"conflicted_flags": reading},
    )
    game.when(FR, "sweden").has(vp=vp)


# ── 23 European Panic ──

PANIC = "european_panic"


@pytest.mark.parametrize(("own", "other", "vp"), [(1, 3, 2), (0, 4, 4), (0, 6, 4)])
def test_european_panic_scores_the_difference_in_debt_at_most_4(own: int, other: int, vp: int) -> None:
    game = played(PANIC, FR, debt={BR: other, FR: own})
    game.includes(ScoreMoved(FR, vp, 15 + vp, PANIC))


@pytest.mark.parametrize(("own", "other"), [(2, 2), (3, 1)])
def test_european_panic_scores_nothing_with_as_much_debt_or_more(own: int, other: int) -> None:
    acting(played(PANIC, BR, debt={BR: own, FR: other}).then(plays(PANIC, BR)), BR)


def test_european_panic_compares_debt_and_not_available_debt() -> None:
    """With a higher limit France has more Available Debt, and more Debt all the same."""
    game = played(PANIC, FR, debt={BR: 1, FR: 2}, limit={BR: 6, FR: 10})
    game.then(plays(PANIC, FR, bonus=True)).has(vp=15)


def test_european_panic_with_3_more_available_debt_removes_a_flag_from_european_politics() -> None:
    game = played(PANIC, BR, debt={BR: 0, FR: 3}, fr=("savoy", "bavaria", "privateers"))
    game.then(plays(PANIC, BR, bonus=True), ScoreMoved(BR, 3, 12, PANIC)).asks(BR, "savoy", "bavaria")
    game.when(BR, "savoy").then(FlagRemoved(FR, "savoy"))


def test_european_panic_has_no_bonus_with_2_more_available_debt() -> None:
    game = played(PANIC, BR, debt={BR: 0, FR: 2}, fr=("savoy", "bavaria"))
    acting(game.then(plays(PANIC, BR), ScoreMoved(BR, 2, 13, PANIC)), BR)


# ── 24 West African Gold Mining ──

GOLD = "west_african_gold_mining"


def test_gold_mining_brings_an_economic_point() -> None:
    game = played(GOLD, FR, debt={BR: 2, FR: 2})
    game.then(plays(GOLD, FR), PointsGranted(FR, points(GOLD, ECONOMIC, 1)))


def test_gold_mining_with_more_available_debt_brings_2_more_for_the_caribbean() -> None:
    game = played(GOLD, FR, debt={BR: 2, FR: 1})
    game.then(
        plays(GOLD, FR, bonus=True),
        PointsGranted(FR, points(GOLD, ECONOMIC, 1)),
        PointsGranted(FR, replace(points(GOLD, ECONOMIC, 2, within("caribbean")), name=f"{GOLD}.2")),
    )


def test_gold_mining_opens_an_economic_action_to_remove_a_flag_with_a_treaty_point() -> None:
    """The example of 5.5.2: Vellore costs 2, one from the event and one Treaty Point."""
    french = ("pondicherry", "karaikal", "tiruchirappalli", "vellore")
    board: dict[str, Any] = {"br": ("madras", "kanchipuram"), "fr": french}
    game = played(GOLD, BR, tile="d3_e2_1", debt={BR: 0, FR: 0}, treaty={BR: 1, FR: 0}, **board)
    game.when(BR, "unflag:vellore").asks(BR, "major:0", "major:1").when(BR, "major:1")
    game.includes(TreatySet(BR, -1, 0, UNFLAG), FlagRemoved(FR, "vellore"))


# ── 25 War of the Quadruple Alliance ──

QUADRUPLE = "war_of_the_quadruple_alliance"
NO_FLEET: dict[str, Any] = {"navy": {BR: 0, FR: 0}}


def test_naval_prowess_scores_2_for_a_squadron_that_waits() -> None:
    game = played(QUADRUPLE, BR, br=("biscay",)).then(plays(QUADRUPLE, BR), ScoreMoved(BR, 2, 13, QUADRUPLE))
    game.asks(BR, "biscay", NAVY_BOX).when(BR, NAVY_BOX).then(SquadronMoved(BR, NAVY_BOX, TURN_TRACK))
    game.has(away={BR: 1, FR: 0}, navy={BR: 1, FR: 1})


def test_naval_prowess_scores_nothing_without_a_squadron() -> None:
    game = played(QUADRUPLE, BR, **NO_FLEET).then(plays(QUADRUPLE, BR)).has(vp=15)
    acting(game, BR)


def prowess(**fields: Any) -> Scenario[State]:
    """Naval prowess with Governance, and no Squadron in play."""
    return played(QUADRUPLE, BR, keyword="governance", **NO_FLEET, **fields)


def test_naval_prowess_builds_a_squadron_for_1_debt_even_where_none_could_be_removed() -> None:
    prowess().then(
        plays(QUADRUPLE, BR, bonus=True),
        SquadronMoved(BR, UNBUILT, NAVY_BOX),
        DebtSet(BR, 1, 1, QUADRUPLE),
    )


def test_naval_prowess_may_be_paid_with_a_treaty_point() -> None:
    game = prowess(treaty={BR: 2, FR: 0}).asks(BR, "debt", "treaty_points").refuses(BR)
    game.when(BR, "treaty_points").then(TreatySet(BR, -1, 1, QUADRUPLE))


def test_naval_prowess_may_be_paid_with_debt_while_there_are_treaty_points() -> None:
    prowess(treaty={BR: 2, FR: 0}).when(BR, "debt").then(DebtSet(BR, 1, 1, QUADRUPLE))


def test_one_below_the_debt_limit_naval_prowess_may_still_be_paid_with_debt() -> None:
    prowess(treaty={BR: 1, FR: 0}, debt={BR: 5, FR: 0}).asks(BR, "debt", "treaty_points")


def test_at_the_debt_limit_naval_prowess_takes_the_treaty_point() -> None:
    game = prowess(treaty={BR: 1, FR: 0}, debt={BR: 6, FR: 0})
    game.includes(TreatySet(BR, -1, 0, QUADRUPLE)).has(debt={BR: 6, FR: 0}, vp=15)


def test_at_the_debt_limit_without_treaty_points_naval_prowess_brings_france_1() -> None:
    prowess(debt={BR: 6, FR: 0}).includes(ScoreMoved(FR, 1, 16, "debt_limit"))


def test_naval_prowess_costs_nothing_where_no_squadron_can_be_built() -> None:
    game = prowess(unbuilt={BR: 0, FR: 7}, treaty={BR: 1, FR: 0})
    acting(game.then(plays(QUADRUPLE, BR, bonus=True)), BR)


def test_mediterranean_interests_shift_a_space_of_spain() -> None:
    spain = ("spain_alliance_upper", "spain_prestige_2", "spain_alliance_lower", "spain_prestige_3")
    game = played(QUADRUPLE, FR, br=spain[:1], fr=spain[1:2]).asks(FR, spain[0], *spain[2:])
    game.when(FR, spain[0]).then(FlagRemoved(BR, spain[0]))
    acting(game, FR)


def test_mediterranean_interests_do_nothing_where_all_of_spain_is_french() -> None:
    spain = ("spain_alliance_upper", "spain_prestige_2", "spain_alliance_lower", "spain_prestige_3")
    acting(played(QUADRUPLE, FR, fr=spain).then(plays(QUADRUPLE, FR)), FR)


def test_mediterranean_interests_with_governance_bring_a_diplomatic_point() -> None:
    game = played(QUADRUPLE, FR, keyword="governance").when(FR, "spain_prestige_2")
    game.includes(PointsGranted(FR, points(QUADRUPLE, DIPLOMATIC, 1)))


# ── 26 Salon d'Hercule ──

SALON = "salon_dhercule"


def test_versailles_overruns_force_1_debt_on_france() -> None:
    played(SALON, BR).then(plays(SALON, BR), DebtSet(FR, 1, 1, SALON))


def test_versailles_overruns_with_style_force_2_more() -> None:
    game = played(SALON, BR, keyword="style")
    game.then(plays(SALON, BR, bonus=True), DebtSet(FR, 1, 1, SALON), DebtSet(FR, 2, 3, SALON))


def test_versailles_overruns_beyond_the_debt_limit_score_for_britain() -> None:
    game = played(SALON, BR, keyword="style", debt={BR: 0, FR: 4})
    game.includes(DebtSet(FR, 1, 5, SALON), DebtSet(FR, 1, 6, SALON), ScoreMoved(BR, 1, 14, "debt_limit"))


def test_salon_impresses_envoys_with_2_diplomatic_points_for_europe() -> None:
    game = played(SALON, FR)
    game.then(plays(SALON, FR), PointsGranted(FR, points(SALON, DIPLOMATIC, 2, within("europe"))))


def test_salon_impresses_envoys_with_style_with_4() -> None:
    game = played(SALON, FR, keyword="style")
    granted = PointsGranted(FR, points(SALON, DIPLOMATIC, 2, within("europe")))
    game.then(plays(SALON, FR, bonus=True), granted, granted)


def test_points_for_europe_draw_no_card_and_go_to_no_other_region() -> None:
    options = acting(happening(SALON, FR, "base", deck=("tax_reform",)), FR)
    assert "flag:savoy" in options
    assert not {"draw", "flag:nizam"} & set(options)


# ── 27 Bengal Famine ──

FAMINE = "bengal_famine"
LOCAL = ("maratha", "nizam", "mysore")
INDIAN_MARKETS = tuple(space for space in MEMBERS["india"] if BOARD[space].kind == "market")


def test_bengal_famine_marks_up_to_two_markets_or_alliances_of_india() -> None:
    game = played(FAMINE, BR, br=("vellore",)).asks(BR, *LOCAL, *INDIAN_MARKETS)
    game.refuses(BR, "arcot").refuses(BR, "nizam", "vellore", "kurpa").when(BR, "nizam", "vellore")
    game.then(ConflictPlaced("nizam", 0, FAMINE), ConflictPlaced("vellore", 0, FAMINE))


def test_bengal_famine_may_mark_one_or_none() -> None:
    played(FAMINE, FR).when(FR, "kurpa").then(ConflictPlaced("kurpa", 0, FAMINE))
    acting(played(FAMINE, FR).when(FR).then(), FR)


def test_bengal_famine_never_has_a_bonus() -> None:
    assert EVENTS[FAMINE].effect("bonus", BR) is None


# ── 28 Father le Loutre ──

LOUTRE = "father_le_loutre"
FISH = ("gulf_of_st_lawrence", "northeast_channel", "georges_bank", "massachusetts_bay")


def test_acadians_expelled_marks_a_fish_market() -> None:
    game = played(LOUTRE, BR).asks(BR, *FISH)
    game.when(BR, "georges_bank").then(ConflictPlaced("georges_bank", 0, LOUTRE))
    acting(game, BR)


def test_acadians_expelled_with_governance_bring_2_military_points_for_north_america() -> None:
    game = played(LOUTRE, BR, keyword="governance").when(BR, "georges_bank")
    granted = PointsGranted(BR, points(LOUTRE, MILITARY, 2, within("north_america")))
    game.then(ConflictPlaced("georges_bank", 0, LOUTRE), granted)


def test_military_points_for_north_america_clear_build_and_deploy_there_and_nothing_else() -> None:
    board = {"br": ("northern_colonies", "cumberland"), "conflicts": {"albany": 0, "antigua": 0}}
    options = set(acting(happening(LOUTRE, BR, "bonus", **board), BR))
    assert {"clear:albany", "build:ohio_forks", "deploy:cabot_strait"} <= options
    assert not {"clear:antigua", "deploy:biscay", "buy", "construct"} & options


def test_raids_on_halifax_mark_a_british_market_wherever_it_lies() -> None:
    game = played(LOUTRE, FR, br=("antigua", "vellore", "algonquin"), fr=("albany",))
    game.asks(FR, "antigua", "vellore").when(FR, "vellore").then(ConflictPlaced("vellore", 0, LOUTRE))


def test_raids_on_halifax_do_nothing_without_an_unmarked_british_market() -> None:
    game = played(LOUTRE, FR, br=("antigua",), conflicts={"antigua": 0})
    acting(game.then(plays(LOUTRE, FR)), FR)


def test_raids_on_halifax_with_governance_bring_2_economic_points_for_north_america() -> None:
    game = played(LOUTRE, FR, keyword="governance")
    granted = PointsGranted(FR, points(LOUTRE, ECONOMIC, 2, within("north_america")))
    game.then(plays(LOUTRE, FR, bonus=True), granted)


# ── 29 War of the Polish Succession ──

POLAND = "war_of_the_polish_succession"


def test_ties_with_russia_bring_2_treaty_points_and_no_shift_without_finance() -> None:
    game = played(POLAND, BR, fr=("russia",)).then(plays(POLAND, BR), TreatySet(BR, 2, 2, POLAND))
    acting(game, BR)


def test_ties_with_russia_with_finance_shift_russia() -> None:
    game = played(POLAND, BR, keyword="finance", fr=("russia",))
    removed = FlagRemoved(FR, "russia")
    game.then(plays(POLAND, BR, bonus=True), TreatySet(BR, 2, 2, POLAND), removed).has(flags={})


def test_ties_with_russia_leave_a_british_russia_alone() -> None:
    game = played(POLAND, BR, keyword="finance", br=("russia",))
    game.then(plays(POLAND, BR, bonus=True), TreatySet(BR, 2, 2, POLAND))


def test_lorraine_secured_scores_2() -> None:
    game = played(POLAND, FR).then(plays(POLAND, FR), ScoreMoved(FR, 2, 17, POLAND))
    acting(game, FR)


def test_lorraine_secured_with_finance_shifts_russia_or_sweden() -> None:
    game = played(POLAND, FR, keyword="finance", br=("sweden",)).asks(FR, "russia", "sweden")
    game.when(FR, "sweden").then(FlagRemoved(BR, "sweden"))


# ── 30 Jonathan's Coffee-House ──

COFFEE = "jonathans_coffee_house"


def test_coffee_house_brings_2_economic_points() -> None:
    game = played(COFFEE, BR, debt={BR: 2, FR: 0})
    game.then(plays(COFFEE, BR), PointsGranted(BR, points(COFFEE, ECONOMIC, 2)))


def test_coffee_house_with_finance_brings_1_more_and_reduces_debt_by_1() -> None:
    game = played(COFFEE, FR, keyword="finance", debt={BR: 0, FR: 2})
    game.then(
        plays(COFFEE, FR, bonus=True),
        PointsGranted(FR, points(COFFEE, ECONOMIC, 2)),
        PointsGranted(FR, points(COFFEE, ECONOMIC, 1)),
        DebtSet(FR, -1, 1, COFFEE),
    )


def test_coffee_house_leaves_a_debt_of_0_alone() -> None:
    game = played(COFFEE, FR, keyword="finance")
    assert not any(isinstance(fact, DebtSet) for fact in game.facts)
