"""An action round: a tile, an event, actions in any order, passing (5.0)."""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from domain.imperial_struggle.components import ADVANTAGES, INVESTMENTS, LAST_TURN, TYPES
from domain.imperial_struggle.facts.cards import AbilityUsed, EventPlayed, MinistryRevealed
from domain.imperial_struggle.facts.flow import RoundBegan, RoundEnded, RoundPassed, TileTaken
from domain.imperial_struggle.points import DEPLOY, Pool
from domain.imperial_struggle.rules import menu
from domain.imperial_struggle.rules.advantages import paid_uses, targets
from domain.imperial_struggle.rules.board import available_debt, in_play, isolated
from domain.imperial_struggle.rules.paying import affordable
from domain.imperial_struggle.rules.refusals import why_not
from domain.imperial_struggle.rules.registry import ABILITIES, ACTING, EVENTS, REVEALED
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.deeds import conflict, reduce_debt, treaty, use_advantage
from domain.imperial_struggle.steps.spending import Pay, Sail, detail
from domain.imperial_struggle.steps.tiles import DrawBonus
from domain.imperial_struggle.steps.upgrades import upgrade
from domain.kernel import Detail, Pick, Picks, Reason, Resolution, Seat, Step

MINOR_POINTS = 2
CARRYING_TURN = 4  # when tiles are carried over to the Seven Years War (7.6)


class Round(Step[State], frozen=True):
    """4.1.9: the action rounds alternate, four for each side."""

    rule: ClassVar[str] = "book 001, 4.1.9: the action phase"
    seat: Seat
    number: int

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        s = yield RoundBegan(self.seat, self.number, isolated(s.flags, s.conflicts))
        if s.turn == CARRYING_TURN and self.number <= len(s.carried):  # the first round of a side
            for _ in range(s.carried[self.seat]):
                yield DrawBonus(self.seat)
        yield TakeTile(self.seat)


class TakeTile(Step[State], frozen=True):
    """5.1: a tile must be taken; ministries may act, or be revealed, before that."""

    spelling = ("ability:{ability}", "reveal:{ministry}", "{investment}")
    rule: ClassVar[str] = "book 001, 5.1: choosing an investment tile"
    seat: Seat

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,)

    def options(self, s: State, seat: Seat) -> Picks:
        return (*menu.tiles(s), *menu.abilities(s, seat, early=True), *menu.reveals(s, seat))

    def has_options(self, s: State, seat: Seat) -> bool:
        return bool(menu.tiles(s)) or super().has_options(s, seat)

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        assert s.round is not None
        return {"number": s.round.number}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        verb, _, id = picks[0].partition(":")
        if verb == menu.REVEAL:
            yield from _reveal(s, seat, id)
            yield TakeTile(seat)
        elif verb == menu.ABILITY:
            yield UseAbility(seat, id)
            yield TakeTile(seat)
        else:
            yield from _take(s, seat, picks[0])


def _take(s: State, me: Seat, tile: str) -> Resolution[State]:
    """3.3: the tile's Major and Minor action; on turn 6 its upgrade is a Treaty Point (5.3.3)."""
    face = INVESTMENTS[tile]
    pools = (
        Pool("major", face.major, "major", face.points),
        Pool("minor", face.minor, "minor", MINOR_POINTS),
    )
    at_once = face.upgrade and s.turn == LAST_TURN and s.options.last_upgrade == "taken"
    s = yield TileTaken(me, tile, pools, face.upgrade and not at_once)
    if at_once:
        s = yield from treaty(s, me, 1, menu.UPGRADE)
    yield RaiseActions(me)
    yield Act(me)


class RaiseActions(Step[State], frozen=True):
    """What open ministries add to the actions of this round without a choice."""

    rule: ClassVar[str] = "book 001, 3.5.4: action points of ministries"
    seat: Seat

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        for ministry, acts in ACTING.items():
            mine = ministry in s.ministries[self.seat] and in_play(s, ministry)
            if mine and s.round is not None and s.round.tile:
                yield from acts(s, self.seat)


class Act(Step[State], frozen=True):
    """5.0: whatever the player does next, until the round ends."""

    spelling = (
        "flag:{space}",
        "unflag:{space}",
        "ability:{ability}",
        "advantage:{advantage}",
        "build:{fort}",
        "clear:{space}",
        "deploy:{naval}",
        "event:{event}",
        "exchange:diplomatic",
        "exchange:economic",
        "pass:{number}",
        "repair:{fort}",
        "reveal:{ministry}",
        "rise:{political}",
        "seize:{fort}",
        "buy",
        "construct",
        "draw",
        "end",
        "upgrade",
    )
    rule: ClassVar[str] = "book 001, 5.0: an action round"
    seat: Seat

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,)

    def options(self, s: State, seat: Seat) -> Picks:
        return menu.menu(s, seat)

    def has_options(self, s: State, seat: Seat) -> bool:
        return True  # the round can always be ended

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        assert s.round is not None
        left = dict.fromkeys(TYPES, 0)
        for pool in s.round.pools:
            left[pool.type] += pool.points
        added = {"treaty": s.treaty[seat], "credit": max(0, available_debt(s, seat))}
        return {"number": s.round.number, "tile": s.round.tile, **left, **added}

    def details(self, s: State, seat: Seat) -> dict[Pick, Detail]:
        return {pick: detail(s, seat, bought) for pick, bought in menu.bought_as(s, seat).items()}

    def refusal(self, s: State, seat: Seat, pick: Pick) -> Reason:
        reason = why_not(s, seat, pick)
        return replace(reason, rule=f"book 001, {reason.rule}")

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        verb, _, id = picks[0].partition(":")
        if verb == menu.PASS:
            s = yield RoundPassed(seat)
            s = yield from reduce_debt(s, seat, int(id), menu.PASS)
            yield RoundEnded(seat)
        elif verb == menu.END:
            yield RoundEnded(seat)
        else:
            yield from _do(s, seat, verb, id, picks[0])
            yield Act(seat)


def _do(s: State, me: Seat, verb: str, id: str, pick: str) -> Resolution[State]:
    """One thing of the menu that does not end the round."""
    if verb == menu.EVENT:
        yield from _play(s, me, id)
    elif verb == menu.REVEAL:
        yield from _reveal(s, me, id)
    elif verb == menu.ABILITY:
        yield UseAbility(me, id)
    elif verb == menu.ADVANTAGE:
        yield UseAdvantage(me, id)
    elif verb == menu.UPGRADE:
        yield from upgrade(s, me)
    elif verb == DEPLOY:
        yield Sail(me, id)
    else:
        yield Pay(me, menu.bought_as(s, me)[pick])


# --------------------------------------------------------------------------- ministries and events


def _reveal(s: State, me: Seat, ministry: str) -> Resolution[State]:
    s = yield MinistryRevealed(me, ministry)
    if ministry in REVEALED:
        yield from REVEALED[ministry](s, me)
    yield RaiseActions(me)


class UseAbility(Step[State], frozen=True):
    """3.5.2: an ability of an open ministry."""

    rule: ClassVar[str] = "book 001, 3.5.2: abilities of ministries"
    seat: Seat
    ability: str

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        item = ABILITIES[self.ability]
        s = yield AbilityUsed(self.seat, item.id, item.exhausts)
        yield from item.then(s, self.seat)


def _play(s: State, me: Seat, card: str) -> Resolution[State]:
    """5.2: the condition is checked once, at the beginning; then the whole event happens, then its bonus."""
    assert s.round is not None
    face = EVENTS[card]
    if not INVESTMENTS[s.round.tile].event:
        s = yield AbilityUsed(me, menu.ANY_EVENT, True)
    elif not menu.fits_tile(s, card):
        s = yield AbilityUsed(me, menu.ECONOMIC_EVENT, True)
    met = face.bonus_if is not None and face.effect("bonus", me) is not None and face.bonus_if.met(s, me)
    s = yield EventPlayed(me, card, met)
    yield Happen(me, card, "base")
    if met:
        yield Happen(me, card, "bonus")
    yield RaiseActions(me)


class Happen(Step[State], frozen=True):
    """The "base" or the "bonus" of an event."""

    rule: ClassVar[str] = "book 001, 5.2: playing an event"
    seat: Seat
    card: str
    part: str

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        effect = EVENTS[self.card].effect(self.part, self.seat)
        assert effect is not None
        yield from effect(s, self.seat)


# --------------------------------------------------------------------------- advantages


class UseAdvantage(Step[State], frozen=True):
    """8.2: an advantage, on a target where it has one; `ignores_exhaustion`: by an event (6, 33)."""

    spelling = ("{space}",)
    rule: ClassVar[str] = "book 001, 8.2: using an advantage"
    seat: Seat
    advantage: str
    ignores_exhaustion: bool = False

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,) if len(targets(s, self.seat, self.advantage)) > 1 else ()

    def options(self, s: State, seat: Seat) -> Picks:
        return targets(s, self.seat, self.advantage)

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"advantage": self.advantage, "how": f"does.{ADVANTAGES[self.advantage].does}"}

    def details(self, s: State, seat: Seat) -> dict[Pick, Detail]:
        return {bought.space: detail(s, seat, bought) for bought in paid_uses(s, seat, self.advantage)}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        face, me = ADVANTAGES[self.advantage], self.seat
        free = self.ignores_exhaustion and s.options.immediate_advantage == "free"
        space = (picks or self.options(s, me) or ("",))[0]
        if face.does in ("debt", "conflict"):
            s = yield from use_advantage(s, me, self.advantage, exhausts=not free)
            if space:
                yield from conflict(s, space, self.advantage)
            elif face.does == "debt":
                yield from reduce_debt(s, me, face.points, self.advantage)
            return
        for bought in paid_uses(s, me, self.advantage, free=free):
            if bought.space == space and affordable(s, me, bought):
                yield Pay(me, bought)
