"""What an operator reads of a server: its readiness and its metrics."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from api.histogram import Histogram
from api.http import health
from api.http.health import HealthReport
from api.store.interface import Lag, Unavailable
from domain.game import Game
from projections.runner import Runner
from projections.status import Failure, Status
from tests.api.gate.memory import MemoryStore
from tests.api.gate.tables import gate_over
from tests.api.http.served import Client, Served, served
from tests.api.http.test_commands import bid
from tests.docs.documents import read
from tests.waiting import soon

_NEAR = Status("history", 100, 10, None, None)


class Probed(MemoryStore):
    """A store that counts how often it is probed, and may hang meanwhile."""

    def __init__(self) -> None:
        super().__init__()
        self.probes = 0
        self.going = threading.Event()
        self.going.set()

    def probe(self) -> None:
        """See `Store.probe`."""
        self.probes += 1
        self.going.wait()
        super().probe()


@pytest.fixture
def store() -> Probed:
    """A store in memory."""
    return Probed()


@pytest.fixture
def over(store: Probed, toy_in_words: Game, tmp_path: Path) -> Iterator[Served]:
    """A server over that store."""
    with served(tmp_path, store, gate_over(store)) as running:
        yield running
        store.going.set()


def metrics(client: Client) -> dict[str, float]:
    """The samples by name and labels."""
    lines = client.get("/metrics").body.decode().splitlines()
    samples = (line.rpartition(" ") for line in lines if not line.startswith("#"))
    return {name: float(value) for name, _, value in samples}


# ── ready or not ──


def test_concurrent_health_requests_share_one_probe(
    over: Served, store: Probed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "FRESH", 3600.0)
    store.going.clear()
    clients = [over.client() for _ in range(8)]
    with ThreadPoolExecutor(8) as threads:
        asked = [threads.submit(client.get, "/readyz") for client in clients]
        while not store.probes:
            pass
        store.going.set()
        assert {one.result().status for one in asked} == {200}
    assert over.client().get("/readyz").status == 200
    assert store.probes == 1


def test_unwritable_store_makes_the_server_unready_until_it_recovers(
    over: Served, store: Probed, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(health, "FRESH", 0.0)
    store.failing = Unavailable("the disk is full: make room")
    told = [over.client().get("/readyz").problem(503, "not-ready") for _ in range(2)]
    assert told[0]["reasons"] == {"store": "the disk is full: make room"}
    assert told[0]["ready"] is False
    assert metrics(over.client())["glasnost_store_writable"] == 0
    store.failing = None
    soon(lambda: over.client().get("/readyz").status == 200)
    assert metrics(over.client())["glasnost_store_writable"] == 1
    said = [record.message for record in caplog.records if record.name == "glasnost.ready"]
    assert said == ["moves cannot be stored", "moves can be stored again"]


def test_hanging_store_makes_the_server_unready_without_delaying_clients(
    over: Served, store: Probed, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert over.client().get("/readyz").status == 200
    before, probes = metrics(over.client()), store.probes
    monkeypatch.setattr(health, "PATIENCE", 0.05)
    monkeypatch.setattr(health, "FRESH", 0.0)
    store.going.clear()
    reasons = over.client().get("/readyz").problem(503, "not-ready")["reasons"]
    assert reasons["store"].startswith("it has not taken a small write for")
    hanging = metrics(over.client())
    assert hanging["glasnost_store_looked_seconds"] > before["glasnost_store_looked_seconds"]
    assert over.client().get("/healthz").json == {"status": "alive"}
    soon(lambda: store.probes == probes + 1)


def test_unexpected_error_makes_the_server_unready(
    over: Served, store: Probed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "size", lambda: 1 // 0)
    reasons = over.client().get("/readyz").problem(503, "not-ready")["reasons"]
    assert reasons == {"store": "it could not be looked at: ZeroDivisionError"}


def test_lagging_or_stopped_read_models_make_the_server_unready() -> None:
    def found(*statuses: Status) -> dict[str, str]:
        return health.reasons(HealthReport(0.0, "", 1, None, False, list(statuses)), False, most_behind=10)

    assert found(_NEAR) == {}
    far = Status("matches", 100, 11, None, None)
    stopped = Status("boards", 100, 0, None, Failure("boards", 101, "m1", 7, "KeyError at boards.py:9"))
    assert found(_NEAR, far) == {"projections": "matches is 11 records behind"}
    told = found(far, stopped)["projections"]
    assert told == "matches is 11 records behind; boards stopped before position 101: KeyError at boards.py:9"
    unknown = health.reasons(HealthReport(0.0, ""), False, 10)
    assert unknown == {"projections": "the store did not say how far its log goes"}


def test_rebuild_and_lagging_replica_are_warnings_only() -> None:
    rebuilt = Status("history", 100, 10, 40, None)
    assert health.reasons(HealthReport(0.0, "", 1, None, False, [rebuilt]), False, 10) == {}
    told = health.remarks(HealthReport(0.0, "", 1, Lag(3, 0.5), False, [rebuilt]))
    assert told == {
        "projections": "history is built anew and has come to position 40",
        "replica": "moves that it lacks: 3",
    }
    away = health.remarks(HealthReport(0.0, "", 1, None, True, [_NEAR]))
    assert set(away) == {"replica"}
    assert health.remarks(HealthReport(0.0, "", 1, Lag(0, 0.0), False, [_NEAR])) == {}


def test_rebuild_of_read_models_does_not_block_moves(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "FRESH", 0.0)
    match, players = server.table()
    bid(match, players)
    assert isinstance(server.models.runner, Runner)
    server.models.runner.rebuild("history")
    answers = [server.client().get("/readyz") for _ in range(5)]
    assert {answer.status for answer in answers} == {200}


# ── metrics ──


def test_the_operations_page_lists_every_metric_with_its_kind(server: Served) -> None:
    lines = server.client().get("/metrics").body.decode().splitlines()
    served_there = dict(line.split()[2:] for line in lines if line.startswith("# TYPE "))
    rows = read("docs/operations.md").table("Metric")
    assert {row["Metric"].strip("`"): row["Kind"] for row in rows} == served_there
    assert all(row["What it measures"] for row in rows)


def test_moves_commands_and_commits_are_counted(server: Served) -> None:
    match, players = server.table()
    bid(match, players)
    players[0].post(f"/v1/matches/{match}/moves", {"expect": 1, "picks": ["1"]})
    assert server.client().get("/readyz").status == 200
    told = metrics(server.client())
    stored = server.store.last()
    assert told['glasnost_moves_total{game="toy"}'] == stored == 5
    assert {
        name: told[f'glasnost_commands_total{{command="{name}"}}'] for name in ("open", "sit", "play")
    } == {
        "open": 1,
        "sit": 2,
        "play": 2,
    }
    assert told['glasnost_refusals_total{kind="stale"}'] == 1
    assert told["glasnost_commit_seconds_count"] >= 5
    assert told['glasnost_commit_seconds_bucket{le="+Inf"}'] == told["glasnost_commit_seconds_count"]
    assert told["glasnost_commit_group_sum"] == told["glasnost_commit_seconds_count"]
    assert (told["glasnost_commit_queue"], told["glasnost_in_doubt_total"]) == (0, 0)
    assert told["glasnost_store_bytes"] > 0
    assert told['glasnost_projection_behind_records{projection="history"}'] >= 0
    assert not [name for name in told if name.startswith(("glasnost_replica", "glasnost_redis"))]
    assert match not in str(told)


def test_histogram_counts_like_that_of_prometheus_client() -> None:
    tally = Histogram((1, 2))
    for value, times in ((0.5, 1), (1.0, 2), (1.5, 3), (9.0, 4)):
        tally.add(value, times)
    assert tally.buckets == [("1.0", 3.0), ("2.0", 6.0), ("+Inf", 10.0)]
    assert (tally.count, tally.sum) == (10, 0.5 + 2 + 4.5 + 36)
