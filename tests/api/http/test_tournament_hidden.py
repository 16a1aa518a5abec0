"""No path yields a hidden card of a running match of a tournament (OA23).

Two worlds are set up alike but for two cards: one lies in the hand of a seat, the other in no hand.  All
routes about the match and its tournament then have equal bytes for its officials, the other player, and
spectators; so do the pages, and refused privileged reads.

In CIA vs. KGB no player holds cards.  There the worlds differ in a secret answer: the hand with the token,
the agent sent, the order in which cards went back onto a deck; or in a card that one player has seen.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from domain.game import Game
from domain.games import GAMES
from domain.kernel import Picks, Seat
from replay.tournaments.pairing import pair
from tests.api.http import worlds
from tests.api.http.served import Answer, Client, Served
from tests.api.http.test_hidden import _dealt, _mentions, _open_answer, _same
from tests.api.http.worlds import World, swapped, world

DEALT = ("imperial_struggle", "thirteen_minutes", "twilight_struggle")  # games that deal from a deck
ANSWERS = 4  # of players, after the deal
QUICK = ("ussr", "observer", "director")  # who asks, but for the other player
SECRETS = (  # the secret questions of CIA vs. KGB, whom they ask, and a seed of answers that lead there
    ("CloseHands", "cia", 0),
    ("CloseHands", "kgb", 0),
    ("ChooseAgents", "cia", 0),
    ("ChooseAgents", "kgb", 0),
    ("ArrangeGroups", "cia", 11),
    ("ArrangeGroups", "kgb", 10),
    ("ArrangeObjectives", "cia", 3),
    ("ArrangeObjectives", "kgb", 11),
)


class TournamentWorld(World):
    """A world whose match is the one board of a tournament."""

    few = True  # ask as few viewers, and no match route twice
    asking = QUICK  # these, if few

    def __init__(self, server: Served, game: str, lines: list[str]) -> None:
        self.server, self.lines, self.seats = server, lines, tuple(GAMES[game].seats)
        assert server.services is not None
        server.services.tournaments._pairer = pair
        open_match = server.gate.open
        vars(server.gate)["open"] = partial(open_match, recorded=True)
        director, players = server.person("organizer"), [server.person("player") for _ in self.seats]
        self.viewers: dict[str, Client] = {"director": director}
        for role in ("player", "admin", "organizer", "observer"):
            self.viewers[role] = server.person(role)
        self.viewers["nobody"] = server.client()
        self.documented = server.documented()["paths"]
        terms = {"game": game, "format": "swiss", "rounds": 1}
        told = director.post("/v1/tournaments", {"title": "Cup", "terms": terms}).json
        self.tournament = f"/v1/tournaments/{told['tournament']}"
        for player in players:
            assert player.post(f"{self.tournament}/entries", {"do": "enter"}).status == 201
        self._do("entries", do="draw_lot", label="lot/colour", n=2)
        draft = self._do("rounds")
        self._do("rounds/1", draft_sha256=draft.json["draft_sha256"])
        self._do("rounds/1/publication")
        board = director.get(f"{self.tournament}/rounds/1/boards/1").json
        rows = director.get(f"{self.tournament}/entrants").json["entrants"]
        clients = {row["entrant"]: one for row in rows for one in players if one.player == row["player"]}
        self.viewers |= {board[side]["seat"]: clients[board[side]["entrant"]] for side in ("w", "b")}
        worlds.MATCH, worlds.ADDRESS = board["match"], f"/v1/matches/{board['match']}"

    def _do(self, path: str, **body: Any) -> Answer:
        entry = self.viewers["director"].get(self.tournament).json["entry"]
        answer = self.viewers["director"].post(f"{self.tournament}/{path}", {"expect": entry, **body})
        assert answer.status in (200, 201), answer
        return answer

    def told(self, hidden: Seat) -> dict[str, Any]:
        """See `World.told`; the long test asks all that it asks."""
        if not self.few:
            return super().told(hidden)
        names = [name for name in self.viewers if name != hidden and name in (*self.seats, *self.asking)]
        return {
            f"{name} {what}": self._plain(answer)
            for name in names
            for what, answer in self._of_tournament(self.viewers[name])
        }

    def _plain(self, answer: Answer) -> tuple[int, dict[str, str], bytes]:
        """An answer without the time at which it was given and the port of this server."""
        body = re.sub(rb'"now":[0-9]+', b"", answer.body)
        body = body.replace(b"127.0.0.1:%d" % self.server.port, b"")
        headers = {name: text for name, text in answer.headers.items() if name not in ("date", "etag")}
        return answer.status, headers, body

    def _asked(self, client: Client) -> Iterator[tuple[str, Answer]]:
        yield from super()._asked(client)
        for what, answer in self._of_tournament(client):
            status, headers, body = self._plain(answer)
            yield what, Answer(status, headers, body)

    def _of_tournament(self, client: Client) -> Iterator[tuple[str, Answer]]:
        """Every GET of the OpenAPI document about the match or the tournament, pages, refused reads."""
        tournament = self.tournament.rpartition("/")[2]
        names = {"tournament": tournament, "round_number": "1", "board": "1", "seat": self.seats[0]}
        names |= {"match": worlds.MATCH, "move": str(self.match.move), "file": "0" * 64}
        for path, methods in self.documented.items():
            about = "{match}" in path or "{tournament}" in path
            if "get" not in methods or not about or "event" in path:
                continue
            asked = path.format_map(names)
            yield asked, client.get(asked)
            if any(one["name"] == "view" for one in methods["get"].get("parameters", ())):
                for view in (*self.seats, "all"):
                    yield f"{asked}?view={view}", client.get(f"{asked}?view={view}")
        page = f"/t/{tournament}"
        for asked in ("", "/standings", "/desk", "/entrants/n1", "/rounds/1/boards/1"):
            yield f"{page}{asked}", client.get(f"{page}{asked}")
        if client not in (self.viewers["director"], self.viewers["admin"]):  # theirs is written first
            entry = client.get(self.tournament).json["entry"]
            body = {"expect": entry, "why": "curious", "match": worlds.MATCH, "first": 1, "last": 3}
            refused = client.post(f"{self.tournament}/privileged-reads", body)
            assert refused.status in (401, 403), refused
            yield "a privileged read", refused


@contextmanager
def cup(folder: Path, game: str, monkeypatch: pytest.MonkeyPatch, few: bool) -> Iterator[TournamentWorld]:
    """A world in which ids and secrets of tournaments are the same every time."""
    source = cycle(range(1, 256))
    with monkeypatch.context() as patched:
        patched.setattr("os.urandom", lambda size: bytes(next(source) for _ in range(size)))
        patched.setattr(worlds, "World", TournamentWorld)
        patched.setattr(worlds, "MATCH", "")
        patched.setattr(worlds, "ADDRESS", "")
        patched.setattr(TournamentWorld, "few", few)
        with world(folder, game, patched) as here:
            assert isinstance(here, TournamentWorld)
            yield here


def trial(folder: Path, game: str, hidden: Seat, monkeypatch: pytest.MonkeyPatch, few: bool) -> int:
    """Compare two worlds; return how many answers were equal."""
    viewer = next(seat for seat in GAMES[game].seats if seat != hidden)
    script: list[tuple[Seat, Picks, list[Picks]]] = []
    source = random.Random(3)
    with cup(folder / "a", game, monkeypatch, few) as first:
        deals = first.set_up()
        start, cards = first.match.move, _dealt(game, first.match, hidden)
        while first.match.asked and len(script) < ANSWERS:
            seat = sorted(first.match.asked.seats)[0]
            picks = _open_answer(first, seat, source, cards)
            script.append((seat, picks, first.answer(seat, picks)))
            if first.match.closed or _mentions(first, viewer, start, cards):
                script.pop()
                break
    assert len(script) >= 2
    swap, answers = {cards[0]: cards[1], cards[1]: cards[0]}, []
    for name, known in (("b", dict[str, str]()), ("c", swap)):
        with cup(folder / name, game, monkeypatch, few) as here:
            here.set_up([swapped(picks, known) for picks in deals])
            own = here.viewers[hidden].get(worlds.ADDRESS).json["table"]["hands"][hidden]
            assert (cards[1] in own) == (known == swap), "the worlds do differ"
            for seat, picks, chance in script:
                here.answer(seat, picks, [swapped(drawn, known) for drawn in chance])
            answers.append(here.told(hidden))
    _same(*answers)
    return len(answers[0])


def test_swapping_hidden_cards_changes_no_byte_for_officials_player_and_spectator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert trial(tmp_path, "twilight_struggle", "us", monkeypatch, True) > 100


@pytest.mark.long
@pytest.mark.parametrize(
    ("game", "hidden"),
    [
        ("toy", "left"),
        ("toy", "right"),
        *((game, seat) for game in DEALT for seat in GAMES[game].seats),
    ],
)
def test_swapping_hidden_cards_of_any_game_changes_no_byte(
    toy_in_words: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str, hidden: Seat
) -> None:
    print(game, hidden, trial(tmp_path, game, hidden, monkeypatch, False))


def until(here: World, hidden: Seat, question: str, seed: int) -> list[tuple[Seat, Picks, list[Picks]]]:
    """Answer at random until the hidden seat is asked this; return the answers, each with those of chance."""
    script: list[tuple[Seat, Picks, list[Picks]]] = []
    source = random.Random(seed)
    while (asked := here.match.asked) is not None:
        if type(here.match.live.agenda[-1]).__name__ == question and hidden in asked.seats:
            break
        seat = sorted(asked.seats)[0]
        picks = _open_answer(here, seat, source, ())
        script.append((seat, picks, here.answer(seat, picks)))
    return script


def in_two_ways(options: Picks, least: int) -> list[Picks]:
    """Two answers to a secret question.  Cards that are put back differ below the uppermost one."""
    if least == 1:
        return [options[:1], options[-1:]]
    return [options[:least], (options[0], *reversed(options[1:least]))]


def trial_of_an_answer(
    folder: Path, hidden: Seat, question: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> int:
    """Compare worlds in which a seat of CIA vs. KGB answers otherwise; return how many answers were equal."""
    answers, own = [], []
    for way in (0, 1):
        with cup(folder / str(way), "cia_vs_kgb", monkeypatch, True) as here:
            here.set_up()
            until(here, hidden, question, seed)
            standing = here.match.prompt(hidden)
            assert standing is not None
            here.answer(hidden, in_two_ways(standing[1].options, standing[1].least)[way])
            answers.append(here.told(hidden))
            own.append(here.viewers[hidden].get(f"{worlds.ADDRESS}/moves").json["moves"][-1]["picks"])
    assert own[0] != own[1], "the worlds do differ"
    _same(*answers)
    return len(answers[0])


def test_another_agent_sent_changes_no_byte_for_the_director_and_the_other_player(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TournamentWorld, "asking", ("director",))
    assert trial_of_an_answer(tmp_path, "kgb", "ChooseAgents", 0, monkeypatch) > 100


@pytest.mark.long
@pytest.mark.parametrize(("question", "hidden", "seed"), SECRETS)
def test_another_secret_answer_of_cia_vs_kgb_changes_no_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, question: str, hidden: Seat, seed: int
) -> None:
    print(question, hidden, trial_of_an_answer(tmp_path, hidden, question, seed, monkeypatch))


@pytest.mark.long
@pytest.mark.parametrize(
    ("question", "hidden", "seed", "deck"),
    [(*one, "groups" if "Groups" in one[0] else "objectives") for one in SECRETS if "Arrange" in one[0]],
)
def test_another_card_seen_on_a_deck_of_cia_vs_kgb_changes_no_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, question: str, hidden: Seat, seed: int, deck: str
) -> None:
    with cup(tmp_path / "a", "cia_vs_kgb", monkeypatch, True) as first:
        first.set_up()
        script = until(first, hidden, question, seed)
        loose = getattr(first.match.table_at(first.match.move, "all"), deck).cards
        *before, (seat, picks, drawn) = script
    other = [*drawn[:-1], (loose[0], *drawn[-1][1:])]
    answers, own = [], []
    for name, chance in (("b", drawn), ("c", other)):
        with cup(tmp_path / name, "cia_vs_kgb", monkeypatch, True) as here:
            here.set_up()
            for known in before:
                here.answer(*known)
            here.answer(seat, picks, chance)
            answers.append(here.told(hidden))
            own.append(here.viewers[hidden].get(worlds.ADDRESS).json["table"][deck])
    assert own[0] != own[1], "the worlds do differ"
    _same(*answers)
