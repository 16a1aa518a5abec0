"""Hostile messages: each gets a problem or a close code, nothing changes, no other client notices."""

from __future__ import annotations

import asyncio
import json
import socket as sockets
import threading
import time
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as how
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed

from api.http import server as server_module
from domain.game import Game
from tests.api.http.served import Client, Served, served
from tests.api.http.sockets import Socket, socket, spectator
from tests.api.http.test_commands import bid
from tests.waiting import PATIENCE

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
DOS = ("enter", "play", "prompt", "takeback", "answer_takeback", "resign", "follow", "leave", "rule", "")
FIELDS = ("id", "match", "expect", "picks", "answers", "key", "after", "view", "proof", "to", "agree")
MESSAGES = st.one_of(
    st.binary(max_size=60),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
    ANYTHING.map(json.dumps),
    st.builds(
        lambda do, fields: json.dumps({"do": do, **fields}),
        st.sampled_from(DOS),
        st.dictionaries(st.sampled_from(FIELDS), ANYTHING | st.sampled_from(["m1", 5, ["wave"]]), max_size=5),
    ),
)


def replies(one: Socket, messages: list[Any]) -> list[Any]:
    """The replies to messages of any kind, which all get one."""
    for message in messages:
        one.send(message)
    return [json.loads(one.connection.recv(PATIENCE)) for _ in messages]


@pytest.mark.parametrize("examples", [50, pytest.param(150, marks=pytest.mark.long)])
def test_invalid_messages_get_a_reply_and_change_nothing(server: Served, examples: int) -> None:
    match, players = server.table()
    address = bid(match, players)
    before = (server.store.last(), players[0].get(address).body)
    statuses = set()
    with socket(server.port, server.player("Eve").token) as one:

        @how(deadline=None, max_examples=examples, suppress_health_check=list(HealthCheck))
        @given(st.lists(MESSAGES, max_size=4))
        def say(messages: list[Any]) -> None:
            for reply in replies(one, messages):
                statuses.add(reply["status"])
                if reply["status"] != 204:  # `leave` without `follow` is accepted
                    assert reply["status"] in (400, 404, 422), reply
                    assert reply["problem"]["status"] == reply["status"]

        say()
    assert {400, 422} <= statuses
    assert (server.store.last(), players[0].get(address).body) == before


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ('{"do": "play", "id": 7, "match": "m1", "expect": 5, "picks": ["wave"], "extra": 1}', 7),
        ('{"do": "dance", "id": "my own"}', "my own"),
        ('{"do": "play", "id": 8}', 8),
        ('{"id": 9}', 9),
        ('{"do": "prompt", "id": 10, "match": "../m1"}', 10),
        ('{"do": "prompt", "id": 11, "match": "m1\\n"}', 11),
        ('{"do": "prompt", "id": 1.5, "match": "m1"}', None),
        ('{"do": "prompt", "id": true, "match": "m1"}', None),
        ('{"do": "prompt", "match": "m1"}', None),
        ("[" * 10_000, None),
        ('{"a":' * 10_000, None),
        (b"\x00", None),
        ("", None),
    ],
)
def test_refusal_repeats_the_message_id_if_it_has_one(server: Served, message: Any, told: Any) -> None:
    with spectator(server.port) as one:
        (reply,) = replies(one, [message])
        assert reply["id"] == told
        assert reply["status"] in (400, 422)


def test_oversized_message_closes_the_socket(toy_in_words: Game, tmp_path: Any) -> None:
    with served(tmp_path, body_bytes=1_000) as server:
        with spectator(server.port) as one:
            one.send(json.dumps({"do": "prompt", "id": 1, "match": "m0"}) + " " * 900)
            assert one.reply(1)["status"] == 404
            one.send(" " * 1_001)
            assert one.closed()[0] == 1009
        with spectator(server.port) as one:  # nor does it help to send it in pieces
            with suppress(ConnectionClosed):  # the server may close before the last piece
                one.connection.send([" " * 100] * 11)
            assert one.closed()[0] == 1009


def test_pending_command_completes_though_an_oversized_message_closes_the_socket(
    toy_in_words: Game, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with served(tmp_path, body_bytes=1_000) as server:
        match, players = server.table()
        play, begun, go_on = server.gate.play, threading.Event(), asyncio.Event()

        async def slowly(*given: Any, **named: Any) -> Any:
            begun.set()
            await go_on.wait()
            return await play(*given, **named)

        monkeypatch.setattr(server.gate, "play", slowly)
        with socket(server.port, players[0].token) as one:
            one.begin("play", match=match, expect=3, picks=["2"])
            assert begun.wait(PATIENCE)
            one.send(" " * 1_001)
            assert one.closed()[0] == 1009
        server.loop.call_soon_threadsafe(go_on.set)
        with spectator(server.port) as one:
            one.done("follow", match=match)
            assert one.pushed(match, 4)[3]["kind"] == "played"
    assert not caplog.records


def test_socket_that_answers_no_ping_is_closed(
    toy_in_words: Game, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "_SILENT_HEARTBEATS", 1)
    with served(tmp_path, heartbeat_seconds=1) as server:
        token = server.player().token
        assert token
        with raw(server.port, token) as one:
            told = b""
            while piece := one.recv(1_000):
                told += piece
        frames = told.partition(b"\r\n\r\n")[2]
        assert frames[:2] == b"\x89\x04"  # a ping of four bytes
        assert frames[8:10] == (1011).to_bytes(2, "big")  # behind the head of a close frame


def test_invalid_utf_8_closes_the_socket(server: Served, caplog: pytest.LogCaptureFixture) -> None:
    with spectator(server.port) as one:
        one.connection.send(b"\xff\xfe", text=True)
        assert one.closed()[0] == 1007
    assert server.client().get("/healthz").status == 200
    assert not caplog.records  # a stranger fills no log


def _frame(first: int, payload: bytes, mask: bytes = bytes(4)) -> bytes:
    masked = bytes(byte ^ mask[place % 4] for place, byte in enumerate(payload))
    return bytes([first, 0x80 | len(payload)]) + mask + masked


def _told(one: sockets.socket, count: int) -> list[bytes]:
    """The first so many frames of the server, each with its head."""
    data, frames = b"", list[bytes]()
    while len(frames) < count:
        while len(data) >= 2 and len(data) >= (end := _end(data)):
            frames.append(data[:end])
            data = data[end:]
        if len(frames) < count:
            piece = one.recv(100_000)
            assert piece, "the server closed the connection"
            data += piece
    return frames


def _end(data: bytes) -> int:
    length = data[1]
    return 2 + length if length < 126 else 4 + int.from_bytes(data[2:4])


@pytest.mark.parametrize("size", [1, 3, 7, 10_000])
def test_messages_are_read_however_their_bytes_are_split(server: Served, size: int) -> None:
    """Whole ones, masked, in several frames, with a ping between, and many of them in one piece."""
    token = server.player("Eve").token
    assert token
    message = json.dumps({"do": "prompt", "id": 1, "match": "m0"}).encode()
    sent = b"".join(
        (
            _frame(0x81, message),
            _frame(0x81, message, b"\x01\x02\x03\x04"),
            _frame(0x01, message[:10], b"mask"),
            _frame(0x89, b"are you there"),
            _frame(0x80, message[10:], b"MASK"),
            _frame(0x82, message),
            _frame(0x81, message) * 50,
        )
    )
    with raw(server.port, token) as one:
        _ = one.recv(10_000)  # the rest of the answer to the handshake
        for start in range(0, len(sent), size):
            one.sendall(sent[start : start + size])
        frames = _told(one, 55)
    pongs = [frame for frame in frames if frame[0] == 0x8A]
    assert [frame[2:] for frame in pongs] == [b"are you there"]
    statuses = [json.loads(frame[4:])["status"] for frame in frames if frame[0] == 0x81]
    assert sorted(statuses) == [400] + [404] * 53
    assert statuses[3] == 400  # in the order in which they were sent


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (bytes([0x81, 5]) + b"hello", 1002),  # not masked
        (_frame(0xC1, b"hello"), 1002),  # a reserved bit
        (_frame(0x83, b"hello"), 1002),  # a reserved opcode
        (_frame(0x80, b"hello"), 1002),  # goes on with nothing
        (_frame(0x01, b"he") + _frame(0x81, b"hello"), 1002),  # a message within a message
        (_frame(0x01, b"\xff") + _frame(0x80, b""), 1007),  # no UTF-8, in two frames
        (bytes([0x81, 0xFF]) + (1 << 62).to_bytes(8), 1009),  # announced too long
    ],
)
def test_protocol_violation_closes_the_socket_with_its_code(server: Served, sent: bytes, code: int) -> None:
    token = server.player("Eve").token
    assert token
    with raw(server.port, token) as one:
        _ = one.recv(10_000)
        one.sendall(sent)
        (frame,) = _told(one, 1)
    assert (frame[0], int.from_bytes(frame[2:4])) == (0x88, code)
    assert server.client().get("/healthz").status == 200


def raw(port: int, token: str) -> sockets.socket:
    """A socket whose bytes are in our own hands, and whose buffer is small."""
    one = sockets.socket()
    one.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4_096)
    one.connect(("127.0.0.1", port))
    one.sendall(
        b"GET /v1/socket HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
        b"sec-websocket-version: 13\r\nsec-websocket-key: Z2xhc25vc3QgYmVuY2hlcw==\r\n"
        b"authorization: Bearer %b\r\n\r\n" % token.encode()
    )
    assert one.recv(12) == b"HTTP/1.1 101"
    return one


def flooded(one: sockets.socket, message: bytes) -> int:
    """Send a short message again and again, reading nothing, until no more is taken; how many were sent."""
    frames = (bytes([0x81, 0x80 | len(message)]) + bytes(4) + message) * 1_000
    one.settimeout(0.5)
    for number in range(10_000):
        try:
            one.sendall(frames)
        except TimeoutError:
            return number * 1_000
    raise AssertionError("the server reads on and on")


def _heard(client: Client) -> int:
    """How many questions of the socket were answered."""
    told = client.get("/metrics").body.decode()
    line = 'glasnost_requests_total{method="prompt",route="/v1/socket",status="200"} '
    return int(float(told.partition(line)[2].partition("\n")[0] or 0))


def _settled(client: Client) -> int:
    """The same, once it stands still."""
    heard = _heard(client)
    while not heard or heard != (latest := _heard_later(client)):
        heard = latest
    return heard


def _heard_later(client: Client) -> int:
    time.sleep(1)
    return _heard(client)


def test_server_stops_reading_from_a_client_that_does_not_read_replies(
    toy_in_words: Game, tmp_path: Any
) -> None:
    with served(tmp_path, requests_per_second=10**9) as server:
        match, players = server.table()
        assert players[0].token
        message = json.dumps({"do": "prompt", "id": 1, "match": match}).encode()
        with raw(server.port, players[0].token) as one:
            sent = flooded(one, message)
            heard = _settled(server.client())
            assert 0 < heard < sent
            bid(match, players)  # the others go on as ever
            assert _heard(server.client()) == heard
