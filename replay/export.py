"""Matches as tables for analysis: seats, moves, facts, draws and the options offered, as ndjson or Parquet.

Matches that are over are exported in full.  Of a running match only what a spectator sees is exported: no
secret pick, fact or draw, and no options, because only the asked seat may see these.  The same holds for an
imported match, also when it is over, because its record does not contain the hidden parts.

Rows are in the order of the given matches, their moves, and the content of a move; so the same matches give
the same rows.  Everything is written batch by batch, and a file gets its name when it is complete.
`docs/export.md` lists the columns.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

import msgspec

from domain.chance import Drawn
from domain.events import Played
from domain.kernel import AnyFact, Seat
from domain.log import HOUSE, Record, b64, canonical
from domain.match import Match
from domain.match_base import ALL
from replay.audit import offered
from replay.positions import kind_of

Row = dict[str, Any]

FORMATS = ("ndjson", "parquet")
_BATCH = 10_000  # rows that wait in memory, and the size of a Parquet row group

# The columns of each table and what they hold; a list is one of texts.
_WHERE: dict[str, type] = {"match": str, "move": int}
TABLES: dict[str, dict[str, type]] = {
    "seats": {
        "match": str,
        "seat": str,
        "player": str,
        "bot": str,
        "sat_down_on": str,
        "salt": str,
        "unverified": bool,
        "claimed": bool,
    },
    "moves": {
        **_WHERE,
        "game": str,
        "edition": str,
        "origin": str,
        "unverified": bool,
        "rules": str,
        "kind": str,
        "seat": str,
        "player": str,
        "ask": str,
        "picks": list,
        "at": int,
        "stands": bool,
        "facts": int,
        "root": str,
        "entry": str,
    },
    "facts": {**_WHERE, "place": int, "fact": str, "known_to": list, "fields": str},
    "draws": {
        **_WHERE,
        "open": bool,
        "place": int,
        "label": str,
        "counter": int,
        "period": int,
        "n": int,
        "result": int,
        "pick": str,
        "forced": bool,
    },
    "options": {
        **_WHERE,
        "seat": str,
        "ask": str,
        "least": int,
        "most": int,
        "place": int,
        "option": str,
        "picked": bool,
    },
}


def export(
    matches: Iterable[Match],
    folder: Path,
    format: str,
    progress: Callable[[str], None] = lambda match: None,
) -> dict[str, int]:
    """Write the tables of `matches` into `folder`; return the number of rows of each table.

    Args:
        format: "ndjson" or "parquet".
        progress: called with a match's id after it is written.

    Raises:
        ValueError: the format is unknown.
        ImportError: the format is "parquet" and pyarrow is not installed.
        OSError: `folder` cannot be written; files of an earlier export there are left as they were.
    """
    if format not in FORMATS:
        raise ValueError(f"no format {format!r}; there are: {', '.join(FORMATS)}")
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        sinks = {name: stack.enter_context(_Sink(folder, name, format)) for name in TABLES}
        for match in matches:
            for name, rows in tables(match).items():
                sinks[name].write(rows)
            progress(match.id)
        for sink in sinks.values():
            sink.complete()
    return {name: sink.rows for name, sink in sinks.items()}


def tables(match: Match) -> dict[str, Iterator[Row]]:
    """Return the rows of one match, by table."""
    return {
        "seats": _seats(match),
        "moves": _moves(match),
        "facts": _facts(match),
        "draws": _draws(match),
        "options": _options(match),
    }


# ── rows ──


def _seats(match: Match) -> Iterator[Row]:
    """The player of each seat at the end; no rows if the match was closed before it began."""
    for seat, seated in match.players.items():
        yield {
            "match": match.id,
            "seat": seat,
            "player": seated.player if seated else None,
            "bot": seated.bot or None if seated else None,
            "sat_down_on": seated.seat if seated else None,
            "salt": match.salt_marks[seated.seat] if seated else None,
            "unverified": match.imported,
            "claimed": match.claimed,
        }


def _moves(match: Match) -> Iterator[Row]:
    stands, rules, opened = set(match.line()), match.opened.rules, match.opened
    for record, root in zip(match.records, match.roots, strict=True):
        entry = record.entry
        rules = getattr(entry, "rules", "") or rules
        yield {
            "match": match.id,
            "move": record.move,
            "game": opened.game,
            "edition": opened.edition,
            "origin": match.origin,
            "unverified": match.imported,
            "rules": rules,
            "kind": kind_of(entry),
            "seat": getattr(entry, "seat", None),
            "player": getattr(entry, "player", None),
            "ask": getattr(entry, "ask", None),
            "picks": _picks(match, record),
            "at": entry.at,
            "stands": record.move in stands,
            "facts": len(getattr(entry, "facts", ())),
            "root": b64(root),
            "entry": record.leaf.decode(),
        }


def viewer_of(match: Match) -> Seat | None:
    """The viewer for the export: ALL if the match is over and holds its hidden parts, else a spectator."""
    return match.effective_viewer(ALL if match.closed else None)


def _picks(match: Match, record: Record) -> list[str] | None:
    if not isinstance(record.entry, Played):
        return None
    picks = match.picks_for(record, viewer_of(match))
    return None if picks is None else list(picks)


def _facts(match: Match) -> Iterator[Row]:
    for record in match.records:
        for place, fact in enumerate(match.facts_for(record, viewer_of(match))):
            known = fact.known_to()
            yield {
                "match": match.id,
                "move": record.move,
                "place": place,
                "fact": tag(fact),
                "known_to": None if known is None else list(known),
                "fields": fields_of(fact),
            }


def tag(fact: AnyFact) -> str:
    """Return the name of a fact."""
    return str(fact.__struct_config__.tag)


def fields_of(fact: AnyFact) -> str:
    """Every field of a fact, defaults included, as a JSON object."""
    return canonical(msgspec.structs.asdict(fact)).decode()


def _draws(match: Match) -> Iterator[Row]:
    for record in match.records:
        for place, (is_open, draw) in enumerate(draws_of(match, record)):
            yield {
                "match": match.id,
                "move": record.move,
                "open": is_open,
                "place": place,
                **msgspec.structs.asdict(draw),
            }


def draws_of(match: Match, record: Record) -> list[tuple[bool, Drawn]]:
    """Return the draws of a move that may be shown, the open ones first; each with whether it was open."""
    house = record.parts.get(HOUSE) if viewer_of(match) == ALL else None
    draws = [(True, draw) for draw in getattr(record.entry, "draws", ())]
    return draws + [(False, draw) for draw in (house.draws if house else ())]


def _options(match: Match) -> Iterator[Row]:
    for offer in offered(match) if viewer_of(match) == ALL else ():
        for place, option in enumerate(offer.options):
            yield {
                "match": match.id,
                "move": offer.move,
                "seat": offer.seat,
                "ask": offer.ask,
                "least": offer.least,
                "most": offer.most,
                "place": place,
                "option": option,
                "picked": option in offer.picks,
            }


# ── files ──


class _Writer(Protocol):
    def write(self, rows: list[Row]) -> None:
        """Append rows."""

    def close(self) -> None:
        """Finish the file."""


class _Ndjson:
    """One JSON object a line, its keys in the order of the columns."""

    def __init__(self, path: Path, columns: Mapping[str, type]) -> None:
        self._columns = tuple(columns)
        self._file = path.open("wb")
        self._encode = msgspec.json.Encoder().encode_lines

    def write(self, rows: list[Row]) -> None:
        """See `_Writer`."""
        self._file.write(self._encode({name: row[name] for name in self._columns} for row in rows))

    def close(self) -> None:
        """See `_Writer`."""
        self._file.close()


class _Parquet:
    """One row group for each batch."""

    def __init__(self, path: Path, columns: Mapping[str, type]) -> None:
        import pyarrow as pa
        from pyarrow.parquet import ParquetWriter

        kinds = {str: pa.string(), int: pa.int64(), bool: pa.bool_(), list: pa.list_(pa.string())}
        self._schema = pa.schema([(name, kinds[kind]) for name, kind in columns.items()])
        self._table = pa.Table.from_pylist
        self._writer = ParquetWriter(path, self._schema, compression="zstd")

    def write(self, rows: list[Row]) -> None:
        """See `_Writer`."""
        self._writer.write_table(self._table(rows, schema=self._schema))

    def close(self) -> None:
        """See `_Writer`."""
        self._writer.close()


class _Sink:
    """One table's file, under a temporary name until all of it is written."""

    def __init__(self, folder: Path, table: str, format: str) -> None:
        self._path = folder / f"{table}.{format}"
        self._unfinished = folder / f".{table}.{format}.part"
        make: Callable[[Path, Mapping[str, type]], _Writer] = _Ndjson if format == "ndjson" else _Parquet
        self._writer = make(self._unfinished, TABLES[table])
        self._waiting: list[Row] = []
        self.rows = 0

    def __enter__(self) -> _Sink:
        return self

    def __exit__(self, *problem: object) -> None:
        self._writer.close()
        self._unfinished.unlink(missing_ok=True)

    def write(self, rows: Iterable[Row]) -> None:
        """Append rows."""
        for row in rows:
            self._waiting.append(row)
            if len(self._waiting) == _BATCH:
                self._flush()

    def complete(self) -> None:
        """Give the file its name, after everything is written."""
        self._flush()
        self._writer.close()
        os.replace(self._unfinished, self._path)

    def _flush(self) -> None:
        if self._waiting:
            self._writer.write(self._waiting)
            self.rows += len(self._waiting)
            self._waiting = []
