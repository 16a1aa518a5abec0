"""The pages of a tournament: what they show, forms without scripts, and what foreign pages cannot send."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

import pytest

from tests.api.http.served import served
from tests.web.tournament_hall import NAMES, Hall, form, own_page


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    """A tournament in its third round."""
    with served(tmp_path_factory.mktemp("tournaments"), requests_per_second=10_000) as server:
        found = Hall(server)
        found.post("entries", do="draw_lot", label="lot/colour", n=2)
        for _ in range(2):
            found.play(found.pair())
        found.pair()
        yield found


def html(hall: Hall, path: str, language: str = "en") -> str:
    """A page as a visitor has it, with its characters as they are."""
    answer = hall.server.client().get(path, accept_language=language)
    assert answer.status == 200, answer
    return unescape(answer.body.decode())


def test_the_list_and_the_page_of_a_tournament_are_read_in_both_languages(hall: Hall) -> None:
    assert f'<a href="{hall.page}">' in html(hall, "/t?game=thirteen_minutes&status=running")
    assert hall.id not in html(hall, "/t?game=cia_vs_kgb")
    page = html(hall, f"{hall.page}?round=2")
    assert all(name in page for name in NAMES)
    assert "reported, not proved" in page
    assert "швейцарская система" in html(hall, hall.page, "ru")
    assert hall.server.client().get("/t/none").status == 404


def test_an_organizer_announces_and_a_player_enters_without_scripts(hall: Hall) -> None:
    fields = {"title": "Кубок города", "game": "cia_vs_kgb/", "format": "swiss", "rounds": 3, "clock": "days"}
    made = form(hall.director, "/t/new", days=3, cap=7, late_rounds=0, **fields)
    assert made.status == 303, made
    path = made.headers["location"].removesuffix("/desk")
    told = hall.director.get(f"/v1/tournaments/{path.removeprefix('/t/')}").json
    assert told["terms"]["clock"] == [{"mode": "days", "days": 3, "cap": 7}]
    assert (told["title"], told["terms"]["rated"]) == ("Кубок города", False)
    ann = hall.server.player("Ann")
    assert form(ann, f"{path}/do", do="enter").headers["location"] == path
    assert "You take part." in ann.get(path).body.decode()
    assert form(ann, f"{path}/do", do="ask_bye", round=1, points=0).status == 303
    assert form(ann, f"{path}/do", do="withdraw", reason="ill").status == 303
    assert "You have withdrawn." in ann.get(path).body.decode()
    assert form(ann, "/t/new", days=3, cap=7, **fields).status == 403


@pytest.mark.parametrize(
    ("path", "status"),
    [("/t/{}/do", 403), ("/t/new", 403), ("/v1/tournaments/{}/entries", 403)],
)
def test_a_form_of_another_site_is_refused(hall: Hall, path: str, status: int) -> None:
    ann = hall.players[0]
    head = own_page(ann, "https://evil.example")
    assert ann.send("POST", path.format(hall.id), b"do=withdraw", head).status == status


def test_only_pages_of_tournaments_take_forms(hall: Hall) -> None:
    ann = hall.players[0]
    answer = ann.send("POST", f"{hall.path}/entries", b"do=withdraw", own_page(ann))
    answer.problem(415, "media-type")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"do=withdraw&do=withdraw", 422),
        (b"do=dance", 422),
        (b"do=withdraw&reason=%ff", 422),
        (b"do=\xff", 422),
        (b"&".join(b"a%d=1" % n for n in range(1_300)), 422),
        (b"do=withdraw&reason=" + b"x" * 300_000, 413),
        (b"do=pair&round=4", 422),
        (b"do=seed&order=n1", 422),
    ],
)
def test_hostile_forms_change_nothing(hall: Hall, body: bytes, status: int) -> None:
    ann, before = hall.players[0], hall.entry
    assert ann.send("POST", f"{hall.page}/do", body, own_page(ann)).status == status
    assert hall.entry == before


def test_a_form_needs_somebody_and_leads_to_no_other_site(hall: Hall) -> None:
    visitor = hall.server.client()
    assert visitor.send("POST", f"{hall.page}/do", b"do=enter", own_page(visitor)).status == 401
    eve = hall.server.player("Eve")
    answer = form(eve, f"{hall.page}/do?to=//evil.example", do="call", text="x")
    assert answer.status == 409  # did not enter
    ann = hall.players[1]
    told = form(ann, f"{hall.page}/do?to=//evil.example", do="call", text="my clock")
    assert told.headers["location"] == hall.page
    assert not re.search("my clock", html(hall, hall.page))
