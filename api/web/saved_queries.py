"""The page of the saved queries, `/queries`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from msgspec import Struct
from msgspec.structs import replace
from starlette.responses import Response

from api.http.data_schemas import QueryAnswer, QueryMatches, Sample
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
from replay.dataset.queries import Query, queries
from replay.dataset.search import VOCABULARIES
from replay.words import Words

MOST_ROWS = 200


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
        back=address_of(asked, {name: value for name, value in own.items() if name in asked.parameters})
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
        keys = {key: "" if row[key] is None else plain(row[key]) for key in asked.keys}
        link = address_of(asked, {**own, **keys, "in_pool": str(row["pool"]), "matches": "1"})
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
        return Cell(plain(value), plain(value), False)
    if isinstance(value, float) and is_share:
        return Cell(f"{value * 100:.0f} %", str(value), True)
    if isinstance(value, float):
        return Cell(f"{value:.2f}", str(value), True)
    if isinstance(value, int):
        return Cell(str(value), str(value), True)
    known = isinstance(value, str) and name not in ("match", "pool") and words.knows(value)
    text = words.field(str(value)) if known else str(value)
    return Cell(text, text, False)


def plain(value: object) -> str:
    """A key as the data process compares it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def address_of(asked: Query, chosen: Mapping[str, str]) -> str:
    """The page of a query with these arguments."""
    return "/queries?" + urlencode({"query": asked.name, **chosen})
