"""A tournament whose results are ruled, without matches and without a store, for tests of formats."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from domain.kernel import Refused
from domain.tournaments import commands as c
from domain.tournaments.drafts import drafted
from domain.tournaments.events import Result
from domain.tournaments.formats.cut import Ranked
from domain.tournaments.judging import Actor
from domain.tournaments.rules import judged
from domain.tournaments.state import Board, Tournament
from domain.tournaments.terms import Terms
from tests.domain.tournaments.random_play import DIRECTOR, given, started

Chooser = Callable[[Tournament, Board], Result]


def by_seed(s: Tournament, board: Board) -> Result:
    """The better seed wins."""
    order = [one.id for one in s.numbered]
    return "1-0" if order.index(board.w) < order.index(board.b) else "0-1"


class Hall:
    """A tournament with the entrants n1, n2, ... of so many people, the best first.

    A Swiss one has at most as many rounds as they have opponents.
    """

    def __init__(self, terms: Terms, entrants: int) -> None:
        if terms.format == "swiss":
            terms = replace(terms, rounds=min(terms.rounds, entrants - 1))
        self.log, self.secret = started(terms)
        places = tuple(
            c.Place(f"q{number}", seed_order=number, rating=3000 - number, enters=True)
            for number in range(1, entrants + 1)
        )
        self.do(c.Invite(places=places))

    @property
    def s(self) -> Tournament:
        """The state."""
        return self.log.state

    def do(
        self, command: Struct, actor: Actor = DIRECTOR, ranked: tuple[tuple[Ranked, ...], ...] = ()
    ) -> None:
        """Carry out a command of one who has seen everything.  Raises Refused."""
        known = given(self.secret, self.log.entry)
        complete = type(known)(now=known.now, secret=known.secret, random=known.random, ranked=ranked)
        draft = judged(self.s, self.log.tree, command, actor, complete, self.log.entry)
        for record in draft.records:
            self.log.accept(record)

    def refused(self, command: Struct, ranked: tuple[tuple[Ranked, ...], ...] = ()) -> str:
        """The id by which a command is refused, "" if it is carried out."""
        try:
            self.do(command, ranked=ranked)
        except Refused as error:
            return error.id
        return ""

    def pair(self) -> None:
        """Pair and publish the next round.  Raises Refused."""
        number = len(self.s.rounds) + 1
        self.do(c.Pair(round=number, draft=drafted(self.s, number)))
        self.do(c.PublishRound(round=number))

    def rule(self, board: int, result: Result, round_number: int | None = None) -> None:
        """Decide the result of a board."""
        number = round_number or len(self.s.rounds)
        self.do(c.Rule(round=number, board=board, result=result, reason="agreed", text="so it was"))

    def play(self, choose: Chooser = by_seed) -> None:
        """Pair a round, decide all its boards, and close it."""
        self.pair()
        for board in self.s.rounds[-1].boards:
            self.rule(board.number, choose(self.s, board))
        self.do(c.CloseRound(round=len(self.s.rounds)))

    def finish(self, choose: Chooser = by_seed) -> None:
        """Play until the stage is over."""
        while self.s.status != "finished" and len(self.s.rounds) < 40:
            self.play(choose)
