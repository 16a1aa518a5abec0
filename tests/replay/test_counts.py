"""Counted nouns have the form of their number, and hidden things have their names."""

from __future__ import annotations

import pytest

from domain.games import GAMES
from replay.narration import narrated
from replay.sanitize import counted
from replay.terminal import as_text, picture
from replay.verify import verify
from replay.words import Words
from tests.matches import Sitting
from tests.replay.files import file_of


def begun(answers: int) -> Sitting:
    """A match of CIA vs. KGB after so many answers: first both close their hands."""
    return Sitting(GAMES["cia_vs_kgb"], 4).seat_all().play_on(answers)


def test_one_is_one() -> None:
    assert [counted(count, "draw", "draws") for count in (0, 1, 2)] == ["0 draws", "1 draw", "2 draws"]


@pytest.mark.parametrize(
    ("answers", "waiting"),
    [
        (0, "1 open one waits for the key of its period"),
        (6, "2 open ones wait for the key of their period"),
    ],
)
def test_draws_that_wait(answers: int, waiting: str) -> None:
    assert waiting in " ".join(verify(file_of(begun(answers).match)).notes)


@pytest.mark.parametrize(("language", "token"), [("en", "hidden token"), ("ru", "скрытый жетон")])
def test_a_hidden_token_is_called_a_token(language: str, token: str) -> None:
    match = begun(1).match
    drawn = as_text(picture(match, Words(match, language), None, "kgb"))
    assert f"1 {token}" in drawn
    own = as_text(picture(match, Words(match, language), None, "cia"))
    assert token not in own


def test_the_edition_is_named_in_russian() -> None:
    match = begun(0).match
    first = next(iter(narrated(match, Words(match, "ru"))))
    assert "обычное издание" in first.text
    assert "standard" not in first.text
