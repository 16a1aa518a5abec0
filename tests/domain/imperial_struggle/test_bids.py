"""Sealed bids for the side that both want (book 001, the note in 7.4).

A seat that bids is a player's chair; once the sides are settled a seat is the power.
"""

from __future__ import annotations

import pytest

from domain.games import GAMES
from domain.imperial_struggle import GAME
from domain.imperial_struggle.components import BR, FR, OTHER, SIDES
from domain.imperial_struggle.facts.flow import BidMade, BidsOpened, SidesSettled, TurnBegan
from domain.imperial_struggle.facts.tracks import TreatySet
from domain.imperial_struggle.facts.wars import WarSet
from domain.imperial_struggle.state import State
from domain.kernel import CHANCE, asked, prompt
from replay.verify import verify
from tests.domain.imperial_struggle.course import by_chance, opened
from tests.matches import Sitting
from tests.replay.files import PINNED, file_of
from tests.scenario import Scenario

AS_SEATED, EXCHANGED = False, True


def sealed(side: str, br: str, fr: str) -> Scenario[State]:
    """Both chairs have bid for a side."""
    return opened(bid=side).when(BR, br).when(FR, fr)


# --------------------------------------------------------------------------- the bids


def test_without_a_bid_each_player_plays_the_side_of_their_seat() -> None:
    facts = by_chance(opened(bid="none"))
    assert not [fact for fact in facts if isinstance(fact, SidesSettled)]
    assert isinstance(facts[0], WarSet)


@pytest.mark.parametrize("side", SIDES)
def test_bids_are_made_in_secret_and_at_once(side: str) -> None:
    game = opened(bid=side).asks(BR).asks(FR)
    before = prompt(game.table, BR)
    game.when(FR, "4").then(BidMade(FR, "4")).asks(BR)
    (made,) = game.facts
    assert made.seen_by(FR) == made
    assert made.seen_by(BR) == made.seen_by(None) == BidMade(FR, "?")
    assert asked(game.table) == (BR,)
    assert prompt(game.table, BR) == before
    game.when(BR, "2").includes(BidMade(BR, "2"), BidsOpened("2", "4"))


def test_a_bid_is_0_to_30_treaty_points_for_the_side_of_the_option() -> None:
    game = opened(bid=FR).asks(BR, *(str(points) for points in range(31)))
    game.refuses(BR, "31").refuses(BR, "-1").refuses(BR, "3", "4")
    question = prompt(game.table, BR)
    assert question is not None
    assert question.why == {"side": FR}


@pytest.mark.parametrize(
    ("side", "br", "fr", "exchanged", "points"),
    [
        (BR, "5", "2", AS_SEATED, 5),
        (BR, "2", "5", EXCHANGED, 5),
        (FR, "2", "5", AS_SEATED, 5),
        (FR, "5", "2", EXCHANGED, 5),
        (FR, "1", "0", EXCHANGED, 1),
        (BR, "30", "29", AS_SEATED, 30),
    ],
)
def test_the_higher_bid_plays_the_side_and_the_other_gets_its_points(
    side: str, br: str, fr: str, exchanged: bool, points: int
) -> None:
    """The points of the higher bid, for the other side."""
    other = OTHER[side]
    game = sealed(side, br, fr).includes(
        BidsOpened(br, fr),
        SidesSettled(exchanged, other, points),
        TreatySet(other, points, points, "bid"),
    )
    game.has(exchanged=exchanged, treaty={side: 0, other: points}, bids={})


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("chair", SIDES)
def test_equal_bids_are_settled_by_chance(side: str, chair: str) -> None:
    game = sealed(side, "3", "3").asks(CHANCE, BR, FR)
    exchanged = chair != side
    game.when(CHANCE, chair).includes(
        SidesSettled(exchanged, OTHER[side], 3), TreatySet(OTHER[side], 3, 3, "bid")
    )
    game.has(exchanged=exchanged)


def test_bids_of_nothing_give_nothing() -> None:
    game = sealed(FR, "0", "0").when(CHANCE, FR).includes(SidesSettled(AS_SEATED, BR, 0))
    assert not [fact for fact in game.facts if isinstance(fact, TreatySet)]
    game.has(treaty={BR: 0, FR: 0})


def test_the_sides_are_settled_before_anything_hidden_is_dealt() -> None:
    game = sealed(BR, "1", "2")
    kinds = [type(fact) for fact in by_chance(game)]
    assert kinds.index(SidesSettled) < kinds.index(WarSet) < kinds.index(TurnBegan)


def test_the_points_of_a_bid_lie_there_through_the_first_turn_however_many() -> None:
    """Only phase 10 takes what is above 4."""
    game = sealed(BR, "9", "0")
    by_chance(game)
    game.has(treaty={BR: 0, FR: 9}, turn=1)


# --------------------------------------------------------------------------- the players change places


def sitting(br: str, fr: str, side: str = FR) -> Sitting:
    """Both players have sat down and bid."""
    match = Sitting(GAME, options={"bid": side}).seat_all()
    match.answer(BR, br)
    match.answer(FR, fr)
    return match


def players(match: Sitting) -> dict[str, str]:
    """Who plays which seat."""
    return {seat: seated.player for seat, seated in match.match.players.items() if seated}


@pytest.mark.usefixtures("in_the_house")
@pytest.mark.parametrize(("br", "fr", "exchanged"), [("1", "4", AS_SEATED), ("4", "1", EXCHANGED)])
def test_the_players_exchange_their_seats(br: str, fr: str, exchanged: bool) -> None:
    crossed = {BR: "p-fr", FR: "p-br"}
    assert players(sitting(br, fr)) == (crossed if exchanged else {BR: "p-br", FR: "p-fr"})


@pytest.mark.usefixtures("in_the_house")
def test_a_whole_match_after_an_exchange_is_verified() -> None:
    match = sitting("4", "1").play_on().match
    assert verify(file_of(match), PINNED).ok


@pytest.fixture
def in_the_house(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, GAME.name, GAME)
