"""Reads the TRF of a tournament that runs, for its import: stricter than `trf_reading`, and with names.

Names go to the store of people, and everything else into a log that is public for ever.  So records 102 and
112, which name arbiters, are left out.  The text is UTF-8 without control and bidirectional characters.
"""

from __future__ import annotations

import hashlib
import unicodedata

from msgspec import Struct
from msgspec.structs import replace

from domain.kernel import Refused
from domain.tournaments.crosstable import Points as TablePoints
from domain.tournaments.imports import Begun, begun, terms_with, usual_terms, worth
from domain.tournaments.terms import TITLE, Terms
from replay.sanitize import one_line
from replay.tournaments.trf import Kept, TrfFile
from replay.tournaments.trf_reading import MOST_BYTES as MOST_READ
from replay.tournaments.trf_reading import read

MOST_BYTES = 1024 * 1024  # 1,000 players, 40 rounds, and the other records
MOST_KEPT = 200  # lines
MOST_KEPT_BYTES = 32 * 1024  # of all of them
_NAMING = ("102", "112")  # records with the names of arbiters
_COMMENT = "###"
assert MOST_BYTES <= MOST_READ


class ImportedTrf(Struct, frozen=True):
    """A tournament that goes on here: title, terms, names in the order of the lines, and what the file has.

    kept: the records that nothing here uses; an export has them again.  left_out: those that name people.
    """

    title: str
    terms: Terms
    names: tuple[str, ...]
    begun: Begun
    kept: tuple[Kept, ...]
    left_out: tuple[Kept, ...]


def read_running(
    content: bytes, terms: Terms | str, title: str = "", *, by_file: bool = False
) -> ImportedTrf:
    """Read the file of a tournament that runs.

    Args:
        content: the bytes of the file.
        terms: its terms, which must fit the file; or the name of a game, whose terms follow from the file.
        title: another title than that of the file.
        by_file: the terms get the rounds and the points of the file, whatever they say.

    Raises:
        Refused: too-large; invalid: the file is no TRF that can be imported, and the sentence names the line;
            terms, no-place, not-entered: see `domain.tournaments.imports.terms_with`.
    """
    if len(content) > MOST_BYTES:
        raise Refused("too-large", "body-too-large", {"most": MOST_BYTES})
    _must_be_plain(_text(content))
    file = read(content, None if isinstance(terms, str) or by_file else _points(terms))
    file = _with_rounds(file, terms)
    if isinstance(terms, str):
        terms = usual_terms(file.table, terms)
    elif by_file:
        terms = replace(terms, rounds=file.table.rounds, points=worth(file.table.points))
    _must_be_named(file)
    named = title.strip() or file.title.strip()
    if not named or len(named) > TITLE:
        raise Refused("invalid", "title-length", {"most": TITLE})
    left_out = tuple(one for one in file.kept if one.text[:3] in _NAMING)
    kept = tuple(one for one in file.kept if one not in left_out)
    lines = [f"{_COMMENT} {comment}".rstrip() for comment in file.comments] + [one.text for one in kept]
    _must_be_few(lines)
    terms = terms_with(file.table, terms)
    found = begun(file.table, hashlib.sha256(content).hexdigest(), lines)
    return ImportedTrf(named, terms, tuple(name.strip() for name in file.names), found, kept, left_out)


def comments_and_kept(lines: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[Kept, ...]]:
    """Return the lines that an imported tournament has kept, as a TRF holds them: comments, and records."""
    comments = tuple(line[len(_COMMENT) :].strip() for line in lines if line.startswith(_COMMENT))
    records = tuple(Kept(0, line, known=False) for line in lines if not line.startswith(_COMMENT))
    return comments, records


def _text(content: bytes) -> str:
    """The text.  Raises Refused: invalid: it is not UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise Refused("invalid", "trf-not-utf8", {"line": line}) from error


def _must_be_plain(text: str) -> None:
    """Check that no line holds control, bidirectional or other characters that are not seen.

    Raises:
        Refused: invalid; it names line and column.
    """
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        if line.isascii() and line.isprintable():
            continue
        safe = one_line(line)
        for column, (character, shown) in enumerate(zip(line, safe, strict=True), 1):
            if character != shown or unicodedata.category(character) in ("Cs", "Cn", "Co"):
                point = f"U+{ord(character):04X}"
                about: dict[str, str | int] = {"line": number, "column": column, "character": point}
                raise Refused("invalid", "trf-character", about)


def _points(terms: Terms) -> TablePoints:
    worth = terms.points
    return TablePoints(worth.win, worth.draw, worth.loss, worth.pairing_bye)


def _with_rounds(file: TrfFile, terms: Terms | str) -> TrfFile:
    """The file with the rounds of the terms, if it does not say how many there will be.  Raises Refused."""
    if file.says_rounds:
        return file
    if isinstance(terms, str):
        raise Refused("terms", "import-no-rounds")
    played = file.table.rounds
    if played > terms.rounds:
        raise Refused("terms", "import-rounds", {"file": played, "terms": terms.rounds})
    return replace(file, table=replace(file.table, rounds=terms.rounds))


def _must_be_named(file: TrfFile) -> None:
    """Check that each player has a name.  Raises Refused: invalid."""
    for number, name in enumerate(file.names, 1):
        if not name.strip():
            raise Refused("invalid", "trf-no-name", {"number": number})


def _must_be_few(lines: list[str]) -> None:
    if len(lines) > MOST_KEPT or sum(len(line.encode()) for line in lines) > MOST_KEPT_BYTES:
        raise Refused("invalid", "trf-kept", {"most": MOST_KEPT, "bytes": MOST_KEPT_BYTES})
