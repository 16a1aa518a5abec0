"""The China Card and Formosan Resolution (section 9)."""

from __future__ import annotations

from typing import Any

import pytest

from domain.twilight_struggle.facts.board import CoupRolled, InfluenceSet
from domain.twilight_struggle.facts.cards import CardPutAway, ChinaPassed, ChinaPlayed, MarkerEnded
from domain.twilight_struggle.facts.flow import EventBegan
from domain.twilight_struggle.facts.tracks import (
    DefconSet,
    MilitarySet,
    RegionScored,
    ScoreMoved,
    SpaceRolled,
    Tally,
)
from domain.twilight_struggle.rules.hand import headlines, may_play_china, plays
from domain.twilight_struggle.rules.operations import COUP, Ops, lowers_defcon, targets
from domain.twilight_struggle.rules.scoring import scored
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.flow import CloseTurn, FinalScoring
from domain.twilight_struggle.steps.play import Event, PlayCard
from tests.domain.twilight_struggle.table import US, USSR, resolving, table
from tests.scenario import Scenario, given

REVOLTS, PURGED = ("vietnam_revolts", USSR), ("red_scare_purge", USSR)
FORMOSAN = ("formosan_resolution",)


def soviet_round(**fields: Any) -> Scenario[State]:
    """An action round of the USSR, which has the China Card and nothing else."""
    return given(table(phasing=USSR, **fields), do=PlayCard(USSR))


def american_round(**fields: Any) -> Scenario[State]:
    """An action round of the US, which has the China Card and nothing else."""
    return given(table(china=US, **fields), do=PlayCard(US))


# ── playing it ──


def test_china_card_passes_face_down_after_its_operations() -> None:
    game = soviet_round(ussr={"cuba": 1}).when(USSR, "influence:china_card")
    game.then(ChinaPlayed(USSR, "influence"))
    for _ in range(3):
        game.when(USSR, "cuba")
    game.when(USSR, "cuba").then(InfluenceSet(USSR, "cuba", 1, 5), ChinaPassed(US, ready=False))
    game.asks_nobody().has(china=US, china_ready=False)


def test_china_card_face_down_cannot_be_played() -> None:
    s = table(china=US, china_ready=False, us={"japan": 1}, us_hand=("nasser",))
    assert not any(play.endswith(":china_card") for play in plays(s, US))


def test_china_card_turns_face_up_at_the_end_of_the_turn() -> None:
    game = given(table(china=US, china_ready=False, phase="end"), do=CloseTurn())
    assert may_play_china(game.table, US)


def test_china_card_has_no_event_and_is_no_headline() -> None:
    """9.5: only Operations and the Space Race."""
    s = table(china=US, us={"japan": 1}, ussr={"cuba": 1}, us_hand=("nasser",))
    uses = {play for play in plays(s, US) if play.endswith(":china_card")}
    assert uses == {f"{use}:china_card" for use in ("influence", "coup", "realign", "space")}
    assert headlines(s, US) == ("nasser",)


def test_china_card_may_not_crowd_out_a_scoring_card() -> None:
    """9.5: two scoring cards and two rounds left."""
    hand = ("asia_scoring", "europe_scoring")
    s = table(china=US, us={"japan": 1}, us_hand=hand, round=5)
    assert plays(s, US) == ("event:asia_scoring", "event:europe_scoring")


def test_china_card_is_never_forced_by_lack_of_cards() -> None:
    """9.8."""
    american_round(us={"japan": 1}).asks(US, "influence:china_card", "space:china_card", "pass")


def test_china_card_is_never_forced_by_an_event() -> None:
    """9.5, 9.8: Quagmire demands a card, and the China Card is none."""
    assert plays(table(china=US, us={"japan": 1}, beside=("quagmire",)), US) == ("pass",)


# ── one more in Asia ──


def test_china_card_fifth_point_of_influence_only_in_asia() -> None:
    game = soviet_round(ussr={"india": 1, "iran": 1}).when(USSR, "influence:china_card")
    for _ in range(4):
        game.when(USSR, "india")
    game.asks(USSR, "afghanistan", "pakistan", "india", "burma", "north_korea", "done")
    game.when(USSR, "burma").includes(ChinaPassed(US, ready=False))


def test_china_card_no_fifth_point_once_one_is_spent_outside_asia() -> None:
    game = soviet_round(ussr={"india": 1, "iran": 1}).when(USSR, "influence:china_card")
    game.when(USSR, "iran")
    for _ in range(3):
        game.when(USSR, "india")
    game.includes(ChinaPassed(US, ready=False)).asks_nobody()


def test_china_card_the_two_points_of_a_controlled_country_may_use_the_fifth() -> None:
    """6.1.2: 3 spent, then 2 for a country that the enemy controls."""
    game = soviet_round(us={"pakistan": 2}, ussr={"india": 1}).when(USSR, "influence:china_card")
    for _ in range(3):
        game.when(USSR, "india")
    game.when(USSR, "pakistan").then(InfluenceSet(USSR, "pakistan", 1, 1), ChinaPassed(US, ready=False))


@pytest.mark.parametrize(("country", "points"), [("taiwan", 5), ("indonesia", 5), ("lebanon", 4)])
def test_china_card_coup_is_worth_5_in_asia(country: str, points: int) -> None:
    """Ruling: for the roll and for Military Operations."""
    game = soviet_round(us={country: 1}).when(USSR, "coup:china_card").when(USSR, country)
    game.then(MilitarySet(USSR, points)).when("chance", "1")
    rolled = next(fact for fact in game.facts if isinstance(fact, CoupRolled))
    assert rolled.ops == points


def test_china_card_fifth_realignment_roll_only_if_all_were_in_asia() -> None:
    """Ruling."""
    game = soviet_round(us={"taiwan": 9, "lebanon": 9}).when(USSR, "realign:china_card")
    for _ in range(4):
        game.when(USSR, "taiwan").when("chance", "11")
    game.asks(USSR, "taiwan", "done").when(USSR, "taiwan").when("chance", "11").asks_nobody()


def test_china_card_four_realignment_rolls_where_one_was_outside_asia() -> None:
    game = soviet_round(us={"taiwan": 9, "lebanon": 9}).when(USSR, "realign:china_card")
    for country in ("lebanon", "taiwan", "taiwan", "taiwan"):
        game.when(USSR, country).when("chance", "11")
    game.includes(ChinaPassed(US, ready=False)).asks_nobody()


def test_7_4_china_card_vietnam_revolts_and_purge_make_5_in_southeast_asia() -> None:
    """Printed in both books: 4, and 1 for Asia, and 1 for Vietnam Revolts, less 1 for the Purge."""
    game = soviet_round(ussr={"vietnam": 2}, effects=(REVOLTS, PURGED))
    game.when(USSR, "influence:china_card")
    for country in ("vietnam", "thailand", "thailand", "laos_cambodia"):
        game.when(USSR, country)
    game.asks(USSR, "laos_cambodia", "thailand", "vietnam", "done")
    game.when(USSR, "laos_cambodia").includes(ChinaPassed(US, ready=False)).asks_nobody()


def test_china_card_under_purge_is_worth_4_in_the_rest_of_asia() -> None:
    game = soviet_round(us={"taiwan": 1}, effects=(REVOLTS, PURGED)).when(USSR, "coup:china_card")
    game.when(USSR, "taiwan").then(MilitarySet(USSR, 4))


def test_china_card_containment_limits_only_its_own_point() -> None:
    """Ruling: 4 + 1 stays 4, and Asia comes on top."""
    game = american_round(ussr={"indonesia": 1}, effects=(("containment", US),))
    game.when(US, "coup:china_card").when(US, "indonesia").then(MilitarySet(US, 5))


def test_china_card_on_the_space_race() -> None:
    game = soviet_round().when(USSR, "space:china_card").when("chance", "6")
    game.then(SpaceRolled(USSR, "china_card", 1, 6, 3), ChinaPassed(US, ready=False))


# ── moved by events, and at the end ──


def test_china_card_moved_by_an_event_is_usable_at_once() -> None:
    """9.4: Ussuri River Skirmish passes it face up, even where it lay face down."""
    s = resolving(table(china=USSR, china_ready=False), "ussuri_river_skirmish", US)
    game = given(s, do=Event(US, "ussuri_river_skirmish")).includes(ChinaPassed(US, ready=True))
    assert may_play_china(game.table, US)


def test_china_card_nixon_passes_it_face_down() -> None:
    """Ruling: as that event says."""
    s = resolving(table(china=USSR), "nixon_plays_the_china_card", US)
    given(s, do=Event(US, "nixon_plays_the_china_card")).includes(ChinaPassed(US, ready=False))


@pytest.mark.parametrize("ready", [True, False])
def test_china_card_scores_1_in_final_scoring_face_up_or_down(ready: bool) -> None:
    """Ruling."""
    game = given(table(china=US, china_ready=ready, turn=10, phase="end"), do=FinalScoring())
    game.includes(ScoreMoved(US, 1, 1, "china_card"))


# ── Formosan Resolution ──


def test_formosan_resolution_stays_beside_the_board() -> None:
    given(resolving(table(), "formosan_resolution", US), do=Event(US, "formosan_resolution")).then(
        EventBegan("formosan_resolution", US), CardPutAway("formosan_resolution", "beside")
    )


def test_formosan_resolution_counts_only_under_us_control_of_taiwan() -> None:
    s = table(us={"taiwan": 2, "australia": 4}, beside=FORMOSAN)
    assert scored(s, "asia").us == Tally("presence", 3, ("australia",))
    s = table(us={"japan": 4}, ussr={"taiwan": 3}, beside=FORMOSAN)
    assert scored(s, "asia").ussr == Tally("presence", 3, ("taiwan",))


def test_formosan_resolution_taiwan_can_be_the_battleground_of_domination() -> None:
    s = table(us={"taiwan": 3, "australia": 4}, beside=FORMOSAN)
    assert scored(s, "asia").us == Tally("domination", 8, ("australia", "taiwan"), ("taiwan",))


def test_formosan_resolution_counts_in_final_scoring() -> None:
    """Ruling."""
    s = table(us={"taiwan": 3}, beside=FORMOSAN, china=None, turn=10, phase="end")
    game = given(s, do=FinalScoring())
    asia = next(f for f in game.facts if isinstance(f, RegionScored) and f.region == "asia")
    assert asia.us.battlegrounds == ("taiwan",)


def test_formosan_resolution_the_ussr_would_need_taiwan_for_control_of_asia() -> None:
    """Ruling: every printed battleground, more countries, and still only Domination."""
    soviet = {"pakistan": 2, "india": 3, "japan": 4, "south_korea": 3, "north_korea": 3, "thailand": 2}
    s = table(us={"taiwan": 3}, ussr={**soviet, "vietnam": 1}, beside=FORMOSAN)
    assert scored(s, "asia").ussr.status == "domination"
    assert scored(table(ussr={**soviet, "vietnam": 1}), "asia").ussr.status == "control"


def test_formosan_resolution_makes_no_battleground_of_taiwan_for_coups() -> None:
    s = table(us={"taiwan": 3}, beside=FORMOSAN)
    assert "taiwan" in targets(s, USSR, Ops("any", 1), COUP)
    assert not lowers_defcon(s, USSR, "taiwan")
    game = soviet_round(us={"taiwan": 3}, beside=FORMOSAN).when(USSR, "coup:china_card")
    game.when(USSR, "taiwan").then(MilitarySet(USSR, 5)).has(defcon=5)


def test_formosan_resolution_ends_when_the_us_plays_the_china_card() -> None:
    game = american_round(us={"japan": 1}, beside=FORMOSAN).when(US, "influence:china_card")
    game.then(ChinaPlayed(US, "influence"), MarkerEnded("formosan_resolution", "removed"))


def test_formosan_resolution_ends_when_the_us_spaces_the_china_card() -> None:
    """Ruling."""
    game = american_round(beside=FORMOSAN).when(US, "space:china_card")
    game.then(ChinaPlayed(US, "space"), MarkerEnded("formosan_resolution", "removed"))


def test_formosan_resolution_outlives_the_china_card_of_the_ussr() -> None:
    """Ruling."""
    game = soviet_round(us={"egypt": 1}, beside=FORMOSAN).when(USSR, "coup:china_card")
    game.when(USSR, "egypt").includes(DefconSet(5, 4)).when("chance", "1").has(beside=FORMOSAN)


def test_formosan_resolution_outlives_a_china_card_moved_by_an_event() -> None:
    """Ruling."""
    s = resolving(table(china=USSR, beside=FORMOSAN), "ussuri_river_skirmish", US)
    given(s, do=Event(US, "ussuri_river_skirmish")).has(beside=FORMOSAN, china=US)
