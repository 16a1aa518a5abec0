"""The tasks of officials over HTTP, on the desk, and with `glasnost tournament tasks`; others see none."""

from __future__ import annotations

from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from api.gate.match_verifier import NotVerified, Work
from tests.api.http.served import served
from tests.cli.program import Program
from tests.waiting import soon
from tests.web.axe import violations
from tests.web.signed import visitors
from tests.web.tournament_hall import NAMES, Hall, form

CLOCK = [{"mode": "bank", "main": 1, "time_up": "report"}]


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    """A round in which one board has players whose time is up, and another a result that is not verified."""

    async def broken(work: Work) -> dict[str, str]:
        raise NotVerified("BrokenProcessPool")

    with served(tmp_path_factory.mktemp("tasks"), requests_per_second=10_000) as server:
        found = Hall(server, clock=CLOCK)
        found._follower._verifier = broken
        found.post("entries", do="draw_lot", label="lot/colour", n=2)
        found.pair()
        boards = found.director.get(f"{found.path}/rounds/1").json["boards"]
        by_entrant = dict(zip((f"n{number}" for number in range(1, 9)), found.players, strict=True))
        for board in boards[:2]:
            for side in ("w", "b"):
                seat = f"/v1/matches/{board['match']}/seats/{board[side]['seat']}"
                assert by_entrant[board[side]["entrant"]].post(seat, {}).status == 201
        loser = by_entrant[boards[1]["b"]["entrant"]]
        assert loser.post(f"/v1/matches/{boards[1]['match']}/resignation", {}).status == 201
        path = f"{found.path}/tasks"
        soon(lambda: [one["kind"] for one in found.director.get(path).json["tasks"]] == ["time", "verify"])
        yield found


def test_officials_see_their_tasks_and_others_none(hall: Hall) -> None:
    told = hall.director.get(f"{hall.path}/tasks").json
    flagged, unverified = told["tasks"]
    match = hall.director.get(f"/v1/matches/{flagged['match']}").json
    assert match["status"] == "running"
    assert flagged == {
        "kind": "time",
        "round": 1,
        "board": 1,
        "match": match["match"],
        "flagged": match["clock"]["now"]["flagged"],
    }
    assert set(flagged["flagged"]) == set(match["seats"])
    assert (unverified["board"], unverified["error"]) == (2, "BrokenProcessPool")
    board = hall.server.client().get(f"{hall.path}/rounds/1/boards/1").json
    assert board["flagged"] == flagged["flagged"]
    assert set(board["left"].values()) == {1_000_000}
    own = hall.director.get(f"/v1/players/{hall.director.player}/tasks").json["tasks"]
    assert [(one["kind"], one["board"]) for one in own] == [("time", 1), ("verify", 2)]
    for path in (f"{hall.path}/tasks", f"{hall.page}/desk"):
        assert hall.players[0].get(path).status == 403
        assert hall.server.client().get(path).status == 401
    playing = hall.players[0].get(f"/v1/players/{hall.players[0].player}/tasks").json["tasks"]
    assert {one["kind"] for one in playing} <= {"play"}


@pytest.mark.parametrize(
    ("language", "words"),
    [
        (
            "en",
            ("time is up", "The match goes on until you rule", "could not be verified (BrokenProcessPool)"),
        ),
        ("ru", ("время истекло", "Партия продолжается, пока", "не удалось проверить (BrokenProcessPool)")),
    ],
)
def test_the_desk_shows_the_tasks(
    browser: Browser, hall: Hall, language: str, words: tuple[str, ...]
) -> None:
    page = unescape(hall.director.get(f"{hall.page}/desk?lang={language}").body.decode())
    for word in words:
        assert word in page
    board = hall.server.client().get(f"{hall.page}/rounds/1/boards/1?lang={language}").body.decode()
    assert board.count(f'<span class="time-up">{words[0]}') == 2
    with visitors(browser, hall.server) as people:
        assert violations(people.page(hall.director).open(f"{hall.page}/desk?lang={language}")) == []


def test_the_command_line_prints_the_tasks(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hall: Hall
) -> None:
    monkeypatch.chdir(tmp_path)
    glasnost = Program(capsys, tmp_path)
    Path("my.token").write_text(f"{hall.director.token}\n")
    at = ("--url", f"http://127.0.0.1:{hall.server.port}", "--token-file", "my.token", hall.id)
    lines = glasnost("tournament", "tasks", *at, "--lang", "en").ok().out.splitlines()
    assert [line.rsplit("\t", 1)[0] for line in lines] == [
        "round 1, board 1\tthe time is up: us, ussr; rule, or give time",
        "round 1, board 2\tthe match could not be verified (BrokenProcessPool); confirm, or rule",
    ]
    assert len(glasnost("tournament", "tasks", *at, "--json").json["tasks"]) == 2
    assert "время истекло" in glasnost("tournament", "tasks", *at, "--lang", "ru").ok().out
    Path("my.token").write_text(f"{hall.players[0].token}\n")
    glasnost("tournament", "tasks", *at).refused(2)


def test_the_second_of_two_officials_sees_the_pairing_of_the_first(hall: Hall) -> None:
    """Over HTTP and on the desk, in both languages; nothing is stored, and a player learns nothing."""
    other = Hall(hall.server)
    other.post("entries", do="draw_lot", label="lot/colour", n=2)
    draft = other.post("rounds").json
    body = {"expect": draft["entry"], "draft_sha256": draft["draft_sha256"]}
    first = other.director.post(f"{other.path}/rounds/1", body)
    assert first.status == 201
    second = other.director.post(f"{other.path}/rounds/1", body).problem(409, "stale")
    assert second["paired"]["boards"] == draft["boards"]
    assert (second["paired"]["round"], second["paired"]["by"]) == (1, other.director.player)
    assert (second["paired"]["entry"], second["paired"]["root"]) == (first.json["entry"], first.json["root"])
    early = other.director.post(f"{other.path}/rounds", {"expect": draft["entry"]}).problem(409, "stale")
    assert early["paired"] == second["paired"]
    for spy in (other.players[0], hall.server.client()):
        for path, sent in ((f"{other.path}/rounds/1", body), (f"{other.path}/rounds", {"expect": 1})):
            refused = spy.post(path, sent)
            assert refused.status in (401, 403)
            assert "paired" not in refused.json
    fields = {"do": "pair", "round": 1, **body}
    for language, words in (("en", "Round 1 was paired meanwhile"), ("ru", "Тур 1 тем временем расписали")):
        page = form(other.director, f"{other.page}/desk?lang={language}", **fields)
        assert page.status == 409
        shown = unescape(page.body.decode()).split('role="alert"')[1].split("</section>")[0]
        assert words in shown
        assert all(name in shown for name in NAMES)
    assert other.entry == first.json["entry"]
