"""Reads of the read models, while other requests need threads, too."""

from __future__ import annotations

import asyncio
import threading
from contextlib import ExitStack, closing
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from msgspec.structs import replace

from api.http import health, read_models
from api.http.read_models import ReadModels, open_read_models
from api.store.interface import Stored, StoreError
from api.store.postgres import PostgresStore
from domain.game import Game
from projections import read
from projections.file import File
from projections.matches import MATCHES
from projections.model import Change, Delivered, Rows
from projections.read import Asked, MatchFilter
from projections.runner import PROJECTIONS, Runner
from tests.api.gate.memory import MemoryStore
from tests.api.gate.tables import gate_over
from tests.api.http.served import served
from tests.api.http.test_commands import bid
from tests.api.store.appends import store_all
from tests.matches import finished
from tests.waiting import PATIENCE

READERS = 40  # more than there are threads


def test_waiting_readers_leave_threads_for_other_requests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models, ready = ReadModels(MemoryStore(), tmp_path), threading.Event()
    assert models.runner.wait(0, 30)
    monkeypatch.setattr(models.runner, "wait", lambda position, seconds: ready.wait(2 * PATIENCE))

    async def work() -> list[int]:
        pages = [
            asyncio.create_task(models.ask(read.matches, MatchFilter(), Asked())) for _ in range(READERS)
        ]
        await asyncio.sleep(0)
        await asyncio.wait_for(asyncio.to_thread(ready.set), PATIENCE)
        return [len((await page).rows) for page in pages]

    try:
        assert asyncio.run(work()) == [0] * READERS
    finally:
        models.close()


class Slow(MemoryStore):
    """A store that hands out three records, and the others when it may."""

    def __init__(self) -> None:
        super().__init__()
        self.going = threading.Event()
        self.going.set()

    def after(self, position: int, limit: int) -> list[Stored]:
        """See `Log.after`."""
        if position:
            self.going.wait()
        return super().after(position, min(limit, 3))


def test_lists_under_rebuild_report_their_progress(
    toy_in_words: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_models, "_PATIENCE", 0.01)
    monkeypatch.setattr(health, "FRESH", 0.0)
    store = Slow()
    with served(tmp_path, store, gate_over(store)) as server, ExitStack() as released:
        released.callback(store.going.set)
        match, players = server.table()
        bid(match, players)
        player, runner = players[0].player, server.models.runner
        assert isinstance(runner, Runner)
        assert runner.wait(store.last(), 30)
        lists = ("matches", "scoreboards/toy", f"players/{player}/matches")
        assert [players[0].get(f"/v1/{path}").status for path in lists] == [200] * 3
        store.going.clear()
        assert isinstance(server.models.home, File)
        server.models.home.path.unlink()  # it can be thrown away
        built = "the read models are being built: 3 of 5 moves are in them; ask again soon"
        while (answer := players[0].get("/v1/matches")).status == 200 or answer.json["detail"] != built:
            runner.hurry()
        for path in lists:
            answer = players[0].get(f"/v1/{path}", accept_language="ru")
            told = answer.problem(503, "unavailable")["detail"]
            assert told.endswith("списки ещё строятся: в них 3 из 5 ходов; повторите вскоре")
            assert answer.headers["retry-after"] == "1"
        ready = players[0].get("/readyz")
        assert ready.status == 200
        assert "history is built anew and has come to position 3" in ready.json["remarks"]["projections"]
        released.close()
        for path in lists:
            while players[0].get(f"/v1/{path}").status != 200:
                pass


def test_stopped_rebuild_is_not_reported_as_in_progress(
    toy_in_words: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(rows: Rows, delivered: Delivered) -> list[Change]:
        raise ZeroDivisionError

    monkeypatch.setattr(read_models, "_PATIENCE", 0.01)
    failing = tuple(replace(one, fold=fails) for one in PROJECTIONS if one is MATCHES)
    defaults = Runner.__init__.__kwdefaults__
    assert defaults is not None
    monkeypatch.setitem(defaults, "projections", failing)
    store_all(store := MemoryStore(), finished(toy_in_words))
    with served(tmp_path, store, gate_over(store)) as server:
        ann = server.client()
        while "остановился" not in (answer := ann.get("/v1/matches", accept_language="ru")).json["detail"]:
            answer.problem(503, "unavailable")
        stopped = ann.get("/v1/matches").problem(503, "unavailable")["detail"]
        assert stopped == "the read model matches stopped at a move; the server's log says at which"


def test_database_without_create_right_is_refused_with_a_remedy(
    database: str, tmp_path: Path, toy_in_words: Game
) -> None:
    keys, role = tmp_path / "keys", f"guest_{uuid4().hex}"
    PostgresStore.open(database, keys=keys).close()
    with psycopg.connect(database, autocommit=True) as owner, ExitStack() as undone:
        owner.execute(f"CREATE ROLE {role}".encode())
        undone.callback(owner.execute, f"DROP OWNED BY {role}; DROP ROLE {role}".encode())
        owner.execute(f"GRANT USAGE ON SCHEMA glasnost TO {role}".encode())
        owner.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA glasnost TO {role}".encode())
        with (
            closing(PostgresStore.open(f"{database}?options=-crole%3D{role}", keys=keys)) as store,
            pytest.raises(StoreError, match=r"hold the read models: permission denied .* CREATE on it"),
        ):
            open_read_models(store)
