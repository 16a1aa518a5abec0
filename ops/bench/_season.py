"""A tournament whose rounds are all played, as matches of a store: what pages and memory are measured with.

Everybody meets others in turn (the circle of a round robin), so that no engine is needed to make it.  In each
match one of the players, drawn by lot, resigns; its result is verified and recorded as in earnest.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import closing
from pathlib import Path
from random import Random

from msgspec import Struct

from api.gate.gate import Gate
from api.gate.match_verifier import Work, lights
from api.gate.tournament_follower import TournamentFollower
from api.gate.tournaments import TournamentGate
from api.settings import product
from api.store.sqlite import SqliteStore
from domain.tournaments import commands as c
from domain.tournaments.judging import Actor
from domain.tournaments.terms import Terms
from replay.tournaments.pairing import PairedBoard, PairingAnswer
from replay.tournaments.trf_reading import read

GAME = "cia_vs_kgb"


class Season(Struct, frozen=True):
    """A tournament of which the last round but one is closed: its director, matches and stored bytes."""

    id: str
    token: str
    rounds: int
    matches: int
    stored: int


def made(folder: Path, players: int, rounds: int, *, last_closed: bool) -> Season:
    """Make one in the store of a folder; one round more than is played can be paired."""
    with closing(SqliteStore.open(folder)) as store:
        return asyncio.run(_made(store, players, rounds, last_closed))


async def _made(store: SqliteStore, players: int, rounds: int, last_closed: bool) -> Season:
    gate = Gate(store, store.keys, lambda: time.time_ns() // 1_000, product())
    gates = TournamentGate(gate, _in_turn)
    follower = TournamentFollower(gates, _verified, lambda: True)
    person, token = store.people.add("Director", "organizer")
    director = Actor(person.id, "organizer")
    chance = Random(1)
    terms = Terms(game=GAME, format="swiss", rounds=rounds + 1)
    log = (await gates.commands.announce(director, "Season", terms)).log

    async def do(command: Struct) -> None:
        await gates.commands.command(log.id, command, director, expect=log.entry)

    people = [store.people.add(f"Player {number}", "player")[0] for number in range(1, players + 1)]
    places = (c.Place(one.id, number, 2_400 - number, enters=True) for number, one in enumerate(people, 1))
    await do(c.Invite(places=tuple(places)))
    await do(c.DrawLot(label="lot/colour", n=2))
    for number in range(1, rounds + 1):
        draft = await gates.draft(log.id, director)
        await gates.pair(log.id, number, draft.sha256, director, draft.entry)
        await gates.publish_round(log.id, c.PublishRound(round=number), director, log.entry)
        for board in log.state.rounds[-1].boards:
            for seat, held in store.reservations(board.match).seats.items():
                await gate.sit(board.match, seat, held.player)
            loser = chance.choice(board.entrants)
            await gate.resign(board.match, player=log.state.entrants[loser].player)
        await follower.look(log.id)
        if number < rounds or last_closed:
            await gates.close_round(log.id, c.CloseRound(round=number), director, log.entry)
    await gate.close()
    matches = sum(len(one.boards) for one in log.state.rounds)
    return Season(log.id, token, rounds, matches, sum(len(record.stored) for record in log.records))


def _in_turn(trf: str) -> PairingAnswer:
    """The next round of a circle: the first entrant stays, the others move on by one place."""
    table = read(trf.encode()).table
    number = 1 + max((len(line.cells) for line in table.lines), default=0)
    first, *others = range(1, len(table.lines) + 1)
    circle = [first, *others[number:], *others[:number]]
    half = len(circle) // 2
    pairs = zip(circle[:half], circle[: half - 1 : -1], strict=True)
    sides = [pair if number % 2 else pair[::-1] for pair in pairs]
    boards = tuple(PairedBoard(place, w, b, (None, None), "E.1", 0) for place, (w, b) in enumerate(sides, 1))
    return PairingAnswer("in turn", "1", "2026-02-01", number, boards, ())


async def _verified(work: Work) -> dict[str, str]:
    return lights(work)
