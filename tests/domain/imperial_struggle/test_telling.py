"""What a question tells of points, payments and advantages, and what a summary tells of awards and spoils."""

from __future__ import annotations

import pytest

from domain.imperial_struggle import GAME
from domain.imperial_struggle.components import (
    BR,
    DIPLOMATIC,
    ECONOMIC,
    FR,
    INVESTMENTS,
    MILITARY,
    WARS,
)
from domain.imperial_struggle.facts.flow import AwardScored
from domain.imperial_struggle.facts.wars import SpaceConquered, SpoilsTaken
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.tiles import PlanLayout
from domain.kernel import Fact, Prompt, prompt
from domain.texts import LANGUAGES
from tests.domain.imperial_struggle.governing import acting, scoring
from tests.domain.imperial_struggle.refusing import shown
from tests.domain.imperial_struggle.table import major, minor, table
from tests.scenario import Scenario, given

DEBT_LEFT = {BR: 4, FR: 0}  # of a limit of 6


def question(game: Scenario[State], seat: str) -> Prompt:
    """What a seat is asked now."""
    found = prompt(game.table, seat)
    assert found is not None
    return found


# ── action rounds ──


def test_an_action_round_tells_the_points_left_the_treaty_points_and_the_debt_that_may_be_taken() -> None:
    pools = (major(ECONOMIC, 3), minor(MILITARY))
    why = question(acting(BR, pools=pools, treaty={BR: 1, FR: 0}, debt=DEBT_LEFT), BR).why
    assert [why[kind] for kind in (ECONOMIC, DIPLOMATIC, MILITARY)] == [3, 0, 2]
    assert (why["treaty"], why["credit"]) == (1, 2)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sentence_of_an_action_round_names_what_is_left(language: str) -> None:
    pools = (major(ECONOMIC, 31), major(DIPLOMATIC, 32), minor(MILITARY, 33))
    game = acting(BR, pools=pools, treaty={BR: 34, FR: 0}, limit={BR: 35, FR: 6})
    sentence = GAME.texts[language].why(question(game, BR))
    assert [number for number in range(31, 36) if str(number) not in sentence] == []


def test_what_can_only_be_paid_with_debt_says_so() -> None:
    game = acting(BR, pools=(major(ECONOMIC, 1),), br=("antilles_channel",))
    assert shown(game, BR, "flag:antigua").pays == {"major": 1, "debt": 1}


def test_where_there_are_several_ways_to_pay_the_next_question_tells_each() -> None:
    pools = (major(ECONOMIC, 1),)
    game = acting(BR, pools=pools, br=("antilles_channel",), treaty={BR: 1, FR: 0})
    assert shown(game, BR, "flag:antigua").pays == {}
    game.when(BR, "flag:antigua")
    assert shown(game, BR, "major:0").pays == {"major": 1, "debt": 1}
    assert shown(game, BR, "major:1").pays == {"major": 1, "treaty_points": 1}


def test_a_target_of_an_advantage_tells_what_pays_for_it_and_the_question_what_it_does() -> None:
    own, french = ("austria_alliance_3", "sardinia"), ("spain_prestige_2", "spain_alliance_upper")
    game = acting(BR, pools=(major(DIPLOMATIC, 4),), br=own, fr=french).when(BR, "advantage:italy_influence")
    asked = question(game, BR)
    assert asked.why == {"advantage": "italy_influence", "how": "does.fixed"}
    details = [shown(game, BR, pick) for pick in asked.options]
    assert [detail.pays for detail in details] == [{"major": detail.cost} for detail in details]
    assert len(details) > 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_investment_tiles_read_alike(language: str) -> None:
    names = GAME.texts[language].names
    assert len({names[tile] for tile in INVESTMENTS}) == len(INVESTMENTS)


# ── the layout of a war ──


@pytest.mark.parametrize("war", WARS)
def test_12_2_the_layout_names_the_theatres_in_order(war: str) -> None:
    game = given(table(war=war, pools=(), drawn={BR: ("br_one_1",), FR: ()}), do=PlanLayout((BR,)))
    why = question(game, BR).why
    theatres = [theatre.id for theatre in WARS[war].theatres]
    order = [why[place] for place in ("first", "second", "third", "fourth")]
    assert order == [*theatres, "no_theatre"][:4]


# ── awards and spoils ──


def test_an_award_names_the_ministries_that_changed_it() -> None:
    laid = {
        "north_america": "award_1a",
        "europe": "award_0t_a",
        "caribbean": "award_1b",
        "india": "award_0t_b",
    }
    game = scoring("court_of_the_sun_king", "samuel_johnson", laid=laid, fr=("savoy", "algonquin"))
    found = {fact.region: fact.ministries for fact in game.facts if isinstance(fact, AwardScored)}
    assert found["europe"] == ("court_of_the_sun_king", "samuel_johnson")
    assert found["north_america"] == ()


def test_samuel_johnson_is_not_named_where_there_is_nothing_to_take_away() -> None:
    laid = {
        "north_america": "award_1a",
        "europe": "award_0t_a",
        "caribbean": "award_1b",
        "india": "award_0t_b",
    }
    game = scoring("samuel_johnson", laid=laid, fr=("savoy",))
    game.includes(AwardScored("europe", "award_0t_a", 0, 1, FR, 0, 1))


@pytest.mark.parametrize(
    ("fact", "sentence"),
    [
        (
            AwardScored("europe", "award_1a", 0, 1, FR, 2, 0, ("court_of_the_sun_king",)),
            "Europe: Britain 0, France 1. France wins the award, as changed by Court of the Sun King: 2 VP.",
        ),
        (
            SpoilsTaken("spain", BR, 1, 2, 1),
            "Spoils, Spain: 1 VP and 2 conquest points for Britain; the loser gets 1 Treaty Point.",
        ),
        (SpoilsTaken("spain", FR, 1, 0, 0), "Spoils, Spain: 1 VP for France."),
        (SpaceConquered(BR, "arcot", 1, FR), "Britain spends 1 conquest point against France: Arcot."),
        (SpaceConquered(BR, "arcot", 1), "Britain spends 1 conquest point: Arcot."),
    ],
)
def test_awards_spoils_and_conquests_have_sentences(fact: Fact[State], sentence: str) -> None:
    assert GAME.texts["en"].sentence(fact) == sentence
