"""The bodies of answers about bots: levels, strengths, and their analysis of a match that is over."""

from __future__ import annotations

from msgspec import Struct


class BotStrength(Struct, frozen=True):
    """What matches against another bot have shown: `low` and `high` are the 95 % interval of its share.

    `milliseconds` is the mean of a decision on the machine that measured it.
    """

    against: str
    matches: int
    points: float
    low: float
    high: float
    milliseconds: float
    seed: str


class BotMethod(Struct, frozen=True):
    """How a bot plays one game: at random, by its policy, greedily, or by so many `playouts` a decision
    (`playouts`, `deep`, or `tree`).

    `version` is that of its code (empty at random).  `offered`: this server can run it.  `strength` is null
    while it has not been measured for this version and these playouts.
    """

    method: str
    playouts: int
    version: str
    offered: bool
    strength: BotStrength | None


class BotView(Struct, frozen=True):
    """A bot of the server, with the games that it plays."""

    name: str
    games: dict[str, BotMethod]


class BotList(Struct, frozen=True):
    """The bots of the server, the weakest first."""

    bots: list[BotView]


class AnalysisProgress(Struct, frozen=True):
    """How far an analysis is: `done` of `of` answers; 0 of 0 while others come first."""

    done: int
    of: int


class AnalysisAgent(Struct, frozen=True):
    """Whose opinion it is: the agent of a level, here with so many `playouts` for each answer.

    `version` is that of everything by which it judges.  `strength`: of the level as it plays; null if this
    version was not measured.
    """

    level: str
    version: str
    playouts: int
    strength: BotStrength | None


class SuggestionView(Struct, frozen=True):
    """An answer that the agent compared: `win_probability` of the asked seat, by what it knew; `said`: in
    words."""

    picks: list[str]
    said: str
    win_probability: float
    playouts: int


class AnalysedMove(Struct, frozen=True):
    """One answer of a match that is over; `said`: what was picked, in words.

    `before`, `after`: the win probability of the seat `first`, with everything open; `luck`: how much of the
    change its draws brought.  `known`: the same as `before`, by what the asked seat knew; `best`: what the
    agent would have played, the best first (empty: there was no choice); `loss`: by how much it is better for
    the seat, in the agent's opinion.  `known` and `loss` are null where today's rules cannot say them.
    """

    move: int
    seat: str
    ask: str
    picks: list[str]
    said: str
    before: float
    after: float
    luck: float
    known: float | None
    loss: float | None
    best: list[SuggestionView]


class AnalysisView(Struct, frozen=True):
    """What an agent thinks of a match that is over.

    `start`: the win probability of the seat `first` when play began; `result`: 1 won, 0.5 drawn, 0 lost.
    `luck` and `choices` are changes by seat, each for that seat; `ending`: what ended the match otherwise
    than by play, for `first`.  For `first`: start + its luck + its choices - the choices of the other +
    ending = result.  `turning_points`: the moves with the greatest changes.
    """

    match: str
    agent: AnalysisAgent
    first: str
    start: float
    result: float
    luck: dict[str, float]
    choices: dict[str, float]
    ending: float
    turning_points: list[int]
    moves: list[AnalysedMove]
