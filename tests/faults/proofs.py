"""What must be true after every fault.

*   No acknowledged move is lost: each is in the store, with the root that the answer told.
*   No half move: positions and moves have no gap; what is stored together is there together.
*   No move was shown that is not stored; subscribers were shown every move once, in order.
*   Every match verifies.
*   The read models equal those that are built from nothing, table by table.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from api.store.sql import SqlStore
from domain.events import Closed, SecretOpened
from domain.log import b64
from domain.match import Match
from projections.runner import Runner
from replay.verify import verify_records
from tests.api.http.served import Client
from tests.faults.load import Acknowledged, Crowd
from tests.faults.watching import Watcher
from tests.faults.workers import Door, Workers
from tests.projections.support import database_of, dumped

Known = Mapping[str, Sequence[Acknowledged]]


class Proof(Struct, frozen=True):
    """What was compared: matches and moves stored, moves acknowledged, moves shown, streams opened."""

    matches: int
    moves: int
    acknowledged: int
    shown: int
    streams: int

    def __str__(self) -> str:
        return (
            f"{self.moves} moves of {self.matches} matches stored and verified;"
            f" {self.acknowledged} acknowledged, none lost;"
            f" {self.shown} shown in {self.streams} streams, none twice"
        )


def proved(workers: Workers, crowd: Crowd, scratch: Path) -> Proof:
    """End the load, compare everything, stop the workers, and compare what they leave.

    Args:
        workers: all of them run.
        scratch: a folder for read models that are built from nothing.
    """
    crowd.stop()
    watchers = crowd.watchers
    for watcher in watchers:
        follows(watcher, workers.doors[0])
    workers.stop()
    known, store = crowd.acknowledged, workers.place.open(write=False)
    try:
        matches = holds(store, known)
        rebuilt(store, workers.models, scratch)
    finally:
        store.close()
    return Proof(
        len(matches),
        sum(match.move for match in matches),
        sum(map(len, known.values())),
        sum(len(watcher.shown) for watcher in watchers),
        sum(watcher.streams for watcher in watchers),
    )


def follows(watcher: Watcher, door: Door) -> None:
    """Check that a subscriber got every move up to the last one, once, in order, and as it is stored."""
    client = Client(door[1], host=door[0])
    path = f"/v1/matches/{watcher.match}/moves"
    moves = [json.loads(line) for line in client.get(path, accept="application/x-ndjson").body.splitlines()]
    client.close()
    assert [move["move"] for move in moves] == list(range(1, len(moves) + 1))
    assert [number for number, _ in watcher.shown] == list(range(1, len(watcher.shown) + 1))
    assert [data for _, data in watcher.shown] == moves[: len(watcher.shown)]


def holds(store: SqlStore, known: Known) -> list[Match]:
    """The store holds what was acknowledged, nothing half, and nothing that does not verify; its matches."""
    _without_gaps(store)
    matches = [match for name in store.matches() if (match := store.match(name))]
    requests = _requests(store)
    for match in matches:
        verified(store, match)
        _whole(store, match)
        _answered(match, requests.get(match.id, {}))
    _acknowledged({match.id: match for match in matches}, requests, known)
    _nothing_alone(store, {match.id for match in matches})
    return matches


def verified(store: SqlStore, match: Match) -> None:
    """Every question of `verify` is answered with yes."""
    report = verify_records(match.records, store.note(match.id) or "", secret=store.secret(match.id))
    assert report.ok, report


def rebuilt(store: SqlStore, models: Path | str, scratch: Path) -> None:
    """Read models hold, table by table, what a file holds that is built from nothing."""
    anew = scratch / "from-nothing.db"
    for home in (models if isinstance(models, Path) else database_of(models), anew):
        runner = Runner(store, home)
        runner.catch_up()
        assert not [status for status in runner.status() if status.behind or status.failure]
        runner.stop()
    ours, theirs = dumped(models), dumped(anew)
    for table in theirs:
        assert ours[table] == theirs[table], table
    anew.unlink()


def _without_gaps(store: SqlStore) -> None:
    """The positions follow one another, and so do the moves of each match."""
    position, moves = 0, Counter[str]()
    while found := store.after(position, 10_000):
        for one in found:
            position, before = position + 1, moves[one.record.match]
            assert (one.position, one.record.move) == (position, before + 1)
            moves[one.record.match] += 1
    assert position == store.last()


def _whole(store: SqlStore, match: Match) -> None:
    """What is stored in one transaction is there as a whole: a match's end, its note, its secret."""
    last = match.records[-1].entry
    assert not isinstance(last, SecretOpened), match.id
    assert (match.status == "over") == isinstance(last, Closed) == bool(store.note(match.id)), match.id
    assert store.secret(match.id) is not None, match.id


def _requests(store: SqlStore) -> dict[str, dict[str, Any]]:
    """The answered requests of each match, by key."""
    found: dict[str, dict[str, Any]] = {}
    for scope, key, answer in store.rows("SELECT scope, key, answer FROM requests"):
        found.setdefault(scope.rpartition(" ")[2], {})[key] = json.loads(bytes(answer))
    return found


def _answered(match: Match, requests: Mapping[str, Any]) -> None:
    """Check that the answers to repeated requests name moves that are stored."""
    assert all(request["last"] <= match.move for request in requests.values()), match.id


def _acknowledged(matches: Mapping[str, Match], requests: Mapping[str, Any], known: Known) -> None:
    for name, acknowledged in known.items():
        assert name in matches, name
        roots = [b64(root) for root in matches[name].roots]
        for one in acknowledged:
            assert roots[one.move - 1 : one.move] == [one.root], (name, one)
            assert not one.key or one.key in requests.get(name, {}), (name, one)


def _nothing_alone(store: SqlStore, matches: set[str]) -> None:
    """No secret and no note is there without its match."""
    for table in ("vault", "notes"):
        assert {row[0] for row in store.rows(f"SELECT match FROM {table}")} <= matches, table
