"""A real league: entrants without an account, results from a table in a hall, and two directors."""

from __future__ import annotations

import json

from tests.api.http.served import Served
from tests.api.http.test_tournaments import Desk


def test_a_league_of_guests_with_two_directors_and_a_board_in_a_hall(server: Served) -> None:
    # given: two players with accounts, two guests with printed codes, and a second director
    desk = Desk(server, 2, rounds=1)
    names = ["Grandmother", "Uncle Vanya"]
    made = desk.post("invitations", entrants=[{"name": name} for name in names])
    assert made.status == 201, made
    second = server.person("player")
    assert desk.do(do="appoint", person=second.player, office="director").status == 201
    for one in made.json["invitations"]:
        guest = server.client(one["code"], one["person"])
        body = {"do": "accept", "entrant": one["entrant"]}
        assert guest.post(f"{desk.path}/entries", body).status == 201
        desk.players.append(guest)
    assert desk.do(do="draw_lot", label="lot/colour", n=2).status == 201

    # when: the second director pairs and publishes, one board is played here, and one in a hall
    first, desk.director = desk.director, second
    desk.paired()
    boards = {one["board"]: one for one in second.get(f"{desk.path}/rounds/1").json["boards"]}
    rows = second.get(f"{desk.path}/entrants").json["entrants"]
    people = {one.player: one for one in desk.players}
    clients = {row["entrant"]: people[row["player"]] for row in rows}
    guests = {row["entrant"] for row in rows if people[row["player"]] in desk.players[2:]}
    here = next(board for board in boards.values() if {board[side]["entrant"] for side in "wb"} & guests)
    hall = next(board for board in boards.values() if board is not here)
    winner = next(here[side]["entrant"] for side in "wb" if here[side]["entrant"] in guests)
    for side in ("w", "b"):
        seat = f"/v1/matches/{here['match']}/seats/{here[side]['seat']}"
        assert clients[here[side]["entrant"]].post(seat, {}).status == 201
    loser = next(here[side]["entrant"] for side in "wb" if here[side]["entrant"] != winner)
    assert clients[loser].post(f"/v1/matches/{here['match']}/resignation", {}).status == 201
    desk.follow()
    desk.director = first
    ruling = {"result": "1-0", "reason": "agreed", "text": "both signed the sheet", "reported": True}
    stale = {"expect": desk.entry - 1, **ruling}
    second.post(f"{desk.path}/rounds/1/boards/{hall['board']}/rulings", stale).problem(409, "stale")
    assert desk.post(f"rounds/1/boards/{hall['board']}/rulings", **ruling).status == 201
    desk.follow()
    assert desk.post("rounds/1/close").status == 201

    # then: the guest stands in the table with a name that no entry holds; the board of the hall is marked
    told = second.get(f"{desk.path}/standings").json
    first_places = [one["entrant"] for one in told["standings"]["places"][:2]]
    assert set(first_places) == {winner, hall["w"]["entrant"]}
    guest_names = {told["names"][clients[one].player] for one in guests}
    assert guest_names == set(names)
    log = second.get(f"{desk.path}/log", accept="application/x-ndjson").body
    assert not any(name.encode() in log for name in names)
    played = second.get(f"{desk.path}/rounds/1/boards/{here['board']}").json
    reported = second.get(f"{desk.path}/rounds/1/boards/{hall['board']}").json
    assert (played["light"], played["status"]) == ("green", "confirmed")
    assert (reported["status"], reported["result"]["by"]) == ("ruled", "reported")
    page = server.client().get(f"/t/{desk.id}").body.decode()
    assert page.count("reported, not proved") == 1
    by = [json.loads(line)["by"] for line in log.splitlines() if b'"kind":"paired"' in line]
    assert by == [second.player]
