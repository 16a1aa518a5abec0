"""What all tests share."""

from __future__ import annotations

import pytest

from domain.game import Game
from domain.games import GAMES
from tests.domain import swap, toy


@pytest.fixture
def toy_game(monkeypatch: pytest.MonkeyPatch) -> Game:
    """The toy game, in the house for one test."""
    monkeypatch.setitem(GAMES, "toy", toy.GAME)
    return toy.GAME


@pytest.fixture
def swap_game(monkeypatch: pytest.MonkeyPatch) -> Game:
    """The game whose players may change places, in the house for one test."""
    monkeypatch.setitem(GAMES, "swap", swap.GAME)
    return swap.GAME
