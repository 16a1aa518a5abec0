"""Playing over a socket: the same gate, the same answers and the same refusals as over HTTP."""

from __future__ import annotations

import asyncio
import random
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from domain.game import Game
from replay import verify
from tests.api.http.playing import picked
from tests.api.http.served import Client, Served, served
from tests.api.http.sockets import Socket, socket, spectator
from tests.api.http.test_commands import bid
from tests.waiting import soon


def play_to_its_end(match: str, players: list[Socket], seed: int) -> int:
    """All players answer every prompt; return how many answers there were."""
    source, answers = random.Random(seed), 0
    prompts: list[Any] = [player.done("prompt", match=match) for player in players]
    while any(prompts):
        who = next(number for number, prompt in enumerate(prompts) if prompt)
        done = players[who].done("play", match=match, **picked(source, prompts[who]))
        answers += 1
        other = 1 - who
        prompts[who] = done["prompt"]
        prompts[other] = players[other].done("prompt", match=match)
    return answers


def test_a_whole_match_is_played_by_two_sockets_and_followed_by_all(server: Served) -> None:
    match, players = server.table("toy", options={"rounds": 3})
    address = f"/v1/matches/{match}"
    with ExitStack() as opened:
        sockets = [opened.enter_context(socket(server.port, player.token)) for player in players]
        sockets.append(opened.enter_context(spectator(server.port)))
        for one in sockets:
            assert one.done("follow", match=match) == {"move": 3}
        assert play_to_its_end(match, sockets[:2], seed=1) > 6
        told = [one.whole(match) for one in sockets]
    for client, moves in zip([*players, server.client()], told, strict=True):
        # After the end all clients may see everything; these sockets got what their seats knew.
        seen = client.get(
            f"{address}/moves?limit=1000" if client.token else f"{address}/moves?view=spectator"
        )
        assert moves == seen.json["moves"]
    assert players[0].get(address).json["status"] == "over"
    assert verify.verify(players[0].get(f"{address}/file").body).ok


def test_socket_answer_equals_the_http_answer(server: Served) -> None:
    """Of two matches with the same course one is played at each door."""
    match, (ann, _) = server.table()
    other, (ben, _) = server.table()
    with socket(server.port, ann.token) as by_socket:
        done = by_socket.say("play", match=match, expect=3, picks=["2"])
        over_http = ben.post(f"/v1/matches/{other}/moves", {"expect": 3, "picks": ["2"]})
        assert (done["status"], set(done["done"])) == (over_http.status, set(over_http.json))
        assert done["done"]["facts"] == over_http.json["facts"]
        assert done["done"]["move"] == over_http.json["move"] == 4
        moves = ann.get(f"/v1/matches/{match}/moves").json["moves"]
        assert done["done"]["root"] == moves[-1]["root"]


def test_socket_prompt_equals_the_http_prompt_and_none_is_204(server: Served) -> None:
    match, (ann, ben) = server.table()
    address = bid(match, [ann, ben])
    with socket(server.port, ann.token) as one, socket(server.port, ben.token) as other:
        assert one.say("prompt", match=match)["done"] == ann.get(f"{address}/prompt").json
        assert other.say("prompt", match=match) == {"id": 1, "status": 204}


def test_one_socket_plays_many_matches_with_concurrent_answers(server: Served) -> None:
    tables = [server.table() for _ in range(3)]
    ann = server.player()
    matches = []
    for _ in tables:
        match = ann.post("/v1/matches", {"game": "toy"}).json["match"]
        for seat in ("left", "right"):
            ann.post(f"/v1/matches/{match}/seats/{seat}")
        matches.append(match)
    with socket(server.port, ann.token) as one:
        begun = [one.begin("play", match=match, expect=3, picks=["2"]) for match in matches]
        assert [one.reply(told)["status"] for told in reversed(begun)] == [201] * 3
        one.done("play", match=matches[0], expect=3, picks=["1"])
        question = one.done("prompt", match=matches[0])
        done = one.done("play", match=matches[0], expect=question["move"], answers=[["wave"], ["wave"]])
        assert done["move"] == question["move"] + 2


def refusals(match: str) -> list[tuple[str, str, Any, dict[str, Any]]]:
    """Requests that are refused: the path and the body over HTTP, and the same by a socket."""
    moves: list[dict[str, Any]] = [
        {"expect": 5, "picks": ["fly"]},
        {"expect": 5, "picks": []},
        {"expect": 3, "picks": ["2"]},
        {"expect": 5, "picks": ["wave"], "answers": [["wave"]]},
        {"expect": 5},
        {"expect": "5", "picks": []},
        {"expect": 5, "picks": ["wave"], "wrong": 1},
        {"expect": 5, "answers": [["stop"], ["wave"], ["wave"]]},
    ]
    told: list[tuple[str, str, Any, dict[str, Any]]] = [("moves", "play", body, body) for body in moves]
    told += [
        ("takebacks", "takeback", {"to": 99}, {"to": 99}),
        ("takebacks/5/answer", "answer_takeback", {"agree": True}, {"request": 5, "agree": True}),
        ("resignation", "resign", {"why": 1}, {"why": 1}),
    ]
    return told


@pytest.mark.parametrize("language", ["en", "ru"])
def test_socket_refusal_equals_the_http_refusal(server: Served, language: str) -> None:
    match, players = server.table()
    bid(match, players)
    observer = server.person("observer")
    for client in (*players, server.player("Eve"), observer):
        with socket(server.port, client.token, language=language) as one:
            for name in (match, "m0"):
                for path, do, body, fields in refusals(name):
                    over_http = client.post(f"/v1/matches/{name}/{path}", body, accept_language=language)
                    told = one.say(do, match=name, **fields)
                    assert (told["status"], told["problem"]) == (over_http.status, over_http.json), (do, body)
    assert players[0].get(f"/v1/matches/{match}").json["move"] == 5
    assert len(server.gate.refusals.latest(1000)) > 20


def test_key_gets_the_same_answer_over_http_and_socket(server: Served) -> None:
    match, (ann, ben) = server.table()
    address, body = f"/v1/matches/{match}/moves", {"expect": 3, "picks": ["2"]}
    first = ann.post(address, body, idempotency_key="k", accept_language="ru")
    with socket(server.port, ann.token) as one, socket(server.port, ben.token) as other:
        assert one.say("play", match=match, key="k", **body) == {"id": 1, "status": 201, "done": first.json}
        one.problem(422, "key-reused", "play", match=match, key="k", expect=3, picks=["1"])
        again = one.done("play", match=match, key="k", **body)
        assert again == first.json
        mine = other.done("play", match=match, key="k", expect=3, picks=["1"])
        repeated = ben.post(address, {"picks": ["1"], "expect": 3}, idempotency_key="k")
        assert (repeated.status, repeated.json) == (201, mine)
        assert ann.get(f"/v1/matches/{match}").json["move"] == 5
        given_up = other.done("resign", match=match, key="end")
        again = ben.post(f"/v1/matches/{match}/resignation", {}, idempotency_key="end")
        assert (again.status, again.json) == (201, given_up)


def test_takeback_works_over_sockets(server: Served) -> None:
    match, players = server.table()
    bid(match, players)
    with socket(server.port, players[0].token) as one, socket(server.port, players[1].token) as other:
        question = one.done("prompt", match=match)
        one.done("play", match=match, expect=question["move"], picks=["wave"])
        asked = one.done("takeback", match=match)
        agreed = other.done("answer_takeback", match=match, request=asked["move"], agree=True)
        assert agreed["move"] > asked["move"]
        assert one.done("prompt", match=match)["ask"] == question["ask"]
        assert one.say("resign", match=match)["status"] == 201
        other.problem(409, "over", "resign", match=match)
    moves = players[0].get(f"/v1/matches/{match}/moves").json["moves"]
    assert "taken_back" in [move["kind"] for move in moves]


def test_spectator_and_observer_cannot_play(server: Served) -> None:
    match, _ = server.table()
    with spectator(server.port) as one:
        told = one.problem(401, "unauthorized", "play", match=match, expect=3, picks=["2"])
        assert told["detail"] == "a spectator only looks: open a socket with a token"
        one.problem(401, "unauthorized", "resign", match=match)
        assert one.say("prompt", match=match)["status"] == 204
    with socket(server.port, server.person("observer").token) as one:
        one.problem(403, "forbidden", "play", match=match, expect=3, picks=["2"])


def test_language_comes_from_the_handshake_or_the_first_message(server: Served) -> None:
    match, (ann, _) = server.table()
    with socket(server.port, ann.token, language="ru") as one:
        assert one.done("prompt", match=match)["why"] == "Сколько ставит левый?"
    with socket(server.port) as one:
        assert one.done("enter", token=ann.token, language="de, ru;q=0.5")["language"] == "ru"
        assert one.done("prompt", match=match)["why"] == "Сколько ставит левый?"


def test_unexpected_error_is_reported_and_the_socket_stays_open(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, (ann, _) = server.table()

    async def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    with socket(server.port, ann.token) as one:
        with monkeypatch.context() as patched:
            patched.setattr(server.gate, "play", broken)
            one.problem(500, "failed", "play", match=match, expect=3, picks=["2"])
        assert one.say("play", match=match, expect=3, picks=["2"])["status"] == 201


def test_concurrent_commands_per_socket_are_limited(
    toy_in_words: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While three wait for the store, a fourth is not begun, and nothing is read any more."""
    with served(tmp_path, commands_in_flight=3) as server:
        ann = server.player()
        matches = [ann.post("/v1/matches", {"game": "toy"}).json["match"] for _ in range(5)]
        for match in matches:
            for seat in ("left", "right"):
                ann.post(f"/v1/matches/{match}/seats/{seat}")
        waiting: list[str] = []
        play, go_on = server.gate.play, asyncio.Event()

        async def slowly(match: str, *given: Any, **named: Any) -> Any:
            waiting.append(match)
            await go_on.wait()
            return await play(match, *given, **named)

        monkeypatch.setattr(server.gate, "play", slowly)
        with socket(server.port, ann.token) as one:
            begun = [one.begin("play", match=match, expect=3, picks=["2"]) for match in matches]
            asked = one.begin("prompt", match=matches[0])
            soon(lambda: len(waiting) >= 3)
            assert server.client().get("/healthz").status == 200  # the loop has gone round since
            assert waiting == matches[:3]
            server.loop.call_soon_threadsafe(go_on.set)
            assert [one.reply(told)["status"] for told in begun] == [201] * 5
            assert one.reply(asked)["status"] == 200


def test_messages_are_counted_like_requests(server: Served) -> None:
    match, (ann, _) = server.table()
    with socket(server.port, ann.token) as one:
        one.done("prompt", match=match)
        one.problem(409, "stale", "play", match=match, expect=1, picks=["2"])
        one.send("{")
        one.reply(None)
        told = _metrics(server.client())
        assert told['glasnost_requests_total{method="prompt",route="/v1/socket",status="200"}'] == 1
        assert told['glasnost_requests_total{method="play",route="/v1/socket",status="409"}'] == 1
        assert told['glasnost_requests_total{method="other",route="/v1/socket",status="400"}'] == 1
        assert told["glasnost_sockets"] == 1


def _metrics(client: Client) -> dict[str, float]:
    lines = client.get("/metrics").body.decode().splitlines()
    return {
        name: float(value)
        for name, _, value in (line.rpartition(" ") for line in lines if not line.startswith("#"))
    }
