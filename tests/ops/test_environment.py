"""The project's environment (`ops/lib/env.sh`): a user who may not change it gets the command to run."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ops.examples import OPS, ROOT

WAY_OUT = "with a Python that everybody may run (GLASNOST_PYTHON names one; none in a user's home)"


@pytest.fixture
def project() -> Iterator[Path]:
    """A copy of what the scripts need, which everybody may read; its environment is not finished."""
    with tempfile.TemporaryDirectory(prefix="glasnost-tests-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        shutil.copytree(OPS, folder / "ops", ignore=shutil.ignore_patterns("bench", "golden", "__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", folder)
        (folder / ".venv" / "bin").mkdir(parents=True)
        (folder / ".venv" / "pyvenv.cfg").write_text("home = /somebody/bin\nversion = 3.11.7\n")
        yield folder
        (folder / ".venv").chmod(0o755)


def started(project: Path, mode: int = 0o555, **environment: str) -> tuple[int, list[str]]:
    """The exit code and output of a worker that is started by a user who does not own the environment."""
    (project / ".venv").chmod(mode)
    done = subprocess.run(
        [str(project / "ops" / "glasnost"), "--version"],
        user="nobody" if os.geteuid() == 0 else None,
        cwd="/",
        env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == ""
    return done.returncode, done.stderr.splitlines()


def test_a_user_who_may_not_change_an_old_environment_gets_the_name_of_its_owner(project: Path) -> None:
    (project / ".venv" / "bin" / "python").symlink_to("/bin/true")
    code, (line,) = started(project)
    assert code == 1
    assert line.startswith(f"glasnost: {project}/.venv cannot be used: it does not hold what is needed now; ")
    assert f"As its owner run {project}/ops/glasnost games, {WAY_OUT}" in line


def test_an_environment_with_a_python_in_a_users_home_is_refused_with_the_reason(project: Path) -> None:
    (project / "home").mkdir(mode=0o700 if os.geteuid() == 0 else 0o000)
    (project / ".venv" / "bin" / "python").symlink_to(project / "home" / "python3")
    code, (line,) = started(project)
    (project / "home").chmod(0o700)
    assert code == 1
    assert ": its Python, in /somebody/bin, is none that this user may run; and " in line
    assert WAY_OUT in line


def test_a_lock_of_another_user_gives_a_readable_error(project: Path) -> None:
    """A folder that others may write to, with a lock file in it that they may not."""
    (project / ".venv" / ".glasnost-lock").touch(mode=0o444)
    code, (line,) = started(project, 0o777)
    assert (code, "cannot be used" in line) == (1, True)


@pytest.mark.parametrize(("named", "made"), [("other", True), ("same", False)])
def test_a_python_that_is_asked_for_by_name_takes_the_place_of_another_one_of_its_version(
    project: Path, named: str, made: bool
) -> None:
    """Make an environment of `named`, where there is one of `same`; a stand-in for Python says so."""
    for name in ("same", "other"):
        (project / name).write_text(f'#!/bin/sh\necho "{name} $*" >{project}/made\n')
        (project / name).chmod(0o755)
    (project / ".venv" / "bin" / "python").symlink_to(project / "same")
    script = f'. {project}/ops/lib/env.sh; found="{project}/{named} 3.11.7"; make_venv {project}/log'
    environment = {"PATH": os.environ["PATH"], "GLASNOST_PYTHON": str(project / named)}
    subprocess.run(["bash", "-c", script], env=environment, cwd=project, check=True)
    assert (project / "made").exists() is made
    if made:
        assert (project / "made").read_text() == f"other -m venv {project}/.venv\n"


@pytest.mark.parametrize(("optimised", "chosen"), [(True, "older 3.11.7"), (False, "newer 3.12.1")])
def test_a_python_that_was_built_with_optimisations_comes_first(
    project: Path, optimised: bool, chosen: str
) -> None:
    """Stand-ins: python3.12 was built without them, python3.11 with them; the probe asks in `$5`."""
    asked = {"python3.12": '[ -z "$5" ]', "python3.11": "true" if optimised else '[ -z "$5" ]'}
    answers = {"python3.12": "newer 3.12.1", "python3.11": "older 3.11.7"}
    for name, question in asked.items():
        (project / name).write_text(f"#!/bin/sh\n{question} && echo {answers[name]}\n")
        (project / name).chmod(0o755)
    script = f". {project}/ops/lib/env.sh; find_python"
    environment = {"PATH": f"{project}:{os.environ['PATH']}", "HOME": str(project)}
    found = subprocess.run(
        ["bash", "-c", script], env=environment, capture_output=True, text=True, check=True
    ).stdout
    assert found == f"{chosen}\n"


def bash(project: Path, script: str, **environment: str) -> str:
    """What a script that sources `env.sh` prints, on standard error too."""
    done = subprocess.run(
        ["bash", "-c", f". {project}/ops/lib/env.sh; {script}"],
        env={"PATH": os.environ["PATH"], **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout


def stamped(project: Path, extras: str = "") -> None:
    """Make the environment one in which these extras are installed."""
    (project / ".venv" / "bin" / "python").symlink_to("/bin/true")
    stamp = bash(project, 'wanted=; is_current || printf "%s" "$stamp"')
    assert stamp.startswith("python 3.11.7 sum ")
    (project / ".venv" / ".glasnost-runtime").write_text(f"{stamp}\n{extras}\n")


def test_an_environment_that_is_whole_needs_no_right_to_change_it(project: Path) -> None:
    """The way of every worker: the stamp says that all is there, and the program is started."""
    stamped(project)
    assert started(project) == (0, [])


@pytest.mark.parametrize(
    ("wanted", "there"),
    [
        ("", True),
        ("parquet", True),
        ("parquet,postgres", True),
        (" postgres parquet,", True),
        ("test", False),
    ],
)
def test_an_environment_with_more_extras_than_are_asked_for_will_do(
    project: Path, wanted: str, there: bool
) -> None:
    stamped(project, "postgres parquet")
    said = bash(project, "install() { echo installed $wanted; }; ensure runtime", GLASNOST_EXTRAS=wanted)
    assert said == ("" if there else "installed test\n")


def test_extras_are_installed_beside_those_that_are_there(project: Path) -> None:
    """A stand-in for Python says what pip is asked for."""
    stamped(project, "postgres gone")
    python = project / ".venv" / "bin" / "python"
    python.unlink()
    python.write_text(f'#!/bin/sh\necho "$*" >>{project}/asked\n')
    python.chmod(0o755)
    bash(project, "choose_python() { found=; }; ensure runtime", GLASNOST_EXTRAS="parquet")
    asked = (project / "asked").read_text().splitlines()
    assert asked[-1].endswith(f" -e {project}[parquet,postgres]")
    assert (project / ".venv" / ".glasnost-runtime").read_text().splitlines()[1] == "parquet postgres"
    assert bash(project, "ensure runtime", GLASNOST_EXTRAS="postgres,parquet") == ""


def test_the_tests_are_given_every_extra(project: Path) -> None:
    said = bash(project, "install() { echo $wanted; }; ensure test")
    assert said.split() == list(
        tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    )


def test_an_extra_that_there_is_not_is_refused(project: Path) -> None:
    said = bash(project, "ensure runtime; echo on", GLASNOST_EXTRAS="postgres,parket")
    there = "there are: analysis, parquet, pictures, postgres, research, tournaments, test"
    assert said == f'glasnost: GLASNOST_EXTRAS names the extra "parket", which there is not; {there}\n'


def test_a_user_who_may_not_install_an_extra_gets_the_command_for_the_owner(project: Path) -> None:
    stamped(project)
    code, (line,) = started(project, GLASNOST_EXTRAS="postgres")
    assert code == 1
    assert f"As its owner run GLASNOST_EXTRAS=postgres {project}/ops/glasnost games, {WAY_OUT}" in line
