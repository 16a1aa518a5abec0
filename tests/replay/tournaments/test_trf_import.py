"""TRF files of running tournaments: what a forger, a spy and a flooder send, and what is taken."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from domain.kernel import Refused
from domain.tournaments.crosstable import Cell, Crosstable, Line
from domain.tournaments.terms import ForbiddenPairs, Points, Terms
from replay.tournaments import trf_import
from replay.tournaments.trf import TrfFile, written
from replay.tournaments.trf_import import ImportedTrf, read_running
from tests.replay.tournaments.test_trf import WRITTEN, with_line

GAME = "cia_vs_kgb"
TERMS = Terms(game=GAME, format="swiss", rounds=4)


def refused(content: bytes, given: Terms | str = GAME, title: str = "") -> Refused:
    """The refusal of a file."""
    with pytest.raises(Refused) as error:
        read_running(content, given, title)
    assert error.value.text("ru") != error.value.text("en")
    return error.value


def taken(text: str, given: Terms | str = GAME) -> ImportedTrf:
    """What is read of a file."""
    return read_running(text.encode(), given)


FLOODS = {
    "100 MB": (b" " * 100_000_000, "body-too-large"),
    "100,000 players": (b"001    1 n\n" * 100_000, "body-too-large"),
    "20,001 lines": (b"#\n" * 20_001, "trf-too-many-lines"),
    "a line of 1 MB": (b"012 " + b"x" * 1_000_000, "trf-line-too-long"),
    "100 rounds": (WRITTEN.replace("142 4", "142 100").encode(), "trf-value"),
    "201 other records": ((WRITTEN + "XYZ\n" * 201).encode(), "trf-kept"),
    "33 kB of other records": ((WRITTEN + f"XYZ {'x' * 3_000}\n" * 11).encode(), "trf-kept"),
    "33 prohibited pairs": ((WRITTEN + "260   1   4    2    4\n" * 32).encode(), "import-rules"),
}
FORGED = {
    "a number twice": (with_line(7, WRITTEN.split("\n")[5]), "trf-twice"),
    "a number that is missing": (with_line(6, ""), "trf-numbers"),
    "opponents that are not mutual": (
        WRITTEN.replace("2 b 1     4 w -", "3 b 1     4 w -").encode(),
        "trf-mirror",
    ),
    "a result against that of the opponent": (WRITTEN.replace("1 w 0", "1 w 1").encode(), "trf-mirror"),
    "points that do not add up": (WRITTEN.replace("2.0    2", "2.5    2").encode(), "trf-points"),
    "more rounds than announced": (WRITTEN.replace("142 4", "142 2").encode(), "trf-contradicts"),
    "a team": (with_line(2, "013 The team"), "trf-teams"),
    "no title": (with_line(2, "012"), "title-length"),
    "a title of 201 characters": (with_line(2, f"012 {'x' * 201}"), "title-length"),
    "a player without a name": (WRITTEN.replace("n3  ", "    ", 1).encode(), "trf-no-name"),
    "a mark for the direction in a name": (WRITTEN.replace("n3  ", "n\u202e3 ", 1).encode(), "trf-character"),
    "a mark for the direction in a title": (with_line(2, "012 a\u2066b"), "trf-character"),
    "a control character": (with_line(2, "012 a\x1b[2J"), "trf-character"),
    "a private character": (with_line(2, "012 \ue000"), "trf-character"),
    "Latin-1": (with_line(2, "012 K").replace(b"012 K", b"012 K\xf6ln"), "trf-not-utf8"),
    "UTF-16": (WRITTEN.encode("utf-16"), "trf-not-utf8"),
    "nothing": (b"", "trf-numbers"),
}


@pytest.mark.parametrize("what", FLOODS | FORGED)
def test_a_file_that_floods_or_lies_is_refused_with_its_reason(what: str) -> None:
    content, reason = (FLOODS | FORGED)[what]
    assert refused(content).id == reason


def test_a_refusal_names_line_and_column_or_round() -> None:
    values = refused(*FORGED["opponents that are not mutual"][:1]).values
    assert (values["line"], values["round"], values["number"]) == (6, 1, 1)
    character = refused(FORGED["a mark for the direction in a name"][0]).values
    assert (character["line"], character["column"], character["character"]) == (8, 16, "U+202E")
    points = refused(FORGED["points that do not add up"][0])
    assert points.values["line"] == 7
    assert "columns 81 to 84" in points.text("en")
    assert refused(FORGED["Latin-1"][0]).values["line"] == 2


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        (replace(TERMS, rounds=5), "import-rounds"),
        (replace(TERMS, points=Points(6, 2, 0, 6)), "import-points"),
        (replace(TERMS, format="round_robin"), "import-format"),
        (replace(TERMS, sides="both"), "import-format"),
        (replace(TERMS, most_entrants=3), "no-place-left"),
        (replace(TERMS, forbidden=(ForbiddenPairs(("n1", "n9")),)), "no-such-entrant"),
    ],
    ids=["rounds", "points", "format", "both sides", "places", "strangers"],
)
def test_terms_that_contradict_the_file_are_refused(terms: Terms, reason: str) -> None:
    assert refused(WRITTEN.encode(), terms).id == reason


def test_terms_of_a_game_alone_follow_from_the_file() -> None:
    found = taken(WRITTEN)
    assert (found.title, found.names) == ("League of the north", ("n1", "n2", "n3", "n4"))
    assert (found.terms.rounds, found.terms.points) == (4, Points())
    assert found.terms.forbidden == (ForbiddenPairs(("n1", "n3"), 1, 4),)
    origin = found.begun.origin
    assert (origin.rounds, origin.paired, origin.first_colour) == (3, 3, "b")
    assert [one.points for one in origin.accelerations] == [2]


def test_a_mark_at_the_beginning_is_taken() -> None:
    assert read_running(b"\xef\xbb\xbf" + WRITTEN.encode(), GAME).begun.table == taken(WRITTEN).begun.table


def test_a_file_of_2016_says_rounds_and_colour_in_its_own_records_or_the_terms_do() -> None:
    without = "".join(line for line in WRITTEN.splitlines(keepends=True) if line[:3] not in ("142", "152"))
    assert refused(without.encode()).id == "import-no-rounds"
    by_terms = taken(without, replace(TERMS, rounds=4)).begun
    assert (by_terms.table.rounds, by_terms.origin.first_colour) == (4, None)
    assert refused(without.encode(), replace(TERMS, rounds=3)).id == "import-rounds"
    old = taken(f"XXR 4\nXXC black1\n{without}")
    assert old.begun.table == taken(WRITTEN).begun.table
    assert old.begun.origin.first_colour == "b"
    assert old.kept == ()


def test_points_without_a_scheme_are_those_of_the_terms() -> None:
    lines = (Line("n1", 1), Line("n2", 2))
    text = written(TrfFile(Crosstable(1, lines), "Two")).replace("162", "###")
    assert taken(text, replace(TERMS, rounds=1, points=Points(6, 2, 0, 6))).begun.table.points.win == 6


def test_a_round_whose_results_all_wait_is_paired_and_not_played() -> None:
    lines = (
        Line("n1", 1, 0, (Cell("played", 2, "w", "win"), Cell("pending", 3, "b"))),
        Line("n2", 2, 0, (Cell("played", 1, "b", "loss"), Cell("pairing_bye"))),
        Line("n3", 3, 0, (Cell("pairing_bye"), Cell("pending", 1, "w"))),
    )
    origin = taken(written(TrfFile(Crosstable(2, lines), "Three"))).begun.origin
    assert (origin.rounds, origin.paired) == (1, 2)


def test_other_records_are_kept_and_those_that_name_arbiters_are_not() -> None:
    found = taken(f"022 Oslo\nXYZ of another program\n102 Ann Arbiter\n112 Ben\n{WRITTEN}")
    assert [(one.line, one.text, one.known) for one in found.kept] == [
        (1, "022 Oslo", True),
        (2, "XYZ of another program", False),
    ]
    assert [one.text[:3] for one in found.left_out] == ["102", "112"]
    comment = '### n3 has the seat "ussr" on board 1 of round 1'
    assert found.begun.origin.kept == (comment, "022 Oslo", "XYZ of another program")


def test_a_tournament_of_the_most_players_and_rounds_fits() -> None:
    cells = tuple(Cell("absent") for _ in range(39))
    lines = tuple(Line(f"n{number}", number, 2_000, cells) for number in range(1, 1_001))
    text = written(TrfFile(Crosstable(40, lines), "All", names=("ä" * 33,) * 1_000))
    assert len(text.encode()) < trf_import.MOST_BYTES
    assert len(taken(text).names) == 1_000
