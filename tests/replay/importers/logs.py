"""Small logs, written for the tests."""

from __future__ import annotations

from replay.importers.twilight_struggle.reader import read
from replay.importers.twilight_struggle.structure import ActionRound, Log, Statements

SET_UP = """SETUP: : Ada will play as USSR.
Grace will play as USA.
Handicap influence: US +1
Scenario: Standard
Optional Cards Added
Time per Player: 7 Hours
USSR +6 in Hungary [0][6]
US +5 in Greece [5][0]"""
HEADLINES = """Turn 1, Headline Phase: Blockade* & Fidel*: USSR Headlines Blockade*
US Headlines Fidel*
Event: Fidel*
USSR +9 in Cuba [0][9]

Event: Blockade*
US -5 in West Germany [0][0]"""


def log_of(*entries: str, set_up: str = SET_UP) -> Log:
    """The set-up, and then these entries with a blank line before each."""
    return read(("\n\n".join((set_up, *entries)) + "\n").encode())


def round_of(text: str, card: str = "Nasser*") -> ActionRound:
    """The first action round of the USSR, with this text."""
    return log_of(HEADLINES, f"Turn 1, USSR AR1: {card}: {text}").turns[0].rounds[0]


def said_in(text: str, card: str = "Nasser*") -> Statements:
    """What an action round with this text says."""
    return round_of(text, card).said
