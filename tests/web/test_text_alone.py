"""W34: a script plays by reading text alone, without a style and with the board in words.

The script knows no game.  It reads roles and names as assistive technology gets them, and the texts of the
elements, and answers by the keyboard at the controls that carry those names.  Beside it the tests compare
every text with the scene that the server makes, which the script never sees.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, Route

from api.web.shell import texts
from domain.games import GAMES
from tests.api.http.served import Client, Served
from tests.waiting import PATIENCE
from tests.web.at_table import against_a_bot, proved
from tests.web.browser import WIDE, Watched, sign_in
from tests.web.told import Told, check_panels, panel_texts

CONTROL = re.compile(r'- (?:radio|checkbox) ("(?:[^"\\]|\\.)*")((?: \[\w+\])*)')
IDS = re.compile(
    r"\b[a-z]+(?:_[a-z0-9]+)+\b|\b[a-z_]+:[a-z_]+|\bundefined\b|\bNaN\b|\[object|[{}]|^\s*\?\s*$"
)
LATIN = re.compile(r"[A-Za-z]{2,}")
NAMES = {"Ann", "random", "DEFCON"}  # in a Russian text: of a player, of a bot, and as the rulebook has it


class Reader:
    """Reads the page of a match, and answers.

    Args:
        words: the texts of the pages in its language.
    """

    def __init__(self, page: Page, language: str) -> None:
        self.page, self.words = page, texts(language)
        self.asks = page.get_by_role("complementary", name=self.words("question"))

    def next_question(self) -> str | None:
        """Wait for a question, and read it; None: the match is over."""
        ended = self.page.get_by_text(self.words.script["now_over"])
        self.asks.locator("legend").or_(ended).first.wait_for()
        return None if ended.count() else self.asks.locator("legend").inner_text()

    def options(self) -> list[str]:
        """The names of what may be picked, as they are told to those who do not see them."""
        return [name for name, _ in self._controls()]

    def _controls(self) -> list[tuple[str, str]]:
        """The controls of the question: the name of each, and its states."""
        found = []
        for line in self.asks.aria_snapshot().splitlines():
            said = line.strip().removeprefix("- ")
            if said.startswith("'"):  # a name with a colon is a quoted key of this list
                said = said[1 : said.rindex("'")].replace("''", "'")
            control = CONTROL.match(f"- {said}")
            if control:
                found.append((str(json.loads(control[1])), control[2]))
        return found

    def answer(self, luck: random.Random) -> None:
        """Pick at random until the answer can be sent, then send it, by keys alone."""
        send = self.asks.locator("[type=submit]")
        while send.is_disabled():
            free = [
                name for name, state in self._controls() if "checked" not in state and "disabled" not in state
            ]
            name = luck.choice(free)
            radio, box = (
                self.asks.get_by_role(role, name=name, exact=True) for role in ("radio", "checkbox")
            )
            self.press(radio.or_(box), "Space")
        self.press(send, "Enter")

    def press(self, control: Locator, key: str) -> None:
        """Press a key at a control."""
        control.focus()
        self.page.keyboard.press(key)

    def board(self) -> dict[str, str]:
        """What lies on each space, by what its row begins with, as the table says."""
        rows = self.page.get_by_role("region", name=self.words("board")).get_by_role("row")
        return dict(
            rows.evaluate_all(
                "all => all.filter((row) => row.cells.length > 1 && row.closest('tbody'))"
                ".map((row) => [row.cells[0].innerText, row.cells[1].innerText])"
            )
        )

    def position(self) -> tuple[int, dict[str, str], dict[str, str]]:
        """The number of the move on show, and what is read then: the board, and each panel."""
        move = -1
        while move != (move := self.move()):  # the other seat may answer meanwhile
            board, panels = self.board(), panel_texts(self.page)
        return move, board, panels

    def move(self) -> int:
        """The number of the move on show."""
        return int(self.page.get_by_role("spinbutton").input_value())


@contextmanager
def reading(browser: Browser, client: Client, match: str, language: str) -> Iterator[Reader]:
    """The page of a match as a player reads it: no stylesheet arrives, and the board is in words."""
    context = browser.new_context(viewport=WIDE, locale=language)
    context.set_default_timeout(PATIENCE * 1_000)
    sign_in(context, client)
    context.route("**/*.css", without_style)
    watched = Watched(context, f"http://127.0.0.1:{client.port}")
    page = watched.open(f"/m/{match}")
    assert page.evaluate("[...document.styleSheets].reduce((sum, one) => sum + one.cssRules.length, 0)") == 0
    page.keyboard.press("t")
    page.get_by_role("button", name=texts(language)("in_words"), pressed=True).wait_for()
    yield Reader(page, language)
    context.close()
    assert watched.faults == []


def without_style(route: Route) -> None:
    """Answer as if the stylesheet were empty."""
    route.fulfill(status=200, content_type="text/css", body="")


# ── what the text must say ──


def check_options(reader: Reader, told: Told, asked: str) -> None:
    """Every option can be told from the others, and names what it is about."""
    found, wanted = reader.options(), told.question()
    assert asked == wanted["why"]
    assert len(found) == len(set(found)) == len(wanted["options"]), (asked, found)
    for option in wanted["options"]:
        label = option["label"]
        names = [name for name in found if name == label or name.startswith(f"{label} (")]
        assert names, (label, found)
        if told.language == "en":
            for id in option.get("about", ()):
                assert told.name(id).lower() in f"{label} {asked}".lower(), (asked, option)


def check_board(found: Mapping[str, str], told: Told, scene: Any, empty: str) -> None:
    """The board in words has a row for every space, which says what lies there."""
    spaces = (told.words["board"] or {}).get("spaces", {})
    longest = sorted(spaces, key=lambda id: -len(told.name(id)))  # one name may begin with another
    lying = {
        next(id for id in longest if begins.startswith(told.name(id))): lies for begins, lies in found.items()
    }
    assert len(found) == len(lying) == len(spaces)
    for id, lies in lying.items():
        assert set(lies.split(", ")) == (told.slots(scene["board"].get(id, {})) or {empty}), id


def check_cards(panels: Mapping[str, str], told: Told, scene: Any) -> None:
    """In words a card says whose it is, and what it does."""
    for name, panel in scene["panels"].items():
        for id in panel.get("cards", {}):
            card = told.words["cards"].get(id, {})
            for said in (card.get("text", ""), told.name(card.get("seat", ""))):
                assert said in panels[name], (id, said)


def check_words(reader: Reader, language: str) -> None:
    """Nothing is shown by its id; a Russian text is Russian."""
    for name in ("#question", "#board", "#panels", "#status", "#moves"):
        for line in reader.page.locator(name).inner_text().splitlines():
            assert not IDS.search(line), (name, line)
            if language == "ru":
                assert not set(LATIN.findall(line)) - NAMES, (name, line)


def play(browser: Browser, server: Served, game: str, language: str, most: int | None = None) -> None:
    """Play a match against a bot to its end, or `most` answers of it; check what is read at each question."""
    seat = len(game) % 2
    match, ann = against_a_bot(server, game, seat)
    told = Told(ann, match, game, GAMES[game].seats[seat], language)
    luck = random.Random(game)
    with reading(browser, ann, match, language) as reader:
        answers = 0
        while answers != most and (asked := reader.next_question()) is not None:
            form = reader.asks.locator("form")
            old = form.get_attribute("data-question")
            check_options(reader, told, asked)
            move, board, panels = reader.position()
            scene = told.scene(move)
            check_board(board, told, scene, reader.words.script["nothing_here"])
            check_panels(panels, told, scene)
            check_cards(panels, told, scene)
            check_words(reader, language)
            reader.answer(luck)
            answers += 1
            reader.asks.locator(f'form:not([data-question="{old}"])').or_(
                reader.page.get_by_text(reader.words.script["now_over"])
            ).first.wait_for()
        assert answers > 3
    if most is None:
        proved(ann, match)


@pytest.mark.parametrize(
    ("game", "language", "most"),
    [
        pytest.param("thirteen_minutes", "en", 6, marks=pytest.mark.long),
        ("twilight_struggle", "ru", 4),
        pytest.param("cia_vs_kgb", "ru", 6, marks=pytest.mark.long),
        pytest.param("imperial_struggle", "en", 5, marks=pytest.mark.long),
    ],
)
def test_a_match_is_played_by_reading_text_alone(
    server: Served, browser: Browser, game: str, language: str, most: int | None
) -> None:
    """W34, small."""
    play(browser, server, game, language, most)


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("game", GAMES)
def test_a_match_of_each_game_is_played_to_its_end_by_reading_text_alone(
    server: Served, browser: Browser, game: str, language: str
) -> None:
    """W34."""
    play(browser, server, game, language)
