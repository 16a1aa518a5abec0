from __future__ import annotations

from domain.events import Closed
from domain.game import Game
from domain.kernel import Result
from projections.history import HISTORY
from projections.matches import MATCHES, MatchRow, SeatRow
from tests.matches import Sitting, finished
from tests.projections.support import folded, items, seated
from tests.salts import committed, open_salt, sit


def row_of(sitting: Sitting, *, uploaded: bool = False) -> MatchRow:
    (row,) = folded(MATCHES, items(sitting.match.records, uploaded=uploaded)).all(MatchRow)
    return row


def test_an_open_match_has_a_free_seat(toy_game: Game) -> None:
    row = row_of(seated(toy_game, 1, ["ann"]))
    assert (row.status, row.seats) == ("open", {"left": "ann", "right": None})
    assert (row.match, row.game, row.edition, row.origin) == ("m1", "toy", "first", "live")
    assert (row.opened, row.move) == (1, 2)


def test_a_match_runs_when_the_last_seat_is_taken(toy_game: Game) -> None:
    sitting = seated(toy_game, 1, ["ann", "bob"], bots=("bob",))
    row = row_of(sitting)
    assert (row.status, row.seats, row.bots) == (
        "running",
        {"left": "ann", "right": "bob"},
        {"right": "random"},
    )
    assert row.opened_at == sitting.match.records[0].entry.at
    assert row.changed_at == sitting.match.records[2].entry.at


def test_a_match_with_a_salt_to_be_opened_waits(toy_game: Game) -> None:
    sitting = Sitting(toy_game)
    sit(sitting, "right", "committed")
    row = row_of(sitting)
    assert (row.status, row.unopened) == ("open", ("right",))
    sit(sitting, "left", "committed")
    row = row_of(sitting)
    assert (row.status, row.unopened) == ("waiting", ("left", "right"))
    open_salt(sitting, "left")
    row = row_of(sitting)
    assert (row.status, row.unopened) == ("waiting", ("right",))
    open_salt(sitting, "right")
    row = row_of(sitting)
    assert (row.status, row.unopened) == ("running", ())


def test_a_match_closed_for_a_salt_names_the_seat_and_is_void(toy_game: Game) -> None:
    sitting = committed(Sitting(toy_game), opened=False)
    open_salt(sitting, "left")
    sitting.accept(sitting.match.close_unopened(sitting.context))
    row = row_of(sitting)
    assert (row.status, row.by, row.result, row.unopened) == ("over", "salt", None, ("right",))


def test_a_match_that_is_over_shows_how_it_ended(toy_game: Game) -> None:
    sitting = finished(toy_game)
    row = row_of(sitting)
    closed: Closed = sitting.match.records[-1].entry
    assert (row.status, row.by, row.result, row.closed_at) == ("over", "play", closed.result, closed.at)
    assert row.move == sitting.match.move


def test_a_result_by_ruling_is_shown_as_one(toy_game: Game) -> None:
    sitting = seated(toy_game, 1, ["ann", "bob"]).play_on(3)
    result = Result("right", "adjudicated")
    sitting.accept(sitting.match.rule(sitting.context, "judge", "left is gone", result=result))
    row = row_of(sitting)
    assert (row.status, row.by, row.result) == ("over", "ruling", result)


def test_a_void_match_is_over_without_a_result(toy_game: Game) -> None:
    sitting = seated(toy_game, 1, ["ann"])
    sitting.accept(sitting.match.rule(sitting.context, "judge", "nobody came", void=True))
    row = row_of(sitting)
    assert (row.status, row.by, row.result) == ("over", "ruling", None)


def test_an_upload_is_an_upload_whatever_its_log_says(toy_game: Game) -> None:
    assert row_of(finished(toy_game), uploaded=True).origin == "uploaded"


def test_each_seat_taken_can_be_found_by_its_player(toy_game: Game) -> None:
    rows = folded(MATCHES, items(seated(toy_game, 1, ["ann", "bob"]).match.records)).all(SeatRow)
    assert [(row.seat, row.player) for row in rows] == [("left", "ann"), ("right", "bob")]


def test_a_match_with_claimed_players_belongs_to_no_player(toy_game: Game) -> None:
    records = items(finished(toy_game).match.records, uploaded=True, claimed=True)
    rows = folded(MATCHES, records)
    (row,) = rows.all(MatchRow)
    assert (row.claimed, row.origin, row.status) == (True, "uploaded", "over")
    assert set(row.seats.values()) == {"p-left", "p-right"}
    assert rows.all(SeatRow) == []
    assert not any(folded(HISTORY, records).all(kind) for kind in HISTORY.kinds)
