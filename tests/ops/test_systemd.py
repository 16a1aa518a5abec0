"""The units of systemd: every line is known, what they start is what the program understands."""

from __future__ import annotations

import configparser
from pathlib import Path

import pytest

from api.cli.common import FOUND_WRONG
from api.cli.data import data
from api.cli.witness import witness
from api.settings import Settings
from tests.ops.examples import OPS, STOPPING, must_be_understood, port_of, seconds

UNITS = sorted(path.name for path in (OPS / "systemd").glob("*.[st]*e*"))
KNOWN = {
    "Unit": {"Description", "PartOf", "After", "Wants", "StartLimitIntervalSec"},
    "Install": {"WantedBy"},
    "Service": {
        *("Type", "User", "Group", "Environment", "EnvironmentFile", "ExecStart", "Restart", "RestartSec"),
        *("TimeoutStopSec", "StateDirectory", "StateDirectoryMode", "UMask", "LimitNOFILE"),
        *("NoNewPrivileges", "CapabilityBoundingSet", "AmbientCapabilities", "ProtectSystem", "ProtectHome"),
        *(
            "PrivateTmp",
            "PrivateDevices",
            "PrivateNetwork",
            "PrivateIPC",
            "ProtectProc",
            "ProtectClock",
            "ProtectHostname",
        ),
        *("ProtectKernelTunables", "ProtectKernelModules", "ProtectKernelLogs", "ProtectControlGroups"),
        *("RestrictAddressFamilies", "RestrictNamespaces", "RestrictRealtime", "RestrictSUIDSGID"),
        *("LockPersonality", "RemoveIPC", "SystemCallArchitectures", "SystemCallFilter"),
        *("SystemCallErrorNumber", "InaccessiblePaths", "RuntimeDirectory", "RuntimeDirectoryMode"),
        *("RestartPreventExitStatus", "MemoryMax", "TasksMax", "CacheDirectory", "CacheDirectoryMode"),
    },
}
SWITCHES = {
    name
    for name in KNOWN["Service"]
    if name.startswith(
        ("NoNew", "Private", "ProtectC", "ProtectHo", "ProtectK", "Restrict", "Lock", "Remove")
    )
} - {"RestrictAddressFamilies"}
OF_DATA = {"PrivateNetwork", "PrivateIPC"}  # a worker needs the network


class Unit(configparser.RawConfigParser):
    """A unit; a section or a key that stands there twice, or a line that is none, is an error."""

    def __init__(self) -> None:
        super().__init__(delimiters="=", comment_prefixes="#", strict=True)

    def optionxform(self, optionstr: str) -> str:
        """Names are as they are written."""
        return optionstr


def unit(name: str) -> Unit:
    """The unit of this name."""
    parser = Unit()
    parser.read_string((OPS / "systemd" / name).read_text("utf-8"), name)
    return parser


@pytest.fixture
def worker() -> configparser.SectionProxy:
    """How the worker on port 8001 is run."""
    parser = unit("glasnost@.service")
    for section in parser.sections():
        for name, value in parser.items(section):
            parser.set(section, name, value.replace("%i", "8001").replace("%S", "/var/lib"))
    return parser["Service"]


def assignments(text: str) -> dict[str, str]:
    return dict(word.split("=", 1) for word in text.split())


def test_the_units_are_a_worker_a_target_the_data_process_and_a_witness() -> None:
    assert UNITS == [
        "glasnost-data.service",
        "glasnost-witness.service",
        "glasnost.target",
        "glasnost@.service",
    ]


@pytest.mark.parametrize("name", UNITS)
def test_every_line_of_a_unit_is_one_that_systemd_knows(name: str) -> None:
    parser = unit(name)
    assert set(parser.sections()) <= set(KNOWN)
    for section in parser.sections():
        assert set(parser[section]) <= KNOWN[section]


def test_a_worker_serves_on_the_port_that_its_name_says(worker: configparser.SectionProxy) -> None:
    assert port_of(worker["ExecStart"].split()) == 8001


def test_a_worker_may_write_to_its_keys_and_nowhere_else(
    worker: configparser.SectionProxy,
) -> None:
    told = assignments(worker["Environment"])
    folders = {str(Path("/var/lib") / name) for name in worker["StateDirectory"].split()}
    assert {told["GLASNOST_KEYS"]} == folders
    assert worker["ProtectSystem"] == "strict"
    assert (worker["StateDirectoryMode"], worker["UMask"]) == ("0700", "0077")


def test_workers_share_their_keys() -> None:
    told = assignments(unit("glasnost@.service")["Service"]["Environment"])
    assert [name for name, value in told.items() if "%i" not in value] == ["GLASNOST_KEYS"]


def test_a_worker_is_no_root_and_is_shut_in(worker: configparser.SectionProxy) -> None:
    assert worker["User"] == worker["Group"] == "glasnost"
    assert {worker[name] for name in SWITCHES - OF_DATA} == {"yes"}
    assert (worker["CapabilityBoundingSet"], worker["AmbientCapabilities"]) == ("", "")
    assert worker["SystemCallFilter"] == "@system-service"


def test_a_worker_that_stops_gets_the_time_to_answer_all_requests(
    worker: configparser.SectionProxy,
) -> None:
    assert seconds(worker["TimeoutStopSec"]) > STOPPING


def test_a_worker_is_started_again_for_as_long_as_the_database_is_away(
    worker: configparser.SectionProxy,
) -> None:
    assert worker["Restart"] == "on-failure"
    assert unit("glasnost@.service")["Unit"]["StartLimitIntervalSec"] == "0"


def test_the_target_starts_and_stops_the_workers() -> None:
    wanted = unit("glasnost.target")["Unit"]["Wants"].split()
    assert wanted == ["glasnost@8001.service", "glasnost@8002.service"]
    template = unit("glasnost@.service")
    assert template["Unit"]["PartOf"] == template["Install"]["WantedBy"] == "glasnost.target"


def test_every_setting_of_the_environment_file_is_known(worker: configparser.SectionProxy) -> None:
    lines = (OPS / "systemd" / "glasnost.env").read_text("utf-8").splitlines()
    told = dict(line.split("=", 1) for line in lines if not line.startswith("#"))
    must_be_understood({**assignments(worker["Environment"]), **told})
    assert worker["EnvironmentFile"].endswith("/glasnost.env")
    assert {"GLASNOST_STORE", "GLASNOST_NAME"} <= set(told)
    assert told["GLASNOST_EXTRAS"] == "postgres"


def test_a_worker_may_hold_more_streams_than_one_viewer_opens(worker: configparser.SectionProxy) -> None:
    assert int(worker["LimitNOFILE"]) > 100 * Settings().streams_per_viewer


def test_the_data_process_is_shut_off_from_the_network_the_store_and_the_keys() -> None:
    told = unit("glasnost-data.service")["Service"]
    worker = unit("glasnost@.service")["Service"]
    assert told["User"] == told["Group"] != worker["User"]
    assert {told[name] for name in SWITCHES} == {"yes"}
    assert (told["ProtectSystem"], told["SystemCallFilter"]) == ("strict", "@system-service")
    assert (told["CapabilityBoundingSet"], told["AmbientCapabilities"]) == ("", "")
    assert told["RestrictAddressFamilies"] == "AF_UNIX"
    hidden = told["InaccessiblePaths"].replace("-/", "/").split()
    store = assignments(worker["Environment"])["GLASNOST_KEYS"].replace("%S", "/var/lib")
    for secret in (store, worker["EnvironmentFile"], "/var/lib/postgresql", "/run/postgresql"):
        assert any(Path(secret).is_relative_to(path) for path in hidden), secret
    assert "EnvironmentFile" not in told
    must_be_understood(assignments(told["Environment"]))


def test_the_data_process_listens_where_its_workers_are_let_in() -> None:
    told = unit("glasnost-data.service")["Service"]
    command = told["ExecStart"].split()
    program, *arguments = command
    assert program.endswith("/ops/glasnost")
    assert arguments[:2] == ["data", "serve"]
    places = {"--work": "/var/cache", "--socket": "/run"}
    given = dict(zip(arguments[3::2], arguments[4::2], strict=True))
    assert set(given) == set(places)
    assert given["--work"] == f"/var/cache/{told['CacheDirectory']}"
    assert Path(given["--socket"]).parent == Path("/run") / told["RuntimeDirectory"]
    known = {name for one in data.commands["serve"].params for name in one.opts}
    assert set(given) <= known
    assert told["RuntimeDirectoryMode"] == "0750"
    assert told["Restart"] == "always"


def test_a_witness_is_shut_in_and_keeps_its_files_where_it_may_write() -> None:
    told = unit("glasnost-witness.service")["Service"]
    assert told["User"] == told["Group"] not in ("glasnost", "glasnost-data", "root")
    assert {told[name] for name in SWITCHES - {"PrivateNetwork"}} == {"yes"}
    assert (told["ProtectSystem"], told["SystemCallFilter"]) == ("strict", "@system-service")
    assert (told["CapabilityBoundingSet"], told["AmbientCapabilities"]) == ("", "")
    program, name, *arguments = told["ExecStart"].split()
    given = dict(zip(arguments[::2], arguments[1::2], strict=True))
    assert (program.endswith("/ops/glasnost"), name) == (True, "witness")
    assert set(given) <= {option for one in witness.params for option in one.opts}
    for place in ("--state", "--key"):
        assert Path(given[place]).parent == Path("%S") / told["StateDirectory"]
    assert told["StateDirectoryMode"] == "0700"
    assert told["RestartPreventExitStatus"] == str(FOUND_WRONG)
