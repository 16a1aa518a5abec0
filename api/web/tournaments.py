"""The list of tournaments, a new one, and the page of one: its rounds with their boards, and its people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from zoneinfo import available_timezones

from msgspec.structs import fields
from starlette.responses import Response

from api.http.middleware import NEVER
from api.http.routes.lists import stood_for
from api.http.routes.tournaments import actor_of, carried_out
from api.http.routing import Call
from api.mail.tournament_kinds import is_kept
from api.web.clocks import terms_of
from api.web.shell import HasShell
from api.web.tournament_bracket import bracket_of
from api.web.tournament_parts import Frame, back_to, boards_of, converted, form_of, framed, number_in, shown
from domain.games import GAMES
from domain.kernel import Refused
from domain.tournaments import commands as c
from domain.tournaments.state import Round
from domain.tournaments.terms import MOST_BYES, MOST_ENTRANTS, MOST_ROUNDS, TITLE, Terms
from projections import read
from projections.read import Asked, TournamentFilter
from projections.tournaments import STATUSES
from replay.game_words import game_words, title_of

ORGANIZING = ("organizer", "admin")
_ROWS = 50


async def tournaments_page(pages: HasShell, call: Call) -> Response:
    """The public tournaments, the latest first; `game` and `status` choose."""
    query = call.request.query_params
    game = query.get("game") if query.get("game") in GAMES else None
    status = query.get("status") if query.get("status") in STATUSES else None
    after = query.get("after")
    try:
        stood_for(after, (int, str))
    except Refused:
        after = None
    models, person = call.services.models, call.visitor.person
    page = await models.ask(read.tournaments, TournamentFilter(game, status), Asked(_ROWS, after))
    mine = TournamentFilter(player=person.id) if person else None
    own = (await models.ask(read.tournaments, mine, Asked(_ROWS, None))).rows if mine else ()
    response = pages.shell.page(
        call,
        "tournaments.html",
        script="tables",
        rows_of=page.rows,
        own={row.tournament for row in own},
        next=page.next,
        game=game,
        status=status,
        statuses=STATUSES,
        games=[(name, title_of(GAMES[name], call.language)) for name in GAMES],
        titles={name: title_of(GAMES[name], call.language) for name in GAMES},
        organizes=person is not None and person.role in ORGANIZING,
        state={},
    )
    response.headers["cache-control"] = NEVER
    return response


async def new_tournament_page(pages: HasShell, call: Call) -> Response:
    """A form with the terms of a tournament; what it leaves open has the usual value."""
    person = call.visitor.person
    editions = [
        (
            f"{name}/{edition}",
            f"{title_of(game, call.language)}{f' · {words}' if len(game.editions) > 1 else ''}",
        )
        for name, game in GAMES.items()
        for edition, words in game_words(game, call.language).editions.items()
    ]
    response = pages.shell.page(
        call,
        "tournament_new.html",
        editions=editions,
        usual={field.name: field.default for field in fields(Terms)},
        zones=sorted(available_timezones()),
        most={"rounds": MOST_ROUNDS, "entrants": MOST_ENTRANTS, "byes": MOST_BYES, "title": TITLE},
        organizes=person is not None and person.role in ORGANIZING,
    )
    response.headers["cache-control"] = NEVER
    return response


async def announce(pages: HasShell, call: Call) -> Response:
    """Announce a tournament with the terms of the form.  Raises Refused: see `announced`."""
    form = await form_of(call)
    terms = converted(_terms(form), Terms)
    gate = call.services.tournaments
    accepted = await gate.commands.announce(actor_of(call), form.get("title", ""), terms, None)
    return back_to(call, accepted.log.id, "desk")


def _terms(form: Mapping[str, str]) -> dict[str, Any]:
    """The terms of a form as plain data.  Raises Refused: invalid."""
    game, _, edition = form.get("game", "").partition("/")
    plain: dict[str, Any] = {"game": game, "edition": edition or None, "clock": _clock(form)}
    if "tie_breaks" in form:
        plain["tie_breaks"] = form["tie_breaks"].replace(",", " ").upper().split()
    elif form.get("format") == "round_robin":
        plain["tie_breaks"] = ["DE", "SB", "WIN", "LOT"]
    for name in (
        "format",
        "rounds",
        "cycles",
        "time_zone",
        "most_entrants",
        "late_rounds",
        "byes",
        "visibility",
    ):
        if name in form:
            plain[name] = form[name]
    for name in ("rated", "waiting_list", "late_byes", "calls_hold", "accelerated"):
        plain[name] = form.get(name) == "true"
    if "grace_hours" in form:
        plain["grace"] = 3_600 * number_in(form, "grace_hours")
    return plain


def _clock(form: Mapping[str, str]) -> list[dict[str, object]]:
    """The clock of a form.  Raises Refused: invalid."""
    match form.get("clock"):
        case "bank":
            return [
                {
                    "mode": "bank",
                    "main": 60 * number_in(form, "main"),
                    "increment": number_in(form, "increment"),
                }
            ]
        case "days":
            return [{"mode": "days", "days": number_in(form, "days"), "cap": number_in(form, "cap")}]
    return []


async def tournament_page(pages: HasShell, call: Call, tournament: str) -> Response:
    """A tournament: head, rounds with boards (`round` chooses), entrants, and what the caller may do."""
    frame = await framed(call, tournament)
    one = _chosen(frame, call.request.query_params.get("round"))
    rows = await boards_of(frame, one) if one else []
    return shown(
        pages,
        frame,
        "tournament.html",
        tab="boards",
        round=one,
        rows=rows,
        clock=list(terms_of(frame.s.terms.clock)),
        title=title_of(GAMES[frame.s.terms.game], call.language),
        entrants=_entrants(frame),
        board=_own_board(frame),
        byes=_byes_left(frame),
        bracket=bracket_of(frame),
    )


def _chosen(frame: Frame, wanted: str | None) -> Round | None:
    """The round of an address, else the latest one whose pairings are public."""
    found = frame.shown_rounds
    named = [one for one in found if str(one.number) == wanted]
    return next(iter(named or found[-1:]), None)


def _entrants(frame: Frame) -> list[tuple[int, str]]:
    """Numbers and ids of the entrants who take part; then those who wait, with 0."""
    listed = [(number, one) for one, number in frame.numbers.items()]
    return listed + [(0, one.id) for one in frame.s.entrants.values() if one.status == "waiting"]


def _own_board(frame: Frame) -> tuple[Round, int] | None:
    """The board of the caller in the latest public round."""
    rounds, own = frame.shown_rounds, frame.own
    board = rounds[-1].board_of(own.id) if rounds and own else None
    return (rounds[-1], board.number) if board else None


def _byes_left(frame: Frame) -> list[int]:
    """The rounds for which the caller may ask for a bye."""
    s, own = frame.s, frame.own
    if own is None or not own.takes_part or s.ended or len(own.byes) >= s.terms.byes:
        return []
    last = s.terms.rounds if s.terms.late_byes else s.terms.rounds - 2
    return [number for number in range(len(s.rounds) + 1, last + 1) if number not in own.byes]


async def place_page(pages: HasShell, call: Call, tournament: str, entrant: str, code: str) -> Response:
    """The place to which a link of a message leads, and the button that takes it.

    Raises:
        Refused: not-found: it is no such link, it does not count any more, or the place is taken.
    """
    frame = await framed(call, tournament)
    one = frame.s.entrants.get(entrant)
    if one is None or not is_kept(frame.s, entrant, one.player):
        raise Refused("not-found", "place-link-over")
    if not call.services.tournaments.opens_place(code, frame.s.id, entrant, one.player):
        raise Refused("not-found", "place-link-over")
    address = f"/t/{frame.s.id}/place/{entrant}/{code}"
    return shown(pages, frame, "tournament_place.html", entrant=entrant, secret=code, address=address)


async def do_command(pages: HasShell, call: Call, tournament: str) -> Response:
    """Carry out a command about people or terms, and lead back to the page of its form.

    Raises:
        Refused: see `api.http.routes.tournaments.carried_out`.
    """
    await framed(call, tournament)
    command: c.PeopleCommand = converted(await form_of(call), c.PeopleCommand)  # type: ignore[arg-type]
    await carried_out(call.services.tournaments, tournament, command, actor_of(call))
    return back_to(call, tournament)
