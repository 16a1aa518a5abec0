"""A chart: an SVG with its title, its description and the table of its data.

Charts are drawn by matplotlib without a display, in the font that it ships.  The same data gives the same
bytes: the ids in the SVG follow from a fixed salt, and it holds no date.  Colour is never the only sign: each
side has a shape and a label of its own, too.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from msgspec import Struct

from domain.kernel import Seat
from replay.sanitize import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patheffects import AbstractPathEffect
    from matplotlib.text import Annotation

WIDTH = 9.0  # inches
LEFT, RIGHT, TOP, BOTTOM = 0.75, 1.25, 0.95, 1.05  # inches around the plotting area; LEFT at least
EDGE = 0.2  # inches between the edge of the chart and a label
FIRST, SECOND, NEITHER = "#1b5e9e", "#b3261e", "#6b4e9b"  # each at least 4.5 : 1 on white
INK, SOFT, FAINT, GRID = "#1f2328", "#57606a", "#767676", "#e3e6ea"
MARKERS = ("o", "s", "D")
"""The shapes of the first side, of the second, and of neither."""
_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "glasnost",
    "svg.fonttype": "path",
    "font.family": ["DejaVu Sans"],
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": "#9aa1a9",
    "axes.labelcolor": SOFT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "text.parse_math": False,
}

Cell = str | int | float | None
Draw = Callable[["Axes"], None]


class Chart(Struct, frozen=True):
    """A chart with the table of its data; `svg_bytes` is the drawing."""

    title: str
    description: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    svg_bytes: bytes

    def svg(self, path: str | Path) -> Path:
        """Write the chart, and its data beside it as CSV under the same name; return the path of the chart.

        Raises:
            OSError: it cannot be written.
        """
        path = Path(path)
        path.with_suffix(".csv").write_text(self.csv, encoding="utf-8", newline="")
        path.write_bytes(self.svg_bytes)
        return path

    @property
    def csv(self) -> str:
        """The data as CSV, with the names of the columns."""
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows)
        return text.getvalue()

    def _repr_svg_(self) -> str:
        """What a notebook shows."""
        return self.svg_bytes.decode()


def colour(seat: Seat | None, seats: Sequence[Seat]) -> str:
    """The colour of a side."""
    return (FIRST, SECOND)[seats.index(seat)] if seat in seats else NEITHER


def marker(seat: Seat | None, seats: Sequence[Seat]) -> str:
    """The shape of a side."""
    return MARKERS[seats.index(seat)] if seat in seats else MARKERS[2]


def chart(
    title: str,
    subtitle: str,
    notes: Sequence[str],
    columns: Sequence[str],
    rows: Sequence[tuple[Cell, ...]],
    draw: Draw,
    *,
    height: float = 5.0,
    below: float = 0.0,
) -> Chart:
    """Draw a chart.  The space at its left side is as wide as the labels need that `draw` writes there.

    Args:
        subtitle: what it is about; shown below the title.
        notes: lines below the chart: what the marks mean, where the numbers come from.
        columns, rows: its data; they are also its table.
        draw: draws them on axes.
        height: of the whole chart, in inches.
        below: the space added below the axis, in inches.

    Raises:
        ImportError: the extra `analysis` is not installed.
    """
    lines = [one_line(line) for line in notes]
    description = ". ".join(filter(None, (one_line(subtitle), *lines)))
    data = _svg((one_line(title), one_line(subtitle), *lines), draw, height, BOTTOM + below)
    return Chart(
        one_line(title),
        description,
        tuple(columns),
        tuple(rows),
        _described(data, one_line(title), description),
    )


def _svg(words: Sequence[str], draw: Draw, height: float, bottom: float) -> bytes:
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        figure = Figure(figsize=(WIDTH, height))
        axes = figure.add_axes(_place(LEFT, height, bottom))
        draw(axes)
        if drawn := axes.get_tightbbox():
            labels = (axes.bbox.x0 - drawn.x0) / figure.dpi
            axes.set_position(_place(max(LEFT, labels + EDGE), height, bottom))
        _frame(figure, words, height)
        file = io.BytesIO()
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    return file.getvalue()


def _place(left: float, height: float, bottom: float) -> tuple[float, float, float, float]:
    """Where the axes of a chart are, as shares of it: left, bottom, width, height."""
    across, down = WIDTH - left - RIGHT, height - TOP - bottom
    return left / WIDTH, bottom / height, across / WIDTH, down / height


def _frame(figure: Figure, words: Sequence[str], height: float) -> None:
    """Title, subtitle, and the lines below the chart."""
    title, subtitle, *lines = words
    figure.text(EDGE / WIDTH, 1 - 0.34 / height, title, fontsize=14, fontweight="bold")
    figure.text(EDGE / WIDTH, 1 - 0.60 / height, subtitle, fontsize=9.5, color=SOFT)
    for place, line in enumerate(reversed(lines)):
        figure.text(EDGE / WIDTH, (0.14 + 0.17 * place) / height, line, fontsize=8, color=SOFT)


def _described(data: bytes, title: str, description: str) -> bytes:
    """The SVG with its title and description, which screen readers read."""
    head, tag, rest = data.partition(b"<svg ")
    attributes, end, body = rest.partition(b">")
    words = f"\n <title>{escape(title)}</title>\n <desc>{escape(description)}</desc>"
    return head + tag + b'role="img" ' + attributes + end + words.encode() + body


def outlined() -> list[AbstractPathEffect]:
    """A white outline for labels that stand on lines."""
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=3, foreground="white")]


def number(value: float, places: int = 0, *, sign: bool = False) -> str:
    """A number as it is printed, with a true minus sign; what rounds to 0 has no sign."""
    text = f"{value:{'+' if sign else ''}.{places}f}"
    return text.replace("-", "−") if float(text) else text.lstrip("+-")


def label_end(axes: Axes, x: float, y: float, text: str, ink: str, *, dy: float = 0.0) -> Annotation:
    """Write a label at the right end of a line; `dy` moves it up, in points."""
    return axes.annotate(
        text,
        (x, y),
        xytext=(8, dy),
        textcoords="offset points",
        va="center",
        color=ink,
        fontsize=9,
        fontweight="bold",
        annotation_clip=False,
    )


def apart(values: Sequence[float], span: float, least: float = 0.07) -> list[float]:
    """How far labels at these heights must move so that they do not touch; in the unit of the values.

    Args:
        span: the height of the axes.
        least: the height of a label as a share of it.
    """
    order = sorted(range(len(values)), key=lambda place: values[place])
    moved = list(values)
    for below, above in pairwise(order):
        moved[above] = max(moved[above], moved[below] + least * span)
    shift = sum(moved[place] - values[place] for place in order) / max(1, len(order))
    return [moved[place] - shift - values[place] for place in range(len(values))]
