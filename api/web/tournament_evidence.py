"""The integrity table of a tournament, for its officials; and its proof: the six lights of the verifier."""

from __future__ import annotations

import asyncio

from msgspec import Struct
from starlette.responses import Response

from api.gate.tournament_integrity import LIGHTS, BoardIntegrity, Integrity, as_csv, integrity_of
from api.http.caching import NEVER
from api.http.routes.tournaments import actor_of
from api.http.routing import Call
from api.store.sql import SqlStore
from api.web.clocks import read_off
from api.web.shell import HasShell
from api.web.tournament_parts import back_to, form_of, framed, shown
from domain import refusals
from domain.refusals import Sentence
from domain.tournaments.judging import must_be_official
from replay.tournaments.report import QUESTIONS, Report
from replay.transparency.evidence import MOST_ENTRIES

SHAPES = {
    "ok": "proved",
    "failed": "red",
    "wrong": "red",
    "running": "running",
    "not run": "waiting",
    "not checked": "waiting",
    "none": "paired",
}
"""The shape of each answer: that of the light of a board which means the same."""


async def integrity_page(pages: HasShell, call: Call, tournament: str) -> Response:
    """Lights of each match, which lead to their evidence, and what each entrant did.

    Raises:
        Refused: unauthorized, forbidden.
    """
    frame = await framed(call, tournament)
    found = await _integrity(call, tournament)
    return shown(
        pages,
        frame,
        "tournament_integrity.html",
        tab="integrity",
        table=found,
        lights=LIGHTS,
        shapes=SHAPES,
        evidence={board.match: _evidence(tournament, board) for board in found.boards},
        read_off=read_off,
    )


async def integrity_csv(pages: HasShell, call: Call, tournament: str) -> Response:
    """The same table as CSV.  Raises Refused: unauthorized, forbidden."""
    await framed(call, tournament)
    content = as_csv(await _integrity(call, tournament))
    head = {
        "content-disposition": f'attachment; filename="{tournament}-integrity.csv"',
        "cache-control": NEVER,
    }
    return Response(content, headers=head, media_type="text/csv; charset=utf-8")


async def _integrity(call: Call, tournament: str) -> Integrity:
    gate = call.services.tournaments
    must_be_official((await gate.commands.log(tournament)).state, actor_of(call))
    async with call.services.rendering:
        return await integrity_of(gate, tournament, call.language)


def _evidence(tournament: str, board: BoardIntegrity) -> dict[str, str]:
    """Where each light leads: checks, draws and roots are on the audit, salts and clocks in the room."""
    audit, room = f"/m/{board.match}/audit", f"/t/{tournament}/disputes/{board.match}"
    places = {"log": "#checks", "chance": "#moves-title", "fold": "#checks", "rules": "#checks"}
    found = {light: audit + place for light, place in places.items()}
    return found | {"salts": f"{room}?move=3#log", "clocks": f"{room}#log"}


class Finding(Struct, frozen=True):
    """A question of the verifier: its answer, and why it is not "ok" in words."""

    question: str
    answer: str
    why: tuple[str, ...]


async def proof_page(pages: HasShell, call: Call, tournament: str) -> Response:
    """The lights of the verifier over the latest file that it looked at here, and how a reader checks it."""
    frame = await framed(call, tournament)
    proofs, keys = call.services.tournament_proofs, call.gate.keys
    report = proofs.latest(tournament)
    is_logged = await asyncio.to_thread(_is_logged, call.services.store, tournament, frame.latest)
    return shown(
        pages,
        frame,
        "tournament_proof.html",
        tab="proof",
        report=report,
        findings=_findings(report, call.language) if report else [],
        questions=QUESTIONS,
        shapes=SHAPES,
        is_running=proofs.running == tournament,
        keys=[key.text for key in (keys.present, *keys.retired)],
        is_logged=is_logged,
        export=f"/v1/tournaments/{tournament}/export?format=bundle{'&log=true' if is_logged else ''}",
        origin=str(call.request.base_url).rstrip("/"),
    )


def _is_logged(store: SqlStore, tournament: str, entries: int) -> bool:
    """Can the file of so many entries hold proofs that they are in the server's log?"""
    latest, found = store.transparency.latest(), store.transparency.of(tournament)
    signed = latest is not None and bool(found) and found[-1][0] < latest.size
    return signed and entries <= MOST_ENTRIES


def _findings(report: Report, language: str) -> list[Finding]:
    return [
        Finding(question, answer, tuple(_why(report, question, language)))
        for question, answer in report.answers.items()
    ]


def _why(report: Report, question: str, language: str) -> list[str]:
    said = [one.sentence for one in report.failures if one.question == question]
    if question in report.unchecked:
        said.append(report.unchecked[question])
    return [_in_words(one, language) for one in said]


def _in_words(said: Sentence, language: str) -> str:
    return refusals.text(language, said.id, said.values)


async def prove(pages: HasShell, call: Call, tournament: str) -> Response:
    """Have the server's own verifier look at the tournament file as it is now.

    Raises:
        Refused: unauthorized; limit: another tournament is being verified.
    """
    frame = await framed(call, tournament)
    await form_of(call)
    gate, keys = call.services.tournaments.commands, call.gate.keys
    note = gate.checkpoint(frame.log, frame.latest)
    await call.services.tournament_proofs.begin(frame.log, note, [keys.present, *keys.retired])
    return back_to(call, tournament, "proof")
