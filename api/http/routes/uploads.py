"""Match files from elsewhere: their upload, and the withdrawal of an uploaded match."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from api.http.auth import address
from api.http.request_schemas import NewWithdrawal
from api.http.routes import ID, PLAYING, MatchId
from api.http.routing import FILE, SENT, Api, Call
from api.http.schemas import MatchSummary, WithdrawalView
from api.http.views import players_of, summary
from api.store.interface import Quota, Spent
from api.store.keys import Keys
from domain.branches import begun_wrongly, opened_wrongly
from domain.kernel import Refused
from domain.log import Damaged
from domain.match import Match
from domain.refusals import QUOTED
from domain.signed_notes import Signed

if TYPE_CHECKING:
    from replay.matchfile import MatchFile

api = Api("replays", "Match files from elsewhere.")
_DAY = 86_400  # seconds


@api.post(
    "/v1/replays",
    FILE,
    MatchSummary,
    refusals=(*SENT, "exists", "bad-file", "in-doubt", "log-behind"),
    token=True,
)
async def upload(call: Call, body: bytes) -> MatchSummary:
    """Store the match of a match file, once it is verified; it never replaces an existing match."""
    person = call.person(*PLAYING)
    async with call.services.files:
        settings = call.services.settings
        file = await asyncio.to_thread(_unpacked, body, settings.unpacked_bytes)
        if person.role != "admin":
            await take_quota(call, sum(map(len, file.parts.values())))
        match, note, proof = await asyncio.to_thread(_verified, file, call.gate.keys)
        if parent := await call.gate.parent_of(match):
            await asyncio.to_thread(_compare, match, parent)
    accepted = await call.gate.upload(match, note, proof, person.id)
    names = await call.services.names.of(players_of(accepted.cached), call.language)
    return summary(accepted.cached, names, call.language)


@api.post(
    "/v1/matches/{match}/withdrawal",
    NewWithdrawal,
    WithdrawalView,
    refusals=(*SENT, "unknown-match", "not-uploaded"),
    token=True,
)
async def withdraw(call: Call, match: MatchId, body: NewWithdrawal) -> WithdrawalView:
    """Show an uploaded match no longer, for admins; what was recorded first stays."""
    person = call.person("admin")
    found = await call.gate.withdraw(match, person.id, body.reason)
    return WithdrawalView(found.match, found.at, found.by, found.reason)


async def take_quota(call: Call, size: int) -> None:
    """Count a file, whether it is refused afterwards or not: it is the work of verifying it, too.

    Raises:
        Refused: limit, until the next day.
    """
    settings, visitors = (
        call.services.settings,
        [f"address {address(call.request.scope)}", f"player {call.player}"],
    )
    day, now = divmod(call.services.clock() // 1_000_000, _DAY)
    most = Quota(settings.upload_files, settings.upload_bytes)
    try:
        await asyncio.to_thread(call.services.store.uploads.take, visitors, day, size, most)
    except Spent as error:
        about = {"files": most.number, "bytes": most.bytes}
        raise Refused("limit", "uploads-of-a-day", about, {"retry-after": str(_DAY - now)}) from error


def _unpacked(content: bytes, most: int) -> MatchFile:
    """A match file of at most so many bytes, within the limits.  Raises Refused: bad-file."""
    from replay import bounds, matchfile

    try:
        file = matchfile.read(content, most)
        bounds.must_be_within(file)
    except Damaged as error:
        raise Refused("bad-file", QUOTED, {"said": error.said}) from error
    return file


def _compare(branch: Match, parent: Match) -> None:
    """Check that a branch begins with the facts of its parent, which is here.  Raises Refused: bad-file."""
    if reason := opened_wrongly(branch.opened, parent) or begun_wrongly(branch, parent):
        raise Refused("bad-file", QUOTED, {"said": reason})


def _verified(file: MatchFile, keys: Keys) -> tuple[Match, str, Signed]:
    """The match in a file, its checkpoint, and who signed that, as far as this server's keys tell.

    Raises:
        Refused: bad-file.
    """
    from replay import verify

    report = verify.verify(file.data, known=(keys.present, *keys.retired))
    if not report.ok:
        raise Refused("bad-file", "findings", {"findings": [one.sentence for one in report.failures]})
    match = file.match()
    if not match.closed:
        raise Refused("bad-file", "file-of-running-match")
    if not re.fullmatch(ID, match.id):
        raise Refused("bad-file", "match-id")
    return match, file.note, report.signed
