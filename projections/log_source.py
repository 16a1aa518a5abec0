"""The log as a runner reads it: if it cannot be read, it is tried again after a moment."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from projections.model import Delivered, Source

FIRST_WAIT, LONGEST_WAIT = 0.5, 5.0  # seconds until a log that could not be read is tried again

T = TypeVar("T")


class LogSource:
    """A log that may be unavailable.

    Args:
        source: reads the log.
        report: is called with one line when the log cannot be read, once for each outage.
        clock: seconds that never run backwards.
    """

    def __init__(
        self, source: Source, report: Callable[[str], None], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._source, self._report, self._clock = source, report, clock
        self._wait, self._until = 0.0, 0.0

    @property
    def is_away(self) -> bool:
        """Has a reading failed so lately that the log is not to be tried yet?"""
        return self._clock() < self._until

    @property
    def is_unread(self) -> bool:
        """Did the last reading fail?"""
        return self._wait > 0

    def last(self) -> int | None:
        """Return the position of the last record, or None if the log cannot be read."""
        return self._ask(self._source.last)

    def glance(self) -> int | None:
        """Do as `last`, for callers that must not wait: after a failure the log is not asked."""
        return None if self.is_unread else self.last()

    def after(self, position: int, limit: int) -> Sequence[Delivered] | None:
        """See `Source.after`; return None if the log cannot be read."""
        return self._ask(lambda: self._source.after(position, limit))

    def brief(self, position: int, limit: int) -> Sequence[Delivered] | None:
        """See `Source.brief`; return None if the log cannot be read."""
        return self._ask(lambda: self._source.brief(position, limit))

    def watch(self, callback_: Callable[[], None]) -> None:
        """Call `callback_` after each commit."""

        def callback(match: str, position: int) -> None:
            self._until = 0.0
            callback_()

        self._source.watch(callback)

    def _ask(self, question: Callable[[], T]) -> T | None:
        if self.is_away:
            return None
        try:
            answer = question()
        except Exception as error:  # no error of the log may stop the server
            if not self._wait:
                self._report(f"the log cannot be read ({type(error).__name__}): trying again until it can")
            self._wait = min(max(self._wait * 2, FIRST_WAIT), LONGEST_WAIT)
            self._until = self._clock() + self._wait
            return None
        self._wait = self._until = 0.0
        return answer
