"""Imperial Struggle: what a seat knows as numbers."""

from __future__ import annotations

from collections.abc import Iterator

from domain.agents.encoding import (
    FEW,
    Asked,
    Encoding,
    Floats,
    Layout,
    Part,
    count,
    mark,
    marked,
    places_of,
)
from domain.agents.imperial_struggle.sides import SideNumbers
from domain.game import Options
from domain.imperial_struggle import GAME
from domain.imperial_struggle.components import (
    AWARDS,
    BOARD,
    BR,
    DIPLOMATIC,
    ECONOMIC,
    GOODS,
    INVESTMENTS,
    MILITARY,
    OTHER,
    REGIONS,
    SPAIN,
    TYPES,
    USA,
    WARS,
)
from domain.imperial_struggle.events import EVENTS
from domain.imperial_struggle.rules.registry import ABILITIES, CHOICES
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.choices import HOWS
from domain.kernel import Seat

NAME = "is/1"
AMOUNTS = (
    "number",
    "turn",
    "count",
    "points",
    "cost",
    "treaty",
    "credit",
    ECONOMIC,
    DIPLOMATIC,
    MILITARY,
)
CHOSEN = ("alliance", "conflicts", "decline", "diplomatic", "economic", "score")  # of cards, besides
VERBS = ("flag", "unflag", "draw", "buy", "clear", "build", "repair", "seize", "construct", "deploy", "expel")
DOES = ("debt", "fixed", "discount", "conflict", "squadron", "construct")
PHASES = ("peace", "action", *WARS)
LEVEL, MOST_VP = 15, 30  # of the VP track: neither side leads; its last space
KINDS = ("major", "minor", "event", "exchange", "extra")  # of points


class _Board:
    """Where the spaces of the board stand among the numbers."""

    def __init__(self, layout: Layout) -> None:
        self._own, self._other = layout.block("own_flag", BOARD), layout.block("other_flag", BOARD)
        self._neutral = {
            SPAIN: layout.block("spain_flag", BOARD),
            USA: layout.block("usa_flag", BOARD),
        }
        self._conflicts, self._damaged = layout.block("conflict", BOARD), layout.block("damaged", BOARD)
        self._sailed, self._resisted = layout.block("sailed", BOARD), layout.block("resisted", BOARD)

    def parts(self) -> Iterator[Part[State]]:
        """Whose flags stand where, and what else lies there."""
        flags = places_of(self._own, self._other, *self._neutral.values())
        yield Part(("flags",), flags, self._write_flags)
        yield marked("conflicts", self._conflicts)
        yield marked("damaged", self._damaged)
        yield marked("sailed", self._sailed)
        yield marked("resisted", self._resisted)

    def _write_flags(self, s: State, seat: Seat, out: Floats) -> None:
        owners = {**self._neutral, seat: self._own, OTHER[seat]: self._other}
        for space, owner in s.flags.items():
            out[owners[owner][space]] = 1.0


class _Cards:
    """Where cards and tiles that belong to no side stand among the numbers."""

    def __init__(self, layout: Layout) -> None:
        self._deck, self._discards = layout.block("unseen", EVENTS), layout.block("discards", EVENTS)
        self._removed, self._stack = layout.block("removed", EVENTS), layout.block("unseen_tile", INVESTMENTS)
        self._shown, self._used = layout.block("shown", INVESTMENTS), layout.block("used", INVESTMENTS)
        self._awards, self._given = layout.block("unseen_award", AWARDS), layout.block("given", AWARDS)
        self._laid = {region: layout.block(f"award_{region}", AWARDS) for region in REGIONS}
        self._demand, self._exhausted = layout.block("demand", GOODS), layout.block("exhausted", ABILITIES)

    def parts(self) -> Iterator[Part[State]]:
        """Where they are."""
        for field, places in (
            ("discards", self._discards),
            ("removed", self._removed),
            ("shown", self._shown),
            ("used", self._used),
            ("given", self._given),
            ("demand", self._demand),
            ("exhausted", self._exhausted),
        ):
            yield marked(field, places)
        for pile, places in (("deck", self._deck), ("stack", self._stack), ("awards", self._awards)):
            yield marked(pile, places, "cards")
        yield Part(("laid",), places_of(*self._laid.values()), self._write_laid)

    def _write_laid(self, s: State, seat: Seat, out: Floats) -> None:
        for region, award in s.laid.items():
            mark(out, self._laid[region], (award,))


class _Round:
    """Where the action round that is being played stands among the numbers."""

    def __init__(self, layout: Layout) -> None:
        self._points = {kind: layout.block(f"{kind}_points", TYPES) for kind in KINDS}
        self._tile, self._event = layout.block("round_tile", INVESTMENTS), layout.block("round_event", EVENTS)
        self._numbers = layout.block("round", ("own", "number", "upgrade", "acted", "bought", "bonus"))

    def parts(self) -> Iterator[Part[State]]:
        """What is left of the points, by kind and type, and what was done."""
        blocks = (*self._points.values(), self._tile, self._event, self._numbers)
        yield Part(("round",), places_of(*blocks), self._write)

    def _write(self, s: State, seat: Seat, out: Floats) -> None:
        now, numbers = s.round, self._numbers
        if now is None:
            return
        left = {(pool.kind, pool.type): 0 for pool in now.pools}
        for pool in now.pools:
            left[pool.kind, pool.type] += pool.points
        for (kind, type_), points in left.items():
            out[self._points[kind][type_]] = points / FEW
        mark(out, self._tile, (now.tile,))
        mark(out, self._event, (now.event,))
        out[numbers["own"]] = float(now.seat == seat)
        out[numbers["number"]] = now.number / FEW
        out[numbers["bought"]] = now.bought / FEW
        for name, is_so in (("upgrade", now.upgrade), ("acted", now.acted), ("bonus", now.bonus)):
            out[numbers[name]] = float(is_so)


class _Table:
    """Where the table stands among the numbers."""

    def __init__(self, layout: Layout) -> None:
        self._own, self._other = SideNumbers(layout, "own"), SideNumbers(layout, "other")
        self._board, self._cards, self._round = _Board(layout), _Cards(layout), _Round(layout)
        self._phases, self._wars = layout.block("phase", PHASES), layout.block("war", WARS)
        flags = ("third_ministry", "uprisings", "defeated", "victories", "merchants")
        self._numbers = layout.block("table", ("plays_br", "vp", "turn", "deck", *flags))

    def parts(self) -> Iterator[Part[State]]:
        """The table as a seat folds it."""
        for part in (self._board, self._own, self._other, self._cards, self._round):
            yield from part.parts()
        yield Part(("phase", "war"), (*self._phases.values(), *self._wars.values()), self._write_time)
        fields = ("vp", "turn", "deck", "victories", "merchants", "third", "uprisings", "defeated")
        yield Part(fields, self._numbers.values(), self._write_numbers)

    def _write_time(self, s: State, seat: Seat, out: Floats) -> None:
        mark(out, self._phases, (s.phase,))
        mark(out, self._wars, (s.war,))

    def _write_numbers(self, s: State, seat: Seat, out: Floats) -> None:
        lead = s.vp - LEVEL
        counts = {"turn": s.turn, "deck": s.deck.size, "victories": s.victories, "merchants": s.merchants}
        count(out, self._numbers, counts)
        numbers = self._numbers
        out[numbers["plays_br"]] = float(seat == BR)
        out[numbers["vp"]] = (-lead if seat == BR else lead) / MOST_VP
        for name, is_so in (
            ("third_ministry", s.third),
            ("uprisings", s.uprisings),
            ("defeated", s.defeated),
        ):
            out[numbers[name]] = float(is_so)


def _words() -> tuple[str, ...]:
    """What the reasons of questions name: components, verbs, and the questions of cards."""
    ids = [id for kind in GAME.ids.values() for id in kind]
    cards = [f"ask.{name}" for name in sorted(CHOICES)]
    return (
        *ids,
        *cards,
        *(f"how.{how}" for how in HOWS),
        *(f"does.{does}" for does in DOES),
        *VERBS,
        *TYPES,
        *WARS,
        *GAME.seats,
    )


def _made() -> Encoding[State]:
    layout = Layout()
    table = _Table(layout)
    kinds = ("ministry", "event", "space", "tile", "theatre", "advantage", "good")
    picked = (*(id for kind in kinds for id in GAME.ids[kind]), "navy_box", *CHOSEN)
    return Encoding(NAME, layout, State, tuple(table.parts()), Asked(layout, GAME, _words(), AMOUNTS, picked))


ENCODING = _made()


def encoding(options: Options) -> Encoding[State]:
    """The encoding, which is the same in every match."""
    return ENCODING
