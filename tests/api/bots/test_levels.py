"""The levels of the bots: none of them peeks, and each decision repeats with its seed (B7, B9, B10)."""

from __future__ import annotations

import importlib.resources
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from api.bots.action import Action
from api.bots.levels import EASY, HARD, LEVELS, RANDOM, act, agent_of, by_policy, method_of, names, version_of
from api.bots.worker import Task, thought
from domain.agents import AGENTS
from domain.agents.observation import Observation, table_of
from domain.agents.spec import AgentSpec
from domain.game import hash_of, source_files
from domain.kernel import Picks, Refused, prompt
from tests.api.bots.budgets import with_budget
from tests.domain.agents.laws import Question, observed, other_world
from tests.domain.agents.test_determinization import GAMES, asked_of

PAIRS = 200 if os.environ.get("GLASNOST_FULL") else 6
ROOT = Path(__file__).parents[3]
FEW = 12  # playouts of `hard` in the quick tests: the same code, less of it


@pytest.fixture(autouse=True)
def cheap(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Outside of the long tests `hard` has few playouts."""
    if request.node.get_closest_marker("long") is None:
        with_budget(HARD, FEW, monkeypatch)


def worlds(spec: AgentSpec[Any], pairs: int, seed: int = 0) -> list[tuple[Question, Any]]:
    """Questions, each with a second world that the asked seat cannot tell apart."""
    luck, found = Random(seed), list[tuple[Question, Any]]()
    while len(found) < pairs:
        asked = asked_of(spec, seed)
        for question in luck.sample(asked, min(4, len(asked))):
            other = other_world(spec, question, luck)
            if other is not None:
                found.append((question, other))
        seed += 1
    return found[:pairs]


def check_two_worlds(spec: AgentSpec[Any], question: Question, other: Any, seed: int) -> None:
    """Both worlds give the seat the same bytes, and every level picks alike."""
    same = observed(spec, other, question.view, question.seat)
    assert msgspec.json.encode(same) == msgspec.json.encode(question.observation)
    for level in LEVELS:
        assert act(level, same, Random(seed)) == act(level, question.observation, Random(seed))


@pytest.mark.parametrize("game", GAMES)
def test_no_level_peeks(game: str) -> None:
    for seed, (question, other) in enumerate(worlds(AGENTS[game], 4)):
        check_two_worlds(AGENTS[game], question, other, seed)


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_no_level_peeks_in_many_worlds(game: str) -> None:
    for seed, (question, other) in enumerate(worlds(AGENTS[game], PAIRS, 1_000)):
        check_two_worlds(AGENTS[game], question, other, seed)
    print(f"{game}: {PAIRS} pairs of worlds, every level picks alike")


def test_a_bot_that_peeks_is_found() -> None:
    """It is given the true table as if it were its seat's own fold."""
    spec = AGENTS["twilight_struggle"]

    def peeking(world: Any, question: Question) -> Observation:
        return observed(spec, world, replace(world, agenda=()), question.seat)

    seen = 0
    for question, other in worlds(spec, 12):
        if msgspec.json.encode(peeking(question.world, question)) != msgspec.json.encode(
            peeking(other, question)
        ):
            seen += 1
    assert seen == 12


def test_a_level_that_peeks_is_found() -> None:
    """It is given the true table as its seat's own fold: then its picks differ between two worlds."""
    spec, differing = AGENTS["thirteen_minutes"], 0
    for question, other in worlds(spec, 20):
        true, changed = (
            observed(spec, world, replace(world, agenda=()), question.seat)
            for world in (question.world, other)
        )
        differing += act(HARD, true, Random(1)) != act(HARD, changed, Random(1))
    assert differing


@pytest.mark.parametrize("game", GAMES)
def test_every_level_answers_legally(game: str) -> None:
    spec = AGENTS[game]
    for number, question in enumerate(asked_of(spec, 3)[::12]):
        for answer in _answers(question.observation):
            picks, asked = answer(Random(number)), question.observation.prompt
            assert asked.least <= len(picks) <= asked.most
            assert len(set(picks)) == len(picks)
            assert set(picks) <= set(asked.options)
            assert prompt(question.world, question.seat) == asked


def _answers(observation: Observation) -> list[Callable[[Random], Picks]]:
    found: list[Callable[[Random], Picks]] = [lambda rng: by_policy(observation, rng)]
    return [*found, *(lambda rng, level=level: act(level, observation, rng) for level in LEVELS)]


def test_a_decision_repeats_in_another_process() -> None:
    """B9: under another PYTHONHASHSEED, and from the bytes of the observation alone."""
    tasks = [
        Task(level, 77, one.observation)
        for game in GAMES
        for one in [one for one in asked_of(AGENTS[game], 5)[6:] if len(one.observation.prompt.options) > 2][
            :2
        ]
        for level in (EASY, HARD)
    ]
    code = (
        "import sys, msgspec; from random import Random; from msgspec.structs import replace;"
        "from api.bots.levels import LEVELS, Level, act; from api.bots.worker import Task;"
        "from domain.agents.spec import Budget;"
        f"few = {{g: replace(m, budget=Budget({FEW})) for g, m in LEVELS['hard'].methods.items()}};"
        "LEVELS['hard'] = Level('hard', few);"
        "tasks = msgspec.json.decode(sys.stdin.buffer.read(), type=list[Task]);"
        "found = [act(task.level, task.observation, Random(task.seed)) for task in tasks];"
        "sys.stdout.buffer.write(msgspec.json.encode(found))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code],
        input=msgspec.json.encode(tasks),
        env={**os.environ, "PYTHONHASHSEED": "7"},
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    here = [act(task.level, task.observation, Random(task.seed)) for task in tasks]
    assert [tuple(picks) for picks in msgspec.json.decode(found.stdout)] == here
    assert len(here) == 4 * len(GAMES)


def test_a_process_gives_a_decision_its_part_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """An action of Imperial Struggle takes several decisions, so each has a part of the two seconds."""
    question = next(
        one for one in asked_of(AGENTS["cia_vs_kgb"], 5)[6:] if len(one.observation.prompt.options) > 2
    )
    times, asked = iter([0.0, 1.3, 1.5, 1.7]), list[bool]()

    def looks_twice(level: str, observation: Observation, rng: Random, expired: Callable[[], bool]) -> Picks:
        asked.extend([expired(), expired()])
        return observation.prompt.options[:1]

    monkeypatch.setattr("api.bots.worker.act", looks_twice)
    monkeypatch.setattr("api.bots.worker.time", SimpleNamespace(monotonic=lambda: next(times)))
    found = thought(Task(HARD, 1, question.observation, 1.4))
    assert (found.picks, found.seconds) == (question.observation.prompt.options[:1], 1.7)
    assert asked == [False, True]


def test_the_decisions_of_an_action_share_two_seconds() -> None:
    """An action of Imperial Struggle takes several decisions, so each has at most a part of them."""
    action = Action()
    assert method_of(HARD, "imperial_struggle").seconds < action.allows(HARD, "cia_vs_kgb") == 2.0
    action.spend(1.75)
    assert action.allows(HARD, "imperial_struggle") == action.allows(HARD, "cia_vs_kgb") == 0.25
    action.spend(1.0)
    assert action.allows(HARD, "imperial_struggle") == 0


@pytest.mark.parametrize("game", GAMES)
def test_where_no_time_is_left_the_rules_of_thumb_answer(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = AGENTS[game]
    for name in ("look_ahead", "search"):
        monkeypatch.delattr(f"api.bots.levels.{name}")
    for question in asked_of(spec, 3)[::40]:
        seen, told = question.observation, question.observation.prompt
        picks = act(HARD, seen, Random(1), lambda: True)
        certain = len(told.options) == told.least and not told.ordered
        view = table_of(spec.game, seen)
        assert picks == (told.options if certain else spec.deeper.policy(view, seen.seat, told, Random(1)))


def test_a_game_has_its_levels_and_an_unknown_one_is_refused_with_the_list() -> None:
    for game in AGENTS:
        assert names(game) == ["random", "easy", "hard"]
        assert version_of(EASY, game) == AGENTS[game].version != AGENTS[game].game.rules
        assert version_of(HARD, game) == AGENTS[game].deep_version != AGENTS[game].version
        assert version_of("random", game) == ""
    with pytest.raises(Refused) as refused:
        method_of("grandmaster", "cia_vs_kgb")
    assert (refused.value.kind, refused.value.values["bots"]) == ("unknown-bot", ["random", "easy", "hard"])
    assert names("toy") == ["random"]


@pytest.mark.parametrize("level", [EASY, HARD])
def test_an_agent_is_another_with_another_budget(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {game: agent_of(level, game) for game in AGENTS}
    with_budget(level, 7, monkeypatch)
    assert {game: agent_of(level, game) for game in AGENTS} == {
        game: f"{version_of(level, game)}/7" for game in AGENTS
    }
    assert not set(before.values()) & {agent_of(level, game) for game in AGENTS}
    assert {agent_of(RANDOM, game) for game in AGENTS} == {""}


def fresh(spec: AgentSpec[Any]) -> AgentSpec[Any]:
    """The same spec, whose version is not known yet."""
    return AgentSpec(
        spec.game,
        determinize=spec.determinize,
        policy=spec.policy,
        evaluate=spec.evaluate,
        is_quiet=spec.is_quiet,
        actions=spec.actions,
        encoding=spec.encoding,
        deep=spec.deep,
    )


def versions() -> dict[str, tuple[str, str]]:
    """The versions of each game's agents, computed anew: of `easy`, and of `hard`."""
    return {game: (fresh(spec).version, fresh(spec).deep_version) for game, spec in AGENTS.items()}


def test_a_changed_agent_has_another_version_and_leaves_the_rules_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A better bot must not look like changed rules, nor like another bot of another game."""
    before = versions()
    copy = tmp_path / "domain"
    shutil.copytree(ROOT / "domain", copy)
    monkeypatch.setattr(importlib.resources, "files", lambda name: copy)
    rules = {game: source_hash(copy, game) for game in AGENTS}
    assert versions() == before
    with (copy / "agents" / "cia_vs_kgb" / "encoding.py").open("a") as file:
        file.write("# more for people who train agents")
    assert versions() == before
    with (copy / "agents" / "cia_vs_kgb" / "policy.py").open("a") as file:
        file.write("# a better bot")
    changed = versions()
    assert {game for game in AGENTS if changed[game] != before[game]} == {"cia_vs_kgb"}
    assert all(now != old for now, old in zip(changed["cia_vs_kgb"], before["cia_vs_kgb"], strict=True))
    with (copy / "agents" / "imperial_struggle" / "deep.py").open("a") as file:
        file.write("# a better hard bot")
    with (copy / "agents" / "tree.py").open("a") as file:
        file.write("# a better tree")
    assert {game: easy for game, (easy, _) in versions().items()} == {
        game: easy for game, (easy, _) in changed.items()
    }
    assert all(versions()[game][1] != hard for game, (_, hard) in changed.items())
    assert {game: source_hash(copy, game) for game in AGENTS} == rules
    with (copy / "agents" / "search.py").open("a") as file:
        file.write("# a better search")
    assert all(versions()[game][0] != easy for game, (easy, _) in before.items())


def source_hash(root: Path, game: str) -> str:
    """The hash of a game's rules, computed anew."""
    shared = [root / name for name in ("choices.py", "kernel.py", "piles.py")]
    found = hash_of([*shared, *source_files(root / game)])
    assert found == AGENTS[game].game.rules
    return found
