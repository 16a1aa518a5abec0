"""The log's bytes: leaves, parts, base64, the tree (architecture, section 2)."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.events import Played
from domain.game import Game
from domain.games import GAMES
from domain.kernel import SeatsSettled
from domain.log import HOUSE, PLAYED, SEATS_SETTLED, Damaged, Record, b64, codec, seal, unb64
from domain.merkle import Tree
from tests.matches import finished


@given(st.binary())
def test_base64_has_one_spelling(data: bytes) -> None:
    assert unb64(b64(data)) == data


@pytest.mark.parametrize("text", ["AB==", "AA", "A===", "AA==\n", "_w==", "é", "AA==AA=="])
def test_another_spelling_of_base64_is_damage(text: str) -> None:
    with pytest.raises(Damaged):
        unb64(text)


def test_stored_bytes_are_the_leaf_and_the_parts_a_line_each(toy_game: Game) -> None:
    for record in finished(toy_game).match.records:
        assert record.stored.split(b"\n") == [record.leaf, *record.sealed.values()]
        assert list(record.sealed) == ["left", "right", HOUSE]


@pytest.mark.parametrize(
    "stored",
    [
        b"",
        b"{}\n{}\n{}\n{}",
        b'{"kind":"jumped","move":1}\n{}\n{}\n{}',
        b"\xff\n{}\n{}\n{}",
        b'{"kind":"resigned","move":"1","prev":"","sealed":{},"seat":"left"}\n{}\n{}\n{}',
    ],
)
def test_bytes_that_are_no_entry_are_damage(toy_game: Game, stored: bytes) -> None:
    with pytest.raises(Damaged):
        codec(toy_game).read("m1", stored)


def test_a_record_without_private_parts_still_tells_what_a_spectator_saw(toy_game: Game) -> None:
    record = finished(toy_game).match.records[2]
    public = codec(toy_game).join("m1", record.leaf, {})
    assert public.facts == record.facts_for(None)
    assert public.facts != record.facts


def test_a_commitment_depends_on_salt_and_part() -> None:
    assert len({seal(salt, part) for salt in (b"a" * 32, b"b" * 32) for part in (b"{}", b"{ }")}) == 4
    assert seal(b"a" * 32, b"{}") == hashlib.sha256(b"\x02" + b"a" * 32 + b"{}").digest()


def test_each_entry_names_the_root_before_it(toy_game: Game) -> None:
    match, tree = finished(toy_game).match, Tree()
    for record, root in zip(match.records, match.roots, strict=True):
        assert record.entry.prev == b64(tree.root)
        tree.add(record.leaf)
        assert tree.root == root


@given(st.lists(st.binary(), max_size=40))
def test_the_frontier_gives_the_root_of_the_recursive_definition(leaves: list[bytes]) -> None:
    tree = Tree()
    for leaf in leaves:
        tree.add(leaf)
    assert tree.root == recursive_root(leaves)


def recursive_root(leaves: list[bytes]) -> bytes:
    """RFC 6962, section 2.1, as it is written there."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\x00" + leaves[0]).digest()
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return hashlib.sha256(b"\x01" + recursive_root(leaves[:split]) + recursive_root(leaves[split:])).digest()


def test_a_record_at_rest_is_read_again_from_its_bytes(toy_game: Game) -> None:
    for record in finished(toy_game).match.records:
        entry, parts, facts = record.entry, record.parts, record.facts
        record.rest()
        assert (record.entry, record.parts, record.facts) == (entry, parts, facts)


def test_a_record_that_is_not_read_before_names_its_place_when_it_is_damaged(toy_game: Game) -> None:
    known = codec(toy_game)
    record = Record(known, "m1", 7, b'{"kind":"jumped"}\n{}\n{}\n[]', known.audiences)
    with pytest.raises(Damaged, match="match m1, move 7: "):
        assert record.entry
    with pytest.raises(Damaged, match="match m1, move 7: "):
        assert record.parts


@pytest.mark.parametrize("name", GAMES)
def test_the_kind_is_the_same_by_the_bytes_as_by_the_entry(name: str) -> None:
    for record in finished(GAMES[name]).match.records:
        by_entry = record.kind
        settled = any(isinstance(fact, SeatsSettled) for fact in getattr(record.entry, "facts", ()))
        assert (by_entry == PLAYED) == (isinstance(record.entry, Played) and not settled)
        record.rest()
        assert record.kind == by_entry


def test_only_the_entry_itself_says_of_which_kind_it_is(toy_game: Game) -> None:
    record = finished(toy_game).match.records[-1]
    leaf, _, rest = record.stored.partition(b"\n")
    forged = b'{"a":{"kind":"played","move":1},' + leaf[1:] + b"\n" + rest
    assert (record.kind, codec(toy_game).read("m1", forged).kind) == ("closed", "closed")
    assert codec(toy_game).kind(forged.partition(b"\n")[0]) == "closed"


def test_a_play_that_settles_seats_has_a_kind_of_its_own(swap_game: Game) -> None:
    records = finished(swap_game).match.records
    settling = [
        record
        for record in records
        if isinstance(record.entry, Played)
        and any(isinstance(fact, SeatsSettled) for fact in record.entry.facts)
    ]
    assert settling
    assert {record.kind for record in settling} == {SEATS_SETTLED}
