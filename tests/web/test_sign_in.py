"""Signing in through the page: W29, W30 and W31, in a real browser."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from api.http.log_lines import Lines
from tests.api.http.served import Served, served
from tests.api.http.sockets import socket
from tests.waiting import PATIENCE
from tests.web.browser import NARROW, WIDE, Watched, lent, sign_in

MINUTE = 60_000_000
EVIL = "<img src=x onerror=alert(1)>"
LOST = "<b onclick=alert(1)>"
FOREIGN = """
async ([server, json]) => {
  const tried = [];
  const attempt = async (request) => {
    try { const answer = await request(); tried.push(answer.type); } catch { tried.push("refused"); }
  };
  for (const kind of ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data"]) {
    for (const path of ["/v1/matches", "/v1/sessions", "/v1/sessions/links"]) {
      await attempt(() => fetch(server + path, {
        method: "POST", mode: "no-cors", credentials: "include", body: json, headers: {"Content-Type": kind},
      }));
    }
  }
  for (const method of ["POST", "DELETE"]) {
    await attempt(() => fetch(server + (method === "POST" ? "/v1/matches" : "/v1/sessions/current"), {
      method, credentials: "include", body: json, headers: {"Content-Type": "application/json"},
    }));
  }
  await attempt(() => fetch(server + "/v1/sessions", { credentials: "include" }));
  tried.push(await new Promise((done) => {
    const socket = new WebSocket(server.replace("http", "ws") + "/v1/socket");
    socket.onopen = () => { socket.close(); done("open"); };
    socket.onerror = () => done("refused");
  }));
  return tried;
}
"""
SUBMIT = """
([address, kind]) => {
  const form = document.createElement("form");
  form.method = "post"; form.action = address; form.enctype = kind;
  const field = document.createElement("input");
  field.name = '{"game": "cia_vs_kgb", "x":"'; field.value = '"}';
  form.append(field); document.body.append(form); form.submit();
}
"""
FOLLOW = """
() => new Promise((done) => {
  const socket = new WebSocket(location.origin.replace("http", "ws") + "/v1/socket");
  socket.onmessage = (event) => done(JSON.parse(event.data).done.player);
  socket.onopen = () => socket.send(JSON.stringify({ do: "enter", id: 1 }));
  socket.onclose = (event) => { document.documentElement.dataset.closed = String(event.code); };
})
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of these tests, in which players may sign in often."""
    folder = tmp_path_factory.mktemp("server")
    with served(
        folder, heartbeat_seconds=1, players_per_minute=10_000, sign_ins_per_minute=10_000
    ) as running:
        yield running


class Device:
    """A browser with a page of the server; nothing may go wrong in it but what the server refuses."""

    def __init__(self, watched: Watched) -> None:
        self.watched, self.page = watched, watched.page
        self.context: BrowserContext = watched.page.context

    def open(self, path: str = "/in") -> Page:
        """Open a page."""
        return self.watched.open(path)

    def ready(self) -> None:
        """Wait for the page that comes next."""
        self.watched.be_ready()

    def sign_up(self, name: str) -> str:
        """Become a player through the page; return the token."""
        page = self.open()
        page.locator("#new").get_by_label("Name").fill(name)
        page.get_by_role("button", name="Get a token").click()
        expect(page.locator("#kept")).to_be_visible()
        token = page.locator("#keep [name=token]").input_value()
        page.get_by_role("button", name="I have kept it").click()
        expect(page.locator(".person")).to_have_text(name)
        self.open()
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Signed in as {name}")
        return token

    def enter(self, server: Served, name: str = "Ann") -> str:
        """Have the session of a new player, without the form; return the token."""
        client = server.player(name)
        sign_in(self.context, client)
        self.open()
        return client.token or ""

    def link(self) -> str:
        """Make a link; return its address."""
        self.page.get_by_role("button", name="Make a link").click()
        expect(self.page.locator("#made")).to_be_visible()
        return self.page.locator("#address").input_value()

    @property
    def faults(self) -> list[str]:
        """What went wrong, without the notes of the browser that a request was refused."""
        return [
            fault for fault in self.watched.faults if "the server responded with a status of 401" not in fault
        ]


@contextmanager
def device(browser: Browser, server: Served, **how: Any) -> Iterator[Device]:
    """A browser on which no player is signed in."""
    options: dict[str, Any] = {"viewport": WIDE, "locale": "en-GB", **how}
    with lent(browser, f"http://127.0.0.1:{server.port}", **options) as watched:
        yield Device(watched)


@pytest.fixture
def laptop(browser: Browser, server: Served) -> Iterator[Device]:
    """A wide device."""
    with device(browser, server) as found:
        yield found
    assert found.faults == []


@pytest.fixture
def phone(browser: Browser, server: Served) -> Iterator[Device]:
    """A narrow device, with touch."""
    with device(browser, server, viewport=NARROW, has_touch=True) as found:
        yield found
    assert found.faults == []


def signed_in(page: Page) -> bool:
    """Is a player signed in, as the server sees it?"""
    shown: str = page.evaluate("fetch('/in').then((answer) => answer.text())")
    return 'data-do="sign-out"' in shown


def test_a_player_signs_up_out_and_in_again(laptop: Device) -> None:
    """W29."""
    token = laptop.sign_up("Ann")
    page = laptop.page
    expect(page.locator(".person")).to_have_text("Ann")
    assert signed_in(page)
    page.get_by_role("button", name="Sign out").click()
    expect(page.locator(".person")).to_have_text("Sign in")
    laptop.ready()
    assert not signed_in(page)
    assert laptop.context.cookies() == []
    page.locator("#known [name=token]").fill("x" * 43)
    page.locator("#known").get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_have_text("this token is not known here")
    page.locator("#known [name=token]").fill(f" {token}\n")
    page.locator("#known").get_by_role("button", name="Sign in").click()
    expect(page.locator(".person")).to_have_text("Ann")


@pytest.mark.parametrize(
    ("wanted", "reached"),
    [
        ("%2Fin%3Fa%3Db", "/in?a=b"),
        pytest.param("https%3A%2F%2Fevil.example%2F", "/", marks=pytest.mark.long),
        pytest.param("javascript%3Aalert(1)", "/", marks=pytest.mark.long),
    ],
)
def test_a_player_goes_on_to_the_page_from_which_the_sign_in_was_opened(
    laptop: Device, server: Served, wanted: str, reached: str
) -> None:
    """`test_forgery` has more addresses, without a browser."""
    page = laptop.open(f"/in?next={wanted}")
    page.locator("#known [name=token]").fill(server.player("Ann").token or "")
    page.locator("#known").get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(re.compile(re.escape(f":{server.port}{reached}") + "$"))
    expect(page.locator(".person")).to_have_text("Ann")


def test_the_password_manager_sees_a_name_and_a_token(laptop: Device) -> None:
    page = laptop.open()

    def hints(form: str) -> list[str | None]:
        fields = page.locator(f"{form} input:not([type=file])")
        return [field.get_attribute("autocomplete") for field in fields.all()]

    assert hints("#known") == ["username", "current-password"]
    assert hints("#keep") == ["username", "new-password"]
    assert page.locator("#keep [name=token]").get_attribute("type") == "password"
    for form in page.locator("form").all():
        assert form.get_attribute("method") == "post"  # without scripts, nothing gets into an address


def test_a_token_is_saved_as_a_file_and_read_from_it(laptop: Device, tmp_path: Path) -> None:
    page = laptop.open()
    page.locator("#new").get_by_label("Name").fill("Ann/../Ёж")
    page.get_by_role("button", name="Get a token").click()
    expect(page.locator("#kept")).to_be_visible()
    token = page.locator("#keep [name=token]").input_value()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as file").click()
    assert saved.value.suggested_filename == "glasnost-Ann-Ёж.txt"
    file = tmp_path / "token.txt"
    saved.value.save_as(file)
    assert token in file.read_text("utf-8")
    page = laptop.open()
    page.locator("#file").set_input_files(file)
    expect(page.locator("#known [name=token]")).to_have_value(token)
    file.write_text("nothing", "utf-8")  # under the same name
    page.locator("#file").set_input_files(file)
    expect(page.get_by_role("alert")).to_have_text("There is no token in this file.")


def test_a_link_signs_in_one_other_device_and_no_second_one(
    laptop: Device, phone: Device, browser: Browser, server: Served
) -> None:
    """W29."""
    laptop.enter(server)
    address = laptop.link()
    path = address.removeprefix(f"http://127.0.0.1:{server.port}")
    assert re.fullmatch(r"/in#[A-Za-z0-9_-]{22}", path)
    page = phone.open(path)
    assert "#" not in page.url  # the code stays in no history
    assert not signed_in(page)  # opening a link does nothing
    page.get_by_role("button", name="Sign in on this device").tap()
    expect(page.locator(".person")).to_have_text("Ann")
    with device(browser, server) as spy:
        page = spy.open(path)
        page.get_by_role("button", name="Sign in on this device").click()
        expect(page.get_by_role("alert")).to_contain_text("this link is used up or over")
        expect(page.locator("#known")).to_be_visible()
        assert not signed_in(page)


def rows_of(server: Served, table: str) -> int:
    """How many rows a table of the store has."""
    store: Any = server.store
    ((count,),) = store.rows(f"SELECT count(*) FROM {table}")
    return int(count)


def test_a_second_click_makes_no_second_player(laptop: Device, server: Served) -> None:
    before = rows_of(server, "people")
    page = laptop.open()
    page.locator("#new").get_by_label("Name").fill("Ann")
    page.get_by_role("button", name="Get a token").dblclick(timeout=PATIENCE * 1_000)
    expect(page.locator("#kept")).to_be_visible()
    assert rows_of(server, "people") == before + 1


def test_the_address_of_a_link_is_copied(laptop: Device, server: Served) -> None:
    laptop.context.grant_permissions(["clipboard-read", "clipboard-write"])
    laptop.enter(server)
    address = laptop.link()
    laptop.page.get_by_role("button", name="Copy").click()
    expect(laptop.page.get_by_role("button", name="Copied")).to_be_visible()
    assert laptop.page.evaluate("navigator.clipboard.readText()") == address


def test_a_link_is_refused_after_ten_minutes(
    laptop: Device, phone: Device, server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """W29."""
    laptop.enter(server)
    path = laptop.link().partition(str(server.port))[2]
    assert server.services is not None
    later = server.services.clock() + 10 * MINUTE
    monkeypatch.setattr(server.services, "clock", lambda: later)
    page = phone.open(path)
    page.get_by_role("button", name="Sign in on this device").tap()
    expect(page.get_by_role("alert")).to_contain_text("this link is used up or over")


@pytest.mark.long
def test_the_language_is_switched_and_the_link_is_kept(laptop: Device, phone: Device, server: Served) -> None:
    laptop.enter(server)
    page = phone.open(laptop.link().partition(str(server.port))[2])
    page.locator("[data-language=ru]").tap()
    phone.ready()
    expect(page.get_by_role("heading", level=1, name="Вход по ссылке")).to_be_visible()
    page.get_by_role("button", name="Войти на этом устройстве").tap()
    expect(page.locator(".person")).to_have_text("Ann")


def test_an_administrator_makes_a_link_for_a_player_who_lost_everything(
    laptop: Device, phone: Device, server: Served
) -> None:
    """A10."""
    ann, admin = server.player(LOST), server.person("admin")
    server.player(f"{LOST} too")
    sign_in(laptop.context, admin)
    page = laptop.open()
    section = page.locator("#recovery")
    section.get_by_label("Reason").fill("as asked at the club")
    section.get_by_role("button", name="Make the link").click()
    expect(section.get_by_role("alert")).to_contain_text("Choose the other player")
    section.get_by_label("Name of the player").fill(LOST[:8])
    expect(section.get_by_role("radio")).to_have_count(2)
    section.locator("label", has_text=ann.player).get_by_role("radio").check()
    section.get_by_role("button", name="Make the link").click()
    expect(section.locator("#recovery-for")).to_contain_text(f"For {LOST}:")
    address = section.locator("#recovery-address").input_value()
    phone.open(address.removeprefix(f"http://127.0.0.1:{server.port}"))
    phone.page.get_by_role("button", name="Sign in on this device").click()
    expect(phone.page.locator(".person")).to_have_text(LOST)
    (entry,) = admin.get("/v1/audit").json["entries"]
    assert (entry["action"], entry["player"], entry["by"]) == ("link", ann.player, admin.player)
    assert entry["reason"] == "as asked at the club"
    assert (laptop.faults, phone.faults, page.locator("img[src=x]").count()) == ([], [], 0)


def test_only_an_administrator_is_offered_links_for_others(server: Served) -> None:
    offer = b'id="recovery"'
    assert offer in server.person("admin").get("/in").body
    others = [server.client(), server.player(), server.person("organizer"), server.person("observer")]
    assert [client.get("/in").status for client in others if offer in client.get("/in").body] == []


def test_a_revoked_device_is_out(laptop: Device, phone: Device, server: Served) -> None:
    """W29: within a minute; here the heartbeat is a second."""
    laptop.enter(server)
    other = phone.open(laptop.link().partition(str(server.port))[2])
    other.get_by_role("button", name="Sign in on this device").tap()
    expect(other.locator(".person")).to_have_text("Ann")
    player = other.evaluate(FOLLOW)
    assert player is not None
    page = laptop.open()
    rows = page.locator("#sessions li")
    expect(rows).to_have_count(2)
    expect(rows.filter(has_text="this device")).to_have_count(1)
    page.get_by_role("button", name="End").click()
    expect(rows).to_have_count(1)
    expect(page.locator("#sessions")).to_be_focused()
    other.locator("html[data-closed='1008']").wait_for(state="attached")
    assert not signed_in(other)
    expect(phone.open("/in").locator(".person")).to_have_text("Sign in")
    assert signed_in(page)


@pytest.mark.long
def test_a_new_token_signs_out_every_other_device(laptop: Device, phone: Device, server: Served) -> None:
    old = laptop.enter(server)
    other = phone.open(laptop.link().partition(str(server.port))[2])
    other.get_by_role("button", name="Sign in on this device").tap()
    expect(other.locator(".person")).to_have_text("Ann")
    page = laptop.page
    page.get_by_role("button", name="Make a new token").click()
    page.get_by_role("button", name="Yes, replace it").click()
    expect(page.locator("#kept")).to_be_visible()
    new = page.locator("#keep [name=token]").input_value()
    assert new != old
    assert (signed_in(page), signed_in(other)) == (True, False)
    assert [server.client(token).get("/v1/sessions").status for token in (old, new)] == [401, 200]
    page.get_by_role("button", name="I have kept it").click()
    expect(page.locator("#kept")).to_be_hidden()


def test_the_cookie_has_its_flags_and_the_token_is_left_nowhere(
    laptop: Device, server: Served, caplog: pytest.LogCaptureFixture
) -> None:
    """W31."""
    with caplog.at_level(logging.DEBUG, "glasnost"):
        token = laptop.sign_up("Ann")
        code = laptop.link().partition("#")[2]
    (cookie,) = laptop.context.cookies()
    assert (cookie["name"], cookie["httpOnly"], cookie["sameSite"]) == ("glasnost", True, "Lax")
    assert (cookie["path"], cookie["domain"]) == ("/", "127.0.0.1")
    page = laptop.page
    assert page.evaluate("document.cookie") == ""
    stored = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, history.state])")
    seen = [page.content(), page.url, stored, *laptop.watched.requests]
    seen += [Lines().format(record) for record in caplog.records if record.name != "uvicorn.access"]
    for secret in (token, cookie["value"], code):
        assert len(secret) >= 22
        assert not [text for text in seen if secret in text]
    assert (
        page.locator("input").evaluate_all(
            f"fields => fields.filter(field => field.value === '{token}').length"
        )
        == 0
    )


def test_every_page_shows_who_is_signed_in_and_leads_back(laptop: Device, server: Served) -> None:
    laptop.enter(server)
    (cookie,) = laptop.context.cookies()
    sent = f"glasnost={cookie['value']}"
    for site in ("same-origin", "cross-site", "none"):  # a link from anywhere leads to a page
        own = server.client().get("/m/none?move=3", cookie=sent, sec_fetch_site=site)
        assert 'aria-label="Signed in as Ann"' in own.body.decode()
        assert "private" in own.headers["cache-control"] or own.headers["cache-control"] == "no-store"
    visitor = server.client().get("/m/none?move=3&lang=ru").body.decode()
    assert '<a class="person" href="/in?next=/m/none%3Fmove%3D3">Войти</a>' in visitor
    assert server.client().get("/in").headers["cache-control"] == "no-store"


def test_a_name_is_shown_as_it_is(laptop: Device) -> None:
    """W2: nothing in a name is markup."""
    laptop.sign_up(EVIL)
    expect(laptop.page.locator(".person")).to_have_text(EVIL)


def test_no_page_scrolls_sideways_on_a_phone(phone: Device) -> None:
    """W33, for this page."""
    page = phone.open()
    widths = [page.evaluate("document.documentElement.scrollWidth")]
    phone.sign_up("W" * 64)
    phone.link()
    widths.append(page.evaluate("document.documentElement.scrollWidth"))
    assert widths == [NARROW["width"]] * 2
    small = page.locator("button:visible, a:visible:not(.skip), input:visible").evaluate_all(
        "all => all.filter(one => one.getBoundingClientRect().height < 44).map(one => one.outerHTML)"
    )
    assert small == []


# ── W30: pages of other origins ──


class _Empty(BaseHTTPRequestHandler):
    """Answers everything with an empty page."""

    def do_GET(self) -> None:
        """See `BaseHTTPRequestHandler`."""
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """See `BaseHTTPRequestHandler`."""


@pytest.fixture
def evil_port() -> Iterator[int]:
    """The port of another server: 127.0.0.1 is the same site (cookies are sent), localhost is another one."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Empty) as pages:
        thread = threading.Thread(target=pages.serve_forever, args=(0.01,))
        thread.start()
        yield pages.server_port
        pages.shutdown()
        thread.join()


@pytest.mark.parametrize("host", ["127.0.0.1", pytest.param("localhost", marks=pytest.mark.long)])
def test_a_page_of_another_origin_changes_and_reads_nothing(
    laptop: Device, server: Served, evil_port: int, host: str
) -> None:
    """W30: with the victim's cookie, forms and requests of each type, and a socket."""
    laptop.enter(server, "Victim")
    address = f"http://127.0.0.1:{server.port}"
    before = [rows_of(server, table) for table in ("stored_events", "links")]
    player = laptop.page.evaluate("fetch('/v1/sessions').then((answer) => answer.json())")
    page = laptop.context.new_page()
    page.goto(f"http://{host}:{evil_port}")
    tried = page.evaluate(FOREIGN, [address, '{"game": "cia_vs_kgb"}'])
    assert tried == ["opaque"] * 9 + ["refused"] * 4
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        for path in ("/v1/matches", "/v1/sessions", "/v1/sessions/links"):
            page.goto(f"http://{host}:{evil_port}")
            with page.expect_navigation():
                page.evaluate(SUBMIT, [address + path, kind])
            assert "/problems/cross-origin" in page.content()
    now = laptop.page.evaluate("fetch('/v1/sessions').then((answer) => answer.json())")
    assert now == player  # the same session, and no link has signed anybody in
    assert [rows_of(server, table) for table in ("stored_events", "links")] == before
    page.close()


def test_the_cookie_alone_opens_nothing_outside_a_browser(laptop: Device, server: Served) -> None:
    """W30: no page has sent it."""
    laptop.enter(server)
    (cookie,) = laptop.context.cookies()
    sent = f"glasnost={cookie['value']}"
    client = server.client()
    assert client.post("/v1/matches", {"game": "cia_vs_kgb"}, cookie=sent).status == 401
    with socket(server.port) as one:
        one.problem(401, "unauthorized", "prompt", match="m0")
