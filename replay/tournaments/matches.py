"""The second question about a tournament, *matches*: does each match file in it prove its match?

`checked` answers it for one file, in a process of its own if need be: it reads the file from the archive by
place and length, so no bytes travel between processes.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from domain.events import BoardOf
from domain.refusals import Sentence
from domain.signed_notes import VerifyingKey
from domain.tournaments.outcomes import EndedMatch, ended
from domain.tournaments.reported import ReportedMatch, reported_match
from replay import matchfile
from replay.report import Failure
from replay.transparency.policy import Policy
from replay.verify import verify

W = TypeVar("W")
F = TypeVar("F")


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


class ReportedWork(Struct, frozen=True):
    """A match file that a ruling names: the member, where it lies, and the keys that are known, as texts."""

    path: str
    member: str
    at: int
    length: int
    checksum: int
    round: int
    board: int
    file: str
    known: tuple[str, ...]


class ReportedFound(Struct, frozen=True):
    """What was found: what is wrong, and else the match."""

    wrong: Sentence | None
    match: ReportedMatch | None = None


def checked_reported(work: ReportedWork) -> ReportedFound:
    """Verify a match file that a ruling names by the four questions; any server may have signed it.

    Raises:
        OSError: the archive cannot be read.
    """
    with Path(work.path).open("rb") as file:
        file.seek(work.at)
        data = file.read(work.length)
    digest = hashlib.sha256(data).hexdigest()
    if digest != work.file:
        return ReportedFound(Sentence("reported-file-differs", {"file": work.file}))
    if zlib.crc32(data) != work.checksum:
        return ReportedFound(Sentence("wrong-checksum", {"part": work.member}))
    report = verify(data, known=[VerifyingKey.parse(text) for text in work.known])
    if not report.ok:
        return ReportedFound(_said(report.failures[0]))
    found = reported_match(matchfile.read(data).match(), digest)
    return ReportedFound(None, found) if found else ReportedFound(Sentence("match-not-over"))


def _said(failure: Failure) -> Sentence:
    return failure.sentence


def all_checked(works: Sequence[MatchWork], processes: int) -> Iterator[MatchFound]:
    """Verify match files in so many processes (1: in this one), in their order.

    Raises:
        OSError: the archive cannot be read.
    """
    yield from _each(checked, works, processes)


def all_reported(works: Sequence[ReportedWork], processes: int) -> Iterator[ReportedFound]:
    """Verify the match files that rulings name; see `all_checked`."""
    yield from _each(checked_reported, works, processes)


def _each(check: Callable[[W], F], works: Sequence[W], processes: int) -> Iterator[F]:
    if processes == 1 or len(works) < 2:
        yield from map(check, works)
        return
    with ProcessPoolExecutor(min(processes, len(works)), multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(check, works)
