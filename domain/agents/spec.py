"""What a game offers to agents: the functions of a spec, and the values that they share.

Everything here is pure: random numbers and the question whether the time is up are handed in.
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Callable, Set
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

SHARED = ("determinization.py", "observation.py", "search.py")
DEEP_SHARED = ("lookahead.py", "tree.py")
DEEP = "deep.py"
"""The file of a game's agent by which only bots decide that look further ahead."""


class Deep(Struct, Generic[T], frozen=True):
    """What a search that looks further ahead uses in the place of a spec's own functions.

    Args:
        policy: answers in playouts, and what does not matter.
        evaluate: the value of a table for a seat, in points of the game; a result outweighs everything.
        is_quiet: whether a playout that began at the first table may be cut at the second one.
        narrow: the options of a question that are worth a search, from a seat's own fold; none of them: the
            policy answers.
        scale: the points of `evaluate` between an even table and one that is as good as won, for a tree.
    """

    policy: Callable[[T, Seat, Prompt, Rng], Picks]
    evaluate: Callable[[T, Seat], float]
    is_quiet: Callable[[T, T], bool]
    narrow: Callable[[T, Prompt, Rng], Picks]
    scale: float = 1.0


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
        deep: what a search that looks further ahead uses instead; None: the same functions.
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
        deep: Deep[T] | None = None,
        win_probability: Callable[[T, Seat], float] = by_result,
    ) -> None:
        self.game, self.determinize, self.policy = game, determinize, policy
        self.evaluate, self.is_quiet = evaluate, is_quiet
        self.actions, self.encoding, self.deep = actions, encoding, deep
        self.win_probability = win_probability

    @cached_property
    def version(self) -> str:
        """Hash of the code and data that decide for an agent: what agents share, and the game's own part.

        Not in it is what only people who train agents use, what only judges finished matches
        (`judging_version`), what only names the parts, and what only `deep_version` covers.
        """
        return self._hash(SHARED, NOT_DECIDING | {DEEP})

    @cached_property
    def deep_version(self) -> str:
        """The same for an agent that looks further ahead."""
        return self._hash((*SHARED, *DEEP_SHARED), NOT_DECIDING)

    def _hash(self, shared: tuple[str, ...], left_out: Set[str]) -> str:
        root = importlib.resources.files("domain") / "agents"
        own = source_files(root / self.game.name)
        return hash_of(
            [*(root / name for name in shared), *(file for file in own if file.name not in left_out)]
        )

    @cached_property
    def judging_version(self) -> str:
        """Hash of everything by which finished matches are judged: what decides, and the win probability."""
        root = importlib.resources.files("domain") / "agents"
        own = [file for file in source_files(root / self.game.name) if file.name in JUDGING]
        return hash_of([root / "win_probability.py", *own])[:8] + self.version[:8]

    @cached_property
    def deeper(self) -> AgentSpec[T]:
        """The spec with the functions of `deep`."""
        deep = self.deep
        assert deep is not None, f"{self.game.name} has no functions for a deep search"
        return AgentSpec(
            self.game,
            determinize=self.determinize,
            policy=deep.policy,
            evaluate=deep.evaluate,
            is_quiet=deep.is_quiet,
            actions=self.actions,
            encoding=self.encoding,
            deep=deep,
            win_probability=self.win_probability,
        )
