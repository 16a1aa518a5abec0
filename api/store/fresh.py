"""Files that are not finished.

A process that is killed leaves them behind.  Each is locked as long as its process lives, so the next one
finds those that no process holds any more, and clears them away.
"""

from __future__ import annotations

import fcntl
import glob
import os
import re
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from api.store.seam import StoreError

_SIGN = re.compile(r"\.[0-9a-f]{16}(-journal)?")


@contextmanager
def new_file(target: Path) -> Iterator[Path]:
    """A file to write, which becomes `target` when the context ends well, and never takes another's place.

    Raises:
        StoreError: `target` exists, or cannot be written.
    """
    fresh = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
    held = None
    try:
        if target.exists():
            raise FileExistsError(f"{target} exists already")
        clear_away(target)
        held = os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
        fcntl.flock(held, fcntl.LOCK_EX)
        yield fresh
        os.fsync(held)
        os.link(fresh, target)
        _make_durable(target.parent)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"{target} cannot be written: {reason(error)}") from error
    finally:
        _unlink(fresh)
        if held is not None:
            os.close(held)


def clear_away(target: Path) -> None:
    """Delete what processes that were killed have left of `target`."""
    for name in target.parent.glob(f".{glob.escape(target.name)}.*"):
        if _SIGN.fullmatch(name.name.removeprefix(f".{target.name}")) and _is_nobodys(name):
            _unlink(name)


def reason(error: Exception) -> str:
    """What the system says, without its number and the path that the sentence names already."""
    return getattr(error, "strerror", None) or str(error)


def _is_nobodys(path: Path) -> bool:
    try:
        file = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except OSError:
        return False
    finally:
        os.close(file)


def _unlink(fresh: Path) -> None:
    for path in (fresh, fresh.with_name(f"{fresh.name}-journal")):
        with suppress(OSError):  # it is not there, or nothing can be changed there: that was told
            path.unlink()


def _make_durable(folder: Path) -> None:
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
