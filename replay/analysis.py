"""Analysis of a match that is over: the win probability at every move, luck and choices, what an agent
would have played.

All of it is the opinion of an agent, and stands in no log.  Two views are never mixed: `before` and `after`
are those of the whole table, `known` and `best` those of what the seat knew when it was asked.

What changed with a move is its luck, and the rest is its choice: the luck of the draws that it led to, each
of them less the mean over what could have been drawn there (`replay.luck`).  So luck, choices and what ended
the match otherwise (a resignation, a ruling, time) add up to the result.  The mean is taken over all results
of a draw where they are few, as of dice, else over a sample, as of deals; in both cases luck has no mean of
its own, whatever the agent thinks of a position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from itertools import permutations
from math import fsum, perm
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from domain import kernel
from domain.agents import AGENTS
from domain.agents.determinization import sample
from domain.agents.search import Tape, candidates, playout, search
from domain.agents.spec import AgentSpec, Budget, Rng, ScoredAction
from domain.events import Played
from domain.history import History
from domain.kernel import CHANCE, Answer, Chance, Picks, Prompt, Refused, Seat, Table
from domain.log import Record
from replay.audit import Recorded
from replay.luck import luck

ENUMERATED = 36  # results of a draw: up to so many, all of them are looked at
SAMPLED = 32  # else so many, drawn by chance
KNOWN = 8  # determinized tables for what a seat could know
SHOWN = 3  # suggestions
TURNING = 5  # moves with the greatest change
TURN = 0.15  # of the win probability: a move that changes it so much is always a turning point
MOST_MOVES = 5_000  # of a match; no game of the house comes near it


Look = Callable[[AgentSpec[Any], Any, Prompt, Budget, Rng], Sequence[ScoredAction]]
"""A search for the answers to a question, as `domain.agents.search.search`: the best first."""


class Suggestion(Struct, frozen=True):
    """An answer that the agent compared: the win probability of the asked seat, over so many playouts."""

    picks: Picks
    win_probability: float
    playouts: int


class MoveAnalysis(Struct, frozen=True):
    """One answer of the line that stands.

    before, after: the win probability of the first seat of the game, with everything open, 0 to 1.
    known: the same before the answer, as far as the asked seat could know the table.
    luck: how much of the change its draws brought, for the first seat.
    best: what the agent would have played, the best first, by what the seat knew; () if there was no choice,
        or the seat was not asked for.
    loss: by how much the first of them is better for the seat than what it played, in the agent's opinion.
    compared: were `known`, `best` and `loss` looked for?
    """

    move: int
    seat: Seat
    ask: str
    picks: Picks
    before: float
    after: float
    luck: float
    known: float = 0.0
    best: tuple[Suggestion, ...] = ()
    loss: float = 0.0
    compared: bool = False

    @property
    def change(self) -> float:
        """How much the win probability of the first seat changed."""
        return self.after - self.before


class Summary(Struct, frozen=True):
    """A match in a few numbers, all of them win probabilities of the first seat, `first`, or changes of it.

    `start + luck + sum(choices.values()) + ending == result`, but for the rounding of floats.

    start: when play began.
    result: 1 won, 0.5 drawn, 0 lost; where a match has no result, what the last move left.
    luck: what all draws brought.
    choices: what the answers of each seat changed.
    ending: what ended the match otherwise than by play changed.
    turning_points: the moves with the greatest changes, in their order.
    """

    first: Seat
    start: float
    result: float
    luck: float
    choices: dict[Seat, float]
    ending: float
    turning_points: tuple[int, ...]


def must_be_analysable(history: History) -> None:
    """Check that a match can be analysed.

    Raises:
        Refused: unfinished; it is not over.  not-found; it has no agent, what its players held is not known,
            or it is too long.
    """
    if not history.closed:
        raise Refused("unfinished", "analysis-of-running")
    if history.game.name not in AGENTS:
        raise Refused("not-found", "analysis-without-agent", {"game": history.game.name})
    if history.imported or history.incomplete:
        raise Refused("not-found", "analysis-of-imported")
    if history.move > MOST_MOVES:
        raise Refused("not-found", "analysis-too-long", {"moves": history.move, "most": MOST_MOVES})


def answers(history: History) -> list[int]:
    """The moves of the line that stands at which a seat answered, in order."""
    return [move for move in reversed(list(history.line())) if isinstance(history.entry_at(move), Played)]


def analyse(
    history: History,
    spec: AgentSpec[Any],
    budget: Budget,
    rng: Rng,
    seat: Seat | None = None,
    *,
    playing: AgentSpec[Any] | None = None,
    look: Look = search,
) -> Iterator[MoveAnalysis]:
    """The analysis of every answer of a match, in order.

    Args:
        spec: its win probability judges.
        budget: the playouts for one answer; half of them look for suggestions, the others compare them with
            what was played.  0: no suggestions.
        seat: only for the answers of this seat suggestions are looked for; None: for all.
        playing: answers in the playouts that compare; None: `spec`.
        look: finds the answers that are compared, the best first.

    Raises:
        Refused: see `must_be_analysable`.
    """
    must_be_analysable(history)
    judge = copy(playing or spec)
    judge.evaluate = judge.win_probability = spec.win_probability
    for move in answers(history):
        found = _course(history, spec, move, rng)
        if budget.playouts and seat in (None, found.seat):
            found = _compared(history, judge, look, found, budget, rng)
        yield found


def _course(history: History, spec: AgentSpec[Any], move: int, rng: Rng) -> MoveAnalysis:
    """One answer, with its luck, and without suggestions."""
    record, first = history.records[move - 1], spec.game.seats[0]
    before, after = history.positions[move - 2].table, history.positions[move - 1].table
    return MoveAnalysis(
        move,
        record.entry.seat,
        record.entry.ask,
        record.picks or (),
        spec.win_probability(before, first),
        spec.win_probability(after, first),
        _luck(history, spec, record, rng),
    )


def _luck(history: History, spec: AgentSpec[Any], record: Record, rng: Rng) -> float:
    """The luck of the draws of a move, for the first seat.

    It is 0 where today's rules do not lead to the recorded table: then they cannot say what else could have
    been drawn, and the whole change counts as a choice.
    """
    drawn, total = Recorded(record), list[float]()
    try:
        now = history.table_with_agenda(record.move - 1)
        now = kernel.decide(now, Answer(record.entry.seat, record.picks or ())).table
        while kernel.asked(now) == (CHANCE,):
            picks = drawn.picks(now)
            total.append(_luck_of_draw(spec, now, picks, rng))
            now = kernel.decide(now, Answer(CHANCE, picks)).table
    except Exception:  # rules may raise anything on a table that other rules made
        return 0.0
    stored = history.positions[record.move - 1].table
    return fsum(total) if replace(now, agenda=()) == stored else 0.0


def _luck_of_draw(spec: AgentSpec[Any], table: Table, picks: Picks, rng: Rng) -> float:
    question = kernel.prompt(table, CHANCE)
    assert question is not None, "chance is asked and has a question"
    possible = _possible(question, rng)
    if len(possible) == 1:
        return 0.0
    first, drawn = spec.game.seats[0], [*possible, picks]

    def value(outcome: Any) -> float:
        answer = Answer(CHANCE, drawn[outcome["draw"]])
        return spec.win_probability(kernel.decide(table, answer, question).table, first)

    chances = [Chance(1, len(possible), {"draw": place}) for place in range(len(possible))]
    return luck(value, {"draw": len(possible)}, chances)


def _possible(question: Prompt, rng: Rng) -> list[Picks]:
    """What could be drawn, each result as likely as another: all of it, or a sample."""
    if perm(len(question.options), question.most) <= ENUMERATED:
        return list(permutations(question.options, question.most))
    return [sample(question.options, question.most, rng) for _ in range(SAMPLED)]


def _compared(
    history: History, judge: AgentSpec[Any], look: Look, found: MoveAnalysis, budget: Budget, rng: Rng
) -> MoveAnalysis:
    """An answer beside those that the agent thinks best, as far as the seat could know the table."""
    spec = AGENTS[history.game.name]
    try:
        live = history.table_with_agenda(found.move - 1)
        question = kernel.prompt(live, found.seat)
        assert question is not None, "a seat that answered was asked"
        view = replace(history.table_at(found.move - 1, found.seat), agenda=live.agenda)
        known = _known(spec, view, rng)
        contenders = _contenders(spec, look, view, question, found.picks, budget, rng)
        if len(contenders) == 1:
            return replace(found, known=known, compared=True)
        rest = budget.playouts - budget.playouts // 2
        scored = _on_same_tables(judge, view, question, contenders, max(1, rest // len(contenders)), rng)
    except Exception:  # as in `_luck`
        return found
    played = next(one for one in scored if one.picks == contenders[-1])
    loss = scored[0].win_probability - played.win_probability
    return replace(found, known=known, best=scored[:SHOWN], loss=loss, compared=True)


def _known(spec: AgentSpec[Any], view: Table, rng: Rng) -> float:
    first = spec.game.seats[0]
    return fsum(spec.win_probability(spec.determinize(view, rng), first) for _ in range(KNOWN)) / KNOWN


def _contenders(
    spec: AgentSpec[Any],
    look: Look,
    view: Table,
    question: Prompt,
    picks: Picks,
    budget: Budget,
    rng: Rng,
) -> list[Picks]:
    """The best answers by a search, and last the one that was played; that one alone if there is no other."""
    own = _in_order(question, picks)
    if len(candidates(spec, view, question, 2, rng)) == 1:
        return [own]
    half = Budget(budget.playouts // 2, min(budget.candidates, max(2, budget.playouts // 2)))
    searched = look(spec, view, question, half, rng)
    found = dict.fromkeys(_in_order(question, action.picks) for action in searched)
    return [one for one in list(found)[:SHOWN] if one != own] + [own]


def _in_order(question: Prompt, picks: Picks) -> Picks:
    """The picks of a set in the order of the options, so that each set has one way."""
    return picks if question.ordered else tuple(option for option in question.options if option in picks)


def _on_same_tables(
    judge: AgentSpec[Any], view: Table, question: Prompt, contenders: Sequence[Picks], tables: int, rng: Rng
) -> tuple[Suggestion, ...]:
    """The answers with the mean win probability of the seat behind a playout, the best first; among equals
    the one that was played, which is the last of `contenders`.

    All of them are played on the same determinized tables, with the same random numbers, and on other tables
    than those on which the search chose them: the mean of what a search has chosen is too high on its own.
    """
    sums = dict.fromkeys(contenders, 0.0)
    for _ in range(tables):
        table, tape = judge.determinize(view, rng), Tape(rng)
        for picks in contenders:
            tape.rewind()
            sums[picks] += playout(judge, table, question, picks, tape)
    scored = (Suggestion(picks, sums[picks] / tables, tables) for picks in reversed(contenders))
    return tuple(sorted(scored, key=lambda one: -one.win_probability))


def summary(history: History, spec: AgentSpec[Any], moves: Sequence[MoveAnalysis]) -> Summary:
    """A match in a few numbers.

    Args:
        moves: all that `analyse` gave of it.
    """
    seats = spec.game.seats
    start = moves[0].before if moves else spec.win_probability(history.positions[-1].table, seats[0])
    result = _result(history, seats[0], moves[-1].after if moves else start)
    brought = fsum(one.luck for one in moves)
    choices = {seat: fsum(one.change - one.luck for one in moves if one.seat == seat) for seat in seats}
    ending = result - start - brought - fsum(choices.values())
    return Summary(seats[0], start, result, brought, choices, ending, turning_points(moves))


def _result(history: History, first: Seat, last: float) -> float:
    result = history.result
    if result is None:
        return last
    return 0.5 if result.winner is None else float(result.winner == first)


def turning_points(moves: Sequence[MoveAnalysis]) -> tuple[int, ...]:
    """The five moves with the greatest change, and all with a change of `TURN` or more, in their order."""
    ranked = sorted(moves, key=lambda one: (-abs(one.change), one.move))
    chosen = [one for place, one in enumerate(ranked) if one.change and (place < TURNING or _turns(one))]
    return tuple(sorted(one.move for one in chosen))


def _turns(one: MoveAnalysis) -> bool:
    return abs(one.change) >= TURN
