"""Several servers over one database act as one: clients get the same answers from each."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from api.http import read_models
from api.store.postgres import PostgresStore
from domain.game import Game
from domain.log import b64
from projections import runner
from replay import verify
from tests.api.http.playing import asked, move_and_root, on, picked, play_in_turn, played, two_workers
from tests.api.http.processes import process
from tests.api.http.served import Client, Served, served
from tests.api.http.streaming import Listener
from tests.services import own_postgres
from tests.waiting import PATIENCE, soon

GAME = "thirteen_minutes"
TWO_GAMES = """
from api.http import server
server.GAMES = {name: server.GAMES[name] for name in ("thirteen_minutes", "cia_vs_kgb")}
"""


@pytest.fixture
def workers(toy_in_words: Game, database: str, tmp_path: Path) -> Iterator[list[Served]]:
    """Two servers over one database, each with its own store, gate and read models."""
    with two_workers(tmp_path, lambda: PostgresStore.open(database, keys=tmp_path / "keys")) as found:
        yield found


def everywhere(workers: list[Served], **options: Any) -> tuple[str, list[list[Client]]]:
    """A match that runs, and its players at each worker."""
    match, players = workers[0].table(options=options)
    return match, [players, [on(workers[1], player) for player in players]]


def test_match_is_played_at_two_workers_as_at_one(workers: list[Served]) -> None:
    match, players = everywhere(workers, rounds=3)
    assert play_in_turn(match, players, random.Random(1)) > 6
    files = [at[0].get(f"/v1/matches/{match}/file").body for at in players]
    assert files[0] == files[1]
    assert verify.verify(files[0]).ok


def test_follower_at_one_worker_gets_moves_posted_to_another(workers: list[Served]) -> None:
    match, players = everywhere(workers)
    moves = players[0][0].get(f"/v1/matches/{match}").json["move"]
    listeners = [Listener(worker.port, f"/v1/matches/{match}/moves") for worker in workers]
    seen = [listener.take(moves) for listener in listeners]
    source = random.Random(2)
    for turn in range(6):
        played(match, players[turn % 2], source)
        for listener, events in zip(listeners, seen, strict=True):
            events += listener.take(1)
    assert [event.id for event in seen[0]] == list(range(1, moves + 7))
    assert seen[0] == seen[1]
    for listener in listeners:
        listener.close()


def test_same_move_at_two_workers_is_accepted_once(workers: list[Served]) -> None:
    match, players = everywhere(workers, rounds=3)
    source = random.Random(3)
    while (found := asked(match, players[0])) is not None:
        player, prompt = found
        body, path = picked(source, prompt), f"/v1/matches/{match}/moves"
        both = [player, on(workers[1], player)]
        with ThreadPoolExecutor(2) as threads:
            answers = list(threads.map(lambda client, path=path, body=body: client.post(path, body), both))
        assert sorted(answer.status for answer in answers) == [201, 409], answers
        states = [move_and_root(at[0].get(f"/v1/matches/{match}")) for at in players]
        assert states[0] == states[1]


def test_outdated_worker_judges_moves_on_the_stored_state(workers: list[Served]) -> None:
    """It has the match at hand, and the move that its refusal would rest on was made elsewhere."""
    match, players = everywhere(workers)
    for at in players:
        assert at[0].get(f"/v1/matches/{match}").status == 200
    left = players[0][0].get(f"/v1/matches/{match}/prompt").json
    assert players[0][0].post(f"/v1/matches/{match}/moves", picked(random.Random(4), left)).status == 201
    again = players[1][0].post(f"/v1/matches/{match}/moves", picked(random.Random(4), left))
    told = again.problem(409, "stale")
    assert [move["move"] for move in told["since"]] == [left["move"] + 1]
    right = players[0][1].get(f"/v1/matches/{match}/prompt").json
    assert players[1][1].post(f"/v1/matches/{match}/moves", picked(random.Random(4), right)).status == 201


def test_request_with_a_key_gets_the_same_response_from_every_worker(workers: list[Served]) -> None:
    match, players = everywhere(workers)
    prompt = players[0][0].get(f"/v1/matches/{match}/prompt").json
    body = picked(random.Random(5), prompt)
    answers = [at[0].post(f"/v1/matches/{match}/moves", body, idempotency_key="k") for at in players]
    assert [answer.status for answer in answers] == [201, 201]
    assert answers[0].body == answers[1].body
    other = players[1][0].post(f"/v1/matches/{match}/moves", {**body, "expect": 1}, idempotency_key="k")
    other.problem(422, "key-reused")


def test_players_matches_and_scoreboards_are_the_same_at_every_worker(workers: list[Served]) -> None:
    match, players = everywhere(workers)
    listed = [at[0].get("/v1/matches").body for at in players]
    assert listed[0] == listed[1]
    assert match.encode() in listed[0]
    keys = [at[0].get("/v1/keys").body for at in players]
    assert keys[0] == keys[1]
    assert workers[1].player("Zoe").get("/v1/matches").status == 200


def test_read_at_a_worker_that_does_not_update_the_lists_waits_for_no_poll(
    workers: list[Served], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "PAUSE", 3_600)
    monkeypatch.setattr(read_models, "_PATIENCE", PATIENCE)
    first = workers[0].player()
    assert sorted(worker.models.runner.moves for worker in workers) == [False, True]
    for worker in workers * 2:
        match = on(worker, first).post("/v1/matches", {"game": "toy"}).json["match"]
        for other in workers:
            assert match in on(other, first).get("/v1/matches").body.decode()


def test_bots_of_a_stopped_worker_continue_at_another(
    workers: list[Served], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one's bots are stopped, as if it had died; who looks at the match elsewhere wakes the others."""
    first = workers[0].player()
    match = first.post("/v1/matches", {"game": "toy"}).json["match"]
    monkeypatch.setattr(workers[0].gate._bots, "_stopping", True)
    monkeypatch.setattr(workers[0].gate._bots, "_turn", lambda match: None)
    for seat in ("left", "right"):
        assert first.post(f"/v1/matches/{match}/seats/{seat}", {"bot": "random"}).status == 201
    there = on(workers[1], first)
    assert there.get(f"/v1/matches/{match}").json["status"] == "running"
    listener = Listener(workers[1].port, f"/v1/matches/{match}/moves")
    last = list(listener.events())[-1]
    listener.close()
    assert last.data["kind"] == "closed"
    assert first.get(f"/v1/matches/{match}").json["status"] == "over"


def test_two_processes_share_a_database_and_one_may_be_killed(database: str, tmp_path: Path) -> None:
    with (
        process(tmp_path, database=database) as doomed,
        process(tmp_path, database=database) as other,
    ):
        people = [Client(doomed.port) for _ in range(2)]
        for client in people:
            client.token = client.post("/v1/players", {"name": "Ann"}).json["token"]
        match = people[0].post("/v1/matches", {"game": GAME}).json["match"]
        for client, seat in zip(people, ("us", "ussr"), strict=True):
            assert client.post(f"/v1/matches/{match}/seats/{seat}").status == 201
        at_both = [people, [Client(other.port, client.token) for client in people]]
        source, roots = random.Random(6), dict[int, str]()
        while asked(match, at := at_both[len(roots) % 2 if len(roots) < 8 else 1]):
            done = played(match, at, source)
            roots[done["move"]] = done["root"]
            if len(roots) == 8:
                doomed.kill()
        for client in (client for at in at_both for client in at):
            client.close()
        assert other.stop() == (0, "")
    store = PostgresStore.open(database, keys=tmp_path / "keys", write=False)
    stored = store.match(match)
    assert stored is not None
    assert verify.verify_records(stored.records, store.note(match) or "", secret=store.secret(match)).ok
    assert {move: b64(stored.roots[move - 1]) for move in roots} == roots
    assert len(roots) > 8
    store.close()


def test_servers_that_start_together_store_one_first_match_of_each_game(
    database: str, tmp_path: Path
) -> None:
    """Of the two games that are soon played: tests/api/http/test_serve.py has all."""
    with ThreadPoolExecutor(2) as threads, ExitStack() as running:
        started = threads.map(
            lambda _: running.enter_context(
                process(tmp_path, database=database, empty=False, first=TWO_GAMES)
            ),
            range(2),
        )
        for one in list(started):
            client = Client(one.port)
            soon(first_games, client)
            games = first_games(client)
            assert len(games) == len(set(games))
            client.close()


def first_games(client: Client) -> list[str]:
    """The games of the first matches, once there are all."""
    games = [row["game"] for row in client.get("/v1/matches").json["matches"]]
    return games if len(games) > 1 else []


def test_moves_are_refused_while_the_database_is_down_and_accepted_afterwards(
    toy_in_words: Game, tmp_path: Path
) -> None:
    with own_postgres() as database:
        store = PostgresStore.open(database.url, keys=tmp_path / "keys")
        with served(tmp_path, store) as server:
            match, players = server.table(options={"rounds": 3})
            path, source = f"/v1/matches/{match}/moves", random.Random(7)
            body = picked(source, players[0].get(f"/v1/matches/{match}/prompt").json)
            database.kill()
            players[0].post(path, body).problem(503, "unavailable")
            players[0].get(f"/v1/matches/{match}").problem(503, "unavailable")
            assert set(server.client().get("/readyz").problem(503, "not-ready")["reasons"]) == {"store"}
            assert server.client().get("/healthz").status == 200
            database.start()
            assert players[0].post(path, body).status == 201
            assert players[0].get(f"/v1/matches/{match}").json["move"] == body["expect"] + 1
        store.close()


def test_delay_of_moves_from_another_worker_is_measured(workers: list[Served]) -> None:
    match, players = everywhere(workers)
    listener = Listener(workers[1].port, f"/v1/matches/{match}/moves")
    seen = listener.take(3)
    played(match, players[0], random.Random(8))
    seen += listener.take(1)
    listener.close()
    delays = [worker.gate.counts.delays for worker in workers]
    while not delays[1].count:
        pass
    assert (delays[0].count, delays[1].count) == (0, 1)
    assert delays[1].sum >= 0
