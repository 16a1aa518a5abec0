"""Exports over HTTP: every format, the tournament file as it verifies, and what hostile requests get."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from contextlib import nullcontext
from pathlib import Path

import icalendar
import pytest
from msgspec import Struct

from api.gate import tournament_files
from api.gate.tournament_files import MOST_WAITING, in_a_process, match_file
from domain.game import Game
from domain.games import GAMES
from domain.kernel import Refused
from replay.tournaments.exports import TABLES, Wanted, exported
from replay.tournaments.trf_reading import read
from replay.tournaments.verify import verify
from replay.transparency.policy import Policy
from tests.api.gate.memory import MemoryStore
from tests.api.gate.tournaments import Cup
from tests.api.http.served import Served
from tests.api.http.test_tournaments import Desk
from tests.matches import finished
from tests.replay.files import file_of

DAY = 86_400_000_000
OPENS = 4_000_000_000_000_000


def over(server: Served) -> Desk:
    """A tournament of two rounds that is over."""
    services = server.services
    assert services is not None
    services.tournament_files.building = lambda: nullcontext(match_file)  # no process knows the toy game
    windows = [
        {"opens": OPENS, "until": OPENS + DAY},
        {"opens": OPENS + 2 * DAY, "until": OPENS + 3 * DAY},
    ]
    desk = Desk(server, windows=windows)
    assert desk.do(do="draw_lot", label="lot/colour", n=2).status == 201
    return desk


def published(server: Served) -> Desk:
    """A tournament of two rounds whose final standings are published."""
    services = server.services
    assert services is not None
    services.tournament_files.building = lambda: nullcontext(match_file)  # no process knows the toy game
    desk = Desk(server)
    assert desk.do(do="draw_lot", label="lot/colour", n=2).status == 201
    for number in (1, 2):
        desk.paired()
        desk.results()
        assert desk.post(f"rounds/{number}/close").status == 201
    assert desk.post("publication", final=True).status == 201
    return desk


def test_a_file_with_proofs_from_the_log_fulfils_a_policy(server: Served, tmp_path: Path) -> None:
    desk, services = published(server), server.services
    assert services is not None
    client, path = server.client(), tmp_path / "cup.glasnost-tournament"
    export = f"{desk.path}/export?format=bundle"
    services.log_follower.turn()
    files = [client.get(f"{export}&log=true") for _ in range(2)]
    assert files[0].body == files[1].body
    assert files[0].headers["etag"] != client.get(export).headers["etag"]
    path.write_bytes(files[0].body)
    policy = Policy.parse(f"log {services.gate.keys.present.text}\nquorum none\n".encode())
    report = verify(path, [services.gate.keys.present], policy=policy)
    assert (report.ok, report.matches) == (True, 4), report
    assert report.logged.startswith(f"the server's log: {desk.entry} entries among the ")
    path.write_bytes(client.get(f"{export}&log=true&at=5").body)
    assert verify(path, policy=policy).logged.startswith("the server's log: 5 entries among the ")


def test_every_format_is_served_and_the_file_verifies(server: Served, tmp_path: Path) -> None:
    desk, services = published(server), server.services
    assert services is not None
    client, export = server.client(), f"{desk.path}/export?format="
    bundle = client.get(f"{export}bundle")
    assert bundle.headers["content-type"] == "application/zip"
    assert bundle.headers["content-disposition"].endswith(f'"{desk.id}.glasnost-tournament"')
    assert client.get(f"{export}bundle").body == bundle.body
    path = tmp_path / "cup.glasnost-tournament"
    path.write_bytes(bundle.body)
    report = verify(path, [services.gate.keys.present])
    assert (report.ok, report.pinned, report.matches) == (True, True, 4)
    table = read(client.get(f"{export}trf").body).table
    assert len(table.lines) == 4
    assert len(read(client.get(f"{export}trf&round=1").body).table.lines[0].cells) == 1
    rows = list(csv.reader(io.StringIO(client.get(f"{export}csv").body.decode())))
    assert rows[0][:4] == ["place", "number", "entrant", "name"]
    assert len(rows) == 5
    boards = client.get(f"{export}csv&table=boards").body.decode()
    assert boards.count("1-0") == 4
    assert client.get(f"{export}csv&table=crosstable").body.decode().count("round ") == 2
    everything = client.get(f"{export}json").json
    assert (everything["entry"], everything["status"]) == (desk.entry, "published")
    log = client.get(f"{export}ndjson&at=3").body
    assert [json.loads(line)["entry"] for line in log.splitlines()] == [1, 2, 3]
    assert client.get(f"{export}ndjson").headers["glasnost-root"] == client.get(desk.path).json["root"]


# ── the calendar (OA35) ──


class Event(Struct, frozen=True):
    """What a calendar says of an event."""

    ends: str
    sequence: int
    summary: str


def events(body: bytes) -> dict[str, Event]:
    """The events of a calendar, by UID."""
    found = icalendar.Calendar.from_ical(body)
    assert not found.errors
    return {
        str(event["uid"]): Event(
            str(event.decoded("dtend")), event.decoded("sequence"), str(event.decoded("summary"))
        )
        for event in found.walk("VEVENT")
    }


def test_a_calendar_keeps_its_uids_over_changes(server: Served) -> None:
    desk = over(server)
    client, path = server.client(), f"{desk.path}/export?format=ics"
    first = events(client.get(path).body)
    assert len(first) == 2
    assert {event.sequence for event in first.values()} == {desk.entry}
    draft = desk.post("rounds").json
    assert desk.post("rounds/1", draft_sha256=draft["draft_sha256"]).status == 201
    moved = OPENS + 7 * DAY
    assert desk.post("rounds/1/publication", opens_at=OPENS, until=moved).status == 201
    second = events(client.get(path).body)
    assert second.keys() == first.keys()
    uid = next(uid for uid in first if uid.startswith(f"{desk.id}-r1@"))
    assert first[uid].ends != second[uid].ends
    assert second[uid].sequence == desk.entry > first[uid].sequence
    games = events(client.get(f"{path}&entrant=n1").body)
    assert len(games) == 1
    assert " - " in next(iter(games.values())).summary
    assert client.get(f"{path}&at=1").body == client.get(f"{path}&at=1").body
    russian = client.get(path, accept_language="ru").body.decode()
    assert "тур 1" in russian


# ── bounds ──


@pytest.mark.parametrize(
    ("query", "status", "kind"),
    [
        ("", 422, "invalid"),
        ("?format=exe", 422, "invalid"),
        ("?format=csv&table=../people", 422, "invalid"),
        ("?format=trf&round=0", 422, "invalid"),
        ("?format=trf&round=3", 404, "not-found"),
        ("?format=ics&entrant=n9", 409, "not-entered"),
        ("?format=ics&entrant=%0d%0aX", 422, "invalid"),
        ("?format=json&at=999999", 404, "unknown-move"),
        ("?format=bundle&at=-1", 422, "invalid"),
    ],
)
def test_a_hostile_export_is_refused(server: Served, query: str, status: int, kind: str) -> None:
    desk = Desk(server, 0)
    answer = server.client().get(f"{desk.path}/export{query}")
    assert answer.status == status, answer
    answer.problem(status, kind)


def test_a_name_is_no_formula_and_breaks_no_line(server: Served) -> None:
    desk = Desk(server, 2)
    services = server.services
    assert services is not None
    coming = services.tournaments.commands.log(desk.id)
    log = asyncio.run_coroutine_threadsafe(coming, server.loop).result()
    names = {one.player: '=cmd("x")\r\n001' for one in log.state.entrants.values()}
    for table in TABLES:
        if table == "standings":
            continue
        found = exported(log, log.state, Wanted("csv", table=table), names, "x").decode()
        assert not [row for row in csv.reader(io.StringIO(found)) if any(one.startswith("=") for one in row)]
    trf = exported(log, log.state, Wanted("trf"), names, "x").decode()
    assert sum(line.startswith("001") for line in trf.splitlines()) == 2


def test_only_some_requests_wait_for_a_file(toy_game: Game) -> None:
    async def work() -> None:
        files = tournament_files.TournamentFiles(MemoryStore())
        cup = await Cup(MemoryStore()).announced(2)
        files._waiting = MOST_WAITING
        with pytest.raises(Refused) as refused:
            await files.made(await cup.log(), 1, "", [])
        assert refused.value.kind == "limit"

    asyncio.run(work())


def test_match_files_are_made_in_a_process_of_its_own() -> None:
    match = finished(GAMES["cia_vs_kgb"], 6).match
    with in_a_process() as build:
        from replay import matchfile

        note = matchfile.read(file_of(match)).note
        stored = [record.stored for record in match.records]
        assert build("cia_vs_kgb", match.id, stored, note, None) == file_of(match)
