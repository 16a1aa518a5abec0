"""Programs that the fork server of this process starts (`tests.services.forking`)."""

from __future__ import annotations

import atexit
import ctypes
import functools
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO

from tests.services.forking import THREADLESS, Request, packed

ROOT = Path(__file__).parents[2]
_PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
_PAUSE = 0.005  # seconds between two looks at a process that is waited for with a limit
# As a module it would import its package, and with it the drivers of a browser and of Redis.
_AS_A_FILE = "import runpy; runpy.run_path('tests/services/forking.py', run_name='__main__')"
_ONE_AT_A_TIME = threading.Lock()


def _available() -> bool:
    """Return whether this system has what a fork server needs: subreapers and files of processes."""
    try:
        os.close(os.pidfd_open(os.getpid()))
        _be_subreaper(False)
    except (AttributeError, OSError):
        return False
    return True


def _be_subreaper(now: bool) -> None:
    """Be the new parent of descendants whose parent ends, or let it be the system's first process."""
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, int(now), 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


AVAILABLE = _available()
"""Are there fork servers here?  Elsewhere each program gets an interpreter of its own."""


class Forked:
    """A process that runs Python code as `python -c` does, in the folder of this process.

    It is a child of this process, as one of `subprocess.Popen` is, and has the same methods.

    Args:
        code: the program.
        arguments: those of `sys.argv` after the first.
        environment: all of its variables.
        is_fed: it reads what is written to `stdin`; else its standard input is empty.
    """

    def __init__(
        self, code: str, *arguments: str, environment: Mapping[str, str], is_fed: bool = False
    ) -> None:
        request = Request(os.getcwd(), dict(environment), list(arguments), code=code)
        fed, feeding = os.pipe()
        self.stdin: IO[bytes] = os.fdopen(feeding, "wb", buffering=0)
        if not is_fed:
            self.stdin.close()
        out, out_end = os.pipe()
        errors, errors_end = os.pipe()
        with _ONE_AT_A_TIME:
            _be_subreaper(True)
            try:
                self.pid = _ask(request, (fed, out_end, errors_end))
            finally:
                _be_subreaper(False)
        for end in (fed, out_end, errors_end):
            os.close(end)
        self.stdout: IO[bytes] = os.fdopen(out, "rb")
        self.stderr: IO[bytes] = os.fdopen(errors, "rb")
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Its exit code, if it has ended."""
        return self._look(os.WNOHANG)

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended; its exit code.

        Raises:
            subprocess.TimeoutExpired: it has not after so many seconds.
        """
        if timeout is None:
            ended = self._look(0)
            assert ended is not None
            return ended
        end = time.monotonic() + timeout
        while (ended := self.poll()) is None:
            if time.monotonic() > end:
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            time.sleep(_PAUSE)
        return ended

    def kill(self) -> None:
        """kill -9."""
        self.send_signal(signal.SIGKILL)

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it has not ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def communicate(self) -> tuple[bytes, bytes]:
        """What else it prints to either stream until it ends.  The second is short."""
        with self.stdout, self.stderr:
            printed = self.stdout.read(), self.stderr.read()
        self.wait()
        return printed

    def _look(self, options: int) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, options)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode


class Attached:
    """A process that a fork server at this address runs; it ends with this process at the latest.

    Args:
        address: of a fork server, perhaps that of another process.
        request: what it runs; `attached` must be set.
    """

    def __init__(self, address: str, request: Request) -> None:
        out, out_end = os.pipe()
        self._connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._connection.connect(address)
        with open(os.devnull, "rb") as nothing:
            streams = (nothing.fileno(), out_end, sys.stderr.fileno())
            socket.send_fds(self._connection, [packed(request)], streams)
        os.close(out_end)
        self.pid = int(self._connection.recv(16))
        self.stdout: IO[str] = os.fdopen(out, "r", encoding="utf-8")

    def terminate(self) -> None:
        """Ask it to stop, and wait until it has ended."""
        with suppress(ProcessLookupError):  # it has ended
            os.kill(self.pid, signal.SIGTERM)
        with self._connection, self.stdout:
            self._connection.recv(16)


@functools.cache
def server() -> str:
    """The address of the fork server of this process, which ends with it."""
    folder = tempfile.TemporaryDirectory(prefix="forks-")
    address = str(Path(folder.name) / "socket")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GLASNOST_")}
    process = subprocess.Popen(
        [sys.executable, "-c", _AS_A_FILE, address],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env={**kept, **THREADLESS, "LC_ALL": "C.UTF-8"},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"listening\n"
    process.stdout.close()

    def end() -> None:
        process.communicate()
        folder.cleanup()

    atexit.register(end)
    return address


def _ask(request: Request, streams: tuple[int, int, int]) -> int:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        connection.connect(server())
        socket.send_fds(connection, [packed(request)], streams)
        return int(connection.recv(16))
