"""13 Minutes: what a seat knows as numbers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from domain.agents.encoding import Asked, Encoding, Floats, Layout, Part, mark, places_of
from domain.agents.thirteen_minutes.actions import card_ids
from domain.game import Options
from domain.kernel import HIDDEN, Seat
from domain.thirteen_minutes import GAME
from domain.thirteen_minutes.board import (
    CAMPAIGN_TARGET,
    CARDS,
    CUBA,
    CUBES,
    NEUTRAL,
    OPPONENT,
    SPHERE,
    US,
    ZONES,
)
from domain.thirteen_minutes.state import State

NAME = "tm/1"
AMOUNTS = ("round", "play", "cubes", "territories")


def encoding(options: Options) -> Encoding[State]:
    """The encoding of matches with the card set of these options."""
    return _encoding(card_ids(options))


@cache
def _encoding(cards: tuple[str, ...]) -> Encoding[State]:
    layout, territories = Layout(), (CUBA, *cards)
    table = _Table(layout, cards)
    picked = (*(f"{zone}:{name}" for zone in ZONES for name in territories), *territories)
    return Encoding(
        NAME, layout, State, tuple(table.parts()), Asked(layout, GAME, territories, AMOUNTS, picked)
    )


class _Table:
    """Where the table stands among the numbers."""

    def __init__(self, layout: Layout, cards: tuple[str, ...]) -> None:
        territories = (CUBA, *cards)
        self._hand, self._other_hand = layout.block("own_hand", cards), layout.block("other_hand", cards)
        self._unseen, self._top = layout.block("unseen", cards), layout.block("deck_top", cards)
        self._cuba = layout.block("cuba_is", cards)
        self._zones = {
            zone: layout.block(zone, territories) for zone in ("own_sphere", NEUTRAL, "other_sphere")
        }
        self._cubes = layout.block("own_cubes", territories)
        self._other_cubes = layout.block("other_cubes", territories)
        own = ("supply", "bid", "bid_made", "vp", "total", "starts_war")
        self._own, self._other = layout.block("own", own), layout.block("other", own)
        self._side, self._first = layout.one("plays_us"), layout.one("plays_first")
        self._open, self._plays = layout.one("cuba_open"), layout.one("plays")
        self._deck, self._unknown = layout.one("deck"), layout.one("other_hand_unknown")
        self._battle, self._by_control = layout.one("battle"), layout.one("military_by_control")
        self._cap = layout.one("cube_limit")

    def parts(self) -> Iterator[Part[State]]:
        """The table as a seat folds it."""
        hands = (*self._hand.values(), *self._other_hand.values(), self._unknown)
        yield Part(("seats", "hands"), hands, self._write_hands)
        yield Part(("deck",), (*self._unseen.values(), *self._top.values(), self._deck), self._write_deck)
        yield Part(("cuba", "cuba_open"), (*self._cuba.values(), self._open), self._write_cuba)
        territories = places_of(*self._zones.values(), self._cubes, self._other_cubes)
        yield Part(("seats", "territories"), territories, self._write_territories)
        sides = (*self._own.values(), *self._other.values())
        yield Part(("seats", "supply", "bids", "vp", "totals", "war"), sides, self._write_sides)
        battle = (self._side, self._first, self._plays, self._battle, self._by_control, self._cap)
        yield Part(("seats", "first", "plays", "battle", "options"), battle, self._write_battle)

    def _write_hands(self, s: State, seat: Seat, out: Floats) -> None:
        me = _side_of(s, seat)
        mark(out, self._hand, s.hands.get(me, ()))
        other = s.hands.get(OPPONENT[me], ())
        mark(out, self._other_hand, other)
        out[self._unknown] = other.count(HIDDEN) / 2

    def _write_deck(self, s: State, seat: Seat, out: Floats) -> None:
        mark(out, self._unseen, s.deck.cards)
        mark(out, self._top, s.deck.top)
        out[self._deck] = s.deck.size / CARDS

    def _write_cuba(self, s: State, seat: Seat, out: Floats) -> None:
        mark(out, self._cuba, (s.cuba,))
        out[self._open] = float(s.cuba_open)

    def _write_territories(self, s: State, seat: Seat, out: Floats) -> None:
        me = _side_of(s, seat)
        zones = {SPHERE[me]: self._zones["own_sphere"], SPHERE[OPPONENT[me]]: self._zones["other_sphere"]}
        zones[NEUTRAL] = self._zones[NEUTRAL]
        for name, lies in s.territories.items():
            out[zones[lies.zone][name]] = 1.0
            own, other = (lies.us, lies.ussr) if me == US else (lies.ussr, lies.us)
            out[self._cubes[name]] = own / CUBES
            out[self._other_cubes[name]] = other / CUBES

    def _write_sides(self, s: State, seat: Seat, out: Floats) -> None:
        me = _side_of(s, seat)
        for side, places in ((me, self._own), (OPPONENT[me], self._other)):
            out[places["supply"]] = s.supply.get(side, 0) / CUBES
            if side in s.bids:
                bid = s.bids[side]
                out[places["bid_made"]] = 1.0
                out[places["bid"]] = 0.0 if bid == HIDDEN else int(bid) / CUBES
            out[places["vp"]] = s.vp.get(side, 0) / CAMPAIGN_TARGET
            out[places["total"]] = s.totals.get(s.seats.get(side, side), 0) / CAMPAIGN_TARGET
            out[places["starts_war"]] = float(s.war in (side, "both"))

    def _write_battle(self, s: State, seat: Seat, out: Floats) -> None:
        me = _side_of(s, seat)
        out[self._side] = float(me == US)
        out[self._first] = float(s.first == me)
        out[self._plays] = s.plays / CARDS
        out[self._battle] = s.battle / CARDS
        out[self._by_control] = float(s.options.military_by == "control")
        out[self._cap] = (s.options.max_cubes_per_territory or CUBES) / CUBES


def _side_of(s: State, seat: Seat) -> str:
    """The side that a seat plays."""
    return US if s.seats.get(US, US) == seat else OPPONENT[US]
