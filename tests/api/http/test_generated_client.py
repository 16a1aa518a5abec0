"""A client that openapi-python-client makes of our document: it type-checks, and plays a whole match."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from replay import verify
from tests.api.http.served import Served, served

CONFIG = """
content_type_overrides:
  application/zip: application/octet-stream
post_hooks: []
"""
PROGRAM = '''
"""Two players play a match to its end, look at it in every way, and take its file home."""

import random
import sys
from io import BytesIO
from pathlib import Path
from typing import TypeVar

from made import AuthenticatedClient, Client
from made.api.boards import list_matches, read_history, read_scoreboard, read_turns
from made.api.commands import play
from made.api.games import list_games, read_game
from made.api.log import read_moves
from made.api.matches import open_match, read_file, read_match, read_prompt, sit_down
from made.api.players import create_player
from made.api.replays import upload
from made.models import (
    Done, GameDetail, GameList, History, MatchList, MatchSummary, MatchView, MovePage, Moves, NewMatch,
    NewMatchOptions, NewPlayer, OpenedMatch, Problem, PromptView, Scoreboard, Sit, Token, TurnList,
)
from made.types import File, Unset

T = TypeVar("T")
address, game, path = sys.argv[1:]
source = random.Random(7)


def must_be(kind: type[T], answer: object) -> T:
    assert isinstance(answer, kind), answer
    return answer


def player(name: str) -> tuple[str, AuthenticatedClient]:
    token = must_be(Token, create_player.sync(client=Client(base_url=address), body=NewPlayer(name=name)))
    return token.player, AuthenticatedClient(base_url=address, token=token.token)


(ann_id, ann), (ben_id, ben) = player("Ann"), player("Ben")
offered = must_be(GameList, list_games.sync(client=ann))
assert game in [one.game for one in offered.games]
detail = must_be(GameDetail, read_game.sync(game, client=ann))
given = NewMatchOptions()
given["military_by"] = "sphere"
opened = must_be(OpenedMatch, open_match.sync(client=ann, body=NewMatch(game=game, options=given)))
assert opened.options["military_by"] == "sphere"
match = opened.match
for seat, who in zip(opened.seats.additional_properties, (ann, ben), strict=True):
    must_be(MatchSummary, sit_down.sync(match, seat, client=who, body=Sit()))

answers = 0
asked: PromptView | None = None
while True:
    for who in (ann, ben):
        told = read_prompt.sync_detailed(match, client=who)
        if told.status_code == 200:
            break
    else:
        break
    asked = must_be(PromptView, told.parsed)
    options = [option.pick for option in asked.options]
    costs: list[int | Unset] = [option.cost for option in asked.options]
    assert all(isinstance(cost, Unset) or cost >= 0 for cost in costs)
    picks = source.sample(options, source.randint(asked.least, asked.most))
    done = must_be(Done, play.sync(match, client=who, body=Moves(expect=asked.move, picks=picks)))
    assert done.move > asked.move
    answers += 1

assert asked is not None
stale = must_be(Problem, play.sync(match, client=ann, body=Moves(expect=asked.move, picks=[])))
assert stale.type_ == "/problems/over"
over = must_be(MatchView, read_match.sync(match, client=ann, view="all"))
assert over.status == "over" and over.result is not None and over.table.additional_properties
assert over.seats.additional_properties == dict(zip(opened.seats.additional_properties, (ann_id, ben_id)))
page = must_be(MovePage, read_moves.sync(match, client=ann, limit=3))
assert [move.move for move in page.moves] == [1, 2, 3] and page.moves[0].facts == []
turns = must_be(TurnList, read_turns.sync(match, client=ann))
assert turns.over and turns.turns[-1].turn.points
listed = must_be(MatchList, list_matches.sync(client=ann, game=game, limit=1))
assert [row.match for row in listed.matches] == [match]
history = must_be(History, read_history.sync(ann_id, client=ann))
assert history.matches[0].seating.outcome in ("won", "lost", "drawn")
board = must_be(Scoreboard, read_scoreboard.sync(game, client=ann))
assert {row.player for row in board.standings} == {ann_id, ben_id}
file = must_be(File, read_file.sync(match, client=ann))
content = file.payload.read()
Path(path).write_bytes(content)
again = must_be(Problem, upload.sync(client=ann, body=File(payload=BytesIO(content))))
assert again.type_ == "/problems/exists"
print(answers)
'''
GAME = "thirteen_minutes"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the client and a program that uses it; the generator must not leave anything out."""
    folder = tmp_path_factory.mktemp("generated")
    with served(folder / "server") as server:
        document = server.client().get("/openapi.json").json
    (folder / "openapi.json").write_text(json.dumps(document), "utf-8")
    (folder / "config.yaml").write_text(CONFIG, "utf-8")
    (folder / "program.py").write_text(PROGRAM, "utf-8")
    given = ["--path", "openapi.json", "--config", "config.yaml", "--meta", "none", "--output-path", "made"]
    said = run(folder, "-m", "openapi_python_client", "generate", "--fail-on-warning", *given)
    assert "Warning" not in said
    return folder


def run(folder: Path, *arguments: str) -> str:
    """What a Python program says that runs in the folder and must succeed."""
    environment = {**os.environ, "MYPY_CACHE_DIR": str(folder / "cache"), "PYTHONUTF8": "1"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_generated_client_plays_a_match_and_downloads_its_file(server: Served, made: Path) -> None:
    said = run(made, "program.py", f"http://127.0.0.1:{server.port}", GAME, "match.glasnost")
    assert int(said) > 20
    report = verify.verify((made / "match.glasnost").read_bytes())
    assert (report.ok, report.failures) == (True, ())


def test_user_of_generated_client_and_what_it_imports_pass_strict_type_checks(made: Path) -> None:
    said = run(made, "-m", "mypy", "--strict", "--config-file", "", "program.py")
    assert "Success: no issues found" in said


@pytest.mark.long
def test_all_of_generated_client_passes_strict_type_checks(made: Path) -> None:
    said = run(made, "-m", "mypy", "--strict", "--config-file", "", "program.py", "made")
    assert "Success: no issues found" in said
