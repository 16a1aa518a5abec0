"""The log on the wire: pages, lines, live streams; the own part with its salt."""

from __future__ import annotations

import base64
import hashlib
import json

import pytest

from domain.log import seal, unb64
from tests.api.http.served import Client, Served
from tests.api.http.streaming import Listener
from tests.api.http.test_commands import bid

FIRST = ["move", "kind", "seat", "ask", "picks", "facts", "at", "root"]


def test_moves_lists_every_stored_event_with_all_its_fields(server: Served) -> None:
    match, players = server.table()
    address = bid(match, players)
    told = server.client().get(f"{address}/moves").json
    assert [move["move"] for move in told["moves"]] == [1, 2, 3, 4, 5]
    assert told["next"] == 5
    assert all(list(move)[:8] == FIRST for move in told["moves"])
    assert [move["kind"] for move in told["moves"]] == ["opened", "seated", "seated", "played", "played"]
    opened, seated, setup, secret, _ = told["moves"]
    assert (opened["seat"], opened["picks"], opened["facts"], opened["game"]) == (None, None, [], "toy")
    assert (seated["seat"], seated["player"]) == ("left", players[0].player)
    assert setup["facts"][1] == {"fact": "Dealt", "seat": "left", "card": "?"}
    assert setup["asked"] == {"ask": "Bid", "seats": {"left": 3, "right": 3}}
    assert (secret["ask"], secret["picks"]) == ("Bid", None)
    assert not {"prev", "sealed", "salt", "leaf", "part"} & {name for move in told["moves"] for name in move}


def test_pages_of_moves_join_without_gap(server: Served) -> None:
    match, players = server.table()
    address = bid(match, players)
    whole = server.client().get(f"{address}/moves").json["moves"]
    paged, after = [], 0
    while moves := (page := server.client().get(f"{address}/moves?after={after}&limit=2").json)["moves"]:
        paged += moves
        after = page["next"]
    assert paged == whole
    assert server.client().get(f"{address}/moves?after=5").json == {"moves": [], "next": 5}
    server.client().get(f"{address}/moves?after=6").problem(404, "unknown-move")
    for query in ("after=-1", "limit=0", "limit=x", "after=1e5", "offset=3"):
        server.client().get(f"{address}/moves?{query}").problem(422, "invalid")


def test_json_lines_hold_the_same_moves_as_json(server: Served) -> None:
    match, players = server.table()
    address = bid(match, players)
    for client in (server.client(), *players):
        page = client.get(f"{address}/moves").json["moves"]
        lines = client.get(f"{address}/moves", accept="application/x-ndjson")
        assert lines.headers["content-type"] == "application/x-ndjson"
        assert [json.loads(line) for line in lines.body.splitlines()] == page
        some = client.get(f"{address}/moves?after=1&limit=2", accept="application/x-ndjson")
        assert some.body.splitlines() == lines.body.splitlines()[1:3]


def _checked(client: Client, address: str, seat: str) -> int:
    """Check the own parts of a seat against the commitments; how many held something."""
    filled = 0
    for move in client.get(f"{address}/moves?proof=true").json["moves"]:
        leaf = json.loads(move["leaf"])
        assert leaf["move"] == move["move"]
        sealed = seal(base64.b64decode(move["salt"]), move["part"].encode())
        assert leaf["sealed"][seat] == base64.b64encode(sealed).decode()
        filled += move["part"] != "{}"
    return filled


def test_player_can_verify_the_own_part_of_the_log_during_the_match(server: Served) -> None:
    match, players = server.table()
    address = bid(match, players)
    assert _checked(players[0], address, "left") == 2
    assert _checked(players[1], address, "right") == 2
    spectator = server.client().get(f"{address}/moves?proof=true").json["moves"]
    assert all("leaf" in move and not {"salt", "part"} & set(move) for move in spectator)
    server.client().get(f"{address}/moves?proof=true&view=left").problem(403, "forbidden")


def test_root_is_the_merkle_root_of_the_leaves(server: Served) -> None:
    match, players = server.table()
    address = bid(match, players)
    moves = server.client().get(f"{address}/moves?proof=true").json["moves"]

    def tree(leaves: list[bytes]) -> bytes:
        if len(leaves) == 1:
            return hashlib.sha256(b"\0" + leaves[0]).digest()
        half = 1 << (len(leaves) - 1).bit_length() - 1
        return hashlib.sha256(b"\1" + tree(leaves[:half]) + tree(leaves[half:])).digest()

    leaves = [move["leaf"].encode() for move in moves]
    for number, move in enumerate(moves, 1):
        assert unb64(move["root"]) == tree(leaves[:number])


def test_seat_salt_for_draws_has_its_own_field(server: Served) -> None:
    ann = server.player()
    match = ann.post("/v1/matches", {"game": "toy"}).json["match"]
    ann.post(f"/v1/matches/{match}/seats/left", {"salt": "abc"})
    seated = ann.get(f"/v1/matches/{match}/moves?after=1&proof=true").json["moves"][0]
    assert seated["chance_salt"] == "abc"
    assert len(unb64(seated["salt"])) == 32


def test_salt_of_an_empty_part_is_sent_with_proof_only(server: Served) -> None:
    ann = server.player()
    match = ann.post("/v1/matches", {"game": "toy"}).json["match"]
    ann.post(f"/v1/matches/{match}/seats/left", {"salt": "abc"})
    assert "salt" not in ann.get(f"/v1/matches/{match}/moves?after=1").json["moves"][0]
    ann.post(f"/v1/matches/{match}/seats/right", {"bot": "random"})
    dealt = ann.get(f"/v1/matches/{match}/moves?after=2").json["moves"][0]
    assert len(unb64(dealt["salt"])) == 32


def test_seat_salt_of_invalid_form_is_refused(server: Served) -> None:
    ann = server.player()
    match = ann.post("/v1/matches", {"game": "toy"}).json["match"]
    for salt in ("a,right=b", "a b", "ä", "", "x" * 65, "abc\n"):
        ann.post(f"/v1/matches/{match}/seats/right", {"salt": salt}).problem(422, "invalid")


def test_everything_is_public_after_the_end(server: Served) -> None:
    match, players = server.table()
    address = bid(match, players)
    players[0].post(f"{address}/resignation")
    told = server.client().get(f"{address}/moves?view=all").json["moves"]
    assert '"?"' not in json.dumps(told)
    assert told[3]["picks"] == ["2"]
    assert [draw["label"] for draw in told[2]["draws"]] == ["deal/r1/left", "deal/r1/right"]
    assert told[-2]["kind"] == "secret_opened"
    own = players[0].get(f"{address}/moves?view=right&proof=true").json["moves"]
    assert own[4]["picks"] == ["1"]


# ── live ──


def test_stream_sends_stored_moves_then_new_ones_and_ends_with_the_match(server: Served) -> None:
    match, players = server.table()
    address = f"/v1/matches/{match}"
    stream = Listener(server.port, f"{address}/moves")
    assert stream.answer.headers["content-type"].startswith("text/event-stream")
    events = stream.events()
    assert [next(events).id for _ in range(3)] == [1, 2, 3]
    bid(match, players)
    assert [next(events).id for _ in range(2)] == [4, 5]
    players[1].post(f"{address}/resignation")
    rest = list(events)
    assert [event.data["kind"] for event in rest] == ["resigned", "secret_opened", "closed"]
    moves = server.client().get(f"{address}/moves?after=5").json["moves"]
    assert [event.data for event in rest] == moves
    stream.close()


@pytest.mark.parametrize("last", [0, 2, 4, 7])
def test_stream_resumes_without_gap_or_repetition(server: Served, last: int) -> None:
    match, players = server.table()
    address = bid(match, players)
    players[0].post(f"{address}/resignation")
    stream = Listener(server.port, f"{address}/moves?after=1", {"last-event-id": str(last)})
    assert [event.id for event in stream.events()] == list(range(last + 1, 9))
    stream.close()


def test_stream_with_nothing_left_to_send_answers_204(server: Served) -> None:
    match, players = server.table()
    players[0].post(f"/v1/matches/{match}/resignation")
    stream = Listener(server.port, f"/v1/matches/{match}/moves", {"last-event-id": "6"})
    assert stream.status == 204
    stream.close()
    for wrong, status in (("7", 404), ("x", 422), ("-1", 422), ("٣", 422)):
        header = {"last-event-id": wrong.encode().decode("latin-1")}
        stream = Listener(server.port, f"/v1/matches/{match}/moves", header)
        assert stream.status == status
        stream.close()


def test_ticket_opens_one_stream_for_one_viewer(server: Served) -> None:
    match, players = server.table()
    other, _ = server.table()
    told = players[0].post("/v1/streams/tickets", {"match": match}).json
    ticket = told["ticket"]
    address = f"/v1/matches/{match}/moves"
    for _ in range(2):  # the browser connects again by itself
        stream = Listener(server.port, f"{address}?ticket={ticket}")
        dealt = stream.take(3)[2].data["facts"][1]
        assert dealt["card"] != "?"
        stream.close()
    assert server.client().get(f"{address}?ticket={ticket}").problem(422, "invalid")
    for wrong in (f"/v1/matches/{other}/moves?ticket={ticket}", f"{address}?ticket=guess"):
        server.client().get(wrong, accept="text/event-stream").problem(401, "unauthorized")
    server.client().post("/v1/streams/tickets", {"match": match}).problem(401, "unauthorized")
    players[0].post("/v1/streams/tickets", {"match": match, "view": "right"}).problem(403, "forbidden")
    players[0].post("/v1/streams/tickets", {"match": "m0"}).problem(404, "unknown-match")
    spectator = players[0].post("/v1/streams/tickets", {"match": match, "view": "spectator"}).json["ticket"]
    stream = Listener(server.port, f"{address}?ticket={spectator}")
    assert stream.take(3)[2].data["facts"][1]["card"] == "?"
    stream.close()


def test_stream_with_the_view_of_another_seat_is_refused(server: Served) -> None:
    match, players = server.table()
    players[0].get(f"/v1/matches/{match}/moves?view=right", accept="text/event-stream").problem(
        403, "forbidden"
    )


def test_slow_stream_reader_delays_no_other_client(server: Served) -> None:
    match, players = server.table()
    address = bid(match, players)
    idle = [Listener(server.port, f"{address}/moves?proof=true") for _ in range(5)]
    for _ in range(5):
        question = players[0].get(f"{address}/prompt").json
        body = {"expect": question["move"], "answers": [["wave"]] * 200}
        assert players[0].post(f"{address}/moves", body).status == 201
    players[0].post(f"{address}/resignation")
    stream = Listener(server.port, f"{address}/moves")
    assert [event.id for event in stream.events()] == list(range(1, 1009))
    for slow in [stream, *idle]:
        slow.close()
