"""Narration: one sentence for every fact and every entry, in English and in Russian."""

from __future__ import annotations

import re
from datetime import timedelta, timezone
from itertools import cycle
from typing import Any

import pytest

from domain.events import Played, Seated
from domain.game import Game
from domain.games import GAMES
from domain.imperial_struggle.components import BOARD
from domain.imperial_struggle.state import State as Struggle
from domain.kernel import Result
from domain.match import Match
from domain.match_base import ALL
from domain.piles import Pile
from domain.texts import LANGUAGES, Texts
from domain.twilight_struggle.state import Effect, InPlay, State
from replay.narration import narrate, narrated
from replay.terminal import as_text, picture, table_picture
from replay.words import Words
from tests.domain import toy
from tests.matches import Sitting, finished
from tests.replay.files import recorded_match, short_match, with_everything

SENTENCES = {
    "RoundBegan": "Round {round} begins.",
    "RoundEnded": "Round {round} ends.",
    "Dealt": "{seat} is dealt {card}.",
    "BidPlaced": "{seat} bids.",
    "BidsOpened": "The bids are opened.",
    "CardPlayed": "{seat} plays {card}.",
    "Rolled": "{seat} rolls {die}.",
    "Waved": "{seat} waves.",
    "Ended": "It is over: {reason}.",
}


@pytest.fixture
def told_game(toy_game: Game, monkeypatch: pytest.MonkeyPatch) -> Game:
    """The toy game with texts (in one language, for both)."""
    names = {"left": "Left", "right": "Right", "points": "more points", "first": "first edition"}
    data = {
        "names": names,
        "facts": {fact: [{"says": says}] for fact, says in SENTENCES.items()},
        "asks": {"Bid": {"why": "Bid"}, "Turn": {"why": "Play", "picks": {"stop": "I stop"}}},
    }
    texts = {language: Texts(language, data) for language in LANGUAGES}
    monkeypatch.setitem(vars(toy_game), "texts", texts)
    return toy_game


def text_of(match: Match, language: str = "en", viewer: str | None = ALL) -> list[str]:
    return [paragraph.text for paragraph in narrated(match, Words(match, language), viewer)]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fact_of_every_move_is_a_sentence(name: str, language: str) -> None:
    match = finished(GAMES[name], 4).match
    words = Words(match, language)
    for viewer in (None, *match.game.seats, ALL):
        for paragraph, record in zip(narrated(match, words, viewer), match.records, strict=True):
            facts = record.facts if viewer == ALL else record.facts_for(viewer)
            assert len(paragraph.facts) == len(facts)
            assert (paragraph.move, paragraph.at) == (record.move, record.entry.at)
            for sentence in (paragraph.done, *paragraph.facts):
                assert sentence[-1] in ".!?»”", sentence
                assert not set(sentence) & set("{}_"), sentence


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_of_entry_is_a_sentence(told_game: Game, language: str) -> None:
    kinds: set[str] = set()
    for match in (with_everything(told_game), short_match(told_game), recorded_match(told_game)):
        for paragraph in narrated(match, Words(match, language), ALL):
            assert paragraph.done
            assert "{" not in paragraph.done
            kinds.add(paragraph.kind)
    assert len(kinds) == 10


def test_takebacks_and_rulings_in_words(told_game: Game) -> None:
    english, russian = text_of(with_everything(told_game)), text_of(with_everything(told_game), "ru")
    for sentence in (
        "Left asks to go back to the table after move 3.",
        "Right does not agree to go back.",
        "Right agrees to go back.",
        "The table is as it was after move 3, by agreement.",
        "Left resigns.",
        "The match's secret is opened: every draw can be recomputed.",
    ):
        assert sentence in english
    assert any(text.endswith("Reason: the clock stood still") for text in english)
    assert "По соглашению на столе снова положение после хода 3." in russian
    assert "The organizer rules the match void. Reason: nobody came" in text_of(short_match(told_game))


def test_moves_that_were_taken_back_are_marked(told_game: Game) -> None:
    match = with_everything(told_game)
    stands = [paragraph.stands for paragraph in narrated(match, Words(match, "en"))]
    assert not all(stands)
    assert stands[0]


def test_the_sentence_of_a_ruled_result_has_the_score(told_game: Game) -> None:
    sitting = Sitting(told_game).seat_all()
    result = Result("left", "points", {"left": 3, "right": 1})
    sitting.accept(sitting.match.rule(sitting.context, "p9", "no show", result=result))
    english = text_of(sitting.match)
    assert english[-3] == (
        "The organizer rules the result: Left wins, more points (Left 3, Right 1). Reason: no show"
    )
    assert english[-1] == "The match is over: Left wins, more points (Left 3, Right 1)."


def test_only_viewers_who_know_secret_picks_see_them(told_game: Game) -> None:
    sitting = Sitting(told_game).seat_all()
    sitting.answer("left", "3")
    match, words = sitting.match, Words(sitting.match, "en")
    assert narrate(match, 4, words, "left").done == "Left: 3."
    assert narrate(match, 4, words, "right").done == "Left answers in secret."
    assert narrate(match, 4, words).done == "Left answers in secret."


def test_a_pick_is_shown_by_its_label(told_game: Game) -> None:
    match = finished(told_game).match
    stop = next(r for r in match.records if isinstance(r.entry, Played) and r.entry.picks == ("stop",))
    assert narrate(match, stop.move, Words(match, "en")).done.endswith(": I stop.")


def test_people_are_named_where_they_are_known(told_game: Game) -> None:
    match = finished(told_game).match
    words = Words(match, "en")
    seats = [record.move for record in match.records if isinstance(record.entry, Seated)]
    people = {"p-left": "Anna", "p-right": None}
    first, second = (narrate(match, move, words, None, people).done for move in seats)
    assert first == "Anna sits down: Left. Left gives no salt."
    assert second == (
        "a player who was forgotten sits down: Right. Right gives no salt. Every seat is taken; play begins."
    )
    bots = finished(told_game, bots=True).match
    assert narrate(bots, 2, words).done == "A bot plays Left (random)."


def test_options_that_are_not_the_default_are_named(told_game: Game) -> None:
    match = Sitting(told_game, options={"rounds": 3}).match
    assert text_of(match, viewer=None) == ["The match is opened: toy, first edition, rounds = 3."]


def test_a_fact_without_a_sentence_is_shown_by_its_ids(
    told_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = finished(told_game).match
    words = Words(match, "en")
    assert words.fact(toy.Waved("left")).text == "Left waves."
    monkeypatch.delitem(told_game.texts["en"]._data["facts"], "Waved")
    assert words.fact(toy.Waved("left")).text == "Waved Waved(seat='left')"


def test_times_are_utc_with_the_local_time_beside(told_game: Game) -> None:
    words = Words(Sitting(told_game).match, "en")
    at = 1_790_000_000_000_000
    moscow, tonga = timezone(timedelta(hours=3)), timezone(timedelta(hours=13))
    assert words.moment(at, moscow) == "2026-09-21 14:13:20 UTC (17:13:20 local)"
    assert words.moment(at, tonga) == "2026-09-21 14:13:20 UTC (2026-09-22 03:13:20 local)"
    assert words.moment(None) == words.moment(10**30) == "time unknown"


def test_an_unknown_language_is_refused(told_game: Game) -> None:
    with pytest.raises(ValueError, match="no words in 'fr'; there are: en, ru"):
        Words(Sitting(told_game).match, "fr")


# ── pictures ──


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_position_can_be_drawn(name: str, language: str) -> None:
    match = finished(GAMES[name], 2).match
    words = Words(match, language)
    for move, viewer in zip(
        range(1, match.move + 1, 5), cycle((None, match.game.seats[0], ALL)), strict=False
    ):
        drawn = as_text(picture(match, words, move, viewer), 100)
        assert all(len(line) <= 100 for line in drawn.splitlines())
        assert words.game in drawn
        assert str(move) in drawn.splitlines()[0]


def test_a_picture_shows_the_table_and_the_move() -> None:
    match = finished(GAMES["thirteen_minutes"], 3).match
    drawn = as_text(picture(match, Words(match, "en"), 20, ALL))
    for words in (
        "13 Minutes · move 20 of 36 · USSR to answer",
        "view: everything",
        "supply   0",
        "Cuba: Operation Anadyr",
    ):
        assert words in drawn
    hidden = as_text(picture(match, Words(match, "en"), 20, None))
    assert "Cuba: a hidden card" in hidden
    assert "2 cards   1 card" in hidden
    assert "Anadyr" not in hidden


@pytest.mark.parametrize(
    ("language", "influence", "playing"),
    [
        ("en", "Canada 2, United Kingdom 5, Iran 1", "card NATO, side US; card Fidel, side USSR"),
        (
            "ru",
            "Канада 2, Великобритания 5, Иран 1",
            "карта НАТО, сторона США; карта Фидель Кастро, сторона СССР",
        ),
    ],
)
def test_numbers_and_structs_within_a_field_are_drawn_as_names(
    language: str, influence: str, playing: str
) -> None:
    """What each key holds, in the order of the game's names; a struct without what is empty in it."""
    table = State(
        influence={"us": {"iran": 1, "united_kingdom": 5, "canada": 2}, "ussr": {}},
        at_start={"us": {"japan": 1}, "ussr": {"japan": 1}},
        playing=(InPlay("nato", "us"), InPlay("fidel", "ussr")),
        effects=(Effect("containment", "us"),),
    )
    words = Words(Sitting(GAMES["twilight_struggle"]).match, language)
    drawn = as_text(table_picture(table, words), 200)
    assert re.search(rf"{influence} +—$", drawn, flags=re.MULTILINE)
    assert playing in drawn
    assert not re.search("{|_|Japan|Япония|region|регион", drawn)


def drawn_struggle(language: str, table: Any) -> str:
    words = Words(Sitting(GAMES["imperial_struggle"]).match, language)
    return as_text(table_picture(table, words), 80)


@pytest.mark.parametrize(
    ("language", "britain", "france"),
    [("en", "Britain", "France"), ("ru", "Британия", "Франция")],
)
def test_many_ids_with_few_values_are_drawn_by_value(language: str, britain: str, france: str) -> None:
    """Every space of the board has a flag, and the name of every space is written out."""
    flags = {space: ("fr", "br")[place % 2] for place, space in enumerate(BOARD)}
    drawn = drawn_struggle(language, Struggle(flags=flags))
    assert re.findall(f"^  ({britain}|{france}) ", drawn, flags=re.MULTILINE) == [britain, france]
    assert "…" not in drawn
    shown = " ".join(drawn.split())
    names = GAMES["imperial_struggle"].texts[language].names
    assert not [line for line in drawn.splitlines() if len(line) > 80]
    assert not [space for space in BOARD if names[space] not in shown]


def test_ids_of_different_values_have_a_row_each_and_of_value_0_are_only_listed() -> None:
    names = GAMES["imperial_struggle"].texts["en"].names
    table = Struggle(
        margins={"central_europe": 3, "jacobite_rebellion": 0}, conflicts={"madras": 0, "calcutta": 0}
    )
    drawn = drawn_struggle("en", table)
    assert re.search(rf"^  {names['central_europe']} +3$", drawn, flags=re.MULTILINE)
    assert re.search(rf"^  {names['jacobite_rebellion']} +0$", drawn, flags=re.MULTILINE)
    assert re.search("^Conflict markers\n  (Calcutta, Madras|Madras, Calcutta)$", drawn, flags=re.MULTILINE)


@pytest.mark.parametrize(
    ("language", "stack", "deck"),
    [("en", "2 tiles", "2 cards"), ("ru", "2 жетона", "2 карты")],
)
def test_what_lies_in_a_pile_is_counted_as_what_it_is(language: str, stack: str, deck: str) -> None:
    drawn = drawn_struggle(language, Struggle(stack=Pile.of("ab"), deck=Pile.of("cd"), awards=Pile()))
    assert stack in drawn
    assert deck in drawn


def test_a_field_that_its_game_calls_idle_is_left_out_while_it_is_0() -> None:
    assert "Merchant" not in drawn_struggle("en", Struggle())
    assert "resistance" not in drawn_struggle("en", Struggle())
    assert "Merchant Banks ignored: 1" in drawn_struggle("en", Struggle(merchants=1))
    assert re.search(
        "resistance in this war +0 +2", drawn_struggle("en", Struggle(refused={"br": 0, "fr": 2}))
    )


def test_the_end_is_drawn_with_its_result() -> None:
    match = finished(GAMES["cia_vs_kgb"], 6).match
    drawn = as_text(picture(match, Words(match, "ru")))
    assert "партия окончена" in drawn
    assert "победа: КГБ" in drawn


def test_the_same_position_is_drawn_the_same(told_game: Game) -> None:
    match = with_everything(told_game)
    words = Words(match, "en")
    gone = next(p.move for p in narrated(match, words) if not p.stands)
    drawn = as_text(picture(match, words, gone))
    assert "this move was taken back" in drawn
    assert drawn == as_text(picture(match, words, gone))
