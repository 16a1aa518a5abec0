"""Matches and tables of Twilight Struggle under options, named as players name them."""

from __future__ import annotations

from typing import Any

from domain.kernel import CHANCE, prompt
from domain.twilight_struggle import GAME
from domain.twilight_struggle.editions import first
from domain.twilight_struggle.editions import table as empty_table
from domain.twilight_struggle.state import State
from tests.domain.twilight_struggle.table import table
from tests.scenario import Scenario, given


def opened(edition: str = "deluxe", **options: Any) -> Scenario[State]:
    """A match with these options, up to its first question."""
    start = empty_table(*GAME.settle(edition, options))
    return given(start, do=first(start))


def dealt(match: Scenario[State]) -> Scenario[State]:
    """The match goes on with a deal, in which everybody gets what comes first in the alphabet."""
    while question := prompt(match.table, CHANCE):
        match.when(CHANCE, *question.options[: question.least])
    return match


def placed(match: Scenario[State], seat: str, country: str, times: int) -> Scenario[State]:
    """A seat puts one influence after another there."""
    for _ in range(times):
        match.when(seat, country)
    return match


def under(options: dict[str, Any], edition: str = "deluxe", **fields: Any) -> State:
    """A table in the middle of a match with these options (see `tests.domain.twilight_struggle.table`)."""
    settled = GAME.settle(edition, options)[1]
    return table(edition=edition, options=settled, **fields)
