"""What the pages over the data set share: how they ask the data process, and rates as they are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import urlencode

import httptools
import msgspec
from msgspec import Struct

from api.http.data_schemas import Sample
from api.http.routing import Call
from domain.game import Game
from domain.games import GAMES
from domain.kernel import Refused
from domain.match_base import LIVE
from replay.dataset.queries import ALL_POOLS
from replay.game_words import title_of
from replay.words import Words

POOLS_OF_DATA = (LIVE, "bots", "solo", "seeded", "scripted", "branch", "imported", "uploaded", ALL_POOLS)
FEW = 30  # cases, below which a row is grey
_ERROR = 400

T = TypeVar("T", bound=Sample)


class Asked(Struct):
    """What came of asking the data process.

    answer: what it answered; None if nothing was asked, or it could not be answered.
    away: no data set is served here, or the process is being started.
    wrong: why it cannot be answered, in words.
    """

    answer: Any = None
    away: str = ""
    wrong: str = ""


async def ask(call: Call, path: str, chosen: Mapping[str, str], kind: type[T]) -> Asked:
    """Ask the data process.

    Args:
        chosen: the parameters; those without a value are left out.
        kind: the struct of the answer.
    """
    query = urlencode({name: value for name, value in chosen.items() if value})
    head = {"accept": "application/json", "accept-language": call.language}
    try:
        exchange = await call.services.data.ask("GET", f"{path}?{query}" if query else path, head)
    except Refused as refused:
        return Asked(away=refused.text(call.language))
    try:
        body = await exchange.whole()
        if exchange.status < _ERROR:
            return Asked(msgspec.json.decode(body, type=kind))
        problem = msgspec.json.decode(body, type=dict[str, Any])
    except (OSError, EOFError, TimeoutError, httptools.HttpParserError, msgspec.DecodeError):
        return Asked(away=Refused("data-away", "data-broke-off").text(call.language))
    return Asked(wrong=str(problem.get("detail") or problem.get("title") or exchange.status))


def chosen_in(call: Call, *names: str) -> dict[str, str]:
    """Return parameters of the address; a pool is live if none is named."""
    found = {name: call.request.query_params.get(name, "").strip() for name in names}
    if "pool" in found and not found["pool"]:
        found["pool"] = LIVE
    return found


def games_of(call: Call, known: Sequence[str]) -> list[tuple[str, str]]:
    """Return games with their titles."""
    return [(name, title_of(GAMES[name], call.language)) for name in known]


def words_of(game: Game, language: str) -> Words:
    """Return the words of a game in its first edition."""
    edition = game.editions[0]
    return Words.of_game(game, edition, game.settle(edition, {})[1], language)


def not_offered(call: Call) -> str:
    """Return the sentence that says that no data set is served."""
    return Refused("not-offered", "data-not-named").text(call.language)


class Rate(Struct, frozen=True):
    """A rate with its interval and how many cases it rests on; `value` is None if there are none."""

    value: float | None
    low: float
    high: float
    n: int


def rate(value: float | None, low: float | None, high: float | None, n: int) -> Rate:
    """Return a rate as the templates show it."""
    return Rate(value, low or 0.0, 1.0 if high is None else high, n)
