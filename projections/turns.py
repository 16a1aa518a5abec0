"""Turn summaries, folded from the log of their match whenever somebody reads them.

Nothing is kept of them.  To put them together takes no longer than to tell them in words, which is done at
each reading anyway; kept as rows they took nine times what all other read models do.  So they are never
behind the log and never built anew, and what is hidden in a match lies nowhere else.
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
        _plays(match, move, in_full=is_over and not match.imported),
    )
    if not is_over:
        return found
    return summary.closed(found, summary.over(move, last.by, last.result, _reason(match.records[: move - 1])))


def _plays(match: Match, move: int, *, in_full: bool) -> Iterator[tuple[Play, list[AnyFact]]]:
    """The plays that stand, and the set-up that came with the last seat."""
    for moves in match.line_to(move):
        for record in match.records[moves.start - 1 : moves.stop - 1]:
            if (found := play(match.game, record, in_full=in_full)) is not None:
                yield found


def play(game: Game, record: Record, *, in_full: bool) -> tuple[Play, list[AnyFact]] | None:
    """A play, or what a seat or a salt set up, and its facts decoded; None of a record that brings nothing.

    Args:
        in_full: as it was; else as a spectator was told it.
    """
    leaf = record.leaf_for(record.audiences if in_full else ())
    if leaf.kind not in BRING_FACTS or not (leaf.facts or leaf.kind == PLAYED):
        return None
    facts = [codec(game).fact(raw) for raw in leaf.facts]
    # The words for facts know today's tags only.
    raws = tuple([Raw(canonical(fact)) for fact in facts]) if game.upcasters else leaf.facts
    if leaf.kind != PLAYED:
        return Play(leaf.move, raws), facts
    return Play(leaf.move, raws, leaf.seat, leaf.ask, leaf.picks), facts


def _reason(records: Sequence[Record]) -> str:
    """Why a ruling ended the match whose last records these are; empty: it was not ended by one."""
    for record in reversed(records):
        if record.kind == PLAYED:
            break
        if isinstance(record.entry, Ruled) and record.entry.back_to is None:
            return record.entry.reason
    return ""
