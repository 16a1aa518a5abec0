"""Refusals as problem documents (RFC 9457): one table of kinds, each with a stable `type`, in two languages.

The sentence of a refusal comes from `domain.refusals`; in Russian it is put into the sentence of its kind.
"""

from __future__ import annotations

import importlib.resources
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from starlette.responses import Response

from api.http.schemas import MoveView, Problem, PromptView
from domain.kernel import Refused

DOCS = "/docs"  # the page of the documentation, which a refusal of an unknown address names
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
    "cross-origin": Kind(
        403, "Page of another origin", "Страница другого источника", "Запрос с чужой страницы: {detail}"
    ),
    "reserved": Kind(403, "Seat reserved", "Место отложено", "Это место отложено не для вас: {detail}"),
    "not-found": Kind(404, "Not found", "Не найдено", "Не найдено: {detail}"),
    "unknown-match": Kind(404, "Unknown match", "Нет такой партии", "Такой партии нет"),
    "unknown-game": Kind(404, "Unknown game", "Нет такой игры", "Такой игры нет; {detail}"),
    "unknown-player": Kind(404, "Unknown player", "Нет такого игрока", "Такого игрока нет: {detail}"),
    "unknown-seat": Kind(404, "Unknown seat", "Нет такого места", "Такого места нет: {detail}"),
    "unknown-move": Kind(404, "Unknown move", "Нет такого хода", "Такого хода нет: {detail}"),
    "method": Kind(405, "Method not allowed", "Метод не поддерживается", "Метод не поддерживается: {detail}"),
    "no-board": Kind(406, "No board", "Нет доски", "Рисунка нет: {detail}"),
    "no-picture": Kind(406, "No picture", "Нет рисунка", "Рисунка нет: {detail}"),
    "too-slow": Kind(408, "Too slow", "Слишком медленно", "Запрос не пришёл целиком: {detail}"),
    "stale": Kind(
        409,
        "Stale request",
        "Запрос устарел",
        "{detail}",
    ),
    "not-asked": Kind(409, "Not your turn", "Не ваш ход", "{detail}"),
    "not-running": Kind(409, "Not started", "Партия не началась", "Партия не началась: {detail}"),
    "over": Kind(409, "Match over", "Партия окончена", "Партия окончена"),
    "time": Kind(409, "Time is up", "Время истекло", "{detail}"),
    "frozen": Kind(409, "Match frozen", "Партия заморожена", "{detail}"),
    "seat-taken": Kind(409, "Seat taken", "Место занято", "Это место занято"),
    "salt": Kind(409, "Salts do not allow this", "С солью так нельзя", "С солью так нельзя: {detail}"),
    "forgotten": Kind(
        409, "Player forgotten", "Игрок удалён", "Имя и токены игрока удалены навсегда: {detail}"
    ),
    "last-admin": Kind(
        409, "Last administrator", "Последний администратор", "Так администраторов не останется: {detail}"
    ),
    "takeback": Kind(409, "No takeback", "Возврат невозможен", "Возврат хода невозможен: {detail}"),
    "record": Kind(
        409, "Match follows a record", "Партия идёт по записи", "Ход определяет запись партии: {detail}"
    ),
    "conflict": Kind(
        409,
        "Another request came first",
        "Ваш запрос опередили",
        "Другой запрос был быстрее; посмотрите партию снова",
    ),
    "exists": Kind(409, "Match exists", "Партия уже есть", "Партию нельзя заменить: {detail}"),
    "terms": Kind(409, "Not by these terms", "Не по положению", "По положению нельзя: {detail}"),
    "not-entered": Kind(409, "Not entered", "Нет такого участника", "Среди участников нет: {detail}"),
    "entered": Kind(409, "Entered already", "Уже участвует", "Место уже занято: {detail}"),
    "no-place": Kind(409, "No place left", "Мест больше нет", "Больше нельзя: {detail}"),
    "late": Kind(409, "Too late", "Слишком поздно", "Слишком поздно: {detail}"),
    "interest": Kind(403, "Conflict of interest", "Конфликт интересов", "Судить здесь вам нельзя: {detail}"),
    "preview": Kind(409, "Preview needed", "Нужен предварительный просмотр", "{detail}"),
    "boards": Kind(409, "Boards do not fit", "Пары не подходят", "Эти пары не подходят: {detail}"),
    "window": Kind(409, "Dates do not fit", "Сроки не подходят", "Сроки не подходят: {detail}"),
    "unfinished": Kind(409, "Unfinished", "Не всё закончено", "Сначала нужно закончить: {detail}"),
    "unknown-tournament": Kind(404, "Unknown tournament", "Нет такого турнира", "Такого турнира нет"),
    "not-signed-here": Kind(
        409,
        "Not signed here",
        "Сервер не подписывает",
        "Сервер не подписывает эту контрольную точку: {detail}",
    ),
    "branch": Kind(409, "No branch from here", "Отсюда ветку не открыть", "Ветку не открыть: {detail}"),
    "not-uploaded": Kind(409, "Not an upload", "Партия не загружена", "Эта партия не загружена: {detail}"),
    "withdrawn": Kind(410, "Match withdrawn", "Партия снята", "Партия снята администратором: {detail}"),
    "too-large": Kind(413, "Body too large", "Слишком большое тело", "Тело запроса слишком велико: {detail}"),
    "media-type": Kind(
        415, "Unknown content type", "Неизвестный тип содержимого", "Тело должно быть {detail}"
    ),
    "wrong-host": Kind(421, "Not this server", "Не этот сервер", "Запрос не к этому серверу: {detail}"),
    "range": Kind(416, "No such bytes", "Нет таких байт", "Таких байт нет: {detail}"),
    "invalid": Kind(422, "Invalid request", "Неверный запрос", "Запрос неверен: {detail}"),
    "sql": Kind(422, "Query refused or stopped", "Запрос не выполнен", "Запрос не выполнен: {detail}"),
    "illegal": Kind(422, "Illegal answer", "Недопустимый ответ", "Ответ недопустим: {detail}"),
    "batch": Kind(
        422,
        "Batch too long",
        "Слишком много ответов",
        "Дальше наступает жребий, открытие карты или вопрос другой стороне: {detail}",
    ),
    "clock": Kind(422, "Impossible clock", "С часами так нельзя", "С часами так нельзя: {detail}"),
    "freeze": Kind(422, "Impossible freeze", "Заморозка невозможна", "Заморозка невозможна: {detail}"),
    "ruling": Kind(422, "Impossible ruling", "Решение невозможно", "Решение невозможно: {detail}"),
    "bad-option": Kind(422, "Unknown option", "Неверный параметр", "Издание или параметр: {detail}"),
    "unknown-bot": Kind(422, "Unknown bot", "Нет такого бота", "Такого бота нет: {detail}"),
    "bad-file": Kind(422, "Damaged match file", "Файл партии повреждён", "Файл партии не принят: {detail}"),
    "key-reused": Kind(
        422, "Key used before", "Ключ уже использован", "С этим ключом уже послан другой запрос"
    ),
    "limit": Kind(429, "Too many requests", "Слишком много запросов", "Слишком много запросов: {detail}"),
    "head-too-large": Kind(
        431, "Headers too large", "Слишком длинные заголовки", "Заголовки запроса слишком длинны: {detail}"
    ),
    "upgrade": Kind(
        426,
        "WebSocket only",
        "Только WebSocket",
        "Здесь только WebSocket; прокси должен его пропускать",
    ),
    "failed": Kind(
        500, "Error in the server", "Ошибка сервера", "Посмотрите партию, прежде чем повторять запрос"
    ),
    "not-offered": Kind(
        501, "Not offered here", "Здесь этого нет", "Этот сервер такого не предлагает: {detail}"
    ),
    "data-away": Kind(503, "Data not available", "Данные недоступны", "Данные сейчас недоступны: {detail}"),
    "pairing": Kind(503, "No pairing", "Пары не составлены", "Пары не составлены: {detail}"),
    "unavailable": Kind(
        503, "Store not available", "Хранилище недоступно", "Сейчас этого сделать нельзя: {detail}"
    ),
    "in-doubt": Kind(
        503,
        "Unknown whether it was stored",
        "Неизвестно, сохранено ли",
        "Связь с хранилищем прервалась во время записи, и неизвестно, сохранена ли команда. Посмотрите партию"
        " или повторите тот же запрос с тем же Idempotency-Key или expect: дважды он не выполнится",
    ),
    "full": Kind(503, "Server full", "Сервер переполнен", "Свободного места нет: {detail}"),
    "behind": Kind(
        503, "Move not here yet", "Хода здесь ещё нет", "Этого хода на этом сервере ещё нет: {detail}"
    ),
    "log-behind": Kind(503, "Log behind", "Журнал отстал", "Сейчас этого сделать нельзя: {detail}"),
    "not-ready": Kind(
        503, "Not ready", "Не готов", "Сервер работает не полностью; причины указаны в reasons"
    ),
}

_encode = msgspec.json.Encoder().encode


def type_of(kind: str) -> str:
    """The stable `type` of a kind."""
    return f"/problems/{kind}"


def meaning(status: int, kinds: Iterable[str]) -> str:
    """The English titles of those of these kinds that have this status, separated by commas."""
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
    """Return the problem document of a kind in a language.

    `detail`: a refusal, or a text that is in this language already or comes from a library.
    `names`: the Russian names of seats, by id.
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
    """Return the page to which the `type` of a kind leads: what it means, and what to do."""
    about = KINDS[kind]
    return Problem(type_of(kind), getattr(about, language), about.status, _pages()[kind][language])


@cache
def _pages() -> dict[str, dict[str, str]]:
    """The text of each page, by kind and language."""
    return tomllib.loads((importlib.resources.files("api.http") / "problems.toml").read_text("utf-8"))


def answer(problem: Problem, language: str, headers: Mapping[str, str] | None = None) -> Response:
    """The response that carries a problem."""
    head = {"content-language": language, "cache-control": "no-store", "vary": "accept-language"}
    return Response(_encode(problem), problem.status, head | dict(headers or {}), MEDIA_TYPE)
