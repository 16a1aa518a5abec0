"""Signed checkpoints: C2SP signed notes (Ed25519) over a match's size and root, and the keys that sign them.

`checkpoint` is the only place where the key signs for a match; it refuses what this house did not write.

A note is text, a blank line, and signature lines; a checkpoint's text is three lines: origin, size, root.
Lines by unknown keys are not checked, as the format asks, so that witnesses may add theirs; each report about
signatures says so (`Signed`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import ClassVar, Protocol, Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from msgspec import Struct

from domain.log import Damaged, b64, unb64
from domain.refusals import Sentence

_ED25519 = b"\x01"  # the algorithm byte of C2SP signed-note
_NAME = re.compile(r"[^\s+]+")
MOST_SIGNATURES = 16  # signature lines of one note
_LONGEST = 255  # characters of the name in a signature line; a host's name has no more


class VerifyingKey(Struct, frozen=True):
    """A public key as `NAME+ID+KEY` (a C2SP vkey): who signs, and how to check it."""

    name: str
    public: bytes

    ALGORITHM: ClassVar[bytes] = _ED25519  # the byte by which C2SP tells kinds of signatures apart
    _MEANT: ClassVar[str] = ""  # which kind a refusal asks for

    @property
    def id(self) -> str:
        """The key's id: the first four bytes of SHA-256(name, newline, algorithm, key), in hex."""
        return hashlib.sha256(self.name.encode() + b"\n" + self.ALGORITHM + self.public).digest()[:4].hex()

    @property
    def label(self) -> str:
        """NAME+ID, as reports show it."""
        return f"{self.name}+{self.id}"

    @property
    def text(self) -> str:
        """The vkey."""
        return f"{self.label}+{b64(self.ALGORITHM + self.public)}"

    def fits(self, text: str, signature: bytes) -> bool:
        """Did this key make the signature over the text?"""
        return fits(self.public, text, signature)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a vkey.

        Raises:
            Damaged: not a vkey of an Ed25519 key of this kind, or its id is not that of the key.
        """
        parts = text.strip().split("+", 2)
        if len(parts) != 3 or not _NAME.fullmatch(parts[0]):
            raise Damaged(f"{text[:80]!r} is not a key of the form NAME+ID+KEY")
        key = unb64(parts[2])
        if key[:1] != cls.ALGORITHM or len(key) != 33:
            raise Damaged(f"{parts[0]}: not an Ed25519 key{cls._MEANT}")
        found = cls(parts[0], key[1:])
        if found.id != parts[1]:
            raise Damaged(f"{parts[0]}: the key's id is {found.id}, not {parts[1]}")
        return found


class SigningKey:
    """A private key with the name under which it signs (a host's name, without spaces or a plus)."""

    def __init__(self, name: str, private: Ed25519PrivateKey) -> None:
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} cannot name a key: no spaces and no plus")
        self._private = private
        self.verifying = VerifyingKey(name, private.public_key().public_bytes_raw())

    def sign(self, text: str) -> str:
        """The note of `text` (which ends with a newline); the same text gives the same note."""
        key = self.verifying
        return f"{text}\n{signature_line(key, self._private.sign(text.encode()))}"


class Signature(Struct, frozen=True):
    """One signature line: the name, the key's id in hex, and the signature itself."""

    name: str
    id: str
    signature: bytes

    @property
    def label(self) -> str:
        """NAME+ID, as reports show it."""
        return f"{self.name}+{self.id}"


class Signed(Struct, frozen=True):
    """Who signed a note, as far as the given keys show; each signer is NAME+ID.

    `by`: the keys whose signatures were checked.  `named`: other signers that the note names; their
    signatures could not be checked.  `public`: the key `PUBLIC` signed.
    """

    by: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    public: bool = False

    def text(self, language: str = "en") -> str:
        """The same in words, for reports in this language."""
        words = _WORDS[language]
        parts = [words["by"].format(key) for key in self.by]
        parts += [words["named"].format(visible(key)) for key in self.named]
        if not parts:
            parts = [words["public"].format(PUBLIC.label) if self.public else words["none"]]
        return ", ".join(parts)


_WORDS = {
    "en": {
        "by": "signed by {}",
        "named": "names {}, not checked",
        "public": "not signed ({} is a key that everybody has)",
        "none": "not signed",
    },
    "ru": {
        "by": "подписано ключом {}",
        "named": "назван ключ {}, не проверено",
        "public": "не подписано (ключ {} есть у каждого)",
        "none": "не подписано",
    },
}


class Note(Struct, frozen=True):
    """A note, split into its text and its signatures."""

    text: str
    signatures: tuple[Signature, ...]

    @classmethod
    def parse(cls, note: str) -> Note:
        """Split a note into its text and its signatures.

        Raises:
            Damaged: not a signed note.
        """
        text, blank, lines = note.rpartition("\n\n")
        if not blank or not lines.endswith("\n") or not lines.startswith("— "):
            raise Damaged(Sentence("not-a-signed-note"))
        if (count := lines.count("\n")) > MOST_SIGNATURES:
            raise Damaged(Sentence("too-many-signatures", {"count": count, "most": MOST_SIGNATURES}))
        return cls(text + "\n", tuple(_signature(line) for line in lines[:-1].split("\n")))

    @property
    def names(self) -> str:
        """The signers that its lines name, for a report; whether they signed is not checked."""
        return ", ".join(visible(line.label) for line in self.signatures)

    def checked(self, keys: Iterable[VerifyingKey]) -> Signed:
        """Who signed the text: every line that names one of `keys`, or `PUBLIC`, is checked.

        Raises:
            Damaged: a line names one of these keys, but the signature does not fit.
        """
        counting = tuple(keys)
        by, named, public = dict[str, None](), dict[str, None](), False
        for line in self.signatures:
            meant = [key for key in (*counting, PUBLIC) if key.label == line.label]
            if meant and not any(key.fits(self.text, line.signature) for key in meant):
                raise Damaged(Sentence("signature-does-not-fit", {"key": visible(line.label)}))
            if any(key in counting for key in meant):
                by[line.label] = None
            elif meant:
                public = True
            else:
                named[line.label] = None
        return Signed(tuple(by), tuple(named), public)

    def signed_by(self, keys: Iterable[VerifyingKey]) -> VerifyingKey | None:
        """The first of `keys` that signed the text; None when none did.  Raises Damaged: see `checked`."""
        known = tuple(keys)
        signed = self.checked(known).by
        return next((key for key in known if key.label in signed), None)


class Checkpoint(Struct, frozen=True):
    """What a checkpoint states: the log's origin, the number of moves, and the root over them."""

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """The text that is signed."""
        return f"{self.origin}\n{self.size}\n{b64(self.root)}\n"

    @classmethod
    def parse(cls, text: str) -> Checkpoint:
        """Read a checkpoint's text.

        Raises:
            Damaged: not exactly what the property `text` writes.
        """
        lines = text.split("\n")
        if len(lines) != 4 or lines[3] or not lines[1].isdecimal() or not lines[1].isascii():
            raise Damaged(Sentence("not-a-checkpoint"))
        found = cls(lines[0], int(lines[1]), unb64(lines[2]))
        if found.text != text:
            raise Damaged(Sentence("checkpoint-not-canonical"))
        return found


def origin(server: str, match: str, kind: str = "match") -> str:
    """The origin of the checkpoints of a match or, if that is the `kind`, of a tournament."""
    return f"{server}/{kind}/{match}"


class NotSignedHere(Exception):
    """The log of this match was not written here: only the note that came with it may go with it."""


class Signable(Protocol):
    """What `checkpoint` must know about a match before it signs."""

    @property
    def id(self) -> str:
        """The match's id."""

    @property
    def uploaded(self) -> bool:
        """Did its log come as a file?"""

    @property
    def imported(self) -> bool:
        """Was it played elsewhere?"""


def checkpoint(key: SigningKey, match: Signable, size: int, root: bytes, kind: str = "match") -> str:
    """The signed checkpoint over the first `size` moves of a match, or entries of a tournament.

    An imported match is signed with the key `PUBLIC` only, an uploaded one with none.

    Raises:
        NotSignedHere: this house did not write the log.
    """
    if match.uploaded or (match.imported and key.verifying != PUBLIC):
        raise NotSignedHere(
            f"the log of match {match.id} came from elsewhere: no checkpoint of it is signed here"
        )
    return key.sign(Checkpoint(origin(key.verifying.name, match.id, kind), size, root).text)


def visible(label: str) -> str:
    """NAME+ID of a key that is not known here, as reports show it: in ASCII, other characters escaped.

    Such a name is untrusted text: with blanks that are not spaces it could read "signed by".
    """
    return label.encode("ascii", "backslashreplace").decode()


def signature_line(key: VerifyingKey, signature: bytes) -> str:
    """The line of a note that holds a signature by this key."""
    return f"— {key.name} {b64(bytes.fromhex(key.id) + signature)}\n"


def _signature(line: str) -> Signature:
    parts = line.split(" ")
    if len(parts) != 3 or parts[0] != "—" or not _NAME.fullmatch(parts[1]):
        raise Damaged(Sentence("not-a-signature-line", {"line": ascii(line[:80])}))
    if len(parts[1]) > _LONGEST:
        raise Damaged(Sentence("signer-too-long", {"count": len(parts[1]), "most": _LONGEST}))
    data = unb64(parts[2])
    if len(data) < 5:
        raise Damaged(Sentence("signature-too-short", {"key": visible(parts[1])}))
    return Signature(parts[1], data[:4].hex(), data[4:])


def fits(public: bytes, text: str, signature: bytes) -> bool:
    """Did the Ed25519 key with these 32 bytes make the signature over the text?"""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, text.encode())
    except (InvalidSignature, ValueError):
        return False
    return True


PUBLIC = VerifyingKey.parse("seeded+5169d956+AX6Z+8Qfi2txUGlBgxydA9UxgxGgdfmTO35llX5IPA84")
"""The key `seeded`, whose private part is public: it completes the format and proves nothing."""
