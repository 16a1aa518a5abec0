"""Short games as logs, written for the tests: whole, with rules and columns, and one that stops.

The whole game is one turn with a bit of everything, and ends in a nuclear war.  Nobody has played it.
"""

from __future__ import annotations

import re

WHOLE = """\
SETUP: : Ada will play as USSR.
Grace will play as USA.
Handicap influence: US +2
Scenario: Standard
Optional Cards Added
Time per Player: 45 Minutes
USSR +3 in Poland [0][3]
USSR +3 in East Germany [0][6]
US +4 in West Germany [4][0]
US +3 in Italy [3][0]
US +2 in Iran [3][0]

Turn 1, Headline Phase: Duck and Cover & Captured Nazi Scientist*: USSR Headlines Duck and Cover
US Headlines Captured Nazi Scientist*
Event: Duck and Cover
DEFCON degrades to 4
US gains 1 VP. Score is US 1.

Event: Captured Nazi Scientist*
US advances to 1 in the Space Race.
US gains 2 VP. Score is US 3.

Turn 1, USSR AR1: COMECON*: Coup (3 Ops):
Target: Iran
SUCCESS: 3 [ + 3 - 2x2 = 2 ]
US -2 in Iran [1][0]
USSR Military Ops to 3
DEFCON degrades to 3

Turn 1, US AR1: NATO*: Place Influence (4 Ops):
US +1 in France [1][0]
US +2 in Egypt [2][0]
US +1 in Pakistan [1][0]

Turn 1, USSR AR2: Korean War*: Event: Korean War*
War in South Korea
VICTORY: 5 >= 4
US -1 in South Korea [0][0]
USSR +1 in South Korea [0][1]
USSR gains 2 VP. Score is US 1.
USSR Military Ops to 5

Turn 1, US AR2: Suez Crisis*: Realignment (3 Ops):
Target: Syria
USSR rolls 1 (+1) = 2
US rolls 5 = 5
USSR -1 in Syria [0][0]

Event: Suez Crisis*
US -2 in UK [3][0]
US -1 in France [0][0]
US -1 in Israel [0][0]

Turn 1, USSR AR3: Independent Reds*: Space Race (2 Ops):
Die roll: 3 -- Success! (Needed 3 or less)
USSR advances to 1 in the Space Race.
USSR gains 1 VP. Score is even.

Turn 1, US AR3: Socialist Governments: Coup (3 Ops):
Target: Iraq
FAILURE: 2 [ + 3 - 2x3 = -1 ]
US Military Ops to 3
DEFCON degrades to 2

Event: Socialist Governments
US -2 in Italy [1][0]
US -1 in West Germany [3][0]

Turn 1, USSR AR4: Fidel*: Event: Fidel*
USSR +3 in Cuba [0][3]

Turn 1, US AR4: Mideast Scoring: Event: Mideast Scoring
US gains 4 VP. Score is US 4.

Turn 1, USSR AR5: Vietnam Revolts*: Event: Vietnam Revolts*
USSR +2 in Vietnam [0][2]
Vietnam Revolts* is now in play.

Turn 1, US AR5: Truman Doctrine*: Coup (1 Ops):
Target: Cuba
FAILURE: 2 [ + 1 - 2x3 = -3 ]
US Military Ops to 4
DEFCON degrades to 1
"""
AFTER = ((3, 4), (3, 3), (3, 3), (1, 3), (1, 3), (1, 3), (1, 2), (1, 2), (4, 2), (4, 2), (4, 1))
"""Score (the last that was not even) and DEFCON after each entry of the whole game."""
STOPS = WHOLE[: WHOLE.index("\nTurn 1, US AR3")]

_HEAD = re.compile(r"^Turn 1, (.+?): ([^:\n]*):.*$", re.MULTILINE)


def with_columns() -> str:
    """The whole game as those exports write it that print a rule and a column before each entry.

    The rule of the first headlines stands before the set-up.
    """
    heads = list(_HEAD.finditer(WHOLE))
    text, at = "", 0
    for head, (score, defcon) in zip(heads, AFTER, strict=True):
        first = head is heads[0]
        part = "both Headline" if first else head[1]
        rule = f"--- Turn 1, {part}: {head[2]} ---\n[score {score}] [defcon {defcon}]\n\n"
        text += rule + WHOLE[at : head.start()] if first else WHOLE[at : head.start()] + rule
        at = head.start()
    return f"REPLAY 17\nDATA_SOURCE=all-turns\n\n{text}{WHOLE[at:]}"
