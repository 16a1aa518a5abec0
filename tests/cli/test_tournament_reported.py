"""`glasnost tournament rule --reported --file`: a game that a store or a server did not see counts in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from replay.tournaments import pairing, pairing_twice
from tests.api.gate.elsewhere import examined_in_a_thread
from tests.cli.program import Program
from tests.cli.test_tournament import announced as announced_in_store
from tests.cli.test_tournament import director as director
from tests.cli.test_tournament_remote import announced as announced_at_server
from tests.cli.test_tournament_remote import at as at
from tests.cli.test_tournament_remote import server as server


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pair and verify in this process: processes of their own are tested where they are the question."""
    monkeypatch.setattr(pairing_twice, "pair_twice", pairing.pair)
    monkeypatch.setattr(pairing_twice, "pair_once", pairing.pair)
    examined_in_a_thread(monkeypatch)


@pytest.fixture(params=["store", "server"])
def hall(request: pytest.FixtureRequest, glasnost: Program) -> tuple[tuple[str, ...], str]:
    """Where a tournament is whose first round is published, and its id."""
    if request.param == "store":
        where: tuple[str, ...] = ("--store", "s")
        name = announced_in_store(glasnost, request.getfixturevalue("director"))
    else:
        where = request.getfixturevalue("at")
        name = announced_at_server(glasnost, where)
    glasnost("tournament", "pair", *where, name).ok()
    glasnost("tournament", "publish", *where, name).ok()
    return where, name


def test_a_game_of_another_program_is_reported_with_its_file(
    glasnost: Program, hall: tuple[tuple[str, ...], str]
) -> None:
    where, name = hall
    # given: a match that bots played on another machine, and the second seat won
    assert "KGB wins" in glasnost("play", "cia_vs_kgb", "--seed", "3", "--out", "t.glasnost").ok().out
    rule = ("tournament", "rule", *where, name, "1")
    by_file = ("--reason", "agreed", "--text", "at the club", "--reported", "--file", "t.glasnost")
    # when: it is to be a win of the first seat, or the mark is missing, or the file
    glasnost(*rule, "1", "1-0", *by_file).refused(2, "0-1")
    glasnost(*rule, "1", "0-1", "--text", "so", "--file", "t.glasnost").refused(2, "--reported")
    glasnost(*rule, "1", "0-1", *by_file[:-1], "none.glasnost").refused(2, "no such file")
    # then: what the file says counts, after a preview
    seen = glasnost(*rule, "1", "0-1", *by_file, "--preview").json
    assert seen["facts"][0]["file_match"].startswith("seed-")
    assert glasnost(*rule, "1", "0-1", *by_file, "--seen", seen["sha256"]).ok().out.endswith("ruled\n")
    stated = ("--text", "by a form", "--reported", "--statement", "Both say so.")
    assert glasnost(*rule, "2", "½", *stated).ok().out.endswith("ruled\n")
    # and the tournament file has it, and names board and file if a byte of it is changed
    out = "cup.glasnost-tournament"
    glasnost("tournament", "export", *where, name, "--out", out).ok()
    assert glasnost("tournament", "verify", out).code in (0, 2)
    data = bytearray(Path(out).read_bytes())
    place = data.index(b'"kind":"seated"')
    assert b"reported/r01-b01-" in data[:place]
    data[place] ^= 1
    Path(out).write_bytes(data)
    told = glasnost("tournament", "verify", out)
    assert told.code == 1
    assert "round 1, board 1" in told.out + told.err
    assert "reported/r01-b01-" in told.out + told.err
