"""What runs one SQL query of a caller, in a process of its own that then dies (`api.data.sql_parent`).

In this order: it steps aside for other processes; it opens the database for reading and locks its settings;
it limits itself; only then does it read the query.  It sends one answer over the connection: a line of JSON
with what is known of it, and the body.  Nothing it prints is kept.
"""

from __future__ import annotations

import csv
import datetime
import decimal
import io
import os
import resource
import socket
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from replay.affinity import leave_a_core
from replay.arrow import in_parquet, rows_of, schema_in_parquet, without_type_in_parquet

if TYPE_CHECKING:
    import duckdb

TOO_LONG, NOT_SELECT, MEMORY, ERROR = "long", "not select", "memory", "error"  # why there is no answer
MOST_CHARACTERS = 20_000  # of a query
MOST_ROWS = 10_000
MOST_BYTES = 10 * 1024 * 1024  # of the rows, as NDJSON
MOST_PARAMETERS = 100
ADDRESS_SPACE = 3 * 1024**3
CPU_SECONDS = 6
FILES = 64
NICE = 19  # a move comes first
_AT_ONCE = 500  # rows that are fetched together
SETTINGS = (
    "SET threads = 1",  # two queries run at once
    "SET memory_limit = '512MB'",
    "SET temp_directory = ''",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET allow_community_extensions = false",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)
_encode = msgspec.json.Encoder(enc_hook=str, decimal_format="number").encode

Value = None | bool | int | float | str


class Task(Struct, frozen=True):
    """One query: its SQL, the values of `?` or `$name` in it, and in which form the rows are sent.

    form: json, csv, ndjson, arrow or parquet.
    """

    database: str
    sql: str
    parameters: list[Value] | dict[str, Value]
    limit: int
    form: str


class Outcome(Struct, frozen=True):
    """What is known of an answer: `why` is "" or says why there is none, with the words of DuckDB in `said`.

    size: bytes of the body that follows.
    """

    why: str = ""
    said: str = ""
    truncated: bool = False
    columns: list[tuple[str, str]] = []
    size: int = 0


class _Refused(Exception):
    """The query is none that is run; the text says why, as `Outcome.why` does."""


def run(connection: socket.socket, task: Task) -> None:
    """Run a query, and send the answer; see the head of this module."""
    step_aside()
    import duckdb

    _close_output()
    try:
        outcome, body = _answer(task)
    except _Refused as refused:
        outcome, body = Outcome(str(refused)), b""
    except (duckdb.OutOfMemoryException, MemoryError):
        outcome, body = Outcome(MEMORY), b""
    except duckdb.Error as error:
        outcome, body = Outcome(ERROR, str(error)[:2_000]), b""
    except RecursionError:
        outcome, body = Outcome(ERROR, "nested too deeply"), b""
    except Exception as error:  # a value that a form cannot hold is no reason to lock the caller out
        outcome, body = Outcome(ERROR, (str(error) or type(error).__name__)[:2_000]), b""
    connection.sendall(msgspec.json.encode(replace(outcome, size=len(body))) + b"\n" + body)


def _close_output() -> None:
    """Print nothing: what a library prints might hold the query."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)


def _answer(task: Task) -> tuple[Outcome, bytes]:
    import duckdb

    os.environ.clear()
    database = duckdb.connect(task.database, read_only=True)
    for setting in SETTINGS:
        database.execute(setting)
    _limit()
    _must_be_one_select(database, task.sql)
    found = database.execute(task.sql, task.parameters or None)
    columns = [(str(name), str(kind)) for name, kind, *_ in found.description or ()]
    if task.form in ("arrow", "parquet"):
        return _as_arrow(database, found, columns, task)
    return _as_text(found, columns, task)


def step_aside() -> None:
    """Leave a core free, and run on the others only while no other process wants to: moves come first."""
    os.nice(NICE)
    leave_a_core()
    if hasattr(os, "SCHED_IDLE"):  # on Linux a move that wakes up need not wait for the end of a slice
        with suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def _limit() -> None:
    for kind, most in (
        (resource.RLIMIT_AS, ADDRESS_SPACE),
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, FILES),
    ):
        resource.setrlimit(kind, (most, most))


def _must_be_one_select(database: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Raises _Refused, duckdb.Error (it cannot be read)."""
    from duckdb import StatementType

    if len(sql) > MOST_CHARACTERS:
        raise _Refused(TOO_LONG)
    statements = database.extract_statements(sql)
    if len(statements) != 1 or statements[0].type != StatementType.SELECT:
        raise _Refused(NOT_SELECT)


# ── the forms: the same rows are in all of them ──


class _Room:
    """How many rows still fit: by their number, and by their bytes as NDJSON."""

    def __init__(self, names: Sequence[str], limit: int) -> None:
        self._names, self._limit = names, limit
        self._bytes = 0
        self.lines: list[bytes] = []
        self.is_full = False

    def add(self, row: Sequence[Any]) -> bool:
        """Add a row; False if it does not fit any more."""
        line = _encode(dict(zip(self._names, row, strict=True)))
        self._bytes += len(line) + 1
        if len(self.lines) == self._limit or self._bytes > MOST_BYTES:
            self.is_full = True
            return False
        self.lines.append(line)
        return True


def _as_text(found: Any, columns: list[tuple[str, str]], task: Task) -> tuple[Outcome, bytes]:
    """The rows as JSON, CSV or NDJSON."""
    names = _distinct([name for name, _ in columns])
    room, rows = _Room(names, task.limit), list[Sequence[Any]]()
    while not room.is_full and (some := found.fetchmany(_AT_ONCE)):
        rows += [row for row in map(_plain_row, some) if not room.is_full and room.add(row)]
    outcome = Outcome(truncated=room.is_full, columns=columns)
    if task.form == "ndjson":
        return outcome, b"".join(line + b"\n" for line in room.lines)
    if task.form == "csv":
        return outcome, _csv(names, rows)
    return outcome, _encode(rows)


def _plain_row(row: Sequence[Any]) -> list[Any]:
    return [_plain(value) for value in row]


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, decimal.Decimal):
        return int(value) if value == value.to_integral_value() and not value.as_tuple().exponent else value
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return str(value)


def _csv(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(names)
    for row in rows:
        writer.writerow([_encode(one).decode() if isinstance(one, list | dict) else one for one in row])
    return text.getvalue().encode()


def _text(value: Any) -> str:
    """A value as text: what JSON has as text is as it is there, all else is JSON."""
    found = _plain(value)
    return found if isinstance(found, str) else _encode(found).decode()


def _as_arrow(
    database: duckdb.DuckDBPyConnection, found: Any, columns: list[tuple[str, str]], task: Task
) -> tuple[Outcome, bytes]:
    """The rows as an Arrow stream, or as Parquet."""
    import pyarrow
    import pyarrow.parquet

    reader, scratch = found.to_arrow_reader(_AT_ONCE), database.cursor()
    as_text = without_type_in_parquet(reader.schema) if task.form == "parquet" else frozenset[int]()
    schema = schema_in_parquet(reader.schema, as_text)
    room, batches = _Room(_distinct([name for name, _ in columns]), task.limit), list[Any]()
    for batch in reader:
        rows = rows_of(batch, scratch)
        kept = sum(1 for row in rows if not room.is_full and room.add(_plain_row(row)))
        batches.append(in_parquet(batch, rows, schema, _text, as_text).slice(0, kept))
        if room.is_full:
            break
    table = pyarrow.Table.from_batches(batches, schema)
    table = table.rename_columns(_distinct(table.column_names))
    sink = pyarrow.BufferOutputStream()
    if task.form == "parquet":
        pyarrow.parquet.write_table(table, sink, compression="zstd")
    else:
        with pyarrow.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
    return Outcome(truncated=room.is_full, columns=columns), sink.getvalue().to_pybytes()


def _distinct(names: Sequence[str]) -> list[str]:
    """The names, with a number at those that occur again."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return found
