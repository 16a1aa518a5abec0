"""Lone Gunman, Ask Not What Your Country... and Our Man in Tehran: hands and the deck."""

from __future__ import annotations

import pytest

from domain.kernel import Ended, fold, prompt
from domain.piles import Pile
from domain.twilight_struggle.facts.board import InfluenceSet
from domain.twilight_struggle.facts.cards import (
    CardDiscarded,
    CardPutAway,
    CardsDealt,
    DeckShuffled,
    DiscardsReshuffled,
    HandShown,
    TopDiscarded,
    TopSeen,
)
from domain.twilight_struggle.facts.flow import EventBarred, EventBegan, HeldCardsShown
from domain.twilight_struggle.facts.tracks import DefconSet, MilitaryChecked, MilitarySet
from domain.twilight_struggle.steps.flow import EndTurn
from domain.twilight_struggle.steps.hands import DealTo
from domain.twilight_struggle.steps.play import Event, PlayCard
from tests.domain.twilight_struggle.table import US, USSR, nuclear_war, resolving, table
from tests.scenario import given

GUNMAN, ASK, TEHRAN = "lone_gunman", "ask_not_what_your_country", "our_man_in_tehran"

# --------------------------------------------------------------------------- Lone Gunman


def test_lone_gunman_shows_the_hand_and_operates() -> None:
    """Lone Gunman: the US shows its hand, then the USSR operates with 1."""
    s = resolving(table(us_hand=("nato", "fidel")), GUNMAN, USSR)
    shown = given(s, do=Event(USSR, GUNMAN))
    shown.then(EventBegan(GUNMAN, USSR), HandShown(US, ("nato", "fidel"), GUNMAN))
    shown.asks(USSR, "influence", "none").when(USSR, "influence").when(USSR, "poland").then(
        InfluenceSet(USSR, "poland", 1, 1), CardPutAway(GUNMAN, "removed")
    )


def test_lone_gunman_shows_the_hand_once_only() -> None:
    """Lone Gunman, ruling: a card dealt to the US later in the turn is hidden again."""
    s = table(us_hand=("nato",), deck=("fidel", "nasser"))
    shown = given(s, do=(Event(USSR, GUNMAN), Event(US, ASK)))
    seen = [fact.seen_by(USSR) for fact in shown.facts]
    shown.when(USSR, "none").when(US, "nato").when("chance", "fidel").then(CardsDealt(US, ("fidel",)))
    view = fold(s, [*seen, *(fact.seen_by(USSR) for fact in shown.facts)])
    assert seen[-1] == HandShown(US, ("nato",), GUNMAN)
    assert view.hands[US] == ("?", "nato")


@pytest.mark.parametrize(("held", "drawn"), [("nato", "fidel"), ("fidel", "nato")])
def test_lone_gunman_does_not_tell_which_cards_were_held_from_an_earlier_turn(held: str, drawn: str) -> None:
    """A hand is shown in the order of ids: a card that was held looks like one that was just drawn."""
    s = table(us_hand=(held,), deck=(drawn, "nasser"))
    shown = given(s, do=(DealTo(US, 1), Event(USSR, GUNMAN))).when("chance", drawn)
    shown.includes(HandShown(US, ("fidel", "nato"), GUNMAN))


def test_lone_gunman_is_worth_what_modifiers_make_of_it() -> None:
    """Lone Gunman: it has its own value, so Brezhnev Doctrine counts, save under the option of FAQ 4.2."""
    for modified, worth in ((True, 2), (False, 1)):
        s = table(
            us={"kenya": 1},
            effects=(("brezhnev_doctrine", USSR),),
            options={"event_ops_modified": modified},
        )
        given(s, do=Event(USSR, GUNMAN)).when(USSR, "coup").when(USSR, "kenya").then(MilitarySet(USSR, worth))


def test_lone_gunman_at_defcon_2_loses_for_the_phasing_us() -> None:
    """Lone Gunman, ruling: the US played it, the USSR makes a Coup in a battleground, and the US has lost."""
    s = table(phasing=US, defcon=2, us={"zaire": 1})
    given(s, do=Event(USSR, GUNMAN)).when(USSR, "coup").when(USSR, "zaire").then(
        MilitarySet(USSR, 1), DefconSet(2, 1), nuclear_war(USSR)
    )


def test_lone_gunman_under_the_cuban_missile_crisis_loses_for_the_ussr() -> None:
    """Lone Gunman, ruling: a USSR that the Cuban Missile Crisis forbids the Coup loses by making it."""
    s = table(phasing=US, defcon=2, us={"zaire": 1}, effects=(("cuban_missile_crisis", USSR),))
    given(s, do=Event(USSR, GUNMAN)).when(USSR, "coup").when(USSR, "zaire").then(
        Ended(US, "cuban_missile_crisis", {US: 0, USSR: 0})
    )


# --------------------------------------------------------------------------- Ask Not What Your Country...


def test_ask_not_what_your_country_exchanges_cards() -> None:
    """Ask Not: any number of cards, scoring cards included, for as many of the deck."""
    s = table(us_hand=("fidel", "nato", "asia_scoring"), deck=("blockade", "comecon", "nasser"))
    asked = given(resolving(s, ASK, US), do=Event(US, ASK)).asks(US, "fidel", "nato", "asia_scoring")
    asked.when(US, "fidel", "asia_scoring").then(
        CardDiscarded(US, "fidel", ASK), CardDiscarded(US, "asia_scoring", ASK)
    )
    asked.asks("chance", "blockade", "comecon", "nasser").when("chance", "nasser", "blockade").then(
        CardsDealt(US, ("blockade", "nasser")), CardPutAway(ASK, "removed")
    ).has(hands={US: ("blockade", "nasser", "nato"), USSR: ()})


def test_ask_not_what_your_country_lets_no_discarded_event_happen() -> None:
    """Ask Not, ruling: neither the event nor the scoring of a discarded card happens."""
    s = table(us={"japan": 4}, us_hand=("asia_scoring", "fidel"), deck=("comecon", "nasser"))
    asked = given(s, do=Event(US, ASK)).when(US, "asia_scoring", "fidel").when("chance", "comecon", "nasser")
    asked.has(vp=0, influence={US: {"japan": 4}, USSR: {}}, discards=("asia_scoring", "fidel"))


def test_ask_not_what_your_country_may_keep_everything() -> None:
    """Ask Not: the US may; an empty answer is one, and nothing is drawn."""
    s = resolving(table(us_hand=("fidel",), deck=("nasser",)), ASK, US)
    given(s, do=Event(US, ASK)).when(US).then(CardPutAway(ASK, "removed"))


def test_ask_not_what_your_country_with_an_empty_hand() -> None:
    """Ask Not: without a card there is nothing to ask."""
    s = resolving(table(deck=("nasser",)), ASK, US)
    given(s, do=Event(US, ASK)).then(EventBegan(ASK, US), CardPutAway(ASK, "removed"))


def test_ask_not_what_your_country_leaves_the_china_card_alone() -> None:
    """Ask Not, ruling: the China Card is not part of the hand."""
    asked = given(table(us_hand=("fidel",), china=US), do=Event(US, ASK))
    asked.asks(US, "fidel").refuses(US, "china_card")


def test_ask_not_what_your_country_reshuffles_when_the_deck_runs_out() -> None:
    """Ask Not, ruling: the discards, those of this event included, make the new deck."""
    s = table(us_hand=("fidel", "nato"), deck=("nasser",), discards=("blockade",))
    asked = given(s, do=Event(US, ASK)).when(US, "fidel", "nato").asks("chance", "nasser")
    asked.when("chance", "nasser").then(CardsDealt(US, ("nasser",)), DiscardsReshuffled(3))
    asked.asks("chance", "blockade", "fidel", "nato").when("chance", "fidel").then(CardsDealt(US, ("fidel",)))
    asked.has(deck=Pile.of(("blockade", "nato")), discards=())


def test_ask_not_what_your_country_keeps_the_order_of_aldrich_ames() -> None:
    """Ask Not, ruling: the cards that are kept stay in the given order and precede the new ones."""
    order = ("nato", "fidel", "duck_and_cover")
    s = table(edition="second", us_hand=order, order=order, deck=("containment",))
    asked = given(s, do=(Event(US, ASK), PlayCard(US))).when(US, "nato").when("chance", "containment")
    asked.has(order=("fidel", "duck_and_cover")).refuses(US, "influence:duck_and_cover")
    asked.refuses(US, "influence:containment").when(US, "event_first:fidel")


def test_ask_not_what_your_country_and_a_scoring_card_in_the_last_round() -> None:
    """Ask Not, ruling: the US cannot play the scoring card that it drew any more, and has lost."""
    s = table(round=6, us_hand=("fidel",), deck=("asia_scoring",), military={US: 5, USSR: 5})
    given(s, do=(Event(US, ASK), EndTurn())).when(US, "fidel").when("chance", "asia_scoring").includes(
        CardsDealt(US, ("asia_scoring",)),
        MilitaryChecked(5, {US: 0, USSR: 0}),
        HeldCardsShown(US, ("asia_scoring",)),
        Ended(USSR, "held_scoring_card", {US: 0, USSR: 0}),
    )


# --------------------------------------------------------------------------- Our Man in Tehran

SIX = ("blockade", "comecon", "fidel", "nasser", "nato", "suez_crisis")
TOP = ("blockade", "comecon", "fidel", "nasser", "nato")


def test_our_man_in_tehran_discards_from_the_top_of_the_deck() -> None:
    """Our Man in Tehran: of the five top cards the US discards two; the others are shuffled in again."""
    s = resolving(table(us={"israel": 4}, deck=SIX), TEHRAN, US)
    looked = (
        given(s, do=Event(US, TEHRAN))
        .asks("chance", *SIX)
        .when("chance", *reversed(TOP))
        .then(TopSeen(US, TOP))
    )
    looked.asks(US, *TOP).refuses(US, "suez_crisis").when(US, "fidel", "blockade").then(
        TopDiscarded(US, "fidel"),
        TopDiscarded(US, "blockade"),
        DeckShuffled(),
        CardPutAway(TEHRAN, "removed"),
    ).has(
        deck=Pile.of(("comecon", "nasser", "nato", "suez_crisis")),
        discards=("fidel", "blockade"),
        influence={US: {"israel": 4}, USSR: {}},
    )


def test_our_man_in_tehran_may_discard_nothing_or_everything() -> None:
    """Our Man in Tehran: any number; the deck is shuffled in any case."""
    s = table(us={"israel": 4}, deck=SIX)
    given(s, do=Event(US, TEHRAN)).when("chance", *TOP).when(US).then(DeckShuffled()).has(deck=Pile.of(SIX))
    given(s, do=Event(US, TEHRAN)).when("chance", *TOP).when(US, *TOP).has(deck=Pile.of(("suez_crisis",)))


def test_our_man_in_tehran_needs_a_country_of_the_middle_east() -> None:
    """Our Man in Tehran, ruling: without US control there no event, and the card is not removed."""
    s = table(us={"israel": 3, "japan": 4}, ussr={"egypt": 2}, deck=SIX)
    given(resolving(s, TEHRAN, US), do=Event(US, TEHRAN)).then(
        EventBarred(TEHRAN, "needs_middle_east"), CardPutAway(TEHRAN, "discards")
    )


def test_our_man_in_tehran_reshuffles_a_short_deck() -> None:
    """Our Man in Tehran, ruling: fewer than five cards left, so the discards join the deck first."""
    s = table(
        us={"lebanon": 1}, deck=("fidel", "nato"), discards=("blockade", "comecon", "nasser", "suez_crisis")
    )
    looked = given(s, do=Event(US, TEHRAN))
    looked.then(EventBegan(TEHRAN, US), DiscardsReshuffled(4)).asks("chance", *SIX)
    looked.when("chance", *TOP).asks(US, *TOP)


def test_our_man_in_tehran_sees_what_there_is() -> None:
    """Our Man in Tehran: with three cards in deck and discards the US sees three; with none, none."""
    s = table(us={"lebanon": 1}, deck=("fidel", "nato"), discards=("blockade",))
    looked = given(s, do=Event(US, TEHRAN)).when("chance", "nato", "fidel", "blockade")
    looked.asks(US, "nato", "fidel", "blockade")
    given(table(us={"lebanon": 1}), do=Event(US, TEHRAN)).then(
        EventBegan(TEHRAN, US), TopSeen(US, ()), DeckShuffled()
    )


def test_our_man_in_tehran_is_secret_save_for_the_discards() -> None:
    """Our Man in Tehran: the USSR learns how many cards were looked at, and which were discarded."""
    s = table(us={"lebanon": 1}, deck=SIX)
    looked = given(s, do=Event(US, TEHRAN)).when("chance", *TOP)
    view = fold(s, [fact.seen_by(USSR) for fact in looked.facts])
    assert view.deck == Pile(SIX, 6, ("?",) * 5)
    view = fold(view, [fact.seen_by(USSR) for fact in looked.when(US, "nato").facts])
    assert view.deck == Pile(("blockade", "comecon", "fidel", "nasser", "suez_crisis"), 5)
    assert view.discards == ("nato",)


def test_our_man_in_tehran_bounds_the_answer() -> None:
    """Our Man in Tehran: from none to all five."""
    looked = given(table(us={"lebanon": 1}, deck=SIX), do=Event(US, TEHRAN)).when("chance", *TOP)
    question = prompt(looked.table, US)
    assert question is not None
    assert (question.least, question.most) == (0, 5)
