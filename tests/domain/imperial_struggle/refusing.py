"""What is refused in an action round, and how a cost is shown."""

from __future__ import annotations

import pytest

from domain.imperial_struggle import GAME
from domain.imperial_struggle.state import State
from domain.kernel import Answer, Detail, Refused, decide, detailed, prompt
from tests.scenario import Scenario


def refusal(game: Scenario[State], seat: str, pick: str) -> str:
    """The book and section that a refusal names; the answer leaves no trace."""
    return refused(game, seat, pick).rule


def refused(game: Scenario[State], seat: str, pick: str) -> Refused:
    """The refusal of one pick."""
    with pytest.raises(Refused) as found:
        decide(game.table, Answer(seat, (pick,)))
    return found.value


def told(game: Scenario[State], seat: str, pick: str, language: str = "en") -> str:
    """What a refusal says in a language."""
    illegal = refused(game, seat, pick)
    assert illegal.legal is not None
    assert illegal.fault is not None
    return GAME.texts[language].refused(illegal.legal, illegal.fault)


def shown(game: Scenario[State], seat: str, pick: str) -> Detail:
    """Cost and working that the prompt shows of an option."""
    question = prompt(game.table, seat)
    assert question is not None
    return detailed(game.table, question).details[pick]
