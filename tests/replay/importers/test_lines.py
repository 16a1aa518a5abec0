"""Every kind of line, and what it says."""

from __future__ import annotations

import pytest

from replay.importers.twilight_struggle.lines import statement
from replay.importers.twilight_struggle.structure import (
    NOBODY,
    ChoosesRegion,
    CoupRoll,
    Defcon,
    Discards,
    EventNamed,
    HasNone,
    Headlined,
    InfluenceChange,
    InPlay,
    Military,
    NotInPlay,
    Olympics,
    OpsHeader,
    Plays,
    RealignmentRoll,
    Reshuffle,
    Returns,
    Reveals,
    Score,
    SpaceAdvance,
    SpaceRoll,
    Statement,
    Target,
    TrapRoll,
    Unread,
    WarBegins,
    WarRoll,
    Wins,
)

LINES: list[tuple[str, Statement]] = [
    ("US +12 in Burma [13][2]", InfluenceChange(7, "us", 12, "burma", 13, 2)),
    ("USSR -5 in UK [0][11]", InfluenceChange(7, "ussr", -5, "united_kingdom", 0, 11)),
    ("US +1 in SE African States [6][0]", InfluenceChange(7, "us", 1, "se_african_states", 6, 0)),
    ("Place Influence (1 Op):", OpsHeader(7, "influence", 1)),
    ("Coup (5 Ops):", OpsHeader(7, "coup", 5)),
    ("Realignment (3 Ops):", OpsHeader(7, "realign", 3)),
    ("Space Race (5 Ops):", OpsHeader(7, "space", 5)),
    ("Event: Mideast Scoring", EventNamed(7, "middle_east_scoring")),
    ("Target: Haiti", Target(7, "haiti")),
    ("SUCCESS: 6 [ + 5 - 2x4 = 3 ]", CoupRoll(7, True, 6, 5, 0, 4, 3)),
    ("FAILURE: 1 [ + 1 (-1)  - 2x4 = -7 ]", CoupRoll(7, False, 1, 1, -1, 4, -7)),
    ("SUCCESS: 5 [ + 1 (+1) - 2x3 = 1 ]", CoupRoll(7, True, 5, 1, 1, 3, 1)),
    ("FAILURE: 2", CoupRoll(7, False, 2)),
    ("USSR rolls 5", RealignmentRoll(7, "ussr", 5, 0, 5)),
    ("US rolls 2 (+3) = 5", RealignmentRoll(7, "us", 2, 3, 5)),
    ("War in Kenya", WarBegins(7, "kenya")),
    ("VICTORY: 6 (-1) >= 5", WarRoll(7, True, 6, -1, 5)),
    ("DEFEAT: 3 (-3)  < 5", WarRoll(7, False, 3, -3, 5)),
    ("Die roll: 2 -- Success! (Needed 2 or less)", SpaceRoll(7, True, 2, 2)),
    ("Die roll: 6 -- Failed! (Needed 2 or less)", SpaceRoll(7, False, 6, 2)),
    ("USSR advances to 8 in the Space Race.", SpaceAdvance(7, "ussr", 8)),
    ("Trap Roll: 2 <= 3 -- Trap Escaped", TrapRoll(7, 2, 3, True)),
    ("Trap Roll: 5 > 3 -- Trap Remains in Effect", TrapRoll(7, 5, 3, False)),
    ("US Military Ops to 0", Military(7, "us", 0)),
    ("DEFCON degrades to 1", Defcon(7, 1, False)),
    ("DEFCON improves to 4", Defcon(7, 4, True)),
    ("US gains 11 VP. Score is USSR 8.", Score(7, "us", 11, -8)),
    ("USSR gains 13 VP. Score is even.", Score(7, "ussr", 13, 0)),
    ("No VP awarded. Score is US 17.", Score(7, NOBODY, 0, 17)),
    ("Score is USSR 19.", Score(7, NOBODY, 0, -19)),
    ("Flower Power* is now in play.", InPlay(7, "flower_power")),
    ("Shuttle Diplomacy is no longer in play.", NotInPlay(7, "shuttle_diplomacy")),
    ("*RESHUFFLE*", Reshuffle(7)),
    ("US Headlines An Evil Empire*", Headlined(7, "us", "an_evil_empire")),
    ("USSR has no cards to discard", HasNone(7, "ussr", "discard")),
    ("US has no cards in hand to reveal", HasNone(7, "us", "reveal")),
    ("US discards Arms Race", Discards(7, "us", "arms_race")),
    ("USSR reveals Summit", Reveals(7, "ussr", "summit")),
    ("USSR reveals Summit from hand", Reveals(7, "ussr", "summit", True)),
    ("US plays Summit", Plays(7, "us", "summit")),
    ("US returns Summit to USSR", Returns(7, "us", "summit", "ussr")),
    ("US chooses to boycott the Olympics", Olympics(7, "us", False)),
    ("USSR chooses to participate in the Olympics", Olympics(7, "ussr", True)),
    ("US chooses Middle East", ChoosesRegion(7, "us", "middle_east")),
    ("USSR wins by Europe Control", Wins(7, "ussr", "Europe Control")),
    ("US wins!", Wins(7, "us", "")),
    ("The game is a draw.", Wins(7, NOBODY, "draw")),
    ("US chooses a hat", Unread(7, "US chooses a hat")),
    ("somebody coughs", Unread(7, "somebody coughs")),
    ("x" * 301, Unread(7, "x" * 300)),
]


@pytest.mark.parametrize(("text", "said"), LINES, ids=[text[:40] for text, _ in LINES])
def test_a_line_says(text: str, said: Statement) -> None:
    assert statement(7, text) == said


@pytest.mark.parametrize(
    "text",
    [
        "Event: Finlandization",
        "US discards Hungary",
        "Kremlin Flu is now in play.",
        "Target: Atlantis",
        "US +1 in Ira [0][1]",
        "War in Fidel*",
    ],
)
def test_a_line_with_an_unknown_name_is_unread(text: str) -> None:
    assert statement(7, text) == Unread(7, text)


def test_a_name_that_stands_behind_a_choice_is_found() -> None:
    assert statement(7, "US chooses Chernobyl* is now in play.") == InPlay(7, "chernobyl")


def test_a_line_of_any_length_costs_no_more_than_a_long_one() -> None:
    said = statement(7, "US reveals " + "from hand " * 100_000)
    assert isinstance(said, Unread)
    assert len(said.text) == 300
