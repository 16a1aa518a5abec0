"""What one worker gives and any may honour: tickets for streams, kept in Redis for as long as they are good.

Each lies under the hash of the ticket, with a code over it (HMAC-SHA256) by a key of the store's own.  So who
reads Redis cannot use a ticket, and who writes to it cannot make one that opens somebody's view; nor can he
put back one whose time is over, for the code is over that time, too.  The time is that of Redis, so that the
clocks of the workers need not agree.
"""

from __future__ import annotations

import hashlib
import hmac

from redis.asyncio import Redis

from api.bus.link import Link

_CODE, _TIME = 32, 8  # bytes


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
            now, _ = await redis.time()
            until = (now + seconds).to_bytes(_TIME, "big")
            pipeline = redis.pipeline(transaction=False)
            for name, content in vouchers.items():
                kept = until + content
                pipeline.set(f"{self._name}:{name}", self._code(name, kept) + kept, ex=seconds)
            await pipeline.execute()

        if vouchers:
            await self._link.ask(put)

    async def get(self, name: str) -> bytes | None:
        """What lies under this name; None where there is nothing, or nothing of ours.

        Raises:
            Away.
        """

        async def get(redis: Redis) -> tuple[bytes | None, tuple[int, int]]:
            pipeline = redis.pipeline(transaction=False)
            pipeline.get(f"{self._name}:{name}")
            pipeline.time()
            kept, now = await pipeline.execute()
            return kept, now

        found, (now, _) = await self._link.ask(get)
        if found is None:
            return None
        code, kept = found[:_CODE], found[_CODE:]
        if not hmac.compare_digest(code, self._code(name, kept)):
            return None
        return kept[_TIME:] if now <= int.from_bytes(kept[:_TIME], "big") else None

    def _code(self, name: str, kept: bytes) -> bytes:
        return hmac.digest(self._key, name.encode() + b"\n" + kept, hashlib.sha256)
