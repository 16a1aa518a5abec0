"""A tournament in its third round, as the tests of its pages have it."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from replay.tournaments.pairing import pair
from tests.api.http.served import Answer, Client, Served
from tests.waiting import soon

GAME = "thirteen_minutes"
NAMES = (
    "Astrid Lindqvist",
    "Bartholomew Fitzgerald-Oyelaran",
    "Мария Константинопольская",
    "Chen Wei",
    "Djamila Haddad",
    "Егор Ким",
    "Francesca Russo",
    "Grzegorz Brzęczyszczykiewicz",
)
RESULTS = ("1-0", "0-1", "½", "1-0")


class Hall:
    """A director with a Swiss tournament of eight entrants; rounds are made over HTTP, results are ruled.

    Rounds are paired in the process of the test: processes of their own are tested where they are the
    question.  `also`: terms that are other than usual.
    """

    def __init__(self, server: Served, **also: object) -> None:
        assert server.services is not None
        server.services.tournaments._pairer = pair
        self._follower, self._at_work = server.services.follower, False
        self._tick = self._follower.tick
        self._follower.tick = self._noted  # type: ignore[method-assign]
        self.server = server
        self.director = server.person("organizer")
        terms = {"game": GAME, "format": "swiss", "rounds": 5, "clock": [{"mode": "days", "days": 3}], **also}
        told = self.director.post("/v1/tournaments", {"title": "Autumn Open 2026", "terms": terms}).json
        self.id, self.path = told["tournament"], f"/v1/tournaments/{told['tournament']}"
        self.players = [server.player(name) for name in NAMES]
        for player in self.players:
            assert player.post(f"{self.path}/entries", {"do": "enter"}).status == 201

    @property
    def page(self) -> str:
        """The address of the tournament's page."""
        return f"/t/{self.id}"

    @property
    def entry(self) -> int:
        """The latest entry, after which the follower writes none by itself."""
        self.rest()
        return int(self.director.get(self.path).json["entry"])

    async def _noted(self, *, everything: bool = False) -> bool:
        """See `TournamentFollower.tick`."""
        self._at_work = True
        try:
            return await self._tick(everything=everything)
        finally:
            self._at_work = False

    def rest(self) -> None:
        """Wait until the follower has written all that follows from what was entered."""
        one = self._follower
        soon(lambda: not (self._at_work or one._news or one._woken.is_set()))

    def post(self, path: str, **body: Any) -> Answer:
        """A request of the director, who has seen everything."""
        answer = self.director.post(f"{self.path}/{path}", {"expect": self.entry, **body})
        while answer.status == 409 and answer.json["type"] == "/problems/stale":  # the follower was first
            answer = self.director.post(f"{self.path}/{path}", {"expect": self.entry, **body})
        assert answer.status in (200, 201), answer
        return answer

    def pair(self) -> int:
        """Pair the next round and publish it; return its number."""
        draft = self.post("rounds").json
        number = int(draft["round"])
        self.post(f"rounds/{number}", draft_sha256=draft["draft_sha256"])
        self.post(f"rounds/{number}/publication")
        return number

    def play(self, number: int) -> None:
        """Rule all boards of a round, and close it."""
        for board, result in enumerate(RESULTS, 1):
            about = {"reason": "agreed", "text": "played at the club", "reported": board > 2}
            self.post(f"rounds/{number}/boards/{board}/rulings", result=result, **about)
        self.post(f"rounds/{number}/close")


def form(client: Client, path: str, **fields: object) -> Answer:
    """Send a form as a page of the server sends it, without a script."""
    return client.send("POST", path, urlencode(fields).encode(), own_page(client))


def own_page(client: Client, origin: str = "") -> dict[str, str]:
    """The headers that a browser sends with a form; `origin` is that of the page."""
    return {
        "content-type": "application/x-www-form-urlencoded",
        "origin": origin or f"http://127.0.0.1:{client.port}",
        "sec-fetch-site": "same-origin" if not origin else "cross-site",
    }
