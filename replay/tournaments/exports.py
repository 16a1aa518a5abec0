"""What a tournament is exported as, besides its file: TRF, CSV, JSON, NDJSON and a calendar.

Every export follows from the log up to an entry, and from the names of people, which are in no log.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from domain.kernel import Refused
from domain.log import b64, canonical
from domain.tournaments.crosstable import Cell, Crosstable, cell_of
from domain.tournaments.crosstables import crosstable
from domain.tournaments.history import TournamentLog
from domain.tournaments.state import Entrant, Round, Tournament
from domain.tournaments.terms import Terms
from replay.sanitize import one_line
from replay.standings import Standings, rounds_begun
from replay.tournaments.calendar import calendar, dates
from replay.tournaments.published import standings_of
from replay.trf import TrfFile, written

Format = Literal["trf", "csv", "json", "ics", "ndjson", "bundle"]
Table = Literal["standings", "boards", "crosstable"]
FORMATS: dict[str, str] = {
    "trf": "text/plain; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "ics": "text/calendar; charset=utf-8",
    "ndjson": "application/x-ndjson",
    "bundle": "application/zip",
}
"""The media type of each format; that of the tournament file is `bundle`."""
TABLES: tuple[Table, ...] = ("standings", "boards", "crosstable")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # with these a spreadsheet begins a formula
_RESULTS = {"win": "1", "draw": "½", "loss": "0"}


class Wanted(Struct, frozen=True):
    """What is to be exported.

    at: after which entry (None: the latest).  round: rounds up to this one (0: all), of `trf` and `csv`.
    table: of `csv`.  entrant: whose games `ics` shows; "": the rounds.
    """

    format: str
    at: int | None = None
    round: int = 0
    table: Table = "standings"
    entrant: str = ""
    language: str = "en"


class Everything(Struct, frozen=True):
    """The export `json`: all that the log says after an entry; `names` are those of people, by id."""

    tournament: str
    entry: int
    root: str
    title: str
    terms: Terms
    status: str
    entrants: tuple[Entrant, ...]
    rounds: tuple[Round, ...]
    crosstable: Crosstable
    standings: Standings | None
    names: Mapping[str, str]


def exported(
    log: TournamentLog, s: Tournament, wanted: Wanted, names: Mapping[str, str], server: str
) -> bytes:
    """Return an export of the state `s`, which is that after one of the entries of `log`.

    Args:
        names: of people, by id.
        server: its name, for calendars.

    Raises:
        Refused: `not-offered`: a library is not installed; `not-found`, `not-entered`; `invalid`: the table
            cannot be said in this format.
    """
    if wanted.round > len(s.rounds):
        raise Refused("not-found", "no-such-round", {"round": wanted.round, "rounds": len(s.rounds)})
    match wanted.format:
        case "trf":
            return _trf(s, wanted.round, names)
        case "csv":
            return _csv(_rows(s, wanted, names))
        case "json":
            return _json(log, s, names)
        case "ics":
            return _calendar(s, wanted, names, server)
        case _:
            return b"".join(record.leaf + b"\n" for record in log.records[: s.entry])


def _named(s: Tournament, entrant: str, names: Mapping[str, str]) -> str:
    """The name of who plays for an entrant; without one, the entrant's id."""
    return one_line(names.get(s.entrants[entrant].player) or entrant)


def _table(s: Tournament, rounds: int) -> Crosstable:
    """The crosstable, up to a round (0: all)."""
    table = crosstable(s)
    if not rounds:
        return table
    lines = tuple(replace(line, cells=line.cells[:rounds]) for line in table.lines)
    return replace(table, lines=lines)


def _trf(s: Tournament, rounds: int, names: Mapping[str, str]) -> bytes:
    table = _table(s, rounds)
    named = tuple(_named(s, line.entrant, names) for line in table.lines)
    try:
        return written(TrfFile(table, one_line(s.title.replace("\n", " ")), named)).encode()
    except ValueError as error:
        raise Refused("invalid", "quoted", {"said": str(error)[:200]}) from error


def _json(log: TournamentLog, s: Tournament, names: Mapping[str, str]) -> bytes:
    table = crosstable(s)
    everything = Everything(
        tournament=s.id,
        entry=s.entry,
        root=b64(log.roots[s.entry - 1]),
        title=s.title,
        terms=s.terms,
        status=s.status,
        entrants=tuple(s.entrants.values()),
        rounds=s.rounds,
        crosstable=table,
        standings=standings_of(s) if rounds_begun(table) else None,
        names=names,
    )
    return canonical(everything) + b"\n"


def _calendar(s: Tournament, wanted: Wanted, names: Mapping[str, str], server: str) -> bytes:
    if wanted.entrant and wanted.entrant not in s.entrants:
        raise Refused("not-entered", "no-such-entrant", {"entrant": wanted.entrant})
    known = {name: _named(s, name, names) for name in s.entrants}
    return calendar(s, dates(s, wanted.language, wanted.entrant, known), server)


# ── CSV ──


def _csv(rows: Iterable[Sequence[str]]) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    return out.getvalue().encode()


def _text(name: str) -> str:
    """A name that a spreadsheet takes for a text, whatever it begins with."""
    return f"'{name}" if name.startswith(_FORMULA) else name


def _rows(s: Tournament, wanted: Wanted, names: Mapping[str, str]) -> Iterable[Sequence[str]]:
    named = {name: _text(_named(s, name, names)) for name in s.entrants}
    match wanted.table:
        case "boards":
            return _boards(s, wanted.round, named)
        case "crosstable":
            return _crosstable(_table(s, wanted.round), named)
        case _:
            return _standings(s, named)


def _standings(s: Tournament, named: Mapping[str, str]) -> Iterable[Sequence[str]]:
    found = standings_of(s)
    yield ["place", "number", "entrant", "name", *(one.name for one in found.criteria)]
    for one in found.places:
        values = [value or "" for value in one.values]
        yield [str(one.place), str(one.number), one.entrant, named[one.entrant], *values]


def _boards(s: Tournament, rounds: int, named: Mapping[str, str]) -> Iterable[Sequence[str]]:
    yield ["round", "board", "w", "w_name", "b", "b_name", "result", "status", "reason", "match"]
    for one in s.rounds[: rounds or None]:
        for board in one.boards:
            reason = board.ruling.reason if board.ruling else board.outcome.reason if board.outcome else ""
            where = [str(one.number), str(board.number)]
            who = [board.w, named[board.w], board.b, named[board.b]]
            yield [*where, *who, _text(board.result), board.status, _text(reason), board.match]


def _crosstable(table: Crosstable, named: Mapping[str, str]) -> Iterable[Sequence[str]]:
    count = max((len(line.cells) for line in table.lines), default=0)
    yield ["number", "entrant", "name", *(f"round {number}" for number in range(1, count + 1))]
    for line in table.lines:
        cells = [_cell(cell_of(line, number)) for number in range(1, count + 1)]
        yield [str(line.number), line.entrant, named[line.entrant], *cells]


def _cell(cell: Cell) -> str:
    """A round: opponent, colour and result, such as "12w1"; else what it was."""
    if cell.opponent is None:
        return "" if cell.kind == "open" else cell.kind
    result = _RESULTS.get(cell.outcome or "", "*")
    return f"{cell.opponent}{cell.colour}{result}{'f' if cell.kind == 'forfeit' else ''}"
