"""What the saved queries answer, computed a second way: from the cases that the oracles find (AN16).

`ANSWERS` says for each query and column which value of a case counts (None: the case does not), and what is
computed of all values of a row.  A value is read in `m`, the match, in the keys of the row, and in what
happened.  `SHARES` are the columns that compare rows with one another.  `BY_RULES` are those that no log
states: odds, what chance brings on the average, forced moves and ratings; other tests compare them with every
throw, every answer and the rating itself (`test_dice.py`, `test_rolls.py`, `test_compared.py`,
`test_core_tables.py`).
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

Row = dict[str, Any]
Keys = tuple[Any, ...]
Values = Sequence[float]
Value = Callable[[Row, Keys, Row], float | None]
Column = tuple[Callable[[Values], float | str | None], Value]


# ── of all values of a row ──


def mean(values: Values) -> float | None:
    return math.fsum(values) / len(values) if values else None


def quantile(share: float) -> Callable[[Values], float | None]:
    """The value below which this share of all lies, between two of them in proportion."""

    def found(values: Values) -> float | None:
        if not values:
            return None
        ordered, place = sorted(values), share * (len(values) - 1)
        low = math.floor(place)
        high = min(low + 1, len(ordered) - 1)
        return ordered[low] + (ordered[high] - ordered[low]) * (place - low)

    return found


def different(values: Values) -> int:
    return len(set(values))


def moment(values: Values) -> str:
    return datetime.fromtimestamp(max(values) / 1e6, UTC).strftime("%Y-%m-%d %H:%M:%S")


# ── of one case ──


def of(name: str) -> Value:
    """What a column of the case holds."""
    return lambda m, keys, row: row[name]


def equals(name: str, value: Any) -> Value:
    """Does a column of the case hold this?"""
    return lambda m, keys, row: row[name] == value


def equals_key(name: str, place: int) -> Value:
    """Does a column of the case hold the key at this place?"""
    return lambda m, keys, row: row[name] == keys[place]


def of_side(name: str, place: int) -> Value:
    """The column of the side that is the key at this place."""
    return lambda m, keys, row: row[f"{name}_{keys[place]}"]


def won(place: int) -> Value:
    """Did the seat that is the key at this place win the match?  None: there is no winner."""
    return lambda m, keys, row: None if m["winner"] is None else m["winner"] == keys[place]


def won_by(seat: str) -> Value:
    return lambda m, keys, row: m["winner"] == seat


def seconds(m: Row, keys: Keys, row: Row) -> float:
    return float(row["think"] / 1000)


def objective_won(m: Row, keys: Keys, row: Row) -> bool | None:
    """Did the side that got the objective win the match?"""
    return row["winner"] == m["winner"] if row["winner"] and m["winner"] else None


def token_won(m: Row, keys: Keys, row: Row) -> bool | None:
    return row["winner"] == row["token"] if row["token"] else None


PACE: dict[str, Column] = {"median": (quantile(0.5), seconds), "long": (quantile(0.9), seconds)}
RECORD: dict[str, Column] = {"won": (mean, won(0)), "decided": (len, won(0))}
OF_ALL_GAMES: dict[str, dict[str, Column]] = {
    "end_modes": {},
    "not_taken": {
        "offered": (mean, of("n")),
        "refused": (mean, lambda m, keys, row: m["option"] not in row["picked"]),
    },
    "think_time": {**PACE, "longest": (quantile(0.99), seconds)},
    "between": RECORD,
    "player_record": RECORD,
    "player_pace": PACE,
    "player_luck": {},
    "opponents_luck": {},
    "player_forced": {"matches": (different, lambda m, keys, row: zlib.crc32(m["match"].encode()))},
    "player_ratings": {"closed": (moment, lambda m, keys, row: m["closed"])},
}


def path(value: Value) -> dict[str, Column]:
    """What a query about the course of a score answers."""
    return {"low": (quantile(0.1), value), "median": (quantile(0.5), value), "high": (quantile(0.9), value)}


def sides(name: str, *seats: str) -> dict[str, Column]:
    """How often a column of the cases holds each of these seats."""
    return {seat: (mean, equals(name, seat)) for seat in seats}


TWILIGHT_STRUGGLE: dict[str, dict[str, Column]] = {
    "win_rate": {"us": (mean, won_by("us"))},
    "headlines": {"won": (mean, won(0))},
    "headline_pairs": {"us_won": (mean, won_by("us"))},
    "event_or_ops": {},
    "coups": {"got": (mean, of("success"))},
    "first_coup": {},
    "luck": {},
    "dice_fair": {},
    "control_wins": {"us": (mean, won_by("us"))},
    "find": {"first": (min, lambda m, keys, row: row["move"])},
    "vp_path": path(of("vp")),
    "comebacks": {"worst": (min, of("vp")), "score_us": (min, lambda m, keys, row: m["score_a"])},
    "held": {
        "turns": (mean, of("turns_held")),
        "never": (mean, equals("gone_move", None)),
    },
    "could_coup": {
        "took": (mean, lambda m, keys, row: any(pick.startswith("coup") for pick in row["picked"])),
    },
    "country_life": {"mean": (mean, of("after"))},
    "big_swings": {"swing": (max, lambda m, keys, row: abs(row["after"] - row["before"]))},
    "defcon_losses": {},
    "player_headlines": RECORD,
}

_STRENGTH = ("strength", "tiles", "alliances", "keywords", "conflicts", "squadrons", "forts")
IMPERIAL_STRUGGLE: dict[str, dict[str, Column]] = {
    "win_rate": {"fr": (mean, won_by("fr"))},
    "vp_path": path(of("vp")),
    "debt_and_treaty": {
        "taken": (mean, of("debt_taken")),
        "debt": (mean, of("debt_after")),
        "debt_limit": (mean, of("limit_after")),
        "treaty": (mean, of("treaty_after")),
    },
    "awards": {**sides("winner", "br", "fr"), "vp": (mean, of("vp"))},
    "awards_and_winning": {"won": (mean, won(2))},
    "wars": {**sides("winner", "br", "fr"), "margin": (mean, of("margin"))},
    "strength": {name: (mean, of_side(name, 2)) for name in _STRENGTH},
    "luck": {},
    "investments": {"round": (mean, of("round")), "won": (mean, won(1))},
    "events": {"bonus": (mean, equals("how", "bonus")), "won": (mean, won(1))},
    "ministries": {"won": (mean, won(1))},
    "space_life": {
        "br": (mean, lambda m, keys, row: row[f"at_{m['space']}"] == 1),
        "fr": (mean, lambda m, keys, row: row[f"at_{m['space']}"] == 2),
    },
    "space_and_winning": {"fr": (mean, won_by("fr"))},
    "points": {"points": (math.fsum, of("by")), "mean": (mean, of("by"))},
    "purchases": {"cost": (mean, of("cost")), "debt": (mean, of("debt"))},
    "conquests": {},
    "comebacks": {
        "worst": (min, lambda m, keys, row: (row["vp"] - 15) * (1 if keys[-1] == "fr" else -1)),
    },
    "player_ministries": RECORD,
}

CIA_VS_KGB: dict[str, dict[str, Column]] = {
    "win_rate": {"cia": (mean, won_by("cia"))},
    "score_path": path(lambda m, keys, row: row["score_cia"] - row["score_kgb"]),
    "objectives": {
        **sides("winner", "cia", "kgb"),
        "claimed": (len, objective_won),
        "won": (mean, objective_won),
    },
    "decided": {"placed": (len, token_won), "token_won": (mean, token_won)},
    "agents": {"won": (mean, equals_key("winner", 0)), "gained": (mean, of_side("gained", 0))},
    "agent_pairs": sides("winner", "cia", "kgb"),
    "first": {"prevailed": (mean, equals_key("token", 0)), "actions": (mean, of("actions"))},
    "disorder": {
        "disorder": (mean, of_side("disorder", 1)),
        "influence": (mean, of_side("influence", 1)),
    },
    "groups": {},
    "actions": {"number": (mean, of("number"))},
    "events": {"turn": (mean, of("turn")), "won": (mean, won(1))},
    "luck": {},
    "comebacks": {
        "worst": (
            min,
            lambda m, keys, row: (row["score_cia"] - row["score_kgb"]) * (1 if keys[-1] == "cia" else -1),
        ),
    },
    "player_agents": RECORD,
}

THIRTEEN_MINUTES: dict[str, dict[str, Column]] = {
    "win_rate": {"us": (mean, equals("winner", "us"))},
    "bids": {"higher": (mean, equals_key("higher", 0))},
    "bids_and_winning": {"won": (mean, equals_key("winner", 0))},
    "territories": {
        **sides("controller", "us", "ussr"),
        "cubes_us": (mean, of("cubes_us")),
        "cubes_ussr": (mean, of("cubes_ussr")),
    },
    "zones": {},
    "cards": {"play": (mean, of("play")), "won": (mean, equals_key("won_by", 1))},
    "events": {"used": (mean, equals("what", "event"))},
    "kept": {"won": (mean, equals_key("won_by", 1))},
    "wars": sides("war", "us", "ussr", "both"),
    "cuba": {"won": (mean, equals_key("won_by", 0))},
    "points": sides("side", "us", "ussr"),
    "lead_path": {"us": (mean, equals("won_by", "us"))},
    "luck": {},
    "player_cards": RECORD,
}

ANSWERS: dict[str, dict[str, dict[str, Column]]] = {
    "twilight_struggle": {**OF_ALL_GAMES, **TWILIGHT_STRUGGLE},
    "imperial_struggle": {**OF_ALL_GAMES, **IMPERIAL_STRUGGLE},
    "cia_vs_kgb": {**OF_ALL_GAMES, **CIA_VS_KGB},
    "thirteen_minutes": {**OF_ALL_GAMES, **THIRTEEN_MINUTES},
}
SHARES: dict[str, tuple[str, str, int]] = {
    "event_or_ops": ("share", "plays", 1),
    "dice_fair": ("share", "dice", 0),
    "cvk_actions": ("share", "actions", 1),
}
"""The share of a row among those that have the same pool and the same first keys: its column, that of the
number in all of them, and how many keys."""

BY_RULES: dict[str, set[str]] = {
    "coups": {"chance", "luck"},
    "luck": {"luck"},
    "player_luck": {"luck", "mean"},
    "opponents_luck": {"luck", "mean"},
    "player_forced": {"forced"},
    "player_ratings": {"before", "after"},
}
"""Columns that no log states, by the query without the prefix of its game."""
