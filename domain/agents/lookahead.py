"""The searches of a strong agent: each game's own functions, and only the options that are worth a search."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from msgspec.structs import replace

from domain.agents.search import search
from domain.agents.spec import AgentSpec, Budget, Rng, ScoredAction
from domain.agents.tree import tree_search
from domain.kernel import Picks, Prompt, Table

T = TypeVar("T", bound=Table)


def look_ahead(
    spec: AgentSpec[T],
    view: T,
    question: Prompt,
    budget: Budget,
    rng: Rng,
    expired: Callable[[], bool] = lambda: False,
    *,
    tree: bool,
) -> tuple[ScoredAction, ...]:
    """The candidates for an answer, the best first; where no search is worth it, the answer of the policy.

    Args:
        view: the asked seat's own fold, with its agenda.
        budget: the playouts, or the iterations of a tree, in all.
        expired: whether the time is up; then the search gives the best that it has found.
        tree: both sides answer with what has served them best; else the policy answers for both.
    """
    deep, deeper = spec.deep, spec.deeper
    assert deep is not None, "a game that looks ahead has functions for it"
    if len(question.options) == question.least and not question.ordered:
        return (ScoredAction(question.options, 0, 0.0),)
    kept = deep.narrow(view, question, rng)
    if not kept:
        return (ScoredAction(deep.policy(view, question.seat, question, rng), 0, 0.0),)
    narrowed = replace(question, options=kept)
    if tree:
        return tree_search(deeper, view, narrowed, budget, rng, expired, scale=deep.scale)
    return search(deeper, view, narrowed, budget, rng, expired)


def every_option(view: T, question: Prompt, rng: Rng) -> Picks:
    """All options of a question: each is worth a search."""
    return question.options
