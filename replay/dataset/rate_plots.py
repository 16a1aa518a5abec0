"""Charts of rates over many matches: headlines, and the control of a country.

Rates stand with their n and their interval, and are grey over fewer than 30 matches.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from domain.games import GAMES
from domain.kernel import Refused, Seat
from replay.dataset.chart_words import Words, percent, source
from replay.dataset.charts import FAINT, INK, SOFT, Cell, Chart, apart, chart, colour, label_end, marker
from replay.dataset.dice import GAME
from replay.dataset.queries import COMMON, Bound, bind, matches_of, query, statement_of
from replay.dataset.rates import FEW, LEVEL, Rate, differs, holm, rate_of
from replay.dataset.reading import DataSet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_CARDS = 20  # headlines in a chart


def headlines(
    data: DataSet, seat: Seat = "ussr", *, turn: int = 1, pool: str = "live", lang: str = "en"
) -> Chart:
    """The headlines of one side in a turn of Twilight Struggle: how often each was chosen, and then won.

    The 20 most frequent; a mark says that a card's rate differs from that of all other cards, after Holm.

    Args:
        pool: one pool, or * for all together.

    Raises:
        Refused: invalid: no such side, pool or language; not-found: no match has such a headline.
        ImportError: the extra `analysis` is not installed.
    """
    words, seats = Words(lang, GAME), GAMES[GAME].seats
    if seat not in seats:
        about = {"parameter": "seat", "value": repr(str(seat)[:40]), "legal": ", ".join(seats)}
        raise Refused("invalid", "query-value", about)
    rows = query("headlines").rows + " AND h.seat = $seat AND h.turn = $turn"
    rates = _rates(data, rows, "card", "won", {"seat": seat, "turn": turn}, pool)
    n, won = sum(rate.n for rate in rates.values()), sum(rate.won for rate in rates.values())
    p = {card: differs(rate.won, rate.n, won - rate.won, n - rate.n) for card, rate in rates.items()}
    adjusted = holm(p)
    chosen = sorted(rates, key=lambda card: (-rates[card].n, card))[:MOST_CARDS]
    table: list[tuple[Cell, ...]] = [
        (card, rates[card].n, rates[card].rate, rates[card].lo, rates[card].hi, adjusted[card] < LEVEL)
        for card in chosen
    ]

    def draw(axes: Axes) -> None:
        names = [f"{words.name(card)}{' *' if adjusted[card] < LEVEL else ''}" for card in chosen]
        _whiskers(axes, words, names, [rates[card] for card in chosen], won / n, seat)

    notes = [
        _meaning(words, rates.values()),
        words("marked", compared=len(rates)),
        source(words, data, pool, n),
    ]
    title = words("title.headlines", seat=words.name(seat), turn=turn)
    columns = ("card", "n", "won", "lo", "hi", "marked")
    subtitle = words("won", side=words.name(seat))
    height = 2.3 + 0.27 * len(chosen)
    return chart(title, subtitle, notes, columns, table, draw, height=height)


def _whiskers(
    axes: Axes, words: Words, names: Sequence[str], rates: Sequence[Rate], average: float, seat: Seat
) -> None:
    seats = GAMES[GAME].seats
    axes.axvline(100 * average, color=SOFT, linewidth=1, linestyle=(0, (4, 3)))
    axes.annotate(
        words("average", rate=percent(average)),
        (100 * average, -0.5),
        xytext=(0, 3),
        textcoords="offset points",
        ha="center",
        va="bottom",
        fontsize=8,
        color=SOFT,
        annotation_clip=False,
    )
    for height, rate in enumerate(rates):
        ink = FAINT if rate.n < FEW else colour(seat, seats)
        axes.plot([100 * (rate.lo or 0), 100 * (rate.hi or 0)], [height, height], color=ink, linewidth=1.6)
        face = "white" if rate.n < FEW else ink
        axes.plot(
            [100 * (rate.rate or 0)],
            [height],
            marker(seat, seats),
            color=ink,
            markerfacecolor=face,
            markersize=6.5,
            clip_on=False,
        )
        axes.annotate(
            f"{percent(rate.rate)} %   n = {rate.n}",
            (1.025, height),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=8.5,
            color=ink,
            annotation_clip=False,
        )
    axes.set_xlim(0, 100)
    axes.set_xticks(range(0, 101, 25), [f"{value} %" for value in range(0, 101, 25)])
    axes.set_ylim(len(rates) - 0.5, -0.5)
    axes.set_yticks(range(len(rates)), names, color=INK, fontsize=9)
    axes.grid(visible=False, axis="y")


def control(data: DataSet, country: str, *, pool: str = "live", lang: str = "en") -> Chart:
    """How often the US won, by who controlled a country at the end of each turn.

    Args:
        country: the id of a country, such as iran.
        pool: one pool, or * for all together.

    Raises:
        Refused: invalid: no such country, pool or language; not-found: no match has a winner.
        ImportError: the extra `analysis` is not installed.
    """
    words, asked = Words(lang, GAME), query("control_wins")
    legal = asked.own["country"].choices
    if country not in legal:
        about = {"parameter": "country", "value": repr(country[:40]), "legal": ", ".join(legal)}
        raise Refused("invalid", "query-value", about)
    rows = asked.rows.replace("{country}", f'"ctl_{country}"')
    seats = GAMES[GAME].seats
    rates = _rates(data, rows, "turn || ':' || coalesce(control, '')", f"winner = '{seats[0]}'", {}, pool)
    found = {(int(key.partition(":")[0]), key.partition(":")[2] or None): rate for key, rate in rates.items()}
    table: list[tuple[Cell, ...]] = [
        (turn, side or "neither", rate.n, rate.rate, rate.lo, rate.hi)
        for (turn, side), rate in sorted(found.items(), key=lambda item: (item[0][0], item[0][1] or ""))
    ]

    def draw(axes: Axes) -> None:
        _lines(axes, words, found, seats)

    first = max(turn for turn, _ in found)
    n = max(sum(rate.n for (turn, _), rate in found.items() if turn == one) for one in range(1, first + 1))
    notes = [_meaning(words, found.values()), source(words, data, pool, n)]
    title = words("title.control", country=words.name(country))
    columns = ("turn", "control", "n", "us_won", "lo", "hi")
    return chart(
        title,
        f"{words('won', side=words.name(seats[0]))}, {words('at_end')}",
        notes,
        columns,
        table,
        draw,
        height=5.6,
        below=0.3,
    )


def _lines(
    axes: Axes, words: Words, found: Mapping[tuple[int, Seat | None], Rate], seats: Sequence[Seat]
) -> None:
    """A line for each side that controls, and for neither, with the n of each point below the axis."""
    sides: tuple[Seat | None, ...] = (seats[0], None, seats[1])
    turns = sorted({turn for turn, _ in found})
    for place, side in enumerate(sides):
        points = [(turn, found[turn, side]) for turn in turns if (turn, side) in found]
        if not points:
            continue
        ink, shift = colour(side, seats), 0.14 * (place - 1)
        solid = [(turn + shift, 100 * (rate.rate or 0)) for turn, rate in points if rate.n >= FEW]
        axes.plot([x for x, _ in solid], [y for _, y in solid], color=ink, linewidth=1.6)
        for turn, rate in points:
            shade = FAINT if rate.n < FEW else ink
            ends = [100 * (rate.lo or 0), 100 * (rate.hi or 0)]
            axes.plot([turn + shift] * 2, ends, color=shade, linewidth=1.2)
            face = "white" if rate.n < FEW else ink
            axes.plot(
                [turn + shift],
                [100 * (rate.rate or 0)],
                marker(side, seats),
                color=shade,
                markerfacecolor=face,
                markersize=6.5,
                clip_on=False,
            )
            axes.annotate(
                f"{rate.n}",
                (turn, 0),
                xycoords=("data", "axes fraction"),
                xytext=(0, -26 - 11 * place),
                textcoords="offset points",
                ha="center",
                fontsize=7.5,
                color=shade,
                annotation_clip=False,
            )
    _name_lines(axes, words, found, sides, seats)
    axes.set_ylim(0, 100)
    axes.set_yticks(range(0, 101, 25), [f"{value} %" for value in range(0, 101, 25)])
    axes.set_xticks(turns)
    axes.set_xlim(turns[0] - 0.5, turns[-1] + 0.5)


def _name_lines(
    axes: Axes,
    words: Words,
    found: Mapping[tuple[int, Seat | None], Rate],
    sides: Sequence[Seat | None],
    seats: Sequence[Seat],
) -> None:
    """The name of each line at its end, where its last point of enough matches is, and before its n."""
    last = {
        side: max(
            (turn for (turn, other), rate in found.items() if other == side and rate.n >= FEW), default=0
        )
        for side in sides
    }
    named = [side for side in sides if last[side]]
    heights = [100 * (found[last[side], side].rate or 0) for side in named]
    end = max(turn for turn, _ in found) + 0.5
    for side, height, move in zip(named, heights, apart(heights, 100), strict=True):
        label_end(axes, end, height + move, words.name(side), colour(side, seats))
    for place, side in enumerate(sides):
        axes.annotate(
            f"n {words.name(side)}",
            (0, 0),
            xycoords="axes fraction",
            xytext=(-8, -26 - 11 * place),
            textcoords="offset points",
            ha="right",
            fontsize=7.5,
            color=colour(side, seats),
            annotation_clip=False,
        )


def _meaning(words: Words, rates: Iterable[Rate]) -> str:
    wider = words("by_players") if any(rate.by_players for rate in rates) else ""
    return words("and_interval") + wider


def _rates(data: DataSet, rows: str, key: str, won: str, values: Bound, pool: str) -> dict[str, Rate]:
    """The rate of each key over the rows of a saved query.

    Raises:
        Refused: invalid: there is no such pool; not-found: there is no row.
    """
    if "," in pool:
        raise Refused("invalid", "one-pool", {"pool": pool[:40], "all": "*"})
    bound = {**bind(GAME, {"pool": pool}, COMMON), **values}
    statement = statement_of(_CASES.format(m=matches_of(), rows=rows, key=key, won=won), bound)
    cases: dict[str, list[tuple[bool, tuple[str, ...]]]] = {}
    for name, is_won, players in data.fetch(statement.sql, statement.values):
        cases.setdefault(name, []).append((is_won, tuple(players or ())))
    if not cases:
        raise Refused("not-found", "no-cases", {"pool": pool})
    return {name: rate_of(some) for name, some in cases.items()}


_CASES = """
WITH {m},
r AS ({rows}),
players AS (
  SELECT match, list(player ORDER BY seat) AS players FROM seats WHERE player IS NOT NULL GROUP BY match)
SELECT {key}, {won}, players FROM r LEFT JOIN players USING (match) ORDER BY ALL
"""
