"""The page of a board whose game was played elsewhere: its file, its statement, and forms without scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.api.gate.elsewhere import examined_in_a_thread, played_elsewhere
from tests.api.gate.tables import run
from tests.api.http.served import Answer, Client, served
from tests.web.axe import violations
from tests.web.browser import NARROW
from tests.web.signed import visitors
from tests.web.tournament_hall import GAME, Hall, form, own_page

BOUNDARY = "----a-boundary"
RULING = {"reason": "agreed", "text": "played in the hall"}


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    """A tournament whose first round is published."""
    folder = tmp_path_factory.mktemp("reported")
    with pytest.MonkeyPatch.context() as patch, served(folder, requests_per_second=10_000) as server:
        examined_in_a_thread(patch)
        found = Hall(server)
        found.post("entries", do="draw_lot", label="lot/colour", n=2)
        found.pair()
        yield found


@pytest.fixture(scope="module")
def data() -> bytes:
    """The file of a match that the first seat won."""
    return run(played_elsewhere("us", game=GAME))


def parts_of(fields: dict[str, Any], file: bytes, boundary: str = BOUNDARY) -> bytes:
    """A form with a file, as a browser sends it."""
    head = "Content-Disposition: form-data; name="
    texts = [f'--{boundary}\r\n{head}"{name}"\r\n\r\n{value}\r\n' for name, value in fields.items()]
    begin = f'--{boundary}\r\n{head}"match_file"; filename="hall.glasnost"\r\nContent-Type: a/b\r\n\r\n'
    return "".join([*texts, begin]).encode() + file + f"\r\n--{boundary}--\r\n".encode()


def sent(client: Client, path: str, body: bytes, origin: str = "") -> Answer:
    """Send a form with a file from a page of the server, or of another origin."""
    head = own_page(client, origin) | {"content-type": f"multipart/form-data; boundary={BOUNDARY}"}
    return client.send("POST", path, body, head)


def hidden(page: str) -> dict[str, str]:
    """The hidden fields of the form that confirms a preview."""
    section = page[page.index('id="preview"') :]
    fields = re.findall(
        r'<input type="hidden" name="(\w+)" value="([^"]*)">', section[: section.index("</form>")]
    )
    return {name: unescape(value) for name, value in fields}


def test_a_director_rules_by_a_file_without_scripts(hall: Hall, data: bytes, browser: Browser) -> None:
    # given: the form of the board, with the file chosen, and the mark forgotten
    path = f"{hall.page}/rounds/1/boards/1"
    asked = {"expect": hall.entry, "result": "1-0", **RULING, "rule": "", "note": "", "statement": ""}
    first = sent(hall.director, path, parts_of(asked, data))
    assert first.status == 200, first
    # when: the preview is confirmed
    fields = hidden(first.body.decode())
    assert (fields["reported"], len(fields["file"])) == ("true", 64)
    done = form(hall.director, path, **fields)
    assert done.status == 303, done
    # then: everybody sees the mark, and can have the file
    page = unescape(hall.server.client().get(path).body.decode())
    assert "Reported, with a match file" in page
    address = f"/v1/tournaments/{hall.id}/reported-files/{fields['file']}"
    assert f'href="{address}"' in page
    assert hall.server.client().get(address).body == data
    with visitors(browser, hall.server) as people:
        tab = people.page(hall.director, size=NARROW, locale="ru-RU", dark=True).open(path)
        assert violations(tab) == []
        assert tab.locator("input[name=match_file]").count() == 1
        assert tab.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]


def test_both_players_confirm_a_statement_without_scripts(hall: Hall) -> None:
    path, statement = f"{hall.page}/rounds/1/boards/2", "We played <b>at the club</b>."
    asked = {"expect": hall.entry, "result": "½", **RULING, "reported": "true", "statement": statement}
    fields = hidden(sent(hall.director, path, parts_of(asked, b"")).body.decode())
    assert form(hall.director, path, **fields).status == 303
    rows = hall.director.get(f"{hall.path}/entrants").json["entrants"]
    people = {row["entrant"]: row["player"] for row in rows}
    board = hall.director.get(f"{hall.path}/rounds/1/boards/2").json
    for side in "wb":
        player = next(one for one in hall.players if one.player == people[board[side]["entrant"]])
        page = player.get(path).body.decode()
        assert "&lt;b&gt;at the club" in page
        ruling = re.search(r'name="ruling" value="(\d+)"', page)
        assert ruling is not None
        done = form(player, f"{hall.page}/do?to=rounds/1/boards/2", do="confirm_statement", ruling=ruling[1])
        assert done.status == 303, done
        assert 'name="ruling"' not in player.get(path).body.decode()
    page = hall.server.client().get(path, accept_language="ru").body.decode()
    assert page.count("есть подтверждение") == 2


def test_forged_forms_are_refused(hall: Hall, data: bytes) -> None:
    path = f"{hall.page}/rounds/1/boards/3"
    asked = {"expect": hall.entry, "result": "0-1", **RULING}
    good = parts_of(asked, data)
    # a page of another site, a player, a result that the file contradicts
    assert sent(hall.director, path, good, "https://evil.example").status == 403
    assert sent(hall.players[0], path, good).status == 403
    assert sent(hall.director, path, good).status == 422
    # what is no such form, or has more than it may
    many = {f"f_{'x' * number}": "" for number in range(1, 45)}
    twice = good.replace(b'name="reason"', b'name="result"')
    for body in (
        b"",
        good[:-10],
        good.replace(BOUNDARY.encode(), b"another"),
        twice,
        parts_of(many, b""),
        parts_of(asked, data[:100]),
        parts_of({**asked, "text": "\ud800".encode("utf-8", "surrogatepass").decode("latin-1")}, b"x"),
    ):
        assert sent(hall.director, path, body).status == 422
    assert sent(hall.director, path, parts_of(asked, b"x" * (17 * 1024 * 1024))).status == 413
    assert hall.director.get(f"{hall.path}/rounds/1/boards/3").json["status"] == "running"
