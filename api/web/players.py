"""The page on which players are found by how their names begin."""

from __future__ import annotations

from starlette.responses import Response

from api.http.caching import NEVER
from api.http.routes.lists import stood_for
from api.http.routes.players import LONGEST, SHORTEST, found_players
from api.http.routing import Call
from api.store.accounts import folded
from api.web.shell import HasShell
from domain.kernel import Refused

_ROWS = 50


async def players_page(pages: HasShell, call: Call) -> Response:
    """A form, and the players whose names begin as `q` says; `after` shows those that follow.

    Like over HTTP, only those who are signed in search, each so often in a minute.
    """
    sought = call.request.query_params.get("q", "").strip()
    refusal = _refusal(call, sought)
    found = None
    if sought and not refusal:
        after = _cursor(call.request.query_params.get("after"))
        found = await found_players(call, sought, whole=False, limit=_ROWS, after=after)
    response = pages.shell.page(
        call,
        "players.html",
        sought=sought[:LONGEST],
        refusal=refusal,
        found=found,
        least=SHORTEST,
        most=LONGEST,
    )
    response.headers["cache-control"] = NEVER
    return response


def _refusal(call: Call, sought: str) -> str:
    """Why nothing is looked for; "" if something is."""
    if call.visitor.person is None:
        return "visitor"
    if len(sought) > LONGEST:
        return "long"
    return "short" if sought and len(folded(sought)) < SHORTEST else ""


def _cursor(wanted: str | None) -> str | None:
    """The `next` of another page, if that is what the address has."""
    try:
        stood_for(wanted, (str, str))
    except Refused:
        return None
    return wanted
