"""What the tests of the examples share."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from api.bus import VARIABLE as REDIS
from api.bus import Address
from api.cli.admin import serve
from api.settings import PREFIX, Settings
from api.settings import read as read_settings
from api.store.open import located
from tests.docs.documents import read

ROOT = Path(__file__).parents[2]
OPS = ROOT / "ops"
STOPPING = Settings().stopping_seconds + 10  # and what a commit in doubt may take


def port_of(command: Sequence[str]) -> int:
    """The port on which `glasnost serve` would listen; raises where it would refuse these arguments."""
    program, subcommand, *arguments = command
    assert program == "/opt/glasnost/ops/glasnost"
    assert subcommand == "serve"
    port = serve.make_context("serve", arguments).params["port"]
    assert isinstance(port, int)
    return port


def must_be_understood(environment: Mapping[str, str]) -> None:
    """Raises where a variable is unknown, or its value cannot be used."""
    settings = {PREFIX + name.upper() for name in Settings.__struct_fields__}
    others = {row["Other"].strip("`") for row in read("docs/operations.md").table("Other")}
    ours = {name for name in environment if name.startswith(PREFIX)}
    assert ours <= settings | others
    assert {name for name in environment if not name.startswith(PREFIX)} <= {
        "PGPASSWORD",
        "FORWARDED_ALLOW_IPS",
    }
    read_settings(environment)
    if "GLASNOST_STORE" in environment:
        assert isinstance(located(environment["GLASNOST_STORE"]), str)
    if REDIS in environment:
        Address(environment[REDIS])


def seconds(text: str) -> int:
    """How long "60s" is."""
    found = re.fullmatch(r"(\d+)s?", text)
    assert found, text
    return int(found[1])
