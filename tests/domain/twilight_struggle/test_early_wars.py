"""Korean War, Arab-Israeli War and Indo-Pakistani War (7.6, 8.2)."""

from __future__ import annotations

from typing import Any

import pytest

from domain.kernel import Ended
from domain.twilight_struggle.facts.board import InfluenceSet, WarRolled
from domain.twilight_struggle.facts.cards import CardPlayed, CardPutAway
from domain.twilight_struggle.facts.flow import EventBarred, EventBegan
from domain.twilight_struggle.facts.tracks import MilitarySet, ScoreMoved
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.play import Event, PlayCard
from tests.domain.twilight_struggle.table import US, USSR, resolving, table
from tests.scenario import Scenario, given

KOREA, ISRAEL, INDIA = "korean_war", "arab_israeli_war", "indo_pakistani_war"


def war(card: str, player: str = USSR, **fields: Any) -> Scenario[State]:
    """The event of a war card: that of the USSR, or the neutral one of `player`."""
    return given(resolving(table(**fields), card, player), do=Event(player, card))


def rolled(game: Scenario[State]) -> WarRolled:
    """The roll among the latest facts."""
    return next(fact for fact in game.facts if isinstance(fact, WarRolled))


# ── Korean War ──


def test_korean_war_won_turns_the_us_influence_and_scores_2() -> None:
    game = war(KOREA, us={"south_korea": 3}, ussr={"south_korea": 1})
    game.then(EventBegan(KOREA, USSR), MilitarySet(USSR, 2)).when("chance", "4").then(
        WarRolled(USSR, KOREA, "south_korea", 4, 0, 4, True),
        InfluenceSet(US, "south_korea", -3, 0),
        InfluenceSet(USSR, "south_korea", 3, 4),
        ScoreMoved(USSR, 2, -2, KOREA),
        CardPutAway(KOREA, "removed"),
    )


def test_korean_war_lost_still_brings_military_operations() -> None:
    game = war(KOREA, us={"south_korea": 3}).when("chance", "3")
    game.then(WarRolled(USSR, KOREA, "south_korea", 3, 0, 4, False), CardPutAway(KOREA, "removed"))
    game.has(military={US: 0, USSR: 2}, vp=0)


def test_korean_war_counts_us_controlled_japan_and_taiwan_against_the_roll() -> None:
    """Influence that does not control counts nothing; nor does the US beside Japan."""
    assert rolled(war(KOREA, us={"japan": 4, "taiwan": 3}).when("chance", "6")).minus == 2
    assert rolled(war(KOREA, us={"japan": 4, "taiwan": 2}).when("chance", "5")).minus == 1
    assert rolled(war(KOREA, us={"south_korea": 5}).when("chance", "4")).minus == 0


def test_korean_war_north_korea_counts_only_under_us_control() -> None:
    """Ruling."""
    assert rolled(war(KOREA, ussr={"north_korea": 3}).when("chance", "4")).minus == 0
    assert rolled(war(KOREA, us={"north_korea": 3}).when("chance", "5")).minus == 1


def test_korean_war_without_influence_in_either_korea_still_scores() -> None:
    """Ruling, 7.6."""
    war(KOREA).when("chance", "4").then(
        WarRolled(USSR, KOREA, "south_korea", 4, 0, 4, True),
        ScoreMoved(USSR, 2, -2, KOREA),
        CardPutAway(KOREA, "removed"),
    )


@pytest.mark.parametrize("modifier", [("red_scare_purge", USSR), ("brezhnev_doctrine", USSR)])
def test_korean_war_modifiers_do_not_change_its_military_operations(modifier: tuple[str, str]) -> None:
    """Ruling: the text fixes 2."""
    war(KOREA, effects=(modifier,)).includes(MilitarySet(USSR, 2))


def test_korean_war_does_not_lower_defcon() -> None:
    """South Korea is a battleground, yet a war is no Coup."""
    war(KOREA, defcon=2).when("chance", "6").has(defcon=2)


def test_korean_war_the_us_playing_it_gives_the_ussr_the_military_operations() -> None:
    """8.2.4; book 003, example of play, turn 1: 2 influence in South Korea first, then the roll of 1."""
    s = table(us={"south_korea": 1}, us_hand=(KOREA,))
    game = given(s, do=PlayCard(US)).when(US, f"influence:{KOREA}").when(US, "south_korea")
    game.when(US, "south_korea").then(
        InfluenceSet(US, "south_korea", 1, 3), EventBegan(KOREA, USSR), MilitarySet(USSR, 2)
    )
    game.when("chance", "1").has(military={US: 0, USSR: 2}, influence={US: {"south_korea": 3}, USSR: {}})


def test_military_operations_stop_at_5() -> None:
    war(KOREA, military={US: 0, USSR: 4}).includes(MilitarySet(USSR, 5))


def test_korean_war_may_win_with_20_points() -> None:
    game = war(KOREA, vp=-18).when("chance", "6")
    assert game.facts[-1] == Ended(USSR, "victory_points", {US: -20, USSR: 20})


# ── Arab-Israeli War ──


def test_arab_israeli_war_won_turns_israel_and_scores_2_and_stays_in_the_game() -> None:
    war(ISRAEL, us={"israel": 2}).when("chance", "4").then(
        WarRolled(USSR, ISRAEL, "israel", 4, 0, 4, True),
        InfluenceSet(US, "israel", -2, 0),
        InfluenceSet(USSR, "israel", 2, 2),
        ScoreMoved(USSR, 2, -2, ISRAEL),
        CardPutAway(ISRAEL, "discards"),
    )


@pytest.mark.parametrize("neighbour", ["egypt", "jordan", "lebanon", "syria"])
def test_arab_israeli_war_counts_each_us_controlled_neighbour(neighbour: str) -> None:
    assert rolled(war(ISRAEL, us={neighbour: 2}).when("chance", "5")).minus == 1


def test_arab_israeli_war_counts_us_control_of_israel_itself() -> None:
    game = war(ISRAEL, us={"israel": 4, "egypt": 2, "saudi_arabia": 3}).when("chance", "5")
    game.includes(WarRolled(USSR, ISRAEL, "israel", 5, 2, 4, False))


def test_arab_israeli_war_camp_david_accords_leave_only_the_operations() -> None:
    """Ruling and 5.2 example 2: no event, not removed, and Flower Power does not score."""
    s = table(
        us={"israel": 4},
        ussr={"israel": 1},
        us_hand=(ISRAEL,),
        beside=("camp_david_accords", "flower_power"),
    )
    game = given(s, do=PlayCard(US)).when(US, f"influence:{ISRAEL}")
    game.then(CardPlayed(US, ISRAEL, "influence", US)).when(US, "israel").when(US, "israel").then(
        InfluenceSet(US, "israel", 1, 6),
        EventBarred(ISRAEL, "camp_david_accords"),
        CardPutAway(ISRAEL, "discards"),
    )
    game.has(vp=0, military={US: 0, USSR: 0})


def test_an_event_that_is_barred_does_not_delay_the_end_at_20_points() -> None:
    """10.3.1: the Coup before it brought the USSR its last point (Yuri and Samantha)."""
    s = table(
        ussr={"haiti": 1},
        us_hand=(ISRAEL,),
        vp=-19,
        beside=("camp_david_accords",),
        effects=(("yuri_and_samantha", USSR),),
    )
    game = given(s, do=PlayCard(US)).when(US, f"coup:{ISRAEL}").when(US, "haiti").when("chance", "1")
    assert game.facts[-3:] == [
        EventBarred(ISRAEL, "camp_david_accords"),
        CardPutAway(ISRAEL, "discards"),
        Ended(USSR, "victory_points", {US: -20, USSR: 20}),
    ]


def test_arab_israeli_war_played_by_the_us_scores_for_flower_power() -> None:
    s = table(us={"israel": 1}, us_hand=(ISRAEL,), beside=("flower_power",))
    game = given(s, do=PlayCard(US)).when(US, f"influence:{ISRAEL}")
    game.then(CardPlayed(US, ISRAEL, "influence", US), ScoreMoved(USSR, 2, -2, "flower_power"))


# ── Indo-Pakistani War ──


@pytest.mark.parametrize(("player", "enemy"), [(US, USSR), (USSR, US)])
def test_indo_pakistani_war_the_player_says_who_is_attacked(player: str, enemy: str) -> None:
    influence = {"us": {"ussr": {"india": 2}}, "ussr": {"us": {"india": 2}}}[player]
    game = war(INDIA, player, **influence).asks(player, "india", "pakistan").when(player, "india")
    game.then(MilitarySet(player, 2)).when("chance", "4").then(
        WarRolled(player, INDIA, "india", 4, 0, 4, True),
        InfluenceSet(enemy, "india", -2, 0),
        InfluenceSet(player, "india", 2, 2),
        ScoreMoved(player, 2, 2 if player == US else -2, INDIA),
        CardPutAway(INDIA, "discards"),
    )


def test_indo_pakistani_war_the_invader_counts_where_the_opponent_controls_it() -> None:
    """Ruling: an attack of India on Pakistan, both under the USSR, with Afghanistan and Iran besides."""
    soviet = {"india": 3, "pakistan": 2, "afghanistan": 2, "iran": 2}
    game = war(INDIA, US, ussr=soviet).when(US, "pakistan").when("chance", "6")
    game.includes(WarRolled(US, INDIA, "pakistan", 6, 3, 4, False))


def test_indo_pakistani_war_own_neighbours_do_not_count() -> None:
    game = war(INDIA, US, us={"afghanistan": 2, "iran": 2}).when(US, "pakistan").when("chance", "4")
    assert rolled(game).minus == 0


@pytest.mark.parametrize("own", [{}, {"india": 3, "pakistan": 2}])
def test_indo_pakistani_war_is_legal_without_enemy_influence(own: dict[str, int]) -> None:
    """Ruling: Military Operations and the points are still gained."""
    game = war(INDIA, US, us=own).when(US, "india").when("chance", "5")
    game.has(vp=2, military={US: 2, USSR: 0}, influence={US: own, USSR: {}})
