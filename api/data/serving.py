"""Runs the data process: over a Unix socket for a server, or on a port of this machine for a proxy."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import stat
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

import uvicorn

from api.data.reader import Reader
from api.data.routes import DataRoutes
from api.data.sql import Sql
from api.data.sql_route import SqlRoute
from api.http.log_lines import set_up

CONNECTIONS = 200  # at once; one more is answered with 503
HEAD_BYTES = 65_536
IDLE_SECONDS = 5
STOPPING_SECONDS = 5
NICE = 5  # a move comes first


class CannotListen(Exception):
    """There is no listening at this place; the text says why."""


class _Server(uvicorn.Server):
    """uvicorn, which says when it answers, and ends in order after a signal."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready, self.is_left = ready, False

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """See `uvicorn.Server`."""
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, self.stop)
        await super().startup(sockets)
        self._ready()

    def stop(self) -> None:
        """Stop; on the second call, without waiting for open requests."""
        self.force_exit = self.should_exit
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are handled on the loop."""
        yield


def serve(
    folder: Path,
    listener: socket.socket,
    *,
    log_level: str = "warning",
    attached: bool = False,
    sql: bool = False,
    token: str = "",
    work: Path | None = None,
    ready: Callable[[], None] = lambda: None,
) -> bool:
    """Answer requests about the data set in a folder, until a signal comes.

    Returns whether it is `attached`, and the server that started it has ended.

    Args:
        sql: answer SQL, too.
        token: the token of the only caller who may ask in SQL; "": a server in front says who asks.
        work: a folder for the copies that SQL reads; None: a temporary one.
        attached: end, too, when standard input is closed: then the server that started this has ended.
        ready: is called when requests are answered.

    Raises:
        BadDataSet: there is no data set that this program reads.
        OSError: it cannot be read.
    """
    reader = Reader(folder)
    os.nice(NICE)
    set_up(log_level)
    with _sql(work) if sql else nullcontext() as queries:
        route = SqlRoute(reader, queries, token)
        server = _Server(_config(DataRoutes(reader, route)), ready)
        if attached:
            threading.Thread(target=_end_with_input, args=(server,), daemon=True).start()
        server.run([listener])
    return server.is_left


def leave_nothing(listener: Path, work: Path | None) -> None:
    """Delete the folder that a server, which has ended, made for the socket and the copies of its process.

    A server that is killed cannot do that by itself.  A folder in which there is anything else stays.
    """
    with suppress(OSError):
        if work is not None:
            shutil.rmtree(work)
        listener.parent.rmdir()


@contextmanager
def _sql(work: Path | None) -> Iterator[Sql]:
    """What runs SQL, with a folder of its own; what an earlier process has left there is deleted."""
    with tempfile.TemporaryDirectory(prefix="glasnost-") if work is None else nullcontext(str(work)) as place:
        sql = Sql(Path(place))
        sql.database.close()
        try:
            yield sql
        finally:
            sql.close()


def _config(routes: DataRoutes) -> uvicorn.Config:
    return uvicorn.Config(
        routes.app,
        http="h11",  # it limits the head
        h11_max_incomplete_event_size=HEAD_BYTES,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=STOPPING_SECONDS,
    )


def _end_with_input(server: _Server) -> None:
    while os.read(sys.stdin.fileno(), 4_096):
        pass
    server.is_left = True
    server.stop()
    threading.Event().wait(2 * STOPPING_SECONDS)
    os._exit(1)


@contextmanager
def listening_on_port(port: int) -> Iterator[socket.socket]:
    """A socket on a port of this machine, 0 for a free one.  Raises CannotListen."""
    try:
        listener = socket.create_server(("127.0.0.1", port))
    except OSError as error:
        raise CannotListen(
            f"port {port}: {error.strerror}; choose another one, or 0 for a free one"
        ) from error
    with listener:
        yield listener


@contextmanager
def listening_on_socket(path: Path) -> Iterator[socket.socket]:
    """A Unix socket at this path, for this user and group; one that has been left there is replaced.

    Raises:
        CannotListen.
    """
    with socket.socket(socket.AF_UNIX) as listener:
        try:
            if _is_left(path):
                path.unlink()
            before = os.umask(0o117)
            try:
                listener.bind(str(path))
            finally:
                os.umask(before)
            listener.listen()
        except OSError as error:
            raise CannotListen(f"{path}: {error.strerror or error}") from error
        try:
            yield listener
        finally:
            path.unlink(missing_ok=True)


def _is_left(path: Path) -> bool:
    """Is there a socket at which no process listens any more?"""
    try:
        if not stat.S_ISSOCK(path.lstat().st_mode):
            return False
    except FileNotFoundError:
        return False
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return True
    return False
