"""The scene of each game: nothing that a viewer knows is left out, and rules are told as they are."""

from __future__ import annotations

import re
from typing import Any

import pytest

from domain.cia_vs_kgb.rules import influence, unruly
from domain.games import GAMES
from domain.kernel import HIDDEN
from domain.match import Match
from domain.piles import Pile
from domain.thirteen_minutes.state import State as Thirteen
from domain.twilight_struggle.components import MAP
from domain.twilight_struggle.rules.board import controller
from domain.twilight_struggle.rules.scoring import scored, winner_of_europe
from domain.twilight_struggle.state import State as Twilight
from replay.boards.drawing import svg
from replay.positions import fields
from replay.scenes.positions import SCENES, scene, scene_at
from replay.scenes.vocabulary import Cards, Gauge, Lanes, Pair, Rows, Status, Track, plain_scene
from replay.words import Words
from tests.replay.scenes.matches import strings, viewers, whole


def known(match: Match, move: int, viewer: str | None) -> set[str]:
    """Every id on the table that this viewer was told, by its fields; candidates of piles are none."""
    found: set[str] = set()
    for name, value in fields(match.table_at(move, viewer)):
        if name not in ("options", "edition", *match.game.backstage):
            found |= set(strings(_without_candidates(value)))
    return found - {HIDDEN, ""}


def _without_candidates(value: Any) -> Any:
    if isinstance(value, Pile):
        return [*value.top, *value.bottom]
    if isinstance(value, dict):
        return {key: _without_candidates(item) for key, item in value.items() if item or item == 0}
    if hasattr(value, "__struct_fields__"):
        return {name: _without_candidates(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, tuple):
        return [_without_candidates(item) for item in value]
    return value


@pytest.mark.parametrize("game", SCENES)
def test_every_id_that_a_viewer_knows_is_in_the_scene(game: str) -> None:
    match = whole(game)
    ids = {id for group in match.game.ids.values() for id in group}
    for viewer in viewers(match):
        for move in range(1, match.move + 1):
            shown = set(strings(plain_scene(scene_at(match, move, viewer))))
            assert not (known(match, move, viewer) & ids) - shown, (viewer, move)


def test_every_game_of_the_house_has_a_scene() -> None:
    assert set(SCENES) == set(GAMES)


def test_control_and_worth_are_what_the_rules_say() -> None:
    match = whole("twilight_struggle")
    for move in range(1, match.move + 1, 10):
        table = match.table_at(move, "all")
        shown = scene_at(match, move, "all")
        for country, slots in shown.board.items():
            assert slots.get("by") == controller(table, country)
            assert {side: slots.get(side, 0) for side in ("us", "ussr")} == {
                side: table.influence[side].get(country, 0) for side in ("us", "ussr")
            }
        regions = shown.panels["regions"]
        assert isinstance(regions, Rows)
        assert {region: row["worth"] for region, row in regions.rows.items()} == {
            region: f"wins.{winner}" if (winner := winner_of_europe(working)) else working.net
            for region, working in ((region, scored(table, region)) for region in regions.rows)
        }


def test_europe_is_worth_the_game_to_the_side_that_controls_it() -> None:
    """Rulebook 10.3.1: Control of Europe is no matter of points."""
    battlegrounds = {
        id: 5 for id, country in MAP.items() if country.region == "europe" and country.battleground
    }
    table = Twilight(influence={"us": {}, "ussr": {**battlegrounds, "hungary": 3}})
    regions = scene(GAMES["twilight_struggle"], table).panels["regions"]
    assert isinstance(regions, Rows)
    assert regions.rows["europe"] == {"ussr": "control", "worth": "wins.ussr"}
    for language, words in (("en", "the USSR wins"), ("ru", "победа СССР")):
        assert GAMES["twilight_struggle"].texts[language].name("wins.ussr") == words


def test_the_tracks_of_twilight_struggle() -> None:
    table = Twilight(vp=-7, defcon=3, space={"us": 2, "ussr": 4}, china="ussr", china_ready=False)
    panels = scene(GAMES["twilight_struggle"], table).panels
    assert panels["vp"] == Track(-20, 20, {"vp": -7})
    assert panels["defcon"] == Track(1, 5, {"defcon": 3}, {"2": "middle_east", "3": "asia", "4": "europe"})
    space = panels["space"]
    assert isinstance(space, Track)
    assert (space.most, space.at) == (8, {"us": 2, "ussr": 4})
    assert panels["china"] == Status({"china": "ussr"})
    assert panels["military"] == Pair({"us": 0, "ussr": 0}, 5)
    assert "hands.us" not in panels, "an empty hand is absent"


def test_a_hand_that_is_not_known_is_counted() -> None:
    table = Twilight(hands={"us": ("fidel",), "ussr": (HIDDEN,) * 8}, chosen={"ussr": HIDDEN})
    panels = scene(GAMES["twilight_struggle"], table).panels
    assert panels["hands.us"] == Cards({"fidel": 0}, 0, "us")
    assert panels["hands.ussr"] == Cards({}, 8, "ussr")
    assert panels["headlines"] == Status({"ussr": HIDDEN})


@pytest.mark.parametrize(("language", "letters"), [("en", {"B", "F"}), ("ru", {"Б", "Ф"})])
def test_flags_are_drawn_with_the_letters_of_the_seats(language: str, letters: set[str]) -> None:
    match = whole("imperial_struggle")
    drawn = svg(match, match.move, "all", Words(match, language)) or ""
    assert set(re.findall(r'class="flag"[^>]*>([^<]+)<', drawn)) == letters


def test_flags_lie_on_the_board_of_imperial_struggle() -> None:
    match = whole("imperial_struggle")
    for move in range(1, match.move + 1, 10):
        table = match.table_at(move, "all")
        board = scene_at(match, move, "all").board
        assert {space: slots["owner"] for space, slots in board.items() if "owner" in slots} == table.flags
        assert {space for space, slots in board.items() if "conflicts" in slots} == set(table.conflicts)
        assert {space for space, slots in board.items() if "damaged" in slots} == set(table.damaged)
        track = scene_at(match, move, "all").panels["vp"]
        assert track == Track(0, 30, {"vp": table.vp})


def test_territories_of_13_minutes_lie_in_their_zones() -> None:
    match = whole("thirteen_minutes")
    table: Thirteen = match.table_at(match.move, "all")
    lanes = scene_at(match, match.move, "all").panels["territories"]
    assert isinstance(lanes, Lanes)
    assert lanes.lanes == ("us_sphere", "neutral", "ussr_sphere")
    assert lanes.at == {id: card.zone for id, card in table.territories.items()}
    for id, card in table.territories.items():
        slots = lanes.slots.get(id, {})
        assert (slots.get("us", 0), slots.get("ussr", 0)) == (card.us, card.ussr)


def test_a_gauge_fills_over_its_limit_exactly_in_civil_disorder() -> None:
    match = whole("cia_vs_kgb")
    over = 0
    for move in range(1, match.move + 1):
        table = match.table_at(move, "all")
        for seat in match.game.seats:
            gauge = scene_at(match, move, "all").panels.get(f"influence.{seat}")
            if table.objective:
                assert isinstance(gauge, Gauge)
                assert gauge.value == influence(table, seat) == sum(gauge.parts.values())
                assert (gauge.value > gauge.limit) == (seat in unruly(table))
                over += gauge.value > gauge.limit
    assert over
