"""The core tables: what every game has, as rows of one match.

`rows` is pure: a match, and what a store knows of it beside its log (`Beside`), give the rows.  Of a match
that runs, and of an imported one, only what a spectator sees is in them (`replay.export.viewer_of`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from domain.events import Played, Ruled, TakebackAnswered, TakebackAsked, TakenBack
from domain.game import Game
from domain.games import GAMES
from domain.imported import alias
from domain.kernel import Result
from domain.log import Damaged, canonical
from domain.match import Match
from domain.match_base import ALL
from domain.turns import turns
from replay import matchfile
from replay.audit import offered
from replay.export import draws_of, fields_of, tag, viewer_of
from replay.positions import kind_of
from replay.tables.schema import Column, Row, Rows, Table, Type

_RANDOM = re.compile(r"p[a-z2-7]{16}|bot:[a-z0-9_-]{1,40}|import:[0-9a-f]{12}:Player-[A-Z]")
_LETTERS = 26  # of the aliases of a match
_SEAT = "the seat, as the game names it"
_MATCH = Column("match", "VARCHAR", "the id of the match")
_MOVE = Column("move", "INTEGER", "the number of the move; it never changes", "moves, from 1")
_TURN = Column("turn", "SMALLINT", "the turn or round of the game to which the move belongs", "turns, from 1")


def _table(name: str, meaning: str, *columns: Column) -> Table:
    return Table(name, None, meaning, columns)


def _text(name: str, meaning: str, type: Type = "VARCHAR") -> Column:
    return Column(name, type, meaning)


def _time(name: str, meaning: str) -> Column:
    return Column(name, "TIMESTAMP", f"{meaning}; null if that is not known", "UTC")


def _number(name: str, type: Type, meaning: str, unit: str = "") -> Column:
    return Column(name, type, meaning, unit)


TABLES = (
    _table(
        "matches",
        "One row is a match.",
        _MATCH,
        _text("game", "the game"),
        _text("edition", "the edition of the game"),
        _text("options", "every option of the match, as a JSON object"),
        _text(
            "origin", "where the match comes from: live, bots, seeded, scripted, branch, uploaded, imported"
        ),
        _text("unverified", "the match was imported from elsewhere: nothing in it is proved", "BOOLEAN"),
        _text("house_seeded", "no seat gave a salt of its own for the draws", "BOOLEAN"),
        _text("tournament", "the tournament; null if the match belongs to none"),
        _number("round", "SMALLINT", "the round of the tournament; null if the match belongs to none"),
        _number("board", "SMALLINT", "the board of the round; null if the match belongs to none"),
        _time("opened_at", "when the match was opened"),
        _time("closed_at", "when the match was closed"),
        _text("seat_a", "the first seat of the game"),
        _text("seat_b", "the second seat of the game"),
        _text("winner", "the seat that won; null: no winner, void, or not known"),
        _text("reason", "the reason of the result, such as nuclear_war; null: void, or not known"),
        _text("by", "how it closed: play, resignation, time, ruling, record or salt; null while it runs"),
        _number(
            "score_a", "BIGINT", "the final score of seat_a; null if there is none", "points of the game"
        ),
        _number(
            "score_b", "BIGINT", "the final score of seat_b; null if there is none", "points of the game"
        ),
        _number("turns", "SMALLINT", "the last turn that was played; null if play never began", "turns"),
        _number("moves", "INTEGER", "how many moves the log has", "moves"),
        _text("rules", "the rules version of the first move: a hash of the game's code and data"),
        _text("rules_last", "the rules version of the last move"),
        _text("product", "the version of the program that opened the match"),
        _text(
            "file_sha256",
            "the SHA-256 of the file that `glasnost export` writes; null if no checkpoint covers the match",
        ),
        _text(
            "proof",
            "ok: this server kept the log, or one of its keys signed it, and the draws can be checked;"
            " unproven: any other match.  `glasnost verify` checks the match file itself",
        ),
        _text(
            "complete",
            "play began, and every position follows from the one before by the rules; false if a position"
            " was set from the record of an imported match",
            "BOOLEAN",
        ),
    ),
    _table(
        "seats",
        "One row is a seat of a match, with who plays it at the end.",
        _MATCH,
        _text("seat", _SEAT),
        _text("player", "the id of the player, or an alias for a name in a file; null: the seat is free"),
        _text("bot", "the bot that plays the seat; null: a person plays it"),
        _text(
            "sat_down_on", "the seat that this player took first; another one if the players changed places"
        ),
        _number("rating_before", "INTEGER", "the player's rating before the match; null if it is not rated"),
        _number("rating_after", "INTEGER", "the player's rating after the match; null if it is not rated"),
        _text("salt_given", "how the player gave a salt for the draws: committed, clear or none"),
    ),
    _table(
        "moves",
        "One row is a move: an entry of the log.",
        _MATCH,
        _MOVE,
        _text("kind", "the kind of the entry: opened, seated, played, taken_back, ruled, closed, ..."),
        _text("seat", "the seat that acted; null if no seat did"),
        _text("ask", "the question that was answered; null if none was"),
        _TURN,
        _time("at", "when the move was made, by the server's clock"),
        _number("think_ms", "BIGINT", "from the question to the answer; null if it is not known", "ms"),
        _text("stands", "the move was not taken back", "BOOLEAN"),
        _number("facts", "INTEGER", "how many facts the move has", "facts"),
        _text("rules_changed", "the move was the first one of another rules version", "BOOLEAN"),
    ),
    _table(
        "facts",
        "One row is a fact: something that happened in a move.",
        _MATCH,
        _MOVE,
        _number("place", "INTEGER", "its place in the move", "from 0"),
        _TURN,
        _text("seat", "the seat that acted in the move; the seat that a fact is about is in `fields`"),
        _text("fact", "the name of the fact"),
        _text("known_to", "the seats that saw it in full at once; null: everybody did", "VARCHAR[]"),
        _text("fields", "all its fields, as a JSON object"),
    ),
    _table(
        "draws",
        "One row is a draw of chance.",
        _MATCH,
        _MOVE,
        _number("place", "INTEGER", "its place in the move, open draws first", "from 0"),
        _TURN,
        _text("open", "everybody saw possibilities and result at once", "BOOLEAN"),
        _text("label", "which draw of the game it is"),
        _number("counter", "INTEGER", "how many draws had this label before"),
        _number("period", "INTEGER", "the period of an open draw; 0 for a secret one"),
        _number("n", "INTEGER", "how many possibilities there were", "possibilities"),
        _number("result", "INTEGER", "the place of the one that was drawn", "from 0"),
        _text("pick", "the id of the one that was drawn"),
        _text("forced", "the result was taken from a record", "BOOLEAN"),
    ),
    _table(
        "decisions",
        "One row is an answer, with the options that today's rules offer on the recorded table.",
        _MATCH,
        _MOVE,
        _TURN,
        _text("seat", _SEAT),
        _text("ask", "the question"),
        _number("least", "INTEGER", "how many options must be picked", "options"),
        _number("most", "INTEGER", "how many options may be picked", "options"),
        _number("offered", "INTEGER", "how many options there were", "options"),
        _text("options", "the options", "VARCHAR[]"),
        _text("picked", "the options that were picked", "VARCHAR[]"),
        _text("rules", "the rules version that made the options"),
    ),
    _table(
        "takebacks",
        "One row is a request for a takeback, an answer to one, or a return to an earlier move.",
        _MATCH,
        _MOVE,
        _text("what", "asked, agreed, declined or taken_back"),
        _text("seat", "the seat that asked or answered; null for a return"),
        _number("request", "INTEGER", "the move of the request that was answered; null else", "moves"),
        _number("to", "INTEGER", "the move to which the match goes back; null for an answer", "moves"),
        _text("by", "agreement or ruling: why the match went back; null for a request or an answer"),
    ),
    _table(
        "rulings",
        "One row is a ruling of an organizer.",
        _MATCH,
        _MOVE,
        _text("by", "the id of the organizer"),
        _text("ruling", "back: to an earlier move; result; void: the match does not count"),
        _number("back_to", "INTEGER", "the move to which the match goes back; null else", "moves"),
        _text("winner", "the seat that wins by the ruling; null: none, or another kind of ruling"),
        _text("result", "the reason of the result, as the ruling names it; null for another kind of ruling"),
        _text("reason", "why, as the organizer wrote it"),
    ),
    _table(
        "ratings",
        "One row is what a rated match did to the rating of one player.",
        _MATCH,
        _text("seat", "the seat that the player had at the end"),
        _text("player", "the id of the player"),
        _text("game", "the game"),
        _text("edition", "the edition"),
        _time("at", "when the match was closed"),
        _number("before", "INTEGER", "the rating before", "rating points"),
        _number("after", "INTEGER", "the rating after", "rating points"),
    ),
    _table(
        "rules_versions",
        "One row is a rules version that decided moves of a match.",
        _MATCH,
        _MOVE,
        _number("last", "INTEGER", "the last move of the match that it decided", "moves"),
        _text("game", "the game"),
        _text("rules", "the rules version: a hash of the game's code and data"),
        _text("product", "the version of the program that brought it"),
    ),
)

COMPONENTS = _table(
    "components",
    "One row is an id that the games use: a card, a country, a space; it belongs to no match.",
    _text("game", "the game"),
    _text("kind", "what it is: card, country, region, agent, ..."),
    _text("id", "the id, as in facts and options"),
    _text("name_en", "its name in English"),
    _text("name_ru", "its name in Russian"),
    _text("region", "the region, of a country or a space; null else"),
    _text("side", "the side to which it belongs; null if to none"),
    _number("stability", "SMALLINT", "the printed stability number; null if it has none"),
    _number("ops", "SMALLINT", "the printed operations value; null if it has none", "operations points"),
    _text("battleground", "a battleground country; null if it is no country", "BOOLEAN"),
    _text("printed", "everything that the game's data says of it, as a JSON object; null: nothing more"),
)


class Beside(Struct, frozen=True):
    """What a store knows of a match beside its log.

    note: the signed checkpoint that completes the match file; None if there is none yet.
    ratings: the rating of each player before and after the match, by id; {} if it was not rated.
    ids: ids that stand in the rows instead of those of players who were forgotten.
    """

    note: str | None = None
    ratings: Mapping[str, tuple[int, int]] = {}
    ids: Mapping[str, str] = {}


def rows(match: Match, beside: Beside, *, decisions: bool = True) -> Rows:
    """Return the rows of the core tables for one match.

    Args:
        decisions: also those of `decisions`, which take most of the time: each option is computed again.
    """
    numbers, _ = turns(match, viewer_of(match))
    if match.imported or match.claimed:
        beside = msgspec.structs.replace(beside, ids=_without_names(match, beside.ids))
    return {
        "matches": [_match(match, beside, numbers)],
        "seats": list(_seats(match, beside)),
        "moves": list(_moves(match, numbers)),
        "facts": list(_facts(match, numbers)),
        "draws": list(_draws(match, numbers)),
        "decisions": list(_decisions(match, numbers)) if decisions else [],
        "takebacks": list(_takebacks(match)),
        "rulings": list(_rulings(match, beside)),
        "ratings": list(_ratings(match, beside)),
        "rules_versions": list(_rules_versions(match)),
    }


def _without_names(match: Match, ids: Mapping[str, str]) -> dict[str, str]:
    """The ids that stand in the rows of a match from elsewhere: any name of a person becomes an alias.

    Its ids are whatever its file says; those that servers make at random stay.
    """
    people = [seated.player for seated in match.players.values() if seated]
    people += [record.entry.by for record in match.records if isinstance(record.entry, Ruled)]
    names = [one for one in dict.fromkeys(people) if one and not _RANDOM.fullmatch(one)]
    own = hashlib.sha256(match.id.encode()).hexdigest()
    return {**ids, **{one: alias(own, min(at, _LETTERS - 1)) for at, one in enumerate(names)}}


def _match(match: Match, beside: Beside, numbers: list[int]) -> Row:
    opened, closed, result = match.opened, match.closed, match.result
    score_a, score_b = (result.score.get(seat) if result else None for seat in match.game.seats[:2])
    return (
        match.id,
        opened.game,
        opened.edition,
        canonical(opened.options).decode(),
        match.origin,
        match.imported,
        match.house_seeded,
        opened.tournament.tournament if opened.tournament else None,
        opened.tournament.round if opened.tournament else None,
        opened.tournament.board if opened.tournament else None,
        opened.at,
        closed.at if closed else None,
        *match.game.seats[:2],
        result.winner if result else None,
        result.reason if result else None,
        closed.by if closed else None,
        score_a,
        score_b,
        numbers[-1] if match.begun else None,
        match.move,
        opened.rules,
        match.rules,
        opened.product,
        _file_sha256(match, beside.note),
        "ok" if match.provable and not match.imported and not match.claimed else "unproven",
        match.begun is not None and not match.incomplete,
    )


def _file_sha256(match: Match, note: str | None) -> str | None:
    if note is None or match.closed is None:
        return None
    try:
        return hashlib.sha256(matchfile.write(match.records, note, root=match.roots[-1])).hexdigest()
    except Damaged:  # the checkpoint does not cover the match
        return None


def _seats(match: Match, beside: Beside) -> Iterator[Row]:
    for seat, seated in match.players.items():
        if seated is None:
            yield match.id, seat, None, None, None, None, None, None
            continue
        before, after = beside.ratings.get(seated.player, (None, None))
        salt = match.salt_marks[seated.seat]
        player = beside.ids.get(seated.player, seated.player)
        yield match.id, seat, player, seated.bot or None, seated.seat, before, after, salt


def _moves(match: Match, numbers: list[int]) -> Iterator[Row]:
    stands, rules = set(match.line()), match.opened.rules
    for record, turn in zip(match.records, numbers, strict=True):
        entry = record.entry
        known, rules = rules, getattr(entry, "rules", "") or rules
        yield (
            match.id,
            record.move,
            kind_of(entry),
            getattr(entry, "seat", None),
            getattr(entry, "ask", None),
            turn,
            entry.at,
            _think_ms(match, entry),
            record.move in stands,
            len(getattr(entry, "facts", ())),
            rules != known,
        )


def _think_ms(match: Match, entry: Any) -> int | None:
    """From the move that put the question to the answer; None if this is no answer, or a time is unknown."""
    if not isinstance(entry, Played) or entry.at is None:
        return None
    asked = match.asked_at(entry.move - 1)
    put = match.entry_at(asked.seats[entry.seat]).at if asked and entry.seat in asked.seats else None
    return None if put is None else (entry.at - put) // 1000


def _facts(match: Match, numbers: list[int]) -> Iterator[Row]:
    viewer = viewer_of(match)
    for record, turn in zip(match.records, numbers, strict=True):
        seat = getattr(record.entry, "seat", None)
        for place, fact in enumerate(match.facts_for(record, viewer)):
            known = fact.known_to()
            seats = None if known is None else list(known)
            yield match.id, record.move, place, turn, seat, tag(fact), seats, fields_of(fact)


def _draws(match: Match, numbers: list[int]) -> Iterator[Row]:
    for record, turn in zip(match.records, numbers, strict=True):
        for place, (is_open, draw) in enumerate(draws_of(match, record)):
            yield (
                match.id,
                record.move,
                place,
                turn,
                is_open,
                draw.label,
                draw.counter,
                draw.period,
                draw.n,
                draw.result,
                draw.pick,
                draw.forced,
            )


def _decisions(match: Match, numbers: list[int]) -> Iterator[Row]:
    for offer in offered(match) if viewer_of(match) == ALL else ():
        yield (
            match.id,
            offer.move,
            numbers[offer.move - 1],
            offer.seat,
            offer.ask,
            offer.least,
            offer.most,
            len(offer.options),
            list(offer.options),
            list(offer.picks),
            match.game.rules,
        )


def _takebacks(match: Match) -> Iterator[Row]:
    for record in match.records:
        entry = record.entry
        if isinstance(entry, TakebackAsked):
            yield match.id, record.move, "asked", entry.seat, None, entry.to, None
        elif isinstance(entry, TakebackAnswered):
            answer = "agreed" if entry.agree else "declined"
            yield match.id, record.move, answer, entry.seat, entry.request, None, None
        elif isinstance(entry, TakenBack):
            yield match.id, record.move, "taken_back", None, None, entry.to, entry.by


def _rulings(match: Match, beside: Beside) -> Iterator[Row]:
    for record in match.records:
        entry = record.entry
        if isinstance(entry, Ruled):
            kind = "void" if entry.void else "result" if entry.result else "back"
            result = entry.result or Result(None, "")
            by = beside.ids.get(entry.by, entry.by)
            reason = result.reason or None
            yield match.id, record.move, by, kind, entry.back_to, result.winner, reason, entry.reason


def _ratings(match: Match, beside: Beside) -> Iterator[Row]:
    for seat, seated in match.players.items():
        if seated is not None and seated.player in beside.ratings:
            before, after = beside.ratings[seated.player]
            player, opened = beside.ids.get(seated.player, seated.player), match.opened
            at = match.closed.at if match.closed else None
            yield match.id, seat, player, opened.game, opened.edition, at, before, after


def _rules_versions(match: Match) -> Iterator[Row]:
    first, rules, product = 1, match.opened.rules, match.opened.product
    for record in match.records:
        entry = record.entry
        changed, brought = getattr(entry, "rules", "") or rules, getattr(entry, "product", "") or product
        if changed != rules:
            yield match.id, first, record.move - 1, match.opened.game, rules, product
            first, rules = record.move, changed
            product = brought
    yield match.id, first, match.move, match.opened.game, rules, product


# ── components ──


@cache  # they follow from the version of the program
def components() -> tuple[Row, ...]:
    """Return the rows of `components`, of all games."""
    return tuple(row for game in GAMES.values() for row in _components(game))


def _components(game: Game) -> Iterator[Row]:
    names = {language: game.texts[language] for language in ("en", "ru")}
    printed = {data["id"]: data for data in _with_ids(msgspec.to_builtins(game.components()))}
    seen = set[str]()
    for kind, ids in game.ids.items():
        for id in ids:
            if id in seen:
                continue
            seen.add(id)
            data = printed.get(id, {})
            yield (
                game.name,
                kind,
                id,
                names["en"].name(id),
                names["ru"].name(id),
                data.get("region"),
                _first(data, str, "side", "alignment", "faction"),
                _first(data, int, "stability"),
                _first(data, int, "ops"),
                data.get("battleground", False) if "stability" in data and "region" in data else None,
                canonical(data).decode() if data else None,
            )


def _with_ids(value: Any) -> Iterator[dict[str, Any]]:
    """Every object with an id in the data of a game."""
    if isinstance(value, dict):
        if isinstance(value.get("id"), str):
            yield value
        for part in value.values():
            yield from _with_ids(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _with_ids(part)


def _first(data: Mapping[str, Any], kind: type, *names: str) -> Any:
    return next((data[name] for name in names if type(data.get(name)) is kind), None)
