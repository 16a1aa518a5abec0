"""verify.html and what else a file may hold: spellings of JSON, tricks with archives, damage."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Iterable
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Page

from domain.game import Game
from domain.log import Damaged
from replay import archive
from replay.chain import must_be_canonical
from replay.matchfile import LOG, README
from replay.verify import verify
from tests.matches import finished
from tests.replay.files import (
    PINNED,
    file_of,
    parts_in,
    short_match,
    with_part,
)
from tests.web.verifier import judged, must_agree, text_of
from tests.web.verifier import kept as kept
from tests.web.verifier import page as page

CANONICAL = """lines => lines.map(line => {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
      .decode(Uint8Array.from(atob(line), sign => sign.charCodeAt(0)));
    new GlasnostVerifier.Parser(text).whole();
    return true;
  } catch { return false; }
})"""


# ── JSON and archives ──


TRICKS = [
    b'{"a":1}',
    b'{"b":1,"a":1}',
    b'{"a":1,"a":1}',
    b'{"a":1,"b":2,"a":3}',
    b'"\\u001f"',
    b'"\\u001F"',
    b'"\\u007f"',
    b'"\x7f"',
    b'"\\b\\f\\n\\r\\t"',
    b'"\\u0008"',
    b'"\\/"',
    b'"/"',
    '"\u2028"'.encode(),
    b'"\\u2028"',
    b"[-0]",
    b"[0]",
    b"[-1]",
    b"[01]",
    b"[1.0]",
    b"[1e3]",
    b"[9007199254740991]",
    b"[9007199254740992]",
    b"[-9007199254740991]",
    b"[-9007199254740992]",
    b"[18446744073709551616]",
    b"[" + b"9" * 400 + b"]",
    b'"\\ud800"',
    b'"\\ud83d\\ude00"',
    '"\U0001f600"'.encode(),
    b'"\xed\xa0\x80"',
    b'"\xc0\x80"',
    b'"\xf4\x90\x80\x80"',
    '"\ufeff"'.encode(),
    "\ufeff{}".encode(),
    b" {}",
    b"{} ",
    b"{}\x00",
    b'{"\\u0000":1}',
    '{"z":2,"é":1}'.encode(),
    '{"é":1,"z":2}'.encode(),
    '{"\uffff":1,"\U0001f600":2}'.encode(),
    '{"\U0001f600":1,"\uffff":2}'.encode(),
    b"",
    b"nul",
    b"true",
    b"truefalse",
    b"NaN",
    b"[Infinity]",
    b'["a",]',
    b"[,]",
    b'{"a"}',
    b'{"a":}',
    b"{,}",
    b"[1 ,2]",
    b'{"__proto__":1}',
    b'{"__proto__":{"kind":"opened"}}',
    b'{"constructor":1,"toString":2}',
    b'"\x00"',
    b'"\x1f"',
    b'"',
    b'"\\"',
    b'"\\u00',
    b'"\\x41"',
    b"[" * 100 + b"]" * 100,
    b"/**/1",
    b"'a'",
    b"+1",
    b".5",
    b"0x10",
    b"1_0",
]


def test_the_page_reads_the_same_spellings_of_json(page: Page) -> None:
    for line, read in zip(TRICKS, page.evaluate(CANONICAL, [text_of(line) for line in TRICKS]), strict=True):
        try:
            must_be_canonical(line)
        except Damaged:
            assert not read, line
        else:
            assert read, line


def zipped(members: Iterable[tuple[str, bytes]], method: int = zipfile.ZIP_STORED, **more: Any) -> bytes:
    """An archive as other programs write it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as target:
        for name, content in members:
            info = zipfile.ZipInfo(name)
            info.compress_type, info.extra = method, more.get("extra", b"")
            target.writestr(info, content)
        target.comment = more.get("comment", b"")
    return buffer.getvalue()


def field(data: bytes, name: bytes, header: bytes, place: int, layout: str, value: int) -> bytes:
    """The archive with one field of a member's local or central header changed."""
    start = data.index(name, data.index(header)) - (30 if header == b"PK\x03\x04" else 46)
    spoilt = bytearray(data)
    struct.pack_into(layout, spoilt, start + place, value)
    return bytes(spoilt)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_tricks_with_the_archive_are_refused_or_reported(page: Page, toy_game: Game) -> None:
    sound = file_of(finished(toy_game).match)
    members, end = list(parts_in(sound).items()), len(sound) - 22
    log, central = b"log.ndjson", b"PK\x01\x02"
    offset = struct.unpack_from("<I", sound, sound.rindex(b"manifest.json") - 46 + 42)[0]

    def swap(place: int, size: int, value: int) -> bytes:
        return sound[:place] + value.to_bytes(size, "little") + sound[place + size :]

    tricks = {
        "repacked": zipped(members),
        "another order": zipped(members[::-1]),
        "compressed": zipped(members, zipfile.ZIP_DEFLATED),
        "extra fields": zipped(members, extra=b"UT\x01\x00\x00"),
        "broken extra field": zipped(members, extra=b"UT\xff\xff"),
        "a comment": zipped(members, comment=b"more"),
        "bytes behind": sound + b"more",
        "bytes before": b"more" + sound,
        "a member twice": zipped([*members, (LOG, b"")]),
        "another member": zipped([*members, ("extra.json", b"")]),
        "an outer place": zipped([*members, ("../log.ndjson", b"")]),
        "no log": archive.pack({name: part for name, part in members if name != LOG}),
        "no readme": archive.pack({name: part for name, part in members if name != README}),
        "another readme": with_part(sound, README, b"Read somebody else."),
        "encrypted": field(sound, log, central, 8, "<H", 1),
        "data descriptor": field(sound, log, central, 8, "<H", 8),
        "wrong CRC": field(sound, log, central, 16, "<I", 1),
        "longer": field(sound, log, central, 24, "<I", 10**6),
        "longer in both": field(field(sound, log, central, 24, "<I", 10**6), log, central, 20, "<I", 10**6),
        "shorter": field(field(sound, log, central, 24, "<I", 9), log, central, 20, "<I", 9),
        "huge": field(field(sound, log, central, 24, "<I", 2**32 - 1), log, central, 20, "<I", 2**32 - 1),
        "overlapping": field(sound, log, central, 42, "<I", offset),
        "beyond the end": field(sound, log, central, 42, "<I", len(sound) - 4),
        "a method": field(sound, log, central, 10, "<H", 99),
        "a version": field(sound, log, central, 6, "<H", 64),
        "another local name": field(sound, log, b"PK\x03\x04", 26, "<H", 9),
        "a local extra field": field(sound, log, b"PK\x03\x04", 28, "<H", 9),
        "many members": swap(end + 10, 2, 65535),
        "fewer members": swap(end + 10, 2, 4),
        "another disk": swap(end + 4, 2, 1),
        "a longer directory": swap(end + 12, 4, 10**6),
        "another directory": swap(end + 16, 4, 7),
        "many headers": with_part(sound, README, central * 65),
        "empty": b"",
        "no zip": b"not a zip",
        "an empty zip": b"PK\x05\x06" + bytes(18),
    }
    for (name, data), verdict in zip(tricks.items(), judged(page, tricks.values()), strict=True):
        report = verify(data, PINNED)
        must_agree(report, verdict, name)
        assert verdict.state != "ok" or name == "another readme", name
        if not report.ok:
            assert verdict.state == "wrong", name
    (repacked,) = judged(page, [tricks["repacked"]])
    assert repacked.rows["archive"] == ("note", "archive-repacked")


def test_a_file_cut_off_anywhere_is_refused(page: Page, toy_game: Game) -> None:
    sound = file_of(short_match(toy_game))
    for verdict in judged(page, [sound[:size] for size in range(0, len(sound), 211)]):
        assert (verdict.state, verdict.move) == ("wrong", None)


@pytest.mark.parametrize("count", [40, pytest.param(400, marks=pytest.mark.long)])
def test_random_damage_is_judged_alike(page: Page, toy_game: Game, count: int) -> None:
    sound, rng, damaged = file_of(short_match(toy_game)), Random(3), list[bytes]()
    for _ in range(count):
        data = bytearray(sound)
        for _ in range(rng.randrange(1, 6)):
            start = rng.randrange(len(data))
            data[start : start + rng.randrange(0, 40)] = rng.randbytes(rng.randrange(0, 40))
        damaged.append(bytes(data))
    for file, verdict in zip(damaged, judged(page, damaged), strict=True):
        must_agree(verify(file, PINNED), verdict)
        assert verdict.state != "ok"
