"""Random legal play on the kernel alone, as fast as it goes: for `glasnost fuzz` and the benchmarks.

A match is a function of the game, its options and a seed, so whatever goes wrong can be played again.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Struct

from domain import kernel
from domain.game import Game, Option, Options
from domain.kernel import CHANCE, Answer, Fact, Picks, Prompt, Table

MOST_ANSWERS = 100_000  # a match that is not over by then does not end


class Stuck(Exception):
    """The rules ask for what nobody can answer, or never end."""


class Count(Struct):
    """Answers so far: of the seats, and of chance."""

    seats: int = 0
    chance: int = 0

    @property
    def all(self) -> int:
        """Both."""
        return self.seats + self.chance


class Match:
    """One random match: `table` now, and the facts and answers so far where `keep` asks for them.

    Args:
        edition, options: complete, as `Game.settle` gives them.
        seed: decides every pick, those of chance included.
    """

    def __init__(self, game: Game, edition: str, options: Options, seed: str, *, keep: bool = False) -> None:
        self.game, self.seed, self._keep = game, seed, keep
        self.answers: list[Answer] = []
        self.facts: list[Fact] = []
        self.empty: Table = game.table(edition, options)
        self.table = self.empty
        self._luck = random.Random(seed)

    def play(self, count: Count) -> None:
        """Play to the end, counting.

        Raises:
            Stuck: a question that nobody can answer, or no end.
            Exception: whatever the rules raise.
        """
        table = self._begun()
        for _ in range(MOST_ANSWERS):
            if not table.agenda:
                return
            answer, question = self._answer(table)
            if self._keep:
                self.answers.append(answer)
            decision = kernel.decide(table, answer, question)
            if self._keep:
                self.facts += decision.facts
            self.table = table = decision.table
            if answer.seat == CHANCE:
                count.chance += 1
            else:
                count.seats += 1
        raise Stuck(f"no end after {MOST_ANSWERS} answers")

    def _begun(self) -> Table:
        begun = kernel.begin(self.empty, self.game.first(self.empty))
        self.facts += begun.facts
        self.table = begun.table
        return begun.table

    def _answer(self, table: Table) -> tuple[Answer, Prompt]:
        seats = kernel.asked(table)
        seat = seats[0] if len(seats) == 1 else self._luck.choice(seats)
        question = kernel.prompt(table, seat)
        if question is None:
            raise Stuck(f"{seat} is to answer {type(table.agenda[-1]).__name__}, but is not asked")
        return Answer(seat, self._picks(question)), question

    def _picks(self, question: Prompt) -> Picks:
        options, most = question.options, question.most
        if question.least > len(options):
            raise Stuck(f"{question.ask} wants {question.least} picks of {len(options)} options")
        if question.least == most == 1:
            return (options[int(self._luck.random() * len(options))],)
        count = self._luck.randint(question.least, min(most, len(options)))
        return tuple(self._luck.sample(options, count))


def check(match: Match) -> None:
    """The kept facts of a finished match fold to its table, which survives encoding.

    Raises:
        AssertionError: they do not.
    """
    if kernel.fold(match.empty, match.facts) != match.table:
        raise AssertionError("the facts do not fold to the table at the end")
    again = msgspec.json.decode(msgspec.json.encode(match.table), type=match.game.state)
    if again != match.table:
        raise AssertionError("the table at the end does not survive encoding")


def random_options(game: Game, seed: str) -> Callable[[str], Any]:
    """A function that gives, for the name of an option, a legal value at random (or its default)."""
    luck = random.Random(f"options {seed}")
    values = {option.name: _value(option, luck) for option in game.options}
    return values.__getitem__


def _value(option: Option, luck: random.Random) -> Any:
    values: list[Any] = [option.default, *option.choices]
    if option.least is not None and option.most is not None:
        values += [option.least, option.most, luck.randint(option.least, option.most)]
    return luck.choice(values)
