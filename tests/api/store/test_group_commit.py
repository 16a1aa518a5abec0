"""The one writer: group commit, and what one failing piece of work means for the others."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest
from eventsourcing.sqlite import SQLiteCursor as Cursor

from api.store.interface import Conflict, StoreError, Unavailable
from api.store.sqlite import Adding, Rows, Writer
from api.store.sqlite_recorder import Datastore
from api.store.sqlite_schema import FILE


class CountingDatastore(Datastore):
    """Counts the transactions that were committed."""

    commits = 0

    @contextmanager
    def transaction(self, *, commit: bool) -> Iterator[Cursor]:
        with super().transaction(commit=commit) as cursor:
            yield cursor
        self.commits += commit


class Desk:
    """A writer whose work can be made to queue up, and a table of its own to write to."""

    def __init__(self, folder: Path) -> None:
        self.datastore = CountingDatastore(folder / FILE, write=True)
        self.writer = Writer(self.datastore)
        self.run("CREATE TABLE words (word TEXT PRIMARY KEY, length INTEGER CHECK (length < 10000))").result()

    def run(self, statement: str, *values: object) -> Future[None]:
        return self.writer.run(lambda cursor: cursor.execute(statement, values))

    def add(self, word: str) -> Future[None]:
        return self.run("INSERT INTO words VALUES (?, ?)", word, len(word))

    @contextmanager
    def queueing(self) -> Iterator[None]:
        """What is handed over within the context is done in one group."""
        begun, go_on = Event(), Event()

        def hold(cursor: Cursor) -> None:
            begun.set()
            go_on.wait()

        held: Future[None] = self.writer.run(hold)
        begun.wait()
        yield
        go_on.set()
        held.result()

    @property
    def words(self) -> list[str]:
        return [row[0] for row in self.datastore.rows("SELECT word FROM words ORDER BY rowid")]

    def close(self) -> None:
        self.writer.close()
        self.datastore.close()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.close()


def test_work_that_queued_up_is_committed_together(desk: Desk) -> None:
    before = desk.datastore.commits
    with desk.queueing():
        done = [desk.add(f"w{number}") for number in range(100)]
    assert [future.result() for future in done] == [None] * 100
    assert desk.datastore.commits == before + 2  # the one that held the queue, and one for all
    assert desk.words == [f"w{number}" for number in range(100)]


def test_one_conflict_spoils_no_other_work_of_its_group(desk: Desk) -> None:
    desk.add("w50").result()
    before = desk.datastore.commits
    with desk.queueing():
        done = [desk.add(f"w{number}") for number in range(100)]
    failed = [number for number, future in enumerate(done) if future.exception()]
    assert failed == [50]
    assert isinstance(done[50].exception(), Conflict)
    assert desk.datastore.commits == before + 2
    assert len(desk.words) == 100


def test_work_that_raises_is_undone_wholly_and_alone(desk: Desk) -> None:
    def half(cursor: Cursor) -> None:
        cursor.execute("INSERT INTO words VALUES ('half', 4)")
        raise LookupError("in the middle")

    with desk.queueing():
        done = [desk.add("before"), desk.writer.run(half), desk.add("after")]
    with pytest.raises(LookupError, match="in the middle"):
        done[1].result()
    assert desk.words == ["before", "after"]


def test_a_result_is_given_only_after_the_commit(desk: Desk) -> None:
    seen: list[tuple[int, list[str]]] = []

    def count(cursor: Cursor) -> int:
        cursor.execute("INSERT INTO words VALUES ('one', 3)")
        return 1

    desk.writer.run(count, after=lambda result: seen.append((result, desk.words))).result()
    desk.add("next").result()  # by then the first one's `after` has been called
    assert seen == [(1, ["one"])]


def test_nothing_is_visible_before_its_commit(desk: Desk) -> None:
    def insert(cursor: Cursor) -> list[str]:
        cursor.execute("INSERT INTO words VALUES ('early', 5)")
        return desk.words

    assert desk.writer.run(insert).result() == []
    assert desk.words == ["early"]


def test_failed_work_calls_no_callback(desk: Desk) -> None:
    told: list[None] = []
    desk.add("w").result()
    failed = desk.writer.run(lambda cursor: cursor.execute("INSERT INTO words VALUES ('w', 1)"), told.append)
    assert isinstance(failed.exception(), Conflict)
    desk.add("next").result()
    assert told == []


def test_on_a_full_disk_what_fits_is_stored_and_the_rest_raises(desk: Desk) -> None:
    pages = desk.datastore.rows("PRAGMA page_count")[0][0]
    desk.run(f"PRAGMA max_page_count = {pages + 10}").result()
    with desk.queueing():
        small = [desk.add(f"small{number}") for number in range(10)]
        large = [desk.add(f"{number}" * 9000) for number in range(10)]
    assert [future.exception() for future in small] == [None] * 10
    kept = [number for number, future in enumerate(large) if future.exception() is None]
    assert 0 < len(kept) < 10
    refusals = [future.exception() for future in large if future.exception()]
    assert all(isinstance(refusal, Unavailable) for refusal in refusals)
    assert "full" in str(refusals[0])
    assert len(desk.words) == 10 + len(kept)


def test_the_store_works_again_when_the_disk_has_room(desk: Desk) -> None:
    pages = desk.datastore.rows("PRAGMA page_count")[0][0]
    desk.run(f"PRAGMA max_page_count = {pages}").result()
    assert isinstance(desk.add("x" * 9000).exception(), Unavailable)
    desk.run("PRAGMA max_page_count = 1000000").result()
    desk.add("x" * 9000).result()
    assert desk.words == ["x" * 9000]
    assert desk.datastore.rows("PRAGMA integrity_check") == [("ok",)]


def test_an_error_of_the_file_is_raised_and_passes(desk: Desk) -> None:
    desk.run("PRAGMA query_only = ON").result()
    assert isinstance(desk.add("w").exception(), Unavailable)
    desk.run("PRAGMA query_only = OFF").result()
    desk.add("w").result()
    assert desk.words == ["w"]


def test_cancelled_work_is_not_begun(desk: Desk) -> None:
    with desk.queueing():
        unwanted, wanted = desk.add("unwanted"), desk.add("wanted")
        assert unwanted.cancel()
    wanted.result()
    assert desk.words == ["wanted"]


def test_closing_finishes_what_was_handed_over(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    done = [desk.add(f"w{number}") for number in range(50)]
    desk.close()
    assert all(future.done() and future.exception() is None for future in done)
    assert isinstance(desk.add("late").exception(), StoreError)
    with sqlite3.connect(tmp_path / FILE) as connection:
        assert connection.execute("SELECT count(*) FROM words").fetchone() == (50,)
    connection.close()


class Moves(Adding):
    """So many moves of a match, from one on, and the key of a request."""

    def __init__(self, match: str, first: int, moves: int = 1, key: str = "") -> None:
        self.given = Rows(
            [(match, number, "toy", b"{}", "played") for number in range(first, first + moves)],
            [("scope", key, b"body", 201, b"answer")] if key else [],
        )
        self.alone = 0

    def rows(self) -> Rows:
        return self.given

    def __call__(self, cursor: Cursor) -> int:
        self.alone += 1
        for row in self.given.moves:
            cursor.execute("INSERT INTO stored_events VALUES (NULL, ?, ?, ?, ?, ?)", row)
        last = int(cursor.lastrowid)
        for row in self.given.requests:
            cursor.execute("INSERT INTO requests VALUES (?, ?, ?, ?, ?)", row)
        return last


def versions(desk: Desk) -> list[tuple[str, int]]:
    """The stored moves, in their order."""
    return desk.datastore.rows("SELECT originator_id, originator_version FROM stored_events ORDER BY id")


def together(desk: Desk, *pieces: Moves) -> list[Future[int]]:
    """Hand them over as one group."""
    with desk.queueing():
        return [desk.writer.run(piece) for piece in pieces]


def test_moves_are_added_together_and_each_job_gets_its_last_position(desk: Desk) -> None:
    pieces = [Moves("a", 1, 2), Moves("b", 1, key="k"), Moves("a", 3, 70), Moves("c", 1)]
    done = together(desk, *pieces)
    assert [future.result() for future in done] == [2, 3, 73, 74]
    assert versions(desk) == [("a", 1), ("a", 2), ("b", 1), *[("a", n) for n in range(3, 73)], ("c", 1)]
    assert desk.datastore.rows("SELECT key FROM requests") == [("k",)]
    assert [piece.alone for piece in pieces] == [0, 0, 0, 0]


def test_where_one_does_not_follow_each_is_tried_by_itself(desk: Desk) -> None:
    pieces = [Moves("a", 1), Moves("b", 5, 2), Moves("c", 1, 2)]
    first, second, third = together(desk, *pieces)
    assert isinstance(second.exception(), Conflict)
    assert (first.result(), third.result()) == (1, 3)
    assert versions(desk) == [("a", 1), ("c", 1), ("c", 2)]
    assert [piece.alone for piece in pieces] == [1, 1, 1]


def test_of_a_piece_whose_key_is_taken_no_move_is_added(desk: Desk) -> None:
    first, second, third = together(desk, Moves("a", 1, key="k"), Moves("b", 1, key="k"), Moves("c", 1))
    assert isinstance(second.exception(), Conflict)
    assert (first.result(), third.result()) == (1, 2)
    assert versions(desk) == [("a", 1), ("c", 1)]


def test_an_error_of_one_job_goes_to_its_caller_alone(desk: Desk) -> None:
    pieces = [Moves("a", 1, key="k"), Moves("b", 2**70), Moves("c", 1)]
    first, second, third = together(desk, *pieces)
    assert isinstance(second.exception(), OverflowError)
    assert (first.result(), third.result()) == (1, 2)
    assert versions(desk) == [("a", 1), ("c", 1)]


def test_a_piece_that_cannot_say_what_it_adds_is_done_by_itself(desk: Desk) -> None:
    class Silent(Moves):
        def rows(self) -> Rows:
            raise LookupError("in the middle")

    first, second = together(desk, Moves("a", 1), Silent("b", 1))
    assert (first.result(), second.result()) == (1, 2)


def test_other_work_between_moves_is_done_in_its_place(desk: Desk) -> None:
    def count(cursor: Cursor) -> int:
        cursor.execute("SELECT count(*) FROM stored_events")
        return int(cursor.fetchone()[0])

    with desk.queueing():
        done: list[Future[object]] = [
            desk.writer.run(Moves("a", 1)),
            desk.writer.run(count),
            desk.writer.run(Moves("a", 2)),
        ]
    assert [future.result() for future in done] == [1, 1, 2]


def test_a_disk_that_is_full_takes_the_moves_one_piece_at_a_time(desk: Desk) -> None:
    large = Moves("large", 1)
    large.given.moves[0] = ("large", 1, "toy", b"x" * 4_000_000, "played")
    desk.datastore.rows("SELECT 1")
    desk.run("PRAGMA max_page_count = 200").result()
    first, second, third = together(desk, Moves("a", 1), large, Moves("b", 1))
    assert isinstance(second.exception(), Unavailable)
    assert (first.result(), third.result()) == (1, 2)
    assert versions(desk) == [("a", 1), ("b", 1)]
