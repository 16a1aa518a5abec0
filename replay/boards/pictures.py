"""A drawn board as a PNG: bounded in size by its width, in time by a process that is stopped."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

from replay.boards import rasterizer

WIDTH = 1_200  # pixels
_SECONDS = 20.0  # a slow machine needs one
_PROGRAM = Path(rasterizer.__file__)
_DARK = re.compile(r"@media[^{]*\{(?:[^{}]*\{[^{}]*\})*\s*\}")
_PROPERTY = re.compile(r"(--[\w-]+):\s*([^;}]+);?")
_STYLE = re.compile(r"(?<=<style>).*?(?=</style>)", re.DOTALL)


class NoPicture(Exception):
    """A picture cannot be drawn here: no font, or not in time."""


@cache
def available() -> bool:
    """Does a test drawing show text?  The extra `pictures` may be missing, and a bare server has no font."""
    return _run("--probe", b"") is not None


def png(svg: str) -> bytes:
    """A picture of a drawing that stands alone, in light colours.

    Raises:
        NoPicture: see there.
    """
    drawn = _run(str(WIDTH), plain(svg).encode())
    if not drawn:
        raise NoPicture
    return drawn


def plain(svg: str) -> str:
    """The drawing without what `resvg` does not know: custom properties become their light values."""
    found = _STYLE.search(svg)
    if found is None:
        return svg
    light = _DARK.sub("", found[0])
    values = dict(_PROPERTY.findall(light))
    style = re.sub(r"var\((--[\w-]+)\)", lambda name: values.get(name[1], "none"), _PROPERTY.sub("", light))
    return svg[: found.start()] + style + svg[found.end() :]


def _run(argument: str, content: bytes) -> bytes | None:
    """What the program prints; None if it fails."""
    try:
        done = subprocess.run(
            [sys.executable, _PROGRAM, argument],
            input=content,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
