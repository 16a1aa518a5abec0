"""Tournaments for lists: one row each, one for each entrant, one for each board.

Standings are not here: they are computed when they are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import msgspec
from msgspec.structs import replace

from domain.tournaments import events as e
from domain.tournaments.fold import folded, match_of
from domain.tournaments.state import DIRECTOR
from projections.model import Change, Delivered, Gone, Projection, Row, Rows, expect

ANNOUNCED, ENTERING, RUNNING, FINISHED = "announced", "entering", "running", "finished"
PUBLISHED, CANCELLED = "published", "cancelled"
STATUSES = (ANNOUNCED, ENTERING, RUNNING, FINISHED, PUBLISHED, CANCELLED)


class TournamentRow(Row, frozen=True, kw_only=True):
    """One tournament; times in microseconds UTC, None where unknown.

    `opened` is the position of its first record, the order of the list.  `listed`: do lists show it?
    `closed`: is the latest round closed?
    """

    table: ClassVar[str] = "tournaments"
    key: ClassVar[tuple[str, ...]] = ("tournament",)
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (("opened", "tournament"), ("status",))

    tournament: str
    opened: int
    title: str
    game: str
    format: str
    status: str = ANNOUNCED
    announced_at: int | None = None
    listed: bool = True
    entrants: int = 0
    round: int = 0
    rounds: int = 0
    closed: bool = False
    entry: int = 1


class EntrantRow(Row, frozen=True, kw_only=True):
    """One entrant of a tournament; `player` of an invited one is the person who was invited."""

    table: ClassVar[str] = "entrants"
    key: ClassVar[tuple[str, ...]] = ("tournament", "entrant")
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (("player", "tournament"),)

    tournament: str
    entrant: str
    player: str
    status: str
    rating: int = 0
    seed: int = 0


class OfficialRow(Row, frozen=True, kw_only=True):
    """An office that a person has in a tournament."""

    table: ClassVar[str] = "tournament_officials"
    key: ClassVar[tuple[str, ...]] = ("tournament", "person", "office")
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (("person", "tournament"),)

    tournament: str
    person: str
    office: str


class BoardRow(Row, frozen=True, kw_only=True):
    """One board of a round; `status` as in `domain.tournaments.state.Board`."""

    table: ClassVar[str] = "tournament_boards"
    key: ClassVar[tuple[str, ...]] = ("tournament", "round", "board")
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (("match",),)

    tournament: str
    round: int
    board: int
    match: str
    w: str
    b: str
    status: str = "paired"


class PairingMemory(Row, frozen=True, kw_only=True):
    """The random part of a round, which the ids of its matches derive from."""

    table: ClassVar[str] = "pairing_memory"
    key: ClassVar[tuple[str, ...]] = ("tournament", "round")
    internal: ClassVar[bool] = True

    tournament: str
    round: int
    random: str


class EntryMemory(Row, frozen=True, kw_only=True):
    """An entry on which the status of its tournament depends, as JSON without its long fields."""

    table: ClassVar[str] = "tournament_memory"
    key: ClassVar[tuple[str, ...]] = ("tournament", "entry")
    internal: ClassVar[bool] = True

    tournament: str
    entry: int
    text: str


def fold(rows: Rows, delivered: Delivered) -> Iterator[Change]:
    """What one entry does to the rows of its tournament."""
    record = delivered.record
    entry: Any = record.entry
    if isinstance(entry, e.Announced):
        yield _announced(delivered, entry)
        yield OfficialRow(tournament=entry.tournament, person=entry.by, office=DIRECTOR)
        yield _memory(entry.tournament, entry)
        return
    row = replace(expect(rows.get(TournamentRow, record.match), record), entry=entry.entry)
    yield from _people(rows, row, entry)
    yield from _boards(rows, row, entry)
    yield _counted(rows, _status(row, entry), entry)
    if not isinstance(entry, _FORGOTTEN):
        yield _memory(record.match, entry)


def _announced(delivered: Delivered, entry: e.Announced) -> TournamentRow:
    terms = entry.terms
    return TournamentRow(
        tournament=entry.tournament,
        opened=delivered.position,
        title=entry.title,
        game=terms.game,
        format=terms.format,
        announced_at=entry.at,
        listed=terms.visibility == "public",
        rounds=terms.rounds,
    )


def _status(row: TournamentRow, entry: Any) -> TournamentRow:
    match entry:
        case e.Invited() | e.Entered() | e.Waitlisted():
            fresh = int(not isinstance(entry, e.Entered) or entry.entrant == f"n{row.entrants + 1}")
            status = ENTERING if row.status == ANNOUNCED else row.status
            return replace(row, entrants=row.entrants + fresh, status=status)
        case e.Paired():
            return replace(row, status=RUNNING, round=entry.round, closed=False)
        case e.RoundClosed():
            return replace(row, closed=row.closed or entry.round == row.round)
        case e.RoundReopened():
            return replace(row, status=RUNNING, closed=False)
        case e.Published():
            return replace(row, status=PUBLISHED) if entry.final else row
        case e.Cancelled():
            return replace(row, status=CANCELLED)
        case e.TermsChanged() if entry.path == "visibility":
            return replace(row, listed=entry.after == '"public"')
        case e.TermsChanged() if entry.path == "rounds":
            return replace(row, rounds=int(entry.after))
        case e.TermsChanged() if entry.path in ("format", "game"):
            return replace(row, **{entry.path: entry.after.strip('"')})
        case _:
            return row


def _counted(rows: Rows, row: TournamentRow, entry: Any) -> TournamentRow:
    """The row with the status that the entries so far come to, if the latest round is closed.

    Whether a round was the last one may depend on its results, as in a knock-out, so they are folded again;
    after few entries is the latest round closed.
    """
    if not row.closed or row.status in (PUBLISHED, CANCELLED) or isinstance(entry, _FORGOTTEN):
        return row
    had = [_decode(one.text) for one in rows.under(EntryMemory, row.tournament)]
    state = folded(None, [*had, entry])
    return row if state is None else replace(row, status=state.status)


_FORGOTTEN = (
    *(e.BoardOpened, e.Confirmed, e.ArbiterCalled, e.ArbiterAnswered, e.LotDrawn, e.PrivilegedRead),
    *(e.Extended, e.Adjourned, e.Paused, e.Resumed, e.Frozen, e.Released),
)
"""The entries on which no status depends."""
_decode = msgspec.json.Decoder(e.AnyEntry).decode


def _memory(tournament: str, entry: Any) -> EntryMemory:
    brief = replace(entry, prev="", sealed={})
    if isinstance(brief, e.Paired):
        brief = replace(brief, input="")
    text = msgspec.json.encode(brief).decode()
    return EntryMemory(tournament=tournament, entry=entry.entry, text=text)


def _people(rows: Rows, row: TournamentRow, entry: Any) -> Iterator[Change]:
    name = row.tournament
    match entry:
        case e.Appointed():
            yield OfficialRow(tournament=name, person=entry.person, office=entry.office)
        case e.Dismissed():
            yield Gone(OfficialRow, (name, entry.person, entry.office))
        case e.Invited():
            seeded = {"rating": entry.rating, "seed": entry.seed_order}
            yield EntrantRow(
                tournament=name, entrant=entry.entrant, player=entry.person, status="invited", **seeded
            )
        case e.Entered() | e.Waitlisted():
            known = rows.get(EntrantRow, name, entry.entrant)
            status = "active" if isinstance(entry, e.Entered) else "waiting"
            yield EntrantRow(
                tournament=name,
                entrant=entry.entrant,
                player=entry.player,
                status=status,
                rating=entry.rating_before,
                seed=known.seed if known else getattr(entry, "seed_order", 0),
            )
        case e.Seeded():
            for place, entrant in enumerate(entry.order, 1):
                yield replace(_entrant(rows, row, entrant), seed=place)
        case e.Admitted() | e.Returned() | e.Withdrew() | e.Replaced():
            status = "withdrawn" if isinstance(entry, e.Withdrew) else "active"
            found = replace(_entrant(rows, row, entry.entrant), status=status)
            yield replace(found, player=entry.substitute) if isinstance(entry, e.Replaced) else found
        case e.Penalised() if entry.penalty == "expulsion":
            yield replace(_entrant(rows, row, entry.entrant), status="withdrawn")


def _entrant(rows: Rows, row: TournamentRow, entrant: str) -> EntrantRow:
    found = rows.get(EntrantRow, row.tournament, entrant)
    if found is None:
        raise LookupError(f"{entrant} of {row.tournament} came before its own entry")
    return found


def _boards(rows: Rows, row: TournamentRow, entry: Any) -> Iterator[Change]:
    name = row.tournament
    match entry:
        case e.Paired() | e.PairingChanged():
            memory = rows.get(PairingMemory, name, entry.round)
            random = entry.random if isinstance(entry, e.Paired) else memory.random if memory else ""
            if isinstance(entry, e.Paired):
                yield PairingMemory(tournament=name, round=entry.round, random=random)
            yield Gone(BoardRow, (name, entry.round))
            for one in entry.boards:
                match_id = match_of(name, entry.round, one.board, random)
                yield BoardRow(
                    tournament=name,
                    round=entry.round,
                    board=one.board,
                    match=match_id,
                    w=one.w,
                    b=one.b,
                )
        case e.Ruled() if not entry.result:  # on the match alone: it is taken back or void
            return
        case e.BoardOpened() | e.ResultRecorded() | e.Confirmed() | e.Ruled():
            found = rows.get(BoardRow, name, entry.round, entry.board)
            if found is not None:
                yield replace(found, status=_board_status(found.status, entry))


def _board_status(before: str, entry: Any) -> str:
    if before == "ruled" or isinstance(entry, e.Ruled):
        return "ruled"
    if isinstance(entry, e.BoardOpened):
        return "running"
    return "recorded" if isinstance(entry, e.ResultRecorded) else "confirmed"


TOURNAMENTS = Projection(
    "tournaments",
    3,
    (TournamentRow, EntrantRow, OfficialRow, BoardRow, PairingMemory, EntryMemory),
    fold,
    of_matches=False,
    of_tournaments=True,
)
