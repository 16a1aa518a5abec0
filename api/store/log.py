"""What the recorders of both stores share: how the log is read, and how somebody follows it.

Both keep the log in a table `stored_events` of the same columns; `id` is the position in the one order
in which moves became durable.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from threading import Event
from typing import Any, Protocol
from uuid import UUID

from eventsourcing.persistence import (
    ApplicationRecorder,
    ListenNotifySubscription,
    Notification,
    NotSupportedError,
    StoredEvent,
)

_MOVE = "originator_id, originator_version, topic, state"
AFTER = f"SELECT id, {_MOVE} FROM stored_events WHERE id > ? ORDER BY id LIMIT ?"
NEWS = "SELECT originator_id, id FROM stored_events WHERE id > ? ORDER BY id LIMIT ?"


class Rows(Protocol):
    """What answers questions; the statements mark each value by `?`."""

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """The rows of one statement, all of one moment."""


class Bells(Protocol):
    """What rings bells after commits."""

    def listen(self, bell: Event) -> None:
        """Ring `bell` after each commit."""

    def unlisten(self, bell: Event) -> None:
        """Ring `bell` no more."""


class Reading(ABC):
    """The reading half of a recorder."""

    @abstractmethod
    def _rows(self, statement: str, values: Sequence[Any]) -> list[Any]:
        """The rows of one statement."""

    def select_events(
        self,
        originator_id: UUID | str,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[StoredEvent]:
        """The moves of one match, in order (or from the latest back), after `gt` and up to `lte`."""
        bounds = [("originator_version > ?", gt), ("originator_version <= ?", lte)]
        where, values = _where([("originator_id = ?", originator_id), *bounds])
        order = "ORDER BY originator_version DESC" if desc else "ORDER BY originator_version"
        return [StoredEvent(*row) for row in self._select(_MOVE, where, order, values, limit)]

    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[Notification]:
        """Up to `limit` moves of all matches from (or after) position `start`, up to `stop`."""
        first = "id >= ?" if inclusive_of_start else "id > ?"
        where, values = _where([(first, start), ("id <= ?", stop)])
        if topics:
            where += f" AND topic IN ({', '.join('?' * len(topics))})"
            values += topics
        columns = f"{_MOVE}, id"
        return [Notification(*row) for row in self._select(columns, where, "ORDER BY id", values, limit)]

    def _select(self, columns: str, where: str, order: str, values: list[Any], limit: int | None) -> Any:
        statement = f"SELECT {columns} FROM stored_events WHERE {where} {order}"
        if limit is None:
            return self._rows(statement, values)
        return self._rows(f"{statement} LIMIT ?", (*values, limit))


class Subscription(ListenNotifySubscription[ApplicationRecorder]):
    """The stored moves after a position, then each new one; woken by `bells` after commits."""

    def __init__(
        self, recorder: ApplicationRecorder, bells: Bells, gt: int | None, topics: Sequence[str]
    ) -> None:
        self._bells = bells
        super().__init__(recorder, gt, topics)
        try:
            bells.listen(self._has_been_notified)
        except NotSupportedError:
            self.stop()
            raise
        self._has_been_notified.set()  # a commit may have come before we listened

    def stop(self) -> None:
        """End the iteration."""
        self._bells.unlisten(self._has_been_notified)
        super().stop()


def _where(conditions: list[tuple[str, Any]]) -> tuple[str, list[Any]]:
    given = [(text, value) for text, value in conditions if value is not None]
    return " AND ".join(text for text, _ in given) or "true", [value for _, value in given]
