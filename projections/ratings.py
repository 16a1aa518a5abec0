"""Ratings: an estimate of the skill of each player of a board, from the matches between people.

Matches count in the order in which they closed in the store.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from msgspec import Struct
from openskill.models import PlackettLuce

from domain.kernel import Seat
from projections.model import Row

_MODEL = PlackettLuce()
_SHOWN_AT_START = 1500.0  # the rating shown for a player without a match
_SHOWN_PER_SKILL = 24.0  # points shown for one unit of the model's skill


class Skill(Struct, frozen=True):
    """The model's estimate of a player: the mean of the skill, and its standard deviation."""

    mu: float
    sigma: float

    @property
    def shown(self) -> int:
        """The rating as it is displayed: a lower bound, three sigma below the mean."""
        rating = _MODEL.rating(mu=self.mu, sigma=self.sigma)
        return round(rating.ordinal(alpha=_SHOWN_PER_SKILL, target=_SHOWN_AT_START))


BEGINNER = Skill(_MODEL.rating().mu, _MODEL.rating().sigma)


class RatingRow(Row, frozen=True, kw_only=True):
    """What one match did to the rating of one player; `closed` is the position of its closing."""

    table: ClassVar[str] = "ratings"
    key: ClassVar[tuple[str, ...]] = ("match", "player")
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (("player", "game", "edition", "closed"),)

    match: str
    player: str
    closed: int
    game: str
    edition: str
    at: int | None
    before: int
    after: int


def rated(before: Mapping[Seat, Skill], winner: Seat | None) -> dict[Seat, Skill]:
    """Return the skill of each seat after a match; without a winner the seats count as equal."""
    teams = [[_MODEL.rating(mu=skill.mu, sigma=skill.sigma)] for skill in before.values()]
    ranks = [1.0 if winner in (None, seat) else 2.0 for seat in before]
    after = _MODEL.rate(teams, ranks=ranks)
    return {seat: Skill(team[0].mu, team[0].sigma) for seat, team in zip(before, after, strict=True)}
