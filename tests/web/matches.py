"""Matches for the tests of the web client."""

from __future__ import annotations

from tests.api.http.served import Served
from tests.waiting import soon


def bots_match(server: Served, game: str, least: int = 0, **body: object) -> str:
    """A new match of at least so many moves that bots play to its end; returns its id.

    These bots pick at random, so some of their matches are over soon.
    """
    opener, last = server.player("Opener"), -1
    while last < least:
        opened = opener.post("/v1/matches", {"game": game, **body}).json
        match = str(opened["match"])
        for seat in opened["seats"]:
            answer = opener.post(f"/v1/matches/{match}/seats/{seat}", {"bot": "random"})
            assert answer.status == 201, answer
        soon(lambda id: opener.get(f"/v1/matches/{id}").json["status"] == "over", match)
        last = opener.get(f"/v1/matches/{match}").json["move"]
    return match
