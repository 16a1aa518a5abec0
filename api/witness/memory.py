"""What a witness remembers: of each log the largest tree that it cosigned, in one small file.

The file is replaced as a whole, and it is durable before anything is cosigned.  So a witness that is killed
at any moment may have remembered a tree that it did not cosign; never the other way round.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import IO

import msgspec
from msgspec import Struct

MOST_BYTES = 1 << 24  # of the file
FORMAT = "glasnost witness"


class CannotRemember(Exception):
    """The file of a witness cannot be used; the text says why, and what to do."""


class Seen(Struct, frozen=True):
    """The largest tree of a log that was cosigned: its size, its root in base64, and the log's checkpoint."""

    size: int
    root: str
    note: str


class _Content(Struct, frozen=True, forbid_unknown_fields=True):
    """The file: `key` is NAME+ID of the witness, `logs` holds what it has seen by the origin of the log."""

    format: str
    key: str
    logs: dict[str, Seen]


class Memory:
    """The file of a witness, which only this process uses.

    Args:
        path: the file.
        key: NAME+ID of the witness.
        new: there is no file yet, because the key is new.

    Raises:
        CannotRemember: another process uses it, it is missing, damaged or of another witness.
    """

    def __init__(self, path: Path, key: str, *, new: bool = False) -> None:
        self._path = path
        self._lock = _locked(path.with_name(f"{path.name}.lock"))
        try:
            if new and not path.exists():
                self._write(_Content(FORMAT, key, {}))
            self._content = self._read(key)
        except CannotRemember:
            self._lock.close()
            raise

    def close(self) -> None:
        """Let another process use the file."""
        self._lock.close()

    @property
    def logs(self) -> dict[str, Seen]:
        """What was seen of each log, by its origin."""
        return dict(self._content.logs)

    def remember(self, origin: str, seen: Seen) -> None:
        """Replace what was seen of a log; it is on the disk when this returns.

        Raises:
            CannotRemember: it cannot be written; then it may be on the disk or not.
        """
        content = msgspec.structs.replace(self._content, logs={**self._content.logs, origin: seen})
        self._write(content)
        self._content = content

    def _read(self, key: str) -> _Content:
        try:
            data = self._path.read_bytes()
            found = msgspec.json.decode(data, type=_Content) if len(data) <= MOST_BYTES else None
        except FileNotFoundError as error:
            raise CannotRemember(
                f"{self._path} is missing: a witness that forgot what it cosigned could cosign a second"
                " history;"
                " put the file back, or make a new key and a new file, and announce the new key"
            ) from error
        except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise CannotRemember(f"{self._path} cannot be read: {error}") from error
        if found is None or found.format != FORMAT:
            raise CannotRemember(f"{self._path} is not the file of a witness")
        if found.key != key:
            raise CannotRemember(f"{self._path} is the file of the witness {found.key}, not of {key}")
        return found

    def _write(self, content: _Content) -> None:
        fresh = self._path.with_name(f".{self._path.name}.part")
        try:
            with fresh.open("wb") as file:
                file.write(msgspec.json.encode(content))
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(self._path)
            folder = os.open(self._path.absolute().parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as error:
            raise CannotRemember(f"{self._path} cannot be written: {error.strerror}") from error


def _locked(path: Path) -> IO[bytes]:
    try:
        file = path.open("ab")
    except OSError as error:
        raise CannotRemember(f"{path} cannot be written: {error.strerror}") from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        raise CannotRemember(f"{path} is locked: another process is this witness") from error
    return file
