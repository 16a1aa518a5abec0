"""A client that has the words of a game can name whatever a scene of it shows, in one language."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from domain.game import Game
from domain.games import GAMES
from domain.kernel import HIDDEN, Refused
from domain.texts import LANGUAGES
from replay.game_words import GameWords, game_words
from replay.scenes.positions import SCENES, scene_at
from tests.api.http.words import TEXTS
from tests.domain.thirteen_minutes.tables import own_set
from tests.replay.scenes.matches import whole
from tests.replay.scenes.test_names import named


def unnamed(words: GameWords, ids: set[str]) -> set[str]:
    known = words.names.keys() | words.fields.keys()
    return {id for id in ids if id not in known and id != HIDDEN and not id.isdigit()}


@pytest.mark.parametrize("game", SCENES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_words_name_everything_that_any_scene_of_a_match_shows(game: str, language: str) -> None:
    match = whole(game)
    words = game_words(match.game, language, match.opened.edition, match.opened.options)
    ids = {
        id
        for move in range(1, match.move + 1)
        for id in named(scene_at(match, move, "all"))
        if isinstance(id, str)
    }
    assert not unnamed(words, ids)


@pytest.mark.parametrize("language", LANGUAGES)
def test_fields_without_a_word_are_named_by_their_identifiers(
    toy_game: Game, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(vars(toy_game), "texts", TEXTS)
    words = game_words(toy_game, language)
    shown = set(toy_game.state.__struct_fields__) - {"agenda", "options", *toy_game.backstage}
    assert shown <= words.fields.keys()
    assert all(words.fields.values())
    assert words.board is None


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
@pytest.mark.parametrize("language", LANGUAGES)
def test_seats_have_different_letters_in_the_order_of_the_rulebook(game: Game, language: str) -> None:
    seats = game_words(game, language).seats
    assert tuple(seat.id for seat in seats) == game.seats
    assert all(len(seat.letter) == 1 and seat.name for seat in seats)
    assert len({seat.letter for seat in seats}) == len(seats)


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_languages_differ_in_words_alone(game: Game) -> None:
    english, russian = (game_words(game, language) for language in LANGUAGES)
    assert english.names.keys() == russian.names.keys()
    assert english.cards.keys() == russian.cards.keys()
    assert english.fields.keys() == russian.fields.keys()
    assert english.counts.keys() == russian.counts.keys()
    assert [len(forms) for forms in english.counts.values()] == [2] * len(english.counts)
    assert [len(forms) for forms in russian.counts.values()] == [3] * len(russian.counts)
    assert english.title != russian.title


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_value_of_every_option_has_a_sentence(game: Game, language: str) -> None:
    for option, told in zip(game.options, game_words(game, language).options, strict=True):
        assert told.name == option.name
        assert len(told.about) > len("an option")
        assert tuple(choice.value for choice in told.choices) == option.choices
        assert all(len(choice.label) > 1 for choice in told.choices)
        assert (told.none is not None) == option.none
        assert told.choices or told.data or (told.least is not None and told.most is not None)


def test_an_edition_brings_its_own_names() -> None:
    game = GAMES["twilight_struggle"]
    deluxe, second = game_words(game, "en"), game_words(game, "en", "second")
    assert deluxe.names["space.4"] != second.names["space.4"] == "Man in Space"
    with pytest.raises(Refused):
        game_words(game, "en", "third")


def test_regions_lie_on_the_board_that_they_are_a_part_of() -> None:
    boards = [board for name in GAMES if (board := game_words(GAMES[name], "ru").board)]
    assert [len(board.regions) for board in boards] == [6, 4]
    for board in boards:
        for region in board.regions:
            x, y, width, height = region.view
            assert width > 0 < height
            assert 0 <= x + width / 2 <= board.width
            assert 0 <= y + height / 2 <= board.height


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
@pytest.mark.parametrize("language", LANGUAGES)
def test_cards_carry_names_only_and_every_text_that_the_game_has(game: Game, language: str) -> None:
    words = game_words(game, language)
    assert words.cards.keys() <= words.names.keys()
    assert not unnamed(words, {kind for card in words.cards.values() for kind in card.kinds})
    assert {card.seat for card in words.cards.values()} <= {"", *game.seats}
    texts = game.texts[language].cards
    assert {id: card.text for id, card in words.cards.items() if id in texts} == {
        id: text for id, text in texts.items() if id in words.cards
    }
    assert any(card.text for card in words.cards.values())


def test_a_card_shows_its_number_its_side_and_its_kinds() -> None:
    struggle = game_words(GAMES["twilight_struggle"], "en").cards
    assert (struggle["fidel"].value, struggle["fidel"].seat) == (2, "ussr")
    assert struggle["fidel"].kinds == ("early", "starred")
    assert (struggle["asia_scoring"].value, struggle["asia_scoring"].kinds) == (None, ("scoring", "early"))
    minutes = game_words(GAMES["thirteen_minutes"], "en").cards
    assert (minutes["un-3"].value, minutes["un-3"].seat, minutes["un-3"].kinds[0]) == (2, "", "un")


def test_a_match_with_a_card_set_of_its_own_has_its_cards() -> None:
    words = game_words(GAMES["thirteen_minutes"], "en", options={"card_set": own_set()})
    assert words.cards.keys() == {card["id"] for card in own_set()["cards"]}
    assert all(words.names[card["id"]] == card["title"]["en"] for card in own_set()["cards"])
    assert words.hash != game_words(GAMES["thirteen_minutes"], "en").hash


def test_a_game_without_a_function_shows_what_its_components_say(
    toy_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(vars(toy_game), "texts", TEXTS)
    cards = game_words(toy_game, "ru").cards
    assert all(id in TEXTS["ru"].names for id in cards)


def test_the_hash_is_that_of_the_content() -> None:
    hashes = {game_words(game, language).hash for game in GAMES.values() for language in LANGUAGES}
    assert len(hashes) == len(GAMES) * len(LANGUAGES)
    words = game_words(GAMES["cia_vs_kgb"], "en")
    assert words.hash == game_words(GAMES["cia_vs_kgb"], "en").hash == words.hashed().hash
    assert replace(words, title="Other").hashed().hash != words.hash
