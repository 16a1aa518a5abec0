"""The pages of the integrity table and of the proof: who sees them, where lights lead, and a flooder."""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from zipfile import ZipFile

import pytest
from playwright.sync_api import Browser

from api.gate import tournament_follower
from replay.tournaments.report import QUESTIONS
from replay.transparency import evidence
from tests.api.gate.tournaments import verified_here
from tests.api.http.served import Served, served
from tests.waiting import soon
from tests.web.axe import violations
from tests.web.browser import NARROW
from tests.web.signed import visitors
from tests.web.test_tournament_room import Room, text
from tests.web.tournament_hall import Hall, form, own_page


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    """A tournament whose first match is over, and recorded."""
    with (
        pytest.MonkeyPatch.context() as patch,
        served(tmp_path_factory.mktemp("evidence"), requests_per_second=10_000) as server,
    ):
        patch.setattr(tournament_follower, "IDLE", 0.05)  # the follower looks at the matches more often
        found = Room(Hall(server))
        services = server.services
        assert services is not None
        services.follower._verifier = verified_here
        assert found.seats["us"].post(f"/v1/matches/{found.match}/resignation", {}).status == 201
        soon(lambda: found.director.get(f"{found.hall.path}/rounds/1/boards/1").json["light"] == "green")
        yield found


def test_the_integrity_table_is_for_officials_and_each_light_leads_to_its_evidence(room: Room) -> None:
    path = f"{room.hall.page}/integrity"
    assert room.hall.server.client().get(path).status == 401
    assert room.hall.players[0].get(path).status == 403
    assert room.hall.players[0].get(f"{path}.csv").status == 403
    page = text(room.director.get(path).body)
    assert "Statistics are a reason to look, never a proof." in page
    assert "Статистика — повод присмотреться" in text(room.director.get(path, accept_language="ru").body)
    links = set(re.findall(rf'href="(/[mt]/[^"]*{room.match}[^"]*)" aria-label="(\w+): (\w+)', page))
    assert {(light, answer) for _, light, answer in links} == {
        *((light, "proved") for light in ("Log", "Chance", "Fold", "Rules", "Clocks")),
        ("Salts", "nothing"),
    }
    for address, *_ in links:
        assert room.director.get(address.partition("#")[0]).status == 200
        anchor = address.partition("#")[2]
        assert f'id="{anchor}"' in text(room.director.get(address.partition("#")[0]).body)
    lines = room.director.get(f"{path}.csv").body.decode().splitlines()
    assert lines[0].strip('"') == "Statistics are a reason to look, never a proof."


def test_the_proof_shows_the_six_answers_of_the_verifier_and_how_to_check(room: Room) -> None:
    path = f"{room.hall.page}/proof"
    before = text(room.hall.server.client().get(path).body)
    assert before.count('data-question="') == len(QUESTIONS) == 6
    assert "not looked at this tournament yet" in before
    assert form(room.hall.players[0], path).headers["location"] == path
    soon(lambda: "The verifier is at work" not in text(room.director.get(path).body))
    after = text(room.hall.server.client().get(path).body)
    answers = re.findall(r'data-question="(\w+)"><dt>[^<]*</dt><dd><span class="light light-(\w+)"', after)
    assert dict(answers) == dict.fromkeys(QUESTIONS, "proved")
    entry = room.hall.entry
    assert f"The file over {entry} of {entry} entries" in after
    assert f"tournament verify {room.hall.id}.glasnost-tournament --key" in after
    assert "Verify now" not in text(room.director.get(path).body)  # there is nothing new to verify


def test_the_proof_offers_the_file_with_its_proofs_from_the_log_of_the_server(room: Room) -> None:
    services = room.hall.server.services
    assert services is not None
    services.log_follower.turn()
    page = text(room.director.get(f"{room.hall.page}/proof").body)
    address = f"/v1/tournaments/{room.hall.id}/export?format=bundle&log=true"
    assert f'href="{address}" download' in page
    assert f'{address}"\n./ops/glasnost tournament verify' in page
    assert "With --policy FILE the verifier also asks" in page
    with ZipFile(io.BytesIO(room.hall.server.client().get(address).body)) as file:
        assert evidence.MEMBER in file.namelist()


def test_the_proof_of_a_tournament_that_no_signed_log_covers_offers_the_plain_file(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = room.hall.server.services
    assert services is not None
    monkeypatch.setattr(services.store.transparency, "latest", lambda: None)
    page = text(room.director.get(f"{room.hall.page}/proof").body)
    assert 'export?format=bundle" download' in page
    assert "log=true" not in page
    assert "--policy" not in page


def test_nobody_starts_many_verifications(room: Room) -> None:
    """A flooder: a visitor, another site, and a second tournament while one is being verified."""
    path, visitor = f"{room.hall.page}/proof", room.hall.server.client()
    assert visitor.send("POST", path, b"", own_page(visitor)).status == 401
    player = room.hall.players[0]
    assert player.send("POST", path, b"", own_page(player, "https://evil.example")).status == 403
    services = room.hall.server.services
    assert services is not None
    proofs = services.tournament_proofs
    proofs.running, kept = "t-another", proofs._kept.pop(room.hall.id, None)
    try:
        answers = [form(player, path).status for _ in range(5)]
    finally:
        proofs.running = ""
        if kept is not None:
            proofs._kept[room.hall.id] = kept
    assert answers == [429] * 5


def test_a_file_that_cannot_be_made_leaves_the_verifier_free(tmp_path: Path) -> None:
    async def fails(*_: object) -> object:
        raise OSError("no space left on device")

    with served(tmp_path, requests_per_second=10_000) as server:
        hall = Hall(server)
        _break(server, fails)
        assert form(hall.director, f"{hall.page}/proof").status == 303
        assert "Verify now" in text(hall.director.get(f"{hall.page}/proof").body)


def _break(server: Served, fails: object) -> None:
    assert server.services is not None
    server.services.tournament_proofs._files.made = fails  # type: ignore[assignment]
    assert asyncio.iscoroutinefunction(fails)


def test_axe_finds_nothing_serious_on_the_pages_of_evidence(room: Room, browser: Browser) -> None:
    """OA35, small: the wide table on a phone in Russian and dark, the other page in English."""
    look_at(room, browser, {"integrity": (True,), "proof": (False,)})


@pytest.mark.long
def test_axe_finds_nothing_serious_on_the_pages_of_evidence_in_both_ways(
    room: Room, browser: Browser
) -> None:
    """OA35."""
    look_at(room, browser, dict.fromkeys(("integrity", "proof"), (True, False)))


def look_at(room: Room, browser: Browser, wanted: Mapping[str, tuple[bool, ...]]) -> None:
    """Look at pages with axe: on a phone in Russian and dark (True), or wide in English."""
    with visitors(browser, room.hall.server) as people:
        narrow = people.page(room.director, size=NARROW, locale="ru-RU", dark=True)
        wide = people.page(room.director)
        for path, ways in wanted.items():
            for is_narrow in ways:
                page = (narrow if is_narrow else wide).open(f"{room.hall.page}/{path}")
                assert violations(page) == [], path
                width = page.evaluate("document.documentElement.scrollWidth")
                assert width <= (page.viewport_size or NARROW)["width"], path
