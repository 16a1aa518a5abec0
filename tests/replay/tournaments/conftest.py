"""Simulated tournaments that several modules read; each is made once."""

from __future__ import annotations

import pytest

from replay.tournaments.simulation import Plan, SimulatedRound, simulate

SMALL = Plan(players=17, rounds=5, forfeits=0.1, byes=0.06, withdrawals=0.04, seed=11)


@pytest.fixture(scope="session")
def small() -> list[SimulatedRound]:
    """17 players, 5 rounds, with forfeits, asked byes, withdrawals and the engine's byes."""
    return list(simulate(SMALL))
