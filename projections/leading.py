"""Which of several processes leads, and how the others call it: a lock and a bell beside a file they share.

The operating system drops the lock when a process ends, however; then nobody hears the bell either.  Neither
file is ever deleted: that could take the lock from under another process.
"""

from __future__ import annotations

import fcntl
import os
import select
from contextlib import suppress
from pathlib import Path

_SOME = 4_096  # rings heard at once


class Taken(Exception):
    """Another process leads."""


class Lead:
    """The lead over the file at `path`, until it is given up; whoever has it hears the bell.

    The lock tells the process that took it last.

    Raises:
        Taken: another process has it.
        OSError: the folder does not let us.
    """

    def __init__(self, path: Path) -> None:
        self._lock = os.open(_beside(path, "lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._ear, self._hand = _hung(_beside(path, "bell"))
        except OSError as error:
            os.close(self._lock)
            if isinstance(error, BlockingIOError):
                raise Taken from error
            raise
        with suppress(OSError):  # a full disk: the lock holds, whoever it names
            os.ftruncate(self._lock, 0)
            os.pwrite(self._lock, f"{os.getpid()}\n".encode(), 0)

    def heard(self, seconds: float) -> bool:
        """Wait for the bell; did it ring?"""
        waiting = select.poll()
        waiting.register(self._ear, select.POLLIN)
        if not waiting.poll(seconds * 1_000):
            return False
        os.read(self._ear, _SOME)
        return True

    def give_up(self) -> None:
        """Let another process lead."""
        for file in (self._hand, self._ear, self._lock):
            os.close(file)


def leader(path: Path) -> int:
    """The process that took the lead over this file last.

    Raises:
        OSError, ValueError: nobody did, or somebody just does.
    """
    return int(_beside(path, "lock").read_text())


def ring(path: Path) -> bool:
    """Ring the bell of whoever leads over this file; False: nobody does."""
    try:
        hand = os.open(_beside(path, "bell"), os.O_WRONLY | os.O_NONBLOCK)
    except OSError:  # there is no bell, or nobody who hears it
        return False
    try:
        os.write(hand, b".")
    except BlockingIOError:
        return True  # it has rung often enough
    except BrokenPipeError:
        return False  # the leader has just gone
    finally:
        os.close(hand)
    return True


def _hung(bell: Path) -> tuple[int, int]:
    """A bell, made where there is none: what hears it, and what rings it."""
    with suppress(FileExistsError):
        os.mkfifo(bell, 0o600)
    ear = os.open(bell, os.O_RDONLY | os.O_NONBLOCK)
    return ear, os.open(bell, os.O_WRONLY | os.O_NONBLOCK)  # where nobody can ring, it would ring without end


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(f"{path.name}.{ending}")
