"""The commands to a tournament as data, with the bounds of everything in them.

In this order: people and terms; rounds and boards; arbiters; the end.  A command carries what a caller chose;
what comes from elsewhere (the time, an engine's answer, a match) is in `domain.tournaments.rules.Given`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from domain.bounds import MatchId, Number, PlayerId, Score, SeatName
from domain.tournaments.events import Result
from domain.tournaments.terms import FIELDS, MOST_ENTRANTS, MOST_ROUNDS, Time

MOST_BOARDS = MOST_ENTRANTS // 2
TEXT = 2_000  # characters of a text of a person
RATING = 10_000
LOT = 2**20  # possibilities of one lot

EntrantId = Annotated[str, Meta(pattern=r"^n[1-9][0-9]{0,4}$(?!\n)")]
Reason = Annotated[str, Meta(min_length=1, max_length=TEXT)]
Text = Annotated[str, Meta(max_length=TEXT)]
RoundNumber = Annotated[int, Meta(ge=1, le=MOST_ROUNDS)]
BoardNumber = Annotated[int, Meta(ge=1, le=MOST_BOARDS)]
EntryNumber = Annotated[int, Meta(ge=1, le=2**31)]
Rating = Annotated[int, Meta(ge=0, le=RATING)]
Seed = Annotated[int, Meta(ge=0, le=MOST_ENTRANTS)]
Sha256 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$(?!\n)")]
HeldMove = Annotated[int, Meta(ge=1, le=2**31)]
HeldRoot = Annotated[str, Meta(pattern=r"^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$(?!\n)")]
"""A root in base64; the last character has no spare bits, so that each root is written in one way."""
Label = Annotated[str, Meta(pattern=r"^lot/[a-z0-9_-]{1,40}(/[a-z0-9_-]{1,40}){0,2}$(?!\n)")]
RulingReason = Literal[
    "no_show",
    "late",
    "illegal_help",
    "rule_error",
    "agreed",
    "connection",
    "conduct",
    "adjudicated",
    "other",
]


class _Command(Struct, frozen=True, kw_only=True, tag_field="do", forbid_unknown_fields=True):
    """One command; a field that is not known is refused.

    expect: the latest entry that the caller has seen; entrants need it for no command about themselves.
    """

    expect: EntryNumber | None = None


# ── People and terms ──


TermName = Annotated[str, Meta(min_length=1, max_length=64)]
TermValue = Annotated[str, Meta(max_length=16_384)]


class ChangedTerm(Struct, frozen=True, forbid_unknown_fields=True):
    """Another field of the terms, and its value: JSON as text."""

    path: TermName
    value: TermValue


class ChangeTerms(_Command, frozen=True, kw_only=True, tag="change_terms"):
    """Give a field of the terms another value; `value` is JSON as text.

    also: further fields; all of them are judged together.
    """

    path: TermName
    value: TermValue
    reason: Reason
    also: Annotated[tuple[ChangedTerm, ...], Meta(max_length=len(FIELDS))] = ()


class Appoint(_Command, frozen=True, kw_only=True, tag="appoint"):
    """Give a person an office."""

    person: PlayerId
    office: Literal["director", "arbiter"]
    reason: Text = ""


class Dismiss(_Command, frozen=True, kw_only=True, tag="dismiss"):
    """Take an office away."""

    person: PlayerId
    office: Literal["director", "arbiter"]
    reason: Reason


class Place(Struct, frozen=True, forbid_unknown_fields=True):
    """A place for a person who is invited; `enters`: a player who takes part at once."""

    person: PlayerId
    seed_order: Seed = 0
    rating: Rating = 0
    enters: bool = False


class Invite(_Command, frozen=True, kw_only=True, tag="invite"):
    """Keep places for people; all of them or none."""

    places: Annotated[tuple[Place, ...], Meta(min_length=1, max_length=MOST_ENTRANTS)]


class Accept(_Command, frozen=True, kw_only=True, tag="accept"):
    """Take the place that is kept for the caller, or for the person with the code of an invitation."""

    entrant: EntrantId
    code: Annotated[str, Meta(max_length=100)] = ""


class EnterTournament(_Command, frozen=True, kw_only=True, tag="enter"):
    """Enter; a director may enter others, and give their rating and seed."""

    player: PlayerId | None = None
    rating: Rating | None = None
    seed_order: Seed = 0


class Admit(_Command, frozen=True, kw_only=True, tag="admit"):
    """Let an entrant on the waiting list take part."""

    entrant: EntrantId


class SeedAll(_Command, frozen=True, kw_only=True, tag="seed"):
    """Set the order of all entrants who take part."""

    order: Annotated[tuple[EntrantId, ...], Meta(min_length=1, max_length=MOST_ENTRANTS)]


class Withdraw(_Command, frozen=True, kw_only=True, tag="withdraw"):
    """Be paired no longer; an official may withdraw others."""

    entrant: EntrantId | None = None
    reason: Text = ""


class Return(_Command, frozen=True, kw_only=True, tag="return"):
    """Be paired again; an official may let others return."""

    entrant: EntrantId | None = None


class Replace(_Command, frozen=True, kw_only=True, tag="replace"):
    """Let another player take over a place."""

    entrant: EntrantId
    substitute: PlayerId
    reason: Reason


class AskBye(_Command, frozen=True, kw_only=True, tag="ask_bye"):
    """Ask not to be paired in a round; an official may ask for others."""

    round: RoundNumber
    entrant: EntrantId | None = None
    points: Annotated[int, Meta(ge=0, le=1)] = 1


# ── Rounds and boards ──


class PairingDraft(Struct, frozen=True, kw_only=True):
    """An engine's answer for one round, as `paired` will hold it (without the random part)."""

    round: int
    engine: str
    version: str
    rules: str
    input_sha256: str
    input: str
    boards: tuple[tuple[str, str, str, str], ...]  # w, b, floats, colour rule
    byes: dict[str, str]


class Pair(_Command, frozen=True, kw_only=True, tag="pair"):
    """Commit the pairing of a round: the draft that an engine gave."""

    round: RoundNumber
    draft: PairingDraft


class Pairing(Struct, frozen=True, forbid_unknown_fields=True):
    """A board as an official wants it: `w` has the first colour."""

    w: EntrantId
    b: EntrantId


class ChangePairing(_Command, frozen=True, kw_only=True, tag="change_pairing"):
    """Pair a round by hand: all its boards in their order; who is on none has no board."""

    round: RoundNumber
    boards: Annotated[tuple[Pairing, ...], Meta(max_length=MOST_BOARDS)]
    reason: Literal["withdrawal", "mistake", "request", "venue", "other"]
    text: Reason


class PublishRound(_Command, frozen=True, kw_only=True, tag="publish_round"):
    """Publish the pairings of a round; its matches are opened.

    despite_calls: why calls do not hold it; everybody reads it in the entry.
    """

    round: RoundNumber
    opens_at: Time | None = None
    until: Time | None = None
    despite_calls: Text = ""


class OpenBoard(_Command, frozen=True, kw_only=True, tag="open_board"):
    """The house opened the match of a board."""

    round: RoundNumber
    board: BoardNumber
    match: MatchId
    root: str


class RecordResult(_Command, frozen=True, kw_only=True, tag="record_result"):
    """The house read the result of a match; see `domain.tournaments.events.ResultRecorded`.

    closed_by: what closed the match; it is not stored.  house_seeded: did no seat add a salt?
    """

    round: RoundNumber
    board: BoardNumber
    match: MatchId
    closed_move: int
    root: str
    winner: str
    reason: str
    drawn: bool
    score: dict[str, int]
    sides: dict[str, str]
    checked: dict[str, str]
    not_run: str = ""
    closed_by: str = ""
    house_seeded: bool = False
    end_turn: int = 0


class Confirm(_Command, frozen=True, kw_only=True, tag="confirm"):
    """An official confirms a recorded result."""

    round: RoundNumber
    board: BoardNumber


class BoardPolicy(Struct, frozen=True, forbid_unknown_fields=True):
    """What is to happen to an unfinished board; `result`: of a forfeit or an adjudication."""

    board: BoardNumber
    policy: Literal["adjourn", "forfeit", "adjudicate"]
    result: Result | None = None


class CloseRound(_Command, frozen=True, kw_only=True, tag="close_round"):
    """Close a round; each board without a confirmed result must be named with a policy."""

    round: RoundNumber
    boards: Annotated[tuple[BoardPolicy, ...], Meta(max_length=MOST_BOARDS)] = ()
    reason: Text = ""


class ApplyPolicy(_Command, frozen=True, kw_only=True, tag="apply_policy"):
    """The house had the gate of a match take what a closed round left to happen to it."""

    round: RoundNumber
    board: BoardNumber


class NoShow(_Command, frozen=True, kw_only=True, tag="no_show"):
    """The house saw that an entrant, or both, did not sit down in time."""

    round: RoundNumber
    board: BoardNumber
    result: Literal["+-", "-+", "--"]


class ReopenRound(_Command, frozen=True, kw_only=True, tag="reopen_round"):
    """Open the latest round again."""

    round: RoundNumber
    reason: Reason


class Advance(_Command, frozen=True, kw_only=True, tag="advance"):
    """The director lets those go on who have qualified: to the next stage, or between divisions.

    decided: who goes on where places are level, or from which contests of a knock-out; with a reason.
    """

    decided: Annotated[tuple[EntrantId, ...], Meta(max_length=64)] = ()
    reason: Text = ""


# ── Arbiters ──


class CallArbiter(_Command, frozen=True, kw_only=True, tag="call"):
    """An entrant calls the arbiter; only the caller and the officials read the text.

    held_root: the root over the first `held_move` moves of the match of the board, as the caller kept it (in
    base64).  Everybody reads it.
    """

    text: Reason
    round: RoundNumber | None = None
    board: BoardNumber | None = None
    ruling: EntryNumber | None = None
    held_move: HeldMove | None = None
    held_root: HeldRoot | None = None


class AnswerCall(_Command, frozen=True, kw_only=True, tag="answer"):
    """An official answers a call; only its caller and the officials read the text."""

    call: EntryNumber
    text: Reason
    outcome: Literal["answered", "refused", "ruled"] = "answered"


class MatchResult(Struct, frozen=True, forbid_unknown_fields=True):
    """The result of a match by ruling: who wins (null: no winner), and the score of each seat."""

    winner: SeatName | None
    score: dict[SeatName, Score] = {}


class MatchRuling(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A ruling on the match of a board: exactly one of `back_to`, `result` and `void`.

    back_to: the match goes on from the table after this move.  void: it is over, without a result.
    expect: the latest move that the caller has seen; a match that went on since refuses the ruling.
    """

    back_to: Number | None = None
    result: MatchResult | None = None
    void: bool = False
    expect: Number | None = None


class Rule(_Command, frozen=True, kw_only=True, tag="rule"):
    """An official decides the result of a board, or rules on its match, which runs; the note is sealed.

    result, match: exactly one of them.
    reported: the result comes from elsewhere, such as a table in a hall.
    statement: what both entrants stated about that game; each of them may confirm it.
    file: the match file of that game, which was uploaded before, by its SHA-256.
    """

    round: RoundNumber
    board: BoardNumber
    reason: RulingReason
    text: Reason
    result: Result | None = None
    match: MatchRuling | None = None
    rule: Annotated[str, Meta(max_length=200)] = ""
    note: Text = ""
    reported: bool = False
    statement: Text = ""
    file: Sha256 | None = None


class ConfirmStatement(_Command, frozen=True, kw_only=True, tag="confirm_statement"):
    """An entrant confirms the statement of a ruling on their board."""

    ruling: EntryNumber


class EnterRuling(_Command, frozen=True, kw_only=True, tag="enter_ruling"):
    """The house found a ruling in the log of a match that took it back, and no entry that names its move."""

    round: RoundNumber
    board: BoardNumber
    move: int
    back_to: int
    text: str


class Penalise(_Command, frozen=True, kw_only=True, tag="penalise"):
    """An official penalises an entrant; `amount`: half points, or seconds of time."""

    entrant: EntrantId
    penalty: Literal["warning", "points", "time", "game", "expulsion"]
    text: Reason
    amount: Annotated[int, Meta(ge=0, le=86_400)] = 0
    rule: Annotated[str, Meta(max_length=200)] = ""


class FreezeMatch(_Command, frozen=True, kw_only=True, tag="freeze"):
    """An official stops a match of the tournament: it takes no move, and its clocks stand."""

    match: MatchId
    reason: Reason


class ReleaseMatch(_Command, frozen=True, kw_only=True, tag="release"):
    """An official lets a frozen match go on."""

    match: MatchId
    reason: Reason


Boards = Annotated[tuple[BoardNumber, ...], Meta(max_length=MOST_BOARDS)]
"""Boards of a round; none: all of them."""


class Extend(_Command, frozen=True, kw_only=True, tag="extend"):
    """An official lets boards of a round be played until a later time."""

    round: RoundNumber
    until: Time
    reason: Reason
    boards: Boards = ()


class Adjourn(_Command, frozen=True, kw_only=True, tag="adjourn"):
    """An official stops boards of a round (none named: all that run); at `until` they go on."""

    round: RoundNumber
    until: Time
    reason: Reason
    boards: Boards = ()


class Reconvene(_Command, frozen=True, kw_only=True, tag="reconvene"):
    """The house lets an adjourned board go on, because its time has come."""

    round: RoundNumber
    board: BoardNumber


class Pause(_Command, frozen=True, kw_only=True, tag="pause"):
    """An official pauses the clocks of boards of a round."""

    round: RoundNumber
    reason: Reason
    boards: Boards = ()


class Resume(_Command, frozen=True, kw_only=True, tag="resume"):
    """An official lets the clocks of boards of a round run again."""

    round: RoundNumber
    reason: Reason
    boards: Boards = ()


class ReadPrivileged(_Command, frozen=True, kw_only=True, tag="read_privileged"):
    """An official is to see what is hidden: moves of a running match from a view, or a sealed text.

    view: a seat, or "all"; first, last: the moves.  sealed_entry: a call, its answer, or a ruling.
    """

    why: Reason
    match: MatchId | None = None
    view: Annotated[str, Meta(max_length=32)] = ""
    first: Annotated[int, Meta(ge=0, le=2**31)] = 0
    last: Annotated[int, Meta(ge=0, le=2**31)] = 0
    sealed_entry: EntryNumber | None = None


class DrawLot(_Command, frozen=True, kw_only=True, tag="draw_lot"):
    """An official has a lot drawn among `n` possibilities."""

    label: Label
    n: Annotated[int, Meta(ge=2, le=LOT)]


# ── The end ──


class Publish(_Command, frozen=True, kw_only=True, tag="publish"):
    """The director publishes the standings as they are now; `final`: the tournament is over."""

    final: bool = False
    note: Text = ""


class Cancel(_Command, frozen=True, kw_only=True, tag="cancel"):
    """The director ends the tournament before its end."""

    reason: Reason


OwnCommand = Accept | EnterTournament | Withdraw | Return | AskBye | CallArbiter | ConfirmStatement
"""The commands that entrants give for themselves; they need no `expect`."""

PeopleCommand = (
    OwnCommand
    | ChangeTerms
    | Appoint
    | Dismiss
    | Invite
    | Admit
    | SeedAll
    | Replace
    | AnswerCall
    | Penalise
    | Confirm
    | ReopenRound
    | DrawLot
    | Advance
    | Cancel
)
"""The commands that a caller sends as they are."""

Measure = FreezeMatch | ReleaseMatch | Extend | Adjourn | Pause | Resume
"""What officials do to matches; the gates of the matches take all but extensions first."""

Previewed = (
    EnterTournament
    | Withdraw
    | Return
    | AskBye
    | CallArbiter
    | ConfirmStatement
    | ChangeTerms
    | Appoint
    | Dismiss
    | Admit
    | SeedAll
    | Replace
    | AnswerCall
    | Penalise
    | Confirm
    | ReopenRound
    | Advance
    | Cancel
    | ChangePairing
    | PublishRound
    | CloseRound
    | Rule
    | Measure
)
"""The commands whose effects can be shown before.  Lots, invitations and privileged reads are not among them:
a preview would tell what is decided, or shown, only by the command itself.  So none is given of the
publication of a round that draws a lot."""

Command = (
    PeopleCommand
    | Measure
    | ReadPrivileged
    | Pair
    | ChangePairing
    | PublishRound
    | OpenBoard
    | RecordResult
    | CloseRound
    | ApplyPolicy
    | Reconvene
    | NoShow
    | Rule
    | EnterRuling
    | Publish
)
