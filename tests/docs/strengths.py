"""The table of strengths in docs/bots.md, from what `ops/bench/bots.py --accept --record` measured."""

from __future__ import annotations

import re

from api.bots.strengths import Strength, measured

TABLE = re.compile(r"^\| Game \| Points .*\n(?:\|.*\n)+", re.MULTILINE)
COLUMNS = ("Game", "Points of `easy` against `random`", "95 % interval", "By seat", "How it ended")
MORE = ("ms a decision: mean, p99", "Agent", "Seed")


def strengths_table() -> str:
    """The rows, a line each, with the head."""
    head = (*COLUMNS, *MORE)
    rows = [head, ("---",) * len(head), *(tuple(_row(one)) for one in measured())]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _row(one: Strength) -> list[str]:
    share = 100 * one.points / one.matches
    seats = ", ".join(f"{seat} {100 * part:.1f} %" for seat, part in one.seats.items())
    often = sorted(one.endings.items(), key=lambda item: (-item[1], item[0]))
    endings = ", ".join(f"{count} {ending}" for ending, count in often)
    return [
        f"`{one.game}`",
        f"{one.points:g} of {one.matches}: {share:.1f} %",
        f"{100 * one.low:.1f} to {100 * one.high:.1f}",
        seats,
        endings,
        f"{one.milliseconds:.1f}, {one.p99:.1f}",
        f"`{one.version}`",
        one.seed,
    ]
