"""The tables and functions of a PostgreSQL store, in the schema `glasnost`, and how older ones are migrated.

`append` stores a group of appends in one call: it takes the order lock, checks each append against the stored
moves, inserts those that follow, and announces the commit.  The lock is held until the commit, so positions
become visible in their order: a reader who has seen one never finds a smaller one later.

The log is append-only by the tables' own triggers, as in SQLite: a move follows the last one of its match, a
position the last one of the log, and nothing stored is ever updated or deleted.

Processes that start together make or migrate the schema one after the other.  A newer schema is refused.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import psycopg
from msgspec import Struct

from api.store.accounts import folded
from api.store.events import MILESTONES, kind_of_row
from api.store.interface import Older, Outdated, StoreError
from domain.log import PLAYED
from domain.refusals import Sentence

SCHEMA = "glasnost"
MOVES_CHANNEL = "glasnost_moves"  # the channel on which each commit is announced
OLDEST = 140000  # the oldest server: the first with a timeout for pg_terminate_backend
LATE = 10.0  # seconds to wait for a replica at the start
_PAUSE = 0.1  # seconds between two checks of the replica
_PAGE = 1000  # rows that are read at once
ORDER, SETTLING = (0x474C5354, 1), (0x474C5354, 2)  # our advisory locks; "GLST"

_LOG = (
    """CREATE TABLE stored_events (
        id bigint PRIMARY KEY CHECK (id > 0),
        originator_id text COLLATE "C" NOT NULL,
        originator_version integer NOT NULL CHECK (originator_version > 0),
        topic text NOT NULL,
        state bytea NOT NULL,
        kind text NOT NULL,
        UNIQUE (originator_id, originator_version)
    )""",
    "CREATE INDEX opened ON stored_events (id) WHERE originator_version = 1",
    MILESTONES,
    f"""CREATE FUNCTION take_turns() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM pg_advisory_xact_lock{ORDER};
        RETURN NULL;
    END $$""",
    f"""CREATE FUNCTION follow() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF EXISTS (
            SELECT FROM fresh
            WHERE (originator_version > 1 AND fresh.id <= coalesce((
                SELECT before.id FROM {SCHEMA}.stored_events before
                WHERE before.originator_id = fresh.originator_id
                    AND before.originator_version = fresh.originator_version - 1
            ), fresh.id))
            OR (fresh.id > 1 AND (
                SELECT before.id FROM {SCHEMA}.stored_events before WHERE before.id = fresh.id - 1
            ) IS NULL)
        ) THEN
            RAISE integrity_constraint_violation USING MESSAGE = 'a move must follow the last one';
        END IF;
        RETURN NULL;
    END $$""",
    """CREATE FUNCTION stay() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE integrity_constraint_violation USING MESSAGE = 'a stored move is never changed or deleted';
    END $$""",
    """CREATE TRIGGER stored_events_turns BEFORE INSERT ON stored_events
    FOR EACH STATEMENT EXECUTE FUNCTION take_turns()""",
    """CREATE TRIGGER stored_events_follow AFTER INSERT ON stored_events
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION follow()""",
    """CREATE TRIGGER stored_events_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON stored_events
    FOR EACH STATEMENT EXECUTE FUNCTION stay()""",
)

_BESIDE = (
    "CREATE TABLE meta (name text PRIMARY KEY, value text NOT NULL)",
    'CREATE TABLE vault (match text COLLATE "C" PRIMARY KEY, wrapped bytea NOT NULL)',
    """CREATE TABLE requests (
        scope text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, body bytea NOT NULL,
        status integer NOT NULL, answer bytea NOT NULL, PRIMARY KEY (scope, key)
    )""",
    'CREATE TABLE notes (match text COLLATE "C" PRIMARY KEY, note text NOT NULL)',
    'CREATE TABLE uploads (match text COLLATE "C" PRIMARY KEY, signer text NOT NULL)',
    """CREATE TABLE people (
        id text COLLATE "C" PRIMARY KEY, name text, role text NOT NULL, folded text COLLATE "C"
    )""",
    "CREATE TABLE tokens (hash bytea PRIMARY KEY, person text NOT NULL REFERENCES people)",
    "CREATE INDEX tokens_of ON tokens (person)",
)
_UPLOADS = (
    """CREATE TABLE upload_quota (
        visitor text COLLATE "C" NOT NULL, day integer NOT NULL, number integer NOT NULL,
        bytes bigint NOT NULL, PRIMARY KEY (visitor, day)
    )""",
    """CREATE TABLE withdrawals (
        match text COLLATE "C" PRIMARY KEY, at bigint NOT NULL, by_whom text NOT NULL, reason text NOT NULL
    )""",
)

# The audit log of people, and their folded names (see `api.store.accounts`).
_PEOPLE = (
    "CREATE INDEX people_folded ON people (folded, id) WHERE folded IS NOT NULL",
    """CREATE TABLE audit_log (
        id text COLLATE "C" PRIMARY KEY, at bigint NOT NULL, action text NOT NULL, person text NOT NULL,
        doer text NOT NULL, reason text NOT NULL
    )""",
    "CREATE INDEX audit_log_at ON audit_log (at, id)",
    "CREATE INDEX audit_log_person ON audit_log (person)",
)

_RESERVATIONS = (
    """CREATE TABLE reservations (
        match text COLLATE "C" PRIMARY KEY, version bigint NOT NULL, seats text NOT NULL
    )""",
)

# Sessions of players and the links that open them, of which only hashes are stored (`api.store.sessions`).
_SESSIONS = (
    """CREATE TABLE sessions (
        hash bytea PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE,
        person text COLLATE "C" NOT NULL REFERENCES people,
        device text NOT NULL, made bigint NOT NULL, used bigint NOT NULL
    )""",
    "CREATE INDEX sessions_of ON sessions (person, used)",
    "CREATE INDEX sessions_used ON sessions (used)",
    """CREATE TABLE links (
        hash bytea PRIMARY KEY, person text COLLATE "C" NOT NULL REFERENCES people, made bigint NOT NULL
    )""",
    "CREATE INDEX links_of ON links (person, made)",
)

# What players want to be notified of by mail, and the messages that wait (`api.store.outbox`).
_MAIL = (
    """CREATE TABLE subscriptions (
        person text COLLATE "C" PRIMARY KEY REFERENCES people, address text COLLATE "C" NOT NULL,
        asked bigint NOT NULL, state text NOT NULL, said text NOT NULL, often text NOT NULL,
        matches text NOT NULL, while_open integer NOT NULL, language text NOT NULL, feed text NOT NULL,
        seen bigint NOT NULL
    )""",
    "CREATE INDEX subscriptions_at ON subscriptions (address)",
    """CREATE TABLE outbox (
        id text COLLATE "C" PRIMARY KEY,
        person text COLLATE "C" NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
        often text NOT NULL, items text NOT NULL, made bigint NOT NULL, due bigint NOT NULL,
        tries integer NOT NULL
    )""",
    "CREATE INDEX outbox_due ON outbox (due)",
    "CREATE INDEX outbox_of ON outbox (person)",
    """CREATE TABLE mail_quota (
        address bytea NOT NULL, day integer NOT NULL, number integer NOT NULL, PRIMARY KEY (address, day)
    )""",
    """CREATE TABLE followers (name text COLLATE "C" PRIMARY KEY, position bigint NOT NULL)""",
)

# The server's transparency log (`api.store.transparency`): like the log of the matches, it only grows.
_TRANSPARENCY = (
    """CREATE TABLE log_leaves (
        number bigint PRIMARY KEY CHECK (number >= 0), topic text COLLATE "C" NOT NULL, kind text NOT NULL,
        leaf bytea NOT NULL
    )""",
    "CREATE INDEX log_leaves_of ON log_leaves (topic, number)",
    f"""CREATE FUNCTION log_leaves_follow() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF EXISTS (
            SELECT FROM fresh WHERE fresh.number > 0 AND NOT EXISTS (
                SELECT FROM {SCHEMA}.log_leaves before WHERE before.number = fresh.number - 1
            )
        ) THEN
            RAISE integrity_constraint_violation USING MESSAGE = 'a leaf must follow the last one';
        END IF;
        RETURN NULL;
    END $$""",
    """CREATE FUNCTION log_stays() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE integrity_constraint_violation USING MESSAGE = 'what is in the log is never changed or deleted';
    END $$""",
    """CREATE FUNCTION log_tiles_grow() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF NEW.level <> OLD.level OR NEW.number <> OLD.number
            OR substring(NEW.hashes, 1, length(OLD.hashes)) <> OLD.hashes THEN
            RAISE integrity_constraint_violation USING MESSAGE = 'a tile only grows';
        END IF;
        RETURN NEW;
    END $$""",
    """CREATE TRIGGER log_leaves_follow AFTER INSERT ON log_leaves
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION log_leaves_follow()""",
    """CREATE TRIGGER log_leaves_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON log_leaves
    FOR EACH STATEMENT EXECUTE FUNCTION log_stays()""",
    """CREATE TABLE log_tiles (
        level integer, number bigint, hashes bytea NOT NULL, PRIMARY KEY (level, number)
    )""",
    """CREATE TRIGGER log_tiles_grow BEFORE UPDATE ON log_tiles
    FOR EACH ROW EXECUTE FUNCTION log_tiles_grow()""",
    """CREATE TRIGGER log_tiles_stay BEFORE DELETE OR TRUNCATE ON log_tiles
    FOR EACH STATEMENT EXECUTE FUNCTION log_stays()""",
    """CREATE TABLE log_openings (
        topic text COLLATE "C" PRIMARY KEY, number bigint NOT NULL, opener text COLLATE "C" NOT NULL,
        at bigint NOT NULL
    )""",
    "CREATE INDEX log_openings_by ON log_openings (opener, at)",
    "CREATE TABLE log_checkpoints (size bigint PRIMARY KEY, note text NOT NULL, cosignatures text NOT NULL)",
)

# The match files that rulings of tournaments name (`api.store.reported_files`).
_REPORTED = (
    """CREATE TABLE reported_files (
        match text COLLATE "C" PRIMARY KEY, tournament text COLLATE "C" NOT NULL,
        sha256 text COLLATE "C" NOT NULL, at bigint NOT NULL, named integer NOT NULL, size bigint NOT NULL,
        about text NOT NULL, content bytea NOT NULL
    )""",
    "CREATE INDEX reported_files_of ON reported_files (tournament, sha256)",
)

# `given` is a JSON array with an object for each append; a match occurs once.  The moves' bytes are in
# `states`, one behind the other, at `ats`, of `sizes` and of `kinds`; other bytes are in base64.  The result
# has a row for each append, in order: how long its match was, and the position of its last move, which is
# null if the append was refused because it does not follow or because its key is taken (`bound`).  Two
# arguments and one statement cost a quarter less than an array for each column; and the names of tables are
# written in full, because a SET clause would cost more than all the rest.
_APPEND = f"""CREATE FUNCTION append(given json, states bytea)
RETURNS TABLE (length integer, bound boolean, "position" bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    PERFORM pg_advisory_xact_lock{ORDER};
    RETURN QUERY
    WITH found AS (
        SELECT appended.*, coalesce(latest.originator_version, 0) AS length,
            coalesce(latest.topic, game) AS topic, known.scope IS NOT NULL AS bound
        FROM ROWS FROM (json_to_recordset(given) AS (
            match text, first integer, game text, ats integer[], sizes integer[], kinds text[],
            scope text, key text, body text, status integer, answer text,
            wrapped text, note text, signer text, reserved text, reservations bigint
        )) WITH ORDINALITY AS appended (
            match, first, game, ats, sizes, kinds, scope, key, body, status, answer, wrapped, note, signer,
            reserved, reservations, place
        )
        LEFT JOIN LATERAL (
            SELECT originator_version, topic FROM {SCHEMA}.stored_events WHERE originator_id = match
            ORDER BY originator_version DESC LIMIT 1
        ) latest ON true
        LEFT JOIN LATERAL (
            SELECT asked.scope FROM {SCHEMA}.requests asked
            WHERE asked.scope = appended.scope AND asked.key = appended.key LIMIT 1
        ) known ON true
    ), judged AS (
        SELECT *, first = length + 1 AND topic <> '' AND NOT bound AND (
            reservations IS NULL OR reservations = coalesce(
                (SELECT kept.version FROM {SCHEMA}.reservations kept WHERE kept.match = found.match), 0
            )
        ) AS follows FROM found
    ), placed AS MATERIALIZED (
        SELECT *, CASE WHEN follows THEN (
            (SELECT coalesce(max(id), 0) FROM {SCHEMA}.stored_events)
            + sum(cardinality(sizes)) FILTER (WHERE follows) OVER (ORDER BY place)
        )::bigint END AS last
        FROM judged
    ), moves AS (
        INSERT INTO {SCHEMA}.stored_events (id, originator_id, originator_version, topic, state, kind)
        SELECT last - cardinality(sizes) + nth, match, first + nth - 1, topic,
            substring(states, at + 1, size), kind
        FROM placed, unnest(ats, sizes, kinds) WITH ORDINALITY AS move (at, size, kind, nth) WHERE follows
    ), answers AS (
        INSERT INTO {SCHEMA}.requests (scope, key, body, status, answer)
        SELECT scope, key, decode(body, 'base64'), status, decode(answer, 'base64')
        FROM placed WHERE follows AND scope IS NOT NULL
    ), secrets AS (
        INSERT INTO {SCHEMA}.vault (match, wrapped)
        SELECT match, decode(wrapped, 'base64') FROM placed WHERE follows AND wrapped IS NOT NULL
    ), checkpoints AS (
        INSERT INTO {SCHEMA}.notes (match, note)
        SELECT match, note FROM placed WHERE follows AND note IS NOT NULL
    ), reserving AS (
        INSERT INTO {SCHEMA}.reservations (match, version, seats)
        SELECT match, 1, reserved FROM placed WHERE follows AND reserved IS NOT NULL
    ), signers AS (
        INSERT INTO {SCHEMA}.uploads (match, signer)
        SELECT match, signer FROM placed WHERE follows AND signer IS NOT NULL
    )
    SELECT length, bound, last FROM placed ORDER BY place;
    IF pg_current_xact_id_if_assigned() IS NOT NULL THEN -- something was written
        NOTIFY {MOVES_CHANNEL};
    END IF;
END $$"""


Statement = str | Callable[[psycopg.Connection[Any]], None]


class Schema(Struct, frozen=True):
    """A version of the tables, how to make them, and for each older version the statements to the next."""

    version: int
    tables: tuple[str, ...]
    migrations: Mapping[int, tuple[Statement, ...]] = {}


def _fold_names(connection: psycopg.Connection[Any]) -> None:
    named = connection.execute("SELECT id, name FROM people WHERE name IS NOT NULL").fetchall()
    with connection.cursor() as cursor:
        rows = [(folded(name), one) for one, name in named]
        cursor.executemany("UPDATE people SET folded = %s WHERE id = %s", rows)


_PEOPLE_FOLDED = ('ALTER TABLE people ADD COLUMN folded text COLLATE "C"', _fold_names, *_PEOPLE)


def _tell_kinds(connection: psycopg.Connection[Any]) -> None:
    """Set the kind of each row that is not a play; most rows are plays."""
    with connection.cursor(name="kinds") as reading, connection.cursor() as writing:
        reading.itersize = _PAGE
        reading.execute("SELECT id, topic, state FROM stored_events")
        while page := reading.fetchmany(_PAGE):
            kinds = [(kind_of_row(topic, state), place) for place, topic, state in page]
            rest = [(kind, place) for kind, place in kinds if kind != PLAYED]
            writing.executemany("UPDATE stored_events SET kind = %s WHERE id = %s", rest)


_KIND: tuple[Statement, ...] = (
    "DROP INDEX IF EXISTS milestones",
    f"ALTER TABLE stored_events ADD COLUMN kind text NOT NULL DEFAULT '{PLAYED}'",
    "ALTER TABLE stored_events DISABLE TRIGGER stored_events_stay",
    _tell_kinds,
    "ALTER TABLE stored_events ENABLE TRIGGER stored_events_stay",
    "ALTER TABLE stored_events ALTER COLUMN kind DROP DEFAULT",
    MILESTONES,
    "DROP FUNCTION append",
    _APPEND,
)

# From 7 to 8 no table changes: older versions cannot read the entries of tournaments, and must refuse.
CURRENT = Schema(
    10,
    (
        *_LOG,
        *_BESIDE,
        *_PEOPLE,
        *_RESERVATIONS,
        *_UPLOADS,
        *_SESSIONS,
        *_MAIL,
        *_TRANSPARENCY,
        *_REPORTED,
        _APPEND,
    ),
    {
        1: (),
        2: (),
        3: (*_PEOPLE_FOLDED, *_RESERVATIONS, *_UPLOADS),
        4: _KIND,
        5: _SESSIONS,
        6: _MAIL,
        7: (),
        8: _TRANSPARENCY,
        9: _REPORTED,
    },
)


def settle(connection: psycopg.Connection[Any], schema: Schema = CURRENT) -> None:
    """Make the tables if there are none, and migrate older ones, within the caller's transaction.

    Other processes that start now wait until that transaction ends.

    Raises:
        StoreError: the tables are those of a newer version, or the server cannot hold a store.
    """
    _must_be_fit(connection)
    connection.execute("SELECT pg_advisory_xact_lock(%s, %s)", SETTLING)
    found = version_of(connection)
    if found is None:
        connection.execute(f"CREATE SCHEMA {SCHEMA}".encode())
        _run(connection, schema.tables, schema.version)
    elif found > schema.version:
        raise _newer(found, schema)
    elif found < schema.version:
        _run(connection, _way(found, schema), schema.version)


def must_be_current(connection: psycopg.Connection[Any], schema: Schema = CURRENT) -> None:
    """Check that a store that is only read has the schema of this version, because reading migrates nothing.

    Raises:
        StoreError: there is no store, or it has another schema.
    """
    found = version_of(connection)
    if found is None:
        raise StoreError("there is no store in this database; serve it once, and it is made")
    if found > schema.version:
        raise _newer(found, schema)
    if found < schema.version:
        raise Older(
            f"the store has schema {found}, this version reads {schema.version}:"
            " serve the store once to migrate it"
        )


def must_become_current(connection: psycopg.Connection[Any]) -> None:
    """Wait until a replica has the current tables, which may have been made or migrated a moment ago.

    Raises:
        StoreError: the replica does not get them in time, or has those of a newer version.
    """
    end = time.monotonic() + LATE
    while True:
        try:
            must_be_current(connection)
            return
        except StoreError as error:
            if isinstance(error, Outdated) or time.monotonic() > end:
                raise
        time.sleep(_PAUSE)


def version_of(connection: psycopg.Connection[Any]) -> int | None:
    """Return the version of the schema; None if there is no store."""
    there = connection.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.meta",)).fetchone()
    if there is None or there[0] is None:
        return None
    row = connection.execute(f"SELECT value FROM {SCHEMA}.meta WHERE name = 'schema'".encode()).fetchone()
    if row is None:
        raise StoreError(f"the schema {SCHEMA!r} of this database is another program's")
    return int(row[0])


def _must_be_fit(connection: psycopg.Connection[Any]) -> None:
    if connection.info.server_version < OLDEST:
        raise StoreError(f"the database server is too old: PostgreSQL {OLDEST // 10000} or newer is needed")
    encoding = connection.execute("SHOW server_encoding").fetchone()
    if encoding != ("UTF8",):
        raise StoreError(
            "the database cannot hold every name: create it with ENCODING 'UTF8' TEMPLATE template0"
        )


def _newer(found: int, schema: Schema) -> Outdated:
    return Outdated(Sentence("schema-newer", {"found": found, "known": schema.version}))


def _way(found: int, schema: Schema) -> list[Statement]:
    statements: list[Statement] = []
    for version in range(found, schema.version):
        if version not in schema.migrations:
            raise StoreError(f"the store has schema {version}, and no way leads from it to {schema.version}")
        statements += schema.migrations[version]
    return statements


def _run(connection: psycopg.Connection[Any], statements: Sequence[Statement], version: int) -> None:
    connection.execute(f"SET LOCAL search_path = {SCHEMA}".encode())
    for statement in statements:
        if isinstance(statement, str):
            connection.execute(statement.encode())
        else:
            statement(connection)
    connection.execute(
        "INSERT INTO meta (name, value) VALUES ('schema', %s)"
        " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (str(version),),
    )
