"""The pages to which mail leads: one confirms an address, the other ends notifications.

Opening a page changes nothing, because programs open links, too; its button does.  A mail program ends
notifications with one request and no page (RFC 8058).  The link holds the right to do it: no player
needs to be signed in, and no cookie counts.
"""

from __future__ import annotations

import asyncio

from starlette.responses import Response

from api.http.caching import NEVER
from api.http.routing import Call
from api.mail.links import fits
from api.mail.worker import CONFIRM_LASTS
from api.store.interface import Subscription
from api.web.shell import HasShell
from domain.kernel import Refused

CONFIRM, STOP = "confirm", "stop"


async def mail_link_page(pages: HasShell, call: Call, deed: str, player: str, code: str) -> Response:
    """What a link of a message does, and the button that does it.

    Raises:
        Refused: not-found: it is no such link, or it does not count any more.
    """
    await _judged(call, deed, player, code)
    response = pages.shell.page(call, "mail.html", script="mail", deed=deed, state={})
    response.headers["cache-control"] = NEVER
    response.headers["referrer-policy"] = "no-referrer"
    return response


async def do_mail_link(pages: HasShell, call: Call, deed: str, player: str, code: str) -> Response:
    """Do what a link says; the answer has no content.

    Raises:
        Refused: not-found: it is no such link, or it does not count any more.
    """
    one, outbox = await _judged(call, deed, player, code), call.services.store.outbox
    if deed == CONFIRM:
        done = await asyncio.to_thread(outbox.confirm, player, one.address, one.asked)
    else:
        done = await asyncio.to_thread(outbox.unsubscribe, player, one.address)
    if not done:
        raise Refused("not-found", "mail-link-over")
    return Response(status_code=204, headers={"cache-control": NEVER})


async def _judged(call: Call, deed: str, player: str, code: str) -> Subscription:
    """Return whose link it is, and of which address.  Raises Refused: limit, not-found."""
    services = call.services
    one = await asyncio.to_thread(services.store.outbox.of, player[:64])
    links = {CONFIRM: services.links.confirm(player, one.address, one.asked)}
    links[STOP] = services.links.stop(player, one.address)
    counts = deed != CONFIRM or services.clock() - one.asked <= CONFIRM_LASTS
    if deed not in links or not one.address or not counts or not fits(code, links[deed]):
        raise Refused("not-found", "mail-link-over")
    return one
