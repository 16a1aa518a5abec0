"""How a ruling on a board reaches the match: what its gate is asked for, and whether it took it already.

The match's own log takes a ruling first.  If the tournament's entry is then not stored (a crash, a full
disk), the same command sent again finds the ruling in the match by its author, its text and what it decides:
the match takes none twice, and the entry names that move.  If it is not sent again, the house enters a ruling
that took the match back when the match is over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec.structs import asdict

from domain.events import Ruled
from domain.kernel import Refused, Result
from domain.match import Match
from domain.tournaments import commands as c
from domain.tournaments.outcomes import (
    RULING,
    RulingInMatch,
    decided_by,
    for_result,
    result_of,
    sides_of,
    sitting,
)
from domain.tournaments.state import Board, Tournament

MOST_REASON = 2_000  # characters of a reason in a match
_ENTRY = re.compile(r"tournament (?P<tournament>[a-z2-7]+), entry [0-9]+: (?P<text>.*)", re.DOTALL)


def on_match(s: Tournament, board: Board, match: Match, command: c.Rule) -> RulingInMatch:
    """Return what a ruling asks of the match of its board."""
    ruling = command.match
    if ruling is None:
        return for_result(sides_of(s, board, sitting(match)), board, command.result or "")
    result = Result(ruling.result.winner, RULING, ruling.result.score) if ruling.result else None
    return RulingInMatch(ruling.back_to, result, ruling.void)


def on_board(s: Tournament, board: Board, match: Match, asked: RulingInMatch) -> str:
    """Return the result that a ruling on a match gives its board; "" if none."""
    if asked.result is None:
        return ""
    winner = sides_of(s, board, sitting(match)).get(asked.result.winner or "", "")
    return result_of(board, winner, drawn=not winner)


def must_be_possible(match: Match, asked: RulingInMatch, by: str, expect: int | None) -> None:
    """Check a ruling on a match as its own gate will.  Raises Refused: over, stale, ruling."""
    if match.closed:
        raise Refused("over", "match-over")
    if expect is not None and expect != match.move:
        raise Refused("stale", "match-went-on", {"expect": expect, "last": match.move})
    score = asked.result.score if asked.result else {}
    if not set(score) <= set(match.seats):
        raise Refused("ruling", "score-is-for-seats", {"known": list(match.seats)})
    decided: dict[str, Any] = asdict(asked)
    entry = Ruled(move=match.move + 1, prev="", sealed={}, by=by, reason="-", **decided)
    if (why := match.ruling_refused(entry)) is not None:
        raise Refused("ruling", why.id, why.values)


def reason_in_match(s: Tournament, text: str) -> str:
    """Return the reason that the log of a match has for a ruling whose entry is the next one."""
    return f"tournament {s.id}, entry {s.entry + 1}: {text}"[:MOST_REASON]


def taken(s: Tournament, match: Match, asked: RulingInMatch, by: str, text: str) -> int:
    """Return the move by which a match took this ruling, if no entry of the tournament names it; else 0."""
    named = s.moves_ruled(*_place(match))
    for record in reversed(match.records):
        entry = record.entry
        if isinstance(entry, Ruled) and record.move not in named and _is_same(s, entry, asked, by, text):
            return record.move
    return 0


def _place(match: Match) -> tuple[int, int]:
    place = match.opened.tournament
    return (place.round, place.board) if place else (0, 0)


def _is_same(s: Tournament, entry: Ruled, asked: RulingInMatch, by: str, text: str) -> bool:
    found = _ENTRY.fullmatch(entry.reason)
    if found is None or found["tournament"] != s.id or entry.by != by:
        return False
    cut = len(entry.reason) >= MOST_REASON
    same_text = text.startswith(found["text"]) if cut else text == found["text"]
    return same_text and decided_by(entry) == asked


def lost(s: Tournament, match: Match) -> Iterator[c.EnterRuling]:
    """Yield what enters the rulings that took a match back, and that no entry of its tournament names."""
    round_number, board = _place(match)
    named = s.moves_ruled(round_number, board)
    for record in match.records:
        entry = record.entry
        if not isinstance(entry, Ruled) or entry.back_to is None or record.move in named:
            continue
        found = _ENTRY.fullmatch(entry.reason)
        if found is not None and found["tournament"] == s.id:
            text = found["text"]
            yield c.EnterRuling(
                round=round_number, board=board, move=record.move, back_to=entry.back_to, text=text
            )
