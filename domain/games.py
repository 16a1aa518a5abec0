"""All games of the server, by name."""

from __future__ import annotations

from domain import cia_vs_kgb, imperial_struggle, thirteen_minutes, twilight_struggle
from domain.game import Game

GAMES: dict[str, Game] = {
    game.name: game
    for game in (thirteen_minutes.GAME, cia_vs_kgb.GAME, twilight_struggle.GAME, imperial_struggle.GAME)
}
