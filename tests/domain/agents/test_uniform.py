"""Each unseen card lies in each unseen place equally often on determinized tables (B6)."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from functools import cache
from random import Random
from typing import Any

import pytest
from msgspec import Struct

from domain.agents import AGENTS
from domain.agents.observation import table_of
from domain.agents.spec import AgentSpec
from domain.imperial_struggle.steps.flow import eligible
from domain.kernel import HIDDEN, Seat
from tests.domain.agents.laws import Question
from tests.domain.agents.test_determinization import asked_of

DRAWN = 20_000 if os.environ.get("GLASNOST_FULL") else 2_000  # tables of one view
FEW = 400  # tables of one view in the quick tests
RARE = 3.719  # standard deviations that one of 10,000 values exceeds on one side
ENOUGH = 5.5  # standard deviations of a count that is right in all but one of 20 million cases
SEED = 5  # of a match that has a question with hidden cards in each place

Ids = Iterable[str]


class Place(Struct, frozen=True):
    """Where hidden cards lie: `possible` are the cards of which any may lie there, for a seat's opponent."""

    held: Callable[[Any, Seat], Ids]
    possible: Callable[[Any, Seat], Ids]


def _fixed(pile: str) -> Place:
    """The top and bottom cards of a pile."""
    return Place(
        lambda table, seat: getattr(table, pile).top + getattr(table, pile).bottom,
        lambda view, seat: getattr(view, pile).cards,
    )


DEALT = Place(lambda table, seat: table.hands[seat], lambda view, seat: view.deck.cards)
PLACES = {
    ("thirteen_minutes", "hands"): DEALT,
    ("twilight_struggle", "hands"): DEALT,
    ("imperial_struggle", "hands"): DEALT,
    ("cia_vs_kgb", "groups"): _fixed("groups"),
    ("cia_vs_kgb", "objectives"): _fixed("objectives"),
    ("cia_vs_kgb", "sent"): Place(
        lambda table, seat: [table.sent.get(seat, "")], lambda view, seat: view.headquarters[seat]
    ),
    ("imperial_struggle", "front"): Place(
        lambda table, seat: table.front[seat].values(), lambda view, seat: view.basics[seat].cards
    ),
    ("imperial_struggle", "reinforcements"): Place(
        lambda table, seat: [tile for tiles in table.reinforcements[seat].values() for tile in tiles],
        lambda view, seat: view.bonuses[seat].cards,
    ),
    ("imperial_struggle", "ministries"): Place(lambda table, seat: table.ministries[seat], eligible),
}
ROWS = sorted(PLACES)


class Case(Struct, frozen=True):
    """A question that the opponent's place of hidden cards belongs to."""

    place: Place
    question: Question
    opponent: Seat

    def unseen(self) -> list[str]:
        """The cards of which any may lie there."""
        view, seat = self.question.view, self.opponent
        return sorted(set(self.place.possible(view, seat)) - set(self.place.held(view, seat)))

    def hidden(self) -> int:
        """How many of them lie there."""
        return list(self.place.held(self.question.view, self.opponent)).count(HIDDEN)

    def is_open(self) -> bool:
        """Can different cards lie there?"""
        return 0 < self.hidden() < len(self.unseen())


@cache
def case_of(game: str, name: str) -> Case:
    """The first question of a match in which different cards can lie in a place."""
    spec, place = AGENTS[game], PLACES[game, name]
    cases = (
        Case(place, question, seat)
        for question in asked_of(spec, SEED)
        for seat in spec.game.seats
        if seat != question.seat
    )
    return next(case for case in cases if case.is_open())


@pytest.mark.parametrize(("game", "name"), ROWS)
def test_each_unseen_card_lies_in_each_unseen_place_equally_often(game: str, name: str) -> None:
    check_uniform(AGENTS[game], case_of(game, name), FEW)


@pytest.mark.long
@pytest.mark.parametrize(("game", "name"), ROWS)
def test_many_tables_of_one_view_are_uniform(game: str, name: str) -> None:
    squares, degrees = check_uniform(AGENTS[game], case_of(game, name), DRAWN)
    assert squares < critical(degrees), (squares, degrees)
    said = f"chi-square {squares:.1f} of {degrees} degrees, p > 0.0001"
    print(f"{game}, {name}: {DRAWN} tables of one view, {said}")


def check_uniform(spec: AgentSpec[Any], case: Case, tables: int) -> tuple[float, int]:
    """Each unseen card lies in the place as often as the number of hidden cards there says.

    Returns chi-square of all cards together, and its degrees of freedom.
    """
    view, rng = table_of(spec.game, case.question.observation), Random(6)
    unseen, hidden = case.unseen(), case.hidden()
    drawn = (spec.determinize(view, rng) for _ in range(tables))
    every = Counter(card for table in drawn for card in case.place.held(table, case.opponent))
    counts = {card: every[card] for card in unseen}
    share = hidden / len(unseen)
    spread = (tables * share * (1 - share)) ** 0.5
    assert sum(counts.values()) == tables * hidden
    for card, count in counts.items():
        assert abs(count - tables * share) < ENOUGH * spread, (card, count, tables * share)
    degrees = len(unseen) - 1  # each table has the same number of hidden cards
    squares = sum((count - tables * share) ** 2 for count in counts.values()) / spread**2
    return squares * degrees / len(unseen), degrees


def critical(degrees: int) -> float:
    """What chi-square exceeds with p = 0.0001, as Wilson and Hilferty approximate it."""
    part = 2 / (9 * degrees)
    root: float = 1 - part + RARE * part**0.5
    return degrees * root**3


@pytest.mark.parametrize(("degrees", "known"), [(10, 35.564), (30, 67.633), (100, 161.319)])
def test_the_critical_values_are_those_of_the_tables(degrees: int, known: float) -> None:
    assert critical(degrees) == pytest.approx(known, rel=0.02)


def test_a_determinization_that_prefers_a_place_is_found() -> None:
    """A card that always lies in the hand, where it can."""
    spec, case = AGENTS["twilight_struggle"], case_of("twilight_struggle", "hands")
    favourite = case.unseen()[0]

    def determinize(view: Any, rng: Any) -> Any:
        tables = (spec.determinize(view, rng) for _ in range(2))
        return max(tables, key=lambda table: favourite in table.hands[case.opponent])

    biased = copy(spec)
    biased.determinize = determinize
    with pytest.raises(AssertionError):
        check_uniform(biased, case, FEW)


def _unshuffled(values: Sequence[str], rng: Any) -> None:
    """Leave all in its order."""


def _the_first(values: Sequence[str], rng: Any) -> str:
    return values[0]


def _first_ones(values: Sequence[str], count: int, rng: Any) -> tuple[str, ...]:
    return tuple(values[:count])


@pytest.mark.parametrize(
    ("game", "name", "function", "mutant"),
    [
        ("cia_vs_kgb", "groups", "determinization.shuffle", _unshuffled),
        ("cia_vs_kgb", "objectives", "determinization.shuffle", _unshuffled),
        ("cia_vs_kgb", "sent", "cia_vs_kgb.determinization.choose", _the_first),
        ("imperial_struggle", "front", "determinization.shuffle", _unshuffled),
        ("imperial_struggle", "reinforcements", "determinization.shuffle", _unshuffled),
        ("imperial_struggle", "ministries", "imperial_struggle.determinization.sample", _first_ones),
    ],
)
def test_a_determinization_without_chance_is_found(
    monkeypatch: pytest.MonkeyPatch, game: str, name: str, function: str, mutant: Callable[..., object]
) -> None:
    case = case_of(game, name)
    monkeypatch.setattr(f"domain.agents.{function}", mutant)
    with pytest.raises(AssertionError):
        check_uniform(AGENTS[game], case, FEW)
