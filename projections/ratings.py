"""Ratings: how good the players of a board are believed to be, by the matches between people.

Matches count in the order of their positions.  Where there are several logs, one may come late: when others
that count after it are known already.  Then these are rated again, as far as they concern its players, or
whoever met them since.  So the rows depend on the matches alone, and never on the order in which they came.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace
from openskill.models import PlackettLuce

from domain.kernel import Seat
from projections.model import Change, Row, Rows

_MODEL = PlackettLuce()
_SHOWN_AT_START = 1500.0  # the rating shown for a player without a match
_SHOWN_PER_SKILL = 24.0  # points shown for one unit of the model's skill


class Skill(Struct, frozen=True):
    """What the model believes of a player: the mean of his skill, and how unsure it is."""

    mu: float
    sigma: float

    @property
    def shown(self) -> int:
        """The rating as people read it: what the player is at least worth, three sigma below the mean."""
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
    """A match that was rated; `before`: the skills that the players had in it."""

    table: ClassVar[str] = "rated_matches"
    key: ClassVar[tuple[str, ...]] = ("game", "edition", "closed", "match")
    private: ClassVar[bool] = True

    game: str
    edition: str
    closed: int
    match: str
    at: int | None
    players: dict[Seat, str]
    winner: Seat | None
    before: dict[Seat, Skill] = {}


class LatestRow(Row, frozen=True, kw_only=True):
    """Which match of a player counts last."""

    table: ClassVar[str] = "rated_latest"
    key: ClassVar[tuple[str, ...]] = ("game", "edition", "player")
    private: ClassVar[bool] = True

    game: str
    edition: str
    player: str
    closed: int
    match: str


def rated(before: Mapping[Seat, Skill], winner: Seat | None) -> dict[Seat, Skill]:
    """The skill of each seat after a match; all are equal where nobody won."""
    teams = [[_MODEL.rating(mu=skill.mu, sigma=skill.sigma)] for skill in before.values()]
    ranks = [1.0 if winner in (None, seat) else 2.0 for seat in before]
    after = _MODEL.rate(teams, ranks=ranks)
    return {seat: Skill(team[0].mu, team[0].sigma) for seat, team in zip(before, after, strict=True)}


class Ratings:
    """What one more match does to the ratings of its board.

    Args:
        rows: the rows before it.
        match: the match, without the skills.
        skills: what was believed of its players by all matches that were known so far.
    """

    def __init__(self, rows: Rows, match: RatedMatch, skills: Mapping[str, Skill]) -> None:
        self._rows, self._match = rows, match
        self._later = self._after_it() if self._is_late() else []
        self.skills = {player: self._before(player, skill) for player, skill in skills.items()}

    def changes(self) -> Iterator[Change]:
        """The rows that change; afterwards `skills` holds what is believed of everybody concerned."""
        yield from self._rate(self._match)
        for match in self._later:
            if self.skills.keys() & set(match.players.values()):
                yield from self._rate(match)
        yield from self._latest()

    def _is_late(self) -> bool:
        return any(
            (known.closed, known.match) > (self._match.closed, self._match.match)
            for known in map(self._known, self._match.players.values())
            if known
        )

    def _known(self, player: str) -> LatestRow | None:
        return self._rows.get(LatestRow, self._match.game, self._match.edition, player)

    def _after_it(self) -> list[RatedMatch]:
        board = (self._match.game, self._match.edition)
        return self._rows.beyond(RatedMatch, board, self._match.closed, self._match.match)

    def _before(self, player: str, latest: Skill) -> Skill:
        """The skill of a player before this match: that before his next one, if he has played one."""
        following = (
            skill
            for match in self._later
            for seat, skill in match.before.items()
            if match.players[seat] == player
        )
        return next(following, latest)

    def _rate(self, match: RatedMatch) -> Iterator[Change]:
        before = {
            seat: self.skills[player] if player in self.skills else match.before[seat]
            for seat, player in match.players.items()
        }
        after = rated(before, match.winner)
        yield replace(match, before=before)
        for seat, player in match.players.items():
            self.skills[player] = after[seat]
            yield RatingRow(
                match=match.match,
                player=player,
                closed=match.closed,
                game=match.game,
                edition=match.edition,
                at=match.at,
                before=before[seat].shown,
                after=after[seat].shown,
            )

    def _latest(self) -> Iterator[Change]:
        match = self._match
        for player in match.players.values():
            known = self._known(player)
            if known is None or (known.closed, known.match) < (match.closed, match.match):
                yield LatestRow(
                    game=match.game,
                    edition=match.edition,
                    player=player,
                    closed=match.closed,
                    match=match.match,
                )
