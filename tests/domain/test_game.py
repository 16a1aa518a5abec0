"""Editions and options: checked once, every default written out, helpful errors."""

from __future__ import annotations

from typing import Any

import pytest

from domain.game import Game, Option, Options
from domain.kernel import Refused
from domain.refusals import QUOTED
from domain.texts import Texts
from tests.domain import toy


def data(value: dict[str, Any]) -> dict[str, Any]:
    if "cards" not in value:
        raise Refused("bad-option", QUOTED, {"said": "card_set: cards are missing"})
    return {**value, "checked": True}


OPTIONS = (
    Option("tie", "sum", choices=("sum", "highest")),
    Option("campaign", False, choices=(False, True)),
    Option("limit", 100, least=5, most=200),
    Option("cap", None, least=1, most=13, none=True),
    Option("card_set", "house", choices=("house",), data=data),
)


def names(edition: str, options: Options, language: str) -> dict[str, str]:
    return {} if edition == "first" else {"card-1": f"{edition}, {options['tie']}, {language}"}


@pytest.fixture
def game() -> Game:
    return Game(
        name="options",
        seats=toy.SEATS,
        editions=("first", "second"),
        options=OPTIONS,
        table=toy.table,
        first=lambda s: (),
        state=toy.State,
        facts=toy.ToyFact,
        steps=toy.ToyStep,
        score=lambda s: {},
        components=dict,
        names=names,
    )


def test_the_words_of_a_match_have_the_names_of_its_edition_and_options(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = Texts("en", {"names": {"card-1": "Ace", "card-2": "King"}})
    monkeypatch.setitem(vars(game), "texts", {"en": texts})
    told = [game.words("en", {"tie": "sum"}, edition).name("card-1") for edition in ("first", "second")]
    assert told == ["Ace", "second, sum, en"]
    assert game.words("en", {"tie": "sum"}, "second").name("card-2") == "King"


def test_every_default_is_written_out(game: Game) -> None:
    edition, options = game.settle(None, {"tie": "highest"})
    assert edition == "first"
    assert options == {"tie": "highest", "campaign": False, "limit": 100, "cap": None, "card_set": "house"}


@pytest.mark.parametrize(
    ("given", "detail"),
    [
        ({"tie": "lowest"}, 'option tie: "lowest" is not possible; legal: sum, highest'),
        ({"campaign": 1}, "option campaign: 1 is not possible; legal: false, true"),
        ({"campaign": "true"}, 'option campaign: "true" is not possible; legal: false, true'),
        ({"limit": 4}, "option limit: 4 is not possible; legal: 5 to 200"),
        ({"limit": True}, "option limit: true is not possible"),
        ({"limit": None}, "option limit: none is not possible"),
        ({"cap": "many"}, 'option cap: "many" is not possible; legal: 1 to 13, none'),
        ({"card_set": {}}, "cards are missing"),
        ({"card_set": "other"}, "legal: house, an object"),
        ({"colour": "red"}, "options has no option 'colour'; it has: tie, campaign, limit, cap, card_set"),
    ],
)
def test_a_wrong_option_is_refused_with_what_is_legal(game: Game, given: dict[str, Any], detail: str) -> None:
    with pytest.raises(Refused, match=detail):
        game.settle(None, given)


def test_an_unknown_edition_is_refused(game: Game) -> None:
    with pytest.raises(Refused, match="no edition 'third'; it has: first, second"):
        game.settle("third", {})


def test_an_object_is_recorded_as_completed(game: Game) -> None:
    assert game.settle(None, {"card_set": {"cards": []}})[1]["card_set"] == {"cards": [], "checked": True}


@pytest.mark.parametrize(
    ("option", "word", "value"),
    [
        ("campaign", "true", True),
        ("limit", "-7", -7),
        ("cap", "none", None),
        ("tie", "none", "none"),
        ("tie", "7", "7"),
    ],
)
def test_a_word_of_the_command_line_is_read(option: str, word: str, value: Any) -> None:
    found = next(known for known in OPTIONS if known.name == option)
    assert found.read(word) == value
