"""The saved queries (`/queries`), and two players side by side, which saved queries describe (`/compare`)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from msgspec import Struct
from msgspec.structs import replace
from starlette.responses import Response

from api.http.data_schemas import QueryAnswer, QueryMatches, Sample
from api.http.routes.lists import names_of
from api.http.routing import Call
from api.web.data_answers import (
    FEW,
    POOLS_OF_DATA,
    Asked,
    Rate,
    ask,
    chosen_in,
    games_of,
    not_offered,
    rate,
    words_of,
)
from api.web.shell import HasShell, texts
from domain.games import GAMES
from domain.match_base import LIVE
from replay.dataset.queries import PREFIXES, Query, queries
from replay.dataset.search import VOCABULARIES
from replay.game_words import game_words
from replay.words import Words

MOST_ROWS = 200
BOT = "bot:"
_LONGEST = 100  # characters of a name


# ── /queries ──


async def queries_page(pages: HasShell, call: Call) -> Response:
    """The saved queries of a game; one of them with its parameters and answer, each row with its matches."""
    chosen = chosen_in(call, "game", "query", "matches")
    asked = queries().get(chosen["query"])
    game = asked.game if asked else chosen["game"] if chosen["game"] in GAMES else next(iter(VOCABULARIES))
    words = words_of(GAMES[game], call.language)
    own = _arguments(call, asked) if asked else {}
    found = Asked()
    if asked and _is_complete(asked, own):
        extra = {"matches": "1"} if chosen["matches"] else {}
        kind: type[Sample] = QueryMatches if chosen["matches"] else QueryAnswer
        found = await ask(call, f"/v1/queries/{quote(asked.name)}", {**own, **extra}, kind)
    elif not call.services.data.is_offered:
        found = Asked(away=not_offered(call))
    answer = found.answer
    statement = None
    if asked and answer:
        statement = asked.behind(own) if chosen["matches"] else asked.statement(own)
    return pages.shell.page(
        call,
        "queries.html",
        script="questions",
        game=game,
        title=words.game,
        games=games_of(call, list(VOCABULARIES)),
        known=[(one.name, getattr(one, call.language)) for one in queries().values() if one.game == game],
        asked=asked,
        question=getattr(asked, call.language) if asked else "",
        parameters=_parameters(asked, own, call.language) if asked else [],
        pools=POOLS_OF_DATA,
        pool=own.get("pool", LIVE),
        away=found.away,
        wrong=found.wrong,
        sample=answer,
        sql=statement.as_it_stands if statement else "",
        table=_table(asked, own, answer, words) if asked and isinstance(answer, QueryAnswer) else None,
        matches=answer.matches if isinstance(answer, QueryMatches) else None,
        row=_chosen_row(asked, own, call.language) if asked and chosen["matches"] else {},
        back=_address(asked, {name: value for name, value in own.items() if name in asked.parameters})
        if asked
        else "",
        comparisons=answer.comparisons if isinstance(answer, QueryAnswer) else 0,
        truncated=bool(answer and (answer.truncated or len(getattr(answer, "rows", ())) > MOST_ROWS)),
        few=FEW,
        state={},
    )


def _arguments(call: Call, asked: Query) -> dict[str, str]:
    """The parameters and keys of a query that the address has."""
    known = {*asked.parameters, *asked.keys, "in_pool"}
    chosen = {name: value for name, value in call.request.query_params.items() if name in known}
    empty = {name: value for name, value in chosen.items() if value or name in asked.keys}
    return {"pool": LIVE, **empty}


def _is_complete(asked: Query, own: Mapping[str, str]) -> bool:
    return all(name in own for name, about in asked.parameters.items() if about.required)


def _chosen_row(asked: Query, own: Mapping[str, str], language: str) -> dict[str, str]:
    """The keys of the row whose matches are shown, by the titles of their columns."""
    return {texts(language).column(key): own[key] for key in asked.keys if key in own}


class Field(Struct, frozen=True):
    """A parameter as a field of the form."""

    name: str
    about: str
    value: str
    kind: str
    choices: tuple[str, ...]
    required: bool


def _parameters(asked: Query, own: Mapping[str, str], language: str) -> list[Field]:
    """The parameters but the pool, those of the query first."""
    found = []
    for name, about in asked.parameters.items():
        if name != "pool":
            default = "" if about.default in (None, False) else str(about.default)
            value = own.get(name, default)
            found.append(
                Field(name, getattr(about, language), value, about.kind, about.choices, about.required)
            )
    return found


class Cell(Struct, frozen=True):
    """A value of an answer: in words, what it is sorted by, and whether it is a number.

    differs: it is a rate that is marked.
    is_label, drawn: what a chart writes beside the value that it draws, and that value.
    place: that of the seat that it names; None if it names none.
    """

    text: str
    sort: str
    is_number: bool
    differs: bool = False
    is_label: bool = False
    drawn: Rate | None = None
    place: int | None = None


class Column(Struct, frozen=True):
    """A column: its name in the answer, its title, and whether it holds numbers."""

    name: str
    title: str
    is_number: bool


class Table(Struct, frozen=True):
    """An answer: each row has its cells, the address of its matches, and whether its cases are few.

    chart: how it is drawn ("bars" or "path"); "": not at all.
    picture, heading: the title of the chart, and of the column that it draws.
    """

    columns: list[Column]
    rows: list[tuple[list[Cell], str, bool]]
    chart: str
    picture: str
    heading: str


def _table(asked: Query, own: Mapping[str, str], answer: QueryAnswer, words: Words) -> Table:
    names = [column.name for column in answer.columns]
    rows = []
    has_pools = len({row[names.index("pool")] for row in answer.rows}) > 1
    marked = {(one.row, one.rate) for one in answer.marks}
    seats = list(GAMES[asked.game].seats)
    chart, drawn = ("", "") if has_pools else _drawn(asked)
    for at, values in enumerate(answer.rows[:MOST_ROWS]):
        row = dict(zip(names, values, strict=True))
        keys = {key: "" if row[key] is None else _plain(row[key]) for key in asked.keys}
        link = _address(asked, {**own, **keys, "in_pool": str(row["pool"]), "matches": "1"})
        shown = {name: value for name, value in row.items() if has_pools or name != "pool"}
        cells = [
            replace(
                _cell(name, value, asked, words),
                differs=(at, name) in marked,
                is_label=bool(chart) and name in asked.keys,
                drawn=_held(asked, drawn, row) if name == drawn else None,
                place=seats.index(value) if value in seats else None,
            )
            for name, value in shown.items()
        ]
        cases = [row["n"], *(cell.drawn.n for cell in cells if cell.drawn)]
        rows.append((cells, link, any(isinstance(n, int) and n < FEW for n in cases)))
    heads = [name for name in names if has_pools or name != "pool"]
    columns = [
        Column(
            name,
            texts(words.language).column(name),
            all(cells[at].is_number or not cells[at].sort for cells, _, _ in rows),
        )
        for at, name in enumerate(heads)
    ]
    titles = [texts(words.language).column(name) for name in (drawn, *asked.keys)] if chart else [""]
    return Table(columns, rows, chart, " · ".join(titles), titles[0])


_BAND = ("low", "median", "high")
"""The columns of a query about a path: a value, and the ends between which most cases lie."""


def _drawn(asked: Query) -> tuple[str, str]:
    """How a chart draws a query, and the column that it draws: "" and "" if it has no picture.

    A picture has one label, and one rate or one path: with more of them a reader compares what does not
    belong together.
    """
    if len(asked.keys) != 1:
        return "", ""
    if all(name in asked.answer for name in _BAND):
        return "path", _BAND[1]
    return ("bars", next(iter(asked.rates))) if len(asked.rates) == 1 else ("", "")


def _held(asked: Query, drawn: str, row: Mapping[str, Any]) -> Rate:
    low, high, n = ("lo", "hi", asked.rates[drawn]) if drawn in asked.rates else ("low", "high", "n")
    return rate(row[drawn], row[low], row[high], int(row[n] or 0))


def _cell(name: str, value: object, asked: Query, words: Words) -> Cell:
    is_share = name.removesuffix("_lo").removesuffix("_hi") in asked.rates or name in ("lo", "hi")
    if value is None:
        return Cell("—", "", False)
    if isinstance(value, bool):
        return Cell(_plain(value), _plain(value), False)
    if isinstance(value, float) and is_share:
        return Cell(f"{value * 100:.0f} %", str(value), True)
    if isinstance(value, float):
        return Cell(f"{value:.2f}", str(value), True)
    if isinstance(value, int):
        return Cell(str(value), str(value), True)
    known = isinstance(value, str) and name not in ("match", "pool") and words.knows(value)
    text = words.field(str(value)) if known else str(value)
    return Cell(text, text, False)


def _plain(value: object) -> str:
    """A key as the data process compares it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _address(asked: Query, chosen: Mapping[str, str]) -> str:
    return "?" + urlencode({"query": asked.name, **chosen})


# ── /compare ──

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
            _path(titles.get(edition, edition), rows, "/queries" + _address(found.asked, found.arguments))
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
        keys = {key: _plain(row[key]) for key in asked.keys}
        if len(asked.keys) > 1:
            row = {**row, "opening": self._words.field(str(row[asked.keys[1]]))}
        return Side(
            self._words.name(seat),
            list(GAMES[self._game].seats).index(seat),
            row,
            _rate(asked, row),
            "/queries" + _address(asked, {**arguments, **keys, "in_pool": str(row["pool"]), "matches": "1"}),
        )
