"""Turn summaries as rows: what a spectator was told while the match runs, the truth once it is over.

Of an imported match nobody knows the hidden truth, so it is told as to a spectator for ever.

While a match runs the fold remembers each play, as it is stored, in rows that no reader sees.
A takeback and the end of the match fold these plays again: the only re-reading, of one match's own rows.
The rows of plays are deleted with the end, so they never hold more than the running matches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, ClassVar

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from domain.entries import Closed, Opened, Played, Ruled, TakenBack, Told
from domain.game import Game, Options
from domain.games import GAMES
from domain.imported import IMPORTED
from domain.kernel import Seat, Table
from domain.log import Record
from projections import summary
from projections.hearing import Heard, in_full, in_public
from projections.model import Change, Delivered, Gone, Projection, Row, Rows, expect
from projections.summary import Summary, Turn


class TurnMatch(Row, frozen=True, kw_only=True):
    """Which game's words tell the turns of a match; `unverified`: it was imported from elsewhere."""

    table: ClassVar[str] = "turn_matches"
    key: ClassVar[tuple[str, ...]] = ("match",)

    match: str
    game: str
    edition: str
    options: Options
    unverified: bool = False
    over: bool = False


class TurnRow(Row, frozen=True, kw_only=True):
    """One turn of the line of play that stands."""

    table: ClassVar[str] = "turns"
    key: ClassVar[tuple[str, ...]] = ("match", "number")

    match: str
    number: int
    turn: Turn


class Running(Row, frozen=True, kw_only=True):
    """A match that runs: how far its summaries have come.

    `position` is the table as a spectator knows it.  `number` is the running turn, 0 before the first play.
    `jumps`: the moves that took back, and where they went.  `ruling`: the reason of a ruling that ends it.
    """

    table: ClassVar[str] = "turn_running"
    key: ClassVar[tuple[str, ...]] = ("match",)
    private: ClassVar[bool] = True

    match: str
    game: str
    edition: str
    options: Options
    position: Any
    score: dict[Seat, int]
    leader: Seat | None = None
    number: int = 0
    jumps: tuple[tuple[int, int], ...] = ()
    ruling: str = ""


class Kept(Row, frozen=True, kw_only=True):
    """One play of a running match, as it is stored."""

    table: ClassVar[str] = "turn_kept"
    key: ClassVar[tuple[str, ...]] = ("match", "move")
    private: ClassVar[bool] = True

    match: str
    move: int
    stored: bytes


def fold(rows: Rows, delivered: Delivered) -> Iterator[Change]:
    """What one record does to the turn summaries."""
    record = delivered.record
    entry: Any = record.entry
    if isinstance(entry, Opened):
        yield from _opened(entry)
        return
    running = expect(rows.get(Running, record.match), record)
    if isinstance(entry, Played) or (isinstance(entry, Told) and entry.facts):
        yield from _told(rows, running, [record])
    elif isinstance(entry, TakenBack):
        yield from _taken_back(rows, running, entry)
    elif isinstance(entry, Ruled) and entry.back_to is None:
        yield replace(running, ruling=entry.reason)
    elif isinstance(entry, Closed):
        yield from _closed(rows, running, entry)


def plays(rows: Rows, plays: Sequence[Delivered], over: bool) -> Iterator[Change]:
    """What plays of a match in a row do; its end tells the turns anew."""
    records = [delivered.record for delivered in plays]
    if over:
        yield from _kept(records)
    else:
        running = expect(rows.get(Running, records[0].match), records[0])
        yield from _told(rows, running, records)


def line(move: int, jumps: tuple[tuple[int, int], ...]) -> set[int]:
    """The moves that stand at `move`; those taken back are left out."""
    back, standing = dict(jumps), set()
    while move:
        standing.add(move)
        move = back.get(move, move - 1)
    return standing


def _opened(entry: Opened) -> Iterator[Change]:
    game = GAMES[entry.game]
    start = summary.beginning(game, game.table(entry.edition, entry.options))
    yield TurnMatch(
        match=entry.match,
        game=game.name,
        edition=entry.edition,
        options=entry.options,
        unverified=entry.origin == IMPORTED,
    )
    yield Running(
        match=entry.match,
        game=game.name,
        edition=entry.edition,
        options=entry.options,
        position=start.table,
        score=start.score,
    )


def _kept(records: Iterable[Record]) -> Iterator[Change]:
    return (Kept(match=record.match, move=record.move, stored=record.stored) for record in records)


def _told(rows: Rows, running: Running, records: Sequence[Record]) -> Iterator[Change]:
    yield from _kept(records)
    game = GAMES[running.game]
    heard = (in_public(game, record.stored) for record in records)
    after = summary.all_told(game, _so_far(rows, game, running), heard)
    yield _advanced(running, after)
    for turn in after.turns:
        yield TurnRow(match=running.match, number=turn.number, turn=turn)


def _so_far(rows: Rows, game: Game, running: Running) -> Summary:
    table = running.position
    if isinstance(table, Raw):
        table = _table_decoder(game).decode(table)
    row = rows.get(TurnRow, running.match, running.number) if running.number else None
    return Summary(table, running.score, running.leader, (row.turn,) if row else ())


def _taken_back(rows: Rows, running: Running, entry: TakenBack) -> Iterator[Change]:
    running = replace(running, jumps=(*running.jumps, (entry.move, entry.to)))
    standing = line(entry.move, running.jumps)
    again = _again(running, standing, rows.under(Kept, running.match), in_public)
    for number in range(len(again.turns) + 1, running.number + 1):
        yield Gone(TurnRow, (running.match, number))
    for turn in again.turns:
        yield TurnRow(match=running.match, number=turn.number, turn=turn)
    yield _advanced(running, again)


def _closed(rows: Rows, running: Running, entry: Closed) -> Iterator[Change]:
    match = rows.get(TurnMatch, running.match)
    assert match is not None, "it was opened"
    standing = line(entry.move, running.jumps)
    hear = in_public if match.unverified else in_full
    truth = _again(running, standing, rows.under(Kept, running.match), hear)
    truth = summary.closed(truth, summary.over(entry.move, entry.by, entry.result, running.ruling))
    yield Gone(TurnRow, (running.match,))
    for turn in truth.turns:
        yield TurnRow(match=running.match, number=turn.number, turn=turn)
    yield Gone(Kept, (running.match,))
    yield Gone(Running, (running.match,))
    yield replace(match, over=True)


def _again(
    running: Running, standing: set[int], kept: Iterable[Kept], hear: Callable[[Game, bytes], Heard]
) -> Summary:
    """The summaries of the plays that stand, from the empty table on."""
    game = GAMES[running.game]
    so_far = summary.beginning(game, game.table(running.edition, running.options))
    return summary.all_told(game, so_far, (hear(game, play.stored) for play in kept if play.move in standing))


def _advanced(running: Running, after: Summary) -> Running:
    return replace(
        running,
        position=after.table,
        score=after.score,
        leader=after.leader,
        number=after.turns[-1].number if after.turns else 0,
    )


@lru_cache
def _table_decoder(game: Game) -> msgspec.json.Decoder[Table]:
    return msgspec.json.Decoder(game.state)


TURNS = Projection("turns", 6, (TurnRow, TurnMatch, Running, Kept), fold, plays)
