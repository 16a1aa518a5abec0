"""A log, or a line of it, folded without rules: the fastest way from stored bytes to the tables.

Only what a fold needs is decoded: no record is made, no hash and no draw is checked.  Decoding everything
(`domain.log`) would cost more than the fold itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from domain.events import BRING_FACTS, KINDS, Opened
from domain.game import Game
from domain.kernel import Table
from domain.log import Damaged, Leaf, codec
from domain.sharing import empty_table

ALL_PARTS, NO_PART = slice(None), slice(0)


def tables(game: Game, stored: Iterable[bytes]) -> list[Table]:
    """The true table after each move of a stored log, without its agenda.

    Args:
        game: the log's game.
        stored: the stored bytes of the moves, from the first.

    Raises:
        Damaged: not the log of a match of this game.
    """
    found: list[Table] = []
    for table in folded(game, None, enumerate(stored, 1), ALL_PARTS, found):
        found.append(table)
    return found


def folded(
    game: Game,
    table: Table | None,
    stored: Iterable[tuple[int, bytes]],
    parts: slice,
    known: Sequence[Table | None] = (),
) -> Iterator[Table]:
    """The table after each of some moves; the first of them follows on `table`, each other one on the last.

    Args:
        game: the log's game.
        table: the table before the first of the moves; None if that one opens the match.
        stored: the numbers of the moves, and their stored bytes.
        parts: which of the private parts of a record are read.
        known: the tables by move, for moves that go back to them.

    Raises:
        Damaged: these are not the moves of a match of this game.
    """
    s: Any = table
    read = codec(game)
    try:
        for move, data in stored:
            leaf, *sealed = data.split(b"\n")
            entry = read.leaf_with(leaf, sealed[parts])
            if entry.move != move:
                raise Damaged(f"the entry of move {entry.move} stands in the place of move {move}")
            if s is None:
                s = _empty(game, read.entry(leaf))
            if entry.kind in BRING_FACTS:
                for fact in entry.facts:
                    s = fact.apply(s)
            elif entry.kind == "taken_back":
                s = _back(known, entry)
            elif entry.kind not in KINDS:
                raise Damaged(f"move {move} is of no known kind: {entry.kind[:40]!r}")
            yield s
    except (msgspec.DecodeError, IndexError) as error:
        raise Damaged(str(error)) from error


def _back(known: Sequence[Table | None], entry: Leaf[Any]) -> Table:
    table = known[entry.to - 1] if 1 <= entry.to <= len(known) else None
    if table is None:
        raise Damaged(f"move {entry.move} goes back to move {entry.to}")
    return table


def _empty(game: Game, entry: object) -> Table:
    if not isinstance(entry, Opened) or entry.game != game.name:
        raise Damaged(f"the first entry does not open a match of {game.name}")
    return empty_table(game, entry.edition, entry.options)
