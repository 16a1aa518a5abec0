"""Cosignatures of witnesses, against bytes that other programs made."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain.log import Damaged, b64, unb64
from domain.signed_notes import Note, SigningKey, VerifyingKey
from replay.transparency.cosignature import Cosigner, CosignerKey, cosigned_at, time_of

LOG = SigningKey("log.example/glasnost", Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
WITNESS = Cosigner("witness.example/w1", Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33))))
TEXT = "log.example/glasnost\n3\nNmQuc8JUCrEh46a/lUWwokmCzYMOsT080Z3jzmwCHsE=\n"
TIME = 1679315147

# Made by aics-tlog 0.2.1 (PyPI) from the same private key, text and time.
THEIR_KEY = "witness.example/w1+468d99bb+BHm1Vi6P5lT5QHixEuipi6eQH4U65pW+1+DjkQutBJZk"
THEIR_SIGNATURE = (
    "AAAAAGQYUMv9hIToH4WSTrWC+DMnNxOBbesEouHdQaA2Qi+4C8C6fWqrVk0w/EPEwnt8BWqigFSzMp5ij581ctsHDb8JQeII"
)


def cosigned(at: int = TIME, by: Cosigner = WITNESS) -> Note:
    return Note.parse(LOG.sign(TEXT) + by.cosign(TEXT, at))


def test_the_bytes_are_those_of_another_program() -> None:
    assert WITNESS.verifying.text == THEIR_KEY
    spelled = b64(bytes.fromhex(WITNESS.verifying.id) + unb64(THEIR_SIGNATURE))
    assert WITNESS.cosign(TEXT, TIME) == f"— witness.example/w1 {spelled}\n"


def test_keys_and_times_of_public_witnesses_are_read() -> None:
    """From the tests of the Go module transparency-dev/formats."""
    key = CosignerKey.parse("remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2")
    assert (key.name, key.id) == ("remora.n621.de", "da77ade7")
    line = unb64(
        "ZGhGuQAAAABm/qTPeyKXD+R2rzyQsxPiP8mXum7qq/iF0u4vanlqJyocWODBt97w9uL+8qT7S5gxEHWWOworDcFiEBYJXORmnFBOBA=="
    )
    assert time_of(line[4:]) == 1727964367


def test_a_cosignature_is_checked_and_tells_its_time() -> None:
    note = cosigned()
    assert cosigned_at(note, WITNESS.verifying) == TIME
    assert note.checked([LOG.verifying, WITNESS.verifying]).by == (
        LOG.verifying.label,
        WITNESS.verifying.label,
    )


def test_of_two_cosignatures_by_one_witness_the_later_counts() -> None:
    note = Note.parse(LOG.sign(TEXT) + WITNESS.cosign(TEXT, TIME) + WITNESS.cosign(TEXT, TIME + 60))
    assert cosigned_at(note, WITNESS.verifying) == TIME + 60


def test_a_witness_that_did_not_cosign_has_no_time() -> None:
    assert cosigned_at(Note.parse(LOG.sign(TEXT)), WITNESS.verifying) is None


@pytest.mark.parametrize("place", [5, 11, 12, 40, 75], ids=["time", "time's end", "first", "middle", "last"])
def test_a_flipped_byte_of_a_cosignature_is_found(place: int) -> None:
    line = WITNESS.cosign(TEXT, TIME).split(" ")
    data = bytearray(unb64(line[2].strip()))
    data[place] ^= 1
    note = Note.parse(LOG.sign(TEXT) + f"— {line[1]} {b64(bytes(data))}\n")
    with pytest.raises(Damaged, match=r"witness\.example/w1\+468d99bb does not fit"):
        cosigned_at(note, WITNESS.verifying)


def test_a_cosignature_of_another_checkpoint_does_not_fit() -> None:
    other = TEXT.replace("\n3\n", "\n4\n")
    note = Note.parse(LOG.sign(other) + WITNESS.cosign(TEXT, TIME))
    with pytest.raises(Damaged, match="does not fit"):
        cosigned_at(note, WITNESS.verifying)


def test_a_time_beyond_what_the_format_allows_does_not_fit() -> None:
    with pytest.raises(Damaged, match="does not fit"):
        cosigned_at(cosigned(at=2**63), WITNESS.verifying)


def test_a_plain_signature_is_no_cosignature() -> None:
    """A forger who has a witness's key sign an ordinary note gets no cosignature of a checkpoint by it."""
    plain = SigningKey("witness.example/w1", Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33))))
    note = Note.parse(plain.sign(TEXT))
    assert cosigned_at(note, WITNESS.verifying) is None
    with pytest.raises(Damaged, match=r"not an Ed25519 key of a witness \(algorithm 4\)"):
        CosignerKey.parse(plain.verifying.text)
    with pytest.raises(Damaged, match="not an Ed25519 key"):
        VerifyingKey.parse(WITNESS.verifying.text)


def test_a_private_key_is_written_and_read_as_one_line() -> None:
    again = Cosigner.parse(WITNESS.text + "\n")
    assert again.verifying == WITNESS.verifying
    assert again.cosign(TEXT, TIME) == WITNESS.cosign(TEXT, TIME)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "PRIVATE+KEY+",
        WITNESS.text.removeprefix("PRIVATE+KEY+"),
        WITNESS.text[:-4],
        WITNESS.text.replace("468d99bb", "468d99bc"),
        WITNESS.text.replace("witness.example/w1", "a b"),
    ],
)
def test_what_is_no_private_key_is_refused_without_showing_it(text: str) -> None:
    with pytest.raises(Damaged) as refused:
        Cosigner.parse(text)
    assert WITNESS.text.rsplit("+", 1)[1][:12] not in str(refused.value)
