"""Options that choose between two readings of a card, and the rules for tournaments (11)."""

from __future__ import annotations

from typing import Any

import pytest

from domain.kernel import Ended, prompt
from domain.twilight_struggle import GAME
from domain.twilight_struggle.components import US, USSR
from domain.twilight_struggle.facts.board import InfluenceSet
from domain.twilight_struggle.facts.cards import CardRevived
from domain.twilight_struggle.facts.flow import EventBegan, HandsChecked, HeldCardsShown, TurnEnded
from domain.twilight_struggle.facts.tracks import ScoreMoved
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.flow import EndTurn
from domain.twilight_struggle.steps.play import Event, PlayCard
from tests.domain.twilight_struggle.optional import under
from tests.domain.twilight_struggle.table import resolving
from tests.scenario import Scenario, given

READY = {US: 5, USSR: 5}  # Military Operations enough for any DEFCON


def happens(s: State, card: str, seat: str) -> Scenario[State]:
    """The event of a card that this seat plays."""
    return given(resolving(s, card, seat), do=Event(seat, card))


def options(match: Scenario[State], seat: str) -> tuple[str, ...]:
    """What a seat may answer."""
    question = prompt(match.table, seat)
    assert question is not None
    return question.options


# --------------------------------------------------------------------------- tournament


@pytest.mark.parametrize("edition", GAME.editions)
@pytest.mark.parametrize("tournament", [True, False])
def test_tournament_held_cards_are_shown_after_the_check(edition: str, tournament: bool) -> None:
    """000 11.1.1 and 003 11.1: both hands, after Military Operations, to everybody."""
    s = under(
        {"tournament": tournament}, edition, us_hand=("nato",), ussr_hand=("fidel", "nasser"), military=READY
    )
    end = given(s, do=EndTurn()).includes(HandsChecked(()), TurnEnded(1, 0, 5))
    shown = [fact for fact in end.facts if isinstance(fact, HeldCardsShown)]
    held = [HeldCardsShown(USSR, ("fidel", "nasser")), HeldCardsShown(US, ("nato",))]
    assert shown == (held if tournament else [])
    assert all(fact.known_to() is None for fact in shown)


@pytest.mark.parametrize("edition", GAME.editions)
@pytest.mark.parametrize("tournament", [True, False])
def test_tournament_a_held_scoring_card_loses(edition: str, tournament: bool) -> None:
    """000 11.1.2 and 003 11.2; outside tournaments as well, since 4.5 D forbids to hold one."""
    s = under(
        {"tournament": tournament}, edition, us_hand=("asia_scoring",), ussr_hand=("fidel",), military=READY
    )
    end = given(s, do=EndTurn()).includes(HandsChecked((US,)), HeldCardsShown(US, ("asia_scoring",)))
    end.includes(Ended(USSR, "held_scoring_card", {US: 0, USSR: 0})).asks_nobody()


@pytest.mark.parametrize("tournament", [True, False])
def test_tournament_two_held_scoring_cards_are_a_draw(tournament: bool) -> None:
    """Both have lost at once, and no book says who won."""
    held: dict[str, Any] = {"us_hand": ("asia_scoring",), "ussr_hand": ("europe_scoring",)}
    end = given(under({"tournament": tournament}, military=READY, **held), do=EndTurn())
    end.includes(Ended(None, "held_scoring_card", {US: 0, USSR: 0}))


@pytest.mark.parametrize("tournament", [True, False])
def test_tournament_who_holds_nothing_shows_nothing(tournament: bool) -> None:
    end = given(under({"tournament": tournament}, deck=("nato",), military=READY), do=EndTurn())
    assert not any(isinstance(fact, HeldCardsShown) for fact in end.facts)


# --------------------------------------------------------------------------- Junta


@pytest.mark.parametrize(
    ("reading", "then"),
    [("either", {"panama", "brazil", "chile", "done"}), ("one", {"brazil", "chile", "done"})],
)
def test_junta_regions(reading: str, then: set[str]) -> None:
    """A first roll in Brazil: the second stays in South America, or may go to Central America."""
    s = under({"junta_regions": reading}, ussr={"panama": 2, "brazil": 2, "chile": 2, "angola": 2})
    match = (
        happens(s, "junta", US).when(US, "haiti").when(US, "realign").asks(US, "panama", "brazil", "chile")
    )
    match.when(US, "brazil").when("chance", "11")
    assert set(options(match, US)) == then


@pytest.mark.parametrize("reading", ["either", "one"])
def test_junta_regions_leave_the_influence_and_the_coup_free(reading: str) -> None:
    """The 2 influence in one of them, the free Coup in either."""
    s = under({"junta_regions": reading}, ussr={"panama": 2, "brazil": 2, "angola": 2})
    happens(s, "junta", US).when(US, "haiti").when(US, "coup").asks(US, "panama", "brazil")


# --------------------------------------------------------------------------- South African Unrest


@pytest.mark.parametrize(
    ("reading", "answers", "influence"),
    [
        ("split", ("angola", "botswana"), {"south_africa": 1, "angola": 1, "botswana": 1}),
        ("split", ("angola", "angola"), {"south_africa": 1, "angola": 2}),
        ("single", ("angola",), {"south_africa": 1, "angola": 2}),
    ],
)
def test_south_african_unrest(reading: str, answers: tuple[str, ...], influence: dict[str, int]) -> None:
    """1 in South Africa, and 2 next to it: in both neighbours or in one, or in one only."""
    match = happens(under({"south_african_unrest": reading}), "south_african_unrest", USSR)
    match.asks(USSR, "south_africa", "neighbours").when(USSR, "neighbours")
    for country in answers:
        match.asks(USSR, "angola", "botswana").when(USSR, country)
    match.has(influence={US: {}, USSR: influence}).asks_nobody()


@pytest.mark.parametrize("reading", ["split", "single"])
def test_south_african_unrest_in_south_africa_itself(reading: str) -> None:
    match = happens(under({"south_african_unrest": reading}), "south_african_unrest", USSR)
    match.when(USSR, "south_africa").includes(InfluenceSet(USSR, "south_africa", 2, 2))


# --------------------------------------------------------------------------- Missile Envy


@pytest.mark.parametrize(
    ("reading", "effect", "cards"),
    [
        ("printed", "containment", ("nato",)),
        ("modified", "containment", ("nato", "duck_and_cover")),
        ("printed", "red_scare_purge", ("nato",)),
        ("modified", "red_scare_purge", ("nato",)),
    ],
)
def test_missile_envy(reading: str, effect: str, cards: tuple[str, ...]) -> None:
    """Under Containment a 3 of the US is worth 4, as its 4 is; Purge changes no order here."""
    s = under(
        {"missile_envy": reading},
        us_hand=("nato", "duck_and_cover", "fidel", "asia_scoring"),
        effects=((effect, US),),
        phasing=USSR,
    )
    assert options(happens(s, "missile_envy", USSR), US) == cards


@pytest.mark.parametrize("reading", ["printed", "modified"])
def test_missile_envy_without_modifiers_is_the_same(reading: str) -> None:
    s = under({"missile_envy": reading}, us_hand=("containment", "duck_and_cover", "fidel"), phasing=USSR)
    happens(s, "missile_envy", USSR).asks(US, "containment", "duck_and_cover")


@pytest.mark.parametrize(
    ("reading", "cards"), [("printed", ("fidel",)), ("modified", ("fidel", "cia_created"))]
)
def test_missile_envy_at_the_floor_of_1(reading: str, cards: tuple[str, ...]) -> None:
    """Under a Purge a 2 and a 1 are both worth 1."""
    s = under(
        {"missile_envy": reading},
        us_hand=("fidel", "cia_created"),
        effects=(("red_scare_purge", US),),
        phasing=USSR,
    )
    assert options(happens(s, "missile_envy", USSR), US) == cards


# --------------------------------------------------------------------------- Defectors that were drawn


@pytest.mark.parametrize(("reading", "vp"), [("nothing", 0), ("score", 1)])
def test_drawn_defectors_in_a_soviet_round(reading: str, vp: int) -> None:
    """The USSR plays Five-Year Plan for Operations, and the event draws Defectors from its hand."""
    s = under(
        {"drawn_defectors": reading},
        phasing=USSR,
        ussr={"poland": 3},
        ussr_hand=("five_year_plan", "defectors"),
    )
    match = given(s, do=PlayCard(USSR)).when(USSR, "event_first:five_year_plan").when("chance", "defectors")
    match.includes(CardRevived(US, "defectors"), EventBegan("defectors", US)).has(vp=vp)
    assert (ScoreMoved(US, 1, 1, "defectors") in match.facts) is (reading == "score")


@pytest.mark.parametrize("reading", ["nothing", "score"])
def test_drawn_defectors_in_a_us_round(reading: str) -> None:
    """This is beyond doubt: it is not a round of the USSR."""
    s = under({"drawn_defectors": reading}, us_hand=("five_year_plan",), ussr_hand=("defectors",))
    match = given(s, do=PlayCard(US)).when(US, "event:five_year_plan").when("chance", "defectors").has(vp=0)
    match.includes(EventBegan("defectors", US))


@pytest.mark.parametrize("reading", ["nothing", "score"])
def test_drawn_defectors_that_the_ussr_plays_itself_score(reading: str) -> None:
    s = under({"drawn_defectors": reading}, phasing=USSR, ussr={"poland": 3}, ussr_hand=("defectors",))
    given(s, do=PlayCard(USSR)).when(USSR, "event_first:defectors").has(vp=1)
