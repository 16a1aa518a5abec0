"""Reads TRF files of other programs, within bounds; whatever is not understood is refused with its line.

Columns are counted in characters.  The edition of 2016 is read, too: record XXR for the number of rounds.
Of an entrant only number, name, rating, points, rank and rounds are read: no table needs sex, title,
federation, FIDE number or date of birth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from domain.kernel import Refused
from domain.tournaments.crosstable import (
    OPEN,
    Acceleration,
    Cell,
    Colour,
    Crosstable,
    Forbidden,
    Kind,
    Line,
    Outcome,
    Points,
    cell_of,
    contradiction,
    problem,
    rounds_paired,
    score,
)
from replay.sanitize import one_line
from replay.tournaments.trf import Kept, TrfFile

MOST_BYTES = 4 * 1024 * 1024
MOST_LINES = 20_000
MOST_COLUMNS = 4_000
MOST_ENTRANTS = 2_000
MOST_ROUNDS = 99
MOST_RULES = 1_000  # records 250 and 260, each
_BREAK = re.compile(r"\r\n|\r|\n")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_POINTS = re.compile(r" *(\d{1,2})(?:[.,]([05]))? *")
_WHOLE = re.compile(r" *([0-9]{1,4}) *")
_TEAMS = frozenset({"013", "310", "320", "330", "352", "362", "801", "802"})
_KNOWN = re.compile(r"0[2-9]2|1[0-3]2|1[789]2|2[012]2|222|240|300|XX[CZ]")
_SCHEMES = (Points(), Points(2, 1, 0, 1), Points(2, 1, 0, 0), Points(6, 2, 0, 6), Points(4, 2, 0, 4))
_AGAINST: dict[str, tuple[Outcome | None, bool, Kind]] = {
    "1": ("win", True, "played"),
    "=": ("draw", True, "played"),
    "0": ("loss", True, "played"),
    "W": ("win", False, "played"),
    "D": ("draw", False, "played"),
    "L": ("loss", False, "played"),
    "+": ("win", True, "forfeit"),
    "-": ("loss", True, "forfeit"),
    " ": (None, True, "pending"),
    "?": (None, True, "pending"),
}
_ALONE: dict[str, Kind] = {
    "U": "pairing_bye",
    "F": "full_bye",
    "+": "full_bye",
    "H": "half_bye",
    "Z": "absent",
    "-": "absent",
}
_COLOURS: dict[str, Colour] = {"w": "w", "b": "b"}


def read(data: bytes, usual: Points | None = None) -> TrfFile:
    """Read a TRF file.

    Entrants get the ids n1, n2, ...; a table keeps no names, so these stand beside it.

    Args:
        usual: what results are worth if the file does not say so; None: what its points fit.

    Raises:
        Refused: `invalid`: the file is too large, or says what cannot be; the sentence names the line.
    """
    if len(data) > MOST_BYTES:
        raise Refused("invalid", "trf-too-large", {"most": MOST_BYTES})
    text, encoding = _decoded(data)
    lines = _BREAK.split(text)
    if len(lines) > MOST_LINES:
        raise Refused("invalid", "trf-too-many-lines", {"most": MOST_LINES})
    reading = _Reading(usual)
    for number, line in enumerate(lines, 1):
        if line.strip():
            reading.take(number, line)
    return reading.file(encoding)


def _decoded(data: bytes) -> tuple[str, str]:
    """The text and its encoding: UTF-8 with or without a mark at the beginning, else Latin-1."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Refused("invalid", "trf-encoding")
    try:
        return data.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError:
        return data.decode("latin-1"), "latin-1"


class _Reading:
    """What the lines so far have said."""

    def __init__(self, usual: Points | None) -> None:
        self._usual = usual
        self._title = ""
        self._rounds: int | None = None
        self._colour: Colour | None = None
        self._points: Points | None = None
        self._comments: list[str] = []
        self._kept: list[Kept] = []
        self._players: dict[int, _Player] = {}
        self._accelerations: list[Acceleration] = []
        self._forbidden: list[Forbidden] = []
        self._penalties: dict[int, int] = {}

    def take(self, number: int, line: str) -> None:
        """Read one line, or keep it."""
        if len(line) > MOST_COLUMNS:
            raise Refused("invalid", "trf-line-too-long", {"line": number, "most": MOST_COLUMNS})
        if _CONTROL.search(line):
            raise Refused("invalid", "trf-control", {"line": number})
        kind, rest = line[:3], line[4:]
        if kind in _TEAMS:
            raise Refused("invalid", "trf-teams", {"line": number})
        match kind:
            case "###":
                self._comments.append(one_line(line[3:].strip()))
            case "012":
                self._title = one_line(rest.strip())
            case "142" | "XXR":
                self._rounds = _whole(rest, number, MOST_ROUNDS)
            case "XXC" if rest.strip() in ("white1", "black1"):
                self._colour = self._colour or _first_colour(rest.strip()[0], number)
            case "152":
                self._colour = _first_colour(rest, number)
            case "162":
                self._points = _scheme(line, number)
            case "001":
                self._add_player(number, line)
            case "250":
                self._accelerations.append(_acceleration(line, number))
            case "260":
                self._forbidden.append(_forbidden(line, number))
            case "299" if line[4:5] == " " and line[19:22] == "999":
                self._penalties[_whole(line[23:], number, MOST_ENTRANTS)] = _penalty(line, number)
            case _:
                self._kept.append(Kept(number, one_line(line.rstrip()), _KNOWN.fullmatch(kind) is not None))
        if max(len(self._accelerations), len(self._forbidden)) > MOST_RULES:
            raise Refused("invalid", "trf-too-many-lines", {"most": MOST_RULES})

    def _add_player(self, number: int, line: str) -> None:
        player = _Player(number, line)
        if player.number in self._players:
            raise Refused("invalid", "trf-twice", {"line": number, "number": player.number})
        self._players[player.number] = player

    def file(self, encoding: str) -> TrfFile:
        """Put together what was read, and check it as a whole."""
        players = [self._players[number] for number in sorted(self._players)]
        if not players or players[-1].number != len(players):
            raise Refused("invalid", "trf-numbers", {"count": len(players)})
        table = self._table(players)
        if (wrong := problem(table)) is not None:
            raise _contradicts(table, players, wrong)
        table = self._with_points(table, players)
        return TrfFile(
            table=table,
            title=self._title,
            names=tuple(player.name for player in players),
            ranks=tuple(player.rank for player in players),
            comments=tuple(self._comments),
            kept=tuple(self._kept),
            encoding=encoding,
            says_rounds=self._rounds is not None,
        )

    def _table(self, players: list[_Player]) -> Crosstable:
        longest = max(len(player.cells) for player in players)
        numbers = range(1, len(players) + 1)
        named = [one for rule in self._forbidden for one in rule.numbers]
        named += [one for rule in self._accelerations for one in (rule.lowest, rule.highest)]
        if unknown := {*named, *self._penalties} - {*numbers}:
            raise Refused("invalid", "trf-unknown-number", {"number": min(unknown)})
        table = Crosstable(
            rounds=longest if self._rounds is None else self._rounds,
            lines=tuple(player.line(self._penalties.get(player.number, 0)) for player in players),
            first_colour=self._colour,
            points=self._points or Points(),
            forbidden=tuple(self._forbidden),
            accelerations=tuple(self._accelerations),
        )
        return _without_gaps(table)

    def _with_points(self, table: Crosstable, players: list[_Player]) -> Crosstable:
        """The table with the scheme that gives the points of the file: its own, or the first usual one."""
        possible = _SCHEMES if self._usual is None else (self._usual, *_SCHEMES)
        for points in possible if self._points is None else (table.points,):
            tried = replace(table, points=points)
            if all(score(tried, line) == one.points for line, one in zip(table.lines, players, strict=True)):
                return tried
        pairs = zip(table.lines, players, strict=True)
        line, wrong = next((line, one) for line, one in pairs if score(table, line) != one.points)
        values = {"given": _shown(wrong.points), "computed": _shown(score(table, line))}
        raise Refused("invalid", "trf-points", {"line": wrong.at, "number": wrong.number, **values})


def _contradicts(table: Crosstable, players: list[_Player], wrong: str) -> Refused:
    """The refusal of a table that contradicts itself; of two opponents who do, with line and round."""
    found = contradiction(table) if wrong == "mirror" else None
    if found is None:
        return Refused("invalid", "trf-contradicts", {"what": wrong})
    line, number = found
    about = {"line": players[line.number - 1].at, "round": number, "number": line.number}
    return Refused("invalid", "trf-mirror", {**about, "opponent": cell_of(line, number).opponent or 0})


class _Player:
    """A record 001."""

    def __init__(self, at: int, line: str) -> None:
        self.at = at
        self.number = _whole(line[4:8], at, MOST_ENTRANTS)
        self.name = one_line(line[14:47].rstrip())
        self.rating = 0 if not line[48:52].strip() else _whole(line[48:52], at, 9_999, least=0)
        self.points = _half_points(line[80:84], at)
        self.rank = self.number if not line[85:89].strip() else _whole(line[85:89], at, 9_999, least=0)
        self.cells = tuple(_cells(line, at))

    def line(self, penalty: int) -> Line:
        """The line of the table."""
        return Line(f"n{self.number}", self.number, self.rating, self.cells, penalty=penalty)


def _cells(line: str, at: int) -> Iterator[Cell]:
    columns = line[89:].rstrip()
    count = -(-len(columns) // 10)
    if count > MOST_ROUNDS:
        raise Refused("invalid", "trf-too-many-rounds", {"line": at, "most": MOST_ROUNDS})
    for index in range(count):
        piece = f"{columns[index * 10 : index * 10 + 10]:<10}"
        if (cell := _cell(piece)) is None:
            said = one_line(piece.strip())
            raise Refused("invalid", "trf-cell", {"line": at, "round": index + 1, "text": said})
        yield cell


def _cell(piece: str) -> Cell | None:
    """One round, from its ten columns; None: it cannot be."""
    opponent, result = piece[2:6].strip(), piece[9].upper()
    if piece[:2] != "  " or piece[6] != " " or piece[8] != " ":
        return None
    if not piece.strip():
        return OPEN
    if opponent in ("", "0", "0000"):
        alone = _ALONE.get(result) if piece[7] in "- " else None
        return None if alone is None else Cell(alone)
    colour = _COLOURS.get(piece[7].lower())
    if colour is None or result not in _AGAINST or _WHOLE.fullmatch(opponent) is None:
        return None
    outcome, rated, kind = _AGAINST[result]
    return Cell(kind, int(opponent), colour, outcome, rated)


def _without_gaps(table: Crosstable) -> Crosstable:
    """The table with "absent" in place of each round that was paired without an entrant."""
    paired = rounds_paired(table)
    return replace(table, lines=tuple(_filled(line, paired) for line in table.lines))


def _filled(line: Line, paired: int) -> Line:
    cells = list(line.cells) + [OPEN] * (paired - len(line.cells))
    for index, cell in enumerate(cells[:paired]):
        if cell == OPEN:
            cells[index] = Cell("absent")
    while cells and cells[-1] == OPEN:
        cells.pop()
    return replace(line, cells=tuple(cells))


def _first_colour(text: str, at: int) -> Colour:
    colour = _COLOURS.get(text.strip().lower())
    if colour is None:
        raise Refused("invalid", "trf-value", {"line": at, "text": one_line(text.strip())})
    return colour


def _scheme(line: str, at: int) -> Points:
    """Record 162: a letter and four columns of points every nine columns; other letters are not used here."""
    worth = {
        line[start]: _half_points(line[start + 1 : start + 5], at) for start in range(5, len(line) - 1, 9)
    }
    win = worth.get("W", 2)
    return Points(win, worth.get("D", 1), worth.get("L", 0), worth.get("P", win))


def _acceleration(line: str, at: int) -> Acceleration:
    first, lowest = _whole(line[14:17], at, MOST_ROUNDS), _whole(line[22:26], at, MOST_ENTRANTS)
    last = _whole(line[18:21], at, MOST_ROUNDS) if line[18:21].strip() else first
    highest = _whole(line[27:31], at, MOST_ENTRANTS) if line[27:31].strip() else lowest
    return Acceleration(_half_points(line[9:13], at), first, last, lowest, highest)


def _forbidden(line: str, at: int) -> Forbidden:
    numbers = tuple(_whole(one, at, MOST_ENTRANTS) for one in line[11:].split())
    if len(numbers) < 2:
        raise Refused("invalid", "trf-value", {"line": at, "text": one_line(line[4:].strip())})
    return Forbidden(_whole(line[4:7], at, MOST_ROUNDS), _whole(line[8:11], at, MOST_ROUNDS), numbers)


def _penalty(line: str, at: int) -> int:
    """Half points that were taken away: record 299 gives them as a negative number."""
    text = line[13:17].strip()
    if not text.startswith("-"):
        raise Refused("invalid", "trf-value", {"line": at, "text": one_line(line[4:].strip())})
    return _half_points(text[1:], at)


def _whole(text: str, at: int, most: int, least: int = 1) -> int:
    found = _WHOLE.fullmatch(text)
    if found is None or not least <= int(found[1]) <= most:
        raise Refused("invalid", "trf-value", {"line": at, "text": one_line(text.strip())})
    return int(found[1])


def _half_points(text: str, at: int) -> int:
    found = _POINTS.fullmatch(text)
    if found is None:
        raise Refused("invalid", "trf-value", {"line": at, "text": one_line(text.strip())})
    return 2 * int(found[1]) + (found[2] == "5")


def _shown(half_points: int) -> str:
    return f"{half_points / 2:.1f}"
