"""What must hold over any random match: the properties of every game, and the books of this one."""

from __future__ import annotations

import re
from random import Random
from typing import Any, get_args

import pytest

from domain.kernel import Draw, Ended, asked
from domain.thirteen_minutes import GAME
from domain.thirteen_minutes.battle import DrawFirst
from domain.thirteen_minutes.board import CUBES, SIDES
from domain.thirteen_minutes.facts import BidsLost
from tests.domain.played import Played
from tests.domain.properties import (
    check_all,
    check_texts_complete,
    check_unions,
    random_match,
)
from tests.domain.thirteen_minutes.tables import own_set

SETTINGS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "other readings": {
        "max_cubes_per_territory": 3,
        "military_by": "sphere",
        "matched_cards_rescore": True,
    },
    "campaign": {"campaign": True},
    "campaign, sides swapped": {"campaign": True, "campaign_sides": "swapped", "campaign_equal": "draw"},
    "the first equal bid, one battle": {"equal_bids": 1, "campaign": True, "campaign_battles": 1},
    "own cards": {"card_set": own_set()},
    "own cards, campaign, sides swapped": {
        "card_set": own_set(),
        "campaign": True,
        "campaign_sides": "swapped",
        "max_cubes_per_territory": 4,
    },
}
RULINGS = (
    "t_bid",
    "t_order",
    "t_cuba",
    "t_place",
    "t_command",
    "t_supply",
    "t_cap",
    "t_opp",
    "t_own",
    "t_event_slide",
    "t_old_events",
    "t_draw",
    "t_control",
    "t_military",
    "t_aftermath",
    "t_match",
    "t_war",
    "t_tie",
    "t_campaign",
)


@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(4, 12))]
)
@pytest.mark.parametrize("options", SETTINGS.values(), ids=SETTINGS)
def test_random_matches_keep_every_property(options: dict[str, Any], seed: int) -> None:
    """See tests.domain.properties."""
    check_all(GAME, random_match(GAME, Random(seed), options=options))


@pytest.mark.parametrize("options", SETTINGS.values(), ids=SETTINGS)
def test_cubes_are_never_lost_but_by_bids(options: dict[str, Any]) -> None:
    """T-SUPPLY: supply, table and the lost bids are thirteen of each side, and never less than none."""
    for seed in range(10):
        lost = dict.fromkeys(SIDES, 0)
        for _, decision in random_match(GAME, Random(seed), options=options):
            s = decision.table
            for fact in decision.facts:
                if isinstance(fact, BidsLost):
                    lost = {"us": CUBES - fact.us, "ussr": CUBES - fact.ussr}
            if not s.plays:
                continue
            for side in SIDES:
                on_table = [lies.cubes(side) for lies in s.territories.values()]
                assert min(on_table) >= 0
                assert s.supply[side] + sum(on_table) + lost[side] == CUBES
                assert max(on_table) <= options.get("max_cubes_per_territory", CUBES)


def test_random_matches_reach_every_fact_and_every_step() -> None:
    """The properties are worth something: nothing of the vocabulary stays untouched."""
    facts: set[type] = set()
    asks: set[type] = set()
    for options in SETTINGS.values():
        for seed in range(40):
            played: Played = random_match(GAME, Random(seed), options=options)
            facts |= {type(fact) for fact in played.facts}
            asks |= {type(step) for _, decision in played for step in decision.table.agenda[-1:]}
    assert facts == set(get_args(GAME.facts))
    asking = {step for step in get_args(GAME.steps) if "asks" in dir(step) and _ever_asks(step)}
    assert asks == asking


def _ever_asks(step: Any) -> bool:
    return issubclass(step, Draw) or step.asks.__qualname__ != "Step.asks"


def test_texts_are_complete_in_both_languages() -> None:
    """Every fact, every question, every option, in English and Russian."""
    check_texts_complete(GAME)


def test_unions_are_closed() -> None:
    """The unions of facts and of steps hold exactly what the package defines."""
    check_unions(GAME)


def test_every_ending_has_words() -> None:
    """Reasons of endings are ids with a name in both languages."""
    reasons = set()
    for options in SETTINGS.values():
        for seed in range(40):
            end = random_match(GAME, Random(seed), options=options).facts[-1]
            assert isinstance(end, Ended)
            reasons.add(end.reason)
    assert reasons >= {
        "more_points",
        "equal_points",
        "nuclear_war",
        "nuclear_war_both",
        "campaign_points",
        "campaign_over",
    }
    for texts in GAME.texts.values():
        assert all(reason in texts.names for reason in (*reasons, "campaign_equal"))


def test_no_draw_is_open_but_who_goes_first() -> None:
    """Hands, Cuba, the top of the deck are hidden; only what decides in the place of equal bids is public."""
    draws = [step for step in get_args(GAME.steps) if issubclass(step, Draw)]
    assert {draw.__name__ for draw in draws} == {"Deal", "DealCuba", "DrawCard", "DrawTop", "DrawFirst"}
    for seed in range(5):
        for _, decision in random_match(GAME, Random(seed), options={"equal_bids": 1}):
            if asked(decision.table) == ("chance",):
                top = decision.table.agenda[-1]
                assert isinstance(top, Draw)
                assert top.face_up(decision.table) == isinstance(top, DrawFirst)


@pytest.mark.parametrize("options", SETTINGS.values(), ids=SETTINGS)
def test_labels_of_draws_are_coordinates(options: dict[str, Any]) -> None:
    """Each place in the game has a label of its own, in the letters that labels may have."""
    for seed in range(10):
        labels = []
        for _, decision in random_match(GAME, Random(seed), options=options):
            if asked(decision.table) == ("chance",):
                labels.append(decision.table.agenda[-1].label(decision.table))
        assert all(re.fullmatch(r"[a-z0-9_/]+", label) for label in labels)
        assert len(set(labels)) == len(labels)


def test_every_ruling_has_a_test_named_after_it() -> None:
    """The rulings T-* of the facts, one by one."""
    from tests.domain.thirteen_minutes import (
        test_campaign,
        test_commands,
        test_events,
        test_scoring,
        test_set_up,
        test_turns,
    )

    modules = (test_campaign, test_commands, test_events, test_scoring, test_set_up, test_turns)
    names = [name for module in modules for name in vars(module)]
    for ruling in RULINGS:
        assert any(name.startswith(f"test_{ruling}_") for name in names), ruling
