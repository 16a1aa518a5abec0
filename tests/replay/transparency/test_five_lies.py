"""The five lies of a server: each is caught in one look, and its proof holds on another machine.

Split view and rollback are caught by a witness and by a watcher; a dropped match, a replaced end and a
backdated key by a watcher.  The other machine is a process in a folder that holds the proof alone.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.program import Done, Program, process
from tests.replay.transparency.liar import Liar, canonical, mth


@pytest.fixture
def liar() -> Liar:
    """An honest beginning: three matches of p1, of which one is over, and some of others."""
    liar = Liar()
    for id in ("m1", "m2", "m3"):
        liar.opens(id)
        liar.plays(id, 4)
    liar.closes("m1")
    liar.many(3)
    return liar


@pytest.fixture
def url(liar: Liar) -> Iterator[str]:
    with liar.serving() as url:
        yield url


@pytest.fixture
def program(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Program:
    return Program(capsys, tmp_path)


class Looks:
    """A witness and a watcher of one server."""

    def __init__(self, program: Program, liar: Liar, url: str) -> None:
        self._program, self._url, self._key = program, url, liar.key.verifying.text
        self.keys = ("--key", self._key)

    def witness(self) -> Done:
        folder = self._program.folder
        files = ("--state", folder / "witness", "--key", folder / "w.key", "--name", "w1.example")
        return self._program("witness", "--follow", f"{self._url}/log", "--log", self._key, *files, "--once")

    def watch(self, *more: str | Path) -> Done:
        state = ("--state", self._program.folder / "watch")
        return self._program("watch", self._url, "--player", "p1", *self.keys, *state, "--once", *more)

    def proofs(self, who: str) -> list[Path]:
        return sorted((self._program.folder / f"{who}.findings").glob("*.json"))


@pytest.fixture
def looks(program: Program, liar: Liar, url: str) -> Looks:
    looks = Looks(program, liar, url)
    looks.witness().ok()
    assert looks.watch().ok().out.startswith("ok: 7 leaves in the log, 3 matches watched\n")
    return looks


def holds_elsewhere(proof: Path, folder: Path, *keys: str) -> str:
    """Check a proof in another process and folder, where only the proof is; return what it says."""
    folder.mkdir()
    shutil.copy(proof, folder / "proof.json")
    with process("evidence", folder / "proof.json", *keys, GLASNOST_KEYS="", GLASNOST_STORE="") as elsewhere:
        out, err = elsewhere.communicate()
    assert (elsewhere.returncode, err) == (0, ""), err
    return out


@pytest.mark.parametrize("who", ["witness", "watch"])
def test_a_split_view_is_caught(liar: Liar, looks: Looks, tmp_path: Path, who: str) -> None:
    """Two people are shown two histories."""
    liar.leaves[4] = liar.leaves[4].replace(b'"other"', b'"else"')
    liar.many(5)
    done = getattr(looks, who)()
    assert done.code == 1
    assert "fork: games.example/log signed two histories: over its first 7 leaves" in done.err
    [proof] = looks.proofs(who)
    assert holds_elsewhere(proof, tmp_path / "elsewhere", *looks.keys).startswith("proved: fork: ")


@pytest.mark.parametrize("who", ["witness", "watch"])
def test_a_rollback_is_caught(liar: Liar, looks: Looks, tmp_path: Path, who: str) -> None:
    """The server goes back to a backup, and says nothing."""
    del liar.leaves[5:]
    done = getattr(looks, who)()
    assert done.code == 1
    assert "rollback: games.example/log signed 7 leaves and 5 leaves" in done.err
    [proof] = looks.proofs(who)
    assert holds_elsewhere(proof, tmp_path / "elsewhere", *looks.keys).startswith("proved: rollback: ")


def test_a_rollback_that_goes_on_is_a_fork(liar: Liar, looks: Looks, tmp_path: Path) -> None:
    """Went back between two looks, and has grown past the old size since."""
    del liar.leaves[5:]
    liar.now += 7
    liar.many(9)
    assert "fork: games.example/log signed two histories" in looks.witness().err
    assert "fork: games.example/log signed two histories" in looks.watch().err


def test_a_dropped_match_is_caught(liar: Liar, looks: Looks, tmp_path: Path) -> None:
    """A match is opened, and never comes into the log."""
    liar.opens("m4", logged=False)
    liar.many(2)
    done = looks.watch()
    assert done.code == 1
    assert "missing: the server signed the opening of match m4" in done.err
    [proof] = looks.proofs("watch")
    assert "does not hold that" in holds_elsewhere(proof, tmp_path / "elsewhere", *looks.keys)


def test_a_match_that_is_thrown_away_before_it_is_seen_is_caught_by_its_receipt(
    liar: Liar, looks: Looks, tmp_path: Path
) -> None:
    liar.opens("m4", logged=False)
    (tmp_path / "receipt").write_text(liar.match_point("m4", 1))
    liar.hidden.add("m4")
    liar.many(2)
    done = looks.watch("--receipt", tmp_path / "receipt")
    assert done.code == 1
    assert "match m4, of which there is a receipt, is not in the log" in done.err


def test_a_match_that_is_thrown_away_after_it_was_logged_is_caught(liar: Liar, looks: Looks) -> None:
    liar.hidden.add("m2")
    done = looks.watch()
    assert done.code == 1
    assert "match m2 is in the log (leaf 1), and the server does not show it" in done.err


def test_a_replaced_end_is_caught(liar: Liar, looks: Looks, tmp_path: Path) -> None:
    """The log says how the match ended, and the server shows another end."""
    liar.closes("m2")
    liar.matches["m2"].leaves[-1] = canonical({"kind": "closed", "winner": "somebody else"})
    done = looks.watch()
    assert done.code == 1
    assert "contradiction: the log says that match m2 ended with move 6" in done.err
    [proof] = looks.proofs("watch")
    assert holds_elsewhere(proof, tmp_path / "elsewhere", *looks.keys).startswith("proved: contradiction: ")


def test_a_match_that_goes_on_after_its_end_is_caught(liar: Liar, looks: Looks, tmp_path: Path) -> None:
    liar.closes("m2")
    liar.plays("m2", 2)
    done = looks.watch()
    assert done.code == 1
    assert "ended with move 6" in done.err
    assert "the server signed 8 moves" in done.err


def test_an_end_that_never_comes_into_the_log_is_caught(liar: Liar, looks: Looks) -> None:
    liar.plays("m2")
    liar.matches["m2"].over = True
    ended = liar.now
    liar.many(2)
    liar.now = ended
    done = looks.watch()
    assert done.code == 1
    assert "match m2 is over, and the log, which is younger, holds no end of it" in done.err


def test_a_backdated_key_is_caught(liar: Liar, looks: Looks, tmp_path: Path) -> None:
    """A key that is made today claims to have been the server's for an hour."""
    liar.rotates(at=liar.now - 3_600_000_000)
    done = looks.watch()
    assert done.code == 1
    assert "backdated: the server signed that games.example+" in done.err
    [proof] = looks.proofs("watch")
    keys = (*looks.keys, "--key", liar.key.verifying.text)
    assert "before a leaf" in holds_elsewhere(proof, tmp_path / "elsewhere", *keys)


def test_a_key_that_is_not_in_the_log_is_caught(liar: Liar, looks: Looks, tmp_path: Path) -> None:
    liar.rotates(logged=False)
    liar.many(2)
    done = looks.watch()
    assert done.code == 1
    assert "missing: the server signed that games.example+" in done.err
    [proof] = looks.proofs("watch")
    holds_elsewhere(proof, tmp_path / "elsewhere", *looks.keys, "--key", liar.key.verifying.text)


# ── and an honest server is not accused ──


def test_an_honest_server_that_goes_on_is_not_accused(liar: Liar, looks: Looks) -> None:
    liar.closes("m2")
    liar.opens("m5")
    liar.rotates()
    liar.plays("m3", 2)
    liar.closes("m5")
    liar.many(300)
    seen = looks.watch("--json").json
    assert (seen["ok"], seen["leaves"], seen["matches"], seen["wrong"]) == (True, 311, 4, [])
    liar.many(1)
    assert looks.watch("--quiet").ok().out == ""


def test_a_match_that_was_opened_just_now_is_not_called_missing(liar: Liar, looks: Looks) -> None:
    """The log may be some seconds behind the match."""
    liar.now = time.time_ns() // 1_000 - 90_000_000
    liar.opens("m4", logged=False)
    looks.watch().ok()


def test_openings_without_an_end_are_counted_by_who_opened_them(liar: Liar, looks: Looks) -> None:
    """A server that opens many matches and keeps the luckiest is seen by the numbers."""
    for number in range(9):
        liar.opens(f"try{number}", "cheat")
    liar.closes("try8")
    unclosed = {row["opener"]: row["openings"] for row in looks.watch("--json").json["unclosed"]}
    assert unclosed == {"cheat": 8, "other": 3, "p1": 2}


def test_a_server_that_does_not_answer_is_no_liar(liar: Liar, looks: Looks) -> None:
    for path in ("/log/checkpoint", "/v1/keys"):
        liar.answers = {path: (500, {}, b"")}
        looks.watch().refused(2, "the answer is 500")


def test_a_finding_proves_nothing_against_another_server(
    liar: Liar, looks: Looks, program: Program, tmp_path: Path
) -> None:
    del liar.leaves[5:]
    looks.witness()
    [proof] = looks.proofs("witness")
    other = liar.rotates()
    program("evidence", proof, "--key", liar.key.verifying.text).refused(
        1, "signed by none of the given keys"
    )
    assert other
    (tmp_path / "cut.json").write_bytes(proof.read_bytes()[:-40])
    program("evidence", tmp_path / "cut.json", *looks.keys).refused(1, "not a finding")


def test_a_forger_proves_nothing(liar: Liar, looks: Looks, program: Program, tmp_path: Path) -> None:
    """An enemy of the server, without its key, has its honest statements only."""
    from replay.transparency import findings

    older = liar.point
    liar.many(3)
    newer, size = liar.point, len(liar.leaves)
    match, opening = liar.match_point("m1", 1), liar.matches["m1"].leaves[0]
    entries = tuple(map(b64, liar.leaves))
    forged: dict[str, findings.AnyFinding] = {
        "fork": findings.Fork(older=older, newer=newer, begins_with=b64(bytes(32)), path=()),
        "same": findings.Fork(older=newer, newer=newer),
        "rollback": findings.Rollback(larger=older, smaller=newer),
        "missing": findings.Missing(signed=match, opening=b64(opening), point=newer, entries=entries),
        "cut": findings.Missing(signed=match, opening=b64(opening), point=newer, entries=entries[1:]),
        "early": findings.Contradiction(
            leaf=entries[3], index=3, path=(), point=newer, match=liar.match_point("m1", 2)
        ),
    }
    assert size == 10
    for name, finding in forged.items():
        path = tmp_path / f"{name}.json"
        path.write_bytes(findings.encoded(finding))
        assert program("evidence", path, *looks.keys).code == 1, name


def b64(data: bytes) -> str:
    from base64 import b64encode

    return b64encode(data).decode()


def test_the_tree_of_the_liar_is_that_of_the_specification(liar: Liar) -> None:
    """RFC 6962: the tests' own tree gives the well-known root over no leaves and over one empty leaf."""
    assert mth([]).hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert mth([b""]).hex() == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
