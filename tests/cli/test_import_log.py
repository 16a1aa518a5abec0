"""`glasnost import-log`: what it prints, what it keeps, and what it refuses."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from api.store.sqlite import SqliteStore
from domain.imported import name_of
from domain.match import Match
from replay import matchfile
from replay.importers.twilight_struggle.driver import follow
from tests.cli.program import Done, Program
from tests.replay.importers.short_games import STOPS, WHOLE, with_columns

KEYS = ["file", "entries", "plays", "checked", "mismatches", "unread", "deal_problems"]
KEYS += ["followed", "resynchronised", "lost", "missing", "faults", "result"]
DAMAGED = WHOLE.replace("US -2 in Iran [1][0]", "US -2 in Iran [2][0]")
LINE = WHOLE.split("\n").index("US -2 in Iran [1][0]") + 1
STRANGE = WHOLE.replace("US -1 in Israel [0][0]\n", "US -1 in Israel [0][0]\nWhat now?\n")


def write(text: str | bytes, name: str = "game.txt") -> Path:
    """The log as a file here."""
    path = Path(name)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def objects(done: Done) -> list[dict[str, Any]]:
    """The JSON objects that were printed, one on each line."""
    return [json.loads(line) for line in done.out.splitlines()]


def stored(folder: str = "s") -> list[Match]:
    """The matches in a store."""
    store = SqliteStore.open(Path(folder), write=False)
    try:
        return [match for name in store.matches() if (match := store.match(name)) is not None]
    finally:
        store.close()


# ── what is printed ──


@pytest.mark.parametrize("text", [WHOLE, with_columns()], ids=["without columns", "with columns"])
def test_a_log_that_agrees_gives_one_object_and_exit_code_0(glasnost: Program, text: str) -> None:
    done = glasnost("import-log", write(text), "--json").ok()
    told = done.json
    assert list(told) == KEYS
    assert (told["file"], told["entries"], told["plays"]) == ("game.txt", 11, 10)
    assert (told["mismatches"], told["unread"], told["deal_problems"]) == ([], [], [])
    assert told["result"] == {"winner": "ussr", "reason": "nuclear_war", "score": {"us": 4, "ussr": -4}}
    assert told["checked"] > 70


def test_a_log_that_stops_has_no_result(glasnost: Program) -> None:
    assert glasnost("import-log", write(STOPS), "--json").json["result"] is None
    assert glasnost("import-log", "game.txt").ok().out.endswith("all agree; no result\n")


def test_a_damaged_number_is_reported_with_its_line_and_both_values(glasnost: Program) -> None:
    done = glasnost("import-log", write(DAMAGED), "--json")
    assert (done.code, done.err) == (1, "")
    (told,) = objects(done)
    assert told["mismatches"] == [
        {"line": LINE, "what": "influence in iran", "stated": [2, 0], "ours": [1, 0]}
    ]
    done = glasnost("import-log", "game.txt")
    assert done.code == 1
    assert f"  line {LINE}: influence in Iran: the log says [2][0], our rules give [1][0]\n" in done.out


def test_a_line_that_is_not_understood_gives_exit_code_1(glasnost: Program) -> None:
    done = glasnost("import-log", write(STRANGE), "--json")
    assert done.code == 1
    (told,) = objects(done)
    assert told["unread"] == [WHOLE.split("\n").index("US -1 in Israel [0][0]") + 2]
    assert told["mismatches"] == []


def test_people_read_the_report_in_their_language(glasnost: Program) -> None:
    said = glasnost("import-log", write(DAMAGED), "--lang", "ru").out
    assert f"  строка {LINE}: влияние, Иран: в записи [2][0], по правилам [1][0]\n" in said
    assert "победа: СССР" in said


def test_several_files_are_summed_up_and_the_worst_decides(glasnost: Program) -> None:
    files = [write(WHOLE, "a"), write(DAMAGED, "b"), write(b"", "c"), write(STOPS, "d")]
    done = glasnost("import-log", *files)
    assert done.code == 1
    assert done.out.splitlines()[-1] == "4 logs: 2 agree throughout, 1 do not, 1 could not be read"
    assert [line[:2] for line in done.out.splitlines() if not line.startswith(" ")] == [
        "a:",
        "b:",
        "d:",
        "4 ",
    ]
    done = glasnost("import-log", *files, "--json")
    assert [told["file"] for told in objects(done)] == ["a", "b", "d"]
    assert glasnost("import-log", "a", "c").code == 2
    assert glasnost("import-log", "a", "d").code == 0


# ── files that are no logs ──


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (b"", ("line 1: expected a log, found an empty file",)),
        (b"\n \r\n", ("line 1: expected a log, found an empty file",)),
        (b"\x00\x01\x02", ("line 1: expected text", "binary")),
        (b"Dear Sir,\nthe game is off.\n", ("line 1: expected the set-up of a game, found 'Dear Sir,'",)),
        (b'{"game": "chess"}\n', ("line 1: expected the set-up of a game",)),
        (b"Turn 99, USSR AR1: NATO*: x\n", ("line 1: ",)),
    ],
)
def test_a_file_that_is_no_log_is_refused_with_line_and_expectation(
    glasnost: Program, content: bytes, parts: tuple[str, ...]
) -> None:
    write(content)
    for more in ((), ("--json", "--store", "s", "--out", "o")):
        done = glasnost("import-log", "game.txt", *more).refused(2, "game.txt: ", *parts)
        assert done.out == ""
    assert os.listdir() == ["game.txt"]


def test_a_missing_file_a_directory_and_a_huge_file_do_not_stop_the_others(
    glasnost: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("folder").mkdir()
    write(b" " * (1 << 20) + WHOLE.encode(), "huge")
    monkeypatch.setattr("replay.importers.twilight_struggle.sections.MOST", 1 << 20)
    done = glasnost("import-log", "none", "folder", "huge", write(WHOLE))
    assert done.code == 2
    assert done.err.splitlines() == [
        "glasnost: none: there is no such file",
        "glasnost: folder is a directory; name the log in it",
        "glasnost: huge: longer than the 1 MiB that a log may have",
    ]
    assert done.out.startswith("game.txt: 10 plays")
    assert "nothing" not in glasnost("import-log").refused(2, "FILE").err


def test_an_error_of_ours_does_not_stop_the_others(
    glasnost: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(said: Any, content: bytes, *more: Any) -> Any:
        if b"46 Minutes" in content:
            raise ArithmeticError("no such thing")
        return follow(said, content, *more)

    monkeypatch.setattr("replay.importers.twilight_struggle.report.follow", fails)
    write(WHOLE.replace("45 Minutes", "46 Minutes"), "bad")
    done = glasnost("import-log", "bad", write(WHOLE), "--store", "s")
    assert done.code == 2
    assert done.err == (
        "glasnost: bad: error in the program: ArithmeticError: no such thing"
        " (GLASNOST_DEBUG=1 shows where; please report)\n"
    )
    assert len(stored()) == 1
    monkeypatch.setenv("GLASNOST_DEBUG", "1")
    with pytest.raises(ArithmeticError, match="no such thing"):
        glasnost("import-log", "bad")


# ── keeping ──


def test_the_same_log_is_stored_once_and_says_so(glasnost: Program) -> None:
    first = glasnost("import-log", write(WHOLE), "--store", "s").ok().out
    (match,) = stored()
    assert f"  stored as {match.id}\n" in first
    assert (match.status, match.opened.origin, match.opened.chance.scheme) == ("over", "imported", "recorded")
    again = glasnost("import-log", write(WHOLE.replace("\n", "\r\n"), "copy.txt"), "--store", "s").ok().out
    assert f"  the store holds this log already, as {match.id}\n" in again
    twice = glasnost("import-log", "game.txt", "game.txt", "--store", "t").ok().out
    assert (twice.count("stored as"), twice.count("already")) == (1, 1)
    assert len(stored()) == len(stored("t")) == 1


def test_every_game_is_kept_and_one_that_is_incomplete_says_so(glasnost: Program) -> None:
    lost = WHOLE.replace("Truman Doctrine*", "NATO*")  # which was played before
    done = glasnost("import-log", write(lost), write(STRANGE, "strange.txt"), "--store", "s", "--out", "o")
    assert done.code == 1
    assert done.out.count("  some of its positions are set from the log, not by the rules\n") == 1
    assert len(stored()) == len(os.listdir("o")) == 2
    for done in (
        glasnost("verify", "--store", "s"),
        *(glasnost("verify", file) for file in Path("o").iterdir()),
    ):
        assert done.code == 0
    assert "1 position set from the record, not by the rules" in glasnost("verify", "--store", "s").out


def test_with_json_what_became_of_a_match_goes_to_standard_error(glasnost: Program) -> None:
    done = glasnost("import-log", write(WHOLE), "--store", "s", "--json")
    (told,) = objects(done)
    assert list(told) == KEYS
    assert done.err == f"game.txt: stored as {stored()[0].id}\n"


def test_what_is_stored_verifies_and_says_what_it_is(glasnost: Program) -> None:
    glasnost("import-log", write(WHOLE), "--store", "s", "--out", "o/p").ok()
    (file,) = Path("o/p").iterdir()
    for done in (glasnost("verify", "--store", "s"), glasnost("verify", file)):
        assert (
            "imported, unverified; chance: recorded, not provable; rules: today's give the same"
            in done.ok().out
        )
    told = glasnost("replay", file, "--view", "us").ok().out
    assert "This match is imported, unverified" in told
    assert "The US is dealt 8 cards." in told
    assert " · imported, unverified " in told
    shown = glasnost("replay", file, "--at", "4", "--json").json
    assert (shown["origin"], shown["unverified"], shown["viewer"]) == ("imported", True, "spectator")
    assert "hands were not recorded" in shown["remark"]
    assert shown["table"]["hands"]["us"] == ["?"] * 8
    assert glasnost("replay", file, "--at", "4", "--view", "nobody").code == 2


def test_a_match_file_needs_no_store_and_is_the_same_each_time(glasnost: Program) -> None:
    glasnost("import-log", write(WHOLE), "--out", "a").ok()
    glasnost("import-log", write(WHOLE), "--out", "b").ok()
    (one,), (other,) = list(Path("a").iterdir()), list(Path("b").iterdir())
    assert one.read_bytes() == other.read_bytes()
    assert matchfile.read(one).match().imported


def test_an_export_marks_imported_matches(glasnost: Program) -> None:
    glasnost("import-log", write(WHOLE), "--store", "s").ok()
    glasnost("export", "--all", "--store", "s", "--format", "ndjson", "--out", "tables").ok()
    rows = [json.loads(line) for line in Path("tables/moves.ndjson").read_text("utf-8").splitlines()]
    assert {(row["origin"], row["unverified"]) for row in rows} == {("imported", True)}


def test_names_become_aliases_unless_they_are_asked_for(glasnost: Program) -> None:
    glasnost("import-log", write(WHOLE), "--store", "s").ok()
    glasnost("import-log", "game.txt", "--store", "t", "--names").ok()
    told = {
        folder: {seat: name_of(seated.player) for seat, seated in stored(folder)[0].players.items() if seated}
        for folder in ("s", "t")
    }
    assert told == {
        "s": {"us": "Player B", "ussr": "Player A"},
        "t": {"us": "Grace", "ussr": "Ada"},
    }
    assert stored("s")[0].id == stored("t")[0].id


# ── a store that cannot be had ──


def test_a_store_in_use_is_refused_with_the_way_through_http(glasnost: Program) -> None:
    write(WHOLE)
    with_store = SqliteStore.open(Path("s"))
    with_store.announce("http://127.0.0.1:8000")
    try:
        done = glasnost("import-log", "game.txt", "--store", "s")
        done.refused(2, "has held the store", "at http://127.0.0.1:8000", "--out DIR", "POST /v1/replays")
        assert done.out == ""
    finally:
        with_store.close()
    assert stored() == []


def test_a_folder_that_cannot_be_written_is_refused(glasnost: Program) -> None:
    write(WHOLE)
    write("", "taken")
    glasnost("import-log", "game.txt", "--out", "taken").refused(2, "taken")
    glasnost("import-log", "game.txt", "--out", "taken/below").refused(2, "taken/below: cannot be written")
    glasnost("import-log", "game.txt", "--store", "taken/below").refused(2, "taken/below")


def test_nothing_is_made_where_nothing_is_asked_for(glasnost: Program) -> None:
    glasnost("import-log", write(WHOLE)).ok()
    assert os.listdir() == ["game.txt"]


def test_the_help_teaches(glasnost: Program) -> None:
    said = glasnost("import-log", "--help").ok().out
    for words in ("--store DIR", "--out DIR", "--names", "--json", "glasnost import-log", "Exit code 0"):
        assert words in " ".join(said.split())
