"""The charts of a data set: `glasnost.plot.track(match, "vp").svg("vp.svg")`.

Each function returns a `Chart`: an SVG, with its data as a table.  Words and names are English or Russian.
Those over many matches are in `rate_plots`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from domain.games import GAMES
from domain.kernel import Refused, Seat
from replay.dataset.chart_words import Words, about_match
from replay.dataset.charts import (
    FAINT,
    INK,
    SOFT,
    Cell,
    Chart,
    apart,
    chart,
    colour,
    label_end,
    marker,
    number,
    outlined,
)
from replay.dataset.dice import GAME, Luck
from replay.dataset.dice import luck as luck_of
from replay.dataset.features import FEATURES
from replay.dataset.model import TooFew, ends_of_turns, model_of
from replay.dataset.rate_plots import control, headlines
from replay.dataset.reading import OneMatch

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.ticker import MaxNLocator

__all__ = ["Chart", "control", "headlines", "luck", "track", "win_probability"]

TRACKS = {"vp": ("vp",), "defcon": ("defcon",), "mil": (), "space": (), "hand": ()}
"""The tracks of Twilight Struggle; () stands for a column of each side."""


def track(match: OneMatch, name: str = "vp", *, lang: str = "en") -> Chart:
    """A track of a match of Twilight Struggle, at the start of each action round and the end of each turn.

    Args:
        name: vp, defcon, mil (Military Operations), space or hand (cards).

    Raises:
        Refused: invalid: there is no such track or language; not-found: the game has no such tracks.
        ImportError: the extra `analysis` is not installed.
    """
    words = Words(lang, match.row.game)
    if match.row.game != GAME:
        raise Refused("not-found", "no-tracks", {"game": match.row.game})
    if name not in TRACKS:
        about = {"parameter": "track", "value": repr(name[:40]), "legal": ", ".join(TRACKS)}
        raise Refused("invalid", "query-value", about)
    seats = GAMES[GAME].seats
    columns = TRACKS[name] or tuple(f"{name}_{seat}" for seat in seats)
    rows: list[tuple[Cell, ...]] = [
        (position.move, position.turn, position.round, *(getattr(position, column) for column in columns))
        for position in match.positions()
        if all(getattr(position, column) is not None for column in columns)
    ]
    if not rows:
        raise Refused("not-found", "nothing-to-draw", {"match": match.id})

    def draw(axes: Axes) -> None:
        _tracks(axes, words, rows, columns)
        if name == "vp":
            _sides_of_zero(axes, words, rows)

    title = words("title.track", track=words(f"track.{name}"))
    return chart(title, about_match(words, match), [], ("move", "turn", "round", *columns), rows, draw)


def _tracks(axes: Axes, words: Words, rows: Sequence[tuple[Any, ...]], columns: Sequence[str]) -> None:
    """A stepped line for each column, with its last value beside it."""
    seats = GAMES[GAME].seats
    ends = [float(rows[-1][3 + place]) for place in range(len(columns))]
    values = [float(row[3 + place]) for row in rows for place in range(len(columns))]
    low, high = min(values), max(values)
    margin = max(0.5, (high - low) * 0.08)
    axes.set_ylim(low - margin, high + margin)
    moves = apart(ends, high - low + 2 * margin)
    for place, column in enumerate(columns):
        seat = next((one for one in seats if column.endswith(f"_{one}")), None)
        ink = INK if len(columns) == 1 else colour(seat, seats)
        line, dashes = [float(row[3 + place]) for row in rows], (0, (4, 1.5)) if place else "-"
        axes.plot(range(len(rows)), line, drawstyle="steps-post", color=ink, linewidth=2, linestyle=dashes)
        axes.plot([len(rows) - 1], line[-1:], marker(seat, seats), color=ink, markersize=7, clip_on=False)
        text = number(line[-1]) if seat is None else f"{words.name(seat)} {number(line[-1])}"
        if column != "vp":
            label_end(axes, len(rows) - 1, ends[place] + moves[place], text, ink)
    starts = [place for place, row in enumerate(rows) if place == 0 or row[1] != rows[place - 1][1]]
    axes.set_xticks(starts, [f"{rows[place][1]}" for place in starts])
    axes.set_xlabel(words("turn"))
    axes.set_xlim(-0.5, len(rows) - 0.5)
    cast("MaxNLocator", axes.yaxis.get_major_locator()).set_params(integer=True)


def _sides_of_zero(axes: Axes, words: Words, rows: Sequence[tuple[Any, ...]]) -> None:
    """Which side leads above zero and which below, and by how much at the end."""
    seats = GAMES[GAME].seats
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, -3.5), max(high, 3.5))
    axes.yaxis.set_major_formatter(lambda value, _: number(abs(value)))
    x, line = range(len(rows)), [float(row[3]) for row in rows]
    axes.axhline(0, color=SOFT, linewidth=1)
    for seat, above in ((seats[0], True), (seats[1], False)):
        ink, where = colour(seat, seats), [value != 0 and (value > 0) == above for value in line]
        axes.fill_between(x, line, 0, where=where, step="post", color=ink, alpha=0.18, linewidth=0)
        sign, height, va = ("▲", 0.98, "top") if above else ("▼", 0.02, "bottom")
        text = f"{sign} {words.name(seat)}"
        axes.text(0.01, height, text, transform=axes.transAxes, va=va, color=ink, fontweight="bold")
    leader = seats[line[-1] < 0] if line[-1] else None
    text = f"{words.name(leader)} {number(abs(line[-1]))}" if leader else "0"
    label_end(axes, len(rows) - 1, line[-1], text, colour(leader, seats) if leader else INK)


def win_probability(match: OneMatch, *, pool: str = "", lang: str = "en") -> Chart:
    """The win probability of the first side at the end of each turn of a match, with its interval.

    Args:
        pool: the pool of the model; "" is that of the match.

    Raises:
        Refused: not-found: too few matches for a model, or no turn that ended; forbidden: the match runs;
            invalid: there is no such language or pool.
        ImportError: the extra `analysis` is not installed.
    """
    words, model = Words(lang, match.row.game), model_of(match, pool=pool)
    if isinstance(model, TooFew):
        raise Refused(
            "not-found", "too-few-matches", {"n": model.n, "least": model.least, "pool": model.pool}
        )
    rows: list[tuple[Cell, ...]] = []
    for turn, position in sorted(ends_of_turns(match).items()):
        found = model.estimate(position)
        rows.append((turn, position["move"], found.value, found.lo, found.hi))
    if not rows:
        raise Refused("not-found", "nothing-to-draw", {"match": match.id})

    def draw(axes: Axes) -> None:
        _chances(axes, words, rows, model.side, match)

    notes = [words("model", n=model.n, pool=model.pool, model=model.id[:12])]
    if not model.beats_base_rate:
        notes.append(words("no_better"))
    title = words("title.win_probability", side=words.name(model.side))
    columns = (FEATURES[match.row.game].time, "move", "win_probability", "lo", "hi")
    return chart(title, about_match(words, match), notes, columns, rows, draw)


def _chances(axes: Axes, words: Words, rows: Sequence[tuple[Any, ...]], side: Seat, match: OneMatch) -> None:
    seats = GAMES[match.row.game].seats
    ink, turns = colour(side, seats), [row[0] for row in rows]
    axes.axhline(50, color=SOFT, linewidth=1, linestyle=(0, (4, 3)))
    axes.fill_between(
        turns,
        [100 * row[3] for row in rows],
        [100 * row[4] for row in rows],
        color=ink,
        alpha=0.18,
        linewidth=0,
    )
    axes.plot(turns, [100 * row[2] for row in rows], marker(side, seats) + "-", color=ink, linewidth=2)
    for row in rows:
        axes.annotate(
            f"{100 * row[2]:.0f}",
            (row[0], 100 * row[2]),
            xytext=(0, 10),
            textcoords="offset points",
            ha="center",
            color=ink,
            fontsize=9,
            fontweight="bold",
            path_effects=outlined(),
        )
    axes.set_ylim(0, 100)
    axes.set_yticks(range(0, 101, 25), [f"{value} %" for value in range(0, 101, 25)])
    last = turns[-1] + 1
    won = {None: 50}.get(match.row.winner, 100 if match.row.winner == side else 0)
    final = colour(match.row.winner, seats)
    axes.plot([turns[-1], last], [100 * rows[-1][2], won], color=FAINT, linewidth=1, linestyle=(0, (1, 2)))
    axes.plot([last], [won], marker(match.row.winner, seats), color=final, markersize=9, clip_on=False)
    label_end(axes, last, won, words.name(match.row.winner), final)
    axes.set_xticks(turns)
    axes.set_xlim(turns[0] - 0.4, last)
    axes.set_xlabel(words("turn"))


def luck(match: OneMatch, *, unit: str = "points", pool: str = "", lang: str = "en") -> Chart:
    """The luck with dice of both sides of a match, by kind of throw.

    Args:
        unit: points, or win for win probability.
        pool: the pool of the model; "" is that of the match.

    Raises:
        Refused: as `win_probability` for the unit win, else as `replay.dataset.luck`;
            invalid: there is no such unit.
        ImportError: the extra `analysis` is not installed.
    """
    words = Words(lang, match.row.game)
    if unit not in ("points", "win"):
        raise Refused(
            "invalid", "query-value", {"parameter": "unit", "value": repr(unit[:40]), "legal": "points, win"}
        )
    found = luck_of(match, pool=pool)
    if unit == "win" and isinstance(model := model_of(match, pool=pool), TooFew):
        raise Refused(
            "not-found", "too-few-matches", {"n": model.n, "least": model.least, "pool": model.pool}
        )
    rows = _luck_rows(found, unit)
    if not rows:
        raise Refused("not-found", "nothing-to-draw", {"match": match.id})

    def draw(axes: Axes) -> None:
        _lollipops(axes, words, rows, unit)

    kinds = len({row[0] for row in rows})
    columns = ("kind", "seat", "n", f"luck_{unit}")
    notes = [words("dice_only")]
    height = 2.4 + 0.62 * kinds
    return chart(words("title.luck"), about_match(words, match), notes, columns, rows, draw, height=height)


def _luck_rows(found: Sequence[Luck], unit: str) -> list[tuple[Cell, ...]]:
    rows: list[tuple[Cell, ...]] = []
    totals: dict[Seat, list[float]] = {}
    counts: dict[Seat, int] = {}
    for one in found:
        value, n = (one.points, one.n_points) if unit == "points" else (one.win, one.n_win)
        if n and value is not None:
            rows.append((one.kind, one.seat, n, value))
            totals.setdefault(one.seat, []).append(value)
            counts[one.seat] = counts.get(one.seat, 0) + n
    return rows + [("all", seat, counts[seat], sum(values)) for seat, values in totals.items()]


def _lollipops(axes: Axes, words: Words, rows: Sequence[tuple[Any, ...]], unit: str) -> None:
    seats, scale = GAMES[GAME].seats, 100 if unit == "win" else 1
    kinds = list(dict.fromkeys(row[0] for row in rows))
    widest = max(abs(scale * row[3]) for row in rows) or 1.0
    axes.axvline(0, color=SOFT, linewidth=1)
    for kind, seat, n, value in rows:
        height = kinds.index(kind) + (-0.17 if seat == seats[0] else 0.17)
        ink, bold = colour(seat, seats), "bold" if kind == "all" else "normal"
        axes.plot([0, scale * value], [height, height], color=ink, linewidth=3 if kind == "all" else 2)
        axes.plot([scale * value], [height], marker(seat, seats), color=ink, markersize=7)
        axes.annotate(
            f"{words.name(seat)} {number(scale * value, 1, sign=True)}  (n = {n})",
            (scale * value, height),
            xytext=(9 if value >= 0 else -9, 0),
            textcoords="offset points",
            ha="left" if value >= 0 else "right",
            va="center",
            fontsize=8.5,
            color=ink,
            fontweight=bold,
        )
    axes.set_xlim(-2.1 * widest, 2.1 * widest)
    axes.set_ylim(len(kinds) - 0.5, -0.5)
    axes.set_yticks(range(len(kinds)), [words(kind) for kind in kinds], color=INK)
    axes.set_xlabel(words(f"luck_{unit}"))
    axes.grid(visible=False, axis="y")
