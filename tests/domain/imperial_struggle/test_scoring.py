"""The scoring phase: awards, prestige, Global Demand, and the ministries that change them (4.1.12)."""

from __future__ import annotations

from typing import Any

import pytest

from domain.imperial_struggle.components import (
    ADVANTAGES,
    AWARDS,
    BOARD,
    BR,
    ERAS,
    FR,
    GOODS,
    MARKETS_OF,
    MEMBERS,
    OTHER,
    PRESTIGE,
    REGIONS,
    SIDES,
    USA,
)
from domain.imperial_struggle.facts.flow import AwardScored, GoodScored, PrestigeScored
from domain.imperial_struggle.facts.tracks import DebtSet, ScoreMoved, TreatySet
from domain.imperial_struggle.state import State
from domain.kernel import Fact
from tests.domain.imperial_struggle.course import PLAIN, having, only, scored
from tests.domain.imperial_struggle.printed import REWARDS
from tests.scenario import Scenario


def award_of(game: Scenario[State], region: str) -> AwardScored:
    """What a Region's award brought."""
    return next(fact for fact in only(game, AwardScored) if fact.region == region)


def good_of(game: Scenario[State], name: str) -> GoodScored:
    """What a good brought."""
    return next(fact for fact in only(game, GoodScored) if fact.good == name)


def points(side: str, by: int) -> int:
    """Where the marker stands after a side has gained so much from 15 on."""
    return 15 + (by if side == FR else -by)


# --------------------------------------------------------------------------- awards


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("region", [region for region in REGIONS if region != "europe"])
def test_4_1_12_more_spaces_of_a_region_win_its_award(region: str, side: str) -> None:
    own, other = MEMBERS[region][:3], MEMBERS[region][3:5]
    game = scored(**having(side, own, other))
    found = award_of(game, region)
    assert (found.br, found.fr) == ((3, 2) if side == BR else (2, 3))
    tile = AWARDS[PLAIN[region]]
    assert (found.winner, found.vp, found.treaty) == (side, tile.vp, tile.treaty_points)
    game.includes(found, ScoreMoved(side, 1, points(side, 1), tile.id)).has(vp=points(side, 1))
    assert game.table.treaty == {OTHER[side]: 0, side: tile.treaty_points}


@pytest.mark.parametrize("kind", ["political", "market", "naval", "fort", "territory"])
def test_4_1_12_every_kind_of_space_counts_one_squadrons_too(kind: str) -> None:
    space = next(space for space in MEMBERS["north_america"] if BOARD[space].kind == kind)
    assert award_of(scored(fr=(space,)), "north_america").winner == FR


def test_4_1_12_a_squadron_in_the_navy_box_counts_nowhere() -> None:
    assert [fact.winner for fact in only(scored(navy={BR: 8, FR: 0}), AwardScored)] == [None] * 4


def test_4_1_12_a_damaged_fort_counts() -> None:
    assert award_of(scored(fr=("louisbourg",), damaged=("louisbourg",)), "north_america").winner == FR


def test_3_8_a_conflicted_space_does_not_count() -> None:
    """Two French ones against one British one: with a marker on a French one it is a tie."""
    flags: dict[str, Any] = {"fr": ("karaikal", "plassey"), "br": ("midnapore",)}
    assert award_of(scored(**flags), "india").winner == FR
    found = award_of(scored(**flags, conflicts={"plassey": 1}), "india")
    assert (found.br, found.fr, found.winner) == (1, 1, None)
    assert award_of(scored(**flags, conflicts=dict.fromkeys(flags["fr"], 0)), "india").winner == BR


def test_10_0_flags_of_the_usa_and_of_spain_count_for_no_side() -> None:
    flags = {"northern_colonies": USA, "carolinas": USA, "havana": "spain"}
    game = scored(turn=6, flags=flags, br=("jamaica",))
    assert award_of(game, "north_america").winner is None
    assert award_of(game, "caribbean") == AwardScored("caribbean", "award_1t_a", 1, 0, BR, 1, 1)


def test_4_1_12_in_a_tie_no_side_gets_the_award_and_it_is_set_aside() -> None:
    game = scored(fr=("pondicherry",), br=("madras",))
    assert award_of(game, "india") == AwardScored("india", "award_1t_b", 1, 1, None, 0, 0)
    game.has(treaty={BR: 0, FR: 0}, laid={}, given=tuple(PLAIN.values()))


@pytest.mark.parametrize("tile", ["award_3", "award_2"])
@pytest.mark.parametrize(("lead", "winner"), [(0, None), (1, None), (2, FR), (3, FR)])
def test_4_1_12_the_red_2_asks_for_a_lead_of_2(tile: str, lead: int, winner: str | None) -> None:
    own = MEMBERS["india"][1 : 2 + lead]
    game = scored(laid={**PLAIN, "india": tile}, fr=own, br=MEMBERS["india"][:1])
    found = award_of(game, "india")
    assert (found.fr - found.br, found.winner) == (lead, winner)
    assert found.vp == (AWARDS[tile].vp if winner else 0)
    assert game.table.vp == 15 + found.vp


def test_4_1_12_an_award_of_treaty_points_alone() -> None:
    game = scored(laid={**PLAIN, "india": "award_0t_a"}, br=("madras",))
    assert award_of(game, "india") == AwardScored("india", "award_0t_a", 1, 0, BR, 0, 1)
    game.includes(TreatySet(BR, 1, 1, "award_0t_a")).has(vp=15)


def test_4_1_12_the_regions_are_scored_as_in_the_printed_example() -> None:
    """North America, Europe with prestige, the Caribbean, India, then the goods."""
    game = scored(demand=("fish",))
    order = [type(fact) for fact in game.facts]
    assert [fact.region for fact in only(game, AwardScored)] == [
        "north_america",
        "europe",
        "caribbean",
        "india",
    ]
    assert order == [AwardScored, AwardScored, PrestigeScored, AwardScored, AwardScored, GoodScored]


# --------------------------------------------------------------------------- prestige


@pytest.mark.parametrize("side", SIDES)
def test_4_1_12_more_prestige_spaces_bring_2(side: str) -> None:
    """One space of prestige against three of Europe without it."""
    plain = ("bavaria", "savoy", "sardinia")
    game = scored(**having(side, ("sweden",), plain))
    (found,) = only(game, PrestigeScored)
    assert (found.winner, found.vp) == (side, 2)
    assert award_of(game, "europe").winner == OTHER[side]
    assert ScoreMoved(side, 2, game.table.vp, "prestige") in game.facts


@pytest.mark.parametrize("space", ["minorca", "biscay", "balearic", "russia"])
def test_4_1_12_naval_spaces_and_minorca_are_prestige_too(space: str) -> None:
    assert only(scored(fr=(space,)), PrestigeScored) == [PrestigeScored(0, 1, FR, 2)]


def test_4_1_12_a_tie_in_prestige_brings_nothing() -> None:
    game = scored(fr=("sweden",), br=("russia",))
    assert only(game, PrestigeScored) == [PrestigeScored(1, 1, None, 0)]
    game.has(vp=15)


def test_3_8_a_conflicted_prestige_space_does_not_count() -> None:
    game = scored(fr=("sweden", "russia"), br=("biscay",), conflicts={"sweden": 0, "russia": 1})
    assert only(game, PrestigeScored) == [PrestigeScored(1, 0, BR, 2)]


def test_4_1_12_prestige_spaces_of_the_usa_count_with_a_flag_of_the_usa() -> None:
    spaces = ("usa_prestige_2", "usa_prestige_3")
    flags: dict[str, Any] = {"br": spaces, "fr": ("sweden",)}
    game = scored(turn=6, **flags, flags={"northern_colonies": USA})
    assert only(game, PrestigeScored) == [PrestigeScored(2, 1, BR, 2)]
    assert award_of(game, "north_america").br == 2
    assert set(spaces) <= set(PRESTIGE)


# --------------------------------------------------------------------------- Global Demand


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("turn", [1, 3, 5])
@pytest.mark.parametrize("name", GOODS)
def test_4_1_12_more_markets_of_a_good_win_the_reward_of_the_era(name: str, turn: int, side: str) -> None:
    expected = REWARDS[ERAS[turn]][name]
    own, other = MARKETS_OF[name][:2], MARKETS_OF[name][2:3]
    game = scored(turn=turn, demand=(name,), debt={BR: 2, FR: 2}, **having(side, own, other))
    found = good_of(game, name)
    assert (found.winner, found.vp, found.debt, found.treaty) == (side, *expected)
    assert game.table.debt == {OTHER[side]: 2, side: 2 + expected[1]}
    assert (found.br, found.fr) == ((2, 1) if side == BR else (1, 2))


def test_4_1_12_what_is_not_in_demand_brings_nothing() -> None:
    game = scored(demand=("furs",), br=MARKETS_OF["fish"])
    assert [fact.good for fact in only(game, GoodScored)] == ["furs"]


def test_4_1_12_the_goods_are_scored_from_the_top_of_the_table() -> None:
    """Whatever the order in which they were drawn, or added by an event."""
    game = scored(demand=("cotton", "sugar", "furs", "tobacco"))
    assert [fact.good for fact in only(game, GoodScored)] == ["furs", "tobacco", "sugar", "cotton"]


def test_4_1_12_a_tie_in_a_good_brings_nothing() -> None:
    game = scored(demand=("fish",), br=MARKETS_OF["fish"][:2], fr=MARKETS_OF["fish"][2:])
    assert good_of(game, "fish") == GoodScored("fish", 2, 2, None, 0, 0, 0, True)
    game.has(debt={BR: 0, FR: 0})
    assert "fish" not in [fact.why for fact in only(game, ScoreMoved)]


def test_3_8_a_conflicted_market_does_not_count() -> None:
    first, second, third, _ = MARKETS_OF["fish"]
    game = scored(demand=("fish",), br=(first, second), fr=(third,), conflicts={first: 0, second: 0})
    assert good_of(game, "fish").winner == FR


def test_4_1_12_spice_reduces_debt_not_below_0() -> None:
    game = scored(demand=("spice",), fr=MARKETS_OF["spice"], debt={BR: 3, FR: 0})
    game.has(debt={BR: 3, FR: 0})
    assert good_of(game, "spice").debt == -1


@pytest.mark.parametrize("side", SIDES)
def test_6_3_the_forced_debt_of_a_good_beyond_the_limit_is_a_point_of_the_opponent(side: str) -> None:
    game = scored(demand=("tobacco",), debt={BR: 6, FR: 6}, **having(side, MARKETS_OF["tobacco"]))
    tobacco = [fact for fact in only(game, ScoreMoved) if fact.why in ("tobacco", "debt_limit")]
    assert [(fact.side, fact.points) for fact in tobacco] == [(side, 3), (OTHER[side], 1)]
    game.has(debt={BR: 6, FR: 6})


def test_6_3_the_last_room_for_debt_is_taken_before_points_are_lost() -> None:
    """Fish and tobacco of the Succession era: one Debt fits, the other does not; spice, above, makes room."""
    markets = (*MARKETS_OF["fish"], *MARKETS_OF["tobacco"], *MARKETS_OF["spice"])
    game = scored(demand=("fish", "tobacco"), debt={BR: 5, FR: 0}, br=markets)
    assert only(game, DebtSet) == [DebtSet(BR, 1, 6, "fish")]
    assert ("debt_limit", FR, 1) in [(fact.why, fact.side, fact.points) for fact in only(game, ScoreMoved)]
    game = scored(demand=("tobacco", "spice"), debt={BR: 6, FR: 0}, br=markets)
    assert only(game, DebtSet) == [DebtSet(BR, -1, 5, "spice"), DebtSet(BR, 1, 6, "tobacco")]
    assert not [fact for fact in only(game, ScoreMoved) if fact.why == "debt_limit"]


def test_james_watt_keeps_forced_debt_from_bringing_points() -> None:
    game = scored(
        turn=5, demand=("tobacco",), debt={BR: 6, FR: 0}, br=MARKETS_OF["tobacco"], revealed=("james_watt",)
    )
    assert not [fact for fact in only(game, ScoreMoved) if fact.why == "debt_limit"]


# --------------------------------------------------------------------------- ministries


@pytest.mark.parametrize(
    ("revealed", "side", "vp"),
    [
        ((), FR, 1),
        (("court_of_the_sun_king",), FR, 2),
        (("court_of_the_sun_king",), BR, 1),
        (("samuel_johnson",), BR, 2),
        (("samuel_johnson",), FR, 0),
    ],
)
def test_ministries_that_change_the_european_award(revealed: tuple[str, ...], side: str, vp: int) -> None:
    """Its value alone: prestige brings 2 as always, other Regions what they show."""
    game = scored(revealed=revealed, **having(side, ("savoy", *MEMBERS["india"][:1])))
    assert award_of(game, "europe").vp == vp
    assert award_of(game, "india").vp == 1


@pytest.mark.parametrize(("side", "more"), [(FR, 1), (BR, 0)])
def test_dupleix_adds_a_treaty_point_to_india_cotton_and_spice(side: str, more: int) -> None:
    flags = (*MARKETS_OF["cotton"], *MARKETS_OF["spice"], *MARKETS_OF["furs"])
    game = scored(turn=3, demand=("furs", "spice", "cotton"), revealed=("dupleix",), **having(side, flags))
    assert award_of(game, "india").treaty == 1 + more
    assert [fact.treaty for fact in only(game, GoodScored)] == [1, 0 + more, 1 + more]


@pytest.mark.parametrize("option", ["always", "when_given"])
@pytest.mark.parametrize(
    ("flags", "given"),
    [
        ({"fr": ("sweden", "ireland_prestige", "spain_prestige_2", "spain_prestige_3")}, True),
        ({"fr": ("ireland_prestige", "spain_prestige_2"), "br": ("savoy", "bavaria", "sardinia")}, True),
        ({"fr": ("ireland_prestige", "spain_prestige_2"), "br": ("savoy", "bavaria")}, False),
    ],
)
def test_voltaire_counts_countries_when_the_european_award_is_given(
    flags: dict[str, Any], given: bool, option: str
) -> None:
    """Ireland and Spain, for either winner; Sweden is one space.  The option asks whether a side must win."""
    game = scored(turn=3, revealed=("voltaire",), options={"voltaire": option}, **flags)
    paid = [fact.by for fact in only(game, TreatySet) if fact.why == "voltaire"]
    assert paid == ([2] if given or option == "always" else [])


def test_voltaire_brings_3_at_most() -> None:
    spaces = ("ireland_prestige", "scotland_prestige", "dutch_republic_prestige", "austria_prestige_upper")
    game = scored(turn=3, revealed=("voltaire",), fr=spaces)
    assert TreatySet(FR, 3, 3, "voltaire") in game.facts


def test_the_east_india_company_scores_last() -> None:
    """A point for rum, which is British, not Exhausted and free of conflict; after the goods."""
    game = scored(demand=("sugar",), revealed=("east_india_company",), advantages={"rum": BR, "silk": FR})
    assert game.facts[-1] == ScoreMoved(BR, 1, 14, "east_india_company")


@pytest.mark.parametrize(("count", "scored_points"), [(0, 0), (2, 2), (3, 3), (5, 3)])
def test_the_east_india_company_scores_3_at_most(count: int, scored_points: int) -> None:
    tiles = ("textiles", "silk", "fruit", "fur_trade", "rum")[:count]
    game = scored(revealed=("east_india_company",), advantages=dict.fromkeys(tiles, BR))
    assert game.table.vp == 15 - scored_points


def test_the_east_india_company_leaves_out_what_is_exhausted_or_conflicted() -> None:
    """Of three advantages rum is Exhausted, and a space of silk has a Conflict marker."""
    held = dict.fromkeys(("rum", "silk", "fruit"), BR)
    conflicts = {ADVANTAGES["silk"].spaces[0]: 0}
    fields: dict[str, Any] = {"advantages": held, "exhausted": ("rum",), "conflicts": conflicts}
    scored(revealed=("east_india_company",), **fields).has(vp=14)


@pytest.mark.parametrize("card", ["court_of_the_sun_king", "samuel_johnson", "dupleix", "voltaire"])
def test_a_ministry_that_lies_face_down_changes_nothing(card: str) -> None:
    flags = ("ireland_prestige", *MARKETS_OF["cotton"])
    plain = scored(turn=3, demand=("cotton",), fr=flags)
    hidden: list[Fact[State]] = scored(
        turn=3, demand=("cotton",), fr=flags, ministries={BR: (card,), FR: (card,)}
    ).facts
    assert hidden == plain.facts


# --------------------------------------------------------------------------- the marker


@pytest.mark.parametrize(("vp", "side", "now"), [(1, BR, -1), (30, FR, 32), (-4, FR, -2), (33, BR, 31)])
def test_4_1_12_points_below_0_and_above_30_are_kept_exactly(vp: int, side: str, now: int) -> None:
    scored(vp=vp, **having(side, ("biscay",)), laid={**PLAIN, "europe": "award_0t_a"}).has(vp=now)


def test_3_10_one_marker_serves_both() -> None:
    """Britain's 2 for prestige and France's 1 for the Caribbean make 14 of 15."""
    scored(br=("biscay",), fr=("guadeloupe",), laid={**PLAIN, "europe": "award_0t_a"}).has(vp=14)
