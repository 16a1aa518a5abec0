"""The rows of `ts_rolls` and `ts_chances`: throws, and their odds as the rules enumerate them.

What a throw brought is read from the stored facts.  What it could bring is what the rules show with the
question (`domain.twilight_struggle.rules.odds`), on the table on which it was thrown; of a contest, which no
question shows, the rules carry out every pair of dice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from domain import kernel
from domain.events import Played
from domain.kernel import AnyFact, Chance, Fact, Seat
from domain.log import canonical
from domain.match import Match
from domain.twilight_struggle.components import OTHER, US, USSR
from domain.twilight_struggle.facts.board import CoupRolled, InfluenceSet, RealignmentRolled, WarRolled
from domain.twilight_struggle.facts.flow import TrapRolled
from domain.twilight_struggle.facts.tracks import ContestRolled, DefconSet, ScoreMoved, SpaceRolled, SpaceSet
from domain.twilight_struggle.rules import odds
from domain.twilight_struggle.rules.operations import Ops
from domain.twilight_struggle.rules.registry import CONTESTS
from domain.twilight_struggle.state import State
from replay.luck import Outcome, expected
from replay.tables.schema import Row
from replay.tables.twilight_struggle.board import scored_by
from replay.tables.twilight_struggle.walk import At, Readers, sees_all

COUP, REALIGN, WAR, SPACE, TRAP, CONTEST = "coup", "realign", "war", "space", "trap", "contest"


class Roll(Struct, frozen=True):
    """A throw: who threw what for what, what it brought (`outcome`), and on which table it was thrown."""

    kind: str
    seat: Seat
    card: str | None
    country: str | None
    faces: dict[Seat, int]
    modifier: int
    outcome: Outcome
    table: State


def value(roll: Roll, outcome: Outcome) -> int:
    """What an outcome is worth to the side that threw, in the unit of the column `value`."""
    if roll.kind in (COUP, REALIGN):
        return outcome.get(roll.seat, 0) - outcome.get(OTHER[roll.seat], 0)
    return outcome.get("escaped" if roll.kind == TRAP else "vp", 0)


def succeeds(roll: Roll, outcome: Outcome) -> bool:
    """Is an outcome a success of the side that threw (see the column `success`)?"""
    if roll.kind in (COUP, REALIGN):
        return OTHER[roll.seat] in outcome
    if roll.kind == SPACE:
        return "box" in outcome
    return bool(outcome.get("escaped" if roll.kind == TRAP else "won", 0))


class Rolls:
    """Throws, with what they brought and what they could have brought."""

    def __init__(self, match: Match) -> None:
        self._match, self._rules = match.id, match.game.rules
        self.rows: list[Row] = []
        self.readers: Readers = dict.fromkeys(READ, self._add)

    def _add(self, at: At) -> None:
        roll = READ[type(at.fact)](at)
        chances = chances_of(at.fact, roll)
        actual, ways, of, mean, luck = value(roll, roll.outcome), None, None, None, None
        if chances:
            ways = sum(chance.ways for chance in chances if succeeds(roll, chance.outcome))
            of, mean = chances[0].of, expected(lambda outcome: value(roll, outcome), chances)
            luck = None if roll.kind == TRAP else actual - mean
        self.rows.append(
            (
                self._match,
                at.move,
                at.place,
                at.before.turn,
                roll.kind,
                roll.seat,
                roll.card,
                roll.country,
                roll.faces.get(US),
                roll.faces.get(USSR),
                roll.modifier,
                ways,
                of,
                succeeds(roll, roll.outcome),
                actual,
                mean,
                luck,
                self._rules,
            )
        )


# ── what happened, by the stored facts ──


def _coup(at: At) -> Roll:
    fact, table = at.fact, at.earlier if isinstance(at.previous, DefconSet) else at.before
    dice = {fact.seat: fact.roll}
    return Roll(COUP, fact.seat, at.card, fact.country, dice, fact.modifier, _moved(at), table)


def _realignment(at: At) -> Roll:
    fact = at.fact
    modifier = fact.modifiers[fact.seat] - fact.modifiers[OTHER[fact.seat]]
    return Roll(REALIGN, fact.seat, at.card, fact.country, fact.rolls, modifier, _moved(at), at.before)


def _moved(at: At) -> Outcome:
    """The changes of influence in the target directly behind a coup or a realignment roll."""
    changes: dict[str, int] = {}
    for fact in at.following:
        if not isinstance(fact, InfluenceSet) or fact.country != at.fact.country:
            break
        changes[fact.side] = fact.by
    return changes


def _war(at: At) -> Roll:
    fact, points = at.fact, 0
    if fact.won:
        gains = (other for other in at.following if isinstance(other, ScoreMoved) and other.why == fact.card)
        points = next((gain.points for gain in gains), 0)
    outcome = {"won": int(fact.won), "vp": points}
    return Roll(
        WAR, fact.seat, fact.card, fact.country, {fact.seat: fact.roll}, -fact.minus, outcome, at.before
    )


def _space(at: At) -> Roll:
    fact, outcome = at.fact, dict[str, int]()
    if at.following and isinstance(at.following[0], SpaceSet):
        outcome = {"box": fact.box, "vp": abs(scored_by(at.following[1:], "space"))}
    return Roll(SPACE, fact.seat, fact.card, None, {fact.seat: fact.roll}, 0, outcome, at.before)


def _trap(at: At) -> Roll:
    fact = at.fact
    outcome = {"escaped": int(fact.escaped)}
    return Roll(TRAP, fact.seat, fact.trap, None, {fact.seat: fact.roll}, 0, outcome, at.before)


def _contest(at: At) -> Roll:
    fact, seat = at.fact, _sponsor(at)
    modifier = fact.modifiers[seat] - fact.modifiers[OTHER[seat]]
    outcome = _contested(fact, seat, scored_by(at.following, fact.card))
    return Roll(CONTEST, seat, fact.card, None, fact.rolls, modifier, outcome, at.before)


def _sponsor(at: At) -> Seat:
    """The side whose event the contest is: the one that plays the card; both such cards are neutral (5.2)."""
    return next(item.seat for item in reversed(at.before.playing) if item.card == at.fact.card)


def _contested(fact: ContestRolled, seat: Seat, points: int) -> Outcome:
    """Who won, and the points from the roller's side; `points` are above 0 for the US."""
    if fact.winner is None:
        return {}
    return {"won": int(fact.winner == seat), "vp": points if seat == US else -points}


READ: dict[type, Callable[[At], Roll]] = {
    CoupRolled: _coup,
    RealignmentRolled: _realignment,
    WarRolled: _war,
    SpaceRolled: _space,
    TrapRolled: _trap,
    ContestRolled: _contest,
}
"""How the facts of each kind of throw are read."""


# ── what could have happened, by the rules ──


def chances_of(fact: AnyFact, roll: Roll) -> tuple[Chance, ...]:
    """Every outcome of a throw, by today's rules on the stored table; () if they cannot say.

    `fact` is the fact of the throw, `roll` what was read from it.
    """
    try:
        return _ODDS[type(fact)](fact, roll).chances
    except Exception:  # rules may raise anything on a table that other rules made
        return ()


def _contest_odds(fact: ContestRolled, roll: Roll) -> kernel.Detail:
    pairs = ((us, ussr) for us in odds.FACES for ussr in odds.FACES)
    return odds.detail(dict(_outcome_of(fact.card, roll, {US: us, USSR: ussr})) for us, ussr in pairs)


def _outcome_of(card: str, roll: Roll, dice: dict[Seat, int]) -> Outcome:
    """What the rules make of a pair of dice, up to the question or the roll that follows."""
    s, facts = roll.table, list[Fact[State]]()
    resolution = CONTESTS[card](s, roll.seat, dice)
    try:
        item = next(resolution)
        while isinstance(item, Fact):
            facts.append(item)
            s = item.apply(s)
            item = resolution.send(s)
    except StopIteration:
        pass
    rolled = next(fact for fact in facts if isinstance(fact, ContestRolled))
    return _contested(rolled, roll.seat, scored_by(tuple(facts[1:]), card))


_ODDS: dict[type, Callable[[Any, Roll], kernel.Detail]] = {
    CoupRolled: lambda fact, roll: odds.coup_odds(
        roll.table, fact.seat, Ops(roll.card or "", fact.ops, plain=True), fact.country
    ),
    RealignmentRolled: lambda fact, roll: odds.realignment_odds(roll.table, fact.seat, fact.country),
    WarRolled: lambda fact, roll: odds.war_odds(roll.table, fact.seat, fact.card, fact.country),
    SpaceRolled: lambda fact, roll: odds.space_odds(roll.table, fact.seat),
    TrapRolled: lambda fact, roll: odds.trap_odds(),
    ContestRolled: _contest_odds,
}


# ── the odds shown with questions ──


def chances(match: Match) -> Iterator[Row]:
    """The rows of `ts_chances`: every outcome of every option that had odds, by today's rules.

    An imported match, one that runs and one without its private parts has none; a move whose question today's
    rules cannot read any more is left out.
    """
    stands = sorted(match.line()) if sees_all(match) else []
    for move in stands:
        record = match.records[move - 1]
        if isinstance(record.entry, Played):
            yield from _shown(match, move, record.entry.seat, record.picks or ())


def _shown(match: Match, move: int, seat: Seat, picks: kernel.Picks) -> Iterator[Row]:
    try:
        s = match.table_with_agenda(move - 1)
        question = kernel.prompt(s, seat)
        details = kernel.detailed(s, question).details if question else {}
    except Exception:  # an old step under new rules may raise anything
        return
    for option, detail in details.items():
        for chance in detail.chances:
            outcome = canonical(chance.outcome).decode()
            odds_of_it = (outcome, chance.ways, chance.of)
            ask = question.ask if question else ""
            yield match.id, move, seat, ask, option, option in picks, *odds_of_it, match.game.rules
