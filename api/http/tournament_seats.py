"""Who sits where in the matches of a tournament that run, where only the matches themselves say it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from api.http.routing import Call
from domain.kernel import Seat
from domain.tournaments.outcomes import bids_for_seats
from domain.tournaments.state import Board, Tournament
from projections import read

Sitting = Mapping[str, Mapping[Seat, str | None]]
"""The players on the seats now (None: the seat is free), by match."""


async def sitting_in(call: Call, s: Tournament, boards: Iterable[Board]) -> Sitting:
    """Return who sits where in the running matches of these boards whose players bid for the seats.

    The seats of all other boards follow from the tournament (`domain.tournaments.outcomes.seating`).

    Raises:
        Refused: unavailable.
    """
    running = [one.match for one in boards if one.opened and not one.outcome and bids_for_seats(s, one)]
    if not running:
        return {}
    return {row.match: row.seats for row in await call.services.models.ask(read.match_rows, running)}
