"""Encodings: what a seat knows as a list of numbers, for agents that learn.

An encoding says the name of each of its numbers.  Its own name ends with a number; a changed encoding gets
the next one.  Everything is told from the seat's point of view ("own" and "other"), and only from the seat's
own fold, so that it cannot tell more than the seat knows.  Most numbers are 0 or 1; counts are divided so
that they seldom exceed 1.

An answer changes few fields of a table, so an encoding consists of parts that know on which fields they
depend: the numbers of a table follow from those of the table before (`Encoding.update`).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, compress
from operator import attrgetter, is_not
from typing import Generic, Protocol, TypeVar

from msgspec.structs import astuple

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


def places_of(*blocks: Mapping[str, int]) -> tuple[int, ...]:
    """The places of all these blocks."""
    return tuple(chain.from_iterable(block.values() for block in blocks))


class Side:
    """Where what belongs to one side stands among the numbers; each game derives its own.

    Args:
        game: its seats are the sides.
        name: "own" or "other": the side of the seat that knows the numbers, or its counterpart.
    """

    def __init__(self, game: Game, name: str) -> None:
        own = {seat: seat for seat in game.seats}
        self._sides: Mapping[Seat, Seat] = {"own": own, "other": game.across}[name]


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
            if isinstance(value, str):
                if value in words:
                    out[words[value]] = 1.0
            elif reason in amounts:
                out[amounts[reason]] = value / FEW
        for number, pick in enumerate(picked, 1):
            out[self._picked[pick]] = 1.0 / number


class Part(Generic[T]):
    """Some of an encoding's numbers, all of which follow from a few fields of the table.

    Args:
        fields: the names of these fields; `write` reads no others.
        places: of the numbers; `write` writes no others.
        write: writes, for a seat, every number of the part that is not 0.
    """

    def __init__(
        self, fields: Iterable[str], places: Iterable[int], write: Callable[[T, Seat, Floats], None]
    ) -> None:
        self.fields, self.places, self.write = frozenset(fields), tuple(sorted(places)), write
        self.zeros = [(run, array("f", bytes(4 * (run.stop - run.start)))) for run in _runs(self.places)]


def _runs(places: Sequence[int]) -> list[slice]:
    """Sorted places as slices of successive ones."""
    found: list[slice] = []
    for place in places:
        if found and found[-1].stop == place:
            found[-1] = slice(found[-1].start, place + 1)
        else:
            found.append(slice(place, place + 1))
    return found


class Encoding(Generic[T]):
    """How a seat's own fold becomes numbers.

    Args:
        name: the short name of the game and the number of the encoding, such as "tm/1".
        layout: the names of the numbers.
        state: the type of the tables.
        parts: write the table as a seat folds it.
        asked: writes the question.
    """

    def __init__(
        self, name: str, layout: Layout, state: type[T], parts: Sequence[Part[T]], asked: Asked
    ) -> None:
        self.name, self.names = name, tuple(layout.names)
        self.size = len(self.names)
        self.parts, self._asked = tuple(parts), asked
        # A set of parts is a number here: one bit for each of them.  For each field, those that depend on it.
        self._dependent = [
            sum(1 << number for number, part in enumerate(parts) if field in part.fields)
            for field in state.__struct_fields__
        ]
        self._sets: dict[int, tuple[Part[T], ...]] = {}

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
        for part in self.parts:
            part.write(view, seat, out)
        if question is not None:
            self._asked.write(question, picked, out)

    def update(self, numbers: array[float], before: T, view: T, seat: Seat) -> None:
        """Turn the numbers of a view, without a question, into those of another view of the same seat."""
        changed = 0
        for dependent in compress(self._dependent, map(is_not, astuple(before), astuple(view))):
            changed |= dependent
        parts = self._sets.get(changed)
        for part in self._set(changed) if parts is None else parts:
            for run, zeros in part.zeros:
                numbers[run] = zeros
            part.write(view, seat, numbers)

    def _set(self, bits: int) -> tuple[Part[T], ...]:
        """The parts of a set."""
        chosen = self._sets[bits] = tuple(
            part for number, part in enumerate(self.parts) if bits >> number & 1
        )
        return chosen

    def add_question(self, question: Prompt, picked: Sequence[Pick], numbers: Floats) -> None:
        """Write the question that `encode` or `update` left out."""
        self._asked.write(question, picked, numbers)


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


def marked(field: str, places: Mapping[str, int], of: str = "") -> Part[T]:
    """A part that marks the ids of one field of the table.

    Args:
        field: holds the ids.
        of: the attribute of the field that holds them instead, such as the "cards" of a pile.
    """
    ids = attrgetter(f"{field}.{of}" if of else field)

    def write(s: T, seat: Seat, out: Floats) -> None:
        mark(out, places, ids(s))

    return Part((field,), places.values(), write)
