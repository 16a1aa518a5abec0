"""The callbacks of commits when a store is closed at any moment."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event, Thread
from typing import Any

from api.store.postgres_connection import CommitListener, Listener


class Log:
    """A log in which a move is committed just after the teller has looked, and while the store is closed."""

    def __init__(self) -> None:
        self.looked, self.go_on = Event(), Event()
        self.moves: list[tuple[str, int]] = []

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """The moves after a position."""
        found = [move for move in self.moves if move[1] > values[0]]
        if not self.looked.is_set():
            self.looked.set()
            self.go_on.wait()
        return found


class Deaf(Listener):
    """Hears of nothing."""

    def __init__(self) -> None:
        pass

    def add(self, bell: Event) -> None:
        """Rings once, as when it begins to listen."""
        bell.set()

    def remove(self, bell: Event) -> None:
        """Nothing to do."""

    def renew(self) -> None:
        """Stays deaf."""


def test_a_move_that_is_committed_before_the_close_is_reported() -> None:
    log, told = Log(), list[tuple[str, int]]()
    teller = CommitListener(log, Deaf(), 0)
    teller.add(lambda match, position: told.append((match, position)))
    assert log.looked.wait(60)
    log.moves.append(("m1", 1))  # it has looked already, and did not see this one
    closing = Thread(target=teller.close)
    closing.start()
    while not teller._stopping:
        pass
    log.go_on.set()
    closing.join(60)
    assert told == [("m1", 1)]
