"""Private matches: no list, feed, page or socket names them to others; their players see them everywhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from api.cli.main import run
from replay import matchfile
from replay.verify import verify
from tests.api.http.playing import asked
from tests.api.http.served import Answer, Client, Served, served
from tests.api.http.sockets import socket
from tests.api.http.test_branches import ZIP, branch, play_out, sit
from tests.waiting import soon

PAGES = ("/", "/new", "/s", "/s/toy", "/in", "/verify", "/?game=toy", "/s/toy?pool=solo", "/s/toy?pool=bots")


def opened(client: Client, private: object = True, **body: Any) -> Any:
    """A new match of the toy game."""
    answer = client.post("/v1/matches", {"game": "toy", "private": private, **body})
    assert answer.status == 201, answer
    return answer.json


def lists(server: Served, *players: Client) -> list[str]:
    """Every address that reads and names no match, with these players, and each value of each filter."""
    paths = server.documented()["paths"]
    found = [*PAGES, *(f"/p/{player.player}" for player in players)]
    for path, methods in paths.items():
        if "get" not in methods or "{match}" in path:
            continue
        named = (
            [path.replace("{player}", player.player) for player in players] if "{player}" in path else [path]
        )
        for one in named:
            address = one.replace("{game}", "toy")
            found.append(address)
            found += [f"{address}?{query}" for query in queries(methods["get"], players)]
    return found


def queries(operation: Any, players: tuple[Client, ...]) -> list[str]:
    """A query for each value that a filter of a list may have."""
    found = []
    for parameter in operation.get("parameters", ()):
        if parameter["in"] != "query":
            continue
        name, schema = parameter["name"], parameter["schema"]
        values = [value for value in schema.get("enum", ()) if value is not None]
        if name == "player":
            values = [player.player for player in players]
        found += [f"{name}={value}" for value in values]
    return found


def naming(client: Client, match: str, addresses: list[str]) -> list[str]:
    """The addresses at which the client reads the id of a match."""
    found = []
    for address in addresses:
        accept = "text/html" if address in PAGES or address.startswith("/p/") else "application/json"
        if match.encode() in client.get(address, accept=accept).body:
            found.append(address)
    return found


def up_to_date(server: Served, client: Client, match: str, status: str) -> None:
    """Wait until the lists know that a match has this status."""
    soon(lambda: (match, status) in statuses(client))


def statuses(client: Client) -> list[tuple[str, str]]:
    """What the list of matches says to the client."""
    rows = client.get(f"/v1/matches?player={client.player}").json["matches"]
    return [(row["match"], row["status"]) for row in rows]


def test_no_list_names_a_private_match_to_others_at_any_stage(server: Served) -> None:
    """A13.  A public match of the same players shows that these lists name what they may."""
    ann, ben = server.player("Ann"), server.player("Ben")
    spies = [server.client(), server.player("Spy"), server.person("observer"), server.person("organizer")]
    addresses = lists(server, ann, ben)
    assert len(addresses) > 40
    secret, public = opened(ann), opened(ann, private=False)
    assert (secret["private"], "private" in public) == (True, False)
    for match in (secret, public):
        assert ann.post(f"/v1/matches/{match['match']}/seats/left").status == 201
    names = [secret["match"], public["match"]]
    for stage in ("open", "running", "over"):
        if stage == "running":
            for name in names:
                assert ben.post(f"/v1/matches/{name}/seats/right").status == 201
        if stage == "over":
            for name in names:
                play_out(name, [ann, ben])
        for name in names:
            up_to_date(server, ann, name, stage)
        for spy in spies:
            assert naming(spy, names[0], addresses) == [], stage
            seen = naming(spy, names[1], addresses)
            assert {"/", "/v1/lobby", "/v1/matches", f"/v1/players/{ann.player}/matches"} <= set(seen), stage
        own = naming(ann, names[0], addresses)
        assert {"/", "/v1/lobby", "/v1/matches", f"/p/{ann.player}"} <= set(own), stage


def test_a_private_match_counts_on_no_scoreboard(server: Served) -> None:
    ann, ben = server.player("Ann"), server.player("Ben")
    for private in (True, False):
        match = sit(opened(ann, private), [ann, ben])
        play_out(match, [ann, ben])
        up_to_date(server, ann, match, "over")
        board = ann.get("/v1/scoreboards/toy").json
        played = 0 if private else 1
        assert [total["played"] for total in board["totals"]] == [1] * played
        assert [row["played"] for row in board["standings"]] == [1, 1] * played
        history = ann.get(f"/v1/players/{ann.player}/matches").json
        assert [bool(row["rating"]) for row in history["matches"]] == [True, False][1 - played :]
        assert len(history["standings"]) == played


def test_who_has_the_address_watches_a_private_match_as_a_spectator(server: Served) -> None:
    ann, ben, spy = server.player("Ann"), server.player("Ben"), server.player("Spy")
    match = sit(opened(ann), [ann, ben])
    for path in (f"/v1/matches/{match}", f"/m/{match}", f"/embed/{match}", f"/m/{match}/audit"):
        assert spy.get(path).status == 200, path
    told = spy.get(f"/v1/matches/{match}").json
    assert (told["view"], told["private"]) == ("spectator", True)
    spy.get(f"/v1/matches/{match}?view=left").problem(403, "forbidden")
    spy.get(f"/v1/matches/{match}/moves?view=all").problem(403, "forbidden")


def test_a_socket_that_listens_to_the_lobby_hears_of_a_private_match_only_for_its_players(
    server: Served,
) -> None:
    ann, ben, spy = server.player("Ann"), server.player("Ben"), server.player("Spy")
    with socket(server.port) as visitor, socket(server.port) as hers, socket(server.port) as other:
        visitor.done("enter")
        hers.done("enter", token=ann.token)
        other.done("enter", token=spy.token)
        for one in (visitor, hers, other):
            one.done("lobby")
        secret = sit(opened(ann, reserved={"right": {"player": ben.player}}), [ann, ben])
        soon(lambda: ("theirs" in groups(hers, secret)) or ("mine" in groups(hers, secret)))
        public = sit(opened(ann, private=False), [ann, ben])
        for one in (visitor, other):
            soon(hears, one, public)
            assert groups(one, secret) == []


def hears(one: Any, match: str) -> bool:
    """Was a socket told that a match is live?"""
    return "live" in groups(one, match)


def groups(one: Any, match: str) -> list[str]:
    """In which lists a socket was told that a match stands."""
    one.done("lobby")  # a reply takes in what was pushed before it
    return [change["group"] for change in one.lobby if change["match"] == match]


def test_the_player_for_whom_a_seat_is_reserved_sees_the_private_match(server: Served) -> None:
    ann, ben, spy = server.player("Ann"), server.player("Ben"), server.player("Spy")
    match = opened(ann, reserved={"right": {"player": ben.player}})["match"]
    soon(lambda: [row["match"] for row in ben.get("/v1/lobby").json["seats"]] == [match])
    (row,) = ben.get("/v1/lobby").json["seats"]
    assert (row["free"], row["private"]) == (["right"], True)
    assert b"private" in ben.get("/", accept="text/html").body
    for client in (spy, server.client()):
        assert client.get("/v1/lobby").json["seats"] == []
    spy.post(f"/v1/matches/{match}/seats/right").problem(403, "reserved")


def test_a_branch_of_a_private_match_is_private(server: Served) -> None:
    """It names its parent, so a list that shows the branch would show the parent."""
    ann, ben, spy = server.player("Ann"), server.player("Ben"), server.player("Spy")
    parent = sit(opened(ann), [ann, ben])
    play_out(parent, [ann, ben])
    told = branch(ann, parent, 4).json
    assert told["private"] is True
    sit(told, [ann, ben])
    up_to_date(server, ann, told["match"], "running")
    assert [row["match"] for row in ann.get(f"/v1/matches/{parent}/branches").json["matches"]] == [
        told["match"]
    ]
    assert spy.get(f"/v1/matches/{parent}/branches").json["matches"] == []
    assert naming(spy, parent, lists(server, ann, ben)) == []


def test_the_feed_and_the_lists_of_another_player_are_no_way_in(server: Served) -> None:
    ann, ben = server.player("Ann"), server.player("Ben")
    match = sit(opened(ann), [ann, ben])
    up_to_date(server, ann, match, "running")
    paths = {}
    for client in (ann, ben, server.player("Spy")):
        feed = client.post("/v1/notifications/feed", {}).json["feed"]
        paths[client] = feed.removeprefix(f"http://127.0.0.1:{server.port}")
    visitor = server.client()
    asks = asked(match, [ann, ben])
    assert asks
    named = [client for client, path in paths.items() if match.encode() in visitor.get(path).body]
    assert set(named) <= {ann, ben}
    assert named


def test_a_private_match_is_private_for_ever_and_its_file_verifies(server: Served, tmp_path: Path) -> None:
    """It stands in the first move; a log without it keeps its bytes (tests/stored)."""
    ann, ben = server.player("Ann"), server.player("Ben")
    match, public = sit(opened(ann), [ann, ben]), sit(opened(ann, private=False), [ann, ben])
    play_out(match, [ann, ben])
    data = ann.get(f"/v1/matches/{match}/file").body
    assert verify(data).ok
    leaf = matchfile.read(data).leaves[0]
    assert json.loads(leaf)["private"] is True
    assert (
        b"private" not in ann.get(f"/v1/matches/{public}/moves?proof=true").json["moves"][0]["leaf"].encode()
    )
    with served(tmp_path / "other") as other:
        spy = other.player("Spy")
        answer: Answer = spy.send("POST", "/v1/replays", data, ZIP)
        assert (answer.status, answer.json["private"]) == (201, True)
        soon(lambda: other.client().get("/readyz").status == 200)
        assert naming(other.client(), match, lists(other, spy)) == []


@pytest.mark.parametrize("private", [None, 1, "true", [], {}])
def test_private_is_true_or_false(server: Served, private: object) -> None:
    client = server.player()
    client.post("/v1/matches", {"game": "toy", "private": private}).problem(422, "invalid")


def test_a_request_without_private_is_the_one_that_its_key_was_bound_to(server: Served) -> None:
    """An older client repeats its request after an upgrade; with another value it is another request."""
    client, key = server.player(), {"idempotency_key": "k" * 22}
    first = client.post("/v1/matches", {"game": "toy"}, **key)
    assert client.post("/v1/matches", {"game": "toy"}, **key).json == first.json
    client.post("/v1/matches", {"game": "toy", "private": True}, **key).problem(422, "key-reused")


def test_the_tables_of_all_matches_leave_private_ones_out(server: Served, tmp_path: Path) -> None:
    ann, ben = server.player("Ann"), server.player("Ben")
    secret, public = (sit(opened(ann, private), [ann, ben]) for private in (True, False))

    def exported(out: str, *which: str) -> set[str]:
        how = ["--store", str(tmp_path / "store"), "--format", "ndjson", "--out", str(tmp_path / out)]
        assert run(["export", *which, *how]) == 0
        lines = (tmp_path / out / "moves.ndjson").read_text().splitlines()
        return {json.loads(line)["match"] for line in lines}

    assert exported("all", "--all") == {public}
    assert exported("named", secret) == {secret}
