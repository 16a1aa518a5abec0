"""A process is killed while it appends and signs leaves, again and again: store and log agree."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from api.store.log_writer import LogWriter
from api.store.sql import SqlStore
from domain.game import Game
from domain.merkle import Tree
from replay.transparency import evidence
from tests.api.store.locations import Place

ROOT = Path(__file__).parents[3]
APART = 100_000  # seeds of one process
KINDS = ["opened", "closed"]  # of records that demand a leaf


def killed(place: Place, number: int, lines: int) -> int:
    """Kill a process after it has signed so many times; the number of leaves that it signed last."""
    program = [sys.executable, "-m", "tests.api.store.log_loader"]
    keys = {**os.environ, "GLASNOST_KEYS": str(place.keys)}
    said = ""
    with subprocess.Popen(
        [*program, str(place.location), str(number * APART)],
        cwd=ROOT,
        env=keys,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        for count, line in enumerate(process.stdout, 1):
            if count == lines:
                process.kill()
            said = line if line.endswith("\n") else said
    assert process.returncode == -9
    return int(said)


class Wanted:
    """The leaves that a store demands, in its order, by way of the matches as they are loaded."""

    def __init__(self) -> None:
        self.leaves, self._position = list[bytes](), 0

    def take_in(self, store: SqlStore) -> list[bytes]:
        """Take in what is new since the last time; all leaves."""
        new = store.after(self._position, 1_000_000)
        places = [(one.record.match, one.record.kind) for one in new if one.record.kind in KINDS]
        matches = {name: store.match(name) for name in dict.fromkeys(name for name, _ in places)}
        for name, kind in places:
            match = matches[name]
            assert match is not None
            self.leaves.append(evidence.match_leaves(match.records)[KINDS.index(kind)])
        self._position = new[-1].position if new else self._position
        return self.leaves


def must_agree(place: Place, signed: int, all_wanted: Wanted) -> None:
    """Check the log of a store that was killed, before and after it goes on."""
    store = place.open()
    with place.queueing(store):
        pass  # the database finishes what the process had under way
    log, wanted = store.transparency, all_wanted.take_in(store)
    size = log.size()
    assert signed <= size <= len(wanted)
    assert log.leaves(0, size) == wanted[:size]
    assert not store.log_guard.is_behind
    writer = LogWriter(store, store.keys, lambda: 0)
    last = -1
    while store.last() != last:  # on a busy machine the database may still finish a command of that process
        last = store.last()
        writer.catch_up()
        wanted = all_wanted.take_in(store)
    checkpoint = writer.publish()
    tree = Tree()
    for leaf in wanted:
        tree.add(leaf)
    assert log.leaves(0, len(wanted) + 1) == wanted
    assert log.root(len(wanted)) == tree.root
    assert checkpoint is None or (checkpoint.size, checkpoint.root) == (len(wanted), tree.root)
    unclosed = len(wanted) - 2 * sum(b'"kind":"closed"' in leaf for leaf in wanted)
    assert log.ages([1 << 62]) == [unclosed]
    store.close()


def test_a_killed_process_leaves_a_log_that_agrees_with_the_store(place: Place, toy_game: Game) -> None:
    wanted = Wanted()
    for number, lines in enumerate((1, 4)):
        must_agree(place, killed(place, number, lines), wanted)


@pytest.mark.long
def test_two_hundred_kills(place: Place, toy_game: Game, often: Callable[[int, int], int]) -> None:
    """A hundred for each kind of store, one after the other on the same log."""
    chosen, wanted = Random(20), Wanted()
    for number in range(often(2, 100)):
        must_agree(place, killed(place, number, chosen.randint(1, 12)), wanted)
        print(f"{number + 1} kills", flush=True)
