"""A page that notes what goes wrong in it."""

from __future__ import annotations

from http.cookies import SimpleCookie

from playwright.sync_api import BrowserContext, ConsoleMessage, Page, TimeoutError, ViewportSize

from tests.api.http.served import Client
from tests.waiting import soon

NARROW: ViewportSize = {"width": 390, "height": 800}
WIDE: ViewportSize = {"width": 1280, "height": 800}
LOOK = 1_000  # milliseconds after which a page that is not ready is asked what went wrong in it


class Watched:
    """A page with what went wrong in it: errors of scripts, violations of the policy, requests elsewhere."""

    def __init__(self, context: BrowserContext, origin: str) -> None:
        self.page: Page = context.new_page()
        self.faults: list[str] = []
        self.requests: list[str] = []
        self._origin = origin
        self._ready = self.page.locator("html[data-ready=true]")
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("request", lambda request: self._requested(request.url))

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.faults.append(message.text)

    def _requested(self, address: str) -> None:
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
