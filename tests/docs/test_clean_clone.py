"""The page for analysts from nothing: its commands and its notebook, in a clean clone (AN28).

The clone has what is committed, and an environment that lends the packages of this one: so nothing is
installed, and a file that is not committed is missed.  No process of it reaches a network.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.docs.documents import ROOT, read
from tests.docs.session import environment

EXTRAS = "analysis parquet"
_LEND = f"""
. ops/lib/env.sh
is_current || true
printf '%s\\n%s\\n' "$stamp" "{EXTRAS}" >"$GLASNOST_VENV/.glasnost-runtime"
"""
_OFFLINE = """
import socket, sys
def refused(*of):
    raise AssertionError("a command for analysts asks the network")
socket.socket.connect = refused
"""


def lent(clone: Path) -> dict[str, str]:
    """Make an environment in the clone that runs its code with the packages of this one."""
    venv = clone / ".venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "pyvenv.cfg").write_text((Path(sys.prefix) / "pyvenv.cfg").read_text())
    python = venv / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    (clone / "offline").mkdir()
    (clone / "offline" / "sitecustomize.py").write_text(_OFFLINE)
    told = {**environment(), "GLASNOST_VENV": str(venv), "PYTHONPATH": f"{clone}/offline:{clone}"}
    subprocess.run(["bash", "-c", _LEND], cwd=clone, env=told, check=True)
    return told


@pytest.mark.long
def test_the_commands_and_the_notebook_for_analysts_run_in_a_clean_clone_without_a_network(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", f"file://{ROOT}", str(clone)], check=True)
    told, began = lent(clone), time.monotonic()
    first = next(block for block in read("docs/analysts.md").blocks if block.language == "bash")
    subprocess.run(["bash", "-euo", "pipefail", "-c", first.text], cwd=clone, env=told, check=True)
    assert (clone / "iran.svg").read_bytes().startswith(b"<?xml")
    cells = json.loads((clone / "docs" / "analysts.ipynb").read_text("utf-8"))["cells"]
    source = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    script = f"import replay\nassert replay.__path__[0].startswith({str(clone)!r})\n{source}"
    chosen = {"GLASNOST_DATA_SET": "history", "GLASNOST_POOL": "seeded"}
    command = (str(clone / ".venv" / "bin" / "python"), "-c", script)
    ran = subprocess.run(command, cwd=clone, env={**told, **chosen}, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "12 matches" in ran.stdout
    with capsys.disabled():
        sys.stdout.write(f"\nfive commands and the notebook: {time.monotonic() - began:.0f} s\n")
