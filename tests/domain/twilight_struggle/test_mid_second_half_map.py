"""The Mid War cards 61 to 81 that move influence or score what stands on the map."""

from __future__ import annotations

import pytest

from domain.twilight_struggle.facts.board import InfluenceSet
from domain.twilight_struggle.facts.cards import CardPutAway
from domain.twilight_struggle.facts.flow import EventBarred, EventBegan
from domain.twilight_struggle.facts.tracks import RegionScored, ScoreMoved, Tally
from domain.twilight_struggle.steps.play import Event
from tests.domain.twilight_struggle.table import US, USSR, resolving, table
from tests.scenario import given

NOBODY = Tally("none", 0)


def test_opec_scores_each_oil_country_that_the_ussr_controls() -> None:
    """OPEC: Egypt, Gulf States and Venezuela count; Iran, held by the US, and Algeria do not."""
    held = {"egypt": 2, "gulf_states": 3, "venezuela": 2, "iran": 1, "algeria": 2}
    s = resolving(table(us={"iran": 2}, ussr=held), "opec", USSR)
    given(s, do=Event(USSR, "opec")).then(
        EventBegan("opec", USSR),
        ScoreMoved(USSR, 3, -3, "opec"),
        CardPutAway("opec", "discards"),
    )


def test_opec_knows_seven_oil_countries() -> None:
    """OPEC: with all of them the USSR gains 7."""
    countries = ("egypt", "iran", "libya", "saudi_arabia", "iraq", "gulf_states", "venezuela")
    s = table(ussr=dict.fromkeys(countries, 3))
    given(s, do=Event(USSR, "opec")).then(EventBegan("opec", USSR), ScoreMoved(USSR, 7, -7, "opec"))


def test_opec_is_forbidden_by_north_sea_oil() -> None:
    """OPEC: no event after North Sea Oil, and the card stays in circulation."""
    s = resolving(table(ussr={"egypt": 2}, beside=("north_sea_oil",)), "opec", USSR)
    given(s, do=Event(USSR, "opec")).then(
        EventBarred("opec", "north_sea_oil"), CardPutAway("opec", "discards")
    )


def test_colonial_rear_guards_adds_to_four_countries() -> None:
    """Colonial Rear Guards: four different countries, of Africa and of Southeast Asia."""
    s = resolving(table(us={"kenya": 1}), "colonial_rear_guards", US)
    asked = given(s, do=Event(US, "colonial_rear_guards"))
    asked.refuses(US, "kenya", "zaire", "thailand")
    asked.refuses(US, "kenya", "zaire", "thailand", "india")
    asked.when(US, "kenya", "zaire", "thailand", "burma").then(
        InfluenceSet(US, "kenya", 1, 2),
        InfluenceSet(US, "zaire", 1, 1),
        InfluenceSet(US, "thailand", 1, 1),
        InfluenceSet(US, "burma", 1, 1),
        CardPutAway("colonial_rear_guards", "discards"),
    )


def test_panama_canal_returned_adds_in_three_countries() -> None:
    """Panama Canal Returned: 1 in Panama, Costa Rica and Venezuela, without a question."""
    s = resolving(table(us={"panama": 1}), "panama_canal_returned", US)
    given(s, do=Event(US, "panama_canal_returned")).then(
        EventBegan("panama_canal_returned", US),
        InfluenceSet(US, "panama", 1, 2),
        InfluenceSet(US, "costa_rica", 1, 1),
        InfluenceSet(US, "venezuela", 1, 1),
        CardPutAway("panama_canal_returned", "removed"),
    )


def test_camp_david_accords_score_and_add() -> None:
    """Camp David Accords: 1 point, and 1 influence in Israel, Jordan and Egypt; the card stays in force."""
    s = resolving(table(us={"israel": 1}), "camp_david_accords", US)
    given(s, do=Event(US, "camp_david_accords")).then(
        EventBegan("camp_david_accords", US),
        ScoreMoved(US, 1, 1, "camp_david_accords"),
        InfluenceSet(US, "israel", 1, 2),
        InfluenceSet(US, "jordan", 1, 1),
        InfluenceSet(US, "egypt", 1, 1),
        CardPutAway("camp_david_accords", "beside"),
    )


def test_camp_david_accords_end_the_arab_israeli_war() -> None:
    """Camp David Accords: that war is no event any more."""
    s = resolving(table(), "camp_david_accords", US)
    after = given(s, do=Event(US, "camp_david_accords")).table
    given(resolving(after, "arab_israeli_war", USSR), do=Event(USSR, "arab_israeli_war")).then(
        EventBarred("arab_israeli_war", "camp_david_accords"),
        CardPutAway("arab_israeli_war", "discards"),
    )


def test_puppet_governments_may_add_in_empty_countries() -> None:
    """Puppet Governments: up to three countries in which no side has any influence."""
    s = resolving(table(us={"canada": 1}, ussr={"kenya": 1}), "puppet_governments", US)
    asked = given(s, do=Event(US, "puppet_governments"))
    asked.refuses(US, "canada")
    asked.refuses(US, "kenya")
    asked.refuses(US, "chile", "peru", "brazil", "zaire")
    asked.when(US, "chile", "poland").then(
        InfluenceSet(US, "chile", 1, 1),
        InfluenceSet(US, "poland", 1, 1),
        CardPutAway("puppet_governments", "removed"),
    )


def test_puppet_governments_may_add_nothing() -> None:
    """Puppet Governments: the US may; an empty answer is one."""
    s = resolving(table(), "puppet_governments", US)
    given(s, do=Event(US, "puppet_governments")).when(US).then(CardPutAway("puppet_governments", "removed"))


def test_john_paul_ii_elected_pope_weakens_the_ussr_in_poland() -> None:
    """John Paul II: 2 USSR influence leave Poland, 1 US influence comes; the card stays in force."""
    s = resolving(table(ussr={"poland": 3}), "john_paul_ii_elected_pope", US)
    given(s, do=Event(US, "john_paul_ii_elected_pope")).then(
        EventBegan("john_paul_ii_elected_pope", US),
        InfluenceSet(USSR, "poland", -2, 1),
        InfluenceSet(US, "poland", 1, 1),
        CardPutAway("john_paul_ii_elected_pope", "beside"),
    )


def test_john_paul_ii_elected_pope_takes_no_more_than_there_is() -> None:
    """John Paul II: a single USSR influence in Poland is all that goes."""
    given(table(ussr={"poland": 1}), do=Event(US, "john_paul_ii_elected_pope")).then(
        EventBegan("john_paul_ii_elected_pope", US),
        InfluenceSet(USSR, "poland", -1, 0),
        InfluenceSet(US, "poland", 1, 1),
    )


def test_john_paul_ii_elected_pope_makes_solidarity_possible() -> None:
    """John Paul II: from now on Solidarity may be played as an event; before, it may not."""
    s = table()
    given(s, do=Event(US, "solidarity")).then(EventBarred("solidarity", "needs_pope"))
    elected = given(resolving(s, "john_paul_ii_elected_pope", US), do=Event(US, "john_paul_ii_elected_pope"))
    given(elected.table, do=Event(US, "solidarity")).then(
        EventBegan("solidarity", US), InfluenceSet(US, "poland", 3, 4)
    )


def test_oas_founded_adds_two_in_the_americas() -> None:
    """OAS Founded: 2 in total, and both may go to one country; nowhere else."""
    s = resolving(table(), "oas_founded", US)
    asked = given(s, do=Event(US, "oas_founded")).refuses(US, "canada")
    asked.when(US, "chile").then(InfluenceSet(US, "chile", 1, 1)).when(US, "chile").then(
        InfluenceSet(US, "chile", 1, 2), CardPutAway("oas_founded", "removed")
    )


def test_oas_founded_may_go_to_both_americas() -> None:
    """OAS Founded: 1 in Central and 1 in South America."""
    given(table(), do=Event(US, "oas_founded")).when(US, "mexico").then(
        InfluenceSet(US, "mexico", 1, 1)
    ).when(US, "peru").then(InfluenceSet(US, "peru", 1, 1))


def test_sadat_expels_soviets_from_egypt() -> None:
    """Sadat Expels Soviets: no USSR influence remains in Egypt, and 1 US influence comes."""
    s = resolving(table(us={"egypt": 1}, ussr={"egypt": 4}), "sadat_expels_soviets", US)
    given(s, do=Event(US, "sadat_expels_soviets")).then(
        EventBegan("sadat_expels_soviets", US),
        InfluenceSet(USSR, "egypt", -4, 0),
        InfluenceSet(US, "egypt", 1, 2),
        CardPutAway("sadat_expels_soviets", "removed"),
    )


def test_the_voice_of_america_drains_outside_europe() -> None:
    """The Voice of America: 4 in total, at most 2 from one country, none from Europe."""
    s = table(ussr={"poland": 3, "cuba": 3, "iraq": 3})
    asked = given(resolving(s, "the_voice_of_america", US), do=Event(US, "the_voice_of_america"))
    asked.asks(US, "cuba", "iraq").when(US, "cuba").then(InfluenceSet(USSR, "cuba", -1, 2))
    asked.when(US, "cuba").then(InfluenceSet(USSR, "cuba", -1, 1))
    asked.asks(US, "iraq").when(US, "iraq").when(US, "iraq").then(
        InfluenceSet(USSR, "iraq", -1, 1), CardPutAway("the_voice_of_america", "discards")
    )


def test_the_voice_of_america_ends_where_nothing_is_left() -> None:
    """The Voice of America: with only 1 USSR influence outside Europe that is all."""
    s = resolving(table(ussr={"poland": 3, "cuba": 1}), "the_voice_of_america", US)
    given(s, do=Event(US, "the_voice_of_america")).when(US, "cuba").then(
        InfluenceSet(USSR, "cuba", -1, 0), CardPutAway("the_voice_of_america", "discards")
    )


def test_liberation_theology_adds_three_in_central_america() -> None:
    """Liberation Theology: 3 in total, at most 2 in one country, only in Central America."""
    s = resolving(table(ussr={"cuba": 3}), "liberation_theology", USSR)
    asked = given(s, do=Event(USSR, "liberation_theology")).refuses(USSR, "colombia")
    asked.when(USSR, "cuba").when(USSR, "cuba").then(InfluenceSet(USSR, "cuba", 1, 5))
    asked.refuses(USSR, "cuba").when(USSR, "haiti").then(
        InfluenceSet(USSR, "haiti", 1, 1), CardPutAway("liberation_theology", "discards")
    )


def test_alliance_for_progress_scores_battlegrounds_of_the_americas() -> None:
    """Alliance for Progress: Mexico and Chile count; Honduras is no battleground, Zaire lies elsewhere."""
    s = table(us={"mexico": 2, "chile": 3, "honduras": 2, "zaire": 1, "brazil": 1})
    given(resolving(s, "alliance_for_progress", US), do=Event(US, "alliance_for_progress")).then(
        EventBegan("alliance_for_progress", US),
        ScoreMoved(US, 2, 2, "alliance_for_progress"),
        CardPutAway("alliance_for_progress", "removed"),
    )


def test_alliance_for_progress_with_no_battleground_is_removed_all_the_same() -> None:
    """Alliance for Progress, ruling: with none it has happened and leaves the game."""
    s = resolving(table(us={"honduras": 2}), "alliance_for_progress", US)
    given(s, do=Event(US, "alliance_for_progress")).then(
        EventBegan("alliance_for_progress", US), CardPutAway("alliance_for_progress", "removed")
    )


AFRICA = ("algeria", "nigeria", "zaire", "angola", "south_africa")
ALL_OF_AFRICA = ("algeria", "nigeria", "cameroon", "zaire", "angola", "south_africa")  # as the map lists them
SOUTH_AMERICA = ("venezuela", "chile", "argentina", "brazil")


@pytest.mark.parametrize(
    ("held", "grounds", "status", "points"),
    [
        (("cameroon",), (), "presence", 1),
        (("cameroon", "zaire"), ("zaire",), "domination", 4 + 1),
        (ALL_OF_AFRICA, AFRICA, "control", 6 + 5),
    ],
)
def test_africa_scoring(held: tuple[str, ...], grounds: tuple[str, ...], status: str, points: int) -> None:
    """Africa Scoring: Presence 1, Domination 4, Control 6, and 1 for each battleground."""
    s = resolving(table(us=dict.fromkeys(held, 3)), "africa_scoring", US)
    given(s, do=Event(US, "africa_scoring")).then(
        EventBegan("africa_scoring", US),
        RegionScored("africa", Tally(status, points, held, grounds), NOBODY, points),
        ScoreMoved(US, points, points, "africa"),
        CardPutAway("africa_scoring", "discards"),
    )


@pytest.mark.parametrize(
    ("grounds", "status", "points"),
    [((), "presence", 2), (("brazil",), "domination", 5 + 1), (SOUTH_AMERICA, "control", 6 + 4)],
)
def test_south_america_scoring(grounds: tuple[str, ...], status: str, points: int) -> None:
    """South America Scoring: Presence 2, Domination 5, Control 6, and 1 for each battleground."""
    held = ("colombia", *grounds)
    s = resolving(table(ussr=dict.fromkeys(held, 3)), "south_america_scoring", USSR)
    given(s, do=Event(USSR, "south_america_scoring")).then(
        EventBegan("south_america_scoring", USSR),
        RegionScored("south_america", NOBODY, Tally(status, points, held, grounds), -points),
        ScoreMoved(USSR, points, -points, "south_america"),
        CardPutAway("south_america_scoring", "discards"),
    )
