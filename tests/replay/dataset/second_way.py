"""The answers of the saved queries a second way: the cases of each match are added up (AN16).

A row of an answer is compared in every column that follows from the cases (`answers`), and so are all matches
behind an answer, and those behind some of its rows.
"""

from __future__ import annotations

import random
import zlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import Struct

import replay.dataset as glasnost
from tests.replay.dataset import answers, cases_of_games
from tests.replay.dataset.cases import CASES, OF_ALL_GAMES, OPTIONS, PREFIXES, TS, Replayed, cases, given_for

Keys = tuple[Any, ...]


class Counted(Struct):
    """The cases of one row of an answer.

    sum: of a number for each case, by its match and move: the same for the same cases.
    values: those that count in each column, by its name.
    """

    n: int = 0
    sum: int = 0
    values: dict[str, list[float]] = {}

    def add(self, other: Counted) -> None:
        """Add what other matches have in the same row."""
        self.n += other.n
        self.sum += other.sum
        for column, values in other.values.items():
            self.values.setdefault(column, []).extend(values)


Rows = dict[Keys, Counted]
"""The rows of an answer, by the pool and the keys of each."""


def number_of(match: str, move: int) -> int:
    """A number that another move hardly has."""
    return zlib.crc32(f"{match} {move}".encode())


def names_of(game: str) -> Iterator[str]:
    """The saved queries of a game, without its prefix."""
    yield from CASES if game == TS else (*cases_of_games.OF_GAMES[game], *OF_ALL_GAMES)


def pool_in(match: Replayed) -> str:
    """The pool of a match between different players, by its file."""
    origin = str(match.about["origin"])
    return "bots" if origin == "live" and match.has_bots else origin


def count(rows: Rows, match: Replayed, name: str) -> None:
    """Add what a query counts in a match."""
    about = {**match.about, "option": OPTIONS[match.game], "space": cases_of_games.SPACE}
    pool, columns = pool_in(match), answers.ANSWERS[match.game][name]
    for keys, move, row in cases(match, name):
        found = rows.setdefault((pool, *keys), Counted())
        found.n += 1
        found.sum += number_of(match.id, move)
        for column, (_, value_of) in columns.items():
            value = value_of(about, keys, row)
            if value is not None:
                found.values.setdefault(column, []).append(value)


def compare_answer(
    data: glasnost.DataSet, game: str, name: str, wanted: Rows, few: int, **parameters: Any
) -> int:
    """Compare an answer with what was counted, and what is behind `few` of its rows; return the rows."""
    query = PREFIXES[game] + name
    answer = data.query(query, **parameters, **given_for(name, game))
    width = 1 + len(answer.query.keys)
    rows: dict[Keys, dict[str, Any]] = {
        row[:width]: dict(zip(answer.query.columns, row, strict=True)) for row in answer
    }
    counts = {keys: row["n"] for keys, row in rows.items()}
    assert counts == {keys: one.n for keys, one in wanted.items()}, query
    for keys, row in rows.items():
        for column, expected in columns_of(game, name, keys, wanted).items():
            if isinstance(expected, float):
                expected = pytest.approx(expected, rel=1e-9, abs=1e-9)
            assert row[column] == expected, (query, keys, column)
    behind, sums = Counter[str](), Counter[str]()
    for pool, match, move in answer.matches().fetchall():
        behind[pool] += number_of(match, move)
    for keys, one in wanted.items():
        sums[keys[0]] += one.sum
    assert behind == sums, query
    for keys in random.Random(name).sample(sorted(rows, key=repr), min(few, len(rows))):
        named = dict(zip(("in_pool", *answer.query.keys), keys, strict=True))
        some = answer.matches(**named).fetchall()
        assert {pool for pool, _, _ in some} == {keys[0]}
        assert sum(number_of(match, move) for _, match, move in some) == wanted[keys].sum, (query, keys)
    return len(rows)


def columns_of(game: str, name: str, keys: Keys, rows: Rows) -> dict[str, Any]:
    """The columns of a row of an answer that follow from the cases."""
    one = rows[keys]
    found: dict[str, Any] = {
        column: compute(one.values.get(column, []))
        for column, (compute, _) in answers.ANSWERS[game][name].items()
    }
    if (query := PREFIXES[game] + name) in answers.SHARES:
        share, whole, first = answers.SHARES[query]
        alike = (other.n for of, other in rows.items() if of[: 1 + first] == keys[: 1 + first])
        found[whole] = sum(alike)
        found[share] = one.n / found[whole]
    return found
