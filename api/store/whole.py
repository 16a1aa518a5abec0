"""Does a store hold all that it once held?  What a match holds, its roots prove; not that it is there.

Positions and moves are numbered without gap, and what belongs to a match was stored together with its moves.
Only the latest matches, gone with all that belonged to them, leave no trace: that is an older store.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Ask = Callable[[str], Sequence[Any]]  # the rows of one statement, all of one moment

_GAP = (
    "SELECT originator_id FROM stored_events GROUP BY originator_id"
    " HAVING min(originator_version) <> 1 OR max(originator_version) <> count(*) LIMIT 1"
)
_NUMBERS = "SELECT count(*), coalesce(max(id), 0) FROM stored_events"
_ORPHAN = (
    "SELECT kept.match FROM (SELECT match FROM vault UNION SELECT match FROM notes) AS kept WHERE NOT EXISTS"
    " (SELECT 1 FROM stored_events WHERE originator_id = kept.match AND originator_version = 1) LIMIT 1"
)


def lacking(ask: Ask) -> str:
    """What is missing in a store, in a few words; nothing where all is there."""
    for (match,) in ask(_GAP):
        return f"moves of match {match} are missing"
    moves, last = ask(_NUMBERS)[0]
    if moves != last:
        return f"it holds {moves} moves, and the last one is number {last}"
    for (match,) in ask(_ORPHAN):
        return f"all moves of match {match} are missing"
    return ""
