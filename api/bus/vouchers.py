"""What one worker gives and any may honour: tickets for streams, kept in Redis for as long as they are good.

Each lies under the hash of the ticket, with a code over it (HMAC-SHA256) by a key of the store's own.  So who
reads Redis cannot use a ticket, and who writes to it cannot make one that opens somebody's view.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Any

from redis.asyncio import Redis

from api.bus.link import Link

_CODE = 32  # bytes


class Vouchers:
    """Small things by name, for a while.

    Args:
        link: to Redis.
        name: how their keys begin.
        key: 32 bytes that the workers share and Redis does not know.
    """

    def __init__(self, link: Link, name: str, key: bytes) -> None:
        self._link, self._name, self._key = link, name, key

    async def put(self, vouchers: dict[str, bytes], seconds: int) -> None:
        """Keep these, by name, for so long from now.

        Raises:
            Away.
        """

        async def put(redis: Redis) -> None:
            pipeline = redis.pipeline(transaction=False)
            for name, content in vouchers.items():
                pipeline.set(f"{self._name}:{name}", self._code(name, content) + content, ex=seconds)
            await pipeline.execute()

        if vouchers:
            await self._link.ask(put)

    async def get(self, name: str) -> bytes | None:
        """What lies under this name; None where there is nothing, or nothing of ours.

        Raises:
            Away.
        """

        async def get(redis: Redis) -> bytes | None:
            kept: Any = await redis.get(f"{self._name}:{name}")
            return None if kept is None else bytes(kept)

        kept = await self._link.ask(get)
        if kept is None or not hmac.compare_digest(kept[:_CODE], self._code(name, kept[_CODE:])):
            return None
        return kept[_CODE:]

    def _code(self, name: str, content: bytes) -> bytes:
        return hmac.digest(self._key, name.encode() + b"\n" + content, hashlib.sha256)
