"""Events: each step of the event language as a step of the agenda (book 002, Event).

Every step is "up to": no pick declines it.  `side` is the executor; `step` is the index of the step in the
card's event.  What a step may touch is checked before it moves anything.
"""

from __future__ import annotations

from typing import Any, ClassVar

from domain.kernel import Draw, Picks, Resolution, Seat, Step
from domain.thirteen_minutes.board import NEUTRAL, OPPONENT, Side, Zone
from domain.thirteen_minutes.commands import Command
from domain.thirteen_minutes.components import (
    CommandOp,
    PeekCubaOp,
    PeekHandOp,
    PlaceOp,
    RemoveOp,
    ShiftOp,
    SwapOp,
    TransferOp,
)
from domain.thirteen_minutes.cubes import Changes, placing, removing, shifting
from domain.thirteen_minutes.facts import CubaSeen, HandSeen, TopExchanged, TopSeen
from domain.thirteen_minutes.rules import card, one_step, passes, placeable, room
from domain.thirteen_minutes.state import State


def event_steps(s: State, me: Side, card_id: str) -> Resolution[State]:
    """The event of a card, executed by `me`, step by step."""
    for i, op in enumerate(card(s, card_id).event.steps):
        yield _STEPS[type(op)](me, card_id, i)


class _EventStep(Step[State], frozen=True):
    """Step `step` of the event of `card`, executed by `side`."""

    rule: ClassVar[str] = "book 002, Event; T-EVENT-SLIDE"

    side: Side
    card: str
    step: int

    def op(self, s: State) -> Any:
        return card(s, self.card).event.steps[self.step]


class _Asked(_EventStep, frozen=True):
    """A step that asks its executor."""

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (s.seats[self.side],)


# --------------------------------------------------------------------------- place and remove


def _movable(s: State, me: Side, op: PlaceOp | RemoveOp, territory: str) -> int:
    """How many cubes the step can place on, or remove from, one territory."""
    if isinstance(op, PlaceOp):
        return min(op.per_territory, placeable(s, me, territory))
    return min(op.per_territory, s.territories[territory].cubes(_owner(me, op)))


def _owner(me: Side, op: RemoveOp) -> Side:
    return me if op.cubes_of == "executor" else OPPONENT[me]


class _Territories(_Asked, frozen=True):
    """On which territories?"""

    spelling = ("cuba", "{card}")

    def options(self, s: State, seat: Seat) -> Picks:
        op = self.op(s)
        return tuple(
            name
            for name in s.territories
            if passes(s, op.filter, self.side, name) and _movable(s, self.side, op, name)
        )

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        return 0, min(self.op(s).territories, len(self.options(s, seat)))

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"side": self.side, "card": self.card, "cubes": self.op(s).per_territory}


class Place(_Territories, frozen=True):
    """On which territories are cubes placed?"""

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        least, most = super().bounds(s, seat)
        return least, min(most, s.supply[self.side])

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if picks:
            yield PlaceCount(self.side, self.card, self.step, picks)


class Remove(_Territories, frozen=True):
    """From which territories are cubes removed?"""

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if picks:
            yield RemoveCount(self.side, self.card, self.step, picks)


class _Count(_EventStep, frozen=True):
    """How many cubes on the first of `territories`?  If only one is possible, no question is asked."""

    spelling = ("{number}",)
    territories: tuple[str, ...]

    def most(self, s: State) -> int:
        return _movable(s, self.side, self.op(s), self.territories[0])

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (s.seats[self.side],) if self.most(s) > 1 else ()

    def options(self, s: State, seat: Seat) -> Picks:
        return tuple(str(cubes) for cubes in range(1, self.most(s) + 1))

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"side": self.side, "card": self.card, "territory": self.territories[0]}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield from self.moving(s, int(picks[0]) if picks else 1)
        if self.territories[1:]:
            yield type(self)(self.side, self.card, self.step, self.territories[1:])

    def moving(self, s: State, cubes: int) -> Changes:
        raise NotImplementedError


class PlaceCount(_Count, frozen=True):
    """How many cubes are placed there?  One must stay in the supply for each further territory."""

    def most(self, s: State) -> int:
        return min(super().most(s), s.supply[self.side] - len(self.territories[1:]))

    def moving(self, s: State, cubes: int) -> Changes:
        return placing(s, self.side, self.territories[0], cubes)


class RemoveCount(_Count, frozen=True):
    """How many cubes are removed from there?"""

    def moving(self, s: State, cubes: int) -> Changes:
        return removing(s, self.side, _owner(self.side, self.op(s)), self.territories[0], cubes)


# --------------------------------------------------------------------------- transfer


def _targets(s: State, me: Side, op: TransferOp, source: str, cubes: int) -> Picks:
    return tuple(
        name
        for name in s.territories
        if name != source and passes(s, op.filter, me, name) and room(s, me, name) >= cubes
    )


class TransferFrom(_Asked, frozen=True):
    """How many cubes of the executor's own, and from where?"""

    spelling = ("{number}:cuba", "{number}:{card}")

    def options(self, s: State, seat: Seat) -> Picks:
        op: TransferOp = self.op(s)
        return tuple(
            f"{cubes}:{name}"
            for name, lies in s.territories.items()
            if passes(s, op.filter, self.side, name)
            for cubes in range(1, min(op.up_to, lies.cubes(self.side)) + 1)
            if _targets(s, self.side, op, name, cubes)
        )

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        return 0, 1

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"side": self.side, "card": self.card, "cubes": self.op(s).up_to}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if picks:
            count, _, source = picks[0].partition(":")
            yield TransferTo(self.side, self.card, self.step, source, int(count))


class TransferTo(_Asked, frozen=True):
    """Onto which other territory?"""

    spelling = ("cuba", "{card}")
    source: str
    cubes: int

    def options(self, s: State, seat: Seat) -> Picks:
        return _targets(s, self.side, self.op(s), self.source, self.cubes)

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"side": self.side, "card": self.card, "source": self.source, "cubes": self.cubes}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        s = yield from removing(s, self.side, self.side, self.source, self.cubes)
        yield from placing(s, self.side, picks[0], self.cubes)


# --------------------------------------------------------------------------- shift


class Shift(_Asked, frozen=True):
    """Which territories slide, and where to?  Those in `done` have slid already in this step."""

    spelling = (
        "neutral:cuba",
        "neutral:{card}",
        "us_sphere:cuba",
        "us_sphere:{card}",
        "ussr_sphere:cuba",
        "ussr_sphere:{card}",
    )
    done: tuple[str, ...] = ()

    def options(self, s: State, seat: Seat) -> Picks:
        op: ShiftOp = self.op(s)
        return tuple(
            f"{zone}:{name}"
            for name, lies in s.territories.items()
            if name not in self.done and passes(s, op.filter, self.side, name)
            for zone in self._reached(op, lies.zone)
            if zone != lies.zone
        )

    def _reached(self, op: ShiftOp, zone: Zone) -> tuple[Zone, ...]:
        executor, opponent = one_step(zone, self.side), one_step(zone, OPPONENT[self.side])
        return {
            "either": (executor, opponent),
            "toward_executor": (executor,),
            "toward_opponent": (opponent,),
            "toward_neutral": (NEUTRAL,),
        }[op.direction]

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        """One at a time if a territory can slide both ways."""
        op: ShiftOp = self.op(s)
        left = 1 if op.direction == "either" else op.territories
        return 0, min(left, len(self.options(s, seat)))

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"side": self.side, "card": self.card, "territories": self.op(s).territories - len(self.done)}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        op: ShiftOp = self.op(s)
        done = self.done
        for pick in picks:
            zone, _, territory = pick.partition(":")
            done += (territory,)
            s = yield from shifting(s, territory, zone)
        if picks and op.direction == "either" and len(done) < op.territories:
            yield Shift(self.side, self.card, self.step, done)


# --------------------------------------------------------------------------- looking at hidden cards


class LookAtCuba(_EventStep, frozen=True):
    """The executor sees the Cuba card.  A look costs nothing, so the executor is not asked."""

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield CubaSeen(s.seats[self.side], self.side, s.cuba)


class LookAtHand(_EventStep, frozen=True):
    """The executor sees the opponent's hand."""

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        of = OPPONENT[self.side]
        yield HandSeen(s.seats[self.side], self.side, of, s.hands[of])


class LookAtTop(_EventStep, frozen=True):
    """The executor sees the top card of the deck, if there is one, and may exchange it."""

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if s.deck.size == 0:
            return
        if s.deck.top:
            yield TopSeen(s.seats[self.side], self.side, s.deck.top[0])
        else:
            yield DrawTop(self.side)
        yield ExchangeTop(self.side, self.card, self.step)


class DrawTop(Draw[State], frozen=True):
    """Which card lies on top?  From now on its position is fixed."""

    spelling = ("{card}",)
    side: Side

    def label(self, s: State) -> str:
        return f"top/b{s.battle}/{s.seats[self.side]}/{s.plays}"

    def options(self, s: State, seat: Seat) -> Picks:
        return s.deck.cards

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield TopSeen(s.seats[self.side], self.side, picks[0])


class ExchangeTop(_Asked, frozen=True):
    """Which card of the hand goes on top of the deck in exchange?"""

    spelling = ("{card}",)
    secret: ClassVar[bool] = True

    def options(self, s: State, seat: Seat) -> Picks:
        return s.hands[self.side]

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        return 0, 1

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"side": self.side, "card": self.card, "top": s.deck.top[0]}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if picks:
            yield TopExchanged(seat, self.side, picks[0], s.deck.top[0])


_STEPS: dict[type, type[_EventStep] | type[Command]] = {
    PlaceOp: Place,
    RemoveOp: Remove,
    TransferOp: TransferFrom,
    ShiftOp: Shift,
    CommandOp: Command,
    PeekCubaOp: LookAtCuba,
    PeekHandOp: LookAtHand,
    SwapOp: LookAtTop,
}
