"""docs/protocol.md is enough to write a second verifier: `stranger` is one, and agrees with ours."""

from __future__ import annotations

import ast
import inspect
import sys
from random import Random

import pytest

from domain.game import Game
from domain.games import GAMES
from replay.verify import verify
from tests.matches import Sitting, finished
from tests.replay import stranger
from tests.replay.files import KEY, file_of, parts_in, recorded_match, rewritten, with_everything, with_part
from tests.salts import committed, hashed, salt_of

VKEY = KEY.verifying.text


def test_the_stranger_uses_nothing_of_this_project() -> None:
    tree = ast.parse(inspect.getsource(stranger))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        for name in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else []
        )
    }
    assert imported <= {*sys.stdlib_module_names, "cryptography"}


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_stranger_verifies_whole_matches(name: str, seed: int) -> None:
    sitting = Sitting(GAMES[name], seed).seat_all(salts=seed > 1).play_on()
    draws = sum(
        len(getattr(record.entry, "draws", ())) + len(record.parts["house"].draws)
        for record in sitting.match.records
    )
    assert stranger.verify(file_of(sitting.match), VKEY) == draws > 0


def test_the_stranger_verifies_takebacks_and_rulings(toy_game: Game) -> None:
    assert stranger.verify(file_of(with_everything(toy_game)), VKEY) > 0


def test_the_stranger_verifies_committed_salts(toy_game: Game) -> None:
    waiting = committed(Sitting(toy_game), opened=False)
    assert stranger.verify(file_of(waiting.match), VKEY) == 0
    waiting.accept(waiting.match.close_unopened(waiting.context))
    assert stranger.verify(file_of(waiting.match), VKEY) == 0
    played = committed(Sitting(toy_game)).play_on()
    assert stranger.verify(file_of(played.match), VKEY) > 0


def test_both_verifiers_find_a_salt_that_does_not_fit_its_hash(toy_game: Game) -> None:
    match = committed(Sitting(toy_game)).play_on().match
    for move, old in ((2, hashed(match.id, "left")), (4, salt_of("left"))):
        new = ("b" if old[0] == "a" else "a") + old[1:]
        data = rewritten(match, move, old.encode(), new.encode())
        with pytest.raises(stranger.Disproved, match="salts at move 4"):
            stranger.verify(data, VKEY)
        assert "chance" in {failure.check for failure in verify(data).failures}


def test_the_stranger_recomputes_the_open_draws_of_a_running_match() -> None:
    game = GAMES["cia_vs_kgb"]
    match = Sitting(game, 4).seat_all().play_on(120).match
    finished_periods = sum(len(getattr(record.entry, "keys", ())) for record in match.records)
    assert finished_periods > 1
    assert stranger.verify(file_of(match), VKEY) >= finished_periods


def test_the_stranger_takes_a_recorded_match_for_what_it_is(toy_game: Game) -> None:
    assert stranger.verify(file_of(recorded_match(toy_game)), VKEY) == 0


@pytest.mark.parametrize("part", ["log.ndjson", "private.ndjson", "checkpoints.txt", "manifest.json"])
def test_both_verifiers_find_a_flipped_byte(toy_game: Game, part: str) -> None:
    data = file_of(finished(toy_game, 2).match)
    content = parts_in(data)[part]
    for place in Random(part).sample(range(len(content)), 25):
        flipped = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
        damaged = with_part(data, part, flipped)
        assert not verify(damaged).ok
        with pytest.raises(stranger.Disproved):
            stranger.verify(damaged, VKEY)
