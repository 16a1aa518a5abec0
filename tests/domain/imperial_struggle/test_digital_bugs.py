"""What the digital version of 2026 does otherwise in action rounds: the book is followed here (notes, 15)."""

from __future__ import annotations

from typing import Any

from domain.imperial_struggle.components import BR, ECONOMIC, FR, MILITARY, WARS
from domain.imperial_struggle.facts.board import AdvantageUsed, ConflictPlaced
from domain.imperial_struggle.facts.flow import PointsPaid
from domain.imperial_struggle.facts.tracks import DebtSet, LimitSet
from domain.imperial_struggle.points import UNFLAG
from domain.imperial_struggle.rules.board import isolated
from domain.imperial_struggle.steps.rounds import Act, UseAdvantage
from domain.kernel import CHANCE
from domain.piles import Pile
from tests.domain.imperial_struggle.governing import acting, choosing, offered
from tests.domain.imperial_struggle.refusing import refusal
from tests.domain.imperial_struggle.table import major, minor, table
from tests.scenario import given


def test_a_damaged_fort_prevents_isolation() -> None:
    """5.4.1, the note on damaged Forts."""
    flags = {"kurpa": FR, "arcot": FR}
    assert isolated(flags, {}) == ()
    game = acting(BR, fr=("kurpa", "arcot"), damaged=("arcot",))
    assert game.table.round is not None
    assert game.table.round.isolated == ()


def test_mediterranean_intrigue_reaches_sardinia() -> None:
    game = acting(BR, br=("savoy", "spain_prestige_3")).when(BR, "advantage:mediterranean_intrigue")
    game.when(BR, "sardinia").includes(ConflictPlaced("sardinia", 0, "mediterranean_intrigue"))


def test_an_advantage_that_an_event_lets_use_is_neither_exhausted_nor_one_of_the_two() -> None:
    """Events 6 and 33."""
    start = table(seat=FR, fr=("algonquin", "mysore"), in_round={"used": ("wheat",)})
    game = given(start, do=(UseAdvantage(FR, "algonquin_raids", ignores_exhaustion=True), Act(FR)))
    game.when(FR, "york_factory").includes(AdvantageUsed(FR, "algonquin_raids", False)).has(exhausted=())
    assert "advantage:power_struggle" in offered(game, FR)


def test_the_fourth_basic_tile_does_not_leave_the_game() -> None:
    theatres = (theatre.id for theatre in WARS["awi"].theatres)
    front = {FR: dict(zip(theatres, ("fr_two_1", "fr_one_1", "fr_debt_1"), strict=True)), BR: {}}
    in_round = {"tile": "m2_d2_1", "upgrade": True}
    basics = {BR: Pile(), FR: Pile.of(("fr_two_2",))}
    game = acting(FR, turn=5, front=front, basics=basics, in_round=in_round).when(FR, "upgrade")
    game.when(FR, "mysore_war").when(CHANCE, "fr_two_2").asks(FR, "fr_one_1:return", "fr_two_2:return")


def test_no_discards_are_reshuffled_for_a_card_that_is_bought() -> None:
    game = acting(BR, pools=(major("diplomatic", 4),), discards=("hyder_ali", "le_beau_monde"))
    assert refusal(game, BR, "draw") == "book 001, 5.5.3"


def test_a_treaty_point_for_the_upgrade_is_not_for_those_who_pass() -> None:
    game = choosing(BR, turn=6, shown=("e2_d2_1",)).when(BR, "e2_d2_1").when(BR, "pass:0")
    game.has(treaty={BR: 0, FR: 0})


def test_exchanged_points_take_neither_debt_nor_treaty_points() -> None:
    points = (major(MILITARY, 2), minor("diplomatic"))
    start: dict[str, Any] = {"turn": 6, "war": "", "treaty": {BR: 4, FR: 0}, "br": ("antilles_channel",)}
    game = acting(BR, pools=points, **start).when(BR, "exchange:economic")
    assert refusal(game, BR, "flag:antigua") == "book 001, 6.3"


def test_pompadour_earns_nothing_when_a_french_advantage_is_not_used_but_exhausted() -> None:
    """La Gabelle of Britain; the ministry pays for uses."""
    points = (major("diplomatic", 3), minor(ECONOMIC))
    fields: dict[str, Any] = {"fr": ("gibraltar",), "br_hand": ("la_gabelle",), "turn": 5}
    game = acting(BR, "pompadour_and_du_barry", pools=points, in_round={"tile": "d3_e2_1"}, **fields)
    game.when(BR, "event:la_gabelle")
    while game.table.agenda[-1] != Act(BR):
        options = offered(game, BR)
        game.when(BR, "naval_bastion" if "naval_bastion" in options else options[0])
    game.has(exhausted=("naval_bastion",), treaty={BR: 0, FR: 0})


# ── rulings that it records, and that are followed ──


def test_naval_bastion_needs_a_major_action() -> None:
    points = (major(ECONOMIC, 4), minor(MILITARY))
    game = acting(BR, br=("gibraltar",), fr=("biscay",), pools=points)
    assert refusal(game, BR, "advantage:naval_bastion") == "book 001, 5.3.2"
    first = acting(BR, br=("gibraltar",), fr=("biscay",), pools=(major(MILITARY, 2),))
    assert "advantage:naval_bastion" in offered(first, BR)


def test_bank_of_england_raises_the_limit_before_the_tile_is_taken() -> None:
    game = choosing(BR, "bank_of_england", debt={BR: 6, FR: 0}, br=("antilles_channel",), fr=("antigua",))
    game.when(BR, "ability:bank_of_england").includes(LimitSet(BR, 1, 7, "bank_of_england"))
    game.when(BR, "e4_d2_1").when(BR, "unflag:antigua").when(BR, "flag:antigua")
    game.when(BR, "flag:savoy")
    assert game.table.debt[BR] == 6


def test_a_raised_limit_leaves_room_for_another_debt() -> None:
    game = acting(
        BR, limit={BR: 7, FR: 6}, debt={BR: 6, FR: 0}, fr=("savoy",), pools=(major("diplomatic", 1),)
    )
    game.when(BR, "unflag:savoy").includes(
        PointsPaid(BR, UNFLAG, "savoy", "diplomatic", 2, {"major": 1}, False, "europe", 1),
        DebtSet(BR, 1, 7, UNFLAG),
    )
