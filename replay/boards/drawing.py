"""A board as SVG: land, lines, and a group for each space, whose slots are texts with their name.

What lies on a space is shown twice: `data-SLOT` on its group, which the stylesheet reads, and the text of
the slot.  So a client that shows another scene sets these and nothing else.  Nothing is styled inline; a
picture that stands alone carries `board.css`, a page brings it itself.  Colours are custom properties of
CSS, light and dark.  Place (first seat left) and hatch show a side as well, not colour alone.
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Callable, Iterable, Iterator, Mapping
from html import escape
from string import Template

from domain.kernel import Seat
from domain.match_base import Outline
from replay.boards import imperial_struggle, twilight_struggle
from replay.boards.board import Area, Board, Place, Power, Space
from replay.scenes.positions import scene_at
from replay.scenes.vocabulary import Pair, Scene, Slots, Status, Track, Value
from replay.words import Words

WIDTH, HEIGHT, STRIP = 82, 52, 19  # of a box and of the strip with its name
FIELD = 38
DEGREE = 244  # units between two lines of the chart
LARGEST, SMALLEST = 13.0, 11.0  # sizes of a name; the smallest one is condensed where it does not fit
STATUS = 20  # size of the line of status
_NARROW = frozenset("ijlt.,'I!-/ ()fr")
_WIDE = frozenset("mwMWЖШЩЮМФжшщюмфЫы@")


def draw(board: Board, scene: Scene, words: Words, title: str = "", *, alone: bool = False) -> str:
    """The board with what lies on it; `alone`: as a document of its own, with its style."""
    width, height = board.layout.width, board.layout.height
    label = escape(title or words.game, quote=True)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="board {board.game}" viewBox="0 0 {width} {height}"'
        f' role="group" aria-label="{label}" data-width="{width}" data-height="{height}">',
        *([f"<style>{stylesheet(board)}</style>"] if alone else []),
        HATCH,
        f'<rect class="sea" width="{width}" height="{height}"/>',
        *_lands(board),
        *_lines(board),
        *(_region(board, area, words) for area in board.layout.regions),
        *(_power(power, words) for power in board.layout.powers),
        *(_space(space, scene.board.get(space.spot.id, {}), words) for space in board.spaces),
        *(_heading(board, scene, words, title) if alone else ()),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


HATCH = (
    '<defs><pattern id="hatch" class="hatch" width="6" height="6" patternUnits="userSpaceOnUse"'
    ' patternTransform="rotate(45)"><rect class="ground" width="6" height="6"/>'
    '<rect class="stripe" width="3" height="6"/></pattern></defs>'
)

_FILES = importlib.resources.files("replay.boards")


def stylesheet(board: Board) -> str:
    """The style of a board: what all have in common, for its two seats, and its own colours."""
    common = Template((_FILES / "board.css").read_text("utf-8"))
    first, second = board.seats
    return common.substitute(first=first, second=second) + own_style(board.game)


def own_style(game: str) -> str:
    """Return the colours that the board of a game has for itself, also for its seats if they differ."""
    return (_FILES / f"{game}.css").read_text("utf-8")


# ── land and lines ──


def _lands(board: Board) -> Iterator[str]:
    """The lines of a chart, shallow water around all lands, then each land with its coast."""
    coasts = board.layout.coasts
    yield f'<path class="degrees" d="{_degrees(board)}"/>'
    yield f'<path class="shallow" d="{"".join(coasts[land] for land in board.lands)}"/>'
    for land in board.lands:
        yield f'<path class="land {land}" d="{coasts[land]}"/>'


def _degrees(board: Board) -> str:
    """Lines of a chart, one for every so many units."""
    width, height = board.layout.width, board.layout.height
    across = "".join(f"M{x} 0v{height}" for x in range(DEGREE, width, DEGREE))
    return across + "".join(f"M0 {y}h{width}" for y in range(DEGREE, height, DEGREE))


def _lines(board: Board) -> Iterator[str]:
    for line in board.lines:
        yield f'<path class="line {line.kind}" d="{_path(line.points)}"/>'


def _path(points: Iterable[tuple[int, int]]) -> str:
    return "M" + "L".join(f"{x} {y}" for x, y in points)


def _region(board: Board, area: Area, words: Words) -> str:
    (x, y), name = area.label, words.name(area.id)
    lines = name.split() if area.narrow else [name]
    texts = [f'<tspan x="{x}" y="{y + 23 * i}">{escape(line)}</tspan>' for i, line in enumerate(lines)]
    worth = " · ".join(
        str(n) if n is not None else words.shown("wins") for n in board.worth.get(area.id, {}).values()
    )
    below = (
        f'<text class="worth" x="{x}" y="{y + 23 * len(lines) - 2}">{escape(worth)}</text>' if worth else ""
    )
    turn = f' transform="rotate(-90 {x} {y})"' if area.turned else ""
    view, *smaller = (" ".join(map(str, part)) for part in (area.view, *area.parts))
    parts = f' data-parts="{";".join(smaller)}"' if smaller else ""
    classes = "region narrow" if area.narrow else "region"
    return (
        f'<g id="r-{area.id}" class="{classes}" data-view="{view}"{parts}{turn}>'
        f'<text class="name">{"".join(texts)}</text>{below}</g>'
    )


def _power(power: Power, words: Words) -> str:
    x, y = power.x - power.w // 2, power.y - power.h // 2
    return (
        f'<g class="power {power.id}"><rect x="{x}" y="{y}" width="{power.w}" height="{power.h}" rx="10"/>'
        f'<text x="{power.x}" y="{power.y + 9}">{escape(words.name(power.id))}</text></g>'
    )


# ── spaces ──


def _space(space: Space, slots: Slots, words: Words) -> str:
    spot = space.spot
    data = "".join(f' data-{slot}="{escape(str(value), quote=True)}"' for slot, value in slots.items())
    classes = " ".join(("space", space.shape, *space.kinds))
    about = escape(introduced(space, words), quote=True)
    label = escape(described(space, slots, words), quote=True)
    inside = _SHAPES[space.shape](space, slots, words)
    return (
        f'<g id="s-{spot.id}" class="{classes}" transform="translate({spot.x} {spot.y})" role="img"'
        f' aria-label="{label}" data-label="{about}"{data}>{inside}</g>'
    )


def described(space: Space, slots: Slots, words: Words) -> str:
    """A space in words, with what lies on it, for readers who do not see it."""
    values = [f"{words.field(slot)} {words.name(value)}" for slot, value in slots.items()]
    return "; ".join((introduced(space, words), ", ".join(values) or words.shown("empty")))


def introduced(space: Space, words: Words) -> str:
    """A space in words, with what is printed on it."""
    about = [words.field(id) for id in space.about]
    if space.number:
        about.insert(0, f"{words.field('stability' if space.shape == 'box' else 'cost')} {space.number}")
    return ", ".join((words.name(space.spot.id), *about))


def _box(space: Space, slots: Slots, words: Words) -> str:
    """A box: its name and its number above, and a field for each seat below."""
    left, top = -WIDTH // 2, -HEIGHT // 2
    name = space.spot.short(words.language) or words.name(space.spot.id)
    room = WIDTH - STRIP - 2
    corner, edge = STRIP - 5, WIDTH - 10
    parts = [
        f'<rect class="body" x="{left}" y="{top}" width="{WIDTH}" height="{HEIGHT}" rx="5"/>',
        f'<path class="strip" d="M{left} {top + STRIP}v{-corner}q0 -5 5 -5h{edge}q5 0 5 5v{corner}z"/>',
        f'<text class="title {size_class(name, room)}" x="{left + 4}" y="{top + 14}"{condensed(name, room)}>'
        f"{escape(name)}</text>",
        f'<text class="number" x="{left + WIDTH - 10}" y="{top + 15}">{space.number}</text>',
    ]
    for place, slot in enumerate(space.slots):
        x = left + 2 + place * (WIDTH - 2 - FIELD - 2)
        parts.append(
            f'<rect class="field {("first", "second")[place]}" x="{x}" y="{top + STRIP + 1}" width="{FIELD}"'
            f' height="{HEIGHT - STRIP - 3}" rx="3"/>'
            f'<text class="value {("first", "second")[place]}" data-slot="{slot}" x="{x + FIELD // 2}"'
            f' y="{top + STRIP + 24}">{_shown(slots.get(slot), words)}</text>'
        )
    return "".join(parts)


def _shown(value: Value | None, words: Words) -> str:
    """A number, or the letter of a seat."""
    return "" if value is None else escape(words.letters.get(str(value), str(value)))


LINE, WIDEST = 12, 94  # of the name below a shape
_OUTLINES = {
    "circle": "M0 -37a25 25 0 1 0 0.1 0z",
    "diamond": "M0 -40L29 -12L0 16L-29 -12z",
    "square": "M-23 -35h46v46h-46z",
    "hexagon": "M-27 -12L-14 -36h28L27 -12L14 12h-28z",
}
_TROUBLE = (
    "M0 -52L8 -41L20 -47L21 -33L35 -32L29 -20L40 -12L29 -4L35 8L21 9L20 23L8 17"
    "L0 28L-8 17L-20 23L-21 9L-35 8L-29 -4L-40 -12L-29 -20L-35 -32L-21 -33L-20 -47L-8 -41z"
)
_DAMAGE = "M-17 -31L17 7M17 -31L-17 7"


def _flagged(space: Space, slots: Slots, words: Words) -> str:
    """A shape with one flag: its number and its good inside, its name below."""
    name = space.spot.short(words.language) or words.name(space.spot.id)
    parts = [
        f'<path class="conflict" d="{_TROUBLE}"/><path class="body" d="{_OUTLINES[space.shape]}"/>',
        f'<path class="damage" d="{_DAMAGE}"/>' if space.shape == "hexagon" else "",
        f'<text class="flag" data-slot="owner" y="-18">{_shown(slots.get("owner"), words)}</text>',
        f'<text class="number" y="0">{space.number}</text>' if space.number else "",
    ]
    if space.symbol:
        letters = escape(words.name(space.symbol)[:2])
        parts.append(
            f'<g class="good {space.symbol}"><circle cx="25" cy="-32" r="11"/>'
            f'<text x="25" y="-28">{letters}</text></g>'
        )
    for row, line in enumerate(_rows(name)):
        size = size_class(line, WIDEST)
        fit = condensed(line, WIDEST)
        parts.append(f'<text class="name {size}" y="{28 + LINE * row}"{fit}>{escape(line)}</text>')
    return "".join(parts)


def _rows(name: str) -> list[str]:
    """A name on one line, or on two that are about as long as each other."""
    words = name.split()
    if len(words) < 2 or width_of(name) * LARGEST <= WIDEST:
        return [name]
    cuts = [[" ".join(words[:cut]), " ".join(words[cut:])] for cut in range(1, len(words))]
    return min(cuts, key=lambda rows: max(width_of(row) for row in rows))


_SHAPES = {"box": _box, **dict.fromkeys(_OUTLINES, _flagged)}


# ── sizes of texts ──


def width_of(text: str) -> float:
    """About how wide a text is, in sizes of its letters, in a common sans serif; rather too much."""
    return sum(0.4 if letter in _NARROW else 0.95 if letter in _WIDE else 0.66 for letter in text)


def size_class(text: str, room: float) -> str:
    """The class of the largest size in which a text fits; the smallest one where none does."""
    size = LARGEST
    while size > SMALLEST and width_of(text) * size > room:
        size -= 1
    return f"t{size:.0f}"


def condensed(text: str, room: float) -> str:
    """The attributes that make a text of the smallest size as narrow as its room; empty where it fits."""
    return (
        f' textLength="{room:.0f}" lengthAdjust="spacingAndGlyphs"'
        if width_of(text) * SMALLEST > room
        else ""
    )


# ── what a picture that stands alone says besides ──


def _heading(board: Board, scene: Scene, words: Words, title: str) -> Iterator[str]:
    """The title, and the panels for which the layout has a place."""
    x, y = board.layout.title
    yield f'<text class="heading" x="{x}" y="{y}">{escape(title)}</text>'
    for place in board.layout.panels:
        panel = scene.panels.get(place.panel)
        if isinstance(panel, Status):
            items = [f"{words.field(name)}: {words.name(value)}" for name, value in panel.items.items()]
            for row, line in enumerate(_wrapped(items, place.w / STATUS)):
                y = place.y + (STATUS + 4) * row
                yield f'<text class="status" x="{place.x}" y="{y}">{escape(line)}</text>'
        elif isinstance(panel, Track):
            yield _track(place, panel, words)
        elif isinstance(panel, Pair):
            numbers = [f"{words.name(seat)} {number}" for seat, number in panel.seats.items()]
            yield (
                f'<text class="label" x="{place.x}" y="{place.y}">{escape(words.field(place.panel))}: '
                f"{escape(' · '.join(numbers))}</text>"
            )


def _wrapped(items: Iterable[str], room: float) -> list[str]:
    """Items one behind another, on as many lines as they need."""
    lines: list[str] = []
    for item in items:
        longer = f"{lines[-1]} · {item}" if lines else item
        if lines and width_of(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(item)
    return lines


def _track(place: Place, track: Track, words: Words) -> str:
    """A row of cells; each mark stands in its own, those of two seats above one another."""
    cells = track.most - track.least + 1
    w = place.w / cells
    parts = [f'<text class="label" x="{place.x}" y="{place.y - 8}">{escape(words.field(place.panel))}</text>']
    for i in range(cells):
        number = track.least + i
        edge = f'x="{place.x + i * w:.0f}" y="{place.y}" width="{w:.0f}" height="34"'
        parts.append(f'<rect class="cell" {edge}/>')
        if w > 20 or number % 5 == 0:
            parts.append(_centred("cell-number", place.x + (i + 0.5) * w, place.y + 22, str(abs(number))))
        note = track.notes.get(str(number))
        if note is not None:  # names are longer than a cell, so they stand on two lines by turns
            parts.append(
                _centred("note", place.x + (i + 0.5) * w, place.y + 50 + i % 2 * 16, words.name(note))
            )
    for row, (mark, at) in enumerate(track.at.items()):
        within = min(max(at, track.least), track.most)
        x = place.x + (within - track.least + 0.5) * w
        parts.append(_mark(mark, x, place.y + 17 + (22 * row - 11 if len(track.at) > 1 else 0), at, words))
    return f'<g class="track">{"".join(parts)}</g>'


def _mark(mark: str, x: float, y: int, at: int, words: Words) -> str:
    shown = words.name(mark) if mark in words.seats else str(abs(at))
    half = 7 + 4 * len(shown)
    kind = f" {mark}" if mark in words.seats else ""
    return (
        f'<rect class="mark{kind}" x="{x - half:.0f}" y="{y - 11}" width="{2 * half}" height="22" rx="11"/>'
        + _centred(f"mark-text{kind}", x, y + 5, shown)
    )


def _centred(kind: str, x: float, y: int, text: str) -> str:
    return f'<text class="{kind} middle" x="{x:.0f}" y="{y}">{escape(text)}</text>'


# ── a position as a picture that stands alone ──

BOARDS: dict[str, Callable[[Mapping[str, object]], Board]] = {
    "twilight_struggle": twilight_struggle.board,
    "imperial_struggle": imperial_struggle.board,
}
"""The games that are played on a board."""


def svg(match: Outline, move: int, viewer: Seat | None, words: Words) -> str | None:
    """The board after `move` as `viewer` saw it; None if the game has no board.

    Raises:
        NoView: see `replay.positions`.
    """
    board = BOARDS.get(match.game.name)
    if board is None:
        return None
    scene = scene_at(match, move, viewer)
    title = " · ".join(
        (
            words.game,
            words.shown("move", move=move, last=match.move),
            words.shown("viewer", viewer=words.viewer(match.effective_viewer(viewer))),
        )
    )
    return draw(board(match.opened.options), scene, words, title, alone=True)
