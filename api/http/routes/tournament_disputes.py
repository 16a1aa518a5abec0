"""Disputes in tournaments: what is in question, the room with the evidence, sealed parts, privileged reads.

While a match runs, its hidden half opens only to an official who does not play in the tournament, and only
after an entry that says so is stored.  The same holds for the text of a call and the note of a ruling.
"""

from __future__ import annotations

import asyncio
from typing import Annotated

import msgspec
from fastapi import Query, Response

from api.gate.tournament_integrity import Integrity, as_csv, integrity_of
from api.gate.tournaments import TournamentGate
from api.http.permissions import looked, must_be_there
from api.http.routes import At, MatchId
from api.http.routes.officials import Root
from api.http.routes.tournaments import COMMANDS, LOOKS, ONE, AfterEntry, TournamentId, actor_of, gate_of
from api.http.routing import Api, Call, Documented
from api.http.tournament_disputes import (
    MOST_MOVES,
    DisputesView,
    DisputeView,
    PrivilegedAnswer,
    PrivilegedReads,
    ReadRequest,
    SealedParts,
    dispute_view,
    disputes_of,
    privileged_reads,
    privileged_reads_view,
    sealed_parts,
    sealed_read,
)
from api.http.views import LogView
from domain.kernel import Refused
from domain.log import Damaged, b64, unb64
from domain.refusals import QUOTED
from domain.tournaments import commands as c
from domain.tournaments.judging import Actor, must_be_official
from domain.tournaments.measures import ALL, board_of_match
from replay.evidence import Held, held
from replay.words import Words

api = Api("tournament disputes", "Disputes: evidence, sealed parts, privileged reads.")
Window = Annotated[int, Query(ge=1, le=100, description="So many moves at most.")]
FromMove = Annotated[int, Query(ge=0, le=2**31, description="Moves after this one.")]


@api.post(
    f"{ONE}/privileged-reads",
    ReadRequest,
    PrivilegedAnswer,
    refusals=(*COMMANDS, "unknown-move", "unknown-seat", "unknown-match"),
    token=True,
)
async def read_privileged(call: Call, tournament: TournamentId, body: ReadRequest) -> PrivilegedAnswer:
    """Show an official what is hidden: moves of a running match, or a sealed text.

    The entry is stored first; if it cannot be, nothing is shown.
    """
    gate, actor = gate_of(call), actor_of(call)
    plain = {name: value for name, value in msgspec.to_builtins(body).items() if name != "expect"}
    order = msgspec.convert({"do": "read_privileged", **plain}, c.ReadPrivileged)
    shown = await _view_to_show(call, gate, tournament, order, actor) if order.match else None
    accepted = await gate.commands.command(tournament, order, actor, expect=body.expect)
    log, root = accepted.log, b64(accepted.root)
    if shown is None:
        record = log.records[(order.sealed_entry or 1) - 1]
        return PrivilegedAnswer(accepted.last, root, (), record.parts["officials"].text)
    moves = tuple(shown.move(number) for number in range(order.first, order.last + 1))
    return PrivilegedAnswer(accepted.last, root, moves, "")


async def _view_to_show(
    call: Call, gate: TournamentGate, tournament: str, order: c.ReadPrivileged, actor: Actor
) -> LogView:
    """The log of a match from a hidden view; nothing of it is encoded yet.  Raises Refused."""
    s = (await gate.commands.log(tournament)).state
    must_be_official(s, actor)
    board_of_match(s, order.match or "")
    cached = await looked(call, order.match or "")
    match, view = cached.match, order.view or ALL
    must_be_there(match, order.last)
    if order.last - order.first >= MOST_MOVES:
        raise Refused("invalid", "read-which-moves", {"most": MOST_MOVES})
    if match.closed:
        raise Refused("late", "match-is-open")
    if view != ALL and view not in match.seats:
        raise Refused("unknown-seat", "no-such-view", {"list": list(match.seats), "last": ALL})
    return LogView(match, match.chair_of(view), cached.secret)


@api.get(f"{ONE}/privileged-reads", PrivilegedReads, refusals=LOOKS)
async def list_privileged_reads(call: Call, tournament: TournamentId) -> PrivilegedReads:
    """Every time that an official was shown what is hidden: who, what, when, why.

    If terms have it so, all but the time opens when the match is over.
    """
    cached = await gate_of(call).commands.cached(tournament)

    def shown() -> PrivilegedReads:
        records = privileged_reads(cached.log)
        matches = {read.match for record in records if (read := sealed_read(record)) is not None}
        over = call.services.store.closed_at(sorted(matches)) if matches else {}
        return privileged_reads_view(cached.log, cached.secret, records, over)

    return await asyncio.to_thread(shown)


@api.get(f"{ONE}/sealed", SealedParts, personal=True, refusals=LOOKS)
async def read_sealed(call: Call, tournament: TournamentId, after: AfterEntry = 0) -> SealedParts:
    """The sealed parts that the caller may read, with the salts that open their commitments.

    Entrants read their own; once the tournament is published, everybody reads all.
    """
    cached = await gate_of(call).commands.cached(tournament)
    return await asyncio.to_thread(sealed_parts, cached.log, cached.secret, call.player, after)


@api.get(
    f"{ONE}/integrity",
    Integrity,
    refusals=(*LOOKS, "unauthorized", "forbidden"),
    personal=True,
    also=(Documented(200, "The table as CSV", ("text/csv",)),),
)
async def read_integrity(call: Call, tournament: TournamentId) -> Response:
    """For officials: lights for each match with their evidence, takebacks, thinks, faces of dice."""
    gate = gate_of(call)
    must_be_official((await gate.commands.log(tournament)).state, actor_of(call))
    async with call.services.rendering:
        found = await integrity_of(gate, tournament, call.language)
    if "text/csv" in call.request.headers.get("accept", ""):
        return Response(as_csv(found), media_type="text/csv; charset=utf-8")
    return call.answer(found)


# ── The room ──


@api.get(f"{ONE}/disputes", DisputesView, refusals=LOOKS)
async def list_disputes(call: Call, tournament: TournamentId) -> DisputesView:
    """The boards in question: frozen, called about, ruled, not verified."""
    log = await gate_of(call).commands.log(tournament)
    return DisputesView(log.id, log.entry, b64(log.root), disputes_of(log.state))


@api.get(
    f"{ONE}/disputes/{{match}}",
    DisputeView,
    personal=True,
    refusals=(*LOOKS, "unauthorized", "forbidden", "not-found", "unknown-match", "invalid"),
)
async def read_dispute(
    call: Call,
    tournament: TournamentId,
    match: MatchId,
    after: FromMove = 0,
    limit: Window = 50,
    at: At = None,
    root: Root = None,
) -> DisputeView:
    """The room of a match, for officials: log, views, what each seat knew, options, clocks, rulings.

    `at` and `root`: a root that a player kept, over so many moves; the answer says how it stands to this log.
    """
    log = await gate_of(call).commands.log(tournament)
    must_be_official(log.state, actor_of(call))
    board_of_match(log.state, match)
    if (at is None) != (root is None):
        raise Refused("invalid", "root-with-move")
    cached = await looked(call, match)
    must_be_there(cached.match, after)
    people = [one.player for one in cached.match.players.values() if one and one.player]
    names = await call.services.names.of(people, call.language)
    refusals = call.gate.refusals.latest(100, match)
    words = Words(cached.match, call.language)
    told = await asyncio.to_thread(
        dispute_view, log.state, cached, words, names, (after + 1, min(after + limit, cached.match.move))
    )
    stands: Held | None = None
    if at is not None and root is not None:
        try:
            stands = held(cached.match, at, unb64(root))
        except Damaged as error:
            raise Refused("invalid", QUOTED, {"said": str(error)}) from error
    return msgspec.structs.replace(told, refusals=tuple(refusals), held=stands)
