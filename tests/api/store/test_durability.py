"""What was acknowledged stays, and nothing is half written: after a kill, and on a full disk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from api.store.backup import check
from api.store.sqlite import SqliteStore
from api.store.sqlite_schema import FILE
from domain.game import Game
from tests.api.store.appends import appends, stored
from tests.api.store.locations import Place
from tests.matches import finished

ROOT = Path(__file__).parents[3]


def run_until(place: Place, lines: int) -> dict[str, int]:
    """Kill a loading process after so many acknowledgements; each match's last acknowledged move."""
    command = [sys.executable, "-m", "tests.api.store.loader", str(place.location)]
    keys = {**os.environ, "GLASNOST_KEYS": str(place.keys)}
    acknowledged: dict[str, int] = {}
    with subprocess.Popen(command, cwd=ROOT, env=keys, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for number, line in enumerate(process.stdout):
            if number == lines:
                process.kill()
            if line.endswith("\n"):
                match, move = line.split()
                acknowledged[match] = int(move)
    assert process.returncode == -9
    return acknowledged


@pytest.mark.parametrize("lines", [1, 150, 700])
def test_a_killed_process_loses_nothing_acknowledged_and_leaves_nothing_half(
    place: Place, toy_game: Game, lines: int
) -> None:
    acknowledged = run_until(place, lines)
    assert sum(acknowledged.values()) >= lines
    store = place.open()
    with place.queueing(store):
        pass  # the database finishes what the process had under way
    matches = list(store.matches())
    assert set(acknowledged) <= set(matches)
    for match in matches:
        sitting = finished(toy_game, int(match[1:]))
        found = stored(store, match)
        assert len(found) >= acknowledged.get(match, 0)
        assert found == [record.stored for record in sitting.match.records[: len(found)]]
        assert store.secret(match) == sitting.secret.bytes
        ends = [append.records[-1].move for append in appends(sitting)]
        assert len(found) in ends
        for append in appends(sitting):
            whole = append.records[-1].move <= len(found)
            kept = append.remembered and store.remembered(append.remembered.scope, append.remembered.key)
            assert kept == (append.remembered if whole else None)
            assert not append.note or bool(store.note(match)) == whole
    assert [one.position for one in store.after(0, 100_000)] == list(range(1, store.last() + 1))
    store.close()


def test_a_killed_store_is_read_without_being_opened_for_writing(place: Place, toy_game: Game) -> None:
    acknowledged = run_until(place, 100)
    reader = place.open(write=False)
    assert {
        match: len(stored(reader, match)) >= move for match, move in acknowledged.items()
    } == dict.fromkeys(acknowledged, True)
    reader.close()


def test_a_full_disk_refuses_and_afterwards_the_store_works_again(folder: Path, toy_game: Game) -> None:
    command = [sys.executable, "-m", "tests.api.store.full_disk", str(folder)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    held, refused, afterwards = map(int, ran.stdout.split())
    assert refused > 0
    assert (held + refused, afterwards) == (40, refused)
    check(folder / FILE)
    reader = SqliteStore.open(folder, write=False)
    for seed in range(40):
        whole = [record.stored for record in finished(toy_game, seed).match.records]
        assert stored(reader, f"m{seed}") == whole
        assert reader.note(f"m{seed}") == f"note {seed}"
    reader.close()
