"""The turn with its six phases, and its end."""

from __future__ import annotations

from typing import ClassVar

from domain.cia_vs_kgb.facts.outcome import TurnEnded
from domain.cia_vs_kgb.facts.preparation import TurnBegan
from domain.cia_vs_kgb.rules import leader, score
from domain.cia_vs_kgb.state import State
from domain.cia_vs_kgb.steps.detente import Detente
from domain.cia_vs_kgb.steps.outcome import CeaseFire, Debrief
from domain.cia_vs_kgb.steps.preparation import Brief, Plan
from domain.cia_vs_kgb.steps.struggle import Struggle
from domain.kernel import Ended, Picks, Resolution, Seat, Step


class Turn(Step[State], frozen=True):
    """One conflict: six phases."""

    rule: ClassVar[str] = "book 004, the turn"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield TurnBegan(s.turn + 1)
        yield Brief()
        yield Plan()
        yield Struggle()
        yield CeaseFire()
        yield Debrief()
        yield Detente()
        yield EndTurn()


class EndTurn(Step[State], frozen=True):
    """Victory is checked here only (R-VICTORY); without objectives, or turns, the match ends (R-DECK-OUT)."""

    rule: ClassVar[str] = "book 004, 6 Detente and victory"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        points = score(s)
        ahead = leader(points)
        yield TurnEnded(s.turn, **points)
        if ahead is not None and points[ahead] >= s.options.score_limit:
            yield Ended(ahead, "score_limit", points)
        elif not s.objectives.size:
            yield Ended(ahead, "deck_out", points)
        elif s.turn >= s.options.turn_limit:
            yield Ended(ahead, "turn_limit", points)
        else:
            yield Turn()
