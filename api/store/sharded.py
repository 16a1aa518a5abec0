"""A store that is divided: matches lie in several stores, each wholly in one of them (see `shard_map`).

People, tokens and whatever else is of no match lie in the first one, home.  Each shard has an order of moves
of its own; there is none over all.  A shard that is away refuses what concerns its own matches, and is tried
again; the others go on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import TypeVar

from api.store.base import SqlStore
from api.store.keys import KeyRing
from api.store.seam import (
    Append,
    Figures,
    Lag,
    Lately,
    Log,
    Outdated,
    People,
    Remembered,
    Reservations,
    StoreError,
    Told,
    Unavailable,
    Uploads,
)
from api.store.shard_bonds import bind, bind_home, bonds, may_become, must_name_all
from api.store.shard_map import Shard, ShardMap
from api.store.shard_part import AWAY, Part
from api.store.single import REPLICA, key_folder, open_one
from domain.glimpse import Glimpse
from domain.log import Record
from domain.match import Match
from domain.notes import Signed

T = TypeVar("T")


class ShardedStore:
    """See `api.store.seam.Store`; open it with `ShardedStore.open` and close it.

    Args:
        map: where matches lie.
        home: the store of the first shard.
        parts: the shards by name, in the order of the map.
        shared: may other processes write, too?
    """

    def __init__(self, map: ShardMap, home: SqlStore, parts: Mapping[str, Part], *, shared: bool) -> None:
        self.map, self.parts, self.shared = map, parts, shared
        self._logs: dict[str, Log] = {**parts}
        self._home = home
        self.people: People = home.people
        self.uploads: Uploads = home.uploads
        self.name = home.name
        self._taken_over = False  # by a newer version, as far as is known

    @classmethod
    def open(
        cls, file: Path, *, keys: Path | None = None, write: bool = True, name: str | None = None
    ) -> ShardedStore:
        """Open the stores that the map in `file` names, or make those that are new; with `write` false they
        are only read.

        All have the keys of the first one: `keys` is their folder (else GLASNOST_KEYS, else the one beside
        the first store, where that is a directory).

        Raises:
            StoreError: the map is wrong, or not the one that a shard was opened with; home cannot be
                opened, or another shard for a reason that will not pass.  The text says the way out.
        """
        if os.environ.get(REPLICA):
            raise StoreError(f"{REPLICA} is of one database: name each shard's replica in {file}")
        map = ShardMap.read(file)
        keys = keys or key_folder(map.place(map.home))

        def opened(shard: Shard) -> SqlStore:
            return open_one(map.place(shard), keys=keys, write=write, name=name, replica=shard.replica)

        with ExitStack() as opening:
            home = opened(map.home)
            opening.callback(home.close)
            if write and not bonds(home):
                _see_that_all_fit(map, home, opened)
            bind_home(map, home, write=write)

            def part(shard: Shard) -> Part:
                return Part(shard.name, lambda: _bound(map, shard, home, opened(shard), write=write))

            parts = {shard.name: part(shard) for shard in map.shards[1:]}
            for one in parts.values():
                opening.callback(one.close)
                one.begin()
            opening.pop_all()
        shared = any(isinstance(map.place(shard), str) for shard in map.shards)
        return cls(map, home, {map.home.name: _at_hand(map.home.name, home)} | parts, shared=shared)

    @property
    def home(self) -> Path | None:
        """The folder where files that go with the store may lie: that of home, where it has one."""
        return self._home.home

    @property
    def keys(self) -> KeyRing:
        """The ring of keys that sign checkpoints."""
        return self._home.keys

    def note_signing(self) -> None:
        """See `SqlStore.note_signing`; a shard that is away notes it when it is opened again."""
        for store in self._present():
            store.note_signing()

    def own_keys(self) -> KeyRing:
        """The same, under whichever name; see `SqlStore.own_keys`."""
        return self._home.own_keys()

    @property
    def key_folder(self) -> Path:
        """Where the keys lie; see `SqlStore.key_folder`."""
        return self._home.key_folder

    def announce(self, address: str) -> None:
        """Tell processes that come later under which HTTP address this store is served."""
        for store in self._present():
            store.announce(address)

    def _present(self) -> list[SqlStore]:
        """The stores of the shards that are open; one that went away since is among them."""
        return [part.at_hand for part in self.parts.values() if part.at_hand is not None]

    # ── one match ──

    def _of(self, match: str) -> Part:
        """The shard in which a match lies; what is asked of it may raise Unavailable."""
        return self.parts[self.log_of(match)]

    def named(self, match: str) -> str:
        """See `Store.named`."""
        return self.map.named(match)

    def submit(self, append: Append) -> Future[int]:
        """See `Store.submit`; the position is that of the shard's own log.

        It never waits, so a shard that is still away is opened by whoever asks it something.
        """
        store = self._of(append.records[0].match).at_hand
        if store is not None:
            return store.submit(append)
        refused: Future[int] = Future()
        refused.set_exception(Unavailable(AWAY))
        return refused

    def match(self, match: str) -> Match | None:
        """See `Store.match`."""
        return self._of(match).ask(lambda store: store.match(match))

    def glimpse(self, match: str, move: int) -> Glimpse | None:
        """See `Store.glimpse`."""
        return self._of(match).ask(lambda store: store.glimpse(match, move))

    def since(self, match: str, move: int) -> list[Record]:
        """See `Store.since`."""
        return self._of(match).ask(lambda store: store.since(match, move))

    def secret(self, match: str) -> bytes | None:
        """See `Store.secret`."""
        return self._of(match).ask(lambda store: store.secret(match))

    def remembered(self, scope: str, key: str) -> Remembered | None:
        """See `Store.remembered`: it lies with its match."""
        part = self._of(scope.rpartition(" ")[2])
        return part.ask(lambda store: store.remembered(scope, key))

    def note(self, match: str) -> str | None:
        """See `Store.note`."""
        return self._of(match).ask(lambda store: store.note(match))

    def signer(self, match: str) -> str | None:
        """See `Store.signer`."""
        return self._of(match).ask(lambda store: store.signer(match))

    def proof(self, match: str) -> Signed | None:
        """See `Store.proof`."""
        return self._of(match).ask(lambda store: store.proof(match))

    def reservations(self, match: str) -> Reservations:
        """See `Store.reservations`."""
        return self._of(match).ask(lambda store: store.reservations(match))

    def reserve(self, match: str, move: int, reservations: Reservations) -> None:
        """See `Store.reserve`."""
        self._of(match).ask(lambda store: store.reserve(match, move, reservations))

    def lately(self, match: str, move: int) -> Lately | None:
        """See `Store.lately`."""
        return self._of(match).ask(lambda store: store.lately(match, move))

    # ── all of them ──

    @property
    def logs(self) -> Mapping[str, Log]:
        """See `Store.logs`: one for each shard."""
        return self._logs

    def log_of(self, match: str) -> str:
        """See `Store.log_of`."""
        return self.map.of(match)

    def matches(self) -> Iterator[str]:
        """See `Store.matches`.

        Raises:
            Unavailable: a shard is away.
        """
        for part in self.parts.values():
            yield from part.ask(lambda store: store.matches())

    def last(self) -> int:
        """See `Store.last`: in those shards that answer."""
        return sum(self._answers(lambda store: store.last()))

    def watch(self, told: Told) -> None:
        """See `Store.watch`."""
        for part in self.parts.values():
            part.watch(told)

    @property
    def figures(self) -> list[Figures]:
        """See `Store.figures`."""
        return [figures for store in self._present() for figures in store.figures]

    def probe(self) -> None:
        """See `Store.probe`: of home.  The matches of all others go on while another shard is away.

        A worker whose map lacks a shard that was added meanwhile would take its matches for home's.
        """
        try:
            self._home.probe()
        except Outdated:
            self._taken_over = True
            self._probe_the_others()
            raise
        if self._taken_over:  # and is given back, as by a restore
            self._taken_over = False
            self._probe_the_others()
        must_name_all(self.map, self._home)

    def _probe_the_others(self) -> None:
        """Whoever has migrated home has migrated these, too: they notice it only when they are asked."""
        for store in self._present():
            if store is not self._home:
                with suppress(StoreError):
                    store.probe()

    def size(self) -> int:
        """See `Store.size`: of those shards that answer."""
        return sum(self._answers(lambda store: store.size()))

    def lag(self) -> Lag | None:
        """See `Store.lag`: of the replica that is furthest behind."""
        lags = [lag for lag in self._answers(lambda store: store.lag()) if lag is not None]
        return max(lags, key=lambda lag: (lag.seconds is None, lag.seconds or 0.0, lag.moves), default=None)

    def _answers(self, question: Callable[[SqlStore], T]) -> Iterator[T]:
        """What each shard answers that does; one that did not lately is not asked."""
        for part in [part for part in self.parts.values() if not part.is_away]:
            try:
                yield part.ask(question)
            except StoreError:
                continue

    def hang_up(self) -> None:
        """See `SqlStore.hang_up`."""
        for part in self.parts.values():
            part.hang_up()

    def close(self) -> None:
        """See `Store.close`."""
        for part in self.parts.values():
            part.close()


def _see_that_all_fit(map: ShardMap, home: SqlStore, opened: Callable[[Shard], SqlStore]) -> None:
    """A map that is refused must not have changed what it names: home could not be used by itself again."""
    for shard in map.shards[1:]:
        with suppress(Unavailable), closing(opened(shard)) as store:
            may_become(map, shard, home, store)


def _at_hand(name: str, store: SqlStore) -> Part:
    """A shard whose store is open."""
    part = Part(name, lambda: store)
    part.begin()
    return part


def _bound(map: ShardMap, shard: Shard, home: SqlStore, store: SqlStore, *, write: bool) -> SqlStore:
    """The store of a shard, once it is certain that it is that."""
    try:
        bind(map, shard, home, store, write=write)
    except BaseException:
        store.close()
        raise
    return store
