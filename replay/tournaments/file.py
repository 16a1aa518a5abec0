"""The tournament file, `.glasnost-tournament`: all that proves a tournament, in one zip archive.

    README.txt            the same in words
    checkpoint.txt        the signed checkpoint over all entries
    keys.txt              the keys that the server names; trust those that you got in another way
    manifest.json         what this is, and the SHA-256 of every other member
    matches/              the match file of each board whose result is recorded
    private.ndjson        the sealed parts of the entries with their salts; only after the final publication
    reported/             the match file of each board whose latest ruling names one
    rounds/               of each round what the engine was given, and the boards that were played
    standings/            the standings of each publication, as they were hashed
    tournament.ndjson     the leaves, a line each
    transparency.json     optional: the proof that each entry is in the server's log (`replay.transparency`)

The members are stored and sorted, so two exports of the same entries are equal bytes; with proofs, those
under the same checkpoint of the server's log.  Nothing is read before
its size is known to be within bounds; `replay.tournaments.verify` verifies what is read.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import msgspec
from msgspec import Raw, Struct

from domain.chance import Secret
from domain.kernel import Refused
from domain.log import Damaged, Record, b64, canonical, said_of, unb64
from domain.refusals import Sentence
from domain.signed_notes import VerifyingKey
from domain.tournaments.events import Published
from domain.tournaments.history import TournamentLog
from domain.tournaments.state import Round, Tournament
from replay import matchfile, stored_archive
from replay.matchfile import BadFile
from replay.tournaments.published import (
    FORMAT,
    VERSION,
    boards_played,
    boards_reported,
    match_member,
    reported_member,
    round_member,
    sha256,
    standings_bytes,
    standings_member,
)
from replay.tournaments.results import standings_of
from replay.transparency import evidence
from replay.transparency.evidence import Evidence

SUFFIX = ".glasnost-tournament"
MANIFEST, LOG, PRIVATE = "manifest.json", "tournament.ndjson", "private.ndjson"
CHECKPOINT, KEYS, README = "checkpoint.txt", "keys.txt", "README.txt"
REQUIRED = (CHECKPOINT, KEYS, MANIFEST, README, LOG)

_MIB = 1024 * 1024
MOST_MEMBERS = 24_000  # 1,000 entrants play 20,000 matches in 40 rounds
MOST_ENTRIES = 200_000
MOST_MATCH = 32 * _MIB  # of a match file; the longest match of any game has 1 MiB
_MOST = {MANIFEST: 8 * _MIB, LOG: 128 * _MIB, PRIVATE: 128 * _MIB, evidence.MEMBER: 64 * _MIB}
_SMALL = 64 * 1024  # of the texts
_FOLDERS = (
    (re.compile(r"matches/r\d\d-b\d{2,4}-[A-Za-z0-9_-]{1,64}\.glasnost"), MOST_MATCH),
    (re.compile(r"reported/r\d\d-b\d{2,4}-[0-9a-f]{16}\.glasnost"), MOST_MATCH),
    (re.compile(r"rounds/r\d\d\.(trf|json)"), 4 * _MIB),
    (re.compile(r"standings/at-\d{1,9}\.json"), 4 * _MIB),
)

_README = """\
This is one tournament, written by Glasnost, a server whose tournaments and matches can be proved.

  tournament.ndjson   every entry: who entered, who was paired, what was ruled; the leaves of a Merkle tree
  checkpoint.txt      the signed root over all entries (a C2SP signed note, Ed25519)
  keys.txt            the keys that the server names; trust those that you got in another way
  manifest.json       what this is, and the SHA-256 of each member
  matches/            the match file of each board with a recorded result
  rounds/             of each round what the pairing engine was given, and the boards that were played
  standings/          the standings as they were published
  private.ndjson      what was sealed, with the salts that open it; only after the tournament is over

To verify it:             glasnost tournament verify FILE --key KEY
To verify one match:      glasnost verify matches/MATCH.glasnost --key KEY
To replay one match:      glasnost replay matches/MATCH.glasnost
None of them needs a network. The format is described in docs/tournaments.md of Glasnost.
"""

_README_LOGGED = """
  transparency.json   the proof that the server's log holds every entry; the match files hold theirs

To verify these, too:     glasnost tournament verify FILE --policy POLICY
"""

_README_REPORTED = """
  reported/           the match files of games that were played elsewhere, as rulings name them: each proves
                      its moves, and not who played them
"""

MatchFiles = Callable[[str], bytes]
"""Gives the match file of a match that is over, by its id."""
ReportedFiles = Callable[[str], bytes]
"""Gives the match file that a ruling names, by its SHA-256.  Raises Damaged: it is not there."""


def none_reported(file: str) -> bytes:
    """Raises Damaged: no file is kept."""
    raise Damaged(Sentence("reported-file-missing", {"file": file}))


class Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    """`manifest.json`.  `root` is base64, `parts` hex SHA-256; `engine`, `product`: the latest in the log."""

    engine: str
    entries: int
    format: str
    parts: dict[str, str]
    product: str
    root: str
    title: str
    tournament: str
    version: int


class Private(Struct, frozen=True):
    """One line of `private.ndjson`: the sealed parts of an entry, and the salts that open them."""

    entry: int
    parts: dict[str, Raw]
    salts: dict[str, str]


class RoundBoard(Struct, frozen=True):
    """A board in `rounds/r03.json`."""

    board: int
    w: str
    b: str
    match: str
    floats: str
    colour_rule: str


class RoundFile(Struct, frozen=True):
    """`rounds/r03.json`: the boards of a round as played; `changed`: the entry of a change by hand, or 0."""

    round: int
    engine: str
    version: str
    rules: str
    input_sha256: str
    changed: int
    boards: tuple[RoundBoard, ...]
    byes: Mapping[str, str]


# ── Writing ──


def write(
    out: IO[bytes],
    log: TournamentLog,
    note: str,
    keys: Sequence[VerifyingKey],
    match_file: MatchFiles,
    at: int | None = None,
    proof: Evidence | None = None,
    reported_file: ReportedFiles = none_reported,
) -> None:
    """Write the tournament file over the first `at` entries (None: all) into a file.

    Args:
        note: the checkpoint over these entries.
        keys: of the server.
        proof: that these entries are in the server's log; None: the file holds none.

    Raises:
        Damaged: a match cannot be read, or a file that a ruling names.
        Refused: `no-place`: it would be larger than a tournament file may be.
    """
    entry = log.entry if at is None else at
    s, records = log.state_at(entry), log.records[:entry]
    played = [match_member(one.number, board.number, board.match) for one, board in boards_played(s)]
    reported = {reported_member(*one): one[2] for one in boards_reported(s)}
    if (
        len(played) + len(reported) + 2 * len(s.rounds) + len(s.publications) + len(REQUIRED) + 2
        > MOST_MEMBERS
    ):
        raise Refused("no-place", "tournament-file-too-large", {"most": MOST_MEMBERS})
    small = _small(log, s, records, note, keys)
    if proof is not None:
        small[evidence.MEMBER] = proof.bytes
        small[README] += _README_LOGGED.encode()
    if reported:
        small[README] += _README_REPORTED.encode()
    with tempfile.TemporaryFile() as spool:
        kept = _spooled(spool, s, match_file)
        for name, file in reported.items():
            kept[name] = _appended(spool, reported_file(file))
        parts = {name: sha256(content) for name, content in small.items()}
        parts |= {name: digest for name, (_, _, digest) in kept.items()}
        small[MANIFEST] = manifest_bytes(s, records[0].entry.product, log.roots[entry - 1], parts)
        try:
            stored_archive.write(out, _sorted(small, kept, spool))
        except stored_archive.TooLarge as error:
            raise Refused("no-place", "tournament-file-too-large", {"most": MOST_MEMBERS}) from error


def _small(
    log: TournamentLog, s: Tournament, records: Sequence[Record], note: str, keys: Sequence[VerifyingKey]
) -> dict[str, bytes]:
    """Every member but the manifest and the matches."""
    found = {
        README: _README.encode(),
        CHECKPOINT: note.encode(),
        KEYS: "".join(f"{key.text}\n" for key in keys).encode(),
        LOG: b"".join(record.leaf + b"\n" for record in records),
        **round_members(s),
    }
    opened = secret_of(s.id, [record.entry for record in records])
    if opened is not None:
        found[PRIVATE] = b"".join(private_line(record, opened) + b"\n" for record in records)
    for one in s.publications:
        content = standings_bytes(standings_of(log.state_at(one.at_entry)))
        if sha256(content) == one.standings_sha256:  # else another version of the engine computed them
            found[standings_member(one.at_entry)] = content
    return found


def _spooled(spool: IO[bytes], s: Tournament, match_file: MatchFiles) -> dict[str, tuple[int, int, str]]:
    """Write the match files one after the other; return place, length and SHA-256 of each, by member."""
    found = {}
    for one, board in boards_played(s):
        name = match_member(one.number, board.number, board.match)
        found[name] = _appended(spool, match_file(board.match))
    return found


def _appended(spool: IO[bytes], content: bytes) -> tuple[int, int, str]:
    place = spool.tell()
    spool.write(content)
    return place, len(content), sha256(content)


def _sorted(
    small: Mapping[str, bytes], kept: Mapping[str, tuple[int, int, str]], spool: IO[bytes]
) -> Iterator[tuple[str, bytes]]:
    for name in sorted((*small, *kept)):
        if name in small:
            yield name, small[name]
        else:
            at, length, _ = kept[name]
            spool.seek(at)
            yield name, spool.read(length)


def manifest_bytes(s: Tournament, product: str, root: bytes, parts: Mapping[str, str]) -> bytes:
    """Return the manifest: canonical JSON and a newline."""
    last = s.rounds[-1].pairing if s.rounds else None
    manifest = Manifest(
        engine=f"{last.engine} {last.version}" if last else "",
        entries=s.entry,
        format=FORMAT,
        parts=dict(parts),
        product=product,
        root=b64(root),
        title=s.title,
        tournament=s.id,
        version=VERSION,
    )
    return canonical(manifest) + b"\n"


def round_members(s: Tournament) -> dict[str, bytes]:
    """Return the members of all rounds, by name: they follow from the log."""
    found = {}
    for one in s.rounds:
        found[round_member(one.number)] = one.pairing.input.encode()
        found[round_member(one.number, "json")] = canonical(_round_file(one)) + b"\n"
    return found


def _round_file(one: Round) -> RoundFile:
    pairing = one.pairing
    return RoundFile(
        round=one.number,
        engine=pairing.engine,
        version=pairing.version,
        rules=pairing.rules,
        input_sha256=pairing.input_sha256,
        changed=one.changed,
        boards=tuple(
            RoundBoard(board.number, board.w, board.b, board.match, board.floats, board.colour_rule)
            for board in one.boards
        ),
        byes=one.byes,
    )


def secret_of(tournament: str, entries: Sequence[object]) -> Secret | None:
    """Return the secret that the final publication opened; None before it.

    Raises:
        Damaged: what stands there is no secret.
    """
    for entry in entries:
        if isinstance(entry, Published) and entry.secret:
            try:
                return Secret(unb64(entry.secret), tournament)
            except ValueError as error:
                raise Damaged(Sentence("not-a-secret", {"within": said_of(error)})) from error
    return None


def private_line(record: Record, secret: Secret) -> bytes:
    """Return the line of an entry in `private.ndjson`, without its newline."""
    parts = {name: Raw(part) for name, part in record.sealed.items()}
    return canonical(
        Private(record.move, parts, {name: b64(secret.salt(record.move, name)) for name in parts})
    )


# ── Reading ──


class TournamentFile:
    """An open tournament file, which is not verified yet."""

    def __init__(self, archive: stored_archive.StoredArchive, manifest: Manifest) -> None:
        self._archive, self.manifest = archive, manifest

    @property
    def names(self) -> list[str]:
        """The names of its members, sorted."""
        return self._archive.names

    def part(self, name: str) -> bytes:
        """Return the content of a member.

        Raises:
            BadFile: it cannot be read.
        """
        try:
            return self._archive.read(name)
        except Damaged as error:
            raise BadFile(name, error.said) from error

    def text(self, name: str) -> str:
        """Return the content of a member that is a text.  Raises BadFile."""
        try:
            return self.part(name).decode()
        except UnicodeDecodeError as error:
            raise BadFile(name, Sentence("not-utf-8")) from error

    def leaves(self) -> list[bytes]:
        """Return the leaves, in order.  Raises BadFile."""
        return matchfile.lines(LOG, self.part(LOG), MOST_ENTRIES)

    def log_proof(self) -> bytes | None:
        """Return the proof that the entries are in the server's log; None if the file has none."""
        return self.part(evidence.MEMBER) if evidence.MEMBER in self.names else None

    def private(self) -> list[bytes] | None:
        """Return the lines of `private.ndjson`; None if the file has none.  Raises BadFile."""
        if PRIVATE not in self.names:
            return None
        return matchfile.lines(PRIVATE, self.part(PRIVATE), MOST_ENTRIES)

    def place(self, name: str) -> tuple[int, int]:
        """Return where the content of a member begins in the file, and its length in bytes."""
        return self._archive.place(name)

    def checksum(self, name: str) -> int:
        """Return the CRC-32 that the archive states for a member."""
        return self._archive.checksum(name)


@contextmanager
def opened(path: Path) -> Iterator[TournamentFile]:
    """Open a tournament file.

    Raises:
        BadFile: it is none, has a newer format version, or is damaged as a whole.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        try:
            archive = stored_archive.StoredArchive(file, most_of, MOST_MEMBERS)
        except Damaged as error:
            raise BadFile("archive", Sentence("get-again", {"said": error.said})) from error
        for name in REQUIRED:
            if name not in archive.names:
                raise BadFile(name, Sentence("get-again", {"said": Sentence("part-missing")}))
        yield TournamentFile(archive, _manifest(archive.read(MANIFEST)))


def most_of(name: str) -> int | None:
    """Return how many bytes a member of this name may have; None if no member has such a name."""
    if name in _MOST:
        return _MOST[name]
    if name in REQUIRED:
        return _SMALL
    return next((most for pattern, most in _FOLDERS if pattern.fullmatch(name)), None)


class _Kind(Struct):
    format: str
    version: int


def _manifest(data: bytes) -> Manifest:
    try:
        kind = msgspec.json.decode(data, type=_Kind)
        if kind.format == FORMAT and kind.version > VERSION:
            raise BadFile(MANIFEST, Sentence("format-newer", {"version": kind.version, "most": VERSION}))
        found = msgspec.json.decode(data, type=Manifest)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise BadFile(MANIFEST, Sentence("not-a-manifest", {"within": said_of(error)})) from error
    if found.format != FORMAT or found.version < 1:
        given = f"{found.format[:40]!r} {found.version}"
        raise BadFile(MANIFEST, Sentence("not-a-tournament-file", {"format": given}))
    return found


def read_private(line: bytes, number: int) -> Private:
    """Return a line of `private.ndjson`.  Raises BadFile."""
    found = matchfile.private_line(line, number, Private)
    if found.entry != number:
        raise BadFile(PRIVATE, Sentence("leaf-of-another-entry", {"entry": found.entry}), number)
    return found
