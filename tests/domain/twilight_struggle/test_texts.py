"""The words of Twilight Struggle: complete, alike in both languages, and fitting what they tell."""

from __future__ import annotations

import re

import pytest

from domain.kernel import HIDDEN, Ended, Fact, Step
from domain.texts import LANGUAGES, Texts
from domain.twilight_struggle import GAME
from domain.twilight_struggle.components import CIVIL_WAR, MAP, MEMBERS, SIDES, SPACE
from domain.twilight_struggle.facts.board import CoupRolled, InfluenceSet
from domain.twilight_struggle.facts.cards import CardsDealt, ChinaPassed, HandShown, TopSeen
from domain.twilight_struggle.facts.flow import BidMade
from domain.twilight_struggle.facts.tracks import CountryLeftOut, RegionScored, ScoreMoved, Tally
from domain.twilight_struggle.rules.board import ANYWHERE
from domain.twilight_struggle.rules.operations import Ops
from domain.twilight_struggle.rules.registry import CARDS, CHOICES
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.choices import (
    AddEach,
    Choose,
    Double,
    Drain,
    OrderHand,
    Relocate,
    RemoveEach,
    Spread,
)
from domain.twilight_struggle.steps.flow import ChooseHeadline, DropCard
from domain.twilight_struggle.steps.operations import Coup, Operate, PlaceInfluence, Realign, TrySpace
from domain.twilight_struggle.steps.play import PlayCard, PlayTaken
from domain.twilight_struggle.steps.setup import MOST_BID, Bid, PlaceExtra, PlaceFree, SealBid
from tests.domain import properties, wording
from tests.domain.twilight_struggle.table import table

ENDINGS = ("nuclear_war", "victory_points", "europe_controlled", "held_scoring_card", "final_scoring")
NEEDS = [card.needs[0] for card in CARDS.values() if card.needs]
REASONS = ("space", "military_operations", "bid")
OPS = Ops("fidel", 2)
ASKING: tuple[Step[State], ...] = (
    SealBid(SIDES),
    Bid("us"),
    PlaceExtra("us", "bid", 2, 2),
    ChooseHeadline(SIDES),
    PlayCard("us"),
    PlayTaken("us", "fidel", "ussr"),
    Operate("us", OPS),
    PlaceInfluence("us", OPS),
    Realign("us", OPS),
    Coup("us", OPS),
    TrySpace("us", OPS),
    AddEach("us", "fidel", "us", ANYWHERE, 2),
    RemoveEach("us", "fidel", "ussr", ANYWHERE, 2, 0),
    Spread("us", "fidel", "us", ANYWHERE, 2, 3, 2),
    PlaceFree("us", "setup", "us", ANYWHERE, 2, 7, 7),
    Drain("us", "fidel", "ussr", ANYWHERE, 2, 3, 2),
    Double("us", "fidel", "us", ANYWHERE, 2),
    Choose("us", "blockade"),
    OrderHand("ussr", "aldrich_ames_2nd"),
    Relocate("us", "fidel", "us", ANYWHERE, 4, 2),
    DropCard("us"),
)
LARGEST_HAND = 10  # nine cards, and one more to be safe


def spoken(language: str, edition: str) -> Texts:
    """The words of a match of an edition."""
    edition, options = GAME.settle(edition, {})
    return GAME.words(language, options, edition)


def test_both_languages_say_the_same_things() -> None:
    english, russian = (wording.texts_of(GAME, language) for language in LANGUAGES)
    second = [GAME.texts[language].edition("second") for language in LANGUAGES]
    only_russian = set(second[1]) - set(second[0])
    assert set(second[0]) <= set(second[1])
    assert set(wording.keys({**english, "editions": {}})) == set(wording.keys({**russian, "editions": {}}))
    assert only_russian <= {*CARDS, *MAP, *NEEDS, GAME.name}


def test_every_fact_question_and_option_has_its_words() -> None:
    properties.check_texts_complete(GAME)


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_on_the_table_has_a_name(language: str) -> None:
    boxes = [f"space.{box}" for box in SPACE]
    abilities = [box.ability for box in SPACE.values() if box.ability]
    assert not wording.unnamed(
        GAME, language, [*CARDS, *MAP, *MEMBERS, CIVIL_WAR, *boxes, *abilities, *SIDES]
    )
    assert not wording.unnamed(GAME, language, [GAME.name, "turn", HIDDEN, "finlandization", *GAME.editions])


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_name_that_is_quoted_is_there(language: str) -> None:
    assert not wording.unnamed(GAME, language, wording.quoted(wording.texts_of(GAME, language)))


@pytest.mark.parametrize("edition", GAME.editions)
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_cards_countries_or_regions_have_the_same_name(language: str, edition: str) -> None:
    """Of the cards, those that an edition has."""
    texts = spoken(language, edition)
    cards = [id for id, card in CARDS.items() if edition in card.editions]
    for ids in (cards, MAP, MEMBERS):
        words = [texts.name(id) for id in ids]
        assert len(set(words)) == len(words)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_question_of_a_card_is_asked_in_words(language: str) -> None:
    asked = {name for name in GAME.texts[language].names if name.startswith("ask.")}
    assert asked == {f"ask.{name}" for name in CHOICES}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_card_says_what_it_does(language: str) -> None:
    told = {card: GAME.texts[language].card(card) or "" for card in CARDS}
    assert set(told) == set(GAME.texts[language].cards)
    assert all(text.endswith(".") and "{" not in text for text in told.values())
    assert len(set(told.values())) == len(told)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_has_a_name(language: str) -> None:
    bars = [other for card in CARDS.values() for other in card.barred_by]
    bids = [f"{side}:{points}" for side in SIDES for points in range(MOST_BID + 1)]
    assert not wording.unnamed(GAME, language, [*NEEDS, *bars, *bids, *ENDINGS, *REASONS])


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_field_of_the_table_is_called_something(language: str) -> None:
    wording.check_fields(GAME, language, State)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fact_has_a_sentence_that_names_only_what_it_holds(
    language: str,
) -> None:
    wording.check_sentences(GAME, language)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("step", ASKING, ids=lambda step: type(step).__name__)
def test_a_question_names_only_what_its_step_tells(step: Step[State], language: str) -> None:
    wording.check_question(GAME, language, step, table(), "us")


def test_every_question_is_among_these() -> None:
    assert {type(step).__name__ for step in ASKING} == set(wording.texts_of(GAME, "en")["asks"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_second_edition_renames_what_has_a_name(language: str) -> None:
    names = GAME.texts[language].names
    second = GAME.texts[language].edition("second")
    assert second
    assert set(second) <= set(names)
    assert not [id for id, name in second.items() if name == names[id]]


@pytest.mark.parametrize(
    ("id", "deluxe", "second"),
    [
        ("twilight_struggle", "Сумеречная борьба", "Мрачная борьба"),
        ("quagmire", "Вторжение во Вьетнам", "Затруднительное положение"),
        ("vietnam_revolts", "Революция во Вьетнаме", "Вьетнам восстаёт"),
        ("china_card", "Китайская карта", "Карточка Китая"),
        ("united_kingdom", "Великобритания", "Соединённое Королевство"),
        ("fidel", "Фидель Кастро", "Фидель Кастро"),
    ],
)
def test_a_match_names_things_as_the_book_of_its_edition(id: str, deluxe: str, second: str) -> None:
    assert [spoken("ru", edition).name(id) for edition in ("deluxe", "second")] == [deluxe, second]


@pytest.mark.parametrize(
    ("edition", "sentence"),
    [
        ("deluxe", "«Китайская карта» переходит к США лицом вниз."),
        ("second", "«Карточка Китая» переходит к США лицом вниз."),
    ],
)
def test_sentences_quote_cards_as_the_edition_names_them(edition: str, sentence: str) -> None:
    assert spoken("ru", edition).sentence(ChinaPassed("us", ready=False)) == sentence


@pytest.mark.parametrize(
    ("edition", "field"),
    [("deluxe", "у кого «Китайская карта»"), ("second", "у кого «Карточка Китая»")],
)
def test_fields_quote_cards_as_the_edition_names_them(edition: str, field: str) -> None:
    assert spoken("ru", edition).field("china") == field


@pytest.mark.parametrize(
    ("edition", "label"),
    [
        ("deluxe", "Вернуть карту и провести операции за «Поставки зерна в СССР»"),
        ("second", "Вернуть карту и провести операции за «Продажа зерна Советам»"),
    ],
)
def test_labels_quote_cards_as_the_edition_names_them(edition: str, label: str) -> None:
    assert spoken("ru", edition).label("PlayTaken", "return") == label


# --------------------------------------------------------------------------- what is hidden


@pytest.mark.parametrize("count", range(1, LARGEST_HAND + 1))
@pytest.mark.parametrize("language", LANGUAGES)
def test_hidden_cards_are_counted(language: str, count: int) -> None:
    words, hidden = GAME.texts[language], (HIDDEN,) * count
    for fact in (CardsDealt("us", hidden), HandShown("ussr", hidden, "cia_created"), TopSeen("us", hidden)):
        sentence = words.sentence(fact)
        assert re.search(rf"\b{count}\b", sentence), sentence
        assert words.name(HIDDEN) not in sentence


@pytest.mark.parametrize(
    ("fact", "english", "russian"),
    [
        (
            BidMade("us", HIDDEN),
            "The US seat has written down its bid.",
            "Место США: ставка записана.",
        ),
        (
            BidMade("us", "ussr:3"),
            "The US seat bids: USSR, 3.",
            "Место США ставит: СССР, 3.",
        ),
        (
            ScoreMoved("us", 2, -3, "olympic_games"),
            "The US gains 2 VP (Olympic Games); the score is -3.",
            "США: +2 ПО (Олимпийские игры), счёт -3.",
        ),
        (
            InfluenceSet("us", "iran", 2, 4),
            "The US adds 2 influence in Iran: 4 now.",
            "Иран: влияние США +2, теперь 4.",
        ),
        (
            InfluenceSet("ussr", "cuba", -2, 1),
            "The USSR loses 2 influence in Cuba: 1 left.",
            "Куба: влияние СССР -2, осталось 1.",
        ),
        (
            InfluenceSet("ussr", "cuba", -3, 0),
            "The USSR loses 3 influence in Cuba: none left.",
            "Куба: влияние СССР -3, больше его там нет.",
        ),
        (
            CoupRolled("us", "iran", 4, 3, 0, 2, 3),
            "Coup of the US in Iran: roll 4 + Operations 3 - 2 × stability 2 = 3. It succeeds.",
            "Переворот США, Иран: бросок 4 + ОО 3 - 2 × стабильность 2 = 3. Успех.",
        ),
        (
            CoupRolled("us", "chile", 5, 3, 1, 3, 3),
            "Coup of the US in Chile: roll 5 (+1) + Operations 3 - 2 × stability 3 = 3. It succeeds.",
            "Переворот США, Чили: бросок 5 (+1) + ОО 3 - 2 × стабильность 3 = 3. Успех.",
        ),
        (
            CoupRolled("us", "iran", 1, 3, 0, 2, 0),
            "Coup of the US in Iran: roll 1 + Operations 3 - 2 × stability 2 = 0. It fails.",
            "Переворот США, Иран: бросок 1 + ОО 3 - 2 × стабильность 2 = 0. Неудача.",
        ),
        (
            CoupRolled("ussr", "iran", 1, 3, -1, 2, -1),
            "Coup of the USSR in Iran: roll 1 (-1) + Operations 3 - 2 × stability 2 = -1. It fails.",
            "Переворот СССР, Иран: бросок 1 (-1) + ОО 3 - 2 × стабильность 2 = -1. Неудача.",
        ),
        (
            CardsDealt("us", ("?", "?")),
            "The US is dealt 2 cards.",
            "В руку США из колоды: 2 карты.",
        ),
        (
            HandShown("us", (), "lone_gunman"),
            'The US has no cards to show ("Lone Gunman").',
            "Показывать нечего: у США нет карт (Убийство Джона Кеннеди).",
        ),
        (
            RegionScored(
                "asia",
                Tally("domination", 10, ("japan", "south_korea", "laos_cambodia"), ("japan",), ("japan",)),
                Tally("none", 0),
                10,
            ),
            "Asia is scored. The US: Domination (battlegrounds: Japan; next to the USSR: Japan), 10 VP. "
            "The USSR: nothing (battlegrounds: none; next to the US: none), 0 VP. Net for the US: +10.",
            "Подсчёт очков, Азия. США: превосходство (ключевые страны: Япония; рядом с СССР: Япония), 10 ПО. "
            "СССР: ничего (ключевые страны: нет; рядом с США: нет), 0 ПО. Итог для США: +10.",
        ),
        (
            RegionScored(
                "southeast_asia", Tally("none", 1, ("burma",)), Tally("none", 3, ("thailand", "vietnam")), -2
            ),
            "Southeast Asia is scored. The US: Burma, 1 VP. The USSR: Thailand and Vietnam, 3 VP. "
            "Net for the US: -2.",
            "Подсчёт очков, Юго-Восточная Азия. США: Бирма, 1 ПО. СССР: Таиланд и Вьетнам, 3 ПО. "
            "Итог для США: -2.",
        ),
        (
            CountryLeftOut(""),
            "Shuttle Diplomacy finds no battleground of the USSR to leave out.",
            "«Челночная дипломатия»: у СССР нет ключевых стран, которые можно не учитывать.",
        ),
        (
            Ended(None, "final_scoring"),
            "The match is drawn: final scoring.",
            "Ничья: финальный подсчёт очков.",
        ),
        (Ended("ussr", "nuclear_war"), "The USSR wins: nuclear war.", "Победа за СССР: ядерная война."),
    ],
)
def test_a_fact_has_one_sentence(fact: Fact[State], english: str, russian: str) -> None:
    words: tuple[Texts, ...] = tuple(GAME.texts[language] for language in ("en", "ru"))
    assert tuple(text.sentence(fact) for text in words) == (english, russian)
