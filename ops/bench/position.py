"""The position after any move, for any viewer, of a match in memory: 5 ms at p99 is the aim.

A match is in memory once it was read from its stored bytes; how long that takes is printed, too, and so is
the slowest position, mostly the first one of a viewer.  The floor is to write the same tables as plain data
by msgspec.

Then random moves of a match of 3,000: of a match in memory, if the viewer has asked before (aim: 1 ms) and if
no viewer has; and of a match that is not in memory (aim: 5 ms), which the server reads up to that move.  How
long it takes to read the whole match, as for the next move, is printed, too.
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
from _bench import QUICK, accept, length, many, milliseconds, percentiles, say
from _long import context_of, long_match

from api.store.interface import Append
from api.store.sqlite import SqliteStore
from domain.log import codec
from domain.match import Match
from domain.match_base import ALL
from replay.positions import Shown, position

LONG = 60 if QUICK else 3_000  # moves
LOOKS = 3 if QUICK else 100


def main() -> None:
    """One line for each game, one for each long match, and four for one of 3,000 moves."""
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
    median, slow, worst = (milliseconds(ours, share) for share in (0.5, 0.99, 1))
    slow_floor = milliseconds(floor, 0.99)
    say(
        f"position at any move, {name}",
        f"p50 {median:.3f} ms, p99 {slow:.3f} ms (aim: 5), worst {worst:.1f} ms, {moves}, read before in"
        f" {milliseconds(opening, 0.5):.0f} ms; floor: the table as plain data p99 {slow_floor:.3f} ms;"
        f" ratio {slow / slow_floor:.1f}",
    )


def _measure_long(known: Match) -> None:
    """Random moves of a long match, which is over: so everything may be seen, too."""
    accept(known, known.rule(context_of(1), "oabcdefghijklmnop", "enough", void=True))
    luck, viewers = random.Random(1), _viewers(known)
    looks = [(luck.randint(1, LONG), luck.choice(viewers)) for _ in range(LOOKS)]
    gc.collect()
    gc.freeze()
    with (
        tempfile.TemporaryDirectory() as scratch,
        closing(SqliteStore.open(Path(scratch) / "store")) as store,
    ):
        store.submit(Append(known.records, secret=bytes(32))).result()
        cold = [_seconds(partial(_glimpsed, store, known.id, *look)) for look in looks]
        whole, fresh, seen = list[float](), list[float](), list[float]()
        for look in looks:
            began = time.process_time()
            match = store.match(known.id)
            whole.append(time.process_time() - began)
            assert match is not None
            fresh.append(_seconds(partial(position, match, *look)))
            seen.append(_seconds(partial(position, match, *look)))
            assert _glimpsed(store, known.id, *look) == position(match, *look)
    floor = [_seconds(partial(msgspec.to_builtins, known.table_at(*look))) for look in looks]
    for what, times in (
        ("again", seen),
        ("first look of all", fresh),
        ("nothing at hand", cold),
        ("the whole match read from the store", whole),
    ):
        say(
            f"position at a random move of {known.move}, {known.game.name}, {what}",
            f"{percentiles(times)};"
            f" floor: the table as plain data p99 {milliseconds(floor, 0.99):.3f} ms;"
            f" ratio {milliseconds(times, 0.99) / milliseconds(floor, 0.99):.0f}",
        )


def _glimpsed(store: SqliteStore, match: str, move: int, viewer: str | None) -> Shown:
    """The position, if the match is not in memory."""
    glimpse = store.partial_match(match, move)
    assert glimpse is not None
    return position(glimpse, move, viewer)


def _read(known: Match) -> Match:
    """The match, from its stored bytes."""
    read = codec(known.game).read
    match = Match.project(None, (read(known.id, record.stored) for record in known.records))
    assert match is not None
    return match


def _viewers(match: Match) -> tuple[str | None, ...]:
    return (None, *match.game.seats, ALL)


def _seconds(task: Callable[[], object]) -> float:
    """CPU time: nothing here waits, and other programs must not decide the p99."""
    began = time.process_time()
    task()
    return time.process_time() - began


if __name__ == "__main__":
    main()
