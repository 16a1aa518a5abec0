"""The pages of an analyst over the data set: positions, openings, saved queries, two players.

What they show comes from the data process; where there is none, a page says so in one sentence.  A mistake in
a search or a parameter is no error of the page: it is said beside the field.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

import msgspec
from msgspec import Struct
from starlette.responses import Response

from api.http.data_schemas import (
    ExplorerAnswer,
    HitSummary,
    PositionHit,
    PositionsAnswer,
    QueryAnswer,
    QueryMatches,
    Sample,
)
from api.http.game_words import words_address
from api.http.routes.lists import names_of
from api.http.routing import Call
from api.web.shell import HasShell
from domain.game import Game
from domain.games import GAMES
from domain.kernel import Refused
from domain.match_base import LIVE
from replay.dataset.asking import place_of
from replay.dataset.explorer import Node, openings
from replay.dataset.queries import ALL_POOLS, Query, queries
from replay.dataset.search import VOCABULARIES, parse
from replay.game_words import title_of
from replay.words import Words

POOLS_OF_DATA = (LIVE, "bots", "solo", "seeded", "scripted", "branch", "imported", "uploaded", ALL_POOLS)
FEW = 30  # cases, below which a row is grey
HITS = "50"
MOST_ROWS = 200
_WORD = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
BOT = "bot:"
_LONGEST = 100  # characters of a name
_ERROR = 400

T = TypeVar("T", bound=Sample)
EXAMPLES = {
    "twilight_struggle": (
        "ussr controls iran and defcon = 2 and turn < 4",
        "kind = turn_end and turn = 3 and vp <= -10",
        "battlegrounds us asia >= 4 and us holds china",
        "played by ussr: de_stalinization and us in venezuela >= 2",
    ),
    "imperial_struggle": (
        "br controls ohio_forks and turn > 2",
        "flags fr india >= 4",
        "vp > 20 and turn = 3",
    ),
    "cia_vs_kgb": ("cia holds cuba and turn < 4", "influence kgb > 5", "kind = turn_end and score_cia >= 40"),
    "thirteen_minutes": ("us in cuba >= 2", "cubes us >= 9", "battle = 1 and hand us = 0"),
}


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
    body = await exchange.whole()
    if exchange.status < _ERROR:
        return Asked(msgspec.json.decode(body, type=kind))
    problem = msgspec.json.decode(body, type=dict[str, Any])
    return Asked(wrong=str(problem.get("detail") or problem.get("title") or exchange.status))


def _chosen(call: Call, *names: str) -> dict[str, str]:
    """Parameters of the address; a pool is live if none is named."""
    found = {name: call.request.query_params.get(name, "").strip() for name in names}
    if "pool" in found and not found["pool"]:
        found["pool"] = LIVE
    return found


def _games(call: Call, known: Sequence[str]) -> list[tuple[str, str]]:
    return [(name, title_of(GAMES[name], call.language)) for name in known]


def _words(game: Game, language: str) -> Words:
    """The words of a game in its first edition."""
    edition = game.editions[0]
    return Words.of_game(game, edition, game.settle(edition, {})[1], language)


# ── /find ──


async def find_page(pages: HasShell, call: Call) -> Response:
    """Positions that a search describes, and how often the first seat won the matches that had one."""
    chosen = _chosen(call, "game", "where", "pool", "first")
    game = chosen["game"] if chosen["game"] in VOCABULARIES else next(iter(VOCABULARIES))
    words = _words(GAMES[game], call.language)
    wrong, at = "", 0
    found = Asked()
    if chosen["where"]:
        try:
            parse(game, chosen["where"])
        except Refused as refused:
            named = {**refused.values, "game": title_of(GAMES[game], call.language)}
            wrong = Refused(refused.kind, refused.id, named).text(call.language)
            at = place_of(refused)
    asked = {**chosen, "game": game, "first": "1" if chosen["first"] else "", "limit": HITS}
    if chosen["where"] and not wrong:
        found = await ask(call, "/v1/positions", asked, PositionsAnswer)
    elif not call.services.data.is_offered:
        found = Asked(away=_not_offered(call))
    answer: PositionsAnswer | None = found.answer
    players = (
        {player for hit in answer.hits for player in hit.players.values() if player} if answer else set()
    )
    return pages.shell.page(
        call,
        "find.html",
        script="find",
        game=game,
        games=_games(call, list(VOCABULARIES)),
        chosen=chosen,
        pointed=_pointed(chosen["where"], at),
        pools=POOLS_OF_DATA,
        examples=EXAMPLES[game],
        vocabulary=_vocabulary(game, words),
        away=found.away,
        wrong=wrong or found.wrong,
        at=at,
        answer=answer,
        sample=answer,
        summary=[_summary(one) for one in answer.summary] if answer else [],
        hits=[_hit(hit, words) for hit in answer.hits] if answer else [],
        seats=[words.name(seat) for seat in GAMES[game].seats],
        times=[(name, words.field(name) if words.knows(name) else "") for name in VOCABULARIES[game].time],
        names=await names_of(call, sorted(players)),
        few=FEW,
        state={"at": at},
    )


def _pointed(text: str, at: int) -> tuple[str, str, str]:
    """A search in three parts; the second is the word at a column, or a blank at the end."""
    before, rest = text[: at - 1], text[at - 1 :]
    word = rest[: len(rest) - len(rest.lstrip(_WORD))] or rest[:1]
    return before, word or "\u00a0", rest[len(word) :]


def _not_offered(call: Call) -> str:
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


def _summary(one: HitSummary) -> tuple[HitSummary, Rate]:
    return one, rate(one.won_a, one.lo, one.hi, one.n)


class HitLine(Struct, frozen=True):
    """A position that was found, in words."""

    replay: str
    match: str
    move: int
    time: tuple[str, ...]
    kind: str
    players: tuple[str, ...]
    winner: str
    reason: str


def _hit(hit: PositionHit, words: Words) -> HitLine:
    return HitLine(
        hit.replay,
        hit.match,
        hit.move,
        tuple("" if value is None else words.name(value) for value in hit.time.values()),
        hit.kind,
        tuple(player or "" for player in hit.players.values()),
        words.name(hit.winner) if hit.winner else "",
        words.field(hit.reason) if hit.reason else "",
    )


def _vocabulary(game: str, words: Words) -> list[tuple[str, list[tuple[str, str]]]]:
    """The ids that a search may name, by kind, each with its name, and no id twice."""
    found, known = [], set[str]()
    for kind, ids in GAMES[game].ids.items():
        fresh = [id for id in ids if id not in known and words.knows(id)]
        known |= set(fresh)
        if fresh:
            found.append((kind, sorted(((id, words.name(id)) for id in fresh), key=lambda pair: pair[1])))
    return found


# ── /explore/{game} ──


async def explore_page(pages: HasShell, call: Call, game: str = next(iter(VOCABULARIES))) -> Response:
    """A tree of openings, from a node on: the matches of each child, and how often they were won."""
    if game not in openings():
        raise Refused("unknown-game", "no-such-game", {"games": list(openings())})
    chosen = _chosen(call, "path", "pool", "edition", "bid", "min_n")
    found = await ask(call, "/v1/explorer", {**chosen, "game": game}, ExplorerAnswer)
    words = _words(GAMES[game], call.language)
    answer: ExplorerAnswer | None = found.answer
    known = openings()[game].trees
    path = [label for label in chosen["path"].split("/") if label]
    tree = path.pop(0) if path and path[0] in known else next(iter(known))
    return pages.shell.page(
        call,
        "explore.html",
        script="explore",
        game=game,
        title=words.game,
        games=_games(call, list(openings())),
        chosen=chosen,
        pools=POOLS_OF_DATA,
        tree=tree,
        trees=[(name, getattr(one, call.language)) for name, one in known.items()],
        steps=_steps(tree, path, words),
        has_bid=bool(openings()[game].bid),
        away=found.away,
        wrong=found.wrong,
        sample=answer,
        node=_line(answer.node, tree, path, words) if answer else None,
        level=answer.node.level if answer else "",
        ended=answer.node.ended if answer else 0,
        hidden=answer.node.hidden if answer else 0,
        children=[_line(one, tree, [*path, one.label], words) for one in answer.node.children]
        if answer
        else [],
        seat=words.name(GAMES[game].seats[0]),
        few=FEW,
        state={
            "game": game,
            "given": chosen,
            "vocabulary": words_address(GAMES[game], call.language, GAMES[game].editions[0]),
        },
    )


class NodeLine(Struct, frozen=True):
    """A node of a tree in words; `path` is what an address says of it."""

    name: str
    path: str
    n: int
    rate: Rate
    ahead: float | None
    marked: bool
    compared: int
    examples: tuple[tuple[str, int], ...]


def label_of(label: str, words: Words) -> str:
    """Return a label of a tree in words: ids with names, numbers as they are."""
    parts = [" + ".join(words.field(id) for id in part.split("+")) for part in label.split(":") if part]
    return " · ".join(parts)


def _line(node: Node, tree: str, path: Sequence[str], words: Words) -> NodeLine:
    return NodeLine(
        label_of(node.label, words),
        "/".join((tree, *path)),
        node.n,
        rate(node.rate, node.lo, node.hi, node.decided),
        node.ahead,
        node.marked,
        node.compared,
        tuple((one.match, one.move) for one in node.examples),
    )


def _steps(tree: str, path: Sequence[str], words: Words) -> list[tuple[str, str]]:
    """The nodes above this one and itself, each with its address and name; the root has no name."""
    return [
        ("/".join((tree, *path[:depth])), label_of(path[depth - 1], words) if depth else "")
        for depth in range(len(path) + 1)
    ]


# ── /queries ──


async def queries_page(pages: HasShell, call: Call) -> Response:
    """The saved queries of a game; one of them with its parameters and answer, each row with its matches."""
    chosen = _chosen(call, "game", "query", "matches")
    asked = queries().get(chosen["query"])
    game = asked.game if asked else chosen["game"] if chosen["game"] in GAMES else next(iter(VOCABULARIES))
    words = _words(GAMES[game], call.language)
    own = _arguments(call, asked) if asked else {}
    found = Asked()
    if asked and _is_complete(asked, own):
        extra = {"matches": "1"} if chosen["matches"] else {}
        kind: type[Sample] = QueryMatches if chosen["matches"] else QueryAnswer
        found = await ask(call, f"/v1/queries/{quote(asked.name)}", {**own, **extra}, kind)
    elif not call.services.data.is_offered:
        found = Asked(away=_not_offered(call))
    answer = found.answer
    return pages.shell.page(
        call,
        "queries.html",
        script="tables",
        game=game,
        title=words.game,
        games=_games(call, list(VOCABULARIES)),
        known=[(one.name, getattr(one, call.language)) for one in queries().values() if one.game == game],
        asked=asked,
        question=getattr(asked, call.language) if asked else "",
        parameters=_parameters(asked, own, call.language) if asked else [],
        pools=POOLS_OF_DATA,
        pool=own.get("pool", LIVE),
        away=found.away,
        wrong=found.wrong,
        sample=answer,
        table=_table(asked, own, answer, words) if asked and isinstance(answer, QueryAnswer) else None,
        matches=answer.matches if isinstance(answer, QueryMatches) else None,
        row={key: own[key] for key in asked.keys if key in own} if asked and chosen["matches"] else {},
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
    """A value of an answer: in words, what it is sorted by, and whether it is a number."""

    text: str
    sort: str
    is_number: bool


class Table(Struct, frozen=True):
    """An answer as a table: names of columns, each with whether it holds numbers; and for each row its cells,
    the address of the matches behind it, and whether it rests on few cases.
    """

    columns: list[tuple[str, bool]]
    rows: list[tuple[list[Cell], str, bool]]


def _table(asked: Query, own: Mapping[str, str], answer: QueryAnswer, words: Words) -> Table:
    names = [column.name for column in answer.columns]
    rows = []
    has_pools = len({row[names.index("pool")] for row in answer.rows}) > 1
    for values in answer.rows[:MOST_ROWS]:
        row = dict(zip(names, values, strict=True))
        keys = {key: "" if row[key] is None else _plain(row[key]) for key in asked.keys}
        link = _address(asked, {**own, **keys, "in_pool": str(row["pool"]), "matches": "1"})
        shown = {name: value for name, value in row.items() if has_pools or name != "pool"}
        cells = [_cell(name, value, asked, words) for name, value in shown.items()]
        rows.append((cells, link, isinstance(row["n"], int) and row["n"] < FEW))
    heads = [name for name in names if has_pools or name != "pool"]
    columns = [
        (name, all(cells[at].is_number or not cells[at].sort for cells, _, _ in rows))
        for at, name in enumerate(heads)
    ]
    return Table(columns, rows)


def _cell(name: str, value: object, asked: Query, words: Words) -> Cell:
    is_share = name in asked.rates or name.endswith(("lo", "hi"))
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

PREFIXES = {game: names.prefix.removeprefix("ts_") for game, names in VOCABULARIES.items()}
"""How the names of the saved queries of a game begin."""


class Side(Struct, frozen=True):
    """What a query says of a player with one side: the values of its columns, and where its matches are."""

    seat: str
    place: int
    values: dict[str, Any]
    rate: Rate
    link: str


class Compared(Struct, frozen=True):
    """One of the two players: results, openings, think time and luck by side; `name` is shown."""

    player: str
    name: str
    is_bot: bool
    record: list[Side]
    openings: list[Side]
    pace: list[Side]
    luck: list[Side]


async def compare_page(pages: HasShell, call: Call) -> Response:
    """Two players side by side: against each other, and what each did with each side of a game."""
    chosen = _chosen(call, "a", "b", "game", "pool")
    game = chosen["game"] if chosen["game"] in GAMES else next(iter(VOCABULARIES))
    words = _words(GAMES[game], call.language)
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
        script="tables",
        game=game,
        games=_games(call, list(VOCABULARIES)),
        chosen=chosen,
        pools=POOLS_OF_DATA,
        missing=unknown,
        both=both,
        players=shown,
        seats=[words.name(seat) for seat in GAMES[game].seats],
        away=reader.away if call.services.data.is_offered else _not_offered(call),
        wrong=reader.wrong,
        sample=reader.sample,
        few=FEW,
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
            await self.sides("player_headlines", chosen),
            await self.sides("player_pace", chosen),
            await self.sides("player_luck", chosen),
        )

    async def sides(self, query: str, chosen: Mapping[str, str]) -> list[Side]:
        """The rows of a saved query of the game; none if the game has no such query."""
        asked = queries().get(PREFIXES[self._game] + query)
        if asked is None or self.away or self.wrong:
            return []
        arguments = {**chosen, "pool": self._pool}
        found = await ask(self._call, f"/v1/queries/{asked.name}", arguments, QueryAnswer)
        self.away, self.wrong = found.away, found.wrong
        if found.answer is None:
            return []
        self.sample = self.sample or found.answer
        names = [column.name for column in found.answer.columns]
        return [self._side(asked, arguments, dict(zip(names, row, strict=True))) for row in found.answer.rows]

    def _side(self, asked: Query, arguments: Mapping[str, str], row: dict[str, Any]) -> Side:
        seat = str(row["seat"])
        keys = {key: _plain(row[key]) for key in asked.keys}
        if "card" in row:
            row = {**row, "card": self._words.field(str(row["card"]))}
        return Side(
            self._words.name(seat),
            list(GAMES[self._game].seats).index(seat),
            row,
            rate(row.get("won"), row.get("lo"), row.get("hi"), int(row.get("decided") or 0)),
            "/queries" + _address(asked, {**arguments, **keys, "in_pool": str(row["pool"]), "matches": "1"}),
        )
