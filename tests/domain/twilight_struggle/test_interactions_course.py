"""Where cards meet the course of a turn: rounds, the Space Race, hands, points, and tables made by hand."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from domain.kernel import CHANCE, Answer, Decision, Ended, asked, begin, decide, fold
from domain.piles import Pile
from domain.twilight_struggle.components import MAP
from domain.twilight_struggle.facts.board import CoupRolled
from domain.twilight_struggle.facts.flow import BurialEnded, EventBegan, RoundBegan, RoundPassed
from domain.twilight_struggle.facts.tracks import DefconSet, MilitarySet, ScoreMoved, SpaceSet
from domain.twilight_struggle.rules.hand import plays
from domain.twilight_struggle.rules.operations import Ops
from domain.twilight_struggle.rules.registry import CARDS
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.flow import Act, EndRound, Headlines, Round
from domain.twilight_struggle.steps.hands import DealTo
from domain.twilight_struggle.steps.operations import Coup
from domain.twilight_struggle.steps.play import Event, PlayCard
from tests.domain import properties
from tests.domain.played import Played
from tests.domain.twilight_struggle.table import GAME, US, USSR, resolving, table
from tests.domain.twilight_struggle.test_properties import check_numbers, places
from tests.scenario import given

CUBA: dict[str, Any] = {"us": {"cuba": 1}, "ussr": {"cuba": 1}}
BURIED = ScoreMoved(USSR, 3, -3, "we_will_bury_you")


# --------------------------------------------------------------------------- "We Will Bury You"


def test_we_will_bury_you_scores_when_the_us_passes_its_eighth_round() -> None:
    s = table(turn=5, round=7, us_hand=("fidel",), space={US: 8, USSR: 0}, buries=True, **CUBA)
    given(s, do=Act(8, US, extra=True)).when(US, "pass").then(BurialEnded(False), BURIED, RoundPassed(US))


def test_we_will_bury_you_does_not_mind_an_eighth_round_that_the_us_has_not() -> None:
    s = table(turn=5, round=7, us_hand=("fidel",), buries=True)
    given(s, do=Act(8, US, extra=True)).then().has(buries=True)


def test_we_will_bury_you_scores_before_a_scoring_card_of_the_us() -> None:
    """FAQ 4.2: at 17 points the USSR has won before the region is looked at."""
    s = table(vp=-17, us_hand=("asia_scoring",), us={"japan": 4}, buries=True)
    given(s, do=PlayCard(US)).when(US, "event:asia_scoring").then(
        BurialEnded(False),
        ScoreMoved(USSR, 3, -20, "we_will_bury_you"),
        Ended(USSR, "victory_points", {US: -20, USSR: 20}),
    )


def test_we_will_bury_you_is_answered_after_a_ransom_and_once_only() -> None:
    """Buying the Cuban Missile Crisis off is no action: the play that follows decides."""
    s = table(
        us_hand=("fidel", "un_intervention"),
        us={"turkey": 2},
        buries=True,
        effects=(("cuban_missile_crisis", US),),
    )
    game = given(s, do=PlayCard(US)).when(US, "ransom:turkey").has(buries=True)
    game.when(US, "cancel:fidel").includes(BurialEnded(True)).has(buries=False, vp=0)


def test_we_will_bury_you_scores_although_un_intervention_comes_with_grain_sales() -> None:
    """The points are due as soon as the round is begun with another card."""
    s = table(
        us_hand=("grain_sales_to_soviets", "un_intervention"), ussr_hand=("fidel",), buries=True, **CUBA
    )
    game = (
        given(s, do=PlayCard(US))
        .when(US, "event:grain_sales_to_soviets")
        .includes(BurialEnded(False), BURIED)
    )
    game.when(CHANCE, "fidel").when(US, "cancel:fidel").has(vp=-3)


# --------------------------------------------------------------------------- NORAD


def test_norad_that_happens_in_the_round_in_which_defcon_fell_to_2_counts_it() -> None:
    """It is in force when the round ends, and that is when it asks."""
    s = table(us={"canada": 4, "cuba": 1}, ussr={"cuba": 1}, defcon=3, phasing=USSR, ussr_hand=("norad",))
    game = given(s, do=(PlayCard(USSR), EndRound(USSR))).when(USSR, "coup:norad").when(USSR, "cuba")
    game.includes(DefconSet(3, 2)).when(CHANCE, "1").asks(US, "canada", "cuba")


def test_norad_stays_when_defcon_rises_again_in_the_same_round() -> None:
    s = table(us={"canada": 4}, beside=("norad",), defcon=2)
    fallen = fold(s, [RoundBegan(1, US), DefconSet(3, 2), DefconSet(2, 4)])
    given(fallen, do=EndRound(US)).asks(US, "canada")


# --------------------------------------------------------------------------- Coups


def test_yuri_and_samantha_count_a_free_coup_which_brings_no_military_operations() -> None:
    s = table(ussr={"haiti": 1}, effects=(("yuri_and_samantha", USSR),))
    game = given(resolving(s, "junta", US), do=Event(US, "junta")).when(US, "haiti").when(US, "coup")
    game.when(US, "haiti").then(ScoreMoved(USSR, 1, -1, "yuri_and_samantha")).when(CHANCE, "1")
    game.includes(CoupRolled(US, "haiti", 1, 2, 0, 1, 1)).has(military={US: 0, USSR: 0})


def test_yuri_and_samantha_score_the_attempt_before_the_die() -> None:
    s = table(ussr={"cuba": 1}, defcon=3, effects=(("yuri_and_samantha", USSR),))
    given(s, do=Coup(US, Ops("nato", 4))).when(US, "cuba").then(
        MilitarySet(US, 4), ScoreMoved(USSR, 1, -1, "yuri_and_samantha"), DefconSet(3, 2)
    )


def test_salt_and_death_squads_are_added_up_for_both_sides() -> None:
    """1 less for every Coup; in the Americas 1 more for the player of the squads, 1 less for the other."""
    effects = (("salt_negotiations", USSR), ("latin_american_death_squads", US))
    s = table(us={"haiti": 1, "zaire": 1}, ussr={"haiti": 1, "zaire": 1}, effects=effects)
    modifiers = {(US, "haiti"): 0, (USSR, "haiti"): -2, (US, "zaire"): -1, (USSR, "zaire"): -1}
    for (seat, country), modifier in modifiers.items():
        game = given(s, do=Coup(seat, Ops("che", 3))).when(seat, country).when(CHANCE, "1")
        rolled = next(fact for fact in game.facts if isinstance(fact, CoupRolled))
        assert rolled.modifier == modifier


# --------------------------------------------------------------------------- the Space Race in mid-turn


def test_the_second_space_card_is_lost_when_the_opponent_arrives_in_mid_turn() -> None:
    """6.4.4: box 2 is worth a second card only until the other side stands there too."""
    s = table(us_hand=("nato",), space={US: 2, USSR: 1}, spaced={US: 1, USSR: 0})
    assert "space:nato" in plays(s, US)
    arrived = given(resolving(s, "captured_nazi_scientist", USSR), do=Event(USSR, "captured_nazi_scientist"))
    arrived.includes(SpaceSet(USSR, 2))
    assert "space:nato" not in plays(arrived.table, US)


def test_one_small_step_past_box_8_of_the_other_ends_its_eighth_round() -> None:
    s = table(turn=8, round=7, space={US: 8, USSR: 7}, us_hand=("nato",), phasing=USSR)
    game = given(
        resolving(s, "one_small_step", USSR), do=(Event(USSR, "one_small_step"), Act(8, US, extra=True))
    )
    game.includes(EventBegan("one_small_step", USSR), SpaceSet(USSR, 8)).asks_nobody()


# --------------------------------------------------------------------------- optional rules combined


def test_mixed_use_of_the_china_card_keeps_the_fifth_point_in_asia() -> None:
    """Two points of influence and two rolls in Asia: the fifth point may be either, there and only there."""
    s = table(
        us={"india": 1, "nigeria": 1},
        ussr={"burma": 2, "pakistan": 1, "nigeria": 1},
        china=US,
        options={"realignment_mixed": True},
    )
    game = given(s, do=PlayCard(US)).when(US, "influence:china_card").when(US, "india").when(US, "india")
    game.when(US, "realign")
    for _ in range(2):
        game.when(US, "burma").when(CHANCE, "33")
    game.when(US, "influence").refuses(US, "nigeria").refuses(US, "burma").when(US, "india").asks_nobody()


# --------------------------------------------------------------------------- tables made by hand


@pytest.mark.parametrize("seed", range(3))
def test_any_match_from_the_middle(seed: int) -> None:
    """Few cards in the deck, many lasting events, strange hands: everything that must hold holds."""
    played = from_the_middle(Random(seed))
    properties.check_all(GAME, played, places)
    check_numbers(played)
    check_rests(played)


def check_rests(played: Played) -> None:
    """Between two plays nothing is left half resolved, and marks stand only on cards that are there."""
    for _, decision in played:
        s: State = decision.table
        if s.agenda and isinstance(s.agenda[-1], PlayCard):
            assert not s.playing
            assert not s.headlines
            assert abs(s.vp) < 20
        assert set(s.order) <= set(s.hands[US])
        assert s.envy is None or "missile_envy" in s.hands[s.envy]


def from_the_middle(rng: Random) -> Played:
    """A match that begins with a deal in some turn from 4 to 10; it avoids the easiest ways to end."""
    played = Played()
    options = {"realignment_mixed": rng.random() < 0.5, "chinese_civil_war": rng.random() < 0.3}
    edition = rng.choice(("deluxe", "second"))
    played.edition, played.options = GAME.settle(edition, options if edition == "deluxe" else {})
    started: Any = GAME.table(played.edition, played.options)
    played.start = middle(started, rng)
    steps = (DealTo(USSR, rng.randint(4, 9)), DealTo(US, rng.randint(4, 9)), Headlines(), Round(1))
    decision: Decision[Any] = begin(played.start, steps)
    played.append((properties.OPENING, decision))
    while asked(decision.table):
        answer, decision = wary(decision.table, rng)
        played.append((answer, decision))
    return played


def wary(s: Any, rng: Random) -> tuple[Answer, Decision[Any]]:
    """A random answer, and what follows: one that does not end the match, if it is found at once."""
    for _ in range(6):
        answer = properties.random_answer(s, rng.choice(asked(s)), rng)
        decision = decide(s, answer)
        if decision.table.result is None:
            break
    return answer, decision


def middle(s: State, rng: Random) -> State:
    """The table at the beginning of a turn; the cards of finished events are mostly gone."""
    turn = rng.randint(4, 10)
    heaps: dict[str, list[str]] = {"beside": [], "removed": [], "discards": [], "deck": []}
    for card in sorted(CARDS):
        if fits(card, s, turn):
            heaps[heap_of(card, rng)].append(card)
    while len(heaps["deck"]) < 20:
        heaps["deck"].append(heaps["discards"].pop())
    influence = {side: {land: rng.randint(1, 5) for land in MAP if rng.random() < 0.4} for side in (US, USSR)}
    return replace(
        s,
        turn=turn,
        phase="deal",
        influence=influence,
        at_start=influence,
        defcon=rng.randint(2, 5),
        vp=rng.randint(-17, 17),
        space={US: rng.randint(0, 8), USSR: rng.randint(0, 8)},
        military={US: rng.randint(0, 5), USSR: rng.randint(0, 5)},
        china_ready=rng.random() < 0.7,
        buries=rng.random() < 0.3,
        deck=Pile.of(heaps["deck"]),
        discards=tuple(heaps["discards"]),
        removed=tuple(heaps["removed"]),
        beside=tuple(heaps["beside"]),
    )


def fits(card: str, s: State, turn: int) -> bool:
    """Whether a card is in the game by this turn."""
    face = CARDS[card]
    return s.edition in face.editions and card != "china_card" and (turn >= 8 or face.period != "late")


def heap_of(card: str, rng: Random) -> str:
    """Where a card lies: cards that reach for other cards lie mostly in the deck."""
    face, luck = CARDS[card], rng.random()
    if face.lasting and luck < 0.25:
        return "beside"
    if face.starred and luck < 0.5 and card not in REACHING:
        return "removed"
    return "deck" if card in REACHING or luck > 0.85 else "discards"


REACHING = (
    "missile_envy",
    "un_intervention",
    "grain_sales_to_soviets",
    "five_year_plan",
    "star_wars",
    "aldrich_ames_remix",
    "aldrich_ames_2nd",
    "ask_not_what_your_country",
    "our_man_in_tehran",
    "salt_negotiations",
    "terrorism",
    "defectors",
)
