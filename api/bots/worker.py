"""One process in which bots search: it reads tasks from its standard input and writes answers to its output.

It has no store, no keys and no network; a task is a level, a seed and an `Observation`, and nothing else.
Each message is four bytes that say its length, and JSON.  It ends when its input does.
"""

from __future__ import annotations

import os
import random
import resource
import struct
import sys
import time
from contextlib import suppress
from typing import BinaryIO

import msgspec
from msgspec import Struct

from api.bots.levels import SECONDS, act
from domain.agents.observation import Observation
from domain.kernel import Picks

NICENESS = 10  # requests of people go first
MEMORY_BYTES = 200 * 1024 * 1024  # of data
MOST_BYTES = 1024 * 1024  # of one message
LENGTH = struct.Struct(">I")


class Task(Struct, frozen=True):
    """One decision to make within so many `seconds`, by the clock.

    `seed` is from the operating system, so that the answer cannot be foreseen.
    """

    level: str
    seed: int
    observation: Observation
    seconds: float = SECONDS


class Thought(Struct, frozen=True):
    """The answer to a task, and the seconds that it took."""

    picks: Picks
    seconds: float = 0.0


def main() -> None:
    """Answer tasks until the input ends."""
    limit(NICENESS, MEMORY_BYTES)
    read = msgspec.json.Decoder(Task)
    tasks, answers = sys.stdin.buffer, sys.stdout.buffer
    while (message := read_message(tasks)) is not None:
        answers.write(framed(msgspec.json.encode(thought(read.decode(message)))))
        answers.flush()


def thought(task: Task) -> Thought:
    """The answer to a task."""
    began = time.monotonic()
    until, rng = began + task.seconds, random.Random(task.seed)
    picks = act(task.level, task.observation, rng, lambda: time.monotonic() >= until)
    return Thought(picks, time.monotonic() - began)


def framed(message: bytes) -> bytes:
    """A message with its length before it."""
    return LENGTH.pack(len(message)) + message


def read_message(source: BinaryIO, most: int = MOST_BYTES) -> bytes | None:
    """The next message; None if the input has ended, or claims more than `most` bytes."""
    head = source.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    message = source.read(length) if length <= most else b""
    return message if len(message) == length else None


def limit(niceness: int, memory: int) -> None:
    """Let this process run after others, and with so many bytes of data, where the system allows it.

    It leaves the process group of the server, so that the terminal's Ctrl-C does not reach it, but not the
    session: between sessions niceness does not count (sched(7), "The autogroup feature").
    """
    with suppress(PermissionError):  # it leads a session, and so a group
        os.setpgid(0, 0)
    with suppress(OSError, ValueError):
        os.nice(niceness)
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))


if __name__ == "__main__":
    main()
