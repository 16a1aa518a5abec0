"""The bodies of answers, as structs: what the OpenAPI document says is what is written.

Those about accounts, bots, data sets and tournaments have modules of their own; those of requests are in
`request_schemas`.  Times are microseconds UTC, roots, keys and salts base64.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from domain.clocks import Term
from domain.game import OptionValue
from replay.clocks import ClockShown
from replay.evidence import Deed, Held, SeatEvidence

REF = "#/components/schemas/{name}"  # where the OpenAPI document has the schema of a struct
Question = Literal["log", "chance", "fold", "rules"]  # of the verification
Object = Annotated[Any, Meta(extra_json_schema={"type": "object"})]


class ChanceView(Struct, frozen=True):
    """One outcome that dice may bring: `ways` of `of`; `outcome` names what changes, and by how much.

    `label`: the same in words.
    """

    ways: int
    of: int
    outcome: dict[str, int]
    label: str


class PartView(Struct, frozen=True):
    """One part of what an option costs, or of what pays for it: an id, what it is called, and its points."""

    part: str
    label: str
    points: int


class NamedOption(Struct, frozen=True, omit_defaults=True):
    """One thing to pick: its name, what it costs and why, what pays for it, and what the dice may bring.

    `about`: the ids of the spaces, cards, tiles or regions that it is about; `verb`: what it does with them,
    where the pick says so.  `group`: the id under which it stands in a list of more than 20 options: the
    region, else the thing or the seat of which several options tell.
    """

    pick: str
    label: str
    cost: int | None = None
    chances: list[ChanceView] = []
    working: list[PartView] = []
    pays: list[PartView] = []
    about: list[str] = []
    verb: str = ""
    group: str = ""


class PromptView(Struct, frozen=True, omit_defaults=True):
    """What a seat is asked: any `least`...`most` different options.  `move` put the question.

    For programs that search, if they ask for it: `agenda`, the steps that remain to be done after move `at`,
    in the order of a stack (the last is the next).
    """

    move: int
    seat: str
    ask: str
    options: list[NamedOption]
    least: int
    most: int
    why: str
    ordered: bool = False
    at: int | UnsetType = UNSET
    agenda: list[Object] | UnsetType = UNSET


class ClockView(Struct, frozen=True):
    """The clock of a match: its terms, and what it shows, or showed at the earlier move that is looked at."""

    terms: list[Term]
    now: ClockShown


class MoveView(Struct, frozen=True, kw_only=True):
    """One stored event, as this viewer sees it.  Fields that its kind does not have are left out."""

    move: int
    kind: str
    seat: str | None
    ask: str | None
    picks: list[str] | None
    facts: list[Object]
    at: int | None
    root: str
    draws: list[Object] | UnsetType = UNSET
    keys: list[Object] | UnsetType = UNSET
    asked: Object | UnsetType = UNSET
    salt: Annotated[str, Meta(description="opens the commitment to this seat's own part")] | UnsetType = UNSET
    leaf: Annotated[str, Meta(description="with proof=true: the leaf, exactly")] | UnsetType = UNSET
    part: Annotated[str, Meta(description="with proof=true: this seat's own part")] | UnsetType = UNSET
    view: Annotated[str, Meta(description="the seat, where its player sat down elsewhere")] | UnsetType = (
        UNSET
    )
    position: (
        Annotated[Object, Meta(description="live, with scene or sentences: as in positions")] | UnsetType
    ) = UNSET
    clock: Annotated[ClockShown, Meta(description="if the match has a clock")] | UnsetType = UNSET


class DraftBoard(Struct, frozen=True):
    """A board of a draft, with the reasons of the engine."""

    board: int
    w: str
    b: str
    floats: str
    colour_rule: str


class PairedRound(Struct, frozen=True):
    """A pairing as it was committed, by the entry of that number and by whom; as its draft had it."""

    tournament: str
    entry: int
    root: str
    by: str
    round: int
    draft_sha256: str
    engine: str
    version: str
    rules: str
    input_sha256: str
    boards: tuple[DraftBoard, ...]
    byes: dict[str, str]


class Problem(Struct, frozen=True, omit_defaults=True):
    """Why a request was refused (RFC 9457).

    `legal`: what the asked seat could answer.  `since`: the moves since the one that a stale request
    expected, at most the latest fifty.  `paired`: the round that another official paired first.  `ready` and
    `reasons`: what is wrong with a server that is not ready, by part.
    """

    type: str
    title: str
    status: int
    detail: str
    rule: str | None = None
    legal: PromptView | None = None
    since: list[MoveView] | None = None
    paired: PairedRound | None = None
    ready: bool | None = None
    reasons: dict[str, str] | None = None


class MovePage(Struct, frozen=True):
    """Moves in order; `next` is the `after` of the next page."""

    moves: list[MoveView]
    next: int


class Done(Struct, frozen=True):
    """A command that was carried out: the number and root of its last own move, the facts of all of them,
    what this seat is asked next and, if the match has a clock, what that shows then."""

    move: int
    root: str
    facts: list[Object]
    prompt: PromptView | None
    clock: ClockShown | UnsetType = UNSET


class ResultView(Struct, frozen=True):
    """How a match ended."""

    winner: str | None
    reason: str
    score: dict[str, int]


class AskedView(Struct, frozen=True):
    """The question that stands, and for each asked seat the move that put it."""

    ask: str
    seats: dict[str, int]


class RequestView(Struct, frozen=True):
    """A takeback that waits for an answer."""

    move: int
    seat: str
    to: int


class BranchView(Struct, frozen=True):
    """From where a branch goes on: the table of `match` after `move`.

    `root`: the Merkle root over the moves of that match up to this one.
    """

    match: str
    move: int
    root: str


class FrozenView(Struct, frozen=True):
    """By which move, when, by which organizer and why a match was frozen."""

    move: int
    at: int | None
    by: str
    reason: str


class EvidenceView(Struct, frozen=True):
    """What an organizer asks of a match in a dispute; `seats` by the seat that each player took first.

    `deeds`: what officials did, and what time was given.  `held`: how the root of the request stands to this
    log; left out if it names none.
    """

    match: str
    move: int
    seats: dict[str, SeatEvidence]
    deeds: list[Deed]
    held: Held | UnsetType = UNSET


class MatchSummary(Struct, frozen=True, kw_only=True):
    """A match without its table.  `seats` and `bots` say who plays each seat now.

    `chance`: house-seeded, player-seeded or recorded.  `salts`: how who sat down on each seat gave a salt;
    null: it is free.  `unopened`: the seats whose salts are still to be opened.  `receipt`: while a seat is
    free, the signed checkpoint over the opening move, to be kept.  `unverified`: it was imported from
    elsewhere, so nothing in it is proved.  `incomplete`: its record could not be followed throughout, so some
    positions are set as that record states them; left out where that is not so.  `claimed`: it was uploaded,
    and nothing proves that its players are those of this house.  `branch`: where it goes on from another
    match; left out in any other match.  `private`: it was opened as a private match; left out in any other
    one.  `clock`: its clock; left out if it has none.  `frozen`: since it is frozen; else
    left out.  Of an uploaded match `signer` is the key of this server whose signature was checked, and
    `signature` says in words who signed, or is only named and was not checked.
    """

    match: str
    game: str
    edition: str
    options: dict[str, OptionValue]
    seats: dict[str, str | None]
    bots: dict[str, str]
    names: dict[str, str]
    origin: str
    branch: BranchView | UnsetType = UNSET
    private: bool | UnsetType = UNSET
    clock: ClockView | UnsetType = UNSET
    frozen: FrozenView | UnsetType = UNSET
    unverified: bool
    incomplete: bool | UnsetType = UNSET
    claimed: bool
    signer: str | None
    signature: str | None
    chance: str
    salts: dict[str, Literal["committed", "clear", "none"] | None]
    unopened: list[str]
    receipt: str | None
    status: Literal["open", "waiting", "running", "over"]
    result: ResultView | None
    move: int
    root: str


class OpenedMatch(MatchSummary, frozen=True, kw_only=True):
    """A match that was opened; `invitations` holds by seat the codes that were asked for, this once."""

    invitations: dict[str, str] | UnsetType = UNSET


class SeatReservation(Struct, frozen=True, kw_only=True):
    """Who alone may take a seat: a player, or the player who shows the invitation; else it is free.

    `code`: the invitation, which is shown this once.
    """

    seat: str
    player: str | None
    invitation: bool
    code: str | UnsetType = UNSET


class SeatReservations(Struct, frozen=True):
    """The reserved seats of a match that are still free; `names` by player."""

    reservations: list[SeatReservation]
    names: dict[str, str]


class MatchView(MatchSummary, frozen=True, kw_only=True):
    """A match with its table after move `at`, as `view` saw it; `root` is the root after that move.

    `reserved`: the free seats that are reserved.  `remark`: what readers of an imported match should
    know.
    """

    at: int
    view: str
    reserved: list[str]
    asked: AskedView | None
    request: RequestView | None
    remark: str | None
    table: Object


class SceneView(Struct, frozen=True):
    """How the table looks after move `at`, as `view` saw it; `move` is the latest move.

    `scene` has `board` (the slots of each space), `panels` by id, and their `order`.  `candidates`, if they
    were asked for: by panel, the ids that may lie face down there, for all that this view knows.  What a
    panel of values hides has the name of its item behind a dot: `sent.kgb`.
    """

    match: str
    view: str
    at: int
    move: int
    scene: Object
    candidates: dict[str, tuple[str, ...]] | UnsetType = UNSET


class WithdrawalView(Struct, frozen=True):
    """An uploaded match that is no longer shown: since when, by which administrator, and why."""

    match: str
    at: int
    by: str
    reason: str


class OptionView(Struct, frozen=True, omit_defaults=True):
    """One option of a game; `about` and `labels` by language."""

    name: str
    default: OptionValue
    choices: list[str | bool]
    about: dict[str, str]
    labels: dict[str, dict[str, str]]
    least: int | None = None
    most: int | None = None
    none: bool = False
    data: bool = False


class GameView(Struct, frozen=True):
    """A game of the house; titles by language."""

    game: str
    titles: dict[str, str]
    seats: dict[str, dict[str, str]]
    editions: list[str]
    options: list[OptionView]
    rules: str


class GameList(Struct, frozen=True):
    """The games of the house."""

    games: list[GameView]


class GameDetail(GameView, frozen=True):
    """A game with its components; by language the names of all ids, and what each card does.

    `texts` is empty where a game says with its components what its cards do.
    """

    components: Object
    names: dict[str, dict[str, str]]
    texts: dict[str, dict[str, str]]


class ServerKeys(Struct, frozen=True):
    """The keys that sign checkpoints (C2SP vkeys), and the notes by which one handed over to the next."""

    present: str
    retired: list[str]
    rotations: list[str]


class RefusalView(Struct, frozen=True):
    """One refused command; `move` is the latest move of the match at that time.

    `command` and `player` are null where the reader may not know them yet.
    """

    at: int | None
    kind: str
    command: str | None
    match: str | None
    player: str | None
    seat: str | None
    move: int | None


class RefusalList(Struct, frozen=True):
    """The latest refusals, the newest first."""

    refusals: list[RefusalView]


class CheckView(Struct, frozen=True):
    """One question of the verification.

    `state`: "ok", "wrong", or "unknown" if another failure left it open.  `move`: the first wrong move, null
    if a whole part is wrong.  `said`: why; null while the match runs.
    """

    check: Question
    state: Literal["ok", "wrong", "unknown"]
    move: int | None
    said: str | None


class VerificationView(Struct, frozen=True):
    """What the verifier of this server says of the first `moves` moves of a match, with their root.

    `signed`: the keys of this server that signed the checkpoint.  `notes`: remarks in English, such as how
    many draws were recomputed; empty while the match runs.
    """

    match: str
    moves: int
    root: str
    ok: bool
    checks: list[CheckView]
    signed: list[str]
    notes: list[str]


class LogLeaf(Struct, frozen=True):
    """A leaf of the server's log: its text, its place (from 0), its audit path from the leaf up (base64)."""

    leaf: str
    index: int
    hashes: list[str]


class LogEvidence(Struct, frozen=True):
    """That leaves are in the server's log: a signed checkpoint of it, and a proof for each leaf."""

    checkpoint: str
    proofs: list[LogLeaf]


class ConsistencyProof(Struct, frozen=True):
    """That the log over `size` leaves begins with the log over `old` leaves (RFC 6962, section 2.1.2)."""

    old: int
    size: int
    hashes: list[str]


class Health(Struct, frozen=True):
    """Alive."""

    status: str


class Ready(Struct, frozen=True):
    """Ready for requests.  `remarks`: what is going on nevertheless, by part."""

    ready: bool
    reasons: dict[str, str]
    remarks: dict[str, str]
