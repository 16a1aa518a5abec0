"""What caches between may keep: `Cache-Control`, `Vary`, ETags with `If-None-Match`, and gzip.

Whatever a cache keeps it must ask for again (`no-cache`): a game changes with the program, and a name can be
forgotten.  What is told to one player is for that player's own cache (`private`).  An ETag is the hash of the
bytes that this viewer is told, so it fits whatever the answer depends on, and tells nothing else.

Only what everybody may see and what does not change any more is compressed.  The length of a compressed
answer tells something of what is in it, so nothing of a running match is.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import re
from collections import OrderedDict
from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response

from api.http.negotiation import takes_gzip

NEVER = "no-store"
_OWN, _SHARED = "private, no-cache", "public, no-cache"
_LEAST, _MOST = 1_024, 4 * 1024 * 1024  # bytes of a body that is compressed
_KEPT = 16 * 1024 * 1024  # bytes of compressed bodies in memory
_LEVEL = 6
_LARGE = 256 * 1024  # bytes that take a thread to hash
_HASH = 24  # hexadecimal digits of an ETag
_TAG = re.compile(r'(?:W/)?("[^"]*")')


class Packed:
    """Compressed bodies, the latest used ones: each is compressed once, and one at a time.

    Args:
        most: bytes that are kept.
    """

    def __init__(self, most: int = _KEPT) -> None:
        self._most, self.size = most, 0
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._busy = asyncio.Lock()

    async def of(self, tag: str, body: bytes) -> bytes | None:
        """The body in gzip; None where it is too small or too large, or where another is compressed just
        now: whoever asks gets it as it is.
        """
        if (kept := self._kept.get(tag)) is not None:
            self._kept.move_to_end(tag)
            return kept
        if self._busy.locked() or not _LEAST <= len(body) <= _MOST:
            return None
        async with self._busy:
            packed = await asyncio.to_thread(gzip.compress, body, _LEVEL, mtime=0)
        self._kept[tag] = packed
        self.size += len(packed)
        while self.size > self._most:
            self.size -= len(self._kept.popitem(last=False)[1])
        return packed


async def kept(
    request: Request, response: Response, packed: Packed, vary: Sequence[str], *, own: bool, final: bool
) -> Response:
    """An answer to GET as a cache may keep it; 304 where the client has it.

    Args:
        vary: the headers of the request on which the answer depends.
        own: it may be another's than that of somebody else who asks.
        final: everybody may see it, and it does not change any more.
    """
    head = response.headers
    head.add_vary_header(", ".join([*vary, "accept-encoding"] if final else vary))
    head.setdefault("cache-control", _OWN if own else _SHARED)
    if response.status_code != 200 or head["cache-control"] == NEVER:
        return response
    tag = head.get("etag") or await _tag(bytes(response.body))
    zipped = final and takes_gzip(_asked(request, "accept-encoding"))
    if _has(request, _zipped(tag) if zipped else tag):
        return _unchanged(response, _zipped(tag) if zipped else tag)
    if zipped and (body := await packed.of(tag, bytes(response.body))) is not None:
        response.body, tag = body, _zipped(tag)
        head["content-encoding"], head["content-length"] = "gzip", str(len(body))
    head["etag"] = tag
    return response


def weak(*parts: object) -> str:
    """The ETag of what follows from these, and is not put together before it is sent."""
    return f'W/"{hashlib.sha256(repr(parts).encode()).hexdigest()[:_HASH]}"'


async def _tag(body: bytes) -> str:
    large = len(body) > _LARGE
    digest = await asyncio.to_thread(hashlib.sha256, body) if large else hashlib.sha256(body)
    return f'"{digest.hexdigest()[:_HASH]}"'


def _zipped(tag: str) -> str:
    """The ETag of the same in gzip: other bytes have another one."""
    return f'{tag[:-1]}-gzip"'


def _has(request: Request, tag: str) -> bool:
    """Has the client what the ETag stands for?  Compared weakly, as RFC 9110, section 13.1.2, asks for."""
    asked = _asked(request, "if-none-match")
    return asked.strip() == "*" or tag.removeprefix("W/") in _TAG.findall(asked)


def _asked(request: Request, name: str) -> str:
    """A header that may come in several lines."""
    return ", ".join(request.headers.getlist(name))


def _unchanged(response: Response, tag: str) -> Response:
    head = {name: response.headers[name] for name in ("cache-control", "vary")}
    return Response(status_code=304, headers={**head, "etag": tag})
