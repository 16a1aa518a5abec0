"""Pages of other origins: their requests change nothing, unless the operator lists the origin."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from api.http import middleware
from api.settings import BadSetting, read
from domain.game import Game
from tests.api.http.served import Answer, Client, Served, served
from tests.api.http.streaming import Listener
from tests.waiting import PATIENCE

OURS, THEIRS = "https://app.example.org", "https://evil.example"
NAMED = {"name": "Eve"}
JSON, FORM = "application/json", "application/x-www-form-urlencoded"
SIMPLE = [FORM, "text/plain", "multipart/form-data; boundary=x", f"text/plain; {JSON}", "", None]


@pytest.fixture
def shared(toy_in_words: Game, tmp_path: Path) -> Iterator[Served]:
    """A server that pages of one other origin may use."""
    with served(tmp_path / "shared", origins=(OURS,)) as running:
        yield running


def post(
    client: Client, kind: str | None, path: str = "/v1/players", body: Any = NAMED, **more: str
) -> Answer:
    """A POST with this type of body, or with none; the names of headers are written with underscores."""
    headers = {name.replace("_", "-"): value for name, value in more.items()}
    content = None if body is None else json.dumps(body).encode()
    return client.send("POST", path, content, headers if kind is None else {**headers, "content-type": kind})


def own(server: Served) -> str:
    """The origin of the server's own pages."""
    return f"http://127.0.0.1:{server.port}"


@pytest.mark.parametrize("kind", SIMPLE)
@pytest.mark.parametrize("mark", ["own", "named", "cookie", "site"])
def test_browser_request_needs_a_content_type_that_forces_preflight(
    shared: Served, kind: str | None, mark: str
) -> None:
    marks = {
        "own": {"origin": own(shared)},
        "named": {"origin": OURS},
        "cookie": {"cookie": "a=b"},
        "site": {"sec_fetch_site": "same-origin"},
    }
    refused = post(shared.client(), kind, **marks[mark])
    told = refused.problem(415, "media-type")
    assert told["detail"].startswith(f"{JSON}, not ")
    assert refused.headers["accept"] == JSON
    assert post(shared.client(), f"{JSON}; charset=utf-8", **marks[mark]).status == 201


@pytest.mark.parametrize("kind", SIMPLE)
def test_browser_request_without_a_body_needs_that_content_type_too(shared: Served, kind: str | None) -> None:
    match, players = shared.table()
    path = f"/v1/matches/{match}/resignation"
    for mark in ({"origin": own(shared)}, {"cookie": "a=b"}):
        post(players[0], kind, path, None, **mark).problem(415, "media-type")
    assert players[0].get(f"/v1/matches/{match}").json["status"] == "running"
    assert post(players[0], JSON, path, None, origin=own(shared)).status == 201


def test_curl_needs_no_content_type(shared: Served) -> None:
    match, players = shared.table()
    assert post(shared.client(), FORM).status == 201
    assert post(players[0], None, f"/v1/matches/{match}/resignation", None).status == 201


def test_page_uploads_a_match_file_with_its_media_type(shared: Served) -> None:
    ann = shared.player()
    for kind, status in ((FORM, 415), ("text/plain", 415), ("application/zip", 422)):
        assert post(ann, kind, "/v1/replays", origin=OURS).status == status


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize(
    "mark",
    [
        {"origin": THEIRS},
        {"origin": "null"},
        {"origin": "file://"},
        {"origin": ""},
        {"origin": f"{OURS}.evil.example"},
        {"origin": f"{OURS}:444"},
        {"origin": OURS.replace("https", "http")},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_page_of_another_origin_changes_nothing(shared: Served, method: str, mark: dict[str, str]) -> None:
    body = json.dumps(NAMED).encode()
    refused = shared.client().send(method, "/v1/players", body, {"content-type": JSON, **mark})
    refused.problem(403, "cross-origin")
    assert "access-control-allow-origin" not in refused.headers
    russian = {"content-type": JSON, "accept-language": "ru", **mark}
    told = shared.client().send(method, "/v1/players", body, russian).problem(403, "cross-origin")
    assert told["detail"].startswith("Запрос с чужой страницы: страницам ")


def test_matching_origin_is_refused_if_the_browser_reports_cross_site(server: Served) -> None:
    mark = {"origin": own(server)}
    assert post(server.client(), JSON, **mark).status == 201
    assert post(server.client(), JSON, **mark, sec_fetch_site="same-origin").status == 201
    post(server.client(), JSON, **mark, sec_fetch_site="cross-site").problem(403, "cross-origin")
    post(server.client(), JSON, origin=OURS).problem(403, "cross-origin")  # none is named here


def test_own_page_is_accepted_behind_a_tls_proxy(server: Served) -> None:
    host = {"host": f"play.localhost:{server.port}", "origin": f"https://play.localhost:{server.port}"}
    assert post(server.client(), JSON, **host).status == 201


# ── reading ──


def test_only_an_allowed_origin_may_read_responses(shared: Served) -> None:
    client = shared.client()
    for path, status in (
        ("/v1/games", 200),
        ("/healthz", 200),
        ("/openapi.json", 200),
        ("/v1/nothing", 404),
        ("/v1/games?x=1", 422),
        ("/v1/refusals", 401),
    ):
        answer = client.get(path, origin=OURS)
        assert (answer.status, answer.headers["access-control-allow-origin"]) == (status, OURS)
        assert "Retry-After" in answer.headers["access-control-expose-headers"]
        for other in ({"origin": THEIRS}, {"origin": "null"}, {}):
            foreign = client.get(path, **other)
            assert foreign.status == status
            assert not [name for name in foreign.headers if name.startswith("access-control")]
            assert foreign.headers["vary"].split(", ")[-1] == "Origin"
        assert "access-control-allow-credentials" not in answer.headers
    refused = client.send("POST", "/v1/players", b"", {"origin": OURS})
    assert (refused.status, refused.headers["access-control-allow-origin"]) == (415, OURS)


def test_existing_vary_header_is_kept() -> None:
    head = [(b"vary", b"Accept"), (b"etag", b"1"), (b"vary", b"Accept-Language")]
    assert middleware.varying(head) == [(b"etag", b"1"), (b"vary", b"Accept, Accept-Language, Origin")]


def test_responses_have_no_cors_headers_if_no_origin_is_allowed(server: Served) -> None:
    answer = server.client().get("/v1/games", origin=OURS)
    assert answer.status == 200
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert "Origin" not in answer.headers.get("vary", "")


def test_allowed_origin_can_read_server_and_connection_errors(
    shared: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*given: object) -> None:
        raise ZeroDivisionError

    assert shared.services is not None
    monkeypatch.setattr(shared.services.requests, "take", fail)
    broken = shared.client().get("/v1/games", origin=OURS)
    assert (broken.status, broken.headers["access-control-allow-origin"]) == (500, OURS)
    too_long = shared.client().get("/v1/games", origin=OURS, x="y" * 65_536)
    assert (too_long.status, too_long.headers["access-control-allow-origin"]) == (431, OURS)


def test_allowed_origin_can_open_a_stream_with_a_ticket(shared: Served) -> None:
    match, players = shared.table()
    told = post(players[0], JSON, "/v1/streams/tickets", {"match": match}, origin=OURS)
    assert told.headers["access-control-allow-origin"] == OURS
    path = f"/v1/matches/{match}/moves?ticket={told.json['ticket']}"
    stream = Listener(shared.port, path, {"origin": OURS})
    assert stream.answer.getheader("access-control-allow-origin") == OURS
    assert [event.id for event in stream.take(3)] == [1, 2, 3]
    stream.close()


# ── asking first ──


def ask(client: Client, path: str, origin: str | None, method: str | None = "POST") -> Answer:
    """What a browser asks before a page may send a request."""
    head = {"origin": origin, "access-control-request-method": method}
    return client.send("OPTIONS", path, None, {name: value for name, value in head.items() if value})


def test_preflight_of_an_allowed_origin_lists_methods_and_headers(shared: Served) -> None:
    answer = ask(shared.client(), "/v1/matches/m1/moves", OURS)
    assert (answer.status, answer.body) == (204, b"")
    assert answer.headers["access-control-allow-origin"] == OURS
    assert answer.headers["access-control-allow-methods"] == "GET, HEAD, POST"
    allowed = answer.headers["access-control-allow-headers"].split(", ")
    assert {"Authorization", "Content-Type", "Idempotency-Key", "Last-Event-ID"} <= set(allowed)
    assert {"If-None-Match", "Accept-Language"} <= set(allowed)
    assert answer.headers["access-control-max-age"] == "7200"
    assert answer.headers["vary"] == "Origin"


@pytest.mark.parametrize("origin", [THEIRS, "null", "*", OURS + "."])
def test_preflight_of_another_origin_gets_no_cors_headers(
    shared: Served, server: Served, origin: str
) -> None:
    for one in (shared, server):
        refused = ask(one.client(), "/v1/players", origin)
        refused.problem(403, "cross-origin")
        assert not [name for name in refused.headers if name.startswith("access-control")]


def test_options_lists_the_methods_of_an_address(server: Served) -> None:
    answer = ask(server.client(), "/v1/matches", None, None)
    assert (answer.status, answer.headers["allow"]) == (204, "GET, HEAD, POST, OPTIONS")
    ask(server.client(), "/v1/nothing", None, None).problem(404, "not-found")


# ── by which names ──


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "localhost.evil.example", "x", "127.0.0.1.a"]
)
def test_request_with_a_foreign_host_is_refused(server: Served, host: str) -> None:
    client = server.client()
    for method, path in (
        ("GET", "/v1/games"),
        ("POST", "/v1/players"),
        ("GET", "/"),
        ("OPTIONS", "/v1/players"),
    ):
        told = client.send(method, path, None, {"host": host}).problem(421, "wrong-host")
        assert told["detail"] == f"{host} is no name of this server; GLASNOST_HOSTS lists them"
    told = client.get("/v1/games", host=host, accept_language="ru").problem(421, "wrong-host")
    assert told["detail"].startswith(f"Запрос не к этому серверу: имени {host} у него нет")
    for path in ("/healthz", "/readyz", "/metrics"):
        assert client.get(path, host=host).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST:8000",
        "localhost.",
        "a.localhost",
        "127.0.0.1:1",
        "10.1.2.3",
        "[::1]",
        "[::1]:80",
        "[2001:db8::1]:80",
    ],
)
def test_ip_addresses_and_localhost_are_accepted_as_host(server: Served, host: str) -> None:
    assert server.client().get("/v1/games", host=host).status == 200


def test_signing_name_is_the_accepted_host_unless_hosts_are_set(
    toy_in_words: Game, tmp_path: Path, server: Served
) -> None:
    signs = server.gate.keys.present.name
    assert server.client().get("/v1/games", host=f"{signs.upper()}:443").status == 200
    for hosts, known in ((("play.example.org",), True), (("*",), True), (("other.example.org",), False)):
        with served(tmp_path / hosts[0].replace("*", "any"), hosts=hosts) as running:
            status = running.client().get("/v1/games", host="play.example.org").status
            assert status == (200 if known else 421)
            assert running.client().get("/v1/games", host=signs).status == (200 if hosts == ("*",) else 421)


# ── sockets ──


@pytest.mark.parametrize(
    ("head", "status"),
    [
        ({"origin": THEIRS}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"host": "evil.example", "origin": "http://evil.example"}, 421),
    ],
)
def test_socket_is_refused_to_pages_of_other_origins(
    shared: Served, head: dict[str, str], status: int
) -> None:
    with pytest.raises(InvalidStatus) as caught:
        opened(shared, head)
    assert caught.value.response.status_code == status
    assert caught.value.response.headers["content-type"] == "application/problem+json"


def test_socket_is_open_to_allowed_pages_and_to_non_browsers(shared: Served) -> None:
    for head in ({}, {"origin": OURS}, {"origin": own(shared)}):
        opened(shared, head)


def opened(server: Served, head: dict[str, str]) -> None:
    """Open a socket with these headers, and close it."""
    host = head.get("host", f"127.0.0.1:{server.port}")
    line = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
    with (
        line,
        connect(
            f"ws://{host}/v1/socket",
            sock=line,
            additional_headers={name: value for name, value in head.items() if name != "host"},
        ),
    ):
        pass


# ── settings ──


def test_hosts_and_origins_are_read_as_lists() -> None:
    found = read(
        {"GLASNOST_HOSTS": "Play.example.org, b", "GLASNOST_ORIGINS": "https://a.example,http://b:81"}
    )
    assert (found.hosts, found.origins) == (("play.example.org", "b"), ("https://a.example", "http://b:81"))


@pytest.mark.parametrize(
    "given",
    [
        {"GLASNOST_HOSTS": "play.example.org:80"},
        {"GLASNOST_HOSTS": "*.example.org"},
        {"GLASNOST_HOSTS": "https://play.example.org"},
        {"GLASNOST_ORIGINS": "*"},
        {"GLASNOST_ORIGINS": "null"},
        {"GLASNOST_ORIGINS": "a.example"},
        {"GLASNOST_ORIGINS": "https://a.example/"},
        {"GLASNOST_ORIGINS": "https://a.example:443"},
        {"GLASNOST_ORIGINS": "http://a1:80"},
        {"GLASNOST_ORIGINS": "ftp://a.example"},
    ],
)
def test_invalid_host_or_origin_setting_is_refused(given: dict[str, str]) -> None:
    (name,) = given
    with pytest.raises(BadSetting, match=name):
        read(given)
