"""The match file as it is written and read: reproducible, complete, byte for byte."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path

import pytest

from domain.game import Game
from domain.games import GAMES
from domain.log import Damaged
from replay import matchfile
from replay.matchfile import CHECKPOINTS, LOG, MANIFEST, MEMBERS, PRIVATE, README, BadFile
from replay.transparency import evidence
from tests.matches import Sitting, finished
from tests.replay.files import file_of, note_of, parts_in, with_part


@pytest.mark.parametrize("name", GAMES)
def test_exporting_twice_gives_identical_bytes(name: str) -> None:
    one, two = finished(GAMES[name], 5).match, finished(GAMES[name], 5).match
    assert file_of(one) == file_of(two)
    read = matchfile.read(file_of(one))
    assert matchfile.write(read.records(), read.note) == file_of(one)


def test_members_dates_and_permissions_are_fixed(toy_game: Game) -> None:
    with zipfile.ZipFile(io.BytesIO(file_of(finished(toy_game).match))) as zipped:
        found = zipped.infolist()
    assert [info.filename for info in found] == [name for name in MEMBERS if name != evidence.MEMBER]
    for info in found:
        assert (info.date_time, info.compress_type) == ((1980, 1, 1, 0, 0, 0), zipfile.ZIP_STORED)
        assert (info.external_attr >> 16, info.create_system, info.extra) == (0o100644, 3, b"")


def test_the_log_holds_the_leaf_bytes_one_per_line(toy_game: Game) -> None:
    match = finished(toy_game).match
    parts = parts_in(file_of(match))
    assert parts[LOG] == b"".join(record.leaf + b"\n" for record in match.records)
    assert parts[CHECKPOINTS].decode() == note_of(match.records)


def test_private_lines_hold_the_stored_parts_and_the_salts(toy_game: Game) -> None:
    sitting = finished(toy_game)
    read = matchfile.read(file_of(sitting.match)).private
    assert read is not None
    for record, line in zip(sitting.match.records, read, strict=True):
        assert list(matchfile.parts_of(line, toy_game).items()) == list(record.sealed.items())
        assert line.salts.keys() == record.sealed.keys()


def test_a_running_match_comes_without_private_parts(toy_game: Game) -> None:
    sitting = Sitting(toy_game).seat_all().play_on(3)
    data = file_of(sitting.match)
    assert PRIVATE not in parts_in(data)
    hands = sitting.match.live.hands
    match = matchfile.read(data).match()
    assert match.table_at(match.move, None) == match.positions[-1].table
    assert match.table_at(match.move, None).hands != hands


def test_the_manifest_says_what_the_parts_are(toy_game: Game) -> None:
    match = finished(toy_game).match
    parts = parts_in(file_of(match))
    manifest = json.loads(parts[MANIFEST])
    assert list(manifest) == sorted(manifest)
    assert manifest["format"] == "glasnost match"
    assert (manifest["match"], manifest["game"], manifest["moves"]) == (match.id, "toy", match.move)
    assert (manifest["rules"], manifest["product"]) == (match.rules, match.product)
    assert manifest["parts"] == {
        name: hashlib.sha256(parts[name]).hexdigest() for name in (LOG, PRIVATE, CHECKPOINTS)
    }
    assert b"glasnost verify FILE" in parts[README]


def test_a_file_folds_to_the_same_match(toy_game: Game, tmp_path: Path) -> None:
    match = finished(toy_game).match
    path = tmp_path / "match.glasnost"
    path.write_bytes(file_of(match))
    again = matchfile.read(path).match()
    assert (again.result, again.roots) == (match.result, match.roots)
    assert [record.stored for record in again.records] == [record.stored for record in match.records]


def test_a_checkpoint_over_other_moves_is_not_written(toy_game: Game) -> None:
    match = finished(toy_game).match
    with pytest.raises(Damaged, match="covers 21 moves, not just these"):
        matchfile.write(match.records, note_of(match.records[:21]))
    with pytest.raises(Damaged, match="not a signed note"):
        matchfile.write(match.records, "")
    with pytest.raises(Damaged, match="at least one move"):
        matchfile.write([], "")


def test_reading_names_part_and_line(toy_game: Game) -> None:
    data = file_of(finished(toy_game).match)
    lines = parts_in(data)[LOG].split(b"\n")
    lines[3] = b"{}"
    with pytest.raises(BadFile, match=r"log\.ndjson, line 4: ") as refusal:
        matchfile.read(with_part(data, LOG, b"\n".join(lines))).match()
    assert (refusal.value.part, refusal.value.move) == (LOG, 4)


def test_a_match_of_an_unknown_game_is_refused_clearly(
    toy_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = file_of(finished(toy_game).match)
    monkeypatch.delitem(GAMES, "toy")
    with pytest.raises(BadFile, match="unknown game 'toy'; this version knows: thirteen_minutes, cia_vs_kgb"):
        matchfile.read(data).match()


def test_a_log_that_cannot_be_folded_is_refused(toy_game: Game) -> None:
    match = finished(toy_game).match
    data = file_of(match)
    log = parts_in(data)[LOG].replace(b'"seat":"left"', b'"seat":"?"')
    with pytest.raises(BadFile, match="cannot be folded"):
        matchfile.read(with_part(data, LOG, log)).match()
