"""Charts: the same bytes twice, words in both languages, contrast, honest rates (AN29)."""

from __future__ import annotations

import csv
import io
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

import replay.dataset as glasnost
from replay.dataset import DataSet, Model, charts, plot
from replay.dataset.charts import Chart, apart
from replay.dataset.queries import query
from tests.replay.dataset.crowd import crowd, write_data_set
from tests.replay.dataset.refusals import refused

SVG = "{http://www.w3.org/2000/svg}"
MATCH = "twilight_struggle-bots"
Drawn = Callable[[str], Chart]


@pytest.fixture(scope="module")
def drawings(opened_club: DataSet, many: DataSet, fitted: Model) -> dict[str, Drawn]:
    """Each chart, by its name, as a function of the language."""
    match = opened_club.match(MATCH)
    row = next(
        row for row in many.matches if row.edition == "deluxe" and row.winner == "us" and row.pool == "live"
    )
    invented = many.match(row.match)
    return {
        "vp": lambda lang: plot.track(match, "vp", lang=lang),
        "space": lambda lang: plot.track(match, "space", lang=lang),
        "win_probability": lambda lang: plot.win_probability(invented, lang=lang),
        "luck": lambda lang: plot.luck(match, lang=lang),
        "headlines": lambda lang: plot.headlines(many, lang=lang),
        "control": lambda lang: plot.control(many, "iran", lang=lang),
    }


@pytest.fixture
def cut_off(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every text of a chart of this test that does not lie inside the chart."""
    found: list[str] = []
    save = Figure.savefig

    def look(figure: Figure, *args: Any, **settings: Any) -> None:
        save(figure, *args, **settings)
        texts = [text for text in figure.findobj(Text) if isinstance(text, Text) and text.get_visible()]
        for text in texts:
            box, whole = text.get_window_extent(), figure.bbox
            if text.get_text() and not (whole.x0 <= box.x0 and box.x1 <= whole.x1):
                found.append(text.get_text())

    monkeypatch.setattr(Figure, "savefig", look)
    return found


DRAWN: dict[str, Chart] = {}


def drawn_once(drawings: dict[str, Drawn], name: str) -> Chart:
    """A chart in English, which several tests look at."""
    if name not in DRAWN:
        DRAWN[name] = drawings[name]("en")
    return DRAWN[name]


NAMES = ("vp", "space", "win_probability", "luck", "headlines", "control")


def texts(chart: Chart) -> str:
    """What is written in a chart: matplotlib keeps each text in a comment beside its outlines."""
    return "\n".join(re.findall(r"<!-- (.*?) -->", chart.svg_bytes.decode()))


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=pytest.mark.long if one == "space" else ()) for one in NAMES]
)
def test_a_chart_is_the_same_twice_and_says_what_it_shows(
    name: str, drawings: dict[str, Drawn], cut_off: list[str]
) -> None:
    first, second, russian = drawn_once(drawings, name), drawings[name]("en"), drawings[name]("ru")
    assert not cut_off
    assert first == second
    assert first.svg_bytes != russian.svg_bytes
    assert first.rows == russian.rows
    for drawn in (first, russian):
        root = ElementTree.fromstring(drawn.svg_bytes)
        assert root.get("role") == "img"
        assert [child.tag for child in root][:2] == [f"{SVG}title", f"{SVG}desc"]
        assert root.findtext(f"{SVG}title") == drawn.title
        assert root.findtext(f"{SVG}desc") == drawn.description
        assert drawn.title in texts(drawn)
        assert b"<dc:date>" not in drawn.svg_bytes
        assert b"script" not in drawn.svg_bytes
        assert not re.search(rb'(href|src)="(?!#)', drawn.svg_bytes)
    assert re.search("[а-я]", russian.title)
    assert not re.search("[а-яА-Я]", first.title + first.description + texts(first))


@pytest.mark.parametrize("name", ["vp", "headlines"])
def test_the_data_of_a_chart_stands_beside_it(name: str, drawings: dict[str, Drawn], tmp_path: Path) -> None:
    drawn = drawn_once(drawings, name)
    path = drawn.svg(tmp_path / "chart.svg")
    assert path.read_bytes() == drawn.svg_bytes
    header, *rows = csv.reader(io.StringIO((tmp_path / "chart.csv").read_text("utf-8")))
    assert tuple(header) == drawn.columns
    assert len(rows) == len(drawn.rows) > 0
    assert all(len(row) == len(header) for row in rows)


def luminance(colour: str) -> float:
    """The relative luminance of a colour, as WCAG 2 defines it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("colour", ["FIRST", "SECOND", "NEITHER", "INK", "SOFT", "FAINT"])
def test_every_colour_of_a_letter_has_enough_contrast_on_white(colour: str) -> None:
    assert 1.05 / (luminance(getattr(charts, colour)) + 0.05) >= 4.5


def test_the_words_of_both_languages_have_the_same_keys() -> None:
    said = tomllib.loads((Path(plot.__file__).parent / "plots.toml").read_text("utf-8"))
    for table in ("track", "title"):
        assert said["en"][table].keys() == said["ru"][table].keys()
    assert said["en"].keys() == said["ru"].keys()
    fields = {
        language: {
            key: set(re.findall(r"{(\w+)}", text))
            for key, text in said[language].items()
            if isinstance(text, str)
        }
        for language in ("en", "ru")
    }
    assert fields["en"] == fields["ru"]


def test_the_rates_of_headlines_are_those_of_the_saved_query(
    many: DataSet, drawings: dict[str, Drawn]
) -> None:
    statement = query("headlines").statement({"pool": "live"})
    found = many.connection.execute(statement.sql, statement.values).fetchall()
    wanted = {row[3]: row[4:8] for row in found if row[1:3] == ("ussr", 1)}
    drawn = drawn_once(drawings, "headlines")
    assert {row[0] for row in drawn.rows} == wanted.keys()
    for card, *values, marked in drawn.rows:
        assert values == pytest.approx(wanted[str(card)], abs=1e-9)
        assert marked in (True, False)
        assert f"n = {values[0]}" in texts(drawn)


def test_the_rates_of_control_are_those_of_the_saved_query(many: DataSet, drawings: dict[str, Drawn]) -> None:
    statement = query("control_wins").statement({"pool": "live", "country": "iran"})
    found = many.connection.execute(statement.sql, statement.values).fetchall()
    wanted = {(row[1], row[2] or "neither"): row[3:7] for row in found}
    drawn = drawn_once(drawings, "control")
    assert {row[:2] for row in drawn.rows} == wanted.keys()
    for turn, side, *values in drawn.rows:
        assert values == pytest.approx(wanted[turn, side], abs=1e-9)


def test_rates_over_few_matches_are_grey(drawings: dict[str, Drawn], tmp_path: Path) -> None:
    write_data_set(tmp_path / "few", crowd(25))
    few = plot.headlines(glasnost.open(tmp_path / "few"))
    assert charts.FAINT in few.svg_bytes.decode()
    assert charts.SECOND not in few.svg_bytes.decode()
    assert charts.SECOND in drawn_once(drawings, "headlines").svg_bytes.decode()


def test_a_player_with_many_of_the_matches_makes_the_intervals_wider(
    many: DataSet, drawings: dict[str, Drawn]
) -> None:
    assert "one player" not in drawn_once(drawings, "headlines").description
    assert "one player" in plot.headlines(many, pool="bots").description


def test_labels_are_moved_apart_and_stay_in_order() -> None:
    moved = [value + shift for value, shift in zip((5.0, 5.0, 4.9), apart([5.0, 5.0, 4.9], 10), strict=True)]
    assert moved[2] < moved[0] < moved[1]
    assert min(abs(a - b) for a, b in ((moved[0], moved[1]), (moved[0], moved[2]))) >= 0.69
    assert apart([1.0, 9.0], 10) == [0.0, 0.0]


def test_the_longest_name_of_a_row_lies_inside_the_chart(cut_off: list[str]) -> None:
    name = "Соглашение между Панамой и США о возвращении Панамского канала *"

    def draw(axes: Axes) -> None:
        axes.set_yticks([0], [name], fontsize=9)

    drawn = charts.chart("Начальные события", "", [], ("card",), [(name,)], draw)
    assert name in texts(drawn)
    assert not cut_off


def test_names_that_are_markup_stay_text(tmp_path: Path) -> None:
    rows = crowd(2)
    name = "m--><script>$\\alpha$</script>]]>&amp;"
    for some in rows.values():
        for _, row in some:
            row["match"] = name if row["match"] == "live-1-0001" else row["match"]
    write_data_set(tmp_path / "markup", rows)
    drawn = plot.track(glasnost.open(tmp_path / "markup").match(name))
    root = ElementTree.fromstring(drawn.svg_bytes)
    assert not [one for one in root.iter() if "script" in str(one.tag)]
    assert name in (root.findtext(f"{SVG}desc") or "")


def test_what_cannot_be_drawn_is_refused(opened_club: DataSet, many: DataSet) -> None:
    data = opened_club
    match = data.match(MATCH)
    with refused("query-value"):
        plot.track(match, "'; DROP TABLE matches")
    with refused("query-value"):
        plot.track(match, lang="xx")
    with refused("query-value"):
        plot.luck(match, unit="gold")
    with refused("query-value"):
        plot.control(many, 'iran" OR 1=1')
    with refused("query-value"):
        plot.headlines(many, "cia")
    with refused("one-pool"):
        plot.headlines(many, pool="live,bots")
    with refused("no-cases"):
        plot.headlines(many, turn=99)
    with refused("no-tracks"):
        plot.track(data.match("cia_vs_kgb-live"))
    with refused("too-few-matches"):
        plot.win_probability(match)
    with refused("too-few-matches"):
        plot.luck(match, unit="win")
    with refused("no-dice"):
        plot.luck(data.match("cia_vs_kgb-live"))
