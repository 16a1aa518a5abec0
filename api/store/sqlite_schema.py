"""The tables of a store's file, and the migration of older files.

The log is append-only by the tables' own triggers: a move follows the last one of its match, and nothing
stored is ever updated or deleted, by any program that opens the file.  Everything else (people, tokens,
answered requests) is in tables beside the log.

A file with a newer schema is refused; one with an older schema is copied, then migrated.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from contextlib import ExitStack, closing, suppress
from pathlib import Path

from msgspec import Struct

from api.store.accounts import folded
from api.store.events import MILESTONES, kind_of_row
from api.store.file_locks import new_file, reason
from api.store.interface import Older, StoreError
from domain.log import PLAYED

FILE = "glasnost.db"
APPLICATION = 0x474C5354  # "GLST": marks the file as a Glasnost store
STATEMENTS = 128  # prepared statements kept by each connection; the standard library's pool keeps one

_STAY = """CREATE TRIGGER stored_events_stay BEFORE UPDATE ON stored_events
    BEGIN SELECT RAISE(ABORT, 'a stored move is never changed'); END"""
LOG = (
    """CREATE TABLE stored_events (
        id INTEGER PRIMARY KEY,
        originator_id TEXT NOT NULL,
        originator_version INTEGER NOT NULL,
        topic TEXT NOT NULL,
        state BLOB NOT NULL,
        kind TEXT NOT NULL,
        UNIQUE (originator_id, originator_version)
    ) STRICT""",
    # Lists the matches, oldest first, without reading every move.
    "CREATE INDEX opened ON stored_events (originator_id) WHERE originator_version = 1",
    MILESTONES,
    """CREATE TRIGGER stored_events_follow BEFORE INSERT ON stored_events
    WHEN NEW.originator_version <> 1 + (
        SELECT coalesce(max(originator_version), 0) FROM stored_events WHERE originator_id = NEW.originator_id
    )
    BEGIN SELECT RAISE(ABORT, 'a move must follow the last one'); END""",
    _STAY,
    """CREATE TRIGGER stored_events_last BEFORE DELETE ON stored_events
    BEGIN SELECT RAISE(ABORT, 'a stored move is never deleted'); END""",
)

BESIDE = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE vault (match TEXT PRIMARY KEY, wrapped BLOB NOT NULL) STRICT, WITHOUT ROWID",
    """CREATE TABLE requests (
        scope TEXT NOT NULL, key TEXT NOT NULL, body BLOB NOT NULL, status INTEGER NOT NULL,
        answer BLOB NOT NULL, PRIMARY KEY (scope, key)
    ) STRICT, WITHOUT ROWID""",
    "CREATE TABLE notes (match TEXT PRIMARY KEY, note TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE uploads (match TEXT PRIMARY KEY, signer TEXT NOT NULL) STRICT, WITHOUT ROWID",
    """CREATE TABLE people (
        id TEXT PRIMARY KEY, name TEXT, role TEXT NOT NULL, folded TEXT
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE tokens (
        hash BLOB PRIMARY KEY, person TEXT NOT NULL REFERENCES people
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX tokens_of ON tokens (person)",
)

_UPLOADS = (
    """CREATE TABLE upload_quota (
        visitor TEXT NOT NULL, day INTEGER NOT NULL, number INTEGER NOT NULL, bytes INTEGER NOT NULL,
        PRIMARY KEY (visitor, day)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE withdrawals (
        match TEXT PRIMARY KEY, at INTEGER NOT NULL, by_whom TEXT NOT NULL, reason TEXT NOT NULL
    ) STRICT, WITHOUT ROWID""",
)

# The audit log of people, and their folded names (see `api.store.accounts`).
_PEOPLE = (
    "CREATE INDEX people_folded ON people (folded, id) WHERE folded IS NOT NULL",
    """CREATE TABLE audit_log (
        id TEXT PRIMARY KEY, at INTEGER NOT NULL, action TEXT NOT NULL, person TEXT NOT NULL,
        doer TEXT NOT NULL, reason TEXT NOT NULL
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX audit_log_at ON audit_log (at, id)",
    "CREATE INDEX audit_log_person ON audit_log (person)",
)
_PEOPLE_FOLDED = (
    "ALTER TABLE people ADD COLUMN folded TEXT",
    "UPDATE people SET folded = folded_name(name) WHERE name IS NOT NULL",
    *_PEOPLE,
)

_RESERVATIONS = (
    """CREATE TABLE reservations (
        match TEXT PRIMARY KEY, version INTEGER NOT NULL, seats TEXT NOT NULL
    ) STRICT, WITHOUT ROWID""",
)

# Sessions of players and the links that open them, of which only hashes are stored (`api.store.sessions`).
_SESSIONS = (
    """CREATE TABLE sessions (
        hash BLOB PRIMARY KEY, id TEXT NOT NULL UNIQUE, person TEXT NOT NULL REFERENCES people,
        device TEXT NOT NULL, made INTEGER NOT NULL, used INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX sessions_of ON sessions (person, used)",
    "CREATE INDEX sessions_used ON sessions (used)",
    """CREATE TABLE links (
        hash BLOB PRIMARY KEY, person TEXT NOT NULL REFERENCES people, made INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX links_of ON links (person, made)",
)

# What players want to be notified of by mail, and the messages that wait (`api.store.outbox`).
_MAIL = (
    """CREATE TABLE subscriptions (
        person TEXT PRIMARY KEY REFERENCES people, address TEXT NOT NULL, asked INTEGER NOT NULL,
        state TEXT NOT NULL, said TEXT NOT NULL, often TEXT NOT NULL, matches TEXT NOT NULL,
        while_open INTEGER NOT NULL, language TEXT NOT NULL, feed TEXT NOT NULL, seen INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX subscriptions_at ON subscriptions (address)",
    """CREATE TABLE outbox (
        id TEXT PRIMARY KEY, person TEXT NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
        often TEXT NOT NULL, items TEXT NOT NULL, made INTEGER NOT NULL, due INTEGER NOT NULL,
        tries INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX outbox_due ON outbox (due)",
    "CREATE INDEX outbox_of ON outbox (person)",
    """CREATE TABLE mail_quota (
        address BLOB NOT NULL, day INTEGER NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (address, day)
    ) STRICT, WITHOUT ROWID""",
    "CREATE TABLE followers (name TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT, WITHOUT ROWID",
)

# The server's transparency log (`api.store.transparency`): like the log of the matches, it only grows.
_TRANSPARENCY = (
    """CREATE TABLE log_leaves (
        number INTEGER PRIMARY KEY, topic TEXT NOT NULL, kind TEXT NOT NULL, leaf BLOB NOT NULL
    ) STRICT""",
    "CREATE INDEX log_leaves_of ON log_leaves (topic, number)",
    """CREATE TRIGGER log_leaves_follow BEFORE INSERT ON log_leaves
    WHEN NEW.number <> (SELECT coalesce(max(number) + 1, 0) FROM log_leaves)
    BEGIN SELECT RAISE(ABORT, 'a leaf must follow the last one'); END""",
    """CREATE TRIGGER log_leaves_stay BEFORE UPDATE ON log_leaves
    BEGIN SELECT RAISE(ABORT, 'a leaf is never changed'); END""",
    """CREATE TRIGGER log_leaves_last BEFORE DELETE ON log_leaves
    BEGIN SELECT RAISE(ABORT, 'a leaf is never deleted'); END""",
    """CREATE TABLE log_tiles (
        level INTEGER NOT NULL, number INTEGER NOT NULL, hashes BLOB NOT NULL, UNIQUE (level, number)
    ) STRICT""",
    """CREATE TRIGGER log_tiles_grow BEFORE UPDATE ON log_tiles
    WHEN NEW.level <> OLD.level OR NEW.number <> OLD.number
        OR substr(NEW.hashes, 1, length(OLD.hashes)) <> OLD.hashes
    BEGIN SELECT RAISE(ABORT, 'a tile only grows'); END""",
    """CREATE TRIGGER log_tiles_last BEFORE DELETE ON log_tiles
    BEGIN SELECT RAISE(ABORT, 'a tile is never deleted'); END""",
    """CREATE TABLE log_openings (
        topic TEXT PRIMARY KEY, number INTEGER NOT NULL, opener TEXT NOT NULL, at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX log_openings_by ON log_openings (opener, at)",
    """CREATE TABLE log_checkpoints (
        size INTEGER PRIMARY KEY, note TEXT NOT NULL, cosignatures TEXT NOT NULL
    ) STRICT""",
)

# The match files that rulings of tournaments name (`api.store.reported_files`).
_REPORTED = (
    """CREATE TABLE reported_files (
        match TEXT PRIMARY KEY, tournament TEXT NOT NULL, sha256 TEXT NOT NULL, at INTEGER NOT NULL,
        named INTEGER NOT NULL, size INTEGER NOT NULL, about TEXT NOT NULL, content BLOB NOT NULL
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX reported_files_of ON reported_files (tournament, sha256)",
)


class Schema(Struct, frozen=True):
    """A version of the tables, how to make them, and for each older version the statements to the next."""

    version: int
    tables: tuple[str, ...]
    migrations: Mapping[int, tuple[str, ...]] = {}


# Most moves are plays, so the file is hardly rewritten.
_KIND = (
    "DROP INDEX IF EXISTS milestones",
    "DROP TRIGGER stored_events_stay",
    f"ALTER TABLE stored_events ADD COLUMN kind TEXT NOT NULL DEFAULT '{PLAYED}'",
    f"""UPDATE stored_events SET kind = kind_of_row(topic, state)
    WHERE kind_of_row(topic, state) <> '{PLAYED}'""",
    _STAY,
    MILESTONES,
)

# From 6 to 7 no table changes: older versions cannot read the entries of tournaments, and must refuse.
SCHEMA = Schema(
    9,
    LOG + BESIDE + _PEOPLE + _RESERVATIONS + _UPLOADS + _SESSIONS + _MAIL + _TRANSPARENCY + _REPORTED,
    {
        1: (),
        2: _PEOPLE_FOLDED + _RESERVATIONS + _UPLOADS,
        3: _KIND,
        4: _SESSIONS,
        5: _MAIL,
        6: (),
        7: _TRANSPARENCY,
        8: _REPORTED,
    },
)


def connect_for_reading(path: Path) -> sqlite3.Connection:
    """Open a read-only connection.

    Raises:
        StoreError: there is no such file, or it cannot be opened.
    """
    uri = f"{path.absolute().as_uri()}?mode=ro"
    if _lies_still(path):  # else SQLite wants to make files beside it
        uri += "&immutable=1"
    try:
        connection = sqlite3.connect(
            uri, uri=True, check_same_thread=False, isolation_level=None, cached_statements=STATEMENTS
        )
    except sqlite3.Error as error:
        raise StoreError(f"{path} cannot be read: {error}; check who may read it") from error
    connection.execute("PRAGMA query_only = ON")
    return connection


def _lies_still(path: Path) -> bool:
    """Is the file complete, without a write-ahead log, on a read-only file system (a mounted snapshot)?"""
    return _is_read_only(path.parent) and not _log_beside(path).exists()


def _log_beside(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _is_read_only(folder: Path) -> bool:
    try:
        return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
    except OSError:
        return False


def connect_for_writing(path: Path, schema: Schema = SCHEMA) -> sqlite3.Connection:
    """Open the one connection that writes: every commit is durable (WAL, synchronous FULL) when it returns.

    Makes the file if there is none; copies an older file, then migrates it.

    Raises:
        StoreError: the file is not a store, or has a newer schema.
    """
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        connection = sqlite3.connect(
            path, timeout=1, check_same_thread=False, isolation_level=None, cached_statements=STATEMENTS
        )
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"{path} cannot be opened for writing: {reason(error)}") from error
    with ExitStack() as opened:
        opened.callback(connection.close)
        _prepare(connection, path, schema)
        opened.pop_all()
        return connection


def is_new(path: Path) -> bool:
    """Is there no store at this path yet?"""
    if not path.exists():
        return True
    with closing(connect_for_reading(path)) as connection:
        return version_of(connection, path) is None


def _prepare(connection: sqlite3.Connection, path: Path, schema: Schema) -> None:
    found = version_of(connection, path)
    if found is not None and found > schema.version:
        raise newer(path, found, schema)
    try:
        _settle(connection, path, found, schema)
    except sqlite3.Error as error:
        raise StoreError(f"{path} cannot be written: {error}") from error


def _settle(connection: sqlite3.Connection, path: Path, found: int | None, schema: Schema) -> None:
    """Set the file's modes for durability, and make or migrate its tables."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA fullfsync = ON")  # macOS: fsync alone does not reach the disk there
    connection.execute("PRAGMA secure_delete = ON")  # a forgotten name is overwritten, not only unlinked
    connection.execute("PRAGMA foreign_keys = ON")
    with suppress(sqlite3.Error):  # removes what a killed process has left of a forgotten name
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    if found is None:
        _run(connection, schema.tables, schema.version)
    elif found < schema.version:
        copy = _copy(connection, path, found)
        _migrate(connection, path, found, schema, copy)


def version_of(connection: sqlite3.Connection, path: Path) -> int | None:
    """Return the schema version of a store's file; None for an empty file.

    Raises:
        StoreError: the file is something else.
    """
    try:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    except (sqlite3.Error, UnicodeDecodeError) as error:
        way = "check who may read it, or restore a backup"
        if _is_read_only(path.parent) and _log_beside(path).exists():
            way = "copy its whole folder to where it can be written: it was in use when it was copied to here"
        raise StoreError(f"{path} cannot be read as a store: {error}; {way}") from error
    if tables and application != APPLICATION:
        raise StoreError(f"{path} is a database of another program, not a Glasnost store")
    return version if tables else None


def must_be_known(path: Path, schema: Schema = SCHEMA) -> int:
    """Return the schema version of a store's file, which this version can read or migrate.

    Raises:
        StoreError: there is no store, or it has a newer schema.
    """
    if not path.is_file():
        raise StoreError(f"there is no store: {path} does not exist; serve it once, and it is made")
    with closing(connect_for_reading(path)) as connection:
        found = version_of(connection, path)
    if found is None:
        raise StoreError(f"{path} is empty")
    if found > schema.version:
        raise newer(path, found, schema)
    return found


def must_be_current(path: Path, schema: Schema = SCHEMA) -> None:
    """Check that a store that is only read has the schema of this version, because reading migrates nothing.

    Raises:
        StoreError: there is no store, or it has another schema (`Older`: an older one).
    """
    found = must_be_known(path, schema)
    if found < schema.version:
        raise Older(
            f"{path} has schema {found}, this version reads {schema.version}:"
            " serve the store once to migrate it"
        )


def newer(path: Path, found: int, schema: Schema) -> StoreError:
    """Return the error for a file with a newer schema."""
    return StoreError(
        f"{path} has schema {found}, this version of Glasnost knows up to {schema.version}:"
        " use the version that wrote it, or a later one; nothing was changed"
    )


def _copy(connection: sqlite3.Connection, path: Path, found: int) -> Path:
    """Copy the file, as it is, beside itself; an earlier copy is never overwritten."""
    number = 0
    while (copy := path.with_name(f"{path.name}.schema-{found}{f'-{number}' if number else ''}")).exists():
        number += 1
    with new_file(copy) as fresh, closing(sqlite3.connect(fresh)) as target:
        connection.backup(target)
    return copy


def _migrate(connection: sqlite3.Connection, path: Path, found: int, schema: Schema, copy: Path) -> None:
    statements: list[str] = []
    for version in range(found, schema.version):
        if version not in schema.migrations:
            raise StoreError(f"{path} has schema {version}, and no way leads from it to {schema.version}")
        statements += schema.migrations[version]
    try:
        _run(connection, statements, schema.version)
    except sqlite3.Error as error:
        raise StoreError(
            f"{path} could not be migrated from schema {found}: {error};"
            f" it is unchanged, and {copy} is a copy"
        ) from error


def _run(connection: sqlite3.Connection, statements: list[str] | tuple[str, ...], version: int) -> None:
    """Run all statements and set the new version, or do nothing of it."""
    connection.create_function("folded_name", 1, folded, deterministic=True)
    connection.create_function("kind_of_row", 2, kind_of_row, deterministic=True)
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement in statements:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {version}")
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise
