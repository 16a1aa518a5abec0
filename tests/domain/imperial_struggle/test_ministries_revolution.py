"""The French ministries of the Revolution era (23 to 26), ability by ability."""

from __future__ import annotations

from typing import Any

import pytest

from domain.imperial_struggle.components import BR, DIPLOMATIC, ECONOMIC, FR, MILITARY
from domain.imperial_struggle.facts.board import HuguenotsTurned
from domain.imperial_struggle.facts.cards import AbilityUsed, EventPlayed, MinistryRevealed
from domain.imperial_struggle.facts.flow import (
    EffectBegan,
    PointsGranted,
    PointsPaid,
    PointsRaised,
    RoundBegan,
)
from domain.imperial_struggle.facts.tracks import DebtSet
from domain.imperial_struggle.points import FLAG, Pool
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.rounds import Act, TakeTile
from tests.domain.imperial_struggle.governing import (
    acting,
    hidden,
    offered,
    pools,
)
from tests.domain.imperial_struggle.table import major, minor, table
from tests.scenario import Scenario, given

TRADE = "north_american_trade"

# ── 23 Turgot ──


def turgot(**fields: Any) -> Scenario[State]:
    fields.setdefault("pools", (major(DIPLOMATIC, 1),))
    fields.setdefault("debt", {BR: 3, FR: 0})
    return acting(FR, "turgot", turn=5, **fields)


def test_turgots_first_debt_of_a_round_is_worth_2_points() -> None:
    game = turgot().when(FR, "flag:russia")
    game.includes(
        PointsPaid(FR, FLAG, "russia", DIPLOMATIC, 3, {"major": 1}, False, "europe", 1),
        DebtSet(FR, 1, 1, FLAG),
    )
    game.when(FR, "flag:spain_prestige_2").includes(DebtSet(FR, 2, 3, FLAG))


def test_turgots_point_that_is_left_has_the_type_of_the_debt() -> None:
    game = turgot().when(FR, "flag:sweden").includes(DebtSet(FR, 1, 1, FLAG))
    game.includes(PointsGranted(FR, Pool("turgot", DIPLOMATIC, "extra", 1)))
    game.when(FR, "flag:savoy").includes(
        PointsPaid(FR, FLAG, "savoy", DIPLOMATIC, 2, {"turgot": 1}, False, "europe", 1)
    )


@pytest.mark.parametrize(
    ("french", "option", "debts"),
    [(2, "after", 2), (2, "before", 1), (1, "after", 1), (3, "before", 2), (3, "after", 2)],
)
def test_option_turgot_compares_before_or_after_the_debt(french: int, option: str, debts: int) -> None:
    """Britain has 3 Available Debt; France needs more."""
    game = turgot(debt={BR: 3, FR: french}, options={"turgot": option}).when(FR, "flag:russia")
    game.includes(DebtSet(FR, debts, french + debts, FLAG))


def test_turgot_face_down_or_british_adds_nothing() -> None:
    fields: dict[str, Any] = {"pools": (major(DIPLOMATIC, 1),), "turn": 5}
    game = acting(FR, debt={BR: 3, FR: 0}, **fields, **hidden(FR, "turgot")).when(FR, "flag:russia")
    game.includes(DebtSet(FR, 2, 2, FLAG))
    game = acting(BR, "turgot", debt={BR: 0, FR: 3}, **fields).when(BR, "flag:russia")
    game.includes(DebtSet(BR, 2, 2, FLAG))


# ── 24 North American Trade ──

MORE_FURS = ("quebec_and_montreal", "cataraqui", "gulf_of_st_lawrence")


def trading(*tile: Pool, taken: str = "e4_d2_1", **fields: Any) -> Scenario[State]:
    """The ministry is revealed in a round whose tile has been taken."""
    fields.setdefault("fr", MORE_FURS)
    fields.setdefault("br", ("northern_colonies", "massachusetts_bay"))
    in_round = {"tile": taken, **fields.pop("in_round", {})}
    points = tile or (major(ECONOMIC, 4), minor(DIPLOMATIC))
    game = acting(FR, turn=5, pools=points, in_round=in_round, **fields, **hidden(FR, TRADE))
    return game.when(FR, f"reveal:{TRADE}")


def test_north_american_trade_adds_1_to_a_major_economic_action() -> None:
    trading().then(MinistryRevealed(FR, TRADE), EffectBegan(FR, TRADE), PointsRaised(FR, "major", 1, TRADE))


def test_north_american_trade_adds_1_to_a_minor_economic_action() -> None:
    game = trading(major(MILITARY, 4), minor(ECONOMIC), taken="m4_e2_1")
    assert pools(game) == {"major": 4, "minor": 3}


@pytest.mark.parametrize(
    "fields",
    [
        {"br": ("northern_colonies", "massachusetts_bay", "hudson_valley")},
        {"conflicts": {"cataraqui": 0}},
        {"fr": ("st_domingue", "port_de_paix", "caicos"), "br": ()},
    ],
)
def test_north_american_trade_needs_more_furs_and_fish_that_count(fields: dict[str, Any]) -> None:
    game = trading(**fields)
    assert pools(game) == {"major": 4, "minor": 2}


def test_north_american_trade_looks_at_the_start_of_the_round() -> None:
    start = {"cataraqui": FR, "gulf_of_st_lawrence": FR, "massachusetts_bay": BR}
    lost: dict[str, Any] = {"fr": (), "br": ("massachusetts_bay",), "in_round": {"at_start": start}}
    assert pools(trading(**lost))["major"] == 5
    troubled: dict[str, Any] = {"in_round": {"troubled": ("cataraqui",)}}
    assert pools(trading(**troubled))["major"] == 4
    later: dict[str, Any] = {"conflicts": {"cataraqui": 0}, "in_round": {"troubled": ()}}
    assert pools(trading(**later))["major"] == 5


def test_the_start_of_a_round_notes_the_conflict_markers() -> None:
    s = RoundBegan(FR, 3, ()).apply(table(conflicts={"cataraqui": 0, "antigua": 1}))
    assert s.round is not None
    assert s.round.troubled == ("cataraqui", "antigua")


def test_north_american_trade_adds_only_once() -> None:
    held: dict[str, Any] = {"ministries": {BR: (), FR: (TRADE, "turgot")}, "revealed": (TRADE,)}
    start = table(fr=MORE_FURS, seat=FR, turn=5, shown=("e4_d2_1",), in_round={"tile": ""}, **held)
    game = given(start, do=TakeTile(FR))
    game.when(FR, "e4_d2_1").includes(PointsRaised(FR, "major", 1, TRADE))
    game.when(FR, "reveal:turgot").then(MinistryRevealed(FR, "turgot"))


def test_north_american_trade_adds_to_an_economic_action_that_an_event_opens() -> None:
    tile = (major(MILITARY, 3), minor(DIPLOMATIC))
    game = acting(
        FR,
        TRADE,
        "lavoisier",
        fr=MORE_FURS,
        turn=5,
        fr_hand=("wealth_of_nations",),
        pools=tile,
        in_round={"tile": "m3_d2_1"},
    )
    game.when(FR, "event:wealth_of_nations").includes(PointsRaised(FR, "wealth_of_nations", 1, TRADE))
    assert pools(game) == {"major": 4, "minor": 3, "wealth_of_nations": 4}


def test_north_american_trade_leaves_the_points_of_an_event_alone_where_the_tile_has_the_action() -> None:
    event = Pool("cook_and_bougainville", ECONOMIC, "event", 2)
    game = trading(major(ECONOMIC, 3), minor(MILITARY), event, taken="e3_m2_1")
    assert pools(game) == {"major": 4, "minor": 2, "cook_and_bougainville": 2}
    spent = trading(major(MILITARY, 3), event, taken="m3_e2_1")  # its Minor action is over
    assert pools(spent) == {"major": 3, "cook_and_bougainville": 2}


def test_north_american_trade_turns_the_huguenots_back_when_revealed() -> None:
    game = trading(fr=(), huguenots={"acadia": False, "louisiana": True, "guadeloupe": False})
    game.then(
        MinistryRevealed(FR, TRADE), HuguenotsTurned("acadia", True), HuguenotsTurned("guadeloupe", True)
    )
    game.has(huguenots={"acadia": True, "louisiana": True, "guadeloupe": True})


# ── 25 Marquis de Condorcet ──


def condorcet(taken: str = "d4_e2_1", **fields: Any) -> Scenario[State]:
    fields.setdefault("fr_hand", ("wealth_of_nations", "la_gabelle", "debt_crisis"))
    tile = (major(DIPLOMATIC, 4), minor(ECONOMIC))
    return acting(FR, "marquis_de_condorcet", turn=5, pools=tile, in_round={"tile": taken}, **fields)


def events(game: Scenario[State]) -> set[str]:
    return {pick.partition(":")[2] for pick in offered(game, FR) if pick.startswith("event:")}


def test_condorcet_plays_an_event_without_the_symbol_whose_type_fits_the_tile() -> None:
    game = condorcet()
    assert events(game) == {"wealth_of_nations", "la_gabelle"}
    game.when(FR, "event:wealth_of_nations").includes(
        AbilityUsed(FR, "marquis_de_condorcet", True), EventPlayed(FR, "wealth_of_nations", False)
    )
    assert events(game) == set()


def test_condorcet_is_not_needed_with_the_symbol() -> None:
    game = condorcet("d3_e2_1").when(FR, "event:wealth_of_nations")
    assert game.table.exhausted == ()


def test_condorcet_plays_once_a_turn_and_before_anything_else_of_the_round() -> None:
    assert events(condorcet(exhausted=("marquis_de_condorcet",))) == set()
    assert events(condorcet().when(FR, "flag:sweden")) == set()


def test_condorcet_serves_france_only() -> None:
    game = acting(BR, "marquis_de_condorcet", turn=5, br_hand=("wealth_of_nations",))
    game.refuses(BR, "event:wealth_of_nations")


# ── 26 Lavoisier ──


def lavoisier(card: str, *ministries: str, **fields: Any) -> Scenario[State]:
    tile = (major(DIPLOMATIC, 3), minor(MILITARY))
    game = acting(
        FR, *ministries, turn=6, fr_hand=(card,), pools=tile, in_round={"tile": "d3_m2_1"}, **fields
    )
    return game.when(FR, f"event:{card}")


def test_lavoisier_raises_both_actions_of_the_tile_but_not_the_points_of_the_event() -> None:
    """The reference book's complex action round: 3 + 2 become 4 + 3."""
    game = lavoisier("wealth_of_nations", "lavoisier")
    game.includes(
        EventPlayed(FR, "wealth_of_nations", True),
        EffectBegan(FR, "lavoisier"),
        PointsRaised(FR, "major", 1, "lavoisier"),
        PointsRaised(FR, "minor", 1, "lavoisier"),
    )
    assert pools(game) == {"major": 4, "minor": 3, "wealth_of_nations": 3}


def test_lavoisier_raises_nothing_without_the_bonus_or_the_event() -> None:
    assert pools(lavoisier("jesuit_abolition", "lavoisier")) == {"major": 3, "minor": 2}
    assert pools(acting(FR, "lavoisier", pools=(major(MILITARY, 4),))) == {"major": 4}


def test_lavoisier_may_be_revealed_after_the_bonus_was_received() -> None:
    game = lavoisier("wealth_of_nations", **hidden(FR, "lavoisier", "voltaire"))
    assert pools(game) == {"major": 3, "minor": 2}  # no keyword was open, so there was no bonus
    game.when(FR, "reveal:lavoisier").then(MinistryRevealed(FR, "lavoisier"))

    held: dict[str, Any] = {"ministries": {BR: (), FR: ("lavoisier", "voltaire")}, "revealed": ("voltaire",)}
    start = table(
        seat=FR,
        turn=6,
        fr_hand=("wealth_of_nations",),
        pools=(major(DIPLOMATIC, 3), minor(MILITARY)),
        in_round={"tile": "d3_m2_1"},
        **held,
    )
    late = given(start, do=Act(FR)).when(FR, "event:wealth_of_nations").when(FR, "reveal:lavoisier")
    assert pools(late) == {"major": 4, "minor": 3, "wealth_of_nations": 3}


def test_lavoisier_adds_once() -> None:
    game = lavoisier("wealth_of_nations", "lavoisier", ministries={BR: (), FR: ("lavoisier", "turgot")})
    game.when(FR, "reveal:turgot").then(MinistryRevealed(FR, "turgot"))
