"""Whole matches for tests, played through `domain.match` as the gate does."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from domain.branches import line_of, open_branch
from domain.chance import Secret, Source
from domain.clocks import Clock
from domain.drafts import Context, Draft
from domain.game import Game
from domain.match import Match, open_match

PRODUCT = "0.1.0"


class Sitting:
    """A match under way, with what its commands need; every draft is accepted at once.

    `seed` decides the secret, the picks of `play_on` and, without a `name`, the id;
    `clock` advances by a second with each command; `terms`: of the clock of the match.
    """

    def __init__(
        self,
        game: Game,
        seed: int = 1,
        *,
        options: Mapping[str, Any] | None = None,
        edition: str | None = None,
        origin: str = "live",
        recorded: bool = False,
        bots: bool = False,
        name: str = "",
        private: bool = False,
        terms: Clock = (),
    ) -> None:
        self.random = random.Random(seed)
        self.id = name or f"m{seed}"
        self.secret = Secret(self.random.randbytes(32), self.id)
        self.clock = 1_790_000_000_000_000
        self.bot = "random" if bots else ""
        settled = game.settle(edition, options or {})
        opening = open_match(
            self.context,
            game,
            *settled,
            match=self.id,
            origin=origin,
            opener="p0",
            recorded=recorded,
            private=private,
            clock=terms,
        )
        match = Match.project(None, opening.records)
        assert match is not None
        self.match = match

    @property
    def context(self) -> Context:
        """The context of the next command, a second later."""
        self.clock += 1_000_000
        return Context(self.secret, self.clock, PRODUCT)

    def accept(self, draft: Draft) -> Draft:
        """Take a draft in."""
        self.match.add(draft)
        return draft

    def seat_all(self, *, salts: bool = False, source: Source | None = None) -> Sitting:
        """Everybody sits down: p-<seat>."""
        for seat in self.match.game.seats:
            salt = f"{seat}-salt" if salts else None
            draft = self.match.sit(self.context, seat, f"p-{seat}", salt=salt, bot=self.bot, source=source)
            self.accept(draft)
        return self

    def answer(self, seat: str, *picks: str, source: Source | None = None) -> Draft:
        """`seat` answers once."""
        return self.accept(self.match.play(self.context, seat, [picks], source=source))

    def random_answer(self) -> Draft:
        """Give a legal answer for a seat that is asked."""
        asked = self.match.asked
        assert asked is not None
        seat = self.random.choice(sorted(asked.seats))
        standing = self.match.prompt(seat)
        assert standing is not None
        question = standing[1]
        count = self.random.randint(question.least, question.most)
        return self.answer(seat, *self.random.sample(question.options, count))

    def play_on(self, answers: int | None = None) -> Sitting:
        """Random answers: so many, or until the match is over."""
        while self.match.status == "running" and answers != 0:
            self.random_answer()
            answers = None if answers is None else answers - 1
        return self


class Branching(Sitting):
    """A branch of a match that is over; see `Sitting`."""

    def __init__(self, parent: Match, at: int, seed: int = 2, *, name: str = "", bots: bool = False) -> None:
        self.random = random.Random(seed)
        self.id = name or f"b{seed}"
        self.secret = Secret(self.random.randbytes(32), self.id)
        self.clock = 1_800_000_000_000_000
        self.bot, self.parent, self.at = "random" if bots else "", parent, at
        opening = open_branch(self.context, parent, at, match=self.id, opener="p0")
        match = Match.project(None, opening.records)
        assert match is not None
        self.match = match

    def seat_all(self, *, salts: bool = False, source: Source | None = None) -> Branching:
        """Everybody sits down: p-<seat>."""
        line = line_of(self.parent, self.at)
        for seat in self.match.game.seats:
            salt = f"{seat}-salt" if salts else None
            sat = self.match.sit(
                self.context, seat, f"p-{seat}", salt=salt, bot=self.bot, source=source, line=line
            )
            self.accept(sat)
        return self


def finished(game: Game, seed: int = 1, **more: Any) -> Sitting:
    """A whole random match."""
    return Sitting(game, seed, **more).seat_all().play_on()


def resigned(sitting: Sitting, answers: int) -> Sitting:
    """Let so many random answers follow; then the first seat resigns, unless the match is over."""
    sitting.play_on(answers)
    if sitting.match.status == "running":
        sitting.accept(sitting.match.resign(sitting.context, sitting.match.game.seats[0]))
    return sitting
