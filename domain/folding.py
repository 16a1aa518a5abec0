"""A whole log folded without rules: the quickest way from stored bytes to the tables."""

from __future__ import annotations

from collections.abc import Iterable

from domain.game import Game
from domain.kernel import Table
from domain.log import Damaged, Opened, TakenBack, codec


def tables(game: Game, stored: Iterable[bytes]) -> list[Table]:
    """The true table after each move of a stored log, without its agenda.

    Args:
        game: the log's game.
        stored: the stored bytes of the moves, from the first.

    Raises:
        Damaged: not the log of a match of this game.
    """
    told, found = codec(game).told, list[Table]()
    s: Table | None = None
    for data in stored:
        entry, facts = told(data)
        if s is None:
            s = _empty(game, entry)
        elif isinstance(entry, TakenBack):
            s = found[entry.to - 1]
        for fact in facts:
            s = fact.apply(s)
        found.append(s)
    return found


def _empty(game: Game, entry: object) -> Table:
    if not isinstance(entry, Opened) or entry.game != game.name:
        raise Damaged(f"the first entry does not open a match of {game.name}")
    return game.table(entry.edition, entry.options)
