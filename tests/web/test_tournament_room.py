"""The dispute room: who enters it, what it shows of a running match; an entry comes before a hidden card."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape

import pytest
from playwright.sync_api import Browser

from api.http import tournament_feed
from api.store.interface import StoreError
from replay.words import Words
from tests.api.http.served import Client, served
from tests.web.axe import violations
from tests.web.browser import NARROW, WIDE
from tests.web.signed import visitors
from tests.web.tournament_hall import Hall, form, own_page

CALL = "they-looked-at-my-hand"


class Room:
    """A hall whose first board of round 1 is in play, by eight answers."""

    def __init__(self, hall: Hall) -> None:
        self.hall, self.director = hall, hall.director
        hall.post("entries", do="draw_lot", label="lot/colour", n=2)
        hall.pair()
        board = self.director.get(f"{hall.path}/rounds/1/boards/1").json
        self.match = board["match"]
        rows = self.director.get(f"{hall.path}/entrants").json["entrants"]
        people = {one.player: one for one in hall.players}
        clients = {row["entrant"]: people[row["player"]] for row in rows}
        self.seats: dict[str, Client] = {
            board[side]["seat"]: clients[board[side]["entrant"]] for side in "wb"
        }
        for seat, client in self.seats.items():
            assert client.post(f"/v1/matches/{self.match}/seats/{seat}", {}).status == 201
        for _ in range(8):
            self.answer()

    @property
    def page(self) -> str:
        """The address of the room."""
        return f"{self.hall.page}/disputes/{self.match}"

    def answer(self) -> None:
        """One answer of a seat that is asked."""
        for client in self.seats.values():
            question = client.get(f"/v1/matches/{self.match}/prompt")
            if question.status == 200:
                asked = question.json
                picks = [one["pick"] for one in asked["options"][: asked["least"]]]
                done = client.post(
                    f"/v1/matches/{self.match}/moves", {"expect": asked["move"], "picks": picks}
                )
                assert done.status == 201, done
                return

    def hidden(self) -> set[str]:
        """The names of the cards that both players hold now, which only they may know."""
        services = self.hall.server.services
        assert services is not None
        match = services.gate.at_hand_match(self.match)
        assert match is not None
        words = Words(match, "en")
        hands = {seat: match.table_at(match.move, seat).hands[seat] for seat in match.seats}
        return {words.name(card) for cards in hands.values() for card in cards}

    def read(self, **more: object) -> dict[str, object]:
        """The fields of the form that opens the hidden views."""
        move = self.director.get(f"/v1/matches/{self.match}").json["move"]
        asked = {"do": "read", "expect": self.hall.entry, "move": move, "why": "a doubt about a bid"}
        return {**asked, **more}


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    """A match in play, in question."""
    with (
        pytest.MonkeyPatch.context() as changes,
        served(tmp_path_factory.mktemp("room"), requests_per_second=10_000) as server,
    ):
        changes.setattr(tournament_feed, "_GATHER", 0.01)  # seconds: readers hear of boards at once
        yield Room(Hall(server))


def text(body: bytes) -> str:
    """A page with its characters as they are."""
    return unescape(body.decode())


def test_only_officials_enter_and_a_running_match_shows_no_hidden_card(room: Room) -> None:
    """OA23: the bytes of the room of a running match."""
    assert room.hall.server.client().get(room.page).status == 401
    for client in (*room.seats.values(), room.hall.server.person("organizer")):
        assert client.get(room.page).status == 403
        assert form(client, room.page, **room.read()).status == 403
    hidden = room.hidden()
    assert len(hidden) >= 2
    for query in ("", "?move=1", "?move=5", "?move=999999999999999999999", "?move=%00"):
        page = room.director.get(room.page + query)
        assert page.status == 200
        assert not [name for name in hidden if name in text(page.body)], query
    assert text(page.body).count("hidden while the match runs") == 2
    assert room.director.get(f"{room.hall.page}/disputes/none").status == 404


def test_the_hidden_views_come_after_their_entry_and_name_what_is_seen(room: Room) -> None:
    """OA23."""
    before, hidden, read = room.hall.entry, room.hidden(), room.read()
    page = form(room.director, room.page, **read)
    assert page.status == 200, page
    assert page.headers["cache-control"] == "no-store"
    assert not [name for name in hidden if name not in text(page.body)]
    log = room.director.get(f"{room.hall.path}/log", accept="application/x-ndjson").body.splitlines()
    last = json.loads(log[before])
    assert len(log) == before + 1
    assert {name: last[name] for name in ("kind", "view", "first", "last", "why")} == {
        "kind": "privileged_read",
        "view": "all",
        "first": 1,
        "last": read["move"],
        "why": "a doubt about a bid",
    }
    assert form(room.director, room.page, **read).status == 409  # a reload writes and shows nothing
    assert not [name for name in hidden if name in text(room.director.get(room.page).body)]


def test_with_a_full_disk_the_room_shows_nothing_hidden(room: Room) -> None:
    """OA23."""
    services, hidden, entry = room.hall.server.services, room.hidden(), room.hall.entry
    assert services is not None
    commits = services.tournaments.commands._commits
    durable = commits.durable

    async def full(append: object) -> int:
        raise StoreError("no space left on device")

    read = room.read()
    commits.durable = full  # type: ignore[method-assign]
    try:
        page = form(room.director, room.page, **read)
    finally:
        commits.durable = durable  # type: ignore[method-assign]
    assert page.status == 503
    assert not [name for name in hidden if name in text(page.body)]
    assert room.hall.entry == entry


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"why": ""}, 422),
        ({"move": 0}, 404),
        ({"move": 99_999}, 404),
        ({"move": "x"}, 422),
        ({"expect": 1}, 409),
        ({"do": "dance"}, 422),
        ({"do": "read_call", "call": 1}, 404),
        ({"do": "freeze"}, 422),
    ],
)
def test_what_a_forger_sends_to_the_room_writes_nothing(
    room: Room, fields: dict[str, object], status: int
) -> None:
    entry = room.hall.entry
    assert form(room.director, room.page, **room.read(**fields)).status == status
    body = b"do=read&why=x&move=3&expect=" + str(entry).encode()
    head = own_page(room.director, "https://evil.example")
    assert room.director.send("POST", room.page, body, head).status == 403
    assert room.hall.entry == entry


def test_an_official_who_plays_in_the_tournament_opens_nothing(room: Room) -> None:
    """OA23."""
    arbiter = room.hall.players[-1]
    room.hall.post("entries", do="appoint", person=arbiter.player, office="arbiter")
    try:
        page = arbiter.get(room.page)
        assert page.status == 200
        assert "hidden views stay closed to you" in text(page.body)
        refused = form(arbiter, room.page, **room.read())
        assert refused.status == 403
        assert not [name for name in room.hidden() if name in text(refused.body)]
    finally:
        room.hall.post("entries", do="dismiss", person=arbiter.player, office="arbiter", reason="plays")


def test_the_text_of_a_call_is_shown_after_its_entry_alone(room: Room) -> None:
    """OA24."""
    caller = room.seats["us"]
    made = caller.post(f"{room.hall.path}/calls", {"text": CALL, "round": 1, "board": 1})
    entry = made.json["entry"]
    page = room.director.get(room.page).body
    assert b"Call of" in page
    assert CALL.encode() not in page
    asked = {"do": "read_call", "call": entry, "why": "to answer it", "expect": room.hall.entry}
    assert CALL in text(form(room.director, room.page, **asked).body)
    reads = room.director.get(f"{room.hall.path}/privileged-reads").json["reads"]
    assert (reads[-1]["sealed_entry"], reads[-1]["why"]) == (entry, "to answer it")
    assert CALL.encode() not in room.director.get(room.page).body


def test_a_root_that_a_player_kept_is_equal_behind_or_forked(room: Room) -> None:
    moves = room.director.get(f"/v1/matches/{room.match}/moves?view=spectator").json["moves"]
    roots = {move["move"]: move["root"].replace("+", "%2B") for move in moves}
    last, board = max(roots), f"{room.hall.page}/rounds/1/boards/1"
    cases = {"equal": (last, last), "behind": (2, 2), "forked": (2, 3), "ahead": (last + 9, last)}
    player = room.seats["us"]
    for word, (at, of) in cases.items():
        query = f"?at={at}&root={roots[of]}"
        for client, path in ((room.director, room.page), (player, board), (room.hall.server.client(), board)):
            assert f"</span>{word}</span>" in text(client.get(path + query).body), (path, word)
    assert f"after move {last}: equal." in text(player.get(f"{board}?at={last}&root={roots[last]}").body)
    for odd in ("?at=2&root=%00", "?at=2&root=" + "A" * 44, "?at=x&root=" + roots[2]):
        assert room.director.get(room.page + odd).status == 422


def test_an_official_freezes_and_releases_in_the_room(room: Room) -> None:
    def act(what: str, reason: str) -> int:
        return form(room.director, room.page, do=what, expect=room.hall.entry, reason=reason).status

    assert act("freeze", "a doubt") == 303
    page = text(room.director.get(room.page).body)
    assert "takes no move" in page
    assert "a doubt" in page
    assert f"/disputes/{room.match}" in text(room.director.get(f"{room.hall.page}/desk").body)
    assert act("freeze", "again") == 422
    assert act("release", "settled") == 303
    room.answer()


def test_a_match_is_taken_back_after_a_look_at_the_table(room: Room) -> None:
    summary = f"/v1/matches/{room.match}"
    last, entry = room.director.get(summary).json["move"], room.hall.entry
    told = {"reason": "rule_error", "text": "the server dealt wrongly"}
    asked = {"do": "back", "expect": entry, "move": last - 2, **told}
    assert form(room.seats["us"], room.page, **asked).status == 403
    assert form(room.director, room.page, **asked | {"expect": 1}).status == 409
    for odd in ({"move": last}, {"move": 0}, {"text": ""}, {"reason": "a whim"}):
        assert form(room.director, room.page, **asked | odd).status == 422
    look = text(form(room.director, room.page, **asked).body)
    assert f"Moves {last - 1} to {last} are taken back." in look
    assert (room.director.get(summary).json["move"], room.hall.entry) == (last, entry)  # nothing changes
    digest = re.search(r'name="preview" value="(\w{64})"', look)
    assert digest is not None
    seen = {"preview": digest[1]}
    assert form(room.director, room.page, **asked, **seen, last=last - 1).status == 409  # the match went on
    assert form(room.director, room.page, **asked, preview="0" * 64, last=last).status == 409
    assert form(room.director, room.page, **asked, **seen, last=last).status == 303
    ruled = room.director.get(f"{room.hall.path}/log?after={entry}").json["entries"][0]
    found = {name: ruled[name] for name in ("kind", "match", "move", "back_to")}
    assert found == {"kind": "ruled", "match": room.match, "move": last + 1, "back_to": last - 2}
    after = text(room.director.get(room.page).body)
    assert "taken back" in after
    assert "the server dealt wrongly" in after
    assert f"the match goes back to move {last - 2}" in after
    assert room.director.get(summary).json["move"] == last + 2  # the ruling, and what it took back
    room.answer()


def test_the_form_of_a_board_rules_on_its_match(room: Room) -> None:
    board, summary = f"{room.hall.page}/rounds/1/boards/1", f"/v1/matches/{room.match}"
    page = text(room.director.get(board).body)
    assert '<option value="back">' in page
    assert '<option value="void">' in page
    last, entry = room.director.get(summary).json["move"], room.hall.entry
    asked = {"expect": entry, "reason": "rule_error", "text": "a card was lost"}
    for odd in ({"result": "back"}, {"result": "back", "back_to": last}, {"result": "match"}):
        assert form(room.director, board, **asked | odd).status == 422
    back = text(form(room.director, board, **asked, result="back", back_to=last - 1).body)
    assert f"goes on from the table after move {last - 1}" in back
    void = text(form(room.director, board, **asked, result="void", back_to="").body)
    assert f"as its move {last + 1}, without a result" in void
    assert (room.director.get(summary).json["move"], room.hall.entry) == (last, entry)
    digest = re.search(r'name="preview" value="(\w{64})"', back)
    assert digest is not None
    done = form(room.director, board, **asked, result="back", back_to=last - 1, preview=digest[1])
    assert done.status == 303
    after = text(room.hall.server.client().get(board).body)
    assert f"the match goes back to move {last - 1}" in after
    assert room.director.get(summary).json["move"] == last + 2


def test_an_official_scores_a_match_as_it_stands_through_the_preview(room: Room) -> None:
    board = f"{room.hall.page}/rounds/1/boards/1"
    last = room.director.get(f"/v1/matches/{room.match}").json["move"]
    assert f"After move {last}: US " not in text(room.seats["us"].get(f"{board}?score=1").body)
    page = text(room.director.get(f"{board}?score=1").body)
    assert f"After move {last}: US " in page
    assert re.search(r'<option value="adjudicated" selected>', page)
    entry = room.hall.entry
    asked = {"expect": entry, "result": "½", "reason": "adjudicated", "text": "as it stood"}
    assert form(room.director, board, **asked, scored=last - 1).status == 409  # another table was scored
    seen = text(form(room.director, board, **asked, scored=last).body)
    assert f"as its move {last + 1}" in seen
    assert (room.hall.entry, room.director.get(f"/v1/matches/{room.match}").json["move"]) == (entry, last)
    digest = re.search(r'name="preview" value="(\w{64})"', seen)
    assert digest is not None
    room.answer()  # the match goes on meanwhile
    assert form(room.director, board, **asked, preview=digest[1]).status == 409


def test_the_page_of_a_tournament_shows_what_happens_without_a_reload(room: Room, browser: Browser) -> None:
    with visitors(browser, room.hall.server) as people:
        page = people.page().open(room.hall.page)
        page.evaluate("window.same = true; Math.random = () => 0")  # it asks as soon as any reader does
        row = page.locator(".boards-table tbody tr").nth(1)
        assert row.locator(".light-running").count() == 1
        ruling = {"result": "1-0", "reason": "no_show", "text": "did not come"}
        room.hall.post("rounds/1/boards/2/rulings", **ruling)
        row.locator(".light-ruled").wait_for()
        assert "1 : 0" in row.inner_text()
        assert page.locator("#said").inner_text() == "The boards have changed."
        assert page.evaluate("window.same") is True


@pytest.mark.parametrize("phone", [True, pytest.param(False, marks=pytest.mark.long)])
def test_axe_finds_nothing_serious_in_the_room(room: Room, browser: Browser, phone: bool) -> None:
    """OA35: on a phone in Russian and dark, and wide in English."""
    size, locale = (NARROW, "ru-RU") if phone else (WIDE, "en-GB")
    with visitors(browser, room.hall.server) as people:
        page = people.page(room.director, size=size, locale=locale, dark=phone).open(room.page)
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


def test_after_the_match_every_view_is_open_with_what_was_offered(room: Room) -> None:
    """It ends the match."""
    hidden = room.hidden()
    assert room.seats["us"].post(f"/v1/matches/{room.match}/resignation", {}).status == 201
    page = text(room.director.get(f"{room.page}?move=9").body)
    assert "hidden while the match runs" not in page
    assert re.search(r"options: \d+", page)
    assert "Shown to: USSR" in page
    later = text(room.director.get(room.page).body)
    assert [name for name in hidden if name in later]
    assert form(room.director, room.page, **room.read()).status == 409


def test_the_note_of_a_ruling_is_shown_after_its_entry_alone(room: Room) -> None:
    """It runs last, when the match is over."""
    ruling = {"result": "0-1", "reason": "agreed", "text": "x", "note": CALL}
    entry = room.hall.post("rounds/1/boards/1/rulings", **ruling).json["entry"]
    page = room.director.get(room.page).body
    assert "Sealed note of the ruling" in text(page)
    assert CALL.encode() not in page
    asked = {"do": "read_call", "call": entry, "why": "to answer", "expect": room.hall.entry}
    assert CALL in text(form(room.director, room.page, **asked).body)
    reads = room.director.get(f"{room.hall.path}/privileged-reads").json["reads"]
    assert reads[-1]["sealed_entry"] == entry
