"""Turn summaries, folded from the log of their match whenever somebody reads them.

Nothing is kept of them.  To put them together takes no longer than to tell them in words, which is done at
each reading anyway; kept as rows they took nine times what all other read models do.  So they are never
behind the log and never built anew, and what is hidden in a match lies nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from domain.events import Closed, Ruled, Told
from domain.log import Record
from domain.match import Match
from domain.sharing import empty_table
from projections import summary
from projections.plays import Heard, heard, hidden
from projections.summary import Turn


def turns(match: Match, move: int) -> tuple[Turn, ...]:
    """The turns of a match as it stood after `move`.

    While it ran they tell what a spectator was told, and once it was over the truth.  Of an imported match
    nobody here knows the hidden truth, so it is told as to a spectator for ever.

    The match may go on meanwhile, in another thread.
    """
    last = match.records[move - 1].entry
    is_over = isinstance(last, Closed)
    found = summary.summarized(
        match.game,
        empty_table(match.game, match.opened.edition, match.opened.options),
        _heard(match, move, in_full=is_over and not match.imported),
    )
    if not is_over:
        return found
    return summary.closed(found, summary.over(move, last.by, last.result, _reason(match.records[: move - 1])))


def _heard(match: Match, move: int, *, in_full: bool) -> Iterator[Heard]:
    """The plays that stand, and the set-up that came with the last seat."""
    for moves in match.line_to(move):
        for record in match.records[moves.start - 1 : moves.stop - 1]:
            if _brought_facts(record):
                yield heard(match.game, record.leaf, hidden(record.stored) if in_full else b"")


def _brought_facts(record: Record) -> bool:
    return record.only_plays or (isinstance(record.entry, Told) and bool(record.entry.facts))


def _reason(records: Sequence[Record]) -> str:
    """Why a ruling ended the match whose last records these are; empty: it was not ended by one."""
    for record in reversed(records):
        if record.only_plays:
            break
        if isinstance(record.entry, Ruled) and record.entry.back_to is None:
            return record.entry.reason
    return ""
