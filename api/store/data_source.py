"""A store as a data set is built from it (see `replay.dataset.build.Source`); it is only read."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from api.store.interface import StoreError
from domain.kernel import Refused
from domain.match import Match
from domain.match_base import LIVE
from projections.backend import Reading
from projections.boards import BOARDS
from projections.file import File
from projections.ratings import RatingRow
from projections.read import changed_matches, rated_again_at, ratings_changed, rows_of
from projections.runner import Runner
from replay.dataset.source import Change
from replay.tables.core import Beside

if TYPE_CHECKING:
    from api.store.sql import SqlStore

P = ParamSpec("P")
T = TypeVar("T")

_RATINGS = "ratings.db"
_PURPOSE = "the ids of forgotten players in a data set"


class DataSource:
    """Reads what a data set needs of a store.

    The ratings are those of the scoreboards, which are folded from the log into a file of this reader's own:
    so they are the same whether a server runs or not.

    Args:
        state: the folder for that file, which exists and which this process alone uses.
        report: is called with one line for everything that a user should know.
    """

    def __init__(
        self, store: SqlStore, state: Path, report: Callable[[str], None] = lambda line: None
    ) -> None:
        self._store, self._report = store, report
        self._boards = File(state / _RATINGS, report)
        self._runner: Runner | None = None

    def close(self) -> None:
        """Close the file of the ratings."""
        if self._runner:
            self._runner.stop()
        self._boards.close()

    def identity(self) -> str:
        """See `Source.identity`."""
        first = self._store.after(0, 1)
        return hashlib.sha256(first[0].record.leaf).hexdigest() if first else ""

    def last(self) -> int:
        """See `Source.last`."""
        return self._store.last()

    def closings(self, after: int, upto: int) -> list[tuple[int, str]]:
        """See `Source.closings`."""
        return self._store.closings(after, upto)

    def closed_at(self, matches: Collection[str]) -> dict[str, int]:
        """See `Source.closed_at`."""
        return self._store.closed_at(sorted(matches))

    def running(self) -> list[str]:
        """See `Source.running`."""
        return self._store.unclosed()

    def match(self, match: str) -> Match | None:
        """See `Source.match`."""
        return self._store.match(match)

    def beside(self, match: Match) -> Beside:
        """See `Source.beside`.

        Raises:
            StoreError: the ratings cannot be folded.
        """
        return Beside(self._store.note(match.id), self._ratings(match) if _is_rated(match) else {})

    def hidden(self) -> frozenset[str]:
        """See `Source.hidden`."""
        return self._store.uploads.withdrawn()

    def forgotten(self) -> Mapping[str, str]:
        """See `Source.forgotten`; the ids follow from the keys of the store, so only it can make them.

        Raises:
            StoreError: a player was forgotten, and the key folder is not known.
        """
        players = self._store.people.forgotten()
        if not players:
            return {}
        key = self._store.own_keys().derived(_PURPOSE)
        return {player: f"f{hmac.digest(key, player.encode(), 'sha256').hex()[:16]}" for player in players}

    def changes(self) -> list[Change]:
        """See `Source.changes`."""
        ids, uploads = self.forgotten(), self._store.uploads
        found = [uploads.withdrawal(match) for match in sorted(self.hidden())]
        withdrawn = [Change(one.at, "withdrawn", match=one.match) for one in found if one]
        times = self._store.people.forgotten()
        forgotten = [
            Change(at, "forgotten", player=ids[player]) for player, at in times.items() if player in ids
        ]
        again = [Change(at, "rated_again", match) for match, at in self._read(rated_again_at)]
        return withdrawn + forgotten + again

    def ratings_changed(self, cut: int) -> Mapping[int, int]:
        """See `Source.ratings_changed`.

        Raises:
            StoreError: the ratings cannot be folded.
        """
        if not self._runner:
            withdrawn = self._store.uploads.withdrawn
            self._runner = Runner(
                self._store, self._boards, projections=(BOARDS,), report=self._report, withdrawn=withdrawn
            )
        self._runner.catch_up()
        return self._read(ratings_changed, cut)

    def changed_ratings(self, first: int, last: int) -> Mapping[str, Mapping[str, tuple[int, int]]]:
        """See `Source.changed_ratings`.

        Raises:
            StoreError: the ratings cannot be folded.
        """
        return {
            match.match: {row.player: (row.before, row.after) for row in match.lines()}
            for match in self._read(changed_matches, first, last)
        }

    def _ratings(self, match: Match) -> dict[str, tuple[int, int]]:
        rows = self._read(rows_of, RatingRow, 'WHERE "match" = ?', (match.id,))
        if not rows:
            raise StoreError(f"the rating of match {match.id!r} {self._missing()}")
        return {row.player: (row.before, row.after) for row in rows}

    def _read(self, question: Callable[Concatenate[Reading, P], T], *values: P.args, **named: P.kwargs) -> T:
        """Ask the file of the ratings.  Raises StoreError: it is not complete."""
        try:
            with self._boards.reader() as tables:
                return question(tables, *values, **named)
        except Refused as error:
            raise StoreError(f"the ratings {self._missing()}") from error

    def _missing(self) -> str:
        failures = [one.failure for one in self._runner.status() if one.failure] if self._runner else []
        return f"cannot be folded from the log: {failures}"


def _is_rated(match: Match) -> bool:
    """Does the match count for the ratings (see `projections.boards`)?"""
    return match.pool == LIVE and not match.claimed and match.result is not None and all(match.seats.values())
