"""Scenes, drawn boards and positions over HTTP: who may see what, what is refused, and that all agree."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from api.http.routes import positions as module
from domain.game import Game
from domain.games import GAMES
from domain.match import Match
from replay.boards.drawing import BOARDS
from tests.api.http.playing import played
from tests.api.http.served import Answer, Client, Served, served
from tests.api.http.test_commands import bid
from tests.api.http.worlds import World, world
from tests.replay.files import file_of
from tests.replay.scenes.matches import patched, strings, unseen, whole

PICTURE = "image/svg+xml"
ANSWERS = {"thirteen_minutes": 3, "cia_vs_kgb": 6}  # later every card was seen; elsewhere 12


# ── the spy: another seat, a spectator, an organizer ──


def told(client: Client, address: str, view: str, last: int) -> Iterator[Answer]:
    """All that positions, scenes and pictures tell somebody."""
    for language in ("en", "ru"):
        for after in (0, last // 2):
            yield client.get(f"{address}/positions?after={after}&{view}", accept_language=language)
            yield client.get(
                f"{address}/positions?after={after}&templates=true&{view}", accept_language=language
            )
        for at, accept in product((1, last // 2, last), ("application/json", PICTURE)):
            path = f"{address}/scene?at={at}&{view}"
            yield client.get(path, accept=accept, accept_language=language)


def set_up(here: World) -> None:
    """A match of a game under way."""
    here.set_up()
    source = random.Random(3)
    for _ in range(ANSWERS.get(here.match.game.name, 12)):
        assert here.match.asked is not None
        seat = sorted(here.match.asked.seats)[0]
        standing = here.match.prompt(seat)
        assert standing is not None
        here.answer(seat, tuple(source.sample(standing[1].options, standing[1].least)))


@pytest.mark.parametrize("game", GAMES)
def test_no_body_holds_an_id_that_is_hidden_from_its_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    with world(tmp_path / "world", game, monkeypatch) as here:
        set_up(here)
        match = here.match
        address = f"/v1/matches/{match.id}"
        for name, client in here.viewers.items():
            seat = name if name in here.seats else None
            hidden = unseen(match, seat)
            assert hidden
            for answer in told(client, address, "", match.move):
                assert answer.status == (200 if "json" in kind(answer) or game in BOARDS else 406)
                words = set(re.findall(r"\w+", answer.body.decode()))
                assert not hidden & words, (name, answer)
            for view in {*here.seats, "all"} - {name}:
                for answer in told(client, address, f"view={view}", match.move):
                    assert answer.problem(403, "forbidden")


def kind(answer: Answer) -> str:
    """The media type of an answer, or of what it would have been."""
    found = answer.headers["content-type"]
    return found if answer.status == 200 else PICTURE


def test_what_a_seat_is_told_while_the_match_runs_is_private_and_not_compressed(server: Served) -> None:
    match, players = server.table()
    address = bid(match, players)
    for path in ("/positions", "/scene"):
        for client, control in ((players[0], "private, no-cache"), (server.client(), "public, no-cache")):
            answer = client.get(address + path, accept_encoding="gzip")
            assert answer.headers["cache-control"] == control
            assert "content-encoding" not in answer.headers
            vary = {name.strip().lower() for name in answer.headers["vary"].split(",")}
            assert {"authorization", "accept-language"} <= vary
    assert server.services is not None
    assert not server.services.pages, "nothing of a running match is kept"


def test_the_language_in_the_address_wins_over_that_of_the_request(server: Served) -> None:
    ann = server.player()
    match = ann.post("/v1/matches", {"game": "toy"}).json["match"]
    path = f"/v1/matches/{match}/positions"
    plain = ann.get(path, accept_language="ru")
    named = ann.get(f"{path}?lang=ru", accept_language="en")
    assert named.headers["content-language"] == "ru"
    assert named.body == plain.body != ann.get(path).body


# ── the forger ──


@pytest.mark.parametrize(
    ("path", "status", "kind"),
    [
        ("positions?after=-1", 422, "invalid"),
        ("positions?after=x", 422, "invalid"),
        ("positions?after=1.5", 422, "invalid"),
        ("positions?after=", 422, "invalid"),
        ("positions?after=99999999999999999999", 422, "invalid"),
        ("positions?after=1&after=2", 422, "invalid"),
        ("positions?after=1000", 404, "unknown-move"),
        ("positions?until=0", 422, "invalid"),
        ("positions?until=-3", 422, "invalid"),
        ("positions?until=null", 422, "invalid"),
        ("positions?until=1000", 404, "unknown-move"),
        ("positions?after=3&until=2", 422, "invalid"),
        ("positions?view=middle", 404, "unknown-seat"),
        ("positions?view=house", 404, "unknown-seat"),
        ("positions?view=left", 403, "forbidden"),
        ("positions?view=all", 403, "forbidden"),
        (f"positions?view={'x' * 65}", 422, "invalid"),
        ("positions?lang=fr", 422, "invalid"),
        ("positions?templates=both", 422, "invalid"),
        ("positions?templates=", 422, "invalid"),
        ("positions?at=1", 422, "invalid"),
        ("scene?at=0", 422, "invalid"),
        ("scene?at=-1", 422, "invalid"),
        ("scene?at=two", 422, "invalid"),
        ("scene?at=1000", 404, "unknown-move"),
        ("scene?view=middle", 404, "unknown-seat"),
        ("scene?view=house", 404, "unknown-seat"),
        ("scene?view=all", 403, "forbidden"),
        ("scene?after=1", 422, "invalid"),
        ("scene?format=svg", 422, "invalid"),
    ],
)
def test_what_cannot_be_is_refused(server: Served, path: str, status: int, kind: str) -> None:
    match, _ = server.table()
    client = server.client()
    for accept in ("application/json", PICTURE):
        client.get(f"/v1/matches/{match}/{path}", accept=accept).problem(status, kind)
        unknown = client.get(f"/v1/matches/m0/{path}", accept=accept)
        assert unknown.status in (404, 422)
    client.get(f"/v1/matches/m0/{path.split('?', maxsplit=1)[0]}").problem(404, "unknown-match")


def test_why_a_part_of_the_positions_is_refused_is_told_in_both_languages(server: Served) -> None:
    match, _ = server.table()
    path = f"/v1/matches/{match}/positions?after=3&until=2"
    assert server.client().get(path).json["detail"].startswith("until 2 comes before after 3")
    assert "раньше начала after 3" in server.client().get(path, accept_language="ru").json["detail"]


@pytest.mark.parametrize("accept", ["", "*/*", "nonsense", "image/jpeg", "text/html;q=x", PICTURE + ";q=0"])
def test_a_client_that_does_not_ask_for_a_picture_gets_the_scene(server: Served, accept: str) -> None:
    match, _ = server.table()
    answer = server.client().get(f"/v1/matches/{match}/scene", accept=accept)
    assert (answer.status, answer.json["at"], answer.json["view"]) == (200, 3, "spectator")


def test_a_game_without_a_board_has_no_picture(server: Served) -> None:
    match, _ = server.table()
    path = f"/v1/matches/{match}/scene"
    refused = server.client().get(path, accept=PICTURE).problem(406, "no-board")
    assert refused["detail"].endswith("is not played on a board")
    assert (
        "играют без доски" in server.client().get(path, accept=PICTURE, accept_language="ru").json["detail"]
    )


def test_an_open_match_can_be_looked_at(server: Served) -> None:
    ann = server.player()
    match = ann.post("/v1/matches", {"game": "toy"}).json["match"]
    ann.post(f"/v1/matches/{match}/seats/left")
    for query in ("", "?view=left", "?view=spectator"):
        answer = ann.get(f"/v1/matches/{match}/positions{query}")
        assert [move["kind"] for move in answer.json["moves"]] == ["opened", "seated"]
        assert ann.get(f"/v1/matches/{match}/scene{query}").status == 200


# ── the flooder ──


def pages(client: Client, address: str, view: str = "") -> list[Any]:
    """All pages of the positions."""
    found: list[Any] = []
    after: int | None = 0
    while after is not None:
        found.append(client.get(f"{address}/positions?after={after}&view={view}").json)
        after = found[-1]["next"]
    return found


def test_pages_are_bounded_and_joined_they_are_one_page(toy_in_words: Game, tmp_path: Path) -> None:
    with served(tmp_path / "a", moves_per_page=3) as small, served(tmp_path / "b") as large:
        found = []
        for server in (small, large):
            file = file_of(whole_toy(toy_in_words))
            sent = server.player().send("POST", "/v1/replays", file, {"content-type": "application/zip"})
            assert sent.status == 201
            found.append(pages(server.client(), f"/v1/matches/{sent.json['match']}", "all"))
        cut, (one,) = found
        assert len(cut) > 3
        assert all(len(page["moves"]) <= 3 for page in cut)
        assert [move for page in cut for move in page["moves"]] == one["moves"]
        last = one["moves"][-1]["move"]
        page = small.client().get(f"/v1/matches/{one['match']}/positions?after=1&until={last}&view=all").json
        assert ([move["move"] for move in page["moves"]], page["next"]) == ([2, 3, 4], 4)
        end = small.client().get(f"/v1/matches/{one['match']}/positions?after={last}").json
        assert (end["moves"], end["next"]) == ([], None)


def whole_toy(game: Game) -> Match:
    """A whole match of the toy game."""
    from tests.matches import finished

    return finished(game).match


def test_many_at_once_are_told_the_same(server: Served) -> None:
    match, players = server.table()
    address = bid(match, players)

    def ask(number: int) -> tuple[int, bytes]:
        answer = server.client().get(f"{address}/{('positions', 'scene')[number % 2]}")
        return number % 2, answer.body

    with ThreadPoolExecutor(12) as pool:
        found = set(pool.map(ask, range(60)))
    assert len(found) == 2


def test_moves_that_come_meanwhile_change_no_page_before_them(server: Served) -> None:
    match, players = server.table(options={"rounds": 3})
    address, source = f"/v1/matches/{match}", random.Random(5)
    first = server.client().get(f"{address}/positions?until=3").body
    with ThreadPoolExecutor(2) as pool:
        looks = [pool.submit(server.client().get, f"{address}/positions") for _ in range(2)]
        for _ in range(4):
            played(match, players, source)
            looks += [pool.submit(server.client().get, f"{address}/positions") for _ in range(2)]
        last = server.client().get(f"{address}/positions").json["moves"]
        for look in looks:
            moves = look.result().json["moves"]
            assert moves == last[: len(moves)]
    assert server.client().get(f"{address}/positions?until=3").body == first


# ── what is told ──


@pytest.mark.parametrize("game", GAMES)
def test_positions_fold_back_to_the_scenes(tmp_path: Path, game: str) -> None:
    match = whole(game)
    with served(tmp_path, requests_per_second=10_000) as server:
        file = {"content-type": "application/zip"}
        assert server.player().send("POST", "/v1/replays", file_of(match), file).status == 201
        client, address = server.client(), f"/v1/matches/{match.id}"
        for view in (*match.seats, "spectator", "all"):
            (page,) = pages(client, address, view)
            assert (page["view"], page["next"], len(page["moves"])) == (view, None, match.move)
            chosen = {1, match.move, *random.Random(view).sample(range(1, match.move + 1), 12)}
            scene: dict[str, Any] = {}
            for move in page["moves"]:
                scene = patched(scene, move["scene"])
                if move["move"] in chosen:
                    shown = client.get(f"{address}/scene?at={move['move']}&view={view}").json
                    assert shown["scene"] == scene
                    assert (shown["at"], shown["move"], shown["view"]) == (move["move"], match.move, view)


def test_marks_stand_on_names_in_the_language_of_the_reader(server: Served) -> None:
    match, players = server.table("thirteen_minutes")
    path = f"/v1/matches/{match}/positions"
    for language, name in (("en", "US"), ("ru", "США")):
        answer = server.client().get(path, accept_language=language)
        assert answer.headers["content-language"] == language
        seated = answer.json["moves"][1]["sentences"][0]
        start, stop, id = seated["marks"][0]
        assert (id, seated["text"][start:stop]) == ("us", name)
        assert "Ann" in str(answer.json["moves"][1]["sentences"])
    assert set(strings(players[0].get(path).json)) > {"hands.us"}


@pytest.mark.parametrize("game", BOARDS)
def test_a_board_is_drawn_as_its_viewer_sees_it(server: Served, game: str) -> None:
    match, players = server.table(game)
    path = f"/v1/matches/{match}/scene"
    for language in ("en", "ru"):
        drawn = players[0].get(path, accept=f"image/avif,{PICTURE},*/*;q=0.8", accept_language=language)
        assert (drawn.status, drawn.headers["content-language"]) == (200, language)
        assert drawn.headers["content-type"].startswith(PICTURE)
        assert drawn.headers["content-security-policy"].startswith("default-src 'none'")
        assert "accept" in {name.strip().lower() for name in drawn.headers["vary"].split(",")}
        assert drawn.body.startswith(b"<svg ")
        again = players[0].get(
            path, accept=PICTURE, accept_language=language, if_none_match=drawn.headers["etag"]
        )
        assert again.status == 304
    earlier = server.client().get(f"{path}?at=1", accept=PICTURE)
    assert (earlier.status, earlier.body != drawn.body) == (200, True)


def test_a_finished_match_is_worked_out_once_for_each_language_and_view(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, players = server.table()
    address = bid(match, players)
    players[1].post(f"{address}/resignation")
    made: list[object] = []
    work = vars(module)["positions"]

    def counted(*arguments: Any) -> Any:
        made.append(arguments)
        return work(*arguments)

    monkeypatch.setattr(module, "positions", counted)
    looks = [(view, language) for view in ("left", "right", "spectator", "all") for language in ("en", "ru")]
    bodies = []
    for _ in range(2):
        for view, language in looks:
            answer = server.client().get(f"{address}/positions?view={view}", accept_language=language)
            assert answer.headers["cache-control"] == "public, no-cache"
            bodies.append(answer.body)
    assert bodies[: len(looks)] == bodies[len(looks) :]
    assert len(made) == len(looks) == len(set(bodies))
