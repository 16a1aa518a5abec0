"""Views: from the domain's objects and stored bytes to the shapes of the wire."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec import NODEFAULT, UNSET, Raw, Struct, UnsetType
from msgspec.structs import FieldInfo, replace

from api.gate import CachedMatch, CommandResult, UncachedMatch
from api.gate.bots import is_ours
from api.http.clocks import clock_view
from api.http.schemas import (
    AskedView,
    BranchView,
    ChanceView,
    Done,
    FrozenView,
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
from domain.chance import Secret
from domain.events import Closed
from domain.game import Game, Option
from domain.imported import REMARK, name_of
from domain.kernel import Prompt, Seat, Table
from domain.log import HOUSE, NOTHING, Known, Record, b64, overlaid
from domain.match import Match
from domain.match_base import ALL, Chair, Outline
from domain.subjects import Subject, groups, subjects
from domain.texts import LANGUAGES, Texts
from replay.clocks import clock_after

# Moves on the wire, assembled from the stored bytes: facts are never encoded a second time.
#
# A move is sent as the leaf without `prev` and `sealed`, its facts overlaid with the viewer's own part.  The
# salt that a seat chose for the draws (in `seated`) goes out as `chance_salt`, because `salt` is the one that
# opens the commitment to the viewer's own part.
#
# A player sees each move from the seat that this player has after it.  So if two players swap seats (see
# `domain.kernel.SeatsSettled`), no player ever sees more of a move than at its time, also not of moves that
# were taken back, and a move that was shown never changes.

SPECTATOR = "spectator"
_FIRST = ("move", "kind", "seat", "ask", "picks", "facts", "at", "root")
_UNTOLD = ("prev", "sealed")

_leaf = msgspec.json.Decoder(dict[str, Raw]).decode
_raws = msgspec.json.Decoder(tuple[Raw, ...]).decode
_encode = msgspec.json.Encoder().encode
_NULL, _NO_FACTS = Raw(b"null"), Raw(b"[]")


Positions = Callable[[int], Raw]
"""What returns the encoded position of a move."""


class LogView(Struct, frozen=True):
    """The log of a match as one viewer sees it; `proof`: with the fields that serve to verify the log.

    `viewer`: the seat at which the player sat down; None: a spectator; `ALL`: everything.
    """

    match: Match
    viewer: Chair | None
    secret: Secret | None
    proof: bool = False

    def seat_at(self, number: int) -> Seat | None:
        """Return the seat from which the viewer sees a move; None for a spectator."""
        return self.match.seat_of(self.viewer, number) if self.viewer else None

    def move(self, number: int) -> dict[str, Any]:
        """Return one move, ready to be encoded."""
        record = self.match.records[number - 1]
        told = _leaf(record.leaf)
        parts = record.known(self._audiences(record))
        move: dict[str, Any] = dict.fromkeys(_FIRST, _NULL)
        move |= {"facts": _NO_FACTS, **{name: raw for name, raw in told.items() if name not in _UNTOLD}}
        _overlay(move, parts)
        move["root"] = b64(self.match.roots[number - 1])
        if "salt" in told:
            move["chance_salt"] = move.pop("salt")
        if (clock := clock_after(self.match, number)) is not UNSET:
            move["clock"] = clock
        return self._with_own(move, record)

    def facts(self, first: int, last: int) -> list[Raw]:
        """Return the facts of consecutive moves."""
        records = self.match.records[first - 1 : last]
        return [fact for record in records for fact in record.leaf_for(self._audiences(record)).facts]

    def lines(self, numbers: Iterable[int]) -> bytes:
        """Return moves as NDJSON."""
        return b"".join(_encode(self.move(number)) + b"\n" for number in numbers)

    def events(self, numbers: Iterable[int], positions: Positions | None = None) -> bytes:
        """Return moves as server-sent events; the id is the move's number.

        Args:
            positions: returns the position of a move, if each is to be sent with it.
        """
        moves = ((number, with_position(self.move(number), number, positions)) for number in numbers)
        return b"".join(b"id: %d\ndata: %b\n\n" % (number, _encode(move)) for number, move in moves)

    def _audiences(self, record: Record) -> Collection[str]:
        """Those whose private parts this viewer knows."""
        if self.viewer == ALL:
            return record.audiences
        seat = self.seat_at(record.move)
        return () if seat is None else (seat,)

    def _with_own(self, move: dict[str, Any], record: Record) -> dict[str, Any]:
        """Add what lets the viewer verify the log; and the seat from which the viewer sees the move, if it is
        not the seat taken first.

        The salt of an empty part is sent with `proof` only: it opens what the seat knows anyway, and would
        make most moves an eighth longer.
        """
        seat = self.seat_at(record.move)
        own = seat if seat is not None and seat != HOUSE and seat in record.audiences else None
        part = record.part(own) if own else NOTHING
        if seat != self.viewer:
            move["view"] = seat
        if own and self.secret and (self.proof or part != NOTHING):
            move["salt"] = b64(self.secret.salt(record.move, own))
        if self.proof:
            move["leaf"] = record.leaf.decode()
        if self.proof and own:
            move["part"] = part.decode()
        return move


def with_position(move: dict[str, Any], number: int, positions: Positions | None) -> dict[str, Any]:
    """Return a move, with its encoded position if there is one."""
    return move if positions is None else {**move, "position": positions(number)}


def _overlay(move: dict[str, Any], parts: list[Known[Raw]]) -> None:
    """Put what the parts tell into its places."""
    if any(part.facts for part in parts):
        move["facts"] = overlaid(_raws(move["facts"]), parts)
    for part in parts:
        if part.picks is not None:
            move["picks"] = part.picks
        if part.draws:
            move["draws"] = [*_raws(move.get("draws", _NO_FACTS)), *part.draws]


# ── Matches, prompts and games: from the domain's objects to the structs of the wire ──


def summary(
    cached: CachedMatch, names: Mapping[str, str], language: str, receipt: str | None = None
) -> MatchSummary:
    """A match without its table; `names` are those of its players."""
    return MatchSummary(**_summary(cached, names, cached.match.move, language), receipt=receipt)


def as_left(accepted: CommandResult) -> CachedMatch:
    """Return the match as a command left it, without later moves, so that its answer can be repeated."""
    cached = accepted.cached
    if accepted.last == cached.match.move:
        return cached
    match = Match.project(None, cached.match.records[: accepted.last])
    assert match is not None, "a command has left a move"
    return CachedMatch(match, cached.secret)


def match_view(
    seen: CachedMatch | UncachedMatch,
    names: Mapping[str, str],
    viewer: Chair | None,
    at: int,
    language: str,
    receipt: str | None,
    reserved: list[Seat],
    now: int | None = None,
) -> MatchView:
    """Return a match with the table after move `at`, as `viewer` saw it from the seat played then.

    `now`: the time, for the flags that have fallen by then.
    """
    match = seen.match
    seat = match.seat_of(viewer, at) if viewer else None
    latest = at == match.move
    asked = match.asked if latest else match.asked_at(at)
    request = match.request if latest else None
    return MatchView(
        **_summary(seen, names, at, language, now),
        receipt=receipt,
        at=at,
        view=seat or SPECTATOR,
        reserved=reserved,
        asked=AskedView(asked.ask, asked.seats) if asked else None,
        request=RequestView(request.move, request.seat, request.to) if request else None,
        remark=REMARK[language] if match.imported else None,
        table=_table(match.table_at(at, seat)),
    )


def prompt_view(
    match: Match, move: int, question: Prompt, language: str, at: int | None = None
) -> PromptView:
    """Return a prompt in words.

    Args:
        move: the move that asked it.
        at: the move after which it stood (None: the latest).
    """
    words = match.game.words(language, match.opened.options, match.opened.edition)
    after = match.move if at is None else at
    found = subjects(
        match.game,
        question.ask,
        question.options,
        match.positions[after - 1].table,
        lambda: match.table_at(after, question.seat),
    )
    options = [
        _named(words, question, *option)
        for option in zip(question.options, found, groups(match.game, found), strict=True)
    ]
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


def _named(words: Texts, question: Prompt, pick: str, subject: Subject, group: str) -> NamedOption:
    told = NamedOption(
        pick, words.label(question.ask, pick), about=list(subject.about), verb=subject.verb, group=group
    )
    detail = question.details.get(pick)
    if detail is None:
        return told
    chances = [
        ChanceView(chance.ways, chance.of, chance.outcome, words.outcome(chance.outcome))
        for chance in detail.chances
    ]
    working, pays = _parts(words, detail.working), _parts(words, detail.pays)
    return replace(told, cost=detail.cost, chances=chances, working=working, pays=pays)


def _parts(words: Texts, parts: Mapping[str, int]) -> list[PartView]:
    """Parts of a sum, each with its name; zero parts are left out."""
    return [PartView(part, words.name(part), points) for part, points in parts.items() if points]


def played(accepted: CommandResult, language: str) -> Done:
    """Return the answer to a command: a function of the log alone, so it can be repeated byte for byte."""
    match = accepted.cached.match
    view = LogView(match, accepted.chair, accepted.cached.secret)
    root = b64(match.roots[accepted.last - 1])
    facts = view.facts(accepted.first, accepted.last)
    seat = view.seat_at(accepted.settled)
    question = asked_at(match, accepted.settled, seat) if seat else None
    prompt = prompt_view(match, *question, language, accepted.settled) if question else None
    return Done(accepted.last, root, list(facts), prompt, clock_after(match, accepted.settled))


def game_view(game: Game) -> GameView:
    """Return a game without its components and texts."""
    return GameView(**_game(game))


def game_detail(game: Game) -> GameDetail:
    """Return a game with its components, names and card texts."""
    return GameDetail(
        **_game(game),
        components=game.components(),
        names={language: game.texts[language].names for language in LANGUAGES},
        texts={language: game.texts[language].cards for language in LANGUAGES},
    )


def asked_at(match: Match, move: int, seat: Seat) -> tuple[int, Prompt] | None:
    """Return the prompt of a seat after `move`, and the move that asked it; None if there is none."""
    if move == match.move:
        standing = match.prompt(seat)
        return (standing[0], kernel.detailed(match.live, standing[1])) if standing else None
    asked = match.positions[move - 1].asked
    if asked is None or seat not in asked.seats or isinstance(match.records[move - 1].entry, Closed):
        return None
    table = match.table_with_agenda(move)
    question = kernel.prompt(table, seat)
    return (asked.seats[seat], kernel.detailed(table, question)) if question else None


def _summary(
    seen: CachedMatch | UncachedMatch,
    names: Mapping[str, str],
    at: int,
    language: str,
    now: int | None = None,
) -> dict[str, Any]:
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
        "branch": _branch(match),
        "private": match.private or UNSET,
        "clock": clock_view(match, at, now),
        "frozen": _frozen(match),
        "unverified": match.imported,
        "incomplete": match.incomplete or UNSET,
        "claimed": match.claimed,
        "signer": next(iter(match.proof.by), None) if match.proof else None,
        "signature": match.proof.text(language) if match.proof else None,
        "chance": _chance(match),
        "salts": match.salt_marks,
        "unopened": list(match.unopened),
        "status": match.status,
        "result": ResultView(result.winner, result.reason, result.score) if result else None,
        "move": match.move,
        "root": b64(match.root_at(at)),
    }


def _frozen(match: Outline) -> FrozenView | UnsetType:
    """By which move, when, by whom and why a running match is frozen."""
    found = None if match.closed else match.frozen
    return UNSET if found is None else FrozenView(found.move, found.at, found.by, found.reason)


def _branch(match: Outline) -> BranchView | UnsetType:
    """From where a branch goes on."""
    branch = match.opened.branch
    return UNSET if branch is None else BranchView(branch.match, branch.move, branch.root)


def _imported_names(match: Outline) -> dict[str, str]:
    """The names, or aliases, in an imported match: its player ids contain them."""
    players = (seated.player for seated in match.seats.values() if seated)
    return {player: name for player in players if (name := name_of(player)) is not None}


def _chance(match: Outline) -> str:
    if not match.provable:
        return "recorded"
    return "house-seeded" if match.house_seeded else "player-seeded"


def _table(table: Table) -> dict[str, Any]:
    """Every field of the table except the agenda, which no viewer sees; `exchanged` only if it is true."""
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


def players_of(seen: CachedMatch | UncachedMatch) -> list[str]:
    """Return the ids of the players at the table whose names may be shown.

    A match whose players are only claimed, or that is imported, may claim any player, so it shows no name.
    """
    if seen.match.claimed or seen.match.imported:
        return []
    return [seated.player for seated in seen.match.seats.values() if seated and not is_ours(seated)]
