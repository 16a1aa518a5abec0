"""What a tournament is exported as, besides its file: TRF, CSV, JSON, NDJSON and a calendar.

Every export follows from the log up to an entry, and from the names of people, which are in no log.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from domain.games import GAMES
from domain.kernel import Refused
from domain.log import b64, canonical
from domain.tournaments.crosstable import Crosstable
from domain.tournaments.crosstables import crosstable, with_byes_to_come
from domain.tournaments.history import TournamentLog
from domain.tournaments.outcomes import bids_for_seats, seating, seats_are_open
from domain.tournaments.state import Entrant, Round, Tournament
from domain.tournaments.terms import BID, BY_LOT, Terms
from replay.sanitize import one_line
from replay.tournaments.calendar import dates
from replay.tournaments.calendar_file import calendar_file
from replay.tournaments.csv_tables import boards_csv, crosstable_csv, standings_csv
from replay.tournaments.results import standings_of
from replay.tournaments.standings import Standings, rounds_begun
from replay.tournaments.trf import TrfFile, written
from replay.tournaments.trf_import import comments_and_kept

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
            return _csv(s, wanted, {name: _named(s, name, names) for name in s.entrants})
        case "json":
            return _json(log, s, names)
        case "ics":
            return _calendar(s, wanted, names, server)
        case _:
            return b"".join(record.leaf + b"\n" for record in log.records[: s.entry])


def _named(s: Tournament, entrant: str, names: Mapping[str, str]) -> str:
    """The name of who plays for an entrant; without one, the entrant's id."""
    return one_line(names.get(s.entrants[entrant].player) or entrant)


def _table(s: Tournament, rounds: int, *, with_later: bool = False) -> Crosstable:
    """The crosstable, up to a round (0: all); `with_later`: with the byes in rounds to come."""
    table = crosstable(s)
    if not rounds:
        return with_byes_to_come(s, table) if with_later and not s.ended else table
    lines = tuple(replace(line, cells=line.cells[:rounds]) for line in table.lines)
    return replace(table, lines=lines)


def _trf(s: Tournament, rounds: int, names: Mapping[str, str]) -> bytes:
    table = _table(s, rounds, with_later=True)
    named = tuple(_named(s, line.entrant, names) for line in table.lines)
    try:
        title, comments = one_line(s.title.replace("\n", " ")), tuple(_seats(s, rounds))
        known, kept = comments_and_kept(s.origin.kept if s.origin else ())
        return written(TrfFile(table, title, named, comments=(*known, *comments), kept=kept)).encode()
    except ValueError as error:
        raise Refused("invalid", "quoted", {"said": str(error)[:200]}) from error


def _seats(s: Tournament, rounds: int) -> Iterator[str]:
    """The seats of each board, by the numbers of the entrants, where the colours do not say them."""
    first, second = list(GAMES[s.terms.game].seats)[:2]
    numbers = {one.id: number for number, one in enumerate(s.numbered, 1)}
    for one in s.rounds[: rounds or None]:
        for board in () if s.was_played_elsewhere(one.number) else one.boards:
            follows = s.terms.sides not in (BID, BY_LOT) and not bids_for_seats(s, board)
            if not follows and not seats_are_open(s, board):
                a, b = seating(s, board)
                yield f"round {one.number} board {board.number}: {first} {numbers[a]}, {second} {numbers[b]}"


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
    return calendar_file(s.title, dates(s, wanted.language, wanted.entrant, known), server)


# ── CSV ──


def _csv(s: Tournament, wanted: Wanted, named: Mapping[str, str]) -> bytes:
    match wanted.table:
        case "boards":
            return boards_csv(s, s.rounds[: wanted.round or None], named).encode()
        case "crosstable":
            return crosstable_csv(_table(s, wanted.round), named).encode()
        case _:
            return standings_csv(standings_of(s), named).encode()
