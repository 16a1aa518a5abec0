"""A store that has no log yet gets one at its first start: all of its past, in its order, exactly once.

Such a store was made by an earlier version, or its log was lost.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from api.store.keys import replace_beside
from api.store.log_guard import FILE, LogState, log_origin
from api.store.log_writer import LogWriter
from api.store.sql import SqlStore
from api.store.transparency import OWN, NewLeaf
from domain.game import Game
from domain.signed_notes import Checkpoint
from replay.transparency import evidence, leaf
from replay.transparency.leaf import KeyLeaf
from tests.api.gate.tournaments import NOW, Cup
from tests.api.store.appends import store_all
from tests.api.store.locations import Place
from tests.matches import finished

ROOT = Path(__file__).parents[3]
SECOND = 1_000_000  # microseconds
EARLY, BETWEEN, LATE = NOW - SECOND, NOW + 2 * SECOND, NOW + 3_600 * SECOND  # when the key was replaced


def older(store: SqlStore, game: Game) -> list[bytes]:
    """Matches, a tournament and three new keys, of which no log was made; returns the leaves they demand.

    The matches are opened a second after `NOW`, and last some seconds; the entries of the tournament are of
    `NOW`.
    """
    first, second = finished(game, 1), finished(game, 2)
    store_all(store, first)
    asyncio.run(Cup(store).announced(2))
    store_all(store, second)
    for at in (EARLY, BETWEEN, LATE):
        store.keys.rotate(at)
    log = store.tournament(next(store.tournaments()))
    assert log is not None
    opened, closed = evidence.match_leaves(first.match.records)
    then = [*evidence.tournament_leaves(log.records), *evidence.match_leaves(second.match.records)]
    return [opened, closed, *then]


def made(store: SqlStore) -> list[bytes]:
    """The leaves after all was taken in."""
    LogWriter(store, store.keys, lambda: LATE).catch_up()
    return store.transparency.leaves(0, store.transparency.size())


def must_be_the_past(found: Sequence[bytes], wanted: Sequence[bytes]) -> None:
    """All of the past is there once, each new key before whatever is younger."""
    read = [leaf.read(one) for one in found]
    keys = [number for number, one in enumerate(read) if isinstance(one, KeyLeaf)]
    assert [one for number, one in enumerate(found) if number not in keys] == list(wanted)
    assert keys == [0, 2, len(found) - 1]
    assert [read[number].at for number in keys] == [EARLY, BETWEEN, LATE]
    assert [one.number for one in read if isinstance(one, KeyLeaf)] == [1, 2, 3]
    for number in keys:
        assert all((one.at or 0) <= (read[number].at or 0) for one in read[:number])


def test_an_older_store_gets_all_of_its_past_in_the_order_of_the_store(
    store: SqlStore, toy_game: Game
) -> None:
    wanted = older(store, toy_game)
    found = made(store)
    must_be_the_past(found, wanted)
    assert made(store) == found
    signed = LogWriter(store, store.keys, lambda: LATE).publish()
    assert signed is not None
    assert signed.size == len(found)


def test_a_process_that_is_killed_meanwhile_leaves_each_leaf_once(place: Place, toy_game: Game) -> None:
    store = place.open()
    wanted = older(store, toy_game)
    records = len(store.after(0, 1_000_000))
    store.close()
    reached = killed(place, records // 2)
    store = place.open()
    assert 0 < reached <= store.transparency.size() < len(wanted) + 3
    must_be_the_past(made(store), wanted)
    store.close()


def killed(place: Place, lines: int) -> int:
    """Kill a process that makes the log after so many records; the leaves that there were."""
    program = [sys.executable, "-m", "tests.api.store.log_maker", str(place.location)]
    keys = {**os.environ, "GLASNOST_KEYS": str(place.keys)}
    with subprocess.Popen(program, cwd=ROOT, env=keys, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(lines)]
        process.kill()
    assert process.returncode == -9
    return int(said[-1])


def test_of_two_processes_that_add_the_same_key_one_does(store: SqlStore) -> None:
    key = NewLeaf(OWN, "key", b"key")
    assert store.transparency.append(None, 5, [NewLeaf("m1", "opened", b"one")], 0)
    assert store.transparency.append(5, 5, [key], 1)
    assert not store.transparency.append(5, 5, [key], 1)
    assert not store.transparency.append(5, 6, [key], 1)
    assert (store.transparency.position(), store.transparency.size()) == (5, 2)


def test_a_key_that_was_replaced_before_an_operator_says_why_leaves_are_lost_does_not_look_backdated(
    place: Place, toy_game: Game
) -> None:
    """The key was in the leaves that are lost, and stays in the folder of keys."""
    store = place.open()
    store_all(store, finished(toy_game, 1))
    made(store)
    lost = Checkpoint(log_origin(store.keys), 9, bytes(32))
    state = LogState(store.keys.signing.sign(lost.text))
    store.keys.rotate(LATE)
    replace_beside(store.key_folder / FILE, msgspec.json.encode(state))
    store.close()
    store = place.open()
    said = LogWriter(store, store.keys, lambda: LATE + SECOND).restored("the disk failed")
    assert [leaf.read(one).__struct_config__.tag for one in made(store)] == [
        "opened",
        "closed",
        "key",
        "restored",
    ]
    assert (said.size, said.lost, said.signed) == (3, 7, 9)
    store.close()
