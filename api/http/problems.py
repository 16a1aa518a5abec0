"""Refusals as problem documents (RFC 9457): one table of kinds, each with a stable `type`, in two languages.

The sentence of a refusal comes from `domain.refusals`; in Russian it stands in a sentence of its kind.  What
makes a response of a refusal, wherever it comes from, stands at the end.
"""

from __future__ import annotations

import importlib.resources
import tomllib
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Protocol

import msgspec
from fastapi import Request, Response
from msgspec import Struct
from msgspec.structs import replace
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection

from api.gate import CachedMatch, Gate
from api.gate.refusals import UNTOLD
from api.http import decoding
from api.http.schemas import MoveView, Problem, PromptView
from api.http.views import LogView, prompt_view
from api.store.interface import StoreError
from domain.kernel import Prompt, Refused
from domain.match_base import Chair
from domain.texts import Texts

MEDIA_TYPE = "application/problem+json"


class Kind(Struct, frozen=True):
    """One kind of problem: its HTTP status, its titles, and its Russian detail ({...}: see the raiser)."""

    status: int
    en: str
    ru: str
    detail: str


KINDS: dict[str, Kind] = {
    "malformed": Kind(
        400, "Malformed request", "Некорректный запрос", "Не удалось разобрать запрос: {detail}"
    ),
    "unauthorized": Kind(401, "Token needed", "Нужен токен", "Нужен действующий токен: {detail}"),
    "forbidden": Kind(403, "Not allowed", "Не разрешено", "Вам это не разрешено: {detail}"),
    "foreign": Kind(403, "Not your match", "Не ваша партия", "Не ваша партия: {detail}"),
    "cross-origin": Kind(403, "Foreign page", "Чужая страница", "Страница чужая: {detail}"),
    "reserved": Kind(403, "Seat reserved", "Место отложено", "Это место держат не для вас: {detail}"),
    "not-found": Kind(404, "Not found", "Не найдено", "Не найдено: {detail}"),
    "unknown-match": Kind(404, "Unknown match", "Нет такой партии", "Такой партии нет"),
    "unknown-game": Kind(404, "Unknown game", "Нет такой игры", "Такой игры нет; {detail}"),
    "unknown-player": Kind(404, "Unknown player", "Нет такого игрока", "Такого игрока нет: {detail}"),
    "unknown-seat": Kind(404, "Unknown seat", "Нет такого места", "Такого места нет: {detail}"),
    "unknown-move": Kind(404, "Unknown move", "Нет такого хода", "Такого хода нет: {detail}"),
    "method": Kind(405, "Method not allowed", "Метод не поддерживается", "Метод не поддерживается: {detail}"),
    "no-board": Kind(406, "No board", "Нет доски", "Рисунка нет: {detail}"),
    "too-slow": Kind(408, "Too slow", "Слишком медленно", "Запрос пришёл не весь: {detail}"),
    "stale": Kind(
        409,
        "Stale request",
        "Запрос устарел",
        "{detail}",
    ),
    "not-asked": Kind(409, "Not your turn", "Не ваш ход", "{detail}"),
    "not-running": Kind(409, "Not started", "Партия не началась", "Партия не началась: {detail}"),
    "over": Kind(409, "Match over", "Партия окончена", "Партия окончена"),
    "seat-taken": Kind(409, "Seat taken", "Место занято", "Это место занято"),
    "salt": Kind(409, "Salts do not allow this", "С солью так нельзя", "С солью так нельзя: {detail}"),
    "forgotten": Kind(
        409, "Player forgotten", "Игрок забыт", "Этого игрока забыли, и он не возвращается: {detail}"
    ),
    "last-admin": Kind(
        409, "Last administrator", "Последний администратор", "Так администраторов не останется: {detail}"
    ),
    "takeback": Kind(409, "No takeback", "Возврат невозможен", "Возврат хода невозможен: {detail}"),
    "record": Kind(409, "Not by hand", "Не вручную", "Ход определяет запись партии: {detail}"),
    "conflict": Kind(409, "Somebody was faster", "Кто-то опередил", "Кто-то вас опередил; посмотрите снова"),
    "exists": Kind(409, "Match exists", "Партия уже есть", "Партии не заменяют: {detail}"),
    "not-signed-here": Kind(
        409, "Not signed here", "Здесь не подписывают", "Эту контрольную точку здесь не подпишут: {detail}"
    ),
    "not-uploaded": Kind(409, "Not an upload", "Партия не загружена", "Не загружена: {detail}"),
    "withdrawn": Kind(410, "Match withdrawn", "Партия снята", "Партия снята администратором: {detail}"),
    "too-large": Kind(413, "Body too large", "Слишком большое тело", "Тело запроса слишком велико: {detail}"),
    "media-type": Kind(415, "Unknown content type", "Неизвестный тип", "Тело должно быть {detail}"),
    "wrong-host": Kind(421, "Not this server", "Не этот сервер", "Запрос не к этому серверу: {detail}"),
    "invalid": Kind(422, "Invalid request", "Запрос не подходит", "Запрос не подходит: {detail}"),
    "illegal": Kind(422, "Illegal answer", "Недопустимый ответ", "Ответ недопустим: {detail}"),
    "batch": Kind(
        422,
        "Batch too long",
        "Слишком много ответов",
        "Там, где начинается случай, открытие или чужой вопрос, ответы кончаются: {detail}",
    ),
    "ruling": Kind(422, "Impossible ruling", "Решение невозможно", "Решение невозможно: {detail}"),
    "bad-option": Kind(422, "Unknown option", "Неверный параметр", "Издание или параметр: {detail}"),
    "unknown-bot": Kind(422, "Unknown bot", "Нет такого бота", "Такого бота нет: {detail}"),
    "bad-file": Kind(422, "Damaged match file", "Файл партии повреждён", "Файл партии не принят: {detail}"),
    "key-reused": Kind(422, "Key used before", "Ключ уже был", "С этим ключом был послан другой запрос"),
    "limit": Kind(429, "Too many requests", "Слишком много запросов", "Слишком много запросов: {detail}"),
    "head-too-large": Kind(
        431, "Head too large", "Слишком длинный заголовок", "Начало запроса слишком длинно: {detail}"
    ),
    "upgrade": Kind(
        426,
        "WebSocket only",
        "Только WebSocket",
        "Здесь только WebSocket; прокси должен его пропускать",
    ),
    "failed": Kind(
        500, "Error in the server", "Ошибка сервера", "Посмотрите на партию, прежде чем повторять запрос"
    ),
    "unavailable": Kind(
        503, "Store not available", "Хранилище недоступно", "Сейчас этого сделать нельзя: {detail}"
    ),
    "in-doubt": Kind(
        503,
        "Stored or not, nobody knows",
        "Неизвестно, сохранено ли",
        "Хранилище пропало посреди записи, и никто не знает, сохранено ли это. Посмотрите на партию или"
        " повторите тот же запрос с тем же Idempotency-Key или expect: дважды это не произойдёт",
    ),
    "full": Kind(503, "Server full", "Сервер переполнен", "Свободного места нет: {detail}"),
    "behind": Kind(503, "Not that far yet", "Ещё не здесь", "Этого хода здесь ещё не видно: {detail}"),
    "not-ready": Kind(503, "Not ready", "Не готов", "Сервер сейчас не может работать; причины названы"),
}

_encode = msgspec.json.Encoder().encode


def type_of(kind: str) -> str:
    """The stable `type` of a kind."""
    return f"/problems/{kind}"


def meaning(status: int, kinds: Iterable[str]) -> str:
    """What a refusal with this status says, where it is of one of these kinds."""
    return ", ".join(sorted(KINDS[kind].en for kind in set(kinds) if KINDS[kind].status == status))


def document(
    kind: str,
    detail: str | Refused,
    language: str,
    *,
    rule: str = "",
    legal: PromptView | None = None,
    since: list[MoveView] | None = None,
    reasons: Mapping[str, str] | None = None,
    names: Mapping[str, str] | None = None,
) -> Problem:
    """The problem document; a `detail` that is a text is in the language already, or a library's.

    `names`: of seats in Russian, by id.
    """
    about = KINDS[kind]
    if language == "ru":
        said = detail.text("ru", names) if isinstance(detail, Refused) else detail
        detail = about.detail.format(detail=said)
    problem = Problem(
        type_of(kind), getattr(about, language), about.status, str(detail), rule or None, legal, since
    )
    return problem if reasons is None else replace(problem, ready=False, reasons=dict(reasons))


def page(kind: str, language: str) -> Problem:
    """What a kind means, and the way out: the page to which its `type` leads."""
    about = KINDS[kind]
    return Problem(type_of(kind), getattr(about, language), about.status, _pages()[kind][language])


@cache
def _pages() -> dict[str, dict[str, str]]:
    """By kind, what it means in each language."""
    return tomllib.loads((importlib.resources.files("api.http") / "problems.toml").read_text("utf-8"))


def answer(problem: Problem, language: str, headers: Mapping[str, str] | None = None) -> Response:
    """The response that carries a problem."""
    head = {"content-language": language, "cache-control": "no-store", "vary": "accept-language"}
    return Response(_encode(problem), problem.status, head | dict(headers or {}), MEDIA_TYPE)


# ── Every refusal, wherever it comes from, as the response that carries its document ──

DOCS = "/docs"  # the page of the documentation, which a refusal of an unknown address names
SINCE = 50  # moves told with a stale request
_NOT_FOUND, _METHOD = 404, 405

Handler = Callable[[Request, Any], Any]
Refusal = Refused | StoreError
_SOON = {"retry-after": "1"}  # seconds


class HasGate(Protocol):
    """What of a server's parts a refusal is told with."""

    @property
    def gate(self) -> Gate:
        """Knows the match that a refusal is about."""


def _language(request: HTTPConnection) -> str:
    return decoding.language(request.headers.get("accept-language", ""))


async def problem(error: Refusal, services: HasGate, language: str) -> tuple[Problem, Mapping[str, str]]:
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
