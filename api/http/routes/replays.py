"""Match files from elsewhere."""

from __future__ import annotations

import asyncio
import re

from api.gate.commits import Keys
from api.http.edge import FILE, Api, Call
from api.http.params import ID
from api.http.problems import Failed
from api.http.routes.matches import PLAYING
from api.http.shapes import MatchSummary
from api.http.views import players_of, summary
from domain.match import Match
from domain.notes import Signed

api = Api("replays", "Match files from elsewhere.")


@api.post("/v1/replays", FILE, MatchSummary, refusals=(403, 409, 413, 415, 503), token=True)
async def upload(call: Call, body: bytes) -> MatchSummary:
    """Store the match of a match file, once it is verified; it never replaces an existing match."""
    person = call.person(*PLAYING)
    async with call.services.files:
        match, note, proof = await asyncio.to_thread(_verified, body, call.gate.keys)
    accepted = await call.gate.upload(match, note, proof, person.id)
    names = await call.services.names.of(players_of(accepted.desk))
    return summary(accepted.desk, names, call.language)


def _verified(content: bytes, keys: Keys) -> tuple[Match, str, Signed]:
    """The match in a file, its checkpoint, and who signed that, as far as this server's keys tell.

    Raises:
        Failed: bad-file.
    """
    from replay import matchfile, verify

    report = verify.verify(content, known=(keys.present, *keys.retired))
    if not report.ok:
        raise Failed("bad-file", "; ".join(map(str, report.failures)))
    file = matchfile.read(content)
    match = file.match()
    if not match.closed:
        raise Failed("bad-file", "the match is still running, so its file comes without the private parts")
    if not re.fullmatch(ID, match.id):
        raise Failed("bad-file", "the id of the match is not 1 to 64 letters, digits, - and _")
    return match, file.note, report.signed
