"""The moves of a match as a table for an audit: when, who, asked what, answered what, with which draws.

A row shows what a spectator sees, and once the match is over what everybody may see.  Times are the server's
word: nothing proves them.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from msgspec import Struct

from domain import kernel
from domain.chance import Drawn
from domain.events import FactEntry, Key, Played, Ruled, SecretOpened, TakenBack
from domain.kernel import Pick, Seat
from domain.log import HOUSE, Record, b64
from domain.match import Match
from domain.match_base import ALL
from replay.narration import narrate
from replay.sanitize import no_formula
from replay.words import Words

COLUMNS = (
    "move",
    "time_utc",
    "think_seconds",
    "seat",
    "kind",
    "question",
    "answer",
    "draws",
    "root",
    "stands",
)


class Draw(Struct, frozen=True):
    """A draw as it is recorded, with the name of what was drawn; `result` is one of 0 to n - 1."""

    label: str
    counter: int
    n: int
    result: int
    pick: Pick
    name: str
    period: int
    forced: bool


class MoveRow(Struct, frozen=True):
    """One move.

    `at`: microseconds UTC, None if unknown.  `think`: microseconds from the question to the answer, None if
    the move answers none.  `question` and `answer` are in words; of a move that answers no question, `answer`
    says what was done.
    """

    move: int
    kind: str
    at: int | None
    think: int | None
    seat: Seat | None
    question: str
    answer: str
    draws: list[Draw]
    root: str
    stands: bool

    @property
    def time(self) -> str:
        """When, in UTC to the millisecond; empty if unknown."""
        return moment(self.at)


class Ruling(Struct, frozen=True):
    """A ruling, and the moves that show the table before and after it; `undone`: the moves it took back."""

    move: int
    by: str
    reason: str
    before: int
    after: int
    undone: tuple[int, int] | None


def rows(match: Match, words: Words, people: Mapping[str, str], after: int, most: int) -> list[MoveRow]:
    """Return at most so many rows, from the move after `after` on; `people` are names of players by id."""
    known = dict(people)
    stands = set(match.line())
    numbers = range(after + 1, min(after + most, match.move) + 1)
    records = [match.records[number - 1] for number in numbers]
    return [_row(match, one, words, known, one.move in stands or not _is_undoable(one)) for one in records]


def _is_undoable(record: Record) -> bool:
    """Can a takeback or a ruling undo it?  Only what brings facts; a request or a ruling itself stays."""
    return isinstance(record.entry, FactEntry)


def shows_everything(match: Match) -> bool:
    """May everybody see the private parts?  An imported match has none that players knew."""
    return match.closed is not None and not match.imported and all(record.sealed for record in match.records)


def _row(match: Match, record: Record, words: Words, people: dict[str, str], stands: bool) -> MoveRow:
    entry, is_open = record.entry, shows_everything(match)
    told = narrate(match, record.move, words, ALL if is_open else None, people)
    question, think = _asked(match, record, words) if isinstance(entry, Played) else ("", None)
    return MoveRow(
        record.move,
        told.kind,
        entry.at,
        think,
        getattr(entry, "seat", None),
        question,
        _answer(record, words, is_open) if isinstance(entry, Played) else told.opening.text,
        _draws(record, words, is_open),
        b64(match.roots[record.move - 1]),
        stands,
    )


def _asked(match: Match, record: Record, words: Words) -> tuple[str, int | None]:
    """The question in words, once the match is over, and the time that the answer took."""
    asked = match.asked_at(record.move - 1)
    if asked is None or record.entry.seat not in asked.seats:
        return "", None
    put = match.records[asked.seats[record.entry.seat] - 1].entry.at
    took = None if put is None or record.entry.at is None else record.entry.at - put
    if not shows_everything(match):  # a question may name what only its seat knows
        return "", took
    try:
        prompt = kernel.prompt(match.table_with_agenda(record.move - 1), record.entry.seat)
        return words.texts.why(prompt) if prompt else "", took
    except Exception:  # an old step under new rules may raise anything
        return "", took


def _answer(record: Record, words: Words, is_open: bool) -> str:
    picks = record.picks if is_open else record.entry.picks
    if picks is None:
        return ""
    return words.picks(record.entry.ask, picks).text if picks else "–"


def _draws(record: Record, words: Words, is_open: bool) -> list[Draw]:
    if not isinstance(record.entry, FactEntry):
        return []
    house = record.parts.get(HOUSE) if is_open else None
    return [_draw(draw, words) for draw in (*record.entry.draws, *(house.draws if house else ()))]


def _draw(draw: Drawn, words: Words) -> Draw:
    name = words.name(draw.pick)
    return Draw(draw.label, draw.counter, draw.n, draw.result, draw.pick, name, draw.period, draw.forced)


def rulings(match: Match, people: Mapping[str, str]) -> list[Ruling]:
    """Return the rulings of a match, in order."""
    return [_ruling(match, one, people) for one in match.records if isinstance(one.entry, Ruled)]


def organizers(match: Match) -> list[str]:
    """Return the ids of those who ruled."""
    return sorted({one.entry.by for one in match.records if isinstance(one.entry, Ruled)})


def _ruling(match: Match, record: Record, people: Mapping[str, str]) -> Ruling:
    entry, move = record.entry, record.move
    follows = match.records[move].entry if move < match.move else None
    back = isinstance(follows, TakenBack) and entry.back_to is not None and entry.back_to < move - 1
    undone = (entry.back_to + 1, move - 1) if back else None
    after = min(move + 1, match.move)
    return Ruling(move, people.get(entry.by, entry.by), entry.reason, max(1, move - 1), after, undone)


def opened_keys(match: Match) -> tuple[str | None, dict[int, str]]:
    """Return the opened secret (None while the match runs), and the opened keys by period, in base64."""
    secret, keys = None, dict[int, str]()
    for record in match.records:
        entry = record.entry
        if isinstance(entry, SecretOpened):
            secret = entry.secret
        for key in getattr(entry, "keys", ()):
            _take(key, keys)
    return secret, keys


def _take(key: Key, keys: dict[int, str]) -> None:
    keys[key.period] = key.key


def moment(at: int | None) -> str:
    """Return a time in UTC, to the millisecond; empty if it is unknown or beyond what can be written."""
    if at is None:
        return ""
    try:
        return datetime.fromtimestamp(at / 1_000_000, UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
    except (OverflowError, ValueError, OSError):
        return ""


def as_csv(table: Iterable[MoveRow], names: Mapping[Seat, str]) -> str:
    """Return the table as CSV (RFC 4180), a row for each move; `names`: of the seats.

    A cell that a spreadsheet would take for a formula begins with an apostrophe.
    """
    target = io.StringIO(newline="")
    writer = csv.writer(target)
    writer.writerow(COLUMNS)
    for row in table:
        think = "" if row.think is None else f"{row.think / 1_000_000:.3f}"
        draws = "; ".join(
            f"{draw.label} {draw.counter}: {draw.result} of {draw.n} = {draw.pick}" for draw in row.draws
        )
        seat = names.get(row.seat or "", row.seat or "")
        told = (row.time, think, seat, row.kind, row.question, row.answer, draws, row.root)
        writer.writerow([row.move, *map(no_formula, told), "yes" if row.stands else "no"])
    return target.getvalue()
