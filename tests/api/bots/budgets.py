"""A level with another budget: the same code, more or less of it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from api.bots.levels import LEVELS, Level
from domain.agents.spec import Budget


def with_budget(level: str, playouts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a level so many playouts in every game, until the test is over."""
    methods = {game: replace(one, budget=Budget(playouts)) for game, one in LEVELS[level].methods.items()}
    monkeypatch.setitem(LEVELS, level, Level(level, methods))
