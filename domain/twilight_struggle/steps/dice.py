"""Dice: their faces, and the labels of their draws."""

from __future__ import annotations

from domain.kernel import Seat
from domain.twilight_struggle.state import State

DICE = ("1", "2", "3", "4", "5", "6")
PAIRS = tuple(f"{us}{ussr}" for us in DICE for ussr in DICE)  # a die of the US, then one of the USSR


def coordinates(s: State, seat: Seat, what: str) -> str:
    """The place in the match at which a die is rolled, as a label."""
    return f"die/t{s.turn}/r{s.round}/{seat}/{what}"
