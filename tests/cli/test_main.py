"""The program as a whole: help, errors, exit codes, the ways it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from api.cli import games
from api.cli.main import COMMANDS, INTERRUPTED, program, run
from tests.cli.program import ROOT, Program, process
from tests.waiting import PATIENCE


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command_shows_an_example(glasnost: Program, command: str) -> None:
    help = glasnost(command, "--help").ok().out
    assert f"Usage: glasnost {command}" in help
    assert f"Example:\n    glasnost {command}" in help or f"\n    glasnost {command}" in help


def test_the_help_lists_every_command(glasnost: Program) -> None:
    help = glasnost("--help").ok().out
    assert all(f"\n  {command} " in help for command in COMMANDS)


def test_every_listed_command_is_the_one_of_its_name() -> None:
    for name in COMMANDS:
        found = program.get_command(program.make_context("glasnost", ["games"]), name)
        assert found is not None
        assert found.name == name


def test_without_arguments_the_help_is_shown_as_an_error(glasnost: Program) -> None:
    done = glasnost()
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Usage: glasnost")


def test_the_version_is_that_of_the_product(glasnost: Program) -> None:
    from api.settings import product

    assert glasnost("--version").ok().out == f"glasnost {product()}\n"


def test_help_imports_no_command() -> None:
    code = "import sys, api.cli.main as m; m.run(['--help']); print(sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    loaded = done.stdout.splitlines()[-1]
    for module in ("fastapi", "pyarrow", "rich", "eventsourcing", "domain.games", "asyncio"):
        assert f"'{module}'" not in loaded


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("nonsense",), "there are: serve"),
        (("--nonsense",), "--nonsense"),
        (("play",), "GAME"),
        (("play", "thirteen_minutes", "--nonsense"), "see glasnost play --help"),
        (("play", "thirteen_minutes", "extra"), "extra"),
        (("replay", "x.glasnost", "--lang", "de"), "'en', 'ru'"),
        (("fuzz", "thirteen_minutes", "--matches", "0"), "0"),
        (("verify",), "name match files"),
        (("export", "--store", "s"), "--all"),
        (("export", "m", "--all", "--store", "s"), "--all"),
        (("backup",), "--store"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(
    glasnost: Program, arguments: tuple[str, ...], part: str
) -> None:
    glasnost(*arguments).refused(2, part)


def test_a_terminal_without_cyrillic_is_no_reason_to_stop(glasnost: Program) -> None:
    with process("games", "cia_vs_kgb", "--lang", "ru", PYTHONIOENCODING="latin-1") as found:
        out, err = found.communicate(timeout=PATIENCE)
    assert (found.returncode, err) == (0, "")
    assert "\\u0421" in out


def test_an_argument_that_is_no_text_is_refused(glasnost: Program) -> None:
    glasnost("fuzz", "cia_vs_kgb", "--seed", "\udcff").refused(2, "not UTF-8")
    assert glasnost("play", "cia_vs_kgb", "--out", "\udcff", "--json").json["file"] == "\ufffd"


def test_an_error_of_the_program_is_one_line_without_a_traceback(
    glasnost: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(name: str) -> None:
        raise LookupError("nothing there")

    monkeypatch.setattr(games, "game_named", broken)
    glasnost("games", "toy").refused(2, "LookupError: nothing there", "GLASNOST_DEBUG=1")


def test_as_a_process_it_has_the_same_exit_codes(glasnost: Program) -> None:
    with process("games", "nonsense") as found:
        out, err = found.communicate(timeout=PATIENCE)
    assert (found.returncode, out) == (2, "")
    assert err.startswith("glasnost: there is no game 'nonsense'")


def test_a_reader_that_goes_away_ends_it_quietly(glasnost: Program) -> None:
    with process("fuzz", "thirteen_minutes", "--matches", "1") as found:
        assert found.stdout is not None
        found.stdout.close()
        assert found.stderr is not None
        err = found.stderr.read()
        found.wait(timeout=PATIENCE)
    assert (found.returncode, err) == (2, "")


def test_without_any_standard_output_it_is_done_all_the_same(
    glasnost: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert run(["play", "thirteen_minutes", "--seed", "1", "--out", "m"]) == 0
    assert Path("m").exists()


def test_ctrl_c_ends_it_with_one_line(glasnost: Program) -> None:
    os.mkfifo("waits")
    # The pipe opens when the program has opened its own end, and waits for more.
    with process("script", "waits") as found, Path("waits").open("wb"):
        found.send_signal(signal.SIGINT)
        out, err = found.communicate(timeout=PATIENCE)
    assert (found.returncode, out, err) == (INTERRUPTED, "", "\nglasnost: interrupted\n")


@pytest.mark.parametrize(("value", "language"), [("ru_RU.UTF-8", "ru"), ("en_GB.UTF-8", "en"), ("C", "en")])
def test_the_language_is_that_of_the_environment(
    glasnost: Program, monkeypatch: pytest.MonkeyPatch, value: str, language: str
) -> None:
    monkeypatch.delenv("LC_ALL")
    monkeypatch.delenv("LC_MESSAGES", raising=False)
    monkeypatch.setenv("LANG", value)
    word = {"en": "At once, in Cease-fire", "ru": "Сразу"}[language]
    assert word in glasnost("games", "cia_vs_kgb").ok().out


def test_games_explains_every_option(glasnost: Program) -> None:
    from domain.games import GAMES

    for game in GAMES.values():
        said = glasnost("games", game.name).ok().out
        shown = glasnost("games", game.name, "--json").json["games"][0]
        assert [option["name"] for option in shown["options"]] == [option.name for option in game.options]
        assert all(f"--option {option.name}=" in said for option in game.options)
        assert all(option["texts"]["about"] for option in shown["options"])
