"""Reserved seats beside the log: a change and a move that were judged by one state exclude each other."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from api.store.backup import copy, differences
from api.store.interface import Append, Conflict, Exists, Reservation, Reservations
from api.store.sql import SqlStore
from domain.game import Game
from tests.api.store.locations import Folder
from tests.matches import Sitting

FOR_ANN = Reservations(1, {"left": Reservation("pann"), "right": Reservation(code=b"c" * 32)})


def opened(store: SqlStore, game: Game, reserved: Reservations | None = None) -> Sitting:
    """A match of which only the opening is stored."""
    sitting = Sitting(game).seat_all()
    store.submit(Append(sitting.match.records[:1], bytes(32), reserved=reserved)).result()
    return sitting


def test_a_match_is_opened_together_with_its_reservations(store: SqlStore, toy_game: Game) -> None:
    match = opened(store, toy_game, FOR_ANN).id
    assert store.reservations(match) == FOR_ANN
    assert store.reservations("m0") == Reservations()


def test_reservations_of_several_matches_are_read_at_once(store: SqlStore, toy_game: Game) -> None:
    match = opened(store, toy_game, FOR_ANN).id
    assert store.reservations_of([match, "m0", "' OR 1"]) == {match: FOR_ANN}
    assert store.reservations_of([]) == {}


def test_where_the_match_is_not_stored_nothing_is_reserved(store: SqlStore, toy_game: Game) -> None:
    sitting = opened(store, toy_game)
    with pytest.raises(Exists):
        store.submit(Append(sitting.match.records[:1], bytes(32), reserved=FOR_ANN)).result()
    assert store.reservations(sitting.id) == Reservations()


def test_a_change_follows_the_one_that_it_was_judged_by(store: SqlStore, toy_game: Game) -> None:
    match = opened(store, toy_game, FOR_ANN).id
    with pytest.raises(Conflict):
        store.reserve(match, 1, Reservations(1, {}))
    with pytest.raises(Conflict):
        store.reserve(match, 1, Reservations(3, {}))
    store.reserve(match, 1, Reservations(2, {}))
    assert store.reservations(match) == Reservations(2, {})


def test_no_seat_is_reserved_once_the_match_has_gone_on(store: SqlStore, toy_game: Game) -> None:
    sitting = opened(store, toy_game)
    store.submit(Append(sitting.match.records[1:2])).result()
    with pytest.raises(Conflict, match="has gone on since move 1"):
        store.reserve(sitting.id, 1, FOR_ANN)
    store.reserve(sitting.id, 2, FOR_ANN)


def test_no_move_is_stored_that_was_judged_by_other_reservations(store: SqlStore, toy_game: Game) -> None:
    sitting = opened(store, toy_game)
    store.reserve(sitting.id, 1, FOR_ANN)
    sit = sitting.match.records[1:2]
    for version in (0, 2):
        with pytest.raises(Conflict):
            store.submit(Append(sit, reservations=version)).result()
    assert store.since(sitting.id, 1) == []
    store.submit(Append(sit, reservations=1)).result()
    assert [record.move for record in store.since(sitting.id, 1)] == [2]


def test_reservations_move_to_another_store(store: SqlStore, toy_game: Game, tmp_path: Path) -> None:
    match = opened(store, toy_game, FOR_ANN).id
    with closing(Folder(tmp_path / "other").open()) as other:
        copy([store], other, lambda rows: None)
        assert list(differences([store], other, lambda rows: None)) == []
        assert other.reservations(match) == FOR_ANN
