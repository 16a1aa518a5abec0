"""Briefing and Planning."""

from __future__ import annotations

from typing import ClassVar

from domain.cia_vs_kgb.facts.decks import GroupsArranged, GroupsReshuffled, GroupsSeen, ObjectiveTurnedUp
from domain.cia_vs_kgb.facts.preparation import (
    AgentRevealed,
    AgentSent,
    BalanceGiven,
    HandClosed,
    HandsOpened,
    LeaveEnded,
    NobodySent,
    PhaseBegan,
    PromiseKept,
)
from domain.cia_vs_kgb.rules import OTHER, SEATS, is_fixed_above, leader, score, to_draw, uppermost
from domain.cia_vs_kgb.state import State
from domain.kernel import CHANCE, Draw, Picks, Resolution, Seat, Step

HIDER: Seat = "cia"  # as in the publisher's example; the other side guesses


class Brief(Step[State], frozen=True):
    """Briefing: the objective, the balance token, the group deck."""

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield PhaseBegan("briefing")
        yield TurnUpObjective()
        yield SettleBalance()
        yield PrepareGroups()


class TurnUpObjective(Draw[State], frozen=True):
    """The next objective is turned up: by a draw, unless Space Race has fixed the position."""

    spelling = ("{objective}",)
    rule: ClassVar[str] = "book 004, 1 Briefing"

    def asks(self, s: State) -> tuple[Seat, ...]:
        return () if is_fixed_above(s.objectives) else (CHANCE,)

    def options(self, s: State, seat: Seat) -> Picks:
        return s.objectives.cards

    def label(self, s: State) -> str:
        return f"objective/t{s.turn}"

    def face_up(self, s: State) -> bool:
        return True  # the loose cards are drawn from above only when no secret card lies on them

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield ObjectiveTurnedUp(uppermost(s.objectives, 1, picks)[0])


class SettleBalance(Step[State], frozen=True):
    """The side with fewer points gets the balance token; at equal scores the loser of the latest Cease-fire
    (R-BALANCE)."""

    rule: ClassVar[str] = "book 004, 1 Briefing, balance"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if s.balance is None:
            yield CloseHands(SEATS) if s.options.first_balance == "guess" else DrawBalance()
            return
        points = score(s)
        ahead = leader(points)
        if ahead is not None:
            yield BalanceGiven(OTHER[ahead], "fewer_points", **points)
        elif s.prevailed is not None:
            yield BalanceGiven(OTHER[s.prevailed], "lost", **points)
        else:
            yield BalanceGiven(s.balance, "unchanged", **points)


class CloseHands(Step[State], frozen=True):
    """The CIA hides the balance token in a hand, the KGB guesses which; at once and in secret."""

    spelling = ("left", "right")
    secret: ClassVar[bool] = True
    rule: ClassVar[str] = "book 004, 1 Briefing, balance"
    waiting: tuple[Seat, ...]

    def asks(self, s: State) -> tuple[Seat, ...]:
        return self.waiting

    def options(self, s: State, seat: Seat) -> Picks:
        return ("left", "right")

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"role": "hide_token" if seat == HIDER else "guess_hand"}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        s = yield HandClosed(seat, picks[0])
        rest = tuple(other for other in self.waiting if other != seat)
        if rest:
            yield CloseHands(rest)
            return
        hidden, guess = s.fists[HIDER], s.fists[OTHER[HIDER]]
        yield HandsOpened(hidden, guess)
        yield BalanceGiven(OTHER[HIDER] if guess == hidden else HIDER, "guess")


class DrawBalance(Draw[State], frozen=True):
    """The balance token of the first turn by lot (option `first_balance`)."""

    spelling = ("{seat}",)
    rule: ClassVar[str] = "book 004, 1 Briefing, balance"

    def options(self, s: State, seat: Seat) -> Picks:
        return SEATS

    def label(self, s: State) -> str:
        return "balance"

    def face_up(self, s: State) -> bool:
        return True

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield BalanceGiven(picks[0], "draw")


class PrepareGroups(Step[State], frozen=True):
    """All groups are shuffled again, then an Analyst of the turn before acts (R-ANALYST)."""

    rule: ClassVar[str] = "book 004, 1 Briefing, group deck"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if s.turn > 1:
            yield GroupsReshuffled()
        if "analyst" in s.promises:
            analyst = s.promises["analyst"]
            yield PromiseKept(analyst, "analyst")
            yield LookAtGroups(analyst, 3, "analyst")
            yield ArrangeGroups(analyst, 3)


class LookAtGroups(Draw[State], frozen=True):
    """A player looks at the top of the group deck; a secret draw fixes the positions that are still open."""

    spelling = ("{group}",)
    rule: ClassVar[str] = "book 004, 1 Briefing and 3 Influence Struggle"
    seat: Seat
    count: int
    reason: str

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (CHANCE,) if to_draw(s.groups, self.count) else ()

    def options(self, s: State, seat: Seat) -> Picks:
        return s.groups.cards

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        count = to_draw(s.groups, self.count)
        return count, count

    def label(self, s: State) -> str:
        return f"{self.reason}/t{s.turn}/{self.seat}"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield GroupsSeen(self.seat, uppermost(s.groups, self.count, picks), self.reason)


class ArrangeGroups(Step[State], frozen=True):
    """The Analyst puts the groups back in any order, the first pick uppermost."""

    spelling = ("{group}",)
    secret: ClassVar[bool] = True
    ordered: ClassVar[bool] = True
    rule: ClassVar[str] = "book 004, 1 Briefing, Analyst"
    seat: Seat
    count: int

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,)

    def options(self, s: State, seat: Seat) -> Picks:
        return s.groups.top[: self.count]

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        return self.count, self.count

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"count": self.count}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield GroupsArranged(self.seat, picks)


class Plan(Step[State], frozen=True):
    """Planning: both choose Agent X at once, unless a Double Agent makes one side show its own first."""

    rule: ClassVar[str] = "book 004, 2 Planning"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield PhaseBegan("planning")
        if "watch" in s.promises:
            watcher = s.promises["watch"]
            yield PromiseKept(watcher, "watch")
            yield ChooseAgents((OTHER[watcher],))
            yield RevealAgent(OTHER[watcher], "double_agent")
            yield ChooseAgents((watcher,))
        else:
            yield ChooseAgents(SEATS)
        yield EndLeave()


class ChooseAgents(Step[State], frozen=True):
    """Each side sends an agent from headquarters, face down; a side without agents there sends none."""

    spelling = ("{agent}",)
    secret: ClassVar[bool] = True
    rule: ClassVar[str] = "book 004, 2 Planning"
    waiting: tuple[Seat, ...]

    def asks(self, s: State) -> tuple[Seat, ...]:
        return self.waiting

    def options(self, s: State, seat: Seat) -> Picks:
        return s.headquarters[seat]

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"objective": s.objective or ""}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield AgentSent(seat, picks[0]) if picks else NobodySent(seat)
        rest = tuple(other for other in self.waiting if other != seat)
        if rest:
            yield ChooseAgents(rest)


class RevealAgent(Step[State], frozen=True):
    """A side must show its Agent X, if it has one."""

    seat: Seat
    reason: str

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if self.seat in s.sent:
            yield AgentRevealed(self.seat, s.sent[self.seat], self.reason)


class EndLeave(Step[State], frozen=True):
    """Both have chosen: the agents on leave come home (R-LEAVE)."""

    rule: ClassVar[str] = "book 004, 2 Planning"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        for side in SEATS:
            if s.leave[side]:
                s = yield LeaveEnded(side, s.leave[side])
