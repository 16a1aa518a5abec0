"""Where a log leaves something open: dice that it does not give, an end that it only names."""

from __future__ import annotations

import pytest

from domain.kernel import Result
from domain.twilight_struggle.facts.tracks import ContestRolled, ScoreMoved
from replay.importers.twilight_struggle.report import Imported, imported
from tests.matches import PRODUCT

SET_UP = """\
SETUP: : Ada will play as USSR.
Grace will play as USA.
Handicap influence: US +2
Scenario: Standard
Optional Cards Added
USSR +6 in Poland [0][6]
US +7 in Italy [7][0]
US +2 in Iran [3][0]

"""
HEADLINES = """\
Turn 1, Headline Phase: Fidel* & Truman Doctrine*: USSR Headlines Fidel*
US Headlines Truman Doctrine*
Event: Fidel*
USSR +3 in Cuba [0][3]

Event: Truman Doctrine*
USSR -1 in Finland [0][0]

"""
INVITED = """\
Turn 1, USSR AR1: Olympic Games: Event: Olympic Games
US chooses to participate in the Olympics
"""


def log(text: str) -> Imported:
    return imported((SET_UP + HEADLINES + text).encode(), PRODUCT)


@pytest.mark.parametrize("winner", ["us", "ussr"])
def test_dice_that_no_log_gives_are_any_that_fit(winner: str) -> None:
    """Olympic Games: a log says who gained the points, not what was rolled."""
    found = log(f"{INVITED}{winner.upper()} gains 2 VP. Score is {winner.upper()} 2.\n")
    assert found.clean, found.mismatches
    facts = [fact for record in found.match.records for fact in record.facts]
    assert [fact.winner for fact in facts if isinstance(fact, ContestRolled)] == [winner]
    assert ScoreMoved(winner, 2, 2 if winner == "us" else -2, "olympic_games") in facts


def test_a_log_that_stops_before_the_outcome_ends_there() -> None:
    """No pair of dice is without a winner for ever, so nothing is rolled."""
    found = log(INVITED)
    assert found.result is None
    assert found.match.status == "over"
    assert all(not isinstance(fact, ContestRolled) for record in found.match.records for fact in record.facts)


@pytest.mark.parametrize(
    ("words", "winner"), [("US wins by Resignation", "us"), ("USSR wins by Time", "ussr")]
)
def test_a_winner_that_only_the_log_knows_is_the_result(words: str, winner: str) -> None:
    """A resignation, the clock: our rules know nothing of them."""
    found = log(f"{INVITED}US gains 2 VP. Score is US 2.\n\n: : \n\n{words}\n")
    assert found.clean, (found.mismatches, found.unread)
    assert found.result == Result(winner, "record", {"us": 2, "ussr": -2})


def test_headlines_that_are_missing_are_a_mismatch_and_no_error() -> None:
    found = imported((SET_UP + INVITED).encode(), PRODUCT)
    assert not found.clean
    assert found.match.status == "over"


def test_without_a_consistent_deal_the_outcomes_are_imported_and_it_says_why() -> None:
    """CIA Created shows two cards where counting gives six, and then a third one is played."""
    found = log(
        "Turn 1, USSR AR1: Nasser*: Event: Nasser*\nUSSR +2 in Egypt [0][2]\n\n"
        "Turn 1, US AR1: CIA Created*: Event: CIA Created*\nUSSR reveals NATO*\nUSSR reveals Blockade*\n"
        "Place Influence (1 Ops):\nUS +1 in Jordan [1][0]\n\n"
        "Turn 1, USSR AR2: Containment*: Place Influence (3 Ops):\nUSSR +3 in Egypt [0][5]\n\n"
        "Event: Containment*\n"
    )
    assert found.clean, found.mismatches
    assert found.plays == 3
    assert found.match.live.influence["ussr"]["egypt"] == 5
    assert any("containment" in problem for problem in found.deal_problems)
