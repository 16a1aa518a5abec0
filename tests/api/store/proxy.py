"""A line to a server that can go bad: what is said on it is swallowed, the line is cut, nobody is let in."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

from psycopg.conninfo import conninfo_to_dict

from tests.services.postgresql import located


class Line:
    """Passes bytes on between clients and a server, until it is told not to.

    `muted`: set it, and replies are swallowed; `dark`: requests, too; `swallowed` says that something was.
    `barred`: set it, and whoever calls is hung up on.  Who hangs up himself is gone at the other end, too,
    whatever is swallowed: else the server would keep a session for every client that gave up.
    """

    def __init__(self, port: int) -> None:
        self._server = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._ends: list[socket.socket] = []
        self.port: int = self._listener.getsockname()[1]
        self.muted, self.dark, self.barred, self.swallowed = Event(), Event(), Event(), Event()
        Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Hang up on everybody; whoever calls again is put through, and heard, unless calls are barred."""
        for trouble in (self.muted, self.dark, self.swallowed):
            trouble.clear()
        ends, self._ends = self._ends, []
        _hang_up(*ends)

    def close(self) -> None:
        """Put nobody through any more."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        """Until the line is closed; a server that lets nobody in is no end of it."""
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
    """To close them is not enough: while another thread still listens there, nobody is told of it."""
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
