"""Redis: the server of the tests, and those that may be killed, stalled or emptied."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import redis

from tests.services.leash import Leashed, NoServer, free_port, scratch
from tests.services.programs import REDIS, redis_program


class OwnRedis:
    """A Redis server that was started here; it keeps nothing, so once killed it begins empty.

    Args:
        program: what to start.
        folder: where it may write.
    """

    def __init__(self, program: Path, folder: Path) -> None:
        self._program, self._folder, self._port = program, folder, free_port()
        self._process: Leashed | None = None
        self._process_id = 0

    @property
    def url(self) -> str:
        """How to reach it."""
        return f"redis://127.0.0.1:{self._port}/0"

    def client(self) -> redis.Redis:
        """A client of it; close it."""
        return redis.Redis(port=self._port)

    def start(self) -> None:
        """Start it, on the port that it had before."""
        where = ["--port", str(self._port), "--bind", "127.0.0.1", "--dir", str(self._folder)]
        command = [str(self._program), *where, "--save", "", "--appendonly", "no"]
        self._process = Leashed(command, self._folder / "log")
        with self.client() as client:
            if not self._process.answering(client.ping, redis.ConnectionError):
                raise NoServer(f"Redis does not start:\n{self._process.printed}")
            info: Any = client.info("server")
            self._process_id = int(info["process_id"])

    def kill(self) -> None:
        """kill -9; it is gone when this returns."""
        os.kill(self._process_id, signal.SIGKILL)
        self.end()

    @contextmanager
    def stalled(self) -> Iterator[None]:
        """Make it accept connections and answer none."""
        os.kill(self._process_id, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self._process_id, signal.SIGCONT)

    def empty(self) -> None:
        """FLUSHALL."""
        with self.client() as client:
            client.flushall()

    def end(self) -> None:
        """Stop it."""
        if self._process is not None:
            self._process.end()
            self._process = None


@contextmanager
def redis_server() -> Iterator[str]:
    """The URL of the Redis of the tests, which may be emptied.

    Raises:
        NoServer.
    """
    if url := os.environ.get(REDIS.variable):
        yield url
        return
    with own_redis() as server:
        yield server.url


@contextmanager
def own_redis() -> Iterator[OwnRedis]:
    """A Redis server for tests that kill it, stall it or empty it: never one that was running before.

    Raises:
        NoServer.
    """
    program = redis_program()
    with scratch() as folder:
        server = OwnRedis(program, folder)
        server.start()
        try:
            yield server
        finally:
            server.end()
