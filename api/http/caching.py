"""HTTP caching: `Cache-Control`, `Vary`, ETags with `If-None-Match`, and gzip.

A cache must revalidate everything that it keeps (`no-cache`): a game changes with the program, and a name
can be forgotten.  An answer for one player is for that player's own cache (`private`).  An ETag is the hash
of the bytes of this answer, so it covers everything that the answer depends on, and reveals nothing else.

Only public answers that do not change any more are compressed.  The length of a compressed answer reveals
something of its content, so no answer about a running match is compressed.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import re
from collections.abc import Sequence

from cachetools import LRUCache
from starlette.requests import Request
from starlette.responses import Response

from api.http.decoding import takes_gzip

NEVER = "no-store"
IMMUTABLE = "public, max-age=31536000, immutable"
"""For what lies at an address with the hash of its content: another content has another address."""
_OWN, _SHARED = b"private, no-cache", b"public, no-cache"
_LEAST, _MOST = 1_024, 4 * 1024 * 1024  # bytes of a body that is compressed
_KEPT = 16 * 1024 * 1024  # bytes of compressed bodies in memory
_LEVEL = 9
_LARGE = 256 * 1024  # bytes that take a thread to hash
HASH = 24  # hexadecimal digits of an ETag
_TAG = re.compile(r'(?:W/)?("[^"]*")')


class Packed:
    """An LRU cache of compressed bodies: each is compressed once, and one at a time.

    Args:
        most: bytes that are kept.
    """

    def __init__(self, most: int = _KEPT) -> None:
        self._kept: LRUCache[str, bytes] = LRUCache(most, getsizeof=len)
        self._busy = asyncio.Lock()

    async def of(self, tag: str, body: bytes) -> bytes | None:
        """Return the body in gzip; None if it is too small or too large, or if another body is being
        compressed now: then the caller sends it uncompressed.
        """
        if (kept := self._kept.get(tag)) is not None:
            return kept
        if self._busy.locked() or not _LEAST <= len(body) <= _MOST:
            return None
        async with self._busy:
            packed = await asyncio.to_thread(gzip.compress, body, _LEVEL, mtime=0)
        self._kept[tag] = packed
        return packed


async def kept(
    request: Request, response: Response, packed: Packed, vary: Sequence[str], *, own: bool, final: bool
) -> Response:
    """Return an answer to GET with its caching headers; 304 if the client has it already.

    Args:
        vary: the headers of the request on which the answer depends.
        own: the answer may differ for another client.
        final: the answer is public and does not change any more.
    """
    head = dict(response.raw_headers)
    earlier = (head[b"vary"].decode(),) if b"vary" in head else ()
    head[b"vary"] = ", ".join([*earlier, *vary, "accept-encoding"] if final else [*earlier, *vary]).encode()
    control = head.setdefault(b"cache-control", _OWN if own else _SHARED)
    if response.status_code == 200 and control != NEVER.encode():
        tag = head[b"etag"].decode() if b"etag" in head else await _tag(bytes(response.body))
        zipped = final and takes_gzip(_asked(request, b"accept-encoding"))
        if _has(request, _zipped(tag) if zipped else tag):
            same = {"cache-control": control.decode(), "vary": head[b"vary"].decode()}
            return Response(status_code=304, headers={**same, "etag": _zipped(tag) if zipped else tag})
        if zipped and (body := await packed.of(tag, bytes(response.body))) is not None:
            response.body, tag = body, _zipped(tag)
            head |= {b"content-encoding": b"gzip", b"content-length": b"%d" % len(body)}
        head[b"etag"] = tag.encode()
    response.raw_headers[:] = head.items()
    return response


def weak(*parts: object) -> str:
    """The ETag of what follows from these, and is not put together before it is sent."""
    return f'W/"{hashlib.sha256(repr(parts).encode()).hexdigest()[:HASH]}"'


async def _tag(body: bytes) -> str:
    large = len(body) > _LARGE
    return f'"{await asyncio.to_thread(hash_of, body) if large else hash_of(body)}"'


def hash_of(body: bytes) -> str:
    """The hash of a body, as its ETag has it."""
    return hashlib.sha256(body).hexdigest()[:HASH]


def _zipped(tag: str) -> str:
    """The ETag of the same in gzip: other bytes have another one."""
    return f'{tag[:-1]}-gzip"'


def _has(request: Request, tag: str) -> bool:
    """Has the client what the ETag stands for?  Compared weakly, as RFC 9110, section 13.1.2, asks for."""
    asked = _asked(request, b"if-none-match")
    return bool(asked) and (asked.strip() == "*" or tag.removeprefix("W/") in _TAG.findall(asked))


def _asked(request: Request, wanted: bytes) -> str:
    """A header that may come in several lines."""
    return ", ".join([value.decode("latin-1") for name, value in request.scope["headers"] if name == wanted])
