"""NORAD and The Cambridge Five (Deluxe edition; Special Relationship stands with NATO)."""

from __future__ import annotations

from typing import Any

import pytest

from domain.twilight_struggle.components import MEMBERS
from domain.twilight_struggle.facts.board import InfluenceSet
from domain.twilight_struggle.facts.cards import CardPutAway, CardsShown, MarkerEnded
from domain.twilight_struggle.facts.flow import EventBarred, EventBegan
from domain.twilight_struggle.facts.tracks import DefconSet
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.flow import Act, EndRound, OrderHeadlines
from domain.twilight_struggle.steps.play import Event, PlayCard
from tests.domain.twilight_struggle.table import US, USSR, resolving, table
from tests.scenario import Scenario, given

FIVE, NORAD = "the_cambridge_five", ("norad",)


# ── NORAD ──


def coup_in_angola(*, defcon: int = 3, canada: int = 4, **fields: Any) -> Scenario[State]:
    """The USSR plays Fidel for a Coup in the battleground Angola, to the end of its round."""
    fields = {"beside": NORAD, **fields}
    s = table(
        phasing=USSR,
        defcon=defcon,
        us={"canada": canada, "angola": 1, "japan": 1},
        ussr_hand=("fidel",),
        **fields,
    )
    game = given(s, do=(PlayCard(USSR), EndRound(USSR)))
    return game.when(USSR, "coup:fidel").when(USSR, "angola").when("chance", "1")


def test_norad_stays_beside_the_board() -> None:
    given(resolving(table(), "norad", US), do=Event(US, "norad")).then(
        EventBegan("norad", US), CardPutAway("norad", "beside")
    )


def test_norad_defcon_moving_to_2_in_a_round_lets_the_us_add_1_where_it_has_some() -> None:
    """In the round of either side; the Coup took the US out of Angola."""
    game = coup_in_angola().asks(US, "canada", "japan").when(US, "japan")
    game.then(InfluenceSet(US, "japan", 1, 2)).asks_nobody()


def test_norad_the_us_may_add_nothing() -> None:
    coup_in_angola().when(US).then().asks_nobody()


def test_norad_counts_the_rounds_of_the_us_as_well() -> None:
    s = table(defcon=3, us={"canada": 4}, ussr={"angola": 1}, us_hand=("nasser",), beside=NORAD)
    game = given(s, do=(PlayCard(US), EndRound(US))).when(US, "coup:nasser").when(US, "angola")
    game.includes(DefconSet(3, 2)).when("chance", "1").asks(US, "canada")


def test_norad_counts_defcon_moved_by_an_event() -> None:
    """Duck and Cover, played by the USSR."""
    s = table(phasing=USSR, defcon=3, us={"canada": 4}, ussr_hand=("duck_and_cover",), beside=NORAD)
    game = given(s, do=(PlayCard(USSR), EndRound(USSR))).when(USSR, "event_first:duck_and_cover")
    game.when(USSR, "influence")
    for _ in range(3):
        game.when(USSR, "finland")
    game.asks(US, "canada")


def test_norad_needs_us_control_of_canada() -> None:
    coup_in_angola(canada=3).asks_nobody()


def test_norad_needs_defcon_to_move_to_2() -> None:
    """From 4 to 3 is not enough."""
    coup_in_angola(defcon=4).has(defcon=3).asks_nobody()


def test_norad_standing_at_2_does_not_count() -> None:
    """Ruling: nothing moved in this round."""
    s = table(phasing=USSR, defcon=2, us={"canada": 4}, ussr_hand=("fidel",), beside=NORAD)
    given(s, do=(PlayCard(USSR), EndRound(USSR))).when(USSR, "event:fidel").asks_nobody()


def test_norad_not_in_play_does_nothing() -> None:
    coup_in_angola(beside=()).asks_nobody()


def test_norad_does_not_count_the_headline_phase() -> None:
    """Ruling: DEFCON fell to 2 in a headline; the first round ends without it."""
    s = table(
        phase="headline",
        round=0,
        phasing=None,
        defcon=3,
        headlines={US: "duck_and_cover"},
        us={"canada": 4},
        ussr_hand=("fidel",),
        beside=NORAD,
    )
    game = given(s, do=(OrderHeadlines(), Act(1, USSR))).includes(DefconSet(3, 2))
    game.when(USSR, "event:fidel").asks_nobody()


def test_norad_counts_each_round_for_itself() -> None:
    """What moved in the round of the USSR is no concern of the US round after it."""
    s = table(
        phasing=USSR, defcon=2, reached_two=True, us={"canada": 4}, us_hand=("containment",), beside=NORAD
    )
    given(s, do=Act(1, US)).when(US, "event:containment").asks_nobody()


def test_norad_is_ended_by_quagmire() -> None:
    s = resolving(table(beside=NORAD), "quagmire", USSR)
    given(s, do=Event(USSR, "quagmire")).includes(MarkerEnded("norad", "removed"))


def test_norad_after_quagmire_is_not_stopped() -> None:
    """The reading taken: only Quagmire happening while NORAD lies there ends it."""
    s = resolving(table(beside=("quagmire",)), "norad", US)
    given(s, do=Event(US, "norad")).has(beside=("quagmire", "norad"))


# ── The Cambridge Five ──


def five(*hand: str, **fields: Any) -> Scenario[State]:
    """The event, played by the USSR, against this hand of the US."""
    s = table(us_hand=hand, phasing=USSR, **fields)
    return given(resolving(s, FIVE, USSR), do=Event(USSR, FIVE))


def test_cambridge_five_shows_the_scoring_cards_and_adds_1_in_the_region_of_one() -> None:
    """Ruling: with several of them one country in all."""
    game = five("fidel", "middle_east_scoring", "asia_scoring")
    shown = ("asia_scoring", "middle_east_scoring")
    game.then(EventBegan(FIVE, USSR), CardsShown(US, shown, FIVE))
    game.asks(USSR, *MEMBERS["asia"], *MEMBERS["middle_east"]).refuses(USSR, "burma", "iraq")
    game.when(USSR, "burma").then(InfluenceSet(USSR, "burma", 1, 1), CardPutAway(FIVE, "discards"))


def test_cambridge_five_the_ussr_may_add_nothing() -> None:
    five("europe_scoring").when(USSR).then(CardPutAway(FIVE, "discards"))


def test_cambridge_five_without_scoring_cards_adds_nothing() -> None:
    five("fidel", "nato").then(
        EventBegan(FIVE, USSR), CardsShown(US, (), FIVE), CardPutAway(FIVE, "discards")
    )


def test_cambridge_five_southeast_asia_scoring_means_southeast_asia_only() -> None:
    """Ruling."""
    five("southeast_asia_scoring").asks(USSR, *MEMBERS["southeast_asia"])


def test_cambridge_five_a_scoring_card_chosen_as_headline_is_no_longer_in_hand() -> None:
    """Ruling: the headlines are shown before the first of them happens."""
    s = table(
        phase="headline",
        round=0,
        phasing=None,
        headlines={US: "asia_scoring", USSR: FIVE},
        us_hand=("europe_scoring",),
    )
    given(s, do=OrderHeadlines()).includes(CardsShown(US, ("europe_scoring",), FIVE))


@pytest.mark.parametrize(("turn", "happens"), [(7, True), (8, False), (10, False)])
def test_cambridge_five_is_no_event_in_the_late_war(turn: int, happens: bool) -> None:
    """Ruling."""
    game = five("asia_scoring", turn=turn)
    assert (EventBegan(FIVE, USSR) in game.facts) is happens
    assert (EventBarred(FIVE, "needs_earlier_turn") in game.facts) is not happens


def test_cambridge_five_takes_nothing_out_of_the_hand() -> None:
    game = five("asia_scoring", "fidel")
    assert sorted(game.table.hands[US]) == ["asia_scoring", "fidel"]
