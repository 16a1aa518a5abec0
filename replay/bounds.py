"""The limits on an uploaded log: what no request could have written here is not stored here.

Rules of another server may have written any fact, so not only the fields that people fill have limits, but
every text, number and entry.  The bytes are checked before they are decoded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from domain import bounds
from domain.bounds import (
    AgentVersion,
    BotName,
    MatchId,
    Number,
    Picks,
    PlayerId,
    Reason,
    Salt,
    SaltHash,
    Score,
    SeatName,
)
from domain.game import Game
from domain.kernel import Refused
from domain.refusals import Sentence
from replay.matchfile import CHECKPOINTS, LOG, PRIVATE, BadFile, MatchFile

NOTE = 16 * 1024  # bytes of a checkpoint: the server's signature, and those of many witnesses


class _Result(Struct, frozen=True):
    score: dict[SeatName, Score] = {}


class _Branch(Struct, frozen=True):
    match: MatchId
    move: Number
    root: Annotated[str, Meta(max_length=44)]


class _Written(Struct, frozen=True):
    """The fields of a leaf or a private part that people fill; an entry has only those of its kind."""

    opener: PlayerId | None = None
    branch: _Branch | None = None
    player: PlayerId = "-"
    bot: BotName = "-"
    agent: AgentVersion = ""
    seat: SeatName = "-"
    salt: Salt | None = None
    salt_hash: SaltHash | None = None
    picks: Picks | None = None
    by: PlayerId = "-"
    reason: Reason = "-"
    to: Number = 1
    back_to: Number | None = None
    result: _Result | None = None


_written = msgspec.json.Decoder(_Written).decode
_SITTING = ("seated", "salt_opened")  # with the last of these play begins
_TOLD_APART = ("options", "reason")  # fields of a leaf that have their own limits


def must_be_within(file: MatchFile) -> None:
    """Check that a match file holds nothing larger than what could be written here.

    Raises:
        BadFile: something is larger; the text names the line and the field.
    """
    if len(file.parts[CHECKPOINTS]) > NOTE:
        raise BadFile(
            CHECKPOINTS, Sentence("note-too-large", {"size": len(file.parts[CHECKPOINTS]), "most": NOTE})
        )
    sizes, is_branch, begins = [], False, 0
    for number, leaf in enumerate(file.leaves, 1):
        values_ = _checked(LOG, leaf, number)
        if number == 1:
            _check_options(file.game, values_.get("options", {}))
            is_branch = "branch" in values_
        elif is_branch and values_.get("kind") in _SITTING:
            begins = number
        sizes.append(len(leaf))
    for number, line in enumerate(file.private or (), 1):
        parts = [bytes(part) for part in line.parts.values()]
        for part in parts:
            _checked(PRIVATE, part, number)
        if number <= len(sizes):
            sizes[number - 1] += sum(map(len, parts))
    for number, size in enumerate(sizes, 1):
        most = bounds.OPENING if number == 1 else bounds.LINE if number == begins else bounds.ENTRY
        if size > most:
            raise BadFile(LOG, Sentence("entry-too-large", {"size": size, "most": most}), number)


def _checked(part: str, content: bytes, number: int) -> dict[str, Any]:
    """Return the fields of an entry or a private part, after all are checked against the limits."""
    try:
        _written(content)
        values_ = msgspec.json.decode(content)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise BadFile(part, str(error), number) from error
    _check_values(part, {name: values_[name] for name in values_ if name not in _TOLD_APART}, number)
    return dict(values_)


def _check_values(part: str, values_: Mapping[str, Any], number: int) -> None:
    for value in _values(values_):
        if isinstance(value, str) and len(value) > bounds.TEXT:
            raise BadFile(
                part, Sentence("text-too-long", {"length": len(value), "most": bounds.TEXT}), number
            )
        if isinstance(value, (int, float)) and abs(value) > bounds.MOST:
            raise BadFile(part, Sentence("number-too-large", {"number": str(value)[:40]}), number)


def _values(value: Any) -> Iterator[Any]:
    """All texts and numbers in a value at any depth, the names of fields included."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += one.keys()
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
        else:
            yield one


def _check_options(game: Game, options: Mapping[str, Any]) -> None:
    """Check that each option that the game knows has a value that it could have here."""
    known = {option.name: option for option in game.options}
    _check_values(LOG, {name: value for name, value in options.items() if name not in known}, 1)
    for name in options.keys() & known.keys():
        try:
            known[name].check(options[name])
        except Refused as error:
            raise BadFile(LOG, str(error)[:1_000], 1) from error
