"""Boards as drawn: each space once, nothing over anything else, every slot where clients look for it."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page

from domain.imperial_struggle.components import BOARD as SPACES_OF_IS
from domain.match import Match
from domain.texts import LANGUAGES
from domain.twilight_struggle.components import CIVIL_WAR, MAP, SPACES
from replay.boards.board import Board
from replay.boards.drawing import (
    BOARDS,
    HEIGHT,
    SMALLEST,
    WIDTH,
    condensed,
    draw,
    introduced,
    size_class,
    svg,
    width_of,
)
from replay.scenes.positions import scene_at
from replay.scenes.vocabulary import Scene
from replay.words import Words
from tests.matches import Sitting
from tests.replay.scenes.matches import late_war, viewers, whole

SVG = "{http://www.w3.org/2000/svg}"
MATCHES = [*BOARDS, "late war"]


def match_of(name: str) -> Match:
    return late_war() if name == "late war" else whole(name)


def board_of(match: Match) -> Board:
    return BOARDS[match.game.name](match.opened.options)


def drawn(match: Match, scene: Scene, language: str = "en") -> ElementTree.Element:
    """The drawing, parsed."""
    return ElementTree.fromstring(draw(board_of(match), scene, Words(match, language)))


def spaces(root: ElementTree.Element) -> dict[str, ElementTree.Element]:
    """The groups of the spaces by their ids."""
    groups = [element for element in root.iter(f"{SVG}g") if "space" in element.get("class", "").split()]
    found = {element.get("id", "").removeprefix("s-"): element for element in groups}
    assert len(found) == len(groups), "a space is drawn twice"
    return found


@pytest.mark.parametrize("game", BOARDS)
def test_each_space_of_the_game_is_drawn_once(game: str) -> None:
    match = whole(game)
    found = spaces(drawn(match, scene_at(match, match.move, None)))
    assert set(found) == set(match.game.ids["country" if game == "twilight_struggle" else "space"])


def test_the_box_of_the_chinese_civil_war_is_drawn_where_it_is_played() -> None:
    game = whole("twilight_struggle").game
    match = Sitting(game, options={CIVIL_WAR: True}).seat_all().match
    assert set(spaces(drawn(match, scene_at(match, match.move, None)))) == set(SPACES)


@pytest.mark.parametrize("name", MATCHES)
def test_every_slot_of_a_scene_is_drawn_and_no_other(name: str) -> None:
    match = match_of(name)
    for move in range(1, match.move + 1, 40):
        scene = scene_at(match, move, None)
        for id, group in spaces(drawn(match, scene)).items():
            data = {key[5:]: value for key, value in group.attrib.items() if key.startswith("data-")}
            del data["label"]  # what is printed on the space, in words
            slots = scene.board.get(id, {})
            assert data == {slot: str(value) for slot, value in slots.items()}
            for text in group.iter(f"{SVG}text"):
                slot = text.get("data-slot")
                if slot:
                    value = str(slots.get(slot, ""))
                    assert (text.text or "") == {"br": "B", "fr": "F"}.get(value, value)


@pytest.mark.parametrize("name", MATCHES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_position_can_be_drawn_for_every_viewer(name: str, language: str) -> None:
    match = match_of(name)
    for viewer in viewers(match):
        for move in range(1, match.move + 1, 60):
            picture = svg(match, move, viewer, Words(match, language))
            assert picture is not None
            root = ElementTree.fromstring(picture)
            for element in root.iter():
                assert "style" not in element.attrib
                assert not [name for name in element.attrib if name.startswith("on")]
            assert len({id for e in root.iter() if (id := e.get("id"))}) == sum(
                1 for e in root.iter() if e.get("id")
            )
            for group in spaces(root).values():
                assert (group.get("role"), bool(group.get("aria-label"))) == ("img", True)


def test_a_space_says_in_words_what_it_shows() -> None:
    match = whole("twilight_struggle")
    scene = Scene({"iran": {"us": 2, "ussr": 1, "by": "us"}}, {}, ())
    for language, label in (
        ("en", "Iran, stability 2, battleground; US 2, USSR 1, control US"),
        ("ru", "Иран, стабильность 2, ключевая страна; США 2, СССР 1, контроль США"),
    ):
        found = spaces(drawn(match, scene, language))
        assert found["iran"].get("aria-label") == label
    assert found["iraq"].get("aria-label") == "Ирак, стабильность 3, ключевая страна; пусто"


@pytest.mark.parametrize("game", BOARDS)
def test_what_is_printed_on_a_space_has_russian_words(game: str) -> None:
    match = whole(game)
    words = Words(match, "ru")
    said = {introduced(space, words) for space in BOARDS[game](match.opened.options).spaces}
    assert not [text for text in said if re.search("[A-Za-z]{2}", text)]


def _box(board: Board, id: str) -> tuple[int, int]:
    spot = next(space.spot for space in board.spaces if space.spot.id == id)
    return spot.x, spot.y


def test_no_two_boxes_of_the_map_overlap() -> None:
    board = BOARDS["twilight_struggle"]({CIVIL_WAR: True})
    for one, two in combinations(board.spaces, 2):
        apart = abs(one.spot.x - two.spot.x) >= WIDTH + 4 or abs(one.spot.y - two.spot.y) >= HEIGHT + 4
        assert apart, (one.spot.id, two.spot.id)
    for space in board.spaces:
        assert WIDTH / 2 <= space.spot.x <= board.layout.width - WIDTH / 2
        assert HEIGHT / 2 <= space.spot.y <= board.layout.height - HEIGHT / 2


def test_the_map_has_a_line_for_each_border_and_no_other() -> None:
    routes = BOARDS["twilight_struggle"]({CIVIL_WAR: True}).layout.lines
    found = Counter(frozenset((route.a, route.b)) for route in routes)
    borders = {frozenset((id, other)) for id, space in MAP.items() for other in space.neighbours}
    beside = {frozenset((id, space.superpower)) for id, space in SPACES.items() if space.superpower}
    assert set(found) == borders | beside
    assert [tuple(pair) for pair, count in found.items() if count > 1] in (
        [("japan", "us")],
        [("us", "japan")],
    ), "its line leaves the map on both sides"


def test_no_two_spaces_of_imperial_struggle_are_nearer_than_their_shapes_and_names_need() -> None:
    board = BOARDS["imperial_struggle"]({})
    for one, two in combinations(board.spaces, 2):
        apart = abs(one.spot.x - two.spot.x) >= 92 or abs(one.spot.y - two.spot.y) >= 80
        assert apart, (one.spot.id, two.spot.id)


def test_imperial_struggle_has_a_line_for_each_connection_and_each_route() -> None:
    found = {frozenset((route.a, route.b)) for route in BOARDS["imperial_struggle"]({}).layout.lines}
    lines = {frozenset((id, other)) for id, space in SPACES_OF_IS.items() for other in space.lines}
    routes = {frozenset((id, other)) for id, space in SPACES_OF_IS.items() for other in space.routes}
    assert found == lines | routes


def test_every_region_view_of_imperial_struggle_holds_its_spaces() -> None:
    board = BOARDS["imperial_struggle"]({})
    views = {area.id: area.view for area in board.layout.regions}
    for space in board.spaces:
        x, y, width, height = views[SPACES_OF_IS[space.spot.id].region]
        assert x <= space.spot.x - 46 < space.spot.x + 46 <= x + width
        assert y <= space.spot.y - 40 < space.spot.y + 40 <= y + height


def test_every_region_view_holds_its_countries() -> None:
    board = BOARDS["twilight_struggle"]({})
    for area in board.layout.regions:
        x, y, width, height = area.view
        for id, space in MAP.items():
            if space.region == area.id and id != "canada":
                at_x, at_y = _box(board, id)
                assert x <= at_x - WIDTH / 2 < at_x + WIDTH / 2 <= x + width, (area.id, id)
                assert y <= at_y - HEIGHT / 2 < at_y + HEIGHT / 2 <= y + height, (area.id, id)


@pytest.mark.parametrize("game", BOARDS)
def test_the_parts_of_a_region_show_all_its_spaces_on_a_phone(game: str) -> None:
    """W33: 374 pixels are the board of a phone, 9 the smallest text that can be read."""
    board = BOARDS[game]({})
    for area in board.layout.regions:
        x, y, width, height = area.view
        inside = [
            one.spot for one in board.spaces if x <= one.spot.x <= x + width and y <= one.spot.y <= y + height
        ]
        parts = area.parts or (area.view,)
        assert all(374 / part[2] * SMALLEST >= 9 for part in parts), area.id
        below = 26 if game == "twilight_struggle" else 40
        for spot in inside:
            assert any(
                left <= spot.x - 41
                and spot.x + 41 <= left + w
                and top <= spot.y - 26
                and spot.y + below <= top + h
                for left, top, w, h in parts
            ), (area.id, spot.id)


@pytest.mark.parametrize("game", BOARDS)
def test_every_land_has_a_coast_around_its_spaces(game: str) -> None:
    """The coasts are layout data, so a space that moves needs new ones: `python ops/coasts.py`."""
    board = BOARDS[game]({})
    assert board.layout.coasts.keys() == board.lands.keys()
    for land, coast in board.layout.coasts.items():
        rings = [points_of(ring) for ring in coast.split("z") if ring]
        for x, y in board.lands[land]:
            assert sum(is_inside(x, y, ring) for ring in rings) % 2 == 1, (land, x, y)


def points_of(ring: str) -> list[tuple[int, int]]:
    """The middles through which a coast runs."""
    begin, *curves = ring.removeprefix("M").split("q")
    x, y = map(int, re.findall(r"-?\d+", begin))
    points = [(x, y)]
    for curve in curves:
        _, _, dx, dy = map(int, re.findall(r"-?\d+", curve))
        x, y = x + dx, y + dy
        points.append((x, y))
    return points


def is_inside(x: int, y: int, ring: list[tuple[int, int]]) -> bool:
    """Is a place inside a closed ring of points?"""
    found = False
    for (ax, ay), (bx, by) in zip(ring, (*ring[1:], ring[0]), strict=True):
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            found = not found
    return found


def test_a_game_without_a_board_has_no_picture() -> None:
    match = whole("thirteen_minutes")
    assert svg(match, 1, None, Words(match, "en")) is None


def test_a_name_gets_the_largest_size_that_fits() -> None:
    assert size_class("Iran", 60) == "t13"
    assert size_class("M" * 40, 60) == "t11"
    assert not condensed("Iran", 60)
    assert 'textLength="60"' in condensed("M" * 40, 60)
    assert width_of("MM") > width_of("ii")


# ── in a browser ──


OUTSIDE = """() => {
  const outside = [];
  for (const space of document.querySelectorAll(".space")) {
    const body = space.querySelector(".body").getBBox();
    const texts = [...space.querySelectorAll(":scope > text:not(.name)")].filter(text => text.textContent);
    const boxes = texts.map(text => text.getBBox());
    boxes.forEach((box, i) => {
      const over = Math.max(body.x - box.x, box.x + box.width - body.x - body.width,
                            body.y - box.y, box.y + box.height - body.y - body.height);
      if (over > 0.5) outside.push(`${space.id} ${texts[i].textContent} leaves its box by ${over}`);
      boxes.slice(i + 1).forEach((other, j) => {
        const wide = Math.min(box.x + box.width, other.x + other.width) - Math.max(box.x, other.x);
        const high = Math.min(box.y + box.height, other.y + other.height) - Math.max(box.y, other.y);
        if (wide > 0.5 && high > 6)
          outside.push(`${space.id} ${texts[i].textContent} over ${texts[i + j + 1].textContent}`);
      });
    });
  }
  const named = [...document.querySelectorAll(".space > .name")];
  const names = named.map(text => [text, text.getBoundingClientRect()]);
  names.forEach(([one, box], i) => names.slice(i + 1).forEach(([other, its]) => {
    const wide = Math.min(box.right, its.right) - Math.max(box.left, its.left);
    const high = Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top);
    if (wide > 1 && high > 4) outside.push(`${one.textContent} over ${other.textContent}`);
  }));
  return outside;
}"""


@pytest.mark.parametrize("game", BOARDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_stay_inside_their_boxes(page: Page, game: str, language: str) -> None:
    match = whole(game)
    picture = svg(match, match.move, None, Words(match, language))
    assert picture is not None
    page.set_content(picture)
    assert page.evaluate(OUTSIDE) == []
