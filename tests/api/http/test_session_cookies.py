"""The cookie of a session: sockets, what pages of other origins try with it, caches, logs and labels."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

import pytest
from starlette.types import Scope
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from api.http import sessions
from api.http.log_lines import Lines
from domain.game import Game
from tests.api.http.browser import FIREFOX, JSON, THEIRS, Browser, is_signed_in, link
from tests.api.http.served import Client, Served, served
from tests.api.http.sockets import Socket

MINUTE, DAY = 60_000_000, 86_400_000_000


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
    server: Served, signed_in: Browser, kind: str | None, mark: dict[str, str | None]
) -> None:
    count = len(signed_in.get("/v1/matches").json["matches"])
    for method, path, body in (
        ("POST", "/v1/matches", {"game": "toy"}),
        ("POST", "/v1/sessions", {"token": "x"}),
        ("POST", "/v1/sessions/links", {}),
        ("DELETE", "/v1/sessions/current", {}),
    ):
        refused = signed_in.send(method, path, body, content_type=kind, **mark)
        refused.problem(403, "cross-origin")
        assert "set-cookie" not in refused.headers
    assert len(signed_in.get("/v1/matches").json["matches"]) == count
    assert is_signed_in(signed_in)


@pytest.mark.parametrize(
    ("header", "own", "theirs"),
    [("Origin", "http://127.0.0.1:{port}", THEIRS), ("Sec-Fetch-Site", "same-origin", "cross-site")],
)
def test_a_header_that_is_sent_twice_proves_no_page(
    server: Served, signed_in: Browser, header: str, own: str, theirs: str
) -> None:
    """W30: neither value is taken for the truth, whichever comes last."""
    values = (own.format(port=server.port), theirs)
    cookie = "; ".join(f"{name}={value}" for name, value in signed_in.jar.items())
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
def test_a_form_of_an_own_page_is_refused(signed_in: Browser, kind: str | None) -> None:
    for mark in ({}, {"sec_fetch_site": None}):
        for path in ("/v1/matches", "/v1/sessions"):
            signed_in.post(path, {"game": "toy"}, content_type=kind, **mark).problem(415, "media-type")


@pytest.mark.parametrize(
    "mark",
    [
        {"origin": None, "sec_fetch_site": None},  # not a browser, or it hides where the request comes from
        {"sec_fetch_site": "none"},
        {"sec_fetch_site": None, "origin": "http://127.0.0.1"},
    ],
)
def test_a_cookie_without_proof_of_its_page_does_not_count(
    signed_in: Browser, mark: dict[str, str | None]
) -> None:
    answer = signed_in.post("/v1/matches", {"game": "toy"}, **mark)
    assert answer.status in (401, 403), answer
    assert signed_in.get("/v1/matches").json["matches"] == []
    answer = signed_in.post("/v1/sessions", {"token": "x" * 43}, **mark)
    assert answer.status == 403
    signed_in.send("DELETE", "/v1/sessions/current", **mark)
    assert is_signed_in(signed_in)


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


def test_reading_the_api_by_another_page_is_reading_as_a_visitor(signed_in: Browser) -> None:
    sites = {"cross-site": False, "same-site": False, "same-origin": True, "none": True, None: True}
    for site, counts in sites.items():
        assert is_signed_in(signed_in, sec_fetch_site=site) == counts


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
def test_a_strange_cookie_is_no_cookie(server: Served, signed_in: Browser, cookie: str) -> None:
    sent = cookie.replace("{0}", signed_in.secret).replace("{}", signed_in.secret)
    sent = sent.encode().decode("latin-1")
    signed_in.get("/v1/sessions", cookie=sent).problem(401, "unauthorized")
    assert signed_in.get("/v1/matches", cookie=sent).status == 200
    signed_in.post("/v1/matches", {"game": "toy"}, cookie=sent).problem(401, "unauthorized")


def test_the_cookie_is_found_among_others(server: Served, signed_in: Browser) -> None:
    for cookie in (
        "a=b; glasnost={}; c=d",
        "a=b;glasnost={}",
        " \tglasnost={} ;x",
        "theme=dark; glasnost={};",
    ):
        assert is_signed_in(signed_in, cookie=cookie.replace("{}", signed_in.secret))


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
