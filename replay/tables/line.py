"""The line of play that stands, fact by fact, and the rows that the tables of a game make of it.

Only moves that stand are read, so a move that was taken back leaves no row.  A fact is seen as the data set
may show it: in full if the match is over and its log holds the private parts, else as a spectator sees it.
What a spectator does not know becomes a missing value in a row.

The tables before and after a fact are folds of the stored facts.  A fold knows no rule, so another version of
the rules gives the same rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from domain.draws import draws
from domain.kernel import HIDDEN, Seat
from domain.kernel import Table as State
from domain.log import Record, canonical
from domain.match import Match
from domain.match_base import ALL
from domain.sharing import empty_table
from replay.export import viewer_of
from replay.tables.schema import Column, Row, Rows, Table

MATCH = Column("match", "VARCHAR", "The id of the match.")
MOVE = Column(
    "move", "INTEGER", "The number of the move in the match; its page shows it at `/m/{match}?move={move}`."
)
PLACE = Column("place", "INTEGER", "The place of the fact in its move, from 0, as in the table `facts`.")
WHERE = (MATCH, MOVE, PLACE)
"""The columns with which every table of a game begins; they lead from a row back to its match."""

STATE_HASH = Column(
    "state_sha256",
    "VARCHAR",
    "The hash of what is public in the position: equal positions have equal hashes.",
)


class Applied(Struct, frozen=True, gc=False):
    """One fact of the line that stands, with the tables before and after it.

    `move` and `place` say where it stands in the log.
    """

    move: int
    place: int
    fact: Any
    before: Any
    after: Any


class Move(Struct, frozen=True):
    """The facts of one move that stands, what chance picked in it, and the question that it left open.

    `drawn` holds what the viewer may know; in a branch, what the first match drew is not in it.  `asked` is
    the name of the question, "" if the match was over; `seats` are those that were asked.
    """

    facts: tuple[Applied, ...]
    drawn: frozenset[str]
    asked: str
    seats: tuple[Seat, ...]


def line(match: Match) -> Iterator[Move]:
    """The moves that stand and that bring facts, in order."""
    viewer = viewer_of(match)
    opened = match.opened
    s: State = empty_table(match.game, opened.edition, opened.options)
    for move in sorted(match.line()):
        record = match.records[move - 1]
        found = list[Applied]()
        for place, fact in enumerate(match.facts_for(record, viewer)):
            before, s = s, fact.apply(s)
            found.append(Applied(move, place, fact, before, s))
        if found:
            yield _played(record, found, viewer)


def _played(record: Record, found: Sequence[Applied], viewer: Seat | None) -> Move:
    asked = record.entry.asked
    known = draws(record) if viewer == ALL else record.entry.draws
    return Move(
        tuple(found),
        frozenset(draw.pick for draw in known),
        asked.ask if asked else "",
        tuple(asked.seats) if asked else (),
    )


def public_hash(values: Mapping[str, object]) -> str:
    """The hash of the public part of a position, as hexadecimal digits.

    Args:
        values: plain data; of a struct only the fields without their defaults would count.
    """
    return hashlib.sha256(canonical(values)).hexdigest()


def mean(values: Sequence[int]) -> float | None:
    """The mean of what may be drawn, each as likely as the others; None if nothing can be drawn."""
    return sum(values) / len(values) if values else None


class RowBuilder:
    """The rows of one match, in the order of the columns of its tables, which begin with `WHERE`."""

    def __init__(self, match: Match, tables: Sequence[Table]) -> None:
        self.match = match.id
        self.rows: Rows = {table.name: [] for table in tables}
        self._empty: dict[str, dict[str, object]] = {
            table.name: {**dict.fromkeys(column.name for column in table.columns), "match": match.id}
            for table in tables
        }
        self._lists = {
            table.name: [column.name for column in table.columns if column.type == "VARCHAR[]"]
            for table in tables
        }

    def add(self, table: str, move: int, place: int | None, values: Mapping[str, object]) -> None:
        """Add a row; columns without a value are missing, and so is what a spectator may not know.

        Raises:
            ValueError: the table has no such column.
        """
        empty = self._empty[table]
        row = {**empty, "move": move, "place": place, **values}
        if len(row) != len(empty):
            raise ValueError(f"{table} has no column {', '.join(sorted(row.keys() - empty.keys()))}")
        for name in self._lists[table]:
            row[name] = _listed(row[name])
        self.put(table, tuple(row.values()))

    def put(self, table: str, row: Row) -> None:
        """Add a row that has all columns, in their order; what a spectator may not know is missing then."""
        self.rows[table].append(_shown(row) if HIDDEN in row else row)

    def note(self, table: str, at: Applied, when: Mapping[str, object], **values: object) -> None:
        """Add a row about a fact; of `when`, the time in the game, it gets what the table has columns for."""
        empty = self._empty[table]
        if not when.keys() <= empty.keys():
            when = {name: value for name, value in when.items() if name in empty}
        self.add(table, at.move, at.place, {**when, **values})


def _listed(value: object) -> object:
    """The value of a column of lists; None if something in it is hidden."""
    if isinstance(value, tuple):
        return None if HIDDEN in value else list(value)
    return value


def _shown(row: Row) -> Row:
    """A row without what is hidden."""
    return tuple([None if value == HIDDEN else value for value in row])
