"""The environment passes the tests of PettingZoo, and its matches can be proved (B15)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from api.research import aec
from domain.agents import AGENTS
from replay.verify import verify
from tests.test_imports import ROOT

GAMES = sorted(AGENTS)
ADVICE = (  # of PettingZoo's test, which knows observations with a mask in its own games only
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be",
    "We recommend agents to be named",
)
advised = pytest.mark.filterwarnings(*(f"ignore:{text}" for text in ADVICE))


@advised
@pytest.mark.parametrize("game", GAMES)
def test_it_passes_the_tests_of_pettingzoo(game: str) -> None:
    api_test(aec.env(game), num_cycles=60)
    seed_test(lambda: aec.env(game), num_cycles=40)


def test_a_match_of_the_environment_verifies(tmp_path: Path) -> None:
    env = aec.env("twilight_struggle", options={"handicap": 2})
    env.reset(seed=7)
    env.action_space("us").seed(1)
    rewards = {}
    for seat in env.agent_iter():
        observation, rewards[seat], terminated, truncated, _ = env.last()
        assert env.observation_space(seat).contains(observation)
        assert not truncated
        if terminated:
            assert not observation["action_mask"].any()
        action = None if terminated else env.action_space("us").sample(observation["action_mask"])
        env.step(None if action is None else int(action))
    assert sorted(rewards.values()) in ([-1, 1], [0, 0])
    env.unwrapped.write(tmp_path / "seven.glasnost")
    report = verify(tmp_path / "seven.glasnost")
    assert report.ok, report


def test_only_the_seat_whose_turn_it_is_may_act() -> None:
    env = aec.env("thirteen_minutes")
    env.reset(seed=1)
    now = env.agent_selection
    other = next(seat for seat in env.possible_agents if seat != now)
    assert env.observe(now)["action_mask"].any()
    assert not env.observe(other)["action_mask"].any()
    with pytest.raises(ValueError, match="is not legal"):
        env.step(int(env.action_space(now).n) - 1)
    with pytest.raises(ValueError, match="not over"):
        env.write("nowhere")


def test_an_observation_stays_as_it_was() -> None:
    env = aec.env("thirteen_minutes")
    env.reset(seed=1)
    first = env.observe("us")
    kept = {name: array.copy() for name, array in first.items()}
    env.step(int(np.flatnonzero(first["action_mask"])[0]))
    env.observe("us")
    assert all((first[name] == kept[name]).all() for name in kept)


def test_a_seed_gives_the_same_match_in_every_process() -> None:
    code = """
import hashlib
from api.research import aec
env = aec.env("cia_vs_kgb")
env.reset(seed=11)
digest = hashlib.sha256()
for number in range(150):
    observation, *_ = env.last()
    digest.update(observation["observation"].tobytes() + observation["action_mask"].tobytes())
    legal = observation["action_mask"].nonzero()[0]
    env.step(int(legal[number % len(legal)]))
print(digest.hexdigest())
"""
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": hashed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hashed in ("1", "2")
    }
    assert len(said) == 1


def test_without_a_seed_matches_differ() -> None:
    env = aec.env("thirteen_minutes")
    ids = set()
    for _ in range(3):
        env.reset()
        ids.add(env.match_state._episode.match)
    assert len(ids) == 3
