"""What leaves the server of a tournament: tables, TRF, calendar, log, and the file that proves it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import IO, Annotated, Any

from fastapi import Query, Response
from starlette.responses import StreamingResponse

from api.gate.tournament_commands import state_at
from api.http.caching import weak
from api.http.routes.tournaments import AtEntry, TournamentId
from api.http.routing import Api, Call, Documented
from api.http.tournament_views import people_of
from api.store.log_proofs import TournamentProofs
from domain.log import b64
from domain.tournaments.history import TournamentLog
from domain.tournaments.state import Tournament
from replay.tournaments.exports import FORMATS, TABLES, Wanted, exported
from replay.tournaments.file import SUFFIX

api = Api("tournament exports", "Tournaments as files: TRF, CSV, JSON, calendar, log, tournament file.")

_AT_ONCE = 256 * 1024  # bytes
_ENDINGS = {
    "bundle": SUFFIX,
    "trf": ".trf",
    "csv": ".csv",
    "json": ".json",
    "ics": ".ics",
    "ndjson": ".ndjson",
}
_BUNDLE = "bundle"
ExportFormat = Annotated[
    str,
    Query(
        description="`bundle` is the tournament file, which proves all of it.",
        json_schema_extra={"enum": [*FORMATS]},
        pattern=f"^({'|'.join(FORMATS)})$",
    ),
]
ExportTable = Annotated[
    str,
    Query(
        description="Which table, of `csv`.",
        json_schema_extra={"enum": [*TABLES]},
        pattern=f"^({'|'.join(TABLES)})$",
    ),
]
UpToRound = Annotated[
    int | None, Query(ge=1, le=100, description="Rounds up to this one, of `trf` and `csv`.")
]
OfEntrant = Annotated[
    str | None, Query(pattern=r"^n[0-9]{1,6}$", description="The games of this entrant, of `ics`.")
]

WithLog = Annotated[
    bool,
    Query(
        description="With the proofs from the server's log: of each entry and of the matches, of `bundle`."
    ),
]


@api.get(
    "/v1/tournaments/{tournament}/export",
    "application/json",
    refusals=(
        "unknown-tournament",
        "unknown-move",
        "not-found",
        "not-entered",
        "not-offered",
        "limit",
        "no-place",
    ),
    also=(Documented(200, "The export, in its format", tuple(FORMATS.values())),),
)
async def export_tournament(
    call: Call,
    tournament: TournamentId,
    format: ExportFormat,
    at: AtEntry = None,
    round: UpToRound = None,
    table: ExportTable = "standings",
    entrant: OfEntrant = None,
    log: WithLog = False,
) -> Response:
    """A tournament after an entry, as a file.

    With `log=true` the tournament file also holds the proofs that its entries, and the openings and ends of
    its matches, are in the server's log, if a signed checkpoint covers them already.
    """
    history = await call.services.tournaments.commands.log(tournament)
    state = await asyncio.to_thread(state_at, history, at)
    if format == _BUNDLE:
        return await _bundle(call, history, state.entry, with_proofs=log)
    wanted: Any = {"format": format, "table": table, "language": call.language}
    what = Wanted(**wanted, at=at, round=round or 0, entrant=entrant or "")
    names = {person: name for person, name in (await _names(call, state)).items() if name}
    server = call.gate.keys.present.name
    content = await asyncio.to_thread(exported, history, state, what, names, server)
    response = Response(content, media_type=FORMATS[format], headers=_head(history, state.entry, format))
    response.headers["etag"] = weak(b64(history.roots[state.entry - 1]), content)
    return response


async def _names(call: Call, s: Tournament) -> dict[str, str]:
    return await call.services.names.of(people_of(s), call.language)


def _head(log: TournamentLog, entry: int, format: str) -> dict[str, str]:
    return {
        "content-disposition": f'attachment; filename="{log.id}{_ENDINGS[format]}"',
        "glasnost-root": b64(log.roots[entry - 1]),
    }


async def _bundle(call: Call, log: TournamentLog, entry: int, *, with_proofs: bool) -> Response:
    """The tournament file, which is sent while it is read from the disk."""
    keys, proofs = call.gate.keys, None
    if with_proofs:
        proofs = await asyncio.to_thread(TournamentProofs, call.services.store, log.id, entry)
    note = call.services.tournaments.commands.checkpoint(log, entry)
    file = await call.services.tournament_files.made(log, entry, note, [keys.present, *keys.retired], proofs)
    head = {**_head(log, entry, _BUNDLE), "content-length": str(_size(file))}
    head["etag"] = weak(b64(log.roots[entry - 1]), (note + (proofs.checkpoint if proofs else "")).encode())
    return StreamingResponse(_pieces(file), headers=head, media_type=FORMATS[_BUNDLE])


def _size(file: IO[bytes]) -> int:
    size = file.seek(0, 2)
    file.seek(0)
    return size


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while piece := file.read(_AT_ONCE):
            yield piece
