"""The page where a player signs in and out: tokens, one-time links, and where the player is signed in."""

from __future__ import annotations

import asyncio
import re

from starlette.responses import Response

from api.http import sessions as cookies
from api.http.account_schemas import Notifications
from api.http.caching import NEVER
from api.http.routes.notifications import view
from api.http.routing import Call
from api.web.shell import HasShell

PATH = "/in"
HOME = "/"
_OWN_PATH = re.compile(r"/(?![/\\])[^\x00-\x20\\]{0,500}")


async def sign_in_page(pages: HasShell, call: Call) -> Response:
    """How to sign in or, for a player who is signed in, where, and how to sign in another device.

    The parameter `next` is the page of this server to which a player goes on.
    """
    services, person = call.services, call.visitor.person
    people, bounds = services.store.people, services.session_bounds
    sessions = await asyncio.to_thread(people.sessions, person.id, services.clock(), bounds) if person else []
    wanted = call.request.query_params.get("next", "")
    response = pages.shell.page(
        call,
        "sign.html",
        script="sign",
        sessions=sessions,
        current=call.visitor.session,
        minutes=services.settings.link_minutes,
        days=services.settings.session_days,
        notifications=await asyncio.to_thread(_notifications, call) if person else None,
        state={
            "player": person.id if person else None,
            "name": person.name if person else None,
            "next": wanted if _OWN_PATH.fullmatch(wanted) else HOME,
        },
    )
    response.headers["cache-control"] = NEVER
    scope = call.request.scope
    if scope.get(cookies.SECRET) and not call.visitor.session:  # the session is over
        secure = services.borders.origin(scope).startswith("https:")
        response.headers.append("set-cookie", cookies.clear_cookie(secure=secure))
    return response


def _notifications(call: Call) -> Notifications:
    """What the player wants to be notified of."""
    return view(call, call.services.store.outbox.of(call.person().id))
