"""Following matches over a socket: the same moves as by an event stream, in order, each once."""

from __future__ import annotations

import random
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from api.store.postgres import PostgresStore
from domain.game import Game
from tests.api.http.playing import picked, two_workers
from tests.api.http.served import Client, Served, served
from tests.api.http.sockets import Socket, socket, spectator
from tests.api.http.streaming import Listener
from tests.api.http.test_commands import bid
from tests.api.http.test_socket_playing import play_to_its_end


def streamed(server: Served, match: str, client: Client, count: int, query: str = "") -> list[Any]:
    """The first moves as server-sent events."""
    headers = {"authorization": f"Bearer {client.token}"} if client.token else {}
    stream = Listener(server.port, f"/v1/matches/{match}/moves{query}", headers)
    told = [event.data for event in stream.take(count)]
    stream.close()
    return told


@pytest.mark.parametrize("proof", [False, True])
def test_socket_sends_each_viewer_the_same_moves_as_the_event_stream(server: Served, proof: bool) -> None:
    match, players = server.table()
    bid(match, players)
    for client in (*players, server.player("Eve"), server.person("admin")):
        with socket(server.port, client.token) as one:
            one.done("follow", match=match, proof=proof)
            query = "?proof=true" if proof else ""
            assert one.pushed(match, 5) == streamed(server, match, client, 5, query)


def test_move_without_proof_lacks_only_the_proof_fields(server: Served) -> None:
    match, players = server.table()
    bid(match, players)
    with socket(server.port, players[0].token) as one:
        one.done("follow", match=match, lean=True)
        full = streamed(server, match, players[0], 5)
        without = ("at", "root", "draws", "keys", "salt")
        told = [{name: value for name, value in move.items() if name not in without} for move in full]
        assert one.pushed(match, 5) == told
        assert any(set(without) & set(move) for move in full)
        one.done("leave", match=match)
        one.problem(422, "invalid", "follow", match=match, lean=True, proof=True)


def test_followed_move_carries_the_same_prompt_as_a_prompt_request(server: Served) -> None:
    match, players = server.table("toy", options={"rounds": 3})
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket(server.port, one.token)) for one in players]
        for one in sockets:
            one.done("follow", match=match, prompt=True)
        watching = stack.enter_context(spectator(server.port))
        watching.done("follow", match=match, prompt=True)
        source, count = random.Random(5), 3
        while asked := [one for one in sockets if one.pushed(match, count) and one.prompts[match][count - 1]]:
            for one in sockets:
                assert one.prompts[match][count - 1] == one.done("prompt", match=match)
            question = asked[0].prompts[match][count - 1]
            count = asked[0].done("play", match=match, **picked(source, question))["move"]
        last = len(sockets[0].whole(match))
        watching.whole(match)
        assert last > 5
        assert watching.prompts[match] == [None] * last
        assert sockets[0].prompts[match][-1] is None


def test_prompt_comes_only_on_request_and_only_with_the_latest_move(server: Served) -> None:
    match, players = server.table()
    bid(match, players)
    with socket(server.port, players[0].token) as one, socket(server.port, players[1].token) as other:
        one.done("follow", match=match)
        other.done("follow", match=match, prompt=True)
        one.pushed(match, 5)
        other.pushed(match, 5)
        assert one.prompts[match] == [None] * 5
        assert other.prompts[match][:4] == [None] * 4


def test_spectator_sees_no_secret(server: Served) -> None:
    match, players = server.table()
    bid(match, players)
    with spectator(server.port) as one, socket(server.port, players[0].token) as mine:
        one.done("follow", match=match)
        mine.done("follow", match=match, view="spectator")
        for told in (one.pushed(match, 5), mine.pushed(match, 5)):
            assert told == streamed(server, match, server.client(), 5)
            assert [fact["card"] for fact in told[2]["facts"] if fact["fact"] == "Dealt"] == ["?", "?"]
            assert told[3]["picks"] is None
        one.problem(403, "forbidden", "follow", match=match, view="left")
        one.problem(403, "forbidden", "follow", match=match, view="all")
        mine.problem(403, "forbidden", "follow", match=match, view="right")


@pytest.mark.parametrize("after", [0, 2, 4, 7, 8])
def test_following_resumes_after_any_move(server: Served, after: int) -> None:
    match, players = server.table()
    address = bid(match, players)
    players[0].post(f"{address}/resignation")
    with spectator(server.port) as one:
        assert one.done("follow", match=match, after=after) == {"move": 8}
        assert [move["move"] for move in one.whole(match)] == list(range(after + 1, 9))


def test_reconnected_follower_gets_every_move_exactly_once(server: Served) -> None:
    match, players = server.table("toy", options={"rounds": 3})
    source, seen = random.Random(7), list[Any]()
    over = threading.Event()

    def play() -> None:
        with socket(server.port, players[0].token) as one, socket(server.port, players[1].token) as other:
            play_to_its_end(match, [one, other], seed=3)
        over.set()

    playing = threading.Thread(target=play)
    playing.start()
    while not over.is_set() or not seen or seen[-1]["kind"] != "closed":
        with spectator(server.port) as one:
            latest = one.done("follow", match=match, after=len(seen))["move"]
            wanted = source.randint(0, latest - len(seen))
            seen += one.pushed(match, wanted)[:wanted]
    playing.join()
    assert seen == server.client().get(f"/v1/matches/{match}/moves?view=spectator").json["moves"]


def test_after_unfollow_no_moves_come_until_follow_is_sent_again(server: Served) -> None:
    match, players = server.table()
    with spectator(server.port) as one:
        one.done("follow", match=match)
        one.problem(422, "invalid", "follow", match=match)
        one.pushed(match, 3)
        assert one.say("leave", match=match)["status"] == 204
        assert one.say("leave", match=match)["status"] == 204
        address = bid(match, players)
        assert one.done("follow", match=match, after=5) == {"move": 5}
        players[0].post(f"{address}/resignation")
        assert [move["move"] for move in one.whole(match)] == [1, 2, 3, 6, 7, 8]
        # What is over is followed no more.
        assert one.done("follow", match=match, after=8) == {"move": 8}


def test_invalid_follow_is_refused(server: Served) -> None:
    match, _ = server.table()
    with spectator(server.port) as one:
        one.problem(404, "unknown-match", "follow", match="m0")
        one.problem(404, "unknown-move", "follow", match=match, after=4)
        one.problem(404, "unknown-seat", "follow", match=match, view="north")
        one.problem(422, "invalid", "follow", match=match, after=-1)


def test_followed_matches_count_as_streams(toy_in_words: Game, tmp_path: Path) -> None:
    with served(tmp_path, streams_per_viewer=2) as server:
        tables = [server.table() for _ in range(3)]
        ann = tables[0][1][0]
        matches = [match for match, _ in tables]
        with socket(server.port, ann.token) as one, socket(server.port, ann.token) as other:
            one.done("follow", match=matches[0])
            one.pushed(matches[0], 3)
            other.done("follow", match=matches[1])
            other.pushed(matches[1], 3)
            told = one.say("follow", match=matches[2])
            assert (told["problem"]["type"], told["retry_after"]) == ("/problems/limit", 1)
            other.done("leave", match=matches[1])
            one.done("follow", match=matches[2])
        # Both sockets are open, which is as many as there may be.
        assert "glasnost_streams 0.0" in _until(server, "glasnost_streams 0.0")


def _until(server: Served, line: str) -> str:
    """The metrics once they hold this line: a socket is closed on the server's side a moment later."""
    client = server.client()
    while line not in (told := client.get("/metrics").body.decode()):
        pass
    return told


def test_socket_at_one_worker_gets_moves_played_at_another(
    toy_in_words: Game, database: str, tmp_path: Path
) -> None:
    with ExitStack() as running:
        workers = running.enter_context(
            two_workers(tmp_path, lambda: PostgresStore.open(database, keys=tmp_path / "keys"))
        )
        match, players = workers[0].table()
        here = [running.enter_context(socket(workers[0].port, player.token)) for player in players]
        there = [running.enter_context(socket(workers[1].port, player.token)) for player in players]
        for one in (*here, *there):
            one.done("follow", match=match)
        _play_in_turn(match, here, there)
        told = [one.whole(match) for one in (*here, *there)]
        assert told[0] == told[2]
        assert told[1] == told[3]
        assert [move["move"] for move in told[0]] == list(range(1, len(told[0]) + 1))


def _play_in_turn(match: str, here: list[Socket], there: list[Socket]) -> None:
    """Each answer goes to the other worker."""
    source, turns = random.Random(5), 0
    while True:
        doors = (here, there)[turns % 2]
        prompts = [one.done("prompt", match=match) for one in doors]
        asked = [(one, prompt) for one, prompt in zip(doors, prompts, strict=True) if prompt]
        if not asked:
            return
        one, prompt = asked[0]
        one.done("play", match=match, **picked(source, prompt))
        turns += 1


def test_slow_follower_delays_no_other_client_and_misses_no_move(server: Served) -> None:
    match, players = server.table()
    bid(match, players)
    with socket(server.port, players[1].token) as slow, socket(server.port, players[0].token) as quick:
        for _ in range(10):
            question = quick.done("prompt", match=match)
            quick.done("play", match=match, expect=question["move"], answers=[["wave"]] * 200)
        slow.done("follow", match=match, proof=True)
        quick.done("follow", match=match)
        quick.say("resign", match=match)
        assert [move["move"] for move in quick.whole(match)] == list(range(1, 2009))
        assert [move["move"] for move in slow.whole(match)] == list(range(1, 2009))
