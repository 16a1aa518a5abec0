"""Olympic Games and CIA Created: Operations that an event gives (7.4.3; FAQ 4.2)."""

from __future__ import annotations

from typing import Any

import pytest

from domain.kernel import HIDDEN, Ended, fold
from domain.twilight_struggle.facts.board import InfluenceSet
from domain.twilight_struggle.facts.cards import CardPutAway, CardsDealt, HandShown
from domain.twilight_struggle.facts.flow import ChoiceMade, EventBegan
from domain.twilight_struggle.facts.tracks import ContestRolled, DefconSet, MilitarySet, ScoreMoved
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.play import Event, PlayCard
from tests.domain.twilight_struggle.table import US, USSR, nuclear_war, resolving, table
from tests.scenario import Scenario, given

GAMES, CIA = "olympic_games", "cia_created"
PURGED, CONTAINMENT = ("red_scare_purge", US), ("containment", US)


def olympics(sponsor: str = US, **fields: Any) -> Scenario[State]:
    """Olympic Games as the event of `sponsor`."""
    return given(resolving(table(**fields), GAMES, sponsor), do=Event(sponsor, GAMES))


def cia(**fields: Any) -> Scenario[State]:
    """CIA Created as the event of the US."""
    return given(resolving(table(**fields), CIA, US), do=Event(US, CIA))


# ── Olympic Games ──


@pytest.mark.parametrize(
    ("sponsor", "dice", "winner", "points"),
    [(US, "34", US, 2), (US, "36", USSR, -2), (USSR, "43", USSR, -2), (USSR, "61", US, 2)],
)
def test_olympic_games_both_roll_and_the_sponsor_adds_2(
    sponsor: str, dice: str, winner: str, points: int
) -> None:
    """The first die is that of the US."""
    guest = USSR if sponsor == US else US
    game = olympics(sponsor).asks(guest, "participate", "boycott").when(guest, "participate")
    game.then(ChoiceMade(guest, GAMES, "participate")).when("chance", dice).then(
        ContestRolled(GAMES, {US: int(dice[0]), USSR: int(dice[1])}, {sponsor: 2, guest: 0}, winner),
        ScoreMoved(winner, 2, points, GAMES),
        CardPutAway(GAMES, "discards"),
    )


def test_olympic_games_ties_are_rolled_again() -> None:
    game = olympics().when(USSR, "participate").when("chance", "24")
    game.then(ContestRolled(GAMES, {US: 2, USSR: 4}, {US: 2, USSR: 0}, None))
    game.when("chance", "11").includes(ScoreMoved(US, 2, 2, GAMES))


def test_olympic_games_a_boycott_lowers_defcon_and_gives_4_operations() -> None:
    """Ruling: influence, Coup or realignment, not the Space Race; they may be declined."""
    game = olympics(us={"panama": 2}, ussr={"haiti": 1}).when(USSR, "boycott")
    game.then(ChoiceMade(USSR, GAMES, "boycott"), DefconSet(5, 4))
    game.asks(US, "influence", "coup", "realign", "none").when(US, "influence")
    for _ in range(3):
        game.when(US, "panama")
    game.when(US, "panama").then(InfluenceSet(US, "panama", 1, 6), CardPutAway(GAMES, "discards"))


def test_olympic_games_a_coup_after_a_boycott_counts_for_military_operations() -> None:
    """Ruling."""
    game = olympics(ussr={"haiti": 1}).when(USSR, "boycott").when(US, "coup").when(US, "haiti")
    game.then(MilitarySet(US, 4))


def test_olympic_games_after_a_boycott_the_regions_of_the_new_defcon_are_closed() -> None:
    """At DEFCON 4 no Coup in Europe, though the games began at 5."""
    game = olympics(ussr={"italy": 1, "haiti": 1}).when(USSR, "boycott").when(US, "coup")
    game.asks(US, "haiti")


@pytest.mark.parametrize(
    ("edition", "modified", "points"),
    [("deluxe", True, 3), ("deluxe", False, 4), ("second", True, 4), ("second", False, 4)],
)
def test_olympic_games_the_4_operations_under_purge(edition: str, modified: bool, points: int) -> None:
    """As if a card were played in book 003; a fixed number in the 2nd edition (FAQ 4.2)."""
    game = olympics(
        ussr={"haiti": 1},
        edition=edition,
        effects=(PURGED,),
        options={"event_ops_modified": modified},
    )
    game.when(USSR, "boycott").when(US, "coup").when(US, "haiti").then(MilitarySet(US, points))


def test_8_1_3_example_a_boycott_at_defcon_2_loses_the_game_for_the_phasing_player() -> None:
    """The US plays the games, the USSR boycotts, the US has lost."""
    s = table(defcon=2, us={"panama": 1}, us_hand=(GAMES,))
    game = given(s, do=PlayCard(US)).when(US, f"event:{GAMES}").when(USSR, "boycott")
    game.then(ChoiceMade(USSR, GAMES, "boycott"), DefconSet(2, 1), nuclear_war(USSR))


# ── CIA Created ──


def test_cia_created_shows_the_hand_and_gives_1_operation() -> None:
    game = cia(us={"jordan": 1}, ussr_hand=("fidel", "asia_scoring"))
    game.then(EventBegan(CIA, US), HandShown(USSR, ("fidel", "asia_scoring"), CIA))
    game.asks(US, "influence", "none").when(US, "influence").when(US, "jordan").then(
        InfluenceSet(US, "jordan", 1, 2), CardPutAway(CIA, "removed")
    )


def test_cia_created_with_an_empty_soviet_hand_has_nothing_to_show() -> None:
    """Everybody knows as much, so nothing is hidden from spectators."""
    game = cia(us={"jordan": 1}).then(EventBegan(CIA, US), HandShown(USSR, (), CIA))
    game.asks(US, "influence", "none")
    assert HandShown(USSR, (), CIA).known_to() is None


def test_cia_created_the_hand_is_shown_to_the_us_but_not_to_spectators() -> None:
    shown = HandShown(USSR, ("fidel",), CIA)
    assert shown.seen_by(US) == shown
    assert shown.seen_by(None) == HandShown(USSR, (HIDDEN,), CIA)


def test_cia_created_cards_drawn_later_stay_hidden() -> None:
    """Ruling: shown once, at this moment."""
    drawn = CardsDealt(USSR, ("nasser",))
    view = table(ussr_hand=(HIDDEN, HIDDEN), deck=("fidel", "nasser", "nato"))
    view = fold(view, [HandShown(USSR, ("fidel", "nato"), CIA).seen_by(US), drawn.seen_by(US)])
    assert view.hands[USSR] == (HIDDEN, "fidel", "nato")


@pytest.mark.parametrize(
    ("edition", "modified", "points"),
    [("deluxe", True, 2), ("second", True, 2), ("deluxe", False, 1), ("second", False, 1)],
)
def test_7_4_2_example_3_cia_created_under_containment(edition: str, modified: bool, points: int) -> None:
    """Both books print 2; `event_ops_modified=false` is the reading of FAQ 4.2."""
    game = cia(
        ussr={"haiti": 1},
        edition=edition,
        effects=(CONTAINMENT,),
        options={"event_ops_modified": modified},
    )
    game.when(US, "coup").when(US, "haiti").then(MilitarySet(US, points))


def test_cia_created_at_defcon_2_a_battleground_coup_loses_the_game_for_the_ussr() -> None:
    """Ruling: the USSR played it, so it is the phasing player."""
    s = table(defcon=2, phasing=USSR, ussr={"angola": 1}, ussr_hand=(CIA,))
    game = given(s, do=PlayCard(USSR)).when(USSR, f"event_first:{CIA}").when(US, "coup")
    game.when(US, "angola").then(MilitarySet(US, 1), DefconSet(2, 1), nuclear_war(US))


def test_cia_created_the_ussr_chooses_whether_its_operations_come_first() -> None:
    """Ruling, 5.2."""
    s = table(phasing=USSR, us={"jordan": 1}, ussr={"syria": 1}, ussr_hand=(CIA, "fidel"))
    first = given(s, do=PlayCard(USSR)).when(USSR, f"influence:{CIA}").when(USSR, "syria")
    first.then(InfluenceSet(USSR, "syria", 1, 2), EventBegan(CIA, US), HandShown(USSR, ("fidel",), CIA))
    first.asks(US)
    second = given(s, do=PlayCard(USSR)).when(USSR, f"event_first:{CIA}").asks(US)
    second.when(US, "none").then(CardPutAway(CIA, "removed")).asks(USSR, "influence", "coup", "realign")


def test_cia_created_in_the_round_of_the_ussr_reaches_from_the_start_of_that_round() -> None:
    """6.1.1: US influence placed earlier in the round opens nothing."""
    s = table(phasing=USSR, us={"jordan": 1, "nigeria": 1}, at_start={US: {"jordan": 1}, USSR: {}})
    game = given(resolving(s, CIA, USSR), do=Event(US, CIA)).when(US, "influence")
    game.refuses(US, "nigeria").when(US, "israel")


def test_operations_of_an_event_may_end_the_game_only_after_the_event() -> None:
    """10.3.1: Yuri and Samantha score during the Coup; the card is put away before the points decide."""
    game = cia(ussr={"haiti": 1}, vp=-19, effects=(("yuri_and_samantha", USSR),))
    game.when(US, "coup").when(US, "haiti").includes(ScoreMoved(USSR, 1, -20, "yuri_and_samantha"))
    game.when("chance", "1")
    assert game.facts[-2:] == [
        CardPutAway(CIA, "removed"),
        Ended(USSR, "victory_points", {US: -20, USSR: 20}),
    ]
