"""The types of the modules of the browser: TypeScript's own compiler finds nothing wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_imports import ROOT
from tests.web.test_modules import STATIC

FINDER = ROOT / "ops" / "lib" / "typescript.py"
OPTIONS = {
    "strict": True,
    "checkJs": True,
    "allowJs": True,
    "noEmit": True,
    "lib": ["dom", "dom.iterable", "es2023"],
    "target": "es2023",
    "module": "es2022",
    "moduleResolution": "bundler",
    "types": [],
}


@pytest.fixture(scope="module")
def compiler() -> str:
    """The compiler that `ops/lib/typescript.py` finds; `./ops/test` installs one."""
    found = subprocess.run([sys.executable, FINDER, "--print"], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    return found.stdout.strip()


def errors(compiler: str, folder: Path, home: Path) -> list[str]:
    """What the compiler says about all modules of a folder."""
    config = home / "tsconfig.json"
    config.write_text(json.dumps({"compilerOptions": OPTIONS, "include": [f"{folder}/**/*.js"]}))
    done = subprocess.run([compiler, "-p", config], capture_output=True, text=True, env={}, check=False)
    assert (done.returncode == 0) == (done.stdout == ""), done
    return done.stdout.splitlines()


def test_every_module_has_the_types_that_it_says(compiler: str, tmp_path: Path) -> None:
    assert errors(compiler, STATIC, tmp_path) == []


def test_the_compiler_finds_a_wrong_type(compiler: str, tmp_path: Path) -> None:
    (tmp_path / "one.js").write_text("// @ts-check\n/** @type {number} */\nexport const one = 'one';\n")
    (found,) = errors(compiler, tmp_path, tmp_path)
    assert "TS2322" in found
