"""The bodies of requests, as structs; those of answers are in `api.http.schemas`.

Requests refuse unknown fields.  Times are microseconds UTC, salts base64.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from api.http.account_schemas import Name, Often, Role
from api.mail.settings import ADDRESS
from domain.bounds import MOST, BotName, Number, OpenedSalt, Picks, Reason, Salt, SaltHash, Score, SeatName
from domain.clocks import MOST_LEFT, Term


class Request(Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a request."""


class NewPlayer(Request, frozen=True):
    """A new player; only an admin can give a role other than player.

    `bot`: a program plays.  It has the role `bot` for ever, and no rated match.
    """

    name: Name
    role: Role = "player"
    bot: bool = False


Why = Annotated[
    str,
    Meta(
        max_length=500,
        pattern=r"^[^\u0000-\u001f\u007f]*$(?!\n)",
        description="Why, for the audit log; it must not hold the name.",
    ),
]


class NewName(Request, frozen=True):
    """Another name for a player."""

    name: Name
    reason: Why = ""


class Because(Request, frozen=True):
    """Why something is done with a player."""

    reason: Why = ""


class SignIn(Request, frozen=True):
    """How a browser signs in: with a token, or with the code of a one-time link."""

    token: Annotated[str, Meta(min_length=1, max_length=200)] | UnsetType = UNSET
    code: Annotated[str, Meta(min_length=1, max_length=64)] | UnsetType = UNSET


class NewLink(Request, frozen=True):
    """A one-time link: for oneself or, by an admin, for `player`; then `reason` goes to the audit log."""

    player: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,64}$(?!\n)")] | UnsetType = UNSET
    reason: Why = ""


MatchName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,64}$(?!\n)")]


MailAddress = Annotated[str, Meta(pattern=ADDRESS, max_length=254)]


class NewNotifications(Request, frozen=True):
    """What a player wants to be notified of by mail; it replaces what was wanted before.

    `address`: null for none; a new one is confirmed by a link that is sent to it.  `often`: how often at
    most; `matches` names other wishes by match.  `while_open`: also while a page of the player is open.
    """

    address: MailAddress | None
    often: Often = "at-once"
    matches: Annotated[dict[MatchName, Often], Meta(max_length=200)] = {}
    while_open: bool = False


class NewFeed(Request, frozen=True):
    """A new secret for the feed: the old address ends.  The body is an empty object."""


class Reserve(Request, frozen=True):
    """Who alone may take a seat: this player, or the player who shows the invitation that is made."""

    player: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,64}$(?!\n)")] | None = None
    invitation: bool = False


class Withdrawal(Request, frozen=True):
    """Withdraw a reservation: any player may take the seat again.  The body is an empty object."""


GivenClock = Annotated[
    Term | Annotated[tuple[Term, ...], Meta(max_length=2)],
    Meta(description="One term; or a bank or days, and a date."),
]


class NewMatch(Request, frozen=True):
    """A match to be opened; what is left out takes the game's default.  `reserved`: who may take a seat.

    `private`: no list shows the match to players who do not sit in it, and it counts on no scoreboard.
    `clock`: the terms of its clock; left out, it has none.
    """

    game: Annotated[str, Meta(max_length=64)]
    edition: Annotated[str, Meta(max_length=64)] | None = None
    options: dict[str, Any] = {}
    reserved: Annotated[dict[SeatName, Reserve], Meta(max_length=16)] | UnsetType = UNSET
    private: bool | UnsetType = UNSET  # if unset, it is not part of the request that a key is bound to
    clock: GivenClock | UnsetType = UNSET  # the same


class NewBranch(Request, frozen=True):
    """A branch of a match that is over: it goes on from the table after move `at`."""

    at: Number


class Sit(Request, frozen=True):
    """To sit down, with a salt of one's own for the draws; or to let a bot of the house play the seat.

    `salt_hash` commits to a salt, which is opened when every seat is taken; `salt` is in clear at once.
    `invitation`: the code that opens a reserved seat.
    """

    salt: Salt | None = None
    bot: BotName | None = None
    salt_hash: SaltHash | UnsetType = UNSET  # if unset, it is not part of the request that a key is bound to
    invitation: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,64}$(?!\n)")] | UnsetType = UNSET


class OpenSalt(Request, frozen=True):
    """To open the salt whose hash one brought when one sat down."""

    salt: OpenedSalt


class Closing(Request, frozen=True):
    """To close a match that waits too long for a salt; there is nothing to say."""


class Moves(Request, frozen=True):
    """One answer (`picks`) or several in a row (`answers`); `expect` is the `move` of the prompt."""

    expect: Number
    picks: Picks | UnsetType = UNSET
    answers: Annotated[tuple[Picks, ...], Meta(min_length=1, max_length=200)] | UnsetType = UNSET


class Takeback(Request, frozen=True):
    """To go back to the table after move `to`; without it, to before one's own latest answer."""

    to: Number | None = None


class TakebackAnswer(Request, frozen=True):
    """Whether one agrees to go back."""

    agree: bool


class Resignation(Request, frozen=True):
    """To give up; there is nothing to say."""


class RuledResult(Request, frozen=True):
    """A result by ruling: who wins (null: no winner), and the score of each seat."""

    winner: SeatName | None
    score: dict[SeatName, Score] = {}


class Ruling(Request, frozen=True):
    """A ruling: a reason, and exactly one of `back_to`, `result` and `void`.

    With `expect`, the latest move that the organizer has seen, a match that went on since refuses the ruling.
    """

    reason: Reason
    expect: Number | None = None
    back_to: Number | None = None
    result: RuledResult | None = None
    void: bool = False


Until = Annotated[int, Meta(ge=0, le=MOST, description="Microseconds UTC.")]
Left = Annotated[int, Meta(ge=1, le=MOST_LEFT, description="Microseconds.")]


class ClockChange(Request, frozen=True):
    """A change of the clocks: `seat` gets so much `more`, or has exactly `left`; or all are `paused`, or run.

    Without `why` it is a gift to the other seat, which can only get more.  With it an organizer decides.
    `until`: the date of `seat` alone is set, and its bank stays as it is.  `expect`: as in a ruling.
    """

    why: Annotated[str, Meta(max_length=2000)] = ""
    seat: SeatName | None = None
    more: Left | None = None
    left: Left | None = None
    until: Until | None = None
    paused: bool | None = None
    expect: Number | None = None


class Freezing(Request, frozen=True):
    """An organizer freezes a match, or releases it (`frozen` is false); `expect`: as in a ruling."""

    reason: Reason
    frozen: bool = True
    expect: Number | None = None


class NewWithdrawal(Request, frozen=True):
    """Why an uploaded match is no longer to be shown."""

    reason: Reason


class NewTicket(Request, frozen=True):
    """A ticket for the stream of one match, as one viewer sees it."""

    match: Annotated[str, Meta(max_length=64)]
    view: SeatName | None = None
