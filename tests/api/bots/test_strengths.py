"""A measured strength is shown only while both levels play as they did then."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from api.bots import strengths
from api.bots.levels import EASY, HARD, agent_of, version_of
from api.bots.strengths import Strength, strength_of
from tests.api.bots.budgets import with_budget

GAME = "cia_vs_kgb"


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> Strength:
    """`hard` against `easy`, with 30 and 6 playouts; both play so now."""
    with_budget(HARD, 30, monkeypatch)
    with_budget(EASY, 6, monkeypatch)
    version = version_of(HARD, GAME)
    row = Strength(HARD, GAME, version, EASY, 4, 3.0, 0.3, 0.95, 1.0, 2.0, "1", {"won: score_limit": 3}, {})
    row = replace(row, playouts=30, against_agent=agent_of(EASY, GAME))
    monkeypatch.setattr(strengths, "measured", lambda: (row,))
    return row


def test_a_strength_is_that_of_both_agents(measured: Strength) -> None:
    assert strength_of(HARD, GAME) == measured
    assert strength_of(HARD, "thirteen_minutes") is None


@pytest.mark.parametrize("level", [EASY, HARD])
def test_with_another_budget_of_either_level_there_is_none(
    measured: Strength, level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_budget(level, 31, monkeypatch)
    assert strength_of(HARD, GAME) is None


def test_what_was_not_noted_counts_as_it_did(measured: Strength, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that are older than the notes of the budgets."""
    old = replace(measured, playouts=None, against_agent="")
    monkeypatch.setattr(strengths, "measured", lambda: (old,))
    with_budget(EASY, 31, monkeypatch)
    assert strength_of(HARD, GAME) == old
    monkeypatch.setattr(strengths, "measured", lambda: (replace(old, version="0123456789abcdef"),))
    assert strength_of(HARD, GAME) is None
