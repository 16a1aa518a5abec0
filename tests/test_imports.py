"""Imports point inwards, and games never import one another (architecture, section 1)."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OWN = {"domain", "projections", "replay", "api", "tests", "ops"}
MAY_IMPORT = {
    "domain": {"domain"},
    "projections": {"domain", "projections"},
    "replay": {"domain", "replay"},
    "api": {"domain", "projections", "replay", "api"},
}
OUTSIDE_OF_DOMAIN = {"msgspec", "eventsourcing", "cryptography"}
IMPURE = {
    "time",
    "datetime",
    "random",
    "secrets",
    "os",
    "socket",
    "subprocess",
    "threading",
    "asyncio",
    "logging",
}


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute here"
            yield f"{node.module}"


@pytest.mark.parametrize("package", sorted(MAY_IMPORT))
def test_imports_point_inwards(package: str) -> None:
    files = list((ROOT / package).rglob("*.py"))
    assert files
    for path in files:
        tops = {name.split(".")[0] for name in imported(path)}
        assert tops & OWN <= MAY_IMPORT[package], path


def test_the_domain_is_pure() -> None:
    for path in (ROOT / "domain").rglob("*.py"):
        tops = {name.split(".")[0] for name in imported(path)}
        assert not tops & IMPURE, path
        assert tops - OWN - set(sys.stdlib_module_names) <= OUTSIDE_OF_DOMAIN, path


def test_games_never_import_one_another() -> None:
    games = [folder.name for folder in (ROOT / "domain").iterdir() if (folder / "editions.py").exists()]
    assert len(games) >= 2
    for game in games:
        others = tuple(f"domain.{other}" for other in games if other != game)
        for path in (ROOT / "domain" / game).rglob("*.py"):
            assert not [name for name in imported(path) if name.startswith((*others, "domain.games"))], path
