"""Hostile requests, one after another and all at once: no change of state, no error of the server."""

from __future__ import annotations

import json
import os
import random
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from domain.game import Game
from tests.api.http.served import Client, Served, served
from tests.api.http.test_commands import bid

FAST = 1_000_000  # requests a second: here the limit is not what is tested
SHORT, LONG = 2_000, 100_000

Attack = Callable[[random.Random, list[Client], str], tuple[Client, str, bytes, dict[str, str]]]


def _picks(source: random.Random) -> list[Any]:
    return [source.choice(["fly", "", "?", "house", "stop\0", "card-99", "ход", "x" * 200]) for _ in range(2)]


def _illegal(source: random.Random, players: list[Client], address: str) -> Any:
    return players[0], f"{address}/moves", {"expect": 5, "picks": _picks(source)[: source.randint(0, 2)]}, {}


def _out_of_turn(source: random.Random, players: list[Client], address: str) -> Any:
    return (
        source.choice(players[1:]),
        f"{address}/moves",
        {"expect": source.randint(1, 9), "picks": ["wave"]},
        {},
    )


def _stale(source: random.Random, players: list[Client], address: str) -> Any:
    expect = source.choice([1, 2, 3, 4, 6, 7, 10**9])
    return players[0], f"{address}/moves", {"expect": expect, "picks": ["wave"]}, {}


def _reused(source: random.Random, players: list[Client], address: str) -> Any:
    return players[0], f"{address}/moves", {"expect": 3, "picks": ["0"]}, {"idempotency-key": "bid"}


def _batch(source: random.Random, players: list[Client], address: str) -> Any:
    return players[0], f"{address}/moves", {"expect": 5, "answers": [["wave"]] * 3 + [["stop"], ["wave"]]}, {}


def _other_command(source: random.Random, players: list[Client], address: str) -> Any:
    path, body = source.choice(
        [
            ("takebacks", {"to": source.randint(-1, 9)}),
            ("takebacks/5/answer", {"agree": True}),
            ("seats/left", {"bot": "random"}),
            ("seats/right", {}),
            ("rulings", {"reason": "mine", "void": True}),
            ("resignation", {"really": True}),
        ]
    )
    return source.choice(players), f"{address}/{path}", body, {}


def _garbage(source: random.Random, players: list[Client], address: str) -> Any:
    body = source.choice(
        [
            b"",
            b"{",
            b"[" * 500,
            b"\xff" * 20,
            source.randbytes(50),
            b'{"expect": 5, "picks": ["wave"], "a": 1}',
        ]
    )
    return source.choice(players), f"{address}/moves", body, {}


def _no_such_thing(source: random.Random, players: list[Client], address: str) -> Any:
    path = source.choice(
        ["/v1/matches/m0/moves", f"{address}/movez", "/v1/matches/%00/moves", f"{address}/seats/x"]
    )
    return source.choice(players), path, {"expect": 5, "picks": ["wave"]}, {}


ATTACKS = (_illegal, _out_of_turn, _stale, _reused, _batch, _other_command, _garbage, _no_such_thing)


def _attack(server: Served, address: str, tokens: list[str | None], count: int, seed: int) -> Counter[int]:
    """So many hostile posts on connections of one's own; how often each status was answered."""
    source, statuses = random.Random(seed), Counter[int]()
    players = [Client(server.port, token) for token in tokens]
    for _ in range(count):
        client, path, body, headers = source.choice(ATTACKS)(source, players, address)
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        answer = client.send("POST", path, content, {"content-type": "application/json", **headers})
        assert answer.headers["content-type"] == "application/problem+json", (path, body, answer)
        statuses[answer.status] += 1
    for client in players:
        client.close()
    return statuses


def _hostile_posts(folder: Path, count: int) -> Counter[int]:
    with served(folder, requests_per_second=FAST) as server:
        match, players = server.table("toy")
        address = f"/v1/matches/{match}"
        players[0].post(f"{address}/moves", {"expect": 3, "picks": ["2"]}, idempotency_key="bid")
        players[1].post(f"{address}/moves", {"expect": 3, "picks": ["1"]})
        before = (server.store.last(), players[0].get(address).body, players[1].get(f"{address}/moves").body)
        tokens = [*(client.token for client in players), server.player().token, "forged", None]
        statuses: Counter[int] = Counter()
        failures: list[BaseException] = []

        def work(seed: int) -> None:
            try:
                statuses.update(_attack(server, address, tokens, count // 4, seed))
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures
        server.close()  # these connections were idle for long; clients connect again by themselves
        after = (server.store.last(), players[0].get(address).body, players[1].get(f"{address}/moves").body)
        assert after == before
        kept = server.gate.refusals.latest(100_000)
        assert 0 < len(kept) <= 10_000
        return statuses


def test_hostile_posts_change_nothing(toy_in_words: Game, tmp_path: Path) -> None:
    statuses = _hostile_posts(tmp_path, SHORT)
    assert statuses.total() == SHORT
    assert {status for status in statuses if status >= 500} == set()
    assert {400, 401, 403, 404, 409, 422} <= set(statuses)


@pytest.mark.long
def test_a_hundred_thousand_hostile_posts_change_nothing(toy_in_words: Game, tmp_path: Path) -> None:
    count = LONG if os.environ.get("GLASNOST_FULL") == "1" else SHORT
    statuses = _hostile_posts(tmp_path, count)
    assert statuses.total() == count
    assert {status for status in statuses if status >= 500} == set()
    print(f"{count} hostile posts: {dict(sorted(statuses.items()))}")


def test_sixty_four_clients_race_for_one_move_and_one_wins(server: Served) -> None:
    match, players = server.table()
    address = bid(match, players)
    start, answers = threading.Barrier(64), list[int]()

    def race(number: int) -> None:
        client = Client(server.port, players[0].token)
        start.wait()
        body = {"expect": 5, "picks": ["wave"]}
        key = {"idempotency-key": f"k{number}"} if number % 2 else {}
        answers.append(client.post(f"{address}/moves", body, **key).status)
        client.close()

    threads = [threading.Thread(target=race, args=(number,)) for number in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [201] + [409] * 63
    assert players[0].get(address).json["move"] == 6
