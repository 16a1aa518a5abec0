"""Serving one store: one process, uvicorn on uvloop, until somebody asks it to stop.

A stop is graceful: streams end, whoever waits for an answer gets it, then the store is closed.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import uvicorn
import uvloop

from api.gate import Gate
from api.http import logs
from api.http.app import build
from api.http.readmodels import FILE, ReadModels
from api.http.services import Services
from api.settings import Settings, product, read
from api.store.store import SqliteStore
from domain.games import GAMES

IDLE_SECONDS = 75  # until an idle connection is closed
BACKLOG = 2_048  # connections that wait to be accepted
_log = logging.getLogger("glasnost.serve")


class CannotServe(Exception):
    """The server cannot start; the text says why, and the way out."""


def serve(
    folder: Path,
    host: str = "127.0.0.1",
    port: int = 8000,
    *,
    empty: bool = False,
    environment: Mapping[str, str] | None = None,
    tell: Callable[[str], None] = lambda line: print(line, flush=True),
) -> None:
    """Serve the store in `folder` until SIGINT or SIGTERM.

    Args:
        port: 0 for a free one.
        empty: leave an empty store empty; else one match of each game is played in it by bots.
        tell: is given the one line that says where the server listens.

    Raises:
        CannotServe: the address is taken or is none.
        StoreError: see `SqliteStore.open`.
        BadSetting: see `api.settings.read`.
    """
    settings = read(os.environ if environment is None else environment)
    logs.set_up(settings.log_level)
    with listening(host, port) as listener:
        store = SqliteStore.open(folder)
        try:
            uvloop.run(_serve(store, listener, settings, empty, tell))
        finally:
            store.close()


def clock() -> int:
    """The time in microseconds UTC."""
    return time.time_ns() // 1_000


async def _serve(
    store: SqliteStore, listener: socket.socket, settings: Settings, empty: bool, tell: Callable[[str], None]
) -> None:
    gate = Gate(store, store.keys, clock, product(), settings)
    models = ReadModels(store, store.folder / FILE)
    try:
        if not empty and store.last() == 0:
            await play_one_of_each(gate)
        server = Server(gate, Services(gate, store, models, settings, clock), settings)
        address = _address(listener)
        store.announce(address)
        await server.run_on(listener, lambda: tell(f"listening on {address}"))
    finally:
        await gate.close()
        models.close()


async def play_one_of_each(gate: Gate) -> None:
    """One match of each game between bots, so that a newcomer has something to look at."""
    for game in GAMES.values():
        match = (await gate.open(None, game.name, None, {}, origin="bots")).desk.match
        for seat in game.seats:
            await gate.sit(match.id, seat, None, bot="random")
        await gate.settled(match.id)


class Server(uvicorn.Server):
    """uvicorn, which says when it answers, and lets streams end before it waits for connections to close.

    Args:
        gate: is told to stop before the connections are closed.
        services: what the application works with.
        settings: the limits.
    """

    def __init__(self, gate: Gate, services: Services, settings: Settings) -> None:
        super().__init__(
            uvicorn.Config(
                build(services),
                http="httptools",
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=settings.trust_proxy,
                backlog=BACKLOG,
                timeout_keep_alive=IDLE_SECONDS,
                timeout_graceful_shutdown=settings.stopping_seconds,
            )
        )
        self._gate = gate
        self._ready: Callable[[], None] = lambda: None

    async def run_on(self, listener: socket.socket, ready: Callable[[], None]) -> None:
        """Serve on a socket until a signal comes; `ready` is called when requests are answered."""
        self._ready = ready
        if threading.current_thread() is threading.main_thread():
            loop = asyncio.get_running_loop()
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(number, self.stop)
        await self.serve(sockets=[listener])

    def stop(self) -> None:
        """Stop serving; asked twice, without waiting for anybody."""
        self.force_exit = self.should_exit
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are handled on the loop, and end the process only when all is closed."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """See `uvicorn.Server`."""
        await super().startup(sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """See `uvicorn.Server`."""
        self._gate.stop()
        await super().shutdown(sockets)


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """A socket on this address, before anything costly begins.

    Raises:
        CannotServe.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        hint = "; choose another port (--port), or 0 for a free one" if port else ""
        raise CannotServe(f"cannot listen on {host} port {port}: {error.strerror}{hint}") from error
    with listener:
        listener.setblocking(False)
        yield listener


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
