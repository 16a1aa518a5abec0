"""Turn summaries, folded from the log of their match at each reading.

They are not stored.  To fold them takes no longer than to put them in words, which happens at each reading
anyway; as rows they took nine times the space of all other read models.  So they are never behind the log and
never built anew, and the hidden parts of a match are stored in its log alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Raw

from domain.events import BRING_FACTS, Closed, Ruled
from domain.game import Game
from domain.kernel import AnyFact
from domain.log import PLAYED, Record, canonical, codec
from domain.match import Match
from domain.sharing import empty_table
from projections import summary
from projections.summary import Play, Turn


def turns(match: Match, move: int) -> tuple[Turn, ...]:
    """Return the turns of a match as it was after `move`.

    While the match runs they show what a spectator may see, and once it is over everything.  The hidden parts
    of an imported match are not known, so it is always shown as to a spectator.

    Another thread may add moves to the match meanwhile.
    """
    last = match.records[move - 1].entry
    is_over = isinstance(last, Closed)
    found = summary.summarized(
        match.game,
        empty_table(match.game, match.opened.edition, match.opened.options),
        _plays(match, move, in_full=is_over and not match.imported),
    )
    if not is_over:
        return found
    return summary.closed(found, summary.over(move, last.by, last.result, _reason(match.records[: move - 1])))


def _plays(match: Match, move: int, *, in_full: bool) -> Iterator[tuple[Play, list[AnyFact]]]:
    """The plays that were not taken back, and the set-up that came with the last seat."""
    for moves in match.line_to(move):
        for record in match.records[moves.start - 1 : moves.stop - 1]:
            if (found := play(match.game, record, in_full=in_full)) is not None:
                yield found


def play(game: Game, record: Record, *, in_full: bool) -> tuple[Play, list[AnyFact]] | None:
    """Return the play or set-up of a record and its decoded facts; None if the record brings neither.

    Args:
        in_full: with all hidden parts; else as a spectator sees it.
    """
    leaf = record.leaf_for(record.audiences if in_full else ())
    if leaf.kind not in BRING_FACTS or not (leaf.facts or leaf.kind == PLAYED):
        return None
    facts = [codec(game).fact(raw) for raw in leaf.facts]
    # The sentences for facts know only today's tags.
    raws = tuple([Raw(canonical(fact)) for fact in facts]) if game.upcasters else leaf.facts
    if leaf.kind != PLAYED:
        return Play(leaf.move, raws), facts
    return Play(leaf.move, raws, leaf.seat, leaf.ask, leaf.picks), facts


def _reason(records: Sequence[Record]) -> str:
    """The reason of the ruling that ended the match with these last records; empty if no ruling did."""
    for record in reversed(records):
        if record.kind == PLAYED:
            break
        if isinstance(record.entry, Ruled) and record.entry.back_to is None:
            return record.entry.reason
    return ""
