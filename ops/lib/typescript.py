"""TypeScript's own compiler, which checks the scripts of the pages: found, or brought into the environment.

It is a native program that needs neither Node nor an environment. It is looked for in this order:

1. `TSC`, when it is set: that one or none;
2. the copy under `browser/` in the virtual environment (`GLASNOST_VENV`, or `.venv`).

When there is none, `ensure` brings the second as `browser.py` brings the browser: one archive of npm, its
checksum pinned below.

    python ops/lib/typescript.py          finds or installs; prints the path
    python ops/lib/typescript.py --print  only finds; prints the path, or fails
"""

from __future__ import annotations

import base64
import hashlib
import os
import platform
import shutil
import sys
import tempfile
from pathlib import Path

from browser import Missing, alone, call, home, node_and_npm

VERSION = "7.0.2"
PACKAGE = f"@typescript/typescript-linux-x64@{VERSION}"
SHA512 = "EYdf2cNg7rgCWJnxCdJ+F3V39O8ihb37eHAu1LK8oAFizgTQbPOK7zHHXbPt8rX24COqODXeI3sIf0fCXG7H/A=="
WHAT_TO_DO = (
    f"no TypeScript compiler could be found or installed. Install TypeScript {VERSION} (npm install --global"
    f" typescript@{VERSION}), let TSC point at its program `tsc`, and start again."
)


def find() -> Path | None:
    """The compiler, or None."""
    chosen = os.environ.get("TSC")
    if chosen:
        path = shutil.which(chosen)
        return Path(path) if path else None
    own = home() / f"typescript-{VERSION}" / "lib" / "tsc"
    return own if os.access(own, os.X_OK) else None


def ensure() -> Path:
    """The compiler, installed if need be."""
    with alone():
        found = find()
        if found is None and not os.environ.get("TSC"):
            from_npm()
            found = find()
    if found is None:
        raise Missing(WHAT_TO_DO)
    return found


def from_npm() -> None:
    """Unpacks the pinned npm package into the environment."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise Missing(WHAT_TO_DO)
    with tempfile.TemporaryDirectory(prefix=".unpack-", dir=home()) as name:
        box = Path(name)
        _, npm = node_and_npm(box)
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
        call([box / "package" / "lib" / "tsc", "--version"], cwd=box)
        place = home() / f"typescript-{VERSION}"
        shutil.rmtree(place, ignore_errors=True)
        (box / "package").rename(place)


def main(arguments: list[str]) -> int:
    """Prints the compiler's path; 1 when there is none."""
    try:
        path = find() if arguments == ["--print"] else ensure()
    except Missing as reason:
        print(f"{reason}\n{WHAT_TO_DO}", file=sys.stderr)
        return 1
    if path is None:
        print("no TypeScript compiler found; `python ops/lib/typescript.py` installs one", file=sys.stderr)
        return 1
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
