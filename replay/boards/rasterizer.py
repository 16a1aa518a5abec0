"""A program of its own: reads an SVG, writes it as a PNG of a given width, with a font that the system has.

It is a process because `resvg` holds the interpreter while it draws, and because a process can be stopped.

    python rasterizer.py 1200 < board.svg > board.png
    python rasterizer.py --probe

It ends with 3 if no font of the system shows letters.
"""

from __future__ import annotations

import sys
from typing import Protocol

NO_FONT = 3
FAMILIES = (
    "Noto Sans",
    "DejaVu Sans",
    "Liberation Sans",
    "Open Sans",
    "Roboto",
    "Arial",
    "Segoe UI",
    "Helvetica",
    "FreeSans",
    "Ubuntu",
)
LETTERS = "AЖ"  # of both languages
UNKNOWN = "\U0010fffd"  # no font has it: what is drawn for it stands for a missing letter


class Resvg(Protocol):
    """What is used of the package `resvg_py`."""

    def svg_to_bytes(self, svg_string: str | None = None, *, font_family: str | None = None) -> bytes:
        """Draw an SVG as a PNG."""


def family(resvg: Resvg) -> str | None:
    """The first family in which a test drawing shows the letters of both languages; None if there is none."""
    for name in FAMILIES:
        missing = {_drawn(resvg, name, ""), _drawn(resvg, name, UNKNOWN)}
        if all(_drawn(resvg, name, letter) not in missing for letter in LETTERS):
            return name
    return None


def _drawn(resvg: Resvg, name: str, text: str) -> bytes:
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><text y="15">{text}</text></svg>'
    return bytes(resvg.svg_to_bytes(svg_string=svg, font_family=name))


def main(arguments: list[str]) -> int:
    """Draw; return the exit code."""
    import resvg_py as resvg

    found = family(resvg)
    if found is None:
        return NO_FONT
    if arguments != ["--probe"]:
        svg = sys.stdin.buffer.read().decode()
        sys.stdout.buffer.write(
            resvg.svg_to_bytes(svg_string=svg, width=int(arguments[0]), sans_serif_family=found)
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
