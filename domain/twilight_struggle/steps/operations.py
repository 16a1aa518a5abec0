"""Conducting Operations: influence, Coups, realignments, the Space Race."""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from domain.kernel import Detail, Draw, Ended, Pick, Picks, Resolution, Seat, Step
from domain.twilight_struggle.components import MAP, OTHER, SPACE, US, USSR
from domain.twilight_struggle.facts.board import CoupRolled, RealignmentRolled
from domain.twilight_struggle.facts.tracks import SpaceDeclined, SpaceRolled
from domain.twilight_struggle.rules.board import effects, influence
from domain.twilight_struggle.rules.odds import coup_odds, realignment_odds, space_odds
from domain.twilight_struggle.rules.operations import (
    COUP,
    INFLUENCE,
    KINDS,
    REALIGN,
    SPACE_RACE,
    Ops,
    cost,
    coup_modifier,
    crisis,
    kinds,
    lowers_defcon,
    narrowed,
    placeable,
    ransoms,
    realignment_modifier,
    targets,
    value,
)
from domain.twilight_struggle.rules.scoring import score
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.choices import DONE, NONE
from domain.twilight_struggle.steps.deeds import (
    add,
    advance,
    check_victory,
    degrade,
    end_effect,
    gain,
    military,
    remove,
)
from domain.twilight_struggle.steps.dice import DICE, PAIRS, coordinates

RANSOM = "ransom"


def ransomed(s: State, seat: Seat) -> Picks:
    """The ways to end the Cuban Missile Crisis by paying influence, as options."""
    return tuple(f"{RANSOM}:{country}" for country in ransoms(s, seat))


def pay_ransom(s: State, seat: Seat, country: str) -> Resolution[State]:
    """The side pays 2 influence, and the Cuban Missile Crisis is over for it."""
    s = yield from remove(s, seat, country, 2)
    yield from end_effect(s, "cuban_missile_crisis", seat, country)


class Conducting(Step[State], frozen=True):
    """`seat` conducts these Operations."""

    seat: Seat
    ops: Ops

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,)


class Operate(Conducting, frozen=True):
    """Which kind of Operations; those that an event grants may be declined."""

    spelling = ("ransom:{country}", "coup", "influence", "none", "realign", "space")
    rule: ClassVar[str] = "book 003, 6: all points of a card go to one use"
    among: tuple[str, ...] = ()  # all but the Space Race

    def options(self, s: State, seat: Seat) -> Picks:
        found = kinds(s, self.seat, self.ops, self.among or KINDS)
        decline = (NONE,) if self.ops.granted else ()
        return (*found, *decline, *ransomed(s, self.seat)) if found else ()

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"card": self.ops.card, "points": value(s, self.seat, self.ops)}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if not picks or picks[0] == NONE:
            return
        verb, _, country = picks[0].partition(":")
        if verb == RANSOM:
            yield from pay_ransom(s, self.seat, country)
            yield self
        else:
            yield conduct(self.seat, self.ops, verb)


def conduct(seat: Seat, ops: Ops, kind: str) -> Step[State]:
    """The step for one kind of Operations."""
    if kind == INFLUENCE:
        return PlaceInfluence(seat, ops)
    if kind == COUP:
        return Coup(seat, ops)
    if kind == REALIGN:
        return Realign(seat, ops)
    assert kind == SPACE_RACE
    return TrySpace(seat, ops)


# --------------------------------------------------------------------------- influence and realignments


class Spending(Conducting, frozen=True):
    """Points spent one after another.

    `scope` is the narrowest region that holds everything so far ("": nothing yet).  If the optional rule
    allows both uses, `placed` and `realigned` are the countries of each, and no country may have both;
    `turned`: the use was just changed, and a point must be spent before it is changed again.
    """

    spent: int = 0
    scope: str = ""
    placed: Picks = ()
    realigned: Picks = ()
    turned: bool = False

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        most = value(s, self.seat, self.ops, self.scope)
        return {"card": self.ops.card, "left": most - self.spent, "of": most}


class PlaceInfluence(Spending, frozen=True):
    """6.1: the next point of influence."""

    spelling = ("chinese_civil_war", "done", "realign", "{country}")
    rule: ClassVar[str] = "book 003, 6.1: placing influence"

    def options(self, s: State, seat: Seat) -> Picks:
        free = placeable(s, self.seat, self.ops, self.spent, self.scope, self.realigned)
        switch = _switch(s, self, REALIGN) if s.options.realignment_mixed else ()
        return (*free, *switch, DONE) if (free or switch) and self.spent else (*free, *switch)

    def details(self, s: State, seat: Seat) -> dict[Pick, Detail]:
        free = placeable(s, self.seat, self.ops, self.spent, self.scope, self.realigned)
        return {country: Detail(cost(s, self.seat, country)) for country in free}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if not picks or picks[0] == DONE:
            return
        if picks[0] == REALIGN:
            yield turn(self, Realign)
            return
        price = cost(s, self.seat, picks[0])
        yield from add(s, self.seat, picks[0], 1)
        mixed = s.options.realignment_mixed
        yield replace(
            self,
            spent=self.spent + price,
            scope=narrowed(self.scope, picks[0]),
            placed=_with(self.placed, picks[0]) if mixed else (),
            turned=False,
        )


class Realign(Spending, frozen=True):
    """6.2: the next realignment roll, for one point."""

    spelling = ("done", "influence", "{country}")
    rule: ClassVar[str] = "book 003, 6.2: realignment"

    def options(self, s: State, seat: Seat) -> Picks:
        free = realignable(s, self)
        switch = _switch(s, self, INFLUENCE) if s.options.realignment_mixed else ()
        return (*free, *switch, DONE) if (free or switch) and self.spent else (*free, *switch)

    def details(self, s: State, seat: Seat) -> dict[Pick, Detail]:
        return {
            country: replace(realignment_odds(s, self.seat, country), cost=1)
            for country in realignable(s, self)
        }

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if not picks or picks[0] == DONE:
            return
        if picks[0] == INFLUENCE:
            yield turn(self, PlaceInfluence)
            return
        yield RollRealignment(self.seat, picks[0])
        mixed = s.options.realignment_mixed
        where = self.ops.where
        if self.ops.granted and self.ops.card == "junta" and s.options.junta_regions == "one":
            where = replace(where, regions=(MAP[picks[0]].region,))
        yield replace(
            self,
            ops=replace(self.ops, where=where),
            spent=self.spent + 1,
            scope=narrowed(self.scope, picks[0]),
            realigned=_with(self.realigned, picks[0]) if mixed else (),
            turned=False,
        )


def realignable(s: State, step: Spending) -> Picks:
    """Where the next realignment roll may go."""
    return tuple(
        country
        for country in targets(s, step.seat, step.ops, REALIGN)
        if country not in step.placed
        and step.spent < value(s, step.seat, step.ops, narrowed(step.scope, country))
    )


def _switch(s: State, step: Spending, kind: str) -> Picks:
    """The option to go on with the other use (an optional rule), if that is possible."""
    if step.ops.granted or step.turned:
        return ()
    if kind == REALIGN:
        return (REALIGN,) if realignable(s, step) else ()
    possible = placeable(s, step.seat, step.ops, step.spent, step.scope, step.realigned)
    return (INFLUENCE,) if possible else ()


def turn(step: Spending, use: type[Spending]) -> Spending:
    """The rest of the points, for the other use."""
    return use(step.seat, step.ops, step.spent, step.scope, step.placed, step.realigned, turned=True)


def _with(countries: Picks, country: str) -> Picks:
    return countries if country in countries else (*countries, country)


class RollRealignment(Draw[State], frozen=True):
    """Both sides roll; the lower total loses the difference."""

    spelling = ("{number}",)
    rule: ClassVar[str] = "book 003, 6.2.2: realignment rolls"
    seat: Seat
    country: str

    def options(self, s: State, seat: Seat) -> Picks:
        return PAIRS

    def label(self, s: State) -> str:
        return coordinates(s, self.seat, "realignment")

    def face_up(self, s: State) -> bool:
        return True

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        rolls = {US: int(picks[0][0]), USSR: int(picks[0][1])}
        modifiers = {side: realignment_modifier(s, side, self.country) for side in (US, USSR)}
        s = yield RealignmentRolled(self.seat, self.country, rolls, modifiers)
        margin = rolls[US] + modifiers[US] - rolls[USSR] - modifiers[USSR]
        loser = USSR if margin > 0 else US
        if loser == self.seat and s.options.realignment_phasing_player_safe:
            return
        yield from remove(s, loser, self.country, abs(margin))


# --------------------------------------------------------------------------- Coups


class Coup(Conducting, frozen=True):
    """6.3: where the Coup is attempted."""

    spelling = ("ransom:{country}", "{country}")
    rule: ClassVar[str] = "book 003, 6.3: Coups"

    def options(self, s: State, seat: Seat) -> Picks:
        found = targets(s, self.seat, self.ops, COUP)
        return (*found, *ransomed(s, self.seat)) if found else ()

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"card": self.ops.card, "points": value(s, self.seat, self.ops)}

    def details(self, s: State, seat: Seat) -> dict[Pick, Detail]:
        found = targets(s, self.seat, self.ops, COUP)
        return {country: coup_odds(s, self.seat, self.ops, country) for country in found}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if not picks:
            return
        verb, _, country = picks[0].partition(":")
        if verb == RANSOM:
            yield from pay_ransom(s, self.seat, country)
            yield self
            return
        if crisis(s, self.seat):
            yield Ended(OTHER[self.seat], "cuban_missile_crisis", score(s))
        points = value(s, self.seat, self.ops, narrowed("", picks[0]))
        if not self.ops.free:
            s = yield from military(s, self.seat, points)
        if self.seat == US and effects(s, "yuri_and_samantha", USSR):
            s = yield from gain(s, USSR, effects(s, "yuri_and_samantha", USSR), "yuri_and_samantha")
        if lowers_defcon(s, self.seat, picks[0]):
            s = yield from degrade(s)
        yield RollCoup(self.seat, picks[0], points, self.ops)


class RollCoup(Draw[State], frozen=True):
    """The die of a Coup."""

    spelling = ("{number}",)
    rule: ClassVar[str] = "book 003, 6.3.2: the Coup roll"
    seat: Seat
    country: str
    points: int
    ops: Ops

    def options(self, s: State, seat: Seat) -> Picks:
        return DICE

    def label(self, s: State) -> str:
        return coordinates(s, self.seat, "coup")

    def face_up(self, s: State) -> bool:
        return True

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        roll, modifier = int(picks[0]), coup_modifier(s, self.seat, self.country)
        stability = MAP[self.country].stability
        net = roll + self.points + modifier - 2 * stability
        s = yield CoupRolled(self.seat, self.country, roll, self.points, modifier, stability, net)
        if net <= 0:
            return
        enemy = OTHER[self.seat]
        lost = min(net, influence(s, enemy, self.country))
        s = yield from remove(s, enemy, self.country, lost)
        yield from add(s, self.seat, self.country, net - lost)
        if self.ops.granted and self.ops.card == "che" and lost and not self.ops.where.barred:
            again = replace(self.ops, where=replace(self.ops.where, barred=(self.country,)))
            yield Operate(self.seat, again, (COUP,))


# --------------------------------------------------------------------------- the Space Race


class TrySpace(Conducting, frozen=True):
    """6.4: a card is spent on the Space Race; by an optional rule without a roll."""

    spelling = ("none", "roll")
    rule: ClassVar[str] = "book 003, 6.4: the Space Race"

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,) if s.options.space_without_roll else ()

    def options(self, s: State, seat: Seat) -> Picks:
        return ("roll", NONE)

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        box = SPACE[s.space[self.seat] + 1]
        return {"card": self.ops.card, "box": box.box, "need": box.success}

    def details(self, s: State, seat: Seat) -> dict[Pick, Detail]:
        return {"roll": space_odds(s, self.seat)}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if picks == (NONE,):
            yield SpaceDeclined(self.seat, self.ops.card)
        else:
            yield RollSpace(self.seat, self.ops.card)


class RollSpace(Draw[State], frozen=True):
    """The die of the Space Race."""

    spelling = ("{number}",)
    rule: ClassVar[str] = "book 003, 6.4.2: the space roll"
    seat: Seat
    card: str

    def options(self, s: State, seat: Seat) -> Picks:
        return DICE

    def label(self, s: State) -> str:
        return coordinates(s, self.seat, "space")

    def face_up(self, s: State) -> bool:
        return True

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        box, roll = SPACE[s.space[self.seat] + 1], int(picks[0])
        s = yield SpaceRolled(self.seat, self.card, box.box, roll, box.success)
        if roll <= box.success:
            s = yield from advance(s, self.seat, 1, "space")
            yield from check_victory(s)
