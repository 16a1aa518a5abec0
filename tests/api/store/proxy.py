"""A proxy to a server that can fail: it swallows bytes, cuts connections, or refuses new ones."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

from psycopg.conninfo import conninfo_to_dict

from tests.services.postgresql import located


class Line:
    """Passes bytes on between clients and a server, until a method stops it.

    While `muted` is set, replies are swallowed; while `dark` is set, requests, too; `swallowed` is set when
    something was swallowed.  While `barred` is set, new connections are closed.  If one end closes, the other
    is closed, too: else the server would keep a session for every client that gave up.
    """

    def __init__(self, port: int) -> None:
        self._server = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._ends: list[socket.socket] = []
        self.port: int = self._listener.getsockname()[1]
        self.muted, self.dark, self.barred, self.swallowed = Event(), Event(), Event(), Event()
        Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Close all connections; new ones work again, unless `barred` is set."""
        for trouble in (self.muted, self.dark, self.swallowed):
            trouble.clear()
        ends, self._ends = self._ends, []
        _hang_up(*ends)

    def close(self) -> None:
        """Stop accepting connections, and close those that are open."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        """Accept connections until the proxy is closed, also while the server refuses them."""
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                try:
                    self._put_through(client)
                except OSError:
                    client.close()

    def _put_through(self, client: socket.socket) -> None:
        if self.barred.is_set():
            raise ConnectionRefusedError
        server = socket.create_connection(("127.0.0.1", self._server))
        self._ends += [client, server]
        Thread(target=self._pass, args=(client, server, False), daemon=True).start()
        Thread(target=self._pass, args=(server, client, True), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, replies: bool) -> None:
        with source, target:
            with suppress(OSError):
                while content := source.recv(65536):
                    if self.dark.is_set() or (replies and self.muted.is_set()):
                        self.swallowed.set()
                    else:
                        target.sendall(content)
            _hang_up(source, target)


def _hang_up(*ends: socket.socket) -> None:
    """Shut the sockets down: to close them is not enough while another thread still reads them."""
    for end in ends:
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


@contextmanager
def line(port: int) -> Iterator[Line]:
    """A line to the server at this port."""
    one = Line(port)
    try:
        yield one
    finally:
        one.close()


def through(url: str, port: int) -> str:
    """The same database at another port of this machine."""
    return located(url, host="127.0.0.1", port=port)


@contextmanager
def line_to(url: str) -> Iterator[tuple[Line, str]]:
    """A line to the server of this database, and the URL by which it is reached over that line."""
    with line(int(conninfo_to_dict(url)["port"] or 0)) as one:
        yield one, through(url, one.port)
