"""Many idle and slow connections: other clients are served meanwhile, and health is always answered."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from api.http.connections import HEALTH, SPARE, SPARE_EACH, Connections, ConnectionSlot, allowed
from api.http.protocols import Line
from domain.game import Game
from tests.api.http.processes import Process
from tests.api.http.served import Client, Served, served
from tests.api.http.sockets import socket as web_socket
from tests.api.http.streaming import Listener
from tests.api.http.test_operations import metrics
from tests.api.http.test_protocols import Wire, answered
from tests.faults.test_slow_clients import raise_limit
from tests.waiting import PATIENCE, soon

CROWD, FILES = 1_000, 512
POST = b"POST /v1/players HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
DRIPPING = {
    b"GET /v1/games HTTP/1.1\r\nx: ": b"x",
    b"\r\n": b"\r\n",
    POST + b"content-length: 60000\r\n\r\n": b" ",
    POST + b"transfer-encoding: chunked\r\n\r\n": b"1\r\n \r\n",
}
"""The beginnings of endless requests, and what each sends now and then."""


def asked(port: int, path: str, host: str = "127.0.0.1", **headers: str) -> int:
    """The status of a request from this address on a new connection."""
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE, source_address=(host, 0))
    try:
        connection.request("GET", path, headers=headers)
        return connection.getresponse().status
    finally:
        connection.close()


@contextmanager
def crowd(port: int, addresses: Sequence[str]) -> Iterator[Callable[[], None]]:
    """Connections in turn from these addresses, some idle, some dripping; gives what lets them drip."""
    kinds = {b"": b"", **DRIPPING}
    with ExitStack() as stack:
        lines = [stack.enter_context(socket.socket()) for _ in range(CROWD)]

        def send(pieces: Sequence[bytes]) -> None:
            for number, line in enumerate(lines):
                with suppress(OSError):  # it may be closed again already
                    line.sendall(pieces[number % len(kinds)])

        for number, line in enumerate(lines):
            line.bind((addresses[number % len(addresses)], 0))
            line.connect(("127.0.0.1", port))
        send(list(kinds))
        yield lambda: send(list(kinds.values()))


ONE = ["127.0.0.2"]
MANY = [f"127.0.{number % 9}.{2 + number // 9}" for number in range(CROWD)]


@pytest.mark.parametrize("addresses", [ONE, MANY], ids=["one address", "many addresses"])
def test_thousand_idle_and_slow_connections_do_not_block_other_clients(
    tmp_path: Path, addresses: list[str]
) -> None:
    raise_limit(CROWD + 200)
    few = ("sh", "-c", f'ulimit -n {FILES}; exec "$@"', "sh")
    running = Process(str(tmp_path / "store"), under=few, empty=False)
    with ExitStack() as stack:
        stack.callback(running.close)

        def client(token: str | None = None) -> Client:
            found = Client(running.port, token)
            stack.callback(found.close)
            return found

        first = client()
        soon(lambda: first.get("/v1/matches").json["matches"])
        match = first.get("/v1/matches").json["matches"][0]["match"]
        ann = client(client().post("/v1/players", {"name": "Ann"}).json["token"])
        played = f"/v1/matches/{ann.post('/v1/matches', {'game': 'cia_vs_kgb'}).json['match']}"
        stream = Listener(running.port, f"{played}/moves")
        stack.callback(stream.close)
        assert [event.id for event in stream.take(1)] == [1]
        with crowd(running.port, addresses) as drip:
            for _ in range(3):
                drip()
                for path in ("/healthz", "/readyz", "/v1/games", f"/v1/matches/{match}"):
                    assert asked(running.port, path) == 200
                assert asked(running.port, "/healthz", addresses[0]) == 200
            ann.close()  # it may have been closed for another one
            assert ann.post(f"{played}/seats/cia", {}).status == 201
            assert [event.id for event in stream.take(1)] == [2]
        closed = metrics(client())['glasnost_connections_closed_total{reason="room"}']
        assert closed >= CROWD - FILES
        assert asked(running.port, played, addresses[0]) == 200
        assert running.stop() == (0, "")


@pytest.mark.parametrize("begun", DRIPPING)
def test_headers_and_body_have_a_deadline(toy_in_words: Game, tmp_path: Path, begun: bytes) -> None:
    with served(tmp_path, head_seconds=0.05, body_seconds=0.05) as server:
        part = "body" if begun.startswith(b"POST") else "head"
        told = answered(server, begun).problem(408, "too-slow")
        assert told["detail"] == f"the {part} of the request did not come in time"
        client = server.client()
        assert metrics(client)[f'glasnost_connections_closed_total{{reason="slow-{part}"}}'] == 1


def test_slow_trickle_is_closed_at_the_deadline(toy_in_words: Game, tmp_path: Path) -> None:
    with served(tmp_path, head_seconds=0.2, body_seconds=0.2, body_bytes_per_second=10**6) as server:
        for begun, drop in DRIPPING.items():
            with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as line:
                line.sendall(begun)
                line.settimeout(0.01)
                came = b""
                while not came:
                    line.sendall(drop)
                    with suppress(TimeoutError):
                        came = line.recv(12)
                assert came == b"HTTP/1.1 408"


def test_body_deadline_grows_with_the_bytes_received(toy_in_words: Game, tmp_path: Path) -> None:
    with served(tmp_path, body_seconds=0.01, body_bytes_per_second=1) as server:
        body = json.dumps({"name": "Ann"}).encode() + b" " * 1_000
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as line:
            line.sendall(POST + b"content-length: %d\r\n\r\n" % len(body) + body[:500])
            line.settimeout(0.3)
            with pytest.raises(TimeoutError):
                line.recv(1)
            line.settimeout(60)
            line.sendall(body[500:])
            assert line.recv(12) == b"HTTP/1.1 201"


@contextmanager
def streams(server: Served, match: str, count: int, **headers: str) -> Iterator[None]:
    """Streams of a match, each of which was answered."""
    with ExitStack() as stack:
        for _ in range(count):
            connection = HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
            stack.callback(connection.close)
            connection.request(
                "GET", f"/v1/matches/{match}/moves", headers={"accept": "text/event-stream", **headers}
            )
            answer = stack.enter_context(connection.getresponse())
            assert answer.status == 200
        yield


@pytest.mark.parametrize(("most", "kind", "reason"), [(6, "limit", "address"), (4, "full", "full")])
def test_only_health_is_answered_if_all_connections_are_in_use(
    toy_in_words: Game, tmp_path: Path, most: int, kind: str, reason: str
) -> None:
    with served(tmp_path, connections=most, trust_proxy=kind == "full") as server:
        match, _ = server.table()
        server.close()
        one, other = {"x-forwarded-for": "192.0.2.1"}, {"x-forwarded-for": "192.0.2.2"}
        with streams(server, match, 2, **one), streams(server, match, 2, **other):
            for path in HEALTH:
                assert asked(server.port, path.decode()) == 200
            refused = server.client().get("/v1/games", accept_language="ru")
            told = refused.problem({"limit": 429, "full": 503}[kind], kind)
            assert (refused.headers["retry-after"], refused.headers["connection"]) == ("1", "close")
            assert " 4 " in f"{told['detail']} "
            with pytest.raises(InvalidStatus) as caught, web_socket(server.port):
                pass
            assert caught.value.response.status_code == told["status"]
            found = metrics(server.client())
            assert found[f'glasnost_connections_closed_total{{reason="{reason}"}}'] == 2
        soon(lambda: asked(server.port, "/v1/games") == 200)


def test_open_sockets_keep_their_connections(toy_in_words: Game, tmp_path: Path) -> None:
    with served(tmp_path, connections_per_address=3) as server:
        assert server.services is not None
        connections = server.services.connections
        with ExitStack() as stack:
            for _ in range(3):
                stack.enter_context(web_socket(server.port))
            assert connections.count == 3
            assert server.client().get("/v1/games").status == 429
        soon(lambda: connections.count == 0)
        assert server.client().get("/v1/games").status == 200


def test_connections_behind_a_proxy_are_counted_by_forwarded_address(
    toy_in_words: Game, tmp_path: Path
) -> None:
    with served(tmp_path, connections_per_address=2, trust_proxy=True) as server:
        match, _ = server.table()
        visitor = {"x-forwarded-for": "2001:db8::1"}
        with streams(server, match, 2, **visitor):
            client = server.client()
            for address in ("2001:db8::1", "2001:db8::2"):
                told = client.get("/v1/games", x_forwarded_for=address).problem(429, "limit")
                assert told["detail"] == "at most 2 requests at once from one address"
            address = f"ws://127.0.0.1:{server.port}/v1/socket"
            with pytest.raises(InvalidStatus) as caught, connect(address, additional_headers=visitor):
                pass
            assert caught.value.response.status_code == 429
            assert client.get("/healthz", x_forwarded_for="2001:db8::1").status == 200
            assert client.get("/v1/games", x_forwarded_for="2001:db8:0:1::1").status == 200
            with streams(server, match, 2, **{"x-forwarded-for": "192.0.2.1"}):
                assert client.get("/v1/games").status == 200
        soon(lambda: client.get("/v1/games", x_forwarded_for="2001:db8::1").status == 200)


class FakeConnection:
    """A connection that remembers whether it was closed."""

    def __init__(self) -> None:
        self.sending = self.closed = False

    def hang_up(self) -> None:
        """See `Held`."""
        self.closed = True


def come(connections: Connections, *hosts: str) -> list[tuple[FakeConnection, ConnectionSlot]]:
    """One from each of these addresses, who gets a place."""
    found = []
    for host in hosts:
        connection = FakeConnection()
        place = connections.arrive(host, connection)
        assert place is not None
        found.append((connection, place))
    return found


def test_eviction_closes_idle_then_header_then_body_connections_oldest_first() -> None:
    connections = Connections(4, 4)
    came = come(connections, "192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4")
    for (_, place), waits in zip(came, (2, 1, 0, 0), strict=True):
        connections.wait(place, waits)
    for gone in (2, 3, 1, 0):
        (newcomer,) = come(connections, f"192.0.2.{10 + gone}")
        connections.wait(newcomer[1], None)
        assert [connection.closed for connection, _ in came].count(True) == 4 - [2, 3, 1, 0][::-1].index(gone)
        assert came[gone][0].closed
    (late,) = come(connections, "192.0.2.99")
    assert late[1].refusal == "full"


def test_connection_with_a_pending_response_is_not_idle() -> None:
    connections = Connections(4, 4)
    came = come(connections, *(f"192.0.2.{number}" for number in range(4)))
    came[0][0].sending = True
    come(connections, "192.0.2.8")
    assert [connection.closed for connection, _ in came] == [False, True, False, False]


def test_one_address_or_ipv6_network_gets_at_most_three_quarters() -> None:
    connections = Connections(8, 500)
    own = come(connections, *(f"2001:db8::{number}" for number in range(1, 7)))
    for _, place in own:
        connections.wait(place, None)
    other, late = come(connections, "2001:db8:0:1::1", "2001:db8::7")
    assert (other[1].refusal, late[1].refusal) == ("", "address")


def test_proxy_connections_do_not_count_as_one_client() -> None:
    connections = Connections(8, 1, ["192.0.2.0/28", "::1", "nonsense"])
    for _, place in come(connections, "192.0.2.1", "192.0.2.1", "::1", "::1"):
        connections.wait(place, None)
        assert not place.refusal
    assert [place.refusal for _, place in come(connections, "192.0.2.16", "192.0.2.16")] == ["", ""]


def test_spare_connection_goes_to_the_newest_unless_health_is_being_answered() -> None:
    connections = Connections(2, 1)
    for _, place in come(connections, "192.0.2.1", "192.0.2.2"):
        connections.wait(place, None)
    own = come(connections, *["192.0.2.3"] * (SPARE_EACH + 1))
    assert [connection.closed for connection, _ in own] == [True, *[False] * SPARE_EACH]
    all_of_them = come(connections, *(f"198.51.100.{number}" for number in range(SPARE)))
    assert connections.count == 2 + SPARE
    for _, place in all_of_them:
        connections.wait(place, None)
    assert connections.arrive("192.0.2.9", FakeConnection()) is None
    connections.leave(all_of_them[0][1])
    connections.leave(all_of_them[0][1])
    come(connections, "192.0.2.9")
    assert connections.count == 2 + SPARE


def test_server_reserves_file_descriptors_under_any_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    def files(most: int) -> None:
        monkeypatch.setattr("resource.getrlimit", lambda which: (most, most))

    for most, expected in ((512, 352), (100, 50), (20_000, 10_000), (-1, 10_000), (1, 2)):
        files(most)
        assert allowed(10_000) == expected


class Stuck(Wire):
    """A transport whose write buffer has these sizes, one for each call."""

    def __init__(self, left: list[int]) -> None:
        super().__init__()
        self.left = left
        self.aborted = asyncio.Event()

    def get_write_buffer_size(self) -> int:
        return self.left.pop(0) if len(self.left) > 1 else self.left[0]

    def abort(self) -> None:
        self.aborted.set()


@pytest.mark.parametrize("left", [[5, 5], [5, 4, 4, 3, 3]])
def test_connection_whose_client_stops_reading_is_aborted(left: list[int]) -> None:
    async def run() -> None:
        wire = Stuck(left)
        Line(wire, asyncio.get_running_loop(), 0.01).close()
        await asyncio.wait_for(wire.aborted.wait(), 60)

    asyncio.run(run())
