"""Match files from elsewhere."""

from __future__ import annotations

import asyncio
import re

from api.http.edge import Api, Call
from api.http.params import ID
from api.http.problems import Failed
from api.http.routes.matches import PLAYING
from api.http.shapes import MatchSummary
from api.http.views import summary
from domain.match import Match

api = Api("replays")
_FILE = "application/zip"


@api.post("/v1/replays", _FILE, MatchSummary, refusals=(403, 409, 413, 415, 503), token=True)
async def upload(call: Call, body: bytes) -> MatchSummary:
    """Store the match of a match file, once it is verified; it never replaces an existing match."""
    person = call.person(*PLAYING)
    async with call.services.files:
        match, note, signer = await asyncio.to_thread(_verified, body)
    accepted = await call.gate.upload(match, note, signer, person.id)
    return summary(accepted.desk, {})


def _verified(content: bytes) -> tuple[Match, str, str]:
    """The match in a file, its checkpoint, and who signed it.

    Raises:
        Failed: bad-file.
    """
    from replay import matchfile, verify

    report = verify.verify(content)
    if not report.ok:
        raise Failed("bad-file", "; ".join(map(str, report.failures)))
    file = matchfile.read(content)
    match = file.match()
    if not match.closed:
        raise Failed("bad-file", "the match is still running, so its file comes without the private parts")
    if not re.fullmatch(ID, match.id):
        raise Failed("bad-file", "the id of the match is not 1 to 64 letters, digits, - and _")
    if not report.signer:
        raise Failed("bad-file", "nobody has signed its checkpoint")
    return match, file.note, report.signer
