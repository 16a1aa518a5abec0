"""Shows a table in the terminal, for any game, from the fields of the table and the names of ids.

Four kinds of fields make four kinds of blocks:

*   one value for each seat (hands, supplies): the columns of one grid, a column for each key;
*   one value for each of other ids (flags): a list, a row for each value with its ids, or for each id;
*   one struct for each id (territories): a list, a row for each id;
*   everything else: short lines of name and value.

Empty fields are left out, so that the picture shows what is on the table.  So are fields that the game marks
as internal, and fields that it marks as idle while they are 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct
from rich import box
from rich.columns import Columns as Side
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from domain.imported import MARK, REMARK
from domain.kernel import HIDDEN, Seat, Table
from domain.match import Match
from domain.piles import Pile
from replay.narration import People, narrate
from replay.positions import Shown, fields, position, table_at
from replay.words import Words

Columns = dict[str, dict[str, Any]]  # field: key: value

# How to make a console that shows a picture: the name of a card may be "[red]" or ":dagger:".
AS_WRITTEN: dict[str, Any] = {"markup": False, "emoji": False, "highlight": False}


def picture(
    match: Match,
    words: Words,
    move: int | None = None,
    viewer: Seat | None = None,
    people: People | None = None,
) -> RenderableType:
    """Return the table after `move` (None: the latest) as `viewer` sees it, and the move in words.

    Raises:
        NoView: see `replay.positions`.
    """
    shown = position(match, move, viewer)
    table = table_at(match, shown.move, viewer)
    paragraph = narrate(match, shown.move, words, viewer, people)
    result = [words.result(shown.result), ""] if shown.result else []
    lines = [*result, paragraph.done, *(f"  {sentence}" for sentence in paragraph.after)]
    if shown.unverified and shown.move > 1:  # the first move says so itself
        lines += ["", REMARK[words.language]]
    view = words.shown("viewer", viewer=words.viewer(shown.viewer))
    return Panel(
        Group(table_picture(table, words), Text("\n".join(["", *lines]))),
        title=Text(_title(shown, words)),
        subtitle=Text(f"{words.moment(shown.at)} · {view}"),
        box=box.ROUNDED,
        padding=(0, 1),
    )


def as_text(drawn: RenderableType, width: int = 100) -> str:
    """Return a picture as plain text, without colours."""
    console = Console(width=width, no_color=True, color_system=None, **AS_WRITTEN)
    with console.capture() as capture:
        console.print(drawn)
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


def _title(shown: Shown, words: Words) -> str:
    parts = [words.game, words.shown("move", move=shown.move, last=shown.last)]
    if shown.asked is not None:
        parts.append(words.shown("asked", seats=words.name(tuple(shown.asked.seats))))
    elif shown.result is not None:
        parts.append(words.shown("over"))
    else:
        parts.append(words.shown(shown.status))
    if not shown.stands:
        parts.append(words.shown("taken_back"))
    if shown.unverified:
        parts.append(MARK[words.language])
    return " · ".join(parts)


# ── the blocks ──


def table_picture(table: Table, words: Words) -> Group:
    """Return a table of any game, as blocks without a frame."""
    singles, groups, lists = _sorted(table, words)
    blocks: list[RenderableType] = []
    for group in groups:
        if words.seats & {key for value in group.values() for key in value}:
            blocks.append(_columns(group, words))
        else:
            blocks += [_down(name, value, words) for name, value in group.items()]
    blocks += [_rows(name, rows, words) for name, rows in lists.items()]
    spaced = [part for block in blocks for part in (Text(), block)]
    return Group(_lines(singles, words), *spaced)


def _sorted(table: Table, words: Words) -> tuple[dict[str, Any], list[Columns], dict[str, dict[str, Struct]]]:
    """The fields, by the kind of block that shows them."""
    singles: dict[str, Any] = {}
    groups: list[Columns] = []
    lists: dict[str, dict[str, Struct]] = {}
    for name, value in fields(table):
        if name == "options" or name in words.backstage or _is_empty(value):
            continue
        if name in words.idle and not any(value.values() if isinstance(value, dict) else (value,)):
            continue
        if not isinstance(value, dict):
            singles[name] = value
        elif any(isinstance(item, Struct) and not isinstance(item, Pile) for item in value.values()):
            lists[name] = value
        else:
            _join(groups, name, value)
    return singles, groups, lists


def _join(groups: list[Columns], name: str, value: dict[str, Any]) -> None:
    """Put a field into the grid whose keys it shares."""
    for group in groups:
        if any(value.keys() & other.keys() for other in group.values()):
            group[name] = value
            return
    groups.append({name: value})


def _lines(singles: dict[str, Any], words: Words) -> RenderableType:
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column()
    short = {name: value for name, value in singles.items() if isinstance(value, (str, int))}
    pairs = [Text(f"{words.field(name)}: {_cell(value, words, name)}") for name, value in short.items()]
    for name, value in singles.items():
        if name not in short:
            grid.add_row(words.field(name), _cell(value, words, name))
    return Group(Side(pairs, padding=(0, 3)), grid)


def _columns(group: Columns, words: Words) -> RenderableType:
    keys = list(dict.fromkeys(key for value in group.values() for key in value))
    grid = Grid(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column()
    for key in keys:
        grid.add_column(words.field(key), ratio=1)
    for name, value in group.items():
        grid.add_row(words.field(name), *(_cell(value.get(key), words, name) for key in keys))
    return grid


def _down(name: str, value: dict[str, Any], words: Words) -> RenderableType:
    """One value for each of many ids: a row for each value if values repeat, else a row for each id."""
    ids = words.in_order(value)
    cells = {id: _cell(value[id], words, name) for id in ids}
    holders: dict[str, list[str]] = {}
    for id in sorted(ids, key=lambda id: _rank(value[id], words)):
        holders.setdefault(cells[id], []).append(words.name(id))
    if not any(value.values()):  # the ids have no values: they are only listed
        rows = [("", ", ".join(words.name(id) for id in ids))]
    elif 2 * len(holders) > len(ids):
        rows = [(words.name(id), cells[id]) for id in ids]
    else:
        rows = [(shown, ", ".join(names)) for shown, names in holders.items()]
    grid = Grid.grid(padding=(0, 2))
    for shown, rest in rows:
        grid.add_row(*([f"  {shown}", rest] if shown else [f"  {rest}"]))
    return Group(Text(words.field(name), style="bold"), grid)


def _rank(value: Any, words: Words) -> int:
    """The rank by which values are sorted: numbers by size, ids in the order of the game's list."""
    return value if isinstance(value, int) else words.place(str(value))


def _rows(name: str, rows: dict[str, Struct], words: Words) -> RenderableType:
    columns = list(dict.fromkeys(field for row in rows.values() for field in row.__struct_fields__))
    grid = Grid(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column(words.field(name))
    for column in columns:
        grid.add_column(words.field(column))
    for key, row in rows.items():
        grid.add_row(words.name(key), *(_cell(getattr(row, column, None), words) for column in columns))
    return grid


def _is_empty(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_is_empty(item) for item in value.values())
    return value is None or value is False or value in ("", ())


def _cell(value: Any, words: Words, of: str = "") -> str:
    """A value in words; `of` is the field of the table that holds it."""
    if isinstance(value, Pile):
        return _pile(value, words, of)
    if isinstance(value, Struct):
        return _pairs(fields(value), words, of)
    if isinstance(value, bool):
        return words.shown("yes" if value else "no")
    if value is None or value in ("", (), {}):
        return words.shown("nothing")
    if isinstance(value, dict):
        return _pairs(((key, value[key]) for key in words.in_order(value)), words, of)
    if isinstance(value, tuple):
        return _ids(value, words, of)
    return (words.texts.counted(of, 1) if value == HIDDEN else None) or words.name(value)


def _pairs(pairs: Iterable[tuple[str, Any]], words: Words, of: str) -> str:
    """Names with their values, one after another; those without a value are left out."""
    shown = [(name, value) for name, value in pairs if not _is_empty(value)]
    return ", ".join(f"{words.field(name)} {_cell(value, words, of)}" for name, value in shown)


def _ids(ids: Iterable[Any], words: Words, of: str) -> str:
    """Names, one after another; cards that this viewer does not know are only counted."""
    known = [_cell(item, words, of) for item in ids if item != HIDDEN]
    unknown = sum(1 for item in ids if item == HIDDEN)
    if not known:
        return words.count(unknown, of)
    between = "; " if any(isinstance(item, Struct) for item in ids) else ", "
    return between.join(known) + (f" + {words.count(unknown, of)}" if unknown else "")


def _pile(pile: Pile, words: Words, of: str) -> str:
    parts = [words.count(pile.size, of)]
    for place, cards in (("top", pile.top), ("bottom", pile.bottom)):
        if cards:
            parts.append(f"{words.field(place)}: {_ids(cards, words, of)}")
    return "; ".join(parts)
