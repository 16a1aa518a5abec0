"""Two players change places: in sentences, in exports, in positions, and for an independent verifier."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from domain.game import Game
from domain.match import Match
from replay.difference import difference
from replay.export import export, tables
from replay.narration import narrate, narrated
from replay.positions import position
from replay.terminal import as_text, picture
from replay.words import Words
from tests.domain.swap import DARK, LIGHT
from tests.matches import Sitting
from tests.replay import stranger
from tests.replay.files import KEY, file_of


def exchanged(game: Game, *, bot: bool = False) -> Sitting:
    """Move 5 settles that they change places; move 6 ends the match."""
    sitting = Sitting(game, bots=bot).seat_all()
    sitting.answer(DARK, LIGHT)
    sitting.answer(LIGHT, DARK)
    return sitting


def whole(game: Game) -> Match:
    sitting = exchanged(game)
    sitting.answer(DARK, "win")
    return sitting.match


def test_the_move_of_the_exchange_tells_who_plays_what_from_here_on(swap_game: Game) -> None:
    match = whole(swap_game)
    people = {"p-dark": "Ann", "p-light": None}
    paragraphs = list(narrated(match, Words(match, "en"), None, people))
    assert paragraphs[4].players == (
        "a player who was forgotten plays Dark from here on.",
        "Ann plays Light from here on.",
    )
    assert paragraphs[4].text.endswith("Ann plays Light from here on.")
    assert not any(paragraph.players for place, paragraph in enumerate(paragraphs) if place != 4)


def test_the_exchange_has_russian_sentences_too(swap_game: Game) -> None:
    match = whole(swap_game)
    assert narrate(match, 5, Words(match, "ru")).players[1] == "Отныне за сторону Light играет p-dark."


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "A bot plays Dark from here on (random)."),
        ("ru", "Отныне за сторону Dark играет бот (random)."),
    ],
)
def test_a_bot_is_named_as_the_house(swap_game: Game, language: str, sentence: str) -> None:
    match = exchanged(swap_game, bot=True).match
    assert narrate(match, 5, Words(match, language)).players[0] == sentence


def test_going_back_tells_who_plays_what_again(swap_game: Game) -> None:
    sitting = exchanged(swap_game)
    sitting.accept(sitting.match.rule(sitting.context, "judge", "misheard", back_to=4))
    match = sitting.match
    assert narrate(match, 7, Words(match, "en")).players == (
        "p-dark plays Dark from here on.",
        "p-light plays Light from here on.",
    )


def test_the_picture_of_the_move_tells_it_too(swap_game: Game) -> None:
    match = whole(swap_game)
    shown = as_text(picture(match, Words(match, "en"), 5))
    assert "p-dark plays Light from here on." in shown
    assert "seats exchanged: yes" in shown


def test_a_position_says_that_the_players_changed_places(swap_game: Game) -> None:
    match = whole(swap_game)
    assert position(match, 5).table["exchanged"] is True
    assert "exchanged" not in position(match, 4).table
    assert ("exchanged",) in [change.path for change in difference(match, 4, 5)]


def test_a_seat_s_own_part_of_a_file_is_shown_as_that_seat_s(swap_game: Game) -> None:
    match = whole(swap_game)
    assert position(match, 4, DARK).table["wishes"] == {DARK: LIGHT}
    assert position(match, 4, LIGHT).table["wishes"] == {DARK: "?"}


def test_the_table_of_seats_says_who_plays_what_in_the_end(swap_game: Game, tmp_path: Path) -> None:
    going_back = exchanged(swap_game)
    going_back.accept(going_back.match.rule(going_back.context, "judge", "misheard", back_to=4))
    assert export([whole(swap_game)], tmp_path, "ndjson")["seats"] == 2
    rows = [json.loads(line) for line in (tmp_path / "seats.ndjson").read_text().splitlines()]
    shared = {"match": "m1", "bot": None, "unverified": False, "claimed": False}
    assert rows == [
        {**shared, "seat": DARK, "player": "p-light", "sat_down_on": LIGHT, "salt": "none"},
        {**shared, "seat": LIGHT, "player": "p-dark", "sat_down_on": DARK, "salt": "none"},
    ]
    undone = list(tables(going_back.match)["seats"])
    assert [(row["player"], row["sat_down_on"]) for row in undone] == [("p-dark", DARK), ("p-light", LIGHT)]


def test_a_free_seat_and_a_bot_are_exported_as_such(swap_game: Game) -> None:
    sitting = Sitting(swap_game)
    sitting.accept(sitting.match.sit(sitting.context, DARK, "bot:x", salt=None, bot="x", source=None))
    assert [(row["player"], row["bot"]) for row in tables(sitting.match)["seats"]] == [
        ("bot:x", "x"),
        (None, None),
    ]


def test_a_stranger_verifies_a_match_with_an_exchange(swap_game: Game) -> None:
    assert stranger.verify(file_of(whole(swap_game)), KEY.verifying.text) == 2
