"""Opening a match through the page, and sitting down: options, salts, invitations, bots."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from domain.game import Game, Option
from domain.games import GAMES
from domain.kernel import Refused
from tests.api.http.served import Client, Served, served
from tests.domain.thirteen_minutes.tables import own_set
from tests.waiting import soon
from tests.web.browser import Watched
from tests.web.signed import Visitors, visitors

QUICK = {"thirteen_minutes"}  # it has a file as an option


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server whose matches these tests open."""
    with served(tmp_path_factory.mktemp("hall"), requests_per_second=10_000) as running:
        yield running


@pytest.fixture
def people(browser: Browser, hall: Served) -> Iterator[Visitors]:
    with visitors(browser, hall) as found:
        yield found


def values(option: Option) -> list[Any]:
    """Every value that the form offers, of a number its ends, without the default."""
    found: list[Any] = [*option.choices]
    found += [option.least, option.most] if option.least is not None else []
    found += [None] if option.none else []
    found += ["file"] if option.data else []
    return [value for value in found if not (type(value) is type(option.default) and value == option.default)]


def rounds(game: Game) -> Iterator[dict[str, Any]]:
    """Options for matches in which every option has every value once, as far as they go together."""
    for number in range(3):
        chosen: dict[str, Any] = {}
        for option in game.options:
            found = values(option)
            if number < len(found):
                wanted = {**chosen, option.name: found[number]}
                if is_legal(game, wanted):
                    chosen = wanted
        if chosen:
            yield chosen


def is_legal(game: Game, options: dict[str, Any]) -> bool:
    given = {name: own_set() if value == "file" else value for name, value in options.items()}
    try:
        game.settle(None, given)
    except Refused:
        return False
    return True


def choose(page: Page, name: str, value: Any, file: Path) -> None:
    """Set an option as a reader does."""
    option = page.locator(f"[data-option={name}]")
    if value == "file":
        option.locator("input[type=file]").set_input_files(file)
    elif type(value) is int:
        option.locator("input[type=number]").fill(str(value))
    else:
        raw = {None: "null", True: "true", False: "false"}.get(value, f'"{value}"')
        option.locator(f"input[data-value='{raw}']").check()


def opened(client: Client, page: Page) -> Any:
    """The match whose page is open."""
    page.wait_for_url("**/m/**")
    return client.get(f"/v1/matches/{page.url.split('/m/')[1].split('/')[0].split('?')[0]}").json


@pytest.mark.parametrize(
    "game", [game if game in QUICK else pytest.param(game, marks=pytest.mark.long) for game in GAMES]
)
def test_every_option_can_be_set_and_stands_in_the_first_move(
    game: str, hall: Served, people: Visitors, tmp_path: Path
) -> None:
    """W32."""
    file = tmp_path / "cards.json"
    file.write_text(json.dumps(own_set()))
    ann = hall.player()
    watched = people.page(ann)
    seen: dict[str, int] = {}
    for options in rounds(GAMES[game]):
        page = watched.open(f"/new?game={game}")
        page.locator(".options summary").click()
        for name, value in options.items():
            choose(page, name, value, file)
            seen[name] = seen.get(name, 0) + 1
        expect(page.locator("#differing li")).to_have_count(len(options))
        assert page.locator(".option.differs").count() == len(options)
        page.locator("#open").click()
        told = opened(ann, page)
        first = ann.get(f"/v1/matches/{told['match']}/moves?limit=1").json["moves"][0]
        given = {name: own_set() if value == "file" else value for name, value in options.items()}
        _, wanted = GAMES[game].settle(None, given)
        assert first["options"] == told["options"]
        assert {name: first["options"][name] for name in options} == {name: wanted[name] for name in options}
    settable = {option.name for option in GAMES[game].options if values(option)}
    assert set(seen) == settable


@pytest.mark.long
def test_options_of_the_default_are_not_listed_as_different(hall: Served, people: Visitors) -> None:
    page = people.page(hall.player()).open("/new?game=imperial_struggle")
    expect(page.locator("#differing-none")).to_be_visible()
    page.locator(".options summary").click()
    choose(page, "turgot", "before", Path())
    expect(page.locator("#differing li")).to_have_count(1)
    choose(page, "turgot", "after", Path())
    expect(page.locator("#differing-none")).to_be_visible()


def test_private_match_is_opened_and_said_to_be_private(hall: Served, people: Visitors) -> None:
    """A13."""
    ann = hall.player()
    watched = people.page(ann)
    page = watched.open("/new?game=cia_vs_kgb")
    page.get_by_label("Private: no list shows it to others").check()
    page.locator("#open").click()
    told = opened(ann, page)
    assert told["private"] is True
    expect(page.locator("#form")).to_contain_text("A private match")
    soon(lambda: told["match"].encode() in ann.get("/", accept="text/html").body)
    page = watched.open("/")
    expect(page.locator(f"[data-match={told['match']}] .private")).to_have_text("private")


def test_salts_are_committed_on_sitting_down_and_opened_by_the_pages(hall: Served, people: Visitors) -> None:
    """The server has only the hash until every seat is taken; then the pages open both salts."""
    ann, ben = hall.player(), hall.player("Ben")
    first = people.page(ann).open("/new?game=cia_vs_kgb")
    salt = first.locator("#salt").input_value()
    assert len(salt) == 22
    first.locator("#open").click()
    told = opened(ann, first)
    assert told["salts"] == {"cia": "committed", "kgb": None}
    assert salt not in str(ann.get(f"/v1/matches/{told['match']}/moves").json)
    second = people.page(ben).open("/")
    second.locator(f"[data-match={told['match']}] .button").click()
    second.locator("#sit").click()
    second.wait_for_url(f"**/m/{told['match']}*")
    first.wait_for_url(f"**/m/{told['match']}*")
    soon(lambda: ann.get(f"/v1/matches/{told['match']}").json["status"] == "running")
    running = ann.get(f"/v1/matches/{told['match']}").json
    assert running["chance"] == "player-seeded"
    assert running["salts"] == {"cia": "committed", "kgb": "committed"}
    assert salt in str(ann.get(f"/v1/matches/{told['match']}/moves").json)


def test_salt_of_a_page_that_was_closed_is_opened_by_the_lobby(hall: Served, people: Visitors) -> None:
    ann, ben = hall.player(), hall.player("Ben")
    watched = people.page(ann)
    page = watched.open("/new?game=cia_vs_kgb")
    page.locator("#open").click()
    told = opened(ann, page)
    page.goto("about:blank")
    ben.post(f"/v1/matches/{told['match']}/seats/kgb")
    assert ann.get(f"/v1/matches/{told['match']}").json["status"] == "waiting"
    watched.open("/")
    soon(lambda: ann.get(f"/v1/matches/{told['match']}").json["status"] == "running")
    expect(page.locator(f":is(.group-mine, .group-theirs) [data-match={told['match']}]")).to_be_visible()


@pytest.mark.long
def test_salt_is_opened_by_the_page_of_the_match_too(hall: Served, people: Visitors) -> None:
    ann, ben = hall.player(), hall.player("Ben")
    watched = people.page(ann)
    page = watched.open("/new?game=cia_vs_kgb")
    page.locator("#open").click()
    told = opened(ann, page)
    page.goto("about:blank")
    ben.post(f"/v1/matches/{told['match']}/seats/kgb")
    watched.open(f"/m/{told['match']}")
    soon(lambda: ann.get(f"/v1/matches/{told['match']}").json["status"] == "running")


def test_invitation_lets_its_reader_sit_down_and_nobody_else(hall: Served, people: Visitors) -> None:
    ann, ben = hall.player(), hall.player("Ben")
    first = people.page(ann).open("/new?game=cia_vs_kgb")
    first.locator("input[value=invitation]").check()
    first.locator("#open").click()
    told = opened(ann, first)
    link = first.locator("#link").input_value()
    address, _, code = link.partition("#")
    assert len(code) == 22
    assert told["match"] in address
    hall.player("Eve").post(f"/v1/matches/{told['match']}/seats/kgb").problem(403, "reserved")
    watched = people.page(ben)
    second = watched.open(link.removeprefix(f"http://127.0.0.1:{hall.port}"))
    assert not [request for request in watched.requests if code in request]
    second.locator("#sit").click()
    second.wait_for_url(f"**/m/{told['match']}*")
    assert ben.player in hall.client().get(f"/v1/matches/{told['match']}").json["seats"].values()


def test_visitor_with_an_invitation_is_led_to_sign_in_and_back(hall: Served, people: Visitors) -> None:
    ann = hall.player()
    told = ann.post("/v1/matches", {"game": "cia_vs_kgb", "reserved": {"kgb": {"invitation": True}}}).json
    page = people.page().open(f"/m/{told['match']}/sit?seat=kgb#{told['invitations']['kgb']}")
    link = page.locator("#sign-in").get_attribute("href") or ""
    assert link.startswith("/in?next=%2Fm%2F")


def test_player_is_found_by_name_and_the_seat_is_kept_for_them(hall: Served, people: Visitors) -> None:
    ann, fyodor = hall.player(), hall.player("Фёдор Неповторимый")
    page = people.page(ann).open("/new?game=cia_vs_kgb")
    page.locator("input[value=player]").check()
    page.locator("#open").click()
    expect(page.locator("#outcome")).to_contain_text("Choose the other player")
    page.locator("#name").fill("Фёдор Н")
    page.locator("#found button").click()
    page.locator("#open").click()
    told = opened(ann, page)
    assert told["reserved"] == ["kgb"]
    assert fyodor.get("/v1/lobby").json["seats"][0]["match"] == told["match"]


def test_rematch_is_kept_for_the_same_opponent(hall: Served, people: Visitors) -> None:
    ann, ben = hall.player(), hall.player("Ben")
    first = ann.post("/v1/matches", {"game": "cia_vs_kgb"}).json["match"]
    for seat, player in (("cia", ann), ("kgb", ben)):
        player.post(f"/v1/matches/{first}/seats/{seat}")
    ben.post(f"/v1/matches/{first}/resignation")
    page = people.page(ann).open("/")
    page.locator(f".group-over [data-match={first}] a", has_text="Rematch").click()
    page.locator("#open").click()
    told = opened(ann, page)
    assert told["match"] != first
    assert ben.get("/v1/lobby").json["seats"][0]["match"] == told["match"]


def test_opponent_who_is_not_known_is_left_out(hall: Served) -> None:
    for player in ("nobody", "%3Cscript%3E", "x" * 500, "bot:random"):
        answer = hall.player().get(f"/new?player={player}")
        assert answer.status == 200
        assert b'"opponent":null' in answer.body


def test_match_against_a_bot_begins_at_once(hall: Served, people: Visitors) -> None:
    ann = hall.player()
    page = people.page(ann).open("/new?game=cia_vs_kgb")
    page.locator("input[value=bot]").check()
    page.locator("input[name=seat][value=kgb]").check()
    assert page.locator("#bot option").all_inner_texts() == [
        "easy: for a first match",
        "hard: thinks ahead",
        "random: picks at random",
    ]
    page.locator("#bot").select_option("random")
    page.locator("#open").click()
    told = opened(ann, page)
    assert told["seats"] == {"cia": "bot:random", "kgb": ann.player}
    assert told["status"] == "running"
    assert told["chance"] == "player-seeded"
    for path in (f"/p/{ann.player}", "/p/bot:random"):  # of the read models, which follow the log
        soon(shows, people.page(ann), path, "bot random")
        assert not shows(people.page(ann), path, "bot:random")


def shows(browser: Watched, path: str, text: str) -> bool:
    """Does a page of this address hold this text?"""
    return text in browser.open(path).locator("main").inner_text()


def test_the_lobby_leads_to_a_match_against_the_easy_bot(hall: Served, people: Visitors) -> None:
    """The bot that is offered first is the one for a first match."""
    ann = hall.player()
    page = people.page(ann).open("/?game=twilight_struggle")
    page.locator("a", has_text="Play against a bot").click()
    expect(page.locator("#bots")).to_be_visible()
    page.locator("#open").click()
    told = opened(ann, page)
    assert (told["game"], told["bots"]) == ("twilight_struggle", {"ussr": "easy"})
    assert told["status"] == "running"


def test_player_can_play_both_sides(hall: Served, people: Visitors) -> None:
    ann = hall.player()
    page = people.page(ann).open("/new?game=cia_vs_kgb")
    page.locator("input[value=self]").check()
    page.locator("input[name=seat][value='']").check()
    page.locator("#open").click()
    told = opened(ann, page)
    assert set(told["seats"].values()) == {ann.player}
    assert told["status"] == "running"


def test_refusal_of_the_server_is_shown_and_the_form_stays(
    hall: Served, people: Visitors, tmp_path: Path
) -> None:
    watched = people.page(hall.player())
    page = watched.open("/new?game=thirteen_minutes")
    page.locator(".options summary").click()
    file = tmp_path / "cards.json"
    file.write_text('{"cards": []}')
    page.locator("[data-option=card_set] input[type=file]").set_input_files(file)
    page.locator("#open").click()
    expect(page.locator("#outcome .wrong")).to_be_visible()
    expect(page.locator("#open")).to_be_enabled()
    watched.faults = [fault for fault in watched.faults if "422" not in fault]


def test_visitor_may_look_at_the_form_but_not_send_it(hall: Served, people: Visitors) -> None:
    page = people.page().open("/new")
    expect(page.locator("#open")).to_be_disabled()
    assert page.locator(".notice a").get_attribute("href")


@pytest.mark.parametrize("path", ["/m/nothing/sit", "/m/nothing/turns", "/s/chess", "/p/nobody"])
def test_page_of_what_is_not_there_says_so(hall: Served, path: str) -> None:
    """W14."""
    for language in ("en", "ru"):
        answer = hall.client().get(path, accept_language=language)
        assert answer.status == 404
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert b"<h1>" in answer.body
