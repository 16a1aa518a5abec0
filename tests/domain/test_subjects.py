"""What options are about: things that the table or the game knows, whatever is asked."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from domain.game import Game
from domain.games import GAMES
from domain.kernel import CHANCE, Answer, Prompt, Table, asked, decide, prompt
from domain.subjects import MANY, Subject, groups, subjects
from replay.scenes.positions import scene
from replay.scenes.vocabulary import plain_scene
from tests.domain import toy
from tests.domain.test_spelling import started
from tests.replay.scenes.matches import strings

MATCHES = {"thirteen_minutes": 12, "cia_vs_kgb": 6, "twilight_struggle": 3, "imperial_struggle": 2}
"""Random matches of each game."""


def questions(game: Game, matches: int) -> Iterator[tuple[Table, Prompt]]:
    """The questions to seats of random matches, each with its table."""
    for seed in range(matches):
        luck = Random(seed)
        table = started(game, luck)
        while seats := asked(table):
            question = prompt(table, seats[0])
            assert question is not None
            if question.seat != CHANCE:
                yield table, question
            count = luck.randint(question.least, min(question.most, len(question.options)))
            picks = tuple(luck.sample(question.options, count))
            table = decide(table, Answer(question.seat, picks), question).table


def found(game: Game, question: Prompt, table: Table) -> list[Subject]:
    return subjects(game, question.ask, question.options, table, lambda: table)


def subject(game: str, ask: str, pick: str) -> Subject:
    """What one pick is about, on an empty table."""
    table = GAMES[game].table(*GAMES[game].settle(None, {}))
    return subjects(GAMES[game], ask, (pick,), table, lambda: table)[0]


@pytest.mark.parametrize("game", GAMES)
def test_options_are_about_things_that_the_scene_or_the_game_knows(game: str) -> None:
    known = GAMES[game]
    ids = {id for kind in known.ids.values() for id in kind}
    names = known.texts["en"].names
    told, asks = 0, set[str]()
    for table, question in questions(known, MATCHES[game]):
        seen = set[str]()
        for pick, subject in zip(question.options, found(known, question, table), strict=True):
            parts = set(pick.split(":"))
            assert set(subject.about) <= {part.partition(".")[0] for part in parts} | parts
            assert not set(subject.about) & {*known.seats, "pass", "yes", "no", "done", "end", "decline"}
            assert not any(id.isdecimal() for id in subject.about)
            for id in {*subject.about} - ids:  # a place of the table, or a card of the match's own set
                seen = seen or set(strings(plain_scene(scene(known, table))))
                assert id in seen, (question.ask, pick)
            missed = {part.partition(".")[0] for part in parts & ids & set(names)} - {*subject.about}
            assert not missed, (question.ask, pick)
            assert subject.verb in (*parts, "")
            told += bool(subject.about)
            asks |= {question.ask} if subject.about else set()
    assert told > 100, "most options are about something"
    assert len(asks) >= 4


@pytest.mark.parametrize(
    ("game", "ask", "pick", "about", "verb"),
    [
        ("twilight_struggle", "PlayCard", "event_first:containment", ("containment",), "event_first"),
        ("twilight_struggle", "PlaceInfluence", "iran", ("iran",), ""),
        ("twilight_struggle", "PlaceInfluence", "done", (), ""),
        ("twilight_struggle", "Bid", "us:3", (), ""),
        ("twilight_struggle", "Coup", "ransom:cuba", ("cuba",), "ransom"),
        ("imperial_struggle", "Act", "flag:prussia_prestige_1", ("prussia_prestige_1",), "flag"),
        ("imperial_struggle", "Act", "ability:choiseul.construct", ("choiseul",), "ability"),
        ("imperial_struggle", "KeepBasic", "br_two_1:remove", ("br_two_1",), "remove"),
        ("imperial_struggle", "Act", "exchange:diplomatic", (), ""),
        ("imperial_struggle", "OfferUprisings", "yes", (), ""),
        ("thirteen_minutes", "PlayCard", "neutral:us-1", ("us-1",), "neutral"),
        ("thirteen_minutes", "CommandCubes", "place:2", (), ""),
        ("cia_vs_kgb", "Act", "pass", (), ""),
        ("cia_vs_kgb", "Act", "activate:guerilla", ("guerilla",), "activate"),
    ],
)
def test_a_pick_is_read_as_its_question_spells_it(
    game: str, ask: str, pick: str, about: tuple[str, ...], verb: str
) -> None:
    told = subject(game, ask, pick)
    assert (told.about, told.verb) == (about, verb)


def test_cuba_is_a_place_of_13_minutes_once_it_lies_there() -> None:
    game = GAMES["thirteen_minutes"]
    for table, question in questions(game, 2):
        if "cuba" in question.options:
            assert Subject(("cuba",)) in found(game, question, table)
            return
    pytest.fail("no question offered Cuba")


def test_a_card_of_the_matchs_own_set_is_a_card() -> None:
    told = subject("thirteen_minutes", "PlayCard", "us_sphere:my-own-card")
    assert (told.about, told.verb) == (("my-own-card",), "us_sphere")


def test_options_of_a_game_that_does_not_spell_its_picks_are_about_what_the_seat_sees() -> None:
    table = toy.State(hands={"left": ("card-2",), "right": ("?",)}, points={"left": 0, "right": 0})
    told = subjects(toy.GAME, "Turn", ("stop", "wave", "card-2", "card-5"), table, lambda: table)
    assert [one.about for one in told] == [(), (), ("card-2",), ()]
    assert subjects(toy.GAME, "Bid", ("0", "3"), table, lambda: table) == [Subject(), Subject()]


def test_what_another_seat_hides_tells_nothing_on_an_option() -> None:
    true = toy.State(hands={"left": ("card-2",), "right": ("card-5",)}, points={})
    own = toy.State(hands={"left": ("card-2",), "right": ("?",)}, points={})
    guess = subjects(toy.GAME, "Turn", ("card-5", "card-4"), true, lambda: own)
    assert guess[0] == guess[1] == Subject(verb="")


def test_the_own_table_is_not_made_for_a_game_that_spells_its_picks() -> None:
    def never() -> Table:
        raise AssertionError("the table of the seat was made")

    game = GAMES["imperial_struggle"]
    for table, question in questions(game, 1):
        subjects(game, question.ask, question.options, table, never)


def test_a_short_list_has_no_groups() -> None:
    assert groups(GAMES["twilight_struggle"], [Subject(("iran",))] * MANY) == [""] * MANY


@pytest.mark.parametrize("game", ["twilight_struggle", "imperial_struggle"])
def test_long_lists_are_grouped_by_things_that_have_a_name(game: str) -> None:
    known, longest = GAMES[game], dict[str, list[str]]()
    for table, question in questions(known, MATCHES[game]):
        found_groups = groups(known, found(known, question, table))
        assert {group for group in found_groups if group} <= set(known.texts["ru"].names)
        if len(question.options) > MANY and len(question.options) > len(longest.get(question.ask, "")):
            longest[question.ask] = found_groups
    assert longest
    for ask, told in longest.items():
        if ask != "SealBid":  # numbers belong to no group
            assert len(set(told)) > 1, ask
            assert sum(map(bool, told)) * 2 > len(told), ask
