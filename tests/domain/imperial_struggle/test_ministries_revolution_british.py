"""The British ministries of the Revolution era (19 to 22), ability by ability."""

from __future__ import annotations

from typing import Any

import pytest

from domain.imperial_struggle.components import BR, DIPLOMATIC, ECONOMIC, FR, MILITARY
from domain.imperial_struggle.facts.board import FlagRemoved
from domain.imperial_struggle.facts.cards import (
    AbilityUsed,
    JacobitesDefeated,
    MinistryRevealed,
    TownshendSet,
)
from domain.imperial_struggle.facts.flow import PointsPaid, TurnBegan
from domain.imperial_struggle.facts.tracks import ScoreMoved
from domain.imperial_struggle.points import FLAG, UNFLAG, Payment, Pool
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.flow import ChooseMinistries
from domain.imperial_struggle.steps.rounds import UseAdvantage
from domain.kernel import HIDDEN
from tests.domain.imperial_struggle.governing import (
    abilities,
    acting,
    choosing,
    hidden,
    offered,
    pool,
    scoring,
    total,
    treaties,
)
from tests.domain.imperial_struggle.table import major, minor, table
from tests.scenario import Scenario, given

WATT = "james_watt"
HANOVER = "papacy_hanover_negotiations"
UPRISINGS = "jacobite_uprisings"
IRELAND = ("ireland_alliance", "ireland_prestige")

# ── 19 James Watt ──


def advantage(seat: str, tile: str, **fields: Any) -> Scenario[State]:
    return given(table(seat=seat, turn=5, revealed=(WATT,), **fields), do=UseAdvantage(seat, tile))


def test_watt_gets_a_treaty_point_when_france_exhausts_an_advantage() -> None:
    game = advantage(FR, "algonquin_raids", fr=("algonquin",), br=("albany",)).when(FR, "albany")
    assert treaties(game, WATT) == {BR: 1}


def test_watt_is_paid_once_a_french_round() -> None:
    fields: dict[str, Any] = {"fr": ("denmark_norway", "prussia_alliance_1")}
    assert treaties(advantage(FR, "baltic_trade", **fields), WATT) == {BR: 1}
    again = advantage(FR, "baltic_trade", in_round={"effects": (WATT,)}, **fields)
    assert treaties(again, WATT) == {}


def test_watt_gets_nothing_for_british_advantages() -> None:
    game = advantage(BR, "baltic_trade", br=("denmark_norway", "prussia_alliance_1"))
    assert treaties(game, WATT) == {}


def test_watt_saves_the_points_for_debt_beyond_the_limit() -> None:
    fields: dict[str, Any] = {"br": ("caicos",), "turn": 5, "demand": ("tobacco",), "debt": {BR: 6, FR: 6}}
    assert not [fact for fact in scoring(WATT, **fields).facts if _debt_limit(fact)]
    punished = [fact for fact in scoring(**fields, **hidden(BR, WATT)).facts if _debt_limit(fact)]
    assert [(fact.side, fact.points) for fact in punished if isinstance(fact, ScoreMoved)] == [(FR, 1)]


def _debt_limit(fact: object) -> bool:
    return isinstance(fact, ScoreMoved) and fact.why == "debt_limit"


def test_watt_saves_britain_only() -> None:
    game = scoring(WATT, fr=("caicos",), turn=5, demand=("tobacco",), debt={BR: 6, FR: 6})
    assert [fact for fact in game.facts if _debt_limit(fact)]


# ── 20 Papacy-Hanover Negotiations ──


@pytest.mark.parametrize(
    ("french", "shown", "in_play"),
    [
        ((UPRISINGS, "turgot"), (), True),
        ((UPRISINGS, "turgot"), (UPRISINGS,), True),
        (("lavoisier", "turgot"), ("turgot",), False),
    ],
)
def test_papacy_hanover_removes_the_jacobites_when_revealed(
    french: tuple[str, ...], shown: tuple[str, ...], in_play: bool
) -> None:
    """From the French ministries, open or not, or from those that wait; the round goes on."""
    held = {BR: (HANOVER,), FR: french}
    game = acting(BR, *shown, ministries=held, turn=5).when(BR, f"reveal:{HANOVER}")
    game.then(MinistryRevealed(BR, HANOVER), JacobitesDefeated(in_play))
    left = tuple(card for card in french if card != UPRISINGS)
    game.has(defeated=True, third=False, ministries={BR: (HANOVER,), FR: left})
    assert UPRISINGS not in game.table.revealed


def test_papacy_hanover_removes_the_third_ministry() -> None:
    held = {BR: (HANOVER,), FR: ("turgot", "lavoisier", UPRISINGS)}
    game = choosing(BR, ministries=held, third=True, turn=5)
    game.when(BR, f"reveal:{HANOVER}").has(third=False, defeated=True)
    assert game.table.ministries[FR] == ("turgot", "lavoisier")


def test_papacy_hanover_shows_britain_what_lay_face_down() -> None:
    """The British view of the French ministries loses a hidden card."""
    seen = table(turn=5, ministries={BR: (HANOVER,), FR: (HIDDEN, HIDDEN)})
    assert JacobitesDefeated(True).apply(seen).ministries[FR] == (HIDDEN,)


def test_papacy_hanover_finds_defeated_jacobites_gone() -> None:
    game = acting(BR, turn=5, defeated=True, **hidden(BR, HANOVER)).when(BR, f"reveal:{HANOVER}")
    game.then(MinistryRevealed(BR, HANOVER))


def test_defeated_jacobites_are_not_chosen_again() -> None:
    game = given(table(turn=6, defeated=True), do=ChooseMinistries((FR,)))
    assert UPRISINGS not in offered(game, FR)


def envoys(*tile: Pool, **fields: Any) -> Scenario[State]:
    fields.setdefault("turn", 5)
    return acting(BR, HANOVER, pools=tile or (major(DIPLOMATIC, 2),), **fields)


def test_papacy_hanover_adds_2_points_for_scotland_and_ireland() -> None:
    game = envoys(fr=("scotland_prestige",)).when(BR, f"ability:{HANOVER}")
    game.includes(AbilityUsed(BR, HANOVER, True))
    assert pool(game, HANOVER).points == 2
    game.when(BR, "unflag:scotland_prestige").then(
        PointsPaid(
            BR, UNFLAG, "scotland_prestige", DIPLOMATIC, 3, {HANOVER: 2, "major": 1}, False, "europe", 0
        ),
        FlagRemoved(FR, "scotland_prestige"),
    )


def test_papacy_hanovers_points_pay_nowhere_else() -> None:
    game = envoys(debt={BR: 6, FR: 0}).when(BR, f"ability:{HANOVER}")
    assert "flag:russia" not in offered(game, BR)
    assert "flag:ireland_prestige" in offered(game, BR)


def test_papacy_hanovers_points_keep_the_limits_of_a_minor_action() -> None:
    game = envoys(major(ECONOMIC, 4), minor(DIPLOMATIC), fr=("ireland_prestige",))
    game.when(BR, f"ability:{HANOVER}").refuses(BR, "unflag:ireland_prestige")
    game.when(BR, "flag:scotland_prestige").refuses(BR, "flag:scotland_alliance")


def test_papacy_hanovers_points_need_a_diplomatic_action() -> None:
    assert abilities(envoys(major(MILITARY, 4), minor(ECONOMIC)), BR) == set()
    exchanged = Pool("exchange_diplomatic", DIPLOMATIC, "exchange", 1)
    assert abilities(envoys(major(MILITARY, 4), minor(ECONOMIC), exchanged, turn=6), BR) == set()


# ── 21 Townshend Acts ──


def taxing(**fields: Any) -> Scenario[State]:
    fields.setdefault("demand", ("furs", "sugar", "cotton"))
    return choosing(BR, "townshend_acts", turn=5, **fields)


def test_townshend_acts_mark_a_good_in_demand_before_the_tile() -> None:
    game = taxing().when(BR, "ability:townshend_acts").then(AbilityUsed(BR, "townshend_acts", True))
    game.asks(BR, "furs", "sugar", "cotton").when(BR, "sugar").then(TownshendSet("sugar"))
    game.has(townshend="sugar")
    assert abilities(game, BR) == set()


def test_option_townshend_goods_allows_every_good() -> None:
    game = taxing(options={"townshend_goods": "any"}).when(BR, "ability:townshend_acts")
    game.asks(BR, "furs", "spice", "fish", "tobacco", "sugar", "cotton")


@pytest.mark.parametrize(("acted", "usable"), [(False, {"townshend_acts"}), (True, set())])
def test_townshend_acts_come_at_the_start_of_the_round(acted: bool, usable: set[str]) -> None:
    game = acting(BR, "townshend_acts", turn=5, demand=("furs",), in_round={"acted": acted})
    assert abilities(game, BR) == usable


def taxed(*tile: Pool, **fields: Any) -> Scenario[State]:
    """Santiago is a French Sugar market, Cayman Passage a Tobacco market with a chain to Louisiana."""
    french = ("santiago", "cayman_passage", "st_james", "louisiana")
    return acting(BR, "townshend_acts", turn=5, br=("jamaica",), fr=french, pools=tile, **fields)


def test_townshend_acts_let_a_minor_action_remove_flags_from_markets_of_the_good() -> None:
    game = taxed(major(MILITARY, 4), minor(ECONOMIC), townshend="tobacco")
    game.refuses(BR, "unflag:santiago").when(BR, "unflag:cayman_passage")
    game.then(
        PointsPaid(BR, UNFLAG, "cayman_passage", ECONOMIC, 2, {"minor": 2}, True, "caribbean", 0),
        FlagRemoved(FR, "cayman_passage"),
    )


def test_townshend_acts_do_not_help_without_the_marker_nor_france() -> None:
    taxed(major(MILITARY, 4), minor(ECONOMIC)).refuses(BR, "unflag:cayman_passage")
    fields: dict[str, Any] = {"fr": ("louisiana",), "br": ("st_james",), "townshend": "tobacco", "turn": 5}
    game = acting(FR, "townshend_acts", pools=(major(MILITARY, 4), minor(ECONOMIC)), **fields)
    game.refuses(FR, "unflag:st_james")


def test_the_townshend_marker_leaves_with_the_turn() -> None:
    assert TurnBegan(6, "revolution").apply(table(turn=5, townshend="sugar")).townshend == ""


# ── 22 Edmund Burke ──


def burke(*, br: tuple[str, ...] = IRELAND, **fields: Any) -> Scenario[State]:
    fields.setdefault("pools", (major(DIPLOMATIC, 2), minor(ECONOMIC)))
    fields.setdefault("debt", {BR: 6, FR: 0})
    return acting(BR, "edmund_burke", turn=5, br=br, **fields)


def test_burke_adds_a_point_in_europe_for_each_space_of_ireland() -> None:
    game = burke().when(BR, "flag:russia")
    game.includes(
        PointsPaid(BR, FLAG, "russia", DIPLOMATIC, 3, {"major": 2, "edmund_burke": 1}, False, "europe", 0)
    )
    game.refuses(BR, "flag:sweden")
    assert "flag:russia" not in offered(burke(br=()), BR)


def test_burke_leaves_a_conflicted_space_of_ireland_out() -> None:
    one = (major(DIPLOMATIC, 1),)
    assert "flag:russia" in offered(burke(pools=one), BR)
    troubled = burke(pools=one, conflicts={"ireland_alliance": 0})
    assert "flag:russia" not in offered(troubled, BR)
    assert "flag:savoy" in offered(troubled, BR)


def test_a_point_of_burke_keeps_the_major_points_of_the_round_in_europe() -> None:
    """Ruling: the tile's own points are spent first, so that a player is bound no earlier than necessary."""
    free = burke(pools=(major(DIPLOMATIC, 5), minor(ECONOMIC))).when(BR, "flag:savoy")
    free.includes(
        PointsPaid(BR, FLAG, "savoy", DIPLOMATIC, 2, {"major": 2}, False, "europe", 0),
    )
    assert "flag:algonquin" in offered(free, BR)
    bound = burke(pools=(major(DIPLOMATIC, 1), minor(ECONOMIC)), debt={BR: 0, FR: 0})
    bound.when(BR, "flag:savoy").refuses(BR, "flag:algonquin")


def test_major_points_spent_elsewhere_leave_burke_out() -> None:
    elsewhere = {"payments": (Payment(DIPLOMATIC, "india", False),)}
    assert "flag:savoy" not in offered(burke(in_round=elsewhere, pools=(major(DIPLOMATIC, 1),)), BR)
    by_minor = {"payments": (Payment(DIPLOMATIC, "india", True),)}
    assert "flag:savoy" in offered(burke(in_round=by_minor, pools=(major(DIPLOMATIC, 1),)), BR)


def test_burke_counts_a_space_of_ireland_at_once() -> None:
    game = burke(br=(), pools=(major(DIPLOMATIC, 3),)).when(BR, "flag:ireland_prestige")
    assert "flag:savoy" not in offered(game, BR)
    game = burke(br=("ireland_alliance",), pools=(major(DIPLOMATIC, 3),)).when(BR, "flag:ireland_prestige")
    game.when(BR, "flag:savoy").includes(
        PointsPaid(BR, FLAG, "savoy", DIPLOMATIC, 2, {"edmund_burke": 2}, False, "europe", 0)
    )


def test_burke_adds_nothing_to_a_minor_action() -> None:
    game = burke(pools=(major(ECONOMIC, 4), minor(DIPLOMATIC)))
    assert {"flag:savoy", "flag:russia"} & set(offered(game, BR)) == {"flag:savoy"}


def test_burke_shifts_sons_of_liberty_and_the_usa_for_1_less() -> None:
    s = table(fr=("usa_prestige_3",), flags={"acadia": "usa"}, turn=6, revealed=("edmund_burke",), pools=())
    assert total(s, BR, FLAG, "sons_of_liberty") == 2
    assert total(s, BR, FLAG, "usa_prestige_2") == 1
    assert total(s, BR, UNFLAG, "usa_prestige_3") == 2
    assert total(s, FR, FLAG, "sons_of_liberty") == 3
