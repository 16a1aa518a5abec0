"""Pages of other origins: what a browser sends for them changes nothing, unless an operator names them."""

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
def test_what_a_browser_sends_changes_something_only_with_a_type_that_no_page_sends_unasked(
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
def test_a_request_without_a_body_is_no_exception(shared: Served, kind: str | None) -> None:
    match, players = shared.table()
    path = f"/v1/matches/{match}/resignation"
    for mark in ({"origin": own(shared)}, {"cookie": "a=b"}):
        post(players[0], kind, path, None, **mark).problem(415, "media-type")
    assert players[0].get(f"/v1/matches/{match}").json["status"] == "running"
    assert post(players[0], JSON, path, None, origin=own(shared)).status == 201


def test_curl_goes_on_as_it_was(shared: Served) -> None:
    match, players = shared.table()
    assert post(shared.client(), FORM).status == 201
    assert post(players[0], None, f"/v1/matches/{match}/resignation", None).status == 201


def test_a_match_file_is_uploaded_from_a_page_with_its_own_type(shared: Served) -> None:
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
def test_pages_of_other_origins_change_nothing(shared: Served, method: str, mark: dict[str, str]) -> None:
    body = json.dumps(NAMED).encode()
    refused = shared.client().send(method, "/v1/players", body, {"content-type": JSON, **mark})
    refused.problem(403, "cross-origin")
    assert "access-control-allow-origin" not in refused.headers
    russian = {"content-type": JSON, "accept-language": "ru", **mark}
    told = shared.client().send(method, "/v1/players", body, russian).problem(403, "cross-origin")
    assert told["detail"].startswith("Страница чужая: страницам ")


def test_an_origin_is_no_own_one_where_the_browser_says_otherwise(server: Served) -> None:
    mark = {"origin": own(server)}
    assert post(server.client(), JSON, **mark).status == 201
    assert post(server.client(), JSON, **mark, sec_fetch_site="same-origin").status == 201
    post(server.client(), JSON, **mark, sec_fetch_site="cross-site").problem(403, "cross-origin")
    post(server.client(), JSON, origin=OURS).problem(403, "cross-origin")  # none is named here


def test_behind_a_proxy_with_tls_a_page_of_the_server_is_its_own(server: Served) -> None:
    host = {"host": f"play.localhost:{server.port}", "origin": f"https://play.localhost:{server.port}"}
    assert post(server.client(), JSON, **host).status == 201


# ── reading ──


def test_a_named_origin_may_read_every_answer_and_no_other_may(shared: Served) -> None:
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


def test_an_answer_that_varies_already_goes_on_to_do_so() -> None:
    head = [(b"vary", b"Accept"), (b"etag", b"1"), (b"vary", b"Accept-Language")]
    assert middleware.varying(head) == [(b"etag", b"1"), (b"vary", b"Accept, Accept-Language, Origin")]


def test_where_no_origin_is_named_no_answer_speaks_of_any(server: Served) -> None:
    answer = server.client().get("/v1/games", origin=OURS)
    assert answer.status == 200
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert "Origin" not in answer.headers.get("vary", "")


def test_errors_of_the_server_and_of_the_connection_can_be_read_too(
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


def test_a_stream_and_its_ticket_are_had_from_a_named_origin(shared: Served) -> None:
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


def test_a_named_origin_is_told_what_it_may_send(shared: Served) -> None:
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
def test_another_origin_is_told_nothing(shared: Served, server: Served, origin: str) -> None:
    for one in (shared, server):
        refused = ask(one.client(), "/v1/players", origin)
        refused.problem(403, "cross-origin")
        assert not [name for name in refused.headers if name.startswith("access-control")]


def test_whoever_asks_what_an_address_knows_is_told(server: Served) -> None:
    answer = ask(server.client(), "/v1/matches", None, None)
    assert (answer.status, answer.headers["allow"]) == (204, "GET, HEAD, POST, OPTIONS")
    ask(server.client(), "/v1/nothing", None, None).problem(404, "not-found")


# ── by which names ──


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "localhost.evil.example", "x", "127.0.0.1.a"]
)
def test_a_name_that_is_none_of_the_servers_is_refused(server: Served, host: str) -> None:
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
def test_addresses_and_localhost_are_names_of_every_server(server: Served, host: str) -> None:
    assert server.client().get("/v1/games", host=host).status == 200


def test_the_name_under_which_a_server_signs_is_its_name_unless_others_are_given(
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
def test_a_socket_is_refused_to_pages_of_other_origins(
    shared: Served, head: dict[str, str], status: int
) -> None:
    with pytest.raises(InvalidStatus) as caught:
        opened(shared, head)
    assert caught.value.response.status_code == status
    assert caught.value.response.headers["content-type"] == "application/problem+json"


def test_a_socket_is_had_by_pages_that_may_and_by_what_is_no_browser(shared: Served) -> None:
    for head in ({}, {"origin": OURS}, {"origin": own(shared)}):
        opened(shared, head)


def opened(server: Served, head: dict[str, str]) -> None:
    """Open a socket with these headers, and close it."""
    host = head.get("host", f"127.0.0.1:{server.port}")
    line = socket.create_connection(("127.0.0.1", server.port), timeout=60)
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


def test_hosts_and_origins_are_read_as_a_list() -> None:
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
def test_a_host_or_an_origin_that_is_none_is_refused(given: dict[str, str]) -> None:
    (name,) = given
    with pytest.raises(BadSetting, match=name):
        read(given)
