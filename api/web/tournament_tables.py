"""Standings with every addend of a value, after any entry; and the path of one entrant."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from starlette.responses import Response

from api.gate.tournament_bids import bids_of
from api.http.routing import Call
from api.web.shell import HasShell
from api.web.tournament_parts import RESULTS, Frame, framed, half, light_of_pair, pair_shown, shown
from domain.kernel import Refused
from domain.tournaments.events import RoundClosed
from domain.tournaments.judging import entrant_in
from domain.tournaments.state import Board, Round
from replay.tournaments.standings import Explained, Standings


class CellShown(Struct, frozen=True):
    """A round of an entrant: number and id of the opponent, own seat (0 or 1), own half of the result.

    kind: "win", "loss", "draw", "pending", or the kind of a bye.
    points: from both matches of a pair that plays both sides, "1½ : ½"; "" of one match.
    """

    round: int
    kind: str
    number: int = 0
    opponent: str = ""
    seat: int = 0
    result: str = ""
    board: int = 0
    light: str = ""
    floats: str = ""
    total: str = ""
    points: str = ""


def cells_of(frame: Frame, entrant: str) -> list[CellShown]:
    """Return the public rounds of an entrant, each with the points after it."""
    s, found = frame.s, list[CellShown]()
    points = -s.entrants[entrant].penalty
    for one in frame.shown_rounds:
        pair = one.boards_of(entrant)
        points += s.score_in(one, entrant, pair)
        found.append(_cell(frame, one, entrant, pair, half(points)))
    return found


def _cell(frame: Frame, one: Round, entrant: str, pair: Sequence[Board], total: str) -> CellShown:
    if not pair:
        return CellShown(one.number, one.byes.get(entrant, "absent"), total=total)
    board = pair[0]
    colour = board.entrants.index(entrant)
    other, result = board.entrants[1 - colour], RESULTS.get(frame.s.result_of(pair))
    own = result[colour] if result else ""
    kind = {"1": "win", "+": "win", "½": "draw", "": "pending"}.get(own, "loss")
    return CellShown(
        one.number,
        kind,
        frame.numbers.get(other, 0),
        other,
        frame.seated(board).index(entrant),
        own,
        board.number,
        light_of_pair(pair),
        board.floats,
        total,
        _points(frame, one, board, colour) if len(pair) > 1 else "",
    )


def _points(frame: Frame, one: Round, board: Board, colour: int) -> str:
    """The points of both matches of a pair, the entrant with this colour of the first board first."""
    pair = pair_shown(frame, one, board)
    return f"{pair.points[colour]} : {pair.points[1 - colour]}" if pair else ""


async def standings_page(pages: HasShell, call: Call, tournament: str) -> Response:
    """The standings after an entry (`at`), of a `division`; `explain` opens the addends of one entrant."""
    query = call.request.query_params
    frame = await framed(call, tournament, query.get("at"))
    divisions = range(1, len(frame.s.divisions) + 1)
    division = next((one for one in divisions if str(one) == query.get("division")), None)
    found, refusal = await _standings(frame, division)
    wanted = query.get("explain", "")
    why: Sequence[Explained] = ()
    if found and wanted in frame.numbers:
        why = await call.services.tournaments.explained(frame.s, wanted)
    return shown(
        pages,
        frame,
        "tournament_standings.html",
        tab="standings",
        standings=found,
        refusal=refusal,
        rows=[(place, cells_of(frame, place.entrant)) for place in found.places] if found else [],
        ids=list(frame.numbers),
        explain=wanted if why else "",
        why=why,
        moments=_moments(frame),
        divisions=divisions,
        division=division,
        is_latest=frame.s.entry == frame.latest,
    )


async def _standings(frame: Frame, division: int | None = None) -> tuple[Standings | None, str]:
    """The standings, or the id of why there are none."""
    try:
        return await frame.call.services.tournaments.standings(frame.s, division), ""
    except Refused as error:
        return None, error.kind


def _moments(frame: Frame) -> list[tuple[int, int]]:
    """The rounds that were closed, each with the entry that did it last."""
    closed = {
        record.entry.round: record.entry.entry
        for record in frame.log.records
        if isinstance(record.entry, RoundClosed)
    }
    return sorted(closed.items())


async def bids_page(pages: HasShell, call: Call, tournament: str) -> Response:
    """What was paid for the sides in the matches that are over, and how often the bought side won."""
    frame = await framed(call, tournament)
    found = await bids_of(call.services.tournaments, tournament)
    return shown(pages, frame, "tournament_bids.html", tab="bids", report=found)


async def entrant_page(pages: HasShell, call: Call, tournament: str, entrant: str) -> Response:
    """The path of an entrant: opponents with their points, sides, floats.  Raises Refused: not-entered."""
    frame = await framed(call, tournament)
    one = entrant_in(frame.s, entrant)
    found, _ = await _standings(frame)
    place = next((row.place for row in found.places if row.entrant == entrant), 0) if found else 0
    cells = cells_of(frame, entrant)
    played = [cell for cell in cells if cell.opponent]
    sides = [sum(cell.seat == seat or bool(cell.points) for cell in played) for seat in (0, 1)]
    return shown(
        pages,
        frame,
        "tournament_entrant.html",
        tab="",
        one=one,
        place=place,
        cells=cells,
        sides=sides,
        penalty=half(one.penalty),
    )
