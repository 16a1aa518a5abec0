"""How names are compared, and who has one.

A name is looked for by its folded form: what Unicode holds for the same letters is the same, in capitals or
not, and marks that show nothing do not count.
"""

from __future__ import annotations

import unicodedata

MOST = 64  # letters of a folded name that are kept
LAST = "\U0010ffff"  # comes after whatever a name may go on with


def folded(name: str) -> str:
    """The form under which a name is looked for."""
    seen = "".join(letter for letter in name.strip() if unicodedata.category(letter) != "Cf")
    plain = unicodedata.normalize("NFKC", seen)
    return unicodedata.normalize("NFKC", plain.casefold())[:MOST]


def is_in(name: str, text: str) -> bool:
    """Does a text hold a name?  A short one in Latin letters only as words of its own."""
    words, sought = _words(text), _words(name)
    if sought.isascii() and len(sought) < 4:
        return bool(sought) and f" {sought} " in f" {words} "
    return sought in words


def _words(text: str) -> str:
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join("".join(letter if letter.isalnum() else " " for letter in plain).split())
