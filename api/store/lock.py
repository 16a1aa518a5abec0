"""One process writes a store: the lock file says which, and a second process is told where to go."""

from __future__ import annotations

import fcntl
import os
import socket
from pathlib import Path

import msgspec
from msgspec import Struct

from api.store.seam import InUse, StoreError
from domain.log import canonical

FILE = "lock"


class Holder(Struct, frozen=True):
    """Who holds a store: process, host, since when (UTC, as people read it), and its address if it serves."""

    pid: int
    host: str
    since: str
    address: str = ""


class Lock:
    """An exclusive lock on a store's folder; the operating system drops it when the process ends, however.

    Args:
        folder: the store's folder, which exists.
        since: the time, as people read it.

    Raises:
        InUse: another process holds it; the text says which one, and the way round.
    """

    def __init__(self, folder: Path, since: str) -> None:
        self._file = os.open(folder / FILE, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = _holder(self._file)
            os.close(self._file)
            raise InUse(_held(folder, holder)) from error
        except OSError as error:  # a network's file system without locks: two processes could write at once
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
        """Let go; the file stays, empty: deleting it could take the lock from under a third process."""
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
