"""Logs of tournaments are read for ever: bytes of November 2026 are folded, proved, and stay as written.

The three files in `tests/stored` hold every kind of entry: `tournament_swiss.records` a Swiss tournament with
all that officials and entrants do, `tournament_league.records` a league that was cancelled after its
promotions, and `tournament_knockout.records` a knock-out.  They are never written anew.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from domain.chance import Secret
from domain.log import canonical, unb64
from domain.tournaments.events import KINDS, OFFICIALS, Announced, Published
from domain.tournaments.history import TournamentLog
from domain.tournaments.log import codec
from replay.tournaments.chain import check_records, tournament_chained

STORED = Path(__file__).parents[2] / "stored"
ROOTS = {
    "swiss": "f2c7504af0281c6b769f6828f2c11496ff1affe7a081934c176bd92ec9babe1d",
    "league": "e9e6d9c92ef2736877bfed11ed4bab81903cdfce66c3b16e20918375f89936e3",
    "knockout": "fb2c44c8c5e120f86a072101017a2fb63af469522f3797ae34a533e891d23211",
}
SCORES = {
    "swiss": {"n1": 1, "n2": 5, "n3": 0, "n4": 2, "n5": 3, "n6": 3},
    "league": {"n1": 2, "n2": 0, "n3": 2, "n4": 0},
    "knockout": {"n1": 4, "n2": 2, "n3": 0, "n4": 0},
}


class _Leaf(msgspec.Struct):
    sealed: dict[str, str]


def stored(name: str) -> list[bytes]:
    """The stored bytes of each entry: a line for the leaf, and one for each private part."""
    lines = (STORED / f"tournament_{name}.records").read_bytes().removesuffix(b"\n").split(b"\n")
    found = []
    while lines:
        count = 1 + len(msgspec.json.decode(lines[0], type=_Leaf).sealed)
        found.append(b"\n".join(lines[:count]))
        del lines[:count]
    return found


def read(name: str) -> TournamentLog:
    """The tournament of these bytes."""
    some = stored(name)
    first = codec().entry(some[0].split(b"\n")[0])
    assert isinstance(first, Announced)
    log = TournamentLog.project(
        codec().read(first.tournament, number, one) for number, one in enumerate(some, 1)
    )
    assert log is not None
    return log


def test_every_kind_of_entry_is_stored() -> None:
    assert {record.kind for name in ROOTS for record in read(name).records} == KINDS


@pytest.mark.parametrize("name", ROOTS)
def test_what_is_stored_folds_to_the_same_and_stays_as_first_written(name: str) -> None:
    log = read(name)
    assert log.root.hex() == ROOTS[name]
    assert {one: log.state.score(one) for one in log.state.entrants} == SCORES[name]
    chain = tournament_chained([record.leaf for record in log.records], log.root)
    assert [canonical(entry) for entry in chain.entries] == [record.leaf for record in log.records]


def test_what_was_decided_in_the_swiss_tournament_is_so_today() -> None:
    s = read("swiss").state
    assert (s.status, s.terms.sides, s.terms.byes, len(s.changes)) == ("published", "lot", 2, 1)
    assert [[board.result for board in one.boards] for one in s.rounds] == [
        ["1-0", "½"],
        ["½", "+-"],
        ["1-0", "--"],
    ]
    assert [(one.id, one.status, one.penalty) for one in s.entrants.values() if one.penalty] == [
        ("n1", "active", 1)
    ]
    assert s.entrants["n5"].players == ("p9",)


def test_its_lots_and_seals_open_today() -> None:
    log = read("swiss")
    last = log.records[-1].entry
    assert isinstance(last, Published)
    secret, kinds = Secret(unb64(last.secret), log.id), [record.kind for record in log.records]
    check_records(log.records, secret, log.root)
    assert kinds.count("lot_drawn") == 4
    called = log.records[kinds.index("arbiter_called")]
    assert called.parts[OFFICIALS].text == "The clock was wrong."
