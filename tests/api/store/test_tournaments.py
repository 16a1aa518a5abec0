"""Tournaments in both stores: read back, judged by the same order, passed over by who follows matches."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from api.store.backup import backup, restore
from api.store.interface import Append, Conflict, Exists
from api.store.sql import SqlStore
from api.store.sqlite import SqliteStore
from domain.game import Game
from domain.log import TOURNAMENT
from domain.tournaments import commands as c
from domain.tournaments.terms import Terms
from projections.runner import Runner
from tests.api.gate.tournaments import Cup, closed_while_it_ends
from tests.api.store.locations import Place
from tests.domain.tournaments.random_play import PEOPLE, carried_out, started

TERMS = Terms(game="toy", format="swiss", rounds=3)


def test_a_tournament_is_read_back_as_it_was_written(store: SqlStore, toy_game: Game) -> None:
    log, secret = started(TERMS)
    store.submit(Append(log.records, secret=secret.bytes)).result()
    for actor in PEOPLE[:3]:
        carried_out(log, secret, c.EnterTournament(), actor)
    store.submit(Append(log.records[1:])).result()
    found = store.tournament(log.id)
    assert found is not None
    assert (found.roots, found.state) == (log.roots, log.state)
    assert store.secret(log.id) == secret.bytes
    assert [record.stored for record in store.since(log.id, 2)] == [r.stored for r in log.records[2:]]
    assert list(store.tournaments()) == [log.id]


def test_an_entry_must_follow_the_last_one(store: SqlStore, toy_game: Game) -> None:
    log, secret = started(TERMS)
    store.submit(Append(log.records, secret=secret.bytes)).result()
    assert isinstance(store.submit(Append(log.records, secret=secret.bytes)).exception(), Exists)
    carried_out(log, secret, c.EnterTournament(), PEOPLE[0])
    carried_out(log, secret, c.EnterTournament(), PEOPLE[1])
    assert isinstance(store.submit(Append(log.records[2:])).exception(), Conflict)
    assert store.last() == 1


def test_a_tournament_is_no_match(store: SqlStore, toy_game: Game) -> None:
    log, secret = started(TERMS)
    store.submit(Append(log.records, secret=secret.bytes)).result()
    assert store.match(log.id) is None
    assert store.partial_match(log.id, 1) is None
    assert list(store.matches()) == []
    assert store.unclosed() == []
    assert store.tournament("nowhere") is None


def test_the_read_models_pass_over_tournaments(store: SqlStore, toy_game: Game, tmp_path: Path) -> None:
    asyncio.run(_played(Cup(store)))
    runner = Runner(store, tmp_path / "models.db")
    runner.catch_up()
    assert all(one.failure is None for one in runner.status())
    assert runner.wait(store.last(), 0)
    runner.stop()
    topics = {stored.record.topic for stored in store.after(0, 100)}
    assert topics == {TOURNAMENT, "toy"}


async def _played(cup: Cup) -> None:
    await cup.announced(2)
    await cup.paired()
    await cup.results()


def test_a_round_over_a_real_store_gives_results_once(store: SqlStore, toy_game: Game) -> None:
    async def work() -> None:
        cup = Cup(store)
        await _played(cup)
        roots = (await cup.log()).roots
        cup.restart()
        await cup.follower.tick()
        await cup.follower.tick(everything=True)
        assert (await cup.log()).roots == roots
        board = (await cup.state()).rounds[0].boards[0]
        assert board.confirmed == "verify"

    asyncio.run(work())


@pytest.mark.parametrize("runs", [6, pytest.param(250, marks=pytest.mark.long)])
def test_a_closed_round_and_a_finishing_game_agree(store: SqlStore, toy_game: Game, runs: int) -> None:
    ends = {asyncio.run(closed_while_it_ends(store, seed)) for seed in range(runs)}
    assert ends <= {"ruling", "resignation"}
    assert ends


def test_two_processes_share_a_tournament(place: Place, toy_game: Game) -> None:
    store = place.open()

    async def work() -> None:
        one, other = await Cup(store).announced(2), Cup(store)  # two gates: only one of them has written it
        other.id = one.id
        assert (await other.log()).roots == (await one.log()).roots
        await one.do(c.DrawLot(label="lot/tie/n1", n=9))
        if not store.shared:  # then it is read when another process opens the store
            other.restart()
        await other.do(c.DrawLot(label="lot/tie/n2", n=9))
        if not store.shared:
            one.restart()
        assert (await one.log()).roots == (await other.log()).roots

    asyncio.run(work())
    store.close()


def test_a_backup_holds_tournaments_and_their_secrets(
    embedded: SqliteStore, folder: Path, toy_game: Game, tmp_path: Path
) -> None:
    log, secret = started(TERMS)
    embedded.submit(Append(log.records, secret=secret.bytes)).result()
    content = backup(folder, tmp_path / "backup")
    restore(tmp_path / "backup", tmp_path / "again")
    assert content.matches == 0
    again = SqliteStore.open(tmp_path / "again", keys=embedded.key_folder)
    try:
        found = again.tournament(log.id)
        assert found is not None
        assert found.roots == log.roots
        assert again.secret(log.id) == secret.bytes
    finally:
        again.close()
