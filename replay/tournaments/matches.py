"""The second question about a tournament, *matches*: does each match file in it prove its match?

`checked` answers it for one file, in a process of its own if need be: it reads the file from the archive by
place and length, so no bytes travel between processes.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from msgspec import Struct

from domain.events import BoardOf
from domain.refusals import Sentence
from domain.signed_notes import VerifyingKey
from domain.tournaments.outcomes import EndedMatch, ended
from replay import matchfile
from replay.report import Failure
from replay.transparency.policy import Policy
from replay.verify import verify


class MatchWork(Struct, frozen=True):
    """A match file in an archive: the member, where it lies, what it should be, and the keys as texts.

    policy: who must have cosigned the proof that it is in the server's log; None: it may hold none.
    """

    path: str
    member: str
    at: int
    length: int
    checksum: int
    match: str
    place: BoardOf
    keys: tuple[str, ...]
    known: tuple[str, ...]
    policy: Policy | None = None


class MatchFound(Struct, frozen=True):
    """What was found: the SHA-256 of the file in hex, what is wrong, and what a proved match came to."""

    member: str
    sha256: str
    wrong: Sentence | None
    ended: EndedMatch | None


def checked(work: MatchWork) -> MatchFound:
    """Verify one match file by the four questions, and whose match it is.

    Raises:
        OSError: the archive cannot be read.
    """
    with Path(work.path).open("rb") as file:
        file.seek(work.at)
        data = file.read(work.length)
    digest = hashlib.sha256(data).hexdigest()
    keys, known = ([VerifyingKey.parse(text) for text in texts] for texts in (work.keys, work.known))
    report = verify(data, keys, known, policy=work.policy)
    if not report.ok:
        return MatchFound(work.member, digest, _said(report.failures[0]), None)
    found = ended(matchfile.read(data).match())
    wrong = None
    if found is None:
        wrong = Sentence("match-not-over")
    elif found.match != work.match or found.place != work.place:
        wrong = Sentence("match-of-another-board", {"match": found.match})
    elif zlib.crc32(data) != work.checksum:
        wrong = Sentence("wrong-checksum", {"part": work.member})
    return MatchFound(work.member, digest, wrong, None if wrong else found)


def _said(failure: Failure) -> Sentence:
    return failure.sentence


def all_checked(works: Sequence[MatchWork], processes: int) -> Iterator[MatchFound]:
    """Verify match files in so many processes (1: in this one), in their order.

    Raises:
        OSError: the archive cannot be read.
    """
    if processes == 1 or len(works) < 2:
        yield from map(checked, works)
        return
    with ProcessPoolExecutor(min(processes, len(works)), multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(checked, works)
