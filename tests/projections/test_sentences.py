from __future__ import annotations

import re

import pytest

from domain.game import Game
from domain.games import GAMES
from domain.kernel import HIDDEN
from domain.texts import LANGUAGES
from projections.sentences import TurnTold, tell
from projections.summary import LeadChanged, Over, Play, Turn
from tests.matches import Sitting, finished
from tests.projections.support import turns_of

THIRTEEN = GAMES["thirteen_minutes"]


def told(sitting: Sitting, language: str) -> list[TurnTold]:
    opened = sitting.match.opened
    words = sitting.match.game.words(language, opened.options, opened.edition)
    return [tell(sitting.match.game, words, turn) for turn in turns_of(sitting)]


def texts_of(turn: TurnTold) -> list[str]:
    plays = [sentence for play in turn.plays for sentence in play.sentences]
    return [turn.heading, *turn.score, *turn.points, *plays]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("answers", [8, None])
def test_random_matches_have_sentences_in_every_language(
    game: Game, language: str, seed: int, answers: int | None
) -> None:
    sitting = Sitting(game, seed).seat_all().play_on(answers)
    turns = told(sitting, language)
    assert turns
    for text in (text for turn in turns for text in texts_of(turn)):
        assert text
        assert "{" not in text
        assert "None" not in text
        assert HIDDEN not in text.removesuffix(HIDDEN)
        assert language == "en" or re.search("[а-яА-Я]", text), text


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_both_languages_tell_the_same_moves(game: Game) -> None:
    sitting = finished(game, 1)
    shapes = [
        [
            (turn.number, len(turn.points), [(play.move, len(play.sentences)) for play in turn.plays])
            for turn in told(sitting, language)
        ]
        for language in LANGUAGES
    ]
    assert shapes[0] == shapes[1]


def turn_with(*points: LeadChanged | Over, plays: tuple[Play, ...] = ()) -> Turn:
    return Turn(3, 10, 18, {"us": 1, "ussr": 2}, {"us": 4, "ussr": 2}, plays, points)


def words_of(turn: Turn, language: str) -> TurnTold:
    return tell(THIRTEEN, THIRTEEN.words(language, {}, "standard"), turn)


@pytest.mark.parametrize(
    ("language", "score"),
    [
        ("en", ("US: 1 before, 4 after", "USSR: still 2")),
        ("ru", ("США: было 1, стало 4", "СССР: по-прежнему 2")),
    ],
)
def test_the_score_in_words(language: str, score: tuple[str, ...]) -> None:
    assert words_of(turn_with(), language).score == score


def test_the_heading_names_the_moves() -> None:
    assert words_of(turn_with(), "en").heading.endswith(" 3, moves 10 to 18")
    assert words_of(Turn(1, 4, 4, {}, {}), "en").heading.endswith(" 1, move 4")
    assert words_of(turn_with(), "ru").heading.endswith(" 3, ходы журнала с 10 по 18")


def test_a_game_decides_what_its_turns_are_called() -> None:
    words = THIRTEEN.words("en", {}, "standard").with_names({**THIRTEEN.texts["en"].names, "turn": "Battle"})
    assert tell(THIRTEEN, words, turn_with()).heading == "Battle 3, moves 10 to 18"


@pytest.mark.parametrize(("language", "heading"), [("en", "Turn 8, moves"), ("ru", "Раунд 8, ходы")])
def test_the_late_war_scenario_of_twilight_struggle_begins_with_turn_8(language: str, heading: str) -> None:
    sitting = Sitting(GAMES["twilight_struggle"], 1, options={"scenario": "late_war"}).seat_all().play_on(12)
    assert told(sitting, language)[0].heading.startswith(heading)


@pytest.mark.parametrize(
    ("point", "english", "russian"),
    [
        (LeadChanged(11, "us", None), "US takes the lead.", "Впереди теперь США."),
        (
            LeadChanged(11, "us", "ussr"),
            "US takes the lead from USSR.",
            "Впереди теперь США, а не СССР.",
        ),
        (
            Over(18, "play", "us", "nuclear_war"),
            "US wins: nuclear war.",
            "Победитель — США: ядерная война.",
        ),
        (
            Over(18, "resignation", "us", "resignation"),
            "US wins: the other side resigns.",
            "Победитель — США: соперник сдался.",
        ),
        (
            Over(18, "ruling", "us", "late", "came late"),
            "By ruling, US wins: came late",
            "По решению организатора победитель — США: came late",
        ),
        (
            Over(18, "ruling", None, "late", "both late"),
            "By ruling, neither side wins: both late",
            "По решению организатора победителя нет: both late",
        ),
        (
            Over(18, "ruling", None, "", "wrong cards", void=True),
            "The match is void, by ruling: wrong cards",
            "Партия аннулирована решением организатора: wrong cards",
        ),
        (
            Over(18, "record", None, "", void=True),
            "The match ends without a known result.",
            "Партия завершена, результат неизвестен.",
        ),
        (
            Over(18, "play", None, "nuclear_war"),
            "The match ends without a winner: nuclear war.",
            "Партия завершена без победителя: ядерная война.",
        ),
    ],
)
def test_turning_points_in_words(point: LeadChanged | Over, english: str, russian: str) -> None:
    assert words_of(turn_with(point), "en").points == (english,)
    assert words_of(turn_with(point), "ru").points == (russian,)


def test_an_answer_without_facts_is_shown_by_its_label() -> None:
    play = Play(11, (), "us", "ChooseFirst", ("ussr",))
    assert words_of(turn_with(plays=(play,)), "en").plays[0].sentences == ("US answers: USSR.",)
