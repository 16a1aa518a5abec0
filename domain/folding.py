"""A log, or a line of it, folded without rules: the quickest way from stored bytes to the tables.

Only what a fold needs is read: no record is made, no hash and no draw is looked at.  Reading all of it
(`domain.log`) would cost more than the fold itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct

from domain.game import Game, OptionValue
from domain.kernel import AnyFact, Table
from domain.log import NOTHING, Damaged, over
from domain.sharing import empty_table, shared
from domain.upcast import decoder

F = TypeVar("F", bound=AnyFact)
ALL_PARTS, NO_PART = slice(None), slice(0)


class _Heard(Struct, gc=False, tag_field="kind"):
    """What a fold needs of an entry."""

    move: int


class _Opened(_Heard, gc=False, tag="opened"):
    game: str
    edition: str
    options: dict[str, OptionValue]


class _Seated(_Heard, Generic[F], gc=False, tag="seated"):
    facts: tuple[F, ...] = ()


class _SaltOpened(_Heard, Generic[F], gc=False, tag="salt_opened"):
    facts: tuple[F, ...] = ()


class _Played(_Heard, Generic[F], gc=False, tag="played"):
    facts: tuple[F, ...] = ()


class _Restated(_Heard, Generic[F], gc=False, tag="restated"):
    facts: tuple[F, ...] = ()


class _TakenBack(_Heard, gc=False, tag="taken_back"):
    to: int


class _TakebackAsked(_Heard, gc=False, tag="takeback_asked"):
    pass


class _TakebackAnswered(_Heard, gc=False, tag="takeback_answered"):
    pass


class _Resigned(_Heard, gc=False, tag="resigned"):
    pass


class _Ruled(_Heard, gc=False, tag="ruled"):
    pass


class _SecretOpened(_Heard, gc=False, tag="secret_opened"):
    pass


class _Closed(_Heard, gc=False, tag="closed"):
    pass


class _Part(Struct, Generic[F], gc=False):
    facts: tuple[tuple[int, F], ...] = ()


def tables(game: Game, stored: Iterable[bytes]) -> list[Table]:
    """The true table after each move of a stored log, without its agenda.

    Args:
        game: the log's game.
        stored: the stored bytes of the moves, from the first.

    Raises:
        Damaged: not the log of a match of this game.
    """
    found: list[Table] = []
    for table in folded(game, None, enumerate(stored, 1), ALL_PARTS, found):
        found.append(table)
    return found


def folded(
    game: Game,
    table: Table | None,
    stored: Iterable[tuple[int, bytes]],
    parts: slice,
    known: Sequence[Table | None] = (),
) -> Iterator[Table]:
    """The table after each of some moves: the first of them followed on `table`, each other one on the last.

    Args:
        game: the log's game.
        table: None, where the first of the moves opens the match.
        stored: the numbers of the moves, and their stored bytes.
        parts: which of the private parts of a record are looked at.
        known: the tables by move, as far as one of these moves goes back to them.

    Raises:
        Damaged: these are not the moves of a match of this game.
    """
    s: Any = table
    read_entry, read_part = _decoders(game)
    try:
        for move, data in stored:
            leaf, *sealed = data.split(b"\n")
            entry = read_entry(leaf)
            if entry.move != move:
                raise Damaged(f"the entry of move {entry.move} stands in the place of move {move}")
            if s is None:
                s = _empty(game, entry)
            kind = type(entry)
            if kind is _TakenBack:
                s = _back(known, entry)
            elif kind is _Played or kind is _Seated or kind is _SaltOpened or kind is _Restated:
                facts = entry.facts
                for part in sealed[parts]:
                    if part != NOTHING:
                        for place, fact in read_part(part).facts:
                            facts = (*facts[:place], fact, *facts[place + 1 :])
                for fact in facts:
                    s = fact.apply(s)
            yield s
    except msgspec.DecodeError as error:
        raise Damaged(str(error)) from error


@lru_cache
def _decoders(game: Game) -> tuple[Callable[[bytes], Any], Callable[[bytes], Any]]:
    told = (
        over(_Seated, game.facts)
        | over(_SaltOpened, game.facts)
        | over(_Played, game.facts)
        | over(_Restated, game.facts)
    )
    asked = _TakebackAsked | _TakebackAnswered | _TakenBack
    entry = told | asked | _Opened | _Resigned | _Ruled | _SecretOpened | _Closed
    return decoder(entry, game.upcasters), decoder(over(_Part, game.facts), game.upcasters)


def _back(known: Sequence[Table | None], entry: _TakenBack) -> Table:
    table = known[entry.to - 1] if 1 <= entry.to <= len(known) else None
    if table is None:
        raise Damaged(f"move {entry.move} goes back to move {entry.to}")
    return table


def _empty(game: Game, entry: object) -> Table:
    if not isinstance(entry, _Opened) or entry.game != game.name:
        raise Damaged(f"the first entry does not open a match of {game.name}")
    return empty_table(game, entry.edition, shared(entry.options))
