"""Exception handlers: each refusal becomes a response with its problem document.

A refusal about a match shows the names, the options and the moves of that match as the player may see them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from msgspec.structs import replace
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from api.gate import UNTOLD, CachedMatch, Gate
from api.gate.tournaments import PairedBefore
from api.http.decoding import language_of
from api.http.problems import DOCS, answer, document
from api.http.schemas import DraftBoard, PairedRound, Problem, PromptView
from api.http.views import LogView, prompt_view
from api.store.interface import StoreError
from domain.kernel import Prompt, Refused
from domain.match_base import Chair
from domain.texts import Texts

SINCE = 50  # moves at most that a stale refusal lists
_NOT_FOUND, _METHOD = 404, 405

Handler = Callable[[Request, Any], Any]
Refusal = Refused | StoreError
_SOON = {"retry-after": "1"}  # seconds


class HasGate(Protocol):
    """The part of the services that is needed to describe a refusal."""

    @property
    def gate(self) -> Gate:
        """The gate, which knows the match that a refusal is about."""


async def problem(error: Refusal, services: HasGate, language: str) -> tuple[Problem, Mapping[str, str]]:
    """Return the document of a refusal, and the headers to send with it over HTTP."""
    if isinstance(error, StoreError):
        error = error.refusal()
    # A client that gets Retry-After repeats the request without reading the match, so in-doubt has none.
    headers = error.headers or (_SOON if error.kind == "unavailable" else {})
    cached = await _cached_match(services, None if error.kind in UNTOLD else error.match)
    if isinstance(error, PairedBefore):
        return replace(document(error.kind, error, language), paired=_paired(error)), headers
    if cached is None:
        return document(error.kind, error, language), headers
    words = _words(cached, language)
    fault, legal = error.fault, error.legal
    said = words.refused(legal, fault) if legal is not None and fault is not None else error
    problem_document = document(
        error.kind,
        said,
        language,
        rule=error.rule,
        legal=_legal(legal, cached, language),
        since=_since(error, cached),
        names=words.names if language == "ru" else None,
    )
    return problem_document, headers


async def refused(request: HTTPConnection, error: Refusal) -> Response:
    """Return the response to a refusal or to an error of the store."""
    language = language_of(request)
    described, headers = await problem(error, request.app.services, language)
    return answer(described, language, headers)


async def http(request: Request, error: HTTPException) -> Response:
    """Return the response to an error of the router: unknown address or method."""
    language, known = language_of(request), request.app.allowed(request.scope["path"])
    if error.status_code == _METHOD or (error.status_code == _NOT_FOUND and known):
        allowed = ", ".join(known) or (error.headers or {}).get("Allow", "")
        about = {"method": request.method[:20], "methods": allowed}
        described = document("method", Refused("method", "no-such-method", about), language)
        return answer(described, language, {"allow": allowed})
    if error.status_code == _NOT_FOUND:
        nothing = Refused("not-found", "no-such-address", {"manual": DOCS})
        return answer(document("not-found", nothing, language), language)
    return answer(document("malformed", str(error.detail), language), language)


async def _cached_match(services: HasGate, match: str | None) -> CachedMatch | None:
    """The match that a refusal is about, if there is one."""
    try:
        return await services.gate.cached(match) if match else None
    except (Refused, StoreError):
        return None


def _legal(legal: Prompt | None, cached: CachedMatch, language: str) -> PromptView | None:
    if legal is None:
        return None
    standing = cached.match.prompt(legal.seat)
    return prompt_view(cached.match, standing[0] if standing else cached.match.move, legal, language)


def _since(error: Refused, cached: CachedMatch) -> Any:
    """The moves since the expected one, as this player may see them; None if the refusal is not stale."""
    if error.kind != "stale" or error.expect is None:
        return None
    last = cached.match.move
    view = LogView(cached.match, Chair(error.chair) if error.chair else None, cached.secret)
    return [view.move(number) for number in range(max(error.expect, last - SINCE) + 1, last + 1)]


def _paired(before: PairedBefore) -> PairedRound:
    """The pairing with which another official was faster."""
    found = before.paired
    return PairedRound(
        before.tournament,
        before.entry,
        before.root,
        found.by,
        found.round,
        before.sha256,
        found.engine,
        found.version,
        found.rules,
        found.input_sha256,
        tuple(DraftBoard(one.board, one.w, one.b, one.floats, one.colour_rule) for one in found.boards),
        found.byes,
    )


def _words(cached: CachedMatch, language: str) -> Texts:
    opened = cached.match.opened
    return cached.match.game.words(language, opened.options, opened.edition)


HANDLERS: dict[int | type[Exception], Handler] = {
    Refused: refused,
    StoreError: refused,
    HTTPException: http,
}
