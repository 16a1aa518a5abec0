"""Players in a browser: signed in by a cookie, each in a context of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from playwright.sync_api import Browser, ViewportSize

from tests.api.http.served import Client, Served
from tests.waiting import PATIENCE
from tests.web.browser import WIDE, Watched


class Visitors:
    """Opens pages of one server for players, and checks in the end that nothing went wrong in them."""

    def __init__(self, browser: Browser, server: Served, stack: ExitStack) -> None:
        self._browser, self._server, self._stack = browser, server, stack
        self._pages: list[Watched] = []

    def page(
        self,
        player: Client | None = None,
        *,
        size: ViewportSize = WIDE,
        locale: str = "en-GB",
        dark: bool = False,
        scripts: bool = True,
    ) -> Watched:
        """A page of a player who is signed in; None: of a visitor."""
        context = self._browser.new_context(
            viewport=size,
            locale=locale,
            color_scheme="dark" if dark else "light",
            java_script_enabled=scripts,
        )
        self._stack.callback(context.close)
        context.set_default_timeout(PATIENCE * 1_000)
        origin = f"http://127.0.0.1:{self._server.port}"
        if player is not None:
            token, head = {"token": player.token}, {"origin": origin}
            answer = context.request.post(f"{origin}/v1/sessions", data=token, headers=head)
            assert answer.ok, answer.text()
        page = Watched(context, origin)
        self._pages.append(page)
        return page

    def faults(self) -> list[str]:
        """What went wrong in any page."""
        return [fault for page in self._pages for fault in page.faults]


@contextmanager
def visitors(browser: Browser, server: Served) -> Iterator[Visitors]:
    """Pages of this server for any number of players; nothing may go wrong in them."""
    with ExitStack() as stack:
        found = Visitors(browser, server, stack)
        yield found
        assert found.faults() == [], found.faults()
