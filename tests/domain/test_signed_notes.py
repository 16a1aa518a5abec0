"""Signed checkpoints in the C2SP formats."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain.log import Damaged
from domain.signed_notes import MOST_SIGNATURES, Checkpoint, Note, Signed, SigningKey, VerifyingKey, origin

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


def test_an_unchecked_signature_is_named_as_such_in_both_languages() -> None:
    line = OTHER.sign(POINT.text).split("\n\n")[1]
    note = Note.parse(KEY.sign(POINT.text) + line + line)
    by, named = KEY.verifying.label, OTHER.verifying.label
    assert note.checked([KEY.verifying]) == Signed((by,), (named,))
    assert note.checked([KEY.verifying]).text() == f"signed by {by}, names {named}, not checked"
    assert note.checked([]).text("en") == f"names {by}, not checked, names {named}, not checked"
    assert Signed((), (named,)).text("ru") == f"назван ключ {named}, не проверено"
    assert Signed().text() == "not signed"


def test_every_line_that_names_a_known_key_must_fit() -> None:
    other = OTHER.sign("another text\n").split("\n\n")[1]
    note = Note.parse(KEY.sign(POINT.text) + other)
    with pytest.raises(Damaged, match="does not fit"):
        note.checked([KEY.verifying, OTHER.verifying])
    good = KEY.sign(POINT.text)
    again = good + KEY.sign("another text\n").split("\n\n")[1]
    with pytest.raises(Damaged, match="does not fit"):
        Note.parse(again).checked([KEY.verifying])


def test_the_signatures_of_a_note_are_bounded() -> None:
    line = OTHER.sign(POINT.text).split("\n\n")[1]
    head = f"{POINT.text}\n"
    assert len(Note.parse(head + line * MOST_SIGNATURES).signatures) == MOST_SIGNATURES
    with pytest.raises(Damaged, match="17 signatures; at most 16"):
        Note.parse(head + line * (MOST_SIGNATURES + 1))
    with pytest.raises(Damaged, match="has 256 characters"):
        Note.parse(f"{head}— {'n' * 256} {line.split()[2]}\n")


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


@pytest.mark.parametrize("blank", ["\u2800", "\u3164", "\u115f", "\u200b", "\u00ad"])
def test_the_name_of_a_key_cannot_imitate_the_report_of_a_signature(blank: str) -> None:
    forged = SigningKey(
        f"x,{blank}signed{blank}by{blank}example.org", Ed25519PrivateKey.from_private_bytes(b"7" * 32)
    )
    note = Note.parse(forged.sign(POINT.text))
    told = note.checked([KEY.verifying]).text()
    assert told.isascii()
    assert told == f"names {note.names}, not checked"
