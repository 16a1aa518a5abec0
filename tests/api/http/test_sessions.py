"""Sessions over HTTP: signing in and out, how long and how many, one-time links, and what ends with what."""

from __future__ import annotations

import secrets
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import segno
from redis import Redis

from api.http import auth
from api.store.postgres import PostgresStore
from domain.game import Game
from tests.api.http.browser import Browser, is_signed_in, link
from tests.api.http.playing import two_workers
from tests.api.http.served import Client, Served, served
from tests.api.http.streaming import Listener
from tests.waiting import soon

MINUTE, DAY = 60_000_000, 86_400_000_000


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


def test_a_player_sees_and_ends_own_sessions(server: Served, ann: Client, signed_in: Browser) -> None:
    other = Browser(server)
    other.sign_in(ann.token)
    mine, theirs = signed_in.get("/v1/sessions").json["sessions"], other.get("/v1/sessions").json["sessions"]
    assert [one["device"] for one in mine] == ["Firefox, Linux"] * 2
    assert sum(one["current"] for one in mine) == sum(one["current"] for one in theirs) == 1
    assert not any(one["current"] for one in ann.get("/v1/sessions").json["sessions"])
    (far,) = [one["session"] for one in mine if not one["current"]]
    answer = signed_in.send("DELETE", f"/v1/sessions/{far}")
    assert [one["current"] for one in answer.json["sessions"]] == [True]
    assert "set-cookie" not in answer.headers
    assert is_signed_in(signed_in)
    assert not is_signed_in(other)
    signed_in.send("DELETE", f"/v1/sessions/{far}").problem(404, "not-found")


def test_another_player_ends_no_session(server: Served, signed_in: Browser) -> None:
    (own,) = signed_in.get("/v1/sessions").json["sessions"]
    eve = Browser(server)
    eve.sign_in(server.player("Eve").token)
    eve.send("DELETE", f"/v1/sessions/{own['session']}").problem(404, "not-found")
    server.person("admin").send("DELETE", f"/v1/sessions/{own['session']}").problem(404, "not-found")
    server.client().send("DELETE", f"/v1/sessions/{own['session']}").problem(401, "unauthorized")
    assert is_signed_in(signed_in)


def test_signing_out_ends_this_session_and_removes_the_cookie(signed_in: Browser) -> None:
    secret = signed_in.secret
    answer = signed_in.send("DELETE", "/v1/sessions/current")
    assert answer.json == {"sessions": []}
    assert answer.headers["set-cookie"] == "glasnost=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax"
    assert signed_in.jar == {}
    signed_in.jar = {"glasnost": secret}  # kept by a spy
    assert not is_signed_in(signed_in)
    signed_in.send("DELETE", "/v1/sessions/current").problem(401, "unauthorized")


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


def test_a_session_is_of_use_neither_as_a_token_nor_as_a_code(server: Served, signed_in: Browser) -> None:
    server.client(signed_in.secret).get("/v1/sessions").problem(401, "unauthorized")
    for how in ("token", "code"):
        Browser(server).post("/v1/sessions", {how: signed_in.secret}).problem(401, "unauthorized")


def test_a_token_wins_over_a_cookie(server: Served, signed_in: Browser) -> None:
    eve = server.player("Eve")
    mixed = signed_in.post("/v1/matches", {"game": "toy"}, authorization=f"Bearer {eve.token}").json
    told = eve.get(f"/v1/players/{eve.player}", cookie=f"glasnost={signed_in.secret}").json
    assert told["role"] == "player"  # shown to the player alone
    assert eve.get("/v1/sessions", cookie=f"glasnost={signed_in.secret}").json == {"sessions": []}
    signed_in.get("/v1/sessions", authorization="Bearer guess").problem(401, "unauthorized")
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
    server: Served, signed_in: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        later(server, monkeypatch, 80 * DAY)
        assert is_signed_in(signed_in)
    later(server, monkeypatch, 90 * DAY)
    assert not is_signed_in(signed_in)


def test_a_get_changes_nothing_but_the_last_use_once_an_hour(
    server: Served, signed_in: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes: list[object] = []
    people: Any = server.store.people
    write = people._writing

    def counted(work: object) -> object:
        writes.append(work)
        return write(work)

    monkeypatch.setattr(people, "_writing", counted)
    for path in ("/v1/sessions", "/v1/matches", "/v1/players?name=Ann"):
        assert signed_in.get(path).status == 200
        later(server, monkeypatch, MINUTE)
    assert writes == []
    later(server, monkeypatch, 60 * MINUTE)
    assert [is_signed_in(signed_in) for _ in range(2)] == [True, True]
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


def test_a_link_signs_in_one_other_device_once(server: Served, ann: Client, signed_in: Browser) -> None:
    code = link(signed_in)
    phone, spy = Browser(server), Browser(server)
    told = phone.post("/v1/sessions", {"code": code}).json
    assert told["player"] == ann.player
    assert is_signed_in(phone)
    again = spy.post("/v1/sessions", {"code": code})
    again.problem(401, "unauthorized")
    assert again.json["detail"].startswith("this link is used up or over")
    assert "set-cookie" not in again.headers


def test_a_link_is_refused_after_ten_minutes(
    server: Served, signed_in: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = signed_in.post("/v1/sessions/links", {}).json
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


def test_the_page_removes_the_cookie_of_a_session_that_is_over(server: Served, signed_in: Browser) -> None:
    secret = signed_in.secret
    assert "set-cookie" not in signed_in.get("/in").headers
    signed_in.send("DELETE", "/v1/sessions/current")
    signed_in.jar = {"glasnost": secret}
    assert "sign" in signed_in.get("/in").body.decode()
    assert signed_in.jar == {}


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
    server: Served, ann: Client, signed_in: Browser, deed: str
) -> None:
    assert is_signed_in(signed_in)
    admin = server.person("admin")
    assert admin.post(f"/v1/players/{ann.player}/{deed}").status in (200, 201)
    assert not is_signed_in(signed_in)
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
