"""Knock-out: a bracket of seeds, byes for the best, and contests of up to three games.

A seed is a number from 1, the best.  If the better seed always wins, the two best that are left meet as late
as possible, and in each round the sums of the seeds of all meetings are equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec import Struct

from domain.tournaments.crosstable import Colour

LEAST, MOST = 2, 64  # seeds of a bracket
BestOf = Literal[1, 2, 3]
_WIN = 2  # half points of a game
MOST_GAMES: dict[BestOf, int] = {1: 2, 2: 3, 3: 3}


class Meeting(Struct, frozen=True):
    """Two seeds who meet, the better one first; `worse` is None: a bye."""

    better: int
    worse: int | None


class NextGame(Struct, frozen=True):
    """The next game of a contest: its number from 1, and the colour of the better seed.

    `by_bid`: the colours do not settle the sides; the players bid for them, and the one with "w" begins.
    """

    number: int
    colour: Colour
    by_bid: bool = False


class Decided(Struct, frozen=True):
    """A contest is over: did the better seed win?"""

    better_won: bool


class Tied(Struct, frozen=True):
    """All games are played and level: the terms, or an arbiter, decide."""


def first_round(count: int) -> tuple[Meeting, ...]:
    """Return the meetings of the first round, in the order of the bracket; the winners of neighbours meet.

    Raises:
        ValueError: there are fewer than `LEAST` or more than `MOST` seeds.
    """
    if not LEAST <= count <= MOST:
        raise ValueError(f"a bracket has {LEAST} to {MOST} seeds, not {count}")
    seeds = [1]
    while len(seeds) < count:
        seeds = [seed for better in seeds for seed in (better, 2 * len(seeds) + 1 - better)]
    pairs = zip(seeds[::2], seeds[1::2], strict=True)
    return tuple(Meeting(better, worse if worse <= count else None) for better, worse in pairs)


def next_round(winners: Sequence[int]) -> tuple[Meeting, ...]:
    """Return the meetings of the winners of a round, in the order of its meetings; empty: it was the final.

    Raises:
        ValueError: the winners of one round are a power of two.
    """
    if len(winners) < 1 or len(winners) & (len(winners) - 1):
        raise ValueError(f"{len(winners)} winners do not make a round")
    pairs = zip(winners[::2], winners[1::2], strict=False)
    return tuple(Meeting(min(pair), max(pair)) for pair in pairs)


def rounds(count: int) -> int:
    """Return how many rounds a bracket of so many seeds has."""
    return (count - 1).bit_length()


def contest(best_of: BestOf, games: Sequence[int], index: int = 0) -> NextGame | Decided | Tied:
    """Return what follows in a meeting.

    `games`: the half points of the better seed in each game so far.  `index`: the place of the meeting in its
    round (from 0), so that the better seeds do not all begin with the same colour.  The colours alternate.
    Two level games are followed by a third, before which the players bid, and a drawn single game by a
    second one.  A contest ends as soon as the other cannot catch up in the games that it is the best of.
    """
    played = len(games)
    lead = 2 * sum(games) - _WIN * played  # half points by which the better seed is ahead
    if abs(lead) > _WIN * max(best_of - played, 0):
        return Decided(lead > 0)
    if played >= MOST_GAMES[best_of]:
        return Tied()
    colour: Colour = "w" if (played + index) % 2 == 0 else "b"
    return NextGame(played + 1, colour, by_bid=played >= min(best_of, 2))


def final_places(count: int, winners: Sequence[Sequence[int]]) -> tuple[tuple[int, int], ...]:
    """Return place and seed of all; those who lose in the same round share a place.

    `winners`: of each round, in the order of its meetings.

    Raises:
        ValueError: the winners of a round did not meet in it, or the final is missing.
    """
    meetings, found = first_round(count), list[tuple[int, int]]()
    for won in winners:
        found = [(len(won) + 1, seed) for seed in sorted(_losers(meetings, won))] + found
        meetings = next_round(won)
    if meetings:
        raise ValueError("the final is missing")
    return ((1, winners[-1][0]), *found)


def _losers(meetings: Sequence[Meeting], won: Sequence[int]) -> Iterator[int]:
    for meeting, seed in zip(meetings, won, strict=True):
        if seed not in (meeting.better, meeting.worse):
            raise ValueError(f"seed {seed} did not play in this meeting")
        loser = meeting.worse if seed == meeting.better else meeting.better
        if loser is not None:
            yield loser
