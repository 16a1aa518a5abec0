"""The dispute room of a match, for officials: evidence, and the table of each view side by side at any move.

While the match runs, the views of the seats open only with a privileged read: its entry is stored first, and
the answer to the form that asked for it is the only page that shows them.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping, Sequence

from msgspec import UNSET, Struct
from starlette.responses import Response

from api.gate import CachedMatch
from api.gate.tournament_measures import carry_out
from api.gate.tournament_previews import Preview, previewed
from api.http.permissions import looked
from api.http.routes.tournaments import actor_of
from api.http.routing import Call
from api.http.tournament_disputes import (
    DisputeView,
    dispute_of,
    dispute_view,
    privileged_reads,
    sealed_read,
)
from api.http.views import players_of
from api.web.clocks import SeatClock, read_off, seat_clock
from api.web.previews import nearest_move
from api.web.shell import HasShell
from api.web.shown_position import status_items
from api.web.tournament_boards import REASONS
from api.web.tournament_parts import (
    Frame,
    back_to,
    converted,
    form_of,
    framed,
    held_root,
    light_of,
    number_in,
    shown,
)
from domain.kernel import Refused
from domain.match import Match
from domain.refusals import QUOTED
from domain.tournaments import commands as c
from domain.tournaments import events as e
from domain.tournaments.judging import must_be_official
from domain.tournaments.measures import ALL, board_of_match
from domain.tournaments.state import Board, Round
from replay.boards.drawing import svg
from replay.clocks import clock_after
from replay.evidence import Held
from replay.knowledge import Choice, Hand, MoveSaid, choices, hands, said_with, table_text
from replay.positions import NoView, must_see
from replay.scenes.positions import SPECTATOR, scene_at
from replay.words import Words

WINDOW = 25  # moves of the log that the room shows
_REFUSALS = 100


class Seen(Struct, frozen=True):
    """The table after a move as one view saw it: the board as a picture, status, cards, text.

    `picture`: an address; "" if the game has no board.
    """

    picture: str
    status: list[tuple[str, str]]
    hands: list[Hand]
    text: str


class Room(Struct, frozen=True):
    """What the room of a match shows after `move`; the views that are not in `seen` are hidden.

    `names`: of the views; `said`, `offers`: by move; `clocks`: by seat.
    """

    move: int
    evidence: DisputeView
    names: dict[str, str]
    seen: dict[str, Seen]
    said: dict[int, MoveSaid]
    offers: dict[int, list[Choice]]
    clocks: dict[str, SeatClock]


async def room_page(pages: HasShell, call: Call, tournament: str, match: str) -> Response:
    """The room after a move (`move`); `at` and `root`: a root that a player kept.

    Raises:
        Refused: unauthorized, forbidden, not-found, invalid.
    """
    frame = await framed(call, tournament)
    must_be_official(frame.s, actor_of(call))
    board_of_match(frame.s, match)
    cached, query = await looked(call, match), call.request.query_params
    move = nearest_move(query.get("move"), cached.match.move)
    return await _page(pages, frame, cached, move, kept=held_root(cached.match, query))


async def _page(
    pages: HasShell,
    frame: Frame,
    cached: CachedMatch,
    move: int,
    *,
    opened: bool = False,
    kept: Held | None = None,
    call_text: tuple[int, str] = (0, ""),
    back: c.Rule | None = None,
    preview: Preview | None = None,
) -> Response:
    """The page; `opened`: an entry says that the reader sees all views, though the match runs.

    `back`: the ruling that takes the match back to this move, with its preview; the page then asks once more.
    """
    match, call = cached.match, frame.call
    one, board = board_of_match(frame.s, match.id)
    names = await call.services.names.of(players_of(cached), call.language)
    everything = opened or match.closed is not None
    may_read = not frame.s.took_part(actor_of(call).person)
    async with call.services.rendering:
        room = await asyncio.to_thread(
            _room, frame, cached, Words(match, call.language), names, move, everything
        )
        match.rest()
    return shown(
        pages,
        frame,
        "tournament_room.html",
        tab="",
        round=one,
        board=board,
        light=light_of(board),
        match=match,
        room=room,
        views=list(room.names),
        seats=list(match.seats),
        opened=opened,
        kept=kept,
        refusals=call.gate.refusals.latest(_REFUSALS, match.id),
        calls=[frame.s.calls[entry] for entry in room.evidence.dispute.calls],
        notes=_notes(frame, one, board),
        call_text=call_text,
        back=back,
        preview=preview,
        reasons=REASONS,
        reads=_reads(frame, match, may_read=may_read),
        may_read=may_read,
        read_off=read_off,
        query=call.request.query_params,
    )


def _room(
    frame: Frame,
    cached: CachedMatch,
    words: Words,
    names: Mapping[str, str],
    move: int,
    everything: bool,
) -> Room:
    match = cached.match
    views = [SPECTATOR, *match.seats]
    numbers = range(max(1, move - WINDOW + 1), move + 1)
    evidence = dispute_view(frame.s, cached, words, names, (numbers[0], numbers[-1]))
    open_views = [view for view in (views if everything else [SPECTATOR]) if _has_view(match, view)]
    clock = clock_after(match, move)
    is_now = move == match.move and match.closed is None
    now = frame.call.services.clock() if is_now or clock is UNSET else clock.as_of
    clocks = {} if clock is UNSET else {seat: seat_clock(clock, seat, now) for seat in match.seats}
    return Room(
        move,
        evidence,
        {view: words.viewer(None if view == SPECTATOR else view) for view in views},
        {view: _seen(match, words, move, None if view == SPECTATOR else view) for view in open_views},
        {one.move: one for one in said_with(match, words, open_views, numbers, names)},
        {offer.move: choices(offer, words) for offer in evidence.offers},
        {seat: shown for seat, shown in clocks.items() if shown is not None},
    )


def _has_view(match: Match, view: str) -> bool:
    """Does the log have what this view was told?  That of another program has no private parts."""
    try:
        must_see(match, None if view == SPECTATOR else view)
    except NoView:
        return False
    return True


def _seen(match: Match, words: Words, move: int, seat: str | None) -> Seen:
    drawn = svg(match, move, seat, words)
    picture = f"data:image/svg+xml;base64,{base64.b64encode(drawn.encode()).decode()}" if drawn else ""
    status = status_items(scene_at(match, move, seat), words)
    return Seen(picture, status, hands(match, words, move, seat), table_text(match, words, move, seat))


def _notes(frame: Frame, one: Round, board: Board) -> list[int]:
    """The rulings on a board that have a sealed note, by their entries."""
    place = (one.number, board.number)
    ruled = [entry for entry, made in frame.s.rulings.items() if (made.round, made.board) == place]
    return [entry for entry in ruled if frame.log.records[entry - 1].parts["officials"].text]


class ReadShown(Struct, frozen=True):
    """A privileged read of a match: its entry and time (µs UTC), and what it showed to whom."""

    entry: int
    at: int | None
    read: e.Read | e.PrivilegedRead


def _reads(frame: Frame, match: Match, *, may_read: bool) -> Sequence[ReadShown]:
    """The privileged reads of a match.

    Those that are sealed until it is over are shown before only to officials who may look at it themselves.
    """
    found = []
    for record in privileged_reads(frame.log):
        sealed = sealed_read(record)
        is_open = sealed is None or may_read or match.closed is not None
        read = sealed or record.entry
        if is_open and read.match == match.id:
            found.append(ReadShown(record.move, record.entry.at, read))
    return found


# ── What the forms of the room do ──


async def do_in_room(pages: HasShell, call: Call, tournament: str, match: str) -> Response:
    """Freeze or release the match, take it back, or show what is hidden after the entry that says so.

    Raises:
        Refused: see `domain.tournaments.measures`.
    """
    frame, form = await framed(call, tournament), await form_of(call)
    must_be_official(frame.s, actor_of(call))
    board_of_match(frame.s, match)
    kind, expect = form.get("do", ""), number_in(form, "expect")
    if kind == "read":
        return await _read(pages, frame, match, form, expect)
    if kind == "back":
        return await _take_back(pages, frame, match, form, expect)
    if kind == "read_call":
        return await _read_call(pages, frame, match, form, expect)
    if kind not in ("freeze", "release"):
        raise Refused("invalid", QUOTED, {"said": f"do: {kind[:40]!r}"})
    plain = {"do": kind, "match": match, "reason": form.get("reason", "")}
    order: c.Measure = (
        converted(plain, c.FreezeMatch) if kind == "freeze" else converted(plain, c.ReleaseMatch)
    )
    await carry_out(call.services.tournaments, tournament, order, actor_of(call), expect)
    return back_to(call, tournament, f"disputes/{match}")


async def _read(pages: HasShell, frame: Frame, match: str, form: Mapping[str, str], expect: int) -> Response:
    """Show all views after a move of a running match; its entry names the moves that led to it."""
    call, s = frame.call, frame.s
    cached = await looked(call, match)
    if cached.match.closed:
        raise Refused("late", "match-is-open")
    move = number_in(form, "move")
    if not 1 <= move <= cached.match.move:
        raise Refused("unknown-move", "no-such-move", {"last": cached.match.move})
    about = {"match": match, "view": ALL, "first": 1, "last": move, "why": form.get("why", "")}
    order = converted({"do": "read_privileged", **about}, c.ReadPrivileged)
    await call.services.tournaments.commands.command(s.id, order, actor_of(call), expect=expect)
    return await _page(pages, await framed(call, s.id), cached, move, opened=True)


async def _read_call(
    pages: HasShell, frame: Frame, match: str, form: Mapping[str, str], expect: int
) -> Response:
    """Show the text of a call about the match, or the note of a ruling on it."""
    call, s, entry = frame.call, frame.s, number_in(form, "call")
    cached = await looked(call, match)
    one, board = board_of_match(s, match)
    if entry not in (*dispute_of(s, one.number, board).calls, *_notes(frame, one, board)):
        raise Refused("not-found", "no-such-call", {"entry": entry})
    about = {"sealed_entry": entry, "why": form.get("why", "")}
    order = converted({"do": "read_privileged", **about}, c.ReadPrivileged)
    done = await call.services.tournaments.commands.command(s.id, order, actor_of(call), expect=expect)
    text = done.log.records[entry - 1].parts["officials"].text
    move = nearest_move(form.get("move"), cached.match.move)
    return await _page(pages, await framed(call, s.id), cached, move, call_text=(entry, text))


async def _take_back(
    pages: HasShell, frame: Frame, match: str, form: Mapping[str, str], expect: int
) -> Response:
    """Have the match go on from an earlier move; without `preview` only show the table there.

    `last`: the latest move that the official has seen.  The match refuses the ruling if it went on since.
    """
    call, s, move = frame.call, frame.s, number_in(form, "move")
    one, board = board_of_match(s, match)
    on_match = {"back_to": move, **({"expect": number_in(form, "last")} if "last" in form else {})}
    plain = {name: form.get(name, "") for name in ("reason", "text")} | {"do": "rule", "match": on_match}
    order = converted({**plain, "round": one.number, "board": board.number}, c.Rule)
    gate, actor = call.services.tournaments, actor_of(call)
    if not (seen := form.get("preview", "")):
        preview = await previewed(gate, s.id, order, actor, expect)
        cached = await looked(call, match)
        return await _page(pages, frame, cached, move, back=order, preview=preview)
    await gate.rule(s.id, order, actor, expect, preview=seen)
    return back_to(call, s.id, f"disputes/{match}")
