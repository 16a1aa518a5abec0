"""The page that shows two players side by side, `/compare`: it is made of saved queries about each."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from starlette.responses import Response

from api.http.data_schemas import QueryAnswer, Sample
from api.http.routes.lists import names_of
from api.http.routing import Call
from api.web.data_answers import (
    FEW,
    POOLS_OF_DATA,
    Rate,
    ask,
    chosen_in,
    games_of,
    not_offered,
    rate,
    words_of,
)
from api.web.saved_queries import address_of, plain
from api.web.shell import HasShell
from domain.games import GAMES
from replay.dataset.queries import PREFIXES, Query, queries
from replay.dataset.search import VOCABULARIES
from replay.game_words import game_words
from replay.words import Words

BOT = "bot:"
_LONGEST = 100  # characters of a name

OPENINGS = {
    "twilight_struggle": "player_headlines",
    "imperial_struggle": "player_ministries",
    "cia_vs_kgb": "player_agents",
    "thirteen_minutes": "player_cards",
}
"""The query about the first decisions of a player; the second key of its rows is what was decided."""
_STEPS = 200  # matches of a rating that are shown, the latest ones


class Side(Struct, frozen=True):
    """What a query says of a player with one side: the values of its columns, and where its matches are.

    own: it is about the player, and not about the opponents.
    """

    seat: str
    place: int
    values: dict[str, Any]
    rate: Rate
    link: str
    own: bool = True


class Step(Struct, frozen=True):
    """The rating of a player after a match of an edition; `number` counts the matches from 1."""

    number: int
    match: str
    after: int


class Path(Struct, frozen=True):
    """How the rating of a player ran in an edition: at first, its ends, and the latest steps."""

    edition: str
    first: int
    least: int
    most: int
    steps: list[Step]
    link: str


class Compared(Struct, frozen=True):
    """One of the two players by side: results, openings, think time, forced moves, luck; ratings by edition.

    name: is shown.  luck: that of the player and, if it is not `own`, that of the opponents.
    no_forced: why forced moves cannot be counted; "" if they can.
    """

    player: str
    name: str
    is_bot: bool
    record: list[Side]
    openings: list[Side]
    pace: list[Side]
    forced: list[Side]
    no_forced: str
    luck: list[Side]
    ratings: list[Path]


async def compare_page(pages: HasShell, call: Call) -> Response:
    """Two players side by side: against each other, and what each did with each side of a game."""
    chosen = chosen_in(call, "a", "b", "game", "pool")
    game = chosen["game"] if chosen["game"] in GAMES else next(iter(VOCABULARIES))
    words = words_of(GAMES[game], call.language)
    ids = [await _player(call, chosen[name]) for name in ("a", "b")]
    names = await names_of(call, [id for id in ids if id])
    reader = _Players(call, game, chosen["pool"], words)
    both, shown = list[Side](), list[Compared]()
    if all(ids) and call.services.data.is_offered:
        both = await reader.sides("between", {"a": ids[0], "b": ids[1]})
        shown = [await reader.player(id, names.get(id, id)) for id in dict.fromkeys(ids)]
    unknown = [one.name for one in shown if one.player not in names and not one.record and not one.is_bot]
    return pages.shell.page(
        call,
        "compare.html",
        script="questions",
        game=game,
        games=games_of(call, list(VOCABULARIES)),
        chosen=chosen,
        pools=POOLS_OF_DATA,
        missing=unknown,
        both=both,
        players=shown,
        seats=[words.name(seat) for seat in GAMES[game].seats],
        away=reader.away if call.services.data.is_offered else not_offered(call),
        wrong=reader.wrong,
        sample=reader.sample,
        few=FEW,
        editions=list(dict.fromkeys(path.edition for one in shown for path in one.ratings)),
        has_dice=game == "twilight_struggle",
        state={},
    )


async def _player(call: Call, wanted: str) -> str:
    """The id of a player whom an id, or for those who are signed in a name, names.

    An id that this server does not know may be one of the data set all the same.
    """
    wanted = wanted[:_LONGEST]
    known = not wanted or wanted.startswith(BOT) or await names_of(call, [wanted])
    if known or call.visitor.person is None:
        return wanted
    call.services.searches.take(call.visitor.counted)
    find = call.services.store.people.find
    found = await asyncio.to_thread(find, wanted, whole=True, after=(), limit=1)
    return found[0].id if found else wanted


class _Found(Struct):
    """The rows of a saved query about a player, with what was asked."""

    asked: Query | None = None
    arguments: dict[str, str] = {}
    rows: list[dict[str, Any]] = []


def _path(edition: str, rows: Sequence[Mapping[str, Any]], link: str) -> Path:
    """The path of a rating through the rows of its query, the first match first."""
    first, ratings = int(rows[0]["before"]), [int(row["after"]) for row in rows]
    steps = [Step(at, str(row["match"]), int(row["after"])) for at, row in enumerate(rows, 1)]
    return Path(edition, first, min(first, *ratings), max(first, *ratings), steps[-_STEPS:], link)


def _rate(asked: Query, row: Mapping[str, Any]) -> Rate:
    """The rate of a query that has one."""
    for name, n in asked.rates.items():
        return rate(row[name], row["lo"], row["hi"], int(row[n] or 0))
    return rate(None, None, None, 0)


class _Players:
    """Asks the saved queries about players; `sample` is what the first answer rests on."""

    def __init__(self, call: Call, game: str, pool: str, words: Words) -> None:
        self._call, self._game, self._pool, self._words = call, game, pool, words
        self.away = self.wrong = ""
        self.sample: Sample | None = None

    async def player(self, player: str, name: str) -> Compared:
        """What each query says of one player."""
        chosen = {"player": player}
        is_bot = player.startswith(BOT)
        return Compared(
            player,
            player.removeprefix(BOT) if is_bot else name,
            is_bot,
            await self.sides("player_record", chosen),
            await self.sides(OPENINGS[self._game], chosen),
            await self.sides("player_pace", chosen),
            *await self.forced(chosen),
            await self.luck(chosen),
            await self.ratings(chosen),
        )

    async def forced(self, chosen: Mapping[str, str]) -> tuple[list[Side], str]:
        """How often moves were forced; or why that cannot be said of this data set, which is no error."""
        if self.wrong:
            return [], ""
        found = await self.sides("player_forced", chosen)
        why, self.wrong = self.wrong, ""
        return found, why

    async def luck(self, chosen: Mapping[str, str]) -> list[Side]:
        """The luck of a player and of the opponents, side by side."""
        own = await self.sides("player_luck", chosen)
        others = await self.sides("opponents_luck", chosen)
        both = [*own, *(replace(one, own=False) for one in others)]
        return sorted(both, key=lambda one: (one.place, not one.own))

    async def ratings(self, chosen: Mapping[str, str]) -> list[Path]:
        """The rating of a player by edition."""
        found = await self._rows("player_ratings", chosen)
        by_edition: dict[str, list[dict[str, Any]]] = {}
        for row in found.rows:
            by_edition.setdefault(str(row["edition"]), []).append(row)
        titles = game_words(GAMES[self._game], self._call.language).editions
        return [
            _path(titles.get(edition, edition), rows, address_of(found.asked, found.arguments))
            for edition, rows in by_edition.items()
            if found.asked
        ]

    async def sides(self, query: str, chosen: Mapping[str, str]) -> list[Side]:
        """The rows of a saved query of the game, each about one side."""
        found = await self._rows(query, chosen)
        return [self._side(found.asked, found.arguments, row) for row in found.rows if found.asked]

    async def _rows(self, query: str, chosen: Mapping[str, str]) -> _Found:
        """What a saved query of the game answers; no rows if the game has no such query."""
        asked = queries().get(PREFIXES[self._game] + query)
        if asked is None or self.away or self.wrong:
            return _Found()
        arguments = {**chosen, "pool": self._pool}
        told = await ask(self._call, f"/v1/queries/{asked.name}", arguments, QueryAnswer)
        self.away, self.wrong = told.away, told.wrong
        if told.answer is None:
            return _Found()
        self.sample = self.sample or told.answer
        names = [column.name for column in told.answer.columns]
        return _Found(asked, arguments, [dict(zip(names, row, strict=True)) for row in told.answer.rows])

    def _side(self, asked: Query, arguments: Mapping[str, str], row: dict[str, Any]) -> Side:
        seat = str(row["seat"])
        keys = {key: plain(row[key]) for key in asked.keys}
        if len(asked.keys) > 1:
            row = {**row, "opening": self._words.field(str(row[asked.keys[1]]))}
        return Side(
            self._words.name(seat),
            list(GAMES[self._game].seats).index(seat),
            row,
            _rate(asked, row),
            address_of(asked, {**arguments, **keys, "in_pool": str(row["pool"]), "matches": "1"}),
        )
