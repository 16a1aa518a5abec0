"""The warm parent of queries: it has imported DuckDB, opened nothing, and forks a child for each query.

    python -m api.data.sql_parent    (standard input is a Unix socket)

Each request is a length, a JSON document of that length, and with it one connection, over which the child
answers.  Between parent and child stands a guard, which waits for the child, kills it with all that it has
started when its time is over, and closes the connection only when the child is gone: so who reads to the end
of the connection knows that nothing of the query is left.  When the input is closed, everything ends.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import socket
import struct

import msgspec

from api.data import sql_child

HEAD = struct.Struct("!I")
MOST_REQUEST = 1024 * 1024  # bytes


class Request(msgspec.Struct, frozen=True):
    """A query, and after how many seconds it is killed."""

    task: sql_child.Task
    seconds: float


def main() -> None:
    """Serve the socket at standard input until it is closed."""
    importlib.import_module("duckdb")  # once, for all children
    orders = socket.socket(fileno=os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    with orders:
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # guards are not waited for
        while (received := _receive(orders)) is not None:
            request, descriptor = received
            with socket.socket(fileno=descriptor) as connection:
                if os.fork() == 0:
                    orders.close()
                    _end(_guard, connection, request)


def _receive(orders: socket.socket) -> tuple[Request, int] | None:
    """The next request and its connection; None at the end."""
    head, descriptors, _, _ = socket.recv_fds(orders, HEAD.size, 1)
    if len(head) < HEAD.size or not descriptors:
        return None
    (size,) = HEAD.unpack(head)
    body = bytearray()
    while len(body) < min(size, MOST_REQUEST):
        part = orders.recv(size - len(body))
        if not part:
            return None
        body += part
    return msgspec.json.decode(body, type=Request), descriptors[0]


def _guard(connection: socket.socket, request: Request) -> None:
    """Fork the child, wait for its end, and kill it if that does not come in time."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        _end(sql_child.run, connection, request.task)
    with contextlib.suppress(OSError):  # the child has done it, or is gone
        os.setpgid(child, child)
    signal.sigtimedwait({signal.SIGCHLD}, request.seconds)
    _let_run(child)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)


def _let_run(child: int) -> None:
    """Let a query that had stepped aside run like any process: else it waits for its turn to end."""
    with contextlib.suppress(OSError, AttributeError):
        os.sched_setaffinity(child, os.sched_getaffinity(0))
        os.sched_setscheduler(child, os.SCHED_OTHER, os.sched_param(0))


def _end(work: object, connection: socket.socket, what: object) -> None:
    """Do this work and end the process, whatever happens."""
    try:
        assert callable(work)
        work(connection, what)
    finally:
        os._exit(0)


if __name__ == "__main__":
    main()
