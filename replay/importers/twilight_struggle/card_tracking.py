"""Follows the cards through a foreign log: returns the log as moves of cards and facts about hands.

A log does not say what was dealt, but it names every card that leaves a hand, and sometimes it shows what a
hand holds or cannot hold.  `moves` returns all this in order; `deal` derives the draws from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from domain.kernel import Seat
from domain.twilight_struggle.components import OTHER, US, USSR
from domain.twilight_struggle.rules.hand import TRAPS, rounds
from domain.twilight_struggle.rules.operations import CHINA
from domain.twilight_struggle.rules.registry import CARDS
from domain.twilight_struggle.rules.scoring import MOST
from replay.importers.twilight_struggle.names import CARD_NAMES
from replay.importers.twilight_struggle.structure import (
    ActionRound,
    Discards,
    Entry,
    EventNamed,
    HasNone,
    Headline,
    Headlined,
    InPlay,
    Log,
    NotInPlay,
    OpsHeader,
    Paragraph,
    Plays,
    Reshuffle,
    Reveals,
    Score,
    Statement,
    Turn,
    Wins,
)

# ── Moves of cards, and facts about hands: found here, counted by `draw_intervals` ──

DISCARDS, REMOVED, BESIDE = "discards", "removed", "beside"


class Move(Struct, frozen=True, gc=False):
    """Something that happens to cards, in a turn, at a line of the log."""

    turn: int
    line: int


class TurnBegins(Move, frozen=True):
    """Both hands are filled.  `goes_on`: the log goes on after that."""

    goes_on: bool


class TurnEnds(Move, frozen=True):
    """A side that holds a scoring card now loses, so these sides hold none."""

    without: tuple[Seat, ...]


class Leaves(Move, frozen=True):
    """A card leaves a hand."""

    side: Seat
    card: str


class Arrives(Move, frozen=True):
    """A card comes into a hand, but not from the draw pile (SALT, Missile Envy)."""

    side: Seat
    card: str


class PutAway(Move, frozen=True):
    """A card that was played goes to the discards, is removed, or lies beside the board."""

    card: str
    to: str


class TakenBack(Move, frozen=True):
    """A card is taken out of the discards (SALT, Star Wars)."""

    card: str


class Shows(Move, frozen=True):
    """These cards are in a hand now; `whole`: and no others."""

    side: Seat
    cards: tuple[str, ...]
    whole: bool = False


class Lacks(Move, frozen=True):
    """None of these cards is in a hand now."""

    side: Seat
    cards: frozenset[str]


class Skips(Move, frozen=True):
    """The log has no line about a round of this side: it held no card, or played an unknown one."""

    side: Seat


class Draws(Move, frozen=True):
    """So many cards are drawn in mid-turn."""

    side: Seat
    count: int


class Looks(Move, frozen=True):
    """Our Man in Tehran: the top cards of the draw pile are looked at, and these of them discarded."""

    cards: tuple[str, ...]


class Reshuffled(Move, frozen=True):
    """The log says that the discards were reshuffled."""


class Doubtful(Move, frozen=True):
    """Something that the rules cannot explain."""

    text: str


# ── Reading the moves of cards and the facts about hands from a log ──


ALL = frozenset(CARD_NAMES.values()) - {CHINA}
SCORING = frozenset(card for card in ALL if CARDS[card].scores)
WHOLE_HAND = {"cia_created": USSR, "lone_gunman": US, "aldrich_ames_remix": US}
ENVY, GRAIN, PLAN, SALT = "missile_envy", "grain_sales_to_soviets", "five_year_plan", "salt_negotiations"
ASK_NOT, TEHRAN, CAMBRIDGE = "ask_not_what_your_country", "our_man_in_tehran", "the_cambridge_five"
STAR_WARS, SHUTTLE, UN = "star_wars", "shuttle_diplomacy", "un_intervention"
EMPTY_HAND = (*WHOLE_HAND, GRAIN, PLAN, "terrorism")  # where "no cards" means none at all
LAST_TURN, LATE_WAR_TURN = 10, 8
HELD = "held scoring card"  # why a side has won, as the edition writes it


def moves(log: Log) -> tuple[Move, ...]:
    """Every move of a card in a log, and every fact about a hand, in order."""
    return tuple(_Course(log).moves())


def _last_mentions(log: Log) -> dict[str, int]:
    """The last line in which a card comes from a hand."""
    found: dict[str, int] = {}
    for turn in log.turns:
        for entry in turn.entries():
            if isinstance(entry, ActionRound):
                found[entry.card] = entry.line
            for one in entry.said:
                if isinstance(one, Headlined | Plays | Discards | Reveals):
                    found[one.card] = one.line
    return found


class _Course:
    """One walk through a log.

    `playing`: the cards that are being resolved, each with whether its event has happened; `player`: who
    plays them.  `event` heads the paragraph, `waiting` are headlines whose turn has not come, `headed` the
    headlines with an event.  `shown` and `thrown` gather what a paragraph shows or discards, until it ends.
    """

    def __init__(self, log: Log) -> None:
        self.log = log
        self.last = _last_mentions(log)
        self.stop = max((one.line for one in log.said()), default=0)
        self.turn = self.line = 0
        self.playing: dict[str, bool] = {}
        self.player: dict[str, Seat] = {}
        self.waiting: set[str] = set()
        self.headed: set[str] = set()
        self.happened: set[str] = set()  # in this entry
        self.event = self.drawn = ""
        self.shown: list[str] = []
        self.thrown: list[str] = []
        self.trapped: set[Seat] = set()
        self.worth: dict[Seat, int] = {}

    def moves(self) -> Iterator[Move]:
        before = LATE_WAR_TURN - 1 if self.log.late_war else 0
        for i, turn in enumerate(self.log.turns):
            for number in range(before + 1, turn.number):
                yield from self._missing_turn(number, turn.entries()[0].line)
            before = turn.number
            self.turn, self.worth = turn.number, {US: 0, USSR: 0}
            stops = i + 1 == len(self.log.turns)
            yield self._move(TurnBegins, turn.entries()[0].line, _goes_on(turn))
            if turn.headline:
                yield from self._headline(turn.headline)
            else:
                for side in (USSR, US):
                    yield self._move(Skips, turn.entries()[0].line, side)
            yield from self._rounds(turn, stops)
            if turn.cleanup:
                yield from self._entry(turn.cleanup)
            if not stops or _is_over(turn):
                yield self._move(TurnEnds, self.line, self._without_scoring_card(stops))

    def _without_scoring_card(self, stops: bool) -> tuple[Seat, ...]:
        """The sides without a scoring card at the end of a turn: all but a side that lost by holding one."""
        for one in self.log.end if stops else ():
            if isinstance(one, Wins) and one.why.lower() == HELD:
                return (one.side,) if one.side else ()
        return (US, USSR)

    def _missing_turn(self, number: int, line: int) -> Iterator[Move]:
        """A turn without any line: what was played is unknown."""
        self.turn = number
        yield self._move(TurnBegins, line, False)
        for _ in range(rounds(number) + 1):
            for side in (USSR, US):
                yield self._move(Skips, line, side)

    def _move(self, kind: Callable[..., Move], line: int, *what: Any) -> Move:
        return kind(self.turn, line, *what)

    # ----------------------------------------------------------------------- entries

    def _headline(self, entry: Headline) -> Iterator[Move]:
        for side in (USSR, US):
            if card := entry.of(side):
                yield from self._play(entry.line, side, side, card)
        self.waiting = set(self.playing)
        self.headed = {one.card for one in entry.said if isinstance(one, EventNamed)}
        yield from self._entry(entry)

    def _rounds(self, turn: Turn, stops: bool) -> Iterator[Move]:
        """The action rounds; one that is missing, or empty, was passed (or the log stops there)."""
        due = [(number, side) for number in range(1, rounds(turn.number) + 1) for side in (USSR, US)]
        for entry in turn.rounds:
            here = (entry.number, entry.side)
            while due and here in due and due[0] != here:
                yield from self._skips(entry.line, due.pop(0)[1])
            planned = bool(due) and due[0] == here
            due = due[1:] if planned else due
            yield from self._round(turn, entry, may_stop=stops and entry is turn.rounds[-1], planned=planned)
        for _, side in due if not stops else ():
            yield from self._skips(self.line, side)

    def _round(self, turn: Turn, entry: ActionRound, *, may_stop: bool, planned: bool) -> Iterator[Move]:
        self.line = entry.line
        if not entry.card and not entry.said:
            if planned and not may_stop:
                yield from self._passes(entry.line, entry.side)
            return
        if entry.card in SCORING and entry.side in self.trapped and not _pressed(turn, entry):
            yield from self._no_way_out(entry.line, entry.side)
        if entry.card and entry.card != CHINA:
            yield from self._play(entry.line, entry.side, entry.side, entry.card)
        yield from self._entry(entry)

    def _skips(self, line: int, side: Seat) -> Iterator[Move]:
        """The log has no line about this round."""
        if side in self.trapped:
            yield from self._no_way_out(line, side)
        else:
            yield self._move(Skips, line, side)

    def _passes(self, line: int, side: Seat) -> Iterator[Move]:
        """A side passes only if it has no card, or no card that opens the trap."""
        if side in self.trapped:
            yield from self._no_way_out(line, side)
        else:
            yield self._move(Shows, line, side, (), True)

    def _no_way_out(self, line: int, side: Seat) -> Iterator[Move]:
        least = 2 - self.worth[side]
        yield self._move(
            Lacks, line, side, frozenset(card for card in ALL if CARDS[card].ops >= max(1, least))
        )

    def _entry(self, entry: Entry) -> Iterator[Move]:
        self.line, self.happened = entry.line, set()
        for one in entry.said:
            self.line = one.line
            if act := _ACTS.get(type(one)):
                yield from act(self, one)
        yield from self._paragraph_ends()
        self.waiting = set()
        yield from self._settle()

    # ----------------------------------------------------------------------- cards

    def _play(self, line: int, side: Seat, holder: Seat, card: str) -> Iterator[Move]:
        yield self._move(Leaves, line, holder, card)
        self.playing[card], self.player[card] = False, side

    def _settle(self) -> Iterator[Move]:
        """What was played goes away: out of the game only if it does not turn up again."""
        for card in [card for card in self.playing if card not in self.waiting]:
            face, happened = CARDS[card], self.playing.pop(card)
            to = DISCARDS
            if happened and face.starred and self.last.get(card, 0) <= self.line:
                to = REMOVED
            elif happened and face.lasting and not face.starred:
                to = BESIDE
            yield self._move(PutAway, self.line, card, to)

    def _paragraph_ends(self) -> Iterator[Move]:
        shown, thrown = tuple(self.shown), tuple(self.thrown)
        self.shown, self.thrown = [], []
        whole = self.line < self.stop  # the log may stop within a list
        if self.event in WHOLE_HAND and shown:
            yield self._move(Shows, self.line, WHOLE_HAND[self.event], shown, whole)
        elif self.event == CAMBRIDGE and shown:
            yield self._move(Shows, self.line, US, shown)
            yield self._move(Lacks, self.line, US, SCORING - set(shown) if whole else frozenset())
        elif self.event == TEHRAN:
            yield self._move(Looks, self.line, thrown)
        elif self.event == ASK_NOT and thrown:
            yield self._move(Draws, self.line, US, len(thrown))
        self.event = ""

    # ----------------------------------------------------------------------- statements

    def _break(self, one: Paragraph) -> Iterator[Move]:
        yield from self._paragraph_ends()

    def _operations(self, one: OpsHeader) -> Iterator[Move]:
        event = self.event
        yield from self._paragraph_ends()
        self.event = event if event not in (TEHRAN, ASK_NOT) else ""

    def _happens(self, one: EventNamed) -> Iterator[Move]:
        before = self.event
        if one.card == before and not self.shown and not self.thrown:  # said twice
            return
        yield from self._paragraph_ends()
        if one.card in self.happened and one.card not in self.playing:  # said twice, and over
            self.event = one.card
            return
        self.happened.add(one.card)
        if one.card in self.waiting:
            yield from self._settle_headline(one.card)
        if one.card not in self.playing:
            yield from self._unplayed(one)
        self.playing[one.card], self.event = True, one.card

    def _settle_headline(self, card: str) -> Iterator[Move]:
        """Before a headline card happens, the earlier one goes away; without an event it has no line."""
        order = _headline_order(self.player[card], card)
        later = {
            one
            for one in self.waiting - {card}
            if one in self.headed or _headline_order(self.player[one], one) > order
        }
        self.waiting = later | {card}
        yield from self._settle()
        self.waiting = later

    def _unplayed(self, one: EventNamed) -> Iterator[Move]:
        """The event of a card that was not played: Star Wars took it out of the discards."""
        if one.card == UN and self.playing.get(GRAIN):
            yield from self._play(one.line, US, US, UN)
        elif self.playing.get(STAR_WARS):
            yield self._move(TakenBack, one.line, one.card)
            self.player[one.card] = US
        else:
            yield self._move(
                Doubtful, one.line, f"the event {one.card} happens, but no side has played that card"
            )

    def _reveals(self, one: Reveals) -> Iterator[Move]:
        if one.card == CHINA:
            return
        if self.event in WHOLE_HAND or self.event == CAMBRIDGE:
            self.shown.append(one.card)
        elif self.event == ENVY:
            yield from self._hands_over(one)
        elif self.event == SALT:
            yield self._move(TakenBack, one.line, one.card)
            yield self._move(Arrives, one.line, one.side, one.card)
        elif not one.from_hand:
            self.drawn = one.card
            yield self._move(Shows, one.line, one.side, (one.card,))

    def _hands_over(self, one: Reveals) -> Iterator[Move]:
        """Missile Envy: the best card of a hand, for this one."""
        if ENVY not in self.playing:  # said twice
            return
        better = frozenset(card for card in ALL if CARDS[card].ops > CARDS[one.card].ops)
        yield self._move(Lacks, one.line, one.side, better)
        yield from self._play(one.line, OTHER[one.side], one.side, one.card)
        self.playing.pop(ENVY)
        yield self._move(Arrives, one.line, one.side, ENVY)

    def _has_none(self, one: HasNone) -> Iterator[Move]:
        if self.event == CAMBRIDGE:
            yield self._move(Lacks, one.line, one.side, SCORING)
        elif self.event == ENVY:
            yield self._move(Lacks, one.line, one.side, ALL - SCORING)
        elif self.event in EMPTY_HAND:
            yield self._move(Shows, one.line, one.side, (), True)

    def _plays(self, one: Plays) -> Iterator[Move]:
        if one.card in self.playing or one.card == CHINA:
            return
        taken = self.event == GRAIN and one.card == self.drawn
        yield from self._play(one.line, one.side, USSR if taken else one.side, one.card)

    def _discards(self, one: Discards) -> Iterator[Move]:
        if self.event == TEHRAN:
            self.thrown.append(one.card)
        elif one.card not in self.playing:
            if self.event in WHOLE_HAND:
                event = self.event
                yield from self._paragraph_ends()
                self.event = event
            yield from self._play(one.line, one.side, one.side, one.card)
            if self.event == ASK_NOT:
                self.thrown.append(one.card)
            if self.event != PLAN:
                self.playing.pop(one.card)
                yield self._move(PutAway, one.line, one.card, DISCARDS)

    def _begins(self, one: InPlay) -> Iterator[Move]:
        for side in (US, USSR):
            if one.card == TRAPS[side]:
                self.trapped.add(side)
        if one.card == "red_scare_purge" and one.card in self.player:
            self.worth[OTHER[self.player[one.card]]] -= 1
        elif one.card in ("containment", "brezhnev_doctrine"):
            self.worth[US if one.card == "containment" else USSR] += 1
        yield from ()

    def _ends(self, one: NotInPlay) -> Iterator[Move]:
        for side in (US, USSR):
            if one.card == TRAPS[side]:
                self.trapped.discard(side)
        if one.card == SHUTTLE:
            yield self._move(PutAway, one.line, SHUTTLE, DISCARDS)

    def _reshuffles(self, one: Reshuffle) -> Iterator[Move]:
        yield self._move(Reshuffled, one.line)


def _goes_on(turn: Turn) -> bool:
    """Whether the log has come past the deal of a turn."""
    shown = turn.headline.said if turn.headline else ()
    return bool(turn.rounds) or any(isinstance(one, Headlined) for one in shown)


def _is_over(turn: Turn) -> bool:
    """Whether a turn was played to its end, as far as one can tell without a next one."""
    if turn.cleanup:
        return True
    scores = [one for entry in turn.entries() for one in entry.said if isinstance(one, Score)]
    if scores and abs(scores[-1].now) == MOST:
        return False
    return turn.number == LAST_TURN and bool(turn.rounds) and turn.rounds[-1].number >= rounds(LAST_TURN)


def _headline_order(side: Seat, card: str) -> tuple[int, bool]:
    """The higher card first, then the United States (4.5 C; a scoring card counts 0)."""
    return -CARDS[card].ops, side != US


def _pressed(turn: Turn, entry: ActionRound) -> bool:
    """Whether so many scoring cards remain that they have to be played, trap or no trap."""
    rest = [one for one in turn.rounds if one.side == entry.side and one.number >= entry.number]
    return sum(one.card in SCORING for one in rest) >= rounds(turn.number) - entry.number + 1


_ACTS: dict[type[Statement], Callable[[_Course, Any], Iterator[Move]]] = {
    Paragraph: _Course._break,
    OpsHeader: _Course._operations,
    EventNamed: _Course._happens,
    Reveals: _Course._reveals,
    HasNone: _Course._has_none,
    Plays: _Course._plays,
    Discards: _Course._discards,
    InPlay: _Course._begins,
    NotInPlay: _Course._ends,
    Reshuffle: _Course._reshuffles,
}
