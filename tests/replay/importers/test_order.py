"""Action rounds whose number does not fit between their neighbours."""

from __future__ import annotations

import pytest

from replay.importers.twilight_struggle.sections import in_order
from replay.importers.twilight_struggle.structure import ActionRound, Log, Turn


def log_with(*rounds: tuple[str, int]) -> Log:
    """A first turn with these action rounds, a line for each."""
    entries = (ActionRound(line=line, side=side, number=n) for line, (side, n) in enumerate(rounds, 1))
    return Log(ussr="Ada", us="Grace", turns=(Turn(1, rounds=tuple(entries)),))


@pytest.mark.parametrize(
    ("rounds", "wrong"),
    [
        ([("ussr", 1), ("us", 1), ("ussr", 2)], []),
        ([("ussr", 1), ("us", 1), ("ussr", 3), ("us", 2), ("ussr", 3)], [(3, 3, 2)]),
        ([("ussr", 1), ("us", 1), ("ussr", 1), ("us", 2), ("ussr", 3)], [(3, 1, 2)]),
        ([("ussr", 0), ("us", 1)], [(1, 0, 1)]),
        ([("ussr", 5), ("us", 5), ("ussr", 6), ("us", 5)], [(4, 5, 6)]),
        ([("ussr", 1), ("us", 1), ("ussr", 3)], []),  # the rounds between were passed in silence
    ],
)
def test_a_number_that_does_not_fit_is_replaced(
    rounds: list[tuple[str, int]], wrong: list[tuple[int, int, int]]
) -> None:
    ordered, found = in_order(log_with(*rounds))
    assert found == wrong
    places = [2 * entry.number + (entry.side == "us") for entry in ordered.turns[0].rounds]
    assert places == sorted(set(places))
