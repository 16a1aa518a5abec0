"""The result of a match if it were scored as it stands: for an official who adjudicates it.

The final scoring of the game is folded on a copy of the table that a spectator sees, so it names nothing that
is hidden.  A game without a final scoring is compared by its score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from domain.imperial_struggle.steps.scoring import FinalScoring as ImperialScoring
from domain.kernel import AnyFact, Seat, begin
from domain.match import Match
from domain.twilight_struggle.steps.flow import FinalScoring as TwilightScoring
from replay.positions import table_at
from replay.words import Words

_STEPS: dict[str, Callable[[], Any]] = {
    "imperial_struggle": ImperialScoring,
    "twilight_struggle": TwilightScoring,
}


class Scored(Struct, frozen=True):
    """The result after a move as the rules score it, with the working: a sentence for each step.

    `winner`: a seat, None: a draw.
    """

    move: int
    winner: Seat | None
    score: dict[Seat, int]
    working: tuple[str, ...]


def scored_now(match: Match, words: Words) -> Scored:
    """Return the result of a match if it were scored after its latest move; the match stays as it is."""
    table = table_at(match, match.move, None)
    step = _STEPS.get(match.game.name)
    if step is None:
        score = match.game.score(table)
        return Scored(match.move, _first(score), score, ())
    decided = begin(replace(table, agenda=()), [step()])
    result = decided.table.result
    assert result is not None, "final scoring ends a match"
    return Scored(match.move, result.winner, dict(result.score), tuple(_sentences(decided.facts, words)))


def _sentences(facts: Iterable[AnyFact], words: Words) -> Iterable[str]:
    return (words.fact(fact).text for fact in facts)


def _first(score: dict[Seat, int]) -> Seat | None:
    """The seat with the highest score; None if two have it."""
    best = [seat for seat, points in score.items() if points == max(score.values())]
    return best[0] if len(best) == 1 else None
