"""The bracket of a knock-out as it stands: who meets whom, which games they played, and who goes on.

A bracket is computed from the seeds, the games and what was written down of those who went on: that stays,
whatever a corrected result would say now.  A game in which no side scored counts as a level one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from domain.tournaments.crosstable import Colour
from domain.tournaments.formats.knockout import (
    BestOf,
    Decided,
    NextGame,
    contest,
    first_round,
    next_round,
)

NO_ENTRANT = ""
By = Literal["", "bye", "games", "walkover", "entry"]
Slot = tuple[int, int]
"""A contest: the round of the bracket, from 1, and the place in it, from 0."""
_HALVES = {"1-0": (2, 0), "+-": (2, 0), "0-1": (0, 2), "-+": (0, 2)}


class Game(Struct, frozen=True):
    """A board of a round of the tournament; `w` had the first colour, `result` is "" while there is none."""

    round: int
    w: str
    b: str
    result: str


class Gone(Struct, frozen=True):
    """Who went on from a contest, as an entry says; `round` of the tournament is the first one after it."""

    entrant: str
    round: int


class Contest(Struct, frozen=True):
    """A contest of two entrants (`NO_ENTRANT`: the place stays empty), the better seed first.

    games: in their order.  winner: who goes on, and by what; `NO_ENTRANT` and "" while that is open.
    follows: the next game.  pending: a game has no result yet.  tied: all games are played, and level.
    """

    round: int
    index: int
    better: str
    worse: str
    games: tuple[Game, ...] = ()
    winner: str = NO_ENTRANT
    by: By = ""
    follows: NextGame | None = None
    pending: bool = False
    tied: bool = False

    @property
    def entrants(self) -> tuple[str, ...]:
        """Those who meet; one of a bye."""
        return tuple(name for name in (self.better, self.worse) if name)

    @property
    def loser(self) -> str:
        """Who is out; `NO_ENTRANT` while that is open."""
        others = [name for name in self.entrants if name != self.winner]
        return others[0] if self.by and others else NO_ENTRANT


class Bracket(Struct, frozen=True):
    """The contests of each round whose sides are known."""

    rounds: tuple[tuple[Contest, ...], ...]

    @property
    def current(self) -> tuple[Contest, ...]:
        """The first round with an open contest; empty: the final is decided."""
        return next((one for one in self.rounds if not all(each.by for each in one)), ())

    @property
    def champion(self) -> str:
        """The winner of the final; `NO_ENTRANT` while it is open."""
        last = self.rounds[-1]
        return last[0].winner if len(last) == 1 else NO_ENTRANT

    def contest_of(self, entrant: str) -> Contest | None:
        """The latest contest of an entrant."""
        found = [one for had in self.rounds for one in had if entrant in one.entrants]
        return found[-1] if found else None


def bracket(
    seeds: Sequence[str],
    games: Sequence[Game],
    gone: Mapping[Slot, Gone],
    is_away: Callable[[str], bool],
    best_of: BestOf,
) -> Bracket:
    """Return the bracket.

    Args:
        seeds: the entrants, the best first.
        games: of all rounds, in their order.
        gone: what entries say of those who went on.
        is_away: does an entrant play no more?

    Raises:
        ValueError: see `first_round`.
    """
    order = {name: place for place, name in enumerate(seeds)}
    meetings = [
        (seeds[one.better - 1], seeds[one.worse - 1] if one.worse else NO_ENTRANT)
        for one in first_round(len(seeds))
    ]
    found: list[tuple[Contest, ...]] = []
    first = 1
    while meetings:
        number = len(found) + 1
        slots = [gone.get((number, index)) for index in range(len(meetings))]
        after = max(one.round for one in slots if one) if all(slots) else None
        mine = [one for one in games if first <= one.round and (after is None or one.round < after)]
        contests = tuple(
            _contest(number, index, pair, mine, slots[index], is_away, best_of)
            for index, pair in enumerate(meetings)
        )
        found.append(contests)
        if not all(one.by for one in contests):
            break
        first = after if after is not None else max((one.round for one in games), default=0) + 1
        meetings = list(_next([one.winner for one in contests], order))
    return Bracket(tuple(found))


def _next(winners: Sequence[str], order: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """The meetings of the next round, the better seed first."""
    for one in next_round(range(1, len(winners) + 1)):
        pair = [winners[one.better - 1], winners[(one.worse or 1) - 1]]
        better, worse = sorted(pair, key=lambda name: order.get(name, len(order)))
        yield better, worse


def _contest(
    number: int,
    index: int,
    pair: tuple[str, str],
    games: Sequence[Game],
    gone: Gone | None,
    is_away: Callable[[str], bool],
    best_of: BestOf,
) -> Contest:
    better, worse = pair
    had = tuple(one for one in games if {one.w, one.b} == set(pair))
    base = Contest(number, index, better, worse, had)
    if gone is not None:
        return _won(base, gone.entrant, "bye" if not (better and worse) else "entry")
    if not better or not worse:
        return _won(base, better or worse, "bye")
    if any(not one.result for one in had):
        return Contest(number, index, better, worse, had, pending=True)
    follows = contest(best_of, [_halves(one, better) for one in had], index)
    if isinstance(follows, Decided):
        return _won(base, better if follows.better_won else worse, "games")
    here = [name for name in pair if not is_away(name)]
    if len(here) < len(pair):
        return _won(base, here[0] if here else NO_ENTRANT, "walkover")
    if isinstance(follows, NextGame):
        return Contest(number, index, better, worse, had, follows=follows)
    return Contest(number, index, better, worse, had, tied=True)


def _won(base: Contest, winner: str, by: By) -> Contest:
    return Contest(base.round, base.index, base.better, base.worse, base.games, winner, by)


def _halves(game: Game, better: str) -> int:
    """The half points of the better seed."""
    w, b = _HALVES.get(game.result, (1, 1))
    return w if game.w == better else b


def colours(follows: NextGame, better: str, worse: str) -> tuple[str, str]:
    """Return who has the first colour of the next game, and who the other."""
    first: Colour = follows.colour
    return (better, worse) if first == "w" else (worse, better)
