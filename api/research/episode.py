"""What all states of one episode share: the rules in force, the action space, the encoding, the dice."""

from __future__ import annotations

import hashlib
from typing import Any, Literal

from msgspec import Struct

from api.bots.levels import LEVELS, agent_of
from api.gate.bots import player_of
from api.seeded import seeded_secret
from api.settings import product
from domain.agents import AGENTS
from domain.agents.actions import ActionSpace
from domain.agents.encoding import Encoding
from domain.agents.spec import AgentSpec
from domain.chance import Provable, Secret, Source, joined
from domain.drafts import Context
from domain.game import Game, Options
from domain.kernel import AnyFact, Fact, Picks, Table
from domain.log import canonical
from domain.match import Match, open_match

Chance = Literal["sampled", "explicit"]
BOT = "research"  # who sits on the seats in the log, if the caller names no level


class _Named(Struct, frozen=True):
    """What the id of an episode's match is made of."""

    game: str
    edition: str
    options: dict[str, Any]
    seed: str
    bots: tuple[str, ...]


class Setting:
    """What all episodes of a game with the same options share.

    Args:
        game: the name of a game.
        edition: "" for the first one.
        options: those that differ from the defaults.

    Raises:
        KeyError: there is no such game.
        Refused: bad-option; see `Game.settle`.
    """

    def __init__(self, game: str, edition: str, options: Options) -> None:
        self.spec: AgentSpec[Any] = AGENTS[game]
        self.game: Game = self.spec.game
        self.edition, self.options = self.game.settle(edition or None, options)
        self.actions: ActionSpace = self.spec.actions(self.options)
        self.encoding: Encoding[Any] = self.spec.encoding(self.options)
        self.empty: Table = self.game.table(self.edition, self.options)
        self.salts = joined(dict.fromkeys(self.game.seats))
        kinds: tuple[type[AnyFact], ...] = self.game.facts.__args__
        self.private = frozenset(
            kind for kind in kinds if kind.conceals or kind.known_to is not Fact.known_to
        )  # not every viewer sees such a fact in full


class Episode:
    """One episode: everything in it that is not an answer follows from these.

    Args:
        setting: what it shares with others.
        seed: from 0 up to, and without, 2 to the power of 256.
        bots: who sits on each seat, by the names of their levels; () for no bot in particular.
    """

    def __init__(self, setting: Setting, seed: int, bots: tuple[str, ...] = ()) -> None:
        if not 0 <= seed < 1 << 256:
            raise ValueError("a seed is a number from 0 up to, and without, 2 to the power of 256")
        self.setting, self.bots = setting, bots or (BOT,) * len(setting.game.seats)
        self.seed = f"{seed:064x}"
        named = _Named(setting.game.name, setting.edition, setting.options, self.seed, self.bots)
        self.match = f"seed-{hashlib.sha256(canonical(named)).hexdigest()[:24]}"
        self.secret = Secret(seeded_secret(self.seed), self.match)
        self.source: Source = Provable(self.secret, setting.salts)


class Record:
    """The match of an episode, answer by answer through `Match`, as the server would judge and record it.

    Args:
        episode: its dice draw.
    """

    def __init__(self, episode: Episode) -> None:
        setting, secret = episode.setting, episode.secret
        self._context = Context(secret, None, product())
        opening = open_match(
            self._context,
            setting.game,
            setting.edition,
            setting.options,
            match=episode.match,
            origin="seeded",
            opener=None,
        )
        self.match = Match(opening.records[0].entry)
        self.match.accept(opening.records[0])
        for seat, bot in zip(setting.game.seats, episode.bots, strict=True):
            agent = agent_of(bot, setting.game.name) if bot in LEVELS else ""
            player = player_of(bot)
            draft = self.match.sit(self._context, seat, player, salt=None, bot=bot, source=None, agent=agent)
            self.match.add(draft)

    def play(self, seat: str, picks: Picks) -> None:
        """Add the next answer, and what chance draws after it."""
        self.match.add(self.match.play(self._context, seat, [picks]))
