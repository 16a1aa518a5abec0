"""verify.html and the server's log: it says of a proof and a policy what `glasnost verify --policy` says."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from playwright.sync_api import FilePayload, Page, expect

from domain.game import Game
from domain.log import b64
from domain.match import Match
from domain.signed_notes import Note
from replay import matchfile
from replay.transparency import evidence
from replay.transparency.evidence import Evidence
from replay.transparency.policy import Policy
from replay.verify import verify
from tests.replay.files import KEY, PINNED, STRANGER, note_of, short_match, with_part
from tests.replay.transparency.test_evidence import proof_for
from tests.replay.transparency.test_policy import EXAMPLE, W
from tests.web.verifier import VKEY, Verdict, judged
from tests.web.verifier import kept as kept
from tests.web.verifier import page as page

POLICY = "\n".join(
    [
        f"log {KEY.verifying.text}",
        *(f"witness {name} {W[name].verifying.text}" for name in ("X1", "X2", "X3")),
        "group g 2 X1 X2 X3",
        "quorum g",
        "",
    ]
)


@pytest.fixture
def match(toy_game: Game) -> Match:
    return short_match(toy_game)


@pytest.fixture
def proof(match: Match) -> Evidence:
    return proof_for(evidence.match_leaves(match.records))


def cosigned(proof: Evidence, *names: str) -> Evidence:
    text = Note.parse(proof.checkpoint).text
    lines = "".join(W[name].cosign(text, 1_790_000_000) for name in names)
    return replace(proof, checkpoint=proof.checkpoint + lines)


def file_with(match: Match, proof: Evidence | None) -> bytes:
    return matchfile.write(match.records, note_of(match.records), proof)


def both(page: Page, data: bytes, policy: str = POLICY) -> Verdict:
    """The verdict of the page, which must be that of the Python verifier, with the same sentence."""
    report = verify(data, PINNED, policy=Policy.parse(policy.encode()) if policy else None)
    [verdict] = judged(page, [data], policy=policy)
    assert report.ok == (verdict.state != "wrong"), (report, verdict)
    if not report.ok:
        said = report.failures[0].said
        assert verdict.id == (said if isinstance(said, str) else said.id), (report, verdict)
        assert verdict.rows["logged"][0] == "wrong"
    return verdict


def test_two_of_three_witnesses_are_right(page: Page, match: Match, proof: Evidence) -> None:
    verdict = both(page, file_with(match, cosigned(proof, "X1", "X3")))
    assert (verdict.state, verdict.rows["logged"]) == ("ok", ("ok", "logged-ok"))


def test_a_proof_without_a_policy_is_a_note_and_none_is_no_row(
    page: Page, match: Match, proof: Evidence
) -> None:
    assert both(page, file_with(match, proof), "").rows["logged"] == ("note", "logged-unchecked")
    opening = replace(proof, proofs=proof.proofs[:1])
    assert both(page, file_with(match, opening), "").rows["logged"] == ("note", "logged-opening")
    assert "logged" not in both(page, file_with(match, None), "").rows


def test_what_the_policy_does_not_accept_has_the_same_sentence(
    page: Page, match: Match, proof: Evidence
) -> None:
    stranger = replace(proof, checkpoint=STRANGER.sign(Note.parse(proof.checkpoint).text))
    whole = cosigned(proof, "X1", "X2", "X3")
    line = Note.parse(whole.checkpoint).signatures[-1]
    data = bytes.fromhex(line.id) + line.signature
    flipped = whole.checkpoint.replace(b64(data), b64(data[:-1] + bytes([data[-1] ^ 1])))
    later = whole.checkpoint.replace(b64(data), b64(data[:11] + bytes([data[11] ^ 1]) + data[12:]))
    moved = replace(whole.proofs[1], index=30)
    cases = {
        "log-proof-missing": None,
        "too-few-witnesses": cosigned(proof, "X2", "Y1", "Y2"),
        "log-proof-without-end": replace(whole, proofs=whole.proofs[:1]),
        "log-not-in-policy": cosigned(stranger, "X1", "X2"),
        "log-proof-foreign": cosigned(proof_for(evidence.match_leaves(match.records)[::-1]), "X1", "X2"),
        "inclusion-does-not-fit": replace(whole, proofs=(whole.proofs[0], moved)),
        "signature-does-not-fit": replace(whole, checkpoint=flipped),
    }
    assert {name: both(page, file_with(match, found)).id for name, found in cases.items()} == {
        name: name for name in cases
    }
    assert both(page, file_with(match, replace(whole, checkpoint=later))).id == "signature-does-not-fit"


def test_flipped_and_cut_proofs_are_wrong_for_both(page: Page, match: Match, proof: Evidence) -> None:
    proof = cosigned(proof, "X1", "X2")
    whole = file_with(match, proof)
    changed = list[bytes]()
    for place in range(0, len(proof.bytes), 250):
        flipped = bytearray(proof.bytes)
        flipped[place] ^= 1
        changed += [with_part(whole, evidence.MEMBER, part) for part in (bytes(flipped), proof.bytes[:place])]
    policy = Policy.parse(POLICY.encode())
    assert not any(verify(one, PINNED, policy=policy).ok for one in changed)
    assert {verdict.state for verdict in judged(page, changed, policy=POLICY)} == {"wrong"}


def test_groups_count_as_in_the_example_of_the_specification(
    page: Page, match: Match, proof: Evidence
) -> None:
    text = EXAMPLE.split("\n", 1)[1].replace("log ", "# ")
    policy = f"log {KEY.verifying.text}\n{text}"
    good, bad = cosigned(proof, "X1", "X3", "Y2"), cosigned(proof, "X1", "Y1", "Y2", "Y3")
    assert both(page, file_with(match, good), policy).state == "ok"
    assert both(page, file_with(match, bad), policy).id == "too-few-witnesses"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("log x\nquorum none\n", 1),
        (f"log {VKEY}\nquorum g\n", 2),
        (f"log {VKEY}\n", 0),
        ("quorum none\r\n", 0),
    ],
)
def test_what_is_no_policy_is_named_with_its_line(page: Page, match: Match, text: str, line: int) -> None:
    [verdict] = judged(page, [file_with(match, None)], policy=text)
    assert (verdict.state, verdict.id) == ("wrong", "policy-line")
    assert line >= 0


def test_the_page_shows_the_row_in_both_languages(page: Page, match: Match, proof: Evidence) -> None:
    data = file_with(match, cosigned(proof, "X1", "X2"))
    page.locator("#given").evaluate("node => { node.open = true; }")
    page.fill("#keys", VKEY)
    page.fill("#policy", POLICY)
    page.set_input_files("#file", FilePayload(name="m.glasnost", mimeType="application/zip", buffer=data))
    row = page.locator("tr[data-row=logged]")
    expect(row).to_contain_text("Cosigned by 2 of 3 witnesses: X1, X2")
    page.click("[data-lang=ru]")
    expect(row).to_contain_text("Заверили свидетели: 2 из 3 (X1, X2)")
    page.click("[data-lang=en]")
    for field in ("#keys", "#policy"):
        page.fill(field, "")
