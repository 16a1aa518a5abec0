"""The tournament file: equal bytes, hostile archives, and every forgery named by question and place."""

from __future__ import annotations

import io
import socket
import struct
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from api.gate.tournament_measures import carry_out
from domain.clocks import DAY, Until
from domain.log import canonical
from domain.refusals import sentences
from domain.tournaments import commands as c
from domain.tournaments.history import TournamentLog
from replay.matchfile import BadFile
from replay.tournaments.file import MANIFEST, MOST_MEMBERS
from replay.tournaments.leaves import held_leaves
from replay.tournaments.published import published_hashes, sha256
from replay.tournaments.report import QUESTIONS, Report, lines
from replay.tournaments.results import standings_of
from replay.tournaments.verify import verify
from tests.api.gate.memory import MemoryStore
from tests.api.gate.tables import run
from tests.api.gate.tournaments import DIRECTOR, NOW, TERMS, Cup
from tests.replay.tournaments.bundles import KEYS, Json, Members, file_of, forged, members_of, packed, played

KEY = [KEYS.signing.verifying]
Change = Callable[[list[Json]], None]


@pytest.fixture(scope="module")
def cup(house: None) -> Cup:
    """A tournament of six entrants and three rounds that is over."""
    return run(played())


@pytest.fixture(scope="module")
def log(cup: Cup) -> TournamentLog:
    """Its log."""
    return run(cup.log())


@pytest.fixture(scope="module")
def members(cup: Cup, log: TournamentLog) -> Members:
    """The members of its file."""
    return members_of(file_of(cup, log))


def checked(path: Path, **also: Any) -> Report:
    """The report on a file, of which every sentence is written out, too."""
    report = verify(path, KEY, **also)
    assert lines(report)
    assert list(report.answers) == list(QUESTIONS)
    return report


def found(report: Report) -> dict[str, tuple[int | None, str]]:
    """What is wrong: the entry and the words, by question."""
    return {one.question: (one.entry, str(one.sentence)) for one in report.failures}


# ── equal bytes, and a verifier that needs nothing else (OA27) ──


def test_two_exports_are_equal_bytes_and_verify_offline_in_another_folder(
    cup: Cup, log: TournamentLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = file_of(cup, log)
    assert file_of(cup, run(cup.log())) == data

    def no_network(*args: object) -> None:
        raise AssertionError("the verifier opened a socket")

    monkeypatch.setattr(socket, "socket", no_network)
    monkeypatch.chdir(tmp_path)
    path = Path("cup.glasnost-tournament")
    path.write_bytes(data)
    report = checked(path)
    assert (report.ok, report.pinned, report.unchecked) == (True, True, {})
    assert (report.entries, report.rounds, report.matches) == (log.entry, 3, 9)
    assert set(report.answers.values()) == {"ok"}


def test_members_are_stored_sorted_and_as_listed(cup: Cup, log: TournamentLog) -> None:
    with zipfile.ZipFile(io.BytesIO(file_of(cup, log))) as archive:
        names = archive.namelist()
        kinds = {(info.compress_type, info.date_time) for info in archive.infolist()}
    assert names == sorted(names)
    assert kinds == {(zipfile.ZIP_STORED, (1980, 1, 1, 0, 0, 0))}
    boards = [board for one in log.state.rounds for board in one.boards]
    assert [name for name in names if name.startswith("matches/")] == [
        f"matches/r{number:02}-b{board:02}-{boards[3 * number + board - 4].match}.glasnost"
        for number in (1, 2, 3)
        for board in (1, 2, 3)
    ]


def test_a_file_at_any_entry_verifies_and_holds_no_salt_before_the_end(
    cup: Cup, log: TournamentLog, tmp_path: Path
) -> None:
    for at in (1, 9, log.entry // 2, log.entry - 1):
        data = file_of(cup, log, at)
        path = tmp_path / "at"
        path.write_bytes(data)
        report = checked(path)
        assert (report.failures, report.entries) == ((), at)
        assert b"The clock was wrong." not in data
        assert "private.ndjson" not in members_of(data)
    assert b"The clock was wrong." in file_of(cup, log)


def test_the_hashes_that_were_published_are_those_of_the_file(log: TournamentLog, members: Members) -> None:
    last = log.state.publications[-1]
    content = members[f"standings/at-{last.at_entry}.json"]
    before = log.state_at(last.at_entry)
    hashes = published_hashes(standings_of(before), before, log.roots[last.at_entry - 1])
    assert sha256(content) == last.standings_sha256 == hashes.standings
    assert last.bundle_sha256 == hashes.bundle


# ── flipped bytes (OA1) ──


def flipped(members: Members, path: Path, at: int, mask: int) -> Report:
    """The report on a file with one byte of its log changed, and a manifest that fits."""
    changed = bytearray(members["tournament.ndjson"])
    changed[at] ^= mask
    return verify(packed({**members, "tournament.ndjson": bytes(changed)}, path), KEY)


def test_a_flipped_byte_is_red_and_names_its_entry(members: Members, tmp_path: Path) -> None:
    data, random = members["tournament.ndjson"], Random(7)
    places = [random.randrange(len(data)) for _ in range(30)] + [0, len(data) - 2, len(data) - 1]
    for at in places:
        report = flipped(members, tmp_path / "flipped", at, random.choice((1, 0x20, 0x80)))
        assert found(report).get("log", (0, ""))[0] == data.count(b"\n", 0, at) + 1, at


@pytest.mark.long
def test_every_flipped_byte_of_a_short_log_is_red_and_names_its_entry(house: None, tmp_path: Path) -> None:
    cup = run(played(1, 2))
    members = members_of(file_of(cup, run(cup.log())))
    data = members["tournament.ndjson"]
    for at in range(len(data)):
        report = flipped(members, tmp_path / "flipped", at, 1 << at % 8)
        assert found(report).get("log", (0, ""))[0] == data.count(b"\n", 0, at) + 1, at


def test_a_flip_anywhere_in_the_file_is_never_green_and_never_raises(
    cup: Cup, log: TournamentLog, tmp_path: Path
) -> None:
    data, random, path = file_of(cup, log), Random(3), tmp_path / "flipped"
    for _ in range(20):
        changed = bytearray(data)
        changed[random.randrange(len(data))] ^= random.choice((1, 0x20, 0x80))
        path.write_bytes(changed)
        report = checked(path)
        assert not report.ok


# ── forgeries whose manifest fits (OA28) and whose log is signed (OA29) ──


def of_kind(entries: list[Json], kind: str, place: int = 0) -> Json:
    """The entry of this kind with this place among them."""
    return [entry for entry in entries if entry["kind"] == kind][place]


def test_a_flipped_result_is_red_and_names_board_and_match(members: Members, tmp_path: Path) -> None:
    rows = members["tournament.ndjson"].splitlines(keepends=True)
    at = next(number for number, row in enumerate(rows) if b'"kind":"result_recorded"' in row)
    entry = msgspec.json.decode(rows[at])
    given, other = ('"1-0"', '"0-1"') if entry["result"] == "1-0" else ('"0-1"', '"1-0"')
    rows[at] = rows[at].replace(given.encode(), other.encode())
    report = checked(packed({**members, "tournament.ndjson": b"".join(rows)}, tmp_path / "forged"))
    for question in ("log", "results"):
        number, said = found(report)[question]
        assert number == at + 1
        assert f"round {entry['round']}, board {entry['board']}, match {entry['match']}" in said


def test_another_valid_match_file_is_red(members: Members, tmp_path: Path) -> None:
    one, other = [name for name in members if name.startswith("matches/")][:2]
    report = checked(packed({**members, one: members[other]}, tmp_path / "forged"))
    assert "round 1, board 1" in found(report)["matches"][1]
    report = checked(
        packed({name: part for name, part in members.items() if name != one}, tmp_path / "forged")
    )
    assert "round 1, board 1" in found(report)["matches"][1]


def swap_pair(entries: list[Json]) -> None:
    boards = of_kind(entries, "paired", 1)["boards"]
    boards[0]["b"], boards[1]["b"] = boards[1]["b"], boards[0]["b"]


def swap_colours(entries: list[Json]) -> None:
    board = of_kind(entries, "paired")["boards"][0]
    board["w"], board["b"] = board["b"], board["w"]


def give_other_input(entries: list[Json]) -> None:
    entry = of_kind(entries, "paired", 2)
    entry["input"] = entry["input"].replace("152 ", "012 x\n152 ").replace(" 1.0 ", " 0.0 ")
    entry["input_sha256"] = sha256(entry["input"].encode())


def win(entries: list[Json]) -> None:
    entry = of_kind(entries, "result_recorded")
    entry["result"] = {"1-0": "0-1", "0-1": "1-0"}[entry["result"]]


def hurry(entries: list[Json]) -> None:
    of_kind(entries, "result_recorded")["end_turn"] += 1


def seed_by_the_house(entries: list[Json]) -> None:
    of_kind(entries, "result_recorded")["house_seeded"] = True


def win_twice(entries: list[Json]) -> None:
    entries.insert(-1, {**of_kind(entries, "result_recorded"), "entry": len(entries)})
    entries[-1]["entry"] = len(entries)


def move_root(entries: list[Json]) -> None:
    of_kind(entries, "result_recorded", 1)["closed_move"] += 1


def give_points(entries: list[Json]) -> None:
    of_kind(entries, "published")["standings_sha256"] = "0" * 64


def give_bundle(entries: list[Json]) -> None:
    of_kind(entries, "published", 1)["bundle_sha256"] = "0" * 64


def unrule(entries: list[Json]) -> None:
    of_kind(entries, "ruled")["result"] = "½"


def draw(entries: list[Json]) -> None:
    entry = of_kind(entries, "lot_drawn")
    entry["result"] = 1 - entry["result"]


def commit(entries: list[Json]) -> None:
    entries[0]["commitment"] = entries[0]["anchor"]


def enter_another(entries: list[Json]) -> None:
    of_kind(entries, "entered")["entrant"] = "n99"


def pair_stranger(entries: list[Json]) -> None:
    of_kind(entries, "paired", 1)["boards"][1]["b"] = "n99"


def free_stranger(entries: list[Json]) -> None:
    of_kind(entries, "paired", 1)["byes"] = {"n99": "pairing_bye"}


def call_as_stranger(entries: list[Json]) -> None:
    of_kind(entries, "arbiter_called")["entrant"] = "n99"


STRANGERS: tuple[tuple[Change, str, int], ...] = (
    (enter_another, "paired", 0),
    (pair_stranger, "paired", 1),
    (free_stranger, "paired", 1),
    (call_as_stranger, "arbiter_called", 0),
)
"""Changes that leave an entrant whom no entry enters, each with the entry that names it first: its kind, and
how many of that kind come before it."""


def confirm(entries: list[Json]) -> None:
    of_kind(entries, "result_recorded")["checked"] = {"log": "failed"}


def verify_later(entries: list[Json]) -> None:
    """`verify` could not be run at first; later it found everything in order."""
    of_kind(entries, "result_recorded").update(checked={"verify": "not run"}, not_run="TimeoutError")
    of_kind(entries, "confirmed")["checked"] = {"log": "ok"}


def fail_later(entries: list[Json]) -> None:
    verify_later(entries)
    of_kind(entries, "confirmed")["checked"] = {"log": "failed"}


@pytest.mark.parametrize(
    ("change", "question", "words"),
    [
        (swap_pair, "pairings", "round 2: board 1: the engine pairs"),
        (swap_colours, "pairings", "round 1: board 1: the engine pairs"),
        (give_other_input, "pairings", "round 3: "),
        (win, "results", "result is"),
        (hurry, "results", "end_turn is"),
        (seed_by_the_house, "results", "house_seeded is"),
        (win_twice, "results", "round 1, board 1"),
        (move_root, "results", "closed_move is"),
        (confirm, "results", "confirmed by verification"),
        (fail_later, "results", "confirmed by verification"),
        (give_points, "standings", "standings_sha256"),
        (give_bundle, "standings", "bundle_sha256"),
        (unrule, "standings", ""),
        (draw, "lots", "lot lot/colour"),
        (commit, "lots", "commitment"),
    ],
    ids=lambda value: getattr(value, "__name__", "") or None,
)
def test_a_forgery_under_a_signed_log_is_red_and_named(
    members: Members, log: TournamentLog, tmp_path: Path, change: Change, question: str, words: str
) -> None:
    report = checked(forged(members, tmp_path / "forged", change, log.id))
    assert question in found(report), found(report)
    assert words in found(report)[question][1]
    assert report.answers[question] == "wrong"


def test_what_was_verified_later_is_confirmed(members: Members, log: TournamentLog, tmp_path: Path) -> None:
    report = checked(forged(members, tmp_path / "later", verify_later, log.id))
    assert (report.answers["log"], report.answers["results"]) == ("ok", "ok"), found(report)


def test_a_round_robin_is_verified_by_its_tables(house: None, tmp_path: Path) -> None:
    cup = run(played(3, 4, "round_robin"))
    log = run(cup.log())
    path = tmp_path / "file"
    path.write_bytes(file_of(cup, log))
    assert set(checked(path).answers.values()) == {"ok"}
    report = checked(forged(members_of(path.read_bytes()), path, swap_colours, log.id))
    assert "round 1: board 1: the engine pairs" in found(report)["pairings"][1]


def test_forfeits_that_end_running_matches_verify(house: None, tmp_path: Path) -> None:
    async def work() -> tuple[Cup, TournamentLog]:
        cup = await Cup(MemoryStore()).announced(4)
        await cup.paired()
        await cup.sit((await cup.state()).rounds[0].boards[0].match)
        policies = [
            {"board": 1, "policy": "forfeit", "result": "+-"},
            {"board": 2, "policy": "forfeit", "result": "--"},
        ]
        boards = msgspec.convert(policies, tuple[c.BoardPolicy, ...])
        entry = (await cup.log()).entry
        await cup.tournaments.close_round(cup.id, c.CloseRound(round=1, boards=boards), DIRECTOR, entry)
        await cup.follower.tick(everything=True)
        return cup, await cup.log()

    cup, log = run(work())
    assert sum(record.kind == "ruled" for record in log.records) == 2
    path = tmp_path / "file"
    path.write_bytes(file_of(cup, log))
    report = checked(path)
    assert (report.failures, report.matches) == ((), 2)
    assert report.answers["pairings"] == "not checked"  # it was paired by an engine of the tests

    def move(entries: list[Json]) -> None:
        of_kind(entries, "ruled")["move"] += 1

    report = checked(forged(members_of(path.read_bytes()), path, move, log.id))
    assert "no ruling as its move" in found(report)["results"][1]


def test_adjourned_and_extended_boards_verify_and_one_changed_byte_of_them_is_named(
    house: None, tmp_path: Path
) -> None:
    async def work() -> tuple[Cup, TournamentLog]:
        cup = Cup(MemoryStore(), msgspec.structs.replace(TERMS, clock=(Until(NOW + DAY),)))
        await cup.announced(2)
        await cup.paired()
        match = (await cup.state()).rounds[0].boards[0].match
        await cup.sit(match)
        for order in (
            c.Extend(round=1, until=NOW + 2 * DAY, reason="a storm"),
            c.Adjourn(round=1, until=NOW + DAY, reason="a strike"),
        ):
            await carry_out(cup.tournaments, cup.id, order, DIRECTOR, (await cup.log()).entry)
        cup.now += DAY
        await cup.follower.tick(everything=True)
        await cup.results()
        return cup, await cup.log()

    cup, log = run(work())
    assert [one.kind for one in log.records[-5:-2]] == ["extended", "adjourned", "resumed"]
    path = tmp_path / "file"
    path.write_bytes(file_of(cup, log))
    report = checked(path)
    assert (report.failures, report.matches) == ((), 1)
    members = members_of(path.read_bytes())
    for kind in ("extended", "adjourned", "resumed"):
        entry = next(record.move for record in log.records if record.kind == kind)
        lines = members["tournament.ndjson"].splitlines(keepends=True)
        lines[entry - 1] = lines[entry - 1].replace(b'"round":1', b'"round":2')
        changed = packed({**members, "tournament.ndjson": b"".join(lines)}, path)
        assert found(checked(changed))["log"][0] is not None


@pytest.mark.parametrize(("change", "kind", "place"), STRANGERS)
def test_an_entrant_that_was_never_entered_is_red_and_named_with_the_entry(
    members: Members, log: TournamentLog, tmp_path: Path, change: Change, kind: str, place: int
) -> None:
    report = checked(forged(members, tmp_path / "forged", change, log.id))
    [number] = [record.move for record in log.records if record.kind == kind][place : place + 1]
    entry, words = found(report)["log"]
    assert entry == number
    assert "no entry before it enters n" in words
    assert not any("cannot be carried out" in said for _, said in found(report).values()), found(report)


def test_more_entrants_than_can_be_checked_are_refused(
    members: Members, log: TournamentLog, tmp_path: Path
) -> None:
    def crowd(entries: list[Json]) -> None:
        one = of_kind(entries, "entered")
        for number in range(20, 4_040):
            place = len(entries)
            entries.insert(
                place, {**one, "entry": place + 1, "entrant": f"n{number}", "player": f"x{number}"}
            )

    report = checked(forged(members, tmp_path / "forged", crowd, log.id))
    assert "not read further" in found(report)["log"][1]


@pytest.mark.parametrize("points", ["1e999999999", "9" * 5_000, "½", ""])
def test_points_of_any_form_are_no_bomb(
    members: Members, log: TournamentLog, tmp_path: Path, points: str
) -> None:
    name = f"standings/at-{log.state.publications[-1].at_entry}.json"
    table = msgspec.json.decode(members[name])
    table["places"][0]["values"][0] = points
    content = canonical(table)

    def publish(entries: list[Json]) -> None:
        of_kind(entries, "published", 1)["standings_sha256"] = sha256(content)

    report = checked(forged({**members, name: content}, tmp_path / "forged", publish, log.id))
    assert "cannot be read" in found(report)["standings"][1]


@pytest.mark.long
def test_a_tournament_of_448_matches_verifies_and_one_changed_result_is_named(
    house: None, tmp_path: Path
) -> None:
    cup = run(played(7, 128))
    log = run(cup.log())
    path = tmp_path / "large"
    path.write_bytes(file_of(cup, log))
    report = checked(path)
    assert (report.failures, report.matches, set(report.answers.values())) == ((), 448, {"ok"})
    report = checked(forged(members_of(path.read_bytes()), path, win, log.id))
    assert "result is" in found(report)["results"][1]


def test_a_dropped_entry_is_found_and_named(members: Members, tmp_path: Path) -> None:
    rows = members["tournament.ndjson"].splitlines(keepends=True)
    for dropped in (0, 7, len(rows) - 1):
        kept = b"".join(row for at, row in enumerate(rows) if at != dropped)
        report = checked(packed({**members, "tournament.ndjson": kept}, tmp_path / "forged"))
        assert found(report)["log"][0] == dropped + 1


def test_a_sealed_text_that_was_changed_does_not_open(members: Members, tmp_path: Path) -> None:
    changed = members["private.ndjson"].replace(b"The clock was wrong.", b"The clock was right.", 1)
    report = checked(packed({**members, "private.ndjson": changed}, tmp_path / "forged"))
    at = next(
        number
        for number, line in enumerate(members["private.ndjson"].splitlines(), 1)
        if b"clock was wrong" in line
    )
    assert found(report)["log"][0] == at


def test_a_key_that_did_not_sign_is_red(members: Members, tmp_path: Path) -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from domain.signed_notes import SigningKey

    other = SigningKey("other.example", Ed25519PrivateKey.from_private_bytes(b"o" * 32)).verifying
    report = verify(packed(members, tmp_path / "file"), [other])
    assert {"log", "matches"} <= found(report).keys()


@pytest.mark.parametrize("name", ["rounds/r01.json", "rounds/r02.trf", "keys.txt", "standings/at-36.json"])
def test_a_changed_or_missing_part_is_red(members: Members, tmp_path: Path, name: str) -> None:
    changed = {**members, name: members[name].replace(b"1", b"2", 1)}
    assert not checked(packed(changed, tmp_path / "file", hashed=name != "keys.txt")).ok
    del changed[name]
    assert checked(packed(changed, tmp_path / "file")).ok == name.startswith("standings/")


# ── the engine is missing (OA31) ──


def test_without_the_engine_pairings_are_not_checked(
    members: Members, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = packed(members, tmp_path / "file")
    report = checked(path, without=("pairings",))
    assert (report.ok, report.answers["pairings"], report.answers["standings"]) == (True, "not checked", "ok")
    monkeypatch.setitem(sys.modules, "gacrux", None)
    report = checked(path)
    assert report.ok
    assert report.answers | {"pairings": "", "standings": ""} == dict.fromkeys(QUESTIONS, "ok") | {
        "pairings": "",
        "standings": "",
    }
    assert report.answers["pairings"] == report.answers["standings"] == "not checked"
    assert any(line.startswith("pairings: not checked: ") for line in lines(report))


def test_without_the_engine_points_are_compared(
    members: Members, log: TournamentLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "gacrux", None)
    name = f"standings/at-{log.state.publications[-1].at_entry}.json"
    table = msgspec.json.decode(members[name])
    table["places"][0]["values"][0] = "9"
    content = canonical(table)

    def publish(entries: list[Json]) -> None:
        of_kind(entries, "published", 1)["standings_sha256"] = sha256(content)

    report = checked(forged({**members, name: content}, tmp_path / "forged", publish, log.id))
    assert "other points" in found(report)["standings"][1]


def test_another_version_of_the_engine_leaves_pairings_unchecked(
    members: Members, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gacrux.version.__version__", "0.0.1")
    report = checked(packed(members, tmp_path / "file"))
    assert (report.ok, report.answers["pairings"]) == (True, "not checked")


# ── hostile archives: refused by their end or their directory ──


def refused(path: Path) -> str:
    """Why a file is no tournament file."""
    report = checked(path)
    assert not report.ok
    assert report.entries == 0
    return str(report.failures[0].sentence)


def archive_of(*named: tuple[str, bytes], kind: int = zipfile.ZIP_STORED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", kind) as archive:
        for name, content in named:
            archive.writestr(zipfile.ZipInfo(name), content, kind)
    return out.getvalue()


def with_end(data: bytes, **fields: int) -> bytes:
    """The archive with other values in its last record."""
    end = dict(zip(("disk", "first", "here", "count", "size", "begin", "note"), _end(data), strict=True))
    return data[:-22] + struct.pack("<4s4H2LH", b"PK\x05\x06", *(end | fields).values())


def _end(data: bytes) -> tuple[int, ...]:
    return struct.unpack("<4s4H2LH", data[-22:])[1:]


HOSTILE = {
    "empty": b"",
    "text": b"a tournament, honestly\n" * 100,
    "bomb": archive_of(("tournament.ndjson", b"0" * 3_000_000), kind=zipfile.ZIP_DEFLATED),
    "above": archive_of(("../../etc/cron.d/x", b"x")),
    "absolute": archive_of(("/tournament.ndjson", b"x")),
    "in a folder": archive_of(("matches/../manifest.json", b"x")),
    "foreign": archive_of(("virus.exe", b"x")),
    "many": archive_of(*((f"rounds/r{number}.trf", b"") for number in range(MOST_MEMBERS + 1))),
    "comment": archive_of(("README.txt", b"x"))[:-2] + b"\x05\x00hello",
    "behind": archive_of(("README.txt", b"x")) + b"more",
    "before": b"more" + archive_of(("README.txt", b"x")),
    "count": with_end(archive_of(("README.txt", b"x")), here=60_000, count=60_000),
    "directory": with_end(archive_of(("README.txt", b"x")), size=2**32 - 1),
    "begin": with_end(archive_of(("README.txt", b"x")), begin=2**32 - 1),
    "only readme": archive_of(("README.txt", b"x")),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_archive_is_refused_before_it_is_unpacked(tmp_path: Path, name: str) -> None:
    path = tmp_path / "hostile"
    path.write_bytes(HOSTILE[name])
    assert refused(path).startswith("log: ")


def test_a_member_that_is_there_twice_is_refused(
    cup: Cup, log: TournamentLog, members: Members, tmp_path: Path
) -> None:
    path, data = tmp_path / "twice", file_of(cup, log)
    one, other = (name.encode() for name in members if name.startswith("standings/"))
    path.write_bytes(data.replace(other, one))
    assert "twice" in refused(path)
    path.write_bytes(data[:-1])
    assert "end" in refused(path)


def test_a_member_that_is_too_large_is_refused(members: Members, tmp_path: Path) -> None:
    path = packed({**members, "keys.txt": b"x" * 65_537}, tmp_path / "large")
    assert "keys.txt" in refused(path)


def test_bytes_between_the_members_and_the_directory_are_refused(
    cup: Cup, log: TournamentLog, tmp_path: Path
) -> None:
    data, path = file_of(cup, log), tmp_path / "hidden"
    directory = _end(data)[5]
    path.write_bytes(with_end(data[:directory] + b"more" + data[directory:], begin=directory + 4))
    assert "something stands after it" in refused(path)


def test_members_that_overlap_are_refused(cup: Cup, log: TournamentLog, tmp_path: Path) -> None:
    data = bytearray(file_of(cup, log))
    directory = _end(bytes(data))[5]
    second = data.index(b"PK\x01\x02", directory + 4)
    data[second + 42 : second + 46] = data[directory + 42 : directory + 46]
    path = tmp_path / "overlap"
    path.write_bytes(data)
    assert "packed again" in refused(path)


@pytest.mark.parametrize(
    ("manifest", "words"),
    [
        (b"{}", "manifest"),
        (b"[" * 100_000, "manifest"),
        (b"\xff", "manifest"),
        (b'{"format":"glasnost match","version":1}', "manifest"),
        (b'{"format":"glasnost tournament","version":2}', "newer"),
    ],
)
def test_a_manifest_of_another_kind_is_refused(
    members: Members, tmp_path: Path, manifest: bytes, words: str
) -> None:
    path = packed({**members, MANIFEST: manifest}, tmp_path / "other", hashed=False)
    assert words in refused(path)


@pytest.mark.parametrize(
    "content",
    [b"", b"\n", b"{}\n", b"null\n" * 1000, b"[" * 60_000 + b"\n", b"\xff\xfe\n", b'{"kind":"x"}\n'],
)
def test_a_log_of_foreign_bytes_is_refused(members: Members, tmp_path: Path, content: bytes) -> None:
    for name in ("tournament.ndjson", "private.ndjson", "checkpoint.txt"):
        assert not checked(packed({**members, name: content}, tmp_path / "other")).ok


def test_every_finding_has_its_words_in_both_languages() -> None:
    for language in ("en", "ru"):
        assert {f"check-{one}" for one in QUESTIONS} <= sentences(language).keys()


# ── a file that was kept ──


def test_a_log_that_goes_on_after_a_kept_file_is_well_and_one_that_does_not_is_forked(
    cup: Cup, log: TournamentLog, members: Members, tmp_path: Path
) -> None:
    # given the file of a moment, which a player kept, and the whole one
    kept, whole, other = (tmp_path / name for name in ("kept", "whole", "other"))
    kept.write_bytes(file_of(cup, log, 9))
    whole.write_bytes(file_of(cup, log))

    # then the whole one goes on after it, and an earlier one has fewer entries
    assert str(checked(whole, held=held_leaves(kept)).notes[0]).startswith("the first 9 entries are those")
    before = checked(kept, held=held_leaves(whole))
    assert (before.ok, str(before.notes[0]).endswith(f"and {log.entry - 9} more")) == (True, True)

    # when another past is signed from entry 7 on, then it says so
    def change(entries: list[Json]) -> None:
        entries[6]["at"] += 1

    forged(members, other, change, log.id)
    number, said = found(checked(other, held=held_leaves(kept)))["log"]
    assert number == 7
    assert "forked at entry 7" in said
    assert "forked at entry 7" in found(checked(whole, held=held_leaves(other)))["log"][1]


def test_what_was_kept_of_another_tournament_or_is_damaged_is_named(
    cup: Cup, log: TournamentLog, members: Members, tmp_path: Path
) -> None:
    whole, other = tmp_path / "whole", tmp_path / "other"
    whole.write_bytes(file_of(cup, log))

    def rename(entries: list[Json]) -> None:
        entries[0]["tournament"] = "tother"

    forged(members, other, rename, "tother")
    assert "tother" in found(checked(whole, held=held_leaves(other)))["log"][1]
    for changed in (
        members["tournament.ndjson"].replace(b"resignation", b"resignatiom", 1),
        members["tournament.ndjson"].replace(b"resignation", b"resignatiom"),
        members["tournament.ndjson"].rpartition(b"\n{")[0] + b"\n",
    ):
        packed({**members, "tournament.ndjson": changed}, other)
        with pytest.raises(BadFile):
            held_leaves(other)


def test_a_contest_from_which_no_entrant_goes_on_is_no_stranger(house: None, tmp_path: Path) -> None:
    async def work() -> bytes:
        # given: both entrants of a contest of the second round withdraw before it
        cup = Cup(MemoryStore(), msgspec.structs.replace(TERMS, format="knockout", rounds=12))
        await cup.announced(16)
        await cup.paired()
        await cup.results()
        await cup.closed()
        bracket = (await cup.state()).bracket
        assert bracket is not None
        for entrant in (bracket.current[0].better, bracket.current[0].worse):
            await cup.do(c.Withdraw(entrant=entrant))
        # when: the round after it is paired
        await cup.paired()
        await cup.results()
        await cup.closed()
        await cup.paired()
        return file_of(cup, await cup.log())

    data = run(work())
    assert b'"entrant":"","entry"' in data
    (tmp_path / "cup").write_bytes(data)
    assert found(checked(tmp_path / "cup")) == {}
