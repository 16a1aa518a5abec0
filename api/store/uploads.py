"""Beside the log: how much each visitor has uploaded today, and which uploads an administrator withdrew.

A withdrawn match stays in the log, which never loses a move, and its id stays taken; nobody is shown it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from api.store.log import Rows
from api.store.people import Cursor, Writing
from api.store.seam import Quota, Spent, Withdrawal

_ADD = (
    "INSERT INTO upload_quota (visitor, day, number, bytes) VALUES (?, ?, 1, ?)"
    " ON CONFLICT (visitor, day) DO UPDATE"
    " SET number = upload_quota.number + 1, bytes = upload_quota.bytes + excluded.bytes"
    " RETURNING number, bytes"
)
_COLUMNS = "match, at, by_whom, reason"


class SqlUploads:
    """The uploads of one store; see `api.store.seam.Uploads`.

    Args:
        reading: answers questions.
        kept: the row of a match that stays as it is once it is written, also where only a replica is there.
        writing: does work in one durable transaction.
    """

    def __init__(self, reading: Rows, kept: Callable[[str, str], Any], writing: Writing) -> None:
        self._reading, self._kept, self._writing = reading, kept, writing

    def take(self, visitors: Sequence[str], day: int, size: int, most: Quota) -> None:
        """See `Uploads.take`."""

        def work(cursor: Cursor) -> None:
            cursor.execute("DELETE FROM upload_quota WHERE day < ?", (day,))
            for visitor in sorted(visitors):  # in one order, so that no two wait for one another
                cursor.execute(_ADD, (visitor, day, size))
                number, whole = cursor.fetchone()
                if number > most.number or whole > most.bytes:
                    raise Spent(visitor)

        self._writing(work)

    def withdraw(self, withdrawal: Withdrawal) -> Withdrawal:
        """See `Uploads.withdraw`."""
        row = (withdrawal.match, withdrawal.at, withdrawal.by, withdrawal.reason)

        def work(cursor: Cursor) -> None:
            cursor.execute(
                f"INSERT INTO withdrawals ({_COLUMNS}) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", row
            )

        self._writing(work)
        return self.withdrawal(withdrawal.match) or withdrawal

    def withdrawal(self, match: str) -> Withdrawal | None:
        """See `Uploads.withdrawal`."""
        row = self._kept(f"SELECT {_COLUMNS} FROM withdrawals WHERE match = ?", match)
        return Withdrawal(*row) if row else None

    def withdrawn(self) -> frozenset[str]:
        """See `Uploads.withdrawn`."""
        return frozenset(row[0] for row in self._reading.rows("SELECT match FROM withdrawals"))
