"""Looking ahead with a tree: both sides answer with what has served them best so far.

It is single-observer information set Monte Carlo tree search (Cowling, Powley, Whitehouse 2012), open loop:
each iteration fills in the unknown cards anew, a node stands for the answers that led to it and for no table,
and chance is never a choice.  An answer that is legal on some tables alone is compared by how often it was
available.  Answers that are given at once and in secret are chosen without knowing one another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log, sqrt
from typing import Generic, TypeVar

from domain.agents.determinization import choose
from domain.agents.search import LONGEST, candidates, step
from domain.agents.spec import AgentSpec, Budget, Rng, ScoredAction
from domain.kernel import CHANCE, Answer, Picks, Prompt, Seat, Table, asked, decide, prompt

T = TypeVar("T", bound=Table)
EXPLORATION = 0.7  # of the upper confidence bound, for values from 0 to 1
WIDEST = 24  # answers that are compared at one node below the root


class Node:
    """What is known of an answer: `total` is the sum of its values, 0 to 1, for the seat that gave it."""

    __slots__ = ("available", "children", "secret", "total", "visits")

    def __init__(self) -> None:
        self.visits, self.available, self.total = 0, 0, 0.0
        self.children: dict[Picks, Node] = {}
        self.secret: dict[Seat, Node] = {}  # by seat: the answers that are given here without seeing others

    def child(self, picks: Picks) -> Node:
        """The node of an answer; it is made if it is not there yet."""
        found = self.children.get(picks)
        if found is None:
            found = self.children[picks] = Node()
        return found

    def choose(self, possible: Sequence[Picks], rng: Rng) -> Picks:
        """An answer that was never tried, else the one with the highest upper confidence bound."""
        untried, best, highest = list[Picks](), possible[0], -1.0
        for picks in possible:
            node = self.child(picks)
            node.available += 1
            if not node.visits:
                untried.append(picks)
                continue
            bound = node.total / node.visits + EXPLORATION * sqrt(log(node.available) / node.visits)
            if bound > highest:
                best, highest = picks, bound
        return choose(untried, rng) if untried else best


class Tree(Generic[T]):
    """A tree for one question.

    Args:
        view: the asked seat's own fold, with its agenda.
        found: the answers that are compared.
        scale: the points of `evaluate` between the table now and one that is as good as won.
    """

    def __init__(
        self, spec: AgentSpec[T], view: T, question: Prompt, found: Sequence[Picks], scale: float, rng: Rng
    ) -> None:
        self._spec, self._view, self._question, self._found = spec, view, question, found
        self._scale, self._rng = scale, rng
        self._base = spec.evaluate(spec.determinize(view, rng), question.seat)
        self._root, self._sums = Node(), dict.fromkeys(found, 0.0)

    def iterate(self) -> None:
        """Walk down on a new determinized table, play on to where it is quiet, and note what came of it."""
        spec, table = self._spec, self._spec.determinize(self._view, self._rng)
        now, path = self._walk(table)
        for _ in range(LONGEST):
            if now.result is not None or spec.is_quiet(table, now):
                break
            now = step(spec, now, self._rng)
        me = self._question.seat
        value = spec.evaluate(now, me)
        share = (1 + max(-1.0, min(1.0, (value - self._base) / self._scale))) / 2
        for seat, _, node in path:
            node.visits += 1
            node.total += share if seat == me else 1 - share
        self._sums[path[0][1]] += value

    def _walk(self, table: T) -> tuple[T, list[tuple[Seat, Picks, Node]]]:
        """The table after the first answer that was never tried, and the answers that led to it."""
        node, sealed, now, question = self._root, None, table, self._question
        possible, path = self._found, list[tuple[Seat, Picks, Node]]()
        while True:
            sealed = (sealed or node) if now.agenda[-1].secret else None
            arms = sealed.secret.setdefault(question.seat, Node()) if sealed else node
            picks = arms.choose(possible, self._rng)
            path.append((question.seat, picks, arms.child(picks)))
            node, now = node.child(picks), decide(now, Answer(question.seat, picks), question).table
            while asked(now) == (CHANCE,):
                now = step(self._spec, now, self._rng)
            if not path[-1][2].visits or now.result is not None or self._spec.is_quiet(table, now):
                return now, path
            found = prompt(now, asked(now)[0])
            assert found is not None, "a seat that is asked has a question"
            question, possible = found, candidates(self._spec, now, found, WIDEST, self._rng)

    def actions(self) -> tuple[ScoredAction, ...]:
        """The answers, the one that was tried most often first."""
        secret = self._view.agenda[-1].secret
        arms = self._root.secret.get(self._question.seat, Node()) if secret else self._root
        found = [
            ScoredAction(picks, arms.child(picks).visits, total / max(1, arms.child(picks).visits))
            for picks, total in self._sums.items()
        ]
        return tuple(sorted(found, key=lambda action: (-action.playouts, -action.value)))


def tree_search(
    spec: AgentSpec[T],
    view: T,
    question: Prompt,
    budget: Budget,
    rng: Rng,
    expired: Callable[[], bool] = lambda: False,
    *,
    scale: float,
) -> tuple[ScoredAction, ...]:
    """The candidates for an answer, the one that was tried most often first.

    Args:
        view: the asked seat's own fold, with its agenda.
        budget: `playouts` is the number of iterations.
        expired: whether the time is up; then the search gives the best that it has found.
        scale: see `Tree`.
    """
    found = candidates(spec, view, question, budget.candidates, rng)
    tree = Tree(spec, view, question, found, scale, rng)
    for _ in range(budget.playouts if len(found) > 1 else 0):
        if expired():
            break
        tree.iterate()
    return tree.actions()
