"""One shard of a divided store, as the store sees it: there, or away and left alone for a moment."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from threading import BoundedSemaphore, Lock
from typing import TypeVar

from api.store.base import SqlStore
from api.store.seam import Stored, StoreError, Told, Unavailable
from domain.log import Record

AGAIN = 2.0  # seconds for which a shard that did not answer is left alone
AT_ONCE = 16  # questions to one shard, as many as it has connections for
PATIENCE = 0.5  # seconds that one more question waits
AWAY = "the part of the store that holds this match is away, and nothing was changed; try again in a moment"

T = TypeVar("T")
_log = logging.getLogger("glasnost.store")


class Part:
    """One shard.  Where it does not answer, nobody waits for it who need not: it is left alone for a moment.

    Args:
        name: of the shard.
        open: opens its store, which may be away at first.
    """

    def __init__(self, name: str, open: Callable[[], SqlStore]) -> None:
        self.name, self._open = name, open
        self._opening, self._room = Lock(), BoundedSemaphore(AT_ONCE)
        self._store: SqlStore | None = None
        self._until = 0.0  # when it is asked again
        self._is_over = False  # nobody asks it any more
        self.is_away = False  # as far as is known: it did not answer when it was asked last
        self._unheard: list[Told] = []  # watchers that the store has not taken yet

    def begin(self) -> None:
        """Open the store, or leave it for later where it is away.

        Raises:
            StoreError: it cannot be opened for a reason that will not pass by itself.
        """
        try:
            self._store = self._open()
        except Unavailable as error:
            self._leave_alone(error)

    @property
    def at_hand(self) -> SqlStore | None:
        """The store, if it is open; for whoever must not wait for that."""
        return self._store

    @property
    def store(self) -> SqlStore:
        """The store, open.

        Raises:
            Unavailable: it is away.
        """
        if self._store is None or self._unheard:
            with self._opening:
                self._open_again()
        if self._store is None:
            raise Unavailable(AWAY)
        return self._store

    def ask(self, question: Callable[[SqlStore], T]) -> T:
        """What the store answers.

        Raises:
            Unavailable: it is away, or others wait for it already, and too long.
        """
        if time.monotonic() < self._until:
            raise Unavailable(AWAY)
        if not self._room.acquire(timeout=PATIENCE):
            self._leave_alone("too many wait for an answer")
            raise Unavailable(AWAY)
        try:
            answer = question(self.store)
            self.is_away = False
            return answer
        except Unavailable as error:
            self._leave_alone(error)
            raise
        finally:
            self._room.release()

    def _open_again(self) -> None:
        """Open the store, and let it take the watchers: it may go away in between."""
        if time.monotonic() < self._until or self._is_over:
            return
        try:
            if self._store is None:
                self._store = self._open()
            if self._is_over:  # meanwhile
                self._store.hang_up()
            while self._unheard:
                self._store.watch(self._unheard[0])
                del self._unheard[0]
        except StoreError as error:
            self._leave_alone(error)

    def _leave_alone(self, reason: object) -> None:
        if not self.is_away:
            _log.warning("the shard %s is away: %s", self.name, reason)
        self.is_away = True
        self._until = time.monotonic() + AGAIN

    def after(self, position: int, limit: int) -> list[Stored]:
        """See `Log.after`."""
        return self.ask(lambda store: store.after(position, limit))

    def brief(self, position: int, limit: int) -> list[Stored]:
        """See `Log.brief`."""
        return self.ask(lambda store: store.brief(position, limit))

    def news(self, position: int, limit: int) -> list[tuple[str, int]]:
        """See `Log.news`."""
        return self.ask(lambda store: store.news(position, limit))

    def since_each(self, moves: Mapping[str, int]) -> Mapping[str, list[Record]]:
        """See `Log.since_each`."""
        return self.ask(lambda store: store.since_each(moves))

    def last(self) -> int:
        """See `Log.last`."""
        return self.ask(lambda store: store.last())

    def watch(self, told: Told) -> None:
        """See `Log.watch`; a store that is away is watched as soon as it is back."""
        with self._opening:
            self._unheard.append(told)
            if self._store is not None:
                self._open_again()

    def hang_up(self) -> None:
        """See `SqlStore.hang_up`."""
        self._is_over = True
        if self._store is not None:
            self._store.hang_up()

    def close(self) -> None:
        """Close the store."""
        with self._opening:
            if self._store is not None:
                self._store.close()
