"""`glasnost luck` and `glasnost chart`: what dice brought in a match, and charts as SVG."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from api.cli.analysis import data_option, opened
from api.cli.common import CannotBeDone, json_option, language_option, print_json
from replay.sanitize import one_line

if TYPE_CHECKING:
    from replay.dataset import DataSet, OneMatch
    from replay.dataset.chart_words import Words
    from replay.dataset.charts import Chart
    from replay.dataset.dice import PlayerLuck, Thrown, Throws

F = TypeVar("F", bound=Callable[..., Any])
_match = click.argument("match", metavar="MATCH")


# ── glasnost luck ──


@click.command()
@click.argument("match", metavar="[MATCH]", required=False)
@data_option
@click.option(
    "--pool",
    metavar="POOL",
    default="",
    help="The pool whose matches give the win probability; with --player the pool of the matches (live).",
)
@click.option("--player", metavar="ID", help="The luck of a player and of the opponents, in all matches.")
@click.option("--throws", is_flag=True, help="Every throw by itself, instead of sums by kind.")
@json_option
@language_option
def luck(
    match: str | None,
    place: str,
    pool: str,
    player: str | None,
    throws: bool,
    as_json: bool,
    language: str,
) -> None:
    """Say what dice brought both sides in MATCH, compared with what such throws bring on average.

    Luck in points is what a throw brought less the mean over all its outcomes: influence and victory points.
    Luck in win probability is the same for how often positions like the one behind the throw were won; it
    needs 300 matches with a winner in the pool.  All throws together have no luck on average, so a large sum
    is luck and no skill.  Only dice count, not which cards were dealt.

    \b
    Example:
      glasnost luck m7ct2hq4 --data club
      glasnost luck m7ct2hq4 --data club --throws
      glasnost luck --player bot:easy --pool bots --data club
      glasnost query luck --data club --pool bots      the luckiest of all matches
    """
    from replay.dataset.chart_words import Words, about_match
    from replay.dataset.dice import thrown

    if (match is None) == (player is None) or (player is not None and throws):
        raise click.UsageError("name either a MATCH or a --player; --throws is of a match")
    with opened(place) as data, _refusals(language):
        if player is not None:
            _luck_of_player(data, player, pool or "live", as_json, language)
            return
        one = _found(data, match or "")
        every = thrown(one, pool=pool)
        if as_json:
            print_json(_about(one, every, pool))
            return
        words = Words(language, one.row.game)
        click.echo(one_line(about_match(words, one)))
        for line in _throws(words, every) if throws else _sums(words, one, pool):
            click.echo(one_line(line).rstrip())
        click.echo(_footing(words, one, pool))


def _about(match: OneMatch, every: Sequence[Thrown], pool: str) -> dict[str, Any]:
    """The answer as JSON: sums by side and kind, and every throw."""
    import msgspec

    from replay.dataset.dice import luck as luck_of
    from replay.dataset.model import TooFew, model_of

    model = model_of(match, pool=pool)
    return {
        "match": match.id,
        "snapshot": match.data.snapshot,
        "model": None if isinstance(model, TooFew) else model.id,
        "luck": msgspec.to_builtins(luck_of(match, pool=pool)),
        "throws": msgspec.to_builtins(every),
    }


def _luck_of_player(data: DataSet, player: str, pool: str, as_json: bool, language: str) -> None:
    """Print the luck of a player and of the opponents, in points and in win probability."""
    import msgspec

    from replay.dataset.chart_words import Words
    from replay.dataset.dice import GAME, luck_of_player
    from replay.dataset.model import LEAST

    found = luck_of_player(data, player, pool=pool)
    if as_json:
        about = {"player": player, "pool": pool, "snapshot": data.snapshot}
        print_json({**about, "luck": msgspec.to_builtins(found)})
        return
    words, matches = Words(language, GAME), sum(one.matches for one in found)
    with_model = sum(one.with_model for one in found)
    click.echo(one_line(words("luck.of_player", player=player, pool=pool, matches=matches)))
    for line in _both_sums(words, found):
        click.echo(one_line(line).rstrip())
    said = "luck.with_model" if with_model else "luck.without_model"
    click.echo(words(said, with_model=with_model, matches=matches, least=LEAST))


def _both_sums(words: Words, found: Sequence[PlayerLuck]) -> list[str]:
    keys = ("side", "whose", "n", "points", "mean", "win", "mean")
    rows = [
        (
            words.name(one.seat),
            words(f"luck.{whose}"),
            str(points.n),
            *_sum_and_mean(points, 1),
            *_sum_and_mean(win, 100),
        )
        for one in found
        for whose, points, win in (
            ("own", one.points_own, one.win_own),
            ("opponents", one.points_opponents, one.win_opponents),
        )
    ]
    return _aligned([tuple(words(f"luck.{key}") for key in keys), *rows])


def _sum_and_mean(throws: Throws | None, unit: int) -> tuple[str, str]:
    """The sum, and the mean with its interval; `unit`: 100 for percentage points."""
    if throws is None or throws.mean is None:
        return "-", "-"
    mean = _signed(unit * throws.mean, 2)
    if throws.lo is not None and throws.hi is not None:
        mean += f" ({_signed(unit * throws.lo, 2)} … {_signed(unit * throws.hi, 2)})"
    return _signed(unit * throws.sum, 1), mean


def _sums(words: Words, match: OneMatch, pool: str) -> list[str]:
    from replay.dataset.dice import luck as luck_of

    found = luck_of(match, pool=pool)
    rows = [
        (
            words.name(one.seat),
            words(one.kind),
            str(one.n),
            _signed(one.points if one.n_points else None, 1),
            _signed(None if one.win is None else 100 * one.win, 1),
        )
        for one in found
    ]
    return _aligned([tuple(words(f"luck.{key}") for key in ("side", "throws", "n", "points", "win")), *rows])


def _throws(words: Words, every: Sequence[Thrown]) -> list[str]:
    rows = [
        (
            str(one.move),
            words.name(one.seat),
            words(f"one.{one.kind}"),
            words.name(one.country) if one.country else "",
            "" if one.ways is None else f"{one.ways}/{one.of}",
            words("luck.yes" if one.success else "luck.no"),
            _signed(one.points, 1),
            _signed(None if one.win is None else 100 * one.win, 1),
        )
        for one in every
    ]
    keys = ("move", "side", "throw", "country", "chance", "success", "points", "win")
    return _aligned([tuple(words(f"luck.{key}") for key in keys), *rows])


def _signed(value: float | None, places: int) -> str:
    from replay.dataset.charts import number

    return "-" if value is None else number(value, places, sign=True)


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Rows as lines, the numbers at the right of their columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    numbers = [all(row[place][:1] in "+−-0123456789" for row in rows[1:]) for place in range(len(widths))]
    return [
        "  ".join(
            f"{cell:>{width}}" if right else f"{cell:<{width}}"
            for cell, width, right in zip(row, widths, numbers, strict=True)
        )
        for row in rows
    ]


def _footing(words: Words, match: OneMatch, pool: str) -> str:
    """Where the win probability comes from, or why there is none."""
    from replay.dataset.model import TooFew, model_of

    model = model_of(match, pool=pool)
    if isinstance(model, TooFew):
        return words("luck.too_few", n=model.n, pool=one_line(model.pool), least=model.least)
    about = words("luck.model", n=model.n, pool=one_line(model.pool), model=model.id[:12])
    return about if model.beats_base_rate else f"{about}; {words('no_better')}"


# ── glasnost chart ──


@click.group()
def chart() -> None:
    """Draw a chart of a data set as SVG, with its data as CSV beside it.

    The same data gives the same bytes.  Each chart has a title and a description, in English or Russian, and
    needs neither a display nor a network.  Rates have their number of matches and an interval of 95 %.

    \b
    Example:
      glasnost chart track m7ct2hq4 --data club --svg vp.svg
      glasnost chart headlines --seat us --data club --svg headlines.svg
    """


def _options(function: F) -> F:
    """`--data`, `--svg` and `--lang`; the function takes `place`, `svg` and `language`."""
    svg = click.option(
        "--svg",
        metavar="FILE",
        required=True,
        type=click.Path(dir_okay=False, path_type=Path),
        help="The file to write; its data goes beside it, as .csv.",
    )
    return data_option(svg(language_option(function)))


_model_pool = click.option(
    "--pool", metavar="POOL", default="", help="The pool whose matches give the win probability."
)
_pool = click.option(
    "--pool",
    metavar="POOL",
    default="live",
    show_default=True,
    help="The pool whose matches are counted; * for all.",
)


@chart.command(short_help="Draw a track of a match.")
@_match
@click.option(
    "--track",
    "name",
    default="vp",
    show_default=True,
    type=click.Choice(["vp", "defcon", "mil", "space", "hand"]),
    help="Victory points, DEFCON, Military Operations, Space Race or cards in hand.",
)
@_options
def track(match: str, name: str, place: str, svg: Path, language: str) -> None:
    """Draw a track of MATCH, a match of Twilight Struggle, from action round to action round.

    \b
    Example:
      glasnost chart track m7ct2hq4 --track space --data club --svg space.svg
    """
    with _drawing(place, svg, language) as (data, write):
        from replay.dataset import plot

        write(plot.track(_found(data, match), name, lang=language))


@chart.command("win-probability", short_help="Draw the win probability after each turn.")
@_match
@_model_pool
@_options
def win_probability(match: str, pool: str, place: str, svg: Path, language: str) -> None:
    """Draw how likely the first side was to win MATCH at the end of each turn, with the interval.

    It is history: how often positions like these were won in the matches of the pool that are over.  Fewer
    than 300 of them give no number.

    \b
    Example:
      glasnost chart win-probability m7ct2hq4 --data club --pool bots --svg chance.svg
    """
    with _drawing(place, svg, language) as (data, write):
        from replay.dataset import plot

        write(plot.win_probability(_found(data, match), pool=pool, lang=language))


@chart.command("luck", short_help="Draw the luck with dice in a match.")
@_match
@click.option(
    "--unit",
    default="points",
    show_default=True,
    type=click.Choice(["points", "win"]),
    help="Points, or win probability.",
)
@_model_pool
@_options
def luck_chart(match: str, unit: str, pool: str, place: str, svg: Path, language: str) -> None:
    """Draw the luck with dice of both sides of MATCH, by kind of throw.

    \b
    Example:
      glasnost chart luck m7ct2hq4 --data club --svg luck.svg
    """
    with _drawing(place, svg, language) as (data, write):
        from replay.dataset import plot

        write(plot.luck(_found(data, match), unit=unit, pool=pool, lang=language))


@chart.command(short_help="Draw headlines and how often they won.")
@click.option(
    "--seat", default="ussr", show_default=True, type=click.Choice(["us", "ussr"]), help="The side."
)
@click.option("--turn", default=1, show_default=True, type=click.IntRange(1, 10), help="The turn.")
@_pool
@_options
def headlines(seat: str, turn: int, pool: str, place: str, svg: Path, language: str) -> None:
    """Draw which headlines a side chose in a turn of Twilight Struggle, and how often it then won.

    Cards that differ from the rest are marked, after an adjustment for all the cards that are compared.

    \b
    Example:
      glasnost chart headlines --seat us --turn 3 --data club --pool bots --svg headlines.svg
    """
    with _drawing(place, svg, language) as (data, write):
        from replay.dataset import plot

        write(plot.headlines(data, seat, turn=turn, pool=pool, lang=language))


@chart.command(short_help="Draw how often the US won by a country's control.")
@click.argument("country", metavar="COUNTRY")
@_pool
@_options
def control(country: str, pool: str, place: str, svg: Path, language: str) -> None:
    """Draw how often the US won, by who controlled COUNTRY at the end of each turn of Twilight Struggle.

    \b
    Example:
      glasnost chart control iran --data club --pool bots --svg iran.svg
    """
    with _drawing(place, svg, language) as (data, write):
        from replay.dataset import plot

        write(plot.control(data, country, pool=pool, lang=language))


@contextmanager
def _drawing(place: str, svg: Path, language: str) -> Iterator[tuple[DataSet, Callable[[Chart], None]]]:
    """Open a data set, and give what writes a chart of it; errors become CannotBeDone."""

    def write(drawn: Chart) -> None:
        try:
            drawn.svg(svg)
        except OSError as error:
            raise CannotBeDone(f"{error.filename or svg}: {error.strerror or error}") from error
        click.echo(f"{svg}: {drawn.title}")

    if svg.suffix.lower() != ".svg":
        raise CannotBeDone(f"{svg}: a chart is an SVG, so the name of its file ends with .svg")
    with opened(place) as data, _refusals(language):
        yield data, write


def _found(data: DataSet, match: str) -> OneMatch:
    """A match of a data set.  Raises CannotBeDone: it has no such match."""
    try:
        return data.match(match)
    except KeyError as error:
        raise CannotBeDone(f"{data.place}: no match {match[:60]!r}") from error


@contextmanager
def _refusals(language: str) -> Iterator[None]:
    """Turn a refusal into CannotBeDone, in the language of the caller."""
    from domain.kernel import Refused

    try:
        yield
    except Refused as error:
        raise CannotBeDone(error.text(language)) from error
