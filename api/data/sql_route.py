"""`POST /v1/sql`: off unless GLASNOST_SQL=on, and only for callers with a token.

A server has checked the token and says who the caller is; a process that runs by itself has one token, for
the user who started it.
"""

from __future__ import annotations

import secrets

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from api.data.answers import sql_hash
from api.data.reader import Reader
from api.data.sql import Answered, Sql
from api.data.sql_child import MOST_PARAMETERS, Task
from api.http import decoding
from api.http.data_process import CALLER
from api.http.data_schemas import DataColumn, SqlRequest
from api.http.decoding import CHALLENGE, JSON, LINES, bearer_of
from domain.kernel import Refused

ARROW, PARQUET = "application/vnd.apache.arrow.stream", "application/vnd.apache.parquet"
FORMS = {JSON: "json", "text/csv": "csv", LINES: "ndjson", ARROW: "arrow", PARQUET: "parquet"}
MOST_BODY = 256 * 1024  # bytes
SNAPSHOT, TRUNCATED, HASH = "glasnost-snapshot", "glasnost-truncated", "glasnost-sql-sha256"
_shape = decoding.Shape(SqlRequest)
_encode = msgspec.json.Encoder().encode


class _Answer(Struct):
    """As `SqlAnswer`, with the rows as the child has written them."""

    snapshot: str
    columns: tuple[DataColumn, ...]
    rows: msgspec.Raw
    truncated: bool
    ms: int
    sql_sha256: str


class SqlRoute:
    """The handler.

    Args:
        sql: what runs it; None: the operator has not switched SQL on.
        token: the token of the only caller; "": a server says who the caller is.
    """

    def __init__(self, reader: Reader, sql: Sql | None, token: str = "") -> None:
        self._reader, self._sql, self._token = reader, sql, token

    async def __call__(self, request: Request) -> Response:
        """Run a query.

        Raises:
            Refused: not-offered, unauthorized, malformed, invalid, too-large, and see `Sql.ask`.
        """
        if self._sql is None:
            raise Refused("not-offered", "sql-off")
        caller = self._local(request) if self._token else request.headers.get(CALLER, "")
        if not caller:
            raise Refused("unauthorized", "token-needed", headers=CHALLENGE)
        asked: SqlRequest = _shape.decoded(await _body(request))
        if len(asked.params) > MOST_PARAMETERS:
            raise Refused("invalid", "too-many-parameters", {"most": MOST_PARAMETERS})
        form = decoding.media_type(request.headers.get("accept", ""), tuple(FORMS))
        task = Task("", asked.sql, asked.params, asked.limit, FORMS[form])
        answered = await self._sql.ask(caller, await self._reader.data(), task, asked.snapshot)
        return _response(asked.sql, answered, form)

    def _local(self, request: Request) -> str:
        """Who asks, by the token of this process; "" without a token.  Raises Refused: unauthorized."""
        token = bearer_of(request)
        if token is not None and not secrets.compare_digest(token.encode(), self._token.encode()):
            raise Refused("unauthorized", "unknown-token", headers=CHALLENGE)
        return "" if token is None else "local"


def _response(sql: str, answered: Answered, form: str) -> Response:
    outcome, digest = answered.outcome, sql_hash(sql)
    head = {SNAPSHOT: answered.snapshot, TRUNCATED: str(outcome.truncated).lower(), HASH: digest}
    head |= {"cache-control": "no-store", "vary": "accept"}
    body = answered.body
    if form == JSON:
        columns = tuple(DataColumn(name, kind) for name, kind in outcome.columns)
        rows = msgspec.Raw(body)
        body = _encode(_Answer(answered.snapshot, columns, rows, outcome.truncated, answered.ms, digest))
    return Response(body, 200, head, f"{form}; charset=utf-8" if form == "text/csv" else form)


async def _body(request: Request) -> bytes:
    """The body.  Raises Refused: too-large."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MOST_BODY:
            raise Refused("too-large", "body-too-large", {"most": MOST_BODY}, {"connection": "close"})
    return bytes(body)
