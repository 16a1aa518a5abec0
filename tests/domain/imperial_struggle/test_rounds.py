"""An action round: the tile, the event, the end, passing; and drawing event cards (5.0 to 5.3, 5.5.3)."""

from __future__ import annotations

from typing import Any

import pytest

from domain.imperial_struggle.components import BR, DIPLOMATIC, ECONOMIC, FR, INVESTMENTS, MILITARY
from domain.imperial_struggle.facts.board import AdvantageUsed, ConflictPlaced, FlagPlaced
from domain.imperial_struggle.facts.cards import CardsDealt, DiscardsReshuffled, EventPlayed, MinistryRevealed
from domain.imperial_struggle.facts.flow import (
    PointsPaid,
    RoundBegan,
    RoundEnded,
    RoundPassed,
    TileTaken,
    UpgradeUsed,
)
from domain.imperial_struggle.facts.tracks import DebtSet, LimitSet, TreatySet
from domain.imperial_struggle.facts.wars import BonusDrawn, BonusPlaced
from domain.imperial_struggle.points import DRAW, FLAG
from domain.imperial_struggle.steps.flow import ChooseFirst
from domain.imperial_struggle.steps.rounds import Round
from domain.kernel import CHANCE, Answer, decide, prompt
from tests.domain.imperial_struggle.governing import acting, choosing, hidden, offered, pools
from tests.domain.imperial_struggle.refusing import refusal
from tests.domain.imperial_struggle.table import major, minor, table
from tests.scenario import given

PASSES = {"pass:0", "pass:1", "pass:2"}
OPEN = ("e4_d2_1", "m3_d2_1", "d2_e2_1")

# ── the tile ──


def test_the_action_rounds_alternate_four_for_each_side() -> None:
    decision = given(table(shown=OPEN), do=ChooseFirst(FR)).when(FR, BR)
    waiting = [(step.seat, step.number) for step in decision.table.agenda if isinstance(step, Round)]
    assert waiting[::-1] == [(FR, 2), (BR, 3), (FR, 4), (BR, 5), (FR, 6), (BR, 7), (FR, 8)]
    assert decision.table.round is not None
    assert (decision.table.round.seat, decision.table.round.number) == (BR, 1)


def test_a_round_begins_with_what_is_isolated() -> None:
    game = given(table(br=("panzacola", "georgia", "carolinas"), shown=OPEN), do=Round(FR, 2))
    game.then(RoundBegan(FR, 2, ("panzacola",))).asks(FR, *OPEN)


def test_a_tile_must_be_taken_and_is_taken_once() -> None:
    game = choosing(BR, shown=OPEN, picked={BR: (), FR: ("m3_d2_1",)})
    game.asks(BR, "e4_d2_1", "d2_e2_1").refuses(BR).refuses(BR, "pass:0").refuses(BR, "m3_d2_1")
    game.when(BR, "e4_d2_1")
    game.then(TileTaken(BR, "e4_d2_1", (major(ECONOMIC, 4), minor(DIPLOMATIC)), False))
    assert game.table.picked[BR] == ("e4_d2_1",)


@pytest.mark.parametrize("tile", INVESTMENTS.values(), ids=list(INVESTMENTS))
def test_every_tile_brings_its_major_points_and_2_minor_ones(tile: Any) -> None:
    game = choosing(FR, shown=(tile.id,)).when(FR, tile.id)
    assert pools(game) == {"major": tile.points, "minor": 2}
    assert ("upgrade" in offered(game, FR)) == (tile.points == 2)


def test_a_ministry_may_act_and_another_be_revealed_before_the_tile_is_taken() -> None:
    fields = {"ministries": {BR: ("bank_of_england", "jonathan_swift"), FR: ()}}
    game = choosing(BR, "bank_of_england", shown=OPEN, **fields)
    game.asks(BR, *OPEN, "ability:bank_of_england", "reveal:jonathan_swift")
    game.when(BR, "ability:bank_of_england").includes(LimitSet(BR, 1, 7, "bank_of_england"))
    game.when(BR, "reveal:jonathan_swift").then(MinistryRevealed(BR, "jonathan_swift")).asks(BR, *OPEN)


def test_on_turn_4_a_side_places_its_carried_tiles_before_its_first_tile() -> None:
    """7.6: the limit of two for a theatre holds for them too."""
    start = table(turn=4, carried={BR: 0, FR: 2}, shown=OPEN)
    game = given(start, do=Round(FR, 2)).asks(CHANCE)
    game.when(CHANCE, "syw_montcalm").includes(BonusDrawn(FR, "syw_montcalm", False))
    game.when(FR, "prussias_wars").includes(BonusPlaced(FR, "syw_montcalm", "prussias_wars"))
    game.when(CHANCE, "syw_lally").when(FR, "third_carnatic_war").asks(FR, *OPEN)
    given(start, do=Round(FR, 4)).asks(FR, *OPEN)
    given(start, do=Round(BR, 1)).asks(BR, *OPEN)


# ── passing and ending ──


def test_who_passes_pays_back_up_to_2_debt() -> None:
    game = acting(BR, debt={BR: 3, FR: 0})
    assert {pick for pick in offered(game, BR) if pick.startswith("pass")} == PASSES
    game.when(BR, "pass:2").then(RoundPassed(BR), DebtSet(BR, -2, 1, "pass"), RoundEnded(BR))
    game.asks_nobody().has(round=None)


def test_who_passes_may_pay_back_less() -> None:
    acting(BR, debt={BR: 3, FR: 0}).when(BR, "pass:0").then(RoundPassed(BR), RoundEnded(BR))


def test_a_side_cannot_pay_back_debt_that_it_does_not_have() -> None:
    game = acting(BR, debt={BR: 1, FR: 5})
    assert set(offered(game, BR)) & PASSES == {"pass:0", "pass:1"}
    assert refusal(game, BR, "pass:2") == "book 001, 6.2"


def test_points_that_were_spent_spoil_passing() -> None:
    game = acting(BR, br=("antilles_channel",), debt={BR: 2, FR: 0})
    game.refuses(BR, "end").when(BR, "flag:antigua")
    assert not set(offered(game, BR)) & PASSES
    assert refusal(game, BR, "pass:1") == "book 001, 6.2"
    game.when(BR, "end").then(RoundEnded(BR)).asks_nobody()


@pytest.mark.parametrize(
    ("pick", "fact"),
    [
        ("upgrade", UpgradeUsed(BR)),
        ("advantage:baltic_trade", AdvantageUsed(BR, "baltic_trade", True)),
        ("event:hyder_ali", EventPlayed(BR, "hyder_ali", False)),
    ],
)
def test_an_upgrade_an_advantage_and_an_event_spoil_passing(pick: str, fact: Any) -> None:
    friends = ("denmark_norway", "prussia_alliance_1")
    in_round = {"tile": "d2_e2_1", "upgrade": True}
    game = acting(BR, br=friends, br_hand=("hyder_ali",), turn=6, in_round=in_round, debt={BR: 2, FR: 0})
    assert set(offered(game, BR)) >= PASSES
    game.when(BR, pick).includes(fact)
    assert not set(offered(game, BR)) & PASSES


def test_what_a_ministry_does_before_the_tile_does_not_spoil_passing() -> None:
    """Ruling: only points and symbols of the tile are used (6.2)."""
    game = choosing(BR, "bank_of_england", shown=OPEN, debt={BR: 2, FR: 0})
    game.when(BR, "ability:bank_of_england").when(BR, "e4_d2_1")
    assert set(offered(game, BR)) >= PASSES


def test_revealing_a_ministry_does_not_spoil_passing() -> None:
    game = acting(FR, debt={BR: 0, FR: 2}, **hidden(FR, "john_law")).when(FR, "reveal:john_law")
    assert set(offered(game, FR)) >= PASSES


def test_points_that_are_not_spent_are_lost_with_the_round() -> None:
    game = acting(BR, br=("antilles_channel",)).when(BR, "flag:antigua").when(BR, "end")
    game.then(RoundEnded(BR)).has(round=None)


# ── events ──


def test_an_event_comes_before_everything_else_of_the_tile() -> None:
    fields: dict[str, Any] = {"br": ("antilles_channel",), "br_hand": ("hyder_ali",)}
    game = acting(BR, in_round={"tile": "e3_d2_1"}, **fields)
    assert "event:hyder_ali" in offered(game, BR)
    game.when(BR, "flag:antigua")
    assert "event:hyder_ali" not in offered(game, BR)
    assert refusal(game, BR, "event:hyder_ali") == "book 001, 5.2"


def test_no_event_follows_an_advantage() -> None:
    """8.2: an advantage waits for the condition of the bonus; so an event cannot come after it."""
    friends = ("denmark_norway", "prussia_alliance_1")
    game = acting(BR, br=friends, br_hand=("hyder_ali",), in_round={"tile": "e3_d2_1"})
    game.when(BR, "advantage:baltic_trade")
    assert refusal(game, BR, "event:hyder_ali") == "book 001, 5.2"


def test_one_event_is_played_in_a_round() -> None:
    game = acting(BR, br_hand=("hyder_ali", "wealth_of_nations"), in_round={"tile": "e3_d2_1"})
    game.when(BR, "event:wealth_of_nations")
    assert refusal(game, BR, "event:hyder_ali") == "book 001, 5.2"
    game.has(removed=("wealth_of_nations",), discards=())


def test_an_event_needs_a_tile_that_shows_the_symbol() -> None:
    game = acting(BR, br_hand=("hyder_ali",), in_round={"tile": "e4_d2_1"})
    assert refusal(game, BR, "event:hyder_ali") == "book 001, 5.2"


@pytest.mark.parametrize(
    ("tile", "playable"), [("e3_d2_1", True), ("e2_m2_1", True), ("d3_e2_1", False), ("m3_e2_1", False)]
)
def test_the_type_on_an_event_is_that_of_the_major_action(tile: str, playable: bool) -> None:
    game = acting(BR, br_hand=("calico_acts",), in_round={"tile": tile})
    assert ("event:calico_acts" in offered(game, BR)) == playable
    if not playable:
        assert refusal(game, BR, "event:calico_acts") == "book 001, 3.4.4"


def test_a_side_cannot_play_a_card_of_the_other_hand() -> None:
    game = acting(BR, fr_hand=("hyder_ali",), in_round={"tile": "e3_d2_1"})
    assert refusal(game, BR, "event:hyder_ali") == "book 001, 5.2"


def test_a_ministry_may_be_revealed_for_the_bonus_of_an_event() -> None:
    """5.2, 3.5.3: wealth of nations asks for scholarship."""
    fields = {**hidden(BR, "edmond_halley"), "br_hand": ("wealth_of_nations",)}
    game = acting(BR, in_round={"tile": "d3_e2_1"}, pools=(major(DIPLOMATIC, 3), minor(ECONOMIC)), **fields)
    game.when(BR, "reveal:edmond_halley").when(BR, "event:wealth_of_nations")
    game.includes(EventPlayed(BR, "wealth_of_nations", True))
    assert pools(game) == {"major": 3, "minor": 2, "wealth_of_nations": 3}


def test_a_condition_that_the_base_effect_would_meet_does_not_count() -> None:
    """5.2: it is looked at once, before anything (14: more Available Debt, which the base gives)."""
    game = acting(BR, br_hand=("wealth_of_nations",), debt={BR: 3, FR: 2}, in_round={"tile": "e3_d2_1"})
    game.when(BR, "event:wealth_of_nations")
    game.then(EventPlayed(BR, "wealth_of_nations", False), DebtSet(BR, -2, 1, "wealth_of_nations"))


# ── drawing event cards ──


def test_a_card_costs_3_diplomatic_points_and_belongs_to_no_region() -> None:
    game = acting(
        BR, pools=(major(DIPLOMATIC, 4),), deck=("hyder_ali", "le_beau_monde"), treaty={BR: 1, FR: 0}
    )
    game.when(BR, "draw").then(PointsPaid(BR, DRAW, "", DIPLOMATIC, 3, {"major": 3}, False, "", 0))
    game.when(CHANCE, "le_beau_monde").then(CardsDealt(BR, ("le_beau_monde",)))
    assert game.table.hands[BR] == ("le_beau_monde",)
    game.when(BR, "flag:sweden").when(BR, "major:1").includes(FlagPlaced(BR, "sweden"))


def test_the_other_side_does_not_see_the_card() -> None:
    fact = CardsDealt(BR, ("le_beau_monde",))
    assert fact.seen_by(FR) == fact.seen_by(None) == CardsDealt(BR, ("?",))
    assert fact.seen_by(BR) == fact


def test_no_card_is_drawn_from_an_empty_pile() -> None:
    fields: dict[str, Any] = {"pools": (major(DIPLOMATIC, 4),), "discards": ("hyder_ali",)}
    assert refusal(acting(BR, **fields), BR, "draw") == "book 001, 5.5.3"
    game = acting(BR, options={"card_draw": "reshuffle"}, **fields).when(BR, "draw")
    game.includes(DiscardsReshuffled(1)).when(CHANCE, "hyder_ali").then(CardsDealt(BR, ("hyder_ali",)))


def test_two_cards_cost_6_points_with_treaty_points() -> None:
    deck = ("hyder_ali", "le_beau_monde")
    game = acting(BR, pools=(major(DIPLOMATIC, 4),), deck=deck, treaty={BR: 2, FR: 0}, debt={BR: 6, FR: 0})
    game.when(BR, "draw").when(CHANCE, "hyder_ali").when(BR, "draw").includes(TreatySet(BR, -2, 0, DRAW))
    game.when(CHANCE, "le_beau_monde")
    assert refusal(game, BR, "draw") == "book 001, 5.5.3"


# ── what is offered ──


def test_everything_that_is_offered_can_be_done() -> None:
    british = ("jamaica", "barbados", "st_lucia", "algonquin", "antilles_channel", "ohio_forks")
    start = acting(
        BR,
        br=british,
        fr=("martinique", "cataraqui", "louisbourg", "biscay"),
        conflicts={"cataraqui": 1},
        damaged=("ohio_forks", "louisbourg"),
        pools=(major(MILITARY, 4), minor(ECONOMIC)),
        deck=("hyder_ali",),
        treaty={BR: 2, FR: 0},
        in_round={"tile": "m4_e2_1"},
    ).table
    for pick in offered(given(start, do=start.agenda), BR):
        table_after = decide(start, Answer(BR, (pick,))).table
        assert table_after != start, pick


def test_what_one_side_is_offered_says_nothing_of_the_others_secrets() -> None:
    known = acting(BR, fr_hand=("hyder_ali",), **hidden(FR, "john_law"))
    other = acting(BR, fr_hand=("?",), **hidden(FR, "?"))
    assert prompt(known.table, BR) == prompt(other.table, BR)


def test_a_purchase_tells_what_was_paid_for_what() -> None:
    game = acting(BR, br=("antilles_channel",)).when(BR, "flag:antigua")
    game.then(
        PointsPaid(BR, FLAG, "antigua", ECONOMIC, 2, {"major": 2}, False, "caribbean", 0),
        FlagPlaced(BR, "antigua"),
    )


def test_a_conflict_advantage_is_no_purchase() -> None:
    game = acting(FR, fr=("algonquin",), pools=(major(MILITARY, 2),)).when(FR, "advantage:algonquin_raids")
    game.when(FR, "york_factory")
    game.then(
        AdvantageUsed(FR, "algonquin_raids", True), ConflictPlaced("york_factory", 0, "algonquin_raids")
    )
    assert pools(game) == {"major": 2}
