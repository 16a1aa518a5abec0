"""What must hold of the agents of every game, checked over matches of random answers.

A *world* is the true table.  Two worlds that a seat cannot tell apart differ in where two unseen cards lie.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from domain.agents.observation import Observation, observe, table_of
from domain.agents.spec import AgentSpec
from domain.kernel import CHANCE, Answer, Seat, asked, decide, prompt
from tests.domain.played import Played, walk
from tests.domain.properties import MOST_ANSWERS, random_answer, words_of
from tests.domain.viewers import agree, exchanged, unseen_pair


class Question(Struct, frozen=True):
    """One question of a played match: the world, the asked seat's own fold of it, and what it observes."""

    world: Any
    view: Any
    seat: Seat
    observation: Observation


def questions(spec: AgentSpec[Any], played: Played) -> Iterator[Question]:
    """Every question that a match put to a seat."""
    for place, (_, decision) in enumerate(played):
        for seat in asked(decision.table):
            if seat != CHANCE:
                view = played.told_between(seat)[place]
                yield Question(decision.table, view, seat, observed(spec, decision.table, view, seat))


def observed(spec: AgentSpec[Any], world: Any, view: Any, seat: Seat) -> Observation:
    """What the seat observes in a world."""
    question = prompt(world, seat)
    assert question is not None
    return observe(spec.game, view, world.agenda, question)


def other_world(spec: AgentSpec[Any], question: Question, luck: Random) -> Any | None:
    """A world that the seat cannot tell apart; None if the seat knows where everything lies."""
    pair = unseen_pair(question.view, luck)
    return exchanged(spec.game, question.world, *pair) if pair else None


def check_determinization(spec: AgentSpec[Any], question: Question, seed: int) -> Any:
    """A determinized table agrees with the view, knows everything, asks the same, and repeats."""
    view = table_of(spec.game, question.observation)
    assert replace(view, agenda=()) == replace(question.view, agenda=())
    table = spec.determinize(view, Random(seed))
    assert table == spec.determinize(table_of(spec.game, question.observation), Random(seed))
    agree(table, question.view, "table")
    agree(table, table, "table")
    assert "?" not in set(_faces(table)), f"a face is unknown: {table}"
    assert table.agenda == question.world.agenda
    assert prompt(table, question.seat) == question.observation.prompt
    return table


def _faces(table: Any) -> Iterator[str]:
    for item in walk(table, ("agenda", "options")):
        yield from (item,) if isinstance(item, str) else (*item.cards, *item.top, *item.bottom)
    yield from words_of(table.agenda)


def play_out(table: Any, luck: Random) -> None:
    """A table can be played to its end with random answers."""
    for _ in range(MOST_ANSWERS):
        seats = asked(table)
        if not seats:
            assert table.result is not None
            return
        table = decide(table, random_answer(table, luck.choice(seats), luck)).table
    raise AssertionError("the determinized table does not end")


def answer_of(observation: Observation, picks: tuple[str, ...]) -> Answer:
    """An answer to the question of an observation."""
    return Answer(observation.seat, picks)
