"""A worker whose cache is full of followed matches refuses to follow another one."""

from __future__ import annotations

from pathlib import Path

from domain.game import Game
from tests.api.http.served import served
from tests.api.http.sockets import spectator
from tests.api.http.streaming import Listener


def test_follow_is_refused_if_the_match_cache_is_full(toy_in_words: Game, tmp_path: Path) -> None:
    with served(tmp_path, cached_bytes=40_000) as server:
        (one, players), (other, others) = server.table(), server.table()
        streams = [Listener(server.port, f"/v1/matches/{one}/moves")]
        assert streams[0].take(1)[0].id == 1
        events = {"accept": "text/event-stream"}
        refused = server.client().get(f"/v1/matches/{other}/moves", **events)
        assert "too many matches" in refused.problem(429, "limit")["detail"]
        with spectator(server.port) as socket:
            socket.problem(429, "limit", "follow", match=other)
        streams.append(Listener(server.port, f"/v1/matches/{one}/moves"))  # it is there already
        assert streams[1].status == 200
        assert others[0].get(f"/v1/matches/{other}/prompt").status == 200  # played it may be all the same
        assert players[0].get(f"/v1/matches/{one}").status == 200
        for stream in streams:
            stream.close()
