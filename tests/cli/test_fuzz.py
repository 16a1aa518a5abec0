"""`glasnost fuzz`: random legal play; what fails is left behind as a match file and a script."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.cli import fuzz
from api.cli.fuzz import Count, Match, Stuck, check, random_options
from domain.game import Game
from domain.games import GAMES
from domain.kernel import Picks, Resolution
from replay import matchfile
from tests.cli.program import Program
from tests.domain import toy


@pytest.mark.parametrize("game", sorted(GAMES))
def test_random_matches_end_and_are_counted(glasnost: Program, game: str) -> None:
    shown = glasnost("fuzz", game, "--matches", "20", "--seed", "7", "--json").json
    assert (shown["game"], shown["matches"], shown["seed"], shown["ok"]) == (game, 20, "7", True)
    assert 0 < shown["chance"] < shown["answers"]
    again = glasnost("fuzz", game, "--matches", "20", "--seed", "7", "--json").json
    assert (again["answers"], again["chance"]) == (shown["answers"], shown["chance"])
    assert "answers/s" in glasnost("fuzz", game, "--matches", "1").ok().out


@pytest.mark.parametrize("game", sorted(GAMES))
def test_options_may_vary_from_match_to_match(glasnost: Program, game: str) -> None:
    fixed = glasnost("fuzz", game, "--matches", "10", "--json").json
    varied = glasnost("fuzz", game, "--matches", "10", "--vary", "--json").json
    assert fixed["answers"] != varied["answers"]


@pytest.mark.parametrize("game", sorted(GAMES))
def test_random_options_are_legal_and_reach_every_choice(game: str) -> None:
    found: dict[str, set[object]] = {}
    for seed in range(60):
        value = random_options(GAMES[game], str(seed))
        options = {option.name: value(option.name) for option in GAMES[game].options}
        GAMES[game].settle(None, options)
        for name, chosen in options.items():
            found.setdefault(name, set()).add(chosen)
    for option in GAMES[game].options:
        assert found[option.name] >= set(option.choices)


def test_what_fails_is_left_behind_and_can_be_played_again(
    glasnost: Program, toy_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: toy.Turn, s: toy.State, seat: str, picks: Picks) -> Resolution[toy.State]:
        if picks == ("wave",) and s.round == 2:
            raise KeyError("nobody waves in round 2")
        yield from run(self, s, seat, picks)

    run = toy.Turn.run
    monkeypatch.setattr(toy.Turn, "run", broken)
    done = glasnost("fuzz", "toy", "--matches", "100", "--seed", "a/../b")
    done.refused(1, "KeyError", "nobody waves", "fuzz-toy-a-b-", "is left in")
    [file] = Path().glob("fuzz-toy-*.glasnost")
    [script] = Path().glob("fuzz-toy-*.json")
    match = matchfile.read(file).match()
    assert match.table_at(match.move, "all").round == 2
    assert "ok:" in glasnost("verify", file).out
    again = glasnost("script", script, "--json")
    assert again.code == 2
    assert "nobody waves in round 2" in again.err


def test_a_failure_before_the_first_question_is_left_behind_too(
    glasnost: Program, toy_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: toy.Round, s: toy.State, seat: str, picks: Picks) -> Resolution[toy.State]:
        raise ZeroDivisionError
        yield

    monkeypatch.setattr(toy.Round, "run", broken)
    glasnost("fuzz", "toy").refused(1, "match 1/1: ZeroDivisionError", "answer 0 failed")
    assert [path.suffix for path in sorted(Path().iterdir())] == [".glasnost", ".json"]


def test_a_game_without_an_end_is_a_failure(
    glasnost: Program, toy_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(self: toy.Turn, s: toy.State, seat: str, picks: Picks) -> Resolution[toy.State]:
        yield self

    monkeypatch.setattr(toy.Turn, "run", endless)
    monkeypatch.setattr(fuzz, "MOST_ANSWERS", 50)
    glasnost("fuzz", "toy").refused(1, "Stuck: no end after 50 answers")


def test_a_question_without_a_legal_answer_is_a_failure(
    glasnost: Program, toy_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toy.Turn, "bounds", lambda self, s, seat: (9, 9))
    glasnost("fuzz", "toy").refused(1, "Stuck", "wants 9 picks of")


def test_facts_that_do_not_fold_to_the_table_are_a_failure(
    toy_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = Match(toy_game, *toy_game.settle(None, {}), "1", keep=True)
    match.play(Count())
    check(match)
    match.facts.pop()
    with pytest.raises(AssertionError, match="fold"):
        check(match)


def test_stuck_is_no_assertion() -> None:
    assert not issubclass(Stuck, AssertionError)


def test_what_cannot_be_fuzzed_is_refused(glasnost: Program) -> None:
    glasnost("fuzz", "nonsense").refused(2, "no game 'nonsense'")
    glasnost("fuzz", "cia_vs_kgb", "--matches", "many").refused(2, "many")
    glasnost("fuzz", "cia_vs_kgb", "--leave", "nowhere").refused(2, "nowhere")
    glasnost("fuzz", "cia_vs_kgb", "--option", "tie_break=x").refused(2, "faction_sum")
