"""Carries out the commands of `glasnost tournament` by a server, over its public HTTP API.

A server is not trusted: what it says is bounded (`api.server_client`), checked, and printed without control
characters.  Each command first reads the latest entry, and names it (`expect`), unless its caller names one.
"""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import IO, TYPE_CHECKING, Annotated, Any, TypeVar
from urllib.parse import quote, urlencode

import msgspec
from msgspec import Struct

from api.cli.common import CannotBeDone
from api.cli.tournament_backend import (
    Added,
    Drafted,
    ImportedHere,
    InvitationCode,
    KeptRecord,
    Table,
    named_pairs,
)
from api.server_client import Reply, Server, ServerError
from domain.tournaments.terms import Zone
from replay.tournaments.standings import Explained, Standings

if TYPE_CHECKING:
    from api.gate.tournament_integrity import Integrity
    from api.gate.tournament_tasks import OpenTask
    from domain.tournaments import commands as c
    from domain.tournaments.terms import Terms
    from replay.tournaments.entrant_list import ListedEntrant
    from replay.tournaments.exports import Wanted

MOST_EXPORT_BYTES = 4 * 1024**3  # 20,000 matches of some 100 kB
_MOST_PAGES = 100  # of entrants
_MOST_BOARDS = 1_000  # of a pairing
_MOST_DETAIL = 500  # characters of a refusal
_DONE = (HTTPStatus.OK, HTTPStatus.CREATED)
_DRAW_FIRST, _STALE = "/problems/boards", "/problems/stale"

T = TypeVar("T")


# ── What is read of the server's answers: everything else in them is left alone ──


class _Kind(Struct, frozen=True):
    """An entry that a command added."""

    kind: str


class _Entries(Struct, frozen=True):
    """The answer to a command."""

    tournament: str
    entry: int
    root: str
    facts: tuple[_Kind, ...]


class _Looked(Struct, frozen=True):
    """`GET /v1/tournaments/{tournament}`."""

    title: str
    entry: int
    rounds: tuple[Any, ...]
    lots: dict[str, int]


class _ZonedTerms(Struct, frozen=True):
    """The terms of `_Zoned`."""

    time_zone: Zone = "UTC"


class _Zoned(Struct, frozen=True):
    """`GET /v1/tournaments/{tournament}`, for the time zone."""

    terms: _ZonedTerms


class _Code(Struct, frozen=True):
    """A kept place."""

    person: str
    name: str
    code: str
    mailed: bool = False


class _Invited(Struct, frozen=True):
    """`POST .../invitations`."""

    tournament: str
    entry: int
    root: str
    invitations: tuple[_Code, ...]


class _Imported(Struct, frozen=True):
    """`POST /v1/tournaments/import`."""

    tournament: str
    entry: int
    root: str
    played: int
    paired: int
    invitations: tuple[_Code, ...]
    kept: tuple[KeptRecord, ...]
    left_out: tuple[KeptRecord, ...]


class _DraftBoard(Struct, frozen=True):
    """A board of a draft."""

    w: str
    b: str
    floats: str
    colour_rule: str


class _Draft(Struct, frozen=True):
    """`POST .../rounds`."""

    entry: int
    round: int
    draft_sha256: str
    engine: str
    version: str
    rules: str
    input_sha256: str
    boards: tuple[_DraftBoard, ...]
    byes: dict[str, str]


class _Standings(Struct, frozen=True):
    """`GET .../standings`."""

    entry: int
    standings: Standings
    explained: tuple[Explained, ...] | None = None


class _Entrant(Struct, frozen=True):
    """A line of `GET .../entrants`."""

    entrant: str
    player: str


class _Entrants(Struct, frozen=True):
    """`GET .../entrants`."""

    entrants: tuple[_Entrant, ...]
    names: dict[str, str | None]
    next: int | None


class _File(Struct, frozen=True):
    """`POST .../reported-files`."""

    file: str


class _PairedBoard(Struct, frozen=True):
    """A board of a pairing."""

    board: int
    w: str
    b: str


class _Paired(Struct, frozen=True):
    """The pairing with which another official was faster."""

    boards: Annotated[tuple[_PairedBoard, ...], msgspec.Meta(max_length=_MOST_BOARDS)]


class _Problem(Struct, frozen=True):
    """A refusal."""

    type: str
    detail: str
    paired: _Paired | None = None


class ServerBackend:
    """Carries out the commands by a server; see `api.cli.tournament_backend.Backend`.

    Args:
        expect: the latest entry that the caller has seen; None: the latest one of the server.
    """

    def __init__(self, server: Server, expect: int | None = None) -> None:
        self._server, self._expect = server, expect

    def announce(self, title: str, terms: Terms) -> Added:
        """Announce a tournament."""
        return self._added("/v1/tournaments", {"title": title, "terms": terms})

    def import_trf(self, content: bytes, terms: Terms | str, title: str) -> ImportedHere:
        """Import a running tournament; the file is read here first, so nothing is sent that is refused."""
        from domain.kernel import Refused
        from replay.tournaments.trf_import import read_running

        try:
            read_running(content, terms, title)
        except Refused as error:
            raise CannotBeDone(str(error)) from error
        about = {"game": terms} if isinstance(terms, str) else {"terms": terms}
        body = {"trf": content.decode("utf-8-sig"), **about, "title": title or None}
        made = self._post("/v1/tournaments/import", body, _Imported, once=True)
        codes = tuple(InvitationCode(one.name, one.person, one.code) for one in made.invitations)
        added = Added(made.tournament, made.entry, made.root, ("announced",))
        return ImportedHere(added, made.played, made.paired, codes, made.kept, made.left_out)

    def enter(self, tournament: str, listed: list[ListedEntrant]) -> tuple[Added, tuple[InvitationCode, ...]]:
        """Enter all of a list, or none: all lines name players, or no line does."""
        expect = self._look(tournament).entry
        if all(one.player for one in listed):
            places = [
                {"person": one.player, "seed_order": one.seed, "rating": one.rating, "enters": True}
                for one in listed
            ]
            body = {"do": "invite", "places": places, "expect": expect}
            return self._added(f"{_path(tournament)}/entries", body), ()
        if any(one.player for one in listed):
            raise CannotBeDone(
                "with --url all lines of a list have the id of a player, or none has: divide the list"
            )
        rows = [
            {"name": one.name, "seed_order": one.seed, "rating": one.rating, "mail": one.mail or None}
            for one in listed
        ]
        path = f"{_path(tournament)}/invitations"
        made = self._post(path, {"expect": expect, "entrants": rows}, _Invited, once=True)
        codes = tuple(InvitationCode(one.name, one.person, one.code, one.mailed) for one in made.invitations)
        return Added(made.tournament, made.entry, made.root, ("invited",) * len(codes)), codes

    def draft(self, tournament: str) -> Drafted:
        """Pair the next round, and store nothing."""
        found = self._draft(tournament, self._look(tournament).entry)
        boards = tuple((one.w, one.b, one.floats, one.colour_rule) for one in found.boards)
        draft = msgspec.to_builtins(found) | {"boards": boards}
        del draft["entry"], draft["draft_sha256"]
        return Drafted(found.entry, draft, found.draft_sha256, boards, found.byes)

    def pair(self, tournament: str) -> Added:
        """Pair the next round; the lot for the first colour is drawn before the first one."""
        from domain.tournaments.crosstables import FIRST_COLOUR

        seen = self._look(tournament)
        expect, path = seen.entry, f"{_path(tournament)}/rounds"
        reply = self._sent(path, {"expect": expect})
        if _problem(reply).type == _DRAW_FIRST and FIRST_COLOUR not in seen.lots:
            lot = {"do": "draw_lot", "label": FIRST_COLOUR, "n": 2, "expect": expect}
            expect = self._added(f"{_path(tournament)}/entries", lot).entry
            reply = self._sent(path, {"expect": expect})
        found = _read(_accepted(reply), _Draft)
        body = {"expect": found.entry, "draft_sha256": found.draft_sha256}
        return self._added(f"{path}/{found.round}", body)

    def publish_round(self, tournament: str, despite_calls: str) -> Added:
        """Publish the latest round."""
        seen = self._look(tournament)
        body = {"expect": seen.entry, "despite_calls": despite_calls}
        return self._added(f"{_latest_round(tournament, seen)}/publication", body)

    def publish_standings(self, tournament: str, *, final: bool) -> Added:
        """Publish the standings."""
        body = {"expect": self._look(tournament).entry, "final": final}
        return self._added(f"{_path(tournament)}/publication", body)

    def close_round(self, tournament: str, boards: list[dict[str, object]], reason: str) -> Added:
        """Close the latest round."""
        seen = self._look(tournament)
        body = {"expect": seen.entry, "boards": boards, "reason": reason}
        return self._added(f"{_latest_round(tournament, seen)}/close", body)

    def rule(self, tournament: str, order: c.Rule, seen: str) -> Added:
        """Decide the result of a board."""
        body = self._order(tournament, order) | {"preview": seen or None}
        del body["do"]
        place = f"rounds/{body.pop('round')}/boards/{body.pop('board')}"
        return self._added(f"{_path(tournament)}/{place}/rulings", body)

    def upload(self, tournament: str, content: bytes) -> str:
        """Keep the match file of a game that was played elsewhere."""
        path = f"{_path(tournament)}/reported-files"
        try:
            reply = self._server.post_file(path, content, "application/zip")
        except ServerError as error:
            raise CannotBeDone(str(error)) from error
        return _read(_accepted(reply), _File).file

    def preview(self, tournament: str, order: c.Rule) -> object:
        """What a ruling would change."""
        body = self._order(tournament, order)
        return self._post(f"{_path(tournament)}/previews", body, dict[str, Any])

    def change_terms(self, tournament: str, order: c.ChangeTerms) -> Added:
        """Give fields of the terms other values."""
        return self._added(f"{_path(tournament)}/entries", self._order(tournament, order))

    def advance(self, tournament: str, order: c.Advance) -> Added:
        """Let those go on who have qualified."""
        return self._added(f"{_path(tournament)}/entries", self._order(tournament, order))

    def measure(self, tournament: str, order: c.Measure) -> Added:
        """Freeze or release a match; extend or adjourn boards, pause their clocks, or let them run."""
        return self._added(f"{_path(tournament)}/freezes", self._order(tournament, order))

    def time_zone(self, tournament: str) -> str:
        """The time zone of its terms."""
        return self._get(_path(tournament), _Zoned).terms.time_zone

    def standings(self, tournament: str, at: int | None, entrant: str | None, *, named: bool) -> Table:
        """The standings after an entry."""
        asked = {"at": at, "explain": entrant}
        found = self._get(f"{_path(tournament)}/standings{_query(asked)}", _Standings)
        title, names = "", {}
        if named:
            title = self._get(f"{_path(tournament)}{_query({'at': found.entry})}", _Looked).title
            names = self._names(tournament, found.entry)
        return Table(title, found.entry, found.standings, names, found.explained)

    def tasks(self, tournament: str) -> tuple[OpenTask, ...]:
        """What its officials have to do."""
        from api.gate.tournament_tasks import OpenTasks

        return self._get(f"{_path(tournament)}/tasks", OpenTasks).tasks

    def integrity(self, tournament: str) -> Integrity:
        """The integrity table; only officials may read it."""
        from api.gate.tournament_integrity import LIGHTS, Integrity

        found = self._get(f"{_path(tournament)}/integrity", Integrity)
        if any(set(LIGHTS) - board.lights.keys() for board in found.boards):
            raise CannotBeDone("an answer is no Integrity: a light is missing")
        return found

    def export(self, tournament: str, wanted: Wanted, into: IO[bytes], *, with_proofs: bool = False) -> None:
        """Write an export to a file as the server sends it; `verify` checks a tournament file."""
        asked: dict[str, Any] = {"format": wanted.format, "at": wanted.at, "round": wanted.round or None}
        asked |= {"table": wanted.table, "entrant": wanted.entrant or None}
        asked |= {"log": "true" if with_proofs else None}
        path = f"{_path(tournament)}/export{_query(asked)}"
        try:
            reply = self._server.download(path, into, MOST_EXPORT_BYTES)
        except ServerError as error:
            raise CannotBeDone(str(error)) from error
        _accepted(reply)

    def close(self) -> None:
        """Hang up."""
        self._server.close()

    def _look(self, tournament: str) -> _Looked:
        """The tournament as it is; its entry is the one that a command names."""
        seen = self._get(_path(tournament), _Looked)
        return seen if self._expect is None else msgspec.structs.replace(seen, entry=self._expect)

    def _draft(self, tournament: str, expect: int) -> _Draft:
        return self._post(f"{_path(tournament)}/rounds", {"expect": expect}, _Draft)

    def _order(self, tournament: str, order: Struct) -> dict[str, Any]:
        plain: dict[str, Any] = msgspec.to_builtins(order)
        return plain | {"expect": self._look(tournament).entry}

    def _names(self, tournament: str, entry: int) -> dict[str, str]:
        """The names of the entrants after an entry, those that are known."""
        names: dict[str, str] = {}
        after: int | None = 0
        for _ in range(_MOST_PAGES):
            asked = {"at": entry, "after": after, "limit": 200}
            page = self._get(f"{_path(tournament)}/entrants{_query(asked)}", _Entrants)
            for one in page.entrants:
                if name := page.names.get(one.player):
                    names[one.entrant] = name
            after = page.next
            if after is None:
                break
        return names

    def _added(self, path: str, body: object) -> Added:
        found = self._post(path, body, _Entries)
        return Added(found.tournament, found.entry, found.root, tuple(one.kind for one in found.facts))

    def _get(self, path: str, kind: type[T]) -> T:
        try:
            return _read(_accepted(self._server.get(path)), kind)
        except ServerError as error:
            raise CannotBeDone(str(error)) from error

    def _post(self, path: str, body: object, kind: type[T], *, once: bool = False) -> T:
        return _read(_accepted(self._sent(path, body, once=once)), kind)

    def _sent(self, path: str, body: object, *, once: bool = False) -> Reply:
        try:
            return self._server.post(path, body, once=once)
        except ServerError as error:
            more = "; it is not known whether it was done: look at the standings first" if once else ""
            raise CannotBeDone(f"{error}{more}") from error


def _path(tournament: str) -> str:
    return f"/v1/tournaments/{quote(tournament, safe='')}"


def _latest_round(tournament: str, seen: _Looked) -> str:
    return f"{_path(tournament)}/rounds/{max(len(seen.rounds), 1)}"


def _query(asked: dict[str, Any]) -> str:
    given = {name: value for name, value in asked.items() if value is not None}
    return f"?{urlencode(given)}" if given else ""


def _problem(reply: Reply) -> _Problem:
    """What a refusal says; nothing if the answer is none."""
    if reply.status in _DONE:
        return _Problem("", "")
    try:
        return _read(reply, _Problem)
    except CannotBeDone:
        return _Problem("", "")


def _accepted(reply: Reply) -> Reply:
    """Return the answer if the server did what was asked.

    Raises:
        CannotBeDone: it refuses; the text is the server's, in one line.
    """
    if reply.status in _DONE:
        return reply
    problem = _problem(reply)
    detail = problem.detail[:_MOST_DETAIL] or f"the server answers with the status {reply.status}"
    if problem.paired is not None:
        detail += named_pairs((one.board, one.w, one.b) for one in problem.paired.boards)
    elif problem.type == _STALE:
        detail += "; another official was faster, and nothing was stored: look again, then repeat the command"
    raise CannotBeDone(detail)


def _read(reply: Reply, kind: type[T]) -> T:
    """What an answer says.  Raises CannotBeDone: it is not of this kind."""
    try:
        msgspec.json.decode(reply.body, type=kind)  # refuses what is too deep before anything of it is made
        return msgspec.convert(_printable(msgspec.json.decode(reply.body)), kind)
    except (msgspec.DecodeError, RecursionError) as error:
        name = getattr(kind, "__name__", "object").lstrip("_")
        raise CannotBeDone(f"an answer of the server is no {name}: {type(error).__name__}") from error


def _printable(value: Any) -> Any:
    """Return a decoded answer whose texts cannot control a terminal."""
    if isinstance(value, str):
        return value if value.isprintable() else "".join(one if one.isprintable() else " " for one in value)
    if isinstance(value, dict):
        return {_printable(name): _printable(one) for name, one in value.items()}
    if isinstance(value, Sequence):
        return [_printable(one) for one in value]
    return value
