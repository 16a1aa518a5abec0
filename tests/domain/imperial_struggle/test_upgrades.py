"""The military upgrade (5.3.3), on turn 6, and with military planning (12.2)."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from domain.imperial_struggle.components import BR, DIPLOMATIC, ECONOMIC, FR, WARS
from domain.imperial_struggle.facts.flow import TileTaken, UpgradeUsed
from domain.imperial_struggle.facts.tracks import TreatySet
from domain.imperial_struggle.facts.wars import BasicKept, BasicRemoved, BasicsDrawn, BasicsSwapped
from domain.imperial_struggle.state import State
from domain.kernel import CHANCE, HIDDEN, fold
from domain.piles import Pile
from tests.domain.imperial_struggle.governing import acting, choosing, offered
from tests.domain.imperial_struggle.refusing import refusal
from tests.domain.imperial_struggle.table import major, minor
from tests.scenario import Scenario

LAID = {"central_europe": "br_two_1", "spain": "br_unflag_1", "queen_annes_war": "br_one_1"}
DISPLAY = {BR: {**LAID, "jacobite_rebellion": "br_debt_1"}, FR: {}}


def upgrading(pool: tuple[str, ...] = ("br_two_2", "br_strike_1"), **fields: Any) -> Scenario[State]:
    """Britain has a tile with an upgrade, four Basic tiles on the display and these in its pool."""
    fields.setdefault("front", DISPLAY)
    in_round = {"tile": "e2_d2_1", "upgrade": True}
    points = (major(ECONOMIC, 2), minor(DIPLOMATIC))
    basics = {BR: Pile.of(pool), FR: Pile()}
    return acting(BR, pools=points, in_round=in_round, basics=basics, **fields)


def test_an_upgrade_names_a_theatre_and_draws_a_basic_tile() -> None:
    game = upgrading().when(BR, "upgrade").then(UpgradeUsed(BR)).asks(BR, *DISPLAY[BR])
    game.when(BR, "spain").asks(CHANCE, "br_two_2", "br_strike_1").when(CHANCE, "br_two_2")
    game.then(BasicsDrawn(BR, ("br_two_2",)))
    game.asks(BR, "br_unflag_1:return", "br_unflag_1:remove", "br_two_2:return", "br_two_2:remove")


def test_the_new_tile_may_stay_and_the_old_one_return_to_the_pool() -> None:
    game = (
        upgrading().when(BR, "upgrade").when(BR, "spain").when(CHANCE, "br_two_2").when(BR, "br_two_2:return")
    )
    game.then(BasicKept(BR, "spain", "br_two_2", "br_unflag_1"))
    assert game.table.front[BR]["spain"] == "br_two_2"
    assert game.table.basics[BR] == Pile.of(("br_strike_1", "br_unflag_1"))
    assert (game.table.gone, game.table.drawn[BR]) == ((), ())


def test_the_old_tile_may_stay_and_the_new_one_leave_the_game_openly() -> None:
    game = upgrading().when(BR, "upgrade").when(BR, "spain").when(CHANCE, "br_two_2")
    game.when(BR, "br_unflag_1:remove").then(BasicRemoved(BR, "spain", "br_unflag_1", "br_two_2"))
    assert game.table.front[BR]["spain"] == "br_unflag_1"
    assert (game.table.gone, game.table.basics[BR]) == (("br_two_2",), Pile.of(("br_strike_1",)))


def test_an_upgrade_is_used_once_and_only_where_the_tile_shows_it() -> None:
    game = (
        upgrading().when(BR, "upgrade").when(BR, "spain").when(CHANCE, "br_two_2").when(BR, "br_two_2:return")
    )
    assert refusal(game, BR, "upgrade") == "book 001, 5.3.3"
    assert refusal(acting(BR), BR, "upgrade") == "book 001, 5.3.3"


def test_without_a_tile_in_the_pool_there_is_no_upgrade() -> None:
    assert refusal(upgrading(pool=()), BR, "upgrade") == "book 001, 5.3.3"


def test_an_upgrade_comes_before_between_or_after_the_actions() -> None:
    game = upgrading(br=("antilles_channel",)).when(BR, "flag:antigua").when(BR, "upgrade").when(BR, "spain")
    game.when(CHANCE, "br_two_2").when(BR, "br_two_2:return")
    assert {"flag:savoy", "end"} <= set(offered(game, BR))


# ── the minimum of four Basic tiles ──


@pytest.mark.parametrize(
    ("pool", "fates"), [(("br_two_2",), {"return"}), (("br_two_2", "br_two_3"), {"return", "remove"})]
)
def test_four_basic_tiles_stay_in_the_game(pool: tuple[str, ...], fates: set[str]) -> None:
    """With three on the display of the American War the tile in question would be the fourth."""
    theatres = (theatre.id for theatre in WARS["awi"].theatres)
    front = {BR: dict(zip(theatres, ("br_two_1", "br_unflag_1", "br_one_1"), strict=True)), FR: {}}
    game = upgrading(pool, turn=5, front=front).when(BR, "upgrade").when(BR, "mysore_war")
    game.when(CHANCE, "br_two_2")
    game.asks(BR, *(f"{tile}:{fate}" for tile in ("br_unflag_1", "br_two_2") for fate in fates))


# ── what the opponent sees ──


def test_the_opponent_sees_only_what_leaves_the_game() -> None:
    drawn, kept = BasicsDrawn(BR, ("br_two_2",)), BasicKept(BR, "spain", "br_two_2", "br_unflag_1")
    assert drawn.seen_by(FR) == BasicsDrawn(BR, (HIDDEN,))
    assert kept.seen_by(FR) == kept.seen_by(None) == BasicKept(BR, "spain", HIDDEN, HIDDEN)
    removed = BasicRemoved(BR, "spain", "br_two_2", "br_unflag_1")
    assert removed.seen_by(FR) == BasicRemoved(BR, "spain", HIDDEN, "br_unflag_1")


def test_the_opponents_table_follows_an_upgrade() -> None:
    """The possible tiles of the pool and of the display are the same set before and after."""
    hidden = {BR: dict.fromkeys(DISPLAY[BR], HIDDEN), FR: {}}
    known = Pile(("br_debt_1", "br_one_1", "br_strike_1", "br_two_1", "br_two_2", "br_unflag_1"), 2)
    seen = replace(upgrading(front=hidden).table, basics={BR: known, FR: Pile()}, agenda=())
    kept = (BasicsDrawn(BR, ("br_two_2",)), BasicKept(BR, "spain", "br_two_2", "br_unflag_1"))
    after = fold(seen, [fact.seen_by(FR) for fact in kept])
    assert (after.basics[BR], after.front[BR]["spain"]) == (known, HIDDEN)
    removed = (kept[0], BasicRemoved(BR, "spain", "br_two_2", "br_unflag_1"))
    after = fold(seen, [fact.seen_by(FR) for fact in removed])
    assert (after.basics[BR].size, "br_unflag_1" in after.basics[BR].cards) == (1, False)


# ── turn 6 ──


def test_on_turn_6_an_upgrade_is_a_treaty_point() -> None:
    game = upgrading(turn=6, front={BR: {}, FR: {}}, pool=()).when(BR, "upgrade")
    game.then(UpgradeUsed(BR), TreatySet(BR, 1, 1, "upgrade"))
    assert refusal(game, BR, "upgrade") == "book 001, 5.3.3"
    game.when(BR, "flag:austria_prestige_upper").when(BR, "minor:1").includes(TreatySet(BR, -1, 0, "flag"))


@pytest.mark.parametrize(
    ("reading", "facts", "passed"), [("used", (), 0), ("taken", (TreatySet(FR, 1, 1, "upgrade"),), 1)]
)
def test_option_last_upgrade_says_whether_who_passes_has_the_treaty_point(
    reading: str, facts: tuple[TreatySet, ...], passed: int
) -> None:
    game = choosing(FR, turn=6, shown=("e2_d2_1",), options={"last_upgrade": reading}).when(FR, "e2_d2_1")
    game.then(TileTaken(FR, "e2_d2_1", (major(ECONOMIC, 2), minor(DIPLOMATIC)), reading == "used"), *facts)
    assert ("upgrade" in offered(game, FR)) == (reading == "used")
    game.when(FR, "pass:0")
    assert game.table.treaty[FR] == passed


# ── 12.2 ──


def test_12_2_two_basic_tiles_of_the_display_may_be_swapped_instead() -> None:
    game = upgrading(options={"planned_upgrades": True}).when(BR, "upgrade").asks(BR, *DISPLAY[BR], "swap")
    game.when(BR, "swap").asks(BR, *DISPLAY[BR]).refuses(BR, "spain").refuses(BR, "spain", "spain")
    game.when(BR, "central_europe", "spain").then(BasicsSwapped(BR, ("central_europe", "spain")))
    assert game.table.front[BR]["spain"] == "br_two_1"
    assert game.table.front[BR]["central_europe"] == "br_unflag_1"


def test_12_2_tiles_are_swapped_even_with_an_empty_pool() -> None:
    game = upgrading(options={"planned_upgrades": True}, pool=()).when(BR, "upgrade")
    game.asks(BR, "swap")


def test_12_2_the_opponent_learns_which_theatres_but_no_tile() -> None:
    fact = BasicsSwapped(BR, ("central_europe", "spain"))
    assert fact.seen_by(FR) == fact
    assert upgrading().refuses(BR, "swap")
