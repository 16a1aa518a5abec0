"""The headline phase (section 4.5 C): who chooses, who sees what, whose event comes first."""

from __future__ import annotations

import pytest

from domain.kernel import HIDDEN
from domain.piles import Cards
from domain.twilight_struggle.facts.board import InfluenceSet
from domain.twilight_struggle.facts.flow import (
    EventBegan,
    HeadlineBegan,
    HeadlineCancelled,
    HeadlineChosen,
    HeadlineShown,
    HeadlineSkipped,
)
from domain.twilight_struggle.facts.tracks import DefconSet
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.flow import Headlines
from tests.domain.twilight_struggle.table import US, USSR, nuclear_war, table
from tests.scenario import Scenario, given


def headlines(us: str, ussr: str, s: State | None = None) -> Scenario[State]:
    """Both have chosen these cards."""
    start = s or table(phase="deal", phasing=None, us_hand=(us,), ussr_hand=(ussr,))
    return given(start, do=Headlines()).when(USSR, ussr).when(US, us)


def order(scenario: Scenario[State]) -> list[tuple[str, str]]:
    """The headlines in the order in which they were resolved."""
    return [(fact.seat, fact.card) for fact in scenario.facts if isinstance(fact, HeadlineBegan)]


# --------------------------------------------------------------------------- choosing


def test_both_choose_at_once_and_in_secret() -> None:
    """What the first chose lies in its hand, face down, until the second has chosen."""
    s = table(phase="deal", us_hand=("nato", "fidel"), ussr_hand=("comecon", "nasser"))
    phase = given(s, do=Headlines()).asks(US, "nato", "fidel").asks(USSR, "comecon", "nasser")
    phase.when(USSR, "nasser").then(HeadlineChosen(USSR, "nasser")).asks(US, "nato", "fidel")
    assert phase.facts[0].seen_by(US) == HeadlineChosen(USSR, HIDDEN)
    phase.has(hands={US: ("nato", "fidel"), USSR: ("comecon", "nasser")}, headlines={})


def test_both_are_shown_together() -> None:
    headlines("duck_and_cover", "romanian_abdication").includes(
        HeadlineChosen(US, "duck_and_cover"),
        HeadlineShown(US, "duck_and_cover"),
        HeadlineShown(USSR, "romanian_abdication"),
        HeadlineBegan(US, "duck_and_cover"),
    )


def test_a_headline_must_be_played() -> None:
    """Even where only events of the opponent are at hand."""
    s = table(phase="deal", us_hand=("fidel",), ussr_hand=("comecon",))
    given(s, do=Headlines()).refuses(US, "none").refuses(US).asks(US, "fidel")


def test_the_china_card_and_un_intervention_are_no_headlines() -> None:
    s = table(phase="deal", china=US, us_hand=("un_intervention", "fidel"), ussr_hand=("comecon",))
    given(s, do=Headlines()).asks(US, "fidel").refuses(US, "china_card").refuses(US, "un_intervention")


def test_who_holds_no_card_has_no_headline() -> None:
    s = table(phase="deal", phasing=None, us_hand=("duck_and_cover",))
    phase = given(s, do=Headlines()).when(US, "duck_and_cover").includes(HeadlineSkipped(USSR))
    assert order(phase) == [(US, "duck_and_cover")]


def test_who_holds_only_un_intervention_is_asked_all_the_same() -> None:
    """The opponent must not learn from silence what is in the hand."""
    s = table(phase="deal", phasing=None, us_hand=("un_intervention",), ussr_hand=("romanian_abdication",))
    phase = given(s, do=Headlines()).asks(US, "none").when(USSR, "romanian_abdication")
    phase.when(US, "none").includes(HeadlineSkipped(US)).has(hands={US: ("un_intervention",), USSR: ()})


# --------------------------------------------------------------------------- the order


@pytest.mark.parametrize(
    ("us", "ussr", "first"),
    [
        ("duck_and_cover", "fidel", US),
        ("defectors", "vietnam_revolts", US),
        ("captured_nazi_scientist", "fidel", USSR),
        ("duck_and_cover", "nuclear_test_ban", USSR),
        ("containment", "de_gaulle_leads_france", US),
        ("romanian_abdication", "nuclear_test_ban", USSR),
    ],
)
def test_the_higher_value_comes_first_and_the_us_on_a_tie(us: str, ussr: str, first: str) -> None:
    """3 before 2, 2 and 2 (Defectors cancels the other), 2 before 1, 4 before 3, 3 and 3, 4 before 1."""
    assert order(headlines(us, ussr))[0][0] == first


@pytest.mark.parametrize(
    ("us", "ussr", "expected"),
    [
        ("asia_scoring", "romanian_abdication", (USSR, US)),
        ("truman_doctrine", "asia_scoring", (US, USSR)),
        ("asia_scoring", "middle_east_scoring", (US, USSR)),
    ],
)
def test_scoring_cards_come_second_and_of_two_that_of_the_us_first(
    us: str, ussr: str, expected: Cards
) -> None:
    assert tuple(seat for seat, _ in order(headlines(us, ussr))) == expected


def test_the_printed_value_counts_for_the_order() -> None:
    """Brezhnev Doctrine from an earlier event would make the 2 of Fidel a 3: the US still comes first."""
    s = table(
        phase="deal",
        phasing=None,
        us_hand=("independent_reds",),
        ussr_hand=("fidel",),
        effects=(("brezhnev_doctrine", USSR), ("red_scare_purge", US)),
    )
    phase = headlines("independent_reds", "fidel", s).includes(HeadlineBegan(US, "independent_reds"))
    phase.when(US, "romania").includes(HeadlineBegan(USSR, "fidel"))


def test_the_first_headline_is_in_force_when_the_second_is_resolved() -> None:
    """Containment first (3 before 1): CIA Created, headlined by the USSR, gives the US 2 points."""
    s = table(
        phase="deal", phasing=None, us={"canada": 1}, us_hand=("containment",), ussr_hand=("cia_created",)
    )
    phase = headlines("containment", "cia_created", s).when(US, "influence").when(US, "canada")
    phase.when(US, "canada").includes(InfluenceSet(US, "canada", 1, 3))


def test_the_second_headline_reaches_from_the_influence_when_it_begins() -> None:
    """Fidel gave the USSR Cuba; the US headline with Operations then sees the map as it is."""
    phase = headlines("cia_created", "fidel").asks(US, "influence", "coup", "realign", "none")
    assert phase.table.at_start == {US: {}, USSR: {"cuba": 3}}


# --------------------------------------------------------------------------- whose event, whose fault


def test_an_event_of_the_opponent_is_carried_out_by_him() -> None:
    """The US headlines De-Stalinization: the USSR moves its influence, and the US is the phasing player."""
    s = table(
        phase="deal",
        phasing=None,
        ussr={"poland": 1},
        us_hand=("de_stalinization",),
        ussr_hand=("asia_scoring",),
    )
    phase = headlines("de_stalinization", "asia_scoring", s)
    phase.includes(HeadlineBegan(US, "de_stalinization"), EventBegan("de_stalinization", USSR)).asks(USSR)
    phase.has(phasing=US)


@pytest.mark.parametrize(
    ("us", "ussr", "winner"), [("fidel", "duck_and_cover", US), ("duck_and_cover", "fidel", USSR)]
)
def test_8_1_3_the_owner_of_the_headline_loses_at_defcon_1(us: str, ussr: str, winner: str) -> None:
    """Duck and Cover is a US event; the side that headlined it is to blame."""
    s = table(phase="deal", phasing=None, defcon=2, us_hand=(us,), ussr_hand=(ussr,))
    headlines(us, ussr, s).includes(DefconSet(2, 1), nuclear_war(winner))


def test_no_operations_from_a_headline() -> None:
    """Containment, worth 3, gives its event and nothing else."""
    headlines("containment", "romanian_abdication").asks_nobody().has(
        influence={US: {}, USSR: {"romania": 3}}
    )


def test_a_starred_headline_is_removed() -> None:
    phase = headlines("defectors", "nasser")
    assert (phase.table.removed, phase.table.discards) == ((), ("nasser", "defectors"))
    headlines("fidel", "romanian_abdication").has(removed=("fidel", "romanian_abdication"), headlines={})


# --------------------------------------------------------------------------- Defectors


@pytest.mark.parametrize("ussr", ["nuclear_test_ban", "asia_scoring", "nasser"])
def test_defectors_of_the_us_cancels_whatever_the_ussr_chose(ussr: str) -> None:
    """A card of 4, a scoring card, a card of 1: each is discarded before anything is resolved."""
    phase = headlines("defectors", ussr).includes(
        HeadlineCancelled(USSR, ussr), HeadlineBegan(US, "defectors"), EventBegan("defectors", US)
    )
    phase.has(discards=(ussr, "defectors"), vp=0)
    assert order(phase) == [(US, "defectors")]


def test_defectors_of_the_ussr_does_nothing() -> None:
    """No point for the US either (FAQ 4.2)."""
    phase = headlines("romanian_abdication", "defectors").has(vp=0, discards=("defectors",))
    assert order(phase) == [(USSR, "defectors"), (US, "romanian_abdication")]


# --------------------------------------------------------------------------- box 4 of the Space Race


@pytest.mark.parametrize(("ahead", "behind"), [(US, USSR), (USSR, US)])
def test_6_4_4_without_box_4_one_chooses_and_shows_first(ahead: str, behind: str) -> None:
    s = table(
        phase="deal", phasing=None, space={ahead: 4, behind: 3}, us_hand=("fidel",), ussr_hand=("nasser",)
    )
    own = {US: "fidel", USSR: "nasser"}
    phase = given(s, do=Headlines()).asks(behind, own[behind]).refuses(ahead, own[ahead])
    phase.when(behind, own[behind]).then(
        HeadlineChosen(behind, own[behind]), HeadlineShown(behind, own[behind])
    )
    phase.asks(ahead, own[ahead]).when(ahead, own[ahead])
    assert order(phase) == [(US, "fidel"), (USSR, "nasser")]


def test_6_4_4_with_both_in_box_4_the_choice_is_secret_again() -> None:
    s = table(phase="deal", space={US: 4, USSR: 5}, us_hand=("fidel",), ussr_hand=("nasser",))
    given(s, do=Headlines()).asks(US, "fidel").asks(USSR, "nasser")
