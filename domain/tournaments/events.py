"""The entries of a tournament's log and their private parts, as data; `domain.tournaments.log` writes them.

In this order: the envelope; the tournament itself; its people; rounds and boards; what arbiters do; the end;
and entries that later commands will write.  Entrants are ids ("n1", "n2", ...), people are random ids: no
name and no address is in a log.  All points are whole numbers of half points.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from domain.events import Key
from domain.tournaments.crosstable import Acceleration, Colour
from domain.tournaments.terms import Terms

OFFICIALS = "officials"  # the audience of directors and arbiters
PARTY = "party:"  # with the id of an entrant: the audience of that entrant
Role = Literal["director", "arbiter", "entrant", "organizer", "player", "admin", "house", "official"]
Result = Literal["1-0", "0-1", "½", "0-0", "+-", "-+", "--"]
"""The results of a board, the entrant with the first colour first; the last three are forfeits."""
RESULTS: tuple[Result, ...] = ("1-0", "0-1", "½", "0-0", "+-", "-+", "--")


class Entry(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True, tag_field="kind"):
    """One entry of a tournament; `at` is in microseconds UTC, None if the time is unknown.

    by, role: who acted ("" is the house), and in which role.  "official" without a name is an official whom
        the sealed part names.
    """

    entry: int
    prev: str
    sealed: dict[str, str]
    at: int | None = None
    by: str = ""
    role: Role = "house"


class Read(Struct, frozen=True, gc=False, omit_defaults=True):
    """Who is about to be shown which moves of a running match from a view, in which role, and why."""

    person: str
    role: Role
    why: str
    match: str
    view: str = ""
    first: int = 0
    last: int = 0


class Sealed(Struct, frozen=True, gc=False, omit_defaults=True):
    """What one audience knows beyond the leaf.

    text: of a call or an answer, or the note of a ruling.
    read: what a privileged read shows, if the terms have it in public only after the match.
    """

    text: str = ""
    read: Read | None = None


# ── The tournament itself ──


class Origin(Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="imported"):
    """Where a tournament comes from that was not played here from its beginning: the TRF of another program.

    sha256: of the bytes of the file, in hex.
    rounds: so many of its rounds were played elsewhere.  paired: so many it has, with one that waits for all
        its results.
    first_colour: of the first entrant, as the file has it; None if it does not say so.
    accelerations: as the file has them.
    kept: its lines that nothing here uses; an export has them again.
    """

    sha256: str
    rounds: int = 0
    paired: int = 0
    first_colour: Colour | None = None
    accelerations: tuple[Acceleration, ...] = ()
    kept: tuple[str, ...] = ()


class Announced(Entry, frozen=True, kw_only=True, tag="announced"):
    """A tournament is announced, with complete terms.

    commitment, anchor: of the secret from which lots and salts derive (`domain.chance`).
    origin: of an imported tournament.
    """

    tournament: str
    title: str
    terms: Terms
    terms_sha256: str
    commitment: str
    anchor: str
    product: str
    origin: Origin | None = None


class TermsChanged(Entry, frozen=True, kw_only=True, tag="terms_changed"):
    """One field of the terms has another value; `before` and `after` are canonical JSON."""

    path: str
    before: str
    after: str
    reason: str


# ── Its people ──


class Appointed(Entry, frozen=True, kw_only=True, tag="appointed"):
    """A person has an office: director or arbiter."""

    person: str
    office: str
    reason: str = ""


class Dismissed(Entry, frozen=True, kw_only=True, tag="dismissed"):
    """A person has an office no longer."""

    person: str
    office: str
    reason: str


class Invited(Entry, frozen=True, kw_only=True, tag="invited"):
    """A place is kept for a person who has not accepted yet; it can be paired already."""

    entrant: str
    person: str
    seed_order: int = 0
    rating: int = 0
    rating_source: str = ""


class Entered(Entry, frozen=True, kw_only=True, tag="entered"):
    """A player takes part, or accepts the place kept for them; the rating is copied and stays."""

    entrant: str
    player: str
    rating_before: int = 0
    rating_source: str = ""
    seed_order: int = 0


class Waitlisted(Entry, frozen=True, kw_only=True, tag="waitlisted"):
    """A player waits for a place."""

    entrant: str
    player: str
    rating_before: int = 0
    rating_source: str = ""


class Admitted(Entry, frozen=True, kw_only=True, tag="admitted"):
    """An entrant on the waiting list takes part."""

    entrant: str


class Seeded(Entry, frozen=True, kw_only=True, tag="seeded"):
    """The order of the entrants, from the first; it gives their numbers in pairing."""

    order: tuple[str, ...]


class Withdrew(Entry, frozen=True, kw_only=True, tag="withdrew"):
    """An entrant is not paired from a round on."""

    entrant: str
    from_round: int
    reason: str = ""


class Returned(Entry, frozen=True, kw_only=True, tag="returned"):
    """An entrant who had withdrawn is paired again from a round on."""

    entrant: str
    from_round: int


class Replaced(Entry, frozen=True, kw_only=True, tag="replaced"):
    """Another player takes over the place of an entrant, with its results, from a round on."""

    entrant: str
    player: str
    substitute: str
    from_round: int
    reason: str


class ByeAsked(Entry, frozen=True, kw_only=True, tag="bye_asked"):
    """An entrant does not want to be paired in a round, for 0 or 1 half points; 2: the points of a win.

    Only imported files have the last.
    """

    entrant: str
    round: int
    points: int


# ── Rounds and boards ──


class PairedBoard(Struct, frozen=True, gc=False, omit_defaults=True):
    """One board of a pairing: who has the first colour (`w`), who the other, and why."""

    board: int
    w: str
    b: str
    floats: str = ""
    colour_rule: str = ""


class Paired(Entry, frozen=True, kw_only=True, tag="paired"):
    """A round is paired, and not published yet.

    input: what the engine was given (TRF); input_sha256: its SHA-256 in hex.
    byes: why an entrant has no board, by entrant: a kind of `domain.tournaments.crosstable`.
    random: 16 bytes in base64, from which the ids of the matches derive.
    """

    round: int
    engine: str
    version: str
    rules: str
    input_sha256: str
    input: str
    boards: tuple[PairedBoard, ...]
    byes: dict[str, str]
    random: str
    division: str = ""


class PairingChanged(Entry, frozen=True, kw_only=True, tag="pairing_changed"):
    """An official changed boards of a round that is not published; `opinion`: what speaks against it."""

    round: int
    boards: tuple[PairedBoard, ...]
    byes: dict[str, str]
    reason: str
    text: str = ""
    opinion: tuple[str, ...] = ()


class RoundPublished(Entry, frozen=True, kw_only=True, tag="round_published"):
    """The pairings of a round are public and its matches open at `opens_at`.

    reason: why calls that had no answer did not hold it; "" if it needed none.
    """

    round: int
    opens_at: int | None = None
    until: int | None = None
    reason: str = ""


class BoardOpened(Entry, frozen=True, kw_only=True, tag="board_opened"):
    """The house opened the match of a board; `root` is that over its first move."""

    round: int
    board: int
    match: str
    root: str


class ResultRecorded(Entry, frozen=True, kw_only=True, tag="result_recorded"):
    """The result of a board as the log of its match has it after `closed_move`.

    result: "" if the match has none (void, or nobody opened a salt).
    winner: the entrant; reason, score: as in the match's `closed`; sides: the entrant of each seat.
    checked: what `verify` found, by question: "ok", "failed" or "not run".
    end_turn: the turn of the game in which the match ended, from 1; 0 in entries that do not say it.
    house_seeded: no player added a salt of their own, though the terms want one.
    not_run: why `verify` could not be run.
    """

    round: int
    board: int
    match: str
    closed_move: int
    root: str
    result: str
    reason: str
    winner: str = ""
    score: dict[str, int] = {}
    sides: dict[str, str] = {}
    checked: dict[str, str] = {}
    end_turn: int = 0
    house_seeded: bool = False
    not_run: str = ""


class Confirmed(Entry, frozen=True, kw_only=True, tag="confirmed"):
    """The result of a board stands: only a ruling changes it after this.

    ruling: the entry of a ruling whose statement `entrant` confirms; 0: it is about a recorded result.
    checked: what `verify` found, if it could not be run when the result was recorded.
    """

    round: int
    board: int
    means: Literal["verify", "players", "arbiter", "silence"]
    ruling: int = 0
    entrant: str = ""
    checked: dict[str, str] = {}


class Unfinished(Struct, frozen=True, gc=False, omit_defaults=True):
    """A board that had no result when its round was closed: the latest move seen, and what is to happen.

    result: of a forfeit or an adjudication.
    """

    board: int
    policy: Literal["adjourn", "forfeit", "adjudicate"]
    move: int = 0
    root: str = ""
    result: str = ""


class RoundClosed(Entry, frozen=True, kw_only=True, tag="round_closed"):
    """A round is over for the pairing of the next one."""

    round: int
    unfinished: tuple[Unfinished, ...] = ()
    reason: str = ""


class RoundReopened(Entry, frozen=True, kw_only=True, tag="round_reopened"):
    """A closed round is open again; the next one is not paired yet."""

    round: int
    reason: str


# ── What arbiters do ──


class ArbiterCalled(Entry, frozen=True, kw_only=True, tag="arbiter_called"):
    """An entrant calls the arbiter; the text is sealed.  `ruling`: the entry that they object to, if any.

    held_root: the root over the first `held_move` moves of the match of the board, as the entrant kept it.
    """

    entrant: str
    round: int = 0
    board: int = 0
    ruling: int = 0
    held_move: int = 0
    held_root: str = ""


class ArbiterAnswered(Entry, frozen=True, kw_only=True, tag="arbiter_answered"):
    """The call of entry `call` is answered; the text is sealed."""

    call: int
    outcome: Literal["answered", "refused", "ruled"] = "answered"


class Ruled(Entry, frozen=True, kw_only=True, tag="ruled"):
    """A board has this result, whatever was recorded; or its match was taken back or is void.

    result: "" if the match was taken back or is void.
    move: the move of the match by which its own gate took the ruling; 0 if the match was over.
    reported: the result came from elsewhere (a table in a hall), and nothing proves it.
    match: that match, if an official ruled while it ran; entries of older versions have only `move`.
    back_to: it goes on from the table after this move.  void: it is over, without a result.
    unrated: an imported file says that the game does not count for ratings.
    statement: what both entrants stated about the game; each may confirm it (`Confirmed`).
    file: the SHA-256 of the match file of the game that was played elsewhere, in hex.
    file_match, file_root: the match in it, and the root over all its moves.
    """

    round: int
    board: int
    result: str = ""
    reason: str
    rule: str = ""
    text: str = ""
    move: int = 0
    reported: bool = False
    match: str = ""
    back_to: int = 0
    void: bool = False
    unrated: bool = False
    statement: str = ""
    file: str = ""
    file_match: str = ""
    file_root: str = ""


class Penalised(Entry, frozen=True, kw_only=True, tag="penalised"):
    """An entrant is penalised; `amount`: half points, or seconds of time."""

    entrant: str
    penalty: Literal["warning", "points", "time", "game", "expulsion"]
    amount: int = 0
    rule: str = ""
    text: str = ""


class LotDrawn(Entry, frozen=True, kw_only=True, tag="lot_drawn"):
    """A lot among `n`, from 0; `key` opens the period whose key gave it."""

    label: str
    n: int
    result: int
    key: Key


# ── The end ──


class Published(Entry, frozen=True, kw_only=True, tag="published"):
    """The standings after `at_entry`; `secret` is opened with the final ones."""

    at_entry: int
    standings_sha256: str
    bundle_sha256: str = ""
    note: str = ""
    final: bool = False
    secret: str = ""


class Cancelled(Entry, frozen=True, kw_only=True, tag="cancelled"):
    """The tournament does not go on."""

    reason: str


# ── Entries of commands to come: their form is settled here, so that any version can read them ──


class Frozen(Entry, frozen=True, kw_only=True, tag="frozen"):
    """A match of this tournament takes no move until it is released."""

    match: str
    reason: str


class Released(Entry, frozen=True, kw_only=True, tag="released"):
    """A frozen match goes on."""

    match: str
    reason: str


class PrivilegedRead(Entry, frozen=True, kw_only=True, tag="privileged_read"):
    """An official is about to be shown what is hidden: a view of a match, or the sealed text of an entry.

    All fields are left out if a sealed `Read` has them until the match is over.
    """

    person: str = ""
    why: str = ""
    match: str = ""
    view: str = ""
    first: int = 0
    last: int = 0
    sealed_entry: int = 0


class Extended(Entry, frozen=True, kw_only=True, tag="extended"):
    """Boards of a round (none named: all) may be played until a later time."""

    round: int
    until: int
    reason: str
    boards: tuple[int, ...] = ()


class Adjourned(Entry, frozen=True, kw_only=True, tag="adjourned"):
    """These boards of a round are played on later: their clocks stand until `until`, or until `resumed`."""

    round: int
    until: int
    reason: str
    boards: tuple[int, ...]


class Paused(Entry, frozen=True, kw_only=True, tag="paused"):
    """The clocks of boards of a round (none named: all) stand."""

    round: int
    reason: str
    boards: tuple[int, ...] = ()


class Resumed(Entry, frozen=True, kw_only=True, tag="resumed"):
    """They run again."""

    round: int
    reason: str
    boards: tuple[int, ...] = ()


class Qualified(Entry, frozen=True, kw_only=True, tag="qualified"):
    """An entrant goes on from a contest or a place (`origin`) to a round of a bracket or a stage (`to`).

    Both are places, such as "stage/1/round/2/meeting/3", "stage/1/place/4" and "stage/2".  entrant: "" if
    no entrant goes on, because both withdrew.  rule: by what.
    """

    entrant: str
    origin: str
    to: str
    rule: str = ""


class Promoted(Entry, frozen=True, kw_only=True, tag="promoted"):
    """An entrant of a league goes up, from one division ("division/2") to another."""

    entrant: str
    origin: str
    to: str
    rule: str = ""


class Relegated(Entry, frozen=True, kw_only=True, tag="relegated"):
    """An entrant of a league goes down."""

    entrant: str
    origin: str
    to: str
    rule: str = ""


AnyEntry = (
    Announced
    | TermsChanged
    | Appointed
    | Dismissed
    | Invited
    | Entered
    | Waitlisted
    | Admitted
    | Seeded
    | Withdrew
    | Returned
    | Replaced
    | ByeAsked
    | Paired
    | PairingChanged
    | RoundPublished
    | BoardOpened
    | ResultRecorded
    | Confirmed
    | RoundClosed
    | RoundReopened
    | ArbiterCalled
    | ArbiterAnswered
    | Ruled
    | Penalised
    | LotDrawn
    | Published
    | Cancelled
    | Frozen
    | Released
    | PrivilegedRead
    | Extended
    | Adjourned
    | Paused
    | Resumed
    | Qualified
    | Promoted
    | Relegated
)
"""Every entry of a tournament."""

KINDS = frozenset(str(kind.__struct_config__.tag) for kind in Entry.__subclasses__())
"""The kinds of entries."""
