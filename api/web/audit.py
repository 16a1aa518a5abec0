"""The page of an audit, its table as CSV, and the page that verifies files in the browser."""

from __future__ import annotations

import asyncio
import math
from typing import Any, Protocol

from starlette.responses import Response

from api.gate.command_handler import seats_of
from api.http.game_words import words_address_of
from api.http.permissions import looked
from api.http.routes import PLAYING
from api.http.routing import Call
from api.http.views import players_of
from api.web import verify_page
from api.web.shell import HEADERS, HTML, Shell, texts
from domain.game import Game
from domain.match import Match
from domain.match_base import Outline
from domain.texts import LANGUAGES
from replay import move_table
from replay.boards.drawing import BOARDS
from replay.words import Words

ROWS = 1_000  # moves of one page; more stand on the next
MOST_ROWS = 100_000  # of a CSV: as many moves as a match file may have
STRIP = 60  # height of the strip of times
ORGANIZING = ("organizer", "admin")


class _Pages(Protocol):
    """What a handler needs of `api.web.pages.Pages`."""

    shell: Shell


async def read_verify_page(pages: _Pages, call: Call) -> Response:
    """The page that verifies match and tournament files; with `download`, as a file to keep.

    To a player who is signed in it also offers to put the file on this server.
    """
    page, person = verify_page.text(), call.visitor.person
    if "download" not in call.request.query_params and person is not None and person.role in PLAYING:
        section = pages.shell.fragment("upload.html", all_texts=[texts(language) for language in LANGUAGES])
        page = verify_page.with_upload(section, pages.shell.url("pages/upload.js"))
    head = {**HEADERS, "content-security-policy": f"{verify_page.policy(page)}; frame-ancestors 'none'"}
    if "download" in call.request.query_params:
        head["content-disposition"] = 'attachment; filename="verify.html"'
    call.final = True
    return Response(page, headers=head, media_type=HTML)


async def audit_page(pages: _Pages, call: Call, match: str) -> Response:
    """Every move with its time, question, answer, draws and root; the rulings; and what can be checked."""
    cached = await looked(call, match)
    found = cached.match
    people = [*players_of(cached), *move_table.organizers(found)]
    names = await call.services.names.of(people, call.language)
    after = _after(call.request.query_params.get("after"), found.move)
    call.final = found.closed is not None
    async with call.services.rendering:
        shown = await asyncio.to_thread(_shown, found, after, call.language, names)
        found.rest()
    person = call.visitor.person
    organizes = person is not None and person.role in ORGANIZING
    of_tournament = found.opened.tournament is not None  # officials rule on its board, and in its room
    may_rule = organizes and not (call.final or of_tournament or seats_of(found, call.player))
    shown["state"]["vocabulary"] = words_address_of(found, call.language) if may_rule else None
    return pages.shell.page(
        call,
        "audit.html",
        script="audit",
        preloads=("data/vocabulary.js", "parts/ruling.js") if may_rule else (),
        may_rule=may_rule,
        match=match,
        game=found.game.name,
        over=call.final,
        provable=found.provable,
        imported=found.imported,
        private=found.private,
        own_log=not found.uploaded and not found.imported,
        last=found.move,
        organizes=organizes,
        **shown,
    )


def _shown(match: Match, after: int, language: str, names: dict[str, str]) -> dict[str, Any]:
    words = Words(match, language)
    table = move_table.rows(match, words, names, after, ROWS)
    secret, keys = move_table.opened_keys(match)
    end = after + len(table)
    return {
        "title": words.game,
        "seats": _seats(match.game, words),
        "has_board": match.game.name in BOARDS,
        "kinds": sorted({row.kind for row in table}),
        "rows": table,
        "rulings": move_table.rulings(match, names),
        "strip": _strip(table, match),
        "strip_height": STRIP,
        "after": after,
        "earlier": max(0, after - ROWS) if after else None,
        "later": end if end < match.move else None,
        "think": think_text,
        "state": {
            "match": match.id,
            "last": match.move,
            "has_board": match.game.name in BOARDS,
            "secret": secret,
            "keys": keys,
            "salts": match.salts,
            "draws": {row.move: row.draws for row in table if row.draws},
        },
    }


def _seats(game: Game, words: Words) -> dict[str, tuple[int, str]]:
    return {seat: (place, words.name(seat)) for place, seat in enumerate(game.seats)}


def _strip(table: list[move_table.MoveRow], match: Outline) -> list[tuple[int, int, int, str]]:
    """A bar for each answer: the move, the place of the seat, the height, the time in words."""
    seats = list(match.game.seats)
    return [
        (row.move, seats.index(row.seat), _height(row.think), think_text(row.think))
        for row in table
        if row.think is not None and row.seat in seats
    ]


def _height(think: int) -> int:
    """From 2 for a tenth of a second or less; ten times the time is 12 more."""
    return min(STRIP, 2 + round(12 * math.log10(max(think, 100_000) / 100_000)))


def think_text(think: int | None) -> str:
    """Return a time in words of a clock: "00:41", "2:03:41", "3 d 01:00:00"; empty if there is none."""
    if think is None:
        return ""
    seconds = max(0, think) // 1_000_000
    days, rest = divmod(seconds, 86_400)
    hours, rest = divmod(rest, 3_600)
    clock = f"{rest // 60:02}:{rest % 60:02}"
    if days:
        return f"{days} d {hours:02}:{clock}"
    return f"{hours}:{clock}" if hours else clock


async def audit_csv(pages: _Pages, call: Call, match: str) -> Response:
    """The table of the audit, whole, as CSV."""
    cached = await looked(call, match)
    found = cached.match
    people = [*players_of(cached), *move_table.organizers(found)]
    names = await call.services.names.of(people, call.language)
    call.final = found.closed is not None
    async with call.services.rendering:
        text = await asyncio.to_thread(_csv, found, call.language, names)
        found.rest()
    head = {**HEADERS, "content-language": call.language}
    head["content-disposition"] = f'attachment; filename="{found.id}.csv"'
    return Response(text, headers=head, media_type="text/csv; charset=utf-8")


def _csv(match: Match, language: str, names: dict[str, str]) -> str:
    words = Words(match, language)
    seats = {seat: words.name(seat) for seat in match.game.seats}
    return move_table.as_csv(move_table.rows(match, words, names, 0, MOST_ROWS), seats)


def _after(wanted: str | None, last: int) -> int:
    """Return the move after which the page begins: a multiple of `ROWS`, and one that exists."""
    text = (wanted or "")[:9]
    number = int(text) if text.isascii() and text.isdigit() else 0
    return min(number, max(0, last - 1)) // ROWS * ROWS
