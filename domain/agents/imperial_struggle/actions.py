"""Imperial Struggle: the action space."""

from __future__ import annotations

from collections.abc import Iterator

from domain.agents.actions import ActionSpace, numbers, spelt
from domain.game import Options
from domain.imperial_struggle import GAME
from domain.imperial_struggle.components import WAR_TILES, WARS

NAME = "imperial_struggle/2"
FORMS = (
    "end",
    "done",
    "decline",
    "no",
    "yes",
    "buy",
    "construct",
    "draw",
    "upgrade",
    "swap",
    "score",
    "alliance",
    "conflicts",
    "diplomatic",
    "economic",
    "exchange:diplomatic",
    "exchange:economic",
    "resist",
    "give_up",
    "navy_box",
    "pass:{debt}",
    "major:{paid}",
    "minor:{paid}",
    "{space}",
    "flag:{space}",
    "unflag:{space}",
    "clear:{space}",
    "build:{fort}",
    "repair:{fort}",
    "seize:{fort}",
    "damage:{fort}",
    "deploy:{naval}",
    "send_home:{naval}",
    "rise:{political}",
    "{investment}",
    "{event}",
    "event:{event}",
    "{ministry}",
    "reveal:{ministry}",
    "ability:{ability}",
    "{advantage}",
    "advantage:{advantage}",
    "{award}",
    "{good}",
    "{theatre}",
    "{seat}",
    "{number}",
    "{tile}",
    "{tile}:remove",
    "{tile}:return",
    "return:{tile}",
)
ADDED = ("debt", "treaty_points")  # in space 2, at the end: all other picks keep the places of space 1
WORDS = {
    **GAME.ids,
    "seat": GAME.seats,
    "number": numbers(0, 30),
    "debt": numbers(0, 2),
    "paid": numbers(0, 30),
}


def _moved() -> Iterator[str]:
    """A Bonus War tile moves to another theatre of its own war."""
    for tile in WAR_TILES.values():
        if tile.war:
            yield from (f"{tile.id}:{theatre.id}" for theatre in WARS[tile.war].theatres)


SPACE = ActionSpace(NAME, (*spelt(FORMS, WORDS), *_moved(), *ADDED))


def actions(options: Options) -> ActionSpace:
    """The action space, which is the same in every match."""
    return SPACE
