"""The addresses of the data process.  Refusals are the problem documents of the server.

An answer depends on the snapshot, the request and the form: its ETag is their hash, and a client that has it
gets 304 before anything is computed.  Computed answers are kept in memory, the latest ones.
"""

from __future__ import annotations

import csv
import hashlib
import io
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec
from cachetools import LRUCache
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from api.data import answers
from api.data.answers import Answer, Prepared
from api.data.reader import Reader, Rows
from api.data.sql_route import SNAPSHOT, SqlRoute
from api.http import decoding, problems
from api.http.caching import IMMUTABLE
from api.http.decoding import JSON, LINES
from api.settings import product
from domain.kernel import Refused
from domain.refusals import QUOTED
from replay.dataset import DataSet
from replay.dataset.manifest import DICTIONARY, SCHEMA
from replay.dataset.queries import query

CSV, MARKDOWN, OCTETS = "text/csv", "text/markdown", "application/octet-stream"
FORMS = (JSON, CSV, LINES)
MOST_PARAMETERS = 40
KEPT = 32 * 1024 * 1024  # bytes of answers in memory
_FAILED, _NOT_FOUND, _METHOD = 500, 404, 405
_log = logging.getLogger("glasnost.data")
_encode = msgspec.json.Encoder().encode

Handler = Callable[[Request], Awaitable[Response]]


class DataRoutes:
    """The handlers over a data set that may be built on."""

    def __init__(self, reader: Reader, sql: SqlRoute) -> None:
        self.reader, self._sql = reader, sql
        self._kept: LRUCache[str, bytes] = LRUCache(KEPT, getsizeof=len)

    @property
    def app(self) -> Starlette:
        """The application."""
        paths: dict[str, Handler] = {
            "/v1/data": self.manifest,
            "/v1/data/parts/{sha256}": self.part,
            "/v1/data/dictionary": self.dictionary,
            "/v1/queries": self.queries,
            "/v1/queries/{name}": self.query,
            "/v1/positions": self.positions,
            "/v1/explorer": self.explorer,
        }
        routes = [Route(path, handler, methods=["GET"]) for path, handler in paths.items()]
        routes.append(Route("/healthz", self.healthz, methods=["GET"]))
        routes.append(Route("/v1/sql", self.sql, methods=["POST"]))
        return Starlette(routes=routes, exception_handlers=HANDLERS)

    async def sql(self, request: Request) -> Response:
        """The rows of a query of the caller."""
        return await self._sql(request)

    async def healthz(self, request: Request) -> Response:
        """The process is alive, and has a data set."""
        return Response(
            _encode({"status": "ok", "snapshot": (await self.reader.data()).snapshot}), 200, None, JSON
        )

    async def manifest(self, request: Request) -> Response:
        """The manifest: the bytes whose hash is the snapshot."""
        _arguments(request)
        data = await self.reader.data()
        return _named(Response(data.manifest.data, media_type=JSON), data, f'"{data.snapshot}"')

    async def part(self, request: Request) -> Response:
        """A part, or the schema, by its hash; ranges are answered."""
        _arguments(request)
        sha256, data = request.path_params["sha256"], await self.reader.data()
        head = {"etag": f'"{sha256}"', "cache-control": IMMUTABLE}
        if sha256 == data.manifest.schema:
            return FileResponse(self.reader.folder / SCHEMA, headers=head, media_type=OCTETS)
        if head["etag"] in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=head)
        for part in data.manifest.parts:
            if part.sha256 == sha256:
                return FileResponse(self.reader.folder / part.path, headers=head, media_type=OCTETS)
        raise Refused("not-found", "no-such-part", {"snapshot": data.snapshot})

    async def dictionary(self, request: Request) -> Response:
        """What every column means."""
        _arguments(request)
        data = await self.reader.data()
        text = (self.reader.folder / DICTIONARY).read_bytes()
        return _named(Response(text, media_type=f"{MARKDOWN}; charset=utf-8"), data, _tag(data, "dictionary"))

    async def queries(self, request: Request) -> Response:
        """The names, parameters, columns and sentences of all saved queries."""
        _arguments(request)
        data = await self.reader.data()
        response = Response(_encode(answers.catalogue(data)), media_type=JSON)
        return _named(response, data, _tag(data, "queries"))

    async def query(self, request: Request) -> Response:
        """The answer of a saved query, or the matches behind it."""
        arguments = _arguments(request)
        saved = query(request.path_params["name"])
        matches = _asks_for_matches(arguments)
        prepared = (answers.behind if matches else answers.asked)(saved, arguments)
        return await self._answered(request, f"{saved.name} {matches:d}", prepared, FORMS)

    async def positions(self, request: Request) -> Response:
        """The positions that a search finds."""
        arguments = _arguments(request)
        where, game = arguments.pop("where", None), arguments.pop("game", None)
        if where is None:
            raise Refused("invalid", "query-parameter-missing", {"parameter": "where"})
        prepared = answers.searched(game, where, arguments)
        return await self._answered(request, f"positions {where}", prepared, (JSON,))

    async def explorer(self, request: Request) -> Response:
        """A node of a tree of openings, or the matches that it counts."""
        arguments = _arguments(request)
        matches = _asks_for_matches(arguments)
        prepared = answers.explored(arguments, matches=matches)
        return await self._answered(request, f"explorer {matches:d}", prepared, (JSON,))

    async def _answered(
        self, request: Request, what: str, prepared: Prepared, forms: tuple[str, ...]
    ) -> Response:
        """The answer in the form that is asked for; 304 if the client has it."""
        form = decoding.media_type(request.headers.get("accept", ""), forms)
        data = await self.reader.data()
        tag = _tag(data, what, prepared.key, form)
        if tag in request.headers.get("if-none-match", ""):
            return _named(Response(status_code=304), data, tag)
        body = self._kept.get(tag)
        if body is None:
            body = await self.reader.call(data, lambda apart: written(prepared.answer(apart), form))
            if len(body) <= self._kept.maxsize:
                self._kept[tag] = body
        kind = f"{form}; charset=utf-8" if form == CSV else form
        response = Response(body, media_type=kind)
        if len(forms) > 1:
            response.headers["vary"] = "accept"
        return _named(response, data, tag)


def written(answer: Answer, form: str) -> bytes:
    """An answer as JSON, or the table in it as CSV or NDJSON."""
    if form == JSON:
        return _encode(answer)
    rows = answers.table_of(answer)
    return as_csv(rows) if form == CSV else as_lines(rows)


def as_csv(rows: Rows) -> bytes:
    """CSV (RFC 4180) with a line of names; a missing value is empty, a list is JSON."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([name for name, _ in rows.columns])
    writer.writerows([_cell(value) for value in row] for row in rows.rows)
    return text.getvalue().encode()


def as_lines(rows: Rows) -> bytes:
    """NDJSON: an object for each row."""
    return b"".join(_encode(row) + b"\n" for row in rows.named())


def _cell(value: Any) -> Any:
    if value is None or isinstance(value, str | int | float):
        return value
    text = _encode(value).decode()
    return text if isinstance(value, list | dict) else text.strip('"')


def _arguments(request: Request) -> dict[str, str]:
    """The parameters in the query.  Raises Refused: invalid (too many, or one twice)."""
    given = request.query_params.multi_items()
    if len(given) > MOST_PARAMETERS:
        raise Refused("invalid", "too-many-parameters", {"most": MOST_PARAMETERS})
    found: dict[str, str] = {}
    for name, value in given:
        if name in found:
            raise Refused("invalid", "parameter-twice", {"name": repr(name[:40])})
        found[name] = value
    return found


def _asks_for_matches(arguments: dict[str, str]) -> bool:
    """Take `matches` out of the parameters.  Raises Refused: invalid; it is neither 0 nor 1."""
    flag = arguments.pop("matches", "0")
    if flag not in ("0", "1"):
        about = {"parameter": "matches", "value": repr(flag[:40]), "legal": "0, 1"}
        raise Refused("invalid", "query-value", about)
    return flag == "1"


def _tag(data: DataSet, *parts: object) -> str:
    """The ETag of an answer that follows from the data set, this program and these parts."""
    text = repr((data.snapshot, product(), parts))
    return f'"{hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]}"'


def _named(response: Response, data: DataSet, tag: str) -> Response:
    """The response with its snapshot and ETag."""
    response.headers.update({SNAPSHOT: data.snapshot, "etag": tag, "cache-control": "public, no-cache"})
    return response


# ── Refusals ──


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    language = decoding.language_of(request)
    return problems.answer(problems.document(error.kind, error, language), language, error.headers)


async def _http(request: Request, error: Exception) -> Response:
    """An address or a method that there is not."""
    assert isinstance(error, HTTPException)
    if error.status_code == _METHOD:
        about = {"method": request.method[:20], "methods": (error.headers or {}).get("Allow", "")}
        return await _refused(request, Refused("method", "no-such-method", about, error.headers))
    if error.status_code == _NOT_FOUND:
        return await _refused(request, Refused("not-found", "no-such-address", {"manual": problems.DOCS}))
    return await _refused(request, Refused("malformed", QUOTED, {"said": str(error.detail)}))


async def _failed(request: Request, error: Exception) -> Response:
    """An error of the program: its kind and place are logged, and nothing of the request."""
    return await _refused(request, Refused("failed", "look-first"))


HANDLERS: Mapping[Any, Any] = {Refused: _refused, HTTPException: _http, Exception: _failed}
