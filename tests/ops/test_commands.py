"""The commands that ops/README.md shows: the store and the key folder are those of the workers."""

from __future__ import annotations

import importlib
import re
import shlex
from typing import Any

import click
import pytest

from api.cli.main import COMMANDS, Program
from tests.docs.documents import read
from tests.ops.examples import OPS
from tests.ops.test_systemd import assignments, unit

yaml: Any = importlib.import_module("yaml")  # it comes with the test extra, without types
PROGRAM = "/opt/glasnost/ops/glasnost"
SHOWN = [
    line
    for block in read("ops/README.md").blocks
    for line in block.text.splitlines()
    if PROGRAM in line.split("#")[0]
]


def test_the_first_administrator_and_the_rotation_are_shown_for_both_ways() -> None:
    told = [(line.split()[0], line.split(f"{PROGRAM} ")[1].split(" --store")[0]) for line in SHOWN]
    assert sorted(told) == [
        ("docker", "admin-token"),
        ("docker", "keys --rotate"),
        ("sudo", "admin-token"),
        ("sudo", "keys --rotate"),
    ]


@pytest.mark.parametrize("line", SHOWN)
def test_a_command_is_one_of_the_program(line: str) -> None:
    command, *arguments = shlex.split(line.split(" > ")[0].split(f"{PROGRAM} ")[1])
    assert command in COMMANDS
    program = Program()
    found = program.get_command(click.Context(program), command)
    assert found is not None
    found.make_context(command, arguments)  # raises where it would refuse them


@pytest.mark.parametrize("line", [line for line in SHOWN if line.startswith("sudo")])
def test_with_systemd_it_is_given_as_the_user_of_the_workers_with_their_store_and_keys(line: str) -> None:
    service = unit("glasnost@.service")["Service"]
    told = assignments(service["Environment"].replace("%S", "/var/lib"))
    lines = (OPS / "systemd" / "glasnost.env").read_text("utf-8").splitlines()
    store = dict(line.split("=", 1) for line in lines if not line.startswith("#"))["GLASNOST_STORE"]
    before = f"sudo -u {service['User']} GLASNOST_KEYS={told['GLASNOST_KEYS']} {PROGRAM} "
    assert line.startswith(before)
    assert re.findall(r"--store (\S+)", line) == [store]


@pytest.mark.parametrize("line", [line for line in SHOWN if line.startswith("docker")])
def test_with_containers_it_is_given_in_a_worker_with_its_store(line: str) -> None:
    services = yaml.safe_load((OPS / "compose.yaml").read_text("utf-8"))["services"]
    name = line.split(f" {PROGRAM}")[0].split()[-1]
    assert re.findall(r"--store (\S+)", line) == [services[name]["environment"]["GLASNOST_STORE"]]
    assert ("-T" in line.split()) == (
        ">" in line.split()
    )  # a terminal would end the lines of a file otherwise


def test_the_place_of_the_keys_is_printed() -> None:
    services = yaml.safe_load((OPS / "compose.yaml").read_text("utf-8"))["services"]
    keys = services["worker-1"]["environment"]["GLASNOST_KEYS"]
    assert f"`docker compose cp worker-1:{keys} kept.keys`" in read("ops/README.md").text
