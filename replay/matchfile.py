"""The match file, `.glasnost`: one match in one zip archive, to keep, send, replay and verify anywhere.

    manifest.json     what this is: format, match, game, number of moves, root, and the SHA-256 of each part
    log.ndjson        the leaves, one per line, exactly the bytes that were hashed
    private.ndjson    the opened parts and their salts, one line per move; only when the match is over
    checkpoints.txt   the signed checkpoint over all these moves
    transparency.json optional: the proof that the match is in the server's log (`replay.transparency`)
    README.txt        the same in words

Everything in it but the proof follows from the records and the checkpoint, so writing it twice gives the
same bytes, and a verifier can write it again to see whether the archive was changed.  `docs/protocol.md`
describes the format.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Raw, Struct

from domain.chance import Secret
from domain.events import Closed, Opened, SecretOpened
from domain.game import Game
from domain.games import GAMES
from domain.imported import IMPORTED
from domain.log import Damaged, Record, b64, canonical, codec, said_of, unb64
from domain.match import Match
from domain.merkle import Tree
from domain.refusals import Sentence
from domain.signed_notes import Checkpoint, Note
from replay import archive
from replay.transparency import evidence

T = TypeVar("T", bound=Struct)

FORMAT = "glasnost match"
VERSION = 1
MANIFEST, LOG, PRIVATE = "manifest.json", "log.ndjson", "private.ndjson"
CHECKPOINTS, README = "checkpoints.txt", "README.txt"
MEMBERS = (MANIFEST, LOG, PRIVATE, CHECKPOINTS, evidence.MEMBER, README)
DATA = (LOG, PRIVATE, CHECKPOINTS)  # the parts whose SHA-256 the manifest holds

MOST_BYTES = 64 * 1024 * 1024  # of one part
MOST_WHOLE = 2 * MOST_BYTES  # of all parts together
MOST_MOVES = 100_000

_README = """\
This is one match, written by Glasnost, a server whose matches can be proved.

  manifest.json     what this is: the match, the game, the number of moves, the root, SHA-256 of each part
  log.ndjson        every move as a spectator saw it, one line each: the leaves of a Merkle tree (RFC 6962)
  private.ndjson    what was secret during play, with the salts that open its commitments; a match that is
                    still running comes without it
  checkpoints.txt   the signed root over all these moves (a C2SP signed note, Ed25519)

To replay it:   glasnost replay FILE
To verify it:   glasnost verify FILE --key KEY
Neither needs a network. The format is described in docs/protocol.md of Glasnost, so that anybody can write
another verifier.
"""

_README_IMPORTED = """
This match is imported, unverified: it was played elsewhere, and its record does not tell the hands. What
private.ndjson holds of them is one deal that fits the record, worked out to drive the rules along it. Nobody
knows whether it was that one; nothing here shows it to anybody.
"""


class BadFile(Damaged):
    """A match file that cannot be read: `part` is the member (or "archive"), `move` the line, if known."""

    def __init__(self, part: str, said: str | Sentence, move: int | None = None) -> None:
        where = Sentence("archive") if part == "archive" else part
        about = {"part": where, "said": said}
        super().__init__(
            Sentence("in-part", about) if move is None else Sentence("in-line", {**about, "line": move})
        )
        self.part, self.move, self.reason = part, move, str(said)


class Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    """`manifest.json`.  `root` is base64; `parts` holds hex SHA-256; `rules` and `product` are the latest."""

    edition: str
    format: str
    game: str
    match: str
    moves: int
    parts: dict[str, str]
    product: str
    root: str
    rules: str
    version: int


class Private(Struct, frozen=True):
    """One line of `private.ndjson`: the parts of a move, as stored, and the salts that open them."""

    move: int
    parts: dict[str, Raw]
    salts: dict[str, str]


class MatchFile(Struct, frozen=True):
    """The parts of a match file, which are not verified yet (see `replay.verify`)."""

    manifest: Manifest
    parts: dict[str, bytes]
    data: bytes

    @property
    def leaves(self) -> list[bytes]:
        """Return the leaves, in order.  Raises BadFile."""
        return lines(LOG, self.parts[LOG])

    @property
    def private(self) -> list[Private] | None:
        """Return the private parts of each move; None while the match runs.  Raises BadFile."""
        if PRIVATE not in self.parts:
            return None
        return [_private(line, number) for number, line in enumerate(lines(PRIVATE, self.parts[PRIVATE]), 1)]

    @property
    def note(self) -> str:
        """The signed checkpoint.  Raises BadFile."""
        try:
            return self.parts[CHECKPOINTS].decode()
        except UnicodeDecodeError as error:
            raise BadFile(CHECKPOINTS, Sentence("not-utf-8")) from error

    @property
    def game(self) -> Game:
        """The game.  Raises BadFile."""
        if self.manifest.game not in GAMES:
            known = ", ".join(GAMES)
            raise BadFile(
                MANIFEST, Sentence("game-not-known", {"game": repr(self.manifest.game[:80]), "known": known})
            )
        return GAMES[self.manifest.game]

    def records(self) -> list[Record]:
        """Return the decoded records.  Raises BadFile."""
        return decoded(self.game, self.manifest.match, self.leaves, self.private)

    def match(self) -> Match:
        """Return the match, folded from its records.  Raises BadFile."""
        records = self.records()
        try:
            match = Match.project(None, records)
        except Exception as error:  # a forged log may make a fold raise anything
            raise BadFile(LOG, Sentence("cannot-be-folded", {"error": str(error)})) from error
        if match is None:
            raise BadFile(LOG, Sentence("no-moves"))
        return match


def write(
    records: Sequence[Record],
    note: str,
    proof: evidence.Evidence | None = None,
    *,
    root: bytes | None = None,
) -> bytes:
    """Return the match file of `records`, all of one match from its first move.

    Args:
        note: the signed checkpoint over these records.
        proof: that the match is in the server's log; the other parts are the same with and without it.
        root: the root over these records, if the caller knows it already.

    Raises:
        Damaged: the checkpoint does not cover these records.
    """
    members = parts(records, note, root)
    if proof is not None:
        members[evidence.MEMBER] = proof.bytes
    return archive.pack(members)


def parts(records: Sequence[Record], note: str, root: bytes | None = None) -> dict[str, bytes]:
    """Return the parts of the match file, in their order.  Raises Damaged: see `write`."""
    if not records:
        raise Damaged(Sentence("file-without-move"))
    root = _root(records) if root is None else root
    _must_fit(records, note, root)
    data = {LOG: b"".join(record.leaf + b"\n" for record in records)}
    if isinstance(records[-1].entry, Closed):
        data[PRIVATE] = b"".join(line + b"\n" for line in _private_lines(records))
    data[CHECKPOINTS] = note.encode()
    readme = _README + (_README_IMPORTED if records[0].entry.origin == IMPORTED else "")
    return {MANIFEST: _manifest_of(records, root, data), **data, README: readme.encode()}


def read(source: Path | bytes, whole: int = MOST_WHOLE) -> MatchFile:
    """Read a match file of at most `whole` bytes when unpacked.

    Raises:
        BadFile: it is not a match file, has a newer format version, or is damaged as a whole.
        OSError: the file cannot be read.
    """
    data = source if isinstance(source, bytes) else _content(source)
    try:
        parts = archive.unpack(data, MEMBERS, MOST_BYTES, whole)
    except Damaged as error:
        raise BadFile("archive", Sentence("get-again", {"said": error.said})) from error
    for name in (MANIFEST, LOG, CHECKPOINTS):
        if name not in parts:
            raise BadFile(name, Sentence("get-again", {"said": Sentence("part-missing")}))
    return MatchFile(_manifest(parts[MANIFEST]), parts, data)


def decoded(game: Game, match: str, leaves: list[bytes], private: list[Private] | None) -> list[Record]:
    """Decode the records of leaves and private parts.  Raises BadFile."""
    if private is not None and len(private) != len(leaves):
        first = min(len(private), len(leaves)) + 1
        raise BadFile(
            PRIVATE, Sentence("lines-and-moves", {"count": len(private), "moves": len(leaves)}), first
        )
    join, records = codec(game).join, []
    for number, leaf in enumerate(leaves, 1):
        sealed = {} if private is None else parts_of(private[number - 1], game)
        try:
            records.append(join(match, leaf, sealed))
        except (Damaged, RecursionError, UnicodeDecodeError) as error:
            raise BadFile(LOG, Sentence("move-unread", {"within": said_of(error)}), number) from error
    return records


def parts_of(private: Private, game: Game) -> dict[str, bytes]:
    """Return the bytes of the parts as they were sealed, in the order of a store.  Raises BadFile."""
    audiences = codec(game).audiences
    if private.parts.keys() != set(audiences):
        about = {"parts": ", ".join(private.parts)[:80], "audiences": list(audiences)}
        raise BadFile(PRIVATE, Sentence("parts-of", about), private.move)
    return {name: bytes(private.parts[name]) for name in audiences}


def lines(part: str, data: bytes, most: int = MOST_MOVES) -> list[bytes]:
    """Return the lines of a part, at most so many, each ended by a newline.  Raises BadFile."""
    if not data.endswith(b"\n"):
        raise BadFile(part, Sentence("last-line-cut-off"), data.count(b"\n") + 1)
    count = data.count(b"\n")
    if count > most:
        raise BadFile(part, Sentence("too-many-lines", {"count": count, "most": most}))
    return data[:-1].split(b"\n")


def _must_fit(records: Sequence[Record], note: str, root: bytes) -> None:
    checkpoint = Checkpoint.parse(Note.parse(note).text)
    if checkpoint.size != len(records) or checkpoint.root != root:
        raise Damaged(Sentence("checkpoint-covers", {"size": checkpoint.size, "moves": len(records)}))


def _manifest_of(records: Sequence[Record], root: bytes, data: dict[str, bytes]) -> bytes:
    """The manifest: canonical JSON and a newline."""
    opened: Opened = records[0].entry
    entries = [record.entry for record in records]
    manifest = Manifest(
        edition=opened.edition,
        format=FORMAT,
        game=opened.game,
        match=opened.match,
        moves=len(records),
        parts={name: hashlib.sha256(content).hexdigest() for name, content in data.items()},
        product=_latest("product", entries),
        root=b64(root),
        rules=_latest("rules", entries),
        version=VERSION,
    )
    return canonical(manifest) + b"\n"


def _private_lines(records: Sequence[Record]) -> list[bytes]:
    opened = next(record.entry for record in reversed(records) if isinstance(record.entry, SecretOpened))
    salt = Secret(unb64(opened.secret), records[0].match).salt
    lines = []
    for record in records:
        sealed = record.sealed
        parts = {name: Raw(part) for name, part in sealed.items()}
        salts = {name: b64(salt(record.move, name)) for name in sealed}
        lines.append(canonical(Private(record.move, parts, salts)))
    return lines


def _root(records: Sequence[Record]) -> bytes:
    tree = Tree()
    for record in records:
        tree.add(record.leaf)
    return tree.root


def _latest(field: str, entries: Sequence[object]) -> str:
    """The latest value of a field that is written only when it changes."""
    found = (getattr(entry, field, "") for entry in reversed(entries))
    return next((value for value in found if value), "")


def _content(path: Path) -> bytes:
    most = len(MEMBERS) * MOST_BYTES
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise BadFile("archive", Sentence("file-too-large", {"most": most}))
    return data


def _manifest(data: bytes) -> Manifest:
    class Kind(Struct):
        format: str
        version: int

    try:
        kind = msgspec.json.decode(data, type=Kind)
        if kind.format == FORMAT and kind.version > VERSION:
            newer = Sentence("format-newer", {"version": kind.version, "most": VERSION})
            raise BadFile(MANIFEST, newer)
        manifest = msgspec.json.decode(data, type=Manifest)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise BadFile(MANIFEST, Sentence("not-a-manifest", {"within": said_of(error)})) from error
    if manifest.format != FORMAT or manifest.version < 1:
        raise BadFile(
            MANIFEST, Sentence("not-a-match-file", {"format": f"{manifest.format[:40]!r} {manifest.version}"})
        )
    return manifest


def _private(line: bytes, number: int) -> Private:
    found = private_line(line, number, Private)
    if found.move != number:
        raise BadFile(PRIVATE, Sentence("line-of-another-move", {"move": found.move}), number)
    return found


def private_line(line: bytes, number: int, kind: type[T]) -> T:
    """Return a line of `private.ndjson` as a struct.  Raises BadFile."""
    try:
        line.decode()  # the parts themselves are only read later
        found = msgspec.json.decode(line, type=kind)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise BadFile(PRIVATE, str(error), number) from error
    if canonical(found) != line:
        raise BadFile(PRIVATE, Sentence("not-canonical"), number)
    return found
