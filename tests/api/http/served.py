"""A real server for tests: uvicorn on a free port, in a thread of its own, over a store of its own."""

from __future__ import annotations

import asyncio
import http.client
import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvloop
from msgspec import Struct

from api.bus import Address, Bus
from api.gate import Gate
from api.http.app_state import Services
from api.http.data_process import DataPlace
from api.http.read_models import ReadModels, open_read_models
from api.http.server import Server, clock, listening
from api.mail.settings import MailSettings
from api.settings import Settings, product
from api.store.interface import Store
from api.store.postgres import PostgresStore
from api.store.sqlite import SqliteStore
from replay.transparency.policy import Policy
from tests.api.patience import stop_soon
from tests.waiting import PATIENCE

stop_soon(setattr)

GONE = (OSError, http.client.HTTPException)  # what a client sees of a server that dies


class Answer(Struct):
    """An answer: status, headers with lower-case names, and the body's bytes."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body, decoded."""
        return json.loads(self.body)

    def problem(self, status: int, kind: str) -> Any:
        """The body of a refusal, which must be of this kind."""
        assert (self.status, self.headers["content-type"]) == (status, "application/problem+json"), self
        told = self.json
        assert (told["type"], told["status"]) == (f"/problems/{kind}", status), told
        assert told["title"]
        assert told["detail"]
        return told


class Client:
    """A client with (or without) a token, on one kept connection."""

    def __init__(
        self, port: int, token: str | None = None, player: str = "", *, host: str = "127.0.0.1"
    ) -> None:
        self.port, self.token, self.player = port, token, player
        self._connection = http.client.HTTPConnection(host, port, timeout=PATIENCE)

    def send(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """One request."""
        self.begin(method, path, body, headers)
        return self.answer()

    def begin(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        """Send a request as a whole; its answer is not waited for."""
        head = {"authorization": f"Bearer {self.token}"} if self.token else {}
        self._connection.request(method, path, body, {**head, **(headers or {})})

    def answer(self) -> Answer:
        """The answer to what was begun."""
        answer = self._connection.getresponse()
        headers = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(answer.status, dict(headers), answer.read())

    def get(self, path: str, **headers: str) -> Answer:
        """GET; the names of headers are written with underscores."""
        return self.send("GET", path, None, _named(headers))

    def post(self, path: str, body: Any = None, **headers: str) -> Answer:
        """POST of JSON."""
        content = None if body is None else json.dumps(body).encode()
        return self.send("POST", path, content, {"content-type": "application/json", **_named(headers)})

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


def _named(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


_DOCUMENT: dict[str, Any] = {}


class Served:
    """A server that runs, and clients for it."""

    def stop_the_clock(self) -> None:
        """Stop the clock of the rate limit, so that it does not refill."""
        assert self.services is not None
        now = time.monotonic()
        vars(self.services.requests)["_clock"] = lambda: now

    def __init__(
        self, port: int, store: Store, gate: Gate, models: ReadModels, loop: asyncio.AbstractEventLoop
    ) -> None:
        self.port, self.store, self.gate, self.models, self.loop = port, store, gate, models, loop
        self.services: Services | None = None
        self._clients: list[Client] = []

    def documented(self) -> Any:
        """The OpenAPI document.  That of one server is kept for the others: it takes half a second."""
        if not _DOCUMENT:
            _DOCUMENT.update(self.client().get("/openapi.json").json)
        return _DOCUMENT

    def client(self, token: str | None = None, player: str = "") -> Client:
        """A client of its own connection."""
        client = Client(self.port, token, player)
        self._clients.append(client)
        return client

    def player(self, name: str = "Ann") -> Client:
        """A new player."""
        told = self.client().post("/v1/players", {"name": name}).json
        return self.client(told["token"], told["player"])

    def person(self, role: str) -> Client:
        """A client with a role."""
        person, token = self.store.people.add(role.title(), role)
        return self.client(token, person.id)

    def table(self, game: str = "toy", **body: Any) -> tuple[str, list[Client]]:
        """A match that runs, and its players in the order of the seats."""
        first = self.player()
        opened = first.post("/v1/matches", {"game": game, **body}).json
        players = [first, *(self.player("Ben") for _ in list(opened["seats"])[1:])]
        for seat, player in zip(opened["seats"], players, strict=True):
            answer = player.post(f"/v1/matches/{opened['match']}/seats/{seat}")
            assert answer.status == 201, answer
        return opened["match"], players

    def close(self) -> None:
        """Hang up."""
        for client in self._clients:
            client.close()


@contextmanager
def served(
    folder: Path,
    store: Store | None = None,
    gate: Gate | None = None,
    port: int = 0,
    redis: str | None = None,
    mail: MailSettings | None = None,
    data: DataPlace | None = None,
    witnesses: Policy | None = None,
    **settings: Any,
) -> Iterator[Served]:
    """A server over the store in `folder` (or over this one), on the bus of this Redis, if any."""
    chosen = Settings(**settings)
    with listening("127.0.0.1", port) as listener:
        kept = SqliteStore.open(folder / "store") if store is None else None
        used: Any = store or kept
        models = open_read_models(used) if isinstance(used, PostgresStore) else ReadModels(used, folder)
        door = gate or Gate(used, used.keys, clock, product(), chosen)
        services = Services(door, used, models, chosen, clock, mail=mail, data=data, witnesses=witnesses)
        if redis is not None:
            services.share(Bus(Address(redis), used.keys.derived("redis"), used))
        server = Server(door, services, chosen)
        ready = threading.Event()
        found: list[asyncio.AbstractEventLoop] = []

        async def work() -> None:
            found.append(asyncio.get_running_loop())
            await server.run_on(listener, ready.set)
            await door.close()

        thread = threading.Thread(target=uvloop.run, args=(work(),), daemon=True)
        thread.start()
        assert ready.wait(60)
        running = Served(listener.getsockname()[1], used, door, models, found[0])
        running.services = services
        try:
            yield running
        finally:
            running.close()
            server.should_exit = True
            thread.join(PATIENCE)
            assert not thread.is_alive(), "the server does not stop"
            models.close()
            if kept is not None:
                kept.close()
