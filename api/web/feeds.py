"""The Atom feed of a player (RFC 4287): the matches that wait for the player, and those that closed lately.

Its address is secret, because a feed reader sends no token.  The feed is made of the lobby, so it tells no
more than the lobby does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from xml.etree.ElementTree import Element, SubElement, tostring

from msgspec import UNSET
from starlette.responses import Response

from api.http.caching import NEVER
from api.http.lobby import DAY, OVER_DAYS, LobbyMatch
from api.http.routing import Call
from api.mail.kinds import FLAGGED, SHORT
from api.mail.links import fits
from api.mail.messages import texts
from api.web.shell import HasShell
from domain.kernel import Refused
from domain.match_clock import BY_TIME
from domain.texts import LANGUAGES

ATOM = "application/atom+xml"
_SPACE = "http://www.w3.org/2005/Atom"


async def feed_page(pages: HasShell, call: Call, player: str, secret: str) -> Response:
    """The feed of a player; each notice is an entry, with the id that it keeps.

    Raises:
        Refused: not-found: the secret is not that of the feed; unavailable: see `Lobbies.of`.
    """
    services = call.services
    one = await asyncio.to_thread(services.store.outbox.of, player[:64])
    if not one.feed or not fits(secret, services.links.feed(player, one.feed)):
        raise Refused("not-found", "no-such-feed")
    language = call.request.query_params.get("lang") or one.language
    language = language if language in LANGUAGES else LANGUAGES[0]
    lobby = await services.lobbies.of(player, services.clock() - OVER_DAYS * DAY, language)
    origin = services.borders.origin(call.request.scope)
    entries = [*_waiting(lobby.mine), *_short(lobby.mine, services.clock()), *_over(lobby.over)]
    entries += _flagged([*lobby.mine, *lobby.theirs], services.clock())
    body = _atom(entries, player, f"{origin}{call.request.url.path}", origin, language, services.clock())
    head = {"cache-control": NEVER, "x-content-type-options": "nosniff", "referrer-policy": "no-referrer"}
    return Response(body, 200, head, ATOM)


_Entry = tuple[str, LobbyMatch, int]  # the kind, the match, and when it came to be


def _waiting(matches: list[LobbyMatch]) -> Iterator[_Entry]:
    for row in matches:
        if any(seat in row.unopened for seat in row.own):
            yield "salt", row, row.changed_at or 0
        elif any(seat in row.asked for seat in row.own):
            yield "takeback" if row.takeback and row.takeback not in row.own else "your-move", row, row.since


def _over(matches: list[LobbyMatch]) -> Iterator[_Entry]:
    for row in matches:
        kind = "timed-out" if row.by == BY_TIME else "over"
        yield kind, row, row.closed_at or row.changed_at or 0


def _short(matches: list[LobbyMatch], now: int) -> Iterator[_Entry]:
    """The matches in which the reader has little time left, and had more when asked."""
    for row in matches:
        due = {} if row.clock is UNSET else row.clock.due
        for seat in row.own:
            since = row.asked.get(seat)
            if seat in due and since is not None and due[seat] - now <= SHORT < due[seat] - since:
                yield "time-short", row, due[seat] - SHORT


def _flagged(matches: list[LobbyMatch], now: int) -> Iterator[_Entry]:
    """The matches that go on although the time of a player is up."""
    for row in matches:
        clock = row.clock
        for seat in row.seats if clock is not UNSET else ():
            if clock is not UNSET and clock.flagged is not UNSET and clock.is_flagged(seat, now):
                yield FLAGGED, row, clock.flagged.get(seat, clock.due.get(seat, 0))


def _atom(entries: list[_Entry], player: str, own: str, origin: str, language: str, now: int) -> bytes:
    t = texts(language)
    feed = Element("feed", {"xmlns": _SPACE, "xml:lang": language})
    SubElement(feed, "id").text = f"urn:glasnost:feed:{player}"
    SubElement(feed, "title").text = t["feed.title"]
    SubElement(feed, "updated").text = _time(max((at for *_, at in entries), default=now))
    SubElement(feed, "link", {"rel": "self", "type": ATOM, "href": own})
    SubElement(feed, "link", {"rel": "alternate", "type": "text/html", "href": f"{origin}/"})
    SubElement(SubElement(feed, "author"), "name").text = "Glasnost"
    for kind, row, at in sorted(entries, key=lambda entry: (-entry[2], entry[1].match)):
        about = {"title": row.title, "match": row.match, "move": row.move}
        entry = SubElement(feed, "entry")
        mark = (
            row.opened_at if kind == "salt" else at
        )  # it waits for salts once, and others open theirs meanwhile
        SubElement(entry, "id").text = f"urn:glasnost:notice:{kind}:{row.match}:{mark}"
        SubElement(entry, "title").text = t[f"{kind}.subject"].format(**about)
        SubElement(entry, "updated").text = _time(at)
        link = f"{origin}/m/{row.match}?move={row.move}"
        SubElement(entry, "link", {"rel": "alternate", "type": "text/html", "href": link})
        SubElement(entry, "summary").text = t[f"{kind}.body"].format(**about)
    body: bytes = tostring(feed, encoding="utf-8", xml_declaration=True)
    return body


def _time(at: int) -> str:
    return datetime.fromtimestamp(at / 1_000_000, UTC).isoformat()
