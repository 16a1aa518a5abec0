"""Sessions over HTTP: signing in and out, one-time links, and what pages of other origins try."""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from http.cookies import SimpleCookie
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import segno
from redis import Redis
from starlette.types import Scope
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from api.http import auth, sessions
from api.http.log_lines import Lines
from api.store.postgres import PostgresStore
from domain.game import Game
from tests.api.http.playing import two_workers
from tests.api.http.served import Answer, Client, Served, served
from tests.api.http.sockets import Socket
from tests.api.http.streaming import Listener
from tests.waiting import soon

JSON = "application/json"
MINUTE, DAY = 60_000_000, 86_400_000_000
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
THEIRS = "https://evil.example"


class Browser:
    """What a browser sends: the headers of a page, and the cookies that it keeps.  It has no token."""

    def __init__(self, server: Served, origin: str = "", host: str = "") -> None:
        self.server, self.client = server, server.client()
        self.host = host or f"127.0.0.1:{server.port}"
        self.origin = origin or f"http://{self.host}"
        self.jar: dict[str, str] = {}

    def send(self, method: str, path: str, body: Any = None, **more: str | None) -> Answer:
        """One request of an own page; `more` replaces headers, None leaves one out."""
        head: dict[str, str | None] = {"host": self.host, "user_agent": FIREFOX, "content_type": JSON}
        head["cookie"] = "; ".join(f"{name}={value}" for name, value in self.jar.items()) or None
        head |= {"origin": None if method == "GET" else self.origin, "sec_fetch_site": "same-origin"} | more
        sent = {name.replace("_", "-"): value for name, value in head.items() if value is not None}
        content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        answer = self.client.send(method, path, content, sent)
        self.keep(answer)
        return answer

    def keep(self, answer: Answer) -> None:
        """Keep or remove the cookie that the answer sets."""
        for name, morsel in SimpleCookie(answer.headers.get("set-cookie", "")).items():
            if morsel["max-age"] == "0":
                self.jar.pop(name, None)
            else:
                self.jar[name] = morsel.value

    def get(self, path: str, **more: str | None) -> Answer:
        """GET by a script of an own page."""
        return self.send("GET", path, **more)

    def post(self, path: str, body: Any, **more: str | None) -> Answer:
        """POST by a script of an own page."""
        return self.send("POST", path, body, **more)

    def sign_in(self, token: str | None) -> Any:
        """Sign in with a token."""
        answer = self.post("/v1/sessions", {"token": token})
        assert answer.status == 201, answer
        return answer.json

    @property
    def secret(self) -> str:
        """The secret of the session."""
        (secret,) = self.jar.values()
        return secret


@pytest.fixture
def ann(server: Served) -> Client:
    """A player with a token."""
    return server.player("Ann")


@pytest.fixture
def browser(server: Served, ann: Client) -> Browser:
    """A browser in which Ann is signed in."""
    found = Browser(server)
    found.sign_in(ann.token)
    return found


def is_signed_in(browser: Browser, **more: str | None) -> bool:
    """Does the server know whose browser it is?"""
    return browser.get("/v1/sessions", **more).status == 200


# ── signing in and out ──


def test_a_token_is_exchanged_for_a_cookie(server: Served, ann: Client) -> None:
    browser = Browser(server)
    assert not is_signed_in(browser)
    answer = browser.post("/v1/sessions", {"token": ann.token})
    assert answer.status == 201
    told = answer.json
    assert told == {"session": told["session"], "player": ann.player, "name": "Ann", "role": "player"}
    assert answer.headers["cache-control"] == "no-store"
    assert str(ann.token) not in answer.body.decode()
    assert browser.secret not in answer.body.decode()
    assert is_signed_in(browser)
    match = browser.post("/v1/matches", {"game": "toy"}).json["match"]
    assert browser.post(f"/v1/matches/{match}/seats/left", {}).status == 201
    assert ann.get(f"/v1/matches/{match}").json["names"][ann.player] == "Ann"


def test_the_cookie_has_its_flags(server: Served, ann: Client) -> None:
    plain = Browser(server).post("/v1/sessions", {"token": ann.token}).headers["set-cookie"]
    name, *flags = plain.split("; ")
    assert name.startswith("glasnost=")
    assert flags == ["Max-Age=34560000", "Path=/", "HttpOnly", "SameSite=Lax"]
    host = f"play.localhost:{server.port}"
    secure = Browser(server, f"https://{host}", host).post("/v1/sessions", {"token": ann.token})
    name, *flags = secure.headers["set-cookie"].split("; ")
    assert name.startswith("__Host-glasnost=")
    assert flags == ["Max-Age=34560000", "Path=/", "HttpOnly", "SameSite=Lax", "Secure"]


def test_a_player_sees_and_ends_own_sessions(server: Served, ann: Client, browser: Browser) -> None:
    other = Browser(server)
    other.sign_in(ann.token)
    mine, theirs = browser.get("/v1/sessions").json["sessions"], other.get("/v1/sessions").json["sessions"]
    assert [one["device"] for one in mine] == ["Firefox, Linux"] * 2
    assert sum(one["current"] for one in mine) == sum(one["current"] for one in theirs) == 1
    assert not any(one["current"] for one in ann.get("/v1/sessions").json["sessions"])
    (far,) = [one["session"] for one in mine if not one["current"]]
    answer = browser.send("DELETE", f"/v1/sessions/{far}")
    assert [one["current"] for one in answer.json["sessions"]] == [True]
    assert "set-cookie" not in answer.headers
    assert is_signed_in(browser)
    assert not is_signed_in(other)
    browser.send("DELETE", f"/v1/sessions/{far}").problem(404, "not-found")


def test_another_player_ends_no_session(server: Served, browser: Browser) -> None:
    (own,) = browser.get("/v1/sessions").json["sessions"]
    eve = Browser(server)
    eve.sign_in(server.player("Eve").token)
    eve.send("DELETE", f"/v1/sessions/{own['session']}").problem(404, "not-found")
    server.person("admin").send("DELETE", f"/v1/sessions/{own['session']}").problem(404, "not-found")
    server.client().send("DELETE", f"/v1/sessions/{own['session']}").problem(401, "unauthorized")
    assert is_signed_in(browser)


def test_signing_out_ends_this_session_and_removes_the_cookie(browser: Browser) -> None:
    secret = browser.secret
    answer = browser.send("DELETE", "/v1/sessions/current")
    assert answer.json == {"sessions": []}
    assert answer.headers["set-cookie"] == "glasnost=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax"
    assert browser.jar == {}
    browser.jar = {"glasnost": secret}  # kept by a spy
    assert not is_signed_in(browser)
    browser.send("DELETE", "/v1/sessions/current").problem(401, "unauthorized")


def test_a_token_has_no_session_of_its_own(server: Served, ann: Client) -> None:
    ann.send("DELETE", "/v1/sessions/current").problem(404, "not-found")
    assert ann.get("/v1/sessions").json == {"sessions": []}


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        ({}, "invalid", 422),
        ({"token": "a", "code": "b"}, "invalid", 422),
        ({"token": ""}, "invalid", 422),
        ({"token": "x" * 201}, "invalid", 422),
        ({"token": None}, "invalid", 422),
        ({"token": "x" * 43}, "unauthorized", 401),
        ({"code": "x" * 22}, "unauthorized", 401),
        ({"code": "é"}, "unauthorized", 401),
        (b"token=x", "malformed", 400),
    ],
)
def test_nothing_else_signs_in(server: Served, body: Any, kind: str, status: int) -> None:
    browser = Browser(server)
    answer = browser.post("/v1/sessions", body)
    answer.problem(status, kind)
    assert "set-cookie" not in answer.headers
    assert server.store.rows("SELECT count(*) FROM sessions")[0][0] == 0  # type: ignore[attr-defined]


def test_a_session_is_of_use_neither_as_a_token_nor_as_a_code(server: Served, browser: Browser) -> None:
    server.client(browser.secret).get("/v1/sessions").problem(401, "unauthorized")
    for how in ("token", "code"):
        Browser(server).post("/v1/sessions", {how: browser.secret}).problem(401, "unauthorized")


def test_a_token_wins_over_a_cookie(server: Served, browser: Browser) -> None:
    eve = server.player("Eve")
    mixed = browser.post("/v1/matches", {"game": "toy"}, authorization=f"Bearer {eve.token}").json
    told = eve.get(f"/v1/players/{eve.player}", cookie=f"glasnost={browser.secret}").json
    assert told["role"] == "player"  # shown to the player alone
    assert eve.get("/v1/sessions", cookie=f"glasnost={browser.secret}").json == {"sessions": []}
    browser.get("/v1/sessions", authorization="Bearer guess").problem(401, "unauthorized")
    assert mixed["match"]


# ── how long, how many ──


def later(server: Served, monkeypatch: pytest.MonkeyPatch, microseconds: int) -> None:
    """Set the clock of the server ahead; what is cached of sessions is outdated."""
    assert server.services is not None
    now = server.services.clock() + microseconds
    monkeypatch.setattr(server.services, "clock", lambda: now)
    monkeypatch.setattr(server.services.tokens, "_now", lambda: now)
    server.services.tokens._known.clear()


def test_a_session_lasts_as_long_as_it_is_used(
    server: Served, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        later(server, monkeypatch, 80 * DAY)
        assert is_signed_in(browser)
    later(server, monkeypatch, 90 * DAY)
    assert not is_signed_in(browser)


def test_a_get_changes_nothing_but_the_last_use_once_an_hour(
    server: Served, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes: list[object] = []
    people: Any = server.store.people
    write = people._writing

    def counted(work: object) -> object:
        writes.append(work)
        return write(work)

    monkeypatch.setattr(people, "_writing", counted)
    for path in ("/v1/sessions", "/v1/matches", "/v1/players?name=Ann"):
        assert browser.get(path).status == 200
        later(server, monkeypatch, MINUTE)
    assert writes == []
    later(server, monkeypatch, 60 * MINUTE)
    assert [is_signed_in(browser) for _ in range(2)] == [True, True]
    assert len(writes) == 1


def test_a_player_has_a_limited_number_of_sessions(toy_in_words: Game, tmp_path: Path) -> None:
    with served(tmp_path, sessions_per_player=2) as server:
        ann = server.player("Ann")
        browsers = [Browser(server) for _ in range(3)]
        for browser in browsers:
            browser.sign_in(ann.token)
        assert [is_signed_in(browser) for browser in browsers] == [False, True, True]


def test_limits_count_the_player_and_not_the_session(toy_in_words: Game, tmp_path: Path) -> None:
    with served(tmp_path, requests_per_second=20) as server:
        token = server.store.people.add("Ann", "player")[1]
        browsers = [Browser(server) for _ in range(2)]
        for browser in browsers:
            browser.sign_in(token)
            assert is_signed_in(browser)
        assert server.client(token).get("/v1/keys").status == 200
        server.stop_the_clock()
        for _ in range(40):
            browsers[0].get("/v1/keys")
        browsers[1].get("/v1/keys").problem(429, "limit")
        server.client(token).get("/v1/keys").problem(429, "limit")
        assert server.client().get("/v1/keys").status == 200


def test_streams_of_all_sessions_and_tickets_are_counted_together(toy_in_words: Game, tmp_path: Path) -> None:
    with served(tmp_path, streams_per_viewer=2) as server:
        match, (ann, _) = server.table()
        browsers = [Browser(server) for _ in range(2)]
        for browser in browsers:
            browser.sign_in(ann.token)
        path = f"/v1/matches/{match}/moves"
        ticket = browsers[0].post("/v1/streams/tickets", {"match": match}).json["ticket"]
        first = Listener(server.port, f"{path}?ticket={ticket}")
        second = Listener(server.port, path, {"cookie": f"glasnost={browsers[1].secret}"})
        assert (first.status, second.status) == (200, 200)
        browsers[1].get(path, accept="text/event-stream").problem(429, "limit")
        ann.get(path, accept="text/event-stream").problem(429, "limit")
        first.close()
        second.close()


# ── one-time links ──


def link(browser: Browser | Client, **body: str) -> str:
    """The code of a new link."""
    answer = browser.post("/v1/sessions/links", body)
    assert answer.status == 201, answer
    return str(answer.json["code"])


def test_a_link_signs_in_one_other_device_once(server: Served, ann: Client, browser: Browser) -> None:
    code = link(browser)
    phone, spy = Browser(server), Browser(server)
    told = phone.post("/v1/sessions", {"code": code}).json
    assert told["player"] == ann.player
    assert is_signed_in(phone)
    again = spy.post("/v1/sessions", {"code": code})
    again.problem(401, "unauthorized")
    assert again.json["detail"].startswith("this link is used up or over")
    assert "set-cookie" not in again.headers


def test_a_link_is_refused_after_ten_minutes(
    server: Served, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = browser.post("/v1/sessions/links", {}).json
    assert server.services is not None
    assert made["expires"] <= server.services.clock() + 10 * MINUTE
    later(server, monkeypatch, 10 * MINUTE)
    Browser(server).post("/v1/sessions", {"code": made["code"]}).problem(401, "unauthorized")


def test_the_address_of_a_link_is_that_of_the_page_and_is_drawn_as_a_qr_code(
    server: Served, ann: Client
) -> None:
    long = "a" * 300 + ".localhost"
    for origin, host in (
        (f"http://127.0.0.1:{server.port}", ""),
        (f"https://play.localhost:{server.port}", f"play.localhost:{server.port}"),
        (f"http://{long}", long),
    ):
        browser = Browser(server, origin, host)
        browser.sign_in(ann.token)
        made = browser.post("/v1/sessions/links", {}).json
        assert made["address"] == f"{origin}/in#{made['code']}"
        if host == long:
            assert made["qr"] == ""
            continue
        drawn = BytesIO()
        segno.make_qr(made["address"], error="m").save(
            drawn, kind="svg", xmldecl=False, omitsize=True, light="white"
        )
        assert made["qr"] == drawn.getvalue().decode().strip()
        assert ElementTree.fromstring(made["qr"]).tag == "{http://www.w3.org/2000/svg}svg"
    assert link(ann)  # also for a program with a token


def test_a_key_belongs_to_the_player_in_any_session(server: Served, ann: Client) -> None:
    """An answer that was lost may be asked for again after one has signed in anew."""
    first, second = Browser(server), Browser(server)
    first.sign_in(ann.token)
    second.sign_in(ann.token)
    answers = [one.post("/v1/matches", {"game": "toy"}, idempotency_key="a") for one in (first, second)]
    assert answers[0].status == 201
    assert answers[0].body == answers[1].body
    eve = Browser(server)
    eve.sign_in(server.player("Eve").token)
    other = eve.post("/v1/matches", {"game": "toy"}, idempotency_key="a")
    assert other.json["match"] != answers[0].json["match"]


def test_the_page_removes_the_cookie_of_a_session_that_is_over(server: Served, browser: Browser) -> None:
    secret = browser.secret
    assert "set-cookie" not in browser.get("/in").headers
    browser.send("DELETE", "/v1/sessions/current")
    browser.jar = {"glasnost": secret}
    assert "sign" in browser.get("/in").body.decode()
    assert browser.jar == {}


def test_only_an_admin_makes_a_link_for_another_player(server: Served, ann: Client) -> None:
    admin, eve, judge = server.person("admin"), server.player("Eve"), server.person("organizer")
    for other in (eve, judge):
        other.post("/v1/sessions/links", {"player": ann.player}).problem(403, "forbidden")
    server.client().post("/v1/sessions/links", {}).problem(401, "unauthorized")
    admin.post("/v1/sessions/links", {"player": "p0"}).problem(404, "unknown-player")
    admin.post("/v1/sessions/links", {"player": ann.player, "reason": "as Ann asked"}).problem(422, "invalid")
    code = link(admin, player=ann.player, reason="lost the phone")
    phone = Browser(server)
    assert phone.post("/v1/sessions", {"code": code}).json["player"] == ann.player
    (entry,) = admin.get("/v1/audit").json["entries"]
    assert (entry["action"], entry["player"], entry["by"]) == ("link", ann.player, admin.player)


def test_codes_and_tokens_cannot_be_guessed_fast(toy_in_words: Game, tmp_path: Path) -> None:
    with served(tmp_path, sign_ins_per_minute=5) as server:
        ann, guesser = server.player("Ann"), Browser(server)
        assert server.services is not None
        server.services.sign_ins._clock = lambda: 1_000.0
        code = link(ann)
        statuses = [
            guesser.post("/v1/sessions", {how: secrets.token_urlsafe(16)}).status
            for how in ("code", "token") * 5
        ]
        assert statuses == [401] * 4 + [429] * 6
        refused = guesser.post("/v1/sessions", {"code": code})
        refused.problem(429, "limit")
        assert int(refused.headers["retry-after"]) > 0


# ── what ends with what ──


@pytest.mark.parametrize("deed", ["forgetting", "revocation", "token"])
def test_sessions_end_when_tokens_are_revoked(
    server: Served, ann: Client, browser: Browser, deed: str
) -> None:
    assert is_signed_in(browser)
    admin = server.person("admin")
    assert admin.post(f"/v1/players/{ann.player}/{deed}").status in (200, 201)
    assert not is_signed_in(browser)
    code = link(admin, player=server.player("Ben").player or "")
    assert Browser(server).post("/v1/sessions", {"code": code}).status == 201


def test_an_ended_session_is_out_at_once_on_every_worker(
    toy_in_words: Game, database: str, redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auth, "_KNOWN_SECONDS", 1e9)
    keys = tmp_path / "keys"
    with two_workers(tmp_path, lambda: PostgresStore.open(database, keys=keys), redis=redis_url) as workers:
        first, second = workers
        ann = first.player("Ann")
        here, there = Browser(first), Browser(second)
        here.sign_in(ann.token)
        there.jar = here.jar
        assert is_signed_in(here)
        assert is_signed_in(there)
        (own,) = ann.get("/v1/sessions").json["sessions"]
        ann.send("DELETE", f"/v1/sessions/{own['session']}")
        assert not is_signed_in(here)
        soon(lambda: not is_signed_in(there))
        kept = Redis.from_url(redis_url)
        stored = b"".join(kept.dump(key) or b"" for key in kept.keys("*"))
        assert here.secret.encode() not in stored


def test_a_revoked_session_closes_its_streams(
    toy_in_words: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(tmp_path, heartbeat_seconds=1) as server:
        match, (ann, _) = server.table()
        browser = Browser(server)
        browser.sign_in(ann.token)
        path = f"/v1/matches/{match}/moves"
        ticket = browser.post("/v1/streams/tickets", {"match": match}).json["ticket"]
        by_cookie = Listener(server.port, path, {"cookie": f"glasnost={browser.secret}"})
        by_ticket = Listener(server.port, f"{path}?ticket={ticket}")
        assert [len(one.take(3)) for one in (by_cookie, by_ticket)] == [3, 3]
        (own,) = ann.get("/v1/sessions").json["sessions"]
        ann.send("DELETE", f"/v1/sessions/{own['session']}")
        for stream in (by_cookie, by_ticket):
            assert list(stream.events()) == []  # it ends, although nothing happens
            stream.close()
        assert ann.get(path).status == 200


# ── sockets ──


@contextmanager
def socket_of(server: Served, browser: Browser, **more: str | None) -> Iterator[Socket]:
    """A socket that a page opens."""
    given = {"origin": browser.origin, "cookie": f"glasnost={browser.secret}"}
    head: Mapping[str, str | None] = given | more
    sent = {name.replace("_", "-"): value for name, value in head.items() if value is not None}
    address = f"ws://127.0.0.1:{server.port}/v1/socket"
    with connect(
        address, additional_headers=sent, proxy=None, compression=None, close_timeout=1
    ) as connection:
        yield Socket(connection)


def test_a_socket_enters_by_the_cookie(server: Served) -> None:
    match, (ann, ben) = server.table()
    browser = Browser(server)
    browser.sign_in(ann.token)
    with socket_of(server, browser) as mine:
        assert mine.done("prompt", match=match)["seat"] == "left"
        told = mine.done("enter", language="ru")
        assert told == {"player": ann.player, "role": "player", "language": "ru"}
        mine.problem(422, "invalid", "enter")
        assert mine.done("play", match=match, expect=3, picks=["2"])["move"] == 4
    with socket_of(server, browser) as other:
        assert other.done("enter", token=ben.token)["player"] == ben.player  # a token wins
    with socket_of(server, browser, authorization=f"Bearer {ben.token}") as both:
        both.problem(422, "invalid", "enter")
        assert both.done("prompt", match=match)["seat"] == "right"


def test_a_socket_of_another_origin_does_not_enter_by_the_cookie(toy_in_words: Game, tmp_path: Path) -> None:
    named = "https://app.example.org"
    with served(tmp_path, origins=(named,)) as server:
        match, (ann, _) = server.table()
        browser = Browser(server)
        browser.sign_in(ann.token)
        for origin in (THEIRS, "null", f"http://127.0.0.1:{server.port + 1}"):
            with pytest.raises(InvalidStatus) as caught, socket_of(server, browser, origin=origin):
                raise AssertionError("there must be no socket")
            assert caught.value.response.status_code == 403
        for head in (
            {"origin": named},
            {"origin": None},
            {"origin": named, "sec_fetch_site": "cross-site"},
            {"origin": f"https://127.0.0.1:{server.port}"},  # the cookie is one of plain http
        ):
            with socket_of(server, browser, **head) as stranger:
                stranger.problem(401, "unauthorized", "prompt", match=match)
                assert stranger.done("enter")["player"] is None
                stranger.problem(401, "unauthorized", "play", match=match, expect=3, picks=["2"])


def test_an_idle_socket_of_a_revoked_session_is_closed(toy_in_words: Game, tmp_path: Path) -> None:
    with served(tmp_path, heartbeat_seconds=1) as server:
        ann = server.player("Ann")
        browser, other = Browser(server), Browser(server)
        browser.sign_in(ann.token)
        other.sign_in(ann.token)
        with socket_of(server, browser) as mine, socket_of(server, other) as stays:
            browser.send("DELETE", "/v1/sessions/current")
            assert mine.closed() == (1008, "the token is no longer good")
            assert stays.done("enter")["player"] == ann.player


# ── forgery: what another page makes the victim's browser send ──

FORMS = ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x", None]
FOREIGN: list[dict[str, str | None]] = [
    {"origin": THEIRS, "sec_fetch_site": "cross-site"},
    {"origin": THEIRS, "sec_fetch_site": None},
    {"origin": "null", "sec_fetch_site": "cross-site"},
    {"origin": "http://127.0.0.1:1", "sec_fetch_site": "same-site"},
    {"origin": None, "sec_fetch_site": "cross-site"},
    {"origin": None, "sec_fetch_site": "same-site"},
]


@pytest.mark.parametrize("mark", FOREIGN)
@pytest.mark.parametrize("kind", [*FORMS, JSON])
def test_a_request_of_another_page_is_refused_and_changes_nothing(
    server: Served, browser: Browser, kind: str | None, mark: dict[str, str | None]
) -> None:
    count = len(browser.get("/v1/matches").json["matches"])
    for method, path, body in (
        ("POST", "/v1/matches", {"game": "toy"}),
        ("POST", "/v1/sessions", {"token": "x"}),
        ("POST", "/v1/sessions/links", {}),
        ("DELETE", "/v1/sessions/current", {}),
    ):
        refused = browser.send(method, path, body, content_type=kind, **mark)
        refused.problem(403, "cross-origin")
        assert "set-cookie" not in refused.headers
    assert len(browser.get("/v1/matches").json["matches"]) == count
    assert is_signed_in(browser)


@pytest.mark.parametrize(
    ("header", "own", "theirs"),
    [("Origin", "http://127.0.0.1:{port}", THEIRS), ("Sec-Fetch-Site", "same-origin", "cross-site")],
)
def test_a_header_that_is_sent_twice_proves_no_page(
    server: Served, browser: Browser, header: str, own: str, theirs: str
) -> None:
    """W30: neither value is taken for the truth, whichever comes last."""
    values = (own.format(port=server.port), theirs)
    cookie = "; ".join(f"{name}={value}" for name, value in browser.jar.items())
    for sent in (values, values[::-1]):
        line = HTTPConnection("127.0.0.1", server.port)
        line.putrequest("POST", "/v1/matches")
        for name, value in (("Cookie", cookie), ("Content-Type", JSON), ("Content-Length", "2")):
            line.putheader(name, value)
        for value in sent:
            line.putheader(header, value)
        line.endheaders(b"{}")
        assert line.getresponse().status == 403
        line.close()


@pytest.mark.parametrize("kind", FORMS)
def test_a_form_of_an_own_page_is_refused(browser: Browser, kind: str | None) -> None:
    for mark in ({}, {"sec_fetch_site": None}):
        for path in ("/v1/matches", "/v1/sessions"):
            browser.post(path, {"game": "toy"}, content_type=kind, **mark).problem(415, "media-type")


@pytest.mark.parametrize(
    "mark",
    [
        {"origin": None, "sec_fetch_site": None},  # not a browser, or it hides where the request comes from
        {"sec_fetch_site": "none"},
        {"sec_fetch_site": None, "origin": "http://127.0.0.1"},
    ],
)
def test_a_cookie_without_proof_of_its_page_does_not_count(
    browser: Browser, mark: dict[str, str | None]
) -> None:
    answer = browser.post("/v1/matches", {"game": "toy"}, **mark)
    assert answer.status in (401, 403), answer
    assert browser.get("/v1/matches").json["matches"] == []
    answer = browser.post("/v1/sessions", {"token": "x" * 43}, **mark)
    assert answer.status == 403
    browser.send("DELETE", "/v1/sessions/current", **mark)
    assert is_signed_in(browser)


def test_a_listed_origin_may_use_tokens_and_no_cookies(toy_in_words: Game, tmp_path: Path) -> None:
    named = "https://app.example.org"
    with served(tmp_path, origins=(named,)) as server:
        ann, browser = server.player("Ann"), Browser(server)
        browser.sign_in(ann.token)
        for site in ("cross-site", "same-site", None):
            mark: dict[str, str | None] = {"origin": named, "sec_fetch_site": site}
            browser.post("/v1/matches", {"game": "toy"}, **mark).problem(401, "unauthorized")
            browser.post("/v1/sessions", {"token": ann.token}, **mark).problem(403, "cross-origin")
            with_token = browser.post(
                "/v1/matches", {"game": "toy"}, authorization=f"Bearer {ann.token}", **mark
            )
            assert with_token.status == 201
            assert "access-control-allow-credentials" not in with_token.headers


def test_reading_the_api_by_another_page_is_reading_as_a_visitor(browser: Browser) -> None:
    sites = {"cross-site": False, "same-site": False, "same-origin": True, "none": True, None: True}
    for site, counts in sites.items():
        assert is_signed_in(browser, sec_fetch_site=site) == counts


def test_https_is_recognized_behind_a_proxy(server: Served, ann: Client) -> None:
    host = "glasnost.local"
    secure = Browser(server, f"https://{host}", host)
    secure.sign_in(ann.token)
    assert list(secure.jar) == ["__Host-glasnost"]
    for site in ("same-origin", None):
        assert is_signed_in(secure, sec_fetch_site=site)
        assert secure.post("/v1/matches", {"game": "toy"}, sec_fetch_site=site).status == 201
    plain = f"http://{host}"  # the page of an attacker in the network
    answer = secure.post("/v1/matches", {"game": "toy"}, sec_fetch_site=None, origin=plain)
    answer.problem(401, "unauthorized")


def test_a_cookie_that_another_host_of_the_domain_has_set_does_not_count_on_https(
    server: Served, ann: Client
) -> None:
    """The victim would act as the attacker, and believe to be signed in as oneself."""
    host = "glasnost.local"
    attacker = Browser(server, f"http://{host}", host)
    assert attacker.post("/v1/sessions", {"token": ann.token}, sec_fetch_site=None).status == 201
    assert is_signed_in(attacker, sec_fetch_site=None)
    victim = Browser(server, f"https://{host}", host)
    victim.jar = {"glasnost": attacker.secret}
    assert not is_signed_in(victim)  # `Sec-Fetch-Site` is sent over https alone
    victim.post("/v1/matches", {"game": "toy"}, sec_fetch_site=None).problem(401, "unauthorized")
    victim.post("/v1/matches", {"game": "toy"}).problem(401, "unauthorized")


def test_a_session_is_never_taken_over_from_the_request(server: Served, ann: Client) -> None:
    """Session fixation: the attacker chooses the secret before the victim signs in."""
    fixed = secrets.token_urlsafe(32)
    victim, attacker = Browser(server), Browser(server)
    victim.jar = attacker.jar = {"glasnost": fixed}
    victim.jar = dict(victim.jar)
    victim.sign_in(ann.token)
    assert victim.secret != fixed
    assert not is_signed_in(attacker)
    eve = Browser(server)
    eve.sign_in(server.player("Eve").token)
    shared = eve.secret
    victim.jar = {"glasnost": shared}
    victim.sign_in(ann.token)
    assert victim.secret != shared
    assert not is_signed_in(eve)  # that session ended when the device changed hands


@pytest.mark.parametrize(
    "cookie",
    [
        "",
        "glasnost=",
        "glasnost",
        "glasnost=x",
        "glasnost=" + "x" * 43,
        "glasnost=" + "x" * 60_000,
        "=;" * 20_000,
        "glasnost=\u00e9" + "x" * 42,
        "glasnost=' OR 1=1 --",
        "glasnost=%00",
        "a=b; glasnost = x; \t;;; c",
        "xglasnost={}",
        "Glasnost={}",
        'glasnost="{}"',
        "__Host-glasnost={}x",
        "__Secure-glasnost={}",
        "a=glasnost={}",
        "glasnost={0}; glasnost={0}",
        "glasnost={}; glasnost=" + "x" * 43,
    ],
)
def test_a_strange_cookie_is_no_cookie(server: Served, browser: Browser, cookie: str) -> None:
    sent = cookie.replace("{0}", browser.secret).replace("{}", browser.secret)
    sent = sent.encode().decode("latin-1")
    browser.get("/v1/sessions", cookie=sent).problem(401, "unauthorized")
    assert browser.get("/v1/matches", cookie=sent).status == 200
    browser.post("/v1/matches", {"game": "toy"}, cookie=sent).problem(401, "unauthorized")


def test_the_cookie_is_found_among_others(server: Served, browser: Browser) -> None:
    for cookie in (
        "a=b; glasnost={}; c=d",
        "a=b;glasnost={}",
        " \tglasnost={} ;x",
        "theme=dark; glasnost={};",
    ):
        assert is_signed_in(browser, cookie=cookie.replace("{}", browser.secret))


def test_unknown_sessions_are_looked_up_no_more_often_than_the_limit(
    toy_in_words: Game, tmp_path: Path
) -> None:
    with served(tmp_path, requests_per_second=5) as server:
        server.stop_the_clock()
        statuses = [
            Browser(server).get("/v1/keys", cookie=f"glasnost={secrets.token_urlsafe(32)}").status
            for _ in range(8)
        ]
        assert statuses.count(429) >= 3


# ── caches, logs ──


def test_personal_answers_vary_with_the_cookie_and_are_private(server: Served) -> None:
    match, (ann, _) = server.table()
    browser = Browser(server)
    browser.sign_in(ann.token)
    path = f"/v1/matches/{match}"
    own, public = browser.get(path), server.client().get(path)
    for answer in (own, public):
        assert "cookie" in answer.headers["vary"].split(", ")
    assert own.headers["cache-control"] == "private, no-cache"
    assert public.headers["cache-control"] == "public, no-cache"
    assert own.json["view"] == "left"
    assert own.headers["etag"] != public.headers["etag"]
    assert browser.get(path, if_none_match=public.headers["etag"]).status == 200
    assert browser.get("/v1/sessions").headers["cache-control"] == "no-store"


def test_no_token_code_or_session_is_in_a_log_line_or_problem(
    server: Served, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        ann, browser = server.player("Ann"), Browser(server)
        browser.sign_in(ann.token)
        code = link(browser)
        phone = Browser(server)
        phone.post("/v1/sessions", {"code": code})
        answers = [
            phone.post("/v1/sessions", {"code": code}),
            phone.post("/v1/sessions", {"token": str(ann.token)[:-1]}),
            phone.get(f"/v1/sessions?{phone.secret}"),
            phone.send("DELETE", f"/v1/sessions/{code}"),
            phone.post("/v1/sessions", {"token": ann.token, "code": code}),
        ]
        assert all(answer.status >= 400 for answer in answers)
        secret = phone.secret
        phone.send("DELETE", "/v1/sessions/current")
    written = [one for one in caplog.records if one.name == "glasnost.http" or one.levelno > logging.INFO]
    lines = [Lines().format(record) for record in written]
    assert any('"route":"/v1/sessions"' in line for line in lines)
    for hidden in (str(ann.token)[:-1], code, browser.secret, secret):
        assert not [line for line in lines if hidden in line]


# ── the label of a device ──


@pytest.mark.parametrize(
    ("agent", "label"),
    [
        (FIREFOX, "Firefox, Linux"),
        ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/141.0 Safari/537.36", "Chrome, Windows"),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/141.0 Safari/537.36 Edg/141.0", "Edge, Windows"),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1",
            "Safari, iPhone",
        ),
        ("Mozilla/5.0 (Linux; Android 15) SamsungBrowser/27.0 Chrome/125.0", "Samsung Internet, Android"),
        ("Mozilla/5.0 (X11; CrOS x86_64) Chrome/141.0 Safari/537.36", "Chrome, ChromeOS"),
        ("curl/8.5.0", ""),
        ("", ""),
        ("<script>alert(1)</script>" * 1000, ""),
    ],
)
def test_the_label_of_a_device_comes_from_a_closed_list(agent: str, label: str) -> None:
    assert sessions.device(agent) == label


# ── a request without a cookie ──


def test_a_request_without_a_cookie_is_not_examined_for_one(
    server: Served, ann: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*given: object, **more: object) -> None:
        raise AssertionError("no cookie was sent")

    monkeypatch.setattr(sessions, "secret_of", fail)
    assert ann.get("/v1/keys").status == 200
    assert server.client().get("/v1/matches").status == 200


def test_the_cookie_rule_for_scopes_without_a_server() -> None:
    """Every combination of scheme, site and origin, for a command."""
    secret = "x" * 43
    counted = set[tuple[str, str, str, str]]()
    for scheme in ("http", "https"):
        for site in ("", "same-origin", "same-site", "cross-site", "none"):
            for origin in ("", "http://a.example", "https://a.example", THEIRS):
                for name in (sessions.SECURE_NAME, sessions.PLAIN_NAME):
                    headers = [(b"cookie", f"{name}={secret}".encode())]
                    told = {b"host": "a.example", b"sec-fetch-site": site, b"origin": origin}
                    told = {key: value for key, value in told.items() if value}
                    scope: Scope = {"scheme": scheme, "path": "/v1/matches", "headers": headers}
                    if sessions.secret_of(scope, told, reads=False) is not None:
                        counted.add((scheme, site, origin, name))
    secure, plain = sessions.SECURE_NAME, sessions.PLAIN_NAME
    schemes = ("http", "https")
    origins = ("", "http://a.example", "https://a.example", THEIRS)
    assert counted == {
        *((scheme, "same-origin", origin, secure) for scheme in schemes for origin in origins),
        *((scheme, "", "https://a.example", secure) for scheme in schemes),
        ("http", "", "http://a.example", plain),
    }
