"""13 Minutes for searches that look ahead: rules of thumb answer for both sides in playouts.

A territory is worth its points for the side that controls it, a little more for each cube beyond what
control needs, and more if it is military.  Against that stands the nuclear war: the second symbol of a
colour in one's own sphere is a danger, which grows during the battle, and the third one nearly loses it.
The weights were found by matches of these rules against themselves; some noise lets playouts differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache

from msgspec import Struct

from domain.agents.determinization import below
from domain.agents.lookahead import every_option
from domain.agents.search import random_picks
from domain.agents.spec import Deep, Rng
from domain.agents.thirteen_minutes.evaluation import WON, evaluate, is_quiet
from domain.kernel import HIDDEN, Picks, Prompt, Seat
from domain.thirteen_minutes.board import (
    CUBA,
    MILITARY,
    NEUTRAL,
    OPPONENT,
    SPHERE,
    US,
    USSR,
    WAR_SYMBOLS,
    Side,
    Zone,
)
from domain.thirteen_minutes.commands import Command, CommandCubes
from domain.thirteen_minutes.events import Place, PlaceCount, Remove, RemoveCount, TransferTo
from domain.thirteen_minutes.rules import VP_CUBA, card, one_step, symbol
from domain.thirteen_minutes.state import State

DECISIVE = 1.5 * WON  # points: a match that is won, and what it is won by

# Points of a territory.
RESERVE, MOST_RESERVE = 0.3, 3  # for each cube beyond what control needs, of so many cubes
MAJORITY = 0.2  # for a military one
# Points of symbols of one colour in a sphere: at the beginning of a battle, and what the end adds to it.
PAIR, PAIR_LATE = 0.5, 2.0
WAR, WAR_LATE = 4.0, 6.0
PLAYS = 10  # cards that both sides play in a battle
# Points of other answers.
HELPS_OPPONENT = 0.7  # a card whose event the opponent may carry out
KEPT = 0.3  # an own last card, for each cube of its Command: the aftermath
LAST_PLAYS = 8  # from here on the card that is not played is the last one
WORTHWHILE = 0.3  # a place of an event that is used; fewer points are not worth a slide
LEAST_TRANSFER = -0.7  # what a transfer may cost where the cubes come from
NOISE = 0.4
EVENT = 0.3  # how often an own event is carried out
HIGHEST_BID = 3  # cubes


@cache
def _control(position: int, lead: int) -> float:
    """The share of a territory's points, -1 to 1 and more for cubes in reserve.

    Args:
        position: 1 in the own sphere, -1 in the opponent's, 0 in the neutral zone.
        lead: own cubes less the opponent's.
    """
    reserve = min(abs(lead), MOST_RESERVE) * RESERVE
    if lead:
        return 1 + reserve if lead > 0 else -1 - reserve
    return position * (1 + RESERVE / 2)


@cache
def _danger(symbols: int, plays: int) -> float:
    """The points that the last one of so many symbols of a colour costs the side in whose sphere they lie."""
    pair = PAIR + PAIR_LATE * plays / PLAYS
    if symbols == WAR_SYMBOLS:
        return WAR + WAR_LATE * plays / PLAYS - pair
    return pair if symbols == WAR_SYMBOLS - 1 else 0.0


class _Territory(Struct, frozen=True, gc=False):
    """What a slide of one territory changes for a side.

    `lead`: own cubes less the opponent's.  `points`: of control.  `toward` and `away`: how the danger and the
    points change by a slide toward the side and away from it, without the points that it has afterwards;
    `near` and `far`: the positions in which it then lies (see `_control`).
    """

    lead: int
    points: float
    toward: float
    near: int
    away: float
    far: int

    def pulled(self, cubes: int) -> float:
        """The gain from so many cubes more, or so many fewer of the opponent's."""
        return self.toward + self.points * _control(self.near, self.lead + cubes)

    def pushed(self, cubes: int) -> float:
        """The gain from so many cubes fewer."""
        return self.away + self.points * _control(self.far, self.lead - cubes)


class _Look:
    """A table as a side sees it that has to answer."""

    def __init__(self, s: State, me: Side) -> None:
        self.table, self.side, self.step = s, me, s.agenda[-1]
        self._own, self._other = SPHERE[me], SPHERE[OPPONENT[me]]
        self._colours = {name: _colour(s, name) for name in s.territories}
        self._symbols: dict[tuple[Zone, str], int] = {}
        for name, lies in s.territories.items():
            place = lies.zone, self._colours[name]
            self._symbols[place] = self._symbols.get(place, 0) + 1

    def danger(self, zone: Zone, colour: str, more: int = 0) -> float:
        """What the last symbol of a colour costs there, after so many more; no colour: it is not known."""
        if not colour:
            return 0.0
        return _danger(self._symbols.get((zone, colour), 0) + more, min(self.table.plays, PLAYS))

    def territory(self, name: str) -> _Territory:
        """What a slide of a territory would change."""
        lies, colour = self.table.territories[name], self._colours[name]
        lead = lies.us - lies.ussr if self.side == US else lies.ussr - lies.us
        points = (VP_CUBA if name == CUBA else 1) + (MAJORITY if colour == MILITARY else 0.0)
        if lies.zone == self._own:
            now = points * _control(1, lead)
            return _Territory(lead, points, -now, 1, self.danger(self._own, colour) - now, 0)
        if lies.zone == NEUTRAL:
            now = points * _control(0, lead)
            toward = -self.danger(self._own, colour, 1) - now
            return _Territory(lead, points, toward, 1, self.danger(self._other, colour, 1) - now, -1)
        now = points * _control(-1, lead)
        return _Territory(lead, points, -self.danger(self._other, colour) - now, 0, -now, -1)


def _colour(s: State, territory: str) -> str:
    """The colour of its symbol; "" for Cuba, if the seat does not know it."""
    return "" if territory == CUBA and s.cuba == HIDDEN else symbol(s, territory).defcon


# --------------------------------------------------------------------------- choosing among values


def _best(options: Picks, values: Iterable[float], rng: Rng) -> tuple[float, str]:
    """The option with the highest value, after some noise."""
    return max((value + NOISE * rng.random(), option) for value, option in zip(values, options, strict=True))


def _the_best(options: Picks, values: Iterable[float], rng: Rng) -> Picks:
    return (_best(options, values, rng)[1],)


def _worthwhile(question: Prompt, values: Iterable[float], rng: Rng) -> Picks:
    """As many options as may be picked, of those that gain something; of each territory one."""
    noisy = [
        (value + NOISE * rng.random(), option) for value, option in zip(values, question.options, strict=True)
    ]
    kept: dict[str, str] = {}
    for value, option in sorted(noisy, reverse=True):
        if value > WORTHWHILE and len(kept) < question.most:
            kept.setdefault(option.partition(":")[2] or option, option)
    return tuple(option for option in question.options if option in kept.values())


# --------------------------------------------------------------------------- the questions


def _command(look: _Look, question: Prompt, rng: Rng) -> Picks:
    assert isinstance(look.step, Command)
    most = min(look.step.op(look.table).cubes, look.table.supply[look.side])
    value, name = _best(question.options, [_commanded(look, name, most) for name in question.options], rng)
    return (name,) if value > 0 or question.least else ()


def _commanded(look: _Look, name: str, most: int) -> float:
    """The gain from placing up to so many cubes there, or from removing one."""
    territory, lies = look.territory(name), look.table.territories[name]
    removed = territory.pushed(1) if lies.cubes(look.side) else -WON
    return max(territory.pulled(most), removed) if most else removed


def _command_cubes(look: _Look, question: Prompt, rng: Rng) -> Picks:
    assert isinstance(look.step, CommandCubes)
    territory, values = look.territory(look.step.territory), list[float]()
    for option in question.options:
        verb, _, cubes = option.partition(":")
        values.append((territory.pulled if verb == "place" else territory.pushed)(int(cubes)))
    return _the_best(question.options, values, rng)


def _place(look: _Look, question: Prompt, rng: Rng) -> Picks:
    assert isinstance(look.step, Place)
    most = look.step.op(look.table).per_territory
    return _worthwhile(question, [look.territory(name).pulled(most) for name in question.options], rng)


def _remove(look: _Look, question: Prompt, rng: Rng) -> Picks:
    assert isinstance(look.step, Remove)
    op, values = look.step.op(look.table), list[float]()
    for name in question.options:
        territory, theirs = look.territory(name), look.table.territories[name].cubes(OPPONENT[look.side])
        own = op.cubes_of == "executor"
        values.append(territory.pushed(1) if own else territory.pulled(min(op.per_territory, theirs)))
    return _worthwhile(question, values, rng)


def _count(look: _Look, question: Prompt, rng: Rng) -> Picks:
    assert isinstance(look.step, PlaceCount | RemoveCount)
    territory, op = look.territory(look.step.territories[0]), look.step.op(look.table)
    own = isinstance(look.step, RemoveCount) and op.cubes_of == "executor"
    gain = territory.pushed if own else territory.pulled
    return _the_best(question.options, [gain(int(cubes)) for cubes in question.options], rng)


def _transfer_from(look: _Look, question: Prompt, rng: Rng) -> Picks:
    values = list[float]()
    for option in question.options:
        cubes, _, name = option.partition(":")
        values.append(look.territory(name).pushed(int(cubes)))
    value, option = _best(question.options, values, rng)
    return (option,) if value > LEAST_TRANSFER or question.least else ()


def _transfer_to(look: _Look, question: Prompt, rng: Rng) -> Picks:
    assert isinstance(look.step, TransferTo)
    cubes = look.step.cubes
    return _the_best(question.options, [look.territory(name).pulled(cubes) for name in question.options], rng)


def _shift(look: _Look, question: Prompt, rng: Rng) -> Picks:
    values = list[float]()
    for option in question.options:
        zone, _, name = option.partition(":")
        territory = look.territory(name)
        nearer = one_step(look.table.territories[name].zone, look.side) == zone
        values.append(territory.pulled(0) if nearer else territory.pushed(0))
    return _worthwhile(question, values, rng)


def _play_card(look: _Look, question: Prompt, rng: Rng) -> Picks:
    s, me, values = look.table, look.side, list[float]()
    for option in question.options:
        zone, _, name = option.partition(":")
        played = card(s, name)
        value = 0.0 if zone == NEUTRAL else 1.0 - look.danger(zone, played.defcon, 1)
        if played.alignment == OPPONENT[me]:
            value -= HELPS_OPPONENT
        elif played.alignment == me and s.plays >= LAST_PLAYS:
            value -= KEPT * played.command
        values.append(value)
    return _the_best(question.options, values, rng)


_ANSWERS: dict[str, Callable[[_Look, Prompt, Rng], Picks]] = {
    "Command": _command,
    "CommandCubes": _command_cubes,
    "Place": _place,
    "PlaceCount": _count,
    "PlayCard": _play_card,
    "Remove": _remove,
    "RemoveCount": _count,
    "Shift": _shift,
    "TransferFrom": _transfer_from,
    "TransferTo": _transfer_to,
}


def policy(s: State, seat: Seat, question: Prompt, rng: Rng) -> Picks:
    """An answer by rules of thumb; see the module's docstring."""
    options = question.options
    if len(options) == question.least or question.ask == "OpponentEvent":
        return options
    if question.ask == "Bid":
        return (options[below(min(HIGHEST_BID + 1, len(options)), rng)],)
    if question.ask == "ChooseAction":
        return ("event",) if rng.random() < EVENT else ("command",)
    answer = _ANSWERS.get(question.ask)
    if answer is None:
        return random_picks(question, rng)
    return answer(_Look(s, US if s.seats[US] == seat else USSR), question, rng)


DEEP = Deep(policy=policy, evaluate=evaluate, is_quiet=is_quiet, narrow=every_option, scale=DECISIVE)
