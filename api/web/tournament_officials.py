"""The desk of officials: open tasks, drafts of pairings, changes by hand, publication, closing, people.

A change of a pairing is looked at before it is saved: the page says what speaks against it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from msgspec.structs import fields
from starlette.responses import Response

from api.gate.tournament_measures import carry_out
from api.gate.tournament_tasks import open_tasks
from api.gate.tournaments import DraftedRound, PairedBefore
from api.http.routes.tournaments import actor_of, invite_entrants
from api.http.routing import Call
from api.http.tournament_disputes import disputes_of
from api.http.tournament_schemas import Invitations
from api.web.shell import HasShell
from api.web.tournament_parts import (
    Frame,
    back_to,
    board_shown,
    boards_of,
    converted,
    form_of,
    framed,
    number_in,
    shown,
)
from domain.kernel import Refused
from domain.refusals import QUOTED
from domain.tournaments import commands as c
from domain.tournaments.crosstables import first_colour
from domain.tournaments.drafts import needs_engine, pairs_of
from domain.tournaments.judging import must_be_official
from domain.tournaments.opinions import warnings
from domain.tournaments.rounds import PAIRED_BY_HAND, next_round
from domain.tournaments.state import Round, Tournament
from replay.local_time import moment
from replay.tournaments.changed_terms import read_changes

POLICIES = (
    "adjourn",
    "forfeit +-",
    "forfeit -+",
    "forfeit --",
    "adjudicate 1-0",
    "adjudicate ½",
    "adjudicate 0-1",
)
TIMED = ("extend", "adjourn")  # the measures that name a time
MEASURES = (*TIMED, "pause", "resume")
WHY_CHANGED: tuple[str, ...] = get_args(next(f.type for f in fields(c.ChangePairing) if f.name == "reason"))


async def officials_page(pages: HasShell, call: Call, tournament: str) -> Response:
    """What is to be done now; `draft` shows a pairing, `a` and `b` an exchange in the latest one.

    Raises:
        Refused: forbidden, and what `TournamentGate.draft` refuses if a draft is asked for.
    """
    frame, query = await framed(call, tournament), call.request.query_params
    must_be_official(frame.s, actor_of(call))
    draft = None
    if "draft" in query:
        draft = await call.services.tournaments.draft(tournament, actor_of(call))
    return await _officials(pages, frame, draft, (query.get("a", ""), query.get("b", "")))


async def _officials(
    pages: HasShell,
    frame: Frame,
    draft: DraftedRound | None,
    swap: tuple[str, str],
    codes: object = (),
    before: PairedBefore | None = None,
) -> Response:
    s, last = frame.s, frame.s.round
    paired = last if last and last.status == "paired" else None
    may_swap = s.terms.format in PAIRED_BY_HAND
    swapped = exchanged(paired, *swap) if paired and may_swap and all(swap) and swap[0] != swap[1] else None
    pairs = [(w, b) for w, b, _, _ in pairs_of(s.terms, draft.draft.boards)] if draft else swapped
    number = draft.draft.round if draft else last.number if last else 0
    return shown(
        pages,
        frame,
        "tournament_officials.html",
        tab="desk",
        draft=draft,
        paired=paired,
        running=last if last and last.status == "published" else None,
        rows=await boards_of(frame, last) if last and last.status == "published" else [],
        swap=swap,
        swapped=swapped,
        warnings=warnings(s, number, pairs) if pairs and s.terms.format in PAIRED_BY_HAND else [],
        can_draft=_can_draft(s),
        next=number if paired else len(s.rounds) + 1,
        needs_lot=needs_engine(s) and first_colour(s) is None,
        can_advance=_can_advance(s),
        calls=[(call, await _about(frame, call.round, call.board)) for call in s.standing_calls],
        tasks=[one for one in await open_tasks(frame.call.services.tournaments, s) if one.kind != "answer"],
        seat_names=frame.words.name,
        may_swap=may_swap,
        waiting=[one.id for one in s.entrants.values() if one.status == "waiting"],
        disputes=disputes_of(s),
        policies=POLICIES,
        measures=MEASURES,
        why_changed=WHY_CHANGED,
        codes=codes,
        before=before,
        can_mail=frame.call.services.mail is not None,
    )


async def _about(frame: Frame, round_number: int, board: int) -> str:
    """The light of the board that a call is about; "" if it is about none."""
    one = frame.s.at_round(round_number) if round_number else None
    found = one.board(board) if one else None
    return (await board_shown(frame, one, found, live=False)).light if one and found else ""


def _can_draft(s: Tournament) -> bool:
    try:
        next_round(s)
    except Refused:
        return False
    return bool(s.numbered)


def _can_advance(s: Tournament) -> bool:
    """Are the rounds of a stage or of a league over, and has no entrant gone on yet?"""
    last = s.round
    if last is None or last.status != "closed" or len(s.rounds) < s.last_round or s.ended:
        return False
    return not s.is_last_stage or bool(s.terms.league and not s.moves)


def exchanged(one: Round, a: str, b: str) -> list[tuple[str, str]]:
    """Return the pairs of a round in which two entrants have changed places; one may have none."""
    other = {a: b, b: a}
    first = [pair[0] for pair in one.pairs]
    return [(other.get(board.w, board.w), other.get(board.b, board.b)) for board in first]


# ── What the forms of the desk do ──


async def do_as_official(pages: HasShell, call: Call, tournament: str) -> Response:
    """Carry out what a form of the desk asks for.  Raises Refused."""
    frame, form = await framed(call, tournament), await form_of(call)
    must_be_official(frame.s, actor_of(call))
    kind = form.pop("do", "")
    if kind == "invite":
        return await _invite(pages, call, frame, form)
    work = {
        "change_terms": _change_terms,
        "pair": _pair,
        "change": _change,
        "publish_round": _publish_round,
        "close_round": _close_round,
        "measure": _measure,
        "publish": _publish,
    }.get(kind)
    if work is None:
        raise Refused("invalid", QUOTED, {"said": f"do: {kind[:40]!r}"})
    try:
        await work(call, frame, form)
    except PairedBefore as error:
        return await _overtaken(pages, call, tournament, error)
    return back_to(call, tournament, "desk")


async def _overtaken(pages: HasShell, call: Call, tournament: str, error: PairedBefore) -> Response:
    """The desk as it is, with the pairing with which another official was faster."""
    frame = await framed(call, tournament)
    response = await _officials(pages, frame, None, ("", ""), before=error)
    response.status_code = 409
    return response


async def _invite(pages: HasShell, call: Call, frame: Frame, form: Mapping[str, str]) -> Response:
    """Keep places for people by name, a line each, with an address to which the code is sent, if any.

    Codes that are not sent are shown once.
    """
    rows = [_named(line.strip()) for line in form.get("names", "").split("\n") if line.strip()]
    body = converted({"expect": form.get("expect", ""), "entrants": rows}, Invitations)
    made = await invite_entrants(call, frame.s.id, body)
    return await _officials(pages, await framed(call, frame.s.id), None, ("", ""), made.invitations)


def _named(line: str) -> dict[str, str]:
    """A person to be invited: `Name`, or `Name <address>`.

    What is no name has the address "", which is refused: an address never becomes part of a public name.
    """
    name, found, address = line.removesuffix(">").rpartition("<")
    if found and line.endswith(">") and not set("<>@") & set(name):
        return {"name": name.strip(), "mail": address}
    return {"name": line, "mail": ""} if set("<>@") & set(line) else {"name": line}


async def _change_terms(call: Call, frame: Frame, form: Mapping[str, str]) -> None:
    order = read_changes(form.get("terms", "").encode(), form.get("reason", ""))
    await call.services.tournaments.commands.command(
        frame.s.id, order, actor_of(call), expect=number_in(form, "expect")
    )


async def _pair(call: Call, frame: Frame, form: Mapping[str, str]) -> None:
    sha256, expect = form.get("draft_sha256", ""), number_in(form, "expect")
    await call.services.tournaments.pair(frame.s.id, number_in(form, "round"), sha256, actor_of(call), expect)


async def _change(call: Call, frame: Frame, form: Mapping[str, str]) -> None:
    one = frame.s.round
    if one is None:
        raise Refused("not-found", "no-such-round", {"round": 1, "rounds": 0})
    pairs = exchanged(one, form.get("a", ""), form.get("b", ""))
    plain = {
        "round": one.number,
        "boards": [{"w": w, "b": b} for w, b in pairs],
        "reason": form.get("reason", ""),
        "text": form.get("text", ""),
    }
    expect, order = number_in(form, "expect"), converted({"do": "change_pairing", **plain}, c.ChangePairing)
    await call.services.tournaments.commands.command(frame.s.id, order, actor_of(call), expect=expect)


async def _publish_round(call: Call, frame: Frame, form: Mapping[str, str]) -> None:
    plain: dict[str, object] = {"do": "publish_round", "round": number_in(form, "round")}
    for name in ("opens_at", "until"):
        if name in form:
            plain[name] = moment(form[name], frame.s.terms.time_zone)
    if "despite_calls" in form:
        plain["despite_calls"] = form["despite_calls"]
    order = converted(plain, c.PublishRound)
    await call.services.tournaments.publish_round(
        frame.s.id, order, actor_of(call), number_in(form, "expect")
    )


async def _close_round(call: Call, frame: Frame, form: Mapping[str, str]) -> None:
    boards = []
    for name, value in form.items():
        if name.startswith("policy."):
            policy, _, result = value.partition(" ")
            plain = {"board": number_in({"board": name.removeprefix("policy.")}, "board"), "policy": policy}
            boards.append({**plain, **({"result": result} if result else {})})
    plain_order = {
        "do": "close_round",
        "round": number_in(form, "round"),
        "boards": boards,
        "reason": form.get("reason", ""),
    }
    order = converted(plain_order, c.CloseRound)
    await call.services.tournaments.close_round(frame.s.id, order, actor_of(call), number_in(form, "expect"))


async def _measure(call: Call, frame: Frame, form: Mapping[str, str]) -> None:
    """Extend or adjourn boards, stop their clocks or let them run; no board named: all of them."""
    what = form.get("what", "")
    boards = [
        number_in({"boards": part}, "boards") for part in form.get("boards", "").replace(",", " ").split()
    ]
    plain: dict[str, object] = {
        "do": what,
        "round": number_in(form, "round"),
        "boards": boards,
        "reason": form.get("reason", ""),
    }
    if what in TIMED:
        plain["until"] = moment(form.get("until", ""), frame.s.terms.time_zone)
    kind: Any = c.Extend | c.Adjourn | c.Pause | c.Resume
    order: c.Measure = converted(plain, kind)
    await carry_out(call.services.tournaments, frame.s.id, order, actor_of(call), number_in(form, "expect"))


async def _publish(call: Call, frame: Frame, form: Mapping[str, str]) -> None:
    order = c.Publish(final=form.get("final") == "true", note=form.get("note", "")[: c.TEXT])
    await call.services.tournaments.publish(frame.s.id, order, actor_of(call), number_in(form, "expect"))
