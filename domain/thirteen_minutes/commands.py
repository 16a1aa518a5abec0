"""The Command: place or remove one's own cubes on one territory (book 002, Commands)."""

from __future__ import annotations

from typing import ClassVar

from domain.kernel import Picks, Resolution, Seat, Step
from domain.thirteen_minutes.board import Side
from domain.thirteen_minutes.components import CommandOp, Filter
from domain.thirteen_minutes.cubes import placing, removing
from domain.thirteen_minutes.facts import CommandDeclined
from domain.thirteen_minutes.rules import card, passes, placeable
from domain.thirteen_minutes.state import State


class _Ordered(Step[State], frozen=True):
    """A Command of the number printed on `card`, or (`step` given) of that step of its event."""

    rule: ClassVar[str] = "book 002, Commands; T-COMMAND"

    side: Side
    card: str
    step: int | None

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (s.seats[self.side],)

    def op(self, s: State) -> CommandOp:
        """Strength and filter; the printed Command reaches every territory."""
        face = card(s, self.card)
        op = None if self.step is None else face.event.steps[self.step]
        return op if isinstance(op, CommandOp) else CommandOp(face.command, Filter())


class Command(_Ordered, frozen=True):
    """On which territory?  No pick: a Command of no cubes, and nothing slides."""

    spelling = ("cuba", "{card}")

    def options(self, s: State, seat: Seat) -> Picks:
        where = self.op(s).filter
        return tuple(
            name
            for name, lies in s.territories.items()
            if (lies.cubes(self.side) or placeable(s, self.side, name)) and passes(s, where, self.side, name)
        )

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        return 0, 1

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"side": self.side, "card": self.card, "cubes": self.op(s).cubes}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if picks:
            yield CommandCubes(self.side, self.card, self.step, picks[0])
        else:
            yield CommandDeclined(self.side, self.card)


class CommandCubes(_Ordered, frozen=True):
    """Place or remove, and how many?"""

    spelling = ("place:{number}", "remove:{number}")
    territory: str

    def options(self, s: State, seat: Seat) -> Picks:
        most = self.op(s).cubes
        place = min(most, placeable(s, self.side, self.territory))
        remove = min(most, s.territories[self.territory].cubes(self.side))
        return (
            *(f"place:{cubes}" for cubes in range(1, place + 1)),
            *(f"remove:{cubes}" for cubes in range(1, remove + 1)),
        )

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"side": self.side, "territory": self.territory, "cubes": self.op(s).cubes}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        verb, _, count = picks[0].partition(":")
        if verb == "place":
            yield from placing(s, self.side, self.territory, int(count))
        else:
            yield from removing(s, self.side, self.side, self.territory, int(count))
