"""The end of a peace turn: remaining abilities, scoring, victory, final scoring (4.1.10 to 4.1.14)."""

from __future__ import annotations

from typing import ClassVar

from domain.imperial_struggle.components import (
    ADVANTAGES,
    BOARD,
    BR,
    COUNTRIES,
    FR,
    GOODS,
    OTHER,
    PRESTIGE,
    REGIONS,
    SIDES,
)
from domain.imperial_struggle.facts.flow import TurnEnded
from domain.imperial_struggle.rules.board import held, in_play
from domain.imperial_struggle.rules.scoring import (
    award,
    captured,
    debts,
    final_good,
    final_winner,
    good,
    points_winner,
    prestige,
    score,
    sweeper,
)
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.deeds import Deed, force_debt, gain, reduce_debt, treaty
from domain.kernel import Ended, Picks, Resolution, Seat, Step

MOST_TREATY_POINTS = 4
MOST_BY_MINISTRY = 3
TRADING = ("textiles", "silk", "fruit", "fur_trade", "rum")  # the advantages of the East India Company


class EndTurn(Step[State], frozen=True):
    """4.1.10 and 4.1.11: surplus Treaty Points are lost, abilities of the end of the turn act."""

    rule: ClassVar[str] = "book 001, 4.1.10 and 4.1.11: Treaty Points and remaining abilities"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        for side in (s.first, OTHER[s.first]):
            s = yield from treaty(s, side, min(0, MOST_TREATY_POINTS - s.treaty[side]), "surplus")
        if in_play(s, "john_law"):
            by = 2 if held(s, FR, COUNTRIES["scotland"]) else 1
            s = yield from reduce_debt(s, FR, by, "john_law")
        yield ScoreTurn()


class ScoreTurn(Step[State], frozen=True):
    """4.1.12: awards, Europe's with prestige; goods in demand from the top of the table; ministries."""

    rule: ClassVar[str] = "book 001, 4.1.12: the scoring phase"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        for region in REGIONS:
            s = yield from score_award(s, region)
        for name in GOODS:
            if name in s.demand:
                s = yield from score_good(s, name, demanded=True)
        yield from _east_india_company(s)


def score_award(s: State, region: str) -> Deed:
    """A Region's award; with Europe's come prestige and Voltaire."""
    found = award(s, region)
    s = yield found
    if found.winner is not None:
        s = yield from gain(s, found.winner, found.vp, found.award)
        s = yield from treaty(s, found.winner, found.treaty, found.award)
    if region != "europe":
        return s
    s = yield from score_prestige(s)
    if found.winner is not None or s.options.voltaire == "always":
        s = yield from _voltaire(s)
    return s


def score_prestige(s: State) -> Deed:
    """Two points for more Prestige spaces."""
    found = prestige(s)
    s = yield found
    if found.winner is not None:
        s = yield from gain(s, found.winner, found.vp, "prestige")
    return s


def score_good(s: State, name: str, *, demanded: bool) -> Deed:
    """A good, as Global Demand scores it; forced Debt obeys 6.3."""
    found = good(s, name, demanded=demanded)
    s = yield found
    if found.winner is None:
        return s
    s = yield from gain(s, found.winner, found.vp, name)
    s = yield from treaty(s, found.winner, found.treaty, name)
    if found.debt < 0:
        return (yield from reduce_debt(s, found.winner, -found.debt, name))
    return (yield from force_debt(s, found.winner, found.debt, name))


def _voltaire(s: State) -> Deed:
    """A Treaty Point for each country of several spaces where France has a Prestige space, at most 3."""
    if not in_play(s, "voltaire"):
        return s
    countries = {
        BOARD[space].country
        for space in held(s, FR, PRESTIGE)
        if BOARD[space].country and len(COUNTRIES[BOARD[space].country]) > 1
    }
    return (yield from treaty(s, FR, min(MOST_BY_MINISTRY, len(countries)), "voltaire"))


def _east_india_company(s: State) -> Deed:
    """A point for each of five advantages that are held, not Exhausted and free of conflict, at most 3."""
    if not in_play(s, "east_india_company"):
        return s
    ready = [tile for tile in TRADING if s.advantages.get(tile) == BR and _ready(s, tile)]
    return (yield from gain(s, BR, min(MOST_BY_MINISTRY, len(ready)), "east_india_company"))


def _ready(s: State, tile: str) -> bool:
    return tile not in s.exhausted and not any(space in s.conflicts for space in ADVANTAGES[tile].spaces)


class CheckVictory(Step[State], frozen=True):
    """4.1.13: a sweep of the turn, then the marker."""

    rule: ClassVar[str] = "book 001, 4.1.13: the victory check"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        s = yield TurnEnded(s.turn, s.vp)
        for winner, reason in ((sweeper(s), "turn_sweep"), (points_winner(s), "victory_points")):
            if winner is not None:
                s = yield Ended(winner, reason, score(s))


class FinalScoring(Step[State], frozen=True):
    """11.0: prestige once more, Available Debt, every good, Territories of the other side."""

    rule: ClassVar[str] = "book 001, 11.0: final scoring"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        s = yield from score_prestige(s)
        compared = debts(s)
        s = yield compared
        if compared.winner is not None:
            s = yield from gain(s, compared.winner, compared.vp, "available_debt")
        for name in GOODS:
            s = yield from _final_good(s, name)
        for side in SIDES:
            s = yield from _captured(s, side)
        yield Ended(final_winner(s), "final_scoring", score(s))


def _final_good(s: State, name: str) -> Deed:
    found = final_good(s, name)
    s = yield found
    if found.winner is not None:
        s = yield from gain(s, found.winner, found.vp, name)
    return s


def _captured(s: State, side: Seat) -> Deed:
    found = captured(s, side)
    s = yield found
    return (yield from gain(s, side, found.vp, "territories"))
