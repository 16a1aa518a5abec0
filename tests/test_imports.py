"""Imports point inwards, never in a circle, and games never import one another (architecture, section 1)."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from domain.games import GAMES
from tests.matches import finished
from tests.replay.files import KEY, file_of

ROOT = Path(__file__).parent.parent
OWN = {"domain", "projections", "replay", "api", "tests", "ops"}
LEVELS = (  # a module imports from its own package, and from packages of the levels before its own
    ("domain",),
    ("projections", "replay"),
    ("api",),  # the modules that stand in no package of api/
    ("api.store",),
    ("api.bots",),
    ("api.bus", "api.gate", "api.mail"),
    ("api.http",),
    ("api.data",),
    ("api.web",),
    ("api.research", "api.witness"),
    ("api.cli",),
)
ASSEMBLES = ("api.http.app", "api.web")  # the application adds the pages to the routes of the API
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
# What a data process, which answers strangers, must not hold: people, keys, matches that run, secrets of
# players, agents.  An attacker who breaks out of DuckDB would have it, and it would cost half of a start.
NO_DATA_PROCESS_HOLDS = (
    *("api.store", "api.gate", "api.bots", "api.bus", "api.mail", "api.web", "api.research", "api.witness"),
    *("api.http.app_state", "api.http.auth", "api.http.exception_handlers", "api.http.sessions"),
    *("api.seeded", "api.server_client", "domain.agents", "domain.partial_match", "projections"),
    *("eventsourcing", "fastapi", "psycopg", "pydantic", "redis", "sqlite3", "prometheus_client"),
)


def _modules() -> dict[str, Path]:
    """Each module of the program, by its name."""
    tops = {package.partition(".")[0] for level in LEVELS for package in level}
    files = [path for top in sorted(tops) for path in (ROOT / top).rglob("*.py")]
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in files
    }


MODULES = _modules()


@cache
def imported(path: Path) -> tuple[str, ...]:
    """What a file imports, under guards such as TYPE_CHECKING too: modules, and names in modules."""
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute here"
            names += (f"{node.module}.{alias.name}" for alias in node.names)
    return tuple(names)


def level_of(name: str) -> tuple[int, str]:
    """The level of a module, or of a name in one, and its package."""
    found = [
        (level, package)
        for level, packages in enumerate(LEVELS)
        for package in packages
        if f"{name}.".startswith(f"{package}.")
    ]
    assert found, f"{name} is no part of the program"
    return found[-1]


@pytest.mark.parametrize("package", ["domain", "projections", "replay", "api"])
def test_imports_point_inwards(package: str) -> None:
    own = {module: path for module, path in MODULES.items() if module.split(".")[0] == package}
    assert own
    for module, path in own.items():
        level, home = level_of(module)
        for name in imported(path):
            if name.split(".")[0] in OWN:
                other, target = level_of(name)
                fits = other < level or target == home or (module, target) == ASSEMBLES
                assert fits, f"{module} imports {name}"


def test_imports_run_in_no_circle() -> None:
    graph = {
        module: {name if name in MODULES else name.rpartition(".")[0] for name in imported(path)} - {module}
        for module, path in MODULES.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"a circle of imports: {' <- '.join(error.args[1])}")


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


def test_agents_keep_to_the_rules_of_their_game() -> None:
    """Rules never import agents; agents import neither logs nor luck, nor agents of another game."""
    agents = ROOT / "domain" / "agents"
    games = [folder.name for folder in agents.iterdir() if (folder / "policy.py").exists()]
    assert len(games) >= 4
    for path in (ROOT / "domain").rglob("*.py"):
        names = set(imported(path))
        if agents not in path.parents:
            assert not [name for name in names if f"{name}.".startswith("domain.agents.")], path
            continue
        for part in ("match", "match_base", "history", "chance", "log", "drafts", "events", "games"):
            assert not [name for name in names if f"{name}.".startswith(f"domain.{part}.")], (path, part)
        own = path.relative_to(agents).parts[0]
        for other in (game for game in games if own in games and game != own):
            taken = (f"domain.{other}.", f"domain.agents.{other}.")
            assert not [name for name in names if f"{name}.".startswith(taken)], path


def _runs(node: ast.AST) -> Iterator[ast.AST]:
    """What stands in a file but under `if TYPE_CHECKING`; what stands in functions, too."""
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"):
            yield child
            yield from _runs(child)


def _reached(start: str) -> dict[str, str]:
    """All that a module imports, itself or through others, at once or in a function; with the importer."""
    found, waiting = {start: ""}, [start]
    while waiting:
        module = waiting.pop()
        names = set[str]()
        for node in _runs(ast.parse(MODULES[module].read_text("utf-8"))):
            if isinstance(node, ast.Import):
                names.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                names.update(f"{node.module}.{alias.name}" for alias in node.names)
        for name in sorted(set[str]().union(*map(_with_packages, names)) - set(found)):
            if name in MODULES or name.split(".")[0] not in OWN:
                found[name] = module
            if name in MODULES:
                waiting.append(name)
    return found


def _with_packages(name: str) -> set[str]:
    parts = name.split(".")
    return {".".join(parts[:count]) for count in range(1, len(parts) + 1)}


def _held(names: Iterable[str]) -> list[str]:
    """Those of these that a data process must not hold."""
    return [name for name in names if f"{name}.".startswith(tuple(f"{no}." for no in NO_DATA_PROCESS_HOLDS))]


def test_nothing_in_a_data_process_leads_to_the_store_the_gate_or_the_bots() -> None:
    found = _reached("api.data.serving")
    assert {"replay.dataset.search", "duckdb", "sklearn"} <= set(found), "also what functions import"
    assert [f"{found[name]} imports {name}" for name in _held(found)] == []


def test_a_process_of_queries_holds_nothing_of_the_program_but_itself_and_what_it_shares() -> None:
    own = {name for name in _reached("api.data.sql_parent") if name in MODULES}
    itself = {"api", "api.data", "api.data.sql_parent", "api.data.sql_child"}
    assert own == itself | {"replay", "replay.affinity", "replay.arrow"}


def _loaded(*command: str) -> tuple[int, set[str]]:
    """The exit code of a command in a new interpreter, and all modules that it has imported."""
    code = "import sys; from api.cli.main import run; print(); print(run(sys.argv[1:]), *sys.modules)"
    own = {name: value for name, value in os.environ.items() if not name.startswith("GLASNOST_")}
    done = subprocess.run(
        [sys.executable, "-c", code, *command], capture_output=True, check=True, text=True, env=own
    )
    exit_code, *loaded = done.stdout.splitlines()[-1].split()
    return int(exit_code), set(loaded)


def test_a_data_process_has_imported_none_of_them_when_it_opens_its_data_set(tmp_path: Path) -> None:
    code, loaded = _loaded("data", "serve", str(tmp_path), "--socket", str(tmp_path / "socket"))
    assert code == 2, "there is no data set"
    assert {"api.data.serving", "api.cli.data", "uvicorn"} <= loaded
    assert _held(loaded) == []
    assert not {"numpy", "pyarrow", "matplotlib", "scipy", "sklearn"} & loaded, "imported where needed"


def test_a_match_file_is_verified_without_the_code_of_a_store(tmp_path: Path) -> None:
    file = tmp_path / "match.glasnost"
    file.write_bytes(file_of(finished(GAMES["thirteen_minutes"]).match))
    code, loaded = _loaded("verify", str(file), "--key", KEY.verifying.text)
    assert code == 0
    assert "replay.verify" in loaded
    assert _held(loaded) == []
