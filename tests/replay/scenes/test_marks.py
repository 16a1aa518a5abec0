"""Where ids stand in sentences: offsets that the formatter knows, in both languages."""

from __future__ import annotations

import pytest

from domain.games import GAMES
from domain.texts import LANGUAGES, Marked, Texts, fill, join
from replay.narration import narrated
from replay.scenes.positions import positions
from replay.words import Words
from tests.replay.scenes.matches import viewers, whole


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_mark_stands_on_the_name_of_its_id(game: str, language: str) -> None:
    match = whole(game)
    words = Words(match, language)
    for viewer in viewers(match):
        marked = 0
        for paragraph in narrated(match, words, viewer):
            for sentence in paragraph.sentences:
                end = 0
                for start, stop, id in sentence.marks:
                    assert end <= start < stop <= len(sentence.text), sentence
                    assert sentence.text[start:stop] == words.texts.names[id], sentence
                    end, marked = stop, marked + 1
        assert marked > match.move


def test_a_sentence_marks_seats_and_countries() -> None:
    match = whole("twilight_struggle")
    told = positions(match, "all", words=Words(match, "en"))
    sentences = [sentence for move in told.moves for sentence in move.sentences]
    sentence = next(one for one in sentences if one.text.startswith("USSR adds") or "in Poland" in one.text)
    found = {id: sentence.text[start:stop] for start, stop, id in sentence.marks}
    assert found["poland"] == "Poland"
    assert found["ussr"] == "USSR"


def test_without_words_a_move_has_no_sentences() -> None:
    match = whole("thirteen_minutes")
    assert not any(move.sentences for move in positions(match, "all").moves)


TEXTS = Texts("en", {"names": {"us": "US", "iran": "Iran", "nato": "NATO", "?": "a hidden card"}})


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("iran", Marked("Iran", ((0, 4, "iran"),))),
        (
            ("us", "iran", "nato"),
            Marked("US, Iran and NATO", ((0, 2, "us"), (4, 8, "iran"), (13, 17, "nato"))),
        ),
        ({"us": 2, "iran": 3}, Marked("Iran 3, US 2", ((0, 4, "iran"), (8, 10, "us")))),
        ({"us": "nato"}, Marked("US: NATO", ((0, 2, "us"), (4, 8, "nato")))),
        ("?", Marked("a hidden card")),
        ("", Marked("nobody")),
        ((), Marked("none")),
        ("no id", Marked("no id")),
        (7, Marked("7")),
        (True, Marked("true")),
    ],
)
def test_each_kind_of_value_is_marked(value: object, told: Marked) -> None:
    assert Marked.of(TEXTS.named(value)) == told
    assert TEXTS.name(value) == told.text


def test_marks_move_with_the_text_in_which_they_stand() -> None:
    iran = Marked("Iran", ((0, 4, "iran"),))
    assert join((iran, iran), " / ") == Marked("Iran / Iran", ((0, 4, "iran"), (7, 11, "iran")))
    assert fill("{seat} in {where}: {n:+d}.", {"seat": "x", "where": iran, "n": 2}) == Marked(
        "x in Iran: +2.", ((5, 9, "iran"),)
    )
