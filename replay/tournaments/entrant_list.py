"""Reads a list of entrants from CSV: all of it, or one precise refusal that names line and column.

The first line names the columns: `name`, and any of `player` (an id), `rating`, `seed` and `mail` (an
address).  The text is UTF-8; a byte order mark at its beginning is taken.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from domain.kernel import Refused
from domain.tournaments.commands import RATING
from domain.tournaments.terms import MOST_ENTRANTS, must_be_plain

MOST_BYTES = 256 * 1024
NAME = 64  # characters of a name
_COLUMNS = ("name", "player", "rating", "seed", "mail")
_BOM = b"\xef\xbb\xbf"


class ListedEntrant(Struct, frozen=True):
    """A line of a list: the number of the line, a name, and the id of the player if it is given.

    mail: the address to which the code of the place is sent; "" for none, as for every player.
    """

    line: int
    name: str
    player: str = ""
    rating: int = 0
    seed: int = 0
    mail: str = ""


def read_entrants(
    content: bytes, is_address: Callable[[str], bool] = lambda text: False
) -> list[ListedEntrant]:
    """Read a list.

    Args:
        content: the bytes of the file.
        is_address: is a text a mail address that is taken?

    Raises:
        Refused: too-large; invalid: another encoding, an unknown or missing column, a line with a field too
            few or too many, a number that is none, a name, an id or a seed that occurs twice, an address
            that is none, or beside the id of a player.
    """
    if len(content) > MOST_BYTES:
        raise Refused("too-large", "body-too-large", {"most": MOST_BYTES})
    rows = _rows(_text(content))
    columns = next(rows, (0, []))[1]
    _must_be_columns(columns)
    found = [
        _entrant(number, dict(zip(columns, _fields(number, row, columns), strict=True)), is_address)
        for number, row in rows
    ]
    if not 1 <= len(found) <= MOST_ENTRANTS:
        raise Refused("invalid", "csv-count", {"count": len(found), "most": MOST_ENTRANTS})
    for column in ("name", "player", "seed"):
        _must_differ(found, column)
    return found


def _text(content: bytes) -> str:
    try:
        return content.removeprefix(_BOM).decode()
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise Refused("invalid", "csv-encoding", {"line": line}) from error


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """The rows with the numbers of their lines, without empty ones."""
    reader = csv.reader(io.StringIO(text), strict=True)
    try:
        for row in reader:
            if row:
                yield reader.line_num, [field.strip() for field in row]
    except csv.Error as error:
        raise Refused("invalid", "csv-broken", {"line": reader.line_num, "said": str(error)}) from error


def _must_be_columns(columns: list[str]) -> None:
    unknown = [name for name in columns if name not in _COLUMNS]
    if "name" not in columns or unknown or len(set(columns)) < len(columns):
        raise Refused("invalid", "csv-columns", {"given": columns[:10], "known": list(_COLUMNS)})


def _fields(number: int, row: list[str], columns: list[str]) -> list[str]:
    if len(row) != len(columns):
        about = {"line": number, "count": len(row), "wanted": len(columns)}
        raise Refused("invalid", "csv-fields", about)
    return row


def _entrant(number: int, row: Mapping[str, str], is_address: Callable[[str], bool]) -> ListedEntrant:
    name = row["name"]
    if not 1 <= len(name) <= NAME:
        raise Refused("invalid", "csv-value", {"line": number, "column": "name", "value": repr(name[:40])})
    must_be_plain({"name": name.replace("\n", "\x00")})
    rating, seed = _number(number, row, "rating", RATING), _number(number, row, "seed", MOST_ENTRANTS)
    player, mail = row.get("player", "")[:128], row.get("mail", "")
    if mail and (player or not is_address(mail)):
        raise Refused("invalid", "csv-value", {"line": number, "column": "mail", "value": repr(mail[:40])})
    return ListedEntrant(number, name, player, rating, seed, mail)


def _number(line: int, row: Mapping[str, str], column: str, most: int) -> int:
    text = row.get(column, "")
    if not text:
        return 0
    if not (text.isascii() and text.isdecimal() and len(text) < 10 and int(text) <= most):
        raise Refused("invalid", "csv-value", {"line": line, "column": column, "value": repr(text[:40])})
    return int(text)


def _must_differ(found: list[ListedEntrant], column: str) -> None:
    seen: dict[object, int] = {}
    for one in found:
        value = getattr(one, column)
        if value in seen:
            raise Refused(
                "invalid",
                "csv-twice",
                {"line": one.line, "column": column, "other": seen[value], "value": str(value)[:40]},
            )
        if value:
            seen[value] = one.line
