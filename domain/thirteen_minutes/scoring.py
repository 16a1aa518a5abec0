"""The end of a battle, strictly in the rulebook's order (book 002, End of the game)."""

from __future__ import annotations

from typing import ClassVar

from domain.kernel import Picks, Resolution, Seat, Step
from domain.thirteen_minutes.board import US, USSR, Side
from domain.thirteen_minutes.rules import (
    aftermath,
    card,
    controlled,
    higher,
    military,
    started_war,
    symbols,
    territory_points,
)
from domain.thirteen_minutes.scoring_facts import (
    AftermathScored,
    CubaTurned,
    LastCardsPlaced,
    LastCardsRevealed,
    LastCardsScored,
    MilitaryScored,
    TerritoriesScored,
    WarChecked,
)
from domain.thirteen_minutes.state import State


class ScoreTerritories(Step[State], frozen=True):
    """1 VP for each territory under control, 2 for Cuba."""

    rule: ClassVar[str] = "book 002, Territories; T-CONTROL"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        us, ussr, nobody = controlled(s, US), controlled(s, USSR), controlled(s, None)
        yield TerritoriesScored(us, ussr, nobody, territory_points(s, US), territory_points(s, USSR))


class TurnCuba(Step[State], frozen=True):
    """Cuba is turned over, after the territories and before the military majority."""

    rule: ClassVar[str] = "book 002, Military majority; T-CUBA"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield CubaTurned(s.cuba, card(s, s.cuba).defcon)


class ScoreMilitary(Step[State], frozen=True):
    """1 VP for more military territories."""

    rule: ClassVar[str] = "book 002, Military majority; T-MILITARY"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        us, ussr = military(s, US), military(s, USSR)
        winner = higher(len(us), len(ussr))
        yield MilitaryScored(us, ussr, winner, *_with_one_more(s, winner))


class RevealLastCards(Step[State], frozen=True):
    """Each side shows the card that it kept."""

    rule: ClassVar[str] = "book 002, Further scoring; T-AFTERMATH"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield LastCardsRevealed(s.hands[US][0], s.hands[USSR][0])


class ScoreAftermath(Step[State], frozen=True):
    """1 VP for the superpower whose own cards among the two last ones show the higher number."""

    rule: ClassVar[str] = "book 002, Further scoring; T-AFTERMATH"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        us, ussr = aftermath(s, US), aftermath(s, USSR)
        winner = higher(us, ussr)
        yield AftermathScored(us, ussr, winner, *_with_one_more(s, winner))


def _with_one_more(s: State, winner: Side | None) -> tuple[int, int]:
    """The VP of both sides once the winner of this part has its point."""
    return s.vp[US] + (winner == US), s.vp[USSR] + (winner == USSR)


class MatchLastCards(Step[State], frozen=True):
    """Two last cards of one colour come into the spheres of their holders."""

    rule: ClassVar[str] = "book 002, Further scoring; T-MATCH"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        us, ussr = s.hands[US][0], s.hands[USSR][0]
        colour = card(s, us).defcon
        if card(s, ussr).defcon != colour:
            return
        s = yield LastCardsPlaced(colour, us, ussr)
        if s.options.matched_cards_rescore:  # without cubes, in its sphere: each side controls its own
            yield LastCardsScored(s.vp[US] + 1, s.vp[USSR] + 1)


class CheckWar(Step[State], frozen=True):
    """Three symbols of one colour in a sphere: that side has started a nuclear war."""

    rule: ClassVar[str] = "book 002, Nuclear war; T-WAR"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        us, ussr = symbols(s, US), symbols(s, USSR)
        yield WarChecked(us, ussr, started_war(us, ussr))


def scoring() -> Resolution[State]:
    """All parts, in the order in which they must be done."""
    yield ScoreTerritories()
    yield TurnCuba()
    yield ScoreMilitary()
    yield RevealLastCards()
    yield ScoreAftermath()
    yield MatchLastCards()
    yield CheckWar()
