"""Bids for the superpowers, after which players change places (book 003, 11.4, and book 000, 11.1.3)."""

from __future__ import annotations

import pytest

from api.http.views import LogView
from domain.games import GAMES
from domain.match import Match
from domain.match_base import Chair
from domain.twilight_struggle import GAME
from domain.twilight_struggle.components import US, USSR
from projections.history import HISTORY, SeatingRow
from projections.matches import MATCHES, MatchRow
from replay.verify import verify
from tests.matches import Sitting
from tests.projections.support import folded, items
from tests.replay.files import PINNED, file_of

pytestmark = pytest.mark.usefixtures("in_the_house")
EXCHANGED = {US: "p-ussr", USSR: "p-us"}


@pytest.fixture
def in_the_house(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, GAME.name, GAME)


def sealed(us: str, ussr: str) -> Sitting:
    """Both players have made their bids, which are opened."""
    sitting = Sitting(GAME, options={"bid": "influence"}).seat_all()
    sitting.answer(US, us)
    sitting.answer(USSR, ussr)
    return sitting


def players(match: Match) -> dict[str, str]:
    return {seat: seated.player for seat, seated in match.players.items() if seated}


@pytest.mark.parametrize(
    ("us", "ussr", "exchanged"),
    [
        ("us:3", "ussr:4", False),
        ("ussr:3", "us:4", True),
        ("us:3", "us:4", True),
        ("us:4", "us:3", False),
        ("ussr:4", "ussr:3", True),
    ],
)
def test_sealed_bids_settle_who_plays_what(us: str, ussr: str, exchanged: bool) -> None:
    match = sealed(us, ussr).match
    assert players(match) == (EXCHANGED if exchanged else {US: "p-us", USSR: "p-ussr"})


def test_equal_bids_are_settled_by_chance_and_so_is_the_exchange() -> None:
    match = sealed("us:2", "us:2").match
    (tie,) = [draw for draw in match.records[-1].entry.draws if draw.label == "bid/tie"]
    assert players(match) == (EXCHANGED if tie.pick == USSR else {US: "p-us", USSR: "p-ussr"})


def test_an_auction_settles_it_too() -> None:
    sitting = Sitting(GAME, options={"bid": "victory_points"}).seat_all()
    asked = sitting.match.asked
    assert asked is not None
    (first,) = asked.seats
    other = USSR if first == US else US
    sitting.answer(first, f"{other}:1")
    sitting.answer(other, "pass")
    assert players(sitting.match) == EXCHANGED


def test_each_player_sees_the_hand_of_the_superpower_that_they_play_now() -> None:
    sitting = sealed("ussr:3", "us:4")
    match, deal = sitting.match, sitting.match.live.hands
    for chair, own, other in ((US, USSR, US), (USSR, US, USSR)):
        sight = LogView(match, Chair(chair), sitting.secret)
        told = b"".join(map(bytes, sight.facts(match.move, match.move)))
        assert all(f'"{card}"'.encode() in told for card in deal[own])
        assert not any(f'"{card}"'.encode() in told for card in deal[other])


def test_a_whole_match_after_an_exchange_is_verified_and_counts_for_the_side_played() -> None:
    match = sealed("ussr:3", "us:4").play_on().match
    assert verify(file_of(match), PINNED).ok
    (row,) = folded(MATCHES, items(match.records)).all(MatchRow)
    assert row.seats == EXCHANGED
    seatings = folded(HISTORY, items(match.records)).all(SeatingRow)
    assert {seating.seat: seating.player for seating in seatings} == EXCHANGED


def test_a_ruling_back_to_the_bids_undoes_the_exchange() -> None:
    sitting = sealed("ussr:3", "us:4")
    sitting.accept(sitting.match.rule(sitting.context, "judge", "a slip", back_to=3))
    assert players(sitting.match) == {US: "p-us", USSR: "p-ussr"}
    sitting.answer(US, "us:3")
    sitting.answer(USSR, "ussr:3")
    assert players(sitting.match) == {US: "p-us", USSR: "p-ussr"}
