"""The bodies of answers about players, their sessions, and the mails that they get.

Times are microseconds UTC.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

Name = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[^\u0000-\u001f\u007f]+$(?!\n)")]
Often = Literal["at-once", "hourly", "daily", "never"]  # are mails sent
Role = Literal["player", "organizer", "observer", "admin", "bot"]
BOT: Role = "bot"
"""The role of a player that is a program."""


class Token(Struct, frozen=True):
    """A new player, and the token, which is shown this once."""

    player: str
    token: str
    role: Role


class FoundPlayer(Struct, frozen=True):
    """A player who was looked for."""

    player: str
    name: str


class FoundPlayers(Struct, frozen=True):
    """Players in the order of their names, written alike; `next` asks for the rest."""

    players: list[FoundPlayer]
    next: str | None


class PlayerView(Struct, frozen=True):
    """A player; a forgotten name is shown as such.

    `role` and `tokens` (the number of valid ones) are shown only to the player and to admins; `bot`, that a
    program plays, to everybody.
    """

    player: str
    name: str
    forgotten: bool
    bot: bool | UnsetType = UNSET
    role: Role | UnsetType = UNSET
    tokens: int | UnsetType = UNSET


class AuditEntryView(Struct, frozen=True):
    """What was done with a player: forget, rename, revoke, new-token or link.

    `by`: the player who did it; null: the owner of the store, on the command line.
    """

    at: int
    action: str
    player: str
    by: str | None
    reason: str


class AuditLog(Struct, frozen=True):
    """What was done with players, the latest first; `next` asks for the rest."""

    entries: list[AuditEntryView]
    next: str | None


class SignedIn(Struct, frozen=True):
    """A new session, and whom it signs in."""

    session: str
    player: str
    name: str
    role: Role


class SessionView(Struct, frozen=True):
    """A session: a label of the device, when it was made and last used (to the hour).

    `current`: it is the one of this request.
    """

    session: str
    device: str
    made: int
    used: int
    current: bool


class SessionList(Struct, frozen=True):
    """Where a player is signed in; the session that was used last stands first."""

    sessions: list[SessionView]


class Link(Struct, frozen=True):
    """The code of a one-time link, when it ends, and its address, also as a QR code (an SVG document).

    `qr` is empty if the name of the server is too long for it.
    """

    code: str
    expires: int
    address: str
    qr: str


class Ticket(Struct, frozen=True):
    """A ticket and when it ends; an open stream keeps it alive."""

    ticket: str
    expires: int


class Notifications(Struct, frozen=True):
    """What the caller wants to be notified of, and where.

    `mail`: does this server send mail?  `state`: of the address.  `said`: why a stopped address is stopped,
    as its mail server says; else empty.  `feed`: the address of the caller's Atom feed; null
    for none.
    """

    mail: bool
    address: str | None
    state: Literal["none", "unconfirmed", "confirmed", "stopped"]
    said: str
    often: Often
    matches: dict[str, Often]
    while_open: bool
    feed: str | None
