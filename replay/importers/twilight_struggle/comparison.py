"""Compares every number that a log states with what our rules did.

For each fact the statement about it is looked up, and its numbers are compared.  A statement that has no fact
by the end of its entry is a mismatch, too.  What a log leaves out is not a mismatch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from domain.kernel import Fact, Seat
from domain.twilight_struggle.components import US, USSR
from domain.twilight_struggle.facts.board import CoupRolled, InfluenceSet, RealignmentRolled, WarRolled
from domain.twilight_struggle.facts.cards import (
    CardDiscarded,
    CardsShown,
    DiscardsReshuffled,
    HandShown,
    TopDiscarded,
)
from domain.twilight_struggle.facts.flow import EventBegan, HeadlineShown, TrapRolled
from domain.twilight_struggle.facts.tracks import (
    CountryLeftOut,
    DefconSet,
    MilitarySet,
    RegionScored,
    ScoreMoved,
    SpaceRolled,
    SpaceSet,
)
from domain.twilight_struggle.rules.board import controls, influence
from domain.twilight_struggle.state import State
from replay.importers.twilight_struggle import structure as log
from replay.importers.twilight_struggle.stated_position import nothing
from replay.importers.twilight_struggle.statement_pool import Item, Pool

Value = int | str | list[int] | None
COUNTED = (
    log.InfluenceChange,
    log.CoupRoll,
    log.RealignmentRoll,
    log.WarRoll,
    log.SpaceRoll,
    log.SpaceAdvance,
    log.TrapRoll,
    log.Military,
    log.Defcon,
    log.Score,
)


class Mismatch(Struct, frozen=True):
    """A line of the log, what it is about, and the two values."""

    line: int
    what: str
    stated: Value
    ours: Value


class Checker:
    """Compares what happens with the statements of the entry in which it happens."""

    def __init__(self) -> None:
        self.pool = Pool()
        self.checked = 0
        self.mismatches: list[Mismatch] = []
        self.faults: list[Mismatch] = []
        self.left_out = False  # Shuttle Diplomacy: a country does not count in the scoring that comes
        self.shuttled = 0  # what the log pays the US for it, where that is the known fault of its edition
        self.late: tuple[log.Score, Value] | None = None
        self.stated = nothing()
        self.table: State | None = None  # the latest
        self.then: State | None = None  # on which that was stated

    def compare(self, line: int, what: str, stated: Value, ours: Value) -> None:
        """Compare one stated value."""
        self.checked += 1
        if stated != ours:
            self.mismatches.append(Mismatch(line, what, stated, ours))

    def agree(self, said: log.Statement, what: str, stated: Value, ours: Value) -> None:
        """Compare one stated value of a marker or of influence; if it differs, the log is followed."""
        self.compare(said.line, what, stated, ours)
        if stated != ours:
            self.parted(said)
        else:
            self.stated.forget(said)

    def agree_late(self, said: log.Score, ours: int) -> None:
        """The last score line of a turn may stand before or after the cleanup: either moment fits."""
        if said.now != ours and not any(self.pool.unused(log.Score)):
            self.late = (said, ours)
        else:
            self.agree(said, "score", said.now, ours)

    def settle(self, s: State) -> None:
        """The entry is over, and so is the cleanup of its turn."""
        if self.late is not None:
            said, ours = self.late
            self.late = None
            self.agree(said, "score", said.now, s.vp if said.now == s.vp else ours)

    def parted(self, said: log.Statement) -> None:
        """A line states another value than our rules have: the stated value counts from now on."""
        self.stated.take(said)
        self.then = self.table

    def observe(self, fact: Fact[State], s: State) -> None:
        """Compare a fact, with the table after it."""
        self.table = s
        check = CHECKS.get(type(fact))
        if check is not None:
            check(self, fact, s)

    @property
    def next_line(self) -> int:
        """Return the first line of the entry that no fact has answered yet; 0 if there is none."""
        items = self.pool.items
        return next((i.said.line for i in items if not i.used and isinstance(i.said, COUNTED)), 0)

    def unanswered(self, paragraph: int) -> int:
        """Return how many values of a paragraph no fact has answered yet."""
        items = (item for item in self.pool.items if item.paragraph == paragraph)
        return sum(not item.used and isinstance(item.said, COUNTED) for item in items)

    def leave(self, s: State) -> None:
        """The entry is over on this table: each statement without a fact is a mismatch."""
        self.table = s
        self.settle(s)
        for item, said in self.pool.unused(log.Score):
            if said.by == 0:  # "no points": nothing happened, and the score stands
                item.take()
                self.agree(said, "score", said.now, s.vp)
        for item in self.pool.items:
            if not item.used and isinstance(item.said, COUNTED):
                self.checked += 1
                self.mismatches.append(Mismatch(item.said.line, _what(item.said), _stated(item.said), None))
                item.used = True
                self.parted(item.said)


def _what(said: log.Statement) -> str:
    place = getattr(said, "country", "")
    return f"{type(said).__name__} {place}".strip()


def _stated(said: log.Statement) -> Value:
    for name in ("by", "to", "box", "die"):
        if hasattr(said, name):
            return int(getattr(said, name))
    return None


# --------------------------------------------------------------------------- facts


def _influence(checker: Checker, fact: InfluenceSet, s: State) -> None:
    found = _change(checker.pool, fact)
    if found is None and checker.pool.stops:
        return  # in the middle of what happened
    if found is None:
        checker.compare(checker.pool.line, f"influence {fact.side} {fact.country}", None, fact.by)
        was = [influence(s, side, fact.country) - fact.by * (side == fact.side) for side in (US, USSR)]
        checker.parted(log.InfluenceChange(checker.pool.line, fact.side, 0, fact.country, *was))
        return
    item, said = found
    if item.left < abs(fact.by):
        checker.compare(said.line, f"influence {fact.side} {fact.country}", said.by, fact.by)
        item.left = abs(fact.by)
    item.take(abs(fact.by))
    if item.used:
        ours = [influence(s, US, fact.country), influence(s, USSR, fact.country)]
        checker.agree(said, f"influence in {fact.country}", [said.us, said.ussr], ours)


def _change(pool: Pool, fact: InfluenceSet) -> tuple[Item, log.InfluenceChange] | None:
    """The statement about a change: in this paragraph, if there is one."""

    def fits(said: log.InfluenceChange) -> bool:
        return (said.side, said.country, said.by > 0) == (fact.side, fact.country, fact.by > 0)

    return pool.near(log.InfluenceChange, fits)


def _defcon(checker: Checker, fact: DefconSet, s: State) -> None:
    def fits(said: log.Defcon) -> bool:
        return said.improves == (fact.now > fact.was)

    found = checker.pool.near(log.Defcon, fits)
    if found:
        found[0].take()
        checker.agree(found[1], "DEFCON", found[1].to, fact.now)


def _score(checker: Checker, fact: ScoreMoved, s: State) -> None:
    if checker.shuttled:
        _faulty(checker, s)
        return
    found = checker.pool.near(log.Score, lambda said: said.side == fact.seat and said.by == fact.points)
    found = found or checker.pool.near(log.Score, lambda said: said.by > 0)
    if found and not (fact.why == "military_operations" and found[1].by != fact.points):
        item, said = found
        item.take()
        sign = 1 if fact.seat == US else -1
        checker.compare(
            said.line, "victory points", said.by if said.side == US else -said.by, sign * fact.points
        )
        if fact.why == "military_operations":
            before = s.vp - sign * fact.points
            checker.agree(said, "score", said.now, said.now if said.now == before else s.vp)
        else:
            checker.agree_late(said, s.vp)


def _left_out(checker: Checker, fact: CountryLeftOut, s: State) -> None:
    checker.left_out = True


def _faulty(checker: Checker, s: State) -> None:
    """Asia under Shuttle Diplomacy, Japan with the USSR: that edition pays the USSR 1 point too much."""
    checker.shuttled -= 1
    found = checker.pool.near(log.Score)
    if found:
        item, said = found
        item.take()
        checker.checked += 1
        checker.faults.append(Mismatch(said.line, "score of Asia", said.now, s.vp))
        checker.parted(said)


def _is_faulty(checker: Checker, fact: RegionScored, s: State) -> bool:
    left_out, checker.left_out = checker.left_out, False
    if not left_out or fact.region != "asia" or not controls(s, USSR, "japan"):
        return False
    found = checker.pool.near(log.Score)
    return found is not None and (found[1].by if found[1].side == US else -found[1].by) == fact.net - 1


def _scored(checker: Checker, fact: RegionScored, s: State) -> None:
    if _is_faulty(checker, fact, s):
        checker.shuttled = 1
        if fact.net == 0:
            _faulty(checker, s)
        return
    if fact.net == 0:
        found = checker.pool.near(log.Score, lambda said: said.by == 0)
        if found:
            found[0].take()
            checker.agree(found[1], "score", found[1].now, s.vp)


def _military(checker: Checker, fact: MilitarySet, s: State) -> None:
    found = checker.pool.near(log.Military, lambda said: said.side == fact.side)
    if found:
        found[0].take()
        checker.agree(found[1], f"Military Operations {fact.side}", found[1].to, fact.now)


def _space(checker: Checker, fact: SpaceSet, s: State) -> None:
    found = checker.pool.near(log.SpaceAdvance, lambda said: said.side == fact.side)
    if found:
        found[0].take()
        checker.agree(found[1], f"Space Race {fact.side}", found[1].box, fact.now)


def _coup(checker: Checker, fact: CoupRolled, s: State) -> None:
    found = checker.pool.near(log.CoupRoll)
    if found is None:
        checker.compare(checker.pool.line, f"Coup in {fact.country}", None, fact.net)
        return
    item, said = found
    item.take()
    checker.compare(said.line, "Coup: die", said.die, fact.roll)
    checker.compare(said.line, "Coup: success", said.success, fact.net > 0)
    if said.ops is not None:
        checker.compare(said.line, "Coup: Operations", said.ops, fact.ops)
        checker.compare(said.line, "Coup: modifier", said.modifier, fact.modifier)
    if said.stability is not None:
        checker.compare(said.line, "Coup: stability", said.stability, fact.stability)
    if said.net is not None:
        checker.compare(said.line, "Coup: result", said.net, fact.net)


def rolled_by(side: Seat) -> Callable[[log.RealignmentRoll], bool]:
    """The die of this side."""
    return lambda said: said.side == side


def _realignment(checker: Checker, fact: RealignmentRolled, s: State) -> None:
    for side in (USSR, US):
        found = checker.pool.near(log.RealignmentRoll, rolled_by(side))
        if found is None:
            checker.compare(
                checker.pool.line, f"realignment of {fact.country}, {side}", None, fact.rolls[side]
            )
            continue
        item, said = found
        item.take()
        # Logs leave the -1 of Iran-Contra Scandal out of the modifier and of the total.
        scandal = sum(one.card == "iran_contra_scandal" for one in s.effects) if side == US else 0
        checker.compare(said.line, f"realignment die {side}", said.die, fact.rolls[side])
        checker.compare(
            said.line, f"realignment modifier {side}", said.modifier, fact.modifiers[side] + scandal
        )
        checker.compare(said.line, f"realignment total {side}", said.total, said.die + said.modifier)


def _war(checker: Checker, fact: WarRolled, s: State) -> None:
    begun = checker.pool.near(log.WarBegins)
    if begun:
        begun[0].take()
        checker.compare(begun[1].line, "war in", begun[1].country, fact.country)
    found = checker.pool.near(log.WarRoll)
    if found:
        item, said = found
        item.take()
        checker.compare(said.line, "war: die", said.die, fact.roll)
        checker.compare(said.line, "war: modifier", said.modifier, -fact.minus)
        checker.compare(said.line, "war: needed", said.needed, fact.need)
        checker.compare(said.line, "war: won", said.success, fact.won)


def _spaced(checker: Checker, fact: SpaceRolled, s: State) -> None:
    found = checker.pool.near(log.SpaceRoll)
    if found:
        item, said = found
        item.take()
        checker.compare(said.line, "space: die", said.die, fact.roll)
        checker.compare(said.line, "space: needed", said.needed, fact.need)
        checker.compare(said.line, "space: success", said.success, fact.roll <= fact.need)


def _trap(checker: Checker, fact: TrapRolled, s: State) -> None:
    found = checker.pool.near(log.TrapRoll)
    if found:
        item, said = found
        item.take()
        checker.compare(said.line, "trap: die", said.die, fact.roll)
        checker.compare(said.line, "trap: needed", said.needed, 4)
        checker.compare(said.line, "trap: escaped", said.escaped, fact.escaped)


def _named(kind: type[Any], field: str) -> Callable[[Checker, Any, State], None]:
    """The statement of this kind that names the fact's card is answered."""

    def check(checker: Checker, fact: Any, s: State) -> None:
        card = getattr(fact, field)
        for item, said in checker.pool.unused(kind):
            if said.card == card:
                item.take()

    return check


def _event(checker: Checker, fact: EventBegan, s: State) -> None:
    found = checker.pool.first(log.EventNamed, lambda said: said.card == fact.card)
    if found:
        checker.pool.enter(found[0])
    for item, said in [*checker.pool.unused(log.EventNamed)] if found else ():
        if said.card != fact.card:
            break
        item.take()  # sometimes it is printed twice


def _shown(checker: Checker, fact: HandShown | CardsShown, s: State) -> None:
    found = [item for item, said in checker.pool.unused(log.Reveals) if _is_of(said, fact)]
    for item in found:
        if item.paragraph == found[0].paragraph:  # another event may show one of them once more
            item.take()


def _is_of(said: log.Reveals, fact: HandShown | CardsShown) -> bool:
    return said.side == fact.seat and said.card in fact.cards


def _reshuffled(checker: Checker, fact: DiscardsReshuffled, s: State) -> None:
    found = checker.pool.first(log.Reshuffle)
    if found:
        found[0].take()


CHECKS: dict[type[Fact[State]], Callable[[Checker, Any, State], None]] = {
    InfluenceSet: _influence,
    DefconSet: _defcon,
    ScoreMoved: _score,
    CountryLeftOut: _left_out,
    RegionScored: _scored,
    MilitarySet: _military,
    SpaceSet: _space,
    CoupRolled: _coup,
    RealignmentRolled: _realignment,
    WarRolled: _war,
    SpaceRolled: _spaced,
    TrapRolled: _trap,
    EventBegan: _event,
    DiscardsReshuffled: _reshuffled,
    HandShown: _shown,
    CardsShown: _shown,
    CardDiscarded: _named(log.Discards, "card"),
    TopDiscarded: _named(log.Discards, "card"),
    HeadlineShown: _named(log.Headlined, "card"),
}
