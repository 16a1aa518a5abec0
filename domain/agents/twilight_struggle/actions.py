"""Twilight Struggle: the action space."""

from __future__ import annotations

from domain.agents.actions import ActionSpace, numbers, spelt
from domain.game import Options
from domain.twilight_struggle import GAME

NAME = "twilight_struggle/1"
FACES = numbers(1, 6)
FORMS = (
    "pass",
    "none",
    "done",
    "end",
    "return",
    "influence",
    "coup",
    "realign",
    "space",
    "roll",
    "add",
    "boycott",
    "decline",
    "degrade",
    "go_on",
    "improve",
    "leave",
    "neighbours",
    "participate",
    "remove",
    "{country}",
    "chinese_civil_war",
    "{card}",
    "event:{card}",
    "event_first:{card}",
    "influence:{card}",
    "coup:{card}",
    "realign:{card}",
    "space:{card}",
    "cancel:{card}",
    "discard:{card}",
    "ransom:{country}",
    "{region}",
    "{seat}",
    "{seat}:{points}",
    "{face}",
    "{face}{other_face}",
)
WORDS = {
    **GAME.ids,
    "seat": GAME.seats,
    "points": numbers(0, 20),
    "face": FACES,
    "other_face": FACES,
}
SPACE = ActionSpace(NAME, spelt(FORMS, WORDS))


def actions(options: Options) -> ActionSpace:
    """The action space, which is the same in every match."""
    return SPACE
