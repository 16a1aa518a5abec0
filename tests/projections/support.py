"""What the tests of the read models share: a log of many matches at once, a fake store, rows in memory."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import psycopg
from msgspec import Struct

from api.store.postgres_connection import Address, hung_up
from domain.drafts import Draft
from domain.events import Opened
from domain.game import Game
from domain.games import GAMES
from domain.kernel import Refused, Result
from domain.log import PLAYED, Record, codec
from domain.match import Match
from projections.backend import Home
from projections.model import Change, Delivered, Gone, Key, Projection, R, Row, Rows, key_of
from projections.postgres import TABLES, Database
from projections.runner import PROJECTIONS, Runner
from projections.summary import Turn
from projections.turns import turns
from tests.briefs import brief
from tests.matches import Sitting
from tests.waiting import soon

LONG = 30.0  # seconds, for what is soon


class Item(Struct, frozen=True):
    """A record as a store hands it out."""

    position: int
    record: Record
    uploaded: bool = False
    claimed: bool = False


class FakeSource:
    """A store over a list; `again` records before the position asked for are delivered a second time."""

    def __init__(self, items: Iterable[Item] = (), *, again: int = 0) -> None:
        self.items = list(items)
        self._again = again
        self._watchers: list[Callable[[str, int], None]] = []

    def after(self, position: int, limit: int) -> Sequence[Item]:
        """See `Source.after`."""
        return self.items[max(position - self._again, 0) : position + limit]

    def brief(self, position: int, limit: int) -> Sequence[Item]:
        """See `Source.brief`."""
        return brief(self.after(position, limit))

    def last(self) -> int:
        """See `Source.last`."""
        return len(self.items)

    def watch(self, told: Callable[[str, int], None]) -> None:
        """See `Source.watch`."""
        self._watchers.append(told)

    def add(self, records: Iterable[Record], *, uploaded: bool = False, claimed: bool = False) -> None:
        """Commit more records."""
        for record in records:
            self.items.append(Item(len(self.items) + 1, record, uploaded, claimed))
        for told in self._watchers:
            told(self.items[-1].record.match, len(self.items))


def add(log: FakeSource, items: Iterable[Item]) -> None:
    """Commit what another log holds."""
    for item in items:
        log.add([item.record], uploaded=item.uploaded)


class MemoryRows:
    """Rows without a database."""

    def __init__(self) -> None:
        self.rows: dict[type[Row], dict[tuple[Key, ...], Any]] = {}

    def get(self, kind: type[R], *key: Key) -> R | None:
        """See `Rows.get`."""
        row: R | None = self.rows.get(kind, {}).get(key)
        return row

    def under(self, kind: type[R], *key: Key) -> list[R]:
        """See `Rows.under`."""
        kept = self.rows.get(kind, {})
        return [kept[whole] for whole in sorted(kept) if whole[: len(key)] == key]

    def apply(self, changes: Iterable[Change]) -> None:
        """Take the changes of one record in."""
        for change in changes:
            if isinstance(change, Gone):
                for key in [key_of(row) for row in self.under(change.kind, *change.key)]:
                    del self.rows[change.kind][key]
            else:
                self.rows.setdefault(type(change), {})[key_of(change)] = change

    def all(self, kind: type[R]) -> list[R]:
        """Every row of a kind, in the order of the keys."""
        return self.under(kind)


def folded(projection: Projection, items: Iterable[Item], rows: MemoryRows | None = None) -> MemoryRows:
    """The rows after these records, folded in memory."""
    rows = rows or MemoryRows()
    for item in items:
        if projection.takes(item.record):
            rows.apply(list(projection.fold(rows, item)))
    return rows


def items(records: Iterable[Record], *, uploaded: bool = False, claimed: bool = False) -> list[Item]:
    """Records as a store holding nothing else hands them out."""
    return [Item(position, record, uploaded, claimed) for position, record in enumerate(records, 1)]


def seated(
    game: Game, seed: int, players: Sequence[str], *, origin: str = "live", bots: Sequence[str] = ()
) -> Sitting:
    """A match of these players, seat by seat; `bots` names the players that the house plays."""
    sitting = Sitting(game, seed, origin=origin)
    for seat, player in zip(game.seats, players, strict=False):
        bot = "random" if player in bots else ""
        sitting.accept(sitting.match.sit(sitting.context, seat, player, salt=None, bot=bot, source=None))
    return sitting


class Hall:
    """Many matches at once, with takebacks, rulings, resignations and voids; `items` is what is stored."""

    def __init__(self, games: Sequence[Game], matches: int, seed: int) -> None:
        self.random = random.Random(seed)
        self.items: list[Item] = []
        self._open = [self._begin(self.random.choice(games), seed * 1_000 + i) for i in range(matches)]
        self._stored: dict[str, int] = {}

    def _begin(self, game: Game, number: int) -> Sitting:
        origin = self.random.choice(("live", "live", "live", "bots", "seeded"))
        players = self.random.sample(("ann", "bob", "cid", "dan", "eve"), len(game.seats))
        return seated(game, number, players, origin=origin, bots=("eve",))

    def play(self, moves: int | None = None) -> list[Item]:
        """Random commands, a match here and a match there: so many records, or until all are over."""
        while self._open and (moves is None or len(self.items) < moves):
            sitting = self.random.choice(self._open)
            self._command(sitting)
            if sitting.match.closed:
                self._open.remove(sitting)
            self._store(sitting.match)
        return self.items

    def _store(self, match: Match) -> None:
        for record in match.records[self._stored.get(match.id, 0) :]:
            stored = codec(match.game).read(match.id, record.stored)
            self.items.append(Item(len(self.items) + 1, stored, match.opened.origin == "seeded"))
        self._stored[match.id] = match.move

    def _command(self, sitting: Sitting) -> None:
        kinds = ("answer", "take_back", "rule_back", "resign", "result", "void")
        kind = self.random.choices(kinds, (300, 20, 20, 1, 1, 1))[0]
        try:
            getattr(self, f"_{kind}")(sitting)
        except Refused:  # what is refused changes nothing
            return

    def _answer(self, sitting: Sitting) -> None:
        sitting.random_answer()

    def _take_back(self, sitting: Sitting) -> None:
        one, other = sitting.match.game.seats
        asked = sitting.accept(sitting.match.ask_takeback(sitting.context, one))
        request, agree = asked.records[0].move, self.random.random() < 0.8
        sitting.accept(sitting.match.answer_takeback(sitting.context, other, request, agree))

    def _rule_back(self, sitting: Sitting) -> None:
        to = self.random.randint(1, sitting.match.move)
        self._rule(sitting, back_to=to)

    def _resign(self, sitting: Sitting) -> None:
        seat = self.random.choice(sitting.match.game.seats)
        sitting.accept(sitting.match.resign(sitting.context, seat))

    def _result(self, sitting: Sitting) -> None:
        winner = self.random.choice((None, *sitting.match.game.seats))
        self._rule(sitting, result=Result(winner, "adjudicated"))

    def _void(self, sitting: Sitting) -> None:
        self._rule(sitting, void=True)

    def _rule(self, sitting: Sitting, **ruling: Any) -> Draft:
        return sitting.accept(sitting.match.rule(sitting.context, "judge", "as agreed", **ruling))


class ChainRow(Row, frozen=True, kw_only=True):
    """A hash over every milestone of a match in the order of delivery: one lost or doubled makes another."""

    table: ClassVar[str] = "chain"
    key: ClassVar[tuple[str, ...]] = ("match",)

    match: str
    count: int = 0
    hash: str = ""


def chain_fold(rows: Rows, delivered: Delivered) -> Iterator[Change]:
    """One more link."""
    match = delivered.record.match
    if delivered.record.kind == PLAYED:
        return
    row = rows.get(ChainRow, match) or ChainRow(match=match)
    link = sha256(f"{row.hash} {delivered.position}".encode()).hexdigest()
    yield ChainRow(match=match, count=row.count + 1, hash=link)


WITH_CHAIN = (Projection("chain", 1, (ChainRow,), chain_fold), *PROJECTIONS)


def turns_of(sitting: Sitting) -> list[Turn]:
    """The turns of a match, as a reader gets them."""
    return list(turns(sitting.match, sitting.match.move))


def caught_up(items: Iterable[Item], home: Home | Path, **more: Any) -> None:
    """Fold a whole log into a file, or wherever else read models are, without a failure."""
    found: list[Runner] = []

    def leads() -> bool:
        runner = Runner(FakeSource(items), home, **more)
        if runner.moves:
            found.append(runner)
        else:  # the database has not let go of the lock of one that stopped
            runner.stop()
        return runner.moves

    soon(leads)
    (runner,) = found
    runner.catch_up()
    assert not [status for status in runner.status() if status.behind or status.failure]
    runner.stop()


def database_of(url: str, name: str = "glasnost") -> Database:
    """The read models in this PostgreSQL database."""
    address = Address(url)
    return Database(lambda _, settings: address.connect(name, settings), hung_up, address.away)


def dumped(where: Path | str, projections: Sequence[Projection] = PROJECTIONS) -> dict[str, list[Any]]:
    """Every row that a file, or the database at a URL, holds of the served generations, the fold's own memory
    included."""
    connection: Any
    if isinstance(where, Path):
        connection = sqlite3.connect(where)
    else:
        connection = psycopg.connect(where, options=f"-c search_path={TABLES}")
    served = dict(connection.execute("SELECT name, generation FROM generations WHERE served = 1").fetchall())
    found = {
        f"{projection.name}.{kind.table}": sorted(
            connection.execute(f"SELECT * FROM {kind.table}_{served[projection.name]}").fetchall()
        )
        for projection in projections
        for kind in projection.kinds
    }
    connection.close()
    return found


def write_log(items: Iterable[Item], path: Path) -> None:
    """Keep a log in a file, as the bytes that a store holds."""
    games: dict[str, str] = {}
    for item in items:
        entry = item.record.entry
        if isinstance(entry, Opened):
            games[entry.match] = entry.game
    rows = [
        (item.record.match, games[item.record.match], item.record.stored, item.uploaded) for item in items
    ]
    path.write_bytes(msgspec.msgpack.encode(rows))


def read_log(path: Path) -> list[Item]:
    """The log of such a file."""
    rows = msgspec.msgpack.decode(path.read_bytes(), type=list[tuple[str, str, bytes, bool]])
    return [
        Item(position, codec(GAMES[game]).read(match, stored), uploaded)
        for position, (match, game, stored, uploaded) in enumerate(rows, 1)
    ]


def plain(value: Any) -> Any:
    """A struct as plain values, to be compared: raw JSON has no equality of its own."""
    return msgspec.json.decode(msgspec.json.encode(value))
