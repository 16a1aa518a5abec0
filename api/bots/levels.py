"""The levels of the server's bots: which games each can play, and how it finds its answers.

`act` is the one way from an observation to an answer: in a worker process, in a match between bots, in the
arena.  A level is a number of playouts, never a time, so that it is as strong on a slow machine, and so that
a decision repeats with its seed.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from msgspec import Struct

from domain.agents import AGENTS
from domain.agents.lookahead import look_ahead
from domain.agents.observation import Observation, table_of
from domain.agents.search import greedy, random_picks, search
from domain.agents.spec import Budget
from domain.kernel import Picks, Refused

RANDOM, EASY, HARD = "random", "easy", "hard"
AT_RANDOM, POLICY, GREEDY, PLAYOUTS = "random", "policy", "greedy", "playouts"
DEEP, TREE = "deep", "tree"
INSTANT = (AT_RANDOM, POLICY)  # methods that answer within 5 ms
SECONDS = 2.0  # for one action in a live match; then the best answer so far is given


class Method(Struct, frozen=True):
    """How a level plays one game.

    `random`, `policy`, `greedy` (one answer ahead) or `playouts`; with the functions that a game has for
    looking further ahead: `deep` (playouts) or `tree`.  `seconds` is the most that one decision may take in a
    live match: a part of the time for an action where an action takes several decisions.
    """

    name: str
    budget: Budget = Budget(0)
    seconds: float = SECONDS

    @property
    def is_instant(self) -> bool:
        """Does it answer within 5 ms, so that no process of its own is needed?"""
        return self.name in INSTANT

    @property
    def is_deep(self) -> bool:
        """Does it look further ahead, with the functions that a game has for this?"""
        return self.name in (DEEP, TREE)


class Level(Struct, frozen=True):
    """A bot that a player may invite, with its methods by game.

    It cannot play a game that is not there; `random` plays every game.
    """

    name: str
    methods: dict[str, Method]


LEVELS: dict[str, Level] = {
    RANDOM: Level(RANDOM, {}),
    EASY: Level(
        EASY,
        {
            "thirteen_minutes": Method(PLAYOUTS, Budget(60)),
            "cia_vs_kgb": Method(PLAYOUTS, Budget(24)),
            "twilight_struggle": Method(POLICY),
            "imperial_struggle": Method(GREEDY, Budget(2)),
        },
    ),
    HARD: Level(
        HARD,
        {
            "thirteen_minutes": Method(DEEP, Budget(300), SECONDS / 2),
            "cia_vs_kgb": Method(TREE, Budget(200)),
            "twilight_struggle": Method(DEEP, Budget(128)),
            "imperial_struggle": Method(TREE, Budget(100), SECONDS / 4),
        },
    ),
}
"""The levels, by name, the weakest first."""


def method_of(level: str, game: str) -> Method:
    """How a level plays a game.

    Raises:
        Refused: unknown-bot; there is no such level for this game.
    """
    if level == RANDOM:
        return Method(AT_RANDOM)
    known = LEVELS.get(level)
    if known is None or game not in known.methods:
        raise Refused("unknown-bot", "no-such-bot", {"bot": repr(level), "bots": names(game)})
    return known.methods[game]


def names(game: str) -> list[str]:
    """The levels that can play a game."""
    return [level.name for level in LEVELS.values() if level.name == RANDOM or game in level.methods]


def version_of(level: str, game: str) -> str:
    """The version of the code that plays; "" for a level that answers at random."""
    method = method_of(level, game)
    if method.name == AT_RANDOM:
        return ""
    return AGENTS[game].deep_version if method.is_deep else AGENTS[game].version


def agent_of(level: str, game: str) -> str:
    """What plays: the version of the code and, after a slash, its playouts; "" for a level at random.

    It stands in the log, and in all that is kept of matches between bots, so that none of it mixes budgets.
    """
    version, playouts = version_of(level, game), method_of(level, game).budget.playouts
    return f"{version}/{playouts}" if playouts else version


def act(
    level: str, observation: Observation, rng: random.Random, expired: Callable[[], bool] = lambda: False
) -> Picks:
    """The answer of a level to what a seat observes.

    Args:
        rng: everything that is random follows from it.
        expired: whether the time is up; then the best answer so far is given, and before a search that of
            the policy.

    Raises:
        Refused: unknown-bot.
    """
    method, question = method_of(level, observation.game), observation.prompt
    if method.name == AT_RANDOM:
        return random_picks(question, rng)
    if len(question.options) == question.least and not question.ordered:
        return question.options
    spec = AGENTS[observation.game]
    view = table_of(spec.game, observation)
    if method.name == POLICY or expired():
        return (spec.deeper if method.is_deep else spec).policy(view, observation.seat, question, rng)
    if method.name == GREEDY:
        return greedy(spec, view, question, method.budget, rng)
    if method.is_deep:
        tree = method.name == TREE
        return look_ahead(spec, view, question, method.budget, rng, expired, tree=tree)[0].picks
    return search(spec, view, question, method.budget, rng, expired)[0].picks


def by_policy(observation: Observation, rng: random.Random) -> Picks:
    """The answer of the game's policy alone: what is played if no process can search."""
    spec = AGENTS[observation.game]
    return spec.policy(table_of(spec.game, observation), observation.seat, observation.prompt, rng)
