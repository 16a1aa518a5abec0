"""What the win probability of each game is computed from: numbers that a row of its positions gives.

Every feature is a function of a row, a mapping of column names.  It is above 0 if that is good for the first
side of the game, and of equal positions with the sides exchanged it has equal values with opposite signs,
except for those that name one side or the time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from domain.imperial_struggle.components import REGIONS as THEATRES
from domain.twilight_struggle.components import REGIONS

Values = Mapping[str, Any]
Feature = Callable[[Values], float]


class Features(Struct, frozen=True):
    """The features of a game.

    table: its table of positions; only rows of this `kind` count.
    columns: what the features read, beside `time`.
    time: the column that says how far the match is; `unit` is what it counts, as `turn` of a caller does.
    of: the features, by name; the first one is the lead in points.
    step: how much of a lead is taken together in a table.
    apart: from this time on, two matches with the same position are copies or branches of one.
    """

    table: str
    kind: str
    time: str
    columns: tuple[str, ...]
    of: dict[str, Feature]
    step: int
    apart: int

    def values(self, row: Values) -> list[float]:
        """The value of every feature."""
        return [float(feature(row)) for feature in self.of.values()]


def _grounds(row: Values) -> int:
    return sum(int(row[f"bg_{region}_us"]) - int(row[f"bg_{region}_ussr"]) for region in REGIONS)


def _difference(name: str, one: str, other: str) -> Feature:
    return lambda row: int(row[f"{name}_{one}"]) - int(row[f"{name}_{other}"])


def _is(name: str, one: str, other: str) -> Feature:
    """1 if the column names the one side, -1 for the other, 0 for neither."""
    return lambda row: (row[name] == one) - (row[name] == other)


def _both(name: str, *sides: str) -> tuple[str, ...]:
    return tuple(f"{name}_{side}" for side in sides)


def _flags(row: Values) -> int:
    return sum(int(row[f"flags_{region}_br"]) - int(row[f"flags_{region}_fr"]) for region in THEATRES)


def _ahead(row: Values) -> int:
    """Victory points of Britain: the marker begins at 15, and France leads above it (2.4)."""
    return 15 - int(row["vp"])


def _scores(row: Values) -> int:
    return int(row["score_cia"]) - int(row["score_kgb"])


def _spheres(row: Values) -> int:
    return int(row["sphere_us"]) - int(row["sphere_ussr"])


def _leads(row: Values) -> int:
    return int(row["leads_us"]) - int(row["leads_ussr"])


FEATURES: Mapping[str, Features] = {
    "twilight_struggle": Features(
        "ts_positions",
        "turn_end",
        "turn",
        (
            "vp",
            "defcon",
            "china",
            *_both("space", "us", "ussr"),
            *(column for region in REGIONS for column in _both(f"bg_{region}", "us", "ussr")),
        ),
        {
            "vp": lambda row: int(row["vp"]),
            "battlegrounds": _grounds,
            "space": _difference("space", "us", "ussr"),
            "china": _is("china", "us", "ussr"),
            "defcon_2": lambda row: int(row["defcon"]) == 2,
            "turn": lambda row: int(row["turn"]),
            "vp_by_turn": lambda row: int(row["vp"]) * int(row["turn"]),
            "battlegrounds_by_turn": lambda row: _grounds(row) * int(row["turn"]),
        },
        step=5,
        apart=1,
    ),
    "imperial_struggle": Features(
        "is_positions",
        "turn_end",
        "turn",
        (
            "vp",
            *_both("debt", "br", "fr"),
            *_both("limit", "br", "fr"),
            *_both("treaty", "br", "fr"),
            *(column for region in THEATRES for column in _both(f"flags_{region}", "br", "fr")),
        ),
        {
            "vp": _ahead,
            "flags": _flags,
            "credit": lambda row: (
                int(row["limit_br"]) - int(row["debt_br"]) - int(row["limit_fr"]) + int(row["debt_fr"])
            ),
            "treaty": _difference("treaty", "br", "fr"),
            "turn": lambda row: int(row["turn"]),
            "vp_by_turn": lambda row: _ahead(row) * int(row["turn"]),
            "flags_by_turn": lambda row: _flags(row) * int(row["turn"]),
        },
        step=5,
        apart=1,
    ),
    "cia_vs_kgb": Features(
        "cvk_positions",
        "turn_end",
        "turn",
        (*_both("score", "cia", "kgb"), *_both("free_agents", "cia", "kgb"), "balance"),
        {
            "points": _scores,
            "agents": _difference("free_agents", "cia", "kgb"),
            "balance": _is("balance", "cia", "kgb"),
            "turn": lambda row: int(row["turn"]),
            "points_by_turn": lambda row: _scores(row) * int(row["turn"]),
        },
        step=20,
        apart=2,
    ),
    "thirteen_minutes": Features(
        "tm_positions",
        "turn",
        "play",
        (
            *_both("supply", "us", "ussr"),
            *_both("cubes", "us", "ussr"),
            *_both("leads", "us", "ussr"),
            *_both("sphere", "us", "ussr"),
        ),
        {
            "leads": _leads,
            "sphere": _spheres,
            "cubes": _difference("cubes", "us", "ussr"),
            "supply": _difference("supply", "us", "ussr"),
            "play": lambda row: int(row["play"]),
            "leads_by_play": lambda row: _leads(row) * int(row["play"]),
            "sphere_by_play": lambda row: _spheres(row) * int(row["play"]),
        },
        step=1,
        apart=4,
    ),
}
"""The features of each game.  Those of 13 Minutes are of the sides; a campaign is left out (see `model`)."""
