"""The page of a board: both entrants, clocks, the match, what was ruled; and the form of a ruling."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import get_args

from msgspec import Struct
from starlette.responses import Response

from api.gate.reported_files import MOST_FILE
from api.gate.tournament_previews import Preview, previewed
from api.http.permissions import looked
from api.http.routes.tournament_officials import reported_file_taken
from api.http.routes.tournaments import actor_of
from api.http.routing import Call
from api.web.form_file import form_with_file
from api.web.shell import HasShell
from api.web.tournament_parts import (
    Frame,
    back_to,
    board_shown,
    converted,
    framed,
    held_root,
    number_in,
    shown,
)
from domain.kernel import Refused
from domain.match import Match
from domain.refusals import text
from domain.tournaments import commands as c
from domain.tournaments import events as e
from domain.tournaments.judging import board_in, must_be_official, round_in
from domain.tournaments.outcomes import WAITS, sides_of, sitting, why_it_waits
from domain.tournaments.state import Board, Round
from replay.final_scoring import Scored, scored_now
from replay.words import Words

REASONS: tuple[str, ...] = get_args(c.RulingReason)
ON_MATCH = ("back", "void")  # what the form offers beside results while the match runs


class LogLine(Struct, frozen=True):
    """An entry about a board: its number, kind and time (µs UTC), who acted, and what it says beyond."""

    entry: int
    kind: str
    at: int | None
    by: str
    detail: str = ""
    reason: str = ""
    text: str = ""
    ruled: e.Ruled | None = None  # a ruling that took the match back, or made it void


async def board_page(pages: HasShell, call: Call, tournament: str, round_number: str, board: str) -> Response:
    """A board with its rulings beside the log.  Raises Refused: unknown-tournament, not-found."""
    frame = await framed(call, tournament)
    return await _page(pages, frame, *_board(frame, round_number, board))


async def _page(
    pages: HasShell,
    frame: Frame,
    one: Round,
    found: Board,
    asked: Mapping[str, str] | None = None,
    preview: Preview | None = None,
) -> Response:
    """The page; with a `preview`, what the ruling of the form `asked` would change, to be confirmed.

    With `score` in the address officials see how the match would be scored as it stands.
    """
    row = await board_shown(frame, one, found, live=bool(found.opened and not found.result))
    query = frame.call.request.query_params
    match = (await looked(frame.call, found.match)).match if found.opened else None
    return shown(
        pages,
        frame,
        "tournament_board.html",
        tab="",
        round=one,
        row=row,
        lines=list(_lines(frame, one, found)),
        results=e.RESULTS,
        reasons=REASONS,
        on_match=ON_MATCH if match and not match.closed else (),
        may_rule=frame.officiates and one.status != "paired" and frame.s.ended != "cancelled",
        asked=asked or {},
        query=query,
        waits=[
            text(frame.call.language, WAITS[name].id, {}) for name in why_it_waits(frame.s, one.number, found)
        ],
        last_move=match.move if match else 0,
        kept=held_root(match, query) if match else None,
        preview=preview,
        ratings=await _ratings(frame, preview) if preview else [],
        scored=await _scored(frame, found, match) if match and "score" in query else None,
        may_agree=may_agree(frame, found),
        may_call=bool(frame.own and frame.own.id in found.entrants and not frame.s.ended),
    )


async def _ratings(frame: Frame, preview: Preview) -> list[tuple[str, int, int]]:
    """Whose rating a ruling changes, by name, from what to what; others than entrants may be among them."""
    names = await frame.call.services.names.of([one.player for one in preview.ratings], frame.call.language)
    return [(names.get(one.player, one.player), one.before, one.after) for one in preview.ratings]


def may_agree(frame: Frame, board: Board) -> bool:
    """May the caller confirm the statement of the latest ruling on a board?"""
    own, ruling = frame.own, board.ruling
    if own is None or ruling is None or not ruling.statement or frame.s.ended:
        return False
    return own.id in board.entrants and own.id not in ruling.agreed


class ScoredBoard(Struct, frozen=True):
    """A match scored as it stands: the result that this is for the board, and the score in words."""

    scored: Scored
    result: str
    score: str


async def _scored(frame: Frame, board: Board, match: Match) -> ScoredBoard | None:
    """How a running match would be scored now, for officials.  None: it is over, or cannot be scored."""
    if not frame.officiates or match.closed or not match.begun:
        return None
    words = Words(match, frame.call.language)
    async with frame.call.services.rendering:
        found = await asyncio.to_thread(scored_now, match, words)
    winner = sides_of(frame.s, board, sitting(match)).get(found.winner or "", "")
    result = {board.w: "1-0", board.b: "0-1"}.get(winner, "½")
    score = ", ".join(f"{words.name(seat)} {points}" for seat, points in found.score.items())
    return ScoredBoard(found, result, score)


def _board(frame: Frame, round_number: str, board: str) -> tuple[Round, Board]:
    numbers = {"round": round_number, "board": board}
    one = round_in(frame.s, number_in(numbers, "round"))
    return one, board_in(one, number_in(numbers, "board"))


def _lines(frame: Frame, one: Round, board: Board) -> Iterator[LogLine]:
    """The entries that concern a board, the latest first."""
    for record in reversed(frame.log.records):
        entry = record.entry
        if getattr(entry, "round", None) != one.number:
            continue
        about = getattr(entry, "board", board.number)
        if about in (0, board.number):
            yield _line(frame, entry)


def _line(frame: Frame, entry: e.Entry) -> LogLine:
    detail = reason = text = ""
    on_match = entry if isinstance(entry, e.Ruled) and not entry.result else None
    if isinstance(entry, e.Ruled):
        texts = (entry.rule, entry.text, entry.statement)
        detail, reason, text = entry.result, entry.reason, " · ".join(filter(None, texts))
    elif isinstance(entry, e.ResultRecorded):
        detail = entry.result
    elif isinstance(entry, e.Confirmed) and entry.ruling:
        detail = frame.name(entry.entrant)
    elif isinstance(entry, e.PairingChanged):
        text = entry.text
    elif isinstance(entry, e.RoundPublished):
        text = entry.reason
    by = frame.person(entry.by) if entry.by else ""
    kind = str(entry.__struct_config__.tag)
    return LogLine(entry.entry, kind, entry.at, by, detail, reason, text, on_match)


def _decided(form: Mapping[str, str]) -> dict[str, object]:
    """The fields of a form, a ruling on the match as an object of its own.  Raises Refused: invalid."""
    plain: dict[str, object] = {name: value for name, value in form.items() if name != "back_to"}
    if form.get("result") in ON_MATCH:
        is_void = plain.pop("result") == "void"
        plain["match"] = {"void": True} if is_void else {"back_to": number_in(form, "back_to")}
    return plain


async def rule(pages: HasShell, call: Call, tournament: str, round_number: str, board: str) -> Response:
    """Rule on a board by the form of its page: first it shows what the ruling would change.

    Raises:
        Refused: stale: the match went on since it was scored (`scored`: after which move); see also
            `TournamentGate.rule`.
    """
    frame = await framed(call, tournament)
    must_be_official(frame.s, actor_of(call))
    form, content = await form_with_file(call, MOST_FILE)
    one, found = _board(frame, round_number, board)
    if content:
        form |= {"file": (await reported_file_taken(call, tournament, content)).file, "reported": "true"}
    expect, seen = number_in(form, "expect"), form.pop("preview", "")
    scored = number_in(form, "scored") if "scored" in form else None
    form.pop("scored", None)
    plain = {**_decided(form), "do": "rule", "round": one.number, "board": found.number}
    command = converted(plain, c.Rule)
    gate, actor = call.services.tournaments, actor_of(call)
    if not seen:
        preview = await previewed(gate, tournament, command, actor, expect)
        if scored is not None and preview.match_move != scored + 1:
            raise Refused("stale", "scored-before", {"move": scored})
        return await _page(pages, frame, one, found, form, preview)
    await gate.rule(tournament, command, actor, expect, preview=seen)
    return back_to(call, tournament, f"rounds/{one.number}/boards/{found.number}")
