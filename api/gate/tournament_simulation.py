"""Simulates a whole tournament through the gate, so that its log is one that a real tournament writes.

People are added to the store, a director announces, entrants withdraw and ask for byes, rounds are paired,
published and closed.  Results are drawn by rating and ruled as *reported*, or each board is a real match
between two seeded bots, whose result the follower takes in.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from random import Random
from typing import Literal

from msgspec import Struct

from api.gate.bots import RandomBot
from api.gate.gate import Gate
from api.gate.match_verifier import Work, lights
from api.gate.tournament_follower import TournamentFollower
from api.gate.tournaments import Pairer, TournamentGate
from domain.kernel import Refused
from domain.match import Match
from domain.tournaments import commands as c
from domain.tournaments.crosstable import Cell, Crosstable, cell_of
from domain.tournaments.crosstables import FIRST_COLOUR, crosstable
from domain.tournaments.events import Result
from domain.tournaments.history import TournamentLog
from domain.tournaments.judging import Actor
from domain.tournaments.state import Board, Round, Tournament
from domain.tournaments.terms import Terms
from replay.tournaments.simulation import Plan, cells_of, entrants, sitting_out

TITLE = "Simulated tournament"
FORFEIT = "the simulated entrant did not come"
REPORTED = "drawn by rating"
LEVEL = "the better seed"
MOST_ANSWERS = 20_000  # of one match; a game that asks for more does not end
Matches = Literal["none", "bots"]
AfterRound = Callable[[int], object]


class Endless(Exception):
    """A match of bots did not end."""


class Simulation:
    """One tournament that is simulated in a store.

    Args:
        gate: of the matches.
        pairer: the pairing engine.
        plan: who takes part, and what happens.
        terms: of the tournament; its rounds are those of the plan.
        matches: "none" draws results, "bots" plays every board.
    """

    def __init__(self, gate: Gate, pairer: Pairer, plan: Plan, terms: Terms, matches: Matches) -> None:
        self._gate, self._plan, self._terms, self._matches = gate, plan, terms, matches
        self._chance = Random(plan.seed)
        self._tournaments = TournamentGate(gate, pairer)
        self._follower = TournamentFollower(self._tournaments, _verified, lambda: True)
        self._director = Actor("", "organizer")
        self._id = ""

    async def run(self, after_round: AfterRound = lambda number: None) -> TournamentLog:
        """Play the tournament to its end and publish its standings; `after_round` gets each number.

        Raises:
            Refused: a round cannot be paired, or the terms are not possible.
            Endless: a match of bots did not end.
        """
        await self._announce()
        if self._terms.format == "swiss":
            for number in range(1, self._plan.rounds + 1):
                await self._play(number)
                after_round(number)
        else:
            await self._play_out(after_round)
        await self._tournaments.publish(self._id, c.Publish(final=True), self._director, await self._entry())
        return await self._log()

    async def finish(self) -> None:
        """Wait until all commands under way are answered."""
        await self._tournaments.commands.finish()

    async def _log(self) -> TournamentLog:
        return await self._tournaments.commands.log(self._id)

    async def _state(self) -> Tournament:
        return (await self._log()).state

    async def _entry(self) -> int:
        return (await self._log()).entry

    async def _do(self, command: Struct) -> None:
        await self._tournaments.commands.command(
            self._id, command, self._director, expect=await self._entry()
        )

    async def _announce(self) -> None:
        """Add the people, announce, enter everybody, and draw the first colour."""
        people, plan = self._gate.store.people, self._plan
        director, _ = await asyncio.to_thread(people.add, "Director", "organizer")
        self._director = Actor(director.id, "organizer")
        accepted = await self._tournaments.commands.announce(self._director, TITLE, self._terms)
        self._id = accepted.log.id
        places = []
        for line in entrants(plan).lines:
            person, _ = await asyncio.to_thread(people.add, f"Player {line.number}", "player")
            places.append(c.Place(person.id, line.number, line.rating, enters=True))
        await self._do(c.Invite(places=tuple(places)))
        await self._do(c.DrawLot(label=FIRST_COLOUR, n=2))

    async def _play(self, number: int) -> None:
        """One round, from the withdrawals before it until it is closed."""
        await self._leave(number)
        draft = await self._tournaments.draft(self._id, self._director)
        entry, sha256 = draft.entry, draft.sha256
        await self._tournaments.pair(self._id, number, sha256, self._director, entry)
        publication = c.PublishRound(round=number)
        if self._matches == "none":  # a round in a hall: its matches are not opened here
            await self._do(publication)
        else:
            entry = await self._entry()
            await self._tournaments.publish_round(self._id, publication, self._director, entry)
        await self._results(number)
        entry = await self._entry()
        closing = c.CloseRound(round=number)
        await self._tournaments.close_round(self._id, closing, self._director, entry)

    async def _play_out(self, after_round: AfterRound) -> None:
        """Play until all is decided; what stands level goes to the better seeds."""
        while (s := await self._state()).status != "finished":
            try:
                if s.rounds and len(s.rounds) >= s.last_round and not s.is_last_stage:
                    await self._advance()
                else:
                    await self._play(len(s.rounds) + 1)
                    after_round(len(s.rounds) + 1)
            except Refused as error:
                if error.id != "contest-tied":
                    raise
                await self._advance(str(error.values["w"]))
        if self._terms.league:
            await self._advance()

    async def _advance(self, *decided: str) -> None:
        """Let those go on who have qualified."""
        command = c.Advance(decided=decided, reason=LEVEL if decided else "")
        try:
            await self._tournaments.advance(self._id, command, self._director, await self._entry())
        except Refused as error:
            if error.id != "place-contested":
                raise
            contested, left = error.values["entrants"], error.values["left"]
            assert isinstance(contested, list)
            assert isinstance(left, int)
            order = [one.id for one in (await self._state()).numbered]
            best = sorted(map(str, contested), key=order.index)[:left]
            await self._advance(*decided, *best)

    async def _leave(self, number: int) -> None:
        """Some withdraw, some ask for a bye."""
        before = crosstable(await self._state())
        after = sitting_out(self._plan, self._chance, before, number)
        for old, new in zip(before.lines, after.lines, strict=True):
            if new.withdrawn and not old.withdrawn:
                await self._do(c.Withdraw(entrant=new.entrant))
            elif cell_of(new, number).kind == "half_bye":
                await self._do(c.AskBye(round=number, entrant=new.entrant, points=1))

    async def _results(self, number: int) -> None:
        s = await self._state()
        one, table = s.rounds[number - 1], crosstable(s)
        if self._matches == "none":
            for board in one.boards:
                await self._rule(one, board, self._drawn(table, board), reported=True)
            return
        coming = []
        for board in one.boards:
            seed, result = self._chance.random(), self._drawn(table, board)
            if result in ("+-", "-+", "--"):
                await self._rule(one, board, result, reported=False)
            else:
                coming.append(self._match(board.match, Random(f"{self._plan.seed} {number} {seed}")))
        await asyncio.gather(*coming)
        await self._follower.look(self._id)

    def _drawn(self, table: Crosstable, board: Board) -> Result:
        lines = {line.entrant: line for line in table.lines}
        cells = cells_of(self._plan, self._chance, lines[board.w], lines[board.b])
        return _result([cell for _, cell in cells])

    async def _rule(self, one: Round, board: Board, result: Result, *, reported: bool) -> None:
        forfeit = result in ("+-", "-+", "--")
        rule = c.Rule(
            round=one.number,
            board=board.number,
            result=result,
            reason="no_show" if forfeit else "other",
            text=FORFEIT if forfeit else REPORTED,
            reported=reported,
        )
        await self._tournaments.rule(self._id, rule, self._director, await self._entry())

    async def _match(self, name: str, chance: Random) -> None:
        """Both entrants sit down, and a bot answers for each until the match is over."""
        reserved = await asyncio.to_thread(self._gate.store.reservations, name)
        for seat, held in reserved.seats.items():
            await self._gate.sit(name, seat, held.player)
        bot = RandomBot(chance)
        for _ in range(MOST_ANSWERS):
            match = await self._gate.match(name)
            if match.status == "over":
                return
            await self._answer(match, bot)
        raise Endless(name)

    async def _answer(self, match: Match, bot: RandomBot) -> None:
        seat = next(iter(match.asked.seats)) if match.asked else None
        question = match.prompt(seat) if seat is not None else None
        if seat is None or question is None:
            raise Refused("pairing", "another-match", {"board": match.id})
        await self._gate.play(match.id, [bot.answer(question[1])], seat=seat, expect=question[0])


async def _verified(work: Work) -> dict[str, str]:
    """Verify in a thread: a simulation answers no requests meanwhile."""
    return await asyncio.to_thread(lights, work)


def _result(cells: Sequence[Cell]) -> Result:
    """The result of a board, from the cells of its entrants, the one with the first colour first."""
    w, b = cells
    if w.kind == "forfeit":
        return "--" if w.outcome == b.outcome else "+-" if w.outcome == "win" else "-+"
    return "½" if w.outcome == "draw" else "1-0" if w.outcome == "win" else "0-1"
