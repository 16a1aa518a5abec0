"""Read models of imported matches: marked, never rated, and without what their record hid."""

from __future__ import annotations

import pytest

from domain.games import GAMES
from domain.match import Match
from projections.boards import BOARDS, StandingRow, TotalsRow
from projections.history import HISTORY, SeatingRow
from projections.matches import MATCHES, MatchRow
from projections.ratings import RatingRow
from projections.turns import turns
from replay.importers.twilight_struggle.report import imported
from tests.matches import PRODUCT, finished
from tests.projections.support import folded, items, plain
from tests.replay.importers.short_games import STOPS, WHOLE


@pytest.fixture(scope="module")
def match() -> Match:
    return imported(WHOLE.encode(), PRODUCT).match


@pytest.mark.parametrize("uploaded", [False, True])
def test_lists_mark_an_imported_match_by_whatever_way_it_came(match: Match, uploaded: bool) -> None:
    records = items(match.records, uploaded=uploaded)
    (row,) = folded(MATCHES, records).all(MatchRow)
    assert (row.origin, row.unverified, row.status, row.by) == ("imported", True, "over", "play")
    assert row.claimed == uploaded
    seatings = folded(HISTORY, records).all(SeatingRow)
    assert len(seatings) == (0 if uploaded else 2)
    for seating in seatings:
        assert (seating.origin, seating.unverified) == ("imported", True)


def test_an_imported_match_counts_on_its_own_board_and_is_not_rated(match: Match) -> None:
    assert not folded(BOARDS, items(match.records, uploaded=True)).all(TotalsRow)
    rows = folded(BOARDS, items(match.records))
    (totals,) = rows.all(TotalsRow)
    assert (totals.pool, totals.edition, totals.played) == ("imported", "deluxe", 1)
    assert totals.endings == {"play:nuclear_war": 1}
    assert rows.all(RatingRow) == []
    assert {(row.pool, row.rating, row.skill) for row in rows.all(StandingRow)} == {("imported", 0, None)}


def test_a_record_that_stops_counts_as_void() -> None:
    (totals,) = folded(BOARDS, items(imported(STOPS.encode(), PRODUCT).match.records)).all(TotalsRow)
    assert (totals.pool, totals.played, totals.void) == ("imported", 0, 1)


def test_turns_of_an_imported_match_stay_as_a_spectator_sees_them(match: Match) -> None:
    plays = [play for turn in turns(match, match.move) for play in turn.plays]
    told = [plain(raw) for play in plays for raw in play.facts]
    assert told == [plain(fact) for record in match.records for fact in record.facts_for(None)]
    assert told != [plain(fact) for record in match.records for fact in record.facts]
    assert [play.picks for play in plays if play.ask == "ChooseHeadline"] == [None, None]


def test_other_matches_are_not_marked() -> None:
    live = finished(GAMES["cia_vs_kgb"]).match
    (row,) = folded(MATCHES, items(live.records)).all(MatchRow)
    assert (row.origin, row.unverified) == ("live", False)
