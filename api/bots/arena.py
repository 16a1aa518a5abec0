"""Matches of levels against one another, for measuring how strong they are.

Every pair of levels plays each seed twice, with the seats changed and the same secret, so that both get the
same dice and deals as far as they go.  A match follows from its game, its levels and its seed alone; so the
order of the matches, and the processes that play them, change nothing.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import sqrt

from msgspec import Struct

from api.bots.agent_bot import observation_of
from api.bots.levels import act, agent_of
from api.settings import product
from domain.chance import Secret
from domain.drafts import Context, Draft
from domain.events import Played
from domain.games import GAMES
from domain.kernel import Seat
from domain.match import Match, open_match

LEVEL_OF_CONFIDENCE = 1.959964  # standard deviations: 95 %


class Pairing(Struct, frozen=True):
    """One match to be played: the level on each seat, in the order of the game's seats."""

    game: str
    bots: tuple[str, str]
    seed: str


class Outcome(Struct, frozen=True):
    """How a match of the arena went, by level: `winner` "" is a draw.

    `seconds` of each decision, by the clock; `processor`: the processor's seconds of each action, which is
    all answers of a side in a row; `agents`: what played for each level (`agent_of`).
    """

    pairing: Pairing
    winner: Seat
    reason: str
    answers: int
    root: str
    seconds: dict[str, tuple[float, ...]] = {}
    processor: dict[str, tuple[float, ...]] = {}
    agents: dict[str, str] = {}


class Spent:
    """The time that each level needs in one match, in seconds."""

    def __init__(self, levels: Sequence[str]) -> None:
        self.seconds: dict[str, list[float]] = {level: [] for level in levels}
        self.processor: dict[str, list[float]] = {level: [] for level in levels}
        self._last: Seat = ""

    def add(self, level: str, seat: Seat, seconds: float, processor: float) -> None:
        """Count a decision; it belongs to the action before it if the same seat answers again."""
        self.seconds[level].append(seconds)
        actions = self.processor[level]
        if seat == self._last:
            actions[-1] += processor
        else:
            actions.append(processor)
        self._last = seat


def pairings(game: str, bots: Sequence[str], matches: int, seed: str) -> Iterator[Pairing]:
    """The matches of every two levels: so many for each pair, half of them with the seats changed.

    Args:
        matches: of each pair; one more where it is odd.
    """
    for first, second in combinations(dict.fromkeys(bots), 2):
        for number in range((matches + 1) // 2):
            yield Pairing(game, (first, second), f"{seed}/{number}")
            yield Pairing(game, (second, first), f"{seed}/{number}")


def match_of(pairing: Pairing) -> tuple[Match, Spent]:
    """Play one match to its end; with it, the time that was spent."""
    game = GAMES[pairing.game]
    digest = hashlib.sha256(f"glasnost arena {pairing.game} {pairing.seed}".encode()).digest()
    name = f"arena-{digest.hex()[:24]}"  # it enters every draw, so both matches of a seed have the same
    context = Context(Secret(digest, name), None, product())
    opening = open_match(context, game, *game.settle(None, {}), match=name, origin="seeded", opener=None)
    match = Match.project(None, opening.records)
    assert match is not None, "a match that was opened has a record"
    for seat, level in zip(game.seats, pairing.bots, strict=True):
        match.add(_sat(match, context, seat, level))
    return match, _played(match, context, pairing)


def _sat(match: Match, context: Context, seat: Seat, level: str) -> Draft:
    agent = agent_of(level, match.game.name)
    return match.sit(context, seat, f"bot:{level}", salt=None, bot=level, source=None, agent=agent)


def _played(match: Match, context: Context, pairing: Pairing) -> Spent:
    """Play on to the end; the n-th answer follows from the seed and n."""
    spent, answered = Spent(pairing.bots), 0
    while match.status == "running":
        assert match.asked is not None, "a running match asks"
        seat = next(iter(match.asked.seats))
        chair = match.chair_of(seat)
        level = pairing.bots[match.game.seats.index(chair)]
        observation, answered = observation_of(match, seat), answered + 1
        began, used = time.perf_counter(), time.process_time()
        picks = act(level, observation, random.Random(f"{pairing.seed}/{answered}"))
        spent.add(level, chair, time.perf_counter() - began, time.process_time() - used)
        match.add(match.play(context, seat, [picks]))
    return spent


def outcome_of(pairing: Pairing) -> Outcome:
    """Play one match, and say how it went."""
    match, spent = match_of(pairing)
    result = match.result
    assert result is not None, "a match that bots played has a result"
    answers = sum(isinstance(record.entry, Played) for record in match.records)
    winner = match.chair_of(result.winner) if result.winner else ""
    root = match.root_at(match.move).hex()
    times = _rounded(spent.seconds), _rounded(spent.processor)
    return Outcome(pairing, winner, result.reason, answers, root, *times, agents_of(pairing))


def agents_of(pairing: Pairing) -> dict[str, str]:
    """What plays for each level of a match, as the code is now."""
    return {level: agent_of(level, pairing.game) for level in pairing.bots}


def _rounded(times: dict[str, list[float]]) -> dict[str, tuple[float, ...]]:
    return {level: tuple(round(one, 6) for one in found) for level, found in times.items()}


def wilson(points: float, matches: int) -> tuple[float, float]:
    """The Wilson interval of a share at 95 %; a draw counts half a point."""
    if not matches:
        return 0.0, 1.0
    share, z = points / matches, LEVEL_OF_CONFIDENCE
    scale = 1 + z * z / matches
    middle = (share + z * z / (2 * matches)) / scale
    half = z * sqrt(share * (1 - share) / matches + z * z / (4 * matches * matches)) / scale
    return max(0.0, middle - half), min(1.0, middle + half)


class Standing(Struct):
    """What a level reached against another one, on one seat or (seat "") on both.

    `points`: a win is one, a draw a half; `endings`: how often a match was won, drawn or lost for a reason.
    """

    level: str
    against: str
    seat: Seat
    matches: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    endings: dict[str, int] = {}

    @property
    def points(self) -> float:
        """Wins, and half of the draws."""
        return self.wins + self.draws / 2

    @property
    def interval(self) -> tuple[float, float]:
        """Its share of the points lies in this Wilson interval at 95 %."""
        return wilson(self.points, self.matches)

    def add(self, outcome: Outcome, seat: Seat) -> None:
        """Count a match that the level played on this seat."""
        result = "drawn" if not outcome.winner else "won" if outcome.winner == seat else "lost"
        self.matches += 1
        self.wins += result == "won"
        self.draws += result == "drawn"
        self.losses += result == "lost"
        ending = f"{result}: {outcome.reason}"
        self.endings[ending] = self.endings.get(ending, 0) + 1


def standings(outcomes: Sequence[Outcome], bots: Sequence[str]) -> list[Standing]:
    """For each two levels, the first against the second: on both seats, then on each."""
    found: list[Standing] = []
    for level, against in combinations(dict.fromkeys(bots), 2):
        own = [outcome for outcome in outcomes if set(outcome.pairing.bots) == {level, against}]
        if own:
            found += _of_pair(own, level, against)
    return found


def _of_pair(outcomes: Sequence[Outcome], level: str, against: str) -> list[Standing]:
    seats = GAMES[outcomes[0].pairing.game].seats
    total = Standing(level, against, "", endings={})
    by_seat = {seat: Standing(level, against, seat, endings={}) for seat in seats}
    for outcome in sorted(outcomes, key=lambda outcome: (outcome.pairing.seed, outcome.pairing.bots)):
        seat = seats[outcome.pairing.bots.index(level)]
        total.add(outcome, seat)
        by_seat[seat].add(outcome, seat)
    return [total, *by_seat.values()]
