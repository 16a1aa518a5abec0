"""Motion that explains a move: dice fall to the face that was recorded, cards fly; it can be switched off."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from domain.games import GAMES
from replay.scenes.positions import positions
from tests.api.http.served import Served
from tests.matches import finished as played
from tests.web.browser import Watched
from tests.web.conftest import LEAST

NOTE = """() => {
  window.moved = [];
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (...given) {
    const card = this.classList.contains("flying") && this.querySelector(".card-name").textContent;
    window.moved.push([this.classList[0], this.dataset.face ?? card ?? ""]);
    return animate.apply(this, given);
  };
}"""
FACES = "all => all.map(one => Number(one.dataset.face))"


def test_the_dice_of_a_move_are_those_of_its_open_draws() -> None:
    match = played(GAMES["twilight_struggle"], 1).match
    thrown = {
        move.move: "".join(map(str, move.dice))
        for move in positions(match, None, most=match.move).moves
        if move.dice
    }
    recorded = {
        record.move: "".join(draw.pick for draw in record.entry.draws if draw.label.startswith("die/"))
        for record in match.records
        if any(draw.label.startswith("die/") for draw in getattr(record.entry, "draws", ()))
    }
    assert thrown == recorded
    assert len(thrown) > 5


@pytest.mark.parametrize("off", ["", "switch", pytest.param("system", marks=pytest.mark.long)])
def test_a_step_to_a_throw_lets_the_recorded_dice_fall_unless_motion_is_off(
    off: str, fresh: Watched, finished: dict[str, str], house: Served
) -> None:
    # given a replay before a move with dice
    match = finished["twilight_struggle"]
    told = house.client().get(f"/v1/matches/{match}/positions?view=all").json["moves"]
    move = next(one for one in told if one.get("dice"))
    fresh.page.emulate_media(reduced_motion="reduce" if off == "system" else "no-preference")
    page = ready(fresh, f"/m/{match}?move={move['move'] - 1}")
    if off == "switch":
        page.keyboard.press("?")
        page.get_by_label("Motion").uncheck()
        page.keyboard.press("Escape")
    # when the reader steps on
    page.keyboard.press("ArrowRight")
    # then the dice show what was recorded, and fell only where that is wanted
    expect(page.locator(".dice .die")).to_have_count(len(move["dice"]))
    assert page.eval_on_selector_all(".dice .die", FACES) == move["dice"]
    fell = [int(face) for kind, face in page.evaluate("window.moved") if kind == "die"]
    assert fell == ([] if off else move["dice"])
    # and a jump shows them without motion, or none where none fell
    page.evaluate("window.moved = []")
    page.keyboard.press("Home")
    expect(page.locator(".dice .die")).to_have_count(0)
    page.locator("#bar input[type=number]").fill(str(move["move"]))
    page.locator("#bar input[type=number]").press("Enter")
    expect(page.locator(".dice .die")).to_have_count(len(move["dice"]))
    assert [kind for kind, _ in page.evaluate("window.moved") if kind == "die"] == []


def test_a_card_that_changes_its_place_flies_and_holds_nothing_up(
    fresh: Watched, finished: dict[str, str], house: Served
) -> None:
    # given a replay before a move by which one card comes into a panel that is in sight
    match = finished["cia_vs_kgb"]
    moves = range(4, LEAST["cia_vs_kgb"])  # some matches of these bots have none among their first moves
    scenes = (house.client().get(f"/v1/matches/{match}/scene?at={at}&view=all").json["scene"] for at in moves)
    at, card = next(
        (4 + n, (moved_between(before, after)).pop())
        for n, (before, after) in enumerate(pairwise(scenes))
        if len(moved_between(before, after)) == 1
    )
    page = ready(fresh, f"/m/{match}?move={at}")
    # when the reader steps on, and at once once more
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    # then the card flew, the page is at the move after, and nothing stays behind
    names = house.client().get("/v1/games/cia_vs_kgb?lang=en").json["names"]
    assert names[card] in [said for kind, said in page.evaluate("window.moved") if kind == "card"]
    expect(page.locator("#bar input[type=number]")).to_have_value(str(at + 2))
    expect(page.locator(".flying")).to_have_count(0)


def moved_between(before: Any, after: Any) -> set[str]:
    """The cards that lie in another panel after a move than before it."""
    old, new = (
        {card: name for name, panel in scene["panels"].items() for card in panel.get("cards", {})}
        for scene in (before, after)
    )
    return {card for card, name in new.items() if old.get(card) != name}


def ready(watched: Watched, path: str) -> Page:
    """The page of a match once motion accompanies it; what moves is noted."""
    watched.page.add_init_script(f"({NOTE})()")
    page = watched.open(path)
    page.locator(".dice").wait_for(state="attached")
    return page
