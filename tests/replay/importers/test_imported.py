"""An imported log: what is compared, what it becomes, and that a damaged number shows at its line."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from domain.imported import name_of
from domain.kernel import Result
from domain.texts import LANGUAGES
from replay.importers.twilight_struggle.report import Imported, content_of, imported, kept, lines, summed
from replay.importers.twilight_struggle.structure import BadLog
from replay.verify import verify_records
from tests.matches import PRODUCT
from tests.replay.importers.short_games import STOPS, WHOLE, with_columns

LOGS = {"without columns": WHOLE, "with columns": with_columns()}
NUMBER = re.compile(r"\d+")
# A number in these lines says where something belongs, or nothing that the game depends on.
PLACES = re.compile(r"REPLAY|Time per Player|Handicap|--- Turn|Turn ")
# Another die with the same outcome, a score that may be stale, DEFCON after a war that ends the game.
FREE = re.compile(r"VICTORY: \d|\[score -?\d|\[score 4\] \[defcon 1")


def log(text: str, **more: bool) -> Imported:
    return imported(text.encode(), PRODUCT, **more)


# ── what agrees ──


@pytest.mark.parametrize("text", LOGS.values(), ids=LOGS)
def test_a_whole_game_agrees_throughout(text: str) -> None:
    found = log(text)
    assert (found.mismatches, found.unread, found.deal_problems) == ((), (), ())
    assert (found.entries, found.plays, found.clean) == (11, 10, True)
    assert found.checked > 70
    assert found.result == Result("ussr", "nuclear_war", {"us": 4, "ussr": -4})


def test_columns_are_compared_too() -> None:
    without, with_them = (log(text) for text in LOGS.values())
    assert with_them.checked - without.checked == 10  # DEFCON 1 may be missing there
    assert [record.facts for record in with_them.match.records] == [
        record.facts for record in without.match.records
    ]


@pytest.mark.parametrize("text", [WHOLE, STOPS], ids=["whole", "stops"])
def test_an_imported_match_is_over_and_marked_for_ever(text: str) -> None:
    match = log(text).match
    assert match.status == "over"
    assert match.imported
    assert (match.opened.origin, match.opened.chance.scheme, match.opened.edition) == (
        "imported",
        "recorded",
        "deluxe",
    )
    assert {record.entry.at for record in match.records} == {None}


def test_a_log_that_stops_is_a_match_without_a_result() -> None:
    found = log(STOPS)
    assert found.clean
    assert found.result is None
    assert found.match.closed is not None
    assert (found.match.closed.by, found.match.closed.result) == ("record", None)


@pytest.mark.parametrize("text", [*LOGS.values(), STOPS], ids=[*LOGS, "stops"])
def test_an_imported_match_verifies_and_says_that_its_luck_cannot_be_proved(text: str) -> None:
    report = verify_records(log(text).match.records)
    assert report.ok, report
    assert "imported, unverified" in report.notes
    assert "chance: recorded, not provable" in report.notes
    assert "rules: today's give the same" in report.notes


# ── what a log is known by ──


def test_the_id_follows_from_the_text_however_it_was_saved() -> None:
    match = log(WHOLE).match
    assert re.fullmatch("import-[0-9a-f]{24}", match.id)
    for same in (
        WHOLE.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + WHOLE.encode(),
        (WHOLE.replace("\n", "  \n") + "\n\n").encode(),
        WHOLE.rstrip("\n").encode(),
    ):
        again = imported(same, PRODUCT).match
        assert [record.stored for record in again.records] == [record.stored for record in match.records]
    assert log(WHOLE.replace("45 Minutes", "46 Minutes")).match.id != match.id


def test_what_makes_a_log_that_log_is_its_text() -> None:
    assert content_of(b"\xef\xbb\xbf one \r\n\r\n two\t2\n\n\n") == b"one\n\ntwo 2\n"
    with pytest.raises(BadLog, match="line 1: expected a log, found an empty file"):
        content_of(b" \n")


# ── who played ──


def test_names_become_aliases_that_are_a_files_own() -> None:
    seats = {seat: seated.player for seat, seated in log(WHOLE).match.players.items() if seated}
    other = {seat: seated.player for seat, seated in log(STOPS).match.players.items() if seated}
    assert {seat: name_of(player) for seat, player in seats.items()} == {"us": "Player B", "ussr": "Player A"}
    assert not set(seats.values()) & set(other.values())
    assert {name_of(player) for player in other.values()} == {"Player A", "Player B"}
    stored = b"".join(record.stored for record in log(WHOLE).match.records)
    assert b"Ada" not in stored
    assert b"Grace" not in stored


def test_a_player_on_both_seats_has_one_alias() -> None:
    players = log(WHOLE.replace("Grace", "Ada")).match.players.values()
    assert [name_of(seated.player) for seated in players if seated] == ["Player A", "Player A"]


def test_names_are_kept_where_that_is_asked() -> None:
    found = log(WHOLE, names=True)
    players = [seated.player for seated in found.match.players.values() if seated]
    assert players == ["import:Grace", "import:Ada"]
    assert [name_of(player) for player in players] == ["Grace", "Ada"]
    assert found.match.id == log(WHOLE).match.id
    assert name_of("pabcdefghijklmnop") is None
    long = log(WHOLE.replace("Grace", "G" * 100), names=True).match.seats["us"]
    assert long is not None
    assert name_of(long.player) == "G" * 64


# ── what does not agree ──


def damaged(text: str) -> Iterator[tuple[int, str]]:
    """The log with one number changed, for each number that the rest depends on, and its line."""
    lines = text.split("\n")
    for at, line in enumerate(lines):
        for number in () if PLACES.match(line) else NUMBER.finditer(line):
            if not FREE.fullmatch(line[: number.end()]):
                yield at + 1, "\n".join((*lines[:at], changed(line, number), *lines[at + 1 :]))


def changed(line: str, number: re.Match[str]) -> str:
    """A line with another number."""
    value = int(number[0])
    return f"{line[: number.start()]}{value + 1 if value < 6 else value - 1}{line[number.end() :]}"


def shown(text: str) -> set[int]:
    """The lines at which something is said to be wrong; none where everything agrees."""
    try:
        found = log(text)
    except BadLog as error:
        return {error.line}
    wrong = {one.line for one in found.mismatches} | {one.line for one in found.unread}
    return wrong | ({0} if found.missing else set())


@pytest.mark.parametrize("text", LOGS.values(), ids=LOGS)
def test_each_damaged_number_shows_at_its_line(text: str) -> None:
    cases = list(damaged(text))
    assert len(cases) > 90
    for line, spoilt in cases:
        assert line in shown(spoilt), spoilt.split("\n")[line - 1]


@pytest.mark.parametrize("text", LOGS.values(), ids=LOGS)
def test_a_damaged_turn_or_round_or_handicap_never_passes(text: str) -> None:
    lines = text.split("\n")
    heads = [at for at, line in enumerate(lines) if line.startswith(("Turn ", "Handicap"))]
    assert len(heads) == 12
    for at in heads:
        for number in NUMBER.finditer(re.split(": (?!US)", lines[at])[0]):
            assert shown("\n".join((*lines[:at], changed(lines[at], number), *lines[at + 1 :]))), lines[at]


def test_a_line_that_is_not_understood_is_reported() -> None:
    found = log(WHOLE.replace("US -1 in France [0][0]\n", "US -1 in France [0][0]\nGrace sighs.\n"))
    line = WHOLE.split("\n").index("US -1 in France [0][0]") + 2
    assert [(one.line, one.text) for one in found.unread] == [(line, "Grace sighs.")]
    assert not found.clean
    assert lines("g.txt", found, "en")[2] == f"  line {line}: not understood: Grace sighs."


def test_where_our_rules_cannot_follow_is_a_mismatch_with_the_reason() -> None:
    found = log(WHOLE.replace("Truman Doctrine*", "NATO*"))  # which was played before
    line = next(at for at, text in enumerate(WHOLE.split("\n"), 1) if "Truman" in text)
    (mismatch, *_) = found.mismatches
    assert line <= mismatch.line < line + 5  # in that action round
    assert any("nato" in problem for problem in found.deal_problems)
    assert found.match.status == "over"
    assert (found.followed, found.resynchronised, found.lost, found.missing) == (10, 1, 0, ())
    assert found.result == log(WHOLE).result  # the rest of the game is followed


def test_no_mismatch_lies_beyond_the_last_line() -> None:
    for _, spoilt in list(damaged(WHOLE))[::5]:
        assert shown(spoilt) <= set(range(1, WHOLE.count("\n") + 1))


# ── in words ──


def test_a_report_in_english() -> None:
    text = WHOLE.replace("DEFCON degrades to 3", "DEFCON degrades to 1")
    line = WHOLE.split("\n").index("DEFCON degrades to 3") + 1
    assert lines("a.txt", log(text), "en") == [
        "a.txt: 10 plays, 77 values compared, 1 mismatch, 0 lines not understood; "
        "USSR wins, nuclear war (US 4, USSR -4)",
        "  entries: 11 followed, 0 resynchronised, 0 lost",
        f"  line {line}: DEFCON: the log says 1, our rules give 3",
    ]
    assert lines("b.txt", log(STOPS), "en") == ["b.txt: 5 plays, 53 values compared, all agree; no result"]


def test_a_report_in_russian() -> None:
    text = WHOLE.replace("US -2 in Iran [1][0]", "US -2 in Iran [2][0]")
    line = WHOLE.split("\n").index("US -2 in Iran [1][0]") + 1
    assert lines("a.txt", log(text), "ru") == [
        "a.txt: 10 розыгрышей, сверено 77 значений, 1 расхождение, непонятно 0 строк; "
        "победа: СССР, ядерная война (США 4, СССР -4)",
        "  частей записи: по правилам 11, с поправкой 0, взято из записи 0",
        f"  строка {line}: влияние, Иран: в записи [2][0], по правилам [1][0]",
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_that_is_compared_has_its_words(language: str) -> None:
    latin = re.compile(r"[a-z]{3,}")
    for _, spoilt in list(damaged(with_columns()))[::2]:
        found = log(spoilt)
        for mismatch, line in zip(found.mismatches, lines("f", found, language)[2:], strict=False):
            if (mismatch.stated, mismatch.ours) != (None, None):
                assert "_" not in line
                assert language == "en" or not latin.search(line), line


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_file_cannot_command_a_terminal(language: str) -> None:
    found = log(WHOLE.replace("US -1 in France [0][0]\n", "US -1 in France [0][0]\nx\u202ey\n"))
    assert all(line.isprintable() for line in lines("evil\x1b[2J.txt", found, language))


def test_what_became_of_a_match_and_of_several_files() -> None:
    assert kept("stored", "import-1", "en") == "stored as import-1"
    assert kept("written", "f.glasnost", "ru") == "записано в f.glasnost"
    assert summed(2, 1, 1, "en") == "4 logs: 2 agree throughout, 1 do not, 1 could not be read"
    assert summed(0, 1, 0, "ru").startswith("1 запись: ")
