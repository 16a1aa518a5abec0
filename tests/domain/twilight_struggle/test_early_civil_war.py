"""The early cards under the variant of the Chinese Civil War (book 003, 12)."""

from __future__ import annotations

from typing import Any

import pytest

from domain.twilight_struggle.facts.board import CivilWarEnded, InfluenceSet, WarRolled
from domain.twilight_struggle.facts.cards import CardDiscarded, CardPutAway, CardRevived
from domain.twilight_struggle.facts.flow import EffectBegan, EventBarred, EventBegan
from domain.twilight_struggle.facts.tracks import ScoreMoved
from domain.twilight_struggle.rules.hand import plays
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.flow import FinalScoring, OrderHeadlines
from domain.twilight_struggle.steps.play import Event, PlayCard
from tests.domain.twilight_struggle.table import US, USSR, resolving, table
from tests.scenario import Scenario, given

BOX = "chinese_civil_war"
SCARE, FORMOSAN, KOREA = "red_scare_purge", "formosan_resolution", "korean_war"


def civil_war(**fields: Any) -> State:
    """A table of the variant: no side has the China Card yet."""
    return table(options={BOX: True}, **{"china": None, **fields})


def happens(s: State, card: str, seat: str, player: str) -> Scenario[State]:
    """The event of a card."""
    return given(resolving(s, card, player), do=Event(seat, card))


def test_12_3_three_influence_in_the_box_bring_the_china_card_face_up() -> None:
    s = civil_war(phasing=USSR, ussr={"india": 1}, ussr_hand=("comecon",))
    game = given(s, do=PlayCard(USSR)).when(USSR, "influence:comecon").when(USSR, BOX).when(USSR, BOX)
    game.when(USSR, BOX).then(
        InfluenceSet(USSR, BOX, 1, 3), CivilWarEnded(USSR), CardPutAway("comecon", "discards")
    )
    game.has(china=USSR, china_ready=True, influence={US: {}, USSR: {"india": 1}})


def test_12_1_a_complete_box_takes_no_more_influence() -> None:
    """The fourth point goes elsewhere."""
    s = civil_war(phasing=USSR, ussr={"india": 1, BOX: 2}, ussr_hand=("fidel",))
    game = given(s, do=PlayCard(USSR)).when(USSR, "influence:fidel").when(USSR, BOX)
    game.refuses(USSR, BOX).when(USSR, "india").has(influence={US: {}, USSR: {"india": 2}})


def test_12_3_no_side_can_play_the_china_card_before() -> None:
    s = civil_war(ussr={"india": 1}, us={"japan": 1}, us_hand=("nasser",), ussr_hand=("nato",))
    assert not any(play.endswith(":china_card") for side in (US, USSR) for play in plays(s, side))


def test_12_2_without_the_china_card_no_side_gains_its_point() -> None:
    game = given(civil_war(turn=10, phase="end"), do=FinalScoring())
    assert not any(isinstance(fact, ScoreMoved) for fact in game.facts)


# ── Red Scare/Purge ──


def test_12_4_the_ussr_may_not_play_red_scare_purge_as_event() -> None:
    s = civil_war(ussr={"india": 1}, ussr_hand=(SCARE,))
    assert plays(s, USSR) == (f"influence:{SCARE}", f"space:{SCARE}")


def test_12_4_red_scare_purge_as_soviet_headline_does_not_happen() -> None:
    s = civil_war(phase="headline", round=0, phasing=None, headlines={USSR: SCARE})
    given(s, do=OrderHeadlines()).includes(EventBarred(SCARE, BOX), CardPutAway(SCARE, "discards"))


def test_12_4_the_us_may_play_red_scare_purge_as_event() -> None:
    happens(civil_war(us_hand=(SCARE,)), SCARE, US, US).includes(EffectBegan(SCARE, USSR))
    assert f"event:{SCARE}" in plays(civil_war(us_hand=(SCARE,)), US)


def test_12_4_the_ussr_may_once_it_has_the_china_card() -> None:
    s = civil_war(china=USSR, ussr={"india": 1}, ussr_hand=(SCARE,))
    assert f"event:{SCARE}" in plays(s, USSR)


# ── Formosan Resolution ──


def test_12_4_the_us_may_not_play_formosan_resolution_as_event() -> None:
    s = civil_war(us={"japan": 1}, us_hand=(FORMOSAN,))
    assert plays(s, US) == (f"influence:{FORMOSAN}", f"space:{FORMOSAN}")


def test_12_4_formosan_resolution_used_by_the_ussr_does_not_happen_and_is_discarded() -> None:
    s = civil_war(phasing=USSR, ussr={"cuba": 1}, ussr_hand=(FORMOSAN,))
    game = given(s, do=PlayCard(USSR)).when(USSR, f"event_first:{FORMOSAN}")
    game.includes(EventBarred(FORMOSAN, BOX), CardPutAway(FORMOSAN, "discards"))


def test_12_4_formosan_resolution_drawn_by_five_year_plan_does_not_happen() -> None:
    game = happens(civil_war(ussr_hand=(FORMOSAN,)), "five_year_plan", US, US).when("chance", FORMOSAN)
    game.includes(
        CardDiscarded(USSR, FORMOSAN, "five_year_plan"),
        CardRevived(US, FORMOSAN),
        EventBarred(FORMOSAN, BOX),
        CardPutAway(FORMOSAN, "discards"),
    )


def test_12_4_formosan_resolution_happens_once_the_box_is_complete() -> None:
    happens(civil_war(china=USSR), FORMOSAN, US, US).then(
        EventBegan(FORMOSAN, US), CardPutAway(FORMOSAN, "beside")
    )


# ── Korean War, De-Stalinization ──


@pytest.mark.parametrize(("china", "minus"), [(None, 1), (USSR, 0)])
def test_12_4_2_korean_war_is_1_harder_before_the_box_is_complete(china: str | None, minus: int) -> None:
    game = happens(civil_war(china=china), KOREA, USSR, USSR).when("chance", "4")
    game.includes(WarRolled(USSR, KOREA, "south_korea", 4, minus, 4, not minus))


def test_12_4_2_korean_war_adds_it_to_the_neighbours() -> None:
    game = happens(civil_war(us={"japan": 4}), KOREA, USSR, USSR).when("chance", "6")
    game.includes(WarRolled(USSR, KOREA, "south_korea", 6, 2, 4, True))


def test_12_1_de_stalinization_neither_takes_from_the_box_nor_adds_to_it() -> None:
    """Only influence placed by Operations touches the box."""
    game = happens(civil_war(ussr={"poland": 2, BOX: 2}), "de_stalinization", USSR, USSR)
    game.asks(USSR, "poland", "done").when(USSR, "poland").when(USSR, "done").refuses(USSR, BOX)


def test_12_1_the_us_cannot_reach_the_box() -> None:
    s = civil_war(us={"india": 1}, us_hand=("marshall_plan",))
    given(s, do=PlayCard(US)).when(US, "influence:marshall_plan").refuses(US, BOX)


def test_12_1_the_box_counts_as_asia_but_not_as_southeast_asia() -> None:
    """Vietnam Revolts adds nothing once a point is spent in the box."""
    s = civil_war(
        phasing=USSR,
        ussr={"vietnam": 2},
        ussr_hand=("fidel",),
        effects=(("vietnam_revolts", USSR),),
    )
    game = given(s, do=PlayCard(USSR)).when(USSR, "influence:fidel").when(USSR, BOX)
    game.when(USSR, "vietnam").asks_nobody()
