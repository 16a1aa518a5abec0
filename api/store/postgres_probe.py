"""Whether moves can be stored in a database now, and how old a replica's knowledge may be.

The probe takes the order lock as each append does, and writes one row of `meta` durably.  It waits for nobody
who writes that row just then: several processes share it, and one of them may be dying.
"""

from __future__ import annotations

import time

import psycopg

from api.store import postgres_schema
from api.store.base import HEARTBEAT
from api.store.postgres_address import Connection
from api.store.seam import StoreError, Unavailable

PATIENCE = 2_000  # milliseconds for each statement

AGE = "SELECT extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float8"

_IMPATIENT = "SELECT set_config('statement_timeout', %s, true), set_config('synchronous_commit', 'on', true)"
_READ_ONLY = "SELECT pg_is_in_recovery(), current_setting('transaction_read_only') = 'on'"
_ORDER = "SELECT pg_advisory_xact_lock(%s, %s)"
_BEAT = (
    "UPDATE meta SET value = %s WHERE name = (SELECT name FROM meta WHERE name = %s FOR UPDATE SKIP LOCKED)"
)
_FIRST = "INSERT INTO meta (name, value) VALUES (%s, %s) ON CONFLICT DO NOTHING"
_DURABLE = "SELECT pg_current_xact_id()"  # what commits under a number of its own waits for the disk


def probe(connection: Connection) -> None:
    """See `Store.probe`.

    Raises:
        StoreError: the database only takes questions, its schema is a newer one, or it takes too long.
    """
    try:
        with connection.transaction():
            connection.execute(_IMPATIENT, (str(PATIENCE),))
            _must_take_moves(connection)
            connection.execute(_ORDER, postgres_schema.ORDER)
        with connection.transaction():  # another one: nobody's append waits while this reaches the disk
            connection.execute(_IMPATIENT, (str(PATIENCE),))
            _beat(connection)
    except psycopg.errors.QueryCanceled as error:
        raise Unavailable("the database took too long over something small") from error


def _must_take_moves(connection: Connection) -> None:
    recovering, read_only = connection.execute(_READ_ONLY).fetchone() or (False, False)
    if recovering or read_only:
        why = "it is a replica" if recovering else "it was set so"
        raise StoreError(f"the database takes no moves, only questions: {why}")
    postgres_schema.must_be_current(connection)


def _beat(connection: Connection) -> None:
    now = str(time.time_ns())
    if connection.execute(_BEAT, (now, HEARTBEAT)).rowcount:
        return
    if connection.execute("SELECT FROM meta WHERE name = %s", (HEARTBEAT,)).rowcount:
        connection.execute(_DURABLE)
    else:
        connection.execute(_FIRST, (HEARTBEAT, now))
