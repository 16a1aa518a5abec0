"""The read models over the real store."""

from __future__ import annotations

from pathlib import Path

from api.store.interface import Append
from api.store.sqlite import SqliteStore
from domain.games import GAMES
from domain.log import Record
from projections import read
from projections.file import connect
from projections.model import Source
from projections.read import Asked, MatchFilter
from projections.runner import Runner
from tests.matches import Sitting, finished
from tests.projections.support import Item, caught_up, dumped


def store_move_by_move(store: SqliteStore, sitting: Sitting) -> None:
    for record in sitting.match.records:
        secret = sitting.secret.bytes if record.move == 1 else None
        store.submit(Append([record], secret)).result()


def test_the_runner_follows_a_store_and_equals_a_rebuild(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "store")
    source: Source = store
    runner = Runner(source, tmp_path / "store" / "read.db")
    runner.start()
    sittings = [finished(game, seed) for seed, game in enumerate(GAMES.values())]
    for sitting in sittings:
        store_move_by_move(store, sitting)
    uploaded: list[Record] = finished(GAMES["cia_vs_kgb"], 77).match.records
    store.submit(Append(uploaded, signer="elsewhere")).result()
    assert runner.wait(store.last(), 30)
    runner.stop()
    log = [
        Item(stored.position, stored.record, stored.uploaded, stored.claimed)
        for stored in store.after(0, 100_000)
    ]
    store.close()
    caught_up(log, tmp_path / "fresh.db")
    assert dumped(tmp_path / "store" / "read.db") == dumped(tmp_path / "fresh.db")
    reader = connect(tmp_path / "store" / "read.db")
    assert [row.match for row in read.matches(reader, MatchFilter(origin="uploaded"), Asked()).rows] == [
        "m77"
    ]
    reader.close()
