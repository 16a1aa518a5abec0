"""The keys, which are not in the store, and the vault with the matches' secrets, which one of them wraps.

The signing key and the wrapping key are in a key folder (mode 700, files 600), by default beside the store,
and are created once.  A rotation is a note, signed by the old key, that names the new one; the public part of
every retired key is kept, so that old checkpoints can always be checked.

With this folder one can compute the hands and dice of running matches.  Back it up apart from the store.
"""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from msgspec import Struct

from api.store.interface import StoreError
from domain.log import Damaged, b64, unb64
from domain.signed_notes import SigningKey, VerifyingKey

WRAP_KEY = "wrap.key"
RING = "ring.json"
_WAY_OUT = (
    "put the store's key folder back, or name it with GLASNOST_KEYS; without it the store can still be read"
    " (verify, export), and new matches go into a new store"
)


class _Ring(Struct, frozen=True):
    """The content of the key file: the signing key's name and private bytes, and the keys before it."""

    name: str
    private: str
    retired: tuple[str, ...] = ()
    rotations: tuple[str, ...] = ()


class Keys(Protocol):
    """The server's keys for signing checkpoints."""

    @property
    def signing(self) -> SigningKey:
        """The key that signs now."""

    @property
    def present(self) -> VerifyingKey:
        """Its public part."""

    @property
    def retired(self) -> Sequence[VerifyingKey]:
        """The keys that signed before."""

    @property
    def rotations(self) -> Sequence[str]:
        """Signed notes by which each key handed over to the next."""

    def derived(self, purpose: str) -> bytes:
        """Return 32 bytes for another purpose, the same on all servers of a store."""


class KeyRing:
    """The key that signs now, and those that signed before.

    If several processes share a folder and one of them rotates the key, the others sign with the new key,
    too.
    """

    def __init__(self, folder: Path, ring: _Ring) -> None:
        self._path, self._seen = folder / RING, 0
        self.must_sign: Callable[[], None] = lambda: None  # raises StoreError while nothing may be signed
        self._take(ring)

    def _take(self, ring: _Ring) -> None:
        self._ring, self._signing = ring, _signing(ring)

    def _read_again(self) -> None:
        """Read the file again if another process has changed it; an unreadable file changes nothing."""
        with suppress(OSError, StoreError, msgspec.DecodeError, Damaged, ValueError):
            written = self._path.stat().st_mtime_ns
            if written != self._seen:
                self._take(msgspec.json.decode(_read(self._path), type=_Ring))
                self._seen = (
                    written  # set only now: a half-written file may have the same time when it is complete
                )

    def derived(self, purpose: str) -> bytes:
        """Return 32 bytes for another purpose, equal for all that share this folder; they reveal no key."""
        return hmac.digest(wrap_key(self._path.parent), purpose.encode(), "sha256")

    @property
    def signing(self) -> SigningKey:
        """The key that signs now.

        Raises:
            StoreError: nothing may be signed (see `api.store.log_guard`).
        """
        self.must_sign()
        self._read_again()
        return self._signing

    @classmethod
    def open(cls, folder: Path, name: str | None = None) -> KeyRing:
        """Open the ring in `folder`, which must sign as `name` if a name is given.

        Raises:
            StoreError: there is none, it is damaged or readable by others, or it signs under another name.
        """
        path = folder / RING
        try:
            ring = cls(folder, msgspec.json.decode(_read(path), type=_Ring))
        except (msgspec.DecodeError, Damaged, ValueError) as error:
            raise StoreError(f"{path} is damaged ({error}); {_WAY_OUT}") from error
        if name not in (None, ring.present.name):
            raise StoreError(
                f"{path} signs as {ring.present.name}, not as {name}: set GLASNOST_NAME={ring.present.name},"
                " or rotate the key to the new name"
            )
        return ring

    @property
    def present(self) -> VerifyingKey:
        """The public part of the key that signs now."""
        self._read_again()
        return self._signing.verifying

    @property
    def retired(self) -> tuple[VerifyingKey, ...]:
        """The public parts of the keys that signed before, oldest first."""
        self._read_again()
        return tuple(VerifyingKey.parse(text) for text in self._ring.retired)

    @property
    def known(self) -> tuple[VerifyingKey, ...]:
        """The public parts of all keys, the latest first."""
        return (self.present, *reversed(self.retired))

    @property
    def labels(self) -> tuple[str, ...]:
        """NAME+ID of every key, the latest first."""
        return tuple(key.label for key in self.known)

    @property
    def rotations(self) -> tuple[str, ...]:
        """The signed rotation notes, each naming the next key, oldest first."""
        self._read_again()
        return self._ring.rotations

    def rotate(self, now: int, name: str | None = None) -> str:
        """Make a new key that signs from `now` on (microseconds UTC); return the signed note.

        Args:
            name: the new name; None keeps the old one.

        Raises:
            StoreError: the file is not the one that was read: another process has rotated the key.
        """
        with _alone(self._path.parent):
            if _read(self._path) != msgspec.json.encode(self._ring):
                raise StoreError(f"{self._path} was changed by another process; open it anew")
            ring, note = self._rotated(now, name or self._ring.name)
            _replace(self._path, msgspec.json.encode(ring))
            self._take(ring)
        return note

    def _rotated(self, now: int, name: str) -> tuple[_Ring, str]:
        """The ring with a new key, and the note that names it, signed by the old key."""
        old, fresh = self._signing, _new_ring(name)
        note = old.sign(rotation(old.verifying, _signing(fresh).verifying, now))
        retired, rotations = (*self._ring.retired, old.verifying.text), (*self._ring.rotations, note)
        return msgspec.structs.replace(fresh, retired=retired, rotations=rotations), note


def rotation(old: VerifyingKey, new: VerifyingKey, now: int) -> str:
    """Return the text that the old key signs: title, old key, new key, time in microseconds UTC."""
    return f"glasnost key rotation\n{old.text}\n{new.text}\n{now}\n"


def create_keys(folder: Path, name: str) -> None:
    """Make the keys of a new store, to sign as `name`; existing keys stay.

    Raises:
        StoreError: the folder cannot be written.
    """
    _make(folder)
    _create(folder / RING, msgspec.json.encode(_new_ring(name)))
    _create(folder / WRAP_KEY, b64(secrets.token_bytes(32)).encode() + b"\n")


def copy_keys(source: Path, target: Path) -> None:
    """Copy the keys of a folder to another one; existing keys stay.

    Raises:
        StoreError: there are no keys to copy, or the folder cannot be written.
    """
    contents = {name: _read(source / name) for name in (RING, WRAP_KEY)}
    _make(target)
    for name, content in contents.items():
        _create(target / name, content)


def read_beside(path: Path) -> bytes:
    """Return the content of another file in the key folder.

    Raises:
        StoreError: it is missing or readable by others.
    """
    return _read(path)


def replace_beside(path: Path, content: bytes) -> None:
    """Write another file in the key folder, durably and as a whole.

    Raises:
        StoreError: the folder cannot be written.
    """
    _replace(path, content)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{folder} cannot hold keys: {error.strerror}") from error


def wrap_key(folder: Path) -> bytes:
    """Return the 32 bytes that wrap the matches' secrets.

    Raises:
        StoreError: the file is missing, damaged or readable by others.
    """
    path = folder / WRAP_KEY
    try:
        key = unb64(_read(path).decode("ascii").removesuffix("\n"))
    except ValueError as error:
        raise StoreError(f"{path} is damaged ({error}); {_WAY_OUT}") from error
    if len(key) != 32:
        raise StoreError(f"{path} is damaged (32 bytes expected, {len(key)} found); {_WAY_OUT}")
    return key


def _new_ring(name: str) -> _Ring:
    return _Ring(name, b64(Ed25519PrivateKey.generate().private_bytes_raw()))


def _signing(ring: _Ring) -> SigningKey:
    return SigningKey(ring.name, Ed25519PrivateKey.from_private_bytes(unb64(ring.private)))


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_mode & 0o077:
            raise StoreError(f"{path} can be read by others: chmod 600 it, and think who may have read it")
        return path.read_bytes()
    except OSError as error:
        raise StoreError(f"{path} cannot be read ({error.strerror}); {_WAY_OUT}") from error


def _create(path: Path, content: bytes) -> None:
    """Write a new file as a whole; if another writer was first, its file stays."""
    if not path.exists():
        with _written(path, content) as fresh, suppress(FileExistsError):
            os.link(fresh, path)


def _replace(path: Path, content: bytes) -> None:
    with _written(path, content) as fresh:
        os.replace(fresh, path)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Make other processes that want to change the folder wait.

    Raises:
        StoreError: the folder cannot be opened.
    """
    try:
        held = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise StoreError(f"{folder} cannot be opened: {error.strerror}") from error
    try:
        with suppress(OSError):  # a file system without locks on folders: the check before the change remains
            fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


@contextmanager
def _written(path: Path, content: bytes) -> Iterator[Path]:
    """Write a durable temporary file with `content`; the folder's entries are durable when the context ends.

    Raises:
        StoreError: the folder cannot be written.
    """
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(file, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        yield fresh
        folder = os.open(path.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error
    finally:
        with suppress(FileNotFoundError):
            fresh.unlink()


# ── The vault: each match's secret, wrapped (AES-256-GCM) by a key that is not in the store ──
#
# The match's id is bound to the wrapped bytes, so a secret cannot be passed off as that of another match.
# Without the key the secrets in the store's file, and in a backup, cannot be read.

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
        """Return the bytes to store: a nonce, and the encrypted secret."""
        nonce = secrets.token_bytes(_NONCE)
        return nonce + self._cipher.encrypt(nonce, secret, match.encode())

    def unwrap(self, match: str, wrapped: bytes) -> bytes:
        """Return the secret of `match`.

        Raises:
            StoreError: these bytes were not wrapped by this key for this match.
        """
        try:
            return self._cipher.decrypt(wrapped[:_NONCE], wrapped[_NONCE:], match.encode())
        except (InvalidTag, ValueError) as error:
            raise StoreError(
                f"the secret of match {match} does not open: it was wrapped by another key or changed since"
            ) from error
