"""Tournament files with proofs from the server's log: all of it must be there, as witnesses saw it."""

from __future__ import annotations

import io
import pickle
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec import Struct
from msgspec.structs import replace

from api.gate.tournament_commands import KIND
from domain.merkle import leaf_hash
from domain.signed_notes import Checkpoint, Note, checkpoint
from domain.tournaments.history import TournamentLog
from replay import matchfile
from replay.tournaments.file import README, write
from replay.tournaments.report import LOG, MATCHES, Report, lines
from replay.tournaments.verify import verify
from replay.transparency import evidence
from replay.transparency.evidence import Evidence
from replay.transparency.policy import Policy
from replay.transparency.tiles import grown, hash_at
from replay.transparency.tree import root
from tests.api.gate.tables import run
from tests.api.gate.tournaments import Cup
from tests.replay import stranger_log
from tests.replay.files import KEY, STRANGER, with_part
from tests.replay.stranger import Disproved
from tests.replay.tournaments.bundles import KEYS, Members, file_of, members_of, packed, played
from tests.replay.transparency.test_policy import W

NAMES = ("X1", "X2", "X3")
WITNESSES = {name: W[name].verifying.text for name in NAMES}
POLICY = Policy.parse(
    "\n".join(
        [
            f"log {KEY.verifying.text}",
            *(f"witness {name} {W[name].verifying.text}" for name in NAMES),
            "group g 2 X1 X2 X3",
            "quorum g",
            "",
        ]
    ).encode()
)


class Logged(Struct, frozen=True):
    """A tournament, and a server's log that holds its entries and its matches among others."""

    cup: Cup
    log: TournamentLog
    leaves: list[bytes]

    def proof(
        self, wanted: Sequence[bytes], size: int | None = None, by: Sequence[str] = NAMES[:2]
    ) -> Evidence:
        """The proof for leaves, under a checkpoint over the first `size` of them all, cosigned."""
        upto = len(self.leaves) if size is None else size
        kept = grown(0, [leaf_hash(one) for one in self.leaves], lambda level, number: b"")
        at = hash_at(lambda *name: kept.get(name, b""))
        text = Checkpoint("games.example/log", upto, root(upto, at)).text
        note = KEY.sign(text) + "".join(W[name].cosign(text, 1_790_000_000) for name in by)
        places = [(self.leaves.index(one), one) for one in wanted]
        return evidence.make(note, upto, [one for one in places if one[0] < upto], at)

    @property
    def entries(self) -> list[bytes]:
        """The leaves of the entries."""
        return evidence.tournament_leaves(self.log.records)

    def match_leaves(self, name: str) -> list[bytes]:
        """The leaves of a match."""
        match = self.cup.store.match(name)
        assert match is not None
        return evidence.match_leaves(match.records)

    def file(self, proof: Evidence | None, matches: bool = True) -> bytes:
        """The tournament file with a proof; `matches`: the match files hold theirs."""

        def match_file(name: str) -> bytes:
            match, note = self.cup.store.match(name), self.cup.store.note(name)
            assert match is not None
            assert note is not None
            own = self.proof(self.match_leaves(name)) if matches else None
            return matchfile.write(match.records, note, own)

        entry, out = self.log.entry, io.BytesIO()
        note = checkpoint(KEYS.signing, self.log, entry, self.log.roots[-1], KIND)
        write(out, self.log, note, [KEYS.signing.verifying], match_file, entry, proof)
        return out.getvalue()


@pytest.fixture(scope="module")
def logged(house: None) -> Logged:
    """A tournament of four entrants and one round that is over."""
    cup = run(played(1, 4))
    log = run(cup.log())
    found = Logged(cup, log, [])
    boards = [board.match for one in log.state.rounds for board in one.boards]
    matches = [leaf for name in boards for leaf in found.match_leaves(name)]
    others = [f"leaf {number}".encode() for number in range(300)]
    return replace(found, leaves=[*others[:280], *matches, *found.entries, *others[280:]])


@pytest.fixture(scope="module")
def whole(logged: Logged) -> Members:
    """The members of a file whose proofs are complete."""
    return members_of(logged.file(logged.proof(logged.entries)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cup.glasnost-tournament"


def checked(path: Path, policy: Policy | None = POLICY) -> Report:
    """The report on a file, without the engine."""
    return verify(path, without=("pairings",), policy=policy)


def is_proved_to_a_stranger(data: bytes) -> bool:
    """Does the second verifier, which uses nothing of this project, accept the proofs of a file?"""
    try:
        by = stranger_log.tournament_logged(data, KEY.verifying.text, WITNESSES, 2)
    except Disproved:
        return False
    assert by == ["X1", "X2"]
    return True


def wrong(path: Path, policy: Policy | None = POLICY) -> dict[str, str]:
    """What is wrong with a file, by question."""
    report = checked(path, policy)
    assert not report.ok
    assert lines(report)[0].startswith("wrong: ")
    return {one.question: str(one.sentence) for one in report.failures}


def with_proof(members: Members, proof: bytes, path: Path) -> Path:
    """A file with other bytes for the proof of its entries, which its manifest covers."""
    return packed({**members, evidence.MEMBER: proof}, path)


def test_a_file_shows_that_all_its_entries_are_in_the_log(logged: Logged, whole: Members, path: Path) -> None:
    report = checked(packed(whole, path))
    said = (
        f"the server's log: {logged.log.entry} entries among the {len(logged.leaves)} leaves of"
        f" games.example/log, signed by {KEY.verifying.label}, cosigned by 2 of 3 witnesses (X1, X2)"
    )
    assert (report.ok, report.logged) == (True, said), report
    assert said in lines(report)
    assert "transparency.json" in whole[README].decode()
    assert is_proved_to_a_stranger(path.read_bytes())


def test_two_files_with_proofs_of_one_state_are_equal_bytes(logged: Logged) -> None:
    first, second = (logged.file(logged.proof(logged.entries)) for _ in range(2))
    assert first == second


def test_a_file_without_proofs_is_what_it_was_and_wrong_only_for_a_policy(logged: Logged, path: Path) -> None:
    data = logged.file(None, matches=False)
    assert data == file_of(logged.cup, logged.log)
    path.write_bytes(data)
    report = checked(path, None)
    assert (report.ok, report.logged) == (True, "")
    found = wrong(path)
    assert found.keys() == {LOG, MATCHES}
    assert all("the file holds no proof" in said for said in found.values())
    assert "round 1, board 1" in found[MATCHES]


def test_a_match_without_its_proof_is_named(logged: Logged, path: Path) -> None:
    path.write_bytes(logged.file(logged.proof(logged.entries), matches=False))
    found = wrong(path)
    assert found.keys() == {MATCHES}
    assert "round 1, board 1" in found[MATCHES]


def test_a_match_with_the_proof_of_another_is_named_with_its_board(whole: Members, path: Path) -> None:
    first, second = sorted(name for name in whole if name.startswith("matches/"))
    foreign = members_of(whole[first])[evidence.MEMBER]
    packed({**whole, second: with_part(whole[second], evidence.MEMBER, foreign)}, path)
    found = wrong(path, None)
    assert found.keys() == {MATCHES}
    assert "round 1, board 2" in found[MATCHES]
    assert "the proof from the server's log is for another leaf" in found[MATCHES]
    assert not is_proved_to_a_stranger(path.read_bytes())


def test_too_few_cosignatures_another_log_and_missing_entries_are_named(
    logged: Logged, whole: Members, path: Path
) -> None:
    good = logged.proof(logged.entries)
    last = logged.leaves.index(logged.entries[-1])
    text = Note.parse(good.checkpoint).text
    stranger = STRANGER.sign(text) + "".join(W[name].cosign(text, 1) for name in NAMES)
    flipped = replace(good.proofs[3], hashes=(good.proofs[2].hashes[0], *good.proofs[3].hashes[1:]))
    expected = {
        "1 of 3 witnesses of the policy cosigned": logged.proof(logged.entries, by=("X3", "Y1", "Y2")),
        "no log of the policy signed this checkpoint": replace(good, checkpoint=stranger),
        "but not that the end is": logged.proof(logged.entries, size=last),
        "for another leaf": replace(good, proofs=(*good.proofs[:4], *good.proofs[5:])),
        "the hashes do not lead from leaf": replace(
            good, proofs=(*good.proofs[:3], flipped, *good.proofs[4:])
        ),
        "cannot be read": replace(good, proofs=(*good.proofs, good.proofs[-1])),
    }
    for said, proof in expected.items():
        found = wrong(with_proof(whole, proof.bytes, path))
        assert found.keys() == {LOG}, said
        assert "transparency.json: " in found[LOG], found
        assert said in found[LOG], found
        assert not is_proved_to_a_stranger(path.read_bytes()), said


def test_the_proof_of_another_tournament_is_named(logged: Logged, whole: Members, path: Path) -> None:
    other = evidence.tournament_leaves(run(run(played(1, 4)).log()).records)
    foreign = replace(logged, leaves=[*logged.leaves, *other])
    with_proof(whole, foreign.proof(other).bytes, path)
    assert "the proof from the server's log is for another leaf" in wrong(path, None)[LOG]
    assert not is_proved_to_a_stranger(path.read_bytes())


def test_every_flipped_or_cut_proof_is_found(logged: Logged, whole: Members, path: Path) -> None:
    proof = whole[evidence.MEMBER]
    for place in range(0, len(proof), len(proof) // 12):
        flipped = bytearray(proof)
        flipped[place] ^= 1
        for content in (bytes(flipped), proof[:place]):
            found = wrong(with_proof(whole, content, path))
            assert "transparency.json" in found[LOG], (place, found)
            assert not is_proved_to_a_stranger(path.read_bytes()), place


def test_a_proof_that_no_manifest_covers_is_named(whole: Members, path: Path) -> None:
    bare = {name: part for name, part in whole.items() if name != evidence.MEMBER}
    hashed = members_of(packed(bare, path).read_bytes())
    packed({**hashed, evidence.MEMBER: whole[evidence.MEMBER]}, path, hashed=False)
    assert "transparency.json" in wrong(path, None)[LOG]


def test_a_policy_travels_to_the_processes_that_verify_matches() -> None:
    assert pickle.loads(pickle.dumps(POLICY)) == POLICY
