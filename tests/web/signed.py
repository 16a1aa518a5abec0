"""Players in a browser: signed in by a cookie, each in a context of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from playwright.sync_api import Browser, ViewportSize

from tests.api.http.served import Client, Served
from tests.web.browser import WIDE, Watched, lent, sign_in


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
        fresh: bool = False,
    ) -> Watched:
        """A page of a player who is signed in; None: of a visitor; `fresh`: see `lent`."""
        options: dict[str, Any] = {"viewport": size, "locale": locale}
        options |= {"color_scheme": "dark"} if dark else {}
        options |= {} if scripts else {"java_script_enabled": False}
        origin = f"http://127.0.0.1:{self._server.port}"
        page = self._stack.enter_context(lent(self._browser, origin, fresh=fresh or not scripts, **options))
        if player is not None:
            sign_in(page.page.context, player)
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
