"""A server in a process of its own, to be stopped or killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.api.patience import AT_FIRST
from tests.services import forked
from tests.services.forked import Forked
from tests.waiting import PATIENCE

_PROGRAM = """
import sys
from api.http.server import serve
from api.store.open import located
from tests.api.patience import stop_soon
stop_soon(setattr)
serve(located(sys.argv[1]), sys.argv[2], int(sys.argv[3]), empty=sys.argv[4] == "empty")
"""
_QUIET = {"GLASNOST_LOG_LEVEL": "error", "GLASNOST_PLAYERS_PER_MINUTE": "100000"}


class Process:
    """A server that listens.

    Args:
        location: its store.
        port: 0 for a free one.
        empty: leave an empty store empty.
        keys: the key folder; None for the one beside the store.
        under: the words of a command that is to start it, such as `nsenter`.
        first: lines of Python that it carries out before it serves; modules may have been imported before.
        environment: variables besides those of the tests.
    """

    def __init__(
        self,
        location: str,
        port: int = 0,
        *,
        host: str = "127.0.0.1",
        empty: bool = True,
        keys: Path | None = None,
        under: Sequence[str] = (),
        first: str = "",
        environment: Mapping[str, str] = {},
    ) -> None:
        filled = "empty" if empty else "filled"
        self._process: Forked | subprocess.Popen[bytes]
        given = {**os.environ, **_QUIET, **({"GLASNOST_KEYS": str(keys)} if keys else {}), **environment}
        program = (first + _PROGRAM, location, host, str(port), filled)
        if forked.AVAILABLE and not under:
            self._process = Forked(*program, environment=given)
        else:
            pipe, command = subprocess.PIPE, [*under, sys.executable, "-c", *program]
            self._process = subprocess.Popen(command, stdout=pipe, stderr=pipe, env=given)
        self.pid = self._process.pid
        assert self._process.stdout is not None
        self.line = self._process.stdout.readline().decode()
        assert self.line.startswith(f"listening on http://{host}:"), self._ended()
        self.port = int(self.line.rpartition(":")[2])

    def kill(self) -> str:
        """kill -9; what else it had printed."""
        self._process.kill()
        self._process.wait()
        return self._ended()

    def ask_to_stop(self) -> None:
        """Ask it to stop, and do not wait."""
        self._process.send_signal(signal.SIGTERM)

    def stop(self) -> tuple[int, str]:
        """Ask it to stop; its exit code, and what else it printed."""
        self.ask_to_stop()
        return self.ended()

    def ended(self) -> tuple[int, str]:
        """Wait until it has ended by itself; its exit code, and what else it printed."""
        return self._process.wait(PATIENCE), self._ended()

    def close(self) -> None:
        """See that it is gone."""
        if self._process.poll() is None:
            self.kill()
        self._ended()

    def _ended(self) -> str:
        if self._process.stdout is None or self._process.stdout.closed:
            return ""
        told, errors = self._process.communicate()
        return (told + errors).decode()


@contextmanager
def process(
    folder: Path,
    port: int = 0,
    *,
    empty: bool = True,
    database: str | None = None,
    first: str = "",
    environment: Mapping[str, str] = {},
) -> Iterator[Process]:
    """A patient server over the store in `folder`, or in a database with its keys in `folder`."""
    location, keys = database or str(folder / "store"), folder / "keys" if database else None
    running = Process(location, port, empty=empty, keys=keys, first=AT_FIRST + first, environment=environment)
    try:
        yield running
    finally:
        running.close()
