"""`glasnost tournament verify` and `export`: exit codes, words, and files that verify."""

from __future__ import annotations

import csv
import json
import runpy
import sys
from contextlib import closing
from pathlib import Path

import pytest

from api.store.log_writer import LogWriter
from api.store.sqlite import SqliteStore
from domain.game import Game
from replay.tournaments import pairing, pairing_twice
from replay.tournaments.trf import TrfFile, written
from replay.tournaments.trf_reading import read
from tests.api.gate.tables import run
from tests.cli.program import Program
from tests.cli.test_tournament import announced, director
from tests.replay.tournaments.bundles import KEYS, file_of, members_of, packed, played

__all__ = ["director"]
ROOT = Path(__file__).parents[2]
KEY = KEYS.signing.verifying.text


@pytest.fixture(autouse=True)
def _pair_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pair in this process: processes are tested where they are the question."""
    monkeypatch.setattr(pairing_twice, "pair_twice", pairing.pair)
    monkeypatch.setattr(pairing_twice, "pair_once", pairing.pair)


@pytest.fixture
def bundle(glasnost: Program, toy_game: Game) -> Path:
    """The file of a tournament of four entrants and one round."""
    cup = run(played(1, 4))
    path = Path("cup.glasnost-tournament")
    path.write_bytes(file_of(cup, run(cup.log())))
    return path


def test_a_file_verifies_and_a_changed_one_does_not(glasnost: Program, bundle: Path) -> None:
    verify = ("tournament", "verify", bundle, "--key", KEY, "--processes", "1")
    said = glasnost(*verify).ok().out.splitlines()
    assert said[0].startswith("ok: ")
    assert "1 round, 2 matches" in said[0]
    assert said[-1] == "log: ok, matches: ok, results: ok, pairings: ok, standings: ok, lots: ok"
    assert glasnost(*verify, "--json").json["answers"]["results"] == "ok"
    against = glasnost(*verify, "--against", bundle).ok().out
    assert "entries are those of the file that was kept" in against
    glasnost(*verify, "--against", "nowhere").refused(2, "nowhere")
    Path("text").write_text("a tournament")
    glasnost(*verify, "--against", "text").refused(2, "text")
    members = members_of(bundle.read_bytes())
    rows = members["tournament.ndjson"].replace(b'"reason":"resignation"', b'"reason":"resignatiom"', 1)
    packed({**members, "tournament.ndjson": rows}, bundle)
    done = glasnost(*verify)
    assert done.code == 1
    assert "round 1, board 1, match m" in done.out.splitlines()[0]
    done = glasnost(*verify, "--json")
    assert done.code == 1
    assert json.loads(done.out)["failures"][0]["question"] == "log"


def test_without_the_engine_only_without_pairings_is_well(
    glasnost: Program, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "gacrux", None)
    verify = ("tournament", "verify", bundle, "--key", KEY, "--processes", "1")
    done = glasnost(*verify)
    assert done.code == 2
    assert "pairings: not checked" in done.out
    done = glasnost(*verify, "--without", "pairings")
    assert done.code == 0
    assert "pairings: not checked" in done.out


def test_a_terminal_gets_no_tournament_file(glasnost: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    glasnost("tournament", "export", "--store", "s", "cup").refused(2, "--out")


def test_what_is_no_file_is_refused(glasnost: Program, tmp_path: Path) -> None:
    glasnost("tournament", "verify", "nowhere").refused(2, "nowhere")
    glasnost("tournament", "verify", ".").refused(2, "directory")
    Path("text").write_text("a tournament")
    done = glasnost("tournament", "verify", "text")
    assert (done.code, done.out.startswith("wrong: log: ")) == (1, True)
    glasnost("tournament", "verify", "text", "--key", "nonsense").refused(2, "NAME+ID+KEY")


def test_a_tournament_of_a_store_is_exported_in_every_format(glasnost: Program, director: str) -> None:
    name = announced(glasnost, director)
    for command in ("pair", "publish"):
        assert glasnost("tournament", command, "--store", "s", name).ok()
    forfeits = ("--forfeit", "1", "+-", "--forfeit", "2", "--")
    assert glasnost("tournament", "close", "--store", "s", name, *forfeits).ok()
    assert glasnost("tournament", "publish", "--store", "s", name, "--final").ok()
    export = ("tournament", "export", "--store", "s", name)
    for out in ("one.glasnost-tournament", "two.glasnost-tournament"):
        assert glasnost(*export, "--out", out).ok().out == ""
    assert Path("one.glasnost-tournament").read_bytes() == Path("two.glasnost-tournament").read_bytes()
    key = glasnost("keys", "--store", "s").ok().out.split()[0]
    said = glasnost("tournament", "verify", "one.glasnost-tournament", "--key", key).ok().out
    assert "pairings: ok, standings: ok" in said
    table = read(glasnost(*export, "--format", "trf").ok().out.encode())
    assert table.names == ("Ann", "Ben", "Cleo", "Dan")
    boards = list(
        csv.DictReader(glasnost(*export, "--format", "csv", "--table", "boards").ok().out.splitlines())
    )
    assert [row["result"] for row in boards] == ["'+-", "'--"]
    everything = json.loads(glasnost(*export, "--format", "json").ok().out)
    assert everything["status"] == "published"
    log = glasnost(*export, "--format", "ndjson", "--at", "3").ok().out
    assert len(log.splitlines()) == 3
    assert glasnost(*export, "--format", "ics").ok().out.startswith("BEGIN:VCALENDAR")
    glasnost(*export, "--format", "ics", "--entrant", "n77").refused(2, "n77")
    glasnost(*export, "--at", "999").refused(2, "latest")
    glasnost(*export, "--log", "--out", "three").refused(2, "the signed log does not hold entry")
    with closing(SqliteStore.open(Path("s"))) as store:
        writer = LogWriter(store, store.keys, lambda: 1)
        writer.catch_up()
        writer.publish()
    for out in ("one.glasnost-tournament", "two.glasnost-tournament"):
        glasnost(*export, "--log", "--out", out).ok()
    assert Path("one.glasnost-tournament").read_bytes() == Path("two.glasnost-tournament").read_bytes()
    Path("policy").write_text(f"log {key}\nquorum none\n")
    verify = ("tournament", "verify", "one.glasnost-tournament", "--policy", "policy")
    assert "the server's log: " in glasnost(*verify).ok().out
    assert glasnost(*verify, "--json").json["logged"].startswith("the server's log: ")
    Path("policy").write_text("log x\n")
    glasnost(*verify).refused(2, "policy: line 1")
    glasnost("tournament", "export", "--store", "s", "tnothing").refused(2, "tnothing")


def test_the_command_of_gacrux_checks_the_trf_of_a_whole_tournament(glasnost: Program) -> None:
    simulate = ("tournament", "simulate", "--store", "s", "--players", "9", "--rounds", "4", "--game")
    chance = ("--matches", "none", "--forfeits", ".1", "--byes", ".05", "--withdrawals", ".05", "--seed", "4")
    name = glasnost(*simulate, "cia_vs_kgb", *chance, "--json").json["tournament"]
    assert glasnost("tournament", "export", "--store", "s", name, "--format", "trf", "--out", "cup.trf").ok()
    script = runpy.run_path(str(ROOT / "ops" / "pairing_vectors.py"))
    exported, table = Path("cup.trf").read_text("utf-8"), read(Path("cup.trf").read_bytes()).table
    assert table.rounds == 4
    assert script["rounds_named"](None, exported) == ()
    exchanged = written(TrfFile(script["opponents_exchanged"](table, 4)))
    assert script["rounds_named"](None, exchanged) == (4,)
