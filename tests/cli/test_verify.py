"""`glasnost verify`: one line for each match, exit code 1 where anything is wrong."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from api.seeded import SeededKeys
from domain.merkle import Tree
from domain.signed_notes import Checkpoint, VerifyingKey, origin
from tests.cli.program import Program, on_a_terminal, screen

STRANGER = VerifyingKey("stranger.example", bytes(range(32))).text


def damaged(path: Path, member: str, old: bytes, new: bytes) -> Path:
    """The match file with something else in one of its parts."""
    with zipfile.ZipFile(path) as archive:
        parts = {info.filename: archive.read(info) for info in archive.infolist()}
    assert old in parts[member]
    parts[member] = parts[member].replace(old, new, 1)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def test_an_intact_file_is_ok(glasnost: Program, match_file: Path) -> None:
    said = glasnost("verify", match_file).ok().out
    assert said.startswith("ok: ")
    assert "moves" in said
    assert f"not signed ({SeededKeys().present.label} is a key that everybody has)" in said


def test_a_changed_move_is_named_and_the_code_is_1(glasnost: Program, match_file: Path) -> None:
    damaged(match_file, "log.ndjson", b'"seat":"us"', b'"seat":"US"')
    done = glasnost("verify", match_file)
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith("wrong: ")
    assert "move 2" in done.out


def test_of_several_files_each_gets_its_line_and_wrong_weighs_most(
    glasnost: Program, match_file: Path
) -> None:
    bad = Path("bad")
    bad.write_bytes(match_file.read_bytes()[:500])
    done = glasnost("verify", match_file, bad, "none")
    assert done.code == 1
    assert [line.split(":")[0] for line in done.out.splitlines()] == ["ok", "wrong"]
    assert "[bad]" in done.out
    assert done.err.startswith("glasnost: none: ")


def test_what_cannot_be_read_is_exit_code_2(glasnost: Program, match_file: Path) -> None:
    glasnost("verify", "none").refused(2, "none", "No such file")
    glasnost("verify", ".").refused(2, "directory", "--store")
    done = glasnost("verify", "none", match_file)
    assert (done.code, done.out[:3]) == (2, "ok:")
    glasnost("verify", "--store", "none").refused(2, "none")


def test_a_file_of_a_newer_version_says_so(glasnost: Program, match_file: Path) -> None:
    damaged(match_file, "manifest.json", b'"version":1', b'"version":2')
    done = glasnost("verify", match_file)
    assert done.code == 1
    assert "install a newer one" in done.out


def test_a_key_decides_whose_signature_counts(glasnost: Program, match_file: Path) -> None:
    own = SeededKeys().present.text
    said = glasnost("verify", match_file, "--key", STRANGER, "--key", own).ok().out
    assert f"signed by {SeededKeys().present.label};" in said
    done = glasnost("verify", match_file, "--key", STRANGER)
    assert done.code == 1
    assert "none of the keys given" in done.out


def test_a_trust_file_holds_keys_and_comments(glasnost: Program, match_file: Path) -> None:
    Path("trust").write_text(f"# friends\n\n{STRANGER}  # far away\n{SeededKeys().present.text}\n")
    assert "signed by seeded+" in glasnost("verify", match_file, "--trust", "trust").ok().out


@pytest.mark.parametrize(
    ("content", "parts"), [("# nobody\n", ("holds no key",)), ("a\nb+c\n", ("line 1", "NAME+ID+KEY"))]
)
def test_a_wrong_trust_file_is_refused(
    glasnost: Program, match_file: Path, content: str, parts: tuple[str, ...]
) -> None:
    Path("trust").write_text(content)
    glasnost("verify", match_file, "--trust", "trust").refused(2, "trust", *parts)
    glasnost("verify", match_file, "--trust", "none").refused(2, "none")
    glasnost("verify", match_file, "--key", "nonsense").refused(2, "--key", "NAME+ID+KEY")


def test_json_holds_every_report_in_one_line(glasnost: Program, match_file: Path) -> None:
    shown = glasnost("verify", match_file, "--json").json
    assert shown["ok"] is True
    assert [(one["ok"], one["check"], one["move"]) for one in shown["matches"]] == [(True, "", None)]
    damaged(match_file, "log.ndjson", b'"seat":"us"', b'"seat":"US"')
    done = glasnost("verify", match_file, "--json")
    assert done.code == 1
    found = json.loads(done.out)["matches"][0]
    assert (found["ok"], found["move"]) == (False, 2)
    assert found["reason"]


def test_the_name_of_a_file_makes_no_line_of_its_own(glasnost: Program, match_file: Path) -> None:
    forged = Path("x\nok: 44 moves\x1b[2J")
    match_file.rename(forged)
    told = glasnost("verify", forged, forged).ok()
    assert told.out.count("\n") == 2
    assert "\x1b" not in told.out
    assert "\x1b" not in glasnost("verify", f"{forged}-gone").refused(2, "-gone").err


def test_a_whole_store_is_verified(glasnost: Program) -> None:
    for seed in "12":
        glasnost("play", "thirteen_minutes", "--seed", seed, "--store", "s").ok()
    said = glasnost("verify", "--store", "s").ok().out.splitlines()
    assert [line[:3] for line in said] == ["ok:", "ok:"]
    assert all(line.endswith("]") for line in said)


def test_a_changed_store_is_found_wrong(glasnost: Program) -> None:
    import sqlite3

    glasnost("play", "thirteen_minutes", "--seed", "1", "--store", "s").ok()
    with sqlite3.connect("s/glasnost.db") as database:
        for (trigger,) in database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall():
            database.execute(f"DROP TRIGGER {trigger}")
        database.execute(
            "UPDATE stored_events SET state = CAST(replace(CAST(state AS TEXT), 'bot:random', 'bot:radnom')"
            " AS BLOB) WHERE originator_version = 2"
        )
    database.close()
    done = glasnost("verify", "--store", "s")
    assert done.code == 1
    assert done.out.startswith("wrong: log: move 2")


def test_a_move_that_the_store_lists_as_another_kind_is_found(glasnost: Program) -> None:
    import sqlite3

    glasnost("play", "thirteen_minutes", "--seed", "1", "--store", "s").ok()
    with sqlite3.connect("s/glasnost.db") as database:
        database.execute("DROP TRIGGER stored_events_stay")
        database.execute("UPDATE stored_events SET kind = 'played' WHERE kind = 'closed'")
    database.close()
    done = glasnost("verify", "--store", "s")
    assert done.code == 1
    assert "the store lists it as 'played', and it is 'closed'" in done.out


def test_a_terminal_shows_the_lines_and_no_rest_of_the_progress_bar(match_file: Path, tmp_path: Path) -> None:
    (tmp_path / "other.glasnost").write_bytes(match_file.read_bytes())
    shown = on_a_terminal("verify", match_file, tmp_path / "none.glasnost", tmp_path / "other.glasnost")
    assert b"verify" in shown, "the progress bar was there"
    lines = [line for line in screen(shown.decode()) if line]
    beginnings = ("ok: ", "glasnost: ", "ok: ")
    assert [line.startswith(begins) for line, begins in zip(lines, beginnings, strict=True)] == [True] * 3


def test_a_receipt_shows_that_the_opening_move_stood_before(glasnost: Program, match_file: Path) -> None:
    with zipfile.ZipFile(match_file) as archive:
        first = archive.read("log.ndjson").partition(b"\n")[0]
        match = json.loads(first)["match"]
    key, tree = SeededKeys().signing, Tree()
    tree.add(first)
    Path("receipt").write_text(key.sign(Checkpoint(origin(key.verifying.name, match), 1, tree.root).text))
    own = ("--key", key.verifying.text, "--receipt", "receipt")
    assert (
        f"over this opening move, signed by {key.verifying.label}"
        in glasnost("verify", match_file, *own).ok().out
    )
    Path("receipt").write_text(key.sign(Checkpoint(origin(key.verifying.name, match), 1, bytes(32)).text))
    done = glasnost("verify", match_file, *own)
    assert (done.code, done.out.startswith("wrong: log: move 1: the receipt")) == (1, True)


def test_a_receipt_is_for_one_file_and_of_a_receipts_size(glasnost: Program, match_file: Path) -> None:
    Path("receipt").write_bytes(b"x" * 100_000)
    glasnost("verify", match_file, "--receipt", "receipt").refused(2, "receipt")
    glasnost("verify", match_file, "--receipt", "none").refused(2, "none")
    glasnost("verify", match_file, match_file, "--receipt", "receipt").refused(2, "one match")
    glasnost("verify", "--store", "s", "--receipt", "receipt").refused(2, "one match")
