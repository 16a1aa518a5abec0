"""How long each card can have lain in the draw pile, and which draws there were: what `deal` has to match.

The module goes through the moves of a log and counts the cards of each hand and of the draw pile, so that the
size of every draw is known, and where the pile runs out.  For each card that must have come from the pile it
notes a `Stay`: since when the card was in the pile, and when at the latest it was drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from domain.kernel import Seat
from domain.twilight_struggle.components import US, USSR
from domain.twilight_struggle.rules.hand import hand_size
from domain.twilight_struggle.rules.periods import PERIODS, cards_of, late_war_deck
from domain.twilight_struggle.steps.hands import shares
from replay.importers.twilight_struggle.card_tracking import (
    ALL,
    BESIDE,
    DISCARDS,
    REMOVED,
    SCORING,
    Arrives,
    Doubtful,
    Draws,
    Lacks,
    Leaves,
    Looks,
    Move,
    PutAway,
    Reshuffled,
    Shows,
    Skips,
    TakenBack,
    TurnBegins,
    TurnEnds,
    moves,
)
from replay.importers.twilight_struggle.names import EDITION
from replay.importers.twilight_struggle.structure import NOBODY, Log

LOOKED_AT = 5  # by Our Man in Tehran
PILE, HANDS, PLAYED = "pile", {US: "us", USSR: "ussr"}, "played"
NAMES = {US: "US", USSR: "USSR"}
NEVER = 1_000_000
PLACES = {
    PILE: "lies in the draw pile",
    HANDS[US]: "is in the hand of the US",
    HANDS[USSR]: "is in the hand of the USSR",
    PLAYED: "is being played",
    DISCARDS: "lies among the discards",
    REMOVED: "is out of the game",
    BESIDE: "lies beside the board",
}


class Stay(Struct):
    """A card in the draw pile, from the moment `since` on.

    `side` draws it before `before` (no side, if the card does not turn up again) and holds it until `leaves`.
    `forced`: the pile runs out before that, so one side draws it in any case.  `looked`: it left the pile
    undrawn, by Our Man in Tehran.  `turn` and `line`: where it turns up.
    """

    card: str
    since: int
    side: Seat = NOBODY
    before: int = NEVER
    leaves: int = NEVER
    forced: bool = False
    looked: bool = False
    turn: int = 0
    line: int = 0


class Draw(Struct, frozen=True):
    """So many cards drawn by one side at one moment; `reshuffled`: of a pile that is made for this draw."""

    moment: int
    turn: int
    line: int
    side: Seat
    count: int
    reshuffled: bool


class Look(Struct, frozen=True):
    """The top cards of the pile are looked at, `count` of them, and these discarded."""

    moment: int
    turn: int
    line: int
    count: int
    thrown: tuple[str, ...]


class Lack(Struct, frozen=True):
    """At one moment one side has none of these cards in its hand."""

    moment: int
    side: Seat
    cards: frozenset[str]


class Question(Struct, frozen=True):
    """Everything that a deal has to meet, in the order of the game, and what none can meet (`problems`)."""

    draws: tuple[Draw, ...]
    looks: tuple[Look, ...]
    stays: tuple[Stay, ...]
    lacks: tuple[Lack, ...]
    problems: tuple[str, ...]


def question(log: Log) -> Question:
    """What has to be dealt in a log."""
    walk = _Walk(log.optional_cards)
    if log.late_war:
        walk.begin_late()
    elif log.scenario.lower() != "standard":
        walk.problems.append(f"what is dealt in the scenario {log.scenario!r} is not known")
    for move in moves(log):
        walk.moment += 1
        _STEPS[type(move)](walk, move)
    walk.close_turn()
    return Question(
        tuple(walk.draws), tuple(walk.looks), tuple(walk.stays), tuple(walk.lacks), tuple(walk.problems)
    )


class _Walk:
    """The counting walk; `moment` numbers the moves, and `open` are the cards that may lie in the pile."""

    def __init__(self, optional: bool) -> None:
        self.optional = optional
        self.moment = self.pile = self.turn = self.line = 0
        self.hands = {US: 0, USSR: 0}
        self.place: dict[str, str] = {}
        self.open: dict[str, Stay] = {}
        self.held: dict[str, Stay] = {}
        self.draws: list[Draw] = []
        self.looks: list[Look] = []
        self.stays: list[Stay] = []
        self.lacks: list[Lack] = []
        self.problems: list[str] = []
        self.printed = self.counted = 0
        self.goes_on = self.fresh = False

    def doubt(self, text: str) -> None:
        self.problems.append(f"turn {self.turn}, line {self.line}: {text}")

    def whereabouts(self, card: str) -> str:
        stay = self.open.get(card)
        if stay is not None and stay.forced:
            return "was drawn before"
        return PLACES.get(self.place.get(card, ""), "is not in the game yet")

    # ----------------------------------------------------------------------- the pile

    def enter(self, card: str) -> None:
        """A card begins to lie in the pile."""
        self.place[card] = PILE
        self.open[card] = Stay(card, self.moment)
        self.stays.append(self.open[card])
        self.pile += 1

    def begin_late(self) -> None:
        """The Late War scenario: its deck is there from the beginning, and the rest is out of the game."""
        deck, gone = late_war_deck(self.optional)
        self.place |= dict.fromkeys(gone, REMOVED)
        for card in deck:
            self.enter(card)

    def reshuffle(self) -> None:
        """The discards become a pile; cards of a pile that ran out were all drawn before."""
        if not self.pile:
            for stay in self.open.values():
                stay.forced, stay.before = True, min(stay.before, self.moment)
        for card in sorted(card for card, place in self.place.items() if place == DISCARDS):
            self.enter(card)
        self.counted += 1
        self.fresh = True

    def draw(self, side: Seat, count: int) -> None:
        self.moment += 1
        drawn = Draw(self.moment, self.turn, self.line, side, count, self.fresh)
        self.draws.append(drawn)
        self.pile -= count
        self.hands[side] += count
        self.fresh = False

    def has_discards(self) -> bool:
        return DISCARDS in self.place.values()

    def deal(self) -> None:
        """As the rules deal: the old pile first, in turns, then the discards."""
        needs = {side: max(0, hand_size(self.turn) - self.hands[side]) for side in (USSR, US)}
        now = shares(needs, self.pile)
        for side in (USSR, US):
            if now[side]:
                self.draw(side, now[side])
        if sum(needs.values()) > sum(now.values()) and self.has_discards():
            self.moment += 1
            self.reshuffle()
            self.deal()

    # ----------------------------------------------------------------------- moves

    def turn_begins(self, move: TurnBegins) -> None:
        self.close_turn()
        self.turn, self.line, self.goes_on = move.turn, move.line, move.goes_on
        for period in (period for period, first in PERIODS.items() if first == move.turn):
            for card in cards_of(EDITION, period, optional=self.optional):
                if card not in self.place:
                    self.enter(card)
        self.deal()

    def close_turn(self) -> None:
        if self.printed > self.counted and self.goes_on:
            self.doubt(
                "the log reshuffles the discards in this turn, but by counting the pile does not run out"
            )
        elif self.printed < self.counted and self.goes_on:
            self.doubt(
                "by counting the pile runs out in this turn, but the log does not reshuffle the discards"
            )
        self.printed = self.counted = 0

    def turn_ends(self, move: TurnEnds) -> None:
        self.lacks += [Lack(self.moment, side, SCORING) for side in move.without]

    def reshuffled(self, move: Reshuffled) -> None:
        self.printed += 1

    def draws_more(self, move: Draws) -> None:
        now = min(move.count, self.pile)
        if now:
            self.draw(move.side, now)
        if now < move.count and self.has_discards():
            self.moment += 1
            self.reshuffle()
            self.draws_more(Draws(move.turn, move.line, move.side, move.count - now))

    def looks_at(self, move: Looks) -> None:
        if self.pile < LOOKED_AT and self.has_discards():
            self.reshuffle()
            self.moment += 1
            self.fresh = False
        count = min(LOOKED_AT, self.pile)
        self.looks.append(Look(self.moment, move.turn, move.line, count, move.cards))
        for card in move.cards:
            self.throw(card)

    def throw(self, card: str) -> None:
        stay = self.open.get(card)
        if stay is None or stay.forced:
            self.doubt(f"{card} is discarded from the draw pile, but it {self.whereabouts(card)}")
        else:
            stay.looked = True
            self.pile -= 1
        self.open.pop(card, None)
        self.place[card] = DISCARDS

    # ----------------------------------------------------------------------- hands

    def found(self, side: Seat, card: str) -> None:
        """A card is in a hand now: if it lay in the pile, this side drew it."""
        stay = self.open.pop(card, None)
        if stay is not None:
            stay.side, stay.before = side, min(stay.before, self.moment)
            stay.turn, stay.line = self.turn, self.line
            self.held[card] = stay
        elif self.place.get(card) != HANDS[side]:
            self.doubt(f"the {NAMES[side]} has {card} in its hand, but that card {self.whereabouts(card)}")
        self.place[card] = HANDS[side]

    def leaves(self, move: Leaves) -> None:
        self.found(move.side, move.card)
        if move.card in self.held:
            self.held.pop(move.card).leaves = self.moment
        self.place[move.card] = PLAYED
        self.hands[move.side] -= 1

    def arrives(self, move: Arrives) -> None:
        self.place[move.card] = HANDS[move.side]
        self.hands[move.side] += 1

    def put_away(self, move: PutAway) -> None:
        self.place[move.card] = move.to

    def taken_back(self, move: TakenBack) -> None:
        if self.place.get(move.card) != DISCARDS:
            self.doubt(f"{move.card} is taken out of the discards, but it {self.whereabouts(move.card)}")
        self.open.pop(move.card, None)
        self.place[move.card] = PLAYED

    def shows(self, move: Shows) -> None:
        for card in move.cards:
            self.found(move.side, card)
        if not move.whole:
            return
        self.lacks.append(Lack(self.moment, move.side, ALL - set(move.cards)))
        if len(move.cards) != self.hands[move.side]:
            held = self.hands[move.side]
            self.doubt(f"the {NAMES[move.side]} has {len(move.cards)} cards in its hand, by counting {held}")

    def skips(self, move: Skips) -> None:
        if self.hands[move.side]:
            self.hands[move.side] -= 1
        else:
            self.lacks.append(Lack(self.moment, move.side, ALL))

    def lacks_some(self, move: Lacks) -> None:
        self.lacks.append(Lack(self.moment, move.side, move.cards))

    def doubtful(self, move: Doubtful) -> None:
        self.doubt(move.text)

    def look_here(self, move: Move) -> None:
        self.turn, self.line = move.turn, move.line


def _here(step: Callable[[_Walk, Any], None]) -> Callable[[_Walk, Any], None]:
    """A step that first notes where in the log it stands."""

    def run(walk: _Walk, move: Move) -> None:
        walk.look_here(move)
        step(walk, move)

    return run


_STEPS: dict[type[Move], Callable[[_Walk, Any], None]] = {
    TurnBegins: _Walk.turn_begins,
    TurnEnds: _here(_Walk.turn_ends),
    Leaves: _here(_Walk.leaves),
    Arrives: _here(_Walk.arrives),
    PutAway: _here(_Walk.put_away),
    TakenBack: _here(_Walk.taken_back),
    Shows: _here(_Walk.shows),
    Skips: _here(_Walk.skips),
    Lacks: _here(_Walk.lacks_some),
    Draws: _here(_Walk.draws_more),
    Looks: _here(_Walk.looks_at),
    Reshuffled: _here(_Walk.reshuffled),
    Doubtful: _here(_Walk.doubtful),
}
