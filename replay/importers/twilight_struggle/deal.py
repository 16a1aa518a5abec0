"""The deal that a foreign log implies: which cards each side draws, and when, so that it can play as it did.

A log does not contain the deal, but any deal that fits is as good as the real one.  `draw_intervals` says
between which moments each card was drawn, and how large the draws were; here every card gets a draw
(`match`). The remaining places in the draws get cards that no side uses any more: they stay in the hands to
the end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct

from domain.kernel import Seat
from domain.twilight_struggle.components import OTHER
from domain.twilight_struggle.rules.registry import CARDS
from replay.importers.twilight_struggle.draw_intervals import (
    NAMES,
    NEVER,
    Draw,
    Lack,
    Look,
    Question,
    Stay,
    question,
)
from replay.importers.twilight_struggle.structure import NOBODY, Log

# ── Cards into draws: each card into one of the draws that may hold it, no draw beyond its size ──
#
# The cards come in the order of their importance: a card that once has its place keeps a place, whatever
# comes after it, though it may be moved to another draw (the method of augmenting paths).  So the cards
# without a place are the least important ones, and the answer depends on nothing but the question.


def match(
    options: Sequence[Sequence[int]], room: Sequence[int], start: Sequence[int | None] = ()
) -> list[int | None]:
    """For each card the number of its draw, or None.

    `options`: the draws for each card, the best first; `room`: how many cards each draw takes.  `start`: the
    places from an earlier answer, which a card may have to exchange for another but never loses.
    """
    held: list[list[int]] = [[] for _ in room]
    for card, draw in enumerate(start):
        if draw is not None:
            held[draw].append(card)
    for card in range(len(options)):
        if card >= len(start) or start[card] is None:
            _place(card, options, room, held, set())
    places: list[int | None] = [None] * len(options)
    for draw, cards in enumerate(held):
        for card in cards:
            places[card] = draw
    return places


def _place(
    card: int,
    options: Sequence[Sequence[int]],
    room: Sequence[int],
    held: list[list[int]],
    tried: set[int],
) -> bool:
    """Find a place for a card, and move other cards if they have another place."""
    for draw in options[card]:
        if draw in tried:
            continue
        tried.add(draw)
        if len(held[draw]) < room[draw]:
            held[draw].append(card)
            return True
        for other in held[draw]:
            if _place(other, options, room, held, tried):
                held[draw].remove(other)
                held[draw].append(card)
                return True
    return False


# The deal that a foreign log implies: which cards each side draws, and when, so that it can play as it did.


Cards = tuple[str, ...]


class Drawn(Struct, frozen=True):
    """A draw: so the rules ask for it (`DealTo`), and these are the cards.

    `line` is where the log stands then; `reshuffled`: for this draw the discards become the draw pile.
    """

    turn: int
    line: int
    side: Seat
    cards: Cards
    reshuffled: bool


class Looked(Struct, frozen=True):
    """Our Man in Tehran: the top cards of the pile (`LookAtTop`), and which of them are discarded."""

    turn: int
    line: int
    cards: Cards
    thrown: Cards


class Want(Struct, frozen=True):
    """A side needs a card in its hand before its draw number `before` (counted from 0)."""

    side: Seat
    card: str
    before: int


class Deal(Struct, frozen=True):
    """Every draw and every look of a log, in order.

    `problems`: why no deal fits the log, one sentence for each reason; the deal is then the nearest one.
    `draw` uses `wants` when the game has left the plan.
    """

    draws: tuple[Drawn, ...]
    looks: tuple[Looked, ...]
    problems: tuple[str, ...]
    wants: tuple[Want, ...]

    def draw(self, number: int, side: Seat, count: int, among: Collection[str]) -> Cards:
        """Return what `side` draws now: `count` cards of `among`, after `number` earlier draws.

        These are the planned cards, as far as possible; the rest are first cards that the side needs, then
        cards that no side needs, and last cards that the other side needs.
        """
        planned = self.draws[number] if number < len(self.draws) else None
        first = planned.cards if planned and planned.side == side else ()
        mine = [want.card for want in self._wanted(number, side)]
        theirs = [want.card for want in self._wanted(number, OTHER[side])]
        free = sorted(set(among) - set(mine) - set(theirs), key=_usefulness)
        ordered = dict.fromkeys((*first, *mine, *free, *reversed(theirs)))
        return tuple([card for card in ordered if card in among][:count])

    def look(self, number: int, count: int, among: Collection[str]) -> Cards:
        """The top `count` cards of the pile `among`, where `number` looks were made before."""
        planned = self.looks[number] if number < len(self.looks) else None
        first = (*planned.thrown, *planned.cards) if planned else ()
        ordered = dict.fromkeys((*first, *sorted(among)))
        return tuple([card for card in ordered if card in among][:count])

    def _wanted(self, number: int, side: Seat) -> list[Want]:
        """What a side needs after this draw, the most urgent first."""
        return [want for want in self.wants if want.side == side and want.before > number]


def deal(log: Log) -> Deal:
    """One deal that fits a log."""
    asked = question(log)
    stays = sorted((stay for stay in asked.stays if not stay.looked), key=_importance)
    room = [draw.count for draw in asked.draws]
    certain = sum(stay.side != NOBODY or stay.forced for stay in stays)
    options = [_options(stay, asked.draws, asked.lacks) for stay in stays]
    places = match(options, room)
    problems = [*asked.problems, *_misfits(stays[:certain], places, asked)]
    for i, stay in enumerate(stays):  # as near as possible: who has no place may have one against the log
        options[i] = _options(stay, asked.draws, ()) if places[i] is None else options[i]
    places = match(options, room, places)
    problems += _unfilled(asked.draws, places)
    draws = tuple(_drawn(draw, i, stays, places) for i, draw in enumerate(asked.draws))
    looks = tuple(_looked(look, stays, places, asked) for look in asked.looks)
    return Deal(draws, looks, tuple(problems), _wants(stays, asked.draws))


# --------------------------------------------------------------------------- the question for the matching


def _importance(stay: Stay) -> tuple[bool, int, tuple[bool, int, str]]:
    """Cards that must be drawn come first, the most urgent ahead; then the least harmful ones to hold."""
    idle = stay.side == NOBODY and not stay.forced
    return idle, stay.before, _usefulness(stay.card)


def _usefulness(card: str) -> tuple[bool, int, str]:
    """A card that is held for ever should be no scoring card, and worth little."""
    return CARDS[card].scores != "", CARDS[card].ops, card


def _options(stay: Stay, draws: Sequence[Draw], lacks: Iterable[Lack]) -> list[int]:
    """The draws that can have brought a card, the latest first: most cards are played when they are new."""
    barring = [lack for lack in lacks if stay.card in lack.cards and stay.since < lack.moment < stay.leaves]
    return [
        i
        for i in range(len(draws) - 1, -1, -1)
        if stay.since < draws[i].moment < stay.before
        and stay.side in (NOBODY, draws[i].side)
        and not any(lack.side == draws[i].side and draws[i].moment < lack.moment for lack in barring)
    ]


# --------------------------------------------------------------------------- what did not fit


def _misfits(stays: Sequence[Stay], places: Sequence[int | None], asked: Question) -> list[str]:
    return [
        _misfit(stay, asked) for stay, place in zip(stays, places[: len(stays)], strict=True) if place is None
    ]


def _misfit(stay: Stay, asked: Question) -> str:
    if stay.side == NOBODY:
        return f"{stay.card} is drawn before the pile runs out, but no draw has room for it"
    who = f"turn {stay.turn}, line {stay.line}: the {NAMES[stay.side]} has {stay.card} in its hand"
    if not _options(stay, asked.draws, ()):
        return f"{who}, but draws nothing while that card lies in the draw pile"
    if not _options(stay, asked.draws, asked.lacks):
        return f"{who}, but between its draws and then the log shows its hand without that card"
    return f"{who}, but the draws that could have brought it are full of cards that are as necessary"


def _unfilled(draws: Sequence[Draw], places: Sequence[int | None]) -> list[str]:
    return [
        f"turn {draw.turn}, line {draw.line}: the {NAMES[draw.side]} draws {draw.count} cards, "
        f"but only {places.count(i)} can be found for it"
        for i, draw in enumerate(draws)
        if places.count(i) < draw.count
    ]


# --------------------------------------------------------------------------- the answer


def _drawn(draw: Draw, number: int, stays: Sequence[Stay], places: Sequence[int | None]) -> Drawn:
    cards = sorted(stay.card for stay, place in zip(stays, places, strict=True) if place == number)
    return Drawn(draw.turn, draw.line, draw.side, tuple(cards), draw.reshuffled)


def _looked(look: Look, stays: Sequence[Stay], places: Sequence[int | None], asked: Question) -> Looked:
    """The discarded cards, and for the rest of the five some that lie in the pile then."""
    lying = sorted(
        stay.card
        for stay, place in zip(stays, places, strict=True)
        if stay.since < look.moment < (NEVER if place is None else asked.draws[place].moment)
    )
    kept = [card for card in lying if card not in look.thrown]
    return Looked(look.turn, look.line, (*look.thrown, *kept)[: look.count], look.thrown)


def _wants(stays: Iterable[Stay], draws: Sequence[Draw]) -> tuple[Want, ...]:
    known = sorted((stay for stay in stays if stay.side != NOBODY), key=lambda stay: (stay.before, stay.card))
    return tuple(
        Want(stay.side, stay.card, sum(draw.moment < stay.before for draw in draws)) for stay in known
    )
