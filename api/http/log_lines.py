"""Log lines as JSON, one object a line, on standard error.

A line holds the command, the player, the match and the outcome.  It never holds a token, a ticket, a body,
a pick or a fact.  A text of a library may hold any of them, so only the name of its logger is written, and
the kind and place of an error.

A separate thread writes the lines.  Standard error may be a pipe without a reader, and a full pipe would
block the event loop, and with it every match; so lines that find no room are dropped and counted.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import traceback
from contextlib import suppress
from queue import Full, Queue
from types import TracebackType

import msgspec

_encode = msgspec.json.Encoder().encode
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_KNOWN = ("glasnost", "uvicorn")  # loggers whose texts are written
_WAITING = 10_000  # lines that may wait to be written
_FLUSH_SECONDS = 1.0  # at the end of the process


class Lines(logging.Formatter):
    """One JSON object: time (microseconds UTC), level, event, and what was given as `extra`."""

    def format(self, record: logging.LogRecord) -> str:
        """See `logging.Formatter.format`."""
        line = {"at": int(record.created * 1_000_000), "level": record.levelname.lower()}
        if record.name.partition(".")[0] in _KNOWN:
            line |= {"event": record.getMessage()}
            line |= {name: value for name, value in vars(record).items() if name not in _STANDARD}
        else:
            line |= {"event": f"logged by {record.name}"}
        if record.exc_info and record.exc_info[0]:
            line |= _error_fields(record.exc_info[0], record.exc_info[2])
        return _encode(line).decode()


class Aside(logging.Handler):
    """Writes the lines to a file descriptor in a thread of its own, and never waits for it.

    Args:
        descriptor: where they go.
        most: how many may wait; what comes on top is left out, and the next line that is written says so.
    """

    def __init__(self, descriptor: int, most: int = _WAITING) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._waiting: Queue[bytes] = Queue(most)
        self._lost = 0
        threading.Thread(target=self._write, name="log", daemon=True).start()

    def emit(self, record: logging.LogRecord) -> None:
        """See `logging.Handler.emit`; called under the handler's lock."""
        if self._lost and not self._waiting.full():
            lost, self._lost = self._lost, 0
            self._put(_noted("lines lost", record, lost=lost))
        self._put(record)

    def flush(self) -> None:
        """Wait until all is written, but not for long."""
        with self._waiting.all_tasks_done:
            self._waiting.all_tasks_done.wait_for(
                lambda: not self._waiting.unfinished_tasks, timeout=_FLUSH_SECONDS
            )

    def _put(self, record: logging.LogRecord) -> None:
        try:
            self._waiting.put_nowait(self.format(record).encode() + b"\n")
        except Full:
            self._lost += 1

    def _write(self) -> None:
        while True:
            line = self._waiting.get()
            with suppress(OSError):  # the reader is gone
                while line:
                    line = line[os.write(self._descriptor, line) :]
            self._waiting.task_done()


def _noted(event: str, like: logging.LogRecord, **fields_of: object) -> logging.LogRecord:
    """A warning of this module's own, at the time of another record."""
    fields = {"name": "glasnost.logs", "levelname": "WARNING", "msg": event, "created": like.created}
    return logging.makeLogRecord(fields | fields_of)


def _error_fields(kind: type[BaseException], trace: TracebackType | None) -> dict[str, object]:
    """The kind of an error and where it was raised; not its text, which could name a hidden card."""
    frames = traceback.extract_tb(trace)
    return {"error": kind.__name__, "where": [f"{frame.name}:{frame.lineno}" for frame in frames[-8:]]}


def set_up(level: str) -> None:
    """Send this program's log lines from this level upwards, and libraries' warnings, to standard error."""
    handler = Aside(sys.stderr.fileno())
    handler.setFormatter(Lines())
    for name, least in (("glasnost", logging.NOTSET), ("uvicorn", logging.WARNING), (None, logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(max(logging.getLevelNamesMapping()[level.upper()], least))
