"""The public formats that the protocol leans on, against published vectors and a second implementation."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as some

from domain.chance import Drawn
from domain.events import Asked, Chance, Closed, Key, Opened, Played, Ruled, SaltOpened, Seated
from domain.kernel import Result
from domain.log import Damaged, canonical
from domain.merkle import Tree
from domain.signed_notes import Note, SigningKey, VerifyingKey
from replay.chain import must_be_canonical
from tests.domain import toy

# ── canonical JSON (RFC 8785) ──

whole = some.integers(-(2**53) + 1, 2**53 - 1)
text = some.text(max_size=30)
ids = some.text("abcdefgh_/0123456789", min_size=1, max_size=8)
plain = some.recursive(
    some.none() | some.booleans() | whole | text,
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(ids, inner, max_size=3),
    max_leaves=8,
)
results = some.none() | some.builds(Result, winner=some.none() | ids, reason=text)
asked = some.none() | some.builds(Asked, ask=ids, seats=some.dictionaries(ids, whole, max_size=3))
facts = some.builds(toy.Dealt, seat=text, card=text) | some.builds(toy.Rolled, seat=ids, die=whole, now=whole)
draws = some.builds(Drawn, label=ids, n=whole, result=whole, pick=text, counter=whole, period=whole)
keys = some.builds(Key, period=whole, key=text)
common: dict[str, Any] = {
    "move": whole,
    "prev": text,
    "sealed": some.dictionaries(ids, text, max_size=3),
    "at": some.none() | whole,
}
brought: dict[str, Any] = {
    "facts": some.lists(facts, max_size=3).map(tuple),
    "draws": some.lists(draws, max_size=2).map(tuple),
    "keys": some.lists(keys, max_size=2).map(tuple),
    "asked": asked,
    "rules": text,
}
entries = some.one_of(
    some.builds(
        Opened,
        **common,
        match=text,
        game=ids,
        edition=ids,
        options=some.dictionaries(ids, plain, max_size=4),
        origin=ids,
        rules=text,
        product=text,
        chance=some.builds(Chance, scheme=ids, commitment=text),
    ),
    some.builds(
        Seated,
        **common,
        **brought,
        seat=ids,
        player=text,
        salt=some.none() | text,
        salt_hash=some.none() | text,
    ),
    some.builds(SaltOpened, **common, **brought, seat=ids, salt=text),
    some.builds(
        Played, **common, **brought, seat=ids, ask=ids, picks=some.none() | some.lists(text).map(tuple)
    ),
    some.builds(Ruled, **common, by=text, reason=text, result=results),
    some.builds(Closed, **common, by=ids, result=results, unopened=some.lists(ids, max_size=2).map(tuple)),
)


@given(entries)
def test_leaves_are_rfc_8785(entry: Any) -> None:
    leaf = canonical(entry)
    assert leaf == rfc8785.dumps(msgspec.to_builtins(entry))
    must_be_canonical(leaf)


@given(plain)
def test_plain_values_are_rfc_8785(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)
    must_be_canonical(rfc8785.dumps(value))


@pytest.mark.parametrize(
    "data",
    [
        b'{"b":1,"a":2}',
        b'{"a": 1}',
        b'{"a":1,"a":1}',
        b'{"a":1.0}',
        b'{"a":1e3}',
        b'{"a":-0}',
        b'{"a":01}',
        b'{"a":9007199254740992}',
        b'{"a":-9007199254740992}',
        b"[18446744073709551616]",
        b'{"a":100000000000000000000000}',
        rb'{"a":"\u0041"}',
        rb'{"a":"\/"}',
        rb'{"a":"\ud800"}',
        b'{"a":"\xff"}',
        b'{"a":1}\n',
        b"\xef\xbb\xbf{}",
        b"",
        b"[" * 200_000,
        b"NaN",
    ],
)
def test_another_spelling_is_not_canonical(data: bytes) -> None:
    with pytest.raises(Damaged):
        must_be_canonical(data)


def test_numbers_of_53_bits_are_canonical() -> None:
    must_be_canonical(
        b'{"a":9007199254740991,"b":-9007199254740991,"c":"9007199254740999:12345678901234567890"}'
    )


# ── Merkle trees (RFC 6962) ──

LEAVES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
ROOTS = [  # of the first n leaves, as published with the reference implementation of Certificate Transparency
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def test_roots_are_those_published_for_rfc_6962() -> None:
    tree = Tree()
    roots = [tree.root.hex()]
    for leaf in LEAVES:
        tree.add(bytes.fromhex(leaf))
        roots.append(tree.root.hex())
    assert roots == ROOTS


# ── signed notes (C2SP) ──

# The example of the note format's reference implementation (golang.org/x/mod/sumdb/note), its key included.
NAME = "PeterNeumann"
VKEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
SEED = bytes.fromhex("810a1402d5146c8d84f2443330f54080ebf98ee17d9c74f6252fc5d5c7283173")
TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
SIGNATURE = "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM="
NOTE = f"{TEXT}\n— {NAME} {SIGNATURE}\n"


def test_the_published_key_is_read() -> None:
    key = VerifyingKey.parse(VKEY)
    assert (key.name, key.id, key.text) == (NAME, "c74f20a3", VKEY)


def test_the_published_note_verifies() -> None:
    key, note = VerifyingKey.parse(VKEY), Note.parse(NOTE)
    assert note.text == TEXT
    assert note.signed_by([key]) == key


def test_signing_gives_the_published_note() -> None:
    key = SigningKey(NAME, Ed25519PrivateKey.from_private_bytes(SEED))
    assert key.verifying.text == VKEY
    assert key.sign(TEXT) == NOTE


def test_the_published_note_with_another_text_does_not() -> None:
    note = Note.parse(NOTE.replace("answer", "question"))
    with pytest.raises(Damaged, match="does not fit the text"):
        note.signed_by([VerifyingKey.parse(VKEY)])
