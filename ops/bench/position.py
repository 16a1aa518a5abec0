"""The position after any move, for any viewer, of a match at hand: 5 ms at p99 is the aim.

A match is at hand once it was read from its stored bytes; how long that takes is told besides, and so is the
worst look, mostly the first one of a viewer.  The floor is the same tables, written as plain data by msgspec.

Then random moves of a match of 3,000: when the viewer has looked before (aim: 1 ms), when nobody has looked
(aim: 5 ms), and when the worker must read the match from the store first.
"""

from __future__ import annotations

import gc
import random
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import msgspec
from _bench import QUICK, length, many, say
from _long import long_match

from api.store.seam import Append
from api.store.store import SqliteStore
from domain.history import ALL
from domain.log import codec
from domain.match import Match
from replay.positions import position

LONG = 60 if QUICK else 3_000  # moves
LOOKS = 3 if QUICK else 100


def main() -> None:
    """One line for each game, one for each long match, and three for one of 3,000 moves."""
    for name, matches in many(6).items():
        _measure(name, length(matches), [match for match, _ in matches])
    _measure_long(long_match(1, LONG))


def _measure(name: str, moves: str, matches: list[Match]) -> None:
    opening, ours, floor = list[float](), list[float](), list[float]()
    for known in matches:
        opening.append(_seconds(partial(_read, known)))
        match = _read(known)
        looks = [(move, viewer) for viewer in _viewers(match) for move in range(1, match.move + 1)]
        ours += [_seconds(partial(position, match, *look)) for look in looks]
        floor += [_seconds(partial(msgspec.to_builtins, match.table_at(*look))) for look in looks]
    say(
        f"position at any move, {name}",
        f"p50 {_at(ours, 0.5):.3f} ms, p99 {_at(ours, 0.99):.3f} ms (aim: 5), worst {_at(ours, 1):.1f} ms,"
        f" {moves}, read before in {_at(opening, 0.5):.0f} ms; floor: the table as plain data"
        f" p99 {_at(floor, 0.99):.3f} ms; ratio {_at(ours, 0.99) / _at(floor, 0.99):.1f}",
    )


def _measure_long(known: Match) -> None:
    """Random moves of a long match."""
    luck, viewers = random.Random(1), (None, *known.game.seats)
    looks = [(luck.randint(1, known.move), luck.choice(viewers)) for _ in range(LOOKS)]
    gc.collect()
    gc.freeze()
    with (
        tempfile.TemporaryDirectory() as scratch,
        closing(SqliteStore.open(Path(scratch) / "store")) as store,
    ):
        store.submit(Append(known.records, secret=bytes(32))).result()
        stored, fresh, seen = list[float](), list[float](), list[float]()
        for look in looks:
            began = time.process_time()
            match = store.match(known.id)
            read = time.process_time()
            assert match is not None
            position(match, *look)
            fresh.append(time.process_time() - read)
            stored.append(time.process_time() - began)
            seen.append(_seconds(partial(position, match, *look)))
    floor = [_seconds(partial(msgspec.to_builtins, known.table_at(*look))) for look in looks]
    for what, times in (("again", seen), ("first look of all", fresh), ("first read from the store", stored)):
        say(
            f"position at a random move of {known.move}, {known.game.name}, {what}",
            f"p50 {_at(times, 0.5):.2f} ms, p99 {_at(times, 0.99):.2f} ms;"
            f" floor: the table as plain data p99 {_at(floor, 0.99):.3f} ms;"
            f" ratio {_at(times, 0.99) / _at(floor, 0.99):.0f}",
        )


def _read(known: Match) -> Match:
    """The match, from its stored bytes."""
    read = codec(known.game).read
    match = Match.project(None, (read(known.id, record.stored) for record in known.records))
    assert match is not None
    return match


def _viewers(match: Match) -> tuple[str | None, ...]:
    return (None, *match.game.seats, ALL)


def _seconds(task: Callable[[], object]) -> float:
    """Of the processor: nothing here waits, and whatever else the machine does must not decide the p99."""
    began = time.process_time()
    task()
    return time.process_time() - began


def _at(times: list[float], share: float) -> float:
    """That percentile, in milliseconds."""
    return sorted(times)[min(len(times) - 1, int(len(times) * share))] * 1000


if __name__ == "__main__":
    main()
