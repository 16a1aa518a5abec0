"""Where two or three cards and rules of Twilight Struggle meet: revived, taken, given and drawn cards."""

from __future__ import annotations

from typing import Any

import pytest

from domain.kernel import CHANCE, Ended
from domain.twilight_struggle.facts.board import InfluenceSet
from domain.twilight_struggle.facts.cards import (
    CardKept,
    CardPlayed,
    CardPutAway,
    CardRevived,
    CardsDealt,
    DiscardsReshuffled,
    EnvyEnded,
    TopSeen,
)
from domain.twilight_struggle.facts.flow import (
    EffectEnded,
    EventBarred,
    EventBegan,
    HeadlineBegan,
    HeadlineCancelled,
    HeadlineShown,
    HeadlineSkipped,
)
from domain.twilight_struggle.facts.tracks import DefconSet, ScoreMoved
from domain.twilight_struggle.rules.hand import headlines, plays
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.flow import ChooseHeadline, OrderHeadlines, ShowHeadlines
from domain.twilight_struggle.steps.play import Event, PlayCard, PlayTaken
from tests.domain.twilight_struggle.table import US, USSR, nuclear_war, resolving, table
from tests.scenario import given

UN, ENVY, GRAIN = "un_intervention", "missile_envy", "grain_sales_to_soviets"
PLAN, ASK_NOT = "five_year_plan", "ask_not_what_your_country"
CRISIS = "cuban_missile_crisis"
CUBA: dict[str, Any] = {"us": {"cuba": 1}, "ussr": {"cuba": 1}}
AHEAD = {US: 1, USSR: 0}


# --------------------------------------------------------------------------- UN Intervention


@pytest.mark.parametrize(("taken", "kept"), [("fidel", UN), (UN, "fidel")])
def test_un_intervention_is_not_for_the_headline_phase_even_through_grain_sales(
    taken: str, kept: str
) -> None:
    """Its card bars the headline phase, whether it lies in the own hand or is the card that was drawn."""
    s = table(us_hand=(kept,), ussr_hand=(taken,), phase="headline", round=0, **CUBA)
    game = given(resolving(s, GRAIN, US), do=PlayTaken(US, taken, USSR))
    game.refuses(US, "cancel:fidel").when(US, f"influence:{taken}")


@pytest.mark.parametrize(("taken", "kept"), [("fidel", UN), (UN, "fidel")])
def test_un_intervention_through_grain_sales_in_an_action_round(taken: str, kept: str) -> None:
    s = table(us_hand=(kept,), ussr_hand=(taken,), **CUBA)
    given(resolving(s, GRAIN, US), do=PlayTaken(US, taken, USSR)).when(US, "cancel:fidel").includes(
        CardPlayed(US, UN, "event", US if kept == UN else USSR)
    )


def test_un_intervention_drawn_by_grain_sales_takes_no_card_out_of_an_ordered_hand() -> None:
    """Aldrich Ames (2nd edition): an ordered card cannot be moved beside another one."""
    s = table(
        edition="second",
        turn=8,
        us_hand=("nato", "fidel"),
        ussr_hand=(UN,),
        order=("nato", "fidel"),
        effects=(("aldrich_ames_2nd", US),),
        **CUBA,
    )
    given(resolving(s, GRAIN, US), do=PlayTaken(US, UN, USSR)).refuses(US, "cancel:fidel")


def test_un_intervention_given_for_missile_envy_has_no_event() -> None:
    s = resolving(table(us_hand=(UN, "asia_scoring"), **CUBA), ENVY, USSR)
    given(s, do=Event(USSR, ENVY)).when(US, UN).then(
        CardPlayed(USSR, UN, "given", US),
        CardKept(ENVY, US),
        EventBegan(UN, USSR),
        CardPutAway(UN, "discards"),
    )


# --------------------------------------------------------------------------- Flower Power and 20 points


@pytest.mark.parametrize(("play", "vp"), [("event:brush_war", -19), ("coup:brush_war", -18)])
def test_flower_power_20_points_win_before_the_war(play: str, vp: int) -> None:
    """Its points are due when the card is played; what the war then wins back comes too late (10.3.1)."""
    s = table(vp=vp, us_hand=("brush_war",), beside=("flower_power",), **CUBA)
    given(s, do=PlayCard(US)).when(US, play).then(
        CardPlayed(US, "brush_war", play.partition(":")[0], US),
        ScoreMoved(USSR, 2, -20, "flower_power"),
        Ended(USSR, "victory_points", {US: -20, USSR: 20}),
    )


def test_flower_power_20_points_win_before_a_freed_war_card_goes_into_space() -> None:
    hand = ("arab_israeli_war", UN)
    s = table(vp=-18, us_hand=hand, beside=("flower_power",), space={US: 0, USSR: 0}, **CUBA)
    assert given(s, do=PlayCard(US)).when(US, "cancel:arab_israeli_war").facts[-1] == Ended(
        USSR, "victory_points", {US: -20, USSR: 20}
    )


def test_flower_power_20_points_win_before_a_headlined_war() -> None:
    s = table(vp=-19, phase="headline", round=0, headlines={US: "brush_war"}, beside=("flower_power",))
    given(s, do=OrderHeadlines()).then(
        HeadlineBegan(US, "brush_war"),
        ScoreMoved(USSR, 2, -20, "flower_power"),
        Ended(USSR, "victory_points", {US: -20, USSR: 20}),
    )


# --------------------------------------------------------------------------- the Chinese Civil War


BARRED = ("red_scare_purge", "cultural_revolution", "formosan_resolution")


@pytest.mark.parametrize(
    ("seat", "left"), [(USSR, ("formosan_resolution",)), (US, ("red_scare_purge", "cultural_revolution"))]
)
def test_what_the_civil_war_bars_is_no_headline_of_its_own_side(seat: str, left: tuple[str, ...]) -> None:
    """12.4: until then they may be played for Operations only; the event of the other side just fails."""
    s = table(options={"chinese_civil_war": True}, china=None, us_hand=BARRED, ussr_hand=BARRED)
    assert headlines(s, seat) == left
    assert headlines(table(us_hand=BARRED, ussr_hand=BARRED), seat) == BARRED


def test_who_holds_only_what_the_civil_war_bars_has_no_headline() -> None:
    hands: dict[str, Any] = {"us_hand": ("cultural_revolution",), "ussr_hand": ("red_scare_purge",)}
    s = table(options={"chinese_civil_war": True}, china=None, phase="headline", round=0, **hands)
    game = given(s, do=(ChooseHeadline((US, USSR)), ShowHeadlines(), OrderHeadlines()))
    game.asks(USSR, "none").when(USSR, "none").when(US, "cultural_revolution").includes(
        HeadlineShown(US, "cultural_revolution"),
        HeadlineSkipped(USSR),
        EventBarred("cultural_revolution", "chinese_civil_war"),
        CardPutAway("cultural_revolution", "discards"),
    )


# --------------------------------------------------------------------------- getting rid of scoring cards


def test_the_order_of_the_us_hand_does_not_keep_the_ussr_from_its_five_year_plan() -> None:
    s = table(
        edition="second",
        turn=8,
        round=7,
        phasing=USSR,
        us_hand=("nato",),
        ussr_hand=(PLAN, "asia_scoring"),
        order=("nato",),
        effects=(("aldrich_ames_2nd", US),),
    )
    assert f"event_first:{PLAN}" in plays(s, USSR)


def test_ask_not_may_take_several_scoring_cards_away() -> None:
    """Two scoring cards for two rounds: the US discards as many as it likes."""
    s = table(turn=5, round=6, us_hand=(ASK_NOT, "asia_scoring", "europe_scoring", "nato"))
    given(s, do=PlayCard(US)).asks(US, "event:asia_scoring", "event:europe_scoring", f"event:{ASK_NOT}")


# --------------------------------------------------------------------------- cards within cards


def test_star_wars_revives_missile_envy() -> None:
    """The card goes on to the USSR, who owes it; what is given for it happens for the US."""
    s = table(space=AHEAD, discards=(ENVY,), ussr_hand=("fidel", "containment"))
    given(resolving(s, "star_wars", US), do=Event(US, "star_wars")).when(US, ENVY).then(
        CardRevived(US, ENVY), EventBegan(ENVY, US)
    ).when(USSR, "containment").has(
        envy=USSR, playing=(), discards=(), removed=("containment", "star_wars")
    ).asks_nobody()


def test_star_wars_and_missile_envy_in_a_round_of_the_ussr_end_in_its_nuclear_war() -> None:
    """8.1.3: three cards deep the phasing player is still the one who began."""
    s = table(space=AHEAD, discards=(ENVY,), ussr_hand=("duck_and_cover",), defcon=2, phasing=USSR)
    game = given(resolving(s, "star_wars", USSR), do=Event(US, "star_wars"))
    game.when(US, ENVY).when(USSR, "duck_and_cover").includes(DefconSet(2, 1), nuclear_war(US))


@pytest.mark.parametrize("resolved", [False, True])
def test_star_wars_revives_defectors_in_the_headline_phase(resolved: bool) -> None:
    """FAQ 4.2: they cancel the Soviet headline, save where it has been resolved."""
    waiting = {} if resolved else {USSR: "asia_scoring"}
    s = table(
        phase="headline",
        round=0,
        space=AHEAD,
        discards=("defectors",),
        headlines={US: "star_wars", **waiting},
    )
    cancelled = () if resolved else (HeadlineCancelled(USSR, "asia_scoring"),)
    given(s, do=OrderHeadlines()).when(US, "defectors").then(
        CardRevived(US, "defectors"),
        EventBegan("defectors", US),
        *cancelled,
        CardPutAway("defectors", "discards"),
        CardPutAway("star_wars", "removed"),
    ).asks_nobody()


def test_grain_sales_given_for_missile_envy_draws_that_very_missile_envy() -> None:
    """It was just handed over: the US plays it again, and the debt ends."""
    s = table(us_hand=(ENVY,), ussr_hand=(GRAIN,), **CUBA)
    game = given(s, do=PlayCard(US)).when(US, f"event:{ENVY}").when(USSR, GRAIN).when(CHANCE, ENVY)
    game.when(US, f"event:{ENVY}").then(
        CardPlayed(US, ENVY, "event", USSR), EnvyEnded(), EventBegan(ENVY, US)
    ).asks(USSR, "none").when(USSR, "none").then(
        CardPutAway(ENVY, "discards"), CardPutAway(GRAIN, "discards")
    ).has(envy=None, playing=())


def test_five_year_plan_draws_ask_not_which_reshuffles_with_both_on_the_table() -> None:
    """4.3: what is being resolved is not among the discards yet, what was just discarded is."""
    s = table(
        phasing=USSR,
        ussr_hand=(PLAN, ASK_NOT),
        us_hand=("fidel", "nasser"),
        deck=("nato",),
        discards=("opec",),
        **CUBA,
    )
    game = given(s, do=PlayCard(USSR)).when(USSR, f"event_first:{PLAN}").when(CHANCE, ASK_NOT)
    game.when(US, "fidel", "nasser").when(CHANCE, "nato").then(
        CardsDealt(US, ("nato",)), DiscardsReshuffled(3)
    ).asks(CHANCE, "fidel", "nasser", "opec").when(CHANCE, "opec").has(
        hands={US: ("nato", "opec"), USSR: ()}, removed=(ASK_NOT,)
    )


def test_our_man_in_tehran_with_no_card_left_anywhere() -> None:
    """Nothing to see is nothing to hide."""
    s = resolving(table(us={"iran": 3}), "our_man_in_tehran", US)
    seen = TopSeen(US, ())
    game = given(s, do=Event(US, "our_man_in_tehran")).includes(seen).asks_nobody()
    assert [seen.seen_by(viewer) for viewer in (US, USSR, None)] == [seen] * 3
    assert game.table.removed == ("our_man_in_tehran",)


def test_salt_takes_back_a_card_with_an_asterisk_and_it_may_be_played_again() -> None:
    s = resolving(table(discards=("nasser", "containment"), us_hand=("fidel",)), "salt_negotiations", US)
    game = given(s, do=Event(US, "salt_negotiations")).when(US, "containment")
    game.has(hands={US: ("containment", "fidel"), USSR: ()}, discards=("nasser",))
    assert "event:containment" in plays(game.table, US)


# --------------------------------------------------------------------------- the Cuban Missile Crisis

BOARD: dict[str, Any] = {
    "us": {"haiti": 1, "panama": 1, "mexico": 1, "honduras": 1},
    "ussr": {"haiti": 1, "spain_portugal": 1},
}
LOST: dict[str, Ended[State]] = {
    seat: Ended(winner, CRISIS, {US: 0, USSR: 0}) for seat, winner in ((US, USSR), (USSR, US))
}


@pytest.mark.parametrize(
    ("card", "seat", "phasing", "answers"),
    [
        ("junta", US, US, ("panama", "coup", "haiti")),
        ("tear_down_this_wall", US, USSR, ("coup", "spain_portugal")),
        ("cia_created", US, USSR, ("coup", "haiti")),
        ("abm_treaty", US, US, ("coup", "haiti")),
        ("ortega_elected_in_nicaragua", USSR, US, ("coup", "honduras")),
        ("lone_gunman", USSR, US, ("coup", "haiti")),
        ("che", USSR, USSR, ("coup", "haiti")),
    ],
)
def test_the_crisis_strikes_every_coup_of_an_event(
    card: str, seat: str, phasing: str, answers: tuple[str, ...]
) -> None:
    """FAQ 4.2: the side that makes the Coup loses, in either side's round; Nuclear Subs do not help."""
    s = table(defcon=3, phasing=phasing, effects=((CRISIS, seat), ("nuclear_subs", US)), **BOARD)
    game = given(resolving(s, card, phasing), do=Event(seat, card))
    for answer in answers:
        game.when(seat, answer)
    game.then(LOST[seat])


def test_the_crisis_strikes_the_coup_after_an_olympic_boycott() -> None:
    s = table(defcon=3, effects=((CRISIS, US),), **BOARD)
    game = given(resolving(s, "olympic_games", US), do=Event(US, "olympic_games"))
    game.when(USSR, "boycott").when(US, "coup").when(US, "haiti").then(LOST[US])


def test_the_crisis_strikes_a_coup_with_a_card_from_grain_sales() -> None:
    s = table(defcon=3, ussr_hand=("fidel",), phasing=USSR, effects=((CRISIS, US),), **BOARD)
    game = given(resolving(s, GRAIN, USSR), do=PlayTaken(US, "fidel", USSR))
    game.when(US, "coup:fidel").when(US, "haiti").then(LOST[US])


def test_the_crisis_is_bought_off_in_the_very_coup_of_an_event() -> None:
    s = table(defcon=3, phasing=US, us={"honduras": 1}, ussr={"cuba": 2}, effects=((CRISIS, USSR),))
    ortega = "ortega_elected_in_nicaragua"
    game = given(resolving(s, ortega, US), do=Event(USSR, ortega)).when(USSR, "coup")
    game.asks(USSR, "honduras", "ransom:cuba").when(USSR, "ransom:cuba").then(
        InfluenceSet(USSR, "cuba", -2, 0), EffectEnded(CRISIS, USSR, "cuba")
    ).when(USSR, "honduras").asks(CHANCE)
