"""Luck with dice: what the throws of a match brought, less what they bring on average.

What a throw could bring is what the rules make of every throw at that move, on the table that the stored
facts give.  The luck of all throws together is 0 whatever an outcome is taken to be worth (`replay.luck`).
Here it is worth points (a point of influence as a victory point) and, where there is a model, the win
probability of the position behind it.  Only dice count: not which cards were dealt.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import erfc, fsum, sqrt
from statistics import fmean, stdev
from typing import Any, cast

import msgspec
from msgspec import Struct

from domain.games import GAMES
from domain.kernel import Chance, Refused, Seat
from domain.log import codec
from domain.sharing import empty_table
from domain.twilight_struggle.state import State
from replay import luck as odds
from replay.dataset.model import Model, model_of
from replay.dataset.queries import COMMON, LEAST_OF_MEAN, Z, bind, matches_of, statement_of
from replay.dataset.rates import holm
from replay.dataset.reading import DataSet, OneMatch, RowOf
from replay.tables.twilight_struggle.throws import is_throw, throws, values
from replay.tables.twilight_struggle.walk import At

GAME = "twilight_struggle"  # the one game with dice
Place = tuple[int, int]
"""The move of a fact, and its place in it."""


class Thrown(Struct, frozen=True):
    """The luck of one throw, from the side of `seat`, which threw.

    points: in points; None for the throw to leave a trap, and if today's rules cannot carry the throw out.
    win: as a change of the win probability of `seat`; None without a model, and as for `points`.
    ways, of: how many of the possible throws succeed.
    """

    move: int
    place: int
    turn: int
    seat: Seat
    kind: str
    country: str | None
    success: bool
    ways: int | None
    of: int | None
    points: float | None
    win: float | None


class Luck(Struct, frozen=True):
    """The luck of a side with one kind of throw: `n` throws, and the sums of those that have a value.

    n_points, n_win: how many throws have one.
    """

    seat: Seat
    kind: str
    n: int
    points: float
    n_points: int
    win: float | None
    n_win: int


def luck(match: OneMatch, *, pool: str = "") -> tuple[Luck, ...]:
    """The luck of both sides of a match by kind of throw, in the order of the game's seats and of the kinds.

    Args:
        pool: the pool of whose matches the model of win probability is made; "" is that of the match.

    Raises:
        Refused: not-found: the game has no dice; forbidden: the match runs.
        ImportError: the extra `analysis` is not installed.
    """
    groups: dict[tuple[Seat, str], list[Thrown]] = {}
    for one in thrown(match, pool=pool):
        groups.setdefault((one.seat, one.kind), []).append(one)
    seats = GAMES[GAME].seats
    return tuple(
        _sum(seat, kind, groups[seat, kind])
        for seat, kind in sorted(groups, key=lambda key: (seats.index(key[0]), key[1]))
    )


def _sum(seat: Seat, kind: str, some: Sequence[Thrown]) -> Luck:
    points = [one.points for one in some if one.points is not None]
    win = [one.win for one in some if one.win is not None]
    return Luck(seat, kind, len(some), fsum(points), len(points), fsum(win) if win else None, len(win))


def thrown(match: OneMatch, *, pool: str = "") -> tuple[Thrown, ...]:
    """The luck of every throw of a match, in order.  Raises: see `luck`."""
    if match.row.game != GAME:
        raise Refused("not-found", "no-dice", {"game": match.row.game})
    found = model_of(match, pool=pool)
    rolls = {(row.move, row.place): row for row in match.rows("ts_rolls")}
    win = dict(_win_lucks(match, found, rolls)) if isinstance(found, Model) else {}
    return tuple(_thrown(rolls[place], win.get(place)) for place in sorted(rolls))


def _thrown(row: RowOf, win: float | None) -> Thrown:
    return Thrown(
        row.move,
        row.place,
        row.turn,
        row.seat,
        row.kind,
        row.country,
        row.success,
        row.ways,
        row.of,
        row.luck_vp,
        None if row.kind == "trap" else win,
    )


def _win_lucks(match: OneMatch, model: Model, rolls: Mapping[Place, RowOf]) -> Iterator[tuple[Place, float]]:
    """The luck of throws in win probability of the side that threw; rows of `ts_rolls` name them."""
    for at in folded(match, {place: row.card for place, row in rolls.items()}):
        row = rolls.get((at.move, at.place))
        value = win_luck(at, row.seat, model) if row is not None and is_throw(at.fact) else None
        if value is not None:
            yield (at.move, at.place), value


def win_luck(at: At, seat: Seat, model: Model) -> float | None:
    """The luck of a throw as a change of the win probability of a side; None if the rules cannot say it."""
    found = throws(at)
    if not found:
        return None
    worth = [_worth(throw.table, seat, model) for throw in found]
    chances = [Chance(1, len(found), {"throw": place}) for place in range(len(found))]
    happened = next(place for place, throw in enumerate(found) if throw.happened)
    return odds.luck(lambda outcome: worth[outcome["throw"]], {"throw": happened}, chances)


def _worth(s: State, seat: Seat, model: Model) -> float:
    """The win probability of a side on a table; of one on which the game has ended, who won."""
    if s.result is not None:
        return 0.5 if s.result.winner is None else float(s.result.winner == seat)
    first = model.at(values(s))
    return first if seat == model.side else 1 - first


_FACTS = """
SELECT f.move, f.place, f.fact, f.fields FROM facts f JOIN moves v ON v.match = f.match AND v.move = f.move
WHERE f.match = $match AND v.stands ORDER BY f.move, f.place
"""


def folded(match: OneMatch, cards: Mapping[Place, str | None]) -> Iterator[At]:
    """The facts of a match of Twilight Struggle that stand, with the tables around each, from table `facts`.

    Args:
        cards: the card of those facts whose card is known, by move and place.

    Raises:
        msgspec.DecodeError: a fact has a form that is no longer known.
    """
    game, row = GAMES[GAME], match.row
    read = codec(game).fact
    s = cast(State, empty_table(game, row.edition, msgspec.json.decode(row.options)))
    moves: dict[int, list[Any]] = {}
    found = match.data.fetch(_FACTS, {"match": match.id})
    for move, _, name, fields in found:
        tagged = {"fact": name} | msgspec.json.decode(fields)
        moves.setdefault(move, []).append(read(msgspec.json.encode(tagged)))
    for move, facts in moves.items():
        previous, earlier = None, s
        for place, fact in enumerate(facts):
            before, s = s, fact.apply(s)
            card = cards.get((move, place))
            yield At(
                move, place, fact, before, s, previous, earlier, tuple(facts[place + 1 :]), card, "", None
            )
            previous, earlier = fact, before


# ── of a player ──


class Throws(Struct, frozen=True):
    """The luck of `n` throws: its sum, the mean of one, and the interval of the mean, of 95 %.

    lo, hi: None with fewer than 30 throws.
    """

    n: int
    sum: float
    mean: float | None
    lo: float | None
    hi: float | None


class PlayerLuck(Struct, frozen=True):
    """The luck of a player with a side, `seat`, and that of the opponents in the same matches.

    matches: how many matches; with_model: for how many of them there is a win probability.
    points_own, points_opponents: in points; throws to leave a trap have none.
    win_own, win_opponents: as a change of the win probability of the side that threw; None without a model.
    """

    seat: Seat
    matches: int
    with_model: int
    points_own: Throws
    points_opponents: Throws
    win_own: Throws | None
    win_opponents: Throws | None


def luck_of_player(data: DataSet, player: str, *, pool: str = "live") -> tuple[PlayerLuck, ...]:
    """The luck of a player and of the opponents, by the side of the player, in the order of the game's seats.

    Every match is folded, which takes some tens of milliseconds, if its pool and edition have a model.

    Args:
        player: the id of the player; of a bot, bot: and its name.
        pool: one pool, several with commas between them, or * for all.

    Raises:
        Refused: invalid: there is no such pool; forbidden: the data set is of matches that run.
        ImportError: the extra `analysis` is not installed.
    """
    if data.manifest.settings.running:
        raise Refused("forbidden", "match-runs")
    statement = statement_of(_OF_PLAYER.format(m=matches_of()), bind(GAME, {"pool": pool}, COMMON))
    matches: dict[Seat, list[str]] = {seat: [] for seat in GAMES[GAME].seats}
    for match, seat in data.fetch(statement.sql, {**statement.values, "player": player}):
        matches[seat].append(match)
    return tuple(_luck_with(data, seat, some) for seat, some in matches.items() if some)


_OF_PLAYER = """
WITH {m}
SELECT m.match, s.seat FROM m JOIN seats s USING (match) WHERE s.player = $player ORDER BY m.match, s.seat
"""


def _luck_with(data: DataSet, seat: Seat, matches: Sequence[str]) -> PlayerLuck:
    every, with_model = list[Thrown](), 0
    for match in (data.match(name) for name in matches):
        with_model += isinstance(model_of(match), Model)
        every += thrown(match)
    own = [one for one in every if one.seat == seat]
    others = [one for one in every if one.seat != seat]
    points = [_throws([one.points for one in some]) for some in (own, others)]
    win = [_throws([one.win for one in some]) if with_model else None for some in (own, others)]
    return PlayerLuck(seat, len(matches), with_model, *points, *win)


def _throws(lucks: Sequence[float | None]) -> Throws:
    """The sum and the mean of those that have a value."""
    known = [luck for luck in lucks if luck is not None]
    mean = fmean(known) if known else None
    if mean is None or len(known) < LEAST_OF_MEAN:
        return Throws(len(known), fsum(known), mean, None, None)
    half = Z * stdev(known) / sqrt(len(known))
    return Throws(len(known), fsum(known), mean, mean - half, mean + half)


# ── of many matches ──


class Fairness(Struct, frozen=True):
    """The mean luck of many throws of one kind, which is 0 for fair dice.

    kind: `all` for the throws of every kind, each divided by how much luck varies in its kind.
    mean, error: the mean luck of a throw, and its standard error.
    p: the p value that such a mean comes of fair dice; adjusted for all kinds together (Holm).
    """

    kind: str
    n: int
    mean: float
    error: float
    p: float


def fairness(data: DataSet, *, pool: str = "live") -> tuple[Fairness, ...]:
    """Are the dice fair? The mean luck in points over all matches of a pool, by kind of throw and for all.

    Args:
        pool: one pool, several with commas between them, or * for all.

    Raises:
        Refused: invalid: there is no such pool.
        ImportError: the extra `analysis` is not installed.
    """
    bound = bind(GAME, {"pool": pool}, COMMON)
    statement = statement_of(_FAIRNESS.format(m=matches_of(counted=False)), bound)
    rows = data.fetch(statement.sql, statement.values)
    found = [(kind, n, mean, error, erfc(abs(mean / error) / sqrt(2))) for kind, n, mean, error in rows]
    adjusted = holm({kind: p for kind, *_, p in found})
    return tuple(Fairness(kind, n, mean, error, adjusted[kind]) for kind, n, mean, error, _ in found)


_FAIRNESS = """
WITH {m},
lucks AS (SELECT r.kind, r.luck_vp AS luck FROM ts_rolls r JOIN m USING (match) WHERE r.luck_vp IS NOT NULL),
kinds AS (
  SELECT kind, count(*) AS n, avg(luck) AS mean, stddev_samp(luck) / sqrt(count(*)) AS error
  FROM lucks GROUP BY kind HAVING count(*) > 1 AND stddev_samp(luck) > 0)
SELECT kind, n, mean, error FROM kinds
UNION ALL
SELECT 'all', sum(n)::BIGINT, sum(n * mean / (error * sqrt(n))) / sum(n), 1 / sqrt(sum(n))
FROM kinds HAVING sum(n) > 0
ORDER BY 1
"""
