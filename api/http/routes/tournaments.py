"""Tournaments over HTTP: announcing, entering, pairing, rounds, rulings, standings, the log.

Every command goes through `api.gate.tournaments`; a question is answered from the state after an entry, which
`at` names.  The ETag of such an answer is made of the root after that entry.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, TypeVar

import msgspec
from fastapi import Path, Query, Response
from msgspec import UNSET, UnsetType

from api.gate import Key
from api.gate.tournament_commands import Accepted, state_at
from api.gate.tournament_imports import import_tournament
from api.gate.tournament_measures import penalise
from api.gate.tournaments import TournamentGate
from api.http.caching import NEVER, weak
from api.http.decoding import EVENTS, LINES, media_type
from api.http.idempotency import IdempotencyKey, key_of
from api.http.permissions import looked
from api.http.routes import PLAYING
from api.http.routes.event_stream import LastEventId, Stream, resumed
from api.http.routes.lists import Cursor, OneGame, Player, Rows
from api.http.routing import SENT, Api, Call, Documented
from api.http.tournament_feed import events
from api.http.tournament_schemas import (
    Announce,
    BoardRuling,
    BoardView,
    ChangedPairing,
    CommitPairing,
    CrosstableView,
    DraftView,
    EntrantsView,
    Entries,
    Expecting,
    Invitation,
    Invitations,
    InvitationsMade,
    Publication,
    PublishStandings,
    RoundClosing,
    RoundView,
    ScheduleView,
    StandingsView,
    TournamentImport,
    TournamentImported,
    TournamentList,
    TournamentLogView,
    TournamentView,
)
from api.http.tournament_seats import sitting_in
from api.http.tournament_views import (
    board_view,
    draft_view,
    entrant_views,
    entries_of,
    listed,
    people_of,
    round_view,
    schedule_view,
    tournament_view,
)
from api.mail.settings import CONFIRMATIONS_A_DAY
from api.store.interface import Item, Spent, Subscription
from api.store.outbox import PLACE
from domain.bounds import MOST
from domain.kernel import Refused
from domain.log import b64
from domain.refusals import Sentence
from domain.tournaments import commands as c
from domain.tournaments.crosstables import crosstable
from domain.tournaments.formats.league import MOST_DIVISIONS
from domain.tournaments.history import TournamentLog
from domain.tournaments.judging import Actor, board_in, round_in
from domain.tournaments.people import must_organize
from domain.tournaments.rules import dry_run
from domain.tournaments.state import Tournament
from domain.tournaments.terms import Terms
from projections import read
from projections.read import Asked, TournamentFilter
from projections.tournaments import STATUSES
from replay.clocks import ClockShown, clock_after
from replay.tournaments.trf_import import read_running

T = TypeVar("T")
api = Api("tournaments", "Tournaments and leagues: entering, pairing, results, rulings, standings, the log.")
TournamentId = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$", description="A tournament's id.")]
RoundPart = Annotated[int, Path(ge=1, le=100, description="A round, from 1.")]
BoardPart = Annotated[int, Path(ge=1, le=1000, description="A board of the round, from 1.")]
AtEntry = Annotated[int | None, Query(ge=1, le=MOST, description="After which entry; left out: the latest.")]
AfterEntry = Annotated[int, Query(ge=0, le=MOST, description="Entries after this one.")]
Entrant = Annotated[
    str | None, Query(pattern=r"^n[0-9]{1,6}$", description="Explain the values of this entrant.")
]
Division = Annotated[
    int | None, Query(ge=1, le=MOST_DIVISIONS, description="Of a league: a division, from 1.")
]
Status = Annotated[
    str | None,
    Query(max_length=64, description="How far it is.", json_schema_extra={"enum": [*STATUSES, None]}),
]
ONE = "/v1/tournaments/{tournament}"
_ROUND = f"{ONE}/rounds/{{round_number}}"
_BOARD = f"{_ROUND}/boards/{{board}}"
LOOKS = ("unknown-tournament", "unknown-move")
COMMANDS = (
    *SENT,
    "unknown-tournament",
    "not-found",
    "stale",
    "terms",
    "not-entered",
    "entered",
    "no-place",
    "late",
    "boards",
    "pairing",
    "interest",
    "window",
    "unfinished",
    "log-behind",
    "conflict",
    "key-reused",
    "in-doubt",
)


def actor_of(call: Call) -> Actor:
    """Return who acts, with the role on this server.  Raises Refused: unauthorized, forbidden."""
    person = call.person(*PLAYING)
    return Actor(person.id, person.role)


def gate_of(call: Call) -> TournamentGate:
    """Return the gate of all tournaments."""
    return call.services.tournaments


def _key(call: Call, key: str | None, body: msgspec.Struct, tournament: str, what: str) -> Key | None:
    return key_of(call, key, body, match=tournament, what=what)


async def looked_at(call: Call, tournament: str, at: int | None) -> tuple[TournamentLog, Tournament]:
    """Return a tournament after an entry.  Raises Refused: unknown-tournament, unknown-move."""
    log = await gate_of(call).commands.log(tournament)
    return log, await asyncio.to_thread(state_at, log, at)


async def _names(call: Call, people: list[str]) -> dict[str, str]:
    return await call.services.names.of(people, call.language)


def _tagged(call: Call, log: TournamentLog, entry: int, answer: msgspec.Struct) -> Response:
    """An answer whose ETag holds the root after an entry; names of people may change without one."""
    response = call.answer(answer)
    response.headers["etag"] = weak(b64(log.roots[entry - 1]), response.body)
    response.headers["glasnost-root"] = b64(log.roots[entry - 1])
    return response


# ── Announcing, and what there is ──


@api.post(
    "/v1/tournaments",
    Announce,
    Entries,
    refusals=(
        *SENT,
        "terms",
        "unknown-game",
        "bad-option",
        "conflict",
        "key-reused",
        "in-doubt",
        "log-behind",
    ),
    token=True,
)
async def announce_tournament(call: Call, body: Announce, idempotency_key: IdempotencyKey = None) -> Entries:
    """Announce a tournament; the caller, an organizer, is its director."""
    key = key_of(call, idempotency_key, body, what="announce")
    return entries_of(
        await gate_of(call).commands.announce(actor_of(call), body.title, body.terms.listed, key)
    )


@api.post(
    "/v1/tournaments/import",
    TournamentImport,
    TournamentImported,
    refusals=(
        *SENT,
        "terms",
        "unknown-game",
        "bad-option",
        "no-place",
        "not-entered",
        "conflict",
        "in-doubt",
        "log-behind",
    ),
    token=True,
)
async def import_running_tournament(call: Call, body: TournamentImport) -> TournamentImported:
    """Let a Swiss tournament go on here that was begun elsewhere; the caller, an organizer, is its director.

    The code of each entrant is shown once: with it they sign in.
    """
    if (body.terms is None) == (body.game is None):
        raise Refused("invalid", "terms-or-game")
    terms = body.terms.listed if body.terms is not None else body.game or ""
    return await imported(call, body.trf, terms, body.title or "")


async def imported(
    call: Call, trf: str, terms: Terms | str, title: str, *, by_file: bool = False
) -> TournamentImported:
    """Import a tournament; see `replay.tournaments.trf_import.read_running`.  Raises Refused."""
    actor = actor_of(call)
    must_organize(actor)
    found = await asyncio.to_thread(read_running, trf.encode(), terms, title, by_file=by_file)
    names = [_name_of(number, name) for number, name in enumerate(found.names, 1)]
    people = call.services.store.people
    made = await import_tournament(gate_of(call).commands, people, actor, found, names)
    return TournamentImported(
        made.accepted.log.id,
        made.accepted.last,
        b64(made.accepted.root),
        made.played,
        made.paired,
        tuple(Invitation(one.entrant, one.person, one.name, one.code) for one in made.invited),
        made.kept,
        made.left_out,
    )


def _name_of(number: int, name: str) -> str:
    """The name of a player of a file.  Raises Refused: invalid: no person may have it."""
    from api.http.app_state import checked

    try:
        return checked(name)
    except Refused as error:
        said = Sentence(error.id, error.values)
        raise Refused("invalid", "trf-name", {"number": number, "said": said}) from error


@api.get("/v1/tournaments", TournamentList)
async def list_tournaments(
    call: Call,
    status: Status = None,
    game: OneGame = None,
    player: Player = None,
    limit: Rows = 50,
    after: Cursor = None,
) -> TournamentList:
    """The public tournaments, the latest announced first."""
    which = TournamentFilter(game=game, status=status, player=player)
    page = await call.services.models.ask(read.tournaments, which, Asked(limit, after))
    return TournamentList(tuple(map(listed, page.rows)), page.next)


@api.get(ONE, TournamentView, refusals=LOOKS)
async def read_tournament(call: Call, tournament: TournamentId, at: AtEntry = None) -> Response:
    """A tournament after an entry: terms, officials, rounds."""
    log, state = await looked_at(call, tournament, at)
    names = await _names(call, sorted(state.offices))
    return _tagged(call, log, state.entry, tournament_view(log, state, names))


@api.get(f"{ONE}/entrants", EntrantsView, refusals=LOOKS)
async def read_entrants(
    call: Call, tournament: TournamentId, at: AtEntry = None, after: AfterEntry = 0, limit: Rows = 50
) -> Response:
    """The entrants, in the order in which they came, page by page."""
    log, state = await looked_at(call, tournament, at)
    everybody = list(state.entrants.values())
    some = everybody[after : after + limit]
    following = after + limit if after + limit < len(everybody) else None
    names = await _names(call, [one.player for one in some])
    told = EntrantsView(
        state.id,
        state.entry,
        b64(log.roots[state.entry - 1]),
        entrant_views(state, some),
        names,
        following,
    )
    return _tagged(call, log, state.entry, told)


@api.get(
    f"{ONE}/log",
    TournamentLogView,
    refusals=(*LOOKS, "invalid", "limit", "unauthorized"),
    also=(Documented(200, "The leaves: a line each, or live", (LINES, EVENTS)),),
)
async def read_log(
    call: Call,
    tournament: TournamentId,
    after: AfterEntry = 0,
    limit: Rows = 100,
    last_event_id: LastEventId = None,
) -> Response:
    """Entries of the log, as their leaves were written: JSON, a line each, or live as events, by Accept."""
    kind = media_type(call.request.headers.get("accept", ""))
    if kind == EVENTS:
        return await _live(call, tournament, resumed(after, last_event_id))
    log = await gate_of(call).commands.log(tournament)
    some = log.records[after : after + limit]
    if kind == LINES:
        lines = b"".join(record.leaf + b"\n" for record in some)
        return Response(lines, media_type=LINES, headers={"glasnost-root": b64(log.root)})
    leaves = tuple(msgspec.Raw(record.leaf) for record in some)
    return _tagged(call, log, log.entry, TournamentLogView(log.id, log.entry, b64(log.root), leaves))


async def _live(call: Call, tournament: str, after: int) -> Response:
    """The entries after one, as they come; the stream counts among those of its reader."""
    services = call.services
    cached = await gate_of(call).commands.cached(tournament)
    if after > cached.log.entry:
        raise Refused("unknown-move", "beyond-latest-entry", {"last": cached.log.entry})
    counted, holder = call.visitor.counted, call.visitor.holder
    services.streams.check(counted)
    services.tournament_feed.must_have_room()
    if call.request.method == "HEAD":
        return Response(headers={"cache-control": NEVER}, media_type=EVENTS)
    source = events(
        services.tournament_feed,
        cached,
        after,
        services.settings.heartbeat_seconds,
        lambda: call.gate.stopping,
        lambda: services.tokens.is_good(holder),
    )
    return Stream(source, services.streams.one(counted))


@api.get(f"{ONE}/checkpoint", "text/plain", refusals=LOOKS)
async def read_tournament_checkpoint(call: Call, tournament: TournamentId, entry: AtEntry = None) -> Response:
    """The signed checkpoint over the log up to an entry."""
    log, state = await looked_at(call, tournament, entry)
    return Response(gate_of(call).commands.checkpoint(log, state.entry), media_type="text/plain")


# ── Commands about people and terms ──


@api.post(
    f"{ONE}/entries",
    c.PeopleCommand,
    Entries,
    refusals=(*COMMANDS, "not-offered", "clock", "over", "not-running", "foreign", "frozen", "time"),
    token=True,
)
async def command_tournament(
    call: Call, tournament: TournamentId, body: c.PeopleCommand, idempotency_key: IdempotencyKey = None
) -> Entries:
    """Carry out a command: `do` names it.

    `expect` is the latest entry that you have seen; entrants need it for no command about themselves.
    """
    actor, gate = actor_of(call), gate_of(call)
    key = _key(call, idempotency_key, body, tournament, "entries")
    return entries_of(await carried_out(gate, tournament, body, actor, key))


async def carried_out(
    gate: TournamentGate, tournament: str, body: c.PeopleCommand, actor: Actor, key: Key | None = None
) -> Accepted:
    """Carry out a command about people and terms.  Raises Refused."""
    if isinstance(body, c.EnterTournament):
        return await gate.enter(tournament, body, actor, expect=body.expect, key=key)
    if isinstance(body, c.Accept):
        return await gate.accept(tournament, body, actor, body.code, key=key)
    if isinstance(body, c.Replace):
        return await gate.replace_player(tournament, body, actor, key=key)
    if isinstance(body, c.Penalise):
        return await penalise(gate, tournament, body, actor, body.expect, key)
    if isinstance(body, c.Advance):
        return await gate.advance(tournament, body, actor, body.expect, key)
    return await gate.commands.command(tournament, body, actor, expect=body.expect, key=key)


@api.post(f"{ONE}/invitations", Invitations, InvitationsMade, refusals=COMMANDS, token=True)
async def invite_entrants(call: Call, tournament: TournamentId, body: Invitations) -> InvitationsMade:
    """Keep places for people by name: all or none.  The code of each is shown once: with it they sign in.

    A row with `mail` gets a code by mail instead, which any player can use, once, within 14 days.
    """
    from api.http.app_state import checked

    actor, gate = actor_of(call), gate_of(call)
    if call.services.mail is None and any(row.mail for row in body.entrants):
        raise Refused("not-found", "no-mail")
    names = [checked(row.name) for row in body.entrants]
    log = await gate.commands.log(tournament)
    tried = tuple(c.Place(f"?{place}", row.seed_order, row.rating) for place, row in enumerate(body.entrants))
    dry_run(log.state, c.Invite(places=tried), actor, body.expect)
    people = [await asyncio.to_thread(call.services.store.people.add, name, "player") for name in names]
    places = tuple(
        c.Place(person.id, row.seed_order, row.rating)
        for (person, _), row in zip(people, body.entrants, strict=True)
    )
    accepted = await gate.commands.command(tournament, c.Invite(places=places), actor, expect=body.expect)
    made = []
    records = accepted.log.records[accepted.first - 1 : accepted.last]
    for row, record, (person, code) in zip(body.entrants, records, people, strict=True):
        entrant = record.entry.entrant
        mailed = row.mail is not None and await _mail_place(
            call, Item(PLACE, tournament, entrant, record.move), person.id, row.mail
        )
        made.append(Invitation(entrant, person.id, person.name or "", "" if mailed else code, mailed))
    return InvitationsMade(tournament, accepted.last, b64(accepted.root), tuple(made))


async def _mail_place(call: Call, item: Item, person: str, address: str) -> bool:
    """Have the code of a place sent; return whether it will be: so many go to an address on a day."""
    outbox = call.services.store.outbox
    wanted = Subscription(player=person, address=address, asked=call.services.clock(), language=call.language)
    try:
        await asyncio.to_thread(outbox.change, wanted, CONFIRMATIONS_A_DAY, item)
    except Spent:
        return False
    return True


# ── Rounds ──


@api.post(
    f"{ONE}/rounds",
    Expecting,
    DraftView,
    status=200,
    refusals=(*COMMANDS, "not-offered"),
    token=True,
)
async def draft_round(call: Call, tournament: TournamentId, body: Expecting) -> DraftView:
    """Pair the next round, and store nothing: a draft with its reasons."""
    gate = gate_of(call)
    found = await gate.draft(tournament, actor_of(call), body.expect)
    return draft_view(await gate.commands.log(tournament), found)


@api.post(_ROUND, CommitPairing, Entries, refusals=(*COMMANDS, "not-offered"), token=True)
async def commit_round(
    call: Call,
    tournament: TournamentId,
    round_number: RoundPart,
    body: CommitPairing,
    idempotency_key: IdempotencyKey = None,
) -> Entries:
    """Commit a draft."""
    key = _key(call, idempotency_key, body, tournament, f"pair {round_number}")
    accepted = await gate_of(call).pair(
        tournament, round_number, body.draft_sha256, actor_of(call), body.expect, key
    )
    return entries_of(accepted)


@api.post(f"{_ROUND}/changes", ChangedPairing, Entries, refusals=COMMANDS, token=True)
async def change_round(
    call: Call,
    tournament: TournamentId,
    round_number: RoundPart,
    body: ChangedPairing,
    idempotency_key: IdempotencyKey = None,
) -> Entries:
    """Pair a round by hand, before it is published."""
    key = _key(call, idempotency_key, body, tournament, f"change {round_number}")
    plain = {"do": "change_pairing", "round": round_number, **msgspec.to_builtins(body)}
    order = converted(plain, c.ChangePairing)
    accepted = await gate_of(call).commands.command(
        tournament, order, actor_of(call), expect=body.expect, key=key
    )
    return entries_of(accepted)


@api.post(f"{_ROUND}/publication", Publication, Entries, refusals=COMMANDS, token=True)
async def publish_round(
    call: Call,
    tournament: TournamentId,
    round_number: RoundPart,
    body: Publication,
    idempotency_key: IdempotencyKey = None,
) -> Entries:
    """Publish the pairings of a round; its matches are opened."""
    key = _key(call, idempotency_key, body, tournament, f"publish {round_number}")
    plain = {"do": "publish_round", "round": round_number, **msgspec.to_builtins(body)}
    order = converted(plain, c.PublishRound)
    return entries_of(await gate_of(call).publish_round(tournament, order, actor_of(call), body.expect, key))


@api.post(f"{_ROUND}/close", RoundClosing, Entries, refusals=COMMANDS, token=True)
async def close_round(
    call: Call,
    tournament: TournamentId,
    round_number: RoundPart,
    body: RoundClosing,
    idempotency_key: IdempotencyKey = None,
) -> Entries:
    """Close a round."""
    key = _key(call, idempotency_key, body, tournament, f"close {round_number}")
    plain = {"do": "close_round", "round": round_number, **msgspec.to_builtins(body)}
    order = converted(plain, c.CloseRound)
    return entries_of(await gate_of(call).close_round(tournament, order, actor_of(call), body.expect, key))


def converted(plain: dict[str, object], kind: type[T]) -> T:
    """Return a command from plain data.  Raises Refused: invalid."""
    try:
        return msgspec.convert(plain, kind)
    except msgspec.ValidationError as error:
        raise Refused("invalid", "quoted", {"said": str(error)[:200]}) from error


@api.get(_ROUND, RoundView, refusals=(*LOOKS, "not-found"))
async def read_round(
    call: Call, tournament: TournamentId, round_number: RoundPart, at: AtEntry = None
) -> Response:
    """A round after an entry: its boards, and who has none, and why."""
    log, state = await looked_at(call, tournament, at)
    one = round_in(state, round_number)
    names = await _names(call, people_of(state))
    sitting = await sitting_in(call, state, one.boards)
    return _tagged(call, log, state.entry, round_view(log, state, one, names, sitting))


@api.get(_BOARD, BoardView, refusals=(*LOOKS, "not-found"))
async def read_board(
    call: Call, tournament: TournamentId, round_number: RoundPart, board: BoardPart, at: AtEntry = None
) -> Response:
    """One board after an entry; without `at`, with what its clock had left at the latest move, and flags."""
    log, state = await looked_at(call, tournament, at)
    one = round_in(state, round_number)
    found = board_in(one, board)
    sitting = await sitting_in(call, state, [found])
    view = board_view(state, one, found, sitting)
    if at is None and found.opened and state.terms.clock:
        clock = await _clock(call, found.match)
        if clock is not UNSET:
            view = msgspec.structs.replace(view, left=clock.left, flagged=clock.flagged)
    return _tagged(call, log, state.entry, view)


async def _clock(call: Call, name: str) -> ClockShown | UnsetType:
    """The clock of a match as it is, with the flags of now; unset if the caller may not see it."""
    try:
        match = (await looked(call, name)).match
    except Refused:
        return UNSET
    return clock_after(match, match.move, call.services.clock())


# ── Rulings, standings ──


@api.post(
    f"{_BOARD}/rulings",
    BoardRuling,
    Entries,
    refusals=(*COMMANDS, "preview", "over", "ruling", "bad-file"),
    token=True,
)
async def rule_on_board(
    call: Call,
    tournament: TournamentId,
    round_number: RoundPart,
    board: BoardPart,
    body: BoardRuling,
    idempotency_key: IdempotencyKey = None,
) -> Entries:
    """Decide the result of a board, which ends a match that runs; or rule on the match that runs.

    If the round is closed, `preview` must be the hash of a preview of this ruling.  `file` names a match file
    that was uploaded (`POST .../reported-files`): the result must be that of its match, which no other board
    of any tournament may have.
    """
    key = _key(call, idempotency_key, body, tournament, f"rule {round_number} {board}")
    plain = {"do": "rule", "round": round_number, "board": board, **msgspec.to_builtins(body)}
    del plain["preview"]
    order, preview = converted(plain, c.Rule), body.preview or ""
    accepted = await gate_of(call).rule(tournament, order, actor_of(call), body.expect, key, preview)
    return entries_of(accepted)


@api.post(f"{ONE}/publication", PublishStandings, Entries, refusals=(*COMMANDS, "not-offered"), token=True)
async def publish_standings(
    call: Call, tournament: TournamentId, body: PublishStandings, idempotency_key: IdempotencyKey = None
) -> Entries:
    """Publish the standings as they are now; the final ones end the tournament."""
    key = _key(call, idempotency_key, body, tournament, "publish")
    order = c.Publish(final=body.final, note=body.note)
    return entries_of(await gate_of(call).publish(tournament, order, actor_of(call), body.expect, key))


@api.get(f"{ONE}/standings", StandingsView, refusals=(*LOOKS, "not-entered", "not-offered", "not-found"))
async def read_standings(
    call: Call,
    tournament: TournamentId,
    at: AtEntry = None,
    explain: Entrant = None,
    division: Division = None,
) -> Response:
    """The standings after an entry; with `explain`, every addend of one entrant's values.

    `division` is one of a league; without it the divisions stand one below the other.
    """
    log, state = await looked_at(call, tournament, at)
    found = await gate_of(call).standings(state, division)
    names = await _names(call, people_of(state))
    told = StandingsView(state.id, state.entry, b64(log.roots[state.entry - 1]), found, names, state.changes)
    if explain is not None:
        why = await gate_of(call).explained(state, explain)
        told = msgspec.structs.replace(told, explained=why)
    return _tagged(call, log, state.entry, told)


@api.get(f"{ONE}/schedule", ScheduleView, refusals=LOOKS)
async def read_schedule(
    call: Call, tournament: TournamentId, at: AtEntry = None, player: Player = None
) -> Response:
    """The dates after an entry: of the tournament, its rounds, and the games of one player."""
    log, state = await looked_at(call, tournament, at)
    names = await _names(call, people_of(state)) if player else {}
    return _tagged(call, log, state.entry, schedule_view(log, state, player, names))


@api.get(f"{ONE}/crosstable", CrosstableView, refusals=LOOKS)
async def read_crosstable(call: Call, tournament: TournamentId, at: AtEntry = None) -> Response:
    """The crosstable after an entry: one line for each entrant, one cell for each round."""
    log, state = await looked_at(call, tournament, at)
    root = b64(log.roots[state.entry - 1])
    return _tagged(call, log, state.entry, CrosstableView(state.id, state.entry, root, crosstable(state)))
