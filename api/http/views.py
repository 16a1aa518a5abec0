"""What is told of matches, prompts and games: from the domain's objects to the shapes of the wire."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec import NODEFAULT, Struct
from msgspec.structs import FieldInfo

from api.gate import Accepted, Desk, Glimpsed
from api.http.moves import SPECTATOR, Sight
from api.http.shapes import (
    AskedView,
    ChanceView,
    Done,
    GameDetail,
    GameView,
    MatchSummary,
    MatchView,
    NamedOption,
    OptionView,
    PartView,
    PromptView,
    RequestView,
    ResultView,
)
from domain import kernel
from domain.entries import Closed
from domain.game import Game, Option
from domain.imported import REMARK, name_of
from domain.kernel import Prompt, Seat, Table
from domain.log import b64
from domain.match import Match
from domain.outline import Chair, Outline
from domain.texts import LANGUAGES, Texts


def summary(desk: Desk, names: Mapping[str, str], language: str, receipt: str | None = None) -> MatchSummary:
    """A match without its table; `names` are those of its players."""
    return MatchSummary(**_summary(desk, names, desk.match.move, language), receipt=receipt)


def as_left(accepted: Accepted) -> Desk:
    """The match as a command left it, whatever came afterwards, so that its answer can be given again."""
    desk = accepted.desk
    if accepted.last == desk.match.move:
        return desk
    match = Match.project(None, desk.match.records[: accepted.last])
    assert match is not None, "a command has left a move"
    return Desk(match, desk.secret)


def match_view(
    seen: Desk | Glimpsed,
    names: Mapping[str, str],
    viewer: Chair | None,
    at: int,
    language: str,
    receipt: str | None,
    reserved: list[Seat],
) -> MatchView:
    """A match with the table after move `at`, as `viewer` was told it: as the seat that he played then."""
    match = seen.match
    seat = match.seat_of(viewer, at) if viewer else None
    latest = at == match.move
    asked = match.asked if latest else match.asked_at(at)
    request = match.request if latest else None
    return MatchView(
        **_summary(seen, names, at, language),
        receipt=receipt,
        at=at,
        view=seat or SPECTATOR,
        reserved=reserved,
        asked=AskedView(asked.ask, asked.seats) if asked else None,
        request=RequestView(request.move, request.seat, request.to) if request else None,
        remark=REMARK[language] if match.imported else None,
        table=_table(match.table_at(at, seat)),
    )


def prompt_view(match: Match, move: int, question: Prompt, language: str) -> PromptView:
    """A question in words; `move` put it."""
    words = match.game.words(language, match.opened.options, match.opened.edition)
    options = [_named(words, question, pick) for pick in question.options]
    return PromptView(
        move,
        question.seat,
        question.ask,
        options,
        question.least,
        question.most,
        words.why(question),
        question.ordered,
    )


def _named(words: Texts, question: Prompt, pick: str) -> NamedOption:
    label, detail = words.label(question.ask, pick), question.details.get(pick)
    if detail is None:
        return NamedOption(pick, label)
    chances = [ChanceView(chance.ways, chance.of, chance.outcome) for chance in detail.chances]
    working, pays = _parts(words, detail.working), _parts(words, detail.pays)
    return NamedOption(pick, label, detail.cost, chances, working, pays)


def _parts(words: Texts, parts: Mapping[str, int]) -> list[PartView]:
    """Parts of a sum, each with its name; one that is nothing is left out."""
    return [PartView(part, words.name(part), points) for part, points in parts.items() if points]


def played(accepted: Accepted, language: str) -> Done:
    """The answer to a command: a function of the log alone, so it can be given again byte for byte."""
    match = accepted.desk.match
    sight = Sight(match, accepted.chair, accepted.desk.secret)
    root = b64(match.roots[accepted.last - 1])
    facts = sight.facts(accepted.first, accepted.last)
    seat = sight.seat_at(accepted.settled)
    question = asked_at(match, accepted.settled, seat) if seat else None
    told = prompt_view(match, *question, language) if question else None
    return Done(accepted.last, root, list(facts), told)


def game_view(game: Game) -> GameView:
    """A game of the house."""
    return GameView(**_game(game))


def game_detail(game: Game) -> GameDetail:
    """A game with its components, names and card texts."""
    return GameDetail(
        **_game(game),
        components=game.components(),
        names={language: game.texts[language].names for language in LANGUAGES},
        texts={language: game.texts[language].cards for language in LANGUAGES},
    )


def asked_at(match: Match, move: int, seat: Seat) -> tuple[int, Prompt] | None:
    """What a seat was asked after `move`."""
    if move == match.move:
        standing = match.prompt(seat)
        return (standing[0], kernel.detailed(match.live, standing[1])) if standing else None
    asked = match.positions[move - 1].asked
    if asked is None or seat not in asked.seats or isinstance(match.records[move - 1].entry, Closed):
        return None
    table = match.table_with_agenda(move)
    question = kernel.prompt(table, seat)
    return (asked.seats[seat], kernel.detailed(table, question)) if question else None


def _summary(seen: Desk | Glimpsed, names: Mapping[str, str], at: int, language: str) -> dict[str, Any]:
    match, result, players = seen.match, seen.match.result, seen.match.players
    return {
        "match": match.id,
        "game": match.game.name,
        "edition": match.opened.edition,
        "options": _plain(match.opened.options),
        "seats": {seat: seated.player if seated else None for seat, seated in players.items()},
        "bots": {seat: seated.bot for seat, seated in players.items() if seated and seated.bot},
        "names": _imported_names(match) if match.imported else dict(names),
        "origin": match.origin,
        "unverified": match.imported,
        "claimed": match.claimed,
        "signer": next(iter(match.proof.by), None) if match.proof else None,
        "signature": match.proof.told(language) if match.proof else None,
        "chance": _chance(match),
        "salts": match.salt_marks,
        "unopened": list(match.unopened),
        "status": match.status,
        "result": ResultView(result.winner, result.reason, result.score) if result else None,
        "move": match.move,
        "root": b64(match.root_at(at)),
    }


def _imported_names(match: Outline) -> dict[str, str]:
    """The names, or aliases, in an imported match: these ids say them themselves."""
    players = (seated.player for seated in match.seats.values() if seated)
    return {player: name for player in players if (name := name_of(player)) is not None}


def _chance(match: Outline) -> str:
    if not match.provable:
        return "recorded"
    return "house-seeded" if match.house_seeded else "player-seeded"


def _table(table: Table) -> dict[str, Any]:
    """Every field of the table, but for the agenda, which no viewer is told; `exchanged` where it is so."""
    untold = ("agenda",) if table.exchanged else ("agenda", "exchanged")
    return {name: _plain(getattr(table, name)) for name in table.__struct_fields__ if name not in untold}


def _plain(value: Any) -> Any:
    """A part of a table without structs, its names in order; equal parts give the same bytes.

    A field that its struct leaves out by default is left out by value.  msgspec asks whether it *is* the
    default, and that is one thing in a match just played and another in the same match read again.
    """
    if isinstance(value, Struct):
        return dict(_fields(value))
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in sorted(value.items())}
    return [_plain(part) for part in value] if isinstance(value, (tuple, list)) else value


def _fields(value: Struct) -> Iterator[tuple[str, Any]]:
    config = value.__struct_config__
    if config.tag is not None:
        yield str(config.tag_field), config.tag
    for name, defaults in _defaults(type(value)):
        part = getattr(value, name)
        if not (config.omit_defaults and part in defaults):
            yield name, _plain(part)


@cache
def _defaults(kind: type[Struct]) -> list[tuple[str, list[Any]]]:
    """The fields of a struct, and in a list the default of each, if it has one."""
    return [(field.name, _default(field)) for field in msgspec.structs.fields(kind)]


def _default(field: FieldInfo) -> list[Any]:
    if field.default_factory is not NODEFAULT:
        return [field.default_factory()]
    return [] if field.default is NODEFAULT else [field.default]


def _game(game: Game) -> dict[str, Any]:
    texts = game.texts
    return {
        "game": game.name,
        "titles": {language: texts[language].name(game.name) for language in LANGUAGES},
        "seats": {
            seat: {language: texts[language].name(seat) for language in LANGUAGES} for seat in game.seats
        },
        "editions": list(game.editions),
        "options": [_option(game, option) for option in game.options],
        "rules": game.rules,
    }


def _option(game: Game, option: Option) -> OptionView:
    words = {language: game.texts[language].option(option.name) for language in LANGUAGES}
    return OptionView(
        name=option.name,
        default=option.default,
        choices=list(option.choices),
        about={language: told.get("about", "") for language, told in words.items()},
        labels={
            language: {choice: label for choice, label in told.items() if choice != "about"}
            for language, told in words.items()
        },
        least=option.least,
        most=option.most,
        none=option.none,
        data=option.data is not None,
    )


def players_of(seen: Desk | Glimpsed) -> list[str]:
    """The people at the table whose names this house knows.

    A match whose players are only claimed, or that is imported, may say who it likes: nobody's name is told
    with it.
    """
    if seen.match.claimed or seen.match.imported:
        return []
    return [seated.player for seated in seen.match.seats.values() if seated and not seated.bot]
