"""CIA vs. KGB: the action space."""

from __future__ import annotations

from domain.agents.actions import ActionSpace, spelt
from domain.cia_vs_kgb import GAME
from domain.game import Options

NAME = "cia_vs_kgb/1"
FORMS = (
    "pass",
    "recruit",
    "decline",
    "discard",
    "leave",
    "left",
    "right",
    "watch",
    "{seat}",
    "{agent}",
    "{group}",
    "{objective}",
    "activate:{group}",
    "give:{group}",
    "steal:{group}",
    "event:{objective}",
    "leave:{agent}",
    "{objective}:{agent}",
)
SPACE = ActionSpace(NAME, spelt(FORMS, {**GAME.ids, "seat": GAME.seats}))


def actions(options: Options) -> ActionSpace:
    """The action space, which is the same in every match."""
    return SPACE
