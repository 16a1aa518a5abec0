"""The course of a turn: deal, headlines, action rounds, end; and the end of the match (4.5)."""

from __future__ import annotations

from typing import ClassVar

from domain.kernel import Ended, Picks, Resolution, Seat, Step
from domain.twilight_struggle.components import OTHER, REGIONS, US, USSR
from domain.twilight_struggle.facts.cards import CardsAdded
from domain.twilight_struggle.facts.flow import (
    EffectsLapsed,
    HandsChecked,
    HeadlineBegan,
    HeadlineCancelled,
    HeadlineChosen,
    HeadlinesBegan,
    HeadlineShown,
    HeadlineSkipped,
    HeldCardsShown,
    RoundBegan,
    RoundPassed,
    TurnBegan,
    TurnEnded,
)
from domain.twilight_struggle.facts.tracks import MilitaryChecked
from domain.twilight_struggle.rules.board import Where, controls, in_force
from domain.twilight_struggle.rules.hand import (
    has_eighth,
    headlines,
    may_play_china,
    owner,
    rounds,
    scoring,
)
from domain.twilight_struggle.rules.operations import CHINA, holds_box
from domain.twilight_struggle.rules.periods import joining
from domain.twilight_struggle.rules.registry import CARDS
from domain.twilight_struggle.rules.scoring import MOST, score, scored
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.choices import NONE, AddEach
from domain.twilight_struggle.steps.deeds import (
    charge_war,
    check_victory,
    discard,
    finish,
    gain,
    improve,
    record,
    swing,
)
from domain.twilight_struggle.steps.hands import Deal
from domain.twilight_struggle.steps.play import Event, PlayCard, answer_burial

LAST_TURN = 10
NORAD_WHERE = Where(holding=US)


class Turn(Step[State], frozen=True):
    """One turn, from improving DEFCON to moving the turn marker."""

    rule: ClassVar[str] = "book 003, 4.5: the turn"
    turn: int

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        first = not s.turn
        s = yield TurnBegan(self.turn)
        if not first or (s.options.scenario == "late_war" and s.options.late_war_defcon == "improved"):
            s = yield from improve(s)
        added = joining(s, self.turn) if not first else ()
        if added:
            yield CardsAdded(CARDS[added[0]].period, added)
        yield Deal()
        yield Headlines()
        yield Round(1)


# --------------------------------------------------------------------------- headlines


class Headlines(Step[State], frozen=True):
    """4.5 C: both choose in secret; the side with box 4 alone sees the other's card first (6.4.4)."""

    rule: ClassVar[str] = "book 003, 4.5 C: the headline phase"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        s = yield HeadlinesBegan()
        ahead = next((side for side in (US, USSR) if holds_box(s, side, 4)), None)
        if ahead is None:
            yield ChooseHeadline((US, USSR))
        else:
            yield ChooseHeadline((OTHER[ahead],))
            yield ShowHeadlines()
            yield ChooseHeadline((ahead,))
        yield ShowHeadlines()
        yield OrderHeadlines()


class ChooseHeadline(Step[State], frozen=True):
    """Each of `waiting` chooses a headline in secret."""

    spelling = ("{card}",)
    rule: ClassVar[str] = "book 003, 4.5 C: a card of the hand, not the China Card, not UN Intervention"
    secret: ClassVar[bool] = True
    waiting: tuple[Seat, ...]

    def asks(self, s: State) -> tuple[Seat, ...]:
        return self.waiting

    def options(self, s: State, seat: Seat) -> Picks:
        return headlines(s, seat) or ((NONE,) if s.hands[seat] else ())

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"turn": s.turn}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield HeadlineChosen(seat, picks[0] if picks else NONE)
        rest = tuple(side for side in self.waiting if side != seat)
        if rest:
            yield ChooseHeadline(rest)


class ShowHeadlines(Step[State], frozen=True):
    """The chosen headlines are turned up together."""

    rule: ClassVar[str] = "book 003, 4.5 C: headlines are shown together"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        for side, card in sorted(s.chosen.items()):
            if card == NONE:
                yield HeadlineSkipped(side)
            else:
                yield HeadlineShown(side, card)


class OrderHeadlines(Step[State], frozen=True):
    """The higher printed value first, the US on a tie; Defectors of the US cancels the other headline."""

    rule: ClassVar[str] = "book 003, 4.5 C: the order of headlines"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if s.headlines.get(US) == "defectors" and USSR in s.headlines:
            s = yield HeadlineCancelled(USSR, s.headlines[USSR])
        order = sorted(s.headlines, key=lambda side: (-CARDS[s.headlines[side]].ops, side != US))
        for side in order:
            yield ResolveHeadline(side)


class ResolveHeadline(Step[State], frozen=True):
    """One headline's event; its owner is the phasing player."""

    rule: ClassVar[str] = "book 003, 4.5 C: resolving a headline"
    seat: Seat

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        card = s.headlines.get(self.seat)
        if card is not None:
            s = yield HeadlineBegan(self.seat, card)
            yield from charge_war(s, self.seat, card)
            yield Event(owner(card, self.seat), card)


# --------------------------------------------------------------------------- action rounds


class Round(Step[State], frozen=True):
    """4.5 D: an action round of the USSR, then of the US; an eighth for a side that has it."""

    rule: ClassVar[str] = "book 003, 4.5 D: action rounds"
    round: int

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if self.round <= rounds(s.turn):
            yield Act(self.round, USSR)
            yield Act(self.round, US)
            yield Round(self.round + 1)
        else:
            yield Act(self.round, USSR, extra=True)
            yield Act(self.round, US, extra=True)
            yield EndTurn()


class Act(Step[State], frozen=True):
    """One action round of one side; without cards it plays nothing.  `extra`: the eighth, if it has one."""

    rule: ClassVar[str] = "book 003, 4.5 D and 5.1: no passing with cards in hand"
    round: int
    seat: Seat
    extra: bool = False

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if self.extra and not has_eighth(s, self.seat):
            return
        s = yield RoundBegan(self.round, self.seat)
        if s.hands[self.seat] or may_play_china(s, self.seat):
            yield PlayCard(self.seat)
            yield EndRound(self.seat)
            return
        if self.seat == US and s.buries:
            s = yield from answer_burial(s, averted=False)
        yield RoundPassed(self.seat)


class EndRound(Step[State], frozen=True):
    """NORAD: DEFCON moved to 2 in this round, and the US controls Canada."""

    rule: ClassVar[str] = "the card NORAD"
    seat: Seat

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if in_force(s, "norad") and s.reached_two and controls(s, US, "canada"):
            yield AddEach(US, "norad", US, NORAD_WHERE, 1, least=0)


# --------------------------------------------------------------------------- the end of a turn


class EndTurn(Step[State], frozen=True):
    """4.5 E-H: effects lapse, a held card may go, Military Operations, held cards, the next turn."""

    rule: ClassVar[str] = "book 003, 4.5 E-H: the end of the turn"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        names = tuple(dict.fromkeys(item.card for item in s.effects))
        s = yield EffectsLapsed(names)
        for side in (USSR, US):
            if holds_box(s, side, 6):
                yield DropCard(side)
        yield CheckMilitary()
        yield CheckHands()
        yield CloseTurn()


class DropCard(Step[State], frozen=True):
    """Box 6 of the Space Race: one held card may be discarded (not a scoring card)."""

    spelling = ("none", "{card}")
    rule: ClassVar[str] = "book 003, 6.4.4: the ability of box 6"
    seat: Seat

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,) if s.hands[self.seat] else ()

    def options(self, s: State, seat: Seat) -> Picks:
        return (*(card for card in s.hands[seat] if not CARDS[card].scores), NONE)

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if picks and picks[0] != NONE:
            yield from discard(s, self.seat, picks[0], "space")


class CheckMilitary(Step[State], frozen=True):
    """8.2.1: each point short of DEFCON is a point for the opponent; only the difference moves."""

    rule: ClassVar[str] = "book 003, 8.2.1: required Military Operations"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        short = {side: max(0, s.defcon - s.military[side]) for side in (US, USSR)}
        s = yield MilitaryChecked(s.defcon, short)
        s = yield from swing(s, short[USSR] - short[US], "military_operations")
        if abs(s.vp) >= MOST and s.edition == "deluxe" and s.hands[US if s.vp > 0 else USSR]:
            yield ShowHeld(US if s.vp > 0 else USSR)
        yield Decide()


class Decide(Step[State], frozen=True):
    """10.3.1: 20 points win at once."""

    rule: ClassVar[str] = "book 003, 10.3.1: automatic victory"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield from check_victory(s)


class ShowHeld(Step[State], frozen=True):
    """10.3.1 (book 003 only): a side that reaches 20 here shows its held cards; a scoring card loses."""

    rule: ClassVar[str] = "book 003, 10.3.1: 20 points in the check of Military Operations"
    seat: Seat

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        s = yield HeldCardsShown(self.seat, s.hands[self.seat])
        if scoring(s.hands[self.seat]):
            yield Ended(OTHER[self.seat], "held_scoring_card", score(s))


class CheckHands(Step[State], frozen=True):
    """11: held cards are shown in a tournament; a held scoring card loses in any case (4.5 D)."""

    rule: ClassVar[str] = "book 003, 11: held cards"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        held = tuple(side for side in (USSR, US) if scoring(s.hands[side]))
        s = yield HandsChecked(held)
        for side in (USSR, US):
            if s.hands[side] and (s.options.tournament or side in held):
                s = yield HeldCardsShown(side, s.hands[side])
        if held:
            winner = OTHER[held[0]] if len(held) == 1 else None
            yield Ended(winner, "held_scoring_card", score(s))


class CloseTurn(Step[State], frozen=True):
    """4.5 G-I: the China Card is turned up, and the next turn begins, or final scoring."""

    rule: ClassVar[str] = "book 003, 4.5 G-I: the next turn"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        s = yield TurnEnded(s.turn, s.vp, s.defcon)
        yield Turn(s.turn + 1) if s.turn < LAST_TURN else FinalScoring()


class FinalScoring(Step[State], frozen=True):
    """10.3.2: every region, Europe first; Control of Europe wins, 20 points do not."""

    rule: ClassVar[str] = "book 003, 10.3.2: final scoring"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if s.buries:  # no further US round: the points are due before final scoring
            s = yield from answer_burial(s, averted=False)
        for region in REGIONS:
            s = yield from record(s, scored(s, region), bounded=False)
        if s.china is not None:
            s = yield from gain(s, s.china, 1, CHINA, bounded=False)
        yield from finish(s, "final_scoring")
