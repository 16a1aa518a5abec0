"""What must hold of the agents of every game, checked over matches of random answers.

A *world* is the true table.  Two worlds that a seat cannot tell apart differ in what it has not seen: where
two cards lie, or all that is hidden, sealed answers too.
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
from domain.piles import Pile
from tests.domain.played import Played, walk
from tests.domain.properties import MOST_ANSWERS, random_answer, words_of
from tests.domain.viewers import agree, exchanged, unseen_pair

TRIES = 20  # to find a world that differs


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
    return unlike(spec, question.world, question.view, luck)


def unlike(spec: AgentSpec[Any], world: Any, view: Any, luck: Random) -> Any | None:
    """Another world for the seat that has this view; None if there seems to be none.

    In about every second try two cards change places, in the others all that is hidden is drawn anew.  In CIA
    vs. KGB unseen cards of a kind mostly lie in one pile, so there everything is drawn anew.
    """
    known, true = replace(view, agenda=world.agenda), as_sets(world)
    for _ in range(TRIES):
        pair = unseen_pair(view, luck) if luck.random() < 0.5 and spec.game.name != "cia_vs_kgb" else None
        other = exchanged(spec.game, world, *pair) if pair else spec.determinize(known, luck)
        if as_sets(other) != true:
            return other
    return None


def as_sets(table: Any) -> Any:
    """What a table says, without the order of ids where it has no meaning."""
    if isinstance(table, Pile):
        return sorted(table.cards), table.top, table.bottom
    if isinstance(table, Struct):
        return {name: as_sets(getattr(table, name)) for name in table.__struct_fields__ if name != "agenda"}
    if isinstance(table, dict):
        return {key: as_sets(item) for key, item in table.items()}
    if isinstance(table, tuple) and all(isinstance(item, str) for item in table):
        return sorted(table)
    return [as_sets(item) for item in table] if isinstance(table, tuple) else table


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
