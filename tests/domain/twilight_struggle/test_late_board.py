"""Late War cards that change influence and points at once."""

from __future__ import annotations

import pytest

from domain.twilight_struggle.facts.board import InfluenceSet
from domain.twilight_struggle.facts.cards import CardPutAway, MarkerEnded
from domain.twilight_struggle.facts.flow import EventBarred, EventBegan
from domain.twilight_struggle.facts.tracks import ScoreMoved
from domain.twilight_struggle.rules.hand import ops_of
from domain.twilight_struggle.rules.operations import Ops
from domain.twilight_struggle.steps.operations import Coup, Realign
from domain.twilight_struggle.steps.play import Event, PlayCard
from tests.domain.twilight_struggle.table import US, USSR, resolving, table
from tests.scenario import given


def test_iranian_hostage_crisis_turns_iran_over() -> None:
    s = resolving(table(us={"iran": 3}, ussr={"iran": 1}), "iranian_hostage_crisis", USSR)
    given(s, do=Event(USSR, "iranian_hostage_crisis")).then(
        EventBegan("iranian_hostage_crisis", USSR),
        InfluenceSet(US, "iran", -3, 0),
        InfluenceSet(USSR, "iran", 2, 3),
        CardPutAway("iranian_hostage_crisis", "beside"),
    )


def test_the_iron_lady_moves_influence_and_scores() -> None:
    s = resolving(table(us={"united_kingdom": 5}, ussr={"united_kingdom": 2}), "the_iron_lady", US)
    given(s, do=Event(US, "the_iron_lady")).then(
        EventBegan("the_iron_lady", US),
        InfluenceSet(USSR, "argentina", 1, 1),
        InfluenceSet(USSR, "united_kingdom", -2, 0),
        ScoreMoved(US, 1, 1, "the_iron_lady"),
        CardPutAway("the_iron_lady", "beside"),
    )


def test_the_iron_lady_played_first_opens_no_argentina_for_the_operations_of_the_round() -> None:
    """6.1.1: what the event added was not there when the round began."""
    s = table(phasing=USSR, turn=8, ussr_hand=("the_iron_lady",))
    played = given(s, do=PlayCard(USSR)).when(USSR, "event_first:the_iron_lady")
    played.includes(InfluenceSet(USSR, "argentina", 1, 1)).when(USSR, "influence")
    played.asks(USSR, "afghanistan", "finland", "north_korea", "poland", "romania")


@pytest.mark.parametrize(("held", "points"), [(0, 0), (1, 0), (2, 1), (5, 2), (6, 3)])
def test_reagan_bombs_libya_scores_half_the_influence_rounded_down(held: int, points: int) -> None:
    ussr = {"libya": held} if held else {}
    s = resolving(table(ussr=ussr), "reagan_bombs_libya", US)
    scored = (ScoreMoved(US, points, points, "reagan_bombs_libya"),) if points else ()
    given(s, do=Event(US, "reagan_bombs_libya")).then(
        EventBegan("reagan_bombs_libya", US), *scored, CardPutAway("reagan_bombs_libya", "removed")
    ).has(influence={US: {}, USSR: ussr})


@pytest.mark.parametrize(("vp", "count"), [(1, 4), (0, 4), (-1, 6)])
def test_the_reformer_adds_4_or_6_where_the_ussr_leads(vp: int, count: int) -> None:
    s = resolving(table(vp=vp), "the_reformer", USSR)
    reform = given(s, do=Event(USSR, "the_reformer"))
    for country in ("poland", "poland", "italy", "italy", "france", "france")[:count]:
        reform.asks(USSR).when(USSR, country)
    reform.asks_nobody().has(beside=("the_reformer",))
    assert sum(reform.table.influence[USSR].values()) == count


def test_the_reformer_adds_at_most_2_in_one_country_and_only_in_europe() -> None:
    s = resolving(table(vp=-3), "the_reformer", USSR)
    reform = given(s, do=Event(USSR, "the_reformer")).refuses(USSR, "angola")
    reform.when(USSR, "poland").when(USSR, "poland").refuses(USSR, "poland").refuses(USSR, "done")


def test_the_reformer_bars_coups_of_the_ussr_in_europe_free_ones_too_but_no_realignments() -> None:
    us = {"italy": 1, "nigeria": 1}
    s = table(phasing=USSR, us=us, ussr={"italy": 1}, beside=("the_reformer",))
    free = Ops("junta", 2, free=True, granted=True)
    given(s, do=Coup(USSR, ops_of("fidel"))).asks(USSR, "nigeria")
    given(s, do=Coup(USSR, free)).asks(USSR, "nigeria")
    given(s, do=Realign(USSR, ops_of("fidel"))).asks(USSR, "italy", "nigeria")
    given(s, do=Coup(US, ops_of("fidel"))).asks(US, "italy")


def test_marine_barracks_bombing_clears_lebanon_and_takes_2_more() -> None:
    us = {"lebanon": 2, "egypt": 2, "israel": 1, "italy": 1}
    s = resolving(table(us=us), "marine_barracks_bombing", USSR)
    given(s, do=Event(USSR, "marine_barracks_bombing")).then(
        EventBegan("marine_barracks_bombing", USSR), InfluenceSet(US, "lebanon", -2, 0)
    ).asks(USSR, "egypt", "israel").when(USSR, "egypt").then(InfluenceSet(US, "egypt", -1, 1)).when(
        USSR, "israel"
    ).then(InfluenceSet(US, "israel", -1, 0), CardPutAway("marine_barracks_bombing", "removed"))


def test_marine_barracks_bombing_may_take_both_from_one_country() -> None:
    s = resolving(table(us={"egypt": 3, "israel": 1}), "marine_barracks_bombing", USSR)
    bombing = given(s, do=Event(USSR, "marine_barracks_bombing")).when(USSR, "egypt").when(USSR, "egypt")
    bombing.asks_nobody().has(influence={US: {"egypt": 1, "israel": 1}, USSR: {}})


def test_marine_barracks_bombing_takes_what_there_is() -> None:
    s = resolving(table(us={"lebanon": 1, "israel": 1}), "marine_barracks_bombing", USSR)
    bombing = given(s, do=Event(USSR, "marine_barracks_bombing")).when(USSR, "israel")
    bombing.asks_nobody().has(influence={US: {}, USSR: {}}, removed=("marine_barracks_bombing",))


def test_pershing_ii_deployed_scores_and_takes_one_from_three_countries() -> None:
    us = {"france": 2, "italy": 1, "united_kingdom": 5, "canada": 1, "poland": 1}
    s = resolving(table(us=us), "pershing_ii_deployed", USSR)
    given(s, do=Event(USSR, "pershing_ii_deployed")).then(
        EventBegan("pershing_ii_deployed", USSR), ScoreMoved(USSR, 1, -1, "pershing_ii_deployed")
    ).asks(USSR, "france", "italy", "united_kingdom", "canada").refuses(USSR, "france", "italy").when(
        USSR, "france", "italy", "canada"
    ).then(
        InfluenceSet(US, "france", -1, 1),
        InfluenceSet(US, "italy", -1, 0),
        InfluenceSet(US, "canada", -1, 0),
        CardPutAway("pershing_ii_deployed", "removed"),
    )


def test_pershing_ii_deployed_takes_from_all_where_the_us_has_fewer_than_three() -> None:
    s = resolving(table(us={"france": 2, "italy": 1, "poland": 1}), "pershing_ii_deployed", USSR)
    pershing = given(s, do=Event(USSR, "pershing_ii_deployed")).asks_nobody()
    pershing.has(influence={US: {"france": 1, "poland": 1}, USSR: {}})


def test_an_evil_empire_scores_and_ends_flower_power() -> None:
    s = resolving(table(beside=("flower_power",)), "an_evil_empire", US)
    given(s, do=Event(US, "an_evil_empire")).then(
        EventBegan("an_evil_empire", US),
        ScoreMoved(US, 1, 1, "an_evil_empire"),
        MarkerEnded("flower_power", "removed"),
        CardPutAway("an_evil_empire", "beside"),
    )


def test_an_evil_empire_scores_without_flower_power() -> None:
    s = resolving(table(), "an_evil_empire", US)
    given(s, do=Event(US, "an_evil_empire")).has(vp=1, beside=("an_evil_empire",), removed=())


def test_solidarity_adds_3_in_poland_once_the_pope_is_elected() -> None:
    """2.2.5: nothing printed ends the Pope's card, so it stays beside the board."""
    s = resolving(table(us={"poland": 1}, beside=("john_paul_ii_elected_pope",)), "solidarity", US)
    given(s, do=Event(US, "solidarity")).then(
        EventBegan("solidarity", US),
        InfluenceSet(US, "poland", 3, 4),
        CardPutAway("solidarity", "removed"),
    ).has(beside=("john_paul_ii_elected_pope",))


def test_solidarity_without_the_pope_does_not_happen_and_is_discarded() -> None:
    s = resolving(table(), "solidarity", US)
    given(s, do=Event(US, "solidarity")).then(
        EventBarred("solidarity", "needs_pope"), CardPutAway("solidarity", "discards")
    )


def test_awacs_sale_to_saudis_adds_2_in_saudi_arabia() -> None:
    s = resolving(table(), "awacs_sale_to_saudis", US)
    given(s, do=Event(US, "awacs_sale_to_saudis")).then(
        EventBegan("awacs_sale_to_saudis", US),
        InfluenceSet(US, "saudi_arabia", 2, 2),
        CardPutAway("awacs_sale_to_saudis", "beside"),
    )
