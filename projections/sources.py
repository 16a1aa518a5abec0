"""The logs as a runner reads them: one that cannot be read holds up nobody else.

Where there are several logs, as in a divided store, there is no order over all of their records.  Then what
a fold is told as the position is a time, in microseconds UTC: that of the record itself, and of one that
tells no time of its own (it was uploaded, or its match was played without a clock) that of the record before
it that does more than play.  It depends on nothing but the log of that record, so a rebuild gives the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from threading import Event
from typing import TypeVar

from msgspec import Struct

from domain.log import Record
from projections.model import Delivered, Source

FIRST_WAIT, LONGEST_WAIT = 0.5, 5.0  # seconds until a log that could not be read is tried again


T = TypeVar("T")


class Timed(Struct, frozen=True):
    """A record of one of several logs; its position is a time."""

    position: int
    record: Record
    uploaded: bool
    claimed: bool


class LogSource:
    """The end of one log.

    Args:
        name: of the log.
        source: reads it.
        timed: there are several logs.
        report: is told when it cannot be read, once.
        clock: seconds that never run backwards.
    """

    def __init__(
        self,
        name: str,
        source: Source,
        report: Callable[[Exception], None],
        *,
        timed: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name, self.timed = name, timed
        self._source, self._report, self._clock = source, report, clock
        self._wait, self._until = 0.0, 0.0

    @property
    def is_away(self) -> bool:
        """Could it not be read lately?  Then it is not tried for a while."""
        return self._clock() < self._until

    @property
    def is_unread(self) -> bool:
        """Could it not be read when it was asked last?  It may be tried again since."""
        return self._wait > 0

    def last(self) -> int | None:
        """The position of the last record; None where the log cannot be read."""
        return self._ask(self._source.last)

    def glance(self) -> int | None:
        """The same for whoever must not wait: a log that was away is not asked before it was read again."""
        return None if self.is_unread else self.last()

    def after(self, position: int, limit: int) -> Sequence[Delivered] | None:
        """See `Source.after`; None where the log cannot be read."""
        return self._ask(lambda: self._source.after(position, limit))

    def brief(self, position: int, limit: int) -> Sequence[Delivered] | None:
        """See `Source.brief`; None where the log cannot be read."""
        return self._ask(lambda: self._source.brief(position, limit))

    def watch(self, bell: Callable[[], None]) -> None:
        """Ring after each commit."""

        def told(match: str, position: int) -> None:
            self._until = 0.0
            bell()

        self._source.watch(told)

    def told(self, delivered: Delivered, before: int) -> tuple[Delivered, int]:
        """A record as a fold is told of it, and the time then; `before` is that of the records before it."""
        if not self.timed:
            return delivered, before
        record = delivered.record
        tells_time = not (record.only_plays or delivered.uploaded or record.entry.at is None)
        now: int = record.entry.at if tells_time else before
        return Timed(now, record, delivered.uploaded, delivered.claimed), now

    def _ask(self, question: Callable[[], T]) -> T | None:
        if self.is_away:
            return None
        try:
            answer = question()
        except Exception as error:  # whatever ails one log, it must not stop the others
            if not self._wait:
                self._report(error)
            self._wait = min(max(self._wait * 2, FIRST_WAIT), LONGEST_WAIT)
            self._until = self._clock() + self._wait
            return None
        self._wait = self._until = 0.0
        return answer


class LogSources(Mapping[str, LogSource]):
    """The ends of all logs, by their names.

    Args:
        source: a log, or several by their names.
        report: is told of one that cannot be read, by its name, once.
    """

    def __init__(
        self, source: Source | Mapping[str, Source], report: Callable[[str, Exception], None]
    ) -> None:
        logs = source if isinstance(source, Mapping) else {"": source}
        self._tails = {
            name: LogSource(name, log, partial(report, name), timed="" not in logs)
            for name, log in logs.items()
        }
        self._bell = Event()
        self._watched = False

    def __getitem__(self, name: str) -> LogSource:
        return self._tails[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tails)

    def __len__(self) -> int:
        return len(self._tails)

    def watch(self, bell: Event) -> None:
        """Ring this bell, and no other one, after each commit."""
        self._bell = bell
        if not self._watched:
            self._watched = True
            for tail in self.values():
                tail.watch(lambda: self._bell.set())

    def lasts(self) -> dict[str, int]:
        """The position of the last record of each log that can be read."""
        return _known({name: tail.last() for name, tail in self.items()})

    def glances(self) -> dict[str, int]:
        """The same for whoever must not wait (see `LogSource.glance`)."""
        return _known({name: tail.glance() for name, tail in self.items()})

    @property
    def away(self) -> list[str]:
        """The logs that cannot be read."""
        return [name for name, tail in self.items() if tail.glance() is None]


def _known(lasts: Mapping[str, int | None]) -> dict[str, int]:
    return {name: last for name, last in lasts.items() if last is not None}
