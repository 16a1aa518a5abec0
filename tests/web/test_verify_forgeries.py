"""verify.html and forgeries: flipped bytes, values that fit together, and changes by chance."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest
from msgspec import convert
from msgspec.json import decode
from playwright.sync_api import Page

from domain import merkle
from domain.game import Game
from domain.games import GAMES
from domain.log import HOUSE, b64, canonical, seal
from domain.match import Match
from replay import archive
from replay.matchfile import CHECKPOINTS, LOG, MANIFEST, PRIVATE, README
from replay.verify import verify
from tests.matches import Sitting, finished
from tests.replay.files import (
    KEY,
    PINNED,
    STRANGER,
    file_of,
    parts_in,
    rechained,
    recorded_match,
    resigned,
    rewritten,
    short_match,
    with_everything,
    with_part,
)
from tests.salts import committed, hashed, salt_of
from tests.web.verifier import VKEY, Verdict, judged, must_agree, must_fail, text_of
from tests.web.verifier import kept as kept
from tests.web.verifier import page as page

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
    flips(page, file_of(short_match(toy_game)), 50)
    flips(page, file_of(with_everything(toy_game)), 15)


@pytest.mark.long
def test_many_flipped_bytes_of_a_short_file_are_found(page: Page, toy_game: Game) -> None:
    flips(page, file_of(short_match(toy_game)), 600)
    flips(page, file_of(with_everything(toy_game)), 200)


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
        with_part(data, LOG, b"\n" * 200_000),
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


@pytest.mark.long
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
