"""A tournament of the toy game behind a gate over a store in memory, for tests."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from random import Random

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from api.gate import Gate
from api.gate.match_verifier import Work, lights
from api.gate.tournament_follower import TournamentFollower
from api.gate.tournaments import TournamentGate
from api.store.interface import Store
from domain.kernel import Refused
from domain.match import Match
from domain.tournaments import commands as c
from domain.tournaments.crosstable import Crosstable, cell_of
from domain.tournaments.history import TournamentLog
from domain.tournaments.judging import Actor
from domain.tournaments.state import Board, Tournament
from domain.tournaments.terms import Terms
from domain.turns import turns as turns_of
from replay.tournaments.pairing import PairedBoard, PairingAnswer
from replay.tournaments.trf_reading import read
from tests.api.gate.memory import Keys

NOW = 1_790_000_000_000_000
DIRECTOR = Actor("dora", "organizer")
SECOND = Actor("emil", "player")
TERMS = Terms(game="toy", format="swiss", rounds=3)


def pair_in_turn(trf: str) -> PairingAnswer:
    """An engine: the first free entrant meets the first one whom they have not met."""
    table = read(trf.encode()).table
    number = 1 + _played(table)
    free = [line for line in table.lines if cell_of(line, number).kind == "open" and not line.withdrawn]
    byes = (free.pop().number,) if len(free) % 2 else ()
    boards: list[PairedBoard] = []
    while free:
        one = free.pop(0)
        met = {cell.opponent for cell in one.cells}
        other = next((line for line in free if line.number not in met), free[0])
        free.remove(other)
        boards.append(PairedBoard(len(boards) + 1, one.number, other.number, (None, None), "E.1", 0))
    return PairingAnswer("greedy", "1", "2026-02-01", number, tuple(boards), byes)


def _played(table: Crosstable) -> int:
    against = [
        number
        for line in table.lines
        for number, cell in enumerate(line.cells, 1)
        if cell.opponent is not None
    ]
    return max(against, default=0)


async def verified_here(work: Work) -> dict[str, str]:
    """Verify in this process: a process of its own is tested where it is the question."""
    return lights(work)


class Cup:
    """A tournament and what serves it; `restart` is another process over the same store."""

    def __init__(self, store: Store, terms: Terms = TERMS) -> None:
        self.store, self.terms, self.now = store, terms, NOW
        self.id = ""
        self.restart()

    def restart(self) -> None:
        """Forget everything but the store."""
        self.gate = Gate(self.store, Keys(), lambda: self.now, "test")
        self.tournaments = TournamentGate(self.gate, pair_in_turn)
        self.follower = TournamentFollower(self.tournaments, verified_here, lambda: True)

    async def log(self) -> TournamentLog:
        """The log as committed."""
        return await self.tournaments.commands.log(self.id)

    async def store_root(self) -> bytes:
        """The root over what the store holds."""
        log = await asyncio.to_thread(self.store.tournament, self.id)
        assert log is not None
        return log.root

    async def state(self) -> Tournament:
        """The state as committed."""
        return (await self.log()).state

    async def announced(self, entrants: int = 4) -> Cup:
        """Announce it, and let players q1, q2, ... enter; draw the lot for the first colour.

        A Swiss tournament has at most as many rounds as they have opponents.
        """
        terms = self.terms
        if terms.format == "swiss" and entrants > 1:
            terms = replace(terms, rounds=min(terms.rounds, entrants - 1))
        accepted = await self.tournaments.commands.announce(DIRECTOR, "Cup", terms)
        self.id = accepted.log.id
        for number in range(1, entrants + 1):
            await self.tournaments.enter(self.id, c.EnterTournament(), Actor(f"q{number}", "player"))
        await self.do(c.DrawLot(label="lot/colour", n=2))
        await self.do(c.Appoint(person="emil", office="arbiter"))
        return self

    async def do(self, command: Struct, actor: Actor = DIRECTOR) -> None:
        """Carry out a command of an official who has seen everything."""
        entry = (await self.log()).entry
        await self.tournaments.commands.command(self.id, command, actor, expect=entry)

    async def paired(self) -> None:
        """Pair the next round and publish it."""
        draft = await self.tournaments.draft(self.id, DIRECTOR)
        await self.tournaments.pair(self.id, draft.draft.round, draft.sha256, DIRECTOR, draft.entry)
        entry = (await self.log()).entry
        await self.tournaments.publish_round(
            self.id, c.PublishRound(round=draft.draft.round), DIRECTOR, entry
        )

    async def sit(self, match: str) -> None:
        """Both entrants of a match sit down."""
        reserved = await asyncio.to_thread(self.store.reservations, match)
        for seat, held in reserved.seats.items():
            if (await self.gate.match(match)).seats[seat] is None:
                await self.gate.sit(match, seat, held.player)

    async def answered(self, match: str) -> None:
        """One seat of a match that is asked answers."""
        found = await self.gate.match(match)
        for seat, seated in found.players.items():
            if (standing := found.prompt(seat)) and seated:
                await self.gate.play(match, [standing[1].options[:1]], player=seated.player)
                return

    async def ended(self, match: str, random: Random) -> None:
        """One of the players of a match resigns."""
        await self.sit(match)
        found = await self.gate.match(match)
        if found.closed is None:
            seat = random.choice(list(found.seats))
            seated = found.players[seat]
            assert seated is not None
            await self.gate.resign(match, player=seated.player)

    async def played_out(self, name: str, random: Random, turns: int = 99) -> None:
        """Both entrants of a match play at random, and one resigns after so many turns."""
        await self.sit(name)
        while (match := await self.gate.match(name)).closed is None:
            assert match.asked is not None
            if turns_of(match, None)[0][-1] > turns:
                await self.ended(name, random)
                continue
            seat = next(iter(match.asked.seats))
            question = match.prompt(seat)
            assert question is not None
            picks = tuple(random.sample(question[1].options, question[1].least))
            await self.gate.play(name, [picks], seat=seat, expect=question[0])

    async def results(self, random: Random | None = None) -> None:
        """End all matches of the round, and let the follower take the results."""
        one = (await self.state()).round
        assert one is not None
        for board in one.boards:
            await self.ended(board.match, random or Random(board.number))
        await self.follower.tick(everything=True)

    async def closed(self) -> None:
        """Close the round."""
        one = (await self.state()).round
        assert one is not None
        entry = (await self.log()).entry
        await self.tournaments.close_round(self.id, c.CloseRound(round=one.number), DIRECTOR, entry)

    async def refused(self, command: Struct, actor: Actor = DIRECTOR) -> str:
        """The kind by which a command is refused; "" if it is carried out."""
        try:
            await self.do(command, actor)
        except Refused as error:
            return error.kind
        return ""


async def closed_while_it_ends(store: Store, seed: int) -> str:
    """Close a round while its game ends (OA25); check that both logs agree, and return how it ended."""
    random = Random(seed)
    cup = await Cup(store).announced(2)
    await cup.paired()
    board = (await cup.state()).rounds[0].boards[0]
    await cup.sit(board.match)
    await asyncio.gather(_closing(cup, random), _ending(cup, board.match, random))
    await cup.follower.tick(everything=True)
    return agreed(await cup.gate.match(board.match), (await cup.state()).rounds[0].boards[0])


def agreed(match: Match, board: Board) -> str:
    """Check that a match that is over and its board agree on how it ended; return how it did (OA25)."""
    assert match.closed is not None
    assert board.outcome is not None
    assert board.outcome.closed_move == match.move
    if match.closed.by == "ruling":
        assert board.ruling is not None
        assert board.policy is not None
        assert board.result == board.policy.result
    else:
        assert board.ruling is None
        seat = match.closed.result.winner if match.closed.result else None
        assert board.result == dict(zip(match.seats, ("1-0", "0-1"), strict=True)).get(seat or "", "")
    return match.closed.by


async def _closing(cup: Cup, random: Random) -> None:
    for _ in range(random.randrange(12)):
        await asyncio.sleep(0)
    policy, result = random.choice((("forfeit", "+-"), ("forfeit", "--"), ("adjudicate", "0-1")))
    board = msgspec.convert({"board": 1, "policy": policy, "result": result}, c.BoardPolicy)
    close = c.CloseRound(round=1, boards=(board,))
    with suppress(Refused):
        await cup.tournaments.close_round(cup.id, close, DIRECTOR, (await cup.log()).entry)


async def _ending(cup: Cup, match: str, random: Random) -> None:
    for _ in range(random.randrange(12)):
        await asyncio.sleep(0)
    with suppress(Refused):
        await cup.ended(match, random)
