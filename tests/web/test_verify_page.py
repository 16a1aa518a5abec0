"""verify.html, the second verifier: in a real Chromium, from a disk, it says what `glasnost verify` says.

It does not know the rules, so it is compared with the questions *log* and *chance*. Where the Python verifier
refuses for one of these, the page refuses, and names the same move. The page may be stricter in one thing: an
archive that was packed again in an unusual way.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator

import pytest
from msgspec.json import decode
from playwright.sync_api import FilePayload, Page, expect

from domain.game import Game
from domain.games import GAMES
from domain.log import b64, codec
from domain.match import Match
from domain.signed_notes import PUBLIC, Checkpoint, origin
from replay import matchfile
from replay.matchfile import CHECKPOINTS, LOG
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
    recorded_match,
    rewritten,
    short_match,
    with_everything,
    with_part,
)
from tests.replay.test_seat_swaps import whole
from tests.salts import committed, open_salt
from tests.web.pin import PAGE, pinned
from tests.web.verifier import EVERYBODY, LINES, TESTS, VKEY, judged, must_agree, must_fail, text_of
from tests.web.verifier import kept as kept
from tests.web.verifier import page as page

QUICK = ("thirteen_minutes", "cia_vs_kgb")
GAMES_WITH_LONG = [game if game in QUICK else pytest.param(game, marks=pytest.mark.long) for game in GAMES]
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


# ── the page itself ──


def test_the_policy_names_the_scripts_and_the_style_that_stand_in_the_page() -> None:
    text = PAGE.read_text("utf-8")
    assert text == pinned(text), "python -m tests.web.pin"
    assert "default-src 'none'; script-src 'sha256-" in text
    assert text.count("<script") == 3


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


@pytest.mark.parametrize("name", GAMES_WITH_LONG)
def test_whole_matches_are_right(page: Page, name: str) -> None:
    files = [
        file_of(finished(GAMES[name], 1).match),
        file_of(committed(Sitting(GAMES[name], 2)).play_on().match),
    ]
    for verdict in judged(page, files):
        assert (verdict.state, verdict.id) == ("ok", ""), verdict
        assert {state for state, _ in verdict.rows.values()} == {"ok", "skipped"}
        assert verdict.rows["rules"] == ("skipped", "rules-elsewhere")


@pytest.mark.parametrize("name", GAMES_WITH_LONG)
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
        stored("toy_officials.records"),
        stored("toy_dates.records"),
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


# ── what a person sees ──


def choose(page: Page, data: bytes) -> None:
    file: FilePayload = {"name": "a.glasnost", "mimeType": "application/zip", "buffer": data}
    page.set_input_files("#file", file)
    page.locator("#verdict[data-state]").wait_for()


@pytest.fixture
def fresh(page: Page) -> Iterator[Page]:
    """The page as it opens; what a test changes in it is gone after it."""
    page.goto(PAGE.as_uri())
    yield page
    page.goto(PAGE.as_uri())


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
    expect(fresh).to_have_title("Glasnost: Проверка файла партии или турнира")


def test_a_name_is_text_and_nothing_else(fresh: Page, toy_game: Game) -> None:
    name = "<img src=x onerror=document.title='mine'>\u202eevil"
    sitting = Sitting(toy_game)
    sitting.accept(sitting.match.sit(sitting.context, "left", name, salt=None, bot="", source=None))
    choose(fresh, file_of(sitting.match))
    expect(fresh.locator("#match")).to_contain_text("<img src=x onerror=document.title='mine'>\ufffdevil")
    assert fresh.locator("img").count() == 0
    expect(fresh).to_have_title("Glasnost: Verify a match or tournament file")


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
