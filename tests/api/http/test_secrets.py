"""No secret enters the debug log of a server, not even after errors."""

from __future__ import annotations

import json
import random
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict

from api.bus import VARIABLE as REDIS
from api.store.open import open_store
from domain.log import b64
from tests.api.http.playing import asked, picked
from tests.api.http.processes import Process
from tests.api.http.served import Client
from tests.api.http.streaming import Listener

SALT, KEY, BOGUS = "c2FsdC1vZi1hbm4=", "a-key-of-anns", "a-token-that-nobody-has"
REDIS_PASSWORD = "open-sesame-redis"
NAME = "Ann of the Thousand Names"


def test_logs_at_debug_level_hold_no_secret(database: str, redis_url: str, tmp_path: Path) -> None:
    environment = {
        "GLASNOST_LOG_LEVEL": "debug",
        REDIS: redis_url.replace("redis://", f"redis://:{REDIS_PASSWORD}@"),  # it has none, so it refuses
    }
    running = Process(database, keys=tmp_path / "keys", environment=environment)
    people, stranger = [Client(running.port) for _ in range(2)], Client(running.port, BOGUS)
    for client in people:
        client.token = client.post("/v1/players", {"name": NAME}).json["token"]
    match = people[0].post("/v1/matches", {"game": "thirteen_minutes"}, idempotency_key=KEY).json["match"]
    address = f"/v1/matches/{match}"
    for client, seat in zip(people, ("us", "ussr"), strict=True):
        assert client.post(f"{address}/seats/{seat}", {"salt": SALT}).status == 201
    source, hidden = random.Random(1), set[str]()
    for turn in range(8):
        for client, seat in zip(people, ("us", "ussr"), strict=True):
            hidden |= set(client.get(address).json["table"]["hands"][seat])
        found = asked(match, people)
        assert found is not None
        assert (
            found[0]
            .post(f"{address}/moves", picked(source, found[1]), idempotency_key=f"{KEY}-{turn}")
            .status
            == 201
        )
    ticket = people[0].post("/v1/streams/tickets", {"match": match}).json["ticket"]
    stream = Listener(running.port, f"{address}/moves?ticket={ticket}")
    stream.take(3)
    stream.close()
    troubled = [
        people[0].post(f"{address}/moves", {"expect": 1, "picks": ["a-secret-pick"]}),
        people[0].send("POST", f"{address}/moves", b'{"expect": "a-secret-pick'),
        people[0].get(f"{address}/moves?ticket={ticket}&nonsense={BOGUS}"),
        stranger.get(address),
        people[0].get(f"{address}?view=us&at=999999"),
    ]
    assert all(answer.status >= 400 for answer in troubled)
    for client in (*people, stranger):
        client.close()
    code, told = running.stop()
    assert code == 0
    lines = [json.loads(line) for line in told.splitlines()]
    assert {"request", "play", "open", "refused"} <= {line["event"] for line in lines}
    assert "redis is away; going on without it" in {line["event"] for line in lines}
    store = open_store(database, keys=tmp_path / "keys", write=False)
    secret = store.secret(match) or b""
    store.close()
    password = str(conninfo_to_dict(database)["password"])
    kept = [path.read_text().strip() for path in (tmp_path / "keys").rglob("*") if path.is_file()]
    tokens = [str(client.token) for client in people]
    untold = [
        *tokens,
        ticket,
        BOGUS,
        SALT,
        KEY,
        NAME,
        password,
        REDIS_PASSWORD,
        "a-secret-pick",
        *hidden,
        *kept,
    ]
    untold += [b64(secret), secret.hex()]
    assert len(hidden) > 3
    assert len(secret) == 32
    assert [one for one in untold if one in told] == []
