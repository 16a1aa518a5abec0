"""Playing a card in an action round, and what its event does."""

from __future__ import annotations

from typing import ClassVar

from domain.kernel import Detail, Draw, Pick, Picks, Resolution, Seat, Step
from domain.twilight_struggle.components import OTHER, US, USSR
from domain.twilight_struggle.facts.cards import CardPlayed, ChinaPassed, ChinaPlayed, EnvyEnded
from domain.twilight_struggle.facts.flow import BurialEnded, EventBarred, EventBegan, RoundPassed, TrapRolled
from domain.twilight_struggle.rules.board import effects
from domain.twilight_struggle.rules.hand import TRAPS, cancel_kinds, may_intervene, ops_of, owner, plays, uses
from domain.twilight_struggle.rules.odds import space_odds, trap_odds, war_odds
from domain.twilight_struggle.rules.operations import CHINA, grant
from domain.twilight_struggle.rules.registry import CARDS, barred
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.deeds import (
    Deed,
    charge_war,
    check_victory,
    end_marker,
    gain,
    put_away,
)
from domain.twilight_struggle.steps.dice import DICE, coordinates
from domain.twilight_struggle.steps.operations import (
    RANSOM,
    Operate,
    conduct,
    pay_ransom,
    ransomed,
)

UN = "un_intervention"
ENVY = "missile_envy"
ATTACKED = {"korean_war": "south_korea", "arab_israeli_war": "israel"}  # the other wars ask for the target


class PlayCard(Step[State], frozen=True):
    """An action round: which card, and how.  Options are "<how>:<card>"."""

    spelling = (
        "cancel:{card}",
        "coup:{card}",
        "discard:{card}",
        "event:{card}",
        "event_first:{card}",
        "influence:{card}",
        "ransom:{country}",
        "realign:{card}",
        "space:{card}",
        "pass",
    )
    rule: ClassVar[str] = "book 003, 5.1-5.2, 6 and 9: playing a card"
    seat: Seat

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,)

    def options(self, s: State, seat: Seat) -> Picks:
        found = plays(s, self.seat)
        return (*found, *ransomed(s, self.seat)) if found else ()

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"turn": s.turn, "round": s.round}

    def details(self, s: State, seat: Seat) -> dict[Pick, Detail]:
        return {pick: found for pick in self.options(s, seat) if (found := odds_of(s, self.seat, pick))}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        how, _, card = picks[0].partition(":") if picks else ("pass", "", "")
        if how == RANSOM:
            yield from pay_ransom(s, self.seat, card)
            yield self
            return
        if self.seat == US and s.buries:
            s = yield from answer_burial(s, averted=how == "cancel")
        if how == "pass":
            yield RoundPassed(self.seat)
        elif card == CHINA:
            yield from play_china(s, self.seat, how)
        else:
            yield from play(s, self.seat, card, how, self.seat)


def odds_of(s: State, seat: Seat, play: Pick) -> Detail | None:
    """What the dice may bring, if a way of playing a card leads straight to a roll."""
    how, _, card = play.partition(":")
    if how == "space":
        return space_odds(s, seat)
    if how == "discard":
        return trap_odds()
    if how in ("event", "event_first") and card in ATTACKED and not barred(s, card, owner(card, seat)):
        return war_odds(s, owner(card, seat), card, ATTACKED[card])
    return None


def answer_burial(s: State, *, averted: bool) -> Deed:
    """We Will Bury You: 3 points for the USSR at once, unless UN Intervention is the play."""
    s = yield BurialEnded(averted)
    if not averted:
        s = yield from gain(s, USSR, 3, "we_will_bury_you")
        s = yield from check_victory(s)
    return s


def play(s: State, me: Seat, card: str, how: str, holder: Seat) -> Resolution[State]:
    """5.1, 5.2: a card from the hand of `holder` as event, for Operations, or both."""
    if how == "cancel":
        yield from cancel(s, me, card, holder, intervening=me)
        return
    s = yield CardPlayed(me, card, how, holder)
    if card == ENVY and s.envy == holder:
        s = yield EnvyEnded()
    if how == "discard":
        s = yield from put_away(s, card, happened=False)
        yield RollTrap(me, TRAPS[me])
        return
    if how != "space":
        s = yield from charge_war(s, me, card)
    yield from _use(me, card, how)


def _use(me: Seat, card: str, how: str) -> Resolution[State]:
    theirs = CARDS[card].side == OTHER[me]
    if how == "event":
        yield Event(owner(card, me), card)
    elif how == "event_first":
        yield Event(owner(card, me), card)
        yield Operate(me, ops_of(card))
        yield EndPlay(card)
    else:
        yield conduct(me, ops_of(card), how)
        yield Event(OTHER[me], card) if theirs and how != "space" else EndPlay(card)


def play_china(s: State, me: Seat, how: str) -> Resolution[State]:
    """9: the China Card, for Operations only; it ends Formosan Resolution when the US plays it."""
    s = yield ChinaPlayed(me, how)
    if me == US:
        s = yield from end_marker(s, "formosan_resolution")
    yield conduct(me, ops_of(CHINA), how)
    yield PassChina(me)


class PassChina(Step[State], frozen=True):
    """9.3: after play the China Card goes to the opponent, face down."""

    rule: ClassVar[str] = "book 003, 9.3: passing the China Card"
    seat: Seat

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        s = yield ChinaPassed(OTHER[self.seat], ready=False)
        yield from check_victory(s)


def cancel(s: State, me: Seat, card: str, holder: Seat, *, intervening: Seat) -> Resolution[State]:
    """UN Intervention, from the hand of `intervening`, cancels the event; the card gives its Operations."""
    s = yield CardPlayed(me, UN, "event", intervening)
    s = yield from put_away(s, UN, happened=True)
    s = yield CardPlayed(me, card, "cancelled", holder)
    if effects(s, "u2_incident", USSR):
        s = yield from gain(s, USSR, 1, "u2_incident")
        s = yield from check_victory(s)
    yield from charge_war(s, me, card)
    yield Operate(me, ops_of(card), cancel_kinds(s))
    yield EndPlay(card)


class EndPlay(Step[State], frozen=True):
    """A played card whose event did not happen goes to the discards."""

    rule: ClassVar[str] = "book 003, 5.2: cards used for Operations"
    card: str

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        s = yield from put_away(s, self.card, happened=False)
        yield from check_victory(s)


class Event(Step[State], frozen=True):
    """The event of a card; `seat` makes its choices (5.2)."""

    rule: ClassVar[str] = "book 003, 5.2: events"
    seat: Seat
    card: str

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        why = barred(s, self.card, self.seat)
        if why:
            yield EventBarred(self.card, why)
            yield EndPlay(self.card)
            return
        s = yield EventBegan(self.card, self.seat)
        yield from CARDS[self.card].event(s, self.seat)
        yield EndEvent(self.card)


class EndEvent(Step[State], frozen=True):
    """The event has happened: its card goes away, and 20 points win (10.3.1)."""

    rule: ClassVar[str] = "book 003, 2.2.4 and 10.3.1: after an event"
    card: str

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        s = yield from put_away(s, self.card, happened=True)
        yield from check_victory(s)


class RollTrap(Draw[State], frozen=True):
    """Quagmire, Bear Trap: a roll of 1 to 4 escapes."""

    spelling = ("{number}",)
    rule: ClassVar[str] = "the cards Quagmire and Bear Trap"
    seat: Seat
    trap: str

    def options(self, s: State, seat: Seat) -> Picks:
        return DICE

    def label(self, s: State) -> str:
        return coordinates(s, self.seat, "trap")

    def face_up(self, s: State) -> bool:
        return True

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        roll = int(picks[0])
        s = yield TrapRolled(self.seat, self.trap, roll, roll <= 4)
        if roll <= 4:
            yield from end_marker(s, self.trap)


class PlayTaken(Step[State], frozen=True):
    """Grain Sales: the US plays the card that it drew as if from its own hand, or gives it back."""

    spelling = (
        "cancel:{card}",
        "coup:{card}",
        "event:{card}",
        "event_first:{card}",
        "influence:{card}",
        "realign:{card}",
        "space:{card}",
        "return",
    )
    rule: ClassVar[str] = "the card Grain Sales to Soviets"
    seat: Seat
    card: str
    holder: Seat

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,)

    def options(self, s: State, seat: Seat) -> Picks:
        hand = s.hands[self.seat]
        return (*uses(s, self.seat, self.card, hand), *self._cancels(s, hand), "return")

    def _cancels(self, s: State, hand: Picks) -> Picks:
        """If UN Intervention was drawn: the enemy's cards in the player's own hand that it could cancel."""
        if self.card != UN or not may_intervene(s, self.seat):
            return ()
        return tuple(f"cancel:{card}" for card in hand if CARDS[card].side == OTHER[self.seat])

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"card": self.card}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        how, _, card = picks[0].partition(":")
        if how == "return":
            yield Operate(self.seat, grant(s, "grain_sales_to_soviets", 2))
        elif self.card == UN and how == "cancel":
            yield from cancel(s, self.seat, card, self.seat, intervening=self.holder)
        else:
            yield from play(s, self.seat, self.card, how, self.holder)
