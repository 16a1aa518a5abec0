"""Playing at random over HTTP: at one server, and at two workers on one store."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from api.store.sql import SqlStore
from tests.api.http.served import Answer, Client, Served, served


def asked(match: str, players: list[Client]) -> tuple[Client, Any] | None:
    """Who is asked, and what."""
    for player in players:
        answer = player.get(f"/v1/matches/{match}/prompt")
        if answer.status == 200:
            return player, answer.json
    return None


def picked(source: random.Random, prompt: Any) -> dict[str, Any]:
    """A random answer to a question."""
    options = [option["pick"] for option in prompt["options"]]
    picks = source.sample(options, source.randint(prompt["least"], prompt["most"]))
    return {"expect": prompt["move"], "picks": picks}


def played(match: str, players: list[Client], source: random.Random) -> Any:
    """Send a random answer to a prompt, which must be accepted; return the result."""
    found = asked(match, players)
    assert found is not None
    done = found[0].post(f"/v1/matches/{match}/moves", picked(source, found[1]))
    assert done.status == 201, done
    return done.json


# ── at two workers ──


@contextmanager
def two_workers(folder: Path, open: Callable[[], SqlStore], **settings: Any) -> Iterator[list[Served]]:
    """Two servers over one store, each with its own view of it, gate and read models."""
    with ExitStack() as running:
        workers = []
        for name in ("one", "other"):
            store = running.enter_context(closing(open()))
            (folder / name).mkdir()
            workers.append(running.enter_context(served(folder / name, store, **settings)))
        yield workers


def on(worker: Served, client: Client) -> Client:
    """The same person at another worker."""
    return worker.client(client.token, client.player)


def move_and_root(answer: Answer) -> tuple[int, str]:
    """Where a match stands."""
    return answer.json["move"], answer.json["root"]


def play_in_turn(match: str, players: list[list[Client]], source: random.Random) -> int:
    """Play to the end, each answer at another worker: each look right after it, at the other one, shows it.

    Args:
        players: at each worker.

    Returns:
        How many answers there were; in the end the match is the same at both.
    """
    turns = 0
    while asked(match, players[turns % 2]) is not None:
        done = played(match, players[turns % 2], source)
        turns += 1
        seen = players[turns % 2][0].get(f"/v1/matches/{match}")
        assert move_and_root(seen)[0] >= done["move"]
    final = [at[0].get(f"/v1/matches/{match}") for at in players]
    assert final[0].body == final[1].body
    assert final[0].json["status"] == "over"
    return turns
