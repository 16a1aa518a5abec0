"""Flags, conflict markers, Forts, Squadrons, advantages and the markers that lie on the board."""

from __future__ import annotations

from typing import TypeVar

from msgspec.structs import replace

from domain.imperial_struggle.components import GONE, NAVY_BOX, TURN_TRACK, UNBUILT
from domain.imperial_struggle.points import ActionRound
from domain.imperial_struggle.state import State
from domain.kernel import Fact, Seat
from domain.piles import without

BOXES = {NAVY_BOX: "navy", UNBUILT: "unbuilt", TURN_TRACK: "away"}  # where Squadrons are only counted

Value = TypeVar("Value")


def less(held: dict[str, Value], key: str) -> dict[str, Value]:
    """`held` without `key`."""
    left = held.copy()  # this, and `|`, copy a dict as it is; `dict` and `**` put in key after key
    left.pop(key, None)
    return left


def noted(s: State, *spaces: str) -> ActionRound | None:
    """The action round, with a note that these spaces changed hands in it."""
    now = s.round
    if now is None:
        return None
    news = tuple([space for space in spaces if space not in now.changed])
    return replace(now, changed=now.changed + news) if news else now


class FlagPlaced(Fact[State], frozen=True):
    """A flag now stands in an empty space."""

    side: Seat
    space: str

    def apply(self, s: State) -> State:
        return replace(s, flags=s.flags | {self.space: self.side}, round=noted(s, self.space))


class FlagRemoved(Fact[State], frozen=True):
    """`side` lost its flag in a space, which is empty now."""

    side: Seat
    space: str

    def apply(self, s: State) -> State:
        return replace(s, flags=less(s.flags, self.space), round=noted(s, self.space))


class ConflictPlaced(Fact[State], frozen=True):
    """A Conflict marker; it costs `extra` points more to remove it."""

    space: str
    extra: int
    why: str

    def apply(self, s: State) -> State:
        return replace(s, conflicts={**s.conflicts, self.space: self.extra})


class ConflictRemoved(Fact[State], frozen=True):
    """A Conflict marker left the board."""

    space: str

    def apply(self, s: State) -> State:
        return replace(s, conflicts=less(s.conflicts, self.space))


class FortDamaged(Fact[State], frozen=True):
    """A Fort is damaged; its owner keeps it."""

    side: Seat
    space: str

    def apply(self, s: State) -> State:
        return replace(s, damaged=(*s.damaged, self.space))


class FortRepaired(Fact[State], frozen=True):
    """A Fort is whole again."""

    space: str

    def apply(self, s: State) -> State:
        return replace(s, damaged=tuple(space for space in s.damaged if space != self.space))


class SquadronMoved(Fact[State], frozen=True):
    """A Squadron went from one place to another: naval spaces, the Navy Box, unbuilt, Turn Track, removed.

    `sails`: it was deployed, or took a space in a war, which it does once in a round, or a war.
    """

    side: Seat
    origin: str
    to: str
    sails: bool = False

    def apply(self, s: State) -> State:
        flags, spaces, counted = s.flags, [], {}
        for place, by in ((self.origin, -1), (self.to, 1)):
            if place in BOXES:
                held: dict[Seat, int] = getattr(s, BOXES[place])
                counted[BOXES[place]] = {**held, self.side: held[self.side] + by}
            elif place != GONE:
                flags = less(flags, place) if by < 0 else flags | {place: self.side}
                spaces.append(place)
        sailed = s.sailed
        if self.sails or sailed:
            sailed = self._sailed(sailed, counted.get("navy", s.navy)[self.side])
        return replace(s, flags=flags, round=noted(s, *spaces), sailed=sailed, **counted)

    def _sailed(self, before: tuple[str, ...], navy: int) -> tuple[str, ...]:
        """Where those are now that have sailed; one in the Navy Box, of `navy`, is noted with its side."""
        home = f"{NAVY_BOX}/{self.side}"
        sailed = tuple([place for place in before if place != self.origin])
        if (self.sails or self.origin in before) and self.to not in (UNBUILT, TURN_TRACK, GONE):
            return (*sailed, home if self.to == NAVY_BOX else self.to)
        if sailed.count(home) > navy:  # one that had sailed left the Navy Box
            sailed = without(sailed, home)
        return sailed


class AdvantageTaken(Fact[State], frozen=True):
    """A side flags every space that an advantage needs, and takes it."""

    side: Seat
    advantage: str

    def apply(self, s: State) -> State:
        now = s.round and replace(s.round, taken=(*s.round.taken, self.advantage))
        return replace(s, advantages={**s.advantages, self.advantage: self.side}, round=now)


class AdvantageReturned(Fact[State], frozen=True):
    """A side lost one of the spaces, and the advantage lies on the board again."""

    side: Seat
    advantage: str

    def apply(self, s: State) -> State:
        return replace(s, advantages=less(s.advantages, self.advantage))


class AdvantageUsed(Fact[State], frozen=True):
    """A side uses an advantage; `exhausts`: it is Exhausted now, and counts as one of the two of a round."""

    side: Seat
    advantage: str
    exhausts: bool

    def apply(self, s: State) -> State:
        now = s.round
        if not self.exhausts:
            return replace(s, round=now and replace(now, acted=True))
        left = [item for item in s.exhausted if item != self.advantage]
        now = now and replace(now, used=(*now.used, self.advantage), acted=True)
        return replace(s, exhausted=(*left, self.advantage), round=now)


class AdvantageExhausted(Fact[State], frozen=True):
    """An advantage is Exhausted without having been used."""

    advantage: str

    def apply(self, s: State) -> State:
        return replace(s, exhausted=(*s.exhausted, self.advantage))


class AdvantageRefreshed(Fact[State], frozen=True):
    """An advantage is no longer Exhausted."""

    advantage: str

    def apply(self, s: State) -> State:
        return replace(s, exhausted=tuple(item for item in s.exhausted if item != self.advantage))


class HuguenotsPlaced(Fact[State], frozen=True):
    """A Huguenots marker lies in a Territory, unused."""

    space: str

    def apply(self, s: State) -> State:
        return replace(s, huguenots={**s.huguenots, self.space: True})


class HuguenotsTurned(Fact[State], frozen=True):
    """A Huguenots marker was used (`ready` false), or may be used again."""

    space: str
    ready: bool

    def apply(self, s: State) -> State:
        return replace(s, huguenots={**s.huguenots, self.space: self.ready})


class HuguenotsRemoved(Fact[State], frozen=True):
    """A Huguenots marker left the game with its Territory."""

    space: str

    def apply(self, s: State) -> State:
        return replace(s, huguenots=less(s.huguenots, self.space))
