"""Grain Sales to Soviets: what the US may do with the card that it drew."""

from __future__ import annotations

from domain.kernel import fold, prompt
from domain.twilight_struggle.facts.board import CoupRolled, InfluenceSet
from domain.twilight_struggle.facts.cards import CardPlayed, CardPutAway, CardSeen, EnvyEnded
from domain.twilight_struggle.facts.flow import EventBegan, HeadlineCancelled
from domain.twilight_struggle.facts.tracks import (
    DefconSet,
    MilitarySet,
    RegionScored,
    ScoreMoved,
    SpaceRolled,
    SpaceSet,
    Tally,
)
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.flow import ResolveHeadline
from domain.twilight_struggle.steps.play import Event, PlayCard
from tests.domain.twilight_struggle.table import US, USSR, nuclear_war, resolving, table
from tests.scenario import Scenario, given

GRAIN = "grain_sales_to_soviets"
SOLD = CardPutAway(GRAIN, "discards")
NOBODY = Tally("none", 0)


def drawn(card: str, s: State) -> Scenario[State]:
    """The US played Grain Sales at this table, and drew a card."""
    return given(resolving(s, GRAIN, US), do=Event(US, GRAIN)).when("chance", card).then(CardSeen(USSR, card))


def points(asked: Scenario[State]) -> object:
    """How many Operations the US is offered now."""
    question = prompt(asked.table, US)
    assert question is not None
    return question.why["points"]


def test_grain_sales_to_soviets_draws_from_the_hand_without_the_china_card() -> None:
    """Grain Sales, ruling: any card of the hand may come, the China Card may not."""
    s = table(ussr_hand=("fidel", "nasser"), china=USSR)
    given(s, do=Event(US, GRAIN)).then(EventBegan(GRAIN, US)).asks("chance", "fidel", "nasser")


def test_grain_sales_to_soviets_with_an_empty_hand_gives_operations() -> None:
    """Grain Sales: the USSR holds nothing but the China Card, so the US operates with 2."""
    s = resolving(table(china=USSR), GRAIN, US)
    asked = given(s, do=Event(US, GRAIN)).then(EventBegan(GRAIN, US)).asks(US, "influence", "none")
    assert points(asked) == 2
    asked.when(US, "influence").when(US, "canada").when(US, "mexico").then(
        InfluenceSet(US, "mexico", 1, 1), SOLD
    )


def test_grain_sales_to_soviets_may_give_the_card_back() -> None:
    """Grain Sales: the card returns to the USSR, and the US operates with 2."""
    asked = (
        drawn("nasser", table(ussr_hand=("fidel", "nasser"))).when(US, "return").asks(US, "influence", "none")
    )
    assert points(asked) == 2
    asked.when(US, "none").then(SOLD)
    assert set(asked.table.hands[USSR]) == {"fidel", "nasser"}


def test_grain_sales_to_soviets_given_back_is_worth_what_modifiers_make_of_it() -> None:
    """Grain Sales: the own value of the card, so Containment counts, save under the option of FAQ 4.2."""
    for modified, worth in ((True, 3), (False, 2)):
        s = table(
            ussr_hand=("nasser",),
            effects=(("containment", US),),
            options={"event_ops_modified": modified},
        )
        assert points(drawn("nasser", s).when(US, "return")) == worth


def test_grain_sales_to_soviets_shows_the_card_before_the_decision() -> None:
    """Grain Sales, ruling: both players see it, a spectator does not, and only then the US is asked."""
    s = resolving(table(ussr_hand=("fidel", "?")), GRAIN, US)
    seen = CardSeen(USSR, "nasser")
    assert seen.apply(s).hands[USSR] == ("fidel", "nasser")
    assert seen.seen_by(US) == seen.seen_by(USSR) == seen
    assert seen.seen_by(None) == CardSeen(USSR, "?")
    assert fold(s, [seen.seen_by(None)]).hands[USSR] == ("fidel", "?")
    drawn("nasser", table(ussr_hand=("fidel", "nasser"))).asks(
        US, "event_first:nasser", "influence:nasser", "return"
    )


def test_grain_sales_to_soviets_plays_a_neutral_event() -> None:
    """Grain Sales: a neutral card happens for the US, and is removed as ever."""
    s = table(ussr_hand=("captured_nazi_scientist",))
    drawn("captured_nazi_scientist", s).when(US, "event:captured_nazi_scientist").then(
        CardPlayed(US, "captured_nazi_scientist", "event", USSR),
        EventBegan("captured_nazi_scientist", US),
        SpaceSet(US, 1),
        ScoreMoved(US, 2, 2, "captured_nazi_scientist"),
        CardPutAway("captured_nazi_scientist", "removed"),
        SOLD,
    ).has(hands={US: (), USSR: ()})


def test_grain_sales_to_soviets_plays_operations_with_the_event_of_the_ussr() -> None:
    """Grain Sales: for Operations a card of the USSR brings its event, before or after them."""
    operated = drawn("fidel", table(ussr_hand=("fidel",))).when(US, "influence:fidel")
    operated.then(CardPlayed(US, "fidel", "influence", USSR)).when(US, "canada").when(US, "canada").then(
        InfluenceSet(US, "canada", 1, 2),
        EventBegan("fidel", USSR),
        InfluenceSet(USSR, "cuba", 3, 3),
        CardPutAway("fidel", "removed"),
        SOLD,
    )
    first = drawn("fidel", table(ussr_hand=("fidel",))).when(US, "event_first:fidel")
    first.then(
        CardPlayed(US, "fidel", "event_first", USSR),
        EventBegan("fidel", USSR),
        InfluenceSet(USSR, "cuba", 3, 3),
        CardPutAway("fidel", "removed"),
    ).asks(US, "influence", "coup", "realign")


def test_grain_sales_to_soviets_may_go_to_space() -> None:
    """Grain Sales: the card drawn may be an attempt of the US, and its event does not happen."""
    spaced = drawn("fidel", table(ussr_hand=("fidel",))).when(US, "space:fidel")
    spaced.then(CardPlayed(US, "fidel", "space", USSR)).when("chance", "3").then(
        SpaceRolled(US, "fidel", 1, 3, 3),
        SpaceSet(US, 1),
        ScoreMoved(US, 2, 2, "space"),
        CardPutAway("fidel", "discards"),
        SOLD,
    ).has(spaced={US: 1, USSR: 0})


def test_grain_sales_to_soviets_may_score_a_region() -> None:
    """Grain Sales: a scoring card is played as such, or given back."""
    s = table(us={"canada": 4}, ussr_hand=("europe_scoring",))
    drawn("europe_scoring", s).asks(US, "event:europe_scoring", "return").when(
        US, "event:europe_scoring"
    ).then(
        CardPlayed(US, "europe_scoring", "event", USSR),
        EventBegan("europe_scoring", US),
        RegionScored("europe", Tally("presence", 3, ("canada",)), NOBODY, 3),
        ScoreMoved(US, 3, 3, "europe"),
        CardPutAway("europe_scoring", "discards"),
        SOLD,
    )


def test_grain_sales_to_soviets_together_with_un_intervention() -> None:
    """Grain Sales: UN Intervention from the US hand cancels the event of the card drawn."""
    s = table(us_hand=("un_intervention",), ussr_hand=("fidel",))
    cancelled = (
        drawn("fidel", s)
        .when(US, "cancel:fidel")
        .then(
            CardPlayed(US, "un_intervention", "event", US),
            CardPutAway("un_intervention", "discards"),
            CardPlayed(US, "fidel", "cancelled", USSR),
        )
    )
    cancelled.when(US, "influence").when(US, "canada").when(US, "canada").then(
        InfluenceSet(US, "canada", 1, 2), CardPutAway("fidel", "discards"), SOLD
    )


def test_grain_sales_to_soviets_may_draw_un_intervention() -> None:
    """Grain Sales: UN Intervention drawn is played as from the own hand, with a card of the USSR there."""
    s = table(us_hand=("fidel", "containment"), ussr_hand=("un_intervention",))
    asked = drawn("un_intervention", s)
    asked.asks(US, "influence:un_intervention", "cancel:fidel", "return").when(US, "cancel:fidel").then(
        CardPlayed(US, "un_intervention", "event", USSR),
        CardPutAway("un_intervention", "discards"),
        CardPlayed(US, "fidel", "cancelled", US),
    ).asks(US, "influence", "space").has(hands={US: ("containment",), USSR: ()})


def test_grain_sales_to_soviets_and_missile_envy_that_is_owed() -> None:
    """Grain Sales: Missile Envy taken out of the debtor's hand is owed no longer."""
    s = table(ussr_hand=("missile_envy",), envy=USSR)
    drawn("missile_envy", s).when(US, "influence:missile_envy").then(
        CardPlayed(US, "missile_envy", "influence", USSR), EnvyEnded()
    )


def test_grain_sales_to_soviets_in_the_round_of_the_ussr_loses_for_the_ussr() -> None:
    """Grain Sales, ruling: the USSR stays the phasing player when a Coup takes DEFCON to 1."""
    s = table(phasing=USSR, defcon=2, ussr={"angola": 1}, ussr_hand=("nasser",))
    couped = given(resolving(s, GRAIN, USSR), do=Event(US, GRAIN)).when("chance", "nasser")
    couped.when(US, "coup:nasser").when(US, "angola").then(
        MilitarySet(US, 1), DefconSet(2, 1), nuclear_war(US)
    )


def test_grain_sales_to_soviets_in_the_round_of_the_ussr_loses_by_an_event() -> None:
    """Grain Sales, ruling: an event of the card drawn that takes DEFCON to 1 loses for the USSR as well."""
    s = table(phasing=USSR, defcon=2, ussr_hand=("duck_and_cover",))
    taken = given(resolving(s, GRAIN, USSR), do=Event(US, GRAIN)).when("chance", "duck_and_cover")
    taken.when(US, "event:duck_and_cover").then(
        CardPlayed(US, "duck_and_cover", "event", USSR),
        EventBegan("duck_and_cover", US),
        DefconSet(2, 1),
        nuclear_war(US),
    )


def test_grain_sales_to_soviets_in_the_round_of_the_ussr_draws_how_i_learned() -> None:
    """Grain Sales, ruling: the US sets DEFCON to 1 with How I Learned..., and the USSR has lost."""
    worry = "how_i_learned_to_stop_worrying"
    s = table(phasing=USSR, ussr_hand=(worry,))
    taken = given(resolving(s, GRAIN, USSR), do=Event(US, GRAIN)).when("chance", worry)
    taken.when(US, f"event:{worry}").when(US, "1").then(DefconSet(5, 1), nuclear_war(US))


def test_grain_sales_to_soviets_played_by_the_ussr_for_operations() -> None:
    """Grain Sales, ruling: the same when the USSR plays it; afterwards it still has its Operations."""
    s = table(phasing=USSR, ussr_hand=(GRAIN, "nasser"))
    played = given(s, do=PlayCard(USSR)).when(USSR, f"event_first:{GRAIN}").when("chance", "nasser")
    played.when(US, "return").when(US, "none").then(SOLD).asks(USSR, "influence")


def test_grain_sales_to_soviets_with_defectors_cancels_a_headline() -> None:
    """Grain Sales, ruling: Defectors drawn cancels the USSR headline that is still to come."""
    s = table(phase="headline", headlines={USSR: "fidel"}, ussr_hand=("defectors",))
    both = given(resolving(s, GRAIN, US), do=(Event(US, GRAIN), ResolveHeadline(USSR)))
    both.when("chance", "defectors").when(US, "event:defectors").then(
        CardPlayed(US, "defectors", "event", USSR),
        EventBegan("defectors", US),
        HeadlineCancelled(USSR, "fidel"),
        CardPutAway("defectors", "discards"),
        SOLD,
    ).asks_nobody().has(discards=("fidel", "defectors", GRAIN))


def test_grain_sales_to_soviets_with_defectors_after_the_headline() -> None:
    """Grain Sales, ruling: a headline that has been resolved stands."""
    s = table(phase="headline", headlines={}, ussr_hand=("defectors",))
    drawn("defectors", s).when(US, "event:defectors").then(
        CardPlayed(US, "defectors", "event", USSR),
        EventBegan("defectors", US),
        CardPutAway("defectors", "discards"),
        SOLD,
    )


def test_grain_sales_to_soviets_with_defectors_in_the_round_of_the_ussr() -> None:
    """Grain Sales: the US, not the USSR, plays Defectors then, so it brings no point."""
    s = table(phasing=USSR, ussr_hand=("defectors",))
    taken = given(resolving(s, GRAIN, USSR), do=Event(US, GRAIN)).when("chance", "defectors")
    taken.when(US, "event:defectors").has(vp=0)


def test_grain_sales_to_soviets_leaves_the_modifiers_of_the_ussr_behind() -> None:
    """Grain Sales, ruling: Brezhnev Doctrine is not of the card; the modifiers of the US are."""
    for effect, owner, worth in (
        ("brezhnev_doctrine", USSR, 2),
        ("containment", US, 3),
        ("red_scare_purge", US, 1),
    ):
        s = table(ussr={"kenya": 1}, ussr_hand=("fidel",), effects=((effect, owner),))
        couped = drawn("fidel", s).when(US, "coup:fidel").when(US, "kenya").then(MilitarySet(US, worth))
        couped.when("chance", "1").includes(CoupRolled(US, "kenya", 1, worth, 0, 2, worth - 3))
