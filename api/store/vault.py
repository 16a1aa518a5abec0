"""The vault: each match's secret, wrapped (AES-256-GCM) by a key that lies outside the store.

The match's id is bound to the wrapped bytes, so a secret cannot be passed off as that of another match.  What
the store's file holds, and with it a backup, is of no use without the key.
"""

from __future__ import annotations

import hashlib
import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from api.store.seam import StoreError

_NONCE = 12


class Vault:
    """Wraps and unwraps secrets.

    Args:
        key: 32 bytes.
    """

    def __init__(self, key: bytes) -> None:
        self._cipher = AESGCM(key)
        self.fingerprint = hashlib.sha256(b"glasnost wrap key\n" + key).hexdigest()[:32]

    def wrap(self, match: str, secret: bytes) -> bytes:
        """The bytes to store: a nonce, and the sealed secret."""
        nonce = secrets.token_bytes(_NONCE)
        return nonce + self._cipher.encrypt(nonce, secret, match.encode())

    def unwrap(self, match: str, wrapped: bytes) -> bytes:
        """The secret of `match`.

        Raises:
            StoreError: these bytes were not wrapped by this key for this match.
        """
        try:
            return self._cipher.decrypt(wrapped[:_NONCE], wrapped[_NONCE:], match.encode())
        except (InvalidTag, ValueError) as error:
            raise StoreError(
                f"the secret of match {match} does not open: it was wrapped by another key or changed since"
            ) from error
