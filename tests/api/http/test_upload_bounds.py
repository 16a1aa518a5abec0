"""Bounds of uploads: nothing larger than what can be written here, and pages of turns are bounded."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest

from api.http.routing import encode
from domain.game import Game
from domain.games import GAMES
from domain.match import Match
from tests.api.http.served import Answer, Client, Served, served
from tests.matches import Sitting, finished
from tests.replay.files import file_of, parts_in
from tests.replay.test_hostile import zipped

ZIP = {"content-type": "application/zip"}


def sent(client: Client, data: bytes) -> Answer:
    return client.send("POST", "/v1/replays", data, ZIP)


def ruled(game: Game, reason: str) -> Match:
    """A match that an organizer ended for a reason."""
    sitting = Sitting(game)
    sitting.accept(sitting.match.rule(sitting.context, "p9", reason, void=True))
    return sitting.match


def test_uploaded_reason_of_fifty_megabytes_is_refused(server: Served, toy_in_words: Game) -> None:
    packed = zipped(
        list(parts_in(file_of(ruled(toy_in_words, "x" * 50_000_000))).items()), zipfile.ZIP_DEFLATED
    )
    assert len(packed) < 65_536
    told = sent(server.player("Eve"), packed).problem(422, "bad-file")
    assert "larger than" in told["detail"] or "packed to less" in told["detail"]


def test_uploaded_reason_longer_than_the_ruling_limit_is_refused(server: Served, toy_in_words: Game) -> None:
    told = sent(server.player("Eve"), file_of(ruled(toy_in_words, "x" * 2_001))).problem(422, "bad-file")
    assert "$.reason" in told["detail"]
    assert sent(server.player("Eve"), file_of(ruled(toy_in_words, "x" * 2_000))).status == 201


def test_file_too_large_when_unpacked_is_refused(toy_in_words: Game, tmp_path: Path) -> None:
    data = file_of(finished(toy_in_words).match)
    with served(tmp_path, unpacked_bytes=sum(map(len, parts_in(data).values())) - 1) as server:
        assert "unpacked" in sent(server.player("Eve"), data).problem(422, "bad-file")["detail"]


@pytest.fixture(scope="module")
def long_match() -> Match:
    return finished(GAMES["cia_vs_kgb"], 3).match


def pages(client: Client, address: str, **query: int) -> list[Any]:
    """All pages of turns."""
    found, after = list[Any](), "0"
    more = "".join(f"&{name}={value}" for name, value in query.items())
    while after is not None:
        answer = client.get(f"{address}?after={after}{more}")
        assert answer.status == 200, answer
        found.append(answer)
        after = answer.json["next"]
    return found


def together(found: list[Any]) -> list[Any]:
    """The turns on these pages, those in parts put together."""
    turns = list[Any]()
    for view in [view for page in found for view in page.json["turns"]]:
        if turns and turns[-1]["turn"]["number"] == view["turn"]["number"]:
            for kind, name in (("turn", "plays"), ("turn", "points"), ("told", "plays"), ("told", "points")):
                turns[-1][kind].setdefault(name, []).extend(view[kind].get(name, []))
        else:
            turns.append(view)
    for view in turns:
        view["turn"] = {name: value for name, value in view["turn"].items() if value != []}
    return turns


@pytest.mark.parametrize("size", [1, 3_000, 20_000])
def test_page_of_turns_is_bounded_in_bytes(tmp_path: Path, long_match: Match, size: int) -> None:
    with served(tmp_path / "a") as whole, served(tmp_path / "b", turns_bytes=size) as paged:
        for server in (whole, paged):
            assert sent(server.player("Eve"), file_of(long_match)).status == 201
        address = f"/v1/matches/{long_match.id}/turns"
        complete = whole.client().get(address)
        assert complete.json["next"] is None
        assert len(complete.body) > 3 * size
        found = pages(paged.client(), address)
        assert together(found) == complete.json["turns"]
        for page in found:
            one_move = [len(view["turn"]["plays"]) for view in page.json["turns"]] == [1]
            around = 300 + len(encode(page.json["moments"]))  # what stands around the turns
            assert one_move or len(page.body) < size + around
        assert [bool(page.json["moments"]) for page in found] == [True] + [False] * (len(found) - 1)


def test_page_has_the_requested_number_of_turns(tmp_path: Path, long_match: Match) -> None:
    with served(tmp_path) as server:
        sent(server.player("Eve"), file_of(long_match))
        address = f"/v1/matches/{long_match.id}/turns"
        complete = server.client().get(address).json["turns"]
        found = pages(server.client(), address, limit=2)
        assert [len(page.json["turns"]) for page in found[:-1]] == [2] * (len(found) - 1)
        assert together(found) == complete
        assert server.client().get(f"{address}?after=3").json["turns"] == complete[3:]
        assert server.client().get(f"{address}?after=999999999").json["turns"] == []
        for wrong in ("-1", "x", "1.", "9" * 10):
            server.client().get(f"{address}?after={wrong}").problem(422, "invalid")
