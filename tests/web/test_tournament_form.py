"""The form of a new tournament: all formats without a script, and what is wrong beside its field."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.api.http.served import Answer, Client, Served
from tests.replay.tournaments.test_trf import WRITTEN
from tests.web.axe import violations
from tests.web.browser import NARROW
from tests.web.signed import visitors
from tests.web.tournament_hall import form

USUAL = {"title": "Кубок <города>", "game": "cia_vs_kgb/", "clock": "none"}
SENT = {**USUAL, "format": "swiss", "rounds": 5}


@pytest.fixture(scope="module")
def director(house: Served) -> Client:
    """An organizer."""
    return house.person("organizer")


def terms_of(director: Client, answer: Answer) -> Any:
    """The terms that were announced by a form."""
    assert answer.status == 303, answer
    name = answer.headers["location"].removeprefix("/t/").removesuffix("/desk")
    return director.get(f"/v1/tournaments/{name}").json["terms"]


def faults(answer: Answer) -> dict[str, str]:
    """What a form that is shown again says beside its fields."""
    assert answer.status == 422, answer
    page = unescape(answer.body.decode())
    return dict(re.findall(r'<p class="wrong" id="wrong-([a-z_]*)">(.*?)</p>', page))


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        ({"format": "swiss", "rounds": 7}, {"rounds": 7}),
        ({"format": "swiss", "rounds": 7, "reads_after": "true"}, {"privileged_reads": "after_match"}),
        ({"format": "round_robin"}, {"cycles": 1, "rounds": 40}),
        ({"format": "round_robin", "cycles": 2, "most_entrants": 8}, {"cycles": 2, "rounds": 14}),
        ({"format": "knockout", "best_of": 3}, {"knockout": {"best_of": 3, "decider": {}}, "rounds": 18}),
        ({"format": "knockout", "most_entrants": 8}, {"rounds": 6}),
        (
            {"format": "league", "divisions": "8, 9", "up": 1, "down": 3},
            {"league": {"divisions": [8, 9], "up": 1, "down": 3}, "rounds": 9},
        ),
        (
            {
                "format": "stages",
                "stage.1.format": "swiss",
                "stage.1.rounds": 5,
                "stage.1.entrants": 3,
                "stage.2.format": "knockout",
                "stage.2.rounds": 1,
                "stage.2.entrants": 8,
                "best_of": 2,
            },
            {
                "stages": [
                    {"format": "swiss", "rounds": 5, "entrants": 0, "cycles": 1, "best_of": 1},
                    {"format": "knockout", "rounds": 9, "entrants": 8, "cycles": 1, "best_of": 2},
                ],
                "rounds": 14,
            },
        ),
    ],
    ids=[
        "swiss",
        "reads after the match",
        "round robin",
        "small round robin",
        "knockout",
        "small knockout",
        "league",
        "stages",
    ],
)
def test_every_format_is_announced_with_its_terms(
    director: Client, fields: dict[str, object], wanted: dict[str, object]
) -> None:
    others = {"rounds": "x", "divisions": "x", "late_rounds": "", "stage.3.format": ""}  # hidden, so not read
    found = terms_of(director, form(director, "/t/new", **{**USUAL, **others, **fields}))
    assert found["format"] == fields["format"]
    assert {name: found[name] for name in wanted} == wanted


@pytest.mark.parametrize(
    ("fields", "term"),
    [
        ({"clock": "days", "days": 3, "cap": 7}, {"mode": "days", "days": 3, "cap": 7}),
        ({"clock": "bank", "main": 90, "increment": 0}, {"mode": "bank", "main": 5_400}),
    ],
)
def test_a_clock_may_only_report_that_a_time_is_up(
    director: Client, fields: dict[str, object], term: dict[str, object]
) -> None:
    loses = terms_of(
        director, form(director, "/t/new", **{**USUAL, "format": "swiss", "rounds": 3, **fields})
    )
    assert loses["clock"] == [term]
    answer = form(director, "/t/new", **{**USUAL, "format": "swiss", "rounds": 3, **fields, "report": "true"})
    assert terms_of(director, answer)["clock"] == [{**term, "time_up": "report"}]


@pytest.mark.parametrize(
    ("fields", "field", "said"),
    [
        ({"title": ""}, "title", "1 to 200"),
        ({"title": "x" * 201}, "title", "1 to 200"),
        ({"title": "a\u202eb"}, "title", "U+202E"),
        ({"game": "chess/"}, "game", "Choose"),
        ({"game": "cia_vs_kgb/none"}, "game", "edition"),
        ({"format": "ladder"}, "format", "Choose"),
        ({"rounds": "many"}, "rounds", "1 to 40"),
        ({"rounds": "41"}, "rounds", "1 to 40"),
        ({"rounds": "٣"}, "rounds", "1 to 40"),
        ({"rounds": "9" * 5_000}, "rounds", "1 to 40"),
        ({"clock": "days", "days": 0, "cap": 7}, "days", "1 to 365"),
        ({"clock": "sand"}, "clock", "Choose"),
        ({"tie_breaks": "BH LUCK"}, "tie_breaks", "LUCK"),
        ({"time_zone": "not a zone"}, "time_zone", "Choose"),
        ({"format": "knockout", "best_of": 4}, "best_of", "1 to 3"),
        ({"format": "league", "divisions": ""}, "divisions", "1 to 64"),
        ({"format": "league", "divisions": "8, 1"}, "divisions", "2 to 64"),
        ({"format": "league", "divisions": "8 " * 65}, "divisions", "1 to 64"),
        ({"format": "league", "divisions": "4", "up": 3, "down": 2}, "divisions", "more entrants would move"),
        ({"format": "stages", "stage.1.format": "swiss", "stage.1.rounds": 3}, "stages", "at least two"),
        (
            {
                "format": "stages",
                **{f"stage.{n}.{f}": v for n in (1, 2) for f, v in (("format", "swiss"), ("rounds", 30))},
                "stage.2.entrants": 4,
            },
            "stages",
            "more than 40",
        ),
        (
            {
                "format": "stages",
                **{f"stage.{n}.{f}": v for n in (1, 2, 3) for f, v in (("format", "swiss"), ("rounds", 3))},
                "stage.2.entrants": 4,
                "stage.3.entrants": 8,
            },
            "stages",
            "no more than the one before",
        ),
    ],
)
def test_what_is_wrong_is_said_beside_its_field_and_nothing_is_announced(
    director: Client, fields: dict[str, object], field: str, said: str
) -> None:
    before = len(director.get("/v1/tournaments?limit=200").json["tournaments"])
    found = faults(form(director, "/t/new", **{**SENT, **fields}))
    assert list(found) == [field]
    assert said in found[field]
    assert len(director.get("/v1/tournaments?limit=200").json["tournaments"]) == before


def test_a_form_that_is_wrong_comes_back_as_it_was_sent_in_both_languages(director: Client) -> None:
    sent = {**SENT, "title": '"><script>', "rounds": "many", "byes": "9", "rated": "true", "format": "swiss"}
    answer = form(director, "/t/new?lang=ru", **sent)
    assert faults(answer) == {
        "rounds": "Введите целое число от 1 до 40.",
        "byes": "Введите целое число от 0 до 3.",
    }
    page = answer.body.decode()
    assert 'value="&#34;&gt;&lt;script&gt;"' in page
    assert '"><script>' not in page
    assert 'value="many" aria-invalid="true" aria-describedby="wrong-rounds about-rounds"' in page
    assert 'name="rated" value="true" checked' in page
    assert 'name="calls_hold" value="true" checked' not in page


def test_only_an_organizer_announces(house: Served) -> None:
    assert form(house.client(), "/t/new", **SENT).status == 401
    assert form(house.player("Ann of the form"), "/t/new", **SENT).status == 403


def test_the_form_shows_the_fields_of_the_format_and_axe_finds_nothing_serious(
    house: Served, director: Client, browser: Browser
) -> None:
    with visitors(browser, house) as people:
        for scripts, language in ((False, "en"), (True, "ru")):
            page = people.page(director, size=NARROW, scripts=scripts).open(f"/t/new?lang={language}")
            shown = {"swiss": "#rounds", "league": "#divisions", "knockout": "#best_of", "stages": ".stages"}
            for name in shown:
                page.check(f"#format-{name}")
                visible = [one for one, place in shown.items() if page.is_visible(place)]
                assert visible == ([name] if name != "stages" else ["knockout", "stages"])
            assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
            if scripts:
                assert violations(page) == []


IMPORTED = f"XYZ of another program\n102 Ann Arbiter\n{WRITTEN}"
PASTED = {**USUAL, "title": "", "format": "swiss", "rounds": 9}


@pytest.mark.parametrize("language", ["en", "ru"])
def test_a_pasted_trf_goes_on_here_with_its_own_rounds_and_title(director: Client, language: str) -> None:
    answer = form(director, f"/t/new?lang={language}", **PASTED, trf=IMPORTED.replace("\n", "\r\n"))
    assert answer.status == 201, answer
    page = unescape(answer.body.decode())
    found = re.search(r'href="/t/(t[a-z0-9]+)/desk"', page)
    assert found is not None
    assert len(re.findall(r"<td><code>([\w-]{43})</code>", page)) == 4
    assert "XYZ of another program" in page
    assert "102 Ann Arbiter" in page
    told = director.get(f"/v1/tournaments/{found[1]}").json
    assert (told["title"], told["terms"]["rounds"]) == ("League of the north", 4)
    for path in ("", "/desk", "/standings", "/entrants/n1", "/rounds/1/boards/1", "/proof"):
        assert director.get(f"/t/{found[1]}{path}").status == 200, path
    exported = director.get(f"/v1/tournaments/{found[1]}/export?format=trf").body.decode()
    assert exported == IMPORTED.replace("102 Ann Arbiter\n", "").replace(*COMMENT_FIRST)


COMMENT = WRITTEN.split("\n")[0] + "\n"
TITLE = WRITTEN.split("\n")[1] + "\n"
OTHER = "XYZ of another program\n"
COMMENT_FIRST = (f"{OTHER}{COMMENT}{TITLE}", f"{COMMENT}{TITLE}{OTHER}")


def test_what_is_wrong_with_a_trf_stands_beside_it_and_nothing_is_lost(director: Client) -> None:
    wrong = WRITTEN.replace("1 w 0", "1 w 1").strip()
    answer = form(director, "/t/new", **PASTED, trf=wrong)
    assert faults(answer)["trf"].startswith("line ")
    assert wrong in unescape(answer.body.decode())
    robin = {**PASTED, "format": "round_robin"}
    assert faults(form(director, "/t/new", **robin, trf=WRITTEN)).keys() == {"format"}
    few = {**PASTED, "most_entrants": 3}
    assert faults(form(director, "/t/new", **few, trf=WRITTEN)).keys() == {"most_entrants"}


def test_players_import_no_trf(house: Served) -> None:
    assert form(house.person("player"), "/t/new", **PASTED, trf=WRITTEN).status == 403


def test_terms_with_a_clock_are_taken_with_a_trf(director: Client) -> None:
    answer = form(director, "/t/new", **{**PASTED, "clock": "days", "days": 3, "cap": 7}, trf=WRITTEN)
    assert answer.status == 201, answer
