"""The documents as data: their blocks, headings, links, tables and the files that they name.

A block's info string is its language, and a file name where the block is to be saved under it:

    bash            run as it stands; the exit code must be 0, and no request may be refused
    console         lines that begin with "$ " are run; the lines below them are what they print
    python          run with the project's Python
    js              run in a browser
    json, toml      parsed; saved, where a name is given
    text            shown, not run: a tree or a form
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

ROOT = Path(__file__).parent.parent.parent
PAGES = {
    "thirteen_minutes": "docs/13-minutes.md",
    "cia_vs_kgb": "docs/cia-vs-kgb.md",
    "twilight_struggle": "docs/twilight-struggle.md",
    "imperial_struggle": "docs/imperial-struggle.md",
}
LANGUAGES = {"bash", "console", "python", "js", "json", "toml", "text"}

_FENCE = re.compile(r"^```(.*)$")
_LINK = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")
_CODE = re.compile(r"`([^`\n]+)`")
_PATH = re.compile(r"(?:\./)?(?:api|docs|domain|ops|projections|replay|tests)/[\w./-]*\w")


class Block(Struct, frozen=True):
    """One fenced block: `line` is that of its first content line, counted from 1."""

    document: str
    line: int
    language: str
    name: str
    text: str

    @property
    def place(self) -> str:
        """Where it stands, as errors show it."""
        return f"{self.document}:{self.line}"


class Document(Struct, frozen=True):
    """One Markdown file."""

    name: str
    text: str

    @property
    def path(self) -> Path:
        """Its file."""
        return ROOT / self.name

    @property
    def blocks(self) -> list[Block]:
        """Its fenced blocks, in order."""
        found: list[Block] = []
        begun: tuple[int, str] | None = None
        lines: list[str] = []
        for number, line in enumerate(self.text.split("\n"), 1):
            fence = _FENCE.match(line)
            if begun is None and fence:
                begun, lines = (number + 1, fence.group(1)), []
            elif fence and begun:
                language, _, name = begun[1].partition(" ")
                found.append(Block(self.name, begun[0], language, name, "".join(f"{one}\n" for one in lines)))
                begun = None
            else:
                lines.append(line)
        assert begun is None, f"{self.name}: the block that begins at line {begun} does not end"
        return found

    @property
    def prose(self) -> str:
        """The text without its blocks."""
        return re.sub(r"^```.*?^```$", "", self.text, flags=re.DOTALL | re.MULTILINE)

    @property
    def links(self) -> list[str]:
        """The targets of its links."""
        return _LINK.findall(self.prose)

    @property
    def named_files(self) -> set[str]:
        """Files and folders of the project that it names as code."""
        return {path.removeprefix("./") for code in _CODE.findall(self.prose) for path in _PATH.findall(code)}

    @property
    def anchors(self) -> set[str]:
        """What a link may name after "#": the headings, as hosts of Markdown write them."""
        headings = re.findall(r"^#+ (.*)$", self.prose, flags=re.MULTILINE)
        return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}

    def tables(self) -> Iterator[list[dict[str, str]]]:
        """Its tables, each as rows by column."""
        for lines in re.findall(r"(?:^\|.*\|\n)+", self.prose, flags=re.MULTILINE):
            head, _, *rows = [
                [cell.strip() for cell in line.strip("|").split("|")] for line in lines.rstrip().split("\n")
            ]
            yield [dict(zip(head, row, strict=True)) for row in rows]

    def table(self, column: str) -> list[dict[str, str]]:
        """Its first table whose first column has this name."""
        return next(rows for rows in self.tables() if next(iter(rows[0])) == column)


def read(name: str) -> Document:
    """One document."""
    return Document(name, (ROOT / name).read_text("utf-8"))


def documents() -> list[Document]:
    """All of them."""
    top = ("README.md", "README.ru.md", "CONTRIBUTING.md", "CHANGELOG.md", "ops/README.md")
    return [
        read(name) for name in (*top, *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")))
    ]
