"""Whatever is changed in a match file, `verify` finds it, and names the first bad move or the part."""

from __future__ import annotations

import re
from collections.abc import Iterable
from random import Random

import pytest

from domain.game import Game
from domain.games import GAMES
from domain.log import HOUSE
from domain.match import Match
from replay import archive, matchfile
from replay.matchfile import CHECKPOINTS, LOG, MANIFEST, PRIVATE, BadFile
from replay.report import Report
from replay.verify import verify
from tests.matches import finished
from tests.replay.files import (
    PINNED,
    STRANGER,
    file_of,
    parts_in,
    resigned,
    rewritten,
    short_match,
    with_everything,
    with_part,
)

PARTS = (LOG, PRIVATE, CHECKPOINTS, MANIFEST)


def flipped(content: bytes, place: int, mask: int) -> bytes:
    return content[:place] + bytes([content[place] ^ mask]) + content[place + 1 :]


def must_be_found(data: bytes, part: str, places: Iterable[int], masks: Iterable[int]) -> None:
    content = parts_in(data)[part]
    for place in places:
        for mask in masks:
            report = verify(with_part(data, part, flipped(content, place, mask)))
            where = f"{part}, byte {place} ^ {mask}: {report}"
            assert not report.ok, where
            if part in (LOG, PRIVATE):
                assert report.move == content[:place].count(b"\n") + 1, where
            else:
                assert part in report.reason, where


@pytest.mark.parametrize("part", PARTS)
def test_every_flipped_byte_of_a_five_move_file_is_found(toy_game: Game, part: str) -> None:
    data = file_of(short_match(toy_game))
    places = range(len(parts_in(data)[part]))
    for mask in (1, 0x20, 0x80):
        must_be_found(data, part, places[mask % 3 :: 3], [mask])


@pytest.mark.long
@pytest.mark.parametrize("part", PARTS)
def test_every_flipped_bit_of_a_five_move_file_is_found(toy_game: Game, part: str) -> None:
    data = file_of(short_match(toy_game))
    must_be_found(data, part, range(len(parts_in(data)[part])), [1 << bit for bit in range(8)])


@pytest.mark.parametrize("number", [12, pytest.param(100, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("part", PARTS)
def test_flipped_bytes_of_a_whole_match_are_found(name: str, part: str, number: int) -> None:
    data = file_of(finished(GAMES[name], 6).match)
    places = Random(part).sample(range(len(parts_in(data)[part])), number)
    must_be_found(data, part, places, [1])


@pytest.mark.parametrize("number", [12, pytest.param(40, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("part", [LOG, PRIVATE])
def test_a_text_that_is_no_utf8_any_more_names_its_move(name: str, part: str, number: int) -> None:
    data = file_of(finished(GAMES[name], 6).match)
    content = parts_in(data)[part]
    texts = [found.start(1) for found in re.finditer(rb'":"([a-z])', content)]
    must_be_found(data, part, Random(part).sample(texts, number), [0x80])
    broken = with_part(data, part, flipped(content, texts[-1], 0x80))
    with pytest.raises(BadFile, match=f"{part}, line"):
        matchfile.read(broken).match()


@pytest.mark.parametrize("step", [13, pytest.param(3, marks=pytest.mark.long)])
def test_a_flipped_byte_of_the_whole_archive_is_found_or_reported(toy_game: Game, step: int) -> None:
    data = file_of(short_match(toy_game))
    for place in range(0, len(data), step):
        report = verify(flipped(data, place, 1), PINNED)
        assert not report.ok or "intact" in report.notes[-1], (place, report)


def damaged(part: str, old: bytes, new: bytes, match: Match) -> Report:
    data = file_of(match)
    content = parts_in(data)[part]
    assert old in content
    return verify(with_part(data, part, content.replace(old, new, 1)), PINNED)


def test_another_spelling_of_the_same_is_damage(toy_game: Game) -> None:
    match = finished(toy_game).match
    digest = matchfile.read(file_of(match)).manifest.parts[LOG].encode()
    upper = damaged(MANIFEST, digest, digest.upper(), match)
    blank = damaged(LOG, b'"move":3', b'"move": 3', match)
    order = damaged(PRIVATE, b'"parts":{"house":', b'"parts":{"left":{},"house":', match)
    escape = damaged(LOG, b'"kind":"played"', rb'"kind":"pl\u0061yed"', match)
    bits = damaged(PRIVATE, b'="', b'f"', match)
    assert not any(report.ok for report in (upper, blank, order, escape, bits))
    assert LOG in upper.reason
    assert (blank.move, order.move, bits.move) == (3, 1, 1)


@pytest.mark.parametrize("part", [LOG, PRIVATE, CHECKPOINTS, MANIFEST])
def test_a_missing_last_newline_is_damage(toy_game: Game, part: str) -> None:
    match = finished(toy_game).match
    data = file_of(match)
    report = verify(with_part(data, part, parts_in(data)[part][:-1]), PINNED)
    assert not report.ok
    assert part in report.reason
    assert report.move == (match.move if part in (LOG, PRIVATE) else None)


def test_spare_bits_of_a_seal_are_damage(toy_game: Game) -> None:
    match = finished(toy_game).match
    leaf = match.records[4].leaf
    seal = match.records[4].entry.sealed[HOUSE].encode()
    last = bytes([seal[-2] + 1]) if seal[-2:-1] not in b"Zz9" else b"/"
    spoilt = seal[:-2] + last + b"="
    data = file_of(match)
    log = parts_in(data)[LOG].replace(leaf, leaf.replace(seal, spoilt))
    assert verify(with_part(data, LOG, log)).move == 5


# ── forgeries that fit together ──


def test_a_changed_die_under_recomputed_roots_needs_the_signature_too(toy_game: Game) -> None:
    match = finished(toy_game).match
    record = next(record for record in match.records if getattr(record.entry, "draws", ()))
    draw = record.entry.draws[0]
    other = (draw.result + 1) % draw.n
    old, new = f'"result":{draw.result}'.encode(), f'"result":{other}'.encode()
    for key, keys in ((STRANGER, PINNED), (STRANGER, ())):
        report = verify(rewritten(match, record.move, old, new, key), keys)
        failed = {failure.check: failure.move for failure in report.failures}
        assert failed["chance"] == record.move
        assert ("log" in failed) == bool(keys)


def test_a_changed_die_of_a_finished_period_is_found_while_the_match_runs(toy_game: Game) -> None:
    match = finished(toy_game).match
    ended = next(record.move for record in match.records if getattr(record.entry, "keys", ()))
    running = Match.project(None, match.records[: ended + 1])
    assert running is not None
    assert running.status == "running"
    die = next(record for record in running.records if getattr(record.entry, "draws", ()))
    result = die.entry.draws[0].result
    old, new = f'"result":{result}'.encode(), f'"result":{(result + 1) % 6}'.encode()
    report = verify(rewritten(running, die.move, old, new))
    assert (report.check, report.move) == ("chance", die.move)
    assert "the scheme draws" in report.reason


def test_a_changed_result_is_found(toy_game: Game) -> None:
    match = finished(toy_game).match
    assert match.result is not None
    winner, loser = match.result.winner, {"left": "right", "right": "left"}[match.result.winner or "left"]
    old, new = f'"winner":"{winner}"'.encode(), f'"winner":"{loser}"'.encode()
    report = verify(rewritten(match, match.move, old, new))
    assert (report.check, report.move) == ("fold", match.move)
    assert "but the facts give" in report.reason


def test_a_changed_public_fact_is_found(toy_game: Game) -> None:
    match = finished(toy_game).match
    opened = next(r for r in match.records if any(type(f).__name__ == "BidsOpened" for f in r.facts))
    report = verify(rewritten(match, opened.move, b'"bids":{"left":', b'"bids":{"left":1'))
    assert (report.check, report.move) == ("rules", opened.move)


def test_swapped_moves_are_found(toy_game: Game) -> None:
    data = file_of(finished(toy_game).match)
    lines = parts_in(data)[LOG].splitlines(keepends=True)
    lines[4], lines[5] = lines[5], lines[4]
    report = verify(with_part(data, LOG, b"".join(lines)), PINNED)
    assert (report.check, report.move) == ("log", 5)
    assert "says that it is move 6" in report.reason


def test_a_removed_last_move_is_found(toy_game: Game) -> None:
    match = finished(toy_game).match
    data = file_of(match)
    lines = parts_in(data)[LOG].splitlines(keepends=True)
    report = verify(with_part(data, LOG, b"".join(lines[:-1])), PINNED)
    assert (report.check, report.move) == ("log", match.move)
    assert report.reason.startswith("missing")


def test_a_log_cut_off_with_a_fitting_manifest_is_not_the_signed_one(toy_game: Game) -> None:
    match = finished(toy_game).match
    parts = parts_in(file_of(match))
    leaves = parts.pop(LOG).splitlines()
    del parts[PRIVATE]
    checkpoint = parts[CHECKPOINTS]
    cut = parts_in(resigned(parts | {LOG: b""}, leaves[:6], match.id, STRANGER))
    report = verify(archive.pack({**cut, CHECKPOINTS: checkpoint}), PINNED)
    assert (report.ok, report.check) == (False, "log")
    assert "its root is not that of this log" in report.reason


def test_an_added_move_after_the_end_is_found(toy_game: Game) -> None:
    match = finished(toy_game).match
    data = file_of(match)
    parts = parts_in(data)
    last = parts[LOG].splitlines(keepends=True)[-1]
    again = last.replace(f'"move":{match.move}'.encode(), f'"move":{match.move + 1}'.encode())
    report = verify(with_part(data, LOG, parts[LOG] + again), PINNED)
    assert (report.check, report.move) == ("log", match.move + 1)


def test_parts_of_another_match_do_not_fit(toy_game: Game) -> None:
    one, other = finished(toy_game, 1), finished(toy_game, 2)
    data = file_of(one.match)
    report = verify(with_part(data, PRIVATE, parts_in(file_of(other.match))[PRIVATE]), PINNED)
    assert (report.check, report.move) == ("chance", 1)
    report = verify(with_part(data, CHECKPOINTS, parts_in(file_of(other.match))[CHECKPOINTS]), PINNED)
    assert (report.check, report.move) == ("log", None)


def test_hidden_parts_of_a_match_that_is_over_must_be_there(toy_game: Game) -> None:
    parts = parts_in(file_of(finished(toy_game).match))
    del parts[PRIVATE]
    report = verify(archive.pack(parts), PINNED)
    assert report.reason == "private.ndjson is missing, though the match is over"


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("takeback_answered", b'"agree":true', b'"agree":false'),
        ("takeback_asked", b'"to":3', b'"to":4'),
        ("taken_back", b'"by":"agreement"', b'"by":"ruling"'),
        ("ruled", b'"reason":"the clock stood still"', b'"reason":" "'),
        ("resigned", b'"seat":"left"', b'"seat":"nobody"'),
    ],
)
def test_an_entry_out_of_order_is_found(toy_game: Game, kind: str, old: bytes, new: bytes) -> None:
    match = with_everything(toy_game)
    move = next(r.move for r in match.records if f'"kind":"{kind}"'.encode() in r.leaf and old in r.leaf)
    report = verify(rewritten(match, move, old, new))
    assert not report.ok
    assert report.move in (move, move + 1)
