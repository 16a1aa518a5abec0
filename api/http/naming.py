"""What a player may be called: whatever shows what it is, in any script."""

from __future__ import annotations

import unicodedata

from api.http.problems import Failed
from api.store.names import folded
from replay.plain import one_line

_BLANK = {0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0}  # letters that show nothing
_UNSEEN = ("Cc", "Cf", "Cs", "Cn", "Mn", "Me", "Zs", "Zl", "Zp")
_RESERVED = ("bot:", "import:")
FORGOTTEN = {"en": "(name forgotten)", "ru": "(имя забыто)"}
"""What is told in the place of a name that an administrator has let the server forget."""


def checked(name: str) -> str:
    """The name, without blanks around it.

    Raises:
        Failed: invalid; the text says why.
    """
    name = name.strip()
    if not name:
        raise Failed("invalid", "a name is more than blanks - at `$.name`")
    for letter, safe in zip(name, one_line(name), strict=True):
        if letter != safe:
            character = f"U+{ord(letter):04X}"
            raise Failed(
                "invalid",
                f"a name holds no {character}, which would change what others read - at `$.name`",
            )
    shown = [letter for letter in name if _is_seen(letter)]
    if not shown:
        raise Failed("invalid", "a name shows something: this one is invisible - at `$.name`")
    if unicodedata.normalize("NFKC", "".join(shown)).casefold().startswith(_RESERVED):
        raise Failed("invalid", "a name begins neither with bot: nor with import: - at `$.name`")
    if folded("".join(shown)) in map(_compact, FORGOTTEN.values()):
        raise Failed("invalid", "a name is not what is told of forgotten ones - at `$.name`")
    return name


def _compact(name: str) -> str:
    return folded("".join(letter for letter in name if _is_seen(letter)))


def _is_seen(letter: str) -> bool:
    return ord(letter) not in _BLANK and unicodedata.category(letter) not in _UNSEEN
