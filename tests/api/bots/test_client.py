"""The bot that plays on any server: what it observes, what it survives, and what a hostile server gets."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from api.bots import client as module
from api.bots.action import Action
from api.bots.agent_bot import observation_of
from api.bots.client import Account, Player, Question, Seen, register
from api.server_client import LONGEST_WAIT, MOST_BYTES, Server, ServerError
from domain.agents import AGENTS
from domain.agents.observation import Observation, table_of
from domain.kernel import Picks
from tests.api.http.served import Client, Served, served


@pytest.fixture(autouse=True)
def _closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every connection of a test is closed at its end."""
    opened: list[Server] = []
    begin = Server.__init__

    def noted(self: Server, *args: Any, **named: Any) -> None:
        begin(self, *args, **named)
        opened.append(self)

    monkeypatch.setattr(Server, "__init__", noted)
    yield
    for one in opened:
        one.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path) as running:
        yield running


def _bot(
    server: Served, sleep: Callable[[float], object] = time.sleep, *, agrees: bool = True
) -> tuple[Player, Account]:
    """A new bot, which answers at random."""
    url = f"http://127.0.0.1:{server.port}"
    account = register(Server(url), "Bo")
    own = Server(url, account.token, sleep=sleep)
    return Player(own, account, "random", random.Random(7), agrees=agrees), account


def _against(server: Served, game: str, person: Client, seat: str) -> str:
    match: str = person.post("/v1/matches", {"game": game}).json["match"]
    assert person.post(f"/v1/matches/{match}/seats/{seat}", {}).status == 201
    return match


def _answer(person: Client, match: str) -> None:
    """The first options, if the person is asked."""
    asked = person.get(f"/v1/matches/{match}/prompt")
    if asked.status == 200:
        picks = [option["pick"] for option in asked.json["options"][: asked.json["least"]]]
        person.post(f"/v1/matches/{match}/moves", {"expect": asked.json["move"], "picks": picks})


@pytest.mark.parametrize("game", sorted(AGENTS))
def test_it_observes_what_the_bots_of_the_server_observe(
    server: Served, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given the answers of the API alone, then table, agenda and question are those of the server."""
    ann, spec = server.player(), AGENTS[game]
    seats = list(spec.game.seats)
    match = _against(server, game, ann, seats[0])
    player, _ = _bot(server)
    assert player.sit(match)
    checked = 0

    def act(level: str, seen: Observation, rng: random.Random, expired: Callable[[], bool]) -> Picks:
        nonlocal checked
        cached = server.gate._cache.peek(match)
        assert cached is not None
        true = observation_of(cached.match, seen.seat)
        assert table_of(spec.game, seen) == table_of(spec.game, true)
        assert msgspec.structs.replace(true.prompt, why={}) == seen.prompt
        checked += 1
        return tuple(rng.sample(seen.prompt.options, seen.prompt.least))

    monkeypatch.setattr(module, "act", act)
    while checked < 8:
        if player.step(match) != "acted":
            _answer(ann, match)


def test_its_answers_in_a_row_share_two_seconds(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """The set-up of the USSR, then that of the other side, then the first play."""
    ann, now, given = server.player(), 0.0, list[float]()
    match = _against(server, "twilight_struggle", ann, "us")
    player, _ = _bot(server)
    assert player.sit(match)

    def act(level: str, seen: Observation, rng: random.Random, expired: Callable[[], bool]) -> Picks:
        nonlocal now
        began = now
        while not expired() and now - began < 1.5:
            now += 0.25
        given.append(now - began)
        return tuple(seen.prompt.options[: seen.prompt.least])

    monkeypatch.setattr(module, "act", act)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now))
    while len(given) < 7:
        if player.step(match) != "acted":
            _answer(ann, match)
    assert given == [1.5, 0.5, 0, 0, 0, 0, 1.5]


def test_a_match_is_played_to_its_end_by_its_own_level(server: Served) -> None:
    ann = server.player()
    match = _against(server, "thirteen_minutes", ann, "us")
    player, account = _bot(server)
    assert player.sit(match)
    while (done := player.step(match)) != "over":
        if done == "waits":
            _answer(ann, match)
    moves = ann.get(f"/v1/matches/{match}/moves").json["moves"]
    seated = [move for move in moves if move["kind"] == "seated"]
    assert [(move["player"], move.get("bot", "")) for move in seated] == [
        (ann.player, ""),
        (account.player, "client"),
    ]


def test_a_restart_of_the_server_is_survived(tmp_path: Path) -> None:
    with ExitStack() as first, ExitStack() as second:
        before = first.enter_context(served(tmp_path))
        port = before.port

        def restarted(seconds: float) -> None:
            second.enter_context(served(tmp_path, port=port))

        ann = before.player()
        match = _against(before, "thirteen_minutes", ann, "us")
        player, _ = _bot(before, sleep=restarted)
        assert player.sit(match)
        first.close()
        assert player.step(match) in ("acted", "waits")
        assert len(second._exit_callbacks) == 1  # type: ignore[attr-defined]  # it waited once


def test_a_takeback_is_answered_as_the_option_says(server: Served) -> None:
    for agrees in (True, False):
        ann = server.player()
        match = _against(server, "thirteen_minutes", ann, "us")
        player, _ = _bot(server, agrees=agrees)
        assert player.sit(match)
        _answer(ann, match)
        assert ann.post(f"/v1/matches/{match}/takebacks", {}).status == 201
        assert player.step(match) == "acted"
        kinds = [move["kind"] for move in ann.get(f"/v1/matches/{match}/moves").json["moves"]]
        assert kinds[-1] == ("taken_back" if agrees else "takeback_answered")


def test_a_match_that_ends_during_a_thought_takes_no_answer(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = server.player()
    match = _against(server, "thirteen_minutes", ann, "us")
    player, _ = _bot(server)
    assert player.sit(match)

    def act(level: str, seen: Observation, rng: random.Random, expired: Callable[[], bool]) -> Picks:
        assert ann.post(f"/v1/matches/{match}/resignation", {}).status == 201
        return tuple(seen.prompt.options[: seen.prompt.least])

    monkeypatch.setattr(module, "act", act)
    assert player.step(match) == "waits"
    assert player.step(match) == "over"


def test_the_token_of_a_person_is_refused(server: Served) -> None:
    ann = server.player()
    assert ann.token is not None
    account = Account(ann.player, ann.token)
    player = Player(Server(f"http://127.0.0.1:{server.port}", ann.token), account, "random", random.Random())
    with pytest.raises(ServerError, match="marked as a bot"):
        player.must_be_a_bot()


def test_only_a_seat_that_is_free_is_taken(server: Served) -> None:
    match, _ = server.table("thirteen_minutes")
    assert not _bot(server)[0].sit(match)


# ── a server that means harm ──


@contextmanager
def hostile(*replies: tuple[int, dict[str, str], bytes]) -> Iterator[tuple[str, list[str]]]:
    """A server that gives these replies in turn, then the last one again; and the paths that were asked."""
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, head, body = replies[min(len(paths), len(replies) - 1)]
            paths.append(self.path)
            self.send_response(status)
            for name, value in {"content-length": str(len(body)), **head}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as found:
        thread = threading.Thread(target=found.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{found.server_port}", paths
        finally:
            found.shutdown()
            thread.join()


LOBBY = b'{"mine":[],"theirs":[],"open":[],"seats":[]}'


def test_a_limit_of_requests_is_waited_for_but_never_for_hours() -> None:
    waits: list[float] = []
    later = (429, {"retry-after": "7"}, b"")
    never = (503, {"retry-after": "999999999999"}, b"")
    with hostile(later, never, (200, {}, LOBBY)) as (url, _):
        server = Server(url, "secret", sleep=waits.append)
        Player(server, Account("p", "secret"), "random", random.Random()).lobby()
    assert waits == [7.0, LONGEST_WAIT]


@pytest.mark.parametrize(
    "reply",
    [
        (200, {}, b"{"),
        (200, {}, b"[1,2]"),
        (200, {}, b'{"mine":"\x1b[2J"}'),
        (200, {}, b" " * (MOST_BYTES + 2)),
        (302, {"location": "http://127.0.0.2/v1/lobby"}, b""),
        (401, {}, b""),
        (500, {}, b"Traceback"),
    ],
)
def test_an_answer_that_is_no_lobby_ends_the_command_with_one_line(
    reply: tuple[int, dict[str, str], bytes],
) -> None:
    with hostile(reply) as (url, paths):
        server = Server(url, "secret")
        with pytest.raises(ServerError) as refused:
            Player(server, Account("p", "secret"), "random", random.Random()).lobby()
    assert paths == ["/v1/lobby"]
    assert "secret" not in str(refused.value)
    assert str(refused.value).isprintable()


def test_an_id_of_the_server_stays_one_part_of_a_path() -> None:
    body = b'{"game":"toy","status":"running","seats":{"../../x?y":null},"table":{},"view":"spectator"}'
    with hostile((200, {}, body.replace(b"toy", b"cia_vs_kgb"))) as (url, paths):
        server = Server(url, "secret")
        assert not Player(server, Account("p", "secret"), "random", random.Random()).sit("m/../n")
    assert paths == ["/v1/matches/m%2F..%2Fn", "/v1/matches/m%2F..%2Fn/seats/..%2F..%2Fx%3Fy"]


def test_a_table_that_is_none_of_the_game_is_an_error_in_one_line() -> None:
    question = Question(
        1, "cia", "Ask", (module.Option("a"), module.Option("b")), 1, 1, 1, msgspec.Raw(b"[]")
    )
    then = Seen("cia_vs_kgb", "running", {}, msgspec.Raw(b'{"hands":7}'), "cia")
    player = Player(Server("http://127.0.0.1:1"), Account("p", "t"), "easy", random.Random())
    with pytest.raises(ServerError, match="not understood"):
        player._picks("cia_vs_kgb", question, then, Action())


@pytest.mark.parametrize(
    "url",
    ["", "localhost:8000", "ftp://x", "http://", "http://me:pw@host", "http://host:99999", "http://h?a=1"],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the message is the address itself, or that of urllib
        Server(url)
