"""Locks on files: the lock of a store's folder, and files that are locked while they are written."""

from __future__ import annotations

import fcntl
import glob
import os
import re
import secrets
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from api.store.interface import InUse, StoreError
from domain.log import canonical

FILE = "lock"


class Holder(Struct, frozen=True):
    """The holder of a store: process, host, since when (UTC, as text), and its address if it serves."""

    pid: int
    host: str
    since: str
    address: str = ""


class Lock:
    """An exclusive lock on a store's folder; the operating system drops it when the process ends in any way.

    Args:
        folder: the store's folder, which exists.
        since: the time as text.

    Raises:
        InUse: another process holds it; the text says which one, and what to do.
    """

    def __init__(self, folder: Path, since: str) -> None:
        self._file = os.open(folder / FILE, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = _holder(self._file)
            os.close(self._file)
            raise InUse(_held(folder, holder)) from error
        except OSError as error:  # a network file system without locks: two processes could write at once
            os.close(self._file)
            raise StoreError(
                f"{folder} cannot be locked ({error.strerror}): keep the store on a disk of this machine"
            ) from error
        self.holder = Holder(os.getpid(), socket.gethostname(), since)
        self._write()

    def announce(self, address: str) -> None:
        """Write down the HTTP address under which the store is served."""
        self.holder = msgspec.structs.replace(self.holder, address=address)
        self._write()

    def release(self) -> None:
        """Release the lock and empty its file; to delete it could void the lock of a third process."""
        os.ftruncate(self._file, 0)
        os.close(self._file)

    def _write(self) -> None:
        content = canonical(self.holder) + b"\n"
        os.pwrite(self._file, content, 0)
        os.ftruncate(self._file, len(content))


def _holder(file: int) -> Holder | None:
    try:
        return msgspec.json.decode(os.pread(file, 4096, 0), type=Holder)
    except msgspec.DecodeError:
        return None  # taken a moment ago: its name is not written yet


def _held(folder: Path, holder: Holder | None) -> str:
    if holder is None:
        return f"another process is just opening the store in {folder}; try again"
    where = f"at {holder.address}" if holder.address else "through its HTTP address"
    return (
        f"process {holder.pid} on {holder.host} has held the store in {folder} since {holder.since};"
        f" reach the store {where}, or stop that process"
    )


# ── Unfinished files ──
#
# A process that is killed leaves them behind.  Each is locked as long as its process lives, so the next
# process finds those that no process holds any more, and deletes them.

_SIGN = re.compile(r"\.[0-9a-f]{16}(-journal)?")


@contextmanager
def new_file(target: Path) -> Iterator[Path]:
    """Open a file to write, which becomes `target` when the context ends without an error.

    An existing `target` is never replaced.

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
    """Delete the unfinished files of `target` that killed processes have left."""
    for name in target.parent.glob(f".{glob.escape(target.name)}.*"):
        if _SIGN.fullmatch(name.name.removeprefix(f".{target.name}")) and _is_abandoned(name):
            _unlink(name)


def reason(error: Exception) -> str:
    """Return the system's message without its number and without the path, which the sentence has already."""
    return getattr(error, "strerror", None) or str(error)


def _is_abandoned(path: Path) -> bool:
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
        with suppress(OSError):  # it does not exist, or the folder is read-only: that was reported already
            path.unlink()


def _make_durable(folder: Path) -> None:
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
