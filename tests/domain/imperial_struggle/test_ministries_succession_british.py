"""The British ministries of the Succession era (5 to 8, 10), ability by ability."""

from __future__ import annotations

from typing import Any

import pytest

from domain.imperial_struggle.components import BR, DIPLOMATIC, ECONOMIC, FR, MILITARY, NAVY_BOX, UNBUILT
from domain.imperial_struggle.facts.board import FlagRemoved, SquadronMoved
from domain.imperial_struggle.facts.cards import (
    AbilityUsed,
    CardDiscarded,
    CardsDealt,
    DiscardsReshuffled,
    EventPlayed,
)
from domain.imperial_struggle.facts.flow import PointsPaid
from domain.imperial_struggle.facts.tracks import LimitSet, ScoreMoved, TreatySet
from domain.imperial_struggle.points import CONSTRUCT, FLAG, UNFLAG
from domain.imperial_struggle.state import State
from domain.kernel import CHANCE, HIDDEN
from tests.domain.imperial_struggle.governing import (
    abilities,
    acting,
    choosing,
    hidden,
    offered,
    scored,
    scoring,
    total,
)
from tests.domain.imperial_struggle.table import major, minor, table
from tests.scenario import Scenario

LETTERS = "edmond_halley.letters"

# ── 5 Robert Walpole ──


def test_walpole_draws_a_card_before_the_tile_and_discards_one() -> None:
    held = ("tropical_diseases", "calico_acts")
    game = choosing(BR, "robert_walpole", deck=("tax_reform",), br_hand=held)
    game.when(BR, "ability:robert_walpole").then(AbilityUsed(BR, "robert_walpole", True))
    game.when(CHANCE, "tax_reform").then(CardsDealt(BR, ("tax_reform",)))
    game.asks(BR, *held, "tax_reform").when(BR, "calico_acts")
    game.then(CardDiscarded(BR, "calico_acts", "robert_walpole"))
    game.has(hands={BR: ("tax_reform", "tropical_diseases"), FR: ()}, discards=("calico_acts",))
    assert set(offered(game, BR)) == {"e4_d2_1", "m4_d2_1"}


def test_walpole_may_discard_the_drawn_card_and_only_that_one_is_shown() -> None:
    game = acting(BR, "robert_walpole", deck=("tax_reform",), in_round={"acted": True})
    game.when(BR, "ability:robert_walpole").when(CHANCE, "tax_reform")
    assert game.facts[0].seen_by(FR) == CardsDealt(BR, (HIDDEN,))
    game.when(BR, "tax_reform")
    assert game.facts[0].seen_by(FR) == CardDiscarded(BR, "tax_reform", "robert_walpole")


def test_walpole_draws_nothing_from_an_empty_pile() -> None:
    """5.5.3: there is no reshuffling for a single card, unless the match says so."""
    fields: dict[str, Any] = {"br_hand": ("calico_acts",), "discards": ("tax_reform",)}
    assert abilities(choosing(BR, "robert_walpole", **fields), BR) == set()
    game = choosing(BR, "robert_walpole", options={"card_draw": "reshuffle"}, **fields)
    game.when(BR, "ability:robert_walpole").includes(DiscardsReshuffled(1))
    game.when(CHANCE, "tax_reform").asks(BR, "calico_acts", "tax_reform")


# ── 6 Jonathan Swift ──


def test_swift_places_flags_in_ireland_and_scotland_for_1_less() -> None:
    s = table(fr=("ireland_alliance",), revealed=("jonathan_swift",), pools=(major(DIPLOMATIC, 4),))
    assert total(s, BR, FLAG, "ireland_prestige") == 2
    assert total(s, BR, FLAG, "scotland_alliance") == 1
    assert total(s, BR, FLAG, "sweden") == 2
    assert total(s, BR, UNFLAG, "ireland_alliance") == 2
    assert total(s, FR, FLAG, "scotland_alliance") == 2


def satirist(*, br: tuple[str, ...] = ("ireland_prestige",), **fields: Any) -> Scenario[State]:
    tile = (major(ECONOMIC, 4), minor(DIPLOMATIC))
    return acting(BR, "jonathan_swift", br=br, fr=("sweden", "savoy", "algonquin"), pools=tile, **fields)


def test_swift_removes_french_flags_of_europe_with_the_minor_action() -> None:
    game = satirist().refuses(BR, "unflag:algonquin")
    game.when(BR, "unflag:sweden").then(
        PointsPaid(BR, UNFLAG, "sweden", DIPLOMATIC, 2, {"minor": 2}, True, "europe", 0),
        FlagRemoved(FR, "sweden"),
    )
    game.refuses(BR, "unflag:savoy")


@pytest.mark.parametrize("fields", [{"br": ("scotland_prestige",)}, {"conflicts": {"ireland_prestige": 0}}])
def test_swift_needs_a_space_of_ireland_that_counts(fields: dict[str, Any]) -> None:
    satirist(**fields).refuses(BR, "unflag:sweden")


# ── 7 East India Company ──

TRADE = ("tiruchirappalli", "west_bengal", "hudson_bay", "puerto_rico")  # textiles, silk, fur trade, rum


@pytest.mark.parametrize(("count", "points"), [(1, 1), (2, 2), (3, 3), (4, 3)])
def test_east_india_company_scores_its_advantages_up_to_3(count: int, points: int) -> None:
    game = scoring("east_india_company", br=TRADE[:count])
    assert scored(game, "east_india_company") == {BR: points}


def test_east_india_company_scores_five_advantages_and_no_others() -> None:
    assert scored(scoring("east_india_company", br=("san_agustin",)), "east_india_company") == {BR: 1}
    assert scored(scoring("east_india_company", br=("chesapeake", "asiento")), "east_india_company") == {}
    assert scored(scoring("east_india_company", fr=("san_agustin",)), "east_india_company") == {}


def test_east_india_company_leaves_out_what_is_exhausted_or_conflicted() -> None:
    game = scoring("east_india_company", br=TRADE[:3], exhausted=("silk",), conflicts={"tiruchirappalli": 0})
    assert scored(game, "east_india_company") == {BR: 1}


def test_east_india_company_scores_after_global_demand() -> None:
    game = scoring("east_india_company", br=("tiruchirappalli",), demand=("spice",))
    reasons = [fact.why for fact in game.facts if isinstance(fact, ScoreMoved)]
    assert reasons.index("spice") < reasons.index("east_india_company")


# ── 8 Bank of England ──


def test_bank_of_england_raises_the_limit_for_good_before_or_after_the_tile() -> None:
    raised = LimitSet(BR, 1, 7, "bank_of_england")
    for game in (choosing(BR, "bank_of_england"), acting(BR, "bank_of_england")):
        game.when(BR, "ability:bank_of_england").includes(raised)
        assert abilities(game, BR) == set()


def banker(tile: str = "d3_e2_1", **fields: Any) -> Scenario[State]:
    fields.setdefault("br_hand", ("tax_reform", "great_northern_war"))
    pools = (major(DIPLOMATIC, 3), minor(ECONOMIC))
    return acting(BR, "bank_of_england", pools=pools, in_round={"tile": tile}, **fields)


def test_bank_of_england_plays_an_economic_event_with_another_tile() -> None:
    game = banker().refuses(BR, "event:great_northern_war")
    game.when(BR, "event:tax_reform").includes(
        AbilityUsed(BR, "bank_of_england.event", True), EventPlayed(BR, "tax_reform", True)
    )
    assert "bank_of_england" in abilities(game, BR)


def test_bank_of_england_needs_the_event_symbol() -> None:
    banker("d4_e2_1").refuses(BR, "event:tax_reform")


def test_bank_of_england_plays_such_an_event_once_a_turn() -> None:
    banker(exhausted=("bank_of_england.event",)).refuses(BR, "event:tax_reform")


def test_bank_of_england_face_down_plays_no_such_event() -> None:
    held = hidden(BR, "bank_of_england")
    game = acting(BR, br_hand=("tax_reform",), in_round={"tile": "d3_e2_1"}, **held)
    game.refuses(BR, "event:tax_reform").when(BR, "reveal:bank_of_england")
    game.when(BR, "event:tax_reform").includes(AbilityUsed(BR, "bank_of_england.event", True))


def test_bank_of_england_is_not_exhausted_by_an_event_that_fits_the_tile() -> None:
    game = banker("e3_d2_1").when(BR, "event:tax_reform")
    assert "bank_of_england.event" not in game.table.exhausted


# ── 10 Edmond Halley ──


@pytest.mark.parametrize(("tile", "used"), [(major(MILITARY, 2), "major"), (minor(MILITARY), "minor")])
def test_halley_constructs_a_squadron_for_2(tile: Any, used: str) -> None:
    game = acting(BR, "edmond_halley", pools=(tile,)).when(BR, "ability:edmond_halley")
    game.then(
        AbilityUsed(BR, "edmond_halley", True),
        PointsPaid(BR, CONSTRUCT, "", MILITARY, 2, {used: 2}, used == "minor", "", 0),
        SquadronMoved(BR, UNBUILT, NAVY_BOX),
    )
    assert abilities(game, BR) == set()


@pytest.mark.parametrize(
    "fields",
    [
        {"pools": (major(ECONOMIC, 4), minor(DIPLOMATIC))},
        {"pools": (major(MILITARY, 1),), "debt": {BR: 6, FR: 0}},
        {"pools": (major(MILITARY, 4),), "unbuilt": {BR: 0, FR: 7}},
    ],
)
def test_halley_constructs_nothing_without_points_or_squadrons(fields: dict[str, Any]) -> None:
    assert abilities(acting(BR, "edmond_halley", **fields), BR) == set()


@pytest.mark.parametrize("squadron", ["biscay", "balearic"])
def test_halley_discards_an_event_for_a_treaty_point_even_after_the_actions(squadron: str) -> None:
    held = ("calico_acts", "tax_reform")
    game = acting(BR, "edmond_halley", br=(squadron,), br_hand=held, in_round={"acted": True})
    game.when(BR, f"ability:{LETTERS}").then(AbilityUsed(BR, LETTERS, True))
    game.asks(BR, *held).when(BR, "tax_reform")
    game.then(CardDiscarded(BR, "tax_reform", "edmond_halley"), TreatySet(BR, 1, 1, "edmond_halley"))
    game.has(hands={BR: ("calico_acts",), FR: ()}, discards=("tax_reform",))


@pytest.mark.parametrize(
    "fields",
    [
        {"br": ("cuba_passage",), "br_hand": ("tax_reform",)},
        {"fr": ("biscay",), "br_hand": ("tax_reform",)},
        {"br": ("biscay",)},
    ],
)
def test_halley_needs_a_squadron_in_europe_and_a_card(fields: dict[str, Any]) -> None:
    assert abilities(choosing(BR, "edmond_halley", **fields), BR) == set()


def test_halleys_abilities_are_exhausted_separately() -> None:
    game = acting(BR, "edmond_halley", br=("biscay",), br_hand=("tax_reform",), pools=(major(MILITARY, 4),))
    assert abilities(game, BR) == {"edmond_halley", LETTERS}
    assert abilities(game.when(BR, "ability:edmond_halley"), BR) == {LETTERS}
