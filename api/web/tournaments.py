"""The list of tournaments, and the page of one: its rounds with their boards, and its people."""

from __future__ import annotations

from starlette.responses import Response

from api.http.caching import NEVER
from api.http.routes.lists import stood_for
from api.http.routes.tournaments import actor_of, carried_out
from api.http.routing import Call
from api.mail.tournament_kinds import is_kept
from api.web.clocks import terms_of
from api.web.shell import HasShell
from api.web.tournament_bracket import bracket_of
from api.web.tournament_form import ORGANIZING
from api.web.tournament_parts import Frame, back_to, boards_of, converted, form_of, framed, shown
from domain.games import GAMES
from domain.kernel import Refused
from domain.tournaments import commands as c
from domain.tournaments.state import Round
from projections import read
from projections.read import Asked, TournamentFilter
from projections.tournaments import STATUSES
from replay.game_words import title_of

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
        own_boards=_own_boards(frame),
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


def _own_boards(frame: Frame) -> list[tuple[int, int]]:
    """Round and number of the boards of the caller in the latest public round."""
    rounds, own = frame.shown_rounds, frame.own
    boards = rounds[-1].boards_of(own.id) if rounds and own else ()
    return [(rounds[-1].number, board.number) for board in boards]


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
