"""Turn summaries as rows: of a match that is over, each turn; of one that runs, its plays.

While a match runs its plays are kept, as everybody was told them, and whoever asks for its turns has them
folded then (`so_far`): so a play costs little, however few come at once.  What was hidden in them is kept
where no reader sees it.  The end folds all of it, and in its place leaves the turns, which tell the truth.

Of an imported match nobody knows the hidden truth, so it is told as to a spectator for ever.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from msgspec.structs import replace

from domain.entries import Closed, Opened, Played, Ruled, TakenBack, Told
from domain.game import Options
from domain.games import GAMES
from domain.imported import IMPORTED
from domain.log import Record
from projections import summary
from projections.hearing import heard, hidden
from projections.model import Change, Delivered, Gone, Projection, Row, Rows, expect
from projections.summary import Turn


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
    """One turn of a match that is over."""

    table: ClassVar[str] = "turns"
    key: ClassVar[tuple[str, ...]] = ("match", "number")

    match: str
    number: int
    turn: Turn


class Running(Row, frozen=True, kw_only=True):
    """A match that runs.

    `jumps`: the moves that took back, and where they went.  `ruling`: the reason of a ruling that ends it.
    """

    table: ClassVar[str] = "turn_running"
    key: ClassVar[tuple[str, ...]] = ("match",)

    match: str
    jumps: tuple[tuple[int, int], ...] = ()
    ruling: str = ""


class PlayRow(Row, frozen=True, kw_only=True):
    """One play of a running match, as everybody was told it: the leaf of its record."""

    table: ClassVar[str] = "turn_plays"
    key: ClassVar[tuple[str, ...]] = ("match", "move")

    match: str
    move: int
    leaf: bytes


class HiddenRow(Row, frozen=True, kw_only=True):
    """What not everybody was told of one play of a running match (see `projections.hearing.hidden`)."""

    table: ClassVar[str] = "turn_hidden"
    key: ClassVar[tuple[str, ...]] = ("match", "move")
    private: ClassVar[bool] = True

    match: str
    move: int
    parts: bytes


def fold(rows: Rows, delivered: Delivered) -> Iterator[Change]:
    """What one record does to the turn summaries."""
    record = delivered.record
    entry: Any = record.entry
    if isinstance(entry, Opened):
        yield from _opened(entry)
        return
    running = expect(rows.get(Running, record.match), record)
    if isinstance(entry, Played) or (isinstance(entry, Told) and entry.facts):
        yield from _kept(record)
    elif isinstance(entry, TakenBack):
        yield replace(running, jumps=(*running.jumps, (entry.move, entry.to)))
    elif isinstance(entry, Ruled) and entry.back_to is None:
        yield replace(running, ruling=entry.reason)
    elif isinstance(entry, Closed):
        yield from _closed(rows, running, entry)


def plays(rows: Rows, plays: Sequence[Delivered], over: bool) -> Iterator[Change]:
    """What plays of a match in a row do."""
    first = plays[0].record
    expect(rows.get(Running, first.match), first)
    for delivered in plays:
        yield from _kept(delivered.record)


def so_far(
    match: TurnMatch, running: Running, plays: Sequence[PlayRow], hidden: Mapping[int, bytes] = {}
) -> tuple[Turn, ...]:
    """The turns of a running match, from the empty table on: the plays that stand, as everybody was told
    them, or with what was `hidden` in some moves."""
    game, standing = GAMES[match.game], line(_last(running, plays), running.jumps)
    empty = game.table(match.edition, match.options)
    heard_now = (
        heard(game, play.leaf, hidden.get(play.move, b"")) for play in plays if play.move in standing
    )
    return summary.told(game, empty, heard_now)


def line(move: int, jumps: tuple[tuple[int, int], ...]) -> set[int]:
    """The moves that stand at `move`; those taken back are left out."""
    back, standing = dict(jumps), set()
    while move:
        standing.add(move)
        move = back.get(move, move - 1)
    return standing


def _last(running: Running, plays: Sequence[PlayRow]) -> int:
    """The last move that played or took back; what came since changes nothing."""
    played, jumped = plays[-1].move if plays else 0, running.jumps[-1][0] if running.jumps else 0
    return max(played, jumped)


def _opened(entry: Opened) -> Iterator[Change]:
    yield TurnMatch(
        match=entry.match,
        game=entry.game,
        edition=entry.edition,
        options=entry.options,
        unverified=entry.origin == IMPORTED,
    )
    yield Running(match=entry.match)


def _kept(record: Record) -> Iterator[Change]:
    yield PlayRow(match=record.match, move=record.move, leaf=record.leaf)
    if parts := hidden(record.stored):
        yield HiddenRow(match=record.match, move=record.move, parts=parts)


def _closed(rows: Rows, running: Running, entry: Closed) -> Iterator[Change]:
    match = rows.get(TurnMatch, running.match)
    assert match is not None, "it was opened"
    secrets = () if match.unverified else rows.under(HiddenRow, running.match)
    plays, parts = rows.under(PlayRow, running.match), {row.move: row.parts for row in secrets}
    end = summary.over(entry.move, entry.by, entry.result, running.ruling)
    for turn in summary.closed(so_far(match, running, plays, parts), end):
        yield TurnRow(match=running.match, number=turn.number, turn=turn)
    for kind in (Running, PlayRow, HiddenRow):
        yield Gone(kind, (running.match,))
    yield replace(match, over=True)


TURNS = Projection("turns", 7, (TurnRow, TurnMatch, Running, PlayRow, HiddenRow), fold, plays)
