"""Looking ahead: the tree, the options that are worth a search, and what Twilight Struggle fears (B9)."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from domain.agents import AGENTS
from domain.agents.lookahead import look_ahead
from domain.agents.observation import table_of
from domain.agents.spec import AgentSpec, Budget, ScoredAction
from domain.agents.tree import Node, Tree, tree_search
from domain.agents.twilight_struggle import deep
from domain.kernel import Answer, asked, begin, decide, fold, prompt
from tests.domain.agents.laws import Question
from tests.domain.agents.test_determinization import GAMES, asked_of

TREES = ("thirteen_minutes", "cia_vs_kgb", "imperial_struggle")


def searched(spec: AgentSpec[Any], question: Question, playouts: int = 24) -> tuple[ScoredAction, ...]:
    """What a deep search finds for a question."""
    view = table_of(spec.game, question.observation)
    tree = spec.game.name in TREES
    return look_ahead(spec, view, question.observation.prompt, Budget(playouts), Random(3), tree=tree)


def some_question(spec: AgentSpec[Any], asks: str = "") -> Question:
    """A question with several options and one pick; `asks`: of this kind."""
    return next(
        one
        for one in asked_of(spec, 2)[4:]
        if len(one.observation.prompt.options) > 2
        and one.observation.prompt.most == 1
        and one.observation.prompt.ask == (asks or one.observation.prompt.ask)
    )


@pytest.mark.parametrize("game", TREES)
def test_a_tree_keeps_to_its_budget_and_repeats_with_its_seed(game: str) -> None:
    question = some_question(AGENTS[game])
    found = searched(AGENTS[game], question)
    assert found == searched(AGENTS[game], question)
    assert sum(action.playouts for action in found) == 24
    assert {action.picks for action in found} == {(pick,) for pick in question.observation.prompt.options}
    assert found[0].playouts == max(action.playouts for action in found)


def test_a_tree_whose_time_is_up_answers_with_what_it_has() -> None:
    spec, times = AGENTS["cia_vs_kgb"], iter([False] * 5)
    question = some_question(spec)
    view = table_of(spec.game, question.observation)
    found = tree_search(
        spec,
        view,
        question.observation.prompt,
        Budget(10_000),
        Random(1),
        lambda: next(times, True),
        scale=30.0,
    )
    assert sum(action.playouts for action in found) == 5
    assert found[0].picks[0] in question.observation.prompt.options


def test_a_node_tries_everything_and_then_what_served_best() -> None:
    node, rng = Node(), Random(1)
    possible = [("a",), ("b",), ("c",)]
    for _ in range(300):
        picks = node.choose(possible, rng)
        arm = node.child(picks)
        arm.visits += 1
        arm.total += 0.9 if picks == ("b",) else 0.2
    visits = {picks: node.child(picks).visits for picks in possible}
    assert min(visits.values()) > 0
    assert visits["b",] > 200
    assert {node.child(picks).available for picks in possible} == {300}


def test_an_answer_that_was_seldom_possible_is_tried_when_it_is() -> None:
    node, rng = Node(), Random(1)
    for number in range(200):
        picks = node.choose([("a",), ("rare",)] if number % 20 == 0 else [("a",)], rng)
        arm = node.child(picks)
        arm.visits += 1
        arm.total += 0.5
    assert node.child(("rare",)).available == 10
    assert node.child(("rare",)).visits > 3


def test_sealed_answers_do_not_see_one_another() -> None:
    """The CIA hides a token and the KGB guesses: in a tree that let the guess follow, the CIA always lost."""
    spec = AGENTS["cia_vs_kgb"]
    empty = spec.game.table(*spec.game.settle(None, {}))
    start = begin(empty, spec.game.first(empty))
    table = start.table
    while asked(table) == ("chance",):
        drawn = prompt(table, "chance")
        assert drawn is not None
        table = decide(table, Answer("chance", drawn.options[: drawn.least])).table
    view = replace(fold(table, []), agenda=table.agenda)
    question = prompt(view, "cia")
    assert question is not None
    assert question.ask == "CloseHands"
    tree = Tree(spec, view, question, [("left",), ("right",)], 30.0, Random(1))
    for _ in range(64):
        tree.iterate()
    assert set(tree._root.secret) == {"cia", "kgb"}
    guesses = tree._root.secret["kgb"]
    assert sum(arm.visits for arm in guesses.children.values()) > 32
    assert sum(action.playouts for action in tree.actions()) == 64


@pytest.mark.parametrize("game", GAMES)
def test_a_question_without_a_choice_is_not_searched(game: str) -> None:
    spec = AGENTS[game]
    question = some_question(spec)
    single = replace(question.observation.prompt, options=question.observation.prompt.options[:1])
    one = replace(question, observation=replace(question.observation, prompt=single))
    assert searched(spec, one) == (ScoredAction(single.options, 0, 0.0),)


def test_in_twilight_struggle_only_plays_and_headlines_are_searched() -> None:
    spec = AGENTS["twilight_struggle"]
    found = searched(spec, some_question(spec, "PlayCard"))
    assert 1 < len(found) <= deep.MOST_TRIED
    assert found[0].playouts > 0
    placed = searched(spec, some_question(spec, "PlaceInfluence"))
    assert (len(placed), placed[0].playouts) == (1, 0)


def holding(*cards: str, defcon: int = 3, left: int = 2) -> Any:
    """A table of turn 5 at which the US holds these cards and has so many action rounds left."""
    spec = AGENTS["twilight_struggle"]
    table = asked_of(spec, 2)[20].world
    hands = {"us": cards, "ussr": ("fidel",)}
    return replace(
        table, turn=5, round=8 - left, phase="action", phasing="us", defcon=defcon, hands=hands, result=None
    )


def test_a_scoring_card_that_can_no_longer_be_played_is_feared() -> None:
    enough = deep.evaluate(holding("africa_scoring", "asia_scoring"), "us")
    assert enough - deep.evaluate(holding("africa_scoring", "asia_scoring", left=1), "us") > 200


def test_a_card_that_ends_the_world_is_feared_more_if_it_must_be_played() -> None:
    """Lone Gunman gives the USSR a Coup in a US round: at DEFCON 2 the US loses by it."""
    kept = deep.evaluate(holding("lone_gunman", "nato", "containment", defcon=2), "us")
    forced = deep.evaluate(holding("lone_gunman", "nato", defcon=2), "us")
    harmless = deep.evaluate(holding("fidel", "nato", defcon=2), "us")
    assert harmless > kept > forced
    assert harmless - forced > 30


def test_playouts_end_at_the_next_own_round_or_turn() -> None:
    table = holding("nato")
    assert not deep.is_quiet(table, replace(table, phasing="ussr", round=table.round + 1))
    assert deep.is_quiet(table, replace(table, round=table.round + 1))
    assert deep.is_quiet(table, replace(table, turn=table.turn + 1, round=0, phasing=None))
    headline = replace(table, round=0, phase="headline", phasing=None)
    assert not deep.is_quiet(headline, table_at(headline, 1))
    assert deep.is_quiet(headline, table_at(headline, 2))


def table_at(table: Any, number: int) -> Any:
    """The same table in an action round."""
    return replace(table, round=number, phasing="ussr")
