"""What the pages of a tournament share: the tournament, names, results and lights in words, forms."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar
from urllib.parse import parse_qsl

import msgspec
from msgspec import UNSET, Struct
from starlette.responses import Response

from api.gate.tournament_commands import state_at
from api.http.caching import NEVER
from api.http.decoding import content_of
from api.http.permissions import looked
from api.http.routing import Call
from api.http.tournament_seats import Sitting, sitting_in
from api.http.tournament_views import pair_view, people_of
from api.store.interface import StoreError
from api.web.clocks import SeatClock, seat_clock
from api.web.shell import HasShell
from domain.bounds import MOST
from domain.games import GAMES
from domain.kernel import Refused
from domain.log import Damaged, unb64
from domain.match import Match
from domain.refusals import QUOTED
from domain.tournaments.history import TournamentLog
from domain.tournaments.judging import Actor, role_of
from domain.tournaments.outcomes import seating
from domain.tournaments.state import Board, Entrant, Round, Tournament
from replay.clocks import clock_after
from replay.evidence import Held, held

MOST_FORM = 256 * 1024  # bytes
MOST_FIELDS = 1_200
_CLOCKS = 32  # boards of a round whose clocks a page shows
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_BACK = re.compile(
    r"desk|standings|proof|entrants/n[0-9]{1,6}|rounds/[0-9]{1,3}/boards/[0-9]{1,4}|disputes/[A-Za-z0-9_-]{1,64}"
)
_ROOT = re.compile(r"[A-Za-z0-9+/]{43}=")
C = TypeVar("C")


class Frame:
    """A tournament after an entry, as one caller looks at it; `latest` is its last entry.

    sitting: who sits where in matches that run, where only these say it.
    """

    def __init__(
        self,
        call: Call,
        log: TournamentLog,
        state: Tournament,
        names: Mapping[str, str],
        sitting: Sitting,
    ) -> None:
        self.call, self.log, self.s, self.names, self._sitting = call, log, state, names, sitting
        person = call.visitor.person
        self.role = role_of(log.state, Actor(person.id, person.role)) if person else ""
        self.own = log.state.entrant_of(person.id) if person else None
        self.words = GAMES[state.terms.game].texts[call.language]
        self.numbers = {one.id: number for number, one in enumerate(state.numbered, 1)}

    @property
    def latest(self) -> int:
        """The last entry of the log."""
        return self.log.entry

    @property
    def officiates(self) -> bool:
        """May the caller act as an official?"""
        return self.role in ("director", "arbiter", "admin")

    @cached_property
    def seats(self) -> list[str]:
        """The names of the first and of the second seat."""
        return [self.words.name(seat) for seat in list(GAMES[self.s.terms.game].seats)[:2]]

    @property
    def shown_rounds(self) -> list[Round]:
        """The rounds whose pairings are public."""
        return [one for one in self.s.rounds if one.status != "paired"]

    def seated(self, board: Board) -> tuple[str, str]:
        """Both entrants of a board, the one who plays the first seat first."""
        return seating(self.s, board, self._sitting.get(board.match))

    def name(self, entrant: str) -> str:
        """The name of an entrant; the id where there is none."""
        one = self.s.entrants.get(entrant)
        return self.names.get(one.player, entrant) if one else entrant

    def person(self, player: str) -> str:
        """The name of a person; the id where there is none."""
        return self.names.get(player, player)

    def side(self, entrant: str) -> Entrant:
        """An entrant by its id."""
        return self.s.entrants[entrant]

    def score(self, entrant: str, before: int | None = None) -> str:
        """The points of an entrant, in words; `before`: those with which it came to this round."""
        s = self.s
        rounds = s.rounds if before is None else s.rounds[: before - 1]
        public = (one for one in rounds if one.status != "paired")
        own = sum(s.score_in(one, entrant, one.boards_of(entrant)) for one in public)
        return half(own - s.entrants[entrant].penalty)


async def framed(call: Call, tournament: str, at: str | None = None) -> Frame:
    """Return a tournament after an entry (`at`, as an address has it; else the latest).

    Raises:
        Refused: unknown-tournament, unknown-move.
    """
    if not _ID.fullmatch(tournament):
        raise Refused("unknown-tournament", "no-such-tournament")
    log = await call.services.tournaments.commands.log(tournament)
    entry = int(at) if at and at.isascii() and at.isdigit() and len(at) < len(str(MOST)) else None
    entry = min(max(entry, 1), log.entry) if entry is not None else None
    state = await asyncio.to_thread(state_at, log, entry)
    people = sorted({*people_of(log.state), *(record.entry.by for record in log.records if record.entry.by)})
    names = await call.services.names.of(people, call.language)
    sitting = await sitting_in(call, state, [board for one in state.rounds for board in one.boards])
    return Frame(call, log, state, names, sitting)


def _shown(pages: HasShell, frame: Frame, template: str, **context: Any) -> Response:
    """Return a page of a tournament; no cache keeps it, because it holds forms with the latest entry."""
    now = frame.call.services.clock()
    call = frame.call
    state: dict[str, object] = {"now": now}
    if context.get("tab") == "boards" and not frame.s.ended:
        state |= {"live": frame.s.id, "entry": frame.latest}
    page = pages.shell.page(
        call,
        template,
        script="tournament",
        f=frame,
        s=frame.s,
        state=state,
        half=half,
        fraction=fraction,
        **context,
    )
    page.headers["cache-control"] = NEVER
    return page


shown: Callable[..., Response] = _shown


def half(points: int) -> str:
    """Return half points as people write them: 5 is "2½"."""
    whole, rest = divmod(abs(points), 2)
    text = f"{whole or ''}½" if rest else str(whole)
    return f"−{text}" if points < 0 else text


def fraction(value: str | None) -> str:
    """Return a decimal as people write halves: "1.5" is "1½"; None is a dash."""
    if value is None:
        return "–"
    whole, point, rest = value.partition(".")
    return f"{'' if whole == '0' else whole}½" if point and rest == "5" else value


RESULTS = {
    "1-0": ("1", "0"),
    "0-1": ("0", "1"),
    "½": ("½", "½"),
    "0-0": ("0", "0"),
    "+-": ("+", "−"),
    "-+": ("−", "+"),
    "--": ("−", "−"),
}
"""Both halves of a result, as a table has them."""


class PairShown(Struct, frozen=True):
    """What both boards of a pair come to, the first entrant of the shown board first.

    other: the number of the other board.  points: from both matches; result: that of the pair, if it has one.
    """

    other: int
    points: tuple[str, str]
    result: tuple[str, str] | None


class BoardShown(Struct, frozen=True):
    """A board in a table: `light` keys its word; `clocks`, `turn` (who moves): by seat, of a match that runs.

    seated: both entrants, the one on the first seat first.  result: both halves, that of `board.w` first.
    pair: of entrants who play both sides.
    """

    board: Board
    round: int
    seated: tuple[str, str]
    result: tuple[str, str] | None
    light: str
    clocks: tuple[SeatClock, ...] = ()
    turn: tuple[bool, bool] = (False, False)
    move: int = 0
    pair: PairShown | None = None

    @property
    def result_by_seat(self) -> tuple[str, str] | None:
        """Both halves of the result, that of the first seat first."""
        if self.result is None or self.seated == self.board.entrants:
            return self.result
        return self.result[1], self.result[0]


def pair_shown(frame: Frame, one: Round, board: Board) -> PairShown | None:
    """Return what both boards of a pair come to; None if it has one board."""
    found = pair_view(frame.s, one, board)
    if found is UNSET:
        return None
    return PairShown(found.board, (half(found.w), half(found.b)), RESULTS.get(found.result))


def light_of_pair(pair: Sequence[Board]) -> str:
    """Return the light of the boards of a pair: that of the first which is not proved, if there is one."""
    found = [light_of(board) for board in pair]
    return next((light for light in found if light != "proved"), "proved")


def light_of(board: Board) -> str:
    """Return the light of a board: one word, which templates also show as a shape."""
    if board.ruling is not None:
        return "reported" if board.ruling.reported else "ruled"
    if board.outcome is None:
        return "running" if board.opened else "paired"
    if any(found != "ok" for found in board.outcome.checked.values()):
        return "red"
    return "proved" if board.confirmed and board.result else "waiting"


async def boards_of(frame: Frame, one: Round) -> list[BoardShown]:
    """Return the boards of a round; those that run show their clocks, as far as they are not too many."""
    running = [board.number for board in one.boards if light_of(board) == "running"][:_CLOCKS]
    return [await board_shown(frame, one, board, live=board.number in running) for board in one.boards]


async def board_shown(frame: Frame, one: Round, board: Board, *, live: bool) -> BoardShown:
    """Return one board; `live`: its match is looked at for clocks and turn."""
    pair = pair_shown(frame, one, board)
    seated, result = frame.seated(board), RESULTS.get(board.result)
    plain = BoardShown(board, one.number, seated, result, light_of(board), pair=pair)
    if not live:
        return plain
    try:
        match = (await looked(frame.call, board.match)).match
    except (Refused, StoreError):
        return plain
    clock, seats = clock_after(match, match.move), list(match.game.seats)[:2]
    now = frame.call.services.clock()
    found = [seat_clock(clock, seat, now) for seat in seats] if clock is not UNSET else []
    asked = set(match.asked.seats) if match.asked else set[str]()
    return msgspec.structs.replace(
        plain,
        clocks=tuple(clock for clock in found if clock is not None),
        turn=(seats[0] in asked, seats[1] in asked),
        move=match.move,
    )


def held_root(match: Match, query: Mapping[str, str]) -> Held | None:
    """Return how a root that a player kept (`root` over `at` moves) stands to a log; None if none is given.

    Raises:
        Refused: invalid.
    """
    if not query.get("root"):
        return None
    move, root = number_in(query, "at"), query["root"].strip().replace(" ", "+")
    if not move or not _ROOT.fullmatch(root):
        raise Refused("invalid", "root-with-move")
    try:
        return held(match, move, unb64(root))
    except Damaged as error:
        raise Refused("invalid", QUOTED, {"said": str(error)}) from error


# ── Forms ──


async def form_of(call: Call, most: int = MOST_FORM) -> dict[str, str]:
    """Return the fields of a form that a page of ours sends; fields left empty are left out.

    Args:
        most: bytes that it may have.

    Raises:
        Refused: unauthorized, forbidden, too-large, invalid.
    """
    call.person()
    content = await content_of(call.request, most)
    try:
        pairs = parse_qsl(
            content.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS
        )
    except ValueError as error:
        raise Refused("invalid", QUOTED, {"said": str(error)[:200]}) from error
    found: dict[str, str] = {}
    for name, value in pairs:
        if name in found:
            raise Refused("invalid", "parameter-twice", {"name": name[:40]})
        found[name] = value.replace("\r\n", "\n").strip()
    return {name: value for name, value in found.items() if value}


def converted(plain: Mapping[str, object], kind: type[C]) -> C:
    """Return a command of the fields of a form.  Raises Refused: invalid."""
    try:
        return msgspec.convert(plain, kind, strict=False)
    except msgspec.ValidationError as error:
        raise Refused("invalid", QUOTED, {"said": str(error)[:200]}) from error


def number_in(form: Mapping[str, str], name: str) -> int:
    """Return a number of a form.  Raises Refused: invalid."""
    value = form.get(name, "")
    if not (value.isascii() and value.isdigit() and len(value) <= 9):
        raise Refused("invalid", QUOTED, {"said": f"{name[:40]}: {value[:40]!r}"})
    return int(value)


def back_to(call: Call, tournament: str, page: str = "") -> Response:
    """Return what leads a browser from a form to a page of the tournament; `to` of the address names it."""
    wanted = page or call.request.query_params.get("to", "")
    path = f"/{wanted}" if _BACK.fullmatch(wanted) else ""
    return Response(status_code=303, headers={"location": f"/t/{tournament}{path}", "cache-control": NEVER})
