"""When a store could be written: a heartbeat beside the log, from any process that writes it.

A gap between two heartbeats is a stop: no process could store a move then, so no clock of a match runs (see
`domain.clocks`).  The stops are kept, so a process that is killed before it has noted one in every match
finds it again.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from api.store.accounts import Cursor, Writing
from api.store.interface import Stop

GAP = 20_000_000  # microseconds between two heartbeats from which on it is a stop
MOST = 1_000  # stops that are kept
_NAME = "uptime"  # in `meta`
_LOCK = "UPDATE meta SET value = value WHERE name = ? RETURNING value"  # others wait for this one
_FIRST = "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING"


class Kept(Struct, frozen=True, omit_defaults=True):
    """The time of the latest heartbeat (0: there was none), and the latest stops."""

    at: int = 0
    stops: tuple[Stop, ...] = ()


_decode = msgspec.json.Decoder(Kept).decode


class SqlUptime:
    """See `api.store.interface.Uptime`.

    Args:
        writing: does work in one durable transaction.
    """

    def __init__(self, writing: Writing) -> None:
        self._write = writing

    def beat(self, at: int) -> tuple[Stop, ...]:
        """See `Uptime.beat`."""

        def work(cursor: Cursor) -> tuple[Stop, ...]:
            cursor.execute(_FIRST, (_NAME, "{}"))
            cursor.execute(_LOCK, (_NAME,))
            kept = beaten(_decode(cursor.fetchone()[0]), at)
            cursor.execute(
                "UPDATE meta SET value = ? WHERE name = ?", (msgspec.json.encode(kept).decode(), _NAME)
            )
            return kept.stops

        return self._write(work)


def beaten(kept: Kept, at: int) -> Kept:
    """What is kept after a heartbeat.

    The heartbeat of a process whose clock is behind changes nothing.  If nothing is known of earlier ones (a
    store that was copied), no process wrote the store before.
    """
    stops = kept.stops
    if at - kept.at > GAP:
        stops = (*stops, Stop(kept.at, at))[-MOST:]
    return Kept(max(at, kept.at), stops)
