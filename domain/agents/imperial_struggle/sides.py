"""Imperial Struggle: what belongs to one side, as a seat knows it, as numbers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from domain.agents.encoding import FEW, Floats, Layout, Part, Side, mark, places_of
from domain.imperial_struggle import GAME
from domain.imperial_struggle.components import ADVANTAGES, INVESTMENTS, MINISTRIES, WAR_TILES, WARS
from domain.imperial_struggle.events import EVENTS
from domain.imperial_struggle.state import State
from domain.kernel import HIDDEN, Seat

THEATRES = tuple(theatre.id for war in WARS.values() for theatre in war.theatres)
VALUE = {tile.id: tile.value for tile in WAR_TILES.values()}
NUMBERS = (
    "debt",
    "limit",
    "treaty",
    "navy",
    "unbuilt",
    "away",
    "carried",
    "refused",
    "owed",
    "unknown_hand",
    "unknown_ministries",
)
COUNTS = ("debt", "limit", "navy", "unbuilt", "away", "carried", "refused", "owed")
MARKS = ("initiative", "first", "dominance", "byng", "bid")
MOST_TREATY = 30


class SideNumbers(Side):
    """Where what belongs to one side stands among the numbers."""

    def __init__(self, layout: Layout, name: str) -> None:
        super().__init__(GAME, name)
        self._hand, self._dropped = (
            layout.block(f"{name}_hand", EVENTS),
            layout.block(f"{name}_dropped", EVENTS),
        )
        self._picked = layout.block(f"{name}_picked", INVESTMENTS)
        self._advantages = layout.block(f"{name}_advantage", ADVANTAGES)
        self._exhausted = layout.block(f"{name}_exhausted", ADVANTAGES)
        self._ministries = layout.block(f"{name}_ministry", MINISTRIES)
        self._open = layout.block(f"{name}_open_ministry", MINISTRIES)
        self._placed, self._pool = (
            layout.block(f"{name}_placed", WAR_TILES),
            layout.block(f"{name}_pool", WAR_TILES),
        )
        self._drawn = layout.block(f"{name}_drawn", WAR_TILES)
        self._strength = layout.block(f"{name}_strength", THEATRES)
        self._tiles = layout.block(f"{name}_tiles", THEATRES)
        self._won = layout.block(f"{name}_won", THEATRES)
        self._numbers, self._marks = layout.block(name, NUMBERS), layout.block(name, MARKS)

    def parts(self) -> Iterator[Part[State]]:
        """What belongs to the side."""
        numbers = self._numbers
        unknown = ("unknown_hand", "unknown_ministries")
        cards = (self._hand, self._dropped, self._picked, self._ministries, self._open)
        yield Part(
            ("hands", "dropped", "picked", "ministries", "revealed"),
            (*places_of(*cards), *(numbers[name] for name in unknown)),
            self._write_cards,
        )
        held = places_of(self._advantages, self._exhausted)
        yield Part(("advantages", "exhausted"), held, self._write_advantages)
        tiles = (self._placed, self._pool, self._drawn, self._strength, self._tiles, self._won)
        fields = ("front", "reinforcements", "drawn", "basics", "bonuses", "fought")
        yield Part(fields, places_of(*tiles), self._write_tiles)
        rest = [place for name, place in numbers.items() if name not in unknown]
        yield Part((*COUNTS, "treaty"), rest, self._write_numbers)
        owned = ("initiative", "first", "dominance", "byng", "bids")
        yield Part(owned, self._marks.values(), self._write_marks)

    def _write_cards(self, s: State, seat: Seat, out: Floats) -> None:
        side, numbers = self._sides[seat], self._numbers
        hand, ministries = s.hands[side], s.ministries[side]
        mark(out, self._hand, hand)
        mark(out, self._dropped, s.dropped[side])
        mark(out, self._picked, s.picked[side])
        mark(out, self._ministries, ministries)
        mark(out, self._open, [ministry for ministry in ministries if ministry in s.revealed])
        out[numbers["unknown_hand"]] = hand.count(HIDDEN) / FEW
        out[numbers["unknown_ministries"]] = ministries.count(HIDDEN) / FEW

    def _write_advantages(self, s: State, seat: Seat, out: Floats) -> None:
        side = self._sides[seat]
        held = [tile for tile, owner in s.advantages.items() if owner == side]
        mark(out, self._advantages, held)
        mark(out, self._exhausted, [tile for tile in held if tile in s.exhausted])

    def _write_tiles(self, s: State, seat: Seat, out: Floats) -> None:
        """The War tiles, by what is known of them: their strength in each theatre, and how many lie there."""
        side = self._sides[seat]
        front, added = s.front[side], s.reinforcements[side]
        for theatre in {**front, **added}:
            tiles = (*((front[theatre],) if theatre in front else ()), *added.get(theatre, ()))
            mark(out, self._placed, tiles)
            out[self._tiles[theatre]] = len(tiles) / FEW
            out[self._strength[theatre]] = sum(VALUE.get(tile, 0) for tile in tiles) / FEW
        mark(out, self._drawn, s.drawn[side])
        mark(out, self._pool, chain(s.basics[side].cards, s.bonuses[side].cards))
        mark(out, self._won, [theatre for theatre, winner in s.fought.items() if winner == side])

    def _write_numbers(self, s: State, seat: Seat, out: Floats) -> None:
        side, numbers = self._sides[seat], self._numbers
        for name, counts in (
            ("debt", s.debt),
            ("limit", s.limit),
            ("navy", s.navy),
            ("unbuilt", s.unbuilt),
            ("away", s.away),
            ("carried", s.carried),
            ("refused", s.refused),
            ("owed", s.owed),
        ):
            out[numbers[name]] = counts.get(side, 0) / FEW
        out[numbers["treaty"]] = s.treaty[side] / MOST_TREATY

    def _write_marks(self, s: State, seat: Seat, out: Floats) -> None:
        side, marks = self._sides[seat], self._marks
        for name, is_so in (
            ("initiative", s.initiative == side),
            ("first", s.first == side),
            ("dominance", s.dominance == side),
            ("byng", s.byng == side),
            ("bid", side in s.bids),
        ):
            out[marks[name]] = float(is_so)
