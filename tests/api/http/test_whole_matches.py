"""Two clients play each game to its end over HTTP, and the match verifies."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from domain.games import GAMES
from domain.signed_notes import VerifyingKey
from replay import verify
from tests.api.http.playing import picked
from tests.api.http.served import Client, Served, served
from tests.api.http.streaming import Listener


def _answer(player: Client, address: str, source: random.Random) -> Any:
    """Answer the player's prompt; None if there is none."""
    prompt = player.get(f"{address}/prompt")
    if prompt.status == 204:
        return None
    answer = player.post(f"{address}/moves", picked(source, prompt.json))
    assert answer.status == 201, answer
    return answer.json


def _play(server: Served, game: str, seed: int) -> tuple[str, list[Client]]:
    source = random.Random(seed)
    match, players = server.table(game)
    address = f"/v1/matches/{match}"
    for _ in range(3_000):
        told = [_answer(player, address, source) for player in players]
        if not any(told):
            break
    return address, players


@pytest.mark.parametrize("game", sorted(GAMES))
def test_whole_match_is_played_and_verified_over_http(tmp_path: Path, game: str) -> None:
    with served(tmp_path) as server:
        address, players = _play(server, game, 11)
        over = players[0].get(address).json
        assert (over["status"], over["move"] > 10) == ("over", True)
        stream = Listener(server.port, f"{address}/moves")
        assert [event.id for event in stream.events()] == list(range(1, over["move"] + 1))
        stream.close()
        keys = [VerifyingKey.parse(server.client().get("/v1/keys").json["present"])]
        report = verify.verify(players[0].get(f"{address}/file").body, keys)
        assert (report.failures, report.pinned, report.moves) == ((), True, over["move"])
        turns = players[0].get(f"{address}/turns").json
        assert turns["over"]
        assert turns["turns"][-1]["told"]["plays"]
