"""The file of a tournament in which pairs play both sides: proved, and every forgery of a match found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import msgspec
import pytest

from domain.log import canonical
from domain.tournaments import commands as c
from domain.tournaments.crosstables import crosstable
from domain.tournaments.history import TournamentLog
from domain.tournaments.terms import BOTH, Terms
from replay.tournaments.exports import Wanted, exported
from replay.tournaments.pairing import pair
from replay.tournaments.published import sha256
from replay.tournaments.report import Report
from replay.tournaments.results import explained_of, standings_of
from replay.tournaments.trf_reading import read
from replay.tournaments.verify import verify
from tests.api.gate.memory import MemoryStore
from tests.api.gate.tables import run
from tests.api.gate.tournaments import DIRECTOR, Cup
from tests.replay.tournaments import oracle, stranger
from tests.replay.tournaments.bundles import (
    KEYS,
    Json,
    Members,
    file_of,
    forged,
    members_of,
    packed,
    played,
    published,
)

KEY = KEYS.signing.verifying
Change = Callable[[list[Json]], None]


@pytest.fixture(scope="module")
def log(house: None) -> TournamentLog:
    """Five entrants play two Swiss rounds; a match of the second round is ruled otherwise."""
    cup = run(played(2, 5, sides=BOTH))
    found = run(cup.log())
    FILES[found.id] = file_of(cup, found)
    return found


FILES: dict[str, bytes] = {}


@pytest.fixture(scope="module")
def members(log: TournamentLog) -> Members:
    """The members of its file."""
    return members_of(FILES[log.id])


def of_kind(entries: list[Json], kind: str) -> list[Json]:
    """The entries of a kind."""
    return [entry for entry in entries if entry["kind"] == kind]


def checked(path: Path) -> dict[str, str]:
    """The sentence of each question that is answered with no, with that of the second verifier ("")."""
    report: Report = verify(path, [KEY])
    found = {one.question: str(one.sentence) for one in report.failures}
    try:
        stranger.verify(path.read_bytes(), KEY.text)
    except stranger.Disproved as error:
        found[""] = str(error)
    return found


def test_both_verifiers_prove_the_file_and_every_match_of_a_pair_is_in_it(
    log: TournamentLog, members: Members, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_bytes(FILES[log.id])
    report = verify(path, [KEY])
    assert (report.ok, report.matches, set(report.answers.values())) == (True, 8, {"ok"})
    assert stranger.verify(FILES[log.id], KEY.text) == 8
    names = [name[8:15] for name in members if name.startswith("matches/")]
    assert names == [f"r{number:02}-b{board:02}" for number in (1, 2) for board in (1, 2, 3, 4)]


def exchange_results(entries: list[Json]) -> None:
    first, second = of_kind(entries, "result_recorded")[:2]
    first["match"], second["match"] = second["match"], first["match"]


def lose_the_second_board(entries: list[Json]) -> None:
    paired = of_kind(entries, "paired")[0]
    paired["boards"] = [one for one in paired["boards"] if one["board"] != 4]


def play_one_side_twice(entries: list[Json]) -> None:
    second = of_kind(entries, "paired")[1]["boards"][3]
    second["w"], second["b"] = second["b"], second["w"]


def play_others_on_the_second_board(entries: list[Json]) -> None:
    boards = of_kind(entries, "paired")[0]["boards"]
    boards[1]["w"], boards[3]["w"] = boards[3]["w"], boards[1]["w"]


def win_the_second_match(entries: list[Json]) -> None:
    one = next(entry for entry in of_kind(entries, "result_recorded") if entry["board"] == 2)
    one["result"] = "0-1" if one["result"] == "1-0" else "1-0"


def record_a_match_twice(entries: list[Json]) -> None:
    one = next(entry for entry in of_kind(entries, "result_recorded") if entry["board"] == 2)
    one["board"] = 1


def count_single_matches(entries: list[Json]) -> None:
    entries[0]["terms"]["sides"] = "colours"
    entries[0]["terms_sha256"] = sha256(canonical(entries[0]["terms"]))


@pytest.mark.parametrize(
    ("change", "question", "said"),
    [
        (exchange_results, "results", "board 1"),
        (lose_the_second_board, "pairings", "round 1"),
        (play_one_side_twice, "pairings", "board 4"),
        (play_others_on_the_second_board, "pairings", "board 2"),
        (win_the_second_match, "results", "board 2"),
        (record_a_match_twice, "results", "board 1"),
        (count_single_matches, "pairings", "round 1"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_forged_match_or_pair_is_found_and_named(
    log: TournamentLog, members: Members, tmp_path: Path, change: Change, question: str, said: str
) -> None:
    found = checked(forged(members, tmp_path / "file", change, log.id))
    assert said in found.get(question, ""), found
    assert found[""]


def test_the_match_files_of_a_pair_cannot_be_exchanged(
    log: TournamentLog, members: Members, tmp_path: Path
) -> None:
    one, other = [name for name in members if name.startswith("matches/r01")][:2]
    path = packed({**members, one: members[other], other: members[one]}, tmp_path / "file")
    found = checked(path)
    assert "board 1" in found["matches"]
    assert found[""]


def test_any_flipped_byte_of_the_terms_or_pairings_is_found(
    log: TournamentLog, members: Members, tmp_path: Path
) -> None:
    content = members["tournament.ndjson"]
    places = [content.index(b'"sides":"both"') + 9 + at for at in range(4)]
    places += [content.index(b'"kind":"paired"') - at for at in (3, 40, 90)]
    for place in places:
        changed = bytearray(content)
        changed[place] ^= Random(place).randrange(1, 128)
        path = packed({**members, "tournament.ndjson": bytes(changed)}, tmp_path / "file")
        assert not verify(path, [KEY]).ok, place


def test_a_pairing_by_hand_without_the_second_board_is_found(house: None, tmp_path: Path) -> None:
    async def work() -> Cup:
        cup = Cup(MemoryStore(), Terms(game="toy", format="swiss", rounds=1, sides=BOTH))
        cup.tournaments._pairer = pair
        await cup.announced(2)
        draft = await cup.tournaments.draft(cup.id, DIRECTOR)
        await cup.tournaments.pair(cup.id, 1, draft.sha256, DIRECTOR, draft.entry)
        w, b, *_ = draft.draft.boards[0]
        by_hand = c.ChangePairing(round=1, boards=(c.Pairing(b, w),), reason="request", text="They agreed.")
        await cup.do(by_hand)
        entry = (await cup.log()).entry
        await cup.tournaments.publish_round(cup.id, c.PublishRound(round=1), DIRECTOR, entry)
        await cup.results()
        await cup.closed()
        await published(cup, final=True)
        return cup

    cup = run(work())
    log = run(cup.log())
    members = members_of(file_of(cup, log))
    good = tmp_path / "good"
    good.write_bytes(file_of(cup, log))
    assert verify(good, [KEY]).ok

    def change(entries: list[Json]) -> None:
        of_kind(entries, "pairing_changed")[0]["boards"].pop()

    found = checked(forged(members, tmp_path / "file", change, log.id))
    assert "both sides" in found["pairings"]
    assert found[""]


def test_the_trf_has_a_cell_for_each_pair_and_a_stranger_reads_the_standings_from_it(
    log: TournamentLog, members: Members
) -> None:
    for one in log.state.publications:
        s = log.state_at(one.at_entry)
        text = exported(log, s, Wanted("trf"), {}, "").decode()
        cells = [
            (cell.kind, cell.opponent, cell.outcome) for line in crosstable(s).lines for cell in line.cells
        ]
        table = read(text.encode()).table
        assert [(it.kind, it.opponent, it.outcome) for line in table.lines for it in line.cells] == cells
        found = msgspec.json.decode(members[f"standings/at-{one.at_entry}.json"])
        names = [criterion["name"] for criterion in found["criteria"]]
        wanted = [names.index(name) for name in ("PTS", "BH/C1", "BH", "SB", "WIN")]
        ours = [
            (row["place"], row["number"], [row["values"][at] for at in wanted]) for row in found["places"]
        ]
        assert ours == oracle.standings(text)


def test_game_points_are_those_of_the_single_matches_and_their_addends_sum_to_them(
    log: TournamentLog,
) -> None:
    s = msgspec.structs.replace(
        log.state, terms=msgspec.structs.replace(log.state.terms, tie_breaks=("GP", "BH", "LOT"))
    )
    worth = {"1-0": (2, 0), "0-1": (0, 2), "½": (1, 1), "": (0, 0)}
    half = {one.id: 0 for one in s.numbered}
    for one in s.rounds:
        for board in one.boards:
            w, b = worth[board.result]
            half[board.w] += w
            half[board.b] += b
        for name in one.byes:
            half[name] += 4
    for place in standings_of(s).places:
        assert float(place.values[1] or "") == half[place.entrant] / 2
        gp = explained_of(s, place.entrant)[1]
        assert (gp.name, gp.total) == ("GP", gp.value)
        assert sum(float(addend.value) for addend in gp.addends) == half[place.entrant] / 2
