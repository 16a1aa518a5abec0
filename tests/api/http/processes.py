"""A server in a process of its own, to be stopped or killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PROGRAM = """
import sys
from api.http.serve import serve
from api.store.opening import located
serve(located(sys.argv[1]), port=int(sys.argv[2]), empty=sys.argv[3] == "empty")
"""


class Process:
    """A server that listens."""

    def __init__(self, location: str, port: int, empty: str, keys: Path | None) -> None:
        command = [sys.executable, "-c", _PROGRAM, location, str(port), empty]
        quiet = {"GLASNOST_LOG_LEVEL": "error", "GLASNOST_PLAYERS_PER_MINUTE": "100000"}
        quiet |= {"GLASNOST_KEYS": str(keys)} if keys else {}
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **quiet}
        )
        assert self._process.stdout is not None
        self.line = self._process.stdout.readline().decode()
        assert self.line.startswith("listening on http://127.0.0.1:"), self._ended()
        self.port = int(self.line.rpartition(":")[2])

    def kill(self) -> None:
        """kill -9."""
        self._process.kill()
        self._process.wait()

    def stop(self) -> tuple[int, str]:
        """Ask it to stop; its exit code, and what else it printed."""
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(30), self._ended()

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
    folder: Path, port: int = 0, *, empty: bool = True, database: str | None = None
) -> Iterator[Process]:
    """A server over the store in `folder`, or in a database with its keys in `folder`."""
    location = database or str(folder / "store")
    running = Process(location, port, "empty" if empty else "filled", folder / "keys" if database else None)
    try:
        yield running
    finally:
        running.close()
