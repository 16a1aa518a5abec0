"""Notifications: what a player is told by mail or in a feed, when the player is not here."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from api.http.account_schemas import Notifications, Often
from api.http.auth import address
from api.http.request_schemas import NewFeed, NewNotifications
from api.http.routing import SENT, Api, Call
from api.mail.settings import CONFIRMATIONS_A_DAY
from api.store.interface import Spent, Subscription
from domain.kernel import Refused

api = Api("notifications", "What a player is told by mail or in a feed, when the player is not here.")


@api.get("/v1/notifications", Notifications, token=True)
async def read_notifications(call: Call) -> Notifications:
    """What the caller wants to be notified of."""
    player = call.person().id
    return view(call, await asyncio.to_thread(call.services.store.outbox.of, player))


@api.put(
    "/v1/notifications",
    NewNotifications,
    Notifications,
    token=True,
    refusals=(*SENT, "not-found", "unknown-player", "forgotten", "in-doubt"),
)
async def change_notifications(call: Call, body: NewNotifications) -> Notifications:
    """What the caller wants from now on; mail to a new address begins when it is confirmed."""
    services, player = call.services, call.person().id
    if services.mail is None:
        raise Refused("not-found", "no-mail")
    services.sign_ins.take(address(call.request.scope))
    wanted = Subscription(
        player=player,
        address=body.address or "",
        asked=services.clock(),
        often=body.often,
        matches=body.matches,
        while_open=body.while_open,
        language=call.language,
    )
    try:
        now = await asyncio.to_thread(services.store.outbox.change, wanted, CONFIRMATIONS_A_DAY)
    except Spent as error:
        raise Refused("limit", "address-asked-often", {"most": CONFIRMATIONS_A_DAY}) from error
    return view(call, now)


@api.post(
    "/v1/notifications/feed",
    NewFeed,
    Notifications,
    token=True,
    refusals=(*SENT, "unknown-player", "forgotten", "in-doubt"),
)
async def renew_feed(call: Call, body: NewFeed) -> Notifications:
    """A feed of the caller's matches at a new secret address; an earlier address ends."""
    player, outbox = call.person().id, call.services.store.outbox
    await asyncio.to_thread(outbox.renew_feed, player)
    return view(call, await asyncio.to_thread(outbox.of, player))


def view(call: Call, one: Subscription) -> Notifications:
    """Return what a player wants, as the player sees it."""
    services, feed = call.services, None
    if one.feed:
        origin = services.borders.origin(call.request.scope)
        feed = f"{origin}/p/{one.player}/feed/{services.links.feed(one.player, one.feed)}.atom"
    return Notifications(
        mail=services.mail is not None,
        address=one.address or None,
        state=cast("Any", one.state),
        said=one.said,
        often=cast("Often", one.often),
        matches=cast("dict[str, Often]", dict(one.matches)),
        while_open=one.while_open,
        feed=feed,
    )
