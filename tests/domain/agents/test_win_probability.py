"""The win probability of a table: bounds, both seats, results, and versions that stay apart."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from domain.agents import AGENTS
from domain.agents.spec import JUDGING, NOT_DECIDING
from domain.agents.win_probability import Fitted
from domain.kernel import Result
from tests.matches import finished

EVEN = Fitted(10.0, 4.0, 0.0, 0.0, 1.0, 1.0, agent="", matches=0, seed="")


@pytest.mark.parametrize("game", AGENTS)
def test_both_seats_together_have_one_and_a_result_is_certain(game: str) -> None:
    spec = AGENTS[game]
    first, second = spec.game.seats
    for position in finished(spec.game, 4).match.positions[3:-2:7]:
        table: Any = position.table
        one, other = spec.win_probability(table, first), spec.win_probability(table, second)
        assert one + other == pytest.approx(1)
        assert 0 <= one <= 1
        for winner, chance in ((first, 1.0), (second, 0.0), (None, 0.5)):
            assert spec.win_probability(replace(table, result=Result(winner, "x")), first) == chance


def test_more_value_is_more_probability_and_counts_for_more_late() -> None:
    early, late = ([EVEN.at(value, played) for value in range(-50, 51, 10)] for played in (0.1, 0.9))
    assert early == sorted(early)
    assert late == sorted(late)
    assert late[-1] > early[-1] > 0.5 > early[0] > late[0]
    assert EVEN.at(0, 0.5) == 0.5
    assert EVEN.at(1e9, 1.0) == EVEN.at(40.0, 1.0)  # what is more than the bound changes nothing


@pytest.mark.parametrize("game", AGENTS)
def test_what_judges_matches_changes_no_version_of_a_bot(game: str) -> None:
    """Strengths name the version that plays; other coefficients must not look like another bot."""
    spec = AGENTS[game]
    assert JUDGING <= NOT_DECIDING
    assert spec.judging_version.endswith(spec.version[:8])
    assert spec.judging_version[:8] != spec.version[:8]
    assert len({other.judging_version for other in AGENTS.values()}) == len(AGENTS)
