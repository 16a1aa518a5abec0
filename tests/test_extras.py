"""The core runs without the packages of the extras, and says in one sentence which extra would help."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from tests.cli.program import MAIN, run_code
from tests.test_imports import MODULES, OWN, ROOT, imported
from tests.waiting import PATIENCE

HIDDEN = (
    "psycopg",
    "psycopg_pool",
    "psycopg_binary",
    "pyarrow",
    "psutil",
    "resvg_py",
    "duckdb",
    "sklearn",
    "matplotlib",
    "numpy",
    "scipy",
    "gacrux",
    "networkx",
    "icalendar",
    "pettingzoo",
    "gymnasium",
)
OF_AN_EXTRA = re.compile(
    r"(api\.store|projections)\.postgres\w*|api\.research\.aec"
)  # imported where asked for
HIDING = f"""
import importlib.abc, json, sys

class Hiding(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {HIDDEN}:
            raise ModuleNotFoundError(f"no module {{name}}", name=name)

sys.meta_path.insert(0, Hiding())
"""
DATABASE = "postgresql://somebody:secret@127.0.0.1:1/games"
COMMANDS: dict[tuple[str, ...], str] = {
    ("serve", "--port", "0", "--store", DATABASE): "postgres",
    ("admin-token", "--store", DATABASE): "postgres",
    ("play", "thirteen_minutes", "--store", DATABASE): "postgres",
    ("script", "short.json", "--store", DATABASE): "postgres",
    ("import-log", "log.txt", "--store", DATABASE): "postgres",
    ("replay", "m1", "--store", DATABASE): "postgres",
    ("verify", "--store", DATABASE): "postgres",
    ("export", "--all", "--store", DATABASE): "postgres",
    ("keys", "--store", DATABASE): "postgres",
    ("keys", "--rotate", "--store", DATABASE): "postgres",
    ("withdraw", "m1", "--store", DATABASE, "--reason", "none"): "postgres",
    ("people", "find", "--store", DATABASE, "Ann"): "postgres",
    ("people", "audit", "--store", DATABASE): "postgres",
    ("migrate", "--from", DATABASE, "--to", "other"): "postgres",
    ("migrate", "--from", "games", "--to", DATABASE): "postgres",
    ("migrate", "--from", "shards:map.toml", "--to", "other"): "postgres",
    ("export", "--all", "--store", "games", "--format", "parquet"): "parquet",
    ("data", "build", "club", "--store", "games"): "analysis",
    ("sql", "SELECT 1"): "analysis",
    ("query", "coups"): "analysis",
    ("find", "us controls iran"): "analysis",
    ("replay", "m1.glasnost", "--png", "board.png"): "pictures",
    ("bench", "fold"): "test",
}


def started(code: str, folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """A process in `folder` from which the packages are hidden."""
    return subprocess.Popen(
        [sys.executable, "-c", HIDING + code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8", "GLASNOST_KEYS": str(folder / "games.keys")},
    )


def hidden(code: str, folder: Path, *arguments: str) -> Any:
    """What such a process prints as JSON in its last line."""
    with started(code, folder, *arguments) as process:
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    return json.loads(out.splitlines()[-1])


def test_every_module_of_the_core_is_imported_without_them(tmp_path: Path) -> None:
    core = [name for name in MODULES if not OF_AN_EXTRA.fullmatch(name)]
    assert len(MODULES) - len(core) == 7
    code = (
        "import importlib\nfor name in sys.argv[1:]: importlib.import_module(name)\nprint(len(sys.argv) - 1)"
    )
    assert hidden(code, tmp_path, *core) == len(core)


def test_a_command_whose_extra_is_missing_says_so_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "short.json").write_text('{"game": "thirteen_minutes", "answers": []}')
    (tmp_path / "log.txt").write_text("")
    (tmp_path / "map.toml").write_text(f'[[shard]]\nname = "home"\nstore = "{DATABASE}"\n')
    run_code(MAIN, "play", "thirteen_minutes", "--store", tmp_path / "games").ok()
    code = """
from contextlib import redirect_stderr
from api.cli.main import run
said = []
for command in json.loads(sys.argv[1]):
    with open("said", "w+") as errors, redirect_stderr(errors):
        code = run(command)
        errors.seek(0)
        said.append([code, errors.read()])
print()
print(json.dumps(said))
"""
    said = hidden(code, tmp_path, json.dumps(list(COMMANDS)))
    for (command, extra), (exit_code, line) in zip(COMMANDS.items(), said, strict=True):
        sentence = (
            f" needs the extra `{extra}`, which is not installed:"
            f" `GLASNOST_EXTRAS={extra} ./ops/run` installs it\n"
        )
        assert (exit_code, line.count("\n"), line.endswith(sentence)) == (2, 1, True), (command, line)
        assert "secret" not in line


def test_a_server_without_them_answers_every_route(tmp_path: Path) -> None:
    """No route needs an extra: each is asked for the one match of the store, and answers or refuses."""
    match = run_code(MAIN, "play", "thirteen_minutes", "--store", tmp_path / "games", "--json").json["match"]
    code = 'from api.cli.main import run; run(["serve", "--port", "0", "--store", "games"])'
    with started(code, tmp_path) as server:
        assert server.stdout is not None
        address = server.stdout.readline().removeprefix("listening on ").strip()
        try:
            answers = list(_answers(address, match))
        finally:
            server.terminate()
    assert len(answers) > 30
    assert {answer for answer in answers if answer[1] >= 500} == {
        (f"get /v1/{path}", 501) for path in ("data", "data/dictionary", "queries", "explorer")
    }


def _answers(address: str, match: str) -> Iterator[tuple[str, int]]:
    with httpx.Client(base_url=address, timeout=PATIENCE) as client:
        for path, methods in client.get("/openapi.json").json()["paths"].items():
            filled = re.sub(r"\{\w+\}", "1", path.replace("{match}", match))
            for method in methods:
                with client.stream(method, filled) as answer:
                    yield f"{method} {filled}", answer.status_code


def _top(requirement: str) -> str:
    """The name by which a required package is imported."""
    name = re.split(r"[^\w.-]", requirement)[0].lower().replace("-", "_")
    return {"scikit_learn": "sklearn"}.get(name, name)


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


def test_the_core_requires_what_it_imports_and_nothing_else() -> None:
    tops = {name.partition(".")[0] for path in MODULES.values() for name in imported(path)}
    extra = {_top(line) for name, lines in EXTRAS.items() if name != "test" for line in lines}
    core = {_top(line) for line in PROJECT["dependencies"]}
    assert tops - sys.stdlib_module_names - OWN == core | extra


def test_the_tests_have_every_extra() -> None:
    (ours,) = [line for line in EXTRAS["test"] if line.startswith("glasnost[")]
    assert set(ours.removeprefix("glasnost[").removesuffix("]").split(",")) == set(EXTRAS) - {"test"}
