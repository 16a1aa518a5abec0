"""Scoreboards in Redis: copies of the read models, moved along by whichever worker is first.

Each worker compares its own read models with what it knew, and hands the rows that differ to a script, which
refuses what another worker has brought already.  Where something is missing in Redis, a worker builds all
boards anew beside the old ones and then changes over.  An answer is taken from here only where it holds
everything that is committed; it then has the same bytes as one of the read models.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from redis.asyncio import Redis

from api.bus.board_scripts import BESIDE, GAP, MOVE, MOVED, READ, SWAP
from api.bus.link import Away, Link
from api.store.seam import Log, StoreError
from projections import read
from projections.board_changes import VERSION, Board, BoardChanges, board_changes
from projections.boards import StandingRow, TotalsRow
from projections.catalogue import mark

EVERY = 0.25  # seconds between two looks at the read models, at least
_SHARE = 10  # and at least so many times as long as a look takes
_MOST = 2_000  # rows in one move: more than that are built anew
_PIECE = 1_000  # rows of a new generation in one call
_UNFINISHED = 600  # seconds that a generation may take, else it is thrown away
_HALF, _WIDTH = 2**32, 10  # numbers from -2^32 up, in ten digits
_encode = msgspec.json.Encoder(order="sorted").encode
_row = msgspec.json.Encoder().encode
_log = logging.getLogger("glasnost.bus")


class Answer(Struct, frozen=True):
    """A page of a board."""

    totals: list[TotalsRow]
    page: read.Page[StandingRow]


class _Known(Struct):
    """The boards as this worker saw them last, and the positions then; of the rows only hashes."""

    positions: dict[str, int] = {}
    totals: dict[Board, TotalsRow] = {}
    rows: dict[Board, dict[str, int]] = {}


class Boards:
    """The scoreboards of one store.

    Args:
        link: to Redis.
        name: how their keys begin.
        models: the file of this worker's read models.
        logs: the logs of the store.
        lasts: the positions of their last records; it may read the store.
        clock: seconds that never run backwards.
    """

    def __init__(
        self,
        link: Link,
        name: str,
        models: Path,
        logs: Mapping[str, Log],
        lasts: Callable[[], Mapping[str, int]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._link, self._name = link, f"{name}:boards:{VERSION}"
        self._models, self._logs, self._lasts, self._clock = models, logs, lasts, clock
        self._known, self._trusted = _Known(), False
        self._lost = False  # did a reader find that a part is missing?

    # ── reading ──

    async def read(self, board: Board, page: read.Asked) -> Answer | None:
        """A page of a board with everything that is committed now; None where Redis cannot give it."""
        try:
            after = read.place_after(page)
        except read.BadQuery:  # the read models say what is wrong
            return None
        if not self._trusted or (after and not -_HALF <= min(after[:2]) <= max(after[:2]) < _HALF):
            return None
        lasts = await asyncio.to_thread(self._lasts)
        asked = [_encode(lasts), _named(board), _member(*after) if after else "", page.limit + 1]
        try:
            found = await self._run(READ, asked)
            self._lost = self._lost or found == GAP
            return None if found in (None, GAP) else _answer(found, page)
        except (Away, msgspec.DecodeError, UnicodeDecodeError):  # the read models can
            return None

    # ── moving ──

    async def run(self) -> None:
        """Move the boards along for ever."""
        while True:
            began = self._clock()
            try:
                await self.move()
            except Away:
                self._trusted = False  # it may come back with what it once held
            except (StoreError, sqlite3.Error, msgspec.ValidationError) as error:
                _log.info("the boards wait", extra={"reason": type(error).__name__})
            await asyncio.sleep(max(EVERY, _SHARE * (self._clock() - began)))

    async def move(self) -> int:
        """Bring to Redis what this worker knows more; how that ended (see `board_scripts`).

        Raises:
            Away.
            StoreError, sqlite3.Error: the store or the read models cannot be read.
        """
        if not self._trusted:
            await self._throw_away_what_never_was()
        changes = await asyncio.to_thread(self._look, self._known.totals)
        if changes is None:
            return BESIDE
        known, rows = _after(self._known, changes)
        ended = GAP if self._lost or len(rows) > _MOST else await self._hand_over(changes, known, rows)
        if ended == GAP:
            return await self._build()
        if ended != BESIDE:
            self._known = known
        return ended

    async def _hand_over(
        self, changes: BoardChanges, known: _Known, rows: list[tuple[Board, StandingRow]]
    ) -> int:
        totals = [word for board, row in changes.totals.items() for word in (_named(board), _row(row))]
        moved = [word for board, row in rows for word in _words(board, row)]
        given = [_encode(self._known.positions), _encode(known.positions), _encode(changes.places)]
        ended: int = await self._run(MOVE, [*given, len(changes.totals), *totals, *moved])
        return ended

    async def _build(self) -> int:
        """Build all boards anew, and let them take the place of those that are there."""
        changes = await asyncio.to_thread(self._look, {})
        if changes is None:
            return BESIDE
        generation = secrets.token_hex(4)
        for board, standings in changes.standings.items():
            for start in range(0, len(standings), _PIECE):
                await self._put(
                    f"{self._name}:{generation}:{_named(board)}", standings[start : start + _PIECE]
                )
        sizes = [
            word
            for board, row in changes.totals.items()
            for word in (_named(board), len(changes.standings[board]), _row(row))
        ]
        known, _ = _after(_Known(), changes)
        ended: int = await self._run(
            SWAP, [generation, _encode(known.positions), _encode(changes.places), *sizes]
        )
        if ended == MOVED:
            self._known, self._lost = known, False
        return ended

    async def _put(self, stem: str, standings: Sequence[StandingRow]) -> None:
        async def put(redis: Redis) -> None:
            pipeline = redis.pipeline(transaction=False)
            members: dict[Any, Any] = {_member_of(row): 0 for row in standings}
            rows: dict[Any, Any] = {
                row.player: _member_of(row).encode() + b"\n" + _row(row) for row in standings
            }
            pipeline.zadd(f"{stem}:order", members)
            pipeline.hset(f"{stem}:rows", mapping=rows)
            for what in ("order", "rows"):
                pipeline.expire(f"{stem}:{what}", _UNFINISHED)
            await pipeline.execute()

        await self._link.ask(put)

    async def _throw_away_what_never_was(self) -> None:
        """Boards of a store that was since restored to an earlier time hold what is no longer stored.

        A store is restored while no worker runs, so this is looked at once, and again where Redis was away:
        that may have been restored, too.
        """

        async def places(redis: Redis) -> Any:
            found: Any = redis.hget(f"{self._name}:now", "places")
            return await found

        found = await self._link.ask(places)
        if found is not None and not await asyncio.to_thread(self._is_stored, found):
            _log.warning("scoreboards of what is not stored: thrown away", extra={"boards": self._name})
            await self._link.ask(lambda redis: redis.delete(f"{self._name}:now"))
        self._trusted = True

    def _is_stored(self, places: bytes) -> bool:
        try:
            told = msgspec.json.decode(places, type=dict[str, tuple[int, str]])
        except msgspec.DecodeError:
            return False
        return all(log in self._logs and _holds(self._logs[log], *place) for log, place in told.items())

    def _look(self, known: Mapping[Board, TotalsRow]) -> BoardChanges | None:
        connection = read.connect(self._models)
        try:
            return board_changes(connection, known)
        finally:
            connection.close()

    async def _run(self, script: str, given: Sequence[Any]) -> Any:
        async def run(redis: Redis) -> Any:
            return await redis.register_script(script)(keys=[self._name], args=list(given))

        return await self._link.ask(run)


def _after(known: _Known, changes: BoardChanges) -> tuple[_Known, list[tuple[Board, StandingRow]]]:
    """What is known after these changes, and the rows that are others than before."""
    positions = {log: position for log, (position, _) in changes.places.items()}
    rows = {
        board: {row.player: hash(_row(row)) for row in found} for board, found in changes.standings.items()
    }
    changed = [
        (board, row)
        for board, found in changes.standings.items()
        for row in found
        if known.rows.get(board, {}).get(row.player) != rows[board][row.player]
    ]
    return _Known(positions, {**known.totals, **changes.totals}, {**known.rows, **rows}), changed


def _holds(log: Log, position: int, marked: str) -> bool:
    found = log.after(position - 1, 1)
    return any(stored.position == position and mark(stored.record) == marked for stored in found)


def _named(board: Board) -> str:
    return _row(board).decode()


def _member_of(row: StandingRow) -> str:
    return _member(row.rating, row.won, row.player)


def _member(rating: int, won: int, player: str) -> str:
    """Text whose bytes are ordered as `read.standings` orders: by rating, by matches won, by id."""
    return f"{rating + _HALF:0{_WIDTH}d}{won + _HALF:0{_WIDTH}d}{player}"


def _words(board: Board, row: StandingRow) -> Iterator[str | bytes]:
    yield from (_named(board), row.player, _member_of(row), _row(row))


def _answer(found: Sequence[bytes], page: read.Asked) -> Answer:
    totals = [msgspec.json.decode(found[0], type=TotalsRow)] if found[0] else []
    rows = [msgspec.json.decode(row, type=StandingRow) for row in found[1:]]
    return Answer(totals, read.standings_page(rows, page))
