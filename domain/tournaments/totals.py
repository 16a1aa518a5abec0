"""What the two matches of a pair that plays both sides come to together.

The points of both matches are summed; the sum decides whether the pair counts as won, drawn or lost.
"""

from __future__ import annotations

from collections.abc import Sequence

from domain.tournaments.terms import Points

FORFEITS = frozenset({"+-", "-+", "--"})
_EXCHANGED = {"1-0": "0-1", "0-1": "1-0", "+-": "-+", "-+": "+-"}
BOTH_LOST = frozenset({"0-0", "--"})


def exchanged_result(result: str) -> str:
    """Return a result with its other entrant first."""
    return _EXCHANGED.get(result, result)


def points_for(points: Points, result: str) -> tuple[int, int]:
    """Return the half points that a result gives to the first and to the second entrant; "" gives none.

    "0-0" is a played game that both lost, so each gets what a loss is worth, as in the crosstable; a forfeit
    was not played, and gives nothing.
    """
    match result:
        case "½":
            return points.draw, points.draw
        case "1-0":
            return points.win, points.loss
        case "0-1":
            return points.loss, points.win
        case "0-0":
            return points.loss, points.loss
        case "+-":
            return points.win, 0
        case "-+":
            return 0, points.win
        case _:
            return 0, 0


def summed(points: Points, results: Sequence[str]) -> tuple[int, int]:
    """Return the half points of both entrants from all these results, the first entrant of each the same."""
    found = [points_for(points, result) for result in results]
    return sum(w for w, _ in found), sum(b for _, b in found)


def total(points: Points, results: Sequence[str]) -> str:
    """Return the result of a pair: of one match its own; of two, who has more points; "" until all have one.

    It is a forfeit if both matches are.  If both have equal points it is a draw, unless both lost both.

    Args:
        points: what results are worth.
        results: of the matches, the first entrant of each the same.
    """
    if len(results) < 2:
        return results[0] if results else ""
    if not all(results):
        return ""
    is_forfeit = all(result in FORFEITS for result in results)
    w, b = summed(points, results)
    if w != b:
        forfeit, played = ("+-", "1-0") if w > b else ("-+", "0-1")
        return forfeit if is_forfeit else played
    if all(result in BOTH_LOST for result in results):
        return "--" if is_forfeit else "0-0"
    return "½"
