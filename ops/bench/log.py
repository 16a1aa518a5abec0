"""The transparency log at a million leaves: proofs in 5 ms, and no rebuild at a start.

Leaves of openings and ends are appended to an embedded store in batches, as a server does when it makes the
log of an older store. The floor of appending is to insert the same leaves into a bare SQLite table, with
the same durability; that of a move is one beside which no log is kept; that of a proof is to read as many
tiles by their keys; that of a start is to open the file of the store; that of the size is a leaf and its
hash.
"""

from __future__ import annotations

import random
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event, Thread

from _bench import QUICK, milliseconds, percentiles, played, rate, ratios, say, seconds

from api.gate.log_follower import PAUSE
from api.store import sqlite_schema
from api.store.interface import Append
from api.store.log_writer import LogWriter
from api.store.sqlite import SqliteStore
from api.store.transparency import NewLeaf
from domain.games import GAMES
from domain.log import b64
from domain.signed_notes import Checkpoint
from replay.transparency.leaf import ClosedLeaf, OpenedLeaf
from replay.transparency.tree import consistency, inclusion

LEAVES = 2_000 if QUICK else 1_000_000
BATCH = 500
MATCHES = 2 if QUICK else 100  # that are played move by move
PROOFS = 20 if QUICK else 1_000
STARTS = 2 if QUICK else 20
_NOW = 1_790_000_000_000_000


def main() -> None:
    """Five lines: a move, appending, proofs, the size, the start."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        _moves(place)
        with closing(SqliteStore.open(place / "store")) as store:
            ours = _appended(store)
            floor = _bare(place / "bare.db")
            say(
                "leaves appended a second",
                f"{rate(LEAVES / ours)} ({LEAVES:,} leaves, {BATCH} at once);"
                f" floor: a bare table {rate(LEAVES / floor)}; ratio {ours / floor:.1f}",
            )
            LogWriter(store, store.keys, lambda: _NOW).publish()
            _proofs(store)
            _size(store)
        _start(place / "store")


def _moves(place: Path) -> None:
    """Short matches, stored move by move by one client: beside a log that is kept and signed, and without."""
    ours, floor = list[float](), list[float]()
    with (
        closing(SqliteStore.open(place / "logged")) as logged,
        closing(SqliteStore.open(place / "bare")) as bare,
        _kept(logged) as signed,
    ):
        for seed in range(MATCHES):
            match, secret = played(GAMES["thirteen_minutes"], seed)
            for store, times in ((logged, ours), (bare, floor)):
                for record in match.records:
                    one = Append([record], secret=secret.bytes if record.move == 1 else None)
                    times.append(seconds(lambda s=store, a=one: s.submit(a).result()))  # type: ignore[misc]
    say(
        "a durable move with the log kept beside it",
        f"{percentiles(ours)} ({len(ours):,} moves, {len(signed)} checkpoints signed);"
        f" floor: without a log {percentiles(floor)}; ratio {ratios(ours, floor)}",
    )


@contextmanager
def _kept(store: SqliteStore) -> Iterator[list[Checkpoint]]:
    """Keep the log of a store in a thread, as a server does; yields the checkpoints that were signed."""
    signed, stopping, writer = list[Checkpoint](), Event(), LogWriter(store, store.keys, lambda: _NOW)

    def keep() -> None:
        while not stopping.wait(PAUSE):
            writer.catch_up()
            if (found := writer.publish()) is not None:
                signed.append(found)

    thread = Thread(target=keep)
    thread.start()
    yield signed
    stopping.set()
    thread.join()


def _leaves() -> Iterator[list[NewLeaf]]:
    """The leaves of matches that open and end, in batches."""
    number, root = 0, b64(bytes(32))
    while number < LEAVES:
        some = list[NewLeaf]()
        for place in range(number, number + BATCH, 2):
            match, player = f"m{place:015}", f"p{place % 100:015}"
            opened = OpenedLeaf(at=_NOW + place, match=match, opener=player, commitment=root, root=root)
            closed = ClosedLeaf(at=_NOW + place, match=match, opening=root, size=300, root=root)
            some += [
                NewLeaf(match, "opened", opened.bytes, player, _NOW + place),
                NewLeaf(match, "closed", closed.bytes),
            ]
        yield some
        number += BATCH


def _appended(store: SqliteStore) -> float:
    spent, before = 0.0, None
    for position, some in enumerate(_leaves(), 1):
        began = time.perf_counter()
        store.transparency.append(before, position, some)
        spent, before = spent + time.perf_counter() - began, position
    return spent


def _bare(file: Path) -> float:
    spent = 0.0
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE leaves (number INTEGER PRIMARY KEY, leaf BLOB)")
        for some in _leaves():
            began = time.perf_counter()
            connection.execute("BEGIN")
            connection.executemany("INSERT INTO leaves (leaf) VALUES (?)", [(one.leaf,) for one in some])
            connection.execute("COMMIT")
            spent += time.perf_counter() - began
    return spent


def _proofs(store: SqliteStore) -> None:
    """A proof of inclusion and one of consistency, each from nothing in memory."""
    log, chosen = store.transparency, random.Random(20)
    ours, floor = list[float](), list[float]()
    tiles = [(0, 0), (0, LEAVES // 512), (0, (LEAVES - 1) // 256), (1, (LEAVES - 1) // 65_536), (2, 0)]
    for _ in range(PROOFS):
        index = chosen.randrange(1, LEAVES)
        ours.append(seconds(lambda i=index: inclusion(i, LEAVES, log.hashes())))  # type: ignore[misc]
        ours.append(seconds(lambda i=index: consistency(i, LEAVES, log.hashes())))  # type: ignore[misc]
        floor += [seconds(lambda: [log.tile(*one) for one in tiles]) for _ in range(2)]
    say(
        "proof of inclusion or consistency",
        f"{percentiles(ours)} (aim: 5 ms); floor: five tiles read {percentiles(floor)};"
        f" ratio {ratios(ours, floor)}",
    )


def _size(store: SqliteStore) -> None:
    size, leaf = store.size() / LEAVES, sum(map(len, store.transparency.leaves(0, BATCH))) / BATCH
    tile = len(store.transparency.tile(0, 0))
    say(
        "bytes of the store for a leaf",
        f"{size:.0f} (a full tile: {tile} bytes); floor: leaf and hash {leaf + 32:.0f};"
        f" ratio {size / (leaf + 32):.1f}",
    )


def _start(folder: Path) -> None:
    """Open the store and look whether its log holds what was signed, as a server does before it signs."""
    ours, floor = list[float](), list[float]()
    for _ in range(STARTS):
        floor.append(seconds(lambda: sqlite_schema.connect_for_writing(folder / sqlite_schema.FILE).close()))
        ours.append(seconds(lambda: _opened(folder)))
    say(
        "start with such a log",
        f"{percentiles(ours)}; floor: the file opened {percentiles(floor)};"
        f" ratio {milliseconds(ours, 0.5) / milliseconds(floor, 0.5):.1f}",
    )


def _opened(folder: Path) -> None:
    with closing(SqliteStore.open(folder)) as store:
        store.log_guard.check()


if __name__ == "__main__":
    main()
