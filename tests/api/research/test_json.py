"""What a state says as JSON is what the server answers about the same move (B20)."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from api.cli.common import keep_in
from api.research.state import State
from api.store.sqlite import SqliteStore
from domain.agents import AGENTS
from tests.api.http.served import served
from tests.api.research.worlds import steps

LATER = ("status", "result", "move")  # of the match, not of the table after a move


@pytest.mark.parametrize("game", sorted(AGENTS))
def test_it_is_the_view_of_the_server(game: str, tmp_path: Path) -> None:
    state, told = State(game, seed=4, options={"turn_limit": 2} if game == "cia_vs_kgb" else {}), []
    for number, now in enumerate(steps(state, Random(4))):
        if number % 9 == 0:
            told.append((now.current_player(), json.loads(now.observation_json(now.current_player()))))
    with served(tmp_path) as server:
        record = state._played()
        assert isinstance(server.store, SqliteStore)
        keep_in(server.store, record.match, state._episode.secret.bytes)
        client = server.client()
        for seat in state.players:
            answer = client.get(f"/v1/matches/{record.match.id}?view={seat}")
            assert answer.body == state.observation_json(seat)
        assert told
        for seat, body in told:
            address = f"/v1/matches/{record.match.id}?view={seat}&at={body['at']}"
            assert _lasting(client.get(address).json) == _lasting(body)


def _lasting(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name not in LATER}
