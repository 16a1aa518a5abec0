"""Quagmire and Bear Trap: the events, and the rounds in the trap."""

from __future__ import annotations

from typing import Any

import pytest

from domain.twilight_struggle.facts.cards import CardPlayed, CardPutAway, EnvyEnded, MarkerEnded
from domain.twilight_struggle.facts.flow import EventBegan, RoundPassed, TrapRolled
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.flow import Act, ChooseHeadline, EndTurn
from domain.twilight_struggle.steps.play import Event, PlayCard
from tests.domain.twilight_struggle.table import US, USSR, resolving, table
from tests.scenario import given

TRAPPED = [(US, "quagmire"), (USSR, "bear_trap")]
HAND = ("allende", "fidel", "containment", "asia_scoring")  # worth 1, 2, 3; and a scoring card


def in_trap(seat: str, *hand: str, **fields: Any) -> State:
    """A round of a trapped side with this hand, and the China Card."""
    hands: dict[str, Any] = {f"{seat}_hand": hand}
    trap = dict(TRAPPED)[seat]
    return table(**{"phasing": seat, "beside": (trap,), "china": seat, **hands, **fields})


# --------------------------------------------------------------------------- the events


@pytest.mark.parametrize(("victim", "trap"), TRAPPED)
def test_a_trap_lies_beside_the_board(victim: str, trap: str) -> None:
    """Quagmire, Bear Trap: in force until the victim escapes."""
    owner = USSR if victim == US else US
    given(resolving(table(), trap, owner), do=Event(owner, trap)).then(
        EventBegan(trap, owner), CardPutAway(trap, "beside")
    )


def test_quagmire_ends_norad() -> None:
    """Quagmire: NORAD is no longer in force, and leaves the game."""
    s = resolving(table(beside=("norad",)), "quagmire", USSR)
    given(s, do=Event(USSR, "quagmire")).then(
        EventBegan("quagmire", USSR), MarkerEnded("norad", "removed"), CardPutAway("quagmire", "beside")
    )


def test_bear_trap_leaves_norad_alone() -> None:
    """Bear Trap: it has no clause about NORAD."""
    s = resolving(table(beside=("norad",)), "bear_trap", US)
    given(s, do=Event(US, "bear_trap")).has(beside=("norad", "bear_trap"))


@pytest.mark.parametrize(("victim", "trap"), TRAPPED)
def test_a_trap_sprung_by_its_victim_lets_the_round_finish(victim: str, trap: str) -> None:
    """Quagmire, Bear Trap, ruling: the victim's own round goes on; the trap begins with the next."""
    hands: dict[str, Any] = {f"{victim}_hand": (trap, "fidel", "nato")}
    s = table(phasing=victim, china=None, **hands)
    sprung = given(s, do=(PlayCard(victim), Act(2, victim))).when(victim, f"event_first:{trap}")
    sprung.asks(victim, "influence").when(victim, "influence")
    home = "canada" if victim == US else "finland"
    for _ in range(3):
        sprung.when(victim, home)
    sprung.has(round=2).asks(victim, "discard:fidel", "discard:nato")


# --------------------------------------------------------------------------- a round in the trap


@pytest.mark.parametrize(("victim", "trap"), TRAPPED)
def test_a_trap_asks_for_a_card_worth_2(victim: str, trap: str) -> None:
    """Quagmire, Bear Trap, ruling: neither a scoring card nor the China Card."""
    given(in_trap(victim, *HAND), do=PlayCard(victim)).asks(victim, "discard:fidel", "discard:containment")


@pytest.mark.parametrize(("victim", "trap"), TRAPPED)
@pytest.mark.parametrize("roll", ["1", "4"])
def test_a_trap_is_escaped_with_1_to_4(victim: str, trap: str, roll: str) -> None:
    """Quagmire, Bear Trap: the discard has no event; the roll is the whole round; the card is removed."""
    discarded = given(in_trap(victim, "fidel", us={"cuba": 2}), do=PlayCard(victim))
    discarded.when(victim, "discard:fidel").then(
        CardPlayed(victim, "fidel", "discard", victim), CardPutAway("fidel", "discards")
    )
    discarded.when("chance", roll).then(
        TrapRolled(victim, trap, int(roll), True), MarkerEnded(trap, "removed")
    ).asks_nobody().has(influence={US: {"cuba": 2}, USSR: {}})


@pytest.mark.parametrize(("victim", "trap"), TRAPPED)
@pytest.mark.parametrize("roll", ["5", "6"])
def test_a_trap_holds_with_5_or_6(victim: str, trap: str, roll: str) -> None:
    """Quagmire, Bear Trap: the next round asks for another discard."""
    s = in_trap(victim, "fidel", "containment", "allende")
    rounds = given(s, do=(PlayCard(victim), Act(2, victim))).when(victim, "discard:fidel")
    rounds.when("chance", roll).includes(TrapRolled(victim, trap, int(roll), False)).has(beside=(trap,))
    rounds.asks(victim, "discard:containment")


@pytest.mark.parametrize(("victim", "trap"), TRAPPED)
def test_a_trap_escaped_gives_the_next_round_back(victim: str, trap: str) -> None:
    """Quagmire, Bear Trap, ruling: normal play in the round after the escape."""
    s = in_trap(victim, "fidel", "summit", china=None)
    rounds = given(s, do=(PlayCard(victim), Act(2, victim))).when(victim, "discard:fidel")
    rounds.when("chance", "1").asks(victim, "event:summit", "influence:summit")


@pytest.mark.parametrize(("victim", "trap"), TRAPPED)
def test_a_trap_counts_the_modified_value(victim: str, trap: str) -> None:
    """Quagmire, Bear Trap, ruling: under the Purge a 2 is a 1."""
    s = in_trap(victim, *HAND, effects=(("red_scare_purge", victim),))
    given(s, do=PlayCard(victim)).asks(victim, "discard:containment")


@pytest.mark.parametrize(
    ("victim", "effect"), [(US, "containment"), (USSR, "brezhnev_doctrine")], ids=["quagmire", "bear_trap"]
)
def test_a_trap_takes_a_1_that_is_worth_2(victim: str, effect: str) -> None:
    """Bear Trap, ruling: with Brezhnev Doctrine a card of 1 is enough; so with Containment in Quagmire."""
    s = in_trap(victim, "allende", effects=((effect, victim),))
    given(s, do=PlayCard(victim)).asks(victim, "discard:allende")


@pytest.mark.parametrize(("victim", "trap"), TRAPPED)
def test_a_trap_without_a_discard_leaves_scoring_cards(victim: str, trap: str) -> None:
    """Quagmire, Bear Trap, ruling: the victim may choose in which rounds to play them."""
    asked = given(in_trap(victim, "allende", "asia_scoring"), do=PlayCard(victim))
    asked.asks(victim, "event:asia_scoring", "pass").when(victim, "pass").then(RoundPassed(victim))


@pytest.mark.parametrize(("victim", "trap"), TRAPPED)
def test_a_trap_without_any_card_to_play_is_passed(victim: str, trap: str) -> None:
    """Quagmire, Bear Trap: no discard and no scoring card, not even for Operations."""
    given(in_trap(victim, "allende", "summit"), do=PlayCard(victim)).asks(victim, "pass")


@pytest.mark.parametrize(("victim", "trap"), TRAPPED)
def test_a_trap_yields_to_a_scoring_card_in_the_last_round(victim: str, trap: str) -> None:
    """Quagmire, Bear Trap, ruling: with just enough rounds left the scoring card goes first."""
    s = in_trap(victim, "fidel", "asia_scoring", round=6)
    given(s, do=PlayCard(victim)).asks(victim, "event:asia_scoring")


@pytest.mark.parametrize(("victim", "trap"), TRAPPED)
def test_a_trap_takes_a_missile_envy_that_is_owed(victim: str, trap: str) -> None:
    """Quagmire, Missile Envy, ruling: it must be the discard, and then is owed no more."""
    s = in_trap(victim, "fidel", "missile_envy", "containment", envy=victim)
    asked = given(s, do=PlayCard(victim)).asks(victim, "discard:missile_envy")
    asked.when(victim, "discard:missile_envy").then(
        CardPlayed(victim, "missile_envy", "discard", victim),
        EnvyEnded(),
        CardPutAway("missile_envy", "discards"),
    )


@pytest.mark.parametrize(("victim", "trap"), TRAPPED)
def test_a_trap_does_not_take_a_missile_envy_worth_1(victim: str, trap: str) -> None:
    """Quagmire, Missile Envy, ruling: only while it is still worth 2."""
    s = in_trap(victim, "missile_envy", "containment", envy=victim, effects=(("red_scare_purge", victim),))
    given(s, do=PlayCard(victim)).asks(victim, "discard:containment")


def test_quagmire_under_aldrich_ames_of_the_2nd_edition() -> None:
    """Quagmire, ruling: the first card in order that is worth 2."""
    order = ("allende", "containment", "fidel")
    s = in_trap(US, "fidel", "allende", "containment", order=order, edition="second")
    given(s, do=PlayCard(US)).asks(US, "discard:containment")


# --------------------------------------------------------------------------- beyond the round


@pytest.mark.parametrize(("victim", "trap"), TRAPPED)
def test_a_trap_does_not_touch_the_headlines(victim: str, trap: str) -> None:
    """Quagmire, Bear Trap, ruling: any card may be the headline."""
    given(in_trap(victim, *HAND), do=ChooseHeadline((victim,))).asks(victim, *HAND)


@pytest.mark.parametrize(("victim", "trap"), TRAPPED)
def test_a_trap_goes_on_in_the_next_turn(victim: str, trap: str) -> None:
    """Quagmire, Bear Trap, ruling: it does not end with the turn."""
    given(in_trap(victim, "fidel"), do=EndTurn()).asks(victim, "fidel").has(turn=2, beside=(trap,))
