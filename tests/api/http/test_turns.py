"""Turn summaries over HTTP: whose view they show, and the moments that a reader is pointed to."""

from __future__ import annotations

import pytest

from tests.api.http.served import Client, Served
from tests.api.http.test_commands import bid


@pytest.fixture
def running(server: Served) -> tuple[str, list[Client]]:
    """A running match after both bids: its address, and its players."""
    match, players = server.table("toy", options={"rounds": 1})
    return bid(match, players), players


def cards(client: Client, address: str) -> list[str]:
    """The cards that a client sees in its own view of the table."""
    hands = client.get(address).json["table"]["hands"].values()
    return [card for hand in hands for card in hand if card != "?"]


def test_summary_of_a_running_match_is_a_spectators_unless_a_player_asks_for_their_own(
    running: tuple[str, list[Client]], server: Served
) -> None:
    address, (ann, ben) = running
    usual = ann.get(f"{address}/turns").json
    assert usual["view"] == "spectator"
    assert usual["turns"] == server.client().get(f"{address}/turns?view=spectator").json["turns"]
    own = ann.get(f"{address}/turns?view=left").json
    assert own["view"] == "left"
    (card,) = cards(ann, address)
    (other,) = cards(ben, address)
    assert card in str(own["turns"])
    assert other not in str(own)
    assert card not in str(usual)


def test_view_of_another_seat_or_of_everything_is_refused_while_the_match_runs(
    running: tuple[str, list[Client]], server: Served
) -> None:
    address, (ann, _) = running
    for client in (ann, server.player("Eve"), server.client()):
        client.get(f"{address}/turns?view=right").problem(403, "forbidden")
        client.get(f"{address}/turns?view=all").problem(403, "forbidden")
        client.get(f"{address}/turns?view=middle").problem(404, "unknown-seat")


def test_summary_of_a_match_that_is_over_shows_any_view(
    running: tuple[str, list[Client]], server: Served
) -> None:
    address, (ann, ben) = running
    hands = {"left": cards(ann, address), "right": cards(ben, address)}
    ann.post(f"{address}/resignation")
    visitor = server.client()
    assert visitor.get(f"{address}/turns").json == visitor.get(f"{address}/turns?view=all").json
    for seat, other in (("left", "right"), ("right", "left")):
        told = visitor.get(f"{address}/turns?view={seat}").json
        assert told["view"] == seat
        assert hands[seat][0] in str(told)
        assert hands[other][0] not in str(told)


def test_moments_stand_on_the_first_page_in_the_language_of_the_reader(
    running: tuple[str, list[Client]], server: Served
) -> None:
    address, (ann, _) = running
    ann.post(f"{address}/resignation")
    english, russian = (
        server.client().get(f"{address}/turns", accept_language=each) for each in ("en", "ru")
    )
    last, same = english.json["moments"][-1], russian.json["moments"][-1]
    assert (last["weight"], last["why"]) == (100, ["right wins: the other side resigns."])
    assert same["why"] == ["Победитель — правый: соперник сдался."]
    assert (last["move"], last["turn"]) == (same["move"], same["turn"])
    assert server.client().get(f"{address}/turns?after=1").json["moments"] == []
