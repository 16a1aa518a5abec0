"""Simulated tournaments that several modules read; each is made once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from domain.games import GAMES
from replay.tournaments.simulation import Plan, SimulatedRound, simulate
from tests.domain import toy

SMALL = Plan(players=17, rounds=5, forfeits=0.1, byes=0.06, withdrawals=0.04, seed=11)


@pytest.fixture(scope="session")
def small() -> list[SimulatedRound]:
    """17 players, 5 rounds, with forfeits, asked byes, withdrawals and the engine's byes."""
    return list(simulate(SMALL))


@pytest.fixture(scope="module")
def house() -> Iterator[None]:
    """The toy game, in the house for one module."""
    GAMES["toy"] = toy.GAME
    yield
    del GAMES["toy"]
