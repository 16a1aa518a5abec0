"""Encodings: what a seat knows as a list of numbers, for agents that learn.

An encoding says the name of each of its numbers.  Its own name ends with a number; a changed encoding gets
the next one.  Everything is told from the seat's point of view ("own" and "other"), and only from the seat's
own fold, so that it cannot tell more than the seat knows.  Most numbers are 0 or 1; counts are divided so
that they seldom exceed 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

from domain.agents.actions import hash_of_names
from domain.game import Game
from domain.kernel import Draw, Pick, Prompt, Seat, Step, Table

T = TypeVar("T", bound=Table)
FEW = 10  # a count of so many is encoded as 1


class Floats(Protocol):
    """Any mutable sequence of numbers: a list, an array, a numpy array."""

    def __setitem__(self, place: int, value: float, /) -> None:
        """Write one number."""


class Layout:
    """The names of the numbers of an encoding, while it is laid out; each block gets the next places."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def one(self, name: str) -> int:
        """A place for a single number."""
        self.names.append(name)
        return len(self.names) - 1

    def block(self, name: str, ids: Iterable[str]) -> dict[str, int]:
        """A place for each of these ids; one that comes again has its place already."""
        return {id: self.one(f"{name}/{id}") for id in dict.fromkeys(ids)}


class Asked:
    """The part that says what a seat is asked, and what it has picked so far.

    Args:
        layout: gets the names of this part.
        game: its steps are the kinds of questions.
        words: the ids that the reasons of questions name.
        amounts: the reasons that are numbers.
        picked: the picks of which an answer may hold several.
    """

    def __init__(
        self, layout: Layout, game: Game, words: Iterable[str], amounts: Iterable[str], picked: Iterable[Pick]
    ) -> None:
        self._kinds = layout.block("asked", questions(game))
        self._least, self._most = layout.one("least"), layout.one("most")
        self._words = layout.block("about", words)
        self._amounts = layout.block("amount", amounts)
        self._picked = layout.block("picked", picked)

    def write(self, question: Prompt, picked: Sequence[Pick], out: Floats) -> None:
        """Write the kind of the question, its reasons, and 1/n at the n-th pick so far."""
        out[self._kinds[question.ask]] = 1.0
        out[self._least] = question.least / FEW
        out[self._most] = question.most / FEW
        words, amounts = self._words, self._amounts
        for reason, value in question.why.items():
            if type(value) is int:
                if reason in amounts:
                    out[amounts[reason]] = value / FEW
            elif (place := words.get(str(value))) is not None:
                out[place] = 1.0
        for number, pick in enumerate(picked, 1):
            out[self._picked[pick]] = 1.0 / number


class Encoding(Generic[T]):
    """How a seat's own fold becomes numbers.

    Args:
        name: the short name of the game and the number of the encoding, such as "tm/1".
        layout: the names of the numbers.
        write: writes the table as a seat folds it: every number that is not 0.
        asked: writes the question.
    """

    def __init__(
        self, name: str, layout: Layout, write: Callable[[T, Seat, Floats], None], asked: Asked
    ) -> None:
        self.name, self.names = name, tuple(layout.names)
        self.size = len(self.names)
        self._write, self._asked = write, asked

    @property
    def hash(self) -> str:
        """16 hexadecimal digits over the name and the names of the numbers, in their order."""
        return hash_of_names([self.name, *self.names])

    def encode(
        self, view: T, seat: Seat, out: Floats, question: Prompt | None = None, picked: Sequence[Pick] = ()
    ) -> None:
        """Write what a seat knows.

        Args:
            view: the table as `seat` folds it.
            out: at least `size` numbers, all 0; only those that are not 0 are written.
            question: what this seat is asked now, if it is.
            picked: the picks of its answer so far, if the question takes several.
        """
        self._write(view, seat, out)
        if question is not None:
            self._asked.write(question, picked, out)


def questions(game: Game) -> tuple[str, ...]:
    """The names of the steps that ask a seat, sorted."""
    steps = game.steps.__args__
    asking = (step for step in steps if step.options is not Step.options and not issubclass(step, Draw))
    return tuple(sorted(step.__name__ for step in asking))


def mark(out: Floats, places: Mapping[str, int], ids: Iterable[str], value: float = 1.0) -> None:
    """Write `value` at the places of these ids; an id without a place (an unknown face) is passed over."""
    for id in ids:
        if id in places:
            out[places[id]] = value


def count(out: Floats, places: Mapping[str, int], counts: Mapping[str, int], most: int = FEW) -> None:
    """Write counts at the places of their ids, so that `most` becomes 1."""
    for id, number in counts.items():
        out[places[id]] = number / most
