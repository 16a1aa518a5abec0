"""Cosignatures of witnesses: C2SP `cosignature/v1` (Ed25519, with the time), and the keys that make them.

A cosignature is a signature line of a checkpoint.  It says: at this time, the largest tree of this log that
the witness had seen, each consistent with all before it, was this one.
"""

from __future__ import annotations

from typing import ClassVar

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain.log import Damaged, b64, unb64
from domain.signed_notes import Note, SigningKey, VerifyingKey, fits, signature_line

_TIMED = b"\x04"  # the algorithm byte of C2SP tlog-cosignature
_MOST_TIME = 2**63 - 1  # seconds since 1970
_SIZE = 8 + 64  # bytes of a time and an Ed25519 signature
_PRIVATE = "PRIVATE+KEY+"


class CosignerKey(VerifyingKey, frozen=True):
    """The public key of a witness as `NAME+ID+KEY`; its signatures carry the time when they were made."""

    ALGORITHM: ClassVar[bytes] = _TIMED
    _MEANT: ClassVar[str] = " of a witness (algorithm 4)"

    def fits(self, text: str, signature: bytes) -> bool:
        """Did this witness cosign the text, at the time that the signature carries?"""
        if len(signature) != _SIZE or (at := time_of(signature)) > _MOST_TIME:
            return False
        return fits(self.public, _message(text, at), signature[8:])


class Cosigner:
    """The private key of a witness, with the name under which it cosigns."""

    def __init__(self, name: str, private: Ed25519PrivateKey) -> None:
        named = SigningKey(name, private).verifying  # checks the name
        self._private = private
        self.verifying = CosignerKey(named.name, named.public)

    @property
    def text(self) -> str:
        """The private key as one line, `PRIVATE+KEY+NAME+ID+KEY`, as the Go module `sumdb/note` spells it."""
        return f"{_PRIVATE}{self.verifying.label}+{b64(_TIMED + self._private.private_bytes_raw())}"

    @classmethod
    def parse(cls, text: str) -> Cosigner:
        """Read a private key.

        Raises:
            Damaged: not a private key of a witness, or its id is not that of the key; the text shows no key.
        """
        name, _, rest = text.strip().removeprefix(_PRIVATE).partition("+")
        key_id, _, spelled = rest.partition("+")
        try:
            key = unb64(spelled)
            if not text.startswith(_PRIVATE) or key[:1] != _TIMED or len(key) != 33:
                raise ValueError
            found = cls(name, Ed25519PrivateKey.from_private_bytes(key[1:]))
        except ValueError as error:
            raise Damaged("not a private key of a witness (PRIVATE+KEY+NAME+ID+KEY, algorithm 4)") from error
        if found.verifying.id != key_id:
            raise Damaged(f"the key's id is {found.verifying.id}, and the file says another one")
        return found

    def cosign(self, text: str, at: int) -> str:
        """The signature line over the text of a checkpoint; `at` is the time in seconds since 1970."""
        signature = at.to_bytes(8, "big") + self._private.sign(_message(text, at).encode())
        return signature_line(self.verifying, signature)


def time_of(signature: bytes) -> int:
    """The time that a cosignature carries, in seconds since 1970."""
    return int.from_bytes(signature[:8], "big")


def cosigned_at(note: Note, key: CosignerKey) -> int | None:
    """When this witness cosigned the checkpoint, in seconds since 1970; None if it did not.

    Of several cosignatures by one witness the latest counts.

    Raises:
        Damaged: a line names this witness, and its signature does not fit.
    """
    note.checked([key])
    times = [time_of(line.signature) for line in note.signatures if line.label == key.label]
    return max(times, default=None)


def _message(text: str, at: int) -> str:
    return f"cosignature/v1\ntime {at}\n{text}"
