"""What officials of a tournament do beside pairing: previews, penalties, calls, freezing, time, match files.

Each command has a path of its own; all go through the same gate as `POST .../entries`.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import Path, Response

from api.gate import Key, tournament_measures
from api.gate.tournament_commands import Accepted
from api.gate.tournament_previews import Preview, previewed
from api.http.idempotency import IdempotencyKey, key_of
from api.http.routes.tournaments import COMMANDS, ONE, TournamentId, actor_of, converted, gate_of
from api.http.routes.uploads import take_quota
from api.http.routing import FILE, SENT, Api, Call
from api.http.tournament_schemas import ArbiterCall, CallAnswer, Entries, Penalty, ReportedFileView
from api.http.tournament_views import entries_of
from domain.bounds import MOST
from domain.kernel import Refused
from domain.tournaments import commands as c
from domain.tournaments.events import Ruled

api = Api("tournament officials", "Previews, penalties, calls, frozen matches and time in tournaments.")
FilePart = Annotated[str, Path(pattern=r"^[0-9a-f]{64}$", description="The SHA-256 of a match file.")]
CallPart = Annotated[int, Path(ge=1, le=MOST, description="The entry of a call.")]


@api.post(
    f"{ONE}/previews",
    c.Previewed,
    Preview,
    status=200,
    refusals=(*COMMANDS, "not-offered", "freeze", "clock", "bad-file"),
    token=True,
)
async def preview_command(call: Call, tournament: TournamentId, body: c.Previewed) -> Preview:
    """What a command would do: its entries, changed standings, the next pairing.  Nothing is stored."""
    return await previewed(gate_of(call), tournament, body, actor_of(call), body.expect)


@api.post(
    f"{ONE}/penalties",
    Penalty,
    Entries,
    refusals=(*COMMANDS, "clock", "over", "not-running", "foreign", "frozen", "unknown-match", "time"),
    token=True,
)
async def penalise_entrant(
    call: Call, tournament: TournamentId, body: Penalty, idempotency_key: IdempotencyKey = None
) -> Entries:
    """Penalise an entrant: `warning`, `points`, `time`, `game` or `expulsion`.

    `time` is taken from the clock of the match that they play.
    """
    key = key_of(call, idempotency_key, body, match=tournament, what="penalties")
    order = converted({"do": "penalise", **msgspec.to_builtins(body)}, c.Penalise)
    actor = actor_of(call)
    return entries_of(
        await tournament_measures.penalise(gate_of(call), tournament, order, actor, body.expect, key)
    )


@api.post(f"{ONE}/calls", ArbiterCall, Entries, refusals=COMMANDS, token=True)
async def call_arbiter(
    call: Call, tournament: TournamentId, body: ArbiterCall, idempotency_key: IdempotencyKey = None
) -> Entries:
    """Call the arbiter; only the officials can read the text, each time with an entry that says so."""
    key = key_of(call, idempotency_key, body, match=tournament, what="calls")
    order = converted({"do": "call", **msgspec.to_builtins(body)}, c.CallArbiter)
    return await _sent(call, tournament, order, None, key)


@api.post(f"{ONE}/calls/{{entry}}/answer", CallAnswer, Entries, refusals=COMMANDS, token=True)
async def answer_call(
    call: Call,
    tournament: TournamentId,
    entry: CallPart,
    body: CallAnswer,
    idempotency_key: IdempotencyKey = None,
) -> Entries:
    """Answer a call: `answered`, `refused` or `ruled`."""
    key = key_of(call, idempotency_key, body, match=tournament, what=f"answer {entry}")
    order = converted({"do": "answer", "call": entry, **msgspec.to_builtins(body)}, c.AnswerCall)
    return await _sent(call, tournament, order, body.expect, key)


@api.post(
    f"{ONE}/freezes",
    c.Measure,
    Entries,
    refusals=(*COMMANDS, "freeze", "clock", "over", "not-running", "foreign", "unknown-match"),
    token=True,
)
async def take_measure(
    call: Call, tournament: TournamentId, body: c.Measure, idempotency_key: IdempotencyKey = None
) -> Entries:
    """Freeze or release a match; extend or adjourn boards; pause their clocks, or let them run.

    The matches take it first, then the tournament has an entry; an extension moves the dates after it.
    """
    key = key_of(call, idempotency_key, body, match=tournament, what="freezes")
    accepted = await tournament_measures.carry_out(
        gate_of(call), tournament, body, actor_of(call), body.expect, key
    )
    return entries_of(accepted)


@api.post(
    f"{ONE}/reported-files",
    FILE,
    ReportedFileView,
    refusals=(*SENT, "unknown-tournament", "bad-file", "no-place"),
    token=True,
)
async def upload_reported_file(call: Call, tournament: TournamentId, body: bytes) -> ReportedFileView:
    """Upload the match file of a game that was played elsewhere, for a ruling that names it by its SHA-256.

    The file is verified, and must be of the game and edition of the tournament.  Of the files that no ruling
    names, a tournament keeps the latest eight.
    """
    return await reported_file_taken(call, tournament, body)


async def reported_file_taken(call: Call, tournament: str, content: bytes) -> ReportedFileView:
    """Verify a match file and keep it; it counts among the uploads of a day.  Raises Refused."""
    files, actor = gate_of(call).files, actor_of(call)
    await files.must_take_from(tournament, actor)
    if actor.role != "admin":
        await take_quota(call, len(content))
    found = await files.take(tournament, content, actor)
    one = found.ended
    result = one.result
    return ReportedFileView(
        found.sha256,
        one.match,
        one.moves,
        one.root,
        result.reason if result else one.by,
        (result.winner if result else None) or "",
        dict(result.score) if result else {},
    )


@api.get(f"{ONE}/reported-files/{{file}}", FILE, refusals=("unknown-tournament", "not-found"))
async def read_reported_file(call: Call, tournament: TournamentId, file: FilePart) -> Response:
    """The match file that a ruling of the tournament names: it verifies and replays like any other one."""
    gate = gate_of(call)
    log = await gate.commands.log(tournament)
    rulings = (record.entry for record in log.records if record.kind == "ruled")
    is_named = any(isinstance(one, Ruled) and one.file == file for one in rulings)
    content = await gate.files.content(tournament, file) if is_named else None
    if content is None:
        raise Refused("not-found", "no-such-reported-file")
    head = {"content-disposition": f'attachment; filename="{file[:16]}.glasnost"'}
    return Response(content, media_type=FILE, headers=head)


async def _sent(call: Call, tournament: str, order: Any, expect: int | None, key: Key | None) -> Entries:
    accepted: Accepted = await gate_of(call).commands.command(
        tournament, order, actor_of(call), expect=expect, key=key
    )
    return entries_of(accepted)
