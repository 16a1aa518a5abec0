"""Hearing of commits, whichever process they come from.

The listener holds a connection of its own on which PostgreSQL announces commits.  It only rings bells: what
was committed is read from the log, so nothing is missed while the connection is away, and nothing told twice.
It passes on what is announced on other channels, too: of changed people, by their ids; after a break anybody
may have been changed.
The teller reads and tells.  It looks by itself from time to time, too; if it then finds something although no
bell rang, the connection is dead without a word, and is replaced.
"""

from __future__ import annotations

import logging
import os
import selectors
from collections.abc import Callable, Sequence
from threading import Event, Lock, Thread
from typing import Any

import psycopg

from api.store.log import NEWS, Rows
from api.store.postgres_schema import BELL
from api.store.seam import StoreError, Told

TOGETHER = 0.02  # seconds after a bell in which more commits ring none: what comes meanwhile is told together
LOOK = 1.0  # seconds after which the teller looks by itself
FIRST_WAIT, LONGEST_WAIT = 0.05, 2.0  # seconds between two attempts to connect
CHANGES = "glasnost_people"  # the channel on which each change of a person is announced
_AT_ONCE = 1_000  # moves read in one question

_log = logging.getLogger("glasnost.store")


class Listener:
    """Rings bells when something may have been committed; its thread begins with whoever listens first.

    Args:
        connect: gives a new connection.
    """

    def __init__(self, connect: Callable[[], psycopg.Connection[Any]]) -> None:
        self._connect = connect
        self._bells: set[Event] = set()
        self._heard: dict[str, list[Callable[[str], None]]] = {}
        self._lock = Lock()
        self._thread: Thread | None = None
        self._stopping, self._deaf = Event(), Event()
        self._woken, self._waker = os.pipe()

    def add(self, bell: Event) -> None:
        """Ring this bell, too."""
        with self._lock:
            self._bells.add(bell)
            self._begin()

    def hear(self, channel: str, told: Callable[[str], None]) -> None:
        """Tell of whatever is announced on this channel, too; "": something may have been missed."""
        with self._lock:
            is_missed = channel not in self._heard and self._thread is not None
            self._heard.setdefault(channel, []).append(told)
            self._begin()
        if is_missed:
            self.renew()

    def _begin(self) -> None:
        if self._thread is None and not self._stopping.is_set():
            self._thread = Thread(target=self._run, name="store-listener", daemon=True)
            self._thread.start()

    def remove(self, bell: Event) -> None:
        """Ring this bell no more."""
        with self._lock:
            self._bells.discard(bell)

    def renew(self) -> None:
        """Listen on a new connection: the one there is heard nothing where there was something."""
        self._deaf.set()
        os.write(self._waker, b".")

    def close(self) -> None:
        """Stop listening."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        os.write(self._waker, b".")
        if self._thread is not None:
            self._thread.join()
        os.close(self._woken)
        os.close(self._waker)

    def _run(self) -> None:
        wait = FIRST_WAIT
        while not self._stopping.is_set():
            self._deaf.clear()
            try:
                with self._connect() as connection:
                    for channel in (BELL, *self._heard):
                        connection.execute(f"LISTEN {channel}".encode())
                    wait = FIRST_WAIT
                    self._ring()  # for what was committed before we listened
                    for channel in self._heard:
                        self._tell(channel, "")
                    self._listen(connection)
            except (psycopg.Error, StoreError) as error:
                _log.info("the store is not heard of: %s; trying again", type(error).__name__)
            self._stopping.wait(0 if self._deaf.is_set() else wait)
            wait = min(wait * 2, LONGEST_WAIT)

    def _listen(self, connection: psycopg.Connection[Any]) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(connection, selectors.EVENT_READ)
            selector.register(self._woken, selectors.EVENT_READ)
            while not self._stopping.is_set() and not self._deaf.is_set():
                for key, _ in selector.select():
                    if key.fileobj == self._woken:
                        os.read(self._woken, 64)
                    elif notes := list(connection.notifies(timeout=0)):
                        for note in notes:
                            self._tell(note.channel, note.payload)
                        self._ring()
                        self._stopping.wait(TOGETHER)

    def _ring(self) -> None:
        with self._lock:
            for bell in self._bells:
                bell.set()

    def _tell(self, channel: str, what: str) -> None:
        for told in self._heard.get(channel, ()):
            told(what)


class Teller:
    """Tells watchers of every move after a position, in the order of the log, from a thread of its own.

    Args:
        rows: reads the log.
        listener: rings when there may be something to tell.
        seen: the position of the last move that is not told.
    """

    def __init__(self, rows: Rows, listener: Listener, seen: int) -> None:
        self._rows, self._listener, self._seen = rows, listener, seen
        self._watchers: list[Told] = []
        self._bell, self._stopping = Event(), False
        listener.add(self._bell)
        self._thread = Thread(target=self._run, name="store-teller", daemon=True)
        self._thread.start()

    def add(self, told: Told) -> None:
        """Tell this one, too, from now on."""
        self._watchers.append(told)

    def close(self) -> None:
        """Tell what is committed by now, then end."""
        self._stopping = True
        self._bell.set()
        self._thread.join()
        self._listener.remove(self._bell)

    def _run(self) -> None:
        last = False
        while not last:
            rang = self._bell.wait(LOOK)
            self._bell.clear()
            last = self._stopping  # asked before the log is read, so that all that was committed then is told
            if self._told() and not rang:
                self._listener.renew()

    def _told(self) -> bool:
        """Read and tell what is new; whether there was anything."""
        found = False
        while True:
            try:
                moves = self._rows.rows(NEWS, (self._seen, _AT_ONCE))
            except StoreError as error:  # it is read again later
                _log.info("the store cannot be followed: %s; trying again", type(error).__name__)
                return found
            for match, position in moves:
                self._seen = position
                _tell(self._watchers, match, position)
            found = found or bool(moves)
            if len(moves) < _AT_ONCE:
                return found


def _tell(watchers: Sequence[Told], match: str, position: int) -> None:
    for told in watchers:
        try:
            told(match, position)
        except Exception as error:  # the teller outlives its watchers
            _log.error("a watcher of the store failed: %s", type(error).__name__)
