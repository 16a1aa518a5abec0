"""nginx.conf as data: enough of its grammar to hold the example against the program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_WORD = re.compile(r'#[^\n]*|"[^"]*"|[{};]|[^\s{};"]+')


class Directive(NamedTuple):
    """One directive: its words, and what stands between its braces."""

    words: tuple[str, ...]
    block: list[Directive]

    def all(self, name: str) -> list[Directive]:
        """Those of this name in the block."""
        return [inner for inner in self.block if inner.words[0] == name]

    def one(self, *words: str) -> Directive:
        """The only one that begins with these words."""
        (found,) = [inner for inner in self.block if inner.words[: len(words)] == words]
        return found

    @property
    def values(self) -> tuple[str, ...]:
        """What stands behind its name."""
        return self.words[1:]


def parsed(text: str) -> Directive:
    """The whole file as one block.

    Raises:
        ValueError: a brace or a semicolon is missing, or one too many.
    """
    words = (word for word in _WORD.findall(text) if not word.startswith("#"))
    return Directive(("main",), _block(words, inner=False))


def _block(words: Iterator[str], *, inner: bool) -> list[Directive]:
    found: list[Directive] = []
    line: list[str] = []
    for word in words:
        if word == "}":
            if line or not inner:
                raise ValueError(f"a closing brace after {line}")
            return found
        if word in "{;":
            if not line:
                raise ValueError(f"{word!r} without a directive")
            found.append(Directive(tuple(line), _block(words, inner=True) if word == "{" else []))
            line = []
        else:
            line.append(word.strip('"'))
    if line or inner:
        raise ValueError(f"the file ends in the middle of {line or 'a block'}")
    return found
