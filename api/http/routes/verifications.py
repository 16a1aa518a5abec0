"""What this server's verifier says of a match: its own word, beside what a client can check by itself."""

from __future__ import annotations

from typing import get_args

from api.http.permissions import looked
from api.http.routes import AtLeast, MatchId
from api.http.routes.matches import checkpoint
from api.http.routing import LOOKS, Api, Call
from api.http.schemas import CheckView, Question, VerificationView
from api.http.verifications import Task
from domain.kernel import Refused
from domain.log import b64
from domain.refusals import text
from replay.report import Failure, Report

api = Api("verification", "What the verifier of this server says of a match.")


@api.get("/v1/matches/{match}/verification", VerificationView, refusals=LOOKS)
async def read_verification(call: Call, match: MatchId, at_least: AtLeast = None) -> VerificationView:
    """What `verify` says of the log, its chance, its fold and its rules: the server's own word.

    While the match runs, reasons and notes are left out: they could name what is hidden.
    """
    cached = await looked(call, match, at_least)
    found, keys = cached.match, call.gate.keys
    records = list(found.records)
    try:
        note = await checkpoint(call, found, len(records))
    except Refused:  # its log came from elsewhere and brought no checkpoint
        note = ""
    secret = cached.secret.bytes if cached.secret else None
    parent = await call.gate.parent_of(found)
    task = Task(records, note, secret, (keys.present, *keys.retired), parent)
    report = await call.services.verifications.of(found, call.visitor.counted, task)
    call.final = found.closed is not None
    return VerificationView(
        found.id,
        len(records),
        b64(found.roots[len(records) - 1]),
        report.ok,
        [_check(report, check, call.language, reasons=call.final) for check in get_args(Question)],
        list(report.signed.by),
        list(report.notes) if call.final else [],
    )


def _check(report: Report, check: Question, language: str, *, reasons: bool) -> CheckView:
    """The outcome of one question; after a failure, those that could not be asked any more are `unknown`."""
    failure = next((one for one in report.failures if one.check == check), None)
    if failure is None:
        return CheckView(check, "ok" if report.ok else "unknown", None, None)
    return CheckView(check, "wrong", failure.move, _said(failure, language) if reasons else None)


def _said(failure: Failure, language: str) -> str:
    said = failure.said
    return said if isinstance(said, str) else text(language, said.id, said.values)
