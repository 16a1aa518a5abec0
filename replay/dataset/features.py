"""What the win probability of each game is computed from: numbers that a row of its positions gives.

Every feature is a function of a row, a mapping of column names.  It is above 0 if that is good for the first
side of the game, and of equal positions with the sides exchanged it has equal values with opposite signs,
except for those that name one side or the time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct

from domain.imperial_struggle.components import REGIONS as THEATRES
from domain.twilight_struggle.components import REGIONS

Values = Mapping[str, Any]
Feature = Callable[[Values], float]


class Features(Struct, frozen=True, dict=True):
    """The features of a game.

    table: its table of positions; only rows of this `kind` count.
    columns: what the features read, beside `time`.
    time: the column that says how far the match is; `unit` is what it counts, as `turn` of a caller does.
    leads: what is worth more or less as the match goes on, by name; the first one is the lead in points.
    others: the features that are worth the same at any time.
    step: how much of a lead is taken together in a table.
    apart: from this time on, two matches with the same position are copies or branches of one.
    """

    table: str
    kind: str
    time: str
    columns: tuple[str, ...]
    leads: dict[str, Feature]
    others: dict[str, Feature]
    step: int
    apart: int

    @cached_property
    def of(self) -> dict[str, Feature]:
        """All features by name: leads, others, the time, and each lead times the time."""
        time = _number(self.time)
        grown = {f"{name}_by_{self.time}": _product(lead, time) for name, lead in self.leads.items()}
        return {**self.leads, **self.others, self.time: time, **grown}

    def values(self, row: Values) -> list[float]:
        """The value of every feature."""
        return [float(feature(row)) for feature in self.of.values()]


def _number(name: str) -> Feature:
    return lambda row: int(row[name])


def _product(one: Feature, other: Feature) -> Feature:
    return lambda row: one(row) * other(row)


def _difference(one: str, other: str, *names: str) -> Feature:
    """By how much the one side has more than the other, over all these columns."""
    pairs = [(f"{name}_{one}", f"{name}_{other}") for name in names]
    return lambda row: sum(int(row[ours]) - int(row[theirs]) for ours, theirs in pairs)


def _is(one: str, other: str, name: str) -> Feature:
    """1 if the column names the one side, -1 for the other, 0 for neither."""
    return lambda row: (row[name] == one) - (row[name] == other)


def _both(one: str, other: str, *names: str) -> tuple[str, ...]:
    """The columns of both sides."""
    return tuple(f"{name}_{side}" for name in names for side in (one, other))


BATTLEGROUNDS = [f"bg_{region}" for region in REGIONS]
FLAGS = [f"flags_{region}" for region in THEATRES]

FEATURES: Mapping[str, Features] = {
    "twilight_struggle": Features(
        "ts_positions",
        "turn_end",
        "turn",
        ("vp", "defcon", "china", *_both("us", "ussr", "space", *BATTLEGROUNDS)),
        {"vp": _number("vp"), "battlegrounds": _difference("us", "ussr", *BATTLEGROUNDS)},
        {
            "space": _difference("us", "ussr", "space"),
            "china": _is("us", "ussr", "china"),
            "defcon_2": lambda row: int(row["defcon"]) == 2,
        },
        step=5,
        apart=1,
    ),
    "imperial_struggle": Features(
        "is_positions",
        "turn_end",
        "turn",
        ("vp", *_both("br", "fr", "debt", "limit", "treaty", *FLAGS)),
        {
            "vp": lambda row: 15 - int(row["vp"]),  # the marker begins at 15, and France leads above it (2.4)
            "flags": _difference("br", "fr", *FLAGS),
        },
        {
            "credit": lambda row: (
                _difference("br", "fr", "limit")(row) - _difference("br", "fr", "debt")(row)
            ),
            "treaty": _difference("br", "fr", "treaty"),
        },
        step=5,
        apart=1,
    ),
    "cia_vs_kgb": Features(
        "cvk_positions",
        "turn_end",
        "turn",
        (*_both("cia", "kgb", "score", "free_agents"), "balance"),
        {"points": _difference("cia", "kgb", "score")},
        {"agents": _difference("cia", "kgb", "free_agents"), "balance": _is("cia", "kgb", "balance")},
        step=20,
        apart=2,
    ),
    "thirteen_minutes": Features(
        "tm_positions",
        "turn",
        "play",
        _both("us", "ussr", "supply", "cubes", "leads", "sphere"),
        {name: _difference("us", "ussr", name) for name in ("leads", "sphere")},
        {name: _difference("us", "ussr", name) for name in ("cubes", "supply")},
        step=1,
        apart=4,
    ),
}
"""The features of each game.  Those of 13 Minutes are of the sides; a campaign is left out (see `model`)."""
