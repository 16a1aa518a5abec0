"""Every reading is a named option with a default, recorded in the first event and in force on the table."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from domain.cia_vs_kgb import GAME
from domain.cia_vs_kgb.state import State
from domain.kernel import Refused
from tests.domain.cia_vs_kgb.tables import fresh

DEFAULTS = {
    "disorder_claim": "immediate",
    "tie_break": "faction_sum",
    "double_analyst": "token_owner",
    "complete_tie": "under_deck",
    "idle_activation": "forbidden",
    "political_ban": "gifts",
    "first_balance": "guess",
    "double_agent_target": "any",
    "score_limit": 100,
    "turn_limit": 50,
}


def test_defaults_are_written_out() -> None:
    assert GAME.settle(None, {}) == ("standard", DEFAULTS)


def test_the_table_without_options_follows_the_same_defaults() -> None:
    assert msgspec.structs.asdict(fresh().options) == DEFAULTS


def test_a_match_of_before_keeps_the_reading_it_was_opened_with() -> None:
    """The Double Agent could not send the Deputy Director away; the limit of turns holds for it, too."""
    _, options = GAME.settle(None, {})
    del options["double_agent_target"], options["turn_limit"]
    table = GAME.table("standard", options)
    assert isinstance(table, State)
    readings = table.options
    assert msgspec.structs.asdict(readings) == {**DEFAULTS, "double_agent_target": "not_deputy_director"}


@pytest.mark.parametrize("option", [option for option in GAME.options if option.choices])
def test_every_choice_reaches_the_table(option: Any) -> None:
    for choice in option.choices:
        assert getattr(fresh(**{option.name: choice}).options, option.name) == choice


@pytest.mark.parametrize("limit", [5, 100, 100_000])
def test_score_limit_in_range(limit: int) -> None:
    assert fresh(score_limit=limit).options.score_limit == limit


@pytest.mark.parametrize("limit", [4, 100_001, None, "100", True])
def test_score_limit_out_of_range_is_refused(limit: Any) -> None:
    with pytest.raises(Refused, match="5 to 100000"):
        GAME.settle(None, {"score_limit": limit})


def test_unknown_readings_are_refused() -> None:
    with pytest.raises(Refused, match="faction_sum, highest_group"):
        GAME.settle(None, {"tie_break": "coin"})
    with pytest.raises(Refused, match="no option"):
        GAME.settle(None, {"house_rule": True})
    with pytest.raises(Refused, match="no edition"):
        GAME.settle("deluxe", {})
