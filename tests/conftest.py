"""What all tests share."""

from __future__ import annotations

import pytest

from domain.game import Game
from domain.games import GAMES
from tests.domain import toy


@pytest.fixture
def toy_game(monkeypatch: pytest.MonkeyPatch) -> Game:
    """The toy game, in the house for one test."""
    monkeypatch.setitem(GAMES, "toy", toy.GAME)
    return toy.GAME
