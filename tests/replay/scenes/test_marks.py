"""Where ids stand in sentences: offsets that the formatter knows, in both languages."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as some
from msgspec.structs import replace

from domain.games import GAMES
from domain.texts import LANGUAGES, Marked, Texts, fill, join
from replay.game_words import game_words
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


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_templates_with_the_names_of_the_vocabulary_are_the_sentences(game: str, language: str) -> None:
    match = whole(game)
    words = Words(match, language)
    names = game_words(match.game, language, match.opened.edition, match.opened.options).names
    told = positions(match, "all", words=words)
    short = positions(match, "all", words=words, templates=True)
    for one, other in zip(told.moves, short.moves, strict=True):
        assert replace(one, sentences=()) == replace(other, templates=())
        assert [filled(template, names) for template in other.templates] == list(one.sentences)


def filled(template: str, names: Mapping[str, str]) -> Marked:
    """What a client makes of a template, as docs/http.md describes it."""
    pieces = re.findall(r"\{([^{}]+)\}|([{}])\2|([^{}]+)", template)
    return Marked.of((names[id], id) if id else (brace or text, "") for id, brace, text in pieces)


@given(some.lists(some.tuples(some.text("a{} é"), some.sampled_from(["", "us", "iran", "a}", "{"]))))
def test_any_sentence_is_its_template_again(pieces: list[tuple[str, str]]) -> None:
    """An id with a brace, as a card set of one's own may have, is left without its mark."""
    names = {"us": "the {US}", "iran": "Iran"}
    sentence = Marked.of((names.get(id, text), id) for text, id in pieces)
    expected = Marked.of((names.get(id, text), id if id in names else "") for text, id in pieces)
    assert filled(sentence.template, names) == expected


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
