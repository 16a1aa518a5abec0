"""Twilight Struggle: what a seat knows as numbers."""

from __future__ import annotations

from collections.abc import Iterator

from domain.agents.encoding import (
    FEW,
    Asked,
    Encoding,
    Floats,
    Layout,
    Part,
    Side,
    count,
    mark,
    marked,
    places_of,
)
from domain.game import Options
from domain.kernel import HIDDEN, Seat
from domain.twilight_struggle import GAME
from domain.twilight_struggle.components import REGIONS, SPACES, US
from domain.twilight_struggle.rules.registry import CARDS, CHOICES
from domain.twilight_struggle.state import State

NAME = "ts/1"
AMOUNTS = ("points", "turn", "round", "left", "of", "most", "count", "each", "box", "need")
PHASES = ("deal", "headline", "rounds", "end")
AHEAD = 5  # cards of the deck whose order a side may know
MOST_VP = 20
BOXES = 8  # of the Space Race


class _Side(Side):
    """Where what belongs to one side stands among the numbers."""

    def __init__(self, layout: Layout, name: str) -> None:
        super().__init__(GAME, name)
        self._influence = layout.block(f"{name}_influence", SPACES)
        self._at_start = layout.block(f"{name}_influence_at_start", SPACES)
        self._hand = layout.block(f"{name}_hand", CARDS)
        self._headline = layout.block(f"{name}_headline", CARDS)
        self._playing = layout.block(f"{name}_playing", CARDS)
        self._effects = layout.block(f"{name}_effect", CARDS)
        states = ("phasing", "military", "space", "spaced", "china", "china_ready", "envy", "hand", "unknown")
        self._states = layout.block(name, (*states, "has_chosen", "has_bid", "gift"))

    def parts(self) -> Iterator[Part[State]]:
        """What belongs to the side."""
        states = self._states
        yield Part(("influence",), self._influence.values(), self._write_influence)
        yield Part(("at_start",), self._at_start.values(), self._write_at_start)
        yield Part(("hands",), (*self._hand.values(), states["hand"], states["unknown"]), self._write_hand)
        headline = (*self._headline.values(), states["has_chosen"])
        yield Part(("chosen", "headlines"), headline, self._write_headline)
        yield Part(("playing",), self._playing.values(), self._write_playing)
        yield Part(("effects",), self._effects.values(), self._write_effects)
        tracks = ("military", "space", "spaced")
        yield Part(tracks, [states[track] for track in tracks], self._write_tracks)
        marks = ("phasing", "china", "china_ready", "envy", "has_bid", "gift")
        fields = ("phasing", "china", "china_ready", "envy", "bids", "gift", "gift_to")
        yield Part(fields, [states[mark] for mark in marks], self._write_marks)

    def _write_influence(self, s: State, seat: Seat, out: Floats) -> None:
        count(out, self._influence, s.influence[self._sides[seat]])

    def _write_at_start(self, s: State, seat: Seat, out: Floats) -> None:
        count(out, self._at_start, s.at_start[self._sides[seat]])

    def _write_hand(self, s: State, seat: Seat, out: Floats) -> None:
        hand, states = s.hands[self._sides[seat]], self._states
        mark(out, self._hand, hand)
        out[states["hand"]] = len(hand) / FEW
        out[states["unknown"]] = hand.count(HIDDEN) / FEW

    def _write_headline(self, s: State, seat: Seat, out: Floats) -> None:
        side = self._sides[seat]
        if side in s.chosen:
            out[self._states["has_chosen"]] = 1.0
            mark(out, self._headline, (s.chosen[side],))
        if side in s.headlines:
            mark(out, self._headline, (s.headlines[side],))

    def _write_playing(self, s: State, seat: Seat, out: Floats) -> None:
        side = self._sides[seat]
        for played in s.playing:
            if played.seat == side:
                out[self._playing[played.card]] = 1.0

    def _write_effects(self, s: State, seat: Seat, out: Floats) -> None:
        side = self._sides[seat]
        for effect in s.effects:
            if effect.seat == side:
                mark(out, self._effects, (effect.card,))

    def _write_tracks(self, s: State, seat: Seat, out: Floats) -> None:
        side, states = self._sides[seat], self._states
        out[states["military"]] = s.military[side] / FEW
        out[states["space"]] = s.space[side] / BOXES
        out[states["spaced"]] = s.spaced[side] / FEW

    def _write_marks(self, s: State, seat: Seat, out: Floats) -> None:
        side, states = self._sides[seat], self._states
        if s.china == side:
            out[states["china"]] = 1.0
            out[states["china_ready"]] = float(s.china_ready)
        for name, of in (("phasing", s.phasing), ("envy", s.envy)):
            if of == side:
                out[states[name]] = 1.0
        if side in s.bids:
            out[states["has_bid"]] = 1.0
        if s.gift_to == side:
            out[states["gift"]] = s.gift / FEW


class _Table:
    """Where the table stands among the numbers."""

    def __init__(self, layout: Layout) -> None:
        self._own, self._other = _Side(layout, "own"), _Side(layout, "other")
        self._unseen, self._discards = layout.block("unseen", CARDS), layout.block("discards", CARDS)
        self._removed, self._beside = layout.block("removed", CARDS), layout.block("in_force", CARDS)
        self._next = [layout.block(f"deck_{number}", CARDS) for number in range(1, AHEAD + 1)]
        self._named = layout.block("effect_region", REGIONS)
        self._phases = layout.block("phase", PHASES)
        numbers = ("plays_us", "vp", "defcon", "turn", "round", "deck", "reached_two", "buries")
        self._numbers = layout.block("table", numbers)

    def parts(self) -> Iterator[Part[State]]:
        """The table as a seat folds it."""
        yield from self._own.parts()
        yield from self._other.parts()
        numbers = self._numbers
        deck = places_of(self._unseen, *self._next)
        yield Part(("deck",), (*deck, numbers["deck"]), self._write_deck)
        yield marked("discards", self._discards)
        yield marked("removed", self._removed)
        yield marked("beside", self._beside)
        yield Part(("effects",), self._named.values(), self._write_named)
        yield Part(("phase",), self._phases.values(), self._write_phase)
        rest = [place for name, place in numbers.items() if name != "deck"]
        fields = ("vp", "defcon", "turn", "round", "reached_two", "buries")
        yield Part(fields, rest, self._write_numbers)

    def _write_deck(self, s: State, seat: Seat, out: Floats) -> None:
        mark(out, self._unseen, s.deck.cards)
        for places, card in zip(self._next, s.deck.top, strict=False):
            mark(out, places, (card,))
        out[self._numbers["deck"]] = s.deck.size / len(CARDS)

    def _write_named(self, s: State, seat: Seat, out: Floats) -> None:
        mark(out, self._named, [effect.region for effect in s.effects])

    def _write_phase(self, s: State, seat: Seat, out: Floats) -> None:
        mark(out, self._phases, (s.phase,))

    def _write_numbers(self, s: State, seat: Seat, out: Floats) -> None:
        numbers = self._numbers
        out[numbers["plays_us"]] = float(seat == US)
        out[numbers["vp"]] = (s.vp if seat == US else -s.vp) / MOST_VP
        out[numbers["defcon"]] = s.defcon / 5
        out[numbers["turn"]] = s.turn / FEW
        out[numbers["round"]] = s.round / FEW
        out[numbers["reached_two"]] = float(s.reached_two)
        out[numbers["buries"]] = float(s.buries)


def _made() -> Encoding[State]:
    layout = Layout()
    table = _Table(layout)
    words = (*CARDS, *(f"ask.{name}" for name in sorted(CHOICES)), *GAME.seats, *REGIONS)
    picked = (*SPACES, *CARDS, *REGIONS)
    return Encoding(NAME, layout, State, tuple(table.parts()), Asked(layout, GAME, words, AMOUNTS, picked))


ENCODING = _made()


def encoding(options: Options) -> Encoding[State]:
    """The encoding, which is the same in every match."""
    return ENCODING
