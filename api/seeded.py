"""Matches that follow from a seed or a script: their secret, and the key that signs them, which is public."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from domain.log import Record
    from domain.match import Match
    from domain.signed_notes import SigningKey, VerifyingKey

SEEDED = "seeded"  # the name of the key for seeded matches, whose private part is public


class SeededKeys:
    """A ring with only the key `SEEDED`; its signature proves nothing, but the format needs one."""

    retired: Sequence[VerifyingKey] = ()
    rotations: Sequence[str] = ()

    @property
    def signing(self) -> SigningKey:
        """The key `SEEDED`, which is the same everywhere."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        from domain.signed_notes import SigningKey

        private = hashlib.sha256(b"glasnost: the key of seeded and scripted matches is public\n").digest()
        return SigningKey(SEEDED, Ed25519PrivateKey.from_private_bytes(private))

    @property
    def present(self) -> VerifyingKey:
        """The public part of the key."""
        return self.signing.verifying

    def derived(self, purpose: str) -> bytes:
        """Return 32 bytes for another purpose; they are as public as the key."""
        return hashlib.sha256(f"{SEEDED} {purpose}".encode()).digest()


def note_by(key: SigningKey, match: Match) -> str:
    """Return the checkpoint over a whole match, signed by `key`.

    Raises:
        NotSignedHere: see `domain.signed_notes.checkpoint`.
    """
    from domain.signed_notes import checkpoint

    return checkpoint(key, match, match.move, match.roots[-1])


def match_file(records: Sequence[Record], note: str) -> bytes:
    """Return the bytes of a match file."""
    from replay import matchfile

    return matchfile.write(records, note)


def seeded_secret(seed: str) -> bytes:
    """Return the secret of a match with this seed (an even number of hex digits)."""
    return hashlib.sha256(b"glasnost seeded secret\n" + bytes.fromhex(seed)).digest()


def seed_of(seed: str, number: int) -> str:
    """Return the seed of match `number`, from 0, of a series; that of the first match is `seed` itself."""
    return hashlib.sha256(f"{seed}/{number}".encode()).hexdigest() if number else seed
