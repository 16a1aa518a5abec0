"""The rows of cards, holdings and headlines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from domain.kernel import HIDDEN, Seat
from domain.match import Match
from domain.twilight_struggle.components import OTHER, SIDES
from domain.twilight_struggle.facts import cards as f
from domain.twilight_struggle.facts.flow import (
    EventBarred,
    HeadlineBegan,
    HeadlineCancelled,
    HeadlineShown,
    HeadlineSkipped,
    HeldCardsShown,
)
from domain.twilight_struggle.rules.operations import CHINA
from replay.tables.schema import Row
from replay.tables.twilight_struggle.walk import At, Readers, sees_all

IN_FORCE = "in_force"
PILES = {"discards": "discarded", "removed": "removed", "beside": IN_FORCE}


class Cards:
    """Movements of cards, and looks at them."""

    def __init__(self, match: Match) -> None:
        self._match = match.id
        self.rows: list[Row] = []
        self.readers: Readers = {
            f.CardsDealt: self._dealt,
            f.DiscardsReshuffled: self._reshuffled,
            f.TopSeen: self._top_seen,
            f.TopDiscarded: self._top_discarded,
            f.HandShown: self._shown,
            f.CardsShown: self._shown,
            f.CardSeen: self._card_seen,
            f.HandOrdered: self._ordered,
            HeldCardsShown: self._held,
            f.CardPlayed: self._played,
            f.ChinaPlayed: self._china_played,
            f.ChinaPassed: self._china_passed,
            f.CardPutAway: self._put_away,
            f.CardKept: self._kept,
            f.CardDiscarded: self._discarded,
            f.CardRetrieved: self._retrieved,
            f.CardRevived: self._revived,
            f.MarkerEnded: self._marker_ended,
            HeadlineShown: self._headline,
            HeadlineCancelled: self._cancelled,
        }

    def _add(self, at: At, card: str, seat: Seat | None, what: str, how: str | None = None, *of: str) -> None:
        if card != HIDDEN:
            where = (self._match, at.move, at.place, at.after.turn, at.after.round)
            self.rows.append((*where, card, seat, what, how, of[0] if of else None))

    def _add_all(self, at: At, cards: Iterable[str], seat: Seat | None, what: str, how: str | None) -> None:
        for card in cards:
            self._add(at, card, seat, what, how)

    def _dealt(self, at: At) -> None:
        self._add_all(at, at.fact.cards, at.fact.seat, "dealt", None)

    def _reshuffled(self, at: At) -> None:
        self._add_all(at, sorted(at.before.discards), None, "reshuffled", None)

    def _top_seen(self, at: At) -> None:
        self._add_all(at, at.fact.cards, at.fact.seat, "seen", at.card)

    def _top_discarded(self, at: At) -> None:
        self._add(at, at.fact.card, None, "discarded", at.card)

    def _shown(self, at: At) -> None:
        self._add_all(at, at.fact.cards, at.fact.seat, "shown", at.fact.why)

    def _card_seen(self, at: At) -> None:
        self._add(at, at.fact.card, at.fact.seat, "shown", at.card)

    def _ordered(self, at: At) -> None:
        self._add_all(at, at.fact.cards, "us", "shown", at.card)

    def _held(self, at: At) -> None:
        self._add_all(at, at.fact.cards, at.fact.seat, "shown", "held")

    def _played(self, at: At) -> None:
        self._add(at, at.fact.card, at.fact.seat, "played", at.fact.how, at.fact.holder)

    def _china_played(self, at: At) -> None:
        self._add(at, CHINA, at.fact.seat, "played", at.fact.how, at.fact.seat)

    def _china_passed(self, at: At) -> None:
        self._add(at, CHINA, at.fact.to, "passed", at.card)

    def _put_away(self, at: At) -> None:
        self._add(at, at.fact.card, None, PILES[at.fact.to], None)

    def _kept(self, at: At) -> None:
        self._add(at, at.fact.card, at.fact.to, "passed", at.fact.card)

    def _discarded(self, at: At) -> None:
        self._add(at, at.fact.card, at.fact.seat, "discarded", at.fact.why)

    def _retrieved(self, at: At) -> None:
        self._add(at, at.fact.card, at.fact.seat, "retrieved", at.card)

    def _revived(self, at: At) -> None:
        self._add(at, at.fact.card, at.fact.seat, "played", "revived")

    def _marker_ended(self, at: At) -> None:
        self._add(at, at.fact.card, None, PILES[at.fact.to], at.card if at.card != at.fact.card else None)

    def _headline(self, at: At) -> None:
        self._add(at, at.fact.card, at.fact.seat, "headline")

    def _cancelled(self, at: At) -> None:
        self._add(at, at.fact.card, at.fact.seat, "discarded", "defectors")


class Holdings:
    """Cards in hands: the hands before and after each fact that changes one are compared."""

    def __init__(self, match: Match) -> None:
        self._match = match.id
        self._held: list[list[Any]] = []
        self._now: dict[tuple[Seat, str], list[Any]] = {}
        self.readers: Readers = dict.fromkeys(_CAME | _GONE, self._read) if sees_all(match) else {}

    @property
    def rows(self) -> list[Row]:
        """The rows, in the order in which the cards came."""
        return [tuple(row) for row in self._held]

    def _read(self, at: At) -> None:
        for side in SIDES:
            before, after = at.before.hands[side], at.after.hands[side]
            if before != after:
                self._leave(at, side, set(before) - set(after))
                self._come(at, side, sorted(set(after) - set(before)))

    def _leave(self, at: At, side: Seat, cards: Iterable[str]) -> None:
        how = getattr(at.fact, "how", _GONE.get(type(at.fact)))
        for card in cards:
            row = self._now.pop((side, card))
            row[6:] = at.move, at.after.turn, how, at.after.turn - row[5]

    def _come(self, at: At, side: Seat, cards: Iterable[str]) -> None:
        for card in cards:
            came = _CAME[type(at.fact)]
            row = [self._match, card, side, came, at.move, max(1, at.after.turn), None, None, None, None]
            self._held.append(row)
            self._now[side, card] = row


_CAME: dict[type, str] = {f.CardsDealt: "dealt", f.CardRetrieved: "retrieved", f.CardKept: "passed"}
_GONE: dict[type, str] = {f.CardPlayed: "played", f.CardDiscarded: "discarded", HeadlineShown: "headline"}


class Headlines:
    """Headlines; a row is complete when its card has been resolved."""

    def __init__(self, match: Match) -> None:
        self._match = match.id
        self._shown: dict[tuple[int, Seat], list[Any]] = {}
        self.readers: Readers = {
            HeadlineShown: self._show,
            HeadlineSkipped: self._skip,
            HeadlineCancelled: self._cancel,
            HeadlineBegan: self._begin,
            EventBarred: self._bar,
        }

    @property
    def rows(self) -> list[Row]:
        """The rows, in the order in which the headlines were shown."""
        cards = {key: row[5] for key, row in self._shown.items()}
        return [
            (*row[:6], cards.get((turn, OTHER[side])), *row[6:]) for (turn, side), row in self._shown.items()
        ]

    def _add(self, at: At, card: str | None, fate: str) -> None:
        turn = at.after.turn
        row = [self._match, at.move, at.place, turn, at.fact.seat, card, None, fate]
        self._shown[turn, at.fact.seat] = row

    def _show(self, at: At) -> None:
        self._add(at, at.fact.card, "unresolved")

    def _skip(self, at: At) -> None:
        self._add(at, None, "none")

    def _cancel(self, at: At) -> None:
        self._shown[at.after.turn, at.fact.seat][7] = "cancelled"

    def _begin(self, at: At) -> None:
        turn = at.after.turn
        resolved = [row[6] or 0 for (other, _), row in self._shown.items() if other == turn]
        row = self._shown[turn, at.fact.seat]
        row[6:] = max(resolved) + 1, "happened"

    def _bar(self, at: At) -> None:
        if isinstance(at.previous, HeadlineBegan) and at.previous.card == at.fact.card:
            self._shown[at.after.turn, at.previous.seat][7] = "barred"
