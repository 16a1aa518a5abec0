"""CIA vs. KGB: what a seat knows as numbers."""

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
    mark,
    marked,
    places_of,
)
from domain.cia_vs_kgb import GAME
from domain.cia_vs_kgb.components import AGENTS, GROUPS, OBJECTIVES
from domain.cia_vs_kgb.rules import INFLUENCE, POINTS
from domain.cia_vs_kgb.state import State
from domain.game import Options
from domain.kernel import Seat

NAME = "cia/1"
AMOUNTS = ("stability", "population", "mine", "theirs", "passes", "count")
PHASES = ("briefing", "planning", "influence_struggle", "cease_fire", "debriefing", "detente")
PROMISES = ("watch", "analyst")
HANDS = ("left", "right")
MOST = 100  # VP that win
AHEAD = 3  # cards of a pile whose order a side may know


class _Side(Side):
    """Where what belongs to one side stands among the numbers."""

    def __init__(self, layout: Layout, name: str) -> None:
        super().__init__(GAME, name)
        self._recruited = layout.block(f"{name}_recruited", GROUPS)
        self._mobilized = layout.block(f"{name}_mobilized", GROUPS)
        self._won = layout.block(f"{name}_won", OBJECTIVES)
        self._home = layout.block(f"{name}_headquarters", AGENTS)
        self._sent = layout.block(f"{name}_sent", AGENTS)
        self._exposed = layout.block(f"{name}_exposed", AGENTS)
        self._leave = layout.block(f"{name}_leave", AGENTS)
        self._fallen = layout.block(f"{name}_fallen", AGENTS)
        self._promises = layout.block(f"{name}_promise", PROMISES)
        self._hand = layout.block(f"{name}_hand", HANDS)
        states = ("balance", "token", "prevailed", "has_sent", "hand_closed", "influence", "score")
        self._states = layout.block(name, states)

    def parts(self) -> Iterator[Part[State]]:
        """What belongs to the side; an agent that was sent counts as sent only where it is known."""
        states = self._states
        groups = (*self._recruited.values(), *self._mobilized.values(), states["influence"])
        yield Part(("recruited", "mobilized"), groups, self._write_groups)
        yield Part(("won",), (*self._won.values(), states["score"]), self._write_won)
        agents = (self._home, self._sent, self._exposed, self._leave, self._fallen)
        places = (*places_of(*agents), states["has_sent"])
        fields = ("headquarters", "sent", "exposed", "leave", "fallen")
        yield Part(fields, places, self._write_agents)
        tokens = [states[name] for name in ("balance", "token", "prevailed", "hand_closed")]
        places = (*self._promises.values(), *self._hand.values(), *tokens)
        yield Part(("balance", "token", "prevailed", "promises", "fists"), places, self._write_tokens)

    def _write_groups(self, s: State, seat: Seat, out: Floats) -> None:
        recruited, mobilized, used = self._recruited, self._mobilized, s.mobilized
        influence = 0
        for group in s.recruited[self._sides[seat]]:
            out[recruited[group]] = 1.0
            influence += INFLUENCE[group]
            if group in used:
                out[mobilized[group]] = 1.0
        out[self._states["influence"]] = influence / FEW

    def _write_won(self, s: State, seat: Seat, out: Floats) -> None:
        won, points = self._won, 0
        for objective in s.won[self._sides[seat]]:
            out[won[objective]] = 1.0
            points += POINTS[objective]
        out[self._states["score"]] = points / MOST

    def _write_agents(self, s: State, seat: Seat, out: Floats) -> None:
        side = self._sides[seat]
        for places, agents in (
            (self._home, s.headquarters[side]),
            (self._leave, s.leave[side]),
            (self._fallen, s.fallen[side]),
        ):
            for agent in agents:
                out[places[agent]] = 1.0
        if side in s.exposed:
            mark(out, self._exposed, (s.exposed[side],))
        if side in s.sent:
            out[self._states["has_sent"]] = 1.0
            mark(out, self._sent, (s.sent[side],))

    def _write_tokens(self, s: State, seat: Seat, out: Floats) -> None:
        side, states = self._sides[seat], self._states
        if s.balance == side:
            out[states["balance"]] = 1.0
        if s.token == side:
            out[states["token"]] = 1.0
        if s.prevailed == side:
            out[states["prevailed"]] = 1.0
        if s.promises:
            mark(out, self._promises, [name for name, owner in s.promises.items() if owner == side])
        if side in s.fists:
            out[states["hand_closed"]] = 1.0
            mark(out, self._hand, (s.fists[side],))


class _Table:
    """Where the table stands among the numbers."""

    def __init__(self, layout: Layout) -> None:
        self._own, self._other = _Side(layout, "own"), _Side(layout, "other")
        self._objective = layout.block("objective", OBJECTIVES)
        self._spent = layout.block("spent", OBJECTIVES)
        self._objectives = layout.block("unseen", OBJECTIVES)
        self._next_objectives = [layout.block(f"objectives_{n}", OBJECTIVES) for n in range(1, AHEAD + 1)]
        self._last_objective = layout.block("objectives_last", OBJECTIVES)
        self._discards, self._groups = layout.block("discards", GROUPS), layout.block("unseen", GROUPS)
        self._next_groups = [layout.block(f"groups_{n}", GROUPS) for n in range(1, AHEAD + 1)]
        self._phases = layout.block("phase", PHASES)
        self._is_cia, self._turn = layout.one("plays_cia"), layout.one("turn")
        self._deck, self._left = layout.one("groups_left"), layout.one("objectives_left")

    def parts(self) -> Iterator[Part[State]]:
        """The table as a seat folds it."""
        yield from self._own.parts()
        yield from self._other.parts()
        yield Part(("objective",), self._objective.values(), self._write_objective)
        yield marked("spent", self._spent)
        deck = places_of(self._objectives, *self._next_objectives, self._last_objective)
        yield Part(("objectives",), (*deck, self._left), self._write_objectives)
        yield marked("discards", self._discards)
        groups = places_of(self._groups, *self._next_groups)
        yield Part(("groups",), (*groups, self._deck), self._write_groups)
        yield Part(("phase", "turn"), (*self._phases.values(), self._is_cia, self._turn), self._write_time)

    def _write_objective(self, s: State, seat: Seat, out: Floats) -> None:
        mark(out, self._objective, (s.objective or "",))

    def _write_objectives(self, s: State, seat: Seat, out: Floats) -> None:
        mark(out, self._objectives, s.objectives.cards)
        mark(out, self._last_objective, s.objectives.bottom[-1:])
        for places, card in zip(self._next_objectives, s.objectives.top, strict=False):
            mark(out, places, (card,))
        out[self._left] = s.objectives.size / len(OBJECTIVES)

    def _write_groups(self, s: State, seat: Seat, out: Floats) -> None:
        unseen = self._groups
        for group in s.groups.cards:
            out[unseen[group]] = 1.0
        for places, card in zip(self._next_groups, s.groups.top, strict=False):
            mark(out, places, (card,))
        out[self._deck] = s.groups.size / len(GROUPS)

    def _write_time(self, s: State, seat: Seat, out: Floats) -> None:
        mark(out, self._phases, (s.phase,))
        out[self._is_cia] = float(seat == GAME.seats[0])
        out[self._turn] = s.turn / FEW


def _made() -> Encoding[State]:
    layout = Layout()
    table = _Table(layout)
    words = (*GAME.ids["objective"], *GAME.ids["group"], *GAME.ids["agent"], "hide_token", "guess_hand")
    asked = Asked(layout, GAME, words, AMOUNTS, (*GROUPS, *OBJECTIVES))
    return Encoding(NAME, layout, State, tuple(table.parts()), asked)


ENCODING = _made()


def encoding(options: Options) -> Encoding[State]:
    """The encoding, which is the same in every match."""
    return ENCODING
