"""Positions live: pushes that fold to the scene of every move, for each viewer; what they hide, and share."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from cachetools import LRUCache

from api.http import live_positions
from domain.game import Game
from domain.games import GAMES
from tests.api.http.playing import asked, picked, played
from tests.api.http.served import Client, Served, served
from tests.api.http.sockets import socket, spectator
from tests.api.http.streaming import Listener
from tests.api.http.test_commands import bid
from tests.api.http.worlds import world
from tests.replay.scenes.matches import patched, strings, unseen

ANSWERS = {"thirteen_minutes": 3, "cia_vs_kgb": 6}  # later every card was seen; elsewhere 12


@pytest.fixture
def quick(toy_in_words: Game, tmp_path: Path) -> Iterator[Served]:
    """A server that lets its clients ask often."""
    with served(tmp_path, requests_per_second=10_000) as running:
        yield running


def game_with_takebacks(server: Served, game: str) -> tuple[str, list[Client]]:
    """A match that was taken back by a ruling and went on, and whose end is a resignation."""
    match, players = server.table(game)
    source, address = random.Random(11), f"/v1/matches/{match}"
    judge = server.person("organizer")
    for _ in range(2):
        for _ in range(6):
            played(match, players, source)
        back = {"reason": "misheard", "back_to": players[0].get(address).json["move"] - 4}
        assert judge.post(f"{address}/rulings", back).status == 201
    for _ in range(3):
        played(match, players, source)
    assert players[1].post(f"{address}/resignation").status == 201
    return match, players


def folded(moves: list[Any]) -> Iterator[tuple[int, Any]]:
    """The number of each pushed move, and the scene after it."""
    scene: Any = {}
    for move in moves:
        assert move["position"]["move"] == move["move"]
        scene = patched(scene, move["position"]["scene"])
        yield move["move"], scene


# ── what is told ──


@pytest.mark.parametrize("game", GAMES)
def test_pushes_fold_to_the_scene_of_every_move_for_every_viewer(quick: Served, game: str) -> None:
    match, players = quick.table(game)
    address, source = f"/v1/matches/{match}", random.Random(11)
    viewers = [*players, quick.client()]
    with ExitStack() as stack:
        lines = [stack.enter_context(socket(quick.port, player.token)) for player in players]
        lines.append(stack.enter_context(spectator(quick.port)))
        for line in lines:
            line.done("follow", match=match, scene=True, sentences=True, lean=True)
        for _ in range(6):
            played(match, players, source)
        now = players[0].get(address).json["move"]
        back = {"reason": "misheard", "back_to": now - 4}
        assert quick.person("organizer").post(f"{address}/rulings", back).status == 201
        for _ in range(3):
            played(match, players, source)
        last = players[0].get(address).json["move"]
        for line, client in zip(lines, viewers, strict=True):
            moves = line.pushed(match, last)
            for number, scene in folded(moves):
                assert scene == client.get(f"{address}/scene?at={number}").json["scene"], number
            page = client.get(f"{address}/positions").json
            gone = {move["move"] for move in page["moves"] if not move["stands"]}
            told = [{**move["position"], "stands": move["move"] not in gone} for move in moves]
            assert told == [
                {name: value for name, value in one.items() if name != "view"} for one in page["moves"]
            ]
            assert gone == set(taken_back(moves))


def taken_back(moves: list[Any]) -> Iterator[int]:
    """The moves that stand no more, as a client finds them by `back_to` alone."""
    stands: list[int] = []
    for move in moves:
        back = move["position"].get("back_to")
        yield from [number for number in stands if back is not None and number > back]
        stands = [number for number in stands if back is None or number <= back] + [move["move"]]


def test_a_takeback_by_agreement_sends_the_scene_back(quick: Served) -> None:
    match, players = quick.table("cia_vs_kgb")
    address = f"/v1/matches/{match}"
    with socket(quick.port, players[0].token) as line:
        line.done("follow", match=match, scene=True)
        found = asked(match, players)
        assert found is not None
        before = players[0].get(address).json["move"]
        scene = players[0].get(f"{address}/scene").json["scene"]
        assert found[0].post(f"{address}/moves", picked(random.Random(1), found[1])).status == 201
        request = found[0].post(f"{address}/takebacks").json["move"]
        other = next(player for player in players if player is not found[0])
        other.post(f"{address}/takebacks/{request}/answer", {"agree": True})
        moves = line.pushed(match, before + 4)
        position = moves[-1]["position"]
        assert (position["kind"], position["back_to"]) == ("taken_back", before)
        assert list(folded(moves))[-1] == (before + 4, scene)
        assert "sentences" not in position


@pytest.mark.parametrize("query", ["scene=true", "sentences=true", "scene=true&sentences=true"])
def test_the_event_stream_tells_the_same_as_the_socket(quick: Served, query: str) -> None:
    match, players = game_with_takebacks(quick, "thirteen_minutes")
    wanted = dict.fromkeys((part.partition("=")[0] for part in query.split("&")), True)
    for player in (*players, quick.person("player")):
        headers = {"authorization": f"Bearer {player.token}", "accept-language": "ru"}
        stream = Listener(quick.port, f"/v1/matches/{match}/moves?{query}", headers)
        told = [event.data for event in stream.events()]
        stream.close()
        with socket(quick.port, player.token, language="ru") as line:
            line.done("follow", match=match, **wanted)
            assert line.whole(match) == told
        assert {"scene", "sentences"} & set(told[0]["position"]) == set(wanted)


def test_without_the_wish_a_move_is_what_it_was(quick: Served) -> None:
    match, players = quick.table()
    bid(match, players)
    with socket(quick.port, players[0].token) as line:
        line.done("follow", match=match)
        assert not any("position" in move for move in line.pushed(match, 5))


def test_who_resumes_gets_patches_against_what_they_have(quick: Served) -> None:
    match, _ = game_with_takebacks(quick, "cia_vs_kgb")
    address, client = f"/v1/matches/{match}", quick.client()
    for after in (0, 1, 7):
        scene = client.get(f"{address}/scene?at={after}&view=spectator").json["scene"] if after else {}
        with spectator(quick.port) as line:
            line.done("follow", match=match, after=after, scene=True, view="spectator")
            for move in line.whole(match):
                scene = patched(scene, move["position"]["scene"])
                path = f"{address}/scene?at={move['move']}&view=spectator"
                assert scene == client.get(path).json["scene"]


def test_sentences_are_in_the_language_of_each_follower_and_name_the_players(quick: Served) -> None:
    match, players = quick.table("thirteen_minutes")
    with spectator(quick.port) as english, spectator(quick.port, language="ru") as russian:
        for line, words in ((english, "takes the seat"), (russian, "США")):
            line.done("follow", match=match, sentences=True)
            text = str([move["position"]["sentences"] for move in line.pushed(match, 3)])
            assert "Ann" in text
            assert "Ben" in text
            assert words in text or words == "takes the seat"
    del players


# ── the spy ──


@pytest.mark.parametrize("game", GAMES)
def test_no_push_holds_an_id_that_is_hidden_from_its_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    with world(tmp_path / "world", game, monkeypatch) as here:
        here.set_up()
        source = random.Random(3)
        for _ in range(ANSWERS.get(game, 12)):
            assert here.match.asked is not None
            seat = sorted(here.match.asked.seats)[0]
            standing = here.match.prompt(seat)
            assert standing is not None
            here.answer(seat, tuple(source.sample(standing[1].options, standing[1].least)))
        match = here.match
        for name, client in here.viewers.items():
            hidden = unseen(match, name if name in here.seats else None)
            assert hidden
            for language in ("en", "ru"):
                with socket(here.server.port, client.token) as line:
                    if client.token is None:
                        line.done("enter", language=language)
                    line.done("follow", match=match.id, scene=True, sentences=True, prompt=True)
                    told = line.pushed(match.id, match.move)
                    assert not hidden & set(strings([move["position"] for move in told])), name


def test_a_forgotten_name_is_in_no_push_after_it_was_forgotten(quick: Served) -> None:
    match, players = quick.table("thirteen_minutes")
    with spectator(quick.port) as line:
        line.done("follow", match=match, sentences=True)
        assert "Ben" in str(line.pushed(match, 3))
    admin = quick.person("admin")
    assert admin.post(f"/v1/players/{players[1].player}/forgetting", {}).status == 201
    with spectator(quick.port) as line:
        line.done("follow", match=match, sentences=True)
        told = str(line.pushed(match, 3))
        assert "Ben" not in told
        assert "name forgotten" in told


# ── the forger and the flooder ──


@pytest.mark.parametrize("query", ["scene=true", "sentences=true"])
def test_pages_of_moves_have_no_positions(quick: Served, query: str) -> None:
    match, _ = quick.table()
    for accept in ("application/json", "application/x-ndjson"):
        refused = quick.client().get(f"/v1/matches/{match}/moves?{query}", accept=accept)
        assert "/positions" in refused.problem(422, "invalid")["detail"]


@pytest.mark.parametrize("field", ["scene", "sentences"])
@pytest.mark.parametrize("value", [1, "true", None, [], {}])
def test_a_wish_that_is_no_boolean_is_refused(quick: Served, field: str, value: Any) -> None:
    match, _ = quick.table()
    with spectator(quick.port) as line:
        line.problem(422, "invalid", "follow", match=match, **{field: value})
    quick.client().get(f"/v1/matches/{match}/moves?{field}=perhaps", accept="text/event-stream").problem(
        422, "invalid"
    )


def test_followers_of_the_same_view_and_language_share_what_was_worked_out(
    quick: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[int, object]] = []
    work = vars(live_positions)["shown_move"]

    def counted(match: Any, move: int, viewer: Any, *more: Any, **words: Any) -> Any:
        made.append((move, viewer))
        return work(match, move, viewer, *more, **words)

    monkeypatch.setattr(live_positions, "shown_move", counted)
    match, players = quick.table("thirteen_minutes")
    with ExitStack() as stack:
        lines = [stack.enter_context(spectator(quick.port)) for _ in range(5)]
        lines.append(stack.enter_context(socket(quick.port, players[0].token)))
        for line in lines:
            line.done("follow", match=match, scene=True)
        for _ in range(3):
            played(match, players, random.Random(2))
        for line in lines:
            line.pushed(match, 6)
    assert sorted(made, key=str) == sorted(
        [(move, viewer) for move in range(1, 7) for viewer in (None, "us")], key=str
    )


def test_what_is_kept_has_a_bound(quick: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    assert quick.services is not None
    kept = live_positions.LivePositions()
    vars(kept)["_kept"] = LRUCache(2_000, getsizeof=len)
    monkeypatch.setattr(quick.services, "live", kept)
    match, _ = game_with_takebacks(quick, "thirteen_minutes")
    with spectator(quick.port) as line:
        line.done("follow", match=match, scene=True, sentences=True)
        assert len(line.whole(match)) > 12
    assert 0 < vars(kept)["_kept"].currsize <= 2_000
