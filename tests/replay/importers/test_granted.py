"""Operations that an event hands out, taken and declined: whose they are follows from the event.

Each is a turn of the Late War after three turns of which little is told: `before` are the rounds that the
event needs, and below the event stand the Operations of the player who played its card.
"""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import Struct

from tests.replay.importers.test_written import mid_war

GRANTED = ("us", "italy", 9), "Place Influence ({} Ops):\nUS +2 in Italy [9][0]\n"
SOVIET = ("ussr", "poland", 11), "Place Influence ({} Ops):\nUSSR +2 in Poland [0][11]\n"
OWN_US = "\nPlace Influence ({} Ops):\nUS +1 in Iran [4][0]\n"
OWN_USSR = "\nPlace Influence ({} Ops):\nUSSR +1 in Finland [0][2]\n"
REFORMED = "TURN, USSR AR1: The Reformer*: Event: The Reformer*\nUSSR +2 in France [0][2]\n"
REFORMED += "USSR +2 in Spain [0][2]\nThe Reformer* is now in play.\n\n"
AHEAD = "TURN, US AR1: Captured Nazi Scientist*: Event: Captured Nazi Scientist*\n"
AHEAD += "US advances to 1 in the Space Race.\nUS gains 2 VP. Score is US 2.\n\n"
SPENT = "TURN, USSR AR1: ABM Treaty: Place Influence (4 Ops):\nUSSR +1 in Czechoslovakia [0][1]\n\n"
CUBA = "TURN, USSR AR1: Fidel*: Event: Fidel*\nUSSR +3 in Cuba [0][3]\n\n"


class Event(Struct, frozen=True):
    """An event in a round of `player`: its lines, who may conduct Operations, and the player's own lines."""

    card: str
    player: str
    lines: str
    taken: tuple[tuple[str, str, int], str]
    points: int
    own: str = ""
    before: str = ""
    declined: bool = True  # may they be declined?


US_COUP = ("ussr", "cuba", 2), "Coup ({} Ops):\nTarget: Cuba\nSUCCESS: 5 [ + 2 - 2x3 = 1 ]\n"
EVENTS = (
    Event("CIA Created*", "USSR", "USSR reveals Nasser*\n", GRANTED, 1, OWN_USSR.format(1)),
    Event("Lone Gunman*", "US", "US reveals Junta\n", SOVIET, 1, OWN_US.format(1)),
    Event("ABM Treaty", "US", "", GRANTED, 4),
    Event("ABM Treaty", "USSR", "", SOVIET, 4),
    Event(
        "Tear Down This Wall*",
        "USSR",
        "US +3 in East Germany [3][3]\n",
        (("ussr", "finland", 1), "Coup ({} Ops):\nTarget: Finland\nFAILURE: 1 [ + 3 - 2x4 = -4 ]\n"),
        3,
        "\nPlace Influence (3 Ops):\nUSSR +1 in Czechoslovakia [0][1]\n",
    ),
    Event(
        "Junta",
        "US",
        "US +2 in Haiti [2][0]\n",
        (US_COUP[0], US_COUP[1] + "USSR -1 in Cuba [0][2]\nDEFCON degrades to 4\n"),
        2,
        before=CUBA,
    ),
    Event(
        "Grain Sales To Soviets",
        "USSR",
        "USSR reveals Defectors\nUSSR reveals Defectors from hand\nUS returns Defectors to USSR\n",
        GRANTED,
        2,
        OWN_USSR.format(2),
    ),
    Event("Missile Envy", "USSR", "US reveals NATO*\n", SOVIET, 4, declined=False),
    Event("UN Intervention", "USSR", "USSR plays NATO*\n", SOVIET, 4, declined=False),
    Event("Star Wars*", "US", "Event: ABM Treaty\n", GRANTED, 4, before=SPENT + AHEAD),
    Event("Glasnost*", "US", "USSR gains 2 VP. Score is USSR 2.\n", SOVIET, 4, OWN_US.format(4), REFORMED),
)


def game(event: Event, operations: str) -> Any:
    number = 2 if event.before else 1
    after = f"TURN, {'US' if event.player == 'USSR' else 'USSR'} AR{number + (event.player == 'US')}: "
    return mid_war(
        f"{event.before}TURN, {event.player} AR{number}: {event.card}: Event: {event.card}\n"
        f"{event.lines}{operations}{event.own}\n{after}Summit:\n",
        8,
    ).match.live.influence


@pytest.mark.parametrize("event", EVENTS, ids=[f"{event.card} of {event.player}" for event in EVENTS])
def test_operations_that_an_event_hands_out_are_conducted_by_whom_it_names(event: Event) -> None:
    (side, country, now), lines = event.taken
    lines = lines.replace("+2", f"+{min(2, event.points)}")
    lines = lines.replace("[9]", "[8]").replace("[11]", "[10]") if event.points == 1 else lines
    expected = now - 1 if event.points == 1 else now
    assert game(event, lines.format(event.points))[side][country] == expected


@pytest.mark.parametrize("header", ["", "header"])
@pytest.mark.parametrize("event", [event for event in EVENTS if event.declined], ids=lambda event: event.card)
def test_declined_operations_are_not_conducted(event: Event, header: str) -> None:
    """The log has no line about them, or only their header."""
    (side, country, _), lines = event.taken
    alone = f"{lines.partition(chr(10))[0].format(event.points)}\n" if header else ""
    stood = {"italy": 7, "poland": 9, "finland": 1, "cuba": 3}
    assert game(event, alone)[side][country] == stood[country]
