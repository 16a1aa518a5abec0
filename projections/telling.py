"""The turns of one match, as the API asks for them: read, put together, told in words.

Only the reading needs the connection, which others wait for.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from msgspec import Struct

from domain.game import Options
from domain.games import GAMES
from projections.read import rows_of
from projections.sentences import TurnTold, tell
from projections.summary import Turn
from projections.turns import PlayRow, Running, TurnMatch, TurnRow, so_far


class Kept(Struct, frozen=True):
    """What is kept of a match: its turns, or while it runs (`running` is there) its plays."""

    match: TurnMatch
    running: Running | None
    turns: Sequence[TurnRow]
    plays: Sequence[PlayRow]


class MatchTurns(Struct, frozen=True):
    """The turns of one match; of a running one, and of an imported one, as a spectator was told them."""

    match: str
    game: str
    edition: str
    options: Options
    unverified: bool
    over: bool
    turns: tuple[Turn, ...]


def kept(connection: sqlite3.Connection, match: str) -> Kept | None:
    """What is kept of a match, all of one moment; None where there is no such match.

    Raises:
        NotReady.
    """
    of = (match,)
    connection.execute("BEGIN")
    try:
        known = rows_of(connection, TurnMatch, 'WHERE "match" = ?', of)
        running = rows_of(connection, Running, 'WHERE "match" = ?', of)
        turns = rows_of(connection, TurnRow, 'WHERE "match" = ? ORDER BY number', of)
        plays = rows_of(connection, PlayRow, 'WHERE "match" = ? ORDER BY move', of)
    finally:
        connection.execute("COMMIT")
    return Kept(known[0], next(iter(running), None), turns, plays) if known else None


def turns(of: Kept) -> MatchTurns:
    """The turns of a match; those of one that runs are folded now."""
    match = of.match
    running = of.running
    found = so_far(match, running, of.plays) if running else tuple(row.turn for row in of.turns)
    return MatchTurns(
        match.match, match.game, match.edition, match.options, match.unverified, match.over, found
    )


def told(of: MatchTurns, language: str) -> tuple[TurnTold, ...]:
    """Turn summaries in words; `language` is one of `domain.texts.LANGUAGES`."""
    game = GAMES[of.game]
    words = game.words(language, of.options, of.edition)
    return tuple(tell(game, words, turn) for turn in of.turns)
