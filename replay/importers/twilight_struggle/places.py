"""Where the entries of a log stand in a game, and how the rules come there from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from domain.kernel import Fact, Step
from domain.twilight_struggle.components import US, USSR
from domain.twilight_struggle.facts.cards import CardsAdded
from domain.twilight_struggle.facts.flow import EffectsLapsed, TurnBegan, TurnEnded
from domain.twilight_struggle.facts.tracks import MilitarySet
from domain.twilight_struggle.rules.hand import rounds
from domain.twilight_struggle.rules.periods import joining
from domain.twilight_struggle.rules.registry import CARDS
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.flow import Act, EndTurn, Headlines, Round, Turn
from replay.importers.twilight_struggle import structure as log

Place = tuple[int, int, str]  # turn, round (0: the headlines) and side
NOWHERE: Place = (0, 0, "")  # before the first turn
CLEANUP = 99  # the end of a turn, where rounds are numbered


def headline_of(turn: int) -> Place:
    """Where the headlines of a turn stand."""
    return turn, 0, ""


def entries_of(said: log.Log) -> dict[Place, log.Entry]:
    """Every entry by turn, round (0: headlines, `CLEANUP`: the end of the turn) and side."""
    found: dict[Place, log.Entry] = {}
    for turn in said.turns:
        if turn.headline:
            found[headline_of(turn.number)] = turn.headline
        for entry in turn.rounds:
            found[turn.number, entry.number, entry.side] = entry
        if turn.cleanup:
            found[turn.number, CLEANUP, ""] = turn.cleanup
    return found


def order_of(place: Place) -> tuple[int, int, bool]:
    """What places are sorted by."""
    return place[0], place[1], place[2] == US


def between(here: Place, target: Place, *, asked: bool) -> Iterator[Place]:
    """The headline phases and rounds from `here` (itself, too, where it was asked for) up to `target`."""
    for turn in range(here[0] or 1, target[0] + 1):
        places = [headline_of(turn)]
        places += [(turn, number, side) for number in range(1, rounds(turn) + 1) for side in (USSR, US)]
        for place in places:
            after = order_of(place) >= order_of(here) if asked else order_of(place) > order_of(here)
            if after and order_of(place) < order_of(target):
                yield place


Way = tuple[list[Fact[State]], tuple[Step[State], ...]]


def ways(target: Place, s: State) -> Iterator[Way]:
    """How the rules may go on with an entry: facts that lead to its turn, and the steps to do then."""
    turn, number, side = target
    if turn == s.turn + 1 and s.turn:
        yield [], (EndTurn(),)
    if turn > s.turn:
        yield _to_turn(s, turn), (Turn(turn),)
    elif number == CLEANUP:
        yield [], (EndTurn(),)
    elif number == 0:
        yield [], (Headlines(), Round(1))
    else:
        others = (Act(number, US),) if side == USSR else ()
        yield [], (Act(number, side), *others, Round(number + 1))


def _to_turn(s: State, turn: int) -> list[Fact[State]]:
    """The end of a turn, and the turns that are missing, without what the rules would make of them."""
    facts: list[Fact[State]] = []
    for number in range(s.turn, turn):
        if number > s.turn:
            facts.append(TurnBegan(number))
            if added := joining(s, number) if number > 1 else ():
                facts.append(CardsAdded(CARDS[added[0]].period, added))
        if number:
            lapsed = tuple(dict.fromkeys(item.card for item in s.effects)) if number == s.turn else ()
            facts.append(EffectsLapsed(lapsed))
            facts += [MilitarySet(side, 0) for side in (US, USSR) if number == s.turn]
            facts.append(TurnEnded(number, s.vp, s.defcon))
    return facts
