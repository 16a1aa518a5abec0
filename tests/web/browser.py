"""A page that notes what goes wrong in it, and pages that are lent to one test after the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.cookies import SimpleCookie
from typing import Any

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    Request,
    TimeoutError,
    ViewportSize,
)

from tests.api.http.served import Client
from tests.waiting import PATIENCE, soon

NARROW: ViewportSize = {"width": 390, "height": 800}
WIDE: ViewportSize = {"width": 1280, "height": 800}
LOOK = 1_000  # milliseconds after which a page that is not ready is asked what went wrong in it
_LATE = "was preloaded using link preload but not used within a few seconds"  # so says a slow machine


class Watched:
    """A page with what went wrong in it: errors of scripts, violations of the policy, requests elsewhere."""

    def __init__(self, context: BrowserContext, origin: str, page: Page | None = None) -> None:
        self.page: Page = page or context.new_page()
        self.faults: list[str] = []
        self.requests: list[str] = []
        self._origin = origin
        self._ready = self.page.locator("html[data-ready=true]")
        self.page.on("console", self._said)
        self.page.on("pageerror", self._failed)
        self.page.on("request", self._requested)

    def let_go(self) -> None:
        """Note nothing more."""
        self.page.remove_listener("console", self._said)
        self.page.remove_listener("pageerror", self._failed)
        self.page.remove_listener("request", self._requested)

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and _LATE not in message.text:
            self.faults.append(message.text)

    def _failed(self, error: Exception) -> None:
        self.faults.append(str(error))

    def _requested(self, request: Request) -> None:
        address = request.url
        self.requests.append(address)
        if not address.startswith((self._origin, "data:")):
            self.faults.append(f"a request to {address}")

    def open(self, path: str, *, refused: bool = False) -> Page:
        """Open a page of this server; a page with a script is ready when its script is.

        `refused`: the page only says what is wrong, which the browser notes as an error.
        """
        self.page.goto(self._origin + path)
        if refused:
            self.faults = [fault for fault in self.faults if "Failed to load resource" not in fault]
        if self.page.locator("script[type=module]").count():
            self.be_ready()
        return self.page

    def be_ready(self) -> None:
        """Wait until the script of the page is ready; one that failed never is."""
        soon(lambda: self._is_ready() or self.faults)
        assert self.faults == []

    def _is_ready(self) -> bool:
        """Wait a while: the page looks, so that nothing is asked of it again and again."""
        try:
            self._ready.wait_for(state="attached", timeout=LOOK)
        except TimeoutError:
            return False
        return True


def sign_in(context: BrowserContext, client: Client) -> None:
    """Give a browser the cookie of a session of this player."""
    origin = f"http://127.0.0.1:{client.port}"
    answer = client.post("/v1/sessions", {"token": client.token}, origin=origin, sec_fetch_site="same-origin")
    assert answer.status == 201, answer
    for name, morsel in SimpleCookie(answer.headers["set-cookie"]).items():
        context.add_cookies([{"name": name, "value": morsel.value, "url": origin, "sameSite": "Lax"}])


_KEPT: dict[tuple[Browser, str], list[Page]] = {}
"""Pages that no test uses now, by their browser and the options of their context."""
_FORGET = "localStorage.clear(); sessionStorage.clear()"


@contextmanager
def lent(browser: Browser, origin: str, *, fresh: bool = False, **options: Any) -> Iterator[Watched]:
    """A page without cookies and without anything stored.

    An earlier test may have used it, so its cache may hold the files of the server: it opens in half the
    time.  A page in whose test something failed is not lent again.

    Args:
        fresh: a new page, which is closed in the end: what is done to it lasts, or its cache must be empty.
        options: of the browser's context.
    """
    kept = [] if fresh else _KEPT.setdefault((browser, repr(sorted(options.items()))), [])
    page = kept.pop() if kept else browser.new_context(**options).new_page()
    context = page.context
    context.set_default_timeout(PATIENCE * 1_000)
    watched, returned = Watched(context, origin, page), False
    try:
        yield watched
        returned = not fresh
    finally:
        watched.let_go()
        if returned and _forgets(page, origin):
            kept.append(page)
        else:
            context.close()


def _forgets(page: Page, origin: str) -> bool:
    """Leave the page of a server, and forget what it stored; False: it is still going to another page."""
    for other in page.context.pages:
        if other is not page:
            other.close()
    page.unroute_all()
    page.context.clear_permissions()
    page.context.clear_cookies()
    try:
        if page.url.startswith(origin):
            page.evaluate(_FORGET)
        page.goto("about:blank")
    except Error:
        return False
    return True
