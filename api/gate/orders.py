"""What a command is before and after the gate, and what an idempotency key keeps of it."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

import msgspec
from msgspec import Struct

from api.gate.desks import Desk
from api.store.seam import Remembered
from domain.drafting import Context, Draft, Refused
from domain.entries import Closed, Played, SecretOpened, TakebackAnswered, TakenBack
from domain.kernel import Seat
from domain.match import Match
from domain.outline import Chair, Outline

Judge = Callable[[Match, Context, Seat | None], Draft]
"""What a command leads to; it is told the seat for which the command is said, if it is a seat's."""

_LAST_SECOND = 253_402_300_799  # of the year 9999, with which the calendar ends
_CREATED = 201  # what is remembered is always the answer to a command that was carried out


def new_id() -> str:
    """The id of a new match: "m" and 80 random bits, lower-case, short enough for an address, never met
    twice."""
    return "m" + base64.b32encode(os.urandom(10)).decode().lower()


def id_of(key: Key) -> str:
    """The id of the match that is opened with a key: the same for the same key of the same token."""
    digest = hashlib.sha256(f"open {key.scope} {key.key}".encode()).digest()
    return "m" + base64.b32encode(digest[:10]).decode().lower()


class Key(Struct, frozen=True):
    """An idempotency key.

    `scope`: whose key it is (a token, a match).  `body`: the hash of the request.  `form`: the form of the
    answer (a language), which a repetition gets again whatever it asks for.
    """

    scope: str
    key: str
    body: bytes
    form: str = ""


class Accepted(Struct, frozen=True):
    """A committed command: its own moves are `first`...`last`; after `settled` no bot had to answer.

    `seat`: the one for which it was said.
    """

    desk: Desk
    seat: Seat | None
    first: int
    last: int
    settled: int
    form: str = ""

    @property
    def chair(self) -> Chair | None:
        """Where the player who said it sat down: with the command itself he may have left the seat."""
        return self.desk.match.chair_of(self.seat, self.first - 1) if self.seat else None


class Order(Struct, frozen=True):
    """One command: who says it, to which match, and how it is judged.

    `look`: what is done before it is judged, each time; it gives the version of the reservations that it was
    judged by.
    """

    command: str
    match: str
    judge: Judge
    player: str | None = None
    seat: Seat | None = None
    expect: int | None = None
    key: Key | None = None
    look: Callable[[], Awaitable[int]] | None = None


class _Kept(Struct, frozen=True):
    """What a key keeps: enough to give the same answer again, from the log alone."""

    seat: Seat | None
    first: int
    last: int
    form: str


def remembered(key: Key | None, accepted: Accepted) -> Remembered | None:
    """What becomes durable together with the moves of a command that came with a key."""
    if key is None:
        return None
    kept = _Kept(accepted.seat, accepted.first, accepted.last, key.form)
    return Remembered(key.scope, key.key, key.body, _CREATED, msgspec.json.encode(kept))


def never(match: Match, context: Context, own: Seat | None) -> Draft:
    """How a command is judged that comes with its records."""
    raise AssertionError("this command has nothing to judge")


def last_own(draft: Draft) -> int:
    """The last move of a draft but for those that close the match."""
    own = [record.move for record in draft.records if not isinstance(record.entry, (SecretOpened, Closed))]
    return own[-1] if own else draft.records[-1].move


def recalled(known: Remembered, desk: Desk) -> Accepted:
    """The command that a key stands for, as it was answered."""
    kept = msgspec.json.decode(known.answer, type=_Kept)
    return Accepted(desk, kept.seat, kept.first, kept.last, settled(desk.match, kept.last), kept.form)


def settled(match: Match, last: int) -> int:
    """The move after `last` at which no bot had to answer: what bots did at once, and the match's end.

    It depends on nothing but the log, so that an answer can be given again, byte for byte.
    """
    move = last
    while move < match.move and _follows_at_once(match, move):
        move += 1
    return move


def must_play(own: Seat | None) -> Seat:
    """The seat of somebody who plays in the match.  Raises Refused: foreign."""
    if own is None:
        raise Refused("foreign", "you do not play in this match")
    return own


def must_have_waited(match: Outline, context: Context, hours: int) -> None:
    """So many hours since the last seat was taken.  Raises Refused: salt."""
    since = match.full_since
    if since is None or context.now is None:
        raise Refused("salt", "no time is known here; only a ruling closes the match")
    due = since + hours * 3600 * 1_000_000
    if context.now < due:
        moment = datetime.fromtimestamp(min(due // 1_000_000, _LAST_SECOND), UTC)
        raise Refused("salt", f"the match may be closed from {moment:%Y-%m-%d %H:%M:%S} UTC on")


def seat_if_any(match: Outline, player: str | None) -> Seat | None:
    """The seat for which a player speaks now: of several (somebody may play against himself) one that is
    asked; None where he does not play in the match.
    """
    own = seats_of(match, player)
    if len(own) < 2:
        return own[0] if own else None
    asked = match.asked.seats if match.asked else {}
    return next((seat for seat in own if seat in asked), own[0])


def seats_of(match: Outline, player: str | None, move: int | None = None) -> list[Seat]:
    """The seats that a player plays after `move` (None: the latest); none where ids are only claimed."""
    if player is None or match.claimed:
        return []
    chairs = [seat for seat, seated in match.seats.items() if seated and seated.player == player]
    own = [match.seat_of(Chair(chair), move) for chair in chairs]
    return own if len(own) < 2 else [seat for seat in match.seats if seat in own]


def answering_seat(match: Match, player: str | None, own: Seat | None) -> Seat:
    """The seat for which a player answers a request; `own` is that for which he speaks otherwise.

    Raises:
        Refused: foreign.
    """
    waiting = match.request.seat if match.request else None
    others = [seat for seat in seats_of(match, player) if seat != waiting]
    return others[0] if others else must_play(own)


def _follows_at_once(match: Match, move: int) -> bool:
    entry, before = match.records[move].entry, match.records[move - 1].entry
    if isinstance(entry, (Played, TakebackAnswered)):
        seated = match.player_of(entry.seat, move)
        return seated is not None and bool(seated.bot)
    if isinstance(entry, TakenBack):
        return isinstance(before, TakebackAnswered)
    return isinstance(entry, (SecretOpened, Closed))
