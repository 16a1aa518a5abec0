"""Which of several processes leads, how the others call it, and whether a file is in use at all: locks and a
bell beside a file that processes share.

The operating system drops the locks when a process ends, however; then nobody hears the bell either.  None of
these files is ever deleted: that could take a lock from under another process.
"""

from __future__ import annotations

import errno
import fcntl
import os
import select
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from projections.file import node_of

_SOME = 65_536  # bytes heard at once: all that a pipe holds


class Taken(Exception):
    """Another process has it."""


class Lead:
    """The lead over the file at `path`, until it is given up; whoever has it hears the bell.

    The lock tells the process that took it last.

    Raises:
        Taken: another process leads.
        OSError: the folder does not let us.
    """

    def __init__(self, path: Path) -> None:
        self._path = _beside(path, "lock")
        self._lock = _locked(self._path, fcntl.LOCK_EX | fcntl.LOCK_NB)
        try:
            self._ear, self._hand = _hung(_beside(path, "bell"))
        except OSError:
            os.close(self._lock)
            raise
        told = f"{os.getpid():>10}\n".encode()  # always as long: whoever reads meanwhile finds it whole
        with suppress(OSError):  # a full disk: the lock holds, whoever it names
            os.pwrite(self._lock, told, 0)

    def holds(self) -> bool:
        """Is it still this lock that others find?  Not where somebody has deleted the file."""
        return os.fstat(self._lock).st_ino == node_of(self._path)

    def heard(self, seconds: float) -> set[str]:
        """Wait for the bell: the logs of which readers elsewhere miss something; none: it did not ring."""
        waiting = select.poll()
        waiting.register(self._ear, select.POLLIN)
        if not waiting.poll(seconds * 1_000):
            return set()
        return set(os.read(self._ear, _SOME).decode("utf-8", "replace").split("\n")[:-1])

    def give_up(self) -> None:
        """Let another process lead."""
        for file in (self._hand, self._ear, self._lock):
            os.close(file)


class Use:
    """That this process uses the file at `path`, as others may, until it is given up.

    Raises:
        OSError: the folder does not let us.
    """

    _how = fcntl.LOCK_SH  # it waits: whoever uses it alone does so for a moment

    def __init__(self, path: Path) -> None:
        self._lock = os.fdopen(_locked(_beside(path, "users"), self._how))

    def give_up(self) -> None:
        """Use it no more; once more does no harm."""
        self._lock.close()


class SoleUse(Use):
    """The same, and nobody else uses it.

    Raises:
        Taken: somebody does.
        OSError: the folder does not let us.
    """

    _how = fcntl.LOCK_EX | fcntl.LOCK_NB


def leader(path: Path) -> int:
    """The process that took the lead over this file last.

    Raises:
        OSError, ValueError: nobody did, or somebody does so for the first time.
    """
    return int(_beside(path, "lock").read_text())


def ring(path: Path, logs: Iterable[str] = ()) -> bool:
    """Tell whoever leads over this file of which logs somebody misses something; False: nobody leads."""
    told = "".join(f"{log}\n" for log in logs).encode()[: select.PIPE_BUF]  # so much is never cut in two
    try:
        hand = _opened(_beside(path, "bell"), os.O_WRONLY)
    except OSError:  # there is no bell, or nobody who hears it
        return False
    try:
        os.write(hand, told)
    except BlockingIOError:
        return True  # it has rung often enough
    except BrokenPipeError:
        return False  # the leader has just gone
    finally:
        os.close(hand)
    return True


def _locked(path: Path, how: int) -> int:
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(file, how)
    except OSError as error:
        os.close(file)
        if isinstance(error, BlockingIOError):
            raise Taken from error
        raise
    return file


def _hung(bell: Path) -> tuple[int, int]:
    """A bell, made where there is none: what hears it, and what rings it."""
    with suppress(FileExistsError):
        os.mkfifo(bell, 0o600)
    ear = _opened(bell, os.O_RDONLY)
    try:
        return ear, _opened(bell, os.O_WRONLY)  # where nobody can ring, it would ring without end
    except OSError:
        os.close(ear)
        raise


def _opened(bell: Path, how: int) -> int:
    file = os.open(bell, how | os.O_NONBLOCK)
    if stat.S_ISFIFO(os.fstat(file).st_mode):
        return file
    os.close(file)
    raise OSError(errno.EEXIST, f"{bell.name} is there and is no named pipe (delete it)")


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(f"{path.name}.{ending}")
