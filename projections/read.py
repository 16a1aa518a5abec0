"""The queries of the API: typed conditions in, rows out, page by page in a stable order.

Every function takes the tables (see `backend.Reading`), and reads the generation that is served.  One
statement reads the rows of a page, so all are of one moment; a cursor stays valid while rows are added and
deleted.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.kernel import Refused
from projections import history as histories
from projections.backend import NoTable, Reading, shape
from projections.boards import StandingRow, TotalsRow
from projections.history import SeatingRow
from projections.matches import OPEN, OVER, RUNNING, WAITING, MatchRow, SeatRow
from projections.model import BOTS, LIVE, R
from projections.ratings import (
    BEGINNER,
    RatedAs,
    RatedMatch,
    RatingChange,
    RatingRow,
    rated,
    rated_again,
)
from projections.tournaments import STATUSES as TOURNAMENT_STATUSES
from projections.tournaments import EntrantRow, OfficialRow, TournamentRow

MOST = 200  # rows on one page
STATUSES = (OPEN, WAITING, RUNNING, OVER)
OUTCOMES = (histories.RUNNING, histories.WON, histories.LOST, histories.DRAWN, histories.VOID)

_BEST = ("rating", "won", "player")  # by which standings are ordered, the highest first
T = TypeVar("T")


class Asked(Struct, frozen=True):
    """Which page: up to `limit` rows after `after`, which is the `next` of the page before."""

    limit: int = 50
    after: str | None = None


class Page(Struct, Generic[T], frozen=True):
    """Rows, and the cursor of the next page; `next` is None on the last page."""

    rows: tuple[T, ...]
    next: str | None


class MatchFilter(Struct, frozen=True):
    """Which matches; None: any.  `since` (included) and `until` (not included) bound the time of opening."""

    game: str | None = None
    edition: str | None = None
    player: str | None = None
    status: str | None = None
    origin: str | None = None
    since: int | None = None
    until: int | None = None
    branch_of: str | None = None
    hidden: frozenset[str] = frozenset()  # matches that are left out, even if their rows still exist
    reader: str | None = None  # the player who reads: private matches of others are left out


class HistoryFilter(Struct, frozen=True):
    """Which matches of a player; None: any."""

    game: str | None = None
    edition: str | None = None
    origin: str | None = None
    outcome: str | None = None
    hidden: frozenset[str] = frozenset()
    reader: str | None = None  # see `MatchFilter`


class Played(Struct, frozen=True):
    """One match of a player, and how it changed their rating (None: it was not rated)."""

    seating: SeatingRow
    rating: RatingRow | None


# ── match list ──


def matches(tables: Reading, which: MatchFilter, page: Asked) -> Page[MatchRow]:
    """Return a page of the match list, the latest opened first.

    Raises:
        Refused: invalid; unavailable, while the read model is being built.
    """
    _one_of("status", which.status, STATUSES)
    where = _Where(
        game=which.game,
        edition=which.edition,
        status=which.status,
        origin=which.origin,
        branch_of=which.branch_of,
    )
    where.add('"opened_at" >= ?', which.since)
    where.add('"opened_at" < ?', which.until)
    seats = f"{tables.views}{SeatRow.table}"
    where.add(f'"match" IN (SELECT "match" FROM {seats} WHERE "player" = ?)', which.player)
    where.add(*_without(tables, which.hidden))
    where.add(*_seen_by(seats, which.reader))
    order = ("opened", "match")
    where.after(order, cursor(page.after, (int, str)))
    latest = f"{where} ORDER BY {_descending(order)} LIMIT {_limit(page)}"
    return paged(rows_of(tables, MatchRow, latest, where.values), page, order)


def match(tables: Reading, match: str) -> MatchRow | None:
    """Return one match of the list; None if the list does not have it."""
    return next(iter(rows_of(tables, MatchRow, 'WHERE "match" = ?', (match,))), None)


def match_rows(tables: Reading, matches: Iterable[str]) -> list[MatchRow]:
    """Return the rows of these matches, in any order."""
    return rows_of(tables, MatchRow, f'WHERE "match" IN ({tables.listed})', (_array(matches),))


# ── tournaments ──


class TournamentFilter(Struct, frozen=True):
    """Which tournaments; None: any.

    player: an entrant, or one who is invited.  person: such a player, or an official.
    """

    game: str | None = None
    status: str | None = None
    player: str | None = None
    person: str | None = None


def tournaments(tables: Reading, which: TournamentFilter, page: Asked) -> Page[TournamentRow]:
    """Return a page of the public tournaments, the latest announced first.

    Raises:
        Refused: invalid; unavailable, while the read model is being built.
    """
    _one_of("status", which.status, TOURNAMENT_STATUSES)
    where = _Where(game=which.game, status=which.status)
    where.add('"listed" = ?', True)
    entrants = f"{tables.views}{EntrantRow.table}"
    where.add(
        f'"tournament" IN (SELECT "tournament" FROM {entrants} WHERE "player" = ?)',
        which.player,
    )
    officials = f"{tables.views}{OfficialRow.table}"
    where.add(
        f'"tournament" IN (SELECT "tournament" FROM {entrants} WHERE "player" = ?'
        f' UNION SELECT "tournament" FROM {officials} WHERE "person" = ?)',
        which.person,
        which.person,
    )
    order = ("opened", "tournament")
    where.after(order, cursor(page.after, (int, str)))
    latest = f"{where} ORDER BY {_descending(order)} LIMIT {_limit(page)}"
    return paged(rows_of(tables, TournamentRow, latest, where.values), page, order)


# ── lobby ──

OWN, SEATS, PUBLIC, LATELY = 200, 200, 20, 10  # rows of each list of a lobby


class LobbyRows(Struct, frozen=True):
    """The matches from which a lobby is made.

    `own`: in which the player sits and which are not over; `over`: those that are over; `open`: any with a
    free seat, except private ones, which are in `private`; `running` and `finished`: those that were played
    here, except private ones.
    """

    own: list[MatchRow]
    over: list[MatchRow]
    open: list[MatchRow]
    private: list[MatchRow]
    running: list[MatchRow]
    finished: list[MatchRow]


def lobby(tables: Reading, player: str | None, since: int, hidden: frozenset[str]) -> LobbyRows:
    """Return the rows of the lobby of a player (None: a visitor), the latest first.

    `since`: when a match of the player must have closed to be listed, in microseconds UTC.

    Raises:
        Refused: invalid; unavailable, while the read model is being built.
    """

    def found(most: int, order: str, *conditions: tuple[str, str | int | None]) -> list[MatchRow]:
        where = _Where()
        for condition, value in (*conditions, _without(tables, hidden)):
            where.add(condition, value)
        latest = f'{where} ORDER BY "{order}" DESC, "match" DESC LIMIT {most}'
        return rows_of(tables, MatchRow, latest, where.values)

    seats = f"{tables.views}{SeatRow.table}"
    own = (f'"match" IN (SELECT "match" FROM {seats} WHERE "player" = ?)', player)
    here = (f'"origin" IN ({tables.listed})', _array((LIVE, BOTS)))
    over, open_ = ('"status" = ?', OVER), ('"status" = ?', OPEN)
    public, private = ("private = ?", False), ("private = ?", True)
    return LobbyRows(
        own=found(OWN, "opened", ('"status" <> ?', OVER), own) if player else [],
        over=found(OWN, "closed_at", over, own, ('"closed_at" >= ?', since)) if player else [],
        open=found(SEATS, "opened", open_, here, public),
        private=found(SEATS, "opened", open_, here, private) if player else [],
        running=found(PUBLIC, "opened", ('"status" = ?', RUNNING), here, public),
        finished=found(LATELY, "closed_at", over, here, ('"closed_at" > ?', 0), public),
    )


# ── player history ──


def clocked(tables: Reading) -> list[str]:
    """Return the matches with a clock that are running."""
    found = rows_of(tables, MatchRow, "WHERE clocked = ? AND status = ?", (True, RUNNING))
    return [row.match for row in found]


def history(tables: Reading, player: str, which: HistoryFilter, page: Asked) -> Page[Played]:
    """Return a page of the matches of a player, the latest opened first.

    Raises:
        Refused: invalid; unavailable, while the read model is being built.
    """
    _one_of("outcome", which.outcome, OUTCOMES)
    where = _Where(
        player=player, game=which.game, edition=which.edition, origin=which.origin, outcome=which.outcome
    )
    where.add(*_without(tables, which.hidden))
    where.add(*_seen_by(f"{tables.views}{SeatingRow.table}", which.reader))
    order = ("opened", "match", "seat")
    where.after(order, cursor(page.after, (int, str, str)))
    latest = f"{where} ORDER BY {_descending(order)} LIMIT {_limit(page)}"
    seatings = paged(rows_of(tables, SeatingRow, latest, where.values), page, order)
    of_page = f'WHERE "player" = ? AND "match" IN ({tables.listed})'
    rated = rows_of(tables, RatingRow, of_page, (player, _array(row.match for row in seatings.rows)))
    ratings = {row.match: row for row in rated}
    return Page(tuple(Played(row, ratings.get(row.match)) for row in seatings.rows), seatings.next)


def standings_of(tables: Reading, player: str) -> list[StandingRow]:
    """Return the standing of a player on every board that has one."""
    return rows_of(tables, StandingRow, 'WHERE "player" = ? ORDER BY game, edition, pool', (player,))


def rating_changes(tables: Reading, asked: RatedAs) -> tuple[RatingChange, ...]:
    """Return whose ratings change if a match counts so, which is rated already or still runs; by player.

    Raises:
        Refused: unavailable, while the read model is being built.
    """
    board = asked.game, asked.edition
    found = rows_of(tables, RatedMatch, 'WHERE "match" = ?', (asked.match,))
    if found:
        changed = replace(found[0], winner=asked.winner, counts=asked.counts)
        after = 'WHERE "game" = ? AND "edition" = ? AND "closed" > ? ORDER BY "closed"'
        later = rows_of(tables, RatedMatch, after, (*board, changed.closed))
        skills = rated_again(changed, later)[1] if changed != found[0] else {}
    else:
        skills = dict.fromkeys(asked.players.values(), BEGINNER)
    on_board = f'WHERE "game" = ? AND "edition" = ? AND "pool" = ? AND "player" IN ({tables.listed})'
    rows = rows_of(tables, StandingRow, on_board, (*board, LIVE, _array(skills)))
    known = {row.player: row.skill for row in rows if row.skill}
    if not found and asked.counts:
        before = {seat: known.get(player, BEGINNER) for seat, player in asked.players.items()}
        after_it = rated(before, asked.winner)
        skills = {player: after_it[seat] for seat, player in asked.players.items()}
    changes = (RatingChange(one, known.get(one, BEGINNER).shown, skills[one].shown) for one in sorted(skills))
    return tuple(one for one in changes if one.before != one.after)


def ratings_changed(tables: Reading, cut: int) -> dict[int, int]:
    """Return where ratings of matches that were over were changed last: by the matches' place in the log.

    Args:
        cut: positions of the log are put together by so many; the key is the first of them.

    Raises:
        Refused: unavailable, while the read model is being built.
    """
    first = f"(closed - 1) / {cut:d} * {cut:d} + 1"  # of whole numbers
    asked = f"SELECT {first}, max(changed) FROM {tables.views}rated_matches WHERE changed > 0 GROUP BY 1"
    return {int(first): int(changed) for first, changed in _of_ratings(tables, asked)}


def rated_again_at(tables: Reading) -> list[tuple[str, int | None]]:
    """Return the matches that were rated otherwise after they were over, and the time of the last change.

    Raises:
        Refused: unavailable, while the read model is being built.
    """
    asked = f"SELECT match, changed_at FROM {tables.views}rated_matches WHERE changed > 0"
    return [(match, at) for match, at in _of_ratings(tables, asked)]


def _of_ratings(tables: Reading, asked: str) -> list[tuple[Any, ...]]:
    try:
        return list(tables.execute(asked, ()))
    except NoTable as error:
        raise Refused("unavailable", "read-model-built", {"model": RatedMatch.table}) from error


def changed_matches(tables: Reading, first: int, last: int) -> list[RatedMatch]:
    """Return the matches that closed at positions from `first` to `last` and were rated otherwise since.

    Raises:
        Refused: unavailable, while the read model is being built.
    """
    return rows_of(tables, RatedMatch, "WHERE changed > 0 AND closed BETWEEN ? AND ?", (first, last))


# ── scoreboards ──


def totals(
    tables: Reading,
    game: str | None = None,
    edition: str | None = None,
    pool: str | None = LIVE,
) -> list[TotalsRow]:
    """Return the totals of every game and edition, in one pool or (`pool` is None) in all."""
    where = _Where(game=game, edition=edition, pool=pool)
    return rows_of(tables, TotalsRow, f"{where} ORDER BY game, edition, pool", where.values)


def standings(tables: Reading, game: str, edition: str, page: Asked, pool: str = LIVE) -> Page[StandingRow]:
    """Return a page of the players on one board: by rating, then by matches won, then by id.

    Raises:
        Refused: invalid; unavailable, while the read model is being built.
    """
    where = _Where(game=game, edition=edition, pool=pool)
    where.after(_BEST, cursor(page.after, (int, int, str)))
    best = f"{where} ORDER BY {_descending(_BEST)} LIMIT {_limit(page)}"
    return paged(rows_of(tables, StandingRow, best, where.values), page, _BEST)


# ── conditions, cursors, rows ──


class _Where:
    """The conditions of a query, and their values."""

    def __init__(self, **equal: str | None) -> None:
        self.conditions: list[str] = []
        self.values: list[str | int] = []
        for name, value in equal.items():
            self.add(f'"{name}" = ?', value)

    def add(self, condition: str, *values: str | int | None) -> None:
        """Add a condition, unless one of its values is None."""
        known = [value for value in values if value is not None]
        if len(known) == len(values):
            self.conditions.append(condition)
            self.values += known

    def after(self, order: Sequence[str], cursor: Sequence[str | int] | None) -> None:
        """Add the condition that a row comes after the cursor in descending order."""
        if cursor is not None:
            marks = ", ".join("?" * len(order))
            self.conditions.append(f"({_quoted(order)}) < ({marks})")
            self.values += cursor

    def __str__(self) -> str:
        return f"WHERE {' AND '.join(self.conditions)}" if self.conditions else ""


def _without(tables: Reading, hidden: frozenset[str]) -> tuple[str, str | None]:
    """The condition that leaves out these matches."""
    return f'"match" NOT IN ({tables.listed})', _array(sorted(hidden)) if hidden else None


def _seen_by(seats: str, reader: str | None) -> tuple[str, str | bool]:
    """The condition that leaves out private matches in which the reader does not sit; `seats`: a table.

    The column stands without quotes: SQLite takes a quoted name that it does not know for a text.
    """
    if reader is None:
        return "private = ?", False
    return f'(NOT private OR "match" IN (SELECT "match" FROM {seats} WHERE "player" = ?))', reader


def _array(texts: Iterable[str]) -> str:
    return msgspec.json.encode(list(texts)).decode()


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _descending(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}" DESC' for name in names)


def _one_of(name: str, value: str | None, known: Sequence[str]) -> None:
    if value is not None and value not in known:
        raise Refused("invalid", "no-such-value", {"name": name, "value": repr(value[:40]), "known": known})


def _limit(page: Asked) -> int:
    """One row more than asked, which tells whether there is another page."""
    if not 1 <= page.limit <= MOST:
        raise Refused("invalid", "page-size", {"most": MOST, "rows": page.limit})
    return page.limit + 1


def cursor(text: str | None, kinds: tuple[type, ...]) -> list[str | int] | None:
    """Decode the `next` of a page; return None for the first page.

    Raises:
        Refused: invalid, if it is not the cursor of a page of this list.
    """
    if text is None:
        return None
    try:
        plain = base64.urlsafe_b64decode(text.encode() + b"==")
        values = msgspec.json.decode(plain, type=list[str | int])
    except ValueError:
        values = []
    if tuple(type(value) for value in values) != kinds:
        raise Refused("invalid", "not-a-next", {"text": repr(text[:40])})
    return values


def paged(rows: list[T], page: Asked, order: Sequence[str]) -> Page[T]:
    """Make a page of rows; `rows` holds one more than asked if there is another page."""
    if len(rows) <= page.limit:
        return Page(tuple(rows), None)
    last = [getattr(rows[page.limit - 1], name) for name in order]
    after = base64.urlsafe_b64encode(msgspec.json.encode(last)).decode().rstrip("=")
    return Page(tuple(rows[: page.limit]), after)


def rows_of(tables: Reading, kind: type[R], rest: str, values: Sequence[Any]) -> list[R]:
    """Return rows of the generation that is served; `rest` says which, with `values` for its marks.

    Raises:
        Refused: invalid; unavailable, while the read model is being built.
    """
    kept = shape(kind)
    try:
        found = tables.execute(f"SELECT {kept.names} FROM {tables.views}{kind.table} {rest}", values)
        return [kept.row(row) for row in found]
    except (OverflowError, UnicodeEncodeError) as error:
        raise Refused("invalid", "beyond-database") from error
    except (NoTable, msgspec.DecodeError) as error:
        raise Refused("unavailable", "read-model-built", {"model": kind.table}) from error
