"""The pages: each one is a handler that returns what the shell makes of its template."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from markupsafe import Markup
from msgspec import UNSET, UnsetType
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from api.gate import CachedMatch
from api.gate.command_handler import seats_of
from api.http import caching
from api.http.app_state import Services
from api.http.auth import NO_TOKEN, Visitor, address
from api.http.exception_handlers import problem
from api.http.game_words import words_address_of
from api.http.permissions import looked, viewer
from api.http.problems import DOCS
from api.http.routing import Call
from api.http.schemas import MatchSummary
from api.http.views import SPECTATOR, players_of, summary
from api.store.interface import StoreError
from api.web import sign_in
from api.web.analysis import explore_page, find_page
from api.web.assets import PREFIX, Assets
from api.web.audit import ORGANIZING, audit_csv, audit_page, read_verify_page
from api.web.boards import player_page, scoreboard_page
from api.web.clocks import seat_clock
from api.web.comparison import compare_page
from api.web.feeds import feed_page
from api.web.lobby import lobby_page
from api.web.log_page import log_page
from api.web.mail_links import do_mail_link, mail_link_page
from api.web.new_match import new_match_page, sit_page
from api.web.players import players_page
from api.web.previews import nearest_move, picture_page, preview_of, small_board
from api.web.saved_queries import queries_page
from api.web.shell import HTML, PLAYING, Shell, language_of, texts
from api.web.shown_position import shown_position
from api.web.tournament_boards import board_page, rule
from api.web.tournament_evidence import integrity_csv, integrity_page, proof_page, prove
from api.web.tournament_form import announce, new_tournament_page
from api.web.tournament_officials import do_as_official, officials_page
from api.web.tournament_room import do_in_room, room_page
from api.web.tournament_tables import bids_page, entrant_page, standings_page
from api.web.tournaments import do_command, place_page, tournament_page, tournaments_page
from api.web.turns import turns_page
from domain.branches import must_have_branches
from domain.kernel import Refused, Seat
from domain.match import Match
from domain.match_base import ALL
from replay.clocks import ClockShown, clock_after
from replay.positions import NoView, must_see
from replay.words import Words

_VARY = ("accept-language", "authorization", "cookie")
_ELSEWHERE = 307

Handler = Callable[..., Awaitable[Response]]

_TOURNAMENT = "/t/{tournament}"
_BOARD = f"{_TOURNAMENT}/rounds/{{round_number}}/boards/{{board}}"
_ROOM = f"{_TOURNAMENT}/disputes/{{match}}"
TOURNAMENT_PAGES: tuple[tuple[str, Handler, list[str]], ...] = (
    ("/t", tournaments_page, ["GET"]),
    ("/t/new", new_tournament_page, ["GET"]),
    ("/t/new", announce, ["POST"]),
    (_TOURNAMENT, tournament_page, ["GET"]),
    (f"{_TOURNAMENT}/do", do_command, ["POST"]),
    (f"{_TOURNAMENT}/place/{{entrant}}/{{code}}", place_page, ["GET"]),
    (f"{_TOURNAMENT}/standings", standings_page, ["GET"]),
    (f"{_TOURNAMENT}/bids", bids_page, ["GET"]),
    (f"{_TOURNAMENT}/entrants/{{entrant}}", entrant_page, ["GET"]),
    (_BOARD, board_page, ["GET"]),
    (_BOARD, rule, ["POST"]),
    (f"{_TOURNAMENT}/desk", officials_page, ["GET"]),
    (f"{_TOURNAMENT}/desk", do_as_official, ["POST"]),
    (f"{_TOURNAMENT}/integrity", integrity_page, ["GET"]),
    (f"{_TOURNAMENT}/integrity.csv", integrity_csv, ["GET"]),
    (f"{_TOURNAMENT}/proof", proof_page, ["GET"]),
    (f"{_TOURNAMENT}/proof", prove, ["POST"]),
    (_ROOM, room_page, ["GET"]),
    (_ROOM, do_in_room, ["POST"]),
)
"""The pages of tournaments and the forms that they take: path, handler and methods of each."""


class Pages:
    """All pages of the web client.

    Args:
        assets: the static files.
    """

    def __init__(self, assets: Assets) -> None:
        self.assets, self.shell = assets, Shell(assets)

    @property
    def routes(self) -> list[Route]:
        """The routes of the pages and of their files."""
        return [
            Route(f"{PREFIX}/{{path:path}}", self.assets.serve),
            Route("/", self._home),
            self._route("/new", new_match_page),
            self._route("/m/{match}", match_page),
            self._route("/m/{match}/sit", sit_page),
            self._route("/m/{match}/turns", turns_page),
            Route("/m/{match}/picture.png", partial(self._serve, handler=picture_page, anonymous=True)),
            Route("/m/{match}/board.svg", partial(self._serve, handler=small_board, anonymous=True)),
            Route("/embed/{match}", partial(self._serve, handler=embed_page, framed=True)),
            *(self._route(path, handler, methods) for path, handler, methods in TOURNAMENT_PAGES),
            self._route("/s", scoreboard_page),
            self._route("/s/{game}", scoreboard_page),
            self._route("/p/{player}", player_page),
            self._route("/players", players_page),
            self._route("/log", log_page),
            self._route("/find", find_page),
            self._route("/explore", explore_page),
            self._route("/explore/{game}", explore_page),
            self._route("/queries", queries_page),
            self._route("/compare", compare_page),
            self._route("/p/{player}/feed/{secret}.atom", feed_page),
            self._route("/mail/{deed}/{player}/{code}", mail_link_page),
            self._route("/mail/{deed}/{player}/{code}", do_mail_link, ["POST"]),
            self._route(sign_in.PATH, sign_in.sign_in_page),
            self._route("/m/{match}/audit", audit_page),
            self._route("/m/{match}/audit.csv", audit_csv),
            self._route("/verify", read_verify_page),
        ]

    async def _home(self, request: Request) -> Response:
        """The lobby for a browser; the manual for a client that does not ask for HTML."""
        if HTML in request.headers.get("accept", ""):
            response = await self._serve(request, lobby_page)
        else:
            head = {"location": DOCS, "content-type": "text/plain; charset=utf-8"}
            response = Response(f"{DOCS} lists all that there is\n", _ELSEWHERE, head)
        response.headers.add_vary_header("accept")
        return response

    def _route(self, path: str, handler: Handler, methods: list[str] | None = None) -> Route:
        """A page at a path.  It ignores parameters that it does not know: links bring their own."""
        return Route(path, partial(self._serve, handler=handler), methods=methods)

    async def _serve(
        self, request: Request, handler: Handler, framed: bool = False, anonymous: bool = False
    ) -> Response:
        """Answer a request with a page: that of the handler, or one that says why there is none.

        `anonymous`: it knows nothing of cookies and tokens.  `framed`: pages of other servers may show it, so
        it is anonymous as well.
        """
        anonymous = anonymous or framed
        services: Services = request.app.services
        call = Call(services, request, Visitor(None, f"{NO_TOKEN}{address(request.scope)}"))
        call.language = language_of(request, cookies=not anonymous)
        try:
            if not anonymous:
                call.visitor = await services.tokens.visitor(request)
            services.requests.take(call.visitor.counted)
            response = await handler(self, call, **request.path_params)
        except (Refused, StoreError) as error:
            said, headers = await problem(error, services, call.language)
            response = self.shell.page(call, "problem.html", said.status, framed=framed, problem=said)
            response.headers.update({**headers, "cache-control": caching.NEVER})
            return response
        signed_in = call.visitor.person is not None
        vary = _VARY[:1] if anonymous else _VARY
        return await caching.kept(
            request, response, services.packed, vary, own=signed_in, final=call.final and not signed_in
        )


# ── A match: the table while it is played, the replay room when it is over ──


async def match_page(pages: Pages, call: Call, match: str) -> Response:
    """The board of a match after a move, as one of its views shows it, with what happened and what is asked.

    A move that does not exist becomes the nearest one, and a view that the reader may not see becomes the
    spectator's; the page says so.
    """
    query = call.request.query_params
    cached = await looked(call, match)
    found = cached.match
    own = seats_of(found, call.player)
    view, views, denied = _view(call, found, own)
    spoiler_free = query.get("spoiler") == "off" and found.closed is not None
    move = nearest_move(query.get("move"), found.move)
    if spoiler_free and move == found.move:
        spoiler_free = "move" not in query
        move = 1 if spoiler_free else move
    context = await _context(call, cached, move, view)
    about = context.pop("about")
    preview = await preview_of(call, context, found, spoiler_free)
    context["state"] |= {
        "picture": preview["picture"] is not None,
        "views": views,
        "own": own,
        "salted": [seat for seat in own if seat in found.unopened],
        "last": move if spoiler_free else found.move,
        "spoilerFree": spoiler_free,
    }
    frozen = None if about.frozen is UNSET else about.frozen
    context["state"] |= {"frozen": frozen.reason if frozen else None}
    person = call.visitor.person
    organizes = person is not None and person.role in ORGANIZING
    return pages.shell.page(
        call,
        "match.html",
        script="match",
        preloads=() if call.final else PLAYING,
        fetches=_fetches(context["state"]),
        has_file=found.provable,
        spoiler_free=spoiler_free,
        status=about.status,
        unverified=about.unverified,
        claimed=about.claimed,
        branch=found.opened.branch,
        has_branches=_has_branches(found) and not spoiler_free,
        signature=about.signature,
        result=context["words"].result(found.result) if found.result and call.final else None,
        denied=denied,
        preview=preview,
        frozen=frozen,
        may_officiate=organizes and not own and about.status == "running",
        **context,
    )


def _fetches(state: Mapping[str, Any]) -> tuple[str, ...]:
    """The addresses that the script of a match reads first, exactly as it writes them."""
    query = f"view={state['view']}&after=0&templates=true&lang={state['language']}"
    return f"/v1/matches/{state['match']}/positions?{query}", state["vocabulary"]


async def embed_page(pages: Pages, call: Call, match: str) -> Response:
    """The board of a match after a move, for a frame in a page of another server.

    There is no session here: a match that runs is shown as a spectator sees it, one that is over as any view.
    """
    cached = await looked(call, match)
    found = cached.match
    view, _, denied = _view(call, found, [])
    move = nearest_move(call.request.query_params.get("move"), found.move)
    context = await _context(call, cached, move, view)
    context.pop("about")
    context["state"] |= {"views": [view], "own": [], "salted": [], "last": found.move, "spoilerFree": False}
    return pages.shell.page(call, "embed.html", script="embed", framed=True, denied=denied, **context)


def _view(call: Call, match: Match, own: list[Seat]) -> tuple[str, list[str], bool]:
    """Return the view of an address, the views that may be chosen, and whether it names one that may not."""
    views, wanted = _views(match, own), call.request.query_params.get("view")
    denied = wanted is not None and wanted not in views
    return SPECTATOR if denied else wanted or views[0], views, denied


async def _context(call: Call, cached: CachedMatch, move: int, view: str) -> dict[str, Any]:
    """Return what a template shows of a match after a move, and the state that its script reads."""
    found = cached.match
    names = await call.services.names.of(players_of(cached), call.language)
    chair = viewer(found, call.player, view)
    seat = found.seat_of(chair, move) if chair else None
    call.final = found.closed is not None
    words = Words(found, call.language)
    async with call.services.rendering:
        shown = await asyncio.to_thread(shown_position, found, move, seat, words, names)
    about = summary(cached, names, call.language)
    seats = [
        {"id": seat, "name": words.name(seat), "player": _player(about, seat, call.language)}
        for seat in found.game.seats
    ]
    clock = _clock(found, move)
    return {
        "board": Markup(shown.board) if shown.board else None,
        "status_items": shown.status,
        "story": shown.story,
        "asked": shown.asked,
        "about": about,
        "words": words,
        "title": words.game,
        "game": found.game.name,
        "seats": seats,
        "clocks": {seat: seat_clock(clock, seat, call.services.clock()) for seat in found.game.seats},
        "has_clock": clock is not UNSET,
        "stands": clock is not UNSET and clock.stands == "paused",
        "move": move,
        "last": found.move,
        "match": found.id,
        "over": call.final,
        "view": view,
        "state": {
            "match": found.id,
            "game": found.game.name,
            "language": call.language,
            "view": view,
            "seats": seats,
            "move": move,
            "over": call.final,
            "vocabulary": words_address_of(found, call.language),
            "scene": shown.scene,
            **_time(call, found),
        },
    }


def _clock(match: Match, move: int) -> ClockShown | UnsetType:
    """What the clocks showed after a move; on the page they run if it is the latest of a match that runs."""
    clock = clock_after(match, move)
    if clock is UNSET or (move == match.move and match.closed is None):
        return clock
    return replace(clock, due={})


def _time(call: Call, match: Match) -> dict[str, Any]:
    """What the scripts of a match with a clock need: the server's time, while it runs."""
    if not match.opened.clock:
        return {}
    return {"clock": True, "now": None if match.closed else call.services.clock()}


def _views(match: Match, own: list[Seat]) -> list[str]:
    """Return the views that a player of these seats (none: a visitor) may choose, the best one first."""
    if not match.closed:
        return [*own, SPECTATOR]
    return [view for view in (ALL, *match.game.seats) if _has_view(match, view)] + [SPECTATOR]


def _has_branches(match: Match) -> bool:
    """May a reader open a branch of the match?"""
    try:
        must_have_branches(match)
    except Refused:
        return False
    return match.begun is not None


def _has_view(match: Match, view: str) -> bool:
    """Can the match, which is over, be shown like this?  A log may lack the private parts."""
    try:
        must_see(match, view)
    except NoView:
        return False
    return not match.imported


def _player(about: MatchSummary, seat: Seat, language: str) -> str:
    """Return the name of who plays a seat; empty where it is free, or where no name may be shown."""
    name = about.names.get(about.seats[seat] or "", "")
    return texts(language)("row_bot", name=name or about.bots[seat]) if seat in about.bots else name
