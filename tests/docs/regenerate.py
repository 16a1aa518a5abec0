"""Writes the outputs that the documents show anew: what `./ops/docs` runs.

The table of the picks on a game's page is written, too, from the game's steps, and the picture of README is
drawn in the browser of the tests.
Only outputs that no longer agree are touched.  One that holds "..." or "…" is left to a person, and named.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

from domain.games import GAMES
from tests.docs import picture
from tests.docs.documents import PAGES, Document, documents
from tests.docs.session import Server, agrees, run, serving, shown
from tests.docs.strengths import TABLE, strengths_table
from tests.domain.spelling import table

PICKS = re.compile(r"^\| Question \|.*\n(?:\|.*\n)+", re.MULTILINE)


def regenerated(document: Document, server: Server, folder: Path) -> tuple[str, list[str]]:
    """The text of a document with fresh outputs, and the places that a person has to look at."""
    lines, by_hand, moved = document.text.split("\n"), list[str](), 0
    printed = run(document, document.blocks, server, folder)
    for block in document.blocks:
        if block.language != "console":
            continue
        at = block.line - 1 + moved
        for number, one in enumerate(shown(block)):
            at += 1
            fresh = printed[block.line, number]
            if not agrees(one.expected, fresh):
                if any("…" in line or line == "..." for line in one.expected):
                    by_hand.append(f"{block.place}: {one.command}")
                else:
                    lines[at : at + len(one.expected)] = fresh
                    moved += len(fresh) - len(one.expected)
                    at += len(fresh) - len(one.expected)
            at += len(one.expected)
    return "\n".join(lines), by_hand


def with_picks(name: str, text: str) -> str:
    """The text of a game's page with the table of its picks, written from the code."""
    game = next((game for game, page in PAGES.items() if page == name), None)
    return PICKS.sub(lambda _: table(GAMES[game]), text) if game else text


def main() -> int:
    """All documents; 1 where a person has to look."""
    open_places: list[str] = []
    with tempfile.TemporaryDirectory() as scratch, serving(Path(scratch)) as server:
        for document in documents():
            folder = Path(scratch) / document.name.replace("/", "-")
            folder.mkdir()
            text, by_hand = regenerated(document, server, folder)
            text = TABLE.sub(lambda _: strengths_table(), with_picks(document.name, text))
            if text != document.text:
                document.path.write_text(text, "utf-8")
                print(f"{document.name}: outputs written anew")
            open_places += by_hand
    picture.draw()
    for place in open_places:
        print(f"{place}: prints something else; it is shown in part, so edit it by hand", file=sys.stderr)
    return 1 if open_places else 0


if __name__ == "__main__":
    sys.exit(main())
