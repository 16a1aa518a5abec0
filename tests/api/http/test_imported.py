"""Imported matches over HTTP: marked everywhere, and no viewer sees the hands that were made up for them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from domain.kernel import HIDDEN
from replay.importers.twilight_struggle.report import imported
from tests.api.http.served import Client, Served, served
from tests.matches import PRODUCT
from tests.replay.files import file_of
from tests.replay.importers.short_games import WHOLE

GAME = imported(WHOLE.encode(), PRODUCT)
ADDRESS = f"/v1/matches/{GAME.match.id}"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server to which the file of an imported match was uploaded."""
    with served(tmp_path_factory.mktemp("imported")) as running:
        content = {"content-type": "application/zip"}
        stored = running.player("Eve").send("POST", "/v1/replays", file_of(GAME.match), content)
        assert (stored.status, stored.json["origin"], stored.json["unverified"]) == (201, "imported", True)
        yield running


@pytest.fixture
def eve(server: Served) -> Client:
    return server.client()


def test_imported_match_is_marked_as_imported(eve: Client) -> None:
    told = eve.get(ADDRESS).json
    assert (told["origin"], told["unverified"], told["chance"], told["status"]) == (
        "imported",
        True,
        "recorded",
        "over",
    )
    assert "imported, unverified" in told["remark"]
    assert "hands were not recorded" in told["remark"]
    assert "импортирована, не проверена" in eve.get(ADDRESS, accept_language="ru").json["remark"]
    assert sorted(told["names"].values()) == ["Player A", "Player B"]
    assert set(told["names"]) == set(told["seats"].values())


def test_imported_match_with_missing_rounds_is_marked_incomplete(tmp_path: Path) -> None:
    """At its end and at an earlier move; one that was followed throughout has no such field."""
    first, last = WHOLE.index("\nTurn 1, USSR AR2: "), WHOLE.index("\nTurn 1, US AR2: ")
    found = imported((WHOLE[:first] + WHOLE[last:]).encode(), PRODUCT)
    content = {"content-type": "application/zip"}
    with served(tmp_path) as running:
        eve = running.player("Eve")
        for match, whole in ((found.match, False), (GAME.match, True)):
            told = [eve.send("POST", "/v1/replays", file_of(match), content).json]
            told += [eve.get(f"/v1/matches/{match.id}{at}").json for at in ("", "?at=4")]
            assert [one.get("incomplete") for one in told] == ([None] * 3 if whole else [True] * 3)


@pytest.mark.parametrize("view", ["us", "ussr", "all", "spectator"])
def test_no_view_of_an_imported_match_shows_a_hand(eve: Client, view: str) -> None:
    told = eve.get(f"{ADDRESS}?at=4&view={view}").json
    assert told["view"] == "spectator"
    assert told["table"]["hands"] == {"us": [HIDDEN] * 8, "ussr": [HIDDEN] * 8}
    public = eve.get(f"{ADDRESS}/moves").json
    assert eve.get(f"{ADDRESS}/moves?view={view}").json == public
    for move in eve.get(f"{ADDRESS}/moves?view={view}&proof=true").json["moves"]:
        assert not {"part", "salt", "view"} & set(move)


def test_stream_of_an_imported_match_shows_the_spectator_view(server: Served) -> None:
    player = server.player("Ann")
    ticket = player.post("/v1/streams/tickets", {"match": GAME.match.id, "view": "all"}).json["ticket"]
    streamed = server.client().get(f"{ADDRESS}/moves?ticket={ticket}", accept="text/event-stream")
    data = [
        json.loads(line.removeprefix(b"data: ")) for line in streamed.body.splitlines() if b"data: " in line
    ]
    assert data == server.client().get(f"{ADDRESS}/moves?limit=1000").json["moves"]


def test_unknown_view_of_an_imported_match_is_refused(eve: Client) -> None:
    eve.get(f"{ADDRESS}?view=nobody").problem(404, "unknown-seat")


def test_owner_of_a_player_id_in_an_imported_log_sees_only_the_spectator_view(tmp_path: Path) -> None:
    with served(tmp_path) as running:
        ann = running.player("Ann")
        forged = imported(WHOLE.replace("Grace", "Heidi").encode(), PRODUCT, names=True).match
        content = {"content-type": "application/zip"}
        assert ann.send("POST", "/v1/replays", file_of(forged), content).status == 201
        told = ann.get(f"/v1/matches/{forged.id}").json
        assert sorted(told["names"].values()) == ["Ada", "Heidi"]
        assert told["view"] == "spectator"


def test_lists_turns_and_scoreboards_mark_imported_matches(eve: Client) -> None:
    listed = eve.get("/v1/matches?origin=imported").json
    (row,) = listed["matches"]
    assert (row["match"], row["origin"], row["unverified"]) == (GAME.match.id, "imported", True)
    assert sorted(listed["names"].values()) == ["Player A", "Player B"]
    assert eve.get("/v1/matches?origin=uploaded").json["matches"] == []
    turns = eve.get(f"{ADDRESS}/turns").json
    assert turns["unverified"]
    assert "imported, unverified" in turns["remark"]
    said = [
        sentence
        for turn in turns["turns"]
        for play in turn["told"]["plays"]
        for sentence in play["sentences"]
    ]
    assert "The US is dealt 8 cards." in said
    board = eve.get("/v1/scoreboards/twilight_struggle?edition=deluxe&pool=imported").json
    assert board["unverified"]
    # It was uploaded, and any client can write such a file: it counts for no player, whatever name it has.
    assert (row["claimed"], board["totals"], board["standings"]) == (True, [], [])
    for player in listed["names"]:
        eve.get(f"/v1/players/{player}/matches").problem(404, "unknown-player")


def test_imported_match_cannot_be_continued(server: Served) -> None:
    ann = server.player("Ann")
    ann.post(f"{ADDRESS}/moves", {"expect": 3, "picks": ["poland"]}).problem(403, "foreign")
    ann.post(f"{ADDRESS}/seats/us").problem(409, "over")


def test_other_matches_have_no_mark_and_no_remark(server: Served) -> None:
    ann = server.player("Ann")
    opened = ann.post("/v1/matches", {"game": "cia_vs_kgb"}).json
    assert not opened["unverified"]
    told = ann.get(f"/v1/matches/{opened['match']}").json
    assert (told["unverified"], told["remark"]) == (False, None)
