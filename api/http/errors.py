"""Every refusal, wherever it comes from, as a problem document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fastapi import Request, Response
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection

from api.gate import CachedMatch
from api.gate.refusals import UNTOLD
from api.http import decoding, docs_page
from api.http.problems import answer, document
from api.http.schemas import Problem, PromptView
from api.http.services import Services
from api.http.views import LogView, prompt_view
from api.store.interface import StoreError
from domain.kernel import Prompt, Refused
from domain.match_base import Chair
from domain.texts import Texts

SINCE = 50  # moves told with a stale request
_NOT_FOUND, _METHOD = 404, 405

Handler = Callable[[Request, Any], Any]
Refusal = Refused | StoreError
_SOON = {"retry-after": "1"}  # seconds


def _language(request: HTTPConnection) -> str:
    return decoding.language(request.headers.get("accept-language", ""))


async def problem(error: Refusal, services: Services, language: str) -> tuple[Problem, Mapping[str, str]]:
    """The document of a refusal, and the headers that HTTP sends with it."""
    if isinstance(error, StoreError):
        error = error.refusal()
    # Who is told to come again soon repeats without a look, so not where it is in doubt.
    headers = error.headers or (_SOON if error.kind == "unavailable" else {})
    cached = await _cached_match(services, None if error.kind in UNTOLD else error.match)
    if cached is None:
        return document(error.kind, error, language), headers
    words = _words(cached, language)
    fault, legal = error.fault, error.legal
    said = words.refused(legal, fault) if legal is not None and fault is not None else error
    told = document(
        error.kind,
        said,
        language,
        rule=error.rule,
        legal=_legal(legal, cached, language),
        since=_since(error, cached),
        names=words.names if language == "ru" else None,
    )
    return told, headers


async def refused(request: HTTPConnection, error: Refusal) -> Response:
    """What is refused, or the store does not do."""
    language = _language(request)
    told, headers = await problem(error, request.app.state.services, language)
    return answer(told, language, headers)


async def http(request: Request, error: HTTPException) -> Response:
    """What the router refuses."""
    language = _language(request)
    if error.status_code == _METHOD:
        known = request.app.allowed(request.scope["path"])
        allowed = ", ".join(known) or (error.headers or {}).get("Allow", "")
        about = {"method": request.method[:20], "methods": allowed}
        told = document("method", Refused("method", "no-such-method", about), language)
        return answer(told, language, {"allow": allowed})
    if error.status_code == _NOT_FOUND:
        nothing = Refused("not-found", "no-such-address", {"manual": docs_page.PATH})
        return answer(document("not-found", nothing, language), language)
    return answer(document("malformed", str(error.detail), language), language)


async def _cached_match(services: Services, match: str | None) -> CachedMatch | None:
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
    """The moves since the one that was expected, as the player who asks is told them."""
    if error.kind != "stale" or error.expect is None:
        return None
    last = cached.match.move
    view = LogView(cached.match, Chair(error.chair) if error.chair else None, cached.secret)
    return [view.move(number) for number in range(max(error.expect, last - SINCE) + 1, last + 1)]


def _words(cached: CachedMatch, language: str) -> Texts:
    opened = cached.match.opened
    return cached.match.game.words(language, opened.options, opened.edition)


HANDLERS: dict[int | type[Exception], Handler] = {
    Refused: refused,
    StoreError: refused,
    HTTPException: http,
}
