"""Every refusal, wherever it comes from, as a problem document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fastapi import Request, Response
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection

from api.gate import CachedMatch, Denied
from api.gate.refusals import UNTOLD
from api.http import decoding, docs_page
from api.http.problems import answer, document
from api.http.schemas import Problem, PromptView
from api.http.services import Services
from api.http.views import LogView, prompt_view
from api.store.interface import InDoubt, StoreError
from domain.refusals import Refused
from domain.texts import Texts

SINCE = 50  # moves told with a stale request
_NOT_FOUND, _METHOD = 404, 405

Handler = Callable[[Request, Any], Any]
Refusal = Refused | Denied | StoreError
_SOON = {"retry-after": "1"}  # seconds


def _language(request: HTTPConnection) -> str:
    return decoding.language(request.headers.get("accept-language", ""))


async def problem(error: Refusal, services: Services, language: str) -> tuple[Problem, Mapping[str, str]]:
    """The document of a refusal, and the headers that HTTP sends with it."""
    if isinstance(error, Refused):
        return document(error.kind, error, language), error.headers
    if isinstance(error, StoreError):
        doubtful = isinstance(error, InDoubt)  # whoever is told to come again soon repeats without a look
        kind = "in-doubt" if doubtful else "unavailable"
        return document(kind, str(error), language), {} if doubtful else _SOON
    return await _denied(error, services, language), _SOON if error.kind == "unavailable" else {}


async def refused(request: HTTPConnection, error: Refusal) -> Response:
    """What the edge, the gate or the store refuses."""
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


async def _denied(error: Denied, services: Services, language: str) -> Problem:
    """What the gate refuses: with what was legal, and with what happened since."""
    desk = await _desk(services, None if error.kind in UNTOLD else error.match)
    told = _told(error, desk, language) if desk else None
    said = error.detail if desk is None or error.kind != "stale" else _stale(error, desk)
    return document(
        error.kind,
        told or said,
        language,
        rule=error.rule,
        legal=_legal(error, desk, language) if desk else None,
        since=_since(error, desk) if desk else None,
        known=_known(error, desk, language, told) if desk else None,
    )


async def _desk(services: Services, match: str | None) -> CachedMatch | None:
    """The match that a refusal is about, if there is one."""
    try:
        return await services.gate.desk(match) if match else None
    except (Denied, StoreError):
        return None


def _legal(error: Denied, desk: CachedMatch, language: str) -> PromptView | None:
    if error.legal is None:
        return None
    standing = desk.match.prompt(error.legal.seat)
    return prompt_view(desk.match, standing[0] if standing else desk.match.move, error.legal, language)


def _since(error: Denied, desk: CachedMatch) -> Any:
    """The moves since the one that was expected, as the player who asks is told them."""
    if error.kind != "stale" or error.expect is None:
        return None
    last = desk.match.move
    sight = LogView(desk.match, error.chair, desk.secret)
    return [sight.move(number) for number in range(max(error.expect, last - SINCE) + 1, last + 1)]


def _told(error: Denied, desk: CachedMatch, language: str) -> str | None:
    """What is wrong with an answer, in the words of its game."""
    if error.fault is None or error.legal is None:
        return None
    return _words(desk, language).refused(error.legal, error.fault)


def _stale(error: Denied, desk: CachedMatch) -> str:
    """What a stale request was told, with who is asked instead, where that is somebody else."""
    asked = desk.match.asked.seats if desk.match.asked else {}
    others = "" if error.seat in asked else f"; asked: {', '.join(asked) or 'nobody'}"
    return f"{error.detail}{others}; look at the prompt and answer that"


def _known(error: Denied, desk: CachedMatch, language: str, told: str | None) -> Mapping[str, Any]:
    """What the Russian detail tells besides; `told`: what it tells instead of the English one."""
    words = _words(desk, language)
    asked = desk.match.asked.seats if desk.match.asked else {}
    put = asked.get(error.seat or "")
    return {
        "names": words.names,
        "expect": str(error.expect),
        "asked": ", ".join(words.name(seat) for seat in asked) or words.name(None),
        "put": f" (вопрос хода {put})" if put is not None else "",
        **({"detail": told} if told else {}),
    }


def _words(desk: CachedMatch, language: str) -> Texts:
    opened = desk.match.opened
    return desk.match.game.words(language, opened.options, opened.edition)


HANDLERS: dict[int | type[Exception], Handler] = {
    Refused: refused,
    Denied: refused,
    StoreError: refused,
    HTTPException: http,
}
