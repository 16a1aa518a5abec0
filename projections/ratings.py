"""Ratings: an estimate of the skill of each player of a board, from the matches between people.

Matches count in the order in which they closed in the store.  A ruling of a tournament on a match that is
over changes what it counts as: it is rated again, and so is each later match whose players came to it with
another rating.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace
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


class RatedMatch(Row, frozen=True, kw_only=True):
    """A match that is rated, from which ratings can be computed again.

    `winner`: as it counts now, None: drawn.  `counts`: no ruling took the result away.  `before`: the skill
    with which each seat came to it.  `changed`: the position of the last record after its closing that
    changed a rating of it, before or after, and `changed_at` the time of that; None: none did.
    """

    table: ClassVar[str] = "rated_matches"
    key: ClassVar[tuple[str, ...]] = ("game", "edition", "closed")
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (("match",), ("changed", "closed"))

    game: str
    edition: str
    closed: int
    match: str
    at: int | None
    players: dict[Seat, str]
    winner: Seat | None
    counts: bool = True
    before: dict[Seat, Skill]
    changed: int | None = None
    changed_at: int | None = None

    @property
    def after(self) -> dict[Seat, Skill]:
        """The skill of each seat after it."""
        return rated(self.before, self.winner) if self.counts else self.before

    def lines(self) -> Iterator[RatingRow]:
        """What it did to the rating of each player."""
        for seat, skill in self.after.items():
            yield RatingRow(
                match=self.match,
                player=self.players[seat],
                closed=self.closed,
                game=self.game,
                edition=self.edition,
                at=self.at,
                before=self.before[seat].shown,
                after=skill.shown,
            )


class RatedAs(Struct, frozen=True):
    """How a match would count: who plays each seat, who has won (None: drawn), and does it count at all?"""

    match: str
    game: str
    edition: str
    players: dict[Seat, str]
    winner: Seat | None
    counts: bool = True


class RatingChange(Struct, frozen=True):
    """The rating of a player on the board of a game and edition, now and then."""

    player: str
    before: int
    after: int


def rated_again(
    changed: RatedMatch, later: Iterable[RatedMatch]
) -> tuple[list[RatedMatch], dict[str, Skill]]:
    """Return the matches that come out otherwise, and the skills that their players then have.

    Args:
        changed: a match that counts otherwise now.
        later: the matches of its game and edition that closed after it, in that order.
    """
    skills = dict(zip(changed.players.values(), changed.after.values(), strict=True))
    again = [changed]
    for one in later:
        before = {seat: skills.get(player, one.before[seat]) for seat, player in one.players.items()}
        if before == one.before:
            for player in one.players.values():
                skills.pop(player, None)
            continue
        again.append(replace(one, before=before))
        skills |= dict(zip(one.players.values(), again[-1].after.values(), strict=True))
    return again, skills


def rated(before: Mapping[Seat, Skill], winner: Seat | None) -> dict[Seat, Skill]:
    """Return the skill of each seat after a match; without a winner the seats count as equal."""
    teams = [[_MODEL.rating(mu=skill.mu, sigma=skill.sigma)] for skill in before.values()]
    ranks = [1.0 if winner in (None, seat) else 2.0 for seat in before]
    after = _MODEL.rate(teams, ranks=ranks)
    return {seat: Skill(team[0].mu, team[0].sigma) for seat, team in zip(before, after, strict=True)}
