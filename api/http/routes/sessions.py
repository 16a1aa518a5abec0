"""Sessions: a browser signs in with a token or a one-time link, sees where it is signed in, and signs out."""

from __future__ import annotations

import asyncio
from io import BytesIO
from typing import Annotated, cast

import segno
from fastapi import Path
from msgspec import UNSET
from starlette.responses import Response

from api.http import sessions
from api.http.account_schemas import Link, Role, SessionList, SessionView, SignedIn
from api.http.auth import address
from api.http.decoding import CHALLENGE
from api.http.request_schemas import NewLink, SignIn
from api.http.routing import FORBIDDEN, SENT, Api, Call
from api.store.interface import Act, NewSession
from domain.kernel import Refused

_SCANNED = 300  # characters of a text as a QR code
CURRENT = "current"
SessionId = Annotated[
    str, Path(pattern=r"^[a-z0-9]{1,32}$", description=f'The id of a session, or "{CURRENT}".')
]

api = Api("sessions", "Sessions: how a browser is signed in, by a cookie that no script can read.")


@api.post("/v1/sessions", SignIn, SignedIn, refusals=SENT)
async def sign_in(call: Call, body: SignIn) -> Response:
    """Sign in a browser with a token, or with the code of a link; the cookie comes with the answer.

    Only for pages of this server.  A session that the browser had before ends.
    """
    services, request = call.services, call.request
    secure = services.borders.must_be_own_page(request.scope)
    if (body.token is UNSET) == (body.code is UNSET):
        raise Refused("invalid", "token-or-code")
    services.sign_ins.take(address(request.scope))
    made = await _made(call, body)
    role = cast("Role", made.person.role)
    told = SignedIn(made.id, made.person.id, made.person.name or "", role)
    response = call.answer(told, 201)
    response.headers["set-cookie"] = sessions.set_cookie(made.secret, secure=secure)
    return response


async def _made(call: Call, body: SignIn) -> NewSession:
    """Make the session.  Raises Refused: unauthorized, limit."""
    services, request = call.services, call.request
    people, bounds = services.store.people, services.session_bounds
    device = sessions.device(request.headers.get("user-agent", ""))
    about = (device, services.clock(), bounds, request.scope.get(sessions.SECRET) or "")
    if isinstance(body.token, str):
        await services.tokens.owner(body.token, address(request.scope))
        made = await asyncio.to_thread(people.sign_in, body.token, *about)
        reason = "unknown-token"
    else:
        made = await asyncio.to_thread(people.sign_in_by_link, str(body.code), *about)
        reason = "link-over"
    if made is None:
        raise Refused("unauthorized", reason, headers=CHALLENGE)
    return made


@api.get("/v1/sessions", SessionList, token=True)
async def read_sessions(call: Call) -> SessionList:
    """Where the caller is signed in; the session that was used last stands first."""
    return await _sessions(call, call.person().id)


@api.delete("/v1/sessions/{session}", SessionList, token=True, refusals=(*FORBIDDEN, "not-found"))
async def end_session(call: Call, session: SessionId) -> Response:
    """End a session of the caller; `current` is the one of this request: its cookie is removed.

    The answer lists those that remain.
    """
    player, own = call.person().id, call.visitor.session
    ended = own if session == CURRENT else session
    people = call.services.store.people
    if not ended or not await asyncio.to_thread(people.end_session, player, ended):
        raise Refused("not-found", "no-such-session")
    response = call.answer(await _sessions(call, player))
    if ended == own:
        secure = call.services.borders.must_be_own_page(call.request.scope)
        response.headers["set-cookie"] = sessions.clear_cookie(secure=secure)
    return response


@api.post(
    "/v1/sessions/links",
    NewLink,
    Link,
    token=True,
    refusals=(*SENT, "unknown-player", "forgotten", "in-doubt"),
)
async def create_link(call: Call, body: NewLink) -> Link:
    """A one-time link that signs in another device of the caller; an admin makes one for any player.

    Its code is shown only in this answer.  A page opens it as `/in#CODE`: what stands behind # is sent to no
    server.
    """
    services, player = call.services, call.person().id
    named = player if body.player is UNSET else body.player
    if named != player:
        call.person("admin")
    services.sign_ins.take(address(call.request.scope))
    act = Act(player, services.clock(), body.reason)
    code = await asyncio.to_thread(services.store.people.new_link, named, act, services.session_bounds)
    place = f"{services.borders.origin(call.request.scope)}/in#{code}"
    return Link(code, act.at + services.session_bounds.link_lasts, place, _qr(place))


def _qr(text: str) -> str:
    """A text as a QR code, drawn as SVG; "" if it is too long to be scanned."""
    if len(text) > _SCANNED:
        return ""
    file = BytesIO()
    segno.make_qr(text, error="m").save(file, kind="svg", xmldecl=False, omitsize=True, light="white")
    return file.getvalue().decode().strip()


async def _sessions(call: Call, player: str) -> SessionList:
    services = call.services
    found = await asyncio.to_thread(
        services.store.people.sessions, player, services.clock(), services.session_bounds
    )
    own = call.visitor.session
    return SessionList([SessionView(one.id, one.device, one.made, one.used, one.id == own) for one in found])
