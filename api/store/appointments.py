"""Letters of appointment: how the owner of a store makes an administrator while a server holds the store.

Whoever may write into the key folder may appoint.  A letter is a file named by the hash of the new token; the
server finds it when the token is shown for the first time, enters the person in the store, and burns it.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

import msgspec

from api.store.seam import Person, StoreError
from domain.log import canonical

FOLDER = "appointments"
_NAME = re.compile("[0-9a-f]{64}")


def write(keys: Path, person: Person, token_hash: bytes) -> None:
    """Lay down a letter for whoever shows the token of this hash.

    Raises:
        StoreError: the key folder is missing or cannot be written.
    """
    try:
        (keys / FOLDER).mkdir(mode=0o700, exist_ok=True)
        letter = os.open(_path(keys, token_hash), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(letter, "wb") as file:
            file.write(canonical(person) + b"\n")
    except OSError as error:
        raise StoreError(f"no letter can be laid into {keys}: {error.strerror}") from error


def read(keys: Path, token_hash: bytes) -> Person | None:
    """Who is appointed by the letter for this token, if there is one."""
    try:
        return msgspec.json.decode(_path(keys, token_hash).read_bytes(), type=Person)
    except (OSError, msgspec.DecodeError):
        return None


def burn(keys: Path, token_hash: bytes) -> None:
    """The person stands in the store now: the letter has done its work."""
    with suppress(OSError):
        _path(keys, token_hash).unlink()


def burn_those_of(keys: Path, player: str) -> None:
    """Nobody is appointed under this id any more."""
    for path in (keys / FOLDER).glob("*"):
        if _NAME.fullmatch(path.name):
            token_hash = bytes.fromhex(path.name)
            person = read(keys, token_hash)
            if person is not None and person.id == player:
                burn(keys, token_hash)


def copy(source: Path, target: Path) -> int:
    """Give a key folder the letters in another that nobody has shown the token of yet; how many these are.

    Raises:
        StoreError: the other folder cannot be written.
    """
    folder = source / FOLDER
    hashes = [bytes.fromhex(path.name) for path in sorted(folder.glob("*")) if _NAME.fullmatch(path.name)]
    letters = [(token_hash, person) for token_hash in hashes if (person := read(source, token_hash))]
    for token_hash, person in letters:
        if read(target, token_hash) is None:
            write(target, person, token_hash)
    return len(letters)


def _path(keys: Path, token_hash: bytes) -> Path:
    return keys / FOLDER / token_hash.hex()
