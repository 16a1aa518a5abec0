"""Opening a match, and sitting down at one: forms, which scripts send."""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from starlette.responses import Response

from api.bots.levels import LEVELS
from api.http.caching import NEVER
from api.http.permissions import looked
from api.http.routes.reservations import reserved_seats
from api.http.routing import Call
from api.http.views import players_of, summary
from api.web.clocks import terms_of
from api.web.shell import HasShell
from domain.chance import SCHEME
from domain.games import GAMES
from domain.match import Match
from replay.game_words import GameWords, OptionWords, game_words, title_of

_LONGEST = 64  # characters of a player's id


class OptionGroup(Struct, frozen=True):
    """The options of one kind: yes or no, one of several, or numbers and files."""

    kind: str
    options: list[OptionWords]


async def new_match_page(pages: HasShell, call: Call) -> Response:
    """A form with every option of a game (`game`, by default the first one).

    `player` is the id of whom the match is to be against; without a name here it counts as left out.
    `against=bot` chooses a bot.
    """
    against = call.request.query_params.get("player", "")[:_LONGEST]
    known = await call.services.names.of([against], call.language) if against else {}
    wanted = call.request.query_params.get("game")
    game = GAMES[wanted] if wanted in GAMES else next(iter(GAMES.values()))
    words = game_words(game, call.language)
    response = pages.shell.page(
        call,
        "new.html",
        script="new",
        words=words,
        groups=_groups(words),
        games=[(name, title_of(GAMES[name], call.language)) for name in GAMES],
        bots=_offered(call.gate.bots_of(game.name)),
        against_bot=not known and call.request.query_params.get("against") == "bot",
        lacking=[level for level in LEVELS if level not in call.gate.bots_of(game.name)],
        opponent=known.get(against, ""),
        state={
            "opponent": against if known else None,
            "game": game.name,
            "edition": words.edition,
            "defaults": {option.name: option.default for option in words.options},
            "seats": [seat.id for seat in words.seats],
            "player": call.player,
            "scheme": SCHEME,
        },
    )
    response.headers["cache-control"] = NEVER
    return response


def _groups(words: GameWords) -> list[OptionGroup]:
    """The options by kind, in the order of the game; a kind without options is left out."""
    groups = {kind: OptionGroup(kind, []) for kind in ("switches", "choices", "numbers")}
    for option in words.options:
        is_switch = any(isinstance(choice.value, bool) for choice in option.choices)
        kind = "switches" if is_switch else "choices" if option.choices and not option.data else "numbers"
        groups[kind].options.append(option)
    return [group for group in groups.values() if group.options]


async def sit_page(pages: HasShell, call: Call, match: str) -> Response:
    """How to sit down at a match: its free seats, its options, and for its players how to invite others.

    A code of an invitation stands in the fragment of the address, which no server sees.
    """
    cached = await looked(call, match)
    found = cached.match
    names = await call.services.names.of(players_of(cached), call.language)
    about = summary(cached, names, call.language)
    words = game_words(found.game, call.language, found.opened.edition, found.opened.options)
    reserved = await reserved_seats(call, found)
    wanted = call.request.query_params.get("seat")
    free = [seat for seat, player in about.seats.items() if player is None]
    own = [seat for seat, player in about.seats.items() if player and player == call.player]
    response = pages.shell.page(
        call,
        "sit.html",
        script="sit",
        words=words,
        match=found.id,
        seats=[
            (seat, names.get(about.seats[seat.id] or "") or about.bots.get(seat.id, ""))
            for seat in words.seats
        ],
        free=free,
        reserved=reserved,
        own=own,
        opener=found.opened.opener == call.player and call.player is not None,
        chosen=wanted if wanted in free else next((seat for seat in free if seat not in reserved), None),
        options=differing(found, words),
        clock=list(terms_of(found.opened.clock)),
        private=found.private,
        status=about.status,
        bots=_offered(call.gate.bots_of(found.game.name)),
        state={
            "match": found.id,
            "scheme": SCHEME,
            "player": call.player,
            "status": about.status,
            "free": free,
            "reserved": reserved,
        },
    )
    response.headers["cache-control"] = NEVER
    return response


def differing(match: Match, words: GameWords) -> list[tuple[str, str]]:
    """The options of a match that differ from the default: what each decides, and how it was decided."""
    given = match.opened.options
    return [
        (option.about, _in_words(option, given[option.name]))
        for option in words.options
        if option.name in given and given[option.name] != option.default
    ]


def _in_words(option: OptionWords, value: Any) -> str:
    for choice in option.choices:
        if type(choice.value) is type(value) and choice.value == value:
            return choice.label
    if value is None:
        return option.none or "—"
    return str(value.get("label", "…")) if isinstance(value, dict) else str(value)


def _offered(bots: list[str]) -> list[str]:
    """The bots in the order in which they are offered: the one for a first match first, `random` last."""
    return [*bots[1:], *bots[:1]]
