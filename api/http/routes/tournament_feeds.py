"""What is new in tournaments: the Atom feed of one (RFC 4287), and what a player has to do in all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Literal
from xml.etree.ElementTree import Element, SubElement, tostring

from fastapi import Response
from msgspec import UNSET, Struct, UnsetType

from api.gate.tournament_tasks import OpenTasks, TaskKind, open_tasks
from api.http.routes import PLAYING, PlayerId
from api.http.routes.positions import Lang
from api.http.routes.tournaments import ONE, TournamentId, actor_of, gate_of
from api.http.routing import Api, Call
from api.mail.messages import texts
from domain.kernel import Refused
from domain.log import b64
from domain.tournaments import events as e
from domain.tournaments.history import TournamentLog
from domain.tournaments.judging import must_be_official
from domain.tournaments.state import Tournament
from projections import read
from projections.read import Asked, TournamentFilter

FEED = "text/xml"  # not application/atom+xml: generated clients do not know that type, feed readers know both
MOST_ENTRIES = 100  # of a feed: the latest
MOST_TOURNAMENTS = 50  # in which tasks are looked for: the latest announced
_SPACE = "http://www.w3.org/2005/Atom"
_TOLD = (
    e.Announced,
    e.TermsChanged,
    e.RoundPublished,
    e.ResultRecorded,
    e.Ruled,
    e.RoundClosed,
    e.Published,
    e.Cancelled,
)

api = Api("tournament news", "What is new in a tournament, and what a player has to do.")


class Task(Struct, frozen=True, omit_defaults=True):
    """Something to do in a tournament.

    kind: "accept" a place that is kept, or "play" a board; for officials also what `OpenTask` has.
    until: microseconds UTC, if there is a date.
    call, flagged, error: see `OpenTask`.
    """

    kind: Literal["accept", "play"] | TaskKind
    tournament: str
    title: str
    entrant: str | UnsetType = UNSET
    round: int | UnsetType = UNSET
    board: int | UnsetType = UNSET
    match: str | UnsetType = UNSET
    call: int | UnsetType = UNSET
    until: int | UnsetType = UNSET
    flagged: dict[str, int] | UnsetType = UNSET
    error: str | UnsetType = UNSET


class TaskList(Struct, frozen=True):
    """What a player has to do, and in which order: the earliest date first."""

    player: str
    tasks: tuple[Task, ...]


@api.get(f"{ONE}/tasks", OpenTasks, refusals=("unknown-tournament", "forbidden"), token=True)
async def read_open_tasks(call: Call, tournament: TournamentId) -> OpenTasks:
    """What the officials have to do: calls, times that are up, results that contradict or are unverified."""
    log, actor = await gate_of(call).commands.log(tournament), actor_of(call)
    must_be_official(log.state, actor)
    return OpenTasks(log.id, log.entry, b64(log.root), await open_tasks(gate_of(call), log.state))


@api.get("/v1/tournaments/{tournament}/feed.atom", FEED, refusals=("unknown-tournament",))
async def read_tournament_feed(call: Call, tournament: TournamentId, lang: Lang = None) -> Response:
    """The latest entries of a tournament for feed readers; each entry keeps its id."""
    log = await call.services.tournaments.commands.log(tournament)
    origin = call.services.borders.origin(call.request.scope)
    body = atom(log, f"{origin}/t/{log.id}", lang or call.language)
    return Response(body, media_type=FEED)


@api.get("/v1/players/{player}/tasks", TaskList, refusals=("forbidden",), token=True)
async def read_tasks(call: Call, player: PlayerId) -> TaskList:
    """What the caller has to do in tournaments: places to accept, boards to play, the tasks of officials."""
    if call.person(*PLAYING).id != player:
        raise Refused("forbidden", "own-tasks")
    which = TournamentFilter(person=player)
    page = await call.services.models.ask(read.tournaments, which, Asked(MOST_TOURNAMENTS, None))
    found: list[Task] = []
    for row in page.rows:
        log = await call.services.tournaments.commands.log(row.tournament)
        found += tasks_of(log.state, player)
        if log.state.is_official(player):
            found += await _of_officials(call, log.state)
        await asyncio.sleep(0)
    return TaskList(player, tuple(sorted(found, key=_date)))


def _date(task: Task) -> float:
    return float("inf") if task.until is UNSET else task.until


def tasks_of(s: Tournament, player: str) -> Iterator[Task]:
    """Yield what an entrant has to do in a tournament."""
    if s.ended:
        return
    one = s.entrant_of(player)
    if one is not None and one.status == "invited":
        yield Task("accept", s.id, s.title, entrant=one.id)
    if one is not None:
        yield from _boards_of(s, one.id)


async def _of_officials(call: Call, s: Tournament) -> list[Task]:
    return [
        Task(
            one.kind,
            s.id,
            s.title,
            round=one.round,
            board=one.board,
            match=one.match,
            call=one.call,
            flagged=one.flagged,
            error=one.error,
        )
        for one in await open_tasks(gate_of(call), s)
    ]


def _boards_of(s: Tournament, entrant: str) -> Iterator[Task]:
    """The boards that an entrant has to play."""
    for one, board in [(had, board) for had in s.rounds for board in had.boards_of(entrant)]:
        if board.opened and not board.result:
            yield Task(
                "play",
                s.id,
                s.title,
                entrant=entrant,
                round=one.number,
                board=board.number,
                match=board.match,
                until=UNSET if one.until is None else one.until,
            )


def atom(log: TournamentLog, page: str, language: str) -> bytes:
    """Return the feed of a tournament: its latest entries that concern everybody, the newest first.

    Args:
        page: the address of the tournament's page.
    """
    records = [record for record in log.records if isinstance(record.entry, _TOLD)][-MOST_ENTRIES:]
    feed = Element("feed", {"xmlns": _SPACE, "xml:lang": language})
    SubElement(feed, "id").text = f"urn:glasnost:tournament:{log.id}"
    SubElement(feed, "title").text = log.state.title
    SubElement(feed, "updated").text = _time(log.records[-1].entry.at)
    SubElement(feed, "link", {"rel": "alternate", "type": "text/html", "href": page})
    SubElement(SubElement(feed, "author"), "name").text = "Glasnost"
    for record in reversed(records):
        one = SubElement(feed, "entry")
        SubElement(one, "id").text = f"urn:glasnost:tournament:{log.id}:{record.move}"
        SubElement(one, "title").text = _sentence(record.entry, language)
        SubElement(one, "updated").text = _time(record.entry.at)
        href = f"{page}?at={record.move}"
        SubElement(one, "link", {"rel": "alternate", "type": "text/html", "href": href})
    body: bytes = tostring(feed, encoding="utf-8", xml_declaration=True)
    return body


def _sentence(entry: e.Entry, language: str) -> str:
    about = {name: getattr(entry, name, "") for name in ("round", "board", "result")}
    return texts(language)[f"feed.{entry.__struct_config__.tag}"].format(**about)


def _time(at: int | None) -> str:
    return datetime.fromtimestamp((at or 0) / 1_000_000, UTC).isoformat()
