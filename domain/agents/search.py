"""Looking ahead: playouts on determinized tables, and one answer deep.

A seat does not know the table on which it is asked, so a search fills it in, again and again: each time all
candidates are played on the same determinized table and with the same random numbers, so that they differ in
nothing but themselves.  Half of the candidates drops out after each round (sequential halving).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, permutations
from math import comb, perm
from typing import TypeVar

from domain.agents.determinization import below, sample
from domain.agents.spec import AgentSpec, Budget, Rng, ScoredAction
from domain.kernel import CHANCE, Answer, Picks, Prompt, Table, asked, decide, prompt

T = TypeVar("T", bound=Table)
LONGEST = 2_000  # answers of one playout; no game comes near it


class Tape:
    """Random numbers that can be played again from the beginning.

    Args:
        rng: where new numbers come from.
    """

    def __init__(self, rng: Rng) -> None:
        self._rng, self._numbers, self._next = rng, list[float](), 0

    def rewind(self) -> None:
        """Begin again with the first number."""
        self._next = 0

    def random(self) -> float:
        """See `Rng.random`."""
        if self._next == len(self._numbers):
            self._numbers.append(self._rng.random())
        self._next += 1
        return self._numbers[self._next - 1]


def random_picks(question: Prompt, rng: Rng) -> Picks:
    """Any legal answer: first how many picks, then which."""
    most = min(question.most, len(question.options))
    return sample(question.options, question.least + below(most - question.least + 1, rng), rng)


def candidates(spec: AgentSpec[T], table: T, question: Prompt, most: int, rng: Rng) -> tuple[Picks, ...]:
    """The answers that a search compares, at most `most`.

    They are all legal answers if there are so few; else those that the policy proposes, and random ones.
    """
    if _count(question) <= most:
        return tuple(_every(question))
    found = dict.fromkeys([spec.policy(table, question.seat, question, rng)])
    for _ in range(4 * most):
        if len(found) == most:
            break
        found[_in_order(question, random_picks(question, rng))] = None
    return tuple(found)


def _count(question: Prompt) -> int:
    ways = perm if question.ordered else comb
    options = len(question.options)
    return sum(ways(options, count) for count in _counts(question))


def _counts(question: Prompt) -> range:
    return range(question.least, min(question.most, len(question.options)) + 1)


def _every(question: Prompt) -> Iterator[Picks]:
    ways = permutations if question.ordered else combinations
    for count in _counts(question):
        yield from ways(question.options, count)


def _in_order(question: Prompt, picks: Picks) -> Picks:
    """The picks of a set in the order of the options, so that each set has one way."""
    return picks if question.ordered else tuple(option for option in question.options if option in picks)


def search(
    spec: AgentSpec[T],
    view: T,
    question: Prompt,
    budget: Budget,
    rng: Rng,
    expired: Callable[[], bool] = lambda: False,
) -> tuple[ScoredAction, ...]:
    """The candidates for an answer, the best first.

    Args:
        view: the asked seat's own fold, with its agenda.
        budget: the playouts in all; each candidate gets at least one.
        expired: whether the time is up; then the search gives the best that it has found.
    """
    left = list(candidates(spec, view, question, budget.candidates, rng))
    sums, counts = dict.fromkeys(left, 0.0), dict.fromkeys(left, 0)
    rounds = max(1, (len(left) - 1).bit_length())
    while len(left) > 1 and not expired():
        for _ in range(max(1, budget.playouts // (rounds * len(left)))):
            if expired():
                break
            for picks, value in _one_world(spec, view, question, left, rng):
                sums[picks] += value
                counts[picks] += 1
        left.sort(key=lambda picks: -sums[picks] / max(1, counts[picks]))
        left = left[: (len(left) + 1) // 2]
    dropped = [picks for picks in sums if picks not in left]
    dropped.sort(key=lambda picks: (-counts[picks], -sums[picks] / max(1, counts[picks])))
    return tuple(
        ScoredAction(picks, counts[picks], sums[picks] / max(1, counts[picks])) for picks in (*left, *dropped)
    )


def _one_world(
    spec: AgentSpec[T], view: T, question: Prompt, left: list[Picks], rng: Rng
) -> Iterator[tuple[Picks, float]]:
    """Each candidate with the value of one playout; all on one determinized table, with the same numbers."""
    table, tape = spec.determinize(view, rng), Tape(rng)
    for picks in left:
        tape.rewind()
        yield picks, playout(spec, table, question, picks, tape)


def playout(spec: AgentSpec[T], table: T, question: Prompt, picks: Picks, rng: Rng) -> float:
    """The value, for the asked seat, of the table to which an answer leads.

    The policy answers for both seats until the table is quiet or the match is over.
    """
    now = decide(table, Answer(question.seat, picks), question).table
    for _ in range(LONGEST):
        if now.result is not None or spec.is_quiet(table, now):
            break
        now = step(spec, now, rng)
    return spec.evaluate(now, question.seat)


def step(spec: AgentSpec[T], table: T, rng: Rng) -> T:
    """The table after one more answer: of the policy, or of chance."""
    seat = asked(table)[0]
    question = prompt(table, seat)
    assert question is not None, "a seat that is asked has a question"
    picks = random_picks(question, rng) if seat == CHANCE else spec.policy(table, seat, question, rng)
    return decide(table, Answer(seat, picks), question).table


def greedy(spec: AgentSpec[T], view: T, question: Prompt, budget: Budget, rng: Rng) -> Picks:
    """The answer after which the table is worth most; only what chance decides at once is played on.

    Args:
        budget: `playouts` is the number of determinized tables on which each candidate is tried.
    """
    found = candidates(spec, view, question, budget.candidates, rng)
    if len(found) == 1:
        return found[0]
    sums = dict.fromkeys(found, 0.0)
    for _ in range(budget.playouts):
        table, tape = spec.determinize(view, rng), Tape(rng)
        for picks in found:
            tape.rewind()
            sums[picks] += spec.evaluate(_settled(table, question, picks, tape), question.seat)
    return max(found, key=lambda picks: sums[picks])


def _settled(table: T, question: Prompt, picks: Picks, rng: Rng) -> T:
    """The table after an answer and after what chance decides next."""
    now = decide(table, Answer(question.seat, picks), question).table
    while asked(now) == (CHANCE,):
        drawn = prompt(now, CHANCE)
        assert drawn is not None, "chance is asked and has a question"
        now = decide(now, Answer(CHANCE, random_picks(drawn, rng)), drawn).table
    return now
