"""Action rounds whose number cannot be right: it does not fit between those before and after."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from domain.twilight_struggle.components import US
from domain.twilight_struggle.rules.hand import rounds
from replay.foreign.structure import ActionRound, Log, Turn

Misnumbered = tuple[int, int, int]  # the line, the number that is stated, the number that fits


def in_order(said: Log) -> tuple[Log, list[Misnumbered]]:
    """The log with numbers that fit, and what was changed."""
    wrong: list[Misnumbered] = []
    turns = []
    for turn in said.turns:
        fitting = tuple(replace(entry, number=number) for entry, number in _numbered(turn))
        wrong += [
            (entry.line, entry.number, other.number)
            for entry, other in zip(turn.rounds, fitting, strict=True)
            if entry.number != other.number
        ]
        turns.append(replace(turn, rounds=fitting))
    return replace(said, turns=tuple(turns)), wrong


def _numbered(turn: Turn) -> Iterator[tuple[ActionRound, int]]:
    """Each action round with the number that fits: its own, or the one between its neighbours."""
    order = [_place(entry) for entry in turn.rounds]
    beyond = 2 * (rounds(turn.number) + 2)
    before = 1  # the place of the headlines: round 1 of the USSR has place 2
    for i, entry in enumerate(turn.rounds):
        after = order[i + 1] if i + 1 < len(order) else beyond
        due = before + 1 if (before + 1) % 2 == (entry.side == US) else before + 2
        fits = before < order[i] < after and not (order[i] != due and after == due + 1)
        before = order[i] if fits else due
        yield entry, before // 2


def _place(entry: ActionRound) -> int:
    """Where a round stands in its turn, the USSR first."""
    return 2 * entry.number + (entry.side == US)
