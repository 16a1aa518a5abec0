"""The pages of a tournament: what they show, forms without scripts, and what foreign pages cannot send."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest
from playwright.sync_api import Browser

from api.gate.tournament_bids import BidReport, Bids
from api.gate.tournaments import TournamentGate
from domain.kernel import Refused
from replay.local_time import moment
from tests.api.http.served import Client, served
from tests.waiting import soon
from tests.web.axe import violations
from tests.web.browser import NARROW
from tests.web.signed import visitors
from tests.web.tournament_hall import GAME, NAMES, Hall, form, own_page


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
    change = {"do": "change_terms", "expect": told["entry"], "reason": "by a vote"}
    assert form(hall.director, f"{path}/desk", terms='format = "league"', **change).status >= 400
    together = 'format = "league"\r\nleague = {divisions = [2, 2], up = 1, down = 1}\nbyes = 2'
    assert form(hall.director, f"{path}/desk", terms=together, **change).status == 303
    now = hall.director.get(f"/v1/tournaments/{path.removeprefix('/t/')}").json
    assert (now["terms"]["format"], now["terms"]["byes"], now["entry"]) == ("league", 2, told["entry"] + 3)
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


def test_standings_show_every_addend_and_any_moment(hall: Hall) -> None:
    told = hall.director.get(f"{hall.path}/standings?explain=n1").json
    page = html(hall, f"{hall.page}/standings?explain=n1")
    assert page.count("<section><h3>") == len(told["explained"])
    for one in told["explained"]:
        value = "–" if one["value"] is None else one["value"].replace("0.5", "½").replace(".5", "½")
        assert f"<h3>{one['name']} = {value}</h3>" in page
    early = html(hall, f"{hall.page}/standings?at=9")
    assert "after entry 9 of" in early
    usual, odd = (html(hall, f"{hall.page}/standings{query}") for query in ("", "?at=x&explain=%00"))
    assert usual.split("</table>")[0].split("<table")[1] == odd.split("</table>")[0].split("<table")[1]
    entrant = html(hall, f"{hall.page}/entrants/n1")
    assert NAMES[0] in entrant
    assert entrant.count('<th scope="row">') == 3
    assert hall.server.client().get(f"{hall.page}/entrants/n77").status == 409


def test_an_official_rules_by_the_form_of_a_board_and_players_cannot(hall: Hall) -> None:
    path, fields = f"{hall.page}/rounds/3/boards/2", {"reason": "no_show", "text": "Не явился <b>"}
    assert form(hall.players[0], path, expect=hall.entry, result="1-0", **fields).status == 403
    assert form(hall.director, path, expect=1, result="1-0", **fields).status == 409
    assert form(hall.director, path, expect=hall.entry, result="9-0", **fields).status == 422
    entry = hall.entry
    page = form(hall.director, path, expect=entry, result="1-0", **fields).body.decode()
    seen = re.search(r'name="preview" value="(\w{64})"', page)
    assert seen is not None  # every ruling of a form is looked at first
    assert hall.entry == entry
    made = form(hall.director, path, expect=entry, result="1-0", **fields, preview=seen[1])
    assert made.headers["location"] == path, made
    raw = hall.server.client().get(path).body.decode()
    assert "Не явился &lt;b&gt;" in raw
    assert "<textarea" not in raw
    assert "no-show" in raw
    assert hall.server.client().get(f"{hall.page}/rounds/3/boards/9").status == 404
    assert hall.server.client().get(f"{hall.page}/rounds/x/boards/1").status == 422


def test_the_page_of_a_board_says_why_its_result_waits(hall: Hall) -> None:
    other = Hall(hall.server, house_seeded=False, clock=[])
    other.post("entries", do="draw_lot", label="lot/colour", n=2)
    other.pair()
    path = f"{other.path}/rounds/1/boards/1"
    board = other.director.get(path).json
    assert board["waits"] == []
    rows = {
        row["entrant"]: row["player"] for row in other.director.get(f"{other.path}/entrants").json["entrants"]
    }
    people = {one.player: one for one in other.players}
    for side in "wb":
        player = people[rows[board[side]["entrant"]]]
        seat = f"/v1/matches/{board['match']}/seats/{board[side]['seat']}"
        assert player.post(seat, {}).status == 201
    assert player.post(f"/v1/matches/{board['match']}/resignation", {}).status == 201
    soon(lambda: other.director.get(path).json["status"] == "recorded")
    found = other.director.get(path).json
    assert (found["waits"], found["light"]) == (["no_salt"], "green")
    page = f"{other.page}/rounds/1/boards/1"
    assert "no player of its match added a salt, and the terms want one." in html(other, page)
    assert "ни один игрок партии не добавил свою соль, а положение её требует." in html(other, page, "ru")
    other.post("entries", do="confirm", round=1, board=1)
    assert other.director.get(path).json["waits"] == []
    assert "added a salt" not in html(other, page)


def test_a_ruling_on_a_closed_round_shows_first_what_it_changes(hall: Hall) -> None:
    path, entry = f"{hall.page}/rounds/1/boards/1", hall.entry
    asked = {"expect": entry, "result": "0-1", "reason": "rule_error", "text": "set up wrongly"}
    page = form(hall.director, path, **asked).body.decode()
    seen = re.search(r'name="preview" value="(\w{64})"', page)
    assert seen is not None
    assert "What this ruling changes" in page
    changes = re.findall(r"<td>([0-9½–]+) → ([0-9½–]+)</td>", page)
    assert [before for before, after in changes if before != after]
    assert hall.entry == entry  # looking changes nothing
    assert form(hall.director, path, **asked, preview="0" * 64).status == 409
    assert form(hall.director, path, **asked, preview=seen[1]).headers["location"] == path
    assert hall.entry == entry + 1


def test_an_official_pairs_swaps_publishes_and_closes_at_the_desk_without_scripts(hall: Hall) -> None:
    desk = f"{hall.page}/desk"
    assert hall.players[0].get(desk).status == 403
    assert hall.server.client().get(desk).status == 401
    shown = hall.director.get(desk).body.decode()
    open_boards = sorted({int(number) for number in re.findall(r'name="policy\.(\d+)"', shown)})
    policies = {f"policy.{number}": "forfeit +-" for number in open_boards}
    assert form(hall.director, desk, do="close_round", round=3, expect=hall.entry).status == 409
    assert form(hall.director, desk, do="close_round", round=3, expect=hall.entry, **policies).status == 303
    hall.rest()
    draft = hall.director.get(f"{desk}?draft=1").body.decode()
    sha256 = re.search(r'name="draft_sha256" value="(\w{64})"', draft)
    expect = re.search(r'name="expect" value="(\d+)"', draft)
    assert sha256 is not None
    assert expect is not None
    pair = {"do": "pair", "round": 4, "expect": expect[1], "draft_sha256": sha256[1]}
    assert form(hall.director, desk, **pair).status == 303
    before = hall.director.get(f"{hall.path}/rounds/4").json["boards"]
    a, b = before[0]["b"]["entrant"], before[1]["b"]["entrant"]
    seen = hall.director.get(f"{desk}?a={a}&b={b}").body.decode()
    assert "The pairs would be" in seen
    assert hall.director.get(f"{hall.path}/rounds/4").json["boards"] == before  # looking changes nothing
    swap = {"do": "change", "a": a, "b": b, "reason": "request", "text": "one club"}
    assert form(hall.director, desk, expect=hall.entry, **swap).status == 303
    after = hall.director.get(f"{hall.path}/rounds/4").json["boards"]
    assert [board["b"]["entrant"] for board in after[:2]] == [b, a]
    assert "Round 4" not in html(hall, hall.page)
    publish = {"do": "publish_round", "round": 4, "despite_calls": "it is about the last round"}
    past = form(hall.director, desk, expect=hall.entry, opens_at="1999-01-01T00:00", **publish)
    assert past.status in (409, 422)
    assert form(hall.director, desk, expect=hall.entry, **publish).status == 303
    assert "Round 4" in html(hall, hall.page)
    assert "it is about the last round" in html(hall, f"{hall.page}/rounds/4/boards/1")
    assert form(hall.director, desk, do="dance").status == 422
    check_measures(hall, desk)


def check_measures(hall: Hall, desk: str) -> None:
    """The form for more time and adjournments, and what is wrong with it."""
    fields: dict[str, Any] = {"do": "measure", "round": 4, "boards": "2, 1", "reason": "a strike"}
    later = {"what": "adjourn", "until": "2999-01-01T00:00"}
    assert "More time" in hall.director.get(desk).body.decode()
    assert form(hall.players[0], desk, expect=hall.entry, **fields, **later).status == 403
    before = hall.entry
    for wrong in (
        later,  # too far
        {"what": "adjourn"},
        {"what": "adjourn", "until": "1999-01-01T00:00"},
        {"what": "freeze"},
        {"what": "pause", "boards": "1;2"},
        {"what": "pause", "boards": "9"},
        {"what": "pause", "boards": " ".join("9" * 9 for _ in range(900))},
        {"what": "pause", "reason": ""},
    ):
        assert form(hall.director, desk, expect=hall.entry, **{**fields, **wrong}).status in (404, 409, 422)
    assert hall.entry == before
    soon = (datetime.now(UTC) + timedelta(days=2)).strftime("%Y-%m-%dT%H:%M")
    adjourned = {**fields, "what": "adjourn", "until": soon}
    assert form(hall.director, desk, expect=hall.entry, **adjourned).status == 303
    entries = hall.director.get(f"{hall.path}/log?after={before}").json["entries"]
    assert [(one["kind"], one["boards"]) for one in entries if one["kind"] == "adjourned"] == [
        ("adjourned", [1, 2])
    ]
    assert form(hall.director, desk, expect=hall.entry, **{**fields, "what": "resume"}).status == 303


def test_a_time_that_clocks_skip_is_no_time() -> None:
    assert moment("2026-03-29T01:30", "Europe/Berlin") == 1_774_744_200_000_000
    for text in ("2026-03-29T02:30", "2026-02-30T00:00", "tomorrow", ""):
        with pytest.raises(Refused):
            moment(text, "Europe/Berlin")


PLACES = (
    "/t",
    "/t/new",
    "{0}",
    "{0}/standings?explain=n1",
    "{0}/entrants/n1",
    "{0}/rounds/2/boards/3",
    "{0}/desk",
)


def test_axe_finds_nothing_serious_on_pages_of_tournaments(hall: Hall, browser: Browser) -> None:
    """W3, OA35, small: each page on a phone in Russian and dark, or wide in English, in turns.

    `test_tournament_form` looks at the form.
    """
    places = [path for path in PLACES if path != "/t/new"]
    look_at(hall, browser, zip(places, itertools.cycle((True, False)), strict=False))


@pytest.mark.long
def test_axe_finds_nothing_serious_on_any_page_of_tournaments(hall: Hall, browser: Browser) -> None:
    """W3, OA35: each page in both ways."""
    look_at(hall, browser, itertools.product(PLACES, (True, False)))


def look_at(hall: Hall, browser: Browser, wanted: Iterable[tuple[str, bool]]) -> None:
    """Look at pages with axe: on a phone in Russian and dark (True), or wide in English."""
    with visitors(browser, hall.server) as people:
        narrow = people.page(hall.director, size=NARROW, locale="ru-RU", dark=True)
        wide = people.page(hall.director)
        for path, is_narrow in wanted:
            page = (narrow if is_narrow else wide).open(path.format(hall.page))
            assert violations(page) == [], path
            width = page.evaluate("document.documentElement.scrollWidth")
            assert width <= (page.viewport_size or NARROW)["width"], path


def check_divisions(director: Client, name: str, path: str) -> None:
    """Each division has standings of its own, on the page and over HTTP."""
    whole = director.get(f"{path}/standings").json["standings"]["places"]
    second = director.get(f"{path}/standings?division=2").json["standings"]["places"]
    assert [(one["entrant"], one["number"]) for one in second] == [
        (one["entrant"], one["number"]) for one in whole[2:]
    ]
    assert [one["place"] for one in second] == [one["place"] - 2 for one in whole[2:]]
    names = director.get(f"{path}/standings").json["names"]
    players = {one["entrant"]: one["player"] for one in director.get(f"{path}/entrants").json["entrants"]}
    page = unescape(director.get(f"/t/{name}/standings?division=2").body.decode())
    table = page[page.index("<tbody>") : page.index("</tbody>")]
    for place, one in enumerate(whole):
        assert (f'/entrants/{one["entrant"]}"><bdi>{names[players[one["entrant"]]]}' in table) == (place > 1)
    assert 'href="?division=2" aria-current="true"' in page
    together = unescape(director.get(f"/t/{name}/standings").body.decode())
    lines = re.findall(r'<tr class="([^"]*)">', together)
    assert [place for place, line in enumerate(lines) if "next-division" in line] == [2]
    assert ">Division</th>" in together
    for wrong in ("3", "0", "-1", "x", "1&division=2", "99999999999999999999"):
        assert director.get(f"/t/{name}/standings?division={wrong}").status == 200
        assert director.get(f"{path}/standings?division={wrong}").status in (404, 422)
    early = director.get(f"{path}/standings?division=1&at=1").json  # before the first entrant
    assert early["standings"]["places"] == []
    director.get(f"{path}/standings?division=65").problem(422, "invalid")


def test_the_bids_of_a_tournament_have_a_page(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"bid": "victory_points", "tournament": True}
    terms = {"game": "twilight_struggle", "edition": "second", "format": "swiss", "rounds": 3, "sides": "bid"}
    about = {"title": "Bids", "terms": {**terms, "options": options}}
    path = f"/t/{hall.director.post('/v1/tournaments', about).json['tournament']}"
    assert "Nothing was paid" in html(hall, f"{path}/bids")
    assert f'{path}/bids"' in html(hall, path)
    assert "/bids" not in html(hall, hall.page)  # its sides are those of the colours

    async def found(gate: TournamentGate, name: str) -> BidReport:
        return BidReport(name, 9, (Bids("ussr", 3, 8, 6, 0.4093, 0.9285),), 2, 1)

    monkeypatch.setattr("api.web.tournament_tables.bids_of", found)
    page = html(hall, f"{path}/bids")
    assert ">USSR</th><td>3</td><td>8</td><td>6</td>" in page
    assert "41–93 %" in page
    assert "Партий, где за сторону не платили: 2." in html(hall, f"{path}/bids", "ru")
    assert hall.server.client().get("/t/none/bids").status == 404


def test_a_knock_out_shows_its_bracket_and_a_league_lets_the_qualified_go_on(hall: Hall) -> None:
    server = hall.server
    director = server.person("organizer")
    players = [server.player(name) for name in NAMES[:5]]

    def announced(**terms: object) -> tuple[str, str]:
        about = {"game": GAME, "rounds": 12, **terms}
        told = director.post("/v1/tournaments", {"title": "Cup", "terms": about}).json
        for player in players:
            assert player.post(f"/v1/tournaments/{told['tournament']}/entries", {"do": "enter"}).status == 201
        return told["tournament"], f"/v1/tournaments/{told['tournament']}"

    def shown(name: str, language: str = "en") -> str:
        answer = director.get(f"/t/{name}", accept_language=language)
        assert answer.status == 200, answer
        return unescape(answer.body.decode())

    def post(path: str, to: str, **body: object) -> Any:
        while True:
            entry = int(director.get(path).json["entry"])
            answer = director.post(f"{path}/{to}", {"expect": entry, **body})
            if answer.status != 409 or answer.json["type"] != "/problems/stale":  # the follower was first
                return answer

    def a_round(path: str, number: int) -> None:
        draft = post(path, "rounds").json
        post(path, f"rounds/{number}", draft_sha256=draft["draft_sha256"])
        post(path, f"rounds/{number}/publication")
        for board in range(1, len(draft["boards"]) + 1):
            about = {"result": "1-0", "reason": "agreed", "text": "played", "reported": True}
            assert post(path, f"rounds/{number}/boards/{board}/rulings", **about).status == 201
        post(path, f"rounds/{number}/close")

    name, path = announced(format="knockout")
    assert "Bracket" not in shown(name)
    a_round(path, 1)
    page = shown(name)
    assert page.count('<tr class="won">') == 4  # a game and three byes
    assert "bye in the bracket" in page
    assert "Сетка" in shown(name, "ru")
    assert shown(f"{name}/standings")
    assert shown(f"{name}/desk?draft=1")
    draft = post(path, "rounds").json
    post(path, "rounds/2", draft_sha256=draft["draft_sha256"])
    desk = shown(f"{name}/desk")
    assert "Publish round 2" in desk
    assert 'name="a"' not in desk  # its contests follow from the bracket: no pairing by hand
    pair = draft["boards"][0]
    by_hand = {"boards": [{"w": pair["w"], "b": pair["b"]}], "reason": "other", "text": "x"}
    post(path, "rounds/2/changes", **by_hand).problem(409, "boards")
    seen = form(
        director,
        f"/t/{name}/rounds/1/boards/1",
        expect=director.get(path).json["entry"],
        result="0-1",
        reason="rule_error",
        text="misread",
    )
    looked = unescape(seen.body.decode())
    assert "Who goes on" not in looked  # round 2 is paired: who went on stays
    assert "Ratings do not change." in looked
    name, path = announced(format="league", league={"divisions": [2, 3], "up": 1, "down": 1})
    for number in (1, 2, 3):
        a_round(path, number)
    check_divisions(director, name, path)
    assert "Let the qualified go on" in shown(f"{name}/desk")
    assert post(path, "entries", do="advance").status == 409  # three have won one game each
    played = director.get(f"{path}/rounds/3/boards/1").json
    wrong = "0-1" if played["result"]["result"] == "1-0" else "1-0"
    fields = {
        "expect": director.get(path).json["entry"],
        "result": wrong,
        "reason": "rule_error",
        "text": "x",
    }
    looked = unescape(form(director, f"/t/{name}/rounds/3/boards/1", **fields).body.decode())
    assert "Who goes on" in looked
    assert "On equal places, so the director decides:" in looked
    assert ": division 1" in looked
    third = director.get(f"{path}/entrants").json["entrants"][2]["entrant"]
    assert post(path, "entries", do="advance", decided=[third], reason="lot").status == 201
    assert "Let the qualified go on" not in shown(f"{name}/desk")
    assert shown(f"{name}/standings")
