"""What an entry `published` stands for: the standings after an entry, and the tournament file up to it.

This is the one place that says from what both hashes are computed; the gate writes them, and the verifier
computes them again.  The standings are hashed as canonical JSON.  Of the tournament file the *contents* are
hashed, which follow from the log alone: the root over the entries, each match by its root, and the SHA-256 of
each pairing input and of the standings published before.  So the hash does not depend on who signs the file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from msgspec import UNSET, Struct, UnsetType

from domain.log import b64, canonical
from domain.tournaments.state import Board, Round, Tournament
from replay.tournaments.standings import Standings

FORMAT = "glasnost tournament"
VERSION = 1


class MatchContents(Struct, frozen=True):
    """A match in the contents: so many moves, and the root over them in base64."""

    moves: int
    root: str


class Contents(Struct, frozen=True):
    """The contents of a tournament file over its first `entries`; each member by its name in the file.

    reported: the SHA-256 of the match files that rulings name; left out if there are none.
    """

    format: str
    version: int
    tournament: str
    entries: int
    root: str
    matches: dict[str, MatchContents]
    rounds: dict[str, str]
    standings: dict[str, str]
    reported: dict[str, str] | UnsetType = UNSET


class Published(Struct, frozen=True):
    """The two hashes of an entry `published`, in hex."""

    standings: str
    bundle: str


def standings_bytes(found: Standings) -> bytes:
    """Return standings as they are hashed, and as they are in the tournament file."""
    return canonical(found)


def contents(s: Tournament, root: bytes) -> Contents:
    """Return the contents of the tournament file after a state; `root` is that over its entries."""
    return Contents(
        format=FORMAT,
        version=VERSION,
        tournament=s.id,
        entries=s.entry,
        root=b64(root),
        matches={
            match_member(one.number, board.number, board.match): MatchContents(
                board.outcome.closed_move, board.outcome.root
            )
            for one, board in boards_played(s)
            if board.outcome is not None
        },
        rounds={round_member(one.number): one.pairing.input_sha256 for one in s.rounds},
        standings={standings_member(one.at_entry): one.standings_sha256 for one in s.publications},
        reported={reported_member(*one): one[2] for one in boards_reported(s)} or UNSET,
    )


def bundle_sha256(s: Tournament, root: bytes) -> str:
    """Return the hash of the tournament file after a state, in hex; `root` is that over its entries."""
    return sha256(canonical(contents(s, root)))


def published_hashes(found: Standings, s: Tournament, root: bytes) -> Published:
    """Return the hashes of what is published: the standings, and what the file holds after a state.

    Args:
        root: over the entries of the state.
    """
    return Published(sha256(standings_bytes(found)), bundle_sha256(s, root))


def boards_played(s: Tournament) -> Iterator[tuple[Round, Board]]:
    """Yield the boards whose match ended and was recorded; only their matches are in the file."""
    for one in s.rounds:
        yield from ((one, board) for board in one.boards if board.outcome is not None)


def boards_reported(s: Tournament) -> Iterator[tuple[int, int, str]]:
    """Yield round, board and file of each board whose latest ruling names a match file, by its SHA-256."""
    for one in s.rounds:
        for board in one.boards:
            if board.ruling is not None and board.ruling.file:
                yield one.number, board.number, board.ruling.file


def reported_member(round_number: int, board: int, file: str) -> str:
    """Return the name of the member that holds the match file of a ruling, by its SHA-256."""
    return f"reported/r{round_number:02}-b{board:02}-{file[:16]}.glasnost"


def match_member(round_number: int, board: int, match: str) -> str:
    """Return the name of the member that holds a match."""
    return f"matches/r{round_number:02}-b{board:02}-{match}.glasnost"


def round_member(round_number: int, ending: str = "trf") -> str:
    """Return the name of the member that holds the engine's input of a round, or its boards ("json")."""
    return f"rounds/r{round_number:02}.{ending}"


def standings_member(entry: int) -> str:
    """Return the name of the member that holds the standings after an entry."""
    return f"standings/at-{entry}.json"


def sha256(data: bytes) -> str:
    """Return the SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()
