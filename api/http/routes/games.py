"""The games of the house."""

from __future__ import annotations

from api.http.edge import Api, Call
from api.http.params import GameName
from api.http.problems import Failed
from api.http.shapes import GameDetail, GameList
from api.http.views import game_detail, game_view
from domain.games import GAMES

api = Api("games", "The games of the house: editions, options, components.")


@api.get("/v1/games", GameList)
async def list_games(call: Call) -> GameList:
    """The games with their titles, editions and options."""
    call.final = True
    return GameList([game_view(game) for game in GAMES.values()])


@api.get("/v1/games/{game}", GameDetail, refusals=(404,))
async def read_game(call: Call, game: GameName) -> GameDetail:
    """One game with its components; names and card texts in English and Russian."""
    if game not in GAMES:
        raise Failed("unknown-game", f"there are {', '.join(GAMES)}")
    call.final = True
    return game_detail(GAMES[game])
