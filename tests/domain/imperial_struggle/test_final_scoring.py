"""Final scoring after turn 6, and who has won then (book 001, 4.1.14, 10.0, 11.0)."""

from __future__ import annotations

from typing import Any

import pytest

from domain.imperial_struggle.components import BR, FR, GOODS, MARKETS_OF, OTHER, SIDES, USA
from domain.imperial_struggle.facts.flow import (
    DebtCompared,
    GoodScored,
    PrestigeScored,
    TerritoriesCounted,
    TurnEnded,
)
from domain.imperial_struggle.facts.tracks import ScoreMoved, TreatySet
from domain.imperial_struggle.steps.flow import Follow
from domain.imperial_struggle.steps.scoring import CheckVictory
from domain.kernel import Ended
from tests.domain.imperial_struggle.course import NO_ROUND, finished, having, only
from tests.domain.imperial_struggle.printed import BRITISH, EMPTY, FRENCH
from tests.domain.imperial_struggle.table import table
from tests.scenario import given


def moved(side: str, by: int) -> int:
    """The marker from 15 on."""
    return 15 + (by if side == FR else -by)


# --------------------------------------------------------------------------- the items


def test_11_0_the_items_in_order() -> None:
    kinds = list(dict.fromkeys(type(fact) for fact in finished().facts))
    assert kinds == [PrestigeScored, DebtCompared, GoodScored, TerritoriesCounted, Ended]


@pytest.mark.parametrize("side", SIDES)
def test_11_0_prestige_brings_2_once_more(side: str) -> None:
    game = finished(**having(side, ("sweden",))).has(vp=moved(side, 2))
    assert ScoreMoved(side, 2, moved(side, 2), "prestige") in game.facts


def test_11_0_prestige_counts_the_spaces_of_the_usa() -> None:
    game = finished(fr=("usa_prestige_2",), flags={"carolinas": USA})
    assert only(game, PrestigeScored) == [PrestigeScored(0, 1, FR, 2)]


@pytest.mark.parametrize(
    ("more", "points"), [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (8, 4), (9, 4), (14, 4)]
)
@pytest.mark.parametrize("side", SIDES)
def test_11_0_every_2_more_available_debt_bring_a_point_at_most_4(side: str, more: int, points: int) -> None:
    game = finished(limit={BR: 14, FR: 14}, debt={side: 14 - more, OTHER[side]: 14}).has(
        vp=moved(side, points)
    )
    (found,) = only(game, DebtCompared)
    assert (found.winner, found.vp) == (side if more else None, points)


def test_11_0_available_debt_is_the_limit_less_the_debt() -> None:
    game = finished(limit={BR: 10, FR: 16}, debt={BR: 2, FR: 3})
    assert only(game, DebtCompared) == [DebtCompared(8, 13, FR, 2)]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", GOODS)
def test_11_0_a_good_brings_a_point_in_demand_or_not(name: str, side: str) -> None:
    own, other = MARKETS_OF[name][:2], MARKETS_OF[name][2:3]
    game = finished(demand=("furs",), **having(side, own, other)).has(vp=moved(side, 1))
    found = next(fact for fact in only(game, GoodScored) if fact.good == name)
    assert (found.winner, found.vp, found.debt, found.treaty) == (side, 1, 0, 0)
    assert not only(game, TreatySet)


def test_11_0_all_six_goods_are_compared_and_a_tie_brings_nothing() -> None:
    game = finished(br=MARKETS_OF["fish"][:2], fr=MARKETS_OF["fish"][2:]).has(vp=15)
    assert [(fact.good, fact.winner) for fact in only(game, GoodScored)] == [(good, None) for good in GOODS]


def test_3_8_a_conflicted_market_does_not_count() -> None:
    space = MARKETS_OF["fish"][0]
    finished(br=(space,), conflicts={space: 0}).has(vp=15)


@pytest.mark.parametrize(("side", "spaces"), [(FR, BRITISH), (BR, FRENCH)])
def test_11_0_a_territory_of_the_other_side_brings_2(side: str, spaces: tuple[str, ...]) -> None:
    for space in spaces:
        game = finished(**having(side, (space,))).has(vp=moved(side, 2))
        assert TerritoriesCounted(side, (space,), 2) in game.facts
    finished(**having(side, spaces)).has(vp=moved(side, 2 * len(spaces)))


@pytest.mark.parametrize(("side", "own"), [(BR, BRITISH), (FR, FRENCH)])
def test_11_0_own_territories_and_those_empty_at_the_start_bring_nothing(
    side: str, own: tuple[str, ...]
) -> None:
    spaces = (*own, *(space for space in EMPTY if space != "minorca"))
    finished(**having(side, spaces)).has(vp=15)
    finished(**having(side, ("minorca",))).has(vp=moved(side, 2))  # as a prestige space


def test_10_0_flags_of_the_usa_count_for_france() -> None:
    """Two Territories that were British; not San Agustín, nor Québec & Montréal, which was French."""
    usa = dict.fromkeys(("northern_colonies", "carolinas", "san_agustin", "quebec_and_montreal"), USA)
    game = finished(flags=usa).has(vp=19)
    assert only(game, TerritoriesCounted) == [
        TerritoriesCounted(BR, (), 0),
        TerritoriesCounted(FR, ("northern_colonies", "carolinas"), 4),
    ]


def test_12_1_spanish_flags_count_for_no_side() -> None:
    finished(flags=dict.fromkeys(("havana", "santiago", "puerto_principe"), "spain")).has(vp=15)


# --------------------------------------------------------------------------- 4.1.14: the winner


@pytest.mark.parametrize(("vp", "winner"), [(16, FR), (33, FR), (14, BR), (-2, BR)])
def test_4_1_14_the_marker_decides(vp: int, winner: str) -> None:
    game = finished(vp=vp)
    assert game.facts[-1] == Ended(winner, "final_scoring", {BR: 30 - vp, FR: vp})


@pytest.mark.parametrize(("british", "french", "winner"), [(5, 6, FR), (6, 5, BR), (6, 6, BR)])
def test_4_1_14_at_15_more_available_debt_decides_then_britain_wins(
    british: int, french: int, winner: str
) -> None:
    game = finished(limit={BR: 14, FR: 14}, debt={BR: 14 - british, FR: 14 - french}).has(vp=15)
    assert game.facts[-1] == Ended(winner, "final_scoring", {BR: 15, FR: 15})


def test_4_1_14_the_marker_is_looked_at_after_all_of_final_scoring() -> None:
    """16 to begin with, less 2 for prestige: Britain has won."""
    assert isinstance((end := finished(vp=16, br=("biscay",)).facts[-1]), Ended)
    assert end.winner == BR


def test_4_1_14_points_of_final_scoring_do_not_end_it_early() -> None:
    """Britain passes 0 on the way and France comes back above it: nothing is left out."""
    fields: dict[str, Any] = {"vp": 1, "br": ("biscay",), "fr": BRITISH}
    game = finished(**fields).has(vp=11)
    assert len(only(game, GoodScored)) == 6


# --------------------------------------------------------------------------- when it comes


def test_4_1_14_it_comes_after_the_victory_check_of_turn_6_alone() -> None:
    start = table(turn=6, **NO_ROUND)
    given(start, do=(CheckVictory(), Follow())).includes(TurnEnded(6, 15), PrestigeScored(0, 0, None, 0))
    for turn in (1, 2, 3, 4, 5):
        kinds = [type(fact) for fact in given(table(turn=turn, **NO_ROUND), do=CheckVictory()).facts]
        assert kinds == [TurnEnded]


def test_4_1_14_who_has_won_at_the_check_needs_no_final_scoring() -> None:
    game = given(table(turn=6, vp=30, **NO_ROUND), do=(CheckVictory(), Follow()))
    assert [type(fact) for fact in game.facts] == [TurnEnded, Ended]
