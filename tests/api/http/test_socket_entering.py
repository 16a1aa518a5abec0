"""Authentication of sockets: the handshake, the first message, revoked tokens, limits."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus

from api.http import auth
from api.http.ws_session import Session
from domain.game import Game
from tests.api.http.served import Served, served
from tests.api.http.sockets import socket, spectator
from tests.api.store.locations import ACT
from tests.waiting import soon


def refused(server: Served, token: str | None = None, **how: str) -> tuple[int, str, dict[str, str]]:
    """How a handshake is refused: the status, the kind of problem, the headers."""
    with pytest.raises(InvalidStatus) as caught, socket(server.port, token, **how):
        raise AssertionError("there must be no socket")
    response = caught.value.response
    told = json.loads(response.body or b"{}")
    assert response.headers["content-type"] == "application/problem+json"
    assert told["status"] == response.status_code
    headers = {name.lower(): value for name, value in response.headers.raw_items()}
    return response.status_code, told["type"].removeprefix("/problems/"), headers


def test_handshake_is_refused_like_a_request(server: Served, caplog: pytest.LogCaptureFixture) -> None:
    over_http = server.client("guess").get("/v1/keys").problem(401, "unauthorized")
    status, kind, headers = refused(server, "guess")
    assert (status, kind, headers["www-authenticate"]) == (401, over_http["type"][10:], "Bearer")
    assert refused(server, path="/v1/socket?token=abc")[:2] == (422, "invalid")
    assert refused(server, "guess", language="ru")[2]["content-language"] == "ru"
    assert not caplog.records  # a stranger fills no log


def test_plain_request_to_the_socket_is_refused_with_a_remedy(server: Served) -> None:
    answer = server.client().get("/v1/socket")
    answer.problem(426, "upgrade")
    assert answer.headers["upgrade"] == "websocket"
    assert "Upgrade" not in server.client().get("/openapi.json").json["paths"]


def test_handshake_at_any_other_address_is_refused(server: Served) -> None:
    with pytest.raises(InvalidStatus) as caught, socket(server.port, path="/v1/matches"):
        raise AssertionError("there must be no socket")
    assert caught.value.response.status_code == 403


def test_browser_authenticates_with_its_first_message(server: Served) -> None:
    match, (ann, _) = server.table()
    with socket(server.port) as one:
        told = one.problem(401, "unauthorized", "prompt", match=match)
        assert "first message is enter" in told["detail"]
        one.problem(401, "unauthorized", "follow", match=match)
        one.problem(401, "unauthorized", "enter", token="guess")
        assert one.done("enter", token=ann.token) == {
            "player": ann.player,
            "role": "player",
            "language": "en",
        }
        one.problem(422, "invalid", "enter", token=ann.token)
        assert one.done("prompt", match=match)["seat"] == "left"


def test_spectator_connects_without_a_token(server: Served) -> None:
    with socket(server.port) as one:
        assert one.done("enter") == {"player": None, "role": None, "language": "en"}
        one.send({"do": "enter"})
        assert one.reply(None)["status"] == 422


def test_socket_that_does_not_authenticate_in_time_is_closed(
    toy_in_words: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late, look = threading.Event(), Session._look_who_is_there

    def look_when_late(session: Session) -> None:
        if late.is_set():
            look(session)
        else:
            asyncio.get_running_loop().call_later(0.01, look_when_late, session)

    monkeypatch.setattr(Session, "_look_who_is_there", look_when_late)
    with served(tmp_path, entering_seconds=0) as server:
        match, (ann, _) = server.table()
        with (
            socket(server.port) as one,
            socket(server.port, ann.token) as mine,
            spectator(server.port) as other,
        ):
            one.problem(401, "unauthorized", "prompt", match=match)
            late.set()
            assert one.closed() == (1008, "no authentication in time")
            assert mine.say("prompt", match=match)["status"] == 200
            assert other.say("prompt", match=match)["status"] == 204


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """The store is asked about a token every time, and not once in a minute."""
    monkeypatch.setattr(auth, "_KNOWN_SECONDS", 0.0)


def test_revoked_token_closes_the_socket_at_the_next_message(server: Served, forgetful: None) -> None:
    match, (ann, _) = server.table()
    with socket(server.port, ann.token) as one:
        assert one.say("prompt", match=match)["status"] == 200
        server.store.people.forget(ann.player, ACT)
        one.problem(401, "unauthorized", "play", match=match, expect=3, picks=["2"])
        assert one.closed() == (1008, "the token is no longer good")
    assert server.client().get(f"/v1/matches/{match}").json["move"] == 3


def test_revoked_token_closes_the_socket_at_the_next_move(server: Served, forgetful: None) -> None:
    match, (ann, ben) = server.table()
    with socket(server.port, ann.token) as one:
        one.done("follow", match=match)
        one.pushed(match, 3)
        server.store.people.forget(ann.player, ACT)
        ben.post(f"/v1/matches/{match}/moves", {"expect": 3, "picks": ["2"]})
        assert one.closed() == (1008, "the token is no longer good")
        assert len(one.moves[match]) == 3


def test_messages_and_requests_share_one_rate_limit(toy_in_words: Game, tmp_path: Path) -> None:
    with served(tmp_path, requests_per_second=5) as server:
        server.stop_the_clock()
        token = server.store.people.add("Ann", "player")[1]
        with socket(server.port, token) as one:
            replies = [one.say("prompt", match="m0") for _ in range(40)]
            kinds = [reply["problem"]["type"] for reply in replies]
            assert kinds.count("/problems/limit") >= 20
            refusal = next(reply for reply in replies if reply["status"] == 429)
            assert refusal["retry_after"] == 1
            server.client(token).get("/v1/keys").problem(429, "limit")
            assert refused(server, token)[:2] == (429, "limit")


def test_open_sockets_are_limited_per_client(toy_in_words: Game, tmp_path: Path) -> None:
    with served(tmp_path, streams_per_viewer=2) as server:
        ann, ben = server.player("Ann"), server.player("Ben")
        with socket(server.port, ann.token), socket(server.port, ann.token):
            assert refused(server, ann.token)[:2] == (429, "limit")
            with socket(server.port, ben.token), spectator(server.port), socket(server.port) as late:
                late.problem(429, "limit", "enter", token=ann.token)
                assert late.done("enter", token=ben.token)["player"] == ben.player
                with spectator(server.port):  # the place of this address that Ben has left
                    assert refused(server)[:2] == (429, "limit")
        soon(lambda: "glasnost_sockets 0.0" in server.client().get("/metrics").body.decode())
