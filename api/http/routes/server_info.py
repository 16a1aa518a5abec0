"""About the server itself: games, keys, refusals, health, metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from fastapi import Path, Query, Response
from msgspec.structs import replace

from api.bots.levels import LEVELS, method_of, names, version_of
from api.bots.strengths import Strength, strength_of
from api.gate import Refusal
from api.gate.command_handler import seats_of
from api.http import health
from api.http.bot_schemas import BotList, BotMethod, BotStrength, BotView
from api.http.caching import IMMUTABLE
from api.http.game_words import EncodedWords, encoded_words, encoded_words_of
from api.http.permissions import looked
from api.http.problems import KINDS, answer, document, page
from api.http.routes import ID, GameName
from api.http.routing import FORBIDDEN, LOOKS, Answer, Api, Call
from api.http.schemas import (
    GameDetail,
    GameList,
    Health,
    Problem,
    Ready,
    RefusalList,
    RefusalView,
    ServerKeys,
)
from api.http.views import game_detail, game_view
from domain.game import Game
from domain.games import GAMES
from domain.kernel import Refused
from replay.game_words import GameWords

api = Api("service", "The server itself: keys, refusals, health, metrics.")
KindName = Annotated[str, Path(pattern=ID, description="What a problem's `type` ends in.")]
_METRICS = "text/plain"
_GLANCE = 0.2  # seconds that a request for metrics waits for the store; then it gets what is known


@api.get("/v1/keys", ServerKeys)
async def read_keys(call: Call) -> ServerKeys:
    """The keys that sign checkpoints, present and retired."""
    keys = call.gate.keys
    return ServerKeys(keys.present.text, [key.text for key in keys.retired], list(keys.rotations))


@api.get("/v1/refusals", RefusalList, refusals=(*FORBIDDEN, *LOOKS), token=True)
async def list_refusals(
    call: Call,
    match: Annotated[str | None, Query(max_length=64, description="Of this match only.")] = None,
    limit: Annotated[int, Query(ge=1, le=1_000, description="At most so many.")] = 100,
) -> RefusalList:
    """The latest refused commands that this process answered: for admins, and of one match for organizers.

    While the match runs, an organizer sees neither who sent a command nor what it was; one who plays in the
    match sees only what their own seats were refused.
    """
    person = call.person("organizer", "admin")
    if person.role == "admin":
        return RefusalList([_refusal(one) for one in call.gate.refusals.latest(limit, match)])
    if match is None:
        raise Refused("forbidden", "refusals-of-one-match")
    found = (await looked(call, match)).match
    kept = call.gate.refusals.latest(limit, match)
    if found.closed:
        return RefusalList([_refusal(one) for one in kept])
    own = seats_of(found, person.id)
    shown = [replace(one, command=None, player=None) for one in map(_refusal, kept)]
    return RefusalList([one for one in shown if not own or one.seat in own])


def _refusal(kept: Refusal) -> RefusalView:
    return RefusalView(kept.at, kept.kind, kept.command, kept.match, kept.player, kept.seat, kept.move)


@api.get("/problems/{kind}", Problem, refusals=("not-found",))
async def read_problem(call: Call, kind: KindName) -> Problem:
    """What a problem's `type` stands for, and the way out."""
    if kind not in KINDS:
        raise Refused("not-found", "no-kind-of-problem", {"kind": repr(kind), "kinds": list(KINDS)})
    call.final = True
    return page(kind, call.language)


@api.get("/healthz", Health, fleeting=True)
async def healthz(call: Call) -> Health:
    """The process is alive."""
    return Health("alive")


@api.get("/readyz", Ready, refusals=("not-ready",), fleeting=True)
async def readyz(call: Call) -> Ready | Response:
    """Moves can be stored, the read models are near, and the server is not about to stop."""
    report = await call.services.monitor.check(health.PATIENCE)
    reasons = health.reasons(report, call.gate.stopping, call.services.settings.ready_records)
    if reasons:
        detail = "; ".join(f"{part}: {said}" for part, said in reasons.items())
        return answer(document("not-ready", detail, call.language, reasons=reasons), call.language)
    return Ready(True, {}, health.remarks(report))


@api.get("/metrics", _METRICS, fleeting=True)
async def metrics(call: Call) -> Response:
    """Metrics for Prometheus."""
    await call.services.monitor.check(_GLANCE)
    return Response(call.services.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


# ── The games ──

games_api = Api("games", "The games of the house: editions, options, components.")


@games_api.get("/v1/games", GameList)
async def list_games(call: Call) -> GameList:
    """The games with their titles, editions and options."""
    call.final = True
    return GameList([game_view(game) for game in GAMES.values()])


@games_api.get("/v1/bots", BotList)
async def list_bots(call: Call) -> BotList:
    """The bots that may be invited to a match: how each plays, and how strong it was measured to be."""
    return BotList([BotView(level, _methods(call, level)) for level in LEVELS])


def _methods(call: Call, level: str) -> dict[str, BotMethod]:
    return {
        game: _method(level, game, offered=level in call.gate.bots_of(game))
        for game in GAMES
        if level in names(game)
    }


def _method(level: str, game: str, *, offered: bool) -> BotMethod:
    method, measured = method_of(level, game), strength_of(level, game)
    strength = strength_view(measured) if measured else None
    return BotMethod(method.name, method.budget.playouts, version_of(level, game), offered, strength)


def strength_view(measured: Strength) -> BotStrength:
    """What was measured of a level, for clients."""
    return BotStrength(
        measured.against,
        measured.matches,
        measured.points,
        measured.low,
        measured.high,
        measured.milliseconds,
        measured.seed,
    )


Lang = Annotated[
    str | None, Query(pattern="^(en|ru)$", description="One language, and no components; left out: both.")
]
WordsEdition = Annotated[
    str | None, Query(max_length=64, description="With `lang`: of this edition; left out: the first.")
]
WordsMatch = Annotated[
    str | None, Query(pattern=ID, description="With `lang`: as this match has them, with its own card set.")
]
WordsHash = Annotated[
    str | None,
    Query(
        pattern="^[0-9a-f]{24}$",
        description="With `lang`: the `hash` in the answer. While it is still the same, a cache may keep the"
        " answer for ever.",
    ),
]


@games_api.get("/v1/games/{game}", (GameDetail, GameWords), refusals=("unknown-game", "bad-option", *LOOKS))
async def read_game(
    call: Call,
    game: GameName,
    lang: Lang = None,
    edition: WordsEdition = None,
    match: WordsMatch = None,
    hash: WordsHash = None,
) -> GameDetail | Response:
    """One game with its components, names and card texts in both languages; or in words of one (`lang`).

    With `lang` the answer holds what a page needs to show any scene of the game: the names of all ids, seats,
    fields and options, what each card says, and the regions of the board.
    """
    if game not in GAMES:
        raise Refused("unknown-game", "no-such-game", {"games": list(GAMES)})
    call.final = True
    if lang is None:
        _must_need_no_language({"edition": edition, "match": match, "hash": hash})
        return game_detail(GAMES[game])
    found = await _words(call, GAMES[game], lang, edition, match)
    answer = Answer(found.body, 200, lang)
    if hash == found.hash:
        answer.headers["cache-control"] = IMMUTABLE
    return answer


async def _words(
    call: Call, game: Game, language: str, edition: str | None, match: str | None
) -> EncodedWords:
    if match is None:
        return encoded_words(game, language, edition)
    found = (await looked(call, match)).match
    if found.game is not game or edition not in (None, found.opened.edition):
        about = {"match": match, "game": found.game.name, "edition": found.opened.edition}
        raise Refused("invalid", "words-of-another-match", about)
    return encoded_words_of(found, language)


def _must_need_no_language(parameters: Mapping[str, str | None]) -> None:
    """Raises Refused: invalid, if one of these parameters is given."""
    for name, value in parameters.items():
        if value is not None:
            raise Refused("invalid", "words-without-lang", {"name": name})
