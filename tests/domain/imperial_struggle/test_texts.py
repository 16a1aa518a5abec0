"""The words of Imperial Struggle: complete, alike in both languages, and fitting what they tell."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from domain.imperial_struggle import GAME
from domain.imperial_struggle.components import (
    ADVANTAGES,
    AWARDS,
    BOARD,
    BR,
    COUNTRIES,
    FORTS,
    FR,
    GOODS,
    INVESTMENTS,
    MINISTRIES,
    REGIONS,
    SIDES,
    TYPES,
    USA,
    WAR_TILES,
    WARS,
    Where,
)
from domain.imperial_struggle.events import EVENTS
from domain.imperial_struggle.facts.board import FlagPlaced, FlagRemoved
from domain.imperial_struggle.facts.cards import CardsDealt
from domain.imperial_struggle.facts.wars import BasicsDrawn, BasicsLaid
from domain.imperial_struggle.points import DRAW, Purchase
from domain.imperial_struggle.rules.registry import ABILITIES, CHOICES
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.choices import HOWS, Affect, Choose
from domain.imperial_struggle.steps.conquest import (
    ClearForts,
    ClearMarkets,
    Conquer,
    PlaceUsaFlags,
    Resist,
    SendSquadron,
    ShiftSpain,
)
from domain.imperial_struggle.steps.flow import (
    ChooseFirst,
    ChooseMinistries,
    DropCards,
    OfferUprisings,
    SealBid,
)
from domain.imperial_struggle.steps.goods import ReplaceDemand
from domain.imperial_struggle.steps.hidden import GiveUp, ReturnTheirs
from domain.imperial_struggle.steps.rounds import Act, TakeTile, UseAdvantage
from domain.imperial_struggle.steps.spending import Pay, Sail
from domain.imperial_struggle.steps.tiles import MakeRoom, PlaceBonus, PlanLayout
from domain.imperial_struggle.steps.upgrades import KeepBasic, SwapBasics, Upgrade
from domain.imperial_struggle.steps.wars import FlagSymbol, LoseSquadrons, StrikeSymbol, TakeFlag
from domain.kernel import HIDDEN, AnyFact, Fact, Step
from domain.texts import LANGUAGES
from tests.domain import properties, wording
from tests.domain.imperial_struggle.table import table

ASKING: tuple[Step[State], ...] = (
    SealBid(SIDES),
    PlanLayout(SIDES),
    DropCards(SIDES),
    OfferUprisings(),
    ChooseMinistries(SIDES),
    ChooseFirst(BR),
    TakeTile(BR),
    Act(BR),
    UseAdvantage(BR, "wheat"),
    Sail(BR, "biscay"),
    Pay(BR, Purchase(DRAW)),
    Upgrade(BR),
    SwapBasics(BR),
    KeepBasic(BR, "spain"),
    PlaceBonus(BR),
    MakeRoom(BR, "spain"),
    Affect(BR, "stamp_act", "conflict"),
    Choose(BR, "la_gabelle"),
    ReturnTheirs(BR, "famine_in_ireland"),
    GiveUp(BR, "military_spending_overruns"),
    ReplaceDemand(BR, "le_beau_monde", "fish"),
    StrikeSymbol(BR, "spain", "br_strike_1"),
    FlagSymbol(BR, "spain", "br_unflag_1"),
    LoseSquadrons(BR, "spain", "removed", 1),
    TakeFlag(BR, "spain", Where()),
    Conquer(BR, "spain", 2),
    SendSquadron(BR, "spain", "biscay"),
    Resist(BR, "spain", "gibraltar"),
    ShiftSpain(BR, "spain"),
    PlaceUsaFlags("american_revolution", "usa"),
    ClearForts("american_revolution", "usa", ()),
    ClearMarkets("american_revolution", "usa", ()),
)
ENDINGS = ("turn_sweep", "war_sweep", "victory_points", "final_scoring")
PARTS = ("tiles", "alliances", "keywords", "conflicts", "squadrons", "forts", "byng", "dominance")
LARGEST_HAND = 5


def test_both_languages_say_the_same_things() -> None:
    english, russian = (set(wording.keys(wording.texts_of(GAME, language))) for language in LANGUAGES)
    assert english == russian


def test_every_fact_question_and_option_has_its_words() -> None:
    properties.check_texts_complete(GAME)


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_on_the_table_has_a_name(language: str) -> None:
    theatres = [theatre.id for war in WARS.values() for theatre in war.theatres]
    tiles = [*INVESTMENTS, *AWARDS, *ADVANTAGES, *WAR_TILES]
    assert not wording.unnamed(
        GAME, language, [*BOARD, *COUNTRIES, *REGIONS, *GOODS, *tiles, *WARS, *theatres]
    )
    assert not wording.unnamed(GAME, language, [*EVENTS, *MINISTRIES, *TYPES, *SIDES, USA, HIDDEN])
    assert not wording.unnamed(GAME, language, [GAME.name, *GAME.editions, "turn", "layout", *PARTS])


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_name_that_is_quoted_is_there(language: str) -> None:
    assert not wording.unnamed(GAME, language, wording.quoted(wording.texts_of(GAME, language)))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("ids", [BOARD, EVENTS, MINISTRIES, ADVANTAGES, INVESTMENTS, GOODS, WARS])
def test_no_two_things_of_a_kind_have_the_same_name(ids: list[str], language: str) -> None:
    words = [GAME.texts[language].name(id) for id in ids]
    assert len(set(words)) == len(words)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        ("ask.", list(CHOICES)),
        ("how.", list(HOWS)),
        ("does.", sorted({tile.does for tile in ADVANTAGES.values()})),
    ],
)
def test_what_a_question_may_ask_stands_in_words(prefix: str, expected: list[str], language: str) -> None:
    told = {name for name in GAME.texts[language].names if name.startswith(prefix)}
    assert told == {f"{prefix}{name}" for name in expected}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_condition_ability_and_ending_has_a_name(language: str) -> None:
    conditions = [card.bonus_if.id for card in EVENTS.values() if card.bonus_if]
    keywords = {word for card in MINISTRIES.values() for word in card.keywords}
    assert not wording.unnamed(GAME, language, [*conditions, *keywords, *ABILITIES, *ENDINGS])


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_field_of_the_table_is_called_something(language: str) -> None:
    wording.check_fields(GAME, language, State)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fact_has_a_sentence_that_names_only_what_it_holds(language: str) -> None:
    wording.check_sentences(GAME, language)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("step", ASKING, ids=lambda step: type(step).__name__)
def test_a_question_names_only_what_its_step_tells(step: Step[State], language: str) -> None:
    wording.check_question(GAME, language, step, table(), BR)


def test_every_question_is_among_these() -> None:
    assert {type(step).__name__ for step in ASKING} == set(wording.texts_of(GAME, "en")["asks"])


# ── what is hidden ──


@pytest.mark.parametrize("count", range(1, LARGEST_HAND + 1))
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("fact", [CardsDealt, BasicsDrawn])
def test_hidden_cards_and_tiles_are_counted(fact: Callable[..., AnyFact], language: str, count: int) -> None:
    words = GAME.texts[language]
    sentence = words.sentence(fact(BR, (HIDDEN,) * count))
    assert re.search(rf"\b{count}\b", sentence), sentence
    assert words.name(HIDDEN) not in sentence


LAID = BasicsLaid(FR, {"central_europe": "fr_two_1", "spain": "fr_debt_3"})


@pytest.mark.parametrize(
    ("fact", "english", "russian"),
    [
        (
            LAID,
            "France has its Basic War tiles face down. Central Europe: +2 (A), Spain: 0 / Debt (C).",
            "Франция: обычные военные жетоны лежат лицом вниз. "
            "Центральная Европа: +2 (А), Испания: 0 / долг (В).",
        ),
        (
            LAID.outside(),
            "France has a Basic War tile face down in each theatre.",
            "Франция: на каждом ТВД лицом вниз лежит обычный военный жетон.",
        ),
        (FlagPlaced(BR, "halifax"), "Britain gains a Fort: Halifax.", "Британия получает форт: Галифакс."),
        (FlagRemoved(FR, "halifax"), "France loses its Fort: Halifax.", "Франция теряет форт: Галифакс."),
        (FlagPlaced(BR, "antigua"), "Britain places a flag: Antigua.", "Британия размещает флаг: Антигуа."),
        (FlagRemoved(FR, "antigua"), "France loses its flag: Antigua.", "Франция теряет флаг: Антигуа."),
        (FlagPlaced(USA, "georgia"), "A flag of the USA is placed: Georgia.", "Размещён флаг США: Джорджия."),
    ],
)
def test_a_fact_has_one_sentence(fact: Fact[State], english: str, russian: str) -> None:
    assert tuple(GAME.texts[language].sentence(fact) for language in ("en", "ru")) == (english, russian)


@pytest.mark.parametrize("fact", ["FlagPlaced", "FlagRemoved"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_flag_of_any_fort_is_named_as_a_fort(fact: str, language: str) -> None:
    told = wording.texts_of(GAME, language)["facts"][fact]
    assert [entry["when"]["space"] for entry in told if "space" in entry.get("when", {})] == [list(FORTS)]
