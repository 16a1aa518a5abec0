"""Import and check of a log of a game played elsewhere: under a second for each log is the aim.

The project contains no whole logs, so the user provides them: GLASNOST_BENCH_LOGS names a folder with *.txt.
Without it an invented log of half a turn is measured.  The floor is to decode and fold the resulting matches.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from _bench import compared, say, seconds

from api.settings import product
from domain.folding import tables
from domain.match import Match
from replay.importers.twilight_struggle.report import Imported, imported

INVENTED = """\
SETUP: : Ada will play as USSR.
Grace will play as USA.
Handicap influence: US +2
Scenario: Standard
Optional Cards Added
Time per Player: 90 Minutes
USSR +4 in Poland [0][4]
USSR +1 in East Germany [0][4]
USSR +1 in Yugoslavia [0][1]
US +4 in West Germany [4][0]
US +3 in Italy [3][0]
US +2 in Iran [3][0]

Turn 1, Headline Phase: Decolonization & Duck and Cover: USSR Headlines Decolonization
US Headlines Duck and Cover
Event: Duck and Cover
DEFCON degrades to 4
US gains 1 VP. Score is US 1.

Event: Decolonization
USSR +1 in Angola [0][1]
USSR +1 in Nigeria [0][1]
USSR +1 in Thailand [0][1]
USSR +1 in Vietnam [0][1]

Turn 1, USSR AR1: De-Stalinization*: Coup (3 Ops):
Target: Iran
SUCCESS: 5 [ + 3 - 2x2 = 4 ]
US -3 in Iran [0][0]
USSR +1 in Iran [0][1]
USSR Military Ops to 3
DEFCON degrades to 3

Turn 1, US AR1: Containment*: Event: Containment*

Turn 1, USSR AR2: Nasser*: Event: Nasser*
USSR +2 in Egypt [0][2]

Turn 1, US AR2: Defectors: Place Influence (2 Ops):
US +2 in Egypt [2][2]

Turn 1, USSR AR3: Korean War*: Event: Korean War*
War in South Korea
DEFEAT: 3 < 4
USSR Military Ops to 5

Turn 1, US AR3: Five-Year Plan: Space Race (4 Ops):
Die roll: 2 -- Success! (Needed 3 or less)
US advances to 1 in the Space Race.
US gains 2 VP. Score is US 3.

Turn 1, USSR AR4: Vietnam Revolts*: Event: Vietnam Revolts*
USSR +2 in Vietnam [0][3]
Vietnam Revolts* is now in play.

Turn 1, US AR4: Nuclear Test Ban: Realignment (4 Ops):
Target: Egypt
USSR rolls 2
US rolls 5
USSR -2 in Egypt [2][0]

Turn 1, USSR AR5: Blockade*: Place Influence (1 Ops):
USSR +2 in Thailand [0][3]

Turn 1, US AR5: NORAD*: Place Influence (3 Ops):
US +2 in Jordan [2][0]
US +2 in Egypt [4][0]
"""


def main() -> None:
    """One line."""
    logs = _logs()
    found = [imported(log, product()) for log in logs]
    matches = [one.match for one in found]
    stored = [[record.stored for record in match.records] for match in matches]

    def ours_task() -> list[Imported]:
        return [imported(log, product()) for log in logs]

    def floor_task() -> list[object]:
        return [tables(match.game, states)[-1] for match, states in zip(matches, stored, strict=True)]

    floor, ours = compared(floor_task, ours_task)
    slowest = max(seconds(partial(imported, log, product())) for log in logs)
    clean = sum(one.clean for one in found)
    values = sum(one.checked for one in found) / len(found)
    say(
        f"import of a log, {_which(matches)}",
        f"{ours / len(logs) * 1000:.0f} ms a log, the slowest {slowest * 1000:.0f} (aim: 1000),"
        f" {clean} of {len(logs)} agree throughout, {values:.0f} values compared in each;"
        f" floor: decode + fold of the match {floor / len(logs) * 1000:.2f} ms; ratio {ours / floor:.0f}",
    )


def _logs() -> list[bytes]:
    folder = os.environ.get("GLASNOST_BENCH_LOGS")
    if folder is None:
        return [INVENTED.encode()]
    return [path.read_bytes() for path in sorted(Path(folder).glob("*.txt"))]


def _which(matches: list[Match]) -> str:
    moves = sum(match.move for match in matches) / len(matches)
    whole = "GLASNOST_BENCH_LOGS" in os.environ
    return f"{'logs of' if whole else 'an invented beginning of'} {moves:.0f} moves"


if __name__ == "__main__":
    main()
