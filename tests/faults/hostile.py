"""Posts that must change nothing (`attacks`), from raw connections on which many wait at once.

python -m tests.faults.hostile: reads one JSON object (`Orders`) from standard input, carries it out, and
prints how often each status was answered; 0 stands for a connection that was closed without an answer.
"""

from __future__ import annotations

import json
import random
import socket
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

import msgspec
from msgspec import Struct

from tests.faults.attacks import ATTACKS, Post, Target, broken

DEPTH = 16  # requests under way on one connection
_LINE = b"\r\n"
_BROKEN = 0.3  # how many of the rows of posts end with one that is broken
_HUNG_UP = 0.02  # the share of the rows for which the client does not wait
_SECONDS = 60.0  # until an answer must have come


class Orders(Struct, frozen=True):
    """What one process is to do: so many posts to these doors; `seed` decides which."""

    doors: tuple[tuple[str, int], ...]
    targets: tuple[Target, ...]
    count: int
    seed: int


class Line:
    """One connection, made anew when the other side closes it."""

    def __init__(self, door: tuple[str, int]) -> None:
        self._door, self._sent = door, 0
        self._connect()

    def send(self, posts: list[Post]) -> None:
        """Send them in a row; a broken one waits until the others are answered."""
        self._sent, self._broken = len(posts), posts[-1].content if posts[-1].last else b""
        self._say(b"".join(post.content for post in posts if not post.last))

    def statuses(self) -> Iterator[int]:
        """The answers to them: 0 for each that got none."""
        for given in range(self._sent):
            if self._broken and given == self._sent - 1:
                self._say(self._broken)
                self._say_no_more()
            if not (status := self._status()):
                yield from [0] * (self._sent - given)
                break
            yield status
        else:
            if not self._broken:
                return
        self.close()
        self._connect()

    def hang_up(self) -> Iterator[int]:
        """Wait for no answer."""
        self.close()
        self._connect()
        yield from [0] * self._sent

    def close(self) -> None:
        """Hang up."""
        self._answers.close()
        self._socket.close()

    def _connect(self) -> None:
        self._socket = socket.create_connection(self._door, timeout=_SECONDS)
        self._answers = self._socket.makefile("rb")

    def _say(self, content: bytes) -> None:
        with suppress(OSError):  # it was closed upon an earlier request
            self._socket.sendall(content)

    def _say_no_more(self) -> None:
        """Nothing that is still missing will come."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    def _status(self) -> int:
        """The status of the next answer; 0 at the end."""
        try:
            while (status := self._next()) in range(100, 200):
                pass
            return status
        except OSError:
            return 0

    def _next(self) -> int:
        first = self._answers.readline()
        if not first.endswith(_LINE):
            return 0
        headers = {}
        while (line := self._answers.readline()) not in (_LINE, b""):
            name, _, value = line.partition(b":")
            headers[name.lower()] = value.strip()
        body, status = self._answers.read(int(headers.get(b"content-length", 0))), int(first.split()[1])
        refused_well = headers.get(b"content-type") == b"application/problem+json"
        assert status < 400 or refused_well or self._broken, (first, headers, body)
        return status


def row(source: random.Random, orders: Orders) -> list[Post]:
    """So many posts as go over a connection at once."""
    posts = [source.choice(ATTACKS)(source, source.choice(orders.targets)) for _ in range(DEPTH)]
    if source.random() < _BROKEN:
        posts[-1] = broken(source, source.choice(orders.targets))
    return posts


def attack(orders: Orders) -> Counter[int]:
    """Carry the orders out; how often each status was answered."""
    source, statuses = random.Random(orders.seed), Counter[int]()
    lines = [Line(door) for door in orders.doors]
    while statuses.total() < orders.count:
        for line in lines:
            line.send(row(source, orders))
        for line in lines:
            statuses.update(line.hang_up() if source.random() < _HUNG_UP else line.statuses())
    for line in lines:
        line.close()
    return statuses


def main() -> None:
    """Read the orders, and say what came of them."""
    orders = msgspec.json.decode(sys.stdin.read(), type=Orders)
    print(json.dumps(attack(orders)))


if __name__ == "__main__":
    main()
