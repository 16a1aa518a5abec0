"""A tournament of which two games were played elsewhere: one has a match file, one a statement."""

from __future__ import annotations

from msgspec.structs import replace

from domain.tournaments import commands as c
from domain.tournaments.judging import Actor
from replay.tournaments.pairing import pair
from tests.api.gate.elsewhere import played_elsewhere
from tests.api.gate.memory import MemoryStore
from tests.api.gate.test_reported_files import examined_here, ruled, ruling, stated, taken
from tests.api.gate.tournaments import TERMS, Cup
from tests.replay.tournaments.bundles import published


async def reported_cup() -> Cup:
    """It is over; the first board is ruled by a file, the second by a statement that both confirmed."""
    cup = Cup(MemoryStore(), replace(TERMS, rounds=1))
    cup.tournaments.files.examine = examined_here
    cup.tournaments._pairer = pair
    await cup.announced()
    await cup.paired()
    file = await taken(cup, await played_elsewhere(match="elsewhere-1"))
    await ruled(cup, ruling(file.sha256))
    found = await ruled(cup, stated(2))
    s = await cup.state()
    for name in s.rounds[0].boards[1].entrants:
        confirm = c.ConfirmStatement(ruling=found.entry)
        player = Actor(s.entrants[name].player, "player")
        await cup.tournaments.commands.command(cup.id, confirm, player)
    await cup.follower.tick(everything=True)
    await cup.closed()
    await published(cup, final=True)
    return cup
