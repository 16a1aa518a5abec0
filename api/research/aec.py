"""A game as an environment of PettingZoo (AEC: agents act in turn); needs the extra `research`.

    env = aec.env("thirteen_minutes")
    env.reset(seed=7)
    for seat in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()

An observation is a dict: "observation" holds float32 numbers, "action_mask" an int8 for each action.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv

from api.research.episode import Setting
from api.research.state import NOTHING, State
from domain.game import OptionValue
from domain.kernel import Seat

Seen = dict[str, NDArray[Any]]
LARGEST = np.finfo(np.float32).max  # of an observed number; few exceed 1


class MatchEnv(AECEnv[Seat, Seen, int]):
    """One match after another; the agents are the seats.

    `state` is the current one (a method of that name is PettingZoo's, so it is called `match_state`).

    Args:
        game: the name of a game.
        edition: "" for the first one.
        options: those that differ from the defaults.

    Raises:
        KeyError: there is no such game.
        Refused: bad-option; an edition or option is not legal.
    """

    def __init__(self, game: str, edition: str = "", options: Mapping[str, OptionValue] = NOTHING) -> None:
        super().__init__()
        self._setting = Setting(game, edition, dict(options))
        first = State.of(self._setting, 0)
        self.metadata = {"name": f"glasnost_{game}", "is_parallelizable": False, "render_modes": []}
        self.render_mode = None
        self.possible_agents = list(first.players)
        self.agents: list[Seat] = []
        self._no_actions = bytes(first.num_actions)
        numbers = gymnasium.spaces.Box(-LARGEST, LARGEST, (first.observation_size,), np.float32)
        mask = gymnasium.spaces.Box(0, 1, (first.num_actions,), np.int8)
        self.observation_spaces = {
            seat: gymnasium.spaces.Dict({"observation": numbers, "action_mask": mask})
            for seat in self.possible_agents
        }
        self.action_spaces = {
            seat: gymnasium.spaces.Discrete(first.num_actions) for seat in self.possible_agents
        }
        self.match_state = first

    def observation_space(self, agent: Seat) -> gymnasium.spaces.Dict:
        """See PettingZoo."""
        return self.observation_spaces[agent]

    def action_space(self, agent: Seat) -> gymnasium.spaces.Discrete:
        """See PettingZoo."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, object] | None = None) -> None:
        """Begin a match.

        Args:
            seed: the same seed gives the same draws in every process; None: a random one.
            options: PettingZoo's; they are ignored.  Those of the game are given to `env`.
        """
        chosen = secrets.randbits(128) if seed is None else seed
        self.match_state = State.of(self._setting, chosen)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[Seat, dict[str, Any]] = {seat: {} for seat in self.agents}
        self.agent_selection = self.match_state.current_player()
        self._skip_agent_selection = None

    def observe(self, agent: Seat) -> Seen:
        """What a seat knows, and what it may do; of a seat that is not asked, no action is legal."""
        state = self.match_state
        numbers, mask = state.numbers(agent), bytearray(self._no_actions)
        if state.current_player() == agent:
            state.mark_legal_actions(mask)
        return {
            "observation": np.frombuffer(numbers, np.float32),
            "action_mask": np.frombuffer(mask, np.int8),
        }

    def step(self, action: int | None) -> None:
        """Take an action for the agent whose turn it is; None once the match is over.

        Raises:
            ValueError: the action is not legal.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        state = self.match_state
        state.apply_action(int(action))  # type: ignore[arg-type]
        if state.is_terminal():
            self.rewards = state.returns()
            self.terminations = dict.fromkeys(self.agents, True)
            self._accumulate_rewards()
            self._deads_step_first()
        else:
            self.agent_selection = state.current_player()

    def write(self, path: str | Path) -> None:
        """Write the match file of the finished match, which `glasnost verify` checks.

        Raises:
            ValueError: the match is not over.
            OSError: the file cannot be written.
        """
        Path(path).write_bytes(self.match_state.match_file())

    def render(self) -> None:
        """There is nothing to see here: replay the match file."""

    def close(self) -> None:
        """Nothing is open."""


def env(game: str, edition: str = "", options: Mapping[str, OptionValue] = NOTHING) -> MatchEnv:
    """The environment of a game; see `MatchEnv`."""
    return MatchEnv(game, edition, options)
