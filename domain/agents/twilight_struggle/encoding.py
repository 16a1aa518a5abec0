"""Twilight Struggle: what a seat knows as numbers."""

from __future__ import annotations

from domain.agents.encoding import FEW, Asked, Encoding, Floats, Layout, count, mark
from domain.game import Options
from domain.kernel import HIDDEN, Seat
from domain.twilight_struggle import GAME
from domain.twilight_struggle.components import OTHER, REGIONS, SPACES, US
from domain.twilight_struggle.rules.registry import CARDS, CHOICES
from domain.twilight_struggle.state import State

NAME = "ts/1"
AMOUNTS = ("points", "turn", "round", "left", "of", "most", "count", "each", "box", "need")
PHASES = ("deal", "headline", "rounds", "end")
AHEAD = 5  # cards of the deck whose order a side may know
MOST_VP = 20
BOXES = 8  # of the Space Race


class _Side:
    """Where what belongs to one side stands among the numbers."""

    def __init__(self, layout: Layout, name: str) -> None:
        self._influence = layout.block(f"{name}_influence", SPACES)
        self._at_start = layout.block(f"{name}_influence_at_start", SPACES)
        self._hand = layout.block(f"{name}_hand", CARDS)
        self._headline = layout.block(f"{name}_headline", CARDS)
        self._playing = layout.block(f"{name}_playing", CARDS)
        self._effects = layout.block(f"{name}_effect", CARDS)
        states = ("phasing", "military", "space", "spaced", "china", "china_ready", "envy", "hand", "unknown")
        self._states = layout.block(name, (*states, "has_chosen", "has_bid", "gift"))

    def write(self, s: State, side: Seat, out: Floats) -> None:
        """Write what belongs to `side`."""
        count(out, self._influence, s.influence[side])
        count(out, self._at_start, s.at_start[side])
        self._write_cards(s, side, out)
        states = self._states
        out[states["military"]] = s.military[side] / FEW
        out[states["space"]] = s.space[side] / BOXES
        out[states["spaced"]] = s.spaced[side] / FEW
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

    def _write_cards(self, s: State, side: Seat, out: Floats) -> None:
        hand, states = s.hands[side], self._states
        mark(out, self._hand, hand)
        out[states["hand"]] = len(hand) / FEW
        out[states["unknown"]] = hand.count(HIDDEN) / FEW
        if side in s.chosen:
            out[states["has_chosen"]] = 1.0
            mark(out, self._headline, (s.chosen[side],))
        if side in s.headlines:
            mark(out, self._headline, (s.headlines[side],))
        for played in s.playing:
            if played.seat == side:
                out[self._playing[played.card]] = 1.0
        for effect in s.effects:
            if effect.seat == side:
                mark(out, self._effects, (effect.card,))


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

    def write(self, s: State, seat: Seat, out: Floats) -> None:
        """Write the table as `seat` folds it."""
        self._own.write(s, seat, out)
        self._other.write(s, OTHER[seat], out)
        for places, cards in (
            (self._unseen, s.deck.cards),
            (self._discards, s.discards),
            (self._removed, s.removed),
            (self._beside, s.beside),
            (self._phases, (s.phase,)),
            (self._named, [effect.region for effect in s.effects]),
        ):
            mark(out, places, cards)
        for places, card in zip(self._next, s.deck.top, strict=False):
            mark(out, places, (card,))
        self._write_numbers(s, seat, out)

    def _write_numbers(self, s: State, seat: Seat, out: Floats) -> None:
        numbers = self._numbers
        out[numbers["plays_us"]] = float(seat == US)
        out[numbers["vp"]] = (s.vp if seat == US else -s.vp) / MOST_VP
        out[numbers["defcon"]] = s.defcon / 5
        out[numbers["turn"]] = s.turn / FEW
        out[numbers["round"]] = s.round / FEW
        out[numbers["deck"]] = s.deck.size / len(CARDS)
        out[numbers["reached_two"]] = float(s.reached_two)
        out[numbers["buries"]] = float(s.buries)


def _made() -> Encoding[State]:
    layout = Layout()
    table = _Table(layout)
    words = (*CARDS, *(f"ask.{name}" for name in sorted(CHOICES)), *GAME.seats, *REGIONS)
    picked = (*SPACES, *CARDS, *REGIONS)
    return Encoding(NAME, layout, table.write, Asked(layout, GAME, words, AMOUNTS, picked))


ENCODING = _made()


def encoding(options: Options) -> Encoding[State]:
    """The encoding, which is the same in every match."""
    return ENCODING
