"""How good forecasts are: what came true of those that were alike, their error, the mean of many numbers."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt

from msgspec import Struct

Z_99 = 2.5758  # standard deviations of a 99 % interval


class Forecast(Struct, frozen=True):
    """One position of a match (its number): `forecast` of the first seat, and what it `won` (1, 0.5, 0)."""

    match: int
    forecast: float
    won: float


class Tenth(Struct, frozen=True):
    """The forecasts between `number` tenths and the next: how many, of how many matches, and both means."""

    number: int
    positions: int
    matches: int
    forecast: float
    won: float

    @property
    def off(self) -> float:
        """By how much more often it came true than it was forecast."""
        return self.won - self.forecast


def tenths(some: Sequence[Forecast]) -> list[Tenth]:
    """The forecasts by tenths; a tenth without any is left out."""
    by_number: dict[int, list[Forecast]] = {}
    for one in some:
        by_number.setdefault(min(int(10 * one.forecast), 9), []).append(one)
    return [_tenth(number, by_number[number]) for number in sorted(by_number)]


def _tenth(number: int, some: Sequence[Forecast]) -> Tenth:
    forecast, won = fsum(one.forecast for one in some), fsum(one.won for one in some)
    matches = len({one.match for one in some})
    return Tenth(number, len(some), matches, forecast / len(some), won / len(some))


def brier(some: Sequence[Forecast]) -> float:
    """The mean squared error of forecasts; 0.25 for one that always says 0.5 where there is no draw.

    Raises:
        ValueError: there are none.
    """
    if not some:
        raise ValueError("there are no forecasts")
    return fsum((one.forecast - one.won) ** 2 for one in some) / len(some)


def mean_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """The mean of independent numbers, and its interval at 99 % (normal).

    Raises:
        ValueError: there are fewer than two.
    """
    count = len(values)
    if count < 2:
        raise ValueError("an interval needs two numbers")
    mean = fsum(values) / count
    spread = sqrt(fsum((value - mean) ** 2 for value in values) / (count - 1) / count)
    return mean, mean - Z_99 * spread, mean + Z_99 * spread
