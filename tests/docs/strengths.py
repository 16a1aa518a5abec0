"""The table of strengths in docs/bots.md, from what `ops/bench/bots.py --accept --record` measured."""

from __future__ import annotations

import re

from api.bots.strengths import Strength, measured

TABLE = re.compile(r"^\| Game \| Bots .*\n(?:\|.*\n)+", re.MULTILINE)
COLUMNS = ("Game", "Bots", "Points", "95 % interval", "By seat", "How it ended")
MORE = ("ms a decision: mean, p99", "CPU ms an action: mean, p99", "Agent", "Seed")


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
        f"`{one.level}` against `{one.against}`",
        f"{one.points:g} of {one.matches}: {share:.1f} %",
        f"{100 * one.low:.1f} to {100 * one.high:.1f}",
        seats,
        endings,
        f"{one.milliseconds:.1f}, {one.p99:.1f}",
        f"{one.action:.1f}, {one.action_p99:.1f}" if one.action else "",
        f"`{one.version}`",
        one.seed,
    ]
