"""Terms by which privileged reads are public after the match alone: no byte for others names one before."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from html import unescape

import pytest

from tests.api.http.served import Answer, Client, Served
from tests.api.http.test_tournaments import Desk
from tests.web.tournament_hall import form

WHY = "they-held-the-same-card"
LATER = "after_match"


class Club:
    """A tournament with two running matches; a director and an arbiter, who do not play in it."""

    def __init__(self, server: Served, **terms: object) -> None:
        self.desk, self.server = Desk(server, 4, rounds=1, **terms), server
        assert self.desk.do(do="draw_lot", label="lot/colour", n=2).status == 201
        self.desk.paired()
        self.arbiter = server.person("player")
        assert self.desk.do(do="appoint", person=self.arbiter.player, office="arbiter").status == 201
        rows = self.desk.director.get(f"{self.desk.path}/entrants").json["entrants"]
        people = {one.player: one for one in self.desk.players}
        clients = {row["entrant"]: people[row["player"]] for row in rows}
        boards = self.desk.director.get(f"{self.desk.path}/rounds/1").json["boards"]
        self.matches = [board["match"] for board in boards]
        self.seats = [
            {board[side]["seat"]: clients[board[side]["entrant"]] for side in ("w", "b")} for board in boards
        ]
        for match, seats in zip(self.matches, self.seats, strict=True):
            for seat, client in seats.items():
                assert client.post(f"/v1/matches/{match}/seats/{seat}", {}).status == 201

    def read(self, official: Client, match: str, **more: object) -> Answer:
        """An official reads the hidden half of a match."""
        asked = {"expect": self.desk.entry, "why": WHY, "match": match, "first": 1, "last": 3, **more}
        told = official.post(f"{self.desk.path}/privileged-reads", asked)
        assert told.status == 201, told
        return told

    def listed(self) -> dict[str, list[dict[str, object]]]:
        """The privileged reads, as everybody may see them."""
        return dict(self.server.client().get(f"{self.desk.path}/privileged-reads").json)

    def told(self) -> Iterator[tuple[str, Client]]:
        """Who may not know, by name: players of the match that is read and of the other one, a spectator."""
        yield "a player", self.seats[0]["left"]
        yield "another player", self.seats[1]["right"]
        yield "a spectator", self.server.person("player")

    def addresses(self) -> list[str]:
        """Every address about the tournament or one of its matches, and their pages."""
        found = []
        for match in self.matches:
            names = {"tournament": self.desk.id, "round_number": 1, "board": 1, "seat": "left"}
            names |= {"match": match, "move": 3, "file": "0" * 64}
            for path, methods in self.server.documented()["paths"].items():
                about = "{match}" in path or "{tournament}" in path
                if "get" in methods and about and "event" not in path:
                    found.append(path.format_map(names))
        pages = ("", "/standings", "/desk", "/entrants/n1", "/rounds/1/boards/1", "/rounds/1/boards/2")
        found += [f"/t/{self.desk.id}{page}" for page in pages]
        found += [f"{self.desk.path}/export?format={kind}" for kind in ("json", "ndjson", "bundle")]
        return sorted(set(found))


@pytest.fixture
def club(server: Served) -> Club:
    return Club(server, privileged_reads=LATER)


def test_before_the_match_is_over_no_byte_names_official_match_moves_or_reason(club: Club) -> None:
    viewers, addresses = list(club.told()), club.addresses()
    words = [WHY, *club.matches, club.arbiter.player, club.desk.director.player]

    def counted() -> dict[tuple[str, str, str], int]:
        found: dict[tuple[str, str, str], int] = {}
        for name, client in viewers:
            for address in addresses:
                answer = client.get(address)
                assert answer.status != 429, address
                found |= {(name, address, word): answer.body.count(word.encode()) for word in words}
        return found

    before, entry = counted(), club.desk.entry
    shown = club.read(club.arbiter, club.matches[0])
    assert shown.json["entry"] == entry + 1
    assert len(shown.json["moves"]) == 3
    after = counted()
    assert len(addresses) > 50
    assert {key: count for key, count in after.items() if before[key] != count} == {}
    assert not any(count for (_, _, word), count in after.items() if word == WHY)
    [leaf] = club.listed()["reads"]
    assert leaf.keys() == {"kind", "entry", "prev", "sealed", "at", "role"}  # what everybody sees
    assert (leaf["kind"], leaf["entry"], leaf["role"]) == ("privileged_read", entry + 1, "official")
    assert club.listed()["opened"] == []
    live = club.server.client().get(f"{club.desk.path}/log", accept="application/x-ndjson").body
    assert json.loads(live.splitlines()[entry]) == leaf


def test_it_opens_with_the_end_of_its_match_and_the_commitment_proves_it(club: Club) -> None:
    club.read(club.arbiter, club.matches[0])
    club.read(club.desk.director, club.matches[1], first=2, last=2)
    assert club.listed()["opened"] == []
    losing = club.seats[0]["left"]
    assert losing.post(f"/v1/matches/{club.matches[0]}/resignation", {}).status == 201
    told = club.listed()
    [opened] = told["opened"]
    leaf = told["reads"][0]
    assert opened["entry"] == leaf["entry"]
    part, salt = str(opened["part"]), base64.b64decode(str(opened["salt"]))
    digest = hashlib.sha256(b"\x02" + salt + part.encode()).digest()
    assert base64.b64encode(digest).decode() == leaf["sealed"]["officials"]  # type: ignore[index]
    assert json.loads(part)["read"] == {
        "person": club.arbiter.player,
        "role": "arbiter",
        "why": WHY,
        "match": club.matches[0],
        "view": "all",
        "first": 1,
        "last": 3,
    }
    assert club.matches[1] not in json.dumps(told)


def test_in_the_room_only_officials_who_may_look_themselves_see_who_looked(club: Club) -> None:
    club.read(club.desk.director, club.matches[0])
    room = f"/t/{club.desk.id}/disputes/{club.matches[0]}"
    plays = club.seats[1]["left"]
    assert club.desk.do(do="appoint", person=plays.player, office="arbiter").status == 201
    assert WHY in unescape(club.arbiter.get(room).body.decode())
    assert WHY not in unescape(plays.get(room).body.decode())
    shown = form(club.arbiter, room, do="read", expect=club.desk.entry, move=2, why="another doubt")
    assert shown.status == 200
    assert "another doubt" not in unescape(plays.get(room).body.decode())
    assert club.seats[0]["left"].post(f"/v1/matches/{club.matches[0]}/resignation", {}).status == 201
    page = unescape(plays.get(room).body.decode())
    assert WHY in page
    assert "another doubt" in page


def test_who_reads_a_sealed_text_is_named_at_once(club: Club) -> None:
    """It is no look at a match."""
    called = club.seats[0]["left"].post(f"{club.desk.path}/calls", {"text": "help", "round": 1, "board": 1})
    asked = {"expect": club.desk.entry, "why": WHY, "sealed_entry": called.json["entry"]}
    assert club.arbiter.post(f"{club.desk.path}/privileged-reads", asked).json["text"] == "help"
    [leaf] = club.listed()["reads"]
    assert (leaf["person"], leaf["why"], leaf["by"]) == (club.arbiter.player, WHY, club.arbiter.player)


@pytest.mark.parametrize("terms", [{}, {"privileged_reads": "at_once"}])
def test_other_terms_name_it_at_once(server: Served, terms: dict[str, object]) -> None:
    club = Club(server, **terms)
    club.read(club.arbiter, club.matches[0])
    [leaf] = club.listed()["reads"]
    assert (leaf["person"], leaf["match"], leaf["why"]) == (club.arbiter.player, club.matches[0], WHY)
    assert club.listed()["opened"] == []


def test_unknown_terms_of_reads_are_refused(server: Served) -> None:
    terms = {"game": "toy", "format": "swiss", "rounds": 1, "privileged_reads": "never"}
    director = server.person("organizer")
    assert director.post("/v1/tournaments", {"title": "Cup", "terms": terms}).status == 422
