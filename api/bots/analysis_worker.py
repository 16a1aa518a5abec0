"""One process that analyses one match: it reads a task from its standard input and writes to its output how
far it is, and last the analysis.

It has no store, no keys and no network, as the processes in which bots search (`api.bots.worker`), and runs
after them.  It ends when it has answered.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable

import msgspec
from msgspec import Struct

from api.bots.worker import framed, limit, read_message
from domain.agents import AGENTS
from domain.agents.spec import Budget
from domain.games import GAMES
from domain.history import History
from domain.log import codec
from replay.analysis import MoveAnalysis, Summary, analyse, answers, summary

NICENESS = 19  # requests of people go first, then bots
MEMORY_BYTES = 300 * 1024 * 1024  # of data
MOST_BYTES = 32 * 1024 * 1024  # of a task, or of an analysis
PAUSE_SECONDS = 0.25  # between two messages that say how far it is


class Task(Struct, frozen=True):
    """A match to be analysed: its records as they are stored, and the playouts for one answer."""

    game: str
    match: str
    stored: tuple[bytes, ...]
    playouts: int
    seed: str


class Progress(Struct, frozen=True, tag="progress"):
    """So many of so many answers are analysed."""

    done: int
    of: int


class Analysis(Struct, frozen=True, tag="analysis"):
    """A match as an agent sees it; `version` is that of everything by which it judges."""

    version: str
    playouts: int
    summary: Summary
    moves: tuple[MoveAnalysis, ...]


def main() -> None:
    """Answer one task."""
    limit(NICENESS, MEMORY_BYTES)
    message = read_message(sys.stdin.buffer, MOST_BYTES)
    if message is None:
        return
    told = 0.0

    def tell(progress: Progress) -> None:
        nonlocal told
        now = time.monotonic()
        if now - told >= PAUSE_SECONDS:
            told = now
            _write(progress)

    _write(analysed(msgspec.json.decode(message, type=Task), tell))


def _write(message: Progress | Analysis) -> None:
    sys.stdout.buffer.write(framed(msgspec.json.encode(message)))
    sys.stdout.buffer.flush()


def analysed(task: Task, tell: Callable[[Progress], None]) -> Analysis:
    """The analysis of a match; it follows from the task alone.

    Args:
        tell: is called after each answer.

    Raises:
        Refused: see `replay.analysis.must_be_analysable`.
        Damaged: these are not the records of a match.
    """
    spec, read = AGENTS[task.game], codec(GAMES[task.game]).read
    history = History.project(None, [read(task.match, stored) for stored in task.stored])
    assert history is not None, "a match has records"
    found, many = list[MoveAnalysis](), len(answers(history))
    for one in analyse(history, spec, Budget(task.playouts), random.Random(task.seed)):
        found.append(one)
        tell(Progress(len(found), many))
    return Analysis(spec.judging_version, task.playouts, summary(history, spec, found), tuple(found))


if __name__ == "__main__":
    main()
