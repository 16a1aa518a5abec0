"""Early War events of the USSR that change influence, and Blockade."""

from __future__ import annotations

from typing import Any

import pytest

from domain.kernel import prompt
from domain.twilight_struggle.components import MEMBERS
from domain.twilight_struggle.facts.board import InfluenceSet
from domain.twilight_struggle.facts.cards import CardDiscarded, CardPutAway
from domain.twilight_struggle.facts.flow import ChoiceMade, EventBarred, EventBegan
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.play import Event
from tests.domain.twilight_struggle.table import US, USSR, resolving, table
from tests.scenario import Scenario, given


def happens(card: str, player: str = USSR, **fields: Any) -> Scenario[State]:
    """The event of a USSR card, on this table, played by `player`."""
    return given(resolving(table(**fields), card, player), do=Event(USSR, card))


# ── Socialist Governments ──


def test_socialist_governments_removes_3_at_most_2_from_one_country() -> None:
    game = happens("socialist_governments", us={"italy": 3, "france": 1, "turkey": 1, "poland": 1})
    game.asks(USSR, "italy", "france", "turkey")
    game.when(USSR, "italy").then(InfluenceSet(US, "italy", -1, 2))
    game.when(USSR, "italy").then(InfluenceSet(US, "italy", -1, 1)).asks(USSR, "france", "turkey")
    game.when(USSR, "turkey").then(
        InfluenceSet(US, "turkey", -1, 0), CardPutAway("socialist_governments", "discards")
    )


def test_socialist_governments_removes_what_is_possible() -> None:
    """Ruling: with less than 3 in Western Europe, as much as there is."""
    game = happens("socialist_governments", us={"italy": 1, "japan": 4}).when(USSR, "italy")
    game.then(InfluenceSet(US, "italy", -1, 0), CardPutAway("socialist_governments", "discards"))
    game.asks_nobody()


def test_socialist_governments_is_barred_by_the_iron_lady() -> None:
    happens("socialist_governments", us={"italy": 3}, beside=("the_iron_lady",)).then(
        EventBarred("socialist_governments", "the_iron_lady"),
        CardPutAway("socialist_governments", "discards"),
    )


# ── Fidel, Romanian Abdication ──


@pytest.mark.parametrize(("card", "country"), [("fidel", "cuba"), ("romanian_abdication", "romania")])
def test_fidel_and_romanian_abdication_clear_the_us_and_raise_the_ussr_to_control(
    card: str, country: str
) -> None:
    happens(card, us={country: 2}, ussr={country: 1}).then(
        EventBegan(card, USSR),
        InfluenceSet(US, country, -2, 0),
        InfluenceSet(USSR, country, 2, 3),
        CardPutAway(card, "removed"),
    )


@pytest.mark.parametrize(("card", "country"), [("fidel", "cuba"), ("romanian_abdication", "romania")])
def test_fidel_and_romanian_abdication_never_lower_the_ussr(card: str, country: str) -> None:
    happens(card, ussr={country: 5}).then(EventBegan(card, USSR), CardPutAway(card, "removed"))


# ── Blockade ──


def test_blockade_us_discards_a_card_worth_3_and_its_event_does_not_happen() -> None:
    game = happens("blockade", us={"west_germany": 4}, us_hand=("duck_and_cover", "fidel"))
    game.asks(US, "duck_and_cover", "decline").when(US, "duck_and_cover").then(
        CardDiscarded(US, "duck_and_cover", "blockade"), CardPutAway("blockade", "removed")
    )
    game.has(defcon=5, influence={US: {"west_germany": 4}, USSR: {}})


def test_blockade_us_may_decline_even_when_able() -> None:
    """Ruling: the US loses all of West Germany, and the event counts as played."""
    game = happens("blockade", us={"west_germany": 4}, us_hand=("duck_and_cover",))
    game.when(US, "decline").then(InfluenceSet(US, "west_germany", -4, 0), CardPutAway("blockade", "removed"))


def test_blockade_neither_china_card_nor_scoring_card_is_the_discard() -> None:
    hand = ("asia_scoring", "un_intervention", "fidel")
    happens("blockade", us_hand=hand, china=US).asks(US, "decline")


def test_blockade_purge_lowers_what_a_card_is_worth() -> None:
    """Ruling: the modified value counts; a 3 is only 2, a 4 is still 3."""
    game = happens("blockade", us_hand=("duck_and_cover", "nato"), effects=(("red_scare_purge", US),))
    game.asks(US, "nato", "decline")


def test_blockade_containment_raises_what_a_card_is_worth() -> None:
    game = happens("blockade", us_hand=("fidel", "nasser"), effects=(("containment", US),))
    game.asks(US, "fidel", "decline")


def test_blockade_a_higher_card_satisfies_the_demand() -> None:
    """5.3."""
    happens("blockade", us_hand=("marshall_plan",)).asks(US, "marshall_plan", "decline")


def test_blockade_with_an_empty_hand_still_asks() -> None:
    happens("blockade", us={"west_germany": 2}, player=US).asks(US, "decline")


# ── COMECON, Nasser ──


def test_comecon_adds_1_in_four_countries_the_us_does_not_control() -> None:
    game = happens("comecon", us={"poland": 3, "austria": 1}, ussr={"bulgaria": 3})
    game.refuses(USSR, "poland", "austria", "hungary", "finland")
    game.refuses(USSR, "austria", "hungary", "finland")
    game.when(USSR, "austria", "hungary", "finland", "bulgaria").then(
        InfluenceSet(USSR, "austria", 1, 1),
        InfluenceSet(USSR, "hungary", 1, 1),
        InfluenceSet(USSR, "finland", 1, 1),
        InfluenceSet(USSR, "bulgaria", 1, 4),
        CardPutAway("comecon", "removed"),
    )


@pytest.mark.parametrize(("before", "lost"), [(1, 1), (2, 1), (3, 2), (4, 2)])
def test_nasser_adds_2_and_the_us_loses_half_rounded_up(before: int, lost: int) -> None:
    happens("nasser", us={"egypt": before}).then(
        EventBegan("nasser", USSR),
        InfluenceSet(USSR, "egypt", 2, 2),
        InfluenceSet(US, "egypt", -lost, before - lost),
        CardPutAway("nasser", "removed"),
    )


def test_nasser_without_the_us_in_egypt() -> None:
    happens("nasser").then(
        EventBegan("nasser", USSR), InfluenceSet(USSR, "egypt", 2, 2), CardPutAway("nasser", "removed")
    )


# ── Warsaw Pact Formed ──


def test_warsaw_pact_removes_the_us_from_four_countries() -> None:
    american = {"poland": 1, "hungary": 2, "austria": 1, "finland": 3, "bulgaria": 1, "greece": 2}
    game = happens("warsaw_pact_formed", us=american).asks(USSR, "remove", "add")
    game.when(USSR, "remove").then(ChoiceMade(USSR, "warsaw_pact_formed", "remove"))
    game.asks(USSR, "poland", "hungary", "austria", "finland", "bulgaria")
    game.refuses(USSR, "poland", "hungary", "austria")
    game.when(USSR, "finland", "poland", "hungary", "austria").then(
        InfluenceSet(US, "finland", -3, 0),
        InfluenceSet(US, "poland", -1, 0),
        InfluenceSet(US, "hungary", -2, 0),
        InfluenceSet(US, "austria", -1, 0),
        CardPutAway("warsaw_pact_formed", "beside"),
    )


def test_warsaw_pact_with_fewer_than_four_countries_clears_all_of_them() -> None:
    game = happens("warsaw_pact_formed", us={"poland": 1, "hungary": 2}).when(USSR, "remove")
    game.then(
        ChoiceMade(USSR, "warsaw_pact_formed", "remove"),
        InfluenceSet(US, "poland", -1, 0),
        InfluenceSet(US, "hungary", -2, 0),
        CardPutAway("warsaw_pact_formed", "beside"),
    )
    game.asks_nobody()


def test_warsaw_pact_adds_5_at_most_2_in_one_country() -> None:
    game = happens("warsaw_pact_formed", us={"poland": 5}).when(USSR, "add")
    game.asks(USSR, *MEMBERS["eastern_europe"])
    game.when(USSR, "poland").when(USSR, "poland")
    game.asks(USSR, *(country for country in MEMBERS["eastern_europe"] if country != "poland"))
    game.when(USSR, "romania").when(USSR, "romania").when(USSR, "hungary").then(
        InfluenceSet(USSR, "hungary", 1, 1), CardPutAway("warsaw_pact_formed", "beside")
    )
    game.asks_nobody().has(influence={US: {"poland": 5}, USSR: {"poland": 2, "romania": 2, "hungary": 1}})


# ── De Gaulle Leads France, Suez Crisis, Decolonization ──


def test_de_gaulle_removes_2_and_adds_1_in_france() -> None:
    happens("de_gaulle_leads_france", us={"france": 3}).then(
        EventBegan("de_gaulle_leads_france", USSR),
        InfluenceSet(US, "france", -2, 1),
        InfluenceSet(USSR, "france", 1, 1),
        CardPutAway("de_gaulle_leads_france", "beside"),
    )


def test_suez_crisis_removes_4_at_most_2_from_each_of_three_countries() -> None:
    american = {"france": 3, "united_kingdom": 5, "israel": 1, "italy": 2}
    game = happens("suez_crisis", us=american).asks(USSR, "france", "united_kingdom", "israel")
    game.when(USSR, "united_kingdom").when(USSR, "united_kingdom").asks(USSR, "france", "israel")
    game.when(USSR, "israel").asks(USSR, "france")
    game.when(USSR, "france").then(InfluenceSet(US, "france", -1, 2), CardPutAway("suez_crisis", "removed"))


def test_suez_crisis_removes_what_is_possible() -> None:
    """The limit of 2 holds even where nothing else is left."""
    game = happens("suez_crisis", us={"united_kingdom": 5})
    game.when(USSR, "united_kingdom").when(USSR, "united_kingdom")
    game.asks_nobody().has(influence={US: {"united_kingdom": 3}, USSR: {}})


def test_decolonization_adds_1_in_four_countries_of_africa_and_southeast_asia() -> None:
    game = happens("decolonization", us={"algeria": 2})
    game.asks(USSR, *MEMBERS["africa"], *MEMBERS["southeast_asia"])
    game.refuses(USSR, "algeria", "angola", "burma")
    game.when(USSR, "algeria", "angola", "burma", "thailand").then(
        InfluenceSet(USSR, "algeria", 1, 1),
        InfluenceSet(USSR, "angola", 1, 1),
        InfluenceSet(USSR, "burma", 1, 1),
        InfluenceSet(USSR, "thailand", 1, 1),
        CardPutAway("decolonization", "discards"),
    )


# ── De-Stalinization ──


def test_de_stalinization_printed_example_of_turn_1() -> None:
    """Book 003, example of play: from Finland, Yugoslavia and twice from Iran to four far countries."""
    game = happens(
        "de_stalinization",
        us={"malaysia": 1},
        ussr={"finland": 1, "yugoslavia": 1, "iran": 4},
    )
    for country in ("finland", "yugoslavia", "iran"):
        game.when(USSR, country)
    game.when(USSR, "iran").then(InfluenceSet(USSR, "iran", -1, 2))
    for country in ("chile", "venezuela", "thailand"):
        game.when(USSR, country)
    game.when(USSR, "malaysia").then(
        InfluenceSet(USSR, "malaysia", 1, 1), CardPutAway("de_stalinization", "removed")
    )
    game.has(
        influence={
            US: {"malaysia": 1},
            USSR: {"iran": 2, "chile": 1, "venezuela": 1, "thailand": 1, "malaysia": 1},
        }
    )


def test_de_stalinization_has_no_adjacency_limit() -> None:
    """Ruling (6.1.1): any country of the world that the US does not control."""
    game = happens("de_stalinization", us={"italy": 2, "france": 2}, ussr={"poland": 3})
    game.when(USSR, "poland").when(USSR, "done")
    game.asks(USSR, *(country for country in MEMBERS["world"] if country != "italy"))


def test_de_stalinization_at_most_2_into_one_country() -> None:
    game = happens("de_stalinization", ussr={"poland": 4})
    for _ in range(3):
        game.when(USSR, "poland")
    game.when(USSR, "done").when(USSR, "chile").when(USSR, "chile").refuses(USSR, "chile")


def test_de_stalinization_moves_4_at_most() -> None:
    game = happens("de_stalinization", ussr={"poland": 9})
    for _ in range(4):
        game.asks(USSR, "poland", "done").when(USSR, "poland")
    game.refuses(USSR, "done").has(influence={US: {}, USSR: {"poland": 5}})


def test_de_stalinization_may_move_nothing() -> None:
    game = happens("de_stalinization", ussr={"poland": 3}).when(USSR, "done")
    game.then(CardPutAway("de_stalinization", "removed")).asks_nobody()


# ── what the questions say ──


@pytest.mark.parametrize(
    ("card", "choices", "left", "of"),
    [
        ("socialist_governments", (), 3, 3),
        ("socialist_governments", ("italy",), 2, 3),
        ("suez_crisis", ("france",), 3, 4),
        ("warsaw_pact_formed", ("add", "poland"), 4, 5),
        ("de_stalinization", ("poland",), 3, 4),
        ("de_stalinization", ("poland", "poland", "done", "chile"), 1, 2),
    ],
)
def test_questions_tell_how_much_is_left(card: str, choices: tuple[str, ...], left: int, of: int) -> None:
    game = happens(card, us={"italy": 3, "france": 3}, ussr={"poland": 3})
    for choice in choices:
        game.when(USSR, choice)
    question = prompt(game.table, USSR)
    assert question is not None
    assert (question.why["card"], question.why["left"], question.why["of"]) == (card, left, of)
