"""A data set that a server offers: its manifest, its schema, and the parts that are asked for, in a cache.

A server is not trusted: every answer has a limit in bytes and time, every part must have the size and the
SHA-256 that the manifest says, and the cache stays below a limit.  The hash of the manifest itself can be
named, too (`open(..., snapshot=...)`).
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from replay.dataset import manifest as manifests
from replay.dataset.manifest import BadDataSet, Manifest, Part, Schema
from replay.fetching import fetch, fetched, is_address

__all__ = ["Server", "is_address"]

DATA = "/v1/data"
MOST_MANIFEST = 64 << 20  # bytes
MOST_CACHED = 8 << 30  # bytes of all parts in a cache
SECONDS = 30.0  # for an answer of no bytes, and more for each byte:
SLOWEST = 20_000  # bytes a second


class Server:
    """A server with a data set, and the cache of the parts that were fetched from any server.

    Args:
        address: of the server ("https://games.example"), or of its manifest (".../v1/data").
        cache: the folder of the cache; None: `glasnost/data` among the user's caches.
        most: bytes that all parts in the cache may take.
    """

    def __init__(self, address: str, cache: Path | None = None, most: int = MOST_CACHED) -> None:
        base = address.rstrip("/")
        parts = urlsplit(base)
        if parts.username is not None or parts.query or parts.fragment:
            raise BadDataSet("the address of a server has no user, no query and no fragment")
        self.address = base if base.endswith(DATA) else base + DATA
        self.cache = cache or _own_cache()
        self._most = most
        self._checked = dict[str, Path]()  # the parts that this process uses, by hash

    def manifest(self) -> tuple[Manifest, Schema]:
        """Fetch the manifest and the schema that it names.

        Raises:
            BadDataSet: they are none that this program reads.
            CannotFetch: the server does not answer as it should.
        """
        data = fetched(self.address, most=MOST_MANIFEST, seconds=_patience(MOST_MANIFEST >> 4))
        manifest = manifests.parsed(data, self.address)
        address = f"{self.address}/parts/{manifest.schema}"
        data = fetched(address, most=manifests.MOST_SCHEMA, seconds=_patience(manifests.MOST_SCHEMA >> 4))
        return manifest, manifests.parsed_schema(data, manifest, address)

    def part(self, part: Part) -> Path:
        """Return the file of a part, which is fetched if the cache does not have it.

        Raises:
            BadDataSet: the server gives other bytes than the manifest says, or the cache is too small.
            CannotFetch, OSError: it cannot be fetched or kept.
        """
        found = self._checked.get(part.sha256)
        if found is None:
            found = self._kept(part) or self._fetched(part)
            self._checked[part.sha256] = found
        return found

    def _kept(self, part: Part) -> Path | None:
        """The file in the cache, if it is there and whole."""
        path = self._path(part)
        with suppress(OSError):
            if path.stat().st_size == part.bytes and _sha256(path) == part.sha256:
                os.utime(path)  # the parts that were used last are deleted last
                return path
        return None

    def _fetched(self, part: Part) -> Path:
        path, address = self._path(part), f"{self.address}/parts/{part.sha256}"
        self._make_room(part.bytes)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".fetched")
        fresh = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                fetch(address, file, most=part.bytes, seconds=_patience(part.bytes))
            if fresh.stat().st_size != part.bytes or _sha256(fresh) != part.sha256:
                raise BadDataSet(f"{address}: other bytes than the manifest says")
            fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)
        return path

    def _path(self, part: Part) -> Path:
        return self.cache / "parts" / f"{part.sha256}.parquet"

    def _make_room(self, size: int) -> None:
        """Delete the parts that were not used for longest, but none that this process uses."""
        in_use = set(self._checked.values())
        files = [(path.stat(), path) for path in _files(self.cache / "parts")]
        total = sum(found.st_size for found, _ in files) + size
        for found, path in sorted(files, key=lambda pair: pair[0].st_mtime_ns):
            if total > self._most and path not in in_use:
                path.unlink(missing_ok=True)
                total -= found.st_size
        if total > self._most:
            most = f"{self._most / 1e9:.1f} GB"
            raise BadDataSet(f"{self.address}: these tables take more than the {most} of the cache")


def _own_cache() -> Path:
    """The folder for what can be fetched again, as the XDG Base Directory Specification has it."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    home = Path(named) if named.startswith("/") else Path.home() / ".cache"
    return home / "glasnost" / "data"


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_file()] if folder.is_dir() else []


def _patience(size: int) -> float:
    """The seconds within which so many bytes must come."""
    return SECONDS + size / SLOWEST


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
