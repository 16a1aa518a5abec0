"""Files and folders that are not finished, or only needed while a process lives.

A process that is killed leaves them behind.  Each is locked as long as its process lives, so the next one
finds those that nobody holds any more, and clears them away.
"""

from __future__ import annotations

import fcntl
import glob
import os
import re
import secrets
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from api.store.lock import FILE, Lock
from api.store.seam import InUse, StoreError

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


@contextmanager
def scratch_folder(prefix: str) -> Iterator[Path]:
    """A temporary folder; those of the same prefix that nobody uses any more are deleted."""
    for path in Path(tempfile.gettempdir()).glob(f"{glob.escape(prefix)}*"):
        _delete_if_nobodys(path)
    made = Path(tempfile.mkdtemp(prefix=f".{prefix}"))
    lock = Lock(made, time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime()))
    folder = made.rename(made.with_name(made.name[1:]))  # only now can another process find it
    try:
        yield folder
    finally:
        lock.release()
        shutil.rmtree(folder, ignore_errors=True)


def reason(error: Exception) -> str:
    """What the system says, without its number and the path that the sentence names already."""
    return getattr(error, "strerror", None) or str(error)


def _delete_if_nobodys(folder: Path) -> None:
    """A folder without a lock is another program's."""
    with suppress(InUse, OSError):
        if (folder / FILE).exists():
            Lock(folder, "").release()
            shutil.rmtree(folder, ignore_errors=True)


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
