"""Starts servers: each listens on 127.0.0.1 only, and ends with the process that started it."""

from __future__ import annotations

import os
import random
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import cycle
from pathlib import Path

PATIENCE = 60.0  # seconds until a server answers; it takes half a second where nothing else runs
# Below those that the system gives to clients, and none twice: so that of a dead server stays free.  Each
# process of the tests has its own (pytest-xdist calls them gw0, gw1 and so on).  Browsers refuse 10,080.
_SHARE = 5_000
_FIRST = 10_100 + int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:]) % 4 * _SHARE
_PORTS = cycle(random.sample(range(_FIRST, _FIRST + _SHARE), _SHARE))
# The server ends when the pipe to this shell is closed, also if the process that started it was killed.
_LEASH = """
"$@" </dev/null & server=$!
exec 3<&0; (read -r _ <&3; kill -INT $server) & reader=$!
wait $server; ended=$?; kill $reader; exit $ended
"""


class NoServer(Exception):
    """There is no server for the tests; the text says what to install."""


class Leashed:
    """A running server process and the user it runs as (None: ours); its words go to `log`."""

    def __init__(self, command: Sequence[str], log: Path, user: str | None = None) -> None:
        self._log = log
        with log.open("wb") as printed:
            self._shell = subprocess.Popen(
                ["sh", "-c", _LEASH, "sh", *command],
                stdin=subprocess.PIPE,
                stdout=printed,
                stderr=printed,
                user=user,
                cwd="/",
            )

    def answering(self, ask: Callable[[], object], errors: type[Exception]) -> bool:
        """Wait until it answers; False: it ended."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                ask()
                return True
            except errors as error:
                if self._shell.poll() is not None:
                    return False
                if time.monotonic() > end:
                    raise NoServer(f"the server does not answer: {error}\n{self.printed}") from error
                time.sleep(0.02)

    @property
    def printed(self) -> str:
        """The end of what it said."""
        return self._log.read_text(errors="replace")[-2000:]

    def end(self) -> None:
        """Stop it, and wait until it is gone."""
        assert self._shell.stdin is not None
        self._shell.stdin.close()
        self._shell.wait()


def free_port(host: str = "127.0.0.1") -> int:
    """A port on which no process listens, and which no client's connection gets meanwhile."""
    for port in _PORTS:
        with suppress(OSError), socket.create_server((host, port)):
            return port
    raise AssertionError("they begin again")


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder for a while."""
    with tempfile.TemporaryDirectory(prefix="glasnost-tests-", ignore_cleanup_errors=True) as name:
        yield Path(name)
