"""The check that no viewer sees more than a seat may: it compares different worlds, and finds leaks."""

from __future__ import annotations

from random import Random
from typing import Any
from zlib import crc32

import pytest
from msgspec.structs import replace

from domain.agents import AGENTS
from domain.kernel import Answer, Decision, Prompt, Seat, decide, prompt
from tests.domain import viewers
from tests.domain.agents.laws import as_sets
from tests.domain.played import Played
from tests.domain.properties import random_match
from tests.domain.viewers import check_secrets

COMPARED = {"thirteen_minutes": 100, "cia_vs_kgb": 100, "twilight_struggle": 400, "imperial_struggle": 400}


def played(game: str) -> Played:
    """A match with random answers."""
    return random_match(AGENTS[game].game, Random(3))


@pytest.mark.parametrize("game", AGENTS)
def test_the_worlds_that_are_compared_differ(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    differing, exchanged = 0, viewers.exchanged

    def counted(of: Any, table: Any, first: str, second: str) -> Any:
        nonlocal differing
        other = exchanged(of, table, first, second)
        differing += as_sets(other) != as_sets(table)
        return other

    monkeypatch.setattr(viewers, "exchanged", counted)
    compared = check_secrets(AGENTS[game].game, played(game))
    assert differing == compared >= COMPARED[game]


@pytest.mark.parametrize("game", AGENTS)
def test_a_prompt_that_shows_a_hidden_place_is_found(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def peeking(table: Any, seat: Seat) -> Prompt | None:
        question = prompt(table, seat)
        return question and replace(question, options=(*question.options, str(as_sets(table))))

    monkeypatch.setattr(viewers, "prompt", peeking)
    with pytest.raises(AssertionError, match=r"the prompt of .* depends on"):
        check_secrets(AGENTS[game].game, played(game))


@pytest.mark.parametrize("game", AGENTS)
def test_an_outcome_that_shows_a_hidden_place_is_found(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def peeking(table: Any, answer: Answer) -> Decision[Any]:
        """One fact less at every second table."""
        found = decide(table, answer)
        return replace(found, facts=found.facts[crc32(str(as_sets(table)).encode()) % 2 :])

    monkeypatch.setattr(viewers, "decide", peeking)
    with pytest.raises(AssertionError, match="follows depends on"):
        check_secrets(AGENTS[game].game, played(game))
