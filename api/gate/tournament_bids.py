"""What was bid for the sides in the matches of a tournament, and how often the bought side won."""

from __future__ import annotations

import asyncio
from collections import defaultdict

from msgspec import Struct

from api.gate.tournaments import PaidBid, TournamentGate
from domain.events import FactEntry
from domain.kernel import Seat, SeatsSettled
from domain.match import Match
from replay.dataset.rates import wilson

RAISED = "BidRaised"  # the fact of an open bid


class Bids(Struct, frozen=True):
    """The matches in which a side was bought for so many points, and how many of them it won.

    low, high: the ends of Wilson's interval of the share that it won, at 95 %; a match without a winner
    counts as not won.
    """

    side: Seat
    points: int
    matches: int
    won: int
    low: float
    high: float


class BidReport(Struct, frozen=True):
    """The bids after `entry`; `free`: matches in which nothing was paid for a side; `open`: not over yet."""

    tournament: str
    entry: int
    bids: tuple[Bids, ...]
    free: int
    open: int


def bid_in(match: Match) -> tuple[Seat, int] | None:
    """Return the side that was bought in a match, and for how much; None: the bids are not over.

    In an open auction the latest bid holds; after sealed ones the other side got the price as a gift.
    ("", 0): nothing was paid.
    """
    raised, found = None, None
    for record in match.records:
        for fact in record.facts_for(None) if isinstance(record.entry, FactEntry) else ():
            if fact.__struct_config__.tag == RAISED:
                raised = str(getattr(fact, "side", "")), int(getattr(fact, "points", 0))
            elif isinstance(fact, SeatsSettled):
                to, gift = str(getattr(fact, "to", "")), int(getattr(fact, "gift", 0))
                bought = next((seat for seat in match.seats if seat != to), "")
                found = raised or ((bought, gift) if gift else ("", 0))
    return found if found is None or found[1] else ("", 0)


async def bids_of(gate: TournamentGate, tournament: str) -> BidReport:
    """Return the bids of a tournament; a match that is over is read once.

    Raises:
        Refused: unknown-tournament, unavailable.
    """
    s = (await gate.commands.log(tournament)).state
    won: dict[tuple[Seat, int], list[bool]] = defaultdict(list)
    free = running = 0
    for board in [board for one in s.rounds for board in one.boards if board.opened]:
        paid = await _paid(gate, board.match)
        if paid is None:
            running += 1
        elif not paid[1]:
            free += 1
        else:
            won[paid[:2]].append(paid[2])
    rows = tuple(
        Bids(side, points, len(had), sum(had), *wilson(sum(had), len(had)))
        for (side, points), had in sorted(won.items())
    )
    return BidReport(s.id, s.entry, rows, free, running)


async def _paid(gate: TournamentGate, name: str) -> PaidBid | None:
    """What was paid in a match, and whether the bought side won; None: it is not over, or has no result."""
    if (found := gate.bids.get(name)) is not None:
        return found
    match = await gate.gate.match(name)
    result = match.closed.result if match.closed else None
    bid = await asyncio.to_thread(bid_in, match) if result else None
    if bid is None or result is None:
        return None
    gate.bids[name] = (*bid, result.winner == bid[0])
    match.rest()
    return gate.bids[name]
