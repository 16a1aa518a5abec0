"""Exports of a tournament: CSV that no spreadsheet computes, and dates that calendars can replace."""

from __future__ import annotations

import csv
import io
import sys
from datetime import UTC, datetime

import icalendar
import pytest
from msgspec.structs import replace

from domain.kernel import Refused
from domain.tournaments.crosstable import Cell, Crosstable, Line
from replay.tournaments.calendar_file import MOST_DATES, Date, calendar_file
from replay.tournaments.csv_tables import crosstable_csv, standings_csv
from replay.tournaments.simulation import SimulatedRound
from replay.tournaments.standings import Settings, standings

SECOND = 1_000_000
ROUND = Date(
    id="tabc-r3-b7",
    title="Round 3; board 7, Anna – Борис",
    starts_at=1_790_000_000 * SECOND,
    ends_at=1_790_600_000 * SECOND + 999_999,
    sequence=211,
    said_at=1_789_000_000 * SECOND,
    link="https://games.example/tournaments/tabc",
)


def rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def test_a_crosstable_shows_each_round_in_one_cell() -> None:
    lines = (
        Line("n1", 1, 1800, (Cell("played", 2, "w", "win"), Cell("forfeit", 3, "b", "loss")), penalty=1),
        Line("n2", 2, 0, (Cell("played", 1, "b", "loss"), Cell("pairing_bye"))),
        Line("n3", 3, 0, (Cell("half_bye"), Cell("forfeit", 1, "w", "win"))),
        Line("n4", 4, 0, (Cell("absent"),), withdrawn=True),
    )
    names = {"n2": '=HYPERLINK("x")', "n3": "Anna,\n\x1b[2JBorn"}
    assert rows(crosstable_csv(Crosstable(3, lines), names)) == [
        ["number", "entrant", "name", "rating", "points", "round 1", "round 2"],
        ["1", "n1", "n1", "1800", "0.5", "2w1", "3b-"],
        ["2", "n2", '\'=HYPERLINK("x")', "", "1.0", "1b0", "bye"],
        ["3", "n3", "Anna,��[2JBorn", "", "1.5", "bye ½", "1w+"],
        ["4", "n4", "n4", "", "0.0", "absent", ""],
    ]


def test_standings_are_a_line_for_each_entrant(small: list[SimulatedRound]) -> None:
    found = standings(small[-1].after, Settings())
    head, *lines = rows(standings_csv(found, {"n1": "Anna"}))
    assert head == ["place", "number", "entrant", "name", "PTS", "BH/C1", "BH", "SB", "DE", "WIN", "LOT"]
    assert len(lines) == 17
    first = found.places[0]
    assert lines[0][:3] == ["1", str(first.number), first.entrant]
    assert lines[0][4:] == ["" if value is None else value for value in first.values]
    assert [line[3] for line in lines if line[2] == "n1"] == ["Anna"]


def test_dates_are_read_as_they_were_given_and_say_nothing_of_the_moment() -> None:
    data = calendar_file("League; of the north\r\nBEGIN:VEVENT", [ROUND], "games.example")
    assert data == calendar_file("League; of the north\r\nBEGIN:VEVENT", [ROUND], "games.example")
    calendar = icalendar.Calendar.from_ical(data)
    (event,) = calendar.walk("VEVENT")
    assert not calendar.errors + event.errors
    assert str(event["UID"]) == "tabc-r3-b7@games.example"
    assert str(event["SUMMARY"]) == ROUND.title
    assert event.decoded("DTSTART") == datetime.fromtimestamp(1_790_000_000, UTC)
    assert event.decoded("DTEND") == datetime.fromtimestamp(1_790_600_000, UTC)
    assert (event["SEQUENCE"], str(event["STATUS"])) == (211, "CONFIRMED")
    assert max(map(len, data.split(b"\r\n"))) <= 75


def test_a_date_that_changes_keeps_its_uid_and_grows_its_sequence() -> None:
    later = replace(ROUND, ends_at=ROUND.ends_at + 86_400 * SECOND, sequence=240)
    off = replace(later, is_off=True, sequence=250)
    events = [
        icalendar.Calendar.from_ical(calendar_file("League", [one], "games.example")).walk("VEVENT")[0]
        for one in (ROUND, later, off)
    ]
    assert {str(event["UID"]) for event in events} == {"tabc-r3-b7@games.example"}
    assert [event["SEQUENCE"] for event in events] == [211, 240, 250]
    assert str(events[2]["STATUS"]) == "CANCELLED"


def test_the_order_of_dates_does_not_matter_and_their_number_has_a_limit() -> None:
    other = replace(ROUND, id="tabc-r3-b8")
    assert calendar_file("", [ROUND, other], "host") == calendar_file("", [other, ROUND], "host")
    with pytest.raises(Refused) as error:
        calendar_file("", [ROUND] * (MOST_DATES + 1), "host")
    assert (error.value.kind, error.value.id) == ("invalid", "too-many-dates")


def test_without_the_extra_a_calendar_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "icalendar", None)
    with pytest.raises(Refused) as error:
        calendar_file("", [ROUND], "host")
    assert (error.value.kind, error.value.id) == ("not-offered", "no-calendar-extra")
