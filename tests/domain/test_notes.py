"""Signed checkpoints in the C2SP formats."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain.log import Damaged
from domain.notes import Checkpoint, Note, SigningKey, VerifyingKey, origin

KEY = SigningKey("example.org", Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
OTHER = SigningKey("example.org", Ed25519PrivateKey.from_private_bytes(bytes(32)))
POINT = Checkpoint(origin("example.org", "m1"), 7, bytes(range(32)))


def test_a_checkpoint_has_three_lines() -> None:
    assert POINT.text == "example.org/match/m1\n7\nAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n"
    assert Checkpoint.parse(POINT.text) == POINT


def test_a_note_is_signed_and_checked() -> None:
    note = Note.parse(KEY.sign(POINT.text))
    assert note.text == POINT.text
    assert note.signed_by([OTHER.verifying, KEY.verifying]) == KEY.verifying
    assert note.signed_by([OTHER.verifying]) is None


def test_signing_twice_gives_the_same_note() -> None:
    assert KEY.sign(POINT.text) == KEY.sign(POINT.text)


def test_a_second_signature_line_does_not_hide_the_first() -> None:
    witnessed = KEY.sign(POINT.text) + OTHER.sign(POINT.text).split("\n\n")[1]
    assert Note.parse(witnessed).signed_by([OTHER.verifying]) == OTHER.verifying
    assert Note.parse(witnessed).signed_by([KEY.verifying]) == KEY.verifying


def test_a_changed_text_is_damage() -> None:
    changed = KEY.sign(POINT.text).replace("\n7\n", "\n8\n")
    with pytest.raises(Damaged, match="does not fit"):
        Note.parse(changed).signed_by([KEY.verifying])


def test_a_key_round_trips_as_text() -> None:
    assert VerifyingKey.parse(KEY.verifying.text) == KEY.verifying


@pytest.mark.parametrize(
    "text",
    ["", "example.org", "example.org+00000000+AQ==", "a b+0+AQ==", KEY.verifying.text[:-2] + "!="],
)
def test_a_damaged_key_is_refused(text: str) -> None:
    with pytest.raises(Damaged):
        VerifyingKey.parse(text)


@pytest.mark.parametrize(
    "text", ["a\n1\n", "a\n01\nAAAA\n", "a\n-1\nAAAA\n", "a\n١\nAAAA\n", "a\n1\nAAB=\n", "a\n1\nAAAA\nb\n"]
)
def test_a_checkpoint_in_another_spelling_is_refused(text: str) -> None:
    with pytest.raises(Damaged):
        Checkpoint.parse(text)


@pytest.mark.parametrize("note", ["", "text\n", "text\n\n", "text\n\nname sig\n", "text\n\n— name AAA\n"])
def test_what_is_no_note_is_refused(note: str) -> None:
    with pytest.raises(Damaged):
        Note.parse(note)


@pytest.mark.parametrize("name", ["", "a b", "a+b"])
def test_a_key_has_a_name_without_spaces_and_plus(name: str) -> None:
    with pytest.raises(ValueError, match="cannot name a key"):
        SigningKey(name, Ed25519PrivateKey.from_private_bytes(bytes(32)))
