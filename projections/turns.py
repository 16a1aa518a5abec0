"""Turn summaries, folded from the log of their match at each reading.

They are not stored.  To fold them takes no longer than to put them in words, which happens at each reading
anyway; as rows they took nine times the space of all other read models.  So they are never behind the log and
never built anew, and the hidden parts of a match are stored in its log alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from msgspec import Raw

from domain.events import BRING_FACTS, Closed, Ruled
from domain.game import Game
from domain.kernel import AnyFact
from domain.log import PLAYED, Record, canonical, codec
from domain.match import Match
from domain.match_base import ALL, Chair
from domain.sharing import empty_table
from projections import summary
from projections.summary import Play, Summary, Turn


def turns(match: Match, move: int) -> tuple[Turn, ...]:
    """Return the turns of a match as it was after `move`, for `usual_viewer`."""
    return summarize(match, move, usual_viewer(match, move)).turns


def usual_viewer(match: Match, move: int) -> Chair | None:
    """Return as whom a match is summarized if nothing else is asked for.

    While the match runs that is a spectator; once it is over, a viewer of everything.  The hidden parts of an
    imported match are not known, so it is always shown as to a spectator.
    """
    is_over = isinstance(match.records[move - 1].entry, Closed)
    return Chair(ALL) if is_over and not match.imported else None


def summarize(match: Match, move: int, viewer: Chair | None) -> Summary:
    """Return the summary of a match as it was after `move`.

    `viewer`: the player who sat down there, who sees each move as the seat that they play after it; ALL;
    None: a spectator.  The caller has judged whether this viewer may see it.

    Another thread may add moves to the match meanwhile.
    """
    last = match.records[move - 1].entry
    found = summary.summarized(
        match.game,
        empty_table(match.game, match.opened.edition, match.opened.options),
        _plays(match, move, None if match.imported else viewer),
    )
    if match.opened.branch is not None:
        found = found.without_points(match.begun)  # they are of another match
    if not isinstance(last, Closed):
        return found
    return found.closed(summary.over(move, last.by, last.result, _reason(match.records[: move - 1])))


def _plays(match: Match, move: int, viewer: Chair | None) -> Iterator[tuple[Play, list[AnyFact]]]:
    """The plays that were not taken back, and the set-up that came with the last seat.

    The facts that come with each are those that change the table: of a player they are a spectator's, because
    a player who exchanged seats has no table that all the facts that they saw would make.
    """
    for moves in match.line_to(move):
        for record in match.records[moves.start - 1 : moves.stop - 1]:
            known = _audiences(match, record, viewer)
            if (found := play(match.game, record, known)) is None:
                continue
            is_private = viewer != ALL and any(audience in record.audiences for audience in known)
            public = play(match.game, record) if is_private else found
            assert public is not None, "what a spectator sees is never less than a play"
            yield found[0], public[1]


def _audiences(match: Match, record: Record, viewer: Chair | None) -> Collection[str]:
    """Those whose private parts of a move this viewer knows."""
    if viewer is None:
        return ()
    return record.audiences if viewer == ALL else (match.seat_of(viewer, record.move),)


def play(game: Game, record: Record, known: Collection[str] = ()) -> tuple[Play, list[AnyFact]] | None:
    """Return the play or set-up of a record and its decoded facts; None if the record brings neither.

    Args:
        known: whose private parts are shown; none: as a spectator sees it.
    """
    leaf = record.leaf_for(known)
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
