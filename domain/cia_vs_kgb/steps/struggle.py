"""The Influence Struggle: actions, faction powers, and the events that belong to this phase."""

from __future__ import annotations

from typing import ClassVar

from domain.cia_vs_kgb.facts.decks import GroupRecruited, TopDiscarded
from domain.cia_vs_kgb.facts.preparation import PhaseBegan
from domain.cia_vs_kgb.facts.struggle import (
    DiscardRecruited,
    EventUsed,
    FirstChosen,
    GroupActivated,
    GroupDestroyed,
    GroupTransferred,
    GroupTurned,
    Passed,
    TopLeft,
)
from domain.cia_vs_kgb.rules import (
    FACTION,
    OTHER,
    POINTS,
    SEATS,
    can_activate,
    contested,
    economic_targets,
    has_room,
    has_target,
    influence,
    is_fixed_above,
    military_in_play,
    military_targets,
    owner,
    political_targets,
    score,
    struggle_events,
    uppermost,
)
from domain.cia_vs_kgb.state import State
from domain.cia_vs_kgb.steps.preparation import LookAtGroups, RevealAgent
from domain.kernel import CHANCE, Draw, Picks, Resolution, Seat, Step


def used(s: State, seat: Seat, event: str) -> EventUsed:
    """An event leaves the game, and its points are lost (R-EVENT-USE)."""
    return EventUsed(seat, event, POINTS[event], score(s)[seat] - POINTS[event])


class Struggle(Step[State], frozen=True):
    """The phase begins: the holder of the balance token says which side acts first."""

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        assert s.balance is not None
        yield PhaseBegan("influence_struggle")
        yield ChooseFirst(s.balance)


class ChooseFirst(Step[State], frozen=True):
    """The holder decides, and may name either side (R-BALANCE)."""

    spelling = ("{seat}",)
    rule: ClassVar[str] = "book 004, 3 Influence Struggle"
    seat: Seat

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,)

    def options(self, s: State, seat: Seat) -> Picks:
        return SEATS

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield FirstChosen(self.seat, picks[0])
        yield Act(picks[0])


class Act(Step[State], frozen=True):
    """One action: recruit, activate, pass, or an event; `row` is the number of passes just before it."""

    spelling = ("activate:{group}", "event:{objective}", "pass", "recruit")
    rule: ClassVar[str] = "book 004, 3 Influence Struggle"
    seat: Seat
    row: int = 0

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,)

    def options(self, s: State, seat: Seat) -> Picks:
        groups, recruits = s.recruited[seat], s.groups.size > 0
        ready = [f"activate:{group}" for group in groups if can_activate(s, seat, group)]
        if recruits and has_room(s, seat):
            ready.insert(0, "recruit")
        if groups or not recruits:  # R-MUST-RECRUIT; with an empty deck R-EMPTY-GROUP-DECK
            ready.append("pass")
        return (*ready, *struggle_events(s, seat))

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        objective = contested(s)
        mine, theirs = influence(s, seat), influence(s, OTHER[seat])
        return {
            "objective": objective.id,
            "stability": objective.stability,
            "population": objective.population,
            "mine": mine,
            "theirs": theirs,
            "passes": self.row,
        }

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        verb, _, what = picks[0].partition(":")
        if what == "summit_meeting":  # an extra: neither an action nor the end of a row of passes
            yield used(s, seat, what)
            yield RevealAgent(OTHER[seat], what)
            yield self
        elif verb == "pass":
            yield Passed(seat, self.row + 1)
            if self.row == 0:
                yield Act(OTHER[seat], 1)
        else:
            yield from _act(s, seat, verb, what)
            yield Act(OTHER[seat])


def _act(s: State, me: Seat, verb: str, what: str) -> Resolution[State]:
    """Every action that ends a row of passes."""
    if verb == "recruit":
        yield Recruit(me)
    elif verb == "activate":
        s = yield GroupActivated(me, what)
        if has_target(s, me, what):
            yield from _power(me, what)
    else:
        s = yield used(s, me, what)
        if what == "live_benefit":
            yield DiscardRecruited(me, s.discards[-1])
        else:
            yield Escalate(me)


def _power(me: Seat, group: str) -> Resolution[State]:
    faction = FACTION[group]
    if faction == "military":
        yield Destroy(me, group)
    elif faction == "economic":
        yield TurnGroup(me, group)
    elif faction == "political":
        yield Transfer(me, group)
    else:
        yield LookAtGroups(me, 1, "media")
        yield UseTop(me, group)


class Recruit(Draw[State], frozen=True):
    """The top group of the deck is recruited: by a draw, unless its position is fixed."""

    spelling = ("{group}",)
    rule: ClassVar[str] = "book 004, 3 Influence Struggle, recruiting"
    seat: Seat

    def asks(self, s: State) -> tuple[Seat, ...]:
        return () if is_fixed_above(s.groups) else (CHANCE,)

    def options(self, s: State, seat: Seat) -> Picks:
        return s.groups.cards

    def label(self, s: State) -> str:
        return f"group/t{s.turn}/{self.seat}"

    def face_up(self, s: State) -> bool:
        return True  # drawn only when no secret card lies on the loose ones

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield GroupRecruited(self.seat, uppermost(s.groups, 1, picks)[0])


class Power(Step[State], frozen=True):
    """The power of a group that was just mobilized."""

    seat: Seat
    group: str

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,)

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"group": self.group}


class Destroy(Power, frozen=True):
    """Military: any other group of either side is discarded (R-MILITARY)."""

    spelling = ("{group}",)
    rule: ClassVar[str] = "book 004, 3 Influence Struggle, military groups"

    def options(self, s: State, seat: Seat) -> Picks:
        return military_targets(s, seat, self.group)

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield GroupDestroyed(seat, owner(s, picks[0]), picks[0], "military")


class TurnGroup(Power, frozen=True):
    """Economic: a group that is not economic is mobilized or readied, without its power (R-ECONOMIC)."""

    spelling = ("{group}",)
    rule: ClassVar[str] = "book 004, 3 Influence Struggle, economic groups"

    def options(self, s: State, seat: Seat) -> Picks:
        return economic_targets(s)

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        now = "ready" if picks[0] in s.mobilized else "mobilized"
        yield GroupTurned(seat, owner(s, picks[0]), picks[0], now)


class Transfer(Power, frozen=True):
    """Political: steal a group, or give another one away (R-POLITICAL)."""

    spelling = ("give:{group}", "steal:{group}")
    rule: ClassVar[str] = "book 004, 3 Influence Struggle, political groups"

    def options(self, s: State, seat: Seat) -> Picks:
        return political_targets(s, seat, self.group)

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        how, _, group = picks[0].partition(":")
        giver = owner(s, group)
        yield GroupTransferred(seat, giver, OTHER[giver], group, how)


class UseTop(Power, frozen=True):
    """Media: the group just seen is recruited, discarded or left (R-MEDIA)."""

    spelling = ("discard", "leave", "recruit")
    rule: ClassVar[str] = "book 004, 3 Influence Struggle, media groups"

    def options(self, s: State, seat: Seat) -> Picks:
        return ("recruit", "discard", "leave") if has_room(s, seat) else ("discard", "leave")

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"group": self.group, "top": s.groups.top[0]}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if picks[0] == "recruit":
            yield GroupRecruited(seat, s.groups.top[0])
        elif picks[0] == "discard":
            yield TopDiscarded(seat, s.groups.top[0])
        else:
            yield TopLeft(seat)


class Escalate(Step[State], frozen=True):
    """Nuclear Escalation: every military group is discarded, in the order that its user chooses."""

    spelling = ("{group}",)
    ordered: ClassVar[bool] = True
    rule: ClassVar[str] = "book 004, event cards"
    seat: Seat

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,) if len(military_in_play(s)) > 1 else ()

    def options(self, s: State, seat: Seat) -> Picks:
        return military_in_play(s)

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        count = len(military_in_play(s))
        return count, count

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        for group in picks or military_in_play(s):
            s = yield GroupDestroyed(self.seat, owner(s, group), group, "nuclear_escalation")
