"""The seam between the gate and a store: what any store, SQLite or PostgreSQL, must do.

A store commits appends, all of one append or nothing, many appends in one durable transaction.  Nothing of an
append is visible before it is durable.  The insert itself checks that a move follows the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import Protocol

from msgspec import Struct

from api.histogram import Histogram
from domain.kernel import Refused
from domain.log import Record
from domain.match import Match
from domain.partial_match import PartialMatch
from domain.refusals import QUOTED, Sentence
from domain.signed_notes import Signed

OnCommit = Callable[[str, int], None]  # a match and a position


class StoreError(Exception):
    """A store that cannot do what is asked; the text says what a person can do about it.

    What a client may meet is a sentence by an id; what only the operator reads is a text.
    """

    kind = "unavailable"

    def __init__(self, said: str | Sentence = "") -> None:
        super().__init__(str(said))
        self.said = said

    def refusal(self) -> Refused:
        """What the client is told whose request came to this."""
        return Refused(self.kind, QUOTED, {"said": self.said})


class InUse(StoreError):
    """Another process holds the store; the text says which, and under which address."""


class Conflict(StoreError):
    """The records do not follow the stored ones: somebody else was faster.  Reload and judge again."""


class Exists(StoreError):
    """A match with this id is already stored."""


class Unavailable(StoreError):
    """The store cannot be written, as on a full disk, or not be reached; nothing of the append was stored."""


class InDoubt(StoreError):
    """The store went away in the middle of an append: it is not known yet whether it was stored."""

    kind = "in-doubt"


class Older(StoreError):
    """The store is of an older version of the program: it is migrated when it is opened for writing."""


class Outdated(StoreError):
    """A newer version of the program has taken the store over: this one writes nothing more."""


class Remembered(Struct, frozen=True):
    """An answered request with an idempotency key: scope, key, body hash, the answer.

    The scope is whose key it is and the match's id, with a blank between them.
    """

    scope: str
    key: str
    body: bytes
    status: int
    answer: bytes


class Reservation(Struct, frozen=True, omit_defaults=True):
    """Who may take a seat: this player, or the player who shows the invitation code of this SHA-256."""

    player: str | None = None
    code: bytes | None = None


class Reservations(Struct, frozen=True):
    """The reserved seats of a match; `version` counts their changes (0: there were none)."""

    version: int = 0
    seats: Mapping[str, Reservation] = {}


class Append(Struct, frozen=True):
    """What one command adds: consecutive records of one match, and what must become durable with them.

    `secret` comes with a match's first record (None for an uploaded match, whose secret is in its log).
    `note` is the signed checkpoint over the records so far, kept when the match closes or was uploaded.
    `signer` names who is said to have signed an uploaded match: it makes the stored origin "uploaded".
    `reserved` comes with a match's first record.  `reservations` is the version of the reservations that the
    command was judged by: where they are others by now, the append raises Conflict.
    """

    records: Sequence[Record]
    secret: bytes | None = None
    remembered: Remembered | None = None
    note: str = ""
    signer: str | None = None
    reserved: Reservations | None = None
    reservations: int | None = None


class Stored(Struct, frozen=True, gc=False):
    """A record with its position in the store's one order; `uploaded` marks those of an uploaded match.

    `claimed`: none of this store's keys has signed that, so its players may be others than it says.
    """

    position: int
    record: Record
    uploaded: bool
    claimed: bool


class Lag(Struct, frozen=True):
    """How far a replica is behind: it lacks so many moves, none of them older than so many seconds.

    `seconds` is None where it is not known: it has heard of nothing yet since it was started.
    """

    moves: int
    seconds: float | None


class Lately(Struct, frozen=True):
    """What a replica holds: some records of a match, and how old that knowledge may be (see `Lag`)."""

    records: list[Record]
    seconds: float | None


class Figures(Protocol):
    """What a store's writer counts of its work."""

    seconds: Histogram
    sizes: Histogram

    @property
    def waiting(self) -> int:
        """How many pieces of work wait for it."""


class Person(Struct, frozen=True):
    """Somebody with a token, as player, organizer, observer or admin.  The name may be forgotten."""

    id: str
    name: str | None
    role: str


class Known(Struct, frozen=True):
    """What a store knows of a player: how many tokens are good, and whether the name was forgotten."""

    id: str
    name: str | None
    role: str
    tokens: int

    @property
    def forgotten(self) -> bool:
        """Was the name forgotten?"""
        return self.name is None


class Found(Struct, frozen=True):
    """A player who was looked for; `folded` is the form under which the name is found."""

    folded: str
    id: str
    name: str


class Act(Struct, frozen=True):
    """By whom (a person's id; none: the owner of the store), when (microseconds UTC), and why something is
    done with a person."""

    by: str
    at: int
    reason: str = ""


class AuditEntry(Struct, frozen=True):
    """What was done with a person: forget, rename, revoke or new-token.  It holds no name."""

    id: str
    at: int
    action: str
    person: str
    by: str
    reason: str


class People(Protocol):
    """Names and tokens, beside the log: a person can be forgotten without breaking a proof.

    What is done with a person raises `Refused` where it cannot be; where it is done already, it is not done
    again, and leaves no second action.
    """

    def add(self, name: str, role: str) -> tuple[Person, str]:
        """A new person, and a 256-bit token of which only the hash is kept."""

    def by_token(self, token: str) -> Person | None:
        """Whose token this is."""

    def by_holder(self, holder: str) -> Person | None:
        """Whose token has a hash that begins with these 32 hexadecimal digits."""

    def names(self, ids: Sequence[str]) -> dict[str, str | None]:
        """The names of players; None: forgotten.  Unknown ones are missing."""

    def known(self, player: str) -> Known | None:
        """What is known of a player."""

    def find(self, name: str, *, whole: bool, after: Sequence[str], limit: int) -> list[Found]:
        """Players whose name is this one, or (not `whole`) begins so, ordered by folded name and id, which
        `after` names of the last one of another page."""

    def forget(self, player: str, act: Act) -> bool:
        """Delete a name, revoke the tokens and empty the reasons of what was done with this person before;
        whether there was a name."""

    def rename(self, player: str, name: str, act: Act) -> bool:
        """Give another name; whether it is another one."""

    def revoke(self, player: str, act: Act) -> bool:
        """Revoke all tokens; whether there was one."""

    def new_token(self, player: str, act: Act) -> str:
        """A new token in the place of all others."""

    def audit_log(self, before: Sequence[int | str], limit: int) -> list[AuditEntry]:
        """What was done with people, the latest first; `before` names time and id of another action."""

    def watch(self, callback: Callable[[str], None]) -> None:
        """From now on, call `callback(player)` after somebody was changed, by whichever process; "": anybody
        may have been.  It is called from any thread, and must not block.
        """


class Spent(Exception):
    """A visitor's quota of uploads is spent for today; nothing was counted."""


class Quota(Struct, frozen=True):
    """How many files one visitor may upload in a day, and how many bytes they may have, unpacked."""

    number: int
    bytes: int


class Withdrawal(Struct, frozen=True):
    """An uploaded match that is no longer shown: since when (microseconds UTC), by whom and why."""

    match: str
    at: int
    by: str
    reason: str


class Uploads(Protocol):
    """What is remembered of uploads, beside the log."""

    def take(self, visitors: Sequence[str], day: int, size: int, most: Quota) -> None:
        """Count one file of so many bytes for each of these; what was counted on an earlier day is forgotten.

        Raises:
            Spent: one of them has had as much as the quota allows; nothing was counted.
            StoreError: nothing can be stored.
        """

    def withdraw(self, withdrawal: Withdrawal) -> Withdrawal:
        """Show a match no longer; gives what is recorded, which is the first withdrawal of this match.

        Raises:
            StoreError: nothing can be stored.
        """

    def withdrawal(self, match: str) -> Withdrawal | None:
        """That of a match; None where it was not withdrawn."""

    def withdrawn(self) -> frozenset[str]:
        """The ids of all withdrawn matches."""


class Log(Protocol):
    """The moves of many matches in one order, numbered from 1."""

    def after(self, position: int, limit: int) -> list[Stored]:
        """Up to `limit` records after `position`, in the store's order, without gaps."""

    def brief(self, position: int, limit: int) -> list[Stored]:
        """The same without the plays after which there is another record of their match among these: what
        tells where matches stand, at a small part of the cost.

        A play that settles who plays which seat is never left out.
        """

    def news(self, position: int, limit: int) -> list[tuple[str, int]]:
        """The matches and positions of these records alone: it costs a small part of `after`."""

    def since_each(self, moves: Mapping[str, int]) -> Mapping[str, list[Record]]:
        """See `Store.since`: of each of these matches, after the move that is named with it."""

    def last(self) -> int:
        """The position of the last record; 0 where there is none."""

    def watch(self, callback: OnCommit) -> None:
        """From now on, call `callback(match, position)` after each commit, whichever process it comes from.

        The positions only grow, and the last one of each commit is always told.  It is called from a thread
        of the store, and must not block.
        """


class Store(Log, Protocol):
    """One store of matches, which are one log."""

    people: People
    uploads: Uploads
    shared: bool  # do other processes write, too?

    def submit(self, append: Append) -> Future[int]:
        """Hand an append to the writer; the future gives the position of its last record once durable.

        The future raises Conflict, Exists or Unavailable; nothing of this append is then stored.  Where the
        store went away and did not come back in time to tell, it raises InDoubt.
        """

    def match(self, match: str) -> Match | None:
        """The match as stored, folded from its log."""

    def partial_match(self, match: str, move: int) -> PartialMatch | None:
        """The match as far as a move is to be told; None where it is not a move before the latest one.

        It costs what the way to that move does, however long the log has become.
        """

    def since(self, match: str, move: int) -> list[Record]:
        """The stored records of a match after its move `move`, in order."""

    def secret(self, match: str) -> bytes | None:
        """The match's secret, unwrapped; None for an uploaded or unknown match."""

    def remembered(self, scope: str, key: str) -> Remembered | None:
        """The answer that a key got before."""

    def reservations(self, match: str) -> Reservations:
        """The reserved seats of a match."""

    def reserve(self, match: str, move: int, reservations: Reservations) -> None:
        """Put these in the place of the reservations one version earlier; the match is at this move.

        Raises:
            Conflict: the match or its reservations have gone on.
            StoreError: see `submit`.
        """

    def lately(self, match: str, move: int) -> Lately | None:
        """What a replica holds of a match after its move `move`; None where there is no replica."""

    def note(self, match: str) -> str | None:
        """The checkpoint kept with a closed or uploaded match."""

    def signer(self, match: str) -> str | None:
        """Who is said to have signed an uploaded match; None for a match of this store's own."""

    def proof(self, match: str) -> Signed | None:
        """Who of this store's keys signed an uploaded match, and who is named besides; None for one of its
        own."""

    def matches(self) -> Iterator[str]:
        """The ids of all matches, oldest first."""

    @property
    def figures(self) -> list[Figures]:
        """What each writer counts; none where the store is only read."""

    def probe(self) -> None:
        """Write something small and durable, as every append is, that takes the place of what the last probe
        wrote.

        Raises:
            StoreError: moves cannot be stored, and why; also where a newer version has taken the store over.
        """

    def size(self) -> int:
        """How many bytes the store takes."""

    def lag(self) -> Lag | None:
        """How far the replica is behind; None where there is none.

        Raises:
            StoreError: it does not answer.
        """

    def close(self) -> None:
        """Finish what was submitted, then let go of the files."""
