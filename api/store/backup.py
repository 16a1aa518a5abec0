"""Backup, restore and copies of a store, and the check that a store is complete.

A backup is one file, itself a database, with the whole store at one moment: the log, people, answered
requests. It has the matches' secrets only in wrapped form; the key that unwraps them is not in it.  Without
the key folder, which is to be kept elsewhere, the secrets cannot be read; with it, running matches go on
after a restore.  A copy that other people may see is made without the vault.

A backup also has a digest over its content: SQLite's own check finds broken pages, but no flipped bit in a
row.

Read models are not in a backup: they are rebuilt from the log.
"""

from __future__ import annotations

import hashlib
import heapq
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

from msgspec import Struct

from api.store import sqlite_schema
from api.store.accounts import Cursor
from api.store.file_locks import clear_away, new_file
from api.store.interface import StoreError
from api.store.open import must_stand_alone
from api.store.sql import SqlStore
from domain.log import TOURNAMENT, time_of

# ── A store's whole content, copied into an empty store of any kind, and compared with it ──
#
# Moves keep their bytes, positions and order.  Secrets are wrapped anew by the keys of the target.  The copy
# is one transaction: if it is interrupted, the target stays empty.
#
# The shards of a store that an older version divided are copied together, as one content.  Each had an order
# of its own, so their moves are put in the order of their times and numbered anew.

PAGE = 500  # rows in one statement
FILES, FILES_PAGE = "reported_files", 4  # its rows hold up to 16 MiB each
LOG = ("stored_events", ("id", "originator_id", "originator_version", "topic", "state", "kind"), ("id",))
STATE = LOG[1].index("state")
BESIDE = (
    ("vault", ("match", "wrapped"), ("match",)),
    ("requests", ("scope", "key", "body", "status", "answer"), ("scope", "key")),
    ("notes", ("match", "note"), ("match",)),
    ("uploads", ("match", "signer"), ("match",)),
    ("upload_quota", ("visitor", "day", "number", "bytes"), ("visitor", "day")),
    ("withdrawals", ("match", "at", "by_whom", "reason"), ("match",)),
    ("reservations", ("match", "version", "seats"), ("match",)),
    ("people", ("id", "name", "role", "folded"), ("id",)),
    ("tokens", ("hash", "person"), ("hash",)),
    ("sessions", ("hash", "id", "person", "device", "made", "used"), ("hash",)),
    ("links", ("hash", "person", "made"), ("hash",)),
    (
        "subscriptions",
        (
            "person",
            "address",
            "asked",
            "state",
            "said",
            "often",
            "matches",
            "while_open",
            "language",
            "feed",
            "seen",
        ),
        ("person",),
    ),
    ("outbox", ("id", "person", "often", "items", "made", "due", "tries"), ("id",)),
    ("mail_quota", ("address", "day", "number"), ("address", "day")),
    ("followers", ("name", "position"), ("name",)),
    ("log_leaves", ("number", "topic", "kind", "leaf"), ("number",)),
    ("log_tiles", ("level", "number", "hashes"), ("level", "number")),
    ("log_openings", ("topic", "number", "opener", "at"), ("topic",)),
    ("log_checkpoints", ("size", "note", "cosignatures"), ("size",)),
    (
        FILES,
        ("match", "tournament", "sha256", "at", "named", "size", "about", "content"),
        ("match",),
    ),
    ("audit_log", ("id", "at", "action", "person", "doer", "reason"), ("id",)),
)

Table = tuple[str, tuple[str, ...], tuple[str, ...]]  # its name, its columns, and those of its key
Row = tuple[Any, ...]
Stores = Sequence[SqlStore]  # one, or the shards of one
Advance = Callable[[int], None]


class Difference(Struct, frozen=True):
    """A row in which two stores differ."""

    table: str
    key: str


def must_be_empty(store: SqlStore) -> None:
    """Check that a store can take the content of another one.

    Raises:
        StoreError: the store is not empty, or is a shard.
    """
    must_stand_alone(store, "the target")
    for table, *_ in (LOG, *BESIDE):
        count = store.rows(f"SELECT count(*) FROM {table}")[0][0]
        if count:
            what = "moves" if table == LOG[0] else f"rows of {table}"
            raise StoreError(f"the target is not empty (it holds {count} {what}): name a new one")


def size(stores: Stores) -> int:
    """Return how many rows there are to copy."""
    tables = [table for table, *_ in (LOG, *BESIDE)]
    return sum(int(store.rows(f"SELECT count(*) FROM {name}")[0][0]) for store in stores for name in tables)


def copy(source: Stores, target: SqlStore, advance: Advance) -> None:
    """Copy everything; `advance` is called with the number of copied rows, and may raise to end the copying.

    Raises:
        StoreError: the target is not empty, or something cannot be read or written; nothing was written.
    """
    must_be_empty(target)

    def work(cursor: Cursor) -> None:
        for table in (LOG, *BESIDE):
            rows = _content(source, table)
            while page := list(islice(rows, _page_of(table))):
                _insert(cursor, table, _wrapped(page, target) if table[0] == "vault" else page)
                advance(len(page))

    target.write(work)


def differences(source: Stores, target: SqlStore, advance: Advance) -> Iterator[Difference]:
    """Yield rows that only one of the two stores has, at most one of each table."""
    for table in (LOG, *BESIDE):
        ours, theirs = _content(source, table), _content([target], table)
        for number, (one, other) in enumerate(zip_longest(ours, theirs), 1):
            if one != other:
                yield Difference(table[0], _key(table, one or other or ()))
                break
            if number % PAGE == 0:
                advance(PAGE)


def _content(stores: Stores, table: Table) -> Iterator[Row]:
    """All rows in the order of their keys, secrets unwrapped."""
    one, *others = (_rows(store, table) for store in stores)
    if not others:
        yield from one
    elif table == LOG:
        in_order = heapq.merge(one, *others, key=_time)
        yield from ((number, *row[1:]) for number, row in enumerate(in_order, 1))
    else:
        yield from heapq.merge(one, *others, key=lambda row: row[: len(table[2])])


def _time(row: Row) -> int:
    """The time of the move in a row of the log."""
    return time_of(bytes(row[STATE]).partition(b"\n")[0]) or 0


def _rows(store: SqlStore, table: Table) -> Iterator[Row]:
    """All rows of a table, in the order of its key, secrets unwrapped."""
    for page in _pages(store, table):
        for row in page:
            yield (row[0], store.secret(row[0])) if table[0] == "vault" else row


def _pages(store: SqlStore, table: Table) -> Iterator[list[Row]]:
    """The same as it is stored, page by page."""
    name, columns, key = table
    most = _page_of(table)
    select, order = f"SELECT {', '.join(columns)} FROM {name}", f"ORDER BY {', '.join(key)} LIMIT {most}"
    marks = ", ".join("?" * len(key))
    page = [tuple(row) for row in store.rows(f"{select} {order}")]
    while page:
        yield page
        last = [value for column, value in zip(columns, page[-1], strict=True) if column in key]
        more = f"{select} WHERE ({', '.join(key)}) > ({marks}) {order}"
        page = [tuple(row) for row in store.rows(more, last)] if len(page) == most else []


def _page_of(table: Table) -> int:
    """How many of its rows are in memory at once."""
    return FILES_PAGE if table[0] == FILES else PAGE


def _wrapped(page: Sequence[Row], target: SqlStore) -> list[Row]:
    """Rows of the vault, wrapped by the target's keys."""
    return [(match, target.wrapped(match, secret)) for match, secret in page if secret is not None]


def _insert(cursor: Cursor, table: Table, rows: Sequence[Row]) -> None:
    name, columns, _ = table
    marks = f"({', '.join('?' * len(columns))})"
    statement = f"INSERT INTO {name} ({', '.join(columns)}) VALUES {', '.join([marks] * len(rows))}"
    cursor.execute(statement, [value for row in rows for value in row])


def _key(table: Table, row: Row) -> str:
    """The key of a row for display; the keys of requests, tokens and sessions are not shown."""
    if table[0] in ("requests", "tokens", "sessions", "links", "mail_quota"):
        return "one of them"
    return " ".join(str(value) for column, value in zip(table[1], row, strict=True) if column in table[2])


# ── Is a store complete?  The roots of a match prove its content, but not that the match is there ──
#
# Positions and moves are numbered without gaps, and everything of a match was stored together with its moves.
# Only if the latest matches are missing with everything of theirs, no trace is left: that is an older store.

Ask = Callable[[str], Sequence[Any]]  # returns the rows of one statement, all of one moment

_GAP = (
    "SELECT originator_id FROM stored_events GROUP BY originator_id"
    " HAVING min(originator_version) <> 1 OR max(originator_version) <> count(*) LIMIT 1"
)
_NUMBERS = "SELECT count(*), coalesce(max(id), 0) FROM stored_events"
_ORPHAN = (
    "SELECT kept.match FROM (SELECT match FROM vault UNION SELECT match FROM notes) AS kept WHERE NOT EXISTS"
    " (SELECT 1 FROM stored_events WHERE originator_id = kept.match AND originator_version = 1) LIMIT 1"
)


def lacking(ask: Ask) -> str:
    """Return what is missing in a store, in a few words; "" if nothing is."""
    for (match,) in ask(_GAP):
        return f"moves of match {match} are missing"
    moves, last = ask(_NUMBERS)[0]
    if moves != last:
        return f"it holds {moves} moves, and the last one is number {last}"
    for (match,) in ask(_ORPHAN):
        return f"all moves of match {match} are missing"
    return ""


# ── Backup and restore of a store's file, while the store is served ──


_DIGEST = "digest"  # its name in the table `meta`
_PAGE = 500  # rows after which the progress is reported


class Content(Struct, frozen=True):
    """How much a store or a backup holds."""

    matches: int
    moves: int


def backup(
    folder: Path, target: Path, *, with_vault: bool = True, advance: Advance = lambda rows: None
) -> Content:
    """Copy the store in `folder`, as it is at this moment, to the new file `target` (mode 600).

    `advance` is called with the number of rows that were read; each is read twice, to make the digest and to
    check it.

    Raises:
        StoreError: there is no store, `target` exists or cannot be written, or the store is damaged.
    """
    source = folder / sqlite_schema.FILE
    if not target.name:
        raise StoreError(f"{target} is a directory: name the file that is to be the backup")
    sqlite_schema.must_be_known(source)  # also an older schema: a backup is wanted before a migration
    with closing(sqlite_schema.connect_for_reading(source)) as connection, new_file(target) as fresh:
        _copy(connection, fresh)
        with closing(sqlite3.connect(fresh, isolation_level=None)) as copy:
            if not with_vault:
                _empty_vault(copy)
            copy.execute("INSERT INTO meta (name, value) VALUES (?, ?)", (_DIGEST, _digest(copy, advance)))
        return check(fresh, advance)


def restore(file: Path, folder: Path, *, advance: Advance = lambda rows: None) -> Content:
    """Make the store in `folder`, which must be empty or missing, from a backup.

    `advance` is called with the number of rows that were read.

    The key folder is not in the backup: put it beside the store before the store is served.

    Raises:
        StoreError: `folder` is not empty, or `file` is not a backup, is damaged or has a newer schema.
    """
    if not file.is_file():
        raise StoreError(f"there is no backup: {file} is not a file")
    content = check(file, advance)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        clear_away(folder / sqlite_schema.FILE)
        held = sorted(path.name for path in folder.iterdir())
    except OSError as error:
        raise StoreError(f"{folder} cannot hold a store: {error.strerror}") from error
    if held:
        raise StoreError(f"{folder} is not empty (it holds {held[0]}): restore into a new folder")
    with (
        closing(sqlite_schema.connect_for_reading(file)) as connection,
        new_file(folder / sqlite_schema.FILE) as fresh,
    ):
        _copy(connection, fresh)
        with closing(sqlite3.connect(fresh, isolation_level=None)) as copy:
            copy.execute("DELETE FROM meta WHERE name = ?", (_DIGEST,))
    return content


def check(file: Path, advance: Advance = lambda rows: None) -> Content:
    """Check a backup, or a store that is not served; return how much it holds.

    Raises:
        StoreError: it is damaged; the text says how.
    """
    sqlite_schema.must_be_known(file)
    try:
        with closing(sqlite_schema.connect_for_reading(file)) as connection:
            return _checked(connection, file, advance)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise StoreError(f"{file} is damaged: {error}") from error


def _checked(connection: sqlite3.Connection, file: Path, advance: Advance) -> Content:
    found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if found != "ok":
        raise StoreError(f"{file} is damaged: {found}")
    digest = connection.execute("SELECT value FROM meta WHERE name = ?", (_DIGEST,)).fetchone()
    if digest and digest[0] != _digest(connection, advance):
        raise StoreError(f"{file} is damaged: it does not hold what was backed up")
    if missing := lacking(lambda statement: connection.execute(statement).fetchall()):
        raise StoreError(f"{file} is damaged: {missing}")
    matches, moves = connection.execute(
        f"SELECT count(DISTINCT originator_id), count(*) FROM stored_events WHERE topic <> '{TOURNAMENT}'"
    ).fetchone()
    return Content(matches, moves)


def _copy(source: sqlite3.Connection, target: Path) -> None:
    """Copy all pages in one step: they are of one moment, and writers do not wait."""
    with closing(sqlite3.connect(target, isolation_level=None)) as connection:
        source.backup(connection)
        connection.execute("PRAGMA journal_mode = DELETE")


def _empty_vault(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("DELETE FROM vault")
    connection.execute("VACUUM")


def _digest(connection: sqlite3.Connection, advance: Advance) -> str:
    """SHA-256 over the schema and every row of every table, in order, without the digest's own row."""
    digest = hashlib.sha256()
    made = connection.execute("SELECT * FROM sqlite_master ORDER BY name").fetchall()
    digest.update(repr(made).encode())
    for table in (name for kind, name, *_ in made if kind == "table"):
        rows = connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2")
        while some := rows.fetchmany(_PAGE):
            for row in some:
                if row[0] != _DIGEST:
                    digest.update(repr(row).encode())
            advance(len(some))
    return digest.hexdigest()
