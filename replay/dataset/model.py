"""The win probability of a position: history, as a logistic regression of matches that are over.

A model belongs to a game, an edition and a pool.  It is fitted to the positions of `replay.dataset.features`,
of matches with a winner.  How good it is, is measured on matches that were held out: the matches are divided
into five parts, and the positions of each part are forecast by a model of the other four.  A match is in one
part as a whole, and so are copies and branches of it, which have the same first position.  One part alone
would not do: with 500 matches held out, a perfect model has a calibration error of about 0.035 by chance.

Positions like this one were won so often; that says nothing of the best move.  There is no win probability of
a match that runs.
"""

from __future__ import annotations

import hashlib
import importlib.resources
import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from domain.games import GAMES
from domain.kernel import Refused, Seat
from replay.dataset.features import FEATURES, Features, Values
from replay.dataset.queries import ALL_POOLS, COMMON, bind, matches_of, statement_of
from replay.dataset.rates import wilson
from replay.dataset.reading import DataSet, OneMatch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

LEAST = 300  # decided matches; of fewer no probability is given
BINS = 10
FOLDS = 5  # parts of the matches, each held out once
_AGAIN = 100  # times that matches are drawn again
_STRENGTH = 1.0  # of the ridge: the inverse variance of coefficients of standardized features
_SEED = 17


class Bin(Struct, frozen=True):
    """Positions of held-out matches with a similar forecast: how many, of how many matches, the mean
    forecast, and how often the first side won.  `lo` and `hi` are those of so many matches as there are,
    because the positions of one match have one result.
    """

    n: int
    matches: int
    forecast: float
    won: float
    lo: float
    hi: float


class Coefficient(Struct, frozen=True):
    """How much one more of a feature changes the logarithm of the odds, with its interval of 95 %."""

    feature: str
    value: float
    lo: float
    hi: float


class Model(Struct, frozen=True):
    """A win probability of the first side of a game, `side`.

    id: a hash of the snapshot and of the code; the same id means the same numbers.
    n, positions: how many matches and positions it is made of.
    won: how many of the matches `side` won.
    brier, log_loss: of the forecasts for positions of held-out matches; `brier_base`, `log_loss_base`: of a
        forecast that is always the rate of the other matches.
    calibration: ten bins of the positions by their forecast, equally large; `calibration_error` is the mean
        distance between forecast and rate over the bins, weighted by their positions.
    intercept, coefficients: of the model that is used, fitted to all matches.
    again: intercept and coefficients of models fitted to matches drawn again, for intervals.
    """

    id: str
    snapshot: str
    game: str
    edition: str
    pool: str
    side: Seat
    n: int
    positions: int
    won: int
    brier: float
    brier_base: float
    log_loss: float
    log_loss_base: float
    calibration: tuple[Bin, ...]
    calibration_error: float
    intercept: float
    coefficients: tuple[Coefficient, ...]
    again: tuple[tuple[float, ...], ...]

    @property
    def beats_base_rate(self) -> bool:
        """Are its forecasts for held-out matches better, by Brier, than always the rate of the others?

        If not, its features say nothing of who wins in this pool, and its numbers should not be relied on.
        """
        return self.brier < self.brier_base

    def at(self, position: Values) -> float:
        """The win probability of `side` in a position, a row of the table of positions of the game."""
        values = FEATURES[self.game].values(position)
        return _sigmoid(
            self.intercept
            + sum(one.value * value for one, value in zip(self.coefficients, values, strict=True))
        )

    def estimate(self, position: Values) -> Estimate:
        """The win probability with its interval: from matches drawn again, 95 %."""
        values = [1.0, *FEATURES[self.game].values(position)]
        found = sorted(
            _sigmoid(sum(one * value for one, value in zip(row, values, strict=True))) for row in self.again
        )
        cut = len(found) // 40
        value = self.at(position)
        return Estimate(value, min(value, found[cut]), max(value, found[-1 - cut]), self.n, self.id)


class Cell(Struct, frozen=True):
    """Positions with a similar lead: the first side won `won` of `n` matches that came there."""

    turn: int
    lead: int
    n: int
    won: int
    lo: float
    hi: float


class TooFew(Struct, frozen=True):
    """No win probability: `n` matches have a winner, and `least` are needed.

    table: how often the first side won, by turn and by its lead; `step` points of it are taken together.
    """

    game: str
    edition: str
    pool: str
    n: int
    table: tuple[Cell, ...]
    step: int
    least: int = LEAST


class Estimate(Struct, frozen=True):
    """A win probability of the first side with its interval, the matches it rests on, and its model."""

    value: float
    lo: float
    hi: float
    n: int
    model: str


class Positions(Struct, frozen=True):
    """The positions that a model is made of: of each its match, its family, its values, its time, and whether
    the first side won the match.  The family is the same for copies and branches of a match."""

    matches: list[str]
    families: list[str]
    values: list[list[float]]
    times: list[int]
    won: list[bool]


def fit(data: DataSet, game: str, *, edition: str = "", pool: str = "live") -> Model | TooFew:
    """The model of a game, an edition and a pool; `TooFew` if fewer than 300 matches have a winner.

    It is too few, too, if nearly all are won by one side, or are copies of few.

    Args:
        edition: "" is the first edition of the game.
        pool: one pool, or * for all together.

    Raises:
        Refused: not-found: there is no such game; bad-option: no such edition; invalid: no such
            pool; forbidden: the data set
            is of matches that run.
        ImportError: the extra `analysis` is not installed.
    """
    if game not in FEATURES:
        raise Refused("not-found", "no-such-game", {"games": list(FEATURES)})
    if data.manifest.settings.running:
        raise Refused("forbidden", "match-runs")
    edition = edition or GAMES[game].editions[0]
    found = positions_of(data, game, edition, pool)
    n = len(set(found.matches))
    if n < LEAST or not _can_be_held_out(found):
        return TooFew(game, edition, pool, n, _table(found, FEATURES[game].step), FEATURES[game].step)
    return _fitted(data.snapshot, game, edition, pool, found)


def positions_of(data: DataSet, game: str, edition: str, pool: str) -> Positions:
    """The positions of all matches of a game, an edition and a pool that have a winner.

    Positions that a match reached with its last move are left out: nothing was open in them.  So are matches
    of several battles (13 Minutes), in which seats change sides.

    Raises:
        Refused: bad-option: no such edition; invalid: no such pool.
        ImportError: the extra `analysis` is not installed.
    """
    if "," in pool:
        raise Refused("invalid", "one-pool", {"pool": pool[:40], "all": ALL_POOLS})
    if edition not in GAMES[game].editions:
        about = {"game": game, "edition": repr(edition[:40]), "editions": GAMES[game].editions}
        raise Refused("bad-option", "no-such-edition", about)
    known = FEATURES[game]
    statement = statement_of(
        _SQL.format(m=matches_of(), **_names(known)), bind(game, {"edition": edition, "pool": pool}, COMMON)
    )
    names = ("match", "family", "time", "won", *_columns(known))
    found = Positions([], [], [], [], [])
    for row in data.fetch(statement.sql, statement.values):
        values = dict(zip(names, row, strict=True))
        found.matches.append(values["match"])
        found.families.append(values["family"])
        found.values.append(known.values(values))
        found.times.append(values["time"])
        found.won.append(values["won"])
    return found


def _columns(known: Features) -> Sequence[str]:
    """The columns of the positions that are read."""
    return tuple(dict.fromkeys((known.time, *known.columns)))


def _names(known: Features) -> dict[str, Any]:
    columns = ", ".join(f'p."{column}"' for column in _columns(known))
    battles = "HAVING max(battle) > 1" if known.table == "tm_positions" else "HAVING false"
    return {
        "table": known.table,
        "kind": known.kind,
        "time": known.time,
        "apart": known.apart,
        "columns": columns,
        "battles": battles,
    }


_SQL = """
WITH {m},
ends AS (SELECT match, max(move) AS move FROM {table} WHERE kind = 'end' GROUP BY match),
several AS (SELECT match FROM {table} GROUP BY match {battles}),
families AS (
  SELECT match,
    coalesce(arg_min(state_sha256, move) FILTER ({time} >= {apart}), arg_max(state_sha256, move)) AS family
  FROM {table} WHERE kind = '{kind}' GROUP BY match)
SELECT p.match, coalesce(family, p.match) AS family, p.{time} AS time, m.winner = m.seat_a AS won, {columns}
FROM {table} p JOIN m USING (match) LEFT JOIN ends USING (match) LEFT JOIN families USING (match)
  ANTI JOIN several USING (match)
WHERE p.kind = '{kind}' AND m.winner IS NOT NULL AND m."by" IS NOT NULL
  AND (ends.move IS NULL OR p.move < ends.move)
ORDER BY p.match, p.move
"""


def part_of(family: str) -> int:
    """The part of the matches in which a family is; it depends on nothing else, so the split is by match."""
    return int(hashlib.sha256(family.encode()).hexdigest()[:8], 16) % FOLDS


def _can_be_held_out(found: Positions) -> bool:
    """Do both sides win in the rest of the matches, whichever part is held out?"""
    outcomes = {(part_of(family), won) for family, won in zip(found.families, found.won, strict=True)}
    return all({won for other, won in outcomes if other != part} == {True, False} for part in range(FOLDS))


def _fitted(snapshot: str, game: str, edition: str, pool: str, found: Positions) -> Model:
    import numpy as np

    x, y = np.array(found.values), np.array(found.won, dtype=float)
    forecast, base = _held_out(x, y, np.array([part_of(family) for family in found.families]))
    calibration = _calibration(forecast, y, np.array(found.matches))
    whole = _regression(x, y, np.ones(len(y)))
    again = _again(x, y, found.families)
    low, high = np.quantile(again, [0.025, 0.975], axis=0)
    by_match = dict(zip(found.matches, found.won, strict=True))
    return Model(
        id=_id(snapshot, game, edition, pool),
        snapshot=snapshot,
        game=game,
        edition=edition,
        pool=pool,
        side=GAMES[game].seats[0],
        n=len(by_match),
        positions=len(y),
        won=sum(by_match.values()),
        brier=_brier(forecast, y),
        brier_base=_brier(base, y),
        log_loss=_log_loss(forecast, y),
        log_loss_base=_log_loss(base, y),
        calibration=calibration,
        calibration_error=sum(one.n * abs(one.forecast - one.won) for one in calibration) / len(y),
        intercept=float(whole[0]),
        coefficients=tuple(
            Coefficient(name, float(value), float(least), float(most))
            for name, value, least, most in zip(FEATURES[game].of, whole[1:], low[1:], high[1:], strict=True)
        ),
        again=tuple(tuple(map(float, row)) for row in again),
    )


def _held_out(x: Numbers, y: Numbers, parts: Any) -> tuple[Numbers, Numbers]:
    """For each position the forecast of a model of the other parts, and the rate at which those were won."""
    import numpy as np

    forecast, base = np.empty(len(y)), np.empty(len(y))
    for part in np.unique(parts):
        held = parts == part
        forecast[held] = _forecast(_regression(x[~held], y[~held], np.ones(int((~held).sum()))), x[held])
        base[held] = y[~held].mean()
    return forecast, base


def _regression(x: Numbers, y: Numbers, weights: Numbers) -> Numbers:
    """Intercept and coefficients, in the units of the features; the ridge is on standardized features."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    mean = np.average(x, axis=0, weights=weights)
    scale = np.sqrt(np.average((x - mean) ** 2, axis=0, weights=weights))
    scale[scale == 0] = 1.0
    ridge = LogisticRegression(C=_STRENGTH, solver="newton-cholesky", tol=1e-8)
    found = ridge.fit((x - mean) / scale, y, sample_weight=weights)
    slopes = found.coef_[0] / scale
    return np.concatenate([found.intercept_ - slopes @ mean, slopes])


def _again(x: Numbers, y: Numbers, families: Sequence[str]) -> Numbers:
    """Intercept and coefficients of models of matches drawn again, with replacement, family by family."""
    import numpy as np

    _, family = np.unique(np.array(families), return_inverse=True)
    random, count = np.random.default_rng(_SEED), int(family.max()) + 1
    found = list[Any]()
    while len(found) < _AGAIN:
        drawn = np.bincount(random.integers(count, size=count), minlength=count)[family].astype(float)
        kept = drawn > 0
        if len(set(y[kept])) == 2:
            found.append(_regression(x[kept], y[kept], drawn[kept]))
    return np.array(found)


def _forecast(coefficients: Numbers, x: Numbers) -> Numbers:
    import numpy as np

    logits: Numbers = coefficients[0] + x @ coefficients[1:]
    return np.asarray(1 / (1 + np.exp(-logits)), dtype=np.float64)


def _brier(forecast: Numbers, y: Numbers) -> float:
    return float(((forecast - y) ** 2).mean())


def _log_loss(forecast: Numbers, y: Numbers) -> float:
    import numpy as np

    sure = np.clip(forecast, 1e-12, 1 - 1e-12)
    return float(-(y * np.log(sure) + (1 - y) * np.log(1 - sure)).mean())


def _calibration(forecast: Numbers, y: Numbers, matches: Any) -> tuple[Bin, ...]:
    """Ten bins, equally large, of held-out positions by their forecast."""
    import numpy as np

    bins = []
    for places in np.array_split(np.argsort(forecast, kind="stable"), BINS):
        if len(places):
            n, won = len(places), int(y[places].sum())
            apart = len(set(matches[places]))
            low, high = wilson(round(apart * won / n), apart)
            bins.append(Bin(n, apart, float(forecast[places].mean()), won / n, low, high))
    return tuple(bins)


def _table(found: Positions, step: int) -> tuple[Cell, ...]:
    """How often the first side won, by time and lead."""
    counted: dict[tuple[int, int], list[bool]] = {}
    for time, values, won in zip(found.times, found.values, found.won, strict=True):
        counted.setdefault((time, step * math.floor(values[0] / step)), []).append(won)
    return tuple(
        Cell(time, lead, len(won), sum(won), *wilson(sum(won), len(won)))
        for (time, lead), won in sorted(counted.items())
    )


def _sigmoid(logit: float) -> float:
    return 1 / (1 + math.exp(-max(-700.0, min(700.0, logit))))


def _id(snapshot: str, game: str, edition: str, pool: str) -> str:
    return hashlib.sha256("\n".join((snapshot, _code(), game, edition, pool)).encode()).hexdigest()


@cache
def _code() -> str:
    """A hash of the code that makes a model, and of the library that fits it."""
    import sklearn

    package = importlib.resources.files(__package__)
    source = [package.joinpath(name).read_bytes() for name in ("model.py", "features.py", "rates.py")]
    return hashlib.sha256(b"\n".join([*source, sklearn.__version__.encode()])).hexdigest()


# ── of one match ──


def win_probability(match: OneMatch, turn: int, *, pool: str = "") -> Estimate | TooFew:
    """How likely the first side was to win a match at the end of a turn; `model.side` names it.

    Args:
        turn: a turn that ended, and was not the last; of 13 Minutes, how many cards had been played.
        pool: the pool of the model; "" is that of the match.

    Raises:
        Refused: forbidden: the match runs; not-found: it has no such turn; else as `fit`.
        ImportError: the extra `analysis` is not installed.
    """
    found = model_of(match, pool=pool)
    ends = ends_of_turns(match)
    if turn not in ends:
        raise Refused(
            "not-found", "no-such-turn", {"turn": turn, "turns": [str(one) for one in sorted(ends)]}
        )
    return found if isinstance(found, TooFew) else found.estimate(ends[turn])


def model_of(match: OneMatch, *, pool: str = "") -> Model | TooFew:
    """The model for a match; it is fitted once for each data set.  Raises: see `win_probability`."""
    row = match.row
    if match.data.manifest.settings.running or row.by is None:
        raise Refused("forbidden", "match-runs")
    key = (row.game, row.edition, pool or row.pool)
    found: Model | TooFew | None = match.data.models.get(key)
    if found is None:
        found = match.data.models[key] = fit(match.data, row.game, edition=row.edition, pool=key[2])
    return found


def ends_of_turns(match: OneMatch) -> Mapping[int, Values]:
    """The positions of a match that have a win probability, by their turn."""
    known = FEATURES[match.row.game]
    rows = [position.values for position in match.positions()]
    last = max((row["move"] for row in rows if row["kind"] == "end"), default=None)
    return {
        row[known.time]: row
        for row in rows
        if row["kind"] == known.kind and (last is None or row["move"] < last)
    }
