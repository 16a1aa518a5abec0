"""The first page: every match stands where the lobby says, and the page follows what changes."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute, expect

from api.http.lobby import Lobbies
from tests.api.http.playing import played
from tests.api.http.served import Client, Served, served
from tests.waiting import soon
from tests.web.axe import violations
from tests.web.browser import NARROW, WIDE
from tests.web.matches import bots_match
from tests.web.signed import Visitors, visitors

HTML = {"accept": "text/html"}
GROUPS = ("mine", "theirs", "open", "over", "seats", "live", "finished")


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Served]:
    """A server over an empty store."""
    with served(tmp_path) as running:
        yield running


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server for tests that may find the matches of others."""
    with served(tmp_path_factory.mktemp("filled")) as running:
        yield running


@pytest.fixture(scope="module")
def seated(filled: Served) -> list[Client]:
    """Three players there with matches in every list."""
    return list(several(filled))


@pytest.fixture
def three(filled: Served, seated: list[Client]) -> list[Client]:
    """These three, each on a new connection: one that says nothing for long is closed."""
    return [filled.client(one.token, one.player) for one in seated]


@pytest.fixture
def people(browser: Browser, filled: Served) -> Iterator[Visitors]:
    with visitors(browser, filled) as found:
        yield found


@pytest.fixture
def strangers(browser: Browser, hall: Served) -> Iterator[Visitors]:
    """Pages of the server over an empty store."""
    with visitors(browser, hall) as found:
        yield found


def match(first: Client, second: Client | None, game: str = "cia_vs_kgb", **body: Any) -> str:
    """A match of these two, or with a free seat."""
    told = first.post("/v1/matches", {"game": game, **body}).json
    for seat, player in zip(told["seats"], (first, second), strict=True):
        if player is not None:
            assert player.post(f"/v1/matches/{told['match']}/seats/{seat}").status == 201
    return str(told["match"])


def listed(html: str) -> dict[str, set[str]]:
    """The matches in each list of the page."""
    parts = re.split(r'<section class="group group-(\w+)"', html)[1:]
    return {
        group: set(re.findall(r'data-match="(\w+)"', content))
        for group, content in zip(parts[::2], parts[1::2], strict=True)
    }


def group_of(page: Page, name: str) -> str | None:
    """The list of the page in which a match stands."""
    found: str | None = page.evaluate(
        "name => document.querySelector(`[data-match='${name}']`)?.closest('.group')?.className ?? null", name
    )
    return found


def several(hall: Served) -> tuple[Client, Client, Client]:
    """Three players with matches in every list."""
    ann, ben, eve = (hall.player(name) for name in ("Ann", "Ben", "Eve"))
    for first, second in ((ann, ben), (ben, ann), (ben, eve), (ann, None), (ben, None)):
        match(first, second)
    match(ann, None, reserved={"kgb": {"invitation": True}})
    match(ann, None, reserved={"kgb": {"player": eve.player}})
    over = match(ann, ben)
    played(over, [ann, ben], random.Random(1))
    assert ann.post(f"/v1/matches/{over}/resignation").status == 201
    return ann, ben, eve


def test_page_without_scripts_lists_each_match_where_the_lobby_says(
    filled: Served, three: list[Client]
) -> None:
    for client in (*three, filled.client()):
        answer = client.get("/", **HTML)
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        told = client.get("/v1/lobby").json
        wanted = {group: {row["match"] for row in told[group]} for group in GROUPS if told[group]}
        assert {group: found for group, found in listed(answer.body.decode()).items() if found} == wanted


def test_reserved_seat_is_offered_to_its_player_alone(filled: Served, three: list[Client]) -> None:
    ann, _, eve = three
    reserved = {row["match"] for row in eve.get("/v1/lobby").json["seats"]}
    everybody = {row["match"] for row in filled.client().get("/v1/lobby").json["seats"]}
    (own,) = reserved - everybody
    assert own in eve.get("/", **HTML).body.decode()
    assert own in ann.get("/", **HTML).body.decode()
    for other in (filled.client(), filled.player("Zoe")):
        assert own not in other.get("/", **HTML).body.decode()


def test_client_that_does_not_ask_for_html_is_led_to_the_documentation(filled: Served) -> None:
    for headers in ({}, {"accept": "*/*"}, {"accept": "application/json"}):
        answer = filled.client().get("/", **headers)
        assert (answer.status, answer.headers["location"]) == (307, "/docs")
        assert "accept" in answer.headers["vary"]


def test_filter_by_game_is_an_address(filled: Served) -> None:
    ann, ben = filled.player(), filled.player("Ben")
    one, other = match(ann, ben), match(ann, ben, "thirteen_minutes")
    body = ann.get("/?game=cia_vs_kgb", **HTML).body.decode()
    assert one in body
    assert other not in body
    assert other in ann.get("/?game=chess", **HTML).body.decode()


def test_page_of_a_player_is_never_kept_and_that_of_visitors_must_be_asked_for_again(filled: Served) -> None:
    ann = filled.player()
    assert ann.get("/", **HTML).headers["cache-control"] == "no-store"
    public = filled.client().get("/", **HTML)
    assert public.headers["cache-control"] == "public, no-cache"
    assert {"cookie", "authorization", "accept-language"} <= set(
        public.headers["vary"].replace(" ", "").split(",")
    )


def test_match_moves_to_my_move_when_the_other_player_has_answered(filled: Served, people: Visitors) -> None:
    ann, ben = filled.player(), filled.player("Ben")
    name = match(ann, ben, "twilight_struggle")  # the second seat places its influence first
    page = people.page(ann).open("/")
    assert page.title() == "Glasnost"
    assert group_of(page, name) == "group group-theirs"
    source = random.Random(4)
    while not ann.get("/v1/lobby").json["mine"]:
        played(name, [ben], source)
    expect(page.locator(f".group-mine [data-match={name}]")).to_be_visible()
    expect(page).to_have_title("(1) Glasnost")
    expect(page.locator("#live")).to_have_text(re.compile("Your move: "))
    page.locator(f".group-mine [data-match={name}] .button").click()
    page.wait_for_url(f"**/m/{name}*")


def test_visitor_sees_a_new_open_seat_without_reloading(hall: Served, strangers: Visitors) -> None:
    visitor = strangers.page(fresh=True)
    visitor.page.add_init_script("Math.random = () => 0")  # visitors ask at different times; this one at once
    page = visitor.open("/")
    expect(page.locator(".group-seats .empty")).to_be_visible()
    ann = hall.player()
    name = match(ann, None)
    expect(page.locator(f".group-seats [data-match={name}]")).to_be_visible()
    hall.player("Ben").post(f"/v1/matches/{name}/seats/kgb")
    expect(page.locator(f".group-live [data-match={name}]")).to_be_visible()


def test_seat_that_is_opened_before_the_page_listens_is_seen(hall: Served, strangers: Visitors) -> None:
    # Given a page whose socket opens only after a match was opened
    visitor, opened = strangers.page(fresh=True), list[str]()
    visitor.page.add_init_script("Math.random = () => 0")

    def late(socket: WebSocketRoute) -> None:
        if not opened:
            opened.append(match(hall.player(), None))
        socket.connect_to_server()

    visitor.page.route_web_socket("**/v1/socket", late)
    # When it has listened
    page = visitor.open("/")
    # Then it shows the seat
    soon(lambda: opened)
    expect(page.locator(f".group-seats [data-match={opened[0]}]")).to_be_visible()


def test_name_of_a_player_is_text_wherever_it_stands(filled: Served, people: Visitors) -> None:
    """W2."""
    eve = filled.player("<img src=x onerror=alert(1)>")
    name = match(eve, None)
    page = people.page().open("/")
    assert "<img src=x" in page.locator(f"[data-match={name}] .sitters").inner_text()
    assert page.locator(f"[data-match={name}] img").count() == 0


def test_longest_waiting_match_is_one_touch_away_on_a_phone(three: list[Client], people: Visitors) -> None:
    ann, _, _ = three
    page = people.page(ann, size=NARROW).open("/")
    first = ann.get("/v1/lobby").json["mine"][0]["match"]
    button = page.locator(".next-question a")
    box = button.bounding_box()
    assert box is not None
    assert box["height"] >= 44
    assert box["y"] + box["height"] <= NARROW["height"]
    assert button.get_attribute("href") == f"/m/{first}"


@pytest.mark.parametrize(
    ("size", "locale", "dark"),
    [
        (NARROW, "ru-RU", True),
        pytest.param(WIDE, "en-GB", False, marks=pytest.mark.long),
        pytest.param(NARROW, "en-GB", False, marks=pytest.mark.long),
    ],
)
def test_pages_of_lists_are_accessible_and_do_not_scroll_sideways(
    three: list[Client], people: Visitors, size: Any, locale: str, dark: bool
) -> None:
    """W3, W33."""
    ann, ben, _ = three
    over = ann.get("/v1/lobby").json["over"][0]["match"]
    open_match = ann.get("/v1/lobby").json["open"][0]["match"]
    taken = ben.get("/v1/lobby").json["seats"][0]["match"]
    watched = people.page(ann, size=size, locale=locale, dark=dark)
    paths = [
        *("/", "/new", f"/m/{open_match}/sit", f"/m/{over}/turns"),
        *("/s/cia_vs_kgb", f"/p/{ann.player}"),
    ]
    looked = paths[:3]  # by axe; the proof that takes longer has them all
    for path in paths:
        page = watched.open(path)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= size["width"], path
        if path in looked or size == WIDE or locale != "ru-RU":
            assert violations(page) == [], path
        small = page.eval_on_selector_all(
            "main :is(button, a.button, select, .choice, input[type=text], input[type=search])",
            """all => all.filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 44)
              .map((one) => one.outerHTML.slice(0, 80))""",
        )
        assert small == [], path
    assert people.page(ben, size=size, locale=locale, dark=dark).open(f"/m/{taken}/sit").url


def test_match_that_is_over_shows_its_heaviest_key_moment_before_the_end(
    hall: Served, strangers: Visitors
) -> None:
    """6.1: the moment is one of those of the turns, and its link leads to the move."""
    over = bots_match(hall, "cia_vs_kgb", 100)
    told = hall.client().get(f"/v1/matches/{over}/turns?limit=1").json["moments"]
    last = hall.client().get(f"/v1/matches/{over}").json["move"]
    heaviest = max((one for one in told if one["move"] < last), key=lambda one: one["weight"])
    soon(lambda: over in listed(hall.client().get("/", **HTML).body.decode()).get("finished", ()))
    page = strangers.page().open("/")
    link = page.locator(f"[data-match={over}] .highlight a")
    expect(link).to_contain_text(f"Move {heaviest['move']}: {heaviest['why'][0]}")
    assert link.get_attribute("href") == f"/m/{over}?move={heaviest['move']}"
    shown = strangers.page(locale="ru").open("/").locator(f"[data-match={over}] .highlight a")
    expect(shown).to_contain_text(f"Ход {heaviest['move']}: ")


def test_page_works_out_few_key_moments_at_a_time(hall: Served) -> None:
    """A page never waits for many matches to be read: the others have theirs the next time."""
    over = {bots_match(hall, "thirteen_minutes", seed=seed) for seed in range(1, 5)}
    soon(lambda: listed(hall.client().get("/", **HTML).body.decode()).get("finished") == over)
    assert hall.services is not None
    hall.services.lobbies = Lobbies(hall.gate, hall.store, hall.models)  # it knows none yet
    pages = [hall.client().get("/", **HTML).body.decode() for _ in range(2)]
    assert [page.count('class="highlight"') for page in pages] == [3, 4]


def test_running_matches_on_a_board_show_it_as_a_spectator_sees_it(filled: Served, people: Visitors) -> None:
    """The picture is drawn once for a position, fetched when it comes into sight, and has no text."""
    ann, ben = filled.player("Ann"), filled.player("Ben")
    name = match(ann, ben, "twilight_struggle")
    told = ann.get(f"/v1/matches/{name}").json
    page = people.page(ann).open("/")
    picture = page.locator(f"[data-match={name}] .small-board img")
    address = picture.get_attribute("src") or ""
    assert address == f"/m/{name}/board.svg?move={told['move']}"
    assert picture.get_attribute("loading") == "lazy"
    soon(lambda: picture.evaluate("one => one.complete && one.naturalWidth > 0"))
    assert page.locator(f"[data-match={match(ann, ben)}] .small-board").count() == 0
    mine, visitors_own = (client.get(address) for client in (ann, filled.client()))
    assert mine.body == visitors_own.body
    assert (mine.headers["content-type"], b"<text" in mine.body) == ("image/svg+xml", False)
    scene = filled.client().get(f"/v1/matches/{name}/scene?view=spectator").json["scene"]["board"]
    for slots in scene.values():
        assert " ".join(f'data-{slot}="{value}"' for slot, value in slots.items()).encode() in mine.body
    again = ann.get(address, if_none_match=mine.headers["etag"])
    assert (again.status, again.body) == (304, b"")


def test_a_page_shows_few_boards_and_what_has_none_says_so(filled: Served) -> None:
    ann, ben = filled.player("Ann"), filled.player("Ben")
    names = [match(ann, ben, "twilight_struggle") for _ in range(14)]
    assert ann.get("/", **HTML).body.count(b'class="small-board"') == 12
    for move in ("0", "-1", "9" * 40, "x"):
        assert ann.get(f"/m/{names[0]}/board.svg?move={move}").status == 200
    assert ann.get(f"/m/{match(ann, ben)}/board.svg").status == 406
    assert ann.get("/m/none/board.svg").status == 404
