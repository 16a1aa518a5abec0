"""Building a data set: seconds and bytes for a match, and the memory that a build takes.

The store holds matches of all games between random bots.  The floor is reading the same log: every record of
every match, as it is stored, without folding it.  A build with all tables stands beside one without the
table `decisions`, whose options the rules compute again.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from _bench import QUICK, long_name, many, say

from api.cli.common import keep_in
from api.settings import product
from api.store.data_source import DataSource
from api.store.sqlite import SqliteStore
from replay.dataset.build import Builder, Built
from replay.dataset.manifest import Settings

MATCHES = 1 if QUICK else 100  # of each game


def main() -> None:
    """Two lines for each of the two builds, and one for the memory."""
    with (
        tempfile.TemporaryDirectory() as scratch,
        closing(SqliteStore.open(Path(scratch) / "games")) as store,
    ):
        names = list(dict.fromkeys(_put(store)))
        floor = _seconds(lambda: [store.since(name, 0) for name in names])
        moves = store.last()
        for without in ((), ("decisions",)):
            folder = Path(scratch) / "-".join(("club", *without))
            began = time.perf_counter()
            made = _built(store, folder, without)
            _say(without, time.perf_counter() - began, floor, len(names), moves)
            sizes = _sizes(made)
            shown = ", ".join(f"{table} {size / len(names):.0f}" for table, size in list(sizes.items())[:8])
            whole, kept = sum(sizes.values()) / len(names), store.size() / len(names)
            say(
                "bytes a match",
                f"{whole:.0f}: {shown}; floor: the store {kept:.0f}; ratio {whole / kept:.2f}",
            )
        _run("check", f"{scratch}/club")
        floor = _peak()
        _run("build", f"{scratch}/again", "--store", f"{scratch}/games")
    peak = _peak()
    say(
        "memory of a build", f"{peak:.0f} MB; goal: 500; floor: a check {floor:.0f}; ratio {peak / floor:.1f}"
    )


def _run(*arguments: str) -> None:
    command = [sys.executable, "-m", "api.cli.main", "data", *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _peak() -> float:
    """The most memory that a process started here has had, in MB."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def _put(store: SqliteStore) -> list[str]:
    found = many(MATCHES)
    found.pop(long_name("imperial_struggle"))
    for match, secret in (pair for pairs in found.values() for pair in pairs):
        keep_in(store, match, secret.bytes)
    return [match.id for pairs in found.values() for match, _ in pairs]


def _built(store: SqliteStore, folder: Path, without: tuple[str, ...]) -> Built:
    state = folder.with_name(f"{folder.name}.state")
    state.mkdir()
    with closing(DataSource(store, state)) as source:
        return Builder(folder, state, source, Settings(without=without), product()).build()


def _seconds(task: Callable[[], object]) -> float:
    began = time.perf_counter()
    task()
    return time.perf_counter() - began


def _sizes(built: Built) -> dict[str, int]:
    """The bytes of each table, the largest first."""
    sizes: dict[str, int] = {}
    for part in built.manifest.parts:
        sizes[part.table] = sizes.get(part.table, 0) + part.bytes
    return dict(sorted(sizes.items(), key=lambda item: -item[1]))


def _say(without: tuple[str, ...], took: float, floor: float, matches: int, moves: int) -> None:
    what = f"build, without {', '.join(without)}" if without else "build, all tables"
    speed = f"{took / matches * 1000:.1f} ms a match of {moves / matches:.0f} moves"
    speed += f", {matches / took:.1f} matches a second"
    say(what, f"{speed}; floor: {floor / matches * 1000:.1f} ms to read the log; ratio {took / floor:.1f}")


if __name__ == "__main__":
    main()
