"""`glasnost tournament --url`: the same commands by a real server, and what a hostile one gets."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from api.cli.tournament_remote import ServerBackend, _Looked
from api.http import app_state
from api.mail import worker
from domain.clocks import SECOND
from replay.tournaments import pairing
from tests.api.bots.test_client import hostile
from tests.api.http.served import Served, served
from tests.cli.program import Done, Program
from tests.cli.test_tournament import check_change, check_held_round, check_import
from tests.mail.test_notifications import mailing


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app_state, "pair_twice", pairing.pair)
        with served(tmp_path_factory.mktemp("remote")) as running:
            yield running


@pytest.fixture
def at(glasnost: Program, server: Served) -> tuple[str, ...]:
    """The options that name the server and a director."""
    Path("my.token").write_text(f"{server.person('organizer').token}\n")
    return ("--url", f"http://127.0.0.1:{server.port}", "--token-file", "my.token")


def announced(glasnost: Program, at: tuple[str, ...]) -> str:
    """The id of a new tournament, with four entrants."""
    terms = glasnost("tournament", "terms", "swiss").ok().out
    Path("terms.toml").write_text(terms.replace("rounds = 7", "rounds = 1"))
    name = str(glasnost("tournament", "new", *at, "terms.toml", "--json").json["tournament"])
    Path("list.csv").write_text("name,rating\nAnn,1900\nBen,1800\nCleo,1700\nDan,1600\n")
    made = glasnost("tournament", "enter", *at, name, "list.csv", "--json").json
    assert [one["name"] for one in made["invitations"]] == ["Ann", "Ben", "Cleo", "Dan"]
    assert made["kinds"] == ["invited"] * 4
    return name


def test_a_round_is_paired_published_ruled_and_closed_by_a_server(
    glasnost: Program, at: tuple[str, ...]
) -> None:
    name = announced(glasnost, at)
    assert glasnost("tournament", "pair", *at, name).ok().out.endswith("paired\n")
    assert "published" in glasnost("tournament", "publish", *at, name).ok().out
    rule = ("tournament", "rule", *at, name, "1", "1")
    assert glasnost(*rule, "1-0", "--text", "as reported", "--reported").ok().out.endswith("ruled\n")
    log = glasnost("tournament", "export", *at, name, "--format", "ndjson").ok().out
    assert log.splitlines()[-1].count('"reported":true') == 1
    closing = ("tournament", "close", *at, name)
    glasnost(*closing).refused(2, "round 1", "2")
    assert glasnost(*closing, "--forfeit", "2", "+-").ok().out.endswith("round_closed\n")
    again = (*rule, "0-1", "--text", "set up wrongly")
    seen = glasnost(*again, "--preview").json
    glasnost(*again).refused(2)
    assert glasnost(*again, "--seen", seen["sha256"]).ok().out.endswith("ruled\n")
    out = glasnost("tournament", "standings", *at, name, "--explain", "n1").ok().out
    assert "Ann" in out
    early = glasnost("tournament", "standings", *at, name, "--at", "6", "--json").json
    assert (early["entry"], early["explained"]) == (6, None)
    assert "sentence" in glasnost("tournament", "report", *at, name, "--json").json
    glasnost("tournament", "advance", *at, name).refused(2)
    glasnost("tournament", "freeze", *at, name, "mnone", "--reason", "a doubt").refused(2)
    final = glasnost("tournament", "publish", *at, name, "--final", "--json").json
    assert final["kinds"] == ["published"]
    glasnost("tournament", "export", *at, name, "--format", "csv", "--out", "cup.csv").ok()
    assert "Ann" in Path("cup.csv").read_text()


def test_several_terms_change_with_one_command_by_a_server(glasnost: Program, at: tuple[str, ...]) -> None:
    check_change(glasnost, at, announced(glasnost, at))


def test_a_command_on_an_older_entry_is_stale_and_stores_nothing(
    glasnost: Program, at: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = announced(glasnost, at)
    before = glasnost("tournament", "standings", *at, name, "--json").json["entry"]
    monkeypatch.setattr(ServerBackend, "_look", lambda self, tournament: _Looked("t", before - 1, (), {}))
    glasnost("tournament", "pair", *at, name).refused(2, "nothing was stored")
    assert glasnost("tournament", "standings", *at, name, "--json").json["entry"] == before


def test_who_names_what_they_have_seen_is_refused_if_the_tournament_went_on(
    glasnost: Program, at: tuple[str, ...]
) -> None:
    name = announced(glasnost, at)
    seen = glasnost("tournament", "standings", *at, name, "--json").json["entry"]
    for wrong in (seen - 1, seen + 1):
        pairing = ("tournament", "pair", *at, name, "--expect", str(wrong))
        glasnost(*pairing).refused(2, f"is {seen}", f"seen {wrong}", "nothing was stored")
    assert glasnost("tournament", "standings", *at, name, "--json").json["entry"] == seen
    glasnost("tournament", "pair", *at, name, "--expect", str(seen)).ok()
    glasnost("tournament", "publish", *at, name, "--expect", str(seen)).refused(2, f"seen {seen}")
    again = glasnost("tournament", "pair", *at, name, "--expect", str(seen))
    again.refused(2, "round 1 was paired meanwhile", "that pairing: 1. n", ", 2. n")


def expecting_latest(glasnost: Program, server: Served, name: str, command: tuple[str, ...]) -> Done:
    """Carry out a command that has seen the latest entry, after it was refused with the one before.

    The server adds entries of its own meanwhile, so the latest may be another one a moment later.
    """
    while True:
        latest = server.client().get(f"/v1/tournaments/{name}").json["entry"]
        glasnost(*command, "--expect", str(latest - 1)).refused(2, f"seen {latest - 1}")
        done = glasnost(*command, "--expect", str(latest))
        if "another official was faster" not in done.err:
            return done


def playing(glasnost: Program, at: tuple[str, ...], server: Served) -> tuple[str, str]:
    """The id of a new tournament whose one board is played, and its match."""
    terms = glasnost("tournament", "terms", "swiss").ok().out
    own = {
        "rounds = 7": "rounds = 1",
        'time_zone = "UTC"': 'time_zone = "Asia/Tokyo"',
        "clock = []": 'clock = [{mode = "bank", main = 86400}]',
    }
    for usual, changed in own.items():
        assert usual in terms
        terms = terms.replace(usual, changed)
    Path("terms.toml").write_text(terms)
    name = str(glasnost("tournament", "new", *at, "terms.toml", "--json").json["tournament"])
    players = [server.person("player") for _ in range(2)]
    Path("list.csv").write_text(f"name,player\nAnn,{players[0].player}\nBen,{players[1].player}\n")
    for command in (("enter", *at, name, "list.csv"), ("pair", *at, name), ("publish", *at, name)):
        glasnost("tournament", *command).ok()
    board = server.client().get(f"/v1/tournaments/{name}/rounds/1/boards/1").json
    rows = server.client().get(f"/v1/tournaments/{name}/entrants").json["entrants"]
    for side in ("w", "b"):
        player = next(row["player"] for row in rows if row["entrant"] == board[side]["entrant"])
        sits = next(one for one in players if one.player == player)
        seat = f"/v1/matches/{board['match']}/seats/{board[side]['seat']}"
        assert sits.post(seat, {"salt": "a-salt-of-this-test"}).status == 201
    return name, str(board["match"])


def test_a_call_holds_a_round_unless_the_command_says_why_by_a_server(
    glasnost: Program, at: tuple[str, ...], server: Served
) -> None:
    Path("terms.toml").write_text(glasnost("tournament", "terms", "round_robin").ok().out)
    name = str(glasnost("tournament", "new", *at, "terms.toml", "--json").json["tournament"])
    players = [server.person("player") for _ in range(2)]
    Path("list.csv").write_text(f"name,player\nAnn,{players[0].player}\nBen,{players[1].player}\n")
    for command in (("enter", *at, name, "list.csv"), ("pair", *at, name)):
        glasnost("tournament", *command).ok()
    call = {"text": "my clock is wrong"}
    assert players[0].post(f"/v1/tournaments/{name}/calls", call).status == 201
    check_held_round(glasnost, at, name)


def test_a_match_is_taken_back_and_made_void_by_a_server(
    glasnost: Program, at: tuple[str, ...], server: Served
) -> None:
    name, match = playing(glasnost, at, server)
    rule = ("tournament", "rule", *at, name, "1", "1", "--text", "a wrong die", "--json")

    def moves() -> list[dict[str, object]]:
        return list(server.client().get(f"/v1/matches/{match}/moves").json["moves"])

    def latest() -> dict[str, object]:
        return dict(server.client().get(f"/v1/tournaments/{name}/log?limit=200").json["entries"][-1])

    back = len(moves())  # the table of the first question
    for more in ((), ("--release",)):
        freeze = ("tournament", "freeze", *at, name, match, "--reason", "a doubt", "--json", *more)
        expecting_latest(glasnost, server, name, freeze)
    before, both = len(moves()), ("--score", "us", "1", "--void")
    for odd in ((), ("1-0", "--void"), ("--last", "3"), ("--winner", "nobody"), both):
        glasnost(*rule, *odd).refused(2)
    glasnost(*rule, "--back-to", str(back), "--last", "1").refused(2)
    assert glasnost(*rule, "--back-to", str(back), "--preview").json["match_move"] == before + 1
    assert len(moves()) == before
    taken = ("--back-to", str(back), "--last", str(before))
    assert expecting_latest(glasnost, server, name, (*rule, *taken)).json["kinds"] == ["ruled"]
    assert [move["kind"] for move in moves()[before:]] == ["ruled", "taken_back"]
    found = {key: latest()[key] for key in ("match", "move", "back_to")}
    assert found == {"match": match, "move": before + 1, "back_to": back}
    assert expecting_latest(glasnost, server, name, (*rule, "--void")).json["kinds"] == ["ruled"]
    assert moves()[-1]["kind"] == "closed"
    glasnost(*rule, "--winner", "none").refused(2, "over")


def test_a_match_is_frozen_and_released_by_a_server(
    glasnost: Program, at: tuple[str, ...], server: Served
) -> None:
    name, match = playing(glasnost, at, server)
    freeze = ("tournament", "freeze", *at, name, match, "--json")
    for options, kinds in (((), ["frozen"]), (("--release",), ["released"])):
        doubt = (*freeze, "--reason", "a doubt", *options)
        assert expecting_latest(glasnost, server, name, doubt).json["kinds"] == kinds
        moves = server.client().get(f"/v1/matches/{match}/moves").json["moves"]
        assert moves[-1]["kind"] == kinds[0]


def test_boards_are_extended_adjourned_paused_and_go_on_by_a_server(
    glasnost: Program, at: tuple[str, ...], server: Served
) -> None:
    name, match = playing(glasnost, at, server)
    local = (datetime.now(ZoneInfo("Asia/Tokyo")) + timedelta(days=30)).replace(second=0, microsecond=0)
    until = ("--until", local.strftime("%Y-%m-%dT%H:%M"))
    board = ("1", "--board", "1", "--reason", "a storm", "--json")
    moment = round(local.timestamp() * SECOND)
    for options, kind, stored in (
        (("extend", *at, name, *board, *until), "extended", [[1], moment]),
        (("adjourn", *at, name, *board, *until), "adjourned", [[1], moment]),
        (("resume", *at, name, *board), "resumed", [[1], None]),
        (("pause", *at, name, "1", "--reason", "a storm", "--json"), "paused", [None, None]),
    ):
        done = expecting_latest(glasnost, server, name, ("tournament", *options)).json
        assert done["kinds"] == [kind]
        page = server.client().get(f"/v1/tournaments/{name}/log?after={done['entry'] - 1}&limit=1").json
        (entry,) = page["entries"]
        found = [entry.get(field) for field in ("kind", "reason", "boards", "until")]
        assert found == [kind, "a storm", *stored]
    glasnost("tournament", "pause", *at, name, "2", "--reason", "x").refused(2, "round 2")
    kinds = [one["kind"] for one in server.client().get(f"/v1/matches/{match}/moves").json["moves"]]
    assert kinds[-3:] == ["clock_paused", "clock_resumed", "clock_paused"]


def test_a_league_moves_up_and_down_and_its_file_verifies(
    glasnost: Program, at: tuple[str, ...], server: Served
) -> None:
    terms = glasnost("tournament", "terms", "league").ok().out
    small = terms.replace("[8, 8], up = 2, down = 2", "[2, 2], up = 1, down = 1")
    Path("terms.toml").write_text(small.replace("rounds = 14", "rounds = 1"))
    name = str(glasnost("tournament", "new", *at, "terms.toml", "--json").json["tournament"])
    Path("list.csv").write_text("name,seed\nAnn,1\nBen,2\nCleo,3\nDan,4\n")
    glasnost("tournament", "enter", *at, name, "list.csv").ok()
    for command in ("pair", "publish"):
        glasnost("tournament", command, *at, name).ok()
    glasnost("tournament", "close", *at, name, "--forfeit", "1", "+-", "--forfeit", "2", "+-").ok()
    advance = ("tournament", "advance", *at, name, "--json")
    moved = expecting_latest(glasnost, server, name, advance).json["kinds"]
    assert sorted(moved) == ["promoted", "relegated"]
    glasnost("tournament", "publish", *at, name, "--final").ok()
    export = ("tournament", "export", *at, name, "--out", "cup.glasnost-tournament")
    glasnost(*export).ok()
    Path("keys.txt").write_text(server.client().get("/v1/keys").json["present"] + "\n")
    verify = ("tournament", "verify", "cup.glasnost-tournament", "--trust", "keys.txt", "--processes", "1")
    report = glasnost(*verify, "--json").json
    assert (report["ok"], report["tournament"], report["rounds"]) == (True, name, 1)
    first = Path("cup.glasnost-tournament").read_bytes()
    glasnost(*export).ok()
    assert Path("cup.glasnost-tournament").read_bytes() == first


def test_a_list_of_both_kinds_enters_nobody(glasnost: Program, at: tuple[str, ...], server: Served) -> None:
    name = announced(glasnost, at)
    player = server.player().player
    Path("both.csv").write_text(f"name,player\nEve,\nFay,{player}\n")
    glasnost("tournament", "enter", *at, name, "both.csv").refused(2, "divide the list")
    Path("own.csv").write_text(f"name,player\nFay,{player}\n")
    assert glasnost("tournament", "enter", *at, name, "own.csv", "--json").json["kinds"] == ["entered"]


def test_a_list_with_addresses_sends_codes_and_prints_the_others(
    glasnost: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "IDLE", 0.02)  # seconds until it looks at the outbox unasked
    with mailing(tmp_path / "store") as (server, post):
        Path("my.token").write_text(f"{server.person('organizer').token}\n")
        at = ("--url", f"http://127.0.0.1:{server.port}", "--token-file", "my.token")
        Path("terms.toml").write_text(glasnost("tournament", "terms", "swiss").ok().out)
        name = str(glasnost("tournament", "new", *at, "terms.toml", "--json").json["tournament"])
        enter = ("tournament", "enter", *at, name)
        for wrong in ("nobody", "a@b.org\u200b", "<a@b.org>"):
            Path("list.csv").write_text(f"name,mail\nAnn,ann@example.org\nBen,{wrong}\n")
            glasnost(*enter, "list.csv").refused(2, "line 3", "mail")
        Path("list.csv").write_text("name,mail\nAnn,ann@example.org\nBen,\n")
        _, ann, ben = glasnost(*enter, "list.csv").ok().out.splitlines()
        assert ann == "Ann\tthe code is sent by mail"
        assert len(ben.removeprefix("Ben\t")) > 20
        post.arrives(1)
        assert [message["To"] for message in post.messages] == ["ann@example.org"]
        log = server.client().get(f"/v1/tournaments/{name}/log").body
        assert b"example.org" not in log


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "name a store"),
        (("--token-file", "good"), "--url"),
        (("--url", "http://127.0.0.1:9", "--store", "s"), "not both"),
        (("--url", "http://127.0.0.1:9", "--as", "p"), "token says who acts"),
        (("--url", "ftp://x"), "no address of a server"),
        (("--url", "http://127.0.0.1:9"), "no server answers"),
        (("--url", "http://127.0.0.1:9", "--token-file", "bad"), "holds no token"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(glasnost: Program, options: tuple[str, ...], words: str) -> None:
    Path("good").write_text("abc\n")
    Path("bad").write_text("abc\r\nx-admin: yes\n")
    told = glasnost("tournament", "pair", *options, "t1").refused(2, words)
    assert "x-admin" not in told.err


@pytest.mark.parametrize("command", [("room", "t1", "m1"), ("bids", "t1"), ("simulate",)])
def test_what_needs_a_store_says_so(glasnost: Program, command: tuple[str, ...]) -> None:
    glasnost("tournament", *command, "--url", "http://127.0.0.1:9").refused(2, "on a store only")


@pytest.mark.parametrize(
    "reply",
    [
        (200, {}, b"{"),
        (200, {}, b"[" * 100_000),
        (200, {}, b'{"more":' + b"[" * 100_000),
        (200, {}, b'{"title":7}'),
        (302, {"location": "http://127.0.0.2/"}, b""),
        (409, {}, b'{"type":"/problems/late","detail":"\\u001b[2J\\nno"}'),
        (500, {}, b"Traceback"),
    ],
)
def test_a_hostile_answer_is_one_printable_line_without_the_token(
    glasnost: Program, reply: tuple[int, dict[str, str], bytes]
) -> None:
    Path("my.token").write_text("secret-token")
    with hostile(reply) as (url, paths):
        told = glasnost("tournament", "pair", "--url", url, "--token-file", "my.token", "../x").refused(2)
    assert paths == ["/v1/tournaments/..%2Fx"]
    assert told.err.rstrip("\n").isprintable()
    assert "secret" not in told.err


def test_a_running_tournament_is_imported_by_a_server(glasnost: Program, at: tuple[str, ...]) -> None:
    check_import(glasnost, at)
