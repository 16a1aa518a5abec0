"""The proof in a file: made from the log, checked against the file, and every change of it named."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest
from msgspec.structs import replace

from domain.game import Game
from domain.log import Damaged, b64, canonical
from domain.match import Match
from domain.merkle import leaf_hash
from domain.signed_notes import Checkpoint
from replay.transparency import evidence, leaf
from replay.transparency.evidence import Evidence
from replay.transparency.tiles import grown, hash_at
from replay.transparency.tree import root
from tests.replay.files import KEY, short_match

OTHERS = [f"leaf {number}".encode() for number in range(40)]


@pytest.fixture
def match(toy_game: Game) -> Match:
    return short_match(toy_game)


def proof_for(leaves: Sequence[bytes], others: Sequence[bytes] = OTHERS) -> Evidence:
    """A proof from a log with other leaves between, before and after these."""
    first, last = leaves[0], leaves[-1]
    log = [*others[:7], first, *others[7:30], last, *others[30:]]
    kept = grown(0, [leaf_hash(one) for one in log], lambda level, number: b"")
    at = hash_at(lambda *name: kept.get(name, b""))
    note = KEY.sign(Checkpoint("games.example/log", len(log), root(len(log), at)).text)
    places = [(7, first)] if len(leaves) == 1 else [(7, first), (31, last)]
    return evidence.make(note, len(log), places, at)


def test_a_match_that_is_over_has_two_leaves(match: Match) -> None:
    leaves = evidence.match_leaves(match.records)
    opened, closed = map(leaf.read, leaves)
    assert isinstance(opened, leaf.OpenedLeaf)
    assert isinstance(closed, leaf.ClosedLeaf)
    assert (opened.match, closed.match) == (match.id, match.id)
    assert opened.commitment == match.opened.chance.commitment
    assert (opened.root, closed.root) == (b64(match.roots[0]), b64(match.roots[-1]))
    assert (closed.opening, closed.size) == (opened.root, match.move)


def test_a_leaf_of_a_private_match_names_neither_match_nor_opener(match: Match) -> None:
    shown = leaf.opened_leaf(match.records[0])
    first = match.records[0]
    private = replace(first.entry, private=True, opener="p-somebody")
    hidden = type(first)(first._codec, match.id, 1, canonical(private), (), private, {})
    found = leaf.opened_leaf(hidden)
    assert match.id.encode() not in found.bytes
    assert b"p-somebody" not in found.bytes
    assert found.root not in (shown.root, "")
    assert match.id.encode() not in leaf.closed_leaf(hidden, match.records[-1], match.roots[-1]).bytes


def test_leaves_have_one_spelling(match: Match) -> None:
    for one in evidence.match_leaves(match.records):
        assert leaf.read(one).bytes == one
        for wrong in (b" " + one, one[:-1], one.replace(b'"kind"', b'"kinds"'), b"[]", b"\xff", one[::-1]):
            with pytest.raises(Damaged):
                leaf.read(wrong)
    with pytest.raises(Damaged):
        leaf.read(b'{"kind":"restored","reason":"' + b"x" * 5000 + b'"}')


def test_a_proof_holds_and_has_one_spelling(match: Match) -> None:
    leaves = evidence.match_leaves(match.records)
    found = proof_for(leaves)
    assert evidence.read(found.bytes) == found
    assert proof_for(leaves).bytes == found.bytes
    assert evidence.check(found, leaves).size == 42


def test_a_proof_from_before_the_end_covers_the_opening(match: Match) -> None:
    leaves = evidence.match_leaves(match.records)
    found = proof_for(leaves[:1])
    evidence.check(found, leaves)
    assert len(found.proofs) == 1


@pytest.mark.parametrize(
    "change", ["hash", "cut", "index", "leaf", "foreign", "checkpoint", "swapped", "twice"]
)
def test_a_changed_proof_is_refused(match: Match, change: str) -> None:
    leaves = evidence.match_leaves(match.records)
    good = proof_for(leaves)
    first, last = good.proofs
    forged = {
        "hash": replace(good, proofs=(replace(first, hashes=(b64(bytes(32)), *first.hashes[1:])), last)),
        "cut": replace(good, proofs=(replace(first, hashes=first.hashes[:-1]), last)),
        "index": replace(good, proofs=(replace(first, index=8), last)),
        "leaf": replace(good, proofs=(replace(first, leaf=first.leaf.replace("opened", "closed")), last)),
        "foreign": proof_for([b"another match", b"and its end"]),
        "checkpoint": replace(good, checkpoint=proof_for(leaves, OTHERS[::-1]).checkpoint),
        "swapped": replace(good, proofs=(last, first)),
        "twice": replace(good, proofs=(first, first)),
    }[change]
    with pytest.raises(Damaged):
        evidence.check(forged, leaves)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"\xff\n",
        b"[" * 2_000,
        b'{"checkpoint":"","proofs":[]}\n',
        b'{"checkpoint":"' + b"x" * 70_000 + b'","proofs":[]}\n',
    ],
)
def test_bytes_that_are_no_proof(data: bytes) -> None:
    with pytest.raises(Damaged):
        evidence.read(data)


def test_a_proof_in_another_spelling_is_refused(match: Match) -> None:
    found = proof_for(evidence.match_leaves(match.records))
    with pytest.raises(Damaged):
        evidence.read(msgspec.json.format(found.bytes) + b"\n")
    with pytest.raises(Damaged):
        evidence.read(found.bytes[:-1])
    with pytest.raises(Damaged):
        evidence.read(replace(found, proofs=found.proofs * 2).bytes)
