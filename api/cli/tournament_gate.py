"""How `glasnost tournament` carries out a command: over a store, through the gate of a server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from api.cli.common import CannotBeDone, must_hold_a_store, opened_store

if TYPE_CHECKING:
    from api.gate.tournaments import TournamentGate
    from api.store.open import Location
    from domain.tournaments.judging import Actor
    from domain.tournaments.state import Tournament

T = TypeVar("T")


def run_at(store: Location, work: Callable[[TournamentGate], Awaitable[T]]) -> T:
    """Do some work with the gate of a store.

    Raises:
        CannotBeDone: there is no store, it is in use, or the command is refused.
    """
    from api.gate import Gate
    from api.gate.tournaments import TournamentGate
    from api.http.server import clock
    from api.settings import product
    from replay.tournaments.pairing_twice import pair_twice

    must_hold_a_store(store)
    with opened_store(store) as opened:

        async def over() -> T:
            gate = Gate(opened, opened.keys, clock, product())
            tournaments = TournamentGate(gate, pair_twice)
            try:
                return await work(tournaments)
            finally:
                await tournaments.commands.finish()
                await gate.close()

        return asyncio.run(over())


async def acting(gate: TournamentGate, person: str, s: Tournament | None = None) -> Actor:
    """Return the person who acts; without a name, the opener of the tournament.

    Raises:
        CannotBeDone: there is no such person.
    """
    from domain.tournaments.judging import Actor

    name = person or (s.opener if s else "")
    known = gate.gate.store.people.known(name)
    if known is None:
        raise CannotBeDone(f"--as: there is no person {name!r}; `glasnost people find` shows ids")
    return Actor(known.id, known.role)
