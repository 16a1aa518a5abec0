"""`glasnost verify --policy`: a match file must show that it is in the server's log, as witnesses saw it."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from domain.game import Game
from domain.log import b64, unb64
from domain.match import Match
from domain.signed_notes import Note
from replay import matchfile
from replay.transparency import evidence
from replay.transparency.evidence import Evidence
from tests.cli.program import Program
from tests.replay.files import KEY, STRANGER, note_of, short_match, with_part
from tests.replay.stranger import Disproved
from tests.replay.stranger_log import logged
from tests.replay.transparency.test_evidence import proof_for
from tests.replay.transparency.test_policy import W

NAMES = ("X1", "X2", "X3")


@pytest.fixture
def match(toy_game: Game) -> Match:
    return short_match(toy_game)


@pytest.fixture
def program(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Program:
    return Program(capsys, tmp_path)


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    lines = [f"witness {name} {W[name].verifying.text}" for name in NAMES]
    path = tmp_path / "club.policy"
    path.write_text("\n".join([f"log {KEY.verifying.text}", *lines, "group g 2 X1 X2 X3", "quorum g", ""]))
    return path


def cosigned(proof: Evidence, *names: str) -> Evidence:
    text = Note.parse(proof.checkpoint).text
    lines = "".join(W[name].cosign(text, 1_790_000_000) for name in names)
    return replace(proof, checkpoint=proof.checkpoint + lines)


def file_with(folder: Path, match: Match, proof: Evidence | None) -> Path:
    path = folder / "match.glasnost"
    path.write_bytes(matchfile.write(match.records, note_of(match.records), proof))
    return path


def test_a_file_with_two_of_three_cosignatures_verifies_without_a_network(
    match: Match, program: Program, policy: Path, tmp_path: Path
) -> None:
    proof = cosigned(proof_for(evidence.match_leaves(match.records)), "X1", "X3")
    done = program("verify", file_with(tmp_path, match, proof), "--policy", policy).ok()
    assert "the server's log: opening and end among the 42 leaves of games.example/log" in done.out
    assert f"signed by {KEY.verifying.label}, cosigned by 2 of 3 witnesses (X1, X3)" in done.out


def wrong(program: Program, *arguments: str | Path) -> str:
    done = program("verify", *arguments)
    assert (done.code, done.err) == (1, ""), done
    return done.out


def test_a_file_without_a_proof_is_named_only_if_a_policy_asks(
    match: Match, program: Program, policy: Path, tmp_path: Path
) -> None:
    path = file_with(tmp_path, match, None)
    assert "the file holds no proof" in wrong(program, path, "--policy", policy)
    assert "the server's log" not in program("verify", path).ok().out


def test_too_few_cosignatures_are_named(match: Match, program: Program, policy: Path, tmp_path: Path) -> None:
    proof = cosigned(proof_for(evidence.match_leaves(match.records)), "X2", "Y1", "Y2")
    path = file_with(tmp_path, match, proof)
    assert "1 of 3 witnesses of the policy cosigned this checkpoint" in wrong(
        program, path, "--policy", policy
    )


def test_the_proof_of_the_opening_alone_is_not_enough(
    match: Match, program: Program, policy: Path, tmp_path: Path
) -> None:
    whole = cosigned(proof_for(evidence.match_leaves(match.records)), "X1", "X2")
    path = file_with(tmp_path, match, replace(whole, proofs=whole.proofs[:1]))
    assert "but not that the end is" in wrong(program, path, "--policy", policy)


def test_a_checkpoint_by_another_key_is_named(
    match: Match, program: Program, policy: Path, tmp_path: Path
) -> None:
    whole = proof_for(evidence.match_leaves(match.records))
    forged = replace(whole, checkpoint=STRANGER.sign(Note.parse(whole.checkpoint).text))
    path = file_with(tmp_path, match, cosigned(forged, "X1", "X2"))
    assert "no log of the policy signed this checkpoint" in wrong(program, path, "--policy", policy)


def test_the_proof_of_another_match_is_named(
    match: Match, toy_game: Game, program: Program, policy: Path, tmp_path: Path
) -> None:
    other = proof_for([*evidence.match_leaves(match.records)][::-1])
    path = file_with(tmp_path, match, cosigned(other, "X1", "X2"))
    assert "wrong: log" in wrong(program, path, "--policy", policy)


def test_every_flipped_byte_of_a_proof_is_found(
    match: Match, program: Program, policy: Path, tmp_path: Path
) -> None:
    """Some bytes of the proof are flipped, and the proof is cut there: nothing verifies."""
    proof = cosigned(proof_for(evidence.match_leaves(match.records)), "X1", "X2")
    whole = file_with(tmp_path, match, proof).read_bytes()
    path = tmp_path / "changed.glasnost"
    for place in range(0, len(proof.bytes), 150):
        flipped = bytearray(proof.bytes)
        flipped[place] ^= 1
        for content in (bytes(flipped), proof.bytes[:place]):
            path.write_bytes(with_part(whole, evidence.MEMBER, content))
            assert program("verify", path, "--policy", policy).code == 1, (place, content[:80])


def test_a_flipped_cosignature_is_named(match: Match, program: Program, policy: Path, tmp_path: Path) -> None:
    proof = cosigned(proof_for(evidence.match_leaves(match.records)), "X1", "X2", "X3")
    line = Note.parse(proof.checkpoint).signatures[-1]
    data = bytes.fromhex(line.id) + line.signature
    changed = b64(data[:-1] + bytes([data[-1] ^ 1]))
    assert unb64(changed) != data
    path = file_with(tmp_path, match, replace(proof, checkpoint=proof.checkpoint.replace(b64(data), changed)))
    assert f"the signature by {line.label} does not fit" in wrong(program, path, "--policy", policy)


def test_what_is_no_policy_is_named_with_its_line(match: Match, program: Program, tmp_path: Path) -> None:
    (tmp_path / "policy").write_text("quorum none\nquorum none\n")
    path = file_with(tmp_path, match, None)
    program("verify", path, "--policy", tmp_path / "policy").refused(
        2, "policy: line 2: a policy has one quorum"
    )
    program("verify", "--store", tmp_path, "--policy", tmp_path / "policy").refused(
        2, "--policy is for match files"
    )


# ── a verifier of strangers agrees ──

LOG = KEY.verifying.text
STRANGERS = {name: W[name].verifying.text for name in NAMES}


def test_a_second_verifier_that_uses_nothing_of_this_project_agrees(match: Match) -> None:
    leaves = evidence.match_leaves(match.records)
    whole = cosigned(proof_for(leaves), "X1", "X3")
    data = matchfile.write(match.records, note_of(match.records), whole)
    assert logged(data, LOG, STRANGERS, 2) == ["X1", "X3"]
    moved = replace(whole.proofs[0], index=8)
    wrong = {
        "one witness": cosigned(proof_for(leaves), "X1"),
        "no end": replace(whole, proofs=whole.proofs[:1]),
        "another place": replace(whole, proofs=(moved, whole.proofs[1])),
        "another log": replace(whole, checkpoint=STRANGER.sign(Note.parse(whole.checkpoint).text)),
        "a longer log": replace(whole, checkpoint=whole.checkpoint.replace("\n42\n", "\n43\n")),
    }
    for name, proof in wrong.items():
        with pytest.raises(Disproved):
            pytest.fail(f"{name}: {logged(with_part(data, evidence.MEMBER, proof.bytes), LOG, STRANGERS, 2)}")
