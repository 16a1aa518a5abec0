"""The page of a match: the board, the panels and the story at any move, from any view."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from domain.games import GAMES
from replay.boards.drawing import BOARDS
from tests.api.http.served import Served
from tests.waiting import PATIENCE, soon
from tests.web.browser import NARROW, WIDE, Watched
from tests.web.signed import visitors
from tests.web.told import Told, check_panels, panel_texts

BOARD = """() => Object.fromEntries([...document.querySelectorAll(".board .space")].map((space) => [
  space.id.slice(2), Object.fromEntries([...space.attributes]
    .filter(({name}) => name.startsWith("data-") && !["data-label", "data-id"].includes(name))
    .map(({name, value}) => [name.slice(5), value]))
]).filter(([, slots]) => Object.keys(slots).length))"""


def scene(house: Served, match: str, move: int, view: str) -> Any:
    """The scene that the server makes of a move."""
    return house.client().get(f"/v1/matches/{match}/scene?at={move}&view={view}").json["scene"]


def shown(page: Page) -> dict[str, dict[str, str]]:
    """What lies on the board, as its attributes say."""
    found: dict[str, dict[str, str]] = page.evaluate(BOARD)
    return found


def as_text(board: dict[str, dict[str, object]]) -> dict[str, dict[str, str]]:
    return {id: {slot: str(value) for slot, value in slots.items()} for id, slots in board.items() if slots}


@pytest.mark.parametrize(
    "game",
    [
        "imperial_struggle",
        pytest.param("twilight_struggle", marks=pytest.mark.long),
        pytest.param("cia_vs_kgb", marks=pytest.mark.long),
    ],
)
def test_every_position_of_every_view_is_the_scene_of_the_server(
    game: str, watched: Watched, finished: dict[str, str], house: Served
) -> None:
    """W11, W14, small: after steps, jumps and changes of the view."""
    last = house.client().get(f"/v1/matches/{finished[game]}").json["move"]
    seats = GAMES[game].seats[:1] if game in BOARDS else GAMES[game].seats
    compare(watched, house, game, finished[game], (last // 2, last // 2 + 1), ("all", *seats, "spectator"))


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_fifty_positions_of_every_view_are_the_scenes_of_the_server(
    game: str, watched: Watched, finished: dict[str, str], house: Served
) -> None:
    """W11."""
    last = house.client().get(f"/v1/matches/{finished[game]}").json["move"]
    moves = Random(game).choices(range(1, last + 1), k=50)
    compare(watched, house, game, finished[game], moves, ("all", *GAMES[game].seats, "spectator"))


def compare(
    watched: Watched, house: Served, game: str, match: str, moves: Iterable[int], views: Iterable[str]
) -> None:
    """Compare the board, and the text of every panel, with the scene of the server, in these views."""
    page = watched.open(f"/m/{match}?move=3")
    for view in views:
        page.locator(f"#bar input[value={view}]").check()
        page.locator(f"#moves [data-view={view}]").first.wait_for(state="attached")
        told = Told(house.client(), match, game, view, "en")
        for move in moves:
            page.locator("#bar input[type=number]").fill(str(move))
            page.locator("#bar input[type=number]").press("Enter")
            scene = told.scene(move)
            assert shown(page) == as_text(scene["board"])
            check_panels(panel_texts(page), told, scene)
            assert f"move={move}&view={view}" in page.url
            assert page.locator("#moves [aria-current]").get_attribute("data-move") == str(move)


def test_the_page_shows_the_board_and_the_story_without_scripts(
    house: Served, finished: dict[str, str]
) -> None:
    """D6: the first view is made by the server."""
    match = finished["twilight_struggle"]
    body = house.client().get(f"/m/{match}?move=12").body.decode()
    for id, slots in scene(house, match, 12, "all")["board"].items():
        assert f'id="s-{id}"' in body
        assert all(f'data-{slot}="{value}"' in body for slot, value in slots.items())
    assert 'data-move="12"' in body


@pytest.mark.parametrize("move", ["0", "-3", "99999999999999", "nonsense", "%00", "1e9", "%D9%A3"])
def test_a_move_that_does_not_exist_leads_to_the_nearest_one(
    move: str, house: Served, finished: dict[str, str]
) -> None:
    """W14."""
    answer = house.client().get(f"/m/{finished['thirteen_minutes']}?move={move}")
    assert answer.status == 200
    state = json.loads(answer.body.decode().split('id="state">')[1].split("</script>")[0])
    assert state["move"] == (1 if move in ("0", "-3") else state["last"])


def test_a_view_that_does_not_exist_becomes_that_of_a_spectator_and_the_page_says_so(
    watched: Watched, finished: dict[str, str]
) -> None:
    """W14."""
    page = watched.open(f"/m/{finished['cia_vs_kgb']}?view=nonsense")
    assert page.locator(".notice").inner_text().startswith("You may not see the view")
    assert page.locator("#bar input:checked").get_attribute("value") == "spectator"


@pytest.mark.parametrize("game", ["cia_vs_kgb", pytest.param("imperial_struggle", marks=pytest.mark.long)])
def test_going_through_a_match_sends_no_request_and_the_second_visit_asks_for_no_static_file(
    game: str, fresh: Watched, finished: dict[str, str]
) -> None:
    """W8, W9."""
    page = fresh.open(f"/m/{finished[game]}?move=1")
    page.locator("#bar .key-mark").first.wait_for()  # the last thing that is loaded
    transferred = """() => performance.getEntriesByType("resource").filter((one) =>
      one.name.includes("/static/") && one.transferSize > 0).map((one) => one.name)"""
    assert page.evaluate(transferred) != []
    before = len(fresh.requests)
    for _ in range(40):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("End")
    page.keyboard.press("Home")
    assert fresh.requests[before:] == []
    fresh.open(f"/m/{finished[game]}?move=2")
    assert page.evaluate(transferred) == []


@pytest.fixture(scope="module")
def kept() -> dict[str, Watched]:
    """The pages that several tests share."""
    return {}


@pytest.fixture
def war(
    browser: Browser, kept: dict[str, Watched], house: Served, finished: dict[str, str]
) -> Iterator[Page]:
    """The replay of Twilight Struggle in one page for all tests that only look at it; nothing goes wrong."""
    if not kept:
        context = browser.new_context(viewport=WIDE, locale="en-GB")
        context.set_default_timeout(PATIENCE * 1_000)
        kept["war"] = Watched(context, f"http://127.0.0.1:{house.port}")
        kept["war"].open(f"/m/{finished['twilight_struggle']}?move=3")
    yield kept["war"].page
    assert kept["war"].faults == []


def at(page: Page, move: int) -> Page:
    """Go to a move."""
    number = page.locator("#bar input[type=number]")
    number.fill(str(move))
    number.press("Enter")
    expect(page.locator("#moves [aria-current]")).to_have_attribute("data-move", str(move))
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
    return page


NAMED = """() => Object.fromEntries([...document.querySelectorAll("#moves .move")].map((move) => [
  move.dataset.move, [...move.querySelectorAll(":scope > p:not(.why)")].map((line) => [line.textContent,
    ...[...line.querySelectorAll("[data-id]")].map((named) => named.dataset.id)])]))"""


def test_a_sentence_rings_what_it_names(war: Page, finished: dict[str, str], house: Served) -> None:
    """W16: every sentence marks what the server says that it names."""
    page = at(war, 12)
    path = f"/v1/matches/{finished['twilight_struggle']}/positions?view=all"
    told = {
        str(move["move"]): [
            [sentence["text"], *(mark[2] for mark in sentence.get("marks", ()))]
            for sentence in move["sentences"]
        ]
        for move in house.client().get(path).json["moves"]
    }
    assert page.evaluate(NAMED) == told
    named = page.locator("#moves .move[data-move='12'] [data-id]")
    ids = {named.nth(i).get_attribute("data-id") for i in range(named.count())}
    named.first.hover()
    wanted = named.first.get_attribute("data-id")
    ringed = page.locator(".board .space.ringed, #panels .ringed")
    assert {ringed.nth(i).get_attribute("data-id") for i in range(ringed.count())} <= {wanted}
    assert ids


def test_keys_lead_through_the_match_and_are_listed(war: Page) -> None:
    page = at(war, 5)
    number = page.locator("#bar input[type=number]")
    for key, move in (("ArrowRight", "6"), ("ArrowLeft", "5"), ("Home", "1"), ("Shift+ArrowRight", None)):
        page.keyboard.press(key)
        if move:
            assert number.input_value() == move
    page.keyboard.press("?")
    assert page.locator("dialog").is_visible()
    page.keyboard.press("Escape")
    page.locator("dialog").wait_for(state="detached")


def test_the_marks_between_two_moves_are_what_differs(
    war: Page, finished: dict[str, str], house: Served
) -> None:
    """W19: rings on the board, and the same in words."""
    match = finished["twilight_struggle"]
    page = at(war, 10)
    page.keyboard.press("d")
    page.locator("#bar input[type=number]").fill("40")
    page.locator("#bar input[type=number]").press("Enter")
    before, after = (scene(house, match, move, "all")["board"] for move in (10, 40))
    differ = sorted(id for id in {*before, *after} if before.get(id, {}) != after.get(id, {}))
    assert differ
    expect(page.locator(".board .space.changed")).to_have_count(len(differ))
    assert ids_of(page, ".board .space.changed") == differ
    assert ids_of(page, ".board-changes li") == differ
    page.keyboard.press("d")
    expect(page.locator(".board .space.changed")).to_have_count(0)


def test_a_mark_is_inside_its_track_wherever_it_stands(war: Page) -> None:
    """A score beyond the end of the track stands at its end."""
    inside = """() => [0, 50, 100].map((at) => {
      const mark = document.querySelector(".track-bar > .mark");
      const bar = mark.parentElement.getBoundingClientRect();
      mark.style.transition = "none";
      mark.style.setProperty("--at", `${at}%`);
      const { left, right } = mark.getBoundingClientRect();
      return left >= bar.left - 1 && right <= bar.right + 1;
    })"""
    assert war.evaluate(inside) == [True, True, True]


def test_a_pointer_that_stands_still_peeks_at_nothing_while_the_story_moves_under_it(
    war: Page, finished: dict[str, str], house: Served
) -> None:
    def board(move: int) -> dict[str, dict[str, str]]:
        return as_text(scene(house, finished["twilight_struggle"], move, "all")["board"])

    # Given a pointer over the story, which shows the position of its line
    page = at(war, 12)
    page.locator("#moves .move[data-move='10'] p").first.hover()
    soon(lambda: shown(page) == board(10))
    for move in (40, 60):
        # When the reader goes on, so that other lines come to be under it
        at(page, move)
        page.wait_for_timeout(400)  # twice as long as a pointer rests until its line is shown
        # Then the board shows the move to which they went
        assert shown(page) == board(move)
    # And once the pointer moves it shows a line again
    page.locator("#moves .move[data-move='58'] p").first.hover()
    soon(lambda: shown(page) == board(58))
    page.mouse.move(0, 0)


def ids_of(page: Page, selector: str) -> list[str]:
    """The ids of the things that these elements show, sorted."""
    return sorted(page.eval_on_selector_all(selector, "all => all.map(one => one.dataset.id)"))


def test_the_history_of_a_thing_lists_every_move_whose_sentences_name_it(
    watched: Watched, finished: dict[str, str], house: Served
) -> None:
    """W17."""
    match = finished["twilight_struggle"]
    told = house.client().get(f"/v1/matches/{match}/positions?view=all").json["moves"]
    naming: dict[str, set[int]] = {}
    for move in told:
        for sentence in move.get("sentences", ()):
            for _, _, id in sentence.get("marks", ()):
                naming.setdefault(id, set()).add(move["move"])
    page = watched.open(f"/m/{match}?move=3")
    space = next(id for id in naming if page.locator(f"#s-{id}").count())
    page.locator(f"#s-{space}").click()
    lines = page.locator("#moves .move:not([hidden])")
    shown = {int(lines.nth(i).get_attribute("data-move") or 0) for i in range(lines.count())}
    assert shown == naming[space]
    assert str(len(shown)) in page.locator(".story-about").inner_text()


def test_a_card_tells_its_text_under_a_pointer_and_with_the_focus(war: Page, house: Served) -> None:
    page = at(war, 12)
    words = house.client().get("/v1/games/twilight_struggle?lang=en").json["cards"]
    card, text = page.locator("#cards button.card").first, page.get_by_role("tooltip")
    said = words[card.get_attribute("data-id")]["text"]
    page.locator("#card-text").wait_for(state="attached")
    card.hover()
    expect(text).to_contain_text(said)
    page.keyboard.press("Escape")
    expect(text).to_be_hidden()
    page.keyboard.press("Tab")  # now the keyboard is in use
    card.focus()
    expect(text).to_contain_text(said)
    assert card.get_attribute("aria-describedby") == "card-text"


def test_without_spoilers_the_page_holds_neither_the_end_nor_the_length(
    watched: Watched, finished: dict[str, str], house: Served
) -> None:
    """W21."""
    match = finished["thirteen_minutes"]
    last = house.client().get(f"/v1/matches/{match}").json["move"]
    body = house.client().get(f"/m/{match}?spoiler=off").body.decode()
    page = watched.open(f"/m/{match}?spoiler=off&move=1")
    for text in (body, page.content()):
        assert f'"last":{last}' not in text
        assert f"of {last}" not in text
        assert "over:" not in text
        assert f'data-move="{last}"' not in text
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    assert page.locator("#moves .move").count() == 6
    page.wait_for_load_state("networkidle")  # the key moments are there
    for _ in range(5):
        page.keyboard.press("]")
    page.locator("#share").click()
    assert page.locator("#moves .move").count() == 6
    links = page.eval_on_selector_all(
        "main a, dialog input", "all => all.map((one) => one.href ?? one.value)"
    )
    links += page.eval_on_selector_all("noscript", "all => all.map((one) => one.textContent)")
    inside = [link for link in links if f"/m/{match}" in link and "/file" not in link]
    assert len(inside) > 6
    assert [link for link in inside if "spoiler=off" not in link] == []
    page.keyboard.press("Escape")
    assert page.locator("#bar input[type=range]").get_attribute("max") == "6"
    for _ in range(last):
        page.keyboard.press("ArrowRight")
    page.locator(".state", has_text="over").wait_for()
    assert "spoiler" not in page.url


def test_charts_have_a_point_for_each_move_that_changes_a_track_and_a_table_with_the_same_numbers(
    war: Page, finished: dict[str, str], house: Served
) -> None:
    """W22."""
    match = finished["twilight_struggle"]
    last = house.client().get(f"/v1/matches/{match}").json["move"]
    page = war
    page.locator("#charts > summary").click()
    page.locator(".chart[data-track=vp]").wait_for()
    at = [scene(house, match, move, "all")["panels"]["vp"]["at"]["vp"] for move in range(1, last + 1)]
    changes = [1, *(move for move in range(2, last + 1) if at[move - 1] != at[move - 2])]
    chart = page.locator(".chart[data-track=vp]")
    points = chart.locator(".point")
    assert [int(points.nth(i).get_attribute("data-move") or 0) for i in range(points.count())] == changes
    rows = chart.locator("tbody tr").evaluate_all(
        "all => all.map(row => Number(row.lastElementChild.textContent))"
    )
    assert rows == [at[move - 1] for move in changes]
    # and the arrow keys go from point to point, not from move to move, until Enter leads to one
    begun = page.url
    points.first.focus()
    page.keyboard.press("ArrowRight")
    expect(points.nth(1)).to_be_focused()
    assert page.url == begun
    page.keyboard.press("Enter")
    page.wait_for_url(f"**move={changes[1]}*")
    expect(points.nth(1)).to_be_focused()


@pytest.mark.parametrize("game", sorted(BOARDS))
def test_no_text_on_the_whole_board_is_too_small_to_be_read(
    game: str, war: Page, watched: Watched, finished: dict[str, str]
) -> None:
    """At 1280 wide; where a name had less than 9 pixels, a short one stands, and each space has one."""
    page = war if game == "twilight_struggle" else watched.open(f"/m/{finished[game]}?move=20")
    least, spaces, named = page.evaluate(TEXTS_IN_SIGHT)
    assert least >= 8.95
    assert named == spaces > 80
    page.locator("#board-tools .regions button").first.click()  # and one click away stand the whole names
    assert page.locator(".board .space .short").first.is_hidden()
    assert page.evaluate(TEXTS_IN_SIGHT)[0] >= 8.95
    page.keyboard.press("0")
    assert page.locator(".board .space .short").first.is_visible()


TEXTS_IN_SIGHT = """() => {
  const svg = document.querySelector("svg.board"), spaces = [...svg.querySelectorAll(".space")];
  const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  const shown = (within) => [...within.querySelectorAll("text")]
    .filter((text) => text.textContent && text.checkVisibility());
  const named = spaces.filter((space) => shown(space).some((text) => text.matches(".title, .name, .short")));
  return [scale * Math.min(...shown(svg).map((text) => parseFloat(getComputedStyle(text).fontSize))),
    spaces.length, named.length];
}"""


def test_the_board_in_words_says_what_the_drawing_shows_and_stays_chosen(
    watched: Watched, finished: dict[str, str]
) -> None:
    """W34: a row for each space, and on the next page as well."""
    match = finished["imperial_struggle"]
    page = watched.open(f"/m/{match}?move=60")
    labels = page.eval_on_selector_all(
        ".board .space", "all => all.map(one => one.getAttribute('aria-label'))"
    )
    page.keyboard.press("t")
    for _ in range(2):
        page.locator(".board-table").wait_for()
        assert not page.locator("svg.board").is_visible()
        rows = page.locator(".board-table tbody tr:has(td)").evaluate_all(
            "all => all.map(row => [row.cells[0].innerText, row.cells[1].innerText])"
        )
        said = {(label.rpartition("; ")[0], label.rpartition("; ")[2]) for label in labels}
        assert {
            (about.rpartition(" (")[0] if about not in dict(said) else about, lies) for about, lies in rows
        } == said
        watched.open(f"/m/{match}?move=60")
    page.keyboard.press("t")
    page.locator(".board-table").wait_for(state="detached")
    assert page.locator("svg.board").is_visible()


def test_key_moments_are_few_the_same_on_every_load_and_each_has_a_reason(
    watched: Watched, finished: dict[str, str]
) -> None:
    """W18."""
    address = f"/m/{finished['twilight_struggle']}?move=1"
    seen: list[list[tuple[int, str]]] = []
    for _ in range(2):
        page = watched.open(address)
        page.locator("#bar .key-mark").first.wait_for()
        marks = page.locator("#bar .key-mark")
        seen.append(
            [
                (int(mark.get_attribute("data-move") or 0), mark.get_attribute("title") or "")
                for mark in marks.all()
            ]
        )
    assert seen[0] == seen[1]
    assert 0 < len(seen[0]) <= 12
    assert all(why for _, why in seen[0])
    visited = []
    for move, _ in seen[0]:
        page.keyboard.press("]")
        visited.append(int(page.locator("#bar input[type=number]").input_value()))
        assert page.locator(f"#moves [data-move='{move}'] .why").is_visible()
    assert visited == [move for move, _ in seen[0]]


def test_moves_that_were_taken_back_are_hatched_skipped_and_within_reach(
    watched: Watched, house: Served
) -> None:
    """W20."""
    match, (one, other) = house.table("thirteen_minutes")
    prompt = one.get(f"/v1/matches/{match}/prompt").json
    picks = [prompt["options"][0]["pick"]]
    move = one.post(f"/v1/matches/{match}/moves", {"expect": prompt["move"], "picks": picks}).json["move"]
    asked = one.post(f"/v1/matches/{match}/takebacks", {}).json["move"]
    assert other.post(f"/v1/matches/{match}/takebacks/{asked}/answer", {"agree": True}).status == 201
    page = watched.open(f"/m/{match}?move={move - 1}")
    line = page.locator(f"#moves [data-move='{move}']")
    assert "taken-back" in (line.get_attribute("class") or "")
    told = one.get(f"/v1/matches/{match}/positions?view=spectator").json["moves"]
    gone = [each["move"] for each in told if not each["stands"]]
    assert move in gone
    assert page.locator("#bar .taken-mark").count() == len(gone)
    page.locator("#bar select").select_option("8")
    page.locator("#bar .play").click()
    page.locator(f"#moves [aria-current][data-move='{told[-1]['move']}']").wait_for()
    line.locator("a.number").click()
    assert page.locator("#bar input[type=number]").input_value() == str(move)


@pytest.mark.parametrize(
    "game",
    ["imperial_struggle"]
    + [pytest.param(game, marks=pytest.mark.long) for game in GAMES if game != "imperial_struggle"],
)
def test_a_phone_shows_everything_without_going_sideways(
    game: str, browser: Browser, house: Served, finished: dict[str, str]
) -> None:
    """W33: no page scrolls sideways, every control is large enough, every space can be picked in a region."""
    context = browser.new_context(viewport=NARROW, has_touch=True, is_mobile=True)
    watched = Watched(context, f"http://127.0.0.1:{house.port}")
    page = watched.open(f"/m/{finished[game]}?move=20")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate(SMALL) == []
    reached: set[str] = set()
    part, views = page.get_by_role("button", name="Next part"), set[str]()
    while part.count():
        part.click()
        view = page.locator("svg.board").get_attribute("viewBox") or ""
        if view in views:
            break
        views.add(view)
        assert page.evaluate(LEAST) >= 8.95, view  # pixels of the smallest text that is in sight
        reached |= set(page.evaluate(PICKED))
    assert reached == set(page.eval_on_selector_all(".board .space", "all => all.map(one => one.dataset.id)"))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert watched.faults == []
    context.close()


@pytest.mark.parametrize("game", ["twilight_struggle", pytest.param("cia_vs_kgb", marks=pytest.mark.long)])
def test_a_phone_shows_one_part_of_the_replay_at_a_time(
    game: str, browser: Browser, house: Served, finished: dict[str, str]
) -> None:
    """6.5: the board and the bar of two rows stay, below them are the story, the charts or the hands."""
    with visitors(browser, house) as people:
        page = people.page(size=NARROW).open(f"/m/{finished[game]}?move=20")
        shown = {"story": "#moves", "charts": "#charts .chart", "cards": "#cards .panel"}
        bar = page.locator("#bar").bounding_box()
        assert bar is not None
        assert bar["height"] < 2 * 44 + 24
        page.get_by_role("tab", name="Story").focus()
        for tab in shown:
            assert page.locator("[role=tab][aria-selected=true]").get_attribute("data-tab") == tab
            for other, what in shown.items():
                expect(page.locator(what).first).to_be_visible(visible=other == tab)
            assert page.locator("#bar").bounding_box() == bar
            page.keyboard.press("ArrowRight")
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
        assert page.evaluate("document.documentElement.scrollHeight") <= NARROW["height"]


SMALL = """() => [...document.querySelectorAll("button, select, input, a, summary")]
  .filter((one) => one.checkVisibility() && !one.closest(".moves, .turn-marks, .skip, label"))
  .filter((one) => !one.matches(".skip, input[type=range]"))
  .map((one) => [one.outerHTML.slice(0, 80), one.getBoundingClientRect()])
  .filter(([, box]) => box.width && (box.width < 43.5 || box.height < 43.5)).map(([text]) => text)"""
LEAST = """() => {
  const svg = document.querySelector("svg.board");
  const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  return scale * Math.min(...[...svg.querySelectorAll("text")]
    .filter((text) => text.textContent && text.checkVisibility())
    .map((text) => parseFloat(getComputedStyle(text).fontSize)));
}"""
PICKED = """() => {
  const frame = document.querySelector("#board"), svg = frame.querySelector("svg"), found = [];
  const [x, y, w, h] = svg.getAttribute("viewBox").split(" ").map(Number);
  for (const space of svg.querySelectorAll(".space")) {
    const { e, f } = space.transform.baseVal.consolidate().matrix, box = space.getBoundingClientRect();
    if (e < x || e > x + w || f < y || f > y + h) continue;
    if (Math.max(box.width, box.height) >= 43.5) found.push(space.dataset.id);
  }
  return found;
}"""


def test_branch_is_opened_from_the_replay_page_and_leads_to_sitting_down(
    browser: Browser, finished: dict[str, str], house: Served
) -> None:
    """A12: "What if from here" opens a match that goes on from the move on show."""
    parent, ann = finished["cia_vs_kgb"], house.player()
    with visitors(browser, house) as people:
        # When a player opens a branch from move 20 of a match that is over
        watched = people.page(ann)
        page = watched.open(f"/m/{parent}?move=20")
        page.click("#branch")
        page.click("dialog.branch .primary")
        page.wait_for_url("**/sit")
        watched.be_ready()
        match = page.url.split("/")[-2]
        # Then they can sit down, and let a bot play the other seat
        page.click("#sit")
        page.wait_for_url(f"**/m/{match}*")
        other = next(seat for seat, name in ann.get(f"/v1/matches/{match}").json["seats"].items() if not name)
        assert ann.post(f"/v1/matches/{match}/seats/{other}", {"bot": "random"}).status == 201
        # And the page of the branch leads back to that move
        page = watched.open(f"/m/{match}")
        bar = page.locator("#branch-of a")
        assert parent in bar.inner_text()
        assert bar.get_attribute("href") == f"/m/{parent}?move=20"
        # And the page of its parent names it
        page = watched.open(f"/m/{parent}?move=20")
        page.click("#branch")
        page.locator(f".branches a[href='/m/{match}']").wait_for()


def test_visitor_who_wants_a_branch_is_asked_to_sign_in(
    watched: Watched, finished: dict[str, str], house: Served
) -> None:
    """A12."""
    page = watched.open(f"/m/{finished['cia_vs_kgb']}?move=20")
    page.click("#branch")
    page.click("dialog.branch .primary")
    page.wait_for_url("**/in?next=**")
    watched.faults = [fault for fault in watched.faults if "401" not in fault]
