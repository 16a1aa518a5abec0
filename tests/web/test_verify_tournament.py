"""verify.html reads tournament files: it says what `glasnost tournament verify` says, without the engine."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from random import Random
from struct import pack

import msgspec
import pytest
from msgspec.structs import replace
from playwright.sync_api import FilePayload, Page, expect

from domain.chance import Secret
from domain.game import Game
from domain.games import GAMES
from domain.log import b64, canonical, seal, unb64
from domain.signed_notes import Note
from domain.tournaments.events import KINDS
from domain.tournaments.history import TournamentLog
from replay.tournaments.file import MANIFEST
from replay.tournaments.verify import verify
from replay.transparency import evidence
from replay.transparency.evidence import Evidence
from tests.api.gate.memory import MemoryStore
from tests.api.gate.tables import run
from tests.api.gate.test_tournament_import import RUNNING, imported
from tests.api.gate.tournaments import TERMS, Cup
from tests.domain import swap, toy
from tests.domain.swap import DARK, LIGHT
from tests.replay.files import STRANGER, with_part
from tests.replay.tournaments import long_bundle
from tests.replay.tournaments import test_tournament_file as forgeries
from tests.replay.tournaments.bundles import (
    KEYS,
    Json,
    Members,
    file_of,
    forged,
    members_of,
    packed,
    played,
    with_ruled_matches,
)
from tests.replay.tournaments.test_tournament_policy import Logged
from tests.web.pin import PAGE
from tests.web.test_verify_logged import POLICY as POLICY_TEXT
from tests.web.verifier import TournamentVerdict, judged_tournaments, text_of
from tests.web.verifier import kept as kept
from tests.web.verifier import page as page

KEY = KEYS.signing.verifying.text
PINNED = [KEYS.signing.verifying]
OURS = ("log", "matches", "results", "lots")
"""The questions that the page answers as `glasnost tournament verify` does."""


@pytest.fixture(scope="module")
def cup() -> Iterator[Cup]:
    """A tournament of four entrants and two rounds that is over, with a call, a ruling and a lot."""
    GAMES["toy"] = toy.GAME
    yield run(played(2, 4))
    del GAMES["toy"]


@pytest.fixture(scope="module")
def log(cup: Cup) -> TournamentLog:
    return run(cup.log())


@pytest.fixture(scope="module")
def data(cup: Cup, log: TournamentLog) -> bytes:
    return file_of(cup, log)


@pytest.fixture(scope="module")
def members(data: bytes) -> Members:
    return members_of(data)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cup.glasnost-tournament"


def both(page: Page, path: Path, keys: str = KEY) -> TournamentVerdict:
    """The verdict of the page on a file; the Python verifier finds the same entries wrong."""
    report = verify(path, PINNED if keys else (), without=("pairings",))
    [verdict] = judged_tournaments(page, [path.read_bytes()], keys)
    ours = {one.question: one.entry for one in report.failures if one.question in OURS}
    theirs = {name: entry for name, (entry, _, _) in verdict.failures.items() if name in OURS}
    assert theirs == ours, (report.failures, verdict)
    assert not report.ok or verdict.state != "wrong", verdict
    return verdict


def test_a_tournament_file_is_right_and_what_is_left_is_said(page: Page, data: bytes, path: Path) -> None:
    path.write_bytes(data)
    verdict = both(page, path)
    assert (verdict.state, verdict.failures) == ("ok", {})
    left = {row: found for row, found in verdict.rows.items() if found[0] != "ok"}
    assert left == {
        "pairings": ("skipped", "pairings-elsewhere"),
        "standings": ("skipped", "standings-elsewhere"),
    }


@pytest.fixture(scope="module")
def goes_on(cup: Cup) -> bytes:
    """The file of a tournament that was imported."""

    async def work() -> bytes:
        made, _ = await imported(RUNNING)
        return file_of(made, await made.log())

    return run(work())


def test_an_imported_tournament_is_right(goes_on: bytes, page: Page, path: Path) -> None:
    path.write_bytes(goes_on)
    verdict = both(page, path)
    assert (verdict.state, verdict.failures) == ("ok", {})


def test_the_page_knows_every_kind_of_entry(page: Page) -> None:
    assert set(page.evaluate("GlasnostTournament.kinds")) == KINDS


def test_a_file_over_any_entry_is_right_so_far(page: Page, cup: Cup, log: TournamentLog, path: Path) -> None:
    for at in (1, 9, log.entry // 2, log.entry - 1):
        path.write_bytes(file_of(cup, log, at))
        verdict = both(page, path)
        assert verdict.state == "ok", verdict
        assert verdict.rows["seals"] == ("later", "sealed-later")


@pytest.fixture(scope="module")
def ended_later(cup: Cup) -> dict[str, bytes]:
    """The files, by id, of tournaments whose one match ended in its first or second turn."""

    async def work(turns: int) -> tuple[TournamentLog, bytes]:
        cup = await Cup(MemoryStore()).announced(2)
        await cup.paired()
        await cup.played_out((await cup.state()).rounds[0].boards[0].match, Random(5), turns)
        await cup.follower.tick(everything=True)
        return await cup.log(), file_of(cup, await cup.log())

    found = [run(work(turns)) for turns in (0, 1, 99)]
    turns = [
        record.entry.end_turn
        for log, _ in found
        for record in log.records
        if record.kind == "result_recorded"
    ]
    assert turns == [1, 2, 2]
    return {log.id: data for log, data in found}


def test_the_turn_in_which_a_match_ended_is_that_of_its_file(
    page: Page, ended_later: dict[str, bytes], path: Path
) -> None:
    for tournament, data in ended_later.items():
        path.write_bytes(data)
        assert both(page, path).state == "ok"
        assert both(page, forged(members_of(data), path, forgeries.hurry, tournament)).state == "wrong"


@pytest.fixture(scope="module")
def swapped() -> bytes:
    """The file of a tournament in whose match the players change places."""

    async def work() -> tuple[Cup, TournamentLog]:
        cup = await Cup(MemoryStore(), replace(TERMS, game="swap")).announced(2)
        await cup.paired()
        match = (await cup.state()).rounds[0].boards[0].match
        await cup.sit(match)
        for seat, pick in ((DARK, LIGHT), (LIGHT, DARK), (DARK, "win")):
            await cup.gate.play(match, [(pick,)], seat=seat)
        await cup.follower.tick(everything=True)
        return cup, await cup.log()

    with pytest.MonkeyPatch.context() as changed:
        changed.setitem(GAMES, "swap", swap.GAME)
        return file_of(*run(work()))


def test_players_who_changed_places_have_the_results_of_the_seats_that_they_play(
    page: Page, swapped: bytes, path: Path, swap_game: Game
) -> None:
    path.write_bytes(swapped)
    verdict = both(page, path)
    assert (verdict.state, verdict.rows["results"]) == ("ok", ("ok", "results-ok"))


# ── rulings on matches ──


@pytest.fixture(scope="module")
def ruled(cup: Cup) -> tuple[str, Members, bytes]:
    """A tournament with rulings on its matches, by its id and file; `cup` has the toy game in the house."""

    async def work() -> tuple[str, Members, bytes]:
        found = await with_ruled_matches()
        data = file_of(found, await found.log())
        return found.id, members_of(data), data

    return run(work())


def test_rulings_on_matches_are_those_that_the_matches_took(
    page: Page, ruled: tuple[str, Members, bytes], path: Path
) -> None:
    tournament, members, data = ruled
    path.write_bytes(data)
    verdict = both(page, path)
    assert (verdict.state, verdict.rows["results"]) == ("ok", ("ok", "results-ok"))

    def wrong(board: int, entry: str, **fields: object) -> None:
        def change(entries: list[Json]) -> None:
            one = next(one for one in entries if one["kind"] == "ruled" and one["board"] == board)
            one |= fields
            for name in [name for name, value in fields.items() if value is None]:
                del one[name]

        verdict = both(page, forged(members, path, change, tournament))
        assert verdict.failures["results"][1] == entry, (fields, verdict)

    another = next(name for name in members if name.startswith("matches/r01-b02-"))[16:-9]
    wrong(1, "ruling-otherwise-in-match", back_to=2)
    wrong(1, "ruling-otherwise-in-match", back_to=None, void=True)
    wrong(1, "ruling-otherwise-in-match", back_to=None, result="1-0")
    wrong(1, "ruling-without-result", match=None)
    wrong(1, "ruling-without-result", move=None)
    wrong(1, "ruling-not-in-match", move=4)
    wrong(1, "match-of-another-board", match=another)
    wrong(2, "ruling-otherwise-in-match", void=None)
    wrong(3, "ruling-otherwise-in-match", result="½")
    wrong(3, "ruling-otherwise-in-match", result="--")


def test_a_sealed_read_says_who_looked_once_the_tournament_is_over(
    page: Page, ruled: tuple[str, Members, bytes], path: Path
) -> None:
    tournament, members, _ = ruled
    entries = [msgspec.json.decode(line) for line in members["tournament.ndjson"].splitlines()]
    number = next(one["entry"] for one in entries if one["kind"] == "privileged_read")
    secret = Secret(unb64(next(one["secret"] for one in entries if one.get("secret"))), tournament)
    line = members["private.ndjson"].splitlines()[number - 1]
    part = msgspec.json.decode(line)["parts"]["officials"]
    assert (part["read"]["role"], part["read"]["why"]) == ("director", "a doubt")

    def hidden(empty: bytes) -> TournamentVerdict:
        """The verdict on a file whose server sealed something else."""
        private = members["private.ndjson"].replace(canonical(part), empty)

        def change(entries: list[Json]) -> None:
            entries[number - 1]["sealed"]["officials"] = b64(seal(secret.salt(number, "officials"), empty))

        return both(page, forged({**members, "private.ndjson": private}, path, change, tournament))

    assert hidden(canonical(part)).failures.keys() <= {"standings"}  # the hash of what was published
    assert hidden(b"{}").failures["log"][:2] == (number, "read-says-nothing")
    odd = canonical(part | {"read": {"person": 7}})
    assert hidden(odd).failures["log"][:2] == (number, "private-part-unread")


# ── keys and signatures ──


def test_without_a_key_the_keys_of_the_file_are_tried_and_said_to_prove_nothing(
    page: Page, members: Members, path: Path
) -> None:
    verdict = both(page, packed(members, path), keys="")
    assert verdict.rows["signature"] == ("note", "signature-own")
    assert verdict.rows["matches"] == ("note", "matches-unchecked")
    verdict = both(page, packed({**members, "keys.txt": b"no key\n"}, path), keys="")
    assert verdict.rows["signature"] == ("note", "signature-unchecked")


def test_a_key_that_did_not_sign_is_named(page: Page, data: bytes) -> None:
    [verdict] = judged_tournaments(page, [data], STRANGER.verifying.text)
    assert verdict.failures["log"][:2] == (None, "note-unsigned")
    assert verdict.failures["matches"][1] == "match-file-wrong"


# ── flipped, cut, missing and foreign parts ──


def flipped(data: bytes, at: int, mask: int) -> bytes:
    return data[:at] + bytes([data[at] ^ mask]) + data[at + 1 :]


def flips(page: Page, data: bytes, count: int) -> None:
    """Flip bits all over a file: the page never finds it right, and never fails."""
    random = Random(len(data))
    places = [(random.randrange(len(data)), random.choice((1, 0x20, 0x80))) for _ in range(count)]
    verdicts = judged_tournaments(page, [flipped(data, *place) for place in places], KEY)
    for place, verdict in zip(places, verdicts, strict=True):
        assert verdict.state == "wrong", place
        assert "cannot-be-checked" not in [id for _, id, _ in verdict.failures.values()], place


def test_a_flip_anywhere_in_the_file_is_found(page: Page, data: bytes) -> None:
    flips(page, data, 12)


@pytest.mark.long
def test_many_flips_anywhere_in_the_file_are_found(page: Page, data: bytes) -> None:
    flips(page, data, 600)


def test_a_flipped_byte_of_the_log_names_its_entry(page: Page, members: Members, path: Path) -> None:
    content, random = members["tournament.ndjson"], Random(7)
    for at in [random.randrange(len(content)) for _ in range(5)] + [0, len(content) - 1]:
        packed({**members, "tournament.ndjson": flipped(content, at, random.choice((1, 0x20, 0x80)))}, path)
        assert both(page, path).failures["log"][0] == content.count(b"\n", 0, at) + 1, at


def test_a_flipped_cut_missing_or_foreign_part_is_named(
    page: Page, cup: Cup, log: TournamentLog, members: Members, path: Path
) -> None:
    parts_are_named(page, members, members_of(file_of(cup, log, 20)), path, every=5)


@pytest.mark.long
def test_every_flipped_cut_missing_or_foreign_part_is_named(
    page: Page, cup: Cup, log: TournamentLog, members: Members, path: Path
) -> None:
    parts_are_named(page, members, members_of(file_of(cup, log, 20)), path)


def parts_are_named(page: Page, members: Members, other: Members, path: Path, every: int = 1) -> None:
    """Flip, cut, lose or exchange one part after the other (one of so many changes); each is found."""
    changed = list[tuple[str, Members]]()
    for name, content in members.items():
        if name == MANIFEST:
            continue
        middle = len(content) // 2
        for part in (flipped(content, middle, 1), content[:middle]):
            changed.append((name, {**members, name: part}))
        if name in other and other[name] != content:
            changed.append((name, {**members, name: other[name]}))
        changed.append((name, {key: part for key, part in members.items() if key != name}))
    changed = changed[::every]
    files = [packed(found, path, hashed=False).read_bytes() for _, found in changed]
    for (name, _), verdict in zip(changed, judged_tournaments(page, files, KEY), strict=True):
        assert verdict.state == "wrong", name
        assert verdict.failures.keys() & {"log", "matches"}, (name, verdict)


def test_a_match_file_of_another_board_is_named_with_its_board(
    page: Page, members: Members, path: Path
) -> None:
    one, other = [name for name in members if name.startswith("matches/")][:2]
    for changed in (
        {**members, one: members[other]},
        {name: members[name] for name in members if name != one},
    ):
        _, _, place = both(page, packed(changed, path)).failures["matches"]
        assert place is not None
        assert (place["round"], place["board"]) == (1, 1)
    spoilt = {**members, other: with_part(members[other], "log.ndjson", b"{}\n")}
    assert both(page, packed(spoilt, path)).failures["matches"][1] == "match-file-wrong"


# ── forgeries whose manifest fits and whose log is signed ──


def pay(entries: list[Json]) -> None:
    forgeries.of_kind(entries, "published")["at_entry"] -= 1


def open_other(entries: list[Json]) -> None:
    forgeries.of_kind(entries, "board_opened")["root"] = forgeries.of_kind(entries, "board_opened", 1)["root"]


def seat_others(entries: list[Json]) -> None:
    entry = forgeries.of_kind(entries, "result_recorded")
    entry["sides"] = dict(zip(entry["sides"], reversed(entry["sides"].values()), strict=True))


def change_terms(entries: list[Json]) -> None:
    entries[0]["terms"]["rounds"] += 1


def show_party(entries: list[Json]) -> None:
    entries[3]["sealed"]["house"] = entries[3]["sealed"]["officials"]


def lose_round(entries: list[Json]) -> None:
    forgeries.of_kind(entries, "round_closed")["round"] = 7


@pytest.mark.parametrize(
    ("change", "question", "sentence"),
    [
        (forgeries.win, "results", "result-not-of-match"),
        (forgeries.hurry, "results", "result-not-of-match"),
        (forgeries.win_twice, "results", "result-twice"),
        (forgeries.move_root, "results", "result-not-of-match"),
        (forgeries.confirm, "results", "confirmed-unverified"),
        (forgeries.fail_later, "results", "confirmed-unverified"),
        (forgeries.swap_colours, "results", "result-not-of-match"),
        (forgeries.draw, "lots", "scheme-draws-otherwise"),
        (forgeries.commit, "lots", "another-commitment"),
        (forgeries.give_points, "standings", "standings-hash"),
        (forgeries.give_bundle, "standings", "bundle-hash"),
        (pay, "standings", "published-elsewhere"),
        (open_other, "results", "opened-another-match"),
        (seat_others, "results", "result-not-of-match"),
        (change_terms, "log", "terms-hash"),
        (show_party, "log", "party-in-public"),
        (lose_round, "log", "entry-not-folded"),
        *((change, "log", "entrant-not-entered") for change, _, _ in forgeries.STRANGERS),
    ],
    ids=lambda value: getattr(value, "__name__", "") or None,
)
def test_a_forgery_under_a_signed_log_is_named_as_the_command_line_names_it(
    page: Page,
    members: Members,
    log: TournamentLog,
    path: Path,
    change: Callable[[list[Json]], None],
    question: str,
    sentence: str,
) -> None:
    verdict = both(page, forged(members, path, change, log.id))
    assert verdict.state == "wrong"
    assert verdict.failures[question][1] == sentence, verdict


def test_what_was_verified_later_is_confirmed(
    page: Page, members: Members, log: TournamentLog, path: Path
) -> None:
    verdict = both(page, forged(members, path, forgeries.verify_later, log.id))
    assert not {"log", "results"} & verdict.failures.keys(), verdict


def change_something(entries: list[Json], random: Random) -> None:
    """Lose, empty, exchange or change one field of one entry."""
    entry = random.choice(entries)
    name = random.choice([name for name in entry if name != "prev"])
    others = [other[name] for other in entries if name in other and other[name] != entry[name]]
    value = entry.pop(name)
    match random.randrange(4):
        case 0:
            entry[name] = None
        case 1 if others:
            entry[name] = random.choice(others)
        case 2 if isinstance(value, int):
            entry[name] = value + 1
        case 2 if isinstance(value, str):
            entry[name] = f"{value}x"


@pytest.mark.long
def test_whatever_was_changed_under_a_signed_log_both_verifiers_find(
    page: Page, members: Members, log: TournamentLog, path: Path
) -> None:
    random = Random(17)
    for _ in range(200):
        forged(members, path, lambda entries: change_something(entries, random), log.id)
        report = verify(path, PINNED, without=("pairings",))
        [verdict] = judged_tournaments(page, [path.read_bytes()], KEY)
        assert report.ok == (verdict.state != "wrong"), (report.failures, verdict)


def test_parts_that_do_not_follow_from_the_entries_are_named(
    page: Page, members: Members, path: Path
) -> None:
    for name in ("rounds/r01.json", "rounds/r02.trf", "private.ndjson"):
        changed = {**members, name: members[name].replace(b"1", b"2", 1)}
        assert "log" in both(page, packed(changed, path)).failures, name
    packed({**members, "standings/at-5.json": b"{}"}, path)
    assert both(page, path).failures["log"][1] == "foreign-member"


# ── hostile archives ──

INNER = """async (text) => {
  const file = new Blob([Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0))]);
  const { failures } = await GlasnostTournament.verify(file);
  return failures.find(({ question }) => question === "matches").values.inner.id;
}"""

REFUSED = {
    "bomb": "not-packed-here",
    "above": "foreign-member",
    "absolute": "foreign-member",
    "in a folder": "foreign-member",
    "foreign": "foreign-member",
    "many": "too-many-members",
    "count": "too-many-members",
    "only readme": "not-packed-here",
}


def test_a_hostile_archive_is_refused_by_its_directory(page: Page) -> None:
    verdicts = judged_tournaments(page, forgeries.HOSTILE.values())
    for name, verdict in zip(forgeries.HOSTILE, verdicts, strict=True):
        assert verdict.failures["log"][1] == REFUSED.get(name, "archive-without-end"), name
        assert verdict.rows["archive"][0] == "wrong"
        assert "ok" not in [state for state, _ in verdict.rows.values()]


def test_members_that_are_there_twice_too_large_or_hidden_are_refused(
    page: Page, data: bytes, members: Members, path: Path
) -> None:
    one, other = (name.encode() for name in members if name.startswith("standings/"))
    directory = forgeries._end(data)[5]
    second = data.index(b"PK\x01\x02", directory + 4)
    overlapping = data[: second + 42] + data[directory + 42 : directory + 46] + data[second + 46 :]
    hidden = forgeries.with_end(data[:directory] + b"hidden" + data[directory:], begin=directory + 6)
    large = packed({**members, "keys.txt": b"x" * 65_537}, path).read_bytes()
    wanted = {
        "member-of-archive-twice": data.replace(other, one),
        "not-packed-here": overlapping,
        "archive-without-end": hidden,
        "member-too-large": large,
        "unread": data[:-1],
    }
    verdicts = judged_tournaments(page, wanted.values())
    found = [verdict.failures["log"][1] for verdict in verdicts]
    assert found == [*list(wanted)[:-1], "archive-without-end"]


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        (MANIFEST, b"{}", "not-a-manifest"),
        (MANIFEST, b"[" * 100_000, "not-a-manifest"),
        (MANIFEST, b'{"format":"glasnost match","version":1}', "not-a-manifest"),
        (MANIFEST, b'{"format":"glasnost tournament","version":2}', "format-newer"),
        ("tournament.ndjson", b"", "last-line-cut-off"),
        ("tournament.ndjson", b"[" * 60_000 + b"\n", "not-canonical-json"),
        ("tournament.ndjson", b'{"kind":"x"}\n', "no-tournament-entry"),
        ("tournament.ndjson", b"\n" * 1_000_000, "too-many-lines"),
        ("checkpoint.txt", b"\xff\xfe\n", "not-utf-8"),
        ("private.ndjson", b"null\n" * 1_000, "lines-and-entries"),
        ("transparency.json", b"[" * 1_000, "log-proof-unread"),
    ],
)
def test_a_part_of_foreign_bytes_is_named(
    page: Page, members: Members, path: Path, name: str, content: bytes, sentence: str
) -> None:
    path = packed({**members, name: content}, path, hashed=name != MANIFEST)
    [verdict] = judged_tournaments(page, [path.read_bytes()], KEY)
    assert verdict.failures["log"][1] == sentence


def test_a_match_that_claims_more_bytes_than_a_match_may_have_is_refused_unread(page: Page) -> None:
    # given an archive of one byte, whose directory claims a match of 64 MiB
    small = forgeries.archive_of(("matches/r01-b01-m1.glasnost", b"x"))
    sizes = small.index(b"PK\x01\x02") + 20
    claims = small[:sizes] + pack("<LL", 2**26, 2**26) + small[sizes + 8 :]
    # when the page looks at it, then it refuses it by its directory
    [verdict] = judged_tournaments(page, [claims])
    assert verdict.failures["log"][1] == "member-too-large"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"[" * 300_000 + b"\n", "not-canonical-json"),
        (b"\n" * 200_000, "too-many-lines"),
        (b"{" * 500_000, "last-line-cut-off"),
    ],
    ids=["deep", "many", "long"],
)
def test_a_match_of_hostile_lines_is_named(
    page: Page, members: Members, path: Path, content: bytes, sentence: str
) -> None:
    name = next(name for name in members if name.startswith("matches/"))
    packed({**members, name: with_part(members[name], "log.ndjson", content)}, path)
    [verdict] = judged_tournaments(page, [path.read_bytes()], KEY)
    assert verdict.failures["matches"][1] == "match-file-wrong"
    assert page.evaluate(INNER, text_of(path.read_bytes())) == sentence


# ── the server's log ──


@pytest.fixture(scope="module")
def logged(cup: Cup, log: TournamentLog) -> Logged:
    """A server's log that holds the entries of the tournament and its matches among others."""
    found = Logged(cup, log, [])
    matches = [
        leaf for one in log.state.rounds for board in one.boards for leaf in found.match_leaves(board.match)
    ]
    return replace(found, leaves=[b"leaf 1", *matches, *found.entries, b"leaf 2"])


@pytest.fixture(scope="module")
def proved(logged: Logged) -> Members:
    """The members of a file whose proofs are complete."""
    return members_of(logged.file(logged.proof(logged.entries)))


def test_a_proof_under_a_cosigned_checkpoint_is_right(page: Page, proved: Members, path: Path) -> None:
    data = packed(proved, path).read_bytes()
    [right, noted] = [judged_tournaments(page, [data], KEY, policy)[0] for policy in (POLICY_TEXT, "")]
    assert (right.state, right.rows["logged"]) == ("ok", ("ok", "entries-logged"))
    assert (noted.state, noted.rows["logged"]) == ("note", ("note", "entries-logged-unchecked"))
    assert noted.rows["matches"] == ("note", "matches-unchecked")


def test_missing_foreign_and_flipped_proofs_have_the_sentence_of_the_command_line(
    page: Page, data: bytes, logged: Logged, proved: Members, path: Path
) -> None:
    good = logged.proof(logged.entries)
    last = logged.leaves.index(logged.entries[-1])
    flip = replace(good.proofs[3], hashes=(good.proofs[2].hashes[0], *good.proofs[3].hashes[1:]))
    stranger = STRANGER.sign(Note.parse(good.checkpoint).text)
    cases: dict[str, Evidence | None] = {
        "log-proof-missing": None,
        "too-few-witnesses": logged.proof(logged.entries, by=("X3", "Y1", "Y2")),
        "log-not-in-policy": replace(good, checkpoint=stranger),
        "log-proof-without-end": logged.proof(logged.entries, size=last),
        "log-proof-foreign": replace(good, proofs=(*good.proofs[:4], *good.proofs[5:])),
        "inclusion-does-not-fit": replace(good, proofs=(*good.proofs[:3], flip, *good.proofs[4:])),
        "log-proof-unread": replace(good, proofs=(*good.proofs, good.proofs[-1])),
    }
    bare = {name: part for name, part in proved.items() if name != evidence.MEMBER}
    files = [
        packed(bare if proof is None else {**proved, evidence.MEMBER: proof.bytes}, path).read_bytes()
        for proof in cases.values()
    ]
    found = judged_tournaments(page, files, KEY, POLICY_TEXT)
    assert [verdict.failures["log"][1] for verdict in found] == list(cases)
    [without] = judged_tournaments(page, [data], KEY, POLICY_TEXT)
    assert without.failures.keys() == {"log", "matches"}


@pytest.mark.long
def test_every_flipped_or_cut_proof_is_found(page: Page, proved: Members, path: Path) -> None:
    proof = proved[evidence.MEMBER]
    for place in range(0, len(proof), len(proof) // 100):
        for content in (flipped(proof, place, 1), proof[:place]):
            packed({**proved, evidence.MEMBER: content}, path)
            [verdict] = judged_tournaments(page, [path.read_bytes()], KEY, POLICY_TEXT)
            assert "log" in verdict.failures, place


# ── what a person sees ──


@pytest.fixture
def fresh(page: Page) -> Iterator[Page]:
    """The page as it opens; what a test changes in it is gone after it."""
    page.goto(PAGE.as_uri())
    yield page
    page.goto(PAGE.as_uri())


def choose(page: Page, data: bytes) -> None:
    """Give the page a file; it knows by the content that it is one of a tournament."""
    page.set_input_files("#file", FilePayload(name="cup.zip", mimeType="application/zip", buffer=data))


def test_a_person_sees_the_tournament_and_what_is_left_to_the_command_line(fresh: Page, data: bytes) -> None:
    choose(fresh, data)
    verdict = fresh.locator("#verdict")
    expect(verdict).to_have_attribute("data-state", "note")
    expect(verdict).to_contain_text("leaves two to the command line")
    expect(fresh.locator("#match")).to_contain_text("Cup")
    expect(fresh.locator("[data-row=matches]")).to_contain_text("4: each proves its log and its draws")
    fresh.locator("summary").click()
    fresh.locator("#keys").fill(KEY)
    fresh.locator("#again").click()
    expect(verdict).to_have_attribute("data-state", "ok")
    fresh.get_by_role("button", name="Русский").click()
    expect(fresh.locator("[data-row=matches]")).to_contain_text("Партий: 4")


def test_a_person_sees_which_board_is_wrong(
    fresh: Page, members: Members, log: TournamentLog, path: Path
) -> None:
    choose(fresh, forged(members, path, forgeries.win, log.id).read_bytes())
    entry = next(record for record in log.records if record.kind == "result_recorded").entry
    verdict = fresh.locator("#verdict")
    expect(verdict).to_contain_text(
        f"Wrong, first at entry {entry.entry}: Results: round 1, board {entry.board}, match {entry.match}: "
    )
    fresh.get_by_role("button", name="Русский").click()
    expect(verdict).to_contain_text(f"Неверно, впервые в записи {entry.entry}: Результаты: тур 1, доска")


@pytest.fixture(scope="module")
def large() -> tuple[str, bytes]:
    """The id and the file of a tournament of 448 matches."""
    with pytest.MonkeyPatch.context() as changed:
        changed.setitem(GAMES, "toy", toy.GAME)
        cup = run(played(7, 128))
        return cup.id, file_of(cup, run(cup.log()))


@pytest.mark.long
def test_a_tournament_of_448_matches_is_checked_and_one_changed_result_is_named(
    fresh: Page, large: tuple[str, bytes], path: Path
) -> None:
    name, data = large
    path.write_bytes(data)
    fresh.locator("#keys").evaluate("(field, key) => { field.value = key; }", KEY)
    fresh.set_input_files("#file", path)
    verdict, results = fresh.locator("#verdict[data-state]"), fresh.locator("[data-row=results]")
    verdict.wait_for(timeout=600_000)
    expect(verdict).to_have_attribute("data-state", "ok")
    expect(results).to_contain_text("448 of 448")
    fresh.set_input_files("#file", forged(members_of(data), path.with_name("forged"), forgeries.win, name))
    verdict.wait_for(timeout=600_000)
    expect(results).to_have_attribute("data-id", "result-not-of-match")


# ── a file with hundreds of long matches ──


STOPPED = """() => {
  document.querySelector("#again").click();
  document.querySelector("#stop").click();
}"""


def test_a_stopped_check_says_nothing_and_the_file_can_be_chosen_again(
    fresh: Page, data: bytes, path: Path
) -> None:
    # given a file that was checked
    path.write_bytes(data)
    fresh.set_input_files("#file", path)
    verdict, waiting, stop = fresh.locator("#verdict"), fresh.locator("#waiting"), fresh.locator("#stop")
    expect(verdict).to_have_attribute("data-state", "note")
    expect(stop).to_be_hidden()
    # when another check is stopped, then nothing is said of the file, in either language
    fresh.evaluate(STOPPED)
    expect(waiting).to_contain_text("Stopped")
    assert fresh.evaluate("document.activeElement.id") == "file"
    fresh.get_by_role("button", name="Русский").click()
    expect(waiting).to_contain_text("остановлена")
    expect(verdict).to_be_empty()
    expect(verdict).not_to_have_attribute("data-state", "note")
    expect(stop).to_be_hidden()
    # when the same file is chosen again, then it is checked
    fresh.set_input_files("#file", path)
    expect(verdict).to_have_attribute("data-state", "note")
    expect(waiting).to_be_hidden()


WATCH = """() => {
  window.progress = [];
  new MutationObserver(() => window.progress.push(document.querySelector("#waiting").textContent))
    .observe(document.querySelector("#waiting"), { childList: true });
}"""


SLOW = """() => {
  let now = performance.now();
  performance.now = () => (now += 400);
  window.spoken = [];
  const place = document.querySelector("#spoken"), note = () => window.spoken.push([now, place.textContent]);
  new MutationObserver(note).observe(place, { childList: true });
}"""
"""Lets each look at the time take 400 ms, and notes what a screen reader would say, and when."""


def test_a_screen_reader_hears_of_the_progress_now_and_then_and_of_the_end(fresh: Page, data: bytes) -> None:
    # given a page in which a check takes long
    fresh.evaluate(WATCH)
    fresh.evaluate(SLOW)
    # when it checks a file
    choose(fresh, data)
    verdict = fresh.locator("#verdict")
    expect(verdict).to_have_attribute("data-state", "note")
    # then the progress was seen more often than it was spoken, and the verdict was spoken at the end
    seen, spoken = fresh.evaluate("progress"), fresh.evaluate("spoken")
    times = [time for time, text in spoken[:-1] if text]
    assert 3 < len(times) < len(seen) / 3
    assert all(after - before >= 5_000 for before, after in pairwise(times))
    assert spoken[-1][1] == " ".join(verdict.locator("p").all_text_contents())
    # when the file is checked again and that is stopped, then this was spoken
    fresh.evaluate(STOPPED)
    expect(fresh.locator("#spoken")).to_contain_text("Stopped.")
    fresh.get_by_role("button", name="Русский").click()
    expect(fresh.locator("#spoken")).to_be_empty()
    # and what changes all the time is no status
    assert fresh.locator("[role=status]").count() == 1


def flip(path: Path, at: int) -> None:
    """Change one bit of the byte at a place of a file."""
    with path.open("r+b") as file:
        file.seek(at)
        [byte] = file.read(1)
        file.seek(at)
        file.write(bytes([byte ^ 1]))


HEAP, PLACE = "JSHeapUsedSize", attrgetter("header_offset")
MOST_HEAP = 256 * 2**20
"""Bytes of JavaScript that the page may hold after a file of 177 MB: it holds one match file at a time."""


@pytest.mark.long
def test_448_matches_of_420_moves_are_checked_in_bounded_memory(fresh: Page, tmp_path: Path) -> None:
    # given the file of a tournament with long matches, and a page that notes what it says on the way
    path, folder = tmp_path / "long", tmp_path / "store"
    key = long_bundle.make(folder, path)
    cdp = fresh.context.new_cdp_session(fresh)
    cdp.send("Performance.enable")
    fresh.evaluate(WATCH)
    fresh.locator("#keys").evaluate("(field, key) => { field.value = key; }", key)
    verdict, matches = fresh.locator("#verdict[data-state]"), fresh.locator("[data-row=matches]")
    # when it checks the file
    fresh.set_input_files("#file", path)
    heaps = list[float]()
    while not verdict.count():
        fresh.wait_for_timeout(200)
        metrics = cdp.send("Performance.getMetrics")["metrics"]
        heaps += [one["value"] for one in metrics if one["name"] == HEAP]
    # then the file is right, the page has counted its matches, and its memory stayed within bounds
    expect(verdict).to_have_attribute("data-state", "ok")
    expect(matches).to_contain_text("448")
    expect(fresh.locator("[data-row=results]")).to_contain_text("448 of 448")
    shown = {line.split(":")[0] for line in fresh.evaluate("progress") if line.startswith("Checking match ")}
    assert len(shown) > 100
    assert max(heaps) < MOST_HEAP
    # when one byte of the last match is flipped, then that match is named, and its board
    with zipfile.ZipFile(path) as archive:
        last = max((one for one in archive.infolist() if one.filename.startswith("matches/")), key=PLACE)
    flip(path, last.header_offset + last.file_size // 2)
    other = path.rename(path.with_name("flipped"))  # a browser says nothing if the same file is chosen again
    fresh.set_input_files("#file", other)
    verdict.wait_for(timeout=600_000)
    expect(verdict).to_have_attribute("data-state", "wrong")
    expect(matches).to_have_attribute("data-id", "match-file-wrong")
    expect(matches).to_contain_text("round 7, board 64")
