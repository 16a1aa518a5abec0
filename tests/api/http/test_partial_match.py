"""Reading an earlier move of a match that is not cached: the same bytes, without loading it whole."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from api.gate.match_cache import read_uncached
from api.store.interface import Store, StoreError, Unavailable
from domain.game import Game
from domain.log import Damaged
from tests.api.http.served import Client, Served, served

LONG = 14  # moves at least


def played(server: Served) -> tuple[str, list[Client]]:
    """A match with a takeback, under way."""
    match, players = server.table(options={"rounds": 3})
    address = f"/v1/matches/{match}"
    while (told := players[0].get(address).json)["move"] < LONG:
        asked = next(seat for seat in told["asked"]["seats"])
        mover = players[["left", "right"].index(asked)]
        prompt = mover.get(f"{address}/prompt").json
        picks = [option["pick"] for option in prompt["options"]][: prompt["least"]]
        done = mover.post(f"{address}/moves", {"expect": prompt["move"], "picks": picks}).json
        if done["move"] == 4:
            asked_for = mover.post(f"{address}/takebacks", {}).json["move"]
            other = players[1 - players.index(mover)]
            other.post(f"{address}/takebacks/{asked_for}/answer", {"agree": True})
    return match, players


def looks(match: str) -> list[str]:
    """Requests for every earlier move, and some that are refused."""
    at = [f"?at={move}" for move in range(1, LONG)]
    views = ["?at=5&view=spectator", "?at=5&view=right", "?at=5&view=all", "?at=5&view=middle"]
    others = ["?at=0", "?at=1000", f"?at=5&at_least={LONG}", "?at=5&at_least=1000"]
    return [f"/v1/matches/{match}{query}" for query in (*at, *views, *others)] + ["/v1/matches/m-nobody?at=1"]


def answers(clients: Sequence[Client], addresses: Sequence[str]) -> list[tuple[int, str | None, bytes]]:
    found = [client.get(address) for client in clients for address in addresses]
    return [(answer.status, answer.headers.get("etag"), answer.body) for answer in found]


def test_earlier_move_is_the_same_whether_the_match_is_cached_or_not(
    tmp_path: Path, toy_in_words: Game
) -> None:
    with served(tmp_path) as server:
        match, players = played(server)
        clients = [*players, server.client()]
        warm = answers(clients, looks(match))
        tokens = [client.token for client in clients]
    with served(tmp_path) as server:
        clients = [server.client(token) for token in tokens]
        earlier = looks(match)[: LONG - 1]
        assert answers(clients, earlier) == answers(clients, earlier)
        assert server.gate.at_hand == 0
        cold = answers(clients, looks(match))
        assert cold == warm
        assert {status for status, *_ in cold} == {200, 403, 404, 422}
        clients[0].get(f"/v1/matches/{match}")
        assert server.gate.at_hand == 1
        assert answers(clients, looks(match)) == warm


def test_not_modified_is_answered_without_loading_the_match(tmp_path: Path, toy_in_words: Game) -> None:
    with served(tmp_path) as server:
        match, _ = played(server)
        first = server.client().get(f"/v1/matches/{match}?at=3")
    with served(tmp_path) as server:
        again = server.client().get(f"/v1/matches/{match}?at=3", if_none_match=first.headers["etag"])
        assert (again.status, server.gate.at_hand) == (304, 0)


@pytest.mark.parametrize("trouble", [StoreError("no"), Unavailable("away"), Damaged("harmed")])
def test_whole_match_is_loaded_if_a_part_does_not_suffice(
    server: Served, monkeypatch: pytest.MonkeyPatch, trouble: Exception
) -> None:
    match, (ann, _) = server.table()

    def failing(*_: object) -> None:
        raise trouble

    store: Store = server.store
    assert read_uncached(store, match, 2) is not None
    monkeypatch.setattr(store, "partial_match", failing)
    assert read_uncached(store, match, 2) is None
    assert ann.get(f"/v1/matches/{match}?at=2").status == 200
