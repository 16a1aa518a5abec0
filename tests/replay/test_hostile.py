"""Hostile match files: nothing escapes from `verify`, and every refusal names the part and the reason."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path
from random import Random

import pytest

from domain.game import Game
from domain.log import HOUSE, Damaged, b64, seal
from replay import archive, matchfile
from replay.matchfile import CHECKPOINTS, LOG, MANIFEST, PRIVATE, README, BadFile
from replay.report import line
from replay.sanitize import one_line
from replay.verify import verify
from tests.matches import finished
from tests.replay.files import (
    KEY,
    file_of,
    parts_in,
    rechained,
    resigned,
    rewritten,
    with_everything,
    with_part,
)

DEEP = b"[" * 1_000_000
HUGE = b"1" * 1_000


@pytest.fixture
def sound(toy_game: Game) -> bytes:
    return file_of(finished(toy_game).match)


def refused(data: bytes, *words: str) -> None:
    with pytest.raises(BadFile) as refusal:
        matchfile.read(data)
    for word in words:
        assert word in str(refusal.value)
    report = verify(data)
    assert not report.ok
    assert report.reason == str(refusal.value)


def zipped(members: list[tuple[str, bytes]], method: int = zipfile.ZIP_STORED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as target:
        for name, content in members:
            target.writestr(name, content)
    return buffer.getvalue()


# ── the archive ──


@pytest.mark.parametrize("data", [b"", b"not a zip", b"PK\x03\x04" + bytes(100), b"PK\x05\x06" + bytes(18)])
def test_what_is_no_archive_is_refused(data: bytes) -> None:
    assert not verify(data).ok
    with pytest.raises(BadFile):
        matchfile.read(data)


def test_a_file_cut_off_anywhere_is_refused(sound: bytes) -> None:
    for size in range(0, len(sound), 97):
        refused(sound[:size], "archive", "get the file once more")


def test_a_repacked_file_is_reported_not_refused(sound: bytes) -> None:
    report = verify(zipped(list(parts_in(sound).items()), zipfile.ZIP_DEFLATED))
    assert report.ok
    assert report.notes[-1] == "the archive was repacked; every part is intact"


def test_another_readme_is_reported_not_refused(sound: bytes) -> None:
    report = verify(with_part(sound, README, b"Read somebody else."))
    assert report.ok
    assert report.notes[-1].startswith("README.txt is not the one")
    without = {name: part for name, part in parts_in(sound).items() if name != README}
    assert verify(archive.pack(without)).ok


@pytest.mark.parametrize("name", ["../log.ndjson", "/etc/passwd", "extra.json", "LOG.NDJSON", "log.ndjson/"])
def test_a_member_that_does_not_belong_is_refused(sound: bytes, name: str) -> None:
    refused(zipped([*parts_in(sound).items(), (name, b"")]), name, "does not belong")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_that_comes_twice_is_refused(sound: bytes) -> None:
    refused(zipped([*parts_in(sound).items(), (LOG, b"")]), LOG, "twice")


@pytest.mark.parametrize("part", [MANIFEST, LOG, CHECKPOINTS])
def test_a_missing_member_is_refused(sound: bytes, part: str) -> None:
    refused(archive.pack({n: p for n, p in parts_in(sound).items() if n != part}), part, "missing")


def test_an_encrypted_member_is_refused(sound: bytes) -> None:
    central = sound.index(b"PK\x01\x02")
    data = bytearray(sound)
    data[central + 8] |= 1
    refused(bytes(data), MANIFEST, "encrypted")


def test_an_unknown_compression_is_refused(sound: bytes) -> None:
    members = list(parts_in(sound).items())
    refused(zipped(members, zipfile.ZIP_BZIP2), MANIFEST, "method (12)")


def test_a_bomb_is_not_unpacked(sound: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matchfile, "MOST_BYTES", 100_000)
    members = {**parts_in(sound), LOG: bytes(10_000_000)}
    data = zipped(list(members.items()), zipfile.ZIP_DEFLATED)
    assert len(data) < 100_000
    refused(data, LOG, "larger than the 100000 bytes")


def test_a_bomb_that_lies_about_its_size_is_not_unpacked() -> None:
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    bomb = deflate.compress(bytes(10_000_000)) + deflate.flush()
    data = bytearray(zipped([(LOG, bomb)]))
    for header, method, size in ((b"PK\x03\x04", 8, 22), (b"PK\x01\x02", 10, 24)):
        start = data.index(header)
        data[start + method] = 8
        data[start + size : start + size + 4] = (10).to_bytes(4, "little")
    with pytest.raises(Damaged, match="larger than the 10 bytes that the archive says"):
        archive.unpack(bytes(data), [LOG], 50_000, 50_000)


def test_a_directory_of_thousands_is_not_read() -> None:
    with pytest.raises(Damaged, match="far too many"):
        archive.unpack(b"PK\x01\x02" * 10_000, [LOG], 100, 100)


def test_a_huge_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "huge.glasnost"
    path.write_bytes(bytes(1_000))
    monkeypatch.setattr(matchfile, "MOST_BYTES", 100)
    with pytest.raises(BadFile, match="archive: larger than the 600 bytes"):
        matchfile.read(path)
    assert not verify(path).ok


# ── the manifest ──


def test_a_newer_format_is_refused_clearly(sound: bytes) -> None:
    manifest = parts_in(sound)[MANIFEST].replace(b'"version":1', b'"version":2')
    refused(with_part(sound, MANIFEST, manifest), MANIFEST, "format version 2", "install a newer")


@pytest.mark.parametrize("manifest", [b"", b"{}", b"[]", DEEP, b"\xff", b'{"format":"zip","version":1}'])
def test_a_manifest_that_is_none_is_refused(sound: bytes, manifest: bytes) -> None:
    refused(with_part(sound, MANIFEST, manifest), MANIFEST)


def test_a_billion_moves_in_the_manifest_are_not_believed(sound: bytes) -> None:
    manifest = parts_in(sound)[MANIFEST].replace(b'"moves":', b'"moves":1000000000')
    report = verify(with_part(sound, MANIFEST, manifest))
    assert (report.ok, report.check) == (False, "log")
    assert MANIFEST in report.reason


# ── the log and the private parts ──


@pytest.mark.parametrize("line", [DEEP, b"", b"\xff\xfe", b"null", b"{}", b'{"move":' + HUGE + b"}", b"1.5"])
@pytest.mark.parametrize("part", [LOG, PRIVATE])
@pytest.mark.parametrize("move", [1, 4])
def test_a_line_of_anything_is_named(sound: bytes, part: str, line: bytes, move: int) -> None:
    lines = parts_in(sound)[part].split(b"\n")
    lines[move - 1] = line
    report = verify(with_part(sound, part, b"\n".join(lines)))
    assert (report.ok, report.move) == (False, move)
    assert report.reason


def test_millions_of_empty_lines_are_not_split(sound: bytes) -> None:
    report = verify(with_part(sound, LOG, b"\n" * 2_000_000))
    assert report.reason == "log.ndjson: 2000000 lines; at most 100000 are read"


@pytest.mark.parametrize(
    ("old", "new", "check"),
    [
        (b'"counter":', b'"counter":1', "chance"),
        (b'"n":6', b'"n":600000000000000', "chance"),
        (b'"period":1', b'"period":1000000000', "chance"),
        (b'"result":', b'"result":9000000', "chance"),
        (b'"die":', b'"die":1', "rules"),
        (b'"now":', b'"now":1', "rules"),
        (b'"seat":"left"', b'"seat":"chance"', "fold"),
        (b'"ask":"Turn"', b'"ask":"Quit"', "fold"),
        (b'"seats":{"left":', b'"seats":{"nobody":', "fold"),
    ],
)
def test_forged_values_fail_their_question(toy_game: Game, old: bytes, new: bytes, check: str) -> None:
    match = finished(toy_game, 1).match
    move = next((r.move for r in match.records if b'"draws"' in r.leaf and old in r.leaf), 0)
    move = move or next(r.move for r in match.records if old in r.leaf and r.move > 3)
    report = verify(rewritten(match, move, old, new))
    assert check in {failure.check for failure in report.failures}
    assert report.move in (move, move + 1)


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("taken_back", b'"to":', b'"to":1000000000'),
        ("taken_back", b'"to":', b'"to":-1'),
        ("takeback_asked", b'"to":', b'"to":1000000000'),
        ("takeback_answered", b'"request":', b'"request":1000000000'),
        ("ruled", b'"back_to":', b'"back_to":1000000000'),
        ("seated", b'"seat":"left"', b'"seat":"\xd0\x81"'),
        ("secret_opened", b'"secret":"', b'"secret":"AAAA'),
    ],
)
def test_forged_moves_are_named(toy_game: Game, kind: str, old: bytes, new: bytes) -> None:
    match = with_everything(toy_game)
    move = next(r.move for r in match.records if f'"kind":"{kind}"'.encode() in r.leaf and old in r.leaf)
    report = verify(rewritten(match, move, old, new))
    assert not report.ok
    assert report.move in (move, move + 1)


@pytest.mark.parametrize(
    ("part", "check"),
    [
        (b'{"agenda":{"keep":1000000000,"then":[]}}', "fold"),
        (b'{"agenda":{"keep":0,"then":[{"do":"Nothing"}]}}', "fold"),
        (b'{"agenda":{"keep":0,"then":[]},"facts":[[1000000000,{"fact":"Waved","seat":"left"}]]}', "fold"),
        (b'{"agenda":{"keep":0,"then":[]},"facts":[[-1,{"fact":"Waved","seat":"left"}]]}', "fold"),
        (b'{"agenda":{"keep":0,"then":[]}}', "rules"),
        (b'{"facts":[[0]]}', "chance"),
        (b"[" * 100_000 + b"]" * 100_000, "chance"),
    ],
)
def test_forged_private_parts_are_named(toy_game: Game, part: bytes, check: str) -> None:
    sitting = finished(toy_game)
    match, record = sitting.match, sitting.match.records[4]
    parts = parts_in(file_of(match))
    lines, leaves = parts[PRIVATE].splitlines(keepends=True), parts[LOG].splitlines()
    lines[4] = lines[4].replace(record.sealed[HOUSE], part)
    commitment = b64(seal(sitting.secret.salt(5, HOUSE), part)).encode()
    leaves[4] = leaves[4].replace(record.entry.sealed[HOUSE].encode(), commitment)
    forged = resigned({**parts, PRIVATE: b"".join(lines)}, rechained(leaves), match.id, KEY)
    report = verify(forged)
    assert (report.check, report.move) == (check, 5)


def test_a_private_part_in_another_spelling_is_damage_even_if_it_is_sealed_so(toy_game: Game) -> None:
    sitting = finished(toy_game)
    match, record = sitting.match, sitting.match.records[4]
    part = record.sealed[HOUSE].replace(b'{"agenda"', b'{ "agenda"', 1)
    parts = parts_in(file_of(match))
    lines, leaves = parts[PRIVATE].splitlines(keepends=True), parts[LOG].splitlines()
    lines[4] = lines[4].replace(record.sealed[HOUSE], part)
    commitment = b64(seal(sitting.secret.salt(5, HOUSE), part)).encode()
    leaves[4] = leaves[4].replace(record.entry.sealed[HOUSE].encode(), commitment)
    forged = resigned({**parts, PRIVATE: b"".join(lines)}, rechained(leaves), match.id, KEY)
    report = verify(forged)
    assert (report.check, report.move) == ("chance", 5)
    assert "not in canonical form" in report.reason


def test_random_damage_never_escapes(sound: bytes) -> None:
    rng = Random(1)
    for _ in range(300):
        data = bytearray(sound)
        for _ in range(rng.randrange(1, 6)):
            start, size = rng.randrange(len(data)), rng.randrange(0, 40)
            data[start : start + size] = rng.randbytes(rng.randrange(0, 40))
        report = verify(bytes(data))
        assert not report.ok or "intact" in report.notes[-1]


def test_what_a_file_says_commands_no_terminal(sound: bytes) -> None:
    title = "\x1b]0;mine\x07[/b] :dagger:\n\u202e"
    shown = one_line(title)
    assert shown == "\ufffd]0;mine\ufffd[/b] :dagger:\ufffd\ufffd"
    assert one_line("Мятеж — “Foxtrot”\u00a0№ 1") == "Мятеж — “Foxtrot”\u00a0№ 1"
    report = verify(with_part(sound, MANIFEST, parts_in(sound)[MANIFEST].replace(b'"game":', b'"\x7fgame":')))
    assert not report.ok
    assert line(report).isprintable()
