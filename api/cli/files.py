"""What a match that was played or scripted leaves: a file, a place in a store, and one line about it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from api.cli.common import CannotBeDone, opened_store

if TYPE_CHECKING:
    from api.store.base import SqlStore
    from api.store.location import Location
    from domain.log import Record
    from domain.match import Match
    from domain.notes import SigningKey, VerifyingKey

SEEDED = "seeded"  # signs what anybody can make again: its private part is no secret


class SeededKeys:
    """A ring that holds the key `SEEDED` alone; it vouches for nothing, it only completes the format."""

    retired: Sequence[VerifyingKey] = ()
    rotations: Sequence[str] = ()

    @property
    def signing(self) -> SigningKey:
        """The key `SEEDED`, the same everywhere."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        from domain.notes import SigningKey

        private = hashlib.sha256(b"glasnost: the key of seeded and scripted matches is public\n").digest()
        return SigningKey(SEEDED, Ed25519PrivateKey.from_private_bytes(private))

    @property
    def present(self) -> VerifyingKey:
        """Its public part."""
        return self.signing.verifying


def note_by(key: SigningKey, match: Match) -> str:
    """The checkpoint over a whole match, signed by `key`.

    Raises:
        NotSignedHere: see `domain.notes.checkpoint`.
    """
    from domain.notes import checkpoint

    return checkpoint(key, match, match.move, match.roots[-1])


def match_file(records: Sequence[Record], note: str) -> bytes:
    """The bytes of a match file."""
    from replay import matchfile

    return matchfile.write(records, note)


def write_file(path: Path, content: bytes) -> Path:
    """Write `content` to `path`, wholly or not at all; gives the path.

    Raises:
        CannotBeDone: it cannot be written.
    """
    try:
        if _is_device(path):
            path.write_bytes(content)
        else:
            _replace(path.resolve(), content)
    except (OSError, RuntimeError) as error:  # of links that lead in a circle
        reason = error.strerror if isinstance(error, OSError) else None
        raise CannotBeDone(f"{path}: cannot be written: {reason or error}") from error
    return path


def _is_device(path: Path) -> bool:
    """A pipe, a terminal, /dev/null: no file may take its place."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _replace(path: Path, content: bytes) -> None:
    fresh = path.with_name(f".{path.name}.part")
    try:
        fresh.write_bytes(content)
        fresh.replace(path)
    except BaseException:  # Ctrl-C, too
        fresh.unlink(missing_ok=True)
        raise


def keep(match: Match, secret: bytes, store: Location) -> tuple[str, bool]:
    """Put a finished match into a store; gives its checkpoint, and whether it was there already.

    Raises:
        CannotBeDone: the store cannot be written.
    """
    with opened_store(store) as opened:
        return keep_in(opened, match, secret)


def keep_in(store: SqlStore, match: Match, secret: bytes) -> tuple[str, bool]:
    """The same, with a store that is open already."""
    from api.store.seam import Append, Exists

    keys = SeededKeys() if match.imported else store.keys
    note = note_by(keys.signing, match)
    try:
        store.submit(Append(match.records, secret=secret, note=note)).result()
    except Exists:
        return store.note(match.id) or note, True
    return note, False


def summary(match: Match, file: Path | None) -> dict[str, Any]:
    """What `--json` prints of a match."""
    from domain.log import b64

    opened = match.opened
    return {
        "match": match.id,
        "game": opened.game,
        "edition": opened.edition,
        "options": opened.options,
        "moves": match.move,
        "result": match.result,
        "root": b64(match.roots[-1]),
        "file": os.fsencode(file).decode(errors="replace") if file else None,
    }


def in_words(match: Match, language: str, file: Path | None) -> str:
    """The same as one line for people."""
    from domain.log import b64
    from replay.words import Words

    words = Words(match, language)
    ended = words.result(match.result) if match.result else words.shown("unfinished")
    where = f", {file}" if file else ""
    return f"{match.id}: {match.move} moves, {ended}, root {b64(match.roots[-1])}{where}"


def must_be_writable(path: Path | None) -> None:
    """See before a match is played whether its file can be written.

    Raises:
        CannotBeDone: it has no name, the folder is missing, or nothing can be written there.
    """
    if path is None:
        return
    if not path.name:
        raise CannotBeDone("--out: name the file")
    if _is_device(path):
        return
    if not path.absolute().parent.is_dir():
        raise CannotBeDone(f"{path}: there is no folder {path.parent}; make it first")
    if not os.access(path.absolute().parent, os.W_OK):
        raise CannotBeDone(f"{path}: nothing can be written to {path.parent}")
