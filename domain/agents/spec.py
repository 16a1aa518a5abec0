"""What a game offers to agents: the functions of a spec, and the values that they share.

Everything here is pure: random numbers and the question whether the time is up are handed in.
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Callable
from functools import cached_property
from typing import Generic, Protocol, TypeVar

from msgspec import Struct

from domain.agents.actions import ActionSpace
from domain.agents.encoding import Encoding
from domain.game import Game, Options, hash_of, source_files
from domain.kernel import Picks, Prompt, Seat, Table

T = TypeVar("T", bound=Table)


class Rng(Protocol):
    """A source of random numbers; `random.Random` fits."""

    def random(self) -> float:
        """A number from 0 up to, and without, 1."""


class Budget(Struct, frozen=True):
    """How much a search may do: `playouts` in all, over at most `candidates` answers to one question.

    It is a number of playouts and no time, so that a decision can be repeated.
    """

    playouts: int
    candidates: int = 64


class ScoredAction(Struct, frozen=True):
    """An answer as a search found it: its mean `value` over its `playouts`, in the game's own points."""

    picks: Picks
    playouts: int
    value: float


JUDGING = frozenset({"win_probability.py", "win_probability.json"})
"""The files of a game's agent by which finished matches are judged, and no bot decides."""
NOT_DECIDING = frozenset({"__init__.py", "actions.py", "encoding.py", "sides.py"}) | JUDGING
"""The files of a game's agent by which no bot decides."""


def by_result(s: Table, seat: Seat) -> float:
    """The win probability of a seat where only the result is known: 1, 0, and 0.5 for a draw or none yet."""
    return 0.5 if s.result is None or s.result.winner is None else float(s.result.winner == seat)


class AgentSpec(Generic[T]):
    """What a game hands in for its agents.

    Args:
        game: the game.
        determinize: a seat's own fold, with its agenda, to a whole table that agrees with it.
        policy: an answer without looking ahead, from a seat's own fold or a whole table.
        evaluate: the value of a table for a seat, in points of the game; a result outweighs everything.
        is_quiet: whether a playout that began at the first table may be cut at the second one.
        actions: the action space of matches with these options.
        encoding: how a seat's own fold becomes numbers, in matches with these options.
        win_probability: how often a seat wins from whole tables like this one, from 0 to 1.
    """

    def __init__(
        self,
        game: Game,
        *,
        determinize: Callable[[T, Rng], T],
        policy: Callable[[T, Seat, Prompt, Rng], Picks],
        evaluate: Callable[[T, Seat], float],
        is_quiet: Callable[[T, T], bool],
        actions: Callable[[Options], ActionSpace],
        encoding: Callable[[Options], Encoding[T]],
        win_probability: Callable[[T, Seat], float] = by_result,
    ) -> None:
        self.game, self.determinize, self.policy = game, determinize, policy
        self.evaluate, self.is_quiet = evaluate, is_quiet
        self.win_probability = win_probability
        self.actions, self.encoding = actions, encoding

    @cached_property
    def version(self) -> str:
        """Hash of the code and data that decide for an agent: what agents share, and the game's own part.

        What only people who train agents use, what only judges finished matches (`judging_version`), and what
        only names the parts, is not in it.
        """
        root = importlib.resources.files("domain") / "agents"
        shared = [root / name for name in ("determinization.py", "observation.py", "search.py")]
        own = source_files(root / self.game.name)
        return hash_of([*shared, *(file for file in own if file.name not in NOT_DECIDING)])

    @cached_property
    def judging_version(self) -> str:
        """Hash of everything by which finished matches are judged: what decides, and the win probability."""
        root = importlib.resources.files("domain") / "agents"
        own = [file for file in source_files(root / self.game.name) if file.name in JUDGING]
        return hash_of([root / "win_probability.py", *own])[:8] + self.version[:8]
