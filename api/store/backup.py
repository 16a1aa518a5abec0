"""Backup and restore of a store's file, while the store is served.

A backup is one file, itself a database, that holds all there is at one moment: the log, people, answered
requests.  The matches' secrets are in it only as the vault keeps them, wrapped by a key that is not: without
the key folder, which is to be kept elsewhere, they are noise, and with it running matches can go on after a
restore.  A copy for somebody else's eyes is made without the vault.

A digest over all of it is in it, too: SQLite's own check sees broken pages, but no flipped bit inside a row.

Read models are not in it: they are rebuilt from the log.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from msgspec import Struct

from api.store import schema
from api.store.fresh import clear_away, new_file
from api.store.seam import StoreError
from api.store.whole import lacking

_DIGEST = "digest"  # its name in the table `meta`
_PAGE = 500  # rows after which the progress is told

Advance = Callable[[int], None]


class Content(Struct, frozen=True):
    """How much a store or a backup holds."""

    matches: int
    moves: int


def backup(
    folder: Path, target: Path, *, with_vault: bool = True, advance: Advance = lambda rows: None
) -> Content:
    """Copy the store in `folder`, as it is at this moment, to the new file `target` (mode 600).

    `advance` is told how many rows were looked at, each twice: the digest is made, and checked.

    Raises:
        StoreError: there is no store, `target` exists or cannot be written, or the store is damaged.
    """
    source = folder / schema.FILE
    if not target.name:
        raise StoreError(f"{target} is a directory: name the file that is to be the backup")
    schema.must_be_known(source)  # an older one, too: before it is migrated is when a copy is wanted
    with closing(schema.connect_for_reading(source)) as connection, new_file(target) as fresh:
        _copy(connection, fresh)
        with closing(sqlite3.connect(fresh, isolation_level=None)) as copy:
            if not with_vault:
                _empty_vault(copy)
            copy.execute("INSERT INTO meta (name, value) VALUES (?, ?)", (_DIGEST, _digest(copy, advance)))
        return check(fresh, advance)


def restore(file: Path, folder: Path, *, advance: Advance = lambda rows: None) -> Content:
    """Make the store in `folder`, which must be empty or missing, from a backup.

    `advance` is told how many rows were looked at.

    Its key folder is not in the backup: put it beside the store before the store is served.

    Raises:
        StoreError: `folder` holds something, or `file` is no backup, damaged or of a newer schema.
    """
    if not file.is_file():
        raise StoreError(f"there is no backup: {file} is not a file")
    content = check(file, advance)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        clear_away(folder / schema.FILE)
        held = sorted(path.name for path in folder.iterdir())
    except OSError as error:
        raise StoreError(f"{folder} cannot hold a store: {error.strerror}") from error
    if held:
        raise StoreError(f"{folder} is not empty (it holds {held[0]}): restore into a new folder")
    with closing(schema.connect_for_reading(file)) as connection, new_file(folder / schema.FILE) as fresh:
        _copy(connection, fresh)
        with closing(sqlite3.connect(fresh, isolation_level=None)) as copy:
            copy.execute("DELETE FROM meta WHERE name = ?", (_DIGEST,))
    return content


def check(file: Path, advance: Advance = lambda rows: None) -> Content:
    """What a backup or a store that nobody serves holds, when it is whole.

    Raises:
        StoreError: it is not; the text says what is wrong.
    """
    schema.must_be_known(file)
    try:
        with closing(schema.connect_for_reading(file)) as connection:
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
        "SELECT count(DISTINCT originator_id), count(*) FROM stored_events"
    ).fetchone()
    return Content(matches, moves)


def _copy(source: sqlite3.Connection, target: Path) -> None:
    """All pages in one step: one moment of the store, and writers need not wait for it."""
    with closing(sqlite3.connect(target, isolation_level=None)) as connection:
        source.backup(connection)
        connection.execute("PRAGMA journal_mode = DELETE")


def _empty_vault(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("DELETE FROM vault")
    connection.execute("VACUUM")


def _digest(connection: sqlite3.Connection, advance: Advance) -> str:
    """SHA-256 over the schema and every row of every table, in order, but the digest's own."""
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
