"""All tables of a data set: the core tables, and those of each game that has some."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator
from functools import cache
from typing import Protocol, cast

from domain.games import GAMES
from domain.match import Match
from replay.tables import core
from replay.tables.schema import Column, Rows, Table

CHANGES = Table(
    "changes",
    None,
    "One row is a change of a match or a player that came after the match was in the data set.",
    (
        Column("at", "TIMESTAMP", "when it was changed; null if the time is not known", "UTC"),
        Column(
            "what",
            "VARCHAR",
            "withdrawn: the match is in no other table; forgotten: the player; rated_again: the match, as a"
            " tournament ruled otherwise on it or on an earlier match of its players; once, at the last time",
        ),
        Column("match", "VARCHAR", "the match; null for a forgotten player"),
        Column("player", "VARCHAR", "the new id of a forgotten player, in all rows; null else"),
    ),
)
UNPOOLED = ("changes", "components")  # the tables whose rows belong to no match of a pool
SPECTATORS = tuple(table for table in core.TABLES if table.name not in ("decisions", "ratings"))
"""The tables of matches that run: decisions show what only a seat sees, and nothing is rated yet."""


class OfGame(Protocol):
    """The module of a game, `replay.tables.<game>`."""

    TABLES: tuple[Table, ...]

    def rows(self, match: Match) -> Rows:
        """Return the rows of a match that is over."""


@cache
def of_game(game: str) -> OfGame | None:
    """Return the module with the tables of a game; None if the game has no tables of its own."""
    name = f"{__package__}.{game}"
    if game not in GAMES or importlib.util.find_spec(name) is None:
        return None
    return cast(OfGame, importlib.import_module(name))


def tables(*, running: bool = False, decisions: bool = True) -> Iterator[Table]:
    """Return every table: those of the core, then game by game.

    Args:
        running: those of a data set of running matches.
        decisions: also `decisions`.
    """
    yield from (
        (table for table in core.TABLES if decisions or table.name != "decisions")
        if not running
        else (SPECTATORS)
    )
    yield core.COMPONENTS
    yield CHANGES
    for game in GAMES if not running else ():
        module = of_game(game)
        yield from module.TABLES if module else ()
