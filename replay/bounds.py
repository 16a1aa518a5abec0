"""The limits on a log from elsewhere: whatever a request could not have written here is not stored here.

A rule that decided elsewhere may have written any fact, so besides the fields that people fill every text,
number and entry has a limit.  What is looked at are the bytes, before anything is made of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from domain import bounds
from domain.bounds import BotName, Number, Picks, PlayerId, Reason, Salt, SaltHash, Score, SeatName
from domain.game import BadOption, Game
from replay.matchfile import CHECKPOINTS, LOG, PRIVATE, BadFile, MatchFile

NOTE = 16 * 1024  # bytes of a checkpoint: the server's signature, and those of many witnesses


class _Result(Struct, frozen=True):
    score: dict[SeatName, Score] = {}


class _Written(Struct, frozen=True):
    """The fields of a leaf or a private part that people fill; those of other kinds are missing."""

    opener: PlayerId | None = None
    player: PlayerId = "-"
    bot: BotName = "-"
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
_TOLD_APART = ("options", "reason")  # fields of a leaf with limits of their own


def must_be_within(file: MatchFile) -> None:
    """See that a match file holds nothing larger than what could be written here.

    Raises:
        BadFile: it does; the text names the line and the field.
    """
    if len(file.parts[CHECKPOINTS]) > NOTE:
        raise BadFile(CHECKPOINTS, f"{len(file.parts[CHECKPOINTS])} bytes; at most {NOTE} are taken")
    sizes = []
    for number, leaf in enumerate(file.leaves, 1):
        values_ = _checked(LOG, leaf, number)
        if number == 1:
            _check_options(file.game, values_.get("options", {}))
        sizes.append(len(leaf))
    for number, line in enumerate(file.private or (), 1):
        parts = [bytes(part) for part in line.parts.values()]
        for part in parts:
            _checked(PRIVATE, part, number)
        if number <= len(sizes):
            sizes[number - 1] += sum(map(len, parts))
    for number, size in enumerate(sizes, 1):
        most = bounds.OPENING if number == 1 else bounds.ENTRY
        if size > most:
            raise BadFile(LOG, f"the entry and its parts have {size} bytes; at most {most} are taken", number)


def _checked(part: str, content: bytes, number: int) -> dict[str, Any]:
    """What an entry or a private part says, once every field of it is within the limits."""
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
            raise BadFile(part, f"a text of {len(value)} characters; at most {bounds.TEXT} are taken", number)
        if isinstance(value, (int, float)) and abs(value) > bounds.MOST:
            raise BadFile(part, f"the number {str(value)[:40]}, which is too large", number)


def _values(value: Any) -> Iterator[Any]:
    """All texts and numbers in a value, the names of fields included, however deep it is."""
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
    """An option that the game knows has a value that it could have here."""
    known = {option.name: option for option in game.options}
    _check_values(LOG, {name: value for name, value in options.items() if name not in known}, 1)
    for name in options.keys() & known.keys():
        try:
            known[name].check(options[name])
        except BadOption as error:
            raise BadFile(LOG, str(error)[:1_000], 1) from error
