"""Reading server-sent events in tests, with nothing but a socket."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from msgspec import Struct

from tests.waiting import PATIENCE


class Event(Struct):
    """One event: its id and its data, decoded."""

    id: int
    data: Any


class Listener:
    """One open stream."""

    def __init__(
        self, port: int, path: str, headers: Mapping[str, str] | None = None, *, host: str = "127.0.0.1"
    ) -> None:
        self._connection = http.client.HTTPConnection(host, port, timeout=PATIENCE)
        try:
            self._connection.request("GET", path, None, {"accept": "text/event-stream", **(headers or {})})
            self.answer = self._connection.getresponse()
        except (OSError, http.client.HTTPException):  # a killed server leaves the socket to us
            self._connection.close()
            raise
        self.status = self.answer.status

    def lines(self) -> Iterator[bytes]:
        """The whole lines as they come, until the server ends the stream; what a dead one began is none."""
        while (line := self.answer.readline()).endswith(b"\n"):
            yield line.rstrip(b"\n")

    def events(self) -> Iterator[Event]:
        """The events as they come."""
        number = 0
        for line in self.lines():
            if line.startswith(b"id: "):
                number = int(line[4:])
            elif line.startswith(b"data: "):
                yield Event(number, json.loads(line[6:]))

    def take(self, count: int) -> list[Event]:
        """The next so many events."""
        events = self.events()
        return [next(events) for _ in range(count)]

    def hang_up(self) -> None:
        """End it, while another thread reads."""
        if (line := self._connection.sock) is not None:
            with suppress(OSError):  # it is closed
                line.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Hang up."""
        self.answer.close()
        self._connection.close()
