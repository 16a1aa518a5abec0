"""Disputes over HTTP: privileged reads come after their entry, and nothing hidden is read in another way."""

from __future__ import annotations

import base64
import hashlib
import json
from html import unescape
from urllib.parse import urlencode

import pytest

from api.store.interface import StoreError
from domain.events import FactEntry
from domain.tournaments.arbiters import MOST_CALLS
from tests.api.http.served import Answer, Client, Served
from tests.api.http.test_tournaments import Desk
from tests.domain.toy import Dealt
from tests.web.tournament_hall import form

SHOWN = ('"card":"{}"', '":["{}"]')  # in a fact, and alone in a hand; a pile lists all that may be in it
SECRET_TEXT = "they-looked-at-my-hand"


class Room:
    """A running match of a tournament of two, its players, and a player who is not in it."""

    def __init__(self, server: Served) -> None:
        self.desk = Desk(server, 2, rounds=1)
        assert self.desk.do(do="draw_lot", label="lot/colour", n=2).status == 201
        self.desk.paired()
        board = self.desk.director.get(f"{self.desk.path}/rounds/1/boards/1").json
        self.match, self.server = board["match"], server
        rows = self.desk.director.get(f"{self.desk.path}/entrants").json["entrants"]
        people = {one.player: one for one in self.desk.players}
        clients = {row["entrant"]: people[row["player"]] for row in rows}
        self.seats = {board[side]["seat"]: clients[board[side]["entrant"]] for side in ("w", "b")}
        for seat, client in self.seats.items():
            assert client.post(f"/v1/matches/{self.match}/seats/{seat}", {}).status == 201
        self.stranger = server.person("player")

    def read(self, **more: object) -> Answer:
        """A privileged read of the director."""
        asked = {"expect": self.desk.entry, "why": "a dispute about the dice", **more}
        return self.desk.director.post(f"{self.desk.path}/privileged-reads", asked)

    def hidden(self) -> list[str]:
        """What the log of the match says of the cards in the private parts, as bytes hold it."""
        assert self.server.services is not None
        match = self.server.services.gate.at_hand_match(self.match)
        assert match is not None
        dealt = [record for record in match.records if isinstance(record.entry, FactEntry)]
        cards = {fact.card for one in dealt for fact in one.facts if isinstance(fact, Dealt) and fact.card}
        return sorted(cards)


def test_a_match_is_ruled_on_by_its_board_and_its_own_door_names_that_one(server: Served) -> None:
    room = Room(server)
    match, board = f"/v1/matches/{room.match}", f"{room.desk.path}/rounds/1/boards/1/rulings"
    last, entry = room.desk.director.get(match).json["move"], room.desk.entry
    for ruled in ({"back_to": 3}, {"void": True}, {"result": {"winner": None}}):
        answer = room.desk.director.post(f"{match}/rulings", {"reason": "a die", **ruled})
        assert (answer.status, answer.json["type"]) == (422, "/problems/ruling")
        assert board in answer.json["detail"]
        assert room.stranger.post(f"{match}/rulings", {"reason": "a die", **ruled}).status == 403
    seat = next(iter(room.seats))
    asked = {"expect": entry, "reason": "rule_error", "text": "a wrong die"}
    for on_match, status in (
        ({}, 422),
        ({"void": True, "back_to": 3}, 422),
        ({"void": "yes"}, 422),
        ({"back_to": 0}, 422),
        ({"back_to": 2**80}, 422),
        ({"undo": 3}, 422),
        ({"result": {"winner": "x" * 65}}, 422),
        ({"result": {"winner": seat, "score": {str(number): 1 for number in range(1_000)}}}, 422),
        ({"void": True, "expect": last - 1}, 409),
    ):
        assert room.desk.director.post(board, asked | {"match": on_match}).status == status, on_match
    both = asked | {"match": {"void": True}, "result": "1-0"}
    assert room.desk.director.post(board, both).status == 422
    for client in (*room.seats.values(), room.stranger):
        assert client.post(board, asked | {"match": {"void": True}}).status == 403
    assert (room.desk.director.get(match).json["move"], room.desk.entry) == (last, entry)
    ends = asked | {"match": {"result": {"winner": seat, "score": {seat: 7}}, "expect": last}}
    done = room.desk.director.post(board, ends)
    assert done.status == 201
    (ruled,) = done.json["facts"]
    assert (ruled["match"], ruled["move"]) == (room.match, last + 1)
    assert ruled["result"] in ("1-0", "0-1")
    assert room.desk.director.get(match).json["result"]["score"] == {seat: 7}
    again = asked | {"match": {"back_to": 3}, "expect": room.desk.entry}
    answer = room.desk.director.post(board, again)
    assert (answer.status, answer.json["type"]) in ((409, "/problems/over"), (409, "/problems/stale"))


def test_a_privileged_read_is_an_entry_before_a_byte_is_sent(server: Served) -> None:
    """OA23."""
    room = Room(server)
    before = room.desk.entry
    told = room.read(match=room.match, first=1, last=3)
    assert told.status == 201, told
    entries = room.desk.director.get(f"{room.desk.path}/log", accept="application/x-ndjson").body
    last = json.loads(entries.splitlines()[-1])
    assert (last["kind"], last["entry"], last["why"]) == (
        "privileged_read",
        before + 1,
        "a dispute about the dice",
    )
    assert told.json["entry"] == before + 1
    cards = room.hidden()
    assert cards
    assert all(card.encode() in told.body for card in cards)
    listed = room.stranger.get(f"{room.desk.path}/privileged-reads").json["reads"]
    assert [one["entry"] for one in listed] == [before + 1]


def test_with_a_full_disk_nothing_hidden_is_shown(server: Served) -> None:
    """OA23: the entry cannot be written, so the read is refused."""
    room = Room(server)
    cards, entry, services = room.hidden(), room.desk.entry, server.services
    assert services is not None
    commits = services.tournaments.commands._commits
    durable = commits.durable

    async def full(append: object) -> int:
        raise StoreError("no space left on device")

    commits.durable = full  # type: ignore[method-assign]
    try:
        told = room.read(match=room.match, first=1, last=3)
    finally:
        commits.durable = durable  # type: ignore[method-assign]
    assert told.status == 503, told
    assert not [card for card in cards if card.encode() in told.body]
    assert room.desk.entry == entry


def test_who_may_not_read_what_is_hidden_is_refused_and_leaves_no_entry(server: Served) -> None:
    room = Room(server)
    entry, path = room.desk.entry, f"{room.desk.path}/privileged-reads"
    asked = {"expect": entry, "why": "curious", "match": room.match, "first": 1, "last": 2}
    player = next(iter(room.seats.values()))
    for client in (player, room.stranger):
        client.post(path, asked).problem(403, "forbidden")
    room.read(match="mabcdefghij234567", first=1, last=2).problem(404, "not-found")
    room.read(match=room.match, first=1, last=99).problem(404, "unknown-move")
    room.read(match=room.match, first=2, last=1).problem(422, "invalid")
    room.read(match=room.match, first=1, last=2, view="middle").problem(404, "unknown-seat")
    room.read(match=room.match, sealed_entry=1, first=1, last=2).problem(422, "invalid")
    room.read(sealed_entry=1).problem(404, "not-found")
    room.desk.director.post(path, {**asked, "why": ""}).problem(422, "invalid")
    assert room.desk.entry == entry
    assert room.desk.do(do="appoint", person=player.player, office="arbiter").status == 201
    player.post(path, {**asked, "expect": room.desk.entry}).problem(403, "interest")


def test_no_other_path_yields_a_hidden_card(server: Served) -> None:
    """OA23: the bytes of every route about the match and its tournament, as official, player and stranger."""
    room = Room(server)
    hidden = room.hidden()
    names = {"match": room.match, "tournament": room.desk.id, "round_number": 1, "board": 1, "move": 3}
    wanted = [
        path
        for path, methods in server.documented()["paths"].items()
        if "get" in methods and ("{match}" in path or "{tournament}" in path)
    ]
    paths = [
        path.format(**names | {"seat": "left", "file": "0" * 64}) for path in wanted if "events" not in path
    ]
    assert len(paths) >= 20
    paths += [f"/v1/matches/{room.match}/moves?view={view}" for view in ("all", "left", "right", "spectator")]
    hands = {seat: _hand(room, seat) for seat in room.seats}
    assert sorted(card for hand in hands.values() for card in hand) == hidden
    for seat, client in [*room.seats.items(), ("", room.desk.director), ("", room.stranger)]:
        others = [card for card in hidden if card not in hands.get(seat, ())]
        for path in paths:
            told = client.get(path)
            assert told.status != 429, path
            signs = [sign.format(card) for card in others for sign in SHOWN]
            told_of = [sign for sign in signs if sign.encode() in told.body]
            assert not told_of, (seat, path)


def _hand(room: Room, seat: str) -> list[str]:
    told = room.seats[seat].get(f"/v1/matches/{room.match}/moves")
    assert told.status == 200, told
    body = told.body
    return [card for card in room.hidden() if f'"card":"{card}"'.encode() in body]


def test_the_text_of_a_call_is_in_no_byte_for_others_until_publication(server: Served) -> None:
    """OA24."""
    room = Room(server)
    desk, caller = room.desk, next(iter(room.seats.values()))
    made = caller.post(f"{desk.path}/calls", {"text": SECRET_TEXT, "round": 1, "board": 1})
    assert made.status == 201, made
    entry = made.json["entry"]
    parts: tuple[str, ...] = (
        "",
        "/log",
        "/sealed",
        "/disputes",
        f"/disputes/{room.match}",
        "/rounds/1",
        "/rounds/1/boards/1",
    )
    parts += ("/privileged-reads", "/entrants", "/standings", "/crosstable", "/checkpoint")
    for client in (desk.director, room.stranger, list(room.seats.values())[1], server.client()):
        for part in parts:
            assert SECRET_TEXT.encode() not in client.get(desk.path + part).body, part
    assert SECRET_TEXT in caller.get(f"{desk.path}/sealed").json["parts"][0]["part"]
    assert room.read(sealed_entry=entry).json["text"] == SECRET_TEXT
    assert desk.post(f"calls/{entry}/answer", text="seen").status == 201
    losing = next(iter(room.seats.values()))
    assert losing.post(f"/v1/matches/{room.match}/resignation", {}).status == 201
    desk.follow()
    assert desk.post("rounds/1/boards/1/rulings", result="0-1", reason="agreed", text="x").status == 201
    assert desk.post("rounds/1/close").status == 201
    services = server.services
    assert services is not None
    secret = services.store.secret(desk.id)
    assert secret is not None
    assert SECRET_TEXT.encode() not in room.stranger.get(f"{desk.path}/sealed").body
    assert desk.post("publication", final=True).status == 201
    told = room.stranger.get(f"{desk.path}/sealed").json["parts"]
    opened = [one for one in told if one["entry"] == entry and SECRET_TEXT in one["part"]]
    assert opened
    lines = desk.director.get(f"{desk.path}/log", accept="application/x-ndjson").body.splitlines()
    leaf = json.loads(lines[entry - 1])
    for one in opened:
        sealed = hashlib.sha256(b"\x02" + base64.b64decode(one["salt"]) + one["part"].encode()).digest()
        assert leaf["sealed"][one["audience"]] == base64.b64encode(sealed).decode()


def test_the_note_of_a_ruling_is_read_by_officials_alone_and_with_an_entry(server: Served) -> None:
    room = Room(server)
    desk = room.desk
    plain = {"result": "0-1", "reason": "agreed", "text": "x"}
    made = desk.post("rounds/1/boards/1/rulings", **plain, note=SECRET_TEXT)
    assert made.status == 201, made
    entry = made.json["entry"]
    desk.follow()
    before = desk.entry
    for client in (desk.director, *room.seats.values(), room.stranger):
        for part in ("/log", "/sealed", "/rounds/1/boards/1", f"/disputes/{room.match}"):
            assert SECRET_TEXT.encode() not in client.get(desk.path + part).body, part
    told = room.read(sealed_entry=entry).json
    assert (told["text"], told["entry"]) == (SECRET_TEXT, before + 1)
    path, asked = f"{desk.path}/privileged-reads", {"why": "curious", "sealed_entry": entry}
    room.stranger.post(path, {**asked, "expect": desk.entry}).problem(403, "forbidden")
    player = next(iter(room.seats.values()))
    assert desk.do(do="appoint", person=player.player, office="arbiter").status == 201
    player.post(path, {**asked, "expect": desk.entry}).problem(403, "interest")
    again = desk.post("rounds/1/boards/1/rulings", **plain)
    assert room.read(sealed_entry=again.json["entry"]).json["text"] == ""


def test_the_room_shows_the_evidence_and_how_a_kept_root_stands(server: Served) -> None:
    room = Room(server)
    desk, path = room.desk, f"{room.desk.path}/disputes/{room.match}"
    assert desk.director.get(f"{desk.path}/disputes").json["disputes"] == []
    frozen = desk.post("freezes", do="freeze", match=room.match, reason="a doubt")
    assert frozen.status == 201, frozen
    [dispute] = desk.director.get(f"{desk.path}/disputes").json["disputes"]
    assert (dispute["why"], dispute["match"]) == (["frozen"], room.match)
    room.stranger.get(path).problem(403, "forbidden")
    told = desk.director.get(path)
    assert told.status == 200, told
    assert list(told.json["views"]) == ["spectator"]
    assert len(told.json["moves"]) == told.json["move"]
    assert told.json["deeds"][-1]["kind"] == "frozen"
    moves = told.json["views"]["spectator"]
    kept = {move["move"]: move["root"].replace("+", "%2B") for move in moves}
    last = told.json["move"]
    asked = {"equal": (last, kept[last]), "behind": (2, kept[2]), "forked": (2, kept[3])}
    for stands, (at, root) in asked.items():
        assert desk.director.get(f"{path}?at={at}&root={root}").json["held"] == stands
    assert desk.post("freezes", do="release", match=room.match, reason="settled").status == 201
    client = room.seats["left"]
    assert client.post(f"/v1/matches/{room.match}/resignation", {}).status == 201
    after = desk.director.get(path).json
    assert list(after["views"]) == ["spectator", "left", "right"]
    room.read(match=room.match, first=1, last=2).problem(409, "late")


def test_the_integrity_table_has_lights_evidence_and_its_sentence(server: Served) -> None:
    room = Room(server)
    desk, path = room.desk, f"{room.desk.path}/integrity"
    room.stranger.get(path).problem(403, "forbidden")
    [running] = desk.director.get(path).json["boards"]
    assert set(running["lights"].values()) == {"running", "none"}
    assert room.seats["left"].post(f"/v1/matches/{room.match}/resignation", {}).status == 201
    desk.follow()
    told = desk.director.get(path).json
    assert told["sentence"] == "Statistics are a reason to look, never a proof."
    [board] = told["boards"]
    assert board["lights"] == dict.fromkeys(["log", "chance", "fold", "rules"], "ok") | {
        "salts": "none",
        "clocks": "none",
    }
    assert desk.director.get(board["evidence"]).json["match"] == room.match
    assert [one["matches"] for one in told["players"]] == [1, 1]
    lines = desk.director.get(path, accept="text/csv").body.decode().splitlines()
    assert lines[0].strip('"') == told["sentence"]
    assert lines[2].split(",")[2:7] == [room.match, *["ok"] * 4]


def test_only_officials_of_the_tournament_freeze_its_matches_and_set_their_clocks(server: Served) -> None:
    room = Room(server)
    other, match = server.person("organizer"), f"/v1/matches/{room.match}"
    freezing = {"frozen": True, "reason": "a doubt"}
    other.post(f"{match}/freeze", freezing).problem(403, "forbidden")
    other.post(f"{match}/clock", {"paused": True, "why": "lunch"}).problem(403, "forbidden")
    assert room.desk.director.post(f"{match}/freeze", freezing).status == 201
    ruling = {"reason": "because", "void": True}
    other.post(f"{match}/rulings", ruling).problem(403, "forbidden")
    told = room.desk.director.post(f"{match}/rulings", ruling).problem(422, "ruling")
    assert f"{room.desk.path}/rounds/1/boards/1/rulings" in told["detail"]


def test_a_match_that_is_over_is_read_once_for_the_integrity_table(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = Room(server)
    desk, path = room.desk, f"{room.desk.path}/integrity"
    assert room.seats["left"].post(f"/v1/matches/{room.match}/resignation", {}).status == 201
    desk.follow()
    before = desk.director.get(path).json

    async def unread(name: str) -> None:
        raise AssertionError(f"{name} is read again")

    monkeypatch.setattr(server.gate, "match", unread)
    assert desk.director.get(path).json == before


# ── roots that players kept ──


def roots_of(room: Room) -> list[str]:
    """The roots of the match, in base64."""
    assert room.server.services is not None
    match = room.server.services.gate.at_hand_match(room.match)
    assert match is not None
    return [base64.b64encode(root).decode() for root in match.roots]


def call_with(room: Room, client: Client, move: object, root: object, **more: object) -> Answer:
    """A call that gives a root."""
    body = {"text": "look at the log", "round": 1, "board": 1, "held_move": move, "held_root": root}
    return client.post(f"{room.desk.path}/calls", {**body, **more})


def test_players_give_the_roots_that_they_kept_and_officials_see_how_they_stand(server: Served) -> None:
    room = Room(server)
    ann, ben = room.seats.values()
    roots = roots_of(room)
    other = base64.b64encode(bytes(32)).decode()
    for client, move, root in (
        (ann, 2, roots[1]),
        (ann, len(roots), roots[-1]),
        (ben, 2, other),
        (ben, len(roots) + 7, other),
    ):
        assert call_with(room, client, move, root).status == 201
    told = room.desk.director.get(f"{room.desk.path}/disputes/{room.match}").json
    assert [(one["move"], one["held"]) for one in told["roots"]] == [
        (2, "behind"),
        (len(roots), "equal"),
        (2, "forked"),
        (len(roots) + 7, "ahead"),
    ]
    assert [one["root"] for one in told["roots"]] == [roots[1], roots[-1], other, other]
    assert len({one["entrant"] for one in told["roots"]}) == 2
    page = room.desk.director.get(f"/t/{room.desk.id}/disputes/{room.match}").body.decode()
    assert all(f"{word}</span>" in page for word in ("equal", "behind", "ahead", "forked"))
    entry = room.desk.director.get(f"{room.desk.path}/log?after={room.desk.entry - 1}").json["entries"][0]
    assert (entry["held_move"], entry["held_root"]) == (len(roots) + 7, other)
    assert "text" not in entry


def test_a_board_page_sends_the_root_with_the_call(server: Served) -> None:
    room = Room(server)
    ann, root = next(iter(room.seats.values())), base64.b64encode(bytes(32)).decode()
    path = f"/t/{room.desk.id}/rounds/1/boards/1?{urlencode({'at': 2, 'root': root})}"
    page = unescape(ann.get(path).body.decode())
    assert (f'name="held_root" value="{root}"' in page, 'name="held_move" value="2"' in page) == (True, True)
    fields = {"do": "call", "text": "x", "round": 1, "board": 1, "held_move": 2, "held_root": root}
    assert form(ann, f"/t/{room.desk.id}/do", **fields).status == 303
    told = room.desk.director.get(f"{room.desk.path}/disputes/{room.match}").json
    assert [(one["move"], one["held"]) for one in told["roots"]] == [(2, "forked")]


NO_ROOTS: list[tuple[dict[str, object], int, str]] = [
    ({"held_root": "x"}, 422, "invalid"),
    ({"held_root": "A" * 43 + "=\n"}, 422, "invalid"),
    ({"held_root": "A" * 42 + "B="}, 422, "invalid"),  # the same bytes, written in another way
    ({"held_root": "A" * 44}, 422, "invalid"),
    ({"held_root": "A" * 1_000}, 422, "invalid"),
    ({"held_root": None}, 422, "invalid"),
    ({"held_root": 7}, 422, "invalid"),
    ({"held_move": None}, 422, "invalid"),
    ({"held_move": 0}, 422, "invalid"),
    ({"held_move": 2**31 + 1}, 422, "invalid"),
    ({"held_move": 1.5}, 422, "invalid"),
    ({"board": None}, 422, "invalid"),
    ({"board": None, "round": None}, 422, "invalid"),
    ({"board": 2}, 404, "not-found"),
]


def test_what_is_no_kept_root_is_refused_and_stores_nothing(server: Served) -> None:
    room = Room(server)
    before, ann = room.desk.entry, next(iter(room.seats.values()))
    for change, status, kind in NO_ROOTS:
        body: dict[str, object] = {"held_move": 2, "held_root": "A" * 43 + "=", "round": 1, "board": 1}
        told = {name: value for name, value in (body | change).items() if value is not None}
        ann.post(f"{room.desk.path}/calls", {"text": "x", **told}).problem(status, kind)
        assert room.desk.entry == before, change


def test_a_flood_of_roots_ends_and_no_stranger_gives_any(server: Served) -> None:
    room = Room(server)
    ann, root = next(iter(room.seats.values())), "A" * 43 + "="
    before = room.desk.entry
    call_with(room, room.stranger, 2, root).problem(409, "not-entered")
    call_with(room, room.desk.director, 2, root).problem(409, "not-entered")
    call_with(room, room.server.client(), 2, root).problem(401, "unauthorized")
    assert room.desk.entry == before
    for move in range(1, MOST_CALLS + 1):
        assert call_with(room, ann, move, root).status == 201
    call_with(room, ann, 1, root).problem(409, "no-place")
    assert room.desk.entry == before + MOST_CALLS
