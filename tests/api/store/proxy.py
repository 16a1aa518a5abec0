"""A line to a server that can go bad: replies are swallowed, or the line is cut."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread


class Line:
    """Passes bytes on between clients and a server, until it is told not to.

    `muted`: set it, and replies are swallowed; `swallowed` says that one was.
    """

    def __init__(self, port: int) -> None:
        self._server = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._ends: list[socket.socket] = []
        self.port: int = self._listener.getsockname()[1]
        self.muted, self.swallowed = Event(), Event()
        Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Hang up on everybody; whoever calls again is put through, and heard."""
        self.muted.clear()
        ends, self._ends = self._ends, []
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Put nobody through any more."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._server))
                self._ends += [client, server]
                Thread(target=self._pass, args=(client, server, False), daemon=True).start()
                Thread(target=self._pass, args=(server, client, True), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, replies: bool) -> None:
        with suppress(OSError), source, target:
            while content := source.recv(65536):
                if replies and self.muted.is_set():
                    self.swallowed.set()
                else:
                    target.sendall(content)


@contextmanager
def line(port: int) -> Iterator[Line]:
    """A line to the server at this port."""
    one = Line(port)
    try:
        yield one
    finally:
        one.close()
