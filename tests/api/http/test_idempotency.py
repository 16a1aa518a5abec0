"""Requests that are sent twice, and requests in doubt: it is unknown whether they were stored."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from api.store import postgres_writer
from api.store.interface import Append, InDoubt, Person
from api.store.postgres import PostgresStore
from domain.game import Game
from tests.api.gate.memory import MemoryStore
from tests.api.gate.tables import gate_over
from tests.api.http.playing import on
from tests.api.http.served import Served, served
from tests.api.http.test_commands import bid
from tests.api.http.test_operations import metrics
from tests.api.store.proxy import line_to

TOY = {"game": "toy"}


# ── opening, sitting down, and the rest ──


def test_repeated_opening_with_a_key_opens_one_match_and_gets_the_same_response(server: Served) -> None:
    ann, ben = server.player(), server.player("Ben")
    first = ann.post("/v1/matches", TOY, idempotency_key="k", accept_language="ru")
    match = first.json["match"]
    assert (first.status, first.json["move"], first.json["status"]) == (201, 1, "open")
    for player, seat in ((ann, "left"), (ben, "right")):
        assert player.post(f"/v1/matches/{match}/seats/{seat}").status == 201
    again = ann.post("/v1/matches", TOY, idempotency_key="k")
    assert (again.status, again.body) == (201, first.body)
    assert again.headers["content-language"] == "ru"
    assert server.store.last() == ann.get(f"/v1/matches/{match}").json["move"]
    ann.post("/v1/matches", {**TOY, "options": {"rounds": 1}}, idempotency_key="k").problem(422, "key-reused")
    others = [ben.post("/v1/matches", TOY, idempotency_key="k"), ann.post("/v1/matches", TOY)]
    others.append(ann.post("/v1/matches", TOY, idempotency_key="l"))
    assert len({match, *(other.json["match"] for other in others)}) == 4


def test_concurrent_openings_with_one_key_get_the_same_match(server: Served) -> None:
    ann = server.player()
    clients = [on(server, ann) for _ in range(8)]
    with ThreadPoolExecutor(8) as threads:
        answers = list(
            threads.map(lambda client: client.post("/v1/matches", TOY, idempotency_key="k"), clients)
        )
    assert {answer.status for answer in answers} == {201}
    assert len({answer.body for answer in answers}) == 1
    assert server.store.last() == 1


def test_repeated_seating_with_a_key_gets_the_same_response(server: Served) -> None:
    ann, ben = server.player(), server.player("Ben")
    match = ann.post("/v1/matches", TOY).json["match"]
    left = f"/v1/matches/{match}/seats/left"
    first = ann.post(left, {"salt": "c2FsdA=="}, idempotency_key="k")
    assert (first.status, first.json["names"]) == (201, {ann.player: "Ann"})
    ben.post(f"/v1/matches/{match}/seats/right")
    bid(match, [ann, ben])
    assert ann.post(left, {"salt": "c2FsdA=="}, idempotency_key="k").body == first.body
    ann.post(left, {}, idempotency_key="k").problem(422, "key-reused")
    ann.post(f"/v1/matches/{match}/seats/right", {"salt": "c2FsdA=="}, idempotency_key="k").problem(
        422, "key-reused"
    )
    ann.post(left, {"salt": "c2FsdA=="}).problem(409, "seat-taken")


def test_every_match_command_accepts_a_key(server: Served) -> None:
    match, players = server.table(options={"rounds": 3})
    address = bid(match, players)
    players[0].post(f"{address}/moves", {"expect": 5, "picks": ["wave"]})
    asked = [
        (players[0], f"{address}/takebacks", {}),
        (players[1], f"{address}/takebacks/7/answer", {"agree": False}),
        (server.person("organizer"), f"{address}/rulings", {"reason": "a test", "back_to": 5}),
        (players[1], f"{address}/resignation", {}),
    ]
    for number, (client, path, body) in enumerate(asked):
        once = client.post(path, body, idempotency_key=f"k{number}")
        assert once.status == 201, once
        assert client.post(path, body, idempotency_key=f"k{number}").body == once.body
    players[1].post(f"{address}/takebacks", {}, idempotency_key="k3").problem(422, "key-reused")


# ── in doubt ──


class Doubtful(MemoryStore):
    """A store that may store an append, or not, and then does not say which.

    `doubt`: the next append ends so; `keeps`: it is stored nevertheless.
    """

    def __init__(self) -> None:
        super().__init__()
        self.shared = True
        self.doubt, self.keeps, self.appends = False, False, 0

    def submit(self, append: Append) -> Future[int]:
        """See `Store.submit`."""
        self.appends += 1
        if not self.doubt:
            return super().submit(append)
        if self.keeps:
            super().submit(append).result()
        self.doubt = False
        future: Future[int] = Future()
        future.set_exception(InDoubt("the store went away: look before you repeat it"))
        return future


@pytest.fixture
def store() -> Doubtful:
    """A store in memory."""
    return Doubtful()


@pytest.fixture
def over(store: Doubtful, toy_in_words: Game, tmp_path: Path) -> Iterator[Served]:
    """A server over that store."""
    with served(tmp_path, store, gate_over(store)) as running:
        yield running


@pytest.mark.parametrize("keeps", [True, False])
def test_move_in_doubt_is_reported_and_never_retried_by_the_server(
    over: Served, store: Doubtful, *, keeps: bool
) -> None:
    match, players = over.table(options={"rounds": 3})
    path, body = f"/v1/matches/{match}/moves", {"expect": 3, "picks": ["1"]}
    before = (store.appends, store.last())
    store.doubt, store.keeps = True, keeps
    answer = players[0].post(path, body, accept_language="ru", idempotency_key="k")
    told = answer.problem(503, "in-doubt")
    assert "Idempotency-Key" in told["detail"]
    assert "неизвестно, сохранена ли команда" in told["detail"]
    assert "retry-after" not in answer.headers
    assert (store.appends, store.last()) == (before[0] + 1, before[1] + keeps)
    assert metrics(over.client())["glasnost_in_doubt_total"] == 1
    done = players[0].post(path, body, idempotency_key="k")
    assert (done.status, done.json["move"]) == (201, 4)
    assert store.last() == before[1] + 1
    players[0].post(path, body).problem(409, "stale")


@pytest.mark.parametrize("keeps", [True, False])
def test_repeated_opening_in_doubt_opens_one_match(over: Served, store: Doubtful, *, keeps: bool) -> None:
    ann = over.player()
    store.doubt, store.keeps = True, keeps
    ann.post("/v1/matches", TOY, idempotency_key="k").problem(503, "in-doubt")
    opened = ann.post("/v1/matches", TOY, idempotency_key="k")
    assert (opened.status, store.last()) == (201, 1)
    assert ann.get(f"/v1/matches/{opened.json['match']}").json["move"] == 1


def test_new_player_in_doubt_is_reported(
    over: Served, store: Doubtful, monkeypatch: pytest.MonkeyPatch
) -> None:
    def add(name: str, role: str) -> tuple[Person, str]:
        raise InDoubt("the store went away: look before you repeat it")

    monkeypatch.setattr(store.people, "add", add)
    over.client().post("/v1/players", {"name": "Ann"}).problem(503, "in-doubt")


def test_move_is_in_doubt_if_the_database_fails_and_its_repetition_finds_it(
    toy_in_words: Game, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The move is stored, but the confirmation is lost and the database is down."""
    monkeypatch.setattr(postgres_writer, "DOUBT", 0.2)
    with line_to(database) as (bad, url):
        store = PostgresStore.open(url, keys=tmp_path / "keys")
        with served(tmp_path, store) as server:
            match, players = server.table(options={"rounds": 3})
            path, body = f"/v1/matches/{match}/moves", {"expect": 3, "picks": ["1"]}
            bad.muted.set()
            with ThreadPoolExecutor(1) as threads:
                asked = threads.submit(players[0].post, path, body)
                bad.barred.set()
                while not stored(database, match, 4):
                    pass
                bad.cut()
                asked.result().problem(503, "in-doubt")
            bad.barred.clear()
            told = players[0].post(path, body).problem(409, "stale")
            assert [move["move"] for move in told["since"]] == [4]
            assert server.store.last() == 4
        store.close()


def stored(database: str, match: str, move: int) -> bool:
    """Whether a move is stored."""
    with psycopg.connect(database) as connection:
        found = "SELECT FROM glasnost.stored_events WHERE originator_id = %s AND originator_version = %s"
        return connection.execute(found, (match, move)).rowcount == 1
