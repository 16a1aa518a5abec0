"""Detente: agents leave, and players may use the events of this phase."""

from __future__ import annotations

from typing import ClassVar

from domain.cia_vs_kgb.facts.decks import ObjectivesArranged, ObjectivesSeen
from domain.cia_vs_kgb.facts.outcome import AgentRevived, AgentWentHome, AgentWentOnLeave
from domain.cia_vs_kgb.facts.preparation import PhaseBegan
from domain.cia_vs_kgb.rules import DEPUTY, OTHER, SEATS, detente_events, to_draw, uppermost
from domain.cia_vs_kgb.state import State
from domain.cia_vs_kgb.steps.struggle import used
from domain.kernel import CHANCE, Draw, Picks, Resolution, Seat, Step

AHEAD = 3  # cards that Space Race shows


class Detente(Step[State], frozen=True):
    """Living agents go on leave, the Deputy Director home; then events may be used.

    Both may use them at any time in the phase: the holder of the balance token is asked first, then they
    take turns until both have declined in a row.
    """

    rule: ClassVar[str] = "book 004, 6 Detente"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        s = yield PhaseBegan("detente")
        for side in SEATS:
            agent = s.exposed.get(side)
            if agent == DEPUTY:
                yield AgentWentHome(side, agent, "detente")
            elif agent is not None:
                yield AgentWentOnLeave(side, agent, "detente")
        yield UseEvents(s.balance or SEATS[0])


class UseEvents(Step[State], frozen=True):
    """Space Race or Olympic Games; `declined` sides just before this one had nothing to use or declined."""

    spelling = ("event:{objective}", "decline", "{objective}:{agent}")
    rule: ClassVar[str] = "book 004, event cards"
    seat: Seat
    declined: int = 0

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,) if detente_events(s, self.seat) else ()

    def options(self, s: State, seat: Seat) -> Picks:
        return (*detente_events(s, seat), "decline")

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if not picks or picks == ("decline",):
            if self.declined == 0:
                yield UseEvents(OTHER[self.seat], 1)
            return
        if picks == ("event:space_race",):
            yield used(s, seat, "space_race")
            yield LookAtObjectives(seat)
            yield ArrangeObjectives(seat)
        else:
            yield used(s, seat, "olympic_games")
            yield AgentRevived(seat, picks[0].removeprefix("olympic_games:"))
        yield UseEvents(seat)


class LookAtObjectives(Draw[State], frozen=True):
    """Space Race: the next three objectives; if the deck is that small, known cards at its bottom, too."""

    spelling = ("{objective}",)
    rule: ClassVar[str] = "book 004, event cards"
    seat: Seat

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (CHANCE,) if to_draw(s.objectives, AHEAD) else ()

    def options(self, s: State, seat: Seat) -> Picks:
        return s.objectives.cards

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        count = to_draw(s.objectives, AHEAD)
        return count, count

    def label(self, s: State) -> str:
        return f"space_race/t{s.turn}/{self.seat}"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield ObjectivesSeen(self.seat, uppermost(s.objectives, AHEAD, picks))


class ArrangeObjectives(Step[State], frozen=True):
    """Space Race: they go back in any order, the first pick uppermost; a single card needs no order."""

    spelling = ("{objective}",)
    secret: ClassVar[bool] = True
    ordered: ClassVar[bool] = True
    rule: ClassVar[str] = "book 004, event cards"
    seat: Seat

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,) if s.objectives.size > 1 else ()

    def options(self, s: State, seat: Seat) -> Picks:
        return s.objectives.top[:AHEAD]

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        count = min(AHEAD, s.objectives.size)
        return count, count

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"count": min(AHEAD, s.objectives.size)}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if picks:
            yield ObjectivesArranged(self.seat, picks)
