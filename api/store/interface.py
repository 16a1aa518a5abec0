"""The interface between the gate and a store: what every store, SQLite or PostgreSQL, must do.

A store commits each append as a whole or not at all, and many appends in one durable transaction.  Nothing of
an append is visible before it is durable.  The insert itself checks that a move follows the last one.
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
from domain.tournaments.history import TournamentLog

OnCommit = Callable[[str, int], None]  # a match and a position


class StoreError(Exception):
    """A store cannot do what is asked; the text says what to do about it.

    An error that a client may get is a sentence with an id; one that only the operator reads is a text.
    """

    kind = "unavailable"

    def __init__(self, said: str | Sentence = "") -> None:
        super().__init__(str(said))
        self.said = said

    def refusal(self) -> Refused:
        """The refusal that the client gets."""
        return Refused(self.kind, QUOTED, {"said": self.said})


class InUse(StoreError):
    """Another process holds the store; the text says which one, and its address."""


class Conflict(StoreError):
    """The records do not follow the stored ones: another request was faster.  Reload and judge again."""


class Exists(StoreError):
    """A match with this id is already stored."""


class Unavailable(StoreError):
    """The store cannot be reached, or not be written (a full disk); nothing of the append was stored."""


class InDoubt(StoreError):
    """The connection was lost in the middle of an append: it is not known yet whether it was stored."""

    kind = "in-doubt"


class Older(StoreError):
    """An older version of the program wrote the store: it is migrated when it is opened for writing."""


class Outdated(StoreError):
    """A newer version of the program has migrated the store: this version writes nothing more."""


class Remembered(Struct, frozen=True):
    """An answered request with an idempotency key: scope, key, body hash, the answer.

    The scope is the owner of the key and the match's id, with a blank between them.
    """

    scope: str
    key: str
    body: bytes
    status: int
    answer: bytes


class Reservation(Struct, frozen=True, omit_defaults=True):
    """Who may take a seat: this player, or the player with the invitation code that has this SHA-256."""

    player: str | None = None
    code: bytes | None = None


class Reservations(Struct, frozen=True):
    """The reserved seats of a match; `version` counts their changes (0: there were none)."""

    version: int = 0
    seats: Mapping[str, Reservation] = {}


class Append(Struct, frozen=True):
    """What one command adds: consecutive records of one match, and what must become durable with them.

    `secret` comes with a match's first record (None for an uploaded match, whose secret is in its log).
    `note` is the signed checkpoint over the records so far, stored when the match closes or is uploaded.
    `signer` is the stated signer of an uploaded match; it makes the stored origin "uploaded".
    `reserved` comes with a match's first record.  `reservations` is the version of the reservations that the
    command was checked against: if the version is another one by now, the append raises Conflict.
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

    `claimed`: none of this store's keys has signed that match, so its players may be others than it says.
    """

    position: int
    record: Record
    uploaded: bool
    claimed: bool


class Lag(Struct, frozen=True):
    """How far a replica is behind: it lacks so many moves, none of them older than so many seconds.

    `seconds` is None if that is not known: the replica has received nothing since it was started.
    """

    moves: int
    seconds: float | None


class Lately(Struct, frozen=True):
    """What a replica holds: some records of a match, and how old that knowledge may be (see `Lag`)."""

    records: list[Record]
    seconds: float | None


class Figures(Protocol):
    """The metrics of a store's writer."""

    seconds: Histogram
    sizes: Histogram

    @property
    def waiting(self) -> int:
        """The number of pieces of work that wait for the writer."""


class Person(Struct, frozen=True):
    """A user with a token and a role: player, organizer, observer, admin, bot.  The name may be forgotten."""

    id: str
    name: str | None
    role: str


class Known(Struct, frozen=True):
    """What a store knows of a player: how many tokens are valid, and whether the name was forgotten."""

    id: str
    name: str | None
    role: str
    tokens: int

    @property
    def forgotten(self) -> bool:
        """Was the name forgotten?"""
        return self.name is None


class Found(Struct, frozen=True):
    """A player who was found; `folded` is the form of the name that was compared."""

    folded: str
    id: str
    name: str


class SessionBounds(Struct, frozen=True):
    """How long sessions and links last, in microseconds, and how many of each one player may have.

    lasts: a session is over so long after its last use.
    link_lasts: a link is over so long after it was made.
    most, most_links: of one player; for one more, the oldest is removed.
    """

    lasts: int
    link_lasts: int
    most: int
    most_links: int


class Session(Struct, frozen=True):
    """A session of a player: its id, a label of the device, when it was made and last used (microseconds
    UTC; the last use is stored at most once an hour).
    """

    id: str
    device: str
    made: int
    used: int


class NewSession(Struct, frozen=True):
    """A session that was just made: its id, its secret of 256 bits (shown only now), and its player."""

    id: str
    secret: str
    person: Person


class Act(Struct, frozen=True):
    """A change of a person: by whom (an id; none: the store's owner), when (microseconds UTC), and why."""

    by: str
    at: int
    reason: str = ""


class AuditEntry(Struct, frozen=True):
    """A past change of a person: forget, rename, revoke, new-token or link.  It holds no name."""

    id: str
    at: int
    action: str
    person: str
    by: str
    reason: str


class People(Protocol):
    """Names and tokens, beside the log: a person can be forgotten without breaking a proof.

    A change of a person raises `Refused` if it is not possible; a change that is made already is not made
    again, and adds no second entry to the audit log.
    """

    def add(self, name: str, role: str) -> tuple[Person, str]:
        """Add a person; return them and a new 256-bit token, of which only the hash is stored."""

    def by_token(self, token: str) -> Person | None:
        """Return the person with this token, or None."""

    def by_holder(self, holder: str) -> Person | None:
        """Return the person whose token has a hash that begins with these 32 hexadecimal digits, or None."""

    def bots(self, ids: Sequence[str]) -> set[str]:
        """Return those of these players that are programs."""

    def names(self, ids: Sequence[str]) -> dict[str, str | None]:
        """Return the names of players, None for a forgotten one; unknown ids are missing."""

    def known(self, player: str) -> Known | None:
        """Return what is known of a player; None if the id is unknown."""

    def forgotten(self) -> dict[str, int | None]:
        """Return all players who were forgotten, each with the time, in microseconds UTC (None: unknown)."""

    def find(self, name: str, *, whole: bool, after: Sequence[str], limit: int) -> list[Found]:
        """Return players with this name or, if not `whole`, with a name that begins so.

        They are ordered by folded name and id; `after` holds both of the last player of the page before.
        """

    def forget(self, player: str, act: Act) -> bool:
        """Delete a name, tokens, sessions, links, and the mail address with what waits in the outbox.

        The reasons in this person's audit log are emptied.

        Returns whether there was a name.
        """

    def rename(self, player: str, name: str, act: Act) -> bool:
        """Change the name; return whether it is a new one."""

    def revoke(self, player: str, act: Act) -> bool:
        """Revoke all tokens, sessions and links; return whether there was one."""

    def new_token(self, player: str, act: Act) -> str:
        """Make a new token, which replaces all others; return it.  The sessions and links end as well."""

    def sign_in(
        self, token: str, device: str, at: int, bounds: SessionBounds, replaced: str = ""
    ) -> NewSession | None:
        """Make a session for the owner of a token; None if the token is not valid.

        Args:
            device: a label of the device that signs in.
            at: the time, in microseconds UTC.
            bounds: if the player has as many sessions as that, the one that was used longest ago ends.
            replaced: the secret of an earlier session of this device, which ends; "" if there is none.
        """

    def sign_in_by_link(
        self, code: str, device: str, at: int, bounds: SessionBounds, replaced: str = ""
    ) -> NewSession | None:
        """Make a session with the code of a link, which is then used up; see `sign_in`.

        Returns None if there is no such link, or if it is used up or over.
        """

    def by_session(self, secret: str, at: int, bounds: SessionBounds) -> tuple[Person, str] | None:
        """Return the player of a session and its id; None if there is no such session, or it is over.

        This counts as a use of the session.
        """

    def by_session_holder(self, holder: str, at: int, bounds: SessionBounds) -> tuple[Person, str] | None:
        """Return the same for the secret with a hash that begins with these 32 hexadecimal digits."""

    def sessions(self, player: str, at: int, bounds: SessionBounds) -> list[Session]:
        """Return the sessions of a player, those first that were used last."""

    def end_session(self, player: str, session: str) -> bool:
        """End the session with this id; return whether the player had it."""

    def new_link(self, player: str, act: Act, bounds: SessionBounds) -> str:
        """Make a link that signs in as this player, once; return its code of 128 bits.

        If another player makes it, that is an entry of the audit log.
        """

    def audit_log(self, before: Sequence[int | str], limit: int) -> list[AuditEntry]:
        """Return changes of people, the latest first, before the one with the time and id `before`."""

    def watch(self, callback: Callable[[str], None]) -> None:
        """From now on, call `callback(player)` after a person was changed by any process.

        `player` is "" if any person may have been changed.  The callback runs in any thread, and must not
        block.
        """


class Subscription(Struct, frozen=True, kw_only=True):
    """What a player wants to be notified of by mail, and where.

    address: "" if there is none.
    asked: when the address was given last (microseconds UTC); its confirmation link holds this time.
    state: of the address: "none", "unconfirmed", "confirmed" or "stopped".
    said: why a stopped address is stopped, as its mail server says.
    often: "at-once", "hourly", "daily" or "never"; `matches` holds other wishes by match.
    while_open: also while a tab of the player is open.
    feed: a random text that makes the secret of the feed; "" if the player has no feed.
    seen: when a tab of the player was open last.
    """

    player: str
    address: str = ""
    asked: int = 0
    state: str = "none"
    said: str = ""
    often: str = "at-once"
    matches: Mapping[str, str] = {}
    while_open: bool = False
    language: str = "en"
    feed: str = ""
    seen: int = 0


class Item(Struct, frozen=True):
    """One thing to notify a player of; `kind` is one of `api.mail.kinds`, `move` is where it happened."""

    kind: str
    match: str = ""
    seat: str = ""
    move: int = 0


class Notice(Struct, frozen=True):
    """An item for a player that is to be put into the outbox: with which wish, and when it is due."""

    player: str
    often: str
    item: Item
    due: int


class Outgoing(Struct, frozen=True):
    """A message of the outbox.

    id: it makes the Message-ID, so a message that is sent twice is the same message.
    often: the wish by which it waits; "" for a message that asks to confirm an address.
    made: when it was put there.
    tries: how often it was tried to be sent.
    """

    id: str
    player: str
    often: str
    items: Sequence[Item]
    made: int
    tries: int


class Outbox(Protocol):
    """What players want to be notified of by mail, and the messages that wait to be sent.

    Raises `StoreError` if the store is only read, or cannot be written.
    """

    def of(self, player: str) -> Subscription:
        """Return what a player wants."""

    def among(self, players: Sequence[str]) -> list[Subscription]:
        """Return the subscriptions with a confirmed address among these players."""

    def change(self, wanted: Subscription, most: int, asks: Item | None = None) -> Subscription:
        """Store what a player wants; a new address, or one that was stopped, is to be confirmed again.

        Then a message is put into the outbox that asks for this, or says `asks`.  `wanted.asked` is the
        present time.
        `state`, `said`, `feed` and `seen` are ignored.

        Raises:
            Refused: unknown-player, forgotten.
            Spent: the address was asked `most` times today already; nothing was changed.
        """

    def confirm(self, player: str, address: str, asked: int) -> bool:
        """Note that an address was confirmed that was given at this time; return whether it still counts."""

    def unsubscribe(self, player: str, address: str) -> bool:
        """Send nothing more to a player at this address; return whether it is the player's address."""

    def stop(self, address: str, said: str) -> None:
        """Send nothing more to this address, because its mail server refuses it for ever."""

    def renew_feed(self, player: str) -> str:
        """Give a player a feed with a new secret; return the text that makes it.

        Raises:
            Refused: unknown-player, forgotten.
        """

    def position(self) -> int | None:
        """Return up to which record of the log notices were put into the outbox; None at the beginning."""

    def advance(self, before: int | None, position: int, notices: Sequence[Notice], at: int) -> bool:
        """Put notices into the outbox, with the new position, if the position is still `before`.

        A notice joins a message that waits with the same wish.  Returns whether it was done.
        """

    def next(self, at: int) -> Outgoing | None:
        """Return the message that has been due for the longest time at `at`; None if there is none."""

    def take(self, id: str, address: str, day: int, most: int) -> Outgoing | None:
        """Begin to send a message: nothing joins it any more.  Return it as it is now.

        Returns None if it is gone, or if `most` messages went to this address on this day already.
        """

    def defer(self, id: str, due: int) -> None:
        """Let a message wait until `due`."""

    def remove(self, id: str) -> None:
        """Remove a message, because it was sent or is given up."""

    def see(self, players: Sequence[str], at: int) -> None:
        """Note that tabs of these players are open."""

    def waiting(self) -> int:
        """Return how many messages wait."""


class Spent(Exception):
    """A quota is used up for today: of a visitor's uploads, or of messages; nothing was counted."""


class Quota(Struct, frozen=True):
    """How many files one visitor may upload in a day, and how many bytes they may have, unpacked."""

    number: int
    bytes: int


class Withdrawal(Struct, frozen=True):
    """An uploaded match that is no longer shown: since when (microseconds UTC), who withdrew it and why."""

    match: str
    at: int
    by: str
    reason: str


class Uploads(Protocol):
    """What is stored about uploads, beside the log."""

    def take(self, visitors: Sequence[str], day: int, size: int, most: Quota) -> None:
        """Count a file of `size` bytes for each of these visitors; delete the counts of earlier days.

        Raises:
            Spent: one of them has used up the quota; nothing was counted.
            StoreError: nothing can be stored.
        """

    def withdraw(self, withdrawal: Withdrawal) -> Withdrawal:
        """Withdraw a match; return the recorded withdrawal, which is the first one of this match.

        Raises:
            StoreError: nothing can be stored.
        """

    def withdrawal(self, match: str) -> Withdrawal | None:
        """Return the withdrawal of a match; None if it was not withdrawn."""

    def withdrawn(self) -> frozenset[str]:
        """Return the ids of all withdrawn matches."""


class ReportedFile(Struct, frozen=True):
    """A match file that was uploaded for a tournament: the match in it, and the SHA-256 of the file in hex.

    at: when it came, in microseconds UTC.  about: what it came to, as JSON.
    """

    tournament: str
    match: str
    sha256: str
    at: int
    about: str
    content: bytes


class ReportedFiles(Protocol):
    """The match files of games that were played elsewhere, beside the log.

    A file that a ruling names stays, and no other tournament can have a file of its match.  Of those that no
    ruling names, the latest ones stay.
    """

    def keep(self, file: ReportedFile, waiting: int, most: Quota) -> None:
        """Keep a file.

        Args:
            waiting: so many files of a tournament stay that no ruling names.
            most: what one tournament may keep in all.

        Raises:
            Conflict: another file of this match is named by a ruling.
            Spent: the tournament has no room for it; nothing was changed.
            StoreError: nothing can be stored.
        """

    def name(self, tournament: str, sha256: str) -> bool:
        """Note durably that a ruling names a file; return whether it is there.

        Raises:
            StoreError: nothing can be stored.
        """

    def about(self, tournament: str, sha256: str) -> str | None:
        """Return what a file came to, as JSON; None if it is not there."""

    def content(self, tournament: str, sha256: str) -> bytes | None:
        """Return a file; None if it is not there."""


class Stop(Struct, frozen=True):
    """No process could write the store between two times (microseconds UTC)."""

    start: int
    end: int


class Uptime(Protocol):
    """When the store could be written, beside the log."""

    def beat(self, at: int) -> tuple[Stop, ...]:
        """Store durably that the store can be written at this time; return the latest stops, in order.

        Raises:
            StoreError: the store is only read, or cannot be written.
        """


class Log(Protocol):
    """The moves of many matches, and the entries of tournaments, in one order, numbered from 1.

    A follower of matches passes over the records with the topic `TOURNAMENT` (see `Record.topic`).
    """

    def after(self, position: int, limit: int) -> list[Stored]:
        """Return up to `limit` records after `position`, in the store's order, without gaps."""

    def brief(self, position: int, limit: int) -> list[Stored]:
        """Return the same, without each play that a later record of its match among these follows.

        This shows how far matches have come, at a small part of the cost.  A play that settles who plays
        which seat is never left out.
        """

    def news(self, position: int, limit: int) -> list[tuple[str, int]]:
        """Return only the matches and positions of these records, at a small part of the cost of `after`."""

    def since_each(self, moves: Mapping[str, int]) -> Mapping[str, list[Record]]:
        """Return, for each of these matches, its records after the move named with it; see `Store.since`."""

    def last(self) -> int:
        """Return the position of the last record; 0 if there is none."""

    def watch(self, callback: OnCommit) -> None:
        """From now on, call `callback(match, position)` after each commit of any process.

        The positions only grow, and the last one of each commit is always among them.  The callback runs in a
        thread of the store, and must not block.
        """


class Store(Log, Protocol):
    """One store of matches, which are one log."""

    people: People
    uploads: Uploads
    reported_files: ReportedFiles
    outbox: Outbox
    uptime: Uptime
    shared: bool  # do other processes write, too?

    def submit(self, append: Append) -> Future[int]:
        """Submit an append; the future gives the position of its last record once that is durable.

        If the future raises Conflict, Exists or Unavailable, nothing of this append is stored.  It raises
        InDoubt if the connection was lost and did not come back in time to ask whether the append was stored.
        """

    def match(self, match: str) -> Match | None:
        """Return the match, folded from its stored log; None if there is none."""

    def partial_match(self, match: str, move: int) -> PartialMatch | None:
        """Return the match up to a move; None if that is not a move before the latest one.

        The cost depends on the number of moves up to that one, not on the length of the log.
        """

    def since(self, match: str, move: int) -> list[Record]:
        """Return the stored records of a match after its move `move`, in order."""

    def secret(self, match: str) -> bytes | None:
        """Return the match's unwrapped secret; None for an uploaded or unknown match."""

    def remembered(self, scope: str, key: str) -> Remembered | None:
        """Return the earlier request with this key and its answer, or None."""

    def reservations(self, match: str) -> Reservations:
        """Return the reserved seats of a match."""

    def reservations_of(self, matches: Sequence[str]) -> Mapping[str, Reservations]:
        """Return the reserved seats of those of these matches (at most some hundreds) that have any."""

    def reserve(self, match: str, move: int, reservations: Reservations) -> None:
        """Replace the reservations, which are one version earlier; the match is at this move.

        Raises:
            Conflict: the match or its reservations were changed meanwhile.
            StoreError: see `submit`.
        """

    def lately(self, match: str, move: int) -> Lately | None:
        """Return what a replica holds of a match after its move `move`; None if there is no replica."""

    def note(self, match: str) -> str | None:
        """Return the checkpoint that is stored with a closed or uploaded match, or None."""

    def signer(self, match: str) -> str | None:
        """Return the stated signer of an uploaded match; None for a match of this store."""

    def proof(self, match: str) -> Signed | None:
        """Return which of this store's keys signed an uploaded match, and which other signers are named.

        Returns None for a match of this store.
        """

    def matches(self) -> Iterator[str]:
        """Iterate over the ids of all matches, oldest first."""

    def tournament(self, tournament: str) -> TournamentLog | None:
        """Return the tournament, folded from its stored log; None if there is none."""

    def tournaments(self) -> Iterator[str]:
        """Iterate over the ids of all tournaments, oldest first."""

    def closed_at(self, matches: Sequence[str]) -> Mapping[str, int]:
        """Return the position where each of these matches closed, if it did."""

    @property
    def figures(self) -> list[Figures]:
        """The metrics of each writer; none if the store is only read."""

    def probe(self) -> None:
        """Write one small row durably, as an append is written; it replaces that of the last probe.

        Raises:
            StoreError: moves cannot be stored, and why; also if a newer version has migrated the store.
        """

    def size(self) -> int:
        """Return the size of the store in bytes."""

    def lag(self) -> Lag | None:
        """Return how far the replica is behind; None if there is no replica.

        Raises:
            StoreError: the replica does not answer.
        """

    def close(self) -> None:
        """Finish the submitted appends, then close the store."""
