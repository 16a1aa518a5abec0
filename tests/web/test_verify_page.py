"""verify.html, the second verifier: in a real Chromium, from a disk, it says what `glasnost verify` says.

It does not know the rules, so it is compared with the questions *log* and *chance*. Where the Python verifier
refuses for one of these, the page refuses, and names the same move. The page may be stricter in one thing: an
archive that was packed again in an unusual way.
"""

from __future__ import annotations

import base64
import io
import json
import re
import struct
import tomllib
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Struct, convert
from msgspec.json import decode
from playwright.sync_api import Browser, FilePayload, Page, Request, expect

from domain import merkle
from domain.game import Game
from domain.games import GAMES
from domain.log import HOUSE, Damaged, b64, canonical, codec, seal
from domain.match import Match
from domain.signed_notes import PUBLIC, Checkpoint, SigningKey, VerifyingKey, origin
from replay import archive, matchfile
from replay.chain import must_be_canonical
from replay.matchfile import CHECKPOINTS, LOG, MANIFEST, PRIVATE, README
from replay.report import Report
from replay.verify import verify
from tests.domain.test_upcast import OLD_TAGS, toy_with
from tests.matches import Branching, Sitting, finished
from tests.replay.files import (
    KEY,
    PINNED,
    SERVER,
    STRANGER,
    file_of,
    note_of,
    note_over,
    parts_in,
    rechained,
    recorded_match,
    resigned,
    rewritten,
    short_match,
    with_everything,
    with_part,
)
from tests.replay.test_seat_swaps import whole
from tests.salts import committed, hashed, open_salt, salt_of
from tests.web.pin import PAGE, pinned

TESTS = Path(__file__).parents[1]
VKEY = KEY.verifying.text
SEEDED = sha256(b"glasnost: the key of seeded and scripted matches is public\n").digest()
EVERYBODY = SigningKey("seeded", Ed25519PrivateKey.from_private_bytes(SEEDED))  # its verifying key is PUBLIC
LINES = 4  # of a stored record: the leaf, and the parts of two seats and the house
UNUSUAL = {"no-archive", "unusual-member", "unknown-compression"}  # what the page does not read

JUDGE = """async files => {
  const bytes = text => Uint8Array.from(atob(text), sign => sign.charCodeAt(0)), verdicts = [];
  for (const { data, flip, ...given } of files) {
    const file = bytes(data);
    if (flip) file[flip[0]] ^= flip[1];
    const { state, failures: [first], rows } = await GlasnostVerifier.verify(file, given);
    const found = Object.fromEntries([...rows].map(([row, { state, id }]) => [row, [state, id]]));
    verdicts.push([state, first?.question ?? "", first?.move ?? null, first?.id ?? "", found]);
  }
  return verdicts;
}"""
REPEATED = """async ([data, keys, flips]) => {
  const whole = Uint8Array.from(atob(data), sign => sign.charCodeAt(0)), verdicts = [];
  for (const [place, mask] of flips) {
    const file = whole.slice();
    file[place] ^= mask;
    const { state, failures: [first] } = await GlasnostVerifier.verify(file, { keys });
    verdicts.push([state, first?.question ?? "", first?.move ?? null, first?.id ?? "", {}]);
  }
  return verdicts;
}"""
VECTORS = """matches => {
  const { Secret, drawn, seal, saltHash, joinedSalts, b64, unb64 } = GlasnostVerifier;
  const bytes = text => new TextEncoder().encode(text);
  return matches.map(given => {
    const secret = new Secret(unb64(given.secret), given.match), salts = joinedSalts(given.seat_salts);
    const drawOf = ({ label, counter, n, period }) => {
      const key = period ? secret.openKey(period) : secret.drawKey;
      const { result, rejected } = drawn(key, salts, label, counter, BigInt(n));
      return [String(result), rejected];
    };
    return {
      commitment: b64(secret.commitment()), draw_key: b64(secret.drawKey), joined_salts: salts,
      anchors: given.anchors.map(({ chain }) => b64(secret.link(chain, 0))),
      open_keys: given.open_keys.map(({ period }) => b64(secret.openKey(period))),
      salts: given.seals.map(({ move, audience }) => b64(secret.salt(move, audience))),
      sealed: given.seals.map(({ salt, part }) => b64(seal(unb64(salt), bytes(part)))),
      draws: given.draws.map(drawOf),
      salt_hashes: Object.fromEntries(Object.entries(given.salt_hashes ?? {})
        .map(([seat]) => [seat, b64(saltHash(given.match, seat, given.seat_salts[seat]))])),
    };
  });
}"""
CANONICAL = """lines => lines.map(line => {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
      .decode(Uint8Array.from(atob(line), sign => sign.charCodeAt(0)));
    new GlasnostVerifier.Parser(text).whole();
    return true;
  } catch { return false; }
})"""


class Verdict(Struct, frozen=True, array_like=True):
    """What the page says: ok, note or wrong; the first failure, and each row with its state and sentence."""

    state: str
    question: str
    move: int | None
    id: str
    rows: dict[str, tuple[str, str]]


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """The page from the disk, opened once; nothing may go wrong in it and nothing may leave it."""
    faults: list[str] = []

    def requested(request: Request) -> None:
        if not request.url.startswith(("file:", "data:")):
            faults.append(request.url)

    context = browser.new_context(locale="en-GB")
    opened = context.new_page()
    opened.on("request", requested)
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on("console", lambda message: faults.append(message.text))
    opened.goto(PAGE.as_uri())
    yield opened
    context.close()
    assert not faults


def text_of(data: bytes) -> str:
    """Bytes on their way into the page."""
    return base64.b64encode(data).decode()


def judged(page: Page, files: Iterable[bytes], keys: str = VKEY, receipt: str = "") -> list[Verdict]:
    """What the page says of files."""
    given = [{"data": text_of(data), "keys": keys, "receipt": receipt} for data in files]
    return convert(page.evaluate(JUDGE, given), list[Verdict])


def must_agree(report: Report, verdict: Verdict, what: object = "") -> None:
    """Compare the verdict of the page with what the Python verifier says of log and chance."""
    ours = [failure for failure in report.failures if failure.check in ("log", "chance")]
    about = f"{what}: {report.failures or report.notes} / {verdict}"
    if ours:
        assert verdict.state == "wrong", about
        assert verdict.move == ours[0].move, about
    elif report.ok and verdict.state == "wrong":
        assert verdict.id in UNUSUAL, about
        assert "repacked" in report.notes[-1], about


def must_fail(page: Page, data: bytes, keys: Sequence[VerifyingKey] = PINNED) -> Verdict:
    """The verdict on a file in which both verifiers find something wrong, at the same move."""
    report = verify(data, keys)
    (verdict,) = judged(page, [data], "\n".join(key.text for key in keys))
    assert not report.ok
    assert verdict.state == "wrong", report
    must_agree(report, verdict)
    return verdict


# ── the page itself ──


def test_the_policy_names_the_scripts_and_the_style_that_stand_in_the_page() -> None:
    text = PAGE.read_text("utf-8")
    assert text == pinned(text), "python -m tests.web.pin"
    assert "default-src 'none'; script-src 'sha256-" in text
    assert text.count("<script") == 2


def test_the_page_connects_to_nothing_and_writes_no_markup() -> None:
    text = PAGE.read_text("utf-8")
    for word in (
        "innerHTML",
        "insertAdjacent",
        "eval(",
        "Function(",
        "fetch",
        "XMLHttp",
        "http:",
        "https:",
        "src=",
    ):
        assert word not in text.replace("-src", ""), word
    assert not re.search(r'\s(on\w+|style)="', text)


def texts(language: str) -> dict[str, str]:
    """The sentences of the page in a language."""
    table = PAGE.read_text("utf-8").partition("const TEXT = { en: {")[2].partition("  const UNSAFE")[0]
    en, ru = table.split("  }, ru: {")
    joined = re.sub(r'" \+\n\s*"', "", en if language == "en" else ru)
    found = re.findall(r'[ \n]"?([a-z][a-z0-9-]*)"?: "((?:[^"\\]|\\.)*)"', joined)
    return {name: json.loads(f'"{text}"') for name, text in found}


def test_both_languages_have_the_same_sentences_and_values() -> None:
    en, ru = texts("en"), texts("ru")
    assert en.keys() == ru.keys()
    assert len(en) > 150
    for name, text in en.items():
        assert set(re.findall(r"{(\w+)}", text)) >= set(re.findall(r"{(\w+)}", ru[name])), name


@pytest.mark.parametrize("language", ["en", "ru"])
def test_a_refusal_that_the_python_verifier_knows_has_its_sentence(language: str) -> None:
    product = tomllib.loads((TESTS.parent / "domain" / f"refusals.{language}.toml").read_text("utf-8"))
    ours, page = texts(language), PAGE.read_text("utf-8").partition("const TEXT")[0]
    shared = set(re.findall(r'"([a-z0-9]+(?:-[a-z0-9]+)+)"', page)) & product.keys() & ours.keys()
    assert len(shared) > 60
    assert {name: ours[name] for name in shared} == {name: product[name] for name in shared}


def test_every_game_has_its_seats_in_the_order_of_their_ids() -> None:
    for game in GAMES.values():
        assert list(game.seats) == sorted(game.seats)  # a file names them in this order only (protocol, 5)


# ── what is right ──


def test_the_vectors_of_the_protocol(page: Page) -> None:
    matches = json.loads((TESTS / "vectors" / "rng1.json").read_text("utf-8"))["matches"]
    for given, found in zip(matches, page.evaluate(VECTORS, matches), strict=True):
        assert found["commitment"] == given["commitment"]
        assert found["draw_key"] == given["draw_key"]
        assert found["joined_salts"] == given["joined_salts"]
        assert found["anchors"] == [anchor["anchor"] for anchor in given["anchors"]]
        assert found["open_keys"] == [key["key"] for key in given["open_keys"]]
        assert found["salts"] == [entry["salt"] for entry in given["seals"]]
        assert found["sealed"] == [entry["sealed"] for entry in given["seals"]]
        assert found["salt_hashes"] == given.get("salt_hashes", {})
        for draw, (result, rejected) in zip(given["draws"], found["draws"], strict=True):
            assert (result, rejected) == (draw["result"], draw.get("rejected", rejected))


@pytest.mark.parametrize("name", GAMES)
def test_whole_matches_are_right(page: Page, name: str) -> None:
    files = [
        file_of(finished(GAMES[name], 1).match),
        file_of(committed(Sitting(GAMES[name], 2)).play_on().match),
    ]
    for verdict in judged(page, files):
        assert (verdict.state, verdict.id) == ("ok", ""), verdict
        assert {state for state, _ in verdict.rows.values()} == {"ok", "skipped"}
        assert verdict.rows["rules"] == ("skipped", "rules-elsewhere")


@pytest.mark.parametrize("name", GAMES)
def test_branches_are_right_and_said_to_be_branches(page: Page, name: str) -> None:
    parent = finished(GAMES[name], 1).match
    at = (parent.begun or 0) + 9
    branch = Branching(parent, at).seat_all(salts=True).play_on().match
    (verdict,) = judged(page, [file_of(branch)])
    assert (verdict.state, verdict.id) == ("ok", ""), verdict


def test_private_match_is_right(page: Page, toy_game: Game) -> None:
    (verdict,) = judged(page, [file_of(finished(toy_game, 3, private=True).match)])
    assert (verdict.state, verdict.id) == ("ok", ""), verdict


@pytest.mark.parametrize(
    ("old", "new"),
    [(b'"origin":"branch"', b'"origin":"live"'), (b'"move":4,"root"', b'"move":0,"root"')],
)
def test_branch_of_nothing_is_wrong(page: Page, toy_game: Game, old: bytes, new: bytes) -> None:
    branch = Branching(finished(toy_game, 3).match, 4).seat_all().play_on().match
    verdict = must_fail(page, rewritten(branch, 1, old, new))
    assert verdict.id in ("branch-and-origin", "branch-of-nothing")


def test_matches_that_run_are_right_so_far(page: Page) -> None:
    files = []
    for name, moves in (
        ("cia_vs_kgb", (0, 10, 120)),
        ("twilight_struggle", (60,)),
        ("thirteen_minutes", (5,)),
    ):
        for count in moves:
            files.append(file_of(Sitting(GAMES[name], 4).seat_all(salts=True).play_on(count).match))
    for verdict in judged(page, files):
        assert verdict.state == "ok", verdict
        assert verdict.rows["seals"] == ("later", "seals-later")


def stored(name: str, first: int = 0, count: int | None = None) -> Match:
    """A match of tests/stored."""
    lines = (TESTS / "stored" / name).read_bytes().removesuffix(b"\n").split(b"\n")
    records = [b"\n".join(lines[start : start + LINES]) for start in range(0, len(lines), LINES)]
    opened = decode(records[first].partition(b"\n")[0])
    read = codec(GAMES[opened["game"]]).read
    end = None if count is None else first + count
    found = Match.project(None, [read(opened["match"], record) for record in records[first:end]])
    assert found is not None
    return found


def test_stored_matches_are_right(page: Page, monkeypatch: pytest.MonkeyPatch, toy_game: Game) -> None:
    matches = [
        stored("twilight_struggle_restated.records"),
        stored("toy_salts.records", 0, 11),
        stored("toy_salts.records", 11, 6),
        stored("toy_clocks.records", 0, 12),
        stored("toy_desk.records"),
    ]
    monkeypatch.setitem(GAMES, "toy", toy_with(OLD_TAGS))
    old = stored("toy_before_rolled.records")
    for match, verdict in zip([*matches, old], judged(page, map(file_of, [*matches, old])), strict=True):
        assert verdict.id == "", verdict
        assert verdict.state == ("note" if match.imported else "ok"), verdict


def test_what_else_happens_in_a_match_is_right(page: Page, toy_game: Game, swap_game: Game) -> None:
    waiting = committed(Sitting(toy_game), opened=False)
    stages = [file_of(waiting.match)]
    open_salt(waiting, "left")
    stages.append(file_of(waiting.match))
    waiting.accept(waiting.match.close_unopened(waiting.context))
    stages.append(file_of(waiting.match))
    more = [with_everything(toy_game), short_match(toy_game), whole(swap_game), Sitting(toy_game).match]
    for verdict in judged(page, [*stages, *map(file_of, more)]):
        assert verdict.state == "ok", verdict


def test_a_recorded_match_is_marked_as_one_that_cannot_be_proved(page: Page, toy_game: Game) -> None:
    (verdict,) = judged(page, [file_of(recorded_match(toy_game))])
    assert verdict.state == "note"
    assert verdict.rows["draws"] == ("note", "chance-recorded")


# ── signatures ──


def test_without_a_key_the_signature_is_marked_as_not_checked(page: Page, toy_game: Game) -> None:
    match = finished(toy_game).match
    unchecked, public = judged(page, [file_of(match), file_of(match, EVERYBODY)], keys="")
    assert (unchecked.state, unchecked.rows["signature"]) == ("note", ("note", "signature-unchecked"))
    assert (public.state, public.rows["signature"]) == ("note", ("note", "signature-public"))
    (mixed,) = judged(page, [file_of(match)], keys=f"{STRANGER.verifying.text}\n\n {VKEY} \n")
    assert (mixed.state, mixed.rows["signature"]) == ("ok", ("ok", "signature-ok"))


def test_a_signature_by_another_key_is_wrong(page: Page, toy_game: Game) -> None:
    match = finished(toy_game).match
    assert must_fail(page, file_of(match, STRANGER)).id == "checkpoint-unsigned"
    nonsense = f"— {SERVER} {b64(bytes.fromhex(KEY.verifying.id) + bytes(64))}\n"
    forged = matchfile.write(match.records, note_of(match.records, STRANGER) + nonsense)
    assert must_fail(page, forged, (STRANGER.verifying, *PINNED)).id == "signature-does-not-fit"
    name, _, _ = PUBLIC.text.partition("+")
    false = f"— {name} {b64(bytes.fromhex(PUBLIC.id) + bytes(64))}\n"
    assert must_fail(page, matchfile.write(match.records, note_of(match.records) + false)).id == (
        "signature-does-not-fit"
    )


@pytest.mark.parametrize(
    "note",
    [
        b"",
        b"games.example/match/m1\n5\nAAAA\n",
        b"\xff\n\n\xe2\x80\x94 a b\n",
        "x\n\n— a AAAAAAAA\n".encode(),
        "x\n\n— a\u00a0b AAAAAAAA\n".encode(),
        "x\n\n— a AAAAAAAA\n— b\n".encode(),
        "x\n\n— a AAAA\n".encode(),
        ("x\n\n" + "— a AAAAAAAA\n" * 17).encode(),
        f"x\n\n— {'a' * 256} AAAAAAAA\n".encode(),
        "games.example/match/m1\n05\nAAAA\n\n— a AAAAAAAA\n".encode(),
        "\ufeffgames.example/match/m1\n5\nAAAA\n\n— a AAAAAAAA\n".encode(),
    ],
)
def test_a_note_of_anything_is_wrong(page: Page, toy_game: Game, note: bytes) -> None:
    data = with_part(file_of(short_match(toy_game)), CHECKPOINTS, note)
    for keys in ((), PINNED):
        assert must_fail(page, data, keys).move is None


def test_a_receipt_is_checked_like_a_checkpoint_over_the_first_move(page: Page, toy_game: Game) -> None:
    match, other = finished(toy_game, 1).match, finished(toy_game, 2).match
    first, data = [match.records[0].leaf], file_of(match)
    (right,) = judged(page, [data], receipt=note_over(first, match.id))
    assert (right.state, right.rows["receipt"]) == ("ok", ("ok", "receipt-ok"))
    for receipt, word in (
        ("receipt", "not-a-signed-note"),
        (note_over([other.records[0].leaf], other.id), "receipt-for-another"),
        (note_over([record.leaf for record in match.records[:2]], match.id), "receipt-too-wide"),
        (note_over(first, match.id, STRANGER), "receipt-unsigned"),
        (KEY.sign(Checkpoint(origin(SERVER, match.id), 1, bytes(32)).text), "receipt-of-another-opening"),
    ):
        (verdict,) = judged(page, [data], receipt=receipt)
        report = verify(data, PINNED, receipt=receipt)
        assert (verdict.state, verdict.id) == ("wrong", word)
        must_agree(report, verdict)


# ── flipped bytes ──


def flips(page: Page, data: bytes, count: int, masks: Sequence[int] = (1, 0x20, 0x80)) -> None:
    """Flip bits all over the file, in the stored parts and between them, and compare both verifiers."""
    rng = Random(len(data))
    chosen = [(rng.randrange(len(data)), rng.choice(masks)) for _ in range(count)]
    found = page.evaluate(REPEATED, [text_of(data), VKEY, chosen])
    for (place, mask), verdict in zip(chosen, convert(found, list[Verdict]), strict=True):
        spoilt = data[:place] + bytes([data[place] ^ mask]) + data[place + 1 :]
        report = verify(spoilt, PINNED)
        must_agree(report, verdict, f"byte {place} ^ {mask}")
        assert verdict.state != "ok", f"byte {place} ^ {mask}"


@pytest.mark.parametrize("name", GAMES)
def test_flipped_bytes_are_found_and_the_same_move_is_named(page: Page, name: str) -> None:
    flips(page, file_of(finished(GAMES[name], 6).match), 4)


def test_flipped_bytes_of_a_short_file_are_found(page: Page, toy_game: Game) -> None:
    flips(page, file_of(short_match(toy_game)), 150)
    flips(page, file_of(with_everything(toy_game)), 30)


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_two_hundred_flipped_bytes_are_found_and_the_same_move_is_named(page: Page, name: str) -> None:
    flips(page, file_of(finished(GAMES[name], 6).match), 200)


# ── forgeries that fit together ──


def test_changes_of_a_whole_log_are_named_as_the_python_verifier_names_them(
    page: Page, toy_game: Game
) -> None:
    match, other = finished(toy_game, 1).match, finished(toy_game, 2).match
    data = file_of(match)
    parts = parts_in(data)
    lines = parts[LOG].splitlines(keepends=True)
    last = lines[-1].replace(f'"move":{match.move}'.encode(), f'"move":{match.move + 1}'.encode())
    swapped = [*lines[:4], lines[5], lines[4], *lines[6:]]
    cut = parts_in(
        resigned(
            {name: parts[name] for name in (LOG, CHECKPOINTS, MANIFEST, README)},
            parts[LOG].splitlines()[:6],
            match.id,
            STRANGER,
        )
    )
    forged = [
        with_part(data, LOG, b"".join(lines[:-1])),
        with_part(data, LOG, b"".join([*lines, last])),
        with_part(data, LOG, b"".join(swapped)),
        with_part(data, LOG, parts[LOG][:-1]),
        with_part(data, LOG, b""),
        with_part(data, LOG, b"\n" * 2_000_000),
        with_part(data, PRIVATE, parts[PRIVATE][:-1]),
        with_part(data, PRIVATE, parts_in(file_of(other))[PRIVATE]),
        with_part(data, CHECKPOINTS, parts_in(file_of(other))[CHECKPOINTS]),
        archive.pack({name: part for name, part in parts.items() if name != PRIVATE}),
        archive.pack({**cut, CHECKPOINTS: parts[CHECKPOINTS]}),
        archive.pack({**parts_in(file_of(Sitting(toy_game).match)), PRIVATE: b"{}\n"}),
    ]
    for content in forged:
        must_fail(page, content)


ANYTHING = [
    b"[" * 100_000,
    b"",
    b"\xff\xfe",
    b"null",
    b"{}",
    b'{"move":' + b"1" * 1_000 + b"}",
    b"1.5",
    b'""',
]


@pytest.mark.parametrize("part", [LOG, PRIVATE])
def test_a_line_of_anything_is_named(page: Page, toy_game: Game, part: str) -> None:
    sound = file_of(finished(toy_game).match)
    for line in ANYTHING:
        for move in (1, 4):
            lines = parts_in(sound)[part].split(b"\n")
            lines[move - 1] = line
            assert must_fail(page, with_part(sound, part, b"\n".join(lines))).move == move


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"counter":', b'"counter":1'),
        (b'"n":6', b'"n":600000000000000'),
        (b'"period":1', b'"period":1000000000'),
        (b'"period":1', b'"period":-1'),
        (b'"result":', b'"result":9000000'),
        (b'"label":"', b'"label":"die/'),
        (b'"move":', b'"move":"1","more":'),
        (b'"seats":{"left":', b'"seats":{"left":null,"right":'),
        (b'"kind":"played"', b'"kind":"ploughed"'),
        (b'"kind":"played"', b'"kind":"opened"'),
        (b'"sealed":{"house":', b'"sealed":{"hause":'),
        (b'"sealed":{"house":', b'"sealed":{"__proto__":'),
        (b'"at":', b'"at":1e1,"b":'),
    ],
)
def test_forged_values_are_named(page: Page, toy_game: Game, old: bytes, new: bytes) -> None:
    match = finished(toy_game, 1).match
    move = next((r.move for r in match.records if b'"draws"' in r.leaf and old in r.leaf), 0)
    move = move or next(r.move for r in match.records if old in r.leaf and r.move > 3)
    leaves = parts_in(file_of(match))[LOG].splitlines()
    leaves[move - 1] = leaves[move - 1].replace(old, new, 1)
    data = with_part(file_of(match), LOG, b"".join(leaf + b"\n" for leaf in leaves))
    must_fail(page, data)
    if b"1e1" not in new and b"hause" not in new:  # a whole number, and an audience, that no tool would write
        must_fail(page, resigned(parts_in(file_of(match)), rechained(leaves), match.id, KEY))


def test_a_changed_die_is_found_in_a_log_that_fits_together(page: Page, toy_game: Game) -> None:
    match = finished(toy_game).match
    record = next(record for record in match.records if getattr(record.entry, "draws", ()))
    draw = record.entry.draws[0]
    old, new = f'"result":{draw.result}'.encode(), f'"result":{(draw.result + 1) % draw.n}'.encode()
    verdict = must_fail(page, rewritten(match, record.move, old, new))
    assert (verdict.question, verdict.move, verdict.id) == ("chance", record.move, "scheme-draws-otherwise")
    ended = next(record.move for record in match.records if getattr(record.entry, "keys", ()))
    running = Match.project(None, match.records[: ended + 1])
    assert running is not None
    verdict = must_fail(page, rewritten(running, record.move, old, new))
    assert (verdict.question, verdict.move) == ("chance", record.move)


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("taken_back", b'"to":', b'"to":1000000000'),
        ("taken_back", b'"to":', b'"to":-1'),
        ("secret_opened", b'"secret":"', b'"secret":"AAAA'),
        ("secret_opened", b'"secret":"', b'"secret":"!'),
        ("opened", b'"commitment":"', b'"commitment":"A'),
        ("opened", b'"anchor":"', b'"anchor":"A'),
        ("opened", b'"scheme":"rng/1"', b'"scheme":"rng/2"'),
        ("played", b'"keys":[{"key":"', b'"keys":[{"key":"A'),
        ("played", b'"keys":[{', b'"anchor":"AAAA","keys":[{'),
    ],
)
def test_forged_chance_is_named(page: Page, toy_game: Game, kind: str, old: bytes, new: bytes) -> None:
    match = finished(toy_game).match if b"keys" in old else with_everything(toy_game)
    move = next(r.move for r in match.records if f'"kind":"{kind}"'.encode() in r.leaf and old in r.leaf)
    data = rewritten(match, move, old, new)
    report, (verdict,) = verify(data, PINNED), judged(page, [data])
    assert not report.ok
    assert verdict.state == "wrong", report
    must_agree(report, verdict)


def test_another_secret_is_found(page: Page, toy_game: Game) -> None:
    sitting = finished(toy_game)
    match, secret = sitting.match, b64(sitting.secret.bytes).encode()
    opening = next(record.move for record in match.records if record.kind == "secret_opened")
    must_fail(page, rewritten(match, opening, secret, b64(bytes(32)).encode()))


@pytest.mark.parametrize(
    "part",
    [
        b'{"facts":[[0]]}',
        b'{"draws":[{"label":"x","n":6,"pick":"1","result":0}]}',
        b'{"draws":7}',
        b"[]",
        b"7",
    ],
)
def test_forged_private_parts_are_named(page: Page, toy_game: Game, part: bytes) -> None:
    sitting = finished(toy_game)
    match, record = sitting.match, sitting.match.records[4]
    parts = parts_in(file_of(match))
    lines, leaves = parts[PRIVATE].splitlines(keepends=True), parts[LOG].splitlines()
    lines[4] = lines[4].replace(record.sealed[HOUSE], part)
    commitment = b64(seal(sitting.secret.salt(5, HOUSE), part)).encode()
    leaves[4] = leaves[4].replace(record.entry.sealed[HOUSE].encode(), commitment)
    forged = resigned({**parts, PRIVATE: b"".join(lines)}, rechained(leaves), match.id, KEY)
    assert must_fail(page, forged).move == 5


def test_salts_that_do_not_fit_are_named(page: Page, toy_game: Game) -> None:
    match = committed(Sitting(toy_game)).play_on().match
    for move, old in ((2, hashed(match.id, "left")), (4, salt_of("left"))):
        new = ("b" if old[0] == "a" else "a") + old[1:]
        verdict = must_fail(page, rewritten(match, move, old.encode(), new.encode()))
        assert (verdict.question, verdict.move) == ("chance", 4)


def test_a_file_of_another_manifest_is_wrong(page: Page, toy_game: Game) -> None:
    sound = file_of(finished(toy_game).match)
    manifest = parts_in(sound)[MANIFEST]
    digest = json.loads(manifest)["parts"][LOG].encode()
    for content in (
        b"",
        b"{}",
        b"[]",
        b"null",
        b"[" * 100_000,
        b"\xff",
        b'{"format":"zip","version":1}',
        manifest.replace(b'"version":1', b'"version":2'),
        manifest.replace(b'"version":1', b'"version":1.0'),
        manifest.replace(b'"moves":', b'"moves":1000000000'),
        manifest.replace(b'"edition":', b'"__proto__":1,"edition":'),
        manifest.replace(b'{"edition":', b'{ "edition":'),
        manifest.replace(digest, digest.upper()),
        manifest.replace(b'"rules":"', b'"rules":"x'),
        manifest[:-1],
        b"\xef\xbb\xbf" + manifest,
    ):
        assert must_fail(page, with_part(sound, MANIFEST, content)).move is None


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


def test_random_damage_is_judged_alike(page: Page, toy_game: Game) -> None:
    sound, rng, damaged = file_of(short_match(toy_game)), Random(3), list[bytes]()
    for _ in range(100):
        data = bytearray(sound)
        for _ in range(rng.randrange(1, 6)):
            start = rng.randrange(len(data))
            data[start : start + rng.randrange(0, 40)] = rng.randbytes(rng.randrange(0, 40))
        damaged.append(bytes(data))
    for file, verdict in zip(damaged, judged(page, damaged), strict=True):
        must_agree(verify(file, PINNED), verdict)
        assert verdict.state != "ok"


# ── forgeries by chance: one value changed, and all roots, seals and signatures made to fit ──

VALUES: list[Any] = [None, True, False, 0, -1, 1, 2**53 - 1, "", "x", "left", "AAAA", [], {}]
FIELDS = [
    "salt",
    "bot",
    "picks",
    "draws",
    "keys",
    "anchor",
    "counter",
    "period",
    "forced",
    "unopened",
    "asked",
]


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a value: the container, and the key or index in it."""
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from places(value[key])


def changed(value: Any, rng: Random) -> None:
    """Change one place of a value."""
    holder, key = rng.choice(list(places(value)))
    held, way = holder[key], rng.randrange(6)
    if way == 0 and isinstance(holder, dict):
        del holder[key]
    elif way == 1 and isinstance(holder, dict):
        holder[rng.choice(FIELDS)] = rng.choice(VALUES)
    elif way == 2 and isinstance(holder, list):
        holder.insert(key, held)
    elif isinstance(held, int) and way > 2:
        holder[key] = held + rng.choice([-1, 1, 100])
    elif isinstance(held, str) and way > 2:
        holder[key] = rng.choice([held + "x", held[:-1], held.upper()])
    else:
        holder[key] = rng.choice(VALUES)


def forged(match: Match, rng: Random) -> bytes:
    """A file in which one leaf or one private part is another, and everything else fits it."""
    parts, place = parts_in(file_of(match)), rng.randrange(len(match.records))
    leaves, lines = parts[LOG].splitlines(), parts.get(PRIVATE, b"").splitlines()
    leaf = json.loads(leaves[place])
    if lines and rng.random() < 0.4:
        line = json.loads(lines[place])
        who = rng.choice(list(line["parts"]))
        line["parts"][who] = line["parts"][who] or {"draws": []}
        changed(line["parts"][who], rng)
        lines[place] = canonical(line)
        part = canonical(line["parts"][who])
        leaf["sealed"][who] = b64(seal(base64.b64decode(line["salts"][who]), part))
        parts[PRIVATE] = b"".join(line + b"\n" for line in lines)
    else:
        changed(leaf, rng)
    leaves[place] = canonical(leaf)
    return resigned(parts, rechained(leaves), match.id, KEY)


def forgeries(page: Page, game: Game, count: int, seed: int) -> None:
    """Compare both verifiers on such files; what only the rules of a game find is left to the one that has
    them: facts and steps of the wrong form, and the seats and the name of a game."""
    rng = Random(seed)
    matches = [
        with_everything(game),
        finished(game, 3).match,
        committed(Sitting(game)).play_on().match,
        Sitting(game, 4).seat_all(salts=True).play_on(9).match,
        recorded_match(game),
        committed(Sitting(game), opened=False).match,
    ]
    files = [forged(rng.choice(matches), rng) for _ in range(count)]
    red = 0
    for file, verdict in zip(files, judged(page, files), strict=True):
        report = verify(file, PINNED)
        red += verdict.state == "wrong"
        if not re.search(r"\$\.facts|sealed-for-others|game-not-known", str(report.failures)):
            must_agree(report, verdict)
    assert count // 4 < red < count  # the forgeries are neither all absurd nor all harmless


def test_forgeries_by_chance_are_judged_alike(page: Page, toy_game: Game) -> None:
    forgeries(page, toy_game, 40, 1)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
def test_many_forgeries_by_chance_are_judged_alike(page: Page, toy_game: Game, seed: int) -> None:
    forgeries(page, toy_game, 300, seed + 10)


def test_a_log_that_goes_back_and_forth_does_not_grow_without_bound(page: Page, toy_game: Game) -> None:
    """Each of 6,000 entries draws, or goes back far: counts are kept in a tree, not copied for each move."""
    leaves = list(parts_in(file_of(finished(toy_game).match))[LOG].splitlines()[:3])
    tree = merkle.Tree()
    for leaf in leaves:
        tree.add(leaf)
    sealed = json.dumps(decode(leaves[0])["sealed"], separators=(",", ":"))
    for move in range(4, 6_004):
        draw = f'"draws":[{{"label":"x/{move}","n":6,"period":1,"pick":"1","result":0}}],'
        kind = f'"kind":"played","move":{move},"prev":"{b64(tree.root)}"'
        back = kind.replace("played", "taken_back")
        play = f'{{"ask":"Turn",{draw}{kind},"sealed":{sealed},"seat":"left"}}'
        ruled = f'{{"by":"ruling",{back},"sealed":{sealed},"to":4}}'
        leaves.append((ruled if move > 4 and move % 2 else play).encode())
        tree.add(leaves[-1])
    parts = parts_in(file_of(Sitting(toy_game).match))
    (verdict,) = judged(page, [resigned(parts, leaves, "m1", KEY)])
    assert verdict.rows["chain"] == ("ok", "chain-ok")


# ── what a person sees ──


def choose(page: Page, data: bytes) -> None:
    file: FilePayload = {"name": "a.glasnost", "mimeType": "application/zip", "buffer": data}
    page.set_input_files("#file", file)
    page.locator("#verdict[data-state]").wait_for()


@pytest.fixture
def fresh(page: Page) -> Page:
    """The page as it opens."""
    page.goto(PAGE.as_uri())
    return page


def test_a_person_sees_who_played_what_and_who_signed(fresh: Page, toy_game: Game) -> None:
    choose(fresh, file_of(finished(toy_game).match))
    verdict, found = fresh.locator("#verdict"), fresh.locator("#found")
    expect(verdict).to_have_attribute("data-state", "note")
    expect(found).to_contain_text("m1")
    expect(found).to_contain_text("p-left")
    expect(fresh.locator("[data-row=signature]")).to_contain_text(f"names {KEY.verifying.label}, not checked")
    expect(verdict).to_contain_text("./ops/glasnost verify FILE")
    fresh.locator("summary").click()
    fresh.locator("#keys").fill(VKEY)
    fresh.locator("#again").click()
    expect(verdict).to_have_attribute("data-state", "ok")
    expect(fresh.locator("[data-row=signature]")).to_contain_text(f"signed by {KEY.verifying.label}")


def test_a_person_sees_which_move_is_wrong_in_their_language(fresh: Page, toy_game: Game) -> None:
    match = finished(toy_game).match
    log = parts_in(file_of(match))[LOG].replace(b'"kind":"played"', b'"kind":"plated"', 1)
    move = log[: log.index(b"plated")].count(b"\n") + 1
    choose(fresh, with_part(file_of(match), LOG, log))
    verdict = fresh.locator("#verdict")
    expect(verdict).to_contain_text(f"Wrong, first at move {move}: Leaves: not an entry of a match")
    fresh.get_by_role("button", name="Русский").click()
    expect(verdict).to_contain_text(f"Неверно, впервые на ходу {move}: Листья: это не запись партии")
    expect(fresh.locator("html")).to_have_attribute("lang", "ru")
    expect(fresh).to_have_title("Glasnost: Проверка файла партии")


def test_a_name_is_text_and_nothing_else(fresh: Page, toy_game: Game) -> None:
    name = "<img src=x onerror=document.title='mine'>\u202eevil"
    sitting = Sitting(toy_game)
    sitting.accept(sitting.match.sit(sitting.context, "left", name, salt=None, bot="", source=None))
    choose(fresh, file_of(sitting.match))
    expect(fresh.locator("#match")).to_contain_text("<img src=x onerror=document.title='mine'>\ufffdevil")
    assert fresh.locator("img").count() == 0
    expect(fresh).to_have_title("Glasnost: Verify a match file")


def test_a_key_that_is_none_is_refused_before_the_file_is_read(fresh: Page, toy_game: Game) -> None:
    choose(fresh, file_of(short_match(toy_game)))
    fresh.locator("summary").click()
    for text in ("nonsense", VKEY[:-4], VKEY.replace("+f", "+e", 1), "a b+00000000+AAAA"):
        fresh.locator("#keys").fill(text)
        fresh.locator("#again").click()
        expect(fresh.locator("#verdict")).to_contain_text("is not a key of the form NAME+ID+KEY")
        expect(fresh.locator("#found")).to_be_hidden()


def test_a_browser_without_ed25519_says_that_the_signature_is_not_checked(
    fresh: Page, toy_game: Game
) -> None:
    fresh.evaluate("() => Object.defineProperty(globalThis, 'crypto', { value: {} })")
    match = finished(toy_game).match
    for data in (file_of(match), file_of(match, STRANGER)):
        (verdict,) = judged(fresh, [data], keys=f"{VKEY}\n{STRANGER.verifying.text}")
        assert (verdict.state, verdict.rows["signature"]) == ("note", ("note", "signature-unable"))
    choose(fresh, file_of(match))
    expect(fresh.locator("[data-row=signature]")).to_contain_text("names")


def test_a_file_is_dropped_anywhere_on_the_page(fresh: Page, toy_game: Game) -> None:
    drop = """data => {
      const moved = new DataTransfer();
      moved.items.add(new File([Uint8Array.from(atob(data), sign => sign.charCodeAt(0))], "a.glasnost"));
      const given = { dataTransfer: moved, bubbles: true, cancelable: true };
      document.body.dispatchEvent(new DragEvent("drop", given));
    }"""
    fresh.evaluate(drop, text_of(file_of(short_match(toy_game))))
    expect(fresh.locator("#verdict")).to_have_attribute("data-state", "note")
