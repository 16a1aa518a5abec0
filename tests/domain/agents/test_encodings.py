"""Encodings: numbers with names, pinned in their order, that say what a seat knows ."""

from __future__ import annotations

from math import isfinite
from random import Random
from typing import Any

import pytest

from domain.agents import AGENTS
from domain.agents.encoding import Encoding
from tests.domain.agents.laws import Question, questions
from tests.domain.properties import random_match
from tests.proofs.test_random_matches import settled

GAMES = sorted(AGENTS)
SAMPLE = {"thirteen_minutes": 6, "cia_vs_kgb": 2, "twilight_struggle": 3, "imperial_struggle": 1}
LARGE = 40.0  # no number comes near it: sums of points, divided by a few

# See PINNED of test_actions.
PINNED = {
    "tm/1": "62d99f855fe8454c",
    "cia/1": "40af32b2213afd72",
    "ts/1": "70db0259fbce5a97",
    "is/1": "b4d9ac2e20e15a51",
}


def encoding_of(game: str) -> Encoding[Any]:
    """The encoding of a match with the default options."""
    spec = AGENTS[game]
    return spec.encoding(spec.game.settle(None, {})[1])


def encoded(encoding: Encoding[Any], question: Question) -> list[float]:
    """What the asked seat knows, as numbers."""
    out = [0.0] * encoding.size
    encoding.encode(question.view, question.seat, out, question.observation.prompt)
    return out


@pytest.mark.parametrize("game", GAMES)
def test_the_order_of_numbers_is_pinned(game: str) -> None:
    encoding = encoding_of(game)
    assert PINNED[encoding.name] == encoding.hash
    assert len(set(encoding.names)) == encoding.size


@pytest.mark.parametrize("game", GAMES)
def test_every_number_is_finite_and_small(game: str) -> None:
    spec, encoding, told = AGENTS[game], encoding_of(game), set[int]()
    for seed in range(SAMPLE[game]):
        luck, (edition, options) = settled(spec.game, seed)
        for question in questions(spec, random_match(spec.game, luck, edition, options)):
            numbers = encoded(encoding, question)
            assert len(numbers) == encoding.size
            assert all(isfinite(number) and abs(number) < LARGE for number in numbers)
            told.update(place for place, number in enumerate(numbers) if number)
    assert len(told) > encoding.size / 8, "few of the numbers ever say anything"


class Watched:
    """A table that notes which of its fields are read."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self.read = set[str]()

    def __getattr__(self, name: str) -> Any:
        self.read.add(name)
        return getattr(self._table, name)


class Written:
    """Numbers that note where they are written."""

    def __init__(self) -> None:
        self.places = set[int]()

    def __setitem__(self, place: int, value: float) -> None:
        self.places.add(place)


@pytest.mark.parametrize("game", GAMES)
def test_a_part_reads_and_writes_only_what_it_says(game: str) -> None:
    """Else `update` would leave numbers as they were."""
    spec, encoding = AGENTS[game], encoding_of(game)
    places = [place for part in encoding.parts for place in part.places]
    assert sorted(places) == list(range(len(places)))
    assert encoding.names[len(places)].startswith("asked/")
    for question in questions(spec, random_match(spec.game, Random(2))):
        for part in encoding.parts:
            table, out = Watched(question.view), Written()
            part.write(table, question.seat, out)
            assert table.read <= part.fields
            assert out.places <= set(part.places)


def test_a_seat_is_told_its_own_cards_and_not_those_of_the_other() -> None:
    spec, encoding = AGENTS["thirteen_minutes"], encoding_of("thirteen_minutes")
    for question in questions(spec, random_match(spec.game, Random(1))):
        numbers = dict(zip(encoding.names, encoded(encoding, question), strict=True))
        own, other = (
            {
                name.partition("/")[2]
                for name in numbers
                if name.startswith(f"{whose}_hand/") and numbers[name]
            }
            for whose in ("own", "other")
        )
        side = next(side for side, seat in question.world.seats.items() if seat == question.seat)
        opponent = next(side for side in question.world.seats if question.world.seats[side] != question.seat)
        assert own == set(question.world.hands[side])
        assert other == set(question.view.hands[opponent]) - {"?"}
        assert numbers[f"asked/{question.observation.prompt.ask}"] == 1
