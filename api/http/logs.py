"""Log lines as JSON, one object a line, on standard error.

A line says what was done by whom to which match and how it ended.  No token, no ticket, no body, no pick and
no fact ever enters one.
"""

from __future__ import annotations

import logging
import sys
import traceback
from types import TracebackType

import msgspec

_encode = msgspec.json.Encoder().encode
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class Lines(logging.Formatter):
    """One JSON object: time (microseconds UTC), level, event, and what was given as `extra`."""

    def format(self, record: logging.LogRecord) -> str:
        """See `logging.Formatter.format`."""
        line = {"at": int(record.created * 1_000_000), "level": record.levelname.lower()}
        line |= {"event": record.getMessage()}
        line |= {name: value for name, value in vars(record).items() if name not in _STANDARD}
        if record.exc_info and record.exc_info[0]:
            line |= _told(record.exc_info[0], record.exc_info[2])
        return _encode(line).decode()


def _told(kind: type[BaseException], trace: TracebackType | None) -> dict[str, object]:
    """The kind of an error and where it was raised; not its text, which could name a hidden card."""
    frames = traceback.extract_tb(trace)
    return {"error": kind.__name__, "where": [f"{frame.name}:{frame.lineno}" for frame in frames[-8:]]}


def set_up(level: str) -> None:
    """Send the log lines of this program to standard error from this level upwards."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines())
    logger = logging.getLogger("glasnost")
    logger.handlers, logger.propagate = [handler], False
    logger.setLevel(level.upper())
