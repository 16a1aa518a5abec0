"""The events 6 to 10 of the Succession era."""

from __future__ import annotations

from typing import Any

import pytest

from domain.imperial_struggle.components import BR, DIPLOMATIC, ECONOMIC, FR
from domain.imperial_struggle.facts.board import (
    AdvantageReturned,
    AdvantageTaken,
    AdvantageUsed,
    ConflictPlaced,
    FlagPlaced,
    FlagRemoved,
)
from domain.imperial_struggle.facts.cards import EventPlayed
from domain.imperial_struggle.facts.flow import PointsGranted
from domain.imperial_struggle.facts.tracks import DebtSet, ScoreMoved
from domain.imperial_struggle.facts.wars import BonusReturned
from domain.imperial_struggle.points import DRAW, FLAG, Pool
from domain.kernel import CHANCE, HIDDEN, prompt
from tests.domain.imperial_struggle.governing import pool
from tests.domain.imperial_struggle.playing import may_buy, played
from tests.domain.imperial_struggle.printed import SPAIN
from tests.domain.imperial_struggle.table import major, minor, table

GERMAN = ("german_states_2", "german_states_3")


# ── 6 Native American Alliances ──


def test_native_american_alliances_shifts_a_local_alliance_of_north_america() -> None:
    game = played("native_american_alliances", fr=("algonquin", "nizam")).asks(BR, "algonquin", "iroquois")
    game.when(BR, "iroquois").then(FlagPlaced(BR, "iroquois"), AdvantageTaken(BR, "iroquois_raids"))


def test_native_american_alliances_bonus_uses_an_advantage_gained_by_the_event() -> None:
    """Playbook: at once, so even one taken in this round; it is not Exhausted and counts for no limit."""
    game = played("native_american_alliances", keyword="mercantilism").when(BR, "iroquois")
    game.asks(BR, "iroquois_raids").when(BR, "iroquois_raids").refuses(BR, "kurpa").when(BR, "albany")
    game.then(AdvantageUsed(BR, "iroquois_raids", False), ConflictPlaced("albany", 0, "iroquois_raids")).has(
        exhausted=()
    )
    assert game.table.round is not None
    assert game.table.round.used == ()


def test_native_american_alliances_bonus_ignores_exhaustion_but_not_a_conflict() -> None:
    game = played(
        "native_american_alliances",
        keyword="mercantilism",
        br=("algonquin", "iroquois", "nizam"),
        conflicts={"iroquois": 0},
        exhausted=("algonquin_raids",),
    )
    game.asks(BR, "algonquin_raids").when(BR, "algonquin_raids").when(BR, "albany")
    game.includes(AdvantageUsed(BR, "algonquin_raids", False)).has(exhausted=("algonquin_raids",))


def test_native_american_alliances_bonus_offers_a_paid_advantage_only_with_points_for_it() -> None:
    """Playbook: Wheat takes a point off a price that has to be paid now."""
    british = ("iroquois", "algonquin", "chesapeake", "northern_colonies")
    fields: dict[str, Any] = {
        "br": british,
        "fr": ("cumberland",),
        "conflicts": {"iroquois": 0, "algonquin": 0},
    }
    economic, military = (major(DIPLOMATIC, 3), minor(ECONOMIC)), (major(DIPLOMATIC, 3), minor("military"))
    played("native_american_alliances", keyword="mercantilism", pools=military, **fields).then(
        EventPlayed(BR, "native_american_alliances", True)
    )
    fields["conflicts"]["cumberland"] = 0  # the Minor action may remove it then
    game = played("native_american_alliances", keyword="mercantilism", pools=economic, **fields)
    game.asks(BR, "wheat", "decline")  # no side has to spend points
    game.when(BR, "wheat").includes(AdvantageUsed(BR, "wheat", False), FlagRemoved(FR, "cumberland"))
    game.has(exhausted=())


def test_native_american_alliances_bonus_is_a_use_like_others_by_option() -> None:
    """The digital version: limits hold, the tile is Exhausted, and one taken just now is barred."""
    options = {"immediate_advantage": "limited"}
    game = played("native_american_alliances", keyword="mercantilism", options=options)
    game.when(BR, "iroquois").then(FlagPlaced(BR, "iroquois"), AdvantageTaken(BR, "iroquois_raids"))
    british = ("algonquin", "iroquois")
    game = played("native_american_alliances", keyword="mercantilism", options=options, br=british)
    game.asks(BR, "algonquin_raids", "iroquois_raids").when(BR, "iroquois_raids").when(BR, "albany")
    game.includes(AdvantageUsed(BR, "iroquois_raids", True)).has(exhausted=("iroquois_raids",))


def test_native_american_alliances_gives_france_points_for_north_america() -> None:
    game = played("native_american_alliances", FR)
    points = pool(game, "native_american_alliances")
    assert (points.type, points.points) == (ECONOMIC, 2)
    assert may_buy(game, "native_american_alliances", FLAG, "niagara")
    assert not may_buy(game, "native_american_alliances", FLAG, "antigua")


def test_native_american_alliances_bonus_takes_a_british_local_alliance() -> None:
    british = ("algonquin", "iroquois", "buccaneers", "georges_bank")
    game = played("native_american_alliances", FR, keyword="mercantilism", br=british)
    game.asks(FR, "algonquin", "iroquois").when(FR, "algonquin")
    game.then(FlagRemoved(BR, "algonquin"), AdvantageReturned(BR, "algonquin_raids"))


def test_native_american_alliances_bonus_finds_no_british_alliance() -> None:
    game = played("native_american_alliances", FR, keyword="mercantilism", fr=("algonquin",))
    assert game.table.flags == {"algonquin": FR}


# ── 7 Austro-Spanish Rivalry ──

TWO_THEATRES = {BR: {}, FR: {"spain": ("wss_vendome", "wss_berwick"), "queen_annes_war": ("wss_de_tesse",)}}


def test_austro_spanish_rivalry_places_a_marker_in_spain() -> None:
    game = played("austro_spanish_rivalry").asks(BR, *SPAIN).when(BR, "spain_prestige_2")
    game.then(ConflictPlaced("spain_prestige_2", 0, "austro_spanish_rivalry"))


def test_austro_spanish_rivalry_places_nothing_where_spain_is_full_of_markers() -> None:
    game = played("austro_spanish_rivalry", conflicts=dict.fromkeys(SPAIN, 0))
    game.then(EventPlayed(BR, "austro_spanish_rivalry", False))


def test_austro_spanish_rivalry_bonus_returns_a_french_tile_that_chance_picks() -> None:
    game = played("austro_spanish_rivalry", keyword="governance", reinforcements=TWO_THEATRES)
    question = prompt(game.when(BR, "spain_prestige_2").table, BR)
    assert question is not None
    assert question.why == {"card": "austro_spanish_rivalry", "side": FR}
    game.asks(BR, "spain", "queen_annes_war").when(BR, "spain")
    game.asks(CHANCE, "wss_vendome", "wss_berwick").refuses(CHANCE, "wss_de_tesse")
    game.when(CHANCE, "wss_berwick").then(BonusReturned(FR, "wss_berwick", "spain"))
    assert game.table.reinforcements[FR]["spain"] == ("wss_vendome",)


def test_austro_spanish_rivalry_bonus_does_not_show_the_tile_to_britain() -> None:
    game = played("austro_spanish_rivalry", keyword="governance", reinforcements=TWO_THEATRES)
    game.when(BR, "spain_prestige_2").when(BR, "spain").when(CHANCE, "wss_berwick")
    hidden = BonusReturned(FR, HIDDEN, "spain")
    assert [fact.seen_by(BR) for fact in game.facts] == [hidden]
    assert [fact.seen_by(None) for fact in game.facts] == [hidden]
    assert [fact.seen_by(FR) for fact in game.facts] == game.facts
    seen = table(reinforcements={BR: {}, FR: {"spain": (HIDDEN, HIDDEN)}})
    before, after = seen.bonuses[FR], hidden.apply(seen)
    assert after.reinforcements[FR] == {"spain": (HIDDEN,)}
    assert (after.bonuses[FR].cards, after.bonuses[FR].size) == (before.cards, before.size + 1)


def test_austro_spanish_rivalry_bonus_asks_for_no_theatre_where_tiles_lie_in_one() -> None:
    tiles: dict[str, Any] = {BR: {}, FR: {"spain": ("wss_vendome",), "queen_annes_war": ()}}
    game = played("austro_spanish_rivalry", keyword="governance", reinforcements=tiles)
    game.when(BR, "spain_prestige_2").asks(CHANCE, "wss_vendome")


def test_austro_spanish_rivalry_bonus_does_nothing_without_french_tiles() -> None:
    tiles: dict[str, Any] = {BR: {"spain": ("wss_rooke",)}, FR: {}}
    game = played("austro_spanish_rivalry", keyword="governance", reinforcements=tiles)
    game.when(BR, "spain_prestige_2").has(reinforcements=tiles).asks(BR)


def test_austro_spanish_rivalry_removes_a_flag_of_the_dutch_republic() -> None:
    british = ("dutch_republic_alliance", "dutch_republic_prestige", "sweden")
    game = played("austro_spanish_rivalry", FR, br=british)
    game.asks(FR, "dutch_republic_alliance", "dutch_republic_prestige").when(FR, "dutch_republic_prestige")
    game.then(FlagRemoved(BR, "dutch_republic_prestige"))


@pytest.mark.parametrize(("type", "space"), [(DIPLOMATIC, "nizam"), (ECONOMIC, "kurpa")])
def test_austro_spanish_rivalry_bonus_gives_2_points_of_a_type_for_india(type: str, space: str) -> None:
    game = played("austro_spanish_rivalry", FR, keyword="governance").asks(FR, DIPLOMATIC, ECONOMIC)
    game.when(FR, type)
    points = pool(game, "austro_spanish_rivalry")
    assert (points.type, points.points) == (type, 2)
    assert may_buy(game, "austro_spanish_rivalry", FLAG, space)
    assert not may_buy(game, "austro_spanish_rivalry", FLAG, "sweden")
    assert not may_buy(game, "austro_spanish_rivalry", DRAW)


def test_austro_spanish_rivalry_bonus_leaves_diplomatic_points_free_by_option() -> None:
    options = {"austro_spanish_india": "economic"}
    game = played("austro_spanish_rivalry", FR, keyword="governance", options=options).when(FR, DIPLOMATIC)
    assert pool(game, "austro_spanish_rivalry").limit is None
    game = played("austro_spanish_rivalry", FR, keyword="governance", options=options).when(FR, ECONOMIC)
    assert not may_buy(game, "austro_spanish_rivalry", FLAG, "antigua")


# ── 8 Tax Reform ──


def test_tax_reform_reduces_debt_by_2() -> None:
    game = played("tax_reform", FR, debt={BR: 0, FR: 3})
    game.then(EventPlayed(FR, "tax_reform", False), DebtSet(FR, -2, 1, "tax_reform"))


def test_tax_reform_gives_points_for_what_cannot_be_reduced() -> None:
    points = Pool("tax_reform", ECONOMIC, "event", 1)
    game = played("tax_reform", FR, debt={BR: 0, FR: 1})
    game.then(
        EventPlayed(FR, "tax_reform", False),
        DebtSet(FR, -1, 0, "tax_reform"),
        PointsGranted(FR, points),
    )


def test_tax_reform_bonus_reduces_1_more_or_gives_a_point() -> None:
    """Ruling: the substitute goes for the bonus, too."""
    game = played("tax_reform", FR, keyword="finance", debt={BR: 0, FR: 3})
    assert game.table.debt == {BR: 0, FR: 0}
    game = played("tax_reform", FR, keyword="finance", debt={BR: 0, FR: 1})
    assert pool(game, "tax_reform") == Pool("tax_reform", ECONOMIC, "event", 2)
    game = played("tax_reform", FR, keyword="finance")
    assert pool(game, "tax_reform") == Pool("tax_reform", ECONOMIC, "event", 3)


# ── 9 Great Northern War ──


def test_great_northern_war_shifts_a_german_space() -> None:
    game = played("great_northern_war", fr=("german_states_3",)).asks(BR, *GERMAN)
    game.refuses(BR, "bavaria").when(BR, "german_states_3").then(FlagRemoved(FR, "german_states_3"))


def test_great_northern_war_scores_when_the_shift_makes_both_british() -> None:
    game = played("great_northern_war", br=("german_states_3",)).asks(BR, "german_states_2")
    game.when(BR, "german_states_2")
    game.then(FlagPlaced(BR, "german_states_2"), ScoreMoved(BR, 2, 13, "great_northern_war"))


def test_great_northern_war_scores_without_a_shift_when_both_are_british() -> None:
    """Ruling of the digital version."""
    game = played("great_northern_war", br=GERMAN)
    game.then(EventPlayed(BR, "great_northern_war", False), ScoreMoved(BR, 2, 13, "great_northern_war"))


@pytest.mark.parametrize(("reading", "vp"), [("ignored", 15), ("counted", 13)])
def test_great_northern_war_counts_a_german_space_under_a_marker_only_by_option(
    reading: str, vp: int
) -> None:
    options = {"conflicted_flags": reading}
    played("great_northern_war", br=GERMAN, conflicts={GERMAN[0]: 0}, options=options).has(vp=vp)


def test_great_northern_war_shifts_russia() -> None:
    played("great_northern_war", FR, br=("russia",)).includes(FlagRemoved(BR, "russia")).has(vp=15)
    played("great_northern_war", FR).includes(FlagPlaced(FR, "russia")).has(vp=15)


def test_great_northern_war_scores_for_a_french_russia() -> None:
    game = played("great_northern_war", FR, fr=("russia",))
    game.then(EventPlayed(FR, "great_northern_war", False), ScoreMoved(FR, 2, 17, "great_northern_war"))


@pytest.mark.parametrize(("reading", "vp"), [("ignored", 15), ("counted", 17)])
def test_great_northern_war_counts_a_russia_under_a_marker_only_by_option(reading: str, vp: int) -> None:
    options = {"conflicted_flags": reading}
    played("great_northern_war", FR, fr=("russia",), conflicts={"russia": 0}, options=options).has(vp=vp)


@pytest.mark.parametrize("seat", [BR, FR])
def test_great_northern_war_bonus_gives_a_diplomatic_point(seat: str) -> None:
    game = played("great_northern_war", seat, keyword="style", br=GERMAN)
    assert pool(game, "great_northern_war") == Pool("great_northern_war", DIPLOMATIC, "event", 1)


# ── 10 Vatican Politics ──


def test_vatican_politics_gives_britain_2_points_for_three_countries() -> None:
    game = played("vatican_politics")
    assert (pool(game, "vatican_politics").type, pool(game, "vatican_politics").points) == (DIPLOMATIC, 2)
    for space in ("german_states_2", "prussia_alliance_1", "dutch_republic_alliance"):
        assert may_buy(game, "vatican_politics", FLAG, space)
    assert not may_buy(game, "vatican_politics", FLAG, "sweden")
    assert not may_buy(game, "vatican_politics", DRAW)


def test_vatican_politics_bonus_is_a_point_of_its_own_for_europe() -> None:
    game = played("vatican_politics", keyword="style")
    assert pool(game, "vatican_politics").points == 2
    assert (pool(game, "vatican_politics.2").type, pool(game, "vatican_politics.2").points) == (DIPLOMATIC, 1)
    assert may_buy(game, "vatican_politics.2", FLAG, "sweden")
    assert not may_buy(game, "vatican_politics.2", FLAG, "nizam")
    assert not may_buy(game, "vatican_politics.2", DRAW)


def test_vatican_politics_shifts_a_space_of_spain_or_austria() -> None:
    game = played("vatican_politics", FR, br=("austria_alliance_2",), fr=("spain_prestige_2",))
    game.refuses(FR, "spain_prestige_2").refuses(FR, "bavaria").when(FR, "austria_alliance_2")
    game.then(FlagRemoved(BR, "austria_alliance_2"))


def test_vatican_politics_bonus_scores_where_the_shift_takes_the_last_british_flag() -> None:
    game = played("vatican_politics", FR, keyword="style", br=("austria_alliance_2", "sardinia"))
    game.when(FR, "austria_alliance_2")
    game.then(FlagRemoved(BR, "austria_alliance_2"), ScoreMoved(FR, 2, 17, "vatican_politics"))


def test_vatican_politics_bonus_scores_nothing_beside_a_british_flag() -> None:
    game = played("vatican_politics", FR, keyword="style", br=("austria_alliance_2", "spain_prestige_2"))
    game.when(FR, "austria_alliance_2").then(FlagRemoved(BR, "austria_alliance_2"))


@pytest.mark.parametrize(("reading", "vp"), [("ignored", 17), ("counted", 15)])
def test_vatican_politics_counts_a_british_flag_under_a_marker_only_by_option(reading: str, vp: int) -> None:
    """Ruling: 3.8 leaves it out, the digital version counts it."""
    british, conflicts = ("austria_alliance_2",), {"austria_alliance_2": 0}
    options = {"conflicted_flags": reading}
    game = played("vatican_politics", FR, keyword="style", br=british, conflicts=conflicts, options=options)
    game.when(FR, "spain_prestige_2").has(vp=vp)


def test_vatican_politics_without_the_keyword_scores_nothing() -> None:
    played("vatican_politics", FR).when(FR, "spain_prestige_2").has(vp=15)
