"""Answers from a data set: the server passes these requests on to the data process (`api.data`).

A parameter that the server declares here is described for its document; the process judges its value.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from fastapi import Header, Path, Query
from starlette.responses import Response, StreamingResponse

from api.http import decoding
from api.http.data_process import CALLER, RETRY, Exchange
from api.http.data_schemas import (
    ExplorerAnswer,
    OpeningMatches,
    PositionsAnswer,
    QueryAnswer,
    QueryMatches,
    SavedQueries,
    SqlAnswer,
    SqlRequest,
)
from api.http.problems import MEDIA_TYPE
from api.http.routing import OCTETS, SENT, Api, Call, Documented
from domain.kernel import Refused
from replay.dataset.explorer import COUNTS, EVERY, LEAST
from replay.dataset.manifest import Manifest

api = Api("data", "Answers from a data set of matches that are over: saved queries, positions, downloads.")
CSV, LINES, MARKDOWN = "text/csv", "application/x-ndjson", "text/markdown"
AWAY = ("not-offered", "data-away")
ARROW, PARQUET = "application/vnd.apache.arrow.stream", "application/vnd.apache.parquet"
_SENT = (b"accept", b"accept-language", b"if-none-match", b"range", b"if-range")
_TAKEN = (
    *("content-type", "content-length", "content-range", "content-language", "accept-ranges"),
    *("etag", "cache-control", "retry-after", "allow", "www-authenticate"),
)

_LARGE = 1024 * 1024  # bytes of a body that is passed on in parts
_ERROR = _MALFORMED = 400
_NO_RANGE = 416
_TEXT = 200
QueryName = Annotated[str, Path(pattern=r"^[a-z][a-z0-9_]{0,63}$", description="A saved query.")]
Sha256 = Annotated[str, Path(pattern=r"^[0-9a-f]{64}$", description="The hash of a part, or of the schema.")]
Pool = Annotated[
    str | None,
    Query(max_length=_TEXT, description="A pool, several with commas between them, or `*`; else `live`."),
]
Edition = Annotated[str | None, Query(max_length=_TEXT, description="Only matches of this edition.")]
Tournament = Annotated[str | None, Query(max_length=_TEXT, description="Only those of this tournament.")]
Since = Annotated[
    str | None, Query(max_length=40, description="Only matches that closed at this time (UTC) or later.")
]
Flag = Annotated[str | None, Query(pattern="^[01]$", description="1: also matches that are not proved.")]
LeastN = Annotated[int | None, Query(ge=0, le=1_000_000, description="No rows with fewer cases.")]
WithMatches = Annotated[
    str | None,
    Query(
        pattern="^[01]$",
        description="1: the matches behind the rows; `keys` of the query, and `in_pool`, choose a row.",
    ),
]
Where = Annotated[
    str, Query(min_length=1, max_length=2_000, description="What to find, in the search language.")
]
Game = Annotated[
    str | None, Query(max_length=_TEXT, description="The name of a game; else the first that has this.")
]
First = Annotated[str | None, Query(pattern="^[01]$", description="1: only the first of each match.")]
Most = Annotated[int | None, Query(ge=1, le=10_000, description="At most so many hits; else 100.")]
OpeningPath = Annotated[
    str | None,
    Query(
        max_length=8_000, description="The labels from the root, with / between them; a tree may come first."
    ),
]
Bid = Annotated[
    int | None,
    Query(ge=-100, le=100, description="Only matches with so much extra influence; below 0: of the USSR."),
]
BeginsIn = Annotated[
    int | None, Query(ge=1, le=100, description="The turn in which the tree begins; else 1.")
]
LeastOfBranch = Annotated[
    int | None,
    Query(
        ge=LEAST,
        le=1_000_000,
        description=f"No branches with fewer matches; at least {LEAST}, also if it is left out.",
    ),
]
MatchesOfNode = Annotated[
    str | None, Query(pattern="^[01]$", description="1: the matches that the node counts.")
]
CountOfNode = Annotated[
    str | None,
    Query(
        max_length=_TEXT,
        description=f"With `matches=1` the count of the node: {', '.join(COUNTS)}; else `{EVERY}`.",
    ),
]
Range = Annotated[str | None, Header(max_length=200, description="Which bytes.")]
_TABLES = [Documented(200, "Done", (CSV, LINES))]


@api.get("/v1/data", Manifest, refusals=AWAY)
async def read_data_set(call: Call) -> Response:
    """The manifest of the data set: its parts with their hashes.

    The hash of these bytes is the snapshot, with which every answer from the data set is marked.
    """
    return await passed_on(call)


@api.get(
    "/v1/data/parts/{sha256}",
    OCTETS,
    refusals=(*AWAY, "not-found", "range"),
    also=[Documented(206, "A part of it: `Range` was given", (OCTETS,))],
)
async def read_data_part(call: Call, sha256: Sha256, range: Range = None) -> Response:
    """A file of the data set, by its hash: a part as Parquet, or the schema as JSON; it never changes."""
    return await passed_on(call)


@api.get("/v1/data/dictionary", MARKDOWN, refusals=AWAY)
async def read_data_dictionary(call: Call) -> Response:
    """What every column of the data set means, in Markdown."""
    return await passed_on(call)


@api.get("/v1/queries", SavedQueries, refusals=AWAY)
async def list_queries(call: Call) -> Response:
    """The saved queries: names, parameters, columns, and the question that each answers."""
    return await passed_on(call)


@api.get(
    "/v1/queries/{query}", (QueryAnswer, QueryMatches), refusals=(*AWAY, "not-found"), also=_TABLES, free=True
)
async def read_query(
    call: Call,
    query: QueryName,
    matches: WithMatches = None,
    pool: Pool = None,
    edition: Edition = None,
    tournament: Tournament = None,
    since: Since = None,
    unproven: Flag = None,
    min_n: LeastN = None,
) -> Response:
    """The answer of a saved query as JSON, CSV or NDJSON (`Accept`), or the matches behind its rows.

    A query may have parameters of its own, which `GET /v1/queries` lists.  Pools are never mixed, unless
    `pool=*` says so; each rate has its n and its interval.
    """
    return await passed_on(call)


@api.get("/v1/positions", PositionsAnswer, refusals=(*AWAY, "unknown-game"))
async def find_positions(
    call: Call,
    where: Where,
    game: Game = None,
    first: First = None,
    limit: Most = None,
    pool: Pool = None,
    edition: Edition = None,
    tournament: Tournament = None,
    since: Since = None,
    unproven: Flag = None,
) -> Response:
    """The positions that fit, and how often the first seat won the matches in which there was one."""
    return await passed_on(call)


@api.get("/v1/explorer", (ExplorerAnswer, OpeningMatches), refusals=(*AWAY, "not-found"))
async def explore_openings(
    call: Call,
    path: OpeningPath = None,
    game: Game = None,
    pool: Pool = None,
    edition: Edition = None,
    bid: Bid = None,
    turn: BeginsIn = None,
    min_n: LeastOfBranch = None,
    matches: MatchesOfNode = None,
    count: CountOfNode = None,
) -> Response:
    """A node of a tree of openings: how many matches went there, who won them, and where they went on.

    Children with fewer than 5 matches are hidden.  With `matches=1` the matches that went there; with `count`
    those that end there (`ended`), or that reached the end of turn 3 (`n_ahead`), at that move.
    """
    return await passed_on(call)


@api.post(
    "/v1/sql",
    SqlRequest,
    SqlAnswer,
    200,
    refusals=(*SENT, *AWAY, "not-found", "sql"),
    also=[Documented(200, "Done", (CSV, LINES, ARROW, PARQUET))],
    token=True,
)
async def run_sql(call: Call, body: SqlRequest) -> Response:
    """Run one SELECT over the data set; the rows as JSON, CSV, NDJSON, Arrow or Parquet (`Accept`).

    Off unless the operator has switched it on.  A query may have 20,000 characters and run 5 seconds; an
    answer has at most 10,000 rows and 10 MB.
    """
    return await passed_on(call, msgspec.json.encode(body))


async def passed_on(call: Call, body: bytes = b"") -> Response:
    """Pass the request on as it came, and the answer back as it comes.

    Raises:
        Refused: not-offered, data-away.
    """
    scope = call.request.scope
    sent = {name.decode(): decoding.header_of(scope, name, "") for name in _SENT}
    target = scope.get("raw_path", scope["path"].encode()).partition(b"?")[0].decode("latin-1")
    if scope["query_string"]:
        target += f"?{scope['query_string'].decode('latin-1')}"
    told = {name: value for name, value in sent.items() if value}
    if body:
        told |= {"content-type": decoding.JSON} | ({CALLER: call.player} if call.player else {})
    answer = await call.services.data.ask(scope["method"], target, told, body)
    if answer.status >= _ERROR and answer.headers.get("content-type") != MEDIA_TYPE:
        answer.close()
        raise _plain(answer.status)
    head = {
        name: value
        for name, value in answer.headers.items()
        if name in _TAKEN or name.startswith("glasnost-")
    }
    if answer.length is not None and answer.length > _LARGE:
        return StreamingResponse(answer.body(), answer.status, head)
    return await _whole(answer, head)


async def _whole(answer: Exchange, head: dict[str, str]) -> Response:
    """An answer that is not so large that it must be passed on in parts."""
    try:
        response = Response(await answer.whole(), answer.status)
    except (OSError, EOFError, TimeoutError):
        raise Refused("data-away", "data-broke-off", {}, RETRY) from None
    response.headers.update(head)
    return response


def _plain(status: int) -> Refused:
    """What the libraries under the data process refuse by themselves, in our words."""
    if status == _MALFORMED:
        return Refused("malformed", "range-malformed")
    if status == _NO_RANGE:
        return Refused("range", "range-outside")
    return Refused("data-away", "data-being-started", {}, RETRY)
