"""A tournament file whose matches are all long: what verifying a whole tournament is measured with.

128 players meet in 7 rounds: 448 matches of 420 moves.  Bots play them; now and then the arbiter rules that
moves are played again, and when a match has its moves, a player resigns.
"""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from random import Random

from api.cli.tournament_gate import write_bundle
from api.gate.bots import RandomBot
from api.gate.gate import Gate
from api.gate.match_verifier import Work
from api.gate.tournament_follower import TournamentFollower
from api.gate.tournament_simulation import Simulation
from api.settings import product
from api.store.sqlite import SqliteStore
from domain.tournaments.history import TournamentLog
from domain.tournaments.terms import Terms
from replay.report import CHECKS
from replay.tournaments.simulation import Plan
from tests.api.gate.tournaments import pair_in_turn

GAME = "imperial_struggle"
MOVES = 420
BACK, EVERY = 80, 90
"""So many moves are played again after each so many: no match is over before it has its moves."""
REASON = "play on"


def make(folder: Path, out: Path, players: int = 128, rounds: int = 7, moves: int = MOVES) -> str:
    """Play a tournament in a new store in a folder, and write its file.

    Returns:
        The public key that signed it, as text.
    """
    with ThreadPoolExecutor(1) as apart:  # Playwright has an event loop in the thread of its caller
        return apart.submit(_made, folder, out, players, rounds, moves).result()


def _made(folder: Path, out: Path, players: int, rounds: int, moves: int) -> str:
    with closing(SqliteStore.open(folder)) as store:
        log = asyncio.run(_played(store, players, rounds, moves))
        with out.open("wb") as into:
            write_bundle(store, log, log.entry, into)
        return store.keys.present.text


async def _played(store: SqliteStore, players: int, rounds: int, moves: int) -> TournamentLog:
    gate = Gate(store, store.keys, lambda: time.time_ns() // 1_000, product())
    plan = Plan(players, rounds, forfeits=0, byes=0, withdrawals=0, seed=7)
    simulation = _Long(gate, plan, rounds, moves)
    try:
        return await simulation.run()
    finally:
        await simulation.finish()
        await gate.close()


class _Long(Simulation):
    """A tournament of matches that all have so many moves, or a few more."""

    def __init__(self, gate: Gate, plan: Plan, rounds: int, moves: int) -> None:
        terms = Terms(game=GAME, format="swiss", rounds=rounds, most_entrants=plan.players)
        super().__init__(gate, pair_in_turn, plan, terms, "bots")
        self._follower = TournamentFollower(self._tournaments, _right, lambda: True)
        self._moves = moves

    async def _match(self, name: str, chance: Random) -> None:
        """Both entrants sit down and play, until one of them resigns."""
        gate, bot = self._gate, RandomBot(chance)
        reserved = await asyncio.to_thread(gate.store.reservations, name)
        for seat, held in reserved.seats.items():
            await gate.sit(name, seat, held.player)
        back = EVERY
        while (match := await gate.match(name)).status != "over":
            seats = list(match.seats)
            if match.move >= self._moves - 3:  # resigning, the secret and the end
                await gate.resign(name, seat=chance.choice(seats))
            elif match.move >= back:
                back = match.move + EVERY
                by, back_to = self._director.person, match.move - BACK
                await gate.rule(name, by, REASON, back_to=back_to, by_tournament=True)
            else:
                await self._answer(match, bot)


async def _right(work: Work) -> dict[str, str]:
    """What a verifier would find: all is right, because nothing here was changed."""
    return dict.fromkeys(CHECKS, "ok")
