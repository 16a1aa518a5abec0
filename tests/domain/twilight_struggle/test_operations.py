"""What Operations are worth, and placing influence with them (sections 6.1 and 7.4)."""

from __future__ import annotations

import pytest

from domain.kernel import prompt
from domain.twilight_struggle.facts.board import InfluenceSet
from domain.twilight_struggle.facts.cards import CardPutAway
from domain.twilight_struggle.rules.operations import CHINA, Ops, cost, grant, placeable, reach, value
from domain.twilight_struggle.steps.flow import Act
from domain.twilight_struggle.steps.operations import Operate, PlaceInfluence
from domain.twilight_struggle.steps.play import Event, PlayCard
from tests.domain.twilight_struggle.table import US, USSR, resolving, table
from tests.scenario import given

NEXT_TO_US = ("canada", "japan", "mexico", "cuba")
NEXT_TO_USSR = ("finland", "poland", "romania", "afghanistan", "north_korea")

# --------------------------------------------------------------------------- 6: all points to one use


def test_6_all_points_go_to_one_use() -> None:
    """Influence, a Coup or realignments; after the choice none of the others."""
    s = table(us={"canada": 1}, ussr={"iran": 1})
    operate = given(s, do=Operate(US, Ops("nato", 4))).asks(US, "influence", "coup", "realign")
    operate.when(US, "influence").when(US, "canada").refuses(US, "coup").refuses(US, "realign")


def test_6_what_is_impossible_is_not_offered() -> None:
    """Without enemy influence within reach of DEFCON there is nothing to overthrow or to realign."""
    s = table(defcon=2, ussr={"poland": 3, "iran": 1})
    given(s, do=Operate(US, Ops("nato", 4))).asks(US, "influence")


def test_unused_points_are_lost() -> None:
    """A player may stop after the first marker, not before it."""
    s = table(us={"canada": 1}, us_hand=("nato",))
    play = given(s, do=PlayCard(US)).when(US, "influence:nato").refuses(US, "done").when(US, "canada")
    play.when(US, "done").then(CardPutAway("nato", "discards")).asks_nobody()


def test_operations_granted_by_an_event_may_be_declined() -> None:
    s = resolving(table(ussr={"iran": 1}), "cia_created", US)
    given(s, do=Event(US, "cia_created")).when(US, "none").then(CardPutAway("cia_created", "removed"))


def test_operations_of_a_card_may_not() -> None:
    s = table(us_hand=("fidel",))
    given(s, do=PlayCard(US)).when(US, "event_first:fidel").refuses(US, "none")


# --------------------------------------------------------------------------- 6.1.1: where


@pytest.mark.parametrize(("side", "near"), [(US, NEXT_TO_US), (USSR, NEXT_TO_USSR)])
def test_6_1_4_the_countries_next_to_the_superpower_are_always_open(side: str, near: tuple[str, ...]) -> None:
    assert reach(table(), side) == set(near)


def test_6_1_1_own_influence_and_its_neighbours() -> None:
    s = table(us={"panama": 1})
    assert reach(s, US) == {"panama", "colombia", "costa_rica", *NEXT_TO_US}


def test_6_1_1_enemy_influence_opens_nothing() -> None:
    assert reach(table(ussr={"panama": 5}), US) == set(NEXT_TO_US)


def test_6_1_1_an_event_played_first_opens_nothing() -> None:
    """Fidel gives the USSR Cuba; in the same round it cannot go on to Nicaragua or Haiti."""
    s = table(phasing=USSR, ussr_hand=("romanian_abdication", "fidel"))
    event = given(
        resolving(s, "fidel", USSR), do=(Event(USSR, "fidel"), PlaceInfluence(USSR, Ops("nato", 4)))
    )
    event.has(influence={US: {}, USSR: {"cuba": 3}}).asks(USSR, *NEXT_TO_USSR)


def test_6_1_1_the_next_round_sees_the_new_influence() -> None:
    s = table(us={"panama": 1}, us_hand=("truman_doctrine", "nato"))
    rounds = given(s, do=(Act(1, US), Act(2, US))).when(US, "influence:truman_doctrine")
    rounds.when(US, "costa_rica").when(US, "influence:nato").when(US, "nicaragua")


def test_6_1_1_influence_lost_in_the_round_still_gives_access() -> None:
    """Suez Crisis played by the US takes its last influence out of Israel; it may go back, or to Egypt."""
    s = table(us={"israel": 2, "france": 1}, us_hand=("suez_crisis",))
    play = given(s, do=PlayCard(US)).when(US, "event_first:suez_crisis")
    play.when(USSR, "israel").when(USSR, "israel").when(USSR, "france")
    play.when(US, "influence").when(US, "egypt").when(US, "israel")


def test_6_1_1_an_event_places_anywhere() -> None:
    """Decolonization needs no neighbour."""
    s = resolving(table(), "decolonization", USSR)
    event = given(s, do=Event(USSR, "decolonization"))
    event.when(USSR, "zaire", "kenya", "burma", "thailand").includes(InfluenceSet(USSR, "zaire", 1, 1))


def test_6_1_1_the_opponent_in_my_round_reaches_from_its_beginning_too() -> None:
    """CIA Created after the Operations of the USSR: the US reaches from the influence of the beginning."""
    s = table(phasing=USSR, us={"panama": 1}, ussr_hand=("cia_created",))
    play = given(s, do=PlayCard(USSR)).when(USSR, "influence:cia_created").when(USSR, "finland")
    play.when(US, "influence").asks(US, "panama", "colombia", "costa_rica", *NEXT_TO_US)


# --------------------------------------------------------------------------- 6.1.2: the cost


@pytest.mark.parametrize(
    ("us", "ussr", "points"), [(0, 0, 1), (0, 1, 1), (0, 2, 2), (1, 2, 1), (1, 3, 2), (2, 0, 1)]
)
def test_6_1_2_two_points_where_the_enemy_controls(us: int, ussr: int, points: int) -> None:
    """Turkey has stability 2."""
    assert cost(table(us={"turkey": us}, ussr={"turkey": ussr}), US, "turkey") == points


def test_6_1_2_the_cost_falls_when_control_breaks() -> None:
    """4 points into Poland with 3 US influence: 2 for the first marker, then 1 and 1."""
    s = table(phasing=USSR, us={"poland": 3})
    place = given(s, do=PlaceInfluence(USSR, Ops("nato", 4)))
    left = []
    for _ in range(3):
        question = prompt(place.table, USSR)
        assert question is not None
        left.append(question.why["left"])
        place.when(USSR, "poland")
    assert left == [4, 2, 1]
    place.asks_nobody()


def test_6_1_2_a_single_point_does_not_enter_enemy_control() -> None:
    """Two countries beside the USSR: one point left goes to the free one only."""
    s = table(phasing=USSR, us={country: 4 for country in NEXT_TO_USSR if country != "finland"})
    place = given(s, do=PlaceInfluence(USSR, Ops("fidel", 2))).when(USSR, "finland")
    place.asks(USSR, "finland", "done").refuses(USSR, "poland")


def test_6_1_2_a_single_point_with_no_place_is_lost() -> None:
    """3 points where the US holds everything with 9: one marker, and the third point has no use."""
    s = table(phasing=USSR, us=dict.fromkeys(NEXT_TO_USSR, 9))
    given(s, do=PlaceInfluence(USSR, Ops("comecon", 3))).when(USSR, "poland").asks_nobody()


def test_6_1_2_one_point_and_enemy_control_everywhere() -> None:
    """Placing influence is not even offered."""
    s = table(phasing=USSR, us=dict.fromkeys(NEXT_TO_USSR, 9), defcon=5)
    given(s, do=Operate(USSR, Ops("nasser", 1))).asks(USSR, "coup", "realign")


def test_6_1_3_points_may_go_to_several_countries_and_regions() -> None:
    s = table(us={"panama": 1, "south_korea": 1, "iran": 1}, us_hand=("nato",))
    play = given(s, do=PlayCard(US)).when(US, "influence:nato")
    for country in ("panama", "south_korea", "iraq"):
        play.when(US, country)
    play.when(US, "canada").has(
        influence={US: {"panama": 2, "south_korea": 2, "iran": 1, "iraq": 1, "canada": 1}, USSR: {}}
    )


# --------------------------------------------------------------------------- 7.4: the value


@pytest.mark.parametrize(
    ("printed", "effects", "expected"),
    [
        (3, (("containment", US),), 4),
        (4, (("containment", US),), 4),
        (2, (("red_scare_purge", US),), 1),
        (1, (("red_scare_purge", US),), 1),
        (4, (("containment", US), ("red_scare_purge", US)), 4),
        (3, (("containment", US), ("red_scare_purge", US)), 3),
        (2, (("brezhnev_doctrine", USSR),), 2),
        (2, (("red_scare_purge", USSR),), 2),
        (2, (("vietnam_revolts", USSR),), 2),
    ],
)
def test_7_4_modifiers_of_the_own_side_add_up(
    printed: int, effects: tuple[tuple[str, str], ...], expected: int
) -> None:
    """Up to 4, at least 1; those of the opponent do not count (7.4.1)."""
    assert value(table(effects=effects), US, Ops("any", printed)) == expected


@pytest.mark.parametrize(
    ("card", "printed", "effects", "scope", "expected"),
    [
        (CHINA, 4, (), "world", 4),
        (CHINA, 4, (), "asia", 5),
        (CHINA, 4, (), "southeast_asia", 5),
        (CHINA, 4, (("brezhnev_doctrine", USSR),), "asia", 5),
        (CHINA, 4, (("vietnam_revolts", USSR),), "southeast_asia", 6),
        (CHINA, 4, (("vietnam_revolts", USSR), ("red_scare_purge", USSR)), "southeast_asia", 5),
        (CHINA, 4, (("vietnam_revolts", USSR),), "asia", 5),
        ("comecon", 3, (("vietnam_revolts", USSR),), "southeast_asia", 4),
        ("comecon", 3, (("vietnam_revolts", USSR), ("brezhnev_doctrine", USSR)), "southeast_asia", 5),
        ("nasser", 1, (("vietnam_revolts", USSR), ("red_scare_purge", USSR)), "southeast_asia", 1),
    ],
)
def test_7_4_bonuses_of_a_region_come_on_top(
    card: str, printed: int, effects: tuple[tuple[str, str], ...], scope: str, expected: int
) -> None:
    """The limit of 4 is that of Brezhnev Doctrine; the least value of 1 that of the sum."""
    assert value(table(effects=effects), USSR, Ops(card, printed), scope) == expected


def test_9_6_the_fifth_point_of_the_china_card_only_where_all_went_to_asia() -> None:
    """Four points in Asia leave one for Asia; nothing is offered outside it."""
    s = table(phasing=USSR, ussr={"north_korea": 1, "finland": 1})
    place = given(s, do=PlaceInfluence(USSR, Ops(CHINA, 4)))
    for _ in range(4):
        place.when(USSR, "afghanistan")
    place.refuses(USSR, "finland").when(USSR, "north_korea").asks_nobody()


def test_9_6_one_point_outside_asia_ends_the_bonus() -> None:
    s = table(phasing=USSR)
    place = given(s, do=PlaceInfluence(USSR, Ops(CHINA, 4))).when(USSR, "finland")
    for _ in range(3):
        place.when(USSR, "afghanistan")
    place.asks_nobody()


def test_9_6_the_bonus_may_pay_for_enemy_control_in_asia() -> None:
    """Three points spent in Asia: two are left there, one elsewhere."""
    s = table(phasing=USSR, us={"afghanistan": 2, "finland": 4})
    assert "afghanistan" in placeable(s, USSR, Ops(CHINA, 4), 3, "asia")
    assert "finland" not in placeable(s, USSR, Ops(CHINA, 4), 3, "asia")
    assert "poland" in placeable(s, USSR, Ops(CHINA, 4), 3, "asia")


@pytest.mark.parametrize(
    ("edition", "modified", "own_value", "expected"),
    [
        ("deluxe", True, True, 3),
        ("deluxe", True, False, 3),
        ("second", True, True, 3),
        ("second", True, False, 2),
        ("second", False, True, 2),
        ("deluxe", False, True, 2),
    ],
)
def test_7_4_3_operations_granted_by_an_event(
    edition: str, modified: bool, own_value: bool, expected: int
) -> None:
    """Modified with the card's own value; a fixed number only in book 003; the option says never."""
    s = table(edition=edition, options={"event_ops_modified": modified}, effects=(("containment", US),))
    assert value(s, US, grant(s, "any", 2, own_value=own_value)) == expected
