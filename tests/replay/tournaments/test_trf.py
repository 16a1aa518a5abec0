"""TRF: the engine reads what is written; what is read is bounded, and complete or refused with its line."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from typing import Any

import pytest
from gacrux import trf2json
from msgspec.structs import replace

from domain.kernel import Refused
from domain.tournaments.crosstable import (
    Acceleration,
    Cell,
    Crosstable,
    Forbidden,
    Line,
    Points,
)
from replay.tournaments import trf_reading
from replay.tournaments.simulation import SimulatedRound
from replay.tournaments.trf import TrfFile, pairing_input, written
from replay.tournaments.trf_reading import read

WRITTEN = """\
### n3 has the seat "ussr" on board 1 of round 1
012 League of the north
142 4
152 B
162  W 1.0    D 0.5    L 0.0    P 1.0
001    1      n1                                2000                             2.0    1\
     2 b 1     4 w -  0000 - U
001    2      n2                                                                 2.0    2\
     1 w 0     3 b =     4 w 1  0000 - H
001    3      n3                                 987                             1.5    3\
     4 w +     2 w =  0000 - Z
001    4      n4                                                                 1.0    4\
     3 b -     1 b +     2 b 0
250  0.0  1.0   1   2    1    2
260   1   4    1    3
299     0.0  -0.5  999    4
"""


def table() -> Crosstable:
    """What the text above says: every kind of cell but those that only other programs write."""
    lines = (
        Line(
            "n1",
            1,
            2000,
            (
                Cell("played", 2, "b", "win"),
                Cell("forfeit", 4, "w", "loss"),
                Cell("pairing_bye"),
            ),
        ),
        Line(
            "n2",
            2,
            0,
            (
                Cell("played", 1, "w", "loss"),
                Cell("played", 3, "b", "draw"),
                Cell("played", 4, "w", "win"),
                Cell("half_bye"),
            ),
        ),
        Line(
            "n3",
            3,
            987,
            (Cell("forfeit", 4, "w", "win"), Cell("played", 2, "w", "draw"), Cell("absent")),
        ),
        Line(
            "n4",
            4,
            0,
            (
                Cell("forfeit", 3, "b", "loss"),
                Cell("forfeit", 1, "b", "win"),
                Cell("played", 2, "b", "loss"),
            ),
            penalty=1,
        ),
    )
    return Crosstable(
        4,
        lines,
        "b",
        forbidden=(Forbidden(1, 4, (1, 3)),),
        accelerations=(Acceleration(2, 1, 2, 1, 2),),
    )


def engine_reads(text: str) -> Any:
    """The engine's form of a tournament that it reads without a complaint."""
    reader = trf2json.trf2json()
    reader.parse_file(text, 0)
    assert reader.chessjson["status"] == {"code": 0, "error": []}
    return reader.get_tournament(1)


def refused(data: bytes) -> str:
    """The id of the sentence with which a file is refused."""
    with pytest.raises(Refused) as error:
        read(data)
    assert error.value.kind == "invalid"
    assert error.value.text("ru") != error.value.text("en")
    return error.value.id


def with_line(number: int, line: str) -> bytes:
    """The text above with another line (from 1)."""
    lines = WRITTEN.split("\n")
    lines[number - 1] = line
    return "\n".join(lines).encode()


def test_a_table_is_written_in_the_columns_of_the_format() -> None:
    comment = 'n3 has the seat "ussr" on board 1 of round 1'
    assert written(TrfFile(table(), "League of the north", comments=(comment,))) == WRITTEN


def test_a_file_is_read_as_it_was_written() -> None:
    file = read(WRITTEN.encode())
    assert file.table == table()
    assert (file.title, file.names) == ("League of the north", ("n1", "n2", "n3", "n4"))
    assert (file.kept, file.encoding) == ((), "utf-8")
    assert written(file) == WRITTEN


def test_the_engine_reads_every_round_of_a_simulated_tournament_without_complaint(
    small: list[SimulatedRound],
) -> None:
    for one in small:
        for text in (one.trf, written(TrfFile(one.after))):
            read_by_engine = engine_reads(text)
            assert len(read_by_engine["competitors"]) == 17
            assert read_by_engine["topColor"] == "w"


def test_the_engine_reads_accelerations_prohibited_pairs_penalties_and_other_points() -> None:
    found = engine_reads(written(TrfFile(table())))
    (acceleration,) = found["accelerated"]["values"]
    assert (acceleration["gamePoints"], acceleration["lastCompetitor"]) == (1, 2)
    assert found["prohibited"] == [{"firstRound": 1, "lastRound": 4, "competitors": [1, 3]}]
    assert [one["points"] for one in found["competitors"][3]["adjust"]] == [-0.5]
    league = engine_reads(written(TrfFile(replace(table(), points=Points(6, 2, 0, 2)))))
    worth = league["scoreSystem"]["game"]
    assert (worth["W"], worth["D"], worth["P"]) == (3, 1, 1)


def test_a_board_without_a_result_and_two_losers_are_read_as_such_by_the_engine() -> None:
    cells = (
        Cell("pending", 2, "w"),
        Cell("pending", 1, "b"),
        Cell("played", 4, "w", "loss"),
        Cell("played", 3, "b", "loss"),
        Cell("forfeit", 6, "w", "loss"),
        Cell("forfeit", 5, "b", "loss"),
    )
    lines = tuple(Line(f"n{number}", number, 0, (cell,)) for number, cell in enumerate(cells, 1))
    text = written(TrfFile(Crosstable(2, lines)))
    results = [
        (one["white"]["result"], one["black"]["result"], one["played"])
        for one in engine_reads(text)["gameList"]
    ]
    assert results == [("Z", "Z", False), ("L", "L", True), ("Z", "Z", False)]
    assert read(text.encode()).table.lines[0].cells == cells[:1]


def test_the_checker_names_the_round_in_which_two_opponents_were_exchanged(
    small: list[SimulatedRound],
) -> None:
    file = TrfFile(small[-1].after)
    assert wrong_rounds(written(file)) == []
    exchanged = replace(file, table=with_exchange(small[-1].after, 5))
    assert wrong_rounds(written(exchanged)) == [5]


def with_exchange(table: Crosstable, round_number: int) -> Crosstable:
    """The table with the second players of two boards of a round exchanged, with their results."""
    lines, at = list(table.lines), round_number - 1
    played = [line for line in lines if line.cells[at].kind == "played" and line.cells[at].colour == "w"]
    pairs = [(line.number, line.cells[at].opponent or 0) for line in played]
    (w1, b1), (w2, b2) = pairs[0], pairs[-1]
    first, second = lines[b1 - 1].cells[at], lines[b2 - 1].cells[at]
    changes = {
        w1: replace(lines[w1 - 1].cells[at], opponent=b2, outcome=lines[w2 - 1].cells[at].outcome),
        w2: replace(lines[w2 - 1].cells[at], opponent=b1, outcome=lines[w1 - 1].cells[at].outcome),
        b1: replace(first, opponent=w2),
        b2: replace(second, opponent=w1),
    }
    for number, cell in changes.items():
        cells = list(lines[number - 1].cells)
        cells[at] = cell
        lines[number - 1] = replace(lines[number - 1], cells=tuple(cells))
    return replace(table, lines=tuple(lines))


def wrong_rounds(text: str) -> list[int]:
    """The rounds that the engine's own checker would have paired otherwise."""
    code = "from gacrux.pairingchecker import pairingchecker as c; c().common_main()"
    command = [sys.executable, "-c", code, "-c", "-i", "-", "-f", "TRF", "-o", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True, timeout=120)
    rounds = json.loads(done.stdout)["pairingResult"]["roundpairing"]
    return [one["round"] for one in rounds if not one["check"]]


def test_import_and_export_of_what_other_programs_write_is_stable_and_keeps_points() -> None:
    """The edition of 2016 in Latin-1, with a full-point bye, a gap, and records that are kept."""
    old = (
        "012 Turnier in Köln\r\n022 Köln\r\nXXR 3\r\nXYZ of another program\r\n"
        "001    2 mGM  Müller, Jörg                      2410 GER     4601122 1970/01/01  1.5    2"
        "  0000 - F               1 w =\r\n"
        "001    1      Ivanov                                                             1.5    1"
        "            0000 - +     2 b =\r\n"
    ).encode("latin-1")
    file = read(old)
    assert (file.encoding, file.title) == ("latin-1", "Turnier in Köln")
    assert file.names == ("Ivanov", "Müller, Jörg")
    assert [(kept.line, kept.text, kept.known) for kept in file.kept] == [
        (2, "022 Köln", True),
        (4, "XYZ of another program", False),
    ]
    assert [line.cells[0].kind for line in file.table.lines] == ["absent", "full_bye"]
    once = written(file)
    again = read(once.encode())
    assert (again.table, again.names) == (file.table, file.names)
    assert written(again) == once
    assert engine_reads(once)["competitors"][0]["gamePoints"] == 1.5


def test_a_mark_at_the_beginning_is_taken_and_points_tell_the_scheme() -> None:
    league = written(TrfFile(replace(table(), points=Points(6, 2, 0, 6)))).replace("162", "###")
    file = read(b"\xef\xbb\xbf" + league.encode())
    assert file.table.points == Points(6, 2, 0, 6)


FIRST = WRITTEN.split("\n")[5]  # the line of the first entrant


def first(old: str, new: str) -> bytes:
    """The text above with something else in the line of the first entrant."""
    assert old in FIRST
    return with_line(6, FIRST.replace(old, new))


SPOILT = {
    "an opponent and Z": (first("2 b 1", "2 b Z"), "trf-cell"),
    "a colour without an opponent": (first("0000 -", "0000 w"), "trf-cell"),
    "columns moved": (first("  0000", " 0000"), "trf-cell"),
    "a result of one side only": (first("2 b 1", "2 b ="), "trf-mirror"),
    "an opponent who is not there": (first("2 b 1", "9 b 1"), "trf-mirror"),
    "an opponent like oneself": (first("2 b 1", "1 b 1"), "trf-mirror"),
    "points that do not add up": (first(" 2.0 ", " 2.5 "), "trf-points"),
    "points that are no number": (first(" 2.0 ", " 2.3 "), "trf-value"),
    "a number in other digits": (first("001    1", "001    ١"), "trf-value"),
    "the same number twice": (with_line(7, FIRST), "trf-twice"),
    "a gap between numbers": (with_line(6, ""), "trf-numbers"),
    "no players": (b"012 Nothing\n", "trf-numbers"),
    "nothing": (b"", "trf-numbers"),
    "fewer rounds than were played": (with_line(3, "142 2"), "trf-contradicts"),
    "no rounds": (with_line(3, "142 0"), "trf-value"),
    "rounds without an end": (with_line(3, "142 99999"), "trf-value"),
    "a third colour": (with_line(4, "152 G"), "trf-value"),
    "points of a scheme without digits": (with_line(5, "162  W x.0"), "trf-value"),
    "a prohibited pair of one": (with_line(11, "260   1   4    1"), "trf-value"),
    "a prohibited pair of strangers": (with_line(11, "260   1   4    1   77"), "trf-unknown-number"),
    "a penalty that gives points": (with_line(12, "299     0.0   0.5  999    4"), "trf-value"),
    "a control character": (with_line(2, "012 \x1b[2J"), "trf-control"),
    "a line without an end": (with_line(2, "012 " + "x" * 4_000), "trf-line-too-long"),
    "rounds beyond the last column": (with_line(6, FIRST + "  0000 - Z" * 100), "trf-too-many-rounds"),
    "a team": (with_line(2, "013 The team"), "trf-teams"),
    "UTF-16": (WRITTEN.encode("utf-16"), "trf-encoding"),
    "too many bytes": (b"#" * (trf_reading.MOST_BYTES + 1), "trf-too-large"),
    "too many lines": (b"\n" * (trf_reading.MOST_LINES + 1), "trf-too-many-lines"),
    "too many rules": (WRITTEN.encode() + b"260   1   4    1    3\n" * 1_001, "trf-too-many-lines"),
}


@pytest.mark.parametrize("what", SPOILT)
def test_a_file_that_cannot_be_is_refused_with_its_reason(what: str) -> None:
    data, reason = SPOILT[what]
    assert refused(data) == reason


def test_whatever_bytes_are_changed_a_file_is_read_or_refused() -> None:
    chance, read_again = random.Random(5), 0
    for _ in range(400):
        data = bytearray(WRITTEN.encode())
        for _ in range(chance.randint(1, 4)):
            data[chance.randrange(len(data))] = chance.choice(b" 0123456789-+=wbUHFZ\n\r\xff\xc3\xd9")
        try:
            file = read(bytes(data))
        except Refused:
            continue
        read_again += 1
        assert read(written(file).encode()).table == file.table
    assert 20 < read_again < 380


def test_what_has_no_room_in_the_columns_is_not_written() -> None:
    rich = replace(table(), points=Points(2_000, 1, 0, 2))
    with pytest.raises(ValueError, match="points"):
        written(TrfFile(rich))
    alone = Crosstable(1, (Line("n1", 1, 0, (Cell("played", 2, "w", "win"),)),))
    with pytest.raises(ValueError, match="mirror"):
        written(TrfFile(alone))


def test_a_round_is_paired_from_the_rounds_before_it_and_the_byes_given_in_it() -> None:
    text = pairing_input(table(), 4)
    lines = {line[4:8].strip(): line for line in text.split("\n") if line.startswith("001")}
    assert lines["2"].endswith("0000 - H")
    assert lines["2"][80:84] == " 2.0"
    assert len(lines["1"]) == 99 + 20
    assert "299" not in text
    third = pairing_input(
        replace(table(), lines=(replace(table().lines[0], withdrawn=True), *table().lines[1:])), 3
    )
    assert "0000 - U" not in third
    assert third.split("\n")[4].endswith("0000 - Z")
