"""One position of a stored match, from both stores: what is read for it, and what harm does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from api.store import events
from api.store.interface import Append
from api.store.sql import SqlStore
from api.store.sqlite import SqliteStore
from domain.game import Game
from domain.games import GAMES
from domain.log import PLAYED, Damaged
from domain.match import Match
from domain.partial_match import PartialMatch
from replay.positions import position
from tests.api.store.appends import store_all
from tests.api.store.locations import Database, Place
from tests.api.store.older import DATABASE_TO_SCHEMA_1, TO_SCHEMA_1
from tests.matches import Sitting, finished
from tests.wild import wild

AGAIN = {  # lets a stored move be changed; makes of the file or database one of schema 1
    "sqlite": ("DROP TRIGGER stored_events_stay", "; ".join(TO_SCHEMA_1)),
    "postgres": (
        "DROP TRIGGER stored_events_stay ON stored_events",
        "; ".join(DATABASE_TO_SCHEMA_1),
    ),
}


def kind(place: Place) -> str:
    return "postgres" if isinstance(place, Database) else "sqlite"


def kept(store: SqlStore, sitting: Sitting) -> Match:
    store.submit(Append(sitting.match.records, secret=sitting.secret.bytes)).result()
    return sitting.match


def present(glimpse: PartialMatch | None) -> PartialMatch:
    assert glimpse is not None
    return glimpse


def check(store: SqlStore, match: Match, moves: range) -> None:
    for at in moves:
        glimpse = present(store.partial_match(match.id, at))
        assert (glimpse.root_at(at), glimpse.move) == (match.root_at(at), match.move)
        for viewer in (None, *match.game.seats):
            assert position(glimpse, at, viewer) == position(match, at, viewer)


@pytest.mark.parametrize("name", sorted(GAMES))
def test_a_position_read_by_itself_is_the_one_in_the_whole_match(store: SqlStore, name: str) -> None:
    match = kept(store, wild(GAMES[name], 4, 90))
    check(store, match, range(1, match.move, 7))


def test_a_long_way_is_read_in_parts(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "AT_ONCE", 2)
    match = kept(store, wild(GAMES["cia_vs_kgb"], 6, 200))
    assert any(len(match.line_to(move)) > 5 for move in range(1, match.move))
    check(store, match, range(2, match.move, 9))


def test_what_is_no_earlier_move_is_left_to_the_whole_match(store: SqlStore, toy_game: Game) -> None:
    match = kept(store, finished(toy_game))
    assert [store.partial_match(match.id, move) for move in (-1, 0, match.move, match.move + 1)] == [None] * 4
    assert store.partial_match("m-nobody", 1) is None
    assert store.partial_match(match.id, match.move - 1) is not None


def test_a_move_that_was_just_stored_is_known_at_once(store: SqlStore, toy_game: Game) -> None:
    sitting = Sitting(toy_game).seat_all()
    match = kept(store, sitting)
    stored = match.move
    for _ in range(3):
        sitting.play_on(1)
        store.submit(Append(match.records[stored:])).result()
        stored = match.move
        check(store, match, range(1, stored))


@pytest.mark.parametrize("state", [b"{}", PLAYED + b"6}"], ids=["any", "as of a play"])
def test_harm_on_the_way_is_found(place: Place, toy_game: Game, state: bytes) -> None:
    store = place.open()
    match = kept(store, finished(toy_game))
    store.close()
    place.force(AGAIN[kind(place)][0])
    harm = f"x'{state.hex()}'" if kind(place) == "sqlite" else f"'\\x{state.hex()}'::bytea"
    place.force(f"UPDATE stored_events SET state = {harm} WHERE originator_version = 6")
    store = place.open()
    for at in range(6, match.move):
        with pytest.raises(Damaged):
            position(present(store.partial_match(match.id, at)), at)
    with pytest.raises(Damaged):
        store.match(match.id)
    store.close()


def test_a_store_of_schema_1_gets_the_index_that_finds_milestones(place: Place, toy_game: Game) -> None:
    store = place.open()
    sitting = finished(toy_game)
    store_all(store, sitting)
    store.close()
    for statement in AGAIN[kind(place)][1].split("; "):
        place.force(statement)
    store = place.open()
    check(store, sitting.match, range(1, sitting.match.move))
    store.close()


def test_milestones_are_found_without_reading_every_move(
    embedded: SqliteStore, toy_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = kept(embedded, finished(toy_game))
    asked = list[tuple[str, Sequence[Any]]]()

    def overheard(statement: str, values: Sequence[Any]) -> list[Any]:
        asked.append((statement, values))
        return []

    monkeypatch.setattr(embedded._reading, "_rows", overheard)
    assert embedded.partial_match(match.id, 3) is None
    (plan,) = [embedded.rows(f"EXPLAIN QUERY PLAN {statement}", values) for statement, values in asked]
    assert "USING INDEX milestones" in plan[0][3]
