"""A tournament that is made in a store of any kind, before real workers serve it."""

from __future__ import annotations

import asyncio
import secrets
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import psycopg
from msgspec import Struct

from api.gate import Gate
from api.gate.tournament_follower import TournamentFollower
from api.gate.tournaments import TournamentGate
from api.http.server import clock
from api.settings import product
from api.store.sql import SqlStore
from domain.tournaments import commands as c
from domain.tournaments.history import TournamentLog
from domain.tournaments.judging import Actor
from domain.tournaments.terms import Terms
from replay.tournaments.pairing import pair
from tests.api.gate.tournaments import verified_here
from tests.api.http.served import GONE, Answer, Client
from tests.api.store.locations import Database, Folder, Place
from tests.faults.workers import Door
from tests.services.postgresql import located
from tests.waiting import PATIENCE

GAME = "cia_vs_kgb"
UNLIKE = ("at", "prev", "root", "sealed")  # of an entry: what differs if only its time differs


class Sitting(Struct, frozen=True):
    """A board whose entrants sit down: its match, and the player who is going to resign."""

    match: str
    loser: str


class Club(Struct, frozen=True):
    """A tournament: two directors, its entrants, and the boards of its first round.

    `tokens`: of all people, by their ids.
    """

    id: str
    director: str
    second: str
    tokens: dict[str, str]
    boards: tuple[Sitting, ...] = ()

    @property
    def path(self) -> str:
        """Its address."""
        return f"/v1/tournaments/{self.id}"


def made(
    place: Place, entrants: int, count: int = 1, *, published: bool = True, game: str = GAME
) -> list[Club]:
    """Make so many tournaments in a store.

    Args:
        entrants: of each.
        published: its first round is published, and all sit down at its boards.
    """
    store = place.open()
    try:
        return [asyncio.run(_made(store, entrants, published, game)) for _ in range(count)]
    finally:
        store.close()


async def _made(store: SqlStore, entrants: int, published: bool, game: str) -> Club:
    gate = Gate(store, store.keys, clock, product())
    tournaments = TournamentGate(gate, pair)
    people = [store.people.add(f"Player {n}", "player") for n in range(entrants)]
    heads = [store.people.add(name, "organizer") for name in ("Dora", "Emil")]
    tokens = {person.id: token for person, token in [*people, *heads]}
    director = Actor(heads[0][0].id, "organizer")
    terms = Terms(game=game, format="swiss", rounds=1)
    log = (await tournaments.commands.announce(director, "Cup", terms)).log

    async def do(command: Struct) -> None:
        await tournaments.commands.command(log.id, command, director, expect=log.entry)

    places = tuple(c.Place(person.id, n, enters=True) for n, (person, _) in enumerate(people, 1))
    await do(c.Invite(places=places))
    await do(c.Appoint(person=heads[1][0].id, office="director"))
    await do(c.DrawLot(label="lot/colour", n=2))
    boards: list[Sitting] = []
    if published:
        draft = await tournaments.draft(log.id, director)
        await tournaments.pair(log.id, 1, draft.sha256, director, draft.entry)
        await tournaments.publish_round(log.id, c.PublishRound(round=1), director, log.entry)
        for board in log.state.rounds[0].boards:
            reserved = store.reservations(board.match)
            for seat, held in reserved.seats.items():
                await gate.sit(board.match, seat, held.player)
            boards.append(Sitting(board.match, log.state.entrants[board.b].player))
    await gate.close()
    return Club(log.id, director.person, heads[1][0].id, tokens, tuple(boards))


@contextmanager
def copied(place: Place, folder: Path) -> Iterator[Place]:
    """A copy of a store that no process has open."""
    keys = shutil.copytree(place.keys, folder / "copy.keys")
    if isinstance(place, Folder):
        shutil.copytree(place.folder, folder / "copy")
        yield Folder(folder / "copy")
        return
    assert isinstance(place, Database)
    name, source = f"glasnost_copy_{secrets.token_hex(6)}", psycopg.conninfo.conninfo_to_dict(place.url)
    with psycopg.connect(located(place.url, dbname="postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {source['dbname']}".encode())
        try:
            yield Database(located(place.url, dbname=name), keys)
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def undisturbed(place: Place, club: Club) -> list[dict[str, Any]]:
    """End all matches in turn while one follower runs that nothing disturbs; return the entries."""

    async def work(store: SqlStore) -> None:
        gate = Gate(store, store.keys, clock, product())
        follower = TournamentFollower(TournamentGate(gate, pair), verified_here, lambda: True)
        for board in club.boards:
            await gate.resign(board.match, player=board.loser)
            await follower.tick(everything=True)
        await gate.close()

    store = place.open()
    try:
        asyncio.run(work(store))
    finally:
        store.close()
    return entries(log_of(place, club))


def log_of(place: Place, club: Club) -> TournamentLog:
    """The log of the tournament, as the store holds it."""
    store = place.open(write=False)
    try:
        log = store.tournament(club.id)
        assert log is not None
        return log
    finally:
        store.close()


def entries(log: TournamentLog) -> list[dict[str, Any]]:
    """The entries of a log, without what differs if only their times differ."""
    found = [msgspec.json.decode(record.leaf) for record in log.records]
    return [{name: value for name, value in one.items() if name not in UNLIKE} for one in found]


def asked(doors: Sequence[Door], token: str, path: str, body: Any = None) -> Answer:
    """The answer of the first of these workers that answers."""
    end = time.monotonic() + PATIENCE
    while True:
        for host, port in doors:
            client = Client(port, token, host=host)
            try:
                answer = client.get(path) if body is None else client.post(path, body)
            except GONE:
                continue
            finally:
                client.close()
            if answer.status != 503:
                return answer
        assert time.monotonic() < end, f"no answer: {path}"
        time.sleep(0.02)
