"""The bodies of requests and answers about tournaments; see `api.http.schemas`.

Points are whole numbers of half points, times microseconds UTC, roots base64.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from msgspec import UNSET, Meta, Struct, UnsetType

from api.http.request_schemas import MailAddress, Request
from api.http.schemas import DraftBoard
from domain.tournaments.commands import (
    MOST_BOARDS,
    BoardNumber,
    BoardPolicy,
    EntrantId,
    EntryNumber,
    HeldMove,
    HeldRoot,
    MatchRuling,
    Pairing,
    Rating,
    Reason,
    RoundNumber,
    RulingReason,
    Seed,
    Sha256,
    Text,
)
from domain.tournaments.events import Origin, Result
from domain.tournaments.terms import MOST_ENTRANTS, GivenTerms, Terms, Time, Title
from replay.tournaments.trf import Kept
from replay.tournaments.trf_import import MOST_BYTES

InvitedName = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[^\u0000-\u001f\u007f]+$(?!\n)")]


class Announce(Request, frozen=True):
    """A new tournament."""

    title: Title
    terms: GivenTerms


class TournamentImport(Request, frozen=True):
    """A running tournament as a TRF, in UTF-8.

    Either `terms`, which must fit the file, or a `game`, whose terms follow from the file.
    `title`: another one than that of the file.
    """

    most_bytes: ClassVar[int] = 2 * MOST_BYTES  # of the body; JSON may write a character as six bytes

    trf: Annotated[str, Meta(min_length=1, max_length=MOST_BYTES)]
    terms: GivenTerms | None = None
    game: Annotated[str, Meta(min_length=1, max_length=64)] | None = None
    title: Title | None = None


class Expecting(Request, frozen=True):
    """The latest entry that the caller has seen."""

    expect: EntryNumber


class CommitPairing(Request, frozen=True):
    """A draft of a pairing, by its hash."""

    expect: EntryNumber
    draft_sha256: Sha256


class ChangedPairing(Request, frozen=True):
    """A pairing by hand: all boards of the round, in their order."""

    expect: EntryNumber
    boards: Annotated[tuple[Pairing, ...], Meta(max_length=MOST_BOARDS)]
    reason: Annotated[str, Meta(max_length=20)]
    text: Reason


class Publication(Request, frozen=True):
    """Publish the pairings of a round."""

    expect: EntryNumber
    opens_at: Time | None = None
    until: Time | None = None
    despite_calls: Text = ""


class RoundClosing(Request, frozen=True):
    """Close a round; `boards`: what is to happen to those without a result that stands."""

    expect: EntryNumber
    boards: Annotated[tuple[BoardPolicy, ...], Meta(max_length=MOST_BOARDS)] = ()
    reason: Text = ""


class BoardRuling(Request, frozen=True):
    """A ruling on a board: exactly one of its `result`, and a ruling on its `match`, which runs.

    `reported`: the result comes from elsewhere.  Then `statement` is what both entrants stated about that
    game (each may confirm it), and `file` its match file, uploaded before, by its SHA-256.
    """

    expect: EntryNumber
    reason: RulingReason
    text: Reason
    result: Result | None = None
    match: MatchRuling | None = None
    rule: Annotated[str, Meta(max_length=200)] = ""
    note: Text = ""
    reported: bool = False
    statement: Text = ""
    file: Sha256 | None = None
    preview: Sha256 | None = None


class Penalty(Request, frozen=True):
    """A penalty of an entrant; `amount`: half points, or seconds of time."""

    expect: EntryNumber
    entrant: EntrantId
    penalty: Annotated[str, Meta(max_length=20)]
    text: Reason
    amount: Annotated[int, Meta(ge=0, le=86_400)] = 0
    rule: Annotated[str, Meta(max_length=200)] = ""


class ArbiterCall(Request, frozen=True):
    """A call for the arbiter, about a board or a ruling, or without naming one.

    `held_root`: the root over the first `held_move` moves of the match on the own board, as it was kept.
    """

    text: Reason
    round: RoundNumber | None = None
    board: BoardNumber | None = None
    ruling: EntryNumber | None = None
    held_move: HeldMove | None = None
    held_root: HeldRoot | None = None


class CallAnswer(Request, frozen=True):
    """The answer to a call."""

    expect: EntryNumber
    text: Reason
    outcome: Annotated[str, Meta(max_length=20)] = "answered"


class PublishStandings(Request, frozen=True):
    """Publish the standings as they are now."""

    expect: EntryNumber
    final: bool = False
    note: Text = ""


class InvitedRow(Request, frozen=True):
    """A person to be invited, by name.  `mail`: the address to which the code is sent."""

    name: InvitedName
    seed_order: Seed = 0
    rating: Rating = 0
    mail: MailAddress | None = None


class Invitations(Request, frozen=True):
    """People to be invited: all of them or none."""

    expect: EntryNumber
    entrants: Annotated[tuple[InvitedRow, ...], Meta(min_length=1, max_length=MOST_ENTRANTS)]


# ── answers ──


class Entries(Struct, frozen=True):
    """What a command added: its entries as the log has them, the last one, and the root after it."""

    tournament: str
    entry: int
    root: str
    facts: tuple[Any, ...]


class Invitation(Struct, frozen=True):
    """A kept place, and the code with which its person signs in; it is shown only now.

    `mailed`: a code is sent by mail instead, and `code` is empty.
    """

    entrant: str
    person: str
    name: str
    code: str
    mailed: bool = False


class InvitationsMade(Struct, frozen=True):
    """The places that are kept now."""

    tournament: str
    entry: int
    root: str
    invitations: tuple[Invitation, ...]


class TournamentImported(Struct, frozen=True):
    """A tournament that goes on here.

    played: so many of its rounds were played elsewhere.  paired: so many it has, with one that waits for all
        its results.
    kept: records of the file that nothing here uses; an export has them again.  left_out: records that name
        people, which no log does.
    """

    tournament: str
    entry: int
    root: str
    played: int
    paired: int
    invitations: tuple[Invitation, ...]
    kept: tuple[Kept, ...]
    left_out: tuple[Kept, ...]


class TournamentListed(Struct, frozen=True):
    """One tournament of a list."""

    tournament: str
    title: str
    game: str
    format: str
    status: str
    entrants: int
    round: int
    rounds: int
    announced_at: int | None


class TournamentList(Struct, frozen=True):
    """A page of tournaments; `next` is the `after` of the next one."""

    tournaments: tuple[TournamentListed, ...]
    next: str | None


class RoundListed(Struct, frozen=True):
    """A round in short."""

    round: int
    status: str
    boards: int
    unfinished: int
    opens_at: int | None
    until: int | None


class TournamentView(Struct, frozen=True):
    """A tournament after `entry`; `origin`: of an imported one."""

    tournament: str
    title: str
    status: str
    entry: int
    root: str
    terms: Terms
    terms_changed: tuple[int, ...]
    officials: dict[str, tuple[str, ...]]
    entrants: int
    waiting: int
    rounds: tuple[RoundListed, ...]
    last_round: int
    lots: dict[str, int]
    calls: int
    publications: tuple[Any, ...]
    names: dict[str, str]
    origin: Origin | None = None


class EntrantView(Struct, frozen=True):
    """One entrant; `number` is the place in the order of pairing, 0 for those on the waiting list."""

    entrant: str
    player: str
    number: int
    status: str
    rating: int
    rating_source: str
    seed: int
    score: int
    penalty: int
    players: tuple[str, ...]
    byes: dict[str, int]


class EntrantsView(Struct, frozen=True):
    """A page of entrants in the order of their ids; `next` is the `after` of the next page."""

    tournament: str
    entry: int
    root: str
    entrants: tuple[EntrantView, ...]
    names: dict[str, str]
    next: int | None


class SideView(Struct, frozen=True):
    """One side of a board: the entrant, and the seat that this entrant plays; "" while it is not drawn."""

    entrant: str
    seat: str


class BoardResult(Struct, frozen=True):
    """A result: what counts for each side, why, and the score of the game by seat."""

    result: str
    reason: str
    score: dict[str, int]
    by: str


class ReportedView(Struct, frozen=True):
    """What stands behind a result that comes from elsewhere: nothing proves that the entrants played so.

    statement, agreed: what both entrants stated, and those who have confirmed it.
    file: the SHA-256 of the match file, "" if there is none; match, root: of the match in it.
    """

    entry: int
    statement: str
    agreed: tuple[str, ...]
    file: str
    match: str
    root: str


class ReportedFileView(Struct, frozen=True):
    """A match file that a ruling may name now by its SHA-256: it proves its match.

    moves, root: how long that match is, and the root over it.  reason, winner, score: how it ended; `winner`
    is a seat, "" if there is none.
    """

    file: str
    match: str
    moves: int
    root: str
    reason: str
    winner: str
    score: dict[str, int]


class PairView(Struct, frozen=True):
    """What both boards of a pair that plays both sides come to; `w` and `b` are those of the board shown.

    board: the number of the other board.  w, b: the half points from both matches.  result: of the pair, from
    who has more; "" until both boards have a result.
    """

    board: int
    w: int
    b: int
    result: str


class BoardView(Struct, frozen=True):
    """One board; `light`: what `verify` found of its match (green, red, or none); `entry`: of its result.

    why: the floats and the rule of the colours, as the engine names them; `group`: the half points that the
        better one of both had before the round.
    waits: why a recorded result waits for an official: no_result, not_verified, not_checked, no_salt (no
        player of its match added one, and the terms want one), called (the arbiter has not answered yet).
    left: of one board as it is now, if its match has a clock: what each seat had left at the latest move.
    flagged: of such a board, if its clock only reports that a time is up: since when it is, by flagged seat.
    """

    board: int
    round: int
    w: SideView
    b: SideView
    match: str
    status: str
    result: BoardResult | None
    light: str
    checked: dict[str, str]
    why: dict[str, str]
    policy: str
    entry: int
    waits: tuple[str, ...]
    pair: PairView | UnsetType = UNSET
    reported: ReportedView | UnsetType = UNSET
    left: dict[str, int] | UnsetType = UNSET
    flagged: dict[str, int] | UnsetType = UNSET


class RoundView(Struct, frozen=True):
    """A round after `entry`: its boards, and who has none, and why."""

    tournament: str
    entry: int
    root: str
    round: int
    status: str
    opens_at: int | None
    until: int | None
    engine: str
    input_sha256: str
    boards: tuple[BoardView, ...]
    byes: dict[str, str]
    names: dict[str, str]


class ScheduledRound(Struct, frozen=True):
    """When a round is played, as it was published, or else as the terms have it (null: no date)."""

    round: int
    opens_at: int | None
    until: int | None


class ScheduledGame(Struct, frozen=True):
    """A board of the player in a published round, and until when it is played."""

    round: int
    board: int
    match: str
    entrant: str
    opponent: str
    status: str
    opens_at: int | None
    until: int | None


class ScheduleView(Struct, frozen=True):
    """The dates after `entry`: of the tournament, of its rounds, and of the games of one player, if asked."""

    tournament: str
    entry: int
    root: str
    time_zone: str
    until: int | None
    rounds: tuple[ScheduledRound, ...]
    games: tuple[ScheduledGame, ...]
    names: dict[str, str]


class DraftView(Struct, frozen=True):
    """A pairing that is not stored: commit it with `expect` = `entry` and its hash."""

    tournament: str
    entry: int
    root: str
    round: int
    draft_sha256: str
    engine: str
    version: str
    rules: str
    input_sha256: str
    boards: tuple[DraftBoard, ...]
    byes: dict[str, str]


class StandingsView(Struct, frozen=True):
    """The standings after `entry`; `explained`: how the values of one entrant come about."""

    tournament: str
    entry: int
    root: str
    standings: Any
    names: dict[str, str]
    terms_changed: tuple[int, ...] = ()
    explained: tuple[Any, ...] | UnsetType = UNSET


class CrosstableView(Struct, frozen=True):
    """The crosstable after `entry`."""

    tournament: str
    entry: int
    root: str
    crosstable: Any


class TournamentLogView(Struct, frozen=True):
    """Entries of the log, as the leaves were written; `entry` is the latest one of the tournament."""

    tournament: str
    entry: int
    root: str
    entries: tuple[Any, ...]
